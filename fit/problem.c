/* problem.c - the objective: residuals, their weights and Huber's bound
 *
 * With r = model / time - 1 and a bound k, a row adds rho(r) to the objective:
 *
 *   r^2                                       |r| <= k
 *   2k |r| - k^2                              r < -k      (Huber 1964)
 *   k^2 + 2k (1+k) log((1+r) / (1+k))         r > k
 *
 * The last line bounds the slope by log(model): a time that is too short by a factor of
 * 400 has r = 399 and 400 times the slope of a correct one.  The searches minimise the
 * squares of sqrt(rho), with r's sign.
 */
#include <math.h>
#include <pthread.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "kernels/base/error.h"
#include "kernels/model/model.h"
#include "kernels/model/rows.h"
#include "fit/private.h"

static void set_quiet(void)
{
    gsl_set_error_handler_off();
}

void gcal_fit_quiet_gsl(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, set_quiet);
}

/* ---- memory ---- */

static void free_matrix(void *matrix)
{
    gsl_matrix_free(matrix);
}

gsl_matrix *gcal_fit_matrix(struct gcal_arena *arena, size_t n_rows, size_t n_columns)
{
    gsl_matrix *matrix = gsl_matrix_calloc(n_rows, n_columns);

    if (!matrix)
        gcal_arena_out_of_memory();
    return gcal_arena_own(arena, matrix, free_matrix);
}

static void free_vector(void *vector)
{
    gsl_vector_free(vector);
}

gsl_vector *gcal_fit_vector(struct gcal_arena *arena, size_t n)
{
    gsl_vector *vector = gsl_vector_calloc(n);

    if (!vector)
        gcal_arena_out_of_memory();
    return gcal_arena_own(arena, vector, free_vector);
}

/* ---- the bound ---- */

static double bound_of(const struct gcal_fit_problem *problem, size_t i)
{
    return GCAL_FIT_HUBER * problem->scale / problem->weight[i];
}

/* sqrt(rho(r)) with r's sign, and its derivative. */
static double bounded(double r, double k, double *slope)
{
    double rho, rho_slope, root;

    *slope = 1;
    if (fabs(r) <= k || !isfinite(r))
        return r;
    if (r < 0) {
        rho = -2 * k * r - k * k;
        rho_slope = -2 * k;
    } else {
        rho = k * k + 2 * k * (1 + k) * log((1 + r) / (1 + k));
        rho_slope = 2 * k * (1 + k) / (1 + r);
    }
    root = copysign(sqrt(rho), r);
    *slope = rho_slope / (2 * root);
    return root;
}

double gcal_fit_row_factor(const struct gcal_fit_problem *problem, size_t i,
                           double relative)
{
    double slope, root;

    if (!isfinite(relative) || relative == 0)
        return relative == 0;
    root = bounded(relative, bound_of(problem, i), &slope);
    return root * slope / relative;
}

/* ---- residuals ---- */

/* Rows that are evaluated together. */
#define PART (16 * GCAL_MODEL_BLOCK)

/* The relative residuals of the next PART rows, or those that are left, from 'first' on.
 * 'gradients': as many x n_parameters, d time / d parameter, or NULL.
 */
static void relative_residuals(const struct gcal_fit_problem *problem, size_t first,
                               const double *parameters, double *r, double *gradients)
{
    size_t n = problem->n_rows - first < PART ? problem->n_rows - first : PART;

    gcal_model_rows_eval(problem->at_rows, first, n, parameters, r, gradients);
    for (size_t i = 0; i < n; i++)
        r[i] = r[i] / problem->rows->time_s[first + i] - 1;
}

double gcal_fit_residuals(const struct gcal_fit_problem *problem,
                          const double *parameters, double *residuals)
{
    double sum = 0, slope, r[PART];

    for (size_t i = 0; i < problem->n_rows; i++) {
        double residual = 0;

        if (i % PART == 0)
            relative_residuals(problem, i, parameters, r, NULL);
        if (problem->weight[i] > 0)
            residual =
                problem->weight[i] * bounded(r[i % PART], bound_of(problem, i), &slope);
        if (residuals)
            residuals[i] = residual;
        sum += residual * residual;
    }
    return sum;
}

/* Multiplies n values; -1 when a product is not finite. */
static int scale_row(double *row, size_t n, double factor)
{
    for (size_t j = 0; j < n; j++) {
        row[j] *= factor;
        if (!isfinite(row[j]))
            return -1;
    }
    return 0;
}

int gcal_fit_jacobian(const struct gcal_fit_problem *problem, const double *parameters,
                      double *jacobian)
{
    size_t n = problem->n_parameters;
    double r[PART];

    for (size_t i = 0; i < problem->n_rows; i++) {
        double *row = jacobian + i * n, slope = 0;

        if (i % PART == 0)
            relative_residuals(problem, i, parameters, r, row);
        if (problem->weight[i] > 0)
            bounded(r[i % PART], bound_of(problem, i), &slope);
        else
            for (size_t j = 0; j < n; j++)
                row[j] = 0;
        if (scale_row(row, n, problem->weight[i] * slope / problem->rows->time_s[i]) < 0)
            return -1;
    }
    return 0;
}

