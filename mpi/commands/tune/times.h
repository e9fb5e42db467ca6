/* times.h - the times of a space's configurations, and files of them
 *
 * A CSV file with a header line; columns: configuration ("N:128 F:32", its words in any
 * order), outcome (timed, abandoned, failed, wrong), seconds, launches, build_s, why.  It
 * grows by a line for each configuration, so that a search that was stopped goes on.  Files
 * of 'gpucal kernels --run --csv' are read as well (columns arguments, time_s, status).
 */
#ifndef GCAL_MPI_COMMANDS_TUNE_TIMES_H
#define GCAL_MPI_COMMANDS_TUNE_TIMES_H

#include <stdio.h>

#include "mpi/commands/tune/tune.h"

/* By the configurations of a space.  All zero: empty. */
struct gcal_tune_times {
    size_t n;                     /* of configurations */
    bool *asked;                  /* false: nothing is known */
    struct gcal_tune_time *times; /* theirs */
};

int gcal_tune_times_create(struct gcal_tune_times *times,
                           const struct gcal_tune_space *space, struct gcal_error *err);
void gcal_tune_times_clear(struct gcal_tune_times *times);
/* Takes the texts of 'time'. */
void gcal_tune_times_set(struct gcal_tune_times *times, size_t config,
                         const struct gcal_tune_time *time);
void gcal_tune_time_clear(struct gcal_tune_time *time);

const char *gcal_tune_outcome_name(enum gcal_tune_outcome outcome);

/* The configuration whose name has the same words in any order, other words of 'name' being
 * those that all configurations share; n_configs: none.
 */
struct gcal_tune_names;
struct gcal_tune_names *gcal_tune_names_create(const struct gcal_tune_space *space,
                                               struct gcal_error *err);
void gcal_tune_names_destroy(struct gcal_tune_names *names);
size_t gcal_tune_names_find(const struct gcal_tune_names *names, const char *name);

/* Adds what the file has of the space's configurations; '*n_others': lines about others,
 * which are left out.  -1 with "file:line: ..." for bad lines, and for a file without any
 * configuration of the space.
 */
int gcal_tune_times_read(struct gcal_tune_times *times,
                         const struct gcal_tune_space *space, const char *path,
                         size_t *n_others, struct gcal_error *err);

/* The header line, and a line. */
void gcal_tune_times_write_header(FILE *file);
void gcal_tune_times_write(FILE *file, const char *configuration,
                           const struct gcal_tune_time *time);

/* A source that gives what is in 'times'; configurations without a time have failed. */
struct gcal_tune_source gcal_tune_times_source(const struct gcal_tune_times *times);

#endif
