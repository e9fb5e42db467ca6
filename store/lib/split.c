/* split.c - gpucal_split(): work divided by predicted times */
#include "store/lib/private.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "store/params/params.h"
#include "store/predict/expected.h"
#include "store/predict/predictor.h"
#include "store/predict/split.h"

/* Once a kernel was timed at one size, its predicted times at others err by about this much: docs/results.md,
 * "learned from one time".
 */
#define MEASURED_DEVIATION 0.05

/* Predicted times so far, in the order of units: between two of them that are within a factor of two, others
 * are interpolated.
 */
struct times {
    size_t n;
    struct {
        double units, time_s;
    } at[128];
};

struct split {
    const struct gpucal_share *shares;
    size_t count;
    struct gcal_split_share *results;
    struct gcal_prediction *predictions;
    struct gcal_expected_error *errors;
    struct times *times;
    double *correction; /* of each share's time: 1 unless it was measured */
    bool interpolates;
};

/* Time in addition to the kernel's. */
static double overhead_s(const struct gpucal_share *share, double units)
{
    return share->start_s + share->transfer_s * units;
}

static bool is_measured(const struct gpucal_share *share)
{
    return share->measured_units > 0;
}

/* The sizes for 'units' of work. */
static void set_sizes(const struct gpucal_share *share, double units,
                      double sizes[GCAL_PROFILE_MAX_PARAMETERS])
{
    memcpy(sizes, share->sizes, share->model->n_sizes * sizeof(double));
    sizes[share->unit] = share->size_per_unit * units;
}

static int time_of(void *context, size_t i, double units, double *time_s,
                   struct gcal_error *err)
{
    const struct split *s = context;
    const struct gpucal_share *share = &s->shares[i];
    struct times *t = &s->times[i];
    double sizes[GCAL_PROFILE_MAX_PARAMETERS];
    size_t next = 0;

    while (next < t->n && t->at[next].units < units)
        next++;
    if (next < t->n && t->at[next].units == units) {
        *time_s = t->at[next].time_s;
        return 0;
    }
    if (s->interpolates && next > 0 && next < t->n &&
        t->at[next].units <= 2 * t->at[next - 1].units) {
        double low = t->at[next - 1].units, low_s = t->at[next - 1].time_s;

        *time_s = low_s + (t->at[next].time_s - low_s) * (units - low) /
                              (t->at[next].units - low);
        return 0;
    }
    set_sizes(share, units, sizes);
    if (gcal_predictor_time(share->model->predictor, sizes, time_s, err) < 0)
        return gcal_error_prefix(err, "share %zu with %g units", i, units);
    *time_s = s->correction[i] * (*time_s + overhead_s(share, units));
    if (t->n < sizeof(t->at) / sizeof(*t->at)) {
        memmove(&t->at[next + 1], &t->at[next], (t->n++ - next) * sizeof(*t->at));
        t->at[next].units = units;
        t->at[next].time_s = *time_s;
    }
    return 0;
}

static int check_share(const struct gpucal_share *share, size_t i, struct gcal_error *err)
{
    if (GPUCAL_CHECK_RESERVED(share, "share", i, err) < 0)
        return -1;
    if (!share->model || !share->sizes)
        return gcal_error_set(err, GCAL_EINPUT, "share %zu: no model or no sizes", i);
    if (share->unit >= share->model->n_sizes)
        return gcal_error_set(
            err, GCAL_EINPUT,
            "share %zu: unit is size %zu (counted from 0), but the profile has %zu "
            "sizes",
            i, share->unit, share->model->n_sizes);
    if (!isfinite(share->size_per_unit) || share->size_per_unit <= 0)
        return gcal_error_set(err, GCAL_EINPUT,
                              "share %zu: size_per_unit is %g: must be a finite number "
                              "above 0",
                              i, share->size_per_unit);
    if (!isfinite(share->start_s) || share->start_s < 0 || !isfinite(share->transfer_s) ||
        share->transfer_s < 0)
        return gcal_error_set(
            err, GCAL_EINPUT,
            "share %zu: start_s is %g and transfer_s %g: must be finite "
            "numbers of at least 0",
            i, share->start_s, share->transfer_s);
    if (!isfinite(share->measured_units) || !isfinite(share->measured_s) ||
        share->measured_units < 0 || share->measured_s < 0 ||
        (share->measured_units > 0) != (share->measured_s > 0))
        return gcal_error_set(err, GCAL_EINPUT,
                              "share %zu: %g units were measured to take %g s: must be "
                              "finite numbers above 0, or both 0",
                              i, share->measured_units, share->measured_s);
    return 0;
}

/* Predicts each share's kernel with its units, or where it has none with one granule. */
static int predict_all(const struct split *s, double granularity, struct gcal_error *err)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct gpucal_share *share = &s->shares[i];
        double units = s->results[i].units, sizes[GCAL_PROFILE_MAX_PARAMETERS];

        set_sizes(share, units > 0 ? units : granularity, sizes);
        if (gcal_predictor_eval(share->model->predictor, sizes, &s->predictions[i], NULL,
                                units > 0 ? err : NULL) < 0) {
            if (units > 0)
                return gcal_error_prefix(err, "share %zu with %g units", i, units);
            s->predictions[i] = (struct gcal_prediction){ 0 };
        }
    }
    return 0;
}

