/* results.c - fits every model for every device type, on several threads */
#include "calib/results/results.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/threads.h"
#include "calib/results/private.h"

static void form_fit_clear(struct gcal_result_form_fit *f)
{
    gcal_fit_clear(&f->fit);
    free(f->row);
    free(f->held_out_s);
    free(f->fold_out_s);
    free(f->features);
}

static void type_fit_clear(struct gcal_result_type_fit *t)
{
    for (size_t i = 0; i < t->n_forms; i++)
        form_fit_clear(&t->forms[i]);
    for (size_t i = 0; i < t->n_warnings; i++)
        free(t->warnings[i]);
    free(t->forms);
    free(t->warnings);
    free(t->type);
    free(t->reason);
    free(t->row_device);
    free(t->row_kernel);
    free(t->row_time_s);
    free(t->row_cell_s);
    free(t->row_scale);
    free(t->row_brief);
    free(t->row_mixed);
    free(t->device);
    free(t->factor);
    free(t->factor_error);
    free(t->estimate);
    free(t->estimate_error);
    gcal_result_known_free(t->known, t->n_known);
    gcal_proportions_clear(&t->stands_for);
}

void gcal_results_clear(struct gcal_results *results)
{
    for (size_t i = 0; i < results->n_fits; i++)
        type_fit_clear(&results->fits[i]);
    for (size_t i = 0; i < results->n_outliers; i++) {
        free(results->outliers[i].node);
        free(results->outliers[i].uid);
        free(results->outliers[i].text);
    }
    free(results->fits);
    free(results->outliers);
    gcal_result_speeds_clear(&results->speeds);
    *results = (struct gcal_results){ 0 };
}

/* Whether device 'i' is the first of its type that can be fitted. */
static bool leads_type(const struct gcal_record *record, size_t i)
{
    const struct gcal_run_device *device = &record->devices[i];

    if (device->failure)
        return false;
    for (size_t k = 0; k < i; k++) {
        const struct gcal_run_device *other = &record->devices[k];

        if (!other->failure && strcmp(other->info.type, device->info.type) == 0)
            return false;
    }
    return true;
}

static int keep_rows(struct gcal_result_type_fit *t, const struct gcal_result_rows *rows,
                     struct gcal_error *err)
{
    size_t n = rows->n + 1;

    t->row_device = calloc(n, sizeof(*t->row_device));
    t->row_kernel = calloc(n, sizeof(*t->row_kernel));
    t->row_time_s = calloc(n, sizeof(*t->row_time_s));
    t->row_scale = calloc(n, sizeof(*t->row_scale));
    t->row_brief = calloc(n, sizeof(*t->row_brief));
    if (!t->row_device || !t->row_kernel || !t->row_time_s || !t->row_scale ||
        !t->row_brief)
        return gcal_error_memory(err);
    for (size_t i = 0; i < rows->n; i++) {
        t->row_device[i] = rows->rows[i].device;
        t->row_kernel[i] = rows->rows[i].kernel;
        t->row_time_s[i] = rows->rows[i].time_s;
        t->row_scale[i] = rows->rows[i].scale;
        t->row_brief[i] = rows->rows[i].brief;
    }
    t->n_rows = rows->n;
    return 0;
}

/* Replaces the reason 'too few rows' if there are no rows at all. */
static int explain_no_rows(struct gcal_result_type_fit *t,
                           const struct gcal_record *record,
                           const struct gcal_model *model, struct gcal_error *err)
{
    bool asked = false;

    for (size_t i = 0; i < record->n_kernels; i++)
        asked = asked || gcal_kernel_uses_have(&record->kernels[i].uses, model->name,
                                               GCAL_KERNEL_FITTED);
    free(t->reason);
    t->reason = gcal_buf_format(
        asked ? "no kernel of model '%s' could be measured: see below"
              : "no kernel was measured for a model '%s': the record was made with "
                "other models",
        model->name);
    return t->reason ? 0 : gcal_error_memory(err);
}

/* ---- one fit ---- */

/* The rows of the devices that 't' is of; the caller's to free. */
static int rows_of(const struct gcal_record *record, const struct gcal_results *results,
                   const struct gcal_result_rows *all,
                   const struct gcal_result_type_fit *t, struct gcal_result_rows *own,
                   struct gcal_error *err)
{
    *own = (struct gcal_result_rows){ .rows = calloc(all->n + 1, sizeof(*all->rows)) };
    if (!own->rows)
        return gcal_error_memory(err);
    for (size_t i = 0; i < all->n; i++)
        if (gcal_result_is_fit_of(record, results, t, all->rows[i].device))
            own->rows[own->n++] = all->rows[i];
    return 0;
}

