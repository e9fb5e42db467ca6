/* costs.c - cost groups as sums of expressions, with feature classes replaced */
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/expr.h"
#include "calib/select/private.h"

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
            gcal_select_terms_add(terms, cost->class, targets, written);
        costs->loads = costs->loads || cost->class == GCAL_CONFIG_CLASS_GLOBAL_ACCESSES;
    }
    gcal_select_terms_name(terms, written);
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
