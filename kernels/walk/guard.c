/* walk_guard.c - expressions as conditions on ids, sizes and loop variables */
#include "kernels/walk/private.h"

static struct gcal_truth unknown_truth(bool on_data, const char *why)
{
    return (struct gcal_truth){ .on_data = on_data, .why = why };
}

static struct gcal_truth known_truth(const struct gcal_condition *condition)
{
    return (struct gcal_truth){ .known = true, .when = condition };
}

struct gcal_truth gcal_truth_not(struct gcal_walk *w, struct gcal_truth truth)
{
    const struct gcal_condition *when = truth.when;

    if (truth.known) {
        truth.when = gcal_condition_not(w->c, truth.when);
        return truth;
    }
    truth.when = truth.unless;
    truth.unless = when;
    return truth;
}

int gcal_truth_decide(struct gcal_walk *w, const struct gcal_truth *truth)
{
    if (truth->known)
        return gcal_condition_decide(w->c, truth->when);
    if (truth->when && gcal_condition_decide(w->c, truth->when) == 0)
        return 0;
    return truth->unless && gcal_condition_decide(w->c, truth->unless) == 0 ? 1 : -1;
}

/* ---- comparisons ---- */

static const struct gcal_condition *
at_least(struct gcal_walk *w, const struct gcal_poly *a, const struct gcal_poly *b)
{
    return gcal_condition_nonnegative(w->c, gcal_poly_sub(w->c, a, b));
}

static const struct gcal_condition *compare_numbers(struct gcal_walk *w,
                                                    enum CXBinaryOperatorKind kind,
                                                    const struct gcal_poly *a,
                                                    const struct gcal_poly *b)
{
    const struct gcal_condition *same =
        gcal_condition_zero(w->c, gcal_poly_sub(w->c, a, b));

    switch (kind) {
    case CXBinaryOperator_GE:
        return at_least(w, a, b);
    case CXBinaryOperator_LT:
        return gcal_condition_not(w->c, at_least(w, a, b));
    case CXBinaryOperator_LE:
        return at_least(w, b, a);
    case CXBinaryOperator_GT:
        return gcal_condition_not(w->c, at_least(w, b, a));
    case CXBinaryOperator_EQ:
        return same;
    default:
        return gcal_condition_not(w->c, same);
    }
}

/* An unsigned value below zero stands for a very large one: a < b when a is the smaller
 * of two with the same sign, or only b is below zero.
 */
static const struct gcal_condition *compare_unsigned(struct gcal_walk *w,
                                                     enum CXBinaryOperatorKind kind,
                                                     const struct gcal_poly *a,
                                                     const struct gcal_poly *b)
{
    const struct gcal_poly *zero = gcal_poly_integer(w->c, 0);
    bool a_is_large = !gcal_walk_is_nonnegative(w, a);
    bool b_is_large = !gcal_walk_is_nonnegative(w, b);
    const struct gcal_condition *less = compare_numbers(w, kind, a, b);
    const struct gcal_condition *a_fits = at_least(w, a, zero);
    const struct gcal_condition *b_fits = at_least(w, b, zero);
    const struct gcal_condition *same_side, *only_one;
    bool up = kind == CXBinaryOperator_LT || kind == CXBinaryOperator_LE;

    if (kind == CXBinaryOperator_EQ || kind == CXBinaryOperator_NE)
        return less;
    /* 'less' is the other way round for > and >= */
    if (a_is_large && !b_is_large)
        return up ? gcal_condition_and(w->c, a_fits, less)
                  : gcal_condition_or(w->c, gcal_condition_not(w->c, a_fits), less);
    if (b_is_large && !a_is_large)
        return up ? gcal_condition_or(w->c, gcal_condition_not(w->c, b_fits), less)
                  : gcal_condition_and(w->c, b_fits, less);
    if (!a_is_large)
        return less;
    same_side = gcal_condition_or(
        w->c, gcal_condition_and(w->c, a_fits, b_fits),
        gcal_condition_not(w->c, gcal_condition_or(w->c, a_fits, b_fits)));
    only_one = gcal_condition_and(w->c, up ? a_fits : b_fits,
                                  gcal_condition_not(w->c, up ? b_fits : a_fits));
    return gcal_condition_or(w->c, only_one, gcal_condition_and(w->c, same_side, less));
}

