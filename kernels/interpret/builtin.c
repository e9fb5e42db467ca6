/* builtin.c - OpenCL C's built-in functions and those of C's math.h */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/interpret/private.h"

/* ---- functions of one to three numbers, lane by lane ---- */

#define MATH1(name, expression)                                                          \
    static double name(double x, double y, double z)                                     \
    {                                                                                    \
        (void)y;                                                                         \
        (void)z;                                                                         \
        return expression;                                                               \
    }
#define MATH2(name, expression)                                                          \
    static double name(double x, double y, double z)                                     \
    {                                                                                    \
        (void)z;                                                                         \
        return expression;                                                               \
    }
#define MATH3(name, expression)                                                          \
    static double name(double x, double y, double z)                                     \
    {                                                                                    \
        return expression;                                                               \
    }
MATH1(m_sqrt, sqrt(x))
MATH1(m_rsqrt, 1.0 / sqrt(x))
MATH1(m_cbrt, cbrt(x))
MATH1(m_exp, exp(x))
MATH1(m_exp2, exp2(x))
MATH1(m_exp10, pow(10.0, x))
MATH1(m_expm1, expm1(x))
MATH1(m_log, log(x))
MATH1(m_log2, log2(x))
MATH1(m_log10, log10(x))
MATH1(m_log1p, log1p(x))
MATH1(m_sin, sin(x))
MATH1(m_cos, cos(x))
MATH1(m_tan, tan(x))
MATH1(m_asin, asin(x))
MATH1(m_acos, acos(x))
MATH1(m_atan, atan(x))
MATH1(m_sinh, sinh(x))
MATH1(m_cosh, cosh(x))
MATH1(m_tanh, tanh(x))
MATH1(m_erf, erf(x))
MATH1(m_erfc, erfc(x))
MATH1(m_fabs, fabs(x))
MATH1(m_floor, floor(x))
MATH1(m_ceil, ceil(x))
MATH1(m_round, round(x))
MATH1(m_rint, rint(x))
MATH1(m_trunc, trunc(x))
MATH1(m_recip, 1.0 / x)
MATH1(m_isnan, isnan(x) != 0)
MATH1(m_isinf, isinf(x) != 0)
MATH1(m_isfinite, isfinite(x) != 0)
MATH2(m_divide, x / y)
MATH2(m_pow, pow(x, y))
MATH2(m_atan2, atan2(x, y))
MATH2(m_fmin, fmin(x, y))
MATH2(m_fmax, fmax(x, y))
MATH2(m_fmod, fmod(x, y))
MATH2(m_hypot, hypot(x, y))
MATH2(m_copysign, copysign(x, y))
MATH2(m_step, y < x ? 0.0 : 1.0)
MATH3(m_fma, fma(x, y, z))
MATH3(m_fma_single, fmaf((float)x, (float)y, (float)z))
MATH3(m_clamp, fmin(fmax(x, y), z))
MATH3(m_mix, x + (y - x) * z)

static const struct {
    const char *name;
    int n;
    double (*run)(double, double, double);
} float_functions[] = {
    { "sqrt", 1, m_sqrt },   { "rsqrt", 1, m_rsqrt },       { "cbrt", 1, m_cbrt },
    { "exp", 1, m_exp },     { "exp2", 1, m_exp2 },         { "exp10", 1, m_exp10 },
    { "expm1", 1, m_expm1 }, { "log", 1, m_log },           { "log2", 1, m_log2 },
    { "log10", 1, m_log10 }, { "log1p", 1, m_log1p },       { "sin", 1, m_sin },
    { "cos", 1, m_cos },     { "tan", 1, m_tan },           { "asin", 1, m_asin },
    { "acos", 1, m_acos },   { "atan", 1, m_atan },         { "sinh", 1, m_sinh },
    { "cosh", 1, m_cosh },   { "tanh", 1, m_tanh },         { "erf", 1, m_erf },
    { "erfc", 1, m_erfc },   { "fabs", 1, m_fabs },         { "floor", 1, m_floor },
    { "ceil", 1, m_ceil },   { "round", 1, m_round },       { "rint", 1, m_rint },
    { "trunc", 1, m_trunc }, { "recip", 1, m_recip },       { "isnan", 1, m_isnan },
    { "isinf", 1, m_isinf }, { "isfinite", 1, m_isfinite }, { "divide", 2, m_divide },
    { "pow", 2, m_pow },     { "powr", 2, m_pow },          { "pown", 2, m_pow },
    { "atan2", 2, m_atan2 }, { "fmin", 2, m_fmin },         { "fmax", 2, m_fmax },
    { "min", 2, m_fmin },    { "max", 2, m_fmax },          { "fmod", 2, m_fmod },
    { "hypot", 2, m_hypot }, { "step", 2, m_step },         { "copysign", 2, m_copysign },
    { "fma", 3, m_fma },     { "mad", 3, m_fma },           { "clamp", 3, m_clamp },
    { "mix", 3, m_mix },
};

