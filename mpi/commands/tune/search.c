/* search.c - timing configurations, the most promising first, until it is enough */
#include "mpi/commands/tune/search.h"

#include <math.h>
#include <stdint.h>

#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "mpi/commands/tune/search_private.h"

/* Times that this factor over the best need not be exact. */
#define ENOUGH 2.0

/* The chance of a better one means little after fewer times. */
#define FEWEST_TIMED 5

/* Configurations that are announced. */
#define N_AHEAD 64

const struct gcal_tune_search_options gcal_tune_search_defaults = {
    .most = SIZE_MAX, .budget_s = INFINITY, .gain = 0.02, .chance = 0.05
};

struct search {
    struct gcal_arena *arena; /* of this search */
    const struct gcal_tune_space *space;
    const struct gcal_tune_source *source;
    const struct gcal_tune_search_options *options;
    const struct gcal_tune_search_hooks *hooks;
    struct gcal_tune_times *times;
    struct gcal_tune_progress *progress;
    struct gcal_tune_belief belief;
    double began_s;
};

/* ---- what was found ---- */

static void count_outcome(struct gcal_tune_progress *p, size_t config,
                          const struct gcal_tune_time *time)
{
    p->n_asked++;
    p->n_timed += time->outcome == GCAL_TUNE_TIMED;
    p->n_abandoned += time->outcome == GCAL_TUNE_ABANDONED;
    p->n_failed += time->outcome == GCAL_TUNE_FAILED;
    p->n_wrong += time->outcome == GCAL_TUNE_WRONG;
    if (time->outcome == GCAL_TUNE_TIMED && !(time->seconds >= p->best_s)) {
        p->best = config;
        p->best_s = time->seconds;
    }
}

/* Those that are known before the search begins. */
static int begin_search(struct search *s, struct gcal_error *err)
{
    *s->progress = (struct gcal_tune_progress){ .best = s->space->n_configs,
                                                .best_s = NAN,
                                                .chance = NAN };
    if (gcal_tune_belief_create(s->arena, s->space, &s->belief, err) < 0)
        return -1;
    for (size_t i = 0; i < s->times->n; i++) {
        if (!s->times->asked[i])
            continue;
        count_outcome(s->progress, i, &s->times->times[i]);
        if (!s->options->in_order &&
            gcal_tune_belief_learn(&s->belief, i, &s->times->times[i], err) < 0)
            return -1;
    }
    return 0;
}

/* ---- one step ---- */

/* Announces the most promising ones, and gives the first; n_configs: none is left. */
static size_t choose_next(struct search *s)
{
    const struct gcal_tune_belief *b = &s->belief;
    size_t most = s->options->in_order ? SIZE_MAX : N_AHEAD;
    size_t n = b->n_left < most ? b->n_left : most;
    size_t wanted = s->options->most - s->progress->n_asked;
    size_t *ahead;

    if (!n)
        return s->space->n_configs;
    n = n < wanted ? n : wanted;
    if (s->source->announce) {
        ahead = gcal_arena_alloc(s->arena, n, sizeof(*ahead));
        for (size_t i = 0; i < n; i++)
            ahead[i] = b->left[b->order[i]];
        s->source->announce(s->source->context, ahead, n);
    }
    return b->left[b->order[0]];
}

static int time_one(struct search *s, size_t config, struct gcal_error *err)
{
    struct gcal_tune_progress *p = s->progress;
    double enough_s =
        s->options->in_order || isnan(p->best_s) ? INFINITY : ENOUGH * p->best_s;
    struct gcal_tune_time time;

    if (s->source->time(s->source->context, config, enough_s, &time, err) < 0)
        return -1;
    gcal_tune_times_set(s->times, config, &time);
    count_outcome(p, config, &time);
    p->spent_s = gcal_clock_now_s() - s->began_s;
    if (s->hooks && s->hooks->timed)
        s->hooks->timed(s->hooks->context, config, &s->times->times[config], p);
    return s->options->in_order ? 0
                                : gcal_tune_belief_learn(&s->belief, config, &time, err);
}

static bool is_limit_reached(struct search *s)
{
    struct gcal_tune_progress *p = s->progress;
    bool interrupted = s->options->interrupted && *s->options->interrupted;

    p->spent_s = gcal_clock_now_s() - s->began_s;
    if (interrupted)
        p->stop = GCAL_TUNE_STOP_INTERRUPTED;
    else if (p->n_asked >= s->options->most)
        p->stop = GCAL_TUNE_STOP_MOST;
    else if (p->spent_s >= s->options->budget_s)
        p->stop = GCAL_TUNE_STOP_BUDGET;
    else
        return false;
    return true;
}

/* 0: the configuration was timed; 1: the search is at its end. */
static int take_step(struct search *s, struct gcal_error *err)
{
    struct gcal_tune_progress *p = s->progress;
    size_t config;

    if (is_limit_reached(s))
        return 1;
    if (gcal_tune_belief_expect(&s->belief, s->times, p->best_s, err) < 0)
        return -1;
    if (s->options->chance > 0 && p->n_timed >= FEWEST_TIMED) {
        if (gcal_tune_belief_chance(&s->belief, p->best_s, s->options->gain, &p->chance,
                                    err) < 0)
            return -1;
        p->stop = GCAL_TUNE_STOP_CHANCE;
        if (p->chance < s->options->chance)
            return 1;
    }
    p->stop = GCAL_TUNE_STOP_ALL;
    config = choose_next(s);
    return config == s->space->n_configs ? 1 : time_one(s, config, err);
}

/* ---- in the order of the predictions ---- */

static int run_in_order(struct search *s, struct gcal_error *err)
{
    size_t *order;
    int rc = gcal_tune_belief_expect(&s->belief, s->times, NAN, err);

    if (rc < 0)
        return -1;
    choose_next(s);
    order = s->belief.order;
    s->progress->stop = GCAL_TUNE_STOP_ALL;
    for (size_t i = 0; rc == 0 && i < s->belief.n_left && !is_limit_reached(s); i++)
        rc = time_one(s, s->belief.left[order[i]], err);
    return rc;
}

int gcal_tune_search(const struct gcal_tune_space *space,
                     const struct gcal_tune_source *source,
                     const struct gcal_tune_search_options *options,
                     const struct gcal_tune_search_hooks *hooks,
                     struct gcal_tune_times *times, struct gcal_tune_progress *progress,
                     struct gcal_error *err)
{
    struct search s = { .arena = gcal_arena_create(),
                        .space = space,
                        .source = source,
                        .options = options,
                        .hooks = hooks,
                        .times = times,
                        .progress = progress,
                        .began_s = gcal_clock_now_s() };
    int rc = begin_search(&s, err);

    if (rc == 0 && options->in_order)
        rc = run_in_order(&s, err);
    while (rc == 0 && !options->in_order)
        rc = take_step(&s, err);
    gcal_arena_destroy(s.arena);
    return rc < 0 ? -1 : 0;
}

const char *gcal_tune_stop_text(enum gcal_tune_stop stop)
{
    static const char *const texts[] = {
        [GCAL_TUNE_STOP_MOST] = "as many configurations as wanted were timed",
        [GCAL_TUNE_STOP_BUDGET] = "the budget was used up",
        [GCAL_TUNE_STOP_CHANCE] = "a faster configuration is improbable",
        [GCAL_TUNE_STOP_ALL] = "all configurations were timed",
        [GCAL_TUNE_STOP_INTERRUPTED] = "interrupted",
    };

    return texts[stop];
}
