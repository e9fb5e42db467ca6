/* test_places.c - traffic of index expressions against enumeration
 *
 *   test_places FILE WITHIN [-v] [KERNEL]...
 *   test_places --random WITHIN [-v] FROM TO
 *
 * The kernels of a file of styles (styles/README.md), or kernels that load from random
 * expressions of ids on one or two axes with quotients, remainders, shifts, masks and
 * choices, with the launch's sizes as numbers or symbols, one for each number from FROM to
 * TO.  The host interpreter runs them; sectors, lines, footprints and
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

/* Counts that are not marked are the same, whether work-groups are run or not. */
static int compare_known(const struct gcal_count_request *request,
                         const struct gcal_profile *sampled, struct gcal_error *err)
{
    struct gcal_count_request without = *request;
    struct gcal_profile *profile;
    int rc = 0;

    without.samples_places = false;
    if (!(profile = gcal_count(&without, err)))
        return -1;
    if (profile->n_entries != sampled->n_entries)
        rc = gcal_error_set(err, GCAL_EINPUT, "other entries");
    for (size_t i = 0; i < profile->n_entries && rc == 0; i++)
        if (strcmp(profile->entries[i].feature, sampled->entries[i].feature) != 0 ||
            (!profile->entries[i].estimated &&
             strcmp(profile->entries[i].count, sampled->entries[i].count) != 0))
            rc = gcal_error_set(err, GCAL_EINPUT, "%s differs",
                                profile->entries[i].feature);
    gcal_profile_destroy(profile);
    return rc;
}

/* What counting is given of the buffers: how many. */
static size_t give_contents(const struct style *style,
                            const struct gcal_count_signature *signature,
                            const struct style_value *values,
                            struct gcal_count_buffer *buffers)
{
    size_t n = 0;

    for (size_t i = 0; i < signature->n_args; i++)
        if (gcal_strings_contain(&style->contents, signature->args[i].name))
            buffers[n++] = (struct gcal_count_buffer){
                .argument = signature->args[i].name,
                .dtype = values[i].dtype,
                .data = values[i].data,
                .data_bytes = values[i].n_elements * gcal_dtype_size(values[i].dtype)
            };
    return n;
}

/* The profile that holds at a run's sizes, where it is counted for these alone. */
static struct gcal_profile *count_at(const struct style *style,
                                     const struct gcal_count_signature *signature,
                                     const struct style_value *values,
                                     const struct style_run *at, struct gcal_error *err)
{
    struct gcal_count_buffer buffers[signature->n_args + 1];
    struct gcal_count_request request = style_request(style, TOUCHES_LANES);
    struct gcal_profile *profile;
    char assume[400];
    size_t used = 0;

    request.sector_bytes = TOUCHES_SECTOR;
    request.n_banks = TOUCHES_BANKS;
    request.allow_estimates = true;
    request.n_buffers = give_contents(style, signature, values, buffers);
    request.buffers = buffers;
    if (style->at_sizes) {
        for (size_t i = 0; i < at->n_sizes; i++)
            used +=
                (size_t)snprintf(assume + used, sizeof(assume) - used, "%s%s = %.0f",
                                 i ? " and " : "", at->sizes[i].name, at->sizes[i].value);
        request.assume = assume;
        request.samples_places = true;
    }
    profile = gcal_count(&request, err);
    if (profile && style->at_sizes && compare_known(&request, profile, err) < 0) {
        gcal_profile_destroy(profile);
        profile = NULL;
    }
    return profile;
}

