/* start.c - where searches start
 *
 * Costs: taking the model for the sum of its parts, each cost alone with the others 0,
 * non-negative least squares gives their size.  Shapes (exponents, edges): what the
 * model says, or a few guesses.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_matrix.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_vector.h>

#include "calib/base/error.h"
#include "calib/model/model.h"
#include "fit/private.h"

#define N_SHAPES 3 /* guesses for all shapes together */
#define N_COSTS  2 /* ways to start the costs */
#define N_PASSES 4 /* of least squares, each weighing rows by the one before */

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

double gcal_fit_shape_initial(const struct gcal_fit_problem *problem, size_t j)
{
    return shape_guess(&problem->model->parameters[j], 0);
}

static double eval(const struct gcal_fit_problem *problem, size_t i,
                   const double *parameters)
{
    return gcal_model_eval(problem->model, parameters,
                           problem->rows->features + i * problem->rows->n_features, NULL);
}

/* A cost makes the model grow without end, and in the end in proportion. */
static bool grows_in_proportion(const struct gcal_fit_problem *problem, size_t i,
                                size_t j, double *parameters)
{
    double large, larger;

    for (size_t k = 0; k < problem->n_parameters; k++)
        parameters[k] = shape_guess(&problem->model->parameters[k], 0);
    parameters[j] = 1e25;
    large = eval(problem, i, parameters);
    parameters[j] = 1e28;
    larger = eval(problem, i, parameters);
    return fabs(larger / large / 1e3 - 1) < 0.1;
}

/* A factor within a range, such as the share of a time that is not hidden, makes it grow
 * too, but is no time where all others are 0.
 */
static bool is_share(const struct gcal_fit_problem *problem, size_t j, double *parameters)
{
    const struct gcal_model_parameter *p = &problem->model->parameters[j];

    if (!isfinite(p->max))
        return false;
    for (size_t k = 0; k < problem->n_parameters; k++)
        parameters[k] =
            problem->is_cost[k] ? 0 : shape_guess(&problem->model->parameters[k], 0);
    for (size_t i = 0; i < problem->n_rows; i++) {
        double none_s;

        parameters[j] = 0;
        none_s = eval(problem, i, parameters);
        parameters[j] = p->max;
        if (eval(problem, i, parameters) != none_s)
            return false;
    }
    return true;
}

void gcal_fit_find_costs(struct gcal_fit_problem *problem)
{
    size_t n = problem->n_parameters;
    double parameters[256];

    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < problem->n_rows && !problem->is_cost[j]; i++)
            problem->is_cost[j] = grows_in_proportion(problem, i, j, parameters);
    for (size_t j = 0; j < n; j++)
        problem->is_cost[j] = problem->is_cost[j] && !is_share(problem, j, parameters);
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
static void fill_components(const struct gcal_fit_problem *problem, double *parameters,
                            gsl_matrix *components, gsl_vector *wanted)
{
    const double *time_s = problem->rows->time_s;

    for (size_t j = 0; j < problem->n_parameters; j++)
        if (problem->is_cost[j])
            parameters[j] = 0;
    for (size_t i = 0; i < problem->n_rows; i++) {
        double weight = problem->weight[i], none_s = eval(problem, i, parameters);

        gsl_vector_set(wanted, i, weight * (1 - none_s / time_s[i]));
        for (size_t j = 0; j < problem->n_parameters; j++) {
            double component = 0;

            if (problem->is_cost[j]) {
                parameters[j] = 1;
                component = eval(problem, i, parameters) - none_s;
                parameters[j] = 0;
            }
            gsl_matrix_set(components, i, j,
                           isfinite(component) ? weight * component / time_s[i] : 0);
        }
    }
}

/* Half of what each cost could be at most, all but the odd row considered. */
static void guess_costs(const struct gcal_fit_problem *problem,
                        const gsl_matrix *components, double *half, double *sorted)
{
    for (size_t j = 0; j < components->size2; j++) {
        size_t n = 0;

        for (size_t i = 0; i < components->size1; i++)
            if (fabs(gsl_matrix_get(components, i, j)) > 0)
                sorted[n++] = fabs(gsl_matrix_get(components, i, j)) / problem->weight[i];
        gsl_sort(sorted, 1, n);
        half[j] = n ? 0.5 / sorted[(size_t)(0.95 * (double)(n - 1))] : 1e-9;
    }
}

