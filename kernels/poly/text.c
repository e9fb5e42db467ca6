/* text.c - polynomials as text; polynomials and assumptions from text */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/poly/private.h"

/* ---- to text ---- */

/* p with hidden parameters replaced by the named ones. */
static const struct gcal_poly *in_named_parameters(struct gcal_poly_context *c,
                                                   const struct gcal_poly *p)
{
    size_t n = c->n_atoms;

    for (unsigned i = 0; i < n; i++)
        if (c->atoms[i].kind == GCAL_POLY_ATOM_PARAMETER && c->atoms[i].shown &&
            gcal_poly_contains(c, p, i))
            p = gcal_poly_substitute(c, p, i, c->atoms[i].shown);
    return p;
}

static void put_poly(struct gcal_poly_context *c, struct gcal_buf *buf,
                     const struct gcal_poly *p);

static void put_atom(struct gcal_poly_context *c, struct gcal_buf *buf, unsigned atom)
{
    const struct gcal_poly_entry *a = &c->atoms[atom];

    if (a->kind == GCAL_POLY_ATOM_PARAMETER || a->kind == GCAL_POLY_ATOM_DIMENSION) {
        gcal_buf_puts(buf, a->name);
    } else if (a->kind == GCAL_POLY_ATOM_STEP ||
               (a->kind == GCAL_POLY_ATOM_FLOOR && a->k == 1)) {
        gcal_buf_puts(buf, a->kind == GCAL_POLY_ATOM_STEP ? "step(" : "(");
        put_poly(c, buf, a->a);
        gcal_buf_puts(buf, ")");
    } else if (a->kind == GCAL_POLY_ATOM_QUOTIENT) {
        gcal_buf_puts(buf, "floor((");
        put_poly(c, buf, a->a);
        gcal_buf_puts(buf, ")/(");
        put_poly(c, buf, a->b);
        gcal_buf_puts(buf, "))");
    } else if (a->kind == GCAL_POLY_ATOM_FLOOR) {
        bool plain =
            a->a->n_terms == 1 && a->a->terms[0].num == 1 && a->a->terms[0].den == 1;

        gcal_buf_puts(buf, plain ? "floor(" : "floor((");
        put_poly(c, buf, a->a);
        gcal_buf_printf(buf, plain ? "/%lld)" : ")/%lld)", (long long)a->k);
    } else if (a->kind == GCAL_POLY_ATOM_LOG2 || a->kind == GCAL_POLY_ATOM_POWER) {
        gcal_buf_puts(buf, a->kind == GCAL_POLY_ATOM_LOG2 ? "floor(log2(" : "(2^(");
        put_poly(c, buf, a->a);
        gcal_buf_puts(buf, "))");
    } else {
        gcal_buf_puts(buf, a->kind == GCAL_POLY_ATOM_MIN ? "min(" : "max(");
        put_poly(c, buf, a->a);
        gcal_buf_puts(buf, ",");
        put_poly(c, buf, a->b);
        gcal_buf_puts(buf, ")");
    }
}

static void put_term(struct gcal_poly_context *c, struct gcal_buf *buf,
                     const struct gcal_poly_term *t)
{
    int64_t num = t->num < 0 ? -t->num : t->num;
    bool one = num == 1 && t->den == 1;

    if (!one || !t->n_factors)
        gcal_buf_printf(buf, "%lld", (long long)num);
    if (t->den != 1)
        gcal_buf_printf(buf, "/%lld", (long long)t->den);
    for (size_t i = 0; i < t->n_factors; i++) {
        if (i || !one)
            gcal_buf_puts(buf, "*");
        put_atom(c, buf, t->factors[i].atom);
        if (t->factors[i].power > 1)
            gcal_buf_printf(buf, "^%u", t->factors[i].power);
    }
}

static bool is_step(const struct gcal_poly_context *c, struct gcal_poly_factor f)
{
    return c->atoms[f.atom].kind == GCAL_POLY_ATOM_STEP;
}

/* The step of 't' after number '*at', counted from 0; UINT16_MAX + 1 after the last. */
static unsigned next_step(const struct gcal_poly_context *c,
                          const struct gcal_poly_term *t, size_t *at)
{
    while (*at < t->n_factors && !is_step(c, t->factors[*at]))
        ++*at;
    return *at < t->n_factors ? t->factors[(*at)++].atom : UINT16_MAX + 1;
}

