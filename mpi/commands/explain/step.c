/* step.c - a step of copies, the kernel and copies back, taken apart */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/units.h"
#include "kernels/model/profile.h"
#include "mpi/cli/json.h"
#include "mpi/commands/explain/private.h"

/* Changes below this share of the step are left out. */
#define LEAST_CHANGE 0.01

const char *const gcal_explain_step_parts[GCAL_EXPLAIN_STEP_PARTS] = {
    [GCAL_EXPLAIN_STEP_IN] = "copies to the device",
    [GCAL_EXPLAIN_STEP_KERNEL] = "the kernel",
    [GCAL_EXPLAIN_STEP_OUT] = "copies back",
};

void gcal_explain_step_clear(struct gcal_explain_step *s)
{
    for (size_t i = 0; i < s->n_changes; i++)
        free(s->changes[i].what);
    free(s->copies);
    *s = (struct gcal_explain_step){ 0 };
}

/* ---- parts ---- */

static int find_copies(const struct gcal_explain_case *c, struct gcal_explain_step *s,
                       struct gcal_error *err)
{
    size_t n = gcal_step_plan_count(c->plan);

    if (!(s->copies = calloc(n + 1, sizeof(*s->copies))))
        return gcal_error_memory(err);
    while (s->n_copies < n) {
        if (gcal_step_plan_copy(c->plan, s->n_copies, c->sizes, &s->copies[s->n_copies],
                                err) < 0)
            return -1;
        s->n_copies++;
    }
    return 0;
}

double gcal_explain_step_part(const struct gcal_explain_step *s,
                              enum gcal_explain_step_name part)
{
    return part == GCAL_EXPLAIN_STEP_IN       ? s->step.in_s
           : part == GCAL_EXPLAIN_STEP_KERNEL ? s->step.kernel_s
                                              : s->step.out_s;
}

enum gcal_explain_step_name gcal_explain_step_longest(const struct gcal_explain_step *s)
{
    enum gcal_explain_step_name longest = GCAL_EXPLAIN_STEP_IN;

    for (int i = GCAL_EXPLAIN_STEP_IN; i < GCAL_EXPLAIN_STEP_PARTS; i++)
        if (gcal_explain_step_part(s, (enum gcal_explain_step_name)i) >
            gcal_explain_step_part(s, longest))
            longest = (enum gcal_explain_step_name)i;
    return longest;
}

/* ---- changes ---- */

static int add_change(struct gcal_explain_step *s, char *what, double time_s,
                      struct gcal_error *err)
{
    if (!what)
        return gcal_error_memory(err);
    if (s->n_changes == GCAL_EXPLAIN_STEP_CHANGES || !isfinite(time_s) ||
        time_s > (1 - LEAST_CHANGE) * s->step.time_s)
        free(what);
    else
        s->changes[s->n_changes++] = (struct gcal_explain_step_change){ what, time_s };
    return 0;
}

static bool all_pinned(const struct gcal_explain_step *s)
{
    for (size_t i = 0; i < s->n_copies; i++)
        if (s->copies[i].host != GCAL_FEATURE_PINNED)
            return false;
    return true;
}

static const char *overlap_words(const struct gcal_explain_case *c)
{
    bool both = isfinite(gcal_transfers_exposed_both(gcal_step_plan_transfers(c->plan)));

    return both && c->step.step.in_s > 0 && c->step.step.out_s > 0
               ? "repeated steps in three queues, for the kernel and for each direction"
               : "repeated steps in two queues, for the kernel and for copies";
}

static int add_pinned(const struct gcal_explain_case *c, struct gcal_explain_step *s,
                      struct gcal_error *err)
{
    struct gcal_step pinned;

    if (all_pinned(s) || gcal_step_plan_eval_in(c->plan, GCAL_FEATURE_PINNED, c->sizes,
                                                &c->prediction, &pinned, NULL) < 0)
        return 0;
    if (add_change(s, gcal_buf_format("pinned memory of the host"), pinned.time_s, err) <
        0)
        return -1;
    return add_change(s, gcal_buf_format("pinned memory, and %s", overlap_words(c)),
                      pinned.overlapped_s, err);
}

static int by_time(const void *a, const void *b)
{
    const struct gcal_explain_step_change *x = a, *y = b;

    return (x->time_s > y->time_s) - (x->time_s < y->time_s);
}

