/* write.c - a resolved configuration as YAML, with everything written out */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "calib/config/private.h"
#include "kernels/model/named_expr.h"
#include "kernels/model/roofs/names.h"

static void write_key_strings(struct gcal_yaml_writer *w, const char *key,
                              char *const *strings, size_t n)
{
    gcal_yaml_write_text(w, key);
    gcal_yaml_write_flow_list(w);
    for (size_t i = 0; i < n; i++)
        gcal_yaml_write_text(w, strings[i]);
    gcal_yaml_write_end_list(w);
}

/* ---- settings ---- */

static void write_section(struct gcal_yaml_writer *w,
                          const struct gcal_config_key *section,
                          const struct gcal_config *config)
{
    gcal_yaml_write_text(w, section->name);
    gcal_yaml_write_map(w);
    for (const struct gcal_config_key *k = section + 1; k->name; k++) {
        const void *member = (const char *)config + k->offset;

        if (!k->is_count)
            gcal_yaml_put_number(w, k->name, *(const double *)member);
        else
            gcal_yaml_put_integer(w, k->name, *(const uint64_t *)member);
    }
    gcal_yaml_write_end_map(w);
}

/* ---- models ---- */

static void write_tag_sets(struct gcal_yaml_writer *w, const char *key,
                           const struct gcal_config_tag_set *sets, size_t n)
{
    if (!n)
        return;
    gcal_yaml_write_text(w, key);
    gcal_yaml_write_list(w);
    for (size_t i = 0; i < n; i++) {
        gcal_yaml_write_flow_map(w);
        write_key_strings(w, "tags", sets[i].tags, sets[i].n_tags);
        if (sets[i].match != GCAL_CONFIG_MATCH_SUPERSET)
            gcal_yaml_put_text(w, "match", gcal_config_match_names[sets[i].match]);
        if (sets[i].n_kinds)
            write_key_strings(w, "kinds", sets[i].kinds, sets[i].n_kinds);
        gcal_yaml_write_end_map(w);
    }
    gcal_yaml_write_end_list(w);
}

static void write_model(struct gcal_yaml_writer *w, const struct gcal_config_model *m)
{
    gcal_yaml_write_map(w);
    gcal_yaml_put_text(w, "name", m->name);
    gcal_yaml_put_text(w, "output", m->output);
    if (m->n_kinds)
        write_key_strings(w, "kinds", m->kinds, m->n_kinds);
    gcal_yaml_write_text(w, "forms");
    gcal_yaml_write_map(w);
    for (size_t i = 0; i < m->n_forms; i++)
        gcal_yaml_put_text(w, m->forms[i].name, m->forms[i].model->expression);
    gcal_yaml_write_end_map(w);
    if (m->absolute)
        gcal_yaml_put_text(w, "errors", "absolute");
    /* Each once, as the first form that has it. */
    gcal_yaml_write_text(w, "parameters");
    gcal_yaml_write_map(w);
    for (size_t i = 0; i < m->n_forms; i++)
        for (size_t k = 0; k < m->forms[i].model->n_parameters; k++) {
            const struct gcal_model_parameter *p = &m->forms[i].model->parameters[k];
            bool written = false;

            for (size_t before = 0; before < i; before++)
                written =
                    written || gcal_model_parameter_find(m->forms[before].model, p->name);
            if (written)
                continue;
            gcal_yaml_write_text(w, p->name);
            gcal_yaml_write_flow_map(w);
            gcal_yaml_put_text(w, "unit", p->unit);
            if (!isnan(p->initial))
                gcal_yaml_put_number(w, "initial", p->initial);
            gcal_yaml_put_number(w, "min", p->min);
            if (isfinite(p->max)) /* infinite is the default */
                gcal_yaml_put_number(w, "max", p->max);
            if (p->optional)
                gcal_yaml_put_bool(w, "optional", true);
            gcal_yaml_write_end_map(w);
        }
    gcal_yaml_write_end_map(w);
    gcal_roofs_write(w, &m->roofs);
    gcal_spreads_write(w, &m->spreads);
    write_tag_sets(w, "predicts", m->targets, m->n_targets);
    write_tag_sets(w, "kernels", m->tag_sets, m->n_tag_sets);
    if (*m->added)
        gcal_yaml_put_text(w, "added", m->added);
    gcal_yaml_write_end_map(w);
}

