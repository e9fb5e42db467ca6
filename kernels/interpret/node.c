/* node.c - nodes for variables, loads, stores, choices and calls
 *
 * Most nodes have five forms, one for each kind of result.
 */
#include <string.h>

#include "kernels/interpret/interpret.h"
#include "kernels/interpret/private.h"

struct forms {
    gcal_interp_eval_int *i;
    gcal_interp_eval_float *f;
    gcal_interp_eval_pointer *p;
    gcal_interp_eval_lanes *v;
    gcal_interp_eval_void *none;
};

static struct gcal_interp_node *create(struct gcal_interp_translator *t, CXCursor at,
                                       const struct gcal_interp_type *type,
                                       const struct forms *forms)
{
    struct gcal_interp_node *n = gcal_interp_node_create(t, at, type);

    if (!n)
        return NULL;
    if (gcal_interp_is_int(type))
        n->eval.i = forms->i;
    else if (gcal_interp_is_float(type))
        n->eval.f = forms->f;
    else if (type->repr == GCAL_INTERP_POINTER || type->repr == GCAL_INTERP_RECORD)
        n->eval.p = forms->p;
    else if (type->repr == GCAL_INTERP_VECTOR)
        n->eval.v = forms->v;
    else
        n->eval.none = forms->none;
    return n;
}

void gcal_interp_eval(struct gcal_interp_work_item *item,
                      const struct gcal_interp_node *n, struct gcal_interp_value *value)
{
    if (gcal_interp_is_int(n->type))
        value->i = n->eval.i(item, n);
    else if (gcal_interp_is_float(n->type))
        value->f = n->eval.f(item, n);
    else if (n->type->repr == GCAL_INTERP_POINTER || n->type->repr == GCAL_INTERP_RECORD)
        value->p = n->eval.p(item, n);
    else if (n->type->repr == GCAL_INTERP_VECTOR)
        n->eval.v(item, n, &value->v);
    else
        n->eval.none(item, n);
}

bool gcal_interp_eval_truth(struct gcal_interp_work_item *item,
                            const struct gcal_interp_node *n)
{
    if (gcal_interp_is_int(n->type))
        return n->eval.i(item, n) != 0;
    if (gcal_interp_is_float(n->type))
        return n->eval.f(item, n) != 0.0;
    return n->eval.p(item, n).base != NULL;
}

/* ---- constants ---- */

static int64_t constant_int(struct gcal_interp_work_item *item,
                            const struct gcal_interp_node *n)
{
    (void)item;
    return n->k.i;
}

static double constant_float(struct gcal_interp_work_item *item,
                             const struct gcal_interp_node *n)
{
    (void)item;
    return n->k.f;
}

struct gcal_interp_node *gcal_interp_node_int(struct gcal_interp_translator *t,
                                              CXCursor at,
                                              const struct gcal_interp_type *type,
                                              int64_t value)
{
    struct gcal_interp_node *n = gcal_interp_node_create(t, at, type);

    if (n) {
        n->eval.i = constant_int;
        n->constant = true;
        n->k.i = gcal_interp_int_wrap(type->repr, value);
    }
    return n;
}

bool gcal_interp_node_is_zero(const struct gcal_interp_node *node)
{
    return gcal_interp_is_int(node->type) && node->eval.i == constant_int &&
           node->k.i == 0;
}

struct gcal_interp_node *gcal_interp_node_float(struct gcal_interp_translator *t,
                                                CXCursor at,
                                                const struct gcal_interp_type *type,
                                                double value)
{
    struct gcal_interp_node *n = gcal_interp_node_create(t, at, type);

    if (n) {
        n->eval.f = constant_float;
        n->constant = true;
        n->k.f = gcal_interp_float_round(type->repr, value);
    }
    return n;
}

/* ---- memory ---- */

static struct gcal_interp_pointer variable(struct gcal_interp_work_item *item,
                                           const struct gcal_interp_node *n)
{
    return (struct gcal_interp_pointer){
        item->memory[n->k.place.memory] + n->k.place.offset, n->type->element->size, 0
    };
}

