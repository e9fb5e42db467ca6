#include "kernels/ir.h"

#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "kernels/poly_private.h"

void gcal_nest_clear(struct gcal_nest *nest)
{
    free(nest->arrays);
    free(nest->ops);
    free(nest->accesses);
    free(nest->barriers);
    free(nest->branches);
    free(nest->notes);
    *nest = (struct gcal_nest){ 0 };
}

/* ---- conditions ---- */

static const struct gcal_poly *negation(struct gcal_polys *c, const struct gcal_poly *p)
{
    return gcal_poly_sub(c, gcal_poly_integer(c, -1), p); /* p < 0 is -p-1 >= 0 */
}

static const struct gcal_condition *make(struct gcal_polys *c,
                                         struct gcal_condition condition)
{
    static const struct gcal_poly zero = { .n_terms = 0 };
    static const struct gcal_condition always = { GCAL_CONDITION_NONNEGATIVE, &zero, NULL,
                                                  NULL, 0 };
    struct gcal_condition *made = gcal_polys_alloc(c, sizeof(*made));

    if (!made)
        return &always;
    *made = condition;
    return made;
}

const struct gcal_condition *gcal_condition_nonnegative(struct gcal_polys *c,
                                                        const struct gcal_poly *p)
{
    return make(c, (struct gcal_condition){ .kind = GCAL_CONDITION_NONNEGATIVE, .p = p });
}

const struct gcal_condition *gcal_condition_and(struct gcal_polys *c,
                                                const struct gcal_condition *a,
                                                const struct gcal_condition *b)
{
    return make(c, (struct gcal_condition){ .kind = GCAL_CONDITION_AND, .a = a, .b = b });
}

const struct gcal_condition *gcal_condition_or(struct gcal_polys *c,
                                               const struct gcal_condition *a,
                                               const struct gcal_condition *b)
{
    return make(c, (struct gcal_condition){ .kind = GCAL_CONDITION_OR, .a = a, .b = b });
}

const struct gcal_condition *gcal_condition_zero(struct gcal_polys *c,
                                                 const struct gcal_poly *p)
{
    return gcal_condition_and(
        c, gcal_condition_nonnegative(c, p),
        gcal_condition_nonnegative(c, gcal_poly_scale(c, p, -1, 1)));
}

const struct gcal_condition *gcal_condition_not(struct gcal_polys *c,
                                                const struct gcal_condition *a)
{
    if (a->kind == GCAL_CONDITION_NOT)
        return a->a;
    if (a->kind == GCAL_CONDITION_NONNEGATIVE)
        return gcal_condition_nonnegative(c, negation(c, a->p));
    return make(c, (struct gcal_condition){ .kind = GCAL_CONDITION_NOT, .a = a });
}

const struct gcal_condition *gcal_condition_earlier(struct gcal_polys *c,
                                                    const struct gcal_condition *a,
                                                    unsigned loop)
{
    return make(c, (struct gcal_condition){
                       .kind = GCAL_CONDITION_EARLIER, .a = a, .loop = loop });
}

int gcal_condition_decide(struct gcal_polys *c, const struct gcal_condition *condition)
{
    int a = condition->a ? gcal_condition_decide(c, condition->a) : -1;
    int b = condition->b ? gcal_condition_decide(c, condition->b) : -1;

    switch (condition->kind) {
    case GCAL_CONDITION_NONNEGATIVE:
        if (gcal_poly_is_nonnegative(c, condition->p))
            return 1;
        return gcal_poly_is_nonnegative(c, negation(c, condition->p)) ? 0 : -1;
    case GCAL_CONDITION_AND:
        return a == 0 || b == 0 ? 0 : a == 1 && b == 1 ? 1 : -1;
    case GCAL_CONDITION_OR:
        return a == 1 || b == 1 ? 1 : a == 0 && b == 0 ? 0 : -1;
    case GCAL_CONDITION_NOT:
        return a < 0 ? a : !a;
    default: /* the first iteration has none before */
        return a == 0 ? 0 : -1;
    }
}

