/* builder.c - names, texts and entries of a profile in the making */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/strings.h"
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
