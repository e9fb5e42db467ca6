/* gaussian_process.c - regression by a Gaussian process whose lengths are learned */
#include "fit/gaussian_process.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/base/random.h"

/* Steps of the search for lengths and amplitude, in their logarithms, and how far it goes
 * from the priors' medians.
 */
#define STEP  0.5
#define REACH 3.0

#define DRAWS_SEED 20261123u

/* Added to variances, so that a matrix of equal points has a root. */
#define JITTER 1e-8

struct observation {
    size_t point;
    double value, noise;
};

struct gcal_fit_process {
    struct gcal_fit_points points;
    struct gcal_fit_process_prior prior;
    double *logs; /* n_groups lengths, then the amplitude over the prior's */
    size_t n, capacity;
    struct observation *observations;
    gsl_matrix *root; /* of the observations' covariance; NULL: to be made */
    gsl_vector *weights, *whitened;
};

struct gcal_fit_process *
gcal_fit_process_create(const struct gcal_fit_points *points,
                        const struct gcal_fit_process_prior *prior,
                        struct gcal_error *err)
{
    struct gcal_fit_process *p = calloc(1, sizeof(*p));

    if (!p || !(p->logs = calloc(points->n_groups + 1, sizeof(*p->logs)))) {
        free(p);
        gcal_error_memory(err);
        return NULL;
    }
    gsl_set_error_handler_off();
    p->points = *points;
    p->prior = *prior;
    return p;
}

static void forget_root(struct gcal_fit_process *p)
{
    if (p->root)
        gsl_matrix_free(p->root);
    if (p->weights)
        gsl_vector_free(p->weights);
    if (p->whitened)
        gsl_vector_free(p->whitened);
    p->root = NULL;
    p->weights = p->whitened = NULL;
}

void gcal_fit_process_destroy(struct gcal_fit_process *p)
{
    if (!p)
        return;
    forget_root(p);
    free(p->observations);
    free(p->logs);
    free(p);
}

static struct observation *find(const struct gcal_fit_process *p, size_t point)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->observations[i].point == point)
            return &p->observations[i];
    return NULL;
}

int gcal_fit_process_observe(struct gcal_fit_process *p, size_t point, double value,
                             double noise, struct gcal_error *err)
{
    struct observation *o = find(p, point), *grown;

    if (!o) {
        grown = gcal_array_grow(p->observations, p->n, &p->capacity, sizeof(*grown), err);
        if (!grown)
            return -1;
        p->observations = grown;
        o = &grown[p->n++];
    }
    *o = (struct observation){ point, value, noise };
    forget_root(p);
    return 0;
}

void gcal_fit_process_forget(struct gcal_fit_process *p, size_t point)
{
    struct observation *o = find(p, point);

    if (!o)
        return;
    *o = p->observations[--p->n];
    forget_root(p);
}

bool gcal_fit_process_has(const struct gcal_fit_process *p, size_t point)
{
    return find(p, point) != NULL;
}

size_t gcal_fit_process_count(const struct gcal_fit_process *p)
{
    return p->n;
}

/* ---- covariances ---- */

double gcal_fit_process_amplitude(const struct gcal_fit_process *p)
{
    return p->prior.amplitude * exp(p->logs[p->points.n_groups]);
}

double gcal_fit_process_length(const struct gcal_fit_process *p, size_t group)
{
    return exp(p->logs[group]);
}

/* By coordinate, 1 / length^2; the caller's to free. */
static double *inverse_squares(const struct gcal_fit_process *p)
{
    double *inverse = calloc(p->points.n_coordinates + 1, sizeof(*inverse));

    for (size_t k = 0; inverse && k < p->points.n_coordinates; k++)
        inverse[k] = exp(-2 * p->logs[p->points.group[k]]);
    return inverse;
}

static double covariance(const struct gcal_fit_process *p, const double *inverse,
                         size_t a, size_t b)
{
    size_t n = p->points.n_coordinates;
    const double *x = p->points.coordinates + a * n, *y = p->points.coordinates + b * n;
    double amplitude = gcal_fit_process_amplitude(p), square = 0;

    for (size_t k = 0; k < n; k++)
        square += (x[k] - y[k]) * (x[k] - y[k]) * inverse[k];
    return p->prior.common * p->prior.common + amplitude * amplitude * exp(-sqrt(square));
}

