/* outlook.c - what a plan amounts to, before anything is measured
 *
 * Whether the kernels determine a model's parameters depends hardly on the parameters' values:
 * each form gets the times that plausible values give, and is fitted to them.
 */
#include "calib/plan/outlook.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/plan/gain_form.h"
#include "calib/plan/sweep.h"

/* Time to build, check and sweep a family: of GPUs; on CPUs, more of the budget is left over. */
#define OPENING_S 0.1

/* ---- numbers ---- */

/* 0 for sizes without a geometry, which are not measured either. */
static double buffers_bytes(const struct gcal_kernel *kernel)
{
    struct gcal_geometry geometry;
    double bytes = 0;

    if (gcal_kernel_geometry(kernel, kernel->n_sizes, kernel->sizes, &geometry, NULL) ==
        0) {
        bytes = geometry.total_bytes;
        gcal_kernel_geometry_clear(&geometry);
    }
    return bytes;
}

/* Of a size sweep, the longest sizes that are not too long are measured.  Which they are does
 * not matter here: the largest.
 */
static size_t choose_sizes(const struct gcal_plan_families *families, bool *measured)
{
    size_t n = 0;

    for (size_t i = 0; i < families->n; i++) {
        const struct gcal_plan_family *f = &families->families[i];
        size_t sizes = f->n_wanted + f->n_short;

        sizes = f->n_sizes < sizes ? f->n_sizes : sizes;
        for (size_t k = 0; k < f->n_fixed; k++)
            measured[f->fixed[k]] = true;
        for (size_t k = f->n_sizes - sizes; k < f->n_sizes; k++)
            measured[f->sizes[k]] = true;
        n += f->n_fixed + sizes;
    }
    return n;
}

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
        outlook->n_measured = choose_sizes(&families, measured);
        outlook->n_launches_least = outlook->n_measured * measure->min_samples;
        outlook->n_launches_most = outlook->n_measured * measure->max_samples;
        outlook->time_s = fmin(measure->budget_s,
                               (double)families.n * OPENING_S +
                                   (double)outlook->n_launches_least *
                                       sqrt(measure->min_time_s * measure->max_time_s));
    }
    for (size_t i = 0; i < kernels->n_kernels; i++)
        outlook->memory_bytes =
            fmax(outlook->memory_bytes, buffers_bytes(kernels->kernels[i]));
    gcal_plan_families_clear(&families);
    return rc;
}

/* ---- models ---- */

/* Exact times of the form at its present values. */
static int assume_times(struct gcal_plan_gain *gain, const struct gcal_plan_form *form,
                        const bool *measured, struct gcal_error *err)
{
    const struct gcal_built unknown = { 0 };

    for (size_t i = 0; i < gain->kernels->n_kernels; i++) {
        double time_s = form->serves[i] && measured[i]
                            ? gcal_plan_form_time_s(form, form->value, i)
                            : 0;

        if (gcal_plan_gain_add(gain, i, isfinite(time_s) && time_s > 0 ? time_s : 0, 0.01,
                               &unknown, err) < 0)
            return -1;
    }
    return 0;
}

static void put_name(struct gcal_buf *buf, const char *name)
{
    gcal_buf_printf(buf, "%s%s", buf->size ? ", " : "", name);
}

static char *undetermined_names(const struct gcal_plan_form *form, struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };

    for (size_t j = 0; j < form->model->n_parameters; j++)
        if (!form->fit.undetermined || form->fit.undetermined[j])
            put_name(&buf, form->model->parameters[j].name);
    gcal_buf_puts(&buf, "");
    return gcal_buf_take(&buf, err);
}

/* "p_a and p_b, p_c and p_d" */
static char *merged_names(const struct gcal_plan_form *form, struct gcal_error *err)
{
    const struct gcal_model_parameter *p = form->model->parameters;
    struct gcal_buf buf = { 0 };

    for (size_t j = 0; form->fit.merged_with && j < form->model->n_parameters; j++)
        if (form->fit.merged_with[j] != j)
            gcal_buf_printf(&buf, "%s%s and %s", buf.size ? ", " : "",
                            p[form->fit.merged_with[j]].name, p[j].name);
    gcal_buf_puts(&buf, "");
    return gcal_buf_take(&buf, err);
}

static int judge(struct gcal_plan_gain *gain, struct gcal_plan_form *form,
                 const bool *measured, struct gcal_plan_outlook_model *m,
                 struct gcal_error *err)
{
    if (assume_times(gain, form, measured, err) < 0 ||
        gcal_plan_form_fit(gain, form, err) < 0)
        return -1;
    m->n_kernels = form->fit.n_rows;
    m->n_parameters = form->model->n_parameters;
    m->determined =
        form->fit.status == GCAL_FIT_GOOD ||
        form->fit.status == GCAL_FIT_NOT_CONVERGED; /* with other times it may */
    free(m->undetermined);
    free(m->merged);
    m->undetermined = m->determined ? strdup("") : undetermined_names(form, err);
    m->merged = merged_names(form, err);
    return m->undetermined && m->merged ? 0 : gcal_error_memory(err);
}

/* The forms are in the order of the models.  One that is determined is enough. */
static int judge_all(struct gcal_plan_gain *gain, const bool *measured,
                     struct gcal_plan_outlook *outlook, struct gcal_error *err)
{
    struct gcal_plan_outlook_model *m = NULL;

    outlook->models = calloc(gain->n_forms + 1, sizeof(*outlook->models));
    if (!outlook->models)
        return gcal_error_memory(err);
    for (size_t f = 0; f < gain->n_forms; f++) {
        const char *name = gain->forms[f].model->name;

        if (!m || strcmp(m->name, name) != 0) {
            m = &outlook->models[outlook->n_models++];
            m->name = name;
        }
        if (!m->determined && judge(gain, &gain->forms[f], measured, m, err) < 0)
            return -1;
    }
    return 0;
}

int gcal_plan_outlook_make(const struct gcal_config *config,
                           const struct gcal_device_info *info,
                           const struct gcal_kernel_list *kernels,
                           struct gcal_plan_outlook *outlook, struct gcal_error *err)
{
    struct gcal_plan_gain *gain = gcal_plan_gain_create(config, info, kernels, err);
    bool *measured = calloc(kernels->n_kernels + 1, sizeof(*measured));
    int rc = gain && !measured ? gcal_error_memory(err) : -1;

    *outlook = (struct gcal_plan_outlook){ .n_kernels = kernels->n_kernels,
                                           .budget_s = config->measure.budget_s };
    if (gain && measured &&
        count(&config->measure, kernels, measured, outlook, err) == 0 &&
        gcal_plan_gain_fit(gain, err) == 0) /* without times: plausible values */
        rc = judge_all(gain, measured, outlook, err);
    free(measured);
    gcal_plan_gain_destroy(gain);
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
