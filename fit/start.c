/* start.c - where searches start
 *
 * Costs: taking the model for the sum of its parts, each cost alone with the others 0,
 * non-negative least squares gives their size.  Shapes (exponents, edges): what the
 * model says, or a few guesses.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_matrix.h>
#include <gsl/gsl_vector.h>

#include "calib/base/error.h"
#include "calib/model/model.h"
#include "fit/fit_private.h"

#define N_SHAPES 3 /* guesses for all shapes together */
#define N_COSTS  2 /* ways to start the costs */

static double clamp(double x, double min, double max)
{
    return x < min ? min : x > max ? max : x;
}

/* Guess 'which' of an exponent or an edge. */
static double shape_guess(const struct gcal_model_parameter *p, size_t which)
{
    static const double factors[N_SHAPES] = { 1, 4, 0.25 };
    static const double places[N_SHAPES] = { 0.5, 0.85, 0.15 };
    bool bounded = isfinite(p->min) && isfinite(p->max);

    if (!isnan(p->initial) && (which == 0 || !bounded))
        return clamp(factors[which] * p->initial, p->min, p->max);
    if (!bounded)
        return clamp(factors[which], p->min, p->max);
    if (p->min > 0) /* ranges of several decades are usual */
        return p->min * pow(p->max / p->min, places[which]);
    return p->min + places[which] * (p->max - p->min);
}

/* A cost makes the model grow without end, and in the end in proportion. */
void gcal_fit_find_costs(struct gcal_fit_problem *problem)
{
    const struct gcal_fit_rows *rows = problem->rows;
    size_t n = problem->n_parameters;
    double parameters[256];

    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < rows->n_rows && !problem->is_cost[j]; i++) {
            const double *features = rows->features + i * rows->n_features;
            double large, larger;

            for (size_t k = 0; k < n; k++)
                parameters[k] = shape_guess(&problem->model->parameters[k], 0);
            parameters[j] = 1e25;
            large = gcal_model_eval(problem->model, parameters, features, NULL);
            parameters[j] = 1e28;
            larger = gcal_model_eval(problem->model, parameters, features, NULL);
            problem->is_cost[j] = fabs(larger / large / 1e3 - 1) < 0.1;
        }
}

static size_t count_costs(const struct gcal_fit_problem *problem)
{
    size_t n = 0;

    for (size_t j = 0; j < problem->n_parameters; j++)
        n += problem->is_cost[j];
    return n;
}

size_t gcal_fit_start_count(const struct gcal_fit_problem *problem)
{
    size_t n_costs = count_costs(problem);

    /* With costs alone most models are linear, and one start finds the optimum; the
     * second is for min, max and products.
     */
    return n_costs == problem->n_parameters ? N_COSTS : N_SHAPES * N_COSTS;
}

/* Column j of the parts: the model with cost j at 1 and the others 0, over the time. */
static void fill_parts(const struct gcal_fit_problem *problem, double *parameters,
                       gsl_matrix *parts, gsl_vector *wanted)
{
    const struct gcal_fit_rows *rows = problem->rows;

    for (size_t j = 0; j < problem->n_parameters; j++)
        if (problem->is_cost[j])
            parameters[j] = 0;
    for (size_t i = 0; i < rows->n_rows; i++) {
        const double *features = rows->features + i * rows->n_features;
        double weight = problem->weight[i];
        double none_s = gcal_model_eval(problem->model, parameters, features, NULL);

        gsl_vector_set(wanted, i, weight * (1 - none_s / rows->time_s[i]));
        for (size_t j = 0; j < problem->n_parameters; j++) {
            double part = 0;

            if (problem->is_cost[j]) {
                parameters[j] = 1;
                part =
                    gcal_model_eval(problem->model, parameters, features, NULL) - none_s;
                parameters[j] = 0;
            }
            gsl_matrix_set(parts, i, j,
                           isfinite(part) ? weight * part / rows->time_s[i] : 0);
        }
    }
}

/* Non-negative least squares by coordinate descent.  The columns have norm 1 or 0; it
 * gives a start, so a few hundred sweeps do.
 */
static void descend(const gsl_matrix *parts, gsl_vector *rest, double *shares)
{
    for (int sweep = 0; sweep < 300; sweep++)
        for (size_t j = 0; j < parts->size2; j++) {
            gsl_vector_const_view column = gsl_matrix_const_column(parts, j);
            double step, old = shares[j];

            gsl_blas_ddot(&column.vector, rest, &step);
            shares[j] = fmax(old + step, 0);
            gsl_blas_daxpy(old - shares[j], &column.vector, rest);
        }
}

/* Start 0: the least-squares solution; start 1: every cost at half of what it could be
 * at most.  None starts at 0, where a p-norm has no slope.
 */
static void start_costs(const struct gcal_fit_problem *problem, size_t which,
                        gsl_matrix *parts, gsl_vector *wanted, double *parameters)
{
    double shares[256] = { 0 }, norms[256], most[256];

    for (size_t j = 0; j < parts->size2; j++) {
        gsl_vector_view column = gsl_matrix_column(parts, j);

        most[j] = fabs(gsl_vector_get(&column.vector, gsl_blas_idamax(&column.vector)));
        norms[j] = gsl_blas_dnrm2(&column.vector);
        gsl_vector_scale(&column.vector, norms[j] > 0 ? 1 / norms[j] : 0);
    }
    descend(parts, wanted, shares);
    for (size_t j = 0; j < parts->size2; j++) {
        const struct gcal_model_parameter *p = &problem->model->parameters[j];
        double half = most[j] > 0 ? 0.5 / most[j] : 1e-9;

        if (!problem->is_cost[j])
            continue;
        parameters[j] = which == 0 && norms[j] > 0 ? shares[j] / norms[j] : half;
        if (which == 0 && !isnan(p->initial))
            parameters[j] = p->initial;
        parameters[j] = clamp(fmax(parameters[j], 1e-3 * half), p->min, p->max);
    }
}

int gcal_fit_start(const struct gcal_fit_problem *problem, size_t which,
                   double *parameters, struct gcal_error *err)
{
    size_t n = problem->n_parameters;
    gsl_matrix *parts;
    gsl_vector *wanted;
    int rc = -1;

    for (size_t j = 0; j < n; j++)
        parameters[j] = shape_guess(&problem->model->parameters[j], which / N_COSTS);
    if (n == 0)
        return 0;
    parts = gsl_matrix_alloc(problem->n_rows, n);
    wanted = gsl_vector_alloc(problem->n_rows);
    if (parts && wanted) {
        fill_parts(problem, parameters, parts, wanted);
        start_costs(problem, which % N_COSTS, parts, wanted, parameters);
        rc = 0;
    } else
        gcal_error_memory(err);
    gsl_matrix_free(parts);
    gsl_vector_free(wanted);
    return rc;
}
