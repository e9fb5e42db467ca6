/* sum.c - proofs that a polynomial is nonnegative, and sums over a range */
#include <stdlib.h>

#include "kernels/poly/private.h"

/* ---- sums over tiles of a symbolic size, of which the last may be cut off ---- */

/* The minimum in p that contains 'atom', as the only such atom, linear and with a factor
 * without 'atom'; -1 without.
 */
static long find_minimum(struct gcal_poly_context *c, const struct gcal_poly *p,
                         unsigned atom)
{
    long found = -1;

    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++) {
            unsigned factor = p->terms[i].factors[j].atom;
            const struct gcal_poly_entry *a = &c->atoms[factor];

            if (factor == atom || a->kind < GCAL_POLY_ATOM_FLOOR ||
                !gcal_poly_contains(c, gcal_poly_from_atom(c, factor), atom))
                continue;
            if (a->kind != GCAL_POLY_ATOM_MIN || (found >= 0 && found != (long)factor))
                return -1;
            found = (long)factor;
        }
    if (found < 0 || gcal_poly_degree(p, (unsigned)found) != 1 ||
        gcal_poly_contains(c, gcal_poly_coefficient(c, p, (unsigned)found, 1), atom))
        return -1;
    return found;
}

/* The sum of min(end, limit) over atom = 0 .. trips-1, where 'end' rises by a step
 * relative to 'limit', and first reaches it in the last iteration; NULL where that is not
 * so.
 */
static const struct gcal_poly *sum_minimum(struct gcal_poly_context *c,
                                           const struct gcal_poly *end,
                                           const struct gcal_poly *limit, unsigned atom,
                                           const struct gcal_poly *trips)
{
    const struct gcal_poly *one = gcal_poly_integer(c, 1), *step, *start, *length, *sum;
    const struct gcal_poly *falls = gcal_poly_mul(
        c, gcal_poly_coefficient(c, limit, atom, 1), gcal_poly_from_atom(c, atom));

    if (gcal_poly_contains_nested(c, limit, atom) || gcal_poly_degree(limit, atom) > 1 ||
        gcal_poly_contains_nested(c, end, atom))
        return NULL;
    limit = gcal_poly_sub(c, limit, falls); /* min(a, b) is min(a - p, b - p) + p */
    end = gcal_poly_sub(c, end, falls);
    if (gcal_poly_degree(end, atom) != 1)
        return NULL;
    step = gcal_poly_coefficient(c, end, atom, 1);
    start = gcal_poly_sub(c, gcal_poly_coefficient(c, end, atom, 0), step);
    length = gcal_poly_sub(c, limit, start);
    if (gcal_poly_has_dimension(c, step) || !gcal_poly_is_nonnegative(c, length) ||
        !gcal_poly_is_nonnegative(c, gcal_poly_sub(c, step, one)) ||
        !gcal_poly_equal(
            trips, gcal_poly_floor_quotient(
                       c, gcal_poly_add(c, length, gcal_poly_sub(c, step, one)), step)))
        return NULL;
    sum = gcal_poly_sum(c, end, atom, gcal_poly_sub(c, trips, one));
    falls = gcal_poly_sum(c, falls, atom, trips);
    return sum && falls ? gcal_poly_add(c, gcal_poly_add(c, sum, limit), falls) : NULL;
}

/* The same with a minimum as the end of the last of 'trips' tiles. */
static const struct gcal_poly *sum_tiles(struct gcal_poly_context *c,
                                         const struct gcal_poly *p, unsigned atom,
                                         const struct gcal_poly *trips)
{
    long minimum = find_minimum(c, p, atom);
    const struct gcal_poly *factor, *sum, *rest;
    struct gcal_poly_entry a;

    if (minimum < 0)
        return NULL;
    a = c->atoms[minimum];
    sum = sum_minimum(c, a.a, a.b, atom, trips);
    sum = sum ? sum : sum_minimum(c, a.b, a.a, atom, trips);
    if (!sum)
        return NULL;
    factor = gcal_poly_coefficient(c, p, (unsigned)minimum, 1);
    rest =
        gcal_poly_sum(c, gcal_poly_coefficient(c, p, (unsigned)minimum, 0), atom, trips);
    return rest ? gcal_poly_add(c, rest, gcal_poly_mul(c, factor, sum)) : NULL;
}

