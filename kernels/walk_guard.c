/* walk_guard.c - conditions as affine guards */
#include "kernels/walk.h"

static bool compare(struct gcal_walk *w, CXCursor left, CXCursor right,
                    enum CXBinaryOperatorKind kind, struct gcal_guard *guard)
{
    struct gcal_value a = gcal_walk_silently(w, left), b = gcal_walk_silently(w, right);
    const struct gcal_poly *d, *one = gcal_poly_integer(w->c, 1);

    if (a.kind != VALUE_INTEGER || b.kind != VALUE_INTEGER)
        return false;
    d = gcal_poly_sub(w->c, a.p, b.p);
    *guard = (struct gcal_guard){ .n = 1 };
    switch (kind) {
    case CXBinaryOperator_LT:
        guard->conditions[0] = gcal_poly_sub(w->c, gcal_poly_scale(w->c, d, -1, 1), one);
        return true;
    case CXBinaryOperator_LE:
        guard->conditions[0] = gcal_poly_scale(w->c, d, -1, 1);
        return true;
    case CXBinaryOperator_GT:
        guard->conditions[0] = gcal_poly_sub(w->c, d, one);
        return true;
    case CXBinaryOperator_GE:
        guard->conditions[0] = d;
        return true;
    case CXBinaryOperator_EQ:
    case CXBinaryOperator_NE:
        guard->n = 2;
        guard->conditions[0] = d;
        guard->conditions[1] = gcal_poly_scale(w->c, d, -1, 1);
        guard->negated = kind == CXBinaryOperator_NE;
        return true;
    default:
        return false;
    }
}

/* A negated single condition is a condition again. */
static void straighten(struct gcal_walk *w, struct gcal_guard *guard)
{
    if (!guard->negated || guard->n != 1)
        return;
    guard->negated = false;
    guard->conditions[0] =
        gcal_poly_sub(w->c, gcal_poly_integer(w->c, -1), guard->conditions[0]);
}

/* a && b; a || b is !(!a && !b). */
static bool join(struct gcal_walk *w, CXCursor left, CXCursor right, bool is_or,
                 struct gcal_guard *guard)
{
    struct gcal_guard b;

    if (!gcal_walk_guard(w, left, guard) || !gcal_walk_guard(w, right, &b))
        return false;
    guard->negated ^= is_or;
    b.negated ^= is_or;
    straighten(w, guard);
    straighten(w, &b);
    if (guard->negated || b.negated || guard->n + b.n > GCAL_MAX_CONDITIONS)
        return false;
    for (size_t i = 0; i < b.n; i++)
        guard->conditions[guard->n++] = b.conditions[i];
    guard->negated = is_or;
    return true;
}

bool gcal_walk_guard(struct gcal_walk *w, CXCursor c, struct gcal_guard *guard)
{
    enum CXBinaryOperatorKind kind;
    struct gcal_kids kids;
    struct gcal_value value;

    c = gcal_strip(w, c);
    kids = gcal_walk_kids(w, c);
    if (w->clang->getCursorKind(c) == CXCursor_UnaryOperator && kids.n == 1 &&
        w->clang->getCursorUnaryOperatorKind(c) == CXUnaryOperator_LNot) {
        if (!gcal_walk_guard(w, kids.c[0], guard))
            return false;
        guard->negated = !guard->negated;
        straighten(w, guard);
        return true;
    }
    if (w->clang->getCursorKind(c) == CXCursor_BinaryOperator && kids.n == 2) {
        kind = w->clang->getCursorBinaryOperatorKind(c);
        if (kind == CXBinaryOperator_LAnd || kind == CXBinaryOperator_LOr)
            return join(w, kids.c[0], kids.c[1], kind == CXBinaryOperator_LOr, guard);
        if (compare(w, kids.c[0], kids.c[1], kind, guard)) {
            straighten(w, guard);
            return true;
        }
    }
    value = gcal_walk_silently(w, c); /* if (x) is if (x != 0) */
    if (value.kind != VALUE_INTEGER)
        return false;
    *guard = (struct gcal_guard){ .n = 2,
                                  .negated = true,
                                  .conditions = {
                                      value.p, gcal_poly_scale(w->c, value.p, -1, 1) } };
    return true;
}
