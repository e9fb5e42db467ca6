/* near.c - an estimate of sums over lanes where subscripts are clamped or divided
 *
 * Clamped subscripts are taken as they are between the ends.  A quotient floor(p/d), as of
 * an index by the length of a row, is mostly the same in all lanes, which adds to the base:
 * so lanes are enumerated as if it were that of the first.  Now and then it changes from
 * one lane to the next, (what p grows by over the lanes)/d times on average, and then the
 * lanes continue in another block.  By a number d, which may be small, lanes are enumerated
 * with the quotients that they have, for some of the remainders of the first.
 */
#include "kernels/lanes/private.h"

enum { MOST_QUOTIENTS = 8, MOST_REMAINDERS = 6, MOST_PERIOD = 1 << 20, UNITS = 64 };

struct near {
    struct gcal_sets_nest *nest;
    struct gcal_poly_context *c;
    int64_t size; /* of a block */
    size_t n;     /* changing quotients */
    const struct gcal_poly *dividend[MOST_QUOTIENTS], *divisor[MOST_QUOTIENTS];
    int64_t jump[MOST_QUOTIENTS]; /* elements between what two of its values access */
    int64_t period;               /* of all floors by numbers in the lanes' ids */
    int64_t remainder;            /* of the first lane's dividend by it */
    bool failed;
};

/* p where all local ids are 'id'. */
static const struct gcal_poly *at_lid(const struct near *n, const struct gcal_poly *p,
                                      int64_t id)
{
    for (size_t d = 0; d < n->nest->n_dims; d++)
        p = gcal_poly_substitute(n->c, p, gcal_poly_atom_index(n->nest->lid[d]),
                                 gcal_poly_integer(n->c, id));
    return p;
}

static bool has_lids(const struct near *n, const struct gcal_poly *p)
{
    for (size_t d = 0; d < n->nest->n_dims; d++)
        if (gcal_poly_contains(n->c, p, gcal_poly_atom_index(n->nest->lid[d])))
            return true;
    return false;
}

/* Returns whether p has dimensions other than local ids. */
static bool has_others(const struct near *n, const struct gcal_poly *p)
{
    return gcal_poly_has_dimension(n->c, at_lid(n, p, 0));
}

/* ---- quotients ---- */

static const struct gcal_poly *steady(struct near *n, const struct gcal_poly *p,
                                      int64_t factor);

static void add_quotient(struct near *n, const struct gcal_poly *dividend,
                         const struct gcal_poly *divisor, int64_t factor)
{
    factor = factor < 0 ? -factor : factor;
    for (size_t i = 0; i < n->n; i++)
        if (gcal_poly_equal(n->dividend[i], dividend) &&
            gcal_poly_equal(n->divisor[i], divisor)) {
            n->jump[i] = factor > n->jump[i] ? factor : n->jump[i];
            return;
        }
    if (n->n == MOST_QUOTIENTS) {
        n->failed = true;
        return;
    }
    n->dividend[n->n] = dividend;
    n->divisor[n->n] = divisor;
    n->jump[n->n++] = factor;
}

/* floor(p/k) as that of the lanes' part of p, beginning with a remainder, and that of the
 * rest.
 */
static const struct gcal_poly *with_remainder(struct near *n, const struct gcal_poly *p,
                                              int64_t k)
{
    const struct gcal_poly *others = at_lid(n, p, 0);
    const struct gcal_poly *lanes = gcal_poly_add(
        n->c, gcal_poly_sub(n->c, p, others), gcal_poly_integer(n->c, n->remainder % k));
    int64_t common = gcal_poly_gcd(n->period, k), period = n->period / common;

    n->failed = n->failed || has_others(n, lanes) ||
                __builtin_mul_overflow(period, k, &n->period) || n->period > MOST_PERIOD;
    return gcal_poly_add(n->c, gcal_poly_floor(n->c, lanes, k),
                         gcal_poly_floor(n->c, others, k));
}

/* 'factor': what a step of it is in the subscript, 0 where that is a size. */
static const struct gcal_poly *steady_atom(struct near *n, unsigned atom, int64_t factor)
{
    struct gcal_poly_atom a = gcal_poly_get_atom(n->c, atom);
    const struct gcal_poly *p = gcal_poly_from_atom(n->c, atom);

    if ((a.kind != GCAL_POLY_ATOM_FLOOR && a.kind != GCAL_POLY_ATOM_QUOTIENT) ||
        !has_lids(n, p))
        return p;
    a.a = steady(n, a.a, 0);
    if (a.kind == GCAL_POLY_ATOM_FLOOR)
        return has_others(n, a.a) && has_lids(n, a.a) ? with_remainder(n, a.a, a.k)
                                                      : gcal_poly_floor(n->c, a.a, a.k);
    if (has_lids(n, a.a))
        add_quotient(n, a.a, a.b, factor);
    return gcal_poly_floor_quotient(n->c, at_lid(n, a.a, 0), a.b);
}

static const struct gcal_poly *steady(struct near *n, const struct gcal_poly *p,
                                      int64_t factor)
{
    const struct gcal_poly *sum = gcal_poly_integer(n->c, 0);

    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_poly_term *t = &p->terms[i];
        const struct gcal_poly *product = gcal_poly_rational(n->c, t->num, t->den);
        int64_t step = t->n_factors == 1 && t->den == 1 ? factor * t->num : 0;

        for (size_t j = 0; j < t->n_factors; j++)
            for (unsigned k = 0; k < t->factors[j].power; k++)
                product = gcal_poly_mul(n->c, product,
                                        steady_atom(n, t->factors[j].atom, step));
        sum = gcal_poly_add(n->c, sum, product);
    }
    return sum;
}

