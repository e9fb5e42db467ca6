/* verdict.c - checking a family: its output on the device against the host's */
#include <stdlib.h>

#include "calib/base/clock.h"
#include "calib/base/error.h"
#include "calib/base/log.h"
#include "calib/plan/private.h"
#include "kernels/interpret/interpret.h"

/* Sets verdict->checked: a kernel that the host's interpreter cannot run is measured
 * nevertheless.
 */
static int compare_outputs(struct gcal_plan *plan, const struct gcal_kernel *kernel,
                           void *const *outputs, struct gcal_plan_verdict *verdict)
{
    int rc;

    if (kernel->unchecked)
        return 0;
    rc = gcal_plan_compare_outputs(plan->references, kernel, plan->options->seed, outputs,
                                   &verdict->worst, &verdict->why);
    if (rc < 0 && !kernel->reference && gcal_interp_is_unable(&verdict->why)) {
        gcal_log(GCAL_LOG_WARN, "%s: measured unchecked: %s", plan->info->name,
                 verdict->why.text);
        verdict->why = (struct gcal_error){ 0 };
        return 0;
    }
    verdict->checked = rc >= 0;
    return rc;
}

int gcal_plan_check_family(struct gcal_plan *plan, struct gcal_plan_row *row,
                           struct gcal_plan_verdict *verdict)
{
    const struct gcal_kernel *kernel = row->kernel;
    void **outputs = calloc(kernel->n_args + 1, sizeof(*outputs));
    struct gcal_error *why = &verdict->why;
    enum gcal_worker_outcome outcome;
    double start_s = gcal_clock_now_s();
    int rc;

    if (!outputs)
        return gcal_error_memory(plan->err);
    *verdict = (struct gcal_plan_verdict){ .status = GCAL_MEASUREMENT_LAUNCH_FAILED };
    outcome =
        plan->ops->check(plan->ops->context, kernel, plan->options->seed,
                         plan->options->kernel_limit_s, outputs, &verdict->status, why);
    plan->spent_s[GCAL_PLAN_SPENT_CHECKING] += gcal_clock_now_s() - start_s;
    if (outcome != GCAL_WORKER_DONE) {
        rc = gcal_plan_handle_outcome(plan, row, outcome, verdict->status, why);
        if (outcome == GCAL_WORKER_TIMED_OUT)
            verdict->status = GCAL_MEASUREMENT_TIMED_OUT;
        if (outcome == GCAL_WORKER_DIED)
            verdict->status = GCAL_MEASUREMENT_CRASHED;
        if (!*why->text)
            gcal_error_set(why, GCAL_EDEVICE, "its check did not finish");
    } else {
        verdict->status = GCAL_MEASUREMENT_WRONG_RESULT;
        start_s = gcal_clock_now_s();
        rc = compare_outputs(plan, kernel, outputs, verdict);
        plan->spent_s[GCAL_PLAN_SPENT_COMPARING] += gcal_clock_now_s() - start_s;
        rc = rc != 0;
    }
    verdict->wrong = rc != 0;
    if (rc > 0)
        gcal_log(GCAL_LOG_WARN, "%s: %s", plan->info->name, why->text);
    for (size_t i = 0; i <= kernel->n_args; i++)
        free(outputs[i]);
    free(outputs);
    return rc < 0 ? -1 : 0;
}

int gcal_plan_apply_verdict(struct gcal_plan *plan, struct gcal_plan_row *row,
                            const struct gcal_plan_verdict *verdict)
{
    if (row->finished)
        return 0;
    row->m.checked = verdict->checked;
    row->m.worst_difference = verdict->worst;
    return verdict->wrong
               ? gcal_plan_finish(plan, row, verdict->status, verdict->why.text)
               : 0;
}
