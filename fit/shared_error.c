/* shared_error.c - an error that all times of a device share, from the order of its visits
 *
 * log(time) of a visit = level of the kernel + state of the device in that block of the run + noise.
 * The state is a stationary process whose correlation falls exponentially with the distance
 * of two launches; how large it is and how long it lasts follow from the data, as the mean over
 * all that may be, weighted by the likelihood of the differences between blocks (a run
 * that is hardly longer than the state lasts does not tell exactly).  The levels take part
 * as unknowns: kernels that were visited twice only are no worse than others.
 */
#include "fit/shared_error.h"

#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>

#include "kernels/base/median.h"
#include "fit/private.h"
#include "fit/speed.h"

enum {
    MAX_BLOCKS = 16,
    LEAST_BLOCKS = 4,
    N_SIZES = 13,
    N_LENGTHS = 9,
};

/* What is less is far below what models err by. */
#define LEAST 0.005

/* A visit that is further from its kernel's median counts as one this far, in scales of all. */
#define BOUND_SCALES 4

/* The grid of the state's sizes, in standard deviations of a visit's noise, and of its lengths, in
 * lengths of the run.
 */
#define LEAST_SIZE   0.0625
#define STEP_SIZE    2
#define LEAST_LENGTH 0.01
#define STEP_LENGTH  1.778

struct visit {
    size_t kernel, block;
    uint64_t order;
    double x;
};

struct blocks {
    size_t n; /* blocks, of equally many visits */
    size_t n_visits, n_kernels;
    double *visits; /* n: visits of each */
    gsl_matrix *a;  /* n x n: information on the states, when the levels are unknown */
    gsl_vector
        *y; /* n: the same of the data: a * states + noise of covariance noise * a */
    double noise; /* variance of a visit */
};

/* ---- the visits ---- */

static int by_kernel(const void *a, const void *b)
{
    const struct visit *p = a, *q = b;

    return (p->kernel > q->kernel) - (p->kernel < q->kernel);
}

static int by_order(const void *a, const void *b)
{
    const struct visit *p = a, *q = b;

    return (p->order > q->order) - (p->order < q->order);
}

/* Takes the visits from the median of their kernel, and bounds them; numbers the kernels: their
 * number.
 */
static size_t centre(struct visit *v, size_t n, double *work)
{
    size_t n_kernels = 0;
    double scale;

    qsort(v, n, sizeof(*v), by_kernel);
    for (size_t first = 0, end; first < n; first = end, n_kernels++) {
        size_t kernel = v[first].kernel;
        double middle;

        for (end = first; end < n && v[end].kernel == kernel; end++)
            work[end - first] = v[end].x;
        middle = gcal_median(work, end - first);
        for (size_t i = first; i < end; i++) {
            v[i].x -= middle;
            v[i].kernel = n_kernels;
        }
    }
    for (size_t i = 0; i < n; i++)
        work[i] = fabs(v[i].x);
    scale = 1.4826 * gcal_median(work, n);
    for (size_t i = 0; i < n; i++)
        v[i].x = fmax(-BOUND_SCALES * scale, fmin(v[i].x, BOUND_SCALES * scale));
    return n_kernels;
}

/* ---- blocks ---- */

/* Adds the visits of one kernel, whose level takes their mean away; 'count': work, n. */
static double add_kernel(struct blocks *b, const struct visit *v, size_t n, double *count)
{
    double mean = 0, squares = 0;

    for (size_t i = 0; i < b->n; i++)
        count[i] = 0;
    for (size_t i = 0; i < n; i++) {
        mean += v[i].x / (double)n;
        count[v[i].block]++;
    }
    for (size_t i = 0; i < n; i++) {
        *gsl_vector_ptr(b->y, v[i].block) += v[i].x - mean;
        squares += (v[i].x - mean) * (v[i].x - mean);
    }
    for (size_t i = 0; i < b->n; i++) {
        b->visits[i] += count[i];
        *gsl_matrix_ptr(b->a, i, i) += count[i];
        for (size_t j = 0; j < b->n; j++)
            *gsl_matrix_ptr(b->a, i, j) -= count[i] * count[j] / (double)n;
    }
    return squares;
}

/* A covariance of all blocks but the last, which follows from the others: its root; false if it has
 * none.
 */
static bool root_of(const gsl_matrix *full, gsl_matrix *root)
{
    for (size_t i = 0; i < root->size1; i++)
        for (size_t j = 0; j < root->size2; j++)
            gsl_matrix_set(root, i, j, gsl_matrix_get(full, i, j));
    return gsl_linalg_cholesky_decomp1(root) == GSL_SUCCESS;
}

/* y' full^-1 y, and with 'log_determinant' that of 'full'. */
static double square_of(const gsl_matrix *root, const gsl_vector *y, gsl_vector *work,
                        double *log_determinant)
{
    double sum = 0;

    for (size_t i = 0; i < work->size; i++)
        gsl_vector_set(work, i, gsl_vector_get(y, i));
    gsl_linalg_cholesky_svx(root, work);
    *log_determinant = 0;
    for (size_t i = 0; i < work->size; i++) {
        sum += gsl_vector_get(work, i) * gsl_vector_get(y, i);
        *log_determinant += 2 * log(gsl_matrix_get(root, i, i));
    }
    return sum;
}

