/* walk_expr.c - expressions: their operations, their accesses, their symbolic values */
#include <string.h>

#include "kernels/walk.h"

/* What an lvalue names. */
struct place {
    enum { PLACE_PRIVATE, PLACE_VARIABLE, PLACE_MEMORY } kind;
    CXCursor decl; /* variable */
    enum gcal_space space;
    CXType type;
    struct gcal_value pointer;
    const char *tag;
};

static struct place find_place(struct gcal_walk *w, CXCursor c);

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
    value = gcal_walk_expr(w, c);
    w->silent--;
    return value;
}

static struct gcal_value evaluated(struct gcal_walk *w, CXCursor c)
{
    CXEvalResult result = w->clang->Cursor_Evaluate(c);
    struct gcal_value value = gcal_unknown(NULL);

    if (result && w->clang->EvalResult_getKind(result) == CXEval_Int)
        value = gcal_integer(
            gcal_poly_integer(w->c, w->clang->EvalResult_getAsLongLong(result)));
    if (result)
        w->clang->EvalResult_dispose(result);
    return value;
}

static bool is_pointer(CXType type)
{
    return type.kind == CXType_Pointer;
}

static bool is_array(CXType type)
{
    return type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray ||
           type.kind == CXType_VariableArray;
}

static bool is_integer(struct gcal_walk *w, CXType type)
{
    return gcal_type_width(w, type) == 1 &&
           gcal_dtype_is_integer(gcal_type_dtype(w->unit, type));
}

/* The product that an addition of 'type' would be fused with, or false. */
static bool find_product(struct gcal_walk *w, CXCursor c, CXType type,
                         struct gcal_kids *factors)
{
    const char *dtype = gcal_type_dtype(w->unit, type);

