/* test_places.c - traffic of index expressions against enumeration
 *
 *   test_places FILE WITHIN [-v] [KERNEL]...
 *   test_places --random WITHIN [-v] FROM TO
 *
 * The kernels of a file of styles (styles/README.md), or kernels that load from random
 * expressions of ids with quotients, remainders, shifts, masks and choices, one for each
 * number from FROM to TO.  The host interpreter runs them; sectors, lines, footprints and
 * passes over banks must be equal, or where they are estimates, at most the factor WITHIN
 * apart.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"
#include "kernels/count/signature.h"
#include "tests/kernels/count/styles/styles.h"
#include "tests/kernels/count/traffic/touches.h"

static struct touches_tally tally;

/* ---- one kernel at one set of sizes ---- */

static int enumerate(const struct style *style,
                     const struct gcal_count_signature *signature,
                     const struct style_run *at, const struct style_value *values,
                     struct touches_run *run, struct gcal_error *err)
{
    struct gcal_count_request request = style_request(style, TOUCHES_LANES);
    struct gcal_interp_arg *args = calloc(signature->n_args + 1, sizeof(*args));
    size_t global_size[GCAL_MAX_DIMS];
    int rc =
        args ? style_global_size(style, at, global_size, err) : gcal_error_memory(err);

    for (size_t i = 0; i < signature->n_args && rc == 0; i++) {
        const struct style_value *v = &values[i];

        args[i] = (struct gcal_interp_arg){ v->dtype, v->data,
                                            v->kind == STYLE_SCALAR  ? 0
                                            : v->kind == STYLE_LOCAL ? v->n_elements / 4
                                                                     : v->n_elements };
        if (v->kind == STYLE_BUFFER)
            run->arrays[run->n++] =
                (struct touches_array){ .base = v->data,
                                        .name = signature->args[i].name };
    }
    run->arrays[run->n++].name = "local memory";
    if (rc == 0)
        rc = gcal_interp_observe_kernel(&request, global_size, signature->n_args, args,
                                        touches_observe, run, err);
    free(args);
    return rc < 0 || !run->failed ? rc : gcal_error_memory(err);
}

static int check(const struct style *style, struct gcal_error *err)
{
    struct gcal_count_request request = style_request(style, TOUCHES_LANES);
    struct gcal_count_signature signature = { 0 };
    struct gcal_profile *profile;
    int rc = -1;

    request.sector_bytes = TOUCHES_SECTOR;
    request.n_banks = TOUCHES_BANKS;
    request.allow_estimates = true;
    profile = gcal_count(&request, err);
    if (profile && gcal_count_signature_read(&request, &signature, err) == 0)
        rc = 0;
    for (size_t i = 0; i < style->n_runs && rc == 0; i++) {
        struct touches_run run = { .arrays = calloc(signature.n_args + 1,
                                                    sizeof(*run.arrays)) };
        const struct style_run *at = &style->runs[i];
        struct style_value *values = style_values_make(style, &signature, at, err);

        rc = run.arrays && values ? enumerate(style, &signature, at, values, &run, err)
                                  : -1;
        if (rc == 0)
            rc = touches_compare(profile, at->n_sizes, at->sizes, &run, &tally, err);
        touches_clear(&run);
        free(run.arrays);
        style_values_free(values, signature.n_args);
    }
    gcal_count_signature_clear(&signature);
    gcal_profile_destroy(profile);
    return rc;
}

static size_t check_and_print(const struct style *style)
{
    struct gcal_error failed = { 0 };

    printf("%s\n", style->name);
    fflush(stdout);
    if (check(style, &failed) == 0)
        return 0;
    printf("  FAILED %s\n", failed.text);
    return 1;
}

/* ---- random expressions ---- */

static unsigned random_state;

static int pick(int n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (int)((random_state >> 8) % (unsigned)n);
}

