/* write.c - a resolved configuration as YAML, with everything written out */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void write_devices(struct gcal_yaml_writer *w,
                          const struct gcal_config_device_filter *filter)
{
    gcal_yaml_write_text(w, "devices");
    gcal_yaml_write_map(w);
    write_key_strings(w, "kinds", filter->kinds, filter->n_kinds);
    write_key_strings(w, "vendors", filter->vendors, filter->n_vendors);
    write_key_strings(w, "names", filter->names, filter->n_names);
    gcal_yaml_write_end_map(w);
}

static void write_measure(struct gcal_yaml_writer *w,
                          const struct gcal_config_measure_options *m)
{
    gcal_yaml_write_text(w, "measure");
    gcal_yaml_write_map(w);
    gcal_yaml_put_number(w, "budget_s", m->budget_s);
    gcal_yaml_put_number(w, "min_time_s", m->min_time_s);
    gcal_yaml_put_number(w, "max_time_s", m->max_time_s);
    gcal_yaml_put_integer(w, "min_samples", m->min_samples);
    gcal_yaml_put_integer(w, "max_samples", m->max_samples);
    gcal_yaml_put_number(w, "noise", m->noise);
    gcal_yaml_put_number(w, "kernel_limit_s", m->kernel_limit_s);
    gcal_yaml_put_integer(w, "rungs", m->sizes);
    if (m->short_sizes) /* as before there were any */
        gcal_yaml_put_integer(w, "short_rungs", m->short_sizes);
    gcal_yaml_put_integer(w, "seed", m->seed);
    gcal_yaml_write_end_map(w);
}

static void write_audit(struct gcal_yaml_writer *w, const struct gcal_config *config)
{
    gcal_yaml_write_text(w, "audit");
    gcal_yaml_write_map(w);
    gcal_yaml_put_number(w, "warn", config->audit_warn);
    gcal_yaml_put_number(w, "fail", config->audit_fail);
    gcal_yaml_put_number(w, "false_alarms", config->audit_false_alarms);
    gcal_yaml_put_integer(w, "confirm", config->audit_confirm);
    gcal_yaml_put_integer(w, "of", config->audit_of);
    gcal_yaml_write_end_map(w);
}

/* ---- models ---- */

static void write_parameter(struct gcal_yaml_writer *w,
                            const struct gcal_model_parameter *p)
{
    gcal_yaml_write_text(w, p->name);
    gcal_yaml_write_flow_map(w);
    gcal_yaml_put_text(w, "unit", p->unit);
    if (!isnan(p->initial))
        gcal_yaml_put_number(w, "initial", p->initial);
    gcal_yaml_put_number(w, "min", p->min);
    if (isfinite(p->max)) /* infinite is the default */
        gcal_yaml_put_number(w, "max", p->max);
    gcal_yaml_write_end_map(w);
}

/* Whether a form before form 'n' has the parameter. */
static bool is_written(const struct gcal_config_model *m, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (gcal_model_parameter_find(m->forms[i].model, name))
            return true;
    return false;
}

static void write_parameters(struct gcal_yaml_writer *w,
                             const struct gcal_config_model *m)
{
    gcal_yaml_write_text(w, "parameters");
    gcal_yaml_write_map(w);
    for (size_t i = 0; i < m->n_forms; i++) {
        const struct gcal_model *model = m->forms[i].model;

        for (size_t k = 0; k < model->n_parameters; k++)
            if (!is_written(m, i, model->parameters[k].name))
                write_parameter(w, &model->parameters[k]);
    }
    gcal_yaml_write_end_map(w);
}

static void write_forms(struct gcal_yaml_writer *w, const struct gcal_config_model *m)
{
    gcal_yaml_write_text(w, "forms");
    gcal_yaml_write_map(w);
    for (size_t i = 0; i < m->n_forms; i++)
        gcal_yaml_put_text(w, m->forms[i].name, m->forms[i].model->expression);
    gcal_yaml_write_end_map(w);
}

