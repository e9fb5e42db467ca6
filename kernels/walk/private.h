/* private.h - the state of the symbolic execution, and its functions by file
 *
 * The walk executes a kernel once, with symbolic values for integers and pointers.  A
 * value is unknown when it comes from memory, or is not a function of ids, sizes and loop
 * variables that polynomials can express ("not affine").
 */
#ifndef GCAL_KERNELS_WALK_PRIVATE_H
#define GCAL_KERNELS_WALK_PRIVATE_H

#include "kernels/annotations/annotations.h"
#include "kernels/request.h"
#include "kernels/sets/sets.h"
#include "kernels/source/source.h"
#include "kernels/trips/trips.h"
#include "kernels/walk/chain.h"
#include "kernels/walk/walk.h"

struct gcal_error;

enum {
    GCAL_WALK_MAX_DEPTH = 1500,
    GCAL_WALK_MAX_CALLS = 20,
    GCAL_WALK_MAX_VARIABLES = 1 << 13, /* they are searched one by one */
    GCAL_WALK_MAX_STEPS = 3000000
};

enum gcal_walk_value_kind {
    GCAL_WALK_VALUE_UNKNOWN,
    GCAL_WALK_VALUE_INTEGER,
    GCAL_WALK_VALUE_POINTER
};

struct gcal_walk_choice;

/* A floating product that was counted.  Compilers of CUDA fuse it with an addition as those of OpenCL
 * C do within an expression, though it came through a member of an object without a name.
 */
struct gcal_walk_product {
    CXType type;
    const struct gcal_sets_scope *scope; /* where it was counted */
    const struct gcal_walk_chain *chain; /* of its factors */
    bool is_member, is_fused;
};

struct gcal_walk_value {
    enum gcal_walk_value_kind kind;
    const struct gcal_poly *p; /* integer; pointer: offset in bytes, NULL: unknown */
    unsigned array;            /* pointer: index into the nest's arrays */
    const char *why;           /* unknown: the reason, for messages; or NULL */
    bool on_data;              /* unknown as it comes from memory */
    unsigned depth; /* loads of global memory, one after another, that it follows from */
    const struct gcal_poly
        *carried; /* it comes from an earlier iteration of the loop with
                                        this dimension; or NULL */
    bool folds;   /* a constant, whose arithmetic front ends fold */
    /* unknown: 1 where the condition holds, else 0; or NULL */
    const struct gcal_sets_condition *condition;
    bool is_private; /* unknown: a pointer to private memory, */
    bool in_array;   /* to 'array' of the nest, at 'p' as for pointers */
    bool is_minus;   /* -1 instead of 1: a comparison of vectors */
    const struct gcal_sets_condition *when, *unless; /* unknown: as in the predicate */
    /* unknown: an unsigned value of 32 bits in one of 64, p + 2^32 where p < 0; or NULL */
    const struct gcal_poly *widened;
    /* unknown: of a floating type, with this value, of rational coefficients; or NULL */
    const struct gcal_poly *quotient;
    /* unknown: what it is but for numbers that are data or free, signs and wrapping, for
     * estimates of traffic; a pointer: of its offset.  Or NULL
     */
    const struct gcal_poly *near;
    bool
        is_mixed; /* unknown: of another start in each lane, by a loop that makes any of it */
    bool is_stepped; /* unknown: a loop carries it, from a start that all lanes share */
    /* unknown: one of two integers; a pointer at an unknown place: one of two; or NULL */
    const struct gcal_walk_choice *choice;
    const struct gcal_walk_chain *chain; /* unknown: operations that it follows from */
    /* unknown integer, or pointer at an unknown place: what it may be (in bytes); or NULL */
    const struct gcal_sets_range *range;
    const struct gcal_walk_parts *parts; /* unknown: a vector or structure; or NULL */
    struct gcal_walk_product *product;   /* unknown: that it is, of CUDA; or NULL */
};

/* 'yes' where 'when' holds, else 'no'; each is an integer, or a pointer, or a choice again. */
enum { GCAL_WALK_MOST_SIDES = 8 };
struct gcal_walk_choice {
    const struct gcal_sets_condition *when;
    struct gcal_walk_value yes, no;
    bool mostly; /* 'when' holds at most places */
};

/* The integers and pointers in a vector, structure or array, as far as they are known. */
struct gcal_walk_part {
    int64_t at; /* bytes from the beginning */
    struct gcal_walk_value value;
};

struct gcal_walk_parts {
    size_t n;
    struct gcal_walk_part all[];
};

/* An expression as a condition. */
struct gcal_walk_predicate {
    bool known;
    /* known: it holds exactly when 'when' does; else 'when' is necessary for it to hold
     * and 'unless' for it not to hold, or NULL
     */
    const struct gcal_sets_condition *when, *unless;
    bool on_data;
    const char *why; /* unknown: the reason */
    const struct gcal_walk_chain *chain;
};

/* How control leaves a statement by a certain jump. */
struct gcal_walk_exit {
    enum {
        GCAL_WALK_EXIT_NEVER,
        GCAL_WALK_EXIT_WHEN,
        GCAL_WALK_EXIT_MAYBE,
        GCAL_WALK_EXIT_ALWAYS
    } kind;
    const struct gcal_sets_condition *when; /* EXIT_WHEN */
    bool on_data;                           /* EXIT_MAYBE */
    CXCursor at;                            /* the jump */
};

enum gcal_walk_jump {
    GCAL_WALK_RETURN,
    GCAL_WALK_BREAK,
    GCAL_WALK_CONTINUE,
    GCAL_WALK_N_JUMPS
};

struct gcal_walk_flow {
    struct gcal_walk_exit exits[GCAL_WALK_N_JUMPS];
};

/* A variable; or a cell: an integer or pointer in a vector, structure or array. */
struct gcal_walk_variable {
    const struct gcal_walk_chains_saved *chains; /* before saved ones: all chains */
    CXCursor decl;
    unsigned hash; /* of 'decl' */
    int64_t at;    /* bytes from its beginning */
    CXType type;
    struct gcal_walk_value value;
    bool escaped; /* its address was taken: unknown from then on */
};

/* The conditions around a statement within its function, innermost first. */
struct gcal_walk_path {
    const struct gcal_walk_path *parent;
    const struct gcal_sets_condition *condition; /* NULL: unknown */
};

struct gcal_walk_private;

struct gcal_walk_return {
    struct gcal_walk_value value;
    const struct gcal_walk_path *path;
    struct gcal_walk_variable *variables; /* saved; NULL: they are those at the end */
};

/* Of an expression or statement.  Where there are none, for example as memory failed, the
 * first few are null cursors, and a caller may read those that the syntax promises.
 */
struct gcal_walk_children {
    size_t n;
    CXCursor *c;
};

/* What a reference refers to, by its declaration; what "this" points to, by its method. */
struct gcal_walk_reference;

