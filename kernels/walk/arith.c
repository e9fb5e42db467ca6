/* arith.c - symbolic arithmetic on integers, pointers, and quotients in floating point */
#include <math.h>
#include <string.h>

#include "kernels/walk/private.h"

/* ---- types ---- */

bool gcal_walk_type_is_unsigned(CXType type)
{
    return type.kind == CXType_UInt || type.kind == CXType_ULong ||
           type.kind == CXType_ULongLong;
}

bool gcal_walk_is_nonnegative(struct gcal_walk *w, const struct gcal_poly *p)
{
    return gcal_sets_scope_implies(w->c, w->scope, p);
}

/* p where q = 0, with a dimension in both replaced. */
static const struct gcal_poly *where_zero(struct gcal_walk *w, const struct gcal_poly *p,
                                          const struct gcal_poly *q)
{
    for (size_t i = 0; i < q->n_terms; i++) {
        const struct gcal_poly_term *t = &q->terms[i];
        unsigned atom = t->n_factors ? t->factors[0].atom : 0;

        if (t->n_factors == 1 && t->factors[0].power == 1 && t->den == 1 &&
            (t->num == 1 || t->num == -1) &&
            gcal_poly_get_atom(w->c, atom).kind == GCAL_POLY_ATOM_DIMENSION &&
            gcal_poly_contains(w->c, p, atom) && gcal_poly_degree(q, atom) == 1 &&
            !gcal_poly_contains_nested(w->c, q, atom))
            return gcal_poly_substitute(
                w->c, p, atom,
                gcal_poly_sub(w->c, gcal_poly_from_atom(w->c, atom),
                              gcal_poly_scale(w->c, q, t->num, 1)));
    }
    return p;
}

const struct gcal_poly *gcal_walk_in_scope(struct gcal_walk *w, const struct gcal_poly *p)
{
    const struct gcal_poly *q;

    for (const struct gcal_sets_scope *d = w->scope; d; d = d->parent)
        if (d->kind == GCAL_SETS_SCOPE_CONDITION &&
            (q = gcal_sets_condition_find_zero(w->c, d->condition)))
            p = where_zero(w, p, q);
    return p;
}

static bool fits(struct gcal_walk *w, const struct gcal_poly *p, int64_t low,
                 int64_t high)
{
    return gcal_walk_is_nonnegative(
               w, gcal_poly_sub(w->c, p, gcal_poly_integer(w->c, low))) &&
           gcal_walk_is_nonnegative(
               w, gcal_poly_sub(w->c, gcal_poly_integer(w->c, high), p));
}

static bool is_signed(CXType type)
{
    return type.kind == CXType_Char_S || type.kind == CXType_SChar ||
           type.kind == CXType_Short;
}

/* p modulo 256^bytes, in the range of the type. */
static const struct gcal_poly *wrapped(struct gcal_walk *w, const struct gcal_poly *p,
                                       long long bytes, bool with_sign)
{
    int64_t range = (int64_t)1 << 8 * bytes, least = with_sign ? -range / 2 : 0;
    const struct gcal_poly *above;

    if (fits(w, p, least, least + range - 1))
        return p;
    above = gcal_poly_sub(w->c, p, gcal_poly_integer(w->c, least));
    return gcal_poly_sub(
        w->c, p, gcal_poly_scale(w->c, gcal_poly_floor(w->c, above, range), range, 1));
}

typedef struct gcal_walk_value change(struct gcal_walk *w, struct gcal_walk_value value,
                                      CXType from, CXType to);

/* Both sides of a choice changed, each where it is the value. */
static struct gcal_walk_value change_choice(struct gcal_walk *w,
                                            const struct gcal_walk_choice *choice,
                                            CXType from, CXType to, change *change)
{
    const struct gcal_sets_scope *before;
    struct gcal_walk_value sides[2];

    for (int no = 0; no < 2; no++) {
        before = gcal_walk_push_side(w, choice->when, !no);
        sides[no] = change(w, no ? choice->no : choice->yes, from, to);
        w->scope = before;
    }
    return gcal_walk_value_choose(w, choice->when, sides[0], sides[1]);
}

