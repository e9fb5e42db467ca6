/* compare.c - pairs the kernels of two records and compares their times */
#include "calib/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "calib/compare/private.h"
#include "calib/results/results.h"
#include "kernels/generate/generate.h"

/* The level of intervals, and the fewest samples for one. */
#define LEVEL       0.9
#define MIN_SAMPLES 3

bool gcal_compare_ratio_differs(const struct gcal_compare_ratio *ratio)
{
    return ratio->low > 1 || ratio->high < 1;
}

/* ---- groups of kernels, by what they measure ---- */

static const struct {
    const char *tag, *group;
} groups[] = {
    { "flops", "arithmetic" },
    { "gmem", "global memory" },
    { "lmem", "local memory" },
    { "barrier_pattern", "barriers" },
    { "empty_kernel", "work-groups" },
    { "launch", "launch" },
    { "mix", "mixtures" },
    { "atomics", "atomics" },
    { "occupancy", "occupancy" },
    { "divergence", "divergence" },
    { "transfer", "transfers" },
    { "application", "applications" },
};

static const char *group_of(const struct gcal_catalogue *catalogue,
                            const struct gcal_run_kernel *kernel)
{
    if (kernel->origin.form != GCAL_KERNEL_COMPLETE)
        return kernel->origin.form == GCAL_KERNEL_ONCHIP ? "work on the chip"
                                                         : "global memory";
    for (size_t i = 0; i < gcal_catalogue_size(catalogue); i++) {
        struct gcal_generator_view view = gcal_catalogue_view(catalogue, i);

        if (strcmp(view.name, kernel->generator) != 0)
            continue;
        for (size_t k = 0; k < sizeof(groups) / sizeof(*groups); k++)
            if (gcal_generator_has_tag(&view, groups[k].tag))
                return groups[k].group;
    }
    return "others";
}

/* ---- a record's rows on devices that are compared ---- */

struct row {
    size_t device; /* the pair */
    const struct gcal_run_kernel *kernel;
    const struct gcal_result_row *row;
    double resolution_s; /* of the device's clock */
};

struct rows {
    struct gcal_result_rows all;
    size_t n, *pair; /* by device of the record */
    struct row *rows;
};

static int by_device_and_kernel(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if ((order = strcmp(x->kernel->name, y->kernel->name)))
        return order;
    if (x->kernel->n_sizes != y->kernel->n_sizes)
        return x->kernel->n_sizes < y->kernel->n_sizes ? -1 : 1;
    for (size_t i = 0; i < x->kernel->n_sizes; i++)
        if (x->kernel->size_values[i] != y->kernel->size_values[i])
            return x->kernel->size_values[i] < y->kernel->size_values[i] ? -1 : 1;
    return 0;
}

