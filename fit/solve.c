/* solve.c - from rows to a result: checks, starts, the best search, its errors */
#include "fit/fit.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>

#include "calib/base/error.h"
#include "calib/model/model.h"
#include "fit/fit_private.h"

/* GSL aborts the program on an error unless told. */
static void quiet_gsl(void)
{
    gsl_set_error_handler_off();
}

/* ---- the problem ---- */

double gcal_fit_residuals(const struct gcal_fit_problem *problem,
                          const double *parameters, double *residuals)
{
    const struct gcal_fit_rows *rows = problem->rows;
    double sum = 0;

    for (size_t i = 0; i < rows->n_rows; i++) {
        double time_s = gcal_model_eval(problem->model, parameters,
                                        rows->features + i * rows->n_features, NULL);
        double residual = problem->weight[i] * (time_s / rows->time_s[i] - 1);

        if (residuals)
            residuals[i] = residual;
        sum += residual * residual;
    }
    return sum;
}

int gcal_fit_jacobian(const struct gcal_fit_problem *problem, const double *parameters,
                      double *jacobian)
{
    const struct gcal_fit_rows *rows = problem->rows;
    size_t n = problem->n_parameters;

    for (size_t i = 0; i < rows->n_rows; i++) {
        gcal_model_eval(problem->model, parameters, rows->features + i * rows->n_features,
                        jacobian + i * n);
        for (size_t j = 0; j < n; j++) {
            jacobian[i * n + j] *= problem->weight[i] / rows->time_s[i];
            if (!isfinite(jacobian[i * n + j]))
                return -1;
        }
    }
    return 0;
}

static int check_row(const struct gcal_fit_rows *rows, size_t i, struct gcal_error *err)
{
    if (!(rows->time_s[i] > 0) || isinf(rows->time_s[i]))
        return gcal_error_set(err, GCAL_EINPUT, "row %zu: a time of %g s", i + 1,
                              rows->time_s[i]);
    if (rows->spread && !(rows->spread[i] >= 0))
        return gcal_error_set(err, GCAL_EINPUT, "row %zu: a spread of %g", i + 1,
                              rows->spread[i]);
    for (size_t k = 0; k < rows->n_features; k++) {
        double value = rows->features[i * rows->n_features + k];

        if (!(value >= 0) || isinf(value))
            return gcal_error_set(err, GCAL_EINPUT, "row %zu: feature %zu is %g", i + 1,
                                  k + 1, value);
    }
    return 0;
}

static int problem_init(struct gcal_fit_problem *problem, const struct gcal_model *model,
                        const struct gcal_fit_rows *rows, struct gcal_error *err)
{
    *problem = (struct gcal_fit_problem){ .model = model,
                                          .rows = rows,
                                          .n_parameters = model->n_parameters,
                                          .n_rows = rows->n_rows };
    if (rows->n_features != model->n_features)
        return gcal_error_set(err, GCAL_EINPUT, "model %.60s has %zu features, rows %zu",
                              model->name, model->n_features, rows->n_features);
    for (size_t i = 0; i < rows->n_rows; i++)
        if (check_row(rows, i, err) < 0)
            return -1;
    problem->weight = calloc(rows->n_rows + 1, sizeof(double));
    problem->is_cost = calloc(model->n_parameters + 1, sizeof(bool));
    if (!problem->weight || !problem->is_cost)
        return gcal_error_memory(err);
    for (size_t i = 0; i < rows->n_rows; i++)
        problem->weight[i] =
            GCAL_FIT_MISFIT_FLOOR /
            hypot(GCAL_FIT_MISFIT_FLOOR, rows->spread ? rows->spread[i] : 0);
    return 0;
}

static void problem_clear(struct gcal_fit_problem *problem)
{
    free(problem->weight);
    free(problem->is_cost);
}

/* ---- the result ---- */

void gcal_fit_clear(struct gcal_fit *fit)
{
    free(fit->value);
    free(fit->standard_error);
    free(fit->covariance);
    free(fit->at_bound);
    free(fit->undetermined);
    free(fit->predicted_s);
    free(fit->feature_min);
    free(fit->feature_max);
    *fit = (struct gcal_fit){ 0 };
}

static double *nans(size_t count)
{
    double *values = malloc((count + 1) * sizeof(*values));

    for (size_t i = 0; values && i < count; i++)
        values[i] = NAN;
    return values;
}

static int fit_init(struct gcal_fit *fit, const struct gcal_fit_problem *problem,
                    struct gcal_error *err)
{
    size_t n = problem->n_parameters, n_features = problem->rows->n_features;

    *fit = (struct gcal_fit){ .n_parameters = n,
                              .n_rows = problem->n_rows,
                              .n_features = n_features,
                              .condition = NAN,
                              .residual = NAN,
                              .mean_error = NAN,
                              .worst_error = NAN };
    fit->value = nans(n);
    fit->standard_error = nans(n);
    fit->covariance = nans(n * n);
    fit->at_bound = calloc(n + 1, sizeof(bool));
    fit->undetermined = calloc(n + 1, sizeof(bool));
    fit->predicted_s = nans(problem->n_rows);
    fit->feature_min = nans(n_features);
    fit->feature_max = nans(n_features);
    if (fit->value && fit->standard_error && fit->covariance && fit->at_bound &&
        fit->undetermined && fit->predicted_s && fit->feature_min && fit->feature_max)
        return 0;
    return gcal_error_memory(err);
}

