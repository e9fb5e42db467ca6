/* rank_correlation.c - whether two series of numbers are in the same order */
#include "fit/rank_correlation.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_statistics.h>

#include "kernels/base/error.h"

int gcal_fit_rank_correlation(size_t n, const double *a, const double *b,
                              double *correlation, struct gcal_error *err)
{
    double *ranks;

    *correlation = 0;
    if (n < 2)
        return 0;
    if (!(ranks = calloc(2 * n, sizeof(*ranks))))
        return gcal_error_memory(err);
    *correlation = gsl_stats_spearman(a, 1, b, 1, n, ranks);
    if (!isfinite(*correlation)) /* all ranks of a series are equal */
        *correlation = 0;
    free(ranks);
    return 0;
}
