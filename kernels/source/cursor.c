/* cursor.c - properties of libclang's cursors and types */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/source/private.h"

struct collecting {
    struct gcal_source_children *children;
    size_t capacity;
    struct gcal_error *err;
    bool failed;
};

static enum CXChildVisitResult collect(CXCursor cursor, CXCursor parent,
                                       CXClientData data)
{
    struct collecting *c = data;
    CXCursor *moved;

    enum CXCursorKind kind = clang_getCursorKind(cursor);

    (void)parent;
    if (kind == CXCursor_TypeRef || kind == CXCursor_TemplateRef ||
        kind == CXCursor_NamespaceRef || clang_isAttribute(kind))
        return CXChildVisit_Continue;
    moved = gcal_array_grow(c->children->cursors, c->children->n, &c->capacity,
                            sizeof(*moved), c->err);
    if (!moved) {
        c->failed = true;
        return CXChildVisit_Break;
    }
    c->children->cursors = moved;
    moved[c->children->n++] = cursor;
    return CXChildVisit_Continue;
}

static enum CXVisitorResult collect_field(CXCursor field, CXClientData data)
{
    return collect(field, field, data) == CXChildVisit_Break ? CXVisit_Break
                                                             : CXVisit_Continue;
}

/* Of C++: the members of the class that this one is derived from come first. */
static enum CXChildVisitResult collect_base(CXCursor c, CXCursor parent,
                                            CXClientData data)
{
    CXType base = clang_getCanonicalType(clang_getCursorType(c));

    (void)parent;
    if (clang_getCursorKind(c) != CXCursor_CXXBaseSpecifier)
        return CXChildVisit_Continue;
    clang_visitChildren(clang_getTypeDeclaration(base), collect_base, data);
    clang_Type_visitFields(base, collect_field, data);
    return CXChildVisit_Continue;
}

static enum CXChildVisitResult count_base(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    *(size_t *)data += clang_getCursorKind(c) == CXCursor_CXXBaseSpecifier;
    return CXChildVisit_Continue;
}

size_t gcal_source_bases(CXType record)
{
    size_t n = 0;

    clang_visitChildren(clang_getTypeDeclaration(record), count_base, &n);
    return n;
}

static int order_call(CXCursor call, struct gcal_source_children *children,
                      struct gcal_error *err);

int gcal_source_get_children(CXCursor of, struct gcal_source_children *children,
                             struct gcal_error *err)
{
    struct collecting c = { children, 0, err, false };
    enum CXCursorKind kind = clang_getCursorKind(of);

    *children = (struct gcal_source_children){ 0 };
    if (kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl ||
        kind == CXCursor_ClassDecl) {
        clang_visitChildren(of, collect_base, &c);
        clang_Type_visitFields(clang_getCursorType(of), collect_field, &c);
    } else
        clang_visitChildren(of, collect, &c);
    if (!c.failed && (kind != CXCursor_CallExpr || order_call(of, children, err) == 0))
        return 0;
    free(children->cursors);
    *children = (struct gcal_source_children){ 0 };
    return -1;
}

char *gcal_source_cursor_name(CXCursor cursor, struct gcal_error *err)
{
    CXString spelling = clang_getCursorSpelling(cursor);
    const char *text = clang_getCString(spelling);
    char *copy =
        strdup(text && !strchr(text, '(') ? text : ""); /* "U::(anonymous at .." */

    clang_disposeString(spelling);
    if (!copy)
        gcal_error_memory(err);
    return copy;
}

long long gcal_source_member_offset(CXType record, CXCursor field)
{
    char *name = gcal_source_cursor_name(field, NULL);
    long long bits = name && *name
                         ? clang_Type_getOffsetOf(clang_getCanonicalType(record), name)
                         : clang_Cursor_getOffsetOfField(field);

    free(name);
    return bits;
}

/* ---- children of calls ---- */

CXCursor gcal_source_first_child(CXCursor c)
{
    struct gcal_source_children children;
    CXCursor first = clang_getNullCursor();

    if (gcal_source_get_children(c, &children, NULL) == 0 && children.n)
        first = children.cursors[0];
    free(children.cursors);
    return first;
}

bool gcal_source_is_method(CXCursor function)
{
    enum CXCursorKind kind = clang_getCursorKind(function);

    return (kind == CXCursor_CXXMethod && !clang_CXXMethod_isStatic(function)) ||
           kind == CXCursor_ConversionFunction;
}

