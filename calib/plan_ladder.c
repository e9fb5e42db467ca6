/* plan_ladder.c - families: which of their sizes are measured, and are they right?
 *
 * A family is a kernel at several sizes: some that tags fixed, which are all measured,
 * and the rungs of a ladder, of which those stay that run neither too short nor too
 * long.  Rungs that are left out get no row: nothing was learned but their time.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/log.h"
#include "calib/plan_private.h"

/* Part of the budget that may go by before the measuring starts. */
#define CHOOSING_SHARE 0.75

/* A rung that would run this much longer than max_time_s is not tried; times grow with
 * no higher power of a size than that of a matrix product, noise apart.
 */
#define SURELY    1.25
#define MAX_POWER 3.0

/* A family's kernels in the list that are still to be done. */
struct family {
    size_t n_fixed, n_rungs;
    size_t n_wanted;                           /* rungs */
    const struct gcal_kernel **fixed, **rungs; /* rungs: smallest first */
    /* The rows chosen: at most n_fixed + n_rungs. */
    size_t n_chosen;
    struct gcal_plan_row **chosen;
};

static bool is_done(const struct gcal_plan_hooks *hooks, const struct gcal_kernel *kernel)
{
    for (size_t i = 0; i < hooks->n_done; i++)
        if (strcmp(hooks->done[i].kernel_id, kernel->id) == 0)
            return true;
    return false;
}

/* Rungs differ in one size only, so the product of all sizes grows with it. */
static double product_of_sizes(const struct gcal_kernel *kernel)
{
    double product = 1;

    for (size_t i = 0; i < kernel->n_sizes; i++)
        product *= kernel->sizes[i].value;
    return product;
}

static int by_size(const void *a, const void *b)
{
    double x = product_of_sizes(*(const struct gcal_kernel *const *)a);
    double y = product_of_sizes(*(const struct gcal_kernel *const *)b);

    return (x > y) - (x < y);
}

/* Of a ladder that a resumed run has measured in part, only the rest is wanted. */
static int gather(const struct gcal_plan *plan, const struct gcal_kernel_list *kernels,
                  const char *name, struct family *family)
{
    size_t n = kernels->n_kernels, n_done = 0;

    family->fixed = calloc(n, sizeof(*family->fixed));
    family->rungs = calloc(n, sizeof(*family->rungs));
    family->chosen = calloc(n, sizeof(*family->chosen));
    if (!family->fixed || !family->rungs || !family->chosen)
        return gcal_error_memory(plan->err);
    for (size_t i = 0; i < n; i++) {
        const struct gcal_kernel *kernel = kernels->kernels[i];

        if (strcmp(kernel->family, name) != 0)
            continue;
        if (is_done(plan->hooks, kernel))
            n_done += kernel->ladder;
        else if (kernel->ladder)
            family->rungs[family->n_rungs++] = kernel;
        else
            family->fixed[family->n_fixed++] = kernel;
    }
    family->n_wanted = plan->options->rungs - n_done;
    if (n_done >= plan->options->rungs)
        family->n_wanted = family->n_rungs = 0;
    qsort(family->rungs, family->n_rungs, sizeof(*family->rungs), by_size);
    return 0;
}

static void family_clear(struct family *family)
{
    free(family->fixed);
    free(family->rungs);
    free(family->chosen);
}

/* Prepares one more kernel: 0 with its row at the end of the plan's, 1 when it cannot be
 * measured, -1.
 */
static int try_kernel(struct gcal_plan *plan, const struct gcal_kernel *kernel,
                      bool smallest)
{
    struct gcal_plan_row *row = gcal_plan_add(plan, kernel);
    int rc;

    if (!row)
        return -1;
    row->smallest = smallest;
    if ((rc = gcal_plan_prepare(plan, row)) == 0)
        plan->deaths = 0;
    return rc;
}

static int choose_fixed(struct gcal_plan *plan, struct family *family)
{
    for (size_t i = 0; i < family->n_fixed; i++) {
        int rc = try_kernel(plan, family->fixed[i], false);

        if (rc < 0)
            return -1;
        if (rc == 0)
            family->chosen[family->n_chosen++] = &plan->rows[plan->n_rows - 1];
    }
    return 0;
}

