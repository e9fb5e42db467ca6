/* test_remove_oracle.c - kernels before and after work removal, executed by Oclgrind
 *
 * Executed instructions: the number of kept loads equals the original's and the counted
 * one, and on-chip work equals the original's, without any global load.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/model/expr.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"
#include "kernels/remove/remove.h"

struct oracle_case {
    const char *file, *kernel, *options;
    size_t n_dims, local, groups, n_buffers;
    int sizes[2];   /* arguments after the buffers, up to a 0 */
    bool uncounted; /* jumps, or addresses from memory: counts are not compared */
};

static const struct oracle_case cases[] = {
    { "kernels/catalogue/matmul_plain.cl",
      "matmul_plain",
      "-DT=float -DTILE=16",
      2,
      16,
      2,
      3,
      { 32 },
      false },
    { "kernels/catalogue/matmul_tiled.cl",
      "matmul_tiled",
      "-DT=float -DTILE=16",
      2,
      16,
      3,
      3,
      { 48 },
      false },
    { "kernels/catalogue/overlap.cl",
      "overlap",
      "-DT=float",
      1,
      256,
      2,
      2,
      { 1, 7 },
      false },
    { "tests/kernels/count/kernels/matmul.cl",
      "guarded",
      "",
      2,
      16,
      3,
      3,
      { 37 },
      false },
    { "tests/kernels/count/kernels/stencil.cl",
      "stencil",
      "",
      2,
      16,
      2,
      2,
      { 28 },
      false },
    { "tests/kernels/count/kernels/loops.cl",
      "backwards",
      "",
      1,
      16,
      2,
      2,
      { 43 },
      false },
    { "tests/kernels/count/kernels/loops.cl",
      "skipping",
      "",
      1,
      16,
      3,
      2,
      { 20, 13 },
      false },
    { "tests/kernels/count/kernels/loops.cl",
      "triangular",
      "",
      1,
      16,
      3,
      2,
      { 32, 40 },
      false },
    { "tests/kernels/remove/kernels/forms.cl", "steps", "", 1, 16, 2, 3, { 19 }, true },
    { "tests/kernels/remove/kernels/forms.cl", "chosen", "", 1, 16, 2, 3, { 13 }, true },
    { "tests/kernels/remove/kernels/forms.cl",
      "vectors",
      "",
      1,
      16,
      2,
      3,
      { 21 },
      false },
    { "tests/kernels/remove/kernels/forms.cl", "helped", "", 1, 16, 2, 3, { 17 }, true },
    { "tests/kernels/remove/kernels/forms.cl",
      "gathered",
      "",
      1,
      16,
      2,
      3,
      { 17 },
      true },
};

/* ---- executed instructions ---- */

static char *temporary(const char *text)
{
    char *path = strdup("/tmp/gpucal-removed-XXXXXX");
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    return path;
}

/* 'removed': with one more buffer, at the end. */
static char *run_oclgrind(const struct oracle_case *t, const char *source, bool removed)
{
    struct gcal_buf sim = { 0 }, out = { 0 };
    size_t global = t->local * t->groups, n;
    char *path = temporary(source), *sim_path, command[400], block[4096];
    FILE *pipe;

    gcal_buf_printf(&sim, "%s\n%s\n%zu %zu 1\n%zu %zu 1\n\n", path, t->kernel, global,
                    t->n_dims > 1 ? global : 1, t->local, t->n_dims > 1 ? t->local : 1);
    for (size_t i = 0; i < t->n_buffers; i++)
        gcal_buf_puts(&sim, "<size=65536 float fill=1>\n");
    for (int i = 0; i < 2 && t->sizes[i]; i++)
        gcal_buf_printf(&sim, "<size=4 int>\n%d\n", t->sizes[i]);
    gcal_buf_puts(&sim, removed ? "<size=65536 float fill=0>\n" : "");
    sim_path = temporary(sim.data);
    snprintf(command, sizeof(command),
             "oclgrind-kernel --inst-counts --build-options \"-cl-std=CL1.2 "
             "-cl-opt-disable -DGPUCAL_TAG(t,lv)=(lv) %s\" %s 2>&1",
             removed ? "" : t->options, sim_path);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    while ((n = fread(block, 1, sizeof(block), pipe)) > 0)
        gcal_buf_put(&out, block, n);
    if (pclose(pipe) != 0 || strstr(out.data, "rror"))
        fail_msg("%s\n%s", out.data, source);
    unlink(path);
    unlink(sim_path);
    free(path);
    free(sim_path);
    gcal_buf_free(&sim);
    return gcal_buf_take(&out, NULL);
}

