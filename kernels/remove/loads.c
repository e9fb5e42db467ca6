/* loads.c - the list of loads, which needs no front end */
#include <stdlib.h>

#include "kernels/remove/remove.h"

void gcal_loads_clear(struct gcal_loads *loads)
{
    for (size_t i = 0; i < loads->n; i++) {
        free(loads->items[i].name);
        free(loads->items[i].with);
    }
    free(loads->items);
    *loads = (struct gcal_loads){ 0 };
}
