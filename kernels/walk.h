/* walk.h - from libclang's tree to the loop-nest form (private to walk*.c and count.c)
 *
 * The walk runs through a kernel once, with symbolic values for integers and pointers.
 * A value is not known when it comes from memory or is changed in a way that does not
 * follow from ids, sizes and loop variables.
 */
#ifndef GCAL_KERNELS_WALK_H
#define GCAL_KERNELS_WALK_H

#include "kernels/clang.h"
#include "kernels/ir.h"

struct gcal_count_request;
struct gcal_error;

enum { GCAL_DEEPEST = 1500 };

enum gcal_value_kind { VALUE_UNKNOWN, VALUE_INTEGER, VALUE_POINTER };

struct gcal_value {
    enum gcal_value_kind kind;
    const struct gcal_poly *p; /* integer; pointer: bytes, NULL when not known */
    unsigned array;            /* pointer: index into the nest's arrays */
    const char *why;           /* unknown: the reason, for messages; may be NULL */
};

struct gcal_variable {
    CXCursor decl;
    struct gcal_value value;
};

struct gcal_kids {
    size_t n;
    CXCursor *c;
};

struct gcal_walk {
    const struct gcal_count_request *request;
    const struct gcal_unit *unit;
    const struct gcal_clang *clang;
    struct gcal_nest *nest;
    struct gcal_polys *c;
    const struct gcal_domain *domain;
    size_t n_variables, variable_capacity;
    struct gcal_variable *variables;
    size_t n_indices, index_capacity;
    CXCursor *indices; /* variables that serve subscripts and loop control */
    int quiet;         /* > 0: integer arithmetic is not counted */
    int silent;        /* > 0: nothing is counted */
    int loop_depth;    /* of the function that is walked */
    int call_depth;
    int depth;       /* of expressions, for the stack's sake */
    size_t n_events; /* counted so far */
    struct gcal_value returned;
    int n_returns;
    const struct gcal_domain *function_domain; /* at its start */
    bool failed;
    struct gcal_error *err;
};

/* How a statement is left. */
enum gcal_flow { FLOW_ON, FLOW_MAYBE_LEFT, FLOW_LEFT };

/* ---- walk.c: events, variables, helpers ---- */
void gcal_walk_fail(struct gcal_walk *w, CXCursor at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
struct gcal_kids gcal_walk_kids(struct gcal_walk *w, CXCursor c);
const char *gcal_walk_name(struct gcal_walk *w, CXCursor c);
CXType gcal_walk_type(struct gcal_walk *w, CXCursor c); /* canonical */
int64_t gcal_type_width(struct gcal_walk *w, CXType type);
bool gcal_dtype_is_integer(const char *dtype);
struct gcal_value gcal_unknown(const char *why);
struct gcal_value gcal_integer(const struct gcal_poly *p);
struct gcal_value *gcal_variable_find(struct gcal_walk *w, CXCursor decl);
void gcal_variable_set(struct gcal_walk *w, CXCursor decl, struct gcal_value value);
unsigned gcal_array_find(struct gcal_walk *w, const char *name, enum gcal_space space);
void gcal_count_op(struct gcal_walk *w, CXType type, const char *op);
void gcal_count_access(struct gcal_walk *w, CXCursor at, CXType type, int64_t width,
                       enum gcal_space space, enum gcal_direction direction,
                       struct gcal_value pointer, const char *tag);
/* Of one element, by the operation 'op'. */
void gcal_count_atomic(struct gcal_walk *w, CXCursor at, CXType type,
                       enum gcal_space space, const char *op, struct gcal_value pointer,
                       const char *tag);
void gcal_count_branch(struct gcal_walk *w, CXCursor at,
                       const struct gcal_condition *condition);
void gcal_count_barrier(struct gcal_walk *w, CXCursor at);
/* 'condition' NULL: one that is not known; both of its sides are counted, and 'why' is
 * noted at 'at'.
 */
void gcal_push_condition(struct gcal_walk *w, CXCursor at,
                         const struct gcal_condition *condition, const char *why);
void gcal_push_loop(struct gcal_walk *w, CXCursor at, unsigned atom,
                    const struct gcal_poly *trips);
CXCursor gcal_strip(struct gcal_walk *w, CXCursor c); /* parentheses and casts */

/* ---- walk_expr.c ---- */
struct gcal_value gcal_walk_expr(struct gcal_walk *w, CXCursor c);
struct gcal_value gcal_walk_quietly(struct gcal_walk *w, CXCursor c);
struct gcal_value gcal_walk_silently(struct gcal_walk *w, CXCursor c);

/* ---- walk_arith.c ---- */
/* a op b of two integers; not known for operators that are not affine. */
struct gcal_value gcal_combine(struct gcal_walk *w, enum CXBinaryOperatorKind kind,
                               struct gcal_value a, struct gcal_value b);
/* A pointer of 'type' moved by sign*by elements. */
struct gcal_value gcal_move_pointer(struct gcal_walk *w, struct gcal_value pointer,
                                    struct gcal_value by, CXType type, int sign);
/* What features call an operator; NULL for those that are not counted. */
const char *gcal_op_name(enum CXBinaryOperatorKind kind);
/* The binary operation behind +=, and so on. */
enum CXBinaryOperatorKind gcal_compound_kind(enum CXBinaryOperatorKind kind);

/* ---- walk_guard.c ---- */
/* An expression as a condition; NULL when it does not follow from ids and sizes.  The
 * operations in it are not counted here.
 */
const struct gcal_condition *gcal_walk_condition(struct gcal_walk *w, CXCursor c);

/* ---- walk_call.c ---- */
struct gcal_value gcal_walk_call(struct gcal_walk *w, CXCursor c);

/* ---- walk_stmt.c ---- */
enum gcal_flow gcal_walk_stmt(struct gcal_walk *w, CXCursor c);

/* ---- walk_loop.c ---- */
enum gcal_flow gcal_walk_for(struct gcal_walk *w, CXCursor c);

/* ---- walk_index.c: which variables serve subscripts and loop control ---- */
void gcal_find_indices(struct gcal_walk *w, CXCursor function);
bool gcal_is_index(const struct gcal_walk *w, CXCursor decl);

#endif
