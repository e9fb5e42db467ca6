/* poly.h - exact polynomials in sizes and loop variables
 *
 * Counts, subscripts and trip counts are polynomials with rational coefficients over
 * atoms: size parameters, dimensions (loop variables and work-item ids), and floor(p/k),
 * floor(p/q), step(p), min(p, q), max(p, q) of other polynomials.  Every atom is an
 * integer.
 *
 * Polynomials are immutable and live as long as their context, so nothing is freed one
 * by one.  What goes wrong (memory, a coefficient beyond 64 bits, too many steps) is
 * kept in the context, results are then meaningless: check gcal_poly_context_check() once
 * before using them.  One thread per context.
 */
#ifndef GCAL_KERNELS_POLY_H
#define GCAL_KERNELS_POLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gcal_error;
struct gcal_poly_context; /* a context */

enum { GCAL_POLY_MAX_FACTORS = 10 };

struct gcal_poly_factor {
    uint16_t atom, power;
};

struct gcal_poly_term {
    int64_t num, den; /* den > 0, no common divisor */
    size_t n_factors;
    struct gcal_poly_factor factors[GCAL_POLY_MAX_FACTORS]; /* by rising atom */
};

struct gcal_poly {
    size_t n_terms;                /* 0: the polynomial 0 */
    struct gcal_poly_term terms[]; /* by falling degree, none twice, none 0 */
};

struct gcal_poly_context *gcal_poly_context_create(struct gcal_error *err);
void gcal_poly_context_destroy(struct gcal_poly_context *c);
int gcal_poly_context_check(const struct gcal_poly_context *c, struct gcal_error *err);

/* Around work that may come to nothing: it fails after so many steps, and what it failed
 * by is forgotten at its end, which says whether it did.  Not one inside another.
 */
void gcal_poly_begin_attempt(struct gcal_poly_context *c, long steps);
bool gcal_poly_end_attempt(struct gcal_poly_context *c);

