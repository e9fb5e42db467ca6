/* t4.h - times of configurations in the results format that autotuners share (T4), as Kernel
 * Tuner writes and reads it
 *
 * An object with schema_version and results; each result has configuration (a value for each
 * parameter), invalidity (correct, compile, runtime, constraints, timeout, correctness),
 * correctness, measurements (name, value and unit each), objectives (names of measurements)
 * and times in milliseconds.
 */
#ifndef GCAL_MPI_COMMANDS_TUNE_T4_H
#define GCAL_MPI_COMMANDS_TUNE_T4_H

#include "mpi/commands/tune/times.h"

/* Whether the file is one of these by its name, ".json". */
bool gcal_tune_t4_is(const char *path);
/* gcal_tune_t4_read() for such a file, gcal_tune_times_read() for others. */
int gcal_tune_t4_load(struct gcal_tune_times *times, const struct gcal_tune_space *space,
                      const char *path, size_t *n_others, struct gcal_error *err);
/* As gcal_tune_times_read(). */
int gcal_tune_t4_read(struct gcal_tune_times *times, const struct gcal_tune_space *space,
                      const char *path, size_t *n_others, struct gcal_error *err);
/* Writes what 'times' has. */
int gcal_tune_t4_write(const char *path, const struct gcal_tune_space *space,
                       const struct gcal_tune_times *times, struct gcal_error *err);

#endif
