/* results.c - fits every model for every device type, on several threads */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "calib/results/results.h"
#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/threads.h"
#include "kernels/base/buf.h"
#include "kernels/base/units.h"
#include "calib/results/private.h"

/* ---- chooses the form of a model with the smallest held-out error ---- */

/* Errors that differ by a smaller factor count as equal. */
#define TIE 1.05
/* And so do errors that differ by less than this: noise. */
#define NOISE 5e-4

/* ---- held-out errors ---- */

/* The held-out prediction of row 'i' by one form: if only the row's generator has one of
 * its costs, by the generator's other kernels.
 */
static double held_out_prediction(const struct gcal_result_form_fit *f, size_t i)
{
    return isnan(f->held_out_s[i]) ? f->fold_out_s[i] : f->held_out_s[i];
}

static size_t count_predicted(const struct gcal_result_type_fit *t,
                              const struct gcal_result_form_fit *f)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n_rows; i++)
        n += !isnan(held_out_prediction(f, i));
    return n;
}

/* A form that needs most of its kernels to be determined has few held-out predictions.
 * It must not reduce the rows that the other forms are compared by.
 */
static bool competes(const struct gcal_result_type_fit *t,
                     const struct gcal_result_form_fit *f)
{
    size_t most = 0;

    for (size_t k = 0; k < t->n_forms; k++)
        if (t->forms[k].fit.status == GCAL_FIT_GOOD) {
            size_t n = count_predicted(t, &t->forms[k]);

            most = n > most ? n : most;
        }
    return f->fit.status == GCAL_FIT_GOOD && 2 * count_predicted(t, f) >= most;
}

static bool all_predict(const struct gcal_result_type_fit *t, const bool *competing,
                        bool folds, size_t i)
{
    for (size_t k = 0; k < t->n_forms; k++) {
        const struct gcal_result_form_fit *f = &t->forms[k];

        if (competing[k] && isnan(folds ? f->fold_out_s[i] : f->held_out_s[i]))
            return false;
    }
    return true;
}

/* All forms are compared by predictions with the same rows left out: a form that needs
 * the row's generator must neither lose nor win by it.
 */
static double common_prediction(const struct gcal_result_type_fit *t,
                                const bool *competing, size_t form, size_t i)
{
    if (all_predict(t, competing, false, i))
        return t->forms[form].held_out_s[i];
    return all_predict(t, competing, true, i) ? t->forms[form].fold_out_s[i] : NAN;
}

/* Over common rows, if there are any. */
static void summarize_all(struct gcal_arena *scratch, struct gcal_result_type_fit *t,
                          const bool *competing)
{
    double *common = gcal_arena_alloc(scratch, t->n_rows, sizeof(*common));
    double *alone = gcal_arena_alloc(scratch, t->n_rows, sizeof(*alone));

    for (size_t k = 0; k < t->n_forms; k++) {
        bool any = false;

        for (size_t i = 0; i < t->n_rows; i++) {
            common[i] = common_prediction(t, competing, k, i);
            alone[i] = held_out_prediction(&t->forms[k], i);
            any |= !isnan(common[i]);
        }
        /* Forms are compared against medians over devices: what differs between these chooses
         * no form.
         */
        const double *kept = any && competing[k] ? common : alone;

        t->forms[k].compared = gcal_fit_summarize_errors(t->n_rows, t->row_cell_s, kept);
        t->forms[k].held_out = gcal_fit_summarize_errors(t->n_rows, t->row_time_s, kept);
    }
}

/* ---- choosing ---- */

/* The mean of logarithms: kernels that no form explains would dominate squares, and those
 * that a form hits by chance the geometric mean.  If nothing could be held out, the
 * residual.
 */
static double score(const struct gcal_result_form_fit *f)
{
    return f->compared.n ? f->compared.mean_log : f->fit.residual;
}

static bool is_simpler(const struct gcal_result_form_fit *a,
                       const struct gcal_result_form_fit *b)
{
    if (a->fit.n_parameters != b->fit.n_parameters)
        return a->fit.n_parameters < b->fit.n_parameters;
    return score(a) < score(b);
}

static void put_choice(struct gcal_buf *buf, const struct gcal_result_type_fit *t,
                       const struct gcal_config_model *config, const bool *competing,
                       size_t smallest)
{
    const struct gcal_result_form_fit *f = &t->forms[t->best];
    const char *before = ", against ";
    char error[GCAL_UNITS_SIZE];

    gcal_buf_printf(buf, "%s: mean error %s over ", config->forms[t->best].name,
                    gcal_units_percent(score(f), error));
    if (f->compared.n)
        gcal_buf_printf(buf, "%zu held-out measurement%s", f->compared.n,
                        f->compared.n == 1 ? "" : "s");
    else
        gcal_buf_printf(buf, "the %zu fitted measurement%s, as none could be held out",
                        t->n_rows, t->n_rows == 1 ? "" : "s");
    for (size_t k = 0; k < t->n_forms; k++)
        if (competing[k] && k != t->best) {
            gcal_buf_printf(buf, "%s%s %s", before, config->forms[k].name,
                            gcal_units_percent(score(&t->forms[k]), error));
            before = ", ";
        }
    if (t->best != smallest)
        gcal_buf_puts(buf, "; of the forms with nearly equal errors, the one with the "
                           "fewest parameters");
}

/* Chooses the form with the smallest held-out error: t->best, t->good, t->reason. */
static void choose_form(struct gcal_arena *scratch, struct gcal_result_type_fit *t,
                        const struct gcal_config_model *config)
{
    bool *competing = gcal_arena_alloc(scratch, t->n_forms, sizeof(*competing));
    size_t smallest = t->n_forms;
    struct gcal_buf buf = { 0 };

    for (size_t k = 0; k < t->n_forms; k++)
        competing[k] = competes(t, &t->forms[k]);
    summarize_all(scratch, t, competing);
    for (size_t k = 0; k < t->n_forms; k++)
        if (competing[k] &&
            (smallest == t->n_forms || score(&t->forms[k]) < score(&t->forms[smallest])))
            smallest = k;
    t->good = smallest < t->n_forms;
    if (t->good) {
        double least = score(&t->forms[smallest]);

        t->best = smallest;
        for (size_t k = 0; k < t->n_forms; k++)
            if (competing[k] && score(&t->forms[k]) <= fmax(TIE * least, least + NOISE) &&
                is_simpler(&t->forms[k], &t->forms[t->best]))
                t->best = k;
        put_choice(&buf, t, config, competing, smallest);
    }
    for (size_t k = 0; k < t->n_forms && !t->good; k++)
        gcal_buf_printf(&buf, "%s%s%s%s", buf.size ? "; " : "",
                        t->n_forms > 1 ? config->forms[k].name : "",
                        t->n_forms > 1 ? ": " : "", t->forms[k].fit.reason);
    t->reason = gcal_arena_take(t->arena, &buf);
}

/* ---- fits every model for every device type, on several threads ---- */

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
    choose_form(scratch, t, m);
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