void gcal_nest_note(struct gcal_nest *nest, int line, int column, const char *text)
{
    struct gcal_note *moved;

    for (size_t i = 0; i < nest->n_notes; i++)
        if (nest->notes[i].line == line && nest->notes[i].column == column &&
            strcmp(nest->notes[i].text, text) == 0)
            return;
    moved = gcal_array_grow(nest->notes, nest->n_notes, &nest->note_capacity,
                            sizeof(*moved), NULL);
    if (!moved) {
        gcal_polys_fail(nest->c, "out of memory");
        return;
    }
    nest->notes = moved;
    moved[nest->n_notes++] =
        (struct gcal_note){ line, column, gcal_polys_format(nest->c, "%s", text) };
}

/* ---- the points of a domain ---- */

struct dimension {
    unsigned atom;
    const struct gcal_poly *trips;
};

struct points {
    size_t n_dims, n_conditions;
    struct dimension dims[GCAL_MAX_NEST];
    const struct gcal_poly *conditions[4 * GCAL_MAX_NEST];
};

static const struct gcal_poly *sum_points(struct gcal_polys *c, struct points *points,
                                          const struct gcal_poly *summand);

static bool add_condition(struct points *points, const struct gcal_poly *p)
{
    if (points->n_conditions == 4 * GCAL_MAX_NEST)
        return false;
    points->conditions[points->n_conditions++] = p;
    return true;
}

/* Takes the last dimension at each of its values: for conditions that are not linear. */
static const struct gcal_poly *enumerate_last(struct gcal_polys *c,
                                              const struct points *points,
                                              const struct gcal_poly *summand)
{
    enum { MOST = 1024 };
    const struct dimension *last = &points->dims[points->n_dims - 1];
    const struct gcal_poly *total = gcal_poly_integer(c, 0), *part;
    int64_t trips;

    if (!gcal_poly_is_constant(last->trips, &trips) || trips > MOST)
        return NULL;
    for (int64_t i = 0; i < trips; i++) {
        const struct gcal_poly *value = gcal_poly_integer(c, i);
        struct points one = *points;

        one.n_dims--;
        for (size_t j = 0; j < one.n_conditions; j++)
            one.conditions[j] =
                gcal_poly_substitute(c, one.conditions[j], last->atom, value);
        part = sum_points(c, &one, gcal_poly_substitute(c, summand, last->atom, value));
        if (!part)
            return NULL;
        total = gcal_poly_add(c, total, part);
    }
    return total;
}

/* Conditions on 'atom' become its range; the others stay.  False when one is not linear
 * in it with a number as factor.
 */
static bool narrow(struct gcal_polys *c, struct points *points, unsigned atom,
                   const struct gcal_poly **low, const struct gcal_poly **high)
{
    size_t n = 0;
    int64_t factor;

    for (size_t i = 0; i < points->n_conditions; i++) {
        const struct gcal_poly *p = points->conditions[i], *rest;

        if (!gcal_poly_contains(c, p, atom)) {
            points->conditions[n++] = p;
            continue;
        }
        if (gcal_poly_hides(c, p, atom) || gcal_poly_degree(p, atom) != 1 ||
            !gcal_poly_is_constant(gcal_poly_coefficient(c, p, atom, 1), &factor))
            return false;
        rest = gcal_poly_coefficient(c, p, atom, 0);
        if (factor < 0) {
            *high = gcal_poly_min(c, *high, gcal_poly_floor(c, rest, -factor));
        } else { /* the least value is ceil(-rest/factor) */
            rest = gcal_poly_sub(c, gcal_poly_integer(c, factor - 1), rest);
            *low = gcal_poly_max(c, *low, gcal_poly_floor(c, rest, factor));
        }
    }
    points->n_conditions = n;
    return true;
}

/* Drops what is always true; -1 when one is always false, 1 when some are left. */
static int check_conditions(struct gcal_polys *c, struct points *points)
{
    size_t n = 0;

    for (size_t i = 0; i < points->n_conditions; i++) {
        if (gcal_poly_is_nonnegative(c, points->conditions[i]))
            continue;
        if (gcal_poly_is_nonnegative(c, negation(c, points->conditions[i])))
            return -1;
        points->conditions[n++] = points->conditions[i];
    }
    points->n_conditions = n;
    return n > 0;
}

