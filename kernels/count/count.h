/* count.h - the profile of a kernel, counted from its OpenCL C source */
#ifndef GCAL_KERNELS_COUNT_H
#define GCAL_KERNELS_COUNT_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/strings.h"
#include "kernels/request.h"

struct gcal_error;
struct gcal_profile;

/* The profile, the caller's to destroy.  NULL with 'err' (GCAL_EINPUT, "file:line:column:
 * reason") when the source does not parse or cannot be counted as requested.
 */
struct gcal_profile *gcal_count(const struct gcal_count_request *request,
                                struct gcal_error *err);

/* What notes of counts of a sample's accesses have. */
#define GCAL_COUNT_SAMPLED "was observed in a sample of work-groups"

/* What a source has, for messages and defaults. */
struct gcal_count_description {
    struct gcal_strings kernels; /* names, in the order of the source */
    /* Of the kernel of the request, if 'selected': */
    bool selected;
    struct gcal_strings arguments; /* names, in order */
    struct gcal_strings sizes;     /* those that are integers */
    size_t n_dims; /* 1 to 3, as far as the kernel's own code asks for ids */
    size_t local_size[GCAL_MAX_DIMS]; /* its reqd_work_group_size, or 0 */
    struct gcal_count_launch launch;  /* by the source's host code */
};

/* Describes the source and the kernel of 'request' (source, file, build options, kernel);
 * without that kernel, or with a NULL name and several kernels, only the names.  Errors in
 * functions are ignored.  Clear 'description' after 0; -1 with 'err'.
 */
int gcal_count_describe(const struct gcal_count_request *request,
                        struct gcal_count_description *description,
                        struct gcal_error *err);
void gcal_count_description_clear(struct gcal_count_description *description);

#endif
