/* tree.c - queries on the syntax tree for work removal */
#include "kernels/remove/private.h"

#include <stdlib.h>
#include <string.h>

CXCursor gcal_remove_child(CXCursor c, size_t which)
{
    struct gcal_source_children children;
    CXCursor found = clang_getNullCursor();

    if (gcal_source_get_children(c, &children, NULL) == 0 && which < children.n)
        found = children.cursors[which];
    free(children.cursors);
    return found;
}

CXCursor gcal_remove_body(CXCursor function)
{
    struct gcal_source_children children;
    CXCursor body = clang_getNullCursor();

    if (gcal_source_get_children(function, &children, NULL) < 0)
        return body;
    for (size_t i = 0; i < children.n; i++)
        if (clang_getCursorKind(children.cursors[i]) == CXCursor_CompoundStmt)
            body = children.cursors[i];
    free(children.cursors);
    return body;
}

/* ---- types ---- */

enum gcal_feature_space gcal_remove_space(CXCursor c)
{
    CXType type = gcal_source_type(c);

    return type.kind == CXType_Invalid ? GCAL_FEATURE_SPACE_ANY
                                       : gcal_source_address_space(type);
}

enum gcal_feature_space gcal_remove_target(CXCursor c)
{
    CXType type = gcal_source_type(c);

    if (type.kind != CXType_Pointer)
        return GCAL_FEATURE_SPACE_ANY;
    return gcal_source_address_space(clang_getCanonicalType(clang_getPointeeType(type)));
}

/* ---- lvalues ---- */

/* The initial value of a pointer variable; null for all other variables. */
static CXCursor initial_pointer(CXCursor variable)
{
    if (clang_getCursorKind(variable) == CXCursor_VarDecl &&
        gcal_source_type(variable).kind == CXType_Pointer)
        return gcal_remove_child(variable, 0);
    return clang_getNullCursor();
}

CXCursor gcal_remove_root(CXCursor c, bool origin)
{
    for (int depth = 0; depth < 100; depth++) {
        CXCursor declared, init;

        switch (clang_getCursorKind(c)) {
        case CXCursor_DeclRefExpr:
            declared = clang_getCursorReferenced(c);
            init = origin ? initial_pointer(declared) : clang_getNullCursor();
            if (clang_Cursor_isNull(init))
                return declared;
            c = init;
            break;
        case CXCursor_BinaryOperator: /* pointer + number, or a tag's comma */
            init = gcal_remove_child(c, 1);
            c = gcal_source_type(init).kind == CXType_Pointer ? init
                                                              : gcal_remove_child(c, 0);
            break;
        case CXCursor_ArraySubscriptExpr:
        case CXCursor_UnexposedExpr:
        case CXCursor_ParenExpr:
        case CXCursor_UnaryOperator:
        case CXCursor_CStyleCastExpr:
        case CXCursor_MemberRefExpr:
        case CXCursor_CompoundAssignOperator:
            c = gcal_remove_child(c, 0);
            break;
        default:
            return clang_getNullCursor();
        }
    }
    return clang_getNullCursor();
}

static bool is_step(CXCursor c)
{
    return clang_getCursorKind(c) == CXCursor_UnaryOperator &&
           clang_getCursorUnaryOperatorKind(c) <= CXUnaryOperator_PreDec;
}

bool gcal_remove_is_change(CXCursor c)
{
    return is_step(c) || clang_getCursorKind(c) == CXCursor_CompoundAssignOperator ||
           (clang_getCursorKind(c) == CXCursor_BinaryOperator &&
            clang_getCursorBinaryOperatorKind(c) == CXBinaryOperator_Assign);
}

CXCursor gcal_remove_loaded(CXCursor c)
{
    CXCursor inner = gcal_remove_child(c, 0), none = clang_getNullCursor();
    bool reads = clang_getCursorKind(c) == CXCursor_UnexposedExpr ||
                 clang_getCursorKind(c) == CXCursor_CompoundAssignOperator || is_step(c);

    if (!reads || clang_Cursor_isNull(inner) ||
        gcal_remove_space(inner) != GCAL_FEATURE_SPACE_GLOBAL ||
        gcal_source_type(inner).kind == CXType_ConstantArray)
        return none;
    /* the address of a vector's component, not its value */
    if (clang_getCursorKind(c) == CXCursor_UnexposedExpr &&
        gcal_remove_space(c) == GCAL_FEATURE_SPACE_GLOBAL)
        return none;
    return inner;
}

/* ---- calls ---- */

CXCursor gcal_remove_callee(CXCursor call)
{
    CXCursor definition = clang_getNullCursor();

    if (clang_getCursorKind(call) == CXCursor_CallExpr)
        definition = clang_getCursorDefinition(clang_getCursorReferenced(call));
    return clang_getCursorKind(definition) == CXCursor_FunctionDecl
               ? definition
               : clang_getNullCursor();
}

bool gcal_remove_calls(CXCursor c, const char *start)
{
    char *name;
    bool same;

    if (clang_getCursorKind(c) != CXCursor_CallExpr ||
        !clang_Cursor_isNull(gcal_remove_callee(c)))
        return false;
    name = gcal_source_cursor_name(c, NULL);
    same = name && strncmp(name, start, strlen(start)) == 0;
    free(name);
    return same;
}

bool gcal_remove_takes_global(CXCursor function)
{
    int n = clang_Cursor_getNumArguments(function);

    for (int i = 0; i < n; i++)
        if (gcal_remove_target(clang_Cursor_getArgument(function, (unsigned)i)) ==
            GCAL_FEATURE_SPACE_GLOBAL)
            return true;
    return false;
}

bool gcal_remove_is_barrier(CXCursor c)
{
    return gcal_remove_calls(c, "barrier") || gcal_remove_calls(c, "work_group_barrier");
}

bool gcal_remove_has_barrier(CXCursor c)
{
    CXCursor callee = gcal_remove_callee(c);
    struct gcal_source_children children;
    bool found =
        gcal_remove_is_barrier(c) || (!clang_Cursor_isNull(callee) &&
                                      gcal_remove_has_barrier(gcal_remove_body(callee)));

    if (found || gcal_source_get_children(c, &children, NULL) < 0)
        return found;
    for (size_t i = 0; i < children.n && !found; i++)
        found = gcal_remove_has_barrier(children.cursors[i]);
    free(children.cursors);
    return found;
}
