/* compare.c - predictions of measured kernels by the published models */
#include "mpi/commands/predict/compare.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/profile.h"
#include "mpi/commands/predict/tag_filter.h"
#include "store/predict/predictor.h"

/* ---- which kernels ---- */

static bool has_tags(const struct gcal_evaluation_selection *j,
                     const struct gcal_run_kernel *k)
{
    return gcal_tag_filter_selects(j->n_tags, j->tags, k->name, 1, &k->generator);
}

static bool is_target(const struct gcal_measured_kernel *k, const char *model)
{
    return gcal_kernel_uses_have(&k->kernel.uses, model, GCAL_KERNEL_TARGET);
}

static bool is_any_target(const struct gcal_measured_kernel *k)
{
    for (size_t i = 0; i < k->kernel.uses.n; i++)
        if (k->kernel.uses.items[i].role == GCAL_KERNEL_TARGET)
            return true;
    return false;
}

static bool is_wanted(const struct gcal_evaluation_selection *j,
                      const struct gcal_measured_kernel *k, const char *model)
{
    return k->measured && (!j->model || strcmp(j->model, model) == 0) &&
           (j->all_targets ? is_any_target(k) : is_target(k, model));
}

bool gcal_evaluation_selects(const struct gcal_evaluation_selection *j,
                             const struct gcal_measured_kernel *k,
                             const struct gcal_params_device *device)
{
    if (j->n_tags)
        return k->measured && has_tags(j, &k->kernel);
    for (size_t i = 0; i < device->n_models; i++)
        if (is_wanted(j, k, device->models[i].name))
            return true;
    return false;
}

/* ---- predicting ---- */

static int take_prediction(struct gcal_evaluation_row *row,
                           const struct gcal_prediction *p, struct gcal_error *err)
{
    row->predicted_s = p->time_s;
    row->low_s = p->low_s;
    row->high_s = p->high_s;
    row->extrapolates = p->extrapolates;
    row->not_covered = p->not_covered;
    row->estimated = p->estimated;
    if (p->roof && !(row->roof = strdup(p->roof)))
        return gcal_error_memory(err);
    row->class = strdup(p->class);
    return row->class ? 0 : gcal_error_memory(err);
}

static int predict(const struct gcal_measured_kernel *k,
                   const struct gcal_profile *profile,
                   const struct gcal_params_device *device, const char *model,
                   struct gcal_evaluation_row *row, struct gcal_error *err)
{
    struct gcal_predictor *predictor;
    struct gcal_prediction p;
    int rc = -1;

    if (!profile)
        return gcal_error_set(err, GCAL_EINPUT, "%s", k->uncounted);
    if (!(predictor = gcal_predictor_create(device, model, profile, err)))
        return -1;
    if (row->baseline)
        gcal_predictor_disregard_gaps(predictor);
    if ((rc = gcal_predictor_eval(predictor, k->kernel.size_values, &p, NULL, err)) == 0)
        rc = take_prediction(row, &p, err);
    gcal_predictor_destroy(predictor);
    return rc;
}

/* ---- rows ---- */

/* "n:2048 m:4", in the order in which the kernel is counted. */
static char *name_sizes(const struct gcal_run_kernel *k, struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };

    gcal_buf_puts(&buf, "");
    for (size_t i = 0; i < k->n_sizes; i++)
        gcal_buf_printf(&buf, "%s%s:%.15g", i ? " " : "", k->size_names[i],
                        k->size_values[i]);
    return gcal_buf_take(&buf, err);
}

/* The model's name is that of a baseline, or its own. */
static int name_row(struct gcal_evaluation_row *row, const struct gcal_measured_kernel *k,
                    const char *model, struct gcal_error *err)
{
    const char *generator = k->kernel.generator;

    row->of = k;
    row->model = strdup(model);
    row->kernel = strdup(k->kernel.name);
    row->generator = strdup(generator);
    row->application = strndup(generator, strcspn(generator, "_"));
    row->variant = strdup(k->kernel.variant);
    row->sizes = name_sizes(&k->kernel, err);
    return row->model && row->kernel && row->generator && row->application &&
                   row->variant && row->sizes
               ? 0
               : gcal_error_memory(err);
}

static int take_time(struct gcal_evaluation_row *row,
                     const struct gcal_measured_kernel *k, struct gcal_error *err)
{
    row->status = gcal_measurement_status_name(k->status);
    if (k->status == GCAL_MEASUREMENT_GOOD && k->n_samples) {
        row->measured_s = k->time_s;
        row->spread = k->spread;
        row->n_samples = k->n_samples;
    } else if (k->detail && !(row->detail = strdup(k->detail)))
        return gcal_error_memory(err);
    return 0;
}

