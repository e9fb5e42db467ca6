/* subscript.c - what is known of subscripts that are not affine, or depend on data */
#include <stdlib.h>

#include "kernels/model/dtype.h"
#include "kernels/count/private.h"

struct gcal_sets_access_event
gcal_count_near_event(const struct gcal_sets_access_event *e)
{
    struct gcal_sets_access_event near = *e;

    near.offset = e->offset ? e->offset : e->near;
    return near;
}

struct gcal_sets_access_event
gcal_count_base_event(const struct gcal_sets_access_event *e)
{
    struct gcal_sets_access_event base = gcal_count_near_event(e);

    base.offset = base.offset ? base.offset : e->base;
    return base;
}

bool gcal_count_has_uniform_sides(const struct gcal_count_builder *m,
                                  const struct gcal_sets_access_event *e)
{
    for (size_t i = 0; i < e->n_sides; i++)
        for (const struct gcal_sets_scope *s = e->sides[i].scope; s != e->scope;
             s = s->parent)
            for (size_t d = 0; d < m->nest->n_dims; d++)
                if (gcal_sets_condition_contains(m->c, s->condition,
                                                 gcal_poly_atom_index(m->nest->lid[d])))
                    return false;
    return true;
}

/* Whether sub-groups touch as many sectors with lanes on both sides as with all on one. */
static bool stands_for_all(const struct gcal_count_builder *m,
                           const struct gcal_sets_access_event *e)
{
    struct gcal_sets_access_event near = gcal_count_near_event(e);
    struct gcal_count_blocks blocks = { .size = (int64_t)(m->request->sector_bytes /
                                                          gcal_dtype_size(e->dtype)),
                                        .width = e->width };
    struct gcal_lanes_sum sum = { .measure = gcal_count_blocks_measure, .data = &blocks };
    const struct gcal_poly *all = NULL, *one = NULL;

    near.n_sides = 0;
    if (blocks.size > 0) {
        all = gcal_lanes_sample(m->nest, e, &sum);
        one = gcal_lanes_sample(m->nest, &near, &sum);
    }
    free(blocks.all);
    return !all || !one ||
           (gcal_poly_is_nonnegative(
                m->c, gcal_poly_sub(m->c, gcal_poly_scale(m->c, one, 5, 4), all)) &&
            gcal_poly_is_nonnegative(
                m->c, gcal_poly_sub(m->c, gcal_poly_scale(m->c, all, 5, 4), one)));
}

bool gcal_count_divides(struct gcal_count_builder *m,
                        const struct gcal_sets_access_event *e)
{
    return e->n_sides && (gcal_count_has_uniform_sides(m, e) || !stands_for_all(m, e));
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
