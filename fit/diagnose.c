/* diagnose.c - rank, undetermined parameters and bounds at the solution */
#include <math.h>
#include <stdio.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/model.h"
#include "fit/private.h"

/* Parameters with at least this share of a null direction are named with it. */
#define NAMED_SHARE 1e-3

/* ---- undetermined parameters ---- */

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

/* Of two collinear costs a and b the rows determine a sum: with the null direction v,
 * J_b p_b = -(v_a / v_b) J_a p_b in columns of length 1.
 */
static void report_known_sum(struct gcal_buf *text,
                             const struct gcal_fit_problem *problem,
                             const struct gcal_fit_svd *d, const bool *collinear)
{
    size_t pair[2], n = 0, k = 0;
    double factor;

    for (size_t j = 0; j < d->n; j++)
        if (collinear[d->column[j]]) {
            if (n == 2 || !problem->is_cost[d->column[j]])
                return;
            pair[n++] = j;
        }
    if (n < 2)
        return;
    while (k < d->n - 1 && !(gcal_fit_svd_is_null(d, k) &&
                             fabs(gsl_matrix_get(d->v, pair[1], k)) > NAMED_SHARE))
        k++;
    factor = -gsl_matrix_get(d->v, pair[0], k) / gsl_matrix_get(d->v, pair[1], k) *
             d->scale[pair[1]] / d->scale[pair[0]];
    gcal_buf_printf(text, " (only %s %c %.4g*%s is known)",
                    problem->model->parameters[d->column[pair[0]]].name,
                    factor < 0 ? '-' : '+', fabs(factor),
                    problem->model->parameters[d->column[pair[1]]].name);
}

/* Marks the parameters that take part in a null direction. */
static void find_undetermined(struct gcal_arena *arena,
                              const struct gcal_fit_problem *problem,
                              const struct gcal_fit_svd *d, struct gcal_fit *fit)
{
    size_t n = fit->n_parameters;
    bool *unseen = gcal_arena_alloc(arena, n, sizeof(bool));
    bool *collinear = gcal_arena_alloc(arena, n, sizeof(bool));
    bool any_unseen = false, any_collinear = false;
    struct gcal_buf text = { 0 };

    for (size_t j = 0; j < d->n; j++)
        any_unseen |= unseen[d->column[j]] = d->scale[j] == 0;
    for (size_t k = 0; k < d->n; k++)
        for (size_t j = 0; gcal_fit_svd_is_null(d, k) && j < d->n; j++)
            if (d->scale[j] > 0 && fabs(gsl_matrix_get(d->v, j, k)) > NAMED_SHARE)
                any_collinear |= collinear[d->column[j]] = true;
    if (any_unseen) {
        gcal_buf_puts(&text, "no measured kernel depends on ");
        name_parameters(&text, problem, unseen);
        gcal_buf_puts(&text, ": add measurement kernels with its feature");
    }
    if (any_collinear) {
        gcal_buf_puts(&text, text.size ? "; " : "");
        name_parameters(&text, problem, collinear);
        gcal_buf_puts(&text, " are collinear in these kernels");
        report_known_sum(&text, problem, d, collinear);
        gcal_buf_puts(&text, ": add kernels in which their features vary separately");
    }
    for (size_t j = 0; j < n; j++)
        fit->undetermined[j] = unseen[j] || collinear[j];
    if (any_unseen || any_collinear) {
        fit->status = GCAL_FIT_UNDETERMINED;
        fit->condition = INFINITY;
        snprintf(fit->reason, sizeof(fit->reason), "%s", text.data ? text.data : "");
    }
    gcal_buf_free(&text);
}

/* ---- the diagnosis ---- */

/* Discards an earlier diagnosis. */
static void forget(struct gcal_fit *fit)
{
    size_t n = fit->n_parameters;

    for (size_t j = 0; j < n; j++) {
        fit->standard_error[j] = fit->variance_inflation[j] = NAN;
        fit->undetermined[j] = false;
        fit->merged_with[j] = j;
    }
    for (size_t i = 0; i < n * n; i++)
        fit->covariance[i] = fit->correlation[i] = NAN;
    fit->reason[0] = '\0';
    fit->rank = 0;
}

/* Includes parameters at a bound: one of two collinear costs may have ended at 0, which
 * makes neither of them determined.
 */
static int check_rank(struct gcal_arena *arena, const struct gcal_fit_problem *problem,
                      const double *jacobian, struct gcal_fit *fit,
                      struct gcal_error *err)
{
    size_t n = fit->n_parameters;
    bool *skip = gcal_arena_alloc(arena, n, sizeof(*skip));
    struct gcal_fit_svd all;

    for (size_t j = 0; j < n; j++)
        skip[j] = problem->fixed[j] || fit->merged_with[j] != j;
    if (gcal_fit_svd_init(arena, &all, jacobian, problem->n_rows, n, skip, err) < 0)
        return -1;
    find_undetermined(arena, problem, &all, fit);
    for (size_t k = 0; k < all.n; k++)
        fit->rank += !gcal_fit_svd_is_null(&all, k);
    return 0;
}

int gcal_fit_diagnose(const struct gcal_fit_problem *problem, struct gcal_fit *fit,
                      struct gcal_error *err)
{
    size_t n = problem->n_parameters;
    struct gcal_arena *arena = gcal_arena_create();
    double *jacobian =
        gcal_arena_alloc(arena, problem->n_rows * (n + 1), sizeof(*jacobian));
    double *psi = jacobian + problem->n_rows * n;
    int rc = 0;

    forget(fit);
    if (gcal_fit_sensitivity(problem, fit->value, jacobian, psi) < 0) {
        fit->status = GCAL_FIT_NOT_CONVERGED;
        snprintf(fit->reason, sizeof(fit->reason),
                 "the model's derivatives are not finite at the solution");
        goto out;
    }
    if (problem->rows->merge_collinear)
        gcal_fit_merge(problem, jacobian, fit);
    for (size_t j = 0; j < fit->n_parameters; j++) {
        const struct gcal_model_parameter *p = &problem->model->parameters[j];

        fit->at_bound[j] =
            fit->unmeasured[j] ||
            (!problem->fixed[j] && (fit->value[j] <= p->min || fit->value[j] >= p->max));
    }
    rc = check_rank(arena, problem, jacobian, fit, err);
    if (rc == 0 && fit->status != GCAL_FIT_UNDETERMINED)
        rc = gcal_fit_covariance(problem, jacobian, psi, fit, err);
out:
    gcal_arena_destroy(arena);
    return rc;
}
