/* groups.c - mean ratios of generators and of groups of kernels */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "calib/compare/private.h"
#include "fit/fit.h"

#define LEVEL 0.9

typedef const char *name_fn(const struct gcal_compare_kernel *kernel);

static const char *generator_of(const struct gcal_compare_kernel *kernel)
{
    return kernel->generator;
}

static const char *group_of(const struct gcal_compare_kernel *kernel)
{
    return kernel->group;
}

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

/* Half the interval of the mean of the logarithms of n ratios, from their intervals; NaN
 * if one of them has none.
 */
static double half_from_intervals(const struct gcal_compare_kernel *kernels, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += pow(log(kernels[i].is.high / kernels[i].is.low) / 2, 2);
    return sqrt(sum) / (double)n;
}

/* The same from the scatter of the ratios; NaN for one. */
static double half_from_scatter(const struct gcal_compare_kernel *kernels, size_t n,
                                double mean)
{
    double sum = 0;

    if (n < 2)
        return NAN;
    for (size_t i = 0; i < n; i++)
        sum += pow(log(kernels[i].is.ratio) - mean, 2);
    return gcal_fit_interval_factor(LEVEL, n - 1) *
           sqrt(sum / (double)(n - 1) / (double)n);
}

static struct gcal_compare_ratio mean_ratio(const struct gcal_compare_kernel *kernels,
                                            size_t n)
{
    double mean = 0, half;

    for (size_t i = 0; i < n; i++)
        mean += log(kernels[i].is.ratio) / (double)n;
    half = fmax(half_from_intervals(kernels, n), half_from_scatter(kernels, n, mean));
    return (struct gcal_compare_ratio){ .ratio = exp(mean),
                                        .low = exp(mean - half),
                                        .high = exp(mean + half) };
}

/* The kernels are sorted by device and name. */
static struct gcal_compare_mean *make(const struct gcal_compare_kernel *kernels, size_t n,
                                      name_fn *name_of, size_t *n_groups,
                                      struct gcal_error *err)
{
    struct gcal_compare_mean *groups = calloc(n + 1, sizeof(*groups));
    size_t end;

    if (!groups)
        gcal_error_memory(err);
    for (size_t i = 0; groups && i < n; i = end) {
        const struct gcal_compare_kernel *first = &kernels[i];

        for (end = i + 1; end < n && kernels[end].device == first->device &&
                          strcmp(name_of(&kernels[end]), name_of(first)) == 0;)
            end++;
        groups[(*n_groups)++] =
            (struct gcal_compare_mean){ .device = first->device,
                                        .name = name_of(first),
                                        .n = end - i,
                                        .is = mean_ratio(first, end - i) };
    }
    if (groups && *n_groups)
        qsort(groups, *n_groups, sizeof(*groups), groups_by_distance);
    return groups;
}

int gcal_compare_make_means(struct gcal_compare_records *diff, struct gcal_error *err)
{
    struct gcal_compare_kernel *kernels = diff->kernels;
    size_t n = diff->n_kernels;

    if (n)
        qsort(kernels, n, sizeof(*kernels), by_generator);
    if (!(diff->generators = make(kernels, n, generator_of, &diff->n_generators, err)))
        return -1;
    if (n)
        qsort(kernels, n, sizeof(*kernels), by_group);
    if (!(diff->groups = make(kernels, n, group_of, &diff->n_groups, err)))
        return -1;
    if (n)
        qsort(kernels, n, sizeof(*kernels), kernels_by_distance);
    return 0;
}
