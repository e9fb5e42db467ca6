/* expr.c - translation of expressions into nodes
 *
 * libclang does not expose the kind of most implicit casts, but the two types define it:
 * a read of a variable, a conversion, or an array's decay to a pointer.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/interpret/private.h"

static struct gcal_interp_node *translate_call(struct gcal_interp_translator *t,
                                               CXCursor c);

/* The type of a value.  An array as a value is a pointer: libclang gives the type that a
 * parameter is written with.
 */
static const struct gcal_interp_type *type_of(struct gcal_interp_translator *t,
                                              CXCursor c)
{
    CXType type = gcal_source_type(c);
    const struct gcal_interp_type *to;

    if (!gcal_source_is_array(type) || gcal_source_kind(c) == CXCursor_InitListExpr)
        return gcal_interp_type_translate(t, type, c);
    to = gcal_interp_type_translate(t, clang_getArrayElementType(type), c);
    return to ? gcal_interp_type_pointer(t, to) : NULL;
}

/* The child 'which' of a cursor that must have 'n' of them (0: at least one). */
static int child(struct gcal_interp_translator *t, CXCursor c, size_t which, size_t n,
                 CXCursor *found)
{
    struct gcal_source_children children;
    int rc = 0;

    if (gcal_source_get_children(c, &children, t->err) < 0)
        return -1;
    if (which < children.n && (n == 0 || n == children.n)) {
        *found = children.cursors[which];
    } else {
        gcal_interp_unsupported(t, c, "this form of an expression");
        rc = -1;
    }
    free(children.cursors);
    return rc;
}

/* ---- implicit casts and swizzles ---- */

static CXCursor without_parens(struct gcal_interp_translator *t, CXCursor c)
{
    while (gcal_source_kind(c) == CXCursor_ParenExpr)
        if (child(t, c, 0, 1, &c) < 0)
            break;
    return c;
}

/* Whether 'c' is "vector.lanes" or "pointer->lanes"; *n lanes, 0: they are not found. */
static bool is_swizzle(struct gcal_interp_translator *t, CXCursor c, CXCursor *vector,
                       signed char lanes[GCAL_INTERP_MAX_LANES], size_t *n)
{
    struct gcal_source_children children;
    bool found;

    if (gcal_source_kind(c) != CXCursor_UnexposedExpr ||
        gcal_source_get_children(c, &children, NULL) < 0)
        return false;
    found = children.n == 1 && gcal_source_is_component(t->unit, c, children.cursors[0]);
    if (found) {
        *vector = children.cursors[0];
        *n = gcal_source_component(t->unit, c, *vector, lanes);
    }
    free(children.cursors);
    return found;
}

static struct gcal_interp_node *unknown_lanes(struct gcal_interp_translator *t,
                                              CXCursor c)
{
    return gcal_interp_unsupported(
        t, c, "a vector's component whose name is not found in the source");
}

static bool is_arrow(CXCursor base)
{
    return gcal_source_type(base).kind == CXType_Pointer;
}

/* The address that "base.member" or "base->member" starts from. */
static struct gcal_interp_node *base_address(struct gcal_interp_translator *t,
                                             CXCursor base)
{
    return is_arrow(base) ? gcal_interp_translate_value(t, base)
                          : gcal_interp_translate_address(t, base);
}

/* An array as a pointer to its first element. */
static struct gcal_interp_node *translate_array(struct gcal_interp_translator *t,
                                                CXCursor array)
{
    struct gcal_interp_node *address;

    array = without_parens(t, array);
    if (gcal_source_has_decayed(array))
        return gcal_interp_translate_value(t, array);
    address = gcal_interp_translate_address(t, array);
    return address && address->type->element->repr == GCAL_INTERP_POINTER
               ? gcal_interp_node_load(t, array, address) /* of a parameter */
               : address;
}

