/* job.h - a kernel and its sizes, as a device is given them; and on the way to a worker
 */
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

/* For a platform's number: the devices of all. */
#define GCAL_DEVICE_ANY_PLATFORM UINT32_MAX

/* An argument of a launch: a buffer's or local array's element count, or a scalar. */
struct gcal_device_job_arg {
    enum gcal_arg_kind kind;
    char *dtype;
    double value;
    bool output;
};

/* 'pieces' copies of size_bytes / pieces each; none when that is 0. */
struct gcal_device_job_transfer {
    enum gcal_feature_copy_direction way;
    enum gcal_feature_host_memory host;
    size_t size_bytes, pieces;
};

/* What a worker needs of a kernel to build and launch it for given sizes. */
struct gcal_device_job {
    char *family, *source, *entry, *build_options; /* entry "": a transfer alone */
    size_t n_dims;
    size_t local_size[GCAL_MAX_DIMS], global_size[GCAL_MAX_DIMS];
    size_t n_args;
    struct gcal_device_job_arg *args;
    size_t launches; /* in one run */
    enum gcal_timing timing;
    struct gcal_device_job_transfer transfer;
};

void gcal_device_job_clear(struct gcal_device_job *job);
/* 'sizes' are the kernel's own or those of its check. */
int gcal_device_job_put(struct gcal_buf *buf, const struct gcal_kernel *kernel,
                        size_t n_sizes, const struct gcal_size *sizes,
                        struct gcal_error *err);
int gcal_device_job_get(struct gcal_wire *wire, struct gcal_device_job *job,
                        struct gcal_error *err);

#endif
