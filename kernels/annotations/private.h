/* private.h - the two steps of finding annotations */
#ifndef GCAL_KERNELS_ANNOTATIONS_PRIVATE_H
#define GCAL_KERNELS_ANNOTATIONS_PRIVATE_H

#include "kernels/annotations/annotations.h"

/* ---- scan.c ---- */
/* Adds the 'trips' given by option, and the annotations in the source. */
int gcal_annotations_scan(struct gcal_annotations *a, size_t n_trips,
                          const struct gcal_count_trips *trips,
                          struct gcal_poly_context *c, struct gcal_error *err);

/* ---- attach.c ---- */
int gcal_annotations_attach(struct gcal_annotations *a, CXCursor function,
                            struct gcal_poly_context *c, struct gcal_error *err);

#endif
