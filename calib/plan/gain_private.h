/* gain_private.h - forms of models and their kernels; within plan_worth*.c */
#ifndef GCAL_CALIB_PLAN_GAIN_PRIVATE_H
#define GCAL_CALIB_PLAN_GAIN_PRIVATE_H

#include "calib/plan/gain.h"
#include "fit/fit.h"

/* A model's relative misfit before there are residuals to tell it. */
#define GCAL_PLAN_MISFIT 0.05

/* One way to put a model's costs together, and what its kernels say. */
struct gcal_plan_form {
    const struct gcal_model *model;
    bool merge_collinear; /* as in the fit at the end */
    bool *serves;         /* by kernel: it is fitted to it */
    double *features;     /* n_kernels x n_features */
    double *value;        /* n_parameters, as known so far */
    bool fitted;          /* the last fit determined all parameters */
    struct gcal_fit fit;
    double misfit; /* relative */
};

struct gcal_plan_gain {
    const struct gcal_kernel_list *kernels;
    double sub_group_size;
    bool *optional;          /* by kernel */
    double *time_s, *spread; /* by kernel; time_s 0: not measured */
    size_t n_forms;
    struct gcal_plan_form *forms;
};

/* By these values of the parameters. */
double gcal_plan_form_time_s(const struct gcal_plan_form *form, const double *values,
                             size_t kernel);

#endif
