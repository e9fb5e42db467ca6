/* sample.h - how often loops run, in a sample of a kernel's work-items */
#ifndef GCAL_KERNELS_INTERPRET_SAMPLE_H
#define GCAL_KERNELS_INTERPRET_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/model/dtype.h"
#include "kernels/request.h"
#include "kernels/source/source.h"

/* A loop of the source, wherever it is called from, in order of work-items, sub-groups and
 * work-groups: iterations in which any work-item takes part, for each time that any begins it.
 */
struct gcal_interp_loop {
    int line, column;
    int64_t trips[3], begun[3];
    int64_t
        exits;    /* distinct iterations in which lanes of a sub-group end one of these */
    double error; /* relative standard error of the trips of work-items; 0: all ran */
    bool on_data; /* trips are others with other data */
};

/* What a buffer holds: data, or numbers in a range, which is that of all its bytes if they are
 * sorted.
 */
struct gcal_interp_contents {
    const char *argument;
    const unsigned char *data; /* or NULL */
    size_t bytes;              /* 0: unknown */
    struct gcal_dtype_range range;
};

/* The value of an integer argument, or of an integer in one ("size_x"); false: not known. */
typedef bool gcal_interp_size(void *context, const char *name, int64_t *value);

/* Runs a part of the work-items, always the same one, without buffers: what the kernel
 * loads of others than those with 'contents', and arguments that are no integers, are data.  The caller frees the loops.  -1 with
 * 'err' if a size is not known, the kernel cannot be run on the host, or its work-items take
 * too long.
 */
int gcal_interp_sample_loops(struct gcal_source_unit *unit, CXCursor kernel,
                             const struct gcal_count_request *request,
                             const int64_t *groups, gcal_interp_size *size, void *context,
                             size_t n_contents,
                             const struct gcal_interp_contents *contents,
                             struct gcal_interp_loop **loops, size_t *n_loops,
                             struct gcal_error *err);

#endif
