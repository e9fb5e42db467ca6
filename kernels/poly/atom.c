/* atom.c - parameters, dimensions, floors, quotients, steps, minima and maxima */
#include <limits.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/poly/private.h"

/* ---- the table ---- */

/* Of an atom, as much as is read of its text, as operands are walked each time that they are
 * met: max(max(x, -x), -max(x, -x)) is twice as long as max(x, -x).
 */
enum { MOST_NODES = 10000 };

/* The number of an atom made of polynomials; UINT_MAX: it is new. */
static unsigned find_atom(const struct gcal_poly_context *c,
                          const struct gcal_poly_entry *atom)
{
    for (unsigned i = 0; i < c->n_atoms; i++)
        if (c->atoms[i].kind == atom->kind && c->atoms[i].k == atom->k &&
            gcal_poly_equal(c->atoms[i].a, atom->a) &&
            (!atom->b || gcal_poly_equal(c->atoms[i].b, atom->b)))
            return i;
    return UINT_MAX;
}

/* How many atoms p is made of, and each of these in turn. */
static size_t count_nodes(const struct gcal_poly_context *c, const struct gcal_poly *p)
{
    size_t n = 0;

    for (size_t i = 0; p && i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++)
            n += c->atoms[p->terms[i].factors[j].atom].n_nodes;
    return n;
}

unsigned gcal_poly_add_atom(struct gcal_poly_context *c,
                            const struct gcal_poly_entry *atom)
{
    size_t n_nodes = 1 + count_nodes(c, atom->a) + count_nodes(c, atom->b);
    struct gcal_poly_entry *moved;
    unsigned known = atom->kind >= GCAL_POLY_ATOM_FLOOR ? find_atom(c, atom) : UINT_MAX;

    if (known != UINT_MAX)
        return known;
    moved = c->n_atoms < 8000 ? gcal_array_grow(c->atoms, c->n_atoms, &c->atom_capacity,
                                                sizeof(*moved), NULL)
                              : NULL;
    if (!moved) {
        gcal_poly_fail(c, "the count needs too many steps");
        return 0;
    }
    if (n_nodes > MOST_NODES)
        gcal_poly_fail(c, gcal_poly_too_long);
    c->atoms = moved;
    c->atoms[c->n_atoms] = *atom;
    c->atoms[c->n_atoms].n_nodes = n_nodes;
    c->atoms[c->n_atoms].has_dimension =
        atom->kind == GCAL_POLY_ATOM_DIMENSION ||
        (atom->kind >= GCAL_POLY_ATOM_FLOOR &&
         (gcal_poly_has_dimension(c, atom->a) ||
          (atom->b && gcal_poly_has_dimension(c, atom->b))));
    gcal_poly_sample_atom(c, c->n_atoms);
    return (unsigned)c->n_atoms++;
}

const struct gcal_poly *gcal_poly_dimension(struct gcal_poly_context *c, const char *name,
                                            const struct gcal_poly *last)
{
    struct gcal_poly_entry atom = { .kind = GCAL_POLY_ATOM_DIMENSION, .a = last };

    atom.name = gcal_poly_format(c, "%s", name);
    return gcal_poly_from_atom(c, gcal_poly_add_atom(c, &atom));
}

const struct gcal_poly *gcal_poly_shared_dimension(struct gcal_poly_context *c,
                                                   unsigned i)
{
    struct gcal_poly_entry atom = { .kind = GCAL_POLY_ATOM_DIMENSION };

    if (i >= GCAL_POLY_MAX_SHARED_DIMENSIONS) {
        gcal_poly_fail(c, "the count needs too many steps");
        return &gcal_poly_failed;
    }
    while (c->n_shared <= i && !c->failed) { /* none stays from a failure */
        c->shared[c->n_shared] = gcal_poly_add_atom(c, &atom);
        c->n_shared += !c->failed;
    }
    if (c->failed)
        return &gcal_poly_failed;
    return gcal_poly_from_atom(c, c->shared[i]);
}

unsigned gcal_poly_atom_index(const struct gcal_poly *p)
{
    return p->n_terms ? p->terms[0].factors[0].atom : 0;
}

const char *gcal_poly_atom_name(const struct gcal_poly_context *c, unsigned atom)
{
    return c->atoms[atom].name;
}

struct gcal_poly_atom gcal_poly_get_atom(const struct gcal_poly_context *c, unsigned atom)
{
    const struct gcal_poly_entry *e = &c->atoms[atom];

    return (struct gcal_poly_atom){ .kind = e->kind, .a = e->a, .b = e->b, .k = e->k };
}

