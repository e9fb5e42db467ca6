#include "store/gpucal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/base/yaml.h"
#include "calib/model/model.h"
#include "calib/model/profile.h"
#include "store/store.h"

#define API __attribute__((visibility("default")))

#define MAX_PROFILE_BYTES (16 << 20)

/* A prediction keeps its values on the stack. */
#define MAX_FEATURES   512
#define MAX_PARAMETERS 256

/* A feature may leave the calibrated range by this factor before it extrapolates. */
#define RANGE_SLACK 1.05

_Static_assert(sizeof(((struct gpucal_error *)0)->text) ==
                   sizeof(((struct gcal_error *)0)->text),
               "both errors hold the same texts");

struct gpucal_store {
    struct gcal_store *store;
};

struct gpucal_device {
    struct gcal_params params;
    const struct gcal_params_device *device; /* in 'params' */
};

struct gpucal_profile {
    struct gcal_profile *profile;
};

struct gpucal_model {
    struct gcal_model *model;
    struct gcal_binding *binding;
    double *value, *covariance, *feature_min, *feature_max;
    double factor;
    double common_error; /* relative: the misfit and the device's factor together */
};

static void tell(struct gpucal_error *err, const struct gcal_error *from)
{
    if (err) {
        err->code = from->code;
        memcpy(err->text, from->text, sizeof(err->text));
    }
}

API const char *gpucal_version(void)
{
    return GPUCAL_VERSION;
}

/* ---- store ---- */

API struct gpucal_store *gpucal_store_open(const char *path, struct gpucal_error *err)
{
    struct gpucal_store *s = calloc(1, sizeof(*s));
    struct gcal_error e = { 0 };

    if (!path)
        path = getenv("GPUCAL_STORE");
    if (!s)
        gcal_error_memory(&e);
    else if (!path || !*path)
        gcal_error_set(&e, GCAL_EINPUT, "no store given: set GPUCAL_STORE to its folder");
    else if ((s->store = gcal_store_open(path, &e)))
        return s;
    free(s);
    tell(err, &e);
    return NULL;
}

API void gpucal_store_close(struct gpucal_store *store)
{
    if (!store)
        return;
    gcal_store_close(store->store);
    free(store);
}

/* ---- device ---- */

API struct gpucal_device *gpucal_device_open(const struct gpucal_store *store,
                                             const char *node, const char *pattern,
                                             struct gpucal_error *err)
{
    struct gpucal_device *d = calloc(1, sizeof(*d));
    struct gcal_error e = { 0 };

    if (!d)
        gcal_error_memory(&e);
    else if (gcal_store_load(store->store, node, NULL, &d->params, &e) == 0 &&
             (d->device = gcal_params_find(&d->params, pattern, &e)))
        return d;
    gpucal_device_close(d);
    tell(err, &e);
    return NULL;
}

API void gpucal_device_close(struct gpucal_device *device)
{
    if (!device)
        return;
    gcal_params_clear(&device->params);
    free(device);
}

API const char *gpucal_device_uid(const struct gpucal_device *device)
{
    return device->device->info.uid;
}

API const char *gpucal_device_name(const struct gpucal_device *device)
{
    return device->device->info.name;
}

API const char *gpucal_device_type(const struct gpucal_device *device)
{
    return device->device->info.type;
}

API size_t gpucal_device_sub_group_size(const struct gpucal_device *device)
{
    return (size_t)device->device->info.sub_group_size;
}

API size_t gpucal_device_model_count(const struct gpucal_device *device)
{
    return device->device->n_models;
}

API const char *gpucal_device_model_name(const struct gpucal_device *device, size_t i)
{
    return i < device->device->n_models ? device->device->models[i].name : NULL;
}

/* ---- profile ---- */

/* Takes 'root', which may be NULL with 'e' filled. */
static struct gpucal_profile *profile_new(struct gcal_yaml *root, struct gcal_error *e,
                                          struct gpucal_error *err)
{
    struct gpucal_profile *p = calloc(1, sizeof(*p));

    if (!p)
        gcal_error_memory(e);
    else if (root && (p->profile = gcal_profile_decode(root, e))) {
        gcal_yaml_destroy(root);
        return p;
    }
    gcal_yaml_destroy(root);
    free(p);
    tell(err, e);
    return NULL;
}

API struct gpucal_profile *gpucal_profile_open(const char *path, struct gpucal_error *err)
{
    struct gcal_error e = { 0 };

    return profile_new(gcal_yaml_read(path, MAX_PROFILE_BYTES, &e), &e, err);
}

API struct gpucal_profile *gpucal_profile_parse(const char *text, size_t size,
                                                const char *name,
                                                struct gpucal_error *err)
{
    struct gcal_error e = { 0 };

    return profile_new(gcal_yaml_parse(text, size, name, &e), &e, err);
}

API void gpucal_profile_close(struct gpucal_profile *profile)
{
    if (!profile)
        return;
    gcal_profile_destroy(profile->profile);
    free(profile);
}

API size_t gpucal_profile_parameter_count(const struct gpucal_profile *profile)
{
    return profile->profile->n_parameters;
}

API const char *gpucal_profile_parameter(const struct gpucal_profile *profile, size_t i)
{
    return i < profile->profile->n_parameters ? profile->profile->parameters[i] : NULL;
}

/* ---- model ---- */

