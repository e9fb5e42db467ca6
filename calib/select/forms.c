/* forms.c - built-in forms: one time from the groups of a model's costs */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "calib/select/private.h"

/* The group of the launch of work-groups never overlaps. */
static bool is_launch(const struct gcal_select_group *group)
{
    return strcmp(group->name, "launch") == 0;
}

/* All but launches, "(M) + (C) + ..", from the 'first' one on. */
static void put_work(struct gcal_buf *text, const struct gcal_select_costs *costs,
                     size_t first)
{
    const char *before = "";
    size_t n = 0;

    for (size_t i = 0; i < costs->n_groups; i++)
        if (!is_launch(&costs->groups[i]) && n++ >= first) {
            gcal_buf_printf(text, "%s(%s)", before, costs->groups[i].expression);
            before = " + ";
        }
}

/* With M the first group, C, D, .. the others, L that of launches and o the overhead (Stevens and
 * Kloeckner 2020, equations 5 to 8; with a relative argument of the step, see expr.h):
 *
 *   linear      M + C + .. + L + o
 *   overlap     overlap(M, C + .., p_edge) + L + o
 */
static int create(struct gcal_config_model *m, struct gcal_config_form *form,
                  const struct gcal_select_costs *costs, struct gcal_error *err)
{
    const bool overlaps = strcmp(form->name, GCAL_CONFIG_FORM_OVERLAP) == 0;
    struct gcal_buf text = { 0 };
    struct gcal_model_parameter *edge;
    size_t n_work = 0;

    for (size_t i = 0; i < costs->n_groups; i++)
        n_work += !is_launch(&costs->groups[i]);
    if (overlaps && n_work < 2)
        return gcal_error_set(
            err, GCAL_EINPUT,
            "it needs at least 2 groups of costs beside 'launch', there "
            "%s %zu; the form linear takes any",
            n_work == 1 ? "is" : "are", n_work);
    if (overlaps) {
        for (size_t i = 0; i < costs->n_groups && !text.size; i++)
            if (!is_launch(&costs->groups[i]))
                gcal_buf_printf(&text, "overlap((%s), ", costs->groups[i].expression);
        put_work(&text, costs, 1);
        gcal_buf_puts(&text, ", " GCAL_SELECT_EDGE ")");
    } else {
        put_work(&text, costs, 0);
    }
    for (size_t i = 0; i < costs->n_groups; i++)
        if (is_launch(&costs->groups[i]))
            gcal_buf_printf(&text, "%s(%s)", text.size ? " + " : "",
                            costs->groups[i].expression);
    if (costs->overhead)
        gcal_buf_printf(&text, " + %s", costs->overhead);
    form->model = gcal_config_own(
        m, gcal_model_create(m->name, m->output, gcal_arena_take(m->arena, &text), err));
    if (!form->model)
        return -1;
    if (overlaps && (edge = gcal_model_parameter_find(form->model, GCAL_SELECT_EDGE))) {
        free(edge->unit);
        if (!(edge->unit = strdup("1")))
            return gcal_error_memory(err);
        edge->initial = 8;
        edge->min = 1;
        edge->max = 64;
    }
    return 0;
}

int gcal_select_forms(struct gcal_config_model *m, const struct gcal_select_costs *costs,
                      struct gcal_error *err)
{
    for (size_t i = 0; i < m->n_forms; i++) {
        struct gcal_config_form *form = &m->forms[i];
        struct gcal_error why = { 0 };

        if (!form->model && create(m, form, costs, &why) < 0)
            return gcal_yaml_error(form->node, err, "model '%.60s', form '%s': %s",
                                   m->name, form->name, why.text);
    }
    return 0;
}
