/* private.h - what the files of mpi/commands/tune share beside tune.h
 *
 * The order of the sections is that of the files, from the lowest up.
 */
#ifndef GCAL_MPI_COMMANDS_TUNE_PRIVATE_H
#define GCAL_MPI_COMMANDS_TUNE_PRIVATE_H

#include <jansson.h>

#include "mpi/cli/option_list.h"
#include "mpi/commands/tune/tune.h"

/* A configuration whose chance to be faster than the first is above this cannot be
 * distinguished from it.
 */
#define GCAL_TUNE_DISTINGUISHED 0.05

/* ---- parameters.c ---- */

/* Fills the parameters, and the configurations with their names and values, from the arguments
 * of n_configs of them.  Those with one value are parameters if 'always' has them; NULL: all.
 */
void gcal_tune_parameters_fill(struct gcal_arena *arena, struct gcal_tune_space *space,
                               const struct gcal_tune_arguments *arguments,
                               const struct gcal_strings *always);
/* The same for space->kernels, with what distinguishes their generators. */
void gcal_tune_parameters_find(struct gcal_arena *arena, struct gcal_tune_space *space,
                               const struct gcal_strings *always);

/* ---- entry.c ---- */

/* The space of a file, gpucal-space(5), and the kernel in 'source', a file that may include
 * others from 'folders'; the strings of 'entry' are the caller's to clear in any case.
 */
int gcal_tune_entry_read(struct gcal_arena *arena, const char *path, const char *source,
                         const struct gcal_option_list *folders,
                         struct gcal_tune_entry *entry, struct gcal_error *err);
/* For gcal_arena_own(). */
void gcal_tune_catalogue_close(void *catalogue);

/* ---- print.c, json.c ---- */

/* The median of the predicted times of the covered configurations. */
double gcal_tune_median_s(const struct gcal_tune_space *space);
/* How many of the ranking's first cannot be distinguished from the first one, itself
 * included.
 */
size_t gcal_tune_count_equal(const struct gcal_tune_space *space);
/* The best 'most' configurations, and what is known of all, on standard output. */
void gcal_tune_print(const struct gcal_tune_space *space, size_t most);
/* {"N": 128, "F": 32}; numbers where values are integers. */
json_t *gcal_tune_config_json(const struct gcal_tune_space *space, size_t config);
json_t *gcal_tune_json(const struct gcal_tune_space *space);

/* ---- tune.c ---- */

/* The best configurations by size. */
struct gcal_tune_over;

#endif