struct gcal_interp_node *gcal_interp_node_variable(struct gcal_interp_translator *t,
                                                   CXCursor at,
                                                   const struct gcal_interp_type *type,
                                                   enum gcal_interp_memory memory)
{
    const struct gcal_interp_type *pointer = gcal_interp_type_pointer(t, type);
    struct gcal_interp_node *n = pointer ? gcal_interp_node_create(t, at, pointer) : NULL;
    size_t *used = &t->program->size[memory];

    if (!n)
        return NULL;
    n->eval.p = variable;
    n->k.place.memory = memory;
    n->k.place.offset = *used;
    *used += (type->size + 15) / 16 * 16;
    return n;
}

/* The memory at 'at->a', or NULL when not all of its 'size' bytes may be accessed. */
static unsigned char *place(struct gcal_interp_work_item *item,
                            const struct gcal_interp_node *at, size_t size, bool store)
{
    const struct gcal_interp_node *address = at->a;
    struct gcal_interp_pointer p;

    if (item->run->takes_turns && at->atomic && !store)
        gcal_interp_end_turn(item);
    if (address->eval.p == variable &&
        (address->k.place.memory == GCAL_INTERP_MEMORY_PRIVATE || !item->run->observe))
        return item->memory[address->k.place.memory] + address->k.place.offset;
    p = address->eval.p(item, address);
    if (item->run->observe)
        gcal_interp_observe_access(item, at, &p, size, store);
    if (item->run->nowhere &&
        (uintptr_t)p.base - (uintptr_t)item->run->nowhere < GCAL_INTERP_NOWHERE)
        return gcal_interp_sample_memory(item, at, &p, size, store);
    if (p.base && p.offset >= 0 && (uint64_t)p.offset <= p.size &&
        size <= p.size - (size_t)p.offset)
        return p.base + p.offset;
    if (item->run->unset &&
        size <= GCAL_INTERP_NOWHERE) /* by data that may be anything */
        return item->run->nowhere;
    if (!p.base)
        gcal_interp_run_fail(item, address,
                             "%s%suse of a pointer that is null or not initialised",
                             address->name, *address->name ? ": " : "");
    else
        gcal_interp_run_fail(
            item, address, "element %lld of '%s' " GCAL_INTERP_OUTSIDE " %zu elements",
            (long long)(p.offset < 0 ? (p.offset - (int64_t)size + 1) / (int64_t)size
                                     : p.offset / (int64_t)size),
            *address->name ? address->name : "a buffer", p.size / size);
    return NULL;
}

#define LOAD(name, result, ctype)                                                        \
    static result load_##name(struct gcal_interp_work_item *item,                        \
                              const struct gcal_interp_node *n)                          \
    {                                                                                    \
        const unsigned char *from = place(item, n, sizeof(ctype), false);                \
        ctype value = 0;                                                                 \
                                                                                         \
        if (from)                                                                        \
            memcpy(&value, from, sizeof(value));                                         \
        return (result)value;                                                            \
    }
LOAD(i8, int64_t, int8_t)
LOAD(u8, int64_t, uint8_t)
LOAD(i16, int64_t, int16_t)
LOAD(u16, int64_t, uint16_t)
LOAD(i32, int64_t, int32_t)
LOAD(u32, int64_t, uint32_t)
LOAD(i64, int64_t, int64_t)
LOAD(f32, double, float)
LOAD(f64, double, double)

static void load_any(struct gcal_interp_work_item *item, const struct gcal_interp_node *n,
                     struct gcal_interp_value *value)
{
    const unsigned char *from = place(item, n, n->type->size, false);

    if (from)
        gcal_interp_value_read(n->type, from, value);
    else
        memset(value, 0, sizeof(*value));
}

static double load_f16(struct gcal_interp_work_item *item,
                       const struct gcal_interp_node *n)
{
    struct gcal_interp_value value;

    load_any(item, n, &value);
    return value.f;
}

static struct gcal_interp_pointer load_pointer(struct gcal_interp_work_item *item,
                                               const struct gcal_interp_node *n)
{
    struct gcal_interp_value value;

    load_any(item, n, &value);
    return value.p;
}

static void load_lanes(struct gcal_interp_work_item *item,
                       const struct gcal_interp_node *n, struct gcal_interp_lanes *lanes)
{
    struct gcal_interp_value value;

    load_any(item, n, &value);
    *lanes = value.v;
}

