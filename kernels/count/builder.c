/* builder.c - names, texts and entries of a profile in the making, and its components */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "kernels/model/feature.h"
#include "kernels/count/private.h"

void gcal_count_builder_use_name(const char *name, void *data)
{
    struct gcal_count_builder *m = data;

    if (gcal_strings_include(&m->used, name, m->err) < 0)
        m->failed = true;
}

char *gcal_count_builder_copy(struct gcal_count_builder *m, const char *text)
{
    char *owned = strdup(text);

    if (strlen(text) > GCAL_COUNT_MAX_LENGTH && !m->failed) {
        m->failed = true;
        gcal_error_set(m->err, GCAL_EINPUT,
                       "%s: a count has %zu characters: assume more about the sizes "
                       "(\"n %% 16 = 0 and n >= 16\")",
                       m->nest->file, strlen(text));
    }
    if (!owned && !m->failed) {
        m->failed = true;
        gcal_error_memory(m->err);
    }
    return owned;
}

const char *gcal_count_builder_name_text(struct gcal_count_builder *m,
                                         const struct gcal_poly *p)
{
    p = gcal_sets_settle(m->nest, p);
    gcal_poly_visit_parameters(m->c, p, gcal_count_builder_use_name, m);
    return gcal_poly_text(m->c, p);
}

bool gcal_count_builder_is_long(struct gcal_count_builder *m, const struct gcal_poly *p)
{
    enum { MOST_TERMS = 300, MOST_CHARACTERS = 10000 };

    return p->n_terms > MOST_TERMS || strlen(gcal_poly_text(m->c, p)) > MOST_CHARACTERS;
}

bool gcal_count_builder_begin_attempt(struct gcal_count_builder *m)
{
    enum { MOST_STEPS = 100000 };

    return gcal_poly_begin_attempt(m->c, MOST_STEPS);
}

const struct gcal_poly *gcal_count_builder_end_attempt(struct gcal_count_builder *m,
                                                       const struct gcal_poly *p)
{
    return gcal_poly_end_attempt(m->c) || gcal_count_builder_is_long(m, p) ? NULL : p;
}

const struct gcal_poly *gcal_count_builder_least(struct gcal_count_builder *m,
                                                 const struct gcal_poly *a,
                                                 const struct gcal_poly *b)
{
    const struct gcal_poly *least = NULL;

    if (gcal_count_builder_begin_attempt(m))
        least = gcal_count_builder_end_attempt(m, gcal_poly_min(m->c, a, b));
    return least ? least : gcal_poly_mostly_less(m->c, a, b);
}

char *gcal_count_builder_text(struct gcal_count_builder *m, const struct gcal_poly *p)
{
    return gcal_count_builder_copy(
        m, gcal_count_builder_name_text(m, gcal_poly_tidy(m->c, p)));
}

/* Whether an expression needs parentheses as a factor. */
static bool is_sum(const char *text)
{
    int depth = 0;

    for (const char *p = text; *p; p++) {
        depth += (*p == '(') - (*p == ')');
        if (p > text && depth == 0 && (*p == '+' || *p == '-'))
            return true;
    }
    return false;
}

char *gcal_count_builder_sub_group_text(struct gcal_count_builder *m,
                                        const struct gcal_poly *p)
{
    const char *text = gcal_count_builder_name_text(m, gcal_poly_tidy(m->c, p));
    int64_t one;

    if (m->request->sub_group_size)
        return gcal_count_builder_copy(m, text);
    if (gcal_poly_is_constant(p, &one) && one == 1)
        text = "";
    else
        text = gcal_poly_format(m->c, is_sum(text) ? "(%s)*" : "%s*", text);
    return gcal_count_builder_copy(
        m, gcal_poly_format(m->c, "%sceil(%lld/" GCAL_SUB_GROUP_SIZE ")", text,
                            (long long)gcal_sets_nest_group_items(m->nest)));
}

struct gcal_profile_entry *gcal_count_builder_add(struct gcal_count_builder *m,
                                                  enum gcal_feature_kind kind,
                                                  const char *fields)
{
    const struct gcal_feature_info *info = gcal_feature_info(kind);
    struct gcal_profile_entry *e =
        m->failed ? NULL : gcal_profile_add(m->profile, m->err);

    if (!e) {
        m->failed = true;
        return NULL;
    }
    e->kind = kind;
    e->granularity = info->granularity;
    e->feature =
        gcal_count_builder_copy(m, gcal_poly_format(m->c, "%s%s", info->name, fields));
    return e;
}

/* ---- the memory component (all global accesses) and the on-chip component ----
 *
 * Each is one feature: the unweighted sum of the counts of its entries.  The cost of a
 * unit is meaningful for this kernel only, so the feature is tagged with the kernel's
 * name.
 */

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

/* Of all accesses' counts: those of sectors come later. */
bool gcal_count_builder_has_sizes(struct gcal_count_builder *m)
{
    int64_t value;

    for (size_t i = 0; i < m->used.n; i++)
        if (!gcal_poly_is_constant(gcal_poly_parameter(m->c, m->used.items[i]), &value))
            return true;
    return false;
}
