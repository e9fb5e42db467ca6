/* expected.h - division of work for the shortest expected time until the last share ends
 *
 * Predictions err, and the last of several shares is late more often than each alone.  The
 * logarithm of a share's predicted time has a normally distributed error.  Shares of one group
 * have it in common, as devices do whose predictions follow from one fit; those of different
 * groups err independently.  So a group that contributes little and may be late gets less than
 * would let all end at once, or nothing.
 */
#ifndef GCAL_STORE_PREDICT_EXPECTED_H
#define GCAL_STORE_PREDICT_EXPECTED_H

#include <stddef.h>

#include "store/predict/split.h"

struct gcal_expected_error {
    double start_s,
        unit_s;       /* the certain part of a share's time: start_s + unit_s * units */
    double deviation; /* standard deviation of the logarithm of the rest */
    size_t group;     /* below the number of shares */
};

/* Divides as gcal_split() does, which has been called with the same arguments, but for the least
 * expected time until the last share has ended, '*makespan_s'.  The shares of a group are meant to
 * end together, and a group earlier or later than the others, or it gets nothing; groups from
 * 'n_shifted' on keep together.  Of two groups, no others of these divisions are better, but for the
 * accuracy of the search.  Takes some 20 calls of gcal_split() for each group.
 */
int gcal_split_expected(struct gcal_split_share *shares,
                        const struct gcal_expected_error *errors, size_t count,
                        size_t n_shifted, double units, double granularity,
                        gcal_split_time *time, void *context, double *makespan_s,
                        struct gcal_error *err);

#endif
