/* walked.h - a kernel that was walked, with what its loop nest refers to; within
 * kernels/count
 */
#ifndef GCAL_KERNELS_COUNT_WALKED_H
#define GCAL_KERNELS_COUNT_WALKED_H

#include "kernels/base/strings.h"
#include "kernels/request.h"
#include "kernels/sets/sets.h"
#include "kernels/source/source.h"

struct gcal_count_walked {
    struct gcal_count_request request; /* with the work-group that the kernel requires */
    struct gcal_source_unit *unit;
    CXCursor kernel;
    struct gcal_count_buffer *buffers; /* the request's, with the bytes of their items */
    char *name;
    struct gcal_strings arguments; /* names, in order */
    struct gcal_sets_nest nest;
    const char *assumptions;          /* in memory of the polynomials' context */
    struct gcal_count_sample *sample; /* of loops, where the walk needs any; or NULL */
};

/* Parses and walks the request's kernel.  Clear 'walked' in any case. */
int gcal_count_walk(const struct gcal_count_request *request,
                    struct gcal_count_walked *walked, struct gcal_error *err);
void gcal_count_walked_clear(struct gcal_count_walked *walked);

/* ---- advice.c ---- */

/* Adds to the message of a refusal what to assume about sizes so that 'counts' holds, if that
 * is something simple: tried out, and no part of it can be left out.
 */
void gcal_count_advise_refused(const struct gcal_count_walked *refused,
                               bool (*counts)(const struct gcal_count_walked *refused,
                                              const char *assume),
                               struct gcal_error *err);

#endif
