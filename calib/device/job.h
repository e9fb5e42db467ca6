/* job.h - a job: a kernel and its sizes as a worker and a device get them */
#ifndef GCAL_CALIB_DEVICE_JOB_H
#define GCAL_CALIB_DEVICE_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/generate/generate.h"

struct gcal_buf;
struct gcal_error;
struct gcal_wire;

#define GCAL_DEVICE_MAX_PLATFORMS 32u

/* As the number of a platform: any. */
#define GCAL_DEVICE_ANY_PLATFORM UINT32_MAX

/* An argument of a launch: a scalar's value, or the number of elements of a buffer or
 * local array.
 */
struct gcal_device_job_arg {
    enum gcal_arg_kind kind;
    char *name, *dtype;
    double value;
    struct gcal_dtype_range range; /* its members are the argument's */
    char *members;
    bool output;
    unsigned channels, n_extents; /* of an image, whose elements 'value' counts; else 0 */
    size_t extents[GCAL_MAX_DIMS];
    bool layered, member; /* as in struct gcal_arg */
    size_t offset;
};

/* 'pieces' copies of size_bytes / pieces each; 0: none.  Both directions: the first half of the
 * bytes to the device and the second half from it, at once, in 'pieces' copies each.
 */
struct gcal_device_job_transfer {
    enum gcal_feature_copy_direction way;
    bool both;
    enum gcal_feature_host_memory host;
    size_t size_bytes, pieces;
};

/* A kernel to build and launch for given sizes. */
struct gcal_device_job {
    enum gcal_source_language language;
    char *source, *entry, *build_options; /* entry "": a transfer alone */
    size_t n_dims;
    size_t local_size[GCAL_MAX_DIMS], global_size[GCAL_MAX_DIMS];
    size_t n_args;
    struct gcal_device_job_arg *args;
    size_t launches; /* in one run */
    enum gcal_timing timing;
    struct gcal_device_job_transfer transfer;
};

void gcal_device_job_clear(struct gcal_device_job *job);
/* 'sizes': the kernel's sizes or its check sizes. */
int gcal_device_job_put(struct gcal_buf *buf, const struct gcal_kernel *kernel,
                        size_t n_sizes, const struct gcal_size *sizes,
                        struct gcal_error *err);
int gcal_device_job_get(struct gcal_wire *wire, struct gcal_device_job *job,
                        struct gcal_error *err);

#endif