struct gcal_interp_node *gcal_interp_node_load(struct gcal_interp_translator *t,
                                               CXCursor at,
                                               struct gcal_interp_node *address)
{
    static gcal_interp_eval_int *const ints[] = {
        [GCAL_INTERP_BOOL] = load_u8, [GCAL_INTERP_I8] = load_i8,
        [GCAL_INTERP_U8] = load_u8,   [GCAL_INTERP_I16] = load_i16,
        [GCAL_INTERP_U16] = load_u16, [GCAL_INTERP_I32] = load_i32,
        [GCAL_INTERP_U32] = load_u32, [GCAL_INTERP_I64] = load_i64,
        [GCAL_INTERP_U64] = load_i64,
    };
    const struct gcal_interp_type *type = address->type->element;
    struct forms forms = { NULL, load_f16, load_pointer, load_lanes, NULL };
    struct gcal_interp_node *n;

    if (type->repr == GCAL_INTERP_ARRAY || type->repr == GCAL_INTERP_VOID)
        return gcal_interp_unsupported(t, at, "an array or void as a value");
    if (gcal_interp_is_int(type))
        forms.i = ints[type->repr];
    else if (type->repr != GCAL_INTERP_F16)
        forms.f = type->repr == GCAL_INTERP_F32 ? load_f32 : load_f64;
    if (!(n = create(t, at, type, &forms)))
        return NULL;
    n->a = address;
    n->name = address->name;
    return n;
}

static void store_any(struct gcal_interp_work_item *item,
                      const struct gcal_interp_node *n,
                      const struct gcal_interp_value *value)
{
    unsigned char *to = place(item, n, n->type->size, true);

    if (to && !item->run->failed)
        gcal_interp_value_write(n->type, to, value);
}

static int64_t store_int(struct gcal_interp_work_item *item,
                         const struct gcal_interp_node *n)
{
    struct gcal_interp_value value;

    value.i = n->b->eval.i(item, n->b);
    store_any(item, n, &value);
    return value.i;
}

static double store_float(struct gcal_interp_work_item *item,
                          const struct gcal_interp_node *n)
{
    struct gcal_interp_value value;

    value.f = n->b->eval.f(item, n->b);
    store_any(item, n, &value);
    return value.f;
}

static struct gcal_interp_pointer store_pointer(struct gcal_interp_work_item *item,
                                                const struct gcal_interp_node *n)
{
    struct gcal_interp_value value;

    value.p = n->b->eval.p(item, n->b);
    store_any(item, n, &value);
    return value.p;
}

static void store_lanes(struct gcal_interp_work_item *item,
                        const struct gcal_interp_node *n, struct gcal_interp_lanes *lanes)
{
    struct gcal_interp_value value;

    n->b->eval.v(item, n->b, &value.v);
    store_any(item, n, &value);
    *lanes = value.v;
}

struct gcal_interp_node *gcal_interp_node_store(struct gcal_interp_translator *t,
                                                CXCursor at,
                                                struct gcal_interp_node *address,
                                                struct gcal_interp_node *value)
{
    static const struct forms forms = { store_int, store_float, store_pointer,
                                        store_lanes, NULL };
    struct gcal_interp_node *n;

    if (!value ||
        !(value = gcal_interp_node_convert(t, at, value, address->type->element)) ||
        !(n = create(t, at, address->type->element, &forms)))
        return NULL;
    n->a = address;
    n->b = value;
    return n;
}

static struct gcal_interp_pointer move_pointer(struct gcal_interp_work_item *item,
                                               const struct gcal_interp_node *n)
{
    struct gcal_interp_pointer p = n->a->eval.p(item, n->a);
    uint64_t bytes = (uint64_t)n->b->eval.i(item, n->b) * n->type->element->size;

    p.offset = (int64_t)(n->op ? (uint64_t)p.offset - bytes : (uint64_t)p.offset + bytes);
    return p;
}

struct gcal_interp_node *gcal_interp_node_index(struct gcal_interp_translator *t,
                                                CXCursor at,
                                                struct gcal_interp_node *pointer,
                                                struct gcal_interp_node *index,
                                                bool minus)
{
    struct gcal_interp_node *n = gcal_interp_node_create(t, at, pointer->type);

    if (!n)
        return NULL;
    n->eval.p = move_pointer;
    n->a = pointer;
    n->b = index;
    n->op = minus;
    n->name = pointer->name;
    return n;
}