/* Puts the children of a call in the order of gcal_source_get_children(). */
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
        !clang_Cursor_isNull(gcal_source_first_child(argument)) ||
        clang_Cursor_isNull(parameter) ||
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
        c = gcal_source_first_child(c);
    return clang_getCursorKind(c) == CXCursor_DeclRefExpr &&
           clang_equalCursors(clang_getCursorReferenced(c), to);
}

static enum CXChildVisitResult take_first(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    *(CXCursor *)data = c;
    return CXChildVisit_Break;
}

/* As libclang has it: gcal_source_first_child() orders calls, for which it asks what they call. */
static CXCursor first_child(CXCursor c)
{
    CXCursor child = clang_getNullCursor();

    clang_visitChildren(c, take_first, &child);
    return child;
}

static bool is_function_pointer(CXCursor c)
{
    CXType type = gcal_source_type(c);

    return type.kind == CXType_Pointer &&
           clang_getCanonicalType(clang_getPointeeType(type)).kind ==
               CXType_FunctionProto;
}

/* In an instance, an argument of the template is a reference without a name, to which its value is the child.  Of
 * "f(x)(y)" libclang says that it calls f.
 */
CXCursor gcal_source_called(CXCursor call)
{
    CXCursor function = clang_getCursorReferenced(call), c = call, callee;

    if (clang_getCursorKind(call) != CXCursor_CallExpr ||
        (!clang_Cursor_isNull(function) &&
         clang_getCursorKind(function) != CXCursor_FunctionDecl))
        return function;
    do {
        c = first_child(c);
        callee = clang_getCursorReferenced(c);
    } while (
        clang_getCursorKind(c) == CXCursor_UnaryOperator ||
        clang_getCursorKind(c) == CXCursor_ParenExpr ||
        clang_getCursorKind(c) == CXCursor_UnexposedExpr ||
        (clang_getCursorKind(c) == CXCursor_DeclRefExpr && clang_Cursor_isNull(callee)));
    if (clang_getCursorKind(c) == CXCursor_CallExpr && is_function_pointer(c))
        return clang_getNullCursor();
    return clang_Cursor_isNull(function) &&
                   clang_getCursorKind(callee) == CXCursor_FunctionDecl &&
                   clang_getCursorKind(c) == CXCursor_DeclRefExpr
               ? callee
               : function;
}

