/* profile_copy.c - copies of profiles */
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/model/profile.h"

/* A member that points to memory of its own: NULL is copied as NULL. */
static int copy_text(char **to, const char *from, struct gcal_error *err)
{
    *to = from ? strdup(from) : NULL;
    return from && !*to ? gcal_error_memory(err) : 0;
}

/* '*n' is the number of texts copied so far, also after -1. */
static int copy_texts(char ***to, size_t *n, char *const *from, size_t n_from,
                      struct gcal_error *err)
{
    *n = 0;
    if (!(*to = calloc(n_from + 1, sizeof(**to))))
        return gcal_error_memory(err);
    for (; *n < n_from; ++*n)
        if (copy_text(&(*to)[*n], from[*n], err) < 0)
            return -1;
    return 0;
}

static int copy_dimensions(char *to[GCAL_MAX_DIMS], char *const from[GCAL_MAX_DIMS],
                           struct gcal_error *err)
{
    for (size_t i = 0; i < GCAL_MAX_DIMS; i++)
        if (copy_text(&to[i], from[i], err) < 0)
            return -1;
    return 0;
}

static int copy_loop_strides(struct gcal_profile_entry *to,
                             const struct gcal_profile_entry *from,
                             struct gcal_error *err)
{
    if (!from->n_loop_strides)
        return 0;
    if (!(to->loop_strides = calloc(from->n_loop_strides, sizeof(*to->loop_strides))))
        return gcal_error_memory(err);
    to->n_loop_strides = from->n_loop_strides;
    for (size_t i = 0; i < from->n_loop_strides; i++)
        if (copy_text(&to->loop_strides[i].loop, from->loop_strides[i].loop, err) < 0 ||
            copy_text(&to->loop_strides[i].stride, from->loop_strides[i].stride, err) < 0)
            return -1;
    return 0;
}

/* Clears what points into the entry that '*entry' is a bitwise copy of. */
static void disown_entry(struct gcal_profile_entry *entry)
{
    entry->feature = entry->count = entry->dtype = entry->op = NULL;
    entry->tag = entry->array = entry->afr = entry->afr_premise = NULL;
    memset(entry->lid_stride, 0, sizeof(entry->lid_stride));
    memset(entry->gid_stride, 0, sizeof(entry->gid_stride));
    entry->n_loop_strides = 0;
    entry->loop_strides = NULL;
}

static int copy_entry(struct gcal_profile_entry *to,
                      const struct gcal_profile_entry *from, struct gcal_error *err)
{
    *to = *from;
    disown_entry(to);
    if (copy_text(&to->feature, from->feature, err) < 0 ||
        copy_text(&to->count, from->count, err) < 0 ||
        copy_text(&to->dtype, from->dtype, err) < 0 ||
        copy_text(&to->op, from->op, err) < 0 ||
        copy_text(&to->tag, from->tag, err) < 0 ||
        copy_text(&to->array, from->array, err) < 0 ||
        copy_text(&to->afr, from->afr, err) < 0 ||
        copy_text(&to->afr_premise, from->afr_premise, err) < 0)
        return -1;
    if (copy_dimensions(to->lid_stride, from->lid_stride, err) < 0 ||
        copy_dimensions(to->gid_stride, from->gid_stride, err) < 0)
        return -1;
    return copy_loop_strides(to, from, err);
}

static int copy_entries(struct gcal_profile *to, const struct gcal_profile *from,
                        struct gcal_error *err)
{
    for (size_t i = 0; i < from->n_entries; i++) {
        struct gcal_profile_entry *entry = gcal_profile_add(to, err);

        if (!entry || copy_entry(entry, &from->entries[i], err) < 0)
            return -1;
    }
    return 0;
}

static int copy_texts_of(struct gcal_profile *to, const struct gcal_profile *from,
                         struct gcal_error *err)
{
    if (copy_text(&to->kernel, from->kernel, err) < 0 ||
        copy_text(&to->source_hash, from->source_hash, err) < 0 ||
        copy_text(&to->fingerprint, from->fingerprint, err) < 0 ||
        copy_text(&to->origin, from->origin, err) < 0 ||
        copy_text(&to->assumptions, from->assumptions, err) < 0)
        return -1;
    return copy_dimensions(to->groups, from->groups, err);
}

static void disown(struct gcal_profile *profile)
{
    profile->kernel = profile->source_hash = profile->fingerprint = NULL;
    profile->origin = profile->assumptions = NULL;
    memset(profile->groups, 0, sizeof(profile->groups));
    profile->n_parameters = profile->n_notes = profile->n_entries = profile->n_built = 0;
    profile->parameters = profile->notes = NULL;
    profile->entries = NULL;
    profile->built = NULL;
}

struct gcal_profile *gcal_profile_copy(const struct gcal_profile *profile,
                                       struct gcal_error *err)
{
    struct gcal_profile *copy = malloc(sizeof(*copy));

    if (!copy) {
        gcal_error_memory(err);
        return NULL;
    }
    *copy = *profile;
    disown(copy);
    if (copy_texts_of(copy, profile, err) == 0 &&
        copy_texts(&copy->parameters, &copy->n_parameters, profile->parameters,
                   profile->n_parameters, err) == 0 &&
        copy_texts(&copy->notes, &copy->n_notes, profile->notes, profile->n_notes, err) ==
            0 &&
        copy_entries(copy, profile, err) == 0 && gcal_built_copy(copy, profile, err) == 0)
        return copy;
    gcal_profile_destroy(copy);
    return NULL;
}
