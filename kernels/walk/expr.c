/* expr.c - expressions: operations, accesses and symbolic values */
#include <string.h>

#include "kernels/walk/private.h"

struct gcal_walk_value gcal_walk_index_expr(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_value value;

    w->quiet++;
    value = gcal_walk_expr(w, c);
    w->quiet--;
    return value;
}

struct gcal_walk_value gcal_walk_expr_value(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_value value;

    w->silent++;
    w->frozen++;
    value = gcal_walk_expr(w, c);
    w->frozen--;
    w->silent--;
    return value;
}

/* Finds the product that an addition of 'type' is fused with. */
static bool find_product(struct gcal_walk *w, CXCursor c, CXType type,
                         struct gcal_walk_children *factors)
{
    const char *dtype = gcal_source_dtype(type);

    for (;;) {
        enum CXCursorKind kind = clang_getCursorKind(c);
        CXType own = gcal_walk_type(c);

        if (gcal_source_dtype(own) != dtype ||
            gcal_walk_type_width(own) != gcal_walk_type_width(type))
            return false;
        *factors = gcal_walk_get_children(w, c);
        if (kind == CXCursor_BinaryOperator)
            return clang_getCursorBinaryOperatorKind(c) == CXBinaryOperator_Mul &&
                   factors->n == 2;
        if ((kind != CXCursor_ParenExpr && kind != CXCursor_UnexposedExpr &&
             kind != CXCursor_CStyleCastExpr) ||
            !factors->n)
            return false;
        c = factors->c[factors->n - 1];
    }
}

/* Counts the operation and returns the right value, and the left one in '*left_value'.
 * NULL 'left': a compound assignment, whose left value is known.
 */
static struct gcal_walk_value walk_operands(struct gcal_walk *w,
                                            enum CXBinaryOperatorKind kind, CXType type,
                                            const CXCursor *left, CXCursor right,
                                            struct gcal_walk_value *left_value)
{
    const char *dtype = gcal_source_dtype(type), *op = gcal_walk_op_name(kind);
    bool fuses =
        dtype && !gcal_walk_dtype_is_integer(dtype) && op && strcmp(op, "add") == 0;
    struct gcal_walk_children factors;

    if (fuses && left && find_product(w, *left, type, &factors)) {
        gcal_walk_expr(w, factors.c[0]);
        gcal_walk_expr(w, factors.c[1]);
        gcal_walk_count_op(w, type, "madd");
        return gcal_walk_expr(w, right);
    }
    if (left)
        *left_value = gcal_walk_expr(w, *left);
    if (fuses && find_product(w, right, type, &factors)) {
        gcal_walk_expr(w, factors.c[0]);
        gcal_walk_expr(w, factors.c[1]);
        gcal_walk_count_op(w, type, "madd");
        return gcal_walk_unknown(NULL);
    }
    if (op)
        gcal_walk_count_op(w, type, op);
    return gcal_walk_expr(w, right);
}

/* ---- kinds of expressions ---- */

static bool assigns_index(struct gcal_walk *w, CXCursor left)
{
    CXCursor c = gcal_walk_strip_casts(w, left);

    return clang_getCursorKind(c) == CXCursor_DeclRefExpr &&
           gcal_walk_is_index(w, clang_getCursorReferenced(c));
}

static struct gcal_walk_value walk_assign(struct gcal_walk *w, CXCursor c,
                                          struct gcal_walk_children kids)
{
    struct gcal_walk_lvalue lvalue;
    struct gcal_walk_value value = assigns_index(w, kids.c[0])
                                       ? gcal_walk_index_expr(w, kids.c[1])
                                       : gcal_walk_expr(w, kids.c[1]);

    lvalue = gcal_walk_lvalue_find(w, kids.c[0]);
    gcal_walk_lvalue_store(w, c, &lvalue, value);
    return value;
}

