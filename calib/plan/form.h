/* form.h - forms of models on the kernels of a plan, before any is measured (internal to
 * calib/plan)
 *
 * Parameters have plausible values: which kernels determine them, and what else they depend
 * on, depends hardly on these.
 */
#ifndef GCAL_CALIB_PLAN_FORM_H
#define GCAL_CALIB_PLAN_FORM_H

#include "calib/config/config.h"
#include "kernels/model/binding.h"
#include "calib/plan/plan.h"

struct gcal_arena;

struct gcal_plan_form {
    const struct gcal_model *model;
    bool merge_collinear; /* as in the fit */
    bool *serves;         /* by kernel: the form is fitted to it, and can be evaluated */
    double *features;     /* n_kernels x n_features */
    double *value;        /* n_parameters: plausible */
};

/* The forms of all models of a configuration that apply to a device, in their order. */
struct gcal_plan_forms {
    const struct gcal_kernel_list *kernels;
    size_t n;
    struct gcal_plan_form *items;
};

/* 'config' and 'kernels' must outlive the forms. */
struct gcal_plan_forms gcal_plan_forms_make(struct gcal_arena *arena,
                                            const struct gcal_config *config,
                                            const struct gcal_device_info *info,
                                            const struct gcal_kernel_list *kernels);

/* The kernel's time at the plausible values; 'shares' (n_parameters, or NULL) gets what
 * each parameter has in it, p dlog(time)/dp, 0 where that is not finite.
 */
double gcal_plan_form_time_s(const struct gcal_plan_form *form, size_t kernel,
                             double *shares);

#endif
