/* private.h - an open device; internal to calib/device */
#ifndef GCAL_CALIB_DEVICE_PRIVATE_H
#define GCAL_CALIB_DEVICE_PRIVATE_H

#include "calib/device/device.h"

/* A built program, shared by kernels of the same source and options. */
struct gcal_device_program {
    char *source, *build_options;
    char *entry; /* CUDA and HIP: a program is built for one kernel; else NULL */
    cl_program program;
    double build_s;
    char *asked; /* kernel that 'built' is of; NULL: none */
    struct gcal_built built;
    struct gcal_device_program *next;
};

/* Buffers are shared by all kernels: one for each argument position, dtype, range and direction.
 * The output of a kernel is never another's input: its values (denormals, infinities)
 * would change the times of kernels that read them.
 */
struct gcal_device_buffer {
    size_t index, size_bytes; /* 0 bytes: no 'memory' at present */
    bool output;
    char dtype[16];
    struct gcal_dtype_range range; /* of its values */
    char *members;                 /* the range's, or NULL */
    cl_mem memory;
    uint64_t job; /* the last one that uses it */
    struct gcal_device_buffer *next;
};

/* Host memory for transfers, filled with random bytes. */
struct gcal_device_host {
    unsigned char *data;
    size_t size_bytes;
    cl_mem memory; /* pinned: the buffer whose mapping is 'data' */
};

struct gcal_device {
    struct gcal_device_info info;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    cl_command_queue
        copies; /* for transfers beside a kernel, or beside others; NULL before
                                the first */
    struct gcal_device_host pageable, pinned;
    bool shares_host_memory;
    cl_mem probe; /* 4 bytes, for gcal_device_is_alive() */
    struct gcal_device_program *programs;
    struct gcal_device_load *load; /* of one more; NULL: none */
    struct gcal_device_buffer *buffers;
    uint64_t n_jobs;
    struct gcal_device_nvml *nvml;
    bool is_nvidia;                /* compiler and binaries, by cl_nv_compiler_options */
    struct gcal_device_cuda *cuda; /* NULL until a kernel needs it */
    struct gcal_device
        *cuda_kernels; /* the same device for CUDA or HIP; NULL: not opened */
};

/* ---- list.c ---- */

bool gcal_device_has_extension(cl_device_id id, const char *name);

/* ---- error.c ---- */

/* "CL_OUT_OF_RESOURCES", or "OpenCL error -9999" (valid until the next call). */
const char *gcal_device_error_name(cl_int code);
/* Returns whether the device might run a smaller job. */
bool gcal_device_is_shortage(cl_int code);

/* Fills 'err' and 'status' (GCAL_MEASUREMENT_SKIPPED for a shortage, else LAUNCH_FAILED).
 */
int gcal_device_fail(enum gcal_measurement_status *status, struct gcal_error *err,
                     const char *what, cl_int code);

/* ---- device.c ---- */

/* The job's kernel and its program, built unless it was before; the caller's to release. */
cl_kernel gcal_device_kernel(struct gcal_device *cl, const struct gcal_device_job *job,
                             struct gcal_device_program **program,
                             struct gcal_error *err);

/* ---- programs.c ---- */

/* Builds the program of a job, which is the caller's, to be freed by the next; from any thread. */
struct gcal_device_program *gcal_device_program_build(const struct gcal_device *cl,
                                                      const struct gcal_device_job *job,
                                                      struct gcal_error *err);
void gcal_device_program_free(struct gcal_device_program *program);
/* Among the device's programs; NULL: not there. */
struct gcal_device_program *gcal_device_find_program(const struct gcal_device *cl,
                                                     const struct gcal_device_job *job);
/* The caller's to free; NULL: there is none. */
char *gcal_device_build_log(const struct gcal_device *cl, cl_program program);

/* ---- load.c ---- */

/* Has a thread build the program of a job, of which source, entry and options are needed, while the
 * device is used for others.
 */
void gcal_device_load(struct gcal_device *cl, const struct gcal_device_job *job);
/* Waits for it: then it is among the device's programs, unless it could not be built. */
void gcal_device_load_end(struct gcal_device *cl);

/* ---- buffers.c ---- */

/* Size of a buffer or a local array; at least one element. */
size_t gcal_device_arg_bytes(const struct gcal_device_job_arg *arg);

/* Returns whether the job's buffers and local arrays fit in the device's memory: -1 if not. */
int gcal_device_check_memory(const struct gcal_device *cl,
                             const struct gcal_device_job *job,
                             enum gcal_measurement_status *status,
                             struct gcal_error *err);

/* The pool's buffers for the job, borrowed until the next call: one per argument, and one
 * for the transfer, whose host memory is allocated, too.
 */
int gcal_device_buffers(struct gcal_device *cl, const struct gcal_device_job *job,
                        cl_mem *memory, enum gcal_measurement_status *status,
                        struct gcal_error *err);
void gcal_device_buffers_free(struct gcal_device *cl);

/* ---- transfer.c ---- */

/* The host memory of such a transfer. */
struct gcal_device_host *
gcal_device_host(struct gcal_device *cl, const struct gcal_device_job_transfer *transfer);
cl_int gcal_device_host_enlarge(struct gcal_device *cl,
                                const struct gcal_device_job_transfer *transfer);
