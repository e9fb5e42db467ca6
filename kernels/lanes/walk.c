/* walk.c - what lanes access: elements, rows, and the residues of the base */
#include <stdlib.h>

#include "kernels/lanes/private.h"

enum { LONGEST_ROW_NUMBER = 1 << 19 };

/* ---- which dimensions are enumerated ---- */

static void enumerate_component(struct gcal_lanes_walk *l, size_t component)
{
    for (size_t i = 0; i < l->domain.n_dims; i++)
        if (l->domain.component[i] == component)
            l->enumerated[i] = true;
}

/* A part of the subscript that depends on the lane and on other dimensions. */
static void enumerate_with(struct gcal_lanes_walk *l, unsigned atom)
{
    struct gcal_poly_context *c = l->nest->c;
    const struct gcal_poly *p = gcal_poly_from_atom(c, atom);
    bool by_lane = false;

    for (size_t i = 0; i < l->domain.n_dims; i++)
        by_lane =
            by_lane || (l->enumerated[i] && gcal_poly_contains(c, p, l->domain.dims[i]));
    for (size_t i = 0; i < l->domain.n_dims && by_lane; i++)
        if (gcal_poly_contains(c, p, l->domain.dims[i]))
            enumerate_component(l, l->domain.component[i]);
}

/* Returns whether all local ids are dimensions, so that each lane has values of its own. */
static bool has_lids(const struct gcal_lanes_walk *l)
{
    size_t n = 0;

    for (size_t i = 0; i < l->domain.n_dims; i++)
        n += l->domain.is_lid[i];
    return n == l->nest->n_dims;
}

bool gcal_lanes_prepare(struct gcal_lanes_walk *l,
                        const struct gcal_sets_access_event *access, bool lids_only)
{
    l->domain = (struct gcal_sets_domain){ .nest = l->nest,
                                           .mode = GCAL_SETS_COUNT_WORK_ITEMS,
                                           .offset = access->offset,
                                           .keeps_lanes = true,
                                           .estimated = &l->sum->estimated };
    if (!gcal_sets_domain_fill(&l->domain, access->scope) || !has_lids(l))
        return false;
    gcal_lanes_split_remainders(l, lids_only);
    const struct gcal_poly *offset = l->domain.offset;

    for (size_t i = 0; i < l->domain.n_dims; i++)
        if (l->domain.is_lid[i] && lids_only)
            l->enumerated[i] = true;
        else if (l->domain.is_lid[i])
            enumerate_component(l, l->domain.component[i]);
    for (size_t i = 0; i < offset->n_terms && !lids_only; i++)
        for (size_t j = 0; j < offset->terms[i].n_factors; j++)
            enumerate_with(l, offset->terms[i].factors[j].atom);
    /* ids first, then loops, which the domain has innermost first */
    for (size_t i = 0; i < 2 * l->nest->n_dims && i < l->domain.n_dims; i++)
        if (l->enumerated[i] && !l->domain.is_lid[i])
            l->level[l->n_levels++] = i;
    for (size_t i = l->domain.n_dims; i-- > 2 * l->nest->n_dims;)
        if (l->enumerated[i] && !l->domain.is_lid[i])
            l->level[l->n_levels++] = i;
    return gcal_lanes_subscript_split(l->nest->c, l->domain.offset, l->sum->modulus,
                                      l->domain.n_dims, l->domain.dims, l->enumerated,
                                      &l->split);
}

/* ---- lanes ---- */

void gcal_lanes_assign(struct gcal_lanes_walk *l, int64_t item)
{
    for (size_t i = 0, d = 0; i < l->domain.n_dims; i++)
        if (l->domain.is_lid[i]) {
            l->value[i] = item % l->nest->local_size[d];
            l->assigned[i] = true;
            item /= l->nest->local_size[d++];
        }
}

