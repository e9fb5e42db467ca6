/* interpret.c - programs run on the host: translation, work-groups, and the two entry
 * points
 */
#include "kernels/interpret/interpret.h"
#include "kernels/interpret/private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/request.h"

/* ---- translation ---- */

struct gcal_interp_program *gcal_interp_program_create(struct gcal_source_unit *unit,
                                                       CXCursor entry,
                                                       struct gcal_error *err)
{
    struct gcal_interp_program *program = calloc(1, sizeof(*program));
    struct gcal_interp_translator t = { .unit = unit, .program = program, .err = err };

    if (!program) {
        gcal_error_memory(err);
        return NULL;
    }
    program->unit = unit;
    program->entry = gcal_interp_translate_function(&t, entry, entry);
    program->joins_items |= program->size[GCAL_INTERP_MEMORY_LOCAL] > 0;
    free(t.variables);
    free(t.functions);
    free(t.records);
    if (!program->entry) {
        gcal_interp_program_destroy(program);
        return NULL;
    }
    return program;
}

/* ---- running ---- */

/* Memory of a group's work-items; of one only, unless the program joins them. */
struct gcal_interp_group {
    struct gcal_interp_run *run;
    size_t n_items, n_slots;
    struct gcal_interp_work_item *items; /* n_slots */
    unsigned char *privates;             /* n_slots x private_size */
    unsigned char *shared, *statics;
    size_t private_size, shared_size;
    unsigned char *params; /* n_slots' private memory starts as this */
    unsigned char *stacks; /* n_slots x stack_size, or MAP_FAILED */
};

/* For nodes nested GCAL_INTERP_MAX_DEPTH deep; untouched pages take no memory. */
enum { STACK_BYTES = 2 << 20 };

static void run_body(struct gcal_interp_work_item *item)
{
    const struct gcal_interp_node *body = item->run->program->entry->body;

    body->eval.flow(item, body);
}

/* makecontext() passes ints. */
static void start_item(unsigned high, unsigned low)
{
    struct gcal_interp_work_item *item =
        (struct gcal_interp_work_item *)(uintptr_t)((uint64_t)high << 32 | (uint64_t)low);

    run_body(item);
    item->done = true;
    item->barrier = NULL;
    swapcontext(&item->context, &item->run->scheduler);
}

static void place_item(struct gcal_interp_group *g, struct gcal_interp_work_item *item,
                       size_t index, size_t slot)
{
    struct gcal_interp_run *run = g->run;

    item->run = run;
    item->done = false;
    item->barrier = NULL;
    item->instance = item->loop = 0;
    item->memory[GCAL_INTERP_MEMORY_PRIVATE] = g->privates + slot * g->private_size;
    item->memory[GCAL_INTERP_MEMORY_LOCAL] = g->shared;
    item->memory[GCAL_INTERP_MEMORY_STATIC] = g->statics;
    for (size_t d = 0; d < GCAL_MAX_DIMS; d++) {
        size_t size = run->n_dims > d ? run->local_size[d] : 1;

        item->local_id[d] = index % size;
        index /= size;
    }
    memcpy(item->memory[GCAL_INTERP_MEMORY_PRIVATE], g->params, g->private_size);
}

void gcal_interp_end_turn(struct gcal_interp_work_item *item)
{
    if (!item->run->failed && item->run->program->joins_items)
        swapcontext(&item->context, &item->run->scheduler);
}

/* All must reach the same barrier. */
static bool run_phase(struct gcal_interp_group *g)
{
    struct gcal_interp_work_item *first = &g->items[0];

    /* Runs each item to its next barrier or its end, in one turn, or the last one first in several. */
    bool unfinished = true;

    for (size_t i = 0; i < g->n_items; i++)
        g->items[i].barrier = NULL;
    while (unfinished) {
        unfinished = false;
        for (size_t i = 0; i < g->n_items && !g->run->failed; i++) {
            size_t at = g->run->takes_turns ? g->n_items - 1 - i : i;
            struct gcal_interp_work_item *item = &g->items[at];

            if (item->done || item->barrier)
                continue;
            swapcontext(&g->run->scheduler, &item->context);
            unfinished |= !item->done && !item->barrier;
        }
        unfinished &= !g->run->failed;
    }
    for (size_t i = 1; i < g->n_items && !g->run->failed; i++) {
        struct gcal_interp_work_item *item = &g->items[i];

        if (item->barrier != first->barrier)
            gcal_interp_run_fail(item, first->barrier ? first->barrier : item->barrier,
                                 "not every work-item of the group reaches this "
                                 "barrier");
    }
    return !g->run->failed && first->barrier;
}

