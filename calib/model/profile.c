/* profile.c - profiles in memory, and their output as YAML */
#include "calib/model/profile.h"

#include <stdlib.h>

#include "calib/base/error.h"
#include "calib/base/yaml.h"
#include "calib/model/profile_private.h"

void gcal_profile_entry_clear(struct gcal_profile_entry *entry)
{
    free(entry->feature);
    free(entry->count);
    free(entry->dtype);
    free(entry->op);
    free(entry->array);
    free(entry->tag);
    free(entry->afr);
    free(entry->afr_premise);
    for (int i = 0; i < GCAL_MAX_DIMS; i++) {
        free(entry->lid_stride[i]);
        free(entry->gid_stride[i]);
    }
    for (size_t i = 0; i < entry->n_loop_strides; i++) {
        free(entry->loop_strides[i].loop);
        free(entry->loop_strides[i].stride);
    }
    free(entry->loop_strides);
}

void gcal_profile_destroy(struct gcal_profile *profile)
{
    if (!profile)
        return;
    for (size_t i = 0; i < profile->n_parameters; i++)
        free(profile->parameters[i]);
    for (size_t i = 0; i < profile->n_notes; i++)
        free(profile->notes[i]);
    for (size_t i = 0; i < profile->n_entries; i++)
        gcal_profile_entry_clear(&profile->entries[i]);
    for (int i = 0; i < GCAL_MAX_DIMS; i++)
        free(profile->groups[i]);
    for (size_t i = 0; i < profile->n_arguments; i++) {
        free(profile->arguments[i].name);
        free(profile->arguments[i].bytes);
    }
    free(profile->arguments);
    gcal_built_clear(profile);
    free(profile->parameters);
    free(profile->notes);
    free(profile->entries);
    free(profile->kernel);
    free(profile->source_hash);
    free(profile->fingerprint);
    free(profile->origin);
    free(profile->assumptions);
    free(profile);
}

/* The capacity is the next power of two, so the array grows when its length is one. */
struct gcal_profile_entry *gcal_profile_add(struct gcal_profile *profile,
                                            struct gcal_error *err)
{
    size_t n = profile->n_entries;
    struct gcal_profile_entry *entries = profile->entries;

    if ((n & (n - 1)) == 0 || !entries) {
        entries = reallocarray(entries, n ? 2 * n : 1, sizeof(*entries));
        if (!entries) {
            gcal_error_memory(err);
            return NULL;
        }
        profile->entries = entries;
    }
    profile->n_entries++;
    entries[n] = (struct gcal_profile_entry){ 0 };
    return &entries[n];
}

const char *gcal_profile_identity(const struct gcal_profile *profile)
{
    return profile->origin ? profile->origin : profile->fingerprint;
}

const char *gcal_profile_component(const struct gcal_profile *profile)
{
    for (size_t i = 0; i < profile->n_entries; i++)
        if (gcal_feature_is_component(profile->entries[i].kind) &&
            profile->entries[i].tag)
            return profile->entries[i].tag;
    return NULL;
}

double gcal_profile_local_bytes(const struct gcal_profile *profile)
{
    for (size_t i = 0; i < profile->n_entries; i++)
        if (profile->entries[i].kind == GCAL_FEATURE_LOCAL_MEMORY_BYTES)
            return strtod(profile->entries[i].count, NULL); /* a number */
    return 0;
}

static void write_pair(struct gcal_yaml_writer *w, const char *key, const char *text)
{
    if (text)
        gcal_yaml_put_text(w, key, text);
}

/* An expression, in definitions. */
static void write_expr(struct gcal_yaml_writer *w, const struct gcal_shared *shared,
                       const char *key, const char *text)
{
    char *shorter = text ? gcal_shared_shorten(shared, text, NULL) : NULL;

    write_pair(w, key, shorter ? shorter : text);
    free(shorter);
}

static void write_texts(struct gcal_yaml_writer *w, const char *key, size_t n,
                        char *const *texts)
{
    gcal_yaml_write_text(w, key);
    gcal_yaml_write_flow_list(w);
    for (size_t i = 0; i < n; i++)
        gcal_yaml_write_text(w, texts[i] ? texts[i] : GCAL_PROFILE_UNKNOWN);
    gcal_yaml_write_end_list(w);
}