/* One model for one type of devices, t->model and t->type; 'all' and 'lost': rows_of(); 'like': of an
 * outlier, the fit of its type.
 */
static int fit_type(const struct gcal_record *record, const struct gcal_config *config,
                    const struct gcal_result_speeds *speeds, struct gcal_result_rows *all,
                    const struct gcal_result_rows *lost, struct gcal_result_type_fit *t,
                    const struct gcal_result_type_fit *like, struct gcal_error *err)
{
    const struct gcal_config_model *m = &config->models[t->model];
    struct gcal_result_rows rows = { 0 };
    int rc = -1;

    if (gcal_result_rows_pick(record, all, t->type, m, &rows, err) == 0 &&
        gcal_result_scale_rows(record, all, &rows, err) == 0 &&
        gcal_result_choose_accumulators(t, record, all, &rows, err) == 0 &&
        keep_rows(t, &rows, err) == 0 &&
        gcal_result_fit_forms(t, record, m, &rows, like, err) == 0 &&
        gcal_result_choose_form(t, m, err) == 0 &&
        gcal_result_check_targets(t, record, m, all, err) == 0 &&
        gcal_result_find_deviations(t, speeds, err) == 0 &&
        gcal_result_fit_devices(t, record, m, &rows, err) == 0 &&
        gcal_result_find_known(t, record, m, err) == 0)
        rc = gcal_result_find_slow_components(t, record, m, all, err);
    if (rc == 0)
        rc = gcal_result_widen_lost(t, record, m, &rows, lost, err);
    if (rc == 0)
        gcal_result_widen(t, m, speeds);
    free(rows.rows);
    if (rc == 0 && !t->n_rows)
        rc = explain_no_rows(t, record, m->model, err);
    return rc;
}

/* ---- in parallel: fits of many costs take seconds each ---- */

struct fitting {
    const struct gcal_record *record;
    const struct gcal_config *config;
    const struct gcal_result_rows *all, *lost;
    struct gcal_results *results;
    bool outliers;                               /* their turn */
    const struct gcal_result_progress *progress; /* NULL: nobody watches */
    pthread_mutex_t lock;                        /* of n_done, and for the watcher */
    size_t n_done;
};

static void report(struct fitting *f, size_t n_more)
{
    if (!f->progress)
        return;
    pthread_mutex_lock(&f->lock);
    f->n_done += n_more;
    f->progress->fitted(f->progress->context, f->n_done, f->results->n_fits);
    pthread_mutex_unlock(&f->lock);
}

static int fit_one(void *context, size_t i, struct gcal_error *err)
{
    struct fitting *f = context;
    struct gcal_result_type_fit *t = &f->results->fits[i];
    struct gcal_result_rows own = { 0 }, lost = { 0 };
    int rc;

    if (t->is_outlier != f->outliers)
        return 0;
    rc = rows_of(f->record, f->results, f->all, t, &own, err);
    if (rc == 0)
        rc = rows_of(f->record, f->results, f->lost, t, &lost, err);
    if (rc == 0)
        rc = fit_type(f->record, f->config, &f->results->speeds, &own, &lost, t,
                      t->is_outlier ? &f->results->fits[t->of] : NULL, err);
    free(own.rows);
    free(lost.rows);
    report(f, 1);
    return rc;
}

/* The numbers do not depend on the number of threads. */
static int fit_all(struct fitting *f, struct gcal_error *err)
{
    struct gcal_results *results = f->results;
    int rc;

    report(f, 0);
    rc = gcal_threads_share(results->n_fits, fit_one, f, err);
    f->outliers = true;
    if (rc == 0)
        rc = gcal_threads_share(results->n_fits, fit_one, f, err);
    for (size_t i = 0; i < results->n_fits; i++)
        results->n_rejected += !results->fits[i].good;
    return rc;
}

/* Whether the published calibrations of all devices of the type hold. */
static bool is_kept(const struct gcal_record *record, const char *type, const char *model)
{
    for (size_t i = 0; i < record->n_devices; i++) {
        const struct gcal_run_device *device = &record->devices[i];

        if (!device->failure && strcmp(device->info.type, type) == 0 &&
            !gcal_run_device_keeps(device, model))
            return false;
    }
    return true;
}

