/* test_count_oracle.c - counts against Oclgrind, which runs the kernels and counts
 *
 * Oclgrind counts by work-item what really executes, so counts by sub-group are taken
 * with sub-groups of one work-item.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/model/expr.h"
#include "calib/model/profile.h"
#include "kernels/kernels.h"

#define FOLDER SOURCE_DIR "/tests/kernels/counted/"

struct oracle_case {
    const char *file, *kernel, *assume, *global;
    size_t n_dims, local, n_buffers, n_sizes;
    const char *names[2];
    double sizes[2];
    bool lanes_idle; /* guards on lanes: only accesses by work-item are comparable */
};

static const struct oracle_case cases[] = {
    { "matmul.cl", "prefetching", NULL, "n", 2, 16, 3, 1, { "n" }, { 48 }, false },
    { "matmul.cl", "plain", NULL, "n", 2, 16, 3, 1, { "n" }, { 32 }, false },
    { "matmul.cl", "guarded", NULL, "(n+15)/16*16", 2, 16, 3, 1, { "n" }, { 37 }, true },
    { "stencil.cl",
      "stencil",
      "n % 14 = 0",
      "n/14*16",
      2,
      16,
      2,
      1,
      { "n" },
      { 28 },
      true },
    { "loops.cl", "triangular", NULL, "48", 1, 16, 2, 2, { "n", "p" }, { 50, 3 }, true },
    { "loops.cl",
      "triangular",
      NULL,
      "48",
      1,
      16,
      2,
      2,
      { "n", "p" },
      { 32, 40 },
      false },
    { "loops.cl", "skipping", NULL, "48", 1, 16, 2, 2, { "n", "p" }, { 20, 30 }, false },
    { "loops.cl", "skipping", NULL, "48", 1, 16, 2, 2, { "n", "p" }, { 20, 13 }, false },
    { "loops.cl", "skipping", NULL, "48", 1, 16, 2, 2, { "n", "p" }, { 20, 5 }, false },
    { "loops.cl", "backwards", NULL, "n/16*16", 1, 16, 2, 1, { "n" }, { 43 }, false },
    { "loops.cl", "early", NULL, "(n+63)/64*64", 1, 64, 2, 1, { "n" }, { 101 }, true },
};

/* ---- what Oclgrind saw ---- */

static void write_simulation(const struct oracle_case *t, size_t global, const char *path)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fprintf(f, "%s%s\n%s\n%zu %zu 1\n%zu %zu 1\n\n", FOLDER, t->file, t->kernel, global,
            t->n_dims > 1 ? global : 1, t->local, t->n_dims > 1 ? t->local : 1);
    for (size_t i = 0; i < t->n_buffers; i++)
        fprintf(f, "<size=65536 float fill=1>\n");
    for (size_t i = 0; i < t->n_sizes; i++)
        fprintf(f, "<size=4 int>\n%.0f\n", t->sizes[i]);
    fclose(f);
}

/* Lines "  12,345 - opcode ...". */
static double seen(const char *text, const char *opcode)
{
    double total = 0;

    for (const char *line = text; line; line = strchr(line + 1, '\n')) {
        const char *dash = strstr(line, " - ");
        const char *end = strchr(line + 1, '\n');
        double count = 0;

        if (!dash || (end && dash > end) ||
            strncmp(dash + 3, opcode, strlen(opcode)) != 0)
            continue;
        for (const char *p = line; p < dash; p++)
            if (*p >= '0' && *p <= '9')
                count = 10 * count + (*p - '0');
        total += count;
    }
    return total;
}

static char *run_oclgrind(const struct oracle_case *t, size_t global)
{
    char path[] = "/tmp/gpucal-oracle-XXXXXX";
    char command[400], block[4096];
    struct gcal_buf buf = { 0 };
    int fd = mkstemp(path);
    FILE *pipe;
    size_t n;

    assert_true(fd >= 0);
    close(fd);
    write_simulation(t, global, path);
    snprintf(command, sizeof(command),
             "oclgrind-kernel --inst-counts --build-options \"-cl-std=CL1.2 "
             "-cl-opt-disable -DGPUCAL_TAG(t,lv)=(lv)\" %s 2>&1",
             path);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    while ((n = fread(block, 1, sizeof(block), pipe)) > 0)
        gcal_buf_put(&buf, block, n);
    assert_int_equal(pclose(pipe), 0);
    unlink(path);
    return gcal_buf_take(&buf, NULL);
}

/* ---- what was counted ---- */

