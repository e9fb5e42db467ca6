/* forms.c - a model's forms: one expression, several by name, or built-in ones */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/similar.h"
#include "kernels/base/yaml.h"
#include "calib/config/private.h"
#include "kernels/model/form.h"

/* The name of the only form of a model with an expression. */
#define FORM_EXPRESSION "expression"

/* Appends a form, for which there is room. */
static struct gcal_config_form *add_form(struct gcal_config_model *m, const char *name,
                                         const struct gcal_yaml *node,
                                         struct gcal_error *err)
{
    struct gcal_config_form *form = &m->forms[m->n_forms++];

    form->node = node;
    form->tailored = strcmp(name, GCAL_CONFIG_FORM_TAILORED) == 0;
    if ((form->name = strdup(name)))
        return form;
    gcal_error_memory(err);
    return NULL;
}

/* A form with its expression. */
static int add_written_form(struct gcal_config_model *m, const char *name,
                            const struct gcal_yaml *node, struct gcal_error *err)
{
    const char *text = gcal_yaml_text(node, "expression", err);
    struct gcal_config_form *form;
    struct gcal_error why = { 0 };

    if (!text || !(form = add_form(m, name, node, err)))
        return -1;
    if (!(form->model = gcal_model_create_with(m->name, m->output, text, m->names, &why)))
        return gcal_yaml_error(node, err, "model '%.60s': %s", m->name, why.text);
    return 0;
}

/* ---- built-in forms ---- */

/* NULL-ended names of built-in forms, the tailored one among them; free the array. */
static const char **form_names(struct gcal_error *err)
{
    const char **names;
    size_t n = 0;

    while (gcal_form_name(n))
        n++;
    if (!(names = calloc(n + 2, sizeof(*names)))) {
        gcal_error_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        names[i] = gcal_form_name(i);
    names[n] = GCAL_CONFIG_FORM_TAILORED;
    return names;
}

static int check_form_name(const struct gcal_yaml *list, size_t i, struct gcal_error *err)
{
    const struct gcal_yaml *item = list->items[i];
    const char **known, *near;
    int rc = 0;

    if (!gcal_yaml_text(item, "a form", err) || !(known = form_names(err)))
        return -1;
    near = gcal_similar(item->text, known);
    if (!near || strcmp(near, item->text) != 0)
        rc = gcal_yaml_error(item, err, "no form '%.60s'%s", item->text,
                             gcal_similar_hint(item->text, known).text);
    for (size_t k = 0; k < i && rc == 0; k++)
        if (strcmp(list->items[k]->text, item->text) == 0)
            rc = gcal_yaml_error(item, err, "the form '%s' is listed twice", item->text);
    free(known);
    return rc;
}

static int add_built_in_forms(struct gcal_config_model *m, const struct gcal_yaml *list,
                              struct gcal_error *err)
{
    for (size_t i = 0; i < list->n_items; i++)
        if (check_form_name(list, i, err) < 0 ||
            !add_form(m, list->items[i]->text, list->items[i], err))
            return -1;
    return gcal_config_read_groups(m, err);
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
    if (!(m->forms = calloc(forms ? forms->n_items : 1, sizeof(*m->forms))))
        return gcal_error_memory(err);
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
