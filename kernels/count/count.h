/* count.h - counting: OpenCL C before compilation in, a profile out
 *
 * Measurement kernels and a site's own kernels go through the same front end.
 */
#ifndef GCAL_KERNELS_COUNT_H
#define GCAL_KERNELS_COUNT_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/request.h"

struct gcal_error;
struct gcal_profile;

/* NULL with 'err' (GCAL_EINPUT, "file:line:column: reason") for what does not parse or
 * cannot be counted exactly.
 */
struct gcal_profile *gcal_count(const struct gcal_count_request *request,
                                struct gcal_error *err);

#endif
