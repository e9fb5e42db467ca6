/* results.c - fits every model for every device type, on several threads */
#include "calib/results/results.h"

#include <pthread.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/threads.h"
#include "calib/results/private.h"

void gcal_results_clear(struct gcal_results *results)
{
    gcal_arena_destroy(results->arena);
    *results = (struct gcal_results){ 0 };
}

/* Returns whether device 'i' is the first of its type that can be fitted. */
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

/* Why there are no rows at all, instead of 'too few rows'. */
static char *explain_no_rows(struct gcal_arena *arena, const struct gcal_record *record,
                             const char *model)
{
    bool asked = false;

    for (size_t i = 0; i < record->n_kernels; i++)
        asked = asked || gcal_kernel_uses_have(&record->kernels[i].uses, model,
                                               GCAL_KERNEL_FITTED);
    return gcal_arena_format(
        arena,
        asked ? "no kernel of model '%s' could be measured: see below"
              : "no kernel was measured for a model '%s': the record was made with "
                "other models",
        model);
}

/* ---- one fit ---- */

/* The rows of the devices that 't' is of. */
static struct gcal_result_rows rows_of(struct gcal_arena *arena,
                                       const struct gcal_record *record,
                                       const struct gcal_results *results,
                                       const struct gcal_result_rows *all,
                                       const struct gcal_result_type_fit *t)
{
    struct gcal_result_rows own = { .rows = gcal_arena_alloc(arena, all->n,
                                                             sizeof(*all->rows)) };

    for (size_t i = 0; i < all->n; i++)
        if (gcal_result_is_fit_of(record, results, t, all->rows[i].device))
            own.rows[own.n++] = all->rows[i];
    return own;
}

/* One model for one type of devices, t->model and t->type; 'all' and 'lost': rows_of(); 'like': of an
 * outlier, the fit of its type.
 */
static int fit_type(struct gcal_arena *scratch, const struct gcal_record *record,
                    const struct gcal_config *config,
                    const struct gcal_result_speeds *speeds, struct gcal_result_rows *all,
                    const struct gcal_result_rows *lost, struct gcal_result_type_fit *t,
                    const struct gcal_result_type_fit *like, struct gcal_error *err)
{
    const struct gcal_config_model *m = &config->models[t->model];
    struct gcal_result_rows rows =
        gcal_result_rows_pick(scratch, record, all, t->type, m);

    gcal_result_scale_rows(scratch, record, all, &rows);
    size_t n = t->n_rows = rows.n;

    t->row_device = gcal_arena_alloc(t->arena, n, sizeof(*t->row_device));
    t->row_kernel = gcal_arena_alloc(t->arena, n, sizeof(*t->row_kernel));
    t->row_time_s = gcal_arena_alloc(t->arena, n, sizeof(*t->row_time_s));
    t->row_scale = gcal_arena_alloc(t->arena, n, sizeof(*t->row_scale));
    for (size_t i = 0; i < n; i++) {
        t->row_device[i] = rows.rows[i].device;
        t->row_kernel[i] = rows.rows[i].kernel;
        t->row_time_s[i] = rows.rows[i].time_s;
        t->row_scale[i] = rows.rows[i].scale;
        t->n_samples += rows.rows[i].n_samples;
        t->n_kernels += !i || rows.rows[i].kernel != rows.rows[i - 1].kernel;
    }
    if (gcal_result_fit_forms(scratch, t, record, m, &rows, like, err) < 0)
        return -1;
    gcal_result_choose_form(scratch, t, m);
    gcal_result_find_deviations(scratch, t);
    if (gcal_result_fit_devices(scratch, t, record, m, &rows, err) < 0 ||
        gcal_result_find_known(t, record, m, err) < 0 ||
        gcal_result_widen_lost(scratch, t, record, m, &rows, lost, err) < 0)
        return -1;
    gcal_result_find_slow_loads(scratch, t, record);
    gcal_result_widen(scratch, record, t, m, speeds);
    if (!t->n_rows)
        t->reason = explain_no_rows(t->arena, record, m->model->name);
    return 0;
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
    struct gcal_arena *scratch;
    struct gcal_result_rows own, lost;
    int rc;

    if (t->is_outlier != f->outliers)
        return 0;
    scratch = gcal_arena_create();
    own = rows_of(scratch, f->record, f->results, f->all, t);
    lost = rows_of(scratch, f->record, f->results, f->lost, t);
    rc = fit_type(scratch, f->record, f->config, &f->results->speeds, &own, &lost, t,
                  t->is_outlier ? &f->results->fits[t->of] : NULL, err);
    gcal_arena_destroy(scratch);
    report(f, 1);
    return rc;
}

