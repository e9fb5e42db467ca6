/* profile.c - profiles in memory */
#include "kernels/model/profile.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/profile_private.h"

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

static int compare_entries(const void *a, const void *b)
{
    const struct gcal_profile_entry *x = a, *y = b;
    int order = x->kind - y->kind;

    if (order == 0 && x->feature && y->feature)
        order = strcmp(x->feature, y->feature);
    if (order == 0 && x->array && y->array)
        order = strcmp(x->array, y->array);
    if (order == 0)
        order = x->line != y->line ? x->line - y->line : x->column - y->column;
    if (order == 0 && x->count && y->count)
        order = strcmp(x->count, y->count);
    return order;
}

void gcal_profile_sort(struct gcal_profile *profile)
{
    if (profile->n_entries)
        qsort(profile->entries, profile->n_entries, sizeof(profile->entries[0]),
              compare_entries);
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

const size_t gcal_profile_usual_sizes[GCAL_PROFILE_USUAL_SIZES] = { 8, 16, 32, 64 };

size_t gcal_profile_sub_group_size(const struct gcal_profile *profile)
{
    const char *at = profile->assumptions
                         ? strstr(profile->assumptions, GCAL_PROFILE_SIZE_CLAUSE)
                         : NULL;

    return at ? strtoul(at + strlen(GCAL_PROFILE_SIZE_CLAUSE), NULL, 10) : 0;
}

void gcal_profile_set_clear(struct gcal_profile_set *set)
{
    for (size_t k = 0; k < set->n; k++)
        gcal_profile_destroy(set->profiles[k]);
    *set = (struct gcal_profile_set){ 0 };
}

struct gcal_profile *gcal_profile_set_find(const struct gcal_profile_set *set,
                                           double sub_group_size, struct gcal_error *err)
{
    struct gcal_buf sizes = { 0 };

    if (set->n == 1)
        return set->profiles[0];
    for (size_t k = 0; k < set->n; k++)
        if ((double)gcal_profile_sub_group_size(set->profiles[k]) == sub_group_size)
            return set->profiles[k];
    for (size_t k = 0; k < set->n; k++)
        gcal_buf_printf(&sizes, "%s%zu",
                        k == 0           ? ""
                        : k + 1 < set->n ? ", "
                                         : " and ",
                        gcal_profile_sub_group_size(set->profiles[k]));
    gcal_error_set(
        err, GCAL_EINPUT,
        "kernel %.60s was counted for sub-groups of %s work-items, and not for the "
        "device's of %g: count it with --sub-group %g",
        set->profiles[0]->kernel, sizes.data ? sizes.data : "", sub_group_size,
        sub_group_size);
    gcal_error_because(err, GCAL_REASON_PROFILE);
    gcal_buf_free(&sizes);
    return NULL;
}
