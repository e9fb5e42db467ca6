/* form.c - forms of models on the kernels of a plan, before any is measured */
#include "calib/plan/form.h"

#include <math.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/model/profile.h"

/* Costs without an initial value get the one at which kernels take about this long. */
#define TIME_S 0.01

/* A kernel that cannot be evaluated serves no form; the fit reports the error. */
static bool find_features(struct gcal_arena *arena, const struct gcal_kernel *kernel,
                          const struct gcal_binding_device *device,
                          const struct gcal_model *model, double *features)
{
    const struct gcal_profile *profile = kernel->profile;
    double *sizes = gcal_arena_alloc(arena, profile->n_parameters, sizeof(*sizes));
    struct gcal_error why = { 0 };
    struct gcal_binding *binding = gcal_binding_create_on(
        profile, model->n_features, (const char *const *)model->features, device, &why);
    bool serves = binding && gcal_kernel_size_values(kernel, sizes, &why) == 0 &&
                  gcal_binding_eval(binding, sizes, features, &why) == 0;

    if (!serves)
        gcal_log(GCAL_LOG_DEBUG, "%s: %s", kernel->name, why.text);
    gcal_binding_destroy(binding);
    return serves;
}

/* ---- plausible values ---- */

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

static void find_values(struct gcal_arena *arena, struct gcal_plan_form *form,
                        size_t n_kernels)
{
    const struct gcal_model_parameter *p = form->model->parameters;
    size_t n = form->model->n_parameters;
    double *costs = gcal_arena_alloc(arena, n, sizeof(*costs));

    for (size_t j = 0; j < n; j++)
        if (!is_cost(&p[j]))
            form->value[j] = guess_shape(&p[j]);
    for (size_t j = 0; j < n; j++)
        if (is_cost(&p[j]))
            costs[j] = guess_cost(form, n_kernels, j);
    for (size_t j = 0; j < n; j++)
        form->value[j] += costs[j];
}

/* ---- forms ---- */

static struct gcal_plan_form make_form(struct gcal_arena *arena,
                                       const struct gcal_model *model,
                                       const struct gcal_binding_device *device,
                                       const struct gcal_kernel_list *kernels)
{
    size_t n = kernels->n_kernels, n_features = model->n_features;
    struct gcal_plan_form form = {
        .model = model,
        .serves = gcal_arena_alloc(arena, n, sizeof(*form.serves)),
        .features = gcal_arena_alloc(arena, n * n_features, sizeof(*form.features)),
        .value = gcal_arena_alloc(arena, model->n_parameters, sizeof(*form.value)),
    };

    for (size_t i = 0; i < n; i++)
        form.serves[i] = gcal_kernel_uses_have(&kernels->kernels[i]->uses, model->name,
                                               GCAL_KERNEL_FITTED) &&
                         find_features(arena, kernels->kernels[i], device, model,
                                       &form.features[i * n_features]);
    find_values(arena, &form, n);
    return form;
}

struct gcal_plan_forms gcal_plan_forms_make(struct gcal_arena *arena,
                                            const struct gcal_config *config,
                                            const struct gcal_device_info *info,
                                            const struct gcal_kernel_list *kernels)
{
    struct gcal_binding_device device = gcal_device_info_facts(info);
    struct gcal_plan_forms forms = { .kernels = kernels };
    size_t n = 0;

    for (size_t i = 0; i < config->n_models; i++)
        n += config->models[i].n_forms;
    forms.items = gcal_arena_alloc(arena, n, sizeof(*forms.items));
    for (size_t i = 0; i < config->n_models; i++) {
        const struct gcal_config_model *m = &config->models[i];

        if (m->kept || !gcal_config_model_applies(m, info))
            continue;
        for (size_t k = 0; k < m->n_forms; k++) {
            forms.items[forms.n] = make_form(arena, m->forms[k].model, &device, kernels);
            forms.items[forms.n++].merge_collinear = gcal_config_model_merges(m);
        }
    }
    return forms;
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
