/* object.c - what CUDA has and C has not: references, objects, lambdas, variables of threads
 *
 * A reference is a pointer, and so is "this", which is the first parameter of a method.  As
 * variables have fixed addresses, a lambda finds those that it captures where they are.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/interpret/private.h"

static bool is_cuda(const struct gcal_interp_translator *t)
{
    return t->unit->language == GCAL_SOURCE_CUDA;
}

/* ---- addresses ---- */

static bool is_reference_call(CXCursor c)
{
    CXCursor function = gcal_source_called(c);

    return !clang_Cursor_isNull(function) &&
           gcal_source_is_reference(
               clang_getCanonicalType(clang_getCursorResultType(function)));
}

/* Returns whether 'c' names a place, rather than a value. */
static bool is_place(CXCursor c)
{
    struct gcal_source_children kids;
    bool is = false;

    if (gcal_source_get_children(c, &kids, NULL) < 0)
        return false;
    switch (gcal_source_kind(c)) {
    case CXCursor_DeclRefExpr:
    case CXCursor_ArraySubscriptExpr:
        is = true;
        break;
    case CXCursor_UnaryOperator:
        is = clang_getCursorUnaryOperatorKind(c) == CXUnaryOperator_Deref;
        break;
    case CXCursor_CallExpr:
        is = is_reference_call(c);
        break;
    case CXCursor_MemberRefExpr:
        is = !kids.n || gcal_source_type(kids.cursors[0]).kind == CXType_Pointer ||
             is_place(kids.cursors[0]);
        break;
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr:
        is = kids.n == 1 &&
             clang_equalTypes(
                 clang_getUnqualifiedType(gcal_source_type(c)),
                 clang_getUnqualifiedType(gcal_source_type(kids.cursors[0]))) &&
             is_place(kids.cursors[0]);
        break;
    default:
        break;
    }
    free(kids.cursors);
    return is;
}

/* The address of a variable without a name, after 'first' (or NULL) that sets it. */
static struct gcal_interp_node *after(struct gcal_interp_translator *t, CXCursor c,
                                      struct gcal_interp_node *first,
                                      struct gcal_interp_node *address)
{
    return first ? gcal_interp_node_comma(t, c, first, address) : NULL;
}

struct gcal_interp_node *gcal_interp_translate_referred(struct gcal_interp_translator *t,
                                                        CXCursor c)
{
    struct gcal_interp_node *value, *place;

    if (is_place(c))
        return gcal_interp_translate_address(t, c);
    if (!(value = gcal_interp_translate_value(t, c)) ||
        !(place =
              gcal_interp_node_variable(t, c, value->type, GCAL_INTERP_MEMORY_PRIVATE)))
        return NULL;
    return after(t, c, gcal_interp_node_store(t, c, place, value), place);
}

/* ---- "this" ---- */

static bool has_this(CXCursor function)
{
    return gcal_source_is_method(function) ||
           clang_getCursorKind(function) == CXCursor_Constructor;
}

struct gcal_interp_node *gcal_interp_translate_this(struct gcal_interp_translator *t,
                                                    CXCursor at, CXCursor record)
{
    struct gcal_interp_node *nearest = NULL;

    for (size_t i = t->n_variables; i-- > 0;) {
        CXCursor method = t->variables[i].cursor;

        if (gcal_source_kind(method) != CXCursor_FunctionDecl)
            continue;
        if (clang_equalCursors(method, t->function->cursor))
            nearest = t->variables[i].address;
        if (clang_equalCursors(clang_getCursorSemanticParent(method), record) &&
            (clang_equalCursors(method, t->function->cursor) || !nearest)) {
            nearest = t->variables[i].address;
            break;
        }
    }
    return nearest ? gcal_interp_node_load(t, at, nearest)
                   : gcal_interp_unsupported(t, at, "an object that is not known");
}

int gcal_interp_declare_this(struct gcal_interp_translator *t,
                             struct gcal_interp_function *f)
{
    const struct gcal_interp_type *type;
    CXCursor record = clang_getCursorSemanticParent(f->cursor);

    if (!has_this(f->cursor))
        return 0;
    if (!(type = gcal_interp_type_translate(t, clang_getCursorType(record), f->cursor)) ||
        !(type = gcal_interp_type_pointer(t, type)) ||
        !(f->params[0] = gcal_interp_declare(t, f->cursor, type)))
        return -1;
    return 1;
}

/* ---- calls ---- */

