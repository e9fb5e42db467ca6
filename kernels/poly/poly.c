/* poly.c - contexts, terms and arithmetic */
#include "kernels/poly/poly.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/poly/private.h"

/* A kernel takes some thousands of steps, of some 50 bytes each; the limits end sums that
 * would take minutes.  Attempts leave a share to what comes after them.
 */
enum {
    MAX_STEPS = 3000000,
    MAX_BYTES = 160000000,
    KEPT_SHARE = 6,
    MAX_TERMS = 20000,
    BLOCK_BYTES = 65536
};

struct block {
    struct block *next;
    size_t used, size;
    _Alignas(16) char data[];
};

static const char too_long[] = "the count needs too many steps: give more sizes as "
                               "numbers, or assume more about them";

const struct gcal_poly gcal_poly_zero = { .n_terms = 0 };
const struct gcal_poly gcal_poly_failed = { .n_terms = 0 };
const char gcal_poly_too_large[] = "its coefficients need more than 64 bits";
const char gcal_poly_too_long[] = "its polynomials have too many terms or factors";

/* ---- context ---- */

struct gcal_poly_context *gcal_poly_context_create(struct gcal_error *err)
{
    struct gcal_poly_context *c = calloc(1, sizeof(*c));

    if (!c)
        gcal_error_memory(err);
    else
        c->left = (struct gcal_poly_budget){ MAX_STEPS, MAX_BYTES };
    return c;
}

void gcal_poly_context_divide_budget(struct gcal_poly_context *c, long divisor)
{
    c->divisor = divisor;
    c->left.steps /= divisor;
    c->left.bytes /= divisor;
}

void gcal_poly_context_destroy(struct gcal_poly_context *c)
{
    if (!c)
        return;
    for (struct block *next, *block = c->blocks; block; block = next) {
        next = block->next;
        free(block);
    }
    free(c->atoms);
    free(c);
}

void gcal_poly_fail(struct gcal_poly_context *c, const char *why)
{
    if (!c->failed)
        c->failed = why;
}

bool gcal_poly_forgive_size(struct gcal_poly_context *c)
{
    if (c->failed != gcal_poly_too_large && c->failed != gcal_poly_too_long)
        return false;
    c->failed = NULL;
    return true;
}

bool gcal_poly_context_has_failed(const struct gcal_poly_context *c)
{
    return c->failed;
}

int gcal_poly_context_check(const struct gcal_poly_context *c, struct gcal_error *err)
{
    if (!c->failed)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT, "cannot be counted exactly: %s", c->failed);
}

/* What an attempt may use of 'left', of which a share of 'most' is kept. */
static long share(const struct gcal_poly_context *c, long left, long most)
{
    return left - most / (c->divisor ? c->divisor : 1) / KEPT_SHARE;
}

bool gcal_poly_may_attempt(const struct gcal_poly_context *c)
{
    return !c->failed && share(c, c->left.steps, MAX_STEPS) > 0 &&
           share(c, c->left.bytes, MAX_BYTES) > 0;
}

bool gcal_poly_begin_attempt(struct gcal_poly_context *c, long steps)
{
    struct gcal_poly_budget given = { share(c, c->left.steps, MAX_STEPS),
                                      share(c, c->left.bytes, MAX_BYTES) };

    if (c->failed || given.steps <= 0 || given.bytes <= 0)
        return false;
    given.steps = given.steps < steps ? given.steps : steps;
    c->begun = gcal_poly_mark(c);
    c->kept = (struct gcal_poly_budget){ c->left.steps - given.steps,
                                         c->left.bytes - given.bytes };
    c->left = given;
    return true;
}

bool gcal_poly_end_attempt(struct gcal_poly_context *c)
{
    bool failed = c->failed;

    c->left.steps = c->kept.steps + (c->left.steps > 0 ? c->left.steps : 0);
    c->left.bytes = c->kept.bytes + (c->left.bytes > 0 ? c->left.bytes : 0);
    c->failed = NULL;
    return failed;
}

