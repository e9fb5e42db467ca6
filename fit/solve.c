/* solve.c - from rows to a result: searches from all starting points, the scale of the
 * residuals, and fixing of poorly determined parameters
 */
#include <gsl/gsl_matrix.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_vector.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/threads.h"
#include "kernels/model/model.h"
#include "kernels/base/buf.h"
#include "kernels/base/median.h"
#include "fit/private.h"

/* ---- starting points of the searches
 *
 * Costs: non-negative least squares, with the model approximated by the sum of its
 * components (the model with one cost at a time, the others 0).  Shapes (exponents,
 * edges): the initial value that the model gives, or a few guesses.
 */

#define N_COST_STARTS 2 /* see start_costs() */
#define N_PASSES      4 /* of least squares; each weighs rows by the previous solution */

static double clamp(double x, double min, double max)
{
    return x < min ? min : x > max ? max : x;
}

/* The number of starting points, and the point 'which' in 'parameters'. */
static size_t count_starts(const struct gcal_fit_problem *problem)
{
    size_t n_costs = 0;

    for (size_t j = 0; j < problem->n_parameters; j++)
        n_costs += problem->is_cost[j];

    /* A model of costs alone is usually linear, and one start finds the optimum; the
     * second start is for min, max and products.
     */
    return n_costs == problem->n_parameters ? N_COST_STARTS
                                            : GCAL_FIT_SHAPE_GUESSES * N_COST_STARTS;
}

/* Column j of the components: the model with cost j at 1 and the others 0, divided by
 * the measured time.
 */
static void fill_components(const struct gcal_fit_problem *problem, double *parameters,
                            gsl_matrix *components, gsl_vector *wanted, double *none_s,
                            double *one_s)
{
    const double *time_s = problem->rows->time_s;

    for (size_t j = 0; j < problem->n_parameters; j++)
        if (problem->is_cost[j])
            parameters[j] = 0;
    gcal_fit_eval(problem, parameters, none_s);
    for (size_t i = 0; i < problem->n_rows; i++)
        gsl_vector_set(wanted, i, problem->weight[i] * (1 - none_s[i] / time_s[i]));
    gsl_matrix_set_zero(components);
    for (size_t j = 0; j < problem->n_parameters; j++) {
        if (!problem->is_cost[j])
            continue;
        parameters[j] = 1;
        gcal_fit_eval(problem, parameters, one_s);
        parameters[j] = 0;
        for (size_t i = 0; i < problem->n_rows; i++) {
            double component = one_s[i] - none_s[i];

            if (isfinite(component))
                gsl_matrix_set(components, i, j,
                               problem->weight[i] * component / time_s[i]);
        }
    }
}

/* The normal equations of columns scaled to length 1: 'normal' is the matrix, 'right' the
 * right-hand side, 'norm' the columns' lengths.
 */
static void add_rows(const gsl_matrix *components, const gsl_vector *wanted,
                     const double *factor, gsl_matrix *normal, gsl_vector *right,
                     double *norm)
{
    size_t n = components->size2;

    gsl_matrix_set_zero(normal);
    gsl_vector_set_zero(right);
    for (size_t j = 0; j < n; j++) {
        norm[j] = 0;
        for (size_t i = 0; i < components->size1; i++)
            norm[j] += factor[i] * pow(gsl_matrix_get(components, i, j), 2);
        norm[j] = sqrt(norm[j]);
    }
    for (size_t i = 0; i < components->size1; i++)
        for (size_t a = 0; a < n; a++) {
            double component =
                norm[a] > 0 ? factor[i] * gsl_matrix_get(components, i, a) / norm[a] : 0;

            if (component == 0)
                continue;
            *gsl_vector_ptr(right, a) += component * gsl_vector_get(wanted, i);
            for (size_t b = 0; b < n; b++)
                if (norm[b] > 0)
                    *gsl_matrix_ptr(normal, a, b) +=
                        component * gsl_matrix_get(components, i, b) / norm[b];
        }
}