/* Types of 32 bits and more are assumed to hold all sizes and ids.  A negative unsigned
 * value represents itself modulo 2^32 or 2^64, which widening makes visible.
 */
struct gcal_walk_value gcal_walk_convert(struct gcal_walk *w,
                                         struct gcal_walk_value value, CXType from,
                                         CXType to)
{
    long long bytes = gcal_source_size(to);

    if (value.choice)
        return change_choice(w, value.choice, from, to, gcal_walk_convert);
    if (to.kind == CXType_Bool) {
        const struct gcal_sets_condition *zero;

        if (value.kind != GCAL_WALK_VALUE_INTEGER) {
            value.is_minus = false;
            value.range = gcal_walk_range_of_values(w, 2);
            return value;
        }
        zero = gcal_sets_condition_zero(w->c, value.p);
        value = gcal_walk_not_affine(NULL);
        value.condition = gcal_sets_condition_not(w->c, zero);
        return value;
    }
    if (value.widened && bytes < 8)
        return gcal_walk_stored(w, gcal_walk_integer(value.widened), to);
    if (value.kind == GCAL_WALK_VALUE_UNKNOWN)
        value.range = gcal_walk_range_converted(w, value.range, to);
    if (value.kind != GCAL_WALK_VALUE_INTEGER || from.kind == to.kind)
        return value;
    if (bytes == 8 && from.kind == CXType_UInt && !gcal_walk_is_nonnegative(w, value.p)) {
        const struct gcal_poly *p = value.p;

        value = gcal_walk_not_affine("it may be below zero and wrap, as it is unsigned");
        value.widened = p;
    } else if (bytes < 4) {
        value.p = wrapped(w, value.p, bytes, is_signed(to));
    }
    return value;
}

static struct gcal_walk_value store(struct gcal_walk *w, struct gcal_walk_value value,
                                    CXType from, CXType type)
{
    if (value.choice)
        return change_choice(w, value.choice, from, type, store);
    if (value.kind != GCAL_WALK_VALUE_INTEGER || !gcal_walk_type_is_integer(type) ||
        type.kind == CXType_Bool)
        return value;
    if (gcal_source_size(type) < 4)
        value.p = wrapped(w, value.p, gcal_source_size(type), is_signed(type));
    return value;
}

struct gcal_walk_value gcal_walk_stored(struct gcal_walk *w, struct gcal_walk_value value,
                                        CXType type)
{
    return store(w, value, type, type);
}

/* ---- operators ---- */

static struct gcal_walk_value may_wrap(struct gcal_walk *w, const struct gcal_poly *p)
{
    return gcal_walk_not_affine(
        gcal_poly_format(w->c, "'%s' may be below zero and wrap, as it is unsigned",
                         gcal_poly_text(w->c, p)));
}

/* Returns whether p has a product of ids or loop variables. */
static bool has_product(struct gcal_walk *w, const struct gcal_poly *p)
{
    for (size_t i = 0; i < p->n_terms; i++) {
        unsigned degree = 0;

        for (size_t k = 0; k < p->terms[i].n_factors; k++)
            if (gcal_poly_atom_has_dimension(w->c, p->terms[i].factors[k].atom))
                degree += p->terms[i].factors[k].power;
        if (degree > 1)
            return true;
    }
    return false;
}

/* p/q for q >= 1, as C rounds it: towards zero.  NULL where no condition on it could be
 * counted.
 */
static const struct gcal_poly *rounded_quotient(struct gcal_walk *w,
                                                const struct gcal_poly *p,
                                                const struct gcal_poly *q)
{
    const struct gcal_poly *zero = gcal_poly_integer(w->c, 0), *down, *up;
    const struct gcal_poly *minus = gcal_poly_scale(w->c, p, -1, 1);

    if (gcal_walk_is_nonnegative(w, p))
        return gcal_poly_floor_quotient(w->c, p, q);
    up = gcal_poly_floor_quotient(w->c, minus, q); /* of a negative p, without its sign */
    if (gcal_walk_is_nonnegative(w, minus))
        return gcal_poly_scale(w->c, up, -1, 1);
    if (has_product(w, p))
        return NULL;
    down = gcal_poly_max(w->c, gcal_poly_floor_quotient(w->c, p, q), zero);
    if (gcal_walk_is_nonnegative(w, gcal_poly_sub(w->c, gcal_poly_add(w->c, p, q),
                                                  gcal_poly_integer(w->c, 1))))
        return down;
    return gcal_poly_sub(w->c, down, gcal_poly_max(w->c, up, zero));
}

