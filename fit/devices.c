/* devices.c - device factors of a type and their shrinkage */
#include <math.h>

#include "kernels/base/median.h"
#include "fit/fit.h"
#include "fit/private.h"

double gcal_fit_small_distance_factor(size_t n)
{
    static const double factor[] = { 1,     1,   1.196, 1.495, 1.363,
                                     1.206, 1.2, 1.14,  1.129, 1.107 };

    return n < sizeof(factor) / sizeof(*factor) ? factor[n]
                                                : (double)n / ((double)n - 0.8);
}

/* The standard error of a median of normal deviates, from their median distance. */
static double error_of_median(double distance, size_t n)
{
    return M_SQRT2 * sqrt(M_PI) / 2 * 1.4826 * gcal_fit_small_distance_factor(n) *
           distance / sqrt((double)n);
}

void gcal_fit_deviation(const double *predicted_s, const double *time_s, size_t n_rows,
                        double *factor, double *standard_error)
{
    struct gcal_arena *arena = gcal_arena_create();
    double *logs = gcal_arena_alloc(arena, n_rows, sizeof(*logs)), middle;

    *factor = 1;
    *standard_error = INFINITY;
    for (size_t i = 0; i < n_rows; i++)
        logs[i] = log(time_s[i] / predicted_s[i]);
    middle = gcal_median(logs, n_rows);
    if (n_rows)
        *factor = exp(middle);
    for (size_t i = 0; i < n_rows; i++)
        logs[i] = fabs(logs[i] - middle);
    if (n_rows > 1)
        *standard_error = *factor * error_of_median(gcal_median(logs, n_rows), n_rows);
    gcal_arena_destroy(arena);
}

/* ---- shrinkage ---- */

/* Relative errors below this are rounding. */
#define ERROR_FLOOR 1e-12

struct moments {
    size_t n;                     /* factors with an error */
    double weights, squares, sum; /* of weights, weights^2, weights * log(factor) */
};

static double log_variance(double factor, double error)
{
    return pow(fmax(error / factor, ERROR_FLOOR), 2);
}

static struct moments add_up(size_t n, const double *factor, const double *error)
{
    struct moments m = { 0 };

    for (size_t i = 0; i < n; i++) {
        double weight = 1 / log_variance(factor[i], error[i]);

        if (!isfinite(error[i]))
            continue;
        m.n++;
        m.weights += weight;
        m.squares += weight * weight;
        m.sum += weight * log(factor[i]);
    }
    return m;
}

/* R. DerSimonian and N. Laird, Controlled Clinical Trials 7, 1986: with Q the weighted
 * squares about the mean, E[Q] = n - 1 + tau^2 (sum w - sum w^2 / sum w).
 */
static double between_variance(size_t n, const double *factor, const double *error,
                               const struct moments *m)
{
    double q = 0;

    for (size_t i = 0; i < n; i++)
        if (isfinite(error[i]))
            q += pow(log(factor[i]) - m->sum / m->weights, 2) /
                 log_variance(factor[i], error[i]);
    return fmax((q - (double)(m->n - 1)) / (m->weights - m->squares / m->weights), 0);
}

/* Empirical Bayes: posterior mean and variance of a normal prior of variance 'between'
 * and an observation.  The last term accounts for the estimation of 'between' from n
 * devices (C. N. Morris, J. of the American Statistical Association 78, 1983).
 */
static void shrink_one(double factor, double error, double between, size_t n,
                       double *shrunk, double *shrunk_error)
{
    double observed = log_variance(factor, error);
    double keep = between / (between + observed);
    double variance =
        keep * observed + 2 / (double)(n - 1) * pow((1 - keep) * log(factor), 2);

    *shrunk = exp(keep * log(factor));
    *shrunk_error = *shrunk * sqrt(variance);
}

void gcal_fit_shrink(size_t n, const double *factor, const double *error, double *shrunk,
                     double *shrunk_error, double *between)
{
    struct moments m = add_up(n, factor, error);
    double variance = NAN;

    if (m.n >= 2)
        variance = between_variance(n, factor, error, &m);
    *between = sqrt(variance);
    for (size_t i = 0; i < n; i++) {
        shrunk[i] = 1;
        shrunk_error[i] = error[i];
        if (m.n < 2)
            continue;
        if (isfinite(error[i]))
            shrink_one(factor[i], error[i], variance, m.n, &shrunk[i], &shrunk_error[i]);
        else /* nothing is known of it but its type */
            shrunk_error[i] = *between;
    }
}
