/* private.h - the least-squares problem, as the steps of gcal_fit_solve() see it */
#ifndef GCAL_FIT_PRIVATE_H
#define GCAL_FIT_PRIVATE_H

#include <gsl/gsl_matrix.h>
#include <gsl/gsl_vector.h>

#include "fit/fit.h"

/* No model is better than this: rows measured more exactly weigh no more than rows
 * measured this exactly, else a few quiet kernels would decide alone.
 */
#define GCAL_FIT_MISFIT_FLOOR 0.01

/* Huber's constant: residuals beyond so many scales pull no harder than there.  Where
 * they are normally distributed, 95 % as efficient as least squares.
 */
#define GCAL_FIT_HUBER 1.345

/* As exact as searches get; and where they need not be. */
#define GCAL_FIT_EXACT 1e-11
#define GCAL_FIT_CLOSE 1e-6

/* Residuals are weight * (model / time - 1), bounded (see problem.c).  Parameters are in
 * their own units here.
 */
struct gcal_fit_problem {
    const struct gcal_model *model;
    const struct gcal_fit_rows *rows;
    size_t n_parameters, n_rows;
    size_t n_used;       /* rows with a weight */
    double *weight;      /* n_rows, at most 1; 0: the row is left out */
    bool *is_cost;       /* n_parameters: the model grows in proportion to it */
    bool *fixed;         /* n_parameters: not searched for, */
    double *fixed_value; /* but held at this */
    double scale;        /* of weighted residuals; INFINITY: plain least squares */
    double tolerance; /* searches settle when no parameter moves by this share of it, or
                         the sum of squares falls no longer by this share of it */
};

int gcal_fit_problem_init(struct gcal_fit_problem *problem,
                          const struct gcal_model *model,
                          const struct gcal_fit_rows *rows, struct gcal_error *err);
void gcal_fit_problem_clear(struct gcal_fit_problem *problem);

/* Enough rows to spare to tell those that are wrong? */
bool gcal_fit_can_be_robust(const struct gcal_fit_problem *problem);

/* 'residuals': n_rows, or NULL.  Returns their sum of squares; not finite when the model
 * is not.
 */
double gcal_fit_residuals(const struct gcal_fit_problem *problem,
                          const double *parameters, double *residuals);

/* 'jacobian': n_rows x n_parameters, d residual / d parameter.  -1 when not finite. */
int gcal_fit_jacobian(const struct gcal_fit_problem *problem, const double *parameters,
                      double *jacobian);

/* The factor (0 to 1) by which the square of row i's unbounded residual counts when it
 * is 'relative' = model / time - 1.
 */
double gcal_fit_row_factor(const struct gcal_fit_problem *problem, size_t i,
                           double relative);

/* What the rows tell of the parameters: weight * d model / d parameter over the larger of
 * model and time, so that no row with a wrong time tells too much; and Huber's psi of
 * each row's residual.  -1 when not finite.
 */
int gcal_fit_sensitivity(const struct gcal_fit_problem *problem, const double *parameters,
                         double *jacobian, double *psi);

/* Robust standard deviation of the weighted residuals. */
int gcal_fit_scale(const struct gcal_fit_problem *problem, const double *parameters,
                   double *scale, struct gcal_error *err);

/* Tells costs from shapes (exponents, edges, hidden shares). */
void gcal_fit_find_costs(struct gcal_fit_problem *problem);

/* Where a shape is held that the rows do not tell. */
double gcal_fit_shape_initial(const struct gcal_fit_problem *problem, size_t j);

/* The number of starts, and the start 'which' in 'parameters'. */
size_t gcal_fit_start_count(const struct gcal_fit_problem *problem);
int gcal_fit_start(const struct gcal_fit_problem *problem, size_t which,
                   double *parameters, struct gcal_error *err);

/* Where a search ended. */
struct gcal_fit_point {
    double *parameters;
    double cost; /* sum of squares */
    int iterations;
    bool converged;
};

/* Levenberg-Marquardt within the bounds, from point->parameters.  0, or -1 when memory
 * ran out; a search that fails has converged = false.
 */
int gcal_fit_search(const struct gcal_fit_problem *problem, struct gcal_fit_point *point,
                    struct gcal_error *err);

/* ---- what a Jacobian tells ---- */

/* Some columns of a Jacobian, each scaled to length 1, decomposed: u s v'. */
struct gcal_fit_svd {
    size_t n; /* columns */
    size_t *column;
    double *scale; /* lengths of the columns, 0 for one of zeros */
    gsl_matrix *u, *v;
    gsl_vector *s, *work;
};

/* 'jacobian': n_rows x n_parameters; 'skip': columns that are left out, or NULL. */
int gcal_fit_svd_init(struct gcal_fit_svd *d, const double *jacobian, size_t n_rows,
                      size_t n_parameters, const bool *skip, struct gcal_error *err);
void gcal_fit_svd_clear(struct gcal_fit_svd *d);

/* Nothing changes along v's column k. */
bool gcal_fit_svd_is_null(const struct gcal_fit_svd *d, size_t k);

/* Fills what the Jacobian at fit->value tells: rank, condition, undetermined, at_bound,
 * merged_with, covariance and what follows from it, and 'reason' for parameters that are
 * not determined.
 */
int gcal_fit_diagnose(const struct gcal_fit_problem *problem, struct gcal_fit *fit,
                      struct gcal_error *err);

/* Covariance and what follows from it, of the parameters that are neither at a bound nor
 * merged with one before.  'jacobian' and 'psi': of gcal_fit_sensitivity(), the columns
 * of merged parameters added up.
 */
int gcal_fit_covariance(const struct gcal_fit_problem *problem, const double *jacobian,
                        const double *psi, struct gcal_fit *fit, struct gcal_error *err);

/* Makes the cost columns that are the same but for their length one: values, merged_with,
 * and the columns of the Jacobian.
 */
int gcal_fit_merge(const struct gcal_fit_problem *problem, double *jacobian,
                   struct gcal_fit *fit, struct gcal_error *err);

/* The error that is left to a shape held for want of knowledge. */
double gcal_fit_fixed_error(const struct gcal_fit_problem *problem, size_t j);

/* Where a weak parameter is held: a shape at its initial value; a cost that is hidden
 * behind others in all rows at half of where it would show, 0 for one that is not hidden.
 */
double gcal_fit_fixed_value(const struct gcal_fit_problem *problem,
                            const struct gcal_fit *fit, size_t j);

/* What the rows tell least: a shape; with 'merge_collinear', a shape or a cost of which
 * they tell nothing.  n_parameters when there is none.
 */
size_t gcal_fit_least_determined(const struct gcal_fit_problem *problem,
                                 const struct gcal_fit *fit);

/* ---- the result ---- */

/* Every value NaN, each parameter merged with itself. */
int gcal_fit_result_init(struct gcal_fit *fit, const struct gcal_fit_problem *problem,
                         struct gcal_error *err);

/* n values NaN, the caller's to free; NULL when memory ran out. */
double *gcal_fit_nans(size_t n);

void gcal_fit_find_range(const struct gcal_fit_rows *rows, struct gcal_fit *fit);

/* Predictions at fit->value and their errors, rows all alike. */
void gcal_fit_find_errors(const struct gcal_fit_problem *problem, struct gcal_fit *fit);

/* 'note': what merged_with and weak say. */
void gcal_fit_write_note(const struct gcal_fit_problem *problem, struct gcal_fit *fit);

/* GSL aborts the program on an error unless told. */
void gcal_fit_quiet_gsl(void);

#endif
