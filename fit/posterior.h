/* posterior.h - factors of a model, moved from what is expected of them by a few times
 *
 * What is known of a factor before any time is that its logarithm is normal, with a mean and a
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

/* What is known of a parameter before any time. */
struct gcal_fit_prior {
    double value;     /* a known value where 'deviation' is 0 */
    double deviation; /* of the factor's logarithm, from that of 'value' */
    double within;    /* of the logarithm of the factor of one row, from it */
};

/* 'prior': by parameter of 'model'.  The covariance is that of the factors of another row.  'error':
 * the standard deviation that is expected of what is left of log(time / model), and counts as much
 * as four rows.  Rows further away than three deviations count less.  Of 'rows', features, times
 * and spreads are used.  Without rows, the factors are those of the prior.
 */
int gcal_fit_posterior_find(struct gcal_arena *arena, const struct gcal_model *model,
                            const struct gcal_fit_rows *rows,
                            const struct gcal_fit_prior *prior, double error,
                            struct gcal_fit_posterior *posterior, struct gcal_error *err);

#endif