static struct gcal_interp_node *translate_implicit(struct gcal_interp_translator *t,
                                                   CXCursor c)
{
    const struct gcal_interp_type *type = type_of(t, c);
    signed char lanes[GCAL_INTERP_MAX_LANES] = { 0 };
    struct gcal_interp_node *value;
    CXCursor inner;
    CXType from;
    size_t n;

    if (!type)
        return NULL;
    if (is_swizzle(t, c, &inner, lanes, &n)) {
        value = n ? gcal_interp_translate_value(t, inner) : unknown_lanes(t, c);
        if (value && is_arrow(inner))
            value = gcal_interp_node_load(t, c, value);
        return gcal_interp_node_swizzle(t, c, value, lanes, type);
    }
    if (child(t, c, 0, 1, &inner) < 0)
        return NULL;
    from = gcal_source_type(inner);
    if (gcal_source_is_array(from) && type->repr == GCAL_INTERP_POINTER) {
        value = translate_array(t, inner);
        return value ? gcal_interp_node_convert(t, c, value, type) : NULL;
    }
    if (!(value = gcal_interp_translate_value(t, inner)))
        return NULL;
    if (!gcal_interp_type_equal(type, value->type) &&
        gcal_source_is_reinterpreted(c, inner))
        return gcal_interp_node_reinterpret(t, c, value, type);
    return gcal_interp_node_convert(t, c, value, type);
}

/* ---- literals and names ---- */

static struct gcal_interp_node *translate_constant(struct gcal_interp_translator *t,
                                                   CXCursor c)
{
    const struct gcal_interp_type *type = type_of(t, c);
    CXEvalResult result = type ? clang_Cursor_Evaluate(c) : NULL;
    struct gcal_interp_node *n = NULL;

    if (!type)
        return NULL;
    if (result && clang_EvalResult_getKind(result) == CXEval_Int)
        n = gcal_interp_node_int(t, c, type,
                                 clang_EvalResult_isUnsignedInt(result)
                                     ? (int64_t)clang_EvalResult_getAsUnsigned(result)
                                     : clang_EvalResult_getAsLongLong(result));
    else if (result && clang_EvalResult_getKind(result) == CXEval_Float)
        n = gcal_interp_node_float(t, c, type, clang_EvalResult_getAsDouble(result));
    else
        gcal_interp_unsupported(t, c, "this constant");
    if (n) {
        if (t->program->n_constants < GCAL_INTERP_MOST_CONSTANTS)
            t->program->constants[t->program->n_constants++] =
                gcal_interp_is_int(type) ? (double)n->k.i : n->k.f;
    }
    if (result)
        clang_EvalResult_dispose(result);
    return n;
}

static struct gcal_interp_node *find_variable(struct gcal_interp_translator *t,
                                              CXCursor c)
{
    CXCursor declared = clang_getCursorReferenced(c);
    struct gcal_interp_node *address;
    struct gcal_interp_node_list init = { 0 };

    for (size_t i = t->n_variables; i-- > 0;)
        if (clang_equalCursors(t->variables[i].cursor, declared))
            return gcal_source_is_reference(gcal_source_type(declared))
                       ? gcal_interp_node_load(t, c, t->variables[i].address)
                       : t->variables[i].address;
    if (gcal_source_kind(declared) != CXCursor_VarDecl)
        return gcal_interp_unsupported(t, c, "this name");
    /* a function's variables are declared before their use: this is a file's variable */
    address = gcal_interp_translate_variable(t, declared, true, &init);
    for (size_t i = 0; i < init.n && address; i++)
        if (gcal_interp_node_list_add(t, &t->program->static_init, init.nodes[i]) < 0)
            return NULL;
    return address;
}

static struct gcal_interp_node *translate_name(struct gcal_interp_translator *t,
                                               CXCursor c)
{
    CXCursor declared = clang_getCursorReferenced(c);
    struct gcal_interp_node *address;

    if (gcal_source_kind(declared) == CXCursor_EnumConstantDecl)
        return translate_constant(t, c);
    address = find_variable(t, c);
    return address ? gcal_interp_node_load(t, c, address) : NULL;
}

/* ---- lvalues ---- */

/* Returns whether it has a child: a member without one is of the object of a method. */
static bool has_child(CXCursor c)
{
    struct gcal_source_children kids;
    bool has = gcal_source_get_children(c, &kids, NULL) < 0 || kids.n;

    free(kids.cursors);
    return has;
}