static bool have_same_steps(const struct gcal_poly_context *c,
                            const struct gcal_poly_term *a,
                            const struct gcal_poly_term *b)
{
    size_t i = 0, j = 0;
    unsigned step;

    do {
        if ((step = next_step(c, a, &i)) != next_step(c, b, &j))
            return false;
    } while (step <= UINT16_MAX);
    return true;
}

enum { MOST_GROUPED = 1000 }; /* terms, as all are compared with all */

static size_t count_alike(const struct gcal_poly_context *c, const struct gcal_poly *p,
                          size_t first)
{
    size_t n = 0, none = 0;

    if (p->n_terms > MOST_GROUPED || next_step(c, &p->terms[first], &none) > UINT16_MAX)
        return 1;
    for (size_t i = first; i < p->n_terms; i++)
        n += have_same_steps(c, &p->terms[first], &p->terms[i]);
    return n;
}

/* The terms from 'first' on that have the same steps, without these; 0 if it has none or
 * is alone.
 */
static const struct gcal_poly *without_steps(struct gcal_poly_context *c,
                                             const struct gcal_poly *p, size_t first)
{
    size_t n = count_alike(c, p, first);
    struct gcal_poly *rest = n > 1 ? gcal_poly_new(c, n) : NULL;

    if (!rest)
        return &gcal_poly_zero;
    n = 0;
    for (size_t i = first; i < p->n_terms; i++) {
        struct gcal_poly_term *t = &rest->terms[n];

        if (!have_same_steps(c, &p->terms[first], &p->terms[i]))
            continue;
        *t = p->terms[i];
        t->n_factors = 0;
        for (size_t j = 0; j < p->terms[i].n_factors; j++)
            if (!is_step(c, p->terms[i].factors[j]))
                t->factors[t->n_factors++] = p->terms[i].factors[j];
        n++;
    }
    return rest;
}

/* "step(n-3)*step(m-3)*(n*m-n)" */
static void put_factored(struct gcal_poly_context *c, struct gcal_buf *buf,
                         const struct gcal_poly_term *t, const struct gcal_poly *rest)
{
    for (size_t i = 0; i < t->n_factors; i++)
        if (is_step(c, t->factors[i])) {
            put_atom(c, buf, t->factors[i].atom);
            gcal_buf_puts(buf, "*");
        }
    gcal_buf_puts(buf, "(");
    put_poly(c, buf, rest);
    gcal_buf_puts(buf, ")");
}

/* Returns whether an earlier term has the same steps, and was put with this one. */
static bool is_put(const struct gcal_poly_context *c, const struct gcal_poly *p,
                   size_t term)
{
    size_t none = 0;

    if (p->n_terms > MOST_GROUPED || next_step(c, &p->terms[term], &none) > UINT16_MAX)
        return false;
    for (size_t i = 0; i < term; i++)
        if (have_same_steps(c, &p->terms[i], &p->terms[term]))
            return true;
    return false;
}

static void put_poly(struct gcal_poly_context *c, struct gcal_buf *buf,
                     const struct gcal_poly *p)
{
    if (!p->n_terms)
        gcal_buf_puts(buf, "0");
    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_poly *rest;

        if (is_put(c, p, i))
            continue;
        rest = without_steps(c, p, i);
        if (!rest->n_terms && p->terms[i].num < 0)
            gcal_buf_puts(buf, "-");
        else if (i)
            gcal_buf_puts(buf, "+");
        if (rest->n_terms)
            put_factored(c, buf, &p->terms[i], rest);
        else
            put_term(c, buf, &p->terms[i]);
    }
}

const char *gcal_poly_text(struct gcal_poly_context *c, const struct gcal_poly *p)
{
    struct gcal_buf buf = { 0 };
    const char *text;

    put_poly(c, &buf, in_named_parameters(c, p));
    if (buf.failed)
        gcal_poly_fail(c, "out of memory");
    text = gcal_poly_format(c, "%s", buf.data ? buf.data : "");
    gcal_buf_free(&buf);
    return text;
}

void gcal_poly_visit_parameters(struct gcal_poly_context *c, const struct gcal_poly *p,
                                void (*visit)(const char *name, void *data), void *data)
{
    p = in_named_parameters(c, p);
    for (unsigned i = 0; i < c->n_atoms; i++)
        if (c->atoms[i].kind == GCAL_POLY_ATOM_PARAMETER && gcal_poly_contains(c, p, i))
            visit(c->atoms[i].name, data);
}

