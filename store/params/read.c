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

/* The names and origins of a device's models. */
static void get_models(struct gcal_params_fields *r, const struct gcal_yaml *map,
                       struct gcal_params_device *d)
{
    const struct gcal_yaml *list = gcal_params_fields_list(r, map, "models");

    for (size_t i = 0; !r->failed && i < list->n_items; i++) {
        const struct gcal_yaml *item = list->items[i];
        struct gcal_params_model *m = gcal_params_add_model(d, r->err);

        if (!m)
            r->failed = true;
        else {
            static const struct gcal_field *const tables[2] = {
                gcal_params_origin_fields
            };
            static const char *const others[] = { "name", NULL };

            /* Name and origin; what is omitted is that of the device. */
            gcal_params_fields_check_keys(r, item, tables, others);
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

int gcal_params_read_devices(const struct gcal_yaml *root, struct gcal_params *params,
                             struct gcal_error *err)
{
    static const struct gcal_field *const tables[2] = { gcal_device_info_fields,
                                                        gcal_params_run_fields };
    static const struct gcal_field *const none[2] = { NULL };
    static const char *const keys[] = { "gpucal_params", "node", "devices", NULL };
    static const char *const models[] = { "models", NULL };
    struct gcal_params_fields r = { .err = err };
    const struct gcal_yaml *list;
    struct gcal_params_device *d;

    *params = (struct gcal_params){ 0 };
    gcal_params_fields_check_keys(&r, root, none, keys);
    params->node = gcal_params_fields_text(&r, root, "node");
    list = gcal_params_fields_list(&r, root, "devices");
    for (size_t i = 0; !r.failed && i < list->n_items; i++) {
        if ((d = gcal_params_add_device(params, err))) {
            gcal_params_fields_check_keys(&r, list->items[i], tables, models);
            gcal_params_fields_get(&r, list->items[i], gcal_device_info_fields, &d->info);
            gcal_params_fields_get(&r, list->items[i], gcal_params_run_fields, d);
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
    if (!r.failed)
        return 0;
    gcal_params_clear(params);
    return -1;
}
