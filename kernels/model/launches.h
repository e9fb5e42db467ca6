/* launches.h - a kernel's time from few launches: when to stop, and what they gave
 *
 * For choosing among many kernels, of which most are far from the best: the calibration's
 * own measurements (calib/plan) take many more launches.
 */
#ifndef GCAL_KERNELS_MODEL_LAUNCHES_H
#define GCAL_KERNELS_MODEL_LAUNCHES_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_launches_rule {
    double warm_s;       /* launches before the first that counts; one at least */
    size_t fewest, most; /* launches that count; fewest: 1 at least */
    double error;        /* relative standard error of the median that suffices */
    double spend_s;      /* time of all launches that suffices, if they are 'fewest' */
    double enough_s;     /* no further launch once all took longer; infinite: never */
};

struct gcal_launches_time {
    double build_s;  /* to build the kernel, by the host's clock */
    size_t launches; /* that count */
    double median_s;
    double error;   /* relative standard error of the median; NaN for one launch */
    bool abandoned; /* it takes 'median_s' at least */
};

#endif
