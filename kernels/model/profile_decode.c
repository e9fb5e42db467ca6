/* profile_decode.c - decoding of profiles, from YAML of any origin */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/profile_private.h"

static bool is_identifier(const char *text)
{
    if (!isalpha((unsigned char)*text) && *text != '_')
        return false;
    while (isalnum((unsigned char)*text) || *text == '_')
        text++;
    return !*text;
}

static int decode_parameters(struct gcal_profile_decoder *d, const struct gcal_yaml *root)
{
    struct gcal_profile *profile = d->profile;
    const struct gcal_yaml *list = gcal_profile_need_list(
        root, "parameters", 0, GCAL_PROFILE_MAX_PARAMETERS, d->err);

    d->symbols[d->n_symbols++] = GCAL_SUB_GROUP_SIZE;
    d->symbols[d->n_symbols++] = GCAL_WAVE_GROUPS;
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
            return gcal_yaml_error(item, d->err, "'%.60s' is not an identifier", name);
        for (size_t k = 0; k < d->n_symbols; k++)
            if (strcmp(d->symbols[k], name) == 0)
                return gcal_yaml_error(item, d->err, "the name '%.60s' is in use", name);
        if (gcal_profile_copy_text(&profile->parameters[i], name, d->err) < 0)
            return -1;
        profile->n_parameters++;
        d->symbols[d->n_symbols++] = profile->parameters[i];
    }
    return 0;
}

/* An expression each, in sizes and earlier definitions. */
static int decode_definitions(struct gcal_profile_decoder *d,
                              const struct gcal_yaml *root)
{
    const struct gcal_yaml *map = gcal_yaml_find(root, "definitions");

    if (!map)
        return 0;
    if (map->kind != GCAL_YAML_MAP || map->n_items > GCAL_PROFILE_MAX_DEFINITIONS)
        return gcal_yaml_error(map, d->err,
                               "definitions: expected a map of at most %d names",
                               GCAL_PROFILE_MAX_DEFINITIONS);
    for (size_t i = 0; i < map->n_items; i++) {
        const char *name = map->keys[i]->text;
        char *whole = NULL;
        int rc;

        if (!is_identifier(name))
            return gcal_yaml_error(map->keys[i], d->err, "'%.60s' is not an identifier",
                                   name);
        for (size_t k = 0; k < d->n_symbols; k++)
            if (strcmp(d->symbols[k], name) == 0)
                return gcal_yaml_error(map->keys[i], d->err, "the name '%.60s' is in use",
                                       name);
        if (gcal_profile_take_expr(d, map->items[i], name, &whole) < 0)
            return -1;
        rc = gcal_shared_define(&d->definitions, name, whole, d->err);
        free(whole);
        if (rc < 0)
            return -1;
    }
    return 0;
}

static int decode_geometry(struct gcal_profile_decoder *d, const struct gcal_yaml *root)
{
    struct gcal_profile *profile = d->profile;
    const struct gcal_yaml *local =
        gcal_profile_need_list(root, "local_size", 0, GCAL_MAX_DIMS, d->err);
    const struct gcal_yaml *groups;

    if (!local || !(groups = gcal_profile_need_list(root, "groups", local->n_items,
                                                    local->n_items, d->err)))
        return -1;
    profile->n_dims = local->n_items;
    for (size_t i = 0; i < profile->n_dims; i++) {
        long long size;

        if (gcal_yaml_integer(local->items[i], "local_size", 1, 1 << 20, &size, d->err) <
                0 ||
            gcal_profile_take_expr(d, groups->items[i], "groups", &profile->groups[i]) <
                0)
            return -1;
        profile->local_size[i] = (size_t)size;
    }
    return 0;
}

static int decode_entries(struct gcal_profile_decoder *d, const struct gcal_yaml *root)
{
    const struct gcal_yaml *list =
        gcal_profile_need_list(root, "entries", 0, GCAL_PROFILE_MAX_ENTRIES, d->err);

    if (!list)
        return -1;
    for (size_t i = 0; i < list->n_items; i++) {
        struct gcal_profile_entry *entry = gcal_profile_add(d->profile, d->err);

        if (!entry || gcal_profile_take_entry(d, list->items[i], entry) < 0)
            return -1;
    }
    return 0;
}

