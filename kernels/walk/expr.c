/* walk_expr.c - expressions: their operations, their accesses, their symbolic values */
#include <string.h>

#include "kernels/walk/private.h"

struct gcal_value gcal_walk_quietly(struct gcal_walk *w, CXCursor c)
{
    struct gcal_value value;

    w->quiet++;
    value = gcal_walk_expr(w, c);
    w->quiet--;
    return value;
}

struct gcal_value gcal_walk_silently(struct gcal_walk *w, CXCursor c)
{
    struct gcal_value value;

    w->silent++;
    w->frozen++;
    value = gcal_walk_expr(w, c);
    w->frozen--;
    w->silent--;
    return value;
}

/* The product that an addition of 'type' would be fused with, or false. */
static bool find_product(struct gcal_walk *w, CXCursor c, CXType type,
                         struct gcal_kids *factors)
{
    const char *dtype = gcal_type_dtype(type);

    for (;;) {
        enum CXCursorKind kind = clang_getCursorKind(c);
        CXType own = gcal_walk_type(c);

        if (gcal_type_dtype(own) != dtype ||
            gcal_type_width(own) != gcal_type_width(type))
            return false;
        *factors = gcal_walk_kids(w, c);
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

/* 'left' may be NULL: the value of a += is there already.  Returns the right value (and
 * the left one), with the operation counted.
 */
static struct gcal_value walk_operands(struct gcal_walk *w,
                                       enum CXBinaryOperatorKind kind, CXType type,
                                       const CXCursor *left, CXCursor right,
                                       struct gcal_value *left_value)
{
    const char *dtype = gcal_type_dtype(type), *op = gcal_op_name(kind);
    bool fuses = dtype && !gcal_dtype_is_integer(dtype) && op && strcmp(op, "add") == 0;
    struct gcal_kids factors;

    if (fuses && left && find_product(w, *left, type, &factors)) {
        gcal_walk_expr(w, factors.c[0]);
        gcal_walk_expr(w, factors.c[1]);
        gcal_count_op(w, type, "madd");
        return gcal_walk_expr(w, right);
    }
    if (left)
        *left_value = gcal_walk_expr(w, *left);
    if (fuses && find_product(w, right, type, &factors)) {
        gcal_walk_expr(w, factors.c[0]);
        gcal_walk_expr(w, factors.c[1]);
        gcal_count_op(w, type, "madd");
        return gcal_unknown(NULL);
    }
    if (op)
        gcal_count_op(w, type, op);
    return gcal_walk_expr(w, right);
}

/* ---- the kinds of expressions ---- */

static bool assigns_index(struct gcal_walk *w, CXCursor left)
{
    CXCursor c = gcal_strip(w, left);

    return clang_getCursorKind(c) == CXCursor_DeclRefExpr &&
           gcal_is_index(w, clang_getCursorReferenced(c));
}

static struct gcal_value walk_assign(struct gcal_walk *w, CXCursor c,
                                     struct gcal_kids kids)
{
    struct gcal_place place;
    struct gcal_value value = assigns_index(w, kids.c[0])
                                  ? gcal_walk_quietly(w, kids.c[1])
                                  : gcal_walk_expr(w, kids.c[1]);

    place = gcal_place_find(w, kids.c[0]);
    gcal_place_store(w, c, &place, value);
    return value;
}

static struct gcal_value walk_compound(struct gcal_walk *w, CXCursor c)
{
    struct gcal_kids kids = gcal_walk_kids(w, c);
    enum CXBinaryOperatorKind kind =
        gcal_compound_kind(clang_getCursorBinaryOperatorKind(c));
    struct gcal_value value, right;
    struct gcal_place place;
    CXType type, right_type;
    bool index;

    if (kids.n != 2)
        return gcal_unknown(NULL);
    index = assigns_index(w, kids.c[0]);
    place = gcal_place_find(w, kids.c[0]);
    value = gcal_place_load(w, c, &place);
    if (gcal_type_is_pointer(place.type)) {
        right = gcal_walk_quietly(w, kids.c[1]);
        value = gcal_move_pointer(w, value, right, place.type,
                                  kind == CXBinaryOperator_Sub ? -1 : 1);
    } else {
        /* float += double is computed in double */
        type = place.type;
        right_type = gcal_walk_type(kids.c[1]);
        if (gcal_type_width(type) == 1 && gcal_type_dtype(right_type) &&
            (right_type.kind == CXType_Double ||
             (right_type.kind == CXType_Float && type.kind != CXType_Double)))
            type = right_type;
        w->quiet += index;
        right = walk_operands(w, kind, type, NULL, kids.c[1], NULL);
        w->quiet -= index;
        value = gcal_type_is_integer(type) ? gcal_combine(w, kind, type, value, right)
                                           : gcal_unknown(NULL);
    }
    gcal_place_store(w, c, &place, value);
    return value;
}

static struct gcal_value walk_step(struct gcal_walk *w, CXCursor c, CXCursor operand,
                                   enum CXUnaryOperatorKind kind)
{
    bool up = kind == CXUnaryOperator_PostInc || kind == CXUnaryOperator_PreInc;
    bool post = kind == CXUnaryOperator_PostInc || kind == CXUnaryOperator_PostDec;
    bool index = assigns_index(w, operand);
    struct gcal_place place = gcal_place_find(w, operand);
    struct gcal_value before = gcal_place_load(w, c, &place), after;
    struct gcal_value one = gcal_integer(gcal_poly_integer(w->c, 1));

    if (gcal_type_is_pointer(place.type)) {
        after = gcal_move_pointer(w, before, one, place.type, up ? 1 : -1);
    } else {
        w->quiet += index;
        gcal_count_op(w, place.type, "add");
        w->quiet -= index;
        after = gcal_combine(w, up ? CXBinaryOperator_Add : CXBinaryOperator_Sub,
                             place.type, before, one);
    }
    gcal_place_store(w, c, &place, after);
    return post ? before : after;
}

static struct gcal_value walk_unary(struct gcal_walk *w, CXCursor c)
{
    enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(c);
    struct gcal_kids kids = gcal_walk_kids(w, c);
    struct gcal_value value;
    struct gcal_place place;

    if (kids.n != 1)
        return gcal_unknown(NULL);
    switch (kind) {
    case CXUnaryOperator_PostInc:
    case CXUnaryOperator_PostDec:
    case CXUnaryOperator_PreInc:
    case CXUnaryOperator_PreDec:
        return walk_step(w, c, kids.c[0], kind);
    case CXUnaryOperator_Deref:
        place = gcal_place_find(w, c);
        return gcal_place_load(w, c, &place);
    case CXUnaryOperator_AddrOf:
        place = gcal_place_find(w, kids.c[0]);
        if (place.kind == PLACE_VARIABLE && !w->frozen)
            gcal_variable_escape(w, place.decl);
        return place.kind == PLACE_MEMORY ? place.pointer : gcal_unknown(NULL);
    case CXUnaryOperator_Minus:
        value = gcal_value_as_integer(w, gcal_walk_expr(w, kids.c[0]));
        if (value.kind == VALUE_INTEGER)
            value.p = gcal_poly_scale(w->c, value.p, -1, 1);
        return value;
    case CXUnaryOperator_Plus:
        return gcal_walk_expr(w, kids.c[0]);
    case CXUnaryOperator_LNot:
        value = gcal_walk_expr(w, kids.c[0]);
        return gcal_truth_value(gcal_truth_not(w, gcal_value_truth(w, value)));
    case CXUnaryOperator_Not: /* ~x is -x-1 */
        value = gcal_walk_expr(w, kids.c[0]);
        if (value.kind == VALUE_INTEGER)
            value.p = gcal_poly_sub(w->c, gcal_poly_integer(w->c, -1), value.p);
        return value;
    default:
        gcal_walk_expr(w, kids.c[0]);
        return gcal_unknown("it holds an operator that is not affine");
    }
}

/* The right side of && and || runs only where the left one lets it. */
static struct gcal_value walk_logic(struct gcal_walk *w, enum CXBinaryOperatorKind kind,
                                    struct gcal_kids kids)
{
    const struct gcal_domain *before = w->domain;
    bool is_and = kind == CXBinaryOperator_LAnd;
    struct gcal_truth left = gcal_value_truth(w, gcal_walk_expr(w, kids.c[0])), right;
    int decided = gcal_truth_decide(w, &left);
    size_t n_events = w->n_events;

    if (decided == !is_and) /* the right side never runs */
        return gcal_truth_value(left);
    if (decided < 0)
        gcal_push_truth(w, kids.c[0], &left, is_and);
    right = gcal_value_truth(w, gcal_walk_expr(w, kids.c[1]));
    w->domain = before;
    if (w->n_events != n_events && decided < 0)
        gcal_count_branch(w, kids.c[0], left.known ? left.when : NULL);
    gcal_note_both_sides(w, kids.c[0], &left, n_events);
    return gcal_truth_value(is_and ? gcal_truth_both(w, left, right)
                                   : gcal_truth_either(w, left, right));
}

/* How many elements lie between two pointers. */
static struct gcal_value pointer_difference(struct gcal_walk *w, struct gcal_kids kids)
{
    struct gcal_value a = gcal_walk_quietly(w, kids.c[0]);
    struct gcal_value b = gcal_walk_quietly(w, kids.c[1]);
    long long size = clang_Type_getSizeOf(
        clang_getCanonicalType(clang_getPointeeType(gcal_walk_type(kids.c[0]))));
    const struct gcal_poly *apart;

    if (a.kind != VALUE_POINTER || b.kind != VALUE_POINTER || a.array != b.array ||
        !a.p || !b.p || size <= 0)
        return gcal_unknown("it is the difference of pointers that are not known");
    apart = gcal_poly_scale(w->c, gcal_poly_sub(w->c, a.p, b.p), 1, size);
    return gcal_poly_is_integral(apart)
               ? gcal_integer(apart)
               : gcal_not_affine("it is no whole number of elements");
}

static bool is_comparison(enum CXBinaryOperatorKind kind)
{
    return kind >= CXBinaryOperator_LT && kind <= CXBinaryOperator_NE;
}

static struct gcal_value walk_comparison(struct gcal_walk *w,
                                         enum CXBinaryOperatorKind kind,
                                         struct gcal_kids kids)
{
    CXType type = gcal_walk_type(kids.c[0]);
    struct gcal_value a = gcal_walk_expr(w, kids.c[0]);
    struct gcal_value b = gcal_walk_expr(w, kids.c[1]);

    return gcal_truth_value(gcal_compare(w, kind, type, a, b));
}

static struct gcal_value walk_pointer_sum(struct gcal_walk *w,
                                          enum CXBinaryOperatorKind kind, CXType type,
                                          struct gcal_kids kids)
{
    bool swapped = !gcal_type_is_pointer(gcal_walk_type(kids.c[0]));
    struct gcal_value pointer = gcal_walk_quietly(w, kids.c[swapped]);
    struct gcal_value by = gcal_walk_quietly(w, kids.c[!swapped]);

    return gcal_move_pointer(w, pointer, by, type, kind == CXBinaryOperator_Sub ? -1 : 1);
}

static struct gcal_value walk_binary(struct gcal_walk *w, CXCursor c)
{
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(c);
    struct gcal_kids kids = gcal_walk_kids(w, c);
    CXType type = gcal_walk_type(c);
    struct gcal_value left = gcal_unknown(NULL), right;

    if (kids.n != 2)
        return gcal_unknown(NULL);
    if (kind == CXBinaryOperator_Assign)
        return walk_assign(w, c, kids);
    if (kind == CXBinaryOperator_LAnd || kind == CXBinaryOperator_LOr)
        return walk_logic(w, kind, kids);
    if (is_comparison(kind))
        return walk_comparison(w, kind, kids);
    if (!gcal_op_name(kind)) { /* comma */
        gcal_walk_expr(w, kids.c[0]);
        return gcal_walk_expr(w, kids.c[1]);
    }
    if (gcal_type_is_pointer(type))
        return walk_pointer_sum(w, kind, type, kids);
    if (kind == CXBinaryOperator_Sub && gcal_type_is_pointer(gcal_walk_type(kids.c[0])))
        return pointer_difference(w, kids);
    right = walk_operands(w, kind, type, &kids.c[0], kids.c[1], &left);
    return gcal_type_is_integer(type) ? gcal_combine(w, kind, type, left, right)
                                      : gcal_unknown("it is not an integer");
}

static struct gcal_value walk_conditional(struct gcal_walk *w, CXCursor c)
{
    struct gcal_kids kids = gcal_walk_kids(w, c);
    const struct gcal_domain *before = w->domain;
    struct gcal_truth truth;
    struct gcal_value yes, no;
    size_t n_events;
    int decided;

    if (kids.n != 3)
        return gcal_unknown(NULL);
    truth = gcal_value_truth(w, gcal_walk_quietly(w, kids.c[0]));
    decided = gcal_truth_decide(w, &truth);
    if (decided >= 0)
        return gcal_walk_expr(w, kids.c[decided ? 1 : 2]);
    n_events = w->n_events;
    gcal_count_branch(w, kids.c[0], truth.known ? truth.when : NULL);
    gcal_push_truth(w, kids.c[0], &truth, true);
    yes = gcal_walk_expr(w, kids.c[1]);
    w->domain = before;
    gcal_push_truth(w, kids.c[0], &truth, false);
    no = gcal_walk_expr(w, kids.c[2]);
    w->domain = before;
    gcal_note_both_sides(w, kids.c[0], &truth, n_events);
    return gcal_value_choose(w, &truth, yes, no);
}

static struct gcal_value walk_cast(struct gcal_walk *w, CXCursor c)
{
    struct gcal_kids kids = gcal_walk_kids(w, c);
    CXType type = gcal_walk_type(c), from;
    CXCursor child;
    struct gcal_value value;
    struct gcal_place place;

    if (!kids.n)
        return gcal_unknown(NULL);
    child = kids.c[kids.n - 1];
    from = gcal_walk_type(child);
    if (gcal_type_is_array(from) && gcal_type_is_pointer(type)) {
        place = gcal_place_find(w, child);
        return place.kind == PLACE_MEMORY ? place.pointer
                                          : gcal_unknown("it points to private memory");
    }
    if (gcal_type_width(from) > gcal_type_width(type) ||
        (clang_getCursorKind(c) == CXCursor_UnexposedExpr && gcal_type_is_pointer(from) &&
         !gcal_type_is_pointer(type) &&
         gcal_type_width(clang_getPointeeType(from)) > 1)) { /* a component */
        place = gcal_place_find(w, c);
        return place.kind == PLACE_VARIABLE ? gcal_unknown(NULL)
                                            : gcal_place_load(w, c, &place);
    }
    value = gcal_walk_expr(w, child);
    if (value.kind == VALUE_POINTER && gcal_type_is_pointer(type))
        return value;
    return gcal_type_is_integer(type) && gcal_type_is_integer(from)
               ? gcal_convert(w, value, from, type)
               : gcal_unknown("it is not an integer");
}

static struct gcal_value walk_kind(struct gcal_walk *w, CXCursor c)
{
    struct gcal_kids kids;
    struct gcal_place place;

    switch (clang_getCursorKind(c)) {
    case CXCursor_IntegerLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_CXXBoolLiteralExpr:
    case CXCursor_UnaryExpr: /* sizeof */
        return gcal_evaluated(w, c);
    case CXCursor_ParenExpr:
        kids = gcal_walk_kids(w, c);
        return kids.n ? gcal_walk_expr(w, kids.c[kids.n - 1]) : gcal_unknown(NULL);
    case CXCursor_UnexposedExpr:
    case CXCursor_CStyleCastExpr:
        return walk_cast(w, c);
    case CXCursor_DeclRefExpr:
        if (clang_getCursorKind(clang_getCursorReferenced(c)) ==
                CXCursor_EnumConstantDecl ||
            (gcal_type_space(gcal_walk_type(c)) == GCAL_SPACE_CONSTANT &&
             !gcal_type_is_array(gcal_walk_type(c)))) /* compilers fold these */
            return gcal_evaluated(w, c);
        place = gcal_place_find(w, c);
        return gcal_place_load(w, c, &place);
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_MemberRefExpr:
        place = gcal_place_find(w, c);
        return gcal_place_load(w, c, &place);
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
    default: /* initialiser lists, vectors of parts, floating literals */
        kids = gcal_walk_kids(w, c);
        for (size_t i = 0; i < kids.n; i++)
            gcal_walk_expr(w, kids.c[i]);
        return gcal_unknown(NULL);
    }
}

struct gcal_value gcal_walk_expr(struct gcal_walk *w, CXCursor c)
{
    struct gcal_value value;

    if (!gcal_walk_enter(w, c))
        return gcal_unknown(NULL);
    value = walk_kind(w, c);
    gcal_walk_leave(w);
    return value;
}
