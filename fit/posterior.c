/* posterior.c - Levenberg-Marquardt in units of the prior's deviations, which are rows of their own */
#include "fit/posterior.h"

#include <math.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/model/model.h"
#include "fit/fit.h"

/* Rows that the expected scatter counts as. */
#define EXPECTED_ROWS 2

/* Rows further away than so many deviations count less, the less the further. */
#define FAR 3

/* For the scatter, rows further away than two deviations count as these (proposal 2 of Huber 1964), with
 * what squares of normal numbers have left then.
 */
#define FAR_SQUARE 4
#define LEFT       0.774

/* The scatter is estimated with the factors, in turns. */
enum { TURNS = 6, MOST_STEPS = 100 };

struct search {
    const struct gcal_model *model;
    const struct gcal_fit_rows *rows;
    const struct gcal_fit_prior *prior;
    size_t n_free, *free;     /* the factors, among the parameters */
    double error;             /* that is expected */
    double scale;             /* of what rows scatter by, to what is expected of them */
    double *weight;           /* by row: the root of how much it counts */
    double *deviation;        /* by row, of its distance */
    double *value, *gradient; /* by parameter */
};

static void move_factors(const struct search *s, const gsl_vector *z)
{
    for (size_t k = 0; k < s->n_free; k++) {
        const struct gcal_fit_prior *prior = &s->prior[s->free[k]];

        s->value[s->free[k]] =
            prior->value * exp(prior->deviation * gsl_vector_get(z, k));
    }
}

/* log(time / model) at these factors; 'slopes' (may be NULL; room for all parameters): of the
 * model's logarithm, by factor.
 */
static double find_distance(const struct search *s, const gsl_vector *z, size_t row,
                            double *slopes)
{
    const struct gcal_fit_rows *rows = s->rows;
    double time_s;

    move_factors(s, z);
    time_s = gcal_model_eval(s->model, s->value, rows->features + row * rows->n_features,
                             slopes);
    for (size_t k = 0; slopes && k < s->n_free; k++)
        slopes[k] = slopes[s->free[k]] * s->value[s->free[k]] *
                    s->prior[s->free[k]].deviation / time_s;
    return log(rows->time_s[row] / time_s);
}

/* Rows of times, then of the prior. */
static int find_residuals(const gsl_vector *z, void *context, gsl_vector *residuals)
{
    const struct search *s = context;
    size_t n_rows = s->rows->n_rows;

    for (size_t i = 0; i < n_rows; i++) {
        double distance = find_distance(s, z, i, NULL);

        if (!isfinite(distance))
            return GSL_EDOM;
        gsl_vector_set(residuals, i, -s->weight[i] * distance / s->deviation[i]);
    }
    for (size_t k = 0; k < s->n_free; k++)
        gsl_vector_set(residuals, n_rows + k, gsl_vector_get(z, k));
    return GSL_SUCCESS;
}

static int find_jacobian(const gsl_vector *z, void *context, gsl_matrix *jacobian)
{
    const struct search *s = context;
    size_t n_rows = s->rows->n_rows;

    gsl_matrix_set_zero(jacobian);
    for (size_t i = 0; i < n_rows; i++) {
        find_distance(s, z, i, s->gradient);
        for (size_t k = 0; k < s->n_free; k++) {
            if (!isfinite(s->gradient[k]))
                return GSL_EDOM;
            gsl_matrix_set(jacobian, i, k,
                           s->weight[i] * s->gradient[k] / s->deviation[i]);
        }
    }
    for (size_t k = 0; k < s->n_free; k++)
        gsl_matrix_set(jacobian, n_rows + k, k, 1);
    return GSL_SUCCESS;
}

/* The deviation of what rows are off by at z, and how much each counts. */
static void judge_rows(struct search *s, const gsl_vector *z)
{
    for (size_t i = 0; i < s->rows->n_rows; i++) {
        double distance = fabs(find_distance(s, z, i, s->gradient)), own = s->error, far;

        for (size_t k = 0; k < s->n_free; k++)
            own = hypot(own, s->gradient[k] * s->prior[s->free[k]].within /
                                 s->prior[s->free[k]].deviation);
        s->deviation[i] = hypot(s->scale * own, s->rows->spread ? s->rows->spread[i] : 0);
        far = FAR * s->deviation[i];
        s->weight[i] = distance > far ? far / distance : 1;
    }
}

/* The quadratic form of a row of factors. */
static double weigh(const gsl_matrix *of_z, size_t n, const double *row)
{
    double sum = 0;

    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < n; j++)
            sum += row[k] * gsl_matrix_get(of_z, k, j) * row[j];
    return sum;
}

/* How rows scatter, by their residuals, of which the factors have taken a part (their leverage), without
 * the direction in which the prior pulls all: rows of a kernel that is far from it agree all the same.
 */