/* 1: the visits do not tell. */
static int fill_blocks(struct blocks *b, struct visit *v, gsl_matrix *root,
                       gsl_vector *work, double *count)
{
    double squares = 0, log_determinant, freedom;

    qsort(v, b->n_visits, sizeof(*v), by_order);
    for (size_t i = 0; i < b->n_visits; i++)
        v[i].block = i * b->n / b->n_visits;
    qsort(v, b->n_visits, sizeof(*v), by_kernel);
    for (size_t first = 0, end; first < b->n_visits; first = end) {
        for (end = first; end < b->n_visits && v[end].kernel == v[first].kernel;)
            end++;
        squares += add_kernel(b, &v[first], end - first, count);
    }
    freedom = (double)b->n_visits - (double)b->n_kernels - (double)(b->n - 1);
    if (!root_of(b->a, root)) /* some blocks have no kernel in common with others */
        return 1;
    b->noise = (squares - square_of(root, b->y, work, &log_determinant)) / freedom;
    return b->noise > 0 ? 0 : 1;
}

/* ---- the state ---- */

/* The correlation of the states' means over blocks i and j, for blocks of 'x' lengths. */
static double correlation(size_t i, size_t j, double x)
{
    double distance = fabs((double)i - (double)j);

    if (i == j)
        return 2 * (x - 1 + exp(-x)) / (x * x);
    return exp(-(distance - 1) * x) * pow((1 - exp(-x)) / x, 2);
}

/* a r a, and the variance of the mean of all visits, both for a state of variance 1. */
static double states(const struct blocks *b, double length, gsl_matrix *ara,
                     gsl_matrix *work)
{
    double x = 1 / (length * (double)b->n), variance = 0;

    for (size_t i = 0; i < b->n; i++)
        for (size_t j = 0; j < b->n; j++) {
            double sum = 0;

            for (size_t k = 0; k < b->n; k++)
                sum += gsl_matrix_get(b->a, i, k) * correlation(k, j, x);
            gsl_matrix_set(work, i, j, sum);
            variance += b->visits[i] * b->visits[j] * correlation(i, j, x);
        }
    for (size_t i = 0; i < b->n; i++)
        for (size_t j = 0; j < b->n; j++) {
            double sum = 0;

            for (size_t k = 0; k < b->n; k++)
                sum += gsl_matrix_get(work, i, k) * gsl_matrix_get(b->a, k, j);
            gsl_matrix_set(ara, i, j, sum);
        }
    return variance / pow((double)b->n_visits, 2);
}

/* The mean of the variances of all that may be, weighted by how likely the data are then. */
static double mean_variance(const struct blocks *b, gsl_matrix *ara, gsl_matrix *full,
                            gsl_matrix *root, gsl_vector *work)
{
    double likelihood[N_LENGTHS * N_SIZES], variance[N_LENGTHS * N_SIZES];
    double most = -INFINITY, sum = 0, weights = 0;
    size_t n = 0;

    for (int i = 0; i < N_LENGTHS; i++) {
        double of_one = states(b, LEAST_LENGTH * pow(STEP_LENGTH, i), ara, full);

        for (int j = 0; j < N_SIZES; j++) {
            double state = b->noise * pow(LEAST_SIZE * pow(STEP_SIZE, j), 2);
            double square, log_determinant;

            gsl_matrix_memcpy(full, ara);
            gsl_matrix_scale(full, state);
            for (size_t k = 0; k < b->n; k++)
                for (size_t l = 0; l < b->n; l++)
                    *gsl_matrix_ptr(full, k, l) += b->noise * gsl_matrix_get(b->a, k, l);
            if (!root_of(full, root))
                continue;
            square = square_of(root, b->y, work, &log_determinant);
            likelihood[n] = -(square + log_determinant) / 2;
            variance[n] = state * of_one;
            most = fmax(most, likelihood[n++]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        double weight = exp(likelihood[i] - most);

        weights += weight;
        sum += weight * variance[i];
    }
    return n ? sum / weights : 0;
}

static double estimate(struct gcal_arena *arena, struct visit *v, size_t n,
                       size_t n_kernels)
{
    size_t n_blocks = (n - n_kernels) / 2;
    double squares = 0, error = 0;
    int rc = 1;

    for (size_t i = 0; i < n; i++)
        squares += v[i].x * v[i].x;
    if (squares <= LEAST * LEAST * (double)n) /* it cannot be more than the scatter */
        return 0;
    gcal_fit_quiet_gsl();
    n_blocks = n_blocks < MAX_BLOCKS ? n_blocks : MAX_BLOCKS;
    /* So many blocks do not tell where some have no kernel in common with others. */
    for (; n_blocks >= LEAST_BLOCKS && rc == 1; n_blocks /= 2) {
        struct blocks b = { .n = n_blocks, .n_visits = n, .n_kernels = n_kernels };
        gsl_matrix *ara = gcal_fit_matrix(arena, b.n, b.n);
        gsl_matrix *full = gcal_fit_matrix(arena, b.n, b.n);
        gsl_matrix *root = gcal_fit_matrix(arena, b.n - 1, b.n - 1);
        gsl_vector *work = gcal_fit_vector(arena, b.n - 1);

        b.a = gcal_fit_matrix(arena, b.n, b.n);
        b.y = gcal_fit_vector(arena, b.n);
        b.visits = gcal_arena_alloc(arena, b.n, sizeof(*b.visits));
        rc = fill_blocks(&b, v, root, work, gcal_arena_alloc(arena, b.n, sizeof(double)));
        if (rc == 0)
            error = sqrt(mean_variance(&b, ara, full, root, work));
    }
    return error < LEAST ? 0 : error;
}

double gcal_fit_shared_error(const struct gcal_fit_visit *visits, size_t n)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct visit *v = gcal_arena_alloc(arena, n, sizeof(*v));
    double *work = gcal_arena_alloc(arena, n, sizeof(*work)), error = 0;

    for (size_t i = 0; i < n; i++)
        v[i] = (struct visit){ .kernel = visits[i].kernel,
                               .order = visits[i].order,
                               .x = log(visits[i].time_s) };
    if (n)
        error = estimate(arena, v, n, centre(v, n, work));
    gcal_arena_destroy(arena);
    return error;
}
