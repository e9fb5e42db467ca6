/* profile_decode.c - profiles from YAML that anybody may have written */
#include "calib/model/profile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/yaml.h"
#include "calib/model/assume.h"
#include "calib/model/expr.h"
#include "calib/model/profile_private.h"

struct decoder {
    struct gcal_profile *profile;
    size_t n_symbols; /* what expressions may contain */
    const char *symbols[GCAL_PROFILE_MAX_PARAMETERS + 1];
    struct gcal_error *err;
};

static int keep(char **to, const char *text, struct gcal_error *err)
{
    if (!text)
        return -1;
    return (*to = strdup(text)) ? 0 : gcal_error_memory(err);
}

/* The node of 'key', or NULL with a complaint. */
static const struct gcal_yaml *need(const struct gcal_yaml *map, const char *key,
                                    struct gcal_error *err)
{
    const struct gcal_yaml *node = gcal_yaml_find(map, key);

    if (!node)
        gcal_yaml_error(map, err, "'%s' is missing", key);
    return node;
}

static int decode_text(struct decoder *d, const struct gcal_yaml *map, const char *key,
                       char **to)
{
    const struct gcal_yaml *node = gcal_yaml_find(map, key);

    return node ? keep(to, gcal_yaml_text(node, key, d->err), d->err) : 0;
}

/* An expression in the sizes, checked here so that the complaint has its line. */
static int decode_expr(struct decoder *d, const struct gcal_yaml *node, const char *what,
                       char **to)
{
    const char *text = gcal_yaml_text(node, what, d->err);
    struct gcal_error inner;
    struct gcal_expr *expr;

    if (!text)
        return -1;
    if (!(expr = gcal_expr_parse_in(text, d->n_symbols, d->symbols, &inner)))
        return gcal_yaml_error(node, d->err, "%s: %s", what, inner.text);
    gcal_expr_destroy(expr);
    return keep(to, text, d->err);
}

static int decode_choice(struct decoder *d, const struct gcal_yaml *node,
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

static const struct gcal_yaml *need_list(const struct gcal_yaml *map, const char *key,
                                         size_t min, size_t max, struct gcal_error *err)
{
    const struct gcal_yaml *list = need(map, key, err);

    if (!list)
        return NULL;
    if (list->kind == GCAL_YAML_LIST && list->n_items >= min && list->n_items <= max)
        return list;
    gcal_yaml_error(list, err, "%s: expected a list of %zu to %zu items", key, min, max);
    return NULL;
}

static bool is_identifier(const char *text)
{
    if (!isalpha((unsigned char)*text) && *text != '_')
        return false;
    while (isalnum((unsigned char)*text) || *text == '_')
        text++;
    return !*text;
}

static int decode_parameters(struct decoder *d, const struct gcal_yaml *root)
{
    struct gcal_profile *profile = d->profile;
    const struct gcal_yaml *list =
        need_list(root, "parameters", 0, GCAL_PROFILE_MAX_PARAMETERS, d->err);

    d->symbols[d->n_symbols++] = GCAL_SUB_GROUP_SIZE;
    if (!list)
        return -1;
    if (!(profile->parameters = calloc(list->n_items + 1, sizeof(char *))))
        return gcal_error_memory(d->err);
    for (size_t i = 0; i < list->n_items; i++) {
        const struct gcal_yaml *item = list->items[i];
        const char *name = gcal_yaml_text(item, "parameters", d->err);

        if (!name)
            return -1;
        if (!is_identifier(name))
            return gcal_yaml_error(item, d->err, "'%.60s' is not a name", name);
        for (size_t k = 0; k < d->n_symbols; k++)
            if (strcmp(d->symbols[k], name) == 0)
                return gcal_yaml_error(item, d->err,
                                       "'%.60s' stands for something already", name);
        if (keep(&profile->parameters[i], name, d->err) < 0)
            return -1;
        profile->n_parameters++;
        d->symbols[d->n_symbols++] = profile->parameters[i];
    }
    return 0;
}

static int decode_geometry(struct decoder *d, const struct gcal_yaml *root)
{
    struct gcal_profile *profile = d->profile;
    const struct gcal_yaml *local =
        need_list(root, "local_size", 1, GCAL_MAX_DIMS, d->err);
    const struct gcal_yaml *groups;

    if (!local ||
        !(groups = need_list(root, "groups", local->n_items, local->n_items, d->err)))
        return -1;
    profile->n_dims = local->n_items;
    for (size_t i = 0; i < profile->n_dims; i++) {
        long long size;

        if (gcal_yaml_integer(local->items[i], "local_size", 1, 1 << 20, &size, d->err) <
                0 ||
            decode_expr(d, groups->items[i], "groups", &profile->groups[i]) < 0)
            return -1;
        profile->local_size[i] = (size_t)size;
    }
    return 0;
}

static int decode_assumptions(struct decoder *d, const struct gcal_yaml *root)
{
    const struct gcal_yaml *node = gcal_yaml_find(root, "assumptions");
    struct gcal_assume *assume;
    struct gcal_error inner;
    const char *text;

    if (!node)
        return 0;
    if (!(text = gcal_yaml_text(node, "assumptions", d->err)))
        return -1;
    if (!(assume = gcal_assume_parse(text, d->n_symbols, d->symbols, &inner)))
        return gcal_yaml_error(node, d->err, "%s", inner.text);
    gcal_assume_destroy(assume);
    return keep(&d->profile->assumptions, text, d->err);
}

static int decode_strides(struct decoder *d, const struct gcal_yaml *map, const char *key,
                          char **strides)
{
    size_t n = d->profile->n_dims;
    const struct gcal_yaml *list = need_list(map, key, n, n, d->err);

    if (!list)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const char *text = gcal_yaml_text(list->items[i], key, d->err);

        if (!text)
            return -1;
        if (strcmp(text, GCAL_PROFILE_UNKNOWN) == 0)
            continue;
        if (decode_expr(d, list->items[i], key, &strides[i]) < 0)
            return -1;
    }
    return 0;
}