bool gcal_interp_node_is_variable(const struct gcal_interp_node *address)
{
    return address->eval.p == variable;
}

struct gcal_interp_node *gcal_interp_node_element(struct gcal_interp_translator *t,
                                                  CXCursor at,
                                                  struct gcal_interp_node *pointer,
                                                  size_t index)
{
    struct gcal_interp_node *i = gcal_interp_node_int(
        t, at, gcal_interp_type_basic(GCAL_INTERP_I64), (int64_t)index);

    return i ? gcal_interp_node_index(t, at, pointer, i, false) : NULL;
}

struct gcal_interp_node *gcal_interp_node_once(struct gcal_interp_translator *t,
                                               CXCursor at,
                                               struct gcal_interp_node *value,
                                               struct gcal_interp_node **first)
{
    struct gcal_interp_node *place, *store;

    if (!value ||
        !(place = gcal_interp_node_variable(t, at, value->type,
                                            GCAL_INTERP_MEMORY_PRIVATE)) ||
        !(store = gcal_interp_node_store(t, at, place, value)))
        return NULL;
    place->name = value->name;
    *first = *first ? gcal_interp_node_comma(t, at, *first, store) : store;
    return *first ? gcal_interp_node_load(t, at, place) : NULL;
}

static void forget(struct gcal_interp_work_item *item, const struct gcal_interp_node *n)
{
    unsigned char *to = place(item, n, n->a->type->element->size, true);

    if (to)
        memset(to, n->op, n->a->type->element->size);
}

struct gcal_interp_node *gcal_interp_node_reset(struct gcal_interp_translator *t,
                                                CXCursor at,
                                                struct gcal_interp_node *address,
                                                bool zero)
{
    struct gcal_interp_node *n =
        gcal_interp_node_create(t, at, gcal_interp_type_basic(GCAL_INTERP_VOID));
    const struct gcal_interp_type *type = address->type->element;

    if (!n)
        return NULL;
    while (type->repr == GCAL_INTERP_ARRAY)
        type = type->element;
    n->eval.none = forget;
    n->a = address;
    n->op = zero || type->repr == GCAL_INTERP_POINTER || type->repr == GCAL_INTERP_BOOL ||
                    type->repr == GCAL_INTERP_RECORD
                ? 0
                : 0xff;
    return n;
}

/* ---- comma, choice ---- */

static const struct gcal_interp_node *after_first(struct gcal_interp_work_item *item,
                                                  const struct gcal_interp_node *n)
{
    struct gcal_interp_value value;

    gcal_interp_eval(item, n->a, &value);
    return n->b;
}

static const struct gcal_interp_node *chosen(struct gcal_interp_work_item *item,
                                             const struct gcal_interp_node *n)
{
    bool taken = gcal_interp_eval_truth(item, n->a);

    if (item->run->observe)
        gcal_interp_observe_branch(item, n, taken);
    return taken ? n->b : n->c;
}

/* The five forms of a node whose value is another node's. */
#define FORWARD(name, which)                                                             \
    static int64_t name##_int(struct gcal_interp_work_item *item,                        \
                              const struct gcal_interp_node *n)                          \
    {                                                                                    \
        n = which(item, n);                                                              \
        return n->eval.i(item, n);                                                       \
    }                                                                                    \
    static double name##_float(struct gcal_interp_work_item *item,                       \
                               const struct gcal_interp_node *n)                         \
    {                                                                                    \
        n = which(item, n);                                                              \
        return n->eval.f(item, n);                                                       \
    }                                                                                    \
    static struct gcal_interp_pointer name##_pointer(struct gcal_interp_work_item *item, \
                                                     const struct gcal_interp_node *n)   \
    {                                                                                    \
        n = which(item, n);                                                              \
        return n->eval.p(item, n);                                                       \
    }                                                                                    \
    static void name##_lanes(struct gcal_interp_work_item *item,                         \
                             const struct gcal_interp_node *n,                           \
                             struct gcal_interp_lanes *lanes)                            \
    {                                                                                    \
        n = which(item, n);                                                              \
        n->eval.v(item, n, lanes);                                                       \
    }                                                                                    \
    static void name##_none(struct gcal_interp_work_item *item,                          \
                            const struct gcal_interp_node *n)                            \
    {                                                                                    \
        n = which(item, n);                                                              \
        n->eval.none(item, n);                                                           \
    }                                                                                    \
    static const struct forms name##_forms = { name##_int, name##_float, name##_pointer, \
                                               name##_lanes, name##_none };
