/* pulse.c - what disturbs a device is noticed while it is measured
 *
 * The pulse is a kernel that is timed again and again.  While it takes longer than after the
 * warm-up, something else uses the device or slows it down; and while many launches begin
 * late, they wait for their turn with another program: the plan waits, and what was measured
 * since the pulse before is measured again.  A device that stays so is either in use by others,
 * which the vendor's library can say, and is given up; or it is slower now,
 * which the results find from the order of the samples (fit/speed.h).
 *
 * Not on CPUs: the host's other work always shows, and the medians of many samples bear it.
 */
#include <math.h>

#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "calib/plan/private.h"
#include "fit/fit.h"

/* A pulse after so much measuring: samples are held back for no longer. */
#define EVERY_S  0.5
#define LAUNCHES 3

/* Clocks and temperatures make smaller differences. */
#define TOLERANCE 1.1

/* Drivers let programs take turns of about 2 ms.  Beside another one, half and more of the
 * launches on an H100 began 2 ms late; alone, none of 4150 more than 0.1 ms.  With some drivers
 * launches are always late.
 */
#define LATE_S     0.3e-3
#define LATE_TIMES 10.0 /* the least gap, of drivers with long ones */
#define LATE_SHARE 0.2  /* of the launches since the last pulse */

/* Waiting ends at the first of these. */
#define WAIT_S     10.0
#define WAIT_SHARE 0.1 /* of the budget */
#define LOOK_S     0.1 /* between looks */

/* The vendor's library has the share of about the last second. */
#define REST_S 1.0
#define BUSY   0.1

static double longest_wait_s(const struct gcal_plan *plan)
{
    return fmin(WAIT_S, WAIT_SHARE * plan->options->budget_s);
}

static void rest(const struct gcal_plan *plan, double seconds)
{
    double end_s = gcal_clock_now_s() + seconds;

    while (gcal_clock_now_s() < end_s) {
        gcal_plan_report_progress(plan, "waiting for an idle device", plan->n_finished,
                                  plan->n_rows - plan->n_left_out);
        gcal_clock_sleep_s(fmin(seconds, LOOK_S));
    }
}

/* The share of the time that programs use the device; NaN: unknown. */
static double use_of(const struct gcal_plan *plan)
{
    return plan->ops->busy ? plan->ops->busy(plan->ops->context) : NAN;
}

/* The share of others in the device, while gpucal does not use it; 0: unknown. */
static double busy_share(const struct gcal_plan *plan)
{
    double share = use_of(plan);

    return share >= BUSY ? share : 0;
}

static int give_up(struct gcal_plan *plan, double share)
{
    plan->others = true;
    return gcal_error_set(
        plan->err, GCAL_EDEVICE,
        "%s on %s is in use by others, for %.0f %% of the time: its times "
        "would be theirs, too; calibrate it when it is idle",
        plan->info->name, plan->node, 100 * share);
}

int gcal_plan_await_idle(struct gcal_plan *plan)
{
    double end_s = gcal_clock_now_s() + longest_wait_s(plan), share = busy_share(plan);

    if (share) { /* that of the second before: perhaps of a program that ends */
        rest(plan, REST_S);
        share = busy_share(plan);
    }
    if (!share)
        return 0;
    gcal_log(GCAL_LOG_WARN,
             "%s: in use by others, for %.0f %% of the time: waiting %.0f s",
             plan->info->name, 100 * share, longest_wait_s(plan));
    while (share && gcal_clock_now_s() < end_s) {
        rest(plan, REST_S);
        share = busy_share(plan);
    }
    return share ? give_up(plan, share) : 0;
}

/* ---- the pulse ---- */

void gcal_plan_pulse_begin(struct gcal_plan *plan, struct gcal_plan_row *row)
{
    if (gcal_plan_needs_host(plan))
        return;
    plan->pulse = (struct gcal_plan_pulse){ .kernel = row->kernel,
                                            .worker = plan->worker,
                                            .time_s = row->first_s,
                                            .good_order = plan->order,
                                            .least_gap_s = plan->pulse.least_gap_s,
                                            .late_counts = !isnan(use_of(plan)) };
}

void gcal_plan_pulse_note(struct gcal_plan *plan, const struct gcal_kernel *kernel,
                          const struct gcal_measurement_sample *samples, size_t n)
{
    struct gcal_plan_pulse *p = &plan->pulse;

    if (kernel->timing == GCAL_TIMING_HOST)
        return;
    for (size_t i = 0; i < n; i++) {
        double gap_s = samples[i].host_s - samples[i].time_s;

        if (gap_s > 0 && (!p->least_gap_s || gap_s < p->least_gap_s))
            p->least_gap_s = gap_s;
        p->n_launches++;
        p->n_late += gap_s > fmax(LATE_S, LATE_TIMES * p->least_gap_s);
    }
}

static bool are_late(const struct gcal_plan_pulse *p, double share)
{
    return (double)p->n_late > share * (double)p->n_launches;
}