static struct gcal_walk_value walk_compound(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    enum CXBinaryOperatorKind kind =
        gcal_walk_compound_operator(clang_getCursorBinaryOperatorKind(c));
    struct gcal_walk_value value, right;
    struct gcal_walk_lvalue lvalue;
    CXType type, right_type;
    bool index;

    if (kids.n != 2)
        return gcal_walk_unknown(NULL);
    index = assigns_index(w, kids.c[0]);
    lvalue = gcal_walk_lvalue_find(w, kids.c[0]);
    value = gcal_walk_lvalue_load(w, c, &lvalue);
    if (gcal_walk_type_is_pointer(lvalue.type)) {
        right = gcal_walk_index_expr(w, kids.c[1]);
        value = gcal_walk_move_pointer(w, value, right, lvalue.type,
                                       kind == CXBinaryOperator_Sub ? -1 : 1);
    } else {
        /* float += double is computed in double */
        type = lvalue.type;
        right_type = gcal_walk_type(kids.c[1]);
        if (gcal_walk_type_width(type) == 1 && gcal_source_dtype(right_type) &&
            (right_type.kind == CXType_Double ||
             (right_type.kind == CXType_Float && type.kind != CXType_Double)))
            type = right_type;
        w->quiet += index;
        right = walk_operands(w, kind, type, NULL, kids.c[1], NULL);
        w->quiet -= index;
        value = gcal_walk_type_is_integer(type)
                    ? gcal_walk_binary(w, kind, type, value, right)
                    : gcal_walk_unknown(NULL);
    }
    gcal_walk_lvalue_store(w, c, &lvalue, value);
    return value;
}

static struct gcal_walk_value walk_step(struct gcal_walk *w, CXCursor c, CXCursor operand,
                                        enum CXUnaryOperatorKind kind)
{
    bool up = kind == CXUnaryOperator_PostInc || kind == CXUnaryOperator_PreInc;
    bool post = kind == CXUnaryOperator_PostInc || kind == CXUnaryOperator_PostDec;
    bool index = assigns_index(w, operand);
    struct gcal_walk_lvalue lvalue = gcal_walk_lvalue_find(w, operand);
    struct gcal_walk_value before = gcal_walk_lvalue_load(w, c, &lvalue), after;
    struct gcal_walk_value one = gcal_walk_integer(gcal_poly_integer(w->c, 1));

    if (gcal_walk_type_is_pointer(lvalue.type)) {
        after = gcal_walk_move_pointer(w, before, one, lvalue.type, up ? 1 : -1);
    } else {
        w->quiet += index;
        gcal_walk_count_op(w, lvalue.type, "add");
        w->quiet -= index;
        after = gcal_walk_binary(w, up ? CXBinaryOperator_Add : CXBinaryOperator_Sub,
                                 lvalue.type, before, one);
    }
    gcal_walk_lvalue_store(w, c, &lvalue, after);
    return post ? before : after;
}

static struct gcal_walk_value walk_unary(struct gcal_walk *w, CXCursor c)
{
    enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(c);
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    struct gcal_walk_value value;
    struct gcal_walk_lvalue lvalue;