static struct gcal_interp_node *translate_place(struct gcal_interp_translator *t,
                                                CXCursor c)
{
    CXCursor inner;

    switch (gcal_source_kind(c)) {
    case CXCursor_ParenExpr:
        return child(t, c, 0, 1, &inner) < 0 ? NULL
                                             : gcal_interp_translate_address(t, inner);
    case CXCursor_DeclRefExpr:
        return find_variable(t, c);
    case CXCursor_ArraySubscriptExpr: {
        struct gcal_interp_node *base, *index, *other;
        CXCursor first, second;

        if (child(t, c, 0, 2, &first) < 0 || child(t, c, 1, 2, &second) < 0 ||
            !(base = gcal_interp_translate_value(t, first)) ||
            !(index = gcal_interp_translate_value(t, second)))
            return NULL;
        if (base->type->repr != GCAL_INTERP_POINTER) {
            /* 2[a] */
            other = base;
            base = index;
            index = other;
        }
        if (base->type->repr != GCAL_INTERP_POINTER || !gcal_interp_is_int(index->type))
            return gcal_interp_unsupported(t, c, "this subscript");
        return gcal_interp_node_index(t, c, base, index, false);
    }
    case CXCursor_UnexposedExpr: {
        signed char lanes[GCAL_INTERP_MAX_LANES] = { 0 };
        const struct gcal_interp_type *type = type_of(t, c), *pointer;
        struct gcal_interp_node *address;
        CXCursor vector;
        size_t n;

        if (!type)
            return NULL;
        if (!is_swizzle(t, c, &vector, lanes, &n))
            return child(t, c, 0, 1, &vector) < 0
                       ? NULL
                       : gcal_interp_translate_address(t, vector);
        if (!n)
            return unknown_lanes(t, c);
        if (type->repr == GCAL_INTERP_VECTOR)
            return gcal_interp_unsupported(t, c, "the address of several components");
        if (!(address = base_address(t, vector)) ||
            !(pointer = gcal_interp_type_pointer(t, type)) ||
            !(address = gcal_interp_node_convert(t, c, address, pointer)))
            return NULL;
        return gcal_interp_node_element(t, c, address, (size_t)lanes[0]);
    }
    case CXCursor_MemberRefExpr: {
        struct gcal_interp_node *address;
        CXCursor base, field = clang_getCursorReferenced(c);

        if (!has_child(c)) {
            address =
                gcal_interp_translate_this(t, c, clang_getCursorSemanticParent(field));
            return address ? gcal_interp_node_member(t, c, field, address,
                                                     address->type->element)
                           : NULL;
        }
        if (child(t, c, 0, 1, &base) < 0 || !(address = base_address(t, base)))
            return NULL;
        address = gcal_interp_node_member(t, c, field, address, address->type->element);
        return address && gcal_source_is_reference(gcal_source_type(field))
                   ? gcal_interp_node_load(t, c, address)
                   : address;
    }
    case CXCursor_UnaryOperator:
        if (clang_getCursorUnaryOperatorKind(c) == CXUnaryOperator_Deref)
            return child(t, c, 0, 1, &inner) < 0 ? NULL
                                                 : gcal_interp_translate_value(t, inner);
        /* fall through */
    case CXCursor_CallExpr:
        if (gcal_interp_returns_reference(t, c))
            return translate_call(t, c);
        /* fall through */
    default: {
        /* Of a structure that a function returns, say: its value is its address. */
        CXType type = gcal_source_type(c);
        struct gcal_interp_node *value;

        if (type.kind != CXType_Record)
            return gcal_interp_unsupported(t, c, "this kind of place in memory");
        value = gcal_interp_translate_value(t, c);
        return value ? gcal_interp_node_place(t, c, value, 0, value->type) : NULL;
    }
    }
}

struct gcal_interp_node *gcal_interp_translate_address(struct gcal_interp_translator *t,
                                                       CXCursor c)
{
    struct gcal_interp_node *n =
        gcal_interp_enter(t, c, 1) < 0 ? NULL : translate_place(t, c);

    t->depth--;
    return n;
}

/* ---- assignments ---- */

/* Stores lane by lane at 'address' of a vector, after 'first' (or NULL). */
static struct gcal_interp_node *store_lanes(struct gcal_interp_translator *t, CXCursor c,
                                            struct gcal_interp_node *first,
                                            struct gcal_interp_node *address,
                                            const signed char *lanes,
                                            struct gcal_interp_node *value)
{
    const struct gcal_interp_type *pointer;
    struct gcal_interp_node *place;

