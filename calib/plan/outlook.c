/* outlook.c - what a plan amounts to, before anything is measured
 *
 * Whether the kernels determine a model's parameters depends hardly on the parameters' values:
 * each form gets the times that plausible values give, and is fitted to them.
 */
#include "calib/plan/outlook.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "calib/plan/form.h"
#include "calib/plan/sweep.h"
#include "fit/fit.h"

/* Time to build, check and sweep a family: of GPUs; on CPUs, more of the budget is left over. */
#define OPENING_S 0.1

/* ---- numbers ---- */

static int count(const struct gcal_config_measure_options *measure,
                 const struct gcal_kernel_list *kernels, bool *measured,
                 struct gcal_plan_outlook *outlook, struct gcal_error *err)
{
    const struct gcal_plan_hooks hooks = { 0 };
    struct gcal_plan plan = { .options = measure, .hooks = &hooks, .err = err };
    struct gcal_plan_families families;
    int rc = gcal_plan_families_init(&families, &plan, kernels);

    if (rc == 0) {
        outlook->n_families = families.n;
        /* Of a size sweep, the longest sizes that are not too long are measured.  Which they
         * are does not matter here: the largest.
         */
        for (size_t i = 0; i < families.n; i++) {
            const struct gcal_plan_family *f = &families.families[i];
            size_t sizes = f->n_wanted + f->n_short;

            sizes = f->n_sizes < sizes ? f->n_sizes : sizes;
            for (size_t k = 0; k < f->n_fixed; k++)
                measured[f->fixed[k]] = true;
            for (size_t k = f->n_sizes - sizes; k < f->n_sizes; k++)
                measured[f->sizes[k]] = true;
            outlook->n_measured += f->n_fixed + sizes;
        }
        outlook->n_launches_least = outlook->n_measured * measure->min_samples;
        outlook->n_launches_most = outlook->n_measured * measure->max_samples;
        outlook->time_s = fmin(measure->budget_s,
                               (double)families.n * OPENING_S +
                                   (double)outlook->n_launches_least *
                                       sqrt(measure->min_time_s * measure->max_time_s));
    }
    for (size_t i = 0; i < kernels->n_kernels; i++) {
        /* Sizes without a geometry are not measured either. */
        const struct gcal_kernel *kernel = kernels->kernels[i];
        struct gcal_geometry geometry;

        if (gcal_kernel_geometry(kernel, kernel->n_sizes, kernel->sizes, &geometry, NULL))
            continue;
        outlook->memory_bytes = fmax(outlook->memory_bytes, geometry.total_bytes);
        gcal_kernel_geometry_clear(&geometry);
    }
    gcal_plan_families_clear(&families);
    return rc;
}

/* ---- models ---- */

/* Fits the form to the times that it gives itself. */
static int fit_form(const struct gcal_plan_forms *forms,
                    const struct gcal_plan_form *form, const bool *measured,
                    struct gcal_fit *fit, struct gcal_error *err)
{
    size_t n = forms->kernels->n_kernels, n_features = form->model->n_features;
    double *features = calloc(n * n_features + 1, sizeof(*features));
    double *time_s = calloc(n + 1, sizeof(*time_s));
    double *spread = calloc(n + 1, sizeof(*spread));
    struct gcal_fit_rows rows = { .n_features = n_features,
                                  .features = features,
                                  .time_s = time_s,
                                  .spread = spread,
                                  .merge_collinear = form->merge_collinear,
                                  .given = form->given,
                                  .quick = true };
    int rc = -1;

    if (!features || !time_s || !spread) {
        gcal_error_memory(err);
        goto out;
    }
    for (size_t i = 0; i < n; i++) {
        double guess_s =
            form->serves[i] && measured[i] ? gcal_plan_form_time_s(form, i, NULL) : 0;

        if (!(guess_s > 0) || !isfinite(guess_s))
            continue;
        memcpy(&features[rows.n_rows * n_features], &form->features[i * n_features],
               n_features * sizeof(*features));
        spread[rows.n_rows] = 0.01;
        time_s[rows.n_rows++] = guess_s;
    }
    rc = gcal_fit_solve(form->model, &rows, fit, err);
out:
    free(features);
    free(time_s);
    free(spread);
    return rc;
}

