/* private.h - what the parts of work removal share, nobody else
 *
 * The kernel is pretty printed first: that text has no macros, so that offsets in it are
 * those of its syntax tree and parts of it can be copied.  reads.c, stmt.c,
 * load.c and helper.c write what keeps the global loads, stores.c
 * the stores and barriers that may stay with them, onchip.c what keeps the work on
 * the chip; the other parts serve all.
 */
#ifndef GCAL_KERNELS_REMOVE_PRIVATE_H
#define GCAL_KERNELS_REMOVE_PRIVATE_H

#include "calib/base/buf.h"
#include "kernels/source/source.h"
#include "kernels/remove/remove.h"

/* How much of a statement remained.  Jumps alone keep no loop alive. */
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

struct gcal_remove_name { /* an array or a tag that the kernel loads from */
    char text[GCAL_REMOVE_MAX_NAME];
    bool is_own; /* of some load: its tag, or its array where it has no tag */
};

/* What was found on the way. */
struct gcal_remove_report {
    struct gcal_remove_sum
        total; /* what an element of read_tgt_dest is; no dtype: there is none */
    size_t n_loaded;
    struct gcal_remove_name *loaded;    /* the caller's to free */
    char missing[GCAL_REMOVE_MAX_NAME]; /* a load that should have been kept, or "" */
};

/* A function being written: which call of which helper; the kernel has none. */
struct gcal_remove_frame {
    struct gcal_remove_frame *outer;
    CXCursor call, definition;
    struct gcal_remove_sums sums;   /* found in this turn */
    struct gcal_remove_sums stored; /* found in the last one */
    size_t n_kept;                  /* loads written so far */
    int loop_depth;
};

/* A reason to refuse, if the place is still wanted when all is written. */
struct gcal_remove_doubt {
    CXCursor at;
    const char *why;
};

struct gcal_remove_pass {
    const struct gcal_source_unit *unit;     /* the printed source */
    const struct gcal_source_unit *original; /* for places in messages */
    const struct gcal_remove_options *removal;
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
    int n_functions, n_loops;  /* written in this turn */
    size_t n_continues;
    bool stores; /* in global memory, so that read_tgt_dest is not needed */
};

static inline enum gcal_remove_content worse(enum gcal_remove_content a,
                                             enum gcal_remove_content b)
{
    return a > b ? a : b;
}

/* ---- text.c: where a cursor's text lies, and copies of it ---- */
void gcal_remove_extent(CXCursor c, unsigned *from, unsigned *to);
void gcal_remove_put_range(const struct gcal_remove_pass *r, unsigned from, unsigned to,
                           struct gcal_buf *out);
void gcal_remove_put_text(const struct gcal_remove_pass *r, CXCursor c,
                          struct gcal_buf *out);
/* Without macros and, of a variable, without the others declared beside it. */
void gcal_remove_print(CXCursor c, struct gcal_buf *out);
void gcal_remove_indent(int indent, struct gcal_buf *out);
/* "file:line:column: why" with the place in the source as it was given; -1. */
int gcal_remove_error(const struct gcal_remove_pass *r, CXCursor c, const char *why);

/* ---- print.c ---- */
/* The source's declarations without other kernels, and the kernel last: a helper may
 * stand behind it.  No macros; a GPUCAL_TAG is what gcal_source_find_tag() sees.
 */
char *gcal_remove_print_source(const struct gcal_source_unit *unit, CXCursor kernel,
                               struct gcal_error *err);

/* ---- tag.c ---- */
/* The tag of a pointer &GPUCAL_TAG(tag, ..), or of what a component or member is of. */
bool gcal_remove_tag_inside(CXCursor place, char *tag);
/* 'size' bytes of printed source, with GPUCAL_TAG as people write it. */
void gcal_remove_put_tags(const char *text, size_t size, struct gcal_buf *out);

