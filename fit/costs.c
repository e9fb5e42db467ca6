/* costs.c - which parameters are costs, and initial values of the shapes */
#include <math.h>

#include "calib/model/model.h"
#include "fit/private.h"

static double clamp(double x, double min, double max)
{
    return x < min ? min : x > max ? max : x;
}

double gcal_fit_eval(const struct gcal_fit_problem *problem, size_t i,
                     const double *parameters, double *gradient)
{
    const struct gcal_fit_rows *rows = problem->rows;

    return gcal_model_eval(problem->model, parameters,
                           rows->features + i * rows->n_features, gradient);
}

/* ---- known parameters ---- */

bool gcal_fit_is_given(const struct gcal_fit_problem *problem, size_t j)
{
    return problem->rows->given && !isnan(problem->rows->given[j]);
}

/* ---- shapes ---- */

double gcal_fit_shape_guess(const struct gcal_fit_problem *problem, size_t j,
                            size_t which)
{
    static const double factors[GCAL_FIT_SHAPE_GUESSES] = { 1, 4, 0.25 };
    static const double positions[GCAL_FIT_SHAPE_GUESSES] = { 0.5, 0.85, 0.15 };
    const struct gcal_model_parameter *p = &problem->model->parameters[j];
    bool bounded = isfinite(p->min) && isfinite(p->max);

    if (gcal_fit_is_given(problem, j))
        return problem->rows->given[j];
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

/* The model grows without limit with a cost, and in proportion to a large one. */
static bool grows_in_proportion(const struct gcal_fit_problem *problem, size_t i,
                                size_t j, double *parameters)
{
    double large, larger;

    for (size_t k = 0; k < problem->n_parameters; k++)
        parameters[k] = gcal_fit_shape_initial(problem, k);
    parameters[j] = 1e25;
    large = gcal_fit_eval(problem, i, parameters, NULL);
    parameters[j] = 1e28;
    larger = gcal_fit_eval(problem, i, parameters, NULL);
    return fabs(larger / large / 1e3 - 1) < 0.1;
}

/* A factor with a range, such as the exposed share of a time, scales the model as well,
 * but without any cost the time stays 0 whatever its value.
 */
static bool is_share(const struct gcal_fit_problem *problem, size_t j, double *parameters)
{
    const struct gcal_model_parameter *p = &problem->model->parameters[j];

    if (!isfinite(p->max))
        return false;
    for (size_t k = 0; k < problem->n_parameters; k++)
        parameters[k] = problem->is_cost[k] ? 0 : gcal_fit_shape_initial(problem, k);
    for (size_t i = 0; i < problem->n_rows; i++) {
        double none_s;

        parameters[j] = 0;
        none_s = gcal_fit_eval(problem, i, parameters, NULL);
        parameters[j] = p->max;
        if (gcal_fit_eval(problem, i, parameters, NULL) != none_s)
            return false;
    }
    return true;
}

void gcal_fit_find_costs(struct gcal_fit_problem *problem)
{
    size_t n = problem->n_parameters;
    double parameters[256];

    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < problem->n_rows && !problem->is_cost[j] &&
                           !gcal_fit_is_given(problem, j);
             i++)
            problem->is_cost[j] = grows_in_proportion(problem, i, j, parameters);
    for (size_t j = 0; j < n; j++)
        problem->is_cost[j] = problem->is_cost[j] && !is_share(problem, j, parameters);
}
