/* component.c - the memory and on-chip components of kernels and of kernels derived from
 * them
 *
 * A kernel with all its work has both components, under a tag that names its generator
 * and the chosen arguments.  A derived kernel has the component that it keeps, with its
 * origin's tag and count: a cost fitted to the component alone is then one of the
 * original kernel.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "kernels/model/feature.h"
#include "kernels/generate/private.h"

/* ---- tags ---- */

/* "matmulTiledLsize032": the generator's name and its arguments, except sizes and
 * arguments at their only default.
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

static int set_tag(struct gcal_profile_entry *entry, const char *tag,
                   struct gcal_error *err)
{
    free(entry->tag);
    free(entry->feature);
    entry->tag = strdup(tag);
    entry->feature = gcal_buf_format(
        "%s_tag:%s", entry->kind == GCAL_FEATURE_MEMORY ? "f_memory" : "f_onchip", tag);
    return entry->tag && entry->feature ? 0 : gcal_error_memory(err);
}

/* ---- derived kernels ---- */

bool gcal_kernel_is_component(const struct gcal_generator_setting *s,
                              enum gcal_feature_kind *kind)
{
    const char *keep = gcal_generator_keep_value(s);

    *kind = s->generator->form == GCAL_KERNEL_ONCHIP ? GCAL_FEATURE_ONCHIP
                                                     : GCAL_FEATURE_MEMORY;
    /* single loads are not a component */
    return s->generator->origin && (!keep || strcmp(keep, "all") == 0);
}

int gcal_kernel_set_components(const struct gcal_generator_setting *s,
                               struct gcal_kernel *kernel,
                               const struct gcal_kernel *origin, struct gcal_error *err)
{
    enum gcal_feature_kind kind;

    if (!s->generator->origin) {
        struct gcal_profile *profile = kernel->profile;
        char *tag = make_tag(s, err);
        int rc = tag ? 0 : -1;

        for (size_t i = 0; i < profile->n_entries && rc == 0; i++)
            if (gcal_feature_is_component(profile->entries[i].kind))
                rc = set_tag(&profile->entries[i], tag, err);
        free(tag);
        return rc;
    }
    /* Components of the derived source itself mean nothing to a model. */
    struct gcal_profile *profile = kernel->profile;
    size_t n = 0;

    for (size_t i = 0; i < profile->n_entries; i++) {
        struct gcal_profile_entry *entry = &profile->entries[i];

        if (gcal_feature_is_component(entry->kind))
            gcal_profile_entry_clear(entry);
        else
            profile->entries[n++] = *entry;
    }
    profile->n_entries = n;
    if (!gcal_kernel_is_component(s, &kind))
        return 0;
    if (!(kernel->profile->origin = strdup(origin->profile->fingerprint)))
        return gcal_error_memory(err);
    struct gcal_profile *to = kernel->profile;
    const struct gcal_profile *from = origin->profile;
    for (size_t i = 0; i < from->n_entries; i++) {
        const struct gcal_profile_entry *component = &from->entries[i];
        struct gcal_profile_entry *entry;

        if (component->kind != kind)
            continue;
        if (!(entry = gcal_profile_add(to, err)))
            return -1;
        entry->kind = kind;
        entry->granularity = component->granularity;
        entry->estimated = component->estimated;
        to->estimated = to->estimated || component->estimated;
        if (!(entry->count = strdup(component->count)))
            return gcal_error_memory(err);
        if (set_tag(entry, component->tag, err) < 0 ||
            gcal_kernel_run_add_parameters(to, entry->count, err) < 0)
            return -1;
    }
    return 0;
}
