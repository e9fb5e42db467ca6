/* boxes.c - sums over lanes where those that take part form a box in each sub-group
 *
 * A guard such as "i < n" leaves the first lanes of a sub-group, "i >= 1 && i < n-1" an
 * interval.  A function of intervals is a sum over pairs of their lanes, of weights that
 * its differences give (Moebius inversion; Rota 1964): so the measure, summed over all
 * executions, is the sum of weights times the number of executions in which both lanes
 * take part.  For the measures of interest only pairs of equal or neighbouring lanes have
 * weights.  Lanes of equal weights, mostly at regular distances, are counted together.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/lanes/private.h"

enum { MOST_WEIGHTS = 1 << 20, MOST_TERMS = 48 };

/* What conditions leave of the lanes of a sub-group along an axis. */
enum kind { ALL, FIRST = 1, LAST = 2, BETWEEN = FIRST | LAST };

struct axis {
    size_t dim; /* of the domain */
    int64_t size, block;
    unsigned kind;
    int64_t reach; /* distances of the pairs of lanes, 0 to reach-1 */
};

struct boxes {
    struct gcal_lanes_walk *l;
    size_t n_axes;
    struct axis axis[GCAL_MAX_DIMS];
    int64_t items, n_pairs; /* distances per lane */
    size_t n_residues;
    int64_t *weights;  /* [pair distance][lane][residue] */
    int64_t *at, *row; /* of the lanes of the group */
};

/* ---- what conditions leave ---- */

/* Marks the axes in p, which must be monotone in one of them; 'grows' where p >= 0 holds
 * for the last lanes.
 */
static bool mark(struct boxes *b, const struct gcal_poly *p)
{
    struct gcal_poly_context *c = b->l->nest->c;
    size_t found = 0;

    for (size_t d = 0; d < b->n_axes; d++) {
        unsigned atom = b->l->domain.dims[b->axis[d].dim];
        const struct gcal_poly *k;

        if (!gcal_poly_contains(c, p, atom))
            continue;
        k = gcal_poly_coefficient(c, p, atom, 1);
        if (++found > 1 || gcal_poly_contains_nested(c, p, atom) ||
            gcal_poly_degree(p, atom) != 1 || gcal_poly_has_dimension(c, k))
            return false;
        if (gcal_poly_is_nonnegative(c, k))
            b->axis[d].kind |= LAST;
        else if (gcal_poly_is_nonnegative(c, gcal_poly_scale(c, k, -1, 1)))
            b->axis[d].kind |= FIRST;
        else
            return false;
    }
    return true;
}

static bool is_about_lanes(const struct boxes *b, const struct gcal_sets_condition *x)
{
    for (size_t d = 0; d < b->n_axes; d++)
        if (gcal_sets_condition_contains(b->l->nest->c, x,
                                         b->l->domain.dims[b->axis[d].dim]))
            return true;
    return false;
}

static bool find_kinds(struct boxes *b)
{
    const struct gcal_sets_domain *domain = &b->l->domain;

    for (size_t i = 0; i < domain->n_conditions; i++)
        if (is_about_lanes(b, domain->conditions[i]) &&
            (domain->conditions[i]->kind != GCAL_SETS_CONDITION_NONNEGATIVE ||
             !mark(b, domain->conditions[i]->p)))
            return false;
    for (size_t i = 0; i < domain->n_dims; i++)
        if (!mark(b, domain->trips[i]))
            return false;
    return true;
}

static bool find_axes(struct boxes *b)
{
    struct gcal_sets_domain blocks = b->l->domain;

    blocks.mode = GCAL_SETS_COUNT_SUB_GROUPS;
    blocks.linear = false;
    gcal_sets_domain_find_blocks(&blocks);
    if (blocks.linear)
        return false;
    for (size_t i = 0; i < blocks.n_dims; i++)
        if (blocks.is_lid[i]) {
            struct axis *axis = &b->axis[b->n_axes++];

            axis->dim = i;
            axis->block = blocks.block[i];
            if (!gcal_poly_is_constant(blocks.trips[i], &axis->size))
                return false;
        }
    if (!find_kinds(b))
        return false;
    b->items = b->n_pairs = 1;
    for (size_t d = 0; d < b->n_axes; d++) {
        b->axis[d].reach = b->axis[d].kind == BETWEEN ? b->axis[d].block : 1;
        b->items *= b->axis[d].size;
        b->n_pairs *= b->axis[d].reach;
    }
    b->n_residues = (size_t)b->l->split.modulus;
    return b->items * b->n_pairs * (int64_t)b->n_residues <= MOST_WEIGHTS;
}

