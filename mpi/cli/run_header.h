/* run_header.h - the header of a record: run, configuration, catalogue, times */
#ifndef GCAL_MPI_CLI_RUN_HEADER_H
#define GCAL_MPI_CLI_RUN_HEADER_H

#include <stdint.h>

struct gcal_arena;
struct gcal_catalogue;
struct gcal_config;
struct gcal_record_header;

/* The id of a run that starts now. */
const char *gcal_run_id_new(struct gcal_arena *arena);

/* Fills the header of a run that starts now, with the catalogue's files.  Takes ownership of
 * 'launcher'.
 */
void gcal_run_header_start(struct gcal_record_header *header,
                           const struct gcal_config *config,
                           const struct gcal_catalogue *catalogue, char *launcher,
                           uint32_t n_ranks);
/* Sets the end of the run to now. */
void gcal_run_header_end(struct gcal_record_header *header);

#endif
