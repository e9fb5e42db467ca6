/* gain.h - information gain: how much a kernel's time tightens the models' parameters
 * (internal to calib/plan)
 *
 * Every form of every model has its own parameters; a kernel has a gain for all forms
 * that are fitted to it.  Kernels are given by their index in the list.  Lifecycle:
 * create; add measured kernels, fit, choose, repeatedly; destroy.
 */
#ifndef GCAL_CALIB_PLAN_GAIN_H
#define GCAL_CALIB_PLAN_GAIN_H

#include "calib/config/config.h"
#include "calib/plan/plan.h"

struct gcal_error;
struct gcal_plan_gain; /* opaque */

/* 'config' and 'kernels' must outlive the result. */
struct gcal_plan_gain *gcal_plan_gain_create(const struct gcal_config *config,
                                             const struct gcal_device_info *info,
                                             const struct gcal_kernel_list *kernels,
                                             struct gcal_error *err);
void gcal_plan_gain_destroy(struct gcal_plan_gain *gain);

/* Whether the kernel is only used to fit parameters; if not, it is measured in any case.
 */
bool gcal_plan_gain_is_optional(const struct gcal_plan_gain *gain, size_t kernel);

/* Adds a measured kernel: its median, the median's relative standard error, and how it was
 * built.
 */
int gcal_plan_gain_add(struct gcal_plan_gain *gain, size_t kernel, double time_s,
                       double spread, const struct gcal_built *built,
                       struct gcal_error *err);

/* Fits all forms to the kernels added.  Parameters that these do not determine get a
 * guess of the right magnitude.
 */
int gcal_plan_gain_fit(struct gcal_plan_gain *gain, struct gcal_error *err);

/* Predicted time, by the first form that is fitted to the kernel; NaN if there is none.
 */
double gcal_plan_gain_time_s(const struct gcal_plan_gain *gain, size_t kernel);

/* Kernels that determine every parameter to this relative standard error are good enough to
 * linearize a model there.
 */
#define GCAL_PLAN_SEED_PRECISION 0.5

/* The goal of a choice. */
struct gcal_plan_goal {
    double precision;     /* relative standard error of every parameter */
    double budget_s;      /* total cost of the chosen kernels */
    size_t most;          /* number of kernels */
    const double *cost_s; /* by kernel; 0: not a candidate */
};

/* Chooses the next kernels to measure, best first: 'chosen' has room for goal->most.
 * None if all parameters are precise enough, and every form has a few rows more than
 * parameters, or no kernel improves the others, or
 * ('over_budget') those that do cost too much.
 */
int gcal_plan_gain_choose(const struct gcal_plan_gain *gain,
                          const struct gcal_plan_goal *goal, size_t *chosen,
                          size_t *n_chosen, bool *over_budget, struct gcal_error *err);

/* By the last fit: the largest relative standard error, infinite if a parameter is not
 * determined, and the parameter that has it.  'n_not_identifiable': parameters of all
 * forms that the fit merged with others or fixed, as no kernel identifies them; the error
 * is that of the others.
 */
double gcal_plan_gain_worst_error(const struct gcal_plan_gain *gain,
                                  const char **parameter, size_t *n_not_identifiable);

#endif
