/* step.c - a step of copies, the kernel and copies back, taken apart */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mpi/commands/explain/private.h"

/* Changes below this share of the step are left out. */
#define LEAST_CHANGE 0.01

const char *const gcal_explain_step_parts[GCAL_EXPLAIN_STEP_PARTS] = {
    [GCAL_EXPLAIN_STEP_IN] = "copies to the device",
    [GCAL_EXPLAIN_STEP_KERNEL] = "the kernel",
    [GCAL_EXPLAIN_STEP_OUT] = "copies back",
};

static void add_change(struct gcal_explain_case *c, const char *what, double time_s)
{
    struct gcal_explain_step *s = &c->step;

    if (isfinite(time_s) && time_s <= (1 - LEAST_CHANGE) * s->step.time_s)
        gcal_explain_changes_put(c->arena, &s->changes,
                                 (struct gcal_explain_change){ what, time_s, NAN, NULL });
}

static void find_changes(struct gcal_explain_case *c)
{
    struct gcal_explain_step *s = &c->step;
    double in_s = 0, out_s = 0; /* of the copies' times, what depends on bytes */
    const char *overlap =
        isfinite(gcal_transfers_exposed_both(gcal_step_plan_transfers(c->plan))) &&
                s->step.in_s > 0 && s->step.out_s > 0
            ? "repeated steps in three queues, for the kernel and for each direction"
            : "repeated steps in two queues, for the kernel and for copies";
    struct gcal_step pinned;

    s->changes.of_step = true;
    s->changes.before_s = s->step.time_s;
    for (size_t i = 0; i < s->n_copies; i++)
        *(s->copies[i].way == GCAL_FEATURE_TO_DEVICE ? &in_s : &out_s) +=
            s->copies[i].time_s - s->copies[i].start_s;
    if (!s->pinned && gcal_step_plan_eval_in(c->plan, GCAL_FEATURE_PINNED, c->sizes,
                                             &c->prediction, &pinned, NULL) == 0) {
        add_change(c, "pinned memory of the host", pinned.time_s);
        add_change(c, gcal_arena_format(c->arena, "pinned memory, and %s", overlap),
                   pinned.overlapped_s);
    }
    add_change(c, overlap, s->step.overlapped_s);
    add_change(c, "the kernel in half its time", s->step.time_s - s->step.kernel_s / 2);
    if (s->step.in_s > 0)
        add_change(c, "half of the bytes to the device", s->step.time_s - in_s / 2);
    if (s->step.out_s > 0)
        add_change(c, "half of the bytes back", s->step.time_s - out_s / 2);
    gcal_explain_changes_keep(&s->changes, 0, s->changes.n);
}

int gcal_explain_step_find(struct gcal_explain_case *c, struct gcal_error *err)
{
    struct gcal_explain_step *s = &c->step;

    if (!c->plan)
        return 0;
    if (gcal_step_plan_eval(c->plan, c->sizes, &c->prediction, &s->step, err) < 0)
        return -1;
    s->parts_s[GCAL_EXPLAIN_STEP_IN] = s->step.in_s;
    s->parts_s[GCAL_EXPLAIN_STEP_KERNEL] = s->step.kernel_s;
    s->parts_s[GCAL_EXPLAIN_STEP_OUT] = s->step.out_s;
    for (int i = 0; i < GCAL_EXPLAIN_STEP_PARTS; i++)
        if (s->parts_s[i] > s->parts_s[s->longest])
            s->longest = (enum gcal_explain_step_name)i;
    s->n_copies = gcal_step_plan_count(c->plan);
    s->copies = gcal_arena_alloc(c->arena, s->n_copies, sizeof(*s->copies));
    s->pinned = true;
    for (size_t i = 0; i < s->n_copies; i++) {
        if (gcal_step_plan_copy(c->plan, i, c->sizes, &s->copies[i], err) < 0)
            return -1;
        s->pinned = s->pinned && s->copies[i].host == GCAL_FEATURE_PINNED;
    }
    find_changes(c);
    return 0;
}

/* ---- text ---- */

