/* set.c - a kernel at one point on one device, and all of them that a command is about */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "mpi/commands/explain/private.h"

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
    gcal_explain_occupancy_find(c->lab, &c->occupancy);
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
