/* builtin.c - OpenCL C's built-in functions and those of C's math.h */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/interpret/private.h"

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
            t->program->joins_items = true;
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

static size_t lanes_of(const struct gcal_interp_type *type)
{
    return type->repr == GCAL_INTERP_VECTOR ? type->count : 1;
}

/* Elements from one vector to the next, in vload3() and vloada_half3(). */
static size_t spacing_of(const char *name, const struct gcal_interp_type *type)
{
    return lanes_of(type) == 3 && strstr(name, "a_half") ? 4 : lanes_of(type);
}

/* Halves are stored by rounding to nearest. */
static bool is_rounded(const char *name)
{
    return strstr(name, "_rtz") || strstr(name, "_rtp") || strstr(name, "_rtn");
}

static struct gcal_interp_node *load_lanes(struct gcal_interp_translator *t, CXCursor at,
                                           size_t spacing,
                                           struct gcal_interp_node **arguments,
                                           const struct gcal_interp_type *type)
{
    const struct gcal_interp_type *lane = gcal_interp_type_lane(type);
    struct gcal_interp_node **parts =
        gcal_interp_program_alloc(t, lanes_of(type) * sizeof(*parts));
    struct gcal_interp_node *p, *first = NULL;

    if (!parts || !(p = lanes_at(t, at, arguments[1], arguments[0], spacing, &first)))
        return NULL;
    for (size_t i = 0; i < lanes_of(type); i++) {
        if (!(parts[i] = gcal_interp_node_element(t, at, p, i)) ||
            !(parts[i] = gcal_interp_node_load(t, at, parts[i])))
            return NULL;
        parts[i]->unseen = i > 0;
        if (!(parts[i] = gcal_interp_node_convert(t, at, parts[i], lane)))
            return NULL;
    }
    return gcal_interp_node_comma(
        t, at, first,
        type->repr == GCAL_INTERP_VECTOR
            ? gcal_interp_node_vector(t, at, parts, type->count, type)
            : parts[0]);
}

static struct gcal_interp_node *store_lanes(struct gcal_interp_translator *t, CXCursor at,
                                            size_t spacing,
                                            struct gcal_interp_node **arguments)
{
    const struct gcal_interp_type *type = arguments[0]->type;
    struct gcal_interp_node *value, *p, *chain = NULL;

    if (!(value = gcal_interp_node_once(t, at, arguments[0], &chain)) ||
        !(p = lanes_at(t, at, arguments[2], arguments[1], spacing, &chain)))
        return NULL;
    for (size_t i = 0; i < lanes_of(type) && chain; i++) {
        const signed char lanes[GCAL_INTERP_MAX_LANES] = { (signed char)i };
        struct gcal_interp_node *to = gcal_interp_node_element(t, at, p, i);
        struct gcal_interp_node *lane =
            type->repr == GCAL_INTERP_VECTOR
                ? gcal_interp_node_swizzle(t, at, value, lanes, type->element)
                : value;

        if (!to || !lane || !(lane = gcal_interp_node_store(t, at, to, lane)))
            return NULL;
        lane->unseen = i > 0;
        chain = gcal_interp_node_comma(t, at, chain, lane);
    }
    return chain;
}

static int64_t run_all(struct gcal_interp_work_item *item,
                       const struct gcal_interp_node *n)
{
    struct gcal_interp_value value;

    for (size_t i = 1; i < n->n_list; i++) /* not the format */
        gcal_interp_eval(item, n->list[i], &value);
    return 0;
}

/* printf(): nothing is printed. */
static struct gcal_interp_node *evaluate_all(struct gcal_interp_translator *t,
                                             CXCursor at,
                                             struct gcal_interp_node **arguments,
                                             size_t n,
                                             const struct gcal_interp_type *type)
{
    struct gcal_interp_node *node = gcal_interp_node_create(t, at, type);

    if (!node)
        return NULL;
    node->list = arguments;
    node->n_list = n;
    node->eval.i = run_all;
    return node;
}

/* atomic_add and the like: plain updates, as no work-item's turn ends within one. */
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
    old->unseen = old->atomic = true;
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
        value = gcal_interp_node_number_function(t, at, what, pair, 2, type);
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
    store->atomic = true;
    return gcal_interp_node_comma(t, at, gcal_interp_node_comma(t, at, first, store),
                                  old);
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

    if (!copy || !(node = gcal_interp_node_number_function(t, at, name + prefix,
                                                           arguments, n, type)))
        return NULL;
    node->name = strcpy(copy, name);
    return node;
}

