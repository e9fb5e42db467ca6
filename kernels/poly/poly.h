/* poly.h - exact polynomials in sizes and loop variables
 *
 * Counts, subscripts and trip counts are polynomials with rational coefficients over
 * atoms: size parameters, dimensions (loop variables and work-item ids), and floor(p/k),
 * floor(p/q), step(p), min(p, q), max(p, q), floor(log2(p)), 2^p of other polynomials
 * (piecewise quasi-polynomials).  Every atom is an integer.
 *
 * Polynomials are immutable and live as long as their context, so nothing is freed one
 * by one.  The context keeps the first failure (memory, a coefficient beyond 64 bits, too
 * many steps).  From then on all arithmetic gives a polynomial without terms that is not
 * constant either, and nothing is proven, so that a caller may go on and call
 * gcal_poly_context_check() once before it uses the results.  One thread per context.
 */
#ifndef GCAL_KERNELS_POLY_H
#define GCAL_KERNELS_POLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gcal_error;
struct gcal_poly_context;

enum { GCAL_POLY_MAX_FACTORS = 10 };

struct gcal_poly_factor {
    uint16_t atom, power;
};

struct gcal_poly_term {
    int64_t num, den; /* the coefficient: den > 0, no common divisor */
    size_t n_factors;
    struct gcal_poly_factor factors[GCAL_POLY_MAX_FACTORS]; /* by rising atom */
};

struct gcal_poly {
    size_t n_terms;                /* 0: the polynomial 0 */
    struct gcal_poly_term terms[]; /* by falling degree, distinct, none 0 */
};

/* ---- context ---- */

struct gcal_poly_context *gcal_poly_context_create(struct gcal_error *err);
void gcal_poly_context_destroy(struct gcal_poly_context *c);

/* Keeps 'why', a string literal, unless the context has failed before. */
void gcal_poly_fail(struct gcal_poly_context *c, const char *why);
bool gcal_poly_context_has_failed(const struct gcal_poly_context *c);
/* Clears a failure because a number, or a product, was too large, and returns whether there
 * was one: for a caller that can go on without the one value of its last call.
 */
bool gcal_poly_forgive_size(struct gcal_poly_context *c);
/* 0, or -1 with 'err' (GCAL_EINPUT) when the context has failed. */
int gcal_poly_context_check(const struct gcal_poly_context *c, struct gcal_error *err);

/* For tests: only a share of what a context may use. */
void gcal_poly_context_divide_budget(struct gcal_poly_context *c, long divisor);

/* An attempt may use at most 'steps' and may fail: its failure is cleared at its end,
 * which returns whether it failed.  It leaves enough for texts and short sums after it;
 * false when no more than that is left, or the context has failed.  Attempts do not nest.
 */
bool gcal_poly_begin_attempt(struct gcal_poly_context *c, long steps);
bool gcal_poly_end_attempt(struct gcal_poly_context *c);
/* What a context has made so far; and back to it: frees all that it has made since, none of
 * which is in use.  A mark within an attempt is of that attempt alone.
 */
struct gcal_poly_mark {
    const void *block;
    size_t used, n_atoms;
    unsigned n_shared;
    long bytes; /* left */
};
struct gcal_poly_mark gcal_poly_mark(const struct gcal_poly_context *c);
void gcal_poly_rewind(struct gcal_poly_context *c, const struct gcal_poly_mark *mark);
/* The same, and clears a failure since; a few steps are left then, so that texts and short
 * sums can follow.
 */
void gcal_poly_rewind_failure(struct gcal_poly_context *c,
                              const struct gcal_poly_mark *mark);
/* Ends an attempt of which nothing is in use, not even after success: frees all. */
void gcal_poly_discard_attempt(struct gcal_poly_context *c);
/* Returns whether an attempt could begin: more than the share that is kept from attempts is left.
 */
bool gcal_poly_may_attempt(const struct gcal_poly_context *c);