static void print_head(const struct gcal_explain_case *c)
{
    const struct gcal_explain_step *s = &c->step;
    char time[GCAL_UNITS_SIZE], low[GCAL_UNITS_SIZE], high[GCAL_UNITS_SIZE];

    printf("\nstep of copies and kernel: %s, 90 %% interval %s to %s (model %s%s)\n",
           gcal_units(s->step.time_s, "s", time), gcal_units(s->step.low_s, "s", low),
           gcal_units(s->step.high_s, "s", high),
           gcal_transfers_model(gcal_step_plan_transfers(c->plan)),
           s->step.extrapolates ? ", extrapolated" : "");
    printf("limited by %s: %.0f %% of the step", gcal_explain_step_parts[s->longest],
           100 * s->parts_s[s->longest] / s->step.time_s);
    if (s->longest != GCAL_EXPLAIN_STEP_KERNEL)
        printf("; the kernel is %.2g %%", 100 * s->step.kernel_s / s->step.time_s);
    puts("");
}

static void print_copy(const struct gcal_explain_step *s,
                       const struct gcal_step_copy *copy)
{
    char bytes[GCAL_UNITS_SIZE], time[GCAL_UNITS_SIZE], start[GCAL_UNITS_SIZE],
        rate[GCAL_UNITS_SIZE];

    printf("%-9s %-16.16s %10s  %-8s %10s %6.1f %% %10s  %s%s\n",
           copy->way == GCAL_FEATURE_TO_DEVICE ? "copy in" : "copy out",
           copy->buffer ? copy->buffer : "-", gcal_units(copy->bytes, "B", bytes),
           gcal_feature_host_memory_names[copy->host],
           gcal_units(copy->time_s, "s", time), 100 * copy->time_s / s->step.time_s,
           gcal_units(copy->start_s, "s", start),
           gcal_explain_rate(copy->bytes / copy->time_s, GCAL_EXPLAIN_BYTES, rate),
           copy->extrapolates ? " extrapolated" : "");
}

static void print_copies(const struct gcal_explain_step *s, bool to_device)
{
    for (size_t i = 0; i < s->n_copies; i++)
        if ((s->copies[i].way == GCAL_FEATURE_TO_DEVICE) == to_device)
            print_copy(s, &s->copies[i]);
}

/* What overlap hides, where steps repeat. */
static void print_overlap(const struct gcal_explain_case *c)
{
    const struct gcal_transfers *t = gcal_step_plan_transfers(c->plan);
    const struct gcal_step *step = &c->step.step;
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
    if (!c->step.pinned)
        printf("  (overlap is measured with pinned memory: a driver may hide less of "
               "copies of other memory)\n");
}

void gcal_explain_step_print(const struct gcal_explain_case *c)
{
    const struct gcal_step *step = &c->step.step;
    char time[GCAL_UNITS_SIZE];

    if (!c->plan)
        return;
    print_head(c);
    printf("%-9s %-16s %10s  %-8s %10s %8s %10s  rate\n", "part", "of", "bytes", "memory",
           "time", "of step", "start");
    print_copies(&c->step, true);
    printf("%-9s %-16.16s %10s  %-8s %10s %6.1f %%\n", "kernel",
           c->subject->target.profile->kernel, "", "",
           gcal_units(step->kernel_s, "s", time), 100 * step->kernel_s / step->time_s);
    print_copies(&c->step, false);
    print_overlap(c);
    gcal_explain_changes_print(c, &c->step.changes, "what would help the step most:");
}

/* ---- JSON ---- */

int gcal_explain_step_add_json(json_t *all, const struct gcal_explain_case *c,
                               struct gcal_error *err)
{
    static const char *const names[GCAL_EXPLAIN_STEP_PARTS] = { "copies in", "kernel",
                                                                "copies out" };
    json_t *step;

    if (!c->plan)
        return 0;
    if (gcal_step_add_json(all, c->plan, c->sizes, &c->prediction, err) < 0)
        return -1;
    step = json_object_get(all, "step");
    json_object_set_new(step, "limited_by", json_string(names[c->step.longest]));
    json_object_set_new(step, "advice", gcal_explain_changes_json(&c->step.changes));
    return 0;
}