/* Returns whether the published calibrations of all devices of the type hold. */
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
static void add_fit(struct gcal_results *results, const char *type, size_t model,
                    const struct gcal_result_outlier *outlier, size_t of)
{
    struct gcal_result_type_fit *t = &results->fits[results->n_fits++];

    t->arena = gcal_arena_child(results->arena);
    t->type = gcal_arena_strdup(t->arena, type);
    t->model = model;
    t->is_outlier = outlier != NULL;
    t->outlier = outlier ? outlier->device : 0;
    t->of = of;
}

/* Adds fits of the type, and of each device that deviates from it. */
static void add_fits(struct gcal_arena *scratch, const struct gcal_record *record,
                     const struct gcal_config *config, const struct gcal_result_rows *all,
                     const char *type, size_t model, struct gcal_results *results)
{
    struct gcal_result_rows rows =
        gcal_result_rows_pick(scratch, record, all, type, &config->models[model]);
    size_t before = results->n_outliers, of = results->n_fits;

    add_fit(results, type, model, NULL, of);
    gcal_result_find_outliers(scratch, record, &rows, model, results);
    for (size_t i = before; i < results->n_outliers; i++)
        if (!results->outliers[i].in_store) /* it has one, of its own run */
            add_fit(results, type, model, &results->outliers[i], of);
}

int gcal_results_fit_with(const struct gcal_record *record,
                          const struct gcal_config *config,
                          const struct gcal_result_speeds *speeds,
                          const struct gcal_result_progress *progress,
                          struct gcal_results *results, struct gcal_error *err)
{
    struct gcal_arena *scratch = gcal_arena_create();
    struct gcal_results made = { .arena = gcal_arena_create() };
    struct gcal_result_rows all, lost;
    struct fitting fitting = { .record = record,
                               .config = config,
                               .all = &all,
                               .lost = &lost,
                               .results = &made,
                               .progress = progress,
                               .lock = PTHREAD_MUTEX_INITIALIZER };
    int rc = -1;

    if (gcal_result_rows_read(made.arena, record, &all, &made.speeds, err) < 0 ||
        gcal_result_find_lost(scratch, record, &lost, err) < 0)
        goto out;
    if (speeds) {
        /* what the record does not tell */
        if (!made.speeds.n) {
            made.speeds.items = speeds->items;
            made.speeds.n = speeds->n;
        }
        made.speeds.track = speeds->track;
        made.speeds.n_tracks = speeds->n_tracks;
    }
    /* A slot for each fit: at most two for each device and model. */
    made.fits = gcal_arena_alloc(made.arena, 2 * record->n_devices * config->n_models,
                                 sizeof(*made.fits));
    for (size_t i = 0; i < record->n_devices; i++) {
        const struct gcal_device_info *info = &record->devices[i].info;

        for (size_t k = 0; leads_type(record, i) && k < config->n_models; k++)
            if (!config->models[k].unrecorded &&
                gcal_config_model_applies(&config->models[k], info) &&
                !is_kept(record, info->type, config->models[k].name))
                add_fits(scratch, record, config, &all, info->type, k, &made);
    }
    report(&fitting, 0);
    /* The numbers do not depend on the number of threads.  Outliers need the fits of their types. */
    rc = gcal_threads_share(made.n_fits, fit_one, &fitting, err);
    fitting.outliers = true;
    if (rc == 0)
        rc = gcal_threads_share(made.n_fits, fit_one, &fitting, err);
    for (size_t i = 0; i < made.n_fits; i++)
        made.n_rejected += !made.fits[i].good;
out:
    gcal_arena_destroy(scratch);
    if (rc < 0)
        gcal_results_clear(&made);
    else
        *results = made;
    return rc;
}

int gcal_results_fit(const struct gcal_record *record, const struct gcal_config *config,
                     struct gcal_results *results, struct gcal_error *err)
{
    return gcal_results_fit_with(record, config, NULL, NULL, results, err);
}