/* ---- proofs that a polynomial is nonnegative, and sums over a range ---- */

enum { MAX_ENUMERATED = 4096, PROOF_DEPTH = 12, MOST_NESTED = 2, MOST_STEPS = 8000 };

/* ---- proofs that p >= 0 ---- */

/* With parameters shifted by their lower bounds, the signs of coefficients decide. */
static bool prove_in_parameters(struct gcal_poly_context *c, const struct gcal_poly *p)
{
    for (unsigned i = 0; i < c->n_atoms; i++)
        if (c->atoms[i].kind == GCAL_POLY_ATOM_PARAMETER && c->atoms[i].least &&
            gcal_poly_degree(p, i))
            p = gcal_poly_substitute(
                c, p, i,
                gcal_poly_add(c, gcal_poly_from_atom(c, i),
                              gcal_poly_integer(c, c->atoms[i].least)));
    /* p is an integer, so more than -1 is enough */
    for (size_t i = 0; i < p->n_terms; i++)
        if (p->terms[i].num < 0 &&
            (p->terms[i].n_factors || -p->terms[i].num >= p->terms[i].den))
            return false;
    return true;
}

static bool prove(struct gcal_poly_context *c, const struct gcal_poly *p, int depth);

/* 1 or -1 when all terms of p have that sign, 0 when that is unknown. */
static int common_sign(struct gcal_poly_context *c, const struct gcal_poly *p, int depth)
{
    int sign = 0;

    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_poly_term *t = &p->terms[i];
        int one = t->num > 0 ? 1 : -1;

        for (size_t j = 0; j < t->n_factors; j++)
            if (c->atoms[t->factors[j].atom].kind >= GCAL_POLY_ATOM_FLOOR &&
                !prove(c, gcal_poly_from_atom(c, t->factors[j].atom), depth - 1))
                return 0;
        if (sign && one != sign)
            return 0;
        sign = one;
    }
    return sign;
}

/* A lower bound of p without the quotient 'atom' of a by b, where p contains it as a
 * number times b*floor(a/b), which is at most a and more than a - b; NULL for others.
 */
static const struct gcal_poly *without_quotient(struct gcal_poly_context *c,
                                                const struct gcal_poly *p, unsigned atom)
{
    const struct gcal_poly_entry a = c->atoms[atom];
    const struct gcal_poly *times, *bound = a.a;
    int64_t number;

    times = gcal_poly_divide(c, gcal_poly_coefficient(c, p, atom, 1), a.b);
    if (!times || !gcal_poly_is_constant(times, &number))
        return NULL;
    if (number > 0)
        bound = gcal_poly_add(c, gcal_poly_sub(c, bound, a.b), gcal_poly_integer(c, 1));
    return gcal_poly_add(c, gcal_poly_coefficient(c, p, atom, 0),
                         gcal_poly_scale(c, bound, number, 1));
}

/* Replaces 'atom', linear in p with a coefficient of one sign, by the bound of it that
 * makes p smallest.
 */
