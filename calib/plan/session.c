/* session.c - rows, workers and progress of a device's measuring */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "calib/plan/private.h"

/* Consecutive workers that may be lost without a success. */
#define MAX_WORKER_FAILURES 3

#define USE_S 0.25 /* between looks at processes, which take their time */

double gcal_plan_elapsed_s(const struct gcal_plan *plan)
{
    return gcal_clock_now_s() - plan->start_s - plan->waited_s;
}

void gcal_plan_note_waits(struct gcal_plan *plan)
{
    double now_s = gcal_clock_now_s(), past_s = now_s - plan->use_s;
    struct gcal_worker_use use;

    if (!plan->ops->use || past_s < USE_S)
        return;
    use = plan->ops->use(plan->ops->context);
    plan->waited_s += gcal_worker_waited_s(&plan->use, &use, past_s);
    plan->use = use;
    plan->use_s = now_s;
}

void gcal_plan_report_progress(const struct gcal_plan *plan, const char *phase,
                               size_t done, size_t total)
{
    const struct gcal_plan_hooks *hooks = plan->hooks;
    double elapsed_s = gcal_plan_elapsed_s(plan);
    double left_s = fmax(0, plan->options->budget_s - elapsed_s);
    struct gcal_plan_progress progress = {
        .device_name = plan->info->name,
        .phase = phase,
        .kernels_done = done,
        .kernels_total = total,
        .elapsed_s = elapsed_s,
        .left_s = left_s,
    };

    /* Extrapolated, but never beyond the budget. */
    if (done)
        progress.left_s = fmin(left_s, elapsed_s / (double)done * (double)(total - done));
    if (hooks->progress)
        hooks->progress(hooks->progress_context, &progress);
    if (hooks->tick.call)
        hooks->tick.call(hooks->tick.context);
}

const struct gcal_plan_done *gcal_plan_find_done(const struct gcal_plan *plan,
                                                 const struct gcal_kernel *kernel)
{
    for (size_t i = 0; i < plan->hooks->n_done; i++)
        if (strcmp(plan->hooks->done[i].kernel_id, kernel->id) == 0)
            return &plan->hooks->done[i];
    return NULL;
}

struct gcal_plan_row *gcal_plan_add(struct gcal_plan *plan,
                                    const struct gcal_kernel *kernel)
{
    struct gcal_plan_row *row = &plan->rows[plan->n_rows];

    *row = (struct gcal_plan_row){ .kernel = kernel };
    row->m.samples = calloc(plan->options->max_samples, sizeof(*row->m.samples));
    row->m.node = strdup(plan->node);
    row->m.device_uid = strdup(plan->info->uid);
    row->m.kernel_id = strdup(kernel->id);
    plan->n_rows++;
    if (!row->m.samples || !row->m.node || !row->m.device_uid || !row->m.kernel_id)
        gcal_arena_out_of_memory();
    return row;
}

/* The verdict on the row's family, if it is known, or has to be: false if it is wrong, and
 * the row's times count for nothing.
 */
static bool take_verdict(struct gcal_plan *plan, struct gcal_plan_row *row, bool waits)
{
    struct gcal_plan_verdict *verdict = row->verdict;

    row->verdict = NULL;
    if (!gcal_plan_verdict_is_known(plan, verdict, waits))
        return true;
    gcal_plan_note_verdict(row, verdict);
    return !verdict->wrong;
}

int gcal_plan_finish(struct gcal_plan *plan, struct gcal_plan_row *row,
                     enum gcal_measurement_status status, const char *detail)
{
    struct gcal_plan_verdict *verdict = row->verdict;

