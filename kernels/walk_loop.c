/* walk_loop.c - for loops, normalised to v = 0 .. trips-1 */
#include <string.h>

#include "calib/base/buf.h"
#include "kernels/walk.h"

enum { MOST_CHANGED = 64 };

/* ---- what a loop's body changes ---- */

struct changes {
    struct gcal_walk *w;
    size_t n;
    CXCursor decls[MOST_CHANGED];
    int times[MOST_CHANGED];
    bool too_many;
};

static void note_change(struct changes *changes, CXCursor target, int times)
{
    struct gcal_walk *w = changes->w;
    CXCursor decl;

    target = gcal_strip(w, target);
    if (w->clang->getCursorKind(target) != CXCursor_DeclRefExpr)
        return;
    decl = w->clang->getCursorReferenced(target);
    for (size_t i = 0; i < changes->n; i++)
        if (w->clang->equalCursors(changes->decls[i], decl)) {
            changes->times[i] += times;
            return;
        }
    /* only what has a symbolic value can lose it */
    if (!gcal_variable_find(w, decl))
        return;
    if (changes->n == MOST_CHANGED) {
        changes->too_many = true;
        return;
    }
    changes->decls[changes->n] = decl;
    changes->times[changes->n++] = times;
}

static void find_changes(struct changes *changes, CXCursor c)
{
    struct gcal_walk *w = changes->w;
    struct gcal_kids kids = gcal_walk_kids(w, c);
    enum CXCursorKind kind = w->clang->getCursorKind(c);
    enum CXUnaryOperatorKind unary;

    if (kids.n && (kind == CXCursor_CompoundAssignOperator ||
                   (kind == CXCursor_BinaryOperator &&
                    w->clang->getCursorBinaryOperatorKind(c) == CXBinaryOperator_Assign)))
        note_change(changes, kids.c[0], 1);
    if (kids.n && kind == CXCursor_UnaryOperator) {
        unary = w->clang->getCursorUnaryOperatorKind(c);
        if (unary >= CXUnaryOperator_PostInc && unary <= CXUnaryOperator_PreDec)
            note_change(changes, kids.c[0], 1);
        if (unary == CXUnaryOperator_AddrOf)
            note_change(changes, kids.c[0], 2);
    }
    for (size_t i = 0; i < kids.n; i++)
        find_changes(changes, kids.c[i]);
}

/* ---- steps: x++, x += e, x = x + e ---- */

/* How much 'c' adds to the variable it changes; false when it is no such statement. */
static bool find_step(struct gcal_walk *w, CXCursor c, CXCursor *decl,
                      struct gcal_value *step)
{
    struct gcal_kids kids = gcal_walk_kids(w, c), sum;
    enum CXCursorKind kind = w->clang->getCursorKind(c);
    CXCursor target;
    int sign = 1;

    if (!kids.n)
        return false;
    target = gcal_strip(w, kids.c[0]);
    if (w->clang->getCursorKind(target) != CXCursor_DeclRefExpr)
        return false;
    *decl = w->clang->getCursorReferenced(target);
    *step = gcal_integer(gcal_poly_integer(w->c, 1));
    if (kind == CXCursor_UnaryOperator) {
        enum CXUnaryOperatorKind unary = w->clang->getCursorUnaryOperatorKind(c);

        if (unary == CXUnaryOperator_PostDec || unary == CXUnaryOperator_PreDec)
            sign = -1;
        else if (unary != CXUnaryOperator_PostInc && unary != CXUnaryOperator_PreInc)
            return false;
    } else if (kind == CXCursor_CompoundAssignOperator) {
        enum CXBinaryOperatorKind binary =
            gcal_compound_kind(w->clang->getCursorBinaryOperatorKind(c));

        if (binary != CXBinaryOperator_Add && binary != CXBinaryOperator_Sub)
            return false;
        sign = binary == CXBinaryOperator_Sub ? -1 : 1;
        *step = gcal_walk_silently(w, kids.c[1]);
    } else if (kind == CXCursor_BinaryOperator && kids.n == 2 &&
               w->clang->getCursorBinaryOperatorKind(c) == CXBinaryOperator_Assign) {
        enum CXBinaryOperatorKind binary;
        CXCursor right = gcal_strip(w, kids.c[1]), first;

        if (w->clang->getCursorKind(right) != CXCursor_BinaryOperator)
            return false;
        binary = w->clang->getCursorBinaryOperatorKind(right);
        sum = gcal_walk_kids(w, right);
        first = sum.n == 2 ? gcal_strip(w, sum.c[0]) : right;
        if ((binary != CXBinaryOperator_Add && binary != CXBinaryOperator_Sub) ||
            w->clang->getCursorKind(first) != CXCursor_DeclRefExpr ||
            !w->clang->equalCursors(w->clang->getCursorReferenced(first), *decl))
            return false;
        sign = binary == CXBinaryOperator_Sub ? -1 : 1;
        *step = gcal_walk_silently(w, sum.c[1]);
    } else {
        return false;
    }
    if (step->kind == VALUE_INTEGER)
        step->p = gcal_poly_scale(w->c, step->p, sign, 1);
    return step->kind == VALUE_INTEGER;
}