static int fill_root(struct gcal_fit_process *p, const double *inverse)
{
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j <= i; j++) {
            double value = covariance(p, inverse, p->observations[i].point,
                                      p->observations[j].point);

            if (i == j)
                value += p->observations[i].noise * p->observations[i].noise + JITTER;
            gsl_matrix_set(p->root, i, j, value);
        }
    return gsl_linalg_cholesky_decomp1(p->root) == GSL_SUCCESS ? 0 : -1;
}

/* The root of the observations' covariance, and what follows from it. */
static int need_root(struct gcal_fit_process *p)
{
    double *inverse;
    int rc;

    if (p->root || !p->n)
        return 0;
    p->root = gsl_matrix_calloc(p->n, p->n);
    p->weights = gsl_vector_alloc(p->n);
    p->whitened = gsl_vector_alloc(p->n);
    inverse = inverse_squares(p);
    rc = p->root && p->weights && p->whitened && inverse ? fill_root(p, inverse) : -1;
    free(inverse);
    if (rc < 0) {
        forget_root(p);
        return -1;
    }
    for (size_t i = 0; i < p->n; i++)
        gsl_vector_set(p->whitened, i, p->observations[i].value);
    gsl_blas_dtrsv(CblasLower, CblasNoTrans, CblasNonUnit, p->root, p->whitened);
    gsl_vector_memcpy(p->weights, p->whitened);
    gsl_blas_dtrsv(CblasLower, CblasTrans, CblasNonUnit, p->root, p->weights);
    return 0;
}

/* ---- learning ---- */

double gcal_fit_process_log_likelihood(struct gcal_fit_process *p)
{
    double sum = 0;

    if (need_root(p) < 0)
        return NAN;
    for (size_t i = 0; i < p->n; i++) {
        double z = gsl_vector_get(p->whitened, i);

        sum -= 0.5 * z * z + log(gsl_matrix_get(p->root, i, i)) + 0.5 * log(2 * M_PI);
    }
    return sum;
}

static double log_posterior(struct gcal_fit_process *p)
{
    double value = gcal_fit_process_log_likelihood(p);

    for (size_t i = 0; i <= p->points.n_groups; i++) {
        double spread =
            i < p->points.n_groups ? p->prior.length_spread : p->prior.amplitude_spread;

        value -= 0.5 * p->logs[i] * p->logs[i] / (spread * spread);
    }
    return value;
}

/* Moves one logarithm as long as that helps. */
static double move(struct gcal_fit_process *p, size_t i, double step, double best)
{
    while (fabs(p->logs[i] + step) <= REACH) {
        double before = p->logs[i], value;

        p->logs[i] += step;
        forget_root(p);
        value = log_posterior(p);
        if (!(value > best + 1e-9)) {
            p->logs[i] = before;
            forget_root(p);
            break;
        }
        best = value;
    }
    return best;
}

int gcal_fit_process_learn(struct gcal_fit_process *p, struct gcal_error *err)
{
    double best = log_posterior(p);

    if (isnan(best))
        return gcal_error_memory(err);
    if (p->n < 2)
        return 0;
    for (size_t i = 0; i <= p->points.n_groups; i++) {
        best = move(p, i, STEP, best);
        best = move(p, i, -STEP, best);
    }
    return 0;
}

/* ---- predicting ---- */

/* Covariances of a point with the observations, through the root.
 * Returns the mean there.
 */
static double project(const struct gcal_fit_process *p, const double *inverse,
                      size_t point, double *projected)
{
    gsl_vector_view view;
    double mean = 0;

    if (!p->n)
        return 0;
    for (size_t i = 0; i < p->n; i++) {
        projected[i] = covariance(p, inverse, point, p->observations[i].point);
        mean += projected[i] * gsl_vector_get(p->weights, i);
    }
    view = gsl_vector_view_array(projected, p->n);
    gsl_blas_dtrsv(CblasLower, CblasNoTrans, CblasNonUnit, p->root, &view.vector);
    return mean;
}

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