/* One after the other: no barrier is between them. */
static void run_items(struct gcal_interp_group *g, size_t first, size_t end, size_t step)
{
    for (size_t i = first; i < end && !g->run->failed; i += step) {
        place_item(g, &g->items[0], i, 0);
        run_body(&g->items[0]);
    }
}

static void run_group(struct gcal_interp_group *g)
{
    memset(g->shared, 0xff ^ g->run->unset, g->shared_size);
    if (g->stacks != MAP_FAILED) {
        for (size_t i = 0; i < g->n_items; i++) {
            place_item(g, &g->items[i], i, i);
            unsigned char *stack = g->stacks + i * STACK_BYTES;
            uint64_t bits = (uint64_t)(uintptr_t)&g->items[i];

            getcontext(&g->items[i].context);
            g->items[i].context.uc_stack.ss_sp = stack;
            g->items[i].context.uc_stack.ss_size = STACK_BYTES;
            g->items[i].context.uc_link = NULL;
            makecontext(&g->items[i].context, (void (*)(void))start_item, 2,
                        (unsigned)(bits >> 32), (unsigned)bits);
        }
        while (run_phase(g))
            ;
        return;
    }
    run_items(g, 0, g->n_items, 1);
}

static void set_group(struct gcal_interp_run *run, size_t number)
{
    for (size_t d = 0; d < run->n_dims; d++) {
        run->group_id[d] = number % (run->global_size[d] / run->local_size[d]);
        number /= run->global_size[d] / run->local_size[d];
    }
}

static void run_groups(struct gcal_interp_group *g)
{
    struct gcal_interp_run *run = g->run;
    size_t n_groups = 1;

    for (size_t d = 0; d < run->n_dims; d++)
        n_groups *= run->global_size[d] / run->local_size[d];
    for (size_t i = 0; i < n_groups && !run->failed; i++) {
        set_group(run, i);
        run_group(g);
    }
}

/* ---- arguments ---- */

static const struct gcal_interp_type *named_dtype(const char *dtype)
{
    for (int repr = GCAL_INTERP_I8; dtype && repr <= GCAL_INTERP_F64; repr++)
        if (strcmp(gcal_interp_type_dtype(
                       gcal_interp_type_basic((enum gcal_interp_repr)repr)),
                   dtype) == 0)
            return gcal_interp_type_basic((enum gcal_interp_repr)repr);
    return NULL;
}

static bool is_local_param(const struct gcal_interp_program *program, size_t i)
{
    CXCursor param = clang_Cursor_getArgument(program->entry->cursor, (unsigned)i);
    CXType type = gcal_source_type(param);

    return type.kind == CXType_Pointer &&
           gcal_source_address_space(clang_getCanonicalType(
               clang_getPointeeType(type))) == GCAL_FEATURE_SPACE_LOCAL;
}

/* A pointer to a buffer, or for a __local argument into the group's memory. */
static int set_pointer(struct gcal_interp_group *g, size_t i,
                       const struct gcal_interp_arg *arg, struct gcal_interp_value *value,
                       struct gcal_error *err)
{
    const struct gcal_interp_program *program = g->run->program;
    const struct gcal_interp_node *param = program->entry->params[i];
    const struct gcal_interp_type *wanted =
        gcal_interp_type_lane(param->type->element->element);
    const struct gcal_interp_type *given = named_dtype(arg->dtype);
    bool local = is_local_param(program, i);
    bool raw = wanted->repr == GCAL_INTERP_RECORD && !wanted->has_pointers;

    if (!given || (!raw && (!gcal_interp_type_dtype(wanted) ||
                            strcmp(gcal_interp_type_dtype(wanted), arg->dtype) != 0)))
        return gcal_error_set(
            err, GCAL_EINPUT, "%s: argument %zu ('%s') takes %s elements, not %s",
            program->unit->file, i + 1, param->name,
            gcal_interp_type_dtype(wanted) ? gcal_interp_type_dtype(wanted)
                                           : "unsupported",
            arg->dtype ? arg->dtype : "(null)");
    if (arg->count > SIZE_MAX / 16 || (!arg->data && arg->count && !local))
        return gcal_error_set(err, GCAL_EINPUT, "%s: argument %zu ('%s') has no buffer",
                              program->unit->file, i + 1, param->name);
    value->p = (struct gcal_interp_pointer){ arg->data, arg->count * given->size, 0 };
    if (local) {
        value->p.offset = 0;
        value->p.base = g->shared ? g->shared + g->shared_size : NULL;
        g->shared_size += (arg->count * given->size + 15) / 16 * 16;
    }
    return 0;
}

