/* fits.c - the audit of a device type: its published fits as calibrations of one device */
#include <stdlib.h>
#include <string.h>

#include "calib/audit/private.h"
#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/base/strings.h"
#include "store/ledger/lines.h"

/* ---- the history ---- */

/* The time of the last publication by that run. */
static const char *published_by(const struct gcal_ledger_scope *published,
                                const char *run_id)
{
    for (size_t i = published->n; i > 0; i--)
        if (published->line[i - 1]->keeps &&
            strcmp(published->line[i - 1]->run_id, run_id) == 0)
            return published->line[i - 1]->utc;
    return "";
}

GCAL_ARENA_DESTROYER(clear_params, gcal_params_clear)

static int load_fits(const struct gcal_store *store, struct gcal_ledger_lines *lines,
                     const char *type, size_t most, struct gcal_audit_fits *fits,
                     struct gcal_error *err)
{
    const char *scope = gcal_arena_format(fits->arena, "types/%s", type);
    char **runs = NULL;
    struct gcal_ledger_scope published = { 0 };
    size_t n = 0;
    int rc;

    rc = lines ? gcal_ledger_history(lines, scope, &runs, &n, NULL, err)
               : gcal_store_history(store, scope, &runs, &n, err);
    if (rc == 0) {
        if (lines)
            published = gcal_ledger_lines_find(fits->arena, lines, scope);
        /* The newest 'most' of 'runs'.  One that cannot be read stops no other. */
        size_t first = n > most ? n - most : 0;

        fits->fit = gcal_arena_alloc(fits->arena, n - first, sizeof(*fits->fit));
        for (size_t i = first; i < n; i++) {
            struct gcal_audit_fit *fit = &fits->fit[fits->n];
            struct gcal_error why = { 0 };

            if (gcal_store_load_type(store, type, runs[i], &fit->params, &why) < 0 ||
                !fit->params.n_devices) {
                gcal_log(GCAL_LOG_WARN, "type %s: the fit of run %s is left out: %s",
                         type, runs[i], *why.text ? why.text : "it has no device");
                gcal_params_clear(&fit->params);
                continue;
            }
            fits->n++;
            gcal_arena_own(fits->arena, &fit->params, clear_params);
            fit->run_id = gcal_arena_strdup(fits->arena, runs[i]);
            fit->published_utc =
                gcal_arena_strdup(fits->arena, published_by(&published, runs[i]));
        }
        gcal_strings_free(runs, n);
    }
    return rc;
}

/* ---- the track ---- */

/* The models that the publication fitted, as columns; texts are those of the fit. */
static void fill_run(struct gcal_arena *arena, const struct gcal_audit_fit *fit,
                     const char *type, const struct gcal_params_device *now,
                     struct gcal_track_run *run)
{
    const struct gcal_params_device *d = fit->params.devices;
    struct gcal_track_columns *columns = gcal_arena_alloc(arena, 1, sizeof(*columns));
    size_t n = 0;

    for (size_t i = 0; i < d->n_models; i++)
        n += d->models[i].n_parameters;
    columns->column = gcal_arena_alloc(arena, n, sizeof(*columns->column));
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
        .value = gcal_arena_alloc(arena, n, sizeof(*run->value)),
        .error = gcal_arena_alloc(arena, n, sizeof(*run->error)),
        .n_devices = d->n_fitted,
    };
    for (size_t k = 0; k < d->n_models; k++) {
        const struct gcal_params_model *m = &d->models[k];
        const char *configuration = gcal_params_model_origin(d, m).configuration;

        /* A model that an earlier publication fitted, or that is no longer published. */
        if (strcmp(gcal_params_model_origin(d, m).run_id, d->run_id) != 0 ||
            !gcal_params_find_model(now, m->name))
            continue;
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
}

/* ---- the verdict ---- */

int gcal_audit_type(const struct gcal_store *store, struct gcal_ledger_lines *lines,
                    const char *type, size_t most, const struct gcal_audit_policy *policy,
                    struct gcal_audit_fits *fits, struct gcal_error *err)
{
    *fits = (struct gcal_audit_fits){ .arena = gcal_arena_create() };
    if (load_fits(store, lines, type, most, fits, err) < 0)
        return -1;
    if (!fits->n)
        return 0;
    /* The type as it is published; where that cannot be read, as the newest fit was. */
    struct gcal_track *track = gcal_arena_alloc(fits->arena, 1, sizeof(*track));
    struct gcal_params current;
    bool known =
        gcal_store_load_type(store, type, NULL, &current, NULL) == 0 && current.n_devices;
    const struct gcal_params *now = known ? &current : &fits->fit[fits->n - 1].params;
    size_t n;
    track->n_runs = fits->n;
    track->runs = gcal_arena_alloc(fits->arena, fits->n, sizeof(*track->runs));
    for (size_t i = 0; i < fits->n; i++)
        fill_run(fits->arena, &fits->fit[i], type, now->devices, &track->runs[i]);
    gcal_audit_histories(fits->arena, type, track, &fits->device, &n);
    gcal_params_clear(&current);
    fits->device->is_type = true;
    const struct gcal_params_device *newest = fits->fit[fits->n - 1].params.devices;
    struct gcal_audit_device *d = fits->device;
    struct gcal_audit_norm *norms =
        gcal_arena_alloc(d->arena, d->n_series, sizeof(*norms));
    struct gcal_audit_types *types = gcal_audit_types_create(true);
    gcal_audit_types_add(types, d, policy->of);
    gcal_audit_types_pool(types);
    gcal_audit_types_norms(types, d, norms);
    gcal_audit_types_destroy(types);
    gcal_audit_judge(d, norms, policy);
    for (size_t i = 0; gcal_audit_needs_attention(d->verdict) && i < newest->n_models;
         i++)
        if (gcal_audit_categories_of(&newest->models[i], d, err) < 0)
            return -1;
    gcal_audit_make_findings(d, policy);
    return 0;
}

void gcal_audit_fits_clear(struct gcal_audit_fits *fits)
{
    gcal_arena_destroy(fits->arena);
    *fits = (struct gcal_audit_fits){ 0 };
}
