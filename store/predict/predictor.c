/* predictor.c - predicted times and their intervals */
#include "store/predict/predictor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/model/model.h"
#include "calib/model/profile.h"
#include "store/params/params.h"

/* A prediction keeps its arrays on the stack. */
#define MAX_FEATURES   512
#define MAX_PARAMETERS 256

/* A feature may leave the calibrated range by this factor without extrapolation. */
#define RANGE_SLACK 1.05

struct gcal_predictor {
    struct gcal_model *model;
    struct gcal_binding *binding;
    double *value, *feature_min, *feature_max;
    double *root;     /* of the covariance: a row of n_columns for each parameter */
    size_t *n_row;    /* by parameter: length of the row without trailing zeros */
    size_t n_columns; /* parameters in the file */
    double factor;
    double misfit;       /* relative */
    double factor_error; /* relative */
};

/* ---- binding ---- */

const struct gcal_params_model *
gcal_predictor_find_model(const struct gcal_params_device *d, const char *name,
                          struct gcal_error *err)
{
    const struct gcal_params_model *found = name ? gcal_params_find_model(d, name) : NULL;
    struct gcal_buf list = { 0 };

    if (!name && d->n_models == 1)
        return d->models;
    if (found)
        return found;
    for (size_t i = 0; i < d->n_models; i++)
        gcal_buf_printf(&list, "%s%s", i ? ", " : "", d->models[i].name);
    gcal_error_set(err, GCAL_EINPUT, "device %s: %s%s; models: %s", d->info.uid,
                   name ? "no model " : "name one of its models", name ? name : "",
                   list.data ? list.data : "none");
    gcal_buf_free(&list);
    return NULL;
}

static size_t find_name(char *const *names, size_t count, const char *name)
{
    size_t i = 0;

    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i;
}

static int missing(const struct gcal_params_model *from, const char *name,
                   struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EINPUT,
                          "model %s: its expression has %s, which is missing in the "
                          "parameter file",
                          from->name, name);
}

/* Values and rows of the root in the order of the expression's parameters. */
static int take_parameters(struct gcal_predictor *p, const struct gcal_params_model *from,
                           struct gcal_error *err)
{
    for (size_t i = 0; i < p->model->n_parameters; i++) {
        const char *name = p->model->parameters[i].name;
        size_t at = find_name(from->parameter, from->n_parameters, name);

        if (at == from->n_parameters)
            return missing(from, name, err);
        p->value[i] = from->value[at];
        p->n_row[i] = at + 1;
        memcpy(&p->root[i * p->n_columns], &from->root[GCAL_PARAMS_ROOT(at, 0)],
               (at + 1) * sizeof(double));
    }
    return 0;
}

static int take_ranges(struct gcal_predictor *p, const struct gcal_params_model *from,
                       struct gcal_error *err)
{
    for (size_t i = 0; i < p->model->n_features; i++) {
        const char *name = p->model->features[i];
        size_t at = find_name(from->feature, from->n_features, name);

        if (at == from->n_features)
            return missing(from, name, err);
        p->feature_min[i] = from->feature_min[at];
        p->feature_max[i] = from->feature_max[at];
    }
    return 0;
}

static int bind(struct gcal_predictor *p, const struct gcal_params_model *from,
                const struct gcal_device_info *info, const struct gcal_profile *profile,
                struct gcal_error *err)
{
    size_t np, nf;

    if (!(p->model = gcal_model_create(from->name, from->output, from->expression, err)))
        return -1;
    np = p->model->n_parameters;
    nf = p->model->n_features;
    p->n_columns = from->n_parameters;
    if (np > MAX_PARAMETERS || p->n_columns > MAX_PARAMETERS || nf > MAX_FEATURES)
        return gcal_error_set(err, GCAL_EINPUT,
                              "model %s: %zu parameters and %zu features, at most %d and "
                              "%d are supported",
                              from->name, np > p->n_columns ? np : p->n_columns, nf,
                              MAX_PARAMETERS, MAX_FEATURES);
    p->value = calloc(np + 1, sizeof(double));
    p->root = calloc(np * p->n_columns + 1, sizeof(double));
    p->n_row = calloc(np + 1, sizeof(*p->n_row));
    p->feature_min = calloc(nf + 1, sizeof(double));
    p->feature_max = calloc(nf + 1, sizeof(double));
    if (!p->value || !p->root || !p->n_row || !p->feature_min || !p->feature_max)
        return gcal_error_memory(err);
    if (take_parameters(p, from, err) < 0 || take_ranges(p, from, err) < 0)
        return -1;
    p->factor = from->factor;
    p->misfit = from->error_90 / GCAL_PARAMS_NORMAL_90;
    p->factor_error = from->factor_error / from->factor;
    p->binding = gcal_binding_create(profile, nf, (const char *const *)p->model->features,
                                     (double)info->sub_group_size, err);
    return p->binding ? 0 : -1;
}

struct gcal_predictor *gcal_predictor_create(const struct gcal_params_device *device,
                                             const char *model,
                                             const struct gcal_profile *profile,
                                             struct gcal_error *err)
{
    const struct gcal_params_model *from = gcal_predictor_find_model(device, model, err);
    struct gcal_predictor *p;

