/* index.c - integer variables that are used in subscripts and loop control
 *
 * Index arithmetic is not counted (Stevens and Kloeckner 2020, section 5), including the
 * arithmetic that prepares it: "int row = 16*gid + lid;".
 */
#include "calib/base/array.h"
#include "kernels/walk/private.h"

static bool add_index(struct gcal_walk *w, CXCursor decl)
{
    CXCursor *moved;

    if (gcal_walk_is_index(w, decl))
        return false;
    moved = gcal_array_grow(w->indices, w->n_indices, &w->index_capacity, sizeof(*moved),
                            w->err);
    if (!moved) {
        w->failed = true;
        return false;
    }
    w->indices = moved;
    w->indices[w->n_indices++] = decl;
    return true;
}

bool gcal_walk_is_index(const struct gcal_walk *w, CXCursor decl)
{
    for (size_t i = 0; i < w->n_indices; i++)
        if (clang_equalCursors(w->indices[i], decl))
            return true;
    return false;
}

/* Whether 'c' is a variable known as an index. */
static bool names_index(struct gcal_walk *w, CXCursor c)
{
    c = gcal_walk_strip_casts(w, c);
    return clang_getCursorKind(c) == CXCursor_DeclRefExpr &&
           gcal_walk_is_index(w, clang_getCursorReferenced(c));
}

/* Marks the private arrays whose elements 'c' uses. */
static bool mark_tables(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    const char *dtype = gcal_source_dtype(gcal_source_type(c));
    bool found = clang_getCursorKind(c) == CXCursor_ArraySubscriptExpr &&
                 (!dtype || gcal_walk_dtype_is_integer(dtype)) &&
                 gcal_walk_table_add(w, c);

    for (size_t i = 0; i < kids.n && !w->failed; i++)
        found |= mark_tables(w, kids.c[i]);
    return found;
}

/* Whether argument 'i' (from 1 on, of 'n') of the call is a subscript or a size, as in
 * vload4(i, p), or of a function of the source; but not of exp(x).
 */
static bool is_index_argument(struct gcal_walk *w, CXCursor call, size_t i, size_t n)
{
    const char *name = gcal_walk_name(w, call);

    if (gcal_walk_starts_with(name, "async_work_group_"))
        return i > 2;
    if (gcal_walk_starts_with(name, "read_image"))
        return i > 1;
    if (gcal_walk_starts_with(name, "write_image"))
        return i > 1 && i < n;
    return name[0] == 'v' ||
           clang_getCursorKind(clang_getCursorDefinition(
               clang_getCursorReferenced(call))) == CXCursor_FunctionDecl;
}

/* Marks the variables in 'c'; 'index': its value is used in a subscript or loop control.
 * True when some are new.
 */
static bool mark(struct gcal_walk *w, CXCursor c, bool index);

static bool mark_kind(struct gcal_walk *w, CXCursor c, bool index)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    CXType type = gcal_source_type(c);
    bool found = false, pointer = type.kind == CXType_Pointer, late;
    CXCursor parts[4];

    switch (clang_getCursorKind(c)) {
    case CXCursor_DeclRefExpr:
        return index && add_index(w, clang_getCursorReferenced(c));
    case CXCursor_ArraySubscriptExpr:
        if (index)
            found = mark_tables(w, c);
        for (size_t i = 0; i < kids.n; i++)
            found |= mark(w, kids.c[i], true);
        return found;
    case CXCursor_IfStmt:
    case CXCursor_SwitchStmt:
        found = kids.n && mark_tables(w, kids.c[0]);
        break;
    case CXCursor_ForStmt:
        if (gcal_source_for_clauses(c, parts, w->err) < 0)
            return false;
        for (int i = 0; i < 3; i++)
            if (!clang_Cursor_isNull(parts[i]))
                found |= mark(w, parts[i], true);
        return mark(w, parts[3], false) || found;
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
        late = clang_getCursorKind(c) == CXCursor_DoStmt;
        for (size_t i = 0; i < kids.n; i++)
            found |= mark(w, kids.c[i], (i == 1) == late);
        return found;
    case CXCursor_ConditionalOperator: /* its condition may compare data */
        found = kids.n && mark_tables(w, kids.c[0]);
        for (size_t i = 0; i < kids.n; i++)
            found |= mark(w, kids.c[i], i > 0 && index);
        return found;
    case CXCursor_VarDecl:
        index = index || gcal_walk_is_index(w, c) || pointer;
        break;
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
        index = index || pointer;
        if (clang_getCursorKind(c) == CXCursor_CompoundAssignOperator ||
            clang_getCursorBinaryOperatorKind(c) == CXBinaryOperator_Assign)
            index = index || names_index(w, kids.c[0]);
        break;
    case CXCursor_CallExpr:
        for (size_t i = 1; i < kids.n; i++)
            found |= mark(w, kids.c[i],
                          gcal_walk_dtype_is_integer(
                              gcal_source_dtype(gcal_source_type(kids.c[i]))) &&
                              (index || is_index_argument(w, c, i, kids.n - 1)));
        return found;
    default:
        break;
    }
    for (size_t i = 0; i < kids.n; i++)
        found |= mark(w, kids.c[i], index);
    return found;
}

static bool mark(struct gcal_walk *w, CXCursor c, bool index)
{
    bool found;

    if (w->failed)
        return false;
    if (w->depth == GCAL_WALK_MAX_DEPTH) {
        gcal_walk_fail(w, c, "this expression is nested too deeply");
        return false;
    }
    w->depth++;
    found = mark_kind(w, c, index);
    w->depth--;
    return found;
}

void gcal_walk_find_indices(struct gcal_walk *w, CXCursor function)
{
    enum { MOST_ROUNDS = 20 };

    for (int round = 0; round < MOST_ROUNDS && !w->failed; round++)
        if (!mark(w, function, false))
            break;
}