static int64_t int_min(int64_t x, int64_t y, int64_t z)
{
    (void)z;
    return x < y ? x : y;
}

static int64_t int_max(int64_t x, int64_t y, int64_t z)
{
    (void)z;
    return x > y ? x : y;
}

static int64_t int_umin(int64_t x, int64_t y, int64_t z)
{
    (void)z;
    return (uint64_t)x < (uint64_t)y ? x : y;
}

static int64_t int_umax(int64_t x, int64_t y, int64_t z)
{
    (void)z;
    return (uint64_t)x > (uint64_t)y ? x : y;
}

static int64_t int_clamp(int64_t x, int64_t y, int64_t z)
{
    return x < y ? y : x > z ? z : x;
}

static int64_t int_abs(int64_t x, int64_t y, int64_t z)
{
    (void)y;
    (void)z;
    return x < 0 ? (int64_t)(0 - (uint64_t)x) : x;
}

static int64_t int_mad(int64_t x, int64_t y, int64_t z)
{
    return (int64_t)((uint64_t)x * (uint64_t)y + (uint64_t)z);
}

static int64_t int_abs_diff(int64_t x, int64_t y, int64_t z)
{
    (void)z;
    return x > y ? (int64_t)((uint64_t)x - (uint64_t)y)
                 : (int64_t)((uint64_t)y - (uint64_t)x);
}

static int64_t int_popcount(int64_t x, int64_t y, int64_t z)
{
    (void)y;
    (void)z;
    return __builtin_popcountll((unsigned long long)x);
}

static const struct {
    const char *name;
    int n;
    int64_t (*run)(int64_t, int64_t, int64_t);
} int_functions[] = {
    { "min", 2, int_min },           { "max", 2, int_max },
    { "clamp", 3, int_clamp },       { "abs", 1, int_abs },
    { "labs", 1, int_abs },          { "mul24", 2, int_mad },
    { "mad24", 3, int_mad },         { "popcount", 1, int_popcount },
    { "abs_diff", 2, int_abs_diff },
};

static double call_float(struct gcal_interp_work_item *item,
                         const struct gcal_interp_node *n)
{
    double x[3] = { 0 };

    for (size_t i = 0; i < n->n_list; i++)
        x[i] = n->list[i]->eval.f(item, n->list[i]);
    if (item->run->observe)
        gcal_interp_observe_operation(item, n);
    return gcal_interp_float_round(n->type->repr, n->k.call.floats(x[0], x[1], x[2]));
}

static int64_t call_int(struct gcal_interp_work_item *item,
                        const struct gcal_interp_node *n)
{
    int64_t x[3] = { 0 };

    for (size_t i = 0; i < n->n_list; i++)
        x[i] = n->list[i]->eval.i(item, n->list[i]);
    return gcal_interp_int_wrap(n->type->repr, n->k.call.ints(x[0], x[1], x[2]));
}

static int64_t call_test(struct gcal_interp_work_item *item,
                         const struct gcal_interp_node *n)
{
    return n->k.call.floats(n->list[0]->eval.f(item, n->list[0]), 0.0, 0.0) != 0.0;
}

static void call_lanes(struct gcal_interp_work_item *item,
                       const struct gcal_interp_node *n, struct gcal_interp_lanes *lanes)
{
    const struct gcal_interp_type *lane = n->type->element;
    struct gcal_interp_lanes x[3];

    memset(x, 0, sizeof(x));
    for (size_t i = 0; i < n->n_list; i++)
        n->list[i]->eval.v(item, n->list[i], &x[i]);
    if (item->run->observe)
        gcal_interp_observe_operation(item, n);
    for (size_t i = 0; i < n->type->count; i++) {
        if (gcal_interp_is_int(lane))
            lanes->i[i] = gcal_interp_int_wrap(
                lane->repr, n->k.call.ints(x[0].i[i], x[1].i[i], x[2].i[i]));
        else
            lanes->f[i] = gcal_interp_float_round(
                lane->repr, n->k.call.floats(x[0].f[i], x[1].f[i], x[2].f[i]));
    }
}