/* A call of a function of the source that is being walked, innermost first. */
struct gcal_walk_frame {
    const struct gcal_walk_frame *outer; /* NULL: the kernel itself */
    CXCursor function;
    struct gcal_walk_children kids; /* of the call */
    int depth;
    uint64_t path; /* of calls, as a hash */
};

/* A loop that is being walked, innermost first. */
struct gcal_walk_running {
    const struct gcal_walk_running *outer;
    CXCursor loop;
    const struct gcal_walk_frame *frame;
    bool is_nest; /* a dimension; else iteration by iteration */
    unsigned dimension;
    size_t run, iteration;               /* of iterations: which run of a loop this is */
    const struct gcal_sets_scope *scope; /* around the iteration */
};

/* 'scope' in the first iteration of 'loop'. */
struct gcal_walk_first {
    const struct gcal_sets_scope *scope, *loop, *first;
};

/* Accesses of a nest from 'first' on, before 'end'. */
struct gcal_walk_accesses {
    size_t first, end;
};

struct gcal_walk_loop_facts;
struct gcal_walk_steady;

/* The children of 'parent', found once: loops are walked many times. */
struct gcal_walk_family {
    CXCursor parent;
    CXCursor *children; /* NULL: no family is here */
    size_t n;
    bool is_covered, is_joined; /* operations (logic.c) */
};

enum { GCAL_WALK_N_NONE = 6, GCAL_WALK_MAX_QUOTIENTS = 64 };

struct gcal_walk {
    const struct gcal_count_request *request;
    const struct gcal_source_unit *unit;
    struct gcal_sets_nest *nest;
    struct gcal_poly_context *c;
    const struct gcal_sets_scope *scope;
    size_t n_variables, variable_capacity;
    struct gcal_walk_variable *variables;
    size_t n_indices, index_capacity;
    CXCursor *indices;   /* variables used in subscripts and loop control */
    CXCursor expression; /* being walked */
    const struct gcal_walk_running *running;
    const struct gcal_sets_step *step;
    const struct gcal_walk_frame *frame; /* NULL: in the kernel itself */
    size_t n_firsts, first_capacity;
    struct gcal_walk_loop_facts *facts; /* of loops and functions (hoist.c) */
    struct gcal_walk_first *firsts;
    struct gcal_walk_steady *steady; /* what is known of expressions */
    const struct gcal_sets_scope
        *waiting;  /* the last loop that waits for copies, or NULL */
    size_t n_runs; /* of loops, iteration by iteration */
    size_t n_lanes, lane_capacity;
    CXCursor *lanes; /* what differs between the lanes of a sub-group (uniform.c), */
    bool has_lanes;  /* once it has been looked for */
    CXCursor kernel, unused; /* and an expression whose value is not used */
    CXCursor refused; /* a loop that is refused, if anything is; or a null cursor */
    size_t n_tables, table_capacity;
    CXCursor *tables; /* private arrays whose elements are used so, or in conditions */
    size_t n_privates, private_capacity;
    struct gcal_walk_private *privates; /* private arrays that are accessed */
    size_t n_declared, declared_capacity;
    CXCursor *declared;                 /* arrays whose bytes are counted */
    CXCursor none[GCAL_WALK_N_NONE];    /* null cursors */
    size_t n_families, family_capacity; /* a power of two */
    struct gcal_walk_family *families;  /* by the hash of the parent */
    int quiet;        /* > 0: affine integer operations are index arithmetic */
    int silent;       /* > 0: nothing is counted */
    int unnamed;      /* > 0: variables that are set have no names in the source */
    bool was_counted; /* the last operation; where, and in which event: */
    const struct gcal_sets_scope *counted;
    size_t counted_in;
    int frozen;                 /* > 0: variables keep their values */
    int in_control;             /* > 0: in the condition of a loop, */
    unsigned control_dimension; /* whose iterations this dimension numbers */
    int tentative; /* > 0: not_affine is incremented, but nothing is refused */
    int placing;   /* > 0: subscripts of private arrays are numbers or unknown */
    size_t n_quotients;
    struct gcal_walk_quotient {
        const struct gcal_poly *of, *by;
        const struct gcal_sets_scope *scope;
    } quotients[GCAL_WALK_MAX_QUOTIENTS]; /* counted so far, for their remainders */
    int64_t unroll_hint;                  /* of the loop that follows */
    /* Variables of loops around that are walked iteration by iteration, but that compilers do not
     * unroll; how often one of them was loaded that an iteration takes from the one before other
     * than by a step; and until the expression being walked began.
     */
    const struct gcal_walk_inductions *rolled;
    size_t n_carried, first_carried;
    int n_forks;       /* of the loops around */
    int depth;         /* of nested expressions and statements */
    size_t n_events;   /* counted so far */
    size_t n_work;     /* of these, without index arithmetic and auxiliary operations */
    size_t first_op;   /* operations before this one are not added to */
    size_t not_affine; /* conditions and subscripts that are neither affine nor on data */
    size_t n_steps;    /* statements and expressions walked */
    size_t n_unrolled; /* iterations unrolled */
    /* Instructions of what has been walked, once compilers unroll the loops that are walked
     * iteration by iteration; and the accesses in those that are too large for it.
     */
    size_t n_instructions;
    size_t n_scaled; /* of these loops, those whose variable doubles, halves .. */
    size_t n_rolled, rolled_capacity;
    struct gcal_walk_accesses *rolled_accesses;
    const struct gcal_walk_path *path;
    size_t n_returns, return_capacity;
    struct gcal_walk_return *returns; /* of the functions being walked */
    bool changes_caller; /* the innermost one may change variables of its caller */
    size_t n_references, reference_capacity;
    struct gcal_walk_reference *references;
    struct gcal_walk_lvalue
        *result; /* for what the function being walked returns a reference to */
    struct gcal_walk_chains chains;
    struct gcal_annotations annotations;
    bool failed;
    struct gcal_error *err;
};