static int check(const struct style *style, struct gcal_error *err)
{
    struct gcal_count_request request = style_request(style, TOUCHES_LANES);
    struct gcal_count_signature signature = { 0 };
    struct gcal_profile *profile = NULL;
    int rc = gcal_count_signature_read(&request, &signature, err);

    for (size_t i = 0; i < style->n_runs && rc == 0; i++) {
        struct touches_run run = { .arrays = calloc(signature.n_args + 1,
                                                    sizeof(*run.arrays)) };
        const struct style_run *at = &style->runs[i];
        struct style_value *values = style_values_make(style, &signature, at, err);

        if (values && (style->at_sizes || i == 0)) {
            gcal_profile_destroy(profile);
            profile = count_at(style, &signature, values, at, err);
        }
        rc = profile && run.arrays && values
                 ? enumerate(style, &signature, at, values, &run, err)
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

/* What random expressions are made of: ids, sizes, and how many values they have. */
struct leaf {
    const char *text;
    int below;
};

struct leaves {
    size_t n;
    struct leaf all[8];
};

/* Appends an expression of values of at least 0; its values are below the one returned. */
static int append(char *text, size_t size, int depth, const struct leaves *leaves)
{
    static const int powers[] = { 2, 4, 8, 16, 32, 64, 128, 256, 1024 };
    static const int others[] = { 3, 5, 7, 9, 12, 24, 28, 48, 96, 100, 192 };
    char inner[400];
    int n, most, number = pick(3) ? powers[pick(9)] : others[pick(11)];

    if (depth == 0) {
        const struct leaf *leaf = &leaves->all[pick(4) ? 0 : pick((int)leaves->n)];

        snprintf(text, size, "%s", leaf->text);
        return leaf->below;
    }
    most = append(inner, sizeof(inner), depth - 1, leaves);
    switch (pick(10)) {
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
    case 7: {
        static const char *const comparisons[] = { "==", "<", ">=", "!=" };
        const struct leaf *leaf = &leaves->all[pick((int)leaves->n)];
        char other[400];
        int more = append(other, sizeof(other), depth - 1, leaves),
            at = pick(leaf->below);

        snprintf(text, size, "(%s %s %d ? %s : %s)", leaf->text, comparisons[pick(4)],
                 pick(2) ? at : 0, inner, other);
        return most > more ? most : more;
    }
    default: {
        char other[400];
        int more = append(other, sizeof(other), depth - 1, leaves);

        snprintf(text, size, "(%s) + (%s)", inner, other);
        return most + more - 1;
    }
    }
}

/* Writes the kernel's launch as it is, or with its sizes as symbols. */
static void describe(struct style *style, char texts[2][20], const size_t *groups,
                     bool symbolic)
{
    static char names[2][2] = { "n", "m" };

    for (size_t d = 0; d < style->n_dims; d++) {
        size_t size = style->local_size[d] * groups[d];

        snprintf(texts[d], 20, "%zu", size);
        style->global_size[d] = texts[d];
        if (!symbolic)
            continue;
        snprintf(texts[d], 20, "%zu*%s", style->local_size[d], names[d]);
        style->runs[0].sizes[style->runs[0].n_sizes++] =
            (struct gcal_size){ names[d], (double)groups[d] };
    }
}

/* Estimates for any sizes are those of typical ones. */
enum { WITHIN_OF_SIZES = 2 };

static size_t check_random(unsigned number, double within)
{
    static const size_t locals[][2] = { { 32, 1 },  { 64, 1 },  { 96, 1 },
                                        { 128, 1 }, { 256, 1 }, { 16, 16 },
                                        { 32, 4 },  { 8, 8 },   { 64, 2 } };
    static const char *const types[] = { "int", "uint", "size_t" };
    char index[900], other[900], source[4000], texts[2][20];
    struct style style = { .file = "random.cl",
                           .source = source,
                           .allow_estimates = true,
                           .n_runs = 1,
                           .n_arguments = 1,
                           .arguments = { { "in", "300000", NULL } } };
    struct leaves leaves = { 0 };
    size_t groups[2] = { 1, 1 }, before = tally.n_wrong, failed, shape;
    struct gcal_error err = { 0 };
    const char *type;
    bool symbolic;
    int width;

    random_state = number * 7919u + 12345u;
    pick(2);
    shape = (size_t)pick(9);
    style.n_dims = shape < 5 ? 1 : 2;
    for (size_t d = 0; d < 2; d++)
        style.local_size[d] = locals[shape][d];
    if (style.n_dims == 1) {
        groups[0] = (size_t)(pick(4) ? 1 + pick(40) : 200 + pick(400));
    } else {
        groups[0] = (size_t)(1 + pick(12));
        groups[1] = (size_t)(1 + pick(12));
    }
    symbolic = pick(3) == 0;
    type = types[pick(3)];
    width = (int)(style.local_size[0] * groups[0]);
    leaves.all[leaves.n++] = (struct leaf){ "g", width };
    leaves.all[leaves.n++] = (struct leaf){ "l", (int)style.local_size[0] };
    leaves.all[leaves.n++] = (struct leaf){ "b", (int)groups[0] };
    if (style.n_dims == 2) {
        leaves.all[0] =
            (struct leaf){ "i", width * (int)(style.local_size[1] * groups[1]) };
        leaves.all[leaves.n++] = (struct leaf){ "g", width };
        leaves.all[leaves.n++] =
            (struct leaf){ "h", (int)(style.local_size[1] * groups[1]) };
        leaves.all[leaves.n++] = (struct leaf){ "k", (int)style.local_size[1] };
        leaves.all[leaves.n++] = (struct leaf){ "c", (int)groups[1] };
    }
    append(index, sizeof(index), 1 + pick(3), &leaves);
    append(other, sizeof(other), 1 + pick(2), &leaves);
    snprintf(source, sizeof(source),
             "kernel void f(global float *out, global const float *in%s)\n{\n"
             "    local float s[4096];\n"
             "    %s g = get_global_id(0), l = get_local_id(0), b = get_group_id(0);\n"
             "    %s h = get_global_id(1), k = get_local_id(1), c = get_group_id(1);\n"
             "    %s i = h * %s + g;\n"
             "    out[i] = in[%s] + s[(%s) & 2047];\n}\n",
             symbolic ? style.n_dims == 2 ? ", int n, int m" : ", int n" : "", type, type,
             type, symbolic ? "get_global_size(0)" : "WIDTH", index, other);
    if (!symbolic) {
        char *at = strstr(source, "WIDTH");
        char text[8];

        snprintf(text, sizeof(text), "%5d", width);
        memcpy(at, text, 5);
    }
    describe(&style, texts, groups, symbolic);
    if (tally.verbose)
        printf("%s  local %zu,%zu, global %s,%s at %zu,%zu\n", source,
               style.local_size[0], style.local_size[1], style.global_size[0],
               style.n_dims == 2 ? style.global_size[1] : "1", groups[0], groups[1]);
    tally.within = symbolic ? WITHIN_OF_SIZES * within : within;
    failed = check(&style, &err) < 0;
    if (failed || tally.n_wrong > before)
        printf("%u: %s\n%s  local %zu,%zu, global %s,%s at %zu,%zu\n\n", number, err.text,
               source, style.local_size[0], style.local_size[1], style.global_size[0],
               style.n_dims == 2 ? style.global_size[1] : "1", groups[0], groups[1]);
    return failed;
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
            n_failed += check_random(i, atof(argv[2]));
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
