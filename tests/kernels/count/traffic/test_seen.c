/* test_seen.c - traffic of a catalogue's kernels against enumeration, access by access
 *
 *   test_seen FOLDER WITHIN [-v] [GENERATOR[=FACTOR[,SIZE:VALUE]...]]...
 *
 * The host interpreter runs each kernel with its defaults at the sizes of its check, times
 * FACTOR, or with the values given, for sub-groups of 32 and sectors of 32 bytes.  The
 * sums over all accesses to an array must be equal, or where they are estimates, at most
 * the factor WITHIN apart.  Arrays with atomics are left out.  -v prints all.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/array.h"
#include "calib/base/error.h"
#include "calib/model/dtype.h"
#include "calib/model/profile.h"
#include "kernels/count/count.h"
#include "kernels/generate/private.h"
#include "kernels/interpret/interpret.h"
#include "tests/kernels/count/oracle/oracle.h"
#include "tests/kernels/generate/variants.h"

enum { LANES = 32, SECTOR = 32, LINE = 128 };

/* ---- what is touched ---- */

enum what { SECTORS, LOOP_SECTORS, LINES, BY_GROUP, BY_LAUNCH, N_WHAT };

static const struct quantity {
    enum gcal_feature_kind kind;
    const char *name;
} quantities[N_WHAT] = { { GCAL_FEATURE_SECTOR, "sectors" },
                         { GCAL_FEATURE_LOOP_SECTOR, "sectors of loops" },
                         { GCAL_FEATURE_LINE, "lines" },
                         { GCAL_FEATURE_FOOTPRINT_GROUP, "sectors of groups" },
                         { GCAL_FEATURE_FOOTPRINT_LAUNCH, "sectors of the launch" } };

/* A block of memory, as part of an execution, or of what a group or all touch. */
struct touch {
    uint64_t within;
    int64_t block;
};

struct touches {
    size_t n, capacity, n_sorted;
    struct touch *all;
};

struct array {
    const void *base;
    const char *name;
    bool used[2];
    struct touches of[2][N_WHAT]; /* by direction: loads, stores */
};

struct enumeration {
    size_t n;
    struct array *arrays;
    bool failed;
};

static int compare_touches(const void *a, const void *b)
{
    const struct touch *x = a, *y = b;

    if (x->within != y->within)
        return x->within < y->within ? -1 : 1;
    return (x->block > y->block) - (x->block < y->block);
}

static void sort(struct touches *t)
{
    size_t n = 0;

    qsort(t->all, t->n, sizeof(*t->all), compare_touches);
    for (size_t i = 0; i < t->n; i++)
        if (i == 0 || compare_touches(&t->all[i], &t->all[n - 1]) != 0)
            t->all[n++] = t->all[i];
    t->n = t->n_sorted = n;
}

static void touch(struct enumeration *all, struct touches *t, uint64_t within,
                  int64_t block)
{
    struct touch *moved;

    if (t->n && t->all[t->n - 1].within == within && t->all[t->n - 1].block == block)
        return;
    if (t->n == t->capacity && t->n > 2 * t->n_sorted + 100000)
        sort(t);
    moved = gcal_array_grow(t->all, t->n, &t->capacity, sizeof(*moved), NULL);
    if (!moved) {
        all->failed = true;
        return;
    }
    t->all = moved;
    moved[t->n++] = (struct touch){ within, block };
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    a = (a ^ b) * 0x9e3779b97f4a7c15;
    return (a ^ a >> 29) * 0xbf58476d1ce4e5b9 ^ a >> 32;
}

static void observe(void *context, const struct gcal_interp_execution *e)
{
    struct enumeration *all = context;
    uint64_t sub_group =
        mix((uint64_t)(uintptr_t)e->place, e->group << 8 | e->item / LANES);
    uint64_t execution = mix(sub_group, e->instance),
             loop = mix(e->loop, e->group << 8 | e->item / LANES);
    struct array *array = all->arrays;
    bool store = e->kind == GCAL_INTERP_EXECUTION_STORE;

    if (e->kind != GCAL_INTERP_EXECUTION_LOAD && !store)
        return;
    while (array < all->arrays + all->n && array->base != e->base)
        array++;
    if (array == all->arrays + all->n)
        return;
    array->used[store] = true;
    for (int64_t at = e->offset / SECTOR;
         at <= (e->offset + (int64_t)e->bytes - 1) / SECTOR; at++) {
        touch(all, &array->of[store][SECTORS], execution, at);
        touch(all, &array->of[store][LOOP_SECTORS], loop, at);
        touch(all, &array->of[store][LINES], execution, at / (LINE / SECTOR));
        touch(all, &array->of[store][BY_GROUP], e->group, at);
        touch(all, &array->of[store][BY_LAUNCH], 0, at);
    }
}

