/* order_probability.c - probabilities of orders: multivariate normal integrals
 *
 * Genz 1992, "Numerical computation of multivariate normal probabilities", Journal of
 * Computational and Graphical Statistics 1(2).
 */
#include "fit/order_probability.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "calib/base/error.h"

/* Points of the integration: fewer in many dimensions. */
#define MOST_NUMBERS  400000
#define FEWEST_POINTS 1024
#define MOST_POINTS   8192

/* ---- the normal distribution ---- */

static double normal_below(double z)
{
    return 0.5 * erfc(-z * M_SQRT1_2);
}

/* Upper quantile of the normal distribution, by Newton's method on the logarithm of the
 * tail probability: concave, so that the start at the bound exp(-z^2 / 2) / 2 does not
 * overshoot.
 */
static double normal_above_inverse(double p)
{
    double tail = fmin(p, 1 - p), z;

    if (!(tail > 0))
        return p > 0.5 ? -HUGE_VAL : HUGE_VAL;
    z = sqrt(fmax(0, -2 * log(2 * tail)));
    for (int i = 0; i < 50; i++) {
        double above = normal_below(-z);
        double density = exp(-0.5 * z * z) / sqrt(2 * M_PI);
        double step = (log(above) - log(tail)) * above / density;

        z += step;
        if (fabs(step) < 1e-12)
            break;
    }
    return p < 0.5 ? z : -z;
}

static double positive(double lead, double variance)
{
    if (variance > 0)
        return normal_below(lead / sqrt(variance));
    return lead > 0 ? 1 : lead < 0 ? 0 : 0.5;
}

/* ---- pairs ---- */

/* Due to the parameters. */
static double difference_variance(const struct gcal_fit_order *c, size_t a, size_t b)
{
    const double *v = c->covariance;

    return v[a * c->n + a] + v[b * c->n + b] - v[a * c->n + b] - v[b * c->n + a];
}

double gcal_fit_order_faster(const struct gcal_fit_order *c, size_t a, size_t b)
{
    return positive(c->log_time[b] - c->log_time[a],
                    fmax(difference_variance(c, a, b), 2 * c->misfit * c->misfit));
}

/* ---- all ---- */

/* The leads of one kernel: how much longer its rivals take, as logarithms. */
struct leads {
    size_t n;
    double *mean;   /* n */
    double *factor; /* n x n: covariance, then its lower triangular root */
    double *drawn;  /* n: normal variates of a point */
    double *step;   /* n: between points of the integration */
};

/* The independent variance of each kernel (see order_probability.h). */
static void find_specific(const struct gcal_fit_order *c, double *specific)
{
    for (size_t x = 0; x < c->n; x++) {
        double nearest = INFINITY;

        for (size_t y = 0; y < c->n; y++)
            if (y != x)
                nearest = fmin(nearest, fmax(0, difference_variance(c, x, y)));
        specific[x] = fmax(0, c->misfit * c->misfit - nearest / 2);
    }
}

/* The kernels that have a chance to be faster than 'a', in 'rivals'; their number. */
static size_t find_rivals(const struct gcal_fit_order *c, const double *specific,
                          size_t a, size_t *rivals)
{
    size_t n = 0;

    for (size_t x = 0; x < c->n; x++)
        if (x != a &&
            positive(c->log_time[a] - c->log_time[x],
                     difference_variance(c, x, a) + specific[x] + specific[a]) > 1e-7)
            rivals[n++] = x;
    return n;
}

static int leads_create(struct leads *l, const struct gcal_fit_order *c,
                        const double *specific, size_t a, const size_t *rivals, size_t n,
                        struct gcal_error *err)
{
    double *block = calloc(n * (n + 3) + 1, sizeof(*block));