/* The layout of the device's buffer: bytes to the device are at its start; of both directions,
 * those from it begin at 'back', where a part of a buffer may begin.
 */
struct gcal_device_layout {
    size_t size_bytes, back;
};
struct gcal_device_layout
gcal_device_layout(const struct gcal_device_job_transfer *transfer);
void gcal_device_host_free(struct gcal_device *cl, struct gcal_device_host *host);

/* Enqueues all copies of one direction; 'first' and 'last' (NULL: no events) get the events of the first
 * and the last command, 'first' only if there are two.  The host's copies to or from
 * mapped memory are done on return.
 */
cl_int gcal_device_copy(cl_command_queue queue,
                        const struct gcal_device_job_transfer *transfer, cl_mem device,
                        unsigned char *host, cl_event *first, cl_event *last);

/* ---- launch.c ---- */

/* A job's kernel with its arguments set, and its transfer's buffer; either may be NULL.
 */
struct gcal_device_bound_job {
    cl_kernel kernel;
    struct gcal_device_program *program; /* the kernel's */
    cl_mem device;
    cl_mem parts[2]; /* of it, of both directions: to the device, from it; else NULL */
    size_t n_images;
    cl_mem *images;       /* n_images: of the arguments; NULL where one is no image */
    cl_sampler *samplers; /* n_images, the same */
};

/* 'memory': a buffer for each buffer argument, and one for the transfer. */
int gcal_device_bind(struct gcal_device *cl, const struct gcal_device_job *job,
                     const cl_mem *memory, struct gcal_device_bound_job *bound,
                     enum gcal_measurement_status *status, struct gcal_error *err);
void gcal_device_unbind(struct gcal_device_bound_job *bound);
/* With buffers of the pool. */
int gcal_device_bind_pool(struct gcal_device *cl, const struct gcal_device_job *job,
                          struct gcal_device_bound_job *bound,
                          enum gcal_measurement_status *status, struct gcal_error *err);

/* ---- image.c ---- */

/* An image with the texels of 'buffer'; NULL with '*code'. */
cl_mem gcal_device_image_create(struct gcal_device *cl,
                                const struct gcal_device_job_arg *arg, cl_mem buffer,
                                cl_int *code);
/* Says what the device lacks, where an image could not be made. */
int gcal_device_image_fail(const struct gcal_device *cl,
                           const struct gcal_device_job_arg *arg, cl_int code,
                           enum gcal_measurement_status *status, struct gcal_error *err);
cl_sampler gcal_device_sampler_create(struct gcal_device *cl,
                                      const struct gcal_device_job_arg *arg,
                                      cl_int *code);
/* Copies its texels back. */
cl_int gcal_device_image_store(struct gcal_device *cl,
                               const struct gcal_device_job_arg *arg, cl_mem image,
                               cl_mem buffer);

/* ---- run.c ---- */

/* Runs the job once and waits.  'sample' gets both times; NULL: they are not checked. */
int gcal_device_run(struct gcal_device *cl, const struct gcal_device_job *job,
                    const struct gcal_device_bound_job *bound,
                    struct gcal_measurement_sample *sample,
                    enum gcal_measurement_status *status, struct gcal_error *err);

/* ---- cuda.c: NVIDIA's CUDA driver, if it is installed ---- */

/* Completes what OpenCL says of the GPU at info->pci, "0000:01:00.0": the cache, if it is
 * larger, and what a multiprocessor holds at a time.
 */
void gcal_device_cuda_ask(struct gcal_device_info *info);

/* The library, to be left open, and the device at that address; NULL: none. */
void *gcal_device_cuda_find(const char *pci, int *device);

/* ---- cuda_module.c: the same ---- */

struct gcal_device_cuda;

/* With a context on the device; NULL if the driver or the device is missing. */
struct gcal_device_cuda *gcal_device_cuda_open(const char *pci);
void gcal_device_cuda_close(struct gcal_device_cuda *cuda);
/* Of a kernel in a program's binary, a text; 0: unknown. */
uint64_t gcal_device_cuda_registers(struct gcal_device_cuda *cuda, const char *binary,
                                    const char *entry);

/* ---- built.c ---- */

/* Registers of a kernel in the log of NVIDIA's compiler; 0: it does not say. */
uint64_t gcal_device_log_registers(const char *log, const char *entry);
/* What the driver says of a kernel of that program; it is asked once. */
struct gcal_built gcal_device_ask_built(struct gcal_device *cl,
                                        struct gcal_device_program *program,
                                        cl_kernel kernel, const char *entry);

/* ---- nvml.c: NVIDIA's NVML, if it is installed ---- */

struct gcal_device_nvml;

/* The GPU at a PCI address "0000:01:00.0"; NULL if NVML or the GPU is missing. */
struct gcal_device_nvml *gcal_device_nvml_open(const char *pci);
void gcal_device_nvml_close(struct gcal_device_nvml *nvml);
/* Fills clock, temperature and throttle reasons; NaN, NaN, 0 if 'nvml' is NULL. */
/* The share of about the last second in which kernels ran; NaN if it is not known. */
double gcal_device_nvml_busy(const struct gcal_device_nvml *nvml);
void gcal_device_nvml_read(const struct gcal_device_nvml *nvml,
                           struct gcal_measurement_sample *sample);

#endif
