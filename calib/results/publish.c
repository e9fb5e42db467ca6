/* publish.c - parameter files from fits, and their publication */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/model/named_expr.h"
#include "calib/results/private.h"
#include "store/publish/publish.h"

/* What files are made of, which borrow its texts and numbers. */
struct source {
    struct gcal_arena *arena;
    const struct gcal_results *results;
    const struct gcal_record *record;
    const struct gcal_config *config;
};

/* The bound of absolute errors, of those that are held out, else of the fit's own. */
static double absolute_bound(const struct gcal_result_type_fit *t,
                             const struct gcal_result_form_fit *f)
{
    double bound_s = f->held_out.absolute_90_s, squares = 0;

    for (size_t i = 0; i < t->n_rows && !f->held_out.n; i++)
        squares += pow(f->predicted_s[i] - t->row_time_s[i], 2);
    if (!f->held_out.n)
        bound_s = GCAL_PARAMS_NORMAL_90 * sqrt(squares / (double)t->n_rows);
    return fmax(bound_s, DBL_MIN);
}

/* Held-out errors; if nothing was held out, residuals. */
static void copy_error_summary(const struct gcal_result_type_fit *t,
                               const struct gcal_result_form_fit *f, bool absolute,
                               struct gcal_params_model *p)
{
    p->n_held_out = f->held_out.n;
    p->held_out_rms = f->held_out.n ? f->held_out.rms : p->residual;
    p->error_90 =
        f->held_out.n ? f->held_out.error_90 : GCAL_PARAMS_NORMAL_90 * p->residual;
    if (absolute)
        p->absolute_error_90_s = absolute_bound(t, f);
}

enum gcal_result_verdict gcal_result_judge(const struct gcal_result_type_fit *t,
                                           const struct gcal_config *config,
                                           char why[GCAL_PARAMS_WHY_SIZE])
{
    const struct gcal_result_form_fit *f = &t->forms[t->best];
    struct gcal_params_model as_published = {
        .n_parameters = f->fit.n_parameters,
        .value = f->fit.value,
        .standard_error = f->fit.standard_error,
        .at_bound = f->fit.at_bound,
        .residual = f->fit.residual,
        .factor = 1,
        .factor_error = t->shared_error,
        .spreads = config->models[t->model].spreads,
    };

    why[0] = '\0';
    if (!t->good)
        return GCAL_RESULT_REJECTED;
    copy_error_summary(t, f, config->models[t->model].absolute, &as_published);
    return gcal_params_model_is_poor(&as_published, why) ? GCAL_RESULT_POOR
                                                         : GCAL_RESULT_GOOD;
}

const char *gcal_result_verdict_name(enum gcal_result_verdict verdict)
{
    static const char *const names[] = { "good", "poor", "rejected" };

    return names[verdict];
}

const char *gcal_result_run_time(const struct gcal_record_header *header)
{
    return header->finished_utc ? header->finished_utc : header->started_utc;
}

static const char *catalogue_of(const struct gcal_record_header *header)
{
    return header->catalogue ? header->catalogue : "";
}

GCAL_ARENA_DESTROYER(destroy_names, gcal_expr_names_destroy)

/* Adds the model of the type's device k, or of the type itself (k = n_devices).  The factor's error of
 * a type is the standard deviation between devices: a device that was not measured may
 * deviate by that.
 */
static int add_model(const struct source *s, struct gcal_params_device *device,
                     const struct gcal_record_header *header,
                     const struct gcal_result_type_fit *t, size_t k,
                     struct gcal_error *err)
{
    const struct gcal_config_model *config = &s->config->models[t->model];
    const struct gcal_config_form *form = &config->forms[t->best];
    const struct gcal_model *model = form->model;
    const struct gcal_result_form_fit *f = &t->forms[t->best];
    struct gcal_params_model *p = &device->models[device->n_models++];
    bool is_type = k == t->n_devices;
    size_t n = model->n_parameters;

