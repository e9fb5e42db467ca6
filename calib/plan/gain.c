/* gain.c - models, their forms, and the kernels they are fitted to */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/log.h"
#include "calib/model/binding.h"
#include "calib/model/form.h"
#include "calib/model/profile.h"
#include "calib/plan/gain_form.h"

/* ---- kernels and their features ---- */

/* A kernel that cannot be evaluated is not a candidate; the final fit reports the error.
 */
static int fill_features(const struct gcal_plan_gain *gain, struct gcal_plan_form *form,
                         size_t i, struct gcal_error *err)
{
    const struct gcal_kernel *kernel = gain->kernels->kernels[i];
    const struct gcal_model *model = form->model;
    double *sizes = calloc(kernel->profile->n_parameters + 1, sizeof(*sizes));
    struct gcal_error why = { 0 };
    struct gcal_binding *binding;

    if (!sizes)
        return gcal_error_memory(err);
    binding =
        gcal_binding_create_on(kernel->profile, model->n_features,
                               (const char *const *)model->features, &gain->device, &why);
    form->serves[i] =
        binding && gcal_kernel_size_values(kernel, sizes, &why) == 0 &&
        gcal_binding_eval(binding, sizes, &form->features[i * model->n_features], &why) ==
            0;
    if (!form->serves[i])
        gcal_log(GCAL_LOG_DEBUG, "%s: %s", kernel->name, why.text);
    gcal_binding_destroy(binding);
    free(sizes);
    return 0;
}

/* Compute units are known; shapes of components follow from short launches, which are not
 * chosen by their gain.
 */
static void give_parameters(const struct gcal_plan_gain *gain,
                            struct gcal_plan_form *form)
{
    for (size_t j = 0; j < form->model->n_parameters; j++) {
        const struct gcal_model_parameter *p = &form->model->parameters[j];
        size_t length;

        form->given[j] = NAN;
        if (strcmp(p->name, GCAL_FORM_UNITS) == 0)
            form->given[j] = gain->device.compute_units;
        else if (gcal_form_shape(p->name, &length))
            form->given[j] = p->initial;
    }
}

static int form_init(struct gcal_plan_gain *gain, struct gcal_plan_form *form,
                     const struct gcal_model *model, bool merge_collinear,
                     struct gcal_error *err)
{
    size_t n = gain->kernels->n_kernels;

    *form = (struct gcal_plan_form){ .model = model,
                                     .merge_collinear = merge_collinear,
                                     .misfit = GCAL_PLAN_MISFIT };
    form->serves = calloc(n + 1, sizeof(*form->serves));
    form->features = calloc(n * model->n_features + 1, sizeof(*form->features));
    form->value = calloc(model->n_parameters + 1, sizeof(*form->value));
    form->given = calloc(model->n_parameters + 1, sizeof(*form->given));
    if (!form->serves || !form->features || !form->value || !form->given)
        return gcal_error_memory(err);
    give_parameters(gain, form);
    for (size_t i = 0; i < n; i++)
        if (gcal_kernel_uses_have(&gain->kernels->kernels[i]->uses, model->name,
                                  GCAL_KERNEL_FITTED) &&
            fill_features(gain, form, i, err) < 0)
            return -1;
    return 0;
}

static bool is_model(const struct gcal_config *config, const char *name)
{
    for (size_t i = 0; i < config->n_models; i++)
        if (strcmp(config->models[i].model->name, name) == 0)
            return true;
    return false;
}

/* Whether the kernel only serves to fit models, and a form of one can use it. */
static bool is_optional(const struct gcal_plan_gain *gain,
                        const struct gcal_config *config, size_t i)
{
    const struct gcal_kernel_uses *uses = &gain->kernels->kernels[i]->uses;

    for (size_t k = 0; k < uses->n; k++)
        if (uses->items[k].role != GCAL_KERNEL_FITTED ||
            !is_model(config, uses->items[k].model))
            return false;
    for (size_t f = 0; f < gain->n_forms; f++)
        if (gain->forms[f].serves[i])
            return true;
    return false;
}

