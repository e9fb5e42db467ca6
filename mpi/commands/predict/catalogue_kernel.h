/* catalogue_kernel.h - a kernel of the catalogue, found by its name */
#ifndef GCAL_MPI_COMMANDS_PREDICT_CATALOGUE_KERNEL_H
#define GCAL_MPI_COMMANDS_PREDICT_CATALOGUE_KERNEL_H

#include "kernels/generate/generate.h"

struct gcal_error;

/* Generates and counts the kernel "GENERATOR ARGUMENT:VALUE ..." for 'limits'.  '*kernel'
 * is in 'list', which starts empty and is the caller's to clear.  -1 with 'err' if the
 * catalogue does not have it, if it cannot be counted, or if 'limits' exclude it.
 */
int gcal_catalogue_kernel_find(const struct gcal_catalogue *catalogue, const char *name,
                               const struct gcal_kernel_limits *limits,
                               struct gcal_kernel_list *list, struct gcal_kernel **kernel,
                               struct gcal_error *err);
/* The generator of that name; false: the catalogue has none. */
bool gcal_catalogue_kernel_generator(const struct gcal_catalogue *catalogue,
                                     const char *name, struct gcal_generator_view *view);

#endif
