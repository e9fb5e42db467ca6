/* fit.h - measurements in, model parameters out (seed 004 section 7.2; GSL)
 *
 * Rows are kernels: feature values and the measured time.  Residuals are relative,
 * (model - time) / time, so that microseconds and seconds weigh alike (the seed's
 * scaling by the output), and the pull of a row far off the others is bounded, so that a
 * few wrong ones decide nothing.  No OpenCL, no MPI, no files.
 */
#ifndef GCAL_FIT_H
#define GCAL_FIT_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;
struct gcal_model;
struct gcal_measurement_sample;

struct gcal_fit_rows {
    size_t n_rows, n_features; /* features in the model's order */
    const double *features;    /* n_rows x n_features, row per kernel */
    const double *time_s;      /* n_rows, medians */
    const double *spread; /* n_rows, relative standard error of each median, or NULL */
    const size_t *group;  /* n_rows: rows of one group (a generator's) are left out
                             together in cross-validation, and their errors are taken to
                             be correlated; NULL: each is its own */
    bool merge_collinear; /* costs that no row tells apart share what they take together,
                         see gcal_fit.merged_with, and what no row shows is held, see
                         gcal_fit.weak; else they are undetermined */
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
    double *correlation;    /* the same, of it; NaN where a standard error is 0 or NaN */
    double *variance_inflation; /* by how much the others widen its variance, >= 1; NaN
                                   where held or undetermined */
    bool *at_bound;             /* the optimum lies on the parameter's bound */
    bool *undetermined;
    bool *poorly_determined; /* an exponent or an edge that the rows hardly tell: held at
                   its initial value, with the error that its range or, without, its size
                   allows; or (merge_twins) a cost hidden behind larger ones in all rows:
                   held at half of where it would show */
    size_t *merged_with; /* the first of the costs that it is merged with; itself where it
                            is not.  Each takes the same time of the rows; covariance
                            holds that any split is as likely, so that a prediction that
                            needs them apart is as unsure as it should be */
    size_t rank;         /* independent directions of all parameters */
    size_t freedom;      /* rows to spare, fewer when those of a group err alike; for
                            gcal_fit_interval_factor() */
    double group_correlation; /* of the errors of two rows of a group, 0 without groups */
    double condition;         /* 2-norm condition number of the column-scaled Jacobian */
    double residual;          /* root mean square of the relative residuals */
    double mean_error;        /* geometric mean of |relative residual| */
    double worst_error;       /* largest |relative residual| */
    double *predicted_s;      /* n_rows */
    double *feature_min, *feature_max; /* n_features, over the rows: range of validity */
    size_t n_features;
    int iterations;
    char reason[400]; /* one sentence for people, empty when good */
    char note[600];   /* what a good fit had to assume: merged costs, weak shapes */
};

/* Solves for 'model'.  A fit that is not good is a result: 0 is returned with 'status'
 * and 'reason' (which names the parameters) set; -1 only for bad arguments or no memory.
 * The result is cleared with gcal_fit_clear().
 */
int gcal_fit_solve(const struct gcal_model *model, const struct gcal_fit_rows *rows,
                   struct gcal_fit *fit, struct gcal_error *err);
void gcal_fit_clear(struct gcal_fit *fit);

/* How many standard errors reach to both sides for an interval of that level (0.9:
 * nine of ten lie inside): Student's t; 'freedom' 0: the error is known, not estimated.
 */
double gcal_fit_interval_factor(double level, size_t freedom);

struct gcal_fit_pair {
    size_t a, b; /* parameters, a < b */
    double correlation;
};

/* The pairs of parameters with at least that |correlation|, the strongest first and no
 * more than 'capacity'; returns their number.
 */
size_t gcal_fit_correlated_pairs(const struct gcal_fit *fit, double least,
                                 struct gcal_fit_pair *pairs, size_t capacity);

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

/* What the rows of one device alone say of each parameter of its type's fit: a
 * Gauss-Newton step from there with these rows.  'own' and 'own_error' (standard error):
 * n_parameters each; NaN where the rows do not tell, or where the fit held the parameter
 * or ended at its bound.
 */
int gcal_fit_device(const struct gcal_model *model, const struct gcal_fit_rows *rows,
                    const struct gcal_fit *fit, double *own, double *own_error,
                    struct gcal_error *err);

/* How one device deviates from the fit of its type: the factor by which its times lie
 * above the prediction, as the mean of log(time / predicted) over its rows, and the
 * standard error of that factor.  'predicted_s' and 'time_s': n_rows each.
 */
void gcal_fit_deviation(const double *predicted_s, const double *time_s, size_t n_rows,
                        double *factor, double *standard_error);

/* Devices of a type: 'factor' and its standard error 'error' (INFINITY: not known) of
 * each of n devices, as gcal_fit_deviation() gives them.  The variance between devices of
 * log(factor) is estimated from them all (DerSimonian and Laird), and each logarithm is
 * shrunk towards 0 by what of it its own error explains.  'between': the standard
 * deviation between devices; NaN where fewer than two have a finite error, factors are
 * then 1 with their own error.  'shrunk_error': of the shrunk factor.
 */
void gcal_fit_shrink(size_t n, const double *factor, const double *error, double *shrunk,
                     double *shrunk_error, double *between);

/* Median and relative standard error of the median (1.2533 * 1.4826 MAD / sqrt(n) over
 * the median) of samples; sorts a copy.  0, or -1 when memory ran out or n is 0.
 */
int gcal_fit_median(const double *samples, size_t n, double *median, double *spread,
                    struct gcal_error *err);
/* The same of samples' times (calib/model/measurement.h). */
int gcal_fit_median_time(const struct gcal_measurement_sample *samples, size_t n,
                         double *time_s, double *spread, struct gcal_error *err);

#endif
