/* compare.c - pairs the kernels of two records and compares their times */
#include "calib/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "calib/results/results.h"
#include "fit/fit.h"
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

static int read_rows(struct gcal_arena *scratch, const struct gcal_record *record,
                     struct rows *r, struct gcal_error *err)
{
    struct gcal_result_rows all;
    struct gcal_result_speeds speeds;

    if (gcal_result_rows_read(scratch, record, &all, &speeds, err) < 0)
        return -1;
    r->rows = gcal_arena_alloc(scratch, all.n, sizeof(*r->rows));
    for (size_t i = 0; i < all.n; i++) {
        const struct gcal_result_row *row = &all.rows[i];

        if (r->pair[row->device] != SIZE_MAX)
            r->rows[r->n++] =
                (struct row){ .device = r->pair[row->device],
                              .kernel = &record->kernels[row->kernel],
                              .row = row,
                              .resolution_s =
                                  record->devices[row->device].info.timer_resolution_s };
    }
    qsort(r->rows, r->n, sizeof(*r->rows), by_device_and_kernel);
    return 0;
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

/* ---- pairs of devices ---- */

struct side {
    const struct gcal_record *record;
    size_t n, *pair;
};

static bool same_place(const struct gcal_run_device *a, const struct gcal_run_device *b)
{
    return strcmp(a->node, b->node) == 0 && strcmp(a->info.uid, b->info.uid) == 0;
}

static bool same_uid(const struct gcal_run_device *a, const struct gcal_run_device *b)
{
    return strcmp(a->info.uid, b->info.uid) == 0;
}

static bool same_type(const struct gcal_run_device *a, const struct gcal_run_device *b)
{
    return strcmp(a->info.type, b->info.type) == 0;
}

typedef bool same_fn(const struct gcal_run_device *a, const struct gcal_run_device *b);

/* The only device of 's' without a pair that is the same; NULL for none or several. */
static const struct gcal_run_device *only(const struct side *s, same_fn *same,
                                          const struct gcal_run_device *device,
                                          size_t *at)
{
    const struct gcal_run_device *found = NULL, *candidate;

    for (size_t i = 0; i < s->n; i++) {
        candidate = &s->record->devices[i];
        if (s->pair[i] != SIZE_MAX || !same(candidate, device))
            continue;
        if (found)
            return NULL;
        found = candidate;
        *at = i;
    }
    return found;
}

static void pair_by(struct side *before, struct side *after, same_fn *same,
                    struct gcal_compare_records *diff)
{
    const struct gcal_run_device *a, *b;
    size_t at, back;

    for (size_t i = 0; i < before->n; i++) {
        a = &before->record->devices[i];
        if (before->pair[i] != SIZE_MAX || !(b = only(after, same, a, &at)) ||
            !only(before, same, b, &back))
            continue;
        before->pair[i] = after->pair[at] = diff->n_devices;
        diff->devices[diff->n_devices++] =
            (struct gcal_compare_devices){ .before = a, .after = b };
    }
}

static int refuse(const struct side *before, const struct side *after,
                  struct gcal_error *err)
{
    const struct side *sides[] = { before, after };
    struct gcal_buf list = { 0 };

    for (size_t k = 0; k < 2; k++) {
        gcal_buf_puts(&list, k ? "; the second has" : "the first has");
        for (size_t i = 0; i < sides[k]->n; i++)
            gcal_buf_printf(&list, "%s %s", i ? "," : "",
                            sides[k]->record->devices[i].info.type);
    }
    gcal_error_set(err, GCAL_EINPUT, "the records have no device in common: %s",
                   list.data ? list.data : "(out of memory)");
    gcal_buf_free(&list);
    return -1;
}

/* Fills 'devices' of 'diff', and for each device of a record the index of its pair there;
 * SIZE_MAX: no pair.
 */
static int pair_devices(struct gcal_arena *arena, const struct gcal_record *before,
                        const struct gcal_record *after, size_t *in_before,
                        size_t *in_after, struct gcal_compare_records *diff,
                        struct gcal_error *err)
{
    struct side a = { before, before->n_devices, in_before };
    struct side b = { after, after->n_devices, in_after };