/* ---- weights ---- */

static size_t lane_number(const struct boxes *b, const int64_t *lid)
{
    int64_t number = 0;

    for (size_t d = b->n_axes; d-- > 0;)
        number = number * b->axis[d].size + lid[d];
    return (size_t)number;
}

static int64_t *weights_of(const struct boxes *b, const int64_t *distance,
                           const int64_t *lid)
{
    int64_t pair = 0;

    for (size_t d = b->n_axes; d-- > 0;)
        pair = pair * b->axis[d].reach + distance[d];
    return b->weights + ((size_t)(pair * b->items) + lane_number(b, lid)) * b->n_residues;
}

/* The lanes of a box, and its measures into l->total. */
static void measure_box(struct boxes *b, const int64_t *from, const int64_t *to)
{
    struct gcal_lanes_walk *l = b->l;
    int64_t lid[GCAL_MAX_DIMS] = { 0 };
    size_t d;

    l->at.n = 0;
    memcpy(lid, from, sizeof(lid));
    do {
        size_t lane = lane_number(b, lid);

        l->at.at[l->at.n] = b->at[lane];
        l->at.row[l->at.n++] = b->row[lane];
        for (d = 0; d < b->n_axes && ++lid[d] > to[d]; d++)
            lid[d] = from[d];
    } while (d < b->n_axes);
    memset(l->total, 0, sizeof(l->total));
    gcal_lanes_measure(l, 1);
    for (size_t r = b->n_residues; r < (size_t)l->sum->modulus; r++)
        l->total[r % b->n_residues] += l->total[r];
}

/* Adds the measures of box from..to, with 'sign', to the weights of the pairs of lanes
 * whose differences contain it.
 */
static void add_differences(struct boxes *b, const int64_t *start, const int64_t *end,
                            const int64_t *from, const int64_t *to, size_t axis,
                            int64_t *lid, int64_t *distance, int64_t sign)
{
    if (axis == b->n_axes) {
        int64_t *weights = weights_of(b, distance, lid);

        for (size_t r = 0; r < b->n_residues; r++)
            weights[r] += sign * b->l->total[r];
        return;
    }
    for (int64_t wider = 0; wider < 4; wider++) {
        int64_t low = from[axis] - (wider & 1), high = to[axis] + (wider >> 1);
        unsigned kind = b->axis[axis].kind;

        if (low < start[axis] || high > end[axis] || ((wider & 1) && !(kind & LAST)) ||
            ((wider >> 1) && !(kind & FIRST)))
            continue;
        lid[axis] = kind == FIRST ? high : low;
        distance[axis] = kind == BETWEEN ? high - low : 0;
        add_differences(b, start, end, from, to, axis + 1, lid, distance,
                        wider == 1 || wider == 2 ? -sign : sign);
    }
}

/* All boxes of a sub-group's lanes, start..end. */
static bool run_boxes(struct boxes *b, const int64_t *start, const int64_t *end,
                      size_t axis, int64_t *from, int64_t *to)
{
    int64_t lid[GCAL_MAX_DIMS] = { 0 }, distance[GCAL_MAX_DIMS] = { 0 };
    unsigned kind;

    if (axis == b->n_axes) {
        measure_box(b, from, to);
        add_differences(b, start, end, from, to, 0, lid, distance, 1);
        return b->l->evaluations_left > 0;
    }
    kind = b->axis[axis].kind;
    for (from[axis] = start[axis]; from[axis] <= (kind & LAST ? end[axis] : start[axis]);
         from[axis]++)
        for (to[axis] = kind & FIRST ? from[axis] : end[axis]; to[axis] <= end[axis];
             to[axis]++)
            if (!run_boxes(b, start, end, axis + 1, from, to))
                return false;
    return true;
}

/* Returns whether the lanes from 'start' access what those from 0 do, but for a multiple of the
 * modulus.
 */
static bool is_like_first(const struct boxes *b, const int64_t *start, const int64_t *end)
{
    int64_t lid[GCAL_MAX_DIMS] = { 0 }, at[GCAL_MAX_DIMS] = { 0 };
    size_t first = lane_number(b, start), d;

    for (d = 0; d < b->n_axes; d++)
        if (end[d] - start[d] != b->axis[d].block - 1)
            return false;
    if ((b->at[first] - b->at[0]) % b->l->sum->modulus)
        return false;
    do {
        size_t lane, same = lane_number(b, lid);

        for (d = 0; d < b->n_axes; d++)
            at[d] = start[d] + lid[d];
        lane = lane_number(b, at);
        if (b->at[lane] - b->at[first] != b->at[same] - b->at[0] ||
            b->row[lane] - b->row[first] != b->row[same] - b->row[0])
            return false;
        for (d = 0; d < b->n_axes && ++lid[d] == b->axis[d].block; d++)
            lid[d] = 0;
    } while (d < b->n_axes);
    return true;
}

