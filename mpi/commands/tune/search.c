/* search.c - timing configurations in the order of their predictions, until it is enough */
#include "mpi/commands/tune/search.h"

#include <math.h>

#include "kernels/base/clock.h"
#include "kernels/base/error.h"

/* Times that this factor over the best need not be exact. */
#define ENOUGH 2.0

/* Configurations that are announced. */
#define N_AHEAD 64

/* ---- when to stop ---- */

/* All zero: no time is known. */
struct patience {
    double best_s; /* at the last time that was faster by GCAL_TUNE_GAIN; 0: none */
    size_t n_in_vain;
};

/* Takes the next time.  Returns whether it is the last that is worth it; failures say nothing. */
static bool ends_patience(struct patience *p, const struct gcal_tune_time *time)
{
    if (time->outcome > GCAL_TUNE_ABANDONED)
        return false;
    p->n_in_vain++;
    if (time->outcome == GCAL_TUNE_TIMED &&
        (!p->best_s || time->seconds < p->best_s * (1 - GCAL_TUNE_GAIN)))
        *p = (struct patience){ .best_s = time->seconds };
    return p->n_in_vain >= GCAL_TUNE_PATIENCE;
}

/* ---- the search ---- */

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

/* Announces the next ones from place 'at' of the ranking on. */
static void announce(const struct gcal_tune_space *space,
                     const struct gcal_tune_source *source,
                     const struct gcal_tune_times *times, size_t at, size_t most)
{
    size_t ahead[N_AHEAD], n = 0;

    for (; at < space->n_configs && n < N_AHEAD && n < most; at++)
        if (!times->asked[space->ranking[at]])
            ahead[n++] = space->ranking[at];
    if (source->announce)
        source->announce(source->context, ahead, n);
}

static bool is_limit_reached(const struct gcal_tune_search_options *options,
                             struct gcal_tune_progress *p)
{
    if (options->interrupted && *options->interrupted)
        p->stop = GCAL_TUNE_STOP_INTERRUPTED;
    else if (p->n_asked >= options->most)
        p->stop = GCAL_TUNE_STOP_MOST;
    else if (p->spent_s >= options->budget_s)
        p->stop = GCAL_TUNE_STOP_BUDGET;
    else
        return false;
    return true;
}

int gcal_tune_search(const struct gcal_tune_space *space,
                     const struct gcal_tune_source *source,
                     const struct gcal_tune_search_options *options,
                     const struct gcal_tune_search_hook *hook,
                     struct gcal_tune_times *times, struct gcal_tune_progress *p,
                     struct gcal_error *err)
{
    double began_s = gcal_clock_now_s();
    struct patience patience = { 0 };

    *p = (struct gcal_tune_progress){ .best = space->n_configs, .best_s = NAN };
    for (size_t i = 0; i < times->n; i++)
        if (times->asked[i])
            count_outcome(p, i, &times->times[i]);
    for (size_t at = 0; at < space->n_configs; at++) {
        size_t config = space->ranking[at];
        struct gcal_tune_time time;

        if (!times->asked[config]) {
            p->spent_s = gcal_clock_now_s() - began_s;
            if (is_limit_reached(options, p))
                return 0;
            announce(space, source, times, at, options->most - p->n_asked);
            if (source->time(source->context, config,
                             options->to_the_end || isnan(p->best_s) ? INFINITY
                                                                     : ENOUGH * p->best_s,
                             &time, err) < 0)
                return -1;
            gcal_tune_times_set(times, config, &time);
            count_outcome(p, config, &time);
            p->spent_s = gcal_clock_now_s() - began_s;
            if (hook)
                hook->timed(hook->context, p);
        }
        if (ends_patience(&patience, &times->times[config]) && !options->patient) {
            p->stop = GCAL_TUNE_STOP_PATIENCE;
            return 0;
        }
    }
    p->stop = GCAL_TUNE_STOP_ALL;
    return 0;
}

const char *gcal_tune_stop_text(enum gcal_tune_stop stop)
{
    static const char *const texts[] = {
        [GCAL_TUNE_STOP_MOST] = "as many configurations as wanted were timed",
        [GCAL_TUNE_STOP_BUDGET] = "the budget was used up",
        [GCAL_TUNE_STOP_PATIENCE] = "the last 20 brought none that is 2 % faster",
        [GCAL_TUNE_STOP_ALL] = "all configurations were timed",
        [GCAL_TUNE_STOP_INTERRUPTED] = "interrupted",
    };

    return texts[stop];
}

/* ---- on known times ---- */

const size_t gcal_tune_replay_after[GCAL_TUNE_REPLAY_N] = { 0, 1, 5, 10, 20, 50 };

int gcal_tune_replay(const struct gcal_tune_space *space,
                     const struct gcal_tune_times *times, struct gcal_tune_replay *r,
                     struct gcal_error *err)
{
    struct patience patience = { 0 };
    double best_s = INFINITY; /* so far */
    size_t n = 0;

    *r = (struct gcal_tune_replay){ .best = space->n_configs, .best_s = INFINITY };
    for (size_t i = 0; i < space->n_configs; i++) {
        const struct gcal_tune_time *t = &times->times[i];
        bool has_time = times->asked[i] && t->outcome == GCAL_TUNE_TIMED;

        r->n += has_time;
        r->n_failed += times->asked[i] && !has_time;
        if (has_time && t->seconds < r->best_s) {
            r->best = i;
            r->best_s = t->seconds;
        }
    }
    if (!r->n)
        return gcal_error_set(err, GCAL_EINPUT, "no configuration of %s has a time",
                              space->kernel);
    for (size_t at = 0; at < space->n_configs; at++) {
        const struct gcal_tune_time *t = &times->times[space->ranking[at]];

        if (!times->asked[space->ranking[at]])
            continue; /* not in the file */
        n++;
        if (t->outcome == GCAL_TUNE_TIMED)
            best_s = fmin(best_s, t->seconds);
        for (size_t k = 0; k < GCAL_TUNE_REPLAY_N; k++)
            if (n <= (k ? gcal_tune_replay_after[k] : 1))
                r->search[k] = r->best_s / best_s;
        if (ends_patience(&patience, t) && !r->stopped_after) {
            r->stopped_after = n;
            r->stopped_at = r->best_s / best_s;
        }
    }
    if (!r->stopped_after) {
        r->stopped_after = n;
        r->stopped_at = 1;
    }
    return 0;
}
