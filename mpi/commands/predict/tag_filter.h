/* tag_filter.h - kernels of a file that tags select */
#ifndef GCAL_MPI_COMMANDS_PREDICT_TAG_FILTER_H
#define GCAL_MPI_COMMANDS_PREDICT_TAG_FILTER_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the kernel called 'name' has one of the plain tags among 'own' (n_own texts;
 * no plain tag: any kernel has), and all arguments: "n:1024,2048" is one of the values.
 */
bool gcal_tag_filter_selects(size_t n_tags, const char *const *tags, const char *name,
                             size_t n_own, char *const *own);

#endif
