/* device_fit.c - per-device estimates of the parameters
 *
 * The fit of a type balances the rows of all its devices.  A Gauss-Newton step from there
 * with the rows of one device gives that device's parameters: residuals and Jacobian are
 * those of the fit, bounded at the scale of these rows.  Fixed parameters stay fixed, and
 * merged costs move together.
 */
#include <math.h>
#include <string.h>

#include <gsl/gsl_blas.h>

#include "kernels/base/error.h"
#include "kernels/model/model.h"
#include "fit/private.h"

/* An estimate with a larger relative error is discarded. */
#define MOST_ERROR 0.5

/* A parameter is identifiable with at most this squared share in every null direction. */
#define NULL_SHARE 1e-6

struct estimate {
    struct gcal_fit_problem problem;
    struct gcal_fit at; /* the type's parameters, and their errors by these rows */
    bool *identifiable; /* not fixed, and the rows determine it */
    bool *skip;         /* fixed in the step */
    double *step;
    double *jacobian; /* n_rows + n_parameters rows, zeros at the end: a decomposition
                         needs at least as many rows as columns */
    double *residual; /* n_rows */
};

static int estimate_init(struct estimate *o, const struct gcal_model *model,
                         const struct gcal_fit_rows *rows, const struct gcal_fit *fit,
                         struct gcal_error *err)
{
    size_t n = model->n_parameters;
    struct gcal_arena *arena;

    *o = (struct estimate){ 0 };
    if (gcal_fit_problem_init(&o->problem, model, rows, err) < 0)
        return -1;
    gcal_fit_result_init(&o->at, &o->problem);
    arena = o->problem.arena;
    o->identifiable = gcal_arena_alloc(arena, n, sizeof(*o->identifiable));
    o->skip = gcal_arena_alloc(arena, n, sizeof(*o->skip));
    o->step = gcal_arena_alloc(arena, n, sizeof(*o->step));
    o->jacobian = gcal_arena_alloc(arena, (rows->n_rows + n) * n, sizeof(*o->jacobian));
    o->residual = gcal_arena_alloc(arena, rows->n_rows, sizeof(*o->residual));
    memcpy(o->at.value, fit->value, n * sizeof(*fit->value));
    memcpy(o->at.merged_with, fit->merged_with, n * sizeof(*fit->merged_with));
    for (size_t j = 0; j < n; j++) {
        o->problem.fixed[j] = fit->poorly_determined[j] || fit->unmeasured[j];
        o->problem.fixed_value[j] = fit->value[j];
        o->at.at_bound[j] = fit->at_bound[j] || fit->undetermined[j];
        o->skip[j] =
            fit->poorly_determined[j] || o->at.at_bound[j] || fit->merged_with[j] != j;
        o->identifiable[j] = !o->skip[j];
    }
    for (size_t j = 0; j < n; j++)
        if (fit->merged_with[j] != j)
            o->identifiable[fit->merged_with[j]] = false;
    return 0;
}

/* Merged costs keep their proportion. */
static void add_merged(struct estimate *o)
{
    size_t n = o->problem.n_parameters;

    for (size_t j = 0; j < n; j++) {
        size_t first = o->at.merged_with[j];
        double ratio = o->at.value[j] / o->at.value[first];

        for (size_t i = 0; first != j && i < o->problem.n_rows; i++)
            o->jacobian[i * n + first] += ratio * o->jacobian[i * n + j];
    }
}

static int no_derivatives(const struct estimate *o, struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EFIT, "the derivatives of model %.60s are not finite",
                          o->problem.model->name);
}

/* ---- the step ---- */

/* The parameters of a null direction are not identifiable; the one with the largest share
 * is fixed, so that the step determines the others.  True when there was one.
 */
static bool fix_null(struct estimate *o, const struct gcal_fit_svd *d)
{
    size_t k = d->n - 1, most = 0;

    if (!d->n || !gcal_fit_svd_is_null(d, k))
        return false;
    for (size_t a = 0; a < d->n; a++) {
        double component = fabs(gsl_matrix_get(d->v, a, k));

        if (component * component > NULL_SHARE)
            o->identifiable[d->column[a]] = false;
        if (component > fabs(gsl_matrix_get(d->v, most, k)))
            most = a;
    }
    o->skip[d->column[most]] = o->at.at_bound[d->column[most]] = true;
    return true;
}

static int take_step(struct estimate *o, struct gcal_error *err)
{
    const struct gcal_fit_problem *p = &o->problem;
    struct gcal_fit_svd d;
    int rc;

    gcal_fit_residuals(p, o->at.value, o->residual);
    if (gcal_fit_jacobian(p, o->at.value, o->jacobian) < 0)
        return no_derivatives(o, err);
    add_merged(o);
    do {
        rc = gcal_fit_svd_init(p->arena, &d, o->jacobian, p->n_rows + p->n_parameters,
                               p->n_parameters, o->skip, err);
    } while (rc == 0 && fix_null(o, &d));
    if (rc == 0) {
        /* v s^-1 u'(-r), in the units of the parameters. */
        for (size_t k = 0; k < d.n; k++) {
            double along = 0;

            for (size_t i = 0; i < o->problem.n_rows; i++)
                along -= gsl_matrix_get(d.u, i, k) * o->residual[i];
            along /= gsl_vector_get(d.s, k);
            for (size_t a = 0; a < d.n; a++)
                o->step[d.column[a]] += along * gsl_matrix_get(d.v, a, k) / d.scale[a];
        }
    }
    return rc;
}

/* ---- its errors ---- */

/* From the residuals after the step; bounded ones stay bounded. */
static int find_errors(struct estimate *o, struct gcal_error *err)
{
    const struct gcal_fit_problem *p = &o->problem;
    size_t n = p->n_parameters;
    double most = GCAL_FIT_HUBER * p->scale;

    if (gcal_fit_sensitivity(p, o->at.value, o->jacobian, o->residual) < 0)
        return no_derivatives(o, err);
    add_merged(o);
    for (size_t i = 0; i < p->n_rows; i++) {
        double left = o->residual[i];

        for (size_t j = 0; j < n && fabs(o->residual[i]) < most; j++)
            if (!o->skip[j])
                left += o->jacobian[i * n + j] * o->step[j];
        o->residual[i] = fmin(fmax(left, -most), most);
    }
    return gcal_fit_covariance(p, o->jacobian, o->residual, &o->at, err);
}

int gcal_fit_device(const struct gcal_model *model, const struct gcal_fit_rows *rows,
                    const struct gcal_fit *fit, double *estimate, double *estimate_error,
                    struct gcal_error *err)
{
    struct estimate o;
    int rc = -1;

    if (estimate_init(&o, model, rows, fit, err) == 0) {
        if (gcal_fit_can_be_robust(&o.problem))
            o.problem.scale = gcal_fit_scale(&o.problem, o.at.value);
        rc = take_step(&o, err);
    }
    if (rc == 0 && (rc = find_errors(&o, err)) == 0)
        for (size_t j = 0; j < o.problem.n_parameters; j++) {
            const struct gcal_model_parameter *p = &o.problem.model->parameters[j];
            double value = o.at.value[j] + o.step[j], error = o.at.standard_error[j];
            bool identifiable = o.identifiable[j] && value > p->min && value < p->max &&
                                error <= MOST_ERROR * fabs(value);

            estimate[j] = identifiable ? value : NAN;
            estimate_error[j] = identifiable ? error : NAN;
        }
    gcal_fit_problem_clear(&o.problem);
    gcal_fit_clear(&o.at);
    return rc;
}
