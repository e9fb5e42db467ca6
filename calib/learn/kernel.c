/* kernel.c - one kernel on one device: its times, those that the store has, its factors, and publication */
#include "calib/learn/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/median.h"
#include "kernels/model/profile.h"
#include "fit/error_summary.h"
#include "calib/learn/corrections.h"
#include "store/files/store.h"
#include "store/learned/learned.h"
#include "store/predict/predictor.h"
#include "store/publish/publish.h"

/* What a kernel's times on two devices of a type differ by beside the device factors, which counts as
 * many sizes.
 */
#define DEVICES       0.02
#define DEVICES_PRIOR 4

/* ---- times ---- */

/* Unless there is one at these sizes: newer times come first. */
static int add_time(struct gcal_learned *d, const struct gcal_params_time *time,
                    struct gcal_error *err)
{
    for (size_t i = 0; i < d->n; i++)
        if (strcmp(d->kept[i].sizes, time->sizes) == 0)
            return 0;
    d->times =
        gcal_arena_grow(d->arena, d->times, d->n, &d->times_capacity, sizeof(*d->times));
    d->kept =
        gcal_arena_grow(d->arena, d->kept, d->n, &d->kept_capacity, sizeof(*d->kept));
    d->kept[d->n] = *time;
    d->times[d->n] =
        (struct gcal_kernel_time){ .time_s = time->time_s * d->general->factor,
                                   .spread = time->spread };
    return d->count(d->context, time->sizes, &d->times[d->n++], err);
}

/* Adds what the times at the sizes of the first of them, one of each device, differ by beyond their own
 * errors.
 */
static void compare_devices(struct gcal_learned *d, size_t n,
                            const struct gcal_params_time *times)
{
    double sum = 0, squares = 0, errors = 0, n_devices = 0;

    for (size_t i = 0; i < n; i++) {
        bool is_first = times[i].uid && strcmp(times[i].sizes, times->sizes) == 0;

        for (size_t k = 0; k < i && is_first; k++)
            is_first = !times[k].uid || strcmp(times[k].uid, times[i].uid) != 0 ||
                       strcmp(times[k].sizes, times->sizes) != 0;
        if (!is_first)
            continue;
        sum += log(times[i].time_s / times->time_s);
        squares += pow(log(times[i].time_s / times->time_s), 2);
        errors += times[i].spread * times[i].spread;
        n_devices++;
    }
    if (n_devices < 2)
        return;
    d->between_devices +=
        squares - sum * sum / n_devices - (n_devices - 1) / n_devices * errors;
    d->n_between += n_devices - 1;
}

int gcal_learn_add_times(struct gcal_learned *d, size_t n,
                         const struct gcal_params_time *times, struct gcal_error *err)
{
    double *same = gcal_arena_alloc(d->arena, n, sizeof(*same));

    for (size_t i = 0; i < n; i++) {
        struct gcal_params_time time = times[i];
        size_t n_same = 0;
        bool is_first = true;

        for (size_t k = 0; k < n; k++)
            if (strcmp(times[k].sizes, times[i].sizes) == 0) {
                is_first = is_first && k >= i;
                same[n_same++] = times[k].time_s;
            }
        if (is_first)
            compare_devices(d, n - i, times + i);
        time.time_s = gcal_median(same, n_same);
        if (add_time(d, &time, err) < 0)
            return -1;
    }
    return 0;
}

/* Those that the store has of the device's type. */
static int read_known_times(struct gcal_learned *d, struct gcal_error *err)
{
    const struct gcal_params_model *before =
        gcal_learned_find(&d->known, d->device, d->general);

    return before ? gcal_learn_add_times(d, before->n_times, before->times, err) : 0;
}

static int compare_times(const void *a, const void *b)
{
    const struct gcal_kernel_time *p = *(struct gcal_kernel_time *const *)a;
    const struct gcal_kernel_time *q = *(struct gcal_kernel_time *const *)b;

    return (p->time_s > q->time_s) - (p->time_s < q->time_s);
}

/* Of more times than are kept, those go whose neighbours are nearest: the shortest and the longest
 * stay, so that no part of the range is forgotten.
 */
static void thin_times(struct gcal_learned *d)
{
    struct gcal_kernel_time **by_time =
        gcal_arena_alloc(d->arena, d->n, sizeof(*by_time));
    size_t n = d->n, kept = 0;

    for (size_t i = 0; i < n; i++)
        by_time[i] = &d->times[i];
    qsort(by_time, n, sizeof(*by_time), compare_times);
    for (; n > GCAL_LEARN_MOST_TIMES; n--) {
        size_t nearest = 1;

        for (size_t i = 2; i + 1 < n; i++)
            if (by_time[i + 1]->time_s / by_time[i - 1]->time_s <
                by_time[nearest + 1]->time_s / by_time[nearest - 1]->time_s)
                nearest = i;
        by_time[nearest]->time_s = 0;
        memmove(by_time + nearest, by_time + nearest + 1,
                (n - nearest - 1) * sizeof(*by_time));
    }
    for (size_t i = 0; i < d->n; i++)
        if (d->times[i].time_s > 0) {
            d->times[kept] = d->times[i];
            d->kept[kept++] = d->kept[i];
        }
    d->n = kept;
}

/* ---- the model ---- */

int gcal_learn_fit_kernel(struct gcal_learned *d, struct gcal_error *err)
{
    const struct gcal_profile *profile = d->times[0].profile;
    const char *fingerprint = gcal_profile_identity(profile);

    /* Without one, it cannot be corrected. */
    if ((fingerprint &&
         gcal_store_load_learned(d->store, fingerprint, &d->known, err) < 0) ||
        read_known_times(d, err) < 0)
        return -1;
    thin_times(d);
    if (!(d->types > 0))
        d->types = gcal_learned_types_estimate(d->store, d->device, d->general);
    return gcal_learn_correct(d->arena, d->device, d->name, profile, &d->known, d->types,
                              d->n, d->times, &d->model, err);
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
                               &d->known, d->types, d->n - 1, others, &model, err) < 0 ||
            add_error(&alone, d->name, &d->times[i], &held_out, err) < 0)
            return -1;
    }
    d->general_error = gcal_fit_mean_error(&of_general);
    d->held_out_error = gcal_fit_mean_error(&held_out);
    return 0;
}

/* ---- publication ---- */

/* Between devices: of times at the same sizes, or what was known before. */
static double find_spread(const struct gcal_learned *d)
{
    const struct gcal_params_model *before =
        gcal_learned_find(&d->known, d->device, d->general);
    double variance = (DEVICES_PRIOR * DEVICES * DEVICES + d->between_devices) /
                      (DEVICES_PRIOR + d->n_between);

    if (!(d->n_between > 0))
        return before ? before->spread_devices : 0;
    return sqrt(fmax(variance, 0));
}

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
    factors.spread_types = d->types;
    factors.spread_devices = find_spread(d);
    factors.n_times = d->n;
    factors.times = d->kept;
    factors.origin = gcal_params_model_origin(d->device, d->general);
    factors.origin.run_id = (char *)run->run_id;
    factors.origin.calibrated_utc = (char *)run->utc;
    factors.origin.gpucal_version = (char *)GPUCAL_VERSION;
    factors.origin.n_fitted = 1;
    return gcal_store_publish_learned(d->store, &params, run->run_id, err);
}