void gcal_poly_visit_all_parameters(struct gcal_poly_context *c,
                                    void (*visit)(const char *name, void *data),
                                    void *data)
{
    for (unsigned i = 0; i < c->n_atoms; i++)
        if (c->atoms[i].kind == GCAL_POLY_ATOM_PARAMETER && !c->atoms[i].shown)
            visit(c->atoms[i].name, data);
}

static void keep_first(const char *name, void *data)
{
    const char **first = data;

    *first = *first ? *first : name;
}

const char *gcal_poly_first_parameter(struct gcal_poly_context *c,
                                      const struct gcal_poly *p)
{
    const char *first = NULL;

    gcal_poly_visit_parameters(c, p, keep_first, &first);
    return first;
}

const char *gcal_poly_shifted_parameter(struct gcal_poly_context *c,
                                        const struct gcal_poly *p, int64_t *shift)
{
    const struct gcal_poly_term *t;

    p = in_named_parameters(c, p);
    t = p->terms;
    if (p->n_terms == 0 || p->n_terms > 2 || t[0].num != 1 || t[0].den != 1 ||
        t[0].n_factors != 1 || t[0].factors[0].power != 1 ||
        c->atoms[t[0].factors[0].atom].kind != GCAL_POLY_ATOM_PARAMETER ||
        (p->n_terms == 2 && (t[1].n_factors || t[1].den != 1)))
        return NULL;
    *shift = p->n_terms == 2 ? t[1].num : 0;
    return c->atoms[t[0].factors[0].atom].name;
}

/* ---- from text ---- */

struct poly_reader {
    struct gcal_poly_context *c;
    const char *text, *at;
    struct gcal_error *err;
    bool exact; /* inside floor() or ceil() */
};

