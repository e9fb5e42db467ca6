/* profile_encode.c - profiles as YAML, one for each size of sub-groups in one document */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/profile_private.h"

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
                        const char *const *texts)
{
    gcal_yaml_write_text(w, key);
    gcal_yaml_write_flow_list(w);
    for (size_t i = 0; i < n; i++)
        gcal_yaml_write_text(w, texts[i] ? texts[i] : GCAL_PROFILE_UNKNOWN);
    gcal_yaml_write_end_list(w);
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
    if (gcal_feature_is_access(entry->kind)) {
        write_pair(w, "array", entry->array);
        write_pair(w, "tag", entry->tag);
        write_pair(w, "memory", gcal_feature_space_names[entry->space]);
        if (gcal_feature_info(entry->kind)->fields & GCAL_FEATURE_FIELD_DIRECTION)
            write_pair(w, "direction", gcal_feature_direction_names[entry->direction]);
        gcal_yaml_write_text(w, "vector_width");
        gcal_yaml_write_integer(w, (long long)entry->vector_width);
        write_texts(w, "lid_strides", profile->n_dims,
                    (const char *const *)entry->lid_stride);
        write_texts(w, "gid_strides", profile->n_dims,
                    (const char *const *)entry->gid_stride);
        if (entry->n_loop_strides) {
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
        write_expr(w, shared, "afr", entry->afr);
        write_pair(w, "afr_premise", entry->afr_premise);
        if (entry->bank_ways) {
            gcal_yaml_write_text(w, "bank_ways");
            gcal_yaml_write_integer(w, (long long)entry->bank_ways);
        }
    }
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

/* ---- what profiles of several sizes have in common ---- */

/* A set in the making of its document. */
struct document {
    const struct gcal_profile_set *set;
    struct gcal_shared shared;
    /* By profile: its entries and notes that all others have, too */
    bool *has_entry[GCAL_PROFILE_MOST_SIZES], *has_note[GCAL_PROFILE_MOST_SIZES];
    size_t n_parameters; /* of all */
    const char *parameters[GCAL_PROFILE_MOST_SIZES * GCAL_PROFILE_MAX_PARAMETERS];
};

/* An item of the first profile, and where the others have the same. */
struct found {
    size_t at[GCAL_PROFILE_MOST_SIZES];
    bool all;
};

static int find_common(struct document *doc, struct gcal_error *err)
{
    for (size_t k = 0; k < doc->set->n; k++) {
        const struct gcal_profile *p = doc->set->profiles[k];

        doc->has_entry[k] = calloc(p->n_entries + 1, sizeof(bool));
        doc->has_note[k] = calloc(p->n_notes + 1, sizeof(bool));
        if (!doc->has_entry[k] || !doc->has_note[k])
            return gcal_error_memory(err);
    }
    for (size_t i = 0; i < doc->set->profiles[0]->n_entries; i++) {
        const struct gcal_profile_set *set = doc->set;
        struct found found = { .at = { i }, .all = true };

        for (size_t k = 1; k < set->n && found.all; k++) {
            const struct gcal_profile *p = set->profiles[k];
            size_t j = 0;

            while (
                j < p->n_entries &&
                (doc->has_entry[k][j] ||
                 !gcal_profile_same_entry(&set->profiles[0]->entries[i], &p->entries[j])))
                j++;
            found.at[k] = j;
            found.all = j < p->n_entries;
        }
        for (size_t k = 0; k < set->n && found.all; k++)
            doc->has_entry[k][found.at[k]] = true;
    }
    for (size_t i = 0; i < doc->set->profiles[0]->n_notes; i++) {
        const struct gcal_profile_set *set = doc->set;
        struct found found = { .at = { i }, .all = true };

        for (size_t k = 1; k < set->n && found.all; k++) {
            const struct gcal_profile *p = set->profiles[k];
            size_t j = 0;

            while (j < p->n_notes &&
                   (doc->has_note[k][j] ||
                    strcmp(set->profiles[0]->notes[i], p->notes[j]) != 0))
                j++;
            found.at[k] = j;
            found.all = j < p->n_notes;
        }
        for (size_t k = 0; k < set->n && found.all; k++)
            doc->has_note[k][found.at[k]] = true;
    }
    /* Those of the first, and then any that others have alone. */
    for (size_t k = 0; k < doc->set->n; k++)
        for (size_t i = 0; i < doc->set->profiles[k]->n_parameters; i++) {
            const char *name = doc->set->profiles[k]->parameters[i];
            bool there = false;

            for (size_t j = 0; j < doc->n_parameters; j++)
                there = there || strcmp(doc->parameters[j], name) == 0;
            if (!there)
                doc->parameters[doc->n_parameters++] = name;
        }
    return 0;
}

/* The pieces that counts and AFRs have in common. */
static int find_shared(struct document *doc, struct gcal_error *err)
{
    size_t n = 0, most = 1;
    const char **texts;
    int rc;

    for (size_t k = 0; k < doc->set->n; k++)
        most += 2 * doc->set->profiles[k]->n_entries;
    if (!(texts = calloc(most, sizeof(*texts))))
        return gcal_error_memory(err);
    for (size_t k = 0; k < doc->set->n; k++)
        for (size_t i = 0; i < doc->set->profiles[k]->n_entries; i++) {
            const struct gcal_profile_entry *e = &doc->set->profiles[k]->entries[i];

            if (k > 0 && doc->has_entry[k][i])
                continue; /* the first has it */
            if (e->count)
                texts[n++] = e->count;
            if (e->afr)
                texts[n++] = e->afr;
        }
    rc =
        gcal_shared_find(&doc->shared, n, texts, doc->n_parameters, doc->parameters, err);
    free(texts);
    return rc;
}

/* ---- the document ---- */

/* Those that are in all profiles, or those that are not. */
static void write_notes(struct gcal_yaml_writer *w, const struct document *doc, size_t k,
                        bool common)
{
    const struct gcal_profile *p = doc->set->profiles[k];
    size_t n = 0;

    for (size_t i = 0; i < p->n_notes; i++)
        n += doc->has_note[k][i] == common;
    if (!n)
        return;
    gcal_yaml_write_text(w, "notes");
    gcal_yaml_write_list(w);
    for (size_t i = 0; i < p->n_notes; i++)
        if (doc->has_note[k][i] == common)
            gcal_yaml_write_text(w, p->notes[i]);
    gcal_yaml_write_end_list(w);
}

static void write_entries(struct gcal_yaml_writer *w, const struct document *doc,
                          size_t k, bool common)
{
    const struct gcal_profile *p = doc->set->profiles[k];

    gcal_yaml_write_text(w, "entries");
    gcal_yaml_write_list(w);
    for (size_t i = 0; i < p->n_entries; i++)
        if (doc->has_entry[k][i] == common)
            write_entry(w, p, &doc->shared, &p->entries[i]);
    gcal_yaml_write_end_list(w);
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

/* Without the clause of the size, where each section has its own. */
static void write_assumptions(struct gcal_yaml_writer *w, const struct document *doc)
{
    const char *all = doc->set->profiles[0]->assumptions, *clause;
    char *others;

    if (doc->set->n == 1) {
        write_pair(w, "assumptions", all);
        return;
    }
    clause = strstr(all, GCAL_PROFILE_SIZE_CLAUSE); /* the last one */
    if (clause == all)
        return;
    if ((others = strndup(all, (size_t)(clause - all) - strlen(" and "))))
        write_pair(w, "assumptions", others);
    free(others);
}

/* As one YAML node. */
static void write_document(const struct document *doc, struct gcal_yaml_writer *w)
{
    const struct gcal_profile *profile = doc->set->profiles[0];
    bool estimated = false;

    gcal_yaml_write_map(w);
    gcal_yaml_write_text(w, "gpucal_profile");
    gcal_yaml_write_integer(w, GCAL_PROFILE_VERSION);
    write_pair(w, "kernel", profile->kernel);
    write_pair(w, "source_hash", profile->source_hash);
    write_pair(w, "fingerprint", profile->fingerprint);
    write_pair(w, "origin", profile->origin);
    write_texts(w, "parameters", doc->n_parameters, doc->parameters);
    gcal_yaml_write_text(w, "local_size");
    gcal_yaml_write_flow_list(w);
    for (size_t i = 0; i < profile->n_dims; i++)
        gcal_yaml_write_integer(w, (long long)profile->local_size[i]);
    gcal_yaml_write_end_list(w);
    write_texts(w, "groups", profile->n_dims, (const char *const *)profile->groups);
    write_assumptions(w, doc);
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
    for (size_t k = 0; k < doc->set->n; k++)
        estimated = estimated || doc->set->profiles[k]->estimated;
    gcal_yaml_write_text(w, "estimated");
    gcal_yaml_write_bool(w, estimated);
    write_notes(w, doc, 0, true);
    write_arguments(w, profile);
    gcal_built_write(w, profile);
    write_definitions(w, &doc->shared);
    write_entries(w, doc, 0, true);
    if (doc->set->n > 1) {
        gcal_yaml_write_text(w, "sub_groups");
        gcal_yaml_write_list(w);
        for (size_t k = 0; k < doc->set->n; k++) {
            const struct gcal_profile *p = doc->set->profiles[k];

            gcal_yaml_write_map(w);
            gcal_yaml_write_text(w, "size");
            gcal_yaml_write_integer(w, (long long)gcal_profile_sub_group_size(p));
            write_flag(w, "estimated", p->estimated);
            write_notes(w, doc, k, false);
            write_entries(w, doc, k, false);
            gcal_yaml_write_end_map(w);
        }
        gcal_yaml_write_end_list(w);
    }
    gcal_yaml_write_end_map(w);
}

char *gcal_profile_set_encode(const struct gcal_profile_set *set, struct gcal_error *err)
{
    struct document doc = { .set = set };
    struct gcal_yaml_writer *w = NULL;
    char *text = NULL;

    if (find_common(&doc, err) == 0 && find_shared(&doc, err) == 0 &&
        (w = gcal_yaml_writer_create(err))) {
        write_document(&doc, w);
        text = gcal_yaml_writer_finish(w, NULL, err);
    }
    gcal_shared_clear(&doc.shared);
    for (size_t k = 0; k < doc.set->n; k++) {
        free(doc.has_entry[k]);
        free(doc.has_note[k]);
    }
    return text;
}

char *gcal_profile_encode(const struct gcal_profile *profile, struct gcal_error *err)
{
    const struct gcal_profile_set set = { 1, { (struct gcal_profile *)profile } };

    return gcal_profile_set_encode(&set, err);
}
