/* search.c - Levenberg-Marquardt (GSL) within bounds
 *
 * GSL has no bounds.  Residuals are evaluated at the point moved into the bounds, so a
 * step that GSL accepts lowers the sum of squares even when it leads outside; a parameter
 * outside is then put on its bound and held there while the others continue.  When those
 * have converged, the held parameter with the steepest descent inward is released.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <gsl/gsl_multifit_nlinear.h>

#include "kernels/model/model.h"
#include "fit/private.h"

#define MAX_ITERATIONS 2000 /* of one search */
/* In a narrow valley, such as that of a sharp edge, steps stay long without progress: the
 * sum of squares is checked at this interval of iterations.
 */
#define PATIENCE 10

/* Free parameters are handed to GSL in units of 'scale'. */
struct search {
    const struct gcal_fit_problem *problem;
    double *parameters;
    double *trial;    /* the point at which the model is evaluated */
    double *jacobian; /* n_rows x n_parameters */
    double *residuals;
    double *scale;
    size_t *free_slots; /* which parameters are free */
    size_t n_free;
    bool *held;
    int iterations;
};

static const struct gcal_model_parameter *parameter(const struct search *s, size_t j)
{
    return &s->problem->model->parameters[j];
}

static double into_bounds(const struct search *s, size_t j, double x)
{
    return fmin(fmax(x, parameter(s, j)->min), parameter(s, j)->max);
}

static void read_point(const gsl_vector *x, struct search *s)
{
    memcpy(s->trial, s->parameters, s->problem->n_parameters * sizeof(*s->trial));
    for (size_t k = 0; k < s->n_free; k++) {
        size_t j = s->free_slots[k];

        s->trial[j] = into_bounds(s, j, gsl_vector_get(x, k) * s->scale[j]);
    }
}

static int eval_residuals(const gsl_vector *x, void *data, gsl_vector *f)
{
    struct search *s = data;

    read_point(x, s);
    gcal_fit_residuals(s->problem, s->trial, s->residuals);
    for (size_t i = 0; i < s->problem->n_rows; i++)
        /* GSL takes back a step with huge residuals; an error would end the search. */
        gsl_vector_set(f, i, isfinite(s->residuals[i]) ? s->residuals[i] : 1e50);
    return GSL_SUCCESS;
}

static int eval_jacobian(const gsl_vector *x, void *data, gsl_matrix *J)
{
    struct search *s = data;
    size_t n = s->problem->n_parameters;

    read_point(x, s);
    if (gcal_fit_jacobian(s->problem, s->trial, s->jacobian) < 0)
        return GSL_EBADFUNC;
    for (size_t i = 0; i < s->problem->n_rows; i++)
        for (size_t k = 0; k < s->n_free; k++) {
            size_t j = s->free_slots[k];

            gsl_matrix_set(J, i, k, s->jacobian[i * n + j] * s->scale[j]);
        }
    return GSL_SUCCESS;
}

static double squares(const gsl_vector *v)
{
    double sum = 0;

    for (size_t i = 0; i < v->size; i++)
        sum += gsl_vector_get(v, i) * gsl_vector_get(v, i);
    return sum;
}

enum outcome { CONVERGED, HIT_BOUND, FAILED };

static enum outcome iterate(struct search *s, gsl_multifit_nlinear_workspace *w)
{
    double tolerance = s->problem->tolerance, last = INFINITY;
    int info;

    for (int i = 1; s->iterations++ < MAX_ITERATIONS; i++) {
        int status = gsl_multifit_nlinear_iterate(w);

        if (status == GSL_ENOPROG) /* no step lowers it: the optimum up to rounding */
            return CONVERGED;
        if (status)
            return FAILED;
        const gsl_vector *x = gsl_multifit_nlinear_position(w);
        bool hit =
            false; /* GSL's point, which is taken over, puts a parameter on a bound */

        for (size_t k = 0; k < s->n_free; k++) {
            size_t j = s->free_slots[k];
            double wanted = gsl_vector_get(x, k) * s->scale[j];

            s->parameters[j] = into_bounds(s, j, wanted);
            s->held[j] = s->parameters[j] != wanted;
            hit |= s->held[j];
        }
        if (hit)
            return HIT_BOUND;
        if (gsl_multifit_nlinear_test(tolerance, tolerance * tolerance, 0, &info, w) ==
            GSL_SUCCESS)
            return CONVERGED;
        if (i % PATIENCE == 0) {
            double cost = squares(gsl_multifit_nlinear_residual(w));

            if (!(cost < last * (1 - tolerance)))
                return CONVERGED;
            last = cost;
        }
    }
    return FAILED;
}

