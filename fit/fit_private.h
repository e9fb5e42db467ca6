/* fit_private.h - the least-squares problem, as the steps of gcal_fit_solve() see it */
#ifndef GCAL_FIT_PRIVATE_H
#define GCAL_FIT_PRIVATE_H

#include "fit/fit.h"

/* No model is better than this: rows measured more exactly weigh no more than rows
 * measured this exactly, else a few quiet kernels would decide alone.
 */
#define GCAL_FIT_MISFIT_FLOOR 0.01

/* Residuals are weight * (model / time - 1).  Parameters are in their own units here. */
struct gcal_fit_problem {
    const struct gcal_model *model;
    const struct gcal_fit_rows *rows;
    size_t n_parameters, n_rows;
    double *weight; /* n_rows, at most 1 */
    bool *is_cost;  /* n_parameters: the model grows in proportion to it */
};

/* 'residuals': n_rows, or NULL.  Returns their sum of squares; not finite when the model
 * is not.
 */
double gcal_fit_residuals(const struct gcal_fit_problem *problem,
                          const double *parameters, double *residuals);

/* 'jacobian': n_rows x n_parameters, d residual / d parameter.  -1 when not finite. */
int gcal_fit_jacobian(const struct gcal_fit_problem *problem, const double *parameters,
                      double *jacobian);

/* Tells costs from shapes (exponents, edges). */
void gcal_fit_find_costs(struct gcal_fit_problem *problem);

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

/* Fills what the Jacobian at fit->value tells: condition, undetermined, at_bound,
 * covariance, standard errors, and 'reason' for parameters that are not determined.
 */
int gcal_fit_diagnose(const struct gcal_fit_problem *problem, struct gcal_fit *fit,
                      struct gcal_error *err);

#endif