static struct gcal_walk_value divide(struct gcal_walk *w, bool is_unsigned,
                                     struct gcal_walk_value a, struct gcal_walk_value b,
                                     bool rest)
{
    const struct gcal_poly *quotient = gcal_poly_divide(w->c, a.p, b.p);
    const struct gcal_poly *by = b.p;
    int64_t k = 1;

    if (!quotient || !gcal_poly_is_integral(quotient)) {
        if (gcal_poly_is_constant(by, &k) && k < 0)
            by = gcal_poly_integer(w->c, -k);
        if (k == 0)
            return gcal_walk_not_affine("it divides by 0");
        if (!gcal_poly_is_size(w->c, by) &&
            !gcal_walk_is_nonnegative(
                w, gcal_poly_sub(w->c, by, gcal_poly_integer(w->c, 1))))
            return gcal_walk_not_affine(gcal_poly_format(
                w->c, "its divisor '%s' may be below 1", gcal_poly_text(w->c, b.p)));
        if (is_unsigned && (k < 0 || !gcal_walk_is_nonnegative(w, a.p)))
            return may_wrap(w, k < 0 ? b.p : a.p);
        if (!(quotient = rounded_quotient(w, a.p, by)))
            return gcal_walk_not_affine(gcal_poly_format(
                w->c, "it divides '%s', which is not affine and may be negative",
                gcal_poly_text(w->c, a.p)));
        if (k < 0)
            quotient = gcal_poly_scale(w->c, quotient, -1, 1);
    }
    if (rest)
        quotient = gcal_poly_sub(w->c, a.p, gcal_poly_mul(w->c, quotient, b.p));
    return gcal_walk_integer(quotient);
}

/* x & number, for negative x too: each run of ones, of the bits 'low' to 'high' - 1, gives
 * what x is modulo 2^high, without what it is modulo 2^low; NULL for many runs.
 */
static const struct gcal_poly *mask_bits(struct gcal_walk *w, const struct gcal_poly *x,
                                         int64_t number)
{
    enum { MOST_RUNS = 4, MOST_BITS = 40 };
    const struct gcal_poly *sum = gcal_poly_integer(w->c, 0);
    int n_runs = 0;

    if (number < 0) {
        sum = mask_bits(w, x, ~number);
        return sum ? gcal_poly_sub(w->c, x, sum) : NULL;
    }
    if (number >= INT64_C(1) << MOST_BITS)
        return NULL;
    for (int64_t low, high; number; number &= -high) {
        low = number & -number;
        high = (number + low) & -(number + low);
        if (++n_runs > MOST_RUNS)
            return NULL;
        sum = gcal_poly_add(w->c, sum,
                            gcal_poly_scale(w->c, gcal_poly_floor(w->c, x, low), low, 1));
        sum = gcal_poly_sub(
            w->c, sum, gcal_poly_scale(w->c, gcal_poly_floor(w->c, x, high), high, 1));
    }
    return sum;
}

/* 'a' and 'b' with the one that is a number, if any, last; of 2^31 and more as the one
 * below zero that an unsigned type keeps so.
 */
static void number_last(struct gcal_walk *w, CXType type, struct gcal_walk_value *a,
                        struct gcal_walk_value *b)
{
    struct gcal_walk_value swapped = *a;
    int64_t number;

    if (gcal_poly_is_constant(a->p, &number)) {
        *a = *b;
        *b = swapped;
    }
    if (type.kind == CXType_UInt && !gcal_poly_is_constant(a->p, &number) &&
        gcal_poly_is_constant(b->p, &number) && number >= INT64_C(1) << 31 &&
        number < INT64_C(1) << 32)
        b->p = gcal_poly_integer(w->c, number - (INT64_C(1) << 32));
}