/* Memory that lives as long as the context; NULL (and the context failed) without. */
void *gcal_poly_alloc(struct gcal_poly_context *c, size_t size);
/* printf into such memory; never NULL. */
const char *gcal_poly_format(struct gcal_poly_context *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- atoms ---- */

/* The size parameter of that name, which is made when it is new: an integer of at least
 * 0.  Under an assumption (below) it is a polynomial in something simpler.
 */
const struct gcal_poly *gcal_poly_parameter(struct gcal_poly_context *c,
                                            const char *name);

/* "n % 16 = 0 and n >= 16 and n > p": makes counts simpler.  -1 with 'err' when 'text'
 * does not parse or contradicts itself.  To be called before a parameter is used.
 */
int gcal_poly_assume(struct gcal_poly_context *c, const char *text,
                     struct gcal_error *err);

/* The same for one polynomial; false when there are too many. */
bool gcal_poly_assume_nonnegative(struct gcal_poly_context *c, const struct gcal_poly *p);

/* A new dimension 0 <= v <= last. */
const struct gcal_poly *gcal_poly_dimension(struct gcal_poly_context *c, const char *name,
                                            const struct gcal_poly *last);
/* Dimension 'i' of those whose range is not known, which all calls share. */
const struct gcal_poly *gcal_poly_shared_dimension(struct gcal_poly_context *c,
                                                   unsigned i);
/* The atom as a polynomial; and the number of the atom that a polynomial is. */
const struct gcal_poly *gcal_poly_from_atom(struct gcal_poly_context *c, unsigned atom);
unsigned gcal_poly_atom_index(const struct gcal_poly *p);
const char *gcal_poly_atom_name(const struct gcal_poly_context *c, unsigned atom);
const struct gcal_poly *gcal_poly_atom_last(const struct gcal_poly_context *c,
                                            unsigned atom);

/* ---- arithmetic ---- */

const struct gcal_poly *gcal_poly_rational(struct gcal_poly_context *c, int64_t num,
                                           int64_t den);
const struct gcal_poly *gcal_poly_integer(struct gcal_poly_context *c, int64_t value);
const struct gcal_poly *gcal_poly_add(struct gcal_poly_context *c,
                                      const struct gcal_poly *a,
                                      const struct gcal_poly *b);
const struct gcal_poly *gcal_poly_sub(struct gcal_poly_context *c,
                                      const struct gcal_poly *a,
                                      const struct gcal_poly *b);
const struct gcal_poly *gcal_poly_mul(struct gcal_poly_context *c,
                                      const struct gcal_poly *a,
                                      const struct gcal_poly *b);
const struct gcal_poly *gcal_poly_scale(struct gcal_poly_context *c,
                                        const struct gcal_poly *a, int64_t num,
                                        int64_t den);
/* The greatest integer not above p/k, k > 0. */
const struct gcal_poly *gcal_poly_floor(struct gcal_poly_context *c,
                                        const struct gcal_poly *p, int64_t k);
const struct gcal_poly *gcal_poly_min(struct gcal_poly_context *c,
                                      const struct gcal_poly *a,
                                      const struct gcal_poly *b);
const struct gcal_poly *gcal_poly_max(struct gcal_poly_context *c,
                                      const struct gcal_poly *a,
                                      const struct gcal_poly *b);
/* The greatest integer not above p/q, of sizes q >= 1. */
const struct gcal_poly *gcal_poly_floor_quotient(struct gcal_poly_context *c,
                                                 const struct gcal_poly *p,
                                                 const struct gcal_poly *q);
/* p = q*whole + rest, term by term, for a 'q' of one term. */
void gcal_poly_divmod(struct gcal_poly_context *c, const struct gcal_poly *p,
                      const struct gcal_poly *q, const struct gcal_poly **whole,
                      const struct gcal_poly **rest);
/* 1 where p >= 0, else 0. */
const struct gcal_poly *gcal_poly_step(struct gcal_poly_context *c,
                                       const struct gcal_poly *p);
/* p as one factor, which products do not multiply out; an integer at all integers. */
const struct gcal_poly *gcal_poly_unexpanded(struct gcal_poly_context *c,
                                             const struct gcal_poly *p);
/* 'p' with 'value' in the place of 'atom', inside floor, min, max too. */
const struct gcal_poly *gcal_poly_substitute(struct gcal_poly_context *c,
                                             const struct gcal_poly *p, unsigned atom,
                                             const struct gcal_poly *value);
/* a/b when that is a polynomial; NULL otherwise. */
const struct gcal_poly *gcal_poly_divide(struct gcal_poly_context *c,
                                         const struct gcal_poly *a,
                                         const struct gcal_poly *b);

/* ---- questions ---- */

bool gcal_poly_is_constant(const struct gcal_poly *p, int64_t *value); /* an integer */
bool gcal_poly_is_integral(const struct gcal_poly *p); /* all coefficients are integers */
bool gcal_poly_equal(const struct gcal_poly *a, const struct gcal_poly *b);
/* Anywhere, and only inside floor, min or max. */
bool gcal_poly_contains(const struct gcal_poly_context *c, const struct gcal_poly *p,
                        unsigned atom);
bool gcal_poly_contains_nested(const struct gcal_poly_context *c,
                               const struct gcal_poly *p, unsigned atom);
bool gcal_poly_has_dimension(const struct gcal_poly_context *c,
                             const struct gcal_poly *p);
/* The factor of atom^power in p. */
const struct gcal_poly *gcal_poly_coefficient(struct gcal_poly_context *c,
                                              const struct gcal_poly *p, unsigned atom,
                                              unsigned power);
unsigned gcal_poly_degree(const struct gcal_poly *p, unsigned atom);

/* Whether an integer-valued p is never negative, as far as can be proven. */
bool gcal_poly_is_nonnegative(struct gcal_poly_context *c, const struct gcal_poly *p);

/* ---- sums ---- */

/* p summed over atom = 0 .. trips-1 (trips >= 0); NULL when no closed form was found. */
const struct gcal_poly *gcal_poly_sum(struct gcal_poly_context *c,
                                      const struct gcal_poly *p, unsigned atom,
                                      const struct gcal_poly *trips);

/* After how many steps of 'atom' all floors in p repeat; 0 when they do not, or late. */
int64_t gcal_poly_period(struct gcal_poly_context *c, const struct gcal_poly *p,
                         unsigned atom);

/* ---- text ---- */

/* "1/16*n^3-floor(n/3)": what calib/model/expr.h reads.  In the context's memory. */
const char *gcal_poly_text(struct gcal_poly_context *c, const struct gcal_poly *p);
/* Such text in integers, where '/' is the floor of a quotient as NDRanges use it, but
 * exact within floor() and ceil(); every name is a parameter.  NULL with 'err'.
 */
const struct gcal_poly *gcal_poly_parse(struct gcal_poly_context *c, const char *text,
                                        struct gcal_error *err);
/* Calls 'visit' for every parameter that p's text names. */
void gcal_poly_visit_parameters(struct gcal_poly_context *c, const struct gcal_poly *p,
                                void (*visit)(const char *name, void *data), void *data);
/* The same for every parameter there is. */
void gcal_poly_visit_all_parameters(struct gcal_poly_context *c,
                                    void (*visit)(const char *name, void *data),
                                    void *data);
/* The name of the parameter when p is a parameter plus a number; else NULL. */
const char *gcal_poly_shifted_parameter(struct gcal_poly_context *c,
                                        const struct gcal_poly *p, int64_t *shift);

#endif
