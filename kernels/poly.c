#include "kernels/poly.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "kernels/poly_private.h"

/* A kernel takes some thousands; the limit ends sums that would take minutes. */
enum { MAX_STEPS = 4000000, MAX_TERMS = 20000, BLOCK_BYTES = 65536 };

struct block {
    struct block *next;
    size_t used, size;
    _Alignas(16) char data[];
};

static const struct gcal_poly zero = { .n_terms = 0 };

/* ---- context ---- */

struct gcal_polys *gcal_polys_create(struct gcal_error *err)
{
    struct gcal_polys *c = calloc(1, sizeof(*c));

    if (!c)
        gcal_error_memory(err);
    else
        c->steps_left = MAX_STEPS;
    return c;
}

void gcal_polys_destroy(struct gcal_polys *c)
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

void gcal_polys_fail(struct gcal_polys *c, const char *why)
{
    if (!c->failed)
        c->failed = why;
}

int gcal_polys_check(const struct gcal_polys *c, struct gcal_error *err)
{
    if (!c->failed)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT, "cannot be counted exactly: %s", c->failed);
}

void gcal_polys_begin_attempt(struct gcal_polys *c, long steps)
{
    long given = c->steps_left < steps ? c->steps_left : steps;

    c->steps_after = c->steps_left - given;
    c->steps_left = given;
}

bool gcal_polys_end_attempt(struct gcal_polys *c)
{
    bool failed = c->failed;

    c->steps_left = c->steps_after + (c->steps_left > 0 ? c->steps_left : 0);
    if (c->steps_left > 0)
        c->failed = NULL;
    return failed;
}

void *gcal_polys_alloc(struct gcal_polys *c, size_t size)
{
    struct block *block = c->blocks;
    void *data;

    size = (size + 15) & ~(size_t)15;
    if (!block || block->size - block->used < size) {
        size_t room = size > BLOCK_BYTES ? size : BLOCK_BYTES;

        if (!(block = malloc(sizeof(*block) + room))) {
            gcal_polys_fail(c, "out of memory");
            return NULL;
        }
        *block = (struct block){ .next = c->blocks, .size = room };
        c->blocks = block;
    }
    data = block->data + block->used;
    block->used += size;
    return data;
}

const char *gcal_polys_format(struct gcal_polys *c, const char *fmt, ...)
{
    va_list args, again;
    char *text;
    int length;

    va_start(args, fmt);
    va_copy(again, args);
    length = vsnprintf(NULL, 0, fmt, args);
    if ((text = length < 0 ? NULL : gcal_polys_alloc(c, (size_t)length + 1)))
        vsnprintf(text, (size_t)length + 1, fmt, again);
    va_end(again);
    va_end(args);
    return text ? text : "";
}

/* ---- rational numbers ---- */

int64_t gcal_gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* num/den of 128 bits into a term, shortened. */
static void set_rational(struct gcal_polys *c, struct gcal_term *term, __int128 num,
                         __int128 den)
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
        gcal_polys_fail(c, "its coefficients need more than 64 bits");
        num = 0;
        den = 1;
    }
    term->num = (int64_t)num;
    term->den = (int64_t)den;
}

/* ---- terms ---- */

static unsigned term_degree(const struct gcal_term *t)
{
    unsigned degree = 0;

    for (size_t i = 0; i < t->n_factors; i++)
        degree += t->factors[i].power;
    return degree;
}

/* Order of terms: falling degree, then by atoms and falling powers. */
static int compare_monomials(const struct gcal_term *a, const struct gcal_term *b)
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

static void multiply_terms(struct gcal_polys *c, const struct gcal_term *a,
                           const struct gcal_term *b, struct gcal_term *out)
{
    size_t i = 0, j = 0;

    out->n_factors = 0;
    set_rational(c, out, (__int128)a->num * b->num, (__int128)a->den * b->den);
    while (i < a->n_factors || j < b->n_factors) {
        struct gcal_factor f;

        if (j == b->n_factors ||
            (i < a->n_factors && a->factors[i].atom < b->factors[j].atom)) {
            f = a->factors[i++];
        } else if (i == a->n_factors || b->factors[j].atom < a->factors[i].atom) {
            f = b->factors[j++];
        } else {
            f = a->factors[i++];
            f.power = (uint16_t)(f.power + b->factors[j++].power);
            if (c->atoms[f.atom].kind == ATOM_STEP) /* 0*0 is 0, 1*1 is 1 */
                f.power = 1;
        }
        if (out->n_factors == GCAL_POLY_FACTORS || f.power > 1000) {
            gcal_polys_fail(c, "its polynomials have too many factors");
            return;
        }
        out->factors[out->n_factors++] = f;
    }
}