int gcal_fit_sensitivity(const struct gcal_fit_problem *problem, const double *parameters,
                         double *jacobian, double *psi)
{
    size_t n = problem->n_parameters;
    double most = GCAL_FIT_HUBER * problem->scale, r[PART];

    for (size_t i = 0; i < problem->n_rows; i++) {
        double weight = problem->weight[i], *row = jacobian + i * n;

        if (i % PART == 0)
            relative_residuals(problem, i, parameters, r, row);
        psi[i] = fmin(fmax(weight * r[i % PART], -most), most);
        if (scale_row(row, n,
                      weight / (fmax(1 + r[i % PART], 1) * problem->rows->time_s[i])) < 0)
            return -1;
    }
    return 0;
}

double gcal_fit_scale(const struct gcal_fit_problem *problem, const double *parameters)
{
    struct gcal_arena *arena = gcal_arena_create();
    double *size = gcal_arena_alloc(arena, problem->n_rows, sizeof(*size)), scale;
    size_t n = 0, n_spare = problem->n_used - problem->n_known;

    gcal_fit_eval(problem, parameters, size);
    for (size_t i = 0; i < problem->n_rows; i++)
        if (problem->weight[i] > 0)
            size[n++] = problem->weight[i] * fabs(size[i] / problem->rows->time_s[i] - 1);
    gsl_sort(size, 1, n);
    /* A fit can make as many residuals vanish as it has parameters: the smallest ones
     * say nothing about the noise.
     */
    scale = gsl_stats_median_from_sorted_data(size + (n - n_spare), 1, n_spare) / 0.6745;
    gcal_arena_destroy(arena);
    return isfinite(scale) ? fmax(scale, GCAL_FIT_MISFIT_FLOOR) : INFINITY;
}

bool gcal_fit_can_be_robust(const struct gcal_fit_problem *problem)
{
    return problem->n_used >= problem->n_known + 5 &&
           2 * problem->n_used >= 3 * problem->n_known;
}

/* ---- the problem ---- */

static int check_row(const struct gcal_fit_rows *rows, size_t i, struct gcal_error *err)
{
    if (!(rows->time_s[i] > 0) || isinf(rows->time_s[i]))
        return gcal_error_set(err, GCAL_EINPUT, "row %zu: a time of %g s", i + 1,
                              rows->time_s[i]);
    if (rows->spread && !(rows->spread[i] >= 0))
        return gcal_error_set(err, GCAL_EINPUT, "row %zu: a spread of %g", i + 1,
                              rows->spread[i]);
    for (size_t k = 0; k < rows->n_features; k++) {
        double value = rows->features[i * rows->n_features + k];

        if (!(value >= 0) || isinf(value))
            return gcal_error_set(err, GCAL_EINPUT, "row %zu: feature %zu is %g", i + 1,
                                  k + 1, value);
    }
    return 0;
}

int gcal_fit_problem_init(struct gcal_fit_problem *problem,
                          const struct gcal_model *model,
                          const struct gcal_fit_rows *rows, struct gcal_error *err)
{
    size_t n = model->n_parameters;
    struct gcal_arena *arena;
    double longest_s = 0;

    gcal_fit_quiet_gsl();
    *problem = (struct gcal_fit_problem){ .model = model,
                                          .rows = rows,
                                          .n_parameters = n,
                                          .n_known = n,
                                          .n_rows = rows->n_rows,
                                          .n_used = rows->n_rows,
                                          .scale = INFINITY,
                                          .tolerance = GCAL_FIT_EXACT };
    if (rows->n_features != model->n_features)
        return gcal_error_set(err, GCAL_EINPUT, "model %.60s has %zu features, rows %zu",
                              model->name, model->n_features, rows->n_features);
    for (size_t i = 0; i < rows->n_rows; i++)
        if (check_row(rows, i, err) < 0)
            return -1;
    arena = problem->arena = gcal_arena_create();
    problem->weight = gcal_arena_alloc(arena, rows->n_rows, sizeof(double));
    problem->is_cost = gcal_arena_alloc(arena, n, sizeof(bool));
    problem->fixed = gcal_arena_alloc(arena, n, sizeof(bool));
    problem->fixed_value = gcal_arena_alloc(arena, n, sizeof(double));
    for (size_t i = 0; i < rows->n_rows; i++)
        longest_s = fmax(longest_s, rows->time_s[i]);
    for (size_t i = 0; i < rows->n_rows; i++)
        problem->weight[i] =
            GCAL_FIT_MISFIT_FLOOR /
            hypot(GCAL_FIT_MISFIT_FLOOR, rows->spread ? rows->spread[i] : 0) *
            (rows->absolute ? rows->time_s[i] / longest_s : 1);
    problem->at_rows = gcal_model_rows_create(model, rows->n_rows, rows->features, err);
    if (!problem->at_rows)
        return -1;
    gcal_fit_find_costs(problem);
    return 0;
}

void gcal_fit_problem_clear(struct gcal_fit_problem *problem)
{
    gcal_model_rows_destroy(problem->at_rows);
    gcal_arena_destroy(problem->arena);
}
