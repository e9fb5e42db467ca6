/* runs.h - the records of several runs, fitted as one */
#ifndef GCAL_MPI_COMMANDS_STORE_RUNS_H
#define GCAL_MPI_COMMANDS_STORE_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/strings.h"

struct gcal_error;
struct gcal_record;

/* Opens a record, or several as one (calib/results/results.h).  They must have been measured
 * by the same catalogue and, unless 'other_models', by the same configuration: GCAL_EINPUT
 * with the names of two files that were not.  'said': a sentence for each device of several
 * runs.
 */
struct gcal_record *gcal_fit_open_runs(const char *const *paths, size_t n,
                                       bool other_models, struct gcal_strings *said,
                                       struct gcal_error *err);

#endif
