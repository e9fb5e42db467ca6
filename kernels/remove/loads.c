/* loads.c - the list of loads, usable without the front end */
#include <stdlib.h>

#include "kernels/remove/remove.h"

void gcal_remove_load_list_clear(struct gcal_remove_load_list *loads)
{
    for (size_t i = 0; i < loads->n; i++) {
        free(loads->items[i].name);
        free(loads->items[i].with);
    }
    free(loads->items);
    *loads = (struct gcal_remove_load_list){ 0 };
}