/* Puts the children of a call in the order of gcal_source_get_children(). */
static int order_call(CXCursor call, struct gcal_source_children *children,
                      struct gcal_error *err)
{
    CXCursor function = gcal_source_called(call), callee = clang_getNullCursor();
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
            object = gcal_source_first_child(callee);
            has_object = true;
        } else if (contains_reference(children->cursors[i], function) ||
                   clang_Cursor_isNull(clang_getCursorReferenced(call))) {
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

/* ---- sets of declarations ---- */

bool gcal_source_set_add(struct gcal_source_set *set, CXCursor declaration)
{
    CXCursor *grown;

    for (size_t i = 0; i < set->n; i++)
        if (clang_equalCursors(set->cursors[i], declaration))
            return false;
    grown = gcal_array_grow(set->cursors, set->n, &set->capacity, sizeof(*grown), NULL);
    if (!grown) {
        set->failed = true;
        return false;
    }
    set->cursors = grown;
    grown[set->n++] = declaration;
    return true;
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

CXCursor gcal_source_attribute(CXCursor decl, enum CXCursorKind kind)
{
    struct attribute attribute = { kind, clang_getNullCursor() };

    clang_visitChildren(decl, find_attribute, &attribute);
    return attribute.found;
}

bool gcal_source_has_attribute(CXCursor decl, enum CXCursorKind kind)
{
    return !clang_Cursor_isNull(gcal_source_attribute(decl, kind));
}

/* ---- offsets in the source ---- */

static size_t offset_of(const struct gcal_source_unit *unit, CXSourceLocation location)
{
    size_t length = strlen(unit->source);
    unsigned offset = 0;

    clang_getSpellingLocation(location, NULL, NULL, NULL, &offset);
    return offset < length ? offset : length;
}

size_t gcal_source_start(const struct gcal_source_unit *unit, CXCursor c)
{
    return offset_of(unit, clang_getRangeStart(clang_getCursorExtent(c)));
}

size_t gcal_source_end(const struct gcal_source_unit *unit, CXCursor c)
{
    return offset_of(unit, clang_getRangeEnd(clang_getCursorExtent(c)));
}

bool gcal_source_is_within(const struct gcal_source_unit *unit, CXCursor c,
                           CXCursor outer)
{
    return gcal_source_start(unit, outer) <= gcal_source_start(unit, c) &&
           gcal_source_end(unit, c) <= gcal_source_end(unit, outer);
}

/* ---- types ---- */

/* libclang has a number for __bf16, and does not give it. */
static CXType canonical(CXType type)
{
    CXString spelling;

    if (type.kind == CXType_Invalid)
        return type;
    type = clang_getCanonicalType(type);
    if (type.kind != CXType_Unexposed)
        return type;
    spelling = clang_getTypeSpelling(type);
    if (strstr(clang_getCString(spelling), "__bf16"))
        type.kind = CXType_BFloat16;
    clang_disposeString(spelling);
    return type;
}

CXType gcal_source_type(CXCursor c)
{
    return canonical(clang_getCursorType(c));
}

long long gcal_source_size(CXType type)
{
    type = canonical(type);
    return type.kind == CXType_Invalid || type.kind == CXType_Unexposed
               ? -1
               : clang_Type_getSizeOf(type);
}

/* clang's numbers of address spaces, the same for every target and for LLVM 14 to 19;
 * tests/kernels/source/test_source.c checks them.
 */
enum { SPACE_GLOBAL = 1, SPACE_LOCAL = 2, SPACE_CONSTANT = 3, SPACE_GENERIC = 5 };

enum gcal_feature_space gcal_source_address_space(CXType type)
{
    /* libclang crashes on invalid types */
    switch (type.kind == CXType_Invalid ? 0 : clang_getAddressSpace(type)) {
    case SPACE_GLOBAL:
        return GCAL_FEATURE_SPACE_GLOBAL;
    case SPACE_LOCAL:
        return GCAL_FEATURE_SPACE_LOCAL;
    case SPACE_CONSTANT:
        return GCAL_FEATURE_SPACE_CONSTANT;
    default:
        return GCAL_FEATURE_SPACE_ANY;
    }
}

bool gcal_source_is_generic(CXType type)
{
    unsigned space = type.kind != CXType_Invalid ? clang_getAddressSpace(type) : 1;

    return space == SPACE_GENERIC || !space; /* in OpenCL C, no lvalue is without one */
}

bool gcal_source_is_image(CXType type)
{
    return type.kind >= CXType_OCLImage1dRO && type.kind <= CXType_OCLImage3dRW;
}

bool gcal_source_is_array(CXType type)
{
    return type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray ||
           type.kind == CXType_VariableArray;
}

long long gcal_source_vector(CXType type, CXType *element)
{
    struct gcal_source_children fields;
    CXCursor decl;

    if (type.kind == CXType_ExtVector || type.kind == CXType_Vector) {
        if (element)
            *element = clang_getCanonicalType(clang_getElementType(type));
        return clang_getNumElements(type);
    }
    if (type.kind != CXType_Record)
        return 0;
    decl = clang_getTypeDeclaration(type);
    if (!clang_Location_isInSystemHeader(clang_getCursorLocation(decl)) ||
        !gcal_source_has_attribute(decl, CXCursor_AnnotateAttr) ||
        gcal_source_get_children(decl, &fields, NULL) < 0)
        return 0;
    if (element && fields.n)
        *element = gcal_source_type(fields.cursors[0]);
    free(fields.cursors);
    return (long long)fields.n;
}

const char *gcal_source_dtype(CXType type)
{
    if (type.kind == CXType_Invalid)
        return NULL;
    type = canonical(type);
    gcal_source_vector(type, &type);
    switch (type.kind) {
    case CXType_Half:
    case CXType_Float16:
    case CXType_BFloat16: /* as wide, and as fast */
        return "float16";
    case CXType_Float:
        return "float32";
    case CXType_Double:
        return "float64";
    case CXType_Char_S:
    case CXType_SChar:
        return "int8";
    case CXType_Bool:
    case CXType_Char_U:
    case CXType_UChar:
        return "uint8";
    case CXType_Short:
        return "int16";
    case CXType_UShort:
        return "uint16";
    case CXType_Int:
    case CXType_Enum:
        return "int32";
    case CXType_UInt:
        return "uint32";
    case CXType_Long:
    case CXType_LongLong:
        return "int64";
    case CXType_ULong:
    case CXType_ULongLong:
        return "uint64";
    default:
        return NULL;
    }
}

/* A cast has its operand's extent, also in macros; as_float() begins before it. */
bool gcal_source_is_reinterpreted(CXCursor c, CXCursor operand)
{
    return clang_getCursorKind(c) == CXCursor_UnexposedExpr &&
           !clang_equalRanges(clang_getCursorExtent(c), clang_getCursorExtent(operand));
}

bool gcal_source_has_decayed(CXCursor array)
{
    switch (clang_getCursorKind(array)) {
    case CXCursor_UnexposedExpr:
    case CXCursor_CStyleCastExpr:
    case CXCursor_BinaryOperator:
    case CXCursor_ConditionalOperator:
    case CXCursor_CallExpr:
        return true;
    default:
        return false;
    }
}

/* ---- clauses and tags ---- */

static bool is_assignment(CXCursor c)
{
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(c);

    switch (clang_getCursorKind(c)) {
    case CXCursor_BinaryOperator:
        return kind == CXBinaryOperator_Assign || (kind == CXBinaryOperator_Comma);
    case CXCursor_CompoundAssignOperator:
        return true;
    case CXCursor_UnaryOperator:
        return clang_getCursorUnaryOperatorKind(c) <= CXUnaryOperator_PreDec;
    default: /* "next(i)" */
        return gcal_source_type(c).kind == CXType_Void;
    }
}

int gcal_source_for_clauses(CXCursor loop, CXCursor parts[4], struct gcal_error *err)
{
    struct gcal_source_children children;
    size_t n;

    for (int i = 0; i < 4; i++)
        parts[i] = clang_getNullCursor();
    if (gcal_source_get_children(loop, &children, err) < 0)
        return -1;
    n = children.n;
    if (n)
        parts[3] = children.cursors[n - 1];
    if (n == 4) {
        memcpy(parts, children.cursors, 3 * sizeof(*parts));
        n = 1;
    }
    /* libclang omits missing clauses, and locations are useless in macros, so the kind of
     * an expression decides.  A single "i = 0" is taken as init.
     */
    for (size_t i = 0; i + 1 < n; i++) {
        CXCursor c = children.cursors[i];
        bool compound = clang_getCursorBinaryOperatorKind(c) != CXBinaryOperator_Assign;

        if (clang_getCursorKind(c) == CXCursor_DeclStmt)
            parts[0] = c;
        else if (!is_assignment(c) && clang_Cursor_isNull(parts[1]))
            parts[1] = c;
        else if (i > 0 || (n == 2 && compound))
            parts[2] = c;
        else
            parts[0] = c;
    }
    free(children.cursors);
    return 0;
}

/* Child 'which' of exactly 'n', or a null cursor. */
static CXCursor only_child(CXCursor c, size_t which, size_t n)
{
    struct gcal_source_children children;
    CXCursor child = clang_getNullCursor();

    if (gcal_source_get_children(c, &children, NULL) == 0 && children.n == n)
        child = children.cursors[which];
    free(children.cursors);
    return child;
}

bool gcal_source_find_tag(CXCursor c, CXCursor *lvalue, char *tag, size_t room)
{
    CXCursor comma, name;
    CXString text;

    /* (*((void)"name", &(lvalue))) */
    if (clang_getCursorKind(c) != CXCursor_UnaryOperator ||
        clang_getCursorUnaryOperatorKind(c) != CXUnaryOperator_Deref)
        return false;
    comma = only_child(only_child(c, 0, 1), 0, 1);
    if (clang_getCursorKind(comma) != CXCursor_BinaryOperator ||
        clang_getCursorBinaryOperatorKind(comma) != CXBinaryOperator_Comma)
        return false;
    name = only_child(comma, 0, 2);
    while (clang_getCursorKind(name) == CXCursor_CStyleCastExpr ||
           clang_getCursorKind(name) == CXCursor_UnexposedExpr)
        name = only_child(name, 0, 1);
    if (clang_getCursorKind(name) != CXCursor_StringLiteral)
        return false;
    *lvalue = only_child(only_child(comma, 1, 2), 0, 1);
    text = clang_getCursorSpelling(name);
    snprintf(tag, room, "%.*s", (int)strcspn(clang_getCString(text) + 1, "\""),
             clang_getCString(text) + 1);
    clang_disposeString(text);
    return true;
}
