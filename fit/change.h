/* change.h - sequential detection of a change in a series of measurements
 *
 * A two-sided, self-starting CUSUM (Hawkins 1987; Hawkins and Olwell 1998) on plain
 * numbers, such as logarithms of costs.  Its reference is the median of the series' first
 * runs, its scale the repeatability that the caller knows from many series.  Scores are
 * bounded, so that one outlier decides nothing, and an alarm has to be confirmed.
 */
#ifndef GCAL_FIT_CHANGE_H
#define GCAL_FIT_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

/* The least number of runs of a reference: the next run is the first that is tested. */
#define GCAL_FIT_CHANGE_LEAST 3

struct gcal_fit_change_policy {
    double floor;       /* lower limit of the scale: changes below about six of it do not
                           matter */
    double threshold;   /* of the sum: gcal_fit_change_threshold() */
    size_t confirm, of; /* runs with an alarm, of the last 'of' runs, that confirm a
                           change; 1 to 32 */
};

enum gcal_fit_change_state {
    GCAL_FIT_CHANGE_UNTESTED, /* too few runs, or no scale */
    GCAL_FIT_CHANGE_NONE,
    GCAL_FIT_CHANGE_SUSPECTED, /* the last run or the sum is far off, not confirmed */
    GCAL_FIT_CHANGE_CONFIRMED, /* and the series has not returned to its reference */
};

struct gcal_fit_change {
    enum gcal_fit_change_state state;
    double reference;  /* median of the first runs; NaN without runs */
    double level;      /* median of the last runs, since the change if there is one */
    double half_width; /* of the 90 % interval of the change; NaN without a scale */
    size_t since;      /* the first run of the present level; n: no change */
    double chance;     /* probability of as large a sum at a run of an unchanged series */
};

/* Tests x[0..n-1] in order, NaN for a run without a value.  'scale': standard deviation
 * between runs of an unchanged series; NaN: unknown.
 */
void gcal_fit_change_test(const double *x, size_t n, double scale,
                          const struct gcal_fit_change_policy *policy,
                          struct gcal_fit_change *change);

/* The threshold that the sum of an unchanged, normally distributed series exceeds on
 * either side with at most that probability per run.
 */
double gcal_fit_change_threshold(double false_alarms);

/* An upper bound of the standard deviation between runs of unchanged series, the tighter
 * the more differences there are.  'differences': n differences of consecutive runs of
 * many series, a few of which may contain changes or outliers; replaced by their sorted
 * magnitudes.  'standard_error': limits the bound unless the differences exceed it; NaN:
 * unknown.  NaN when neither is known.
 */
double gcal_fit_change_repeatability(double *differences, size_t n,
                                     double standard_error);

/* The two-sided probability (Student's t) of a value 'sigmas' standard deviations away
 * from the median of n.
 */
double gcal_fit_change_outlier_chance(double sigmas, size_t n);

#endif