    if (kids.n != 1)
        return gcal_walk_unknown(NULL);
    switch (kind) {
    case CXUnaryOperator_PostInc:
    case CXUnaryOperator_PostDec:
    case CXUnaryOperator_PreInc:
    case CXUnaryOperator_PreDec:
        return walk_step(w, c, kids.c[0], kind);
    case CXUnaryOperator_Deref:
        lvalue = gcal_walk_lvalue_find(w, c);
        return gcal_walk_lvalue_load(w, c, &lvalue);
    case CXUnaryOperator_AddrOf:
        lvalue = gcal_walk_lvalue_find(w, kids.c[0]);
        if (lvalue.kind == GCAL_WALK_LVALUE_VARIABLE && !w->frozen)
            gcal_walk_variable_escape(w, lvalue.decl);
        return lvalue.kind == GCAL_WALK_LVALUE_MEMORY ? lvalue.pointer
                                                      : gcal_walk_unknown(NULL);
    case CXUnaryOperator_Minus:
        value = gcal_walk_value_as_integer(w, gcal_walk_expr(w, kids.c[0]));
        if (value.kind == GCAL_WALK_VALUE_INTEGER)
            value.p = gcal_poly_scale(w->c, value.p, -1, 1);
        return value;
    case CXUnaryOperator_Plus:
        return gcal_walk_expr(w, kids.c[0]);
    case CXUnaryOperator_LNot:
        value = gcal_walk_expr(w, kids.c[0]);
        return gcal_walk_value_from_predicate(
            gcal_walk_predicate_not(w, gcal_walk_predicate_from_value(w, value)));
    case CXUnaryOperator_Not: /* ~x is -x-1 */
        value = gcal_walk_expr(w, kids.c[0]);
        if (value.kind == GCAL_WALK_VALUE_INTEGER)
            value.p = gcal_poly_sub(w->c, gcal_poly_integer(w->c, -1), value.p);
        return value;
    default:
        gcal_walk_expr(w, kids.c[0]);
        return gcal_walk_unknown("it holds an operator that is not affine");
    }
}

/* && and ||: the right operand is evaluated only where the left one does not decide. */
static struct gcal_walk_value walk_logic(struct gcal_walk *w,
                                         enum CXBinaryOperatorKind kind,
                                         struct gcal_walk_children kids)
{
    const struct gcal_sets_scope *before = w->scope;
    bool is_and = kind == CXBinaryOperator_LAnd;
    struct gcal_walk_predicate left = gcal_walk_predicate_from_value(
                                   w, gcal_walk_expr(w, kids.c[0])),
                               right;
    int decided = gcal_walk_predicate_decide(w, &left);
    size_t n_events = w->n_events;

    if (decided == !is_and) /* the right operand is never evaluated */
        return gcal_walk_value_from_predicate(left);
    if (decided < 0)
        gcal_walk_push_predicate(w, kids.c[0], &left, is_and);
    right = gcal_walk_predicate_from_value(w, gcal_walk_expr(w, kids.c[1]));
    w->scope = before;
    if (w->n_events != n_events && decided < 0)
        gcal_walk_count_branch(w, kids.c[0], left.known ? left.when : NULL);
    gcal_walk_note_both_sides(w, kids.c[0], &left, n_events);
    return gcal_walk_value_from_predicate(is_and
                                              ? gcal_walk_predicate_and(w, left, right)
                                              : gcal_walk_predicate_or(w, left, right));
}

/* The distance of two pointers in elements. */
static struct gcal_walk_value pointer_difference(struct gcal_walk *w,
                                                 struct gcal_walk_children kids)
{
    struct gcal_walk_value a = gcal_walk_index_expr(w, kids.c[0]);
    struct gcal_walk_value b = gcal_walk_index_expr(w, kids.c[1]);
    long long size = clang_Type_getSizeOf(
        clang_getCanonicalType(clang_getPointeeType(gcal_walk_type(kids.c[0]))));
    const struct gcal_poly *apart;

    if (a.kind != GCAL_WALK_VALUE_POINTER || b.kind != GCAL_WALK_VALUE_POINTER ||
        a.array != b.array || !a.p || !b.p || size <= 0)
        return gcal_walk_unknown("it is the difference of unknown pointers");
    apart = gcal_poly_scale(w->c, gcal_poly_sub(w->c, a.p, b.p), 1, size);
    return gcal_poly_is_integral(apart)
               ? gcal_walk_integer(apart)
               : gcal_walk_not_affine("it is not a multiple of the element size");
}

static bool is_comparison(enum CXBinaryOperatorKind kind)
{
    return kind >= CXBinaryOperator_LT && kind <= CXBinaryOperator_NE;
}

