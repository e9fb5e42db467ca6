/* replay.c - a search on known times, and how near to the best it comes */
#include <math.h>

#include "kernels/base/error.h"
#include "mpi/commands/tune/search.h"

const size_t gcal_tune_replay_after[GCAL_TUNE_REPLAY_N] = { 0, 1, 5, 10, 20, 50 };

/* The choice without any measurement is the first that is measured. */
static void add_share(void *context, size_t config, const struct gcal_tune_time *time,
                      const struct gcal_tune_progress *progress)
{
    struct gcal_tune_replay *r = context;

    (void)config;
    (void)time;
    r->stopped_after++;
    for (size_t k = 0; k < GCAL_TUNE_REPLAY_N; k++)
        if (r->stopped_after <= (k ? gcal_tune_replay_after[k] : 1))
            r->search[k] = progress->n_timed ? r->best_s / progress->best_s : 0;
}

/* Configurations without a time in the file are as if they had failed before. */
static int search_known(const struct gcal_tune_space *space,
                        const struct gcal_tune_times *times,
                        const struct gcal_tune_search_options *options,
                        struct gcal_tune_replay *r, struct gcal_error *err)
{
    const struct gcal_tune_source source = gcal_tune_times_source(times);
    const struct gcal_tune_search_hooks hooks = { add_share, r };
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_tune_times found = gcal_tune_times_create(arena, space);
    struct gcal_tune_progress progress;
    int rc;

    for (size_t i = 0; i < space->n_configs; i++)
        if (!times->asked[i])
            gcal_tune_times_set(&found, i,
                                &(struct gcal_tune_time){ .outcome = GCAL_TUNE_FAILED });
    r->stopped_after = 0;
    rc = gcal_tune_search(space, &source, options, &hooks, &found, &progress, err);
    r->stopped_at = r->best_s / progress.best_s;
    gcal_arena_destroy(arena);
    return rc;
}

int gcal_tune_replay(const struct gcal_tune_space *space,
                     const struct gcal_tune_times *times, struct gcal_tune_replay *r,
                     struct gcal_error *err)
{
    struct gcal_tune_search_options options = gcal_tune_search_defaults;
    struct gcal_tune_replay stopped;

    *r = (struct gcal_tune_replay){ .best = space->n_configs, .best_s = INFINITY };
    options.most = gcal_tune_replay_after[GCAL_TUNE_REPLAY_N - 1];
    options.chance = 0; /* to the last number that is judged */
    for (size_t i = 0; i < space->n_configs; i++) {
        const struct gcal_tune_time *t = &times->times[i];
        bool has_time = times->asked[i] && t->outcome == GCAL_TUNE_TIMED;

        options.most += !times->asked[i];
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
    stopped = *r;
    if (search_known(space, times, &options, r, err) < 0 ||
        search_known(space, times, &gcal_tune_search_defaults, &stopped, err) < 0)
        return -1;
    r->stopped_after = stopped.stopped_after;
    r->stopped_at = stopped.stopped_at;
    return 0;
}
