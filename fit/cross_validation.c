/* cross_validation.c - leave-one-group-out cross-validation */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/threads.h"
#include "calib/model/model.h"
#include "fit/private.h"

/* The other rows do not determine a row's time when this share of it lies along a null
 * direction of their Jacobian, */
#define UNSEEN_SHARE 1e-6
/* or when the relative standard error of its prediction reaches this. */
#define UNSURE 1.0

struct cross {
    const struct gcal_fit *fit;
    struct gcal_fit_problem problem;
    double variance;  /* of weighted residuals */
    double *weight;   /* of all rows */
    double *jacobian; /* and a row's gradient after it */
    double *psi;
    double *parameters;
};

void gcal_fit_cv_clear(struct gcal_fit_cv *cv)
{
    free(cv->predicted_s);
    *cv = (struct gcal_fit_cv){ 0 };
}

static size_t group_of(const struct gcal_fit_rows *rows, size_t i)
{
    return rows->group ? rows->group[i] : i;
}

static bool is_first_of_group(const struct gcal_fit_rows *rows, size_t i)
{
    for (size_t k = 0; rows->group && k < i; k++)
        if (rows->group[k] == rows->group[i])
            return false;
    return true;
}

/* ---- one group left out ---- */

static void leave_out(struct cross *c, size_t group)
{
    c->problem.n_used = 0;
    for (size_t i = 0; i < c->problem.n_rows; i++) {
        bool out = group_of(c->problem.rows, i) == group;

        c->problem.weight[i] = out ? 0 : c->weight[i];
        c->problem.n_used += !out;
    }
}

/* Whether the other rows determine the time of row i. */
static bool is_determined(const struct cross *c, const struct gcal_fit_svd *d, size_t i,
                          double *gradient)
{
    const struct gcal_fit_rows *rows = c->problem.rows;
    double time_s = gcal_model_eval(c->problem.model, c->parameters,
                                    rows->features + i * rows->n_features, gradient);
    double variance = 0;

    if (!(time_s > 0))
        time_s = rows->time_s[i];
    for (size_t j = 0; j < d->n; j++) /* only this row depends on it */
        if (d->scale[j] == 0 && gradient[d->column[j]] != 0)
            return false;
    for (size_t k = 0; k < d->n; k++) {
        double along = 0, sizes = 0;

        for (size_t j = 0; j < d->n; j++) {
            double x =
                d->scale[j] > 0 ? gradient[d->column[j]] / time_s / d->scale[j] : 0;

            along += x * gsl_matrix_get(d->v, j, k);
            sizes += x * x;
        }
        if (!gcal_fit_svd_is_null(d, k))
            variance += c->variance * pow(along / gsl_vector_get(d->s, k), 2);
        else if (fabs(along) > UNSEEN_SHARE * sqrt(sizes))
            return false;
    }
    return variance < UNSURE * UNSURE;
}

static void predict_group(struct cross *c, size_t group, const struct gcal_fit_svd *d,
                          struct gcal_fit_cv *cv)
{
    const struct gcal_fit_rows *rows = c->problem.rows;

    for (size_t i = 0; i < rows->n_rows; i++)
        if (group_of(rows, i) == group &&
            is_determined(c, d, i, c->jacobian + rows->n_rows * c->problem.n_parameters))
            cv->predicted_s[i] =
                gcal_model_eval(c->problem.model, c->parameters,
                                rows->features + i * rows->n_features, NULL);
}

static int cross_group(struct cross *c, size_t group, struct gcal_fit_cv *cv,
                       struct gcal_error *err)
{
    struct gcal_fit_point point = { .parameters = c->parameters };
    struct gcal_fit_svd d = { 0 };
    int rc = -1;

    leave_out(c, group);
    if (c->problem.n_used < c->problem.n_free)
        return 0;
    memcpy(c->parameters, c->fit->value,
           c->problem.n_parameters * sizeof(*c->parameters));
    if (gcal_fit_search(&c->problem, &point, err) < 0)
        return -1;
    if (gcal_fit_sensitivity(&c->problem, c->parameters, c->jacobian, c->psi) < 0)
        return 0;
    if (gcal_fit_svd_init(&d, c->jacobian, c->problem.n_rows, c->problem.n_parameters,
                          c->problem.fixed, err) == 0) {
        predict_group(c, group, &d, cv);
        rc = 0;
    }
    gcal_fit_svd_clear(&d);
    return rc;
}