    if (verdict && !take_verdict(plan, row, status == GCAL_MEASUREMENT_GOOD)) {
        status = verdict->status;
        detail = verdict->why.text;
    }
    const struct gcal_run_sink *sink = &plan->hooks->sink;
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_run_kernel kernel;
    int rc = -1;
    row->m.status = status;
    row->measured = status == GCAL_MEASUREMENT_GOOD && row->m.n_samples > 0;
    if (detail && !(row->m.detail = strdup(detail)))
        gcal_arena_out_of_memory();
    if (!sink->kernel ||
        (gcal_plan_record_kernel(arena, row->kernel, &kernel, plan->err) == 0 &&
         sink->kernel(sink->context, &kernel, plan->err) == 0))
        rc = sink->measurement(sink->context, &row->m, plan->err);
    gcal_arena_destroy(arena);
    gcal_log(GCAL_LOG_DEBUG, "%s: %s, %zu samples, stop %s%s%s", row->kernel->name,
             gcal_measurement_status_name(status), row->m.n_samples,
             gcal_measurement_stop_name(row->m.stop), detail ? ": " : "",
             detail ? detail : "");
    /* The samples are in the sink. */
    row->built = row->m.built;
    gcal_measurement_clear(&row->m);
    row->status = status;
    row->finished = true;
    plan->n_finished++;
    return rc;
}

void gcal_plan_leave_out(struct gcal_plan *plan, struct gcal_plan_row *row)
{
    gcal_measurement_clear(&row->m);
    row->finished = true;
    plan->n_left_out++;
}

int gcal_plan_restart_worker(struct gcal_plan *plan, const char *lost)
{
    struct gcal_error why = { 0 };

    if (lost)
        gcal_error_set(&why, GCAL_EDEVICE, "%s", lost);
    for (; plan->failures < MAX_WORKER_FAILURES; plan->failures++) {
        if (plan->ops->restart(plan->ops->context, &why) == 0) {
            plan->worker++;
            return 0;
        }
        gcal_log(GCAL_LOG_WARN, "%s: %s", plan->info->name, why.text);
    }
    return gcal_error_set(
        plan->err, GCAL_EDEVICE,
        "%s on %s was given up: %d consecutive workers were lost; the last: %s",
        plan->info->name, plan->node, MAX_WORKER_FAILURES, why.text);
}

int gcal_plan_handle_outcome(struct gcal_plan *plan, struct gcal_plan_row *row,
                             enum gcal_worker_outcome outcome,
                             enum gcal_measurement_status status,
                             const struct gcal_error *why)
{
    char lost[sizeof(why->text) + 300];

    switch (outcome) {
    case GCAL_WORKER_DONE:
        return 0;
    case GCAL_WORKER_REFUSED:
        return gcal_plan_finish(plan, row, status, why->text) < 0 ? -1 : 1;
    case GCAL_WORKER_TIMED_OUT:
        status = GCAL_MEASUREMENT_TIMED_OUT;
        break;
    case GCAL_WORKER_DIED:
        status = GCAL_MEASUREMENT_CRASHED;
        break;
    }
    plan->failures++;
    if (status == GCAL_MEASUREMENT_TIMED_OUT)
        snprintf(lost, sizeof(lost), "%s: killed after kernel_limit_s, %g s",
                 row->kernel->name, plan->options->kernel_limit_s);
    else
        snprintf(lost, sizeof(lost), "%s: %s", row->kernel->name,
                 *why->text ? why->text : "the worker died");
    gcal_log(GCAL_LOG_WARN, "%s: %s", plan->info->name, lost);
    if (gcal_plan_finish(plan, row, status, lost) < 0 ||
        gcal_plan_restart_worker(plan, lost) < 0)
        return -1;
    return 1;
}

bool gcal_plan_is_transient_error(struct gcal_plan_row *row,
                                  enum gcal_worker_outcome outcome,
                                  enum gcal_measurement_status status)
{
    if (outcome != GCAL_WORKER_REFUSED || status != GCAL_MEASUREMENT_BAD_EVENTS ||
        row->bad_events)
        return false;
    row->bad_events = true;
    return true;
}

/* Launches that took 'busy_s' have just ended. */
static void note_launches(struct gcal_plan *plan, double busy_s)
{
    plan->last_launch_s = gcal_clock_now_s();
    if (!plan->first_launch_s)
        plan->first_launch_s = plan->last_launch_s - busy_s;
    plan->busy_s += busy_s;
}

