/* private.h - shared by the files of kernels/interpret (see README.md)
 *
 * A function's syntax tree is translated once into nodes, each with a function that
 * evaluates it; then every work-item runs them.  Recursion is refused, so that each
 * variable has one fixed address in its work-item's memory.
 *
 * The first failure at run time is kept in the run; values are zero from then on, and
 * statements stop as soon as they see it.
 */
#ifndef GCAL_KERNELS_INTERPRET_PRIVATE_H
#define GCAL_KERNELS_INTERPRET_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "kernels/interpret/interpret.h"
#include "kernels/source/source.h"

/* ---- types ---- */

enum gcal_interp_repr {
    GCAL_INTERP_VOID,
    GCAL_INTERP_BOOL,
    GCAL_INTERP_I8,
    GCAL_INTERP_U8,
    GCAL_INTERP_I16,
    GCAL_INTERP_U16,
    GCAL_INTERP_I32,
    GCAL_INTERP_U32,
    GCAL_INTERP_I64,
    GCAL_INTERP_U64,
    GCAL_INTERP_F16,
    GCAL_INTERP_F32,
    GCAL_INTERP_F64,
    GCAL_INTERP_POINTER,
    GCAL_INTERP_VECTOR,
    GCAL_INTERP_ARRAY,
    GCAL_INTERP_RECORD, /* a structure or union */
};

struct gcal_interp_type {
    enum gcal_interp_repr repr;
    size_t size;                            /* bytes in the interpreter's memory */
    size_t count;                           /* of a vector or an array; fields */
    const struct gcal_interp_type *element; /* of a vector or an array; or the type that
                                               a pointer points to */
    struct gcal_interp_field *fields;       /* of a record */
    bool has_pointers;                      /* a record */
};

struct gcal_interp_field {
    CXCursor decl;
    size_t offset;
    const struct gcal_interp_type *type;
};

static inline bool gcal_interp_is_int(const struct gcal_interp_type *type)
{
    return type->repr >= GCAL_INTERP_BOOL && type->repr <= GCAL_INTERP_U64;
}

static inline bool gcal_interp_is_float(const struct gcal_interp_type *type)
{
    return type->repr >= GCAL_INTERP_F16 && type->repr <= GCAL_INTERP_F64;
}

/* ---- values ---- */

/* Integers of all widths are held as int64_t (uint64 by its bits), floats as double. */
struct gcal_interp_pointer {
    unsigned char *base; /* NULL: null or never set */
    size_t size;         /* bytes from 'base' that may be touched */
    int64_t offset;      /* bytes; checked when it is used */
};

#define GCAL_INTERP_MAX_LANES 16

struct gcal_interp_lanes {
    union {
        int64_t i[GCAL_INTERP_MAX_LANES];
        double f[GCAL_INTERP_MAX_LANES];
    };
};

struct gcal_interp_value { /* the type decides which */
    union {
        int64_t i;
        double f;
        struct gcal_interp_pointer p;
        struct gcal_interp_lanes v;
    };
};

/* ---- the program ---- */

enum gcal_interp_memory {
    GCAL_INTERP_MEMORY_PRIVATE,
    GCAL_INTERP_MEMORY_LOCAL,
    GCAL_INTERP_MEMORY_STATIC
};

enum gcal_interp_flow {
    GCAL_INTERP_FLOW_NEXT,
    GCAL_INTERP_FLOW_BREAK,
    GCAL_INTERP_FLOW_CONTINUE,
    GCAL_INTERP_FLOW_RETURN, /* or a failure */
};

struct gcal_interp_work_item;
struct gcal_interp_node;

typedef int64_t gcal_interp_eval_int(struct gcal_interp_work_item *,
                                     const struct gcal_interp_node *);
typedef double gcal_interp_eval_float(struct gcal_interp_work_item *,
                                      const struct gcal_interp_node *);
typedef struct gcal_interp_pointer
gcal_interp_eval_pointer(struct gcal_interp_work_item *, const struct gcal_interp_node *);
typedef void gcal_interp_eval_lanes(struct gcal_interp_work_item *,
                                    const struct gcal_interp_node *,
                                    struct gcal_interp_lanes *);
typedef void gcal_interp_eval_void(struct gcal_interp_work_item *,
                                   const struct gcal_interp_node *);
typedef enum gcal_interp_flow gcal_interp_eval_flow(struct gcal_interp_work_item *,
                                                    const struct gcal_interp_node *);

