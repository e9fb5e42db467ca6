/* upkeep.h - verification and pruning of a store with all its folders (within mpi/commands/store):
 * what is published (store/publish) and what later fits need (store/medians)
 */
#ifndef GCAL_MPI_COMMANDS_STORE_UPKEEP_H
#define GCAL_MPI_COMMANDS_STORE_UPKEEP_H

#include "store/publish/publish.h"

/* As gcal_store_verify() and gcal_store_prune(). */
int gcal_upkeep_verify(const struct gcal_store *store, struct gcal_verify_result *result,
                       struct gcal_error *err);
int gcal_upkeep_prune(struct gcal_store *store, size_t keep, double max_age_s,
                      bool dry_run, size_t *removed, struct gcal_strings *strangers,
                      struct gcal_error *err);

#endif
