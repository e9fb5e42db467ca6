/* ranking.h - which of several kernels is the fastest, when the logarithm of each one's
 * time is known with an error, and the errors have something in common
 */
#ifndef GCAL_MPI_RANKING_H
#define GCAL_MPI_RANKING_H

#include <stddef.h>

struct gcal_error;

/* Jointly normal. */
struct gcal_contest {
    size_t n;
    const double *log_time;
    const double *covariance; /* of log_time, n x n */
};

/* The probability that kernel 'a' takes less time than 'b'; 0.5 for two that are surely
 * alike.
 */
double gcal_contest_faster(const struct gcal_contest *contest, size_t a, size_t b);

/* The probability that 'a' takes less time than all others, to about 0.002 and the same
 * each time.  -1 when memory ran out.
 */
int gcal_contest_fastest(const struct gcal_contest *contest, size_t a,
                         double *probability, struct gcal_error *err);

#endif
