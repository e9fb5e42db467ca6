/* start.c - starting points of the searches
 *
 * Costs: non-negative least squares, with the model approximated by the sum of its
 * components (the model with one cost at a time, the others 0).  Shapes (exponents,
 * edges): the initial value that the model gives, or a few guesses.
 */
#include <math.h>
#include <string.h>

#include <gsl/gsl_matrix.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_vector.h>

#include "kernels/base/median.h"
#include "kernels/model/model.h"
#include "fit/private.h"

#define N_COST_STARTS 2 /* see start_costs() */
#define N_PASSES      4 /* of least squares; each weighs rows by the previous solution */

static double clamp(double x, double min, double max)
{
    return x < min ? min : x > max ? max : x;
}

size_t gcal_fit_start_count(const struct gcal_fit_problem *problem)
{
    size_t n_costs = 0;

    for (size_t j = 0; j < problem->n_parameters; j++)
        n_costs += problem->is_cost[j];

    /* A model of costs alone is usually linear, and one start finds the optimum; the
     * second start is for min, max and products.
     */
    return n_costs == problem->n_parameters ? N_COST_STARTS
                                            : GCAL_FIT_SHAPE_GUESSES * N_COST_STARTS;
}

/* Column j of the components: the model with cost j at 1 and the others 0, divided by
 * the measured time.
 */
static void fill_components(const struct gcal_fit_problem *problem, double *parameters,
                            gsl_matrix *components, gsl_vector *wanted, double *none_s,
                            double *one_s)
{
    const double *time_s = problem->rows->time_s;

    for (size_t j = 0; j < problem->n_parameters; j++)
        if (problem->is_cost[j])
            parameters[j] = 0;
    gcal_fit_eval(problem, parameters, none_s);
    for (size_t i = 0; i < problem->n_rows; i++)
        gsl_vector_set(wanted, i, problem->weight[i] * (1 - none_s[i] / time_s[i]));
    gsl_matrix_set_zero(components);
    for (size_t j = 0; j < problem->n_parameters; j++) {
        if (!problem->is_cost[j])
            continue;
        parameters[j] = 1;
        gcal_fit_eval(problem, parameters, one_s);
        parameters[j] = 0;
        for (size_t i = 0; i < problem->n_rows; i++) {
            double component = one_s[i] - none_s[i];

            if (isfinite(component))
                gsl_matrix_set(components, i, j,
                               problem->weight[i] * component / time_s[i]);
        }
    }
}

/* The normal equations of columns scaled to length 1: 'normal' is the matrix, 'right' the
 * right-hand side, 'norm' the columns' lengths.
 */
static void add_rows(const gsl_matrix *components, const gsl_vector *wanted,
                     const double *factor, gsl_matrix *normal, gsl_vector *right,
                     double *norm)
{
    size_t n = components->size2;

    gsl_matrix_set_zero(normal);
    gsl_vector_set_zero(right);
    for (size_t j = 0; j < n; j++) {
        norm[j] = 0;
        for (size_t i = 0; i < components->size1; i++)
            norm[j] += factor[i] * pow(gsl_matrix_get(components, i, j), 2);
        norm[j] = sqrt(norm[j]);
    }
    for (size_t i = 0; i < components->size1; i++)
        for (size_t a = 0; a < n; a++) {
            double component =
                norm[a] > 0 ? factor[i] * gsl_matrix_get(components, i, a) / norm[a] : 0;

            if (component == 0)
                continue;
            *gsl_vector_ptr(right, a) += component * gsl_vector_get(wanted, i);
            for (size_t b = 0; b < n; b++)
                if (norm[b] > 0)
                    *gsl_matrix_ptr(normal, a, b) +=
                        component * gsl_matrix_get(components, i, b) / norm[b];
        }
}

