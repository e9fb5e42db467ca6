/* private.h - the walk's state and the parts of it
 *
 * The walk runs through a kernel once, with symbolic values for integers and pointers.
 * A value is not known when it comes from memory or is changed in a way that does not
 * follow from ids, sizes and loop variables.
 */
#ifndef GCAL_KERNELS_WALK_PRIVATE_H
#define GCAL_KERNELS_WALK_PRIVATE_H

#include "kernels/request.h"
#include "kernels/sets/sets.h"
#include "kernels/source/source.h"
#include "kernels/walk/walk.h"

struct gcal_error;

enum { GCAL_DEEPEST = 1500, GCAL_MOST_STEPS = 3000000 };

enum gcal_value_kind { VALUE_UNKNOWN, VALUE_INTEGER, VALUE_POINTER };

struct gcal_value {
    enum gcal_value_kind kind;
    const struct gcal_poly *p; /* integer; pointer: bytes, NULL when not known */
    unsigned array;            /* pointer: index into the nest's arrays */
    const char *why;           /* unknown: the reason, for messages; may be NULL */
    bool on_data;              /* what is not known of it comes from memory */
    const struct gcal_condition *condition; /* unknown: 1 where this holds, 0 elsewhere */
    const struct gcal_condition *when, *unless; /* as in gcal_truth, of what is unknown */
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
    bool on_data;                      /* EXIT_MAYBE */
    CXCursor at;                       /* what leaves */
};

enum gcal_way { GCAL_RETURN, GCAL_BREAK, GCAL_CONTINUE, GCAL_WAYS };

struct gcal_flow {
    struct gcal_exit ways[GCAL_WAYS];
};