/* ---- the loop's range ---- */

struct range {
    CXCursor variable;
    const struct gcal_poly *start, *trips;
    int64_t step;
};

static struct gcal_value value_of(struct gcal_walk *w, CXCursor decl)
{
    struct gcal_value *known = gcal_variable_find(w, decl);

    return known ? *known : gcal_unknown("it has no value yet");
}

/* The relation and the bound of "i < e", "e > i"; a condition that is no comparison of
 * the variable is refused.
 */
static bool find_bound(struct gcal_walk *w, CXCursor condition, CXCursor variable,
                       enum CXBinaryOperatorKind *relation, CXCursor *bound)
{
    CXCursor c = gcal_strip(w, condition);
    struct gcal_kids kids = gcal_walk_kids(w, c);

    if (w->clang->getCursorKind(c) != CXCursor_BinaryOperator || kids.n != 2)
        return false;
    *relation = w->clang->getCursorBinaryOperatorKind(c);
    if (*relation < CXBinaryOperator_LT || *relation > CXBinaryOperator_NE ||
        *relation == CXBinaryOperator_EQ)
        return false;
    for (int side = 0; side < 2; side++) {
        CXCursor named = gcal_strip(w, kids.c[side]);

        if (w->clang->getCursorKind(named) != CXCursor_DeclRefExpr ||
            !w->clang->equalCursors(w->clang->getCursorReferenced(named), variable))
            continue;
        *bound = kids.c[!side];
        if (side == 1) /* n > i is i < n */
            *relation = *relation == CXBinaryOperator_LT   ? CXBinaryOperator_GT
                        : *relation == CXBinaryOperator_GT ? CXBinaryOperator_LT
                        : *relation == CXBinaryOperator_LE ? CXBinaryOperator_GE
                        : *relation == CXBinaryOperator_GE ? CXBinaryOperator_LE
                                                           : *relation;
        return true;
    }
    return false;
}

/* How often it runs, as long as that is not below 0. */
static const struct gcal_poly *count_trips(struct gcal_walk *w, CXCursor at,
                                           const struct range *range,
                                           enum CXBinaryOperatorKind relation,
                                           const struct gcal_poly *bound)
{
    bool up = range->step > 0;
    int64_t step = up ? range->step : -range->step;
    const struct gcal_poly *distance = up ? gcal_poly_sub(w->c, bound, range->start)
                                          : gcal_poly_sub(w->c, range->start, bound);
    const struct gcal_poly *trips;
    bool strict = relation == CXBinaryOperator_LT || relation == CXBinaryOperator_GT;
    bool rising = relation == CXBinaryOperator_LT || relation == CXBinaryOperator_LE;

    if (relation == CXBinaryOperator_NE) {
        trips = gcal_poly_scale(w->c, distance, 1, step);
        if (gcal_poly_is_integral(trips) && gcal_poly_is_nonnegative(w->c, trips))
            return trips;
        gcal_walk_fail(w, at,
                       "this loop may step over its bound and never end: use '<', "
                       "or assume enough about the sizes");
        return NULL;
    }
    if (rising != up) {
        gcal_walk_fail(w, at, "this loop steps away from its bound");
        return NULL;
    }
    distance = gcal_poly_add(w->c, distance, gcal_poly_integer(w->c, step - strict));
    return gcal_poly_floor(w->c, distance, step);
}