/* Its time relative to that after the warm-up, in 'ratio'; 1 if it cannot be taken. */
static int take(struct gcal_plan *plan, double *ratio)
{
    struct gcal_measurement_sample samples[LAUNCHES];
    struct gcal_error why = { 0 };
    double least_s = INFINITY;

    /* In a new worker, too. */
    struct gcal_plan_row row = { .kernel = plan->pulse.kernel,
                                 .first_s = plan->pulse.time_s };
    enum gcal_measurement_status status = GCAL_MEASUREMENT_LAUNCH_FAILED;
    enum gcal_worker_outcome outcome = GCAL_WORKER_DONE;
    if (plan->pulse.worker != plan->worker)
        outcome = plan->ops->prepare(plan->ops->context, row.kernel,
                                     plan->options->kernel_limit_s, &row.first_s, &status,
                                     &why);
    plan->pulse.worker = plan->worker;
    if (outcome == GCAL_WORKER_DONE)
        outcome = gcal_plan_launch(plan, &row, LAUNCHES, samples, &status, &why);
    *ratio = 1;
    if (outcome == GCAL_WORKER_DONE) {
        gcal_plan_pulse_note(plan, plan->pulse.kernel, samples, LAUNCHES);
        for (size_t i = 0; i < LAUNCHES; i++)
            least_s = fmin(least_s, samples[i].time_s);
        *ratio = least_s / plan->pulse.time_s;
        return 0;
    }
    plan->pulse.kernel = NULL;
    if (outcome == GCAL_WORKER_REFUSED)
        return 0;
    plan->failures++;
    return gcal_plan_restart_worker(plan, why.text);
}

static int drop_since(struct gcal_plan *plan, struct gcal_plan_row *row, uint64_t order)
{
    size_t n = row->m.n_samples;

    while (n && row->m.samples[n - 1].order >= order)
        n--;
    if (n == row->m.n_samples)
        return 0;
    plan->n_disturbed += row->m.n_samples - n;
    row->m.n_samples = n;
    row->m.stop = GCAL_MEASUREMENT_STOP_NONE;
    row->mark = 0;
    return n ? gcal_fit_median_time(row->m.samples, n, &row->first_s, &row->spread,
                                    plan->err)
             : 0;
}

/* What was measured since the last pulse that was as it should be. */
static int drop_all(struct gcal_plan *plan)
{
    for (size_t i = 0; i < plan->n_rows; i++)
        if (!plan->rows[i].finished &&
            drop_since(plan, &plan->rows[i], plan->pulse.good_order) < 0)
            return -1;
    return 0;
}

static bool is_disturbed(const struct gcal_plan *plan, double ratio)
{
    return ratio > TOLERANCE ||
           (plan->pulse.late_counts && are_late(&plan->pulse, LATE_SHARE));
}

/* Waits until the pulse is as it was; '*ratio' is that of the last one. */
static int wait_out(struct gcal_plan *plan, double *ratio)
{
    double from_s = gcal_clock_now_s(), end_s = from_s + longest_wait_s(plan), share;

    if (*ratio > TOLERANCE)
        gcal_log(GCAL_LOG_WARN,
                 "%s: %s takes %.2g times as long as before: waiting %.0f s at most for "
                 "the end of what disturbs it",
                 plan->info->name, plan->pulse.kernel->name, *ratio,
                 longest_wait_s(plan));
    else
        gcal_log(GCAL_LOG_WARN,
                 "%s: %zu of %zu launches began late, as beside another program: waiting "
                 "%.0f s at most for its end",
                 plan->info->name, plan->pulse.n_late, plan->pulse.n_launches,
                 longest_wait_s(plan));
    do {
        rest(plan, LOOK_S);
        plan->pulse.n_launches = plan->pulse.n_late = 0;
        if (take(plan, ratio) < 0)
            return -1;
    } while (plan->pulse.kernel && is_disturbed(plan, *ratio) &&
             gcal_clock_now_s() < end_s);
    if (plan->pulse.kernel && is_disturbed(plan, *ratio)) {
        rest(plan, REST_S);
        if ((share = busy_share(plan)))
            return give_up(plan, share);
        plan->pulse.late_counts = false;
        if (*ratio > TOLERANCE)
            plan->pulse.time_s *= *ratio; /* so it is slower now */
    } else if (drop_all(plan) < 0) {
        return -1;
    }
    plan->spent_s[GCAL_PLAN_SPENT_DISTURBED] += gcal_clock_now_s() - from_s;
    return 0;
}

static bool has_pulse(const struct gcal_plan *plan)
{
    return plan->pulse.kernel && gcal_plan_elapsed_s(plan) < plan->options->budget_s;
}

int gcal_plan_pulse_take(struct gcal_plan *plan)
{
    double ratio = 1;

    if (has_pulse(plan)) {
        if (take(plan, &ratio) < 0)
            return -1;
        if (is_disturbed(plan, ratio) && wait_out(plan, &ratio) < 0)
            return -1;
        if (!are_late(&plan->pulse, LATE_SHARE / 2))
            plan->pulse.late_counts = true;
        if (ratio < 1 / TOLERANCE) /* it was disturbed when it was first taken */
            plan->pulse.time_s *= ratio;
    }
    plan->pulse.work_s = 0;
    plan->pulse.n_launches = plan->pulse.n_late = 0;
    plan->pulse.good_order = plan->order;
    /* Rows that have enough samples. */
    for (size_t i = 0; i < plan->n_rows; i++)
        if (!plan->rows[i].finished && plan->rows[i].m.stop &&
            gcal_plan_finish(plan, &plan->rows[i], GCAL_MEASUREMENT_GOOD, NULL) < 0)
            return -1;
    return 0;
}

bool gcal_plan_pulse_is_due(const struct gcal_plan *plan)
{
    return !has_pulse(plan) || plan->pulse.work_s >= EVERY_S;
}