    if (device->n_fitted < t->n_devices)
        device->n_fitted = t->n_devices;
    *p = (struct gcal_params_model){
        .name = (char *)model->name,
        .output = (char *)model->output,
        .expression = (char *)model->expression,
        .form = form->name,
        .roofs = config->roofs,
        .spreads = config->spreads,
        .n_parameters = n,
        .parameter = gcal_arena_alloc(s->arena, n, sizeof(*p->parameter)),
        .unit = gcal_arena_alloc(s->arena, n, sizeof(*p->unit)),
        .value = f->fit.value,
        .standard_error = f->fit.standard_error,
        .at_bound = f->fit.at_bound,
        .n_features = model->n_features,
        .feature = (char **)model->features,
        .feature_min = f->fit.feature_min,
        .feature_max = f->fit.feature_max,
        .n_known = t->n_known,
        .known = t->known,
        .stands_for = t->stands_for,
        .n_kernels = t->n_kernels,
        .n_samples = t->n_samples,
        .residual = f->fit.residual,
        .mean_error = f->fit.mean_error,
        .worst_error = f->fit.worst_error,
        .condition = f->fit.condition,
        .factor = is_type ? 1 : t->factor[k],
        .factor_error = !is_type               ? t->factor_error[k]
                        : isfinite(t->between) ? hypot(t->between, t->shared_error)
                                               : t->shared_error,
    };
    p->origin = gcal_params_model_origin(device, p);
    p->origin.run_id = header->run_id;
    p->origin.calibrated_utc = (char *)gcal_result_run_time(header);
    p->origin.gpucal_version = header->gpucal_version;
    p->origin.catalogue = (char *)catalogue_of(header);
    p->origin.configuration = (char *)config->fingerprint;
    p->origin.n_fitted = t->n_devices;
    copy_error_summary(t, f, config->absolute, p);
    for (size_t i = 0; i < n; i++) {
        p->parameter[i] = (char *)model->parameters[i].name;
        p->unit[i] = (char *)model->parameters[i].unit;
    }
    if (is_type) {
        p->own = p->own_error = gcal_arena_alloc(s->arena, n, sizeof(*p->own));
        for (size_t i = 0; i < n; i++)
            p->own[i] = NAN;
    } else {
        p->own = &t->estimate[k * n];
        p->own_error = &t->estimate_error[k * n];
    }
    if (!(p->names = gcal_arena_own(s->arena, gcal_config_model_names(config, form, err),
                                    destroy_names)) ||
        gcal_params_set_covariance(p, f->fit.covariance, err) < 0)
        return -1;
    gcal_arena_own(s->arena, p->root, free);
    return 0;
}

/* A device of the file, which has room for it, as the run of 'header' found it. */
static struct gcal_params_device *add_device(const struct source *s,
                                             struct gcal_params *params,
                                             const struct gcal_record_header *header,
                                             size_t device)
{
    struct gcal_params_device *d = &params->devices[params->n_devices++];

    *d = (struct gcal_params_device){
        .info = s->record->devices[device].info,
        .run_id = header->run_id,
        .calibrated_utc = (char *)gcal_result_run_time(header),
        .gpucal_version = header->gpucal_version,
        .configuration = (char *)s->config->fingerprint,
        .catalogue = (char *)catalogue_of(header),
        .models = gcal_arena_alloc(s->arena, s->results->n_fits, sizeof(*d->models)),
    };
    return d;
}

/* All good fits of the record's device 'device', to the device of that uid in 'params'. */
static int add_fits(const struct source *s, size_t device, struct gcal_params *params,
                    struct gcal_error *err)
{
    const struct gcal_record_header *header = s->record->device_run[device];
    const char *uid = s->record->devices[device].info.uid;

    for (size_t i = 0; i < s->results->n_fits; i++) {
        const struct gcal_result_type_fit *t = &s->results->fits[i];

        for (size_t k = 0; k < t->n_devices && t->good; k++) {
            struct gcal_params_device *made;

            if (t->device[k] != device || !gcal_result_has_factor(t, k))
                continue;
            made = (struct gcal_params_device *)gcal_params_find_uid(params, uid);
            if (!made)
                made = add_device(s, params, header, device);
            if (add_model(s, made, header, t, k, err) < 0)
                return -1;
        }
    }
    return 0;
}

/* ---- the devices of nodes, by run ---- */

/* A device of the record. */
struct place {
    size_t device;
    size_t first; /* device of its node in the record */
    const char *node;
    const struct gcal_record_header *run;
};

/* The devices of a node next to each other; those of the newest run first. */
static int by_node_and_run(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->run != y->run &&
        (order = strcmp(gcal_result_run_time(y->run), gcal_result_run_time(x->run))))
        return order;
    if (x->run != y->run && (order = strcmp(y->run->run_id, x->run->run_id)))
        return order;
    return (x->device > y->device) - (x->device < y->device);
}

/* The devices that are not in the store yet. */
static struct place *find_places(const struct source *s, size_t *n)
{
    size_t n_devices = s->record->n_devices;
    struct place *places = gcal_arena_alloc(s->arena, n_devices, sizeof(*places));

    *n = 0;
    for (size_t i = 0; i < n_devices; i++) {
        struct place *place = &places[*n];

        *place = (struct place){ .device = i,
                                 .node = s->record->devices[i].node,
                                 .run = s->record->device_run[i] };
        if (place->run->in_store)
            continue;
        while (strcmp(places[place->first].node, place->node) != 0)
            place->first++;
        ++*n;
    }
    qsort(places, *n, sizeof(*places), by_node_and_run);
    return places;
}

/* The files of nodes; 'run_ids' (NULL: not wanted): those of each run of a node, the oldest
 * first.
 */
