/* model.c - the configuration of a learned kernel */
#include <stdlib.h>

#include "kernels/base/yaml.h"
#include "calib/config/config.h"
#include "kernels/model/form.h"
#include "mpi/commands/learn/private.h"

static bool has_cost_of(const struct gcal_config_cost_group *group,
                        enum gcal_config_class class)
{
    for (size_t i = 0; i < group->n_costs; i++)
        if (group->costs[i].class == class)
            return true;
    return false;
}

/* Groups of launches, and of components that the kernel has. */
static bool is_kept(const struct gcal_config_cost_group *g, const bool *derived)
{
    bool has_class = false;

    for (size_t i = 0; i < g->n_costs; i++)
        has_class = has_class || g->costs[i].class != GCAL_CONFIG_N_CLASSES;
    return has_class &&
           (derived[GCAL_KERNEL_MEMORY] ||
            !has_cost_of(g, GCAL_CONFIG_CLASS_MEMORY_COMPONENTS)) &&
           (derived[GCAL_KERNEL_ONCHIP] ||
            !has_cost_of(g, GCAL_CONFIG_CLASS_ONCHIP_COMPONENTS));
}

/* Returns whether a form can combine the groups that are kept. */
static bool is_possible(const struct gcal_config_model *m, const char *form,
                        const bool *derived)
{
    enum { MOST_GROUPS = 16 };
    struct gcal_form_cost_group groups[MOST_GROUPS];
    size_t n = 0;
    char *text;

    for (size_t i = 0; i < m->n_groups && n < MOST_GROUPS; i++)
        if (is_kept(&m->groups[i], derived))
            groups[n++] =
                (struct gcal_form_cost_group){ .name = m->groups[i].name,
                                               .expression = "p_cost * f_work_items" };
    text = gcal_form_expression(form, n, groups, NULL, NULL);
    free(text);
    return text != NULL;
}

/* Without components that could not be derived, only the form that is fitted to the kernel
 * itself is left.
 */
static void write_forms(struct gcal_yaml_writer *w, const struct gcal_config_model *m,
                        const bool *derived)
{
    bool components = derived[GCAL_KERNEL_MEMORY] || derived[GCAL_KERNEL_ONCHIP];

    gcal_yaml_write_text(w, "forms");
    gcal_yaml_write_flow_list(w);
    for (size_t i = 0; i < m->n_forms; i++)
        if (components && is_possible(m, m->forms[i].name, derived))
            gcal_yaml_write_text(w, m->forms[i].name);
    gcal_yaml_write_text(w, GCAL_CONFIG_FORM_TAILORED);
    gcal_yaml_write_end_list(w);
}

/* Feature classes alone: expressions are of kernels that are not measured here. */
static void write_groups(struct gcal_yaml_writer *w, const struct gcal_config_model *m,
                         const bool *derived)
{
    gcal_yaml_write_text(w, "groups");
    gcal_yaml_write_map(w);
    for (size_t i = 0; i < m->n_groups; i++) {
        const struct gcal_config_cost_group *group = &m->groups[i];

        if (!is_kept(group, derived))
            continue;
        gcal_yaml_write_text(w, group->name);
        gcal_yaml_write_flow_list(w);
        for (size_t k = 0; k < group->n_costs; k++)
            if (group->costs[k].class != GCAL_CONFIG_N_CLASSES)
                gcal_yaml_write_text(w, gcal_config_class_name(group->costs[k].class));
        gcal_yaml_write_end_list(w);
    }
    gcal_yaml_write_end_map(w);
}

/* ---- kernels ---- */

static void write_tags(struct gcal_yaml_writer *w, size_t n, char *const *tags)
{
    gcal_yaml_write_map(w);
    gcal_yaml_write_text(w, "tags");
    gcal_yaml_write_flow_list(w);
    for (size_t i = 0; i < n; i++)
        gcal_yaml_write_text(w, tags[i]);
    gcal_yaml_write_end_list(w);
    gcal_yaml_write_end_map(w);
}