    if (!block)
        return gcal_error_memory(err);
    l->n = n;
    l->mean = block;
    l->drawn = block + n;
    l->step = block + 2 * n;
    l->factor = block + 3 * n;
    for (size_t i = 0; i < n; i++) {
        size_t x = rivals[i];

        l->mean[i] = c->log_time[x] - c->log_time[a];
        for (size_t j = 0; j <= i; j++) {
            size_t y = rivals[j];
            const double *v = c->covariance;

            l->factor[i * n + j] = v[x * c->n + y] - v[x * c->n + a] - v[a * c->n + y] +
                                   v[a * c->n + a] + specific[a] +
                                   (x == y ? specific[x] : 0);
        }
    }
    return 0;
}

/* Cholesky factorization, in place; a row that depends on earlier rows gets a diagonal of
 * 0.
 */
static void factorize(struct leads *l)
{
    size_t n = l->n;
    double *f = l->factor;

    for (size_t i = 0; i < n; i++) {
        double variance = f[i * n + i];

        for (size_t j = 0; j <= i; j++) {
            double rest = f[i * n + j];

            for (size_t k = 0; k < j; k++)
                rest -= f[i * n + k] * f[j * n + k];
            if (i == j)
                f[i * n + i] = rest > 64 * DBL_EPSILON * variance ? sqrt(rest) : 0;
            else
                f[i * n + j] = f[j * n + j] > 0 ? rest / f[j * n + j] : 0;
        }
    }
}

/* Square roots of primes: their multiples modulo 1 fill the unit cube evenly. */
static void choose_steps(struct leads *l)
{
    size_t found = 0;

    for (size_t candidate = 2; found < l->n; candidate++) {
        size_t d = 2;

        while (d * d <= candidate && candidate % d != 0)
            d++;
        if (d * d > candidate)
            l->step[found++] = sqrt((double)candidate);
    }
}

/* Each variable in turn is drawn from the part of its conditional distribution above 0;
 * the product of the probabilities of these parts is the integrand.
 */
static double at_point(struct leads *l, size_t point)
{
    double probability = 1;

    for (size_t i = 0; i < l->n && probability > 0; i++) {
        const double *row = &l->factor[i * l->n];
        double mean = l->mean[i], integer, u, above;

        for (size_t j = 0; j < i; j++)
            mean += row[j] * l->drawn[j];
        if (row[i] == 0) {
            probability *= mean > 0 ? 1 : mean < 0 ? 0 : 0.5;
            l->drawn[i] = 0;
            continue;
        }
        above = normal_below(mean / row[i]);
        u = fabs(2 * modf(((double)point + 0.5) * l->step[i], &integer) - 1);
        l->drawn[i] = normal_above_inverse(fmax(above * fmax(u, 1e-12), DBL_MIN));
        probability *= above;
    }
    return probability;
}

static double integrate(struct leads *l)
{
    size_t n_points = MOST_NUMBERS / (l->n + 1);
    double sum = 0;

    n_points = n_points < FEWEST_POINTS ? FEWEST_POINTS
               : n_points > MOST_POINTS ? MOST_POINTS
                                        : n_points;
    for (size_t point = 0; point < n_points; point++)
        sum += at_point(l, point);
    return sum / (double)n_points;
}

int gcal_fit_order_fastest(const struct gcal_fit_order *c, size_t a, double *probability,
                           struct gcal_error *err)
{
    size_t *rivals = calloc(c->n + 1, sizeof(*rivals)), n_rivals;
    double *specific = calloc(c->n + 1, sizeof(*specific));
    struct leads l = { 0 };
    int rc = rivals && specific ? 0 : gcal_error_memory(err);

    if (rc == 0) {
        find_specific(c, specific);
        n_rivals = find_rivals(c, specific, a, rivals);
        rc = leads_create(&l, c, specific, a, rivals, n_rivals, err);
    }
    if (rc == 0) {
        factorize(&l);
        choose_steps(&l);
        *probability = integrate(&l);
    }
    free(l.mean);
    free(specific);
    free(rivals);
    return rc;
}
