/* sweep.h - families of kernels and their size sweeps (internal to calib/plan)
 *
 * A family is a kernel at several sizes: those that tags fix, and those of a size sweep.
 * The sweep prepares sizes from the smallest up and ends at the first that is too long.
 */
#ifndef GCAL_CALIB_PLAN_SWEEP_H
#define GCAL_CALIB_PLAN_SWEEP_H

#include "calib/plan/private.h"

struct gcal_plan_family {
    const char *name;
    size_t first;            /* its first kernel in the list */
    size_t n_fixed, n_sizes; /* without those below */
    size_t *fixed, *sizes;   /* kernels; sizes: smallest first */
    size_t n_wanted;         /* sizes to measure, done ones included */
    size_t n_tried;          /* sizes */
    size_t n_chosen;         /* sizes that are or were measured, done ones included */
    bool ended;              /* no further size is to be tried */
    bool comes_first;        /* parameters follow from it */
    size_t pass;             /* of preparing: 0 first */
    bool checked;
    struct gcal_plan_verdict verdict;
};

struct gcal_plan_families {
    struct gcal_plan *plan;
    const struct gcal_kernel_list *kernels;
    size_t n;
    struct gcal_plan_family *families; /* in the order of their first kernels */
    size_t *family_of;                 /* by kernel */
    struct gcal_plan_row **row;        /* by kernel; NULL: not tried */
    size_t *order;                     /* of kernels: that of preparing them */
};

/* ---- families.c ---- */

/* In the plan's arena. */
struct gcal_plan_families gcal_plan_families_make(struct gcal_plan *plan,
                                                  const struct gcal_kernel_list *kernels);
struct gcal_plan_family *gcal_plan_family_of(const struct gcal_plan_families *f,
                                             size_t kernel);
/* The sizes of a sweep differ in one parameter only, so the product grows with it. */
double gcal_plan_product_of_sizes(const struct gcal_kernel *kernel);

/* ---- order.c ---- */

/* First those from which all parameters of the models follow, then the first, the second of each
 * generator, and so on: where the budget ends early, no cost of a model is without kernels for
 * that.  Without models, all by their generators.
 */
void gcal_plan_families_order(struct gcal_plan_families *f);

#endif