static void write_loop_strides(struct gcal_yaml_writer *w,
                               const struct gcal_profile_entry *entry)
{
    gcal_yaml_write_text(w, "loop_strides");
    gcal_yaml_write_flow_list(w);
    for (size_t i = 0; i < entry->n_loop_strides; i++) {
        gcal_yaml_write_flow_map(w);
        write_pair(w, "loop", entry->loop_strides[i].loop);
        write_pair(w, "stride", entry->loop_strides[i].stride);
        gcal_yaml_write_end_map(w);
    }
    gcal_yaml_write_end_list(w);
}

static void write_access(struct gcal_yaml_writer *w, const struct gcal_profile *profile,
                         const struct gcal_shared *shared,
                         const struct gcal_profile_entry *entry)
{
    write_pair(w, "array", entry->array);
    write_pair(w, "tag", entry->tag);
    write_pair(w, "memory", gcal_feature_space_names[entry->space]);
    if (gcal_feature_info(entry->kind)->fields & GCAL_FEATURE_FIELD_DIRECTION)
        write_pair(w, "direction", gcal_feature_direction_names[entry->direction]);
    gcal_yaml_write_text(w, "vector_width");
    gcal_yaml_write_integer(w, (long long)entry->vector_width);
    write_texts(w, "lid_strides", profile->n_dims, entry->lid_stride);
    write_texts(w, "gid_strides", profile->n_dims, entry->gid_stride);
    if (entry->n_loop_strides)
        write_loop_strides(w, entry);
    write_expr(w, shared, "afr", entry->afr);
    write_pair(w, "afr_premise", entry->afr_premise);
    if (entry->bank_ways) {
        gcal_yaml_write_text(w, "bank_ways");
        gcal_yaml_write_integer(w, (long long)entry->bank_ways);
    }
}

static void write_flag(struct gcal_yaml_writer *w, const char *key, bool flag)
{
    if (flag)
        gcal_yaml_put_bool(w, key, true);
}

static void write_entry(struct gcal_yaml_writer *w, const struct gcal_profile *profile,
                        const struct gcal_shared *shared,
                        const struct gcal_profile_entry *entry)
{
    gcal_yaml_write_map(w);
    write_pair(w, "feature", entry->feature);
    write_expr(w, shared, "count", entry->count);
    write_pair(w, "per", gcal_feature_granularity_names[entry->granularity]);
    write_pair(w, "dtype", entry->dtype);
    write_pair(w, "op", entry->op);
    write_flag(w, "estimated", entry->estimated);
    if (gcal_feature_is_component(entry->kind))
        write_pair(w, "tag", entry->tag);
    if (gcal_feature_is_access(entry->kind))
        write_access(w, profile, shared, entry);
    if (gcal_feature_is_transfer(entry->kind)) {
        write_pair(w, "direction", gcal_feature_copy_direction_names[entry->way]);
        write_pair(w, "memory", gcal_feature_host_memory_names[entry->host]);
    }
    if (entry->line > 0) {
        gcal_yaml_write_text(w, "at");
        gcal_yaml_write_flow_list(w);
        gcal_yaml_write_integer(w, entry->line);
        gcal_yaml_write_integer(w, entry->column);
        gcal_yaml_write_end_list(w);
    }
    gcal_yaml_write_end_map(w);
}

static void write_notes(struct gcal_yaml_writer *w, const struct gcal_profile *profile)
{
    if (!profile->n_notes)
        return;
    gcal_yaml_write_text(w, "notes");
    gcal_yaml_write_list(w);
    for (size_t i = 0; i < profile->n_notes; i++)
        gcal_yaml_write_text(w, profile->notes[i]);
    gcal_yaml_write_end_list(w);
}

/* The pieces that counts and AFRs have in common. */
static int find_shared(const struct gcal_profile *profile, struct gcal_shared *shared,
                       struct gcal_error *err)
{
    const char **texts = calloc(2 * profile->n_entries + 1, sizeof(*texts));
    size_t n = 0;
    int rc;

    if (!texts)
        return gcal_error_memory(err);
    for (size_t i = 0; i < profile->n_entries; i++) {
        if (profile->entries[i].count)
            texts[n++] = profile->entries[i].count;
        if (profile->entries[i].afr)
            texts[n++] = profile->entries[i].afr;
    }
    rc = gcal_shared_find(shared, n, texts, profile->n_parameters,
                          (const char *const *)profile->parameters, err);
    free(texts);
    return rc;
}

