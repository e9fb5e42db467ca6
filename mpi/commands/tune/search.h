/* search.h - which configurations to time, and when to stop
 *
 * The model's errors within a space are not independent: configurations that are alike in
 * their parameters, or in what limits them, are off by alike factors.  So
 *
 *     log(time) = log(prediction) + g,
 *
 * with g a Gaussian process (fit/gaussian_process.h) over the positions of the parameters'
 * values and the logarithms of the roofs' shares of the prediction.  Its prior deviation is
 * the model's misfit.  The next configuration is the one with the largest expected
 * improvement of the best time; the search stops when a better one by a given share is
 * improbable.
 */
#ifndef GCAL_MPI_COMMANDS_TUNE_SEARCH_H
#define GCAL_MPI_COMMANDS_TUNE_SEARCH_H

#include <signal.h>

#include "mpi/commands/tune/times.h"

struct gcal_tune_search_options {
    size_t most;     /* configurations to time, earlier ones included; SIZE_MAX: all */
    double budget_s; /* infinite: none */
    double gain;     /* a share by which a better time matters */
    double chance;   /* stop once it is less probable; 0: never */
    bool in_order;   /* of the predictions, without learning or abandoning */
    const volatile sig_atomic_t *interrupted; /* not 0: stop; NULL */
};

/* No limit; stop when a time better by 2 % is less probable than 5 %. */
extern const struct gcal_tune_search_options gcal_tune_search_defaults;

enum gcal_tune_stop {
    GCAL_TUNE_STOP_MOST, /* as many as wanted were timed */
    GCAL_TUNE_STOP_BUDGET,
    GCAL_TUNE_STOP_CHANCE, /* a better one is improbable */
    GCAL_TUNE_STOP_ALL,    /* none is left */
    GCAL_TUNE_STOP_INTERRUPTED,
};

/* How far a search is, and its result. */
struct gcal_tune_progress {
    size_t n_asked, n_timed, n_abandoned, n_failed, n_wrong;
    size_t best; /* a configuration; n_configs: none so far */
    double best_s;
    double chance; /* that a better one is left; NaN: not known yet */
    double spent_s;
    enum gcal_tune_stop stop;
};

/* What happens after each configuration.  Both may be NULL. */
struct gcal_tune_search_hooks {
    void (*timed)(void *context, size_t config, const struct gcal_tune_time *time,
                  const struct gcal_tune_progress *progress);
    void *context;
};

/* Times configurations of 'space' by 'source' and adds them to 'times'; what is in 'times'
 * already is used and not asked for again.  -1 with 'err' if the source is lost or memory
 * runs out; 'times' and 'progress' have what was found before.
 */
int gcal_tune_search(const struct gcal_tune_space *space,
                     const struct gcal_tune_source *source,
                     const struct gcal_tune_search_options *options,
                     const struct gcal_tune_search_hooks *hooks,
                     struct gcal_tune_times *times, struct gcal_tune_progress *progress,
                     struct gcal_error *err);

/* "as many as wanted were timed" */
const char *gcal_tune_stop_text(enum gcal_tune_stop stop);

/* ---- replay.c: how well a search would have done, on a space whose times are all known ---- */

/* Numbers of measurements after which it is judged. */
enum { GCAL_TUNE_REPLAY_N = 6 };
extern const size_t gcal_tune_replay_after[GCAL_TUNE_REPLAY_N]; /* 0, 1, 5, 10, 20, 50 */

/* Shares are of the best speed: the shortest time over that of the choice; the choice is
 * the best of what was measured, and after 0 the first by prediction.
 */
struct gcal_tune_replay {
    size_t n, n_failed; /* configurations in the file: with a time, without */
    size_t best;
    double best_s;
    double search[GCAL_TUNE_REPLAY_N];
    size_t stopped_after; /* measurements, by the search itself */
    double stopped_at;    /* share */
};

/* 'times' has what the file has of the space.  -1 with 'err' if none of it is a time. */
int gcal_tune_replay(const struct gcal_tune_space *space,
                     const struct gcal_tune_times *times, struct gcal_tune_replay *replay,
                     struct gcal_error *err);

#endif
