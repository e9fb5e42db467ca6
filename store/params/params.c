/* params.c - the structure of a parameter file: memory and look-ups */
#include "store/params/params.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/feature.h"
#include "kernels/model/named_expr.h"
#include "kernels/model/run/device_match.h"
#include "store/params/derived.h"

/* Arrays double at powers of two: the count implies the capacity. */
static void *grow(void *items, size_t count, size_t item_bytes, struct gcal_error *err)
{
    void *moved = items;

    if ((count & (count - 1)) == 0)
        moved = reallocarray(items, count ? 2 * count : 1, item_bytes);
    if (!moved)
        gcal_error_memory(err);
    return moved;
}

struct gcal_params_device *gcal_params_add_device(struct gcal_params *params,
                                                  struct gcal_error *err)
{
    struct gcal_params_device *moved =
        grow(params->devices, params->n_devices, sizeof(*moved), err);

    if (!moved)
        return NULL;
    params->devices = moved;
    moved += params->n_devices++;
    *moved = (struct gcal_params_device){ 0 };
    return moved;
}

struct gcal_params_model *gcal_params_add_model(struct gcal_params_device *device,
                                                struct gcal_error *err)
{
    struct gcal_params_model *moved =
        grow(device->models, device->n_models, sizeof(*moved), err);

    if (!moved)
        return NULL;
    device->models = moved;
    moved += device->n_models++;
    *moved = (struct gcal_params_model){ 0 };
    return moved;
}

/* Accepts arrays that are incomplete because memory ran out. */
static void texts_free(char **texts, size_t count)
{
    for (size_t i = 0; texts && i < count; i++)
        free(texts[i]);
    free(texts);
}

void gcal_params_model_clear(struct gcal_params_model *m)
{
    gcal_fields_clear(gcal_params_origin_fields, &m->origin);
    for (size_t i = 0; m->known && i < m->n_known; i++) {
        free(m->known[i].name);
        free(m->known[i].component);
        free(m->known[i].fingerprint);
    }
    free(m->known);
    for (size_t i = 0; m->times && i < m->n_times; i++) {
        free(m->times[i].sizes);
        free(m->times[i].measured_utc);
        free(m->times[i].device);
    }
    free(m->times);
    for (size_t i = 0; m->members && i < m->n_members; i++)
        free(m->members[i].device);
    free(m->members);
    gcal_proportions_clear(&m->stands_for);
    texts_free(m->parameter, m->n_parameters);
    texts_free(m->unit, m->n_parameters);
    texts_free(m->feature, m->n_features);
    free(m->name);
    free(m->output);
    free(m->expression);
    gcal_expr_names_destroy(m->names);
    free(m->form);
    gcal_roofs_clear(&m->roofs);
    gcal_spreads_clear(&m->spreads);
    free(m->value);
    free(m->standard_error);
    free(m->own);
    free(m->own_error);
    free(m->at_bound);
    free(m->root);
    free(m->feature_min);
    free(m->feature_max);
    gcal_params_derived_destroy(m->derived);
    *m = (struct gcal_params_model){ 0 };
}

static void device_clear(struct gcal_params_device *device)
{
    for (size_t i = 0; i < device->n_models; i++)
        gcal_params_model_clear(&device->models[i]);
    free(device->models);
    free(device->run_id);
    free(device->calibrated_utc);
    free(device->gpucal_version);
    free(device->configuration);
    free(device->catalogue);
    gcal_device_info_clear(&device->info);
}

void gcal_params_clear(struct gcal_params *params)
{
    for (size_t i = 0; i < params->n_devices; i++)
        device_clear(&params->devices[i]);
    free(params->devices);
    free(params->node);
    *params = (struct gcal_params){ 0 };
}

const struct gcal_params_device *gcal_params_find(const struct gcal_params *params,
                                                  const char *pattern,
                                                  struct gcal_error *err)
{
    const struct gcal_params_device *found = NULL;
    struct gcal_buf list = { 0 };
    size_t count = 0;

