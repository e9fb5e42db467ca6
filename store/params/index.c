/* index.c - the documents of a parameter file, and decoding of single models */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "store/params/params.h"
#include "store/params/fields.h"
#include "store/params/private.h"

/* ---- node and devices from a file's first document ---- */

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

/* Node and devices from the first document; of their models only the names. */
static int read_devices(const struct gcal_yaml *root, struct gcal_params *params,
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

/* ---- the documents of a parameter file, and decoding of single models ---- */

#define KEY "gpucal_params: "

/* Far above any real file. */
#define MAX_DOCUMENTS 10000

struct part {
    const char *text;
    size_t size;
    int line; /* of the file */
};

struct gcal_params_index {
    char *own_text; /* NULL: borrowed */
    char *name;
    struct gcal_params params; /* its models have names and origins only */
    size_t n_parts;            /* the documents */
    struct part *parts;
    pthread_mutex_t lock;               /* of 'decoded' */
    struct gcal_params_model **decoded; /* by device and model; NULL: not yet */
};

/* ---- the documents ---- */

/* The end of the line that begins at 'at', with its newline. */
static const char *line_end(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));

    return newline ? newline + 1 : end;
}

static bool is_line(const char *at, const char *next, const char *word)
{
    size_t n = (size_t)(next - at);

    if (n && at[n - 1] == '\n')
        n--;
    return n == strlen(word) && memcmp(at, word, n) == 0;
}

static struct part *add_part(struct gcal_params_index *index, size_t *capacity,
                             struct gcal_error *err)
{
    struct part *moved;

    if (index->n_parts >= MAX_DOCUMENTS) {
        gcal_error_set(err, GCAL_EINPUT, "%s: more than %d documents", index->name,
                       MAX_DOCUMENTS);
        return NULL;
    }
    moved = gcal_array_grow(index->parts, index->n_parts, capacity, sizeof(*moved), err);
    if (!moved)
        return NULL;
    index->parts = moved;
    return &moved[index->n_parts++];
}

/* After the end only comments are allowed, such as a signature. */
static int check_rest(const struct gcal_params_index *index, const char *at,
                      const char *end, int line, struct gcal_error *err)
{
    for (; at < end; at = line_end(at, end), line++)
        if (*at != '#' && *at != '\n')
            return gcal_error_set(err, GCAL_EINPUT,
                                  "%s:%d: only comments may follow the end '...'",
                                  index->name, line);
    return 0;
}

static int split(struct gcal_params_index *index, const char *text, size_t size,
                 struct gcal_error *err)
{
    const char *end = text + size, *next;
    struct part *part;
    size_t capacity = 0;
    int line = 1;

    if (!(part = add_part(index, &capacity, err)))
        return -1;
    *part = (struct part){ text, 0, line };
    for (const char *at = text; at < end; at = next, line++) {
        next = line_end(at, end);
        if (is_line(at, next, "---")) {
            if (!(part = add_part(index, &capacity, err)))
                return -1;
            *part = (struct part){ next, 0, line + 1 };
        } else if (is_line(at, next, "...")) {
            return check_rest(index, next, end, line + 1, err);
        } else {
            part->size = (size_t)(next - part->text);
        }
    }
    return gcal_error_set(err, GCAL_EINPUT,
                          "%s:%d: truncated: the file does not end in '...'", index->name,
                          line);
}

static size_t count_models(const struct gcal_params *params)
{
    size_t n = 0;

    for (size_t i = 0; i < params->n_devices; i++)
        n += params->devices[i].n_models;
    return n;
}

/* The first document names all models. */
static int check_parts(const struct gcal_params_index *index, struct gcal_error *err)
{
    size_t n_models = count_models(&index->params);

    if (index->n_parts == n_models + 1)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "%s:1: the first document names %zu models, but %zu follow",
                          index->name, n_models, index->n_parts - 1);
}

/* ---- the devices ---- */

/* Reads the version in the first line; 0: there is none. */
static long first_line_version(const char *text, size_t size)
{
    const char *at = text + strlen(KEY), *end = text + size;
    long version = 0;

    if (size < strlen(KEY) || memcmp(text, KEY, strlen(KEY)) != 0)
        return 0;
    for (; at < end && *at >= '0' && *at <= '9' && version < 1000000; at++)
        version = 10 * version + (*at - '0');
    return at < end && *at == '\n' ? version : 0;
}

static int index_open(struct gcal_params_index *index, const char *text, size_t size,
                      const char *name, struct gcal_error *err)
{
    long version = first_line_version(text, size);
    struct gcal_yaml *root;
    int rc;

    if (!(index->name = strdup(name)))
        return gcal_error_memory(err);
    if (!version)
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s:1: not a gpucal parameter file: the first line must be "
                              "'" KEY "%d'",
                              name, GCAL_PARAMS_VERSION);
    if (version != GCAL_PARAMS_VERSION)
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s:1: version %ld of the format, written by another "
                              "version of gpucal: calibrate again",
                              name, version);
    if (split(index, text, size, err) < 0 ||
        !(root =
              gcal_yaml_parse(index->parts->text, index->parts->size, index->name, err)))
        return -1;
    rc = read_devices(root, &index->params, err);
    gcal_yaml_destroy(root);
    return rc < 0 ? -1 : check_parts(index, err);
}

static void index_close(struct gcal_params_index *index)
{
    gcal_params_clear(&index->params);
    free(index->parts);
    free(index->own_text);
    free(index->name);
}

static int allocate_decoded(struct gcal_params_index *index, struct gcal_error *err)
{
    size_t n = count_models(&index->params);

    index->decoded = calloc(n + 1, sizeof(*index->decoded));
    return index->decoded ? 0 : gcal_error_memory(err);
}

