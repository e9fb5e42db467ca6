/* walk_guard.c - expressions as conditions on ids, sizes and loop variables */
#include "kernels/walk.h"

static const struct gcal_condition *compare(struct gcal_walk *w, CXCursor left,
                                            CXCursor right,
                                            enum CXBinaryOperatorKind kind)
{
    struct gcal_value a = gcal_walk_silently(w, left), b = gcal_walk_silently(w, right);
    const struct gcal_poly *d;

    if (a.kind != VALUE_INTEGER || b.kind != VALUE_INTEGER)
        return NULL;
    d = gcal_poly_sub(w->c, a.p, b.p);
    switch (kind) {
    case CXBinaryOperator_GE:
        return gcal_condition_nonnegative(w->c, d);
    case CXBinaryOperator_LT:
        return gcal_condition_not(w->c, gcal_condition_nonnegative(w->c, d));
    case CXBinaryOperator_LE:
        return gcal_condition_nonnegative(w->c, gcal_poly_scale(w->c, d, -1, 1));
    case CXBinaryOperator_GT:
        return gcal_condition_not(
            w->c, gcal_condition_nonnegative(w->c, gcal_poly_scale(w->c, d, -1, 1)));
    case CXBinaryOperator_EQ:
        return gcal_condition_zero(w->c, d);
    case CXBinaryOperator_NE:
        return gcal_condition_not(w->c, gcal_condition_zero(w->c, d));
    default:
        return NULL;
    }
}

static const struct gcal_condition *join(struct gcal_walk *w, CXCursor left,
                                         CXCursor right, bool is_or)
{
    const struct gcal_condition *a = gcal_walk_condition(w, left);
    const struct gcal_condition *b = gcal_walk_condition(w, right);

    if (!a || !b)
        return NULL;
    return is_or ? gcal_condition_or(w->c, a, b) : gcal_condition_and(w->c, a, b);
}

const struct gcal_condition *gcal_walk_condition(struct gcal_walk *w, CXCursor c)
{
    const struct gcal_condition *found;
    enum CXBinaryOperatorKind kind;
    struct gcal_kids kids;
    struct gcal_value value;

    c = gcal_strip(w, c);
    kids = gcal_walk_kids(w, c);
    if (w->clang->getCursorKind(c) == CXCursor_UnaryOperator && kids.n == 1 &&
        w->clang->getCursorUnaryOperatorKind(c) == CXUnaryOperator_LNot) {
        found = gcal_walk_condition(w, kids.c[0]);
        return found ? gcal_condition_not(w->c, found) : NULL;
    }
    if (w->clang->getCursorKind(c) == CXCursor_BinaryOperator && kids.n == 2) {
        kind = w->clang->getCursorBinaryOperatorKind(c);
        if (kind == CXBinaryOperator_LAnd || kind == CXBinaryOperator_LOr)
            return join(w, kids.c[0], kids.c[1], kind == CXBinaryOperator_LOr);
        if ((found = compare(w, kids.c[0], kids.c[1], kind)))
            return found;
    }
    value = gcal_walk_silently(w, c); /* if (x) is if (x != 0) */
    if (value.kind != VALUE_INTEGER)
        return NULL;
    return gcal_condition_not(w->c, gcal_condition_zero(w->c, value.p));
}
