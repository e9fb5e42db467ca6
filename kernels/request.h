/* request.h - a kernel and its NDRange: the input of counting, work removal and
 * interpreting */
#ifndef GCAL_KERNELS_REQUEST_H
#define GCAL_KERNELS_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/model/feature.h"

/* C: references of the catalogue alone; HIP is read as CUDA is. */
enum gcal_source_language {
    GCAL_SOURCE_OPENCL_C,
    GCAL_SOURCE_C,
    GCAL_SOURCE_CUDA,
    GCAL_SOURCE_HIP
};

/* How host code launches a kernel: kernel<<<grid, block>>>.  The grid is in blocks, expressions in the
 * kernel's parameters, and in variables of the host that have a name of their own.
 */
struct gcal_count_launch {
    int line;
    size_t n_dims; /* 0: no launch was found, or none can be read */
    size_t block[GCAL_MAX_DIMS];
    char *grid[GCAL_MAX_DIMS];
};

/* The average trip count, a parameter, of the first loop that begins in or after 'line'.
 */
struct gcal_count_trips {
    int line;
    const char *parameter;
};

/* What is known of a buffer: an argument of 'elements', an expression in sizes, of 'bytes'
 * each; of an image, those of all channels.  Its values lie between 'first' and 'last', in
 * sizes as well, and rise evenly from one to the other if they are sorted; or they are given.
 */
struct gcal_count_buffer {
    const char *argument;
    const char *elements;     /* NULL: unknown, or as many as are given */
    size_t bytes;             /* 0: a user's: of what the argument points to */
    unsigned channels;        /* of an image's texel; 0: unknown, or a buffer */
    const char *first, *last; /* NULL: any values */
    bool sorted;
    const char *dtype; /* of what is given */
    const void *data;  /* NULL: not given */
    size_t data_bytes;
};

/* The parameter that is the trips of the loop at this place, which a sample has. */
struct gcal_count_sampled {
    int line, column;
    const char *parameter;
};

struct gcal_count_request {
    const char *source;                 /* OpenCL C, or CUDA */
    enum gcal_source_language language; /* of it */
    const char *file;                   /* its name, for messages */
    const char
        *kernel; /* NULL: the only one in the source; CUDA: "ns::gemm<float, 16>" */
    const char *build_options;              /* "-DT=16 -cl-mad-enable", or NULL */
    size_t n_dims;                          /* 1 to 3 */
    size_t local_size[GCAL_MAX_DIMS];       /* 0: the kernel's reqd_work_group_size */
    const char *global_size[GCAL_MAX_DIMS]; /* expressions in size parameters */
    const char *assume;                     /* "n % 16 = 0 and n >= 16", or NULL */
    size_t sub_group_size; /* 0: counts contain the name sub_group_size */
    size_t n_banks;        /* of local memory; 0: bank conflicts are not counted */
    size_t sector_bytes;   /* of memory traffic, a power of two; 0: it is not counted */
    bool index_arithmetic; /* count that of subscripts and loop control; auxiliary ops */
    bool allow_estimates;  /* mark inexact counts as estimates instead of refusing them */
    bool
        estimate_passes; /* of bank conflicts, at least: a model asked for them, not a user */
    size_t budget_divisor; /* for tests: a share of what counting may take; 0: all */
    size_t n_trips;
    const struct gcal_count_trips *trips; /* of loops whose trip count depends on data */
    bool prefers_samples; /* for tests: of all loops, where sizes are numbers */
    /* Where sizes are numbers, accesses that are estimated otherwise are looked at in a sample of
     * work-groups that run on the host.
     */
    bool samples_places;
    size_t n_sampled; /* of counting itself: callers have none */
    const struct gcal_count_sampled *sampled;
    size_t n_buffers;
    const struct gcal_count_buffer *buffers;
};

#endif
