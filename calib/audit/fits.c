/* fits.c - the audit of a device type: its published fits as calibrations of one device */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/audit/private.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/base/strings.h"
#include "store/ledger/lines.h"

/* The fits as a track, whose texts are theirs. */
struct runs {
    struct gcal_track track;
    struct gcal_track_columns *columns; /* by run */
};

/* ---- the history ---- */

/* Of the last publication by that run. */
static const char *published_by(const struct gcal_ledger_scope *published,
                                const char *run_id)
{
    for (size_t i = published->n; i > 0; i--)
        if (published->line[i - 1]->keeps &&
            strcmp(published->line[i - 1]->run_id, run_id) == 0)
            return published->line[i - 1]->utc;
    return "";
}

static void fit_clear(struct gcal_audit_fit *fit)
{
    free(fit->run_id);
    free(fit->published_utc);
    gcal_params_clear(&fit->params);
}

/* One that cannot be read stops no other. */
static int add_fit(struct gcal_audit_fits *fits, const struct gcal_store *store,
                   const char *type, const char *run_id, const char *utc,
                   struct gcal_error *err)
{
    struct gcal_audit_fit *fit = &fits->fit[fits->n];
    struct gcal_error why = { 0 };

    if (gcal_store_load_type(store, type, run_id, &fit->params, &why) < 0 ||
        !fit->params.n_devices) {
        gcal_log(GCAL_LOG_WARN, "type %s: the fit of run %s is left out: %s", type,
                 run_id, *why.text ? why.text : "it has no device");
        gcal_params_clear(&fit->params);
        return 0;
    }
    fits->n++;
    fit->run_id = strdup(run_id);
    fit->published_utc = strdup(utc);
    return fit->run_id && fit->published_utc ? 0 : gcal_error_memory(err);
}

/* The newest 'most' of 'runs'. */
static int add_fits(struct gcal_audit_fits *fits, const struct gcal_store *store,
                    const struct gcal_ledger_scope *published, const char *type,
                    char **runs, size_t n, size_t most, struct gcal_error *err)
{
    size_t first = n > most ? n - most : 0;

    if (!(fits->fit = calloc(n - first + 1, sizeof(*fits->fit))))
        return gcal_error_memory(err);
    for (size_t i = first; i < n; i++)
        if (add_fit(fits, store, type, runs[i], published_by(published, runs[i]), err) <
            0)
            return -1;
    return 0;
}

static int load_fits(const struct gcal_store *store, struct gcal_ledger_lines *lines,
                     const char *type, size_t most, struct gcal_audit_fits *fits,
                     struct gcal_error *err)
{
    char *scope = gcal_buf_format("types/%s", type), **runs = NULL;
    struct gcal_ledger_scope published = { 0 };
    size_t n = 0;
    int rc;

    if (!scope)
        return gcal_error_memory(err);
    rc = lines ? gcal_ledger_history(lines, scope, &runs, &n, NULL, err)
               : gcal_store_history(store, scope, &runs, &n, err);
    if (rc == 0) {
        if (lines)
            rc = gcal_ledger_lines_find(lines, scope, &published, err);
        if (rc == 0)
            rc = add_fits(fits, store, &published, type, runs, n, most, err);
        gcal_strings_free(runs, n);
    }
    free(published.line);
    free(scope);
    return rc;
}

/* ---- the track ---- */

/* Whether the publication fitted the model, else it kept that of an earlier one; and whether it is
 * still published: 'now'.
 */
static bool is_followed(const struct gcal_params_device *d,
                        const struct gcal_params_model *m,
                        const struct gcal_params_device *now)
{
    return strcmp(gcal_params_model_origin(d, m).run_id, d->run_id) == 0 &&
           gcal_params_find_model(now, m->name);
}

static size_t count_values(const struct gcal_params_device *d,
                           const struct gcal_params_device *now)
{
    size_t n = 0;

    for (size_t i = 0; i < d->n_models; i++)
        n += is_followed(d, &d->models[i], now) ? d->models[i].n_parameters : 0;
    return n;
}

static void put_values(const struct gcal_params_device *d,
                       const struct gcal_params_model *m,
                       struct gcal_track_columns *columns, struct gcal_track_run *run)
{
    const char *configuration = gcal_params_model_origin(d, m).configuration;

    for (size_t i = 0; i < m->n_parameters; i++) {
        columns->column[columns->n] = (struct gcal_track_column){
            .model = m->name,
            .form = m->form,
            .parameter = m->parameter[i],
            .unit = m->unit[i],
            .configuration = configuration ? configuration : "",
        };
        run->value[columns->n] = m->value[i];
        run->error[columns->n++] = m->standard_error[i];
    }
}

static int fill_run(const struct gcal_audit_fit *fit, const char *type,
                    const struct gcal_params_device *now,
                    struct gcal_track_columns *columns, struct gcal_track_run *run,
                    struct gcal_error *err)
{
    const struct gcal_params_device *d = fit->params.devices;
    size_t n = count_values(d, now);

