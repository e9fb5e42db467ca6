/* groups.c - the costs of built-in forms: expressions and feature classes, in groups */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/similar.h"
#include "kernels/base/yaml.h"
#include "calib/config/private.h"
#include "kernels/model/named_expr.h"

/* NULL-ended. */
static const char *const class_names[GCAL_CONFIG_N_CLASSES + 1] = {
    [GCAL_CONFIG_CLASS_MEMORY_COMPONENTS] = "memory_parts",
    [GCAL_CONFIG_CLASS_ONCHIP_COMPONENTS] = "onchip_parts",
    [GCAL_CONFIG_CLASS_GLOBAL_ACCESSES] = "global_accesses",
    [GCAL_CONFIG_CLASS_LOCAL_ACCESSES] = "local_accesses",
    [GCAL_CONFIG_CLASS_OPERATIONS] = "operations",
    [GCAL_CONFIG_CLASS_BARRIERS] = "barriers",
    [GCAL_CONFIG_CLASS_WORK_GROUPS] = "work_groups",
    [GCAL_CONFIG_CLASS_LAUNCHES] = "launches",
};

const char *gcal_config_class_name(enum gcal_config_class class)
{
    return class_names[class];
}

static void clear_cost(struct gcal_config_cost *cost)
{
    free(cost->expression);
}

void gcal_config_groups_clear(struct gcal_config_model *m)
{
    for (size_t i = 0; i < m->n_groups; i++) {
        for (size_t k = 0; k < m->groups[i].n_costs; k++)
            clear_cost(&m->groups[i].costs[k]);
        free(m->groups[i].costs);
        free(m->groups[i].name);
    }
    free(m->groups);
    if (m->overhead)
        clear_cost(m->overhead);
    free(m->overhead);
}

/* ---- costs ---- */

/* A word is a class or a named expression; anything else is an expression. */
static bool is_word(const char *text)
{
    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return strncmp(text, "p_", 2) != 0 && strncmp(text, "f_", 2) != 0;
}

/* Named expressions hide classes. */
static enum gcal_config_class class_of(const char *text,
                                       const struct gcal_expr_names *names)
{
    size_t i = 0;

    if (gcal_expr_names_has(names, text))
        return GCAL_CONFIG_N_CLASSES;
    while (i < GCAL_CONFIG_N_CLASSES && strcmp(class_names[i], text) != 0)
        i++;
    return (enum gcal_config_class)i;
}

static int read_cost(const struct gcal_yaml *node, const struct gcal_expr_names *names,
                     struct gcal_config_cost *cost, struct gcal_error *err)
{
    const char *text = gcal_yaml_text(node, "an item of a cost group", err);
    struct gcal_error why = { 0 };

    if (!text)
        return -1;
    cost->node = node;
    cost->class = class_of(text, names);
    if (cost->class != GCAL_CONFIG_N_CLASSES)
        return 0;
    if (is_word(text) && !gcal_expr_names_has(names, text))
        return gcal_yaml_error(node, err,
                               "'%.60s' is neither a feature class%s nor in "
                               "'expressions'",
                               text, gcal_similar_hint(text, class_names).text);
    if (!(cost->expression = gcal_expr_names_resolve(names, text, &why)))
        return gcal_yaml_error(node, err, "%s", why.text);
    return 0;
}

/* ---- groups ---- */

static int read_group(const struct gcal_yaml *key, const struct gcal_yaml *list,
                      const struct gcal_expr_names *names,
                      struct gcal_config_cost_group *group, struct gcal_error *err)
{
    if (!gcal_config_need_list(list, "costs", err))
        return -1;
    if (!list->n_items)
        return gcal_yaml_error(list, err, "the group '%.60s' is empty", key->text);
    group->node = list;
    group->name = strdup(key->text);
    group->costs = calloc(list->n_items, sizeof(*group->costs));
    if (!group->name || !group->costs)
        return gcal_error_memory(err);
    for (size_t i = 0; i < list->n_items; i++) {
        group->n_costs++;
        if (read_cost(list->items[i], names, &group->costs[i], err) < 0)
            return -1;
    }
    return 0;
}

/* Only the tailored form does without groups. */
static int check_absence(const struct gcal_config_model *m, struct gcal_error *err)
{
    for (size_t i = 0; i < m->n_forms; i++)
        if (!m->forms[i].tailored)
            return gcal_yaml_error(m->forms[i].node, err,
                                   "the form '%s' needs 'groups' of costs",
                                   m->forms[i].name);
    return 0;
}

static int read_overhead(struct gcal_config_model *m, struct gcal_error *err)
{
    const struct gcal_yaml *overhead = gcal_config_find(m->node, "overhead");

    if (!overhead)
        return 0;
    if (!(m->overhead = calloc(1, sizeof(*m->overhead))))
        return gcal_error_memory(err);
    return read_cost(overhead, m->names, m->overhead, err);
}

int gcal_config_read_groups(struct gcal_config_model *m, struct gcal_error *err)
{
    const struct gcal_yaml *groups = gcal_config_find(m->node, "groups");

    if (!groups && check_absence(m, err) < 0)
        return -1;
    if (groups && groups->kind != GCAL_YAML_MAP)
        return gcal_yaml_error(groups, err,
                               "groups: expected a map of name: [costs], e.g. {memory: "
                               "[memory_parts], onchip: [onchip_parts]}");
    if (groups && !(m->groups = calloc(groups->n_items + 1, sizeof(*m->groups))))
        return gcal_error_memory(err);
    for (size_t i = 0; groups && i < groups->n_items; i++)
        if (read_group(groups->keys[i], groups->items[i], m->names,
                       &m->groups[m->n_groups++], err) < 0)
            return -1;
    return read_overhead(m, err);
}
