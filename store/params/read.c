/* read.c - node and devices from a file's first document */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "store/params/params.h"
#include "store/params/fields.h"
#include "store/params/private.h"

static void inherit(struct gcal_params_fields *r, const struct gcal_params_device *d,
                    struct gcal_params_model *m)
{
    struct gcal_params_origin origin = gcal_params_model_origin(d, m), copy = { 0 };

    if (r->failed)
        return;
    r->failed = gcal_fields_copy(gcal_params_origin_fields, &copy, &origin, r->err) < 0;
    gcal_fields_clear(gcal_params_origin_fields, &m->origin);
    m->origin = copy;
}

/* The names and origins of a device's models; before version 4 the names alone, before
 * version 3 the models themselves.
 */
static void get_models(struct gcal_params_fields *r, const struct gcal_yaml *map,
                       struct gcal_params_device *d)
{
    const struct gcal_yaml *list = gcal_params_fields_list(r, map, "models");

    for (size_t i = 0; !r->failed && i < list->n_items; i++) {
        const struct gcal_yaml *item = list->items[i];
        struct gcal_params_model *m = gcal_params_add_model(d, r->err);

        if (!m)
            r->failed = true;
        else if (r->version < 3)
            m->name = gcal_params_fields_text(r, item, "name");
        else if (r->version < 4)
            m->name = gcal_params_fields_copy(r, item, "models");
        else {
            static const char *const keys[] = { "name",           "run_id",
                                                "calibrated_utc", "gpucal_version",
                                                "catalogue",      "configuration",
                                                "driver",         "type",
                                                "fitted",         NULL };

            /* Name and origin; what is omitted is that of the device. */
            gcal_params_fields_check_keys(r, item, keys);
            m->name = gcal_params_fields_text(r, item, "name");
            for (const struct gcal_field *f = gcal_params_origin_fields; f->name; f++) {
                void *member = (char *)&m->origin + f->offset;

                if (r->failed || !gcal_yaml_find(item, f->name))
                    continue;
                if (f->type == GCAL_FIELD_TEXT)
                    *(char **)member = gcal_params_fields_text(r, item, f->name);
                else
                    *(uint64_t *)member = gcal_params_fields_count(r, item, f->name);
            }
        }
        if (m)
            inherit(r, d, m);
        for (size_t k = 0; !r->failed && k < i; k++)
            if (strcmp(d->models[k].name, m->name) == 0) {
                gcal_yaml_error(item, r->err, "duplicate model '%s'", m->name);
                r->failed = true;
            }
    }
}

/* "" in files before version 3. */
static char *get_fingerprint(struct gcal_params_fields *r, const struct gcal_yaml *map,
                             const char *key)
{
    char *none;

    if (r->version >= 3 || r->failed)
        return gcal_params_fields_text(r, map, key);
    if (!(none = strdup(""))) {
        gcal_error_memory(r->err);
        r->failed = true;
    }
    return none;
}

#define MAX_KEYS 40

/* The version comes first: a newer file may differ in everything else. */
static void check_version(struct gcal_params_fields *r, const struct gcal_yaml *root)
{
    const struct gcal_yaml *node = gcal_yaml_find(root, "gpucal_params");

    if (!node)
        gcal_yaml_error(root, r->err, "not a gpucal parameter file: no 'gpucal_params'");
    else if (gcal_yaml_integer(node, "gpucal_params", 1, LLONG_MAX, &r->version, r->err) <
             0)
        ;
    else if (r->version > GCAL_PARAMS_VERSION)
        gcal_yaml_error(node, r->err,
                        "version %lld of the format; this gpucal reads up to %d: use a "
                        "newer gpucal",
                        r->version, GCAL_PARAMS_VERSION);
    else
        return;
    r->failed = true;
}

int gcal_params_read_devices(const struct gcal_yaml *root, struct gcal_params *params,
                             long long *version, struct gcal_error *err)
{
    static const char *const keys[] = { "gpucal_params", "node", "devices", "complete",
                                        NULL };
    struct gcal_params_fields r = { .err = err };
    const struct gcal_yaml *list;
    struct gcal_params_device *d;

    *params = (struct gcal_params){ 0 };
    check_version(&r, root);
    gcal_params_fields_check_keys(&r, root, keys);
    params->node = gcal_params_fields_text(&r, root, "node");
    list = gcal_params_fields_list(&r, root, "devices");
    for (size_t i = 0; !r.failed && i < list->n_items; i++) {
        if ((d = gcal_params_add_device(params, err))) {
            static const char *const others[] = { "run_id",         "calibrated_utc",
                                                  "gpucal_version", "models",
                                                  "configuration", /* from version 3 on */
                                                  "catalogue",      "fitted" };
            const char *keys[MAX_KEYS] = { NULL };
            size_t n = 0;

            for (const struct gcal_field *f = gcal_device_info_fields; f->name; f++)
                keys[n++] = gcal_field_key(f);
            for (size_t j = 0; j < sizeof(others) / sizeof(*others); j++)
                keys[n++] = others[j];
            gcal_params_fields_check_keys(&r, list->items[i], keys);
            for (const struct gcal_field *f = gcal_device_info_fields; f->name; f++) {
                void *member = (char *)&d->info + f->offset;
                const char *key = gcal_field_key(f);

                if (f->since && !r.failed && !gcal_yaml_find(list->items[i], key))
                    continue;
                if (f->type == GCAL_FIELD_TEXT)
                    *(char **)member = gcal_params_fields_text(&r, list->items[i], key);
                else if (f->type == GCAL_FIELD_U64)
                    *(uint64_t *)member =
                        gcal_params_fields_count(&r, list->items[i], key);
                else if (f->type == GCAL_FIELD_F64)
                    *(double *)member =
                        gcal_params_fields_number(&r, list->items[i], key, 0);
                else
                    *(bool *)member = gcal_params_fields_bool(&r, list->items[i], key);
            }
            d->run_id = gcal_params_fields_text(&r, list->items[i], "run_id");
            d->calibrated_utc =
                gcal_params_fields_text(&r, list->items[i], "calibrated_utc");
            d->gpucal_version =
                gcal_params_fields_text(&r, list->items[i], "gpucal_version");
            d->configuration = get_fingerprint(&r, list->items[i], "configuration");
            d->catalogue = get_fingerprint(&r, list->items[i], "catalogue");
            if (r.version >= 3)
                d->n_fitted = gcal_params_fields_count(&r, list->items[i], "fitted");
            get_models(&r, list->items[i], d);
        } else
            r.failed = true;
        for (size_t k = 0; !r.failed && k < i; k++)
            if (strcmp(params->devices[k].info.uid, d->info.uid) == 0) {
                gcal_yaml_error(list->items[i], err, "duplicate device '%s'",
                                d->info.uid);
                r.failed = true;
            }
    }
    /* A file before version 3 ends with this key; a truncated one lacks it. */
    if (r.version < 3 && !gcal_params_fields_bool(&r, root, "complete") && !r.failed) {
        gcal_yaml_error(root, r.err, "truncated: no 'complete: true'");
        r.failed = true;
    }
    *version = r.version;
    if (!r.failed)
        return 0;
    gcal_params_clear(params);
    return -1;
}
