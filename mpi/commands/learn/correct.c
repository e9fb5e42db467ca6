/* correct.c - the general model of the device, its corrections from the record, and publication */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "calib/learn/corrections.h"
#include "calib/select/select.h"
#include "fit/error_summary.h"
#include "mpi/cli/command.h"
#include "mpi/commands/learn/private.h"
#include "mpi/commands/predict/evaluate.h"
#include "mpi/commands/predict/inputs.h"
#include "store/predict/predictor.h"
#include "store/publish/publish.h"

GCAL_ARENA_DESTROYER(close_record, gcal_record_close)
GCAL_ARENA_DESTROYER(clear_measured, gcal_measured_kernels_clear)
GCAL_ARENA_DESTROYER(destroy_profile, gcal_profile_destroy)

/* ---- the general model ---- */

/* One that predicts without being asked for by name; NULL: none. */
static const struct gcal_params_model *find_general(const struct gcal_params_device *d)
{
    const struct gcal_params_model *general = d ? gcal_predictor_find_general(d) : NULL;
    char why[GCAL_PARAMS_WHY_SIZE];

    return general && !gcal_params_model_is_poor(general, why) ? general : NULL;
}

int gcal_learn_find_general(struct gcal_learning *l, struct gcal_error *err)
{
    const struct gcal_params_device *device;
    const struct gcal_params_model *named;
    struct gcal_error why = { 0 };

    l->node = gcal_node_name(l->arena);
    if (gcal_store_load(l->store, l->node, NULL, &l->published, &why) < 0)
        gcal_params_clear(&l->published);
    device = gcal_params_find_uid(&l->published, l->info->uid);
    named = device ? gcal_params_find_model(device, l->own.model) : NULL;
    if (named && (!named->form || strcmp(named->form, GCAL_PARAMS_CORRECTED) != 0))
        return gcal_error_set(
            err, GCAL_EINPUT,
            "the device has a model '%s' that is not a learned one: choose "
            "another name (--name)",
            named->name);
    if (find_general(device))
        return 0;
    return gcal_error_set(
        err, GCAL_EINPUT,
        "the store has no good general model of %s, which a kernel's times "
        "correct: calibrate it first ('gpucal calibrate --store %s')%s%s",
        l->info->name, l->path, *why.text ? "; " : "", why.text);
}

/* ---- times ---- */

static double value_of(const struct gcal_run_kernel *kernel, const char *name)
{
    size_t i = 0;

    while (strcmp(kernel->size_names[i], name) != 0)
        i++;
    return kernel->size_values[i];
}

/* The counts of the launch as 'gpucal predict' has them: the model corrects these. */
static int count_launch(struct gcal_learning *l, const struct gcal_run_kernel *kernel,
                        struct gcal_kernel_time *time, struct gcal_error *err)
{
    struct gcal_count_options options = l->c->count;
    const struct gcal_params_model *general =
        gcal_predictor_find_general(gcal_params_find_uid(&l->published, l->info->uid));
    struct gcal_kernel_counting counting = { .sub_group_size = l->info->sub_group_size };
    struct gcal_profile *profile;
    const char *at = "";
    double *sizes;

    for (size_t i = 0; i < l->own.profile->n_parameters; i++) {
        const char *name = l->own.profile->parameters[i];

        at = gcal_arena_format(l->arena, "%s%s%s=%.0f", at, *at ? "," : "", name,
                               value_of(kernel, name));
    }
    options.ats = (struct gcal_option_list){ 0 };
    if (*at)
        gcal_option_list_add(&options.ats, at);
    gcal_select_add_counting(general->n_features, (const char *const *)general->feature,
                             &counting);
    if (!(profile = gcal_predict_profile(&options, &counting, err)))
        return -1;
    gcal_arena_own(l->arena, profile, destroy_profile);
    sizes = gcal_arena_alloc(l->arena, profile->n_parameters, sizeof(*sizes));
    for (size_t i = 0; i < profile->n_parameters; i++)
        sizes[i] = value_of(kernel, profile->parameters[i]);
    time->profile = profile;
    time->sizes = sizes;
    return 0;
}

/* Those of the kernel on a device of the record. */
static int read_times(struct gcal_learning *l, const struct gcal_record *record,
                      size_t device, struct gcal_kernel_time **times, size_t *n,
                      struct gcal_error *err)
{
    struct gcal_measured_kernels *measured =
        gcal_arena_alloc(l->arena, 1, sizeof(*measured));

    measured->arena = l->arena;
    gcal_arena_own(l->arena, measured, clear_measured);
    if (gcal_measured_kernels_read(measured, record, device, err) < 0)
        return -1;
    *times = gcal_arena_alloc(l->arena, measured->n, sizeof(**times));
    *n = 0;
    for (size_t i = 0; i < measured->n; i++) {
        const struct gcal_measured_kernel *k = &measured->kernels[i];
        struct gcal_kernel_time *time = &(*times)[*n];

        if (!k->measured || k->status != GCAL_MEASUREMENT_GOOD || !(k->time_s > 0))
            continue;
        if (count_launch(l, &k->kernel, time, err) < 0)
            return -1;
        time->time_s = k->time_s;
        time->spread = k->spread;
        ++*n;
    }
    if (*n)
        return 0;
    return gcal_error_set(err, GCAL_EDEVICE, "%s was not measured at any size",
                          l->own.name);
}