static int set_scalar(const struct gcal_interp_program *program, size_t i,
                      const struct gcal_interp_arg *arg, struct gcal_interp_value *value,
                      struct gcal_error *err)
{
    const struct gcal_interp_node *param = program->entry->params[i];
    const struct gcal_interp_type *type = param->type->element;
    const struct gcal_interp_type *given = named_dtype(arg->dtype);

    if (!given || !arg->data || arg->count || type->repr > GCAL_INTERP_F64)
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s: argument %zu ('%s') is a scalar: expected one value",
                              program->unit->file, i + 1, param->name);
    gcal_interp_value_read(given, arg->data, value);
    if (gcal_interp_is_int(type))
        value->i = gcal_interp_is_int(given)
                       ? gcal_interp_int_wrap(type->repr, value->i)
                       : gcal_interp_int_from_float(type->repr, value->f);
    else
        value->f = gcal_interp_float_round(
            type->repr, gcal_interp_is_int(given)
                            ? gcal_interp_float_from_int(given->repr, value->i)
                            : value->f);
    return 0;
}

/* A vector or structure by value. */
static int set_whole(const struct gcal_interp_program *program, size_t i,
                     const struct gcal_interp_arg *arg, struct gcal_interp_value *value,
                     struct gcal_error *err)
{
    const struct gcal_interp_node *param = program->entry->params[i];
    const struct gcal_interp_type *type = param->type->element;
    const struct gcal_interp_type *given = named_dtype(arg->dtype);

    if (!given || !arg->data || type->has_pointers ||
        (type->repr == GCAL_INTERP_VECTOR && given->repr != type->element->repr) ||
        arg->count * given->size < type->size)
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s: argument %zu ('%s') takes %zu bytes by value",
                              program->unit->file, i + 1, param->name, type->size);
    gcal_interp_value_read(type, arg->data, value);
    return 0;
}

/* Fills g->params unless it is NULL; g->shared_size grows by the local arguments. */
static int set_arguments(struct gcal_interp_group *g, size_t n_args,
                         const struct gcal_interp_arg *args, struct gcal_error *err)
{
    const struct gcal_interp_program *program = g->run->program;
    const struct gcal_interp_function *entry = program->entry;
    struct gcal_interp_value value = { 0 };

    g->shared_size = program->size[GCAL_INTERP_MEMORY_LOCAL];
    for (size_t i = 0; g->run->sample && g->params && i < entry->n_params; i++)
        gcal_interp_sample_argument(g->run->sample, entry->params[i],
                                    g->params + entry->params[i]->k.place.offset);
    if (g->run->sample)
        return 0;
    while (n_args > entry->n_params && !args[n_args - 1].data &&
           program->unit->language != GCAL_SOURCE_OPENCL_C)
        n_args--; /* what a launch of CUDA gives to "extern __shared__" */
    if (n_args != entry->n_params)
        return gcal_error_set(err, GCAL_EINPUT, "%s: expected %zu arguments, not %zu",
                              program->unit->file, entry->n_params, n_args);
    for (size_t i = 0; i < n_args; i++) {
        const struct gcal_interp_node *param = entry->params[i];

        if (param->type->element->repr == GCAL_INTERP_VECTOR ||
                    param->type->element->repr == GCAL_INTERP_RECORD
                ? set_whole(program, i, &args[i], &value, err) < 0
            : param->type->element->repr == GCAL_INTERP_POINTER
                ? set_pointer(g, i, &args[i], &value, err) < 0
                : set_scalar(program, i, &args[i], &value, err) < 0)
            return -1;
        if (g->params)
            gcal_interp_value_write(param->type->element,
                                    g->params + param->k.place.offset, &value);
    }
    return 0;
}

