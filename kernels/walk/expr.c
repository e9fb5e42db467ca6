/* expr.c - expressions: operations, accesses and symbolic values */
#include <string.h>

#include "kernels/model/dtype.h"
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
        enum CXCursorKind kind = gcal_source_kind(c);
        CXType own = gcal_source_type(c);

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

/* ---- constants ----
 *
 * Front ends fold arithmetic of constants, as C associates it: 2 * 3.0f * x is one product.
 * Constants are literals, enumerators, sizeof, const variables whose initialiser is one,
 * and scalars and vectors in __constant memory.  Calls are not folded.
 */

static struct gcal_walk_value constant_if(bool folds, struct gcal_walk_value value)
{
    value.folds = folds;
    return value;
}

/* The value of a const variable is known where it is used; a parameter's is not. */
static bool is_const_variable(CXCursor name)
{
    CXCursor decl = clang_getCursorReferenced(name);

    return gcal_source_kind(decl) == CXCursor_VarDecl &&
           clang_isConstQualifiedType(clang_getCursorType(decl));
}

/* Of an integer outside of functions, or of a class, that is a constant for compilers. */
static bool find_file_constant(struct gcal_walk *w, CXCursor name,
                               struct gcal_walk_value *value)
{
    CXType type = gcal_source_type(name);

    if (!is_const_variable(name) || clang_isVolatileQualifiedType(type) ||
        !gcal_walk_type_is_integer(type) ||
        gcal_walk_variable_find(w, clang_getCursorReferenced(name)))
        return false;
    *value = constant_if(true, gcal_walk_constant(w, name));
    return value->kind == GCAL_WALK_VALUE_INTEGER;
}

/* ---- operands ---- */

/* Walks the product that an addition of 'type' is fused with; false: there is none. */
static bool walk_product(struct gcal_walk *w, CXCursor c, CXType type,
                         struct gcal_walk_value *value)
{
    struct gcal_walk_children factors;
    struct gcal_walk_value a, b;

    if (!find_product(w, c, type, &factors))
        return false;
    a = gcal_walk_expr(w, factors.c[0]);
    b = gcal_walk_expr(w, factors.c[1]);
    *value = constant_if(a.folds && b.folds, gcal_walk_unknown(NULL));
    value->chain = gcal_walk_chain_union(w, a.chain, b.chain);
    return true;
}

/* Integers of one width have the same bits; of whole registers, less of them are some of these, and
 * zeros beside them are no operation.
 */
static bool converts(CXType from, CXType to)
{
    const char *a = gcal_source_dtype(from), *b = gcal_source_dtype(to);
    size_t bytes, to_bytes;

    if (!a || !b || strcmp(a, b) == 0)
        return false;
    bytes = gcal_dtype_size(a);
    to_bytes = gcal_dtype_size(b);
    return !gcal_walk_dtype_is_integer(a) || !gcal_walk_dtype_is_integer(b) ||
           (bytes != to_bytes &&
            (bytes < 4 || to_bytes < 4 || (bytes < to_bytes && *a != 'u')));
}

static void count_conversion(struct gcal_walk *w, CXType from, CXType to,
                             const struct gcal_walk_value *result)
{
    if (converts(from, to))
        gcal_walk_count_auxiliary(w, to, "convert", result);
}

/* The values on both sides of an operator, and the operation as it is counted; NULL 'op': it
 * is not.  NULL 'left': a compound assignment, whose left value is known.
 */
