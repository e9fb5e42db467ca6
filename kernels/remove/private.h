/* private.h - what the files of kernels/remove share
 *
 * The kernel is pretty printed first: that text has no macros, so that offsets in it are
 * those of its syntax tree and parts of it can be copied.  remove.c reduces a kernel to
 * global loads, by the recursive descent of load.c and helper.c, and may keep the stores and
 * barriers of global accesses.  onchip.c reduces a kernel to its work on the chip.  The sections below follow the files from the lowest up.
 */
#ifndef GCAL_KERNELS_REMOVE_PRIVATE_H
#define GCAL_KERNELS_REMOVE_PRIVATE_H

#include "kernels/base/buf.h"
#include "kernels/source/source.h"
#include "kernels/remove/remove.h"

/* What remains of a statement.  A loop with jumps alone is deleted. */
enum gcal_remove_content {
    GCAL_REMOVE_NOTHING,
    GCAL_REMOVE_JUMPS,
    GCAL_REMOVE_WORK,
    GCAL_REMOVE_FAILED
};

enum { GCAL_REMOVE_MAX_NAME = 64, GCAL_REMOVE_MAX_SUMS = 12 };

/* Accumulators of one type, in one function. */
struct gcal_remove_sum {
    const char *dtype;
    long long n_lanes; /* 0: a scalar */
};

struct gcal_remove_sums {
    size_t n;
    struct gcal_remove_sum sums[GCAL_REMOVE_MAX_SUMS];
};

struct gcal_remove_name {
    /* an array or a tag that the kernel loads from */
    char text[GCAL_REMOVE_MAX_NAME];
    bool is_own; /* of some load: its tag, or its array where it has no tag */
};

/* Findings of a run of work removal. */
struct gcal_remove_report {
    struct gcal_remove_sum total; /* type of read_tgt_dest's elements; no dtype: none */
    size_t n_loaded;
    struct gcal_remove_name *loaded;    /* the caller's to free */
    char missing[GCAL_REMOVE_MAX_NAME]; /* a load that should have been kept, or "" */
};

/* A function being written: a call of a helper, or the kernel (outer: NULL). */
struct gcal_remove_frame {
    struct gcal_remove_frame *outer;
    CXCursor call, definition;
    struct gcal_remove_sums sums;   /* found in this pass over the body */
    struct gcal_remove_sums stored; /* found in the pass before */
    size_t n_kept;                  /* loads written so far */
    int loop_depth;
};

/* A reason to refuse, dropped where the code is not written in the last pass. */
struct gcal_remove_doubt {
    CXCursor at;
    const char *why;
};

struct gcal_remove_pass {
    const struct gcal_source_unit *unit;     /* the printed source */
    const struct gcal_source_unit *original; /* the source as given, for messages */
    const struct gcal_remove_options *removal;
    const char *standard; /* build option for printed sources, or NULL */
    size_t n_dims;
    struct gcal_error *err;
    CXCursor *needed; /* variables */
    size_t n_needed, needed_capacity;
    struct gcal_remove_doubt *doubts;
    size_t n_doubts, doubt_capacity;
    struct gcal_remove_name *loaded;
    size_t n_loaded, loaded_capacity;
    struct gcal_remove_report *report;
    struct gcal_remove_frame *frame;
    struct gcal_buf functions; /* helpers reduced to their loads */
    int n_functions, n_loops;  /* written in this pass */
    size_t n_continues;
    bool stores; /* in global memory: read_tgt_dest is not needed */
};

static inline enum gcal_remove_content worse(enum gcal_remove_content a,
                                             enum gcal_remove_content b)
{
    return a > b ? a : b;
}

/* ---- text.c ---- */
/* The offsets of a cursor's text. */
void gcal_remove_extent(CXCursor c, unsigned *from, unsigned *to);
void gcal_remove_put_range(const struct gcal_remove_pass *r, unsigned from, unsigned to,
                           struct gcal_buf *out);