long gcal_poly_begin_proof(struct gcal_poly_context *c, long steps)
{
    long kept = c->left.steps > steps ? c->left.steps - steps : 0;

    c->left.steps -= kept;
    return kept;
}

void gcal_poly_end_proof(struct gcal_poly_context *c, long kept)
{
    if (kept && c->failed == too_long && c->left.steps < 0) {
        c->failed = NULL;
        c->left.steps = 0;
    }
    c->left.steps += kept;
}

struct gcal_poly_mark gcal_poly_mark(const struct gcal_poly_context *c)
{
    return (struct gcal_poly_mark){ c->blocks, c->blocks ? c->blocks->used : 0,
                                    c->n_atoms, c->n_shared, c->left.bytes };
}

/* With AddressSanitizer, what has been freed by a rewind is an error to use. */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define FORBID(data, size) ASAN_POISON_MEMORY_REGION(data, size)
#define PERMIT(data, size) ASAN_UNPOISON_MEMORY_REGION(data, size)
#endif
#endif
#ifndef FORBID
#define FORBID(data, size) ((void)(data), (void)(size))
#define PERMIT(data, size) ((void)(data), (void)(size))
#endif

void gcal_poly_rewind(struct gcal_poly_context *c, const struct gcal_poly_mark *mark)
{
    while (c->blocks != mark->block) {
        struct block *newer = c->blocks;

        c->blocks = newer->next;
        free(newer);
    }
    if (c->blocks) {
        FORBID(c->blocks->data + mark->used, c->blocks->used - mark->used);
        c->blocks->used = mark->used;
    }
    c->n_atoms = mark->n_atoms;
    c->n_shared = mark->n_shared;
    c->left.bytes = mark->bytes;
}

void gcal_poly_rewind_failure(struct gcal_poly_context *c,
                              const struct gcal_poly_mark *mark)
{
    long least = MAX_STEPS / (c->divisor ? c->divisor : 1) / KEPT_SHARE / 2;

    gcal_poly_rewind(c, mark);
    c->failed = NULL;
    c->left.steps = c->left.steps > least ? c->left.steps : least;
}

void gcal_poly_discard_attempt(struct gcal_poly_context *c)
{
    gcal_poly_end_attempt(c);
    gcal_poly_rewind(c, &c->begun);
}

void *gcal_poly_alloc(struct gcal_poly_context *c, size_t size)
{
    struct block *block = c->blocks;
    void *data;

    size = (size + 15) & ~(size_t)15;
    if (size > MAX_BYTES || (c->left.bytes -= (long)size) < 0) {
        gcal_poly_fail(c, too_long);
        return NULL;
    }
    if (!block || block->size - block->used < size) {
        size_t room = size > BLOCK_BYTES ? size : BLOCK_BYTES;

        if (!(block = malloc(sizeof(*block) + room))) {
            gcal_poly_fail(c, "out of memory");
            return NULL;
        }
        *block = (struct block){ .next = c->blocks, .size = room };
        c->blocks = block;
    }
    data = block->data + block->used;
    block->used += size;
    PERMIT(data, size);
    return data;
}

const char *gcal_poly_format(struct gcal_poly_context *c, const char *fmt, ...)
{
    va_list args, again;
    char *text;
    int length;

    va_start(args, fmt);
    va_copy(again, args);
    length = vsnprintf(NULL, 0, fmt, args);
    if ((text = length < 0 ? NULL : gcal_poly_alloc(c, (size_t)length + 1)))
        vsnprintf(text, (size_t)length + 1, fmt, again);
    va_end(again);
    va_end(args);
    return text ? text : "";
}

/* ---- rational numbers ---- */

int64_t gcal_poly_gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* Sets the coefficient to num/den in lowest terms. */
static void set_rational(struct gcal_poly_context *c, struct gcal_poly_term *term,
                         __int128 num, __int128 den)
{
    __int128 a = num < 0 ? -num : num, b = den < 0 ? -den : den;

    while (b) {
        __int128 rest = a % b;

        a = b;
        b = rest;
    }
    if (a > 1) {
        num /= a;
        den /= a;
    }
    if (den < 0) {
        num = -num;
        den = -den;
    }
    if (num > INT64_MAX || num < -INT64_MAX || den > INT64_MAX) {
        gcal_poly_fail(c, gcal_poly_too_large);
        num = 0;
        den = 1;
    }
    term->num = (int64_t)num;
    term->den = (int64_t)den;
}