static void clear(struct enumeration *all)
{
    for (size_t i = 0; i < all->n; i++)
        for (size_t k = 0; k < 2 * N_WHAT; k++)
            free(all->arrays[i].of[k / N_WHAT][k % N_WHAT].all);
    free(all->arrays);
}

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
        const struct gcal_dtype_range range = { value, value, false };

        return gcal_dtype_fill_range(1, arg->dtype, &range, 1, arg->data);
    }
    return gcal_dtype_fill_range(i + 1, arg->dtype, &geometry->arg_ranges[i], n,
                                 arg->data);
}

static int run(const struct gcal_kernel *k, size_t n_sizes, const struct gcal_size *sizes,
               struct enumeration *all, struct gcal_error *err)
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
                (struct array){ .base = args[i].data, .name = k->args[i].name };
    }
    if (rc == 0)
        rc = gcal_interp_observe_kernel(&request, geometry.global_size, k->n_args, args,
                                        observe, all, err);
    for (size_t i = 0; args && i < k->n_args; i++)
        free(args[i].data);
    free(args);
    gcal_kernel_geometry_clear(&geometry);
    return rc < 0 || !all->failed ? rc : gcal_error_memory(err);
}

/* ---- comparing ---- */

static double within = 1.3;
static bool verbose;
static size_t n_equal, n_near, n_wrong;

static bool has_atomics(const struct gcal_profile *p, const char *array)
{
    for (size_t i = 0; i < p->n_entries; i++)
        if (p->entries[i].kind == GCAL_FEATURE_ATOMIC &&
            strcmp(p->entries[i].array, array) == 0)
            return true;
    return false;
}

static int compare(const struct gcal_profile *p, size_t n_sizes,
                   const struct gcal_size *sizes, struct array *array, bool store,
                   enum what what, struct gcal_error *err)
{
    double counted = 0, seen, ratio;
    bool estimated = false, good;

    for (size_t i = 0; i < p->n_entries; i++) {
        const struct gcal_profile_entry *e = &p->entries[i];
        double value;

        if (e->kind != quantities[what].kind || strcmp(e->array, array->name) != 0 ||
            (e->direction == GCAL_FEATURE_STORE) != store)
            continue;
        if (oracle_value(e->count, n_sizes, sizes, &value, err) < 0)
            return -1;
        counted += value;
        estimated = estimated || e->estimated;
    }
    sort(&array->of[store][what]);
    seen = (double)array->of[store][what].n;
    ratio = counted / seen;
    good = estimated ? ratio <= within && ratio >= 1 / within
                     : fabs(counted - seen) < 1e-6 * seen + 1e-6;
    n_equal += good && !estimated;
    n_near += good && estimated;
    n_wrong += !good;
    if (!good || verbose)
        printf("  %s %s of %s of %s: %g%s, seen %g: %.3f\n", good ? "     " : "WRONG",
               quantities[what].name, store ? "stores" : "loads", array->name, counted,
               estimated ? " (estimated)" : "", seen, ratio);
    return 0;
}

static int compare_all(const struct gcal_kernel *k, size_t n_sizes,
                       const struct gcal_size *sizes, struct enumeration *all,
                       struct gcal_error *err)
{
    struct gcal_count_request request = gcal_kernel_request(k);
    struct gcal_count_extent extents[k->n_args + 1];
    struct gcal_profile *p;
    int rc = 0;

    request.sub_group_size = LANES;
    request.sector_bytes = SECTOR;
    request.allow_estimates = true;
    request.n_extents = gcal_kernel_extents(k, extents);
    request.extents = extents;
    if (!(p = gcal_count(&request, err)))
        return -1;
    for (size_t i = 0; i < all->n; i++)
        for (int store = 0; store < 2; store++)
            for (int what = 0; what < N_WHAT && rc == 0; what++)
                if (all->arrays[i].used[store] && !has_atomics(p, all->arrays[i].name))
                    rc = compare(p, n_sizes, sizes, &all->arrays[i], store,
                                 (enum what)what, err);
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
    struct enumeration all = { 0 };
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
    clear(&all);
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
    within = atof(argv[2]);
    verbose = argc > 3 && strcmp(argv[3], "-v") == 0;
    first += verbose;
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
    printf("%zu equal, %zu near, %zu wrong, %zu kernels failed\n", n_equal, n_near,
           n_wrong, n_failed);
    gcal_catalogue_close(catalogue);
    return n_wrong || n_failed || !(n_equal + n_near) ? 1 : 0;
}