struct gcal_interp_node *gcal_interp_translate_argument(struct gcal_interp_translator *t,
                                                        CXCursor call, CXCursor function,
                                                        size_t i, CXCursor argument)
{
    CXCursor parameter =
        is_cuda(t) ? gcal_source_parameter(function, i) : clang_getNullCursor();

    if (gcal_source_kind(parameter) == CXCursor_FunctionDecl) { /* of the object */
        if (clang_Cursor_isNull(argument))
            return gcal_interp_translate_this(t, call,
                                              clang_getCursorSemanticParent(parameter));
        return gcal_source_type(argument).kind == CXType_Pointer
                   ? gcal_interp_translate_value(t, argument)
                   : gcal_interp_translate_referred(t, argument);
    }
    return gcal_source_is_reference(gcal_source_type(parameter))
               ? gcal_interp_translate_referred(t, argument)
               : gcal_interp_translate_value(t, argument);
}

static bool has_body(CXCursor function)
{
    return !clang_Cursor_isNull(function) && !clang_CXXMethod_isDefaulted(function);
}

static struct gcal_interp_node *construct(struct gcal_interp_translator *t, CXCursor call,
                                          CXCursor constructor,
                                          struct gcal_source_children kids)
{
    CXCursor definition = clang_getCursorDefinition(constructor);
    const struct gcal_interp_type *type =
        gcal_interp_type_translate(t, clang_getCursorType(call), call);
    struct gcal_interp_node *place, *first, **arguments;
    struct gcal_interp_function *function;

    if (!type)
        return NULL;
    if (!has_body(definition) && kids.n == 2)
        return gcal_interp_translate_value(t, kids.cursors[1]);
    if (!(place = gcal_interp_node_variable(t, call, type, GCAL_INTERP_MEMORY_PRIVATE)))
        return NULL;
    if (!has_body(definition)) {
        first = gcal_interp_node_reset(t, call, place, false);
        return first ? gcal_interp_node_comma(t, call, first,
                                              gcal_interp_node_load(t, call, place))
                     : NULL;
    }
    if (type->repr != GCAL_INTERP_RECORD)
        return gcal_interp_unsupported(t, call, "an array of objects with a constructor");
    if (!(function = gcal_interp_translate_function(t, definition, call)) ||
        !(arguments = gcal_interp_program_alloc(t, (kids.n + 1) * sizeof(*arguments))))
        return NULL;
    arguments[0] = place;
    for (size_t i = 1; i < kids.n; i++)
        if (!(arguments[i] = gcal_interp_translate_argument(t, call, definition, i,
                                                            kids.cursors[i])))
            return NULL;
    first = gcal_interp_node_call(t, call, function, arguments, kids.n);
    return first ? gcal_interp_node_comma(t, call, first,
                                          gcal_interp_node_load(t, call, place))
                 : NULL;
}

bool gcal_interp_translate_object_call(struct gcal_interp_translator *t, CXCursor call,
                                       struct gcal_source_children kids,
                                       struct gcal_interp_node **n)
{
    CXCursor function = gcal_source_called(call);
    CXCursor definition = clang_getCursorDefinition(function);
    struct gcal_interp_node *address;

    if (!is_cuda(t))
        return false;
    *n = NULL;
    if (clang_getCursorKind(function) == CXCursor_Constructor) {
        *n = construct(t, call, function, kids);
        return true;
    }
    if (kids.n != 3 || clang_getCursorKind(function) != CXCursor_CXXMethod ||
        has_body(definition)) {
        if (!clang_Cursor_isNull(definition) || clang_Cursor_isNull(function) ||
            clang_Location_isInSystemHeader(clang_getCursorLocation(function)))
            return false;
        gcal_interp_unsupported(t, call, "a function whose body is not in the source");
        return true;
    }
    if ((address = gcal_interp_translate_address(t, kids.cursors[1]))) /* a = b */
        *n = gcal_interp_node_store(t, call, address,
                                    gcal_interp_translate_value(t, kids.cursors[2]));
    return true;
}

bool gcal_interp_returns_reference(const struct gcal_interp_translator *t, CXCursor call)
{
    CXCursor definition = clang_getCursorDefinition(gcal_source_called(call));

    return is_cuda(t) && is_reference_call(call) && has_body(definition);
}

/* ---- constructors ---- */

static int set_member(struct gcal_interp_translator *t, CXCursor constructor,
                      CXCursor field, CXCursor value, struct gcal_interp_node_list *list)
{
    struct gcal_interp_node *object =
        gcal_interp_translate_this(t, constructor, clang_getCursorSemanticParent(field));
    struct gcal_interp_node *place =
        object ? gcal_interp_node_member(t, value, field, object, object->type->element)
               : NULL;
    struct gcal_interp_node *store;

    if (!place)
        return -1;
    if (place->type->element->repr == GCAL_INTERP_ARRAY) {
        gcal_interp_unsupported(t, value, "an array that a constructor initialises");
        return -1;
    }
    store = gcal_interp_node_store(t, value, place,
                                   gcal_source_is_reference(gcal_source_type(field))
                                       ? gcal_interp_translate_referred(t, value)
                                       : gcal_interp_translate_value(t, value));
    return gcal_interp_add_expression(t, value, list, store);
}

