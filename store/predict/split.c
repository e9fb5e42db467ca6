/* split.c - greedy division of work in steps of decreasing size
 *
 * Granules of work are given out in steps, each to the share that would end first with
 * it.  A step of s granules is never too large while more than n (s - 1) granules are
 * left for n shares: if no share could take s more and end by the optimal time, each
 * would be less than s short of its capacity by then, so at most n (s - 1) would be left.
 * Thus some share can, and so can the one that ends first.  s is halved until nothing is
 * left.
 */
#include "store/predict/split.h"

#include <math.h>

#include "kernels/base/error.h"

/* Integers below are exact in a double. */
#define MAX_GRANULES 9007199254740992.0

struct work {
    struct gcal_split_share *shares;
    size_t count;
    double granularity;
    double left; /* granules not given out yet */
    double rest; /* units that do not fill a granule */
    gcal_split_time *time;
    void *context;
    struct gcal_error beyond; /* of the last share that the device cannot run */
};

/* ---- checks ---- */

static int start(struct work *w, double units, struct gcal_error *err)
{
    double granules, least = 0, most = 0;

    w->rest = fmod(units, w->granularity);
    granules = round((units - w->rest) / w->granularity);
    for (size_t i = 0; i < w->count; i++) {
        struct gcal_split_share *p = &w->shares[i];

        /* Every share starts with its least. */
        if (!isfinite(p->least) || p->least < 0 || isnan(p->most) || p->most < 0)
            return gcal_error_set(err, GCAL_EINPUT,
                                  "share %zu: at least %g and at most %g units: must be "
                                  "numbers of at least 0",
                                  i, p->least, p->most);
        p->granules = ceil(p->least / w->granularity);
        p->room = floor((p->most > 0 ? fmin(p->most, units) : units) / w->granularity);
        /* A least above all units is reported by start(). */
        if (p->most > 0 && p->granules > floor(p->most / w->granularity))
            return gcal_error_set(
                err, GCAL_EINPUT,
                "share %zu: no multiple of the granularity %g between its "
                "least, %g units, and its most, %g",
                i, w->granularity, p->least, p->most);
        least += w->shares[i].granules;
        most += w->shares[i].room;
    }
    if (least > granules)
        return gcal_error_set(err, GCAL_EINPUT,
                              "%g units are fewer than all shares' least together, %g in "
                              "multiples of the granularity %g",
                              units, least * w->granularity, w->granularity);
    if (most < granules)
        return gcal_error_set(err, GCAL_EINPUT,
                              "%g units are more than all shares' most together, %g in "
                              "multiples of the granularity %g",
                              units, most * w->granularity, w->granularity);
    w->left = granules - least;
    return 0;
}

/* ---- the steps ---- */

static int time_of(const struct work *w, size_t i, double units, double *time_s,
                   struct gcal_error *err)
{
    if (w->time(w->context, i, units, time_s, err) < 0)
        return -1;
    if (isfinite(*time_s) && *time_s >= 0)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT, "share %zu: %g units take %g s", i, units,
                          *time_s);
}

/* The end of share 'i' with so many units; infinite where the device cannot run them. */
static int find_next(struct work *w, size_t i, double units, struct gcal_error *err)
{
    struct gcal_error why = { 0 };
    double *next_s = &w->shares[i].next_s;

    if (time_of(w, i, units, next_s, &why) == 0) {
        if (w->shares[i].scale > 0)
            *next_s = *next_s > 0 ? *next_s * w->shares[i].scale : 0;
        return 0;
    }
    *next_s = INFINITY;
    if (why.reason == GCAL_REASON_CANNOT_RUN) {
        w->beyond = why;
        return 0;
    }
    if (err)
        *err = why;
    return -1;
}

/* The end of share 'i' with 'step' more granules; infinite when it has no room for them.
 */