static void write_definitions(struct gcal_yaml_writer *w,
                              const struct gcal_shared *shared)
{
    if (!shared->n_definitions)
        return;
    gcal_yaml_write_text(w, "definitions");
    gcal_yaml_write_map(w);
    for (size_t i = 0; i < shared->n_definitions; i++)
        write_pair(w, shared->definitions[i].name, shared->definitions[i].text);
    gcal_yaml_write_end_map(w);
}

static bool has_premise(const struct gcal_profile *profile)
{
    for (size_t i = 0; i < profile->n_entries; i++)
        if (profile->entries[i].afr_premise)
            return true;
    return false;
}

static void write_arguments(struct gcal_yaml_writer *w,
                            const struct gcal_profile *profile)
{
    if (!profile->n_arguments)
        return;
    gcal_yaml_write_text(w, "arguments");
    gcal_yaml_write_list(w);
    for (size_t i = 0; i < profile->n_arguments; i++) {
        const struct gcal_profile_argument *a = &profile->arguments[i];

        gcal_yaml_write_flow_map(w);
        write_pair(w, "name", a->name);
        write_pair(w, "memory", gcal_feature_space_names[a->space]);
        write_pair(w, "bytes", a->bytes);
        gcal_yaml_write_end_map(w);
    }
    gcal_yaml_write_end_list(w);
}

/* The earliest version whose readers understand the profile. */
static int version_of(const struct gcal_profile *profile,
                      const struct gcal_shared *shared)
{
    if (profile->n_arguments)
        return GCAL_PROFILE_VERSION;
    if (profile->n_built)
        return GCAL_PROFILE_VERSION_BUILT;
    return shared->n_definitions || has_premise(profile)
               ? GCAL_PROFILE_VERSION_DEFINITIONS
               : GCAL_PROFILE_VERSION_DEFINITIONS - 1;
}

/* As one YAML node. */
static void write_profile(const struct gcal_profile *profile,
                          const struct gcal_shared *shared, struct gcal_yaml_writer *w)
{
    gcal_yaml_write_map(w);
    gcal_yaml_write_text(w, "gpucal_profile");
    gcal_yaml_write_integer(w, version_of(profile, shared));
    write_pair(w, "kernel", profile->kernel);
    write_pair(w, "source_hash", profile->source_hash);
    write_pair(w, "fingerprint", profile->fingerprint);
    write_pair(w, "origin", profile->origin);
    write_texts(w, "parameters", profile->n_parameters, profile->parameters);
    gcal_yaml_write_text(w, "local_size");
    gcal_yaml_write_flow_list(w);
    for (size_t i = 0; i < profile->n_dims; i++)
        gcal_yaml_write_integer(w, (long long)profile->local_size[i]);
    gcal_yaml_write_end_list(w);
    write_texts(w, "groups", profile->n_dims, profile->groups);
    write_pair(w, "assumptions", profile->assumptions);
    if (profile->n_banks) {
        gcal_yaml_write_text(w, "banks");
        gcal_yaml_write_integer(w, (long long)profile->n_banks);
    }
    if (profile->sector_bytes) {
        gcal_yaml_write_text(w, "sector_bytes");
        gcal_yaml_write_integer(w, (long long)profile->sector_bytes);
    }
    write_flag(w, "divergence", profile->divergence);
    write_flag(w, "index_arithmetic", profile->index_arithmetic);
    gcal_yaml_write_text(w, "estimated");
    gcal_yaml_write_bool(w, profile->estimated);
    write_notes(w, profile);
    write_arguments(w, profile);
    gcal_built_write(w, profile);
    write_definitions(w, shared);
    gcal_yaml_write_text(w, "entries");
    gcal_yaml_write_list(w);
    for (size_t i = 0; i < profile->n_entries; i++)
        write_entry(w, profile, shared, &profile->entries[i]);
    gcal_yaml_write_end_list(w);
    gcal_yaml_write_end_map(w);
}

char *gcal_profile_encode(const struct gcal_profile *profile, struct gcal_error *err)
{
    struct gcal_shared shared = { 0 };
    struct gcal_yaml_writer *w = NULL;
    char *text = NULL;

    if (find_shared(profile, &shared, err) == 0 && (w = gcal_yaml_writer_create(err))) {
        write_profile(profile, &shared, w);
        text = gcal_yaml_writer_finish(w, NULL, err);
    }
    gcal_shared_clear(&shared);
    return text;
}