    for (size_t i = 0; i < params->n_devices; i++)
        if (!pattern || gcal_device_info_matches(&params->devices[i].info, pattern)) {
            found = &params->devices[i];
            count++;
        }
    if (count == 1)
        return found;
    for (size_t i = 0; i < params->n_devices; i++)
        gcal_buf_printf(&list, "%s%s (%s)", i ? ", " : "", params->devices[i].info.uid,
                        params->devices[i].info.name);
    if (!params->n_devices)
        gcal_buf_puts(&list, "none");
    gcal_error_set(err, GCAL_EINPUT, "%s: %s device%s%s%s; devices: %s", params->node,
                   count ? "more than one" : "no", pattern ? " matches '" : "",
                   pattern ? pattern : "", pattern ? "'" : "",
                   list.data ? list.data : "(out of memory)");
    gcal_buf_free(&list);
    return NULL;
}

const struct gcal_params_device *gcal_params_find_uid(const struct gcal_params *params,
                                                      const char *uid)
{
    for (size_t i = 0; i < params->n_devices; i++)
        if (strcmp(params->devices[i].info.uid, uid) == 0)
            return &params->devices[i];
    return NULL;
}

size_t gcal_params_find_name(char *const *names, size_t n, const char *name)
{
    size_t i = 0;

    while (i < n && strcmp(names[i], name) != 0)
        i++;
    return i;
}

const struct gcal_params_model *
gcal_params_find_model(const struct gcal_params_device *device, const char *name)
{
    for (size_t i = 0; i < device->n_models; i++)
        if (strcmp(device->models[i].name, name) == 0)
            return &device->models[i];
    return NULL;
}

const struct gcal_params_kernel *
gcal_params_find_kernel(const struct gcal_params_model *model, const char *fingerprint)
{
    for (size_t i = 0; i < model->n_known && fingerprint; i++)
        if (strcmp(model->known[i].fingerprint, fingerprint) == 0)
            return &model->known[i];
    return NULL;
}

static bool has_category(const char *name, enum gcal_feature_category category)
{
    struct gcal_feature feature;
    bool has;

    if (gcal_feature_parse(name, &feature, NULL) < 0)
        return false;
    has = gcal_feature_info(feature.kind)->category == category;
    gcal_feature_clear(&feature);
    return has;
}

bool gcal_params_model_is_of_transfers(const struct gcal_params_model *model)
{
    bool found = false;

    for (size_t i = 0; i < model->n_features && !found; i++)
        found = strncmp(model->feature[i], "f_transfer_", strlen("f_transfer_")) == 0;
    for (size_t i = 0; i < model->n_features && found; i++)
        found = !has_category(model->feature[i], GCAL_FEATURE_CATEGORY_GLOBAL_MEMORY);
    return found;
}

bool gcal_params_model_is_of_sweeps(const struct gcal_params_model *model)
{
    for (size_t i = 0; i < model->n_features; i++)
        if (has_category(model->feature[i], GCAL_FEATURE_CATEGORY_ARITHMETIC))
            return false;
    for (size_t i = 0; i < model->n_parameters; i++)
        if (strcmp(model->parameter[i], "p_banks") == 0 ||
            strcmp(model->parameter[i], "p_block_bytes") == 0)
            return true;
    return false;
}

bool gcal_params_model_is_general(const struct gcal_params_model *model)
{
    for (size_t i = 0; i < model->n_known; i++)
        if (model->known[i].target)
            return false;
    return !model->stands_for.n && !gcal_params_model_is_of_transfers(model) &&
           !gcal_params_model_is_of_sweeps(model);
}

/* Variants of a kernel, which have its name, are next to each other. */
char *gcal_params_model_targets(const struct gcal_params_model *model)
{
    struct gcal_buf list = { 0 };
    const char *last = "";

    for (size_t i = 0; i < model->n_known; i++) {
        const struct gcal_params_kernel *k = &model->known[i];

        if (!k->target || strcmp(k->name, last) == 0)
            continue;
        gcal_buf_printf(&list, "%s%s", *last ? ", " : "", k->name);
        last = k->name;
    }
    return list.data ? gcal_buf_take(&list, NULL) : NULL;
}
