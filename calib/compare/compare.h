/* compare.h - ratios of times between two records, for the kernels that both have
 *
 * A kernel's time on a device is the median of its good samples; its 90 % interval
 * follows from their scatter (Student's t).  It describes the noise within a run, not
 * changes between runs.
 */
#ifndef GCAL_CALIB_COMPARE_H
#define GCAL_CALIB_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "store/record/record.h"

struct gcal_arena;
struct gcal_catalogue;
struct gcal_error;

/* Time in the second record over time in the first; above 1: slower. */
struct gcal_compare_ratio {
    double ratio;
    double low, high; /* 90 % interval; NaN for too few samples */
};

/* Returns whether 1 is outside of the interval. */
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

/* Geometric mean over kernels.  Its interval is the wider one of two: from the intervals
 * of the kernels, and from the scatter of their ratios.
 */
struct gcal_compare_mean {
    size_t device;
    const char *name; /* of a generator or a group */
    size_t n;         /* kernels */
    struct gcal_compare_ratio is;
};

struct gcal_compare_devices {
    const struct gcal_run_device *before, *after;
};

/* Texts belong to the records and the catalogue, which must outlive it.  Sorted by
 * device, then by distance of the ratio from 1, largest first.
 */
struct gcal_compare_records {
    size_t n_devices, n_kernels, n_generators, n_groups;
    struct gcal_compare_devices *devices;
    struct gcal_compare_kernel *kernels;
    struct gcal_compare_mean *generators, *groups;
    size_t n_only_before, n_only_after; /* kernels that one record has on these devices */
    const char **only_before, **only_after;
};

/* Devices are paired by node and uid, then by uid, then by type, if only one device of
 * each record matches.  GCAL_EINPUT without a pair.
 */
int gcal_compare_records(struct gcal_arena *arena, const struct gcal_record *before,
                         const struct gcal_record *after,
                         const struct gcal_catalogue *catalogue,
                         struct gcal_compare_records *diff, struct gcal_error *err);

#endif
