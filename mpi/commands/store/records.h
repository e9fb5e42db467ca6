/* records.h - the records that are fitted: of several runs, and by another configuration */
#ifndef GCAL_MPI_COMMANDS_STORE_RECORDS_H
#define GCAL_MPI_COMMANDS_STORE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/strings.h"

struct gcal_catalogue;
struct gcal_config;
struct gcal_error;
struct gcal_record;

/* The configuration that the record was made by. */
int gcal_fit_read_config(const struct gcal_record *record, struct gcal_config *config,
                         struct gcal_error *err);

/* Opens a record, or several as one (calib/results/results.h).  They must have been measured
 * by the same catalogue and, unless 'other_models', by the same configuration: GCAL_EINPUT
 * with the names of two files that were not.  'said': a sentence for each device of several
 * runs.
 */
struct gcal_record *gcal_fit_open_runs(const char *const *paths, size_t n,
                                       bool other_models, struct gcal_strings *said,
                                       struct gcal_error *err);

/* Gives the models of 'config' that the record was made without those of its measurement
 * kernels that their tags pick.  A model that has fewer than parameters is marked as unrecorded,
 * with a warning, unless all are.
 */
int gcal_fit_find_recorded(const struct gcal_record *record,
                           const struct gcal_catalogue *catalogue,
                           struct gcal_config *config, struct gcal_error *err);

#endif