static struct gcal_walk_value walk_operands(struct gcal_walk *w,
                                            enum CXBinaryOperatorKind kind, CXType type,
                                            const CXCursor *left, CXCursor right,
                                            struct gcal_walk_value *left_value,
                                            const char **op)
{
    const char *dtype = gcal_source_dtype(type);
    bool is_integer = gcal_walk_dtype_is_integer(dtype), fuses;
    struct gcal_walk_value value;

    *op = gcal_walk_op_name(kind);
    fuses = dtype && !is_integer && *op && strcmp(*op, "add") == 0;
    if (left && fuses && walk_product(w, *left, type, left_value)) {
        if (!left_value->folds) {
            *op = "madd";
            return gcal_walk_expr(w, right);
        }
    } else if (left) {
        *left_value = gcal_walk_expr(w, *left);
    }
    if (fuses && walk_product(w, right, type, &value)) {
        *op = value.folds ? *op : "madd";
        return value;
    }
    value = gcal_walk_expr(w, right);
    /* compilers multiply or shift instead */
    if (is_integer && value.folds && !left_value->folds &&
        (kind == CXBinaryOperator_Div || kind == CXBinaryOperator_Rem))
        *op = kind == CXBinaryOperator_Div ? "div_constant" : "rem_constant";
    return value;
}

/* "add" of a value that is a product already, or a fused operation. */
static const char *fuse(struct gcal_walk *w, const char *op, struct gcal_walk_value *left,
                        struct gcal_walk_value *right)
{
    struct gcal_walk_value *sides[] = { right, left };

    for (int i = 0; i < 2 && op && strcmp(op, "add") == 0 && !w->silent; i++)
        if (sides[i]->product && sides[i]->product->is_member &&
            !sides[i]->product->is_fused) {
            gcal_walk_fuse(w, sides[i]->product, true);
            sides[i]->chain = sides[i]->product->chain;
            return "madd";
        }
    return op;
}

static void note_product(struct gcal_walk *w, CXType type, const char *op,
                         const struct gcal_walk_chain *chain,
                         struct gcal_walk_value *value)
{
    if (w->unit->language != GCAL_SOURCE_CUDA || !op || strcmp(op, "mul") != 0 ||
        !w->was_counted || value->kind != GCAL_WALK_VALUE_UNKNOWN ||
        gcal_walk_dtype_is_integer(gcal_source_dtype(type)) ||
        !(value->product = gcal_poly_alloc(w->c, sizeof(*value->product))))
        return;
    *value->product =
        (struct gcal_walk_product){ .type = type, .scope = w->counted, .chain = chain };
}

/* ---- kinds of expressions ---- */

static bool assigns_index(struct gcal_walk *w, CXCursor left)
{
    CXCursor c = gcal_walk_strip_casts(w, left);

    return gcal_source_kind(c) == CXCursor_DeclRefExpr &&
           gcal_walk_is_index(w, clang_getCursorReferenced(c));
}

static struct gcal_walk_value walk_assign(struct gcal_walk *w, CXCursor c,
                                          struct gcal_walk_children kids)
{
    struct gcal_walk_lvalue lvalue;
    struct gcal_walk_value value = assigns_index(w, kids.c[0])
                                       ? gcal_walk_index_expr(w, kids.c[1])
                                       : gcal_walk_expr(w, kids.c[1]);

    gcal_walk_check_target(w, kids.c[0]);
    lvalue = gcal_walk_lvalue_find(w, kids.c[0]);
    gcal_walk_lvalue_store(w, c, &lvalue, value);
    return constant_if(false, value);
}

/* The position of an arithmetic type in C's order of conversions. */
static int rank_of(CXType type)
{
    static const char *const order[] = { "int32",   "uint32",  "int64",  "uint64",
                                         "float16", "float32", "float64" };
    const char *dtype = gcal_source_dtype(type);
    int rank = sizeof(order) / sizeof(*order) - 1;

    while (rank > 0 && dtype && strcmp(order[rank], dtype) != 0)
        rank--;
    return rank;
}

/* An integer that C promotes to int. */
static bool is_narrow(CXType type)
{
    return gcal_walk_type_is_integer(type) && gcal_source_size(type) < 4;
}

/* The type in which 'left op= right' is computed, as libclang does not give it: that of
 * the wider operand, of shifts the left one's.
 */