static int find_changes(const struct gcal_explain_case *c, struct gcal_explain_step *s,
                        struct gcal_error *err)
{
    int rc = add_pinned(c, s, err);

    if (rc == 0)
        rc = add_change(s, gcal_buf_format("%s", overlap_words(c)), s->step.overlapped_s,
                        err);
    if (rc == 0)
        rc = add_change(s, gcal_buf_format("the kernel in half its time"),
                        s->step.time_s - s->step.kernel_s / 2, err);
    if (rc == 0 && s->step.in_s > 0)
        rc = add_change(s, gcal_buf_format("half of the bytes to the device"),
                        s->step.time_s - s->bytes_in_s / 2, err);
    if (rc == 0 && s->step.out_s > 0)
        rc = add_change(s, gcal_buf_format("half of the bytes back"),
                        s->step.time_s - s->bytes_out_s / 2, err);
    if (s->n_changes)
        qsort(s->changes, s->n_changes, sizeof(*s->changes), by_time);
    return rc;
}

int gcal_explain_step_find(struct gcal_explain_case *c, struct gcal_error *err)
{
    struct gcal_explain_step *s = &c->step;

    if (!c->plan)
        return 0;
    if (gcal_step_plan_eval(c->plan, c->sizes, &c->prediction, &s->step, err) < 0 ||
        find_copies(c, s, err) < 0)
        return -1;
    for (size_t i = 0; i < s->n_copies; i++)
        *(s->copies[i].way == GCAL_FEATURE_TO_DEVICE ? &s->bytes_in_s
                                                     : &s->bytes_out_s) +=
            s->copies[i].time_s - s->copies[i].start_s;
    return find_changes(c, s, err);
}

/* ---- text ---- */

static void print_head(const struct gcal_explain_case *c)
{
    const struct gcal_explain_step *s = &c->step;
    enum gcal_explain_step_name longest = gcal_explain_step_longest(s);
    char time[GCAL_UNITS_SIZE], low[GCAL_UNITS_SIZE], high[GCAL_UNITS_SIZE];

    printf("\nstep of copies and kernel: %s, 90 %% interval %s to %s (model %s%s)\n",
           gcal_units(s->step.time_s, "s", time), gcal_units(s->step.low_s, "s", low),
           gcal_units(s->step.high_s, "s", high),
           gcal_transfers_model(gcal_step_plan_transfers(c->plan)),
           s->step.extrapolates ? ", extrapolated" : "");
    printf("limited by %s: %.0f %% of the step", gcal_explain_step_parts[longest],
           100 * gcal_explain_step_part(s, longest) / s->step.time_s);
    if (longest != GCAL_EXPLAIN_STEP_KERNEL)
        printf("; the kernel is %.2g %%", 100 * s->step.kernel_s / s->step.time_s);
    puts("");
}

static void print_copy(const struct gcal_explain_step *s,
                       const struct gcal_step_copy *copy)
{
    char bytes[GCAL_UNITS_SIZE], time[GCAL_UNITS_SIZE], start[GCAL_UNITS_SIZE], rate[32];

    printf("%-9s %-16.16s %10s  %-8s %10s %6.1f %% %10s  %s%s\n",
           copy->way == GCAL_FEATURE_TO_DEVICE ? "copy in" : "copy out",
           copy->buffer ? copy->buffer : "-", gcal_units(copy->bytes, "B", bytes),
           gcal_feature_host_memory_names[copy->host],
           gcal_units(copy->time_s, "s", time), 100 * copy->time_s / s->step.time_s,
           gcal_units(copy->start_s, "s", start),
           gcal_explain_rate(copy->bytes / copy->time_s, GCAL_EXPLAIN_BYTES, rate,
                             sizeof(rate)),
           copy->extrapolates ? " extrapolated" : "");
}

static void print_kernel(const struct gcal_explain_case *c)
{
    const struct gcal_step *step = &c->step.step;
    char time[GCAL_UNITS_SIZE];

    printf("%-9s %-16.16s %10s  %-8s %10s %6.1f %%\n", "kernel",
           c->subject->target.profile->kernel, "", "",
           gcal_units(step->kernel_s, "s", time), 100 * step->kernel_s / step->time_s);
}

