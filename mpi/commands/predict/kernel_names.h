/* kernel_names.h - words of kernel names ("matmul_tiled dtype:float32 n:1024"): shared by
 * several kernels, arguments
 */
#ifndef GCAL_MPI_COMMANDS_PREDICT_KERNEL_NAMES_H
#define GCAL_MPI_COMMANDS_PREDICT_KERNEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;

/* Returns whether one of its words is 'word', of which 'length' characters count. */
bool gcal_kernel_name_has_word(const char *name, const char *word, size_t length);

/* The words that are in all names, perhaps none; the caller's to free. */
char *gcal_kernel_names_shared(size_t n, const char *const *names,
                               struct gcal_error *err);

/* The value of an argument of a kernel, "float32" of dtype, and its length; NULL without
 * such an argument.
 */
const char *gcal_kernel_name_argument(const char *name, const char *argument,
                                      size_t *length);

#endif
