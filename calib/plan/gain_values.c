/* gain_values.c - the values of parameters at which kernels are predicted and compared */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/plan/gain_form.h"

/* Assumed time of a kernel without a prediction. */
#define TIME_S 0.01

double gcal_plan_form_time_s(const struct gcal_plan_form *form, const double *values,
                             size_t kernel)
{
    const double *features = &form->features[kernel * form->model->n_features];

    return gcal_model_eval(form->model, values, features, NULL);
}

static bool is_cost(const struct gcal_model_parameter *parameter)
{
    return strcmp(parameter->unit, "s") == 0;
}

/* Exponents and edges. */
static double guess_shape(const struct gcal_model_parameter *p)
{
    if (!isnan(p->initial))
        return p->initial;
    if (isfinite(p->min) && isfinite(p->max))
        return p->min > 0 ? sqrt(p->min * p->max) : 0.5 * (p->min + p->max);
    return fmax(p->min, fmin(1, p->max));
}

/* Time of the kernel due to this cost alone, at 1 s per unit.  'values': shapes, and
 * costs of 0.
 */
static double component_of(const struct gcal_plan_form *form, double *values, size_t j,
                           size_t kernel)
{
    double none = gcal_plan_form_time_s(form, values, kernel), one;

    values[j] = 1;
    one = gcal_plan_form_time_s(form, values, kernel) - (isfinite(none) ? none : 0);
    values[j] = 0;
    return isfinite(one) && one > 0 ? one : 0;
}

/* Half of the largest value that measured kernels allow; infinite if there are none. */
static double limit_cost(const struct gcal_plan_gain *gain,
                         const struct gcal_plan_form *form, double *values, size_t j)
{
    double most = INFINITY;

    for (size_t i = 0; i < gain->kernels->n_kernels; i++) {
        double part =
            form->serves[i] && gain->time_s[i] > 0 ? component_of(form, values, j, i) : 0;

        if (part > 0)
            most = fmin(most, 0.5 * gain->time_s[i] / part);
    }
    return most;
}

/* That, or the initial value; without either, the value at which kernels run about TIME_S.
 */
static double guess_cost(const struct gcal_plan_gain *gain,
                         const struct gcal_plan_form *form, double *values, size_t j)
{
    double most = limit_cost(gain, form, values, j), sum = 0, n = 0;
    double initial = form->model->parameters[j].initial;

    if (isfinite(most) || initial > 0)
        return isfinite(most) ? most : initial;
    for (size_t i = 0; i < gain->kernels->n_kernels; i++) {
        double part = form->serves[i] ? component_of(form, values, j, i) : 0;

        if (part <= 0)
            continue;
        sum += log(TIME_S / part);
        n++;
    }
    return n > 0 ? exp(sum / n) : 0;
}

/* The largest plausible cost: a value that is still poorly determined and too small would
 * hide the kernels that identify it.  A larger value would have been seen.
 */
static double plausible_value(const struct gcal_plan_gain *gain,
                              const struct gcal_plan_form *form, double *values, size_t j)
{
    const struct gcal_fit *fit = &form->fit;
    double error;

    if (!fit->value || !isfinite(fit->value[j]) || fit->undetermined[j])
        return guess_cost(gain, form, values, j);
    error = fit->at_bound[j] || isnan(fit->standard_error[j]) ? INFINITY
                                                              : fit->standard_error[j];
    if (error <= fit->value[j])
        return fit->value[j] + error;
    return fmax(fit->value[j],
                fmin(fit->value[j] + error, guess_cost(gain, form, values, j)));
}

int gcal_plan_form_find_values(const struct gcal_plan_gain *gain,
                               struct gcal_plan_form *form, struct gcal_error *err)
{
    const struct gcal_model *model = form->model;
    const struct gcal_fit *fit = &form->fit;
    double *values = calloc(model->n_parameters + 1, sizeof(*values));

    if (!values)
        return gcal_error_memory(err);
    for (size_t j = 0; j < model->n_parameters; j++)
        if (!is_cost(&model->parameters[j]))
            values[j] = fit->value && isfinite(fit->value[j]) && !fit->undetermined[j]
                            ? fit->value[j]
                            : guess_shape(&model->parameters[j]);
    for (size_t j = 0; j < model->n_parameters; j++)
        form->value[j] = is_cost(&model->parameters[j])
                             ? plausible_value(gain, form, values, j)
                             : values[j];
    free(values);
    return 0;
}
