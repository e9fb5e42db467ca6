/* search_private.h - what is known of a space's configurations; internal to search*.c */
#ifndef GCAL_MPI_COMMANDS_TUNE_SEARCH_PRIVATE_H
#define GCAL_MPI_COMMANDS_TUNE_SEARCH_PRIVATE_H

#include "fit/gaussian_process.h"
#include "mpi/commands/tune/search.h"

/* Configurations as points, search_points.c. */
struct gcal_fit_points gcal_tune_search_points(struct gcal_arena *arena,
                                               const struct gcal_tune_space *space);

/* ---- search_belief.c: what is expected of each ---- */

struct gcal_tune_belief {
    const struct gcal_tune_space *space;
    struct gcal_fit_points points;
    struct gcal_fit_process *process;
    double *prior; /* by configuration: logarithm of the predicted time */
    double unit;   /* logarithm of the first time, where nothing is predicted; else 0; NaN
                      before the first */
    size_t *left, n_left;     /* configurations that were not asked for */
    double *mean, *deviation; /* by 'left': logarithm of the time */
    double *score;            /* by 'left': expected improvement */
    size_t *order;            /* of 'left': the highest score first */
};

int gcal_tune_belief_create(struct gcal_arena *arena, const struct gcal_tune_space *space,
                            struct gcal_tune_belief *belief, struct gcal_error *err);

/* Learns from a time, but not from failures. */
int gcal_tune_belief_learn(struct gcal_tune_belief *belief, size_t config,
                           const struct gcal_tune_time *time, struct gcal_error *err);
/* Expects anew of those that 'times' does not have; 'best_s': NaN if none is timed. */
int gcal_tune_belief_expect(struct gcal_tune_belief *belief,
                            const struct gcal_tune_times *times, double best_s,
                            struct gcal_error *err);
/* The probability that one of those left takes less than best_s (1 - gain). */
int gcal_tune_belief_chance(struct gcal_tune_belief *belief, double best_s, double gain,
                            double *chance, struct gcal_error *err);

#endif