static CXType computation_type(enum CXBinaryOperatorKind kind, CXType left, CXType right)
{
    bool shift = kind == CXBinaryOperator_Shl || kind == CXBinaryOperator_Shr;

    if (gcal_walk_type_width(left) > 1 || !gcal_source_dtype(right))
        return left;
    if (is_narrow(left)) /* the right operand has been promoted, too */
        return right;
    return shift || rank_of(right) <= rank_of(left) ? left : right;
}

static struct gcal_walk_value walk_compound(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    enum CXBinaryOperatorKind kind =
        gcal_walk_compound_operator(clang_getCursorBinaryOperatorKind(c));
    struct gcal_walk_value value, left, right;
    struct gcal_walk_lvalue lvalue;
    const char *op;
    CXType type;
    bool index;

    if (kids.n != 2)
        return gcal_walk_unknown(NULL);
    index = assigns_index(w, kids.c[0]);
    gcal_walk_check_target(w, kids.c[0]);
    lvalue = gcal_walk_lvalue_find(w, kids.c[0]);
    value = gcal_walk_lvalue_load(w, c, &lvalue);
    if (gcal_walk_is_address(lvalue.type)) {
        right = gcal_walk_index_expr(w, kids.c[1]);
        value = gcal_walk_move_pointer(w, value, right, lvalue.type,
                                       kind == CXBinaryOperator_Sub ? -1 : 1);
    } else {
        type = computation_type(kind, lvalue.type, gcal_source_type(kids.c[1]));
        w->quiet += index;
        left = value;
        left.folds = false;
        gcal_walk_is_joined(w, c);
        right = walk_operands(w, kind, type, NULL, kids.c[1], &left, &op);
        op = fuse(w, op, &left, &right);
        value = gcal_walk_operate(w, kind, type, left, right);
        count_conversion(w, lvalue.type, type, &left);
        gcal_walk_count_op(w, type, op, &value);
        count_conversion(w, type, lvalue.type, &value);
        w->quiet -= index;
        gcal_walk_chain_result(w, &value, type, op, left.chain, right.chain);
    }
    gcal_walk_lvalue_store(w, c, &lvalue, value);
    return constant_if(false, value);
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

    if (gcal_walk_is_address(lvalue.type)) {
        after = gcal_walk_move_pointer(w, before, one, lvalue.type, up ? 1 : -1);
    } else {
        after = gcal_walk_operate(w, up ? CXBinaryOperator_Add : CXBinaryOperator_Sub,
                                  lvalue.type, before, one);
        w->quiet += index;
        gcal_walk_count_op(w, lvalue.type, "add", &after);
        w->quiet -= index;
        gcal_walk_chain_result(w, &after, lvalue.type, "add", before.chain, NULL);
    }
    gcal_walk_lvalue_store(w, c, &lvalue, after);
    return constant_if(false, post ? before : after);
}

static struct gcal_walk_value walk_unary(struct gcal_walk *w, CXCursor c)
{
    enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(c);
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    struct gcal_walk_value value, after;
    struct gcal_walk_lvalue lvalue;
    bool joined;

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
        return lvalue.kind == GCAL_WALK_LVALUE_MEMORY
                   ? lvalue.pointer
                   : gcal_walk_private_pointer(w, &lvalue);
    case CXUnaryOperator_Minus:
        value = gcal_walk_expr(w, kids.c[0]);
        after = gcal_walk_negate(w, gcal_source_type(c), value, false);
        if (!value.folds)
            gcal_walk_count_auxiliary(w, gcal_source_type(c), "neg", &after);
        gcal_walk_chain_result(w, &after, gcal_source_type(c), NULL, value.chain, NULL);
        return constant_if(value.folds, after);
    case CXUnaryOperator_Plus:
        return gcal_walk_expr(w, kids.c[0]);
    case CXUnaryOperator_LNot:
        value = gcal_walk_expr(w, kids.c[0]);
        return constant_if(
            value.folds,
            gcal_walk_value_from_predicate(
                w, gcal_walk_predicate_not(w, gcal_walk_predicate_from_value(w, value))));
    case CXUnaryOperator_Not: /* ~x is -x-1 */
        joined = gcal_walk_is_joined(w, c);
        value = gcal_walk_expr(w, kids.c[0]);
        after = gcal_walk_negate(w, gcal_source_type(c), value, true);
        if (!value.folds)
            gcal_walk_count_op(w, gcal_source_type(c), "not", &after);
        if (!value.folds && joined)
            gcal_walk_join_op(w, gcal_source_type(c));
        gcal_walk_chain_result(w, &after, gcal_source_type(c), "not", value.chain, NULL);
        return constant_if(value.folds, after);
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
    struct gcal_walk_value first = gcal_walk_expr(w, kids.c[0]), second, both;
    struct gcal_walk_predicate left = gcal_walk_predicate_from_value(w, first), right;
    int decided = gcal_walk_predicate_decide(w, &left);
    size_t n_events = w->n_events, n_work = w->n_work;

