#include "calib/results/results.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/results/private.h"

static void form_fit_clear(struct gcal_result_form_fit *f)
{
    gcal_fit_clear(&f->fit);
    free(f->row);
    free(f->held_out_s);
    free(f->fold_out_s);
}

static void type_fit_clear(struct gcal_result_type_fit *t)
{
    for (size_t i = 0; i < t->n_forms; i++)
        form_fit_clear(&t->forms[i]);
    for (size_t i = 0; i < t->n_slow; i++)
        free(t->slow[i]);
    free(t->forms);
    free(t->slow);
    free(t->type);
    free(t->reason);
    free(t->row_device);
    free(t->row_kernel);
    free(t->row_time_s);
    free(t->row_mixed);
    free(t->device);
    free(t->factor);
    free(t->factor_error);
    free(t->own);
    free(t->own_error);
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

static int keep_rows(struct gcal_result_type_fit *t, const struct gcal_result_rows *rows,
                     struct gcal_error *err)
{
    size_t n = rows->n + 1;

    t->row_device = calloc(n, sizeof(*t->row_device));
    t->row_kernel = calloc(n, sizeof(*t->row_kernel));
    t->row_time_s = calloc(n, sizeof(*t->row_time_s));
    if (!t->row_device || !t->row_kernel || !t->row_time_s)
        return gcal_error_memory(err);
    for (size_t i = 0; i < rows->n; i++) {
        t->row_device[i] = rows->rows[i].device;
        t->row_kernel[i] = rows->rows[i].kernel;
        t->row_time_s[i] = rows->rows[i].time_s;
    }
    t->n_rows = rows->n;
    return 0;
}

/* What 'too few rows' comes from when there are none at all. */
static int explain_no_rows(struct gcal_result_type_fit *t,
                           const struct gcal_record *record,
                           const struct gcal_model *model, struct gcal_error *err)
{
    bool asked = false;

    for (size_t i = 0; i < gcal_record_kernel_count(record); i++)
        asked = asked || gcal_config_names_contain(gcal_record_kernel(record, i)->models,
                                                   model->name);
    free(t->reason);
    t->reason = gcal_buf_format(
        asked ? "no kernel of model '%s' could be measured; see below"
              : "no kernel was measured for a model '%s': the record was made with "
                "other models",
        model->name);
    return t->reason ? 0 : gcal_error_memory(err);
}

/* One model for one type of devices; 't' knows which. */
static int fit_type(const struct gcal_record *record, const struct gcal_config *config,
                    const struct gcal_result_rows *all, struct gcal_result_type_fit *t,
                    struct gcal_error *err)
{
    const struct gcal_config_model *m = &config->models[t->model];
    struct gcal_result_rows rows = { 0 };
    int rc = -1;

    if (gcal_result_rows_pick(record, all, t->type, m->model, &rows, err) == 0 &&
        gcal_result_choose_accumulators(t, record, all, &rows, err) == 0 &&
        keep_rows(t, &rows, err) == 0 &&
        gcal_result_fit_forms(t, record, m, &rows, err) == 0 &&
        gcal_result_choose_form(t, m, err) == 0 &&
        gcal_result_check_targets(t, record, m, all, err) == 0 &&
        gcal_result_find_deviations(t, err) == 0 &&
        gcal_result_fit_devices(t, record, m, &rows, err) == 0)
        rc = gcal_result_find_slow_components(t, record, m, all, err);
    free(rows.rows);
    if (rc == 0 && !t->n_rows)
        rc = explain_no_rows(t, record, m->model, err);
    return rc;
}

/* ---- side by side: fits of many costs take seconds each ---- */

struct fitting {
    const struct gcal_record *record;
    const struct gcal_config *config;
    const struct gcal_result_rows *all;
    struct gcal_results *results;
    atomic_size_t next;
    pthread_mutex_t lock; /* of what follows */
    size_t failed;        /* the first fit that did, SIZE_MAX: none */
    struct gcal_error *err;
};

static void *fit_some(void *context)
{
    struct fitting *f = context;
    size_t i;

    while ((i = atomic_fetch_add(&f->next, 1)) < f->results->n_fits) {
        struct gcal_error err = { 0 };

        if (fit_type(f->record, f->config, f->all, &f->results->fits[i], &err) == 0)
            continue;
        pthread_mutex_lock(&f->lock);
        if (i < f->failed) {
            f->failed = i;
            *f->err = err;
        }
        pthread_mutex_unlock(&f->lock);
    }
    return NULL;
}

/* The numbers do not depend on how many threads there are: each fit is one thread's. */
static int fit_all(struct fitting *f)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t n = f->results->n_fits, n_threads = 0;
    pthread_t *threads = calloc(n + 1, sizeof(*threads));

    if (!threads)
        return gcal_error_memory(f->err);
    /* This thread is one of them, and the only one where no other starts. */
    while (n_threads + 1 < n && (long)n_threads + 1 < processors &&
           pthread_create(&threads[n_threads], NULL, fit_some, f) == 0)
        n_threads++;
    fit_some(f);
    for (size_t i = 0; i < n_threads; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    for (size_t i = 0; i < n; i++)
        f->results->n_rejected += !f->results->fits[i].good;
    return f->failed == SIZE_MAX ? 0 : -1;
}

/* Slots for what is to be fitted. */
static int list_fits(const struct gcal_record *record, const struct gcal_config *config,
                     struct gcal_results *results, struct gcal_error *err)
{
    size_t n_devices = gcal_record_device_count(record);

    results->fits = calloc(n_devices * config->n_models + 1, sizeof(*results->fits));
    if (!results->fits)
        return gcal_error_memory(err);
    for (size_t i = 0; i < n_devices; i++) {
        const struct gcal_device_info *info = &gcal_record_device(record, i)->info;

        for (size_t k = 0; leads_type(record, i) && k < config->n_models; k++) {
            struct gcal_result_type_fit *t = &results->fits[results->n_fits];

            if (!gcal_config_model_applies(config->models[k].model, info))
                continue;
            results->n_fits++;
            t->model = k;
            if (!(t->type = strdup(info->type)))
                return gcal_error_memory(err);
        }
    }
    return 0;
}

int gcal_results_fit(const struct gcal_record *record, const struct gcal_config *config,
                     struct gcal_results *results, struct gcal_error *err)
{
    struct gcal_results made = { 0 };
    struct gcal_result_rows all = { 0 };
    struct gcal_error first = { 0 };
    struct fitting fitting = { .record = record,
                               .config = config,
                               .all = &all,
                               .results = &made,
                               .lock = PTHREAD_MUTEX_INITIALIZER,
                               .failed = SIZE_MAX,
                               .err = &first };
    int rc = -1;

    if (list_fits(record, config, &made, err) == 0 &&
        gcal_result_rows_read(record, &all, err) == 0 && (rc = fit_all(&fitting)) < 0 &&
        err)
        *err = first;
    free(all.rows);
    if (rc < 0)
        gcal_results_clear(&made);
    else
        *results = made;
    return rc;
}