    diff->devices = gcal_arena_alloc(arena, a.n, sizeof(*diff->devices));
    for (size_t i = 0; i < a.n; i++)
        in_before[i] = SIZE_MAX;
    for (size_t i = 0; i < b.n; i++)
        in_after[i] = SIZE_MAX;
    pair_by(&a, &b, same_place, diff);
    pair_by(&a, &b, same_uid, diff);
    pair_by(&a, &b, same_type, diff);
    return diff->n_devices ? 0 : refuse(&a, &b, err);
}

/* ---- mean ratios of generators and of groups of kernels ---- */

static int by_generator(const void *a, const void *b)
{
    const struct gcal_compare_kernel *x = a, *y = b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return strcmp(x->generator, y->generator);
}

static int by_group(const void *a, const void *b)
{
    const struct gcal_compare_kernel *x = a, *y = b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return strcmp(x->group, y->group);
}

static int by_distance(size_t device_x, size_t device_y, double ratio_x, double ratio_y,
                       const char *name_x, const char *name_y)
{
    double x = fabs(log(ratio_x)), y = fabs(log(ratio_y));

    if (device_x != device_y)
        return device_x < device_y ? -1 : 1;
    if (x != y)
        return x > y ? -1 : 1;
    return strcmp(name_x, name_y);
}

static int kernels_by_distance(const void *a, const void *b)
{
    const struct gcal_compare_kernel *x = a, *y = b;

    return by_distance(x->device, y->device, x->is.ratio, y->is.ratio, x->name, y->name);
}

static int groups_by_distance(const void *a, const void *b)
{
    const struct gcal_compare_mean *x = a, *y = b;

    return by_distance(x->device, y->device, x->is.ratio, y->is.ratio, x->name, y->name);
}

/* The mean of the logarithms of n ratios has the wider of two intervals: from theirs, none if one
 * of them has none, and from their scatter.
 */
static struct gcal_compare_ratio mean_ratio(const struct gcal_compare_kernel *kernels,
                                            size_t n)
{
    double mean = 0, squares = 0, scatter = 0, half;

    for (size_t i = 0; i < n; i++) {
        mean += log(kernels[i].is.ratio) / (double)n;
        squares += pow(log(kernels[i].is.high / kernels[i].is.low) / 2, 2);
    }
    for (size_t i = 0; i < n; i++)
        scatter += pow(log(kernels[i].is.ratio) - mean, 2);
    half = sqrt(squares) / (double)n;
    if (n > 1)
        half = fmax(half, gcal_fit_interval_factor(LEVEL, n - 1) *
                              sqrt(scatter / (double)(n - 1) / (double)n));
    return (struct gcal_compare_ratio){ .ratio = exp(mean),
                                        .low = exp(mean - half),
                                        .high = exp(mean + half) };
}

/* Of generators or groups, by which the kernels of a device are sorted. */
static struct gcal_compare_mean *find_means(struct gcal_arena *arena,
                                            const struct gcal_compare_records *diff,
                                            bool of_groups, size_t *n_means)
{
    const struct gcal_compare_kernel *kernels = diff->kernels;
    size_t n = diff->n_kernels, end;
    struct gcal_compare_mean *means = gcal_arena_alloc(arena, n, sizeof(*means));

    for (size_t i = 0; i < n; i = end) {
        const char *name = of_groups ? kernels[i].group : kernels[i].generator;

        for (end = i + 1;
             end < n && kernels[end].device == kernels[i].device &&
             strcmp(of_groups ? kernels[end].group : kernels[end].generator, name) == 0;)
            end++;
        means[(*n_means)++] =
            (struct gcal_compare_mean){ .device = kernels[i].device,
                                        .name = name,
                                        .n = end - i,
                                        .is = mean_ratio(&kernels[i], end - i) };
    }
    qsort(means, *n_means, sizeof(*means), groups_by_distance);
    return means;
}

/* ---- all of it ---- */

static int compare(struct gcal_arena *arena, struct gcal_arena *scratch,
                   const struct gcal_record *before, const struct gcal_record *after,
                   const struct gcal_catalogue *catalogue,
                   struct gcal_compare_records *diff, struct gcal_error *err)
{
    struct rows a = { .pair =
                          gcal_arena_alloc(scratch, before->n_devices, sizeof(size_t)) };
    struct rows b = { .pair =
                          gcal_arena_alloc(scratch, after->n_devices, sizeof(size_t)) };
    size_t i = 0, k = 0;

    if (pair_devices(arena, before, after, a.pair, b.pair, diff, err) < 0 ||
        read_rows(scratch, before, &a, err) < 0 || read_rows(scratch, after, &b, err) < 0)
        return -1;
    diff->kernels = gcal_arena_alloc(arena, b.n, sizeof(*diff->kernels));
    diff->only_before = gcal_arena_alloc(arena, a.n, sizeof(*diff->only_before));
    diff->only_after = gcal_arena_alloc(arena, b.n, sizeof(*diff->only_after));
    while (i < a.n || k < b.n) {
        const struct row *x = &a.rows[i], *y = &b.rows[k];
        int order = i == a.n ? 1 : k == b.n ? -1 : by_device_and_kernel(x, y);

        if (order < 0)
            diff->only_before[diff->n_only_before++] = x->kernel->name;
        else if (order > 0)
            diff->only_after[diff->n_only_after++] = y->kernel->name;
        else
            diff->kernels[diff->n_kernels++] = (struct gcal_compare_kernel){
                .device = y->device,
                .name = y->kernel->name,
                .generator = y->kernel->generator,
                .group = group_of(catalogue, y->kernel),
                .before_s = x->row->time_s,
                .after_s = y->row->time_s,
                .is = time_ratio(x, y),
            };
        i += order <= 0;
        k += order >= 0;
    }
    qsort(diff->kernels, diff->n_kernels, sizeof(*diff->kernels), by_generator);
    diff->generators = find_means(arena, diff, false, &diff->n_generators);
    qsort(diff->kernels, diff->n_kernels, sizeof(*diff->kernels), by_group);
    diff->groups = find_means(arena, diff, true, &diff->n_groups);
    qsort(diff->kernels, diff->n_kernels, sizeof(*diff->kernels), kernels_by_distance);
    return 0;
}

int gcal_compare_records(struct gcal_arena *arena, const struct gcal_record *before,
                         const struct gcal_record *after,
                         const struct gcal_catalogue *catalogue,
                         struct gcal_compare_records *diff, struct gcal_error *err)
{
    struct gcal_arena *scratch = gcal_arena_create();
    int rc;

    *diff = (struct gcal_compare_records){ 0 };
    rc = compare(arena, scratch, before, after, catalogue, diff, err);
    gcal_arena_destroy(scratch);
    return rc;
}
