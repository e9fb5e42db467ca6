/* design.h - choice of the next measurement
 *
 * Sequential D-optimal design (V. V. Fedorov, Theory of Optimal Experiments, 1972; A. C.
 * Atkinson, A. N. Donev and R. D. Tobias, Optimum Experimental Designs, with SAS, 2007,
 * chapters 11 and 19).  A kernel is the gradient x of log(time) by the logarithms of the
 * parameters, that is the share of each parameter in its time, and the relative error s
 * of that time.  The information so far is M = P + sum of x x' / s^2, with P a weak
 * prior; a further kernel multiplies det M by 1 + x' M^-1 x / s^2.  The next kernel is
 * the one with the largest logarithm of that factor per second of measurement.
 *
 * Lifecycle: create, add measured kernels, offer candidates, then next and take in turn,
 * destroy.  One thread at a time.
 */
#ifndef GCAL_FIT_DESIGN_H
#define GCAL_FIT_DESIGN_H

#include <stddef.h>

struct gcal_error;
struct gcal_model;
struct gcal_fit_design; /* opaque */

/* Relative standard error of an unknown parameter: the prior. */
#define GCAL_FIT_DESIGN_UNKNOWN 10.0

/* NULL with 'err' when memory ran out. */
struct gcal_fit_design *gcal_fit_design_create(size_t n_parameters,
                                               struct gcal_error *err);

/* Does nothing when 'design' is NULL. */
void gcal_fit_design_destroy(struct gcal_fit_design *design);

/* The share of each parameter in a kernel's time, p dlog(time)/dp: n_parameters values
 * in 'shares', 0 where the derivative is not finite.  'parameters': present estimates; a
 * guess of the right magnitude is enough, 0 gives a share of 0.
 */
void gcal_fit_design_shares(const struct gcal_model *model, const double *parameters,
                            const double *features, double *shares);

/* Adds a measured kernel.  'noise': relative error of its time, the model's misfit
 * included; above 0.  -1 for a value that is not finite.
 */
int gcal_fit_design_add(struct gcal_fit_design *design, const double *shares,
                        double noise, struct gcal_error *err);

/* Adds a candidate that takes about 'cost_s' (> 0) to measure; candidates are numbered
 * from 0 in the order offered.
 */
int gcal_fit_design_offer(struct gcal_fit_design *design, const double *shares,
                          double noise, double cost_s, struct gcal_error *err);

enum gcal_fit_design_state {
    GCAL_FIT_DESIGN_NEXT,       /* measure the candidate */
    GCAL_FIT_DESIGN_PRECISE,    /* every parameter has its target */
    GCAL_FIT_DESIGN_EXHAUSTED,  /* no candidate improves the other parameters */
    GCAL_FIT_DESIGN_OVERBUDGET, /* those that would cost more than the budget */
};

/* The next kernel to measure, in 'candidate', to bring the relative standard error of
 * each parameter to 'target' (n_parameters; NULL: as low as possible), among those that cost at most 'budget_s' (INFINITY: no
 * limit).  The answer stays the same until a kernel is added, offered or taken.
 */
enum gcal_fit_design_state gcal_fit_design_next(struct gcal_fit_design *design,
                                                const double *target, double budget_s,
                                                size_t *candidate);

/* Adds a candidate that has been or will be measured as gcal_fit_design_add() does, and
 * removes it from the candidates.
 */
int gcal_fit_design_take(struct gcal_fit_design *design, size_t candidate,
                         struct gcal_error *err);

/* Expected relative standard errors from the rows added so far ('now') and with all
 * remaining candidates ('after'); n_parameters each, either may be NULL.
 * GCAL_FIT_DESIGN_UNKNOWN for a parameter without information.
 */
int gcal_fit_design_errors(struct gcal_fit_design *design, double *now, double *after,
                           struct gcal_error *err);

#endif
