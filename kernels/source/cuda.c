/* cuda.c - what CUDA has and OpenCL C has not: attributes instead of address spaces in types, names
 * of built-in functions, template arguments, and C++
 *
 * libclang shows templates only as they are written.  But the function that an expression refers to
 * is the instantiated one, whose children are the instantiated body.  So the address of the kernel
 * is taken at the end of the text, in an initialiser which nobody else reads.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "kernels/source/private.h"

/* ---- the instance of a template ---- */

#define REFERENCE "gpucal_the_kernel"

char *gcal_source_refer(const char *source, const char *kernel, struct gcal_error *err)
{
    char *text;

    if (kernel && kernel[strcspn(kernel, ";{}#\\\"'\r\n")]) {
        gcal_error_set(err, GCAL_EINPUT, "'%s' names no kernel", kernel);
        return NULL;
    }
    text = kernel && strchr(kernel, '<')
               ? gcal_buf_format("%s\nstatic const void *const " REFERENCE
                                 " = (const void *)&%s;\n",
                                 source, kernel)
               : strdup(source);
    if (!text)
        gcal_error_memory(err);
    return text;
}

static enum CXChildVisitResult find_referenced(CXCursor c, CXCursor parent,
                                               CXClientData data)
{
    CXCursor to = clang_getCursorReferenced(c);

    (void)parent;
    if (clang_getCursorKind(c) != CXCursor_DeclRefExpr ||
        clang_getCursorKind(to) != CXCursor_FunctionDecl)
        return CXChildVisit_Recurse;
    *(CXCursor *)data = to;
    return CXChildVisit_Break;
}

CXCursor gcal_source_referred(const struct gcal_source_unit *unit)
{
    struct gcal_source_children all;
    CXCursor found = clang_getNullCursor();
    char *name;

    if (gcal_source_get_children(clang_getTranslationUnitCursor(unit->tu), &all, NULL) <
        0)
        return found;
    for (size_t i = all.n; i-- > 0 && clang_Cursor_isNull(found);) {
        if (clang_getCursorKind(all.cursors[i]) != CXCursor_VarDecl)
            continue;
        name = gcal_source_cursor_name(all.cursors[i], NULL);
        if (name && strcmp(name, REFERENCE) == 0)
            clang_visitChildren(all.cursors[i], find_referenced, &found);
        free(name);
    }
    free(all.cursors);
    return found;
}

/* ---- attributes ---- */

struct attribute {
    enum CXCursorKind kind;
    CXCursor found;
};

static enum CXChildVisitResult find_attribute(CXCursor c, CXCursor parent,
                                              CXClientData data)
{
    struct attribute *attribute = data;

    (void)parent;
    if (clang_getCursorKind(c) != attribute->kind)
        return CXChildVisit_Continue;
    attribute->found = c;
    return CXChildVisit_Break;
}

bool gcal_source_has_attribute(CXCursor decl, enum CXCursorKind kind)
{
    struct attribute attribute = { kind, clang_getNullCursor() };

    clang_visitChildren(decl, find_attribute, &attribute);
    return !clang_Cursor_isNull(attribute.found);
}

char *gcal_source_called_name(CXCursor call, struct gcal_error *err)
{
    struct attribute attribute = { CXCursor_AnnotateAttr, clang_getNullCursor() };
    CXCursor function = clang_getCursorReferenced(call);

    if (clang_getCursorKind(function) == CXCursor_FunctionDecl &&
        clang_Location_isInSystemHeader(clang_getCursorLocation(function)))
        clang_visitChildren(function, find_attribute, &attribute);
    return gcal_source_cursor_name(
        clang_Cursor_isNull(attribute.found) ? call : attribute.found, err);
}

/* ---- where things are ---- */

bool gcal_source_is_reference(CXType type)
{
    return type.kind == CXType_LValueReference || type.kind == CXType_RValueReference;
}

