/* walk_stmt.c - statements and conditions around them */
#include <stdlib.h>
#include <string.h>

#include "kernels/walk.h"

static void declare(struct gcal_walk *w, CXCursor decl)
{
    CXType type = gcal_walk_type(w, decl);
    struct gcal_kids kids = gcal_walk_kids(w, decl);
    struct gcal_value value = gcal_unknown("it has no value yet");
    bool is_array =
        type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray;
    /* array bounds stand among the children, the initialiser last */
    bool has_value =
        kids.n && (!is_array ||
                   w->clang->getCursorKind(kids.c[kids.n - 1]) == CXCursor_InitListExpr);

    if (w->clang->getCursorKind(decl) != CXCursor_VarDecl)
        return;
    if (has_value)
        value = gcal_is_index(w, decl) || type.kind == CXType_Pointer
                    ? gcal_walk_quietly(w, kids.c[kids.n - 1])
                    : gcal_walk_expr(w, kids.c[kids.n - 1]);
    if (!is_array)
        gcal_variable_set(w, decl, value);
}

/* ---- conditions ---- */

static bool same_value(struct gcal_value a, struct gcal_value b)
{
    if (a.kind != b.kind || a.array != b.array)
        return false;
    return a.p == b.p || (a.p && b.p && gcal_poly_equal(a.p, b.p));
}

/* What the variables were before, in the context's memory. */
static struct gcal_variable *snapshot(struct gcal_walk *w, size_t *n)
{
    struct gcal_variable *copy =
        gcal_polys_alloc(w->c, w->n_variables * sizeof(*copy) + 1);

    *n = copy ? w->n_variables : 0;
    if (*n)
        memcpy(copy, w->variables, *n * sizeof(*copy));
    return copy;
}

static void restore(struct gcal_walk *w, const struct gcal_variable *saved, size_t n)
{
    for (size_t i = 0; i < n; i++)
        w->variables[i].value = saved[i].value;
}

/* A variable that two ways leave with different values is not known behind them. */
static void merge(struct gcal_walk *w, const struct gcal_variable *other, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!same_value(w->variables[i].value, other[i].value))
            w->variables[i].value = gcal_unknown("it follows a condition");
}

static const char both_sides[] =
    "both sides were counted: the condition does not follow from sizes and ids";

static enum gcal_flow walk_branches(struct gcal_walk *w, CXCursor at,
                                    struct gcal_kids kids,
                                    const struct gcal_condition *condition)
{
    const struct gcal_domain *before = w->domain;
    enum gcal_flow yes, no = FLOW_ON;
    struct gcal_variable *saved, *after;
    const struct gcal_condition *otherwise;
    size_t n_saved, n_after;
    int line, column;

    gcal_count_branch(w, at, condition);
    saved = snapshot(w, &n_saved);
    gcal_push_condition(w, at, condition, both_sides);
    yes = gcal_walk_stmt(w, kids.c[1]);
    after = snapshot(w, &n_after);
    restore(w, saved, n_saved);
    w->domain = before;
    otherwise = condition ? gcal_condition_not(w->c, condition) : NULL;
    if (kids.n > 2) {
        gcal_push_condition(w, at, otherwise, both_sides);
        no = gcal_walk_stmt(w, kids.c[2]);
        w->domain = before;
    }
    if (yes == FLOW_LEFT && no == FLOW_LEFT)
        return FLOW_LEFT;
    if (yes != FLOW_LEFT && no != FLOW_LEFT) {
        merge(w, after, n_saved);
    } else if (no == FLOW_LEFT) {
        restore(w, after, n_saved);
        otherwise = condition;
    }
    if (yes == FLOW_MAYBE_LEFT || no == FLOW_MAYBE_LEFT) {
        gcal_unit_location(w->unit, at, &line, &column);
        gcal_nest_note(w->nest, line, column, "what leaves early was counted as if not");
        return FLOW_MAYBE_LEFT;
    }
    if (yes == FLOW_ON && no == FLOW_ON)
        return FLOW_ON;
    /* "if (gid >= n) return;" guards all that follows */
    gcal_push_condition(w, at, otherwise, both_sides);
    return FLOW_MAYBE_LEFT;
}