/* ---- parameters ---- */

/* The atom of the parameter itself, not of its value. */
static unsigned parameter_atom(struct gcal_poly_context *c, const char *name)
{
    struct gcal_poly_entry atom = { .kind = GCAL_POLY_ATOM_PARAMETER };

    for (unsigned i = 0; i < c->n_atoms; i++)
        if (c->atoms[i].kind == GCAL_POLY_ATOM_PARAMETER && !c->atoms[i].shown &&
            strcmp(c->atoms[i].name, name) == 0)
            return i;
    atom.name = gcal_poly_format(c, "%s", name);
    return gcal_poly_add_atom(c, &atom);
}

const struct gcal_poly *gcal_poly_parameter(struct gcal_poly_context *c, const char *name)
{
    unsigned atom = parameter_atom(c, name);

    if (c->failed)
        return &gcal_poly_failed;
    return c->atoms[atom].value ? c->atoms[atom].value : gcal_poly_from_atom(c, atom);
}

/* ---- floors, minima and maxima, quotients, steps ---- */

/* p = g*whole + rest with 0 <= rest < g for a common divisor g > 1 of k and some terms:
 * floor(p/k) is floor(whole/(k/g)).  The largest g; false when there is none.
 */
static bool leave_out_digits(struct gcal_poly_context *c, const struct gcal_poly *p,
                             int64_t k, const struct gcal_poly **whole, int64_t *g)
{
    for (int64_t below = k + 1; below > 1; below = *g) {
        struct gcal_poly *high = gcal_poly_new(c, p->n_terms), *low;
        const struct gcal_poly *space;
        int64_t number = 0;

        *g = 1;
        for (size_t i = 0; i < p->n_terms; i++) {
            int64_t own = gcal_poly_gcd(k, p->terms[i].num);

            if (p->terms[i].n_factors && own < below && own > *g)
                *g = own;
        }
        if (*g == 1 || !(low = gcal_poly_new(c, p->n_terms)) || !high)
            return false;
        high->n_terms = low->n_terms = 0;
        for (size_t i = 0; i < p->n_terms; i++) {
            struct gcal_poly_term t = p->terms[i];

            if (!t.n_factors)
                number = t.num;
            else if (t.num % *g)
                low->terms[low->n_terms++] = t;
            else
                high->terms[high->n_terms++] = t;
        }
        if (!low->n_terms)
            return false;
        space = gcal_poly_sub(c, gcal_poly_integer(c, *g - 1 - number % *g), low);
        if (!gcal_poly_is_nonnegative(c, space) ||
            !gcal_poly_is_nonnegative(
                c, gcal_poly_add(c, low, gcal_poly_integer(c, number % *g))))
            continue;
        *whole = gcal_poly_scale(
            c, gcal_poly_add(c, high, gcal_poly_integer(c, number - number % *g)), 1, *g);
        return true;
    }
    return false;
}

/* floor(p/k) = whole + floor(rest/k), where rest has coefficients in [0, k). */
const struct gcal_poly *gcal_poly_floor(struct gcal_poly_context *c,
                                        const struct gcal_poly *p, int64_t k)
{
    int64_t den = gcal_poly_denominator(p), divisor;
    const struct gcal_poly *whole = &gcal_poly_zero, *rest = &gcal_poly_zero, *higher;
    struct gcal_poly_entry atom = { .kind = GCAL_POLY_ATOM_FLOOR };

    if (!den || __builtin_mul_overflow(den, k, &k)) {
        gcal_poly_fail(c, gcal_poly_too_large);
        return &gcal_poly_failed;
    }
    p = gcal_poly_scale(c, p, den, 1); /* floor(p/k), all integers now */
    for (size_t i = 0; i < p->n_terms; i++) {
        struct gcal_poly *term = gcal_poly_new(c, 1);
        int64_t mod = p->terms[i].num % k;

        if (!term)
            return &gcal_poly_failed;
        mod += mod < 0 ? k : 0;
        term->terms[0] = p->terms[i];
        term->terms[0].num = (p->terms[i].num - mod) / k;
        if (term->terms[0].num)
            whole = gcal_poly_add(c, whole, term);
        if (mod && (term = gcal_poly_new(c, 1))) {
            term->terms[0] = p->terms[i];
            term->terms[0].num = mod;
            rest = gcal_poly_add(c, rest, term);
        }
    }
    if (c->failed)
        return &gcal_poly_failed;
    if (!rest->n_terms)
        return whole;
    /* A coefficient just below k is better a small negative one: floor((15 - lid)/16) is
     * provably 0, floor((15 + 15*lid)/16) - lid is not.
     */
    for (size_t i = 0; i < rest->n_terms; i++) {
        struct gcal_poly *term;
        const struct gcal_poly *q;

        if (!rest->terms[i].n_factors || rest->terms[i].num <= k / 2 ||
            !(term = gcal_poly_new(c, 1)))
            continue;
        term->terms[0] = rest->terms[i];
        term->terms[0].num = 1;
        q = gcal_poly_sub(c, rest, gcal_poly_scale(c, term, k, 1));
        if (gcal_poly_is_nonnegative(c, q) &&
            gcal_poly_is_nonnegative(c, gcal_poly_sub(c, gcal_poly_integer(c, k - 1), q)))
            return gcal_poly_add(c, whole, term);
    }
    if (gcal_poly_is_nonnegative(c,
                                 gcal_poly_sub(c, gcal_poly_integer(c, k - 1), rest)) &&
        gcal_poly_is_nonnegative(c, rest))
        return whole;
    if (leave_out_digits(c, rest, k, &higher, &divisor))
        return gcal_poly_add(c, whole, gcal_poly_floor(c, higher, k / divisor));
    atom.a = rest;
    atom.k = k;
    return gcal_poly_add(c, whole, gcal_poly_from_atom(c, gcal_poly_add_atom(c, &atom)));
}

