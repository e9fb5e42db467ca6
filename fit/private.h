/* private.h - the least-squares problem and the steps of gcal_fit_solve() */
#ifndef GCAL_FIT_PRIVATE_H
#define GCAL_FIT_PRIVATE_H

#include <gsl/gsl_matrix.h>
#include <gsl/gsl_vector.h>

#include "kernels/base/arena.h"
#include "fit/fit.h"

/* Relative error of the best of models: rows measured more precisely than this get no
 * more weight, else a few quiet kernels would decide alone.
 */
#define GCAL_FIT_MISFIT_FLOOR 0.01

/* Huber's constant: the influence of a residual grows up to this many scales.  95 % as
 * efficient as least squares for normally distributed residuals.
 */
#define GCAL_FIT_HUBER 1.345

/* Tolerances of a search: the final one, the coarse one of preliminary searches,
 * and that of estimates.
 */
#define GCAL_FIT_EXACT 1e-11
#define GCAL_FIT_CLOSE 1e-6
#define GCAL_FIT_ROUGH 1e-4

/* Residuals are weight * (model / time - 1), bounded (see problem.c).  Parameters are in
 * their own units here.
 */
struct gcal_fit_problem {
    struct gcal_arena *arena; /* of the arrays */
    const struct gcal_model *model;
    const struct gcal_fit_rows *rows;
    struct gcal_model_rows *at_rows; /* the model at them */
    size_t n_parameters, n_rows;
    size_t
        n_known; /* parameters that some row depends on, or that have to be determined */
    size_t n_used;  /* rows with a weight */
    double *weight; /* n_rows, at most 1; 0: the row is left out; with absolute errors in
                            proportion to the times */
    bool *is_cost;  /* n_parameters: the model grows in proportion to it */
    bool *fixed;    /* n_parameters: not searched for */
    double *fixed_value; /* n_parameters: the value of a fixed one */
    double scale;        /* of weighted residuals; INFINITY: plain least squares */
    double tolerance;    /* a search has converged when no parameter, or else the sum of
                            squares, changes by more than this share */
};

int gcal_fit_problem_init(struct gcal_fit_problem *problem,
                          const struct gcal_model *model,
                          const struct gcal_fit_rows *rows, struct gcal_error *err);
void gcal_fit_problem_clear(struct gcal_fit_problem *problem);

/* Returns whether there are enough rows to recognise outliers. */
bool gcal_fit_can_be_robust(const struct gcal_fit_problem *problem);

/* The model at all rows.  'time_s': n_rows. */
void gcal_fit_eval(const struct gcal_fit_problem *problem, const double *parameters,
                   double *time_s);

/* 'residuals': n_rows, or NULL.  Returns their sum of squares; not finite when the model
 * is not.
 */
double gcal_fit_residuals(const struct gcal_fit_problem *problem,
                          const double *parameters, double *residuals);

/* 'jacobian': n_rows x n_parameters, d residual / d parameter.  -1 when not finite. */
int gcal_fit_jacobian(const struct gcal_fit_problem *problem, const double *parameters,
                      double *jacobian);

/* The weight (0 to 1) of the square of row i's unbounded residual when that is
 * 'relative' = model / time - 1.
 */
double gcal_fit_row_factor(const struct gcal_fit_problem *problem, size_t i,
                           double relative);

/* Sensitivity of the rows to the parameters: weight * d model / d parameter over the
 * larger of model and time, which limits the influence of a wrong time; and Huber's psi
 * of each row's residual.  'jacobian': n_rows x n_parameters; 'psi': n_rows.  -1 when not
 * finite.
 */
int gcal_fit_sensitivity(const struct gcal_fit_problem *problem, const double *parameters,
                         double *jacobian, double *psi);

/* Robust standard deviation of the weighted residuals. */
double gcal_fit_scale(const struct gcal_fit_problem *problem, const double *parameters);

/* Distinguishes costs from shapes (exponents, edges, exposed shares). */
void gcal_fit_find_costs(struct gcal_fit_problem *problem);

/* Guess 'which', below GCAL_FIT_SHAPE_GUESSES, of a shape; the first is its initial
 * value, at which a poorly determined shape is fixed.
 */
#define GCAL_FIT_SHAPE_GUESSES 3
double gcal_fit_shape_guess(const struct gcal_fit_problem *problem, size_t j,
                            size_t which);