/* Pointers into one array, by elements where those are whole. */
static struct gcal_truth compare_pointers(struct gcal_walk *w,
                                          enum CXBinaryOperatorKind kind, CXType type,
                                          struct gcal_value a, struct gcal_value b)
{
    long long size =
        clang_Type_getSizeOf(clang_getCanonicalType(clang_getPointeeType(type)));
    const struct gcal_poly *apart;

    if (a.array != b.array || !a.p || !b.p)
        return unknown_truth(a.on_data || b.on_data, "it compares pointers");
    apart = gcal_poly_sub(w->c, a.p, b.p);
    if (size > 0 && gcal_poly_is_integral(gcal_poly_scale(w->c, apart, 1, size)))
        apart = gcal_poly_scale(w->c, apart, 1, size);
    return known_truth(compare_numbers(w, kind, apart, gcal_poly_integer(w->c, 0)));
}

struct gcal_truth gcal_compare(struct gcal_walk *w, enum CXBinaryOperatorKind kind,
                               CXType type, struct gcal_value a, struct gcal_value b)
{
    if (a.kind == VALUE_POINTER && b.kind == VALUE_POINTER)
        return compare_pointers(w, kind, type, a, b);
    a = gcal_value_as_integer(w, a);
    b = gcal_value_as_integer(w, b);
    if (a.kind != VALUE_INTEGER || b.kind != VALUE_INTEGER)
        return unknown_truth((a.kind != VALUE_INTEGER && a.on_data) ||
                                 (b.kind != VALUE_INTEGER && b.on_data),
                             a.kind != VALUE_INTEGER ? a.why : b.why);
    if (gcal_type_is_unsigned(type) && !w->in_control)
        return known_truth(compare_unsigned(w, kind, a.p, b.p));
    return known_truth(compare_numbers(w, kind, a.p, b.p));
}

/* ---- && and || ---- */

static const struct gcal_condition *
all(struct gcal_walk *w, const struct gcal_condition *a, const struct gcal_condition *b)
{
    return a && b ? gcal_condition_and(w->c, a, b) : a ? a : b;
}

/* What can be said when a side is not known: if a && b holds, both do. */
struct gcal_truth gcal_truth_both(struct gcal_walk *w, struct gcal_truth a,
                                  struct gcal_truth b)
{
    struct gcal_truth joined = { .known = a.known && b.known };
    struct gcal_truth not_a = gcal_truth_not(w, a), not_b = gcal_truth_not(w, b);

    if (gcal_truth_decide(w, &a) == 1)
        return b;
    if (gcal_truth_decide(w, &b) == 1)
        return a;
    joined.when = all(w, a.when, b.when);
    joined.on_data = (!a.known && a.on_data) || (!b.known && b.on_data);
    joined.why = a.known ? b.why : a.why;
    if (joined.known)
        return joined;
    if (not_a.when && not_b.when)
        joined.unless = gcal_condition_or(w->c, not_a.when, not_b.when);
    /* a known side that never holds decides */
    if (gcal_truth_decide(w, &a) == 0 && a.known)
        return a;
    return gcal_truth_decide(w, &b) == 0 && b.known ? b : joined;
}

struct gcal_truth gcal_truth_either(struct gcal_walk *w, struct gcal_truth a,
                                    struct gcal_truth b)
{
    return gcal_truth_not(w,
                          gcal_truth_both(w, gcal_truth_not(w, a), gcal_truth_not(w, b)));
}

/* ---- truths and values ---- */

struct gcal_truth gcal_value_truth(struct gcal_walk *w, struct gcal_value value)
{
    struct gcal_truth truth;

    if (value.kind == VALUE_UNKNOWN && value.condition)
        return known_truth(value.condition);
    if (value.kind == VALUE_INTEGER) /* if (x) is if (x != 0) */
        return known_truth(gcal_condition_not(w->c, gcal_condition_zero(w->c, value.p)));
    truth = unknown_truth(value.on_data, value.why);
    truth.when = value.when;
    truth.unless = value.unless;
    return truth;
}

struct gcal_value gcal_truth_value(struct gcal_truth truth)
{
    struct gcal_value value = gcal_not_affine(truth.why);

    value.on_data = !truth.known && truth.on_data;
    if (truth.known) {
        value.condition = truth.when;
    } else {
        value.when = truth.when;
        value.unless = truth.unless;
    }
    return value;
}

struct gcal_truth gcal_walk_truth(struct gcal_walk *w, CXCursor c)
{
    return gcal_value_truth(w, gcal_walk_silently(w, c));
}