static struct gcal_walk_value walk_comparison(struct gcal_walk *w,
                                              enum CXBinaryOperatorKind kind,
                                              struct gcal_walk_children kids)
{
    CXType type = gcal_walk_type(kids.c[0]);
    struct gcal_walk_value a = gcal_walk_expr(w, kids.c[0]);
    struct gcal_walk_value b = gcal_walk_expr(w, kids.c[1]);

    return gcal_walk_value_from_predicate(gcal_walk_compare(w, kind, type, a, b));
}

static struct gcal_walk_value walk_pointer_sum(struct gcal_walk *w,
                                               enum CXBinaryOperatorKind kind,
                                               CXType type,
                                               struct gcal_walk_children kids)
{
    bool swapped = !gcal_walk_type_is_pointer(gcal_walk_type(kids.c[0]));
    struct gcal_walk_value pointer = gcal_walk_index_expr(w, kids.c[swapped]);
    struct gcal_walk_value by = gcal_walk_index_expr(w, kids.c[!swapped]);

    return gcal_walk_move_pointer(w, pointer, by, type,
                                  kind == CXBinaryOperator_Sub ? -1 : 1);
}

static struct gcal_walk_value walk_binary(struct gcal_walk *w, CXCursor c)
{
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(c);
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    CXType type = gcal_walk_type(c);
    struct gcal_walk_value left = gcal_walk_unknown(NULL), right;

    if (kids.n != 2)
        return gcal_walk_unknown(NULL);
    if (kind == CXBinaryOperator_Assign)
        return walk_assign(w, c, kids);
    if (kind == CXBinaryOperator_LAnd || kind == CXBinaryOperator_LOr)
        return walk_logic(w, kind, kids);
    if (is_comparison(kind))
        return walk_comparison(w, kind, kids);
    if (!gcal_walk_op_name(kind)) { /* comma */
        gcal_walk_expr(w, kids.c[0]);
        return gcal_walk_expr(w, kids.c[1]);
    }
    if (gcal_walk_type_is_pointer(type))
        return walk_pointer_sum(w, kind, type, kids);
    if (kind == CXBinaryOperator_Sub &&
        gcal_walk_type_is_pointer(gcal_walk_type(kids.c[0])))
        return pointer_difference(w, kids);
    right = walk_operands(w, kind, type, &kids.c[0], kids.c[1], &left);
    return gcal_walk_type_is_integer(type) ? gcal_walk_binary(w, kind, type, left, right)
                                           : gcal_walk_unknown("it is not an integer");
}

static struct gcal_walk_value walk_conditional(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    const struct gcal_sets_scope *before = w->scope;
    struct gcal_walk_predicate predicate;
    struct gcal_walk_value yes, no;
    size_t n_events;
    int decided;

    if (kids.n != 3)
        return gcal_walk_unknown(NULL);
    predicate = gcal_walk_predicate_from_value(w, gcal_walk_index_expr(w, kids.c[0]));
    decided = gcal_walk_predicate_decide(w, &predicate);
    if (decided >= 0)
        return gcal_walk_expr(w, kids.c[decided ? 1 : 2]);
    n_events = w->n_events;
    gcal_walk_count_branch(w, kids.c[0], predicate.known ? predicate.when : NULL);
    gcal_walk_push_predicate(w, kids.c[0], &predicate, true);
    yes = gcal_walk_expr(w, kids.c[1]);
    w->scope = before;
    gcal_walk_push_predicate(w, kids.c[0], &predicate, false);
    no = gcal_walk_expr(w, kids.c[2]);
    w->scope = before;
    gcal_walk_note_both_sides(w, kids.c[0], &predicate, n_events);
    return gcal_walk_value_select(w, &predicate, yes, no);
}