static void copy_first(struct boxes *b, const int64_t *start)
{
    int64_t lid[GCAL_MAX_DIMS] = { 0 }, at[GCAL_MAX_DIMS] = { 0 };
    size_t d;

    do {
        for (d = 0; d < b->n_axes; d++)
            at[d] = start[d] + lid[d];
        for (int64_t pair = 0; pair < b->n_pairs; pair++)
            memcpy(b->weights +
                       ((size_t)(pair * b->items) + lane_number(b, at)) * b->n_residues,
                   b->weights +
                       ((size_t)(pair * b->items) + lane_number(b, lid)) * b->n_residues,
                   b->n_residues * sizeof(*b->weights));
        for (d = 0; d < b->n_axes && ++lid[d] == b->axis[d].block; d++)
            lid[d] = 0;
    } while (d < b->n_axes);
}

static bool run_sub_groups(struct boxes *b)
{
    int64_t start[GCAL_MAX_DIMS] = { 0 }, end[GCAL_MAX_DIMS] = { 0 },
            from[GCAL_MAX_DIMS] = { 0 }, to[GCAL_MAX_DIMS] = { 0 };
    size_t d;

    do {
        for (d = 0; d < b->n_axes; d++) {
            end[d] = start[d] + b->axis[d].block - 1;
            end[d] = end[d] < b->axis[d].size ? end[d] : b->axis[d].size - 1;
        }
        if (lane_number(b, start) && is_like_first(b, start, end))
            copy_first(b, start);
        else if (!run_boxes(b, start, end, 0, from, to))
            return false;
        for (d = 0; d < b->n_axes; d++) {
            if ((start[d] += b->axis[d].block) < b->axis[d].size)
                break;
            start[d] = 0;
        }
    } while (d < b->n_axes);
    return true;
}

static bool find_lanes(struct boxes *b)
{
    struct gcal_lanes_walk *l = b->l;

    for (size_t lane = 0; lane < (size_t)b->items; lane++) {
        int64_t rest = (int64_t)lane;

        for (size_t d = 0; d < b->n_axes; d++) {
            l->value[b->axis[d].dim] = rest % b->axis[d].size;
            l->assigned[b->axis[d].dim] = true;
            rest /= b->axis[d].size;
        }
        l->at.n = 0;
        if (!gcal_lanes_add(l))
            return false;
        b->at[lane] = l->at.at[0];
        b->row[lane] = l->at.row[0];
    }
    return true;
}

/* ---- lanes of equal weights ---- */

/* The lanes start + k*step, k = 0 .. number-1, along each axis. */
struct term {
    const struct boxes *b;
    const int64_t *distance;
    int64_t start[GCAL_MAX_DIMS], step[GCAL_MAX_DIMS], number[GCAL_MAX_DIMS];
    const struct gcal_poly *rest; /* of its counts */
};

/* Returns whether all lanes of the term have these weights, at 'distance'. */
static bool are_equal(const struct term *t, const int64_t *weights)
{
    int64_t k[GCAL_MAX_DIMS] = { 0 }, lid[GCAL_MAX_DIMS] = { 0 };
    size_t d;

    do {
        for (d = 0; d < t->b->n_axes; d++)
            lid[d] = t->start[d] + k[d] * t->step[d];
        if (memcmp(weights_of(t->b, t->distance, lid), weights,
                   t->b->n_residues * sizeof(*weights)) != 0)
            return false;
        for (d = 0; d < t->b->n_axes && ++k[d] == t->number[d]; d++)
            k[d] = 0;
    } while (d < t->b->n_axes);
    return true;
}

/* ---- counts ---- */

struct change {
    struct gcal_poly_context *c;
    unsigned atom;
    const struct gcal_poly *value;
};

static const struct gcal_poly *substitute(const struct gcal_poly *p, void *data)
{
    const struct change *change = data;

    return gcal_poly_substitute(change->c, p, change->atom, change->value);
}

