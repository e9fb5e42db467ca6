/* clock.h - a device's clock against the host's
 *
 * An event that lasts less than the host waits may be right: launching takes time, too.  But
 * of two launches the longer one takes longer by both clocks, by the same time.
 */
#ifndef GCAL_FIT_CLOCK_H
#define GCAL_FIT_CLOCK_H

#include <stdbool.h>
#include <stddef.h>

/* A launch of a kernel, the fastest by the host's clock. */
struct gcal_fit_launch {
    double device_s, host_s;
};

struct gcal_fit_clock {
    size_t n;     /* long kernels that it follows from; below 3 nothing is known */
    double slope; /* what the host's time grows by the device's; 1: nothing is known */
    double error; /* its standard error */
};

enum gcal_fit_clock_verdict {
    GCAL_FIT_CLOCK_RIGHT,
    GCAL_FIT_CLOCK_OFF,   /* by a size that intervals must have */
    GCAL_FIT_CLOCK_WRONG, /* nothing that it measures counts */
};

/* One launch for each kernel; sorts them. */
struct gcal_fit_clock gcal_fit_compare_clocks(struct gcal_fit_launch *launches, size_t n);

/* 'shares_host': as a CPU, on which the host's own work makes launches longer. */
enum gcal_fit_clock_verdict gcal_fit_judge_clock(const struct gcal_fit_clock *clock,
                                                 bool shares_host);

/* A launch that it takes so long, or longer, is a long one. */
#define GCAL_FIT_CLOCK_LONG_S 5e-3
#define GCAL_FIT_CLOCK_LEAST  3 /* kernels */

#endif
