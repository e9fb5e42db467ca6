/* cross_validation.c - leave-one-group-out cross-validation */
#include <math.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/threads.h"
#include "kernels/model/model.h"
#include "fit/private.h"

/* The other rows do not determine a row's time when this share of it lies along a null
 * direction of their Jacobian, */
#define UNSEEN_SHARE 1e-6
/* or when the relative standard error of its prediction reaches this. */
#define UNSURE 1.0

/* Of all groups. */
struct groups {
    const struct gcal_fit *fit;
    struct gcal_fit_problem problem; /* of all rows */
    double variance;                 /* of weighted residuals */
    struct gcal_fit_cv *cv;
    size_t *first; /* row of each group */
    size_t n;
};

/* Of one group. */
struct cross {
    const struct groups *all;
    struct gcal_fit_problem problem; /* that of 'all', but for the weights */
    double *jacobian;                /* and a row's gradient after it */
    double *psi;
    double *parameters;
};

void gcal_fit_cv_clear(struct gcal_fit_cv *cv)
{
    gcal_arena_destroy(cv->arena);
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

/* Returns whether the other rows determine the time of row i, by the Jacobian at these values. */
static bool is_determined(const struct cross *c, const struct gcal_fit_svd *d,
                          const double *values, size_t i, double *gradient)
{
    const struct gcal_fit_rows *rows = c->problem.rows;
    double time_s = gcal_model_eval(c->problem.model, values,
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
            variance += c->all->variance * pow(along / gsl_vector_get(d->s, k), 2);
        else if (fabs(along) > UNSEEN_SHARE * sqrt(sizes))
            return false;
    }
    return variance < UNSURE * UNSURE;
}

/* Takes the predictions of the group's rows back that are not determined at these values. */
static int keep_determined(struct gcal_arena *arena, struct cross *c, size_t group,
                           const double *values, struct gcal_error *err)
{
    const struct gcal_fit_rows *rows = c->problem.rows;
    bool has_slopes = gcal_fit_sensitivity(&c->problem, values, c->jacobian, c->psi) == 0;
    struct gcal_fit_svd d;

    if (has_slopes &&
        gcal_fit_svd_init(arena, &d, c->jacobian, rows->n_rows, c->problem.n_parameters,
                          c->problem.fixed, err) < 0)
        return -1;
    for (size_t i = 0; i < rows->n_rows; i++)
        if (group_of(rows, i) == group &&
            (!has_slopes ||
             !is_determined(c, &d, values, i,
                            c->jacobian + rows->n_rows * c->problem.n_parameters)))
            c->all->cv->predicted_s[i] = NAN;
    return 0;
}

static int cross_group(struct gcal_arena *arena, struct cross *c, size_t group,
                       struct gcal_error *err)
{
    struct gcal_fit_point point = { .parameters = c->parameters };
    const struct gcal_fit_rows *rows = c->problem.rows;

    c->problem.n_used = 0;
    for (size_t i = 0; i < c->problem.n_rows; i++) {
        bool out = group_of(rows, i) == group;

        c->problem.weight[i] = out ? 0 : c->all->problem.weight[i];
        c->problem.n_used += !out;
    }
    if (c->problem.n_used < c->problem.n_known)
        return 0;
    memcpy(c->parameters, c->all->fit->value,
           c->problem.n_parameters * sizeof(*c->parameters));
    gcal_fit_search(&c->problem, &point);
    for (size_t i = 0; i < rows->n_rows; i++)
        if (group_of(rows, i) == group)
            c->all->cv->predicted_s[i] =
                gcal_model_eval(c->problem.model, c->parameters,
                                rows->features + i * rows->n_features, NULL);
    /* Also at the values of all rows' fit: noise may make a cost that the others hardly depend on
     * any, and of a time that is a thousand times too long, the standard error is small.
     */
    if (keep_determined(arena, c, group, c->parameters, err) < 0)
        return -1;
    return keep_determined(arena, c, group, c->all->fit->value, err);
}

/* On several threads: groups write to their own rows of 'cv'. */
static int cross_one(void *context, size_t i, struct gcal_error *err)
{
    const struct groups *all = context;
    size_t n = all->problem.n_parameters, n_rows = all->problem.n_rows;
    struct gcal_arena *arena = gcal_arena_create();
    struct cross c = { .all = all,
                       .problem = all->problem,
                       .jacobian =
                           gcal_arena_alloc(arena, (n_rows + 1) * n, sizeof(double)),
                       .psi = gcal_arena_alloc(arena, n_rows, sizeof(double)),
                       .parameters = gcal_arena_alloc(arena, n, sizeof(double)) };
    int rc;

    c.problem.weight = gcal_arena_alloc(arena, n_rows, sizeof(double));
    rc = cross_group(arena, &c, group_of(all->problem.rows, all->first[i]), err);
    gcal_arena_destroy(arena);
    return rc;
}

/* ---- all groups ---- */

/* Of weighted residuals, as the singular values are of weighted rows. */
static double find_variance(const struct groups *all)
{
    const struct gcal_fit_rows *rows = all->problem.rows;
    double squares = 0;

    for (size_t i = 0; i < rows->n_rows; i++)
        squares += pow(
            all->problem.weight[i] * (all->fit->predicted_s[i] / rows->time_s[i] - 1), 2);
    return fmax(squares / (double)rows->n_rows,
                GCAL_FIT_MISFIT_FLOOR * GCAL_FIT_MISFIT_FLOOR);
}

static bool has_values(const struct gcal_fit *fit)
{
    for (size_t j = 0; j < fit->n_parameters; j++)
        if (!isfinite(fit->value[j]))
            return false;
    return true;
}

static int cross_all(struct groups *all, const struct gcal_model *model,
                     const struct gcal_fit_rows *rows, struct gcal_error *err)
{
    struct gcal_fit_problem *problem = &all->problem;
    const struct gcal_fit *fit = all->fit;

    if (gcal_fit_problem_init(problem, model, rows, err) < 0)
        return -1;
    all->first = gcal_arena_alloc(problem->arena, rows->n_rows, sizeof(*all->first));
    for (size_t i = 0; i < rows->n_rows; i++)
        if (is_first_of_group(rows, i))
            all->first[all->n++] = i;
    problem->tolerance = GCAL_FIT_CLOSE;
    all->variance = find_variance(all);
    for (size_t j = 0; j < model->n_parameters; j++)
        if (fit->poorly_determined[j] || fit->unmeasured[j]) {
            problem->fixed[j] = true;
            problem->fixed_value[j] = fit->value[j];
            problem->n_known -= fit->unmeasured[j];
        }
    if (gcal_fit_can_be_robust(problem))
        problem->scale = gcal_fit_scale(problem, fit->value);
    return gcal_threads_share(all->n, cross_one, all, err);
}

int gcal_fit_cross_validate(const struct gcal_model *model,
                            const struct gcal_fit_rows *rows, const struct gcal_fit *fit,
                            struct gcal_fit_cv *cv, struct gcal_error *err)
{
    struct gcal_fit_cv result = { .n_rows = rows->n_rows };
    struct groups all = { .fit = fit, .cv = &result };
    int rc = 0;

    if (fit->n_parameters != model->n_parameters || fit->n_rows != rows->n_rows)
        return gcal_error_set(err, GCAL_EINPUT,
                              "the fit belongs to another model or other rows");
    result.arena = gcal_arena_create();
    result.predicted_s = gcal_fit_nans(result.arena, rows->n_rows);
    if (has_values(fit)) {
        rc = cross_all(&all, model, rows, err);
        gcal_fit_problem_clear(&all.problem);
    }
    if (rc < 0)
        gcal_fit_cv_clear(&result);
    else
        *cv = result;
    return rc;
}