static const struct gcal_poly *sum_points(struct gcal_polys *c, struct points *points,
                                          const struct gcal_poly *summand)
{
    while (points->n_dims) {
        struct dimension *last = &points->dims[points->n_dims - 1];
        const struct gcal_poly *one = gcal_poly_integer(c, 1), *low, *high, *count;
        struct points before;
        const struct gcal_poly *summand_before = summand;

        if (check_conditions(c, points) < 0)
            return gcal_poly_integer(c, 0);
        before = *points;
        low = gcal_poly_integer(c, 0);
        high = gcal_poly_sub(c, last->trips, one);
        if (!narrow(c, points, last->atom, &low, &high))
            return enumerate_last(c, &before, summand);
        count = gcal_poly_max(c, low->n_terms ? gcal_poly_integer(c, 0) : low,
                              gcal_poly_add(c, gcal_poly_sub(c, high, low), one));
        if (low->n_terms)
            summand = gcal_poly_substitute(
                c, summand, last->atom,
                gcal_poly_add(c, low, gcal_poly_of_atom(c, last->atom)));
        summand = gcal_poly_sum(c, summand, last->atom, count);
        if (!summand)
            return enumerate_last(c, &before, summand_before);
        points->n_dims--;
    }
    switch (check_conditions(c, points)) {
    case -1:
        return gcal_poly_integer(c, 0);
    case 0:
        return summand;
    default:
        return NULL; /* depends on sizes in a way that no polynomial does */
    }
}

/* Where lid and gid occur as one global id only, that is one dimension: its conditions
 * ("gid < n") are then linear bounds.
 */
static void join_global_id(struct gcal_nest *nest, struct points *points, size_t d)
{
    struct gcal_polys *c = nest->c;
    unsigned lid = gcal_poly_atom(nest->lid[d]), gid = gcal_poly_atom(nest->gid[d]);
    const struct gcal_poly *total =
        gcal_poly_scale(c, nest->groups[d], nest->local_size[d], 1);
    const struct gcal_poly *joined = gcal_poly_dimension(
        c, "global", gcal_poly_sub(c, total, gcal_poly_integer(c, 1)));
    /* gid = (joined - lid)/size: in a global id, lid is then gone */
    const struct gcal_poly *value = gcal_poly_scale(
        c, gcal_poly_sub(c, joined, nest->lid[d]), 1, nest->local_size[d]);
    struct points tried = *points;
    bool needed = false;
    size_t n = 0;

    for (size_t i = 0; i < tried.n_conditions; i++) {
        const struct gcal_poly *p = tried.conditions[i];

        needed =
            needed || (gcal_poly_contains(c, p, lid) && gcal_poly_contains(c, p, gid));
        if (gcal_poly_hides(c, p, gid) || gcal_poly_hides(c, p, lid))
            return;
        tried.conditions[i] = gcal_poly_substitute(c, p, gid, value);
        if (gcal_poly_contains(c, tried.conditions[i], lid))
            return;
    }
    for (size_t i = 0; i < tried.n_dims; i++)
        if (gcal_poly_contains(c, tried.dims[i].trips, lid) ||
            gcal_poly_contains(c, tried.dims[i].trips, gid))
            return;
    if (!needed)
        return;
    for (size_t i = 0; i < tried.n_dims; i++)
        if (tried.dims[i].atom == gid)
            tried.dims[n++] = (struct dimension){ gcal_poly_atom(joined), total };
        else if (tried.dims[i].atom != lid)
            tried.dims[n++] = tried.dims[i];
    tried.n_dims = n;
    *points = tried;
}

/* ---- what each mode leaves out ---- */

static bool has_any(struct gcal_nest *nest, const struct gcal_poly *p,
                    const struct gcal_poly *const *ids)
{
    for (size_t d = 0; d < nest->n_dims; d++)
        if (gcal_poly_contains(nest->c, p, gcal_poly_atom(ids[d])))
            return true;
    return false;
}

/* 'trips' of the work-item (or group) that does most of them. */
static const struct gcal_poly *most_trips(struct gcal_nest *nest, bool *estimated,
                                          const struct gcal_poly *trips,
                                          const struct gcal_poly *const *ids)
{
    struct gcal_polys *c = nest->c;

    for (size_t d = 0; d < nest->n_dims; d++) {
        unsigned atom = gcal_poly_atom(ids[d]);
        const struct gcal_poly *first, *last;

        if (!gcal_poly_contains(c, trips, atom))
            continue;
        *estimated = true;
        first = gcal_poly_substitute(c, trips, atom, gcal_poly_integer(c, 0));
        last = gcal_poly_substitute(c, trips, atom, gcal_atom_last(c, atom));
        if (gcal_poly_is_nonnegative(c, gcal_poly_sub(c, first, trips)))
            trips = first;
        else if (gcal_poly_is_nonnegative(c, gcal_poly_sub(c, last, trips)))
            trips = last;
        else
            return NULL;
    }
    return trips;
}

