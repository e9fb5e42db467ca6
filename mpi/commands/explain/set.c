/* set.c - all cases of one command: kernels, devices and sizes */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "mpi/commands/explain/private.h"

void gcal_explain_set_clear(struct gcal_explain_set *set)
{
    for (size_t i = 0; i < set->n_cases; i++) {
        gcal_explain_case_clear(set->cases[i]);
        free(set->cases[i]);
    }
    for (size_t i = 0; i < set->n_subjects; i++) {
        gcal_step_plan_destroy(set->plans[i]);
        gcal_predict_subject_clear(set->subjects[i]);
        free(set->subjects[i]);
    }
    *set = (struct gcal_explain_set){ 0 };
}

/* At a point of the last subject. */
static int add_case(struct gcal_explain_set *set,
                    const struct gcal_predict_subject_options *o, const double *sizes,
                    struct gcal_error *err)
{
    size_t last = set->n_subjects - 1;
    struct gcal_explain_case *c;
    int rc;

    if (set->n_cases == GCAL_EXPLAIN_MOST_CASES)
        return gcal_error_set(err, GCAL_EINPUT,
                              "more than %d kernels, sizes and devices in all",
                              GCAL_EXPLAIN_MOST_CASES);
    if (!(c = calloc(1, sizeof(*c))))
        return gcal_error_memory(err);
    set->cases[set->n_cases++] = c;
    rc = gcal_explain_case_open(c, set->subjects[last], o->published.model,
                                set->plans[last], sizes, err);
    c->notes_printed = o->count.file;
    return rc;
}

/* The copies of the last subject, if any. */
static int plan_step(struct gcal_explain_set *set,
                     const struct gcal_predict_subject_options *o,
                     const struct gcal_step_options *options, struct gcal_error *err)
{
    size_t last = set->n_subjects - 1;
    const struct gcal_predict_subject *s = set->subjects[last];
    const struct gcal_step_source source = { .profile = s->target.profile,
                                             .count = &o->count,
                                             .kernel = s->kernel };

    if (!gcal_step_options_given(options))
        return 0;
    set->plans[last] = gcal_step_plan_create(options, &source, s->published.device, err);
    return set->plans[last] ? 0 : -1;
}

/* The cases of one subject: its points. */
static int add_subject(struct gcal_explain_set *set,
                       const struct gcal_predict_subject_options *o,
                       const struct gcal_step_options *step, struct gcal_error *err)
{
    struct gcal_predict_subject *s = calloc(1, sizeof(*s));
    int rc;

    if (!s)
        return gcal_error_memory(err);
    if (set->n_subjects == GCAL_EXPLAIN_MOST_CASES) {
        free(s);
        return gcal_error_set(err, GCAL_EINPUT, "more than %d kernels and devices",
                              GCAL_EXPLAIN_MOST_CASES);
    }
    set->subjects[set->n_subjects++] = s;
    rc = gcal_predict_subject_open(o, s, err);
    if (rc == 0)
        rc = plan_step(set, o, step, err);
    for (size_t i = 0; rc == 0 && i < s->target.points.n; i++)
        rc = add_case(set, o, s->target.sizes + i * s->target.points.n_sizes, err);
    return rc;
}

/* All kernels on one device. */
static int add_device(struct gcal_explain_set *set,
                      const struct gcal_predict_subject_options *options,
                      const struct gcal_step_options *step, struct gcal_error *err)
{
    struct gcal_predict_subject_options o = *options;
    size_t n = o.profiles.n ? o.profiles.n : 1;
    int rc = 0;

    o.several = true;
    for (size_t i = 0; i < n && rc == 0; i++) {
        if (o.profiles.n)
            o.profile = o.profiles.items[i];
        o.pick = o.profiles.n ? 0 : i;
        rc = add_subject(set, &o, step, err);
        if (rc == 0 && o.tags.n)
            n = set->subjects[set->n_subjects - 1]->list.n_kernels;
    }
    return rc;
}

/* A parameter file if there is one of that name, else a node. */
static int add_beside(struct gcal_explain_set *set,
                      const struct gcal_explain_set_options *options, const char *beside,
                      struct gcal_error *err)
{
    struct gcal_predict_subject_options o = *options->subject;
    bool is_file = access(beside, R_OK) == 0;

    o.published.params = is_file ? beside : NULL;
    o.published.node = is_file ? NULL : beside;
    if (is_file)
        o.published.store = NULL;
    return add_device(set, &o, options->step, err);
}

int gcal_explain_set_open(struct gcal_explain_set *set,
                          const struct gcal_explain_set_options *options,
                          struct gcal_error *err)
{
    int rc = add_device(set, options->subject, options->step, err);

    for (size_t i = 0; i < options->besides->n && rc == 0; i++)
        rc = add_beside(set, options, options->besides->items[i], err);
    return rc;
}
