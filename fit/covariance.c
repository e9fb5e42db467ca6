/* covariance.c - covariance of the parameters
 *
 * Covariance = (X'X)^-1 X' S X (X'X)^-1, a sandwich, with X the rows' sensitivity to the
 * parameters.  The errors of a group's rows are correlated, as the sizes of one generator
 * share what the model leaves out: S has s_w + s_b on the diagonal and s_b between rows
 * of a group (B. R. Moulton, J. of Econometrics 32, 1986), so that a further size does
 * not count as a further kernel.  Both are estimated from the residuals' squares and the
 * squares of their sums by group, corrected for the fitted parameters (the
 * fitting-constants method, S. R. Searle, Variance Components, 1992, chapter 5).  Without
 * groups s_b is 0 and the sandwich is s_w (X'X)^-1.  Bounded residuals need Huber's
 * correction (Huber, Robust Statistics, 1981, section 7.6).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_blas.h>

#include "kernels/base/error.h"
#include "fit/private.h"

/* The variance between groups is estimated when the residuals keep this share of it. */
#define SEEN_SHARE 1e-2

struct row_of_group {
    size_t group, row;
};

/* Sums over the rows; R is the projection onto the residuals, G has 1 between rows of a
 * group and 0 elsewhere.
 */
struct sums {
    double n_rest;     /* tr R: degrees of freedom */
    double rg, rgrg;   /* tr RG, tr RGRG */
    double n_all;      /* rows */
    double sizes;      /* tr GG: squares of the groups' sizes */
    double squares;    /* of psi */
    double group_sums; /* squares of psi's sums by group */
    double factor;     /* from psi's to the errors' variance */
    double fallback;   /* the variance when no degrees of freedom are left */
};

/* ---- groups ---- */

