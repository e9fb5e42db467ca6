/* set.c - a kernel at one point on one device, and all of them that a command is about */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "kernels/model/expr.h"
#include "kernels/model/named_expr.h"
#include "mpi/commands/explain/private.h"

/* ---- how many work-groups a compute unit holds, what bounds them, and waves ---- */

/* What an expression bounds is known by the first of these features that it has. */
static const struct {
    const char *feature, *by;
} subjects[] = {
    { "f_device_local_memory_bytes", "local memory" },
    { "f_device_registers", "registers" },
    { "f_device_work_items", "size of work-groups" },
    { "f_device_work_groups", "work-groups of a compute unit" },
};

static void add_bound(const struct gcal_explain_lab *lab, const char *text,
                      struct gcal_explain_occupancy *o)
{
    char *whole = gcal_expr_names_resolve(lab->names_of_uses, text, NULL);
    double groups = gcal_explain_lab_compute(lab, text);
    const char *by = NULL;

    for (size_t i = 0; whole && !by && i < sizeof(subjects) / sizeof(*subjects); i++)
        if (strstr(whole, subjects[i].feature))
            by = subjects[i].by;
    free(whole);
    /* Where the device does not say how many registers it has, they bound nothing. */
    if (by && isfinite(groups) && groups < 1e6 && o->n_bounds < GCAL_EXPLAIN_MAX_BOUNDS)
        o->bounds[o->n_bounds++] = (struct gcal_explain_bound){ by, groups };
}

/* The arguments of the first min() of the expression. */
static void find_bounds(const struct gcal_explain_lab *lab,
                        struct gcal_explain_occupancy *o)
{
    const char *resident = lab->sources[gcal_explain_lab_find(lab, "resident")];
    struct gcal_expr_span bounds[GCAL_EXPLAIN_MAX_BOUNDS];
    size_t n = gcal_expr_find_arguments(resident, "min", GCAL_EXPLAIN_MAX_BOUNDS, bounds);

    for (size_t i = 0; i < n; i++)
        add_bound(lab,
                  gcal_arena_format(lab->arena, "%.*s", (int)bounds[i].length,
                                    resident + bounds[i].start),
                  o);
}

static int compare_groups(const void *a, const void *b)
{
    const struct gcal_explain_bound *x = a, *y = b;

    return (x->groups > y->groups) - (x->groups < y->groups);
}

static void find_occupancy(const struct gcal_explain_lab *lab,
                           struct gcal_explain_occupancy *o)
{
    double most = gcal_explain_lab_compute(lab, "f_device_work_items"), held, full;
    double lanes = (double)lab->device->info.sub_group_size;

    *o = (struct gcal_explain_occupancy){
        .resident = gcal_explain_lab_value(lab, "resident"),
        .units = gcal_explain_lab_compute(lab, "f_device_compute_units"),
        .groups = gcal_explain_lab_compute(lab, "f_thread_groups"),
        .registers = gcal_explain_lab_value(lab, "registers"),
        .built = gcal_explain_lab_compute(lab, "f_kernel_registers") > 0,
        .local_bytes = gcal_explain_lab_compute(lab, "f_local_memory_bytes"),
        .unit_local_bytes = gcal_explain_lab_compute(lab, "f_device_local_memory_bytes"),
    };
    o->items = gcal_explain_lab_compute(lab, "f_work_items") / o->groups;
    o->known =
        o->resident > 0 && o->units > 0 && o->groups > 0 && most > 0 && o->items > 0;
    if (!o->known)
        return;
    /* Sub-groups are held as a whole. */
    held = lanes > 0 ? ceil(o->items / lanes) * lanes : o->items;
    full = o->units * o->resident;
    o->occupancy = fmin(1, o->resident * held / most);
    o->achieved = fmin(o->occupancy, o->groups / o->units * held / most);
    o->waves = o->groups / full;
    o->last_wave = o->waves - (ceil(o->waves) - 1);
    find_bounds(lab, o);
    qsort(o->bounds, o->n_bounds, sizeof(*o->bounds), compare_groups);
}

/* ---- a kernel at one point on one device, and all of them that a command is about ---- */

GCAL_ARENA_DESTROYER(clear_subject, gcal_predict_subject_clear)

GCAL_ARENA_DESTROYER(clear_points, gcal_strings_clear)

/* At a point of the subject; 'plan' NULL: the kernel alone. */
static int add_case(struct gcal_arena *arena, struct gcal_explain_set *set,
                    const struct gcal_predict_subject_options *o,
                    const struct gcal_predict_subject *subject,
                    const struct gcal_step_plan *plan, const double *sizes,
                    struct gcal_error *err)
{
    const struct gcal_profile *profile = subject->target.profile;
    struct gcal_explain_case *c = gcal_arena_alloc(arena, 1, sizeof(*c));