/* ---- tree.c: questions about the syntax tree ---- */
/* Child 'which', or a null cursor. */
CXCursor gcal_remove_child(CXCursor c, size_t which);
CXCursor gcal_remove_body(CXCursor function);
CXType gcal_remove_type(CXCursor c); /* canonical */
enum gcal_feature_space gcal_remove_space(CXCursor c);
/* Of what a pointer points to; ANY for what is no pointer. */
enum gcal_feature_space gcal_remove_target(CXCursor c);
/* The variable that an lvalue or a pointer expression starts from; null when unclear.
 * With 'origin', a pointer variable stands for what it was initialised with.
 */
CXCursor gcal_remove_root(CXCursor c, bool origin);
/* An assignment, ++ or --. */
bool gcal_remove_is_change(CXCursor c);
/* The place that the expression 'c' itself (not its parts) loads from global memory. */
CXCursor gcal_remove_loaded(CXCursor c);
/* A call of a built-in function whose name starts so. */
bool gcal_remove_calls(CXCursor c, const char *start);
/* The definition of the helper that is called, or a null cursor; and whether it can
 * reach global memory.
 */
CXCursor gcal_remove_callee(CXCursor call);
bool gcal_remove_takes_global(CXCursor function);
bool gcal_remove_is_barrier(CXCursor c);
/* Whether 'c' holds a barrier, or calls a function that does. */
bool gcal_remove_has_barrier(const struct gcal_remove_pass *r, CXCursor c);

/* ---- accumulator.c: accumulators ---- */
struct gcal_remove_sum gcal_remove_sum_of(CXType type);
/* The number of the sum for values of 'type', added when it is new, or -1.  All scalars
 * share one, of the widest type, when 'pooled'.
 */
int gcal_remove_sums_find(struct gcal_remove_pass *r, struct gcal_remove_sums *sums,
                          CXCursor at, struct gcal_remove_sum type, bool pooled);
void gcal_remove_sum_put_name(size_t sum, struct gcal_buf *out);
void gcal_remove_sum_put_type(struct gcal_remove_sum sum, struct gcal_buf *out);
/* Of the total: the only sum's own, or the widest scalar. */
struct gcal_remove_sum gcal_remove_sums_total(const struct gcal_remove_sums *sums);
void gcal_remove_sums_declare(const struct gcal_remove_pass *r,
                              const struct gcal_remove_sums *sums, struct gcal_buf *out);
void gcal_remove_sums_put_total(const struct gcal_remove_pass *r,
                                const struct gcal_remove_sums *sums,
                                struct gcal_buf *out);
/* The total, converted to 'type'; 0 where there are no sums. */
void gcal_remove_sums_put_as(const struct gcal_remove_pass *r,
                             const struct gcal_remove_sums *sums,
                             struct gcal_remove_sum type, struct gcal_buf *out);
/* "read_tgt_dest[...] = total", tagged "sum" so that a model can name its cost. */
void gcal_remove_sums_put_store(const struct gcal_remove_pass *r,
                                const struct gcal_remove_sums *sums,
                                struct gcal_buf *out);
/* Everything in front of the kernel's body, with one parameter more for the total. */
void gcal_remove_put_signature(const struct gcal_remove_pass *r, CXCursor kernel,
                               const struct gcal_remove_sums *sums, struct gcal_buf *out);
const char *gcal_remove_opencl_type(const char *dtype); /* "float32" is "float" */

/* ---- need.c: what the kept loads depend on ---- */
bool gcal_remove_is_needed(const struct gcal_remove_pass *r, CXCursor variable);
/* All variables that the expression or header 'c' names become needed; loads in it must
 * be kept ones.
 */
int gcal_remove_need(struct gcal_remove_pass *r, CXCursor c);
int gcal_remove_need_children(struct gcal_remove_pass *r, CXCursor c, size_t first);
int gcal_remove_add_doubt(struct gcal_remove_pass *r, CXCursor at, const char *why);
/* The array and the tag ("" without) of an access, and the lvalue inside of the tag;
 * 'place' itself when the tag is further inside, as in GPUCAL_TAG(t, a[i]).x.
 */
