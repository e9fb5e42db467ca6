/* kernel.c - one kernel on one device: its times, those that the store has, its factors, and publication */
#include "calib/learn/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/median.h"
#include "kernels/model/profile.h"
#include "fit/error_summary.h"
#include "calib/learn/corrections.h"
#include "calib/learn/private.h"
#include "store/files/store.h"
#include "store/learned/learned.h"
#include "store/predict/predictor.h"
#include "store/publish/publish.h"

/* ---- times ---- */

static bool is_same_device(const struct gcal_params_time *a,
                           const struct gcal_params_time *b)
{
    return a->device && b->device ? strcmp(a->device, b->device) == 0
                                  : !a->device && !b->device;
}

static bool has_sizes(const struct gcal_params_time *a, const struct gcal_params_time *b)
{
    return strcmp(a->sizes, b->sizes) == 0;
}

/* Newer times come first. */
static bool has_time(const struct gcal_learned *d, const struct gcal_params_time *time)
{
    for (size_t i = 0; i < d->n_kept; i++)
        if (has_sizes(&d->kept[i], time) &&
            (!time->device || is_same_device(&d->kept[i], time)))
            return true;
    return false;
}

void gcal_learn_add_times(struct gcal_learned *d, size_t n,
                          const struct gcal_params_time *times)
{
    double *same = gcal_arena_alloc(d->arena, n, sizeof(*same));

    for (size_t i = 0; i < n; i++) {
        size_t n_same = 0;

        if (has_time(d, &times[i]))
            continue;
        for (size_t k = i; k < n; k++)
            if (has_sizes(&times[k], &times[i]) && is_same_device(&times[k], &times[i]))
                same[n_same++] = times[k].time_s;
        d->kept =
            gcal_arena_grow(d->arena, d->kept, d->n_kept, &d->capacity, sizeof(*d->kept));
        d->kept[d->n_kept] = times[i];
        d->kept[d->n_kept++].time_s = gcal_median(same, n_same);
    }
}

static int compare_times(const void *a, const void *b)
{
    const struct gcal_params_time *p = *(struct gcal_params_time *const *)a;
    const struct gcal_params_time *q = *(struct gcal_params_time *const *)b;

    return (p->time_s > q->time_s) - (p->time_s < q->time_s);
}

/* The first time at each sizes, then the others.  Of more sizes than are kept, those go whose neighbours
 * are nearest: the shortest and the longest stay, so that no part of the range is forgotten.
 */
static void arrange_times(struct gcal_learned *d)
{
    size_t n = d->n_kept, n_sizes = 0, kept = 0;
    struct gcal_params_time *all = gcal_arena_alloc(d->arena, n, sizeof(*all));
    struct gcal_params_time **by_time = gcal_arena_alloc(d->arena, n, sizeof(*by_time));

    memcpy(all, d->kept, n * sizeof(*all));
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;

        while (k < n_sizes && !has_sizes(by_time[k], &all[i]))
            k++;
        if (k == n_sizes)
            by_time[n_sizes++] = &all[i];
    }
    qsort(by_time, n_sizes, sizeof(*by_time), compare_times);
    for (; n_sizes > GCAL_LEARN_MOST_SIZES; n_sizes--) {
        size_t nearest = 1;

        for (size_t i = 2; i + 1 < n_sizes; i++)
            if (by_time[i + 1]->time_s / by_time[i - 1]->time_s <
                by_time[nearest + 1]->time_s / by_time[nearest - 1]->time_s)
                nearest = i;
        memmove(by_time + nearest, by_time + nearest + 1,
                (n_sizes - nearest - 1) * sizeof(*by_time));
    }
    for (int others = 0; others < 2; others++)
        for (size_t i = 0; i < n && kept < GCAL_LEARN_MOST_TIMES; i++)
            for (size_t k = 0; k < n_sizes; k++)
                if (has_sizes(by_time[k], &all[i]) && (by_time[k] != &all[i]) == others)
                    d->kept[kept++] = all[i];
    d->n = n_sizes;
    d->n_kept = kept;
}

