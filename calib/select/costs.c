/* costs.c - cost groups as sums of expressions, with feature classes replaced */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/expr.h"
#include "kernels/model/profile.h"
#include "calib/select/private.h"

/* ---- feature classes: the work of target kernels, as costs with readable names
 */

static bool has_symbol(const struct gcal_expr *expr, const char *name)
{
    for (size_t i = 0; i < gcal_expr_symbol_count(expr); i++)
        if (strcmp(gcal_expr_symbol(expr, i), name) == 0)
            return true;
    return false;
}

/* ---- terms ---- */

struct adding {
    struct gcal_select_terms *terms;
    enum gcal_config_class class;
    const struct gcal_expr *written;
};

/* A feature that is there already adds nothing.  Work-groups are also factors of other
 * terms, so they are always added.
 */
static void add_term(struct adding *a, const char *feature, const char *name,
                     const char *longer_name)
{
    struct gcal_select_terms *t = a->terms;

    if (a->class != GCAL_CONFIG_CLASS_WORK_GROUPS && has_symbol(a->written, feature))
        return;
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->items[i].feature, feature) == 0)
            return;
    t->items = gcal_arena_grow(t->arena, t->items, t->n, &t->capacity, sizeof(*t->items));
    t->items[t->n++] = (struct gcal_select_term){
        .class = a->class, .feature = feature, .name = name, .longer_name = longer_name
    };
}

/* The elements that neighbouring work-items access: their number and distance, which is a
 * number, a function of sizes, or unknown.
 */
struct stride {
    char name[60];       /* "stride16", "vector4_stride4" */
    char constraint[80]; /* "_lstrides:{0:16}", "_width:4_lstrides:{0:4}" */
};

static struct stride describe_stride(const struct gcal_profile_entry *e)
{
    const char *text = e->lid_stride[0];
    struct stride s = { .name = "" };
    char *end, vector[30] = "", width[30] = "";
    long number = text ? strtol(text, &end, 10) : 0;

    if (e->vector_width > 1) {
        snprintf(vector, sizeof(vector), "vector%zu_", e->vector_width);
        snprintf(width, sizeof(width), "_width:%zu", e->vector_width);
    }
    if (!text) {
        snprintf(s.name, sizeof(s.name), "%sscattered", vector);
        snprintf(s.constraint, sizeof(s.constraint), "%s", width);
    } else if (*end) {
        snprintf(s.name, sizeof(s.name), "%sstrided", vector);
        snprintf(s.constraint, sizeof(s.constraint), "%s_lstrides:{0:>1}", width);
    } else {
        snprintf(s.name, sizeof(s.name), "%sstride%s%ld", vector,
                 number < 0 ? "_minus" : "", labs(number));
        snprintf(s.constraint, sizeof(s.constraint), "%s_lstrides:{0:%ld}", width,
                 number);
    }
    return s;
}

static void add_access(struct adding *a, const struct gcal_profile_entry *e)
{
    struct gcal_arena *arena = a->terms->arena;
    bool local = a->class == GCAL_CONFIG_CLASS_LOCAL_ACCESSES;
    const char *space = local ? "local" : "global";
    const char *direction = e->direction == GCAL_FEATURE_STORE ? "store" : "load";
    bool known = !local && e->afr && !e->afr_premise;
    bool once = known && strcmp(e->afr, "1") == 0;
    const char *afr = !known ? "" : once ? "_afr:1" : "_afr:>1";
    const char *reuse = !known ? "" : once ? "_once" : "_reused";
    struct stride s;

    if (!gcal_feature_is_access(e->kind) ||
        gcal_feature_info(e->kind)->execution == GCAL_FEATURE_EXECUTION_NONE ||
        (e->space == GCAL_FEATURE_SPACE_LOCAL) != local ||
        e->space == GCAL_FEATURE_SPACE_CONSTANT || e->space == GCAL_FEATURE_SPACE_IMAGE ||
        e->space == GCAL_FEATURE_SPACE_PRIVATE)
        return;
    if (e->kind == GCAL_FEATURE_ATOMIC) {
        add_term(a, gcal_arena_format(arena, "f_atomic_%s_%s_%s", space, e->dtype, e->op),
                 gcal_arena_format(arena, "%s_atomic_%s", space, e->op),
                 gcal_arena_format(arena, "%s_atomic_%s_%s", space, e->dtype, e->op));
        return;
    }
    if (!local && e->tag) {
        add_term(a, gcal_arena_format(arena, "f_mem_access_tag:%s", e->tag),
                 gcal_arena_strdup(arena, e->tag),
                 gcal_arena_format(arena, "%s_access", e->tag));
        return;
    }
    s = describe_stride(e);
    add_term(a,
             gcal_arena_format(arena, "f_mem_access_%s_%s_%s%s%s", space, e->dtype,
                               direction, s.constraint, afr),
             gcal_arena_format(arena, "%s_%s_%s%s", space, s.name, direction, reuse),
             gcal_arena_format(arena, "%s_%s_%s_%s%s", space, e->dtype, s.name, direction,
                               reuse));
}

