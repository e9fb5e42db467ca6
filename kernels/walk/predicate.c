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
    if (predicate->known)
        return gcal_sets_condition_decide(w->c, predicate->when);
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

/* A negative unsigned value represents a very large one: a < b holds when both have the
 * same sign and a is smaller, or only b is negative.
 */
static const struct gcal_sets_condition *compare_unsigned(struct gcal_walk *w,
                                                          enum CXBinaryOperatorKind kind,
                                                          const struct gcal_poly *a,
                                                          const struct gcal_poly *b)
{
    const struct gcal_poly *zero = gcal_poly_integer(w->c, 0);
    bool a_is_large = !gcal_walk_is_nonnegative(w, a);
    bool b_is_large = !gcal_walk_is_nonnegative(w, b);
    const struct gcal_sets_condition *less = compare_numbers(w, kind, a, b);
    const struct gcal_sets_condition *a_fits = at_least(w, a, zero);
    const struct gcal_sets_condition *b_fits = at_least(w, b, zero);
    const struct gcal_sets_condition *same_side, *only_one;
    bool up = kind == CXBinaryOperator_LT || kind == CXBinaryOperator_LE;

    if (kind == CXBinaryOperator_EQ || kind == CXBinaryOperator_NE)
        return less;
    /* for > and >=, 'less' is the reverse comparison */
    if (a_is_large && !b_is_large)
        return up ? gcal_sets_condition_and(w->c, a_fits, less)
                  : gcal_sets_condition_or(w->c, gcal_sets_condition_not(w->c, a_fits),
                                           less);
    if (b_is_large && !a_is_large)
        return up ? gcal_sets_condition_or(w->c, gcal_sets_condition_not(w->c, b_fits),
                                           less)
                  : gcal_sets_condition_and(w->c, b_fits, less);
    if (!a_is_large)
        return less;
    same_side = gcal_sets_condition_or(
        w->c, gcal_sets_condition_and(w->c, a_fits, b_fits),
        gcal_sets_condition_not(w->c, gcal_sets_condition_or(w->c, a_fits, b_fits)));
    only_one = gcal_sets_condition_and(
        w->c, up ? a_fits : b_fits, gcal_sets_condition_not(w->c, up ? b_fits : a_fits));
    return gcal_sets_condition_or(w->c, only_one,
                                  gcal_sets_condition_and(w->c, same_side, less));
}

/* Pointers into one array, in elements where the distance is a multiple of them. */
static struct gcal_walk_predicate compare_pointers(struct gcal_walk *w,
                                                   enum CXBinaryOperatorKind kind,
                                                   CXType type, struct gcal_walk_value a,
                                                   struct gcal_walk_value b)
{
    long long size =
        clang_Type_getSizeOf(clang_getCanonicalType(clang_getPointeeType(type)));
    const struct gcal_poly *apart;

    if (a.array != b.array || !a.p || !b.p)
        return unknown_predicate(a.on_data || b.on_data, "it compares pointers");
    apart = gcal_poly_sub(w->c, a.p, b.p);
    if (size > 0 && gcal_poly_is_integral(gcal_poly_scale(w->c, apart, 1, size)))
        apart = gcal_poly_scale(w->c, apart, 1, size);
    return known_predicate(compare_numbers(w, kind, apart, gcal_poly_integer(w->c, 0)));
}

struct gcal_walk_predicate gcal_walk_compare(struct gcal_walk *w,
                                             enum CXBinaryOperatorKind kind, CXType type,
                                             struct gcal_walk_value a,
                                             struct gcal_walk_value b)
{
    if (a.kind == GCAL_WALK_VALUE_POINTER && b.kind == GCAL_WALK_VALUE_POINTER)
        return compare_pointers(w, kind, type, a, b);
    a = gcal_walk_value_as_integer(w, a);
    b = gcal_walk_value_as_integer(w, b);
    if (a.kind != GCAL_WALK_VALUE_INTEGER || b.kind != GCAL_WALK_VALUE_INTEGER)
        return unknown_predicate((a.kind != GCAL_WALK_VALUE_INTEGER && a.on_data) ||
                                     (b.kind != GCAL_WALK_VALUE_INTEGER && b.on_data),
                                 a.kind != GCAL_WALK_VALUE_INTEGER ? a.why : b.why);
    if (gcal_walk_type_is_unsigned(type) && !w->in_control)
        return known_predicate(compare_unsigned(w, kind, a.p, b.p));
    return known_predicate(compare_numbers(w, kind, a.p, b.p));
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

struct gcal_walk_predicate gcal_walk_predicate_from_value(struct gcal_walk *w,
                                                          struct gcal_walk_value value)
{
    struct gcal_walk_predicate predicate;

    if (value.kind == GCAL_WALK_VALUE_UNKNOWN && value.condition)
        return known_predicate(value.condition);
    if (value.kind == GCAL_WALK_VALUE_INTEGER) /* if (x) is if (x != 0) */
        return known_predicate(
            gcal_sets_condition_not(w->c, gcal_sets_condition_zero(w->c, value.p)));
    predicate = unknown_predicate(value.on_data, value.why);
    predicate.when = value.when;
    predicate.unless = value.unless;
    return predicate;
}

struct gcal_walk_value
gcal_walk_value_from_predicate(struct gcal_walk_predicate predicate)
{
    struct gcal_walk_value value = gcal_walk_not_affine(predicate.why);

    value.on_data = !predicate.known && predicate.on_data;
    if (predicate.known) {
        value.condition = predicate.when;
    } else {
        value.when = predicate.when;
        value.unless = predicate.unless;
    }
    return value;
}

struct gcal_walk_predicate gcal_walk_condition(struct gcal_walk *w, CXCursor c)
{
    return gcal_walk_predicate_from_value(w, gcal_walk_expr_value(w, c));
}
