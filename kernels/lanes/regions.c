/* regions.c - the blocks that the work-items of a region touch together, met one by one
 *
 * Quotients and remainders of ids by numbers scatter what a work-group, or a sub-group in a
 * loop, touches: the union of all its accesses mostly has no closed form.  Where they are
 * made of numbers, the region's points are met one by one; and this for each value of the
 * ids and loops around that differs from others by more than whole blocks.  Subscripts grow
 * by a constant after a period of these.
 */
#include <math.h>
#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/base/random.h"
#include "kernels/lanes/private.h"

enum {
    MOST_EVALUATIONS = 1000000,   /* for all regions together, */
    KERNEL_EVALUATIONS = 6000000, /* and for all arrays of a kernel */
    MOST_PERIOD = 4096,
    MOST_OUTER = GCAL_SETS_MAX_DIMS
};

#define GOLDEN 0.6180339887498949 /* its multiples modulo 1 are spread evenly */

/* An id or loop around the region; a region is met at 'n' of its values, from 'first' on. */
struct outer {
    unsigned atom;
    const struct gcal_poly *trips;
    int64_t number; /* of trips; 0: they are a size */
    int64_t period, n, first;
    bool drifts; /* accesses grow by different constants after a period */
};

struct regions {
    struct gcal_sets_nest *nest;
    struct gcal_poly_context *c;
    size_t n_accesses, n_outer;
    struct gcal_lanes_walk *accesses; /* the domain and values of each */
    int64_t *widths;
    struct outer outer[MOST_OUTER];
    const struct gcal_sets_scope *loop;
    enum gcal_lanes_region region;
    int64_t size;
    bool estimated;
    size_t n_blocks, capacity;
    int64_t *blocks; /* that the region at hand touches */
    bool failed;
};

/* ---- accesses ---- */

static bool is_outer(const struct regions *r, unsigned atom)
{
    for (size_t i = 0; i < r->n_outer; i++)
        if (r->outer[i].atom == atom)
            return true;
    return false;
}

static bool is_outer_condition(const struct regions *r,
                               const struct gcal_sets_condition *x)
{
    for (size_t i = 0; i < r->n_outer; i++)
        if (gcal_sets_condition_contains(r->c, x, r->outer[i].atom))
            return true;
    return false;
}

/* The ids, loops and conditions of an access as they are. */
static bool fill(struct regions *r, struct gcal_sets_domain *domain,
                 const struct gcal_sets_access_event *e)
{
    domain->nest = r->nest;
    domain->offset = e->offset;
    if (!gcal_sets_domain_add_ids(domain))
        return false;
    for (const struct gcal_sets_scope *s = e->scope; s; s = s->parent) {
        if (s->kind == GCAL_SETS_SCOPE_LOOP &&
            !gcal_sets_domain_add(domain, s->loop, s->trips, false))
            return false;
        if (s->kind == GCAL_SETS_SCOPE_UNKNOWN)
            r->estimated = true;
        if (s->kind != GCAL_SETS_SCOPE_CONDITION)
            continue;
        if (domain->n_conditions == GCAL_SETS_MAX_CONDITIONS)
            return false;
        domain->conditions[domain->n_conditions++] = s->condition;
    }
    return e->offset != NULL;
}

/* ---- the ids and loops around ---- */

static bool add_outer(struct regions *r, unsigned atom, const struct gcal_poly *trips)
{
    struct outer o = { .atom = atom, .trips = trips, .period = 1, .n = 1 };

    if (r->n_outer == MOST_OUTER || gcal_poly_has_dimension(r->c, trips))
        return false;
    if (gcal_poly_is_constant(trips, &o.number) && o.number < 1)
        return false;
    r->outer[r->n_outer++] = o;
    return true;
}

static bool find_outer(struct regions *r)
{
    int64_t number;

    for (size_t d = 0; d < r->nest->n_dims; d++)
        if ((r->region != GCAL_LANES_LAUNCH ||
             !gcal_poly_is_constant(r->nest->groups[d], &number)) &&
            !add_outer(r, gcal_poly_atom_index(r->nest->gid[d]), r->nest->groups[d]))
            return false;
    for (const struct gcal_sets_scope *s = r->loop ? r->loop->parent : NULL; s;
         s = s->parent)
        if (s->kind == GCAL_SETS_SCOPE_LOOP && !add_outer(r, s->loop, s->trips))
            return false;
    return r->region != GCAL_LANES_LAUNCH || r->n_outer <= 1;
}

