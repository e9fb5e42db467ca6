/* profile_entry.c - decoding of an entry of a profile, and of the values of keys */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/assume.h"
#include "kernels/model/expr.h"
#include "kernels/model/expr_private.h"
#include "kernels/model/profile_private.h"

int gcal_profile_copy_text(char **to, const char *text, struct gcal_error *err)
{
    if (!text)
        return -1;
    return (*to = strdup(text)) ? 0 : gcal_error_memory(err);
}

const struct gcal_yaml *gcal_profile_need(const struct gcal_yaml *map, const char *key,
                                          struct gcal_error *err)
{
    const struct gcal_yaml *node = gcal_yaml_find(map, key);

    if (!node)
        gcal_yaml_error(map, err, "'%s' is missing", key);
    return node;
}

int gcal_profile_take_text(struct gcal_profile_decoder *d, const struct gcal_yaml *map,
                           const char *key, char **to)
{
    const struct gcal_yaml *node = gcal_yaml_find(map, key);

    return node ? gcal_profile_copy_text(to, gcal_yaml_text(node, key, d->err), d->err)
                : 0;
}

static int take_expanded(struct gcal_profile_decoder *d, const struct gcal_yaml *node,
                         const char *what, const char *text, char **to)
{
    struct gcal_error inner;
    struct gcal_expr *expr;

    if (!(expr = gcal_expr_parse_in(text, d->n_symbols, d->symbols, &inner)))
        return gcal_yaml_error(node, d->err, "%s: %s", what, inner.text);
    gcal_expr_destroy(expr);
    return gcal_profile_copy_text(to, text, d->err);
}

int gcal_profile_take_expr(struct gcal_profile_decoder *d, const struct gcal_yaml *node,
                           const char *what, char **to)
{
    const char *text = gcal_yaml_text(node, what, d->err);
    struct gcal_error inner;
    char *whole;
    int rc;

    if (!text)
        return -1;
    if (!d->definitions.n_definitions)
        return take_expanded(d, node, what, text, to);
    if (!(whole =
              gcal_shared_expand(&d->definitions, text, GCAL_EXPR_MAX_LENGTH, &inner)))
        return gcal_yaml_error(node, d->err, "%s: %s", what, inner.text);
    d->n_expanded += strlen(whole);
    rc = d->n_expanded > GCAL_PROFILE_MAX_EXPANDED
             ? gcal_yaml_error(node, d->err,
                               "with their definitions, the expressions up to here have "
                               "more than %u characters",
                               GCAL_PROFILE_MAX_EXPANDED)
             : take_expanded(d, node, what, whole, to);
    free(whole);
    return rc;
}

int gcal_profile_take_assumptions(struct gcal_profile_decoder *d,
                                  const struct gcal_yaml *node, const char *what,
                                  char **to)
{
    const char *text = gcal_yaml_text(node, what, d->err);
    struct gcal_assume *assume;
    struct gcal_error inner;

    if (!text)
        return -1;
    if (!(assume = gcal_assume_parse(text, d->n_symbols, d->symbols, &inner)))
        return gcal_yaml_error(node, d->err, "%s", inner.text);
    gcal_assume_destroy(assume);
    return gcal_profile_copy_text(to, text, d->err);
}

int gcal_profile_take_choice(struct gcal_profile_decoder *d, const struct gcal_yaml *node,
                             const char *what, const char *const *names, size_t n,
                             size_t *choice)
{
    const char *text = gcal_yaml_text(node, what, d->err);

    if (!text)
        return -1;
    for (*choice = 0; *choice < n; ++*choice)
        if (strcmp(text, names[*choice]) == 0)
            return 0;
    return gcal_yaml_error(node, d->err, "%s: unknown '%.60s' (expected %s, ..., %s)",
                           what, text, names[0], names[n - 1]);
}

const struct gcal_yaml *gcal_profile_need_list(const struct gcal_yaml *map,
                                               const char *key, size_t min, size_t max,
                                               struct gcal_error *err)
{
    const struct gcal_yaml *list = gcal_profile_need(map, key, err);

    if (!list)
        return NULL;
    if (list->kind == GCAL_YAML_LIST && list->n_items >= min && list->n_items <= max)
        return list;
    gcal_yaml_error(list, err, "%s: expected a list of %zu to %zu items", key, min, max);
    return NULL;
}

int gcal_profile_take_count(struct gcal_profile_decoder *d, const struct gcal_yaml *map,
                            const char *key, size_t *count)
{
    const struct gcal_yaml *node = gcal_yaml_find(map, key);
    long long value;

    if (!node)
        return 0;
    if (gcal_yaml_integer(node, key, 1, 1 << 30, &value, d->err) < 0)
        return -1;
    *count = (size_t)value;
    return 0;
}

