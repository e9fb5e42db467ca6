/* forms.c - a model's forms: one expression, several by name, or built-in ones */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/similar.h"
#include "kernels/base/yaml.h"
#include "calib/config/private.h"
#include "kernels/model/named_expr.h"

GCAL_ARENA_DESTROYER(destroy_model, gcal_model_destroy)

struct gcal_model *gcal_config_own(const struct gcal_config_model *m,
                                   struct gcal_model *model)
{
    return gcal_arena_own(m->arena, model, destroy_model);
}

/* The name of the only form of a model with an expression. */
#define FORM_EXPRESSION "expression"

/* Appends a form, for which there is room. */
static struct gcal_config_form *add_form(struct gcal_config_model *m, const char *name,
                                         const struct gcal_yaml *node)
{
    struct gcal_config_form *form = &m->forms[m->n_forms++];

    form->node = node;
    form->name = gcal_arena_strdup(m->arena, name);
    return form;
}

/* A form with its expression. */
static int add_written_form(struct gcal_config_model *m, const char *name,
                            const struct gcal_yaml *node, struct gcal_error *err)
{
    const char *text = gcal_yaml_text(node, "expression", err);
    struct gcal_config_form *form;
    struct gcal_error why = { 0 };

    if (!text)
        return -1;
    form = add_form(m, name, node);
    form->model = gcal_config_own(
        m, gcal_model_create_with(m->name, m->output, text, m->names, &why));
    if (!form->model)
        return gcal_yaml_error(node, err, "model '%.60s': %s", m->name, why.text);
    return 0;
}

/* ---- costs of built-in forms: expressions and feature classes, in groups ---- */

/* NULL-ended. */
static const char *const class_names[GCAL_CONFIG_N_CLASSES + 1] = {
    [GCAL_CONFIG_CLASS_GLOBAL_ACCESSES] = "global_accesses",
    [GCAL_CONFIG_CLASS_LOCAL_ACCESSES] = "local_accesses",
    [GCAL_CONFIG_CLASS_OPERATIONS] = "operations",
    [GCAL_CONFIG_CLASS_BARRIERS] = "barriers",
    [GCAL_CONFIG_CLASS_WORK_GROUPS] = "work_groups",
    [GCAL_CONFIG_CLASS_LAUNCHES] = "launches",
};

/* A word is a class or a named expression, which hides classes; anything else is an expression. */
static int read_cost(const struct gcal_config_model *m, const struct gcal_yaml *node,
                     struct gcal_config_cost *cost, struct gcal_error *err)
{
    const char *text = gcal_yaml_text(node, "an item of a cost group", err);
    bool named = text && gcal_expr_names_has(m->names, text), is_word;
    struct gcal_error why = { 0 };
    int class = 0;

    if (!text)
        return -1;
    cost->node = node;
    while (class < GCAL_CONFIG_N_CLASSES &&
           (named || strcmp(class_names[class], text) != 0))
        class ++;
    cost->class = (enum gcal_config_class) class;
    if (cost->class != GCAL_CONFIG_N_CLASSES)
        return 0;
    is_word = strncmp(text, "p_", 2) != 0 && strncmp(text, "f_", 2) != 0;
    for (const char *c = text; *c; c++)
        is_word = is_word && (isalnum((unsigned char)*c) || *c == '_');
    if (is_word && !named)
        return gcal_yaml_error(node, err,
                               "'%.60s' is neither a feature class%s nor in "
                               "'expressions'",
                               text, gcal_similar_hint(text, class_names).text);
    cost->expression =
        gcal_arena_own(m->arena, gcal_expr_names_resolve(m->names, text, &why), free);
    return cost->expression ? 0 : gcal_yaml_error(node, err, "%s", why.text);
}

static int read_group(const struct gcal_config_model *m, const struct gcal_yaml *key,
                      const struct gcal_yaml *list, struct gcal_config_cost_group *group,
                      struct gcal_error *err)
{
    if (!gcal_config_need_list(list, "costs", err))
        return -1;
    if (!list->n_items)
        return gcal_yaml_error(list, err, "the group '%.60s' is empty", key->text);
    group->node = list;
    group->name = gcal_arena_strdup(m->arena, key->text);
    group->n_costs = list->n_items;
    group->costs = gcal_arena_alloc(m->arena, list->n_items, sizeof(*group->costs));
    for (size_t i = 0; i < list->n_items; i++)
        if (read_cost(m, list->items[i], &group->costs[i], err) < 0)
            return -1;
    return 0;
}

