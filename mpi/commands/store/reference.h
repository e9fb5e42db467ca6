/* reference.h - gpucal store export-reference */
#ifndef GCAL_MPI_COMMANDS_STORE_REFERENCE_H
#define GCAL_MPI_COMMANDS_STORE_REFERENCE_H

#include <jansson.h>

#include "mpi/cli/option_list.h"

struct gcal_arena;
struct gcal_error;
struct gcal_store;

/* Prints the reference of the type's devices in the store, with those of 'files' in it; or, unless it is
 * NULL, makes '*results'.
 */
int gcal_command_reference(struct gcal_arena *arena, const struct gcal_store *store,
                           const char *type, const struct gcal_option_list *files,
                           json_t **results, struct gcal_error *err);

#endif