static void judge_scatter(struct search *s, gsl_multifit_nlinear_workspace *w,
                          const gsl_vector *z, gsl_matrix *of_z, double *pull)
{
    const gsl_vector *residuals = gsl_multifit_nlinear_residual(w);
    const gsl_matrix *jacobian = gsl_multifit_nlinear_jac(w);
    double squares = EXPECTED_ROWS, n = EXPECTED_ROWS, length = 0, along = 0;
    double left_out = 0;

    gsl_multifit_nlinear_covar(jacobian, 0, of_z);
    for (size_t i = 0; i < s->rows->n_rows; i++) {
        pull[i] = 0;
        for (size_t k = 0; k < s->n_free; k++)
            pull[i] += gsl_matrix_get(jacobian, i, k) * gsl_vector_get(z, k);
        length = hypot(length, pull[i]);
    }
    for (size_t k = 0; k < s->n_free; k++)
        s->gradient[k] = 0;
    for (size_t i = 0; i < s->rows->n_rows && length > 0; i++) {
        pull[i] /= length;
        along += pull[i] * gsl_vector_get(residuals, i);
        for (size_t k = 0; k < s->n_free; k++)
            s->gradient[k] += pull[i] * gsl_matrix_get(jacobian, i, k);
    }
    if (length > 0)
        left_out = 1 - weigh(of_z, s->n_free, s->gradient);
    for (size_t i = 0; i < s->rows->n_rows; i++) {
        double spread = s->rows->spread ? s->rows->spread[i] : 0;
        double part = 1 - pow(spread / s->deviation[i], 2), off, free;

        for (size_t k = 0; k < s->n_free; k++)
            s->gradient[k] = gsl_matrix_get(jacobian, i, k);
        free = 1 - weigh(of_z, s->n_free, s->gradient);
        off = gsl_vector_get(residuals, i) / s->weight[i] - along * pull[i];
        squares += part * s->scale * s->scale * fmin(off * off, FAR_SQUARE * free) / LEFT;
        n += part * (free - left_out * pull[i] * pull[i]);
    }
    s->scale = sqrt(squares / n);
}

static int fail(const struct search *s, const char *what, int status,
                struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EFIT, "model %.60s: %s: %s", s->model->name, what,
                          gsl_strerror(status));
}

static int search(struct search *s, gsl_multifit_nlinear_workspace *w, gsl_vector *z,
                  gsl_matrix *of_z, double *pull, struct gcal_error *err)
{
    gsl_multifit_nlinear_fdf problem = { .f = find_residuals,
                                         .df = find_jacobian,
                                         .n = s->rows->n_rows + s->n_free,
                                         .p = s->n_free,
                                         .params = s };

    /* At first, rows that agree are far away from 1, and count all the same. */
    judge_rows(s, z);
    for (size_t i = 0; i < s->rows->n_rows; i++)
        s->weight[i] = 1;
    for (int turn = 0; turn < TURNS; turn++) {
        int status = gsl_multifit_nlinear_init(z, &problem, w), info;

        if (status != GSL_SUCCESS)
            return fail(s, "its time is not a number for the kernel's counts", status,
                        err);
        status =
            gsl_multifit_nlinear_driver(MOST_STEPS, 1e-8, 1e-8, 0, NULL, NULL, &info, w);
        if (status != GSL_SUCCESS && status != GSL_ENOPROG && status != GSL_EMAXITER)
            return fail(s, "the search for its factors fails", status, err);
        gsl_vector_memcpy(z, gsl_multifit_nlinear_position(w));
        judge_scatter(s, w, z, of_z, pull);
        judge_rows(s, z);
    }
    return 0;
}

/* Of the values, from that of z: the prior's rows make the matrix regular. */
static void find_covariance(const struct search *s, gsl_multifit_nlinear_workspace *w,
                            gsl_matrix *of_z, struct gcal_fit_posterior *found)
{
    gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(w), 0, of_z);
    for (size_t i = 0; i < s->n_free; i++)
        for (size_t k = 0; k < s->n_free; k++) {
            size_t a = s->free[i], b = s->free[k];
            double of_logs =
                s->prior[a].deviation * s->prior[b].deviation *
                    gsl_matrix_get(of_z, i, k) +
                s->scale * s->scale *
                    ((i == k ? pow(s->prior[a].within, 2) : 0) + s->error * s->error);

            found->covariance[a * s->model->n_parameters + b] =
                of_logs * s->value[a] * s->value[b];
        }
}

int gcal_fit_posterior_find(struct gcal_arena *arena, const struct gcal_model *model,
                            const struct gcal_fit_rows *rows,
                            const struct gcal_fit_prior *prior, double error,
                            struct gcal_fit_posterior *found, struct gcal_error *err)
{
    size_t n = model->n_parameters, n_rows = rows->n_rows;
    const gsl_multifit_nlinear_parameters options =
        gsl_multifit_nlinear_default_parameters();
    struct search s = { .model = model,
                        .rows = rows,
                        .prior = prior,
                        .free = gcal_arena_alloc(arena, n, sizeof(*s.free)),
                        .error = error,
                        .scale = 1,
                        .weight = gcal_arena_alloc(arena, n_rows, sizeof(double)),
                        .deviation = gcal_arena_alloc(arena, n_rows, sizeof(double)),
                        .value = gcal_arena_alloc(arena, n, sizeof(double)),
                        .gradient = gcal_arena_alloc(arena, n, sizeof(double)) };
    gsl_multifit_nlinear_workspace *w;
    gsl_vector *z;
    gsl_matrix *of_z;
    int rc;

    for (size_t i = 0; i < n; i++) {
        s.value[i] = prior[i].value;
        if (prior[i].deviation > 0)
            s.free[s.n_free++] = i;
    }
    *found = (struct gcal_fit_posterior){ .value = s.value,
                                          .error = error,
                                          .covariance = gcal_arena_alloc(
                                              arena, n * n, sizeof(double)) };
    if (!s.n_free)
        return 0;
    gsl_set_error_handler_off();
    w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &options,
                                   n_rows + s.n_free, s.n_free);
    z = gsl_vector_calloc(s.n_free);
    of_z = gsl_matrix_alloc(s.n_free, s.n_free);
    rc = w && z && of_z ? search(&s, w, z, of_z,
                                 gcal_arena_alloc(arena, n_rows, sizeof(double)), err)
                        : gcal_error_memory(err);
    if (rc == 0) {
        move_factors(&s, z);
        found->error = s.scale * s.error;
        find_covariance(&s, w, of_z, found);
    }
    gsl_multifit_nlinear_free(w);
    gsl_vector_free(z);
    gsl_matrix_free(of_z);
    return rc;
}
