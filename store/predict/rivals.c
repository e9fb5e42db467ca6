/* rivals.c - probabilities of orders: multivariate normal integrals
 *
 * Genz 1992, "Numerical computation of multivariate normal probabilities", Journal of
 * Computational and Graphical Statistics 1(2).
 * Wichura 1988, "Algorithm AS 241: the percentage points of the normal distribution",
 * Applied Statistics 37.
 */
#include "store/predict/rivals.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "kernels/base/error.h"

/* Points of the integration: fewer in many dimensions. */
#define MOST_NUMBERS  400000
#define FEWEST_POINTS 1024
#define MOST_POINTS   8192

/* ---- the normal distribution ---- */

static double normal_below(double z)
{
    return 0.5 * erfc(-z * M_SQRT1_2);
}

/* Coefficients of a rational function, the highest power first: numerator, denominator. */
struct ratio {
    double above[8], below[8];
};

static double eval_ratio(const struct ratio *c, double x)
{
    double above = c->above[0], below = c->below[0];

    for (int i = 1; i < 8; i++) {
        above = above * x + c->above[i];
        below = below * x + c->below[i];
    }
    return above / below;
}

/* Upper quantile of the normal distribution, to 16 digits (Wichura 1988, algorithm AS 241):
 * around the middle, in the tails, and far out.
 */
static double normal_above_inverse(double p)
{
    static const struct ratio middle = {
        { 2509.0809287301226727, 33430.575583588128105, 67265.770927008700853,
          45921.953931549871457, 13731.693765509461125, 1971.5909503065514427,
          133.14166789178437745, 3.387132872796366608 },
        { 5226.495278852854561, 28729.085735721942674, 39307.89580009271061,
          21213.794301586595867, 5394.1960214247511077, 687.1870074920579083,
          42.313330701600911252, 1 },
    };
    static const struct ratio tail = {
        { 7.7454501427834140764e-4, .0227238449892691845833, .24178072517745061177,
          1.27045825245236838258, 3.64784832476320460504, 5.7694972214606914055,
          4.6303378461565452959, 1.42343711074968357734 },
        { 1.05075007164441684324e-9, 5.475938084995344946e-4, .0151986665636164571966,
          .14810397642748007459, .68976733498510000455, 1.6763848301838038494,
          2.05319162663775882187, 1 },
    };
    static const struct ratio far = {
        { 2.01033439929228813265e-7, 2.71155556874348757815e-5, .0012426609473880784386,
          .026532189526576123093, .29656057182850489123, 1.7848265399172913358,
          5.4637849111641143699, 6.6579046435011037772 },
        { 2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5,
          7.868691311456132591e-4, .0148753612908506148525, .13692988092273580531,
          .59983220655588793769, 1 },
    };
    double q = 0.5 - p, z;

    if (fabs(q) <= 0.425)
        return q * eval_ratio(&middle, 0.180625 - q * q);
    if (!(fmin(p, 1 - p) > 0))
        return p > 0.5 ? -HUGE_VAL : HUGE_VAL;
    z = sqrt(-log(fmin(p, 1 - p)));
    z = z <= 5 ? eval_ratio(&tail, z - 1.6) : eval_ratio(&far, z - 5);
    return q > 0 ? z : -z;
}

static double positive(double lead, double variance)
{
    if (variance > 0)
        return normal_below(lead / sqrt(variance));
    return lead > 0 ? 1 : lead < 0 ? 0 : 0.5;
}

/* ---- pairs ---- */

/* Of the difference of a and b, by their covariance. */
static double difference_variance(const double *v, size_t n, size_t a, size_t b)
{
    return v[a * n + a] + v[b * n + b] - v[a * n + b] - v[b * n + a];
}

static double parameter_variance(const struct gcal_rivals *c, size_t a, size_t b)
{
    return difference_variance(c->covariance, c->n, a, b);
}

static double device_variance(const struct gcal_rivals *c, size_t a, size_t b)
{
    return c->device ? difference_variance(c->device, c->n, a, b) : 0;
}

static double square(double x)
{
    return x * x;
}

double gcal_rivals_variance(const struct gcal_rivals *c, size_t a, size_t b)
{
    return fmax(parameter_variance(c, a, b),
                square(c->misfit[a]) + square(c->misfit[b])) +
           device_variance(c, a, b);
}

double gcal_rivals_faster(const struct gcal_rivals *c, size_t a, size_t b)
{
    return positive(c->log_time[b] - c->log_time[a], gcal_rivals_variance(c, a, b));
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

/* Of the leads over x and y. */
static double lead_covariance(const double *v, size_t n, size_t a, size_t x, size_t y)
{
    return v[x * n + y] - v[x * n + a] - v[a * n + y] + v[a * n + a];
}

static int leads_create(struct leads *l, const struct gcal_rivals *c,
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

            l->factor[i * n + j] =
                lead_covariance(c->covariance, c->n, a, x, y) +
                (c->device ? lead_covariance(c->device, c->n, a, x, y) : 0) +
                specific[a] + (x == y ? specific[x] : 0);
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

int gcal_rivals_fastest(const struct gcal_rivals *c, size_t a, double *probability,
                        struct gcal_error *err)
{
    size_t *rivals = calloc(c->n + 1, sizeof(*rivals)), n_rivals;
    double *specific = calloc(c->n + 1, sizeof(*specific));
    struct leads l = { 0 };
    int rc = rivals && specific ? 0 : gcal_error_memory(err);

    if (rc == 0) {
        /* The independent variance of each kernel (see rivals.h). */
        for (size_t x = 0; x < c->n; x++) {
            double nearest = INFINITY;

            for (size_t y = 0; y < c->n; y++)
                if (y != x)
                    nearest = fmin(nearest, fmax(0, parameter_variance(c, x, y)));
            specific[x] = fmax(0, square(c->misfit[x]) - nearest / 2);
        }
        /* The kernels that have a chance to be faster than 'a', in 'rivals'; their number. */
        n_rivals = 0;
        for (size_t x = 0; x < c->n; x++)
            if (x != a &&
                positive(c->log_time[a] - c->log_time[x],
                         parameter_variance(c, x, a) + device_variance(c, x, a) +
                             specific[x] + specific[a]) > 1e-7)
                rivals[n_rivals++] = x;
        rc = leads_create(&l, c, specific, a, rivals, n_rivals, err);
    }
    if (rc == 0) {
        size_t found = 0, n_points;
        double sum = 0;

        factorize(&l);
        /* Square roots of primes: their multiples modulo 1 fill the unit cube evenly. */
        for (size_t candidate = 2; found < l.n; candidate++) {
            size_t d = 2;

            while (d * d <= candidate && candidate % d != 0)
                d++;
            if (d * d > candidate)
                l.step[found++] = sqrt((double)candidate);
        }
        n_points = MOST_NUMBERS / (l.n + 1);
        n_points = n_points < FEWEST_POINTS ? FEWEST_POINTS
                   : n_points > MOST_POINTS ? MOST_POINTS
                                            : n_points;
        for (size_t point = 0; point < n_points; point++)
            sum += at_point(&l, point);
        *probability = sum / (double)n_points;
    }
    free(l.mean);
    free(specific);
    free(rivals);
    return rc;
}