    *run = (struct gcal_track_run){
        .run_id = fit->run_id,
        .utc = *fit->published_utc ? fit->published_utc : d->calibrated_utc,
        .uid = type,
        .type = type,
        .name = d->info.name,
        .driver = d->info.driver,
        .configuration = d->configuration,
        .catalogue = d->catalogue,
        .gpucal_version = d->gpucal_version,
        .columns = columns,
        .value = calloc(2 * n + 1, sizeof(*run->value)),
        .n_devices = d->n_fitted,
    };
    columns->column = calloc(n + 1, sizeof(*columns->column));
    if (!run->value || !columns->column)
        return gcal_error_memory(err);
    run->error = run->value + n;
    for (size_t i = 0; i < d->n_models; i++)
        if (is_followed(d, &d->models[i], now))
            put_values(d, &d->models[i], columns, run);
    return 0;
}

static void runs_free(struct runs *runs)
{
    for (size_t i = 0; runs && i < runs->track.n_runs; i++) {
        free(runs->columns[i].column);
        free(runs->track.runs[i].value);
    }
    if (runs) {
        free(runs->columns);
        free(runs->track.runs);
    }
    free(runs);
}

/* NULL: no memory; what there is is freed with 'fits'. */
static struct runs *make_runs(struct gcal_audit_fits *fits, const char *type,
                              const struct gcal_params_device *now,
                              struct gcal_error *err)
{
    struct runs *runs = fits->memory = calloc(1, sizeof(*runs));

    if (!runs || !(runs->columns = calloc(fits->n, sizeof(*runs->columns))) ||
        !(runs->track.runs = calloc(fits->n, sizeof(*runs->track.runs)))) {
        gcal_error_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < fits->n; i++) {
        runs->track.n_runs++;
        if (fill_run(&fits->fit[i], type, now, &runs->columns[i], &runs->track.runs[i],
                     err) < 0)
            return NULL;
    }
    return runs;
}

/* The type as it is published; where that cannot be read, as the newest fit was. */
static int make_device(struct gcal_audit_fits *fits, const struct gcal_store *store,
                       const char *type, struct gcal_error *err)
{
    struct gcal_params current;
    bool known =
        gcal_store_load_type(store, type, NULL, &current, NULL) == 0 && current.n_devices;
    const struct gcal_params *now = known ? &current : &fits->fit[fits->n - 1].params;
    struct runs *runs = make_runs(fits, type, now->devices, err);
    size_t n;
    int rc = runs ? gcal_audit_histories(type, &runs->track, &fits->device, &n, err) : -1;

    gcal_params_clear(&current);
    if (rc == 0)
        fits->device->is_type = true;
    return rc;
}

/* ---- the verdict ---- */

static int find_norms(const struct gcal_audit_device *d, size_t of,
                      struct gcal_audit_norm *norms, struct gcal_error *err)
{
    struct gcal_audit_types *types = gcal_audit_types_create(true, err);
    int rc = -1;

    if (types && gcal_audit_types_add(types, d, of, err) == 0 &&
        (rc = gcal_audit_types_pool(types, err)) == 0)
        gcal_audit_types_norms(types, d, norms);
    gcal_audit_types_destroy(types);
    return rc;
}

static int find_categories(const struct gcal_audit_fits *fits, struct gcal_error *err)
{
    const struct gcal_params_device *newest = fits->fit[fits->n - 1].params.devices;

    for (size_t i = 0; i < newest->n_models; i++)
        if (gcal_audit_categories_of(&newest->models[i], fits->device, err) < 0)
            return -1;
    return 0;
}

static int judge(const struct gcal_audit_fits *fits,
                 const struct gcal_audit_policy *policy, struct gcal_error *err)
{
    struct gcal_audit_device *d = fits->device;
    struct gcal_audit_norm *norms = calloc(d->n_series + 1, sizeof(*norms));
    int rc = norms ? find_norms(d, policy->of, norms, err) : gcal_error_memory(err);

    if (rc == 0)
        rc = gcal_audit_judge(d, norms, policy, err);
    free(norms);
    if (rc == 0 && gcal_audit_needs_attention(d->verdict))
        rc = find_categories(fits, err);
    return rc == 0 ? gcal_audit_make_findings(d, policy, err) : -1;
}

int gcal_audit_type(const struct gcal_store *store, struct gcal_ledger_lines *lines,
                    const char *type, size_t most, const struct gcal_audit_policy *policy,
                    struct gcal_audit_fits *fits, struct gcal_error *err)
{
    *fits = (struct gcal_audit_fits){ 0 };
    if (load_fits(store, lines, type, most, fits, err) < 0)
        return -1;
    if (!fits->n)
        return 0;
    return make_device(fits, store, type, err) < 0 ? -1 : judge(fits, policy, err);
}

void gcal_audit_fits_clear(struct gcal_audit_fits *fits)
{
    gcal_audit_histories_free(fits->device, fits->device ? 1 : 0);
    runs_free(fits->memory);
    for (size_t i = 0; i < fits->n; i++)
        fit_clear(&fits->fit[i]);
    free(fits->fit);
    *fits = (struct gcal_audit_fits){ 0 };
}