/* Memory of the context; NULL when it fails. */
void *gcal_poly_alloc(struct gcal_poly_context *c, size_t size);
/* sprintf() into memory of the context; never NULL. */
const char *gcal_poly_format(struct gcal_poly_context *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- atoms ---- */

enum gcal_poly_atom_kind {
    GCAL_POLY_ATOM_PARAMETER,
    GCAL_POLY_ATOM_DIMENSION,
    GCAL_POLY_ATOM_FLOOR, /* this kind and those below are made of polynomials */
    GCAL_POLY_ATOM_QUOTIENT,
    GCAL_POLY_ATOM_STEP,
    GCAL_POLY_ATOM_MIN,
    GCAL_POLY_ATOM_MAX,
    GCAL_POLY_ATOM_LOG2, /* floor(log2(a)), a >= 1 */
    GCAL_POLY_ATOM_POWER /* 2^a, a >= 0 */
};

struct gcal_poly_atom {
    enum gcal_poly_atom_kind kind;
    /* floor, quotient: numerator; step, min, max, log2: operand; power: exponent; dimension: its last value, or
     * NULL when that is unknown
     */
    const struct gcal_poly *a;
    const struct gcal_poly *b; /* min, max: operand; quotient: divisor; else NULL */
    int64_t k;                 /* floor: divisor; 1 keeps a polynomial unexpanded */
};

/* The size parameter of that name, an integer of at least 0, made when it is new.  Under
 * an assumption about its remainder it is a polynomial in a hidden parameter.
 */
const struct gcal_poly *gcal_poly_parameter(struct gcal_poly_context *c,
                                            const char *name);

/* A new dimension 0 <= v <= last; NULL 'last': of unknown range. */
const struct gcal_poly *gcal_poly_dimension(struct gcal_poly_context *c, const char *name,
                                            const struct gcal_poly *last);
/* Number 'i' of the unnamed dimensions of unknown range that all callers share. */
const struct gcal_poly *gcal_poly_shared_dimension(struct gcal_poly_context *c,
                                                   unsigned i);

struct gcal_poly_atom gcal_poly_get_atom(const struct gcal_poly_context *c,
                                         unsigned atom);
/* Of a parameter or dimension. */
const char *gcal_poly_atom_name(const struct gcal_poly_context *c, unsigned atom);
/* The atom as a polynomial, and the atom of such a polynomial. */
const struct gcal_poly *gcal_poly_from_atom(struct gcal_poly_context *c, unsigned atom);
unsigned gcal_poly_atom_index(const struct gcal_poly *p);

/* ---- assumptions ---- */

/* 'text' as in "n % 16 = 0 and n >= 16 and n > p", read before any of its parameters is
 * used.  -1 with 'err' (GCAL_EINPUT) when it does not parse or contradicts itself.
 */
int gcal_poly_assume(struct gcal_poly_context *c, const char *text,
                     struct gcal_error *err);
/* p >= 0; false when there are too many assumptions. */
bool gcal_poly_assume_nonnegative(struct gcal_poly_context *c, const struct gcal_poly *p);
/* The polynomials assumed nonnegative, '*n' of them. */
const struct gcal_poly *const *gcal_poly_facts(const struct gcal_poly_context *c,
                                               size_t *n);

/* ---- arithmetic ---- */

int64_t gcal_poly_gcd(int64_t a, int64_t b);
/* floor(a/b), for b > 0 */
static inline int64_t gcal_poly_floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}
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
/* a * num/den */
const struct gcal_poly *gcal_poly_scale(struct gcal_poly_context *c,
                                        const struct gcal_poly *a, int64_t num,
                                        int64_t den);
/* floor(p/k), k > 0 */
const struct gcal_poly *gcal_poly_floor(struct gcal_poly_context *c,
                                        const struct gcal_poly *p, int64_t k);
/* floor(p/q), for q >= 1 without dimensions */
const struct gcal_poly *gcal_poly_floor_quotient(struct gcal_poly_context *c,
                                                 const struct gcal_poly *p,
                                                 const struct gcal_poly *q);
const struct gcal_poly *gcal_poly_min(struct gcal_poly_context *c,
                                      const struct gcal_poly *a,
                                      const struct gcal_poly *b);
const struct gcal_poly *gcal_poly_max(struct gcal_poly_context *c,
                                      const struct gcal_poly *a,
                                      const struct gcal_poly *b);
