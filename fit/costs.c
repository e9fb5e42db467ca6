/* costs.c - which parameters are costs, and initial values of the shapes */
#include <math.h>

#include "kernels/model/model.h"
#include "kernels/model/rows.h"
#include "fit/private.h"

static double clamp(double x, double min, double max)
{
    return x < min ? min : x > max ? max : x;
}

void gcal_fit_eval(const struct gcal_fit_problem *problem, const double *parameters,
                   double *time_s)
{
    gcal_model_rows_eval(problem->at_rows, 0, problem->n_rows, parameters, time_s, NULL);
}

/* ---- shapes ---- */

double gcal_fit_shape_guess(const struct gcal_fit_problem *problem, size_t j,
                            size_t which)
{
    static const double factors[GCAL_FIT_SHAPE_GUESSES] = { 1, 4, 0.25 };
    static const double positions[GCAL_FIT_SHAPE_GUESSES] = { 0.5, 0.85, 0.15 };
    const struct gcal_model_parameter *p = &problem->model->parameters[j];
    bool bounded = isfinite(p->min) && isfinite(p->max);

    if (!isnan(p->initial) && (which == 0 || !bounded))
        return clamp(factors[which] * p->initial, p->min, p->max);
    if (!bounded)
        return clamp(factors[which], p->min, p->max);
    if (p->min > 0) /* ranges of several decades are usual */
        return p->min * pow(p->max / p->min, positions[which]);
    return p->min + positions[which] * (p->max - p->min);
}

double gcal_fit_shape_initial(const struct gcal_fit_problem *problem, size_t j)
{
    return gcal_fit_shape_guess(problem, j, 0);
}

/* ---- costs ---- */

/* The model grows without limit with a cost, and in proportion to a large one: at some row. */
static bool grows_in_proportion(const struct gcal_fit_problem *problem, size_t j,
                                double *large_s, double *larger_s)
{
    double parameters[256];
    bool found = false;

    for (size_t k = 0; k < problem->n_parameters; k++)
        parameters[k] = gcal_fit_shape_initial(problem, k);
    parameters[j] = 1e25;
    gcal_fit_eval(problem, parameters, large_s);
    parameters[j] = 1e28;
    gcal_fit_eval(problem, parameters, larger_s);
    for (size_t i = 0; i < problem->n_rows && !found; i++)
        found = fabs(larger_s[i] / large_s[i] / 1e3 - 1) < 0.1;
    return found;
}

/* A factor with a range, such as the exposed share of a time, scales the model as well,
 * but without any cost the time stays 0 whatever its value.
 */
static bool is_share(const struct gcal_fit_problem *problem, size_t j, double *none_s,
                     double *most_s)
{
    const struct gcal_model_parameter *p = &problem->model->parameters[j];
    double parameters[256];
    bool same = true;

    if (!isfinite(p->max))
        return false;
    for (size_t k = 0; k < problem->n_parameters; k++)
        parameters[k] = problem->is_cost[k] ? 0 : gcal_fit_shape_initial(problem, k);
    parameters[j] = 0;
    gcal_fit_eval(problem, parameters, none_s);
    parameters[j] = p->max;
    gcal_fit_eval(problem, parameters, most_s);
    for (size_t i = 0; i < problem->n_rows && same; i++)
        same = most_s[i] == none_s[i];
    return same;
}

void gcal_fit_find_costs(struct gcal_fit_problem *problem)
{
    struct gcal_arena *arena = gcal_arena_create();
    double *one_s = gcal_arena_alloc(arena, problem->n_rows, sizeof(*one_s));
    double *other_s = gcal_arena_alloc(arena, problem->n_rows, sizeof(*other_s));
    size_t n = problem->n_parameters;

    for (size_t j = 0; j < n; j++)
        problem->is_cost[j] = grows_in_proportion(problem, j, one_s, other_s);
    for (size_t j = 0; j < n; j++)
        problem->is_cost[j] =
            problem->is_cost[j] && !is_share(problem, j, one_s, other_s);
    gcal_arena_destroy(arena);
}
