/* predicate.c - expressions as conditions on ids, sizes and loop variables */
#include "kernels/walk/private.h"

static struct gcal_walk_predicate unknown_predicate(bool on_data, const char *why)
{
    return (struct gcal_walk_predicate){ .on_data = on_data, .why = why };
}

static struct gcal_walk_predicate
known_predicate(const struct gcal_sets_condition *condition)
{
    return (struct gcal_walk_predicate){ .known = true, .when = condition };
}

struct gcal_walk_predicate gcal_walk_predicate_not(struct gcal_walk *w,
                                                   struct gcal_walk_predicate predicate)
{
    const struct gcal_sets_condition *when = predicate.when;

    if (predicate.known) {
        predicate.when = gcal_sets_condition_not(w->c, predicate.when);
        return predicate;
    }
    predicate.when = predicate.unless;
    predicate.unless = when;
    return predicate;
}

int gcal_walk_predicate_decide(struct gcal_walk *w,
                               const struct gcal_walk_predicate *predicate)
{
    int decided;

    if (predicate->known) {
        decided = gcal_sets_condition_decide(w->c, predicate->when);
        return decided < 0 ? gcal_walk_scope_decides(w, predicate->when) : decided;
    }
    if (predicate->when && gcal_sets_condition_decide(w->c, predicate->when) == 0)
        return 0;
    return predicate->unless && gcal_sets_condition_decide(w->c, predicate->unless) == 0
               ? 1
               : -1;
}

/* ---- comparisons ---- */

static const struct gcal_sets_condition *
at_least(struct gcal_walk *w, const struct gcal_poly *a, const struct gcal_poly *b)
{
    return gcal_sets_condition_nonnegative(w->c, gcal_poly_sub(w->c, a, b));
}

static const struct gcal_sets_condition *compare_numbers(struct gcal_walk *w,
                                                         enum CXBinaryOperatorKind kind,
                                                         const struct gcal_poly *a,
                                                         const struct gcal_poly *b)
{
    const struct gcal_sets_condition *same =
        gcal_sets_condition_zero(w->c, gcal_poly_sub(w->c, a, b));

    switch (kind) {
    case CXBinaryOperator_GE:
        return at_least(w, a, b);
    case CXBinaryOperator_LT:
        return gcal_sets_condition_not(w->c, at_least(w, a, b));
    case CXBinaryOperator_LE:
        return at_least(w, b, a);
    case CXBinaryOperator_GT:
        return gcal_sets_condition_not(w->c, at_least(w, b, a));
    case CXBinaryOperator_EQ:
        return same;
    default:
        return gcal_sets_condition_not(w->c, same);
    }
}

/* A side of a comparison: where p < 0, an unsigned one is larger than any size. */
struct side {
    const struct gcal_poly *p;
    bool may_wrap, is_widened; /* at 2^32, or at the end of its type */
};

/* A loop's bound is not below zero where it is made of sizes alone, as in "j < n - 1":
 * the loop would run 2^32 times.
 */
static bool may_be_large(struct gcal_walk *w, const struct side *side,
                         const struct side *other)
{
    if (!side->may_wrap || gcal_walk_is_nonnegative(w, side->p))
        return false;
    return !(w->in_control && gcal_poly_contains(w->c, other->p, w->control_dimension)) ||
           gcal_poly_has_dimension(w->c, side->p);
}

/* a < b, or a <= b: both are on one side of zero and a is smaller, or only b is large. */
static const struct gcal_sets_condition *less(struct gcal_walk *w,
                                              enum CXBinaryOperatorKind kind,
                                              const struct side *a, const struct side *b)
{
    const struct gcal_sets_condition *smaller = compare_numbers(w, kind, a->p, b->p);
    const struct gcal_poly *zero = gcal_poly_integer(w->c, 0);
    const struct gcal_sets_condition *a_fits = at_least(w, a->p, zero);
    const struct gcal_sets_condition *b_fits = at_least(w, b->p, zero);
    const struct gcal_sets_condition *same_side, *only_b;
    bool a_is_large = may_be_large(w, a, b), b_is_large = may_be_large(w, b, a);

    if (!b_is_large)
        return a_is_large ? gcal_sets_condition_and(w->c, a_fits, smaller) : smaller;
    only_b = gcal_sets_condition_not(w->c, b_fits);
    if (!a_is_large)
        return gcal_sets_condition_or(w->c, only_b, smaller);
    only_b = gcal_sets_condition_and(w->c, a_fits, only_b);
    same_side = gcal_sets_condition_or(
        w->c, gcal_sets_condition_and(w->c, a_fits, b_fits),
        gcal_sets_condition_not(w->c, gcal_sets_condition_or(w->c, a_fits, b_fits)));
    return gcal_sets_condition_or(w->c, only_b,
                                  gcal_sets_condition_and(w->c, same_side, smaller));
}