/* ---- terms ---- */

static unsigned term_degree(const struct gcal_poly_term *t)
{
    unsigned degree = 0;

    for (size_t i = 0; i < t->n_factors; i++)
        degree += t->factors[i].power;
    return degree;
}

/* The order of terms: by falling degree, then by atoms and falling powers. */
static int compare_monomials(const struct gcal_poly_term *a,
                             const struct gcal_poly_term *b)
{
    unsigned da = term_degree(a), db = term_degree(b);

    if (da != db)
        return da > db ? -1 : 1;
    for (size_t i = 0; i < a->n_factors && i < b->n_factors; i++) {
        if (a->factors[i].atom != b->factors[i].atom)
            return a->factors[i].atom < b->factors[i].atom ? -1 : 1;
        if (a->factors[i].power != b->factors[i].power)
            return a->factors[i].power > b->factors[i].power ? -1 : 1;
    }
    return (a->n_factors > b->n_factors) - (a->n_factors < b->n_factors);
}

static int compare_terms(const void *a, const void *b)
{
    return compare_monomials(a, b);
}

static void multiply_terms(struct gcal_poly_context *c, const struct gcal_poly_term *a,
                           const struct gcal_poly_term *b, struct gcal_poly_term *out)
{
    size_t i = 0, j = 0;

    out->n_factors = 0;
    set_rational(c, out, (__int128)a->num * b->num, (__int128)a->den * b->den);
    while (i < a->n_factors || j < b->n_factors) {
        struct gcal_poly_factor f;

        if (j == b->n_factors ||
            (i < a->n_factors && a->factors[i].atom < b->factors[j].atom)) {
            f = a->factors[i++];
        } else if (i == a->n_factors || b->factors[j].atom < a->factors[i].atom) {
            f = b->factors[j++];
        } else {
            f = a->factors[i++];
            f.power = (uint16_t)(f.power + b->factors[j++].power);
            if (c->atoms[f.atom].kind == GCAL_POLY_ATOM_STEP) /* 0*0 is 0, 1*1 is 1 */
                f.power = 1;
        }
        if (out->n_factors == GCAL_POLY_MAX_FACTORS || f.power > 1000) {
            gcal_poly_fail(c, gcal_poly_too_long);
            return;
        }
        out->factors[out->n_factors++] = f;
    }
}

struct gcal_poly *gcal_poly_new(struct gcal_poly_context *c, size_t n_terms)
{
    struct gcal_poly *p;

    if (c->failed)
        return NULL;
    if (n_terms > MAX_TERMS) {
        gcal_poly_fail(c, gcal_poly_too_long);
        return NULL;
    }
    c->left.steps -= (long)n_terms + 1;
    if (c->left.steps < 0) {
        gcal_poly_fail(c, too_long);
        return NULL;
    }
    p = gcal_poly_alloc(c, sizeof(*p) + n_terms * sizeof(p->terms[0]));
    if (p)
        p->n_terms = n_terms;
    return p;
}

/* Sorts terms, adds those of equal monomials and drops zeros. */
static const struct gcal_poly *normalise(struct gcal_poly_context *c, struct gcal_poly *p)
{
    size_t n = 0;

    qsort(p->terms, p->n_terms, sizeof(p->terms[0]), compare_terms);
    for (size_t i = 0; i < p->n_terms; i++) {
        struct gcal_poly_term *last = n ? &p->terms[n - 1] : NULL;
        const struct gcal_poly_term *t = &p->terms[i];

        if (last && compare_monomials(last, t) == 0)
            set_rational(c, last,
                         (__int128)last->num * t->den + (__int128)t->num * last->den,
                         (__int128)last->den * t->den);
        else if (t->num)
            p->terms[n++] = *t;
        if (n && p->terms[n - 1].num == 0)
            n--;
    }
    p->n_terms = n;
    return p;
}

