/* annotations.h - pragmas and comments of OpenCL C that say more than the code
 *
 * A comment after an array or a pointer that begins with a dollar sign tags the access; a
 * pragma, or an option, gives the average trip count of the loop that follows.
 */
#ifndef GCAL_KERNELS_ANNOTATIONS_H
#define GCAL_KERNELS_ANNOTATIONS_H

#include "kernels/poly/poly.h"
#include "kernels/request.h"
#include "kernels/source/source.h"

struct gcal_error;

/* The average trips of a loop, or the tag of an access. */
struct gcal_annotation {
    bool is_tag;
    const char *name; /* of the tag, or of the parameter */
    size_t at;        /* offset of the annotation in the source */
    size_t group;     /* offset of the #if around it; 0 without */
    bool in_macro;    /* in the text of a #define */
    int line;         /* trips given by option: the loop's line; else 0 */
    bool found;       /* attached to a loop or an access */
    size_t from, to;  /* of a tag: offsets of the access, or of a pointer argument */
    bool is_pointer;  /* it is a pointer argument */
    size_t loop;      /* of trips: offset of the loop */
    size_t function;  /* 1 + offset of the function around it; 0: not walked */
};

/* The caller sets 'unit', and the rest to 0. */
struct gcal_annotations {
    const struct gcal_source_unit *unit;
    size_t n, capacity;
    struct gcal_annotation *all;
};

/* Finds the annotations in the source, adds the 'trips' given by option, and attaches them
 * to the loops and accesses of 'function' and of those it calls.  Names are in memory of
 * 'c'.  Returns 0, or -1 with 'err': "file:line:column: reason" for an annotation that
 * belongs to nothing.
 */
int gcal_annotations_find(struct gcal_annotations *a, size_t n_trips,
                          const struct gcal_count_trips *trips, CXCursor function,
                          struct gcal_poly_context *c, struct gcal_error *err);
void gcal_annotations_clear(struct gcal_annotations *a);

/* The parameter of the loop's average trips, or NULL. */
const char *gcal_annotations_trips(const struct gcal_annotations *a, CXCursor loop);
/* The tag in a comment after 'c', or NULL. */
const char *gcal_annotations_tag(const struct gcal_annotations *a, CXCursor c);

/* The source of 'unit' with GPUCAL_TAG(name, ..) for each comment that is a tag, in
 * 'kernel' and the functions it calls.  Lines keep their numbers.  The caller's to free;
 * NULL with 'err'.
 */
char *gcal_annotations_rewrite_tags(const struct gcal_source_unit *unit, CXCursor kernel,
                                    struct gcal_error *err);

#endif
