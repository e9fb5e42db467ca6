/* private.h - the table of atoms and the context */
#ifndef GCAL_KERNELS_POLY_PRIVATE_H
#define GCAL_KERNELS_POLY_PRIVATE_H

#include "kernels/poly/poly.h"

enum { GCAL_POLY_MAX_SHARED_DIMENSIONS = 400, GCAL_POLY_N_POINTS = 8 };

/* An atom: 'kind', 'a', 'b' and 'k' as in poly.h.
 *
 * A parameter with a known remainder, modulus*hidden + rest, is replaced by that value;
 * the hidden parameter is shown as (parameter - rest)/modulus.
 */
struct gcal_poly_entry {
    enum gcal_poly_atom_kind kind;
    const char *name; /* of a parameter or dimension; NULL for shared dimensions */
    int64_t least;    /* lower bound of a parameter */
    const struct gcal_poly *a, *b;
    int64_t k;
    size_t n_nodes;                /* of the tree of atoms below it, with itself */
    bool has_dimension;            /* it is one, or one is in its operands */
    const struct gcal_poly *value; /* of a parameter; NULL: itself */
    const struct gcal_poly *shown; /* of a hidden parameter, in named ones; else NULL */
    double at[GCAL_POLY_N_POINTS]; /* values at points (sample.c); NAN: unknown */
};

struct gcal_poly_budget {
    long steps, bytes;
};

struct gcal_poly_context {
    struct block *blocks;
    size_t n_atoms, atom_capacity;
    struct gcal_poly_entry *atoms;
    size_t n_facts; /* polynomials known not to be negative */
    const struct gcal_poly *facts[16];
    bool left_out[GCAL_POLY_N_POINTS];  /* points at which a fact does not hold */
    struct gcal_poly_budget left, kept; /* kept: during an attempt, withheld from it */
    struct gcal_poly_mark begun;        /* where the last attempt began */
    long divisor;                       /* of the budgets; 0: 1 */
    int proofs; /* depth: floor() asks for proofs, and proofs make floors */
    const char *failed;
    unsigned n_shared, shared[GCAL_POLY_MAX_SHARED_DIMENSIONS]; /* atoms */
};

/* The value of all arithmetic in a failed context: without terms, but no constant. */
extern const struct gcal_poly gcal_poly_zero, gcal_poly_failed;
/* Failures that concern one value. */
extern const char gcal_poly_too_large[], gcal_poly_too_long[];

/* A polynomial whose terms the caller fills; NULL when the context fails. */
struct gcal_poly *gcal_poly_new(struct gcal_poly_context *c, size_t n_terms);
/* a/b of two terms; false when a lacks a factor of b. */
bool gcal_poly_term_divide(struct gcal_poly_context *c, const struct gcal_poly_term *a,
                           const struct gcal_poly_term *b, struct gcal_poly_term *out);

/* gcal_poly_sum() of p with powers of two that contain 'atom'; NULL for others. */
const struct gcal_poly *gcal_poly_sum_powers(struct gcal_poly_context *c,
                                             const struct gcal_poly *p, unsigned atom,
                                             const struct gcal_poly *trips);
/* p with floor(x/k) + floor((x+1)/k) + .. + floor((x+k-1)/k) as x. */
const struct gcal_poly *gcal_poly_join_floors(struct gcal_poly_context *c,
                                              const struct gcal_poly *p);

unsigned gcal_poly_add_atom(struct gcal_poly_context *c,
                            const struct gcal_poly_entry *atom);

/* ---- sample.c ---- */

/* Sets the values of a new atom. */
void gcal_poly_sample_atom(struct gcal_poly_context *c, size_t number);
/* Sets all values, after a new fact. */
void gcal_poly_sample_again(struct gcal_poly_context *c);
/* Returns whether p is below 0, by 1 at least, at a point. */
bool gcal_poly_is_refuted(const struct gcal_poly_context *c, const struct gcal_poly *p);

/* A proof may take at most 'steps'; then it is not found, and the context does not fail. */
long gcal_poly_begin_proof(struct gcal_poly_context *c, long steps);
void gcal_poly_end_proof(struct gcal_poly_context *c, long kept);

#endif