static bool prove_without(struct gcal_poly_context *c, const struct gcal_poly *p,
                          unsigned atom, int depth)
{
    struct gcal_poly_entry a = c->atoms[atom];
    const struct gcal_poly *low, *high;
    bool first;
    int sign = gcal_poly_degree(p, atom) > 1
                   ? 0
                   : common_sign(c, gcal_poly_coefficient(c, p, atom, 1), depth);

    if (a.kind == GCAL_POLY_ATOM_MIN || a.kind == GCAL_POLY_ATOM_MAX) {
        first = prove(c, gcal_poly_substitute(c, p, atom, a.a), depth - 1);
        /* max is at least each operand, so one proof is enough for a positive sign; it is
         * one of the operands, so both proofs are enough for any sign
         */
        if (first == (sign == (a.kind == GCAL_POLY_ATOM_MAX ? 1 : -1)))
            return first;
        return prove(c, gcal_poly_substitute(c, p, atom, a.b), depth - 1);
    }
    if (sign == 0)
        return false;
    if (a.kind == GCAL_POLY_ATOM_FLOOR) {
        high = gcal_poly_scale(c, a.a, 1, a.k);
        low = gcal_poly_sub(c, high, gcal_poly_rational(c, a.k - 1, a.k));
        if (sign > 0 && a.k > 1 && prove(c, a.a, depth - 1) &&
            prove(c, gcal_poly_substitute(c, p, atom, &gcal_poly_zero), depth - 1))
            return true;
    } else if (a.kind == GCAL_POLY_ATOM_QUOTIENT) {
        if ((low = without_quotient(c, p, atom)))
            return prove(c, low, depth - 1);
        low = gcal_poly_integer(c, 0);
        high = a.a; /* as the divisor is at least 1 */
        if (!prove(c, a.a, depth - 1)) {
            low = gcal_poly_integer(c, -1);
            if (!prove(c, gcal_poly_sub(c, a.a, low), depth - 1) &&
                (sign < 0 || !prove(c, gcal_poly_add(c, a.a, a.b), depth - 1)))
                return false;
        }
    } else if (a.kind == GCAL_POLY_ATOM_POWER) {
        if (sign < 0)
            return false;
        low = high = gcal_poly_add(c, a.a, gcal_poly_integer(c, 1));
    } else if (a.kind == GCAL_POLY_ATOM_STEP) {
        low = gcal_poly_integer(c, 0);
        high = gcal_poly_integer(c, 1);
    } else if (a.a) {
        low = gcal_poly_integer(c, 0);
        high = a.a;
    } else {
        return false;
    }
    return prove(c, gcal_poly_substitute(c, p, atom, sign > 0 ? low : high), depth - 1);
}

static bool prove(struct gcal_poly_context *c, const struct gcal_poly *p, int depth)
{
    int last = -1;

    if (c->failed || depth == 0 || gcal_poly_is_refuted(c, p))
        return false;
    /* atoms depend on earlier ones alone, so the last is replaced first */
    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++)
            if (c->atoms[p->terms[i].factors[j].atom].kind != GCAL_POLY_ATOM_PARAMETER &&
                (last < 0 || p->terms[i].factors[j].atom > last))
                last = p->terms[i].factors[j].atom;
    if (last >= 0)
        return prove_without(c, p, (unsigned)last, depth);
    if (prove_in_parameters(c, p))
        return true;
    for (size_t i = 0; i < c->n_facts; i++)
        if (prove_in_parameters(c, gcal_poly_sub(c, p, c->facts[i])))
            return true;
    return false;
}

bool gcal_poly_is_nonnegative(struct gcal_poly_context *c, const struct gcal_poly *p)
{
    struct gcal_poly_mark mark = gcal_poly_mark(c);
    long kept;
    bool proven;

    if (c->proofs == MOST_NESTED || c->failed)
        return false;
    kept = c->proofs ? 0 : gcal_poly_begin_proof(c, MOST_STEPS);
    c->proofs++;
    proven = prove(c, p, PROOF_DEPTH) && !c->failed;
    c->proofs--;
    if (!c->proofs)
        gcal_poly_end_proof(c, kept);
    gcal_poly_forgive_size(c); /* what is too large to prove is not proven */
    gcal_poly_rewind(c, &mark);
    return proven;
}

/* 'given' >= 0 is used by subtraction; a minimum or maximum in p is replaced by each of
 * its operands.
 */
static bool is_nonnegative_given(struct gcal_poly_context *c,
                                 const struct gcal_poly *given, const struct gcal_poly *p,
                                 int depth)
{
    if (gcal_poly_is_nonnegative(c, p) ||
        gcal_poly_is_nonnegative(c, gcal_poly_sub(c, p, given)))
        return true;
    for (size_t i = 0; depth && i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++) {
            unsigned atom = p->terms[i].factors[j].atom;
            struct gcal_poly_entry a = c->atoms[atom];

            if (a.kind == GCAL_POLY_ATOM_MIN || a.kind == GCAL_POLY_ATOM_MAX)
                return is_nonnegative_given(
                           c, given, gcal_poly_substitute(c, p, atom, a.a), depth - 1) &&
                       is_nonnegative_given(
                           c, given, gcal_poly_substitute(c, p, atom, a.b), depth - 1);
        }
    return false;
}