/* Adds the conditions of the lanes at the term's distance along an axis. */
static bool add_distant(struct gcal_sets_domain *domain, size_t dim, int64_t distance)
{
    struct gcal_poly_context *c = domain->nest->c;
    struct change change = { c, domain->dims[dim],
                             gcal_poly_add(c, gcal_poly_from_atom(c, domain->dims[dim]),
                                           gcal_poly_integer(c, distance)) };
    size_t n = domain->n_conditions;

    for (size_t i = 0; i < n + domain->n_dims; i++) {
        const struct gcal_sets_condition *x;
        const struct gcal_poly *trips = i < n ? NULL : domain->trips[i - n];

        if (trips ? !gcal_poly_contains(c, trips, change.atom)
                  : !gcal_sets_condition_contains(c, domain->conditions[i], change.atom))
            continue;
        if (trips)
            x = gcal_sets_condition_nonnegative(
                c, gcal_poly_sub(
                       c, substitute(trips, &change),
                       gcal_poly_add(c, gcal_poly_integer(c, 1),
                                     gcal_poly_from_atom(c, domain->dims[i - n]))));
        else
            x = gcal_sets_condition_map(c, domain->conditions[i], substitute, &change);
        if (domain->n_conditions == GCAL_SETS_MAX_CONDITIONS)
            return false;
        domain->conditions[domain->n_conditions++] = x;
    }
    return true;
}

static const struct gcal_poly *count_term(struct gcal_lanes_walk *l, int64_t low,
                                          int64_t high, void *data)
{
    struct term *t = data;
    struct gcal_sets_domain domain = l->domain;

    domain.offset = NULL;
    for (size_t d = 0; d < t->b->n_axes; d++)
        if (t->distance[d] && !add_distant(&domain, t->b->axis[d].dim, t->distance[d]))
            return NULL;
    for (size_t d = 0; d < t->b->n_axes; d++) {
        /* start + step*k for the local id of an axis. */
        size_t dim = t->b->axis[d].dim;
        struct gcal_poly_context *c = domain.nest->c;
        int64_t n = t->number[d];
        const struct gcal_poly *k =
            gcal_poly_dimension(c, "lane", gcal_poly_integer(c, n - 1));
        struct change change = { c, domain.dims[dim], gcal_poly_integer(c, t->start[d]) };

        if (n > 1)
            change.value =
                gcal_poly_add(c, change.value, gcal_poly_scale(c, k, t->step[d], 1));
        for (size_t i = 0; i < domain.n_dims; i++)
            domain.trips[i] = substitute(domain.trips[i], &change);
        for (size_t i = 0; i < domain.n_conditions; i++)
            domain.conditions[i] =
                gcal_sets_condition_map(c, domain.conditions[i], substitute, &change);
        domain.dims[dim] = gcal_poly_atom_index(k);
        domain.trips[dim] = gcal_poly_integer(c, n);
        domain.is_lid[dim] = false;
    }
    return gcal_lanes_count(l, &domain, low, high, &t->rest);
}

/* ---- sums ---- */

static const struct gcal_poly *add_term(struct boxes *b, const struct gcal_poly *sum,
                                        struct term *t, const int64_t *weights)
{
    const struct gcal_poly *p;

    memset(b->l->total, 0, sizeof(b->l->total));
    memcpy(b->l->total, weights, b->n_residues * sizeof(*weights));
    int64_t k[GCAL_MAX_DIMS] = { 0 }, lid[GCAL_MAX_DIMS] = { 0 };
    size_t d;

    do {
        int64_t *to;

        for (d = 0; d < t->b->n_axes; d++)
            lid[d] = t->start[d] + k[d] * t->step[d];
        to = weights_of(t->b, t->distance, lid);
        for (size_t r = 0; r < t->b->n_residues; r++)
            to[r] -= weights[r];
        for (d = 0; d < t->b->n_axes && ++k[d] == t->number[d]; d++)
            k[d] = 0;
    } while (d < t->b->n_axes);
    p = gcal_lanes_sum_residues(b->l, count_term, t);
    return p ? gcal_poly_add(b->l->nest->c, sum, p) : NULL;
}

static bool is_zero(const struct boxes *b, const int64_t *weights)
{
    for (size_t r = 0; r < b->n_residues; r++)
        if (weights[r])
            return false;
    return true;
}

/* The weights that most lanes have, if more than half do. */
static const int64_t *find_common(const struct boxes *b, const int64_t *all)
{
    size_t n = b->n_residues, items = (size_t)b->items, votes = 0;
    const int64_t *common = all;

    for (size_t lane = 0; lane < items; lane++) {
        bool same = memcmp(all + lane * n, common, n * sizeof(*all)) == 0;

        if (!votes)
            common = all + lane * n;
        votes = !votes || same ? votes + 1 : votes - 1;
    }
    votes = 0;
    for (size_t lane = 0; lane < items; lane++)
        votes += memcmp(all + lane * n, common, n * sizeof(*all)) == 0;
    return 2 * votes > items ? common : NULL;
}

