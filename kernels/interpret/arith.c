/* arith.c - nodes for conversions, operators and vectors */
#include <math.h>
#include <string.h>

#include "kernels/interpret/private.h"

/* ---- conversions ---- */

static int64_t int_to_int(struct gcal_interp_work_item *item,
                          const struct gcal_interp_node *n)
{
    return gcal_interp_int_wrap(n->type->repr, n->a->eval.i(item, n->a));
}

static int64_t float_to_int(struct gcal_interp_work_item *item,
                            const struct gcal_interp_node *n)
{
    return gcal_interp_int_from_float(n->type->repr, n->a->eval.f(item, n->a));
}

static int64_t pointer_to_bool(struct gcal_interp_work_item *item,
                               const struct gcal_interp_node *n)
{
    return gcal_interp_eval_truth(item, n->a);
}

static double int_to_float(struct gcal_interp_work_item *item,
                           const struct gcal_interp_node *n)
{
    return gcal_interp_float_round(
        n->type->repr,
        gcal_interp_float_from_int(n->a->type->repr, n->a->eval.i(item, n->a)));
}

static double float_to_float(struct gcal_interp_work_item *item,
                             const struct gcal_interp_node *n)
{
    return gcal_interp_float_round(n->type->repr, n->a->eval.f(item, n->a));
}

static struct gcal_interp_pointer pointer_to_pointer(struct gcal_interp_work_item *item,
                                                     const struct gcal_interp_node *n)
{
    return n->a->eval.p(item, n->a);
}

static struct gcal_interp_pointer null_pointer(struct gcal_interp_work_item *item,
                                               const struct gcal_interp_node *n)
{
    (void)item;
    (void)n;
    return (struct gcal_interp_pointer){ NULL, 0, 0 };
}

static void splat(struct gcal_interp_work_item *item, const struct gcal_interp_node *n,
                  struct gcal_interp_lanes *lanes)
{
    struct gcal_interp_value value;

    gcal_interp_eval(item, n->a, &value);
    for (size_t i = 0; i < n->type->count; i++)
        lanes->i[i] = value.i;
}

static void convert_lanes(struct gcal_interp_work_item *item,
                          const struct gcal_interp_node *n,
                          struct gcal_interp_lanes *lanes)
{
    enum gcal_interp_repr from = n->a->type->element->repr, to = n->type->element->repr;
    bool from_int = gcal_interp_is_int(n->a->type->element);
    bool to_int = gcal_interp_is_int(n->type->element);

    n->a->eval.v(item, n->a, lanes);
    for (size_t i = 0; i < n->type->count; i++) {
        if (to_int)
            lanes->i[i] = from_int ? gcal_interp_int_wrap(to, lanes->i[i])
                                   : gcal_interp_int_from_float(to, lanes->f[i]);
        else
            lanes->f[i] = gcal_interp_float_round(
                to,
                from_int ? gcal_interp_float_from_int(from, lanes->i[i]) : lanes->f[i]);
    }
}

/* Whether a pointer to the one type may become one to the other: a number written over a
 * pointer could make the interpreter access any address.
 */
static bool may_refer(const struct gcal_interp_type *a, const struct gcal_interp_type *b)
{
    if (!gcal_interp_type_has_pointers(a) && !gcal_interp_type_has_pointers(b))
        return true;
    while (a->repr == GCAL_INTERP_ARRAY)
        a = a->element;
    while (b->repr == GCAL_INTERP_ARRAY)
        b = b->element;
    return gcal_interp_type_equal(a, b);
}

static bool set_scalar_conversion(struct gcal_interp_node *n,
                                  const struct gcal_interp_node *from)
{
    if (gcal_interp_is_int(n->type) && gcal_interp_is_int(from->type))
        n->eval.i = int_to_int;
    else if (gcal_interp_is_int(n->type) && gcal_interp_is_float(from->type))
        n->eval.i = float_to_int;
    else if (n->type->repr == GCAL_INTERP_BOOL && from->type->repr == GCAL_INTERP_POINTER)
        n->eval.i = pointer_to_bool;
    else if (gcal_interp_is_float(n->type) && gcal_interp_is_int(from->type))
        n->eval.f = int_to_float;
    else if (gcal_interp_is_float(n->type) && gcal_interp_is_float(from->type))
        n->eval.f = float_to_float;
    else if (n->type->repr == GCAL_INTERP_POINTER && gcal_interp_node_is_zero(from))
        n->eval.p = null_pointer;
    else if (n->type->repr == GCAL_INTERP_POINTER &&
             from->type->repr == GCAL_INTERP_POINTER &&
             may_refer(n->type->element, from->type->element))
        n->eval.p = pointer_to_pointer;
    else
        return false;
    return true;
}

