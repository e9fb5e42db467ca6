/* gain_choose.c - the kernels with the largest gain for their time (fit/design.h)
 *
 * Each form has its own design, all with the same candidates.  The form that is farthest
 * from its goal chooses the next candidate, which all designs take.
 */
#include <math.h>
#include <stdlib.h>

#include "calib/base/error.h"
#include "calib/plan/gain_form.h"
#include "fit/design.h"

/* If all kernels together would not bring a parameter to its target, this times the error
 * they would reach is enough: the last kernels add least.  In a replay of an H200's
 * record, 1.25 took 63 of 88 kernels and predicted as well as all of them; 1.5 took 46,
 * with errors of 7.3 % instead of 5.8 %; 2 took 31, with 15 %.
 */
#define ENOUGH 1.25

/* A larger factor comes from a fit with hardly any degrees of freedom. */
#define MOST_WIDENING 10.0

/* So many rows more than parameters give a model's misfit. */
#define FREEDOM 2

struct design {
    const struct gcal_plan_form *form;
    struct gcal_fit_design *design;
    /* n_parameters, and what the kernels of each generator have in common */
    double *shares, *now, *target;
    double *widening; /* n_parameters: factor of a standard error, see below */
    double distance;  /* the largest of now / target */
    size_t n_lacking; /* rows, for some degrees of freedom */
    bool ended;       /* no candidate helps it */
};

struct choosing {
    const struct gcal_plan_gain *gain;
    size_t n_designs;
    struct design *designs;
    size_t *kernel; /* by candidate */
    size_t n_candidates;
};

static void choosing_clear(struct choosing *c)
{
    for (size_t f = 0; c->designs && f < c->n_designs; f++) {
        gcal_fit_design_destroy(c->designs[f].design);
        free(c->designs[f].shares);
        free(c->designs[f].now);
        free(c->designs[f].target);
        free(c->designs[f].widening);
    }
    free(c->designs);
    free(c->kernel);
}

/* A generator's error is like a parameter: unknown, but no larger than the form's
 * group_error.
 */
static void find_shares(const struct gcal_plan_gain *gain, struct design *d,
                        size_t kernel)
{
    const struct gcal_model *model = d->form->model;

    for (size_t j = 0; j < model->n_parameters + gain->n_groups; j++)
        d->shares[j] = 0;
    if (!d->form->serves[kernel])
        return;
    gcal_fit_design_shares(model, d->form->value,
                           &d->form->features[kernel * model->n_features], d->shares);
    d->shares[model->n_parameters + gain->group[kernel]] =
        d->form->group_error / GCAL_FIT_DESIGN_UNKNOWN;
}

static int fill(struct choosing *c, struct design *d, const struct gcal_plan_goal *goal,
                struct gcal_error *err)
{
    const struct gcal_plan_gain *gain = c->gain;

    c->n_candidates = 0;
    for (size_t i = 0; i < gain->kernels->n_kernels; i++) {
        double noise = hypot(d->form->row_error, gain->spread[i]);

        find_shares(gain, d, i);
        if (gain->time_s[i] > 0) {
            if (d->form->serves[i] &&
                gcal_fit_design_add(d->design, d->shares, noise, err) < 0)
                return -1;
            d->n_lacking -= d->form->serves[i] && d->n_lacking > 0;
        } else if (goal->cost_s[i] > 0) {
            if (gcal_fit_design_offer(d->design, d->shares, noise, goal->cost_s[i], err) <
                0)
                return -1;
            c->kernel[c->n_candidates++] = i;
        }
    }
    return 0;
}

/* The fit weighs rows in another way, and bounds the influence of those that lie far off:
 * the factor by which its standard errors are larger is expected of further rows, too.
 */
static void find_widening(struct design *d)
{
    const struct gcal_fit *fit = &d->form->fit;

    for (size_t j = 0; j < d->form->model->n_parameters; j++) {
        double error = d->form->fitted && !fit->at_bound[j] && fit->value[j] > 0
                           ? fit->standard_error[j] / fit->value[j]
                           : 0;

        d->widening[j] = fmin(fmax(error / d->now[j], 1), MOST_WIDENING);
    }
}

static int find_targets(struct design *d, size_t n_groups, double precision,
                        struct gcal_error *err)
{
    if (gcal_fit_design_errors(d->design, d->now, d->target, err) < 0)
        return -1;
    find_widening(d);
    for (size_t j = 0; j < d->form->model->n_parameters; j++)
        d->target[j] = fmax(precision / d->widening[j], ENOUGH * d->target[j]);
    for (size_t g = 0; g < n_groups; g++)
        d->target[d->form->model->n_parameters + g] = INFINITY;
    return 0;
}