static bool pick_float(struct gcal_interp_node *n, const char *name, size_t length,
                       enum gcal_interp_repr repr)
{
    for (size_t i = 0; i < sizeof(float_functions) / sizeof(float_functions[0]); i++) {
        if (strlen(float_functions[i].name) != length ||
            memcmp(float_functions[i].name, name, length) != 0 ||
            (size_t)float_functions[i].n != n->n_list)
            continue;
        n->k.call.floats = float_functions[i].run;
        if (repr == GCAL_INTERP_F32 && n->k.call.floats == m_fma)
            n->k.call.floats = m_fma_single; /* through double would round twice */
        return true;
    }
    return false;
}

static bool pick_int(struct gcal_interp_node *n, const char *name,
                     enum gcal_interp_repr repr)
{
    for (size_t i = 0; i < sizeof(int_functions) / sizeof(int_functions[0]); i++) {
        if (strcmp(int_functions[i].name, name) != 0 ||
            (size_t)int_functions[i].n != n->n_list)
            continue;
        n->k.call.ints = int_functions[i].run;
        if (repr == GCAL_INTERP_U64 && n->k.call.ints == int_min)
            n->k.call.ints = int_umin;
        if (repr == GCAL_INTERP_U64 && n->k.call.ints == int_max)
            n->k.call.ints = int_umax;
        return repr != GCAL_INTERP_U64 || n->k.call.ints != int_clamp;
    }
    return false;
}

/* abs() and abs_diff() of signed numbers give unsigned ones. */
static bool takes_signed(const struct gcal_interp_node *n)
{
    return gcal_interp_is_int(gcal_interp_type_lane(n->type)) &&
           (n->k.call.ints == int_abs || n->k.call.ints == int_abs_diff);
}

/* 'name' without native_ or half_; in C, functions of float end in f. */
static struct gcal_interp_node *number_function(struct gcal_interp_translator *t,
                                                CXCursor at, const char *name,
                                                struct gcal_interp_node **arguments,
                                                size_t n_arguments,
                                                const struct gcal_interp_type *type)
{
    const struct gcal_interp_type *lane = gcal_interp_type_lane(type);
    struct gcal_interp_node *n = gcal_interp_node_create(t, at, type);
    size_t length = strlen(name);
    bool test = gcal_interp_is_int(type) && n_arguments == 1 &&
                gcal_interp_is_float(arguments[0]->type);

    if (!n)
        return NULL;
    n->list = arguments;
    n->n_list = n_arguments;
    if (gcal_interp_is_int(lane) && !test) {
        if (!pick_int(n, name, lane->repr))
            return gcal_interp_unsupported(t, at, "'%s' of integers", name);
    } else if (!pick_float(n, name, length, lane->repr) &&
               !(length > 1 && name[length - 1] == 'f' &&
                 pick_float(n, name, length - 1, lane->repr))) {
        return gcal_interp_unsupported(t, at, "'%s'", name);
    }
    for (size_t i = 0; i < n_arguments && !test && !takes_signed(n); i++)
        if (!(arguments[i] = gcal_interp_node_convert(t, at, arguments[i], type)))
            return NULL;
    if (type->repr == GCAL_INTERP_VECTOR)
        n->eval.v = call_lanes;
    else if (test)
        n->eval.i = call_test;
    else if (gcal_interp_is_int(type))
        n->eval.i = call_int;
    else
        n->eval.f = call_float;
    return n;
}

/* ---- work-items ---- */

static int64_t linear_id(const struct gcal_interp_work_item *item, bool local)
{
    const struct gcal_interp_run *run = item->run;
    size_t id = 0;

    for (size_t d = run->n_dims; d-- > 0;)
        id = local ? id * run->local_size[d] + item->local_id[d]
                   : id * run->global_size[d] + run->group_id[d] * run->local_size[d] +
                         item->local_id[d];
    return (int64_t)id;
}

