/* form.c - forms of models on the kernels of a plan, before any is measured */
#include "calib/plan/form.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/model/form.h"
#include "kernels/model/profile.h"

/* Costs without an initial value get the one at which kernels take about this long. */
#define TIME_S 0.01

/* A kernel that cannot be evaluated serves no form; the fit reports the error. */
static int fill_features(const struct gcal_kernel *kernel,
                         const struct gcal_binding_device *device,
                         const struct gcal_model *model, bool *serves, double *features,
                         struct gcal_error *err)
{
    const struct gcal_profile *profile = kernel->profile;
    double *sizes = calloc(profile->n_parameters + 1, sizeof(*sizes));
    struct gcal_error why = { 0 };
    struct gcal_binding *binding;

    if (!sizes)
        return gcal_error_memory(err);
    binding = gcal_binding_create_on(profile, model->n_features,
                                     (const char *const *)model->features, device, &why);
    *serves = binding && gcal_kernel_size_values(kernel, sizes, &why) == 0 &&
              gcal_binding_eval(binding, sizes, features, &why) == 0;
    if (!*serves)
        gcal_log(GCAL_LOG_DEBUG, "%s: %s", kernel->name, why.text);
    gcal_binding_destroy(binding);
    free(sizes);
    return 0;
}

/* ---- plausible values ---- */

/* Compute units are known; shapes of components follow from short launches. */
static double given_value(const struct gcal_model_parameter *p,
                          const struct gcal_binding_device *device)
{
    size_t length;

    if (strcmp(p->name, GCAL_FORM_UNITS) == 0)
        return device->compute_units;
    return gcal_form_shape(p->name, &length) ? p->initial : NAN;
}

static bool is_cost(const struct gcal_model_parameter *parameter)
{
    return strcmp(parameter->unit, "s") == 0;
}

/* Exponents and edges. */
static double guess_shape(const struct gcal_model_parameter *p)
{
    if (!isnan(p->initial))
        return p->initial;
    if (isfinite(p->min) && isfinite(p->max))
        return p->min > 0 ? sqrt(p->min * p->max) : 0.5 * (p->min + p->max);
    return fmax(p->min, fmin(1, p->max));
}

/* Time of the kernel due to this cost alone, at 1 s per unit, where all other costs are 0. */
static double component_of(struct gcal_plan_form *form, size_t j, size_t kernel)
{
    double none = gcal_plan_form_time_s(form, kernel, NULL), one;

    form->value[j] = 1;
    one = gcal_plan_form_time_s(form, kernel, NULL) - (isfinite(none) ? none : 0);
    form->value[j] = 0;
    return isfinite(one) && one > 0 ? one : 0;
}

static double guess_cost(struct gcal_plan_form *form, size_t n_kernels, size_t j)
{
    double sum = 0, n = 0;

    if (form->model->parameters[j].initial > 0)
        return form->model->parameters[j].initial;
    for (size_t i = 0; i < n_kernels; i++) {
        double part = form->serves[i] ? component_of(form, j, i) : 0;

        if (part > 0) {
            sum += log(TIME_S / part);
            n++;
        }
    }
    return n > 0 ? exp(sum / n) : 0;
}

static int find_values(struct gcal_plan_form *form, size_t n_kernels,
                       struct gcal_error *err)
{
    const struct gcal_model_parameter *p = form->model->parameters;
    size_t n = form->model->n_parameters;
    double *costs = calloc(n + 1, sizeof(*costs));

    if (!costs)
        return gcal_error_memory(err);
    for (size_t j = 0; j < n; j++)
        if (!is_cost(&p[j]))
            form->value[j] = isnan(form->given[j]) ? guess_shape(&p[j]) : form->given[j];
    for (size_t j = 0; j < n; j++)
        if (is_cost(&p[j]))
            costs[j] =
                isnan(form->given[j]) ? guess_cost(form, n_kernels, j) : form->given[j];
    for (size_t j = 0; j < n; j++)
        form->value[j] += costs[j];
    free(costs);
    return 0;
}

/* ---- forms ---- */

static int form_init(struct gcal_plan_form *form, const struct gcal_model *model,
                     const struct gcal_binding_device *device,
                     const struct gcal_kernel_list *kernels, struct gcal_error *err)
{
    size_t n = kernels->n_kernels, n_features = model->n_features;

    form->model = model;
    form->serves = calloc(n + 1, sizeof(*form->serves));
    form->features = calloc(n * n_features + 1, sizeof(*form->features));
    form->given = calloc(model->n_parameters + 1, sizeof(*form->given));
    form->value = calloc(model->n_parameters + 1, sizeof(*form->value));
    if (!form->serves || !form->features || !form->given || !form->value)
        return gcal_error_memory(err);
    for (size_t j = 0; j < model->n_parameters; j++)
        form->given[j] = given_value(&model->parameters[j], device);
    for (size_t i = 0; i < n; i++)
        if (gcal_kernel_uses_have(&kernels->kernels[i]->uses, model->name,
                                  GCAL_KERNEL_FITTED) &&
            fill_features(kernels->kernels[i], device, model, &form->serves[i],
                          &form->features[i * n_features], err) < 0)
            return -1;
    return find_values(form, n, err);
}

int gcal_plan_forms_init(struct gcal_plan_forms *forms, const struct gcal_config *config,
                         const struct gcal_device_info *info,
                         const struct gcal_kernel_list *kernels, struct gcal_error *err)
{
    struct gcal_binding_device device = gcal_device_info_facts(info);
    size_t n = 0;

    for (size_t i = 0; i < config->n_models; i++)
        n += config->models[i].n_forms;
    *forms = (struct gcal_plan_forms){ .kernels = kernels,
                                       .items = calloc(n + 1, sizeof(*forms->items)) };
    if (!forms->items)
        return gcal_error_memory(err);
    for (size_t i = 0; i < config->n_models; i++) {
        const struct gcal_config_model *m = &config->models[i];

        if (m->kept || !gcal_config_model_applies(m, info))
            continue;
        for (size_t k = 0; k < m->n_forms; k++) {
            if (m->forms[k].tailored)
                continue;
            forms->items[forms->n].merge_collinear = gcal_config_model_merges(m);
            if (form_init(&forms->items[forms->n++], m->forms[k].model, &device, kernels,
                          err) < 0)
                return -1;
        }
    }
    return 0;
}

void gcal_plan_forms_clear(struct gcal_plan_forms *forms)
{
    for (size_t f = 0; f < forms->n; f++) {
        free(forms->items[f].serves);
        free(forms->items[f].features);
        free(forms->items[f].given);
        free(forms->items[f].value);
    }
    free(forms->items);
    *forms = (struct gcal_plan_forms){ 0 };
}

double gcal_plan_form_time_s(const struct gcal_plan_form *form, size_t kernel,
                             double *shares)
{
    const struct gcal_model *model = form->model;
    double time_s = gcal_model_eval(model, form->value,
                                    &form->features[kernel * model->n_features], shares);

    for (size_t j = 0; shares && j < model->n_parameters; j++) {
        shares[j] *= form->value[j] / time_s;
        if (!isfinite(shares[j]))
            shares[j] = 0;
    }
    return time_s;
}
