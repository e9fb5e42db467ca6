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

enum { GCAL_WALK_MAX_DEPTH = 1500, GCAL_WALK_MAX_STEPS = 3000000 };

enum gcal_walk_value_kind {
    GCAL_WALK_VALUE_UNKNOWN,
    GCAL_WALK_VALUE_INTEGER,
    GCAL_WALK_VALUE_POINTER
};

struct gcal_walk_value {
    enum gcal_walk_value_kind kind;
    const struct gcal_poly *p; /* integer; pointer: bytes, NULL when not known */
    unsigned array;            /* pointer: index into the nest's arrays */
    const char *why;           /* unknown: the reason, for messages; may be NULL */
    bool on_data;              /* what is not known of it comes from memory */
    const struct gcal_sets_condition
        *condition; /* unknown: 1 where this holds, 0 elsewhere */
    const struct gcal_sets_condition *when,
        *unless; /* as in gcal_walk_predicate, of what is unknown */
};

/* What is known of an expression as a condition. */
struct gcal_walk_predicate {
    bool known;
    /* known: when it holds; else what must be true for it to hold, and not to hold, each
     * NULL when there is nothing to say
     */
    const struct gcal_sets_condition *when, *unless;
    bool on_data;
    const char *why; /* it is not known */
};

/* Whether control leaves a statement in a certain way instead of going on behind it. */
struct gcal_walk_exit {
    enum {
        GCAL_WALK_EXIT_NEVER,
        GCAL_WALK_EXIT_WHEN,
        GCAL_WALK_EXIT_MAYBE,
        GCAL_WALK_EXIT_ALWAYS
    } kind;
    const struct gcal_sets_condition *when; /* EXIT_WHEN */
    bool on_data;                           /* EXIT_MAYBE */
    CXCursor at;                            /* what leaves */
};

enum gcal_walk_jump {
    GCAL_WALK_RETURN,
    GCAL_WALK_BREAK,
    GCAL_WALK_CONTINUE,
    GCAL_WALK_N_JUMPS
};

struct gcal_walk_flow {
    struct gcal_walk_exit ways[GCAL_WALK_N_JUMPS];
};

struct gcal_walk_variable {
    CXCursor decl;
    struct gcal_walk_value value;
    bool escaped; /* its address was taken: never known again */
};

/* The conditions around a statement since its function began, innermost first. */
struct gcal_walk_path {
    const struct gcal_walk_path *parent;
    const struct gcal_sets_condition *condition; /* NULL: not known */
};

struct gcal_walk_return {
    struct gcal_walk_value value;
    const struct gcal_walk_path *path;
};

