/* diagnose.c - what the Jacobian at the solution tells about the parameters */
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_matrix.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/model/model.h"
#include "fit/fit_private.h"

/* Below this share of the largest singular value a direction is not determined.  Noise
 * in real rows keeps honest directions far above; twins stand at rounding, 1e-16.
 */
#define RANK_TOLERANCE 1e-8
/* Parameters with at least this share of a null direction are named with it. */
#define NAMED_SHARE 1e-3

/* The Jacobian of some of the parameters, columns scaled to length 1, decomposed. */
struct decomposition {
    size_t n; /* columns */
    size_t *column;
    double *scale; /* lengths of the columns, 0 for one of zeros */
    gsl_matrix *u, *v;
    gsl_vector *s, *work;
};

static void decomposition_clear(struct decomposition *d)
{
    free(d->column);
    free(d->scale);
    gsl_matrix_free(d->u);
    gsl_matrix_free(d->v);
    gsl_vector_free(d->s);
    gsl_vector_free(d->work);
}

static void scale_columns(struct decomposition *d)
{
    for (size_t j = 0; j < d->n; j++) {
        double squares = 0;

        for (size_t i = 0; i < d->u->size1; i++)
            squares += pow(gsl_matrix_get(d->u, i, j), 2);
        d->scale[j] = sqrt(squares);
        for (size_t i = 0; d->scale[j] > 0 && i < d->u->size1; i++)
            gsl_matrix_set(d->u, i, j, gsl_matrix_get(d->u, i, j) / d->scale[j]);
    }
}

/* 'skip': parameters that are left out, or NULL. */
static int decompose(struct decomposition *d, const struct gcal_fit_problem *problem,
                     const double *jacobian, const bool *skip, struct gcal_error *err)
{
    size_t n = problem->n_parameters, rows = problem->n_rows;

    *d = (struct decomposition){ .column = calloc(n + 1, sizeof(size_t)),
                                 .scale = calloc(n + 1, sizeof(double)) };
    if (!d->column || !d->scale)
        return gcal_error_memory(err);
    for (size_t j = 0; j < n; j++)
        if (!skip || !skip[j])
            d->column[d->n++] = j;
    if (d->n == 0)
        return 0;
    d->u = gsl_matrix_alloc(rows, d->n);
    d->v = gsl_matrix_alloc(d->n, d->n);
    d->s = gsl_vector_alloc(d->n);
    d->work = gsl_vector_alloc(d->n);
    if (!d->u || !d->v || !d->s || !d->work)
        return gcal_error_memory(err);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < d->n; k++)
            gsl_matrix_set(d->u, i, k, jacobian[i * n + d->column[k]]);
    scale_columns(d);
    if (gsl_linalg_SV_decomp(d->u, d->v, d->s, d->work) != 0)
        return gcal_error_set(err, GCAL_EINPUT, "the Jacobian cannot be decomposed");
    return 0;
}

static bool is_null(const struct decomposition *d, size_t k)
{
    return gsl_vector_get(d->s, k) <= RANK_TOLERANCE * gsl_vector_get(d->s, 0);
}

/* ---- what is not determined ---- */

static void name_parameters(struct gcal_buf *text, const struct gcal_fit_problem *problem,
                            const bool *named)
{
    size_t left = 0;

    for (size_t j = 0; j < problem->n_parameters; j++)
        left += named[j];
    for (size_t j = 0; j < problem->n_parameters; j++)
        if (named[j]) {
            left--;
            gcal_buf_printf(text, "%s%s", problem->model->parameters[j].name,
                            left > 1 ? ", "
                            : left   ? " and "
                                     : "");
        }
}

static void say_no_feature(struct gcal_buf *text, const struct gcal_fit_problem *problem,
                           const bool *unseen)
{
    gcal_buf_puts(text, "no measured kernel depends on ");
    name_parameters(text, problem, unseen);
    gcal_buf_puts(text, ": add measurement kernels with its feature");
}

/* Two costs a and b are told from the rest by what they add up to: with the null
 * direction v, J_b p_b = -(v_a / v_b) J_a p_b in columns of length 1.
 */
static void say_known_sum(struct gcal_buf *text, const struct gcal_fit_problem *problem,
                          const struct decomposition *d, const bool *twins)
{
    size_t pair[2], n = 0, k = 0;
    double factor;

    for (size_t j = 0; j < d->n; j++)
        if (twins[j]) {
            if (n == 2 || !problem->is_cost[j])
                return;
            pair[n++] = j;
        }
    if (n < 2)
        return;
    while (k < d->n - 1 &&
           !(is_null(d, k) && fabs(gsl_matrix_get(d->v, pair[1], k)) > NAMED_SHARE))
        k++;
    factor = -gsl_matrix_get(d->v, pair[0], k) / gsl_matrix_get(d->v, pair[1], k) *
             d->scale[pair[1]] / d->scale[pair[0]];
    gcal_buf_printf(text, " (only %s %c %.4g*%s is known)",
                    problem->model->parameters[pair[0]].name, factor < 0 ? '-' : '+',
                    fabs(factor), problem->model->parameters[pair[1]].name);
}

static void say_twins(struct gcal_buf *text, const struct gcal_fit_problem *problem,
                      const struct decomposition *d, const bool *twins)
{
    gcal_buf_printf(text, "%sthese kernels cannot tell ", text->size ? "; " : "");
    name_parameters(text, problem, twins);
    gcal_buf_puts(text, " apart");
    say_known_sum(text, problem, d, twins);
    gcal_buf_puts(text, ": add kernels in which their features vary separately");
}