static int compare_groups(const void *a, const void *b)
{
    const struct row_of_group *x = a, *y = b;

    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Rows by group; each row of a fixed parameter, after n_rows, is a group of its own. */
static struct row_of_group *
sort_rows(struct gcal_arena *arena, const struct gcal_fit_problem *problem, size_t n_all)
{
    const size_t *group = problem->rows->group;
    struct row_of_group *order = gcal_arena_alloc(arena, n_all, sizeof(*order));

    for (size_t i = 0; i < problem->n_rows; i++)
        order[i] = (struct row_of_group){ .group = group ? group[i] : i, .row = i };
    qsort(order, problem->n_rows, sizeof(*order), compare_groups);
    for (size_t i = problem->n_rows; i < n_all; i++)
        order[i] = (struct row_of_group){ .group = i, .row = i };
    return order;
}

static size_t group_end(const struct row_of_group *order, size_t first, size_t n_rows,
                        size_t n_all)
{
    size_t end = first + 1;

    while (first < n_rows && end < n_rows && order[end].group == order[first].group)
        end++;
    return end < n_all ? end : n_all;
}

/* 'between': sum over the groups of the outer product of the sums of u's rows. */
static void add_up(const struct gcal_fit_problem *problem, const struct gcal_fit_svd *d,
                   const struct row_of_group *order, const double *psi,
                   gsl_matrix *between, struct sums *sums)
{
    size_t n_all = d->u->size1, end;
    double in_u = 0, squares_of_sizes = 0, sized_in_u = 0, norm = 0;
    gsl_vector *sum = d->work; /* unused after the decomposition */

    gsl_matrix_set_zero(between);
    for (size_t first = 0; first < n_all; first = end) {
        double psi_sum = 0, length, size;

        end = group_end(order, first, problem->n_rows, n_all);
        size = (double)(end - first);
        gsl_vector_set_zero(sum);
        for (size_t i = first; i < end; i++) {
            gsl_vector_const_view row = gsl_matrix_const_row(d->u, order[i].row);

            gsl_blas_daxpy(1, &row.vector, sum);
            psi_sum += psi[order[i].row];
            sums->squares += psi[order[i].row] * psi[order[i].row];
        }
        sums->group_sums += psi_sum * psi_sum;
        gsl_blas_ddot(sum, sum, &length);
        in_u += length;
        squares_of_sizes += size * size;
        sized_in_u += size * length;
        gsl_blas_dger(1, sum, sum, between);
    }
    for (size_t a = 0; a < d->n; a++)
        for (size_t b = 0; b < d->n; b++)
            norm += pow(gsl_matrix_get(between, a, b), 2);
    sums->n_rest = (double)n_all - (double)d->n;
    sums->n_all = (double)n_all;
    sums->sizes = squares_of_sizes;
    sums->rg = (double)n_all - in_u;
    sums->rgrg = squares_of_sizes - 2 * sized_in_u + norm;
}

/* ---- variances ---- */

/* The variance of weighted residuals that the samples' spread explains. */
static double spread_variance(const struct gcal_fit_problem *problem)
{
    const double *spread = problem->rows->spread;
    double sum = 0;

    for (size_t i = 0; spread && i < problem->n_rows; i++)
        sum += pow(problem->weight[i] * spread[i], 2);
    return sum / (double)problem->n_rows;
}

/* The variance between groups is estimated where several groups determine the same
 * parameters; else it is the error of the best of models.
 *
 * The variance within groups is at least that of the samples, as few rows may happen to
 * lie closer than their samples scatter; without degrees of freedom it is the fallback.
 */
static void find_variances(const struct gcal_fit_problem *problem,
                           const struct sums *sums, double *within, double *between)
{
    double det = sums->n_rest * sums->rgrg - sums->rg * sums->rg;

    *between = 0;
    if (det > SEEN_SHARE * sums->n_rest * sums->sizes)
        *between =
            fmax((sums->n_rest * sums->group_sums - sums->rg * sums->squares) / det, 0);
    else if (sums->sizes > sums->n_all) /* groups of one row have nothing in common */
        *between = GCAL_FIT_MISFIT_FLOOR * GCAL_FIT_MISFIT_FLOOR / sums->factor;
    if (sums->n_rest > 0.5)
        *within = (sums->squares - *between * sums->rg) / sums->n_rest;
    else
        *within = sums->fallback / sums->factor;
    if (*within < 0) {
        *within = 0;
        *between = sums->squares / sums->rg;
    }
    *within *= sums->factor;
    *between *= sums->factor;
    *within = fmax(*within, spread_variance(problem) - *between);
}

/* Satterthwaite's degrees of freedom of a variance estimated from correlated residuals.
 */
static size_t find_freedom(const struct sums *sums, double within, double between)
{
    double mean = within * sums->n_rest + between * sums->rg;
    double squares = within * within * sums->n_rest + 2 * within * between * sums->rg +
                     between * between * sums->rgrg;

    if (sums->n_rest < 0.5 || !(squares > 0))
        return 0;
    return (size_t)fmax(floor(mean * mean / squares + 1e-9), 1);
}

/* ---- the matrix ---- */

/* v s^-1 (within + between B) s^-1 v' in columns of length 1, then in the parameters'
 * units.
 */
static void fill_matrix(const struct gcal_fit_svd *d, const gsl_matrix *groups,
                        double within, double between, gsl_matrix *work,
                        struct gcal_fit *fit)
{
    size_t n = fit->n_parameters;

    for (size_t a = 0; a < d->n; a++)
        for (size_t k = 0; k < d->n; k++)
            gsl_matrix_set(work, a, k,
                           gsl_matrix_get(d->v, a, k) / gsl_vector_get(d->s, k));
    for (size_t a = 0; a < d->n; a++) {
        gsl_vector_const_view row_a = gsl_matrix_const_row(work, a);
        double inflation;

        gsl_blas_ddot(&row_a.vector, &row_a.vector, &inflation);
        fit->variance_inflation[d->column[a]] = inflation;
        gsl_blas_dgemv(CblasNoTrans, between, groups, &row_a.vector, 0, d->work);
        gsl_blas_daxpy(within, &row_a.vector, d->work);
        for (size_t b = 0; b < d->n; b++) {
            gsl_vector_const_view row_b = gsl_matrix_const_row(work, b);
            double sum;

            gsl_blas_ddot(&row_b.vector, d->work, &sum);
            fit->covariance[d->column[a] * n + d->column[b]] =
                sum / (d->scale[a] * d->scale[b]);
        }
    }
}

/* k merged costs share their common time, and all splits are equally likely: the shares
 * have variance (k-1)/(k^2 (k+1)) and covariance -1/(k^2 (k+1)).
 */
static void spread_merged(struct gcal_fit *fit, size_t first)
{
    size_t n = fit->n_parameters;
    double k = 0;

    for (size_t j = first; j < n; j++)
        k += fit->merged_with[j] == first;
    for (size_t j = first + 1; j < n; j++)
        if (fit->merged_with[j] == first) {
            double ratio = fit->value[j] / fit->value[first];

            for (size_t i = 0; i < n; i++)
                fit->covariance[j * n + i] = ratio * fit->covariance[first * n + i];
            for (size_t i = 0; i < n; i++)
                fit->covariance[i * n + j] = ratio * fit->covariance[i * n + first];
            fit->variance_inflation[j] = fit->variance_inflation[first];
        }
    for (size_t a = first; a < n; a++)
        for (size_t b = first; b < n; b++)
            if (fit->merged_with[a] == first && fit->merged_with[b] == first)
                fit->covariance[a * n + b] +=
                    fit->value[a] * fit->value[b] * (a == b ? k - 1 : -1) / (k + 1);
}

static void fill_rest(struct gcal_fit *fit)
{
    size_t n = fit->n_parameters;

    for (size_t j = 0; j < n; j++)
        if (fit->merged_with[j] != j && fit->value[j] > 0) {
            size_t first = fit->merged_with[j];
            bool done = false;

            for (size_t i = first + 1; i < j; i++)
                done |= fit->merged_with[i] == first;
            if (!done)
                spread_merged(fit, first);
        }
    for (size_t a = 0; a < n; a++) /* symmetric but for rounding */
        for (size_t b = 0; b < a; b++)
            fit->covariance[a * n + b] = fit->covariance[b * n + a];
    for (size_t j = 0; j < n; j++)
        fit->standard_error[j] = sqrt(fit->covariance[j * n + j]);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            double scale = fit->standard_error[a] * fit->standard_error[b];

            fit->correlation[a * n + b] =
                scale > 0 ? fit->covariance[a * n + b] / scale : NAN;
        }
}

