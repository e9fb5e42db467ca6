/* identifiability.c - what the rows do not determine: collinear costs, hidden costs, and
 * exponents without effect
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/model/model.h"
#include "fit/private.h"

/* Columns of length 1 are collinear up to this distance: rounding. */
#define COLLINEAR_DISTANCE 1e-9
/* Moving time between collinear costs changes no row: the sum of squares stays within
 * this share.
 */
#define SAME_COST 1e-7

static double column_length(const double *jacobian, size_t n_rows, size_t n, size_t j)
{
    double largest = 0, squares = 0;

    for (size_t i = 0; i < n_rows; i++)
        largest = fmax(largest, fabs(jacobian[i * n + j]));
    for (size_t i = 0; largest > 0 && i < n_rows; i++)
        squares += pow(jacobian[i * n + j] / largest, 2);
    return largest * sqrt(squares);
}

/* ---- costs of work that no kernel has ---- */

void gcal_fit_fix_unmeasured(struct gcal_fit_problem *problem, struct gcal_fit *fit)
{
    const struct gcal_model *model = problem->model;
    size_t n = problem->n_parameters;
    struct gcal_arena *arena = gcal_arena_create();
    double *start = gcal_arena_alloc(arena, n, sizeof(*start));
    double *jacobian =
        gcal_arena_alloc(arena, problem->n_rows * (n + 1), sizeof(*jacobian));

    for (size_t j = 0; j < n; j++)
        start[j] = !problem->is_cost[j] ? gcal_fit_shape_initial(problem, j)
                   : isnan(model->parameters[j].initial) ? 1e-9
                                                         : model->parameters[j].initial;
    if (gcal_fit_sensitivity(problem, start, jacobian, jacobian + problem->n_rows * n) ==
        0)
        for (size_t j = 0; j < n; j++)
            if (model->parameters[j].optional &&
                column_length(jacobian, problem->n_rows, n, j) == 0) {
                problem->fixed[j] = fit->unmeasured[j] = true;
                problem->fixed_value[j] = 0;
                problem->n_known--;
            }
    gcal_arena_destroy(arena);
}

/* ---- merged costs ---- */

static bool are_collinear(const double *jacobian, const double *length, size_t n_rows,
                          size_t n, size_t a, size_t b)
{
    double squares = 0;

    for (size_t i = 0; i < n_rows; i++)
        squares +=
            pow(jacobian[i * n + a] / length[a] - jacobian[i * n + b] / length[b], 2);
    return squares < COLLINEAR_DISTANCE * COLLINEAR_DISTANCE;
}

/* Gives all costs merged with 'first' the same time; false when that changes the fit. */
static bool share(const struct gcal_fit_problem *problem, const double *length,
                  size_t first, struct gcal_fit *fit, double *trial)
{
    size_t n = fit->n_parameters, k = 0;
    double time = 0, cost = gcal_fit_residuals(problem, fit->value, NULL);
    bool inside = true;

    memcpy(trial, fit->value, n * sizeof(*trial));
    for (size_t j = first; j < n; j++)
        if (fit->merged_with[j] == first) {
            time += fit->value[j] * length[j];
            k++;
        }
    for (size_t j = first; j < n; j++)
        if (fit->merged_with[j] == first) {
            trial[j] = time / (double)k / length[j];
            inside &= trial[j] >= problem->model->parameters[j].min &&
                      trial[j] <= problem->model->parameters[j].max;
        }
    if (!inside || !(fabs(gcal_fit_residuals(problem, trial, NULL) - cost) <=
                     SAME_COST * cost + 1e-20))
        return false;
    memcpy(fit->value, trial, n * sizeof(*trial));
    return true;
}

void gcal_fit_merge(const struct gcal_fit_problem *problem, double *jacobian,
                    struct gcal_fit *fit)
{
    size_t n = fit->n_parameters;
    struct gcal_arena *arena = gcal_arena_create();
    double *length = gcal_arena_alloc(arena, 2 * n, sizeof(*length));

    for (size_t j = 0; j < n; j++)
        length[j] = column_length(jacobian, problem->n_rows, n, j);
    for (size_t a = 0; a < n; a++)
        for (size_t b = a + 1; b < n; b++)
            if (fit->merged_with[a] == a && fit->merged_with[b] == b &&
                problem->is_cost[a] && problem->is_cost[b] && length[a] > 0 &&
                length[b] > 0 &&
                are_collinear(jacobian, length, problem->n_rows, n, a, b))
                fit->merged_with[b] = a;
    for (size_t first = 0; first < n; first++) {
        size_t others = 0;

        for (size_t j = first + 1; j < n; j++)
            others += fit->merged_with[j] == first;
        if (others == 0)
            continue;
        if (share(problem, length, first, fit, length + n)) {
            double k = 0;

            /* The column of 'first' becomes that of the merged cost, in the units of 'first'. */
            for (size_t j = first; j < n; j++)
                k += fit->merged_with[j] == first;
            for (size_t i = 0; i < problem->n_rows; i++) /* all columns are equal */
                jacobian[i * n + first] *= k;
        } else
            for (size_t j = first; j < n; j++)
                if (fit->merged_with[j] == first)
                    fit->merged_with[j] = j;
    }
    gcal_arena_destroy(arena);
}

