/* sweep.c - which sizes of a family are measured
 *
 * Sizes that tags fix are all measured.  Of a size sweep, those stay that run neither too
 * short nor too long; the others get no record, as nothing but their time is known.
 */
#include <math.h>
#include <stdio.h>

#include "calib/plan/sweep.h"

/* Share of the budget after which no further kernel is prepared. */
#define PREPARING_SHARE 0.75

/* A size that would run this much longer than max_time_s is not tried; times grow with at
 * most the power of a size that they do in a matrix product, noise apart.
 */
#define TOO_LONG  1.25
#define MAX_POWER 3.0

static bool is_late(const struct gcal_plan *plan)
{
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

int gcal_plan_sweep_family(struct gcal_plan_families *f, struct gcal_plan_family *family)
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

int gcal_plan_sweep_all(struct gcal_plan_families *f)
{
    size_t n = f->kernels->n_kernels;

    for (size_t k = 0; k < n; k++) {
        size_t i = f->order[k];
        struct gcal_plan_family *family = gcal_plan_family_of(f, i);

        gcal_plan_report_progress(f->plan, "choosing sizes", k, n);
        if (family->first == i && gcal_plan_sweep_family(f, family) < 0)
            return -1;
    }
    return 0;
}