/* A function of up to three integers of one type. */
typedef int64_t gcal_interp_integers(enum gcal_interp_repr repr, int64_t x, int64_t y,
                                     int64_t z);

/* A label of a switch, before its statement 'at'. */
struct gcal_interp_label {
    struct gcal_interp_label *next;
    struct gcal_interp_node *node; /* its place */
    int64_t value;
    bool is_default;
    size_t at;
};

/* A node: an expression, or a statement ('flow', type NULL). */
struct gcal_interp_node {
    union {
        gcal_interp_eval_int *i;
        gcal_interp_eval_float *f;
        gcal_interp_eval_pointer *p;
        gcal_interp_eval_lanes *v;
        gcal_interp_eval_void *none;
        gcal_interp_eval_flow *flow;
    } eval;
    const struct gcal_interp_type *type;
    struct gcal_interp_node *a, *b, *c, *d;
    struct gcal_interp_node **list;
    size_t n_list;
    union {
        int64_t i;
        double f;
        struct {
            enum gcal_interp_memory memory;
            size_t offset;
        } place;
        struct {
            gcal_interp_integers *ints;
            double (*floats)(double, double, double);
            enum gcal_interp_repr repr; /* of the operands of 'ints' */
        } call;
        signed char lanes[GCAL_INTERP_MAX_LANES];
        struct gcal_interp_label *labels; /* of a switch */
    } k;
    int op;           /* enum CXBinaryOperatorKind or CXUnaryOperatorKind */
    const char *name; /* of what is accessed or called, or "" */
    int line, column;
    bool constant; /* a number that any compiler knows */
    bool unseen;   /* an access of which observers see another one */
    bool atomic;   /* the access of an atomic operation that they see */
};

struct gcal_interp_function {
    CXCursor cursor;
    bool translating; /* detects recursion */
    struct gcal_interp_node *body;
    const struct gcal_interp_type *result_type;
    struct gcal_interp_node *result_place, *result; /* address and load; NULL: void */
    size_t depth; /* nesting of its nodes, calls included */
    size_t n_params;
    struct gcal_interp_node **params; /* their addresses */
};

struct gcal_interp_node_list { /* starts as { 0 } */
    struct gcal_interp_node **nodes;
    size_t n, capacity;
};

enum { GCAL_INTERP_MOST_CONSTANTS = 64 };

struct gcal_interp_program {
    struct gcal_source_unit *unit;
    struct gcal_interp_block *blocks; /* memory of nodes and types */
    size_t size[3];                   /* of the memories */
    struct gcal_interp_node_list static_init;
    bool joins_items; /* of a group, by barriers or local memory */
    struct gcal_interp_function *entry;
    double constants[GCAL_INTERP_MOST_CONSTANTS]; /* some of those in its source */
    size_t n_constants;
};

/* ---- running ---- */

struct gcal_interp_run {
    const struct gcal_interp_program *program;
    struct gcal_error *err;
    bool failed;
    int64_t steps_left;
    gcal_interp_observe *observe;      /* or NULL */
    bool observes_privates;            /* elements of private arrays, too */
    struct gcal_interp_sample *sample; /* of loops alone, without buffers; or NULL */
    bool takes_turns; /* a group's items, the last one first; else one after the other */
    unsigned char *nowhere; /* of a sample: where pointers to buffers point */
    unsigned char unset;    /* memory that is not initialised: 0xff, but for these bits */
    void *context;
    uint64_t n_observed;   /* but for && and || of conditions alone */
    size_t memory_size[3]; /* bytes, by enum gcal_interp_memory */
    size_t n_dims;
    size_t global_size[GCAL_MAX_DIMS], local_size[GCAL_MAX_DIMS];
    size_t group_id[GCAL_MAX_DIMS];
    ucontext_t scheduler;
};

struct gcal_interp_work_item {
    struct gcal_interp_run *run;
    unsigned char *memory[3]; /* by enum gcal_interp_memory */
    uint64_t instance;        /* hash of the calls and iterations that are under way */
    uint64_t loop;            /* the same of the innermost loop, before its iterations */
    size_t local_id[GCAL_MAX_DIMS];
    ucontext_t context;
    const struct gcal_interp_node *barrier; /* where it waits, or NULL */
    bool done;
};

/* Iterations and calls of one run before it is refused as endless. */
#define GCAL_INTERP_MAX_STEPS 300000000