/* ---- arithmetic ---- */

const struct gcal_poly *gcal_poly_rational(struct gcal_poly_context *c, int64_t num,
                                           int64_t den)
{
    struct gcal_poly *p;

    if (num == 0 && !c->failed)
        return &gcal_poly_zero;
    if (!(p = gcal_poly_new(c, 1)))
        return &gcal_poly_failed;
    p->terms[0].n_factors = 0;
    set_rational(c, &p->terms[0], num, den);
    return p;
}

const struct gcal_poly *gcal_poly_integer(struct gcal_poly_context *c, int64_t value)
{
    return gcal_poly_rational(c, value, 1);
}

const struct gcal_poly *gcal_poly_from_atom(struct gcal_poly_context *c, unsigned atom)
{
    struct gcal_poly *p = gcal_poly_new(c, 1);

    if (!p)
        return &gcal_poly_failed;
    p->terms[0] = (struct gcal_poly_term){ 1, 1, 1, { { (uint16_t)atom, 1 } } };
    return p;
}

const struct gcal_poly *gcal_poly_add(struct gcal_poly_context *c,
                                      const struct gcal_poly *a,
                                      const struct gcal_poly *b)
{
    struct gcal_poly *p;

    if ((!a->n_terms || !b->n_terms) && !c->failed)
        return a->n_terms ? a : b;
    if (!(p = gcal_poly_new(c, a->n_terms + b->n_terms)))
        return &gcal_poly_failed;
    memcpy(p->terms, a->terms, a->n_terms * sizeof(a->terms[0]));
    memcpy(p->terms + a->n_terms, b->terms, b->n_terms * sizeof(b->terms[0]));
    return normalise(c, p);
}

const struct gcal_poly *gcal_poly_scale(struct gcal_poly_context *c,
                                        const struct gcal_poly *a, int64_t num,
                                        int64_t den)
{
    return gcal_poly_mul(c, a, gcal_poly_rational(c, num, den));
}

const struct gcal_poly *gcal_poly_sub(struct gcal_poly_context *c,
                                      const struct gcal_poly *a,
                                      const struct gcal_poly *b)
{
    return gcal_poly_add(c, a, gcal_poly_scale(c, b, -1, 1));
}

const struct gcal_poly *gcal_poly_mul(struct gcal_poly_context *c,
                                      const struct gcal_poly *a,
                                      const struct gcal_poly *b)
{
    struct gcal_poly *p;

    if ((!a->n_terms || !b->n_terms) && !c->failed)
        return &gcal_poly_zero;
    if (!(p = gcal_poly_new(c, a->n_terms * b->n_terms)))
        return &gcal_poly_failed;
    for (size_t i = 0; i < a->n_terms; i++)
        for (size_t j = 0; j < b->n_terms; j++)
            multiply_terms(c, &a->terms[i], &b->terms[j], &p->terms[i * b->n_terms + j]);
    return c->failed ? &gcal_poly_failed : normalise(c, p);
}

bool gcal_poly_term_divide(struct gcal_poly_context *c, const struct gcal_poly_term *a,
                           const struct gcal_poly_term *b, struct gcal_poly_term *out)
{
    size_t j = 0;

    out->n_factors = 0;
    set_rational(c, out, (__int128)a->num * b->den, (__int128)a->den * b->num);
    for (size_t i = 0; i < a->n_factors; i++) {
        struct gcal_poly_factor f = a->factors[i];

        if (j < b->n_factors && b->factors[j].atom == f.atom) {
            if (f.power < b->factors[j].power)
                return false;
            f.power = (uint16_t)(f.power - b->factors[j++].power);
        }
        if (f.power)
            out->factors[out->n_factors++] = f;
    }
    return j == b->n_factors;
}

