/* A model's forms: one expression, several by name, or ready ones of cost groups */
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/yaml.h"
#include "calib/config/private.h"
#include "calib/model/form.h"
#include "calib/model/expr_names.h"

/* Appends a form, for which there is room; complaints stand at 'node'. */
static int add_form(struct gcal_config_model_reader *r, const char *name,
                    const char *expression, const struct gcal_yaml *node,
                    struct gcal_error *err)
{
    struct gcal_config_form *form = &r->m->forms[r->m->n_forms];
    struct gcal_error why = { 0 };

    form->model = gcal_model_create(r->name, r->output, expression, &why);
    if (!form->model)
        return gcal_yaml_error(node, err, "model '%.60s': %s", r->name, why.text);
    form->tailored = strcmp(name, GCAL_CONFIG_FORM_TAILORED) == 0;
    form->name = strdup(name);
    r->m->n_forms++;
    r->m->model = r->m->forms[0].model;
    return form->name ? 0 : gcal_error_memory(err);
}

/* An expression as the user wrote it. */
static int add_written_form(struct gcal_config_model_reader *r, const char *name,
                            const struct gcal_yaml *node, struct gcal_error *err)
{
    const char *text = gcal_yaml_text(node, "expression", err);
    struct gcal_error why = { 0 };
    char *resolved;
    int rc;

    if (!text)
        return -1;
    if (!(resolved = gcal_expr_names_resolve(r->names, text, &why)))
        return gcal_yaml_error(node, err, "model '%.60s': %s", r->name, why.text);
    rc = add_form(r, name, resolved, node, err);
    free(resolved);
    return rc;
}

/* NULL-ended names of ready forms, the tailored one among them; free the array. */
static const char **form_names(struct gcal_error *err)
{
    const char *const *ready = gcal_form_names(), **names;
    size_t n = 0;

    while (ready[n])
        n++;
    if (!(names = calloc(n + 2, sizeof(*names)))) {
        gcal_error_memory(err);
        return NULL;
    }
    memcpy(names, ready, n * sizeof(*names));
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
    near = gcal_yaml_nearest(item->text, known);
    if (strcmp(near, item->text) != 0)
        rc = gcal_yaml_error(item, err, "there is no form '%.60s' (did you mean '%s'?)",
                             item->text, near);
    for (size_t k = 0; k < i && rc == 0; k++)
        if (strcmp(list->items[k]->text, item->text) == 0)
            rc =
                gcal_yaml_error(item, err, "the form '%s' stands here twice", item->text);
    free(known);
    return rc;
}

/* A parameter that the form adds has a range of its own. */
static void set_form_parameters(const char *form, struct gcal_model *model)
{
    size_t n;
    const struct gcal_form_parameter *added = gcal_form_parameters(form, &n);

    for (size_t i = 0; i < n; i++) {
        struct gcal_model_parameter *p = gcal_model_parameter_find(model, added[i].name);
        char *unit = p ? strdup(added[i].unit) : NULL;

        if (!unit)
            continue; /* the form does without: it has one group only */
        free(p->unit);
        p->unit = unit;
        p->initial = added[i].initial;
        p->min = added[i].min;
        p->max = added[i].max;
    }
}

static int add_ready_form(struct gcal_config_model_reader *r,
                          const struct gcal_yaml *item, struct gcal_error *err)
{
    bool tailored = strcmp(item->text, GCAL_CONFIG_FORM_TAILORED) == 0;
    struct gcal_error why = { 0 };
    char *text = tailored
                     ? gcal_config_tailored_expression(&r->kernels.predicted,
                                                       r->costs.overhead, &why)
                     : gcal_form_expression(item->text, r->costs.n_groups,
                                            r->costs.groups, r->costs.overhead, &why);
    int rc;

    if (!text)
        return gcal_yaml_error(item, err, "model '%.60s', form '%s': %s", r->name,
                               item->text, why.text);
    rc = add_form(r, item->text, text, item, err);
    if (rc == 0)
        set_form_parameters(item->text, r->m->forms[r->m->n_forms - 1].model);
    free(text);
    return rc;
}

/* 'forms: [..]': ready ones, of cost groups. */
static int add_ready_forms(struct gcal_config_model_reader *r,
                           const struct gcal_yaml *list, struct gcal_error *err)
{
    for (size_t i = 0; i < list->n_items; i++)
        if (check_form_name(list, i, err) < 0)
            return -1;
    if (gcal_config_costs_read(r->node, r->names, &r->kernels, &r->costs, err) < 0)
        return -1;
    for (size_t i = 0; i < list->n_items; i++)
        if (add_ready_form(r, list->items[i], err) < 0)
            return -1;
    return 0;
}

/* 'forms: {name: expression}': all written out. */
static int add_written_forms(struct gcal_config_model_reader *r,
                             const struct gcal_yaml *map, struct gcal_error *err)
{
    for (size_t i = 0; i < map->n_items; i++)
        if (add_written_form(r, map->keys[i]->text, map->items[i], err) < 0)
            return -1;
    return 0;
}

int gcal_config_forms_read(struct gcal_config_model_reader *r, struct gcal_error *err)
{
    const struct gcal_yaml *forms = gcal_config_find(r->node, "forms");
    const struct gcal_yaml *expression = gcal_config_find(r->node, "expression");

    if (!(r->m->forms = calloc(forms ? forms->n_items + 1 : 1, sizeof(*r->m->forms))))
        return gcal_error_memory(err);
    if (expression)
        return add_written_form(r, GCAL_CONFIG_FORM_EXPRESSION, expression, err);
    return forms->kind == GCAL_YAML_MAP ? add_written_forms(r, forms, err)
                                        : add_ready_forms(r, forms, err);
}

int gcal_config_forms_check(const struct gcal_config_model_reader *r,
                            struct gcal_error *err)
{
    const struct gcal_yaml *forms = gcal_config_find(r->node, "forms");
    const struct gcal_yaml *expression = gcal_config_find(r->node, "expression");
    const struct gcal_yaml *groups = gcal_config_find(r->node, "groups");
    bool ready = forms && forms->kind == GCAL_YAML_LIST;

    if (!forms && !expression)
        return gcal_yaml_error(r->node, err,
                               "model '%.60s' has neither an 'expression' nor 'forms'",
                               r->name);
    if (forms && expression)
        return gcal_yaml_error(forms, err,
                               "model '%.60s' has an 'expression' already: 'forms' "
                               "stands in its place",
                               r->name);
    if (forms && forms->kind == GCAL_YAML_SCALAR)
        return gcal_yaml_error(forms, err,
                               "forms: expected a list of ready forms or a map of "
                               "name: expression");
    if (forms && !forms->n_items)
        return gcal_yaml_error(forms, err, "forms: there is none");
    if (groups && !ready)
        return gcal_yaml_error(groups, err, "groups are for ready forms: 'forms: [..]'");
    if (!ready && gcal_config_find(r->node, "overhead"))
        return gcal_yaml_error(gcal_config_find(r->node, "overhead"), err,
                               "an overhead is for ready forms: 'forms: [..]'");
    return 0;
}
