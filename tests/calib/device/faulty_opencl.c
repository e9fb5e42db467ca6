/* faulty_opencl.c - drivers' misbehaviour on demand
 *
 * The program's own OpenCL functions come before the loader's, in its workers as well.
 * Each does what the loader's does, unless a kernel's name or a variable of the
 * environment asks for worse.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calib/worker/worker.h"
#include "calib/worker/private.h"
#include "tests/calib/device/faulty_opencl.h"

#define UUID      0x106A
#define NV_BUS_ID 0x4008
#define NV_SLOT   0x4009
#define NV_DOMAIN 0x400A

static int faulty_worker_fd = -1; /* a worker's socket */

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static char kernel_name[64]; /* launched last */
static unsigned n_launched;  /* since the end of an event was last asked for */
static size_t live_bytes;    /* in buffers */

int faulty_worker_dispatch(int argc, char **argv)
{
    faulty_worker_fd = argc > 2 ? atoi(argv[2]) : -1;
    return gcal_worker_dispatch(argc, argv);
}

/* A platform whose driver aborts or hangs, before all others; or one without devices and
 * no other.
 */
static cl_platform_id bad_platform(void)
{
    static int object;

    return getenv("TEST_PLATFORM") ? (cl_platform_id)&object : NULL;
}

cl_int clGetPlatformIDs(cl_uint n, cl_platform_id *ids, cl_uint *count)
{
    cl_int code = REAL(clGetPlatformIDs)(n, ids, count);

    if (code == CL_SUCCESS && ids && bad_platform() && *count < n) {
        memmove(ids + 1, ids, *count * sizeof(*ids));
        ids[0] = bad_platform();
        ++*count;
        if (strcmp(getenv("TEST_PLATFORM"), "alone") == 0)
            *count = 1;
    }
    return code;
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size,
                         void *value, size_t *size_ret)
{
    if (platform == bad_platform() && platform)
        return CL_INVALID_PLATFORM;
    return REAL(clGetPlatformInfo)(platform, what, size, value, size_ret);
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint n,
                      cl_device_id *ids, cl_uint *count)
{
    cl_int code;

    if (platform == bad_platform() && platform) {
        if (strcmp(getenv("TEST_PLATFORM"), "aborts") == 0)
            abort();
        if (strcmp(getenv("TEST_PLATFORM"), "hangs") == 0)
            pause();
        return CL_DEVICE_NOT_FOUND;
    }
    code = REAL(clGetDeviceIDs)(platform, type, n, ids, count);
    if (code == CL_SUCCESS && ids && getenv("TEST_TILES") && *count < n)
        ids[(*count)++] = ids[0]; /* whatever is asked, it answers like the first */
    return code;
}

/* The tiles' answers. */
static cl_int one_uuid(cl_device_info what, void *value, size_t *size_ret)
{
    static const char extension[] = "cl_khr_device_uuid", uuid[] = "gpucal-tiles-\0\1\2";
    const char *text = what == CL_DEVICE_EXTENSIONS ? extension : uuid;
    size_t size = what == CL_DEVICE_EXTENSIONS ? sizeof(extension) : 16;

    if (value)
        memcpy(value, text, size);
    if (size_ret)
        *size_ret = size;
    return CL_SUCCESS;
}

/* An NVIDIA GPU's at fffe:3b:00.0, with two of its multiprocessors' caches. */
static cl_int one_gpu(cl_device_id id, cl_device_info what, size_t size, void *value,
                      size_t *size_ret)
{
    static const char extension[] = "cl_nv_device_attribute_query cl_nv_compiler_options";
    cl_int code = CL_SUCCESS;

    if (what == CL_DEVICE_EXTENSIONS) {
        if (value)
            memcpy(value, extension, sizeof(extension));
        if (size_ret)
            *size_ret = sizeof(extension);
    } else if (what == NV_BUS_ID || what == NV_SLOT || what == NV_DOMAIN)
        *(cl_uint *)value = what == NV_BUS_ID ? 0x3b : what == NV_DOMAIN ? 0xfffe : 0;
    else if (what == CL_DEVICE_GLOBAL_MEM_CACHE_SIZE)
        *(cl_ulong *)value = 65536;
    else
        code = REAL(clGetDeviceInfo)(id, what, size, value, size_ret);
    return code;
}

cl_int clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size, void *value,
                       size_t *size_ret)
{
    cl_int code = getenv("TEST_PCI") ? one_gpu(id, what, size, value, size_ret)
                  : getenv("TEST_TILES") && (what == CL_DEVICE_EXTENSIONS || what == UUID)
                      ? one_uuid(what, value, size_ret)
                      : REAL(clGetDeviceInfo)(id, what, size, value, size_ret);
    const char *tick_ns = getenv("TEST_TICK_NS"), *memory = getenv("TEST_MEMORY_BYTES");

    if (what == CL_DEVICE_PROFILING_TIMER_RESOLUTION && value && tick_ns)
        *(size_t *)value = (size_t)atol(tick_ns);
    if (what == CL_DEVICE_GLOBAL_MEM_SIZE && value && memory)
        *(cl_ulong *)value = (cl_ulong)atol(memory);
    return code;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *data,
                      cl_int *code)
{
    const char *memory = getenv("TEST_MEMORY_BYTES");

    if (memory && live_bytes + size > (size_t)atol(memory)) {
        *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        return NULL;
    }
    live_bytes += size;
    return REAL(clCreateBuffer)(context, flags, size, data, code);
}

