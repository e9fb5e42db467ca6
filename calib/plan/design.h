/* design.h - a choice of kernels and what they cost (internal to calib/) */
#ifndef GCAL_CALIB_PLAN_DESIGN_H
#define GCAL_CALIB_PLAN_DESIGN_H

#include "calib/plan/families.h"
#include "calib/plan/gain.h"

struct gcal_plan_design {
    struct gcal_plan *plan;
    const struct gcal_kernel_list *kernels;
    struct gcal_plan_families families;
    struct gcal_plan_gain *gain;
    double *cost_s; /* by kernel, as the last choice saw it */
    size_t *chosen; /* by the last choice */
    bool *known;    /* by kernel: the worth has its time */
    size_t n_known;
    bool over_budget; /* what would help costs more than is left of the budget */
    double first_s, launches_s; /* sums over what was measured: of medians, of all time */
};

/* ---- cost.c ---- */

/* A launch of a kernel: as measured, or by the models, which the last rung tried of its
 * ladder corrects.
 */
double gcal_plan_launch_s(const struct gcal_plan_design *d, size_t kernel);
/* To measure it, with what its family needs before. */
double gcal_plan_cost_s(const struct gcal_plan_design *d, size_t kernel);

/* Measuring without a choice. */
struct gcal_plan_full_cost {
    size_t n_kernels;
    double time_s;
};

struct gcal_plan_full_cost gcal_plan_estimate_full_cost(const struct gcal_plan_design *d);

#endif