    if (!from)
        return NULL;
    if (!(p = calloc(1, sizeof(*p))))
        gcal_error_memory(err);
    else if (bind(p, from, &device->info, profile, err) < 0) {
        gcal_predictor_destroy(p);
        p = NULL;
    }
    return p;
}

void gcal_predictor_destroy(struct gcal_predictor *p)
{
    if (!p)
        return;
    gcal_binding_destroy(p->binding);
    gcal_model_destroy(p->model);
    free(p->value);
    free(p->root);
    free(p->n_row);
    free(p->feature_min);
    free(p->feature_max);
    free(p);
}

size_t gcal_predictor_parameter_count(const struct gcal_predictor *p)
{
    return p->model->n_parameters;
}

void gcal_predictor_covariance(const struct gcal_predictor *p, double *covariance)
{
    size_t n = p->model->n_parameters;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const double *a = &p->root[i * p->n_columns], *b = &p->root[j * p->n_columns];
            double sum = 0;

            for (size_t k = 0; k < p->n_columns; k++)
                sum += a[k] * b[k];
            covariance[i * n + j] = sum;
        }
}

double gcal_predictor_misfit(const struct gcal_predictor *p)
{
    return p->misfit;
}

/* ---- prediction ---- */

/* A count of zero adds no time, so it is never below the range. */
static bool is_outside(const struct gcal_predictor *p, size_t i, double value)
{
    return value > p->feature_max[i] * RANGE_SLACK ||
           (value < p->feature_min[i] / RANGE_SLACK && value > 0);
}

static void find_outside(const struct gcal_predictor *p, const double *features,
                         struct gcal_prediction *prediction)
{
    double farthest = 1;

    prediction->outside = NULL;
    prediction->outside_by = 1;
    for (size_t i = 0; i < p->model->n_features; i++) {
        double by;

        if (!is_outside(p, i, features[i]))
            continue;
        by = features[i] /
             (features[i] > p->feature_max[i] ? p->feature_max[i] : p->feature_min[i]);
        if (fmax(by, 1 / by) > farthest) {
            farthest = fmax(by, 1 / by);
            prediction->outside = p->model->features[i];
            prediction->outside_by = by;
        }
    }
    prediction->extrapolates = prediction->outside;
}

/* |R'g|^2 of the root R and the gradient g. */
static double variance(const struct gcal_predictor *p, const double *gradient)
{
    double image[MAX_PARAMETERS], sum = 0;

    memset(image, 0, p->n_columns * sizeof(*image));
    for (size_t i = 0; i < p->model->n_parameters; i++) {
        const double *row = &p->root[i * p->n_columns];

        for (size_t k = 0; gradient[i] != 0 && k < p->n_row[i]; k++)
            image[k] += gradient[i] * row[k];
    }
    for (size_t k = 0; k < p->n_columns; k++)
        sum += image[k] * image[k];
    return sum;
}

/* The misfit of held-out predictions includes the errors of their parameters: the larger
 * of the two counts, not their sum.
 */
static double error_of(const struct gcal_predictor *p, double of_parameters)
{
    return hypot(fmax(of_parameters, p->misfit), p->factor_error);
}

/* The time before the device factor; 'gradient' may be NULL. */
static int eval_raw(const struct gcal_predictor *p, const double *sizes, double *features,
                    double *gradient, double *raw_s, struct gcal_error *err)
{
    double time_s;

    if (gcal_binding_eval(p->binding, sizes, features, err) < 0)
        return -1;
    *raw_s = gcal_model_eval(p->model, p->value, features, gradient);
    time_s = p->factor * *raw_s;
    if (isfinite(time_s) && time_s >= 0)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT, "model %s predicts %g s for these sizes",
                          p->model->name, time_s);
}

int gcal_predictor_time(const struct gcal_predictor *p, const double *sizes,
                        double *time_s, struct gcal_error *err)
{
    double features[MAX_FEATURES], raw_s;

    if (eval_raw(p, sizes, features, NULL, &raw_s, err) < 0)
        return -1;
    *time_s = p->factor * raw_s;
    return 0;
}

int gcal_predictor_eval(const struct gcal_predictor *p, const double *sizes,
                        struct gcal_prediction *prediction, double *log_gradient,
                        struct gcal_error *err)
{
    double features[MAX_FEATURES], gradient[MAX_PARAMETERS];
    double raw_s, time_s, relative_error;

    if (eval_raw(p, sizes, features, gradient, &raw_s, err) < 0)
        return -1;
    time_s = p->factor * raw_s;
    if (log_gradient && time_s == 0)
        return gcal_error_set(err, GCAL_EINPUT, "model %s predicts 0 s for these sizes",
                              p->model->name);
    prediction->time_s = time_s;
    relative_error = raw_s > 0 ? error_of(p, sqrt(variance(p, gradient)) / raw_s) : 0;
    prediction->standard_error_s = relative_error * time_s;
    prediction->low_s = time_s * exp(-GCAL_PARAMS_NORMAL_90 * relative_error);
    prediction->high_s = time_s * exp(GCAL_PARAMS_NORMAL_90 * relative_error);
    find_outside(p, features, prediction);
    for (size_t i = 0; log_gradient && i < p->model->n_parameters; i++)
        log_gradient[i] = gradient[i] / raw_s;
    return 0;
}
