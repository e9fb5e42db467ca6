/* One model of a configuration: its forms, its kernels, what is known beforehand. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/base/yaml.h"
#include "calib/config/private.h"

/* The value of a key that must be there. */
static const char *need_text(const struct gcal_yaml *map, const char *key,
                             struct gcal_error *err)
{
    const struct gcal_yaml *node = gcal_config_find(map, key);

    if (node)
        return gcal_yaml_text(node, key, err);
    gcal_yaml_error(map, err, "the model has no '%s'", key);
    return NULL;
}

/* Names stand in comma-separated lists and on command lines. */
static int check_name(const struct gcal_yaml *node, const struct gcal_config *config,
                      const char *name, struct gcal_error *err)
{
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_-.", *c))
            return gcal_yaml_error(node, err,
                                   "model name '%.60s': only letters, digits, '_', '-' "
                                   "and '.' are allowed",
                                   name);
    if (!*name)
        return gcal_yaml_error(node, err, "a model's name is empty");
    for (size_t i = 0; i < config->n_models; i++)
        if (strcmp(config->models[i].model->name, name) == 0)
            return gcal_yaml_error(node, err, "two models are called '%s'", name);
    return 0;
}

/* ---- forms ---- */

/* 'key' lists device types that measure predicted kernels. */
static int check_kinds(const struct gcal_config_model_reader *r, const char *key,
                       struct gcal_error *err)
{
    const struct gcal_yaml *kinds = gcal_config_find(r->node, key);

    if (kinds && !r->m->n_targets)
        return gcal_yaml_error(
            kinds, err, "%s: there are no kernels in 'predicts' to be measured", key);
    return 0;
}

/* Once forms are known. */
static int check_measured(const struct gcal_config_model_reader *r,
                          struct gcal_error *err)
{
    const struct gcal_config_model *m = r->m;

    if (check_kinds(r, "tailored", err) < 0 || check_kinds(r, "checked", err) < 0)
        return -1;
    for (size_t i = 0; i < m->n_forms; i++)
        if (m->forms[i].tailored && !m->n_tailored)
            return gcal_yaml_error(gcal_config_find(r->node, "forms"), err,
                                   "the form 'tailored' is fitted to the kernels in "
                                   "'predicts' on the device types of 'tailored', which "
                                   "is missing");
    return 0;
}

/* ---- parameters ---- */

static int read_parameter(struct gcal_config_model_reader *r, const struct gcal_yaml *key,
                          const struct gcal_yaml *node, struct gcal_error *err)
{
    bool found = false;

    for (size_t i = 0; i < r->m->n_forms; i++) {
        struct gcal_model_parameter *p =
            gcal_model_parameter_find(r->m->forms[i].model, key->text);

        if (p && gcal_model_parameter_decode(node, p, err) < 0)
            return -1;
        found = found || p;
    }
    if (!found)
        return gcal_yaml_error(key, err, "'%.100s' is not in the expression%s", key->text,
                               r->m->n_forms > 1 ? " of any form" : "");
    return 0;
}

static int read_parameters(struct gcal_config_model_reader *r, struct gcal_error *err)
{
    const struct gcal_yaml *map = gcal_config_find(r->node, "parameters");

    if (!map)
        return 0;
    if (map->kind != GCAL_YAML_MAP)
        return gcal_yaml_error(map, err, "parameters: expected a map");
    for (size_t i = 0; i < map->n_items; i++)
        if (read_parameter(r, map->keys[i], map->items[i], err) < 0)
            return -1;
    return 0;
}

/* ---- kernels ---- */

