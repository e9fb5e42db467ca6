/* split.h - division of work over devices that minimises the time of the last one
 *
 * Times are a function of units, whatever predicts them.
 */
#ifndef GCAL_STORE_PREDICT_SPLIT_H
#define GCAL_STORE_PREDICT_SPLIT_H

#include <stddef.h>

struct gcal_error;

struct gcal_split_share {
    double least, most; /* units; most 0: no limit */
    double scale;       /* of its times where they are compared; 0: 1; infinite:
                                      it gets its least, or nothing */
    double units;       /* result */
    double granules, room, next_s; /* private to gcal_split() */
};

/* The time of a share with 'units' > 0 of work: finite, at least 0, and not decreasing in
 * units.  'share' counts from 0.
 */
typedef int gcal_split_time(void *context, size_t share, double units, double *time_s,
                            struct gcal_error *err);

/* Gives every share a multiple of 'granularity', and one of them also the rest of
 * 'units', such that the longest time, times its scale, is minimal.  'least' is rounded up to a multiple,
 * 'most' down.  Takes about 2 count log2(units / granularity / count) calls of 'time'. -1
 * (GCAL_EINPUT) for invalid numbers and limits that cannot be met.
 */
int gcal_split(struct gcal_split_share *shares, size_t count, double units,
               double granularity, gcal_split_time *time, void *context,
               struct gcal_error *err);

#endif
