/* limits.h - whether a device can run a launch
 *
 * The one rule of what a device cannot run, for kernels that are measured, tuned and
 * predicted.  What is not known of a device or of a launch limits nothing.
 */
#ifndef GCAL_KERNELS_MODEL_LIMITS_H
#define GCAL_KERNELS_MODEL_LIMITS_H

#include <stdbool.h>

struct gcal_error;

/* Of a device; 0: unknown. */
struct gcal_limits {
    double work_group_size;    /* most work-items of a work-group */
    double work_group_depth;   /* and in its third dimension */
    double local_memory_bytes; /* of a work-group */
    double buffer_bytes;       /* of the largest buffer */
    double memory_bytes;
    bool fp16, fp64;
    bool ptx; /* it takes inline assembly of NVIDIA */
};

/* Of a launch; 0: unknown, or none. */
struct gcal_needs {
    double work_group_size, work_group_depth, local_memory_bytes;
    double buffer_bytes, memory_bytes; /* of the largest buffer, and of all */
    bool fp16, fp64, ptx;
};

enum gcal_limit {
    GCAL_LIMIT_WORK_GROUP,
    GCAL_LIMIT_WORK_GROUP_DEPTH,
    GCAL_LIMIT_LOCAL_MEMORY,
    GCAL_LIMIT_FP16,
    GCAL_LIMIT_FP64,
    GCAL_LIMIT_PTX,
    GCAL_LIMIT_BUFFER,
    GCAL_LIMIT_MEMORY,
    GCAL_N_LIMITS, /* of a launch that the device can run */
};

/* The first limit that is exceeded. */
enum gcal_limit gcal_limits_find(const struct gcal_limits *limits,
                                 const struct gcal_needs *needs);
/* "larger work-groups than the device allows": what launches beyond a limit need. */
const char *gcal_limit_name(enum gcal_limit limit);
/* -1 with the limit in figures (GCAL_REASON_CANNOT_RUN) if one is exceeded. */
int gcal_limits_check(const struct gcal_limits *limits, const struct gcal_needs *needs,
                      struct gcal_error *err);

#endif
