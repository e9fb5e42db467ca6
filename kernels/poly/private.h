/* private.h - inside of poly*.c */
#ifndef GCAL_KERNELS_POLY_PRIVATE_H
#define GCAL_KERNELS_POLY_PRIVATE_H

#include "kernels/poly/poly.h"

enum gcal_poly_atom_kind {
    GCAL_POLY_ATOM_PARAMETER,
    GCAL_POLY_ATOM_DIMENSION,
    GCAL_POLY_ATOM_FLOOR,
    GCAL_POLY_ATOM_QUOTIENT,
    GCAL_POLY_ATOM_STEP,
    GCAL_POLY_ATOM_MIN,
    GCAL_POLY_ATOM_MAX
};

enum { GCAL_POLY_MAX_SHARED_DIMENSIONS = 400 };

struct gcal_poly_atom {
    enum gcal_poly_atom_kind kind;
    const char *name; /* parameter, dimension; NULL for a point's */
    int64_t least;    /* parameter: its lower bound */
    const struct gcal_poly
        *a; /* floor, quotient: numerator; step: of; min, max; dimension: last or NULL */
    const struct gcal_poly *b; /* min, max; quotient: divisor */
    int64_t k;                 /* floor: divisor; 1 keeps a polynomial together */
    /* A parameter that is known to be modulus*hidden + rest is computed with as that. */
    const struct gcal_poly *value; /* of this parameter */
    const struct gcal_poly *shown; /* hidden one: how it is written in parameters */
};

struct gcal_poly_context {
    struct block *blocks;
    size_t n_atoms, atom_capacity;
    struct gcal_poly_atom *atoms;
    size_t n_facts; /* polynomials known not to be negative */
    const struct gcal_poly *facts[16];
    long steps_left;
    long steps_after; /* of an attempt: those that it was not given */
    int proofs; /* that are being made: floor() asks for some, and proofs for floor() */
    const char *failed;
    unsigned n_points, points[GCAL_POLY_MAX_SHARED_DIMENSIONS];
};

extern const struct gcal_poly gcal_poly_zero;

/* Room for terms, which the caller fills; NULL when the context has failed by it. */
struct gcal_poly *gcal_poly_new(struct gcal_poly_context *c, size_t n_terms);
/* a/b of two terms; false when b's factors are not all in a. */
bool gcal_poly_term_divide(struct gcal_poly_context *c, const struct gcal_poly_term *a,
                           const struct gcal_poly_term *b, struct gcal_poly_term *out);

void gcal_poly_fail(struct gcal_poly_context *c, const char *why);
unsigned gcal_poly_add_atom(struct gcal_poly_context *c,
                            const struct gcal_poly_atom *atom);
int64_t gcal_poly_gcd(int64_t a, int64_t b);
/* Common denominator of all coefficients; 0 when it overflows. */
int64_t gcal_poly_denominator(const struct gcal_poly *p);
/* p with hidden parameters written in the named ones. */
const struct gcal_poly *gcal_poly_in_named_parameters(struct gcal_poly_context *c,
                                                      const struct gcal_poly *p);
/* The parameter's own atom, not its value. */
unsigned gcal_poly_parameter_atom(struct gcal_poly_context *c, const char *name);

#endif
