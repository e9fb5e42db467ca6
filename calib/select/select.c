/* select.c - resolving a configuration: one model after the other */
#include "calib/select/select.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "calib/select/private.h"

/* One model and the results of the steps so far. */
struct step {
    const struct gcal_catalogue *catalogue; /* or NULL */
    struct gcal_config_model *m;
    struct gcal_kernel_list targets; /* empty for a written-out model */
    struct gcal_select_costs costs;
};

/* ---- forms and parameters ---- */

/* Prior knowledge, for all forms that have the parameter. */
static int set_parameters(const struct gcal_config_model *m, struct gcal_error *err)
{
    const struct gcal_yaml *map = m->parameters;

    for (size_t i = 0; map && i < map->n_items; i++) {
        bool found = false;

        for (size_t k = 0; k < m->n_forms; k++) {
            struct gcal_model_parameter *p =
                gcal_model_parameter_find(m->forms[k].model, map->keys[i]->text);

            if (p && gcal_model_parameter_decode(map->items[i], p, err) < 0)
                return -1;
            found = found || p;
        }
        if (!found)
            return gcal_yaml_error(
                map->keys[i], err, "'%.100s' is not in the expression%s",
                map->keys[i]->text, m->n_forms > 1 ? " of any form" : "");
    }
    return 0;
}

/* ---- measurement kernels ---- */

/* By the sum of all costs, or of all features of an expression of the user: linear in its
 * parameters, one for each cost that must be identifiable.
 */
static int choose_kernels(struct step *s, struct gcal_error *err)
{
    struct gcal_config_model *m = s->m;
    const struct gcal_model *model = m->model, *linear;
    struct gcal_error why = { 0 };
    struct gcal_buf sum = { 0 };

    if (!m->n_targets)
        return 0;
    if (s->costs.n_groups)
        gcal_buf_puts(&sum, gcal_select_costs_sum(m->arena, &s->costs));
    for (size_t i = 0; i < model->n_features && !s->costs.n_groups; i++)
        gcal_buf_printf(&sum, "%sp_%zu*%s", i ? " + " : "", i, model->features[i]);
    if (!sum.size)
        gcal_buf_puts(&sum, "0");
    linear = gcal_config_own(
        m, gcal_model_create(m->name, m->output, gcal_arena_take(m->arena, &sum), &why));
    if (!linear || gcal_select_choose(s->catalogue, linear, s->costs.loads, &s->targets,
                                      m, &why) < 0)
        return gcal_yaml_error(m->targets_node, err, "model '%.60s': %s", m->name,
                               why.text);
    return 0;
}

static int resolve_steps(struct step *s, bool expand, struct gcal_error *err)
{
    struct gcal_config_model *m = s->m;
    bool built_in = false;

    if (s->catalogue &&
        (gcal_select_check_tags(s->catalogue, m->n_tag_sets, m->tag_sets, err) < 0 ||
         gcal_select_check_tags(s->catalogue, m->n_targets, m->targets, err) < 0))
        return -1;
    if (expand && !s->catalogue)
        return gcal_yaml_error(m->node, err,
                               "model '%.60s' depends on the catalogue of kernels, which "
                               "is not read here",
                               m->name);
    if (expand && gcal_select_generate_all(s->catalogue, m->n_targets, m->targets, NULL,
                                           &s->targets, err) < 0)
        return -1;
    for (size_t i = 0; i < m->n_forms; i++)
        built_in = built_in || !m->forms[i].model;
    if (built_in && (gcal_select_costs_find(m, &s->targets, &s->costs, err) < 0 ||
                     gcal_select_forms(m, &s->costs, err) < 0))
        return -1;
    m->model = m->forms[0].model;
    if (set_parameters(m, err) < 0 || (expand && choose_kernels(s, err) < 0))
        return -1;
    if (!m->n_tag_sets)
        return gcal_yaml_error(m->node, err,
                               "model '%.60s' has no kernels to be fitted to", m->name);
    return 0;
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

int gcal_select_resolve(struct gcal_config *config,
                        const struct gcal_catalogue *catalogue, struct gcal_error *err)
{
    bool expanded = false;

    for (size_t i = 0; i < config->n_models; i++) {
        struct gcal_config_model *m = &config->models[i];
        struct step s = { .catalogue = catalogue, .m = m };
        bool expand = !m->written_out && (m->n_targets || gcal_select_uses_classes(m));
        int rc = resolve_steps(&s, expand, err);

        gcal_kernel_list_clear(&s.targets);
        if (rc < 0 || find_added(m, catalogue, err) < 0)
            return -1;
        expanded = expanded || expand || *m->added;
    }
    config->state = GCAL_CONFIG_RESOLVED;
    /* Records embed the text, and are read without a catalogue. */
    if (expanded && !(config->text = gcal_arena_own(
                          config->arena, gcal_config_encode(config, err), free)))
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