static struct gcal_walk_value not_a_mask(struct gcal_walk *w, const char *op,
                                         const struct gcal_poly *b)
{
    int64_t number;

    return gcal_walk_not_affine(
        gcal_poly_is_constant(b, &number)
            ? gcal_poly_format(w->c,
                               "it contains '%s' with a number of many separate bits", op)
            : gcal_poly_format(w->c, "it contains '%s' with '%s', which is not a number",
                               op, gcal_poly_text(w->c, b)));
}

static struct gcal_walk_value mask(struct gcal_walk *w, CXType type,
                                   struct gcal_walk_value a, struct gcal_walk_value b)
{
    const struct gcal_poly *masked;
    int64_t x, y;

    number_last(w, type, &a, &b);
    if (!gcal_poly_is_constant(b.p, &y))
        return not_a_mask(w, "&", b.p);
    if (gcal_poly_is_constant(a.p, &x))
        return gcal_walk_integer(gcal_poly_integer(w->c, x & y));
    masked = mask_bits(w, a.p, y);
    return masked ? gcal_walk_integer(masked) : not_a_mask(w, "&", b.p);
}

/* x | y and x ^ y of numbers, of a multiple of 2^k and a value in 0 .. 2^k-1, or with a
 * number: x + y less what both have, once or twice.
 */
static struct gcal_walk_value bits(struct gcal_walk *w, enum CXBinaryOperatorKind kind,
                                   CXType type, struct gcal_walk_value a,
                                   struct gcal_walk_value b)
{
    const struct gcal_poly *both;
    int64_t x, y;

    number_last(w, type, &a, &b);
    if (gcal_poly_is_constant(a.p, &x) && gcal_poly_is_constant(b.p, &y))
        return gcal_walk_integer(
            gcal_poly_integer(w->c, kind == CXBinaryOperator_Or ? x | y : x ^ y));
    for (int side = 0; side < 2; side++) {
        const struct gcal_poly *high = side ? b.p : a.p, *low = side ? a.p : b.p;

        for (int64_t k = 2; k <= (int64_t)1 << 20; k *= 2)
            if (gcal_poly_is_integral(gcal_poly_scale(w->c, high, 1, k)) &&
                fits(w, low, 0, k - 1))
                return gcal_walk_integer(gcal_poly_add(w->c, high, low));
    }
    both = gcal_poly_is_constant(b.p, &y) ? mask_bits(w, a.p, y) : NULL;
    if (!both)
        return not_a_mask(w, kind == CXBinaryOperator_Or ? "|" : "^", b.p);
    return gcal_walk_integer(gcal_poly_sub(
        w->c, gcal_poly_add(w->c, a.p, b.p),
        gcal_poly_scale(w->c, both, kind == CXBinaryOperator_Or ? 1 : 2, 1)));
}

/* Hashes and random numbers of 32 bits rely on wrapping. */
static struct gcal_walk_value check_overflow(CXType type, struct gcal_walk_value value)
{
    enum { LARGEST = 1 << 24 };

    if (value.kind != GCAL_WALK_VALUE_INTEGER || type.kind == CXType_Invalid ||
        gcal_source_size(type) > 4)
        return value;
    for (size_t i = 0; i < value.p->n_terms; i++) {
        const struct gcal_poly_term *term = &value.p->terms[i];
        int64_t limit = (term->n_factors ? LARGEST : INT64_C(1) << 32) * term->den;

        if (term->num > limit || term->num < -limit)
            return gcal_walk_not_affine("it may grow beyond 32 bits");
    }
    return value;
}

