/* forms.c - built-in forms of a model's costs */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/form.h"
#include "calib/select/private.h"

static int set_parameter(struct gcal_model_parameter *p,
                         const struct gcal_form_parameter *added, struct gcal_error *err)
{
    char *unit = strdup(added->unit);

    if (!unit)
        return gcal_error_memory(err);
    free(p->unit);
    p->unit = unit;
    p->initial = added->initial;
    p->min = added->min;
    p->max = added->max;
    return 0;
}

/* The parameters that a form adds have ranges of their own. */
static int set_form_parameters(const char *form, struct gcal_model *model,
                               struct gcal_error *err)
{
    size_t n;
    const struct gcal_form_parameter *added = gcal_form_parameters(form, &n);

    /* The form has no use for some of them if there is one group only. */
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < model->n_parameters; k++)
            if (gcal_form_parameter_is(&added[i], model->parameters[k].name) &&
                set_parameter(&model->parameters[k], &added[i], err) < 0)
                return -1;
    return 0;
}

static int create(const struct gcal_config_model *m, struct gcal_config_form *form,
                  const struct gcal_select_sources *sources,
                  const struct gcal_select_costs *costs, struct gcal_error *err)
{
    char *text =
        form->tailored
            ? gcal_select_tailored_expression(&sources->targets, costs->overhead, err)
            : gcal_form_expression(form->name, costs->n_groups, costs->groups,
                                   costs->overhead, err);

    if (!text)
        return gcal_error_prefix(err, "model '%.60s', form '%s'", m->name, form->name);
    form->model = gcal_model_create(m->name, m->output, text, err);
    free(text);
    if (!form->model)
        return gcal_error_prefix(err, "model '%.60s'", m->name);
    return set_form_parameters(form->name, form->model, err);
}

int gcal_select_forms(struct gcal_config_model *m,
                      const struct gcal_select_sources *sources,
                      const struct gcal_select_costs *costs, struct gcal_error *err)
{
    for (size_t i = 0; i < m->n_forms; i++) {
        struct gcal_error why = { 0 };

        if (!m->forms[i].model && create(m, &m->forms[i], sources, costs, &why) < 0)
            return gcal_yaml_error(m->forms[i].node, err, "%s", why.text);
    }
    return 0;
}