static void write_tag_sets(struct gcal_yaml_writer *w, const char *key,
                           const struct gcal_config_tag_set *sets, size_t n)
{
    static const char *const matches[] = {
        [GCAL_CONFIG_MATCH_SUPERSET] = "superset",
        [GCAL_CONFIG_MATCH_IDENTICAL] = "identical",
        [GCAL_CONFIG_MATCH_SUBSET] = "subset",
        [GCAL_CONFIG_MATCH_INTERSECT] = "intersect",
    };

    if (!n)
        return;
    gcal_yaml_write_text(w, key);
    gcal_yaml_write_list(w);
    for (size_t i = 0; i < n; i++) {
        gcal_yaml_write_flow_map(w);
        write_key_strings(w, "tags", sets[i].tags, sets[i].n_tags);
        if (sets[i].match != GCAL_CONFIG_MATCH_SUPERSET)
            gcal_yaml_put_text(w, "match", matches[sets[i].match]);
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
    write_forms(w, m);
    if (m->absolute)
        gcal_yaml_put_text(w, "errors", "absolute");
    write_parameters(w, m);
    gcal_roofs_write(w, &m->roofs);
    gcal_spreads_write(w, &m->spreads);
    write_tag_sets(w, "predicts", m->targets, m->n_targets);
    if (m->n_tailored)
        write_key_strings(w, "tailored", m->tailored, m->n_tailored);
    if (m->n_checked)
        write_key_strings(w, "checked", m->checked, m->n_checked);
    write_tag_sets(w, "kernels", m->tag_sets, m->n_tag_sets);
    if (*m->added)
        gcal_yaml_put_text(w, "added", m->added);
    gcal_yaml_write_end_map(w);
}

static void write_models(struct gcal_yaml_writer *w, const struct gcal_config *config)
{
    gcal_yaml_write_text(w, "models");
    gcal_yaml_write_list(w);
    for (size_t i = 0; i < config->n_models; i++)
        write_model(w, &config->models[i]);
    gcal_yaml_write_end_list(w);
}

/* The texts of one form (NULL: all) and the roofs of a model, from 'texts' on. */
static size_t list_texts(const struct gcal_config_model *m,
                         const struct gcal_config_form *form, const char **texts)
{
    size_t n = 0;

    for (size_t i = 0; i < m->n_forms; i++)
        if (!form || form == &m->forms[i])
            texts[n++] = m->forms[i].model->expression;
    for (size_t i = 0; i < m->roofs.n; i++)
        texts[n++] = m->roofs.roofs[i].expression;
    return n;
}

/* Of models of one configuration. */
static struct gcal_expr_names *used_names(size_t n_models,
                                          const struct gcal_config_model *models,
                                          const struct gcal_config_form *form,
                                          struct gcal_error *err)
{
    struct gcal_expr_names *names;
    const char **texts;
    size_t n = 1;

    for (size_t i = 0; i < n_models; i++)
        n += models[i].n_forms + models[i].roofs.n;
    if (!(texts = calloc(n, sizeof(*texts)))) {
        gcal_error_memory(err);
        return NULL;
    }
    n = 0;
    for (size_t i = 0; i < n_models; i++)
        n += list_texts(&models[i], form, texts + n);
    names = gcal_expr_names_used(n_models ? models->names : NULL, n, texts, err);
    free(texts);
    return names;
}

struct gcal_expr_names *gcal_config_model_names(const struct gcal_config_model *m,
                                                const struct gcal_config_form *form,
                                                struct gcal_error *err)
{
    return used_names(1, m, form, err);
}

static char *write_hashed(const struct gcal_config *config,
                          const struct gcal_config_model *model,
                          const struct gcal_expr_names *names, size_t *size,
                          struct gcal_error *err)
{
    struct gcal_yaml_writer *w = gcal_yaml_writer_create(err);
    struct gcal_config_measure_options measure = config->measure;

    if (!w)
        return NULL;
    measure.budget_s = 0;
    measure.seed = 0;
    gcal_yaml_write_map(w);
    write_measure(w, &measure);
    gcal_roofs_names_write(w, names);
    if (model) {
        gcal_yaml_write_text(w, "model");
        write_model(w, model);
    } else {
        write_models(w, config);
    }
    gcal_yaml_write_end_map(w);
    return gcal_yaml_writer_finish(w, size, err);
}

/* Of all models, or of one (NULL: all). */
static int hash_models(const struct gcal_config *config,
                       const struct gcal_config_model *model,
                       char hash[GCAL_HASH_TEXT_SIZE], struct gcal_error *err)
{
    struct gcal_expr_names *names =
        model ? used_names(1, model, NULL, err)
              : used_names(config->n_models, config->models, NULL, err);
    size_t size;
    char *text = names ? write_hashed(config, model, names, &size, err) : NULL;

    gcal_expr_names_destroy(names);
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
    struct gcal_expr_names *names =
        used_names(config->n_models, config->models, NULL, err);
    struct gcal_yaml_writer *w = names ? gcal_yaml_writer_create(err) : NULL;

    if (!w) {
        gcal_expr_names_destroy(names);
        return NULL;
    }
    gcal_yaml_write_map(w);
    gcal_yaml_put_integer(w, "version", GCAL_CONFIG_VERSION);
    if (config->store)
        gcal_yaml_put_text(w, "store", config->store);
    write_devices(w, &config->devices);
    write_measure(w, &config->measure);
    write_audit(w, config);
    gcal_roofs_names_write(w, names);
    gcal_expr_names_destroy(names);
    write_models(w, config);
    gcal_yaml_write_end_map(w);
    return gcal_yaml_writer_finish(w, NULL, err);
}
