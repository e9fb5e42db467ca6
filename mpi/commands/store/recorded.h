/* recorded.h - models of another configuration, fitted to the kernels of a record */
#ifndef GCAL_MPI_COMMANDS_STORE_RECORDED_H
#define GCAL_MPI_COMMANDS_STORE_RECORDED_H

struct gcal_catalogue;
struct gcal_config;
struct gcal_error;
struct gcal_record;

/* Gives the models of 'config' that the record was made without those of its measurement
 * kernels that their tags pick.  A model that has fewer than parameters is marked as unrecorded,
 * with a warning, unless all are.
 */
int gcal_fit_find_recorded(const struct gcal_record *record,
                           const struct gcal_catalogue *catalogue,
                           struct gcal_config *config, struct gcal_error *err);

#endif