static int64_t work_item(struct gcal_interp_work_item *item,
                         const struct gcal_interp_node *n)
{
    const struct gcal_interp_run *run = item->run;
    int64_t d = n->a ? n->a->eval.i(item, n->a) : 0;
    bool inside = d >= 0 && d < GCAL_MAX_DIMS;

    switch (n->op) {
    case 'w':
        return (int64_t)run->n_dims;
    case 'x':
    case 'y':
        return linear_id(item, n->op == 'y');
    case 'i':
        return inside
                   ? (int64_t)(run->group_id[d] * run->local_size[d] + item->local_id[d])
                   : 0;
    case 'l':
        return inside ? (int64_t)item->local_id[d] : 0;
    case 'g':
        return inside ? (int64_t)run->group_id[d] : 0;
    case 'I':
        return inside ? (int64_t)run->global_size[d] : 1;
    case 'L':
        return inside ? (int64_t)run->local_size[d] : 1;
    case 'G':
        return inside ? (int64_t)(run->global_size[d] / run->local_size[d]) : 1;
    default: /* get_global_offset */
        return 0;
    }
}

static void wait_at_barrier(struct gcal_interp_work_item *item,
                            const struct gcal_interp_node *n)
{
    if (item->run->failed)
        return;
    item->barrier = n;
    swapcontext(&item->context, &item->run->scheduler);
}

static void do_nothing(struct gcal_interp_work_item *item,
                       const struct gcal_interp_node *n)
{
    (void)item;
    (void)n;
}

static struct gcal_interp_node *work_item_function(struct gcal_interp_translator *t,
                                                   CXCursor at, const char *name,
                                                   struct gcal_interp_node **arguments,
                                                   size_t n_arguments,
                                                   const struct gcal_interp_type *type)
{
    static const struct {
        const char *name;
        int op;
    } functions[] = {
        { "get_work_dim", 'w' },
        { "get_global_id", 'i' },
        { "get_local_id", 'l' },
        { "get_group_id", 'g' },
        { "get_global_size", 'I' },
        { "get_local_size", 'L' },
        { "get_num_groups", 'G' },
        { "get_global_offset", 'o' },
        { "get_enqueued_local_size", 'L' },
        { "get_global_linear_id", 'x' },
        { "get_local_linear_id", 'y' },
        { "barrier", 'b' },
        { "work_group_barrier", 'b' },
        { "mem_fence", 'n' },
        { "read_mem_fence", 'n' },
        { "write_mem_fence", 'n' },
        { "atomic_work_item_fence", 'n' },
        { "prefetch", 'n' },
    };
    struct gcal_interp_node *n;

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (strcmp(functions[i].name, name) != 0)
            continue;
        if (!(n = gcal_interp_node_create(t, at, type)))
            return NULL;
        n->op = functions[i].op;
        n->a = n_arguments ? arguments[0] : NULL;
        n->eval.i = work_item;
        if (n->op == 'b') {
            t->program->has_barrier = true;
            n->eval.none = wait_at_barrier;
        } else if (n->op == 'n') {
            n->eval.none = do_nothing;
        }
        return n;
    }
    return NULL;
}

/* ---- functions made of other nodes ---- */

/* p + n * offset */
static struct gcal_interp_node *lanes_at(struct gcal_interp_translator *t, CXCursor at,
                                         struct gcal_interp_node *p,
                                         struct gcal_interp_node *offset, size_t n,
                                         struct gcal_interp_node **first)
{
    const struct gcal_interp_type *type = gcal_interp_type_basic(GCAL_INTERP_U64);
    struct gcal_interp_node *count = gcal_interp_node_int(t, at, type, (int64_t)n);
    struct gcal_interp_node *index;

    offset = gcal_interp_node_convert(t, at, offset, type);
    index = gcal_interp_node_binary(t, at, CXBinaryOperator_Mul, offset, count, type);
    if (!index || !(p = gcal_interp_node_index(t, at, p, index, false)))
        return NULL;
    return gcal_interp_node_once(t, at, p, first);
}

static struct gcal_interp_node *load_lanes(struct gcal_interp_translator *t, CXCursor at,
                                           struct gcal_interp_node **arguments,
                                           const struct gcal_interp_type *type)
{
    struct gcal_interp_node **parts =
        gcal_interp_program_alloc(t, type->count * sizeof(*parts));
    struct gcal_interp_node *p, *first = NULL;

    if (!parts || !(p = lanes_at(t, at, arguments[1], arguments[0], type->count, &first)))
        return NULL;
    for (size_t i = 0; i < type->count; i++)
        if (!(parts[i] = gcal_interp_node_element(t, at, p, i)) ||
            !(parts[i] = gcal_interp_node_load(t, at, parts[i])))
            return NULL;
        else
            parts[i]->unseen = i > 0;
    return gcal_interp_node_comma(
        t, at, first, gcal_interp_node_vector(t, at, parts, type->count, type));
}