    if (!(value = gcal_interp_node_once(t, c, value, &first)) ||
        !(pointer = gcal_interp_type_pointer(t, value->type->element)) ||
        !(address = gcal_interp_node_convert(t, c, address, pointer)))
        return NULL;
    for (size_t i = 0; i < value->type->count; i++) {
        const signed char lane[GCAL_INTERP_MAX_LANES] = { (signed char)i };

        if (!(place = gcal_interp_node_element(t, c, address, (size_t)lanes[i])) ||
            !(place = gcal_interp_node_store(
                  t, c, place,
                  gcal_interp_node_swizzle(t, c, value, lane, value->type->element))) ||
            !(first = gcal_interp_node_comma(t, c, first, place)))
            return NULL;
        place->unseen = i > 0;
    }
    return gcal_interp_node_comma(t, c, first, value);
}

/* v.lo = x */
static struct gcal_interp_node *assign_lanes(struct gcal_interp_translator *t, CXCursor c,
                                             CXCursor vector, const signed char *lanes,
                                             CXCursor right)
{
    struct gcal_interp_node *first = NULL, *value, *address;

    if (!(value = gcal_interp_node_once(t, c, gcal_interp_translate_value(t, right),
                                        &first)) ||
        !(address = base_address(t, vector)))
        return NULL;
    return store_lanes(t, c, first, address, lanes, value);
}

/* The updated value of 'load', computed in C's type. */
static struct gcal_interp_node *updated(struct gcal_interp_translator *t, CXCursor c,
                                        int op, struct gcal_interp_node *load,
                                        struct gcal_interp_node *value)
{
    const struct gcal_interp_type *type = load->type;

    if (type->repr != GCAL_INTERP_POINTER) {
        bool shift = op == CXBinaryOperator_Shl || op == CXBinaryOperator_Shr;

        type = gcal_interp_type_arithmetic(type, shift ? type : value->type);
        load = gcal_interp_node_convert(t, c, load, type);
        value = gcal_interp_node_convert(t, c, value, type);
    }
    return load && value ? gcal_interp_node_binary(t, c, op, load, value, type) : NULL;
}

/* v.xy op= value */
static struct gcal_interp_node *update_lanes(struct gcal_interp_translator *t, CXCursor c,
                                             int op, CXCursor vector,
                                             const signed char *lanes,
                                             struct gcal_interp_node *value, bool old)
{
    const struct gcal_interp_type *type = type_of(t, c);
    struct gcal_interp_node *first = NULL, *address, *load, *store;

    if (!type || !value || !(address = base_address(t, vector)) ||
        !(address = gcal_interp_node_once(t, c, address, &first)) ||
        !(load = gcal_interp_node_load(t, c, address)) ||
        !(load = gcal_interp_node_once(
              t, c, gcal_interp_node_swizzle(t, c, load, lanes, type), &first)))
        return NULL;
    store = store_lanes(t, c, first, address, lanes, updated(t, c, op, load, value));
    return store && old ? gcal_interp_node_comma(t, c, store, load) : store;
}

/* left op= value; 'old': the result is the value before. */
static struct gcal_interp_node *update(struct gcal_interp_translator *t, CXCursor c,
                                       int op, CXCursor left,
                                       struct gcal_interp_node *value, bool old)
{
    struct gcal_interp_node *first = NULL, *load, *store, *address;
    signed char lanes[GCAL_INTERP_MAX_LANES] = { 0 };
    CXCursor vector;
    size_t n;

    if (is_swizzle(t, without_parens(t, left), &vector, lanes, &n) && n > 1)
        return update_lanes(t, c, op, vector, lanes, value, old);
    if (!value || !(address = gcal_interp_translate_address(t, left)))
        return NULL;
    if (!gcal_interp_node_is_variable(address) &&
        !(address = gcal_interp_node_once(t, c, address, &first)))
        return NULL;
    if (!(load = gcal_interp_node_load(t, c, address)))
        return NULL;
    if (old && !(load = gcal_interp_node_once(t, c, load, &first)))
        return NULL;
    store = gcal_interp_node_store(t, c, address, updated(t, c, op, load, value));
    if (store && first)
        store = gcal_interp_node_comma(t, c, first, store);
    return store && old ? gcal_interp_node_comma(t, c, store, load) : store;
}

