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
    bool on_data;              /* what is not known of it comes from memory */
    const struct gcal_condition *condition; /* unknown: 1 where this holds, 0 elsewhere */
};

/* What is known of an expression as a condition. */
struct gcal_truth {
    bool known;
    /* known: when it holds; else what must be true for it to hold, and not to hold, each
     * NULL when there is nothing to say
     */
    const struct gcal_condition *when, *unless;
    bool on_data;
    const char *why; /* it is not known */
};

/* Whether control leaves a statement in a certain way instead of going on behind it. */
struct gcal_exit {
    enum { EXIT_NEVER, EXIT_WHEN, EXIT_MAYBE, EXIT_ALWAYS } kind;
    const struct gcal_condition *when; /* EXIT_WHEN */
    CXCursor at;                       /* what leaves */
};

enum gcal_way { GCAL_RETURN, GCAL_BREAK, GCAL_CONTINUE, GCAL_WAYS };

struct gcal_flow {
    struct gcal_exit ways[GCAL_WAYS];
};

struct gcal_variable {
    CXCursor decl;
    struct gcal_value value;
};

/* The conditions around a statement since its function began, innermost first. */
struct gcal_path {
    const struct gcal_path *parent;
    const struct gcal_condition *condition; /* NULL: not known */
};

struct gcal_return {
    struct gcal_value value;
    const struct gcal_path *path;
};

/* A loop's trip count from the user, or a tag that a comment gives. */
struct gcal_remark {
    size_t at, end; /* offsets in the source */
    int line, column;
    const char *name;
    bool used;
};

struct gcal_remarks {
    size_t n, capacity;
    struct gcal_remark *all;
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
    size_t n_declared, declared_capacity;
    CXCursor *declared; /* arrays whose bytes were summed */
    int quiet;          /* > 0: integer arithmetic is that of subscripts and control */
    int silent;         /* > 0: nothing is counted */
    int frozen;         /* > 0: variables keep their values */
    int in_control;     /* > 0: a loop's bounds, where unsigned values do not wrap */
    int tentative;      /* > 0: what is not affine is only noticed: see not_affine */
    int call_depth;
    int depth;         /* of expressions, for the stack's sake */
    size_t n_events;   /* counted so far */
    size_t not_affine; /* conditions and subscripts that follow from sizes, unseen how */
    size_t n_unrolled; /* iterations of loops that were run one by one */
    const struct gcal_path *path;
    size_t n_returns, return_capacity;
    struct gcal_return *returns; /* of the function that is walked */
    struct gcal_remarks tags, trips;
    bool failed;
    struct gcal_error *err;
};