static int decode_loop_stride(struct decoder *d, const struct gcal_yaml *node,
                              struct gcal_loop_stride *stride)
{
    static const char *const known[] = { "loop", "stride", NULL };
    const struct gcal_yaml *loop, *value;

    if (gcal_yaml_check_keys(node, known, d->err) < 0 ||
        !(loop = need(node, "loop", d->err)) || !(value = need(node, "stride", d->err)))
        return -1;
    if (keep(&stride->loop, gcal_yaml_text(loop, "loop", d->err), d->err) < 0)
        return -1;
    return decode_expr(d, value, "stride", &stride->stride);
}

static int decode_loop_strides(struct decoder *d, const struct gcal_yaml *map,
                               struct gcal_profile_entry *entry)
{
    const struct gcal_yaml *list;

    if (!gcal_yaml_find(map, "loop_strides"))
        return 0;
    if (!(list = need_list(map, "loop_strides", 0, GCAL_PROFILE_MAX_LOOPS, d->err)))
        return -1;
    entry->loop_strides = calloc(list->n_items + 1, sizeof(*entry->loop_strides));
    if (!entry->loop_strides)
        return gcal_error_memory(d->err);
    entry->n_loop_strides = list->n_items;
    for (size_t i = 0; i < list->n_items; i++)
        if (decode_loop_stride(d, list->items[i], &entry->loop_strides[i]) < 0)
            return -1;
    return 0;
}

/* A number above 0; absent: 0. */
static int decode_count(struct decoder *d, const struct gcal_yaml *map, const char *key,
                        size_t *count)
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

/* An atomic operation both loads and stores. */
static int decode_direction(struct decoder *d, const struct gcal_yaml *map,
                            struct gcal_profile_entry *entry)
{
    const struct gcal_yaml *node = gcal_yaml_find(map, "direction");
    size_t way;

    if (entry->kind == GCAL_FEATURE_ATOMIC)
        return node ? gcal_yaml_error(node, d->err, "an atomic has no direction") : 0;
    if (!need(map, "direction", d->err) ||
        decode_choice(d, node, "direction", gcal_direction_names, 3, &way) < 0)
        return -1;
    entry->direction = way;
    return 0;
}

