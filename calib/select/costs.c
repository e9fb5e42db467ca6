/* costs.c - cost groups as sums of expressions, with feature classes replaced */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/expr.h"
#include "kernels/model/form.h"
#include "calib/select/private.h"

void gcal_select_costs_clear(struct gcal_select_costs *costs)
{
    for (size_t i = 0; i < costs->n_groups; i++) {
        free((char *)costs->groups[i].name);
        free((char *)costs->groups[i].expression);
        free((void *)costs->groups[i].parts);
    }
    gcal_select_terms_clear(&costs->terms);
    free(costs->groups);
    free(costs->overhead);
    *costs = (struct gcal_select_costs){ 0 };
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

/* ---- terms ---- */

/* The sum of all expressions, for the names in it. */
static struct gcal_expr *parse_written(const struct gcal_config_model *m,
                                       struct gcal_error *err)
{
    struct gcal_expr *expr = NULL;
    struct gcal_buf sum = { 0 };
    char *text;

    gcal_buf_puts(&sum, "0");
    for (size_t i = 0; i < count_costs(m); i++)
        if (cost_at(m, i)->expression)
            gcal_buf_printf(&sum, "+(%s)", cost_at(m, i)->expression);
    if ((text = gcal_buf_take(&sum, err)))
        expr = gcal_expr_parse(text, err);
    free(text);
    return expr;
}

static int find_terms(const struct gcal_config_model *m,
                      const struct gcal_select_sources *sources,
                      struct gcal_select_terms *terms, struct gcal_error *err)
{
    struct gcal_expr *written = parse_written(m, err);
    int rc = written ? 0 : -1;

    for (size_t i = 0; i < count_costs(m) && rc == 0; i++) {
        const struct gcal_config_cost *cost = cost_at(m, i);

        if (!cost->expression)
            rc = gcal_select_terms_add(terms, cost->class, sources, written, err);
    }
    if (rc == 0)
        rc = gcal_select_terms_name(terms, written, err);
    gcal_expr_destroy(written);
    return rc;
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

static char *sum_group(const struct gcal_select_terms *terms,
                       const struct gcal_config_cost_group *group, struct gcal_error *err)
{
    struct gcal_buf sum = { 0 };

    for (size_t i = 0; i < group->n_costs; i++)
        put_cost(terms, &group->costs[i], &sum);
    if (sum.size)
        return gcal_buf_take(&sum, err);
    gcal_yaml_error(group->node, err,
                    "the group '%.60s' is empty: none of the kernels in 'predicts' has "
                    "such features",
                    group->name);
    return NULL;
}

/* The group's components of target kernels; texts are those of 'terms'. */
static int list_parts(const struct gcal_select_terms *terms,
                      const struct gcal_config_cost_group *config,
                      struct gcal_form_cost_group *group, struct gcal_error *err)
{
    struct gcal_form_part *parts = calloc(terms->n + 1, sizeof(*parts));

    if (!parts)
        return gcal_error_memory(err);
    group->parts = parts;
    for (size_t k = 0; k < config->n_costs; k++)
        for (size_t i = 0; !config->costs[k].expression && i < terms->n; i++) {
            const struct gcal_select_term *term = &terms->items[i];

            if (term->class == config->costs[k].class && term->part)
                parts[group->n_parts++] =
                    (struct gcal_form_part){ .parameter = term->parameter,
                                             .feature = term->feature,
                                             .strided = term->strided };
        }
    return 0;
}

static char *sum_overhead(const struct gcal_select_terms *terms,
                          const struct gcal_config_cost *overhead, struct gcal_error *err)
{
    struct gcal_buf sum = { 0 };

    put_cost(terms, overhead, &sum);
    if (sum.size)
        return gcal_buf_take(&sum, err);
    gcal_yaml_error(overhead->node, err,
                    "none of the kernels in 'predicts' has this overhead");
    return NULL;
}

static int sum_all(const struct gcal_config_model *m,
                   const struct gcal_select_terms *terms, struct gcal_select_costs *costs,
                   struct gcal_error *err)
{
    if (!(costs->groups = calloc(m->n_groups + 1, sizeof(*costs->groups))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < m->n_groups; i++) {
        struct gcal_form_cost_group *group = &costs->groups[costs->n_groups++];

        if (!(group->expression = sum_group(terms, &m->groups[i], err)))
            return -1;
        if (!(group->name = strdup(m->groups[i].name)))
            return gcal_error_memory(err);
        if (list_parts(terms, &m->groups[i], group, err) < 0)
            return -1;
    }
    if (m->overhead && !(costs->overhead = sum_overhead(terms, m->overhead, err)))
        return -1;
    return 0;
}

int gcal_select_costs_find(const struct gcal_config_model *m,
                           const struct gcal_select_sources *sources,
                           struct gcal_select_costs *costs, struct gcal_error *err)
{
    int rc = find_terms(m, sources, &costs->terms, err);

    for (size_t i = 0; i < count_costs(m); i++)
        costs->loads =
            costs->loads || cost_at(m, i)->class == GCAL_CONFIG_CLASS_GLOBAL_ACCESSES;
    if (rc == 0)
        rc = sum_all(m, &costs->terms, costs, err);
    return rc;
}

char *gcal_select_costs_sum(const struct gcal_select_costs *costs, struct gcal_error *err)
{
    struct gcal_buf sum = { 0 };

    for (size_t i = 0; i < costs->n_groups; i++)
        gcal_buf_printf(&sum, "%s%s", i ? " + " : "", costs->groups[i].expression);
    if (costs->overhead)
        gcal_buf_printf(&sum, " + %s", costs->overhead);
    return gcal_buf_take(&sum, err);
}
