/* private.h - an open device, as the opencl_*.c files share it */
#ifndef GCAL_CALIB_DEVICE_PRIVATE_H
#define GCAL_CALIB_DEVICE_PRIVATE_H

#include "calib/device/device.h"

/* What was built: kernels of one family share it. */
struct gcal_device_program {
    char *family, *source, *build_options;
    cl_program program;
    struct gcal_device_program *next;
};

/* Buffers are shared by all kernels: one for each argument position, dtype and direction.
 * What kernels write is never another's input: its values (denormals, infinities) would
 * change the times of what reads them.
 */
struct gcal_device_buffer {
    size_t index, size_bytes; /* 0 bytes: 'memory' is not there now */
    bool output;
    char dtype[16];
    cl_mem memory;
    uint64_t job; /* the last one that uses it */
    struct gcal_device_buffer *next;
};

/* The host's end of transfers, filled with random bytes when it is made. */
struct gcal_device_host {
    unsigned char *data;
    size_t size_bytes;
    cl_mem memory; /* pinned: the buffer that 'data' is mapped from */
};

struct gcal_device {
    struct gcal_device_info info;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    cl_command_queue copies; /* for transfers beside a kernel; NULL before the first */
    struct gcal_device_host pageable, pinned;
    bool shares_host_memory;
    cl_mem probe; /* 4 bytes, for gcal_device_is_alive() */
    struct gcal_device_program *programs;
    struct gcal_device_buffer *buffers;
    uint64_t n_jobs;
    struct gcal_device_nvml *nvml;
};

/* Would the device have run a smaller job? */
bool gcal_device_is_shortage(cl_int code);

/* Fills 'err' and 'status' (GCAL_MEASUREMENT_SKIPPED for a shortage, else LAUNCH_FAILED).
 */
int gcal_device_fail(enum gcal_measurement_status *status, struct gcal_error *err,
                     const char *what, cl_int code);

/* ---- device.c ---- */

/* The program that has the job's kernel, built when it is not there yet. */
cl_program gcal_device_program(struct gcal_device *cl, const struct gcal_device_job *job,
                               struct gcal_error *err);

/* ---- buffers.c ---- */

/* Of a buffer or a local array; at least one element. */
size_t gcal_device_arg_bytes(const struct gcal_device_job_arg *arg);

/* Do the job's buffers and local arrays fit in what the device has? */
int gcal_device_check_memory(const struct gcal_device *cl,
                             const struct gcal_device_job *job,
                             enum gcal_measurement_status *status,
                             struct gcal_error *err);

/* The pool's buffers for the job, borrowed until the next call: one per argument, one for
 * the transfer, whose end on the host is made, too.
 */
int gcal_device_buffers(struct gcal_device *cl, const struct gcal_device_job *job,
                        cl_mem *memory, enum gcal_measurement_status *status,
                        struct gcal_error *err);
void gcal_device_buffers_free(struct gcal_device *cl);

/* ---- transfer.c ---- */

/* The end of such a transfer on the host. */
struct gcal_device_host *
gcal_device_host(struct gcal_device *cl, const struct gcal_device_job_transfer *transfer);
cl_int gcal_device_host_enlarge(struct gcal_device *cl,
                                const struct gcal_device_job_transfer *transfer);
void gcal_device_host_free(struct gcal_device *cl, struct gcal_device_host *host);

/* Enqueues all copies; 'first' and 'last' get the events of the first and the last
 * command, 'first' none where there is only one.  NULL: no events.  Of mapped memory, the
 * host's part is done when this returns.
 */
cl_int gcal_device_copy(cl_command_queue queue,
                        const struct gcal_device_job_transfer *transfer, cl_mem device,
                        unsigned char *host, cl_event *first, cl_event *last);

/* ---- launch.c ---- */

/* A job's kernel with its arguments, or NULL, and its transfer's buffer, or NULL. */
struct gcal_device_bound_job {
    cl_kernel kernel;
    cl_mem device;
};

/* 'memory': a buffer for each argument that is one, and one for the transfer. */
int gcal_device_bind(struct gcal_device *cl, const struct gcal_device_job *job,
                     const cl_mem *memory, struct gcal_device_bound_job *bound,
                     enum gcal_measurement_status *status, struct gcal_error *err);
void gcal_device_unbind(struct gcal_device_bound_job *bound);

/* ---- run.c ---- */

/* Runs the job once and waits.  'sample' gets both times, or is NULL, and then the times
 * are not looked at.
 */
int gcal_device_run(struct gcal_device *cl, const struct gcal_device_job *job,
                    const struct gcal_device_bound_job *bound,
                    struct gcal_measurement_sample *sample,
                    enum gcal_measurement_status *status, struct gcal_error *err);

#endif
