/* component.c - the two parts of a catalogue's kernel, and of those made from it
 *
 * A whole kernel has both, under a tag that names its generator and the arguments that
 * were chosen.  What work removal left of it has the part that it kept, with the whole's
 * tag and count: so a cost that is fitted to a part alone is one of the whole kernel.
 */

#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/model/profile.h"
#include "kernels/generate/run.h"
#include "calib/model/tag.h"

/* ---- tags ---- */

/* "matmulTiledLsize032": arguments that are no sizes and have not the only value that
 * they take by themselves.
 */
static char *make_tag(const struct gcal_generator_setting *s, struct gcal_error *err)
{
    const struct gcal_generator *g = s->generator;
    struct gcal_buf tag = { 0 };

    gcal_tag_put(g->name, false, &tag);
    for (size_t i = 0; i < g->n_arguments; i++) {
        const struct gcal_generator_arg *a = &g->arguments[i];

        if (a->size ||
            (a->defaults.n == 1 && strcmp(a->defaults.items[0], s->values[i]) == 0))
            continue;
        gcal_tag_put(a->name, true, &tag);
        gcal_tag_put(s->values[i], true, &tag);
    }
    return gcal_buf_take(&tag, err);
}

static const char *name_of(enum gcal_feature_kind kind)
{
    return kind == GCAL_FEATURE_MEMORY ? "f_memory" : "f_onchip";
}

static int set_tag(struct gcal_profile_entry *entry, const char *tag,
                   struct gcal_error *err)
{
    free(entry->tag);
    free(entry->feature);
    entry->tag = strdup(tag);
    entry->feature = gcal_buf_format("%s_tag:%s", name_of(entry->kind), tag);
    return entry->tag && entry->feature ? 0 : gcal_error_memory(err);
}

static int set_tags(const struct gcal_generator_setting *s, struct gcal_profile *profile,
                    struct gcal_error *err)
{
    char *tag = make_tag(s, err);
    int rc = tag ? 0 : -1;

    for (size_t i = 0; i < profile->n_entries && rc == 0; i++)
        if (gcal_feature_is_component(profile->entries[i].kind))
            rc = set_tag(&profile->entries[i], tag, err);
    free(tag);
    return rc;
}

/* ---- what work removal left ---- */

/* Its own parts are in no model: they would be sums of other things. */
static void remove_components(struct gcal_profile *profile)
{
    size_t n = 0;

    for (size_t i = 0; i < profile->n_entries; i++) {
        struct gcal_profile_entry *entry = &profile->entries[i];

        if (gcal_feature_is_component(entry->kind))
            gcal_profile_entry_clear(entry);
        else
            profile->entries[n++] = *entry;
    }
    profile->n_entries = n;
}

/* False for single loads, which are no part. */
static bool keeps_component(const struct gcal_generator_setting *s,
                            enum gcal_feature_kind *kind)
{
    const char *keep = gcal_generator_keep_value(s);

    *kind = s->generator->form == GCAL_GENERATOR_FORM_ONCHIP ? GCAL_FEATURE_ONCHIP
                                                             : GCAL_FEATURE_MEMORY;
    return !keep || strcmp(keep, "all") == 0;
}

static int copy_component(struct gcal_profile *to, const struct gcal_profile *from,
                          enum gcal_feature_kind kind, struct gcal_error *err)
{
    for (size_t i = 0; i < from->n_entries; i++) {
        const struct gcal_profile_entry *part = &from->entries[i];
        struct gcal_profile_entry *entry;

        if (part->kind != kind)
            continue;
        if (!(entry = gcal_profile_add(to, err)))
            return -1;
        entry->kind = kind;
        entry->granularity = part->granularity;
        entry->estimated = part->estimated;
        to->estimated = to->estimated || part->estimated;
        if (!(entry->count = strdup(part->count)))
            return gcal_error_memory(err);
        if (set_tag(entry, part->tag, err) < 0 ||
            gcal_kernel_run_add_parameters(to, entry->count, err) < 0)
            return -1;
    }
    return 0;
}

/* The kernel that a companion's was made from, counted; the caller's to destroy. */
static struct gcal_kernel *make_origin(const struct gcal_generator_setting *s,
                                       void **tree, struct gcal_error *err)
{
    const struct gcal_generator *g = s->generator->origin;
    struct gcal_generator_setting whole = { .generator = g, .sweep = s->sweep };
    struct gcal_kernel *kernel = NULL;

    if (!(whole.values = calloc(g->n_arguments, sizeof(*whole.values)))) {
        gcal_error_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < g->n_arguments; i++)
        whole.values[i] = gcal_generator_setting_value(s, g->arguments[i].name);
    if ((kernel = gcal_kernel_create(&whole, err)) &&
        gcal_kernel_finish(&whole, kernel, tree, err) < 0) {
        gcal_kernel_destroy(kernel);
        kernel = NULL;
    }
    free(whole.values);
    return kernel;
}

int gcal_kernel_set_components(const struct gcal_generator_setting *s,
                               struct gcal_kernel *kernel, void **tree,
                               struct gcal_error *err)
{
    enum gcal_feature_kind kind;
    struct gcal_kernel *whole;
    int rc;

    if (!s->generator->origin)
        return set_tags(s, kernel->profile, err);
    remove_components(kernel->profile);
    if (!keeps_component(s, &kind))
        return 0;
    if (!(whole = make_origin(s, tree, err)))
        return -1;
    rc = copy_component(kernel->profile, whole->profile, kind, err);
    gcal_kernel_destroy(whole);
    return rc;
}
