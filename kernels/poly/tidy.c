/* tidy.c - shorter polynomials of the same value
 *
 * A sum over pieces has a term for each, of which neighbours often agree at their common
 * edge: n*step(m-n) + m*step(n-m-1) is min(n, m).  Each rewriting is an identity: for
 * integers, step(-s-1) = 1 - step(s), and where x - y = s or s+1,
 * x*step(s) + y*(1-step(s)) = max(x, y).
 */
#include "kernels/poly/private.h"

enum { MOST_TERMS = 200, MOST_STEPS = 20000 };

/* p = on*step(s) + off*step(-s-1) + rest */
struct pieces {
    const struct gcal_poly *s, *on, *off, *rest;
};

/* The atom step(p), which is not made; UINT16_MAX + 1 without one. */
static unsigned find_step(const struct gcal_poly_context *c, const struct gcal_poly *p)
{
    for (unsigned i = 0; i < c->n_atoms; i++)
        if (c->atoms[i].kind == GCAL_POLY_ATOM_STEP && gcal_poly_equal(c->atoms[i].a, p))
            return i;
    return UINT16_MAX + 1;
}

static struct pieces split(struct gcal_poly_context *c, const struct gcal_poly *p,
                           unsigned step)
{
    struct pieces all = { .s = c->atoms[step].a };
    const struct gcal_poly *below = gcal_poly_sub(c, gcal_poly_integer(c, -1), all.s);
    unsigned other = find_step(c, below);

    all.on = gcal_poly_coefficient(c, p, step, 1);
    all.rest = gcal_poly_coefficient(c, p, step, 0);
    all.off = &gcal_poly_zero;
    if (other <= UINT16_MAX) {
        /* on both sides nothing is left: step(s)*step(-s-1) is 0 */
        all.on = gcal_poly_coefficient(c, all.on, other, 0);
        all.off = gcal_poly_coefficient(c, all.rest, other, 1);
        all.rest = gcal_poly_coefficient(c, all.rest, other, 0);
    }
    return all;
}

/* factor*max(x, y) or factor*min(x, y) for the two pieces, where 'edge' is s or s+1 and
 * factor = +-(on - off)/edge; NULL when that is no polynomial.
 */
static const struct gcal_poly *
join_at(struct gcal_poly_context *c, const struct pieces *p, const struct gcal_poly *edge)
{
    const struct gcal_poly *difference = gcal_poly_sub(c, p->on, p->off), *factor, *y;

    if (!difference->n_terms || !(factor = gcal_poly_divide(c, difference, edge)))
        return NULL;
    for (int tries = 0; tries < 2; tries++) {
        bool least = (factor->terms[0].num < 0) != (tries > 0); /* 3*min, not -3*max */
        int sign = least ? -1 : 1;
        const struct gcal_poly *times = gcal_poly_scale(c, factor, sign, 1);

        if (!(y = gcal_poly_divide(c, p->off, times)) || !gcal_poly_is_integral(y))
            continue;
        return gcal_poly_mul(
            c, times,
            (least ? gcal_poly_min : gcal_poly_max)(
                c, gcal_poly_add(c, y, gcal_poly_scale(c, edge, sign, 1)), y));
    }
    return NULL;
}

/* p with the two pieces at 'step' as one; p itself when that is not shorter. */
static const struct gcal_poly *join_pieces(struct gcal_poly_context *c,
                                           const struct gcal_poly *p, unsigned step)
{
    struct pieces pieces = split(c, p, step);
    const struct gcal_poly *next = gcal_poly_add(c, pieces.s, gcal_poly_integer(c, 1));
    const struct gcal_poly *joined = join_at(c, &pieces, pieces.s);

    if (!joined)
        joined = join_at(c, &pieces, next);
    if (joined) {
        joined = gcal_poly_add(c, joined, pieces.rest);
        if (joined->n_terms <= p->n_terms)
            return joined;
    }
    if (!pieces.off->n_terms)
        return p;
    joined = gcal_poly_add(c, gcal_poly_add(c, pieces.rest, pieces.off),
                           gcal_poly_mul(c, gcal_poly_sub(c, pieces.on, pieces.off),
                                         gcal_poly_from_atom(c, step)));
    return joined->n_terms < p->n_terms ? joined : p;
}

static const struct gcal_poly *join_some_pieces(struct gcal_poly_context *c,
                                                const struct gcal_poly *p)
{
    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++) {
            unsigned atom = p->terms[i].factors[j].atom;
            const struct gcal_poly *joined;

            if (c->atoms[atom].kind != GCAL_POLY_ATOM_STEP)
                continue;
            joined = join_pieces(c, p, atom);
            if (joined != p || c->failed)
                return joined;
        }
    return p;
}

const struct gcal_poly *gcal_poly_tidy(struct gcal_poly_context *c,
                                       const struct gcal_poly *p)
{
    const struct gcal_poly *tidy = p, *joined;

    if (p->n_terms < 2 || p->n_terms > MOST_TERMS || !gcal_poly_is_piecewise(c, p) ||
        !gcal_poly_begin_attempt(c, MOST_STEPS))
        return p;
    while ((joined = join_some_pieces(c, tidy)) != tidy && !c->failed)
        tidy = joined;
    tidy = gcal_poly_join_floors(c, tidy);
    return gcal_poly_end_attempt(c) ? p : tidy;
}
