#include "store/gpucal.h"

#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/yaml.h"
#include "calib/model/profile.h"
#include "store/predictor.h"
#include "store/store.h"

#define API __attribute__((visibility("default")))

#define MAX_PROFILE_BYTES (16 << 20)

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
    struct gcal_predictor *predictor;
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

API struct gpucal_model *gpucal_model_bind(const struct gpucal_device *device,
                                           const char *model,
                                           const struct gpucal_profile *profile,
                                           struct gpucal_error *err)
{
    struct gpucal_model *m = calloc(1, sizeof(*m));
    struct gcal_error e = { 0 };

    if (!m)
        gcal_error_memory(&e);
    else if ((m->predictor =
                  gcal_predictor_create(device->device, model, profile->profile, &e)))
        return m;
    free(m);
    tell(err, &e);
    return NULL;
}

API void gpucal_model_close(struct gpucal_model *model)
{
    if (!model)
        return;
    gcal_predictor_destroy(model->predictor);
    free(model);
}

/* ---- prediction ---- */

API int gpucal_predict(const struct gpucal_model *model, const double *sizes,
                       struct gpucal_prediction *prediction, struct gpucal_error *err)
{
    struct gcal_prediction p;
    struct gcal_error e;

    if (gcal_predictor_eval(model->predictor, sizes, &p, NULL, &e) < 0) {
        tell(err, &e);
        return -1;
    }
    *prediction = (struct gpucal_prediction){ .time_s = p.time_s,
                                              .standard_error_s = p.standard_error_s,
                                              .low_s = p.low_s,
                                              .high_s = p.high_s,
                                              .extrapolates = p.extrapolates,
                                              .outside = p.outside,
                                              .outside_by = p.outside_by };
    return 0;
}