static struct gcal_walk_value operate(struct gcal_walk *w, enum CXBinaryOperatorKind kind,
                                      CXType type, struct gcal_walk_value a,
                                      struct gcal_walk_value b)
{
    switch (kind) {
    case CXBinaryOperator_Add:
        return gcal_walk_integer(gcal_poly_add(w->c, a.p, b.p));
    case CXBinaryOperator_Sub:
        return gcal_walk_integer(gcal_poly_sub(w->c, a.p, b.p));
    case CXBinaryOperator_Mul:
        return gcal_walk_integer(gcal_poly_mul(w->c, a.p, b.p));
    case CXBinaryOperator_Div:
    case CXBinaryOperator_Rem:
        return divide(w, gcal_walk_type_is_unsigned(type), a, b,
                      kind == CXBinaryOperator_Rem);
    case CXBinaryOperator_And:
        return mask(w, type, a, b);
    case CXBinaryOperator_Or:
    case CXBinaryOperator_Xor:
        return bits(w, kind, type, a, b);
    case CXBinaryOperator_Shl:
    case CXBinaryOperator_Shr: {
        /* x << k is x*2^k for a constant k. */
        bool left = kind == CXBinaryOperator_Shl;
        bool is_unsigned = gcal_walk_type_is_unsigned(type);
        int64_t k;

        if (!gcal_poly_is_constant(b.p, &k) || k < 0 || k > 40)
            return gcal_walk_not_affine(
                "it shifts by something other than a small number");
        if (left)
            return gcal_walk_integer(gcal_poly_scale(w->c, a.p, (int64_t)1 << k, 1));
        if (is_unsigned && !gcal_walk_is_nonnegative(w, a.p))
            return may_wrap(w, a.p);
        return gcal_walk_integer(gcal_poly_floor(w->c, a.p, (int64_t)1 << k));
    }
    default:
        return gcal_walk_not_affine("it contains an operator that is not affine");
    }
}

static bool is_zero(struct gcal_walk_value a)
{
    return a.kind == GCAL_WALK_VALUE_INTEGER && !a.p->n_terms;
}

struct gcal_walk_value gcal_walk_value_if_fits(struct gcal_walk *w, bool had_failed,
                                               struct gcal_walk_value value)
{
    return !had_failed && gcal_poly_forgive_size(w->c)
               ? gcal_walk_not_affine("it needs more than 64 bits, or is too long")
               : value;
}

struct gcal_walk_value gcal_walk_binary(struct gcal_walk *w,
                                        enum CXBinaryOperatorKind kind, CXType type,
                                        struct gcal_walk_value a,
                                        struct gcal_walk_value b)
{
    struct gcal_walk_value value;

    if (a.kind == GCAL_WALK_VALUE_UNKNOWN && b.kind == GCAL_WALK_VALUE_UNKNOWN &&
        a.condition && b.condition && a.is_minus == b.is_minus &&
        (kind == CXBinaryOperator_And || kind == CXBinaryOperator_Or)) {
        value = gcal_walk_not_affine(NULL);
        value.condition = kind == CXBinaryOperator_And
                              ? gcal_sets_condition_and(w->c, a.condition, b.condition)
                              : gcal_sets_condition_or(w->c, a.condition, b.condition);
        value.is_minus = a.is_minus;
        return value;
    }
    if (a.choice || b.choice) {
        struct gcal_walk_predicate when = { .known = true,
                                            .when = (a.choice ? a : b).choice->when };
        const struct gcal_sets_scope *before;
        struct gcal_walk_value sides[2];

        for (int no = 0; no < 2; no++) {
            before = gcal_walk_push_side(w, when.when, !no);
            sides[no] = gcal_walk_binary(w, kind, type,
                                         gcal_walk_value_where(w, a, when.when, !no),
                                         gcal_walk_value_where(w, b, when.when, !no));
            w->scope = before;
        }
        return gcal_walk_value_select(w, &when, sides[0], sides[1]);
    }
    a = gcal_walk_value_as_integer(w, a);
    b = gcal_walk_value_as_integer(w, b);
    if (a.kind == GCAL_WALK_VALUE_POINTER && b.kind != GCAL_WALK_VALUE_POINTER &&
        (kind == CXBinaryOperator_Add || kind == CXBinaryOperator_Sub))
        return gcal_walk_pointer_add(w, a, b, kind == CXBinaryOperator_Add ? 1 : -1);
    if (b.kind == GCAL_WALK_VALUE_POINTER && a.kind != GCAL_WALK_VALUE_POINTER &&
        kind == CXBinaryOperator_Add)
        return gcal_walk_pointer_add(w, b, a, 1);
    if (kind == CXBinaryOperator_Mul && (is_zero(a) || is_zero(b)))
        return is_zero(a) ? a : b;
    if (a.kind != GCAL_WALK_VALUE_INTEGER || b.kind != GCAL_WALK_VALUE_INTEGER) {
        value = gcal_walk_not_affine(a.kind != GCAL_WALK_VALUE_INTEGER ? a.why : b.why);
        value.on_data = (a.kind != GCAL_WALK_VALUE_INTEGER && a.on_data) ||
                        (b.kind != GCAL_WALK_VALUE_INTEGER && b.on_data);
        gcal_walk_value_wait(&value, &a);
        gcal_walk_value_wait(&value, &b);
        value.range = gcal_walk_range_binary(w, kind, type, &a, &b);
        value.near = gcal_walk_near_binary(w, kind, a, b);
        return value;
    }
    bool had_failed = gcal_poly_context_has_failed(w->c);
    value = gcal_walk_value_if_fits(w, had_failed,
                                    check_overflow(type, operate(w, kind, type, a, b)));
    if (value.kind == GCAL_WALK_VALUE_UNKNOWN) {
        value.range = gcal_walk_range_binary(w, kind, type, &a, &b);
        value.near = gcal_walk_near_binary(w, kind, a, b);
    }
    return value;
}