bool gcal_poly_is_nonnegative_given(struct gcal_poly_context *c,
                                    const struct gcal_poly *given,
                                    const struct gcal_poly *p)
{
    enum { MOST_EXTREMA = 4 };

    return is_nonnegative_given(c, given, p, MOST_EXTREMA);
}

/* ---- sums of powers ---- */

static const struct gcal_poly *sum_plain(struct gcal_poly_context *c,
                                         const struct gcal_poly *p, unsigned atom,
                                         const struct gcal_poly *trips)
{
    enum { MAX_DEGREE = 20 };
    const struct gcal_poly *sums[MAX_DEGREE + 1], *total = gcal_poly_integer(c, 0);
    unsigned degree = gcal_poly_degree(p, atom);

    if (degree > MAX_DEGREE)
        return NULL;
    /* 0^k + 1^k + .. + (t-1)^k into sums[k], for k = 0..degree. */
    const struct gcal_poly *power = trips; /* t^(k+1) */

    for (unsigned k = 0; k <= degree; k++) {
        const struct gcal_poly *sum = power;
        int64_t choose = 1; /* of k+1 things, j */

        for (unsigned j = 0; j < k; j++) {
            sum = gcal_poly_sub(c, sum, gcal_poly_scale(c, sums[j], choose, 1));
            choose = choose * (k + 1 - j) / (j + 1);
        }
        sums[k] = gcal_poly_scale(c, sum, 1, k + 1);
        power = gcal_poly_mul(c, power, trips);
    }
    for (unsigned k = 0; k <= degree; k++)
        total = gcal_poly_add(
            c, total, gcal_poly_mul(c, gcal_poly_coefficient(c, p, atom, k), sums[k]));
    return total;
}

/* ---- sums with the variable inside floors ---- */

/* Hermite's identity, floor(x/k) + floor((x+1)/k) + .. + floor((x+k-1)/k) = x, applied to
 * the floor 'first' with the constant 0 when all have the same coefficient in p.
 */
static const struct gcal_poly *hermite(struct gcal_poly_context *c,
                                       const struct gcal_poly *p, unsigned first)
{
    struct gcal_poly_entry a = c->atoms[first];
    const struct gcal_poly *factor = gcal_poly_coefficient(c, p, first, 1), *rest = p;

    for (int64_t r = 0; r < a.k; r++) {
        struct gcal_poly_entry other = { .kind = GCAL_POLY_ATOM_FLOOR, .k = a.k };
        unsigned atom;

        other.a = gcal_poly_add(c, a.a, gcal_poly_integer(c, r));
        atom = gcal_poly_add_atom(c, &other);
        if (gcal_poly_degree(p, atom) != 1 ||
            !gcal_poly_equal(gcal_poly_coefficient(c, p, atom, 1), factor))
            return p;
        rest = gcal_poly_coefficient(c, rest, atom, 0); /* not inside other atoms */
    }
    return gcal_poly_add(c, rest, gcal_poly_mul(c, factor, a.a));
}

const struct gcal_poly *gcal_poly_join_floors(struct gcal_poly_context *c,
                                              const struct gcal_poly *p)
{
    size_t n = c->n_atoms;

    for (unsigned i = 0; i < n && !c->failed; i++) {
        const struct gcal_poly *a = c->atoms[i].a;
        bool has_constant = c->atoms[i].kind == GCAL_POLY_ATOM_FLOOR && a->n_terms &&
                            !a->terms[a->n_terms - 1].n_factors;

        if (c->atoms[i].kind == GCAL_POLY_ATOM_FLOOR && !has_constant &&
            c->atoms[i].k > 1 && c->atoms[i].k <= 1024 && gcal_poly_degree(p, i) == 1)
            p = hermite(c, p, i);
    }
    return p;
}

/* What p grows by where 'atom' grows by 'by', a multiple of the period of all floors in p;
 * false when that is no number.
 */
