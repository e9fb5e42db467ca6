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
#include "store/learned/learned.h"
#include "store/predict/predictor.h"
#include "store/publish/publish.h"

GCAL_ARENA_DESTROYER(close_record, gcal_record_close)
GCAL_ARENA_DESTROYER(clear_measured, gcal_measured_kernels_clear)
GCAL_ARENA_DESTROYER(clear_target, gcal_predict_target_clear)

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
    struct gcal_error why = { 0 };

    l->node = gcal_node_name(l->arena);
    if (gcal_store_load(l->store, l->node, NULL, &l->published, &why) < 0)
        gcal_params_clear(&l->published);
    device = gcal_params_find_uid(&l->published, l->info->uid);
    if (device && gcal_params_find_model(device, l->own.model))
        return gcal_error_set(
            err, GCAL_EINPUT,
            "the device has a model '%s' that is not a learned one: choose "
            "another name (--name)",
            l->own.model);
    if ((l->general = find_general(device))) {
        l->learned.device = device;
        return 0;
    }
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

/* "n=1024,m=64": the sizes of the launch, in the order of the kernel's counts. */
static const char *name_sizes(struct gcal_learning *l,
                              const struct gcal_run_kernel *kernel)
{
    const char *at = "";

    for (size_t i = 0; i < l->own.profile->n_parameters; i++) {
        const char *name = l->own.profile->parameters[i];

        at = gcal_arena_format(l->arena, "%s%s%s=%.0f", at, *at ? "," : "", name,
                               value_of(kernel, name));
    }
    return at;
}

/* The counts of the launch as 'gpucal predict' has them: the model corrects these. */
static int count_launch(struct gcal_learning *l, const char *at,
                        struct gcal_kernel_time *time, struct gcal_error *err)
{
    struct gcal_count_options options = l->c->count;
    struct gcal_kernel_counting counting = { .sub_group_size = l->info->sub_group_size };
    struct gcal_predict_target *target = gcal_arena_alloc(l->arena, 1, sizeof(*target));

    options.ats = (struct gcal_option_list){ 0 };
    if (*at)
        gcal_option_list_add(&options.ats, at);
    gcal_select_add_counting(l->general->n_features,
                             (const char *const *)l->general->feature, &counting);
    gcal_arena_own(l->arena, target, clear_target);
    if (gcal_predict_target_count(target, &options, &counting, err) < 0)
        return -1;
    time->profile = target->profile;
    time->sizes = target->sizes;
    return 0;
}

/* Adds a time unless there is one at these sizes: newer times come first. */
static int add_time(struct gcal_learning *l, const struct gcal_params_time *time,
                    struct gcal_error *err)
{
    struct gcal_learned *d = &l->learned;

    for (size_t i = 0; i < d->n; i++)
        if (strcmp(d->kept[i].sizes, time->sizes) == 0)
            return 0;
    d->times =
        gcal_arena_grow(l->arena, d->times, d->n, &d->times_capacity, sizeof(*d->times));
    d->kept =
        gcal_arena_grow(l->arena, d->kept, d->n, &d->kept_capacity, sizeof(*d->kept));
    d->kept[d->n] = *time;
    d->times[d->n] =
        (struct gcal_kernel_time){ .time_s = time->time_s * l->general->factor,
                                   .spread = time->spread };
    return count_launch(l, time->sizes, &d->times[d->n++], err);
}

/* Those of the kernel on a device of the record, whose general model has this factor. */
static int read_times(struct gcal_learning *l, const struct gcal_record *record,
                      size_t device, double factor, struct gcal_error *err)
{
    struct gcal_measured_kernels *measured =
        gcal_arena_alloc(l->arena, 1, sizeof(*measured));

    measured->arena = l->arena;
    gcal_arena_own(l->arena, measured, clear_measured);
    if (gcal_measured_kernels_read(measured, record, device, err) < 0)
        return -1;
    for (size_t i = 0; i < measured->n; i++) {
        const struct gcal_measured_kernel *k = &measured->kernels[i];
        struct gcal_params_time time = { .time_s = k->time_s / factor,
                                         .spread = k->spread,
                                         .measured_utc = record->header->finished_utc };

        if (!k->measured || k->status != GCAL_MEASUREMENT_GOOD || !(k->time_s > 0))
            continue;
        time.sizes = (char *)name_sizes(l, &k->kernel);
        if (add_time(l, &time, err) < 0)
            return -1;
    }
    return 0;
}