static int read_tag_sets(struct gcal_config_model_reader *r, struct gcal_error *err)
{
    const struct gcal_yaml *kernels = gcal_config_find(r->node, "kernels");
    const struct gcal_yaml *targets = gcal_config_find(r->node, "predicts");
    const struct gcal_yaml *tailored = gcal_config_find(r->node, "tailored");
    const struct gcal_yaml *checked = gcal_config_find(r->node, "checked");
    struct gcal_config_model *m = r->m;

    if (kernels && gcal_config_read_tag_sets(kernels, "kernels", r->catalogue,
                                             &m->tag_sets, &m->n_tag_sets, err) < 0)
        return -1;
    if (targets && gcal_config_read_tag_sets(targets, "predicted kernels", r->catalogue,
                                             &m->targets, &m->n_targets, err) < 0)
        return -1;
    if (tailored &&
        gcal_config_read_kinds(tailored, &m->tailored, &m->n_tailored, err) < 0)
        return -1;
    if (checked && gcal_config_read_kinds(checked, &m->checked, &m->n_checked, err) < 0)
        return -1;
    return 0;
}

/* Every form but the tailored one is fitted to measurement kernels. */
static int check_kernels(const struct gcal_config_model_reader *r, struct gcal_error *err)
{
    for (size_t i = 0; i < r->m->n_forms && !r->m->n_tag_sets; i++)
        if (!r->m->forms[i].tailored)
            return gcal_yaml_error(
                r->node, err, "model '%.60s' has no kernels to be fitted to", r->name);
    return 0;
}

/* ---- what follows from the catalogue ---- */

/* Whether its forms or kernels do.  A map of forms is complete as it stands. */
static bool needs_catalogue(const struct gcal_config_model_reader *r)
{
    const struct gcal_yaml *forms = gcal_config_find(r->node, "forms");

    if (forms && forms->kind == GCAL_YAML_MAP)
        return false;
    return r->m->n_targets || gcal_config_costs_use_classes(r->node, r->names);
}

/* Appends the kernels that tag sets, which stand in 'list', pick. */
static int generate(const struct gcal_config_model_reader *r,
                    const struct gcal_yaml *list, const struct gcal_config_tag_set *sets,
                    size_t n, struct gcal_kernel_list *kernels, struct gcal_error *err)
{
    for (size_t i = 0; i < n; i++) {
        struct gcal_error why = { 0 };

        if (gcal_catalogue_generate(r->catalogue, sets[i].n_tags,
                                    (const char *const *)sets[i].tags, sets[i].match,
                                    NULL, kernels, &why) < 0)
            return gcal_yaml_error(list->items[i], err, "%s", why.text);
    }
    return 0;
}

static bool has_derived(const struct gcal_catalogue *catalogue,
                        const struct gcal_kernel *kernel)
{
    for (size_t i = 0; i < gcal_catalogue_size(catalogue); i++) {
        struct gcal_generator_view view = gcal_catalogue_view(catalogue, i);

        if (view.origin && strcmp(view.origin, kernel->generator) == 0)
            return true;
    }
    return false;
}

/* Leaves those that have companions. */
static void keep_mixed(const struct gcal_catalogue *catalogue,
                       struct gcal_kernel_list *list)
{
    size_t n = 0;

    for (size_t i = 0; i < list->n_kernels; i++)
        if (has_derived(catalogue, list->kernels[i]))
            list->kernels[n++] = list->kernels[i];
        else
            gcal_kernel_destroy(list->kernels[i]);
    list->n_kernels = n;
}

static int make_kernels(struct gcal_config_model_reader *r, struct gcal_error *err)
{
    const struct gcal_config_model *m = r->m;

    if (!r->catalogue)
        return gcal_yaml_error(r->node, err,
                               "model '%.60s' follows from the kernels of the "
                               "catalogue, which is not read here",
                               r->name);
    if (generate(r, gcal_config_find(r->node, "predicts"), m->targets, m->n_targets,
                 &r->kernels.predicted, err) < 0 ||
        generate(r, gcal_config_find(r->node, "kernels"), m->tag_sets, m->n_tag_sets,
                 &r->kernels.mixed, err) < 0)
        return -1;
    keep_mixed(r->catalogue, &r->kernels.mixed);
    return 0;
}

