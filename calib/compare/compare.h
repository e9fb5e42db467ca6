/* compare.h - what differs between two records: the times of the kernels that both have
 *
 * A kernel's time on a device is the median of its good samples; its interval, which nine
 * of ten would hold, follows from how these scatter (Student's t).  It tells of the noise
 * within a run, not of what changes from run to run.
 */
#ifndef GCAL_CALIB_COMPARE_H
#define GCAL_CALIB_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "store/record/record.h"

struct gcal_catalogue;
struct gcal_error;

/* Times of the second record over those of the first, above 1: it is slower. */
struct gcal_compare_ratio {
    double ratio;
    double low, high; /* 90 %; NaN where too few samples tell */
};

/* Is 1 outside of the interval? */
bool gcal_compare_ratio_differs(const struct gcal_compare_ratio *ratio);

/* A kernel on a device. */
struct gcal_compare_kernel {
    size_t device;                /* of gcal_compare_records.devices */
    const char *name;             /* with its sizes */
    const char *generator;        /* "matmul_tiled_memory" */
    const char *group;            /* "global memory": what the generator measures */
    double before_s, after_s;     /* medians */
    struct gcal_compare_ratio is; /* after_s / before_s */
};

/* Geometric mean over kernels.  Its interval is the wider one of what follows from theirs
 * and from how their ratios scatter.
 */
struct gcal_compare_mean {
    size_t device;
    const char *name; /* of a generator or a subject */
    size_t n;         /* kernels */
    struct gcal_compare_ratio is;
};

struct gcal_compare_devices {
    const struct gcal_run_device *before, *after;
};

/* Texts are those of the records and of the catalogue, which must live as long.  By
 * device; within one, the ratio farthest from 1 first.
 */
struct gcal_compare_records {
    size_t n_devices, n_kernels, n_generators, n_groups;
    struct gcal_compare_devices *devices;
    struct gcal_compare_kernel *kernels;
    struct gcal_compare_mean *generators, *groups;
    size_t n_only_before, n_only_after; /* kernels that one record has on these devices */
    const char **only_before, **only_after;
};

/* Devices are the same if node and uid, else if uid, else if type is, where no other
 * device comes into question; GCAL_EINPUT when no two are.
 */
int gcal_compare_records(const struct gcal_record *before,
                         const struct gcal_record *after,
                         const struct gcal_catalogue *catalogue,
                         struct gcal_compare_records *diff, struct gcal_error *err);
void gcal_compare_records_clear(struct gcal_compare_records *diff);

#endif
