/* subscript.c - what is known of subscripts that are not affine, or depend on data */
#include "calib/model/dtype.h"
#include "kernels/count/private.h"

struct gcal_sets_access_event
gcal_count_near_event(const struct gcal_sets_access_event *e)
{
    struct gcal_sets_access_event near = *e;

    near.offset = e->offset ? e->offset : e->near;
    return near;
}

bool gcal_count_find_range(struct gcal_count_builder *m,
                           const struct gcal_sets_access_event *e,
                           struct gcal_sets_range *range)
{
    int64_t n = m->nest->arrays[e->array].bytes / (int64_t)gcal_dtype_size(e->dtype);
    int64_t values;
    bool known = e->range;

    if (known)
        *range = *e->range;
    if (n < 1 ||
        (known && !(gcal_poly_is_constant(range->values, &values) && values > n)))
        return known;
    *range =
        (struct gcal_sets_range){ gcal_poly_integer(m->c, n), gcal_poly_integer(m->c, 1),
                                  gcal_poly_integer(m->c, 0) };
    return true;
}