    if (decided == !is_and) /* the right operand is never evaluated */
        return constant_if(first.folds, gcal_walk_value_from_predicate(w, left));
    if (decided < 0)
        gcal_walk_push_predicate(w, kids.c[0], &left, is_and);
    second = gcal_walk_expr(w, kids.c[1]);
    right = gcal_walk_predicate_from_value(w, second);
    w->scope = before;
    if (w->n_work != n_work && decided < 0)
        gcal_walk_count_branch(w, kids.c[0], left.known ? left.when : NULL);
    gcal_walk_note_both_sides(w, kids.c[0], &left, n_events);
    both = gcal_walk_value_from_predicate(
        w, is_and ? gcal_walk_predicate_and(w, left, right)
                  : gcal_walk_predicate_or(w, left, right));
    both.chain = gcal_walk_chain_union(w, first.chain, second.chain);
    return constant_if(first.folds && second.folds, both);
}

static struct gcal_walk_value walk_comparison(struct gcal_walk *w,
                                              enum CXBinaryOperatorKind kind,
                                              struct gcal_walk_children kids)
{
    CXType type = gcal_source_type(kids.c[0]);
    struct gcal_walk_value a = gcal_walk_expr(w, kids.c[0]);
    struct gcal_walk_value b = gcal_walk_expr(w, kids.c[1]);
    bool folds = a.folds && b.folds;
    struct gcal_walk_value value, apart = a;

    if (!folds) {
        if (w->quiet)
            apart = gcal_walk_operate(w, CXBinaryOperator_Sub, type, a, b);
        gcal_walk_count_auxiliary(w, type, "cmp", &apart);
    }
    value = gcal_walk_comparison(w, kind, type, a, b);
    gcal_walk_chain_result(w, &value, type, value.condition ? NULL : "cmp", a.chain,
                           b.chain);
    return constant_if(folds, value);
}

static struct gcal_walk_value walk_binary(struct gcal_walk *w, CXCursor c)
{
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(c);
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    CXType type = gcal_source_type(c);
    struct gcal_walk_value left = gcal_walk_unknown(NULL), right, value;
    const char *op;
    bool joined;

