/* rivals.h - the fastest of several kernels whose predicted times have
 * correlated errors
 */
#ifndef GCAL_STORE_PREDICT_RIVALS_H
#define GCAL_STORE_PREDICT_RIVALS_H

#include <stddef.h>

struct gcal_error;

/* Kernels with normally distributed errors of the logarithms of their times: errors of
 * the parameters, which kernels share as far as they share parameters, and each kernel's
 * misfit, which is independent.
 *
 * The misfit is the held-out error, which includes errors of parameters.  So an interval
 * takes the larger of the two variances, not the sum, and the same holds for a pair: the
 * logarithm of the ratio of two times has the variance due to the parameters or that of
 * two misfits.  Kernels that share all parameters are thus distinguished as well as two
 * misfits allow, and kernels that share none as well as two intervals do.
 *
 * Errors of the factors of devices come on top of that; those of one device have them in common.
 *
 * Among more than two, a kernel's independent variance is the misfit's less half of the
 * variance due to parameters between it and its nearest rival.  For two kernels that is
 * the same; among more, no pair is distinguished better than it would be alone.
 */
struct gcal_rivals {
    size_t n;
    const double *log_time;
    const double *covariance; /* of log_time due to the parameters, n x n */
    const double *misfit;     /* standard deviation of each log_time */
    const double *device; /* covariance due to the devices' factors, n x n; NULL: there is
                                 one device */
};

/* Of the logarithm of the ratio of the times of 'a' and 'b'. */
double gcal_rivals_variance(const struct gcal_rivals *candidates, size_t a, size_t b);
/* The probability that kernel 'a' takes less time than 'b'; 0.5 for two that are
 * certainly equal.
 */
double gcal_rivals_faster(const struct gcal_rivals *candidates, size_t a, size_t b);

/* The probability that 'a' takes less time than all others: a deterministic quasi-Monte
 * Carlo integral, accurate to about 0.002.  -1 when memory ran out.
 */
int gcal_rivals_fastest(const struct gcal_rivals *candidates, size_t a,
                        double *probability, struct gcal_error *err);

#endif