/* What the offset grows by after 'period' of the dimension; false: no constant. */
static bool find_growth(struct regions *r, const struct gcal_poly *offset, unsigned atom,
                        int64_t period, int64_t *growth)
{
    const struct gcal_poly *moved =
        gcal_poly_substitute(r->c, offset, atom,
                             gcal_poly_add(r->c, gcal_poly_from_atom(r->c, atom),
                                           gcal_poly_integer(r->c, period)));

    return gcal_poly_is_constant(gcal_poly_sub(r->c, moved, offset), growth);
}

static bool find_period(struct regions *r, struct outer *o)
{
    int64_t own, growth, first = 0;

    for (size_t i = 0; i < r->n_accesses; i++) {
        own = gcal_poly_period(r->c, r->accesses[i].domain.offset, o->atom);
        own = own ? own : 1;
        o->period *= own / gcal_poly_gcd(o->period, own);
        if (o->period > MOST_PERIOD)
            return false;
    }
    for (size_t i = 0; i < r->n_accesses; i++) {
        if (!find_growth(r, r->accesses[i].domain.offset, o->atom, o->period, &growth))
            return false;
        first = i ? first : growth;
        o->drifts = o->drifts || growth != first;
    }
    if (!o->drifts && first)
        o->period *= r->size / gcal_poly_gcd(r->size, first);
    return o->period <= MOST_PERIOD;
}

/* At which values a region is met. */
static bool choose_values(struct regions *r, struct outer *o, size_t *n_drifting)
{
    bool periodic = find_period(r, o);

    if (o->number && (!periodic || o->drifts || o->number <= o->period)) {
        o->period = o->n = o->number;
        o->drifts = false;
        return true;
    }
    if (!periodic)
        return false;
    o->n = o->period;
    if (o->drifts) {
        r->estimated = true;
        o->drifts = (*n_drifting)++ == 0;
        o->first = o->drifts ? 0 : o->period;
        o->n *= o->drifts ? 2 : 1;
    }
    return true;
}

/* ---- the points of a region ---- */

static void touch(struct regions *r, int64_t block)
{
    int64_t *moved;

    if (r->n_blocks && r->blocks[r->n_blocks - 1] == block)
        return;
    moved = gcal_array_grow(r->blocks, r->n_blocks, &r->capacity, sizeof(*moved), NULL);
    if (!moved) {
        r->failed = true;
        return;
    }
    r->blocks = moved;
    moved[r->n_blocks++] = block;
}

/* Returns whether all conditions hold; those that are unknown do, and those on the ids and loops
 * around where not all values of these are met.
 */
static bool holds(struct regions *r, struct gcal_lanes_walk *l, bool all_met)
{
    for (size_t i = 0; i < l->domain.n_conditions; i++) {
        const struct gcal_sets_condition *x = l->domain.conditions[i];
        bool true_here = true;

        if ((!all_met && is_outer_condition(r, x)) ||
            !gcal_lanes_evaluate_condition(l, x, &true_here)) {
            r->estimated = true;
            continue;
        }
        if (!true_here)
            return false;
    }
    return true;
}

/* Returns whether the dimension decides what is touched. */
static bool matters(const struct regions *r, const struct gcal_lanes_walk *l, size_t dim)
{
    unsigned atom = l->domain.dims[dim];

    for (size_t i = 0; i < l->domain.n_conditions; i++)
        if (gcal_sets_condition_contains(r->c, l->domain.conditions[i], atom))
            return true;
    for (size_t i = 0; i < l->domain.n_dims; i++)
        if (gcal_poly_contains(r->c, l->domain.trips[i], atom))
            return true;
    return gcal_poly_contains(r->c, l->domain.offset, atom);
}

/* The values of the dimensions before 'dim', which have none yet: the last one first, as
 * loops are innermost first.
 */