/* Functions with two results: one through the pointer that is the last argument. */
struct pair {
    const char *name, *result, *stored; /* functions of numbers */
};

static const struct pair *find_pair(const char *name)
{
    static const struct pair pairs[] = {
        { "sincos", "sin", "cos" },
        { "fract", " fraction", "floor" },
        { "modf", " above", "trunc" },
        { "frexp", " mantissa", " exponent" },
    };

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        if (strcmp(pairs[i].name, name) == 0)
            return &pairs[i];
    return NULL;
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
    if (strncmp(name, "convert_", 8) == 0 && n == 1) {
        struct gcal_interp_node *value = arguments[0];
        const char *suffix = strchr(name + strlen("convert_"), '_');
        bool to_int = gcal_interp_is_int(gcal_interp_type_lane(type));

        if (suffix && strcmp(suffix, "_sat") == 0 && to_int &&
            gcal_interp_is_float(gcal_interp_type_lane(value->type)))
            return convert_saturated(t, at, value, type);
        if (suffix && strcmp(suffix, to_int ? "_rtz" : "_rte") != 0)
            return gcal_interp_unsupported(t, at, "'%s'", name);
        return gcal_interp_node_convert(t, at, value, type);
    }
    if (strncmp(name, "as_", 3) == 0 && n == 1)
        return gcal_interp_node_reinterpret(t, at, arguments[0], type);
    if (strcmp(name, "printf") == 0)
        return evaluate_all(t, at, arguments, n, type);
    if (strncmp(name, "vload", 5) == 0 && n == 2)
        return load_lanes(t, at, spacing_of(name, type), arguments, type);
    if (strncmp(name, "vstore", 6) == 0 && n == 3 && !is_rounded(name))
        return store_lanes(t, at, spacing_of(name, arguments[0]->type), arguments);
    if (strncmp(name, "atomic_", 7) == 0 && n >= 1)
        return atomic(t, at, name + 7, arguments, n, type);
    if (strncmp(name, "atom_", 5) == 0 && n >= 1)
        return atomic(t, at, name + 5, arguments, n, type);
    if ((strcmp(name, "all") == 0 || strcmp(name, "any") == 0) && n == 1)
        return all_or_any(t, at, name[1] == 'n', arguments[0], type);
    if (strcmp(name, "select") == 0 && n == 3) {
        /* select(no, yes, which) */
        for (size_t i = 0; i < 2; i++)
            if (!(arguments[i] = gcal_interp_node_convert(t, at, arguments[i], type)))
                return NULL;
        return type->repr == GCAL_INTERP_VECTOR
                   ? gcal_interp_node_choose_lanes(t, at, arguments[0], arguments[1],
                                                   arguments[2])
                   : gcal_interp_node_select(t, at, arguments[2], arguments[1],
                                             arguments[0]);
    }
    if ((node = gcal_interp_node_vector_function(t, at, name, arguments, n, type)))
        return node;
    if (find_pair(name)) {
        const struct pair *pair = find_pair(name);
        struct gcal_interp_node **first = gcal_interp_program_alloc(t, sizeof(*first));
        struct gcal_interp_node **second = gcal_interp_program_alloc(t, sizeof(*second));
        struct gcal_interp_node *chain = NULL, *x, *store, *result;

        if (n != 2 || !first || !second ||
            !(x = gcal_interp_node_once(t, at, arguments[0], &chain)))
            return NULL;
        *first = *second = x;
        if (!(store = gcal_interp_node_number_function(t, at, pair->stored, second, 1,
                                                       type)) ||
            !(store = gcal_interp_node_store(t, at, arguments[1], store)) ||
            !(result = named_function(t, at, pair->result, first, 1, type)))
            return NULL;
        result->name = pair->name;
        return gcal_interp_node_comma(t, at, gcal_interp_node_comma(t, at, chain, store),
                                      result);
    }
    if (n < 1 || n > 3 || !gcal_interp_type_dtype(type))
        return gcal_interp_unsupported(t, at, "'%s'", name);
    return named_function(t, at, name, arguments, n, type);
}