struct gcal_walk_value gcal_walk_negated(struct gcal_walk *w, CXType type, int64_t from,
                                         struct gcal_walk_value value)
{
    bool folds = value.folds;

    if (!gcal_walk_type_is_integer(type)) {
        if (value.quotient)
            value.quotient = gcal_poly_scale(w->c, value.quotient, -1, 1);
        return value;
    }
    value = gcal_walk_binary(w, CXBinaryOperator_Sub, type,
                             gcal_walk_integer(gcal_poly_integer(w->c, from)), value);
    value.folds = folds;
    return value;
}

/* Where one of them is a choice. */
static struct gcal_walk_value add_choice(struct gcal_walk *w,
                                         struct gcal_walk_value pointer,
                                         struct gcal_walk_value by, int64_t bytes)
{
    struct gcal_walk_predicate when = {
        .known = true, .when = (pointer.choice ? pointer : by).choice->when
    };
    const struct gcal_sets_scope *before;
    struct gcal_walk_value sides[2], moved;

    for (int no = 0; no < 2; no++) {
        before = gcal_walk_push_side(w, when.when, !no);
        sides[no] =
            gcal_walk_pointer_add(w, gcal_walk_value_where(w, pointer, when.when, !no),
                                  gcal_walk_value_where(w, by, when.when, !no), bytes);
        w->scope = before;
    }
    moved = gcal_walk_value_select(w, &when, sides[0], sides[1]);
    gcal_walk_value_wait(&moved, &pointer);
    gcal_walk_value_wait(&moved, &by);
    moved.chain = gcal_walk_chain_union(w, pointer.chain, by.chain);
    return moved;
}

struct gcal_walk_value gcal_walk_pointer_add(struct gcal_walk *w,
                                             struct gcal_walk_value pointer,
                                             struct gcal_walk_value by, int64_t bytes)
{
    const struct gcal_poly *near;

    if (pointer.kind != GCAL_WALK_VALUE_POINTER && !pointer.in_array)
        return pointer;
    if (pointer.choice || (by.choice && pointer.kind == GCAL_WALK_VALUE_POINTER))
        return add_choice(w, pointer, by, bytes);
    by = gcal_walk_value_as_integer(w, by);
    if (by.kind != GCAL_WALK_VALUE_INTEGER || !pointer.p || !bytes) {
        pointer.on_data = (!pointer.p && pointer.on_data) ||
                          (by.kind != GCAL_WALK_VALUE_INTEGER && by.on_data);
        gcal_walk_value_wait(&pointer, &by);
        pointer.range = gcal_walk_range_move(w, &pointer, &by, bytes);
        pointer.chain = gcal_walk_chain_union(w, pointer.chain, by.chain);
        near = gcal_walk_base_of(by);
        near = near ? gcal_poly_scale(w->c, near, bytes, 1) : NULL;
        pointer.near = gcal_walk_near_binary(
            w, CXBinaryOperator_Add, pointer,
            (struct gcal_walk_value){ .kind = GCAL_WALK_VALUE_UNKNOWN, .near = near });
        pointer.why = pointer.p ? by.why : pointer.why;
        pointer.p = NULL;
    } else {
        pointer.p = gcal_poly_add(w->c, pointer.p, gcal_poly_scale(w->c, by.p, bytes, 1));
    }
    return pointer;
}