double gcal_fit_shape_initial(const struct gcal_fit_problem *problem, size_t j);

/* The end of a search. */
struct gcal_fit_point {
    double *parameters;
    double cost; /* sum of squares */
    int iterations;
    bool converged;
};

/* Levenberg-Marquardt within the bounds, from point->parameters.  A search that fails has
 * converged = false.
 */
void gcal_fit_search(const struct gcal_fit_problem *problem,
                     struct gcal_fit_point *point);

/* ---- identifiability and covariance ---- */

/* Some columns of a Jacobian, each scaled to length 1, decomposed: u s v'. */
struct gcal_fit_svd {
    size_t n; /* columns */
    size_t *column;
    double *scale; /* lengths of the columns, 0 for one of zeros */
    gsl_matrix *u, *v;
    gsl_vector *s, *work;
};

/* 'jacobian': n_rows x n_parameters; 'skip': columns to leave out, or NULL. */
int gcal_fit_svd_init(struct gcal_arena *arena, struct gcal_fit_svd *d,
                      const double *jacobian, size_t n_rows, size_t n_parameters,
                      const bool *skip, struct gcal_error *err);

/* Returns whether the model is constant along v's column k. */
bool gcal_fit_svd_is_null(const struct gcal_fit_svd *d, size_t k);

/* Covariance, and the fields derived from it, of the parameters that are neither at a
 * bound nor merged with an earlier one.  'jacobian' and 'psi': of gcal_fit_sensitivity(),
 * with the columns of merged parameters added up.
 */
int gcal_fit_covariance(const struct gcal_fit_problem *problem, const double *jacobian,
                        const double *psi, struct gcal_fit *fit, struct gcal_error *err);

/* Merges collinear costs: values, merged_with, and the columns of the Jacobian. */
void gcal_fit_merge(const struct gcal_fit_problem *problem, double *jacobian,
                    struct gcal_fit *fit);

/* The standard error of a poorly determined parameter that is fixed. */
double gcal_fit_fixed_error(const struct gcal_fit_problem *problem, size_t j);

/* Fixes the optional costs that no row depends on, at 0. */
void gcal_fit_fix_unmeasured(struct gcal_fit_problem *problem, struct gcal_fit *fit);

/* The value at which a poorly determined parameter is fixed: a shape at its initial
 * value; a cost that larger ones hide in all rows at half of the smallest value that
 * would change the fit, 0 when it is not hidden.
 */
double gcal_fit_fixed_value(const struct gcal_fit_problem *problem,
                            const struct gcal_fit *fit, size_t j);

/* The most poorly determined parameter: a shape; with 'merge_collinear' also a shape or a
 * cost that is not identifiable.  n_parameters when there is none.
 */
size_t gcal_fit_least_determined(const struct gcal_fit_problem *problem,
                                 const struct gcal_fit *fit);

/* ---- the result ---- */

/* Every value NaN, each parameter merged with itself. */
void gcal_fit_result_init(struct gcal_fit *fit, const struct gcal_fit_problem *problem);

/* An array of n NaN. */
double *gcal_fit_nans(struct gcal_arena *arena, size_t n);
/* All zero. */
gsl_matrix *gcal_fit_matrix(struct gcal_arena *arena, size_t n_rows, size_t n_columns);
gsl_vector *gcal_fit_vector(struct gcal_arena *arena, size_t n);

void gcal_fit_find_range(const struct gcal_fit_rows *rows, struct gcal_fit *fit);

/* Predictions at fit->value and their unweighted errors. */
void gcal_fit_find_errors(const struct gcal_fit_problem *problem, struct gcal_fit *fit);

/* 'note': merged and poorly determined parameters. */
void gcal_fit_write_note(const struct gcal_fit_problem *problem, struct gcal_fit *fit);

/* Keeps GSL from aborting the program on an error. */
void gcal_fit_quiet_gsl(void);

/* ---- devices.c ---- */

/* By which the median distance of n normal deviates from their median has to be multiplied,
 * beside 1.4826, to give their standard deviation (C. Croux and P. J. Rousseeuw,
 * Computational Statistics 1, 1992).
 */
double gcal_fit_small_distance_factor(size_t n);

#endif
