/* gain_fit.c - parameters from the kernels measured so far */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/plan/gain_form.h"

/* Weight of the expected misfit, in rows. */
#define MISFIT_ROWS 2.0

/* Assumed time of a kernel without a prediction. */
#define TIME_S 0.01

/* ---- values ---- */

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

/* Half of the largest value that measured kernels allow; without any, the value at which
 * the others run about TIME_S.
 */
static double guess_cost(const struct gcal_plan_gain *gain,
                         const struct gcal_plan_form *form, double *values, size_t j)
{
    double most = INFINITY, sum = 0, n = 0;

    for (size_t i = 0; i < gain->kernels->n_kernels; i++) {
        double part = form->serves[i] ? component_of(form, values, j, i) : 0;

        if (part <= 0)
            continue;
        if (gain->time_s[i] > 0)
            most = fmin(most, 0.5 * gain->time_s[i] / part);
        sum += log(TIME_S / part);
        n++;
    }
    return isfinite(most) ? most : n > 0 ? exp(sum / n) : 0;
}

/* The largest plausible cost: a value that is still poorly determined and too small would
 * hide the kernels that identify it.  A larger value would have been seen.
 */
static double plausible_value(const struct gcal_plan_gain *gain,
                              const struct gcal_plan_form *form, double *values, size_t j)
{
    const struct gcal_fit *fit = &form->fit;
    double most = guess_cost(gain, form, values, j), error;

    if (!fit->value || !isfinite(fit->value[j]) || fit->undetermined[j])
        return most;
    error = fit->at_bound[j] || isnan(fit->standard_error[j]) ? INFINITY
                                                              : fit->standard_error[j];
    return fmax(fit->value[j], fmin(fit->value[j] + error, most));
}

/* The values at which designs linearize. */
static int find_values(const struct gcal_plan_gain *gain, struct gcal_plan_form *form,
                       struct gcal_error *err)
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

/* ---- fitting ---- */

static size_t first_of_generator(const struct gcal_kernel_list *list, size_t kernel)
{
    size_t first = 0;

    while (strcmp(list->kernels[first]->generator, list->kernels[kernel]->generator) != 0)
        first++;
    return first;
}

/* The rows of the form's measured kernels, in room for all. */
static void gather_rows(const struct gcal_plan_gain *gain,
                        const struct gcal_plan_form *form, double *features,
                        double *time_s, double *spread, size_t *group,
                        struct gcal_fit_rows *rows)
{
    size_t n_features = form->model->n_features;

    *rows = (struct gcal_fit_rows){ .n_features = n_features,
                                    .features = features,
                                    .time_s = time_s,
                                    .spread = spread,
                                    .group = group,
                                    .merge_collinear = form->merge_collinear };
    for (size_t i = 0; i < gain->kernels->n_kernels; i++) {
        if (!form->serves[i] || !(gain->time_s[i] > 0))
            continue;
        memcpy(&features[rows->n_rows * n_features], &form->features[i * n_features],
               n_features * sizeof(*features));
        time_s[rows->n_rows] = gain->time_s[i];
        group[rows->n_rows] = first_of_generator(gain->kernels, i);
        spread[rows->n_rows++] = gain->spread[i];
    }
}

static void judge_fit(struct gcal_plan_form *form)
{
    const struct gcal_fit *fit = &form->fit;
    double freedom = (double)fit->n_rows - (double)fit->n_parameters, squares = 0;

    form->fitted = fit->status == GCAL_FIT_GOOD;
    if (freedom > 0 && isfinite(fit->residual))
        squares = (double)fit->n_rows * fit->residual * fit->residual;
    else
        freedom = 0;
    form->misfit = sqrt((MISFIT_ROWS * GCAL_PLAN_MISFIT * GCAL_PLAN_MISFIT + squares) /
                        (MISFIT_ROWS + freedom));
}

int gcal_plan_form_fit(const struct gcal_plan_gain *gain, struct gcal_plan_form *form,
                       struct gcal_error *err)
{
    size_t n = gain->kernels->n_kernels;
    double *features = calloc(n * form->model->n_features + 1, sizeof(*features));
    double *time_s = calloc(n + 1, sizeof(*time_s)),
           *spread = calloc(n + 1, sizeof(*spread));
    size_t *group = calloc(n + 1, sizeof(*group));
    struct gcal_fit_rows rows;
    int rc = -1;

    gcal_fit_clear(&form->fit);
    if (!features || !time_s || !spread || !group) {
        gcal_error_memory(err);
        goto out;
    }
    gather_rows(gain, form, features, time_s, spread, group, &rows);
    rows.given = form->given;
    if (gcal_fit_solve(form->model, &rows, &form->fit, err) < 0)
        goto out;
    judge_fit(form);
    rc = find_values(gain, form, err);
out:
    free(features);
    free(time_s);
    free(spread);
    free(group);
    return rc;
}

int gcal_plan_gain_fit(struct gcal_plan_gain *gain, struct gcal_error *err)
{
    for (size_t f = 0; f < gain->n_forms; f++)
        if (gcal_plan_form_fit(gain, &gain->forms[f], err) < 0)
            return -1;
    return 0;
}

/* Costs that were merged, shapes that were fixed: the notes of the fit name them, and
 * further kernels do not separate them.
 */
static bool is_not_identifiable(const struct gcal_fit *fit, size_t j)
{
    size_t n = 0;

    for (size_t k = 0; k < fit->n_parameters; k++)
        n += fit->merged_with[k] == fit->merged_with[j];
    return n > 1 || fit->poorly_determined[j];
}

/* Relative standard error.  If the form leaves parameters undetermined, infinite for
 * those.
 */
static double error_of(const struct gcal_plan_form *form, size_t j)
{
    const struct gcal_fit *fit = &form->fit;

    if (fit->status == GCAL_FIT_UNDETERMINED && fit->undetermined)
        return fit->undetermined[j] ? INFINITY : 0;
    if (!form->fitted)
        return INFINITY;
    return fit->at_bound[j] || is_not_identifiable(fit, j)
               ? 0
               : fit->standard_error[j] / fabs(fit->value[j]);
}

double gcal_plan_gain_worst_error(const struct gcal_plan_gain *gain,
                                  const char **parameter, size_t *n_not_identifiable)
{
    double worst = 0;

    *parameter = "";
    *n_not_identifiable = 0;
    for (size_t f = 0; f < gain->n_forms; f++) {
        const struct gcal_plan_form *form = &gain->forms[f];

        for (size_t j = 0; j < form->model->n_parameters; j++) {
            *n_not_identifiable += form->fitted && is_not_identifiable(&form->fit, j);
            if (error_of(form, j) <= worst)
                continue;
            worst = error_of(form, j);
            *parameter = form->model->parameters[j].name;
        }
    }
    return worst;
}