static int write_points(struct gcal_yaml_writer *w, const struct gcal_learning *l,
                        enum gcal_kernel_form form, struct gcal_error *err)
{
    for (size_t i = 0; i < l->points.n; i++) {
        struct gcal_strings tags = { 0 };
        int rc = gcal_own_kernel_tags(
            &l->own, form, l->points.values + i * l->points.n_sizes, &tags, err);

        if (rc == 0)
            write_tags(w, tags.n, tags.items);
        gcal_strings_clear(&tags);
        if (rc < 0)
            return -1;
    }
    return 0;
}

static int write_model(struct gcal_yaml_writer *w, const struct gcal_learning *l,
                       const struct gcal_config_model *m, struct gcal_error *err)
{
    static const char *const kinds[] = { "gpu", "accelerator", "cpu" };
    const bool *derived = l->description.derived;
    int rc;

    gcal_yaml_write_map(w);
    gcal_yaml_put_text(w, "name", l->own.model);
    gcal_yaml_put_text(w, "output", m->output);
    write_forms(w, m, derived);
    if (derived[GCAL_KERNEL_MEMORY] || derived[GCAL_KERNEL_ONCHIP])
        write_groups(w, m, derived);
    if (m->overhead)
        gcal_yaml_put_text(w, "overhead",
                           m->overhead->class == GCAL_CONFIG_N_CLASSES
                               ? m->overhead->expression
                               : gcal_config_class_name(m->overhead->class));
    gcal_yaml_write_text(w, "tailored");
    gcal_yaml_write_flow_list(w);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        gcal_yaml_write_text(w, kinds[i]);
    gcal_yaml_write_end_list(w);
    gcal_yaml_write_text(w, "predicts");
    gcal_yaml_write_list(w);
    rc = write_points(w, l, GCAL_KERNEL_COMPLETE, err);
    gcal_yaml_write_end_list(w);
    gcal_yaml_write_text(w, "kernels");
    gcal_yaml_write_list(w);
    for (size_t i = 0; i < m->n_tag_sets; i++)
        write_tags(w, m->tag_sets[i].n_tags, m->tag_sets[i].tags);
    for (int form = 0; form < GCAL_KERNEL_N_FORMS && rc == 0; form++)
        if (derived[form])
            rc = write_points(w, l, (enum gcal_kernel_form)form, err);
    gcal_yaml_write_end_list(w);
    gcal_yaml_write_end_map(w);
    return rc;
}

const char *gcal_learn_configuration(const struct gcal_learning *l,
                                     struct gcal_error *err)
{
    struct gcal_config template = { 0 };
    struct gcal_yaml_writer *w = NULL;
    char *text = NULL;
    int rc = gcal_config_parse(gcal_learn_template->text, gcal_learn_template->size,
                               gcal_learn_template->name, &template, err);

    if (rc == 0 && (w = gcal_yaml_writer_create(err))) {
        gcal_yaml_write_map(w);
        gcal_yaml_put_integer(w, "version", 1);
        gcal_yaml_write_text(w, "measure");
        gcal_yaml_write_map(w);
        gcal_yaml_put_number(w, "budget_s", l->c->budget_s > 0 ? l->c->budget_s : 60);
        gcal_yaml_put_number(w, "min_time_s", template.measure.min_time_s);
        gcal_yaml_put_number(w, "max_time_s", template.measure.max_time_s);
        gcal_yaml_put_integer(w, "min_samples", template.measure.min_samples);
        gcal_yaml_put_integer(w, "max_samples", template.measure.max_samples);
        gcal_yaml_put_number(w, "noise", template.measure.noise);
        gcal_yaml_put_number(w, "kernel_limit_s", template.measure.kernel_limit_s);
        gcal_yaml_put_integer(w, "seed", template.measure.seed);
        gcal_yaml_write_end_map(w);
        gcal_yaml_write_text(w, "models");
        gcal_yaml_write_list(w);
        rc = write_model(w, l, template.models, err);
        gcal_yaml_write_end_list(w);
        gcal_yaml_write_end_map(w);
        text = gcal_arena_own(
            l->arena, gcal_yaml_writer_finish(w, NULL, rc < 0 ? NULL : err), free);
    }
    gcal_config_clear(&template);
    return rc < 0 ? NULL : text;
}