struct gcal_interp_node *gcal_interp_node_convert(struct gcal_interp_translator *t,
                                                  CXCursor at,
                                                  struct gcal_interp_node *value,
                                                  const struct gcal_interp_type *type)
{
    struct gcal_interp_node *n;

    if (!value || !type || gcal_interp_type_equal(value->type, type))
        return value && type ? value : NULL;
    if (type->repr == GCAL_INTERP_VECTOR && value->type->repr != GCAL_INTERP_VECTOR &&
        !(value = gcal_interp_node_convert(t, at, value, type->element)))
        return NULL;
    if (!(n = gcal_interp_node_create(t, at, type)))
        return NULL;
    n->a = value;
    n->name = value->name;
    n->constant = value->constant;
    if (type->repr == GCAL_INTERP_VECTOR && value->type->repr != GCAL_INTERP_VECTOR)
        n->eval.v = splat;
    else if (type->repr == GCAL_INTERP_VECTOR && value->type->count == type->count)
        n->eval.v = convert_lanes;
    else if (!set_scalar_conversion(n, value))
        return gcal_interp_unsupported(t, at,
                                       "this conversion (or a vector's component "
                                       "inside a macro's argument)");
    return n;
}

/* as_float(x) and the like: the same bits as another type. */
static void reinterpret(struct gcal_interp_work_item *item,
                        const struct gcal_interp_node *n, struct gcal_interp_value *value)
{
    unsigned char bytes[GCAL_INTERP_MAX_LANES * 8] = { 0 };

    gcal_interp_eval(item, n->a, value);
    gcal_interp_value_write(n->a->type, bytes, value);
    gcal_interp_value_read(n->type, bytes, value);
}

static int64_t reinterpret_int(struct gcal_interp_work_item *item,
                               const struct gcal_interp_node *n)
{
    struct gcal_interp_value value;

    reinterpret(item, n, &value);
    return value.i;
}

static double reinterpret_float(struct gcal_interp_work_item *item,
                                const struct gcal_interp_node *n)
{
    struct gcal_interp_value value;

    reinterpret(item, n, &value);
    return value.f;
}

static void reinterpret_lanes(struct gcal_interp_work_item *item,
                              const struct gcal_interp_node *n,
                              struct gcal_interp_lanes *lanes)
{
    struct gcal_interp_value value;

    reinterpret(item, n, &value);
    *lanes = value.v;
}

struct gcal_interp_node *gcal_interp_node_reinterpret(struct gcal_interp_translator *t,
                                                      CXCursor at,
                                                      struct gcal_interp_node *value,
                                                      const struct gcal_interp_type *type)
{
    struct gcal_interp_node *n;

    if (!gcal_interp_type_dtype(type) || !gcal_interp_type_dtype(value->type))
        return gcal_interp_unsupported(t, at, "reinterpreting to or from this type");
    if (!(n = gcal_interp_node_create(t, at, type)))
        return NULL;
    n->a = value;
    if (type->repr == GCAL_INTERP_VECTOR)
        n->eval.v = reinterpret_lanes;
    else if (gcal_interp_is_int(type))
        n->eval.i = reinterpret_int;
    else
        n->eval.f = reinterpret_float;
    return n;
}

/* C's usual arithmetic conversions, for the compound assignments that hide them. */
const struct gcal_interp_type *
gcal_interp_type_arithmetic(const struct gcal_interp_type *a,
                            const struct gcal_interp_type *b)
{
    enum gcal_interp_repr high = a->repr > b->repr ? a->repr : b->repr;

    if (a->repr == GCAL_INTERP_VECTOR)
        return a;
    return gcal_interp_type_basic(high < GCAL_INTERP_I32 ? GCAL_INTERP_I32 : high);
}

/* ---- operators on one lane ---- */

