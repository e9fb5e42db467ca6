/* gain_form.h - forms of models and the kernels they are fitted to (internal to
 * calib/plan)
 */
#ifndef GCAL_CALIB_PLAN_GAIN_FORM_H
#define GCAL_CALIB_PLAN_GAIN_FORM_H

#include "calib/plan/gain.h"
#include "fit/fit.h"

/* Relative errors of a model before there are residuals: of a kernel, and of a generator. */
#define GCAL_PLAN_MISFIT 0.035

/* A form of a model, and its fit to the kernels measured so far. */
struct gcal_plan_form {
    const struct gcal_model *model;
    bool merge_collinear; /* as in the final fit */
    bool *serves;         /* by kernel: it is fitted to it */
    bool whole;           /* which kernels help is unknown before they are built */
    double *features;     /* n_kernels x n_features */
    double *value;        /* n_parameters, from the last fit */
    double *given;        /* n_parameters; NaN: to be fitted */
    double *start;        /* n_parameters, of the next fit */
    bool fitted;          /* the last fit determined all parameters */
    struct gcal_fit fit;
    double row_error, group_error; /* relative: of a kernel by itself, and common to those
                                      of a generator */
};

struct gcal_plan_gain {
    const struct gcal_kernel_list *kernels;
    struct gcal_binding_device device;
    bool *optional;          /* by kernel */
    double *time_s, *spread; /* by kernel; time_s 0: not measured */
    size_t *group;           /* by kernel: of its generator, below n_groups */
    size_t n_groups;
    size_t n_forms;
    struct gcal_plan_form *forms;
};

/* Fits one form to the kernels added; see gcal_plan_gain_fit(). */
int gcal_plan_form_fit(const struct gcal_plan_gain *gain, struct gcal_plan_form *form,
                       struct gcal_error *err);

/* The values at which designs linearize, from the last fit; before the first one, guesses. */
int gcal_plan_form_find_values(const struct gcal_plan_gain *gain,
                               struct gcal_plan_form *form, struct gcal_error *err);

/* Predicted time of the kernel with these values of the parameters. */
double gcal_plan_form_time_s(const struct gcal_plan_form *form, const double *values,
                             size_t kernel);

#endif