/* The rows of a lane, as one number. */
static bool find_row(struct gcal_lanes_walk *l, int64_t *row)
{
    int64_t value, limit = l->split.n_rows > 1 ? LONGEST_ROW_NUMBER : INT64_MAX / 4;

    *row = 0;
    for (size_t b = 0; b < l->split.n_rows; b++) {
        if (!gcal_lanes_evaluate_integer(l, l->split.rows[b].lanes, &value) ||
            value >= limit || value <= -limit || b > 2)
            return false;
        *row = (b ? *row * 2 * LONGEST_ROW_NUMBER : 0) + value;
    }
    return true;
}

bool gcal_lanes_add(struct gcal_lanes_walk *l)
{
    if (!gcal_lanes_evaluate_integer(l, l->split.lanes, &l->at.at[l->at.n]) ||
        !find_row(l, &l->at.row[l->at.n]))
        return false;
    l->at.n++;
    return true;
}

/* The least length of rows for which lanes of different rows are apart. */
static void find_widest(struct gcal_lanes_walk *l)
{
    int64_t least = INT64_MAX, most = INT64_MIN, gap = INT64_MAX, far = 0, needed;

    for (size_t i = 0; i < l->at.n; i++) {
        least = l->at.at[i] < least ? l->at.at[i] : least;
        most = l->at.at[i] > most ? l->at.at[i] : most;
        for (size_t j = 0; j < i; j++) {
            int64_t distance = l->at.row[i] - l->at.row[j];

            distance = distance < 0 ? -distance : distance;
            gap = distance && distance < gap ? distance : gap;
            far = distance > far ? distance : far;
        }
    }
    if (gap == INT64_MAX)
        return;
    needed = (most - least + l->sum->width + l->split.most_residue + gap - 1) / gap;
    l->widest = needed > l->widest ? needed : l->widest;
    l->most_rows = far > l->most_rows ? far : l->most_rows;
}

void gcal_lanes_measure(struct gcal_lanes_walk *l, int64_t times)
{
    if (l->split.n_rows)
        find_widest(l);
    for (int64_t r = l->split.first_residue; r < l->sum->modulus;
         r += l->split.residue_step) {
        l->total[r] += times * l->sum->measure(&l->at, r, l->sum->data);
        l->evaluations_left -= (long)l->at.n / 8 + 1;
    }
}

/* ---- residues ---- */

/* Adds the condition that the base's residue is low to high; false: no room. */
static bool restrict_base(const struct gcal_lanes_walk *l,
                          struct gcal_sets_domain *domain, int64_t low, int64_t high)
{
    struct gcal_poly_context *c = l->nest->c;
    const struct gcal_poly *base = l->split.base, *residue;
    int64_t m = l->split.modulus;

    if (domain->n_conditions + 2 > GCAL_SETS_MAX_CONDITIONS)
        return false;
    residue =
        gcal_poly_sub(c, base, gcal_poly_scale(c, gcal_poly_floor(c, base, m), m, 1));
    if (low > 0)
        domain->conditions[domain->n_conditions++] = gcal_sets_condition_nonnegative(
            c, gcal_poly_sub(c, residue, gcal_poly_integer(c, low)));
    if (high < m - 1)
        domain->conditions[domain->n_conditions++] = gcal_sets_condition_nonnegative(
            c, gcal_poly_sub(c, gcal_poly_integer(c, high), residue));
    return true;
}

/* The dimension v, independent of all others, of a base factor*v + number. */
static bool find_single(const struct gcal_lanes_walk *l,
                        const struct gcal_sets_domain *domain, size_t *dim,
                        int64_t *factor, int64_t *number)
{
    const struct gcal_poly *base = l->split.base;

    *factor = *number = 0;
    for (size_t i = 0; i < base->n_terms; i++) {
        const struct gcal_poly_term *t = &base->terms[i];

        if (!t->n_factors) {
            *number = t->num;
            continue;
        }
        if (*factor || t->n_factors > 1 || t->factors[0].power > 1)
            return false;
        *factor = t->num;
        for (*dim = 0; *dim < domain->n_dims; ++*dim)
            if (domain->dims[*dim] == t->factors[0].atom)
                break;
    }
    return *factor && *dim < domain->n_dims &&
           gcal_sets_domain_is_independent(domain, *dim);
}

