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

#endif
