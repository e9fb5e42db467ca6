#include "store/predictor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/model/model.h"
#include "calib/model/profile.h"
#include "store/params.h"

/* A prediction keeps its values on the stack. */
#define MAX_FEATURES   512
#define MAX_PARAMETERS 256

/* A feature may leave the calibrated range by this factor before it extrapolates. */
#define RANGE_SLACK 1.05

struct gcal_predictor {
    struct gcal_model *model;
    struct gcal_binding *binding;
    double *value, *covariance, *feature_min, *feature_max;
    double factor;
    double misfit;       /* relative */
    double factor_error; /* relative */
};

/* ---- binding ---- */

static const struct gcal_params_model *
find_model(const struct gcal_params_device *d, const char *name, struct gcal_error *err)
{
    struct gcal_buf list = { 0 };

    if (!name && d->n_models == 1)
        return d->models;
    for (size_t i = 0; name && i < d->n_models; i++)
        if (strcmp(d->models[i].name, name) == 0)
            return &d->models[i];
    for (size_t i = 0; i < d->n_models; i++)
        gcal_buf_printf(&list, "%s%s", i ? ", " : "", d->models[i].name);
    gcal_error_set(err, GCAL_EINPUT, "device %s: %s%s; there are: %s", d->info.uid,
                   name ? "no model " : "no model named and not just one",
                   name ? name : "", list.data ? list.data : "none");
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
                          "model %s: its expression has %s, which the parameter file "
                          "does not tell",
                          from->name, name);
}

/* Values and covariance in the order of the expression's parameters. */
static int take_parameters(struct gcal_predictor *p, const struct gcal_params_model *from,
                           struct gcal_error *err)
{
    size_t n = p->model->n_parameters, at[MAX_PARAMETERS];

    for (size_t i = 0; i < n; i++) {
        const char *name = p->model->parameters[i].name;

        at[i] = find_name(from->parameter, from->n_parameters, name);
        if (at[i] == from->n_parameters)
            return missing(from, name, err);
        p->value[i] = from->value[at[i]];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            p->covariance[i * n + j] =
                from->covariance[at[i] * from->n_parameters + at[j]];
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
    if (np > MAX_PARAMETERS || nf > MAX_FEATURES)
        return gcal_error_set(err, GCAL_EINPUT,
                              "model %s: %zu parameters and %zu features, more than %d "
                              "and %d",
                              from->name, np, nf, MAX_PARAMETERS, MAX_FEATURES);
    p->value = calloc(np + 1, sizeof(double));
    p->covariance = calloc(np * np + 1, sizeof(double));
    p->feature_min = calloc(nf + 1, sizeof(double));
    p->feature_max = calloc(nf + 1, sizeof(double));
    if (!p->value || !p->covariance || !p->feature_min || !p->feature_max)
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
    const struct gcal_params_model *from = find_model(device, model, err);
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
    free(p->covariance);
    free(p->feature_min);
    free(p->feature_max);
    free(p);
}

size_t gcal_predictor_parameter_count(const struct gcal_predictor *p)
{
    return p->model->n_parameters;
}

const double *gcal_predictor_covariance(const struct gcal_predictor *p)
{
    return p->covariance;
}

double gcal_predictor_misfit(const struct gcal_predictor *p)
{
    return p->misfit;
}

/* ---- prediction ---- */

/* A count of zero costs nothing, so it is never below the range. */
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

/* The covariance is symmetric: each pair is taken once. */
static double variance(const struct gcal_predictor *p, const double *gradient)
{
    size_t n = p->model->n_parameters;
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        const double *row = &p->covariance[i * n];
        double others = 0;

        if (gradient[i] == 0)
            continue;
        for (size_t j = 0; j < i; j++)
            others += row[j] * gradient[j];
        sum += gradient[i] * (2 * others + row[i] * gradient[i]);
    }
    return sum > 0 ? sum : 0; /* rounding may take it just below */
}

/* Held-out predictions missed by the misfit with parameters as uncertain as these are:
 * the larger of the two counts, not both.
 */
static double error_of(const struct gcal_predictor *p, double of_parameters)
{
    return hypot(fmax(of_parameters, p->misfit), p->factor_error);
}

int gcal_predictor_eval(const struct gcal_predictor *p, const double *sizes,
                        struct gcal_prediction *prediction, double *log_gradient,
                        struct gcal_error *err)
{
    double features[MAX_FEATURES], gradient[MAX_PARAMETERS];
    double raw_s, time_s, relative_error;

    if (gcal_binding_eval(p->binding, sizes, features, err) < 0)
        return -1;
    raw_s = gcal_model_eval(p->model, p->value, features, gradient);
    time_s = p->factor * raw_s;
    if (!isfinite(time_s) || time_s < 0 || (log_gradient && time_s == 0))
        return gcal_error_set(err, GCAL_EINPUT, "model %s gives %g s for these sizes",
                              p->model->name, time_s);
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