/* ---- built-in forms ---- */

static int add_built_in_forms(struct gcal_config_model *m, const struct gcal_yaml *list,
                              struct gcal_error *err)
{
    static const char *const known[] = { "linear", GCAL_CONFIG_FORM_OVERLAP, NULL };

    for (size_t i = 0; i < list->n_items; i++) {
        const struct gcal_yaml *item = list->items[i];

        if (!gcal_yaml_text(item, "a form", err))
            return -1;
        if (strcmp(item->text, known[0]) != 0 && strcmp(item->text, known[1]) != 0)
            return gcal_yaml_error(
                item, err,
                "no form '%.60s': there are linear and overlap, and any "
                "other is an 'expression'",
                item->text);
        for (size_t k = 0; k < i; k++)
            if (strcmp(list->items[k]->text, item->text) == 0)
                return gcal_yaml_error(item, err, "the form '%s' is listed twice",
                                       item->text);
        add_form(m, item->text, item);
    }
    /* groups and overhead of m->node. */
    const struct gcal_yaml *groups = gcal_config_find(m->node, "groups");
    const struct gcal_yaml *overhead = gcal_config_find(m->node, "overhead");
    if (!groups)
        return gcal_yaml_error(m->forms[0].node, err,
                               "the form '%s' needs 'groups' of costs", m->forms[0].name);
    if (groups->kind != GCAL_YAML_MAP)
        return gcal_yaml_error(groups, err,
                               "groups: expected a map of name: [costs], e.g. {memory: "
                               "[global_accesses], onchip: [operations]}");
    if (!groups->n_items)
        return gcal_yaml_error(groups, err, "groups: expected at least one");
    m->groups = gcal_arena_alloc(m->arena, groups->n_items, sizeof(*m->groups));
    for (size_t i = 0; i < groups->n_items; i++)
        if (read_group(m, groups->keys[i], groups->items[i], &m->groups[m->n_groups++],
                       err) < 0)
            return -1;
    if (!overhead)
        return 0;
    m->overhead = gcal_arena_alloc(m->arena, 1, sizeof(*m->overhead));
    return read_cost(m, overhead, m->overhead, err);
}

/* ---- keys ---- */

/* Keys that exclude or need each other. */
static int check_keys(const struct gcal_config_model *m, const struct gcal_yaml *forms,
                      const struct gcal_yaml *expression, struct gcal_error *err)
{
    const struct gcal_yaml *groups = gcal_config_find(m->node, "groups");
    bool built_in = forms && forms->kind == GCAL_YAML_LIST;

    if (!forms && !expression)
        return gcal_yaml_error(m->node, err,
                               "model '%.60s' has neither an 'expression' nor 'forms'",
                               m->name);
    if (forms && expression)
        return gcal_yaml_error(forms, err,
                               "model '%.60s' already has an 'expression', which "
                               "excludes 'forms'",
                               m->name);
    if (forms && forms->kind == GCAL_YAML_SCALAR)
        return gcal_yaml_error(forms, err,
                               "forms: expected a list of built-in forms or a map of "
                               "name: expression");
    if (forms && !forms->n_items)
        return gcal_yaml_error(forms, err, "forms: expected at least one");
    if (groups && !built_in)
        return gcal_yaml_error(groups, err,
                               "groups are for built-in forms: 'forms: [..]'");
    if (!built_in && gcal_config_find(m->node, "overhead"))
        return gcal_yaml_error(gcal_config_find(m->node, "overhead"), err,
                               "an overhead is for built-in forms: 'forms: [..]'");
    return 0;
}

int gcal_config_read_forms(struct gcal_config_model *m, struct gcal_error *err)
{
    const struct gcal_yaml *forms = gcal_config_find(m->node, "forms");
    const struct gcal_yaml *expression = gcal_config_find(m->node, "expression");

    if (check_keys(m, forms, expression, err) < 0)
        return -1;
    m->forms = gcal_arena_alloc(m->arena, forms ? forms->n_items : 1, sizeof(*m->forms));
    if (expression)
        return add_written_form(m, FORM_EXPRESSION, expression, err);
    if (forms->kind == GCAL_YAML_LIST)
        return add_built_in_forms(m, forms, err);
    m->written_out = true;
    for (size_t i = 0; i < forms->n_items; i++)
        if (add_written_form(m, forms->keys[i]->text, forms->items[i], err) < 0)
            return -1;
    return 0;
}