cl_int clReleaseMemObject(cl_mem memory)
{
    size_t size = 0;

    clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof(size), &size, NULL);
    live_bytes -= size;
    return REAL(clReleaseMemObject)(memory);
}

/* As NVIDIA's driver, which runs more all the same. */
cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id id,
                                cl_kernel_work_group_info what, size_t size, void *value,
                                size_t *size_ret)
{
    cl_int code = REAL(clGetKernelWorkGroupInfo)(kernel, id, what, size, value, size_ret);

    if (what == CL_KERNEL_WORK_GROUP_SIZE && value)
        *(size_t *)value = 32;
    return code;
}

/* NVIDIA's option, of which other drivers know nothing. */
cl_int clBuildProgram(cl_program program, cl_uint n, const cl_device_id *ids,
                      const char *options, void (*done)(cl_program, void *), void *data)
{
    const char *at = getenv("TEST_PCI") ? strstr(options, "-cl-nv-verbose") : NULL;
    char *others = at ? strndup(options, (size_t)(at - options)) : NULL;
    cl_int code =
        REAL(clBuildProgram)(program, n, ids, others ? others : options, done, data);

    free(others);
    return code;
}

static cl_int give(const void *from, size_t from_size, void *value, size_t *size_ret)
{
    if (value)
        memcpy(value, from, from_size);
    if (size_ret)
        *size_ret = from_size;
    return CL_SUCCESS;
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id id,
                             cl_program_build_info what, size_t size, void *value,
                             size_t *size_ret)
{
    const char *log = getenv("TEST_BUILD_LOG");

    if (log && what == CL_PROGRAM_BUILD_LOG)
        return give(log, strlen(log) + 1, value, size_ret);
    return REAL(clGetProgramBuildInfo)(program, id, what, size, value, size_ret);
}

/* NVIDIA's binaries are PTX. */
cl_int clGetProgramInfo(cl_program program, cl_program_info what, size_t size,
                        void *value, size_t *size_ret)
{
    static const char ptx[] =
        ".version 8.8\n.target sm_90\n.visible .entry scale(\n)\n{}";
    size_t ptx_size = sizeof(ptx) - 1;

    if (!getenv("TEST_PCI"))
        return REAL(clGetProgramInfo)(program, what, size, value, size_ret);
    if (what == CL_PROGRAM_BINARY_SIZES)
        return give(&ptx_size, sizeof(ptx_size), value, size_ret);
    if (what == CL_PROGRAM_BINARIES)
        return give(ptx, ptx_size, *(void **)value, NULL);
    return REAL(clGetProgramInfo)(program, what, size, value, size_ret);
}

static void end_at_once(int signal_number)
{
    _exit(signal_number);
}

/* Kernel "faults" takes the context with it; "scribbles" sends an answer without its
 * content to the rank; "handles" sets handlers of signals, as LLVM does.
 */
cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint n_dims,
                              const size_t *offset, const size_t *global,
                              const size_t *local, cl_uint n_events,
                              const cl_event *events, cl_event *event)
{
    const struct gcal_buf nothing = { 0 };

    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(kernel_name), kernel_name,
                    NULL);
    if (strcmp(kernel_name, "faults") == 0)
        return CL_OUT_OF_RESOURCES;
    n_launched++;
    if (strcmp(kernel_name, "handles") == 0) {
        signal(SIGINT, end_at_once);
        signal(SIGTERM, end_at_once);
        signal(SIGHUP, end_at_once);
    }
    if (strcmp(kernel_name, "scribbles") == 0)
        gcal_wire_frame_write(faulty_worker_fd, -1, GCAL_WORKER_ANSWER_DONE, &nothing,
                              NULL);
    return REAL(clEnqueueNDRangeKernel)(queue, kernel, n_dims, offset, global, local,
                                        n_events, events, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking,
                            size_t offset, size_t size, const void *data,
                            cl_uint n_events, const cl_event *events, cl_event *event)
{
    const char *lost = getenv("TEST_COPIES_LOSE"); /* of each piece but the first */

    if (strcmp(kernel_name, "faults") == 0)
        return -9999;
    if (lost && !blocking && offset)
        size -= (size_t)atol(lost);
    return REAL(clEnqueueWriteBuffer)(queue, memory, blocking, offset, size, data,
                                      n_events, events, event);
}

/* Kernel "ends_at_once" starts and ends in one tick, "runs_back" ends before it starts;
 * "counts" lasts as many ns as there were launches.
 */
cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t size,
                               void *value, size_t *size_ret)
{
    cl_int code = REAL(clGetEventProfilingInfo)(event, what, size, value, size_ret);

    if (strcmp(kernel_name, "ends_at_once") == 0)
        *(cl_ulong *)value = 2385;
    if (strcmp(kernel_name, "runs_back") == 0)
        *(cl_ulong *)value = what == CL_PROFILING_COMMAND_END ? 2384 : 2385;
    if (strcmp(kernel_name, "counts") == 0) {
        *(cl_ulong *)value = what == CL_PROFILING_COMMAND_END ? 2385 + n_launched : 2385;
        n_launched = what == CL_PROFILING_COMMAND_END ? 0 : n_launched;
    }
    return code;
}
