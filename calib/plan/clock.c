/* clock.c - whether the device's events count the time as the host's clock does
 *
 * By the kernels that were measured; of a GPU whose kernels are all short, by many launches of some
 * of them as one run.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "calib/plan/private.h"
#include "calib/plan/sweep.h"
#include "fit/clock.h"

/* Runs of many launches: how long they take, how many of a kernel, and most launches of one. */
#define RUN_S 20e-3
enum { N_RUNS = 3, MOST_LAUNCHES = 4096 };

static bool is_timed(const struct gcal_plan_row *row)
{
    return row->measured && row->fastest.host_s > 0 &&
           row->kernel->timing != GCAL_TIMING_HOST &&
           !gcal_kernel_is_transfer(row->kernel);
}

/* As one run of about RUN_S; false if it cannot be measured, which says nothing of the clock. */
static bool run_many(struct gcal_plan *plan, const struct gcal_plan_row *row,
                     struct gcal_fit_launch *fastest)
{
    struct gcal_measurement_sample samples[N_RUNS];
    enum gcal_measurement_status status = GCAL_MEASUREMENT_LAUNCH_FAILED;
    struct gcal_error why = { 0 };
    struct gcal_kernel many = *row->kernel;
    struct gcal_plan_row of_many = { .kernel = &many, .first_s = RUN_S };
    char launches[24];
    double first_s;

    snprintf(launches, sizeof(launches), "%.0f",
             fmin(ceil(RUN_S / fmax(row->first_s, 1e-9)), MOST_LAUNCHES));
    many.launches = launches;
    if (plan->ops->prepare(plan->ops->context, &many, plan->options->kernel_limit_s,
                           &first_s, &status, &why) != GCAL_WORKER_DONE ||
        gcal_plan_launch(plan, &of_many, N_RUNS, samples, &status, &why) !=
            GCAL_WORKER_DONE)
        return false;
    fastest->host_s = INFINITY;
    for (size_t i = 0; i < N_RUNS; i++)
        if (samples[i].host_s < fastest->host_s)
            *fastest = (struct gcal_fit_launch){ samples[i].time_s, samples[i].host_s };
    return true;
}

/* Whether a smaller kernel of the family ended so. */
static bool has_smaller(const struct gcal_plan *plan, const struct gcal_plan_row *row,
                        enum gcal_measurement_status status)
{
    double size = gcal_plan_product_of_sizes(row->kernel);

    for (size_t i = 0; i < plan->n_rows; i++)
        if (plan->rows[i].finished && plan->rows[i].status == status &&
            strcmp(plan->rows[i].kernel->family, row->kernel->family) == 0 &&
            gcal_plan_product_of_sizes(plan->rows[i].kernel) < size)
            return true;
    return false;
}

/* Events that last longer than the host waits are refused one by one.  By a clock that counts too
 * much, those of long kernels are, and what is left are the short ones, whose launching hides it;
 * a coarse clock has no times of the short ones.
 */
static int check_refused(const struct gcal_plan *plan)
{
    size_t n_refused = 0, n_good = 0;

    for (size_t i = 0; i < plan->n_rows; i++) {
        const struct gcal_plan_row *row = &plan->rows[i];

        if (!row->finished)
            continue;
        n_refused += row->status == GCAL_MEASUREMENT_BAD_EVENTS &&
                     has_smaller(plan, row, GCAL_MEASUREMENT_GOOD);
        n_good += row->status == GCAL_MEASUREMENT_GOOD &&
                  has_smaller(plan, row, GCAL_MEASUREMENT_BAD_EVENTS);
    }
    if (n_refused < GCAL_FIT_CLOCK_LEAST || n_refused <= n_good)
        return 0;
    return gcal_error_set(
        plan->err, GCAL_EDEVICE,
        "its clock is wrong: events of %zu kernels contradict the host's "
        "clock, and only shorter ones' do not",
        n_refused);
}

static int longest_first(const void *a, const void *b)
{
    const struct gcal_plan_row *const *p = a, *const *q = b;

    return ((*p)->first_s < (*q)->first_s) - ((*p)->first_s > (*q)->first_s);
}

int gcal_plan_check_clock(struct gcal_plan *plan)
{
    struct gcal_fit_launch *launches = gcal_arena_alloc(
        plan->arena, plan->n_rows + GCAL_FIT_CLOCK_LEAST, sizeof(*launches));
    bool is_cpu = gcal_plan_needs_host(plan), recorded = true;
    enum gcal_fit_clock_verdict verdict;
    struct gcal_fit_clock clock;
    size_t n = 0;

    if (check_refused(plan) < 0)
        return -1;
    for (size_t i = 0; i < plan->n_rows; i++)
        if (is_timed(&plan->rows[i]))
            launches[n++] = plan->rows[i].fastest;
    clock = gcal_fit_compare_clocks(launches, n);
    if (clock.n < GCAL_FIT_CLOCK_LEAST && n && !is_cpu) {
        /* Such runs of the longest kernels. */
        struct gcal_plan_row **rows =
            gcal_arena_alloc(plan->arena, plan->n_rows, sizeof(*rows));
        size_t n_rows = 0, n_added = 0;
        for (size_t i = 0; i < plan->n_rows; i++)
            if (is_timed(&plan->rows[i]) && !plan->rows[i].kernel->launches)
                rows[n_rows++] = &plan->rows[i];
        if (n_rows)
            qsort(rows, n_rows, sizeof(*rows), longest_first);
        for (size_t i = 0; i < n_rows && n_added < GCAL_FIT_CLOCK_LEAST; i++) {
            if (!run_many(plan, rows[i], &launches[n + n_added]))
                break;
            n_added++;
        }
        n += n_added;
        clock = gcal_fit_compare_clocks(launches, n);
        recorded = false;
    }
    verdict = gcal_fit_judge_clock(&clock, is_cpu);
    /* What the record does not show cannot widen the intervals. */
    if (verdict == GCAL_FIT_CLOCK_RIGHT || (verdict == GCAL_FIT_CLOCK_OFF && recorded))
        return 0;
    return gcal_error_set(
        plan->err, GCAL_EDEVICE,
        "its clock is wrong: where its events last 1 ms longer, the host waits %.3g ms "
        "longer, as %zu long kernels show",
        clock.slope, clock.n);
}