/* ---- models ---- */

/* Adds the error at one time of the device's model of that name. */
static int add_error(const struct gcal_params_device *device, const char *name,
                     const struct gcal_kernel_time *time,
                     struct gcal_fit_mean_error *mean, struct gcal_error *err)
{
    struct gcal_predictor *p = gcal_predictor_create(device, name, time->profile, err);
    double predicted_s = 0;
    int rc = p ? gcal_predictor_time(p, time->sizes, &predicted_s, err) : -1;

    if (rc == 0)
        gcal_fit_mean_error_add(mean, predicted_s, time->time_s);
    gcal_predictor_destroy(p);
    return rc;
}

/* The errors of the general model, NaN where it does not predict the kernel at all, and of models
 * that each lack a time.
 */
static int judge(const struct gcal_learning *l, const struct gcal_kernel_time *times,
                 struct gcal_learned *learned, struct gcal_error *err)
{
    const char *general = gcal_predictor_find_general(learned->device)->name;
    struct gcal_kernel_time *others =
        gcal_arena_alloc(l->arena, learned->n, sizeof(*others));
    struct gcal_fit_mean_error of_general = { 0 }, held_out = { 0 };
    struct gcal_params_device alone = *learned->device;
    struct gcal_params_model model;
    struct gcal_error why = { 0 };

    alone.n_models = 1;
    alone.models = &model;
    for (size_t i = 0; i < learned->n; i++) {
        memcpy(others, times, i * sizeof(*times));
        memcpy(others + i, times + i + 1, (learned->n - 1 - i) * sizeof(*times));
        add_error(learned->device, general, &times[i], &of_general, &why);
        if (gcal_learn_correct(l->arena, learned->device, l->own.model, times[i].profile,
                               learned->n - 1, others, &model, err) < 0 ||
            add_error(&alone, l->own.model, &times[i], &held_out, err) < 0)
            return -1;
    }
    learned->general_error = gcal_fit_mean_error(&of_general);
    learned->held_out_error = gcal_fit_mean_error(&held_out);
    return 0;
}

/* The run of this command is where the model comes from. */
static void set_origin(const struct gcal_record *record, struct gcal_learned *learned)
{
    const struct gcal_record_header *header = record->header;
    struct gcal_params_origin *o = &learned->model.origin;

    *o = gcal_params_model_origin(learned->device,
                                  gcal_predictor_find_general(learned->device));
    o->run_id = header->run_id;
    o->calibrated_utc = header->finished_utc;
    o->gpucal_version = header->gpucal_version;
    o->n_fitted = 1;
}

static int learn_device(struct gcal_learning *l, const struct gcal_record *record,
                        size_t place, const struct gcal_params_device *device,
                        struct gcal_error *err)
{
    struct gcal_learned *learned = &l->learned[l->n_learned];
    struct gcal_kernel_time *times;

    learned->device = device;
    if (read_times(l, record, place, &times, &learned->n, err) < 0 ||
        gcal_learn_correct(l->arena, device, l->own.model, times[0].profile, learned->n,
                           times, &learned->model, err) < 0 ||
        judge(l, times, learned, err) < 0)
        return -1;
    learned->model.n_samples = learned->n;
    set_origin(record, learned);
    l->n_learned++;
    return 0;
}

/* ---- all devices ---- */

/* Publishes the models for the node's devices, and that of the first for its type. */
static int publish(struct gcal_learning *l, struct gcal_error *err)
{
    const char *run_id = l->learned[0].model.origin.run_id;
    struct gcal_params_device *devices =
        gcal_arena_alloc(l->arena, l->n_learned, sizeof(*devices));
    struct gcal_params params = { (char *)l->node, l->n_learned, devices };
    struct gcal_params_model of_type;

    for (size_t i = 0; i < l->n_learned; i++) {
        devices[i] = *l->learned[i].device;
        devices[i].n_models = 1;
        devices[i].models = &l->learned[i].model;
    }
    if (gcal_store_publish(l->store, &params, run_id, err) < 0)
        return -1;
    of_type = l->learned[0].model;
    of_type.factor = 1;
    of_type.factor_error =
        gcal_predictor_find_general(l->learned[0].device)->factor_error;
    devices[0].models = &of_type;
    params = (struct gcal_params){ devices[0].info.type, 1, devices };
    return gcal_store_publish_type(l->store, &params, devices[0].info.type, run_id, err);
}

int gcal_learn_fit(struct gcal_learning *l, struct gcal_error *err)
{
    struct gcal_record *record = gcal_record_open(l->record, err);

    gcal_arena_own(l->arena, record, close_record);
    if (!record)
        return -1;
    l->learned = gcal_arena_alloc(l->arena, record->n_devices, sizeof(*l->learned));
    for (size_t i = 0; i < record->n_devices; i++) {
        const struct gcal_params_device *device =
            gcal_params_find_uid(&l->published, record->devices[i].info.uid);

        if (find_general(device) && learn_device(l, record, i, device, err) < 0)
            return -1;
    }
    return publish(l, err);
}
