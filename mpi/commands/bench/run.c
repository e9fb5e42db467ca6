/* run.c - checks and times kernels on a device */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/commands/bench/bench.h"
#include "kernels/base/arena.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "calib/plan/plan.h"
#include "fit/fit.h"
#include "mpi/cli/command.h"
#include "mpi/cli/display.h"
#include "kernels/model/run/work.h"
#include "kernels/base/log.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"
#include "mpi/commands/count/sizes.h"

/* ---- bytes and operations of the kernels that were measured
 *
 * Loads of global memory are those of the device's sub-groups, which the kernels were
 * counted for.  All other work is that of work-items, and so is counted again, for
 * sub-groups of one.
 */

/* A launch of the kernels of one variant, which differ in sizes only. */
struct by_item {
    const struct gcal_kernel *kernel; /* the first of them; NULL: none yet */
    struct gcal_profile *profile;     /* NULL: it cannot be counted */
    struct gcal_error why;
};

static void count_by_item(struct by_item *b, const struct gcal_kernel *kernel)
{
    struct gcal_count_request request = gcal_kernel_request(kernel);

    if (b->kernel && strcmp(b->kernel->variant, kernel->variant) == 0)
        return;
    gcal_profile_destroy(b->profile);
    *b = (struct by_item){ .kernel = kernel };
    request.sub_group_size = 1;
    b->profile = gcal_count(&request, &b->why);
}

/* Of a profile of the kernel, at the kernel's sizes. */
static int count_profile(const struct gcal_kernel *kernel,
                         const struct gcal_profile *profile, size_t sub_group_size,
                         struct gcal_work *work, struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    size_t n = profile->n_parameters;
    double *sizes = gcal_arena_alloc(arena, n, sizeof(*sizes));
    int rc = -1;

    if (gcal_count_sizes_of_kernel(kernel, n, (const char *const *)profile->parameters,
                                   sizes, err) == 0)
        rc = gcal_work_count(profile, profile, sizes, (double)sub_group_size, work, err);
    gcal_arena_destroy(arena);
    return rc;
}

/* Replaces the work of sub-groups by that of work-items; 'b' has a profile. */
static int take_by_item(const struct gcal_kernel *kernel, const struct by_item *b,
                        struct gcal_work *work, struct gcal_error *err)
{
    struct gcal_geometry geometry = { 0 };
    struct gcal_work one;
    int rc = -1;

    if (gcal_kernel_geometry(kernel, kernel->n_sizes, kernel->sizes, &geometry, err) ==
            0 &&
        count_profile(kernel, b->profile, 1, &one, err) == 0) {
        double launches = (double)geometry.launches;

        work->local_bytes = launches * one.local_bytes;
        work->float_ops = launches * one.float_ops;
        work->integer_ops = launches * one.integer_ops;
        work->estimated = work->estimated || one.estimated;
        rc = 0;
    }
    gcal_kernel_geometry_clear(&geometry);
    return rc;
}

/* Counts the work of the rows with a time. */
static void count_work(struct gcal_bench_run *run)
{
    struct by_item b = { 0 };

    for (size_t i = 0; i < run->list.n_kernels; i++) {
        const struct gcal_kernel *kernel = run->list.kernels[i];
        uint64_t sub_group_size = kernel->counting.sub_group_size;
        struct gcal_bench_row *row = &run->rows[i];
        struct gcal_error why = { 0 };
        int rc;

        if (!row->present || row->status != GCAL_MEASUREMENT_GOOD)
            continue;
        /* Work that cannot be counted leaves a kernel without rates. */
        rc = count_profile(kernel, kernel->profile, sub_group_size, &row->work, &why);
        if (rc == 0 && sub_group_size) {
            row->work.local_bytes = row->work.float_ops = row->work.integer_ops = 0;
            count_by_item(&b, kernel);
            why = b.why;
            rc = b.profile ? take_by_item(kernel, &b, &row->work, &why) : -1;
        }
        if (rc < 0)
            gcal_log(GCAL_LOG_WARN, "%s: its work is not counted exactly: %s",
                     kernel->name, why.text);
    }
    gcal_profile_destroy(b.profile);
}

/* ---- checks and times kernels on a device ---- */

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
    count_work(run);
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