static bool meet(struct regions *r, struct gcal_lanes_walk *l, size_t dim, int64_t width,
                 bool all_met)
{
    int64_t trips, at;
    bool ok = true;

    while (dim > 0 && l->assigned[dim - 1])
        dim--;
    if (dim == 0) {
        if (!holds(r, l, all_met))
            return !r->failed;
        if (!gcal_lanes_evaluate_integer(l, l->domain.offset, &at))
            return false;
        for (int64_t b = gcal_poly_floor_divide(at, r->size);
             b <= gcal_poly_floor_divide(at + width - 1, r->size); b++)
            touch(r, b);
        return !r->failed;
    }
    dim--;
    if (!l->enumerated[dim]) {
        l->value[dim] = 0;
        l->assigned[dim] = true;
        ok = meet(r, l, dim, width, all_met);
        l->assigned[dim] = false;
        return ok;
    }
    if (!gcal_lanes_evaluate_integer(l, l->domain.trips[dim], &trips))
        return false;
    l->assigned[dim] = true;
    for (int64_t v = 0; v < trips && ok; v++) {
        l->value[dim] = v;
        ok = meet(r, l, dim, width, all_met);
    }
    l->assigned[dim] = false;
    return ok;
}

static int compare(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Adds the blocks of the region whose ids and loops around have values, of each of its
 * sub-groups by itself; of a launch to those of its other work-groups.
 */
static bool count_region(struct regions *r, bool all_met, int64_t *sum)
{
    int64_t items = gcal_sets_nest_group_items(r->nest), step = items;

    if (r->region == GCAL_LANES_SUB_GROUP)
        step = r->nest->sub_group_size;
    for (int64_t first = 0; first < items; first += step) {
        for (size_t i = 0; i < r->n_accesses; i++) {
            struct gcal_lanes_walk *l = &r->accesses[i];

            for (int64_t item = first; item < first + step && item < items; item++) {
                gcal_lanes_assign(l, item);
                if (!meet(r, l, l->domain.n_dims, r->widths[i], all_met))
                    return false;
            }
        }
        /* Leaves each block once. */
        size_t n = 0;

        qsort(r->blocks, r->n_blocks, sizeof(*r->blocks), compare);
        for (size_t i = 0; i < r->n_blocks; i++)
            if (i == 0 || r->blocks[i] != r->blocks[n - 1])
                r->blocks[n++] = r->blocks[i];
        r->n_blocks = n;
        *sum += (int64_t)r->n_blocks;
        if (r->region != GCAL_LANES_LAUNCH)
            r->n_blocks = 0;
    }
    return true;
}

/* ---- all regions ---- */

/* The evaluations of one region, about. */
static double estimate_cost(struct regions *r)
{
    double cost = 0;

    for (size_t i = 0; i < r->n_accesses; i++) {
        struct gcal_lanes_walk *l = &r->accesses[i];
        double points = (double)gcal_sets_nest_group_items(r->nest);
        int64_t trips;

        for (size_t d = 0; d < l->domain.n_dims; d++)
            if (l->enumerated[d])
                points *= gcal_poly_is_constant(l->domain.trips[d], &trips)
                              ? (double)trips
                              : 32;
        cost += points * (double)(2 + l->domain.n_conditions + l->domain.offset->n_terms);
    }
    return cost;
}

/* The ids and loops around take the values of combination 'number'; the times that a region
 * is like this one, as far as these are numbers.  '*drifted': past the first period.
 */
static double take_values(struct regions *r, int64_t number, bool *drifted)
{
    double times = 1;

    *drifted = false;
    for (size_t i = 0; i < r->n_outer; i++) {
        struct outer *o = &r->outer[i];
        int64_t v = o->first + number % o->n;

        number /= o->n;
        if (o->drifts)
            *drifted = v >= o->period;
        else if (o->number) {
            int64_t more = (o->number - 1 - v % o->period) / o->period;

            times *= (double)(more + 1);
        }
        for (size_t k = 0; k < r->n_accesses; k++)
            for (size_t d = 0; d < r->accesses[k].domain.n_dims; d++)
                if (r->accesses[k].domain.dims[d] == o->atom) {
                    r->accesses[k].value[d] = v;
                    r->accesses[k].assigned[d] = true;
                }
    }
    return times;
}

/* How often the product of all periods of sizes, and of a drifting one, there are. */
static const struct gcal_poly *count_periods(struct regions *r)
{
    const struct gcal_poly *times = gcal_poly_integer(r->c, 1);

    for (size_t i = 0; i < r->n_outer; i++)
        if (!r->outer[i].number)
            times = gcal_poly_mul(
                r->c, times,
                gcal_poly_scale(r->c, r->outer[i].trips, 1, r->outer[i].period));
    return times;
}

/* Returns whether sizes are not known to be whole periods. */
static bool has_part_periods(struct regions *r)
{
    for (size_t i = 0; i < r->n_outer; i++)
        if (!r->outer[i].number && !gcal_poly_is_integral(gcal_poly_scale(
                                       r->c, r->outer[i].trips, 1, r->outer[i].period)))
            return true;
    return false;
}

/* The mean of all regions times their number; the first period of a drifting dimension
 * counts once.
 */
static const struct gcal_poly *sum_up(struct regions *r, const int64_t sum[2],
                                      bool is_even)
{
    const struct gcal_poly *times = count_periods(r), *p, *trips;

    for (size_t i = 0; i < r->n_outer; i++)
        if (r->outer[i].drifts) {
            trips = gcal_poly_min(r->c, r->outer[i].trips,
                                  gcal_poly_integer(r->c, r->outer[i].period));
            p = gcal_poly_divide(r->c, times, r->outer[i].trips);
            return p ? gcal_poly_add(r->c, gcal_poly_scale(r->c, times, sum[1], 1),
                                     gcal_poly_scale(r->c, gcal_poly_mul(r->c, p, trips),
                                                     sum[0] - sum[1], 1))
                     : gcal_poly_scale(r->c, times, sum[1], 1);
        }
    if (!is_even && has_part_periods(r))
        r->estimated = true;
    return gcal_poly_scale(r->c, times, sum[0], 1);
}

/* Of a launch of any number of work-groups: those of the first ones, and what each further
 * period of them adds.
 */
static const struct gcal_poly *extrapolate(struct regions *r)
{
    struct gcal_poly_context *c = r->c;
    const struct gcal_poly *trips = r->outer[0].trips, *first, *more;
    int64_t period = r->outer[0].period, reached[4] = { 0 };
    bool drifted;

    if (estimate_cost(r) * 3 * (double)period > MOST_EVALUATIONS)
        return NULL;
    r->estimated = true;
    r->outer[0].first = 0;
    r->outer[0].drifts = false;
    r->outer[0].n = 3 * period;
    for (int64_t v = 0; v < 3 * period; v++) {
        int64_t sum = 0;

        take_values(r, v, &drifted);
        if (!count_region(r, false, &sum))
            return NULL;
        if (v == 0)
            reached[0] = sum;
        reached[1 + v / period] = sum;
    }
    if (reached[1] == reached[0] * period && reached[1] == reached[3] - reached[2])
        return gcal_poly_scale(c, trips, reached[0], 1);
    first = gcal_poly_scale(c, gcal_poly_min(c, trips, gcal_poly_integer(c, period)),
                            reached[1], period);
    more = gcal_poly_scale(
        c,
        gcal_poly_max(c, gcal_poly_sub(c, trips, gcal_poly_integer(c, period)),
                      gcal_poly_integer(c, 0)),
        reached[3] - reached[2], period);
    return gcal_poly_add(c, gcal_poly_max(c, first, gcal_poly_integer(c, reached[0])),
                         more);
}

static const struct gcal_poly *count(struct regions *r)
{
    double all = 1, cost = estimate_cost(r), most = MOST_EVALUATIONS / cost, weight = 0,
           met = 0, total[2] = { 0, 0 };
    int64_t n, least = INT64_MAX, largest = 0, sum[2];
    bool all_met = true;

    for (size_t i = 0; i < r->n_outer; i++) {
        all *= (double)r->outer[i].n;
        all_met = all_met && r->outer[i].n == r->outer[i].number;
    }
    if (most < 16 && all > most)
        return NULL;
    n = all <= most ? (int64_t)all : (int64_t)most;
    r->estimated = r->estimated || (double)n < all;
    for (int64_t i = 0; i < n; i++) {
        bool drifted;
        int64_t one = 0;
        double times = take_values(
            r, (double)n < all ? (int64_t)(fmod((double)i * GOLDEN, 1) * all) : i,
            &drifted);

        if (!count_region(r, all_met, &one))
            return NULL;
        least = one < least ? one : least;
        largest = one > largest ? one : largest;
        total[drifted] += (double)one * times;
        met += times;
    }
    /* of a sample: as many of each */
    weight = 1;
    for (size_t i = 0; i < r->n_outer; i++)
        weight *= r->outer[i].number   ? (double)r->outer[i].number
                  : r->outer[i].drifts ? 2 * (double)r->outer[i].period
                                       : (double)r->outer[i].period;
    for (int k = 0; k < 2; k++) {
        total[k] *= weight / met;
        if (total[k] > 0x1p52)
            return NULL;
        sum[k] = (int64_t)(total[k] + 0.5);
    }
    return sum_up(r, sum, least == largest);
}

static size_t count_sides(const struct gcal_sets_access_event *e)
{
    return e->n_sides ? e->n_sides : 1;
}

static bool prepare(struct regions *r, size_t n,
                    const struct gcal_sets_access_event *const *events)
{
    size_t n_drifting = 0, all = 0;

    for (size_t i = 0; i < n; i++)
        all += count_sides(events[i]);
    r->accesses = calloc(all, sizeof(*r->accesses));
    r->widths = calloc(all, sizeof(*r->widths));
    if (!r->accesses || !r->widths || !find_outer(r))
        return false;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < count_sides(events[i]); k++) {
            const struct gcal_sets_access_event *e =
                events[i]->n_sides ? &events[i]->sides[k] : events[i];
            struct gcal_lanes_walk *l = &r->accesses[r->n_accesses];

            l->nest = r->nest;
            l->evaluations_left = 2 * MOST_EVALUATIONS;
            r->widths[r->n_accesses++] = e->width;
            if (!fill(r, &l->domain, e))
                return false;
            for (size_t d = 0; d < l->domain.n_dims; d++)
                l->enumerated[d] = !l->domain.is_lid[d] &&
                                   !is_outer(r, l->domain.dims[d]) && matters(r, l, d);
        }
    for (size_t i = 0; i < r->n_outer; i++)
        if (!choose_values(r, &r->outer[i], &n_drifting))
            return false;
    return r->n_accesses > 0;
}

