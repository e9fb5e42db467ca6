/* merge.c - what a publication keeps of the published file */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
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
 * number of models that are new, or -1.
 */
static long merge_models(const struct gcal_params_device *device,
                         const struct gcal_params_device *old, replaces *is_replaced,
                         struct gcal_params_device *merged, struct gcal_error *err)
{
    const struct gcal_params_model *known;
    size_t n = 0;
    long n_new = 0;

    *merged = *device;
    merged->models =
        calloc(device->n_models + old->n_models + 1, sizeof(*merged->models));
    if (!merged->models)
        return gcal_error_memory(err);
    for (size_t i = 0; i < device->n_models; i++) {
        known = gcal_params_find_model(old, device->models[i].name);
        if (!known || is_replaced(device, &device->models[i], old, known)) {
            merged->models[n++] = with_origin(device, &device->models[i]);
            n_new++;
        } else {
            merged->models[n++] = with_origin(old, known);
        }
    }
    for (size_t i = 0; i < old->n_models; i++)
        if (!gcal_params_find_model(device, old->models[i].name))
            merged->models[n++] = with_origin(old, &old->models[i]);
    merged->n_models = n;
    return n_new;
}

static int start(const struct gcal_params *params, size_t n, struct gcal_params *merged,
                 struct gcal_error *err)
{
    *merged = (struct gcal_params){ .node = params->node };
    merged->devices = calloc(n + 1, sizeof(*merged->devices));
    return merged->devices ? 0 : gcal_error_memory(err);
}

int gcal_publish_merge(const struct gcal_params *params, const struct gcal_params *old,
                       struct gcal_params *merged, struct gcal_error *err)
{
    static const struct gcal_params_device nothing = { 0 };

    if (start(params, params->n_devices + old->n_devices, merged, err) < 0)
        return -1;
    for (size_t i = 0; i < params->n_devices; i++) {
        const struct gcal_params_device *d = &params->devices[i];
        const struct gcal_params_device *known = gcal_params_find_uid(old, d->info.uid);

        if (merge_models(d, known ? known : &nothing, always,
                         &merged->devices[merged->n_devices++], err) < 0)
            return -1;
    }
    for (size_t i = 0; i < old->n_devices; i++)
        if (!gcal_params_find_uid(params, old->devices[i].info.uid) &&
            merge_models(&old->devices[i], &nothing, always,
                         &merged->devices[merged->n_devices++], err) < 0)
            return -1;
    return 1;
}

int gcal_publish_merge_type(const struct gcal_params *params,
                            const struct gcal_params *old, struct gcal_params *merged,
                            struct gcal_error *err)
{
    static const struct gcal_params_device nothing = { 0 };
    long n_new;

    if (start(params, 1, merged, err) < 0 || !params->n_devices)
        return merged->devices ? 0 : -1;
    merged->n_devices = 1;
    n_new = merge_models(params->devices, old->n_devices ? old->devices : &nothing,
                         unless_smaller, merged->devices, err);
    return n_new < 0 ? -1 : n_new > 0;
}

void gcal_publish_merged_free(struct gcal_params *merged)
{
    for (size_t i = 0; merged->devices && i < merged->n_devices; i++)
        free(merged->devices[i].models);
    free(merged->devices);
    *merged = (struct gcal_params){ 0 };
}