static int find_distance(struct design *d, struct gcal_error *err)
{
    if (gcal_fit_design_errors(d->design, d->now, NULL, err) < 0)
        return -1;
    d->distance = 0;
    for (size_t j = 0; j < d->form->model->n_parameters; j++)
        d->distance = fmax(d->distance, d->now[j] / d->target[j]);
    return 0;
}

static int design_init(struct choosing *c, struct design *d,
                       const struct gcal_plan_form *form,
                       const struct gcal_plan_goal *goal, struct gcal_error *err)
{
    size_t n = form->model->n_parameters + c->gain->n_groups;

    d->form = form;
    d->n_lacking = form->model->n_parameters + FREEDOM;
    d->shares = calloc(n + 1, sizeof(*d->shares));
    d->now = calloc(n + 1, sizeof(*d->now));
    d->target = calloc(n + 1, sizeof(*d->target));
    d->widening = calloc(n + 1, sizeof(*d->widening));
    if (!d->shares || !d->now || !d->target || !d->widening)
        return gcal_error_memory(err);
    if (!(d->design = gcal_fit_design_create(n, err)) || fill(c, d, goal, err) < 0 ||
        find_targets(d, c->gain->n_groups, goal->precision, err) < 0)
        return -1;
    return find_distance(d, err);
}

static int choosing_init(struct choosing *c, const struct gcal_plan_gain *gain,
                         const struct gcal_plan_goal *goal, struct gcal_error *err)
{
    c->gain = gain;
    c->designs = calloc(gain->n_forms + 1, sizeof(*c->designs));
    c->kernel = calloc(gain->kernels->n_kernels + 1, sizeof(*c->kernel));
    if (!c->designs || !c->kernel)
        return gcal_error_memory(err);
    c->n_designs = gain->n_forms;
    for (size_t f = 0; f < gain->n_forms; f++)
        if (design_init(c, &c->designs[f], &gain->forms[f], goal, err) < 0)
            return -1;
    return 0;
}

static bool has_reached(const struct design *d)
{
    return d->distance <= 1;
}

/* The form that is farthest from its target, or that still lacks rows; NULL if no candidate
 * improves any that is.
 */
static struct design *farthest_from_goal(struct choosing *c)
{
    struct design *found = NULL, *lacking = NULL;

    for (size_t f = 0; f < c->n_designs; f++) {
        struct design *d = &c->designs[f];

        if (d->ended)
            continue;
        if (!has_reached(d) && (!found || d->distance > found->distance))
            found = d;
        if (d->n_lacking)
            lacking = d;
    }
    return found ? found : lacking;
}

static int take(struct choosing *c, size_t candidate, struct gcal_error *err)
{
    for (size_t f = 0; f < c->n_designs; f++) {
        struct design *d = &c->designs[f];

        if (gcal_fit_design_take(d->design, candidate, err) < 0 ||
            find_distance(d, err) < 0)
            return -1;
        d->n_lacking -= d->form->serves[c->kernel[candidate]] && d->n_lacking > 0;
    }
    return 0;
}

int gcal_plan_gain_choose(const struct gcal_plan_gain *gain,
                          const struct gcal_plan_goal *goal, size_t *chosen,
                          size_t *n_chosen, bool *over_budget, struct gcal_error *err)
{
    struct choosing c = { 0 };
    double left_s = goal->budget_s;
    struct design *d;
    int rc = choosing_init(&c, gain, goal, err);

    *n_chosen = 0;
    *over_budget = false;
    while (rc == 0 && *n_chosen < goal->most && (d = farthest_from_goal(&c))) {
        enum gcal_fit_design_state state;
        size_t candidate;

        state = gcal_fit_design_next(d->design, has_reached(d) ? NULL : d->target, left_s,
                                     &candidate);
        if (state != GCAL_FIT_DESIGN_NEXT) {
            *over_budget |= state == GCAL_FIT_DESIGN_OVERBUDGET;
            d->ended = true;
            continue;
        }
        chosen[(*n_chosen)++] = c.kernel[candidate];
        left_s -= goal->cost_s[c.kernel[candidate]];
        rc = take(&c, candidate, err);
    }
    choosing_clear(&c);
    return rc;
}