/* Returns whether p has quotients by numbers. */
static bool has_quotients(const struct gcal_poly_context *c, const struct gcal_poly *p)
{
    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++) {
            struct gcal_poly_atom a = gcal_poly_get_atom(c, p->terms[i].factors[j].atom);

            if (gcal_poly_atom_has_dimension(c, p->terms[i].factors[j].atom) &&
                (a.kind == GCAL_POLY_ATOM_FLOOR ||
                 (a.kind > GCAL_POLY_ATOM_FLOOR &&
                  (has_quotients(c, a.a) || (a.b && has_quotients(c, a.b))))))
                return true;
        }
    return false;
}

const struct gcal_poly *gcal_lanes_region_blocks(
    struct gcal_sets_nest *nest, size_t n,
    const struct gcal_sets_access_event *const *accesses, enum gcal_lanes_region region,
    const struct gcal_sets_scope *loop, int64_t size, bool *estimated)
{
    struct regions r = {
        .nest = nest, .c = nest->c, .region = region, .loop = loop, .size = size
    };
    const struct gcal_poly *p = NULL;
    bool any = false;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < count_sides(accesses[i]); k++) {
            const struct gcal_poly *offset =
                accesses[i]->n_sides ? accesses[i]->sides[k].offset : accesses[i]->offset;

            if (!offset)
                return NULL;
            any = any || accesses[i]->n_sides || has_quotients(nest->c, offset);
        }
    if (!any || !gcal_poly_may_attempt(nest->c) ||
        nest->evaluations > KERNEL_EVALUATIONS ||
        (region == GCAL_LANES_SUB_GROUP && nest->sub_group_size < 1))
        return NULL;
    if (prepare(&r, n, accesses))
        p = r.n_outer && region == GCAL_LANES_LAUNCH ? extrapolate(&r) : count(&r);
    for (size_t i = 0; i < r.n_accesses; i++)
        nest->evaluations += 2 * MOST_EVALUATIONS - r.accesses[i].evaluations_left;
    free(r.accesses);
    free(r.widths);
    free(r.blocks);
    *estimated = r.estimated;
    return p;
}