int gcal_remove_names(struct gcal_remove_pass *r, CXCursor place, CXCursor *lvalue,
                      char *tag, char *array);
/* 1 when the load from 'place' is to be kept, 0 when not, -1. */
int gcal_remove_keeps(struct gcal_remove_pass *r, CXCursor place, CXCursor *lvalue,
                      char *tag);

/* ---- load.c: the kept loads of expressions ---- */
/* Writes the kept loads inside an expression (or inside the children of a cursor, from
 * the one numbered 'first'), in the order of the text.
 */
enum gcal_remove_content gcal_remove_write_loads(struct gcal_remove_pass *r, CXCursor c,
                                                 int indent, struct gcal_buf *out);
enum gcal_remove_content gcal_remove_write_children(struct gcal_remove_pass *r,
                                                    CXCursor c, size_t first, int indent,
                                                    struct gcal_buf *out);
/* "read_tgt = read_tgt + value": 'type' is the value's. */
int gcal_remove_write_sum(struct gcal_remove_pass *r, CXCursor at,
                          struct gcal_remove_sum type, const char *value, int indent,
                          struct gcal_buf *out);
/* "if (condition) { yes } else { no }" around what the branches have 'found'; only the
 * condition's own loads where that is nothing.  'not': the condition is negated.
 */
enum gcal_remove_content
gcal_remove_write_if(struct gcal_remove_pass *r, CXCursor condition, bool not,
                     enum gcal_remove_content found, const struct gcal_buf *yes,
                     const struct gcal_buf *no, int indent, struct gcal_buf *out);

/* ---- stores.c: nothing of this but in GCAL_REMOVE_KEEP_MEMORY ---- */
/* An assignment to global memory, ++ or -- there. */
bool gcal_remove_is_store(const struct gcal_remove_pass *r, CXCursor c);
/* Such a store, of the sums so far; what it loads is written already. */
enum gcal_remove_content gcal_remove_write_store(struct gcal_remove_pass *r, CXCursor c,
                                                 int indent, struct gcal_buf *out);
/* A call that stores in global memory, or a barrier; NOTHING for others. */
enum gcal_remove_content gcal_remove_write_effect(struct gcal_remove_pass *r,
                                                  CXCursor call, int indent,
                                                  struct gcal_buf *out);

/* ---- stmt.c ---- */
/* 'c' as it stands. */
enum gcal_remove_content gcal_remove_write_same(struct gcal_remove_pass *r, CXCursor c,
                                                int indent, struct gcal_buf *out);
enum gcal_remove_content gcal_remove_write_statement(struct gcal_remove_pass *r,
                                                     CXCursor c, int indent,
                                                     struct gcal_buf *out);

/* ---- reads.c ---- */
/* The statements of a function's body; done again until 'frame' knows its sums. */
int gcal_remove_write_function(struct gcal_remove_pass *r, CXCursor body,
                               struct gcal_buf *out);

/* ---- helper.c: a call of a helper that can reach global memory ---- */
enum gcal_remove_content gcal_remove_write_call(struct gcal_remove_pass *r, CXCursor call,
                                                CXCursor definition, int indent,
                                                struct gcal_buf *out);

/* ---- data_dependence.c ---- */
/* 0 when no loop, no barrier and no subscript depends on what was loaded. */
int gcal_remove_check_data(struct gcal_remove_pass *r);

/* ---- remove.c: gcal_remove_work() with a report, whether it succeeds or not ---- */
char *gcal_remove_work_reported(const struct gcal_count_request *request,
                                const struct gcal_remove_options *removal,
                                struct gcal_remove_report *report,
                                struct gcal_error *err);

/* ---- the two forms: 'out' gets all that stands behind the comment ---- */
int gcal_remove_write_reads(struct gcal_remove_pass *r, CXCursor kernel,
                            struct gcal_buf *out);
int gcal_remove_write_onchip(struct gcal_remove_pass *r, CXCursor kernel,
                             struct gcal_buf *out);

#endif