/* 1 where p >= 0, else 0. */
const struct gcal_poly *gcal_poly_step(struct gcal_poly_context *c,
                                       const struct gcal_poly *p);
/* floor(log2(p)), for p >= 1 */
const struct gcal_poly *gcal_poly_floor_log2(struct gcal_poly_context *c,
                                             const struct gcal_poly *p);
/* The number of binary digits of p: 0 where p < 1, else floor(log2(p)) + 1. */
const struct gcal_poly *gcal_poly_digits(struct gcal_poly_context *c,
                                         const struct gcal_poly *p);
/* 2^p, for p >= 0 */
const struct gcal_poly *gcal_poly_power(struct gcal_poly_context *c,
                                        const struct gcal_poly *p);
/* The q of p = 2^q when p is such a number or power; NULL otherwise. */
const struct gcal_poly *gcal_poly_exponent(struct gcal_poly_context *c,
                                           const struct gcal_poly *p);
/* a/b when that is a polynomial; NULL otherwise. */
const struct gcal_poly *gcal_poly_divide(struct gcal_poly_context *c,
                                         const struct gcal_poly *a,
                                         const struct gcal_poly *b);
/* p = q*whole + rest, term by term; all of p is rest unless q is a single term. */
void gcal_poly_divmod(struct gcal_poly_context *c, const struct gcal_poly *p,
                      const struct gcal_poly *q, const struct gcal_poly **whole,
                      const struct gcal_poly **rest);
/* An integer-valued p as one factor, which products do not expand. */
const struct gcal_poly *gcal_poly_unexpanded(struct gcal_poly_context *c,
                                             const struct gcal_poly *p);
/* A polynomial of the same value, which has minima and maxima in place of steps where
 * pieces agree at their common edge.  Not during an attempt.
 */
const struct gcal_poly *gcal_poly_tidy(struct gcal_poly_context *c,
                                       const struct gcal_poly *p);
/* p with all factors multiplied that gcal_poly_unexpanded() kept. */
const struct gcal_poly *gcal_poly_expanded(struct gcal_poly_context *c,
                                           const struct gcal_poly *p);
/* p with 'value' for 'atom', inside other atoms too. */
const struct gcal_poly *gcal_poly_substitute(struct gcal_poly_context *c,
                                             const struct gcal_poly *p, unsigned atom,
                                             const struct gcal_poly *value);

/* ---- queries ---- */

bool gcal_poly_is_constant(const struct gcal_poly *p, int64_t *value); /* an integer */
bool gcal_poly_is_integral(const struct gcal_poly *p); /* all coefficients are integers */
/* Returns whether all coefficients are multiples of 'number'. */
bool gcal_poly_is_multiple(const struct gcal_poly *p, int64_t number);
/* A product of sizes, which as a divisor, or as what a loop steps by, is at least 1. */
bool gcal_poly_is_size(const struct gcal_poly_context *c, const struct gcal_poly *p);
bool gcal_poly_equal(const struct gcal_poly *a, const struct gcal_poly *b);
/* The common denominator of all coefficients; 0 when it overflows. */
int64_t gcal_poly_denominator(const struct gcal_poly *p);
/* Returns whether 'atom' is in p: anywhere, or inside other atoms only. */
bool gcal_poly_contains(const struct gcal_poly_context *c, const struct gcal_poly *p,
                        unsigned atom);
bool gcal_poly_contains_nested(const struct gcal_poly_context *c,
                               const struct gcal_poly *p, unsigned atom);
/* The same for what the atom 'in' is made of. */
bool gcal_poly_operands_contain(const struct gcal_poly_context *c, unsigned in,
                                unsigned atom);
bool gcal_poly_has_dimension(const struct gcal_poly_context *c,
                             const struct gcal_poly *p);
/* Returns whether an atom is a dimension or contains one. */
bool gcal_poly_atom_has_dimension(const struct gcal_poly_context *c, unsigned atom);
/* Returns whether p has floors, quotients, steps, minima or maxima. */
bool gcal_poly_is_piecewise(const struct gcal_poly_context *c, const struct gcal_poly *p);
/* The coefficient of atom^power in p. */
const struct gcal_poly *gcal_poly_coefficient(struct gcal_poly_context *c,
                                              const struct gcal_poly *p, unsigned atom,
                                              unsigned power);
