/* data_dependence.c - data dependence: code that needs loaded data, when loads become
 * made-up values
 *
 * Arithmetic and conditions may depend on data.  Trip counts of loops (they might not
 * end), addresses in local, private and constant memory (they might be anywhere) and the
 * work-items that reach a barrier (they might wait forever) must not.
 *
 * A variable depends on data when a value that does is assigned to it, or when it is
 * changed under a condition that does, in any order: all functions are visited until no
 * variable is added.
 */
#include "kernels/remove/private.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

struct depend {
    struct gcal_remove_pass *r;
    CXCursor *variables;
    size_t n, capacity;
    bool has_barrier;
};

typedef int visit_fn(struct depend *d, CXCursor c, unsigned under);

static int visit_children(struct depend *d, CXCursor c, unsigned under, visit_fn *visit)
{
    struct gcal_source_children children;
    int rc = 0;

    if (gcal_source_get_children(c, &children, d->r->err) < 0)
        return -1;
    for (size_t i = 0; i < children.n && rc == 0; i++)
        rc = visit(d, children.cursors[i], under);
    free(children.cursors);
    return rc;
}

/* ---- expressions ---- */

static bool is_known(const struct depend *d, CXCursor variable)
{
    for (size_t i = 0; i < d->n; i++)
        if (clang_equalCursors(d->variables[i], variable))
            return true;
    return false;
}

static bool accesses_global(CXCursor c)
{
    CXCursor callee = gcal_remove_callee(c);
    int n =
        clang_getCursorKind(c) == CXCursor_CallExpr ? clang_Cursor_getNumArguments(c) : 0;

    if (!clang_Cursor_isNull(callee))
        return gcal_remove_takes_global(callee);
    for (int i = 0; i < n; i++)
        if (gcal_remove_target(clang_Cursor_getArgument(c, (unsigned)i)) ==
            GCAL_FEATURE_SPACE_GLOBAL)
            return true;
    return !clang_Cursor_isNull(gcal_remove_loaded(c)) ||
           (gcal_remove_is_change(c) &&
            gcal_remove_space(gcal_remove_child(c, 0)) == GCAL_FEATURE_SPACE_GLOBAL);
}

/* 1 when the value of 'c' depends on data, 0, -1: usable as a visit_fn. */
static int depends(struct depend *d, CXCursor c, unsigned under)
{
    if (clang_Cursor_isNull(c))
        return 0;
    if (clang_getCursorKind(c) == CXCursor_DeclRefExpr)
        return is_known(d, clang_getCursorReferenced(c));
    if (accesses_global(c))
        return 1;
    return visit_children(d, c, under, depends);
}

/* ---- variables ---- */

static int add(struct depend *d, CXCursor variable)
{
    CXCursor *moved;

    if (clang_Cursor_isNull(variable) || is_known(d, variable))
        return 0;
    if (!(moved = gcal_array_grow(d->variables, d->n, &d->capacity, sizeof(*moved),
                                  d->r->err)))
        return -1;
    d->variables = moved;
    d->variables[d->n++] = variable;
    return 0;
}

/* Marks the variable of 'place', which changes: by data, or under a condition on data
 * that begins at offset 'under' (0: none).  Variables declared inside of the condition
 * end with it.
 */
static int change(struct depend *d, CXCursor place, int by_data, unsigned under)
{
    CXCursor variable = gcal_remove_root(place, true);
    unsigned from, to;

    if (by_data < 0 || clang_Cursor_isNull(variable))
        return by_data < 0 ? -1 : 0;
    gcal_remove_extent(variable, &from, &to);
    return by_data || from < under ? add(d, variable) : 0;
}

