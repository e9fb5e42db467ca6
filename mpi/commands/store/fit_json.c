/* fit_json.c - fits as JSON */
#include <jansson.h>
#include <math.h>

#include "kernels/model/model.h"
#include "mpi/cli/json.h"
#include "mpi/commands/store/fit_json.h"

static json_t *parameters_json(const struct gcal_model *model, const struct gcal_fit *fit)
{
    json_t *all = json_object();

    for (size_t i = 0; i < fit->n_parameters; i++)
        json_object_set_new(
            all, model->parameters[i].name,
            json_pack("{s:o, s:o, s:s, s:b}", "value", gcal_json_number(fit->value[i]),
                      "standard_error", gcal_json_number(fit->standard_error[i]), "unit",
                      model->parameters[i].unit, "at_bound", (int)fit->at_bound[i]));
    return all;
}

/* Of a fit without a good form: null. */
static void add_form(json_t *all, const struct gcal_config_model *model,
                     const struct gcal_result_type_fit *t)
{
    const struct gcal_result_form_fit *best = t->good ? &t->forms[t->best] : NULL;

    json_object_set_new(all, "form",
                        best ? json_string(model->forms[t->best].name) : json_null());
    json_object_set_new(all, "parameters",
                        best ? parameters_json(model->forms[t->best].model, &best->fit)
                             : json_null());
    json_object_set_new(all, "mean_error",
                        best ? gcal_json_number(best->fit.mean_error) : json_null());
    json_object_set_new(all, "held_out_mean_error",
                        best ? gcal_json_number(best->held_out.mean_error) : json_null());
}

static json_t *fit_json(const struct gcal_config *config,
                        const struct gcal_result_type_fit *t)
{
    const struct gcal_config_model *model = &config->models[t->model];
    char why[GCAL_PARAMS_WHY_SIZE];
    json_t *all =
        json_pack("{s:s, s:s, s:b, s:s, s:b, s:s, s:i, s:i}", "type", t->type, "model",
                  model->name, "good", (int)t->good, "verdict",
                  gcal_result_verdict_name(gcal_result_judge(t, config, why)), "outlier",
                  (int)t->is_outlier, "reason", t->reason ? t->reason : "", "devices",
                  (int)t->n_devices, "rows", (int)t->n_rows);

    add_form(all, model, t);
    return all;
}

void gcal_fit_print_json(const struct gcal_config *config,
                         const struct gcal_results *results, size_t n_published)
{
    json_t *fits = json_array(), *outliers = json_array(), *all;

    for (size_t i = 0; i < results->n_fits; i++)
        json_array_append_new(fits, fit_json(config, &results->fits[i]));
    for (size_t i = 0; i < results->n_outliers; i++)
        json_array_append_new(outliers, json_string(results->outliers[i].text));
    all = json_pack("{s:o, s:i, s:o, s:i}", "fits", fits, "rejected",
                    (int)results->n_rejected, "outliers", outliers, "nodes_published",
                    (int)n_published);
    gcal_json_print(all, "fit");
    json_decref(all);
}
