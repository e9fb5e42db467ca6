/* multiples.c - counts for sizes at which rows begin with blocks, and for others
 *
 * Where rows of any length begin in a block is unknown, so a mean is counted.  But lengths
 * are mostly chosen as multiples of a block: for these there is a count of its own, as if
 * they always were.
 */
#include "kernels/poly/poly.h"

static bool is_implied(struct gcal_poly_context *c, const struct gcal_poly_multiples *m,
                       const struct gcal_poly *p)
{
    for (size_t i = 0; i < m->n; i++) {
        const struct gcal_poly *times = gcal_poly_divide(c, p, m->all[i]);

        if (times && gcal_poly_is_integral(times))
            return true;
    }
    return false;
}

bool gcal_poly_multiples_add(struct gcal_poly_context *c, struct gcal_poly_multiples *m,
                             const struct gcal_poly *p)
{
    int64_t number;

    if (!m->of || m->n == GCAL_POLY_MAX_MULTIPLES || gcal_poly_is_constant(p, &number) ||
        !gcal_poly_is_integral(p) || gcal_poly_has_dimension(c, p))
        return false;
    if (!gcal_poly_is_multiple(p, m->of) && !is_implied(c, m, p))
        m->all[m->n++] = p;
    return true;
}

/* 1 where p is a multiple of 'of', else 0. */
static const struct gcal_poly *is_multiple(struct gcal_poly_context *c,
                                           const struct gcal_poly *p, int64_t of)
{
    const struct gcal_poly *below = gcal_poly_scale(c, gcal_poly_floor(c, p, of), of, 1);

    return gcal_poly_step(c, gcal_poly_sub(c, below, p));
}

const struct gcal_poly *gcal_poly_multiples_choose(struct gcal_poly_context *c,
                                                   const struct gcal_poly_multiples *m,
                                                   const struct gcal_poly *multiples,
                                                   const struct gcal_poly *others)
{
    const struct gcal_poly *more = gcal_poly_sub(c, multiples, others);

    for (size_t i = 0; i < m->n && more->n_terms; i++)
        more = gcal_poly_mul(c, more, is_multiple(c, m->all[i], m->of));
    return gcal_poly_add(c, others, more);
}