/* Iteratively reweighted least squares.  'costs': the guess, replaced by the solution. */
static void least_squares(struct gcal_arena *arena,
                          const struct gcal_fit_problem *problem,
                          const gsl_matrix *components, const gsl_vector *wanted,
                          double *costs, double *factor)
{
    size_t n = components->size2;
    gsl_matrix *normal = gcal_fit_matrix(arena, n, n);
    gsl_vector *right = gcal_fit_vector(arena, n);
    double shares[256], norm[256];

    for (int pass = 0; pass < N_PASSES; pass++) {
        /* The weight of each row by its residual: see gcal_fit_row_factor(). */
        for (size_t i = 0; i < components->size1; i++) {
            double residual = -gsl_vector_get(wanted, i);

            for (size_t j = 0; j < components->size2; j++)
                residual += gsl_matrix_get(components, i, j) * costs[j];
            factor[i] =
                problem->weight[i] > 0
                    ? gcal_fit_row_factor(problem, i, residual / problem->weight[i])
                    : 0;
        }
        add_rows(components, wanted, factor, normal, right, norm);
        for (size_t j = 0; j < n; j++)
            shares[j] = costs[j] * norm[j];
        /* Non-negative least squares by coordinate descent on the normal equations; a few
         * hundred sweeps are exact enough for a starting point.
         */
        for (int sweep = 0; sweep < 300; sweep++)
            for (size_t j = 0; j < n; j++) {
                double rest = gsl_vector_get(right, j);

                for (size_t k = 0; k < n; k++)
                    rest -= k == j ? 0 : gsl_matrix_get(normal, j, k) * shares[k];
                shares[j] = gsl_matrix_get(normal, j, j) > 0 ? fmax(rest, 0) : 0;
            }
        for (size_t j = 0; j < n; j++)
            costs[j] = norm[j] > 0 ? shares[j] / norm[j] : costs[j];
    }
}

/* No cost starts at 0, where a p-norm has no slope. */
static void take_costs(const struct gcal_fit_problem *problem, const double *costs,
                       const double *half, double *parameters)
{
    for (size_t j = 0; j < problem->n_parameters; j++) {
        const struct gcal_model_parameter *p = &problem->model->parameters[j];
        double cost = costs != half && !isnan(p->initial) ? p->initial : costs[j];

        if (problem->is_cost[j])
            parameters[j] = clamp(fmax(cost, 1e-3 * half[j]), p->min, p->max);
    }
}

/* Start 0: the least-squares solution; start 1: every cost at half of its upper limit. */
static void start_costs(struct gcal_arena *arena, const struct gcal_fit_problem *problem,
                        size_t which, double *parameters)
{
    gsl_matrix *components =
        gcal_fit_matrix(arena, problem->n_rows, problem->n_parameters);
    gsl_vector *wanted = gcal_fit_vector(arena, problem->n_rows);
    double half[256], costs[256];
    double *work = gcal_arena_alloc(arena, 2 * problem->n_rows, sizeof(*work));

    fill_components(problem, parameters, components, wanted, work,
                    work + problem->n_rows);
    /* Half of the upper limit of each cost: where it alone explains a row's time, at the
     * 95th percentile of the rows, so that an outlier does not set the limit.
     */
    for (size_t j = 0; j < problem->n_parameters; j++) {
        size_t n = 0;

        for (size_t i = 0; i < components->size1; i++)
            if (fabs(gsl_matrix_get(components, i, j)) > 0)
                work[n++] = fabs(gsl_matrix_get(components, i, j)) / problem->weight[i];
        gsl_sort(work, 1, n);
        half[j] = n ? 0.5 / work[(size_t)(0.95 * (double)(n - 1))] : 1e-9;
    }
    memcpy(costs, half, sizeof(costs));
    if (which == 0)
        least_squares(arena, problem, components, wanted, costs, work);
    take_costs(problem, which == 0 ? costs : half, half, parameters);
}

static void find_start(const struct gcal_fit_problem *problem, size_t which,
                       double *parameters)
{
    size_t n = problem->n_parameters;
    struct gcal_arena *arena = gcal_arena_create();

    for (size_t j = 0; j < n; j++)
        parameters[j] = gcal_fit_shape_guess(problem, j, which / N_COST_STARTS);
    if (n)
        start_costs(arena, problem, which % N_COST_STARTS, parameters);
    gcal_arena_destroy(arena);
}

/* At 'values', with costs multiplied by what most rows' times are of the prediction. */
static void start_at(const struct gcal_fit_problem *problem, const double *values,
                     double *parameters)
{
    struct gcal_arena *arena = gcal_arena_create();
    double *sorted = gcal_arena_alloc(arena, problem->n_rows, sizeof(*sorted)), ratio;

    memcpy(parameters, values, problem->n_parameters * sizeof(*parameters));
    /* The median of measured over predicted time. */
    size_t n = 0;
    gcal_fit_eval(problem, parameters, sorted);
    for (size_t i = 0; i < problem->n_rows; i++)
        if (sorted[i] > 0 && isfinite(sorted[i]))
            sorted[n++] = problem->rows->time_s[i] / sorted[i];
    ratio = n ? gcal_median(sorted, n) : 1;
    for (size_t j = 0; j < problem->n_parameters; j++) {
        const struct gcal_model_parameter *p = &problem->model->parameters[j];

        if (problem->is_cost[j])
            parameters[j] = clamp(ratio * parameters[j], p->min, p->max);
    }
    gcal_arena_destroy(arena);
}

/* ---- rank, undetermined parameters and bounds at the solution ---- */

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