static int64_t divide_ints(struct gcal_interp_work_item *item,
                           const struct gcal_interp_node *n, enum gcal_interp_repr repr,
                           int64_t a, int64_t b)
{
    bool rest = n->op == CXBinaryOperator_Rem;

    if (b == 0) {
        gcal_interp_run_fail(item, n, "division of an integer by zero");
        return 0;
    }
    if (repr == GCAL_INTERP_U64)
        return (int64_t)(rest ? (uint64_t)a % (uint64_t)b : (uint64_t)a / (uint64_t)b);
    if (b == -1) /* -INT64_MIN does not exist */
        return rest ? 0 : (int64_t)(0 - (uint64_t)a);
    return rest ? a % b : a / b;
}

static int64_t shift_int(int op, enum gcal_interp_repr repr, int64_t a, int64_t b)
{
    uint64_t distance = (uint64_t)b & (gcal_interp_type_basic(repr)->size * 8 - 1);

    if (op == CXBinaryOperator_Shl)
        return (int64_t)((uint64_t)a << distance);
    return repr == GCAL_INTERP_U64 ? (int64_t)((uint64_t)a >> distance) : a >> distance;
}

/* -1, 0 or 1; narrower unsigned types are never negative as int64_t. */
static int compare_ints(enum gcal_interp_repr repr, int64_t a, int64_t b)
{
    if (repr == GCAL_INTERP_U64)
        return ((uint64_t)a > (uint64_t)b) - ((uint64_t)a < (uint64_t)b);
    return (a > b) - (a < b);
}

static int64_t int_operator(struct gcal_interp_work_item *item,
                            const struct gcal_interp_node *n, enum gcal_interp_repr repr,
                            int64_t a, int64_t b)
{
    switch (n->op) {
    case CXBinaryOperator_Add:
        return gcal_interp_int_wrap(repr, (int64_t)((uint64_t)a + (uint64_t)b));
    case CXBinaryOperator_Sub:
        return gcal_interp_int_wrap(repr, (int64_t)((uint64_t)a - (uint64_t)b));
    case CXBinaryOperator_Mul:
        return gcal_interp_int_wrap(repr, (int64_t)((uint64_t)a * (uint64_t)b));
    case CXBinaryOperator_Div:
    case CXBinaryOperator_Rem:
        return gcal_interp_int_wrap(repr, divide_ints(item, n, repr, a, b));
    case CXBinaryOperator_Shl:
    case CXBinaryOperator_Shr:
        return gcal_interp_int_wrap(repr, shift_int(n->op, repr, a, b));
    case CXBinaryOperator_And:
        return a & b;
    case CXBinaryOperator_Xor:
        return a ^ b;
    case CXBinaryOperator_Or:
        return a | b;
    case CXBinaryOperator_LT:
        return compare_ints(repr, a, b) < 0;
    case CXBinaryOperator_GT:
        return compare_ints(repr, a, b) > 0;
    case CXBinaryOperator_LE:
        return compare_ints(repr, a, b) <= 0;
    case CXBinaryOperator_GE:
        return compare_ints(repr, a, b) >= 0;
    case CXBinaryOperator_EQ:
        return a == b;
    default: /* CXBinaryOperator_NE */
        return a != b;
    }
}

/* Rounding a sum, product or quotient twice, to double and then to float or half, equals
 * rounding once: double has more than twice their digits.
 */
static double float_operator(const struct gcal_interp_node *n, enum gcal_interp_repr repr,
                             double a, double b)
{
    switch (n->op) {
    case CXBinaryOperator_Add:
        return gcal_interp_float_round(repr, a + b);
    case CXBinaryOperator_Sub:
        return gcal_interp_float_round(repr, a - b);
    case CXBinaryOperator_Mul:
        return gcal_interp_float_round(repr, a * b);
    default: /* CXBinaryOperator_Div */
        return gcal_interp_float_round(repr, a / b);
    }
}

static int64_t float_comparison(int op, double a, double b)
{
    switch (op) {
    case CXBinaryOperator_LT:
        return a < b;
    case CXBinaryOperator_GT:
        return a > b;
    case CXBinaryOperator_LE:
        return a <= b;
    case CXBinaryOperator_GE:
        return a >= b;
    case CXBinaryOperator_EQ:
        return a == b;
    default:
        return a != b;
    }
}

/* ---- operators ---- */