/* 'a' and 'b' as operands, of which the first has no constant term; the value is that of the
 * atom plus '*added'.
 */
static struct gcal_poly_entry extremum_of(struct gcal_poly_context *c,
                                          enum gcal_poly_atom_kind kind,
                                          const struct gcal_poly *a,
                                          const struct gcal_poly *b, int64_t *added)
{
    const struct gcal_poly_term *last = a->n_terms ? &a->terms[a->n_terms - 1] : NULL;
    struct gcal_poly_entry atom = { .kind = kind };

    *added = last && last->n_factors == 0 ? last->num : 0;
    atom.a = gcal_poly_sub(c, a, gcal_poly_integer(c, *added));
    atom.b = gcal_poly_sub(c, b, gcal_poly_integer(c, *added));
    return atom;
}

/* In one normal form: a constant comes second, and the first operand has no constant
 * term: min(4095, n-1) is min(n, 4096)-1.  Both have integer coefficients: min(n/3, m) is
 * min(n, 3*m)/3, so that its floors and steps are exact in floating point.  Others are in
 * the order in which they came first.
 */
static const struct gcal_poly *extremum(struct gcal_poly_context *c,
                                        enum gcal_poly_atom_kind kind,
                                        const struct gcal_poly *a,
                                        const struct gcal_poly *b)
{
    struct gcal_poly_entry atom, swapped;
    int64_t number, added, added_swapped, den, den_b;

    den = gcal_poly_denominator(a);
    den_b = gcal_poly_denominator(b);
    if (!den || !den_b ||
        __builtin_mul_overflow(den, den_b / gcal_poly_gcd(den, den_b), &den)) {
        gcal_poly_fail(c, gcal_poly_too_large);
        return &gcal_poly_failed;
    }
    a = gcal_poly_scale(c, a, den, 1);
    b = gcal_poly_scale(c, b, den, 1);
    atom = extremum_of(c, kind, a, b, &added);
    swapped = extremum_of(c, kind, b, a, &added_swapped);
    if (gcal_poly_is_constant(a, &number) ||
        (!gcal_poly_is_constant(b, &number) &&
         find_atom(c, &swapped) < find_atom(c, &atom))) {
        atom = swapped;
        added = added_swapped;
    }
    return gcal_poly_scale(
        c,
        gcal_poly_add(c, gcal_poly_from_atom(c, gcal_poly_add_atom(c, &atom)),
                      gcal_poly_integer(c, added)),
        1, den);
}

const struct gcal_poly *gcal_poly_min(struct gcal_poly_context *c,
                                      const struct gcal_poly *a,
                                      const struct gcal_poly *b)
{
    if (gcal_poly_is_nonnegative(c, gcal_poly_sub(c, b, a)))
        return a;
    if (gcal_poly_is_nonnegative(c, gcal_poly_sub(c, a, b)))
        return b;
    return extremum(c, GCAL_POLY_ATOM_MIN, a, b);
}