/* What the user says of a loop by a pragma, or of an access by a comment. */
struct gcal_walk_annotation {
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

struct gcal_walk_annotations {
    size_t n, capacity;
    struct gcal_walk_annotation *all;
};

struct gcal_walk_children {
    size_t n;
    CXCursor *c;
};

struct gcal_walk {
    const struct gcal_count_request *request;
    const struct gcal_source_unit *unit;
    struct gcal_sets_nest *nest;
    struct gcal_poly_context *c;
    const struct gcal_sets_scope *scope;
    size_t n_variables, variable_capacity;
    struct gcal_walk_variable *variables;
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
    const struct gcal_walk_path *path;
    size_t n_returns, return_capacity;
    struct gcal_walk_return *returns; /* of the functions that are walked */
    struct gcal_walk_annotations annotations;
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
struct gcal_walk_children gcal_walk_get_children(struct gcal_walk *w, CXCursor c);
const char *gcal_walk_name(struct gcal_walk *w, CXCursor c);
CXType gcal_walk_type(CXCursor c); /* canonical */
int64_t gcal_walk_type_width(CXType type);
bool gcal_walk_type_is_pointer(CXType type);
bool gcal_walk_type_is_array(CXType type);
bool gcal_walk_type_is_record(CXType type);
bool gcal_walk_type_is_integer(CXType type); /* a scalar */
bool gcal_walk_dtype_is_integer(const char *dtype);
CXCursor gcal_walk_strip_casts(struct gcal_walk *w,
                               CXCursor c);                /* parentheses and casts */
struct gcal_walk_value gcal_walk_unknown(const char *why); /* it depends on data */
struct gcal_walk_value
gcal_walk_not_affine(const char *why); /* it follows from sizes, but how? */
struct gcal_walk_value gcal_walk_integer(const struct gcal_poly *p);
struct gcal_walk_value *gcal_walk_variable_find(struct gcal_walk *w, CXCursor decl);
void gcal_walk_variable_set(struct gcal_walk *w, CXCursor decl,
                            struct gcal_walk_value value);
/* Its address is taken, and who knows what changes it from now on. */
void gcal_walk_variable_escape(struct gcal_walk *w, CXCursor decl);
/* Its value, not known when it has none. */
struct gcal_walk_value gcal_walk_variable_get(struct gcal_walk *w, CXCursor decl);
/* All variables as they are now, in the context's memory; and back to that. */
struct gcal_walk_variable *gcal_walk_variables_save(struct gcal_walk *w, size_t *n);
void gcal_walk_variables_restore(struct gcal_walk *w,
                                 const struct gcal_walk_variable *saved, size_t n);

/* ---- event.c: what is counted, and the domains around it ---- */
unsigned gcal_walk_array_find(struct gcal_walk *w, const char *name,
                              enum gcal_feature_space space);
void gcal_walk_count_op(struct gcal_walk *w, CXType type, const char *op);
void gcal_walk_count_access(struct gcal_walk *w, CXCursor at, CXType type, int64_t width,
                            enum gcal_feature_space space,
                            enum gcal_feature_direction direction,
                            struct gcal_walk_value pointer, const char *tag);
/* Of one element, by the operation 'op'. */
void gcal_walk_count_atomic(struct gcal_walk *w, CXCursor at, CXType type,
                            enum gcal_feature_space space, const char *op,
                            struct gcal_walk_value pointer, const char *tag);
void gcal_walk_count_branch(struct gcal_walk *w, CXCursor at,
                            const struct gcal_sets_condition *condition);
void gcal_walk_count_barrier(struct gcal_walk *w, CXCursor at);
/* Adds an array's bytes, once. */
void gcal_walk_count_array_bytes(struct gcal_walk *w, CXCursor decl);
/* 'condition' NULL: one that is not known, counted as if it held. */
struct gcal_sets_scope *
gcal_walk_push_condition(struct gcal_walk *w, CXCursor at,
                         const struct gcal_sets_condition *condition);
/* Where 'predicate' holds, or where it does not. */
void gcal_walk_push_predicate(struct gcal_walk *w, CXCursor at,
                              const struct gcal_walk_predicate *predicate, bool holds);
void gcal_walk_push_loop(struct gcal_walk *w, CXCursor at, unsigned atom,
                         const struct gcal_poly *trips);
void gcal_walk_note(struct gcal_walk *w, CXCursor at, const char *text);
/* Notes it when 'predicate' is not known and something was counted since there were
 * 'n_events'. What is not known and not on data is refused unless estimates are allowed.
 */
void gcal_walk_note_both_sides(struct gcal_walk *w, CXCursor condition,
                               const struct gcal_walk_predicate *predicate,
                               size_t n_events);

/* All that was counted so far, to go back to. */
struct gcal_walk_mark {
    size_t n_ops, n_accesses, n_barriers, n_branches, n_notes, n_events, first_op;
};
/* Until w->first_op is the mark's again, nothing counted before changes. */
struct gcal_walk_mark gcal_walk_events_mark(struct gcal_walk *w);
void gcal_walk_events_rewind(struct gcal_walk *w, const struct gcal_walk_mark *mark);

/* ---- exit.c: how statements are left ---- */
struct gcal_walk_flow gcal_walk_flow_fall_through(void); /* control goes on behind it */
struct gcal_walk_flow gcal_walk_flow_jump(enum gcal_walk_jump way, CXCursor at);
struct gcal_walk_exit gcal_walk_exit_or(struct gcal_walk *w, struct gcal_walk_exit a,
                                        struct gcal_walk_exit b);
struct gcal_walk_exit gcal_walk_exit_and(struct gcal_walk *w, struct gcal_walk_exit a,
                                         struct gcal_walk_exit b);
struct gcal_walk_exit gcal_walk_exit_not(struct gcal_walk *w, struct gcal_walk_exit a);
struct gcal_walk_exit
gcal_walk_exit_from_predicate(struct gcal_walk *w,
                              const struct gcal_walk_predicate *predicate, CXCursor at,
                              bool holds);
/* 'first', and what is not left by it goes on to 'second'. */
struct gcal_walk_flow gcal_walk_flow_sequence(struct gcal_walk *w,
                                              struct gcal_walk_flow first,
                                              struct gcal_walk_flow second);
/* 'yes' where 'predicate' holds, else 'no'. */
struct gcal_walk_flow gcal_walk_flow_branch(struct gcal_walk *w, CXCursor at,
                                            const struct gcal_walk_predicate *predicate,
                                            struct gcal_walk_flow yes,
                                            struct gcal_walk_flow no);
/* 'flow' where the exit 'reached' takes place. */
struct gcal_walk_flow gcal_walk_flow_restrict(struct gcal_walk *w,
                                              struct gcal_walk_exit reached,
                                              struct gcal_walk_flow flow);
/* Whether it is left in any way. */
struct gcal_walk_exit gcal_walk_flow_any_exit(struct gcal_walk *w,
                                              const struct gcal_walk_flow *flow);
/* What follows happens where it was not left. */
void gcal_walk_push_remaining(struct gcal_walk *w, CXCursor at,
                              const struct gcal_walk_flow *flow);

/* ---- merge.c: values behind branches ---- */
/* 'yes' where 'predicate' holds, else 'no'. */
struct gcal_walk_value gcal_walk_value_select(struct gcal_walk *w,
                                              const struct gcal_walk_predicate *predicate,
                                              struct gcal_walk_value yes,
                                              struct gcal_walk_value no);
/* The variables hold their values of 'no' now. */
void gcal_walk_variables_merge(struct gcal_walk *w,
                               const struct gcal_walk_predicate *predicate,
                               const struct gcal_walk_variable *yes, size_t n);
/* A condition as the integer 0 or 1; NULL when that has no form. */
const struct gcal_poly *
gcal_walk_condition_indicator(struct gcal_walk *w,
                              const struct gcal_sets_condition *condition);
/* A value that is a condition becomes the integer 0 or 1 where that has a form. */
struct gcal_walk_value gcal_walk_value_as_integer(struct gcal_walk *w,
                                                  struct gcal_walk_value value);
void gcal_walk_path_push(struct gcal_walk *w, const struct gcal_walk_predicate *predicate,
                         bool holds);
void gcal_walk_return_add(struct gcal_walk *w, struct gcal_walk_value value);
/* What the function returns whose returns begin at 'first'. */
struct gcal_walk_value gcal_walk_returned_value(struct gcal_walk *w, size_t first);

/* ---- expr.c ---- */
struct gcal_walk_value gcal_walk_expr(struct gcal_walk *w, CXCursor c);
struct gcal_walk_value gcal_walk_index_expr(struct gcal_walk *w, CXCursor c);
/* Its value only: nothing is counted, nothing changes. */
struct gcal_walk_value gcal_walk_expr_value(struct gcal_walk *w, CXCursor c);

/* ---- lvalue.c: lvalues ---- */
struct gcal_walk_lvalue {
    enum {
        GCAL_WALK_LVALUE_PRIVATE,
        GCAL_WALK_LVALUE_VARIABLE,
        GCAL_WALK_LVALUE_MEMORY
    } kind;
    CXCursor decl; /* variable */
    enum gcal_feature_space space;
    CXType type;
    struct gcal_walk_value pointer;
    const char *tag;
};
struct gcal_walk_lvalue gcal_walk_lvalue_find(struct gcal_walk *w, CXCursor c);
struct gcal_walk_value gcal_walk_lvalue_load(struct gcal_walk *w, CXCursor at,
                                             const struct gcal_walk_lvalue *place);
void gcal_walk_lvalue_store(struct gcal_walk *w, CXCursor at,
                            const struct gcal_walk_lvalue *place,
                            struct gcal_walk_value value);
struct gcal_walk_value gcal_walk_constant(struct gcal_walk *w,
                                          CXCursor c); /* by libclang */

/* ---- arith.c ---- */
/* a op b of two integers of 'type'; not known for operators that are not affine. */
struct gcal_walk_value gcal_walk_binary(struct gcal_walk *w,
                                        enum CXBinaryOperatorKind kind, CXType type,
                                        struct gcal_walk_value a,
                                        struct gcal_walk_value b);
/* A pointer of 'type' moved by sign*by elements. */
struct gcal_walk_value gcal_walk_move_pointer(struct gcal_walk *w,
                                              struct gcal_walk_value pointer,
                                              struct gcal_walk_value by, CXType type,
                                              int sign);
/* An integer of type 'from' converted to 'to'. */
struct gcal_walk_value gcal_walk_convert(struct gcal_walk *w,
                                         struct gcal_walk_value value, CXType from,
                                         CXType to);
bool gcal_walk_type_is_unsigned(CXType type); /* and at least as wide as int */
/* Whether p is never negative where the walk stands. */
bool gcal_walk_is_nonnegative(struct gcal_walk *w, const struct gcal_poly *p);
/* What features call an operator; NULL for those that are not counted. */
const char *gcal_walk_op_name(enum CXBinaryOperatorKind kind);
/* The binary operation behind +=, and so on. */
enum CXBinaryOperatorKind gcal_walk_compound_operator(enum CXBinaryOperatorKind kind);

/* ---- predicate.c ---- */
/* An expression as a condition.  The operations in it are not counted here. */
struct gcal_walk_predicate gcal_walk_condition(struct gcal_walk *w, CXCursor c);
struct gcal_walk_predicate gcal_walk_predicate_from_value(struct gcal_walk *w,
                                                          struct gcal_walk_value value);
struct gcal_walk_value
gcal_walk_value_from_predicate(struct gcal_walk_predicate predicate);
struct gcal_walk_predicate gcal_walk_predicate_and(struct gcal_walk *w,
                                                   struct gcal_walk_predicate a,
                                                   struct gcal_walk_predicate b);
struct gcal_walk_predicate gcal_walk_predicate_or(struct gcal_walk *w,
                                                  struct gcal_walk_predicate a,
                                                  struct gcal_walk_predicate b);
struct gcal_walk_predicate gcal_walk_predicate_not(struct gcal_walk *w,
                                                   struct gcal_walk_predicate predicate);
/* Of 'predicate': 1, 0, or -1 for neither. */
int gcal_walk_predicate_decide(struct gcal_walk *w,
                               const struct gcal_walk_predicate *predicate);
/* a op b of two values of 'type'. */
struct gcal_walk_predicate gcal_walk_compare(struct gcal_walk *w,
                                             enum CXBinaryOperatorKind kind, CXType type,
                                             struct gcal_walk_value a,
                                             struct gcal_walk_value b);

/* ---- call.c ---- */
struct gcal_walk_value gcal_walk_call(struct gcal_walk *w, CXCursor c);

/* ---- stmt.c, switch.c ---- */
struct gcal_walk_flow gcal_walk_stmt(struct gcal_walk *w, CXCursor c);
/* Statements one after the other. */
struct gcal_walk_flow gcal_walk_sequence(struct gcal_walk *w, size_t n,
                                         const CXCursor *c);
struct gcal_walk_flow gcal_walk_switch(struct gcal_walk *w, CXCursor c);

/* ---- loop.c ---- */
/* A loop of any form; what is left out is a null cursor. */
struct gcal_walk_loop_clauses {
    CXCursor at, condition, increment, body;
    bool tests_late; /* do: the condition stands at the end */
    const char *why; /* it is no dimension, for messages; may be NULL */
};
struct gcal_walk_flow gcal_walk_loop(struct gcal_walk *w, CXCursor c);
/* How often it runs is not known, for 'why' (may be NULL). */
void gcal_walk_loop_refuse(struct gcal_walk *w, const struct gcal_walk_loop_clauses *loop,
                           bool on_data, const char *why);

/* ---- induction.c: what a loop changes, and what moves along with it ---- */
enum { GCAL_WALK_MAX_INDUCTIONS = 64 };

struct gcal_walk_induction {
    CXCursor decl;
    struct gcal_walk_value start; /* before the loop */
    const struct gcal_poly *step; /* by iteration, elements of a pointer; NULL: unknown */
    int times, n_steps;           /* in how many places it changes; by such steps */
    bool on_data, assigned;       /* to what comes from memory; other than by steps */
};

struct gcal_walk_inductions {
    size_t n;
    struct gcal_walk_induction all[GCAL_WALK_MAX_INDUCTIONS];
};

/* The integers and pointers that have values now and that the loop changes, made unknown.
 * NULL when the walk failed.
 */
struct gcal_walk_inductions *
gcal_walk_inductions_find(struct gcal_walk *w, const struct gcal_walk_loop_clauses *loop);
/* Gives them their values before the loop; */
void gcal_walk_inductions_reset(struct gcal_walk *w,
                                const struct gcal_walk_inductions *changes);
/* at the top of iteration 'v'. */
void gcal_walk_inductions_set(struct gcal_walk *w,
                              const struct gcal_walk_inductions *changes,
                              const struct gcal_poly *v);
/* Behind the loop: unknown, but what moves when 'v' iterations are known. */
void gcal_walk_inductions_finish(struct gcal_walk *w,
                                 const struct gcal_walk_inductions *changes,
                                 const struct gcal_poly *v);
/* Whether 'c' holds a statement that leaves what is around it in that way. */
bool gcal_walk_contains_jump(struct gcal_walk *w, CXCursor c, enum gcal_walk_jump way);

/* ---- trip_count.c: how often a loop runs ---- */
struct gcal_walk_trip_count {
    const struct gcal_poly *trips; /* below 0 stands for 0; NULL: it has no end */
    const struct gcal_sets_condition
        *guard; /* it runs only where this holds; may be NULL */
    bool lasts; /* once the condition does not hold, it never will */
};
/* The first value of the dimension 'v' where 'condition' does not hold; false with '*why'
 * when that has no form.
 */
bool gcal_walk_trip_count_find(struct gcal_walk *w,
                               const struct gcal_sets_condition *condition, unsigned v,
                               struct gcal_walk_trip_count *count, const char **why);

/* ---- project.c ---- */
/* Whether 'a' holds for some value 0 <= v <= last of the dimension 'v', as a condition
 * without it; NULL when 'a' is not affine in it with numbers as factors.
 */
const struct gcal_sets_condition *
gcal_walk_condition_project(struct gcal_walk *w, const struct gcal_sets_condition *a,
                            unsigned v, const struct gcal_poly *last);

/* ---- loop_nest.c: a loop as a dimension ---- */
/* 'average': 'trips' is the user's, and includes all that leaves the loop. */
struct gcal_walk_flow gcal_walk_loop_nest(struct gcal_walk *w,
                                          const struct gcal_walk_loop_clauses *loop,
                                          const struct gcal_walk_inductions *changes,
                                          const struct gcal_walk_trip_count *count,
                                          bool average);

/* ---- unroll.c: loops run one iteration after the other ---- */
enum { GCAL_WALK_MAX_UNROLLED = 1024 };
struct gcal_walk_flow gcal_walk_loop_unroll(struct gcal_walk *w,
                                            const struct gcal_walk_loop_clauses *loop);
/* A loop that 'exit' leaves, when is not known: refused, or noted where estimates are
 * allowed.
 */
void gcal_walk_loop_uncertain_exit(struct gcal_walk *w,
                                   const struct gcal_walk_exit *exit);

/* ---- annotation.c, annotation_scan.c: pragmas and comments ---- */
/* Finds the remarks in the source's text. */
void gcal_walk_annotations_scan(struct gcal_walk *w);
struct gcal_walk_annotation *gcal_walk_annotation_add(struct gcal_walk *w);
/* Ties them to the loops and accesses of 'function' and of those it calls. */
void gcal_walk_annotations_attach(struct gcal_walk *w, CXCursor function);
/* The parameter that says how often the loop runs, or NULL. */
const char *gcal_walk_annotation_trips(struct gcal_walk *w, CXCursor loop);
/* Where 'c' ends in the source. */
size_t gcal_walk_source_end(struct gcal_walk *w, CXCursor c);
/* The tag that a comment behind 'c' gives, or NULL. */
const char *gcal_walk_annotation_tag(struct gcal_walk *w, CXCursor c);

/* ---- index.c: which variables serve subscripts and loop control ---- */
void gcal_walk_find_indices(struct gcal_walk *w, CXCursor function);
bool gcal_walk_is_index(const struct gcal_walk *w, CXCursor decl);

#endif
