/* rounds.c - timing: warm-up, rounds in random order, when to stop */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "calib/plan/private.h"
#include "fit/fit.h"

/* A visit is long enough compared with its messages, and short enough that drift of
 * clocks and temperatures affects all kernels alike.
 */
#define VISIT_S 0.03

/* Warm-up ends when two batches agree, or at the first of these limits. */
#define WARM_UP_KERNEL_S 0.01
#define WARM_UP_BATCH_S  0.05
#define WARM_UP_SHARE    0.05 /* of the budget */
#define WARM_UP_S        3.0
#define WARM_UP_LAUNCHES 64 /* in a batch */
#define WARM_UP_AGREE    0.02
#define COPY_PENALTY     1e3 /* copies are used for warm-up only without a kernel */

/* The standard error of n independent samples falls as 1/sqrt(n). If it is still this
 * share of its value min_samples * STABLE_AFTER samples ago, the kernel drifts or has two
 * speeds, and more samples do not help.
 */
#define STABLE_AFTER 2
#define STABLE_RATIO 0.95

/* The part of the budget that kernels together may take beyond min_samples, each the same: a few
 * long ones would take most of it for medians that are far more precise than any model.
 */
#define MEASURING_SHARE 0.5

/* Number of launches that take about 'seconds', within half the time limit of a request.
 */
static size_t launches_for(const struct gcal_plan *plan, const struct gcal_plan_row *row,
                           double seconds, size_t most)
{
    double first_s = fmax(row->first_s, 1e-9);
    double limit = plan->options->kernel_limit_s / 2 / first_s;

    return (size_t)fmax(1, fmin(fmin(seconds / first_s, limit), (double)most));
}

/* ---- warm-up ---- */

int gcal_plan_warm_up(struct gcal_plan *plan)
{
    double start_s = gcal_plan_elapsed_s(plan), median_s = 0, before_s, spread;
    double limit_s = fmin(WARM_UP_S, WARM_UP_SHARE * plan->options->budget_s);
    struct gcal_measurement_sample samples[WARM_UP_LAUNCHES];

    /* A kernel that is long enough to load the device and short enough to be launched often;
     * copies load it little.
     */
    struct gcal_plan_row *row = NULL;
    double best_distance = INFINITY;
    for (size_t i = 0; i < plan->n_rows; i++) {
        struct gcal_plan_row *r = &plan->rows[i];
        double distance = fabs(log(fmax(r->first_s, 1e-9) / WARM_UP_KERNEL_S)) +
                          (gcal_kernel_is_transfer(r->kernel) ? COPY_PENALTY : 0);

        if (!r->finished && r->worker == plan->worker && distance < best_distance) {
            row = r;
            best_distance = distance;
        }
    }
    if (!row)
        return 0;
    do {
        enum gcal_measurement_status status = GCAL_MEASUREMENT_LAUNCH_FAILED;
        struct gcal_error why = { 0 };
        size_t n = launches_for(plan, row, WARM_UP_BATCH_S, WARM_UP_LAUNCHES);
        enum gcal_worker_outcome outcome;
        int rc;

        gcal_plan_report_progress(plan, "warming up", 0, plan->n_rows);
        outcome = gcal_plan_launch(plan, row, n, samples, &status, &why);
        if ((rc = gcal_plan_handle_outcome(plan, row, outcome, status, &why)) != 0)
            return rc < 0 ? -1 : 0;
        gcal_plan_pulse_note(plan, row->kernel, samples, n);
        row->m.n_warmup += n;
        before_s = median_s;
        if (gcal_fit_median_time(samples, n, &median_s, &spread, plan->err) < 0)
            return -1;
    } while (fabs(median_s - before_s) > WARM_UP_AGREE * median_s &&
             gcal_plan_elapsed_s(plan) - start_s < limit_s);
    row->first_s = median_s;
    gcal_plan_pulse_begin(plan, row);
    return 0;
}

/* ---- rounds ---- */

/* Time in which a kernel of min_samples has had its share. */
static double enough_s(const struct gcal_plan *plan)
{
    const struct gcal_config_measure_options *o = plan->options;
    double share_s = MEASURING_SHARE * o->budget_s / (double)plan->n_rows;

    return o->enough_s > 0 ? fmin(o->enough_s, share_s) : share_s;
}

/* The reason to stop sampling the row, or GCAL_MEASUREMENT_STOP_NONE. */
static enum gcal_measurement_stop stop_reason(const struct gcal_plan *plan,
                                              struct gcal_plan_row *row)
{
    const struct gcal_config_measure_options *o = plan->options;
    size_t n = row->m.n_samples;

    if (n >= o->min_samples && row->spread <= o->noise)
        return GCAL_MEASUREMENT_STOP_NOISE;
    if (n >= o->max_samples)
        return GCAL_MEASUREMENT_STOP_SAMPLES;
    if (n < o->min_samples)
        return GCAL_MEASUREMENT_STOP_NONE;
    if ((double)n * row->first_s >= enough_s(plan))
        return GCAL_MEASUREMENT_STOP_SAMPLES;
    if (!row->mark || n >= row->mark + STABLE_AFTER * o->min_samples) {
        if (row->mark && row->spread >= STABLE_RATIO * row->mark_spread)
            return GCAL_MEASUREMENT_STOP_STABLE;
        row->mark = n;
        row->mark_spread = row->spread;
    }
    return GCAL_MEASUREMENT_STOP_NONE;
}

