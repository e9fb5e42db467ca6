/* samples.c - medians of samples */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "fit/fit.h"

int gcal_fit_median(const double *samples, size_t n, double *median, double *spread,
                    struct gcal_error *err)
{
    double *sorted, *work;

    if (n == 0)
        return gcal_error_set(err, GCAL_EINPUT, "the median of no samples");
    if (!(sorted = malloc(2 * n * sizeof(*sorted))))
        return gcal_error_memory(err);
    work = sorted + n;
    memcpy(sorted, samples, n * sizeof(*sorted));
    gsl_sort(sorted, 1, n);
    *median = gsl_stats_median_from_sorted_data(sorted, 1, n);
    /* gsl_stats_mad is 1.4826 times the median deviation; 1.2533 = sqrt(pi/2) is how much
     * wider a median scatters than a mean.
     */
    *spread = 1.2533 * gsl_stats_mad(sorted, 1, n, work) / sqrt((double)n) / *median;
    free(sorted);
    return 0;
}
