/* fit.h - measurements in, model parameters out
 *
 * Nonlinear least squares by GSL (Stevens and Kloeckner 2020, section 7.2).  A row is a
 * kernel: its feature values and its measured time.  Residuals are relative,
 * (model - time) / time, so that microseconds and seconds have equal weight (model - time
 * where the rows say so), and the
 * influence of an outlier is bounded (Huber 1964).  No OpenCL, no MPI, no files.
 */
#ifndef GCAL_FIT_H
#define GCAL_FIT_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_arena;
struct gcal_error;
struct gcal_model;
struct gcal_measurement_sample;

struct gcal_fit_rows {
    size_t n_rows, n_features; /* features in the model's order */
    const double *features;    /* n_rows x n_features, row per kernel */
    const double *time_s;      /* n_rows, medians */
    const double *spread; /* n_rows, relative standard error of each median, or NULL */
    const size_t *group;  /* n_rows: rows of one group (a generator's) are left out
                             together in cross-validation, and their errors are assumed
                             to be correlated; NULL: each row is its own group */
    const double
        *start; /* by parameter of the model: values of a similar device, near which
                            the search begins, costs at a common multiple of theirs; NULL:
                            from several guesses */
    bool
        quick; /* an estimate: a coarse search, from the first guess unless there is a start */
    bool
        absolute; /* minimise model - time, not that over the time: long rows count most */
    bool merge_collinear; /* collinear costs are merged (gcal_fit.merged_with), and
                             parameters without influence are fixed
                             (gcal_fit.poorly_determined); else they are undetermined */
};

enum gcal_fit_status {
    GCAL_FIT_GOOD,
    GCAL_FIT_UNDETERMINED, /* the rows do not determine some parameter */
    GCAL_FIT_NOT_CONVERGED,
    GCAL_FIT_TOO_FEW_ROWS,
};

/* Arrays by parameter, in the model's order. */
struct gcal_fit {
    struct gcal_arena *arena; /* of the arrays */
    enum gcal_fit_status status;
    size_t n_parameters, n_rows;
    double *value;
    double *standard_error; /* NaN where undetermined; 0 at a bound */
    double *covariance;     /* n_parameters x n_parameters */
    double *correlation;    /* n_parameters x n_parameters; NaN where a standard error is
                               0 or NaN */
    double *variance_inflation; /* factor by which the other parameters raise its
                                   variance, >= 1; NaN at a bound or undetermined */
    bool *at_bound;             /* the optimum lies on the parameter's bound, */
    bool *unmeasured;           /* or no row depends on it, and it may be so: it is 0 */
    bool *undetermined;
    bool *poorly_determined; /* fixed: an exponent or an edge with a large error, at its
                                initial value, with the error that its range or else its
                                size allows; or (merge_collinear) a cost hidden by larger
                                ones in all rows, at half of the smallest value that
                                would change the fit */
    size_t *merged_with; /* the first of the costs that it is merged with; itself where it
                            is not merged.  Merged costs take equal times of the rows;
                            their covariance assumes that all splits are equally likely,
                            so a prediction that needs one of them alone has a wide
                            interval */
    size_t rank;         /* of the Jacobian, all parameters */
    size_t freedom;      /* degrees of freedom, fewer when errors within groups are
                            correlated; for gcal_fit_interval_factor() */
    double row_error, group_error; /* standard deviations of relative errors: of a row by
                                      itself, and of what the rows of a group share; NaN:
                                      not estimated */
    double condition;    /* 2-norm condition number of the column-scaled Jacobian */
    double residual;     /* root mean square of the relative residuals */
    double mean_error;   /* geometric mean of |relative residual| */
    double worst_error;  /* largest |relative residual| */
    double *predicted_s; /* n_rows */
    double *feature_min, *feature_max; /* n_features, over the rows: range of validity */
    size_t n_features;
    int iterations;
    char reason[400]; /* one sentence for people, empty when good */
    char note[600];   /* assumptions: merged costs, poorly determined parameters */
};

/* Fits 'model' to the rows.  A fit that is not good is a result as well: 0, with 'status'
 * and 'reason' (which names the parameters) set; -1 only for bad arguments.  Clear the result with gcal_fit_clear().
 */
int gcal_fit_solve(const struct gcal_model *model, const struct gcal_fit_rows *rows,
                   struct gcal_fit *fit, struct gcal_error *err);
void gcal_fit_clear(struct gcal_fit *fit);

/* Half the width of a two-sided interval of that level (0.9: 90 %), in standard errors:
 * Student's t with 'freedom' degrees of freedom; 0: normal, the error is known.
 */
double gcal_fit_interval_factor(double level, size_t freedom);

