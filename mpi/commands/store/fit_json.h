/* fit_json.h - fits as JSON (within mpi/commands/store) */
#ifndef GCAL_MPI_COMMANDS_STORE_FIT_JSON_H
#define GCAL_MPI_COMMANDS_STORE_FIT_JSON_H

#include "calib/results/results.h"

/* 'n_published': nodes. */
void gcal_fit_print_json(const struct gcal_config *config,
                         const struct gcal_results *results, size_t n_published);

#endif
