/* samples.c - medians of samples and their errors */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/model/run/measurement.h"
#include "fit/fit.h"

int gcal_fit_median(const double *samples, size_t n, double *median, double *spread,
                    struct gcal_error *err)
{
    struct gcal_arena *arena;
    double *sorted, *work;

    if (n == 0)
        return gcal_error_set(err, GCAL_EINPUT,
                              "no samples: a median needs at least one");
    arena = gcal_arena_create();
    sorted = gcal_arena_alloc(arena, 2 * n, sizeof(*sorted));
    work = sorted + n;
    memcpy(sorted, samples, n * sizeof(*sorted));
    gsl_sort(sorted, 1, n);
    *median = gsl_stats_median_from_sorted_data(sorted, 1, n);
    /* gsl_stats_mad includes the factor 1.4826; 1.2533 = sqrt(pi/2) is the ratio of the
     * standard errors of a median and a mean.
     */
    *spread = 1.2533 * gsl_stats_mad(sorted, 1, n, work) / sqrt((double)n) / *median;
    gcal_arena_destroy(arena);
    return 0;
}

int gcal_fit_median_time(const struct gcal_measurement_sample *samples, size_t n,
                         double *time_s, double *spread, struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    double *times_s = gcal_arena_alloc(arena, n, sizeof(*times_s));
    int rc;

    for (size_t i = 0; i < n; i++)
        times_s[i] = samples[i].time_s;
    rc = gcal_fit_median(times_s, n, time_s, spread, err);
    gcal_arena_destroy(arena);
    return rc;
}