struct gcal_walk_value gcal_walk_pointer_shift(struct gcal_walk *w,
                                               struct gcal_walk_value pointer,
                                               int64_t bytes)
{
    const struct gcal_poly *by = gcal_poly_integer(w->c, bytes);

    if (pointer.choice)
        return gcal_walk_pointer_add(w, pointer, gcal_walk_integer(by), 1);
    if (pointer.p)
        pointer.p = gcal_poly_add(w->c, pointer.p, by);
    if (pointer.near)
        pointer.near = gcal_poly_add(w->c, pointer.near, by);
    return pointer;
}

struct gcal_walk_value gcal_walk_move_pointer(struct gcal_walk *w,
                                              struct gcal_walk_value pointer,
                                              struct gcal_walk_value by,
                                              CXType pointer_type, int sign)
{
    long long size = gcal_source_size(gcal_walk_pointee(pointer_type));

    return gcal_walk_pointer_add(w, pointer, by, size > 0 ? sign * size : 0);
}

/* ---- quotients in floating point, as in (int)ceil(n / 512.0f) ---- */

static struct gcal_walk_value make_quotient(const struct gcal_poly *p)
{
    struct gcal_walk_value value = gcal_walk_unknown("it is not an integer");

    value.quotient = p;
    return value;
}

struct gcal_walk_value gcal_walk_quotient_literal(CXCursor c, struct gcal_walk *w)
{
    enum { MOST_DIGITS = 12 }; /* of 0.1f, products are rounded */
    CXEvalResult result = clang_Cursor_Evaluate(c);
    struct gcal_walk_value value = make_quotient(NULL);
    double number = NAN;
    int64_t den = 1;

    if (result && clang_EvalResult_getKind(result) == CXEval_Float)
        number = clang_EvalResult_getAsDouble(result);
    if (result)
        clang_EvalResult_dispose(result);
    for (int i = 0; i < MOST_DIGITS && fabs(number) < 0x1p24; i++, den *= 2)
        if (number * (double)den == floor(number * (double)den)) {
            value.quotient =
                gcal_poly_rational(w->c, (int64_t)(number * (double)den), den);
            break;
        }
    return value;
}

/* Returns whether p was divided by a number other than 2^k: where that is inexact, rounding to an
 * integer has the right result, but other arithmetic need not.
 */
static bool is_rounded(const struct gcal_poly *p)
{
    int64_t den = gcal_poly_denominator(p);

    return !den || (den & (den - 1));
}

struct gcal_walk_value gcal_walk_quotient_binary(struct gcal_walk *w,
                                                 enum CXBinaryOperatorKind kind,
                                                 struct gcal_walk_value a,
                                                 struct gcal_walk_value b)
{
    const struct gcal_poly *p = a.quotient, *q = b.quotient;

    if (!p || !q || is_rounded(p) || is_rounded(q))
        return make_quotient(NULL);
    switch (kind) {
    case CXBinaryOperator_Add:
        return make_quotient(gcal_poly_add(w->c, p, q));
    case CXBinaryOperator_Sub:
        return make_quotient(gcal_poly_sub(w->c, p, q));
    case CXBinaryOperator_Mul:
        return make_quotient(gcal_poly_mul(w->c, p, q));
    case CXBinaryOperator_Div:
        return make_quotient(q->n_terms == 1 && !q->terms[0].n_factors
                                 ? gcal_poly_divide(w->c, p, q)
                                 : NULL);
    default:
        return make_quotient(NULL);
    }
}

