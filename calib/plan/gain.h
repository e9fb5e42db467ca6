/* gain.h - what measuring a kernel tells of the models' parameters (internal to
 * calib/)
 *
 * Every form of every model that kernels are fitted to has its own parameters; a kernel
 * is worth what it tells about those of all forms that are fitted to it.  Kernels go by
 * their index in the list.  Lifecycle: create; add what is measured, fit, choose, again
 * and again; destroy.
 */
#ifndef GCAL_CALIB_PLAN_GAIN_H
#define GCAL_CALIB_PLAN_GAIN_H

#include "calib/config/config.h"
#include "calib/plan/plan.h"

struct gcal_error;
struct gcal_plan_gain; /* opaque */

/* 'config' and 'kernels' are kept. */
struct gcal_plan_gain *gcal_plan_gain_create(const struct gcal_config *config,
                                             const struct gcal_device_info *info,
                                             const struct gcal_kernel_list *kernels,
                                             struct gcal_error *err);
void gcal_plan_gain_destroy(struct gcal_plan_gain *gain);

/* Whether the kernel serves to fit parameters and for nothing else; if not, it is to be
 * measured whatever it tells.
 */
bool gcal_plan_gain_is_optional(const struct gcal_plan_gain *gain, size_t kernel);

/* The kernel has been measured: its median and the median's relative standard error. */
void gcal_plan_gain_add(struct gcal_plan_gain *gain, size_t kernel, double time_s,
                        double spread);

/* Fits all forms to what was added.  Parameters that it leaves open get a guess of the
 * right size.
 */
int gcal_plan_gain_fit(struct gcal_plan_gain *gain, struct gcal_error *err);

/* By the first form that is fitted to the kernel; NaN when there is none. */
double gcal_plan_gain_time_s(const struct gcal_plan_gain *gain, size_t kernel);

/* Rows that a form needs to have 'freedom' more than parameters: the most of any form. */
size_t gcal_plan_gain_missing_rows(const struct gcal_plan_gain *gain, size_t freedom);

/* What is wanted of a choice. */
struct gcal_plan_goal {
    double precision;     /* relative standard error of every parameter */
    double budget_s;      /* what is chosen costs no more */
    size_t least, most;   /* kernels; least: also when precision is reached */
    const double *cost_s; /* by kernel; 0: it cannot be chosen */
};

/* Chooses what to measure next, best first: 'chosen' has room for want->most.  None when
 * all parameters are known well enough, or no kernel helps those that are not, or, with
 * 'over_budget', those that do cost too much.
 */
int gcal_plan_gain_choose(const struct gcal_plan_gain *gain,
                          const struct gcal_plan_goal *goal, size_t *chosen,
                          size_t *n_chosen, bool *over_budget, struct gcal_error *err);

/* By the last fit: the largest relative standard error, and the parameter that has it;
 * infinite where one is not determined.  'n_not_identifiable': parameters of all forms
 * that the fit merged with others or held, as no kernel tells them; the error is that of
 * the others.
 */
double gcal_plan_gain_worst_error(const struct gcal_plan_gain *gain,
                                  const char **parameter, size_t *n_not_identifiable);

#endif