/* ---- a sample of executions ---- */

enum { EXECUTIONS = 64, MOST_TRIES = 4 * EXECUTIONS, PARTS_OF_MEAN = 64 };

/* A number from 0 to n-1, the same ones in each run. */
static int64_t draw(uint64_t *random, int64_t n)
{
    return (int64_t)(gcal_random_next(random) % (uint64_t)n);
}

/* Draws values of all dimensions but local ids; false: they have none. */
static bool draw_values(struct gcal_lanes_walk *l, uint64_t *random)
{
    int64_t trips;

    for (size_t i = 0; i < l->domain.n_dims; i++)
        l->assigned[i] = false;
    for (size_t i = l->domain.n_dims; i-- > 0;) {
        if (l->domain.is_lid[i])
            continue;
        if (!gcal_lanes_evaluate_integer(l, l->domain.trips[i], &trips) || trips < 1)
            return false;
        l->value[i] = draw(random, trips);
        l->assigned[i] = true;
    }
    return true;
}

/* Adds a lane that takes part, on one of the sides; false: its place is unknown. */
static bool add_drawn_lane(struct regions *r, int64_t item)
{
    struct gcal_lanes *at = &r->accesses[0].at;

    for (size_t i = 0; i < r->n_accesses; i++) {
        struct gcal_lanes_walk *l = &r->accesses[i];
        int64_t place;

        gcal_lanes_assign(l, item);
        if (!holds(r, l, true))
            continue;
        if (!gcal_lanes_evaluate_integer(l, l->domain.offset, &place))
            return false;
        at->at[at->n] = place;
        at->row[at->n++] = 0;
        return true;
    }
    return true;
}

