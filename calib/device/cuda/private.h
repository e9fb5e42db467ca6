/* private.h - the interface of CUDA's and HIP's drivers, and what is behind OpenCL's objects */
#ifndef GCAL_CALIB_DEVICE_CUDA_PRIVATE_H
#define GCAL_CALIB_DEVICE_CUDA_PRIVATE_H

#include "calib/device/cuda/cuda.h"

#include <CL/cl_icd.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- api.c ---- */

typedef uint64_t gcal_cuda_address; /* of the device's memory */

/* By CUDA's names without their prefix (NVIDIA, CUDA driver API and NVRTC; AMD, HIP and HIPRTC). */
struct gcal_cuda_api {
    int (*Init)(unsigned flags);
    int (*DeviceGetByPCIBusId)(int *device, const char *pci);
    int (*DeviceGetAttribute)(int *value, int attribute, int device);
    int (*DevicePrimaryCtxRetain)(void **context, int device);
    int (*CtxSetCurrent)(void *context);
    int (*StreamCreate)(void **stream, unsigned flags);
    int (*StreamDestroy)(void *stream);
    int (*StreamSynchronize)(void *stream);
    int (*EventCreate)(void **event, unsigned flags);
    int (*EventDestroy)(void *event);
    int (*EventRecord)(void *event, void *stream);
    int (*EventSynchronize)(void *event);
    int (*EventElapsedTime)(float *ms, void *from, void *to);
    int (*MemAlloc)(gcal_cuda_address *memory, size_t size_bytes);
    int (*MemFree)(gcal_cuda_address memory);
    int (*MemcpyHtoDAsync)(gcal_cuda_address to, const void *from, size_t n,
                           void *stream);
    int (*MemcpyDtoHAsync)(void *to, gcal_cuda_address from, size_t n, void *stream);
    int (*MemcpyDtoDAsync)(gcal_cuda_address to, gcal_cuda_address from, size_t n,
                           void *stream);
    int (*ModuleLoadData)(void **module, const void *image);
    int (*ModuleUnload)(void *module);
    int (*ModuleGetFunction)(void **function, void *module, const char *name);
    int (*FuncGetAttribute)(int *value, int attribute, void *function);
    int (*FuncSetAttribute)(void *function, int attribute, int value);
    int (*LaunchKernel)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z,
                        unsigned shared_bytes, void *stream, void **arguments,
                        void **extra);
    /* the run-time compiler */
    int (*CreateProgram)(void **program, const char *source, const char *name,
                         int n_headers, const char *const *headers,
                         const char *const *header_names);
    int (*DestroyProgram)(void **program);
    int (*AddNameExpression)(void *program, const char *name);
    int (*CompileProgram)(void *program, int n_options, const char *const *options);
    int (*GetProgramLogSize)(void *program, size_t *size);
    int (*GetProgramLog)(void *program, char *log);
    int (*GetLoweredName)(void *program, const char *name, const char **lowered);
    int (*GetCodeSize)(void *program, size_t *size);
    int (*GetCode)(void *program, char *code);
};

/* The functions of a language's libraries, loaded once; NULL with 'err' (GCAL_EDEVICE). */
const struct gcal_cuda_api *gcal_cuda_api(enum gcal_source_language language,
                                          struct gcal_error *err);

/* The folder of the compiler's own headers (cuda_fp16.h), beside its library; the caller's to
 * free, NULL: there is none.
 */
char *gcal_cuda_include_folder(const struct gcal_cuda_api *api);

/* As an OpenCL error: shortages by OpenCL's names, others below all of OpenCL's. */
cl_int gcal_cuda_code(int error);

/* ---- objects.c ---- */

struct _cl_device_id {
    const cl_icd_dispatch *dispatch;
    const struct gcal_cuda_api *api;
    enum gcal_source_language language;
    int device;
    void *context;
    cl_mem memories; /* that are there */
};

struct _cl_context {
    const cl_icd_dispatch *dispatch;
    cl_device_id device;
};

/* 'epoch' is recorded before the first timed command since the queue was last waited for, as
 * times between events are single numbers of milliseconds.
 */
struct _cl_command_queue {
    const cl_icd_dispatch *dispatch;
    cl_device_id device;
    void *stream, *epoch;
    bool is_timed;
};

struct _cl_mem {
    const cl_icd_dispatch *dispatch;
    cl_device_id device;
    gcal_cuda_address address;
    bool is_part; /* of another */
    cl_mem next;
};

struct _cl_event {
    const cl_icd_dispatch *dispatch;
    cl_command_queue queue;
    void *begin, *end;
};

/* A new object of 'size' bytes, whose first member is the device's table; NULL with '*code'. */
void *gcal_cuda_make(cl_device_id device, size_t size, cl_int *code);
/* The device's functions, in its context: of each thread, as programs are built in some of their
 * own.
 */
const struct gcal_cuda_api *gcal_cuda_enter(cl_device_id device);

/* Returns whether the bytes at 'value' are the handle of a buffer: CUDA's kernels do not say
 * which of their parameters are pointers.
 */
bool gcal_cuda_is_memory(cl_device_id device, const void *value);

/* NULL with '*code'. */
cl_event gcal_cuda_event_begin(cl_command_queue queue, cl_int *code);
cl_int gcal_cuda_event_end(cl_event event);
cl_int gcal_cuda_release_event(cl_event event);

/* ---- program.c: as OpenCL's functions of these names ---- */

cl_program gcal_cuda_create_program(cl_context context, cl_uint n, const char **texts,
                                    const size_t *lengths, cl_int *code);
cl_int gcal_cuda_build_program(cl_program program, cl_uint n, const cl_device_id *devices,
                               const char *options,
                               void(CL_CALLBACK *notify)(cl_program, void *), void *data);
cl_int gcal_cuda_release_program(cl_program program);
cl_int gcal_cuda_get_build_info(cl_program program, cl_device_id device,
                                cl_program_build_info what, size_t size, void *value,
                                size_t *needed);
cl_kernel gcal_cuda_create_kernel(cl_program program, const char *name, cl_int *code);
cl_int gcal_cuda_release_kernel(cl_kernel kernel);
cl_int gcal_cuda_set_argument(cl_kernel kernel, cl_uint index, size_t size,
                              const void *value);
cl_int gcal_cuda_get_kernel_info(cl_kernel kernel, cl_device_id device,
                                 cl_kernel_work_group_info what, size_t size, void *value,
                                 size_t *needed);
cl_int gcal_cuda_launch(cl_command_queue queue, cl_kernel kernel, cl_uint n_dims,
                        const size_t *offset, const size_t *global, const size_t *local,
                        cl_uint n, const cl_event *list, cl_event *event);

#endif
