/* bind.c - a model's parameters, bound to one kernel's counts */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/model/binding.h"
#include "calib/model/feature.h"
#include "calib/model/model.h"
#include "calib/model/profile.h"
#include "store/params/params.h"
#include "store/predict/private.h"

static size_t find_name(char *const *names, size_t count, const char *name)
{
    size_t i = 0;

    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i;
}

/* Whether a feature of the model ends in "_tag:NAME" of the component. */
static bool has_component(const struct gcal_params_model *from, const char *tag)
{
    for (size_t i = 0; i < from->n_features && tag; i++) {
        const char *at = strstr(from->feature[i], "_tag:");

        if (at && strcmp(at + strlen("_tag:"), tag) == 0)
            return true;
    }
    return false;
}

static int missing(const struct gcal_params_model *from, const char *name,
                   struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EINPUT,
                          "model %s: its expression has %s, which is missing in the "
                          "parameter file",
                          from->name, name);
}

static int set_unit(struct gcal_model_parameter *parameter, const char *unit,
                    struct gcal_error *err)
{
    char *copy = strdup(unit);

    if (!copy)
        return gcal_error_memory(err);
    free(parameter->unit);
    parameter->unit = copy;
    return 0;
}

/* Values and rows of the root in the order of the expression's parameters. */
static int take_parameters(struct gcal_predictor *p, const struct gcal_params_model *from,
                           struct gcal_error *err)
{
    for (size_t i = 0; i < p->model->n_parameters; i++) {
        const char *name = p->model->parameters[i].name;
        size_t at = find_name(from->parameter, from->n_parameters, name);

        if (at == from->n_parameters)
            return missing(from, name, err);
        if (set_unit(&p->model->parameters[i], from->unit[at], err) < 0)
            return -1;
        p->value[i] = from->value[at];
        p->n_row[i] = at + 1;
        memcpy(&p->root[i * p->n_columns], &from->root[GCAL_PARAMS_ROOT(at, 0)],
               (at + 1) * sizeof(double));
    }
    return 0;
}

/* A fact of the device or of the built kernel, which is no work, has no range. */
static bool is_fact(const char *name)
{
    struct gcal_feature feature;
    bool fact;

    if (gcal_feature_parse(name, &feature, NULL) < 0)
        return false;
    fact = gcal_feature_info(feature.kind)->counted == GCAL_FEATURE_COUNTED_DEVICE;
    gcal_feature_clear(&feature);
    return fact;
}

static int take_ranges(struct gcal_predictor *p, const struct gcal_params_model *from,
                       struct gcal_error *err)
{
    for (size_t i = 0; i < p->model->n_features; i++) {
        const char *name = p->model->features[i];
        size_t at = find_name(from->feature, from->n_features, name);

        if (at == from->n_features)
            return missing(from, name, err);
        p->feature_min[i] = from->feature_min[at];
        p->feature_max[i] = is_fact(name) ? INFINITY : from->feature_max[at];
    }
    return 0;
}

static int take_spreads(struct gcal_predictor *p, const struct gcal_params_model *from,
                        struct gcal_error *err)
{
    double usual = from->spreads.microbenchmarks;

    p->spread_scale = usual > 0 ? fmax(1, from->held_out_rms / usual) : 1;
    return gcal_spreads_copy(&p->spreads, &from->spreads, err);
}

/* The kernel, if the model knows it.  Files and profiles of earlier versions have no
 * fingerprints: their components have names alone.
 */
static struct gcal_binding_subject find_subject(const struct gcal_predictor *p,
                                                const struct gcal_params_model *from,
                                                const struct gcal_profile *profile)
{
    const char *identity = gcal_profile_identity(profile);
    const struct gcal_params_kernel *k = gcal_params_find_kernel(from, identity);
    struct gcal_binding_subject subject = { p->model, p->value, k ? k->component : NULL,
                                            k };

    if (identity || from->n_known)
        return subject;
    subject.component = gcal_profile_component(profile);
    subject.measured = has_component(from, subject.component);
    return subject;
}

/* Whether a kernel of that name was calibrated, which must be another one. */
static bool knows_name(const struct gcal_params_model *from, const char *component)
{
    for (size_t i = 0; i < from->n_known && component; i++)
        if (from->known[i].component && strcmp(from->known[i].component, component) == 0)
            return true;
    return !from->n_known && has_component(from, component);
}