static struct gcal_interp_node *translate_step(struct gcal_interp_translator *t,
                                               CXCursor c, int op, bool used)
{
    bool up = op == CXUnaryOperator_PostInc || op == CXUnaryOperator_PreInc;
    bool post = op == CXUnaryOperator_PostInc || op == CXUnaryOperator_PostDec;
    CXCursor inner;

    if (child(t, c, 0, 1, &inner) < 0)
        return NULL;
    return update(t, c, up ? CXBinaryOperator_Add : CXBinaryOperator_Sub, inner,
                  gcal_interp_node_int(t, c, gcal_interp_type_basic(GCAL_INTERP_I32), 1),
                  post && used);
}

static struct gcal_interp_node *translate_compound(struct gcal_interp_translator *t,
                                                   CXCursor c)
{
    int op = (int)clang_getCursorBinaryOperatorKind(c);
    CXCursor left, right;

    if (child(t, c, 0, 2, &left) < 0 || child(t, c, 1, 2, &right) < 0)
        return NULL;
    if (op <= CXBinaryOperator_ShrAssign)
        op += CXBinaryOperator_Mul - CXBinaryOperator_MulAssign;
    else
        op += CXBinaryOperator_And - CXBinaryOperator_AndAssign;
    return update(t, c, op, left, gcal_interp_translate_value(t, right), false);
}

/* ---- operators ---- */

static struct gcal_interp_node *translate_unary(struct gcal_interp_translator *t,
                                                CXCursor c)
{
    int op = (int)clang_getCursorUnaryOperatorKind(c);
    struct gcal_interp_node *n;
    CXCursor inner;

    if (child(t, c, 0, 1, &inner) < 0)
        return NULL;
    switch (op) {
    case CXUnaryOperator_PostInc:
    case CXUnaryOperator_PostDec:
    case CXUnaryOperator_PreInc:
    case CXUnaryOperator_PreDec:
        return translate_step(t, c, op, true);
    case CXUnaryOperator_AddrOf:
        return gcal_interp_translate_address(t, inner);
    case CXUnaryOperator_Deref:
        n = gcal_interp_translate_value(t, inner);
        return n ? gcal_interp_node_load(t, c, n) : NULL;
    case CXUnaryOperator_Plus:
    case CXUnaryOperator_Minus:
    case CXUnaryOperator_Not:
    case CXUnaryOperator_LNot:
        return gcal_interp_node_unary(t, c, op, gcal_interp_translate_value(t, inner),
                                      type_of(t, c));
    default:
        return gcal_interp_unsupported(t, c, "this operator");
    }
}

/* GPUCAL_TAG puts (void)"name" before a comma. */
static bool is_tag_name(CXCursor c)
{
    enum CXCursorKind kind;

    while ((kind = gcal_source_kind(c)) == CXCursor_CStyleCastExpr ||
           kind == CXCursor_UnexposedExpr || kind == CXCursor_ParenExpr) {
        struct gcal_source_children children;
        bool one;

        if (gcal_source_get_children(c, &children, NULL) < 0)
            return false;
        if ((one = children.n == 1))
            c = children.cursors[0];
        free(children.cursors);
        if (!one)
            return false;
    }
    return kind == CXCursor_StringLiteral;
}

static struct gcal_interp_node *translate_binary(struct gcal_interp_translator *t,
                                                 CXCursor c)
{
    int op = (int)clang_getCursorBinaryOperatorKind(c);
    struct gcal_interp_node *a, *b;
    CXCursor left, right;

    if (child(t, c, 0, 2, &left) < 0 || child(t, c, 1, 2, &right) < 0)
        return NULL;
    if (op == CXBinaryOperator_Assign) {
        signed char lanes[GCAL_INTERP_MAX_LANES] = { 0 };
        const struct gcal_interp_type *type = type_of(t, c);
        struct gcal_interp_node *address, *value;
        CXCursor vector;
        size_t n;

        if (!type)
            return NULL;
        if (type->repr == GCAL_INTERP_VECTOR &&
            is_swizzle(t, without_parens(t, left), &vector, lanes, &n))
            return n ? assign_lanes(t, c, vector, lanes, right) : unknown_lanes(t, c);
        if (!(address = gcal_interp_translate_address(t, left)) ||
            !(value = gcal_interp_translate_value(t, right)))
            return NULL;
        return gcal_interp_node_store(t, c, address, value);
    }
    if (op == CXBinaryOperator_Comma && is_tag_name(left))
        return gcal_interp_translate_value(t, right);
    if (op == CXBinaryOperator_Comma)
        a = gcal_interp_translate_effect(t, left);
    else
        a = gcal_interp_translate_value(t, left);
    b = a ? gcal_interp_translate_value(t, right) : NULL;
    return b ? gcal_interp_node_binary(t, c, op, a, b, type_of(t, c)) : NULL;
}