static int spread_call(struct depend *d, CXCursor c, unsigned under)
{
    CXCursor callee = gcal_remove_callee(c);
    int n = clang_Cursor_getNumArguments(c), any = visit_children(d, c, under, depends);

    for (int i = 0; i < n && any >= 0; i++) {
        CXCursor argument = clang_Cursor_getArgument(c, (unsigned)i), parameter;
        int by_data = any;

        if (!clang_Cursor_isNull(callee)) {
            parameter = clang_Cursor_getArgument(callee, (unsigned)i);
            by_data = depends(d, argument, under);
            if (by_data < 0 || (by_data && add(d, parameter) < 0))
                return -1;
            by_data = is_known(d, parameter);
        }
        if (gcal_source_type(argument).kind == CXType_Pointer &&
            gcal_remove_target(argument) != GCAL_FEATURE_SPACE_GLOBAL &&
            change(d, argument, by_data, under) < 0)
            return -1;
    }
    return any < 0 ? -1 : 0;
}

/* The offset of the condition on data that 'c' puts its children under, or 'under'. */
static unsigned condition_of(struct depend *d, CXCursor c, unsigned under)
{
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(c);
    unsigned from, to;

    switch (clang_getCursorKind(c)) {
    case CXCursor_BinaryOperator:
        if (op != CXBinaryOperator_LAnd && op != CXBinaryOperator_LOr)
            return under;
        break;
    case CXCursor_IfStmt:
    case CXCursor_SwitchStmt:
    case CXCursor_ConditionalOperator:
        break;
    default:
        return under;
    }
    if (!depends(d, gcal_remove_child(c, 0), 0))
        return under;
    gcal_remove_extent(c, &from, &to);
    return from;
}

static int spread(struct depend *d, CXCursor c, unsigned under)
{
    CXCursor place;
    int rc = 0;

    if (clang_getCursorKind(c) == CXCursor_VarDecl) {
        rc = visit_children(d, c, under, depends);
        rc = rc > 0 ? add(d, c) : rc;
    } else if (clang_getCursorKind(c) == CXCursor_CallExpr) {
        rc = spread_call(d, c, under);
        d->has_barrier |= gcal_remove_is_barrier(c);
    } else if (gcal_remove_is_change(c)) {
        place = gcal_remove_child(c, 0);
        if (gcal_remove_space(place) != GCAL_FEATURE_SPACE_GLOBAL)
            rc = change(d, place, depends(d, gcal_remove_child(c, 1), under), under);
    }
    return rc < 0 ? -1 : visit_children(d, c, condition_of(d, c, under), spread);
}

/* ---- code that must not depend on data ---- */

static int check(struct depend *d, CXCursor c, unsigned under);

static int refuse_if(struct depend *d, int depends, CXCursor at, const char *why)
{
    if (depends > 0)
        gcal_remove_error(d->r, at, why);
    return depends ? -1 : 0;
}

/* Refuses an offset that depends on data, into private, local or constant memory. */
static int check_moves(struct depend *d, CXCursor c, unsigned under)
{
    static const char why[] = "this address depends on loaded data, which on-chip work "
                              "alone does not have";
    CXCursor left = gcal_remove_child(c, 0), right = gcal_remove_child(c, 1);
    bool points = !clang_Cursor_isNull(left) &&
                  gcal_source_type(c).kind == CXType_Pointer &&
                  gcal_remove_target(c) != GCAL_FEATURE_SPACE_GLOBAL;
    int moved = 0;

    if (clang_getCursorKind(c) == CXCursor_ArraySubscriptExpr &&
        gcal_remove_space(c) != GCAL_FEATURE_SPACE_GLOBAL)
        moved = depends(d, right, under);
    else if (points && gcal_remove_is_change(c))
        moved = under ? 1 : 0;
    if (!moved && points && clang_getCursorKind(c) == CXCursor_CompoundAssignOperator)
        moved = depends(d, right, under);
    else if (!moved && points && clang_getCursorKind(c) == CXCursor_BinaryOperator)
        moved = gcal_source_type(left).kind != CXType_Pointer ? depends(d, left, under)
                : gcal_source_type(right).kind != CXType_Pointer
                    ? depends(d, right, under)
                    : 0;
    if (!moved && (gcal_remove_calls(c, "vload") || gcal_remove_calls(c, "vstore"))) {
        int n = clang_Cursor_getNumArguments(c);

        if (gcal_remove_target(gcal_remove_child(c, (size_t)n)) !=
            GCAL_FEATURE_SPACE_GLOBAL)
            moved = depends(d, gcal_remove_child(c, (size_t)n - 1), under);
    }
    return refuse_if(d, moved, c, why);
}

