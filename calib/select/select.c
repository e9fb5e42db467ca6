/* select.c - resolving a configuration: one model after the other */
#include "calib/select/select.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "calib/select/private.h"

/* One model and the results of the steps so far. */
struct step {
    const struct gcal_catalogue *catalogue; /* or NULL */
    struct gcal_config_model *m;
    struct gcal_select_sources sources;
    struct gcal_select_costs costs;
};

/* ---- kernels that costs follow from ---- */

static bool needs_catalogue(const struct gcal_config_model *m)
{
    return !m->written_out && (m->n_targets || gcal_select_uses_classes(m));
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

/* Removes kernels without derived kernels. */
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

static int find_sources(struct step *s, struct gcal_error *err)
{
    const struct gcal_config_model *m = s->m;

    if (!s->catalogue)
        return gcal_yaml_error(m->node, err,
                               "model '%.60s' depends on the catalogue of kernels, which "
                               "is not read here",
                               m->name);
    if (gcal_select_generate_all(s->catalogue, m->n_targets, m->targets, NULL,
                                 &s->sources.targets, err) < 0 ||
        gcal_select_generate_all(s->catalogue, m->n_tag_sets, m->tag_sets, NULL,
                                 &s->sources.mixed, err) < 0)
        return -1;
    keep_mixed(s->catalogue, &s->sources.mixed);
    return 0;
}

/* ---- forms and parameters ---- */

static bool has_built_in_forms(const struct gcal_config_model *m)
{
    for (size_t i = 0; i < m->n_forms; i++)
        if (!m->forms[i].model)
            return true;
    return false;
}

static int set_parameter(const struct gcal_config_model *m, const struct gcal_yaml *key,
                         const struct gcal_yaml *node, struct gcal_error *err)
{
    bool found = false;

    for (size_t i = 0; i < m->n_forms; i++) {
        struct gcal_model_parameter *p =
            gcal_model_parameter_find(m->forms[i].model, key->text);

        if (p && gcal_model_parameter_decode(node, p, err) < 0)
            return -1;
        found = found || p;
    }
    if (!found)
        return gcal_yaml_error(key, err, "'%.100s' is not in the expression%s", key->text,
                               m->n_forms > 1 ? " of any form" : "");
    return 0;
}

/* Prior knowledge, for all forms that have the parameter. */
static int set_parameters(const struct gcal_config_model *m, struct gcal_error *err)
{
    const struct gcal_yaml *map = m->parameters;

    for (size_t i = 0; map && i < map->n_items; i++)
        if (set_parameter(m, map->keys[i], map->items[i], err) < 0)
            return -1;
    return 0;
}

/* ---- measurement kernels ---- */

/* The sum of all costs, or of all features of an expression of the user: linear in its
 * parameters, one for each cost that must be identifiable.
 */
static char *linear_expression(const struct step *s, struct gcal_error *err)
{
    const struct gcal_model *model = s->m->model;
    struct gcal_buf sum = { 0 };

    if (s->costs.n_groups)
        return gcal_select_costs_sum(&s->costs, err);
    for (size_t i = 0; i < model->n_features; i++)
        gcal_buf_printf(&sum, "%sp_%zu*%s", i ? " + " : "", i, model->features[i]);
    if (!model->n_features)
        gcal_buf_puts(&sum, "0");
    return gcal_buf_take(&sum, err);
}

static int choose_kernels(struct step *s, struct gcal_error *err)
{
    struct gcal_config_model *m = s->m;
    struct gcal_error why = { 0 };
    struct gcal_model *linear;
    char *text;
    int rc = -1;

    if (!m->n_targets || (!s->costs.n_groups && m->forms[0].tailored))
        return 0;
    if (!(text = linear_expression(s, err)))
        return -1;
    if ((linear = gcal_model_create(m->name, m->output, text, &why)))
        rc = gcal_select_choose(s->catalogue, linear, s->costs.loads, &s->sources, m,
                                &why);
    gcal_model_destroy(linear);
    free(text);
    return rc < 0 ? gcal_yaml_error(m->targets_node, err, "model '%.60s': %s", m->name,
                                    why.text)
                  : 0;
}

/* All forms but the tailored one are fitted to measurement kernels. */
static int check_kernels(const struct gcal_config_model *m, struct gcal_error *err)
{
    for (size_t i = 0; i < m->n_forms && !m->n_tag_sets; i++)
        if (!m->forms[i].tailored)
            return gcal_yaml_error(
                m->node, err, "model '%.60s' has no kernels to be fitted to", m->name);
    return 0;
}

/* ---- all of it ---- */

static int check_tags(const struct step *s, struct gcal_error *err)
{
    const struct gcal_config_model *m = s->m;

    if (!s->catalogue)
        return 0;
    if (gcal_select_check_tags(s->catalogue, m->n_tag_sets, m->tag_sets, err) < 0)
        return -1;
    return gcal_select_check_tags(s->catalogue, m->n_targets, m->targets, err);
}

static int resolve_steps(struct step *s, bool expand, struct gcal_error *err)
{
    struct gcal_config_model *m = s->m;

    if (check_tags(s, err) < 0 || (expand && find_sources(s, err) < 0))
        return -1;
    if (has_built_in_forms(m) &&
        (gcal_select_costs_find(m, &s->sources, &s->costs, err) < 0 ||
         gcal_select_forms(m, &s->sources, &s->costs, err) < 0))
        return -1;
    m->model = m->forms[0].model;
    if (set_parameters(m, err) < 0 || (expand && choose_kernels(s, err) < 0))
        return -1;
    return check_kernels(m, err);
}

static int resolve_model(struct gcal_config_model *m,
                         const struct gcal_catalogue *catalogue, bool expand,
                         struct gcal_error *err)
{
    struct step s = { .catalogue = catalogue, .m = m };
    int rc = resolve_steps(&s, expand, err);

    gcal_kernel_list_clear(&s.sources.targets);
    gcal_kernel_list_clear(&s.sources.mixed);
    gcal_select_costs_clear(&s.costs);
    return rc;
}

/* Without a catalogue, the text says it. */
static int find_added(struct gcal_config_model *m, const struct gcal_catalogue *catalogue,
                      struct gcal_error *err)
{
    struct gcal_buf hashes = { 0 };
    int rc = 0;

    if (!catalogue)
        return 0;
    *m->added = '\0';
    if (gcal_select_put_added(catalogue, m->n_tag_sets, m->tag_sets, &hashes, err) < 0 ||
        gcal_select_put_added(catalogue, m->n_targets, m->targets, &hashes, err) < 0)
        rc = -1;
    else if (hashes.failed)
        rc = gcal_error_memory(err);
    else if (hashes.size)
        gcal_hash(hashes.data, hashes.size, m->added);
    gcal_buf_free(&hashes);
    return rc;
}

/* Records embed the text, and are read without a catalogue. */
static int write_out(struct gcal_config *config, struct gcal_error *err)
{
    char *text = gcal_config_encode(config, err);

    if (!text)
        return -1;
    free(config->text);
    config->text = text;
    return 0;
}

int gcal_select_resolve(struct gcal_config *config,
                        const struct gcal_catalogue *catalogue, struct gcal_error *err)
{
    bool expanded = false;

    for (size_t i = 0; i < config->n_models; i++) {
        bool expand = needs_catalogue(&config->models[i]);

        if (resolve_model(&config->models[i], catalogue, expand, err) < 0 ||
            find_added(&config->models[i], catalogue, err) < 0)
            return -1;
        expanded = expanded || expand || *config->models[i].added;
    }
    config->state = GCAL_CONFIG_RESOLVED;
    if (expanded && write_out(config, err) < 0)
        return -1;
    return gcal_config_set_fingerprints(config, err);
}

/* ---- reading and resolving ---- */

static int resolve_or_clear(int rc, const struct gcal_catalogue *catalogue,
                            struct gcal_config *config, struct gcal_error *err)
{
    if (rc < 0 || gcal_select_resolve(config, catalogue, err) == 0)
        return rc;
    gcal_config_clear(config);
    return -1;
}

int gcal_select_read(const char *file, const struct gcal_catalogue *catalogue,
                     struct gcal_config *config, struct gcal_error *err)
{
    int rc = gcal_config_read(file, config, err);

    return resolve_or_clear(rc, catalogue, config, err);
}

int gcal_select_parse(const char *text, size_t size, const char *file,
                      const struct gcal_catalogue *catalogue, struct gcal_config *config,
                      struct gcal_error *err)
{
    int rc = gcal_config_parse(text, size, file, config, err);

    return resolve_or_clear(rc, catalogue, config, err);
}