/* The ends of the 90 % interval of the kernel's time, relative to it. */
static double interval_end(const struct split *s, size_t i, bool is_high)
{
    const struct gcal_prediction *p = &s->predictions[i];

    if (is_measured(&s->shares[i]))
        return exp((is_high ? 1 : -1) * GCAL_PARAMS_NORMAL_90 * MEASURED_DEVIATION);
    return (is_high ? p->high_s : p->low_s) / p->time_s;
}

/* Returns whether both predictions err alike: they follow from one fit, or are of GPUs by the same
 * model, as the error is mostly the kernel's (correlation 0.94 between an H100 and an H200).
 */
static bool err_alike(const struct gpucal_model *a, const struct gpucal_model *b)
{
    return gcal_predictor_share_fit(a->predictor, b->predictor) ||
           (a->is_gpu && b->is_gpu &&
            strcmp(gcal_predictor_model(a->predictor),
                   gcal_predictor_model(b->predictor)) == 0);
}

/* Shares that err alike are a group; what remains of the error where a device was measured is its own.
 * Returns how many groups of the former there are, which come first.
 */
static size_t find_errors(const struct split *s)
{
    size_t n_groups = 0, n_measured = 0;

    for (size_t i = 0; i < s->count; i++) {
        const struct gpucal_share *share = &s->shares[i];
        struct gcal_expected_error *error = &s->errors[i];
        size_t k = 0;

        if (is_measured(share)) {
            *error = (struct gcal_expected_error){ .deviation = MEASURED_DEVIATION,
                                                   .group = s->count - ++n_measured };
            continue;
        }
        *error = (struct gcal_expected_error){ share->start_s, share->transfer_s, 0, 0 };
        if (s->predictions[i].time_s > 0)
            error->deviation = log(interval_end(s, i, true) / interval_end(s, i, false)) /
                               (2 * GCAL_PARAMS_NORMAL_90);
        while (k < i && (is_measured(&s->shares[k]) ||
                         !err_alike(s->shares[k].model, share->model)))
            k++;
        error->group = k < i ? s->errors[k].group : n_groups++;
    }
    return n_groups;
}

/* How much longer the shares were measured to take than predicted. */
static int correct_by_measured(const struct split *s, struct gcal_error *err)
{
    for (size_t i = 0; i < s->count; i++) {
        double predicted_s;

        s->correction[i] = 1;
        if (!is_measured(&s->shares[i]))
            continue;
        if (time_of((void *)s, i, s->shares[i].measured_units, &predicted_s, err) < 0)
            return -1;
        s->correction[i] = s->shares[i].measured_s / predicted_s;
        s->times[i].n = 0;
    }
    return 0;
}

API int gpucal_split(struct gpucal_share *shares, size_t count, double units,
                     double granularity, double *makespan_s, struct gpucal_error *err)
{
    struct split s = { .shares = shares, .count = count };
    double expected_s = 0;
    struct gcal_error e;
    int rc = -1;

    if ((count && !GIVEN(err, shares)) || !gpucal_can_count(err, __func__, count))
        return -1;
    for (size_t i = 0; i < s.count; i++)
        if (check_share(&s.shares[i], i, &e) < 0)
            goto out;
    s.results = calloc(s.count + 1, sizeof(*s.results));
    s.predictions = calloc(s.count + 1, sizeof(*s.predictions));
    s.errors = calloc(s.count + 1, sizeof(*s.errors));
    s.times = calloc(s.count + 1, sizeof(*s.times));
    s.correction = calloc(s.count + 1, sizeof(*s.correction));
    if (!s.results || !s.predictions || !s.errors || !s.times || !s.correction) {
        gcal_error_memory(&e);
        goto out;
    }
    for (size_t i = 0; i < s.count; i++) {
        s.results[i].least = s.shares[i].least;
        s.results[i].most = s.shares[i].most;
    }
    if (correct_by_measured(&s, &e) < 0 ||
        gcal_split(s.results, count, units, granularity, time_of, &s, &e) < 0 ||
        predict_all(&s, granularity, &e) < 0)
        goto out;
    s.interpolates = true;
    if (gcal_split_expected(s.results, s.errors, count, find_errors(&s), units,
                            granularity, time_of, &s, &expected_s, &e) < 0 ||
        predict_all(&s, granularity, &e) < 0)
        goto out;
    for (size_t i = 0; i < count; i++) {
        struct gpucal_share *share = &shares[i];
        const struct gcal_prediction *p = &s.predictions[i];
        double certain_s, kernel_s;

        share->units = s.results[i].units;
        share->time_s = share->low_s = share->high_s = share->not_covered = 0;
        share->extrapolates = 0;
        if (share->units == 0)
            continue;
        certain_s = is_measured(share) ? 0 : overhead_s(share, share->units);
        share->time_s = s.correction[i] * (overhead_s(share, share->units) + p->time_s);
        kernel_s = share->time_s - certain_s;
        share->low_s = certain_s + kernel_s * interval_end(&s, i, false);
        share->high_s = certain_s + kernel_s * interval_end(&s, i, true);
        share->not_covered = p->not_covered;
        share->extrapolates = p->extrapolates;
    }
    if (makespan_s)
        *makespan_s = expected_s;
    rc = 0;
out:
    free(s.results);
    free(s.predictions);
    free(s.errors);
    free(s.times);
    free(s.correction);
    return rc < 0 ? gpucal_error_from(err, &e) : 0;
}
