/* run_header.h - what a record says of the run that made it */
#ifndef GCAL_MPI_CLI_RUN_HEADER_H
#define GCAL_MPI_CLI_RUN_HEADER_H

#include <stdint.h>

struct gcal_config;
struct gcal_error;
struct gcal_record_header;

/* Of a run that starts now, with the catalogue of that fingerprint.  Takes 'launcher',
 * which may be NULL when memory ran out.
 */
int gcal_run_header_start(struct gcal_record_header *header,
                          const struct gcal_config *config, const char *catalogue,
                          char *launcher, uint32_t n_ranks, struct gcal_error *err);
/* It ends now. */
int gcal_run_header_end(struct gcal_record_header *header, struct gcal_error *err);

#endif