static int read_rows(const struct gcal_record *record, struct rows *r,
                     struct gcal_error *err)
{
    if (gcal_result_rows_read(record, &r->all, NULL, err) < 0)
        return -1;
    if (!(r->rows = calloc(r->all.n + 1, sizeof(*r->rows))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < r->all.n; i++) {
        const struct gcal_result_row *row = &r->all.rows[i];

        if (r->pair[row->device] == SIZE_MAX)
            continue;
        r->rows[r->n++] =
            (struct row){ .device = r->pair[row->device],
                          .kernel = &record->kernels[row->kernel],
                          .row = row,
                          .resolution_s =
                              record->devices[row->device].info.timer_resolution_s };
    }
    if (r->n)
        qsort(r->rows, r->n, sizeof(*r->rows), by_device_and_kernel);
    return 0;
}

static void rows_clear(struct rows *r)
{
    free(r->all.rows);
    free(r->rows);
    free(r->pair);
}

/* ---- a kernel in both ---- */

/* Relative standard error of the median, with that of a uniform rounding to the steps of
 * the clock.
 */
static double median_error(const struct row *row)
{
    return hypot(row->row->spread, row->resolution_s / row->row->time_s / sqrt(12));
}

static struct gcal_compare_ratio time_ratio(const struct row *before,
                                            const struct row *after)
{
    size_t n = before->row->n_samples, m = after->row->n_samples;
    double half, ratio = after->row->time_s / before->row->time_s;

    if (n < MIN_SAMPLES || m < MIN_SAMPLES)
        return (struct gcal_compare_ratio){ .ratio = ratio, .low = NAN, .high = NAN };
    half = gcal_fit_interval_factor(LEVEL, n + m - 2) *
           hypot(median_error(before), median_error(after));
    return (struct gcal_compare_ratio){ .ratio = ratio,
                                        .low = ratio * exp(-half),
                                        .high = ratio * exp(half) };
}

static struct gcal_compare_kernel compare(const struct gcal_catalogue *catalogue,
                                          const struct row *before,
                                          const struct row *after)
{
    return (struct gcal_compare_kernel){
        .device = after->device,
        .name = after->kernel->name,
        .generator = after->kernel->generator,
        .group = group_of(catalogue, after->kernel),
        .before_s = before->row->time_s,
        .after_s = after->row->time_s,
        .is = time_ratio(before, after),
    };
}

static void merge(const struct rows *before, const struct rows *after,
                  const struct gcal_catalogue *catalogue,
                  struct gcal_compare_records *diff)
{
    size_t i = 0, k = 0;
    int order;

    while (i < before->n || k < after->n) {
        if (i == before->n || k == after->n)
            order = i == before->n ? 1 : -1;
        else
            order = by_device_and_kernel(&before->rows[i], &after->rows[k]);
        if (order < 0)
            diff->only_before[diff->n_only_before++] = before->rows[i++].kernel->name;
        else if (order > 0)
            diff->only_after[diff->n_only_after++] = after->rows[k++].kernel->name;
        else
            diff->kernels[diff->n_kernels++] =
                compare(catalogue, &before->rows[i++], &after->rows[k++]);
    }
}

static int make_room(struct rows *before, struct rows *after, const struct gcal_record *a,
                     const struct gcal_record *b, struct gcal_error *err)
{
    before->pair = calloc(a->n_devices + 1, sizeof(*before->pair));
    after->pair = calloc(b->n_devices + 1, sizeof(*after->pair));
    return before->pair && after->pair ? 0 : gcal_error_memory(err);
}

static int make_lists(const struct rows *before, const struct rows *after,
                      struct gcal_compare_records *diff, struct gcal_error *err)
{
    diff->kernels = calloc(after->n + 1, sizeof(*diff->kernels));
    diff->only_before = calloc(before->n + 1, sizeof(*diff->only_before));
    diff->only_after = calloc(after->n + 1, sizeof(*diff->only_after));
    return diff->kernels && diff->only_before && diff->only_after
               ? 0
               : gcal_error_memory(err);
}

int gcal_compare_records(const struct gcal_record *before,
                         const struct gcal_record *after,
                         const struct gcal_catalogue *catalogue,
                         struct gcal_compare_records *diff, struct gcal_error *err)
{
    struct rows a = { 0 }, b = { 0 };
    int rc = -1;

    *diff = (struct gcal_compare_records){ 0 };
    if (make_room(&a, &b, before, after, err) < 0 ||
        gcal_compare_pair_devices(before, after, a.pair, b.pair, diff, err) < 0 ||
        read_rows(before, &a, err) < 0 || read_rows(after, &b, err) < 0 ||
        make_lists(&a, &b, diff, err) < 0)
        goto out;
    merge(&a, &b, catalogue, diff);
    rc = gcal_compare_make_means(diff, err);
out:
    rows_clear(&a);
    rows_clear(&b);
    if (rc < 0)
        gcal_compare_records_clear(diff);
    return rc;
}

void gcal_compare_records_clear(struct gcal_compare_records *diff)
{
    free(diff->devices);
    free(diff->kernels);
    free(diff->generators);
    free(diff->groups);
    free(diff->only_before);
    free(diff->only_after);
    *diff = (struct gcal_compare_records){ 0 };
}
