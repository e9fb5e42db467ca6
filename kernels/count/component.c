/* component.c - the memory component (all global accesses) and the on-chip component
 *
 * Each is one feature: the unweighted sum of the counts of its entries.  The cost of a
 * unit is meaningful for this kernel only, so the feature is tagged with the kernel's
 * name.
 */
#include <stdlib.h>

#include "kernels/base/buf.h"
#include "kernels/model/tag.h"
#include "kernels/count/private.h"

/* A long count stays one term, which the profile shares with its entry; of very long ones
 * like terms are added up.
 */
static const struct gcal_poly *as_one_term(struct gcal_poly_context *c,
                                           const struct gcal_poly *count)
{
    enum { LONG = 5, VERY_LONG = 100 };

    count = gcal_poly_tidy(c, count);
    return count->n_terms > LONG && count->n_terms < VERY_LONG
               ? gcal_poly_unexpanded(c, count)
               : count;
}

void gcal_count_builder_add_to_component(struct gcal_count_builder *m,
                                         enum gcal_count_component_kind kind,
                                         const struct gcal_poly *count, bool by_sub_group,
                                         bool estimated)
{
    struct gcal_count_component *p = &m->components[kind];
    const struct gcal_poly **sum = by_sub_group ? &p->sub_groups : &p->others;

    count = as_one_term(m->c, count);
    *sum = *sum ? gcal_poly_add(m->c, *sum, count) : count;
    p->estimated = p->estimated || estimated;
}

static char *count_text(struct gcal_count_builder *m,
                        const struct gcal_count_component *p)
{
    char *others, *sub_groups, *text;

    if (!p->others || !p->others->n_terms)
        return gcal_count_builder_sub_group_text(m, p->sub_groups);
    if (!p->sub_groups || !p->sub_groups->n_terms)
        return gcal_count_builder_text(m, p->others);
    others = gcal_count_builder_text(m, p->others);
    sub_groups = gcal_count_builder_sub_group_text(m, p->sub_groups);
    text = others && sub_groups
               ? gcal_count_builder_copy(
                     m, gcal_poly_format(m->c, *sub_groups == '-' ? "%s+(%s)" : "%s+%s",
                                         others, sub_groups))
               : NULL;
    free(others);
    free(sub_groups);
    return text;
}

static void add_component(struct gcal_count_builder *m, enum gcal_feature_kind kind,
                          const struct gcal_count_component *p, const char *tag)
{
    bool none =
        !(p->others && p->others->n_terms) && !(p->sub_groups && p->sub_groups->n_terms);
    struct gcal_profile_entry *entry;

    if (none || m->failed ||
        !(entry = gcal_count_builder_add(
              m, kind, *tag ? gcal_poly_format(m->c, "_tag:%s", tag) : "")))
        return;
    entry->count = count_text(m, p);
    entry->tag =
        *tag ? gcal_count_builder_copy(m, tag) : NULL; /* none: a kernel named _ */
    entry->estimated = p->estimated;
}

void gcal_count_builder_add_components(struct gcal_count_builder *m)
{
    struct gcal_buf tag = { 0 };
    char *text;

    gcal_buf_puts(&tag, "");
    gcal_tag_put(m->profile->kernel ? m->profile->kernel : "", false, &tag);
    if (!(text = gcal_buf_take(&tag, m->err))) {
        m->failed = true;
        return;
    }
    add_component(m, GCAL_FEATURE_MEMORY, &m->components[GCAL_COUNT_COMPONENT_MEMORY],
                  text);
    add_component(m, GCAL_FEATURE_ONCHIP, &m->components[GCAL_COUNT_COMPONENT_ONCHIP],
                  text);
    free(text);
}