/* floor(p), or with 'up' ceil(p) */
static const struct gcal_poly *rounded(struct gcal_walk *w, const struct gcal_poly *p,
                                       bool up)
{
    if (!up)
        return gcal_poly_floor(w->c, p, 1);
    p = gcal_poly_floor(w->c, gcal_poly_scale(w->c, p, -1, 1), 1);
    return gcal_poly_scale(w->c, p, -1, 1);
}

/* Returns whether a rational p is proven nonnegative. */
static bool is_positive(struct gcal_walk *w, const struct gcal_poly *p)
{
    int64_t den = gcal_poly_denominator(p);

    return den && gcal_walk_is_nonnegative(w, gcal_poly_scale(w->c, p, den, 1));
}

struct gcal_walk_value gcal_walk_quotient_convert(struct gcal_walk *w,
                                                  struct gcal_walk_value value, CXType to)
{
    const struct gcal_poly *p =
        value.kind == GCAL_WALK_VALUE_INTEGER ? value.p : value.quotient;

    if (to.kind == CXType_Float || to.kind == CXType_Double)
        return make_quotient(p);
    if (!gcal_walk_type_is_integer(to))
        return make_quotient(NULL);
    /* C rounds towards zero */
    if (!p || !(gcal_poly_is_integral(p) || is_positive(w, p)))
        return make_quotient(NULL);
    return gcal_walk_stored(w, gcal_walk_integer(rounded(w, p, false)), to);
}

struct gcal_walk_value gcal_walk_quotient_call(struct gcal_walk *w, const char *name,
                                               struct gcal_walk_value value)
{
    const char *mode = strncmp(name, "convert_", 8) == 0 ? strstr(name, "_rt") : name;
    bool up = mode && (strcmp(mode, "ceil") == 0 || strcmp(mode, "_rtp") == 0);
    bool down = mode && (strcmp(mode, "floor") == 0 || strcmp(mode, "_rtn") == 0);

    if (!value.quotient || (!up && !down && mode && strcmp(mode, "_rtz") != 0))
        return make_quotient(NULL);
    return make_quotient(up || down ? rounded(w, value.quotient, up) : value.quotient);
}

const char *gcal_walk_op_name(enum CXBinaryOperatorKind kind)
{
    switch (kind) {
    case CXBinaryOperator_Add:
    case CXBinaryOperator_Sub:
        return "add";
    case CXBinaryOperator_Mul:
        return "mul";
    case CXBinaryOperator_Div:
        return "div";
    case CXBinaryOperator_Rem:
        return "rem";
    case CXBinaryOperator_Shl:
        return "shl";
    case CXBinaryOperator_Shr:
        return "shr";
    case CXBinaryOperator_And:
        return "and";
    case CXBinaryOperator_Or:
        return "or";
    case CXBinaryOperator_Xor:
        return "xor";
    default:
        return NULL;
    }
}

enum CXBinaryOperatorKind gcal_walk_compound_operator(enum CXBinaryOperatorKind kind)
{
    switch (kind) {
    case CXBinaryOperator_MulAssign:
        return CXBinaryOperator_Mul;
    case CXBinaryOperator_DivAssign:
        return CXBinaryOperator_Div;
    case CXBinaryOperator_RemAssign:
        return CXBinaryOperator_Rem;
    case CXBinaryOperator_AddAssign:
        return CXBinaryOperator_Add;
    case CXBinaryOperator_SubAssign:
        return CXBinaryOperator_Sub;
    case CXBinaryOperator_ShlAssign:
        return CXBinaryOperator_Shl;
    case CXBinaryOperator_ShrAssign:
        return CXBinaryOperator_Shr;
    case CXBinaryOperator_AndAssign:
        return CXBinaryOperator_And;
    case CXBinaryOperator_XorAssign:
        return CXBinaryOperator_Xor;
    case CXBinaryOperator_OrAssign:
        return CXBinaryOperator_Or;
    default:
        return CXBinaryOperator_Invalid;
    }
}
