/* publish.c - parameter files from fits, and their publication */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "calib/results/private.h"
#include "store/publish/publish.h"

static void *copy_of(const void *data, size_t size)
{
    void *copy = malloc(size ? size : 1);

    return copy && size ? memcpy(copy, data, size) : copy;
}

/* NaN for a type's file ('values' NULL). */
static double *copy_estimates(const double *values, size_t n)
{
    double *copy = malloc((n + 1) * sizeof(*copy));

    for (size_t i = 0; copy && i < n; i++)
        copy[i] = values ? values[i] : NAN;
    return copy;
}

static int copy_parameters(const struct gcal_model *model, const struct gcal_fit *fit,
                           const double *estimate, const double *estimate_error,
                           struct gcal_params_model *p, struct gcal_error *err)
{
    size_t n = model->n_parameters, row = n * sizeof(double);

    p->n_parameters = n;
    p->parameter = calloc(n + 1, sizeof(*p->parameter));
    p->unit = calloc(n + 1, sizeof(*p->unit));
    p->value = copy_of(fit->value, row);
    p->standard_error = copy_of(fit->standard_error, row);
    p->own = copy_estimates(estimate, n);
    p->own_error = copy_estimates(estimate_error, n);
    p->at_bound = copy_of(fit->at_bound, n * sizeof(bool));
    if (!p->parameter || !p->unit || !p->value || !p->standard_error || !p->own ||
        !p->own_error || !p->at_bound)
        return gcal_error_memory(err);
    if (gcal_params_set_covariance(p, fit->covariance, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (!(p->parameter[i] = strdup(model->parameters[i].name)) ||
            !(p->unit[i] = strdup(model->parameters[i].unit)))
            return gcal_error_memory(err);
    return 0;
}

static int copy_features(const struct gcal_model *model, const struct gcal_fit *fit,
                         struct gcal_params_model *p, struct gcal_error *err)
{
    size_t n = model->n_features;

    p->n_features = n;
    p->feature = calloc(n + 1, sizeof(*p->feature));
    p->feature_min = copy_of(fit->feature_min, n * sizeof(double));
    p->feature_max = copy_of(fit->feature_max, n * sizeof(double));
    if (!p->feature || !p->feature_min || !p->feature_max)
        return gcal_error_memory(err);
    for (size_t i = 0; i < n; i++)
        if (!(p->feature[i] = strdup(model->features[i])))
            return gcal_error_memory(err);
    return 0;
}

static int copy_known(const struct gcal_result_type_fit *t, struct gcal_params_model *p,
                      struct gcal_error *err)
{
    if (gcal_proportions_copy(&p->stands_for, &t->stands_for, err) < 0)
        return -1;
    if (!(p->known = calloc(t->n_known + 1, sizeof(*p->known))))
        return gcal_error_memory(err);
    for (; p->n_known < t->n_known; p->n_known++) {
        const struct gcal_params_kernel *from = &t->known[p->n_known];
        struct gcal_params_kernel *to = &p->known[p->n_known];

        to->target = from->target;
        to->name = strdup(from->name);
        to->component = from->component ? strdup(from->component) : NULL;
        to->fingerprint = strdup(from->fingerprint);
        if (!to->name || (from->component && !to->component) || !to->fingerprint) {
            p->n_known++;
            return gcal_error_memory(err);
        }
    }
    return 0;
}

/* Held-out errors; if nothing was held out, residuals.  Intervals contain the errors for
 * target kernels that were checked, too.  Short launches have a bound of their own.
 */
static void copy_error_summary(const struct gcal_result_type_fit *t,
                               const struct gcal_result_form_fit *f,
                               struct gcal_params_model *p)
{
    /* A kernel's own errors at a few sizes are all that is known of it. */
    double few = t->by_targets ? gcal_fit_small_sample_factor(f->held_out.n) : 1;

    p->n_held_out = f->held_out.n;
    p->held_out_rms = f->held_out.n ? f->held_out.rms : p->residual;
    p->error_90 =
        f->held_out.n ? f->held_out.error_90 * few : GCAL_PARAMS_NORMAL_90 * p->residual;
    if (t->checked.n)
        p->error_90 = fmax(p->error_90, t->checked.error_90);
    if (!f->brief.n && !t->checked_brief.n)
        return;
    p->short_s = GCAL_RESULT_SHORT_S;
    p->short_error_90 = p->error_90;
    if (f->brief.n)
        p->short_error_90 = fmax(p->short_error_90, f->brief.error_90);
    if (t->checked_brief.n)
        p->short_error_90 = fmax(p->short_error_90, t->checked_brief.error_90);
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
    copy_error_summary(t, f, &as_published);
    return gcal_params_model_is_poor(&as_published, why) ? GCAL_RESULT_POOR
                                                         : GCAL_RESULT_GOOD;
}

const char *gcal_result_verdict_name(enum gcal_result_verdict verdict)
{
    static const char *const names[] = { "good", "poor", "rejected" };

    return names[verdict];
}

static const char *time_of(const struct gcal_record_header *header)
{
    return header->finished_utc ? header->finished_utc : header->started_utc;
}

static const char *catalogue_of(const struct gcal_record_header *header)
{
    return header->catalogue ? header->catalogue : "";
}

/* The model is of the run of 'header'. */
static int set_origin(struct gcal_params_device *device,
                      const struct gcal_record_header *header,
                      const struct gcal_config_model *config, size_t n_fitted,
                      struct gcal_params_model *p, struct gcal_error *err)
{
    struct gcal_params_origin origin = gcal_params_model_origin(device, p);

    origin.run_id = header->run_id;
    origin.calibrated_utc = (char *)time_of(header);
    origin.gpucal_version = header->gpucal_version;
    origin.catalogue = (char *)catalogue_of(header);

    if (device->n_fitted < n_fitted)
        device->n_fitted = n_fitted;
    origin.configuration = (char *)config->fingerprint;
    origin.n_fitted = n_fitted;
    return gcal_fields_copy(gcal_params_origin_fields, &p->origin, &origin, err);
}

/* Of the type's device k, or of the type itself (k = n_devices).  The factor's error of a
 * type is the standard deviation between devices: a device that was not measured may
 * deviate by that.
 */
static int add_model(struct gcal_params_device *device,
                     const struct gcal_record_header *header,
                     const struct gcal_result_type_fit *t,
                     const struct gcal_config *config, size_t k, struct gcal_error *err)
{
    const struct gcal_config_form *form = &config->models[t->model].forms[t->best];
    const struct gcal_result_form_fit *f = &t->forms[t->best];
    struct gcal_params_model *p = gcal_params_add_model(device, err);
    bool is_type = k == t->n_devices;
    size_t first = k * form->model->n_parameters;

    if (!p)
        return -1;
    p->name = strdup(form->model->name);
    p->output = strdup(form->model->output);
    p->expression = strdup(form->model->expression);
    p->form = strdup(form->name);
    if (!p->name || !p->output || !p->expression || !p->form)
        return gcal_error_memory(err);
    if (!(p->names = gcal_config_model_names(&config->models[t->model], form, err)))
        return -1;
    if (set_origin(device, header, &config->models[t->model], t->n_devices, p, err) < 0)
        return -1;
    p->n_kernels = f->n_kernels;
    p->n_samples = f->n_samples;
    p->residual = f->fit.residual;
    p->mean_error = f->fit.mean_error;
    p->worst_error = f->fit.worst_error;
    p->condition = f->fit.condition;
    p->factor = is_type ? 1 : t->factor[k];
    p->factor_error = !is_type               ? t->factor_error[k]
                      : isfinite(t->between) ? hypot(t->between, t->shared_error)
                                             : t->shared_error;
    copy_error_summary(t, f, p);
    if (gcal_roofs_copy(&p->roofs, &config->models[t->model].roofs, err) < 0 ||
        gcal_spreads_copy(&p->spreads, &config->models[t->model].spreads, err) < 0)
        return -1;
    if (copy_parameters(form->model, &f->fit, is_type ? NULL : &t->estimate[first],
                        is_type ? NULL : &t->estimate_error[first], p, err) < 0)
        return -1;
    if (copy_features(form->model, &f->fit, p, err) < 0)
        return -1;
    return copy_known(t, p, err);
}

/* A device of the file, as the run of 'header' found it. */
static struct gcal_params_device *add_device(struct gcal_params *params,
                                             const struct gcal_record *record,
                                             const struct gcal_record_header *header,
                                             const struct gcal_config *config,
                                             size_t device, struct gcal_error *err)
{
    struct gcal_params_device *d = gcal_params_add_device(params, err);

    if (!d || gcal_device_info_copy(&d->info, &record->devices[device].info, err) < 0)
        return NULL;
    d->run_id = strdup(header->run_id);
    d->calibrated_utc = strdup(time_of(header));
    d->gpucal_version = strdup(header->gpucal_version);
    d->configuration = strdup(config->fingerprint);
    d->catalogue = strdup(catalogue_of(header));
    if (d->run_id && d->calibrated_utc && d->gpucal_version && d->configuration &&
        d->catalogue)
        return d;
    gcal_error_memory(err);
    return NULL;
}

/* All good fits of the record's device 'device', to the device of that uid in 'params'. */
static int add_fits(const struct gcal_results *results, const struct gcal_record *record,
                    const struct gcal_config *config, size_t device,
                    struct gcal_params *params, struct gcal_error *err)
{
    const struct gcal_record_header *header = record->device_run[device];
    const char *uid = record->devices[device].info.uid;

    for (size_t i = 0; i < results->n_fits; i++) {
        const struct gcal_result_type_fit *t = &results->fits[i];

        for (size_t k = 0; k < t->n_devices && t->good; k++) {
            struct gcal_params_device *made;

            /* Too few measurements: no factor. */
            if (t->device[k] != device || !isfinite(t->factor[k]) ||
                !isfinite(t->factor_error[k]))
                continue;
            made = (struct gcal_params_device *)gcal_params_find_uid(params, uid);
            if (!made &&
                !(made = add_device(params, record, header, config, device, err)))
                return -1;
            if (add_model(made, header, t, config, k, err) < 0)
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
    if (x->run != y->run && (order = strcmp(time_of(y->run), time_of(x->run))))
        return order;
    if (x->run != y->run && (order = strcmp(y->run->run_id, x->run->run_id)))
        return order;
    return (x->device > y->device) - (x->device < y->device);
}

/* Of the devices that are not in the store yet; the caller's to free. */
static struct place *find_places(const struct gcal_record *record, size_t *n,
                                 struct gcal_error *err)
{
    size_t n_devices = record->n_devices;
    struct place *places = calloc(n_devices + 1, sizeof(*places));

    *n = 0;
    if (!places)
        gcal_error_memory(err);
    for (size_t i = 0; i < n_devices && places; i++) {
        struct place *place = &places[*n];

        *place = (struct place){ .device = i,
                                 .node = record->devices[i].node,
                                 .run = record->device_run[i] };
        if (place->run->in_store)
            continue;
        while (strcmp(places[place->first].node, place->node) != 0)
            place->first++;
        ++*n;
    }
    if (*n)
        qsort(places, *n, sizeof(*places), by_node_and_run);
    return places;
}

static int fill_params(const struct gcal_results *results,
                       const struct gcal_record *record, const struct gcal_config *config,
                       const struct place *places, size_t n, struct gcal_params *params,
                       struct gcal_error *err)
{
    *params = (struct gcal_params){ .node = strdup(places->node) };
    if (!params->node)
        return gcal_error_memory(err);
    for (size_t i = 0; i < n; i++)
        if (add_fits(results, record, config, places[i].device, params, err) < 0)
            return -1;
    return 0;
}

/* Whether these belong to one file: of a node and, 'by_run', a run. */
static bool is_together(const struct place *a, const struct place *b, bool by_run)
{
    return a->first == b->first && (!by_run || a->run == b->run);
}

/* The files of nodes; 'by_run': of each run of a node, the oldest first, whose ids 'run_ids'
 * gets.  'made' has room for one for each device.
 */
static int make_params(const struct gcal_results *results,
                       const struct gcal_record *record, const struct gcal_config *config,
                       const struct place *places, size_t n, bool by_run,
                       struct gcal_params *made, const char **run_ids, size_t *count,
                       struct gcal_error *err)
{
    size_t end;

    *count = 0;
    for (size_t node = 0; node < n; node = end) {
        for (end = node; end < n && is_together(&places[node], &places[end], false);)
            end++;
        for (size_t last = end, first; last > node; last = first) {
            for (first = last - 1;
                 first > node &&
                 is_together(&places[first - 1], &places[last - 1], by_run);)
                first--;
            if (fill_params(results, record, config, &places[first], last - first,
                            &made[*count], err) < 0) {
                gcal_params_clear(&made[*count]);
                return -1;
            }
            if (run_ids)
                run_ids[*count] = places[first].run->run_id;
            if (made[*count].n_devices)
                ++*count;
            else
                gcal_params_clear(&made[*count]);
        }
    }
    return 0;
}

static void free_params(struct gcal_params *made, size_t n)
{
    for (size_t i = 0; i < n; i++)
        gcal_params_clear(&made[i]);
    free(made);
}

int gcal_results_params(const struct gcal_results *results,
                        const struct gcal_record *record,
                        const struct gcal_config *config, struct gcal_params **params,
                        size_t *count, struct gcal_error *err)
{
    size_t n;
    struct place *places = find_places(record, &n, err);
    int rc = -1;

    *count = 0;
    *params = calloc(n + 1, sizeof(**params));
    if (!*params)
        gcal_error_memory(err);
    if (places && *params)
        rc = make_params(results, record, config, places, n, false, *params, NULL, count,
                         err);
    free(places);
    if (rc < 0) {
        free_params(*params, *count);
        *params = NULL;
    }
    return rc;
}

/* A type's file has one device: the description of its first device. */
static int publish_type(const struct gcal_results *results,
                        const struct gcal_record *record,
                        const struct gcal_config *config, const char *type,
                        struct gcal_store *store, const char *again,
                        struct gcal_error *err)
{
    const struct gcal_record_header *header = record->header;
    struct gcal_params params = { 0 };
    struct gcal_params_device *device = NULL;
    int rc = 0;

    if (!(params.node = strdup(type)))
        return gcal_error_memory(err);
    for (size_t i = 0; i < results->n_fits && rc == 0; i++) {
        const struct gcal_result_type_fit *t = &results->fits[i];

        if (!t->good || t->is_outlier || strcmp(t->type, type) != 0)
            continue;
        if (!device &&
            !(device = add_device(&params, record, header, config, t->device[0], err)))
            rc = -1;
        else
            rc = add_model(device, header, t, config, t->n_devices, err);
    }
    if (rc == 0 && device)
        rc = gcal_store_publish_type(store, &params, type, again ? again : header->run_id,
                                     err);
    gcal_params_clear(&params);
    return rc < 0 ? -1 : 0;
}

/* A type that cannot be published does not stop the others. */
static int publish_types(const struct gcal_results *results,
                         const struct gcal_record *record,
                         const struct gcal_config *config, struct gcal_store *store,
                         const char *again, struct gcal_error *err)
{
    struct gcal_error why = { 0 };
    int rc = 0;

    for (size_t i = 0; i < results->n_fits; i++) {
        bool seen = false;

        for (size_t k = 0; k < i; k++)
            seen = seen || strcmp(results->fits[k].type, results->fits[i].type) == 0;
        if (!seen && publish_type(results, record, config, results->fits[i].type, store,
                                  again, &why) < 0)
            rc = rc < 0 ? -1 : gcal_error_set(err, why.code, "%s", why.text);
    }
    return rc;
}

/* 'again': the run that they are published as; NULL: each as the run that measured it. */
static int publish_nodes(const struct gcal_results *results,
                         const struct gcal_record *record,
                         const struct gcal_config *config, struct gcal_store *store,
                         const char *again, size_t *published, struct gcal_error *err)
{
    size_t n, count = 0;
    struct place *places = find_places(record, &n, err);
    struct gcal_params *made = calloc(n + 1, sizeof(*made));
    const char **run_ids = calloc(n + 1, sizeof(*run_ids));
    int rc = -1;

    if (!made || !run_ids)
        gcal_error_memory(err);
    else if (places)
        rc = make_params(results, record, config, places, n, !again, made, run_ids,
                         &count, err);
    for (size_t i = 0; i < count && again && rc == 0; i++)
        run_ids[i] = again;
    if (rc == 0)
        rc = gcal_store_publish_all(store, made, run_ids, count, published, err);
    free_params(made, made ? count : 0);
    free(run_ids);
    free(places);
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

static int publish(const struct gcal_results *results, const struct gcal_record *record,
                   const struct gcal_config *config, struct gcal_store *store,
                   const char *again, size_t *published, struct gcal_error *err)
{
    const struct gcal_record_header *simulated = find_simulated(record);
    struct gcal_error why = { 0 };
    int rc;

    *published = 0;
    if (simulated && !gcal_store_is_for_simulations(store))
        return gcal_error_set(err, GCAL_EINPUT,
                              "run %s was simulated: its parameters are not published",
                              simulated->run_id);
    rc = publish_nodes(results, record, config, store, again, published, err);
    /* The types' files are those of the run although some node could not be published. */
    if (publish_types(results, record, config, store, again, rc < 0 ? &why : err) < 0)
        rc = -1;
    return rc;
}

int gcal_results_check_device(const struct gcal_store *store,
                              const struct gcal_device_info *info, struct gcal_error *err)
{
    return gcal_store_check_device(store, info, err);
}

int gcal_results_publish(const struct gcal_results *results,
                         const struct gcal_record *record,
                         const struct gcal_config *config, struct gcal_store *store,
                         size_t *published, struct gcal_error *err)
{
    return publish(results, record, config, store, NULL, published, err);
}

int gcal_results_publish_again(const struct gcal_results *results,
                               const struct gcal_record *record,
                               const struct gcal_config *config, struct gcal_store *store,
                               const char *run_id, size_t *published,
                               struct gcal_error *err)
{
    return publish(results, record, config, store, run_id, published, err);
}
