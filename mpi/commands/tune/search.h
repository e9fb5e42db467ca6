/* search.h - timing configurations, and when to stop
 *
 * They are timed in the order of their predictions.  A search that goes on for as long as it
 * is worth it ends when GCAL_TUNE_PATIENCE times in a row brought none that is faster by
 * GCAL_TUNE_GAIN.
 */
#ifndef GCAL_MPI_COMMANDS_TUNE_SEARCH_H
#define GCAL_MPI_COMMANDS_TUNE_SEARCH_H

#include <signal.h>

#include "mpi/commands/tune/times.h"

#define GCAL_TUNE_PATIENCE 20
#define GCAL_TUNE_GAIN     0.02

struct gcal_tune_search_options {
    size_t most;     /* configurations to time, earlier ones included; SIZE_MAX: all */
    double budget_s; /* infinite: none */
    bool patient;    /* nothing ends it but a limit */
    bool to_the_end; /* also slow configurations are measured well */
    const volatile sig_atomic_t *interrupted; /* not 0: stop; NULL */
};

enum gcal_tune_stop {
    GCAL_TUNE_STOP_MOST, /* as many as wanted were timed */
    GCAL_TUNE_STOP_BUDGET,
    GCAL_TUNE_STOP_PATIENCE,
    GCAL_TUNE_STOP_ALL, /* none is left */
    GCAL_TUNE_STOP_INTERRUPTED,
};

/* How far a search is, and its result. */
struct gcal_tune_progress {
    size_t n_asked, n_timed, n_abandoned, n_failed, n_wrong;
    size_t best; /* a configuration; n_configs: none so far */
    double best_s;
    double spent_s;
    enum gcal_tune_stop stop;
};

/* Called after each configuration; may be NULL. */
struct gcal_tune_search_hook {
    void (*timed)(void *context, const struct gcal_tune_progress *progress);
    void *context;
};

/* Times configurations of 'space' by 'source' and adds them to 'times'; what is in 'times'
 * already is used and not asked for again.  -1 with 'err' if the source is lost; 'times' and
 * 'progress' have what was found before.
 */
int gcal_tune_search(const struct gcal_tune_space *space,
                     const struct gcal_tune_source *source,
                     const struct gcal_tune_search_options *options,
                     const struct gcal_tune_search_hook *hook,
                     struct gcal_tune_times *times, struct gcal_tune_progress *progress,
                     struct gcal_error *err);

/* "as many as wanted were timed" */
const char *gcal_tune_stop_text(enum gcal_tune_stop stop);

/* ---- how well a search would have done, on a space whose times are all known ---- */

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
