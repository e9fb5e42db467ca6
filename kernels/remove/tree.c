/* remove_tree.c - questions of work removal about the syntax tree */
#include "kernels/remove/private.h"

#include <stdlib.h>
#include <string.h>

CXCursor gcal_remove_child(const struct remover *r, CXCursor c, size_t which)
{
    struct gcal_children children;
    CXCursor found = r->clang->getNullCursor();

    if (gcal_children_get(r->unit, c, &children, NULL) == 0 && which < children.n)
        found = children.cursors[which];
    free(children.cursors);
    return found;
}

CXCursor gcal_remove_body(const struct remover *r, CXCursor function)
{
    struct gcal_children children;
    CXCursor body = r->clang->getNullCursor();

    if (gcal_children_get(r->unit, function, &children, NULL) < 0)
        return body;
    for (size_t i = 0; i < children.n; i++)
        if (kind_of(r, children.cursors[i]) == CXCursor_CompoundStmt)
            body = children.cursors[i];
    free(children.cursors);
    return body;
}

/* ---- types ---- */

CXType gcal_remove_type(const struct remover *r, CXCursor c)
{
    return r->clang->getCanonicalType(r->clang->getCursorType(c));
}

enum gcal_space gcal_remove_space(const struct remover *r, CXCursor c)
{
    CXType type = gcal_remove_type(r, c);

    return type.kind == CXType_Invalid ? GCAL_SPACE_ANY : gcal_type_space(r->unit, type);
}

enum gcal_space gcal_remove_target(const struct remover *r, CXCursor c)
{
    CXType type = gcal_remove_type(r, c);

    if (type.kind != CXType_Pointer)
        return GCAL_SPACE_ANY;
    return gcal_type_space(r->unit,
                           r->clang->getCanonicalType(r->clang->getPointeeType(type)));
}

/* ---- lvalues ---- */

/* What a pointer variable was initialised with; null for all others. */
static CXCursor initial_pointer(const struct remover *r, CXCursor variable)
{
    if (kind_of(r, variable) == CXCursor_VarDecl &&
        gcal_remove_type(r, variable).kind == CXType_Pointer)
        return gcal_remove_child(r, variable, 0);
    return r->clang->getNullCursor();
}

CXCursor gcal_remove_root(const struct remover *r, CXCursor c, bool origin)
{
    for (int depth = 0; depth < 100; depth++) {
        CXCursor declared, init;

        switch (kind_of(r, c)) {
        case CXCursor_DeclRefExpr:
            declared = r->clang->getCursorReferenced(c);
            init = origin ? initial_pointer(r, declared) : r->clang->getNullCursor();
            if (is_null(r, init))
                return declared;
            c = init;
            break;
        case CXCursor_BinaryOperator: /* pointer + number, or a tag's comma */
            init = gcal_remove_child(r, c, 1);
            c = gcal_remove_type(r, init).kind == CXType_Pointer
                    ? init
                    : gcal_remove_child(r, c, 0);
            break;
        case CXCursor_ArraySubscriptExpr:
        case CXCursor_UnexposedExpr:
        case CXCursor_ParenExpr:
        case CXCursor_UnaryOperator:
        case CXCursor_CStyleCastExpr:
        case CXCursor_MemberRefExpr:
        case CXCursor_CompoundAssignOperator:
            c = gcal_remove_child(r, c, 0);
            break;
        default:
            return r->clang->getNullCursor();
        }
    }
    return r->clang->getNullCursor();
}

static bool is_step(const struct remover *r, CXCursor c)
{
    return kind_of(r, c) == CXCursor_UnaryOperator &&
           r->clang->getCursorUnaryOperatorKind(c) <= CXUnaryOperator_PreDec;
}

bool gcal_remove_is_change(const struct remover *r, CXCursor c)
{
    return is_step(r, c) || kind_of(r, c) == CXCursor_CompoundAssignOperator ||
           (kind_of(r, c) == CXCursor_BinaryOperator &&
            r->clang->getCursorBinaryOperatorKind(c) == CXBinaryOperator_Assign);
}

CXCursor gcal_remove_loaded(const struct remover *r, CXCursor c)
{
    CXCursor inner = gcal_remove_child(r, c, 0), none = r->clang->getNullCursor();
    bool reads = kind_of(r, c) == CXCursor_UnexposedExpr ||
                 kind_of(r, c) == CXCursor_CompoundAssignOperator || is_step(r, c);

    if (!reads || is_null(r, inner) || gcal_remove_space(r, inner) != GCAL_SPACE_GLOBAL ||
        gcal_remove_type(r, inner).kind == CXType_ConstantArray)
        return none;
    /* a component's place, not its value */
    if (kind_of(r, c) == CXCursor_UnexposedExpr &&
        gcal_remove_space(r, c) == GCAL_SPACE_GLOBAL)
        return none;
    return inner;
}

/* ---- calls ---- */

CXCursor gcal_remove_callee(const struct remover *r, CXCursor call)
{
    CXCursor definition = r->clang->getNullCursor();

    if (kind_of(r, call) == CXCursor_CallExpr)
        definition = r->clang->getCursorDefinition(r->clang->getCursorReferenced(call));
    return kind_of(r, definition) == CXCursor_FunctionDecl ? definition
                                                           : r->clang->getNullCursor();
}

bool gcal_remove_calls(const struct remover *r, CXCursor c, const char *start)
{
    char *name;
    bool same;

    if (kind_of(r, c) != CXCursor_CallExpr || !is_null(r, gcal_remove_callee(r, c)))
        return false;
    name = gcal_cursor_name(r->unit, c, NULL);
    same = name && strncmp(name, start, strlen(start)) == 0;
    free(name);
    return same;
}

bool gcal_remove_takes_global(const struct remover *r, CXCursor function)
{
    int n = r->clang->Cursor_getNumArguments(function);

    for (int i = 0; i < n; i++)
        if (gcal_remove_target(r, r->clang->Cursor_getArgument(function, (unsigned)i)) ==
            GCAL_SPACE_GLOBAL)
            return true;
    return false;
}

bool gcal_remove_is_barrier(const struct remover *r, CXCursor c)
{
    return gcal_remove_calls(r, c, "barrier") ||
           gcal_remove_calls(r, c, "work_group_barrier");
}

bool gcal_remove_has_barrier(const struct remover *r, CXCursor c)
{
    CXCursor callee = gcal_remove_callee(r, c);
    struct gcal_children children;
    bool found =
        gcal_remove_is_barrier(r, c) ||
        (!is_null(r, callee) && gcal_remove_has_barrier(r, gcal_remove_body(r, callee)));

    if (found || gcal_children_get(r->unit, c, &children, NULL) < 0)
        return found;
    for (size_t i = 0; i < children.n && !found; i++)
        found = gcal_remove_has_barrier(r, children.cursors[i]);
    free(children.cursors);
    return found;
}