    if (kids.n != 2)
        return gcal_walk_unknown(NULL);
    if (gcal_walk_global_id(w, c, kids, &value))
        return value;
    if (kind == CXBinaryOperator_Assign)
        return walk_assign(w, c, kids);
    if (kind == CXBinaryOperator_LAnd || kind == CXBinaryOperator_LOr)
        return walk_logic(w, kind, kids);
    if (kind >= CXBinaryOperator_LT && kind <= CXBinaryOperator_NE)
        return walk_comparison(w, kind, kids);
    if (!gcal_walk_op_name(kind)) { /* comma */
        gcal_walk_expr(w, kids.c[0]);
        return gcal_walk_expr(w, kids.c[1]);
    }
    if (gcal_walk_is_address(type)) {
        bool swapped = !gcal_walk_is_address(gcal_source_type(kids.c[0]));
        struct gcal_walk_value pointer = gcal_walk_index_expr(w, kids.c[swapped]);
        struct gcal_walk_value by = gcal_walk_index_expr(w, kids.c[!swapped]);

        return gcal_walk_move_pointer(w, pointer, by, type,
                                      kind == CXBinaryOperator_Sub ? -1 : 1);
    }
    if (kind == CXBinaryOperator_Sub &&
        gcal_walk_is_address(gcal_source_type(kids.c[0]))) {
        /* The distance of two pointers in elements. */
        struct gcal_walk_value a = gcal_walk_index_expr(w, kids.c[0]);
        struct gcal_walk_value b = gcal_walk_index_expr(w, kids.c[1]);
        long long size = gcal_source_size(gcal_walk_pointee(gcal_source_type(kids.c[0])));
        const struct gcal_poly *apart;

        if (a.kind != GCAL_WALK_VALUE_POINTER || b.kind != GCAL_WALK_VALUE_POINTER ||
            a.array != b.array || !a.p || !b.p || size <= 0)
            return gcal_walk_unknown("it is the difference of unknown pointers");
        apart = gcal_poly_scale(w->c, gcal_poly_sub(w->c, a.p, b.p), 1, size);
        return gcal_poly_is_integral(apart)
                   ? gcal_walk_integer(apart)
                   : gcal_walk_not_affine("it is not a multiple of the element size");
    }
    joined = gcal_walk_is_joined(w, c);
    right = walk_operands(w, kind, type, &kids.c[0], kids.c[1], &left, &op);
    op = fuse(w, op, &left, &right);
    value = gcal_walk_operate(w, kind, type, left, right);
    value.product = NULL;
    if (!left.folds || !right.folds) {
        gcal_walk_count_op(
            w, type, gcal_walk_share_quotient(w, op, &left, &right, &value), &value);
        if (joined)
            gcal_walk_join_op(w, type);
        note_product(w, type, op, gcal_walk_chain_union(w, left.chain, right.chain),
                     &value);
        gcal_walk_chain_result(w, &value, type, op, left.chain, right.chain);
    }
    return constant_if(left.folds && right.folds, value);
}

/* Of vectors, both sides are evaluated, and each element is chosen. */
static struct gcal_walk_value walk_vector_conditional(struct gcal_walk *w, CXCursor c,
                                                      struct gcal_walk_children kids)
{
    static const int order[] = { 2, 1, 0 }; /* select(no, yes, condition) */
    struct gcal_walk_value args[3], value;
    CXType types[3];

    for (int i = 0; i < 3; i++) {
        args[order[i]] = gcal_walk_expr(w, kids.c[i]);
        types[order[i]] = gcal_source_type(kids.c[i]);
    }
    value = gcal_walk_dtype_is_integer(gcal_source_dtype(gcal_source_type(c)))
                ? gcal_walk_vector_call(w, "select", gcal_source_type(c), 3, types, args)
                : gcal_walk_unknown(NULL);
    gcal_walk_count_auxiliary(w, gcal_source_type(c), "select", &value);
    gcal_walk_chain_result(w, &value, gcal_source_type(c), "select", args[2].chain,
                           gcal_walk_chain_union(w, args[0].chain, args[1].chain));
    return value;
}