/* What cannot be predicted says why. */
static int fill_row(struct gcal_evaluation_row *row, const struct gcal_measured_kernel *k,
                    const struct gcal_profile *profile,
                    const struct gcal_evaluation_model *by,
                    const struct gcal_params_model *model, struct gcal_error *err)
{
    struct gcal_error why = { 0 };

    row->baseline = by->baseline;
    row->general = gcal_params_model_is_general(model);
    if (name_row(row, k, by->baseline ? by->baseline : model->name, err) < 0 ||
        take_time(row, k, err) < 0)
        return -1;
    if (predict(k, profile, by->device, model->name, row, &why) == 0)
        return 0;
    free(row->detail);
    return (row->detail = strdup(why.text)) ? 0 : gcal_error_memory(err);
}

int gcal_evaluation_add_kernel(struct gcal_evaluation *e,
                               const struct gcal_measured_kernel *k,
                               const struct gcal_evaluation_model *by,
                               struct gcal_error *err)
{
    const struct gcal_profile *profile =
        k->uncounted ? NULL : gcal_measured_kernel_profile(k, by->device->info.type, err);
    const struct gcal_params_model *model = NULL;
    struct gcal_evaluation_row *row = NULL;
    int rc = -1;

    if (profile || k->uncounted)
        model =
            gcal_predictor_choose(by->device, by->name, profile ? 1 : 0, &profile, err);
    if (model && (row = gcal_evaluation_add(e, err)))
        rc = fill_row(row, k, profile, by, model, err);
    gcal_profile_destroy((struct gcal_profile *)profile);
    return rc;
}

/* Kernels of a record that tags select. */
static int compare_tagged(const struct gcal_evaluation_selection *j,
                          const struct gcal_measured_kernels *measured,
                          const struct gcal_params_device *device,
                          struct gcal_evaluation *e, struct gcal_error *err)
{
    const struct gcal_evaluation_model by = { .device = device, .name = j->model };

    for (size_t i = 0; i < measured->n; i++)
        if (measured->kernels[i].measured && has_tags(j, &measured->kernels[i].kernel) &&
            gcal_evaluation_add_kernel(e, &measured->kernels[i], &by, err) < 0)
            return -1;
    return 0;
}

static int compare_targets(const struct gcal_evaluation_selection *j,
                           const struct gcal_measured_kernels *measured,
                           const struct gcal_params_device *device,
                           struct gcal_evaluation *e, struct gcal_error *err)
{
    for (size_t m = 0; m < device->n_models; m++) {
        const struct gcal_evaluation_model by = { .device = device,
                                                  .name = device->models[m].name };

        for (size_t i = 0; i < measured->n; i++)
            if (is_wanted(j, &measured->kernels[i], by.name) &&
                gcal_evaluation_add_kernel(e, &measured->kernels[i], &by, err) < 0)
                return -1;
    }
    return 0;
}

int gcal_evaluation_compare(const struct gcal_evaluation_selection *j,
                            const struct gcal_measured_kernels *measured,
                            const struct gcal_params_device *device,
                            struct gcal_evaluation *e, struct gcal_error *err)
{
    if ((j->n_tags ? compare_tagged : compare_targets)(j, measured, device, e, err) < 0)
        return -1;
    gcal_evaluation_sort(e);
    return 0;
}

/* ---- what is not published ---- */

static bool is_published(const struct gcal_params_device *device, const char *model)
{
    for (size_t i = 0; i < device->n_models; i++)
        if (strcmp(device->models[i].name, model) == 0)
            return true;
    return false;
}

/* Appends to "a, b" the models that 'uses' are targets of, without those that are
 * published or in 'seen'.
 */
static int add_missing(struct gcal_buf *buf, struct gcal_kernel_uses *seen,
                       const struct gcal_evaluation_selection *j,
                       const struct gcal_kernel_uses *uses,
                       const struct gcal_params_device *device, struct gcal_error *err)
{
    for (size_t i = 0; i < uses->n; i++) {
        const char *model = uses->items[i].model;

        if (uses->items[i].role != GCAL_KERNEL_TARGET ||
            (j->model && (j->all_targets || strcmp(j->model, model) != 0)) ||
            is_published(device, model) ||
            gcal_kernel_uses_have(seen, model, GCAL_KERNEL_TARGET))
            continue;
        gcal_buf_printf(buf, "%s%s", buf->size ? ", " : "", model);
        if (gcal_kernel_uses_add(seen, model, GCAL_KERNEL_TARGET, err) < 0)
            return -1;
    }
    return 0;
}

char *gcal_evaluation_missing(const struct gcal_evaluation_selection *j,
                              const struct gcal_measured_kernels *measured,
                              const struct gcal_params_device *device,
                              struct gcal_error *err)
{
    struct gcal_kernel_uses seen = { 0 };
    struct gcal_buf buf = { 0 };
    int rc = 0;

    gcal_buf_puts(&buf, "");
    for (size_t i = 0; i < measured->n && !j->n_tags && rc == 0; i++)
        rc = add_missing(&buf, &seen, j, &measured->kernels[i].kernel.uses, device, err);
    gcal_kernel_uses_clear(&seen);
    if (rc == 0)
        return gcal_buf_take(&buf, err);
    gcal_buf_free(&buf);
    return NULL;
}