/* How far a row's time lies outside the limits, as the logarithm of a ratio. */
static double outside(const struct gcal_plan *plan, const struct gcal_plan_row *row)
{
    const struct gcal_measure_options *o = plan->options;
    double time_s = fmax(row->first_s, 1e-9);

    if (time_s < o->min_time_s && !row->kernel->short_run)
        return log(o->min_time_s / time_s);
    return fmax(0, log(time_s / o->max_time_s));
}

static bool is_chosen(const struct family *family, const struct gcal_plan_row *row)
{
    for (size_t i = 0; i < family->n_chosen; i++)
        if (family->chosen[i] == row)
            return true;
    return false;
}

/* Of the rungs tried, rows 'first' to plan->n_rows, those that ran between the times
 * stay, at most n_wanted, the longest; where none did, the nearest: a model needs every
 * cost, if only from a time that does not suit the clock well.
 */
static void choose_rungs(struct gcal_plan *plan, struct family *family, size_t first)
{
    struct gcal_plan_row *nearest = NULL;
    size_t n = 0;

    for (size_t i = plan->n_rows; i-- > first;) {
        struct gcal_plan_row *row = &plan->rows[i];

        if (row->finished)
            continue;
        if (outside(plan, row) == 0 && n < family->n_wanted) {
            family->chosen[family->n_chosen++] = row;
            n++;
        }
        if (!nearest || outside(plan, row) < outside(plan, nearest))
            nearest = row;
    }
    if (nearest && !n)
        family->chosen[family->n_chosen++] = nearest;
    for (size_t i = first; i < plan->n_rows; i++)
        if (!plan->rows[i].finished && !is_chosen(family, &plan->rows[i]))
            gcal_plan_leave_out(plan, &plan->rows[i]);
}

/* Will rung 'next' surely be too long?  Times of the two rungs before it, both measured,
 * are continued as a power of the size.  The longest rung is the dearest to try: its
 * buffers have to be filled.
 */
static bool is_too_long(const struct gcal_plan *plan, const struct gcal_plan_row *before,
                        const struct gcal_plan_row *last, const struct gcal_kernel *next)
{
    double size = product_of_sizes(last->kernel);
    double power = log(last->first_s / before->first_s) /
                   log(size / product_of_sizes(before->kernel));

    return last->first_s * pow(product_of_sizes(next) / size, fmin(power, MAX_POWER)) >
           SURELY * plan->options->max_time_s;
}

static int climb(struct gcal_plan *plan, struct family *family)
{
    double limit_s = plan->options->budget_s * CHOOSING_SHARE;
    size_t first = plan->n_rows;
    const struct gcal_plan_row *before = NULL, *last = NULL;
    int rc = 0;

    for (size_t i = 0; i < family->n_rungs && rc == 0; i++) {
        if ((i && gcal_plan_elapsed_s(plan) > limit_s) ||
            (before && last && is_too_long(plan, before, last, family->rungs[i])))
            break;
        before = last;
        rc = try_kernel(plan, family->rungs[i], i == 0);
        last = rc == 0 ? &plan->rows[plan->n_rows - 1] : NULL;
        if (rc == 0 && last->first_s > plan->options->max_time_s)
            break;
        /* The smallest may be too short for the device's clock: the next is longer. */
        if (rc > 0 && plan->rows[plan->n_rows - 1].status == GCAL_ROW_BAD_EVENTS)
            rc = 0;
    }
    if (rc >= 0)
        choose_rungs(plan, family, first);
    return rc < 0 ? -1 : 0;
}

/* Runs the check for a family; 'status' and 'why' tell what is wrong with it: 0 or 1, -1
 * when the plan ends.
 */