static int64_t binary_ints(struct gcal_interp_work_item *item,
                           const struct gcal_interp_node *n)
{
    int64_t a = n->a->eval.i(item, n->a), b = n->b->eval.i(item, n->b);

    return int_operator(item, n, n->a->type->repr, a, b);
}

/* The frequent operators of subscripts and loops, without a switch. */
#define FAST(name, expression)                                                           \
    static int64_t name(struct gcal_interp_work_item *item,                              \
                        const struct gcal_interp_node *n)                                \
    {                                                                                    \
        int64_t a = n->a->eval.i(item, n->a), b = n->b->eval.i(item, n->b);              \
                                                                                         \
        return expression;                                                               \
    }
FAST(add_i32, (int32_t)(a + b))
FAST(multiply_i32, (int32_t)(a *b))
FAST(less_i32, a < b)

static double binary_floats(struct gcal_interp_work_item *item,
                            const struct gcal_interp_node *n)
{
    double a = n->a->eval.f(item, n->a), b = n->b->eval.f(item, n->b);

    if (item->run->observe)
        gcal_interp_observe_operation(item, n);
    return float_operator(n, n->type->repr, a, b);
}

static int64_t compare_floats(struct gcal_interp_work_item *item,
                              const struct gcal_interp_node *n)
{
    double a = n->a->eval.f(item, n->a), b = n->b->eval.f(item, n->b);

    return float_comparison(n->op, a, b);
}

static bool is_comparison(int op)
{
    return op >= CXBinaryOperator_LT && op <= CXBinaryOperator_NE;
}

/* In a vector, true is -1 (OpenCL C). */
static void binary_lanes(struct gcal_interp_work_item *item,
                         const struct gcal_interp_node *n,
                         struct gcal_interp_lanes *lanes)
{
    const struct gcal_interp_type *lane = n->a->type->element;
    struct gcal_interp_lanes b;

    n->a->eval.v(item, n->a, lanes);
    n->b->eval.v(item, n->b, &b);
    if (item->run->observe)
        gcal_interp_observe_operation(item, n);
    for (size_t i = 0; i < n->type->count; i++) {
        if (gcal_interp_is_int(lane))
            lanes->i[i] = int_operator(item, n, lane->repr, lanes->i[i], b.i[i]);
        else if (is_comparison(n->op))
            lanes->i[i] = float_comparison(n->op, lanes->f[i], b.f[i]);
        else
            lanes->f[i] = float_operator(n, lane->repr, lanes->f[i], b.f[i]);
        if (is_comparison(n->op))
            lanes->i[i] = -lanes->i[i];
    }
}

/* && where 'is_and', else || */
static bool logic(struct gcal_interp_work_item *item, const struct gcal_interp_node *n,
                  bool is_and)
{
    bool first = gcal_interp_eval_truth(item, n->a), value = first;
    uint64_t n_before = item->run->n_observed;

    if (first == is_and)
        value = gcal_interp_eval_truth(item, n->b);
    if (item->run->observe)
        gcal_interp_observe_logic(item, n, first, n_before);
    return value;
}

static int64_t both(struct gcal_interp_work_item *item, const struct gcal_interp_node *n)
{
    return logic(item, n, true);
}

static int64_t either(struct gcal_interp_work_item *item,
                      const struct gcal_interp_node *n)
{
    return logic(item, n, false);
}

static int64_t compare_pointers(struct gcal_interp_work_item *item,
                                const struct gcal_interp_node *n)
{
    struct gcal_interp_pointer a = n->a->eval.p(item, n->a), b = n->b->eval.p(item, n->b);

    if (n->op == CXBinaryOperator_Sub) {
        if (a.base != b.base)
            gcal_interp_run_fail(item, n, "difference of pointers into two buffers");
        return (a.offset - b.offset) / (int64_t)n->a->type->element->size;
    }
    return int_operator(item, n, GCAL_INTERP_U64,
                        (int64_t)((uintptr_t)a.base + (size_t)a.offset),
                        (int64_t)((uintptr_t)b.base + (size_t)b.offset));
}

static gcal_interp_eval_int *pick_int(const struct gcal_interp_node *n)
{
    if (n->a->type->repr == GCAL_INTERP_I32 || n->a->type->repr == GCAL_INTERP_I64) {
        if (n->op == CXBinaryOperator_LT)
            return less_i32;
        if (n->a->type->repr == GCAL_INTERP_I32 && n->op == CXBinaryOperator_Add)
            return add_i32;
        if (n->a->type->repr == GCAL_INTERP_I32 && n->op == CXBinaryOperator_Mul)
            return multiply_i32;
    }
    return binary_ints;
}

