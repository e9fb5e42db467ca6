/* subscript.c - a subscript as the part that depends on the lane, rows, and the base
 *
 * The base matters only by its residue: multiples of the modulus are left out, and where a
 * term's residue is not affine (the row n*i of a matrix whose n is any number), the residue
 * is known by a smaller modulus alone.
 */
#include "kernels/lanes/private.h"

struct splitting {
    struct gcal_poly_context *c;
    size_t n_dims;
    const unsigned *dims;
    const bool *by_lane;
    struct gcal_lanes_subscript *to;
};

/* The term's parts: factors with dimensions, and the product of the sizes in it. */
struct parts {
    const struct gcal_poly *dims, *sizes;
    size_t n_dims,
        n_lane;   /* factors with dimensions, and those that depend on the lane */
    bool unknown; /* quotients, and numbers that are data */
};

static bool depends_on_lane(const struct splitting *s, const struct gcal_poly *atom)
{
    for (size_t i = 0; i < s->n_dims; i++)
        if (s->by_lane[i] && gcal_poly_contains(s->c, atom, s->dims[i]))
            return true;
    return false;
}

static bool is_dimension(const struct splitting *s, unsigned atom)
{
    for (size_t i = 0; i < s->n_dims; i++)
        if (s->dims[i] == atom)
            return true;
    return false;
}

static struct parts take_apart(const struct splitting *s, const struct gcal_poly_term *t)
{
    struct parts parts = { gcal_poly_integer(s->c, 1), gcal_poly_integer(s->c, 1), 0, 0,
                           false };

    for (size_t i = 0; i < t->n_factors; i++) {
        unsigned atom = t->factors[i].atom;
        const struct gcal_poly *p = gcal_poly_from_atom(s->c, atom);
        bool has_dims = gcal_poly_atom_has_dimension(s->c, atom);
        const struct gcal_poly **product = has_dims ? &parts.dims : &parts.sizes;

        for (unsigned k = 0; k < t->factors[i].power; k++)
            *product = gcal_poly_mul(s->c, *product, p);
        parts.n_dims += has_dims ? t->factors[i].power : 0;
        parts.n_lane += has_dims && depends_on_lane(s, p);
        parts.unknown =
            parts.unknown ||
            (has_dims &&
             gcal_poly_get_atom(s->c, atom).kind == GCAL_POLY_ATOM_DIMENSION &&
             !is_dimension(s, atom)) ||
            (has_dims && gcal_poly_get_atom(s->c, atom).kind == GCAL_POLY_ATOM_QUOTIENT);
    }
    return parts;
}

/* A term of the base, number*sizes*any integer: its residue is 0, or unknown. */
static void leave_out(struct splitting *s, const struct gcal_poly *sizes, int64_t number)
{
    struct gcal_lanes_subscript *to = s->to;
    bool assumed = gcal_poly_multiples_add(s->c, &to->multiples,
                                           gcal_poly_scale(s->c, sizes, number, 1));

    to->modulus = gcal_poly_gcd(to->modulus, assumed ? to->multiples.of : number);
}

static bool add_row(struct splitting *s, const struct parts *parts, int64_t number)
{
    struct gcal_lanes_subscript *to = s->to;
    const struct gcal_poly *more = gcal_poly_scale(s->c, parts->dims, number, 1);
    size_t b = 0;

    while (b < to->n_rows && !gcal_poly_equal(to->rows[b].stride, parts->sizes))
        b++;
    if (b == GCAL_LANES_MAX_ROWS)
        return false;
    if (b == to->n_rows)
        to->rows[to->n_rows++] =
            (struct gcal_lanes_subscript_row){ parts->sizes, gcal_poly_integer(s->c, 0) };
    to->rows[b].lanes = gcal_poly_add(s->c, to->rows[b].lanes, more);
    leave_out(s, parts->sizes, number);
    return true;
}