/* ---- walk.c: variables and helpers ---- */
void gcal_walk_fail(struct gcal_walk *w, CXCursor at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void gcal_walk_fail_memory(struct gcal_walk *w);
/* Takes 'kernel' from its parameters to its last statement. */
void gcal_walk_function(struct gcal_walk *w, CXCursor kernel);
void gcal_walk_clear(struct gcal_walk *w);
struct gcal_kids gcal_walk_kids(struct gcal_walk *w, CXCursor c);
const char *gcal_walk_name(struct gcal_walk *w, CXCursor c);
CXType gcal_walk_type(struct gcal_walk *w, CXCursor c); /* canonical */
int64_t gcal_type_width(struct gcal_walk *w, CXType type);
bool gcal_type_is_pointer(CXType type);
bool gcal_type_is_array(CXType type);
bool gcal_type_is_record(CXType type);
bool gcal_type_is_integer(struct gcal_walk *w, CXType type); /* a scalar */
bool gcal_dtype_is_integer(const char *dtype);
bool gcal_cursor_is_null(struct gcal_walk *w, CXCursor c);
CXCursor gcal_strip(struct gcal_walk *w, CXCursor c); /* parentheses and casts */
struct gcal_value gcal_unknown(const char *why);      /* it depends on data */
struct gcal_value gcal_not_affine(const char *why); /* it follows from sizes, but how? */
struct gcal_value gcal_integer(const struct gcal_poly *p);
struct gcal_value *gcal_variable_find(struct gcal_walk *w, CXCursor decl);
void gcal_variable_set(struct gcal_walk *w, CXCursor decl, struct gcal_value value);
/* Its value, not known when it has none. */
struct gcal_value gcal_variable_get(struct gcal_walk *w, CXCursor decl);
/* All variables as they are now, in the context's memory; and back to that. */
struct gcal_variable *gcal_variables_save(struct gcal_walk *w, size_t *n);
void gcal_variables_restore(struct gcal_walk *w, const struct gcal_variable *saved,
                            size_t n);

/* ---- walk_event.c: what is counted, and the domains around it ---- */
unsigned gcal_array_find(struct gcal_walk *w, const char *name, enum gcal_space space);
void gcal_count_op(struct gcal_walk *w, CXType type, const char *op);
void gcal_count_access(struct gcal_walk *w, CXCursor at, CXType type, int64_t width,
                       enum gcal_space space, enum gcal_direction direction,
                       struct gcal_value pointer, const char *tag);
void gcal_count_branch(struct gcal_walk *w, CXCursor at,
                       const struct gcal_condition *condition);
void gcal_count_barrier(struct gcal_walk *w, CXCursor at);
/* Adds an array's bytes, once. */
void gcal_count_bytes(struct gcal_walk *w, CXCursor decl);
/* 'condition' NULL: one that is not known, counted as if it held. */
void gcal_push_condition(struct gcal_walk *w, CXCursor at,
                         const struct gcal_condition *condition);
/* Where 'truth' holds, or where it does not.  What is not known and not on data is
 * refused unless estimates are allowed.
 */
void gcal_push_truth(struct gcal_walk *w, CXCursor at, const struct gcal_truth *truth,
                     bool holds);
void gcal_push_loop(struct gcal_walk *w, CXCursor at, unsigned atom,
                    const struct gcal_poly *trips);
void gcal_walk_note(struct gcal_walk *w, CXCursor at, const char *text);
/* Notes it when something was counted since there were 'n_events'. */
void gcal_note_both_sides(struct gcal_walk *w, CXCursor condition, size_t n_events);

/* All that was counted so far, to go back to. */
struct gcal_mark {
    size_t n_ops, n_accesses, n_barriers, n_branches, n_notes, n_events;
};
struct gcal_mark gcal_events_mark(const struct gcal_walk *w);
void gcal_events_rewind(struct gcal_walk *w, const struct gcal_mark *mark);

/* ---- walk_exit.c: how statements are left ---- */
struct gcal_flow gcal_flow_on(void); /* control goes on behind it */
struct gcal_flow gcal_flow_leave(enum gcal_way way, CXCursor at);
struct gcal_exit gcal_exit_either(struct gcal_walk *w, struct gcal_exit a,
                                  struct gcal_exit b);
struct gcal_exit gcal_exit_both(struct gcal_walk *w, struct gcal_exit a,
                                struct gcal_exit b);
struct gcal_exit gcal_exit_not(struct gcal_walk *w, struct gcal_exit a);
struct gcal_exit gcal_exit_of(const struct gcal_truth *truth, CXCursor at, bool holds);
/* 'first', and what is not left by it goes on to 'second'. */
struct gcal_flow gcal_flow_then(struct gcal_walk *w, struct gcal_flow first,
                                struct gcal_flow second);
/* 'yes' where 'truth' holds, else 'no'. */
struct gcal_flow gcal_flow_branch(struct gcal_walk *w, CXCursor at,
                                  const struct gcal_truth *truth, struct gcal_flow yes,
                                  struct gcal_flow no);
/* 'flow' where the exit 'reached' takes place. */
struct gcal_flow gcal_flow_within(struct gcal_walk *w, struct gcal_exit reached,
                                  struct gcal_flow flow);
/* Whether it is left in any way. */
struct gcal_exit gcal_flow_left(struct gcal_walk *w, const struct gcal_flow *flow);
/* What follows happens where it was not left. */
void gcal_push_rest(struct gcal_walk *w, CXCursor at, const struct gcal_flow *flow);

/* ---- walk_merge.c: values behind branches ---- */
/* 'yes' where 'truth' holds, else 'no'. */
struct gcal_value gcal_value_choose(struct gcal_walk *w, const struct gcal_truth *truth,
                                    struct gcal_value yes, struct gcal_value no);
/* The variables hold their values of 'no' now. */
void gcal_variables_merge(struct gcal_walk *w, const struct gcal_truth *truth,
                          const struct gcal_variable *yes, size_t n);
/* A condition as the integer 0 or 1; NULL when that has no form. */
const struct gcal_poly *gcal_condition_indicator(struct gcal_walk *w,
                                                 const struct gcal_condition *condition);
/* A value that is a condition becomes the integer 0 or 1 where that has a form. */
struct gcal_value gcal_value_as_integer(struct gcal_walk *w, struct gcal_value value);
void gcal_path_push(struct gcal_walk *w, const struct gcal_truth *truth, bool holds);
void gcal_return_add(struct gcal_walk *w, struct gcal_value value);
/* What the function that was walked returns. */
struct gcal_value gcal_returns_value(struct gcal_walk *w);

/* ---- walk_expr.c ---- */
struct gcal_value gcal_walk_expr(struct gcal_walk *w, CXCursor c);
struct gcal_value gcal_walk_quietly(struct gcal_walk *w, CXCursor c);
/* Its value only: nothing is counted, nothing changes. */
struct gcal_value gcal_walk_silently(struct gcal_walk *w, CXCursor c);

/* ---- walk_place.c: lvalues ---- */
struct gcal_place {
    enum { PLACE_PRIVATE, PLACE_VARIABLE, PLACE_MEMORY } kind;
    CXCursor decl; /* variable */
    enum gcal_space space;
    CXType type;
    struct gcal_value pointer;
    const char *tag;
};
struct gcal_place gcal_place_find(struct gcal_walk *w, CXCursor c);
struct gcal_value gcal_place_load(struct gcal_walk *w, CXCursor at,
                                  const struct gcal_place *place);
void gcal_place_store(struct gcal_walk *w, CXCursor at, const struct gcal_place *place,
                      struct gcal_value value);
struct gcal_value gcal_evaluated(struct gcal_walk *w, CXCursor c); /* by libclang */

/* ---- walk_arith.c ---- */
/* a op b of two integers of 'type'; not known for operators that are not affine. */
struct gcal_value gcal_combine(struct gcal_walk *w, enum CXBinaryOperatorKind kind,
                               CXType type, struct gcal_value a, struct gcal_value b);
/* A pointer of 'type' moved by sign*by elements. */
struct gcal_value gcal_move_pointer(struct gcal_walk *w, struct gcal_value pointer,
                                    struct gcal_value by, CXType type, int sign);
/* An integer of type 'from' converted to 'to'. */
struct gcal_value gcal_convert(struct gcal_walk *w, struct gcal_value value, CXType from,
                               CXType to);
bool gcal_type_is_unsigned(CXType type); /* and at least as wide as int */
/* Whether p is never negative where the walk stands. */
bool gcal_walk_is_nonnegative(struct gcal_walk *w, const struct gcal_poly *p);
/* What features call an operator; NULL for those that are not counted. */
const char *gcal_op_name(enum CXBinaryOperatorKind kind);
/* The binary operation behind +=, and so on. */
enum CXBinaryOperatorKind gcal_compound_kind(enum CXBinaryOperatorKind kind);

/* ---- walk_guard.c ---- */
/* An expression as a condition.  The operations in it are not counted here. */
struct gcal_truth gcal_walk_truth(struct gcal_walk *w, CXCursor c);
struct gcal_truth gcal_truth_not(struct gcal_walk *w, struct gcal_truth truth);
/* Of 'truth': 1, 0, or -1 for neither. */
int gcal_truth_decide(struct gcal_walk *w, const struct gcal_truth *truth);
/* a op b as numbers. */
const struct gcal_condition *gcal_condition_compare(struct gcal_walk *w,
                                                    enum CXBinaryOperatorKind kind,
                                                    const struct gcal_poly *a,
                                                    const struct gcal_poly *b);

/* ---- walk_call.c ---- */
struct gcal_value gcal_walk_call(struct gcal_walk *w, CXCursor c);

/* ---- walk_stmt.c, walk_switch.c ---- */
struct gcal_flow gcal_walk_stmt(struct gcal_walk *w, CXCursor c);
struct gcal_flow gcal_walk_switch(struct gcal_walk *w, CXCursor c);

/* ---- walk_loop.c ---- */
/* A loop of any form; what is left out is a null cursor. */
struct gcal_loop {
    CXCursor at, condition, increment, body;
    bool tests_late; /* do: the condition stands at the end */
};
struct gcal_flow gcal_walk_loop(struct gcal_walk *w, CXCursor c);

/* ---- walk_unroll.c: loops run one iteration after the other ---- */
struct gcal_flow gcal_loop_unroll(struct gcal_walk *w, const struct gcal_loop *loop);

/* ---- walk_step.c: what a loop changes, and what moves along with it ---- */
enum { GCAL_MOST_CHANGED = 64 };

struct gcal_moving {
    CXCursor decl;
    struct gcal_value start;      /* before the loop */
    const struct gcal_poly *step; /* by iteration, elements of a pointer; NULL: unknown */
};

struct gcal_changes {
    size_t n;
    struct gcal_moving all[GCAL_MOST_CHANGED];
    int times[GCAL_MOST_CHANGED];
    bool too_many;
};

/* Fills 'changes' with the variables that have values now. */
void gcal_changes_find(struct gcal_walk *w, const struct gcal_loop *loop,
                       struct gcal_changes *changes);
/* Gives them their values at the top of iteration 'v'. */
void gcal_changes_set(struct gcal_walk *w, const struct gcal_changes *changes,
                      const struct gcal_poly *v);
/* Makes them unknown, for 'why', but those that move if 'v' is the iteration. */
void gcal_changes_finish(struct gcal_walk *w, const struct gcal_changes *changes,
                         const struct gcal_poly *v);
/* Whether 'c' holds a statement that may leave a loop around it; 'next': by continue. */
bool gcal_holds_exit(struct gcal_walk *w, CXCursor c, bool next);

/* ---- walk_trips.c: how often a loop runs ---- */
struct gcal_trip_count {
    const struct gcal_poly *trips;       /* below 0 stands for 0; NULL: it has no end */
    const struct gcal_condition *guard;  /* it runs only where this holds; may be NULL */
};
/* The first value of the dimension 'v' where 'condition' does not hold; false with '*why'
 * when that has no form.
 */
bool gcal_trips_find(struct gcal_walk *w, const struct gcal_condition *condition,
                     unsigned v, struct gcal_trip_count *count, const char **why);

/* ---- walk_remark.c: pragmas and comments ---- */
/* Reads those of the source. */
void gcal_remarks_read(struct gcal_walk *w);
/* Ties those in 'function' to its loops and accesses; what ties to nothing is an error. */
void gcal_remarks_tie(struct gcal_walk *w, CXCursor function);
/* The parameter that says how often the loop runs, or NULL. */
const char *gcal_remark_trips(struct gcal_walk *w, CXCursor loop);
/* The tag that a comment behind 'c' gives, or NULL. */
const char *gcal_remark_tag(struct gcal_walk *w, CXCursor c);

/* ---- walk_index.c: which variables serve subscripts and loop control ---- */
void gcal_find_indices(struct gcal_walk *w, CXCursor function);
bool gcal_is_index(const struct gcal_walk *w, CXCursor decl);

#endif