void gcal_remove_put_text(const struct gcal_remove_pass *r, CXCursor c,
                          struct gcal_buf *out);
/* A declaration without macros; a variable without the others of its declaration. */
void gcal_remove_print(CXCursor c, struct gcal_buf *out);
void gcal_remove_indent(int indent, struct gcal_buf *out);
/* "file:line:column: why", with the position in the source as given; -1. */
int gcal_remove_error(const struct gcal_remove_pass *r, CXCursor c, const char *why);
#define GCAL_REMOVE_NO_GOTO "work removal does not support goto: write a loop"

/* ---- tag.c ---- */
/* The tag of a pointer &GPUCAL_TAG(tag, ..), or of the lvalue around a component or
 * member.
 */
bool gcal_remove_tag_inside(CXCursor place, char *tag);
/* 'size' bytes of printed source, with expanded macros written as GPUCAL_TAG again. */
void gcal_remove_put_tags(const char *text, size_t size, struct gcal_buf *out);

/* ---- tree.c ---- */
/* Child 'which', or a null cursor. */
CXCursor gcal_remove_child(CXCursor c, size_t which);
CXCursor gcal_remove_body(CXCursor function);
enum gcal_feature_space gcal_remove_space(CXCursor c);
/* The address space that a pointer points to; ANY where 'c' is not a pointer. */
enum gcal_feature_space gcal_remove_target(CXCursor c);
/* The variable that an lvalue or a pointer expression starts from; null when unclear.
 * 'origin': continue from a pointer variable to its initial value.
 */
CXCursor gcal_remove_root(CXCursor c, bool origin);
/* Returns whether 'c' is an assignment, ++ or --. */
bool gcal_remove_is_change(CXCursor c);
/* The lvalue that the expression 'c' itself (not its children) loads from global memory,
 * or null.
 */
CXCursor gcal_remove_loaded(CXCursor c);
/* Returns whether 'c' calls a built-in function whose name begins with 'start'. */
bool gcal_remove_calls(CXCursor c, const char *start);
/* The definition of the helper that is called, or a null cursor. */
CXCursor gcal_remove_callee(CXCursor call);
/* Returns whether a function has a parameter that points to global memory. */
bool gcal_remove_takes_global(CXCursor function);
bool gcal_remove_is_barrier(CXCursor c);
/* Returns whether 'c' holds a barrier, or calls a function that does. */
bool gcal_remove_has_barrier(CXCursor c);

/* ---- accumulator.c ---- */
struct gcal_remove_sum gcal_remove_sum_of(CXType type);
/* The index of the sum for values of 'type', which is added when new, or -1.  'pooled':
 * all scalars share one, of the widest type.
 */
int gcal_remove_sums_find(struct gcal_remove_pass *r, struct gcal_remove_sums *sums,
                          CXCursor at, struct gcal_remove_sum type, bool pooled);
void gcal_remove_sum_put_name(size_t sum, struct gcal_buf *out);
void gcal_remove_sum_put_type(struct gcal_remove_sum sum, struct gcal_buf *out);
/* The type of the total: that of the only sum, or the widest scalar. */
struct gcal_remove_sum gcal_remove_sums_total(const struct gcal_remove_sums *sums);
void gcal_remove_sums_declare(const struct gcal_remove_pass *r,
                              const struct gcal_remove_sums *sums, struct gcal_buf *out);
void gcal_remove_sums_put_total(const struct gcal_remove_pass *r,
                                const struct gcal_remove_sums *sums,
                                struct gcal_buf *out);
/* The total, converted to 'type'; 0 without sums. */
void gcal_remove_sums_put_as(const struct gcal_remove_pass *r,
                             const struct gcal_remove_sums *sums,
                             struct gcal_remove_sum type, struct gcal_buf *out);
