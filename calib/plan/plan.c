/* plan.c - measuring one device */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/plan/plan.h"
#include "kernels/base/arena.h"
#include "kernels/base/clock.h"
#include "kernels/base/log.h"
#include "kernels/base/memo.h"
#include "calib/plan/sweep.h"
#include "kernels/base/error.h"
#include "fit/clock.h"
#include "fit/fit.h"
#include "calib/plan/private.h"

/* ---- which sizes of a family are measured
 *
 * Sizes that tags fix are all measured.  Of a size sweep, those stay that run neither too
 * short nor too long; the others get no record, as nothing but their time is known.
 */

/* Share of the budget after which no further kernel is prepared. */
#define PREPARING_SHARE 0.75

/* A size that would run this much longer than max_time_s is not tried; times grow with at
 * most the power of a size that they do in a matrix product, noise apart.
 */
#define TOO_LONG  1.25
#define MAX_POWER 3.0

static bool is_late(struct gcal_plan *plan)
{
    gcal_plan_note_waits(
        plan); /* a worker that starts on a busy machine has waited, too */
    return gcal_plan_elapsed_s(plan) > plan->options->budget_s * PREPARING_SHARE;
}

/* Distance of a row's time from the limits, as the logarithm of a ratio. */
static double limit_distance(const struct gcal_plan *plan,
                             const struct gcal_plan_row *row)
{
    const struct gcal_config_measure_options *o = plan->options;
    double time_s = fmax(row->first_s, 1e-9);

    if (time_s < o->min_time_s && !row->kernel->short_run)
        return log(o->min_time_s / time_s);
    return fmax(0, log(time_s / o->max_time_s));
}

/* ---- trying kernels ---- */

/* 0 when it was prepared, 1 when the kernel cannot be measured. */
static int try_kernel(struct gcal_plan_families *f, size_t kernel, bool smallest)
{
    struct gcal_plan *plan = f->plan;
    struct gcal_plan_row *row = gcal_plan_add(plan, f->kernels->kernels[kernel]);
    int rc;

    f->row[kernel] = row;
    row->smallest = smallest;
    rc = gcal_plan_prepare(plan, row);
    /* Until there are measurements, this is the success after which worker failures are
     * counted.
     */
    if (rc == 0 && plan->order == 0)
        plan->failures = 0;
    return rc;
}

/* Returns whether the row ran, also if it was measured or left out since. */
static bool has_time(const struct gcal_plan_row *row)
{
    return row && row->first_s > 0 && row->status == GCAL_MEASUREMENT_GOOD;
}

/* Extrapolates the times of the two sizes before the next as a power of the size.  The
 * longest size takes longest to try: its buffers have to be filled.
 */
static bool is_next_too_long(const struct gcal_plan_families *f,
                             const struct gcal_plan_family *family)
{
    size_t n = family->n_tried;
    const struct gcal_plan_row *last = n ? f->row[family->sizes[n - 1]] : NULL;
    const struct gcal_plan_row *before = n > 1 ? f->row[family->sizes[n - 2]] : NULL;
    double size, power, growth;

    if (!has_time(before) || !has_time(last))
        return false;
    size = gcal_plan_product_of_sizes(last->kernel);
    power = log(last->first_s / before->first_s) /
            log(size / gcal_plan_product_of_sizes(before->kernel));
    growth = gcal_plan_product_of_sizes(f->kernels->kernels[family->sizes[n]]) / size;
    return last->first_s * pow(growth, fmin(power, MAX_POWER)) >
           TOO_LONG * f->plan->options->max_time_s;
}

/* The next size: 0 when it was tried, 1 when there is none.  The sweep goes on after bad
 * events: the smallest size may be too short for the device's clock.
 */
static int try_next(struct gcal_plan_families *f, struct gcal_plan_family *family)
{
    const struct gcal_plan_row *row;
    size_t kernel;
    int rc;

    if (family->ended || family->n_tried == family->n_sizes ||
        is_next_too_long(f, family)) {
        family->ended = true;
        return 1;
    }
    kernel = family->sizes[family->n_tried++];
    if ((rc = try_kernel(f, kernel, family->n_tried == 1)) < 0)
        return -1;
    row = f->row[kernel];
    if (rc == 0 ? row->first_s > f->plan->options->max_time_s
                : row->status != GCAL_MEASUREMENT_BAD_EVENTS)
        family->ended = true;
    return 0;
}

/* ---- taking rows ---- */

/* The row is to be measured, unless the family is wrong. */
static int take_row(struct gcal_plan_families *f, struct gcal_plan_family *family,
                    struct gcal_plan_row *row)
{
    if (!family->checked && gcal_plan_check_family(f->plan, row, &family->verdict) < 0)
        return -1;
    family->checked = true;
    family->n_chosen += row->kernel->sweep;
    return gcal_plan_apply_verdict(f->plan, row, &family->verdict);
}

/* ---- whole families ---- */

/* Leaves out all sizes but those to measure: within the limits, the longest ones; else
 * the nearest, as a model needs every cost, if only from a time that does not suit the
 * clock well.
 */
