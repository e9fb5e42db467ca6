/* sweep.c - families: which of their sizes are measured, and are they right?
 *
 * A family is a kernel at several sizes: some that tags fixed, which are all measured,
 * and the rungs of a ladder, of which those stay that run neither too short nor too
 * long.  Rungs that are left out get no row: nothing was learned but their time.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/clock.h"
#include "calib/base/error.h"
#include "calib/base/log.h"
#include "calib/plan/private.h"

/* A rung that would run this much longer than max_time_s is not tried; times grow with
 * no higher power of a size than that of a matrix product, noise apart.
 */
#define SURELY    1.25
#define MAX_POWER 3.0

/* A family's kernels in the list that are still to be done. */
struct family {
    size_t n_fixed, n_sizes;
    size_t n_wanted;                           /* rungs */
    const struct gcal_kernel **fixed, **sizes; /* rungs: smallest first */
    /* The rows chosen: at most n_fixed + n_rungs. */
    size_t n_chosen;
    struct gcal_plan_row **chosen;
};

const struct gcal_plan_done *gcal_plan_find_done(const struct gcal_plan *plan,
                                                 const struct gcal_kernel *kernel)
{
    for (size_t i = 0; i < plan->hooks->n_done; i++)
        if (strcmp(plan->hooks->done[i].kernel_id, kernel->id) == 0)
            return &plan->hooks->done[i];
    return NULL;
}

double gcal_plan_product_of_sizes(const struct gcal_kernel *kernel)
{
    double product = 1;

    for (size_t i = 0; i < kernel->n_sizes; i++)
        product *= kernel->sizes[i].value;
    return product;
}

static int by_size(const void *a, const void *b)
{
    double x = gcal_plan_product_of_sizes(*(const struct gcal_kernel *const *)a);
    double y = gcal_plan_product_of_sizes(*(const struct gcal_kernel *const *)b);

    return (x > y) - (x < y);
}

/* Whether parts are checked by the kernel, and it serves for nothing else. */
static bool only_checks(const struct gcal_kernel *kernel)
{
    const size_t suffix = strlen(GCAL_CONFIG_CHECK_SUFFIX);
    const char *at = kernel->models;

    if (!at || !*at)
        return false;
    for (; *at; at += strcspn(at, ","), at += *at == ',') {
        size_t length = strcspn(at, ",");

        if (length < suffix ||
            strncmp(at + length - suffix, GCAL_CONFIG_CHECK_SUFFIX, suffix) != 0)
            return false;
    }
    return true;
}

size_t gcal_plan_sizes_wanted(const struct gcal_plan *plan,
                              const struct gcal_kernel_list *kernels, const char *family)
{
    for (size_t i = 0; i < kernels->n_kernels; i++)
        if (kernels->kernels[i]->sweep &&
            strcmp(kernels->kernels[i]->family, family) == 0 &&
            !only_checks(kernels->kernels[i]))
            return plan->options->sizes;
    return 1;
}

/* Of a ladder that a resumed run has measured in part, only the rest is wanted. */
static int gather(const struct gcal_plan *plan, const struct gcal_kernel_list *kernels,
                  const char *name, struct family *family)
{
    size_t n = kernels->n_kernels, n_done = 0;
    size_t n_wanted = gcal_plan_sizes_wanted(plan, kernels, name);

    family->fixed = calloc(n, sizeof(*family->fixed));
    family->sizes = calloc(n, sizeof(*family->sizes));
    family->chosen = calloc(n, sizeof(*family->chosen));
    if (!family->fixed || !family->sizes || !family->chosen)
        return gcal_error_memory(plan->err);
    for (size_t i = 0; i < n; i++) {
        const struct gcal_kernel *kernel = kernels->kernels[i];

        if (strcmp(kernel->family, name) != 0)
            continue;
        if (gcal_plan_find_done(plan, kernel))
            n_done += kernel->sweep;
        else if (kernel->sweep)
            family->sizes[family->n_sizes++] = kernel;
        else
            family->fixed[family->n_fixed++] = kernel;
    }
    family->n_wanted = n_wanted - n_done;
    if (n_done >= n_wanted)
        family->n_wanted = family->n_sizes = 0;
    qsort(family->sizes, family->n_sizes, sizeof(*family->sizes), by_size);
    return 0;
}

static void family_clear(struct family *family)
{
    free(family->fixed);
    free(family->sizes);
    free(family->chosen);
}

int gcal_plan_try(struct gcal_plan *plan, const struct gcal_kernel *kernel, bool smallest)
{
    struct gcal_plan_row *row = gcal_plan_add(plan, kernel);
    int rc;

    if (!row)
        return -1;
    row->smallest = smallest;
    rc = gcal_plan_prepare(plan, row);
    /* Until there are measurements, this is the success that deaths are counted from. */
    if (rc == 0 && plan->order == 0)
        plan->failures = 0;
    return rc;
}

static int choose_fixed(struct gcal_plan *plan, struct family *family)
{
    for (size_t i = 0; i < family->n_fixed; i++) {
        int rc = gcal_plan_try(plan, family->fixed[i], false);

        if (rc < 0)
            return -1;
        if (rc == 0)
            family->chosen[family->n_chosen++] = &plan->rows[plan->n_rows - 1];
    }
    return 0;
}

