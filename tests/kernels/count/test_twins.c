/* test_twins.c - kernels of a catalogue that are written in CUDA as well: the same counts
 *
 *   test_twins FOLDER TWINS [NAME]...
 *
 * TWINS/NAME.cu is the kernel of the catalogue's entry NAME in another language, with arguments of
 * the same names.  Its first line names it: "kernel: gemm<float, 16>", where macros are those of
 * the entry, or "kernel: gemm; no macros".  Without work on indices, whose types differ (get_global_id() is a size_t, blockIdx.x
 * an unsigned), all entries must be equal, except where they are in the sources.  Run on the host,
 * both must compute the same.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/count/count.h"
#include "kernels/generate/private.h"
#include "kernels/interpret/interpret.h"
#include "kernels/model/dtype.h"
#include "kernels/model/profile.h"
#include "tests/kernels/count/oracle/oracle.h"
#include "tests/kernels/generate/variants.h"

enum { MOST_ARGUMENTS = 32 };

/* An entry of a profile: 'key' without its count and place, 'text' with the count. */
struct line {
    char *key, *text;
    double value; /* at the sizes of the check */
};

struct lines {
    size_t n;
    struct line *all;
};

static void clear(struct lines *lines)
{
    for (size_t i = 0; i < lines->n; i++) {
        free(lines->all[i].key);
        free(lines->all[i].text);
    }
    free(lines->all);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(((const struct line *)a)->text, ((const struct line *)b)->text);
}

static bool is_size(const struct gcal_kernel *k, const char *name)
{
    for (size_t i = 0; i < k->n_check_sizes; i++)
        if (strcmp(k->check_sizes[i].name, name) == 0)
            return true;
    return false;
}

static int list_counts(const struct gcal_count_request *request,
                       const struct gcal_kernel *k, struct lines *lines,
                       struct gcal_error *err)
{
    struct gcal_profile *p = gcal_count(request, err);
    enum { MOST = 32 };
    struct gcal_size sizes[MOST];
    size_t n = 0;
    int rc = p ? 0 : -1;

    for (size_t i = 0; i < k->n_check_sizes; i++)
        sizes[n++] = k->check_sizes[i];
    sizes[n++] = (struct gcal_size){ .name = "wave_groups", .value = 3 };
    for (size_t i = 0; p && i < p->n_parameters && n < MOST;
         i++) /* trips that are data */
        if (!is_size(k, p->parameters[i]))
            sizes[n++] = (struct gcal_size){ .name = p->parameters[i], .value = 7 };
    lines->all = p ? calloc(p->n_entries + 1, sizeof(*lines->all)) : NULL;
    for (size_t i = 0; lines->all && i < p->n_entries && rc == 0; i++) {
        const struct gcal_profile_entry *e = &p->entries[i];
        struct line *line = &lines->all[lines->n++];
        char *fmin = strstr(e->feature, "_fmin"); /* what CUDA calls min() */

        if (fmin)
            memmove(fmin + 1, fmin + 2, strlen(fmin + 1));
        line->key =
            gcal_buf_format("%s of %s", e->feature, e->array ? e->array : "nothing");
        line->text = gcal_buf_format("%s: %s%s, ways %zu%s%s", line->key,
                                     e->estimated ? "about " : "", e->count, e->bank_ways,
                                     e->afr_premise ? ", if " : "",
                                     e->afr_premise ? e->afr_premise : "");
        rc = line->key && line->text ? oracle_value(e->count, n, sizes, &line->value, err)
                                     : -1;
    }
    if (rc == 0)
        qsort(lines->all, lines->n, sizeof(*lines->all), compare_texts);
    gcal_profile_destroy(p);
    return rc;
}

static double sum(const struct lines *lines, const char *key)
{
    double sum = 0;

    for (size_t i = 0; i < lines->n; i++)
        if (strcmp(lines->all[i].key, key) == 0)
            sum += lines->all[i].value;
    return sum;
}

