/* rank_correlation.c - whether two series of numbers are in the same order */
#include "fit/rank_correlation.h"

#include <math.h>

#include <gsl/gsl_statistics.h>

#include "kernels/base/arena.h"

double gcal_fit_rank_correlation(size_t n, const double *a, const double *b)
{
    struct gcal_arena *arena;
    double correlation;

    if (n < 2)
        return 0;
    arena = gcal_arena_create();
    correlation =
        gsl_stats_spearman(a, 1, b, 1, n, gcal_arena_alloc(arena, 2 * n, sizeof(double)));
    gcal_arena_destroy(arena);
    return isfinite(correlation) ? correlation : 0; /* all ranks of a series are equal */
}
