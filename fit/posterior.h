/* posterior.h - factors of a model that are about 1, from a few times
 *
 * What is known of a factor before any time is that its logarithm is normal, with mean 0 and a
 * standard deviation of its own.  Times move the factors as far as they say something of them, and
 * leave the others as they are.  The result is the maximum of the posterior density; the
 * covariance is that of its normal approximation (Gelman et al., Bayesian Data Analysis, 2013,
 * section 4.1).
 */
#ifndef GCAL_FIT_POSTERIOR_H
#define GCAL_FIT_POSTERIOR_H

#include <stddef.h>

struct gcal_arena;
struct gcal_error;
struct gcal_fit_rows;
struct gcal_model;

struct gcal_fit_posterior {
    double *value; /* by parameter of the model */
    double *
        covariance; /* n_parameters x n_parameters, of the values of another row, with what
                           is left as an error of all factors alike: the whole error of models
                           that are homogeneous in them */
    double error;   /* standard deviation of what is left of log(time / model) */
};

/* By parameter of 'model', 'start' is a known value where 'prior' is 0, else 1, with 'prior' as
 * the standard deviation of the logarithm.  Each row's own factors lie around them, 'share' times as far as they around 1; the
 * covariance is that of the factors of another row.  'error': the standard deviation that is
 * expected of what is left of log(time / model), and counts as much as four rows.  Rows further
 * away than three deviations count less.  Of 'rows', features, times and spreads are used.  Without rows, the factors
 * are 1.
 */
int gcal_fit_posterior_find(struct gcal_arena *arena, const struct gcal_model *model,
                            const struct gcal_fit_rows *rows, const double *start,
                            const double *prior, double share, double error,
                            struct gcal_fit_posterior *posterior, struct gcal_error *err);

#endif
