/* interpret.h - running OpenCL C and C on the host, inside kernels/ only
 *
 * A function's syntax tree is translated once into nodes, each with a function that
 * evaluates it; then every work-item runs them.  Neither language's recursion is
 * allowed, so that each variable has one fixed place in its work-item's memory.
 *
 * A failure at run time is remembered in the run (the first one counts) and values are
 * zero from there on; statements stop as soon as they see it.
 */
#ifndef GCAL_KERNELS_INTERPRET_PRIVATE_H
#define GCAL_KERNELS_INTERPRET_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "kernels/source/source.h"

/* ---- types ---- */

enum gcal_repr {
    GCAL_VOID,
    GCAL_BOOL,
    GCAL_I8,
    GCAL_U8,
    GCAL_I16,
    GCAL_U16,
    GCAL_I32,
    GCAL_U32,
    GCAL_I64,
    GCAL_U64,
    GCAL_F16,
    GCAL_F32,
    GCAL_F64,
    GCAL_POINTER,
    GCAL_VECTOR,
    GCAL_ARRAY,
};

struct gcal_ctype {
    enum gcal_repr repr;
    size_t size;                      /* bytes in the interpreter's memory */
    size_t count;                     /* of a vector or an array */
    const struct gcal_ctype *element; /* of a vector or an array; what a pointer meets */
};

static inline bool gcal_is_int(const struct gcal_ctype *type)
{
    return type->repr >= GCAL_BOOL && type->repr <= GCAL_U64;
}

static inline bool gcal_is_float(const struct gcal_ctype *type)
{
    return type->repr >= GCAL_F16 && type->repr <= GCAL_F64;
}

/* ---- values ---- */

/* Integers of all widths travel as int64_t (uint64 by its bits), floats as double. */
struct gcal_pointer {
    unsigned char *base; /* NULL: null or never set */
    size_t size;         /* bytes from 'base' that may be touched */
    int64_t offset;      /* bytes; may lie outside until it is used */
};

#define GCAL_MAX_LANES 16

struct gcal_lanes {
    union {
        int64_t i[GCAL_MAX_LANES];
        double f[GCAL_MAX_LANES];
    };
};

struct gcal_value { /* of whichever kind the type says */
    union {
        int64_t i;
        double f;
        struct gcal_pointer p;
        struct gcal_lanes v;
    };
};

/* ---- the program ---- */

enum gcal_memory { GCAL_MEMORY_PRIVATE, GCAL_MEMORY_GROUP, GCAL_MEMORY_STATIC };

enum gcal_flow {
    GCAL_FLOW_NEXT,
    GCAL_FLOW_BREAK,
    GCAL_FLOW_CONTINUE,
    GCAL_FLOW_RETURN, /* or a failure */
};

struct gcal_item;
struct gcal_inode;

typedef int64_t gcal_eval_int(struct gcal_item *, const struct gcal_inode *);
typedef double gcal_eval_float(struct gcal_item *, const struct gcal_inode *);
typedef struct gcal_pointer gcal_eval_pointer(struct gcal_item *,
                                              const struct gcal_inode *);
typedef void gcal_eval_lanes(struct gcal_item *, const struct gcal_inode *,
                             struct gcal_lanes *);
typedef void gcal_eval_void(struct gcal_item *, const struct gcal_inode *);
typedef enum gcal_flow gcal_eval_flow(struct gcal_item *, const struct gcal_inode *);

/* A node of the interpreter: an expression, or a statement ('flow', type NULL). */
struct gcal_inode {
    union {
        gcal_eval_int *i;
        gcal_eval_float *f;
        gcal_eval_pointer *p;
        gcal_eval_lanes *v;
        gcal_eval_void *none;
        gcal_eval_flow *flow;
    } eval;
    const struct gcal_ctype *type;
    struct gcal_inode *a, *b, *c, *d;
    struct gcal_inode **list;
    size_t n_list;
    union {
        int64_t i;
        double f;
        struct {
            enum gcal_memory memory;
            size_t offset;
        } place;
        struct {
            int64_t (*ints)(int64_t, int64_t, int64_t);
            double (*floats)(double, double, double);
        } call;
        signed char lanes[GCAL_MAX_LANES];
    } k;
    int op;           /* enum CXBinaryOperatorKind or CXUnaryOperatorKind */
    const char *name; /* of what is accessed or called, or "" */
    int line, column;
};

struct gcal_function {
    CXCursor cursor;
    bool translating; /* to see recursion */
    struct gcal_inode *body;
    const struct gcal_ctype *result_type;
    struct gcal_inode *result_place, *result; /* its address and its load; NULL: void */
    size_t depth;                             /* of its nodes' nesting, calls included */
    size_t n_params;
    struct gcal_inode **params; /* their addresses */
};

struct gcal_list { /* starts as { 0 } */
    struct gcal_inode **nodes;
    size_t n, capacity;
};