static bool find_range(struct gcal_walk *w, CXCursor loop, const CXCursor parts[4],
                       struct range *range, const struct changes *changes)
{
    CXCursor null = w->clang->getNullCursor(), bound;
    struct gcal_value step, start, end;
    enum CXBinaryOperatorKind relation;

    if (w->clang->equalCursors(parts[1], null) ||
        w->clang->equalCursors(parts[2], null)) {
        gcal_walk_fail(w, loop,
                       "a for loop needs a condition and an increment to be "
                       "counted");
        return false;
    }
    if (!find_step(w, parts[2], &range->variable, &step) ||
        !gcal_poly_is_constant(step.p, &range->step) || !range->step) {
        gcal_walk_fail(w, parts[2],
                       "this loop's variable must change by a fixed number, "
                       "as in i += 4, for the loop to be counted");
        return false;
    }
    for (size_t i = 0; i < changes->n; i++)
        if (w->clang->equalCursors(changes->decls[i], range->variable)) {
            gcal_walk_fail(w, loop,
                           "this loop's body changes its variable '%s', so it "
                           "cannot be counted",
                           gcal_walk_name(w, range->variable));
            return false;
        }
    start = value_of(w, range->variable);
    if (start.kind != VALUE_INTEGER) {
        gcal_walk_fail(w, loop,
                       "where this loop starts does not follow from sizes and "
                       "ids%s%s",
                       start.why ? ": " : "", start.why ? start.why : "");
        return false;
    }
    if (!find_bound(w, parts[1], range->variable, &relation, &bound)) {
        gcal_walk_fail(w, parts[1],
                       "this loop's condition must compare '%s' with a "
                       "bound for the loop to be counted",
                       gcal_walk_name(w, range->variable));
        return false;
    }
    end = gcal_walk_silently(w, bound);
    if (end.kind != VALUE_INTEGER) {
        gcal_walk_fail(w, bound,
                       "this loop's bound does not follow from sizes, ids and "
                       "outer loops%s%s",
                       end.why ? ": " : "", end.why ? end.why : "");
        return false;
    }
    range->start = start.p;
    range->trips = count_trips(w, loop, range, relation, end.p);
    return range->trips != NULL;
}

/* ---- variables that move along with the loop ---- */

struct induction {
    CXCursor decl;
    struct gcal_value start;
    const struct gcal_poly *step; /* elements of a pointer */
};

static struct gcal_value moved_by(struct gcal_walk *w, const struct induction *induction,
                                  const struct gcal_poly *trips)
{
    struct gcal_value value = induction->start;
    const struct gcal_poly *by = gcal_poly_mul(w->c, induction->step, trips);
    CXType type = gcal_walk_type(w, induction->decl);

    if (value.kind == VALUE_POINTER)
        by = gcal_poly_scale(w->c, by,
                             w->clang->Type_getSizeOf(w->clang->getCanonicalType(
                                 w->clang->getPointeeType(type))),
                             1);
    if (value.p)
        value.p = gcal_poly_add(w->c, value.p, by);
    return value;
}

static bool holds_continue(struct gcal_walk *w, CXCursor c)
{
    struct gcal_kids kids = gcal_walk_kids(w, c);

    if (w->clang->getCursorKind(c) == CXCursor_ContinueStmt)
        return true;
    for (size_t i = 0; i < kids.n; i++)
        if (holds_continue(w, kids.c[i]))
            return true;
    return false;
}

/* All that the body changes is not known at its start, except what one statement of the
 * body itself moves by the same in every iteration.
 */
static size_t find_inductions(struct gcal_walk *w, CXCursor body,
                              const struct changes *changes, CXCursor loop_variable,
                              struct induction *inductions)
{
    struct gcal_value starts[MOST_CHANGED], step;
    bool is_block = w->clang->getCursorKind(body) == CXCursor_CompoundStmt;
    struct gcal_kids kids =
        is_block ? gcal_walk_kids(w, body) : (struct gcal_kids){ 1, &body };
    struct gcal_value loop_value = value_of(w, loop_variable);
    CXCursor decl;
    size_t n = 0;