/* 'of': the fit of the outlier's type. */
static int add_fit(struct gcal_results *results, const char *type, size_t model,
                   const struct gcal_result_outlier *outlier, size_t of,
                   struct gcal_error *err)
{
    struct gcal_result_type_fit *t = &results->fits[results->n_fits++];

    t->model = model;
    t->is_outlier = outlier != NULL;
    t->outlier = outlier ? outlier->device : 0;
    t->of = of;
    return (t->type = strdup(type)) ? 0 : gcal_error_memory(err);
}

/* Of the type, and of each device that deviates from it. */
static int add_fits(const struct gcal_record *record, const struct gcal_config *config,
                    const struct gcal_result_rows *all, const char *type, size_t model,
                    struct gcal_results *results, struct gcal_error *err)
{
    struct gcal_result_rows rows = { 0 };
    size_t before = results->n_outliers, of = results->n_fits;
    int rc = add_fit(results, type, model, NULL, of, err);

    if (rc == 0)
        rc = gcal_result_rows_pick(record, all, type, &config->models[model], &rows, err);
    if (rc == 0)
        rc = gcal_result_find_outliers(record, &rows, model, results, err);
    for (size_t i = before; i < results->n_outliers && rc == 0; i++)
        if (!results->outliers[i].in_store) /* it has one, of its own run */
            rc = add_fit(results, type, model, &results->outliers[i], of, err);
    free(rows.rows);
    return rc;
}

/* A slot for each fit: at most two for each device and model. */
static int list_fits(const struct gcal_record *record, const struct gcal_config *config,
                     const struct gcal_result_rows *all, struct gcal_results *results,
                     struct gcal_error *err)
{
    size_t n_devices = record->n_devices;

    results->fits = calloc(2 * n_devices * config->n_models + 1, sizeof(*results->fits));
    if (!results->fits)
        return gcal_error_memory(err);
    for (size_t i = 0; i < n_devices; i++) {
        const struct gcal_device_info *info = &record->devices[i].info;

        for (size_t k = 0; leads_type(record, i) && k < config->n_models; k++)
            if (!config->models[k].unrecorded &&
                gcal_config_model_applies(&config->models[k], info) &&
                !is_kept(record, info->type, config->models[k].name) &&
                add_fits(record, config, all, info->type, k, results, err) < 0)
                return -1;
    }
    return 0;
}

/* Where no short launches were asked for, those there are serve as any other. */
static int read_rows(const struct gcal_record *record, const struct gcal_config *config,
                     struct gcal_result_rows *all, struct gcal_result_speeds *speeds,
                     struct gcal_error *err)
{
    if (gcal_result_rows_read(record, all, speeds, err) < 0)
        return -1;
    for (size_t i = 0; i < all->n; i++)
        all->rows[i].brief = all->rows[i].brief && config->measure.short_sizes > 0;
    return 0;
}

static int fit_watched(const struct gcal_record *record, const struct gcal_config *config,
                       const struct gcal_result_progress *progress,
                       struct gcal_results *results, struct gcal_error *err)
{
    struct gcal_results made = { 0 };
    struct gcal_result_rows all = { 0 }, lost = { 0 };
    struct fitting fitting = { .record = record,
                               .config = config,
                               .all = &all,
                               .lost = &lost,
                               .results = &made,
                               .progress = progress,
                               .lock = PTHREAD_MUTEX_INITIALIZER };
    int rc = -1;

    if (read_rows(record, config, &all, &made.speeds, err) == 0 &&
        gcal_result_find_lost(record, &lost, err) == 0 &&
        list_fits(record, config, &all, &made, err) == 0)
        rc = fit_all(&fitting, err);
    free(all.rows);
    free(lost.rows);
    if (rc < 0)
        gcal_results_clear(&made);
    else
        *results = made;
    return rc;
}

int gcal_results_fit(const struct gcal_record *record, const struct gcal_config *config,
                     struct gcal_results *results, struct gcal_error *err)
{
    return fit_watched(record, config, NULL, results, err);
}

int gcal_results_fit_with(const struct gcal_record *record,
                          const struct gcal_config *config,
                          struct gcal_result_speeds *speeds,
                          const struct gcal_result_progress *progress,
                          struct gcal_results *results, struct gcal_error *err)
{
    if (fit_watched(record, config, progress, results, err) < 0)
        return -1;
    if (speeds->n && !results->speeds.n) {
        results->speeds.items = speeds->items;
        results->speeds.n = speeds->n;
        speeds->items = NULL;
        speeds->n = 0;
    }
    return 0;
}
