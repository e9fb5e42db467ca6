/* walk.h - from the syntax tree to the loop nest, by symbolic execution */
#ifndef GCAL_KERNELS_WALK_H
#define GCAL_KERNELS_WALK_H

#include "kernels/source/source.h"

struct gcal_count_request;
struct gcal_error;
struct gcal_sets_nest;

/* Fills 'nest', whose sizes are set, with the events of 'kernel'.  -1 with 'err'
 * ("file:line:column: reason"), or with the nest's context failed.
 */
int gcal_walk_kernel(struct gcal_sets_nest *nest, const struct gcal_source_unit *unit,
                     CXCursor kernel, const struct gcal_count_request *request,
                     struct gcal_error *err);

/* The source of 'unit' with GPUCAL_TAG(name, ..) for each tag that is a comment in
 * 'kernel' or in what it calls, on the same lines; the caller's to free.
 */
char *gcal_walk_rewrite_tags(const struct gcal_source_unit *unit, CXCursor kernel,
                             struct gcal_error *err);

#endif
