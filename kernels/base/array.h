/* array.h - arrays that grow */
#ifndef GCAL_KERNELS_BASE_ARRAY_H
#define GCAL_KERNELS_BASE_ARRAY_H

#include <stddef.h>

struct gcal_error;

/* Makes room for item 'count' in an array of items of 'item_size' bytes.  Returns the
 * array, perhaps moved, or NULL with 'err' ('items' stays valid).  '*capacity' starts as 0
 * with 'items' NULL.
 */
void *gcal_array_grow(void *items, size_t count, size_t *capacity, size_t item_size,
                      struct gcal_error *err);

#endif