/* Marks parameters that take part in a direction along which nothing changes. */
static int find_undetermined(const struct gcal_fit_problem *problem,
                             const struct decomposition *d, struct gcal_fit *fit,
                             struct gcal_error *err)
{
    bool *unseen = calloc(d->n + 1, sizeof(bool)),
         *twins = calloc(d->n + 1, sizeof(bool));
    bool any_unseen = false, any_twins = false;
    struct gcal_buf text = { 0 };

    if (!unseen || !twins) {
        free(unseen);
        free(twins);
        return gcal_error_memory(err);
    }
    for (size_t j = 0; j < d->n; j++)
        any_unseen |= unseen[j] = d->scale[j] == 0;
    for (size_t k = 0; k < d->n; k++)
        for (size_t j = 0; is_null(d, k) && j < d->n; j++)
            if (!unseen[j] && fabs(gsl_matrix_get(d->v, j, k)) > NAMED_SHARE)
                any_twins |= twins[j] = true;
    if (any_unseen)
        say_no_feature(&text, problem, unseen);
    if (any_twins)
        say_twins(&text, problem, d, twins);
    for (size_t j = 0; j < d->n; j++)
        fit->undetermined[j] = unseen[j] || twins[j];
    if (any_unseen || any_twins) {
        fit->status = GCAL_FIT_UNDETERMINED;
        fit->condition = INFINITY;
        snprintf(fit->reason, sizeof(fit->reason), "%s", text.data ? text.data : "");
    }
    gcal_buf_free(&text);
    free(unseen);
    free(twins);
    return 0;
}

/* ---- what is ---- */

/* What the samples' own spread makes of a weighted residual. */
static double spread_variance(const struct gcal_fit_problem *problem)
{
    const double *spread = problem->rows->spread;
    double sum = 0;

    for (size_t i = 0; spread && i < problem->n_rows; i++)
        sum += pow(problem->weight[i] * spread[i], 2);
    return sum / (double)problem->n_rows;
}

/* Covariance = s2 (J'J)^-1 with s2 the variance of the weighted residuals, or of the
 * samples where few rows happen to lie closer than that.  Without rows to spare the
 * residuals are 0 whatever the model's worth: then what the weights stand for.
 */
static void fill_covariance(const struct gcal_fit_problem *problem,
                            const struct decomposition *d, struct gcal_fit *fit)
{
    size_t n = fit->n_parameters, freedom = problem->n_rows - d->n;
    double s2 = freedom ? gcal_fit_residuals(problem, fit->value, NULL) / (double)freedom
                        : GCAL_FIT_MISFIT_FLOOR * GCAL_FIT_MISFIT_FLOOR;

    s2 = fmax(s2, spread_variance(problem));
    for (size_t a = 0; a < d->n; a++)
        for (size_t b = 0; b < d->n; b++) {
            double sum = 0;

            for (size_t k = 0; k < d->n; k++)
                sum += gsl_matrix_get(d->v, a, k) * gsl_matrix_get(d->v, b, k) /
                       pow(gsl_vector_get(d->s, k), 2);
            fit->covariance[d->column[a] * n + d->column[b]] =
                s2 * sum / (d->scale[a] * d->scale[b]);
        }
    for (size_t j = 0; j < n; j++)
        fit->standard_error[j] = sqrt(fit->covariance[j * n + j]);
}

static void find_bounds(const struct gcal_fit_problem *problem, struct gcal_fit *fit)
{
    for (size_t j = 0; j < fit->n_parameters; j++) {
        const struct gcal_model_parameter *p = &problem->model->parameters[j];

        fit->at_bound[j] = fit->value[j] <= p->min || fit->value[j] >= p->max;
    }
}

int gcal_fit_diagnose(const struct gcal_fit_problem *problem, struct gcal_fit *fit,
                      struct gcal_error *err)
{
    size_t n = problem->n_parameters;
    double *jacobian = calloc(problem->n_rows * n + 1, sizeof(*jacobian));
    struct decomposition all = { 0 }, inside = { 0 };
    int rc = -1;

    if (!jacobian)
        return gcal_error_memory(err);
    if (gcal_fit_jacobian(problem, fit->value, jacobian) < 0) {
        fit->status = GCAL_FIT_NOT_CONVERGED;
        snprintf(fit->reason, sizeof(fit->reason),
                 "the model's derivatives are not finite at the solution");
        rc = 0;
        goto out;
    }
    find_bounds(problem, fit);
    /* With those at a bound: of twins, one may have ended at 0, which explains nothing.
     */
    if (decompose(&all, problem, jacobian, NULL, err) < 0 ||
        find_undetermined(problem, &all, fit, err) < 0)
        goto out;
    if (fit->status != GCAL_FIT_UNDETERMINED) {
        memset(fit->covariance, 0, n * n * sizeof(*fit->covariance));
        if (decompose(&inside, problem, jacobian, fit->at_bound, err) < 0)
            goto out;
        fit->condition = inside.n ? gsl_vector_get(inside.s, 0) /
                                        gsl_vector_get(inside.s, inside.n - 1)
                                  : 1;
        fill_covariance(problem, &inside, fit);
    }
    rc = 0;
out:
    decomposition_clear(&all);
    decomposition_clear(&inside);
    free(jacobian);
    return rc;
}