static struct gcal_interp_node *store_lanes(struct gcal_interp_translator *t, CXCursor at,
                                            struct gcal_interp_node **arguments)
{
    const struct gcal_interp_type *type = arguments[0]->type;
    struct gcal_interp_node *value, *p, *chain = NULL;

    if (!(value = gcal_interp_node_once(t, at, arguments[0], &chain)) ||
        !(p = lanes_at(t, at, arguments[2], arguments[1], type->count, &chain)))
        return NULL;
    for (size_t i = 0; i < type->count && chain; i++) {
        const signed char lanes[GCAL_INTERP_MAX_LANES] = { (signed char)i };
        struct gcal_interp_node *to = gcal_interp_node_element(t, at, p, i);
        struct gcal_interp_node *lane =
            gcal_interp_node_swizzle(t, at, value, lanes, type->element);

        if (!to || !lane || !(lane = gcal_interp_node_store(t, at, to, lane)))
            return NULL;
        lane->unseen = i > 0;
        chain = gcal_interp_node_comma(t, at, chain, lane);
    }
    return chain;
}

/* atomic_add and the like: plain updates, as work-items switch at barriers only. */
static struct gcal_interp_node *atomic(struct gcal_interp_translator *t, CXCursor at,
                                       const char *what,
                                       struct gcal_interp_node **arguments, size_t n,
                                       const struct gcal_interp_type *type)
{
    static const struct {
        const char *name;
        int op;
    } operators[] = {
        { "add", CXBinaryOperator_Add }, { "sub", CXBinaryOperator_Sub },
        { "inc", CXBinaryOperator_Add }, { "dec", CXBinaryOperator_Sub },
        { "and", CXBinaryOperator_And }, { "or", CXBinaryOperator_Or },
        { "xor", CXBinaryOperator_Xor },
    };
    struct gcal_interp_node *first = NULL, *p, *old, *value = NULL, *operand, *store;
    struct gcal_interp_node **pair = gcal_interp_program_alloc(t, 2 * sizeof(*pair));

    if (!pair || !(p = gcal_interp_node_once(t, at, arguments[0], &first)) ||
        !(old = gcal_interp_node_load(t, at, p)))
        return NULL;
    old->unseen = true;
    if (!(old = gcal_interp_node_once(t, at, old, &first)))
        return NULL;
    operand = gcal_interp_node_convert(
        t, at, n > 1 ? arguments[n - 1] : gcal_interp_node_int(t, at, type, 1), type);
    pair[0] = old;
    pair[1] = operand;
    if (!operand)
        return NULL;
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
        if (strcmp(operators[i].name, what) == 0)
            value = gcal_interp_node_binary(t, at, operators[i].op, old, operand, type);
    if (strcmp(what, "xchg") == 0)
        value = operand;
    else if (strcmp(what, "min") == 0 || strcmp(what, "max") == 0)
        value = number_function(t, at, what, pair, 2, type);
    else if (strcmp(what, "cmpxchg") == 0 && n == 3)
        value = gcal_interp_node_select(
            t, at,
            gcal_interp_node_binary(t, at, CXBinaryOperator_EQ, old, arguments[1],
                                    gcal_interp_type_basic(GCAL_INTERP_I32)),
            operand, old);
    if (!value)
        return gcal_interp_unsupported(t, at, "atomic_%s", what);
    if (!(store = gcal_interp_node_store(t, at, p, value)))
        return NULL;
    store->unseen = true;
    return gcal_interp_node_comma(t, at, gcal_interp_node_comma(t, at, first, store),
                                  old);
}

static double dot_lanes(struct gcal_interp_work_item *item,
                        const struct gcal_interp_node *n)
{
    struct gcal_interp_lanes a, b;
    double sum = 0.0;

    n->a->eval.v(item, n->a, &a);
    n->b->eval.v(item, n->b, &b);
    for (size_t i = 0; i < n->a->type->count; i++)
        sum = gcal_interp_float_round(n->type->repr, sum + a.f[i] * b.f[i]);
    return sum;
}