/* The values 0 .. trips-1 of v for which factor*v + number has a residue of low to high:
 * those of each residue v has modulo m.
 */
static const struct gcal_poly *count_single(const struct gcal_lanes_walk *l,
                                            const struct gcal_poly *trips, int64_t factor,
                                            int64_t number, int64_t low, int64_t high)
{
    struct gcal_poly_context *c = l->nest->c;
    const struct gcal_poly *sum = gcal_poly_integer(c, 0);
    int64_t m = l->split.modulus;

    for (int64_t v = 0; v < m; v++) {
        int64_t residue = (factor * v + number) % m;

        if (residue >= low && residue <= high)
            sum = gcal_poly_add(
                c, sum,
                gcal_poly_floor(
                    c, gcal_poly_add(c, trips, gcal_poly_integer(c, m - 1 - v)), m));
    }
    return sum;
}

const struct gcal_poly *gcal_lanes_count(const struct gcal_lanes_walk *l,
                                         struct gcal_sets_domain *domain, int64_t low,
                                         int64_t high, const struct gcal_poly **rest)
{
    struct gcal_poly_context *c = l->nest->c;
    bool all = low <= 0 && high >= l->split.modulus - 1;
    int64_t factor, number;
    size_t dim;

    gcal_sets_domain_find_components(domain);
    if (!all && find_single(l, domain, &dim, &factor, &number) &&
        gcal_poly_is_nonnegative(c, domain->trips[dim])) {
        const struct gcal_poly *trips = domain->trips[dim];

        domain->trips[dim] = gcal_poly_integer(c, 1);
        *rest = *rest ? *rest : gcal_sets_domain_count(domain);
        return *rest ? gcal_poly_mul(c, *rest,
                                     count_single(l, trips, factor, number, low, high))
                     : NULL;
    }
    if (!restrict_base(l, domain, low, high))
        return NULL;
    gcal_sets_domain_find_components(domain);
    return gcal_sets_domain_count(domain);
}

static const struct gcal_poly *add_scaled(struct gcal_poly_context *c,
                                          const struct gcal_poly *sum,
                                          const struct gcal_poly *p, int64_t number)
{
    return sum && p ? gcal_poly_add(c, sum, gcal_poly_scale(c, p, number, 1)) : NULL;
}

/* The least total of all, and what the intervals of residues have beyond it. */
const struct gcal_poly *gcal_lanes_sum_residues(
    struct gcal_lanes_walk *l,
    const struct gcal_poly *(*count)(struct gcal_lanes_walk *l, int64_t low, int64_t high,
                                     void *data),
    void *data)
{
    struct gcal_poly_context *c = l->nest->c;
    int64_t m = l->split.modulus, step = l->split.residue_step, least = INT64_MAX;
    const struct gcal_poly *sum;

    /* of several residues, the mean is about right, and counting each takes long */
    if (l->split.multiples.of && step < l->split.multiples.of)
        return NULL;
    /* residues that are unknown beyond the split's modulus weigh alike */
    for (int64_t r = m; r < l->sum->modulus; r++)
        l->total[r % m] += l->total[r];
    for (int64_t r = l->split.first_residue % m; r < m; r += step)
        least = l->total[r] < least ? l->total[r] : least;
    sum = least ? add_scaled(c, gcal_poly_integer(c, 0), count(l, 0, m - 1, data), least)
                : gcal_poly_integer(c, 0);
    for (int64_t r = l->split.first_residue % m, end; r < m && sum; r = end) {
        end = r + step;
        while (end < m && l->total[end] == l->total[r])
            end += step;
        if (l->total[r] != least)
            sum = add_scaled(c, sum, count(l, r, end - 1 < m ? end - 1 : m - 1, data),
                             l->total[r] - least);
    }
    return sum ? gcal_poly_scale(c, sum, m, l->sum->modulus) : NULL;
}
