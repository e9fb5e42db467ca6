/* observed.h - what is learned from the times that programs observed (store/observed/observed.h)
 *
 * Of the times at the same sizes on a device the median counts, so that single launches that wait do
 * not; of fewer than three, each may be one of those, so they count with an error of 20 %.  Times of a
 * kernel on a device are learned if, in their median, they are near what was learned there before: no
 * further than two 90 % intervals, or 10 %.  Else the kernel, or the device, has changed since, or
 * is busy: these times stay where they are, and are named as drifting, until newer ones are near again,
 * the kernel is learned again, or they are pruned.
 */
#ifndef GCAL_CALIB_LEARN_OBSERVED_H
#define GCAL_CALIB_LEARN_OBSERVED_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_arena;
struct gcal_error;
struct gcal_learn_run;
struct gcal_store;

/* The times of one kernel on one device. */
struct gcal_observed_kernel {
    const char *fingerprint, *kernel, *node, *uid;
    const char *device, *type; /* "": unknown */
    size_t n_times, n_sizes;
    double
        ratio; /* median of observed over predicted time; NaN: nothing was learned there before */
    bool drifts;
    bool
        all_drift; /* as all kernels of the device, of which there are several, in the same way */
    const char *why; /* they stay where they are; NULL: they are learned */
};

struct gcal_observed {
    size_t n_files,
        n_unsigned;   /* lines that no trusted key has signed, which do not count */
    size_t n_damaged; /* lines that are none */
    size_t n, capacity;
    struct gcal_observed_kernel *kernels; /* by kernel and device */
    size_t n_learned;                     /* publications: kernels times types */
};

/* Learns from all observed times, and removes them, as of 'run'; with 'dry_run' nothing changes or is
 * fitted.  The
 * result lives in the arena.
 */
int gcal_learn_observed(struct gcal_arena *arena, struct gcal_store *store,
                        const struct gcal_learn_run *run, bool dry_run,
                        struct gcal_observed *observed, struct gcal_error *err);
/* The same after another publication: what drifts, and what fails, are warnings in the log. */
void gcal_learn_observed_too(struct gcal_store *store, const struct gcal_learn_run *run);

#endif