struct gcal_variable {
    CXCursor decl;
    struct gcal_value value;
    bool escaped; /* its address was taken: never known again */
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

/* What the user says of a loop by a pragma, or of an access by a comment. */
struct gcal_remark {
    bool is_tag;
    const char *name;
    size_t at;       /* its offset in the source */
    size_t group;    /* that of the #if around it, 0 without */
    bool in_macro;   /* the text of a #define */
    int line;        /* trips that are no pragma: of the loop; else 0 */
    bool found;      /* what it says something about */
    size_t from, to; /* a tag: the text of the access, or of a pointer argument */
    bool is_pointer; /* it is the latter */
    size_t loop;     /* trips: the offset of that */
    size_t function; /* that of the function around it that is walked; 0 for none */
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
    size_t first_op;   /* operations before it are not added to */
    size_t not_affine; /* conditions and subscripts that follow from sizes, unseen how */
    size_t n_steps;    /* statements and expressions that were walked */
    size_t n_unrolled; /* iterations of loops that were run one by one */
    const struct gcal_path *path;
    size_t n_returns, return_capacity;
    struct gcal_return *returns; /* of the functions that are walked */
    struct gcal_remarks remarks;
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
/* One more statement or expression; false when it is too deep, or one too many. */
bool gcal_walk_enter(struct gcal_walk *w, CXCursor c);
void gcal_walk_leave(struct gcal_walk *w);
struct gcal_kids gcal_walk_kids(struct gcal_walk *w, CXCursor c);
const char *gcal_walk_name(struct gcal_walk *w, CXCursor c);
CXType gcal_walk_type(CXCursor c); /* canonical */
int64_t gcal_type_width(CXType type);
bool gcal_type_is_pointer(CXType type);
bool gcal_type_is_array(CXType type);
bool gcal_type_is_record(CXType type);
bool gcal_type_is_integer(CXType type); /* a scalar */
bool gcal_dtype_is_integer(const char *dtype);
CXCursor gcal_strip(struct gcal_walk *w, CXCursor c); /* parentheses and casts */
struct gcal_value gcal_unknown(const char *why);      /* it depends on data */
struct gcal_value gcal_not_affine(const char *why); /* it follows from sizes, but how? */
struct gcal_value gcal_integer(const struct gcal_poly *p);
struct gcal_value *gcal_variable_find(struct gcal_walk *w, CXCursor decl);
void gcal_variable_set(struct gcal_walk *w, CXCursor decl, struct gcal_value value);
/* Its address is taken, and who knows what changes it from now on. */
void gcal_variable_escape(struct gcal_walk *w, CXCursor decl);
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
/* Of one element, by the operation 'op'. */
void gcal_count_atomic(struct gcal_walk *w, CXCursor at, CXType type,
                       enum gcal_space space, const char *op, struct gcal_value pointer,
                       const char *tag);
void gcal_count_branch(struct gcal_walk *w, CXCursor at,
                       const struct gcal_condition *condition);
void gcal_count_barrier(struct gcal_walk *w, CXCursor at);
/* Adds an array's bytes, once. */
void gcal_count_bytes(struct gcal_walk *w, CXCursor decl);
/* 'condition' NULL: one that is not known, counted as if it held. */
struct gcal_domain *gcal_push_condition(struct gcal_walk *w, CXCursor at,
                                        const struct gcal_condition *condition);
/* Where 'truth' holds, or where it does not. */
void gcal_push_truth(struct gcal_walk *w, CXCursor at, const struct gcal_truth *truth,
                     bool holds);
void gcal_push_loop(struct gcal_walk *w, CXCursor at, unsigned atom,
                    const struct gcal_poly *trips);
void gcal_walk_note(struct gcal_walk *w, CXCursor at, const char *text);
/* Notes it when 'truth' is not known and something was counted since there were
 * 'n_events'. What is not known and not on data is refused unless estimates are allowed.
 */
void gcal_note_both_sides(struct gcal_walk *w, CXCursor condition,
                          const struct gcal_truth *truth, size_t n_events);

/* All that was counted so far, to go back to. */
struct gcal_mark {
    size_t n_ops, n_accesses, n_barriers, n_branches, n_notes, n_events, first_op;
};
/* Until w->first_op is the mark's again, nothing counted before changes. */
struct gcal_mark gcal_events_mark(struct gcal_walk *w);
void gcal_events_rewind(struct gcal_walk *w, const struct gcal_mark *mark);

/* ---- walk_exit.c: how statements are left ---- */
struct gcal_flow gcal_flow_on(void); /* control goes on behind it */
struct gcal_flow gcal_flow_leave(enum gcal_way way, CXCursor at);
struct gcal_exit gcal_exit_either(struct gcal_walk *w, struct gcal_exit a,
                                  struct gcal_exit b);
struct gcal_exit gcal_exit_both(struct gcal_walk *w, struct gcal_exit a,
                                struct gcal_exit b);
struct gcal_exit gcal_exit_not(struct gcal_walk *w, struct gcal_exit a);
struct gcal_exit gcal_exit_of(struct gcal_walk *w, const struct gcal_truth *truth,
                              CXCursor at, bool holds);
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
/* What the function returns whose returns begin at 'first'. */
struct gcal_value gcal_returns_value(struct gcal_walk *w, size_t first);

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
struct gcal_truth gcal_value_truth(struct gcal_walk *w, struct gcal_value value);
struct gcal_value gcal_truth_value(struct gcal_truth truth);
struct gcal_truth gcal_truth_both(struct gcal_walk *w, struct gcal_truth a,
                                  struct gcal_truth b);
struct gcal_truth gcal_truth_either(struct gcal_walk *w, struct gcal_truth a,
                                    struct gcal_truth b);
struct gcal_truth gcal_truth_not(struct gcal_walk *w, struct gcal_truth truth);
/* Of 'truth': 1, 0, or -1 for neither. */
int gcal_truth_decide(struct gcal_walk *w, const struct gcal_truth *truth);
/* a op b of two values of 'type'. */
struct gcal_truth gcal_compare(struct gcal_walk *w, enum CXBinaryOperatorKind kind,
                               CXType type, struct gcal_value a, struct gcal_value b);

/* ---- walk_call.c ---- */
struct gcal_value gcal_walk_call(struct gcal_walk *w, CXCursor c);

/* ---- walk_stmt.c, walk_switch.c ---- */
struct gcal_flow gcal_walk_stmt(struct gcal_walk *w, CXCursor c);
/* Statements one after the other. */
struct gcal_flow gcal_walk_sequence(struct gcal_walk *w, size_t n, const CXCursor *c);
struct gcal_flow gcal_walk_switch(struct gcal_walk *w, CXCursor c);

/* ---- walk_loop.c ---- */
/* A loop of any form; what is left out is a null cursor. */
struct gcal_loop {
    CXCursor at, condition, increment, body;
    bool tests_late; /* do: the condition stands at the end */
    const char *why; /* it is no dimension, for messages; may be NULL */
};
struct gcal_flow gcal_walk_loop(struct gcal_walk *w, CXCursor c);
/* How often it runs is not known, for 'why' (may be NULL). */
void gcal_loop_refuse(struct gcal_walk *w, const struct gcal_loop *loop, bool on_data,
                      const char *why);

/* ---- walk_step.c: what a loop changes, and what moves along with it ---- */
enum { GCAL_MOST_CHANGED = 64 };

struct gcal_moving {
    CXCursor decl;
    struct gcal_value start;      /* before the loop */
    const struct gcal_poly *step; /* by iteration, elements of a pointer; NULL: unknown */
    int times, n_steps;           /* in how many places it changes; by such steps */
    bool on_data, assigned;       /* to what comes from memory; other than by steps */
};

struct gcal_changes {
    size_t n;
    struct gcal_moving all[GCAL_MOST_CHANGED];
};

/* The integers and pointers that have values now and that the loop changes, made unknown.
 * NULL when the walk failed.
 */
struct gcal_changes *gcal_changes_find(struct gcal_walk *w, const struct gcal_loop *loop);
/* Gives them their values before the loop; */
void gcal_changes_undo(struct gcal_walk *w, const struct gcal_changes *changes);
/* at the top of iteration 'v'. */
void gcal_changes_set(struct gcal_walk *w, const struct gcal_changes *changes,
                      const struct gcal_poly *v);
/* Behind the loop: unknown, but what moves when 'v' iterations are known. */
void gcal_changes_finish(struct gcal_walk *w, const struct gcal_changes *changes,
                         const struct gcal_poly *v);
/* Whether 'c' holds a statement that leaves what is around it in that way. */
bool gcal_holds_exit(struct gcal_walk *w, CXCursor c, enum gcal_way way);

/* ---- walk_trips.c: how often a loop runs ---- */
struct gcal_trip_count {
    const struct gcal_poly *trips;      /* below 0 stands for 0; NULL: it has no end */
    const struct gcal_condition *guard; /* it runs only where this holds; may be NULL */
    bool lasts; /* once the condition does not hold, it never will */
};
/* The first value of the dimension 'v' where 'condition' does not hold; false with '*why'
 * when that has no form.
 */
bool gcal_trips_find(struct gcal_walk *w, const struct gcal_condition *condition,
                     unsigned v, struct gcal_trip_count *count, const char **why);

/* ---- walk_exists.c ---- */
/* Whether 'a' holds for some value 0 <= v <= last of the dimension 'v', as a condition
 * without it; NULL when 'a' is not affine in it with numbers as factors.
 */
const struct gcal_condition *gcal_condition_exists(struct gcal_walk *w,
                                                   const struct gcal_condition *a,
                                                   unsigned v,
                                                   const struct gcal_poly *last);

/* ---- walk_nest.c: a loop as a dimension ---- */
/* 'average': 'trips' is the user's, and includes all that leaves the loop. */
struct gcal_flow gcal_loop_nest(struct gcal_walk *w, const struct gcal_loop *loop,
                                const struct gcal_changes *changes,
                                const struct gcal_trip_count *count, bool average);

/* ---- walk_unroll.c: loops run one iteration after the other ---- */
enum { GCAL_MOST_UNROLLED = 1024 };
struct gcal_flow gcal_loop_unroll(struct gcal_walk *w, const struct gcal_loop *loop);
/* A loop that 'exit' leaves, when is not known: refused, or noted where estimates are
 * allowed.
 */
void gcal_loop_left_somewhen(struct gcal_walk *w, const struct gcal_exit *exit);

/* ---- walk_remark.c, walk_scan.c: pragmas and comments ---- */
/* Finds the remarks in the source's text. */
void gcal_remarks_scan(struct gcal_walk *w);
struct gcal_remark *gcal_remark_add(struct gcal_walk *w);
/* Ties them to the loops and accesses of 'function' and of those it calls. */
void gcal_remarks_tie(struct gcal_walk *w, CXCursor function);
/* The parameter that says how often the loop runs, or NULL. */
const char *gcal_remark_trips(struct gcal_walk *w, CXCursor loop);
/* Where 'c' ends in the source. */
size_t gcal_source_end(struct gcal_walk *w, CXCursor c);
/* The tag that a comment behind 'c' gives, or NULL. */
const char *gcal_remark_tag(struct gcal_walk *w, CXCursor c);

/* ---- walk_index.c: which variables serve subscripts and loop control ---- */
void gcal_find_indices(struct gcal_walk *w, CXCursor function);
bool gcal_is_index(const struct gcal_walk *w, CXCursor decl);

#endif