static struct gcal_interp_node *pointer_operator(struct gcal_interp_translator *t,
                                                 CXCursor at, int op,
                                                 struct gcal_interp_node *a,
                                                 struct gcal_interp_node *b,
                                                 const struct gcal_interp_type *type)
{
    struct gcal_interp_node *n;
    bool a_is = a->type->repr == GCAL_INTERP_POINTER,
         b_is = b->type->repr == GCAL_INTERP_POINTER;

    if ((a_is ? a : b)->type->element->size == 0)
        return gcal_interp_unsupported(t, at, "arithmetic on void pointers");
    if (!a_is || !b_is)
        return a_is ? gcal_interp_node_index(t, at, a, b, op == CXBinaryOperator_Sub)
                    : gcal_interp_node_index(t, at, b, a, false);
    if (!(n = gcal_interp_node_create(t, at, type)))
        return NULL;
    n->op = op;
    n->a = a;
    n->b = b;
    n->eval.i = compare_pointers;
    return n;
}

struct gcal_interp_node *gcal_interp_node_binary(struct gcal_interp_translator *t,
                                                 CXCursor at, int op,
                                                 struct gcal_interp_node *a,
                                                 struct gcal_interp_node *b,
                                                 const struct gcal_interp_type *type)
{
    bool logical = op == CXBinaryOperator_LAnd || op == CXBinaryOperator_LOr;
    struct gcal_interp_node *n;

    if (!a || !b || !type)
        return NULL;
    if (op == CXBinaryOperator_Comma)
        return gcal_interp_node_comma(t, at, a, b);
    if (!logical &&
        (a->type->repr == GCAL_INTERP_POINTER || b->type->repr == GCAL_INTERP_POINTER))
        return pointer_operator(t, at, op, a, b, type);
    if (!(n = gcal_interp_node_create(t, at, type)))
        return NULL;
    n->op = op;
    n->a = a;
    n->b = b;
    n->constant = a->constant && b->constant;
    if (logical && type->repr != GCAL_INTERP_VECTOR)
        n->eval.i = op == CXBinaryOperator_LAnd ? both : either;
    else if (type->repr == GCAL_INTERP_VECTOR && !logical)
        n->eval.v = binary_lanes;
    else if (gcal_interp_is_int(type) && gcal_interp_is_int(a->type) &&
             gcal_interp_is_int(b->type))
        n->eval.i = pick_int(n);
    else if (gcal_interp_is_int(type) && gcal_interp_is_float(a->type) &&
             gcal_interp_is_float(b->type))
        n->eval.i = compare_floats;
    else if (gcal_interp_is_float(type) && gcal_interp_is_float(a->type) &&
             gcal_interp_is_float(b->type))
        n->eval.f = binary_floats;
    else
        return gcal_interp_unsupported(t, at, "this operator for these types");
    return n;
}

static int64_t not_int(struct gcal_interp_work_item *item,
                       const struct gcal_interp_node *n)
{
    return !gcal_interp_eval_truth(item, n->a);
}

static int64_t unary_int(struct gcal_interp_work_item *item,
                         const struct gcal_interp_node *n)
{
    int64_t a = n->a->eval.i(item, n->a);

    if (n->op == CXUnaryOperator_Minus)
        a = (int64_t)(0 - (uint64_t)a);
    else if (n->op == CXUnaryOperator_Not)
        a = ~a;
    return gcal_interp_int_wrap(n->type->repr, a);
}

static double unary_float(struct gcal_interp_work_item *item,
                          const struct gcal_interp_node *n)
{
    double a = n->a->eval.f(item, n->a);

    return n->op == CXUnaryOperator_Minus ? -a : a;
}