FORWARD(comma, after_first)
FORWARD(choose, chosen)

struct gcal_interp_node *gcal_interp_node_comma(struct gcal_interp_translator *t,
                                                CXCursor at,
                                                struct gcal_interp_node *first,
                                                struct gcal_interp_node *second)
{
    struct gcal_interp_node *n;

    if (!first || !second || !(n = create(t, at, second->type, &comma_forms)))
        return NULL;
    n->a = first;
    n->b = second;
    n->name = second->name;
    return n;
}

struct gcal_interp_node *gcal_interp_node_select(struct gcal_interp_translator *t,
                                                 CXCursor at,
                                                 struct gcal_interp_node *condition,
                                                 struct gcal_interp_node *yes,
                                                 struct gcal_interp_node *no)
{
    struct gcal_interp_node *n;

    if (!condition || !yes || !no)
        return NULL;
    if (condition->type->repr == GCAL_INTERP_VECTOR)
        return gcal_interp_node_choose_lanes(t, at, no, yes, condition);
    if (!(n = create(t, at, yes->type, &choose_forms)))
        return NULL;
    n->a = condition;
    n->b = yes;
    n->c = no;
    return n;
}

/* ---- calls ---- */

/* Runs the body; n->a then loads the result, unless the function is void.  All arguments
 * are evaluated first: they may contain calls of the same function.
 */
static void run_call(struct gcal_interp_work_item *item, const struct gcal_interp_node *n)
{
    struct gcal_interp_value values[n->n_list + 1];
    uint64_t instance = item->instance;

    if (!gcal_interp_run_step(item, n))
        return;
    for (size_t i = 0; i < n->n_list; i++)
        gcal_interp_eval(item, n->list[i], &values[i]);
    for (size_t i = 0; i < n->n_list; i++)
        gcal_interp_value_write(n->list[i]->type,
                                item->memory[GCAL_INTERP_MEMORY_PRIVATE] +
                                    n->c->list[i]->k.place.offset,
                                &values[i]);
    item->instance = gcal_interp_observe_inner(instance, n, 0);
    n->b->eval.flow(item, n->b);
    item->instance = instance;
}

static const struct gcal_interp_node *after_call(struct gcal_interp_work_item *item,
                                                 const struct gcal_interp_node *n)
{
    run_call(item, n);
    return n->a;
}
FORWARD(call, after_call)

/* A structure as an argument: another call must not change it before this one. */
static struct gcal_interp_node *copy_record(struct gcal_interp_translator *t, CXCursor at,
                                            struct gcal_interp_node *value)
{
    struct gcal_interp_node *first = NULL;

    if (value->type->repr != GCAL_INTERP_RECORD)
        return value;
    value = gcal_interp_node_once(t, at, value, &first);
    return value ? gcal_interp_node_comma(t, at, first, value) : NULL;
}

struct gcal_interp_node *
gcal_interp_node_call(struct gcal_interp_translator *t, CXCursor at,
                      const struct gcal_interp_function *function,
                      struct gcal_interp_node **arguments, size_t n)
{
    struct forms forms = call_forms;
    struct gcal_interp_node *node, *params;

    forms.none = run_call;
    if (n != function->n_params)
        return gcal_interp_unsupported(t, at, "a call with %zu arguments instead of %zu",
                                       n, function->n_params);
    if (!(node = create(t, at, function->result_type, &forms)) ||
        !(params = gcal_interp_node_create(t, at, NULL)))
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (!(arguments[i] = gcal_interp_node_convert(
                  t, at, arguments[i], function->params[i]->type->element)) ||
            !(arguments[i] = copy_record(t, at, arguments[i])))
            return NULL;
    params->list = function->params;
    node->a = function->result;
    node->b = function->body;
    node->c = params;
    node->list = arguments;
    node->n_list = n;
    return node;
}