unsigned gcal_poly_degree(const struct gcal_poly *p, unsigned atom);

/* Returns whether an integer-valued p is proven nonnegative; false is no disproof. */
bool gcal_poly_is_nonnegative(struct gcal_poly_context *c, const struct gcal_poly *p);
/* The value of a size at the first of some typical points that agree with all assumptions. */
bool gcal_poly_typical_size(const struct gcal_poly_context *c, unsigned atom,
                            int64_t *value);
/* Of a and b, the one that is less at most of some typical sizes. */
const struct gcal_poly *gcal_poly_mostly_less(const struct gcal_poly_context *c,
                                              const struct gcal_poly *a,
                                              const struct gcal_poly *b);
/* Returns whether an integer-valued p is proven nonnegative wherever 'given' >= 0. */
bool gcal_poly_is_nonnegative_given(struct gcal_poly_context *c,
                                    const struct gcal_poly *given,
                                    const struct gcal_poly *p);

/* ---- sums ---- */

/* The sum of p over atom = 0 .. trips-1, for trips >= 0; NULL: no closed form found. */
const struct gcal_poly *gcal_poly_sum(struct gcal_poly_context *c,
                                      const struct gcal_poly *p, unsigned atom,
                                      const struct gcal_poly *trips);
/* The same, or an estimate where p has quotients by sizes. */
const struct gcal_poly *gcal_poly_sum_near(struct gcal_poly_context *c,
                                           const struct gcal_poly *p, unsigned atom,
                                           const struct gcal_poly *trips,
                                           bool *estimated);
/* The period of all floors of p in 'atom'; 0 when they have none, or a long one. */
int64_t gcal_poly_period(const struct gcal_poly_context *c, const struct gcal_poly *p,
                         unsigned atom);

/* ---- counts for sizes that are multiples of a block ---- */

enum { GCAL_POLY_MAX_MULTIPLES = 6 };

/* Polynomials in sizes that are assumed to be multiples of a number. */
struct gcal_poly_multiples {
    int64_t of; /* 0: none is assumed */
    size_t n;
    const struct gcal_poly *all[GCAL_POLY_MAX_MULTIPLES];
};

/* Returns whether p is assumed to be such a multiple from now on, as it may be one. */
bool gcal_poly_multiples_add(struct gcal_poly_context *c, struct gcal_poly_multiples *m,
                             const struct gcal_poly *p);
/* 'multiples' where all of them are, else 'others'. */
const struct gcal_poly *gcal_poly_multiples_choose(struct gcal_poly_context *c,
                                                   const struct gcal_poly_multiples *m,
                                                   const struct gcal_poly *multiples,
                                                   const struct gcal_poly *others);

/* ---- text ---- */

/* "1/16*n^3-floor(n/3)": kernels/model/expr.h's syntax, in memory of the context. */
const char *gcal_poly_text(struct gcal_poly_context *c, const struct gcal_poly *p);
/* Such text, of integers and parameters; exponents are at most 62.  '/' rounds down, as in NDRanges, but divides
 * exactly within floor() and ceil().  NULL with 'err' (GCAL_EINPUT).
 */
const struct gcal_poly *gcal_poly_parse(struct gcal_poly_context *c, const char *text,
                                        struct gcal_error *err);
/* Calls 'visit' for every parameter in the text of p. */
void gcal_poly_visit_parameters(struct gcal_poly_context *c, const struct gcal_poly *p,
                                void (*visit)(const char *name, void *data), void *data);
/* The first of them; NULL without. */
const char *gcal_poly_first_parameter(struct gcal_poly_context *c,
                                      const struct gcal_poly *p);
/* Calls 'visit' for every parameter of the context. */
void gcal_poly_visit_all_parameters(struct gcal_poly_context *c,
                                    void (*visit)(const char *name, void *data),
                                    void *data);
/* The name of the parameter when p is a parameter plus 'shift'; else NULL. */
const char *gcal_poly_shifted_parameter(struct gcal_poly_context *c,
                                        const struct gcal_poly *p, int64_t *shift);

#endif