/* A number of 2^31 and more is one below zero, which wraps. */
static void wrap_number(struct gcal_walk *w, struct side *side)
{
    int64_t number;

    if (gcal_poly_is_constant(side->p, &number) && number >= INT64_C(1) << 31 &&
        number < INT64_C(1) << 32)
        *side = (struct side){ gcal_poly_integer(w->c, number - (INT64_C(1) << 32)), true,
                               true };
}

static const struct gcal_sets_condition *compare_wrapping(struct gcal_walk *w,
                                                          enum CXBinaryOperatorKind kind,
                                                          struct side a, struct side b)
{
    const struct gcal_sets_condition *same;

    switch (kind) {
    case CXBinaryOperator_GT:
        return less(w, CXBinaryOperator_LT, &b, &a);
    case CXBinaryOperator_GE:
        return less(w, CXBinaryOperator_LE, &b, &a);
    case CXBinaryOperator_LT:
    case CXBinaryOperator_LE:
        return less(w, kind, &a, &b);
    default:
        same = compare_numbers(w, CXBinaryOperator_EQ, a.p, b.p);
        if (a.is_widened != b.is_widened)
            same = gcal_sets_condition_and(w->c, same,
                                           at_least(w, a.p, gcal_poly_integer(w->c, 0)));
        return kind == CXBinaryOperator_EQ ? same : gcal_sets_condition_not(w->c, same);
    }
}

static bool has_number(const struct gcal_walk_value *a)
{
    return a->kind == GCAL_WALK_VALUE_INTEGER || a->widened;
}

static struct side side_of(struct gcal_walk_value a, CXType type)
{
    return (struct side){ a.widened ? a.widened : a.p,
                          a.widened || gcal_walk_type_is_unsigned(type),
                          a.widened || type.kind == CXType_UInt };
}

static const struct gcal_sets_condition *
compare_integers(struct gcal_walk *w, enum CXBinaryOperatorKind kind, CXType type,
                 struct gcal_walk_value a, struct gcal_walk_value b)
{
    struct side x = side_of(a, type), y = side_of(b, type);

    if (!x.may_wrap && !y.may_wrap)
        return compare_numbers(w, kind, a.p, b.p);
    if (x.is_widened || y.is_widened) {
        wrap_number(w, &x);
        wrap_number(w, &y);
    }
    return compare_wrapping(w, kind, x, y);
}

/* Pointers into one array, in elements where the distance is a multiple of them. */
static struct gcal_walk_predicate compare_pointers(struct gcal_walk *w,
                                                   enum CXBinaryOperatorKind kind,
                                                   CXType type, struct gcal_walk_value a,
                                                   struct gcal_walk_value b)
{
    long long size = gcal_source_size(gcal_walk_pointee(type));
    const struct gcal_poly *apart;

    if (a.array != b.array || !a.p || !b.p)
        return unknown_predicate(a.on_data || b.on_data, "it compares pointers");
    apart = gcal_poly_sub(w->c, a.p, b.p);
    if (size > 0 && gcal_poly_is_integral(gcal_poly_scale(w->c, apart, 1, size)))
        apart = gcal_poly_scale(w->c, apart, 1, size);
    return known_predicate(compare_numbers(w, kind, apart, gcal_poly_integer(w->c, 0)));
}

/* The size to fix, as no condition on powers of two can be counted. */
static const char *scaled_size(struct gcal_walk *w, struct gcal_walk_value a,
                               struct gcal_walk_value b)
{
    const char *size = a.p ? gcal_trips_scaled_size(w->c, a.p) : NULL;

    return size || !b.p ? size : gcal_trips_scaled_size(w->c, b.p);
}

struct gcal_walk_predicate gcal_walk_compare(struct gcal_walk *w,
                                             enum CXBinaryOperatorKind kind, CXType type,
                                             struct gcal_walk_value a,
                                             struct gcal_walk_value b)
{
    struct gcal_walk_predicate result;
    const char *size;

    if (a.choice || b.choice) {
        struct gcal_walk_predicate when =
            known_predicate((a.choice ? a : b).choice->when);
        const struct gcal_sets_scope *before;
        struct gcal_walk_predicate sides[2];

        for (int no = 0; no < 2; no++) {
            before = gcal_walk_push_side(w, when.when, !no);
            sides[no] = gcal_walk_compare(w, kind, type,
                                          gcal_walk_value_where(w, a, when.when, !no),
                                          gcal_walk_value_where(w, b, when.when, !no));
            w->scope = before;
            sides[no] = gcal_walk_predicate_and(
                w, no ? gcal_walk_predicate_not(w, when) : when, sides[no]);
        }
        return gcal_walk_predicate_or(w, sides[0], sides[1]);
    }
    if (a.kind == GCAL_WALK_VALUE_POINTER && b.kind == GCAL_WALK_VALUE_POINTER)
        return compare_pointers(w, kind, type, a, b);
    a = gcal_walk_value_as_integer(w, a);
    b = gcal_walk_value_as_integer(w, b);
    if (!has_number(&a) || !has_number(&b))
        return unknown_predicate((!has_number(&a) && a.on_data) ||
                                     (!has_number(&b) && b.on_data),
                                 has_number(&a) ? b.why : a.why);
    result = known_predicate(compare_integers(w, kind, type, a, b));
    if (w->in_control &&
        gcal_sets_condition_contains(w->c, result.when, w->control_dimension))
        return result;
    size = gcal_walk_predicate_decide(w, &result) < 0 ? scaled_size(w, a, b) : NULL;
    if (size)
        return unknown_predicate(
            false, gcal_poly_format(w->c,
                                    "it compares a variable that doubles or halves, as "
                                    "often as '%s' says: fix '%s' as a number (--assume "
                                    "\"%s = 1024\")",
                                    size, size, size));
    return result;
}