struct gcal_fit_pair {
    size_t a, b; /* parameters, a < b */
    double correlation;
};

/* The pairs of parameters with |correlation| >= least, the strongest first and at most
 * 'capacity'; returns their number.
 */
size_t gcal_fit_correlated_pairs(const struct gcal_fit *fit, double least,
                                 struct gcal_fit_pair *pairs, size_t capacity);

/* Held-out predictions: of each row by a fit without its group.  error_summary.h has
 * figures of their errors.
 */
struct gcal_fit_cv {
    struct gcal_arena *arena; /* of the array */
    size_t n_rows;
    double *predicted_s; /* n_rows; NaN where the other rows do not determine the time */
};

/* Leaves out one group of rows at a time.  'fit': the solution for all rows, the starting
 * point of the searches.  Clear the result with gcal_fit_cv_clear().
 */
int gcal_fit_cross_validate(const struct gcal_model *model,
                            const struct gcal_fit_rows *rows, const struct gcal_fit *fit,
                            struct gcal_fit_cv *cv, struct gcal_error *err);
void gcal_fit_cv_clear(struct gcal_fit_cv *cv);

/* Per-device estimates: one Gauss-Newton step from the fit of a device type with the rows
 * of one of its devices.  'estimate' and 'estimate_error' (standard error): n_parameters
 * each; NaN where the rows do not determine the parameter, or where the fit fixed it or
 * ended at its bound.
 */
int gcal_fit_device(const struct gcal_model *model, const struct gcal_fit_rows *rows,
                    const struct gcal_fit *fit, double *estimate, double *estimate_error,
                    struct gcal_error *err);

/* The device factor, measured over predicted time by the fit of the device's type: the
 * exponential of the median of log(time / predicted) over its rows, and its standard error
 * (INFINITY with fewer than two rows).  'predicted_s' and 'time_s': n_rows each.
 */
void gcal_fit_deviation(const double *predicted_s, const double *time_s, size_t n_rows,
                        double *factor, double *standard_error);

/* What each kernel takes on a device of the mean speed, by the times of a type's devices: for kernels
 * that all have measured, the geometric mean over devices.  'time_s': n_kernels x n_devices, row per
 * kernel; NaN: not measured.  'common_s': n_kernels, s; NaN: fewer than two devices that can be
 * compared with the others have measured it.
 */
void gcal_fit_common_times(const double *time_s, size_t n_kernels, size_t n_devices,
                           double *common_s);

/* Shrinks the device factors of a type, empirical Bayes.  'factor' and its standard error
 * 'error' (INFINITY: unknown) of n devices: from gcal_fit_deviation().  The variance of
 * log(factor) between devices is estimated from all of them (DerSimonian and Laird 1986),
 * and each logarithm is shrunk towards 0 by the share of it that its error explains.
 * 'shrunk', 'shrunk_error': n each.  'between': the standard deviation between devices;
 * NaN when fewer than two have a finite error: the shrunk factors are 1 then, the errors
 * unchanged.
 */
void gcal_fit_shrink(size_t n, const double *factor, const double *error, double *shrunk,
                     double *shrunk_error, double *between);

/* The times of a type's devices. */
struct gcal_fit_devices {
    size_t n_devices, n_kernels;
    const double *time_s; /* n_kernels x n_devices, row per kernel; NaN: not measured */
    const double *spread; /* the same, relative standard errors */
    const size_t *group;  /* n_kernels: the first kernel of the same generator */
    const double
        *error; /* n_devices: relative, of all times of a device alike; NULL: none */
};

struct gcal_fit_outlier {
    bool is_outlier;
    double ratio; /* of its times to those of the type's other devices, in the median */
    size_t worst; /* the group that is furthest from 1, and its ratio */
    double worst_ratio;
    size_t n_far;     /* kernels that are far from what the others of the device say */
    double far_ratio; /* their median */
};

/* Finds devices that do not behave as most devices of their type: in all kernels, in those of
 * a generator, as one cost alone does, or in some of several generators, as short launches do.  'found': n_devices.  Fewer than half of the
 * devices can be outliers; of two, the slower is one if a large factor is between them.
 */
void gcal_fit_find_outliers(const struct gcal_fit_devices *d,
                            struct gcal_fit_outlier *found);

/* Median and relative standard error of the median (1.2533 * 1.4826 MAD / sqrt(n) over
 * the median) of samples; sorts a copy.  0, or -1 when n is 0.
 */
int gcal_fit_median(const double *samples, size_t n, double *median, double *spread,
                    struct gcal_error *err);
/* The same of samples' times (kernels/model/run/measurement.h). */
int gcal_fit_median_time(const struct gcal_measurement_sample *samples, size_t n,
                         double *time_s, double *spread, struct gcal_error *err);

#endif