/* Prints the lines that one has and the other has not, and returns their number; but not those whose
 * sums are equal: one may have in one place, a lambda or a function, what the other has in two.
 */
static size_t differ(const struct lines *a, const struct lines *b)
{
    size_t i = 0, k = 0, n = 0;

    while (i < a->n || k < b->n) {
        int order = i == a->n   ? 1
                    : k == b->n ? -1
                                : strcmp(a->all[i].text, b->all[k].text);
        const struct line *line = order < 0 ? &a->all[i] : &b->all[k];

        if (order &&
            !(fabs(sum(a, line->key) - sum(b, line->key)) <= 1e-9 * sum(a, line->key))) {
            printf("  %s: %s\n", order < 0 ? "OpenCL" : "CUDA  ", line->text);
            n++;
        }
        i += order <= 0;
        k += order >= 0;
    }
    return n;
}

/* Runs the kernel on the host; the arguments' data are the caller's to free. */
static int run(const struct gcal_count_request *request, const struct gcal_kernel *k,
               const struct gcal_geometry *g, struct gcal_interp_arg *args,
               struct gcal_error *err)
{
    struct gcal_interp_arg given[MOST_ARGUMENTS];
    size_t n = 0;

    for (size_t i = 0; i < k->n_args; i++) {
        const struct gcal_arg *arg = &k->args[i];
        size_t count = (size_t)g->arg_values[i];

        args[i] = (struct gcal_interp_arg){ .dtype = arg->dtype, .count = count };
        if (arg->kind == GCAL_ARG_LOCAL && request->language == GCAL_SOURCE_CUDA)
            continue; /* extern __shared__ */
        if (arg->kind == GCAL_ARG_SCALAR) {
            if (!(args[i].data = calloc(1, sizeof(double))))
                abort();
            args[i].count = 0;
            if (arg->dtype[0] == 'f' && gcal_dtype_size(arg->dtype) == 4)
                *(float *)args[i].data = (float)g->arg_values[i];
            else if (arg->dtype[0] == 'f')
                *(double *)args[i].data = g->arg_values[i];
            else
                *(int64_t *)args[i].data = (int64_t)g->arg_values[i];
        } else {
            if (!(args[i].data = calloc(count + 1, gcal_dtype_size(arg->dtype))))
                abort();
            if (gcal_dtype_fill_range(i + 1, arg->dtype, &g->arg_ranges[i], count,
                                      args[i].data) < 0)
                abort();
        }
        given[n++] = args[i];
    }
    return gcal_interp_run_kernel(request, g->global_size, n, given, err);
}

/* Returns in how many buffers the two leave other values. */
static long run_both(const struct gcal_count_request *request,
                     const struct gcal_count_request *twin, const struct gcal_kernel *k,
                     struct gcal_error *err)
{
    struct gcal_interp_arg args[2][MOST_ARGUMENTS] = { 0 };
    struct gcal_geometry g;
    long n = -1;

    if (k->n_args > MOST_ARGUMENTS ||
        gcal_kernel_geometry(k, k->n_check_sizes, k->check_sizes, &g, err) < 0)
        return -1;
    if (run(request, k, &g, args[0], err) == 0 && run(twin, k, &g, args[1], err) == 0) {
        n = 0;
        for (size_t i = 0; i < k->n_args; i++)
            if (k->args[i].kind == GCAL_ARG_BUFFER &&
                memcmp(args[0][i].data, args[1][i].data,
                       args[0][i].count * gcal_dtype_size(args[0][i].dtype)) != 0) {
                printf("  other values in %s\n", k->args[i].name);
                n++;
            }
    }
    for (size_t i = 0; i < k->n_args; i++) {
        free(args[0][i].data);
        free(args[1][i].data);
    }
    gcal_kernel_geometry_clear(&g);
    return n;
}

