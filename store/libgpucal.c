#include "store/lib_private.h"

#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/yaml.h"
#include "calib/model/profile.h"
#include "store/predictor.h"
#include "store/store.h"

#define MAX_PROFILE_BYTES (16 << 20)

_Static_assert(sizeof(((struct gpucal_error *)0)->text) ==
                   sizeof(((struct gcal_error *)0)->text),
               "both errors hold the same texts");

struct gpucal_store {
    struct gcal_store *store;
};

struct gpucal_list {
    char **names;
    size_t count;
};

struct gpucal_device {
    struct gcal_params params;
    const struct gcal_params_device *device; /* in 'params' */
};

struct gpucal_profile {
    struct gcal_profile *profile;
};

int gpucal_tell(struct gpucal_error *err, const struct gcal_error *from)
{
    if (err) {
        err->code = from->code;
        memcpy(err->text, from->text, sizeof(err->text));
    }
    return -1;
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
    gpucal_tell(err, &e);
    return NULL;
}

API void gpucal_store_close(struct gpucal_store *store)
{
    if (!store)
        return;
    gcal_store_close(store->store);
    free(store);
}

/* ---- lists ---- */

/* Takes 'names' when 'rc' is 0. */
static struct gpucal_list *list_new(int rc, char **names, size_t count,
                                    struct gcal_error *e, struct gpucal_error *err)
{
    struct gpucal_list *list = rc < 0 ? NULL : calloc(1, sizeof(*list));

    if (list) {
        list->names = names;
        list->count = count;
        return list;
    }
    if (rc == 0) {
        gcal_names_free(names, count);
        gcal_error_memory(e);
    }
    gpucal_tell(err, e);
    return NULL;
}

API struct gpucal_list *gpucal_store_nodes(const struct gpucal_store *store,
                                           struct gpucal_error *err)
{
    struct gcal_error e = { 0 };
    char **names = NULL;
    size_t count = 0;
    int rc = gcal_store_nodes(store->store, &names, &count, &e);

    return list_new(rc, names, count, &e, err);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_uids(const struct gcal_params *params, char ***names, size_t *count,
                     struct gcal_error *err)
{
    char **uids = calloc(params->n_devices + 1, sizeof(*uids));
    size_t n = 0;

    while (uids && n < params->n_devices &&
           (uids[n] = strdup(params->devices[n].info.uid)))
        n++;
    if (!uids || n < params->n_devices) {
        gcal_names_free(uids, n);
        return gcal_error_memory(err);
    }
    qsort(uids, n, sizeof(*uids), compare_texts);
    *names = uids;
    *count = n;
    return 0;
}

API struct gpucal_list *gpucal_node_devices(const struct gpucal_store *store,
                                            const char *node, struct gpucal_error *err)
{
    struct gcal_params params = { 0 };
    struct gcal_error e = { 0 };
    char **names = NULL;
    size_t count = 0;
    int rc;

    if ((rc = gcal_store_load(store->store, node, NULL, &params, &e)) == 0)
        rc = list_uids(&params, &names, &count, &e);
    gcal_params_clear(&params);
    return list_new(rc, names, count, &e, err);
}

API size_t gpucal_list_count(const struct gpucal_list *list)
{
    return list->count;
}

API const char *gpucal_list_item(const struct gpucal_list *list, size_t i)
{
    return i < list->count ? list->names[i] : NULL;
}

API void gpucal_list_close(struct gpucal_list *list)
{
    if (!list)
        return;
    gcal_names_free(list->names, list->count);
    free(list);
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
    gpucal_tell(err, &e);
    return NULL;
}

API void gpucal_device_close(struct gpucal_device *device)
{
    if (!device)
        return;
    gcal_params_clear(&device->params);
    free(device);
}

API const char *gpucal_device_node(const struct gpucal_device *device)
{
    return device->params.node;
}

API const char *gpucal_device_run(const struct gpucal_device *device)
{
    return device->device->run_id;
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
    gpucal_tell(err, e);
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
                  gcal_predictor_create(device->device, model, profile->profile, &e))) {
        m->n_sizes = profile->profile->n_parameters;
        return m;
    }
    free(m);
    gpucal_tell(err, &e);
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

    if (gcal_predictor_eval(model->predictor, sizes, &p, NULL, &e) < 0)
        return gpucal_tell(err, &e);
    *prediction = (struct gpucal_prediction){ .time_s = p.time_s,
                                              .standard_error_s = p.standard_error_s,
                                              .low_s = p.low_s,
                                              .high_s = p.high_s,
                                              .extrapolates = p.extrapolates,
                                              .outside = p.outside,
                                              .outside_by = p.outside_by };
    return 0;
}

API int gpucal_predict_batch(const struct gpucal_model *model, const double *sizes,
                             size_t count, struct gpucal_prediction *predictions,
                             struct gpucal_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (gpucal_predict(model, &sizes[i * model->n_sizes], &predictions[i], err) < 0)
            return -1;
    return 0;
}