static struct gcal_poly *new_poly(struct gcal_polys *c, size_t n_terms)
{
    struct gcal_poly *p;

    c->steps_left -= (long)n_terms + 1;
    if (c->steps_left < 0 || n_terms > MAX_TERMS) {
        gcal_polys_fail(c, "the count needs too many steps");
        return NULL;
    }
    p = gcal_polys_alloc(c, sizeof(*p) + n_terms * sizeof(p->terms[0]));
    if (p)
        p->n_terms = n_terms;
    return p;
}

/* Sorts, joins equal monomials, drops zeros. */
static const struct gcal_poly *normalise(struct gcal_polys *c, struct gcal_poly *p)
{
    size_t n = 0;

    qsort(p->terms, p->n_terms, sizeof(p->terms[0]), compare_terms);
    for (size_t i = 0; i < p->n_terms; i++) {
        struct gcal_term *last = n ? &p->terms[n - 1] : NULL;
        const struct gcal_term *t = &p->terms[i];

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

const struct gcal_poly *gcal_poly_rational(struct gcal_polys *c, int64_t num, int64_t den)
{
    struct gcal_poly *p;

    if (num == 0 || !(p = new_poly(c, 1)))
        return &zero;
    p->terms[0].n_factors = 0;
    set_rational(c, &p->terms[0], num, den);
    return p;
}

const struct gcal_poly *gcal_poly_integer(struct gcal_polys *c, int64_t value)
{
    return gcal_poly_rational(c, value, 1);
}

const struct gcal_poly *gcal_poly_of_atom(struct gcal_polys *c, unsigned atom)
{
    struct gcal_poly *p = new_poly(c, 1);

    if (!p)
        return &zero;
    p->terms[0] = (struct gcal_term){ 1, 1, 1, { { (uint16_t)atom, 1 } } };
    return p;
}

const struct gcal_poly *gcal_poly_add(struct gcal_polys *c, const struct gcal_poly *a,
                                      const struct gcal_poly *b)
{
    struct gcal_poly *p;

    if (!a->n_terms || !b->n_terms)
        return a->n_terms ? a : b;
    if (!(p = new_poly(c, a->n_terms + b->n_terms)))
        return &zero;
    memcpy(p->terms, a->terms, a->n_terms * sizeof(a->terms[0]));
    memcpy(p->terms + a->n_terms, b->terms, b->n_terms * sizeof(b->terms[0]));
    return normalise(c, p);
}

const struct gcal_poly *gcal_poly_scale(struct gcal_polys *c, const struct gcal_poly *a,
                                        int64_t num, int64_t den)
{
    return gcal_poly_mul(c, a, gcal_poly_rational(c, num, den));
}

const struct gcal_poly *gcal_poly_sub(struct gcal_polys *c, const struct gcal_poly *a,
                                      const struct gcal_poly *b)
{
    return gcal_poly_add(c, a, gcal_poly_scale(c, b, -1, 1));
}

const struct gcal_poly *gcal_poly_mul(struct gcal_polys *c, const struct gcal_poly *a,
                                      const struct gcal_poly *b)
{
    struct gcal_poly *p;

    if (!a->n_terms || !b->n_terms || !(p = new_poly(c, a->n_terms * b->n_terms)))
        return &zero;
    for (size_t i = 0; i < a->n_terms; i++)
        for (size_t j = 0; j < b->n_terms; j++)
            multiply_terms(c, &a->terms[i], &b->terms[j], &p->terms[i * b->n_terms + j]);
    return c->failed ? &zero : normalise(c, p);
}

/* a/b of two terms; false when b's factors are not all in a. */
static bool divide_terms(struct gcal_polys *c, const struct gcal_term *a,
                         const struct gcal_term *b, struct gcal_term *out)
{
    size_t j = 0;

    out->n_factors = 0;
    set_rational(c, out, (__int128)a->num * b->den, (__int128)a->den * b->num);
    for (size_t i = 0; i < a->n_factors; i++) {
        struct gcal_factor f = a->factors[i];

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

/* Long division: the leading terms decide, as their order is kept by products. */
const struct gcal_poly *gcal_poly_divide(struct gcal_polys *c, const struct gcal_poly *a,
                                         const struct gcal_poly *b)
{
    const struct gcal_poly *quotient = &zero;

    while (a->n_terms && b->n_terms && !c->failed) {
        struct gcal_poly *step = new_poly(c, 1);

        if (!step || !divide_terms(c, &a->terms[0], &b->terms[0], &step->terms[0]))
            return NULL;
        quotient = gcal_poly_add(c, quotient, step);
        a = gcal_poly_sub(c, a, gcal_poly_mul(c, step, b));
    }
    return b->n_terms ? quotient : NULL;
}

const struct gcal_poly *gcal_poly_coefficient(struct gcal_polys *c,
                                              const struct gcal_poly *p, unsigned atom,
                                              unsigned power)
{
    struct gcal_poly *q = new_poly(c, p->n_terms);
    size_t n = 0;

    if (!q)
        return &zero;
    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_term *t = &p->terms[i];
        struct gcal_term *out = &q->terms[n];
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

const struct gcal_poly *gcal_poly_substitute(struct gcal_polys *c,
                                             const struct gcal_poly *p, unsigned atom,
                                             const struct gcal_poly *value)
{
    const struct gcal_poly *sum = &zero;

    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_term *t = &p->terms[i];
        const struct gcal_poly *product = gcal_poly_rational(c, t->num, t->den);

        for (size_t j = 0; j < t->n_factors && !c->failed; j++) {
            struct gcal_atom a = c->atoms[t->factors[j].atom];
            const struct gcal_poly *factor;

            if (t->factors[j].atom == atom)
                factor = value;
            else if (a.kind == ATOM_FLOOR && gcal_poly_contains(c, a.a, atom))
                factor =
                    gcal_poly_floor(c, gcal_poly_substitute(c, a.a, atom, value), a.k);
            else if (a.kind == ATOM_QUOTIENT && (gcal_poly_contains(c, a.a, atom) ||
                                                 gcal_poly_contains(c, a.b, atom)))
                factor = gcal_poly_floor_by(c, gcal_poly_substitute(c, a.a, atom, value),
                                            gcal_poly_substitute(c, a.b, atom, value));
            else if (a.kind == ATOM_STEP && gcal_poly_contains(c, a.a, atom))
                factor = gcal_poly_step(c, gcal_poly_substitute(c, a.a, atom, value));
            else if ((a.kind == ATOM_MIN || a.kind == ATOM_MAX) &&
                     (gcal_poly_contains(c, a.a, atom) ||
                      gcal_poly_contains(c, a.b, atom)))
                factor = (a.kind == ATOM_MIN ? gcal_poly_min : gcal_poly_max)(
                    c, gcal_poly_substitute(c, a.a, atom, value),
                    gcal_poly_substitute(c, a.b, atom, value));
            else
                factor = gcal_poly_of_atom(c, t->factors[j].atom);
            for (unsigned k = 0; k < t->factors[j].power && !c->failed; k++)
                product = gcal_poly_mul(c, product, factor);
        }
        sum = gcal_poly_add(c, sum, product);
    }
    return sum;
}

/* ---- questions ---- */

bool gcal_poly_is_constant(const struct gcal_poly *p, int64_t *value)
{
    if (p->n_terms > 1 ||
        (p->n_terms == 1 && (p->terms[0].n_factors || p->terms[0].den != 1)))
        return false;
    *value = p->n_terms ? p->terms[0].num : 0;
    return true;
}

bool gcal_poly_is_integral(const struct gcal_poly *p)
{
    for (size_t i = 0; i < p->n_terms; i++)
        if (p->terms[i].den != 1)
            return false;
    return true;
}

int64_t gcal_poly_denominator(const struct gcal_poly *p)
{
    int64_t den = 1;

    for (size_t i = 0; i < p->n_terms; i++)
        if (__builtin_mul_overflow(den, p->terms[i].den / gcal_gcd(den, p->terms[i].den),
                                   &den))
            return 0;
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

bool gcal_poly_hides(const struct gcal_polys *c, const struct gcal_poly *p, unsigned atom)
{
    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++) {
            const struct gcal_atom *a = &c->atoms[p->terms[i].factors[j].atom];

            if (a->kind >= ATOM_FLOOR && (gcal_poly_contains(c, a->a, atom) ||
                                          (a->b && gcal_poly_contains(c, a->b, atom))))
                return true;
        }
    return false;
}

bool gcal_poly_contains(const struct gcal_polys *c, const struct gcal_poly *p,
                        unsigned atom)
{
    return gcal_poly_degree(p, atom) > 0 || gcal_poly_hides(c, p, atom);
}

bool gcal_poly_has_dimension(const struct gcal_polys *c, const struct gcal_poly *p)
{
    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++) {
            const struct gcal_atom *a = &c->atoms[p->terms[i].factors[j].atom];

            if (a->kind == ATOM_DIMENSION ||
                (a->kind >= ATOM_FLOOR && (gcal_poly_has_dimension(c, a->a) ||
                                           (a->b && gcal_poly_has_dimension(c, a->b)))))
                return true;
        }
    return false;
}

/* ---- atoms ---- */

unsigned gcal_polys_new_atom(struct gcal_polys *c, const struct gcal_atom *atom)
{
    struct gcal_atom *moved;

    for (unsigned i = 0; atom->kind >= ATOM_FLOOR && i < c->n_atoms; i++)
        if (c->atoms[i].kind == atom->kind && c->atoms[i].k == atom->k &&
            gcal_poly_equal(c->atoms[i].a, atom->a) &&
            (!atom->b || gcal_poly_equal(c->atoms[i].b, atom->b)))
            return i;
    moved = c->n_atoms < 8000 ? gcal_array_grow(c->atoms, c->n_atoms, &c->atom_capacity,
                                                sizeof(*moved), NULL)
                              : NULL;
    if (!moved) {
        gcal_polys_fail(c, "the count needs too many steps");
        return 0;
    }
    c->atoms = moved;
    c->atoms[c->n_atoms] = *atom;
    return (unsigned)c->n_atoms++;
}

const struct gcal_poly *gcal_poly_dimension(struct gcal_polys *c, const char *name,
                                            const struct gcal_poly *last)
{
    struct gcal_atom atom = { .kind = ATOM_DIMENSION, .a = last };

    atom.name = gcal_polys_format(c, "%s", name);
    return gcal_poly_of_atom(c, gcal_polys_new_atom(c, &atom));
}

const struct gcal_poly *gcal_poly_point(struct gcal_polys *c, unsigned i)
{
    struct gcal_atom atom = { .kind = ATOM_DIMENSION };

    if (i >= GCAL_MAX_POINTS) {
        gcal_polys_fail(c, "the count needs too many steps");
        return &zero;
    }
    while (c->n_points <= i)
        c->points[c->n_points++] = gcal_polys_new_atom(c, &atom);
    return gcal_poly_of_atom(c, c->points[i]);
}

unsigned gcal_poly_atom(const struct gcal_poly *p)
{
    return p->n_terms ? p->terms[0].factors[0].atom : 0;
}

const char *gcal_atom_name(const struct gcal_polys *c, unsigned atom)
{
    return c->atoms[atom].name;
}

const struct gcal_poly *gcal_atom_last(const struct gcal_polys *c, unsigned atom)
{
    return c->atoms[atom].a;
}

bool gcal_atom_is_dimension(const struct gcal_polys *c, unsigned atom)
{
    return c->atoms[atom].kind == ATOM_DIMENSION;
}

unsigned gcal_parameter_atom(struct gcal_polys *c, const char *name)
{
    struct gcal_atom atom = { .kind = ATOM_PARAMETER };

    for (unsigned i = 0; i < c->n_atoms; i++)
        if (c->atoms[i].kind == ATOM_PARAMETER && !c->atoms[i].shown &&
            strcmp(c->atoms[i].name, name) == 0)
            return i;
    atom.name = gcal_polys_format(c, "%s", name);
    return gcal_polys_new_atom(c, &atom);
}

const struct gcal_poly *gcal_poly_parameter(struct gcal_polys *c, const char *name)
{
    unsigned atom = gcal_parameter_atom(c, name);

    if (c->failed)
        return &zero;
    return c->atoms[atom].value ? c->atoms[atom].value : gcal_poly_of_atom(c, atom);
}

/* p/k: what is an integer for certain, and the rest with coefficients in [0, k). */
const struct gcal_poly *gcal_poly_floor(struct gcal_polys *c, const struct gcal_poly *p,
                                        int64_t k)
{
    int64_t den = gcal_poly_denominator(p);
    const struct gcal_poly *whole = &zero, *rest = &zero;
    struct gcal_atom atom = { .kind = ATOM_FLOOR };

    if (!den || __builtin_mul_overflow(den, k, &k)) {
        gcal_polys_fail(c, "its coefficients need more than 64 bits");
        return &zero;
    }
    p = gcal_poly_scale(c, p, den, 1); /* floor(p/k), all integers now */
    for (size_t i = 0; i < p->n_terms; i++) {
        struct gcal_poly *term = new_poly(c, 1);
        int64_t mod = p->terms[i].num % k;

        if (!term)
            return &zero;
        mod += mod < 0 ? k : 0;
        term->terms[0] = p->terms[i];
        term->terms[0].num = (p->terms[i].num - mod) / k;
        if (term->terms[0].num)
            whole = gcal_poly_add(c, whole, term);
        if (mod && (term = new_poly(c, 1))) {
            term->terms[0] = p->terms[i];
            term->terms[0].num = mod;
            rest = gcal_poly_add(c, rest, term);
        }
    }
    if (!rest->n_terms || c->failed)
        return whole;
    /* Coefficients just below k are small negative ones: (15 - lid)/16 is 0, which
     * (15 + 15*lid)/16 hides.
     */
    for (size_t i = 0; i < rest->n_terms; i++) {
        struct gcal_poly *term;
        const struct gcal_poly *q;

        if (!rest->terms[i].n_factors || rest->terms[i].num <= k / 2 ||
            !(term = new_poly(c, 1)))
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
    atom.a = rest;
    atom.k = k;
    return gcal_poly_add(c, whole, gcal_poly_of_atom(c, gcal_polys_new_atom(c, &atom)));
}

/* One form for each: a number comes second, and the first has no number added:
 * min(4095, n-1) is min(n, 4096)-1.  Both are whole numbers: min(n/3, m) is min(n,
 * 3*m)/3, as floors and steps of it are exact in floating point then.
 */
static const struct gcal_poly *extremum(struct gcal_polys *c, enum gcal_atom_kind kind,
                                        const struct gcal_poly *a,
                                        const struct gcal_poly *b)
{
    struct gcal_atom atom = { .kind = kind };
    const struct gcal_term *last;
    int64_t number, added = 0, den, den_b;

    den = gcal_poly_denominator(a);
    den_b = gcal_poly_denominator(b);
    if (!den || !den_b ||
        __builtin_mul_overflow(den, den_b / gcal_gcd(den, den_b), &den)) {
        gcal_polys_fail(c, "its coefficients need more than 64 bits");
        return &zero;
    }
    a = gcal_poly_scale(c, a, den, 1);
    b = gcal_poly_scale(c, b, den, 1);
    if (gcal_poly_is_constant(a, &number)) {
        const struct gcal_poly *swapped = a;

        a = b;
        b = swapped;
    }
    last = a->n_terms ? &a->terms[a->n_terms - 1] : NULL;
    if (last && last->n_factors == 0)
        added = last->num;
    atom.a = gcal_poly_sub(c, a, gcal_poly_integer(c, added));
    atom.b = gcal_poly_sub(c, b, gcal_poly_integer(c, added));
    return gcal_poly_scale(
        c,
        gcal_poly_add(c, gcal_poly_of_atom(c, gcal_polys_new_atom(c, &atom)),
                      gcal_poly_integer(c, added)),
        1, den);
}

const struct gcal_poly *gcal_poly_min(struct gcal_polys *c, const struct gcal_poly *a,
                                      const struct gcal_poly *b)
{
    if (gcal_poly_is_nonnegative(c, gcal_poly_sub(c, b, a)))
        return a;
    if (gcal_poly_is_nonnegative(c, gcal_poly_sub(c, a, b)))
        return b;
    return extremum(c, ATOM_MIN, a, b);
}

const struct gcal_poly *gcal_poly_max(struct gcal_polys *c, const struct gcal_poly *a,
                                      const struct gcal_poly *b)
{
    if (gcal_poly_is_nonnegative(c, gcal_poly_sub(c, b, a)))
        return b;
    if (gcal_poly_is_nonnegative(c, gcal_poly_sub(c, a, b)))
        return a;
    return extremum(c, ATOM_MAX, a, b);
}

void gcal_poly_split(struct gcal_polys *c, const struct gcal_poly *p,
                     const struct gcal_poly *q, const struct gcal_poly **whole,
                     const struct gcal_poly **rest)
{
    *whole = *rest = &zero;
    for (size_t i = 0; i < p->n_terms && !c->failed; i++) {
        struct gcal_poly *term = new_poly(c, 1), *part = new_poly(c, 1);

        if (!term || !part)
            return;
        term->terms[0] = p->terms[i];
        if (q->n_terms == 1 &&
            divide_terms(c, &term->terms[0], &q->terms[0], &part->terms[0]) &&
            part->terms[0].den == 1)
            *whole = gcal_poly_add(c, *whole, part);
        else
            *rest = gcal_poly_add(c, *rest, term);
    }
}

const struct gcal_poly *gcal_poly_floor_by(struct gcal_polys *c,
                                           const struct gcal_poly *p,
                                           const struct gcal_poly *q)
{
    struct gcal_atom atom = { .kind = ATOM_QUOTIENT, .b = q };
    const struct gcal_poly *whole, *below;
    int64_t number;

    if (gcal_poly_is_constant(q, &number) && number > 0)
        return gcal_poly_floor(c, p, number);
    if ((whole = gcal_poly_divide(c, p, q)) && gcal_poly_is_integral(whole))
        return whole;
    gcal_poly_split(c, p, q, &whole, &atom.a);
    below = gcal_poly_sub(c, gcal_poly_sub(c, q, gcal_poly_integer(c, 1)), atom.a);
    if (gcal_poly_is_nonnegative(c, atom.a) && gcal_poly_is_nonnegative(c, below))
        return whole;
    return gcal_poly_add(c, whole, gcal_poly_of_atom(c, gcal_polys_new_atom(c, &atom)));
}

/* p times a number, so that all factors are integers without a common divisor, and the
 * number added is rounded down: where p is exactly 0, "1/3*n-5/3" would be something
 * below it in floating point.
 */
static const struct gcal_poly *without_fractions(struct gcal_polys *c,
                                                 const struct gcal_poly *p)
{
    int64_t den = gcal_poly_denominator(p), divisor = 0, below;
    struct gcal_term last;

    if (!den) {
        gcal_polys_fail(c, "its coefficients need more than 64 bits");
        return &zero;
    }
    p = gcal_poly_scale(c, p, den, 1);
    for (size_t i = 0; i < p->n_terms; i++)
        if (p->terms[i].n_factors)
            divisor = gcal_gcd(divisor, p->terms[i].num);
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

const struct gcal_poly *gcal_poly_step(struct gcal_polys *c, const struct gcal_poly *p)
{
    struct gcal_atom atom = { .kind = ATOM_STEP };

    p = without_fractions(c, p);
    atom.a = p;
    if (gcal_poly_is_nonnegative(c, p))
        return gcal_poly_integer(c, 1);
    if (gcal_poly_is_nonnegative(c, gcal_poly_sub(c, gcal_poly_integer(c, -1), p)))
        return &zero;
    return gcal_poly_of_atom(c, gcal_polys_new_atom(c, &atom));
}

const struct gcal_poly *gcal_poly_keep(struct gcal_polys *c, const struct gcal_poly *p)
{
    struct gcal_atom atom = { .kind = ATOM_FLOOR, .a = p, .k = 1 };

    return gcal_poly_of_atom(c, gcal_polys_new_atom(c, &atom));
}
