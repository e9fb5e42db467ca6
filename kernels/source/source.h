/* source.h - OpenCL C, or C, as libclang's syntax tree; internal to the front end */
#ifndef GCAL_KERNELS_SOURCE_H
#define GCAL_KERNELS_SOURCE_H

#include <clang-c/Index.h>
#include <stdbool.h>
#include <stddef.h>

#include "calib/model/feature.h"

struct gcal_error;

enum gcal_source_language { GCAL_SOURCE_OPENCL_C, GCAL_SOURCE_C };

/* A source, parsed. */
struct gcal_source_unit {
    CXIndex index;
    CXTranslationUnit tu;
    char *source; /* the text that offsets refer to */
    char *file;
};

/* 'build_options' (may be NULL) as OpenCL takes them: macros, include folders and the
 * standard count, what only a vendor's compiler knows is left out.  GPUCAL_TAG is
 * defined in the form that gcal_source_find_tag() sees.  NULL with "file:line:column:
 * message" for the first error in the source.
 */
struct gcal_source_unit *gcal_source_parse(enum gcal_source_language language,
                                           const char *source, const char *file,
                                           const char *build_options,
                                           struct gcal_error *err);
void gcal_source_close(struct gcal_source_unit *unit);

/* 'err' (GCAL_EINPUT) gets "file:line:column: " and the text.  Returns -1. */
int gcal_source_error(CXCursor at, struct gcal_error *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void gcal_source_location(CXCursor at, int *line, int *column);

/* The kernel or function of that name with a body; NULL 'name': the only kernel.
 * Returns 0, or -1 with 'err'.
 */
int gcal_source_find_kernel(const struct gcal_source_unit *unit, const char *name,
                            CXCursor *kernel, struct gcal_error *err);
int gcal_source_find_function(const struct gcal_source_unit *unit, const char *name,
                              CXCursor *function, struct gcal_error *err);

/* The children of a cursor, TypeRefs left out; 'cursors' is the caller's to free. */
struct gcal_source_children {
    size_t n;
    CXCursor *cursors;
};
int gcal_source_get_children(CXCursor of, struct gcal_source_children *children,
                             struct gcal_error *err);

/* A copy of a cursor's name (its spelling); the caller's to free, NULL with 'err'. */
char *gcal_source_cursor_name(CXCursor cursor, struct gcal_error *err);
bool gcal_source_cursor_is_named(CXCursor cursor, const char *name);

/* Where an expression of 'type' lives: global, local, constant, or ANY for private. */
enum gcal_feature_space gcal_source_address_space(CXType type);

/* "float32", "int64", ... of a scalar or of a vector's element; NULL for others. */
const char *gcal_source_dtype(CXType type);

/* The four parts of a for; those left out are null cursors.  'parts' in the order
 * init, condition, increment, body.
 */
int gcal_source_for_clauses(CXCursor loop, CXCursor parts[4], struct gcal_error *err);

/* Whether 'c' is the '*' inside a GPUCAL_TAG(name, lvalue); gives the lvalue (often in
 * parentheses) and the name.
 */
bool gcal_source_find_tag(CXCursor c, CXCursor *lvalue, char *tag, size_t room);

#endif