static struct gcal_walk_value walk_cast(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    CXType type = gcal_walk_type(c), from;
    CXCursor child;
    struct gcal_walk_value value;
    struct gcal_walk_lvalue lvalue;

    if (!kids.n)
        return gcal_walk_unknown(NULL);
    child = kids.c[kids.n - 1];
    from = gcal_walk_type(child);
    if (gcal_walk_type_is_array(from) && gcal_walk_type_is_pointer(type)) {
        lvalue = gcal_walk_lvalue_find(w, child);
        return lvalue.kind == GCAL_WALK_LVALUE_MEMORY
                   ? lvalue.pointer
                   : gcal_walk_unknown("it points to private memory");
    }
    if (gcal_walk_type_width(from) > gcal_walk_type_width(type) ||
        (clang_getCursorKind(c) == CXCursor_UnexposedExpr &&
         gcal_walk_type_is_pointer(from) && !gcal_walk_type_is_pointer(type) &&
         gcal_walk_type_width(clang_getPointeeType(from)) > 1)) { /* a component */
        lvalue = gcal_walk_lvalue_find(w, c);
        return lvalue.kind == GCAL_WALK_LVALUE_VARIABLE
                   ? gcal_walk_unknown(NULL)
                   : gcal_walk_lvalue_load(w, c, &lvalue);
    }
    value = gcal_walk_expr(w, child);
    if (value.kind == GCAL_WALK_VALUE_POINTER && gcal_walk_type_is_pointer(type))
        return value;
    return gcal_walk_type_is_integer(type) && gcal_walk_type_is_integer(from)
               ? gcal_walk_convert(w, value, from, type)
               : gcal_walk_unknown("it is not an integer");
}

static struct gcal_walk_value walk_kind(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_children kids;
    struct gcal_walk_lvalue lvalue;

    switch (clang_getCursorKind(c)) {
    case CXCursor_IntegerLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_CXXBoolLiteralExpr:
    case CXCursor_UnaryExpr: /* sizeof */
        return gcal_walk_constant(w, c);
    case CXCursor_ParenExpr:
        kids = gcal_walk_get_children(w, c);
        return kids.n ? gcal_walk_expr(w, kids.c[kids.n - 1]) : gcal_walk_unknown(NULL);
    case CXCursor_UnexposedExpr:
    case CXCursor_CStyleCastExpr:
        return walk_cast(w, c);
    case CXCursor_DeclRefExpr:
        if (clang_getCursorKind(clang_getCursorReferenced(c)) ==
                CXCursor_EnumConstantDecl ||
            (gcal_source_address_space(gcal_walk_type(c)) ==
                 GCAL_FEATURE_SPACE_CONSTANT &&
             !gcal_walk_type_is_array(gcal_walk_type(c)))) /* compilers fold these */
            return gcal_walk_constant(w, c);
        lvalue = gcal_walk_lvalue_find(w, c);
        return gcal_walk_lvalue_load(w, c, &lvalue);
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_MemberRefExpr:
        lvalue = gcal_walk_lvalue_find(w, c);
        return gcal_walk_lvalue_load(w, c, &lvalue);
    case CXCursor_UnaryOperator:
        return walk_unary(w, c);
    case CXCursor_BinaryOperator:
        return walk_binary(w, c);
    case CXCursor_CompoundAssignOperator:
        return walk_compound(w, c);
    case CXCursor_ConditionalOperator:
        return walk_conditional(w, c);
    case CXCursor_CallExpr:
        return gcal_walk_call(w, c);
    default: /* initialiser lists, vector literals, floating literals */
        kids = gcal_walk_get_children(w, c);
        for (size_t i = 0; i < kids.n; i++)
            gcal_walk_expr(w, kids.c[i]);
        return gcal_walk_unknown(NULL);
    }
}

struct gcal_walk_value gcal_walk_expr(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_value value;

    if (!gcal_walk_enter(w, c))
        return gcal_walk_unknown(NULL);
    value = walk_kind(w, c);
    gcal_walk_leave(w);
    return value;
}