/* Fills what follows from the Jacobian at fit->value: rank, condition, undetermined,
 * at_bound, merged_with, covariance and the fields derived from it, and 'reason' when
 * parameters are not determined.
 */
static int diagnose_fit(const struct gcal_fit_problem *problem, struct gcal_fit *fit,
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

/* ---- from rows to a result: searches from all starting points, the scale of the ---- */

/* The initial scale of the weighted residuals. */
#define FIRST_SCALE 0.2
/* Scale and solution are updated in turn at most this many times, */
#define MAX_ROUNDS 12
/* or until the scale changes by no more than this. */
#define SCALE_TOLERANCE       1e-3
#define QUICK_SCALE_TOLERANCE 0.1
/* A poorly determined shape is fixed at its initial value unless that raises the sum of
 * squares by more than this many variances (95 % of chi-squared), else where it is.
 */
#define SAME_FIT 3.84

/* ---- the search ---- */

static bool better(const struct gcal_fit_point *a, const struct gcal_fit_point *b)
{
    if (!isfinite(a->cost))
        return false;
    /* Of searches that end at the same point up to rounding, the first one counts. */
    return !isfinite(b->cost) || a->cost < b->cost * (1 - 1e-6) - 1e-20;
}

struct starts {
    const struct gcal_fit_problem *problem;
    struct gcal_fit_point *points;
};

static int search_from(void *context, size_t which, struct gcal_error *err)
{
    const struct starts *s = context;
    const struct gcal_fit_problem *problem = s->problem;
    struct gcal_fit_point *point = &s->points[which];

    (void)err;
    if (problem->rows->start) /* the one that the rows come with */
        start_at(problem, problem->rows->start, point->parameters);
    else
        find_start(problem, which, point->parameters);
    gcal_fit_search(problem, point);
    return 0;
}

/* On several threads; the first of equal points counts. */
static int search_from_all(const struct gcal_fit_problem *problem, struct gcal_fit *fit,
                           struct gcal_error *err)
{
    size_t n_guesses = problem->rows->quick ? 1 : count_starts(problem);
    size_t n = problem->rows->start ? 1 : n_guesses, best = 0;
    struct gcal_arena *arena = gcal_arena_create();
    struct starts s = { problem, gcal_arena_alloc(arena, n, sizeof(*s.points)) };
    int rc;

    for (size_t which = 0; which < n; which++)
        s.points[which].parameters = gcal_fit_nans(arena, problem->n_parameters);
    rc = gcal_threads_share(n, search_from, &s, err);
    for (size_t which = 0; which < n && rc == 0; which++) {
        fit->iterations += s.points[which].iterations;
        if (which > 0 && better(&s.points[which], &s.points[best]))
            best = which;
    }
    if (rc == 0) {
        memcpy(fit->value, s.points[best].parameters,
               problem->n_parameters * sizeof(*fit->value));
        fit->status = s.points[best].converged ? GCAL_FIT_GOOD : GCAL_FIT_NOT_CONVERGED;
    }
    gcal_arena_destroy(arena);
    return rc;
}

/* One search from the present solution. */
static void search_on(const struct gcal_fit_problem *problem, struct gcal_fit *fit)
{
    struct gcal_fit_point point = { .parameters = fit->value };

    gcal_fit_search(problem, &point);
    fit->iterations += point.iterations;
    fit->status = point.converged ? GCAL_FIT_GOOD : GCAL_FIT_NOT_CONVERGED;
}

/* The scale decides which rows are bounded and thus moves the solution, which in turn
 * changes the scale.
 */
static void converge_scale(struct gcal_fit_problem *problem, struct gcal_fit *fit)
{
    for (int round = 0; round < MAX_ROUNDS; round++) {
        double scale = gcal_fit_scale(problem, fit->value);

        if (fabs(scale / problem->scale - 1) <=
            (problem->rows->quick ? QUICK_SCALE_TOLERANCE : SCALE_TOLERANCE))
            return;
        problem->scale = scale;
        search_on(problem, fit);
    }
}

/* ---- poorly determined parameters ---- */

static double variance(const struct gcal_fit_problem *problem, double cost)
{
    double spare = (double)problem->n_used - (double)problem->n_known;

    return spare > 0 ? cost / spare : GCAL_FIT_MISFIT_FLOOR * GCAL_FIT_MISFIT_FLOOR;
}

/* Fixes j at gcal_fit_fixed_value() and searches on; where that fits clearly worse, all
 * is restored and the result false.
 */
static bool try_initial(struct gcal_fit_problem *problem, size_t j, struct gcal_fit *fit)
{
    struct gcal_arena *arena = gcal_arena_create();
    size_t n = problem->n_parameters;
    double *found = gcal_arena_alloc(arena, n, sizeof(*found));
    double cost = gcal_fit_residuals(problem, fit->value, NULL);
    bool same;

    memcpy(found, fit->value, n * sizeof(*found));
    problem->fixed[j] = true;
    problem->fixed_value[j] = gcal_fit_fixed_value(problem, fit, j);
    search_on(problem, fit);
    same = gcal_fit_residuals(problem, fit->value, NULL) - cost <=
           SAME_FIT * variance(problem, cost);
    if (!same) {
        memcpy(fit->value, found, n * sizeof(*found));
        problem->fixed[j] = false;
        fit->status = GCAL_FIT_GOOD;
    }
    gcal_arena_destroy(arena);
    return same;
}

/* ---- the result ---- */

static int search(struct gcal_fit_problem *problem, struct gcal_fit *fit,
                  struct gcal_error *err)
{
    bool quick = problem->rows->quick;

    if (gcal_fit_can_be_robust(problem))
        problem->scale = FIRST_SCALE;
    problem->tolerance = quick ? GCAL_FIT_ROUGH : GCAL_FIT_CLOSE;
    if (search_from_all(problem, fit, err) < 0)
        return -1;
    if (isfinite(problem->scale) && fit->status == GCAL_FIT_GOOD)
        converge_scale(problem, fit);
    if (quick)
        return 0;
    problem->tolerance = GCAL_FIT_EXACT;
    if (fit->status == GCAL_FIT_GOOD)
        search_on(problem, fit);
    return 0;
}

static int solve(struct gcal_fit_problem *problem, struct gcal_fit *fit,
                 struct gcal_error *err)
{
    gcal_fit_find_range(problem->rows, fit);
    if (problem->n_rows > 0)
        gcal_fit_fix_unmeasured(problem, fit);
    if (problem->n_rows < problem->n_known || problem->n_rows == 0) {
        fit->status = GCAL_FIT_TOO_FEW_ROWS;
        for (size_t j = 0; j < fit->n_parameters; j++)
            fit->undetermined[j] = true;
        snprintf(fit->reason, sizeof(fit->reason),
                 "%zu parameters, but only %zu kernels: add measurement kernels",
                 problem->n_parameters, problem->n_rows);
        return 0;
    }
    if (search(problem, fit, err) < 0)
        return -1;
    if (!isfinite(gcal_fit_residuals(problem, fit->value, NULL))) {
        fit->status = GCAL_FIT_NOT_CONVERGED;
        snprintf(fit->reason, sizeof(fit->reason),
                 "the model is not finite at any starting point: give its exponents and "
                 "edges 'initial', 'min' and 'max'");
        return 0;
    }
    size_t j;
    if (diagnose_fit(problem, fit, err) < 0)
        return -1;
    /* Fixes shapes that drifted to a bound because no row determines them. */
    for (size_t k = 0; fit->status == GCAL_FIT_GOOD && k < problem->n_parameters; k++) {
        if (problem->is_cost[k] || fit->unmeasured[k] || !fit->at_bound[k] ||
            fit->value[k] == gcal_fit_shape_initial(problem, k))
            continue;
        fit->poorly_determined[k] = try_initial(problem, k, fit);
        if (fit->poorly_determined[k] && diagnose_fit(problem, fit, err) < 0)
            return -1;
    }
    /* Fixes parameters with a large error: at their present value where the initial one
     * fits clearly worse.
     */
    while ((fit->status == GCAL_FIT_GOOD || fit->status == GCAL_FIT_UNDETERMINED) &&
           (j = gcal_fit_least_determined(problem, fit)) < problem->n_parameters) {
        if (!try_initial(problem, j, fit))
            problem->fixed_value[j] = fit->value[j];
        problem->fixed[j] = fit->poorly_determined[j] = true;
        if (diagnose_fit(problem, fit, err) < 0)
            return -1;
    }
    if (fit->status == GCAL_FIT_NOT_CONVERGED && fit->reason[0] == '\0')
        snprintf(fit->reason, sizeof(fit->reason),
                 "the search did not converge in %d iterations: give exponents and edges "
                 "an 'initial' near their value, or a range",
                 fit->iterations);
    gcal_fit_find_errors(problem, fit);
    gcal_fit_write_note(problem, fit);
    return 0;
}

int gcal_fit_solve(const struct gcal_model *model, const struct gcal_fit_rows *rows,
                   struct gcal_fit *fit, struct gcal_error *err)
{
    struct gcal_fit_problem problem;
    struct gcal_fit result = { 0 };
    int rc = -1;

    if (gcal_fit_problem_init(&problem, model, rows, err) == 0) {
        gcal_fit_result_init(&result, &problem);
        rc = solve(&problem, &result, err);
    }
    gcal_fit_problem_clear(&problem);
    if (rc < 0)
        gcal_fit_clear(&result);
    else
        *fit = result;
    return rc;
}