static bool draw_execution(struct regions *r, uint64_t *random)
{
    struct gcal_lanes *at = &r->accesses[0].at;
    int64_t items = gcal_sets_nest_group_items(r->nest), size = r->nest->sub_group_size,
            first = draw(random, (items + size - 1) / size) * size;
    uint64_t seed = *random;

    at->n = 0;
    for (size_t i = 0; i < r->n_accesses; i++) {
        *random = seed; /* all sides at the same place */
        if (!draw_values(&r->accesses[i], random))
            return true;
    }
    for (int64_t item = first; item < first + size && item < items; item++)
        if (!add_drawn_lane(r, item))
            return false;
    return true;
}

/* Prepares for the sides of a choice, which have the same dimensions, or for the access. */
static bool prepare_sample(struct regions *r, const struct gcal_sets_access_event *e)
{
    size_t n = count_sides(e), lanes = (size_t)r->nest->sub_group_size;

    r->accesses = calloc(n, sizeof(*r->accesses));
    if (!r->accesses)
        return false;
    r->accesses[0].at.at = calloc(lanes, sizeof(int64_t));
    r->accesses[0].at.row = calloc(lanes, sizeof(int64_t));
    for (; r->n_accesses < n; r->n_accesses++) {
        struct gcal_lanes_walk *l = &r->accesses[r->n_accesses];

        l->nest = r->nest;
        l->evaluations_left = MOST_EVALUATIONS;
        l->typical = true;
        if (!fill(r, &l->domain, e->n_sides ? &e->sides[r->n_accesses] : e))
            return false;
    }
    return r->accesses[0].at.at && r->accesses[0].at.row;
}

const struct gcal_poly *gcal_lanes_sample(struct gcal_sets_nest *nest,
                                          const struct gcal_sets_access_event *access,
                                          const struct gcal_lanes_sum *sum)
{
    struct regions r = { .nest = nest, .c = nest->c };
    uint64_t random = 1;
    int64_t total = 0, n = 0;
    bool ok;

    if (nest->sub_group_size < 1 || nest->evaluations > KERNEL_EVALUATIONS ||
        (!access->offset && !access->n_sides))
        return NULL;
    ok = prepare_sample(&r, access);
    for (int i = 0; i < MOST_TRIES && n < EXECUTIONS && ok; i++) {
        ok = draw_execution(&r, &random);
        if (!ok || !r.accesses[0].at.n)
            continue;
        total += sum->measure(&r.accesses[0].at, 0, sum->data);
        n++;
    }
    for (size_t i = 0; i < r.n_accesses; i++)
        nest->evaluations += MOST_EVALUATIONS - r.accesses[i].evaluations_left;
    if (r.accesses) {
        free(r.accesses[0].at.at);
        free(r.accesses[0].at.row);
    }
    free(r.accesses);
    return ok && n ? gcal_poly_rational(nest->c, (total * PARTS_OF_MEAN + n / 2) / n,
                                        PARTS_OF_MEAN)
                   : NULL;
}