/* Number of launches in a row's visit.  In the first round, at least half of min_samples,
 * so that every kernel has some samples before any is refined; 'share' below 1: the time
 * does not suffice for that.
 */
static size_t visit_size(const struct gcal_plan *plan, const struct gcal_plan_row *row,
                         double share)
{
    const struct gcal_config_measure_options *o = plan->options;
    size_t n = launches_for(plan, row, VISIT_S, o->min_samples);
    size_t half = (o->min_samples + 1) / 2;

    if (!row->m.n_samples && n < half)
        n = launches_for(plan, row, INFINITY, half);
    if (!row->m.n_samples && share < 1)
        n = (size_t)fmax(1, (double)n * share);
    return n < o->max_samples - row->m.n_samples ? n : o->max_samples - row->m.n_samples;
}

static int measure(struct gcal_plan *plan, struct gcal_plan_row *row, size_t n)
{
    struct gcal_measurement_sample *samples = row->m.samples + row->m.n_samples;
    enum gcal_measurement_status status = GCAL_MEASUREMENT_LAUNCH_FAILED;
    struct gcal_error why = { 0 };
    enum gcal_worker_outcome outcome =
        gcal_plan_launch(plan, row, n, samples, &status, &why);

    if (gcal_plan_is_transient_error(row, outcome, status))
        return 1;
    if (outcome != GCAL_WORKER_DONE)
        return gcal_plan_handle_outcome(plan, row, outcome, status, &why);
    plan->failures = 0;
    gcal_plan_pulse_note(plan, row->kernel, samples, n);
    for (size_t i = 0; i < n; i++) {
        samples[i].order = plan->order++;
        if (!row->fastest.host_s || samples[i].host_s < row->fastest.host_s)
            row->fastest =
                (struct gcal_fit_launch){ samples[i].time_s, samples[i].host_s };
        plan->pulse.work_s += samples[i].time_s;
    }
    row->m.n_samples += n;
    return gcal_fit_median_time(row->m.samples, row->m.n_samples, &row->first_s,
                                &row->spread, plan->err);
}

static int visit(struct gcal_plan *plan, struct gcal_plan_row *row, double share)
{
    int rc = row->verdict ? gcal_plan_apply_verdict(plan, row, row->verdict) : 0;

    if (rc < 0 || row->finished)
        return rc;
    if (row->worker != plan->worker)
        rc = gcal_plan_prepare(plan, row);
    if (rc == 0)
        rc = measure(plan, row, visit_size(plan, row, share));
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    row->m.stop = stop_reason(plan, row);
    return 0;
}

static int stop_at_budget(struct gcal_plan *plan, struct gcal_plan_row *row)
{
    char text[120];

    row->m.stop = GCAL_MEASUREMENT_STOP_BUDGET;
    if (row->m.n_samples)
        return gcal_plan_finish(plan, row, GCAL_MEASUREMENT_GOOD, NULL);
    snprintf(text, sizeof(text),
             "the device's budget of %g s was used up before it was measured: raise "
             "budget_s",
             plan->options->budget_s);
    return gcal_plan_finish(plan, row, GCAL_MEASUREMENT_SKIPPED, text);
}

static int run_round(struct gcal_plan *plan, struct gcal_plan_row **rows, size_t *order,
                     size_t n, double share)
{
    gcal_random_shuffle(&plan->random, order, n);
    for (size_t i = 0; i < n; i++) {
        struct gcal_plan_row *row = rows[order[i]];
        bool late = gcal_plan_elapsed_s(plan) >= plan->options->budget_s;

        gcal_plan_report_progress(plan, "measuring", plan->n_finished,
                                  plan->n_rows - plan->n_left_out);
        if ((late ? stop_at_budget(plan, row) : visit(plan, row, share)) < 0 ||
            (gcal_plan_pulse_is_due(plan) && gcal_plan_pulse_take(plan) < 0))
            return -1;
    }
    return 0;
}

static size_t unfinished(struct gcal_plan *plan, struct gcal_plan_row **rows)
{
    size_t n = 0;

    for (size_t i = 0; i < plan->n_rows; i++)
        if (!plan->rows[i].finished && !plan->rows[i].m.stop)
            rows[n++] = &plan->rows[i];
    return n;
}

int gcal_plan_rounds(struct gcal_plan *plan)
{
    struct gcal_plan_row **rows =
        gcal_arena_alloc(plan->arena, plan->n_rows, sizeof(*rows));
    size_t *order = gcal_arena_alloc(plan->arena, plan->n_rows, sizeof(*order)), n;
    double need_s = 0, left_s = plan->options->budget_s - gcal_plan_elapsed_s(plan);
    double share; /* of the first round that the rest of the budget pays for */
    int rc = 0;

    for (size_t i = 0; i < plan->n_rows; i++)
        if (!plan->rows[i].finished)
            need_s += plan->rows[i].first_s * (double)visit_size(plan, &plan->rows[i], 1);
    share = need_s > 0 ? left_s / need_s : 1;
    do {
        while (rc == 0 && (n = unfinished(plan, rows)))
            rc = run_round(plan, rows, order, n, share);
        if (rc == 0)
            rc = gcal_plan_pulse_take(plan);
    } while (rc == 0 && unfinished(plan, rows)); /* some lost their samples */
    return rc;
}