static bool add_dimension(struct points *points, unsigned atom,
                          const struct gcal_poly *trips)
{
    if (points->n_dims == GCAL_MAX_NEST || !trips)
        return false;
    points->dims[points->n_dims++] = (struct dimension){ atom, trips };
    return true;
}

static bool add_loop(struct gcal_nest *nest, struct points *points,
                     const struct gcal_domain *loop, enum gcal_count_mode mode,
                     bool *estimated)
{
    const struct gcal_poly *trips = loop->trips;

    if (mode != GCAL_COUNT_WORK_ITEMS)
        trips = most_trips(nest, estimated, trips, nest->lid);
    if (trips && mode == GCAL_COUNT_ONE)
        trips = most_trips(nest, estimated, trips, nest->gid);
    return add_dimension(points, loop->loop, trips);
}

static bool add_guard(struct gcal_nest *nest, struct points *points,
                      const struct gcal_condition *condition, enum gcal_count_mode mode,
                      bool *estimated)
{
    if (condition->kind == GCAL_CONDITION_AND)
        return add_guard(nest, points, condition->a, mode, estimated) &&
               add_guard(nest, points, condition->b, mode, estimated);
    if (condition->kind != GCAL_CONDITION_NONNEGATIVE ||
        (mode != GCAL_COUNT_WORK_ITEMS && has_any(nest, condition->p, nest->lid)) ||
        (mode == GCAL_COUNT_ONE && has_any(nest, condition->p, nest->gid))) {
        *estimated = true; /* some do less than that */
        return true;
    }
    return add_condition(points, condition->p);
}

static const struct gcal_poly *count_chain(struct gcal_nest *nest,
                                           const struct gcal_domain *domain,
                                           struct points points, bool use_guards,
                                           enum gcal_count_mode mode, bool *estimated)
{
    for (; domain; domain = domain->parent) {
        if (domain->kind == GCAL_DOMAIN_LOOP) {
            if (!add_loop(nest, &points, domain, mode, estimated))
                return NULL;
        } else if (domain->kind == GCAL_DOMAIN_UNKNOWN) {
            *estimated = true;
        } else if (use_guards) {
            if (!add_guard(nest, &points, domain->condition, mode, estimated))
                return NULL;
        }
    }
    /* inner loops were added first; sums go from the inside out */
    for (size_t d = 0; mode == GCAL_COUNT_WORK_ITEMS && d < nest->n_dims; d++)
        if (!add_dimension(&points, gcal_poly_atom(nest->lid[d]),
                           gcal_poly_integer(nest->c, nest->local_size[d])))
            return NULL;
    for (size_t d = 0; mode != GCAL_COUNT_ONE && d < nest->n_dims; d++)
        if (!add_dimension(&points, gcal_poly_atom(nest->gid[d]), nest->groups[d]))
            return NULL;
    for (size_t i = 0; i < points.n_dims / 2; i++) {
        struct dimension swapped = points.dims[i];

        points.dims[i] = points.dims[points.n_dims - 1 - i];
        points.dims[points.n_dims - 1 - i] = swapped;
    }
    for (size_t d = 0; mode == GCAL_COUNT_WORK_ITEMS && d < nest->n_dims; d++)
        join_global_id(nest, &points, d);
    return sum_points(nest->c, &points, gcal_poly_integer(nest->c, 1));
}

const struct gcal_poly *gcal_domain_count(struct gcal_nest *nest,
                                          const struct gcal_domain *domain,
                                          enum gcal_count_mode mode, bool *estimated)
{
    const struct gcal_poly *count =
        count_chain(nest, domain, (struct points){ 0 }, true, mode, estimated);

    if (count)
        return count;
    *estimated = true;
    return count_chain(nest, domain, (struct points){ 0 }, false, mode, estimated);
}
