/* array.c - arrays that grow */
#include "kernels/base/array.h"

#include <stdlib.h>

#include "kernels/base/error.h"

void *gcal_array_grow(void *items, size_t count, size_t *capacity, size_t item_size,
                      struct gcal_error *err)
{
    size_t wanted = *capacity ? 2 * *capacity : 8;
    void *moved;

    if (count < *capacity)
        return items;
    if (!(moved = reallocarray(items, wanted, item_size))) {
        gcal_error_memory(err);
        return NULL;
    }
    *capacity = wanted;
    return moved;
}