/* The same where sizes are facts, and what is not known of places is looked at in a sample. */
static long compare_at_sizes(struct gcal_count_request *request,
                             struct gcal_count_request *twin, const struct gcal_kernel *k,
                             struct gcal_error *err)
{
    struct lines lines[2] = { { 0 } };
    struct gcal_buf assume = { 0 };
    long n = -1;

    for (size_t i = 0; i < k->n_check_sizes; i++)
        gcal_buf_printf(&assume, "%s%s = %.0f", i ? " and " : "", k->check_sizes[i].name,
                        k->check_sizes[i].value);
    request->assume = twin->assume = assume.data;
    request->samples_places = twin->samples_places = true;
    if (list_counts(request, k, &lines[0], err) == 0 &&
        list_counts(twin, k, &lines[1], err) == 0)
        n = (long)differ(&lines[0], &lines[1]);
    clear(&lines[0]);
    clear(&lines[1]);
    gcal_buf_free(&assume);
    return n;
}

/* Returns how many lines and results differ. */
static long compare(const struct gcal_generator *g, char *twin, const char *file,
                    struct gcal_error *err)
{
    static const char start[] = "/* kernel: ";
    struct variants variants = { 0 };
    struct lines lines[2] = { { 0 } };
    struct gcal_kernel *k = NULL;
    long n = -1;

    if (variants_choose(g, false, &variants, err) == 0 && variants.n) {
        struct gcal_generator_setting setting = { .generator = g,
                                                  .values = variants.values[0] };

        k = gcal_kernel_create(&setting, err);
    }
    if (k && strncmp(twin, start, strlen(start)) == 0) {
        struct gcal_count_request request = gcal_kernel_request(k), first;
        char *name = strndup(twin + strlen(start), strcspn(twin + strlen(start), ";\n"));

        request.sub_group_size = request.n_banks = request.sector_bytes = 32;
        request.allow_estimates = true;
        request.estimate_passes = true;
        first = request;
        if (list_counts(&request, k, &lines[0], err) == 0) {
            request.source = twin;
            request.file = file;
            request.language = GCAL_SOURCE_CUDA;
            request.kernel = name;
            if (name && twin[strlen(start) + strlen(name)] == ';')
                request.build_options = "";
            if (name && list_counts(&request, k, &lines[1], err) == 0)
                n = (long)differ(&lines[0], &lines[1]);
            if (n == 0)
                n = run_both(&first, &request, k, err);
            if (n == 0)
                n = compare_at_sizes(&first, &request, k, err);
        }
        free(name);
    }
    clear(&lines[0]);
    clear(&lines[1]);
    gcal_kernel_destroy(k);
    variants_clear(&variants);
    return n;
}

int main(int argc, char **argv)
{
    struct gcal_error err = { 0 };
    struct gcal_catalogue *catalogue;
    size_t n_twins = 0, n_wrong = 0;

    if (argc < 3) {
        fprintf(stderr, "usage: test_twins FOLDER TWINS [NAME]...\n");
        return 1;
    }
    if (!(catalogue = gcal_catalogue_open(argv[1], &err))) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    for (size_t i = 0; i < catalogue->n_generators; i++) {
        const struct gcal_generator *g = catalogue->generators[i];
        char *file = gcal_buf_format("%s/%s.cu", argv[2], g->name);
        size_t size;
        char *twin = file ? gcal_file_read(file, 1 << 20, &size, NULL) : NULL;
        struct gcal_error failed = { 0 };
        long n = 0;

        if (twin && variants_is_wanted(g->name, argc - 3, argv + 3)) {
            printf("%s\n", g->name);
            n_twins++;
            if ((n = compare(g, twin, file, &failed)) < 0)
                printf("  FAILED %s\n", failed.text);
            n_wrong += n != 0;
        }
        free(twin);
        free(file);
    }
    printf("%zu twins, %zu of them differ\n", n_twins, n_wrong);
    gcal_catalogue_close(catalogue);
    return n_wrong || !n_twins ? 1 : 0;
}