static void print_table(const struct gcal_explain_case *c)
{
    const struct gcal_explain_step *s = &c->step;

    printf("%-9s %-16s %10s  %-8s %10s %8s %10s  rate\n", "part", "of", "bytes", "memory",
           "time", "of step", "start");
    for (size_t i = 0; i < s->n_copies; i++)
        if (s->copies[i].way == GCAL_FEATURE_TO_DEVICE)
            print_copy(s, &s->copies[i]);
    print_kernel(c);
    for (size_t i = 0; i < s->n_copies; i++)
        if (s->copies[i].way != GCAL_FEATURE_TO_DEVICE)
            print_copy(s, &s->copies[i]);
}

/* What overlap hides, where steps repeat. */
static void print_overlap(const struct gcal_explain_case *c)
{
    const struct gcal_explain_step *s = &c->step;
    const struct gcal_transfers *t = gcal_step_plan_transfers(c->plan);
    const struct gcal_step *step = &s->step;
    double copies_s = step->in_s + step->out_s;
    char a[GCAL_UNITS_SIZE], b[GCAL_UNITS_SIZE];

    if (isnan(step->overlapped_s))
        return;
    printf("steps that repeat, copies of one beside the kernel of another: %s for each "
           "(%+.1f %%)\n",
           gcal_units(step->overlapped_s, "s", a),
           100 * (step->overlapped_s / step->time_s - 1));
    if (step->copies_s < copies_s)
        printf("  copies in and back at once: %s instead of %s (%.2g %% of the shorter "
               "direction not hidden)\n",
               gcal_units(step->copies_s, "s", a), gcal_units(copies_s, "s", b),
               100 * gcal_transfers_exposed_both(t));
    else if (step->in_s > 0 && step->out_s > 0)
        printf("  copies in and back one after the other: the model does not know both "
               "directions at once\n");
    printf("  %s behind %s: %s of %s hidden (%.2g %% are not)\n",
           step->copies_s < step->kernel_s ? "copies" : "the kernel",
           step->copies_s < step->kernel_s ? "the kernel" : "copies",
           gcal_units(step->copies_s + step->kernel_s - step->overlapped_s, "s", a),
           gcal_units(fmin(step->copies_s, step->kernel_s), "s", b),
           100 * gcal_transfers_exposed(t));
    if (!all_pinned(s))
        printf("  (overlap is measured with pinned memory: a driver may hide less of "
               "copies of other memory)\n");
}

static void print_changes(const struct gcal_explain_step *s)
{
    char from[GCAL_UNITS_SIZE], to[GCAL_UNITS_SIZE];

    if (s->n_changes)
        puts("what would help the step most:");
    for (size_t i = 0; i < s->n_changes; i++)
        printf("%+6.1f %%  %s: %s -> %s\n",
               100 * (s->changes[i].time_s / s->step.time_s - 1), s->changes[i].what,
               gcal_units(s->step.time_s, "s", from),
               gcal_units(s->changes[i].time_s, "s", to));
}

void gcal_explain_step_print(const struct gcal_explain_case *c)
{
    if (!c->plan)
        return;
    print_head(c);
    print_table(c);
    print_overlap(c);
    print_changes(&c->step);
}

/* ---- JSON ---- */

int gcal_explain_step_add_json(json_t *all, const struct gcal_explain_case *c,
                               struct gcal_error *err)
{
    static const char *const names[GCAL_EXPLAIN_STEP_PARTS] = { "copies in", "kernel",
                                                                "copies out" };
    json_t *step, *changes;

    if (!c->plan)
        return 0;
    if (gcal_step_add_json(all, c->plan, c->sizes, &c->prediction, err) < 0)
        return -1;
    step = json_object_get(all, "step");
    json_object_set_new(step, "limited_by",
                        json_string(names[gcal_explain_step_longest(&c->step)]));
    changes = json_array();
    for (size_t i = 0; i < c->step.n_changes; i++)
        json_array_append_new(
            changes, json_pack("{s:s, s:f, s:f}", "what", c->step.changes[i].what,
                               "time_s", c->step.changes[i].time_s, "change",
                               c->step.changes[i].time_s / c->step.step.time_s - 1));
    json_object_set_new(step, "advice", changes);
    return 0;
}