/* "read_tgt_dest[...] = total", tagged "sum" so that a model can name its cost. */
void gcal_remove_sums_put_store(const struct gcal_remove_pass *r,
                                const struct gcal_remove_sums *sums,
                                struct gcal_buf *out);
/* All before the kernel's body, with one more parameter, for the total. */
void gcal_remove_put_signature(const struct gcal_remove_pass *r, CXCursor kernel,
                               const struct gcal_remove_sums *sums, struct gcal_buf *out);
/* "read_tgt = read_tgt + value": 'type' is the value's. */
int gcal_remove_write_sum(struct gcal_remove_pass *r, CXCursor at,
                          struct gcal_remove_sum type, const char *value, int indent,
                          struct gcal_buf *out);

/* ---- need.c ---- */
/* Returns whether a kept load depends on the variable. */
bool gcal_remove_is_needed(const struct gcal_remove_pass *r, CXCursor variable);
/* All variables that the expression or header 'c' names become needed; loads in it must
 * be kept ones.
 */
int gcal_remove_need(struct gcal_remove_pass *r, CXCursor c);
int gcal_remove_need_children(struct gcal_remove_pass *r, CXCursor c, size_t first);
/* The array and the tag ("" without) of an access, and the lvalue inside of the tag;
 * 'place' itself when the tag is further inside, as in GPUCAL_TAG(t, a[i]).x.
 */
int gcal_remove_names(struct gcal_remove_pass *r, CXCursor place, CXCursor *lvalue,
                      char *tag, char *array);
/* 1 when the load from 'place' is to be kept, 0 when not, -1. */
int gcal_remove_keeps(struct gcal_remove_pass *r, CXCursor place, CXCursor *lvalue,
                      char *tag);
/* The statement or declaration 'c', unchanged; what it names becomes needed. */
enum gcal_remove_content gcal_remove_write_same(struct gcal_remove_pass *r, CXCursor c,
                                                int indent, struct gcal_buf *out);

/* ---- load.c ---- */
/* Writes the kept loads inside an expression (or inside the children of a cursor, from
 * the one numbered 'first'), in the order of the text.
 */
enum gcal_remove_content gcal_remove_write_loads(struct gcal_remove_pass *r, CXCursor c,
                                                 int indent, struct gcal_buf *out);
enum gcal_remove_content gcal_remove_write_children(struct gcal_remove_pass *r,
                                                    CXCursor c, size_t first, int indent,
                                                    struct gcal_buf *out);
/* "if (condition) { yes } else { no }", where 'found' is the content of the branches;
 * only the loads of the condition where that is nothing.  'not': the condition is
 * negated.
 */
enum gcal_remove_content
gcal_remove_write_if(struct gcal_remove_pass *r, CXCursor condition, bool not,
                     enum gcal_remove_content found, const struct gcal_buf *yes,
                     const struct gcal_buf *no, int indent, struct gcal_buf *out);

/* ---- helper.c ---- */
/* The statements of a function's body, written until r->frame has all its sums. */
int gcal_remove_write_function(struct gcal_remove_pass *r, CXCursor body,
                               struct gcal_buf *out);
/* A call of a helper that has a global pointer. */
enum gcal_remove_content gcal_remove_write_call(struct gcal_remove_pass *r, CXCursor call,
                                                CXCursor definition, int indent,
                                                struct gcal_buf *out);

/* ---- data_dependence.c ---- */
/* 0 when no trip count, barrier or address on the chip depends on loaded data. */
int gcal_remove_check_data(struct gcal_remove_pass *r);

/* ---- remove.c: gcal_remove_work() with a report, whether it succeeds or not ---- */
char *gcal_remove_work_reported(const struct gcal_count_request *request,
                                const struct gcal_remove_options *removal,
                                struct gcal_remove_report *report,
                                struct gcal_error *err);

/* ---- onchip.c: 'out' gets all after the comment ---- */

int gcal_remove_write_onchip(struct gcal_remove_pass *r, CXCursor kernel,
                             struct gcal_buf *out);

#endif