static int check_divisor(struct depend *d, CXCursor c, unsigned under)
{
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(c);
    const char *dtype = gcal_source_dtype(gcal_source_type(c));
    bool divides = op == CXBinaryOperator_Div || op == CXBinaryOperator_Rem ||
                   op == CXBinaryOperator_DivAssign || op == CXBinaryOperator_RemAssign;

    if (!divides || !dtype || strncmp(dtype, "float", 5) == 0)
        return 0;
    return refuse_if(d, depends(d, gcal_remove_child(c, 1), under), c,
                     "this divisor depends on loaded data, which on-chip work alone "
                     "does not have: it may be zero");
}

static int names_variable(struct depend *d, CXCursor c, unsigned under)
{
    return clang_getCursorKind(c) == CXCursor_DeclRefExpr ||
           visit_children(d, c, under, names_variable);
}

/* 1 for a break on data, or a continue, which may skip the change of the loop's variable.
 */
static int jumps_on_data(struct depend *d, CXCursor c, unsigned under)
{
    enum CXCursorKind kind = clang_getCursorKind(c);

    if (kind == CXCursor_BreakStmt || kind == CXCursor_ContinueStmt)
        return under ? 1 : 0;
    return visit_children(d, c, condition_of(d, c, under), jumps_on_data);
}

static int check_loop(struct depend *d, CXCursor c, unsigned under)
{
    static const char why[] = "the trip count of this loop depends on loaded data, which "
                              "on-chip work alone does not have";
    bool is_for = clang_getCursorKind(c) == CXCursor_ForStmt;
    bool is_do = clang_getCursorKind(c) == CXCursor_DoStmt;
    CXCursor condition = gcal_remove_child(c, is_do ? 1 : 0), parts[4];
    CXCursor body = gcal_remove_child(c, is_do ? 0 : 1);
    bool moves = false;

    if (is_for) {
        if (gcal_source_for_clauses(c, parts, d->r->err) < 0)
            return -1;
        condition = parts[1];
        body = parts[3];
        moves = !clang_Cursor_isNull(parts[2]);
    }
    moves = moves && !clang_Cursor_isNull(condition) && names_variable(d, condition, 0);
    if (refuse_if(d, depends(d, condition, under), c, why) < 0)
        return -1;
    return moves ? 0 : refuse_if(d, jumps_on_data(d, body, 0), c, why);
}

static int check_meeting(struct depend *d, CXCursor c, unsigned under)
{
    enum CXCursorKind kind = clang_getCursorKind(c);
    bool jumps = kind == CXCursor_BreakStmt || kind == CXCursor_ContinueStmt ||
                 kind == CXCursor_ReturnStmt;

    if (!under || !d->has_barrier)
        return 0;
    return refuse_if(
        d, jumps || (kind == CXCursor_CallExpr && gcal_remove_has_barrier(c)), c,
        "which work-items reach a barrier depends on loaded data here, "
        "which on-chip work alone does not have");
}

static int check(struct depend *d, CXCursor c, unsigned under)
{
    enum CXCursorKind kind = clang_getCursorKind(c);

    /* subscripts of a load that is replaced do not matter */
    if (!clang_Cursor_isNull(gcal_remove_loaded(c)) && !gcal_remove_is_change(c))
        return 0;
    if (check_moves(d, c, under) < 0 || check_divisor(d, c, under) < 0 ||
        check_meeting(d, c, under) < 0)
        return -1;
    if ((kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt ||
         kind == CXCursor_DoStmt) &&
        check_loop(d, c, under) < 0)
        return -1;
    return visit_children(d, c, condition_of(d, c, under), check);
}

int gcal_remove_check_data(struct gcal_remove_pass *r)
{
    struct depend d = { .r = r };
    CXCursor top = clang_getTranslationUnitCursor(r->unit->tu);
    size_t n;
    int rc;

    do {
        n = d.n;
        rc = visit_children(&d, top, 0, spread);
    } while (rc == 0 && d.n > n);
    if (rc == 0)
        rc = visit_children(&d, top, 0, check);
    free(d.variables);
    return rc;
}
