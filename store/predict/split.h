/* split.h - work divided over parts so that the last one ends as early as possible
 *
 * Knows times only as a function of units, so that it serves whatever predicts them.
 */
#ifndef GCAL_STORE_PREDICT_SPLIT_H
#define GCAL_STORE_PREDICT_SPLIT_H

#include <stddef.h>

struct gcal_error;

struct gcal_split_share {
    double least, most;            /* units; most 0: no limit */
    double units;                  /* found */
    double granules, room, next_s; /* for gcal_split() alone */
};

/* When a part ends that has 'units', which are more than 0: finite, at least 0, and not
 * falling as units grow.  'part' counts from 0.
 */
typedef int gcal_split_time(void *context, size_t part, double units, double *time_s,
                            struct gcal_error *err);

/* Gives every part a multiple of 'granularity', and one of them what is left of 'units'
 * besides, so that the longest time is the least possible.  Of the limits, least is
 * rounded up to such a multiple, most down.  Takes about 2 count log2(units /
 * granularity / count) calls of 'time'.  -1 (GCAL_EINPUT) for numbers that make no sense
 * and limits that cannot be met.
 */
int gcal_split(struct gcal_split_share *parts, size_t count, double units,
               double granularity, gcal_split_time *time, void *context,
               struct gcal_error *err);

#endif