/* Lines "  12,345 - opcode ...". */
static double executed(const char *text, const char *opcode)
{
    double total = 0;

    for (const char *line = text; line; line = strchr(line + 1, '\n')) {
        const char *dash = strstr(line, " - "), *end = strchr(line + 1, '\n');
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

/* ---- counted loads ---- */

/* Loads with sub-groups of one work-item, so that all counts are per work-item. */
static double counted_loads(const struct oracle_case *t, const char *source)
{
    struct gcal_count_request request = { .source = source,
                                          .file = t->file,
                                          .n_dims = t->n_dims };
    struct gcal_profile *p;
    struct gcal_error err = { 0 };
    char global[30];
    double total = 0;

    snprintf(global, sizeof(global), "%zu", t->local * t->groups);
    for (size_t d = 0; d < t->n_dims; d++) {
        request.local_size[d] = t->local;
        request.global_size[d] = global;
    }
    if (!(p = gcal_count(&request, &err)))
        fail_msg("%s\n%s", err.text, source);
    for (size_t i = 0; i < p->n_entries; i++) {
        const struct gcal_profile_entry *e = &p->entries[i];
        struct gcal_expr *expr;
        double values[8] = { 0 };

        if (e->kind != GCAL_FEATURE_MEM_ACCESS || e->space != GCAL_FEATURE_SPACE_GLOBAL ||
            e->direction != GCAL_FEATURE_LOAD)
            continue;
        assert_non_null(expr = gcal_expr_parse(e->count, &err));
        for (size_t j = 0; j < gcal_expr_symbol_count(expr); j++) {
            const char *name = gcal_expr_symbol(expr, j);

            values[j] = strcmp(name, GCAL_SUB_GROUP_SIZE) == 0 ? 1
                        : strcmp(name, "n") == 0               ? t->sizes[0]
                                                               : t->sizes[1];
        }
        total += gcal_expr_eval(expr, values);
        gcal_expr_destroy(expr);
    }
    gcal_profile_destroy(p);
    return total;
}

/* ---- the comparison ---- */

static void expect(const struct oracle_case *t, const char *what, double is, double was)
{
    if (is != was)
        fail_msg("%s: %.0f of %s where %.0f were expected", t->kernel, is, what, was);
}

static void check_loads(const struct oracle_case *t, const char *before,
                        const char *source, const char *after)
{
    expect(t, "global loads", executed(after, "load global"),
           executed(before, "load global"));
    expect(t, "local accesses",
           executed(after, "load local") + executed(after, "store local"), 0);
    expect(t, "barriers", executed(after, "call _Z7barrierj"), 0);
    expect(t, "products",
           executed(after, "fmul") + executed(after, "fdiv") +
               executed(after, "call llvm.fmuladd"),
           0);
    if (!t->uncounted)
        expect(t, "counted loads", counted_loads(t, source),
               executed(after, "load global"));
}

static void check_onchip(const struct oracle_case *t, const char *before,
                         const char *after)
{
    static const char *const same[] = {
        "load local", "store local", "call _Z7barrierj",
        "fmul",       "fdiv",        "call llvm.fmuladd"
    };
    double added = executed(after, "fadd") + executed(after, "fsub") -
                   executed(before, "fadd") - executed(before, "fsub");

    expect(t, "global loads", executed(after, "load global"), 0);
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
        expect(t, same[i], executed(after, same[i]), executed(before, same[i]));
    if (added < 0)
        fail_msg("%s: %.0f additions are missing", t->kernel, -added);
}

static void check_memory(const struct oracle_case *t, const char *before,
                         const char *after)
{
    static const char *const kept[] = { "load global", "store global" };

    for (size_t i = 0; i < 2; i++)
        if (executed(before, kept[i]) != executed(after, kept[i]))
            fail_msg("%s: %s was %g and is %g", t->kernel, kept[i],
                     (double)executed(before, kept[i]), (double)executed(after, kept[i]));
}

static void check_case(const struct oracle_case *t)
{
    static const struct gcal_remove_options forms[] = {
        { .form = GCAL_REMOVE_KEEP_LOADS },
        { .form = GCAL_REMOVE_KEEP_LOADS, .n_accumulators = 4 },
        { .form = GCAL_REMOVE_KEEP_ONCHIP },
        { .form = GCAL_REMOVE_KEEP_MEMORY },
    };
    struct gcal_error err = { 0 };
    char *path = gcal_buf_format("%s/%s", SOURCE_DIR, t->file), *source, *before;
    double items = 1;

    assert_non_null(source = gcal_file_read(path, 100000, NULL, &err));
    before = run_oclgrind(t, source, false);
    for (size_t d = 0; d < t->n_dims; d++)
        items *= (double)(t->local * t->groups);
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        struct gcal_count_request request = { .source = source,
                                              .file = t->file,
                                              .kernel = t->kernel,
                                              .build_options = t->options,
                                              .n_dims = t->n_dims };
        char *text = gcal_remove_work(&request, &forms[i], NULL, &err), *after;

        if (!text && forms[i].form == GCAL_REMOVE_KEEP_MEMORY &&
            strcmp(t->kernel, "helped") == 0 && strstr(err.text, "a store in a function"))
            continue;
        if (!text)
            fail_msg("%s", err.text);
        after = run_oclgrind(t, text, strstr(text, "read_tgt_dest") != NULL);
        if (forms[i].form == GCAL_REMOVE_KEEP_LOADS)
            check_loads(t, before, text, after);
        else if (forms[i].form == GCAL_REMOVE_KEEP_ONCHIP)
            check_onchip(t, before, after);
        else
            check_memory(t, before, after);
        if (forms[i].form != GCAL_REMOVE_KEEP_MEMORY)
            assert_true(executed(after, "store global") <= items);
        assert_true(executed(after, "store global") > 0);
        free(after);
        free(text);
    }
    free(before);
    free(source);
    free(path);
}

static void oclgrind_executes_what_is_kept(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_case(&cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(
        oclgrind_executes_what_is_kept) };

    if (system("command -v oclgrind-kernel > /dev/null 2>&1") != 0)
        return 77; /* skipped */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
