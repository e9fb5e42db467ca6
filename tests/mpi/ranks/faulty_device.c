/* faulty_device.c - preloaded before steady_device.c, a device fails as $FAULT says
 *
 * FAULT=KIND[:CHANCE], the chance of each call (default 1); kinds:
 *
 *   long       an event takes 400 times as long       build      programs cannot be built
 *   zero       it takes no time                        garbage    nor that, with 1 MB of log
 *   reversed   it ends before it begins                log        nor that, with an empty line
 *   wrapped    it ends at the end of time              no_build   building hangs
 *   untimed    it has no times                         hang       waiting hangs
 *   refused    a launch lacks resources                segv, abort, exit   the driver ends
 *   wrong      a result has one wrong bit              the process at a launch
 *   no_memory  a buffer cannot be made          late_hang  waiting hangs from the 100th time on
 *   short      an event takes a thousandth      probe      the program that asks for the size of
 *   half       or half of its time                         sub-groups cannot be built
 *   gone       the platform has no device       muls       nor can kernels of multiplications
 *   release    releasing a context hangs  clockN     its clock has that rate, in percent
 *
 * $FAULT_SEED seeds the chances, with the number of the process.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REAL(f) ((__typeof__(&f))dlsym(RTLD_NEXT, #f))

static const char *kind_end(const char *fault)
{
    return fault + strcspn(fault, ":");
}

static bool is_asked(const char *kind)
{
    const char *fault = getenv("FAULT");

    return fault && strlen(kind) == (size_t)(kind_end(fault) - fault) &&
           strncmp(fault, kind, strlen(kind)) == 0;
}

/* Whether this call is one that fails. */
static bool strikes(const char *kind)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static uint64_t state;
    const char *seed = getenv("FAULT_SEED"), *end;
    double chance;

    if (!is_asked(kind))
        return false;
    end = kind_end(getenv("FAULT"));
    chance = *end ? strtod(end + 1, NULL) : 1;
    pthread_mutex_lock(&lock);
    if (!state)
        state = (seed ? strtoull(seed, NULL, 10) : 1) * 2654435761U + (uint64_t)getpid();
    state = state * 6364136223846793005U + 1442695040888963407U;
    pthread_mutex_unlock(&lock);
    return (double)(state >> 11) * 0x1p-53 < chance;
}

static void hang(void)
{
    for (;;)
        pause();
}

cl_int clReleaseContext(cl_context context)
{
    if (strikes("release"))
        hang();
    return REAL(clReleaseContext)(context);
}

/* ---- building ---- */

/* Whether the program's source has 'text'. */
static bool contains(cl_program program, const char *text)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char source[1 << 16];
    bool found;

    pthread_mutex_lock(&lock);
    found = clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof(source), source, NULL) ==
                CL_SUCCESS &&
            strstr(source, text);
    pthread_mutex_unlock(&lock);
    return found;
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint n,
                      cl_device_id *devices, cl_uint *n_ret)
{
    __typeof__(&clGetDeviceIDs) real = REAL(clGetDeviceIDs);

    /* without OpenCL among the libraries of the process, as in mpirun's plugins */
    return !real || strikes("gone") ? CL_DEVICE_NOT_FOUND
                                    : real(platform, type, n, devices, n_ret);
}

cl_int clBuildProgram(cl_program program, cl_uint n, const cl_device_id *devices,
                      const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                      void *data)
{
    if (strikes("build") || strikes("garbage") || strikes("log"))
        return CL_BUILD_PROGRAM_FAILURE;
    if (strikes("no_build"))
        hang();
    if ((contains(program, "flops_mul") && strikes("muls")) ||
        (contains(program, "void p(") && strikes("probe")))
        return CL_BUILD_PROGRAM_FAILURE;
    return REAL(clBuildProgram)(program, n, devices, options, notify, data);
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device,
                             cl_program_build_info what, size_t size, void *value,
                             size_t *size_ret)
{
    static const char empty_line[] = "\n\nerror: no such register\n";
    size_t length = is_asked("garbage") ? 1 << 20 : sizeof(empty_line);

    if (what != CL_PROGRAM_BUILD_LOG || !(is_asked("garbage") || is_asked("log")))
        return REAL(clGetProgramBuildInfo)(program, device, what, size, value, size_ret);
    if (size_ret)
        *size_ret = length;
    if (value && size < length)
        return CL_INVALID_VALUE;
    if (value && is_asked("log"))
        memcpy(value, empty_line, length);
    for (size_t i = 0; value && is_asked("garbage") && i < length; i++)
        ((unsigned char *)value)[i] = (unsigned char)(i * i >> 7);
    return CL_SUCCESS;
}

/* ---- running ---- */

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *data,
                      cl_int *code)
{
    if (!strikes("no_memory"))
        return REAL(clCreateBuffer)(context, flags, size, data, code);
    if (code)
        *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return NULL;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint n_dims,
                              const size_t *offset, const size_t *global,
                              const size_t *local, cl_uint n_waits, const cl_event *waits,
                              cl_event *event)
{
    if (strikes("refused"))
        return CL_OUT_OF_RESOURCES;
    if (strikes("segv"))
        raise(SIGSEGV);
    if (strikes("abort"))
        abort();
    if (strikes("exit"))
        _exit(0);
    return REAL(clEnqueueNDRangeKernel)(queue, kernel, n_dims, offset, global, local,
                                        n_waits, waits, event);
}

cl_int clWaitForEvents(cl_uint n, const cl_event *events)
{
    static atomic_ulong n_waits;

    if (strikes("hang") ||
        (is_asked("late_hang") && atomic_fetch_add(&n_waits, 1) >= 100))
        hang();
    return REAL(clWaitForEvents)(n, events);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                           size_t offset, size_t size, void *data, cl_uint n_waits,
                           const cl_event *waits, cl_event *event)
{
    cl_int code = REAL(clEnqueueReadBuffer)(queue, buffer, blocking, offset, size, data,
                                            n_waits, waits, event);

    /* The exponent of a number in the middle. */
    if (code == CL_SUCCESS && blocking && size >= 8 && strikes("wrong"))
        ((unsigned char *)data)[size / 8 * 4 + 3] ^= 0x40;
    return code;
}

/* ---- times ---- */

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t size,
                               void *value, size_t *size_ret)
{
    cl_ulong *time_ns = value;
    cl_int code = REAL(clGetEventProfilingInfo)(event, what, size, value, size_ret);
    unsigned long percent;
    cl_ulong start_ns;

    if (strikes("untimed"))
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    if (code != CL_SUCCESS || !value || what != CL_PROFILING_COMMAND_END ||
        REAL(clGetEventProfilingInfo)(event, CL_PROFILING_COMMAND_START, sizeof(start_ns),
                                      &start_ns, NULL) != CL_SUCCESS)
        return code;
    if (strikes("long"))
        *time_ns = start_ns + 400 * (*time_ns - start_ns);
    if (strikes("zero"))
        *time_ns = start_ns;
    if (strikes("reversed"))
        *time_ns = start_ns - (*time_ns - start_ns);
    if (strikes("wrapped"))
        *time_ns = UINT64_MAX;
    if (strikes("short"))
        *time_ns = start_ns + (*time_ns - start_ns) / 1000;
    if (strikes("half"))
        *time_ns = start_ns + (*time_ns - start_ns) / 2;
    if (sscanf(getenv("FAULT") ? getenv("FAULT") : "", "clock%lu", &percent) == 1)
        *time_ns = start_ns + (*time_ns - start_ns) / 100 * percent;
    return code;
}