static int add_forms(struct gcal_plan_gain *gain, const struct gcal_config *config,
                     const struct gcal_device_info *info, struct gcal_error *err)
{
    for (size_t i = 0; i < config->n_models; i++) {
        const struct gcal_config_model *m = &config->models[i];

        if (m->kept || !gcal_config_model_applies(m, info))
            continue;
        for (size_t k = 0; k < m->n_forms; k++)
            if (!m->forms[k].tailored &&
                form_init(gain, &gain->forms[gain->n_forms++], m->forms[k].model,
                          gcal_config_model_merges(m), err) < 0)
                return -1;
    }
    return 0;
}

struct gcal_plan_gain *gcal_plan_gain_create(const struct gcal_config *config,
                                             const struct gcal_device_info *info,
                                             const struct gcal_kernel_list *kernels,
                                             struct gcal_error *err)
{
    struct gcal_plan_gain *gain = calloc(1, sizeof(*gain));
    size_t n = kernels->n_kernels, n_forms = 0;

    if (!gain) {
        gcal_error_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < config->n_models; i++)
        n_forms += config->models[i].n_forms;
    gain->kernels = kernels;
    gain->device = gcal_device_info_facts(info);
    gain->optional = calloc(n + 1, sizeof(*gain->optional));
    gain->time_s = calloc(n + 1, sizeof(*gain->time_s));
    gain->spread = calloc(n + 1, sizeof(*gain->spread));
    gain->forms = calloc(n_forms + 1, sizeof(*gain->forms));
    if (!gain->optional || !gain->time_s || !gain->spread || !gain->forms) {
        gcal_error_memory(err);
        goto fail;
    }
    if (add_forms(gain, config, info, err) < 0)
        goto fail;
    for (size_t i = 0; i < n; i++)
        gain->optional[i] = is_optional(gain, config, i);
    return gain;
fail:
    gcal_plan_gain_destroy(gain);
    return NULL;
}

void gcal_plan_gain_destroy(struct gcal_plan_gain *gain)
{
    if (!gain)
        return;
    for (size_t f = 0; gain->forms && f < gain->n_forms; f++) {
        free(gain->forms[f].serves);
        free(gain->forms[f].features);
        free(gain->forms[f].value);
        free(gain->forms[f].given);
        gcal_fit_clear(&gain->forms[f].fit);
    }
    free(gain->forms);
    free(gain->optional);
    free(gain->time_s);
    free(gain->spread);
    free(gain);
}

bool gcal_plan_gain_is_optional(const struct gcal_plan_gain *gain, size_t kernel)
{
    return gain->optional[kernel];
}

size_t gcal_plan_gain_missing_rows(const struct gcal_plan_gain *gain, size_t freedom)
{
    size_t most = 0;

    for (size_t f = 0; f < gain->n_forms; f++) {
        const struct gcal_plan_form *form = &gain->forms[f];
        size_t wanted = form->model->n_parameters + freedom, n = 0;

        for (size_t i = 0; i < gain->kernels->n_kernels; i++)
            n += form->serves[i] && gain->time_s[i] > 0;
        if (n < wanted && wanted - n > most)
            most = wanted - n;
    }
    return most;
}

void gcal_plan_gain_add(struct gcal_plan_gain *gain, size_t kernel, double time_s,
                        double spread)
{
    gain->time_s[kernel] = time_s;
    gain->spread[kernel] = spread;
}

double gcal_plan_form_time_s(const struct gcal_plan_form *form, const double *values,
                             size_t kernel)
{
    const double *features = &form->features[kernel * form->model->n_features];

    return gcal_model_eval(form->model, values, features, NULL);
}

double gcal_plan_gain_time_s(const struct gcal_plan_gain *gain, size_t kernel)
{
    for (size_t f = 0; f < gain->n_forms; f++)
        if (gain->forms[f].serves[kernel])
            return gcal_plan_form_time_s(&gain->forms[f], gain->forms[f].value, kernel);
    return NAN;
}
