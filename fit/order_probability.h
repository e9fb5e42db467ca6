/* order_probability.h - which of several kernels is the fastest, when the logarithm of
 * each one's time is known with an error, and the errors have something in common
 */
#ifndef GCAL_FIT_ORDER_PROBABILITY_H
#define GCAL_FIT_ORDER_PROBABILITY_H

#include <stddef.h>

struct gcal_error;

/* Errors are normally distributed: those that parameters make, which kernels have in
 * common as far as they have the parameters, and each one's misfit, which is its own.
 *
 * The misfit is what unseen kernels were missed by, with parameters as uncertain: for an
 * interval the larger of the two counts, not both, and so it does for two kernels.  The
 * logarithm of their times' ratio has the parameters' variance or that of two misfits.
 * Kernels that share all parameters are thus told apart as well as two misfits allow;
 * those that share none as well as two intervals do.
 *
 * Among more than two, a kernel's own variance is what half of the parameters' variance
 * between it and the other that is nearest by it leaves of a misfit's.  With two that is
 * the same; with more no two are told apart better than alone.
 */
struct gcal_order_candidates {
    size_t n;
    const double *log_time;
    const double *covariance; /* of log_time, by the parameters' errors, n x n */
    double misfit;            /* standard deviation */
};

/* The probability that kernel 'a' takes less time than 'b'; 0.5 for two that are surely
 * alike.
 */
double gcal_order_probability_faster(const struct gcal_order_candidates *candidates,
                                     size_t a, size_t b);

/* The probability that 'a' takes less time than all others, to about 0.002 and the same
 * each time.  -1 when memory ran out.
 */
int gcal_order_probability_fastest(const struct gcal_order_candidates *candidates,
                                   size_t a, double *probability, struct gcal_error *err);

#endif