/* ---- walk.c: errors, types, variables ---- */
void gcal_walk_fail(struct gcal_walk *w, CXCursor at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void gcal_walk_fail_memory(struct gcal_walk *w);
/* Around each statement or expression; false when a limit is reached. */
bool gcal_walk_enter(struct gcal_walk *w, CXCursor c);
void gcal_walk_leave(struct gcal_walk *w);
struct gcal_walk_children gcal_walk_get_children(struct gcal_walk *w, CXCursor c);
/* The same with what is known of them, until the next call of either; NULL: there are none. */
struct gcal_walk_family *gcal_walk_get_family(struct gcal_walk *w, CXCursor c);
const char *gcal_walk_name(struct gcal_walk *w, CXCursor c);
bool gcal_walk_starts_with(const char *text, const char *start);
int64_t gcal_walk_type_width(CXType type);
bool gcal_walk_type_is_pointer(CXType type);
/* A pointer, or an array: of a value, that is a pointer too. */
bool gcal_walk_is_address(CXType type);
/* What it points to. */
CXType gcal_walk_pointee(CXType type);
/* A parameter written as an array, which is a pointer: libclang gives the written type. */
bool gcal_walk_is_array_parameter(CXCursor decl);
bool gcal_walk_type_is_record(CXType type);
bool gcal_walk_type_is_integer(CXType type); /* a scalar */
bool gcal_walk_dtype_is_integer(const char *dtype);
/* What is in the parentheses or under the cast 'c'; false: it is neither. */
bool gcal_walk_unwrap(struct gcal_walk *w, CXCursor c, CXCursor *inner);
/* 'c' without parentheses and casts. */
CXCursor gcal_walk_strip_casts(struct gcal_walk *w, CXCursor c);
/* Makes 'value' wait for the loads that 'of' waits for. */
void gcal_walk_value_wait(struct gcal_walk_value *value,
                          const struct gcal_walk_value *of);
/* What a load from 'space' at 'pointer' gives. */
struct gcal_walk_value gcal_walk_loaded(enum gcal_feature_space space,
                                        struct gcal_walk_value pointer);
/* Values: unknown as it depends on data; unknown as it is not affine; a polynomial. */
struct gcal_walk_value gcal_walk_unknown(const char *why);
struct gcal_walk_value gcal_walk_not_affine(const char *why);
struct gcal_walk_value gcal_walk_integer(const struct gcal_poly *p);
struct gcal_walk_value *gcal_walk_variable_find(struct gcal_walk *w, CXCursor decl);
void gcal_walk_variable_set(struct gcal_walk *w, CXCursor decl,
                            struct gcal_walk_value value);
/* The variable or cell 'at' bytes from the beginning of 'decl'; NULL: it has none. */
struct gcal_walk_variable *gcal_walk_cell_find(struct gcal_walk *w, CXCursor decl,
                                               int64_t at);
/* Sets it, of 'type'. */
void gcal_walk_cell_set(struct gcal_walk *w, CXCursor decl, int64_t at, CXType type,
                        struct gcal_walk_value value);
/* Its address is taken: the variable is unknown from now on. */
void gcal_walk_variable_escape(struct gcal_walk *w, CXCursor decl);
/* Its value; unknown when it has none. */
struct gcal_walk_value gcal_walk_variable_get(struct gcal_walk *w, CXCursor decl);
/* A copy of all variables, with their chains; and back to it.  NULL, which changes nothing,
 * when the walk fails.
 */
struct gcal_walk_variable *gcal_walk_variables_save(struct gcal_walk *w, size_t *n);
void gcal_walk_variables_free(struct gcal_walk_variable *saved);
void gcal_walk_variables_restore(struct gcal_walk *w,
                                 const struct gcal_walk_variable *saved, size_t n);

/* ---- cells.c: vectors, structures and arrays as variables ---- */
enum { GCAL_WALK_MAX_CELLS = 64 }; /* of one variable */
struct gcal_walk_leaf {
    int64_t at;
    CXType type;
};
/* The integers and pointers in 'type'.  'arrays': those in arrays, too.  Returns how many;
 * 0 for more than GCAL_WALK_MAX_CELLS.
 */
size_t gcal_walk_leaves(struct gcal_walk *w, CXType type, bool arrays,
                        struct gcal_walk_leaf leaves[GCAL_WALK_MAX_CELLS]);
/* A vector, structure or array. */
bool gcal_walk_type_is_aggregate(CXType type);
/* Declares a variable of any type, with its cells. */
void gcal_walk_variable_declare(struct gcal_walk *w, CXCursor decl,
                                struct gcal_walk_value value);
/* Returns whether it has been, or has a value. */
bool gcal_walk_is_declared(const struct gcal_walk *w, CXCursor decl);
/* The value of 'size' bytes of a variable: its cells. */
struct gcal_walk_value gcal_walk_cells_load(struct gcal_walk *w, CXCursor decl,
                                            int64_t at, int64_t size);
void gcal_walk_cells_store(struct gcal_walk *w, CXCursor decl, int64_t at, int64_t size,
                           struct gcal_walk_value value);
/* The name of a cell, for dimensions: "d_x". */
const char *gcal_walk_cell_name(struct gcal_walk *w, CXCursor decl, int64_t at);
/* A value of parts; those that 'parts' does not have are unknown. */
struct gcal_walk_value gcal_walk_value_of_parts(struct gcal_walk *w, size_t n,
                                                const struct gcal_walk_part *parts);
/* The part at 'at' bytes; of a single value, the value itself. */
struct gcal_walk_value gcal_walk_part_find(struct gcal_walk_value value, int64_t at);
/* 'size' bytes of a value from 'at' on, as a value of their own. */
struct gcal_walk_value gcal_walk_parts_slice(struct gcal_walk *w,
                                             struct gcal_walk_value value, int64_t at,
                                             int64_t size);
/* The value of { .. } or of a vector literal of 'type'. */
struct gcal_walk_value gcal_walk_initialiser(struct gcal_walk *w, CXCursor list,
                                             CXType type);
/* Private arrays whose elements have to be known: used in subscripts and conditions. */
bool gcal_walk_table_add(struct gcal_walk *w, CXCursor subscript);
bool gcal_walk_is_table(const struct gcal_walk *w, CXCursor decl);

/* Operations on vectors, component by component. */
/* Bytes of an element. */
int64_t gcal_walk_vector_spacing(CXType type);
CXType gcal_walk_element_type(CXType type); /* of a vector; or itself */
/* As gcal_walk_binary(), for vectors too. */
struct gcal_walk_value gcal_walk_operate(struct gcal_walk *w,
                                         enum CXBinaryOperatorKind kind, CXType type,
                                         struct gcal_walk_value a,
                                         struct gcal_walk_value b);
/* A comparison of operands of 'type' as a value. */
struct gcal_walk_value gcal_walk_comparison(struct gcal_walk *w,
                                            enum CXBinaryOperatorKind kind, CXType type,
                                            struct gcal_walk_value a,
                                            struct gcal_walk_value b);
/* -x and ~x. */
struct gcal_walk_value gcal_walk_negate(struct gcal_walk *w, CXType type,
                                        struct gcal_walk_value value, bool bitwise);
/* A value of type 'from' cast to 'to'. */
struct gcal_walk_value gcal_walk_cast_value(struct gcal_walk *w,
                                            struct gcal_walk_value value, CXType from,
                                            CXType to);
/* 'yes' where the predicate holds, else 'no', part by part. */
struct gcal_walk_value gcal_walk_parts_select(struct gcal_walk *w,
                                              const struct gcal_walk_predicate *predicate,
                                              struct gcal_walk_value yes,
                                              struct gcal_walk_value no);
/* A call of a built-in function of integers with 'n' arguments; 'types' are theirs. */
struct gcal_walk_value gcal_walk_vector_call(struct gcal_walk *w, const char *name,
                                             CXType type, size_t n, const CXType *types,
                                             const struct gcal_walk_value *args);

/* ---- data.c: what is known of values that come from data ---- */
/* The value, or what is known of it, with free numbers or without; NULL: nothing. */
const struct gcal_poly *gcal_walk_base_of(struct gcal_walk_value value);
const struct gcal_poly *gcal_walk_near_of(const struct gcal_walk *w,
                                          struct gcal_walk_value value);
/* A free number, of the loops around; NULL: there are many. */
const struct gcal_poly *gcal_walk_free_number(struct gcal_walk *w);
/* The value of a variable 'decl', or of a part of it of 'type': with a free number where nothing is
 * known of it and subscripts use it.
 */
struct gcal_walk_value gcal_walk_named(struct gcal_walk *w, CXCursor decl, CXType type,
                                       struct gcal_walk_value value);
/* Of a load of 'type' at 'pointer'. */
const struct gcal_poly *gcal_walk_near_loaded(struct gcal_walk *w, CXType type,
                                              struct gcal_walk_value pointer);
const struct gcal_poly *gcal_walk_near_binary(struct gcal_walk *w,
                                              enum CXBinaryOperatorKind kind,
                                              struct gcal_walk_value a,
                                              struct gcal_walk_value b);

/* 0 .. n-1 */
const struct gcal_sets_range *gcal_walk_range_of_values(struct gcal_walk *w, int64_t n);
/* How many values they may have; NULL: any. */
const struct gcal_sets_range *gcal_walk_range_of_type(struct gcal_walk *w, CXType type);
/* Of an integer in a range (NULL: any) that becomes one of this type. */
const struct gcal_sets_range *
gcal_walk_range_converted(struct gcal_walk *w, const struct gcal_sets_range *range,
                          CXType to);
/* Of an integer that is loaded: as the request says of the buffer, else by its type. */
const struct gcal_sets_range *gcal_walk_range_loaded(struct gcal_walk *w, CXType type,
                                                     struct gcal_walk_value pointer);
/* Of a op b, one of which is not an integer, or whose result is not affine. */
const struct gcal_sets_range *
gcal_walk_range_binary(struct gcal_walk *w, enum CXBinaryOperatorKind kind, CXType type,
                       const struct gcal_walk_value *a, const struct gcal_walk_value *b);
/* Of a built-in function of integers. */
const struct gcal_sets_range *
gcal_walk_range_function(struct gcal_walk *w, const char *name, CXType type, size_t n,
                         const struct gcal_walk_value *args);
/* Of a pointer moved by elements of 'size' bytes. */
const struct gcal_sets_range *gcal_walk_range_move(struct gcal_walk *w,
                                                   const struct gcal_walk_value *pointer,
                                                   const struct gcal_walk_value *by,
                                                   int64_t size);
/* Of one that is 'a' or 'b'. */
const struct gcal_sets_range *gcal_walk_range_either(struct gcal_walk *w,
                                                     const struct gcal_walk_value *a,
                                                     const struct gcal_walk_value *b);
/* A range of bytes in elements of 'bytes'. */
const struct gcal_sets_range *
gcal_walk_range_in_elements(struct gcal_walk *w, const struct gcal_sets_range *range,
                            int64_t bytes);

/* ---- event.c: counted events, and the scopes around them ---- */
/* A new array; and the array of that name and space, made when it is new. */
unsigned gcal_walk_array_add(struct gcal_walk *w, const char *name,
                             enum gcal_feature_space space);
unsigned gcal_walk_array_find(struct gcal_walk *w, const char *name,
                              enum gcal_feature_space space);
/* An operation with that result, which decides whether it is index arithmetic (index.c); NULL
 * 'op': none.
 */
void gcal_walk_count_op(struct gcal_walk *w, CXType type, const char *op,
                        const struct gcal_walk_value *result);
/* An operation of a sub-group on matrices of 'type' (f16, bf16, ..), a text that lives on. */
void gcal_walk_count_matrix(struct gcal_walk *w, const char *type, int64_t multiply_adds);
/* The operation of 'type' that was counted last is one instruction with the one that uses its result. */
void gcal_walk_join_op(struct gcal_walk *w, CXType type);
/* Takes back a product, which is fused with an addition, or counts it after all. */
void gcal_walk_fuse(struct gcal_walk *w, struct gcal_walk_product *product, bool fuses);
/* A comparison, selection, negation or conversion; of indices: index arithmetic. */
void gcal_walk_count_auxiliary(struct gcal_walk *w, CXType type, const char *op,
                               const struct gcal_walk_value *result);
void gcal_walk_count_access(struct gcal_walk *w, CXCursor at, CXType type, int64_t width,
                            enum gcal_feature_space space,
                            enum gcal_feature_direction direction,
                            struct gcal_walk_value pointer, const char *tag);
/* Of so many words of 4 bytes at once, whatever they are of. */
void gcal_walk_count_words(struct gcal_walk *w, CXCursor at, int64_t words,
                           enum gcal_feature_space space,
                           enum gcal_feature_direction direction,
                           struct gcal_walk_value pointer);
/* An atomic operation 'op' on one element. */
void gcal_walk_count_atomic(struct gcal_walk *w, CXCursor at, CXType type,
                            enum gcal_feature_space space, const char *op,
                            enum gcal_sets_joins joins, struct gcal_walk_value pointer,
                            const char *tag);
void gcal_walk_count_branch(struct gcal_walk *w, CXCursor at,
                            const struct gcal_sets_condition *condition);
void gcal_walk_count_barrier(struct gcal_walk *w, CXCursor at);
/* Adds an array's bytes, once. */
void gcal_walk_count_array_bytes(struct gcal_walk *w, CXCursor decl);
/* 'condition' NULL: unknown, counted as if it held. */
struct gcal_sets_scope *
gcal_walk_push_condition(struct gcal_walk *w, CXCursor at,
                         const struct gcal_sets_condition *condition);
/* The scope where 'predicate' holds, or where it does not. */
void gcal_walk_push_predicate(struct gcal_walk *w, CXCursor at,
                              const struct gcal_walk_predicate *predicate, bool holds);
struct gcal_sets_scope *gcal_walk_push_loop(struct gcal_walk *w, CXCursor at,
                                            unsigned atom, const struct gcal_poly *trips,
                                            bool runtime_step);
const struct gcal_sets_scope *
gcal_walk_scope_at_first(struct gcal_walk *w, const struct gcal_sets_scope *scope,
                         const struct gcal_sets_scope *loop);
void gcal_walk_note(struct gcal_walk *w, CXCursor at, const char *text);
/* Notes that both sides of an unknown predicate were counted, when any events came after
 * the first 'n_events'.  A predicate that does not depend on data is refused unless
 * estimates are allowed.
 */
void gcal_walk_note_both_sides(struct gcal_walk *w, CXCursor condition,
                               const struct gcal_walk_predicate *predicate,
                               size_t n_events);

/* The number of events so far, to rewind to. */
struct gcal_walk_mark {
    size_t n_ops, n_accesses, n_barriers, n_branches, n_notes, n_events, n_work, first_op,
        n_quotients, n_instructions, n_rolled;
};
/* Sets w->first_op, so that earlier events do not change until it is restored. */
struct gcal_walk_mark gcal_walk_events_mark(struct gcal_walk *w);
void gcal_walk_events_rewind(struct gcal_walk *w, const struct gcal_walk_mark *mark);

/* ---- stmt.c: declarations, and exits of statements ---- */
void gcal_walk_declare(struct gcal_walk *w, CXCursor decl);
struct gcal_walk_flow gcal_walk_flow_fall_through(void);
struct gcal_walk_flow gcal_walk_flow_jump(enum gcal_walk_jump jump, CXCursor at);
struct gcal_walk_exit gcal_walk_exit_and(struct gcal_walk *w, struct gcal_walk_exit a,
                                         struct gcal_walk_exit b);
struct gcal_walk_exit gcal_walk_exit_not(struct gcal_walk *w, struct gcal_walk_exit a);
struct gcal_walk_exit
gcal_walk_exit_from_predicate(struct gcal_walk *w,
                              const struct gcal_walk_predicate *predicate, CXCursor at,
                              bool holds);
/* 'first', then 'second' where control did not leave 'first'. */
struct gcal_walk_flow gcal_walk_flow_sequence(struct gcal_walk *w,
                                              struct gcal_walk_flow first,
                                              struct gcal_walk_flow second);
/* 'yes' where 'predicate' holds, else 'no'. */
struct gcal_walk_flow gcal_walk_flow_branch(struct gcal_walk *w, CXCursor at,
                                            const struct gcal_walk_predicate *predicate,
                                            struct gcal_walk_flow yes,
                                            struct gcal_walk_flow no);
/* 'flow' where the exit 'reached' is taken. */
struct gcal_walk_flow gcal_walk_flow_restrict(struct gcal_walk *w,
                                              struct gcal_walk_exit reached,
                                              struct gcal_walk_flow flow);
/* The exit by any jump. */
struct gcal_walk_exit gcal_walk_flow_any_exit(struct gcal_walk *w,
                                              const struct gcal_walk_flow *flow);
/* The scope of what follows: where control did not leave. */
void gcal_walk_push_remaining(struct gcal_walk *w, CXCursor at,
                              const struct gcal_walk_flow *flow);

/* ---- merge.c: values after branches ---- */
/* 'yes' where 'predicate' holds, else 'no'. */
struct gcal_walk_value gcal_walk_value_select(struct gcal_walk *w,
                                              const struct gcal_walk_predicate *predicate,
                                              struct gcal_walk_value yes,
                                              struct gcal_walk_value no);
/* Merges 'yes' into the variables, which now have their values of the other side. */
void gcal_walk_variables_merge(struct gcal_walk *w,
                               const struct gcal_walk_predicate *predicate,
                               const struct gcal_walk_variable *yes, size_t n);
/* A value that is a condition as an integer, where a polynomial expresses it. */
struct gcal_walk_value gcal_walk_value_as_integer(struct gcal_walk *w,
                                                  struct gcal_walk_value value);
void gcal_walk_path_push(struct gcal_walk *w, const struct gcal_walk_predicate *predicate,
                         bool holds);
void gcal_walk_return_add(struct gcal_walk *w, struct gcal_walk_value value);
/* The value of the function whose returns begin at 'first'. */
struct gcal_walk_value gcal_walk_returned_value(struct gcal_walk *w, size_t first);
/* Makes the first 'n' variables, which are those at its end, the ones that it returns with. */
void gcal_walk_returned_variables(struct gcal_walk *w, size_t first, size_t n);
/* Forgets all returns but the first 'n'. */
void gcal_walk_returns_cut(struct gcal_walk *w, size_t n);

/* integers that are one of two values */
bool gcal_walk_condition_equal(const struct gcal_sets_condition *a,
                               const struct gcal_sets_condition *b);
/* 1: a condition around the walk is the same, 0: the opposite, -1: none. */
int gcal_walk_scope_decides(struct gcal_walk *w,
                            const struct gcal_sets_condition *condition);
/* Enters the scope of a side of a choice, and gives the scope around it. */
const struct gcal_sets_scope *gcal_walk_push_side(struct gcal_walk *w,
                                                  const struct gcal_sets_condition *when,
                                                  bool holds);
/* A choice of integers, or of pointers, or of choices; unknown if it is too large. */
struct gcal_walk_value gcal_walk_value_choose(struct gcal_walk *w,
                                              const struct gcal_sets_condition *when,
                                              struct gcal_walk_value yes,
                                              struct gcal_walk_value no);
/* 'value' where 'when' holds, or where it does not. */
struct gcal_walk_value gcal_walk_value_where(struct gcal_walk *w,
                                             struct gcal_walk_value value,
                                             const struct gcal_sets_condition *when,
                                             bool holds);
void gcal_walk_variables_where(struct gcal_walk *w,
                               const struct gcal_sets_condition *when, bool holds);
/* The condition of the first choice among the values; NULL without. */
const struct gcal_sets_condition *gcal_walk_value_splits(size_t n,
                                                         const struct gcal_walk_value *v);
/* The condition, the same for all work-items of a group, of a choice in 'c': of a
 * variable, or by '?'.  NULL without.
 */
const struct gcal_sets_condition *gcal_walk_choice_in(struct gcal_walk *w, CXCursor c);

/* ---- expr.c ---- */
struct gcal_walk_value gcal_walk_expr(struct gcal_walk *w, CXCursor c);
struct gcal_walk_value gcal_walk_index_expr(struct gcal_walk *w, CXCursor c);
/* Its value: nothing is counted, no variable changes. */
struct gcal_walk_value gcal_walk_expr_value(struct gcal_walk *w, CXCursor c);

/* ---- lvalue.c ---- */
struct gcal_walk_lvalue {
    enum {
        GCAL_WALK_LVALUE_VALUE,    /* of no variable: of a call, an operator */
        GCAL_WALK_LVALUE_VARIABLE, /* in private memory */
        GCAL_WALK_LVALUE_MEMORY
    } kind;
    struct gcal_walk_value value; /* value */
    CXCursor decl;                /* variable */
    int64_t from, size;           /* of its bytes */
    bool somewhere;               /* in these bytes, it is unknown where */
    size_t n_lanes;               /* several components of a vector; else 0 */
    signed char lanes[GCAL_SOURCE_MAX_COMPONENTS];
    bool in_array; /* variable: an element of a private array */
    enum gcal_feature_space space;
    CXType type;
    struct gcal_walk_value pointer; /* in an array, from the beginning of the variable */
    const char *tag;
};
/* The address space of memory of 'type' at 'pointer', which is at 'at'; that of a generic
 * pointer is that of what it points to.
 */
enum gcal_feature_space gcal_walk_pointer_space(struct gcal_walk *w, CXCursor at,
                                                CXType type,
                                                struct gcal_walk_value pointer);
struct gcal_walk_lvalue gcal_walk_lvalue_find(struct gcal_walk *w, CXCursor c);
/* What a pointer to 'type' points to. */
struct gcal_walk_lvalue gcal_walk_lvalue_of_target(struct gcal_walk *w, CXCursor pointer,
                                                   CXType type);
/* 'type' at 'bytes' from the beginning of what the lvalue names. */
void gcal_walk_narrow(struct gcal_walk *w, struct gcal_walk_lvalue *lvalue, int64_t bytes,
                      CXType type);
struct gcal_walk_value gcal_walk_lvalue_load(struct gcal_walk *w, CXCursor at,
                                             const struct gcal_walk_lvalue *lvalue);
void gcal_walk_lvalue_store(struct gcal_walk *w, CXCursor at,
                            const struct gcal_walk_lvalue *lvalue,
                            struct gcal_walk_value value);
/* An array as a pointer to its first element. */
struct gcal_walk_value gcal_walk_decay(struct gcal_walk *w, CXCursor array);
/* The place of a private variable, or of a part of it, without side effects and for any
 * values of other variables; false for other places.
 */
bool gcal_walk_place_find(struct gcal_walk *w, CXCursor c,
                          struct gcal_walk_lvalue *lvalue);
/* A constant expression, evaluated by libclang. */
struct gcal_walk_value gcal_walk_constant(struct gcal_walk *w, CXCursor c);

/* ---- call.c ---- */
/* Sets the parameters of a function to the arguments of its call. */
void gcal_walk_bind_arguments(struct gcal_walk *w, CXCursor function,
                              struct gcal_walk_children kids);
/* Walks a function that has a body; 'result' (or NULL) is for what it returns a reference to. */
struct gcal_walk_value gcal_walk_call_function(struct gcal_walk *w, CXCursor call,
                                               CXCursor function,
                                               struct gcal_walk_children kids,
                                               struct gcal_walk_lvalue *result);

/* ---- object.c: what C++ has ---- */
struct gcal_walk_reference {
    CXCursor decl;
    unsigned hash; /* of 'decl' */
    struct gcal_walk_lvalue lvalue;
    bool several; /* a member, of objects in which it does not refer to the same */
};
/* Makes a reference, or "this" of a method, refer to what 'c' names; 'c' null: the caller's "this".
 */
void gcal_walk_refer(struct gcal_walk *w, CXCursor decl, CXCursor c);
/* Refuses what is an lvalue in C++ alone, and is not followed. */
void gcal_walk_check_target(struct gcal_walk *w, CXCursor c);
/* False: it refers to nothing so far, or to one of several. */
bool gcal_walk_reference_find(const struct gcal_walk *w, CXCursor decl,
                              struct gcal_walk_lvalue *lvalue);
bool gcal_walk_is_lambda(struct gcal_walk *w, CXCursor function);
/* What "this" points to in the function that is being walked, whose members are those of 'record'. */
struct gcal_walk_lvalue gcal_walk_this(struct gcal_walk *w, CXCursor record);
bool gcal_walk_is_this(struct gcal_walk *w, CXCursor c);
/* What the call of a function returns a reference to; false: it returns a value. */
bool gcal_walk_call_lvalue(struct gcal_walk *w, CXCursor call,
                           struct gcal_walk_lvalue *lvalue);
/* Returns what 'c' names from a function that returns a reference. */
void gcal_walk_return_reference(struct gcal_walk *w, CXCursor c);
/* The members that a constructor sets before its body runs. */
void gcal_walk_members(struct gcal_walk *w, CXCursor constructor);
/* The call of a constructor, or of a function that the compiler makes; false: it is another. */
bool gcal_walk_object_call(struct gcal_walk *w, CXCursor call, CXCursor function,
                           struct gcal_walk_children kids, struct gcal_walk_value *value);
/* Returns whether the call may change what it is given as argument 'i': by a reference. */
bool gcal_walk_may_change(CXCursor function, size_t i);
/* Returns whether the call may change variables of its caller, by references, as a method, or as a lambda by the
 * names that it captures.
 */
bool gcal_walk_changes_caller(struct gcal_walk *w, CXCursor function,
                              struct gcal_walk_children kids);
/* Of an operand of inline assembly: whether that may write there. */
bool gcal_walk_is_output(CXCursor operand);
/* call_access.c: a statement of inline assembly. */
void gcal_walk_assembly(struct gcal_walk *w, CXCursor c);
/* threadIdx and the like; false: it is no such variable. */
bool gcal_walk_thread_variable(struct gcal_walk *w, CXCursor decl,
                               struct gcal_walk_value *value);
/* Returns whether "blockIdx.x*blockDim.x + threadIdx.x" or the like is in 'c'; and its value. */
bool gcal_walk_global_id(struct gcal_walk *w, CXCursor sum,
                         struct gcal_walk_children kids, struct gcal_walk_value *value);

/* ---- logic.c ---- */
/* Returns whether 'c', an operation, is one instruction with the one that uses its result: asked before
 * its operands are walked.
 */
bool gcal_walk_is_joined(struct gcal_walk *w, CXCursor c);

/* ---- private_array.c ---- */
/* Moves 'lvalue', an array in private memory, to its element 'by'. */
void gcal_walk_private_move(struct gcal_walk *w, struct gcal_walk_lvalue *lvalue,
                            struct gcal_walk_value by, CXType array);
/* A pointer to private memory: to what 'lvalue' names. */
struct gcal_walk_value gcal_walk_private_pointer(struct gcal_walk *w,
                                                 const struct gcal_walk_lvalue *lvalue);
/* Notes that compilers do not know the subscript: the array is in memory. */
void gcal_walk_private_keep(struct gcal_walk *w, const struct gcal_walk_lvalue *lvalue);
/* Counts an access to an element of a private array, or through a pointer to one. */
void gcal_walk_private_access(struct gcal_walk *w, CXCursor at,
                              const struct gcal_walk_lvalue *lvalue,
                              enum gcal_feature_direction direction);
/* Notes the initialiser of a private array: stores of its elements. */
void gcal_walk_private_initialise(struct gcal_walk *w, CXCursor decl, bool folds);
/* The declaration of an array of the nest. */
CXCursor gcal_walk_private_decl(const struct gcal_walk *w, unsigned array);
/* After the walk: removes the accesses to arrays that compilers keep in registers. */
/* Beyond this many instructions, compilers do not unroll a loop whole: chosen by where NVIDIA's
 * (CUDA 13, for an H100) keeps the arrays of 246 kernels (scripts/results/private-arrays.py).
 */
enum { GCAL_WALK_MOST_INSTRUCTIONS = 2000 };
/* Of an access of memory, for its address as well; and of the test of an iteration, which stays where
 * the number of iterations depends on a loop around.
 */
enum { GCAL_WALK_ACCESS_INSTRUCTIONS = 6, GCAL_WALK_TEST_INSTRUCTIONS = 2 };

/* Instructions of an operation: a multiplication and an addition are joined after unrolling. */
size_t gcal_walk_op_instructions(const char *op);
void gcal_walk_private_finish(struct gcal_walk *w);

/* ---- arith.c ---- */
/* The value, or an unknown one where its polynomials need more than 64 bits, as in hashes and
 * random numbers, or are too long; 'had_failed': whether the context had before.
 */
struct gcal_walk_value gcal_walk_value_if_fits(struct gcal_walk *w, bool had_failed,
                                               struct gcal_walk_value value);
/* a op b of two integers of 'type'; unknown when it is not affine. */
struct gcal_walk_value gcal_walk_binary(struct gcal_walk *w,
                                        enum CXBinaryOperatorKind kind, CXType type,
                                        struct gcal_walk_value a,
                                        struct gcal_walk_value b);
/* from - value, of an integer 'type': 0 for -x, -1 for ~x. */
struct gcal_walk_value gcal_walk_negated(struct gcal_walk *w, CXType type, int64_t from,
                                         struct gcal_walk_value value);
/* A pointer moved by 'bytes' times 'by'; or by 'bytes', as far as its place is known. */
struct gcal_walk_value gcal_walk_pointer_add(struct gcal_walk *w,
                                             struct gcal_walk_value pointer,
                                             struct gcal_walk_value by, int64_t bytes);
struct gcal_walk_value gcal_walk_pointer_shift(struct gcal_walk *w,
                                               struct gcal_walk_value pointer,
                                               int64_t bytes);
/* A pointer of 'type' moved by sign*by elements. */
struct gcal_walk_value gcal_walk_move_pointer(struct gcal_walk *w,
                                              struct gcal_walk_value pointer,
                                              struct gcal_walk_value by, CXType type,
                                              int sign);
/* An integer of type 'from' converted to 'to'. */
struct gcal_walk_value gcal_walk_convert(struct gcal_walk *w,
                                         struct gcal_walk_value value, CXType from,
                                         CXType to);
/* An integer as a variable of 'type' keeps it. */
struct gcal_walk_value gcal_walk_stored(struct gcal_walk *w, struct gcal_walk_value value,
                                        CXType type);
bool gcal_walk_type_is_unsigned(CXType type); /* and at least as wide as int */
/* p with what equations around the walk, as of "if (i == n - 1)", say for dimensions. */
const struct gcal_poly *gcal_walk_in_scope(struct gcal_walk *w,
                                           const struct gcal_poly *p);
/* Returns whether p is proven nonnegative in the current scope. */
bool gcal_walk_is_nonnegative(struct gcal_walk *w, const struct gcal_poly *p);
/* Floating values that are exact quotients of sizes, within an expression: a literal, */
struct gcal_walk_value gcal_walk_quotient_literal(CXCursor c, struct gcal_walk *w);
/* a op b, a conversion, and a call of a built-in function (of convert_int_rtp() only the
 * rounding); unknown for others.
 */
struct gcal_walk_value gcal_walk_quotient_binary(struct gcal_walk *w,
                                                 enum CXBinaryOperatorKind kind,
                                                 struct gcal_walk_value a,
                                                 struct gcal_walk_value b);
struct gcal_walk_value
gcal_walk_quotient_convert(struct gcal_walk *w, struct gcal_walk_value value, CXType to);
struct gcal_walk_value gcal_walk_quotient_call(struct gcal_walk *w, const char *name,
                                               struct gcal_walk_value value);
/* The operator's name in features; NULL for operators that are not counted. */
const char *gcal_walk_op_name(enum CXBinaryOperatorKind kind);
/* The binary operator of a compound assignment. */
enum CXBinaryOperatorKind gcal_walk_compound_operator(enum CXBinaryOperatorKind kind);

/* ---- predicate.c ---- */
/* An expression as a condition; its operations are not counted. */
struct gcal_walk_predicate gcal_walk_condition(struct gcal_walk *w, CXCursor c);
struct gcal_walk_predicate gcal_walk_predicate_from_value(struct gcal_walk *w,
                                                          struct gcal_walk_value value);
struct gcal_walk_value
gcal_walk_value_from_predicate(struct gcal_walk *w, struct gcal_walk_predicate predicate);
struct gcal_walk_predicate gcal_walk_predicate_and(struct gcal_walk *w,
                                                   struct gcal_walk_predicate a,
                                                   struct gcal_walk_predicate b);
struct gcal_walk_predicate gcal_walk_predicate_or(struct gcal_walk *w,
                                                  struct gcal_walk_predicate a,
                                                  struct gcal_walk_predicate b);
struct gcal_walk_predicate gcal_walk_predicate_not(struct gcal_walk *w,
                                                   struct gcal_walk_predicate predicate);
/* 1: always holds, 0: never, -1: depends, or unknown. */
int gcal_walk_predicate_decide(struct gcal_walk *w,
                               const struct gcal_walk_predicate *predicate);
/* a op b of two values of 'type'. */
struct gcal_walk_predicate gcal_walk_compare(struct gcal_walk *w,
                                             enum CXBinaryOperatorKind kind, CXType type,
                                             struct gcal_walk_value a,
                                             struct gcal_walk_value b);

/* ---- call.c ---- */
/* A built-in function of integers with values 'args' of 'types', as a value of 'type'. */
struct gcal_walk_value gcal_walk_integer_function(struct gcal_walk *w, const char *name,
                                                  CXType type, size_t n,
                                                  const CXType *types,
                                                  const struct gcal_walk_value *args);
struct gcal_walk_value gcal_walk_call(struct gcal_walk *w, CXCursor c);

/* ---- call_item.c, call_access.c: built-in functions ---- */
/* The number of a work-item in its group or in the NDRange. */
const struct gcal_poly *gcal_walk_linear_id(struct gcal_walk *w, bool local);
/* The image that an expression names: a pointer to an unknown place in it. */
struct gcal_walk_value gcal_walk_image_find(struct gcal_walk *w, CXCursor c);
/* The value of the call of 'name', whose arguments follow kids.c[0]; false, with nothing
 * walked, for other functions.
 */
bool gcal_walk_call_item(struct gcal_walk *w, CXCursor c, const char *name,
                         struct gcal_walk_children kids, struct gcal_walk_value *value);
bool gcal_walk_call_access(struct gcal_walk *w, CXCursor c, const char *name,
                           struct gcal_walk_children kids, struct gcal_walk_value *value);

/* ---- hoist.c: operations that are the same in each iteration of a loop ---- */
struct gcal_walk_frame gcal_walk_frame_of(const struct gcal_walk_frame *outer,
                                          CXCursor call, CXCursor function,
                                          struct gcal_walk_children kids);
/* Where the operation of the expression being walked is counted; false: it has been, in an earlier
 * iteration.
 */
bool gcal_walk_hoist(struct gcal_walk *w, const struct gcal_sets_scope **to);
void gcal_walk_hoist_clear(struct gcal_walk *w);

/* ---- uniform.c: atomic operations that compilers and devices join ---- */
/* Of which lanes the call 'kids' of an atomic operation 'op' is joined; 'is_used': its result. */
enum gcal_sets_joins gcal_walk_find_joins(struct gcal_walk *w, const char *op,
                                          CXType type, enum gcal_feature_space space,
                                          struct gcal_walk_children kids, bool is_used);

/* ---- stmt.c ---- */
struct gcal_walk_flow gcal_walk_stmt(struct gcal_walk *w, CXCursor c);
/* Consecutive statements. */
struct gcal_walk_flow gcal_walk_sequence(struct gcal_walk *w, size_t n,
                                         const CXCursor *c);

/* ---- loop.c ---- */
/* A loop of any form; omitted clauses are null cursors. */
struct gcal_walk_loop_clauses {
    CXCursor at, condition, increment, body;
    bool tests_late;  /* do: the condition is at the end */
    const char *why;  /* its trip count is unknown, for messages; or NULL */
    int64_t unrolled; /* as often as the source asks for; 0: it does not */
};
struct gcal_walk_flow gcal_walk_loop(struct gcal_walk *w, CXCursor c);
/* Fails as the trip count is unknown, with the reason 'why' (or NULL). */
void gcal_walk_loop_refuse(struct gcal_walk *w, const struct gcal_walk_loop_clauses *loop,
                           bool on_data, const char *why);

/* ---- induction.c: variables that a loop changes ---- */
enum { GCAL_WALK_MAX_INDUCTIONS = 1024 };

struct gcal_walk_induction {
    CXCursor decl;
    int64_t at; /* of a variable or cell, as in struct gcal_walk_variable */
    CXType type;
    struct gcal_walk_value start; /* before the loop */
    const struct gcal_poly *step; /* per iteration (of a pointer: elements); or NULL */
    /* times 2^doublings per iteration, or divided by 2^-doublings; 0: neither */
    int doublings;
    const struct gcal_poly *any; /* with doublings: a dimension for its value */
    int times, n_steps;          /* changes in the loop; those that are known steps */
    const struct gcal_poly *near_step; /* the same where the start is unknown; or NULL */
    int n_near_steps;
    bool runtime_step;      /* a step that is not a constant in the source */
    bool carries;           /* an iteration may read what an earlier one wrote */
    bool on_data, assigned; /* it is assigned data; it changes other than by steps */
    bool is_callees;        /* of a function that the loop calls (induction.c) */
};

struct gcal_walk_inductions {
    size_t n, capacity;
    struct gcal_walk_induction *all;
    const struct gcal_walk_inductions *outer; /* in struct gcal_walk's 'rolled' */
};

/* The integers and pointers with a value that the loop changes; makes them unknown.  NULL
 * when the walk has failed.
 */
struct gcal_walk_inductions *
gcal_walk_inductions_find(struct gcal_walk *w, const struct gcal_walk_loop_clauses *loop);
/* Sets their values before the loop, */
void gcal_walk_inductions_reset(struct gcal_walk *w,
                                const struct gcal_walk_inductions *changes);
/* at the start of iteration 'v', */
void gcal_walk_inductions_set(struct gcal_walk *w, struct gcal_walk_inductions *changes,
                              const struct gcal_poly *v);
/* and after 'trips' iterations (NULL: an unknown number).  'v': the dimension in which the
 * variables now have their values at the end of an iteration; or NULL.
 */
void gcal_walk_inductions_finish(struct gcal_walk *w,
                                 struct gcal_walk_inductions *changes,
                                 const struct gcal_poly *trips,
                                 const struct gcal_poly *v);
/* Returns whether 'c' contains such a jump out of it. */
bool gcal_walk_contains_jump(struct gcal_walk *w, CXCursor c, enum gcal_walk_jump jump);

/* ---- loop_nest.c: a loop as a dimension ---- */
/* 'average': the trips are the user's average, with early exits included. */
struct gcal_walk_flow gcal_walk_loop_nest(struct gcal_walk *w,
                                          const struct gcal_walk_loop_clauses *loop,
                                          struct gcal_walk_inductions *changes,
                                          const struct gcal_trips_count *count,
                                          bool average);

/* ---- unroll.c: loops executed iteration by iteration ---- */
enum { GCAL_WALK_MAX_UNROLLED = 1024, GCAL_WALK_MAX_COMPILED = 64 /* by compilers */ };
/* How often the attribute or pragma 'around' a loop asks for it to be unrolled; 0: none. */
enum { GCAL_WALK_UNROLL_ALL = 1 << 30 };
int64_t gcal_walk_unroll_hint(const struct gcal_walk *w, CXCursor around, CXCursor loop);
struct gcal_walk_flow gcal_walk_loop_unroll(struct gcal_walk *w,
                                            const struct gcal_walk_loop_clauses *loop);
/* An early exit of a loop under an unknown condition: refused, or noted where estimates
 * are allowed.
 */
void gcal_walk_loop_uncertain_exit(struct gcal_walk *w,
                                   const struct gcal_walk_exit *exit);

/* Returns whether the loop's body always assigns a variable that it changes before it reads it, and
 * nothing in its control reads it.
 */
bool gcal_walk_is_written_first(struct gcal_walk *w,
                                const struct gcal_walk_loop_clauses *loop,
                                const struct gcal_walk_induction *change);

/* ---- index.c: variables used in subscripts and loop control ---- */
void gcal_walk_find_indices(struct gcal_walk *w, CXCursor function);
bool gcal_walk_is_index(const struct gcal_walk *w, CXCursor decl);
/* Returns whether it is affine in ids and loop counters. */
bool gcal_walk_is_affine(const struct gcal_walk *w, const struct gcal_walk_value *value);
/* The operation that 'op' is beside those before: a quotient and its remainder, of subscripts,
 * take one division, and a product more; NULL: none.
 */
const char *gcal_walk_share_quotient(struct gcal_walk *w, const char *op,
                                     const struct gcal_walk_value *of,
                                     const struct gcal_walk_value *by,
                                     const struct gcal_walk_value *result);
/* The scope outside the loops that it does not depend on, as far as that is known. */
const struct gcal_sets_scope *gcal_walk_scope_of(const struct gcal_walk *w,
                                                 const struct gcal_walk_value *value);

#endif