/* What a refusal adds to the list of work without a cost. */
static int explain(struct gcal_predictor *p, const struct gcal_params_model *from,
                   const struct gcal_profile *profile, struct gcal_error *err)
{
    char *targets = gcal_params_model_targets(from);
    struct gcal_buf buf = { 0 };

    gcal_buf_puts(&buf, "");
    if (targets)
        gcal_buf_printf(&buf, "; the model is for %.300s", targets);
    if (knows_name(from, gcal_profile_component(profile)))
        gcal_buf_puts(
            &buf, from->n_known
                      ? "; the kernel of this name that was calibrated has another "
                        "source, defines or launch: 'gpucal learn' calibrates this one"
                      : "; an earlier gpucal calibrated it, by the names of kernels "
                        "alone: calibrate again");
    free(targets);
    p->kernel = strdup(profile->kernel);
    p->hint = gcal_buf_take(&buf, err);
    return p->kernel && p->hint ? 0 : gcal_error_memory(err);
}

static int bind(struct gcal_predictor *p, const struct gcal_params_model *from,
                const struct gcal_device_info *info, const struct gcal_profile *profile,
                struct gcal_error *err)
{
    struct gcal_binding_device device = gcal_device_info_facts(info);
    struct gcal_binding_subject subject;
    size_t np, nf;

    if (!(p->model = gcal_model_create_with(from->name, from->output, from->expression,
                                            from->names, err)))
        return -1;
    np = p->model->n_parameters;
    nf = p->model->n_features;
    p->n_columns = from->n_parameters;
    if (!(p->roofs = gcal_roofs_compile(&from->roofs, from->names, p->model, err)))
        return gcal_error_prefix(err, "model %.60s", from->name);
    if (np > GCAL_PREDICTOR_MAX_PARAMETERS ||
        p->n_columns > GCAL_PREDICTOR_MAX_PARAMETERS || nf > GCAL_PREDICTOR_MAX_FEATURES)
        return gcal_error_set(err, GCAL_EINPUT,
                              "model %s: %zu parameters and %zu features, at most %d and "
                              "%d are supported",
                              from->name, np > p->n_columns ? np : p->n_columns, nf,
                              GCAL_PREDICTOR_MAX_PARAMETERS, GCAL_PREDICTOR_MAX_FEATURES);
    p->value = calloc(np + 1, sizeof(double));
    p->root = calloc(np * p->n_columns + 1, sizeof(double));
    p->n_row = calloc(np + 1, sizeof(*p->n_row));
    p->feature_min = calloc(nf + 1, sizeof(double));
    p->feature_max = calloc(nf + 1, sizeof(double));
    if (!p->value || !p->root || !p->n_row || !p->feature_min || !p->feature_max)
        return gcal_error_memory(err);
    if (take_parameters(p, from, err) < 0 || take_ranges(p, from, err) < 0)
        return -1;
    p->factor = from->factor;
    p->misfit = from->error_90 / GCAL_PARAMS_NORMAL_90;
    p->short_misfit = from->short_error_90 / GCAL_PARAMS_NORMAL_90;
    p->short_s = from->short_s;
    p->factor_error = from->factor_error / from->factor;
    subject = find_subject(p, from, profile);
    if (!subject.measured && take_spreads(p, from, err) < 0)
        return -1;
    p->binding = gcal_binding_create_for(profile, &subject, &device, err);
    if (!p->binding)
        return -1;
    return gcal_binding_gap_count(p->binding) ? explain(p, from, profile, err) : 0;
}

struct gcal_predictor *gcal_predictor_create(const struct gcal_params_device *device,
                                             const char *model,
                                             const struct gcal_profile *profile,
                                             struct gcal_error *err)
{
    const struct gcal_params_model *from =
        gcal_predictor_choose(device, model, 1, &profile, err);
    struct gcal_predictor *p;

    if (!from)
        return NULL;
    if (!(p = calloc(1, sizeof(*p))))
        gcal_error_memory(err);
    else if (bind(p, from, &device->info, profile, err) < 0) {
        gcal_predictor_destroy(p);
        p = NULL;
    }
    return p;
}

void gcal_predictor_destroy(struct gcal_predictor *p)
{
    if (!p)
        return;
    gcal_binding_destroy(p->binding);
    gcal_roofs_program_destroy(p->roofs);
    gcal_spreads_clear(&p->spreads);
    gcal_model_destroy(p->model);
    free(p->value);
    free(p->root);
    free(p->n_row);
    free(p->feature_min);
    free(p->feature_max);
    free(p->kernel);
    free(p->hint);
    free(p);
}