struct gcal_program {
    struct gcal_unit *unit;
    const char *what;          /* "kernel" or "function", for messages */
    struct gcal_block *blocks; /* all that is below is allocated here */
    size_t size[3];            /* of the memories */
    struct gcal_list static_init;
    bool has_barrier;
    struct gcal_function *entry;
};

/* Translates 'entry', a function of 'unit'.  NULL with 'err' at the first construct
 * that is not supported.  The unit must outlive the program.
 */
struct gcal_program *gcal_program_create(struct gcal_unit *unit, CXCursor entry,
                                         struct gcal_error *err);
void gcal_program_destroy(struct gcal_program *program);

/* ---- running ---- */

struct gcal_run {
    const struct gcal_program *program;
    struct gcal_error *err;
    bool failed;
    int64_t steps_left;
    size_t n_dims;
    size_t global_size[GCAL_MAX_DIMS], local_size[GCAL_MAX_DIMS];
    size_t group_id[GCAL_MAX_DIMS];
    ucontext_t scheduler;
};

struct gcal_item {
    struct gcal_run *run;
    unsigned char *memory[3]; /* by enum gcal_memory */
    size_t local_id[GCAL_MAX_DIMS];
    ucontext_t context;
    const struct gcal_inode *barrier; /* where it waits, or NULL */
    bool done;
};

/* Loop turns and calls that one run may take before it counts as endless. */
#define GCAL_MAX_STEPS 300000000

void gcal_run_fail(struct gcal_item *item, const struct gcal_inode *at, const char *fmt,
                   ...) __attribute__((format(printf, 3, 4)));

/* One turn of a loop or one call: false when the run must stop. */
static inline bool gcal_run_step(struct gcal_item *item, const struct gcal_inode *at)
{
    if (--item->run->steps_left < 0)
        gcal_run_fail(item, at,
                      "still running after %d loop turns: endless, or its sizes are too "
                      "large for a check on the host",
                      GCAL_MAX_STEPS);
    return !item->run->failed;
}

/* ---- the translator's parts ---- */

struct gcal_variable {
    CXCursor cursor;
    struct gcal_inode *address;
};

struct gcal_translator {
    struct gcal_unit *unit;
    struct gcal_program *program;
    struct gcal_error *err;
    struct gcal_variable *variables;
    size_t n_variables, variables_capacity;
    struct gcal_function **functions;
    size_t n_functions, functions_capacity;
    struct gcal_function *function; /* being translated */
    size_t depth, deepest;
};

/* Nodes may nest this deep, so that a work-item's stack suffices. */
#define GCAL_MAX_DEPTH 1000

/* All of these return NULL (or -1) with 'err' filled when they cannot. */

void *gcal_program_alloc(struct gcal_translator *t, size_t size); /* zeroed */
int gcal_list_add(struct gcal_translator *t, struct gcal_list *list,
                  struct gcal_inode *node);
char *gcal_program_name(struct gcal_translator *t, CXCursor cursor);
struct gcal_inode *gcal_inode_create(struct gcal_translator *t, CXCursor at,
                                     const struct gcal_ctype *type);