double gcal_plan_limit_distance(const struct gcal_plan *plan,
                                const struct gcal_plan_row *row)
{
    const struct gcal_config_measure_options *o = plan->options;
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
static void choose_sizes(struct gcal_plan *plan, struct family *family, size_t first)
{
    struct gcal_plan_row *nearest = NULL;
    size_t n = 0;

    for (size_t i = plan->n_rows; i-- > first;) {
        struct gcal_plan_row *row = &plan->rows[i];

        if (row->finished)
            continue;
        if (gcal_plan_limit_distance(plan, row) == 0 && n < family->n_wanted) {
            family->chosen[family->n_chosen++] = row;
            n++;
        }
        if (!nearest ||
            gcal_plan_limit_distance(plan, row) < gcal_plan_limit_distance(plan, nearest))
            nearest = row;
    }
    if (nearest && !n)
        family->chosen[family->n_chosen++] = nearest;
    for (size_t i = first; i < plan->n_rows; i++)
        if (!plan->rows[i].finished && !is_chosen(family, &plan->rows[i]))
            gcal_plan_leave_out(plan, &plan->rows[i]);
}

/* Times of the two rungs before it, both measured, are continued as a power of the size.
 */
bool gcal_plan_is_too_long(const struct gcal_plan *plan,
                           const struct gcal_plan_row *before,
                           const struct gcal_plan_row *last,
                           const struct gcal_kernel *next)
{
    double size = gcal_plan_product_of_sizes(last->kernel);
    double power = log(last->first_s / before->first_s) /
                   log(size / gcal_plan_product_of_sizes(before->kernel));

    return last->first_s *
               pow(gcal_plan_product_of_sizes(next) / size, fmin(power, MAX_POWER)) >
           SURELY * plan->options->max_time_s;
}

static int run_sweep(struct gcal_plan *plan, struct family *family)
{
    double limit_s = plan->options->budget_s * GCAL_PLAN_CHOOSING_SHARE;
    size_t first = plan->n_rows;
    const struct gcal_plan_row *before = NULL, *last = NULL;
    int rc = 0;

    for (size_t i = 0; i < family->n_sizes && rc == 0; i++) {
        if ((i && gcal_plan_elapsed_s(plan) > limit_s) ||
            (before && last &&
             gcal_plan_is_too_long(plan, before, last, family->sizes[i])))
            break;
        before = last;
        rc = gcal_plan_try(plan, family->sizes[i], i == 0);
        last = rc == 0 ? &plan->rows[plan->n_rows - 1] : NULL;
        if (rc == 0 && last->first_s > plan->options->max_time_s)
            break;
        /* The smallest may be too short for the device's clock: the next is longer. */
        if (rc > 0 && plan->rows[plan->n_rows - 1].status == GCAL_MEASUREMENT_BAD_EVENTS)
            rc = 0;
    }
    if (rc >= 0)
        choose_sizes(plan, family, first);
    return rc < 0 ? -1 : 0;
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
            gcal_error_set(why, GCAL_EDEVICE, "its check did not end");
    } else {
        verdict->status = GCAL_MEASUREMENT_WRONG_RESULT;
        start_s = gcal_clock_now_s();
        rc = gcal_plan_compare_outputs(kernel, plan->options->seed, outputs,
                                       &verdict->worst, why);
        plan->spent_s[GCAL_PLAN_SPENT_COMPARING] += gcal_clock_now_s() - start_s;
        verdict->checked = rc >= 0;
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

static int check_family(struct gcal_plan *plan, struct family *family)
{
    struct gcal_plan_verdict verdict;

    if (!family->n_chosen)
        return 0;
    if (gcal_plan_check_family(plan, family->chosen[0], &verdict) < 0)
        return -1;
    for (size_t i = 0; i < family->n_chosen; i++)
        if (gcal_plan_apply_verdict(plan, family->chosen[i], &verdict) < 0)
            return -1;
    return 0;
}

/* The family's turn did not come: one row says so. */
static int skip_family(struct gcal_plan *plan, const struct family *family)
{
    const struct gcal_kernel *kernel =
        family->n_fixed ? family->fixed[0] : family->sizes[0];
    struct gcal_plan_row *row = gcal_plan_add(plan, kernel);
    char text[200];

    if (!row)
        return -1;
    snprintf(text, sizeof(text),
             "%.0f%% of the device's budget of %g s went by before its turn: raise "
             "budget_s",
             GCAL_PLAN_CHOOSING_SHARE * 100, plan->options->budget_s);
    row->m.stop = GCAL_MEASUREMENT_STOP_BUDGET;
    return gcal_plan_finish(plan, row, GCAL_MEASUREMENT_SKIPPED, text);
}

int gcal_plan_sweep_family(struct gcal_plan *plan, const struct gcal_kernel_list *kernels,
                           const char *name)
{
    struct family family = { 0 };
    int rc = gather(plan, kernels, name, &family);

    if (rc == 0 && family.n_fixed + family.n_sizes) {
        if (gcal_plan_elapsed_s(plan) >
            plan->options->budget_s * GCAL_PLAN_CHOOSING_SHARE)
            rc = skip_family(plan, &family);
        else if ((rc = choose_fixed(plan, &family)) == 0 &&
                 (rc = run_sweep(plan, &family)) == 0)
            rc = check_family(plan, &family);
    }
    family_clear(&family);
    return rc;
}

bool gcal_plan_is_first_of_family(const struct gcal_kernel_list *kernels, size_t i)
{
    /* Backwards: a family's kernels mostly follow each other. */
    for (size_t k = i; k-- > 0;)
        if (strcmp(kernels->kernels[k]->family, kernels->kernels[i]->family) == 0)
            return false;
    return true;
}

int gcal_plan_sweep_sizes(struct gcal_plan *plan, const struct gcal_kernel_list *kernels)
{
    for (size_t i = 0; i < kernels->n_kernels; i++) {
        gcal_plan_report_progress(plan, "choosing sizes", i, kernels->n_kernels);
        if (gcal_plan_is_first_of_family(kernels, i) &&
            gcal_plan_sweep_family(plan, kernels, kernels->kernels[i]->family) < 0)
            return -1;
    }
    return 0;
}
