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

/* ---- names ---- */

char *gcal_source_called_name(CXCursor call, struct gcal_error *err)
{
    CXCursor function = gcal_source_called(call), name = clang_getNullCursor();

    if (clang_getCursorKind(function) == CXCursor_FunctionDecl &&
        clang_Location_isInSystemHeader(clang_getCursorLocation(function)))
        name = gcal_source_attribute(function, CXCursor_AnnotateAttr);
    return gcal_source_cursor_name(clang_Cursor_isNull(name) ? call : name, err);
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
            child = gcal_source_first_child(c);
            if (clang_Cursor_isNull(child) ||
                gcal_source_type(child).kind == CXType_Pointer)
                return -1;
            break;
        case CXCursor_ArraySubscriptExpr:
            for (child = gcal_source_first_child(c);
                 clang_getCursorKind(child) == CXCursor_ParenExpr;)
                child = gcal_source_first_child(child);
            child = clang_getCursorKind(child) == CXCursor_UnexposedExpr
                        ? gcal_source_first_child(child)
                        : child;
            if (!gcal_source_is_array(gcal_source_type(child)) ||
                clang_getCursorKind(clang_getCursorReferenced(child)) ==
                    CXCursor_ParmDecl)
                return -1;
            break;
        case CXCursor_ParenExpr:
            child = gcal_source_first_child(c);
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

CXCursor gcal_source_parameter(CXCursor function, size_t i)
{
    bool is_method = gcal_source_is_method(function);

    return is_method && i == 1 ? function
                               : clang_Cursor_getArgument(
                                     function, (unsigned)(i - 1 - (is_method ? 1 : 0)));
}
