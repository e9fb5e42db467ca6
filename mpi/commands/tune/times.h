/* times.h - the times of a space's configurations, and files of them
 *
 * A CSV file with a header line; columns: configuration ("N:128 F:32", its words in any
 * order), outcome (timed, abandoned, failed, wrong), seconds, launches, build_s, why; or one
 * of 'gpucal kernels --run --csv' (columns arguments, time_s, status).
 *
 * Or the results format that autotuners share (T4), as Kernel Tuner writes and reads it: an
 * object with schema_version and results; each result has configuration (a value for each
 * parameter), invalidity (correct, compile, runtime, constraints, timeout, correctness),
 * correctness, measurements (name, value and unit each), objectives (names of measurements)
 * and times in milliseconds.
 */
#ifndef GCAL_MPI_COMMANDS_TUNE_TIMES_H
#define GCAL_MPI_COMMANDS_TUNE_TIMES_H

#include "mpi/commands/tune/tune.h"

/* By the configurations of a space. */
struct gcal_tune_times {
    struct gcal_arena *arena;
    size_t n;                     /* of configurations */
    bool *asked;                  /* false: nothing is known */
    struct gcal_tune_time *times; /* theirs */
};

struct gcal_tune_times gcal_tune_times_create(struct gcal_arena *arena,
                                              const struct gcal_tune_space *space);
static inline void gcal_tune_times_set(struct gcal_tune_times *times, size_t config,
                                       const struct gcal_tune_time *time)
{
    times->times[config] = *time;
    times->asked[config] = true;
}
const char *gcal_tune_outcome_name(enum gcal_tune_outcome outcome);

/* Adds what the file has of the space's configurations, the format being T4 if its name ends
 * in .json; results of others are left out.  -1 with "file:line: ..." for
 * bad ones, and for a file without any configuration of the space.
 */
int gcal_tune_times_read(struct gcal_tune_times *times,
                         const struct gcal_tune_space *space, const char *path,
                         struct gcal_error *err);
/* t4.c: the same of T4 whatever its name; and writes what 'times' has. */
int gcal_tune_t4_read(struct gcal_tune_times *times, const struct gcal_tune_space *space,
                      const char *path, struct gcal_error *err);
int gcal_tune_t4_write(const char *path, const struct gcal_tune_space *space,
                       const struct gcal_tune_times *times, struct gcal_error *err);

#endif