static struct gcal_interp_node *translate_cast(struct gcal_interp_translator *t,
                                               CXCursor c)
{
    const struct gcal_interp_type *type = type_of(t, c);
    CXCursor inner;

    if (!type || child(t, c, 0, 1, &inner) < 0)
        return NULL;
    if (type->repr == GCAL_INTERP_VOID)
        return gcal_interp_translate_effect(t, inner);
    return gcal_interp_node_convert(t, c, gcal_interp_translate_value(t, inner), type);
}

static struct gcal_interp_node *translate_zero(struct gcal_interp_translator *t,
                                               CXCursor c)
{
    const struct gcal_interp_type *type = type_of(t, c);

    if (type && gcal_interp_is_float(type))
        return gcal_interp_node_float(t, c, type, 0);
    return type && gcal_interp_is_int(type)
               ? gcal_interp_node_int(t, c, type, 0)
               : gcal_interp_unsupported(t, c, "this form of an expression");
}

/* { x } of a scalar, or the parts of a vector. */
static struct gcal_interp_node *translate_list(struct gcal_interp_translator *t,
                                               CXCursor c)
{
    const struct gcal_interp_type *type = type_of(t, c);
    struct gcal_source_children children;
    struct gcal_interp_node **parts, *n = NULL;
    size_t i = 0;

    if (!type)
        return NULL;
    if (type->repr == GCAL_INTERP_RECORD)
        return gcal_interp_node_record(t, c, type);
    if (gcal_source_get_children(c, &children, t->err) < 0)
        return NULL;
    parts = gcal_interp_program_alloc(t, (children.n + 1) * sizeof(*parts));
    for (; parts && i < children.n; i++)
        if (!(parts[i] = gcal_interp_translate_value(t, children.cursors[i])))
            break;
    if (!parts || i < children.n)
        goto out;
    if (type->repr == GCAL_INTERP_VECTOR)
        n = gcal_interp_node_vector(t, c, parts, children.n, type);
    else if (children.n == 1)
        n = gcal_interp_node_convert(t, c, parts[0], type);
    else
        gcal_interp_unsupported(t, c, "this list");
out:
    free(children.cursors);
    return n;
}

/* ---- calls ---- */

static struct gcal_interp_node *call(struct gcal_interp_translator *t, CXCursor c,
                                     const char *name,
                                     struct gcal_interp_node **arguments, size_t n)
{
    CXCursor definition = clang_getCursorDefinition(gcal_source_called(c));
    const struct gcal_interp_type *type = type_of(t, c);
    struct gcal_interp_function *function;

    if (!type)
        return NULL;
    if (gcal_source_kind(definition) != CXCursor_FunctionDecl)
        return gcal_interp_node_builtin(t, c, name, arguments, n, type);
    if (!(function = gcal_interp_translate_function(t, definition, c)))
        return NULL;
    return gcal_interp_node_call(t, c, function, arguments, n);
}

/* Nothing is printed, and strings are no values. */
static struct gcal_interp_node *no_format(struct gcal_interp_translator *t, CXCursor c)
{
    return gcal_interp_node_int(t, c, gcal_interp_type_basic(GCAL_INTERP_I32), 0);
}

static struct gcal_interp_node *translate_call(struct gcal_interp_translator *t,
                                               CXCursor c)
{
    CXCursor function = clang_getCursorDefinition(gcal_source_called(c));
    struct gcal_interp_node **arguments, *n = NULL;
    struct gcal_source_children children;
    char *name = gcal_interp_program_name(t, c);
    size_t i = 1;

    if (!name || gcal_source_get_children(c, &children, t->err) < 0)
        return NULL;
    if (gcal_interp_translate_object_call(t, c, children, &n)) {
        free(children.cursors);
        return n;
    }
    if ((arguments = gcal_interp_program_alloc(t, (children.n + 1) * sizeof(*arguments))))
        for (; i < children.n; i++)
            if (!(arguments[i - 1] = i == 1 && strcmp(name, "printf") == 0
                                         ? no_format(t, c)
                                         : gcal_interp_translate_argument(
                                               t, c, function, i, children.cursors[i])))
                break;
    if (arguments && i == children.n)
        n = call(t, c, name, arguments, children.n - 1);
    free(children.cursors);
    return n;
}

