/* links.h - times of messages by size, on links of one class, as lines and deviations
 *
 * All pairs of nodes have one curve: two to five ranges of sizes, each with a line of its own
 * (struct gcal_link_curve).  Lines are fitted by least squares of relative errors, for every way to
 * divide the sizes; another range must pay for its parameters (Bayesian information criterion).
 *
 * A pair deviates from the curve by a factor in each range: latency and bandwidth of a link have
 * different causes.  Factors are shrunk towards 1 as those of devices are (gcal_fit_shrink()).  A
 * pair that is far from most others is an outlier, and gets a curve of its own.
 */
#ifndef GCAL_FIT_LINKS_H
#define GCAL_FIT_LINKS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/model/run/link.h"

struct gcal_arena;

/* A curve through times at ascending sizes; those that are NaN do not count.  -1 if fewer than two
 * are left.
 */
int gcal_link_fit_curve(size_t n, const double *bytes, const double *time_s,
                        struct gcal_link_curve *curve);

struct gcal_link_fit_pair {
    /* By regime of the class; error: standard deviation of log(factor). */
    double factor[GCAL_LINK_MAX_REGIMES], error[GCAL_LINK_MAX_REGIMES];
    bool is_outlier;
    double
        ratio; /* of its times to those of the others, in the regime where that is most */
    struct gcal_link_curve curve; /* an outlier's own */
};

/* 'time_s': n_sizes x n_pairs, row per size; NaN: not measured.  Of the class's curve
 * are the sizes that half of the pairs have.  'pairs': n_pairs.  -1 if there are
 * too few times for a curve.
 */
int gcal_link_fit_class(struct gcal_arena *arena, size_t n_sizes, size_t n_pairs,
                        const double *bytes, const double *time_s,
                        struct gcal_link_curve *curve, struct gcal_link_fit_pair *pairs);

#endif