/* The names that models of one configuration use, or form 'form' alone. */
static struct gcal_expr_names *used_names(size_t n_models,
                                          const struct gcal_config_model *models,
                                          const struct gcal_config_form *form,
                                          struct gcal_error *err)
{
    struct gcal_arena *scratch = gcal_arena_create();
    struct gcal_expr_names *names;
    const char **texts = NULL;
    size_t n = 0, capacity = 0;

    for (size_t i = 0; i < n_models; i++) {
        const struct gcal_config_model *m = &models[i];

        for (size_t k = 0; k < m->n_forms + m->roofs.n; k++) {
            if (k < m->n_forms && form && form != &m->forms[k])
                continue;
            texts = gcal_arena_grow(scratch, texts, n, &capacity, sizeof(*texts));
            texts[n++] = k < m->n_forms ? m->forms[k].model->expression
                                        : m->roofs.roofs[k - m->n_forms].expression;
        }
    }
    names = gcal_expr_names_used(n_models ? models->names : NULL, n, texts, err);
    gcal_arena_destroy(scratch);
    return names;
}

struct gcal_expr_names *gcal_config_model_names(const struct gcal_config_model *m,
                                                const struct gcal_config_form *form,
                                                struct gcal_error *err)
{
    return used_names(1, m, form, err);
}

/* Of all models, or of one. */
static char *write_models(const struct gcal_config *config,
                          const struct gcal_config_model *model, bool hashed,
                          size_t *size, struct gcal_error *err)
{
    struct gcal_expr_names *names =
        model ? used_names(1, model, NULL, err)
              : used_names(config->n_models, config->models, NULL, err);
    struct gcal_yaml_writer *w = names ? gcal_yaml_writer_create(err) : NULL;
    struct gcal_config written = *config;

    if (!w) {
        gcal_expr_names_destroy(names);
        return NULL;
    }
    gcal_yaml_write_map(w);
    if (hashed) {
        written.measure.budget_s = 0;
        written.measure.seed = 0;
    } else {
        gcal_yaml_put_integer(w, "version", GCAL_CONFIG_VERSION);
        if (config->store)
            gcal_yaml_put_text(w, "store", config->store);
        gcal_yaml_write_text(w, "devices");
        gcal_yaml_write_map(w);
        write_key_strings(w, "kinds", config->devices.kinds, config->devices.n_kinds);
        write_key_strings(w, "vendors", config->devices.vendors,
                          config->devices.n_vendors);
        write_key_strings(w, "names", config->devices.names, config->devices.n_names);
        gcal_yaml_write_end_map(w);
    }
    write_section(w, gcal_config_measure_section, &written);
    if (!hashed)
        write_section(w, gcal_config_audit_section, config);
    gcal_roofs_names_write(w, names);
    gcal_expr_names_destroy(names);
    if (model) {
        gcal_yaml_write_text(w, "model");
        write_model(w, model);
    } else {
        gcal_yaml_write_text(w, "models");
        gcal_yaml_write_list(w);
        for (size_t i = 0; i < config->n_models; i++)
            write_model(w, &config->models[i]);
        gcal_yaml_write_end_list(w);
    }
    gcal_yaml_write_end_map(w);
    return gcal_yaml_writer_finish(w, size, err);
}

static int hash_models(const struct gcal_config *config,
                       const struct gcal_config_model *model,
                       char hash[GCAL_HASH_TEXT_SIZE], struct gcal_error *err)
{
    size_t size;
    char *text = write_models(config, model, true, &size, err);

    if (!text)
        return -1;
    gcal_hash(text, size, hash);
    free(text);
    return 0;
}

int gcal_config_set_fingerprints(struct gcal_config *config, struct gcal_error *err)
{
    int rc = hash_models(config, NULL, config->fingerprint, err);

    for (size_t i = 0; i < config->n_models && rc == 0; i++) {
        struct gcal_config_model *m = &config->models[i];

        rc = hash_models(config, m, m->fingerprint, err);
    }
    return rc;
}

char *gcal_config_encode(const struct gcal_config *config, struct gcal_error *err)
{
    return write_models(config, NULL, false, NULL, err);
}
