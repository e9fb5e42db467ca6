/* result.c - the result of a fit: memory, ranges, errors and notes */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernels/model/model.h"
#include "fit/error_summary.h"
#include "fit/private.h"

void gcal_fit_clear(struct gcal_fit *fit)
{
    gcal_arena_destroy(fit->arena);
    *fit = (struct gcal_fit){ 0 };
}

double *gcal_fit_nans(struct gcal_arena *arena, size_t n)
{
    double *array = gcal_arena_alloc(arena, n, sizeof(*array));

    for (size_t i = 0; i < n; i++)
        array[i] = NAN;
    return array;
}

void gcal_fit_result_init(struct gcal_fit *fit, const struct gcal_fit_problem *problem)
{
    size_t n = problem->n_parameters, n_features = problem->rows->n_features;
    struct gcal_arena *arena = gcal_arena_create();

    *fit = (struct gcal_fit){ .arena = arena,
                              .n_parameters = n,
                              .n_rows = problem->n_rows,
                              .n_features = n_features,
                              .row_error = NAN,
                              .group_error = NAN,
                              .condition = NAN,
                              .residual = NAN,
                              .mean_error = NAN,
                              .worst_error = NAN };
    fit->value = gcal_fit_nans(arena, n);
    fit->standard_error = gcal_fit_nans(arena, n);
    fit->covariance = gcal_fit_nans(arena, n * n);
    fit->correlation = gcal_fit_nans(arena, n * n);
    fit->variance_inflation = gcal_fit_nans(arena, n);
    fit->at_bound = gcal_arena_alloc(arena, n, sizeof(bool));
    fit->unmeasured = gcal_arena_alloc(arena, n, sizeof(bool));
    fit->undetermined = gcal_arena_alloc(arena, n, sizeof(bool));
    fit->poorly_determined = gcal_arena_alloc(arena, n, sizeof(bool));
    fit->merged_with = gcal_arena_alloc(arena, n, sizeof(size_t));
    fit->predicted_s = gcal_fit_nans(arena, problem->n_rows);
    fit->feature_min = gcal_fit_nans(arena, n_features);
    fit->feature_max = gcal_fit_nans(arena, n_features);
    for (size_t j = 0; j < n; j++)
        fit->merged_with[j] = j;
}

void gcal_fit_find_range(const struct gcal_fit_rows *rows, struct gcal_fit *fit)
{
    for (size_t i = 0; i < rows->n_rows; i++)
        for (size_t k = 0; k < rows->n_features; k++) {
            double value = rows->features[i * rows->n_features + k];

            fit->feature_min[k] = fmin(fit->feature_min[k], value);
            fit->feature_max[k] = fmax(fit->feature_max[k], value);
        }
}

void gcal_fit_find_errors(const struct gcal_fit_problem *problem, struct gcal_fit *fit)
{
    const struct gcal_fit_rows *rows = problem->rows;
    struct gcal_fit_mean_error mean = { 0 };
    double squares = 0;

    gcal_fit_eval(problem, fit->value, fit->predicted_s);
    for (size_t i = 0; i < rows->n_rows; i++) {
        squares += pow(fit->predicted_s[i] / rows->time_s[i] - 1, 2);
        gcal_fit_mean_error_add(&mean, fit->predicted_s[i], rows->time_s[i]);
    }
    fit->residual = sqrt(squares / (double)rows->n_rows);
    fit->mean_error = gcal_fit_mean_error(&mean);
    fit->worst_error = gcal_fit_worst_error(&mean);
}

/* ---- notes on assumptions ---- */

static void add_note(struct gcal_fit *fit, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void add_note(struct gcal_fit *fit, const char *fmt, ...)
{
    size_t used = strlen(fit->note);
    va_list arguments;

    va_start(arguments, fmt);
    vsnprintf(fit->note + used, sizeof(fit->note) - used, fmt, arguments);
    va_end(arguments);
}

static void note_merged(const struct gcal_model *model, struct gcal_fit *fit,
                        size_t first)
{
    size_t left = 0;

    for (size_t j = first + 1; j < fit->n_parameters; j++)
        left += fit->merged_with[j] == first;
    if (left == 0)
        return;
    add_note(fit, "%s%s", fit->note[0] ? "; " : "", model->parameters[first].name);
    for (size_t j = first + 1; j < fit->n_parameters; j++)
        if (fit->merged_with[j] == first)
            add_note(fit, "%s%s", --left ? ", " : " and ", model->parameters[j].name);
    add_note(fit, " are collinear in these kernels: each gets an equal share of their "
                  "common time");
}

void gcal_fit_write_note(const struct gcal_fit_problem *problem, struct gcal_fit *fit)
{
    const struct gcal_model *model = problem->model;

    fit->note[0] = '\0';
    for (size_t j = 0; j < fit->n_parameters; j++)
        note_merged(model, fit, j);
    for (size_t j = 0; j < fit->n_parameters; j++)
        if (fit->unmeasured[j])
            add_note(fit, "%s%s is not known, as no measured kernel depends on it",
                     fit->note[0] ? "; " : "", model->parameters[j].name);
    for (size_t j = 0; j < fit->n_parameters; j++)
        if (fit->poorly_determined[j])
            add_note(fit, "%s%s is poorly determined by these kernels, fixed at %.4g",
                     fit->note[0] ? "; " : "", model->parameters[j].name, fit->value[j]);
}

/* ---- pairs ---- */

size_t gcal_fit_correlated_pairs(const struct gcal_fit *fit, double least,
                                 struct gcal_fit_pair *pairs, size_t capacity)
{
    size_t n = fit->n_parameters, found = 0;

    for (size_t a = 0; a < n && capacity > 0; a++)
        for (size_t b = a + 1; b < n; b++) {
            double correlation = fit->correlation[a * n + b];
            size_t at;

            if (!(fabs(correlation) >= least))
                continue;
            for (at = found; at > 0; at--) {
                if (fabs(pairs[at - 1].correlation) >= fabs(correlation))
                    break;
                if (at < capacity)
                    pairs[at] = pairs[at - 1];
            }
            if (at == capacity)
                continue;
            pairs[at] = (struct gcal_fit_pair){ a, b, correlation };
            found += found < capacity;
        }
    return found;
}
