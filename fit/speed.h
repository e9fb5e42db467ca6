/* speed.h - a device whose speed changes while it is measured
 *
 * Kernels are visited in random order, several times each.  A change of speed is a step in
 * the times of one kernel between visits, at the same point of the run in many kernels; a
 * kernel with two speeds of its own, such as one that depends on where its buffers lie, is
 * none.
 */
#ifndef GCAL_FIT_SPEED_H
#define GCAL_FIT_SPEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Launches of one kernel, one right after the other. */
struct gcal_fit_visit {
    size_t kernel;  /* any number */
    uint64_t order; /* of its first launch, among all launches of the device */
    double time_s;  /* median of its launches */
};

struct gcal_fit_speed {
    bool changed;
    uint64_t since;   /* the order of the first visit at the last speed */
    double ratio;     /* of times, after to before; median of the kernels that show it */
    size_t n_kernels; /* that show the last change */
    size_t n_comparable; /* that were visited before and after it */
    /* One that shows it, with a ratio of about the median, and its median times, s. */
    size_t kernel;
    double before_s, after_s;
};

/* Finds the last change of speed.  'visits' in any order.  */
struct gcal_fit_speed gcal_fit_find_speed(const struct gcal_fit_visit *visits, size_t n);

#endif
