/* few.c - a kernel's time from as few launches as suffice */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/median.h"
#include "calib/device/private.h"

/* A first launch touches memory for the first time and finds low clocks: only one that
 * takes so many times as long as the limit shows that the next ones exceed it, too.
 */
#define COLD_FACTOR 3.0

/* Relative standard error of the median of normally distributed times; NaN for one. */
static double error_of(const double *times, size_t n)
{
    double mean = 0, sum = 0;

    for (size_t i = 0; i < n; i++)
        mean += times[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        sum += (times[i] - mean) * (times[i] - mean);
    return n < 2 ? NAN
                 : sqrt(M_PI / 2 * sum / (double)(n - 1) / (double)n) / fmax(mean, 1e-12);
}

struct timed {
    struct gcal_device *cl;
    const struct gcal_device_job *job;
    const struct gcal_device_bound_job *bound;
    const struct gcal_launches_rule *rule;
    enum gcal_measurement_status *status;
    struct gcal_error *err;
};

static int once(const struct timed *t, double *time_s)
{
    struct gcal_measurement_sample sample = { 0 };
    int rc = gcal_device_run(t->cl, t->job, t->bound, &sample, t->status, t->err);

    *time_s = sample.time_s;
    return rc;
}

static int warm_up(const struct timed *t, double *last_s)
{
    double began_s = gcal_clock_now_s();

    do {
        if (once(t, last_s) < 0)
            return -1;
    } while (*last_s <= COLD_FACTOR * t->rule->enough_s &&
             gcal_clock_now_s() - began_s < t->rule->warm_s);
    return 0;
}

/* 'least_s': the shortest launch so far; a single long one may be a disturbance. */
static int take(const struct timed *t, double least_s, double *times,
                struct gcal_launches_time *found)
{
    double spent_s = 0;
    size_t n = 0;

    while (!found->abandoned &&
           (n < t->rule->fewest || (n < t->rule->most && spent_s <= t->rule->spend_s &&
                                    !(error_of(times, n) <= t->rule->error)))) {
        if (once(t, &times[n]) < 0)
            return -1;
        spent_s += times[n];
        least_s = fmin(least_s, times[n++]);
        found->abandoned = least_s > t->rule->enough_s;
    }
    found->launches = n;
    found->error = error_of(times, n);
    found->median_s = found->abandoned ? least_s : gcal_median(times, n);
    return 0;
}

int gcal_device_time(struct gcal_device *cl, const struct gcal_device_job *job,
                     const struct gcal_launches_rule *rule,
                     struct gcal_launches_time *found,
                     enum gcal_measurement_status *status, struct gcal_error *err)
{
    struct gcal_device_bound_job bound;
    const struct timed t = { cl, job, &bound, rule, status, err };
    int rc = -1;

    *found = (struct gcal_launches_time){ 0 };
    if (gcal_device_bind_pool(cl, job, &bound, status, err) < 0)
        return -1;
    found->build_s = bound.program ? bound.program->build_s : 0;
    double *times = calloc(rule->most + 1, sizeof(*times)), cold_s;
    if (!times) {
        gcal_error_memory(err);
    } else if (warm_up(&t, &cold_s) == 0) {
        found->abandoned = cold_s > COLD_FACTOR * rule->enough_s;
        found->median_s = cold_s / COLD_FACTOR;
        rc = found->abandoned ? 0 : take(&t, cold_s, times, found);
    }
    free(times);
    gcal_device_unbind(&bound);
    return rc;
}
