/* plan.c - measuring one device */
#include "calib/plan/plan.h"

#include "kernels/base/arena.h"
#include "kernels/base/clock.h"
#include "kernels/base/log.h"
#include "kernels/base/memo.h"
#include "calib/plan/private.h"
#include "calib/plan/sweep.h"

static int measure_all(struct gcal_plan *plan, const struct gcal_kernel_list *kernels)
{
    struct gcal_plan_families families = gcal_plan_families_make(plan, kernels);
    int rc;

    gcal_plan_families_order(&families);
    /* In the order in which they are prepared. */
    for (size_t i = 0; i < families.kernels->n_kernels; i++)
        gcal_plan_announce(plan, families.kernels->kernels[families.order[i]]);
    gcal_plan_announced_all(plan);
    rc = gcal_plan_sweep_all(&families);
    gcal_plan_prepared_all(plan);
    if (rc == 0)
        rc = gcal_plan_warm_up(plan);
    if (rc == 0)
        rc = gcal_plan_rounds(plan);
    gcal_plan_end(plan, rc);
    for (size_t i = 0; i < families.n; i++)
        gcal_plan_verdict_clear(&families.families[i].verdict);
    return rc;
}

int gcal_plan_measure(const struct gcal_plan_device_ops *ops, const char *node,
                      const struct gcal_device_info *info,
                      const struct gcal_kernel_list *kernels,
                      const struct gcal_config_measure_options *options,
                      const struct gcal_plan_hooks *hooks, struct gcal_error *err)
{
    struct gcal_error why = { 0 };
    struct gcal_memo *own = NULL;
    struct gcal_plan plan = {
        .arena = gcal_arena_create(),
        .ops = ops,
        .node = node,
        .info = info,
        .options = options,
        .hooks = hooks,
        .references = hooks->references,
        .start_s = gcal_clock_now_s(),
        .random = options->seed,
        .err = &why,
    };
    int rc = -1;

    for (size_t i = 0; i < hooks->n_done; i++)
        if (hooks->done[i].last_order >= plan.order)
            plan.order = hooks->done[i].last_order + 1;
    plan.rows = gcal_arena_alloc(plan.arena, kernels->n_kernels, sizeof(*plan.rows));
    plan.use_s = plan.start_s;
    if (ops->use)
        plan.use = ops->use(ops->context);
    if (!plan.references)
        plan.references = own =
            gcal_plan_references_create(GCAL_PLAN_REFERENCES_BYTES, NULL);
    plan.comparing = gcal_plan_comparing_start(&plan);
    if (gcal_plan_restart_worker(&plan, NULL) == 0 && gcal_plan_await_idle(&plan) == 0 &&
        gcal_plan_check_resumed(&plan, kernels) == 0)
        rc = measure_all(&plan, kernels);
    if (rc == 0)
        rc = gcal_plan_check_clock(&plan);
    gcal_plan_end(&plan, rc); /* of a plan that did not come to its kernels */
    const struct gcal_plan_use use = { .span_s = plan.last_launch_s - plan.first_launch_s,
                                       .busy_s = plan.busy_s,
                                       .others = plan.others };
    if (plan.hooks->used)
        plan.hooks->used(plan.hooks->progress_context, &use);
    if (rc < 0 && err)
        *err = why;
    gcal_log(
        GCAL_LOG_INFO,
        "%s: %zu kernels in %.1f s (preparing %.1f, checks %.1f and %.1f for the host, "
        "measuring %.1f, waiting for other devices %.1f), and %.1f without a processor, "
        "%zu "
        "sizes left out",
        info->name, plan.n_finished, gcal_plan_elapsed_s(&plan),
        plan.spent_s[GCAL_PLAN_SPENT_PREPARING], plan.spent_s[GCAL_PLAN_SPENT_CHECKING],
        plan.spent_s[GCAL_PLAN_SPENT_COMPARING], plan.spent_s[GCAL_PLAN_SPENT_MEASURING],
        plan.spent_s[GCAL_PLAN_SPENT_WAITING], plan.waited_s, plan.n_left_out);
    if (plan.n_disturbed)
        gcal_log(GCAL_LOG_INFO,
                 "%s: %zu samples were disturbed and taken again, after waiting %.1f s",
                 info->name, plan.n_disturbed, plan.spent_s[GCAL_PLAN_SPENT_DISTURBED]);
    for (size_t i = 0; i < plan.n_rows; i++)
        gcal_measurement_clear(&plan.rows[i].m);
    gcal_memo_destroy(own);
    gcal_arena_destroy(plan.arena);
    return rc;
}
