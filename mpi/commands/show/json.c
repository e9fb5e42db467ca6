/* json.c - devices as JSON */
#include <math.h>
#include <string.h>

#include "mpi/cli/json.h"
#include "mpi/commands/show/private.h"

static json_t *parameter_json(const struct gcal_params_model *m, size_t i)
{
    json_t *all = json_pack("{s:f, s:f, s:s, s:b}", "value", m->value[i],
                            "standard_error", m->standard_error[i], "unit", m->unit[i],
                            "at_bound", (int)m->at_bound[i]);

    if (isfinite(m->own[i])) {
        json_object_set_new(all, "own", json_real(m->own[i]));
        json_object_set_new(all, "own_error", json_real(m->own_error[i]));
    }
    return all;
}

/* Kernels that the model knows. */
static json_t *known_json(const struct gcal_params_model *m)
{
    json_t *list = json_array();

    for (size_t i = 0; i < m->n_known; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:b}", "kernel", m->known[i].name, "fingerprint",
                            m->known[i].fingerprint, "target", (int)m->known[i].target));
    return list;
}

static json_t *model_json(const struct gcal_params_device *d,
                          const struct gcal_params_model *m)
{
    json_t *parameters = json_object(), *all;
    char why[GCAL_PARAMS_WHY_SIZE];
    struct gcal_params_origin o = gcal_params_model_origin(d, m);

    for (size_t i = 0; i < m->n_parameters; i++)
        json_object_set_new(parameters, m->parameter[i], parameter_json(m, i));
    all =
        json_pack("{s:s, s:s, s:s, s:o, s:f, s:f, s:I, s:f, s:f, s:f, s:f}", "name",
                  m->name, "output", m->output, "form", m->form, "parameters", parameters,
                  "mean_error", m->mean_error, "worst_error", m->worst_error, "held_out",
                  (json_int_t)m->n_held_out, "held_out_rms", m->held_out_rms, "error_90",
                  m->error_90, "factor", m->factor, "factor_error", m->factor_error);
    gcal_formula_add_json(all, m);
    if (m->absolute_error_90_s > 0)
        json_object_set_new(all, "absolute_error_90_s",
                            json_real(m->absolute_error_90_s));
    if (isfinite(m->condition)) /* JSON has no infinity */
        json_object_set_new(all, "condition", json_real(m->condition));
    json_object_set_new(all, "verdict",
                        json_string(gcal_params_model_is_poor(m, why) ? "poor" : "good"));
    json_object_set_new(all, "known", known_json(m));
    json_object_set_new(all, "run_id", json_string(o.run_id));
    json_object_set_new(all, "calibrated", json_string(o.calibrated_utc));
    json_object_set_new(all, "driver", json_string(o.driver));
    json_object_set_new(all, "configuration", json_string(o.configuration));
    json_object_set_new(all, "catalogue", json_string(o.catalogue));
    json_object_set_new(all, "fitted", json_integer((json_int_t)o.n_fitted));
    json_object_set_new(all, "current", json_boolean(gcal_params_model_is_current(d, m)));
    return all;
}

json_t *gcal_show_device_json(const struct gcal_show_device *device)
{
    const struct gcal_params_device *d = device->params;
    json_t *models = json_array(), *all;

    for (size_t i = 0; i < d->n_models; i++)
        json_array_append_new(models, model_json(d, &d->models[i]));
    all = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:o, s:o}", "uid",
                    d->info.uid, "name", d->info.name, "type", d->info.type, "kind",
                    d->info.device_type, "driver", d->info.driver, "run_id", d->run_id,
                    "calibrated", d->calibrated_utc, "configuration", d->configuration,
                    "catalogue", d->catalogue, "fitted", (json_int_t)d->n_fitted, "facts",
                    gcal_facts_json(d), "models", models);
    json_object_set_new(all, "speed", gcal_json_number(device->standing.speed));
    json_object_set_new(all, "audit",
                        json_string(gcal_audit_verdict_name(device->standing.verdict)));
    json_object_set_new(all, "calibrations",
                        json_integer((json_int_t)device->standing.n_runs));
    return all;
}
