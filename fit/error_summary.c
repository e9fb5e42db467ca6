/* error_summary.c - how far predictions are from measured times */
#include "fit/error_summary.h"

#include <math.h>

#include <gsl/gsl_sort.h>

#include "kernels/base/arena.h"

#define LEAST_ERROR 1e-16
#define MAX_LOG     0.5

static void add_error(struct gcal_fit_mean_error *mean, double error)
{
    mean->sum_log += log(fmax(error, LEAST_ERROR));
    mean->worst = fmax(mean->worst, error);
    mean->n++;
}

void gcal_fit_mean_error_add(struct gcal_fit_mean_error *mean, double predicted_s,
                             double time_s)
{
    add_error(mean, fabs(predicted_s / time_s - 1));
}

double gcal_fit_mean_error(const struct gcal_fit_mean_error *mean)
{
    return mean->n ? exp(mean->sum_log / (double)mean->n) : NAN;
}

double gcal_fit_worst_error(const struct gcal_fit_mean_error *mean)
{
    return mean->n ? mean->worst : NAN;
}

/* 'errors' in ascending order. */
static double upper_bound_90(const double *errors, size_t n)
{
    size_t k = (size_t)ceil(0.9 * (double)(n + 1));

    return errors[(k < n ? k : n) - 1];
}

struct gcal_fit_error_summary
gcal_fit_summarize_errors(size_t count, const double *time_s, const double *predicted_s)
{
    struct gcal_fit_error_summary summary = { .rms = NAN,
                                              .mean_log = NAN,
                                              .mean_error = NAN,
                                              .error_90 = NAN,
                                              .absolute_90_s = NAN };
    struct gcal_arena *arena = gcal_arena_create();
    double *errors = gcal_arena_alloc(arena, count, sizeof(*errors));
    double *absolute_s = gcal_arena_alloc(arena, count, sizeof(*absolute_s));
    struct gcal_fit_mean_error mean = { 0 };
    double squares = 0, sum = 0;

    for (size_t i = 0; i < count; i++) {
        double ratio = predicted_s[i] / time_s[i], off;

        if (isnan(ratio))
            continue;
        off = fmin(fabs(log(ratio)), MAX_LOG);
        squares += pow(off, 2);
        sum += off;
        absolute_s[mean.n] = fabs(predicted_s[i] - time_s[i]);
        errors[mean.n] = fabs(ratio - 1);
        add_error(&mean, errors[mean.n]);
    }
    if (mean.n) {
        gsl_sort(errors, 1, mean.n);
        gsl_sort(absolute_s, 1, mean.n);
        summary.n = mean.n;
        summary.rms = sqrt(squares / (double)mean.n);
        summary.mean_log = sum / (double)mean.n;
        summary.mean_error = gcal_fit_mean_error(&mean);
        summary.error_90 = upper_bound_90(errors, mean.n);
        summary.absolute_90_s = upper_bound_90(absolute_s, mean.n);
    }
    gcal_arena_destroy(arena);
    return summary;
}

double gcal_fit_small_sample_factor(size_t n)
{
    static const double factor[] = { 1, 6.31, 2.32, 1.66, 1.40, 1.25, 1.16, 1.09, 1.04 };

    return n < sizeof(factor) / sizeof(*factor) ? factor[n] : 1;
}
