/* lanes.c - what the lanes of a sub-group access together, summed over all executions
 *
 * A subscript is the sum of a part that depends on the lane, and the base, which all lanes
 * of an execution share.  A measure, such as the sectors that the lanes touch, is a
 * function of the lanes' parts and of the base's residue.  Where local ids and short loops
 * alone decide which lanes take part, the lanes' parts are enumerated; how often each
 * residue occurs is counted symbolically.  Strides that are sizes ("n*lid") put lanes in
 * different rows.
 */
#include <stdlib.h>

#include "kernels/lanes/private.h"

enum { MOST_EVALUATIONS = 400000, SHARE = 4 };

static bool is_by_lane(const struct gcal_lanes_walk *l,
                       const struct gcal_sets_condition *x)
{
    for (size_t i = 0; i < l->domain.n_dims; i++)
        if (l->enumerated[i] &&
            gcal_sets_condition_contains(l->nest->c, x, l->domain.dims[i]))
            return true;
    return false;
}

/* ---- enumeration ---- */

static void assign_lane(struct gcal_lanes_walk *l, size_t lane)
{
    for (size_t i = 0, d = 0; i < l->domain.n_dims; i++)
        if (l->domain.is_lid[i]) {
            l->value[i] = l->lid[d++][lane];
            l->assigned[i] = true;
        }
}

/* Adds a lane for which the conditions hold. */
static bool add_lane(struct gcal_lanes_walk *l)
{
    bool holds = true;

    for (size_t i = 0; i < l->domain.n_conditions && holds; i++)
        if (!l->sum->all_lanes && is_by_lane(l, l->domain.conditions[i]) &&
            !gcal_lanes_evaluate_condition(l, l->domain.conditions[i], &holds))
            return false;
    if (!holds)
        return true;
    return gcal_lanes_add(l);
}

/* All iterations of a level and those within it, for the lanes that are 'active'. */
static bool run_level(struct gcal_lanes_walk *l, size_t level)
{
    const bool *active = l->active + level * l->n_lanes;
    bool *next = l->active + (level + 1) * l->n_lanes, any = true, ok = true;
    size_t dim;

    if (level == l->n_levels) {
        l->at.n = 0;
        for (size_t lane = 0; lane < l->n_lanes; lane++) {
            assign_lane(l, lane);
            if (active[lane] && !add_lane(l))
                return false;
        }
        if (!l->at.n)
            return true;
        l->executions++;
        gcal_lanes_measure(l, 1);
        return true;
    }
    dim = l->level[level];
    for (int64_t v = 0; any && ok; v++) {
        int64_t trips = 0;

        any = false;
        l->assigned[dim] = false;
        for (size_t lane = 0; lane < l->n_lanes && ok; lane++) {
            assign_lane(l, lane);
            if (lane == 0 || gcal_poly_has_dimension(l->nest->c, l->domain.trips[dim]))
                ok = gcal_lanes_evaluate_integer(l, l->domain.trips[dim], &trips);
            next[lane] = active[lane] && v < trips;
            any = any || next[lane];
        }
        l->value[dim] = v;
        l->assigned[dim] = true;
        if (ok && any)
            ok = run_level(l, level + 1);
    }
    l->assigned[dim] = false;
    return ok;
}

static bool allocate(struct gcal_lanes_walk *l)
{
    size_t n = (size_t)l->nest->sub_group_size;

    l->active = calloc((l->n_levels + 1) * n, sizeof(*l->active));
    l->at.at = calloc(n, sizeof(*l->at.at));
    l->at.row = calloc(n, sizeof(*l->at.row));
    for (size_t d = 0; d < l->nest->n_dims; d++)
        if (!(l->lid[d] = calloc(n, sizeof(*l->lid[d]))))
            return false;
    return l->active && l->at.at && l->at.row;
}

static bool enumerate(struct gcal_lanes_walk *l)
{
    int64_t items = gcal_sets_nest_group_items(l->nest);
    bool ok = allocate(l);

    for (int64_t first = 0; first < items && ok; first += l->nest->sub_group_size) {
        int64_t size = l->nest->sub_group_size;

        l->n_lanes = (size_t)(items - first < size ? items - first : size);
        for (size_t lane = 0; lane < l->n_lanes; lane++) {
            int64_t item = first + (int64_t)lane;

            l->active[lane] = true;
            for (size_t d = 0; d < l->nest->n_dims; d++) {
                l->lid[d][lane] = item % l->nest->local_size[d];
                item /= l->nest->local_size[d];
            }
        }
        ok = run_level(l, 0);
    }
    free(l->active);
    free(l->at.at);
    free(l->at.row);
    for (size_t d = 0; d < l->nest->n_dims; d++)
        free(l->lid[d]);
    return ok;
}

/* ---- how often each residue occurs ---- */

/* The executions with a residue of 'low' to 'high' of the base. */
static const struct gcal_poly *count_residues(struct gcal_lanes_walk *l, int64_t low,
                                              int64_t high, void *data)
{
    /* The dimensions and conditions that the lanes do not depend on. */
    struct gcal_sets_domain rest = { .nest = l->nest,
                                     .mode = GCAL_SETS_COUNT_WORK_ITEMS,
                                     .estimated = l->domain.estimated };

    for (size_t i = 0; i < l->domain.n_dims; i++)
        if (!l->enumerated[i]) {
            rest.dims[rest.n_dims] = l->domain.dims[i];
            rest.block[rest.n_dims] = 1;
            rest.trips[rest.n_dims++] = l->domain.trips[i];
        }
    for (size_t i = 0; i < l->domain.n_conditions; i++)
        if (!is_by_lane(l, l->domain.conditions[i]))
            rest.conditions[rest.n_conditions++] = l->domain.conditions[i];

    return gcal_lanes_count(l, &rest, low, high, data);
}