static int look_ahead(struct work *w, size_t i, double step, struct gcal_error *err)
{
    struct gcal_split_share *p = &w->shares[i];

    p->next_s = INFINITY;
    if (p->granules + step > p->room)
        return 0;
    return find_next(w, i, (p->granules + step) * w->granularity, err);
}

/* -1 if none has room: the limits of the devices are met only here. */
static int first_to_end(const struct work *w, size_t *first, struct gcal_error *err)
{
    *first = 0;
    for (size_t i = 1; i < w->count; i++)
        if (w->shares[i].next_s < w->shares[*first].next_s)
            *first = i;
    if (isfinite(w->shares[*first].next_s))
        return 0;
    if (w->beyond.code && err) {
        *err = w->beyond;
        return gcal_error_prefix(err, "no device has room for more units");
    }
    gcal_error_set(err, GCAL_EINPUT,
                   "no share has room for the rest of %g units beyond multiples of the "
                   "granularity %g: raise a share's most",
                   w->rest, w->granularity);
    return gcal_error_because(err, GCAL_REASON_LIMITS);
}

/* Gives out steps while such a step cannot be too large. */
static int give_steps(struct work *w, double step, struct gcal_error *err)
{
    for (size_t i = 0; i < w->count; i++)
        if (look_ahead(w, i, step, err) < 0)
            return -1;
    while (w->left > (double)w->count * (step - 1)) {
        size_t i;

        if (first_to_end(w, &i, err) < 0)
            return -1;
        w->shares[i].granules += step;
        w->left -= step;
        if (look_ahead(w, i, step, err) < 0)
            return -1;
    }
    return 0;
}

static int give_granules(struct work *w, struct gcal_error *err)
{
    double step = 1, time_s;

    for (size_t i = 0; i < w->count; i++)
        if (w->shares[i].granules > 0 &&
            time_of(w, i, w->shares[i].granules * w->granularity, &time_s, err) < 0)
            return -1;
    while (w->left > (double)w->count * (2 * step - 1))
        step *= 2;
    for (; w->left > 0; step /= 2)
        if (give_steps(w, step, err) < 0)
            return -1;
    for (size_t i = 0; i < w->count; i++)
        w->shares[i].units = w->shares[i].granules * w->granularity;
    return 0;
}

/* Gives the rest below a granule to the share that ends first with it. */
static int give_rest(struct work *w, struct gcal_error *err)
{
    size_t first;

    if (w->rest == 0)
        return 0;
    for (size_t i = 0; i < w->count; i++) {
        struct gcal_split_share *p = &w->shares[i];

        p->next_s = INFINITY;
        if ((p->most == 0 || p->units + w->rest <= p->most) &&
            find_next(w, i, p->units + w->rest, err) < 0)
            return -1;
    }
    if (first_to_end(w, &first, err) < 0)
        return -1;
    w->shares[first].units += w->rest;
    return 0;
}

int gcal_split(struct gcal_split_share *shares, size_t count, double units,
               double granularity, gcal_split_time *time, void *context,
               struct gcal_error *err)
{
    struct work w = { .shares = shares,
                      .count = count,
                      .granularity = granularity,
                      .time = time,
                      .context = context };

    if (!w.count)
        return gcal_error_set(err, GCAL_EINPUT, "no device to give work to");
    if (!isfinite(units) || units < 0)
        return gcal_error_set(err, GCAL_EINPUT,
                              "%g units of work: must be a finite number of at least 0",
                              units);
    if (!isfinite(w.granularity) || w.granularity <= 0)
        return gcal_error_set(err, GCAL_EINPUT,
                              "granularity %g: must be a finite number above 0",
                              w.granularity);
    if (units / w.granularity >= MAX_GRANULES)
        return gcal_error_set(err, GCAL_EINPUT,
                              "%g units: too many for a granularity of %g", units,
                              w.granularity);
    if (start(&w, units, err) < 0)
        return gcal_error_because(err, GCAL_REASON_LIMITS);
    return give_granules(&w, err) < 0 ? -1 : give_rest(&w, err);
}
