/* change.h - has a series of measurements changed?  One after the other (GSL)
 *
 * A two-sided, self-starting CUSUM (Hawkins 1987; Hawkins and Olwell 1998) on plain
 * numbers, such as logarithms of costs.  Its reference is the median of the series' own
 * first runs, its scale the repeatability that the caller knows from many series.  Scores
 * are bounded, so that one wild run decides nothing, and what the sum says has to be
 * confirmed.
 */
#ifndef GCAL_FIT_CHANGE_H
#define GCAL_FIT_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

/* Runs that a reference needs at least: the first that is tested is the one behind. */
#define GCAL_FIT_CHANGE_LEAST 3

struct gcal_fit_change_policy {
    double floor;       /* scales below this are taken for this: smaller changes than
                           about six of them do not matter */
    double threshold;   /* of the sum: gcal_fit_change_threshold() */
    size_t confirm, of; /* so many of so many runs in a row must say so, 1 to 32 */
};

enum gcal_fit_change_state {
    GCAL_FIT_CHANGE_UNTESTED, /* too few runs, or no scale */
    GCAL_FIT_CHANGE_NONE,
    GCAL_FIT_CHANGE_SUSPECTED, /* the last run is far off, or the sum is, unconfirmed */
    GCAL_FIT_CHANGE_CONFIRMED, /* and what changed has not gone back since */
};

struct gcal_fit_change {
    enum gcal_fit_change_state state;
    double reference; /* what the series began with; NaN without runs */
    double level; /* what it is now: its last runs, since the change if there is one */
    double half_width; /* level - reference lies so near to the true change in nine of ten
                          series; NaN without a scale */
    size_t since;      /* the run where what is there now began; n: at the beginning */
    double chance;     /* probability that a run of an unchanged series says as much */
};

/* Tests x[0..n-1] in order, NaN where a run did not tell.  'scale': standard deviation
 * between runs of an unchanged series; NaN: unknown.
 */
void gcal_fit_change_test(const double *x, size_t n, double scale,
                          const struct gcal_fit_change_policy *policy,
                          struct gcal_fit_change *change);

/* The sum that a run of an unchanged series, normally distributed, exceeds on either side
 * with at most that probability.
 */
double gcal_fit_change_threshold(double false_alarms);

/* The standard deviation between runs of unchanged series: from 'n' differences of
 * consecutive runs (sorted by magnitude here) of many of them, of which a few may have
 * changed or be wild.  An upper bound of it, the nearer the more differences there are.
 * 'standard_error': what it cannot exceed unless differences show it; NaN: not known. NaN
 * when neither tells.
 */
double gcal_fit_change_repeatability(double *differences, size_t n,
                                     double standard_error);

/* Median; NaN of none.  'values' are sorted. */
double gcal_fit_change_median(double *values, size_t n);

/* How far a value lies from the median of n, in scales of these: the probability of that,
 * either side (Student's t).
 */
double gcal_fit_change_outlier_chance(double sigmas, size_t n);

#endif