static double value_of(const char *text, const struct oracle_case *t)
{
    struct gcal_error err = { 0 };
    struct gcal_expr *expr = gcal_expr_parse(text, &err);
    double values[8] = { 0 }, value;

    if (!expr)
        fail_msg("%s: %s", text, err.text);
    for (size_t i = 0; i < gcal_expr_symbol_count(expr); i++)
        for (size_t j = 0; j <= t->n_sizes; j++) {
            const char *name = j < t->n_sizes ? t->names[j] : GCAL_SUB_GROUP_SIZE;

            if (strcmp(gcal_expr_symbol(expr, i), name) == 0)
                values[i] = j < t->n_sizes ? t->sizes[j] : 1;
        }
    value = gcal_expr_eval(expr, values);
    gcal_expr_destroy(expr);
    return value;
}

static double counted(const struct gcal_profile *p, const struct oracle_case *t,
                      const char *op, enum gcal_space space,
                      enum gcal_direction direction)
{
    double total = 0;

    for (size_t i = 0; i < p->n_entries; i++) {
        const struct gcal_profile_entry *e = &p->entries[i];

        if (op ? e->op && strcmp(e->op, op) == 0
               : e->kind == GCAL_FEATURE_MEM_ACCESS && e->space == space &&
                     e->direction == direction)
            total += value_of(e->count, t);
    }
    return total;
}

static double barriers(const struct gcal_profile *p, const struct oracle_case *t)
{
    for (size_t i = 0; i < p->n_entries; i++)
        if (p->entries[i].kind == GCAL_FEATURE_BARRIER_LOCAL)
            return value_of(p->entries[i].count, t);
    return 0;
}

static void compare_counts(const struct gcal_profile *p, const struct oracle_case *t,
                           const char *text, double items)
{
#define SAME(what, expected)                                                             \
    if (fabs((what) - (expected)) > 1e-6)                                                \
    fail_msg("%s: %s is %.0f, Oclgrind saw %.0f", t->kernel, #what, what, expected)

    SAME(barriers(p, t) * items, seen(text, "call _Z7barrierj"));
    SAME(counted(p, t, NULL, GCAL_SPACE_GLOBAL, GCAL_STORE), seen(text, "store global"));
    if (t->lanes_idle && strcmp(t->kernel, "triangular") == 0) {
        assert_true(p->estimated);
        return; /* uniform loads are by sub-group there */
    }
    SAME(counted(p, t, NULL, GCAL_SPACE_GLOBAL, GCAL_LOAD), seen(text, "load global"));
    if (t->lanes_idle)
        return;
    SAME(counted(p, t, NULL, GCAL_SPACE_LOCAL, GCAL_LOAD), seen(text, "load local"));
    SAME(counted(p, t, NULL, GCAL_SPACE_LOCAL, GCAL_STORE), seen(text, "store local"));
    SAME(counted(p, t, "madd", 0, 0), seen(text, "call llvm.fmuladd"));
    SAME(counted(p, t, "mul", 0, 0), seen(text, "fmul"));
    SAME(counted(p, t, "div", 0, 0), seen(text, "fdiv"));
    SAME(counted(p, t, "add", 0, 0), seen(text, "fadd") + seen(text, "fsub"));
}

static void counts_what_oclgrind_sees(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct oracle_case *t = &cases[i];
        struct gcal_error err = { 0 };
        struct gcal_count_request r = {
            .file = t->file, .kernel = t->kernel, .n_dims = t->n_dims, .assume = t->assume
        };
        char *path = gcal_format("%s%s", FOLDER, t->file);
        char *source = gcal_file_read(path, 100000, NULL, NULL);
        struct gcal_profile *p;
        double items = 1, groups;
        char *text;

        r.source = source;
        for (size_t d = 0; d < t->n_dims; d++) {
            r.local_size[d] = t->local;
            r.global_size[d] = t->global;
        }
        p = gcal_count(&r, &err);
        assert_string_equal(err.text, "");
        assert_non_null(p);
        groups = value_of(p->groups[0], t);
        for (size_t d = 0; d < t->n_dims; d++)
            items *= groups * (double)t->local;
        text = run_oclgrind(t, (size_t)groups * t->local);
        compare_counts(p, t, text, items);
        free(text);
        free(path);
        free(source);
        gcal_profile_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(counts_what_oclgrind_sees) };

    if (system("command -v oclgrind-kernel > /dev/null 2>&1") != 0)
        return 77; /* skipped */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