    if (set->n_cases == GCAL_EXPLAIN_MOST_CASES)
        return gcal_error_set(err, GCAL_EINPUT,
                              "more than %d kernels, sizes and devices in all",
                              GCAL_EXPLAIN_MOST_CASES);
    set->cases[set->n_cases++] = c;
    c->arena = arena;
    c->options = o;
    c->subject = subject;
    c->notes_printed = o->count.file;
    c->sizes = sizes;
    c->point = gcal_arena_own(arena, gcal_count_point_name(profile, sizes), free);
    c->point = c->point ? c->point : "";
    c->plan = plan;
    if (!(c->lab = gcal_explain_lab_open(arena, subject->published.device,
                                         o->published.model, profile, sizes, err)) ||
        gcal_predictor_eval(c->lab->predictor, sizes, &c->prediction, NULL, err) < 0)
        return -1;
    gcal_explain_limits_find(c->lab, &c->limits);
    find_occupancy(c->lab, &c->occupancy);
    c->sentence = gcal_explain_sentence(c);
    c->advice.before_s = c->asked.before_s = c->limits.time_s;
    return gcal_explain_accesses_find(c, err) < 0 ? -1 : gcal_explain_step_find(c, err);
}

/* The cases of one subject: its points. */
static int add_subject(struct gcal_arena *arena, struct gcal_explain_set *set,
                       const struct gcal_predict_subject_options *o,
                       const struct gcal_step_options *step, struct gcal_error *err)
{
    struct gcal_predict_subject *s = gcal_arena_alloc(arena, 1, sizeof(*s));
    const struct gcal_step_plan *plan = NULL;

    if (set->n_subjects == GCAL_EXPLAIN_MOST_CASES)
        return gcal_error_set(err, GCAL_EINPUT, "more than %d kernels and devices",
                              GCAL_EXPLAIN_MOST_CASES);
    set->subjects[set->n_subjects++] = gcal_arena_own(arena, s, clear_subject);
    if (gcal_predict_subject_open(o, s, err) < 0)
        return -1;
    if (gcal_step_options_given(step)) {
        const struct gcal_step_source source = { .profile = s->target.profile,
                                                 .count = &o->count,
                                                 .kernel = s->kernel };

        if (!(plan =
                  gcal_step_plan_create(arena, step, &source, s->published.device, err)))
            return -1;
    }
    for (size_t i = 0; i < s->target.points.n; i++)
        if (add_case(arena, set, o, s, plan,
                     s->target.sizes + i * s->target.points.n_sizes, err) < 0)
            return -1;
    return 0;
}

/* A kernel's source is counted for each of its points by itself. */
static int add_points(struct gcal_arena *arena, struct gcal_explain_set *set,
                      const struct gcal_predict_subject_options *o,
                      const struct gcal_step_options *step, struct gcal_error *err)
{
    const struct gcal_option_list *ats = &o->count.ats;
    struct gcal_strings *points = gcal_arena_alloc(arena, 1, sizeof(*points));

    gcal_arena_own(arena, points, clear_points);
    if (gcal_count_points_each(ats->n, ats->items, points, err) < 0)
        return -1;
    for (size_t i = 0; i < points->n; i++) {
        struct gcal_predict_subject_options *one =
            gcal_arena_alloc(arena, 1, sizeof(*one));

        *one = *o;
        one->count.ats =
            (struct gcal_option_list){ .n = 1,
                                       .items = (const char **)&points->items[i] };
        if (add_subject(arena, set, one, step, err) < 0)
            return -1;
    }
    return 0;
}

/* All kernels on one device. */
static int add_device(struct gcal_arena *arena, struct gcal_explain_set *set,
                      const struct gcal_predict_subject_options *options,
                      const struct gcal_step_options *step, struct gcal_error *err)
{
    size_t n = options->profiles.n ? options->profiles.n : 1;

    for (size_t i = 0; i < n; i++) {
        struct gcal_predict_subject_options *o = gcal_arena_alloc(arena, 1, sizeof(*o));

        *o = *options;
        o->several = true;
        if (o->profiles.n)
            o->profile = o->profiles.items[i];
        o->pick = o->profiles.n ? 0 : i;
        if ((o->count.file && o->count.ats.n ? add_points : add_subject)(arena, set, o,
                                                                         step, err) < 0)
            return -1;
        if (o->tags.n)
            n = set->subjects[set->n_subjects - 1]->list.n_kernels;
    }
    return 0;
}

int gcal_explain_set_open(struct gcal_arena *arena, struct gcal_explain_set *set,
                          const struct gcal_explain_set_options *options,
                          struct gcal_error *err)
{
    *set = (struct gcal_explain_set){ 0 };
    if (add_device(arena, set, options->subject, options->step, err) < 0)
        return -1;
    for (size_t i = 0; i < options->besides->n; i++) {
        struct gcal_predict_subject_options o = *options->subject;
        const char *beside = options->besides->items[i];
        /* A parameter file if there is one of that name, else a node. */
        bool is_file = access(beside, R_OK) == 0;

        o.published.params = is_file ? beside : NULL;
        o.published.node = is_file ? NULL : beside;
        if (is_file)
            o.published.store = NULL;
        if (add_device(arena, set, &o, options->step, err) < 0)
            return -1;
    }
    return 0;
}