/* ---- changes from lane to lane ---- */

/* What p grows by over the lanes of a sub-group; NULL: it is not affine in them. */
static const struct gcal_poly *growth(const struct near *n, const struct gcal_poly *p)
{
    const struct gcal_poly *sum = gcal_poly_integer(n->c, 0);
    int64_t lanes = n->nest->sub_group_size, along;

    for (size_t d = 0; d < n->nest->n_dims; d++) {
        unsigned atom = gcal_poly_atom_index(n->nest->lid[d]);
        const struct gcal_poly *k = gcal_poly_coefficient(n->c, p, atom, 1);

        if (gcal_poly_contains_nested(n->c, p, atom) || gcal_poly_degree(p, atom) > 1 ||
            gcal_poly_has_dimension(n->c, k))
            return NULL;
        along = lanes < n->nest->local_size[d] ? lanes : n->nest->local_size[d];
        lanes = (lanes + along - 1) / along;
        if (k->n_terms && k->terms[0].num < 0)
            k = gcal_poly_scale(n->c, k, -1, 1);
        sum = gcal_poly_add(n->c, sum, gcal_poly_scale(n->c, k, along - 1, 1));
    }
    return sum;
}

/* The blocks that an execution touches besides, as quotients change; NULL: unknown. */
static const struct gcal_poly *changes(const struct near *n)
{
    const struct gcal_poly *sum = gcal_poly_integer(n->c, 0);

    for (size_t i = 0; i < n->n; i++) {
        const struct gcal_poly *more = growth(n, n->dividend[i]);
        int64_t jump = n->jump[i] && n->jump[i] < n->size ? n->jump[i] : n->size;

        if (!more)
            return NULL;
        more = gcal_poly_floor_quotient(n->c, gcal_poly_scale(n->c, more, UNITS, 1),
                                        n->divisor[i]);
        more = gcal_poly_min(
            n->c, more, gcal_poly_integer(n->c, UNITS * (n->nest->sub_group_size - 1)));
        sum =
            gcal_poly_add(n->c, sum, gcal_poly_scale(n->c, more, jump, UNITS * n->size));
    }
    return sum;
}

/* ---- sums ---- */

/* Sums the subscript 'offset'; by complete sub-groups where conditions are not affine. */
static const struct gcal_poly *sum_of(const struct near *n,
                                      const struct gcal_sets_access_event *access,
                                      const struct gcal_poly *offset,
                                      struct gcal_lanes_sum *sum)
{
    struct gcal_sets_access_event event = *access;
    const struct gcal_poly *count, *times;

    event.offset = offset;
    sum->all_lanes = false;
    if ((count = gcal_lanes_sum(n->nest, &event, sum)))
        return count;
    sum->all_lanes = true;
    count = gcal_lanes_sum(n->nest, &event, sum);
    times = gcal_sets_scope_count(n->nest, access->scope, GCAL_SETS_COUNT_SUB_GROUPS,
                                  &sum->estimated);
    return count && times ? gcal_poly_mul(n->c, count, times) : NULL;
}

/* The mean over remainders. */
static const struct gcal_poly *mean(struct near *n,
                                    const struct gcal_sets_access_event *access,
                                    const struct gcal_poly *offset,
                                    struct gcal_lanes_sum *sum)
{
    const struct gcal_poly *total = gcal_poly_integer(n->c, 0), *at, *one;
    int64_t period, times;

    n->period = 1;
    at = steady(n, offset, 1);
    period = n->period;
    times = period < MOST_REMAINDERS ? period : MOST_REMAINDERS;
    for (int64_t i = 0; i < times && !n->failed; i++) {
        n->remainder = i * period / times;
        one = sum_of(n, access, i ? steady(n, offset, 1) : at, sum);
        if (!one)
            return NULL;
        total = gcal_poly_add(n->c, total, gcal_poly_scale(n->c, one, 1, times));
    }
    return n->failed ? NULL : total;
}

const struct gcal_poly *gcal_lanes_sum_near(struct gcal_sets_nest *nest,
                                            const struct gcal_sets_access_event *access,
                                            struct gcal_lanes_sum *sum)
{
    struct near n = { .nest = nest, .c = nest->c, .size = sum->modulus };
    const struct gcal_poly *offset, *count, *more, *times;
    bool all_lanes = sum->all_lanes;

    if (!access->offset || nest->sub_group_size < 1 || !gcal_poly_may_attempt(nest->c))
        return NULL;
    offset = gcal_sets_near(nest->c, access->offset);
    count = mean(&n, access, offset, sum);
    sum->all_lanes = all_lanes;
    if (!count || !(more = changes(&n)))
        return NULL;
    sum->estimated = true;
    if (!more->n_terms)
        return count;
    times = gcal_sets_scope_count(nest, access->scope, GCAL_SETS_COUNT_SUB_GROUPS,
                                  &sum->estimated);
    return times ? gcal_poly_add(nest->c, count, gcal_poly_mul(nest->c, times, more))
                 : NULL;
}