/* Those that the store has of the device's type. */
static int read_known_times(struct gcal_learning *l, struct gcal_error *err)
{
    const struct gcal_params_model *before =
        gcal_learned_find(&l->known, l->learned.device, l->general);

    for (size_t i = 0; before && i < before->n_times; i++)
        if (add_time(l, &before->times[i], err) < 0)
            return -1;
    return 0;
}

/* ---- the model ---- */

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
static int judge(struct gcal_learning *l, struct gcal_error *err)
{
    struct gcal_learned *d = &l->learned;
    struct gcal_kernel_time *others = gcal_arena_alloc(l->arena, d->n, sizeof(*others));
    struct gcal_fit_mean_error of_general = { 0 }, held_out = { 0 };
    struct gcal_params_device alone = *d->device;
    struct gcal_params_model model;
    struct gcal_error why = { 0 };

    alone.n_models = 1;
    alone.models = &model;
    for (size_t i = 0; i < d->n; i++) {
        memcpy(others, d->times, i * sizeof(*others));
        memcpy(others + i, d->times + i + 1, (d->n - 1 - i) * sizeof(*others));
        add_error(d->device, l->general->name, &d->times[i], &of_general, &why);
        if (gcal_learn_correct(l->arena, d->device, l->own.model, d->times[i].profile,
                               &l->known, d->n - 1, others, &model, err) < 0 ||
            add_error(&alone, l->own.model, &d->times[i], &held_out, err) < 0)
            return -1;
    }
    d->general_error = gcal_fit_mean_error(&of_general);
    d->held_out_error = gcal_fit_mean_error(&held_out);
    return 0;
}

/* ---- publication ---- */

/* The factors and the times, for all devices of the type. */
static int publish(struct gcal_learning *l, const struct gcal_record_header *header,
                   struct gcal_error *err)
{
    struct gcal_params_device device = *l->learned.device;
    struct gcal_params_model factors =
        gcal_learn_factors(l->arena, l->general, &l->learned.model);
    struct gcal_params params = {
        (char *)gcal_profile_identity(l->learned.times[0].profile), 1, &device
    };

    device.n_models = 1;
    device.models = &factors;
    factors.n_times = l->learned.n;
    factors.times = l->learned.kept;
    factors.origin = gcal_params_model_origin(l->learned.device, l->general);
    factors.origin.run_id = header->run_id;
    factors.origin.calibrated_utc = header->finished_utc;
    factors.origin.gpucal_version = header->gpucal_version;
    factors.origin.n_fitted = 1;
    return gcal_store_publish_learned(l->store, &params, header->run_id, err);
}

int gcal_learn_fit(struct gcal_learning *l, struct gcal_error *err)
{
    struct gcal_record *record = gcal_record_open(l->record, err);
    struct gcal_learned *d = &l->learned;

    gcal_arena_own(l->arena, record, close_record);
    if (!record)
        return -1;
    for (size_t i = 0; i < record->n_devices; i++) {
        const struct gcal_params_device *device =
            gcal_params_find_uid(&l->published, record->devices[i].info.uid);
        const struct gcal_params_model *general = device ? find_general(device) : NULL;

        if (general && read_times(l, record, i, general->factor, err) < 0)
            return -1;
    }
    if (!d->n)
        return gcal_error_set(err, GCAL_EDEVICE, "%s was not measured at any size",
                              l->own.name);
    if (gcal_store_load_learned(l->store, gcal_profile_identity(d->times[0].profile),
                                &l->known, err) < 0 ||
        read_known_times(l, err) < 0 ||
        gcal_learn_correct(l->arena, d->device, l->own.model, d->times[0].profile,
                           &l->known, d->n, d->times, &d->model, err) < 0 ||
        judge(l, err) < 0)
        return -1;
    return publish(l, record->header, err);
}
