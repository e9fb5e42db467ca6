/* log2.c - powers of two, and numbers of binary digits: loops that double or halve */
#include "kernels/poly/private.h"

enum { LARGEST_POWER = 61 };

static int floor_log2(int64_t number)
{
    return 63 - __builtin_clzll((unsigned long long)number);
}

/* The exponent of a product of powers of two; NULL when it has other factors. */
static const struct gcal_poly *exponent(struct gcal_poly_context *c,
                                        const struct gcal_poly *p)
{
    const struct gcal_poly *sum = &gcal_poly_zero;

    if (p->n_terms != 1 || p->terms[0].den != 1 || p->terms[0].num <= 0)
        return NULL;
    for (size_t i = 0; i < p->terms[0].n_factors; i++) {
        struct gcal_poly_factor f = p->terms[0].factors[i];

        if (c->atoms[f.atom].kind != GCAL_POLY_ATOM_POWER)
            return NULL;
        sum = gcal_poly_add(c, sum, gcal_poly_scale(c, c->atoms[f.atom].a, f.power, 1));
    }
    return gcal_poly_add(c, sum, gcal_poly_integer(c, floor_log2(p->terms[0].num)));
}

const struct gcal_poly *gcal_poly_exponent(struct gcal_poly_context *c,
                                           const struct gcal_poly *p)
{
    const struct gcal_poly *e = exponent(c, p);

    return e && (p->terms[0].num & (p->terms[0].num - 1)) == 0 ? e : NULL;
}

const struct gcal_poly *gcal_poly_floor_log2(struct gcal_poly_context *c,
                                             const struct gcal_poly *p)
{
    struct gcal_poly_entry atom = { .kind = GCAL_POLY_ATOM_LOG2 };
    const struct gcal_poly *e = exponent(c, p);
    int twos = 0;

    if (e)
        return e;
    if (p->n_terms && gcal_poly_is_integral(p)) {
        /* The largest k for which p/2^k has integer coefficients, of an integral p. */
        int least = LARGEST_POWER;

        for (size_t i = 0; i < p->n_terms; i++)
            if (__builtin_ctzll((unsigned long long)p->terms[i].num) < least)
                least = __builtin_ctzll((unsigned long long)p->terms[i].num);
        twos = least;
    }
    atom.a = gcal_poly_scale(c, p, 1, (int64_t)1 << twos);
    return gcal_poly_add(c, gcal_poly_from_atom(c, gcal_poly_add_atom(c, &atom)),
                         gcal_poly_integer(c, twos));
}

const struct gcal_poly *gcal_poly_digits(struct gcal_poly_context *c,
                                         const struct gcal_poly *p)
{
    const struct gcal_poly *one = gcal_poly_integer(c, 1);
    const struct gcal_poly_term *t = p->terms;
    struct gcal_poly_entry a; /* a copy: the table may move */
    int64_t number;

    if (gcal_poly_is_constant(p, &number))
        return gcal_poly_integer(c, number > 0 ? floor_log2(number) + 1 : 0);
    /* of floor(q/2^k), k less than of q */
    if (p->n_terms == 1 && t->num == 1 && t->den == 1 && t->n_factors == 1 &&
        t->factors[0].power == 1) {
        a = c->atoms[t->factors[0].atom];
        if (a.kind == GCAL_POLY_ATOM_FLOOR && a.k > 1 && (a.k & (a.k - 1)) == 0)
            return gcal_poly_max(c,
                                 gcal_poly_sub(c, gcal_poly_digits(c, a.a),
                                               gcal_poly_integer(c, floor_log2(a.k))),
                                 &gcal_poly_zero);
    }
    if (gcal_poly_is_nonnegative(c, gcal_poly_sub(c, p, one)))
        return gcal_poly_add(c, gcal_poly_floor_log2(c, p), one);
    return gcal_poly_floor_log2(c, gcal_poly_max(c, gcal_poly_scale(c, p, 2, 1), one));
}

const struct gcal_poly *gcal_poly_power(struct gcal_poly_context *c,
                                        const struct gcal_poly *p)
{
    struct gcal_poly_entry atom = { .kind = GCAL_POLY_ATOM_POWER, .a = p };
    int64_t number;

    if (gcal_poly_is_constant(p, &number) && number >= 0 && number <= LARGEST_POWER)
        return gcal_poly_integer(c, (int64_t)1 << number);
    return gcal_poly_from_atom(c, gcal_poly_add_atom(c, &atom));
}

/* ---- sums ---- */

/* The sum of factor * 2^(rest + sign*v) over v = 0 .. trips-1, sign 1 or -1. */
static const struct gcal_poly *sum_power(struct gcal_poly_context *c, unsigned power,
                                         unsigned atom, const struct gcal_poly *trips)
{
    const struct gcal_poly *e = c->atoms[power].a, *rest, *last;
    const struct gcal_poly *one = gcal_poly_integer(c, 1);
    int64_t sign;

    if (gcal_poly_contains_nested(c, e, atom) || gcal_poly_degree(e, atom) != 1 ||
        !gcal_poly_is_constant(gcal_poly_coefficient(c, e, atom, 1), &sign) ||
        (sign != 1 && sign != -1))
        return NULL;
    rest = gcal_poly_coefficient(c, e, atom, 0);
    last = gcal_poly_add(c, rest, gcal_poly_scale(c, trips, sign, 1));
    if (sign > 0)
        return gcal_poly_sub(c, gcal_poly_power(c, last), gcal_poly_power(c, rest));
    return gcal_poly_sub(c, gcal_poly_power(c, gcal_poly_add(c, rest, one)),
                         gcal_poly_power(c, gcal_poly_add(c, last, one)));
}

const struct gcal_poly *gcal_poly_sum_powers(struct gcal_poly_context *c,
                                             const struct gcal_poly *p, unsigned atom,
                                             const struct gcal_poly *trips)
{
    const struct gcal_poly *total = &gcal_poly_zero, *plain = p, *factor, *one;
    size_t n = c->n_atoms;

    for (unsigned i = 0; i < n; i++) {
        if (c->atoms[i].kind != GCAL_POLY_ATOM_POWER || gcal_poly_degree(p, i) != 1 ||
            !gcal_poly_contains(c, c->atoms[i].a, atom))
            continue;
        factor = gcal_poly_coefficient(c, p, i, 1);
        if (gcal_poly_contains(c, factor, atom) || !(one = sum_power(c, i, atom, trips)))
            return NULL;
        total = gcal_poly_add(c, total, gcal_poly_mul(c, factor, one));
        plain =
            gcal_poly_sub(c, plain, gcal_poly_mul(c, factor, gcal_poly_from_atom(c, i)));
    }
    if (gcal_poly_equal(plain, p) || !(plain = gcal_poly_sum(c, plain, atom, trips)))
        return NULL;
    return gcal_poly_add(c, total, plain);
}