static bool add_lane_term(struct splitting *s, const struct gcal_poly_term *t,
                          const struct parts *parts)
{
    if (parts->n_lane < parts->n_dims) {
        bool shared = parts->n_dims > 1; /* with a dimension of all lanes, or a square */

        for (size_t i = 0; i < t->n_factors && shared; i++)
            if (gcal_poly_atom_has_dimension(s->c, t->factors[i].atom) &&
                !depends_on_lane(s, gcal_poly_from_atom(s->c, t->factors[i].atom)))
                return false;
    }
    if (parts->sizes->terms[0].n_factors)
        return t->den == 1 && add_row(s, parts, t->num);
    s->to->lanes = gcal_poly_add(s->c, s->to->lanes,
                                 gcal_poly_scale(s->c, parts->dims, t->num, t->den));
    return true;
}

static void add_base_term(struct splitting *s, const struct gcal_poly_term *t,
                          const struct parts *parts)
{
    struct gcal_lanes_subscript *to = s->to;
    bool affine =
        t->den == 1 && !parts->unknown &&
        (parts->n_dims == 0 || (parts->n_dims == 1 && !parts->sizes->terms[0].n_factors));

    if (!affine && t->den == 1)
        leave_out(s, parts->sizes, t->num);
    else if (!affine)
        to->modulus = 1;
    else if (!parts->n_dims && to->multiples.of && t->n_factors)
        leave_out(s, parts->sizes, t->num);
    else
        to->base = gcal_poly_add(
            s->c, to->base,
            gcal_poly_scale(s->c, gcal_poly_mul(s->c, parts->dims, parts->sizes), t->num,
                            1));
}

static int64_t residue_of(int64_t number, int64_t modulus)
{
    int64_t rest = number % modulus;

    return rest < 0 ? rest + modulus : rest;
}

/* Leaves out multiples of the modulus. */
static void reduce_base(struct splitting *s)
{
    struct gcal_lanes_subscript *to = s->to;
    const struct gcal_poly *reduced = gcal_poly_integer(s->c, 0);
    int64_t number = 0;

    to->residue_step = to->modulus;
    for (size_t i = 0; i < to->base->n_terms; i++) {
        const struct gcal_poly_term *t = &to->base->terms[i];
        const struct gcal_poly *one = gcal_poly_integer(s->c, 1);
        int64_t rest = residue_of(t->num, to->modulus);

        for (size_t j = 0; j < t->n_factors; j++)
            for (unsigned k = 0; k < t->factors[j].power; k++)
                one = gcal_poly_mul(s->c, one,
                                    gcal_poly_from_atom(s->c, t->factors[j].atom));
        reduced = gcal_poly_add(s->c, reduced, gcal_poly_scale(s->c, one, rest, 1));
        if (t->n_factors)
            to->residue_step = gcal_poly_gcd(to->residue_step, rest);
        else
            number = rest;
    }
    to->base = reduced;
    to->first_residue = number % to->residue_step;
}

bool gcal_lanes_subscript_split(struct gcal_poly_context *c,
                                const struct gcal_poly *offset, int64_t modulus,
                                size_t n_dims, const unsigned *dims, const bool *by_lane,
                                struct gcal_lanes_subscript *to)
{
    struct splitting s = { c, n_dims, dims, by_lane, to };
    int64_t multiple = to->multiples.of;

    *to = (struct gcal_lanes_subscript){ .lanes = gcal_poly_integer(c, 0),
                                         .base = gcal_poly_integer(c, 0),
                                         .modulus = modulus,
                                         .multiples.of = multiple };
    for (size_t i = 0; i < offset->n_terms; i++) {
        struct parts parts = take_apart(&s, &offset->terms[i]);

        if (gcal_poly_context_has_failed(c))
            return false;
        if (!parts.n_lane)
            add_base_term(&s, &offset->terms[i], &parts);
        else if (!add_lane_term(&s, &offset->terms[i], &parts))
            return false;
    }
    reduce_base(&s);
    /* the largest residue of a base that is one of first, first + step, .. below modulus */
    to->most_residue = modulus - to->residue_step + to->first_residue;
    return true;
}