static int run_check(struct gcal_plan *plan, struct gcal_plan_row *row, bool *checked,
                     double *worst, enum gcal_row_status *status, struct gcal_error *why)
{
    const struct gcal_kernel *kernel = row->kernel;
    void **outputs = calloc(kernel->n_args + 1, sizeof(*outputs));
    enum gcal_worker_outcome outcome;
    int rc;

    if (!outputs)
        return gcal_error_memory(plan->err);
    *status = GCAL_ROW_LAUNCH_FAILED;
    outcome = plan->ops->check(plan->ops->context, kernel, plan->options->seed,
                               plan->options->kernel_limit_s, outputs, status, why);
    if (outcome != GCAL_WORKER_DONE) {
        rc = gcal_plan_settle(plan, row, outcome, *status, why);
        if (outcome == GCAL_WORKER_TIMED_OUT)
            *status = GCAL_ROW_TIMED_OUT;
        if (outcome == GCAL_WORKER_DIED)
            *status = GCAL_ROW_CRASHED;
        if (!*why->text)
            gcal_error_set(why, GCAL_EDEVICE, "its check did not end");
    } else {
        *status = GCAL_ROW_WRONG_RESULT;
        rc = gcal_plan_compare(kernel, plan->options->seed, outputs, worst, why);
        *checked = rc >= 0;
        rc = rc != 0;
    }
    for (size_t i = 0; i <= kernel->n_args; i++)
        free(outputs[i]);
    free(outputs);
    return rc;
}

static int check_family(struct gcal_plan *plan, struct family *family)
{
    enum gcal_row_status status;
    struct gcal_error why = { 0 };
    bool checked = false;
    double worst = 0;
    int rc;

    if (!family->n_chosen)
        return 0;
    if ((rc = run_check(plan, family->chosen[0], &checked, &worst, &status, &why)) < 0)
        return -1;
    if (rc)
        gcal_log(GCAL_LOG_WARN, "%s: %s", plan->info->name, why.text);
    for (size_t i = 0; i < family->n_chosen; i++) {
        struct gcal_plan_row *row = family->chosen[i];

        if (row->finished)
            continue;
        row->m.checked = checked;
        row->m.worst_difference = worst;
        if (rc && gcal_plan_finish(plan, row, status, why.text) < 0)
            return -1;
    }
    return 0;
}

/* The family's turn did not come: one row says so. */
static int skip_family(struct gcal_plan *plan, const struct family *family)
{
    const struct gcal_kernel *kernel =
        family->n_fixed ? family->fixed[0] : family->rungs[0];
    struct gcal_plan_row *row = gcal_plan_add(plan, kernel);
    char text[200];

    if (!row)
        return -1;
    snprintf(text, sizeof(text),
             "%.0f%% of the device's budget of %g s went by before its turn: raise "
             "budget_s",
             CHOOSING_SHARE * 100, plan->options->budget_s);
    row->m.stop = GCAL_STOP_BUDGET;
    return gcal_plan_finish(plan, row, GCAL_ROW_SKIPPED, text);
}

static int choose_family(struct gcal_plan *plan, const struct gcal_kernel_list *kernels,
                         const char *name)
{
    struct family family = { 0 };
    int rc = gather(plan, kernels, name, &family);

    if (rc == 0 && family.n_fixed + family.n_rungs) {
        if (gcal_plan_elapsed_s(plan) > plan->options->budget_s * CHOOSING_SHARE)
            rc = skip_family(plan, &family);
        else if ((rc = choose_fixed(plan, &family)) == 0 &&
                 (rc = climb(plan, &family)) == 0)
            rc = check_family(plan, &family);
    }
    family_clear(&family);
    return rc;
}

static bool is_first_of_family(const struct gcal_kernel_list *kernels, size_t i)
{
    /* Backwards: a family's kernels mostly follow each other. */
    for (size_t k = i; k-- > 0;)
        if (strcmp(kernels->kernels[k]->family, kernels->kernels[i]->family) == 0)
            return false;
    return true;
}

int gcal_plan_choose(struct gcal_plan *plan, const struct gcal_kernel_list *kernels)
{
    for (size_t i = 0; i < kernels->n_kernels; i++) {
        gcal_plan_progress(plan, "choosing sizes", i, kernels->n_kernels);
        if (is_first_of_family(kernels, i) &&
            choose_family(plan, kernels, kernels->kernels[i]->family) < 0)
            return -1;
    }
    return 0;
}