static void add_entry(struct adding *a, const struct gcal_profile_entry *e)
{
    struct gcal_arena *arena = a->terms->arena;

    switch (a->class) {
    case GCAL_CONFIG_CLASS_GLOBAL_ACCESSES:
    case GCAL_CONFIG_CLASS_LOCAL_ACCESSES:
        add_access(a, e);
        break;
    case GCAL_CONFIG_CLASS_OPERATIONS:
        if (e->kind == GCAL_FEATURE_OP)
            add_term(a, gcal_arena_format(arena, "f_op_%s_%s", e->dtype, e->op),
                     gcal_arena_strdup(arena, e->op),
                     gcal_arena_format(arena, "%s_%s", e->dtype, e->op));
        break;
    case GCAL_CONFIG_CLASS_BARRIERS:
        if (e->kind == GCAL_FEATURE_BARRIER_LOCAL &&
            !has_symbol(a->written, "f_sync_barrier_local"))
            add_term(a, "f_sync_barrier_local * f_thread_groups", "barrier",
                     "barrier_local");
        break;
    case GCAL_CONFIG_CLASS_WORK_GROUPS:
        add_term(a, "f_thread_groups", "group", "thread_group");
        break;
    case GCAL_CONFIG_CLASS_LAUNCHES:
        add_term(a, "f_sync_kernel_launch", "launch", "kernel_launch");
        break;
    case GCAL_CONFIG_N_CLASSES:
        break;
    }
}

/* Adds the features of 'class' that the target kernels have and 'written' (all expressions among
 * the costs) has not.
 */
static void add_terms(struct gcal_select_terms *terms, enum gcal_config_class class,
                      const struct gcal_kernel_list *targets,
                      const struct gcal_expr *written)
{
    struct adding a = { .terms = terms, .class = class, .written = written };
    const char *variant = "";

    for (size_t i = 0; i < targets->n_kernels; i++) {
        const struct gcal_profile *p = targets->kernels[i]->profile;

        if (strcmp(targets->kernels[i]->variant, variant) == 0)
            continue; /* the same counts */
        variant = targets->kernels[i]->variant;
        for (size_t k = 0; k < p->n_entries; k++)
            add_entry(&a, &p->entries[k]);
    }
}

/* ---- names ---- */

/* Returns whether no term and no expression of the user has the parameter, and no form adds it. */
static bool is_free(const struct gcal_select_terms *terms, const char *parameter,
                    const struct gcal_expr *written)
{
    for (size_t i = 0; i < terms->n; i++)
        if (terms->items[i].parameter &&
            strcmp(terms->items[i].parameter, parameter) == 0)
            return false;
    return strcmp(parameter, GCAL_SELECT_EDGE) != 0 && !has_symbol(written, parameter);
}

/* Names all parameters, distinct from each other and from those of 'written': the first name that
 * is free: its own, if it is proposed for no other term; its longer name;
 * that with a number.
 */
static void name_terms(struct gcal_select_terms *terms, const struct gcal_expr *written)
{
    for (size_t i = 0; i < terms->n; i++) {
        struct gcal_select_term *term = &terms->items[i];
        size_t n_alike = 0;
        char *chosen = gcal_arena_format(terms->arena, "p_%s", term->name);

        for (size_t k = 0; k < terms->n; k++)
            n_alike += strcmp(terms->items[k].name, term->name) == 0;
        for (size_t number = 1; n_alike > 1 || !is_free(terms, chosen, written);
             number++) {
            n_alike = 1;
            chosen = number == 1
                         ? gcal_arena_format(terms->arena, "p_%s", term->longer_name)
                         : gcal_arena_format(terms->arena, "p_%s_%zu", term->longer_name,
                                             number);
        }
        term->parameter = chosen;
    }
}

/* ---- all costs of a model, one after the other ---- */

static size_t count_costs(const struct gcal_config_model *m)
{
    size_t n = m->overhead != NULL;

    for (size_t i = 0; i < m->n_groups; i++)
        n += m->groups[i].n_costs;
    return n;
}