static bool find_growth(const struct gcal_poly_context *c, const struct gcal_poly *p,
                        unsigned atom, int64_t by, int64_t *growth)
{
    *growth = 0;
    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_poly_term *t = &p->terms[i];
        bool contains = false, is_atom = t->n_factors && t->factors[0].atom == atom;
        int64_t own = by, divisor = 1;

        for (size_t j = 0; j < t->n_factors; j++)
            contains = contains || t->factors[j].atom == atom ||
                       gcal_poly_operands_contain(c, t->factors[j].atom, atom);
        if (!contains)
            continue;
        if (!is_atom)
            divisor = c->atoms[t->factors[0].atom].k;
        if (t->n_factors > 1 || t->factors[0].power > 1 || t->den != 1 ||
            (!is_atom &&
             !find_growth(c, c->atoms[t->factors[0].atom].a, atom, by, &own)) ||
            __builtin_mul_overflow(own / divisor, t->num, &own) ||
            __builtin_add_overflow(*growth, own, growth))
            return false;
    }
    return true;
}

/* Makes the period a multiple of that of all floors in p, inner ones first. */
static bool find_period(const struct gcal_poly_context *c, const struct gcal_poly *p,
                        unsigned atom, int64_t *period)
{
    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++) {
            struct gcal_poly_entry a = c->atoms[p->terms[i].factors[j].atom];
            int64_t growth;

            if (!gcal_poly_operands_contain(c, p->terms[i].factors[j].atom, atom))
                continue;
            if (a.kind != GCAL_POLY_ATOM_FLOOR || !find_period(c, a.a, atom, period) ||
                !find_growth(c, a.a, atom, *period, &growth) ||
                __builtin_mul_overflow(*period, a.k / gcal_poly_gcd(a.k, growth),
                                       period) ||
                *period > MAX_ENUMERATED)
                return false;
        }
    return true;
}

int64_t gcal_poly_period(const struct gcal_poly_context *c, const struct gcal_poly *p,
                         unsigned atom)
{
    int64_t period = 1;

    return find_period(c, p, atom, &period) ? period : 0;
}

/* Splits atom = period*v + r for each r, so that no floor contains v. */
static const struct gcal_poly *sum_by_period(struct gcal_poly_context *c,
                                             const struct gcal_poly *p, unsigned atom,
                                             const struct gcal_poly *trips)
{
    int64_t period = gcal_poly_period(c, p, atom);
    const struct gcal_poly *total = gcal_poly_integer(c, 0);

    if (!period)
        return NULL;
    for (int64_t r = 0; r < period && !c->failed; r++) {
        const struct gcal_poly *own_trips = gcal_poly_floor(
            c, gcal_poly_add(c, trips, gcal_poly_integer(c, period - 1 - r)), period);
        const struct gcal_poly *v = gcal_poly_dimension(
            c, "v", gcal_poly_sub(c, own_trips, gcal_poly_integer(c, 1)));
        const struct gcal_poly *q = gcal_poly_substitute(
            c, p, atom,
            gcal_poly_add(c, gcal_poly_scale(c, v, period, 1), gcal_poly_integer(c, r)));

        if (gcal_poly_contains_nested(c, q, gcal_poly_atom_index(v)) ||
            !(q = sum_plain(c, q, gcal_poly_atom_index(v), own_trips)))
            return NULL;
        total = gcal_poly_add(c, total, q);
    }
    return gcal_poly_join_floors(c, total);
}

/* floor(0/b) + floor(1/b) + .. + floor((x-1)/b); for x < 0 the same with the sign turned of those
 * from x on, so that differences of two are sums for all x.
 */
static const struct gcal_poly *quotients_below(struct gcal_poly_context *c,
                                               const struct gcal_poly *x,
                                               const struct gcal_poly *b)
{
    const struct gcal_poly *k = gcal_poly_floor_quotient(c, x, b);
    const struct gcal_poly *pairs = gcal_poly_scale(
        c, gcal_poly_mul(c, k, gcal_poly_add(c, k, gcal_poly_integer(c, 1))), 1, 2);

    return gcal_poly_sub(c, gcal_poly_mul(c, k, x), gcal_poly_mul(c, b, pairs));
}