static void skip_spaces(struct poly_reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static const struct gcal_poly *complain(struct poly_reader *r, const char *what)
{
    gcal_error_set(r->err, GCAL_EINPUT, "\"%s\" column %td: %s", r->text,
                   r->at - r->text + 1, what);
    return NULL;
}

static bool accept(struct poly_reader *r, const char *token)
{
    skip_spaces(r);
    if (strncmp(r->at, token, strlen(token)) != 0)
        return false;
    r->at += strlen(token);
    return true;
}

static const struct gcal_poly *read_sum(struct poly_reader *r, int depth);
static const struct gcal_poly *read_power(struct poly_reader *r, int depth);

/* The length of the name at the start of 'text'; 0 without one. */
static size_t name_length(const char *text)
{
    size_t n = 0;

    while (isalpha((unsigned char)text[n]) || text[n] == '_' ||
           (n && isdigit((unsigned char)text[n])))
        n++;
    return n;
}

/* The operand of floor() or ceil(), in which '/' divides exactly, and the ')'. */
static const struct gcal_poly *read_rounded(struct poly_reader *r, int depth, bool up)
{
    bool outer = r->exact;
    const struct gcal_poly *p;
    int64_t den;

    r->exact = true;
    p = read_sum(r, depth);
    r->exact = outer;
    if (!p || !accept(r, ")"))
        return p ? complain(r, "expected ')'") : NULL;
    if (up && (den = gcal_poly_denominator(p))) /* ceil(i/den) = floor((i + den-1)/den) */
        p = gcal_poly_add(r->c, p, gcal_poly_rational(r->c, den - 1, den));
    return gcal_poly_floor(r->c, p, 1);
}

/* "min(a,b)" after its parenthesis. */
static const struct gcal_poly *read_extremum(struct poly_reader *r, int depth, bool most)
{
    const struct gcal_poly *a = read_sum(r, depth), *b;

    if (a && !accept(r, ","))
        return complain(r, "expected ','");
    if (!a || !(b = read_sum(r, depth)))
        return NULL;
    if (!accept(r, ")"))
        return complain(r, "expected ')'");
    return most ? gcal_poly_max(r->c, a, b) : gcal_poly_min(r->c, a, b);
}

static const struct gcal_poly *read_primary(struct poly_reader *r, int depth)
{
    const struct gcal_poly *p;
    size_t n;

    skip_spaces(r);
    if (depth > 100)
        return complain(r, "too deeply nested");
    if (isdigit((unsigned char)*r->at)) {
        char *end;
        long long value;

        errno = 0;
        value = strtoll(r->at, &end, 10);
        if (errno || *end == '.' || isalpha((unsigned char)*end))
            return complain(r, "expected an integer of at most 64 bits");
        r->at = end;
        return gcal_poly_integer(r->c, value);
    }
    if (accept(r, "-")) {
        p = read_power(r, depth + 1);
        return p ? gcal_poly_scale(r->c, p, -1, 1) : NULL;
    }
    if (accept(r, "(")) {
        if (!(p = read_sum(r, depth + 1)))
            return NULL;
        return accept(r, ")") ? p : complain(r, "expected ')'");
    }
    for (int up = 0; up < 2; up++)
        if (accept(r, up ? "ceil(" : "floor("))
            return read_rounded(r, depth + 1, up);
    for (int most = 0; most < 2; most++)
        if (accept(r, most ? "max(" : "min("))
            return read_extremum(r, depth + 1, most);
    if ((n = name_length(r->at))) {
        const char *name = gcal_poly_format(r->c, "%.*s", (int)n, r->at);

        r->at += n;
        return gcal_poly_parameter(r->c, name);
    }
    return complain(r, "expected a number, a name or '('");
}

static const struct gcal_poly *read_power(struct poly_reader *r, int depth)
{
    const struct gcal_poly *base = read_primary(r, depth), *p;
    long exponent;
    char *end;

    if (!base || !accept(r, "^"))
        return base;
    skip_spaces(r);
    exponent = isdigit((unsigned char)*r->at) ? strtol(r->at, &end, 10) : -1;
    if (exponent < 0 || exponent > 62)
        return complain(r, "expected a whole exponent of at most 62");
    r->at = end;
    p = gcal_poly_integer(r->c, 1);
    while (exponent-- > 0)
        p = gcal_poly_mul(r->c, p, base);
    return p;
}

static const struct gcal_poly *read_product(struct poly_reader *r, int depth)
{
    const struct gcal_poly *a = read_power(r, depth), *b;
    int64_t k;
    char sign;

    while (a) {
        skip_spaces(r);
        sign = *r->at;
        if (!sign || !strchr("*/%", sign))
            break;
        r->at++;
        if (!(b = read_power(r, depth)))
            return NULL;
        if (sign == '*') {
            a = gcal_poly_mul(r->c, a, b);
            continue;
        }
        if (!gcal_poly_is_constant(b, &k) || k <= 0)
            return complain(r, "the divisor has to be a positive integer");
        b = r->exact && sign == '/' ? gcal_poly_scale(r->c, a, 1, k)
                                    : gcal_poly_floor(r->c, a, k);
        a = sign == '/' ? b : gcal_poly_sub(r->c, a, gcal_poly_scale(r->c, b, k, 1));
    }
    return a;
}

static const struct gcal_poly *read_sum(struct poly_reader *r, int depth)
{
    const struct gcal_poly *a = read_product(r, depth), *b;

    while (a) {
        bool plus = accept(r, "+");

        if (!plus && !accept(r, "-"))
            break;
        if (!(b = read_product(r, depth)))
            return NULL;
        a = plus ? gcal_poly_add(r->c, a, b) : gcal_poly_sub(r->c, a, b);
    }
    return a;
}

const struct gcal_poly *gcal_poly_parse(struct gcal_poly_context *c, const char *text,
                                        struct gcal_error *err)
{
    struct poly_reader r = { c, text, text, err, false };
    const struct gcal_poly *p = read_sum(&r, 0);

    skip_spaces(&r);
    if (p && *r.at)
        return complain(&r, "expected an operator or the end");
    return p && gcal_poly_context_check(c, err) == 0 ? p : NULL;
}

/* ---- assumptions ---- */

/* Makes the parameter modulus*hidden + rest. */
static int assume_rest(struct poly_reader *r, unsigned atom, int64_t modulus,
                       int64_t rest)
{
    struct gcal_poly_context *c = r->c;
    struct gcal_poly_entry hidden = { .kind = GCAL_POLY_ATOM_PARAMETER };
    const struct gcal_poly *h;
    unsigned number;

    hidden.name =
        gcal_poly_format(c, "(%s/%lld)", c->atoms[atom].name, (long long)modulus);
    hidden.least = (c->atoms[atom].least - rest + modulus - 1) / modulus;
    hidden.shown = gcal_poly_scale(
        c, gcal_poly_sub(c, gcal_poly_from_atom(c, atom), gcal_poly_integer(c, rest)), 1,
        modulus);
    number = gcal_poly_add_atom(c, &hidden);
    h = gcal_poly_from_atom(c, number);
    c->atoms[atom].value =
        gcal_poly_add(c, gcal_poly_scale(c, h, modulus, 1), gcal_poly_integer(c, rest));
    return 0;
}

/* atom % modulus = rest */
struct modular {
    unsigned atom;
    int64_t modulus, rest;
};

static int refuse(struct poly_reader *r, const char *what)
{
    complain(r, what);
    return -1;
}

/* "n + 2 % 14 = 0": the part before 'percent' is a text of its own, as read_product()
 * would take the '%'.
 */
static int read_rest(struct poly_reader *r, const char *percent, struct modular *all,
                     size_t *n)
{
    const char *left = gcal_poly_format(r->c, "%.*s", (int)(percent - r->at), r->at);
    const struct gcal_poly *a = gcal_poly_parse(r->c, left, r->err);
    struct modular one;
    int64_t factor, added;
    char *end;

    if (!a)
        return -1;
    one.modulus = strtoll(percent + 1, &end, 10);
    r->at = end;
    if (!accept(r, "==") && !accept(r, "="))
        return refuse(r, "expected '='");
    one.rest = strtoll(r->at, &end, 10);
    r->at = end;
    one.atom = gcal_poly_atom_index(a);
    if (!a->n_terms || one.modulus <= 0 || one.modulus > 1000000 || one.rest < 0 ||
        gcal_poly_degree(a, one.atom) != 1)
        return refuse(r, "expected a condition like \"n % 16 = 0\"");
    if (!gcal_poly_is_constant(gcal_poly_coefficient(r->c, a, one.atom, 1), &factor) ||
        !gcal_poly_is_constant(gcal_poly_coefficient(r->c, a, one.atom, 0), &added) ||
        factor != 1)
        return refuse(r, "expected the remainder of one size plus a number");
    one.rest = ((one.rest - added) % one.modulus + one.modulus) % one.modulus;
    /* Adds 'one' by the Chinese remainder theorem. */
    for (size_t i = 0; i < *n; i++) {
        struct modular *m = &all[i];
        int64_t step = m->modulus, tried;

        if (m->atom != one.atom)
            continue;
        for (tried = 0; tried < one.modulus && m->rest % one.modulus != one.rest; tried++)
            m->rest += step;
        if (tried == one.modulus) {
            complain(r, "contradicts an earlier assumption");
            return -1;
        }
        m->modulus = step / gcal_poly_gcd(step, one.modulus) * one.modulus;
        m->rest %= m->modulus;
        return 0;
    }
    if (*n == 16) {
        complain(r, "too many assumptions");
        return -1;
    }
    all[(*n)++] = one;
    return 0;
}

/* "n = 4": replaces n by the number. */
static bool fix_parameter(struct gcal_poly_context *c, const struct gcal_poly *d)
{
    const struct gcal_poly_term *t = d->terms;
    int64_t number = 0;

    if (!d->n_terms || d->n_terms > 2 || t[0].n_factors != 1 ||
        t[0].factors[0].power != 1 ||
        !gcal_poly_is_constant(gcal_poly_coefficient(c, d, t[0].factors[0].atom, 0),
                               &number) ||
        number % t[0].num || t[0].den != 1 || -number / t[0].num < 0 ||
        c->atoms[t[0].factors[0].atom].kind != GCAL_POLY_ATOM_PARAMETER ||
        c->atoms[t[0].factors[0].atom].shown)
        return false;
    c->atoms[t[0].factors[0].atom].value = gcal_poly_integer(c, -number / t[0].num);
    return true;
}

/* "a >= b", and so on. */
static int read_relation(struct poly_reader *r)
{
    static const char *const relations[] = { ">=", "<=", "==", "!=", "=", ">", "<" };

    enum { EQUAL = 2, DIFFERENT = 3, ALSO_EQUAL = 4, N_RELATIONS = 7 };
    const struct gcal_poly *a, *b, *d;
    size_t which = 0;
    bool equal;

    if (!(a = read_sum(r, 0)))
        return -1;
    while (which < N_RELATIONS && !accept(r, relations[which]))
        which++;
    if (which == N_RELATIONS)
        return refuse(r, "expected '%', '=', '<', '>', '<=' or '>='");
    if (!(b = read_sum(r, 0)))
        return -1;
    if (which == DIFFERENT)
        return 0; /* true, but of no use in proofs */
    equal = which == EQUAL || which == ALSO_EQUAL;
    d = relations[which][0] == '<' ? gcal_poly_sub(r->c, b, a)
                                   : gcal_poly_sub(r->c, a, b);
    if (!strchr(relations[which], '='))
        d = gcal_poly_sub(r->c, d, gcal_poly_integer(r->c, 1));
    if (equal && fix_parameter(r->c, d))
        return 0;
    if (!gcal_poly_assume_nonnegative(r->c, d) ||
        (equal && !gcal_poly_assume_nonnegative(r->c, gcal_poly_scale(r->c, d, -1, 1))))
        return refuse(r, "too many assumptions");
    return 0;
}

/* The length up to the next "and" or "&&". */
static size_t clause_length(const char *text)
{
    size_t length = strcspn(text, "&");

    for (size_t i = 0; i < length; i++)
        if (isspace((unsigned char)text[i]) && strncmp(text + i + 1, "and", 3) == 0 &&
            isspace((unsigned char)text[i + 4]))
            return i;
    return length;
}

/* Remainders in the first pass; relations, which may depend on them, in the second. */
static int read_assumption(struct poly_reader *r, bool second, struct modular *all,
                           size_t *n)
{
    size_t length = clause_length(r->at);
    const char *percent = memchr(r->at, '%', length);

    if (second == !percent)
        return percent ? read_rest(r, percent, all, n) : read_relation(r);
    r->at += length;
    return 0;
}

/* floor(a/k) + number >= 0 implies a + k*number >= 0, a bound of the parameters in 'a':
 * from floor((n+15)/16) >= 1 follows n >= 1.
 */
static void assume_inside(struct gcal_poly_context *c, const struct gcal_poly *p)
{
    const struct gcal_poly_term *t = p->terms;
    struct gcal_poly_entry atom;
    int64_t number;

    if (!p->n_terms || t[0].n_factors != 1 || t[0].factors[0].power != 1 ||
        t[0].num != 1 || t[0].den != 1)
        return;
    atom = c->atoms[t[0].factors[0].atom];
    p = gcal_poly_sub(c, p, gcal_poly_from_atom(c, t[0].factors[0].atom));
    if (atom.kind == GCAL_POLY_ATOM_FLOOR && gcal_poly_is_constant(p, &number))
        gcal_poly_assume_nonnegative(
            c,
            gcal_poly_add(c, atom.a,
                          gcal_poly_scale(c, gcal_poly_integer(c, number), atom.k, 1)));
}

const struct gcal_poly *const *gcal_poly_facts(const struct gcal_poly_context *c,
                                               size_t *n)
{
    *n = c->n_facts;
    return c->facts;
}

bool gcal_poly_assume_nonnegative(struct gcal_poly_context *c, const struct gcal_poly *p)
{
    const struct gcal_poly_term *t = p->terms;

    if (c->n_facts == sizeof(c->facts) / sizeof(c->facts[0]))
        return false;
    c->facts[c->n_facts++] = p;
    /* 2*n-32 >= 0 is the lower bound 16 of n or of its hidden parameter */
    if (p->n_terms && p->n_terms <= 2 && t[0].n_factors == 1 &&
        t[0].factors[0].power == 1 && t[0].num > 0 && t[0].den == 1 &&
        c->atoms[t[0].factors[0].atom].kind == GCAL_POLY_ATOM_PARAMETER &&
        (p->n_terms == 1 || (!t[1].n_factors && t[1].den == 1))) {
        struct gcal_poly_entry *atom = &c->atoms[t[0].factors[0].atom];
        int64_t below = p->n_terms == 2 ? -t[1].num : 0; /* num*x >= below */
        int64_t least = below > 0 ? (below - 1) / t[0].num + 1 : 0;

        if (least > atom->least)
            atom->least = least;
    }
    gcal_poly_sample_again(c);
    assume_inside(c, p);
    return true;
}

int gcal_poly_assume(struct gcal_poly_context *c, const char *text,
                     struct gcal_error *err)
{
    struct modular moduli[16];
    size_t n = 0;

    for (int pass = 0; pass < 2; pass++) {
        struct poly_reader r = { c, text, text, err, false };

        do {
            if (read_assumption(&r, pass == 1, moduli, &n) < 0)
                return -1;
        } while (accept(&r, "and") || accept(&r, "&&"));
        skip_spaces(&r);
        if (*r.at) {
            complain(&r, "expected 'and' or the end");
            return -1;
        }
        for (size_t i = 0; pass == 0 && i < n; i++)
            assume_rest(&r, moduli[i].atom, moduli[i].modulus, moduli[i].rest);
    }
    return gcal_poly_context_check(c, err);
}
