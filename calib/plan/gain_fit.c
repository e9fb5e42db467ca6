/* gain_fit.c - parameters from the kernels measured so far */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/plan/gain_form.h"

/* Weight of the expected misfit, in rows. */
#define MISFIT_ROWS 2.0

/* ---- fitting ---- */

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
        group[rows->n_rows] = gain->group[i];
        spread[rows->n_rows++] = gain->spread[i];
    }
}

/* With few degrees of freedom, mostly what is expected. */
static double blend(double found, double freedom)
{
    double expected = MISFIT_ROWS * GCAL_PLAN_MISFIT * GCAL_PLAN_MISFIT;

    return isfinite(found)
               ? sqrt((expected + freedom * found * found) / (MISFIT_ROWS + freedom))
               : GCAL_PLAN_MISFIT;
}

static void judge_fit(struct gcal_plan_form *form)
{
    const struct gcal_fit *fit = &form->fit;

    form->fitted = fit->status == GCAL_FIT_GOOD;
    form->row_error = blend(fit->row_error, (double)fit->freedom);
    form->group_error = blend(fit->group_error, (double)fit->freedom);
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

    if (!features || !time_s || !spread || !group) {
        gcal_error_memory(err);
        goto out;
    }
    gather_rows(gain, form, features, time_s, spread, group, &rows);
    rows.given = form->given;
    rows.quick = true;
    if (form->fitted) {
        memcpy(form->start, form->fit.value, form->model->n_parameters * sizeof(double));
        rows.start = form->start;
    }
    gcal_fit_clear(&form->fit);
    if (gcal_fit_solve(form->model, &rows, &form->fit, err) < 0)
        goto out;
    judge_fit(form);
    rc = gcal_plan_form_find_values(gain, form, err);
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
