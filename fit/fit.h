/* fit.h - measurements in, model parameters out (seed 004 section 7.2; GSL)
 *
 * Rows are kernels: feature values and the measured time.  Residuals are relative,
 * (model - time) / time, so that microseconds and seconds weigh alike (the seed's
 * scaling by the output).  No OpenCL, no MPI, no files.
 */
#ifndef GCAL_FIT_H
#define GCAL_FIT_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;
struct gcal_model;

struct gcal_fit_rows {
    size_t n_rows, n_features; /* features in the model's order */
    const double *features;    /* n_rows x n_features, row per kernel */
    const double *time_s;      /* n_rows, medians */
    const double *spread; /* n_rows, relative standard error of each median, or NULL */
    const size_t *group;  /* n_rows: rows of one group (a generator's) are left out
                             together in cross-validation; NULL: each is its own */
};

enum gcal_fit_status {
    GCAL_FIT_GOOD,
    GCAL_FIT_UNDETERMINED, /* some parameter does not follow from the rows */
    GCAL_FIT_NOT_CONVERGED,
    GCAL_FIT_TOO_FEW_ROWS,
};

/* Arrays by parameter, in the model's order. */
struct gcal_fit {
    enum gcal_fit_status status;
    size_t n_parameters, n_rows;
    double *value;
    double *standard_error; /* NaN where undetermined; 0 where held at a bound */
    double *covariance;     /* n_parameters x n_parameters */
    bool *at_bound;         /* the optimum lies on the parameter's bound */
    bool *undetermined;
    double condition;    /* 2-norm condition number of the column-scaled Jacobian */
    double residual;     /* root mean square of the relative residuals */
    double mean_error;   /* geometric mean of |relative residual| */
    double worst_error;  /* largest |relative residual| */
    double *predicted_s; /* n_rows */
    double *feature_min, *feature_max; /* n_features, over the rows: range of validity */
    size_t n_features;
    int iterations;
    char reason[400]; /* one sentence for people, empty when good */
};

/* Solves for 'model'.  A fit that is not good is a result: 0 is returned with 'status'
 * and 'reason' (which names the parameters) set; -1 only for bad arguments or no memory.
 * The result is cleared with gcal_fit_clear().
 */
int gcal_fit_solve(const struct gcal_model *model, const struct gcal_fit_rows *rows,
                   struct gcal_fit *fit, struct gcal_error *err);
void gcal_fit_clear(struct gcal_fit *fit);

/* How well rows are predicted by fits that did not see them. */
struct gcal_fit_cv {
    size_t n_rows, n_scored;
    double *predicted_s; /* n_rows; NaN where the other rows do not determine it */
    double rms;          /* root mean square of log(predicted / measured), scored rows */
    double mean_error;   /* geometric mean of |predicted / measured - 1| */
    double error_90;     /* nine of ten |predicted / measured - 1| lie below */
};

/* Leaves one group of rows out at a time.  'fit': the solution for all rows, where the
 * searches start.  The result is cleared with gcal_fit_cv_clear().
 */
int gcal_fit_cross_validate(const struct gcal_model *model,
                            const struct gcal_fit_rows *rows, const struct gcal_fit *fit,
                            struct gcal_fit_cv *cv, struct gcal_error *err);
void gcal_fit_cv_clear(struct gcal_fit_cv *cv);

/* How one device deviates from the fit of its type: the factor by which its times lie
 * above the prediction, as the mean of log(time / predicted) over its rows, and the
 * standard error of that factor.  'predicted_s' and 'time_s': n_rows each.
 */
void gcal_fit_deviation(const double *predicted_s, const double *time_s, size_t n_rows,
                        double *factor, double *standard_error);

/* Median and relative standard error of the median (1.2533 * 1.4826 MAD / sqrt(n) over
 * the median) of samples; sorts a copy.  0, or -1 when memory ran out or n is 0.
 */
int gcal_fit_median(const double *samples, size_t n, double *median, double *spread,
                    struct gcal_error *err);

#endif