int gcal_profile_take_flag(struct gcal_profile_decoder *d, const struct gcal_yaml *map,
                           const char *key, bool *flag)
{
    const struct gcal_yaml *node = gcal_yaml_find(map, key);

    return node ? gcal_yaml_bool(node, key, flag, d->err) : 0;
}

static int decode_strides(struct gcal_profile_decoder *d, const struct gcal_yaml *map,
                          const char *key, char **strides)
{
    size_t n = d->profile->n_dims;
    const struct gcal_yaml *list = gcal_profile_need_list(map, key, n, n, d->err);

    if (!list)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const char *text = gcal_yaml_text(list->items[i], key, d->err);

        if (!text)
            return -1;
        if (strcmp(text, GCAL_PROFILE_UNKNOWN) == 0)
            continue;
        if (gcal_profile_take_expr(d, list->items[i], key, &strides[i]) < 0)
            return -1;
    }
    return 0;
}

static int decode_loop_strides(struct gcal_profile_decoder *d,
                               const struct gcal_yaml *map,
                               struct gcal_profile_entry *entry)
{
    const struct gcal_yaml *list;

    if (!gcal_yaml_find(map, "loop_strides"))
        return 0;
    if (!(list = gcal_profile_need_list(map, "loop_strides", 0, GCAL_PROFILE_MAX_LOOPS,
                                        d->err)))
        return -1;
    entry->loop_strides = calloc(list->n_items + 1, sizeof(*entry->loop_strides));
    if (!entry->loop_strides)
        return gcal_error_memory(d->err);
    entry->n_loop_strides = list->n_items;
    for (size_t i = 0; i < list->n_items; i++) {
        const struct gcal_yaml *node = list->items[i];
        static const char *const known[] = { "loop", "stride", NULL };
        const struct gcal_yaml *loop, *value;

        if (gcal_yaml_check_keys(node, known, d->err) < 0 ||
            !(loop = gcal_profile_need(node, "loop", d->err)) ||
            !(value = gcal_profile_need(node, "stride", d->err)))
            return -1;
        if (gcal_profile_copy_text(&entry->loop_strides[i].loop,
                                   gcal_yaml_text(loop, "loop", d->err), d->err) < 0)
            return -1;
        if (gcal_profile_take_expr(d, value, "stride", &entry->loop_strides[i].stride) <
            0)
            return -1;
    }
    return 0;
}

/* Atomics have none: they both load and store. */
static int decode_direction(struct gcal_profile_decoder *d, const struct gcal_yaml *map,
                            struct gcal_profile_entry *entry)
{
    const struct gcal_yaml *node = gcal_yaml_find(map, "direction");
    size_t direction;

    if (!(gcal_feature_info(entry->kind)->fields & GCAL_FEATURE_FIELD_DIRECTION))
        return node ? gcal_yaml_error(node, d->err, "an atomic has no direction") : 0;
    if (!gcal_profile_need(map, "direction", d->err) ||
        gcal_profile_take_choice(d, node, "direction", gcal_feature_direction_names, 3,
                                 &direction) < 0)
        return -1;
    entry->direction = direction;
    return 0;
}

static int decode_access(struct gcal_profile_decoder *d, const struct gcal_yaml *map,
                         struct gcal_profile_entry *entry)
{
    const struct gcal_yaml *memory = gcal_profile_need(map, "memory", d->err);
    const struct gcal_yaml *width;
    size_t space;
    long long elements;

    if (!memory || decode_direction(d, map, entry) < 0 ||
        !(width = gcal_profile_need(map, "vector_width", d->err)) ||
        gcal_profile_take_choice(d, memory, "memory", gcal_feature_space_names,
                                 GCAL_FEATURE_N_SPACES, &space) < 0 ||
        gcal_yaml_integer(width, "vector_width", 1, 1024, &elements, d->err) < 0 ||
        gcal_profile_take_text(d, map, "array", &entry->array) < 0 ||
        gcal_profile_take_text(d, map, "tag", &entry->tag) < 0 ||
        decode_strides(d, map, "lid_strides", entry->lid_stride) < 0 ||
        decode_strides(d, map, "gid_strides", entry->gid_stride) < 0 ||
        decode_loop_strides(d, map, entry) < 0 ||
        gcal_profile_take_count(d, map, "bank_ways", &entry->bank_ways) < 0)
        return -1;
    entry->space = space;
    entry->vector_width = (size_t)elements;
    /* Parsed here so that the message has its line. */
    const struct gcal_yaml *afr = gcal_yaml_find(map, "afr");
    const struct gcal_yaml *premise = gcal_yaml_find(map, "afr_premise");

    if (afr && gcal_profile_take_expr(d, afr, "afr", &entry->afr) < 0)
        return -1;
    if (premise && !afr)
        return gcal_yaml_error(premise, d->err, "'afr_premise' is without 'afr'");
    return premise ? gcal_profile_take_assumptions(d, premise, "afr_premise",
                                                   &entry->afr_premise)
                   : 0;
}

