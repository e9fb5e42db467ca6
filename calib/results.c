#include "calib/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/results_private.h"

static void type_fit_clear(struct gcal_type_fit *t)
{
    free(t->type);
    gcal_fit_clear(&t->fit);
    free(t->row_device);
    free(t->row_kernel);
    free(t->row_time_s);
    free(t->device);
    free(t->factor);
    free(t->factor_error);
}

void gcal_results_clear(struct gcal_results *results)
{
    for (size_t i = 0; i < results->n_fits; i++)
        type_fit_clear(&results->fits[i]);
    free(results->fits);
    *results = (struct gcal_results){ 0 };
}

/* Is device 'i' the first that can be fitted of its type? */
static bool leads_type(const struct gcal_record *record, size_t i)
{
    const struct gcal_run_device *device = gcal_record_device(record, i);

    if (device->failure)
        return false;
    for (size_t k = 0; k < i; k++) {
        const struct gcal_run_device *other = gcal_record_device(record, k);

        if (!other->failure && strcmp(other->info.type, device->info.type) == 0)
            return false;
    }
    return true;
}

/* The rows that the model is fitted to on devices of 'type'. */
static int pick_rows(const struct gcal_record *record, const struct gcal_result_rows *all,
                     const char *type, const struct gcal_model *model,
                     struct gcal_result_rows *picked, struct gcal_error *err)
{
    *picked = (struct gcal_result_rows){ .rows = calloc(all->n + 1, sizeof(*all->rows)) };
    if (!picked->rows)
        return gcal_error_memory(err);
    for (size_t i = 0; i < all->n; i++) {
        const struct gcal_result_row *row = &all->rows[i];
        const struct gcal_device_info *info =
            &gcal_record_device(record, row->device)->info;

        if (strcmp(info->type, type) == 0 && gcal_model_is_for(model, info) &&
            gcal_names_contain(gcal_record_kernel(record, row->kernel)->models,
                               model->name))
            picked->rows[picked->n++] = *row;
    }
    return 0;
}

/* Copies of what the rows tell, and the list of devices that have some. */
static int keep_rows(struct gcal_type_fit *t, const struct gcal_result_rows *rows,
                     struct gcal_error *err)
{
    size_t n = rows->n + 1;

    t->row_device = calloc(n, sizeof(*t->row_device));
    t->row_kernel = calloc(n, sizeof(*t->row_kernel));
    t->row_time_s = calloc(n, sizeof(*t->row_time_s));
    t->device = calloc(n, sizeof(*t->device));
    t->factor = calloc(n, sizeof(*t->factor));
    t->factor_error = calloc(n, sizeof(*t->factor_error));
    if (!t->row_device || !t->row_kernel || !t->row_time_s || !t->device || !t->factor ||
        !t->factor_error)
        return gcal_error_memory(err);
    for (size_t i = 0; i < rows->n; i++) {
        const struct gcal_result_row *row = &rows->rows[i];
        size_t k = 0;

        t->row_device[i] = row->device;
        t->row_kernel[i] = row->kernel;
        t->row_time_s[i] = row->time_s;
        t->n_samples += row->n_samples;
        t->n_kernels += !i || row->kernel != row[-1].kernel;
        while (k < t->n_devices && t->device[k] != row->device)
            k++;
        if (k == t->n_devices)
            t->device[t->n_devices++] = row->device;
    }
    t->n_rows = rows->n;
    return 0;
}

static int solve(struct gcal_type_fit *t, const struct gcal_record *record,
                 const struct gcal_model *model, const struct gcal_result_rows *rows,
                 struct gcal_error *err)
{
    double *features = gcal_result_features(record, model, rows, err);
    double *spread = calloc(rows->n + 1, sizeof(*spread));
    struct gcal_fit_rows fit_rows = {
        .n_rows = rows->n,
        .n_features = model->n_features,
        .features = features,
        .time_s = t->row_time_s,
        .spread = spread,
    };
    int rc = -1;