/* One run of GSL over the parameters that are not held. */
static enum outcome run_free(struct search *s)
{
    const gsl_multifit_nlinear_parameters settings =
        gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_fdf fdf = {
        .f = eval_residuals, .df = eval_jacobian, .n = s->problem->n_rows, .params = s
    };
    gsl_multifit_nlinear_workspace *w;
    gsl_vector *x;
    enum outcome outcome = FAILED;

    s->n_free = 0;
    for (size_t j = 0; j < s->problem->n_parameters; j++)
        if (!s->held[j])
            s->free_slots[s->n_free++] = j;
    if (s->n_free == 0)
        return CONVERGED;
    fdf.p = s->n_free;
    x = gsl_vector_alloc(s->n_free);
    w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &settings, fdf.n, fdf.p);
    for (size_t k = 0; x && k < s->n_free; k++)
        gsl_vector_set(x, k,
                       s->parameters[s->free_slots[k]] / s->scale[s->free_slots[k]]);
    if (x && w && gsl_multifit_nlinear_init(x, &fdf, w) == GSL_SUCCESS)
        outcome = iterate(s, w);
    gsl_multifit_nlinear_free(w);
    gsl_vector_free(x);
    return outcome;
}

/* The descent of the sum of squares when parameter j moves inward from its bound, as the
 * cosine between its column and the residuals; 0 when the sum does not fall.
 */
static double inward_slope(const struct search *s, size_t j)
{
    size_t n = s->problem->n_parameters;
    double dot = 0, column = 0, rest = 0;

    for (size_t i = 0; i < s->problem->n_rows; i++) {
        double slope = s->jacobian[i * n + j];

        dot += slope * s->residuals[i];
        column += slope * slope;
        rest += s->residuals[i] * s->residuals[i];
    }
    if (column == 0 || rest == 0)
        return 0;
    dot /= sqrt(column * rest);
    return fmax(s->parameters[j] <= parameter(s, j)->min ? -dot : dot, 0);
}

/* Releases the held parameter with the steepest descent; false when there is none. */
static bool release(struct search *s)
{
    double steepest = 1e-9;
    size_t which = SIZE_MAX;

    gcal_fit_residuals(s->problem, s->parameters, s->residuals);
    if (gcal_fit_jacobian(s->problem, s->parameters, s->jacobian) < 0)
        return false;
    for (size_t j = 0; j < s->problem->n_parameters; j++)
        if (s->held[j] && !s->problem->fixed[j] && inward_slope(s, j) > steepest) {
            steepest = inward_slope(s, j);
            which = j;
        }
    if (which == SIZE_MAX)
        return false;
    s->held[which] = false;
    return true;
}

/* Holds and releases parameters until the sum of squares stays the same. */
static bool converge(struct search *s)
{
    double cost, last = INFINITY;
    enum outcome outcome;

    do {
        while ((outcome = run_free(s)) == HIT_BOUND)
            ;
        if (outcome == FAILED)
            return false;
        cost = gcal_fit_residuals(s->problem, s->parameters, NULL);
        if (!(cost < last * (1 - 1e-12)))
            return true;
        last = cost;
    } while (release(s));
    return true;
}

void gcal_fit_search(const struct gcal_fit_problem *problem, struct gcal_fit_point *point)
{
    struct gcal_arena *arena = gcal_arena_create();
    size_t n = problem->n_parameters, m = problem->n_rows;
    double *parameters = point->parameters;
    struct search s = { .problem = problem,
                        .parameters = parameters,
                        .trial = gcal_arena_alloc(arena, n, sizeof(double)),
                        .jacobian = gcal_arena_alloc(arena, m * n, sizeof(double)),
                        .residuals = gcal_arena_alloc(arena, m, sizeof(double)),
                        .scale = gcal_arena_alloc(arena, n, sizeof(double)),
                        .free_slots = gcal_arena_alloc(arena, n, sizeof(size_t)),
                        .held = gcal_arena_alloc(arena, n, sizeof(bool)) };

    for (size_t j = 0; j < n; j++) {
        s.held[j] = problem->fixed[j];
        if (problem->fixed[j])
            parameters[j] = problem->fixed_value[j];
        s.scale[j] = parameters[j] != 0 ? fabs(parameters[j]) : 1;
    }
    point->converged = converge(&s);
    point->cost = gcal_fit_residuals(problem, parameters, NULL);
    point->iterations = s.iterations;
    gcal_arena_destroy(arena);
}