/* ---- hidden costs ---- */

/* Where max(a, b) is always a, any b up to a fits equally well.  The largest value of
 * cost j that raises the sum of squares by at most 'same'; 0 when it is not hidden.
 */
static double hidden_limit(const struct gcal_fit_problem *problem,
                           const struct gcal_fit *fit, size_t j, double same)
{
    size_t n = fit->n_parameters;
    double cost = gcal_fit_residuals(problem, fit->value, NULL) + same;
    double parameters[256], low = 0, high = 1e-25;

    memcpy(parameters, fit->value, n * sizeof(*parameters));
    parameters[j] = 0;
    if (!(gcal_fit_residuals(problem, parameters, NULL) <= cost))
        return 0;
    for (parameters[j] = high; gcal_fit_residuals(problem, parameters, NULL) <= cost;
         parameters[j] = high) {
        low = high;
        high *= 4;
        if (high > 1e10) /* no row depends on it */
            return 0;
    }
    for (int i = 0; i < 20; i++) {
        parameters[j] = (low + high) / 2;
        if (gcal_fit_residuals(problem, parameters, NULL) <= cost)
            low = parameters[j];
        else
            high = parameters[j];
    }
    return fmin(low, problem->model->parameters[j].max);
}

double gcal_fit_fixed_value(const struct gcal_fit_problem *problem,
                            const struct gcal_fit *fit, size_t j)
{
    double spare = (double)problem->n_used - (double)problem->n_known;
    double squares = gcal_fit_residuals(problem, fit->value, NULL);

    if (!problem->is_cost[j])
        return gcal_fit_shape_initial(problem, j);
    return hidden_limit(problem, fit, j, spare > 0 ? squares / spare : 0) / 2;
}

/* ---- poorly determined parameters ---- */

double gcal_fit_fixed_error(const struct gcal_fit_problem *problem, size_t j)
{
    const struct gcal_model_parameter *p = &problem->model->parameters[j];
    double range = (p->max - p->min) / sqrt(12); /* uniform between the bounds */
    double size = fabs(problem->fixed_value[j]);

    if (problem->is_cost[j]) /* uniform from 0 to twice its value */
        return size / sqrt(3);
    if (!isfinite(range))
        return size > 0 ? size : 1;
    return size > 0 ? fmin(range, size) : range;
}

/* From 1 on the parameter is poorly determined: its error reaches its size or range. */
static double indeterminacy(const struct gcal_fit_problem *problem,
                            const struct gcal_fit *fit, size_t j)
{
    const struct gcal_model_parameter *p = &problem->model->parameters[j];
    double error = fit->standard_error[j];
    double reach = error * gcal_fit_interval_factor(0.95, fit->freedom);
    double relative = error / fabs(fit->value[j]);

    if (fit->value[j] - reach <= p->min && fit->value[j] + reach >= p->max)
        return fmax(relative, 1);
    return relative;
}

/* A parameter without a range that no row depends on may be a cost without kernels: it
 * stays undetermined.
 */
static bool is_hidden(const struct gcal_fit_problem *problem, const struct gcal_fit *fit,
                      size_t j)
{
    if (!fit->undetermined[j] || !problem->rows->merge_collinear)
        return false;
    return problem->is_cost[j] ? gcal_fit_fixed_value(problem, fit, j) > 0
                               : isfinite(problem->model->parameters[j].max);
}

size_t gcal_fit_least_determined(const struct gcal_fit_problem *problem,
                                 const struct gcal_fit *fit)
{
    size_t n = fit->n_parameters, which = n;
    double worst = 1;

    for (size_t j = 0; j < n; j++) {
        if (problem->fixed[j])
            continue;
        if (fit->status == GCAL_FIT_UNDETERMINED) {
            if (is_hidden(problem, fit, j))
                return j;
        } else if (!problem->is_cost[j] && !fit->at_bound[j] &&
                   indeterminacy(problem, fit, j) >= worst) {
            worst = indeterminacy(problem, fit, j);
            which = j;
        }
    }
    return which;
}