static const struct gcal_params_model *find_model(const struct gcal_params_device *d,
                                                  const char *name, struct gcal_error *e)
{
    struct gcal_buf list = { 0 };

    if (!name && d->n_models == 1)
        return d->models;
    for (size_t i = 0; name && i < d->n_models; i++)
        if (strcmp(d->models[i].name, name) == 0)
            return &d->models[i];
    for (size_t i = 0; i < d->n_models; i++)
        gcal_buf_printf(&list, "%s%s", i ? ", " : "", d->models[i].name);
    gcal_error_set(e, GCAL_EINPUT, "device %s: %s%s; there are: %s", d->info.uid,
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
                   struct gcal_error *e)
{
    return gcal_error_set(e, GCAL_EINPUT,
                          "model %s: its expression has %s, which the parameter file "
                          "does not tell",
                          from->name, name);
}

/* Values and covariance in the order of the expression's parameters. */
static int take_parameters(struct gpucal_model *m, const struct gcal_params_model *from,
                           struct gcal_error *e)
{
    size_t n = m->model->n_parameters, at[MAX_PARAMETERS];

    for (size_t i = 0; i < n; i++) {
        const char *name = m->model->parameters[i].name;

        at[i] = find_name(from->parameter, from->n_parameters, name);
        if (at[i] == from->n_parameters)
            return missing(from, name, e);
        m->value[i] = from->value[at[i]];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            m->covariance[i * n + j] =
                from->covariance[at[i] * from->n_parameters + at[j]];
    return 0;
}

static int take_ranges(struct gpucal_model *m, const struct gcal_params_model *from,
                       struct gcal_error *e)
{
    for (size_t i = 0; i < m->model->n_features; i++) {
        const char *name = m->model->features[i];
        size_t at = find_name(from->feature, from->n_features, name);

        if (at == from->n_features)
            return missing(from, name, e);
        m->feature_min[i] = from->feature_min[at] / RANGE_SLACK;
        m->feature_max[i] = from->feature_max[at] * RANGE_SLACK;
    }
    return 0;
}

static int bind(struct gpucal_model *m, const struct gcal_params_model *from,
                const struct gcal_device_info *info, const struct gcal_profile *profile,
                struct gcal_error *e)
{
    size_t np, nf;

    if (!(m->model = gcal_model_create(from->name, from->output, from->expression, e)))
        return -1;
    np = m->model->n_parameters;
    nf = m->model->n_features;
    if (np > MAX_PARAMETERS || nf > MAX_FEATURES)
        return gcal_error_set(e, GCAL_EINPUT,
                              "model %s: %zu parameters and %zu features, more than %d "
                              "and %d",
                              from->name, np, nf, MAX_PARAMETERS, MAX_FEATURES);
    m->value = calloc(np + 1, sizeof(double));
    m->covariance = calloc(np * np + 1, sizeof(double));
    m->feature_min = calloc(nf + 1, sizeof(double));
    m->feature_max = calloc(nf + 1, sizeof(double));
    if (!m->value || !m->covariance || !m->feature_min || !m->feature_max)
        return gcal_error_memory(e);
    if (take_parameters(m, from, e) < 0 || take_ranges(m, from, e) < 0)
        return -1;
    m->factor = from->factor;
    m->common_error = hypot(from->residual, from->factor_error / from->factor);
    m->binding = gcal_binding_create(profile, nf, (const char *const *)m->model->features,
                                     (double)info->sub_group_size, e);
    return m->binding ? 0 : -1;
}

API struct gpucal_model *gpucal_model_bind(const struct gpucal_device *device,
                                           const char *model,
                                           const struct gpucal_profile *profile,
                                           struct gpucal_error *err)
{
    const struct gcal_params_model *from;
    struct gpucal_model *m = calloc(1, sizeof(*m));
    struct gcal_error e = { 0 };

    if (!m)
        gcal_error_memory(&e);
    else if ((from = find_model(device->device, model, &e)) &&
             bind(m, from, &device->device->info, profile->profile, &e) == 0)
        return m;
    gpucal_model_close(m);
    tell(err, &e);
    return NULL;
}

API void gpucal_model_close(struct gpucal_model *model)
{
    if (!model)
        return;
    gcal_binding_destroy(model->binding);
    gcal_model_destroy(model->model);
    free(model->value);
    free(model->covariance);
    free(model->feature_min);
    free(model->feature_max);
    free(model);
}

/* ---- prediction ---- */

/* A count of zero costs nothing, so it is never below the range. */
static int outside(const struct gpucal_model *m, const double *features)
{
    for (size_t i = 0; i < m->model->n_features; i++)
        if (features[i] > m->feature_max[i] ||
            (features[i] < m->feature_min[i] && features[i] != 0))
            return 1;
    return 0;
}

static double variance(const struct gpucal_model *m, const double *gradient)
{
    size_t n = m->model->n_parameters;
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        double row = 0;

        for (size_t j = 0; j < n; j++)
            row += m->covariance[i * n + j] * gradient[j];
        sum += gradient[i] * row;
    }
    return sum > 0 ? sum : 0; /* rounding may take it just below */
}

API int gpucal_predict(const struct gpucal_model *model, const double *sizes,
                       struct gpucal_prediction *prediction, struct gpucal_error *err)
{
    double features[MAX_FEATURES], gradient[MAX_PARAMETERS];
    double time_s, parameters_s, others_s;
    struct gcal_error e;

    if (gcal_binding_eval(model->binding, sizes, features, &e) < 0) {
        tell(err, &e);
        return -1;
    }
    time_s =
        model->factor * gcal_model_eval(model->model, model->value, features, gradient);
    if (!isfinite(time_s) || time_s < 0) {
        gcal_error_set(&e, GCAL_EINPUT, "model %s gives %g s for these sizes",
                       model->model->name, time_s);
        tell(err, &e);
        return -1;
    }
    parameters_s = model->factor * sqrt(variance(model, gradient));
    others_s = model->common_error * time_s;
    prediction->time_s = time_s;
    prediction->standard_error_s = hypot(parameters_s, others_s);
    prediction->extrapolates = outside(model, features);
    return 0;
}