void gcal_interp_run_fail(struct gcal_interp_work_item *item,
                          const struct gcal_interp_node *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Counts an iteration or a call: false when the run must stop. */
static inline bool gcal_interp_run_step(struct gcal_interp_work_item *item,
                                        const struct gcal_interp_node *at)
{
    if (--item->run->steps_left < 0)
        gcal_interp_run_fail(
            item, at,
            "still running after %d iterations: it is endless, or the sizes are "
            "too large for a check on the host",
            GCAL_INTERP_MAX_STEPS);
    return !item->run->failed;
}

/* ---- interpret.c: a run, unit by unit ---- */

struct gcal_interp_program *gcal_interp_program_create(struct gcal_source_unit *unit,
                                                       CXCursor entry,
                                                       struct gcal_error *err);
/* Lets the other items of the group, which barriers join, go on. */
void gcal_interp_end_turn(struct gcal_interp_work_item *item);
/* A run of 'run->sample'.  End it in any case; NULL is allowed. */
struct gcal_interp_group;
int gcal_interp_run_begin(struct gcal_interp_run *run,
                          const struct gcal_count_request *request,
                          const size_t *global_size, struct gcal_interp_group **group,
                          struct gcal_error *err);
/* Runs every step-th of 'n' items, or of those there are, of a group from 'first' on; all of
 * the group if the program joins them.
 */
void gcal_interp_run_unit(struct gcal_interp_group *group, size_t number, size_t first,
                          size_t n, size_t step);
void gcal_interp_run_end(struct gcal_interp_group *group);

/* ---- sample.c ---- */

/* Memory of what is loaded from buffers, and for what is stored. */
enum { GCAL_INTERP_NOWHERE = 1024 };
unsigned char *gcal_interp_sample_memory(struct gcal_interp_work_item *item,
                                         const struct gcal_interp_node *at,
                                         const struct gcal_interp_pointer *p, size_t size,
                                         bool store);
void gcal_interp_sample_argument(struct gcal_interp_sample *sample,
                                 const struct gcal_interp_node *param, unsigned char *to);
/* A loop has run, in this instance of those around it. */
void gcal_interp_sample_loop(struct gcal_interp_work_item *item,
                             const struct gcal_interp_node *at, uint64_t instance,
                             uint64_t trips);

/* ---- observe.c ---- */

/* The instance within a call, or within iteration 'i' of a loop. */
uint64_t gcal_interp_observe_inner(uint64_t instance, const struct gcal_interp_node *at,
                                   uint64_t i);
/* For runs with an observer: an access to 'bytes' at 'p'. */
void gcal_interp_observe_access(struct gcal_interp_work_item *item,
                                const struct gcal_interp_node *at,
                                const struct gcal_interp_pointer *p, size_t bytes,
                                bool store);
void gcal_interp_observe_operation(struct gcal_interp_work_item *item,
                                   const struct gcal_interp_node *at);
void gcal_interp_observe_branch(struct gcal_interp_work_item *item,
                                const struct gcal_interp_node *at, bool taken);
/* 'n_before': the run's n_observed before the right side. */
void gcal_interp_observe_logic(struct gcal_interp_work_item *item,
                               const struct gcal_interp_node *at, bool taken,
                               uint64_t n_before);

/* ---- translating ---- */

struct gcal_interp_variable {
    CXCursor cursor;
    struct gcal_interp_node *address;
};

struct gcal_interp_record {
    CXCursor decl;
    const struct gcal_interp_type *type;
};

struct gcal_interp_translator {
    struct gcal_source_unit *unit;
    struct gcal_interp_program *program;
    struct gcal_error *err;
    struct gcal_interp_variable *variables;
    size_t n_variables, variables_capacity;
    struct gcal_interp_function **functions;
    size_t n_functions, functions_capacity;
    struct gcal_interp_record *records;
    size_t n_records, records_capacity;
    struct gcal_interp_function *function; /* being translated */
    size_t depth, deepest;
};

/* Limit of nesting, for which a work-item's stack suffices. */
#define GCAL_INTERP_MAX_DEPTH 1000

/* All functions below return NULL (or -1) with 'err' filled on failure. */

/* ---- program.c ---- */

void gcal_interp_program_destroy(struct gcal_interp_program *program);
void *gcal_interp_program_alloc(struct gcal_interp_translator *t,
                                size_t size); /* zeroed */
int gcal_interp_node_list_add(struct gcal_interp_translator *t,
                              struct gcal_interp_node_list *list,
                              struct gcal_interp_node *node);
char *gcal_interp_program_name(struct gcal_interp_translator *t, CXCursor cursor);
struct gcal_interp_node *gcal_interp_node_create(struct gcal_interp_translator *t,
                                                 CXCursor at,
                                                 const struct gcal_interp_type *type);
/* "file:line:column: ... is not supported when running on the host" */
void *gcal_interp_unsupported(struct gcal_interp_translator *t, CXCursor at,
                              const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Adds to the nesting, within GCAL_INTERP_MAX_DEPTH; the caller subtracts from t->depth,
 * on failure too.
 */
int gcal_interp_enter(struct gcal_interp_translator *t, CXCursor at, size_t depth);

/* type.c: types, and values in memory */
const struct gcal_interp_type *gcal_interp_type_basic(enum gcal_interp_repr repr);
const struct gcal_interp_type *
gcal_interp_type_translate(struct gcal_interp_translator *t, CXType type, CXCursor at);
const struct gcal_interp_type *
gcal_interp_type_pointer(struct gcal_interp_translator *t,
                         const struct gcal_interp_type *to);
const char *
gcal_interp_type_dtype(const struct gcal_interp_type *type); /* NULL: not a number */
const struct gcal_interp_type *
gcal_interp_type_lane(const struct gcal_interp_type *type); /* or itself */
bool gcal_interp_type_equal(const struct gcal_interp_type *a,
                            const struct gcal_interp_type *b);
int64_t gcal_interp_int_wrap(enum gcal_interp_repr repr, int64_t value);
double gcal_interp_float_round(enum gcal_interp_repr repr, double value);
int64_t gcal_interp_int_from_float(enum gcal_interp_repr repr, double value);
/* The nearest integer of that type, towards zero. */
int64_t gcal_interp_int_saturate(enum gcal_interp_repr repr, double value);
double gcal_interp_float_from_int(enum gcal_interp_repr from, int64_t value);
void gcal_interp_value_read(const struct gcal_interp_type *type,
                            const unsigned char *from, struct gcal_interp_value *value);
void gcal_interp_value_write(const struct gcal_interp_type *type, unsigned char *to,
                             const struct gcal_interp_value *value);

/* record.c: structures and unions */
const struct gcal_interp_type *gcal_interp_type_record(struct gcal_interp_translator *t,
                                                       CXType record, CXCursor at);
bool gcal_interp_type_has_pointers(const struct gcal_interp_type *type);
/* The address of 'type' at 'offset' bytes of what 'address' points to. */
struct gcal_interp_node *gcal_interp_node_place(struct gcal_interp_translator *t,
                                                CXCursor at,
                                                struct gcal_interp_node *address,
                                                size_t offset,
                                                const struct gcal_interp_type *type);
struct gcal_interp_node *gcal_interp_node_member(struct gcal_interp_translator *t,
                                                 CXCursor at, CXCursor field,
                                                 struct gcal_interp_node *address,
                                                 const struct gcal_interp_type *record);
typedef int gcal_interp_add_store(struct gcal_interp_translator *t, CXCursor at,
                                  struct gcal_interp_node *store, void *to);
/* Calls 'add' with a store for each part of an array or structure that the list gives. */
int gcal_interp_add_list(struct gcal_interp_translator *t, CXCursor list,
                         struct gcal_interp_node *address, gcal_interp_add_store *add,
                         void *to);
/* The value of { .. } as a structure. */
struct gcal_interp_node *gcal_interp_node_record(struct gcal_interp_translator *t,
                                                 CXCursor list,
                                                 const struct gcal_interp_type *type);

/* node.c: constants, addresses, loads, stores, choices and calls */
void gcal_interp_eval(struct gcal_interp_work_item *item,
                      const struct gcal_interp_node *node,
                      struct gcal_interp_value *value);
bool gcal_interp_eval_truth(struct gcal_interp_work_item *item,
                            const struct gcal_interp_node *node);
struct gcal_interp_node *gcal_interp_node_int(struct gcal_interp_translator *t,
                                              CXCursor at,
                                              const struct gcal_interp_type *type,
                                              int64_t value);
bool gcal_interp_node_is_zero(const struct gcal_interp_node *node); /* the constant 0 */
struct gcal_interp_node *gcal_interp_node_float(struct gcal_interp_translator *t,
                                                CXCursor at,
                                                const struct gcal_interp_type *type,
                                                double value);
struct gcal_interp_node *gcal_interp_node_variable(struct gcal_interp_translator *t,
                                                   CXCursor at,
                                                   const struct gcal_interp_type *type,
                                                   enum gcal_interp_memory memory);
struct gcal_interp_node *gcal_interp_node_load(struct gcal_interp_translator *t,
                                               CXCursor at,
                                               struct gcal_interp_node *address);
struct gcal_interp_node *gcal_interp_node_store(struct gcal_interp_translator *t,
                                                CXCursor at,
                                                struct gcal_interp_node *address,
                                                struct gcal_interp_node *value);
struct gcal_interp_node *gcal_interp_node_index(struct gcal_interp_translator *t,
                                                CXCursor at,
                                                struct gcal_interp_node *pointer,
                                                struct gcal_interp_node *index,
                                                bool minus);
struct gcal_interp_node *gcal_interp_node_comma(struct gcal_interp_translator *t,
                                                CXCursor at,
                                                struct gcal_interp_node *first,
                                                struct gcal_interp_node *second);
struct gcal_interp_node *gcal_interp_node_select(struct gcal_interp_translator *t,
                                                 CXCursor at,
                                                 struct gcal_interp_node *condition,
                                                 struct gcal_interp_node *yes,
                                                 struct gcal_interp_node *no);
/* Evaluates 'value' once, in '*first' (after its node, if any); the result is a node that
 * reads the value as often as needed.
 */
struct gcal_interp_node *gcal_interp_node_once(struct gcal_interp_translator *t,
                                               CXCursor at,
                                               struct gcal_interp_node *value,
                                               struct gcal_interp_node **first);
bool gcal_interp_node_is_variable(const struct gcal_interp_node *address);
/* The address of element 'index' after 'pointer'. */
struct gcal_interp_node *gcal_interp_node_element(struct gcal_interp_translator *t,
                                                  CXCursor at,
                                                  struct gcal_interp_node *pointer,
                                                  size_t index);
/* Uninitialised memory: pointers become null, numbers improbable values. */
struct gcal_interp_node *gcal_interp_node_reset(struct gcal_interp_translator *t,
                                                CXCursor at,
                                                struct gcal_interp_node *address,
                                                bool zero);
struct gcal_interp_node *
gcal_interp_node_call(struct gcal_interp_translator *t, CXCursor at,
                      const struct gcal_interp_function *function,
                      struct gcal_interp_node **arguments, size_t n);

/* number.c: a function of one to three numbers, lane by lane */
struct gcal_interp_node *
gcal_interp_node_number_function(struct gcal_interp_translator *t, CXCursor at,
                                 const char *name, struct gcal_interp_node **arguments,
                                 size_t n_arguments, const struct gcal_interp_type *type);

/* vector.c: dot(), cross() and the like; NULL without 'err': it is no such function. */
struct gcal_interp_node *
gcal_interp_node_vector_function(struct gcal_interp_translator *t, CXCursor at,
                                 const char *name, struct gcal_interp_node **arguments,
                                 size_t n_arguments, const struct gcal_interp_type *type);

/* arith.c: conversions, operators and vectors */
struct gcal_interp_node *gcal_interp_node_convert(struct gcal_interp_translator *t,
                                                  CXCursor at,
                                                  struct gcal_interp_node *value,
                                                  const struct gcal_interp_type *type);
struct gcal_interp_node *
gcal_interp_node_reinterpret(struct gcal_interp_translator *t, CXCursor at,
                             struct gcal_interp_node *value,
                             const struct gcal_interp_type *type);
struct gcal_interp_node *gcal_interp_node_binary(struct gcal_interp_translator *t,
                                                 CXCursor at, int op,
                                                 struct gcal_interp_node *a,
                                                 struct gcal_interp_node *b,
                                                 const struct gcal_interp_type *type);
struct gcal_interp_node *gcal_interp_node_unary(struct gcal_interp_translator *t,
                                                CXCursor at, int op,
                                                struct gcal_interp_node *a,
                                                const struct gcal_interp_type *type);
struct gcal_interp_node *gcal_interp_node_swizzle(struct gcal_interp_translator *t,
                                                  CXCursor at,
                                                  struct gcal_interp_node *vector,
                                                  const signed char *lanes,
                                                  const struct gcal_interp_type *type);
struct gcal_interp_node *gcal_interp_node_vector(struct gcal_interp_translator *t,
                                                 CXCursor at,
                                                 struct gcal_interp_node **parts,
                                                 size_t n,
                                                 const struct gcal_interp_type *type);
const struct gcal_interp_type *
gcal_interp_type_arithmetic(const struct gcal_interp_type *a,
                            const struct gcal_interp_type *b);

/* builtin.c: a call of a function that the source does not define */
/* Component by component 'yes' where 'which' is negative, else 'no'. */
struct gcal_interp_node *gcal_interp_node_choose_lanes(struct gcal_interp_translator *t,
                                                       CXCursor at,
                                                       struct gcal_interp_node *no,
                                                       struct gcal_interp_node *yes,
                                                       struct gcal_interp_node *which);
struct gcal_interp_node *gcal_interp_node_builtin(struct gcal_interp_translator *t,
                                                  CXCursor at, const char *name,
                                                  struct gcal_interp_node **arguments,
                                                  size_t n,
                                                  const struct gcal_interp_type *type);

/* expr.c.  'effect': an expression whose value is not used. */
struct gcal_interp_node *gcal_interp_translate_value(struct gcal_interp_translator *t,
                                                     CXCursor c);
struct gcal_interp_node *gcal_interp_translate_effect(struct gcal_interp_translator *t,
                                                      CXCursor c);

struct gcal_interp_node *gcal_interp_translate_address(struct gcal_interp_translator *t,
                                                       CXCursor c);

/* object.c: what CUDA has */
/* The address that a reference to 'c' has: of a variable of its own, if it is a value. */
struct gcal_interp_node *gcal_interp_translate_referred(struct gcal_interp_translator *t,
                                                        CXCursor c);
/* "this" where members of 'record' are used. */
struct gcal_interp_node *gcal_interp_translate_this(struct gcal_interp_translator *t,
                                                    CXCursor at, CXCursor record);
/* Makes the first parameter of a method; returns how many. */
int gcal_interp_declare_this(struct gcal_interp_translator *t,
                             struct gcal_interp_function *f);
/* Child 'i' of a call, 'argument', as 'function' takes it. */
struct gcal_interp_node *gcal_interp_translate_argument(struct gcal_interp_translator *t,
                                                        CXCursor call, CXCursor function,
                                                        size_t i, CXCursor argument);
/* A constructor, or a copy by an operator that the compiler makes; false: another call. */
bool gcal_interp_translate_object_call(struct gcal_interp_translator *t, CXCursor call,
                                       struct gcal_source_children kids,
                                       struct gcal_interp_node **n);
bool gcal_interp_returns_reference(const struct gcal_interp_translator *t, CXCursor call);
/* What a constructor does before its body. */
int gcal_interp_translate_members(struct gcal_interp_translator *t, CXCursor constructor,
                                  struct gcal_interp_node_list *list);
struct gcal_interp_node *gcal_interp_translate_lambda(struct gcal_interp_translator *t,
                                                      CXCursor c);
/* "threadIdx.x" and the like; false: it is another member. */
bool gcal_interp_translate_thread(struct gcal_interp_translator *t, CXCursor c,
                                  struct gcal_interp_node **n);

/* stmt.c, switch.c: statements, variables and functions */
/* A private variable of 'type' that 'c' names. */
struct gcal_interp_node *gcal_interp_declare(struct gcal_interp_translator *t, CXCursor c,
                                             const struct gcal_interp_type *type);
int gcal_interp_add_expression(struct gcal_interp_translator *t, CXCursor at,
                               struct gcal_interp_node_list *list,
                               struct gcal_interp_node *value);
struct gcal_interp_node *gcal_interp_translate_statement(struct gcal_interp_translator *t,
                                                         CXCursor c);
struct gcal_interp_node *gcal_interp_translate_switch(struct gcal_interp_translator *t,
                                                      CXCursor c);
struct gcal_interp_function *
gcal_interp_translate_function(struct gcal_interp_translator *t, CXCursor c, CXCursor at);
/* The variable's address; 'init' gets the nodes that initialise it. */
struct gcal_interp_node *
gcal_interp_translate_variable(struct gcal_interp_translator *t, CXCursor c,
                               bool is_global, struct gcal_interp_node_list *init);

#endif
