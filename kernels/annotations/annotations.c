/* annotations.c - the annotations of a kernel and of the functions it calls */
#include <stdlib.h>

#include "kernels/annotations/private.h"

int gcal_annotations_find(struct gcal_annotations *a, size_t n_trips,
                          const struct gcal_count_trips *trips, CXCursor function,
                          struct gcal_poly_context *c, struct gcal_error *err)
{
    if (gcal_annotations_scan(a, n_trips, trips, c, err) < 0)
        return -1;
    return gcal_annotations_attach(a, function, c, err);
}

void gcal_annotations_clear(struct gcal_annotations *a)
{
    free(a->all);
}