/* Beside those that it has. */
static int decode_notes(struct gcal_profile_decoder *d, const struct gcal_yaml *root)
{
    struct gcal_profile *profile = d->profile;
    const struct gcal_yaml *list;
    char **notes;

    if (!gcal_yaml_find(root, "notes"))
        return 0;
    if (!(list =
              gcal_profile_need_list(root, "notes", 0, GCAL_PROFILE_MAX_NOTES, d->err)))
        return -1;
    notes = reallocarray(profile->notes, profile->n_notes + list->n_items + 1,
                         sizeof(char *));
    if (!notes)
        return gcal_error_memory(d->err);
    profile->notes = notes;
    for (size_t i = 0; i < list->n_items; i++, profile->n_notes++)
        if (gcal_profile_copy_text(&profile->notes[profile->n_notes],
                                   gcal_yaml_text(list->items[i], "notes", d->err),
                                   d->err) < 0)
            return -1;
    return 0;
}

static int decode_argument(struct gcal_profile_decoder *d, const struct gcal_yaml *map,
                           struct gcal_profile_argument *argument)
{
    static const char *const known[] = { "name", "memory", "bytes", NULL };
    const struct gcal_yaml *memory, *bytes;
    size_t space;

    if (gcal_yaml_check_keys(map, known, d->err) < 0 ||
        !gcal_profile_need(map, "name", d->err) ||
        gcal_profile_take_text(d, map, "name", &argument->name) < 0 ||
        !(memory = gcal_profile_need(map, "memory", d->err)) ||
        gcal_profile_take_choice(d, memory, "memory", gcal_feature_space_names + 1,
                                 GCAL_FEATURE_N_SPACES - 1, &space) < 0 ||
        !(bytes = gcal_profile_need(map, "bytes", d->err)) ||
        gcal_profile_take_expr(d, bytes, "bytes", &argument->bytes) < 0)
        return -1;
    argument->space = (enum gcal_feature_space)(space + 1);
    return 0;
}

static int decode_arguments(struct gcal_profile_decoder *d, const struct gcal_yaml *root)
{
    struct gcal_profile *profile = d->profile;
    const struct gcal_yaml *list;

    if (!gcal_yaml_find(root, "arguments"))
        return 0;
    if (!(list = gcal_profile_need_list(root, "arguments", 0, GCAL_PROFILE_MAX_ARGUMENTS,
                                        d->err)))
        return -1;
    if (!(profile->arguments = calloc(list->n_items + 1, sizeof(*profile->arguments))))
        return gcal_error_memory(d->err);
    for (size_t i = 0; i < list->n_items; i++, profile->n_arguments++)
        if (decode_argument(d, list->items[i], &profile->arguments[i]) < 0) {
            profile->n_arguments++; /* for what it has of it */
            return -1;
        }
    return 0;
}

static int decode_version(struct gcal_profile_decoder *d, const struct gcal_yaml *root)
{
    const struct gcal_yaml *node = gcal_profile_need(root, "gpucal_profile", d->err);
    long long version;

    if (!node ||
        gcal_yaml_integer(node, "gpucal_profile", 1, 1 << 20, &version, d->err) < 0)
        return -1;
    if (version != GCAL_PROFILE_VERSION)
        return gcal_yaml_error(node, d->err,
                               "version %lld of the format, written by another version "
                               "of gpucal: count the kernel again",
                               version);
    return 0;
}

static int decode_profile(struct gcal_profile_decoder *d, const struct gcal_yaml *root)
{
    static const char *const known[] = {
        "gpucal_profile", "kernel",      "source_hash",
        "fingerprint",    "origin",      "parameters",
        "local_size",     "groups",      "assumptions",
        "estimated",      "entries",     "notes",
        "banks",          "divergence",  "index_arithmetic",
        "sector_bytes",   "definitions", "built",
        "arguments",      "sub_groups",  NULL
    };
    const struct gcal_yaml *assumptions = gcal_yaml_find(root, "assumptions");

    if (root->kind == GCAL_YAML_MAP && decode_version(d, root) < 0)
        return -1;
    if (gcal_yaml_check_keys(root, known, d->err) < 0 ||
        !gcal_profile_need(root, "kernel", d->err) ||
        gcal_profile_take_text(d, root, "kernel", &d->profile->kernel) < 0 ||
        gcal_profile_take_text(d, root, "source_hash", &d->profile->source_hash) < 0 ||
        gcal_profile_take_text(d, root, "fingerprint", &d->profile->fingerprint) < 0 ||
        gcal_profile_take_text(d, root, "origin", &d->profile->origin) < 0 ||
        decode_parameters(d, root) < 0 || decode_definitions(d, root) < 0 ||
        decode_geometry(d, root) < 0 ||
        (assumptions && gcal_profile_take_assumptions(d, assumptions, "assumptions",
                                                      &d->profile->assumptions) < 0) ||
        gcal_profile_take_flag(d, root, "estimated", &d->profile->estimated) < 0 ||
        gcal_profile_take_flag(d, root, "divergence", &d->profile->divergence) < 0 ||
        gcal_profile_take_flag(d, root, "index_arithmetic",
                               &d->profile->index_arithmetic) < 0 ||
        gcal_profile_take_count(d, root, "banks", &d->profile->n_banks) < 0 ||
        gcal_profile_take_count(d, root, "sector_bytes", &d->profile->sector_bytes) < 0 ||
        decode_notes(d, root) < 0 || decode_arguments(d, root) < 0 ||
        gcal_built_decode(d, root) < 0)
        return -1;
    return decode_entries(d, root);
}