/* ---- all kinds ---- */

static struct gcal_interp_node *translate_expression(struct gcal_interp_translator *t,
                                                     CXCursor c)
{
    struct gcal_interp_node *address;
    CXCursor inner;
    CXString kind;

    switch (gcal_source_kind(c)) {
    case CXCursor_ParenExpr:
    case CXCursor_CompoundLiteralExpr:
        return child(t, c, 0, 1, &inner) < 0 ? NULL
                                             : gcal_interp_translate_value(t, inner);
    case CXCursor_CStyleCastExpr:
    case CXCursor_UnexposedExpr:
        if (!has_child(c)) /* T() */
            return translate_zero(t, c);
        return gcal_source_kind(c) == CXCursor_UnexposedExpr ? translate_implicit(t, c)
                                                             : translate_cast(t, c);
    case CXCursor_CXXBoolLiteralExpr:
    case CXCursor_IntegerLiteral:
    case CXCursor_FloatingLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_UnaryExpr: /* sizeof */
        return translate_constant(t, c);
    case CXCursor_DeclRefExpr:
        return translate_name(t, c);
    case CXCursor_CXXThisExpr:
        return gcal_interp_translate_this(
            t, c, clang_getTypeDeclaration(clang_getPointeeType(gcal_source_type(c))));
    case CXCursor_LambdaExpr:
        return gcal_interp_translate_lambda(t, c);
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_MemberRefExpr:
        if (gcal_interp_translate_thread(t, c, &address))
            return address;
        if (gcal_source_kind(clang_getCursorReferenced(c)) == CXCursor_VarDecl)
            return translate_constant(t, c); /* a static member */
        address = gcal_interp_translate_address(t, c);
        return address ? gcal_interp_node_load(t, c, address) : NULL;
    case CXCursor_UnaryOperator:
        return translate_unary(t, c);
    case CXCursor_BinaryOperator:
        return translate_binary(t, c);
    case CXCursor_CompoundAssignOperator:
        return translate_compound(t, c);
    case CXCursor_ConditionalOperator: {
        const struct gcal_interp_type *type = type_of(t, c);
        struct gcal_interp_node *parts[3];
        CXCursor part;

        for (size_t i = 0; i < 3; i++)
            if (!type || child(t, c, i, 3, &part) < 0 ||
                !(parts[i] = gcal_interp_translate_value(t, part)))
                return NULL;
        if (type->repr == GCAL_INTERP_VOID)
            return gcal_interp_unsupported(t, c, "?: without a value");
        return gcal_interp_node_select(t, c, parts[0],
                                       gcal_interp_node_convert(t, c, parts[1], type),
                                       gcal_interp_node_convert(t, c, parts[2], type));
    }
    case CXCursor_InitListExpr:
        return translate_list(t, c);
    case CXCursor_CallExpr:
        address = translate_call(t, c);
        return address && gcal_interp_returns_reference(t, c)
                   ? gcal_interp_node_load(t, c, address)
                   : address;
    default:
        kind = clang_getCursorKindSpelling(gcal_source_kind(c));
        gcal_interp_unsupported(t, c, "'%s'", clang_getCString(kind));
        clang_disposeString(kind);
        return NULL;
    }
}

struct gcal_interp_node *gcal_interp_translate_value(struct gcal_interp_translator *t,
                                                     CXCursor c)
{
    struct gcal_interp_node *n =
        gcal_interp_enter(t, c, 1) < 0 ? NULL : translate_expression(t, c);

    t->depth--;
    return n;
}

struct gcal_interp_node *gcal_interp_translate_effect(struct gcal_interp_translator *t,
                                                      CXCursor c)
{
    int op;

    c = without_parens(t, c);
    op = (int)clang_getCursorUnaryOperatorKind(c);
    if (gcal_source_kind(c) == CXCursor_UnaryOperator &&
        (op == CXUnaryOperator_PostInc || op == CXUnaryOperator_PostDec))
        return translate_step(t, c, op, false);
    return gcal_interp_translate_value(t, c);
}