/* ---- fixed parameters ---- */

static double fallback_variance(const struct gcal_fit_problem *problem, const double *psi,
                                double factor, size_t n_fitted)
{
    double squares = 0;

    for (size_t i = 0; i < problem->n_rows; i++)
        squares += psi[i] * psi[i];
    if (problem->n_rows <= n_fitted)
        return GCAL_FIT_MISFIT_FLOOR * GCAL_FIT_MISFIT_FLOOR;
    return fmax(factor * squares / (double)(problem->n_rows - n_fitted),
                spread_variance(problem));
}

/* ---- all parameters ---- */

int gcal_fit_covariance(const struct gcal_fit_problem *problem, const double *jacobian,
                        const double *psi, struct gcal_fit *fit, struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    size_t n = fit->n_parameters, m = problem->n_rows, n_all = m, n_fitted = 0;
    bool *skip = gcal_arena_alloc(arena, n, sizeof(*skip));
    double *all = gcal_arena_alloc(arena, (m + n) * n, sizeof(*all));
    double most = GCAL_FIT_HUBER * problem->scale, inside = 0, k;
    struct gcal_fit_svd d;
    struct sums sums = { 0 };
    int rc;

    for (size_t j = 0; j < n; j++) {
        skip[j] = fit->at_bound[j] || fit->merged_with[j] != j;
        n_fitted += !skip[j] && !problem->fixed[j];
    }
    for (size_t i = 0; i < m; i++)
        inside += fabs(psi[i]) < most;
    inside = fmax(inside / (double)m, 0.1);
    k = 1 + (double)n_fitted / (double)m * (1 - inside) / inside;
    sums.factor = k * k / (inside * inside);
    sums.fallback = fallback_variance(problem, psi, sums.factor, n_fitted);
    /* The Jacobian has one more row for each fixed parameter, its prior. */
    memcpy(all, jacobian, m * n * sizeof(*all));
    for (size_t j = 0; j < n; j++)
        if (problem->fixed[j] && !skip[j])
            all[n_all++ * n + j] = sqrt(sums.fallback) / gcal_fit_fixed_error(problem, j);
    if ((rc = gcal_fit_svd_init(arena, &d, all, n_all, n, skip, err)) == 0) {
        memset(fit->covariance, 0, n * n * sizeof(*fit->covariance));
        fit->condition = d.n ? gsl_vector_get(d.s, 0) / gsl_vector_get(d.s, d.n - 1) : 1;
        if (d.n) {
            struct row_of_group *order = sort_rows(arena, problem, d.u->size1);
            double *all_psi = gcal_arena_alloc(arena, d.u->size1, sizeof(*all_psi));
            gsl_matrix *groups = gcal_fit_matrix(arena, d.n, d.n);
            double within, between;

            memcpy(all_psi, psi, problem->n_rows * sizeof(*psi));
            add_up(problem, &d, order, all_psi, groups, &sums);
            find_variances(problem, &sums, &within, &between);
            fit->freedom = find_freedom(&sums, within, between);
            fit->row_error = sqrt(within);
            fit->group_error = sqrt(between);
            fill_matrix(&d, groups, within, between, gcal_fit_matrix(arena, d.n, d.n),
                        fit);
        }
        fill_rest(fit);
    }
    gcal_arena_destroy(arena);
    return rc;
}