/* ---- all groups ---- */

/* Of weighted residuals, as the singular values are of weighted rows. */
static double find_variance(const struct cross *c)
{
    const struct gcal_fit_rows *rows = c->problem.rows;
    double squares = 0;

    for (size_t i = 0; i < rows->n_rows; i++)
        squares += pow(c->weight[i] * (c->fit->predicted_s[i] / rows->time_s[i] - 1), 2);
    return fmax(squares / (double)rows->n_rows,
                GCAL_FIT_MISFIT_FLOOR * GCAL_FIT_MISFIT_FLOOR);
}

static int cross_init(struct cross *c, const struct gcal_model *model,
                      const struct gcal_fit_rows *rows, const struct gcal_fit *fit,
                      struct gcal_error *err)
{
    size_t n = model->n_parameters;

    *c = (struct cross){ .fit = fit };
    if (gcal_fit_problem_init(&c->problem, model, rows, err) < 0)
        return -1;
    c->problem.tolerance = GCAL_FIT_CLOSE;
    c->weight = calloc(rows->n_rows + 1, sizeof(double));
    c->jacobian = calloc((rows->n_rows + 1) * n + 1, sizeof(double));
    c->psi = calloc(rows->n_rows + 1, sizeof(double));
    c->parameters = gcal_fit_nans(n);
    if (!c->weight || !c->jacobian || !c->psi || !c->parameters)
        return gcal_error_memory(err);
    memcpy(c->weight, c->problem.weight, rows->n_rows * sizeof(double));
    c->variance = find_variance(c);
    for (size_t j = 0; j < n; j++)
        if (fit->poorly_determined[j]) {
            c->problem.fixed[j] = true;
            c->problem.fixed_value[j] = fit->value[j];
        }
    return gcal_fit_can_be_robust(&c->problem)
               ? gcal_fit_scale(&c->problem, fit->value, &c->problem.scale, err)
               : 0;
}

static void cross_clear(struct cross *c)
{
    gcal_fit_problem_clear(&c->problem);
    free(c->weight);
    free(c->jacobian);
    free(c->psi);
    free(c->parameters);
}

static bool has_values(const struct gcal_fit *fit)
{
    for (size_t j = 0; j < fit->n_parameters; j++)
        if (!isfinite(fit->value[j]))
            return false;
    return true;
}

/* ---- on several threads ---- */

struct groups {
    const struct gcal_model *model;
    const struct gcal_fit_rows *rows;
    const struct gcal_fit *fit;
    struct gcal_fit_cv *cv;
    size_t *first; /* row of each group */
    size_t n;
};

static int cross_one(void *context, size_t i, struct gcal_error *err)
{
    const struct groups *g = context;
    struct cross c = { 0 };
    int rc = cross_init(&c, g->model, g->rows, g->fit, err);

    if (rc == 0)
        rc = cross_group(&c, group_of(g->rows, g->first[i]), g->cv, err);
    cross_clear(&c);
    return rc;
}

/* Groups write to their own rows of 'cv'. */
static int cross_all(struct groups *g, struct gcal_error *err)
{
    int rc;

    if (!(g->first = calloc(g->rows->n_rows + 1, sizeof(*g->first))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < g->rows->n_rows; i++)
        if (is_first_of_group(g->rows, i))
            g->first[g->n++] = i;
    rc = gcal_threads_share(g->n, cross_one, g, err);
    free(g->first);
    return rc;
}

int gcal_fit_cross_validate(const struct gcal_model *model,
                            const struct gcal_fit_rows *rows, const struct gcal_fit *fit,
                            struct gcal_fit_cv *cv, struct gcal_error *err)
{
    struct gcal_fit_cv result = { .n_rows = rows->n_rows };
    struct groups groups = { .model = model, .rows = rows, .fit = fit, .cv = &result };
    int rc = 0;

    if (fit->n_parameters != model->n_parameters || fit->n_rows != rows->n_rows)
        return gcal_error_set(err, GCAL_EINPUT,
                              "the fit belongs to another model or other rows");
    if (!(result.predicted_s = gcal_fit_nans(rows->n_rows)))
        return gcal_error_memory(err);
    if (has_values(fit))
        rc = cross_all(&groups, err);
    if (rc < 0)
        gcal_fit_cv_clear(&result);
    else
        *cv = result;
    return rc;
}
