/* count.h - the profile of a kernel, counted from its OpenCL C source */
#ifndef GCAL_KERNELS_COUNT_H
#define GCAL_KERNELS_COUNT_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/request.h"

struct gcal_error;
struct gcal_profile;

/* The profile, the caller's to destroy.  NULL with 'err' (GCAL_EINPUT, "file:line:column:
 * reason") when the source does not parse or cannot be counted as requested.
 */
struct gcal_profile *gcal_count(const struct gcal_count_request *request,
                                struct gcal_error *err);

#endif