/* As if all lanes took part, and residues were equally frequent: the mean of a
 * sub-group's execution.
 */
static const struct gcal_poly *average(const struct gcal_lanes_walk *l)
{
    int64_t sum = 0, n = 0;

    for (int64_t r = l->split.first_residue; r < l->sum->modulus;
         r += l->split.residue_step) {
        sum += l->total[r];
        n++;
    }
    return l->executions ? gcal_poly_rational(l->nest->c, sum, n * l->executions) : NULL;
}

static bool rows_are_apart(struct gcal_lanes_walk *l)
{
    struct gcal_poly_context *c = l->nest->c;

    return !l->widest ||
           (l->split.n_rows == 1 &&
            gcal_poly_is_nonnegative(c, gcal_poly_sub(c, l->split.rows[0].stride,
                                                      gcal_poly_integer(c, l->widest))));
}

static const struct gcal_poly *sum_enumerated(struct gcal_lanes_walk *l,
                                              const struct gcal_sets_access_event *access)
{
    const struct gcal_poly *rest = NULL;

    if (!gcal_lanes_prepare(l, access, l->sum->all_lanes) || !enumerate(l))
        return NULL;
    return l->sum->all_lanes ? average(l)
                             : gcal_lanes_sum_residues(l, count_residues, &rest);
}

typedef const struct gcal_poly *sum_way(struct gcal_lanes_walk *l,
                                        const struct gcal_sets_access_event *access);

/* Of one part of the domain, and what is known of all parts so far; NULL if 'way' cannot. */
static const struct gcal_poly *sum_part(struct gcal_lanes_walk *l,
                                        const struct gcal_sets_access_event *access,
                                        struct gcal_lanes_sum *sum, sum_way *way)
{
    const struct gcal_poly *total = way(l, access);

    sum->known = gcal_poly_gcd(sum->known, l->split.modulus);
    if (total && !rows_are_apart(l) && l->widest > (sum->rows ? sum->least_row : 0)) {
        sum->rows = l->split.rows[0].stride;
        sum->least_row = l->widest;
        sum->most_rows = l->split.n_rows == 1 ? l->most_rows : 0;
    }
    return total;
}

/* By 'way'; NULL if that cannot. */
static const struct gcal_poly *sum_by(struct gcal_sets_nest *nest,
                                      const struct gcal_sets_access_event *access,
                                      struct gcal_lanes_sum *sum,
                                      struct gcal_poly_multiples *multiples,
                                      bool fixes_remainders, sum_way *way)
{
    struct gcal_lanes_walk *l = malloc(sizeof(*l));
    const struct gcal_poly *total = gcal_poly_integer(nest->c, 0), *part;
    long evaluations_left = MOST_EVALUATIONS;
    size_t n_parts = 1;

    sum->estimated = false;
    sum->known = sum->modulus;
    sum->rows = NULL;
    if (!l)
        return NULL;
    for (size_t i = 0; total && i < n_parts; i++) {
        *l = (struct gcal_lanes_walk){ .nest = nest,
                                       .sum = sum,
                                       .fixes_remainders = fixes_remainders,
                                       .part = i,
                                       .evaluations_left = evaluations_left,
                                       .split.multiples = *multiples };
        part = sum_part(l, access, sum, way);
        total = part ? gcal_poly_add(nest->c, total, part) : NULL;
        *multiples = l->split.multiples;
        evaluations_left = l->evaluations_left;
        n_parts = l->n_parts;
    }
    free(l);
    return total;
}

static const struct gcal_poly *sum_either(struct gcal_sets_nest *nest,
                                          const struct gcal_sets_access_event *access,
                                          struct gcal_lanes_sum *sum,
                                          struct gcal_poly_multiples *multiples)
{
    const struct gcal_poly_multiples given = *multiples;
    const struct gcal_poly *total =
        sum_by(nest, access, sum, multiples, false, sum_enumerated);

    if (total || sum->all_lanes)
        return total;
    *multiples = given;
    return sum_by(nest, access, sum, multiples, true, gcal_lanes_sum_boxes);
}

/* 'total', or the sum for sizes at which rows begin at multiples of 'multiple'. */
static const struct gcal_poly *or_multiples(struct gcal_sets_nest *nest,
                                            const struct gcal_sets_access_event *access,
                                            const struct gcal_lanes_sum *sum,
                                            int64_t multiple,
                                            const struct gcal_poly *total)
{
    struct gcal_poly_multiples multiples = { .of = multiple };
    struct gcal_lanes_sum other = *sum;
    const struct gcal_poly *aligned;

    aligned = sum_either(nest, access, &other, &multiples);
    return aligned && other.known > sum->known
               ? gcal_poly_multiples_choose(nest->c, &multiples, aligned, total)
               : NULL;
}

const struct gcal_poly *gcal_lanes_sum(struct gcal_sets_nest *nest,
                                       const struct gcal_sets_access_event *access,
                                       struct gcal_lanes_sum *sum)
{
    struct gcal_poly_multiples none = { 0 };
    const struct gcal_poly *total, *either = NULL;

    if (!access->offset || nest->sub_group_size < 1 || !gcal_poly_may_attempt(nest->c) ||
        sum->modulus > GCAL_LANES_MOST_MODULUS || !gcal_sets_nest_context(nest))
        return NULL;
    total = sum_either(nest, access, sum, &none);
    if (!total || sum->known == sum->modulus)
        return total;
    either = or_multiples(nest, access, sum, sum->modulus, total);
    if (!either && sum->modulus % SHARE == 0)
        either = or_multiples(nest, access, sum, sum->modulus / SHARE, total);
    return either ? either : total;
}