/* ---- && and || ---- */

static const struct gcal_sets_condition *all(struct gcal_walk *w,
                                             const struct gcal_sets_condition *a,
                                             const struct gcal_sets_condition *b)
{
    return a && b ? gcal_sets_condition_and(w->c, a, b) : a ? a : b;
}

/* Where a side is unknown, its necessary conditions are kept: a && b needs both. */
struct gcal_walk_predicate gcal_walk_predicate_and(struct gcal_walk *w,
                                                   struct gcal_walk_predicate a,
                                                   struct gcal_walk_predicate b)
{
    struct gcal_walk_predicate joined = { .known = a.known && b.known };
    struct gcal_walk_predicate not_a = gcal_walk_predicate_not(w, a),
                               not_b = gcal_walk_predicate_not(w, b);

    if (gcal_walk_predicate_decide(w, &a) == 1)
        return b;
    if (gcal_walk_predicate_decide(w, &b) == 1)
        return a;
    joined.when = all(w, a.when, b.when);
    joined.on_data = (!a.known && a.on_data) || (!b.known && b.on_data);
    joined.why = a.known ? b.why : a.why;
    if (joined.known)
        return joined;
    if (not_a.when && not_b.when)
        joined.unless = gcal_sets_condition_or(w->c, not_a.when, not_b.when);
    /* a side that never holds decides */
    if (gcal_walk_predicate_decide(w, &a) == 0 && a.known)
        return a;
    return gcal_walk_predicate_decide(w, &b) == 0 && b.known ? b : joined;
}

struct gcal_walk_predicate gcal_walk_predicate_or(struct gcal_walk *w,
                                                  struct gcal_walk_predicate a,
                                                  struct gcal_walk_predicate b)
{
    return gcal_walk_predicate_not(
        w, gcal_walk_predicate_and(w, gcal_walk_predicate_not(w, a),
                                   gcal_walk_predicate_not(w, b)));
}

/* ---- predicates and values ---- */

static struct gcal_walk_predicate
side_of_choice(struct gcal_walk *w, const struct gcal_walk_choice *choice, bool holds)
{
    struct gcal_walk_predicate when = known_predicate(choice->when);

    return gcal_walk_predicate_and(
        w, holds ? when : gcal_walk_predicate_not(w, when),
        gcal_walk_predicate_from_value(w, holds ? choice->yes : choice->no));
}

static struct gcal_walk_predicate from_value(struct gcal_walk *w,
                                             struct gcal_walk_value value)
{
    struct gcal_walk_predicate predicate;

    if (value.kind == GCAL_WALK_VALUE_UNKNOWN && value.condition)
        return known_predicate(value.condition);
    if (value.choice)
        return gcal_walk_predicate_or(w, side_of_choice(w, value.choice, true),
                                      side_of_choice(w, value.choice, false));
    if (value.kind == GCAL_WALK_VALUE_INTEGER) /* if (x) is if (x != 0) */
        return known_predicate(
            gcal_sets_condition_not(w->c, gcal_sets_condition_zero(w->c, value.p)));
    if (value.kind == GCAL_WALK_VALUE_POINTER) /* an argument may be null */
        return unknown_predicate(true, "it is whether a pointer is null");
    predicate = unknown_predicate(value.on_data, value.why);
    predicate.when = value.when;
    predicate.unless = value.unless;
    return predicate;
}

struct gcal_walk_predicate gcal_walk_predicate_from_value(struct gcal_walk *w,
                                                          struct gcal_walk_value value)
{
    struct gcal_walk_predicate predicate = from_value(w, value);

    predicate.chain = value.kind == GCAL_WALK_VALUE_UNKNOWN ? value.chain : NULL;
    return predicate;
}

struct gcal_walk_value
gcal_walk_value_from_predicate(struct gcal_walk *w, struct gcal_walk_predicate predicate)
{
    struct gcal_walk_value value = gcal_walk_not_affine(predicate.why);

    value.on_data = !predicate.known && predicate.on_data;
    if (predicate.known) {
        value.condition = predicate.when;
    } else {
        value.when = predicate.when;
        value.unless = predicate.unless;
        value.range = gcal_walk_range_of_values(w, 2);
    }
    return value;
}

struct gcal_walk_predicate gcal_walk_condition(struct gcal_walk *w, CXCursor c)
{
    return gcal_walk_predicate_from_value(w, gcal_walk_expr_value(w, c));
}