int gcal_interp_translate_members(struct gcal_interp_translator *t, CXCursor constructor,
                                  struct gcal_interp_node_list *list)
{
    CXCursor record = clang_getCursorSemanticParent(constructor);
    struct gcal_source_children kids = { 0 }, fields = { 0 }, own;
    int rc = 0;

    if (clang_getCursorKind(constructor) != CXCursor_Constructor)
        return 0;
    if (gcal_source_get_children(constructor, &kids, t->err) < 0 ||
        gcal_source_get_children(record, &fields, t->err) < 0)
        rc = -1;
    for (size_t k = 0; k < kids.n && rc == 0; k++)
        if (gcal_source_kind(kids.cursors[k]) == CXCursor_CallExpr &&
            (!k || gcal_source_kind(kids.cursors[k - 1]) != CXCursor_MemberRef)) {
            gcal_interp_unsupported(t, kids.cursors[k], "the constructor of a base");
            rc = -1;
        }
    for (size_t i = 0; i < fields.n && rc == 0; i++) {
        CXCursor value = clang_getNullCursor();

        if (gcal_source_get_children(fields.cursors[i], &own, NULL) == 0) {
            if (own.n && !gcal_source_is_array(gcal_source_type(fields.cursors[i])) &&
                gcal_source_type(fields.cursors[i]).kind != CXType_Record)
                value = own.cursors[own.n - 1];
            free(own.cursors);
        }
        for (size_t k = 0; k + 1 < kids.n; k++)
            if (gcal_source_kind(kids.cursors[k]) == CXCursor_MemberRef &&
                clang_equalCursors(clang_getCursorReferenced(kids.cursors[k]),
                                   fields.cursors[i]))
                value = kids.cursors[k + 1];
        if (!clang_Cursor_isNull(value))
            rc = set_member(t, constructor, fields.cursors[i], value, list);
    }
    free(kids.cursors);
    free(fields.cursors);
    return rc;
}

/* ---- lambdas ---- */

struct gcal_interp_node *gcal_interp_translate_lambda(struct gcal_interp_translator *t,
                                                      CXCursor c)
{
    const struct gcal_interp_type *type =
        gcal_interp_type_translate(t, clang_getCursorType(c), c);
    struct gcal_source_children kids;
    struct gcal_interp_node *place =
        type ? gcal_interp_node_variable(t, c, type, GCAL_INTERP_MEMORY_PRIVATE) : NULL;

    if (!place || gcal_source_get_children(c, &kids, t->err) < 0)
        return NULL;
    for (size_t i = 0; i < kids.n; i++)
        if (gcal_source_kind(kids.cursors[i]) == CXCursor_VarDecl)
            place = gcal_interp_unsupported(t, c, "a capture with an initialiser");
    free(kids.cursors);
    return place ? gcal_interp_node_load(t, c, place) : NULL;
}

/* ---- variables of threads ---- */

bool gcal_interp_translate_thread(struct gcal_interp_translator *t, CXCursor c,
                                  struct gcal_interp_node **n)
{
    static const struct {
        const char *name, *function;
    } variables[] = { { "threadIdx", "get_local_id" },
                      { "blockIdx", "get_group_id" },
                      { "blockDim", "get_local_size" },
                      { "gridDim", "get_num_groups" } };
    struct gcal_source_children kids;
    struct gcal_interp_node *dimension;
    CXCursor variable = clang_getNullCursor();
    char *name, *member;
    bool is = false;

    if (!is_cuda(t) || gcal_source_kind(c) != CXCursor_MemberRefExpr ||
        gcal_source_get_children(c, &kids, NULL) < 0)
        return false;
    if (kids.n == 1 && gcal_source_kind(kids.cursors[0]) == CXCursor_DeclRefExpr)
        variable = clang_getCursorReferenced(kids.cursors[0]);
    free(kids.cursors);
    if (clang_Cursor_isNull(variable) ||
        !clang_Location_isInSystemHeader(clang_getCursorLocation(variable)))
        return false;
    name = gcal_source_cursor_name(variable, NULL);
    member = gcal_source_cursor_name(c, NULL);
    for (size_t i = 0; name && member && i < sizeof(variables) / sizeof(*variables); i++)
        if (strcmp(name, variables[i].name) == 0) {
            is = true;
            dimension = gcal_interp_node_int(
                t, c, gcal_interp_type_basic(GCAL_INTERP_U32), member[0] - 'x');
            *n =
                dimension
                    ? gcal_interp_node_builtin(t, c, variables[i].function, &dimension, 1,
                                               gcal_interp_type_basic(GCAL_INTERP_U64))
                    : NULL;
            *n = *n ? gcal_interp_node_convert(t, c, *n,
                                               gcal_interp_type_basic(GCAL_INTERP_U32))
                    : NULL;
        }
    free(name);
    free(member);
    return is;
}