/* Of a quotient by a size, in which 'atom' is a term with a number as its coefficient; NULL for
 * others.  With a coefficient of k, 1/k of the quotients at all numbers there, k/2 from the
 * middle: an estimate.
 */
static const struct gcal_poly *sum_quotient(struct gcal_poly_context *c,
                                            const struct gcal_poly *p, unsigned atom,
                                            const struct gcal_poly *trips,
                                            bool *estimated)
{
    const struct gcal_poly *factor, *rest, *from, *to;
    struct gcal_poly_entry q = { 0 };
    unsigned at = 0;
    int64_t k, step;

    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++)
            if (gcal_poly_operands_contain(c, p->terms[i].factors[j].atom, atom)) {
                at = p->terms[i].factors[j].atom;
                q = c->atoms[at];
            }
    if (q.kind != GCAL_POLY_ATOM_QUOTIENT || gcal_poly_degree(p, at) != 1 ||
        gcal_poly_contains(c, q.b, atom) || gcal_poly_contains_nested(c, q.a, atom) ||
        gcal_poly_degree(q.a, atom) != 1 ||
        !gcal_poly_is_constant(gcal_poly_coefficient(c, q.a, atom, 1), &k) ||
        (!estimated && k != 1 && k != -1))
        return NULL;
    factor = gcal_poly_coefficient(c, p, at, 1);
    rest = gcal_poly_coefficient(c, p, at, 0);
    if (gcal_poly_contains(c, factor, atom) ||
        !(rest = estimated ? gcal_poly_sum_near(c, rest, atom, trips, estimated)
                           : gcal_poly_sum(c, rest, atom, trips)))
        return NULL;
    step = k < 0 ? -k : k;
    if (step > 1)
        *estimated = true;
    trips = gcal_poly_scale(c, trips, step, 1);
    from = gcal_poly_add(c, gcal_poly_coefficient(c, q.a, atom, 0),
                         gcal_poly_integer(c, k < 0 ? step / 2 : -(step / 2)));
    if (k < 0) /* from the last one on */
        from = gcal_poly_sub(c, gcal_poly_add(c, from, gcal_poly_integer(c, 1)), trips);
    to = gcal_poly_add(c, from, trips);
    return gcal_poly_add(
        c, rest,
        gcal_poly_scale(c,
                        gcal_poly_mul(c, factor,
                                      gcal_poly_sub(c, quotients_below(c, to, q.b),
                                                    quotients_below(c, from, q.b))),
                        1, step));
}

const struct gcal_poly *gcal_poly_sum(struct gcal_poly_context *c,
                                      const struct gcal_poly *p, unsigned atom,
                                      const struct gcal_poly *trips)
{
    const struct gcal_poly *special;
    int64_t n;

    if (c->failed)
        return NULL;
    if (!gcal_poly_contains_nested(c, p, atom))
        return sum_plain(c, p, atom, trips);
    if ((special = gcal_poly_sum_powers(c, p, atom, trips)) ||
        (special = sum_tiles(c, p, atom, trips)) ||
        (special = sum_quotient(c, p, atom, trips, NULL)))
        return special;
    if (gcal_poly_is_constant(trips, &n) && n <= MAX_ENUMERATED) {
        const struct gcal_poly *total = gcal_poly_integer(c, 0);

        for (int64_t i = 0; i < n && !c->failed; i++)
            total = gcal_poly_add(
                c, total, gcal_poly_substitute(c, p, atom, gcal_poly_integer(c, i)));
        return gcal_poly_join_floors(c, total);
    }
    return sum_by_period(c, p, atom, trips);
}

const struct gcal_poly *gcal_poly_sum_near(struct gcal_poly_context *c,
                                           const struct gcal_poly *p, unsigned atom,
                                           const struct gcal_poly *trips, bool *estimated)
{
    const struct gcal_poly *sum = gcal_poly_sum(c, p, atom, trips);

    return sum ? sum : c->failed ? NULL : sum_quotient(c, p, atom, trips, estimated);
}
