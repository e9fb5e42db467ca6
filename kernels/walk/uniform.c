/* uniform.c - atomic operations that compilers and devices join
 *
 * Where a compiler can see that all lanes of a sub-group update one address, it combines their
 * values and updates it once.  It sees that by the source, not by the launch: an address that no
 * id of the work-item is in, neither itself nor by a variable, a loaded place, or a condition under
 * which a variable was set.  get_local_id(0) is such an id in a launch where it is always 0.
 *
 * Which operations are joined was measured on an H100 (docs/results-2026-11.md); compilers for other
 * GPUs have the same transformation.
 */
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/walk/private.h"

/* Where a statement is. */
struct place {
    bool differs; /* lanes may be here and elsewhere at the same time */
    CXCursor loop, function;
};

/* ---- what differs: variables, functions by what they return, loops by how often they run ---- */

static bool is_lane(const struct gcal_walk *w, CXCursor c)
{
    for (size_t i = 0; i < w->n_lanes; i++)
        if (clang_equalCursors(w->lanes[i], c))
            return true;
    return false;
}

/* Returns whether it is new. */
static bool add_lane(struct gcal_walk *w, CXCursor c)
{
    CXCursor *moved;

    if (clang_Cursor_isNull(c) || is_lane(w, c))
        return false;
    moved =
        gcal_array_grow(w->lanes, w->n_lanes, &w->lane_capacity, sizeof(*moved), w->err);
    if (!moved) {
        w->failed = true;
        return false;
    }
    w->lanes = moved;
    w->lanes[w->n_lanes++] = c;
    return true;
}

static bool names_lane(const char *name)
{
    static const char *const starts[] = { "get_local_id",        "get_global_id",
                                          "get_local_linear_id", "get_global_linear_id",
                                          "get_sub_group_id",    "get_sub_group_local_id",
                                          "sub_group_",          "atom" };

    for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
        if (gcal_walk_starts_with(name, starts[i]))
            return true;
    return false;
}

/* Returns whether the expression's value may be another one in each lane. */
static bool differs(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    enum CXCursorKind kind = gcal_source_kind(c);

    if (kind == CXCursor_DeclRefExpr)
        return is_lane(w, clang_getCursorReferenced(c)) ||
               (w->unit->language == GCAL_SOURCE_CUDA &&
                strcmp(gcal_walk_name(w, c), "threadIdx") == 0);
    if (kind == CXCursor_CXXThisExpr || (kind == CXCursor_MemberRefExpr && !kids.n))
        return true; /* of any object */
    if (kind == CXCursor_CallExpr &&
        (names_lane(gcal_walk_name(w, c)) ||
         is_lane(w, clang_getCursorDefinition(gcal_source_called(c)))))
        return true;
    for (size_t i = 0; i < kids.n; i++)
        if (differs(w, kids.c[i]))
            return true;
    return false;
}

/* Marks the private variable that 'c' is, or is a part of, if it is set to what differs. */
static bool mark_set(struct gcal_walk *w, CXCursor c, bool to)
{
    struct gcal_walk_children kids;

    for (;;) {
        c = gcal_walk_strip_casts(w, c);
        kids = gcal_walk_get_children(w, c);
        switch (gcal_source_kind(c)) {
        case CXCursor_DeclRefExpr:
            return to && gcal_source_space(c) == GCAL_FEATURE_SPACE_ANY &&
                   add_lane(w, clang_getCursorReferenced(c));
        case CXCursor_ArraySubscriptExpr:
            to = to || (kids.n > 1 && differs(w, kids.c[1]));
            if (!kids.n || !gcal_source_is_array(
                               gcal_source_type(gcal_walk_strip_casts(w, kids.c[0]))))
                return false; /* memory */
            c = kids.c[0];
            break;
        case CXCursor_MemberRefExpr:
            if (!kids.n || gcal_walk_type_is_pointer(gcal_source_type(kids.c[0])))
                return false;
            c = kids.c[0];
            break;
        default:
            return false;
        }
    }
}

/* ---- statements ---- */

static bool mark(struct gcal_walk *w, CXCursor c, struct place at);

static bool mark_call(struct gcal_walk *w, CXCursor c, struct gcal_walk_children kids,
                      struct place at)
{
    CXCursor function = clang_getCursorDefinition(gcal_source_called(c));
    struct gcal_walk_children parts;
    bool found = false;

    if (gcal_source_kind(function) != CXCursor_FunctionDecl)
        return false;
    for (size_t i = 1; i < kids.n; i++)
        found |= gcal_walk_may_change(function, i) && mark_set(w, kids.c[i], true);
    for (size_t i = 1; i < kids.n; i++)
        if (differs(w, kids.c[i]))
            found |= add_lane(w, gcal_source_parameter(function, i));
    parts = gcal_walk_get_children(w, function);
    at.function = function;
    return (parts.n && mark(w, parts.c[parts.n - 1], at)) || found;
}

