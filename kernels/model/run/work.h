/* work.h - bytes moved and operations computed by a kernel, from its counted profile
 *
 * Divided by a time they are rates, by which devices are compared.
 */
#ifndef GCAL_KERNELS_MODEL_RUN_WORK_H
#define GCAL_KERNELS_MODEL_RUN_WORK_H

#include <stdbool.h>

struct gcal_error;
struct gcal_profile;

struct gcal_work {
    /* Loaded and stored by work-items, regardless of caches.  In global memory, an element
     * that all work-items of a sub-group load together counts once for the sub-group; in
     * local memory every work-item counts.  Atomics load and store.
     */
    double global_bytes, local_bytes;
    double copied_bytes; /* between host and device */
    /* Arithmetic of all work-items; a multiply-add is two operations, a function such as
     * exp() is one.
     */
    double float_ops, integer_ops;
    bool estimated; /* at least one of the counts is not exact */
};

/* 'by_item' and 'by_sub_group' are profiles of one kernel, counted for sub-groups of one
 * work-item and of 'sub_group_size', or one profile whose counts contain the size as a
 * name.  'sizes': one per profile parameter, in order.  0, or -1 with 'err' for a count
 * that is not a finite number of at least 0.
 */
int gcal_work_count(const struct gcal_profile *by_item,
                    const struct gcal_profile *by_sub_group, const double *sizes,
                    double sub_group_size, struct gcal_work *work,
                    struct gcal_error *err);

#endif