/* Iteratively reweighted least squares.  'costs': the guess, replaced by the solution. */
static void least_squares(struct gcal_arena *arena,
                          const struct gcal_fit_problem *problem,
                          const gsl_matrix *components, const gsl_vector *wanted,
                          double *costs, double *factor)
{
    size_t n = components->size2;
    gsl_matrix *normal = gcal_fit_matrix(arena, n, n);
    gsl_vector *right = gcal_fit_vector(arena, n);
    double shares[256], norm[256];

    for (int pass = 0; pass < N_PASSES; pass++) {
        /* The weight of each row by its residual: see gcal_fit_row_factor(). */
        for (size_t i = 0; i < components->size1; i++) {
            double residual = -gsl_vector_get(wanted, i);

            for (size_t j = 0; j < components->size2; j++)
                residual += gsl_matrix_get(components, i, j) * costs[j];
            factor[i] =
                problem->weight[i] > 0
                    ? gcal_fit_row_factor(problem, i, residual / problem->weight[i])
                    : 0;
        }
        add_rows(components, wanted, factor, normal, right, norm);
        for (size_t j = 0; j < n; j++)
            shares[j] = costs[j] * norm[j];
        /* Non-negative least squares by coordinate descent on the normal equations; a few
         * hundred sweeps are exact enough for a starting point.
         */
        for (int sweep = 0; sweep < 300; sweep++)
            for (size_t j = 0; j < n; j++) {
                double rest = gsl_vector_get(right, j);

                for (size_t k = 0; k < n; k++)
                    rest -= k == j ? 0 : gsl_matrix_get(normal, j, k) * shares[k];
                shares[j] = gsl_matrix_get(normal, j, j) > 0 ? fmax(rest, 0) : 0;
            }
        for (size_t j = 0; j < n; j++)
            costs[j] = norm[j] > 0 ? shares[j] / norm[j] : costs[j];
    }
}

/* No cost starts at 0, where a p-norm has no slope. */
static void take_costs(const struct gcal_fit_problem *problem, const double *costs,
                       const double *half, double *parameters)
{
    for (size_t j = 0; j < problem->n_parameters; j++) {
        const struct gcal_model_parameter *p = &problem->model->parameters[j];
        double cost = costs != half && !isnan(p->initial) ? p->initial : costs[j];

        if (problem->is_cost[j])
            parameters[j] = clamp(fmax(cost, 1e-3 * half[j]), p->min, p->max);
    }
}

/* Start 0: the least-squares solution; start 1: every cost at half of its upper limit. */
static void start_costs(struct gcal_arena *arena, const struct gcal_fit_problem *problem,
                        size_t which, double *parameters)
{
    gsl_matrix *components =
        gcal_fit_matrix(arena, problem->n_rows, problem->n_parameters);
    gsl_vector *wanted = gcal_fit_vector(arena, problem->n_rows);
    double half[256], costs[256];
    double *work = gcal_arena_alloc(arena, 2 * problem->n_rows, sizeof(*work));

    fill_components(problem, parameters, components, wanted, work,
                    work + problem->n_rows);
    /* Half of the upper limit of each cost: where it alone explains a row's time, at the
     * 95th percentile of the rows, so that an outlier does not set the limit.
     */
    for (size_t j = 0; j < problem->n_parameters; j++) {
        size_t n = 0;

        for (size_t i = 0; i < components->size1; i++)
            if (fabs(gsl_matrix_get(components, i, j)) > 0)
                work[n++] = fabs(gsl_matrix_get(components, i, j)) / problem->weight[i];
        gsl_sort(work, 1, n);
        half[j] = n ? 0.5 / work[(size_t)(0.95 * (double)(n - 1))] : 1e-9;
    }
    memcpy(costs, half, sizeof(costs));
    if (which == 0)
        least_squares(arena, problem, components, wanted, costs, work);
    take_costs(problem, which == 0 ? costs : half, half, parameters);
}

void gcal_fit_start(const struct gcal_fit_problem *problem, size_t which,
                    double *parameters)
{
    size_t n = problem->n_parameters;
    struct gcal_arena *arena = gcal_arena_create();

    for (size_t j = 0; j < n; j++)
        parameters[j] = gcal_fit_shape_guess(problem, j, which / N_COST_STARTS);
    if (n)
        start_costs(arena, problem, which % N_COST_STARTS, parameters);
    gcal_arena_destroy(arena);
}

void gcal_fit_start_at(const struct gcal_fit_problem *problem, const double *values,
                       double *parameters)
{
    struct gcal_arena *arena = gcal_arena_create();
    double *sorted = gcal_arena_alloc(arena, problem->n_rows, sizeof(*sorted)), ratio;

    memcpy(parameters, values, problem->n_parameters * sizeof(*parameters));
    /* The median of measured over predicted time. */
    size_t n = 0;
    gcal_fit_eval(problem, parameters, sorted);
    for (size_t i = 0; i < problem->n_rows; i++)
        if (sorted[i] > 0 && isfinite(sorted[i]))
            sorted[n++] = problem->rows->time_s[i] / sorted[i];
    ratio = n ? gcal_median(sorted, n) : 1;
    for (size_t j = 0; j < problem->n_parameters; j++) {
        const struct gcal_model_parameter *p = &problem->model->parameters[j];

        if (problem->is_cost[j])
            parameters[j] = clamp(ratio * parameters[j], p->min, p->max);
    }
    gcal_arena_destroy(arena);
}
