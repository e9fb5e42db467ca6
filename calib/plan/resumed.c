/* resumed.c - whether a device is as fast as when the run was interrupted */
#include <math.h>
#include <stdlib.h>

#include "kernels/base/clock.h"
#include "calib/plan/private.h"
#include "fit/fit.h"

enum {
    N_KERNELS = 3, /* measured again */
    N_LAUNCHES = 5,
};

#define SAME_RATIO 1.1 /* of medians */
#define LIMIT_S    3.0 /* a kernel; clocks rise, and other work ends */

/* A kernel that was measured before. */
struct again {
    const struct gcal_kernel *kernel;
    double before_s, now_s;
};

/* The longest ones, which load the device and depend least on its launches. */
static size_t choose(const struct gcal_plan *plan, const struct gcal_kernel_list *kernels,
                     struct again *chosen)
{
    size_t n = 0;

    for (size_t i = 0; i < kernels->n_kernels; i++) {
        const struct gcal_kernel *kernel = kernels->kernels[i];
        const struct gcal_plan_done *done = gcal_plan_find_done(plan, kernel);
        size_t at = n;

        if (!done || !(done->time_s > 0) || gcal_kernel_is_transfer(kernel))
            continue;
        while (at && chosen[at - 1].before_s < done->time_s)
            at--;
        if (at == N_KERNELS)
            continue;
        n += n < N_KERNELS;
        for (size_t k = n - 1; k > at; k--)
            chosen[k] = chosen[k - 1];
        chosen[at] = (struct again){ .kernel = kernel, .before_s = done->time_s };
    }
    return n;
}

static bool is_same(double before_s, double now_s)
{
    return now_s < before_s * SAME_RATIO && before_s < now_s * SAME_RATIO;
}

/* 1: it cannot be measured, which says nothing of the speed; a worker that was lost is
 * replaced.
 */
static int measure(struct gcal_plan *plan, struct again *again)
{
    const struct gcal_plan_device_ops *ops = plan->ops;
    double limit_s = plan->options->kernel_limit_s, start_s = gcal_clock_now_s(), spread;
    struct gcal_measurement_sample samples[N_LAUNCHES];
    enum gcal_measurement_status status = GCAL_MEASUREMENT_LAUNCH_FAILED;
    struct gcal_error why = { 0 };
    double first_s;
    enum gcal_worker_outcome outcome =
        ops->prepare(ops->context, again->kernel, limit_s, &first_s, &status, &why);

    while (outcome == GCAL_WORKER_DONE) {
        outcome = ops->measure(ops->context, again->kernel, N_LAUNCHES, limit_s, samples,
                               &status, &why);
        if (outcome != GCAL_WORKER_DONE)
            break;
        if (gcal_fit_median_time(samples, N_LAUNCHES, &again->now_s, &spread, plan->err) <
            0)
            return -1;
        if (is_same(again->before_s, again->now_s) ||
            gcal_clock_now_s() - start_s > LIMIT_S)
            return 0;
        gcal_plan_report_progress(plan, "comparing with the interrupted run", 0, 0);
    }
    if (outcome == GCAL_WORKER_REFUSED)
        return 1;
    plan->failures++;
    return gcal_plan_restart_worker(plan, why.text) < 0 ? -1 : 1;
}

static int compare(const void *a, const void *b)
{
    const struct again *p = a, *q = b;
    double x = p->now_s / p->before_s, y = q->now_s / q->before_s;

    return (x > y) - (x < y);
}

int gcal_plan_check_resumed(struct gcal_plan *plan,
                            const struct gcal_kernel_list *kernels)
{
    struct again chosen[N_KERNELS], *middle;
    size_t n = choose(plan, kernels, chosen), n_measured = 0;

    for (size_t i = 0; i < n; i++) {
        int rc = measure(plan, &chosen[i]);

        if (rc < 0)
            return -1;
        if (rc == 0)
            chosen[n_measured++] = chosen[i];
    }
    if (!n_measured)
        return 0;
    qsort(chosen, n_measured, sizeof(*chosen), compare);
    middle = &chosen[n_measured / 2];
    if (is_same(middle->before_s, middle->now_s))
        return 0;
    return gcal_error_set(plan->err, GCAL_EDEVICE,
                          "its speed is another than when the run was interrupted: %s "
                          "takes %.3g s instead of %.3g s; what was measured of it does "
                          "not count: calibrate it in a new run",
                          middle->kernel->name, middle->now_s, middle->before_s);
}