static struct gcal_interp_node *dot(struct gcal_interp_translator *t, CXCursor at,
                                    struct gcal_interp_node **arguments,
                                    const struct gcal_interp_type *type)
{
    struct gcal_interp_node *n;

    if (arguments[0]->type->repr != GCAL_INTERP_VECTOR)
        return gcal_interp_node_binary(t, at, CXBinaryOperator_Mul, arguments[0],
                                       arguments[1], type);
    if (!(n = gcal_interp_node_create(t, at, type)))
        return NULL;
    n->a = arguments[0];
    n->b = arguments[1];
    n->eval.f = dot_lanes;
    return n;
}

static int64_t saturate(struct gcal_interp_work_item *item,
                        const struct gcal_interp_node *n)
{
    return gcal_interp_int_saturate(n->type->repr, n->a->eval.f(item, n->a));
}

static void saturate_lanes(struct gcal_interp_work_item *item,
                           const struct gcal_interp_node *n,
                           struct gcal_interp_lanes *lanes)
{
    n->a->eval.v(item, n->a, lanes);
    for (size_t i = 0; i < n->type->count; i++)
        lanes->i[i] = gcal_interp_int_saturate(n->type->element->repr, lanes->f[i]);
}

/* convert_uchar_sat(float) and the like. */
static struct gcal_interp_node *convert_saturated(struct gcal_interp_translator *t,
                                                  CXCursor at,
                                                  struct gcal_interp_node *value,
                                                  const struct gcal_interp_type *type)
{
    struct gcal_interp_node *n = gcal_interp_node_create(t, at, type);

    if (!n)
        return NULL;
    n->a = value;
    if (type->repr == GCAL_INTERP_VECTOR)
        n->eval.v = saturate_lanes;
    else
        n->eval.i = saturate;
    return n;
}

static struct gcal_interp_node *convert(struct gcal_interp_translator *t, CXCursor at,
                                        const char *name, struct gcal_interp_node *value,
                                        const struct gcal_interp_type *type)
{
    const char *suffix = strchr(name + strlen("convert_"), '_');
    bool to_int = gcal_interp_is_int(gcal_interp_type_lane(type));

    if (suffix && strcmp(suffix, "_sat") == 0 && to_int &&
        gcal_interp_is_float(gcal_interp_type_lane(value->type)))
        return convert_saturated(t, at, value, type);
    if (suffix && strcmp(suffix, to_int ? "_rtz" : "_rte") != 0)
        return gcal_interp_unsupported(t, at, "'%s'", name);
    return gcal_interp_node_convert(t, at, value, type);
}

/* ---- tests and choices, by the sign of components ---- */

static int64_t test_signs(struct gcal_interp_work_item *item,
                          const struct gcal_interp_node *n)
{
    struct gcal_interp_value value;
    bool is_vector = n->a->type->repr == GCAL_INTERP_VECTOR, all = true, any = false;

    gcal_interp_eval(item, n->a, &value);
    for (size_t i = 0; i < (is_vector ? n->a->type->count : 1); i++) {
        bool negative = (is_vector ? value.v.i[i] : value.i) < 0;

        all = all && negative;
        any = any || negative;
    }
    return n->op ? any : all;
}

static struct gcal_interp_node *all_or_any(struct gcal_interp_translator *t, CXCursor at,
                                           bool any, struct gcal_interp_node *value,
                                           const struct gcal_interp_type *type)
{
    struct gcal_interp_node *n;

    if (!gcal_interp_is_int(gcal_interp_type_lane(value->type)))
        return gcal_interp_unsupported(t, at, "this test of components");
    if (!(n = gcal_interp_node_create(t, at, type)))
        return NULL;
    n->eval.i = test_signs;
    n->a = value;
    n->op = any;
    return n;
}

/* Whether the value that chooses component 'i' has its sign bit set. */
static bool is_chosen(const struct gcal_interp_type *type,
                      const struct gcal_interp_value *which, size_t i)
{
    return (which->v.i[i] >> (8 * type->element->size - 1) & 1) != 0;
}

static void choose_lanes(struct gcal_interp_work_item *item,
                         const struct gcal_interp_node *n,
                         struct gcal_interp_lanes *lanes)
{
    struct gcal_interp_value which, yes;

    n->a->eval.v(item, n->a, lanes);
    n->b->eval.v(item, n->b, &yes.v);
    n->c->eval.v(item, n->c, &which.v);
    for (size_t i = 0; i < n->type->count; i++)
        if (is_chosen(n->c->type, &which, i))
            lanes->i[i] = yes.v.i[i];
}

