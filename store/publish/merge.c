/* merge.c - what a publication keeps of the published file */
#include <string.h>

#include "store/publish/private.h"

/* Whether a new model replaces the published one of its name. */
typedef bool replaces(const struct gcal_params_device *device,
                      const struct gcal_params_model *model,
                      const struct gcal_params_device *old_device,
                      const struct gcal_params_model *old);

static bool always(const struct gcal_params_device *device,
                   const struct gcal_params_model *model,
                   const struct gcal_params_device *old_device,
                   const struct gcal_params_model *old)
{
    (void)device, (void)model, (void)old_device, (void)old;
    return true;
}

static bool same(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

/* Unless the published model is a fit of more devices under the same conditions. */
static bool unless_smaller(const struct gcal_params_device *device,
                           const struct gcal_params_model *model,
                           const struct gcal_params_device *old_device,
                           const struct gcal_params_model *old)
{
    const struct gcal_params_origin n = gcal_params_model_origin(device, model);
    const struct gcal_params_origin o = gcal_params_model_origin(old_device, old);

    return !same(o.configuration, n.configuration) || !same(o.catalogue, n.catalogue) ||
           !same(o.driver, n.driver) || o.n_fitted <= n.n_fitted;
}

/* A copy of 'model' with all of its origin, as its device will be described by another
 * run.  The texts stay those of their owners.
 */
static struct gcal_params_model with_origin(const struct gcal_params_device *device,
                                            const struct gcal_params_model *model)
{
    struct gcal_params_model copy = *model;

    copy.origin = gcal_params_model_origin(device, model);
    return copy;
}

/* 'merged' becomes 'device' with the models of 'old' that it lacks, or that stay; the
 * number of models that are new.
 */
static size_t merge_models(struct gcal_arena *arena,
                           const struct gcal_params_device *device,
                           const struct gcal_params_device *old, replaces *is_replaced,
                           struct gcal_params_device *merged)
{
    size_t n = 0, n_new = 0;

    *merged = *device;
    merged->models = gcal_arena_alloc(arena, device->n_models + old->n_models,
                                      sizeof(*merged->models));
    for (size_t i = 0; i < device->n_models; i++) {
        const struct gcal_params_model *known =
            gcal_params_find_model(old, device->models[i].name);
        bool is_new = !known || is_replaced(device, &device->models[i], old, known);

        merged->models[n++] =
            is_new ? with_origin(device, &device->models[i]) : with_origin(old, known);
        n_new += is_new;
    }
    for (size_t i = 0; i < old->n_models; i++)
        if (!gcal_params_find_model(device, old->models[i].name))
            merged->models[n++] = with_origin(old, &old->models[i]);
    merged->n_models = n;
    return n_new;
}

bool gcal_publish_merge(struct gcal_arena *arena, const struct gcal_params *params,
                        const struct gcal_params *old, struct gcal_params *merged)
{
    static const struct gcal_params_device nothing = { 0 };
    size_t n = params->n_devices + old->n_devices;

    *merged = (struct gcal_params){ .node = params->node };
    merged->devices = gcal_arena_alloc(arena, n, sizeof(*merged->devices));
    for (size_t i = 0; i < params->n_devices; i++) {
        const struct gcal_params_device *d = &params->devices[i];
        const struct gcal_params_device *known = gcal_params_find_uid(old, d->info.uid);

        merge_models(arena, d, known ? known : &nothing, always,
                     &merged->devices[merged->n_devices++]);
    }
    for (size_t i = 0; i < old->n_devices; i++)
        if (!gcal_params_find_uid(params, old->devices[i].info.uid))
            merge_models(arena, &old->devices[i], &nothing, always,
                         &merged->devices[merged->n_devices++]);
    return true;
}

bool gcal_publish_merge_type(struct gcal_arena *arena, const struct gcal_params *params,
                             const struct gcal_params *old, struct gcal_params *merged)
{
    static const struct gcal_params_device nothing = { 0 };

    *merged = (struct gcal_params){ .node = params->node };
    merged->devices = gcal_arena_alloc(arena, 1, sizeof(*merged->devices));
    if (!params->n_devices)
        return false;
    merged->n_devices = 1;
    return merge_models(arena, params->devices, old->n_devices ? old->devices : &nothing,
                        unless_smaller, merged->devices) > 0;
}

/* ---- kernels ---- */

/* Of one kernel on one type; the oldest beyond it go. */
#define MAX_SIZES 64
#define MAX_TIMES 256

static const struct gcal_params_device *find_type(const struct gcal_params *params,
                                                  const char *type)
{
    for (size_t i = 0; i < params->n_devices; i++)
        if (strcmp(params->devices[i].info.type, type) == 0)
            return &params->devices[i];
    return NULL;
}

static bool is_known(const struct gcal_params_model *model, size_t n,
                     const struct gcal_params_time *time, bool on_device)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(model->times[i].sizes, time->sizes) == 0 &&
            (!on_device || !time->device ||
             (model->times[i].device &&
              strcmp(model->times[i].device, time->device) == 0)))
            return true;
    return false;
}

/* The new times first, as the first are kept. */
static void merge_times(struct gcal_arena *arena, const struct gcal_params_device *old,
                        struct gcal_params_model *model)
{
    const struct gcal_params_model *m = old && old->n_models ? old->models : NULL;
    size_t n = model->n_times, n_sizes = 0;
    struct gcal_params_time *times =
        gcal_arena_alloc(arena, n + (m ? m->n_times : 0), sizeof(*times));

    if (n)
        memcpy(times, model->times, n * sizeof(*times));
    model->times = times;
    for (size_t i = 0; i < n; i++)
        n_sizes += !is_known(model, i, &times[i], false);
    for (size_t i = 0; m && i < m->n_times; i++) {
        bool is_new = !is_known(model, n, &m->times[i], false);

        if (is_known(model, n, &m->times[i], true) || (is_new && n_sizes == MAX_SIZES))
            continue;
        n_sizes += is_new;
        times[n++] = m->times[i];
    }
    model->n_times = n < MAX_TIMES ? n : MAX_TIMES;
}

bool gcal_publish_merge_learned(struct gcal_arena *arena,
                                const struct gcal_params *params,
                                const struct gcal_params *old, struct gcal_params *merged)
{
    static const struct gcal_params_device nothing = { 0 };
    size_t n = params->n_devices + old->n_devices;

    *merged = (struct gcal_params){ .node = params->node };
    merged->devices = gcal_arena_alloc(arena, n, sizeof(*merged->devices));
    for (size_t i = 0; i < params->n_devices; i++) {
        struct gcal_params_device *d = &merged->devices[merged->n_devices++];

        merge_models(arena, &params->devices[i], &nothing, always, d);
        if (d->n_models)
            merge_times(arena, find_type(old, d->info.type), d->models);
    }
    for (size_t i = 0; i < old->n_devices; i++)
        if (!find_type(params, old->devices[i].info.type))
            merge_models(arena, &old->devices[i], &nothing, always,
                         &merged->devices[merged->n_devices++]);
    return true;
}