static enum gcal_flow walk_if(struct gcal_walk *w, CXCursor c)
{
    struct gcal_kids kids = gcal_walk_kids(w, c);
    const struct gcal_condition *condition;
    int decided;

    if (kids.n < 2) {
        gcal_walk_fail(w, c, "this condition was not understood");
        return FLOW_ON;
    }
    condition = gcal_walk_condition(w, kids.c[0]);
    gcal_walk_quietly(w, kids.c[0]);
    decided = condition ? gcal_condition_decide(w->c, condition) : -1;
    if (decided == 1)
        return gcal_walk_stmt(w, kids.c[1]);
    if (decided == 0)
        return kids.n > 2 ? gcal_walk_stmt(w, kids.c[2]) : FLOW_ON;
    return walk_branches(w, kids.c[0], kids, condition);
}

/* ---- statements ---- */

static enum gcal_flow walk_block(struct gcal_walk *w, CXCursor c)
{
    struct gcal_kids kids = gcal_walk_kids(w, c);
    enum gcal_flow flow = FLOW_ON, one;

    for (size_t i = 0; i < kids.n && !w->failed; i++) {
        one = gcal_walk_stmt(w, kids.c[i]);
        if (one == FLOW_LEFT)
            return FLOW_LEFT;
        if (one == FLOW_MAYBE_LEFT)
            flow = FLOW_MAYBE_LEFT;
    }
    return flow;
}

static enum gcal_flow walk_return(struct gcal_walk *w, CXCursor c)
{
    struct gcal_kids kids = gcal_walk_kids(w, c);

    if (w->loop_depth) {
        gcal_walk_fail(w, c,
                       "a return inside of a loop cannot be counted: how often the "
                       "loop runs would depend on data");
        return FLOW_LEFT;
    }
    if (kids.n) {
        w->returned = gcal_walk_expr(w, kids.c[0]);
        w->n_returns++;
    }
    return FLOW_LEFT;
}

enum gcal_flow gcal_walk_stmt(struct gcal_walk *w, CXCursor c)
{
    enum CXCursorKind kind = w->clang->getCursorKind(c);
    struct gcal_kids kids;

    if (w->failed)
        return FLOW_LEFT;
    switch (kind) {
    case CXCursor_CompoundStmt:
        return walk_block(w, c);
    case CXCursor_DeclStmt:
        kids = gcal_walk_kids(w, c);
        for (size_t i = 0; i < kids.n; i++)
            declare(w, kids.c[i]);
        return FLOW_ON;
    case CXCursor_NullStmt:
        return FLOW_ON;
    case CXCursor_IfStmt:
        return walk_if(w, c);
    case CXCursor_ForStmt:
        return gcal_walk_for(w, c);
    case CXCursor_ReturnStmt:
        return walk_return(w, c);
    case CXCursor_ContinueStmt:
        return FLOW_LEFT;
    case CXCursor_UnexposedStmt: /* "#pragma unroll" or an attribute before a loop */
        kids = gcal_walk_kids(w, c);
        return kids.n ? gcal_walk_stmt(w, kids.c[kids.n - 1]) : FLOW_ON;
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
        gcal_walk_fail(w, c,
                       "while and do loops cannot be counted yet: write it as a "
                       "for loop whose bounds follow from sizes and ids");
        return FLOW_LEFT;
    case CXCursor_BreakStmt:
        gcal_walk_fail(w, c,
                       "break cannot be counted: how often the loop runs would "
                       "depend on data");
        return FLOW_LEFT;
    case CXCursor_SwitchStmt:
    case CXCursor_GotoStmt:
    case CXCursor_LabelStmt:
        gcal_walk_fail(w, c, "switch and goto cannot be counted: write them with if");
        return FLOW_LEFT;
    default:
        if (kind >= CXCursor_FirstExpr && kind <= CXCursor_LastExpr) {
            gcal_walk_expr(w, c);
            return FLOW_ON;
        }
        gcal_walk_fail(w, c, "this statement cannot be counted");
        return FLOW_LEFT;
    }
}