/* The pairs at one distance. */
static const struct gcal_poly *sum_pairs(struct boxes *b, const int64_t *distance,
                                         const struct gcal_poly *sum, int *terms_left)
{
    int64_t zero[GCAL_MAX_DIMS] = { 0 }, weights[GCAL_LANES_MOST_MODULUS];
    int64_t *all = weights_of(b, distance, zero);
    const int64_t *common = find_common(b, all);
    size_t bytes = b->n_residues * sizeof(*weights);

    if (common && !is_zero(b, common)) {
        struct term t = { .b = b, .distance = distance };

        memcpy(weights, common, bytes);
        for (size_t d = 0; d < b->n_axes; d++) {
            t.step[d] = 1;
            t.number[d] = b->axis[d].size - distance[d];
        }
        sum = add_term(b, sum, &t, weights);
    }
    for (size_t lane = 0; lane < (size_t)b->items && sum; lane++) {
        int64_t rest = (int64_t)lane;
        struct term t = { .b = b, .distance = distance };

        if (is_zero(b, all + lane * b->n_residues))
            continue;
        if (--*terms_left < 0)
            return NULL;
        memcpy(weights, all + lane * b->n_residues, bytes);
        for (size_t d = 0; d < b->n_axes; d++) {
            t.start[d] = rest % b->axis[d].size;
            t.step[d] = t.number[d] = 1;
            rest /= b->axis[d].size;
        }
        /* The longest progressions, one axis after another. */
        for (size_t d = 0; d < t.b->n_axes; d++) {
            int64_t best_step = 1, most = 1, size = t.b->axis[d].size, first = t.start[d];

            for (int64_t step = 1; first + step < size; step++) {
                int64_t n = 1;

                t.number[d] = 1;
                for (t.start[d] = first + step;
                     t.start[d] < size && are_equal(&t, weights); t.start[d] += step)
                    n++;
                t.start[d] = first;
                if (n > most) {
                    most = n;
                    best_step = step;
                }
            }
            t.step[d] = best_step;
            t.number[d] = most;
        }
        sum = add_term(b, sum, &t, weights);
    }
    return sum;
}

static const struct gcal_poly *sum_all_pairs(struct boxes *b)
{
    const struct gcal_poly *sum = gcal_poly_integer(b->l->nest->c, 0);
    int64_t distance[GCAL_MAX_DIMS] = { 0 };
    int terms_left = MOST_TERMS;

    for (int64_t pair = 0; pair < b->n_pairs && sum; pair++) {
        const int64_t *all = b->weights + (size_t)(pair * b->items) * b->n_residues;
        int64_t rest = pair;
        bool far = false, any = false;

        for (size_t d = 0; d < b->n_axes; d++) {
            distance[d] = rest % b->axis[d].reach;
            rest /= b->axis[d].reach;
            far = far || distance[d] > 1;
        }
        for (size_t i = 0; i < (size_t)b->items * b->n_residues && !any; i++)
            any = all[i] != 0;
        if (any)
            sum = far ? NULL : sum_pairs(b, distance, sum, &terms_left);
    }
    return sum;
}

const struct gcal_poly *gcal_lanes_sum_boxes(struct gcal_lanes_walk *l,
                                             const struct gcal_sets_access_event *access)
{
    struct boxes b = { .l = l };
    const struct gcal_poly *sum = NULL;

    if (!gcal_lanes_prepare(l, access, true) || !find_axes(&b))
        return NULL;
    b.weights = calloc((size_t)(b.items * b.n_pairs) * b.n_residues, sizeof(*b.weights));
    b.at = calloc((size_t)b.items, sizeof(*b.at));
    b.row = calloc((size_t)b.items, sizeof(*b.row));
    l->at.at = calloc((size_t)b.items, sizeof(*l->at.at));
    l->at.row = calloc((size_t)b.items, sizeof(*l->at.row));
    if (b.weights && b.at && b.row && l->at.at && l->at.row && find_lanes(&b) &&
        run_sub_groups(&b))
        sum = sum_all_pairs(&b);
    free(b.weights);
    free(b.at);
    free(b.row);
    free(l->at.at);
    free(l->at.row);
    return sum;
}