/* "file:line:column: 'what' is not supported when interpreting" */
void *gcal_unsupported(struct gcal_translator *t, CXCursor at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* interpret_type.c */
const struct gcal_ctype *gcal_ctype_basic(enum gcal_repr repr);
const struct gcal_ctype *gcal_ctype_named(const char *name, size_t length);
const struct gcal_ctype *gcal_ctype_translate(struct gcal_translator *t, CXType type,
                                              CXCursor at);
const struct gcal_ctype *gcal_ctype_pointer(struct gcal_translator *t,
                                            const struct gcal_ctype *to);
const char *gcal_ctype_dtype(const struct gcal_ctype *type); /* NULL: not a number */
const struct gcal_ctype *gcal_ctype_lane(const struct gcal_ctype *type); /* or itself */
bool gcal_ctype_same(const struct gcal_ctype *a, const struct gcal_ctype *b);
int64_t gcal_int_wrap(enum gcal_repr repr, int64_t value);
double gcal_float_round(enum gcal_repr repr, double value);
int64_t gcal_int_from(enum gcal_repr repr, double value);
/* The nearest integer of that type, towards zero. */
int64_t gcal_int_saturate(enum gcal_repr repr, double value);
double gcal_float_from(enum gcal_repr from, int64_t value);
void gcal_value_read(const struct gcal_ctype *type, const unsigned char *from,
                     struct gcal_value *value);
void gcal_value_write(const struct gcal_ctype *type, unsigned char *to,
                      const struct gcal_value *value);

/* interpret_eval.c: nodes that evaluate */
void gcal_eval(struct gcal_item *item, const struct gcal_inode *node,
               struct gcal_value *value);
bool gcal_eval_truth(struct gcal_item *item, const struct gcal_inode *node);
struct gcal_inode *gcal_inode_int(struct gcal_translator *t, CXCursor at,
                                  const struct gcal_ctype *type, int64_t value);
bool gcal_inode_is_zero(const struct gcal_inode *node); /* the constant 0 */
struct gcal_inode *gcal_inode_float(struct gcal_translator *t, CXCursor at,
                                    const struct gcal_ctype *type, double value);
struct gcal_inode *gcal_inode_variable(struct gcal_translator *t, CXCursor at,
                                       const struct gcal_ctype *type,
                                       enum gcal_memory memory);
struct gcal_inode *gcal_inode_load(struct gcal_translator *t, CXCursor at,
                                   struct gcal_inode *address);
struct gcal_inode *gcal_inode_store(struct gcal_translator *t, CXCursor at,
                                    struct gcal_inode *address, struct gcal_inode *value);
struct gcal_inode *gcal_inode_index(struct gcal_translator *t, CXCursor at,
                                    struct gcal_inode *pointer, struct gcal_inode *index,
                                    bool minus);
struct gcal_inode *gcal_inode_comma(struct gcal_translator *t, CXCursor at,
                                    struct gcal_inode *first, struct gcal_inode *second);
struct gcal_inode *gcal_inode_choose(struct gcal_translator *t, CXCursor at,
                                     struct gcal_inode *condition, struct gcal_inode *yes,
                                     struct gcal_inode *no);
/* Evaluates 'value' once: '*first' (may hold something before) does so, the result
 * reads what came out as often as needed.
 */
struct gcal_inode *gcal_inode_keep(struct gcal_translator *t, CXCursor at,
                                   struct gcal_inode *value, struct gcal_inode **first);
bool gcal_inode_is_variable(const struct gcal_inode *address);
/* Element 'index' of what 'pointer' points to. */
struct gcal_inode *gcal_inode_element(struct gcal_translator *t, CXCursor at,
                                      struct gcal_inode *pointer, size_t index);
/* Uninitialised memory: pointers become null, numbers odd. */
struct gcal_inode *gcal_inode_forget(struct gcal_translator *t, CXCursor at,
                                     struct gcal_inode *address, bool zero);
struct gcal_inode *gcal_inode_call(struct gcal_translator *t, CXCursor at,
                                   const struct gcal_function *function,
                                   struct gcal_inode **arguments, size_t n);

/* interpret_arith.c */
struct gcal_inode *gcal_inode_convert(struct gcal_translator *t, CXCursor at,
                                      struct gcal_inode *value,
                                      const struct gcal_ctype *type);
struct gcal_inode *gcal_inode_reinterpret(struct gcal_translator *t, CXCursor at,
                                          struct gcal_inode *value,
                                          const struct gcal_ctype *type);
struct gcal_inode *gcal_inode_binary(struct gcal_translator *t, CXCursor at, int op,
                                     struct gcal_inode *a, struct gcal_inode *b,
                                     const struct gcal_ctype *type);
struct gcal_inode *gcal_inode_unary(struct gcal_translator *t, CXCursor at, int op,
                                    struct gcal_inode *a, const struct gcal_ctype *type);
struct gcal_inode *gcal_inode_swizzle(struct gcal_translator *t, CXCursor at,
                                      struct gcal_inode *vector, const signed char *lanes,
                                      const struct gcal_ctype *type);
struct gcal_inode *gcal_inode_vector(struct gcal_translator *t, CXCursor at,
                                     struct gcal_inode **parts, size_t n,
                                     const struct gcal_ctype *type);
const struct gcal_ctype *gcal_ctype_arithmetic(const struct gcal_ctype *a,
                                               const struct gcal_ctype *b);

/* interpret_builtin.c: a function that the source does not define */
struct gcal_inode *gcal_inode_builtin(struct gcal_translator *t, CXCursor at,
                                      const char *name, struct gcal_inode **arguments,
                                      size_t n, const struct gcal_ctype *type);

/* interpret_expr.c.  'effect': as a value that nobody uses.  gcal_enter() counts the
 * nesting up; whoever calls it counts t->depth down.
 */
int gcal_enter(struct gcal_translator *t, CXCursor at, size_t depth);
struct gcal_inode *gcal_translate_value(struct gcal_translator *t, CXCursor c);
struct gcal_inode *gcal_translate_effect(struct gcal_translator *t, CXCursor c);
struct gcal_inode *gcal_translate_address(struct gcal_translator *t, CXCursor c);

/* interpret_stmt.c */
struct gcal_inode *gcal_translate_statement(struct gcal_translator *t, CXCursor c);
struct gcal_function *gcal_translate_function(struct gcal_translator *t, CXCursor c,
                                              CXCursor at);
/* Gives the variable its place; 'init' gets the nodes that initialise it. */
struct gcal_inode *gcal_translate_variable(struct gcal_translator *t, CXCursor c,
                                           bool is_global, struct gcal_list *init);

#endif