/* Medians over the devices. */
static int count_times(struct gcal_learned *d, struct gcal_error *err)
{
    double *same = gcal_arena_alloc(d->arena, d->n_kept, sizeof(*same));

    d->times = gcal_arena_alloc(d->arena, d->n, sizeof(*d->times));
    for (size_t i = 0; i < d->n; i++) {
        size_t n_same = 0;

        for (size_t k = i; k < d->n_kept; k++)
            if (has_sizes(&d->kept[k], &d->kept[i]))
                same[n_same++] = d->kept[k].time_s;
        d->times[i].time_s = gcal_median(same, n_same) * d->general->factor;
        d->times[i].spread = d->kept[i].spread;
        if (d->count(d->context, d->kept[i].sizes, &d->times[i], err) < 0)
            return -1;
    }
    return 0;
}

/* ---- the model ---- */

int gcal_learn_fit_kernel(struct gcal_learned *d, struct gcal_error *err)
{
    struct gcal_kernel_time first = { 0 };
    const struct gcal_params_model *before;
    const char *fingerprint;

    if (d->count(d->context, d->kept->sizes, &first, err) < 0)
        return -1;
    /* Without one, it cannot be corrected. */
    fingerprint = gcal_profile_identity(first.profile);
    if (fingerprint && gcal_store_load_learned(d->store, fingerprint, &d->known, err) < 0)
        return -1;
    if ((before = gcal_learned_find(&d->known, d->device, d->general)))
        gcal_learn_add_times(d, before->n_times, before->times);
    arrange_times(d);
    if (!(d->spreads.types > 0))
        d->spreads = gcal_learned_estimate(d->store, d->device, d->general);
    return count_times(d, err) < 0 ||
                   gcal_learn_correct(d->arena, d->device, d->name, first.profile,
                                      &d->known, d->spreads.types, d->n, d->times,
                                      &d->model, err) < 0
               ? -1
               : gcal_learn_find_members(d, err);
}

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

int gcal_learn_judge_kernel(struct gcal_learned *d, struct gcal_error *err)
{
    struct gcal_kernel_time *others = gcal_arena_alloc(d->arena, d->n, sizeof(*others));
    struct gcal_fit_mean_error of_general = { 0 }, held_out = { 0 };
    struct gcal_params_device alone = *d->device;
    struct gcal_params_model model;
    struct gcal_error why = { 0 };

    alone.n_models = 1;
    alone.models = &model;
    for (size_t i = 0; i < d->n; i++) {
        memcpy(others, d->times, i * sizeof(*others));
        memcpy(others + i, d->times + i + 1, (d->n - 1 - i) * sizeof(*others));
        add_error(d->device, d->general->name, &d->times[i], &of_general, &why);
        if (gcal_learn_correct(d->arena, d->device, d->name, d->times[i].profile,
                               &d->known, d->spreads.types, d->n - 1, others, &model,
                               err) < 0 ||
            add_error(&alone, d->name, &d->times[i], &held_out, err) < 0)
            return -1;
    }
    d->general_error = gcal_fit_mean_error(&of_general);
    d->held_out_error = gcal_fit_mean_error(&held_out);
    return 0;
}

/* ---- publication ---- */

int gcal_learn_publish_kernel(struct gcal_learned *d, const struct gcal_learn_run *run,
                              struct gcal_error *err)
{
    struct gcal_params_device device = *d->device;
    struct gcal_params_model factors =
        gcal_learn_factors(d->arena, d->general, &d->model);
    struct gcal_params params = { (char *)gcal_profile_identity(d->times[0].profile), 1,
                                  &device };

    device.n_models = 1;
    device.models = &factors;
    factors.spread_types = d->spreads.types;
    factors.spread_devices = d->between_devices;
    factors.n_times = d->n_kept;
    factors.times = d->kept;
    factors.n_members = d->n_members;
    factors.members = d->members;
    factors.origin = gcal_params_model_origin(d->device, d->general);
    factors.origin.run_id = (char *)run->run_id;
    factors.origin.calibrated_utc = (char *)run->utc;
    factors.origin.gpucal_version = (char *)GPUCAL_VERSION;
    factors.origin.n_fitted = 1;
    return gcal_store_publish_learned(d->store, &params, run->run_id, err);
}
