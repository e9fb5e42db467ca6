/* replay.h - how well a search would have done, on a space whose times are all known */
#ifndef GCAL_MPI_COMMANDS_TUNE_REPLAY_H
#define GCAL_MPI_COMMANDS_TUNE_REPLAY_H

#include <jansson.h>

#include "mpi/commands/tune/search.h"

/* Numbers of measurements after which it is judged. */
#define GCAL_TUNE_REPLAY_N 6
extern const size_t gcal_tune_replay_after[GCAL_TUNE_REPLAY_N]; /* 0, 1, 5, 10, 20, 50 */

/* A way to choose without measuring, such as a heuristic. */
struct gcal_tune_policy {
    const char *name;
    size_t choice; /* a configuration; n_configs: it gives none */
};

/* Shares are of the best speed: the shortest time over that of the choice; the choice is
 * the best of what was measured, and after 0 the first by prediction.
 */
struct gcal_tune_replay {
    size_t n, n_failed; /* configurations in the file: with a time, without */
    size_t best;
    double best_s;
    double search[GCAL_TUNE_REPLAY_N];
    double in_order[GCAL_TUNE_REPLAY_N]; /* of the predictions, without learning */
    double random[GCAL_TUNE_REPLAY_N];   /* the median of 1000 random orders */
    size_t stopped_after;                /* measurements, by the search itself */
    double stopped_at;                   /* share */
};

/* 'times' has what the file has of the space.  -1 with 'err' if none of it is a time. */
int gcal_tune_replay(const struct gcal_tune_space *space,
                     const struct gcal_tune_times *times, struct gcal_tune_replay *replay,
                     struct gcal_error *err);
/* The share of a policy's choice; 0 if it has no time. */
double gcal_tune_replay_share(const struct gcal_tune_replay *replay,
                              const struct gcal_tune_space *space,
                              const struct gcal_tune_times *times, size_t choice);

void gcal_tune_replay_print(const struct gcal_tune_replay *replay,
                            const struct gcal_tune_space *space,
                            const struct gcal_tune_times *times, size_t n_policies,
                            const struct gcal_tune_policy *policies);
json_t *gcal_tune_replay_json(const struct gcal_tune_replay *replay,
                              const struct gcal_tune_space *space,
                              const struct gcal_tune_times *times, size_t n_policies,
                              const struct gcal_tune_policy *policies);

#endif