/* Of a variable of CUDA; -1: of what it refers to. */
static int space_of_variable(CXCursor decl)
{
    enum CXCursorKind outside = clang_getCursorKind(clang_getCursorSemanticParent(decl));

    if (gcal_source_is_reference(gcal_source_type(decl)))
        return -1;
    if (clang_getCursorKind(decl) != CXCursor_VarDecl)
        return GCAL_FEATURE_SPACE_ANY;
    if (gcal_source_has_attribute(decl, CXCursor_CUDASharedAttr))
        return GCAL_FEATURE_SPACE_LOCAL;
    if (gcal_source_has_attribute(decl, CXCursor_CUDAConstantAttr))
        return GCAL_FEATURE_SPACE_CONSTANT;
    if (gcal_source_has_attribute(decl, CXCursor_CUDADeviceAttr))
        return GCAL_FEATURE_SPACE_GLOBAL;
    /* A table that is constant for the compiler, too, is put in constant memory. */
    return gcal_source_is_array(gcal_source_type(decl)) &&
                   (outside == CXCursor_TranslationUnit || outside == CXCursor_Namespace)
               ? GCAL_FEATURE_SPACE_CONSTANT
               : GCAL_FEATURE_SPACE_ANY;
}

static CXCursor first_child(CXCursor c)
{
    struct gcal_source_children children;
    CXCursor first = clang_getNullCursor();

    if (gcal_source_get_children(c, &children, NULL) == 0 && children.n)
        first = children.cursors[0];
    free(children.cursors);
    return first;
}

/* -1: of a pointer or reference. */
static int find_space(CXCursor c)
{
    CXCursor child;

    for (;;) {
        CXType type = gcal_source_type(c);

        if (type.kind != CXType_Invalid && clang_getAddressSpace(type)) /* OpenCL C */
            return gcal_source_is_generic(type) ? -1
                                                : (int)gcal_source_address_space(type);
        switch (clang_getCursorKind(c)) {
        case CXCursor_VarDecl:
        case CXCursor_ParmDecl:
            return space_of_variable(c);
        case CXCursor_DeclRefExpr:
            return space_of_variable(clang_getCursorReferenced(c));
        case CXCursor_MemberRefExpr:
            child = first_child(c);
            if (clang_Cursor_isNull(child) ||
                gcal_source_type(child).kind == CXType_Pointer)
                return -1;
            break;
        case CXCursor_ArraySubscriptExpr:
            for (child = first_child(c);
                 clang_getCursorKind(child) == CXCursor_ParenExpr;)
                child = first_child(child);
            child = clang_getCursorKind(child) == CXCursor_UnexposedExpr
                        ? first_child(child)
                        : child;
            if (!gcal_source_is_array(gcal_source_type(child)) ||
                clang_getCursorKind(clang_getCursorReferenced(child)) ==
                    CXCursor_ParmDecl)
                return -1;
            break;
        case CXCursor_ParenExpr:
            child = first_child(c);
            break;
        case CXCursor_UnaryOperator:
            return clang_getCursorUnaryOperatorKind(c) == CXUnaryOperator_Deref
                       ? -1
                       : (int)GCAL_FEATURE_SPACE_ANY;
        case CXCursor_CallExpr:
            return gcal_source_is_reference(clang_getCanonicalType(
                       clang_getCursorResultType(clang_getCursorReferenced(c))))
                       ? -1
                       : (int)GCAL_FEATURE_SPACE_ANY;
        default:
            return GCAL_FEATURE_SPACE_ANY;
        }
        c = child;
    }
}

enum gcal_feature_space gcal_source_space(CXCursor c)
{
    int space = find_space(c);

    return space < 0 ? GCAL_FEATURE_SPACE_ANY : (enum gcal_feature_space)space;
}

bool gcal_source_is_pointed_to(CXCursor c)
{
    return find_space(c) < 0;
}

/* ---- C++ ---- */

static bool is_template_argument(CXCursor referenced)
{
    return clang_Cursor_isNull(referenced) ||
           clang_getCursorKind(referenced) == CXCursor_NonTypeTemplateParameter;
}

enum CXCursorKind gcal_source_kind(CXCursor c)
{
    enum CXCursorKind kind = clang_getCursorKind(c);