/* Appends an expression of values of at least 0; its values are below the one returned. */
static int append(char *text, size_t size, int depth, int below[3])
{
    static const int powers[] = { 2, 4, 8, 16, 32, 64, 128, 256, 1024 };
    static const int others[] = { 3, 5, 7, 9, 12, 24, 28, 48, 96, 100, 192 };
    static const char *const ids[] = { "g", "l", "b" };
    char inner[400];
    int id = pick(3), n, most, number = pick(3) ? powers[pick(9)] : others[pick(11)];

    if (depth == 0) {
        snprintf(text, size, "%s", ids[pick(4) ? 0 : id]);
        return below[strcmp(text, "g") == 0 ? 0 : strcmp(text, "l") == 0 ? 1 : 2];
    }
    most = append(inner, sizeof(inner), depth - 1, below);
    switch (pick(8)) {
    case 0:
    case 1:
        snprintf(text, size, "(%s) %% %d%s", inner, number, pick(4) ? "" : "u");
        return most < number ? most : number;
    case 2:
    case 3:
        snprintf(text, size, "(%s) / %d", inner, number);
        return (most - 1) / number + 1;
    case 4:
        n = 1 + pick(6);
        snprintf(text, size, "((%s) >> %d)", inner, n);
        return ((most - 1) >> n) + 1;
    case 5:
        number = powers[pick(9)];
        snprintf(text, size, "((%s) & %d)", inner, number - 1);
        return most < number ? most : number;
    case 6:
        n = 1 + pick(12);
        if (most > (1 << 16) / n)
            n = 1;
        snprintf(text, size, "(%s) * %d + %d", inner, n, number % 40);
        return (most - 1) * n + number % 40 + 1;
    default: {
        char other[400];
        int more = append(other, sizeof(other), depth - 1, below);

        snprintf(text, size, "(%s) + (%s)", inner, other);
        return most + more - 1;
    }
    }
}

static size_t check_random(unsigned number)
{
    static const size_t locals[] = { 32, 64, 96, 128, 256 };
    static const char *const types[] = { "int", "uint", "size_t" };
    char index[900], other[900], source[4000], name[20], global[20];
    size_t local;
    int groups, below[3];

    random_state = number * 7919u + 12345u;
    pick(2);
    local = locals[pick(5)];
    groups = pick(4) ? 1 + pick(40) : 200 + pick(400);
    below[0] = (int)local * groups;
    below[1] = (int)local;
    below[2] = groups;
    append(index, sizeof(index), 1 + pick(3), below);
    append(other, sizeof(other), 1 + pick(2), below);
    snprintf(source, sizeof(source),
             "kernel void f(global float *out, global const float *in)\n{\n"
             "    local float s[4096];\n"
             "    %s g = get_global_id(0), l = get_local_id(0), b = get_group_id(0);\n"
             "    out[g] = in[%s] + s[(%s) & 2047];\n}\n",
             types[pick(3)], index, other);
    snprintf(name, sizeof(name), "random %u", number);
    snprintf(global, sizeof(global), "%zu", local * (size_t)groups);
    if (tally.verbose)
        printf("%s  local %zu, global %s\n", source, local, global);
    {
        struct style style = { .name = name,
                               .file = "random.cl",
                               .source = source,
                               .n_dims = 1,
                               .local_size = { local },
                               .global_size = { global },
                               .allow_estimates = true,
                               .n_runs = 1,
                               .n_arguments = 1,
                               .arguments = { { "in", "300000", NULL } } };
        size_t before = tally.n_wrong, failed;
        struct gcal_error err = { 0 };

        style.name = NULL;
        failed = check(&style, &err) < 0;
        if (failed || tally.n_wrong > before)
            printf("%u: %s\n%s  local %zu, global %s\n\n", number, err.text, source,
                   local, global);
        return failed;
    }
}

int main(int argc, char **argv)
{
    struct styles styles = { 0 };
    struct gcal_error err = { 0 };
    size_t n_failed = 0;
    int first = 3;

    if (argc < 3) {
        fprintf(stderr, "usage: test_places FILE WITHIN [-v] [KERNEL]...\n");
        return 1;
    }
    tally.within = atof(argv[2]);
    tally.verbose = argc > 3 && strcmp(argv[3], "-v") == 0;
    first += tally.verbose;
    if (strcmp(argv[1], "--random") == 0 && argc == first + 2) {
        for (unsigned i = (unsigned)atoi(argv[first]);
             i < (unsigned)atoi(argv[first + 1]); i++)
            n_failed += check_random(i);
    } else if (styles_read(argv[1], &styles, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    for (size_t i = 0; i < styles.n; i++) {
        bool wanted = first == argc;

        for (int k = first; k < argc; k++)
            wanted = wanted || strcmp(styles.items[i].name, argv[k]) == 0;
        if (wanted)
            n_failed += check_and_print(&styles.items[i]);
    }
    styles_clear(&styles);
    printf("%zu equal, %zu near, %zu wrong, %zu kernels failed\n", tally.n_equal,
           tally.n_near, tally.n_wrong, n_failed);
    return tally.n_wrong || n_failed || !tally.n_equal ? 1 : 0;
}