static struct gcal_walk_value walk_conditional(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    const struct gcal_sets_scope *before = w->scope;
    struct gcal_walk_predicate predicate;
    struct gcal_walk_value condition, yes, no, value;
    size_t n_events;
    int decided;

    if (kids.n != 3)
        return gcal_walk_unknown(NULL);
    if (gcal_walk_type_width(gcal_source_type(kids.c[0])) > 1)
        return walk_vector_conditional(w, c, kids);
    condition = gcal_walk_index_expr(w, kids.c[0]);
    predicate = gcal_walk_predicate_from_value(w, condition);
    decided = gcal_walk_predicate_decide(w, &predicate);
    if (decided >= 0) {
        yes = gcal_walk_expr(w, kids.c[decided ? 1 : 2]);
        return constant_if(condition.folds && yes.folds, yes);
    }
    n_events = w->n_events;
    gcal_walk_count_branch(w, kids.c[0], predicate.known ? predicate.when : NULL);
    gcal_walk_push_predicate(w, kids.c[0], &predicate, true);
    yes = gcal_walk_expr(w, kids.c[1]);
    w->scope = before;
    gcal_walk_push_predicate(w, kids.c[0], &predicate, false);
    no = gcal_walk_expr(w, kids.c[2]);
    w->scope = before;
    value = gcal_walk_value_select(w, &predicate, yes, no);
    gcal_walk_count_auxiliary(w, gcal_source_type(c), "select", &value);
    gcal_walk_note_both_sides(w, kids.c[0], &predicate, n_events);
    gcal_walk_chain_result(w, &value, gcal_source_type(c), "select", condition.chain,
                           gcal_walk_chain_union(w, yes.chain, no.chain));
    return constant_if(false, value);
}

static struct gcal_walk_value walk_cast(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    CXType type = gcal_source_type(c), from;
    bool is_address = gcal_walk_is_address(type), is_reinterpreted, is_counted, folds;
    CXCursor child;
    const struct gcal_walk_chain *chain;
    struct gcal_walk_product *product;
    struct gcal_walk_value value;
    struct gcal_walk_lvalue lvalue;

    if (!kids.n) /* T(), which is zero */
        return constant_if(gcal_source_dtype(type),
                           gcal_walk_type_is_integer(type)
                               ? gcal_walk_integer(gcal_poly_integer(w->c, 0))
                               : gcal_walk_unknown(NULL));
    child = kids.c[kids.n - 1];
    from = gcal_source_type(child);
    if (gcal_source_is_array(from) && is_address)
        return gcal_walk_decay(w, child);
    if (w->unit->language == GCAL_SOURCE_CUDA && is_address &&
        gcal_walk_type_is_pointer(from) &&
        gcal_walk_type_is_record(gcal_walk_pointee(from)) &&
        gcal_source_bases(gcal_walk_pointee(from)) > 1)
        gcal_walk_fail(w, c,
                       "pointers to a class with several bases cannot be converted");
    if (kids.n == 1 && gcal_source_is_component(w->unit, c, child)) {
        lvalue = gcal_walk_lvalue_find(w, c);
        return gcal_walk_lvalue_load(w, c, &lvalue);
    }
    value = gcal_walk_expr(w, child);
    if ((value.kind == GCAL_WALK_VALUE_POINTER || value.is_private) && is_address)
        return value;
    is_reinterpreted = gcal_source_is_reinterpreted(c, child);
    chain = value.chain;
    is_counted = !value.folds && !is_reinterpreted;
    if (is_counted && chain && converts(from, type))
        chain = gcal_walk_chain_operate(w, type, "convert", chain);
    folds = value.folds && gcal_source_dtype(type);
    if (is_reinterpreted)
        value.quotient = NULL; /* its bits are another number */
    product = from.kind == type.kind ? value.product : NULL;
    value = gcal_walk_cast_value(w, value, from, type);
    value.product = product;
    if (is_counted)
        count_conversion(w, from, type, &value);
    if (is_reinterpreted)
        value.quotient = NULL;
    gcal_walk_chain_result(w, &value, type, NULL, chain, NULL);
    return constant_if(folds, value);
}

/* Initialiser lists, vector literals. */
static struct gcal_walk_value walk_list(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    bool folds = kids.n && gcal_source_dtype(gcal_source_type(c));
    struct gcal_walk_value value = gcal_walk_unknown(NULL), part;

    for (size_t i = 0; i < kids.n; i++) {
        part = gcal_walk_expr(w, kids.c[i]);
        folds = part.folds && folds;
        value.chain = gcal_walk_chain_union(w, value.chain, part.chain);
    }
    return constant_if(folds, value);
}