    switch (kind) {
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXFunctionalCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_CXXConstCastExpr:
        return CXCursor_CStyleCastExpr;
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
    case CXCursor_ConversionFunction:
        return CXCursor_FunctionDecl;
    case CXCursor_DeclRefExpr: /* an argument of a template, with its value */
        return is_template_argument(clang_getCursorReferenced(c)) ? CXCursor_ParenExpr
                                                                  : kind;
    default:
        return kind;
    }
}

bool gcal_source_is_method(CXCursor function)
{
    enum CXCursorKind kind = clang_getCursorKind(function);

    return (kind == CXCursor_CXXMethod && !clang_CXXMethod_isStatic(function)) ||
           kind == CXCursor_ConversionFunction;
}

CXCursor gcal_source_parameter(CXCursor function, size_t i)
{
    bool is_method = gcal_source_is_method(function);

    return is_method && i == 1 ? function
                               : clang_Cursor_getArgument(
                                     function, (unsigned)(i - 1 - (is_method ? 1 : 0)));
}

/* The expression that stands for an argument that is left out. */
static CXCursor argument_of(CXCursor call, CXCursor function, unsigned i)
{
    CXCursor argument = clang_Cursor_getArgument(call, i);
    bool is_operator =
        clang_getCursorKind(function) == CXCursor_CXXMethod &&
        clang_Cursor_getNumArguments(call) == clang_Cursor_getNumArguments(function) + 1;
    CXCursor parameter = clang_Cursor_getArgument(function, i - (is_operator ? 1u : 0u));
    struct gcal_source_children children;

    if (clang_getCursorKind(argument) != CXCursor_UnexposedExpr ||
        !clang_Cursor_isNull(first_child(argument)) || clang_Cursor_isNull(parameter) ||
        gcal_source_get_children(parameter, &children, NULL) < 0)
        return argument;
    if (children.n)
        argument = children.cursors[children.n - 1];
    free(children.cursors);
    return argument;
}

static bool contains_reference(CXCursor c, CXCursor to)
{
    while (clang_getCursorKind(c) == CXCursor_UnexposedExpr ||
           clang_getCursorKind(c) == CXCursor_ParenExpr)
        c = first_child(c);
    return clang_getCursorKind(c) == CXCursor_DeclRefExpr &&
           clang_equalCursors(clang_getCursorReferenced(c), to);
}

int gcal_source_order_call(CXCursor call, struct gcal_source_children *children,
                           struct gcal_error *err)
{
    CXCursor function = clang_getCursorReferenced(call), callee = clang_getNullCursor();
    enum CXCursorKind kind = clang_getCursorKind(function);
    int n = clang_Cursor_getNumArguments(call);
    CXCursor object = clang_getNullCursor(), *ordered;
    bool has_object = false;
    size_t n_ordered = 0;

    if (n < 0 || (kind != CXCursor_FunctionDecl && kind != CXCursor_CXXMethod &&
                  kind != CXCursor_Constructor && kind != CXCursor_ConversionFunction))
        return 0;
    for (size_t i = 0; i < children->n && kind != CXCursor_Constructor; i++)
        if (clang_getCursorKind(children->cursors[i]) == CXCursor_MemberRefExpr && !i &&
            gcal_source_is_method(function) &&
            clang_equalCursors(clang_getCursorReferenced(children->cursors[i]),
                               function)) {
            callee = children->cursors[i];
            object = first_child(callee);
            has_object = true;
        } else if (contains_reference(children->cursors[i], function)) {
            callee = children->cursors[i];
            break;
        }
    if (!(ordered = calloc((size_t)n + 2, sizeof(*ordered))))
        return gcal_error_memory(err);
    ordered[n_ordered++] = callee;
    if (has_object)
        ordered[n_ordered++] = object;
    for (int i = 0; i < n; i++)
        ordered[n_ordered++] = argument_of(call, function, (unsigned)i);
    free(children->cursors);
    *children = (struct gcal_source_children){ n_ordered, ordered };
    return 0;
}