void gcal_plan_announce(struct gcal_plan *plan, const struct gcal_kernel *kernel)
{
    if (plan->ops->announce && !gcal_plan_find_done(plan, kernel))
        plan->ops->announce(plan->ops->context, kernel);
}

void gcal_plan_announced_all(struct gcal_plan *plan)
{
    if (plan->ops->announced_all)
        plan->ops->announced_all(plan->ops->context);
}

void gcal_plan_prepared_all(struct gcal_plan *plan)
{
    if (plan->ops->prepared_all)
        plan->ops->prepared_all(plan->ops->context);
}

int gcal_plan_prepare(struct gcal_plan *plan, struct gcal_plan_row *row)
{
    enum gcal_measurement_status status;
    enum gcal_worker_outcome outcome;
    double start_s = gcal_clock_now_s();
    struct gcal_error why;

    do {
        status = GCAL_MEASUREMENT_LAUNCH_FAILED;
        why = (struct gcal_error){ 0 };
        outcome = plan->ops->prepare(plan->ops->context, row->kernel,
                                     plan->options->kernel_limit_s, &row->first_s,
                                     &status, &why);
    } while (gcal_plan_is_transient_error(row, outcome, status));
    plan->spent_s[GCAL_PLAN_SPENT_PREPARING] += gcal_clock_now_s() - start_s;
    gcal_plan_note_waits(plan);
    if (outcome == GCAL_WORKER_REFUSED && status == GCAL_MEASUREMENT_SKIPPED &&
        row->kernel->sweep && !row->smallest && !row->m.n_samples) {
        gcal_plan_leave_out(plan, row);
        return 1;
    }
    if (outcome == GCAL_WORKER_DONE) {
        row->worker = plan->worker;
        if (plan->ops->built)
            row->m.built = plan->ops->built(plan->ops->context);
        row->m.n_warmup += 2; /* both launches of a preparation */
        note_launches(plan, 2 * row->first_s);
    }
    return gcal_plan_handle_outcome(plan, row, outcome, status, &why);
}

enum gcal_worker_outcome gcal_plan_launch(struct gcal_plan *plan,
                                          const struct gcal_plan_row *row, size_t n,
                                          struct gcal_measurement_sample *samples,
                                          enum gcal_measurement_status *status,
                                          struct gcal_error *why)
{
    double asked_s = gcal_clock_now_s(), start_s, busy_s = 0;
    bool has_turn = gcal_plan_turns_take(plan->hooks->turns, row);
    enum gcal_worker_outcome outcome;

    start_s = gcal_clock_now_s();
    outcome = plan->ops->measure(plan->ops->context, row->kernel, n,
                                 plan->options->kernel_limit_s, samples, status, why);
    if (has_turn)
        gcal_plan_turns_give(plan->hooks->turns);
    for (size_t i = 0; outcome == GCAL_WORKER_DONE && i < n; i++)
        busy_s += samples[i].time_s;
    if (outcome == GCAL_WORKER_DONE)
        note_launches(plan, busy_s);
    plan->spent_s[GCAL_PLAN_SPENT_WAITING] += start_s - asked_s;
    plan->spent_s[GCAL_PLAN_SPENT_MEASURING] += gcal_clock_now_s() - start_s;
    gcal_plan_note_waits(plan);
    return outcome;
}

/* Keeps the samples that a device gave before it was given up. */
static void keep_samples(struct gcal_plan *plan)
{
    for (size_t i = 0; i < plan->n_rows; i++)
        if (!plan->rows[i].finished && plan->rows[i].m.n_samples &&
            gcal_plan_finish(plan, &plan->rows[i], GCAL_MEASUREMENT_GOOD, NULL) < 0)
            return;
}

/* Before the families' verdicts are gone. */
void gcal_plan_end(struct gcal_plan *plan, int rc)
{
    struct gcal_error why = *plan->err;

    if (plan->has_ended)
        return;
    if (rc < 0 && why.code == GCAL_EDEVICE)
        keep_samples(plan);
    *plan->err = why;
    gcal_plan_comparing_stop(plan->comparing);
    plan->has_ended = true;
}
