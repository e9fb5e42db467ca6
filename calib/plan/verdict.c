/* verdict.c - checking a family: its output on the device against the host's */
#include <stdlib.h>

#include "kernels/base/arena.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "calib/plan/private.h"

int gcal_plan_check_family(struct gcal_plan *plan, struct gcal_plan_row *row,
                           struct gcal_plan_verdict *verdict)
{
    const struct gcal_kernel *kernel = row->kernel;
    struct gcal_arena *arena = gcal_arena_create();
    void **outputs = gcal_arena_alloc(arena, kernel->n_args + 1, sizeof(*outputs));
    enum gcal_worker_outcome outcome;
    double start_s = gcal_clock_now_s();

    *verdict = (struct gcal_plan_verdict){ .status = GCAL_MEASUREMENT_LAUNCH_FAILED };
    outcome = plan->ops->check(plan->ops->context, kernel, plan->options->seed,
                               plan->options->kernel_limit_s, outputs, &verdict->status,
                               &verdict->why);
    plan->spent_s[GCAL_PLAN_SPENT_CHECKING] += gcal_clock_now_s() - start_s;
    for (size_t i = 0; i <= kernel->n_args; i++)
        gcal_arena_own(arena, outputs[i], free);
    if (outcome == GCAL_WORKER_DONE && plan->comparing && !kernel->unchecked) {
        gcal_plan_comparing_add(plan->comparing, arena, kernel, outputs, verdict);
        return 0;
    }
    if (outcome == GCAL_WORKER_DONE) {
        start_s = gcal_clock_now_s();
        gcal_plan_compare(plan->references, plan->info->name, kernel, plan->options->seed,
                          outputs, verdict);
        plan->spent_s[GCAL_PLAN_SPENT_COMPARING] += gcal_clock_now_s() - start_s;
    }
    gcal_arena_destroy(arena);
    if (outcome == GCAL_WORKER_DONE)
        return 0;
    int rc = gcal_plan_handle_outcome(plan, row, outcome, verdict->status, &verdict->why);
    if (outcome == GCAL_WORKER_TIMED_OUT)
        verdict->status = GCAL_MEASUREMENT_TIMED_OUT;
    if (outcome == GCAL_WORKER_DIED)
        verdict->status = GCAL_MEASUREMENT_CRASHED;
    if (!*verdict->why.text)
        gcal_error_set(&verdict->why, GCAL_EDEVICE, "its check did not finish");
    verdict->wrong = true;
    gcal_log(GCAL_LOG_WARN, "%s: %s", plan->info->name, verdict->why.text);
    return rc < 0 ? -1 : 0;
}

int gcal_plan_apply_verdict(struct gcal_plan *plan, struct gcal_plan_row *row,
                            struct gcal_plan_verdict *verdict)
{
    if (row->finished)
        return 0;
    row->verdict = NULL;
    if (!gcal_plan_verdict_is_known(plan, verdict, false)) {
        row->verdict = verdict;
        return 0;
    }
    gcal_plan_note_verdict(row, verdict);
    return verdict->wrong
               ? gcal_plan_finish(plan, row, verdict->status, verdict->why.text)
               : 0;
}
