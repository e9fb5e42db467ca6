/* design.h - which measurements to make next
 *
 * Sequential D-optimal design (V. V. Fedorov, Theory of Optimal Experiments, 1972; A. C.
 * Atkinson, A. N. Donev and R. D. Tobias, Optimum Experimental Designs, with SAS, 2007,
 * chapters 11 and 19).  A kernel is seen as the gradient x of log(time) by the logarithms
 * of the parameters, that is the share of each parameter in its time, and the relative
 * error s with which it tells its time.  With M = P + sum of x x' / s^2 the information
 * so far, P a weak prior, a further kernel multiplies det M by 1 + x' M^-1 x / s^2; the
 * one with the most of the logarithm of that per second is next.
 *
 * Lifecycle: create, add what is measured, offer what could be, then next and take (or
 * drop) in turn, destroy.  One thread at a time.
 */
#ifndef GCAL_FIT_DESIGN_H
#define GCAL_FIT_DESIGN_H

#include <stddef.h>

struct gcal_error;
struct gcal_model;
struct gcal_fit_design; /* opaque */

/* The relative standard error of a parameter of which nothing is known: the prior. */
#define GCAL_FIT_DESIGN_UNKNOWN 10.0

/* NULL with 'err' when memory ran out. */
struct gcal_fit_design *gcal_fit_design_create(size_t n_parameters,
                                               struct gcal_error *err);

/* Does nothing when 'design' is NULL. */
void gcal_fit_design_destroy(struct gcal_fit_design *design);

/* The share of each parameter in a kernel's time, p dlog(time)/dp: n_parameters values
 * in 'shares', 0 where the derivative is not finite.  'parameters': as known so far; a
 * guess of the right size does, 0 makes a parameter invisible.
 */
void gcal_fit_design_shares(const struct gcal_model *model, const double *parameters,
                            const double *features, double *shares);

/* A kernel that is measured.  'noise': relative error with which its time tells the
 * parameters, the model's misfit included; above 0.  -1 for a value that is not finite.
 */
int gcal_fit_design_add(struct gcal_fit_design *design, const double *shares,
                        double noise, struct gcal_error *err);

/* A kernel that could be measured in about 'cost_s' (> 0); candidates are numbered from 0
 * in the order offered.
 */
int gcal_fit_design_offer(struct gcal_fit_design *design, const double *shares,
                          double noise, double cost_s, struct gcal_error *err);

enum gcal_fit_design_state {
    GCAL_FIT_DESIGN_NEXT,       /* measure the candidate */
    GCAL_FIT_DESIGN_PRECISE,    /* every parameter is as precise as wanted */
    GCAL_FIT_DESIGN_EXHAUSTED,  /* no candidate helps those that are not */
    GCAL_FIT_DESIGN_OVERBUDGET, /* those that help cost more than is left */
};

/* What to measure next, in 'candidate', to bring the relative standard errors of all
 * parameters to 'precision', of what costs at most 'budget_s' (INFINITY: no limit).  Says
 * the same until a kernel is added, offered, taken or dropped.
 */
enum gcal_fit_design_state gcal_fit_design_next(struct gcal_fit_design *design,
                                                double precision, double budget_s,
                                                size_t *candidate);

/* The candidate has been measured, or is planned to be: as gcal_fit_design_add() with its
 * shares, and it is a candidate no more.
 */
int gcal_fit_design_take(struct gcal_fit_design *design, size_t candidate,
                         struct gcal_error *err);

/* It could not be measured. */
void gcal_fit_design_drop(struct gcal_fit_design *design, size_t candidate);

/* Relative standard errors that the rows added so far lead one to expect ('now') and
 * those with all candidates that are left ('after'); n_parameters each, either may be
 * NULL.  GCAL_FIT_DESIGN_UNKNOWN where nothing is known.
 */
int gcal_fit_design_errors(struct gcal_fit_design *design, double *now, double *after,
                           struct gcal_error *err);

#endif
