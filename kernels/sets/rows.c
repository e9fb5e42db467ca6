/* rows.c - an index divided by a size: a[id/cols][id%cols]
 *
 * floor(id/cols) is no affine function of id, but id = cols*row + column is one of the
 * row and the column, 0 <= column < cols.  So these take the place of id among the
 * dimensions.  In conditions, cols*x + y >= 0 is x >= 0 where 0 <= y < cols.
 */
#include <limits.h>

#include "kernels/sets/chain.h"
#include "kernels/poly/private.h"

struct rows {
    struct gcal_polys *c;
    unsigned replaced, lid; /* atoms; lid: UINT_MAX or what has to vanish */
    const struct gcal_poly *value, *size;
};

/* ---- the division ---- */

static bool find_in_poly(const struct gcal_polys *c, const struct gcal_poly *p,
                         unsigned *atom)
{
    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++) {
            unsigned factor = p->terms[i].factors[j].atom;
            const struct gcal_atom *a = &c->atoms[factor];

            if (a->kind < ATOM_FLOOR)
                continue;
            if (find_in_poly(c, a->a, atom) || (a->b && find_in_poly(c, a->b, atom)))
                return true;
            if (a->kind == ATOM_QUOTIENT && gcal_poly_has_dimension(c, a->a)) {
                *atom = factor;
                return true;
            }
        }
    return false;
}

static bool find_in_condition(const struct gcal_polys *c, const struct gcal_condition *x,
                              unsigned *atom)
{
    return (x->p && find_in_poly(c, x->p, atom)) ||
           (x->a && find_in_condition(c, x->a, atom)) ||
           (x->b && find_in_condition(c, x->b, atom));
}

/* The innermost division by a size anywhere in the chain. */
static bool find_division(const struct gcal_chain *chain, unsigned *atom)
{
    const struct gcal_polys *c = chain->nest->c;

    for (size_t i = 0; i < chain->n_dims; i++)
        if (find_in_poly(c, chain->trips[i], atom))
            return true;
    for (size_t i = 0; i < chain->n_conditions; i++)
        if (find_in_condition(c, chain->conditions[i], atom))
            return true;
    return chain->offset && find_in_poly(c, chain->offset, atom);
}

/* ---- rows and columns ---- */

/* The dimension that the index is, or the two that make it as a global id (with the
 * group's index in 'dim', the local one in 'lid').
 */
static bool find_index(const struct gcal_chain *chain, const struct gcal_poly *index,
                       size_t *dim, size_t *lid, const struct gcal_poly **size)
{
    struct gcal_polys *c = chain->nest->c;
    const struct gcal_nest *nest = chain->nest;

    *lid = SIZE_MAX;
    for (*dim = 0; *dim < chain->n_dims; ++*dim)
        if (!chain->is_lid[*dim] &&
            gcal_poly_equal(index, gcal_poly_of_atom(c, chain->dims[*dim]))) {
            *size = chain->trips[*dim];
            return true;
        }
    for (size_t d = 0; d < nest->n_dims && chain->mode == GCAL_COUNT_WORK_ITEMS; d++) {
        const struct gcal_poly *id = gcal_poly_add(
            c, gcal_poly_scale(c, nest->gid[d], nest->local_size[d], 1), nest->lid[d]);

        if (!gcal_poly_equal(index, id))
            continue;
        *dim = 2 * d;
        *lid = 2 * d + 1;
        *size = gcal_poly_scale(c, nest->groups[d], nest->local_size[d], 1);
        return chain->is_lid[*lid] && chain->n_dims > *lid;
    }
    return false;
}

/* cols*x + y >= 0, with y within one row, is a condition on x. */
static const struct gcal_poly *reduce(const struct rows *r, const struct gcal_poly *p)
{
    struct gcal_polys *c = r->c;
    const struct gcal_poly *x, *y, *one = gcal_poly_integer(c, 1), *last;

    gcal_poly_split(c, p, r->size, &x, &y);
    if (!gcal_poly_has_dimension(c, x))
        return p;
    last = gcal_poly_sub(c, r->size, one);
    if (gcal_poly_is_nonnegative(c, y) &&
        gcal_poly_is_nonnegative(c, gcal_poly_sub(c, last, y)))
        return x;
    y = gcal_poly_add(c, y, r->size);
    if (gcal_poly_is_nonnegative(c, y) &&
        gcal_poly_is_nonnegative(c, gcal_poly_sub(c, last, y)))
        return gcal_poly_sub(c, x, one);
    return p;
}

static const struct gcal_poly *replace(const struct gcal_poly *p, void *data)
{
    const struct rows *r = data;

    if (!gcal_poly_contains(r->c, p, r->replaced))
        return p;
    return reduce(r, gcal_poly_substitute(r->c, p, r->replaced, r->value));
}