static int decode_feature(struct gcal_profile_decoder *d, const struct gcal_yaml *map,
                          struct gcal_profile_entry *entry)
{
    const struct gcal_yaml *node = gcal_profile_need(map, "feature", d->err);
    const char *name = node ? gcal_yaml_text(node, "feature", d->err) : NULL;
    struct gcal_feature feature;
    struct gcal_error inner;
    bool is_class;

    if (!name)
        return -1;
    if (gcal_feature_parse(name, &feature, &inner) < 0)
        return gcal_yaml_error(node, d->err, "%s", inner.text);
    entry->kind = feature.kind;
    is_class = gcal_feature_is_class(&feature);
    gcal_feature_clear(&feature);
    if (is_class)
        return gcal_yaml_error(
            node, d->err, "a count is of one operation: name its type and operation");
    if (gcal_feature_info(entry->kind)->counted == GCAL_FEATURE_COUNTED_NEVER)
        return gcal_yaml_error(node, d->err, "a profile has counts, not times");
    if (gcal_feature_info(entry->kind)->counted == GCAL_FEATURE_COUNTED_DEVICE ||
        gcal_feature_counted_kind(entry->kind) != entry->kind)
        return gcal_yaml_error(node, d->err, "a profile has counts, no facts of devices");
    return gcal_profile_copy_text(&entry->feature, name, d->err);
}

static int decode_position(struct gcal_profile_decoder *d, const struct gcal_yaml *map,
                           struct gcal_profile_entry *entry)
{
    const struct gcal_yaml *at;
    long long line, column;

    if (!gcal_yaml_find(map, "at"))
        return 0;
    if (!(at = gcal_profile_need_list(map, "at", 2, 2, d->err)) ||
        gcal_yaml_integer(at->items[0], "line", 0, 1 << 30, &line, d->err) < 0 ||
        gcal_yaml_integer(at->items[1], "column", 0, 1 << 30, &column, d->err) < 0)
        return -1;
    entry->line = (int)line;
    entry->column = (int)column;
    return 0;
}

int gcal_profile_take_entry(struct gcal_profile_decoder *d, const struct gcal_yaml *map,
                            struct gcal_profile_entry *entry)
{
    static const char *const known[] = {
        "feature",      "count",        "per",         "dtype",
        "op",           "array",        "tag",         "memory",
        "direction",    "lid_strides",  "gid_strides", "afr",
        "vector_width", "loop_strides", "at",          "estimated",
        "bank_ways",    "afr_premise",  NULL
    };
    const struct gcal_yaml *count, *per;
    size_t granularity;

    if (gcal_yaml_check_keys(map, known, d->err) < 0 ||
        decode_feature(d, map, entry) < 0 ||
        !(count = gcal_profile_need(map, "count", d->err)) ||
        !(per = gcal_profile_need(map, "per", d->err)) ||
        gcal_profile_take_expr(d, count, "count", &entry->count) < 0 ||
        gcal_profile_take_choice(d, per, "per", gcal_feature_granularity_names, 4,
                                 &granularity) < 0 ||
        gcal_profile_take_text(d, map, "dtype", &entry->dtype) < 0 ||
        gcal_profile_take_text(d, map, "op", &entry->op) < 0 ||
        decode_position(d, map, entry) < 0 ||
        gcal_profile_take_flag(d, map, "estimated", &entry->estimated) < 0)
        return -1;
    entry->granularity = granularity;
    if (gcal_feature_is_op(entry->kind) && (!entry->dtype || !entry->op))
        return gcal_yaml_error(map, d->err, "an operation needs 'dtype' and 'op'");
    if (entry->kind == GCAL_FEATURE_MATRIX_OP && !entry->op)
        return gcal_yaml_error(map, d->err, "an operation on matrices needs 'op'");
    if (gcal_feature_is_transfer(entry->kind)) {
        const struct gcal_yaml *direction = gcal_profile_need(map, "direction", d->err);
        const struct gcal_yaml *memory =
            direction ? gcal_profile_need(map, "memory", d->err) : NULL;
        size_t way, host;

        if (!memory ||
            gcal_profile_take_choice(d, direction, "direction",
                                     gcal_feature_copy_direction_names, 3, &way) < 0 ||
            gcal_profile_take_choice(d, memory, "memory", gcal_feature_host_memory_names,
                                     4, &host) < 0)
            return -1;
        entry->way = (enum gcal_feature_copy_direction)way;
        entry->host = (enum gcal_feature_host_memory)host;
        return 0;
    }
    if (gcal_feature_is_component(entry->kind))
        return gcal_profile_take_text(d, map, "tag", &entry->tag);
    return gcal_feature_is_access(entry->kind) ? decode_access(d, map, entry) : 0;
}