struct gcal_params_index *gcal_params_index_create(char *text, size_t size,
                                                   const char *name,
                                                   struct gcal_error *err)
{
    struct gcal_params_index *index = calloc(1, sizeof(*index));

    if (!index) {
        free(text);
        gcal_error_memory(err);
        return NULL;
    }
    index->own_text = text;
    pthread_mutex_init(&index->lock, NULL);
    if (index_open(index, text, size, name, err) == 0 &&
        allocate_decoded(index, err) == 0)
        return index;
    gcal_params_index_destroy(index);
    return NULL;
}

void gcal_params_index_destroy(struct gcal_params_index *index)
{
    size_t n;

    if (!index)
        return;
    n = index->decoded ? count_models(&index->params) : 0;
    for (size_t i = 0; i < n; i++)
        if (index->decoded[i]) {
            gcal_params_model_clear(index->decoded[i]);
            free(index->decoded[i]);
        }
    free(index->decoded);
    index_close(index);
    pthread_mutex_destroy(&index->lock);
    free(index);
}

const struct gcal_params *gcal_params_index_devices(const struct gcal_params_index *index)
{
    return &index->params;
}

/* ---- the models ---- */

int gcal_params_index_model(const struct gcal_params_index *index, size_t device,
                            size_t model, struct gcal_params_model *out,
                            struct gcal_error *err)
{
    const struct gcal_params_device *d = &index->params.devices[device];
    const struct part *part;
    struct gcal_yaml *root;
    size_t at = 1 + model;
    int rc;

    for (size_t i = 0; i < device; i++)
        at += index->params.devices[i].n_models;
    part = &index->parts[at];
    if (!(root =
              gcal_yaml_parse_part(part->text, part->size, index->name, part->line, err)))
        return -1;
    rc = gcal_params_read_model(root, d->info.uid, d->models[model].name, out, err);
    gcal_yaml_destroy(root);
    return rc;
}

/* The place of a model in 'decoded'. */
static struct gcal_params_model **place(const struct gcal_params_index *index,
                                        size_t device, size_t model)
{
    for (size_t i = 0; i < device; i++)
        model += index->params.devices[i].n_models;
    return &index->decoded[model];
}

/* With its origin; the lock is held. */
static const struct gcal_params_model *decode_once(const struct gcal_params_index *index,
                                                   size_t device, size_t model,
                                                   struct gcal_error *err)
{
    struct gcal_params_model **at = place(index, device, model), *m;
    const struct gcal_params_device *d = &index->params.devices[device];

    if (*at)
        return *at;
    if (!(m = calloc(1, sizeof(*m)))) {
        gcal_error_memory(err);
        return NULL;
    }
    if (gcal_params_index_model(index, device, model, m, err) == 0) {
        if (gcal_fields_copy(gcal_params_origin_fields, &m->origin,
                             &d->models[model].origin, err) == 0)
            return *at = m;
        gcal_params_model_clear(m);
    }
    free(m);
    return NULL;
}

static int decode_named(const struct gcal_params_index *index, size_t device,
                        const char *name, struct gcal_params_device *out,
                        struct gcal_error *err)
{
    const struct gcal_params_device *d = &index->params.devices[device];

    for (size_t i = 0; i < d->n_models; i++) {
        const struct gcal_params_model *model;

        if (name && strcmp(d->models[i].name, name) != 0)
            continue;
        if (!(model = decode_once(index, device, i, err)))
            return -1;
        out->models[out->n_models++] = *model;
    }
    return 0;
}

int gcal_params_index_models(struct gcal_params_index *index, size_t device,
                             const char *name, struct gcal_params_device *out,
                             struct gcal_error *err)
{
    const struct gcal_params_device *d = &index->params.devices[device];
    int rc;

    *out = *d;
    out->n_models = 0;
    if (!(out->models = calloc(d->n_models + 1, sizeof(*out->models))))
        return gcal_error_memory(err);
    pthread_mutex_lock(&index->lock);
    rc = decode_named(index, device, name, out, err);
    pthread_mutex_unlock(&index->lock);
    out->n_shared = out->n_models;
    return rc;
}

void gcal_params_index_models_clear(struct gcal_params_device *device)
{
    for (size_t i = device->n_shared; i < device->n_models; i++)
        gcal_params_model_clear(&device->models[i]);
    free(device->models);
    *device = (struct gcal_params_device){ 0 };
}

/* Decodes all models, and hands the devices over to the caller. */
static int take_all(struct gcal_params_index *index, struct gcal_params *params,
                    struct gcal_error *err)
{
    for (size_t i = 0; i < index->params.n_devices; i++) {
        struct gcal_params_device *d = &index->params.devices[i];

        for (size_t j = 0; j < d->n_models; j++) {
            struct gcal_params_model model;

            if (gcal_params_index_model(index, i, j, &model, err) < 0)
                return -1;
            model.origin = d->models[j].origin;
            d->models[j].origin = (struct gcal_params_origin){ 0 };
            gcal_params_model_clear(&d->models[j]);
            d->models[j] = model;
        }
    }
    *params = index->params;
    index->params = (struct gcal_params){ 0 };
    return 0;
}

int gcal_params_decode(const char *text, size_t size, const char *name,
                       struct gcal_params *params, struct gcal_error *err)
{
    struct gcal_params_index index = { 0 };
    int rc = -1;

    *params = (struct gcal_params){ 0 };
    if (index_open(&index, text, size, name, err) == 0)
        rc = take_all(&index, params, err);
    index_close(&index);
    return rc;
}