    if (!spread)
        gcal_error_memory(err);
    for (size_t i = 0; spread && i < rows->n; i++)
        spread[i] = rows->rows[i].spread;
    if (features && spread && (rc = gcal_fit_solve(model, &fit_rows, &t->fit, err)) < 0)
        gcal_error_prefix(err, "model %s", model->name);
    free(features);
    free(spread);
    return rc;
}

/* Factors of a pooled fit's devices; NaN where the fit is not good. */
static int deviate(struct gcal_type_fit *t, struct gcal_error *err)
{
    double *predicted_s = calloc(t->n_rows + 1, sizeof(*predicted_s));
    double *time_s = calloc(t->n_rows + 1, sizeof(*time_s));

    for (size_t d = 0; predicted_s && time_s && d < t->n_devices; d++) {
        size_t n = 0;

        t->factor[d] = t->factor_error[d] = NAN;
        if (t->fit.status != GCAL_FIT_GOOD)
            continue;
        for (size_t i = 0; i < t->n_rows; i++)
            if (t->row_device[i] == t->device[d]) {
                predicted_s[n] = t->fit.predicted_s[i];
                time_s[n++] = t->row_time_s[i];
            }
        gcal_fit_deviation(predicted_s, time_s, n, &t->factor[d], &t->factor_error[d]);
    }
    free(predicted_s);
    free(time_s);
    return predicted_s && time_s ? 0 : gcal_error_memory(err);
}

/* What 'too few rows' comes from when there are none at all. */
static void explain_no_rows(const struct gcal_record *record,
                            const struct gcal_model *model, struct gcal_type_fit *t)
{
    bool asked = false;

    for (size_t i = 0; i < gcal_record_kernel_count(record); i++)
        asked = asked ||
                gcal_names_contain(gcal_record_kernel(record, i)->models, model->name);
    snprintf(t->fit.reason, sizeof(t->fit.reason),
             asked ? "no kernel of model '%s' could be measured; see below"
                   : "no kernel was measured for a model '%s': the record was made with "
                     "other models",
             model->name);
}

static int fit_type(const struct gcal_record *record, const struct gcal_config *config,
                    const struct gcal_result_rows *all, const char *type, size_t model,
                    struct gcal_results *results, struct gcal_error *err)
{
    struct gcal_type_fit *t = &results->fits[results->n_fits++];
    const struct gcal_model *m = config->models[model].model;
    struct gcal_result_rows rows = { 0 };
    int rc = -1;

    t->model = model;
    if (!(t->type = strdup(type)))
        return gcal_error_memory(err);
    if (pick_rows(record, all, type, m, &rows, err) == 0 &&
        keep_rows(t, &rows, err) == 0 && solve(t, record, m, &rows, err) == 0)
        rc = deviate(t, err);
    free(rows.rows);
    if (rc < 0)
        return -1;
    if (!t->n_rows)
        explain_no_rows(record, m, t);
    results->n_rejected += t->fit.status != GCAL_FIT_GOOD;
    return 0;
}

int gcal_results_fit(const struct gcal_record *record, const struct gcal_config *config,
                     struct gcal_results *results, struct gcal_error *err)
{
    size_t n_devices = gcal_record_device_count(record);
    struct gcal_results made = { 0 };
    struct gcal_result_rows all = { 0 };
    int rc = 0;

    made.fits = calloc(n_devices * config->n_models + 1, sizeof(*made.fits));
    if (!made.fits)
        return gcal_error_memory(err);
    if (gcal_result_rows_read(record, &all, err) < 0)
        rc = -1;
    for (size_t i = 0; i < n_devices && rc == 0; i++) {
        const struct gcal_device_info *info = &gcal_record_device(record, i)->info;

        if (!leads_type(record, i))
            continue;
        for (size_t k = 0; k < config->n_models && rc == 0; k++)
            if (gcal_model_is_for(config->models[k].model, info))
                rc = fit_type(record, config, &all, info->type, k, &made, err);
    }
    free(all.rows);
    if (rc < 0)
        gcal_results_clear(&made);
    else
        *results = made;
    return rc;
}
