/* opencl_private.h - an open device, as the opencl_*.c files share it */
#ifndef GCAL_CALIB_OPENCL_PRIVATE_H
#define GCAL_CALIB_OPENCL_PRIVATE_H

#include "calib/opencl.h"

/* What was built: kernels of one family share it. */
struct gcal_opencl_program {
    char *family, *source, *build_options;
    cl_program program;
    struct gcal_opencl_program *next;
};

/* Buffers are shared by all kernels: one for each argument position, dtype and direction.
 * What kernels write is never another's input: its values (denormals, infinities) would
 * change the times of what reads them.
 */
struct gcal_opencl_buffer {
    size_t index, size_bytes; /* 0 bytes: 'memory' is not there now */
    bool output;
    char dtype[16];
    cl_mem memory;
    uint64_t job; /* the last one that uses it */
    struct gcal_opencl_buffer *next;
};

struct gcal_opencl {
    struct gcal_device_info info;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    bool shares_host_memory;
    cl_mem probe; /* 4 bytes, for gcal_opencl_alive() */
    struct gcal_opencl_program *programs;
    struct gcal_opencl_buffer *buffers;
    uint64_t n_jobs;
    struct gcal_nvml *nvml;
};

/* Would the device have run a smaller job? */
bool gcal_opencl_is_shortage(cl_int code);

/* Fills 'err' and 'status' (GCAL_ROW_SKIPPED for a shortage, else LAUNCH_FAILED). */
int gcal_opencl_fail(enum gcal_row_status *status, struct gcal_error *err,
                     const char *what, cl_int code);

/* ---- opencl.c ---- */

/* The program that has the job's kernel, built when it is not there yet. */
cl_program gcal_opencl_program(struct gcal_opencl *cl, const struct gcal_job *job,
                               struct gcal_error *err);

/* ---- opencl_buffers.c ---- */

/* Of a buffer or a local array; at least one element. */
size_t gcal_opencl_arg_bytes(const struct gcal_job_arg *arg);

/* Do the job's buffers and local arrays fit in what the device has? */
int gcal_opencl_check_memory(const struct gcal_opencl *cl, const struct gcal_job *job,
                             enum gcal_row_status *status, struct gcal_error *err);

/* The pool's buffers for the job: one per argument, borrowed until the next call. */
int gcal_opencl_buffers(struct gcal_opencl *cl, const struct gcal_job *job,
                        cl_mem *memory, enum gcal_row_status *status,
                        struct gcal_error *err);
void gcal_opencl_buffers_free(struct gcal_opencl *cl);

#endif