static bool mark_kind(struct gcal_walk *w, CXCursor c, struct place at)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    enum CXCursorKind kind = gcal_source_kind(c);
    CXCursor parts[4];
    bool found = false;

    switch (kind) {
    case CXCursor_VarDecl:
        found = kids.n && differs(w, kids.c[kids.n - 1]) && add_lane(w, c);
        break;
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
        if (kids.n == 2 &&
            (kind == CXCursor_CompoundAssignOperator ||
             clang_getCursorBinaryOperatorKind(c) == CXBinaryOperator_Assign))
            found = mark_set(w, kids.c[0], at.differs || differs(w, kids.c[1]));
        break;
    case CXCursor_UnaryOperator:
        if (kids.n && (clang_getCursorUnaryOperatorKind(c) == CXUnaryOperator_AddrOf ||
                       clang_getCursorUnaryOperatorKind(c) <= CXUnaryOperator_PreDec))
            found = mark_set(w, kids.c[0],
                             at.differs || clang_getCursorUnaryOperatorKind(c) ==
                                               CXUnaryOperator_AddrOf);
        break;
    case CXCursor_IfStmt:
    case CXCursor_SwitchStmt:
        at.differs = at.differs || (kids.n && differs(w, kids.c[0]));
        break;
    case CXCursor_ForStmt:
        if (gcal_source_for_clauses(c, parts, w->err) < 0)
            return false;
        at.differs = at.differs || is_lane(w, c) ||
                     (!clang_Cursor_isNull(parts[1]) && differs(w, parts[1]));
        at.loop = c;
        break;
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
        at.differs = at.differs || is_lane(w, c) ||
                     (kids.n && differs(w, kids.c[kind == CXCursor_DoStmt]));
        at.loop = c;
        break;
    case CXCursor_BreakStmt:
    case CXCursor_ContinueStmt:
        return at.differs && add_lane(w, at.loop);
    case CXCursor_ReturnStmt:
        return (at.differs || (kids.n && differs(w, kids.c[0]))) &&
               add_lane(w, at.function);
    case CXCursor_CallExpr:
        found = mark_call(w, c, kids, at);
        break;
    default:
        break;
    }
    for (size_t i = 0; i < kids.n; i++)
        found |= mark(w, kids.c[i], at);
    return found;
}

static bool mark(struct gcal_walk *w, CXCursor c, struct place at)
{
    bool found;

    if (w->failed || !gcal_walk_enter(w, c))
        return false;
    found = mark_kind(w, c, at);
    gcal_walk_leave(w);
    return found;
}

/* ---- atomic operations ---- */

static bool is_one_of(const char *op, const char *const *names)
{
    while (*names && strcmp(op, *names) != 0)
        names++;
    return *names;
}

enum gcal_sets_joins gcal_walk_find_joins(struct gcal_walk *w, const char *op,
                                          CXType type, enum gcal_feature_space space,
                                          struct gcal_walk_children kids, bool is_used)
{
    static const char *const sums[] = { "add", "sub", "inc", "dec", NULL };
    static const char *const others[] = { "min", "max", "and", "or", "xor", NULL };
    bool is_word = gcal_source_size(type) == 4, is_sum = is_one_of(op, sums);
    int64_t by = strcmp(op, "inc") == 0;

    if (!gcal_walk_type_is_integer(type) ||
        !(is_sum || (is_word && !is_used && is_one_of(op, others))))
        return GCAL_SETS_JOINS_NONE;
    if (!w->has_lanes) {
        enum { MOST_ROUNDS = 20 };
        const struct place at = { false, clang_getNullCursor(), clang_getNullCursor() };

        w->has_lanes = true;
        for (int round = 0; round < MOST_ROUNDS && !w->failed; round++)
            if (!mark(w, w->kernel, at))
                break;
    }
    if (!differs(w, kids.c[1]) && (is_word || kids.n < 3 || !differs(w, kids.c[2])))
        return GCAL_SETS_JOINS_LANES;
    if (kids.n > 2 && strcmp(op, "add") == 0) {
        struct gcal_walk_value value = gcal_walk_expr_value(w, kids.c[2]);

        if (value.kind != GCAL_WALK_VALUE_INTEGER || !gcal_poly_is_constant(value.p, &by))
            by = 0;
    }
    return is_word && !is_used && by == 1 && space == GCAL_FEATURE_SPACE_LOCAL
               ? GCAL_SETS_JOINS_ADDRESS
               : GCAL_SETS_JOINS_NONE;
}
