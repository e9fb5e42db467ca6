/* fields.c - the values of a map's keys */
#include "store/params/fields.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/utf8.h"
#include "kernels/base/yaml.h"
#include "kernels/model/run/field.h"

/* Far above any real file: comparing names takes quadratic time. */
#define MAX_ITEMS 1000

/* Of a map. */
#define MAX_KEYS 60

const struct gcal_yaml *gcal_params_fields_need(struct gcal_params_fields *r,
                                                const struct gcal_yaml *map,
                                                const char *key)
{
    const struct gcal_yaml *node;

    if (r->failed)
        return NULL;
    if (!(node = gcal_yaml_find(map, key))) {
        gcal_yaml_error(map, r->err, "'%s' is missing", key);
        r->failed = true;
    }
    return node;
}

/* Control characters that are no space, written as escapes, would reach the terminals of those
 * who look at the store.
 */
static bool is_plain(const char *text)
{
    for (; *text; text++)
        if (gcal_utf8_is_control(text) && !strchr("\t\n\r", *text))
            return false;
    return true;
}

char *gcal_params_fields_copy(struct gcal_params_fields *r, const struct gcal_yaml *node,
                              const char *what)
{
    const char *text = gcal_yaml_text(node, what, r->err);
    char *copy;

    if (text && !is_plain(text)) {
        gcal_yaml_error(node, r->err, "%s: contains a control character", what);
        text = NULL;
        r->failed = true;
    }
    copy = text ? strdup(text) : NULL;

    if (text && !copy)
        gcal_error_memory(r->err);
    if (!copy)
        r->failed = true;
    return copy;
}

char *gcal_params_fields_text(struct gcal_params_fields *r, const struct gcal_yaml *map,
                              const char *key)
{
    const struct gcal_yaml *node = gcal_params_fields_need(r, map, key);

    return node ? gcal_params_fields_copy(r, node, key) : NULL;
}

double gcal_params_fields_number(struct gcal_params_fields *r,
                                 const struct gcal_yaml *map, const char *key, double min)
{
    const struct gcal_yaml *node = gcal_params_fields_need(r, map, key);
    double value = 0;

    if (!node)
        return 0;
    if (gcal_yaml_double(node, key, &value, r->err) < 0) {
        r->failed = true;
    } else if (value < min) {
        gcal_yaml_error(node, r->err, "%s: must be at least %g", key, min);
        r->failed = true;
    }
    return value;
}

uint64_t gcal_params_fields_count(struct gcal_params_fields *r,
                                  const struct gcal_yaml *map, const char *key)
{
    const struct gcal_yaml *node = gcal_params_fields_need(r, map, key);
    long long value = 0;

    if (node && gcal_yaml_integer(node, key, 0, LLONG_MAX, &value, r->err) < 0)
        r->failed = true;
    return (uint64_t)value;
}

bool gcal_params_fields_bool(struct gcal_params_fields *r, const struct gcal_yaml *map,
                             const char *key)
{
    const struct gcal_yaml *node = gcal_params_fields_need(r, map, key);
    bool value = false;

    if (node && gcal_yaml_bool(node, key, &value, r->err) < 0)
        r->failed = true;
    return value;
}

const struct gcal_yaml *gcal_params_fields_list(struct gcal_params_fields *r,
                                                const struct gcal_yaml *map,
                                                const char *key)
{
    const struct gcal_yaml *node = gcal_params_fields_need(r, map, key);

    if (!node)
        return NULL;
    if (node->kind == GCAL_YAML_LIST && node->n_items <= MAX_ITEMS)
        return node;
    gcal_yaml_error(node, r->err, "%s: expected a list of at most %d items", key,
                    MAX_ITEMS);
    r->failed = true;
    return NULL;
}

void gcal_params_fields_check_keys(struct gcal_params_fields *r,
                                   const struct gcal_yaml *map,
                                   const struct gcal_field *const tables[2],
                                   const char *const *others)
{
    const char *keys[MAX_KEYS] = { NULL };
    size_t n = 0;

    for (int i = 0; i < 2; i++)
        for (const struct gcal_field *f = tables[i]; f && f->name; f++)
            keys[n++] = gcal_field_key(f);
    while (*others)
        keys[n++] = *others++;
    if (!r->failed && gcal_yaml_check_keys(map, keys, r->err) < 0)
        r->failed = true;
}

/* Returns whether the member is unknown, so that its key is left out. */
static bool is_left_out(const struct gcal_field *f, const void *member)
{
    if (!f->optional)
        return false;
    return f->type == GCAL_FIELD_F64
               ? *(const double *)member == 0 || !isfinite(*(const double *)member)
               : *(const uint64_t *)member == 0;
}

void gcal_params_fields_put(struct gcal_yaml_writer *w, const struct gcal_field *fields,
                            const void *object)
{
    for (const struct gcal_field *f = fields; f->name; f++) {
        const void *member = (const char *)object + f->offset;
        const char *key = gcal_field_key(f);

        if (is_left_out(f, member))
            continue;
        if (f->type == GCAL_FIELD_TEXT)
            gcal_yaml_put_text(w, key,
                               *(char *const *)member ? *(char *const *)member : "");
        else if (f->type == GCAL_FIELD_U64)
            gcal_yaml_put_integer(w, key, *(const uint64_t *)member);
        else if (f->type == GCAL_FIELD_F64)
            gcal_yaml_put_number(w, key, *(const double *)member);
        else
            gcal_yaml_put_bool(w, key, *(const bool *)member);
    }
}

void gcal_params_fields_get(struct gcal_params_fields *r, const struct gcal_yaml *map,
                            const struct gcal_field *fields, void *object)
{
    for (const struct gcal_field *f = fields; f->name && !r->failed; f++) {
        void *member = (char *)object + f->offset;
        const char *key = gcal_field_key(f);

        if (f->optional && !gcal_yaml_find(map, key))
            continue;
        if (f->type == GCAL_FIELD_TEXT)
            *(char **)member = gcal_params_fields_text(r, map, key);
        else if (f->type == GCAL_FIELD_U64)
            *(uint64_t *)member = gcal_params_fields_count(r, map, key);
        else if (f->type == GCAL_FIELD_F64)
            *(double *)member = gcal_params_fields_number(r, map, key, 0);
        else
            *(bool *)member = gcal_params_fields_bool(r, map, key);
    }
}

void *gcal_params_fields_array(struct gcal_params_fields *r, size_t count,
                               size_t item_bytes)
{
    void *items = r->failed ? NULL : calloc(count ? count : 1, item_bytes);

    if (!items && !r->failed) {
        gcal_error_memory(r->err);
        r->failed = true;
    }
    return items;
}

void gcal_params_fields_check_unique(struct gcal_params_fields *r,
                                     const struct gcal_yaml *list, char *const *names,
                                     size_t i)
{
    for (size_t k = 0; !r->failed && k < i; k++)
        if (strcmp(names[k], names[i]) == 0) {
            gcal_yaml_error(list->items[i], r->err, "duplicate '%s'", names[i]);
            r->failed = true;
        }
}