/* How many rows there are: 'size' has so many, or a condition that the index is below
 * something.  NULL where the last row is not whole.
 */
static const struct gcal_poly *count_rows(const struct gcal_chain *chain,
                                          const struct gcal_poly *index,
                                          const struct gcal_poly *size,
                                          const struct gcal_poly *columns)
{
    struct gcal_polys *c = chain->nest->c;
    const struct gcal_poly *rows = gcal_poly_divide(c, size, columns), *below;

    for (size_t i = 0; i < chain->n_conditions && !rows; i++) {
        const struct gcal_condition *x = chain->conditions[i];

        if (x->kind != GCAL_CONDITION_NONNEGATIVE)
            continue;
        /* below - 1 - index >= 0 */
        below = gcal_poly_add(c, gcal_poly_add(c, x->p, index), gcal_poly_integer(c, 1));
        if (!gcal_poly_has_dimension(c, below) &&
            gcal_poly_is_nonnegative(c, gcal_poly_sub(c, size, below)))
            rows = gcal_poly_divide(c, below, columns);
    }
    return rows && gcal_poly_is_integral(rows) ? rows : NULL;
}

/* Whether anything still needs the local id, or counts iterations of what is replaced. */
static bool is_needed(const struct gcal_chain *chain, const struct rows *r)
{
    struct gcal_polys *c = r->c;

    for (size_t i = 0; i < chain->n_conditions; i++)
        if (gcal_condition_contains(c, chain->conditions[i], r->replaced) ||
            (r->lid != UINT_MAX &&
             gcal_condition_contains(c, chain->conditions[i], r->lid)))
            return true;
    for (size_t i = 0; i < chain->n_dims; i++)
        if (r->lid != UINT_MAX && gcal_poly_contains(c, chain->trips[i], r->lid))
            return true;
    return chain->offset && r->lid != UINT_MAX &&
           gcal_poly_contains(c, chain->offset, r->lid);
}

static void replace_all(struct gcal_chain *chain, struct rows *r)
{
    for (size_t i = 0; i < chain->n_dims; i++)
        if (gcal_poly_contains(r->c, chain->trips[i], r->replaced))
            chain->trips[i] =
                gcal_poly_substitute(r->c, chain->trips[i], r->replaced, r->value);
    for (size_t i = 0; i < chain->n_conditions; i++)
        chain->conditions[i] =
            gcal_condition_change(r->c, chain->conditions[i], replace, r);
    if (chain->offset)
        chain->offset = gcal_poly_substitute(r->c, chain->offset, r->replaced, r->value);
}

/* False when this division cannot be resolved; the chain is then as it was. */
static bool take_apart(struct gcal_chain *chain, unsigned atom)
{
    struct gcal_polys *c = chain->nest->c;
    struct gcal_atom division = c->atoms[atom];
    const struct gcal_poly *one = gcal_poly_integer(c, 1), *size, *n_rows, *row, *column;
    struct rows r = { .c = c, .lid = UINT_MAX, .size = division.b };
    struct gcal_chain tried = *chain;
    size_t dim, lid;

    if (division.b->n_terms != 1 || gcal_poly_has_dimension(c, division.b) ||
        !find_index(chain, division.a, &dim, &lid, &size))
        return false;
    if (!(n_rows = count_rows(chain, division.a, size, division.b)))
        return false;
    row = gcal_poly_dimension(c, "row", gcal_poly_sub(c, n_rows, one));
    column = gcal_poly_dimension(c, "column", gcal_poly_sub(c, division.b, one));
    r.replaced = chain->dims[dim];
    r.value = gcal_poly_add(c, gcal_poly_mul(c, division.b, row), column);
    if (lid != SIZE_MAX) { /* group = (id - lid)/size */
        int64_t items = chain->nest->local_size[dim / 2];

        r.lid = chain->dims[lid];
        r.value = gcal_poly_scale(
            c, gcal_poly_sub(c, r.value, gcal_poly_of_atom(c, r.lid)), 1, items);
    }
    replace_all(&tried, &r);
    if (tried.n_dims == GCAL_MAX_CHAIN || is_needed(&tried, &r))
        return false;
    tried.dims[dim] = gcal_poly_atom(row);
    tried.trips[dim] = n_rows;
    if (lid == SIZE_MAX)
        lid = tried.n_dims++;
    tried.dims[lid] = gcal_poly_atom(column);
    tried.trips[lid] = division.b;
    tried.is_lid[lid] = false;
    *chain = tried;
    return true;
}

void gcal_chain_divide(struct gcal_chain *chain)
{
    unsigned atom;

    while (find_division(chain, &atom) && take_apart(chain, atom))
        ;
}