    for (;;) {
        enum CXCursorKind kind = w->clang->getCursorKind(c);
        CXType own = gcal_walk_type(w, c);

        if (gcal_type_dtype(w->unit, own) != dtype ||
            gcal_type_width(w, own) != gcal_type_width(w, type))
            return false;
        *factors = gcal_walk_kids(w, c);
        if (kind == CXCursor_BinaryOperator)
            return w->clang->getCursorBinaryOperatorKind(c) == CXBinaryOperator_Mul &&
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
    const char *dtype = gcal_type_dtype(w->unit, type), *op = gcal_op_name(kind);
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

/* ---- lvalues ---- */

static struct place place_of_pointer(struct gcal_walk *w, struct gcal_value pointer,
                                     CXType type)
{
    enum gcal_space space = gcal_type_space(w->unit, type);

    return (struct place){ .kind = space == GCAL_SPACE_ANY ? PLACE_PRIVATE : PLACE_MEMORY,
                           .space = space,
                           .type = type,
                           .pointer = pointer };
}

static struct place place_of_name(struct gcal_walk *w, CXCursor c, CXType type)
{
    CXCursor decl = w->clang->getCursorReferenced(c);
    enum gcal_space space = gcal_type_space(w->unit, type);
    struct gcal_value pointer = { .kind = VALUE_POINTER };

    if (space == GCAL_SPACE_ANY)
        return (struct place){ .kind = is_array(type) ? PLACE_PRIVATE : PLACE_VARIABLE,
                               .decl = decl,
                               .type = type };
    /* a __local array or variable, a __constant table */
    pointer.p = gcal_poly_integer(w->c, 0);
    pointer.array = gcal_array_find(w, gcal_walk_name(w, decl), space);
    return place_of_pointer(w, pointer, type);
}

static struct place place_of_subscript(struct gcal_walk *w, CXCursor c, CXType type)
{
    struct gcal_kids kids = gcal_walk_kids(w, c);
    struct gcal_value pointer, by;
    CXCursor base, index;

    if (kids.n != 2)
        return (struct place){ .kind = PLACE_PRIVATE, .type = type };
    base = kids.c[is_pointer(gcal_walk_type(w, kids.c[0])) ? 0 : 1];
    index = kids.c[is_pointer(gcal_walk_type(w, kids.c[0])) ? 1 : 0];
    pointer = gcal_walk_quietly(w, base);
    by = gcal_walk_quietly(w, index);
    if (gcal_type_space(w->unit, type) == GCAL_SPACE_ANY)
        return (struct place){ .kind = PLACE_PRIVATE, .type = type };
    return place_of_pointer(
        w, gcal_move_pointer(w, pointer, by, gcal_walk_type(w, base), 1), type);
}

static struct place find_place(struct gcal_walk *w, CXCursor c)
{
    CXType type = gcal_walk_type(w, c);
    struct gcal_kids kids;
    struct place place = { .kind = PLACE_PRIVATE, .type = type };
    CXCursor lvalue;
    char tag[64];

    switch (w->clang->getCursorKind(c)) {
    case CXCursor_DeclRefExpr:
        return place_of_name(w, c, type);
    case CXCursor_ArraySubscriptExpr:
        return place_of_subscript(w, c, type);
    case CXCursor_UnaryOperator:
        kids = gcal_walk_kids(w, c);
        if (gcal_tag_find(w->unit, c, &lvalue, tag, sizeof(tag))) {
            place = find_place(w, lvalue);
            place.tag = gcal_polys_format(w->c, "%s", tag);
            return place;
        }
        if (w->clang->getCursorUnaryOperatorKind(c) == CXUnaryOperator_Deref && kids.n)
            return place_of_pointer(w, gcal_walk_quietly(w, kids.c[0]), type);
        gcal_walk_expr(w, c);
        return place;
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr: /* a component of a vector too */
    case CXCursor_MemberRefExpr:
        kids = gcal_walk_kids(w, c);
        if (!kids.n)
            return place;
        if (is_pointer(gcal_walk_type(w, kids.c[0])))
            return place_of_pointer(w, gcal_walk_quietly(w, kids.c[0]), type);
        place = find_place(w, kids.c[0]);
        if (place.kind == PLACE_VARIABLE &&
            w->clang->getCursorKind(c) != CXCursor_ParenExpr)
            place.kind = PLACE_PRIVATE;
        place.type = type;
        return place;
    default:
        gcal_walk_expr(w, c);
        return place;
    }
}

static struct gcal_value load(struct gcal_walk *w, CXCursor at, const struct place *place)
{
    struct gcal_value *known;

    switch (place->kind) {
    case PLACE_MEMORY:
        gcal_count_access(w, at, place->type, gcal_type_width(w, place->type),
                          place->space, GCAL_LOAD, place->pointer, place->tag);
        return gcal_unknown("it comes from memory");
    case PLACE_VARIABLE:
        known = gcal_variable_find(w, place->decl);
        if (known)
            return *known;
        return evaluated(w, at);
    default:
        return gcal_unknown("it comes from a private array or structure");
    }
}

static void store(struct gcal_walk *w, CXCursor at, const struct place *place,
                  struct gcal_value value)
{
    if (place->kind == PLACE_MEMORY)
        gcal_count_access(w, at, place->type, gcal_type_width(w, place->type),
                          place->space, GCAL_STORE, place->pointer, place->tag);
    else if (place->kind == PLACE_VARIABLE && w->silent == 0)
        gcal_variable_set(w, place->decl, value);
}

/* ---- the kinds of expressions ---- */

static bool assigns_index(struct gcal_walk *w, CXCursor left)
{
    CXCursor c = gcal_strip(w, left);

    return w->clang->getCursorKind(c) == CXCursor_DeclRefExpr &&
           gcal_is_index(w, w->clang->getCursorReferenced(c));
}

static struct gcal_value walk_assign(struct gcal_walk *w, CXCursor c,
                                     struct gcal_kids kids)
{
    struct place place;
    struct gcal_value value = assigns_index(w, kids.c[0])
                                  ? gcal_walk_quietly(w, kids.c[1])
                                  : gcal_walk_expr(w, kids.c[1]);

    place = find_place(w, kids.c[0]);
    store(w, c, &place, value);
    return value;
}

static struct gcal_value walk_compound(struct gcal_walk *w, CXCursor c)
{
    struct gcal_kids kids = gcal_walk_kids(w, c);
    enum CXBinaryOperatorKind kind =
        gcal_compound_kind(w->clang->getCursorBinaryOperatorKind(c));
    struct gcal_value value, right;
    struct place place;
    CXType type, right_type;
    bool index;

    if (kids.n != 2)
        return gcal_unknown(NULL);
    index = assigns_index(w, kids.c[0]);
    place = find_place(w, kids.c[0]);
    value = load(w, c, &place);
    if (is_pointer(place.type)) {
        right = gcal_walk_quietly(w, kids.c[1]);
        value = gcal_move_pointer(w, value, right, place.type,
                                  kind == CXBinaryOperator_Sub ? -1 : 1);
    } else {
        /* float += double is computed in double */
        type = place.type;
        right_type = gcal_walk_type(w, kids.c[1]);
        if (gcal_type_width(w, type) == 1 && gcal_type_dtype(w->unit, right_type) &&
            (right_type.kind == CXType_Double ||
             (right_type.kind == CXType_Float && type.kind != CXType_Double)))
            type = right_type;
        w->quiet += index;
        right = walk_operands(w, kind, type, NULL, kids.c[1], NULL);
        w->quiet -= index;
        value = is_integer(w, type) ? gcal_combine(w, kind, value, right)
                                    : gcal_unknown(NULL);
    }
    store(w, c, &place, value);
    return value;
}

static struct gcal_value walk_step(struct gcal_walk *w, CXCursor c, CXCursor operand,
                                   enum CXUnaryOperatorKind kind)
{
    bool up = kind == CXUnaryOperator_PostInc || kind == CXUnaryOperator_PreInc;
    bool post = kind == CXUnaryOperator_PostInc || kind == CXUnaryOperator_PostDec;
    struct place place = find_place(w, operand);
    struct gcal_value before = load(w, c, &place), after;
    struct gcal_value one = gcal_integer(gcal_poly_integer(w->c, 1));

    if (is_pointer(place.type)) {
        after = gcal_move_pointer(w, before, one, place.type, up ? 1 : -1);
    } else {
        if (!assigns_index(w, operand))
            gcal_count_op(w, place.type, "add");
        after = gcal_combine(w, up ? CXBinaryOperator_Add : CXBinaryOperator_Sub, before,
                             one);
    }
    store(w, c, &place, after);
    return post ? before : after;
}

static struct gcal_value walk_unary(struct gcal_walk *w, CXCursor c)
{
    enum CXUnaryOperatorKind kind = w->clang->getCursorUnaryOperatorKind(c);
    struct gcal_kids kids = gcal_walk_kids(w, c);
    struct gcal_value value;
    struct place place;

    if (kids.n != 1)
        return gcal_unknown(NULL);
    switch (kind) {
    case CXUnaryOperator_PostInc:
    case CXUnaryOperator_PostDec:
    case CXUnaryOperator_PreInc:
    case CXUnaryOperator_PreDec:
        return walk_step(w, c, kids.c[0], kind);
    case CXUnaryOperator_Deref:
        place = find_place(w, c);
        return load(w, c, &place);
    case CXUnaryOperator_AddrOf:
        place = find_place(w, kids.c[0]);
        if (place.kind == PLACE_VARIABLE)
            gcal_variable_set(w, place.decl, gcal_unknown("its address is taken"));
        return place.kind == PLACE_MEMORY ? place.pointer : gcal_unknown(NULL);
    case CXUnaryOperator_Minus:
        value = gcal_walk_expr(w, kids.c[0]);
        if (value.kind == VALUE_INTEGER)
            value.p = gcal_poly_scale(w->c, value.p, -1, 1);
        return value;
    case CXUnaryOperator_Plus:
        return gcal_walk_expr(w, kids.c[0]);
    default:
        gcal_walk_expr(w, kids.c[0]);
        return gcal_unknown("it holds an operator that is not affine");
    }
}

static void note_both_sides(struct gcal_walk *w, CXCursor condition)
{
    int line, column;

    gcal_unit_location(w->unit, condition, &line, &column);
    gcal_nest_note(w->nest, line, column,
                   "both sides were counted: the condition does not follow from sizes "
                   "and ids");
}

/* The right side of && and || runs only where the left one lets it. */
static struct gcal_value walk_logic(struct gcal_walk *w, enum CXBinaryOperatorKind kind,
                                    struct gcal_kids kids)
{
    const struct gcal_domain *before = w->domain;
    const struct gcal_condition *reached = gcal_walk_condition(w, kids.c[0]);
    size_t n_events;

    gcal_walk_expr(w, kids.c[0]);
    n_events = w->n_events;
    if (reached && kind == CXBinaryOperator_LOr)
        reached = gcal_condition_not(w->c, reached);
    if (reached && !w->silent)
        gcal_push_condition(w, kids.c[0], reached, NULL);
    gcal_walk_expr(w, kids.c[1]);
    w->domain = before;
    if (!reached && w->n_events != n_events)
        note_both_sides(w, kids.c[0]);
    return gcal_unknown("it holds a comparison");
}

static struct gcal_value walk_binary(struct gcal_walk *w, CXCursor c)
{
    enum CXBinaryOperatorKind kind = w->clang->getCursorBinaryOperatorKind(c);
    struct gcal_kids kids = gcal_walk_kids(w, c);
    CXType type = gcal_walk_type(w, c);
    struct gcal_value left = gcal_unknown(NULL), right;

    if (kids.n != 2)
        return gcal_unknown(NULL);
    if (kind == CXBinaryOperator_Assign)
        return walk_assign(w, c, kids);
    if (is_pointer(type) && kind != CXBinaryOperator_Comma) {
        bool swapped = !is_pointer(gcal_walk_type(w, kids.c[0]));

        left = gcal_walk_quietly(w, kids.c[swapped]);
        right = gcal_walk_quietly(w, kids.c[!swapped]);
        return gcal_move_pointer(w, left, right, type,
                                 kind == CXBinaryOperator_Sub ? -1 : 1);
    }
    if (kind == CXBinaryOperator_LAnd || kind == CXBinaryOperator_LOr)
        return walk_logic(w, kind, kids);
    if (!gcal_op_name(kind)) { /* comparisons, comma */
        gcal_walk_expr(w, kids.c[0]);
        right = gcal_walk_expr(w, kids.c[1]);
        return kind == CXBinaryOperator_Comma ? right
                                              : gcal_unknown("it holds a comparison");
    }
    right = walk_operands(w, kind, type, &kids.c[0], kids.c[1], &left);
    return is_integer(w, type) ? gcal_combine(w, kind, left, right) : gcal_unknown(NULL);
}

/* a < b ? a : b of integers is min(a, b), and so on; else not known. */
static struct gcal_value choose(struct gcal_walk *w,
                                const struct gcal_condition *condition,
                                struct gcal_value yes, struct gcal_value no)
{
    if (yes.kind != VALUE_INTEGER || no.kind != VALUE_INTEGER ||
        condition->kind != GCAL_CONDITION_NONNEGATIVE)
        return gcal_unknown("it follows a condition");
    for (int64_t strict = 0; strict < 2; strict++) {
        const struct gcal_poly *p =
            gcal_poly_add(w->c, condition->p, gcal_poly_integer(w->c, strict));

        if (gcal_poly_equal(p, gcal_poly_sub(w->c, no.p, yes.p)))
            return gcal_integer(gcal_poly_min(w->c, yes.p, no.p));
        if (gcal_poly_equal(p, gcal_poly_sub(w->c, yes.p, no.p)))
            return gcal_integer(gcal_poly_max(w->c, yes.p, no.p));
    }
    return gcal_unknown("it follows a condition");
}

static struct gcal_value walk_conditional(struct gcal_walk *w, CXCursor c)
{
    struct gcal_kids kids = gcal_walk_kids(w, c);
    const struct gcal_domain *before = w->domain;
    const struct gcal_condition *condition;
    struct gcal_value yes, no;
    size_t n_events;
    int decided;

    if (kids.n != 3)
        return gcal_unknown(NULL);
    condition = gcal_walk_condition(w, kids.c[0]);
    gcal_walk_quietly(w, kids.c[0]);
    n_events = w->n_events;
    decided = condition ? gcal_condition_decide(w->c, condition) : -1;
    if (decided >= 0)
        return gcal_walk_expr(w, kids.c[decided ? 1 : 2]);
    if (condition)
        gcal_push_condition(w, kids.c[0], condition, NULL);
    yes = gcal_walk_expr(w, kids.c[1]);
    w->domain = before;
    if (condition)
        gcal_push_condition(w, kids.c[0], gcal_condition_not(w->c, condition), NULL);
    no = gcal_walk_expr(w, kids.c[2]);
    w->domain = before;
    if (!condition && w->n_events != n_events)
        note_both_sides(w, kids.c[0]);
    return condition ? choose(w, condition, yes, no)
                     : gcal_unknown("it follows a condition");
}

static struct gcal_value walk_cast(struct gcal_walk *w, CXCursor c)
{
    struct gcal_kids kids = gcal_walk_kids(w, c);
    CXType type = gcal_walk_type(w, c), from;
    CXCursor child;
    struct gcal_value value;
    struct place place;

    if (!kids.n)
        return gcal_unknown(NULL);
    child = kids.c[kids.n - 1];
    from = gcal_walk_type(w, child);
    if (is_array(from) && is_pointer(type)) {
        place = find_place(w, child);
        return place.kind == PLACE_MEMORY ? place.pointer : gcal_unknown(NULL);
    }
    if (gcal_type_width(w, from) > gcal_type_width(w, type)) { /* a component */
        place = find_place(w, child);
        place.type = type;
        return place.kind == PLACE_VARIABLE ? gcal_unknown(NULL) : load(w, c, &place);
    }
    value = gcal_walk_expr(w, child);
    if (value.kind == VALUE_POINTER && is_pointer(type))
        return value;
    return is_integer(w, type) && is_integer(w, from)
               ? value
               : gcal_unknown("it is not an integer");
}

static struct gcal_value walk_kind(struct gcal_walk *w, CXCursor c)
{
    struct gcal_kids kids;
    struct place place;

    switch (w->clang->getCursorKind(c)) {
    case CXCursor_IntegerLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_CXXBoolLiteralExpr:
    case CXCursor_UnaryExpr: /* sizeof */
        return evaluated(w, c);
    case CXCursor_ParenExpr:
        kids = gcal_walk_kids(w, c);
        return kids.n ? gcal_walk_expr(w, kids.c[kids.n - 1]) : gcal_unknown(NULL);
    case CXCursor_UnexposedExpr:
    case CXCursor_CStyleCastExpr:
        return walk_cast(w, c);
    case CXCursor_DeclRefExpr:
        if (w->clang->getCursorKind(w->clang->getCursorReferenced(c)) ==
                CXCursor_EnumConstantDecl ||
            (gcal_type_space(w->unit, gcal_walk_type(w, c)) == GCAL_SPACE_CONSTANT &&
             !is_array(gcal_walk_type(w, c)))) /* compilers fold these */
            return evaluated(w, c);
        place = find_place(w, c);
        return load(w, c, &place);
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_MemberRefExpr:
        place = find_place(w, c);
        return load(w, c, &place);
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

    if (w->failed)
        return gcal_unknown(NULL);
    if (w->depth == GCAL_DEEPEST) {
        gcal_walk_fail(w, c, "this expression is nested too deeply");
        return gcal_unknown(NULL);
    }
    w->depth++;
    value = walk_kind(w, c);
    w->depth--;
    return value;
}
