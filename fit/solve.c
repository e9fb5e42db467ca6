/* solve.c - from rows to a result: searches from all starting points, the scale of the
 * residuals, and fixing of poorly determined parameters
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/threads.h"
#include "kernels/model/model.h"
#include "fit/private.h"

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
        gcal_fit_start_at(problem, problem->rows->start, point->parameters);
    else
        gcal_fit_start(problem, which, point->parameters);
    gcal_fit_search(problem, point);
    return 0;
}

/* On several threads; the first of equal points counts. */
static int search_from_all(const struct gcal_fit_problem *problem, struct gcal_fit *fit,
                           struct gcal_error *err)
{
    size_t n_guesses = problem->rows->quick ? 1 : gcal_fit_start_count(problem);
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
    if (gcal_fit_diagnose(problem, fit, err) < 0)
        return -1;
    /* Fixes shapes that drifted to a bound because no row determines them. */
    for (size_t k = 0; fit->status == GCAL_FIT_GOOD && k < problem->n_parameters; k++) {
        if (problem->is_cost[k] || fit->unmeasured[k] || !fit->at_bound[k] ||
            fit->value[k] == gcal_fit_shape_initial(problem, k))
            continue;
        fit->poorly_determined[k] = try_initial(problem, k, fit);
        if (fit->poorly_determined[k] && gcal_fit_diagnose(problem, fit, err) < 0)
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
        if (gcal_fit_diagnose(problem, fit, err) < 0)
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
