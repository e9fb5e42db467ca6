/* work.h - what a kernel moves and computes in one run, from its counted profile
 *
 * Divided by a time these are the rates that people compare devices by.
 */
#ifndef GCAL_CALIB_MODEL_WORK_H
#define GCAL_CALIB_MODEL_WORK_H

#include <stdbool.h>

struct gcal_error;
struct gcal_profile;

struct gcal_work {
    /* What work-items load and store, whatever caches do with it.  In global memory, an
     * element that all of a sub-group's work-items load together is moved once for the
     * sub-group; in local memory every work-item counts.  Atomics load and store.
     */
    double global_bytes, local_bytes;
    double copied_bytes; /* between host and device */
    /* Arithmetic of all work-items; a multiply-add is two operations, a function such as
     * exp() is one.
     */
    double float_ops, integer_ops;
    bool estimated; /* one of the counts is not exact */
};

/* 'by_item' and 'by_sub_group' are the same kernel's, counted for sub-groups of one
 * work-item and of 'sub_group_size', or both the one in which the size is a name.
 * 'sizes': one per profile parameter, in order.  0, or -1 with 'err' for a count that is
 * no number.
 */
int gcal_work_count(const struct gcal_profile *by_item,
                    const struct gcal_profile *by_sub_group, const double *sizes,
                    double sub_group_size, struct gcal_work *work,
                    struct gcal_error *err);

#endif