/* Long division by leading terms: products keep the order of terms. */
const struct gcal_poly *gcal_poly_divide(struct gcal_poly_context *c,
                                         const struct gcal_poly *a,
                                         const struct gcal_poly *b)
{
    const struct gcal_poly *quotient = &gcal_poly_zero;

    while (a->n_terms && b->n_terms && !c->failed) {
        struct gcal_poly *step = gcal_poly_new(c, 1);

        if (!step ||
            !gcal_poly_term_divide(c, &a->terms[0], &b->terms[0], &step->terms[0]))
            return NULL;
        quotient = gcal_poly_add(c, quotient, step);
        a = gcal_poly_sub(c, a, gcal_poly_mul(c, step, b));
    }
    return b->n_terms && !c->failed ? quotient : NULL;
}

const struct gcal_poly *gcal_poly_coefficient(struct gcal_poly_context *c,
                                              const struct gcal_poly *p, unsigned atom,
                                              unsigned power)
{
    struct gcal_poly *q = gcal_poly_new(c, p->n_terms);
    size_t n = 0;

    if (!q)
        return &gcal_poly_failed;
    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_poly_term *t = &p->terms[i];
        struct gcal_poly_term *out = &q->terms[n];
        unsigned found = 0;

        *out = *t;
        out->n_factors = 0;
        for (size_t j = 0; j < t->n_factors; j++) {
            if (t->factors[j].atom == atom)
                found = t->factors[j].power;
            else
                out->factors[out->n_factors++] = t->factors[j];
        }
        n += found == power;
    }
    q->n_terms = n;
    return normalise(c, q);
}

bool gcal_poly_operands_contain(const struct gcal_poly_context *c, unsigned in,
                                unsigned atom)
{
    const struct gcal_poly_entry *a = &c->atoms[in];

    return a->kind >= GCAL_POLY_ATOM_FLOOR &&
           (gcal_poly_contains(c, a->a, atom) ||
            (a->b && gcal_poly_contains(c, a->b, atom)));
}

/* The atom 'in' with 'value' for 'atom'. */
static const struct gcal_poly *substitute_in_atom(struct gcal_poly_context *c,
                                                  unsigned in, unsigned atom,
                                                  const struct gcal_poly *value)
{
    struct gcal_poly_entry x = c->atoms[in];
    const struct gcal_poly *a, *b;

    if (in == atom)
        return value;
    if (!gcal_poly_operands_contain(c, in, atom))
        return gcal_poly_from_atom(c, in);
    b = x.b ? gcal_poly_substitute(c, x.b, atom, value) : NULL;
    a = gcal_poly_substitute(c, x.a, atom, value);
    switch (x.kind) {
    case GCAL_POLY_ATOM_FLOOR:
        return x.k == 1 ? gcal_poly_unexpanded(c, a) : gcal_poly_floor(c, a, x.k);
    case GCAL_POLY_ATOM_QUOTIENT:
        return gcal_poly_floor_quotient(c, a, b);
    case GCAL_POLY_ATOM_STEP:
        return gcal_poly_step(c, a);
    case GCAL_POLY_ATOM_MIN:
        return gcal_poly_min(c, a, b);
    case GCAL_POLY_ATOM_LOG2:
        return gcal_poly_floor_log2(c, a);
    case GCAL_POLY_ATOM_POWER:
        return gcal_poly_power(c, a);
    default:
        return gcal_poly_max(c, a, b);
    }
}

const struct gcal_poly *gcal_poly_substitute(struct gcal_poly_context *c,
                                             const struct gcal_poly *p, unsigned atom,
                                             const struct gcal_poly *value)
{
    const struct gcal_poly *sum = &gcal_poly_zero;

    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_poly_term *t = &p->terms[i];
        const struct gcal_poly *product = gcal_poly_rational(c, t->num, t->den);

        for (size_t j = 0; j < t->n_factors && !c->failed; j++) {
            const struct gcal_poly *factor =
                substitute_in_atom(c, t->factors[j].atom, atom, value);

            for (unsigned k = 0; k < t->factors[j].power && !c->failed; k++)
                product = gcal_poly_mul(c, product, factor);
        }
        sum = gcal_poly_add(c, sum, product);
    }
    return c->failed ? &gcal_poly_failed : sum;
}