static void choose_sizes(struct gcal_plan_families *f, struct gcal_plan_family *family)
{
    struct gcal_plan_row *near = NULL, *row;
    size_t n = family->n_chosen;

    /* The size that was tried whose time is nearest to the limits, the longest of several; NULL:
     * none can be measured.
     */
    for (size_t i = family->n_tried; i-- > 0;) {
        row = f->row[family->sizes[i]];
        if (!row->finished &&
            (!near || limit_distance(f->plan, row) < limit_distance(f->plan, near)))
            near = row;
    }
    for (size_t i = family->n_tried; i-- > 0;) {
        row = f->row[family->sizes[i]];
        if (!row->finished && ((row != near && limit_distance(f->plan, row) > 0) ||
                               n++ >= family->n_wanted))
            gcal_plan_leave_out(f->plan, row);
    }
}

/* The whole sweep, of which some sizes may have been measured by the resumed run. */
static int run_sweep(struct gcal_plan_families *f, struct gcal_plan_family *family)
{
    int rc = 0;

    while (rc == 0 && !(family->n_tried && is_late(f->plan)))
        rc = try_next(f, family);
    family->ended = true;
    if (rc >= 0)
        choose_sizes(f, family);
    return rc < 0 ? -1 : 0;
}

/* Sweeps, checks and chooses the sizes of a whole family, or of all families: what is
 * left unfinished among the plan's rows is to be measured.
 */
static int sweep_family(struct gcal_plan_families *f, struct gcal_plan_family *family)
{
    bool sweep = family->n_sizes && family->n_chosen < family->n_wanted;
    struct gcal_plan *plan = f->plan;
    struct gcal_plan_row *row;

    if (!family->n_fixed && !sweep)
        return 0;
    if (is_late(f->plan)) {
        /* One row records that the budget did not suffice for the family. */
        size_t kernel = family->n_fixed ? family->fixed[0] : family->sizes[0];
        char text[200];

        f->row[kernel] = row = gcal_plan_add(plan, f->kernels->kernels[kernel]);
        snprintf(
            text, sizeof(text),
            "%.0f%% of the device's budget of %g s were used up before its turn: raise "
            "budget_s",
            PREPARING_SHARE * 100, plan->options->budget_s);
        row->m.stop = GCAL_MEASUREMENT_STOP_BUDGET;
        return gcal_plan_finish(plan, row, GCAL_MEASUREMENT_SKIPPED, text);
    }
    for (size_t i = 0; i < family->n_fixed; i++)
        if (try_kernel(f, family->fixed[i], false) < 0)
            return -1;
    if (sweep && run_sweep(f, family) < 0)
        return -1;
    /* All kernels that can be measured: fixed sizes, then those of the sweep, longest first.
     */
    for (size_t i = 0; i < family->n_fixed; i++) {
        row = f->row[family->fixed[i]];
        if (!row->finished && take_row(f, family, row) < 0)
            return -1;
    }
    for (size_t i = family->n_tried; i-- > 0;) {
        row = f->row[family->sizes[i]];
        if (!row->finished && take_row(f, family, row) < 0)
            return -1;
    }
    return 0;
}

static int sweep_all(struct gcal_plan_families *f)
{
    size_t n = f->kernels->n_kernels;

    for (size_t k = 0; k < n; k++) {
        size_t i = f->order[k];
        struct gcal_plan_family *family = gcal_plan_family_of(f, i);

        gcal_plan_report_progress(f->plan, "choosing sizes", k, n);
        if (family->first == i && sweep_family(f, family) < 0)
            return -1;
    }
    return 0;
}

/* ---- whether a device is as fast as when the run was interrupted ---- */

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

/* Measures some kernels again that were measured before the run was resumed.  -1 if their
 * times are others: what was measured then and now must not be fitted together.
 */
static int check_resumed(struct gcal_plan *plan, const struct gcal_kernel_list *kernels)
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

/* ---- whether the device's events count the time as the host's clock does
 *
 * By the kernels that were measured; of a GPU whose kernels are all short, by many launches of some
 * of them as one run.
 */

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

/* At the end: -1 with GCAL_EDEVICE if the times by events contradict the host's clock. */
static int check_clock(struct gcal_plan *plan)
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

/* ---- measuring one device ---- */

static int measure_all(struct gcal_plan *plan, const struct gcal_kernel_list *kernels)
{
    struct gcal_plan_families families = gcal_plan_families_make(plan, kernels);
    int rc;

    gcal_plan_families_order(&families);
    /* In the order in which they are prepared. */
    for (size_t i = 0; i < families.kernels->n_kernels; i++)
        gcal_plan_announce(plan, families.kernels->kernels[families.order[i]]);
    gcal_plan_announced_all(plan);
    rc = sweep_all(&families);
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
        check_resumed(&plan, kernels) == 0)
        rc = measure_all(&plan, kernels);
    if (rc == 0)
        rc = check_clock(&plan);
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