/* ---- sizes of sub-groups ---- */

/* 'd->profile' is a copy of what all sizes have in common. */
static int decode_section(struct gcal_profile_decoder *d, const struct gcal_yaml *map)
{
    static const char *const known[] = { "size", "estimated", "notes", "entries", NULL };
    struct gcal_profile *profile = d->profile;
    const struct gcal_yaml *node;
    long long size;

    profile->estimated = false;
    if (gcal_yaml_check_keys(map, known, d->err) < 0 ||
        !(node = gcal_profile_need(map, "size", d->err)) ||
        gcal_yaml_integer(node, "size", 1, 65536, &size, d->err) < 0 ||
        gcal_profile_take_flag(d, map, "estimated", &profile->estimated) < 0 ||
        decode_notes(d, map) < 0 || decode_entries(d, map) < 0)
        return -1;
    gcal_profile_sort(profile);
    char *text = gcal_buf_format("%s%s" GCAL_SUB_GROUP_SIZE " = %lld",
                                 profile->assumptions ? profile->assumptions : "",
                                 profile->assumptions ? " and " : "", size);

    free(profile->assumptions);
    profile->assumptions = text;
    return text ? 0 : gcal_error_memory(d->err);
}

/* Takes the decoder's profile, which all have in common. */
static int decode_sections(struct gcal_profile_decoder *d, const struct gcal_yaml *root,
                           struct gcal_profile_set *set)
{
    struct gcal_profile *common = d->profile;
    const struct gcal_yaml *list;
    int rc = -1;

    if (common->assumptions && strstr(common->assumptions, GCAL_SUB_GROUP_SIZE)) {
        gcal_yaml_error(gcal_yaml_find(root, "assumptions"), d->err,
                        "the size of sub-groups is that of each of 'sub_groups'");
        goto out;
    }
    if (!(list = gcal_profile_need_list(root, "sub_groups", 2, GCAL_PROFILE_MOST_SIZES,
                                        d->err)))
        goto out;
    for (size_t i = 0; i < list->n_items; i++) {
        if (!(d->profile = gcal_profile_copy(common, d->err)))
            goto out;
        set->profiles[set->n++] = d->profile;
        if (decode_section(d, list->items[i]) < 0)
            goto out;
        for (size_t k = 0; k + 1 < set->n; k++)
            if (gcal_profile_sub_group_size(set->profiles[k]) ==
                gcal_profile_sub_group_size(d->profile)) {
                gcal_yaml_error(list->items[i], d->err, "a size of sub-groups is twice");
                goto out;
            }
    }
    rc = 0;
out:
    gcal_profile_destroy(common);
    return rc;
}

int gcal_profile_set_decode(const struct gcal_yaml *node, struct gcal_profile_set *set,
                            struct gcal_error *err)
{
    struct gcal_profile_decoder d = { .profile = calloc(1, sizeof(struct gcal_profile)),
                                      .err = err };
    int rc;

    *set = (struct gcal_profile_set){ 0 };
    if (!d.profile)
        return gcal_error_memory(err);
    rc = decode_profile(&d, node);
    if (rc == 0 && gcal_yaml_find(node, "sub_groups"))
        rc = decode_sections(&d, node, set);
    else
        set->profiles[set->n++] = d.profile;
    gcal_shared_clear(&d.definitions);
    if (rc < 0)
        gcal_profile_set_clear(set);
    return rc;
}

struct gcal_profile *gcal_profile_decode(const struct gcal_yaml *node,
                                         struct gcal_error *err)
{
    struct gcal_profile_set set;

    if (gcal_profile_set_decode(node, &set, err) < 0)
        return NULL;
    if (set.n == 1)
        return set.profiles[0];
    gcal_profile_set_clear(&set);
    gcal_yaml_error(node, err, "this is a profile for several sizes of sub-groups");
    return NULL;
}
