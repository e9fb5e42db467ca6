/* test_oracle.c - counts of a catalogue's kernels against Oclgrind
 *
 *   test_oracle [--sample] FOLDER [GENERATOR]...
 *
 * FOLDER may be "-": the built-in catalogue.  All kernels of each generator, at the sizes
 * of their check and at others close to them.  --sample: a sample of them (variants.h), the
 * others at about half the size.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "kernels/generate/private.h"
#include "tests/kernels/count/oracle/oracle.h"
#include "tests/kernels/generate/variants.h"

struct jobs {
    size_t n, capacity;
    struct oracle_job *items;
};

static void die(const char *what, const struct gcal_error *err)
{
    fprintf(stderr, "%s: %s\n", what, err->text);
    exit(1);
}

static void add_job(struct jobs *jobs, const struct gcal_kernel *kernel,
                    const struct gcal_size *sizes)
{
    struct gcal_error err = { 0 };
    struct oracle_job *moved =
        gcal_array_grow(jobs->items, jobs->n, &jobs->capacity, sizeof(*moved), &err);

    if (!moved)
        die("jobs", &err);
    jobs->items = moved;
    moved[jobs->n++] =
        (struct oracle_job){ kernel, kernel->assume, kernel->n_check_sizes, sizes };
}

/* ---- other sizes ---- */

/* Sizes that are scalars of the kernel get the values that these follow to, which are those
 * that it runs with.
 */
static bool fits(const struct gcal_kernel *k, struct gcal_size *sizes)
{
    struct gcal_geometry geometry = { 0 };
    size_t n = k->n_check_sizes;
    bool good = gcal_kernel_geometry(k, n, sizes, &geometry, NULL) == 0;

    for (size_t a = 0; good && a < k->n_args; a++)
        for (size_t i = 0; i < n && k->args[a].kind == GCAL_ARG_SCALAR; i++)
            if (strcmp(sizes[i].name, k->args[a].name) == 0)
                sizes[i].value = trunc(geometry.arg_values[a]);
    good = good && gcal_kernel_check_assume(k->assume, n, sizes, NULL) == 0;
    gcal_kernel_geometry_clear(&geometry);
    return good;
}

/* Alternative values of a size: the half, rounded down, is quick; other remainders first, then
 * multiples.
 */
static double other_value(double value, size_t which)
{
    const double values[] = { floor(value / 2), value + 1,     value * 2 / 3,
                              value / 2,        value * 3 / 2, value * 2 };

    return values[which];
}

enum { N_SMALL = 4, N_VALUES = 6 };

static bool change_size(const struct gcal_kernel *k, struct gcal_size *sizes, size_t i,
                        size_t first, size_t end)
{
    double value = sizes[i].value;

    for (size_t j = first; j < end; j++) {
        sizes[i].value = other_value(value, j);
        if (sizes[i].value >= 1 && sizes[i].value == floor(sizes[i].value) &&
            fits(k, sizes) && sizes[i].value != value)
            return true;
    }
    sizes[i].value = value;
    return false;
}

/* For sizes that must keep their relation. */
static bool change_all(const struct gcal_kernel *k, struct gcal_size *sizes, size_t first)
{
    for (size_t j = first; j < N_VALUES; j++) {
        bool whole = true;

        for (size_t i = 0; i < k->n_check_sizes; i++) {
            sizes[i].value = other_value(k->check_sizes[i].value, j);
            whole =
                whole && sizes[i].value >= 1 && sizes[i].value == floor(sizes[i].value);
        }
        if (whole && fits(k, sizes))
            return true;
    }
    return false;
}

static void add_other_sizes(struct jobs *jobs, const struct gcal_kernel *k, bool half)
{
    struct gcal_error err = { 0 };
    struct gcal_size *sizes = calloc(k->n_check_sizes + 1, sizeof(*sizes));
    bool changed = false;
    size_t first = half ? 0 : 1;

    if (!sizes)
        exit(1);
    for (size_t i = 0; i < k->n_check_sizes; i++)
        sizes[i] = k->check_sizes[i];
    /* in a sample, no size gets a larger value where others change by smaller ones */
    for (size_t end = half ? N_SMALL : N_VALUES; end <= N_VALUES && !changed;
         end += N_VALUES - N_SMALL)
        for (size_t i = 0; i < k->n_check_sizes; i++)
            changed = change_size(k, sizes, i, first, end) || changed;
    if (k->n_check_sizes && !(changed && fits(k, sizes)) &&
        !change_all(k, sizes, first)) {
        gcal_error_set(&err, GCAL_EINPUT, "no second set of sizes");
        die(k->name, &err);
    }
    if (k->n_check_sizes)
        add_job(jobs, k, sizes); /* which keeps them */
    else
        free(sizes);
}