struct gcal_interp_node *gcal_interp_node_choose_lanes(struct gcal_interp_translator *t,
                                                       CXCursor at,
                                                       struct gcal_interp_node *no,
                                                       struct gcal_interp_node *yes,
                                                       struct gcal_interp_node *which)
{
    struct gcal_interp_node *n;

    if (!gcal_interp_is_int(gcal_interp_type_lane(which->type)) ||
        which->type->count != no->type->count)
        return gcal_interp_unsupported(t, at, "this choice of components");
    if (!(n = gcal_interp_node_create(t, at, no->type)))
        return NULL;
    n->eval.v = choose_lanes;
    n->a = no;
    n->b = yes;
    n->c = which;
    return n;
}

/* select(no, yes, which) */
static struct gcal_interp_node *choose(struct gcal_interp_translator *t, CXCursor at,
                                       struct gcal_interp_node **arguments,
                                       const struct gcal_interp_type *type)
{
    for (size_t i = 0; i < 2; i++)
        if (!(arguments[i] = gcal_interp_node_convert(t, at, arguments[i], type)))
            return NULL;
    return type->repr == GCAL_INTERP_VECTOR
               ? gcal_interp_node_choose_lanes(t, at, arguments[0], arguments[1],
                                               arguments[2])
               : gcal_interp_node_select(t, at, arguments[2], arguments[1], arguments[0]);
}

/* The functions in clang's definitions of HUGE_VALF, HUGE_VAL and INFINITY. */
static bool is_infinity(const char *name)
{
    return strcmp(name, "__builtin_huge_valf") == 0 ||
           strcmp(name, "__builtin_huge_val") == 0 || strcmp(name, "__builtin_inff") == 0;
}

/* A function of numbers, which observers see with its whole name. */
static struct gcal_interp_node *named_function(struct gcal_interp_translator *t,
                                               CXCursor at, const char *name,
                                               struct gcal_interp_node **arguments,
                                               size_t n,
                                               const struct gcal_interp_type *type)
{
    size_t prefix = strncmp(name, "native_", 7) == 0 ? 7
                    : strncmp(name, "half_", 5) == 0 ? 5
                                                     : 0;
    char *copy = gcal_interp_program_alloc(t, strlen(name) + 1);
    struct gcal_interp_node *node;

    if (!copy || !(node = number_function(t, at, name + prefix, arguments, n, type)))
        return NULL;
    node->name = strcpy(copy, name);
    return node;
}

struct gcal_interp_node *gcal_interp_node_builtin(struct gcal_interp_translator *t,
                                                  CXCursor at, const char *name,
                                                  struct gcal_interp_node **arguments,
                                                  size_t n,
                                                  const struct gcal_interp_type *type)
{
    struct gcal_interp_node *node = work_item_function(t, at, name, arguments, n, type);

    if (node)
        return node;
    if (is_infinity(name))
        return gcal_interp_node_float(t, at, type, INFINITY);
    if (strncmp(name, "convert_", 8) == 0 && n == 1)
        return convert(t, at, name, arguments[0], type);
    if (strncmp(name, "vload", 5) == 0 && n == 2 && type->repr == GCAL_INTERP_VECTOR &&
        isdigit((unsigned char)name[5]))
        return load_lanes(t, at, arguments, type);
    if (strncmp(name, "vstore", 6) == 0 && n == 3 && isdigit((unsigned char)name[6]) &&
        arguments[0]->type->repr == GCAL_INTERP_VECTOR)
        return store_lanes(t, at, arguments);
    if (strncmp(name, "atomic_", 7) == 0 && n >= 1)
        return atomic(t, at, name + 7, arguments, n, type);
    if (strncmp(name, "atom_", 5) == 0 && n >= 1)
        return atomic(t, at, name + 5, arguments, n, type);
    if ((strcmp(name, "all") == 0 || strcmp(name, "any") == 0) && n == 1)
        return all_or_any(t, at, name[1] == 'n', arguments[0], type);
    if (strcmp(name, "select") == 0 && n == 3)
        return choose(t, at, arguments, type);
    if (strcmp(name, "dot") == 0 && n == 2)
        return dot(t, at, arguments, type);
    if (n < 1 || n > 3 || !gcal_interp_type_dtype(type))
        return gcal_interp_unsupported(t, at, "'%s'", name);
    return named_function(t, at, name, arguments, n, type);
}