static void unary_lanes(struct gcal_interp_work_item *item,
                        const struct gcal_interp_node *n, struct gcal_interp_lanes *lanes)
{
    const struct gcal_interp_type *lane = n->a->type->element;

    n->a->eval.v(item, n->a, lanes);
    for (size_t i = 0; i < n->type->count; i++) {
        if (n->op == CXUnaryOperator_LNot)
            lanes->i[i] =
                -(gcal_interp_is_int(lane) ? lanes->i[i] == 0 : lanes->f[i] == 0.0);
        else if (n->op == CXUnaryOperator_Minus && gcal_interp_is_float(lane))
            lanes->f[i] = -lanes->f[i];
        else if (n->op == CXUnaryOperator_Minus)
            lanes->i[i] =
                gcal_interp_int_wrap(lane->repr, (int64_t)(0 - (uint64_t)lanes->i[i]));
        else if (n->op == CXUnaryOperator_Not)
            lanes->i[i] = gcal_interp_int_wrap(lane->repr, ~lanes->i[i]);
    }
}

struct gcal_interp_node *gcal_interp_node_unary(struct gcal_interp_translator *t,
                                                CXCursor at, int op,
                                                struct gcal_interp_node *a,
                                                const struct gcal_interp_type *type)
{
    struct gcal_interp_node *n = a && type ? gcal_interp_node_create(t, at, type) : NULL;

    if (!n)
        return NULL;
    n->op = op;
    n->a = a;
    n->constant = a->constant;
    if (type->repr == GCAL_INTERP_VECTOR)
        n->eval.v = unary_lanes;
    else if (op == CXUnaryOperator_LNot)
        n->eval.i = not_int;
    else if (gcal_interp_is_int(type))
        n->eval.i = unary_int;
    else if (gcal_interp_is_float(type))
        n->eval.f = unary_float;
    else
        return gcal_interp_unsupported(t, at, "this operator for this type");
    return n;
}

/* ---- vectors ---- */

static void swizzle_lanes(struct gcal_interp_work_item *item,
                          const struct gcal_interp_node *n,
                          struct gcal_interp_lanes *lanes)
{
    struct gcal_interp_lanes from;

    n->a->eval.v(item, n->a, &from);
    for (size_t i = 0; i < n->type->count; i++)
        lanes->i[i] = from.i[n->k.lanes[i]];
}

static int64_t swizzle_int(struct gcal_interp_work_item *item,
                           const struct gcal_interp_node *n)
{
    struct gcal_interp_lanes from;

    n->a->eval.v(item, n->a, &from);
    return from.i[n->k.lanes[0]];
}

static double swizzle_float(struct gcal_interp_work_item *item,
                            const struct gcal_interp_node *n)
{
    struct gcal_interp_lanes from;

    n->a->eval.v(item, n->a, &from);
    return from.f[n->k.lanes[0]];
}

struct gcal_interp_node *gcal_interp_node_swizzle(struct gcal_interp_translator *t,
                                                  CXCursor at,
                                                  struct gcal_interp_node *vector,
                                                  const signed char *lanes,
                                                  const struct gcal_interp_type *type)
{
    struct gcal_interp_node *n =
        vector && type ? gcal_interp_node_create(t, at, type) : NULL;

    if (!n)
        return NULL;
    n->a = vector;
    memcpy(n->k.lanes, lanes, sizeof(n->k.lanes));
    if (type->repr == GCAL_INTERP_VECTOR)
        n->eval.v = swizzle_lanes;
    else if (gcal_interp_is_int(type))
        n->eval.i = swizzle_int;
    else
        n->eval.f = swizzle_float;
    return n;
}

static void join_parts(struct gcal_interp_work_item *item,
                       const struct gcal_interp_node *n, struct gcal_interp_lanes *lanes)
{
    struct gcal_interp_value value;
    size_t lane = 0;

    memset(lanes, 0, sizeof(*lanes));
    for (size_t i = 0; i < n->n_list; i++) {
        const struct gcal_interp_type *type = n->list[i]->type;
        size_t count = type->repr == GCAL_INTERP_VECTOR ? type->count : 1;

        gcal_interp_eval(item, n->list[i], &value);
        for (size_t j = 0; j < count && lane < n->type->count; j++)
            lanes->i[lane++] = value.v.i[j];
    }
}

struct gcal_interp_node *gcal_interp_node_vector(struct gcal_interp_translator *t,
                                                 CXCursor at,
                                                 struct gcal_interp_node **parts,
                                                 size_t n_parts,
                                                 const struct gcal_interp_type *type)
{
    struct gcal_interp_node *n = gcal_interp_node_create(t, at, type);

    if (!n)
        return NULL;
    n->eval.v = join_parts;
    n->list = parts;
    n->n_list = n_parts;
    return n;
}
