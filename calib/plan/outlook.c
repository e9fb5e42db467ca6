/* outlook.c - what a plan amounts to, before anything is measured
 *
 * Whether the kernels determine a model's parameters depends hardly on the parameters' values:
 * each form gets the times that plausible values give, and is fitted to them.
 */
#include "calib/plan/outlook.h"

#include <math.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "calib/plan/form.h"
#include "calib/plan/sweep.h"
#include "fit/fit.h"

/* Time to build, check and sweep a family: of GPUs; on CPUs, more of the budget is left over. */
#define OPENING_S 0.1

/* ---- numbers ---- */

static void count(struct gcal_arena *arena,
                  const struct gcal_config_measure_options *measure,
                  const struct gcal_kernel_list *kernels, bool *measured,
                  struct gcal_plan_outlook *outlook)
{
    const struct gcal_plan_hooks hooks = { 0 };
    struct gcal_plan plan = { .arena = arena, .options = measure, .hooks = &hooks };
    struct gcal_plan_families families = gcal_plan_families_make(&plan, kernels);

    outlook->n_families = families.n;
    /* Of a size sweep, the longest sizes that are not too long are measured.  Which they are
     * does not matter here: the largest.
     */
    for (size_t i = 0; i < families.n; i++) {
        const struct gcal_plan_family *f = &families.families[i];
        size_t sizes = f->n_sizes < f->n_wanted ? f->n_sizes : f->n_wanted;

        for (size_t k = 0; k < f->n_fixed; k++)
            measured[f->fixed[k]] = true;
        for (size_t k = f->n_sizes - sizes; k < f->n_sizes; k++)
            measured[f->sizes[k]] = true;
        outlook->n_measured += f->n_fixed + sizes;
    }
    outlook->n_launches_least = outlook->n_measured * measure->min_samples;
    outlook->n_launches_most = outlook->n_measured * measure->max_samples;
    outlook->time_s =
        fmin(measure->budget_s, (double)families.n * OPENING_S +
                                    (double)outlook->n_launches_least *
                                        sqrt(measure->min_time_s * measure->max_time_s));
    for (size_t i = 0; i < kernels->n_kernels; i++) {
        /* Sizes without a geometry are not measured either. */
        const struct gcal_kernel *kernel = kernels->kernels[i];
        struct gcal_geometry geometry;

        if (gcal_kernel_geometry(kernel, kernel->n_sizes, kernel->sizes, &geometry, NULL))
            continue;
        outlook->memory_bytes = fmax(outlook->memory_bytes, geometry.total_bytes);
        gcal_kernel_geometry_clear(&geometry);
    }
}

/* ---- models ---- */

/* Fits the form to the times that it gives itself. */
static int fit_form(struct gcal_arena *arena, const struct gcal_plan_forms *forms,
                    const struct gcal_plan_form *form, const bool *measured,
                    struct gcal_fit *fit, struct gcal_error *err)
{
    size_t n = forms->kernels->n_kernels, n_features = form->model->n_features;
    double *features = gcal_arena_alloc(arena, n * n_features, sizeof(*features));
    double *time_s = gcal_arena_alloc(arena, n, sizeof(*time_s));
    double *spread = gcal_arena_alloc(arena, n, sizeof(*spread));
    struct gcal_fit_rows rows = { .n_features = n_features,
                                  .features = features,
                                  .time_s = time_s,
                                  .spread = spread,
                                  .merge_collinear = form->merge_collinear,
                                  .quick = true };

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
    return gcal_fit_solve(form->model, &rows, fit, err);
}

static int judge(struct gcal_arena *arena, const struct gcal_plan_forms *forms,
                 const struct gcal_plan_form *form, const bool *measured,
                 struct gcal_plan_outlook_model *m, struct gcal_error *err)
{
    const struct gcal_model_parameter *p = form->model->parameters;
    size_t n = form->model->n_parameters;
    struct gcal_fit fit = { 0 };

    if (fit_form(arena, forms, form, measured, &fit, err) < 0)
        return -1;
    m->n_kernels = fit.n_rows;
    m->n_parameters = n;
    m->determined = fit.status == GCAL_FIT_GOOD ||
                    fit.status == GCAL_FIT_NOT_CONVERGED; /* with other times it may */
    m->undetermined = m->merged = "";
    for (size_t j = 0; j < n; j++) {
        if (!m->determined && (!fit.undetermined || fit.undetermined[j]))
            m->undetermined = gcal_arena_format(arena, "%s%s%s", m->undetermined,
                                                *m->undetermined ? ", " : "", p[j].name);
        if (fit.merged_with && fit.merged_with[j] != j)
            m->merged = gcal_arena_format(arena, "%s%s%s and %s", m->merged,
                                          *m->merged ? ", " : "",
                                          p[fit.merged_with[j]].name, p[j].name);
    }
    gcal_fit_clear(&fit);
    return 0;
}

int gcal_plan_outlook_make(struct gcal_arena *arena, const struct gcal_config *config,
                           const struct gcal_device_info *info,
                           const struct gcal_kernel_list *kernels,
                           struct gcal_plan_outlook *outlook, struct gcal_error *err)
{
    struct gcal_plan_forms forms = gcal_plan_forms_make(arena, config, info, kernels);
    bool *measured = gcal_arena_alloc(arena, kernels->n_kernels, sizeof(*measured));
    struct gcal_plan_outlook_model *m = NULL;

    *outlook = (struct gcal_plan_outlook){
        .n_kernels = kernels->n_kernels,
        .budget_s = config->measure.budget_s,
        .models = gcal_arena_alloc(arena, forms.n, sizeof(*outlook->models)),
    };
    count(arena, &config->measure, kernels, measured, outlook);
    /* The forms are in the order of the models.  One that is determined is enough. */
    for (size_t f = 0; f < forms.n; f++) {
        const char *name = forms.items[f].model->name;

        if (!m || strcmp(m->name, name) != 0) {
            m = &outlook->models[outlook->n_models++];
            m->name = name;
        }
        if (!m->determined && judge(arena, &forms, &forms.items[f], measured, m, err) < 0)
            return -1;
    }
    return 0;
}
