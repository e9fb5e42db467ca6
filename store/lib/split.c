/* split.c - gpucal_split(): work divided by predicted times */
#include "store/lib/private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "store/predict/predictor.h"
#include "store/predict/split.h"

struct split {
    const struct gpucal_share *shares;
    size_t count;
    struct gcal_split_share *results;
    struct gcal_prediction *predictions;
};

/* Time in addition to the kernel's. */
static double overhead_s(const struct gpucal_share *share, double units)
{
    return share->start_s + share->transfer_s * units;
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
    double sizes[GCAL_PROFILE_MAX_PARAMETERS];

    set_sizes(share, units, sizes);
    if (gcal_predictor_time(share->model->predictor, sizes, time_s, err) < 0)
        return gcal_error_prefix(err, "share %zu with %g units", i, units);
    *time_s += overhead_s(share, units);
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
    return 0;
}

static int predict_all(const struct split *s, struct gcal_error *err)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct gpucal_share *share = &s->shares[i];
        double units = s->results[i].units, sizes[GCAL_PROFILE_MAX_PARAMETERS];

        if (units == 0)
            continue;
        set_sizes(share, units, sizes);
        if (gcal_predictor_eval(share->model->predictor, sizes, &s->predictions[i], NULL,
                                err) < 0)
            return gcal_error_prefix(err, "share %zu with %g units", i, units);
    }
    return 0;
}

API int gpucal_split(struct gpucal_share *shares, size_t count, double units,
                     double granularity, double *makespan_s, struct gpucal_error *err)
{
    struct split s = { .shares = shares, .count = count };
    double longest_s = 0;
    struct gcal_error e;
    int rc = -1;

    if ((count && !GIVEN(err, shares)) || !gpucal_can_count(err, __func__, count))
        return -1;
    for (size_t i = 0; i < s.count; i++)
        if (check_share(&s.shares[i], i, &e) < 0)
            goto out;
    s.results = calloc(s.count + 1, sizeof(*s.results));
    s.predictions = calloc(s.count + 1, sizeof(*s.predictions));
    if (!s.results || !s.predictions) {
        gcal_error_memory(&e);
        goto out;
    }
    for (size_t i = 0; i < s.count; i++) {
        s.results[i].least = s.shares[i].least;
        s.results[i].most = s.shares[i].most;
    }
    if (gcal_split(s.results, count, units, granularity, time_of, &s, &e) < 0 ||
        predict_all(&s, &e) < 0)
        goto out;
    for (size_t i = 0; i < count; i++) {
        double more_s =
            s.results[i].units > 0 ? overhead_s(&shares[i], s.results[i].units) : 0;

        shares[i].units = s.results[i].units;
        shares[i].time_s = more_s + s.predictions[i].time_s;
        shares[i].low_s = more_s + s.predictions[i].low_s;
        shares[i].high_s = more_s + s.predictions[i].high_s;
        shares[i].not_covered = s.predictions[i].not_covered;
        shares[i].extrapolates = s.predictions[i].extrapolates;
        longest_s = fmax(longest_s, shares[i].time_s);
    }
    if (makespan_s)
        *makespan_s = longest_s;
    rc = 0;
out:
    free(s.results);
    free(s.predictions);
    return rc < 0 ? gpucal_error_from(err, &e) : 0;
}