/* The groups' costs, then the overhead. */
static const struct gcal_config_cost *cost_at(const struct gcal_config_model *m, size_t i)
{
    for (size_t g = 0; g < m->n_groups; i -= m->groups[g++].n_costs)
        if (i < m->groups[g].n_costs)
            return &m->groups[g].costs[i];
    return m->overhead;
}

bool gcal_select_uses_classes(const struct gcal_config_model *m)
{
    for (size_t i = 0; i < count_costs(m); i++)
        if (!cost_at(m, i)->expression)
            return true;
    return false;
}

/* ---- sums ---- */

static void put_cost(const struct gcal_select_terms *terms,
                     const struct gcal_config_cost *cost, struct gcal_buf *sum)
{
    if (cost->expression)
        gcal_buf_printf(sum, "%s%s", sum->size ? " + " : "", cost->expression);
    for (size_t i = 0; !cost->expression && i < terms->n; i++)
        if (terms->items[i].class == cost->class)
            gcal_buf_printf(sum, "%s%s * %s", sum->size ? " + " : "",
                            terms->items[i].parameter, terms->items[i].feature);
}

GCAL_ARENA_DESTROYER(destroy_expr, gcal_expr_destroy)

int gcal_select_costs_find(const struct gcal_config_model *m,
                           const struct gcal_kernel_list *targets,
                           struct gcal_select_costs *costs, struct gcal_error *err)
{
    struct gcal_select_terms *terms = &costs->terms;
    struct gcal_buf sum = { 0 };
    const struct gcal_expr *written; /* the sum of all expressions, for the names in it */

    terms->arena = m->arena;
    gcal_buf_puts(&sum, "0");
    for (size_t i = 0; i < count_costs(m); i++)
        if (cost_at(m, i)->expression)
            gcal_buf_printf(&sum, "+(%s)", cost_at(m, i)->expression);
    written = gcal_arena_own(
        m->arena, gcal_expr_parse(gcal_arena_take(m->arena, &sum), err), destroy_expr);
    if (!written)
        return -1;
    for (size_t i = 0; i < gcal_expr_symbol_count(written); i++)
        for (size_t k = 0; k < m->n_forms; k++)
            if (strcmp(gcal_expr_symbol(written, i), GCAL_SELECT_EDGE) == 0 &&
                strcmp(m->forms[k].name, GCAL_CONFIG_FORM_OVERLAP) == 0)
                return gcal_yaml_error(m->forms[k].node, err,
                                       GCAL_SELECT_EDGE " is a parameter of the form "
                                                        "overlap: give the cost another "
                                                        "name");
    for (size_t i = 0; i < count_costs(m); i++) {
        const struct gcal_config_cost *cost = cost_at(m, i);

        if (!cost->expression)
            add_terms(terms, cost->class, targets, written);
        costs->loads = costs->loads || cost->class == GCAL_CONFIG_CLASS_GLOBAL_ACCESSES;
    }
    name_terms(terms, written);
    costs->n_groups = m->n_groups;
    costs->groups = gcal_arena_alloc(m->arena, m->n_groups, sizeof(*costs->groups));
    for (size_t g = 0; g < m->n_groups; g++) {
        const struct gcal_config_cost_group *group = &m->groups[g];

        for (size_t k = 0; k < group->n_costs; k++)
            put_cost(terms, &group->costs[k], &sum);
        if (!sum.size)
            return gcal_yaml_error(group->node, err,
                                   "the group '%.60s' is empty: none of the kernels in "
                                   "'predicts' has such features",
                                   group->name);
        costs->groups[g] =
            (struct gcal_select_group){ .name = group->name,
                                        .expression = gcal_arena_take(m->arena, &sum) };
    }
    if (!m->overhead)
        return 0;
    put_cost(terms, m->overhead, &sum);
    if (!sum.size)
        return gcal_yaml_error(m->overhead->node, err,
                               "none of the kernels in 'predicts' has this overhead");
    costs->overhead = gcal_arena_take(m->arena, &sum);
    return 0;
}

char *gcal_select_costs_sum(struct gcal_arena *arena,
                            const struct gcal_select_costs *costs)
{
    struct gcal_buf sum = { 0 };

    for (size_t i = 0; i < costs->n_groups; i++)
        gcal_buf_printf(&sum, "%s%s", i ? " + " : "", costs->groups[i].expression);
    if (costs->overhead)
        gcal_buf_printf(&sum, " + %s", costs->overhead);
    return gcal_arena_take(arena, &sum);
}
