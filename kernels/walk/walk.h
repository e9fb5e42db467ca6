/* walk.h - from the syntax tree to the loop nest, by symbolic execution */
#ifndef GCAL_KERNELS_WALK_H
#define GCAL_KERNELS_WALK_H

#include "kernels/source/source.h"

struct gcal_count_request;
struct gcal_error;
struct gcal_sets_nest;

/* Adds the events of 'kernel' to 'nest', whose sizes are set.  -1 with 'err'
 * (GCAL_EINPUT, "file:line:column: reason"), also when the polynomials' context has
 * failed.
 */
int gcal_walk_kernel(struct gcal_sets_nest *nest, const struct gcal_source_unit *unit,
                     CXCursor kernel, const struct gcal_count_request *request,
                     struct gcal_error *err);

/* The source of 'unit' with GPUCAL_TAG(name, ..) for each comment that is a tag, in
 * 'kernel' and the functions it calls.  Lines keep their numbers.  The caller's to free;
 * NULL with 'err'.
 */
char *gcal_walk_rewrite_tags(const struct gcal_source_unit *unit, CXCursor kernel,
                             struct gcal_error *err);

#endif
