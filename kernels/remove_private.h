/* remove_private.h - what the parts of work removal share, nobody else
 *
 * remove.c writes statements, remove_load.c finds and writes the loads in them.
 */
#ifndef GCAL_KERNELS_REMOVE_PRIVATE_H
#define GCAL_KERNELS_REMOVE_PRIVATE_H

#include "calib/base/buf.h"
#include "kernels/clang.h"
#include "kernels/kernels.h"

/* How much of a statement remained.  Jumps alone keep no loop alive. */
enum content { NOTHING, JUMPS, WORK, FAILED };

#define MAX_NAME 64

struct loaded { /* an array or a tag that the kernel loads from */
    char name[MAX_NAME];
};

struct remover {
    const struct gcal_unit *unit;
    const struct gcal_clang *clang;
    size_t n_keep;
    const char *const *keep;
    struct gcal_error *err;
    CXCursor *needed; /* variables */
    size_t n_needed, needed_capacity;
    struct loaded *loaded;
    size_t n_loaded, loaded_capacity;
    size_t n_kept;     /* loads written in this turn */
    const char *dtype; /* of the sum */
    long long n_lanes; /* of the sum; 0: a scalar */
};

static inline enum CXCursorKind kind_of(const struct remover *r, CXCursor c)
{
    return r->clang->getCursorKind(c);
}

static inline bool is_null(const struct remover *r, CXCursor c)
{
    return r->clang->equalCursors(c, r->clang->getNullCursor());
}

static inline enum content worse(enum content a, enum content b)
{
    return a > b ? a : b;
}

/* Where a cursor's text lies, and copies of it. */
void gcal_remove_extent(const struct remover *r, CXCursor c, unsigned *from,
                        unsigned *to);
void gcal_remove_put_range(const struct remover *r, unsigned from, unsigned to,
                           struct gcal_buf *out);
void gcal_remove_put_text(const struct remover *r, CXCursor c, struct gcal_buf *out);
/* Without macros and, of a variable, without the others declared beside it. */
void gcal_remove_print(const struct gcal_unit *unit, CXCursor c, struct gcal_buf *out);
void gcal_remove_indent(int indent, struct gcal_buf *out);

/* Child 'which', or a null cursor. */
CXCursor gcal_remove_child(const struct remover *r, CXCursor c, size_t which);
enum gcal_space gcal_remove_space(const struct remover *r, CXCursor c);

/* Variables that what is kept depends on: all that 'c' names become needed. */
bool gcal_remove_is_needed(const struct remover *r, CXCursor variable);
int gcal_remove_need(struct remover *r, CXCursor c);

/* The variable that an lvalue or a pointer expression starts from; null when unclear.
 * With 'origin', a pointer variable stands for what it was initialised with.
 */
CXCursor gcal_remove_root(const struct remover *r, CXCursor c, bool origin);

/* An assignment, ++ or --. */
bool gcal_remove_is_change(const struct remover *r, CXCursor c);

/* Writes the kept loads inside an expression (or inside the children of a cursor, from
 * the one numbered 'first'), in the order of the text.
 */
enum content gcal_remove_write_loads(struct remover *r, CXCursor c, int indent,
                                     struct gcal_buf *out);
/* "if (condition) { yes } else { no }" around what the branches have 'found'; only the
 * condition's own loads where that is nothing.
 */
enum content gcal_remove_write_if(struct remover *r, CXCursor condition,
                                  enum content found, const struct gcal_buf *yes,
                                  const struct gcal_buf *no, int indent,
                                  struct gcal_buf *out);
enum content gcal_remove_write_children(struct remover *r, CXCursor c, size_t first,
                                        int indent, struct gcal_buf *out);
enum content gcal_remove_refuse(struct remover *r, CXCursor c, const char *why);

/* Of dtypes, the wider the higher; -1 for what cannot be summed. */
int gcal_remove_rank(const char *dtype);

#endif
