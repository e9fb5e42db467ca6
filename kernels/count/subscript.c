/* subscript.c - what is known of subscripts that are not affine, or depend on data */
#include "kernels/model/dtype.h"
#include "kernels/count/private.h"

struct gcal_sets_access_event
gcal_count_near_event(const struct gcal_sets_access_event *e)
{
    struct gcal_sets_access_event near = *e;

    near.offset = e->offset ? e->offset : e->near;
    return near;
}

bool gcal_count_has_uniform_sides(struct gcal_count_builder *m,
                                  const struct gcal_sets_access_event *e)
{
    for (size_t i = 0; i < e->n_sides; i++)
        for (const struct gcal_sets_scope *s = e->sides[i].scope; s != e->scope;
             s = s->parent)
            for (size_t d = 0; d < m->nest->n_dims; d++)
                if (gcal_sets_condition_contains(m->c, s->condition,
                                                 gcal_poly_atom_index(m->nest->lid[d])))
                    return false;
    return e->n_sides > 0;
}

bool gcal_count_find_range(struct gcal_count_builder *m,
                           const struct gcal_sets_access_event *e,
                           struct gcal_sets_range *range)
{
    const struct gcal_sets_array *array = &m->nest->arrays[e->array];
    int64_t bytes = (int64_t)gcal_dtype_size(e->dtype), n = array->bytes / bytes, values;
    const struct gcal_poly *all = n > 0 ? gcal_poly_integer(m->c, n)
                                  : array->given
                                      ? gcal_poly_scale(m->c, array->given, 1, bytes)
                                      : NULL;
    bool known = e->range;

    if (known)
        *range = *e->range;
    if (!all || (known &&
                 !(n > 0 && gcal_poly_is_constant(range->values, &values) && values > n)))
        return known;
    *range = (struct gcal_sets_range){ all, gcal_poly_integer(m->c, 1),
                                       gcal_poly_integer(m->c, 0) };
    return true;
}