    for (size_t i = 0; i < changes->n; i++) {
        starts[i] = value_of(w, changes->decls[i]);
        gcal_variable_set(w, changes->decls[i],
                          gcal_unknown("the loop around it changes it"));
    }
    gcal_variable_set(w, loop_variable, gcal_unknown(NULL));
    /* what stands behind a continue may be left out */
    for (size_t k = 0; k < kids.n && !holds_continue(w, kids.c[k]); k++) {
        if (!find_step(w, kids.c[k], &decl, &step))
            continue;
        for (size_t i = 0; i < changes->n; i++)
            if (w->clang->equalCursors(changes->decls[i], decl) &&
                changes->times[i] == 1 && starts[i].kind != VALUE_UNKNOWN)
                inductions[n++] = (struct induction){ decl, starts[i], step.p };
    }
    gcal_variable_set(w, loop_variable, loop_value);
    return n;
}

/* ---- the loop ---- */

static void walk_body(struct gcal_walk *w, CXCursor loop, CXCursor body,
                      const struct range *range, const struct changes *changes)
{
    const struct gcal_domain *outside = w->domain;
    struct induction inductions[MOST_CHANGED];
    const struct gcal_poly *v = gcal_poly_dimension(
        w->c, gcal_walk_name(w, range->variable),
        gcal_poly_sub(w->c, range->trips, gcal_poly_integer(w->c, 1)));
    const struct gcal_poly *past;
    size_t n = find_inductions(w, body, changes, range->variable, inductions);

    for (size_t i = 0; i < n; i++)
        gcal_variable_set(w, inductions[i].decl, moved_by(w, &inductions[i], v));
    gcal_variable_set(w, range->variable,
                      gcal_integer(gcal_poly_add(
                          w->c, range->start, gcal_poly_scale(w->c, v, range->step, 1))));
    /* behind the loop; it never runs a negative number of times */
    past = gcal_poly_max(w->c, range->trips, gcal_poly_integer(w->c, 0));
    gcal_push_loop(w, loop, gcal_poly_atom(v), range->trips);
    w->loop_depth++;
    gcal_walk_stmt(w, body);
    w->loop_depth--;
    w->domain = outside;
    for (size_t i = 0; i < changes->n; i++)
        gcal_variable_set(w, changes->decls[i], gcal_unknown("a loop before changes it"));
    for (size_t i = 0; i < n; i++)
        gcal_variable_set(w, inductions[i].decl, moved_by(w, &inductions[i], past));
    gcal_variable_set(
        w, range->variable,
        gcal_integer(gcal_poly_add(w->c, range->start,
                                   gcal_poly_scale(w->c, past, range->step, 1))));
}

enum gcal_flow gcal_walk_for(struct gcal_walk *w, CXCursor c)
{
    struct changes changes = { .w = w };
    struct range range = { 0 };
    CXCursor parts[4], null = w->clang->getNullCursor();

    if (gcal_for_parts(w->unit, c, parts, w->err) < 0) {
        w->failed = true;
        return FLOW_LEFT;
    }
    if (!w->clang->equalCursors(parts[0], null)) {
        w->quiet++;
        gcal_walk_stmt(w, parts[0]);
        w->quiet--;
    }
    find_changes(&changes, parts[3]);
    if (changes.too_many)
        gcal_walk_fail(w, c, "this loop's body changes more than %d variables",
                       MOST_CHANGED);
    if (!w->failed) {
        /* a bound that the body changes is none */
        struct gcal_value kept[MOST_CHANGED];
        bool found;

        for (size_t i = 0; i < changes.n; i++) {
            kept[i] = value_of(w, changes.decls[i]);
            gcal_variable_set(w, changes.decls[i],
                              gcal_unknown("the loop's own body changes it"));
        }
        found = find_range(w, c, parts, &range, &changes);
        for (size_t i = 0; i < changes.n; i++)
            gcal_variable_set(w, changes.decls[i], kept[i]);
        if (found)
            walk_body(w, c, parts[3], &range, &changes);
    }
    return FLOW_ON;
}
