/* correct.c - the general model of the device, and its corrections from the record */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "calib/learn/observed.h"
#include "calib/select/select.h"
#include "mpi/cli/command.h"
#include "mpi/commands/learn/private.h"
#include "mpi/commands/predict/evaluate.h"
#include "mpi/commands/predict/inputs.h"
#include "store/predict/predictor.h"

GCAL_ARENA_DESTROYER(close_record, gcal_record_close)
GCAL_ARENA_DESTROYER(clear_target, gcal_predict_target_clear)
GCAL_ARENA_DESTROYER(clear_measured, gcal_measured_kernels_clear)

/* ---- times ---- */

int gcal_learn_count(struct gcal_arena *arena, const struct gcal_count_options *source,
                     const struct gcal_params_device *device,
                     const struct gcal_params_model *general, const char *sizes,
                     struct gcal_kernel_time *time, struct gcal_error *err)
{
    const struct gcal_kernel_counting counting =
        gcal_predict_counting(device, general->name);
    struct gcal_predict_target *target =
        gcal_arena_own(arena, gcal_arena_alloc(arena, 1, sizeof(*target)), clear_target);
    struct gcal_count_options options = *source;

    options.requires_sizes = true;
    options.ats = (struct gcal_option_list){ 0 };
    if (*sizes)
        gcal_option_list_add(&options.ats, sizes);
    if (gcal_predict_target_count(target, &options, &counting, err) < 0)
        return -1;
    time->profile = target->profile;
    time->sizes = target->sizes;
    return 0;
}

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

static int count_launch(void *context, const char *sizes, struct gcal_kernel_time *time,
                        struct gcal_error *err)
{
    struct gcal_learning *l = context;

    return gcal_learn_count(l->arena, &l->c->count, l->learned.device, l->learned.general,
                            sizes, time, err);
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
    l->learned = (struct gcal_learned){ .arena = l->arena,
                                        .store = l->store,
                                        .device = device,
                                        .general = gcal_learn_general(device),
                                        .name = l->own.model,
                                        .count = count_launch,
                                        .context = l };
    if (l->learned.general)
        return 0;
    return gcal_error_set(
        err, GCAL_EINPUT,
        "the store has no good general model of %s, which a kernel's times "
        "correct: calibrate it first ('gpucal calibrate --store %s')%s%s",
        l->info->name, l->path, *why.text ? "; " : "", why.text);
}

struct times {
    size_t n, capacity;
    struct gcal_params_time *items;
};

/* Those of the kernel on a device of the record, whose general model has this factor. */
static int read_times(struct gcal_learning *l, const struct gcal_record *record,
                      size_t device, double factor, struct times *times,
                      struct gcal_error *err)
{
    struct gcal_measured_kernels *measured =
        gcal_arena_alloc(l->arena, 1, sizeof(*measured));

    measured->arena = l->arena;
    gcal_arena_own(l->arena, measured, clear_measured);
    if (gcal_measured_kernels_read(measured, record, device, err) < 0)
        return -1;
    for (size_t i = 0; i < measured->n; i++) {
        const struct gcal_measured_kernel *k = &measured->kernels[i];

        if (!k->measured || k->status != GCAL_MEASUREMENT_GOOD || !(k->time_s > 0))
            continue;
        times->items = gcal_arena_grow(l->arena, times->items, times->n, &times->capacity,
                                       sizeof(*times->items));
        times->items[times->n++] = (struct gcal_params_time){
            .sizes = (char *)name_sizes(l, &k->kernel),
            .time_s = k->time_s / factor,
            .spread = k->spread,
            .measured_utc = record->header->finished_utc,
            .device = gcal_arena_format(l->arena, "%s/%s", l->node,
                                        record->devices[device].info.uid)
        };
    }
    return 0;
}

int gcal_learn_fit(struct gcal_learning *l, struct gcal_error *err)
{
    struct gcal_record *record = gcal_record_open(l->record, err);
    struct times times = { 0 };
    struct gcal_learn_run run;

    gcal_arena_own(l->arena, record, close_record);
    if (!record)
        return -1;
    for (size_t i = 0; i < record->n_devices; i++) {
        const struct gcal_params_device *device =
            gcal_params_find_uid(&l->published, record->devices[i].info.uid);
        const struct gcal_params_model *general =
            device ? gcal_learn_general(device) : NULL;

        if (general && read_times(l, record, i, general->factor, &times, err) < 0)
            return -1;
    }
    if (!times.n)
        return gcal_error_set(err, GCAL_EDEVICE, "%s was not measured at any size",
                              l->own.name);
    gcal_learn_add_times(&l->learned, times.n, times.items);
    if (gcal_learn_fit_kernel(&l->learned, err) < 0 ||
        gcal_learn_judge_kernel(&l->learned, err) < 0)
        return -1;
    run = (struct gcal_learn_run){ record->header->run_id, record->header->finished_utc };
    if (gcal_learn_publish_kernel(&l->learned, &run, err) < 0)
        return -1;
    gcal_learn_observed_too(l->store, &run);
    return 0;
}