static int make_params(const struct source *s, struct gcal_params **params,
                       const char ***run_ids, size_t *count, struct gcal_error *err)
{
    size_t n, end;
    const struct place *places = find_places(s, &n);

    *params = gcal_arena_alloc(s->arena, n, sizeof(**params));
    if (run_ids)
        *run_ids = gcal_arena_alloc(s->arena, n, sizeof(**run_ids));
    *count = 0;
    for (size_t node = 0; node < n; node = end) {
        for (end = node; end < n && places[end].first == places[node].first;)
            end++;
        for (size_t last = end, first; last > node; last = first) {
            struct gcal_params *made = &(*params)[*count];

            for (first = last - 1;
                 first > node &&
                 (!run_ids || places[first - 1].run == places[last - 1].run);)
                first--;
            made->node = (char *)places[first].node;
            made->devices =
                gcal_arena_alloc(s->arena, last - first, sizeof(*made->devices));
            for (size_t i = first; i < last; i++)
                if (add_fits(s, places[i].device, made, err) < 0)
                    return -1;
            if (run_ids)
                (*run_ids)[*count] = places[first].run->run_id;
            *count += made->n_devices > 0;
        }
    }
    return 0;
}

int gcal_results_params(const struct gcal_results *results,
                        const struct gcal_record *record,
                        const struct gcal_config *config, struct gcal_params **params,
                        size_t *count, struct gcal_error *err)
{
    const struct source s = { results->arena, results, record, config };

    return make_params(&s, params, NULL, count, err);
}

/* ---- publication ---- */

/* A type's file has one device: the description of its first device. */
static int publish_type(const struct source *s, const char *type,
                        struct gcal_store *store, const char *again,
                        struct gcal_error *err)
{
    const struct gcal_record_header *header = s->record->header;
    struct gcal_params_device device;
    struct gcal_params params = { .node = (char *)type, .devices = &device };

    for (size_t i = 0; i < s->results->n_fits; i++) {
        const struct gcal_result_type_fit *t = &s->results->fits[i];

        if (!t->good || t->is_outlier || strcmp(t->type, type) != 0)
            continue;
        if (!params.n_devices)
            add_device(s, &params, header, t->device[0]);
        if (add_model(s, &device, header, t, t->n_devices, err) < 0)
            return -1;
    }
    if (!params.n_devices)
        return 0;
    return gcal_store_publish_type(store, &params, type, again ? again : header->run_id,
                                   err);
}

/* A type that cannot be published does not stop the others. */
static int publish_types(const struct source *s, struct gcal_store *store,
                         const char *again, struct gcal_error *err)
{
    const struct gcal_results *results = s->results;
    struct gcal_error why = { 0 };
    int rc = 0;

    for (size_t i = 0; i < results->n_fits; i++) {
        bool seen = false;

        for (size_t k = 0; k < i; k++)
            seen = seen || strcmp(results->fits[k].type, results->fits[i].type) == 0;
        if (!seen && publish_type(s, results->fits[i].type, store, again, &why) < 0)
            rc = rc < 0 ? -1 : gcal_error_set(err, why.code, "%s", why.text);
    }
    return rc;
}

/* A record of several runs is simulated if one of them is. */
static const struct gcal_record_header *find_simulated(const struct gcal_record *record)
{
    if (record->header->simulated)
        return record->header;
    for (size_t i = 0; i < record->n_devices; i++)
        if (record->device_run[i]->simulated)
            return record->device_run[i];
    return NULL;
}

int gcal_results_publish(const struct gcal_results *results,
                         const struct gcal_record *record,
                         const struct gcal_config *config, struct gcal_store *store,
                         const char *again, size_t *published, struct gcal_error *err)
{
    const struct gcal_record_header *simulated = find_simulated(record);
    struct source s = { .results = results, .record = record, .config = config };
    struct gcal_params *params;
    struct gcal_error why = { 0 };
    const char **run_ids = NULL;
    size_t count;
    int rc;

    *published = 0;
    if (simulated && !gcal_store_is_for_simulations(store))
        return gcal_error_set(err, GCAL_EINPUT,
                              "run %s was simulated: its parameters are not published",
                              simulated->run_id);
    s.arena = gcal_arena_create();
    rc = make_params(&s, &params, again ? NULL : &run_ids, &count, err);
    if (rc == 0 && again) {
        run_ids = gcal_arena_alloc(s.arena, count, sizeof(*run_ids));
        for (size_t i = 0; i < count; i++)
            run_ids[i] = again;
    }
    if (rc == 0)
        rc = gcal_store_publish_all(store, params, run_ids, count, published, err);
    /* The types' files are those of the run although some node could not be published. */
    if (publish_types(&s, store, again, rc < 0 ? &why : err) < 0)
        rc = -1;
    gcal_arena_destroy(s.arena);
    return rc;
}

int gcal_results_check_device(const struct gcal_store *store,
                              const struct gcal_device_info *info, struct gcal_error *err)
{
    return gcal_store_check_device(store, info, err);
}