/* The sum of all costs, or of all features where the user wrote the expression: linear
 * in its parameters, one for each thing that has to be told apart.
 */
static char *linear_costs(const struct gcal_config_model_reader *r,
                          struct gcal_error *err)
{
    const struct gcal_model *model = r->m->model;
    struct gcal_buf sum = { 0 };

    if (r->costs.n_groups)
        return gcal_config_costs_sum(&r->costs, err);
    for (size_t i = 0; i < model->n_features; i++)
        gcal_buf_printf(&sum, "%sp_%zu*%s", i ? " + " : "", i, model->features[i]);
    if (!model->n_features)
        gcal_buf_puts(&sum, "0");
    return gcal_buf_take(&sum, err);
}

static int choose_kernels(struct gcal_config_model_reader *r, struct gcal_error *err)
{
    const struct gcal_yaml *targets = gcal_config_find(r->node, "predicts");
    struct gcal_error why = { 0 };
    struct gcal_model *linear;
    char *text;
    int rc;

    if (!targets || (!r->costs.n_groups && r->m->model == r->m->forms[0].model &&
                     r->m->forms[0].tailored))
        return 0;
    if (!(text = linear_costs(r, err)))
        return -1;
    linear = gcal_model_create(r->name, r->output, text, &why);
    free(text);
    if (!linear)
        return gcal_yaml_error(r->node, err, "model '%.60s': %s", r->name, why.text);
    rc = gcal_config_choose_kernels(r->catalogue, linear, r->costs.loads,
                                    &r->kernels.predicted, targets, r->m, &why);
    gcal_model_destroy(linear);
    return rc < 0 ? gcal_yaml_error(targets, err, "model '%.60s': %s", r->name, why.text)
                  : 0;
}

/* ---- all of it ---- */

static int check_keys(const struct gcal_yaml *node, struct gcal_error *err)
{
    static const char *const known[] = { "name",       "output",   "expression",
                                         "forms",      "groups",   "overhead",
                                         "predicts",   "tailored", "checked",
                                         "parameters", "kernels",  NULL };

    return gcal_yaml_check_keys(node, known, err);
}

static int read_model(struct gcal_config_reader *all, struct gcal_config_model_reader *r,
                      struct gcal_error *err)
{
    const struct gcal_yaml *output;
    bool expand;

    if (check_keys(r->node, err) < 0 || !(r->name = need_text(r->node, "name", err)) ||
        check_name(gcal_config_find(r->node, "name"), all->config, r->name, err) < 0)
        return -1;
    output = gcal_config_find(r->node, "output");
    r->output = output ? gcal_yaml_text(output, "output", err) : "f_cl_wall_time";
    if (!r->output || gcal_config_forms_check(r, err) < 0 || read_tag_sets(r, err) < 0)
        return -1;
    expand = needs_catalogue(r);
    if ((expand && make_kernels(r, err) < 0) || gcal_config_forms_read(r, err) < 0 ||
        check_measured(r, err) < 0 || read_parameters(r, err) < 0 ||
        (expand && choose_kernels(r, err) < 0))
        return -1;
    all->expanded = all->expanded || expand;
    return check_kernels(r, err);
}

int gcal_config_read_model(struct gcal_config_reader *all, const struct gcal_yaml *node,
                           struct gcal_error *err)
{
    struct gcal_config_model_reader r = {
        .catalogue = all->catalogue,
        .names = all->names,
        .node = node,
        .m = &all->config->models[all->config->n_models]
    };
    int rc = read_model(all, &r, err);

    all->config->n_models++; /* gcal_config_clear() frees what there is of it */
    gcal_kernel_list_clear(&r.kernels.predicted);
    gcal_kernel_list_clear(&r.kernels.mixed);
    gcal_config_costs_clear(&r.costs);
    return rc;
}
