/* run.c - checks and times kernels on a device */
#include "mpi/commands/bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "calib/plan/plan.h"
#include "fit/fit.h"
#include "mpi/cli/command.h"
#include "mpi/cli/display.h"

/* Many kernels with few launches each: one size of a size sweep, long enough for the
 * clock. */
static const struct gcal_config_measure_options each_kernel = {
    .min_time_s = 0.001,
    .max_time_s = 0.005,
    .noise = 0.005,
    .kernel_limit_s = 20,
    .enough_s = 0.2,
    .min_samples = 6,
    .max_samples = 20,
    .sizes = 1,
    .seed = 1,
};

/* Context of the plan's hooks. */
struct context {
    struct gcal_bench_run *run;
    const char *node;
    struct gcal_display *display;
    double budget_s;
};

/* ---- rows ---- */

static int take_measurement(void *context, const struct gcal_measurement *m,
                            struct gcal_error *err)
{
    const struct context *c = context;
    const struct gcal_kernel_list *list = &c->run->list;
    struct gcal_bench_row *row;
    size_t i = 0;

    while (strcmp(list->kernels[i]->id, m->kernel_id) != 0)
        i++;
    row = &c->run->rows[i];
    row->present = true;
    row->status = m->status;
    row->detail = m->detail ? gcal_arena_strdup(c->run->arena, m->detail) : NULL;
    row->stop = m->stop;
    row->built = m->built;
    if (m->status != GCAL_MEASUREMENT_GOOD)
        return 0;
    row->n_samples = m->n_samples;
    return gcal_fit_median_time(m->samples, m->n_samples, &row->time_s, &row->spread,
                                err);
}

static void take_progress(void *context, const struct gcal_plan_progress *progress)
{
    const struct context *c = context;
    struct gcal_plan_progress shown = *progress;

    /* Without a budget, kernels finish together: the time left is unknown. */
    if (!isfinite(c->budget_s) && strcmp(progress->phase, "measuring") == 0)
        shown.left_s = INFINITY;
    gcal_display_update(c->display, c->node, &shown);
}

/* ---- measuring ---- */

int gcal_bench_run(struct gcal_bench_run *run, struct gcal_worker_spawner *spawner,
                   double budget_s, struct gcal_display *display, struct gcal_error *err)
{
    struct gcal_config_measure_options options = each_kernel;
    struct context c = { .run = run, .display = display, .budget_s = budget_s };
    struct gcal_plan_hooks hooks = {
        /* The list has all that the table needs of a kernel. */
        .sink = { .context = &c, .measurement = take_measurement },
        .progress = take_progress,
        .progress_context = &c,
    };
    const struct gcal_kernel_list *list = &run->list;
    double start_s = gcal_clock_now_s();
    struct gcal_error why = { 0 };
    int rc;

    c.node = gcal_node_name(run->arena);
    options.budget_s = budget_s;
    run->rows = gcal_arena_alloc(run->arena, run->list.n_kernels, sizeof(*run->rows));
    rc = gcal_plan_measure_alone(spawner, c.node, run->info, &run->list, &options, &hooks,
                                 &why);
    if (rc < 0 && why.code != GCAL_EDEVICE) {
        *err = why;
        return -1;
    }
    if (rc < 0)
        run->failure = gcal_arena_strdup(run->arena, why.text);
    /* Sizes too short for the clock of the device do not matter if a longer one was measured. */
    for (size_t i = 0; i < list->n_kernels; i++) {
        if (run->rows[i].status != GCAL_MEASUREMENT_BAD_EVENTS ||
            !list->kernels[i]->sweep)
            continue;
        for (size_t k = i + 1; k < list->n_kernels; k++)
            if (run->rows[k].present && run->rows[k].status == GCAL_MEASUREMENT_GOOD &&
                strcmp(list->kernels[i]->family, list->kernels[k]->family) == 0)
                run->rows[i].present = false;
    }
    gcal_bench_count_work(run);
    run->took_s = gcal_clock_now_s() - start_s;
    return 0;
}

bool gcal_bench_run_passed(const struct gcal_bench_run *run)
{
    size_t n_good = 0, n_failed = 0, n_left_out = 0;

    for (size_t i = 0; i < run->list.n_kernels; i++) {
        const struct gcal_bench_row *row = &run->rows[i];
        bool no_room = row->status == GCAL_MEASUREMENT_SKIPPED &&
                       row->stop != GCAL_MEASUREMENT_STOP_BUDGET;

        n_good += row->present && row->status == GCAL_MEASUREMENT_GOOD;
        n_failed += row->present && row->status != GCAL_MEASUREMENT_GOOD && !no_room;
    }
    for (int reason = 0; reason < GCAL_KERNEL_N_EXCLUSIONS; reason++)
        n_left_out += run->list.left_out[reason];
    return !run->failure && !n_failed && !run->list.failed.n &&
           (n_good || (!run->list.n_kernels && !n_left_out));
}