static struct gcal_walk_value walk_kind(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_children kids;
    struct gcal_walk_value value;
    struct gcal_walk_lvalue lvalue;

    switch (gcal_source_kind(c)) {
    case CXCursor_IntegerLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_CXXBoolLiteralExpr:
    case CXCursor_UnaryExpr: /* sizeof */
        return constant_if(true, gcal_walk_constant(w, c));
    case CXCursor_FloatingLiteral:
        return constant_if(true, gcal_walk_quotient_literal(c, w));
    case CXCursor_ParenExpr:
        kids = gcal_walk_get_children(w, c);
        return kids.n ? gcal_walk_expr(w, kids.c[kids.n - 1]) : gcal_walk_unknown(NULL);
    case CXCursor_UnexposedExpr:
    case CXCursor_CStyleCastExpr:
        return walk_cast(w, c);
    case CXCursor_DeclRefExpr:
        if (gcal_source_kind(clang_getCursorReferenced(c)) == CXCursor_EnumConstantDecl ||
            (gcal_source_space(c) == GCAL_FEATURE_SPACE_CONSTANT &&
             w->unit->language != GCAL_SOURCE_CUDA &&
             !gcal_source_is_array(gcal_source_type(c)))) /* compilers fold these */
            return constant_if(true, gcal_walk_constant(w, c));
        if (find_file_constant(w, c, &value))
            return value;
        lvalue = gcal_walk_lvalue_find(w, c);
        value = gcal_walk_lvalue_load(w, c, &lvalue);
        if (lvalue.kind == GCAL_WALK_LVALUE_MEMORY &&
            lvalue.space == GCAL_FEATURE_SPACE_CONSTANT &&
            gcal_walk_type_is_integer(lvalue.type)) /* a size that hosts set */
            value = gcal_walk_integer(gcal_poly_parameter(
                w->c, gcal_walk_name(w, clang_getCursorReferenced(c))));
        return constant_if(value.folds && is_const_variable(c), value);
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_MemberRefExpr:
        if (gcal_source_kind(clang_getCursorReferenced(c)) == CXCursor_EnumConstantDecl)
            return constant_if(true, gcal_walk_constant(w, c));
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
    case CXCursor_CompoundLiteralExpr:
        kids = gcal_walk_get_children(w, c);
        return kids.n ? gcal_walk_expr(w, kids.c[kids.n - 1]) : gcal_walk_unknown(NULL);
    case CXCursor_InitListExpr:
        return gcal_walk_initialiser(w, c, gcal_source_type(c));
    case CXCursor_CXXNewExpr:
    case CXCursor_CXXDeleteExpr:
    case CXCursor_CXXThrowExpr:
        gcal_walk_fail(w, c, "new, delete and throw cannot be counted");
        return gcal_walk_unknown(NULL);
    case CXCursor_LambdaExpr: /* what it captures is what it names: it runs where it is called */
        kids = gcal_walk_get_children(w, c);
        for (size_t i = 0; i < kids.n; i++)
            if (gcal_source_kind(kids.c[i]) == CXCursor_VarDecl)
                gcal_walk_declare(w, kids.c[i]);
        return gcal_walk_unknown("it is a function");
    default:
        return walk_list(w, c);
    }
}

struct gcal_walk_value gcal_walk_expr(struct gcal_walk *w, CXCursor c)
{
    CXCursor outer = w->expression;
    struct gcal_walk_value value;
    size_t first_carried;

    if (!gcal_walk_enter(w, c))
        return gcal_walk_unknown(NULL);
    if (clang_getCursorType(c).kind == CXType_Unexposed &&
        gcal_source_type(c).kind == CXType_Unexposed)
        gcal_walk_fail(w, c,
                       "the type of this expression is not known: something that it "
                       "needs is not in the source");
    w->expression = c;
    first_carried = w->first_carried;
    w->first_carried = w->n_carried;
    value = walk_kind(w, c);
    w->first_carried = first_carried;
    w->expression = outer;
    gcal_walk_leave(w);
    return value;
}
