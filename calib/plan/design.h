/* design.h - a choice of kernels and its cost (internal to calib/plan) */
#ifndef GCAL_CALIB_PLAN_DESIGN_H
#define GCAL_CALIB_PLAN_DESIGN_H

#include "calib/plan/gain.h"
#include "calib/plan/sweep.h"

struct gcal_plan_design {
    struct gcal_plan *plan;
    const struct gcal_kernel_list *kernels;
    struct gcal_plan_families families;
    struct gcal_plan_gain *gain;
    double *cost_s;           /* by kernel, at the last choice; 0: not a candidate */
    size_t n_chosen, *chosen; /* of the last choice */
    bool *known;              /* by kernel: its time is in 'gain' */
    size_t n_known;
    bool over_budget; /* kernels that would help cost more than the rest of the budget */
    bool all_anyway;  /* to choose among the last kernels would have taken longer */
    double choice_s, fit_s;     /* times of the last ones */
    double first_s, launches_s; /* sums over measured kernels: medians, all time */
};

/* With options->precision: chooses, warms up, measures, reports. */
int gcal_plan_design(struct gcal_plan *plan, const struct gcal_kernel_list *kernels);

/* ---- cost.c ---- */

/* Time of a launch: as measured, or by the models, corrected by the last size of its
 * sweep that was tried.
 */
double gcal_plan_launch_s(const struct gcal_plan_design *d, size_t kernel);
/* Time to measure the kernel, the preparation of its family included. */
double gcal_plan_cost_s(const struct gcal_plan_design *d, size_t kernel);

/* Kernels that were not measured, as a plan without a choice would have. */
struct gcal_plan_rest {
    size_t n_kernels;
    double time_s;
};

struct gcal_plan_rest gcal_plan_estimate_rest(const struct gcal_plan_design *d);

#endif