static int decode_access(struct decoder *d, const struct gcal_yaml *map,
                         struct gcal_profile_entry *entry)
{
    const struct gcal_yaml *memory = need(map, "memory", d->err);
    const struct gcal_yaml *width, *afr = gcal_yaml_find(map, "afr");
    size_t space;
    long long elements;

    if (!memory || decode_direction(d, map, entry) < 0 ||
        !(width = need(map, "vector_width", d->err)) ||
        decode_choice(d, memory, "memory", gcal_space_names, 4, &space) < 0 ||
        gcal_yaml_integer(width, "vector_width", 1, 1024, &elements, d->err) < 0 ||
        decode_text(d, map, "array", &entry->array) < 0 ||
        decode_text(d, map, "tag", &entry->tag) < 0 ||
        decode_strides(d, map, "lid_strides", entry->lid_stride) < 0 ||
        decode_strides(d, map, "gid_strides", entry->gid_stride) < 0 ||
        decode_loop_strides(d, map, entry) < 0 ||
        decode_count(d, map, "bank_ways", &entry->bank_ways) < 0)
        return -1;
    entry->space = space;
    entry->vector_width = (size_t)elements;
    return afr ? decode_expr(d, afr, "afr", &entry->afr) : 0;
}

static int decode_feature(struct decoder *d, const struct gcal_yaml *map,
                          struct gcal_profile_entry *entry)
{
    const struct gcal_yaml *node = need(map, "feature", d->err);
    const char *name = node ? gcal_yaml_text(node, "feature", d->err) : NULL;
    struct gcal_feature feature;
    struct gcal_error inner;

    if (!name)
        return -1;
    if (gcal_feature_parse(name, &feature, &inner) < 0)
        return gcal_yaml_error(node, d->err, "%s", inner.text);
    entry->kind = feature.kind;
    gcal_feature_clear(&feature);
    if (entry->kind == GCAL_FEATURE_WALL_TIME)
        return gcal_yaml_error(node, d->err, "a profile counts, it does not hold times");
    return keep(&entry->feature, name, d->err);
}

static int decode_position(struct decoder *d, const struct gcal_yaml *map,
                           struct gcal_profile_entry *entry)
{
    const struct gcal_yaml *at;
    long long line, column;

    if (!gcal_yaml_find(map, "at"))
        return 0;
    if (!(at = need_list(map, "at", 2, 2, d->err)) ||
        gcal_yaml_integer(at->items[0], "line", 0, 1 << 30, &line, d->err) < 0 ||
        gcal_yaml_integer(at->items[1], "column", 0, 1 << 30, &column, d->err) < 0)
        return -1;
    entry->line = (int)line;
    entry->column = (int)column;
    return 0;
}

/* Absent: false. */
static int decode_flag(struct decoder *d, const struct gcal_yaml *map, const char *key,
                       bool *flag)
{
    const struct gcal_yaml *node = gcal_yaml_find(map, key);

    return node ? gcal_yaml_bool(node, key, flag, d->err) : 0;
}

static int decode_entry(struct decoder *d, const struct gcal_yaml *map,
                        struct gcal_profile_entry *entry)
{
    static const char *const known[] = { "feature",      "count",        "per",
                                         "dtype",        "op",           "array",
                                         "tag",          "memory",       "direction",
                                         "lid_strides",  "gid_strides",  "afr",
                                         "vector_width", "loop_strides", "at",
                                         "estimated",    "bank_ways",    NULL };
    const struct gcal_yaml *count, *per;
    size_t granularity;