static int allocate(struct gcal_interp_group *g, struct gcal_error *err)
{
    const struct gcal_interp_program *program = g->run->program;

    g->n_items = 1;
    for (size_t d = 0; d < g->run->n_dims; d++)
        g->n_items *= g->run->local_size[d];
    g->n_slots = program->joins_items ? g->n_items : 1;
    g->private_size = program->size[GCAL_INTERP_MEMORY_PRIVATE] + 16;
    g->run->memory_size[GCAL_INTERP_MEMORY_PRIVATE] = g->private_size;
    g->run->memory_size[GCAL_INTERP_MEMORY_LOCAL] = g->shared_size;
    g->run->memory_size[GCAL_INTERP_MEMORY_STATIC] =
        program->size[GCAL_INTERP_MEMORY_STATIC];
    g->items = calloc(g->n_slots, sizeof(*g->items));
    g->privates = calloc(g->n_slots, g->private_size);
    g->params = calloc(1, g->private_size);
    g->shared = calloc(1, g->shared_size + 16);
    g->statics = calloc(1, program->size[GCAL_INTERP_MEMORY_STATIC] + 16);
    if (!g->items || !g->privates || !g->params || !g->shared || !g->statics)
        return gcal_error_memory(err);
    if (!program->joins_items)
        return 0;
    g->stacks = mmap(NULL, g->n_slots * STACK_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return g->stacks == MAP_FAILED ? gcal_error_memory(err) : 0;
}

static void free_group(struct gcal_interp_group *g)
{
    if (g->stacks && g->stacks != MAP_FAILED)
        munmap(g->stacks, g->n_slots * STACK_BYTES);
    free(g->items);
    free(g->privates);
    free(g->params);
    free(g->shared);
    free(g->statics);
}

static void run_static_init(struct gcal_interp_group *g)
{
    const struct gcal_interp_node_list *init = &g->run->program->static_init;
    gcal_interp_observe *observe = g->run->observe;

    g->run->observe = NULL;
    place_item(g, &g->items[0], 0, 0);
    for (size_t i = 0; i < init->n; i++)
        init->nodes[i]->eval.flow(&g->items[0], init->nodes[i]);
    g->run->observe = observe;
}

static int run_program(struct gcal_interp_run *run, size_t n_args,
                       struct gcal_interp_arg *args, struct gcal_error *err)
{
    struct gcal_interp_group g = { .run = run, .stacks = MAP_FAILED };
    int rc = -1;

    run->err = err;
    run->steps_left = GCAL_INTERP_MAX_STEPS;
    if (set_arguments(&g, n_args, args, err) < 0 || allocate(&g, err) < 0 ||
        set_arguments(&g, n_args, args, err) < 0)
        goto out;
    run_static_init(&g);
    if (!run->failed)
        run_groups(&g);
    rc = run->failed ? -1 : 0;
out:
    free_group(&g);
    return rc;
}

/* ---- entry points ---- */

static int set_range(struct gcal_interp_run *run,
                     const struct gcal_count_request *request, const size_t *global_size,
                     struct gcal_error *err)
{
    size_t n_items = 1;

    if (request->n_dims < 1 || request->n_dims > GCAL_MAX_DIMS)
        return gcal_error_set(err, GCAL_EINPUT,
                              "an NDRange has 1 to %d dimensions, not %zu", GCAL_MAX_DIMS,
                              request->n_dims);
    run->n_dims = request->n_dims;
    for (size_t d = 0; d < GCAL_MAX_DIMS; d++) {
        run->local_size[d] = d < run->n_dims ? request->local_size[d] : 1;
        run->global_size[d] = d < run->n_dims ? global_size[d] : 1;
        if (!run->local_size[d] || run->global_size[d] % run->local_size[d])
            return gcal_error_set(err, GCAL_EINPUT,
                                  "dimension %zu: %zu work-items do not divide into "
                                  "groups of %zu",
                                  d, run->global_size[d], run->local_size[d]);
        if (run->local_size[d] > 4096 || (n_items *= run->local_size[d]) > 4096)
            return gcal_error_set(err, GCAL_EINPUT,
                                  "a work-group has at most 4096 work-items here");
    }
    return 0;
}

int gcal_interp_observe_kernel(const struct gcal_count_request *request,
                               const size_t *global_size, size_t n_args,
                               struct gcal_interp_arg *args, gcal_interp_observe *observe,
                               void *context, struct gcal_error *err)
{
    struct gcal_interp_run run = { .observe = observe, .context = context };
    struct gcal_interp_program *program = NULL;
    struct gcal_source_unit *unit;
    CXCursor kernel;
    int rc = -1;

    if (set_range(&run, request, global_size, err) < 0 ||
        !(unit = gcal_source_parse_kernel(request, &kernel, err)))
        return -1;
    if ((program = gcal_interp_program_create(unit, kernel, err))) {
        run.program = program;
        rc = run_program(&run, n_args, args, err);
    }
    gcal_interp_program_destroy(program);
    gcal_source_close(unit);
    return rc;
}

int gcal_interp_run_kernel(const struct gcal_count_request *request,
                           const size_t *global_size, size_t n_args,
                           struct gcal_interp_arg *args, struct gcal_error *err)
{
    return gcal_interp_observe_kernel(request, global_size, n_args, args, NULL, NULL,
                                      err);
}

/* ---- unit by unit ---- */

int gcal_interp_run_begin(struct gcal_interp_run *run,
                          const struct gcal_count_request *request,
                          const size_t *global_size, struct gcal_interp_group **group,
                          struct gcal_error *err)
{
    struct gcal_interp_group *g = calloc(1, sizeof(*g));

    if (!(*group = g))
        return gcal_error_memory(err);
    *g = (struct gcal_interp_group){ .run = run, .stacks = MAP_FAILED };
    if (set_range(run, request, global_size, err) < 0 ||
        set_arguments(g, 0, NULL, err) < 0 || allocate(g, err) < 0 ||
        set_arguments(g, 0, NULL, err) < 0)
        return -1;
    run->steps_left = GCAL_INTERP_MAX_STEPS;
    run_static_init(g);
    return run->failed ? -1 : 0;
}

void gcal_interp_run_unit(struct gcal_interp_group *g, size_t number, size_t first,
                          size_t n, size_t step)
{
    set_group(g->run, number);
    if (g->stacks != MAP_FAILED) {
        run_group(g);
        return;
    }
    memset(g->shared, g->run->unset, g->shared_size);
    run_items(g, first, n < g->n_items - first ? first + n : g->n_items, step);
}

void gcal_interp_run_end(struct gcal_interp_group *g)
{
    if (g)
        free_group(g);
    free(g);
}

/* Declarations for references: the supported functions of math.h, types and constants.
 * Without system headers, references mean the same on every machine.
 */
#define F1(name) "double " name "(double); float " name "f(float);"
#define F2(name) "double " name "(double, double); float " name "f(float, float);"
static const char prelude[] =
    "typedef __SIZE_TYPE__ size_t; typedef __PTRDIFF_TYPE__ ptrdiff_t;"
    "typedef signed char int8_t; typedef unsigned char uint8_t;"
    "typedef short int16_t; typedef unsigned short uint16_t;"
    "typedef int int32_t; typedef unsigned int uint32_t;"
    "typedef __INT64_TYPE__ int64_t; typedef __UINT64_TYPE__ uint64_t;"
    "typedef unsigned char uchar; typedef unsigned short ushort;"
    "typedef unsigned int uint; typedef unsigned long ulong; typedef _Float16 half;" F1(
        "sqrt") F1("cbrt") F1("exp") F1("exp2") F1("expm1") F1("log") F1("log2")
        F1("log10") F1("log1p") F1("sin") F1("cos") F1("tan") F1("asin") F1("acos")
            F1("atan") F1("sinh") F1("cosh") F1("tanh") F1("erf") F1("erfc") F1("fabs")
                F1("floor") F1("ceil") F1("round") F1("rint") F1("trunc") F2("pow")
                    F2("atan2") F2("fmin") F2("fmax") F2("fmod") F2("hypot")
                        F2("copysign") "double fma(double, double, double); float "
                                       "fmaf(float, float, float);"
                                       "int abs(int); long labs(long);\n"
                                       "#define bool _Bool\n#define true 1\n#define "
                                       "false 0\n#define NULL ((void *)0)\n"
                                       "#define INFINITY (1.0f / 0.0f)\n#define M_PI "
                                       "3.14159265358979323846\n"
                                       "#define FLT_MAX __FLT_MAX__\n#define DBL_MAX "
                                       "__DBL_MAX__\n"
                                       "#define FLT_EPSILON __FLT_EPSILON__\n#define "
                                       "DBL_EPSILON __DBL_EPSILON__\n"
                                       "#define INT_MAX __INT_MAX__\n"
                                       "#define GPUCAL_TAG(name, lvalue) (lvalue)\n"
                                       "#line 1\n";

int gcal_interp_run_function(const char *source, const char *file, const char *function,
                             size_t n_args, struct gcal_interp_arg *args,
                             struct gcal_error *err)
{
    char *text = gcal_buf_format("%s%s", prelude, source);
    struct gcal_interp_run run = { 0 };
    struct gcal_interp_program *program = NULL;
    struct gcal_source_unit *unit = NULL;
    CXCursor entry;
    int rc = -1;

    if (!text)
        return gcal_error_memory(err);
    for (size_t d = 0; d < GCAL_MAX_DIMS; d++)
        run.local_size[d] = run.global_size[d] = 1;
    if ((unit = gcal_source_parse(GCAL_SOURCE_C, text, file, NULL, err)) &&
        gcal_source_find_function(unit, function, &entry, err) == 0 &&
        (program = gcal_interp_program_create(unit, entry, err))) {
        run.program = program;
        rc = run_program(&run, n_args, args, err);
    }
    gcal_interp_program_destroy(program);
    gcal_source_close(unit);
    free(text);
    return rc;
}