static char *undetermined_names(const struct gcal_model *model,
                                const struct gcal_fit *fit, struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };

    for (size_t j = 0; j < model->n_parameters; j++)
        if (!fit->undetermined || fit->undetermined[j])
            gcal_buf_printf(&buf, "%s%s", buf.size ? ", " : "",
                            model->parameters[j].name);
    gcal_buf_puts(&buf, "");
    return gcal_buf_take(&buf, err);
}

static int judge(const struct gcal_plan_forms *forms, const struct gcal_plan_form *form,
                 const bool *measured, struct gcal_plan_outlook_model *m,
                 struct gcal_error *err)
{
    struct gcal_fit fit = { 0 };
    int rc = fit_form(forms, form, measured, &fit, err);

    if (rc == 0) {
        m->n_kernels = fit.n_rows;
        m->n_parameters = form->model->n_parameters;
        m->determined =
            fit.status == GCAL_FIT_GOOD ||
            fit.status == GCAL_FIT_NOT_CONVERGED; /* with other times it may */
        free(m->undetermined);
        free(m->merged);
        m->undetermined =
            m->determined ? strdup("") : undetermined_names(form->model, &fit, err);
        /* "p_a and p_b, p_c and p_d" */
        const struct gcal_model_parameter *p = form->model->parameters;
        struct gcal_buf buf = { 0 };
        for (size_t j = 0; fit.merged_with && j < form->model->n_parameters; j++)
            if (fit.merged_with[j] != j)
                gcal_buf_printf(&buf, "%s%s and %s", buf.size ? ", " : "",
                                p[fit.merged_with[j]].name, p[j].name);
        gcal_buf_puts(&buf, "");
        m->merged = gcal_buf_take(&buf, err);
        rc = m->undetermined && m->merged ? 0 : gcal_error_memory(err);
    }
    gcal_fit_clear(&fit);
    return rc;
}

/* The forms are in the order of the models.  One that is determined is enough. */
static int judge_all(const struct gcal_plan_forms *forms, const bool *measured,
                     struct gcal_plan_outlook *outlook, struct gcal_error *err)
{
    struct gcal_plan_outlook_model *m = NULL;

    outlook->models = calloc(forms->n + 1, sizeof(*outlook->models));
    if (!outlook->models)
        return gcal_error_memory(err);
    for (size_t f = 0; f < forms->n; f++) {
        const char *name = forms->items[f].model->name;

        if (!m || strcmp(m->name, name) != 0) {
            m = &outlook->models[outlook->n_models++];
            m->name = name;
        }
        if (!m->determined && judge(forms, &forms->items[f], measured, m, err) < 0)
            return -1;
    }
    return 0;
}

int gcal_plan_outlook_make(const struct gcal_config *config,
                           const struct gcal_device_info *info,
                           const struct gcal_kernel_list *kernels,
                           struct gcal_plan_outlook *outlook, struct gcal_error *err)
{
    struct gcal_plan_forms forms;
    bool *measured = calloc(kernels->n_kernels + 1, sizeof(*measured));
    int rc = gcal_plan_forms_init(&forms, config, info, kernels, err);

    *outlook = (struct gcal_plan_outlook){ .n_kernels = kernels->n_kernels,
                                           .budget_s = config->measure.budget_s };
    if (!measured)
        rc = gcal_error_memory(err);
    if (rc == 0)
        rc = count(&config->measure, kernels, measured, outlook, err);
    if (rc == 0)
        rc = judge_all(&forms, measured, outlook, err);
    free(measured);
    gcal_plan_forms_clear(&forms);
    if (rc < 0)
        gcal_plan_outlook_clear(outlook);
    return rc;
}

void gcal_plan_outlook_clear(struct gcal_plan_outlook *outlook)
{
    for (size_t i = 0; i < outlook->n_models; i++) {
        free(outlook->models[i].undetermined);
        free(outlook->models[i].merged);
    }
    free(outlook->models);
    *outlook = (struct gcal_plan_outlook){ 0 };
}