    if (gcal_yaml_check_keys(map, known, d->err) < 0 ||
        decode_feature(d, map, entry) < 0 || !(count = need(map, "count", d->err)) ||
        !(per = need(map, "per", d->err)) ||
        decode_expr(d, count, "count", &entry->count) < 0 ||
        decode_choice(d, per, "per", gcal_granularity_names, 4, &granularity) < 0 ||
        decode_text(d, map, "dtype", &entry->dtype) < 0 ||
        decode_text(d, map, "op", &entry->op) < 0 || decode_position(d, map, entry) < 0 ||
        decode_flag(d, map, "estimated", &entry->estimated) < 0)
        return -1;
    entry->granularity = granularity;
    if (gcal_feature_is_op(entry->kind) && (!entry->dtype || !entry->op))
        return gcal_yaml_error(map, d->err, "an operation needs 'dtype' and 'op'");
    return gcal_feature_is_access(entry->kind) ? decode_access(d, map, entry) : 0;
}

static int decode_entries(struct decoder *d, const struct gcal_yaml *root)
{
    const struct gcal_yaml *list =
        need_list(root, "entries", 0, GCAL_PROFILE_MAX_ENTRIES, d->err);

    if (!list)
        return -1;
    for (size_t i = 0; i < list->n_items; i++) {
        struct gcal_profile_entry *entry = gcal_profile_add(d->profile, d->err);

        if (!entry || decode_entry(d, list->items[i], entry) < 0)
            return -1;
    }
    return 0;
}

static int decode_notes(struct decoder *d, const struct gcal_yaml *root)
{
    struct gcal_profile *profile = d->profile;
    const struct gcal_yaml *list;

    if (!gcal_yaml_find(root, "notes"))
        return 0;
    if (!(list = need_list(root, "notes", 0, GCAL_PROFILE_MAX_NOTES, d->err)))
        return -1;
    if (!(profile->notes = calloc(list->n_items + 1, sizeof(char *))))
        return gcal_error_memory(d->err);
    for (size_t i = 0; i < list->n_items; i++, profile->n_notes++)
        if (keep(&profile->notes[i], gcal_yaml_text(list->items[i], "notes", d->err),
                 d->err) < 0)
            return -1;
    return 0;
}

static int decode_version(struct decoder *d, const struct gcal_yaml *root)
{
    const struct gcal_yaml *node = need(root, "gpucal_profile", d->err);
    long long version;

    if (!node ||
        gcal_yaml_integer(node, "gpucal_profile", 1, 1 << 20, &version, d->err) < 0)
        return -1;
    if (version > GCAL_PROFILE_VERSION)
        return gcal_yaml_error(node, d->err,
                               "profile format %lld is newer than this program's %d: "
                               "use a newer gpucal",
                               version, GCAL_PROFILE_VERSION);
    return 0;
}

static int decode_profile(struct decoder *d, const struct gcal_yaml *root)
{
    static const char *const known[] = {
        "gpucal_profile", "kernel",      "source_hash",      "parameters", "local_size",
        "groups",         "assumptions", "estimated",        "entries",    "notes",
        "banks",          "divergence",  "index_arithmetic", NULL
    };

    if (root->kind == GCAL_YAML_MAP && decode_version(d, root) < 0)
        return -1;
    if (gcal_yaml_check_keys(root, known, d->err) < 0 || !need(root, "kernel", d->err) ||
        decode_text(d, root, "kernel", &d->profile->kernel) < 0 ||
        decode_text(d, root, "source_hash", &d->profile->source_hash) < 0 ||
        decode_parameters(d, root) < 0 || decode_geometry(d, root) < 0 ||
        decode_assumptions(d, root) < 0 ||
        decode_flag(d, root, "estimated", &d->profile->estimated) < 0 ||
        decode_flag(d, root, "divergence", &d->profile->divergence) < 0 ||
        decode_flag(d, root, "index_arithmetic", &d->profile->index_arithmetic) < 0 ||
        decode_count(d, root, "banks", &d->profile->n_banks) < 0 ||
        decode_notes(d, root) < 0)
        return -1;
    return decode_entries(d, root);
}

struct gcal_profile *gcal_profile_decode(const struct gcal_yaml *node,
                                         struct gcal_error *err)
{
    struct decoder d = { .profile = calloc(1, sizeof(struct gcal_profile)), .err = err };

    if (!d.profile) {
        gcal_error_memory(err);
        return NULL;
    }
    if (decode_profile(&d, node) == 0)
        return d.profile;
    gcal_profile_destroy(d.profile);
    return NULL;
}