/* Rows count by how far they are off: see gcal_fit_row_factor(). */
static void bound_rows(const struct gcal_fit_problem *problem,
                       const gsl_matrix *components, const gsl_vector *wanted,
                       const double *costs, double *factor)
{
    for (size_t i = 0; i < components->size1; i++) {
        double off = -gsl_vector_get(wanted, i);

        for (size_t j = 0; j < components->size2; j++)
            off += gsl_matrix_get(components, i, j) * costs[j];
        factor[i] = problem->weight[i] > 0
                        ? gcal_fit_row_factor(problem, i, off / problem->weight[i])
                        : 0;
    }
}

/* 'normal': sum of the rows' outer products, 'right': with what is wanted; columns are
 * taken to length 1, 'norm' the lengths.
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

/* Non-negative least squares by coordinate descent on the normal equations; it gives a
 * start, so a few hundred sweeps do.
 */
static void descend(const gsl_matrix *normal, const gsl_vector *right, double *shares)
{
    size_t n = normal->size1;

    for (int sweep = 0; sweep < 300; sweep++)
        for (size_t j = 0; j < n; j++) {
            double rest = gsl_vector_get(right, j);

            for (size_t k = 0; k < n; k++)
                rest -= k == j ? 0 : gsl_matrix_get(normal, j, k) * shares[k];
            shares[j] = gsl_matrix_get(normal, j, j) > 0 ? fmax(rest, 0) : 0;
        }
}

/* 'costs': the guess, which becomes the solution where rows far off it pull less. */
static int least_squares(const struct gcal_fit_problem *problem,
                         const gsl_matrix *components, const gsl_vector *wanted,
                         double *costs, double *factor)
{
    size_t n = components->size2;
    gsl_matrix *normal = gsl_matrix_alloc(n, n);
    gsl_vector *right = gsl_vector_alloc(n);
    double shares[256], norm[256];
    int rc = -1;

    for (int pass = 0; normal && right && pass < N_PASSES; pass++) {
        bound_rows(problem, components, wanted, costs, factor);
        add_rows(components, wanted, factor, normal, right, norm);
        for (size_t j = 0; j < n; j++)
            shares[j] = costs[j] * norm[j];
        descend(normal, right, shares);
        for (size_t j = 0; j < n; j++)
            costs[j] = norm[j] > 0 ? shares[j] / norm[j] : costs[j];
        rc = 0;
    }
    gsl_matrix_free(normal);
    gsl_vector_free(right);
    return rc;
}

/* None starts at 0, where a p-norm has no slope. */
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

/* Start 0: the least-squares solution; start 1: every cost at half of what it could be
 * at most.
 */
static int start_costs(const struct gcal_fit_problem *problem, size_t which,
                       gsl_matrix *components, gsl_vector *wanted, double *parameters)
{
    double half[256], costs[256];
    double *work = calloc(problem->n_rows + 1, sizeof(*work));
    int rc = -1;

    if (!work)
        return -1;
    fill_components(problem, parameters, components, wanted);
    guess_costs(problem, components, half, work);
    memcpy(costs, half, sizeof(costs));
    if (which == 0 && least_squares(problem, components, wanted, costs, work) < 0)
        goto out;
    take_costs(problem, which == 0 ? costs : half, half, parameters);
    rc = 0;
out:
    free(work);
    return rc;
}

int gcal_fit_start(const struct gcal_fit_problem *problem, size_t which,
                   double *parameters, struct gcal_error *err)
{
    size_t n = problem->n_parameters;
    gsl_matrix *components;
    gsl_vector *wanted;
    int rc = -1;

    for (size_t j = 0; j < n; j++)
        parameters[j] = shape_guess(&problem->model->parameters[j], which / N_COSTS);
    if (n == 0)
        return 0;
    components = gsl_matrix_alloc(problem->n_rows, n);
    wanted = gsl_vector_alloc(problem->n_rows);
    if (components && wanted)
        rc = start_costs(problem, which % N_COSTS, components, wanted, parameters);
    gsl_matrix_free(components);
    gsl_vector_free(wanted);
    return rc < 0 ? gcal_error_memory(err) : 0;
}