const struct gcal_poly *gcal_poly_max(struct gcal_poly_context *c,
                                      const struct gcal_poly *a,
                                      const struct gcal_poly *b)
{
    if (gcal_poly_is_nonnegative(c, gcal_poly_sub(c, b, a)))
        return b;
    if (gcal_poly_is_nonnegative(c, gcal_poly_sub(c, a, b)))
        return a;
    return extremum(c, GCAL_POLY_ATOM_MAX, a, b);
}

void gcal_poly_divmod(struct gcal_poly_context *c, const struct gcal_poly *p,
                      const struct gcal_poly *q, const struct gcal_poly **whole,
                      const struct gcal_poly **rest)
{
    *whole = *rest = &gcal_poly_zero;
    for (size_t i = 0; i < p->n_terms && !c->failed; i++) {
        struct gcal_poly *term = gcal_poly_new(c, 1), *part = gcal_poly_new(c, 1);

        if (!term || !part)
            return;
        term->terms[0] = p->terms[i];
        if (q->n_terms == 1 &&
            gcal_poly_term_divide(c, &term->terms[0], &q->terms[0], &part->terms[0]) &&
            part->terms[0].den == 1)
            *whole = gcal_poly_add(c, *whole, part);
        else
            *rest = gcal_poly_add(c, *rest, term);
    }
}

const struct gcal_poly *gcal_poly_floor_quotient(struct gcal_poly_context *c,
                                                 const struct gcal_poly *p,
                                                 const struct gcal_poly *q)
{
    struct gcal_poly_entry atom = { .kind = GCAL_POLY_ATOM_QUOTIENT, .b = q };
    const struct gcal_poly *whole, *below;
    int64_t number;

    if (gcal_poly_is_constant(q, &number) && number > 0)
        return gcal_poly_floor(c, p, number);
    if ((whole = gcal_poly_divide(c, p, q)) && gcal_poly_is_integral(whole))
        return whole;
    gcal_poly_divmod(c, p, q, &whole, &atom.a);
    below = gcal_poly_sub(c, gcal_poly_sub(c, q, gcal_poly_integer(c, 1)), atom.a);
    if (gcal_poly_is_nonnegative(c, atom.a) && gcal_poly_is_nonnegative(c, below))
        return whole;
    return gcal_poly_add(c, whole, gcal_poly_from_atom(c, gcal_poly_add_atom(c, &atom)));
}

/* p scaled to integer coefficients without a common divisor, the constant rounded down,
 * with the same sign: in floating point, "1/3*n-5/3" would be below 0 where it is 0.
 */
static const struct gcal_poly *without_fractions(struct gcal_poly_context *c,
                                                 const struct gcal_poly *p)
{
    int64_t den = gcal_poly_denominator(p), divisor = 0, below;
    struct gcal_poly_term last;

    if (!den) {
        gcal_poly_fail(c, gcal_poly_too_large);
        return &gcal_poly_failed;
    }
    p = gcal_poly_scale(c, p, den, 1);
    for (size_t i = 0; i < p->n_terms; i++)
        if (p->terms[i].n_factors)
            divisor = gcal_poly_gcd(divisor, p->terms[i].num);
    if (divisor < 2)
        return p;
    p = gcal_poly_scale(c, p, 1, divisor);
    last = p->terms[p->n_terms - 1];
    if (last.n_factors || last.den == 1)
        return p;
    below = last.num >= 0 ? last.num / last.den : -((-last.num - 1) / last.den + 1);
    p = gcal_poly_sub(c, p, gcal_poly_rational(c, last.num, last.den));
    return gcal_poly_add(c, p, gcal_poly_integer(c, below));
}

const struct gcal_poly *gcal_poly_step(struct gcal_poly_context *c,
                                       const struct gcal_poly *p)
{
    struct gcal_poly_entry atom = { .kind = GCAL_POLY_ATOM_STEP };

    p = without_fractions(c, p);
    atom.a = p;
    if (gcal_poly_is_nonnegative(c, p))
        return gcal_poly_integer(c, 1);
    if (gcal_poly_is_nonnegative(c, gcal_poly_sub(c, gcal_poly_integer(c, -1), p)))
        return &gcal_poly_zero;
    return gcal_poly_from_atom(c, gcal_poly_add_atom(c, &atom));
}

const struct gcal_poly *gcal_poly_unexpanded(struct gcal_poly_context *c,
                                             const struct gcal_poly *p)
{
    struct gcal_poly_entry atom = { .kind = GCAL_POLY_ATOM_FLOOR, .a = p, .k = 1 };

    if (p->n_terms < 2)
        return p;
    return gcal_poly_from_atom(c, gcal_poly_add_atom(c, &atom));
}