int gcal_fit_process_predict(struct gcal_fit_process *p, size_t n, const size_t *points,
                             double *mean, double *deviation, struct gcal_error *err)
{
    double *inverse = inverse_squares(p);
    double *projected = calloc(p->n + 1, sizeof(*projected));
    int rc = inverse && projected && need_root(p) == 0 ? 0 : gcal_error_memory(err);

    for (size_t i = 0; rc == 0 && i < n; i++) {
        double variance = covariance(p, inverse, points[i], points[i]);

        mean[i] = project(p, inverse, points[i], projected);
        variance -= dot(p->n, projected, projected);
        deviation[i] = sqrt(fmax(variance, 0));
    }
    free(projected);
    free(inverse);
    return rc;
}

/* ---- joint draws ---- */

struct joint {
    size_t n;
    double *mean;      /* n */
    double *projected; /* n x observations */
    gsl_matrix *root;  /* n x n */
    double *drawn;     /* n */
};

static int joint_make(struct joint *j, const struct gcal_fit_process *p,
                      const double *inverse, const size_t *points)
{
    for (size_t a = 0; a < j->n; a++)
        j->mean[a] = project(p, inverse, points[a], j->projected + a * p->n);
    for (size_t a = 0; a < j->n; a++)
        for (size_t b = 0; b <= a; b++)
            gsl_matrix_set(
                j->root, a, b,
                covariance(p, inverse, points[a], points[b]) + (a == b ? JITTER : 0) -
                    dot(p->n, j->projected + a * p->n, j->projected + b * p->n));
    return gsl_linalg_cholesky_decomp1(j->root) == GSL_SUCCESS ? 0 : -1;
}

static bool is_any_below(const struct joint *j, const double *offset, double limit)
{
    for (size_t a = 0; a < j->n; a++)
        if (j->mean[a] + offset[a] +
                dot(a + 1, gsl_matrix_const_ptr(j->root, a, 0), j->drawn) <
            limit)
            return true;
    return false;
}

int gcal_fit_process_any_below(struct gcal_fit_process *p, size_t n, const size_t *points,
                               const double *offset, double limit, size_t n_draws,
                               double *probability, struct gcal_error *err)
{
    struct joint j = { .n = n };
    double *inverse = inverse_squares(p);
    uint64_t state = DRAWS_SEED;
    size_t below = 0;
    int rc = -1;

    *probability = 0;
    j.mean = calloc(n + 1, sizeof(*j.mean));
    j.projected = calloc(n * p->n + 1, sizeof(*j.projected));
    j.drawn = calloc(n + 1, sizeof(*j.drawn));
    j.root = n ? gsl_matrix_calloc(n, n) : NULL;
    if (inverse && j.mean && j.projected && j.drawn && need_root(p) == 0)
        rc = n ? j.root ? joint_make(&j, p, inverse, points) : -1 : 0;
    for (size_t i = 0; rc == 0 && n && i < n_draws; i++) {
        /* Two normal variates from two random numbers (Box and Muller 1958). */
        for (size_t k = 0; k < n; k += 2) {
            double u = ((double)(gcal_random_next(&state) >> 11) + 0.5) * 0x1p-53;
            double v = ((double)(gcal_random_next(&state) >> 11) + 0.5) * 0x1p-53;
            double radius = sqrt(-2 * log(u));

            j.drawn[k] = radius * cos(2 * M_PI * v);
            if (k + 1 < n)
                j.drawn[k + 1] = radius * sin(2 * M_PI * v);
        }
        below += is_any_below(&j, offset, limit);
    }
    if (rc < 0)
        gcal_error_memory(err);
    else if (n_draws)
        *probability = (double)below / (double)n_draws;
    free(j.mean);
    free(j.projected);
    free(j.drawn);
    if (j.root)
        gsl_matrix_free(j.root);
    free(inverse);
    return rc;
}

/* ---- one normally distributed value ---- */

double gcal_fit_probability_below(double mean, double deviation, double limit)
{
    if (!(deviation > 0))
        return mean < limit;
    return 0.5 * erfc((mean - limit) / deviation * M_SQRT1_2);
}

double gcal_fit_expected_below(double mean, double deviation, double limit)
{
    double lead = limit - mean, z;

    if (!(deviation > 0))
        return fmax(lead, 0);
    z = lead / deviation;
    return lead * gcal_fit_probability_below(mean, deviation, limit) +
           deviation * exp(-0.5 * z * z) / sqrt(2 * M_PI);
}