/* ---- all variants ---- */

static bool has_images(const struct gcal_kernel *kernel)
{
    for (size_t i = 0; i < kernel->n_args; i++)
        if (kernel->args[i].channels)
            return true;
    return false;
}

/* Kernels that need estimates have no profile yet. */
static struct gcal_kernel *make_kernel(const struct gcal_generator_setting *setting,
                                       struct gcal_error *err)
{
    struct gcal_kernel *kernel = gcal_kernel_create(setting, err);

    if (kernel && gcal_kernel_finish(setting, kernel, NULL, err) < 0 &&
        setting->generator->origin) {
        gcal_kernel_destroy(kernel);
        return NULL;
    }
    return kernel;
}

/* Where 'sampled', all of them at the sizes of the check, and the first of each generator
 * at others too; otherwise all at both.  Of kernels with work removed one is enough, at other
 * sizes, the first (all loads) or the second (one load) as 'which' is even or odd:
 * test_remove_oracle.c has more.
 */
static void add_variants(struct jobs *jobs, const struct gcal_generator *g, bool sampled,
                         size_t which)
{
    bool removed = gcal_strings_contain(&g->tags, "work_removed");
    struct variants variants = { 0 };
    struct gcal_error err = { 0 };

    if ((sampled ? variants_choose(g, false, &variants, &err)
                 : variants_all(g, &variants, &err)) < 0)
        die(g->name, &err);
    which %= variants.n > 1 ? 2 : 1;
    for (size_t i = 0; i < variants.n; i++) {
        struct gcal_generator_setting setting = { .generator = g,
                                                  .values = variants.values[i] };
        struct gcal_kernel *kernel;

        if (sampled && removed && i != which)
            continue;
        if (!(kernel = make_kernel(&setting, &err)))
            die(g->name, &err);
        /* no source to count; Oclgrind is given buffers alone, and knows no assembly of a GPU's */
        if (gcal_kernel_is_transfer(kernel) || has_images(kernel) ||
            strstr(kernel->source, "__asm__")) {
            gcal_kernel_destroy(kernel);
            continue;
        }
        if (!sampled || !removed || !kernel->n_check_sizes)
            add_job(jobs, kernel, kernel->check_sizes);
        if (!sampled || i == 0 || removed)
            add_other_sizes(jobs, kernel, sampled);
    }
    variants_clear(&variants);
}

static void free_jobs(struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->n; i++) {
        const struct oracle_job *job = &jobs->items[i];

        if (job->sizes != job->kernel->check_sizes)
            free((void *)job->sizes);
    }
    for (size_t i = 0; i < jobs->n; i++)
        if (i == 0 || jobs->items[i].kernel != jobs->items[i - 1].kernel)
            gcal_kernel_destroy((struct gcal_kernel *)jobs->items[i].kernel);
    free(jobs->items);
}

int main(int argc, char **argv)
{
    bool sampled = argc > 1 && strcmp(argv[1], "--sample") == 0;
    int at = sampled ? 2 : 1;
    struct gcal_error err = { 0 };
    struct gcal_catalogue *catalogue;
    struct jobs jobs = { 0 };
    size_t n_failed;

    if (at >= argc) {
        fprintf(stderr, "usage: test_oracle [--sample] FOLDER [GENERATOR]...\n");
        return 1;
    }
    if (!oracle_is_there())
        return 77; /* skipped */
    catalogue = gcal_catalogue_open(strcmp(argv[at], "-") == 0 ? NULL : argv[at], &err);
    if (!catalogue)
        die(argv[at], &err);
    /* a target kernel and its derived kernels are four in a row */
    for (size_t i = 0; i < catalogue->n_generators; i++)
        if (variants_is_wanted(catalogue->generators[i]->name, argc - at - 1,
                               argv + at + 1))
            add_variants(&jobs, catalogue->generators[i], sampled, i / 4);
    n_failed = oracle_check(jobs.n, jobs.items);
    printf("%zu runs, %zu failed\n", jobs.n, n_failed);
    n_failed += jobs.n == 0;
    free_jobs(&jobs);
    gcal_catalogue_close(catalogue);
    return n_failed ? 1 : 0;
}