static void find_range(const struct gcal_fit_rows *rows, struct gcal_fit *fit)
{
    for (size_t i = 0; i < rows->n_rows; i++)
        for (size_t k = 0; k < rows->n_features; k++) {
            double value = rows->features[i * rows->n_features + k];

            fit->feature_min[k] = fmin(fit->feature_min[k], value);
            fit->feature_max[k] = fmax(fit->feature_max[k], value);
        }
}

/* Errors of the predictions, rows all alike. */
static void find_errors(const struct gcal_fit_problem *problem, struct gcal_fit *fit)
{
    const struct gcal_fit_rows *rows = problem->rows;
    double squares = 0, logs = 0;

    fit->worst_error = 0;
    for (size_t i = 0; i < rows->n_rows; i++) {
        double error;

        fit->predicted_s[i] = gcal_model_eval(
            problem->model, fit->value, rows->features + i * rows->n_features, NULL);
        error = fabs(fit->predicted_s[i] / rows->time_s[i] - 1);
        squares += error * error;
        logs += log(fmax(error, 1e-16)); /* an exact row must not make the mean 0 */
        fit->worst_error = fmax(fit->worst_error, error);
    }
    fit->residual = sqrt(squares / (double)rows->n_rows);
    fit->mean_error = exp(logs / (double)rows->n_rows);
}

static void too_few_rows(const struct gcal_fit_problem *problem, struct gcal_fit *fit)
{
    fit->status = GCAL_FIT_TOO_FEW_ROWS;
    for (size_t j = 0; j < fit->n_parameters; j++)
        fit->undetermined[j] = true;
    snprintf(fit->reason, sizeof(fit->reason),
             "%zu parameters cannot follow from %zu kernels: add measurement kernels",
             problem->n_parameters, problem->n_rows);
}

/* ---- the search ---- */

static bool better(const struct gcal_fit_point *a, const struct gcal_fit_point *b)
{
    if (!isfinite(a->cost))
        return false;
    /* Starts that end in the same place differ by rounding: the first of them counts. */
    return !isfinite(b->cost) || a->cost < b->cost * (1 - 1e-6) - 1e-20;
}

static int search_from_all(const struct gcal_fit_problem *problem, struct gcal_fit *fit,
                           struct gcal_error *err)
{
    size_t n = problem->n_parameters;
    struct gcal_fit_point best = { .cost = INFINITY }, point = { 0 };
    int rc = -1;

    if (!(point.parameters = nans(n)))
        return gcal_error_memory(err);
    for (size_t which = 0; which < gcal_fit_start_count(problem); which++) {
        if (gcal_fit_start(problem, which, point.parameters, err) < 0 ||
            gcal_fit_search(problem, &point, err) < 0)
            goto out;
        fit->iterations += point.iterations;
        if (which > 0 && !better(&point, &best))
            continue;
        memcpy(fit->value, point.parameters, n * sizeof(*fit->value));
        best = point;
    }
    fit->status = best.converged ? GCAL_FIT_GOOD : GCAL_FIT_NOT_CONVERGED;
    rc = 0;
out:
    free(point.parameters);
    return rc;
}

static int solve(struct gcal_fit_problem *problem, struct gcal_fit *fit,
                 struct gcal_error *err)
{
    find_range(problem->rows, fit);
    if (problem->n_rows < problem->n_parameters || problem->n_rows == 0) {
        too_few_rows(problem, fit);
        return 0;
    }
    gcal_fit_find_costs(problem);
    if (search_from_all(problem, fit, err) < 0)
        return -1;
    find_errors(problem, fit);
    if (!isfinite(fit->residual)) {
        fit->status = GCAL_FIT_NOT_CONVERGED;
        snprintf(fit->reason, sizeof(fit->reason),
                 "the model has no finite value at any start: give its exponents and "
                 "edges 'initial', 'min' and 'max'");
        return 0;
    }
    if (fit->status == GCAL_FIT_NOT_CONVERGED)
        snprintf(fit->reason, sizeof(fit->reason),
                 "the search did not settle in %d iterations: give exponents and edges "
                 "an 'initial' near their value, or a range",
                 fit->iterations);
    return gcal_fit_diagnose(problem, fit, err);
}

int gcal_fit_solve(const struct gcal_model *model, const struct gcal_fit_rows *rows,
                   struct gcal_fit *fit, struct gcal_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct gcal_fit_problem problem;
    struct gcal_fit result = { 0 };
    int rc = -1;

    pthread_once(&once, quiet_gsl);
    if (problem_init(&problem, model, rows, err) == 0 &&
        fit_init(&result, &problem, err) == 0)
        rc = solve(&problem, &result, err);
    problem_clear(&problem);
    if (rc < 0)
        gcal_fit_clear(&result);
    else
        *fit = result;
    return rc;
}
