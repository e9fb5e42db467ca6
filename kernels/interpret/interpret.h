/* interpret.h - kernels and C references run on the host, for numeric checks (see
 * README.md)
 */
#ifndef GCAL_KERNELS_INTERPRET_H
#define GCAL_KERNELS_INTERPRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/request.h"

/* An argument of a kernel or of a reference function: a buffer of 'count' elements, or
 * a scalar.  Buffers are read and written in place.  Elements of vectors are counted one
 * by one: a buffer of n float4 is "float32" with count 4 n.  A buffer of structures has
 * elements of any type, for all its bytes.  A vector or structure by value has a count as
 * a buffer does.  Of a __local argument only the count is used.
 */
struct gcal_interp_arg {
    const char *dtype; /* of an element */
    void *data;        /* buffer; or points to the scalar */
    size_t count;      /* elements; 0 for a scalar */
};

/* Interprets the kernel of 'request' on the host for every work-item of the
 * NDRange 'global_size' (request->n_dims sizes), barriers included: slow, exact to
 * rounding, independent of any OpenCL platform.  -1 with GCAL_EINPUT for constructs that
 * are not supported, accesses outside of a buffer, and too many iterations.
 */
int gcal_interp_run_kernel(const struct gcal_count_request *request,
                           const size_t *global_size, size_t n_args,
                           struct gcal_interp_arg *args, struct gcal_error *err);

/* ---- observing ---- */

enum gcal_interp_execution_kind {
    GCAL_INTERP_EXECUTION_LOAD, /* of global, local or constant memory */
    GCAL_INTERP_EXECUTION_STORE,
    GCAL_INTERP_EXECUTION_ATOMIC,
    GCAL_INTERP_EXECUTION_ADD, /* of floating-point numbers; or a subtraction */
    GCAL_INTERP_EXECUTION_MUL,
    GCAL_INTERP_EXECUTION_DIV,
    GCAL_INTERP_EXECUTION_CALL,   /* of a built-in function of floating-point numbers */
    GCAL_INTERP_EXECUTION_BRANCH, /* of if, ?:, or a loop's condition */
    GCAL_INTERP_EXECUTION_LOGIC,  /* the left side of && or ||, after the right one */
};

/* What one work-item executes at one place of the source, arithmetic of constants
 * excepted.  Work-items that execute a place in the same iterations of the loops
 * around it, reached by the same calls, have the same 'instance'.
 */
struct gcal_interp_execution {
    enum gcal_interp_execution_kind kind;
    const void *place; /* the same for the same place of the source */
    int line, column;
    uint64_t instance;
    uint64_t loop; /* the execution of the innermost loop around it, alike; 0: none */
    enum gcal_feature_space space; /* of accesses */
    const void *base;              /* of accesses: the data of the buffer's argument */
    int64_t offset;                /* of accesses: bytes from there */
    size_t bytes;       /* of accesses, but of vload's and vstore's first lane */
    const char *name;   /* of calls: the function's, until the run ends */
    size_t bits;        /* of operations and calls: of a number */
    size_t lanes;       /* of operations and calls: components */
    bool taken;         /* of branches and logic: whether the condition holds */
    bool worked;        /* of logic: whether the right side had an execution of its own */
    size_t group, item; /* linear, the item's within its group */
};

typedef void gcal_interp_observe(void *context,
                                 const struct gcal_interp_execution *execution);

/* gcal_interp_run_kernel(), which calls 'observe' for every execution.  Order among
 * work-items is unspecified.
 */
int gcal_interp_observe_kernel(const struct gcal_count_request *request,
                               const size_t *global_size, size_t n_args,
                               struct gcal_interp_arg *args, gcal_interp_observe *observe,
                               void *context, struct gcal_error *err);

/* ---- failures ---- */

/* Whether a run failed because the kernel accesses elements outside of a buffer. */
#define GCAL_INTERP_OUTSIDE "is outside its"
static inline bool gcal_interp_is_outside(const struct gcal_error *err)
{
    return strstr(err->text, GCAL_INTERP_OUTSIDE) != NULL;
}

/* Whether a run failed as the interpreter cannot run this kernel: a construct that it does
 * not know, or too many iterations.
 */
#define GCAL_INTERP_UNSUPPORTED "is not supported when running on the host"
#define GCAL_INTERP_TOO_LONG    "too large for a check on the host"
static inline bool gcal_interp_is_unable(const struct gcal_error *err)
{
    return strstr(err->text, GCAL_INTERP_UNSUPPORTED) != NULL ||
           strstr(err->text, GCAL_INTERP_TOO_LONG) != NULL;
}

/* Interprets the C function 'function' in 'source' (parameters: pointers and scalars in
 * the order of 'args') on the host.
 */
int gcal_interp_run_function(const char *source, const char *file, const char *function,
                             size_t n_args, struct gcal_interp_arg *args,
                             struct gcal_error *err);

#endif
