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
#include "fit/design.h"

/* ---- kernels and their features ---- */

/* A kernel that cannot be evaluated is not a candidate; the final fit reports the error.
 */
static int fill_features(const struct gcal_plan_gain *gain, struct gcal_plan_form *form,
                         size_t i, const struct gcal_profile *profile,
                         struct gcal_error *err)
{
    const struct gcal_kernel *kernel = gain->kernels->kernels[i];
    const struct gcal_model *model = form->model;
    double *sizes = calloc(profile->n_parameters + 1, sizeof(*sizes));
    struct gcal_error why = { 0 };
    struct gcal_binding *binding;

    if (!sizes)
        return gcal_error_memory(err);
    binding =
        gcal_binding_create_on(profile, model->n_features,
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
                                     .row_error = GCAL_PLAN_MISFIT,
                                     .group_error = GCAL_PLAN_MISFIT };
    form->serves = calloc(n + 1, sizeof(*form->serves));
    form->features = calloc(n * model->n_features + 1, sizeof(*form->features));
    form->value = calloc(model->n_parameters + 1, sizeof(*form->value));
    form->given = calloc(model->n_parameters + 1, sizeof(*form->given));
    form->start = calloc(model->n_parameters + 1, sizeof(*form->start));
    if (!form->serves || !form->features || !form->value || !form->given || !form->start)
        return gcal_error_memory(err);
    give_parameters(gain, form);
    for (size_t i = 0; i < n; i++)
        if (gcal_kernel_uses_have(&gain->kernels->kernels[i]->uses, model->name,
                                  GCAL_KERNEL_FITTED) &&
            fill_features(gain, form, i, gain->kernels->kernels[i]->profile, err) < 0)
            return -1;
    return 0;
}

/* ---- what is only known of built kernels ---- */

/* Registers and private memory count 0 before. */
static bool is_of_built(const char *feature)
{
    return strncmp(feature, "f_kernel_", strlen("f_kernel_")) == 0;
}

/* Marks parameters that the kernel's time depends on; 'built': if that were not 0. */
static void mark_seen(const struct gcal_plan_form *form, size_t kernel, double built,
                      double *features, double *shares, bool *seen)
{
    const struct gcal_model *model = form->model;

    memcpy(features, &form->features[kernel * model->n_features],
           model->n_features * sizeof(*features));
    for (size_t k = 0; k < model->n_features; k++)
        if (is_of_built(model->features[k]))
            features[k] = built;
    gcal_fit_design_shares(model, form->value, features, shares);
    for (size_t j = 0; j < model->n_parameters; j++)
        seen[j] |= shares[j] != 0;
}

/* Finds out whether a parameter would only be seen in built kernels. */
static int find_whole(const struct gcal_plan_gain *gain, struct gcal_plan_form *form,
                      struct gcal_error *err)
{
    size_t n = form->model->n_parameters;
    double *features = calloc(form->model->n_features + 1, sizeof(*features));
    double *shares = calloc(n + 1, sizeof(*shares));
    bool *before = calloc(n + 1, sizeof(*before)), *built = calloc(n + 1, sizeof(*built));
    int rc = -1;

    if (!features || !shares || !before || !built) {
        gcal_error_memory(err);
        goto out;
    }
    for (size_t i = 0; i < gain->kernels->n_kernels; i++)
        if (form->serves[i]) {
            mark_seen(form, i, 0, features, shares, before);
            mark_seen(form, i, 1, features, shares, built);
        }
    for (size_t j = 0; j < n; j++)
        form->whole |= built[j] && !before[j];
    rc = 0;
out:
    free(features);
    free(shares);
    free(before);
    free(built);
    return rc;
}

/* ---- forms ---- */

static bool is_model(const struct gcal_config *config, const char *name)
{
    for (size_t i = 0; i < config->n_models; i++)
        if (strcmp(config->models[i].model->name, name) == 0)
            return true;
    return false;
}

/* Whether the kernel only serves to fit models, and forms show how much it helps. */
static bool is_optional(const struct gcal_plan_gain *gain,
                        const struct gcal_config *config, size_t i)
{
    const struct gcal_kernel_uses *uses = &gain->kernels->kernels[i]->uses;

    for (size_t k = 0; k < uses->n; k++)
        if (uses->items[k].role != GCAL_KERNEL_FITTED ||
            !is_model(config, uses->items[k].model))
            return false;
    for (size_t f = 0; f < gain->n_forms; f++)
        if (gain->forms[f].serves[i] && gain->forms[f].whole)
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

/* Kernels of one generator are a group. */
static void find_groups(struct gcal_plan_gain *gain)
{
    struct gcal_kernel *const *kernels = gain->kernels->kernels;

    for (size_t i = 0; i < gain->kernels->n_kernels; i++) {
        size_t first = 0;

        while (strcmp(kernels[first]->generator, kernels[i]->generator) != 0)
            first++;
        gain->group[i] = first < i ? gain->group[first] : gain->n_groups++;
    }
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
    gain->group = calloc(n + 1, sizeof(*gain->group));
    gain->forms = calloc(n_forms + 1, sizeof(*gain->forms));
    if (!gain->optional || !gain->time_s || !gain->spread || !gain->group ||
        !gain->forms) {
        gcal_error_memory(err);
        goto fail;
    }
    find_groups(gain);
    if (add_forms(gain, config, info, err) < 0)
        goto fail;
    for (size_t f = 0; f < gain->n_forms; f++)
        if (gcal_plan_form_find_values(gain, &gain->forms[f], err) < 0 ||
            find_whole(gain, &gain->forms[f], err) < 0)
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
        free(gain->forms[f].start);
        gcal_fit_clear(&gain->forms[f].fit);
    }
    free(gain->forms);
    free(gain->optional);
    free(gain->time_s);
    free(gain->spread);
    free(gain->group);
    free(gain);
}

bool gcal_plan_gain_is_optional(const struct gcal_plan_gain *gain, size_t kernel)
{
    return gain->optional[kernel];
}

int gcal_plan_gain_add(struct gcal_plan_gain *gain, size_t kernel, double time_s,
                       double spread, const struct gcal_built *built,
                       struct gcal_error *err)
{
    struct gcal_profile as_built = *gain->kernels->kernels[kernel]->profile;
    int rc;

    gain->time_s[kernel] = time_s;
    gain->spread[kernel] = spread;
    if (!gcal_built_is_known(built))
        return 0;
    as_built.built = NULL;
    as_built.n_built = 0;
    rc = gcal_built_set(&as_built, gain->device.type, built, err);
    for (size_t f = 0; f < gain->n_forms && rc == 0; f++)
        if (gain->forms[f].serves[kernel])
            rc = fill_features(gain, &gain->forms[f], kernel, &as_built, err);
    gcal_built_clear(&as_built);
    return rc;
}

double gcal_plan_gain_time_s(const struct gcal_plan_gain *gain, size_t kernel)
{
    for (size_t f = 0; f < gain->n_forms; f++)
        if (gain->forms[f].serves[kernel])
            return gcal_plan_form_time_s(&gain->forms[f], gain->forms[f].value, kernel);
    return NAN;
}
