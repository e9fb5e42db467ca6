/* test_seen.c - traffic of a catalogue's kernels against enumeration, access by access
 *
 *   test_seen FOLDER WITHIN [-v] [GENERATOR[=FACTOR[,SIZE:VALUE]...]]...
 *
 * The host interpreter runs each kernel with its defaults at the sizes of its check, times
 * FACTOR, or with the values given, for sub-groups of 32 and sectors of 32 bytes.  The
 * sums over all accesses to an array must be equal, or where they are estimates, at most
 * the factor WITHIN apart.  Arrays with atomics are left out.  -v prints all.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"
#include "kernels/generate/private.h"
#include "kernels/interpret/interpret.h"
#include "tests/kernels/count/traffic/touches.h"
#include "tests/kernels/generate/variants.h"

/* ---- running ---- */

/* Fills one argument; scalars are in 'scalar'. */
static int fill(const struct gcal_kernel *k, const struct gcal_geometry *geometry,
                size_t i, struct gcal_interp_arg *arg, struct gcal_error *err)
{
    double value = geometry->arg_values[i];
    size_t size = gcal_dtype_size(k->args[i].dtype);
    bool scalar = k->args[i].kind == GCAL_ARG_SCALAR;
    size_t n = scalar ? 1 : (size_t)value;

    arg->dtype = k->args[i].dtype;
    arg->count = scalar ? 0 : n;
    if (!(arg->data = calloc(n + 1, size)))
        return gcal_error_memory(err);
    if (scalar) {
        const struct gcal_dtype_range range = { value, value, false, NULL };

        return gcal_dtype_fill_range(1, arg->dtype, &range, 1, arg->data);
    }
    return gcal_dtype_fill_range(i + 1, arg->dtype, &geometry->arg_ranges[i], n,
                                 arg->data);
}

static int run(const struct gcal_kernel *k, size_t n_sizes, const struct gcal_size *sizes,
               struct touches_run *all, struct gcal_error *err)
{
    struct gcal_count_request request = gcal_kernel_request(k);
    struct gcal_interp_arg *args = calloc(k->n_args + 1, sizeof(*args));
    struct gcal_geometry geometry = { 0 };
    int rc = -1;

    all->arrays = calloc(k->n_args + 1, sizeof(*all->arrays));
    if (!args || !all->arrays)
        rc = gcal_error_memory(err);
    else
        rc = gcal_kernel_geometry(k, n_sizes, sizes, &geometry, err);
    for (size_t i = 0; i < k->n_args && rc == 0; i++) {
        rc = fill(k, &geometry, i, &args[i], err);
        if (k->args[i].kind == GCAL_ARG_BUFFER)
            all->arrays[all->n++] =
                (struct touches_array){ .base = args[i].data, .name = k->args[i].name };
    }
    if (rc == 0)
        rc = gcal_interp_observe_kernel(&request, geometry.global_size, k->n_args, args,
                                        touches_observe, all, err);
    for (size_t i = 0; args && i < k->n_args; i++)
        free(args[i].data);
    free(args);
    gcal_kernel_geometry_clear(&geometry);
    return rc < 0 || !all->failed ? rc : gcal_error_memory(err);
}

/* ---- comparing ---- */

static struct touches_tally tally;

static int compare_all(const struct gcal_kernel *k, size_t n_sizes,
                       const struct gcal_size *sizes, struct touches_run *all,
                       struct gcal_error *err)
{
    struct gcal_count_request request = gcal_kernel_request(k);
    struct gcal_count_buffer extents[k->n_args + 1];
    struct gcal_profile *p;
    int rc;

    request.sub_group_size = TOUCHES_LANES;
    request.sector_bytes = TOUCHES_SECTOR;
    request.allow_estimates = true;
    request.n_buffers = gcal_kernel_buffers(k, extents);
    request.buffers = extents;
    if (!(p = gcal_count(&request, err)))
        return -1;
    rc = touches_compare(p, n_sizes, sizes, all, &tally, err);
    gcal_profile_destroy(p);
    return rc;
}

/* ---- kernels ---- */

static void set_sizes(const char *text, const struct gcal_kernel *k,
                      struct gcal_size *sizes)
{
    double factor = text ? atof(text) : 1, given;

    for (size_t i = 0; i < k->n_check_sizes; i++) {
        char wanted[80];
        const char *at;

        sizes[i] = k->check_sizes[i];
        sizes[i].value *= factor ? factor : 1;
        snprintf(wanted, sizeof(wanted), ",%s:", sizes[i].name);
        if (text && (at = strstr(text, wanted)) &&
            sscanf(at + strlen(wanted), "%lf", &given) == 1)
            sizes[i].value = given;
    }
}

static int check(const struct gcal_generator *g, const char *text, struct gcal_error *err)
{
    struct variants variants = { 0 };
    struct gcal_kernel *k = NULL;
    struct touches_run all = { 0 };
    struct gcal_size sizes[32];
    int rc = -1;

    if (variants_choose(g, false, &variants, err) == 0 && variants.n) {
        struct gcal_generator_setting setting = { .generator = g,
                                                  .values = variants.values[0] };

        if ((k = gcal_kernel_create(&setting, err)) && !gcal_kernel_is_transfer(k)) {
            set_sizes(text, k, sizes);
            rc = run(k, k->n_check_sizes, sizes, &all, err);
            if (rc == 0)
                rc = compare_all(k, k->n_check_sizes, sizes, &all, err);
        }
    }
    touches_clear(&all);
    free(all.arrays);
    if (k)
        gcal_kernel_destroy(k);
    variants_clear(&variants);
    return rc;
}

/* What follows the generator's name in an argument, or NULL: it does not begin with it. */
static const char *sizes_of(const char *name, const char *wanted)
{
    size_t length = strlen(name);

    if (strncmp(wanted, name, length) != 0 || (wanted[length] && wanted[length] != '='))
        return NULL;
    return wanted + length + (wanted[length] == '=');
}

static void check_and_print(const struct gcal_generator *g, const char *text,
                            size_t *n_failed)
{
    struct gcal_error failed = { 0 };

    printf("%s %s\n", g->name, text);
    fflush(stdout);
    if (check(g, text, &failed) < 0) {
        ++*n_failed;
        printf("  FAILED %s\n", failed.text);
    }
}

int main(int argc, char **argv)
{
    struct gcal_error err = { 0 };
    struct gcal_catalogue *catalogue;
    int first = 3;
    const char *text;
    size_t n_failed = 0;

    if (argc < 3) {
        fprintf(stderr, "usage: test_seen FOLDER WITHIN [-v] [GENERATOR[=FACTOR]]...\n");
        return 1;
    }
    tally.within = atof(argv[2]);
    tally.verbose = argc > 3 && strcmp(argv[3], "-v") == 0;
    first += tally.verbose;
    if (!(catalogue = gcal_catalogue_open(argv[1], &err))) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    for (size_t i = 0; i < catalogue->n_generators; i++) {
        const struct gcal_generator *g = catalogue->generators[i];

        if (first == argc)
            check_and_print(g, "", &n_failed);
        for (int k = first; k < argc; k++)
            if ((text = sizes_of(g->name, argv[k])))
                check_and_print(g, text, &n_failed);
    }
    printf("%zu equal, %zu near, %zu wrong, %zu kernels failed\n", tally.n_equal,
           tally.n_near, tally.n_wrong, n_failed);
    gcal_catalogue_close(catalogue);
    return tally.n_wrong || n_failed || !(tally.n_equal + tally.n_near) ? 1 : 0;
}