const struct gcal_poly *gcal_poly_expanded(struct gcal_poly_context *c,
                                           const struct gcal_poly *p)
{
    for (size_t i = 0; i < p->n_terms && !c->failed; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++) {
            unsigned atom = p->terms[i].factors[j].atom;
            struct gcal_poly_entry a = c->atoms[atom];

            if (a.kind == GCAL_POLY_ATOM_FLOOR && a.k == 1)
                return gcal_poly_expanded(c, gcal_poly_substitute(c, p, atom, a.a));
        }
    return p;
}

/* ---- queries ---- */

bool gcal_poly_is_constant(const struct gcal_poly *p, int64_t *value)
{
    if (p == &gcal_poly_failed || p->n_terms > 1 ||
        (p->n_terms == 1 && (p->terms[0].n_factors || p->terms[0].den != 1)))
        return false;
    *value = p->n_terms ? p->terms[0].num : 0;
    return true;
}

bool gcal_poly_is_multiple(const struct gcal_poly *p, int64_t number)
{
    for (size_t i = 0; i < p->n_terms; i++)
        if (p->terms[i].den != 1 || p->terms[i].num % number)
            return false;
    return true;
}

bool gcal_poly_is_integral(const struct gcal_poly *p)
{
    return gcal_poly_is_multiple(p, 1);
}

bool gcal_poly_is_size(const struct gcal_poly_context *c, const struct gcal_poly *p)
{
    return p->n_terms == 1 && p->terms[0].num > 0 && p->terms[0].n_factors &&
           !gcal_poly_has_dimension(c, p);
}

int64_t gcal_poly_denominator(const struct gcal_poly *p)
{
    int64_t den = 1;

    for (size_t i = 0; i < p->n_terms; i++) {
        int64_t of_term = p->terms[i].den;

        /* Nearly all are 1, and this is asked for each lane of each access. */
        if (of_term != 1 &&
            __builtin_mul_overflow(den, of_term / gcal_poly_gcd(den, of_term), &den))
            return 0;
    }
    return den;
}

bool gcal_poly_equal(const struct gcal_poly *a, const struct gcal_poly *b)
{
    if (a->n_terms != b->n_terms)
        return false;
    for (size_t i = 0; i < a->n_terms; i++)
        if (a->terms[i].num != b->terms[i].num || a->terms[i].den != b->terms[i].den ||
            compare_monomials(&a->terms[i], &b->terms[i]) != 0)
            return false;
    return true;
}

bool gcal_poly_is_piecewise(const struct gcal_poly_context *c, const struct gcal_poly *p)
{
    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++)
            if (c->atoms[p->terms[i].factors[j].atom].kind >= GCAL_POLY_ATOM_FLOOR)
                return true;
    return false;
}

unsigned gcal_poly_degree(const struct gcal_poly *p, unsigned atom)
{
    unsigned degree = 0;

    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++)
            if (p->terms[i].factors[j].atom == atom &&
                p->terms[i].factors[j].power > degree)
                degree = p->terms[i].factors[j].power;
    return degree;
}

bool gcal_poly_contains_nested(const struct gcal_poly_context *c,
                               const struct gcal_poly *p, unsigned atom)
{
    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++) {
            if (gcal_poly_operands_contain(c, p->terms[i].factors[j].atom, atom))
                return true;
        }
    return false;
}

bool gcal_poly_contains(const struct gcal_poly_context *c, const struct gcal_poly *p,
                        unsigned atom)
{
    return gcal_poly_degree(p, atom) > 0 || gcal_poly_contains_nested(c, p, atom);
}

bool gcal_poly_atom_has_dimension(const struct gcal_poly_context *c, unsigned atom)
{
    return c->atoms[atom].has_dimension;
}

bool gcal_poly_has_dimension(const struct gcal_poly_context *c, const struct gcal_poly *p)
{
    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++)
            if (gcal_poly_atom_has_dimension(c, p->terms[i].factors[j].atom))
                return true;
    return false;
}
