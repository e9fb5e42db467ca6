/* sample.c - values of atoms at some points, which refute what cannot be proven, and decide
 * between estimates
 *
 * Most polynomials of which a proof is wanted are negative somewhere, and a proof that fails
 * takes longest, as it tries all bounds of all atoms.  So each atom has its values at a few
 * points that agree with all that proofs rely on: sizes of several kinds, dimensions in
 * their ranges.  A polynomial that is negative at one of them is not worth a proof.  Values
 * that are not exact are unknown.
 */
#include <math.h>

#include "kernels/poly/private.h"

#define MOST_EXACT 0x1p50

/* The value of p at a point; NAN: unknown. */
static double value_of(const struct gcal_poly_context *c, const struct gcal_poly *p,
                       size_t point)
{
    double sum = 0;

    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_poly_term *t = &p->terms[i];
        double product = (double)t->num;

        for (size_t j = 0; j < t->n_factors; j++)
            for (unsigned k = 0; k < t->factors[j].power; k++)
                product *= c->atoms[t->factors[j].atom].at[point];
        if (!(fabs(product) < MOST_EXACT))
            return NAN;
        sum += product / (double)t->den;
    }
    return fabs(sum) < MOST_EXACT ? sum : NAN;
}

/* The value of an integer. */
static double integer_of(const struct gcal_poly_context *c, const struct gcal_poly *p,
                         size_t point)
{
    double value = value_of(c, p, point);

    return fabs(value - rint(value)) < 1e-6 ? rint(value) : NAN;
}

static double place_in(double last, size_t number, size_t point)
{
    static const double shares[] = { 0, 1, 0.5, 0.25, 1, 0, 0.75 };

    return last < 0 ? NAN : floor(last * shares[(number + point) % 7]);
}

static double atom_value(const struct gcal_poly_context *c, size_t number, size_t point)
{
    const struct gcal_poly_entry *e = &c->atoms[number];
    double a = e->a ? integer_of(c, e->a, point) : (double)(7 * number + point);
    double b = e->b ? integer_of(c, e->b, point) : 0;

    switch (e->kind) {
    case GCAL_POLY_ATOM_PARAMETER: {
        /* Sizes that differ by their number, or not, large or small. */
        int64_t least = e->least;
        const double n = (double)(number % 16);
        const double sizes[GCAL_POLY_N_POINTS] = {
            1000 + 37 * n, 1024,          64, 3 + 2 * n, 90000 - 4000 * n, 1,
            100 * (n + 1), 1700 - 100 * n
        };

        return fmax(sizes[point], (double)least);
    }
    case GCAL_POLY_ATOM_DIMENSION:
        return e->a ? place_in(a, number, point) : a;
    case GCAL_POLY_ATOM_FLOOR:
        return floor(a / (double)e->k);
    case GCAL_POLY_ATOM_QUOTIENT:
        return b >= 1 ? floor(a / b) : NAN;
    case GCAL_POLY_ATOM_STEP:
        return isnan(a) ? a : a >= 0;
    case GCAL_POLY_ATOM_MIN:
        return isnan(a) || isnan(b) ? NAN : fmin(a, b);
    case GCAL_POLY_ATOM_MAX:
        return isnan(a) || isnan(b) ? NAN : fmax(a, b);
    case GCAL_POLY_ATOM_LOG2:
        return a >= 1 ? ilogb(a) : NAN;
    default:
        return a >= 0 && a < 50 ? exp2(a) : NAN;
    }
}

void gcal_poly_sample_atom(struct gcal_poly_context *c, size_t number)
{
    for (size_t point = 0; point < GCAL_POLY_N_POINTS; point++)
        c->atoms[number].at[point] = atom_value(c, number, point);
}

void gcal_poly_sample_again(struct gcal_poly_context *c)
{
    for (size_t i = 0; i < c->n_atoms; i++)
        gcal_poly_sample_atom(c, i);
    for (size_t point = 0; point < GCAL_POLY_N_POINTS; point++) {
        c->left_out[point] = false;
        for (size_t i = 0; i < c->n_facts; i++)
            if (!(value_of(c, c->facts[i], point) >= 0))
                c->left_out[point] = true;
    }
}

bool gcal_poly_is_refuted(const struct gcal_poly_context *c, const struct gcal_poly *p)
{
    for (size_t point = 0; point < GCAL_POLY_N_POINTS; point++)
        if (!c->left_out[point] && value_of(c, p, point) < -1 + 1e-6)
            return true;
    return false;
}

bool gcal_poly_typical_size(const struct gcal_poly_context *c, unsigned atom,
                            int64_t *value)
{
    for (size_t point = 0; point < GCAL_POLY_N_POINTS; point++)
        if (!c->left_out[point]) {
            *value = (int64_t)c->atoms[atom].at[point];
            return true;
        }
    return false;
}

const struct gcal_poly *gcal_poly_mostly_less(const struct gcal_poly_context *c,
                                              const struct gcal_poly *a,
                                              const struct gcal_poly *b)
{
    int less = 0;

    for (size_t point = 0; point < GCAL_POLY_N_POINTS; point++) {
        double x = value_of(c, a, point), y = value_of(c, b, point);

        less += c->left_out[point] ? 0 : (x < y) - (x > y);
    }
    return less < 0 ? b : a;
}
