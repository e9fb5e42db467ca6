/* across.c - times of a device at sizes that only other devices have measured
 *
 * Each device measures the sizes of a family that take long enough there, so a device that is
 * much slower than the others of its type has few kernels in common with them, or none.  The
 * time of a family is close to a power of its size between its own sizes and not far beyond.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "calib/results/private.h"

/* A device of which fewer kernels can be compared. */
#define FEW 0.5

/* Not further beyond the sizes that were measured. */
#define MOST_BEYOND 4.0 /* log(55) */
#define MOST_SLOPE  4.0

/* One size of a family on one device. */
struct point {
    double size, time, spread; /* logarithms but for 'spread' */
};

/* Sizes of a family grow together. */
static double log_size(const struct gcal_run_kernel *kernel)
{
    double sum = 0;

    for (size_t i = 0; i < kernel->n_sizes; i++)
        sum += log(kernel->size_values[i]);
    return sum;
}

static bool are_of_family(const struct gcal_run_kernel *a,
                          const struct gcal_run_kernel *b)
{
    return a->family && b->family && strcmp(a->family, b->family) == 0;
}

static void keep_nearest(struct point nearest[2], const struct point *p, double at)
{
    if (fabs(p->size - at) < fabs(nearest[0].size - at)) {
        nearest[1] = nearest[0];
        nearest[0] = *p;
    } else if (fabs(p->size - at) < fabs(nearest[1].size - at)) {
        nearest[1] = *p;
    }
}

/* From the two sizes of the device's own that are nearest. */
static bool interpolate(const struct point p[2], double at, double *time_s,
                        double *spread)
{
    double gap = p[0].size - p[1].size, slope, share;

    if (!isfinite(p[1].size) || !(fabs(gap) > 0) || fabs(p[0].size - at) > MOST_BEYOND)
        return false;
    slope = (p[0].time - p[1].time) / gap;
    if (slope < 0 || slope > MOST_SLOPE)
        return false;
    share = (at - p[0].size) / gap;
    *time_s = exp(p[0].time + slope * (at - p[0].size));
    *spread = hypot((1 + fabs(share)) * p[0].spread, share * p[1].spread);
    return true;
}

static bool find(const struct gcal_record *record, const struct gcal_result_table *t,
                 const double *measured_s, size_t device, size_t kernel, double *time_s,
                 double *spread)
{
    const struct gcal_run_kernel *wanted = &record->kernels[t->kernel[kernel]];
    struct point nearest[2] = { { .size = INFINITY }, { .size = INFINITY } };
    double at = log_size(wanted);

    for (size_t k = 0; k < t->n_kernels; k++) {
        const struct gcal_run_kernel *own = &record->kernels[t->kernel[k]];
        size_t i = k * t->n_devices + device;
        struct point p = { .time = log(measured_s[i]), .spread = t->spread[i] };

        if (isnan(measured_s[i]) || !are_of_family(own, wanted))
            continue;
        p.size = log_size(own);
        keep_nearest(nearest, &p, at);
    }
    return isfinite(at) && interpolate(nearest, at, time_s, spread);
}

/* Whether few of the device's kernels were measured on enough others. */
static bool is_apart(const struct gcal_result_table *t, size_t device)
{
    size_t n_own = 0, n_common = 0, least = t->n_devices > 2 ? 3 : 2;

    for (size_t k = 0; k < t->n_kernels; k++) {
        size_t n = 0;

        if (isnan(t->time_s[k * t->n_devices + device]))
            continue;
        for (size_t i = 0; i < t->n_devices; i++)
            n += !isnan(t->time_s[k * t->n_devices + i]);
        n_own++;
        n_common += n >= least;
    }
    return (double)n_common < FEW * (double)n_own;
}

int gcal_result_table_fill(struct gcal_result_table *t, const struct gcal_record *record,
                           struct gcal_error *err)
{
    size_t n = t->n_kernels * t->n_devices;
    double *measured_s = malloc((n + 1) * sizeof(*measured_s));
    bool *apart = calloc(t->n_devices + 1, sizeof(*apart));

    if (measured_s && apart) {
        memcpy(measured_s, t->time_s, n * sizeof(*measured_s));
        for (size_t i = 0; i < t->n_devices; i++)
            apart[i] = is_apart(t, i);
        for (size_t i = 0; i < n; i++)
            if (isnan(measured_s[i]) && apart[i % t->n_devices])
                find(record, t, measured_s, i % t->n_devices, i / t->n_devices,
                     &t->time_s[i], &t->spread[i]);
    }
    free(measured_s);
    free(apart);
    return measured_s && apart ? 0 : gcal_error_memory(err);
}
