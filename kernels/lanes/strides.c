/* strides.c - the distances of rows that the lanes of a sub-group access together */
#include <stdlib.h>

#include "kernels/lanes/private.h"

enum { MOST_EVALUATIONS = 20000 };

/* The largest common divisor of the distances between lanes of one sub-group, in rows of
 * one length; 0: they are in the same row.
 */
static bool find_distance(struct gcal_lanes_walk *l, const struct gcal_poly *lanes,
                          int64_t *distance)
{
    int64_t items = gcal_sets_nest_group_items(l->nest), first = 0, row;

    *distance = 0;
    for (int64_t item = 0; item < items; item++) {
        gcal_lanes_assign(l, item);
        if (!gcal_lanes_evaluate_integer(l, lanes, &row))
            return false;
        if (item % l->nest->sub_group_size == 0)
            first = row;
        *distance = gcal_poly_gcd(*distance, row - first);
    }
    return true;
}

static void find(struct gcal_lanes_walk *l, struct gcal_lanes_strides *strides)
{
    for (size_t i = 0; i < l->split.n_rows; i++) {
        int64_t distance;

        if (!find_distance(l, l->split.rows[i].lanes, &distance)) {
            strides->n = 0;
            return;
        }
        if (distance)
            strides->all[strides->n++] =
                gcal_poly_scale(l->nest->c, l->split.rows[i].stride, distance, 1);
    }
}

void gcal_lanes_find_strides(struct gcal_sets_nest *nest,
                             const struct gcal_sets_access_event *access,
                             struct gcal_lanes_strides *strides)
{
    struct gcal_lanes_sum sum = { .modulus = 1, .width = 1 };
    struct gcal_lanes_walk *l = calloc(1, sizeof(*l));

    strides->n = 0;
    if (!l || !access->offset || nest->sub_group_size < 1 ||
        !gcal_sets_nest_context(nest)) {
        free(l);
        return;
    }
    l->nest = nest;
    l->fixes_remainders = true;
    l->sum = &sum;
    l->evaluations_left = MOST_EVALUATIONS;
    if (gcal_lanes_prepare(l, access, true))
        find(l, strides);
    free(l);
}
