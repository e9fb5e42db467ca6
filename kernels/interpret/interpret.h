/* interpret.h - kernels and C references run on the host, for numeric checks (see
 * README.md)
 */
#ifndef GCAL_KERNELS_INTERPRET_H
#define GCAL_KERNELS_INTERPRET_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "calib/base/error.h"
#include "kernels/request.h"

/* An argument of a kernel or of a reference function: a buffer of 'count' elements, or
 * a scalar.  Buffers are read and written in place.  Elements of vectors are counted one
 * by one: a buffer of n float4 is "float32" with count 4 n.  Of a __local argument only
 * the count is used.
 */
struct gcal_interp_arg {
    const char *dtype; /* of an element */
    void *data;        /* buffer; or points to the scalar */
    size_t count;      /* elements; 0 for a scalar */
};

/* Interprets the OpenCL C kernel of 'request' on the host for every work-item of the
 * NDRange 'global_size' (request->n_dims sizes), barriers included: slow, exact to
 * rounding, independent of any OpenCL platform.  -1 with GCAL_EINPUT for constructs that
 * are not supported, accesses outside of a buffer, and too many iterations.
 */
int gcal_interp_run_kernel(const struct gcal_count_request *request,
                           const size_t *global_size, size_t n_args,
                           struct gcal_interp_arg *args, struct gcal_error *err);

/* Whether a run failed because the kernel accesses elements outside of a buffer. */
#define GCAL_INTERP_OUTSIDE "is outside its"
static inline bool gcal_interp_is_outside(const struct gcal_error *err)
{
    return strstr(err->text, GCAL_INTERP_OUTSIDE) != NULL;
}

/* Interprets the C function 'function' in 'source' (parameters: pointers and scalars in
 * the order of 'args') on the host.
 */
int gcal_interp_run_function(const char *source, const char *file, const char *function,
                             size_t n_args, struct gcal_interp_arg *args,
                             struct gcal_error *err);

#endif
