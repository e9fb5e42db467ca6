/* simulated_device.c - an OpenCL driver whose device sleeps its launches
 *
 * For fleets on one machine: as a device computes nothing, hundreds of ranks have one each.  With
 * OCL_ICD_VENDORS=.../libsimulated_device.so the program finds this platform and no other.  A
 * launch takes
 *
 *     time = 2 us + $SIMULATED_NS ns * work-items * m
 *
 * with 0.1 % of noise; m is the last integer argument, and SIMULATED_NS is 0.001 unless set.
 * SIMULATED_NOISE adds more, from $SIMULATED_SEED: "own SIZE", of each launch by itself; "lasts SIZE
 * CORRELATION", of a state that consecutive launches share; "speeds RATIO LAUNCHES", of two speeds that it
 * changes at random after so many launches.  SIZE is a standard deviation of the logarithm.
 * The device sleeps so long, and its events say so.  It knows the kernels flops_add and
 * flops_mul of float32 and runs launches of few work-items, which check results; other
 * kernels leave their outputs as they were, so that gpucal refuses them.
 *
 * It is a CPU: of other devices, gpucal expects that launches begin in time, however busy the host
 * is.
 *
 * Platform and device say that they are simulated, and gpucal publishes such a device to a
 * store for simulations alone.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_icd.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/base/random.h"
#include "kernels/model/run/device_info.h"

#define RUN_ITEMS 4096 /* launches of more are slept only */
#define LANES     256  /* of a work-group */

enum { MAX_ARGS = 8 };

extern const cl_icd_dispatch dispatch;

/* All objects of a driver begin with its table of functions. */
struct _cl_platform_id {
    const cl_icd_dispatch *dispatch;
};
struct _cl_device_id {
    const cl_icd_dispatch *dispatch;
};
struct _cl_context {
    const cl_icd_dispatch *dispatch;
};
struct _cl_command_queue {
    const cl_icd_dispatch *dispatch;
};
struct _cl_program {
    const cl_icd_dispatch *dispatch;
};
struct _cl_mem {
    const cl_icd_dispatch *dispatch;
    unsigned char *data;
    bool is_part; /* of another buffer's data */
};
struct _cl_kernel {
    const cl_icd_dispatch *dispatch;
    char name[64];
    cl_mem buffer; /* the first one */
    cl_int m;
};
struct _cl_event {
    const cl_icd_dispatch *dispatch;
    cl_ulong start_ns, end_ns;
};

static struct _cl_platform_id the_platform = { &dispatch };
static struct _cl_device_id the_device = { &dispatch };
static cl_ulong clock_ns = 1000000000;

static void *make(size_t size, cl_int *code)
{
    const cl_icd_dispatch **object = calloc(1, size);

    if (object)
        *object = &dispatch;
    if (code)
        *code = object ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    return object;
}

/* The answer to a query. */
static cl_int answer(const void *from, size_t n, size_t size, void *value,
                     size_t *size_ret)
{
    if (size_ret)
        *size_ret = n;
    if (value && size < n)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, from, n);
    return CL_SUCCESS;
}

static cl_int answer_text(const char *text, size_t size, void *value, size_t *size_ret)
{
    return answer(text, strlen(text) + 1, size, value, size_ret);
}

/* ---- platform and device ---- */

static cl_int get_platform_ids(cl_uint n, cl_platform_id *platforms, cl_uint *n_ret)
{
    if (platforms && n)
        *platforms = &the_platform;
    if (n_ret)
        *n_ret = 1;
    return CL_SUCCESS;
}

static cl_int get_platform_info(cl_platform_id platform, cl_platform_info what,
                                size_t size, void *value, size_t *size_ret)
{
    (void)platform;
    switch (what) {
    case CL_PLATFORM_NAME:
        return answer_text(GCAL_DEVICE_SIMULATED_PLATFORM, size, value, size_ret);
    case CL_PLATFORM_VENDOR:
        return answer_text("gpucal", size, value, size_ret);
    case CL_PLATFORM_VERSION:
        return answer_text("OpenCL 1.2 simulated", size, value, size_ret);
    case CL_PLATFORM_PROFILE:
        return answer_text("FULL_PROFILE", size, value, size_ret);
    case CL_PLATFORM_EXTENSIONS:
        return answer_text("cl_khr_icd", size, value, size_ret);
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        return answer_text("SIM", size, value, size_ret);
    }
    return CL_INVALID_VALUE;
}

static cl_int get_device_ids(cl_platform_id platform, cl_device_type type, cl_uint n,
                             cl_device_id *devices, cl_uint *n_ret)
{
    bool wanted = type & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_DEFAULT);

    (void)platform;
    if (n_ret)
        *n_ret = wanted;
    if (wanted && devices && n)
        *devices = &the_device;
    return wanted ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

static const char *device_text(cl_device_info what)
{
    switch (what) {
    case CL_DEVICE_NAME:
        return "Simulated device";
    case CL_DEVICE_VENDOR:
        return "gpucal";
    case CL_DRIVER_VERSION:
        return "1";
    case CL_DEVICE_VERSION:
        return "OpenCL 1.2 simulated";
    case CL_DEVICE_EXTENSIONS:
        return "";
    }
    return NULL;
}

static cl_ulong device_number(cl_device_info what)
{
    switch (what) {
    case CL_DEVICE_TYPE:
        return CL_DEVICE_TYPE_CPU;
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return 16;
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return 1024;
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
        return 1000;
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        return (cl_ulong)1 << 30;
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        return (cl_ulong)1 << 28;
    case CL_DEVICE_LOCAL_MEM_SIZE:
        return 1 << 16;
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
        return 1 << 20;
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_PROFILING_TIMER_RESOLUTION:
        return 1;
    }
    return 0;
}

static cl_int get_device_info(cl_device_id device, cl_device_info what, size_t size,
                              void *value, size_t *size_ret)
{
    const char *text = device_text(what);
    cl_platform_id platform = &the_platform;
    cl_ulong number = device_number(what);

    (void)device;
    if (text)
        return answer_text(text, size, value, size_ret);
    if (what == CL_DEVICE_PLATFORM)
        return answer(&platform, sizeof(platform), size, value, size_ret);
    return answer(&number, size < sizeof(number) ? size : sizeof(number), size, value,
                  size_ret);
}

/* ---- objects ---- */

static cl_context create_context(const cl_context_properties *properties, cl_uint n,
                                 const cl_device_id *devices,
                                 void(CL_CALLBACK *notify)(const char *, const void *,
                                                           size_t, void *),
                                 void *data, cl_int *code)
{
    (void)properties, (void)n, (void)devices, (void)notify, (void)data;
    return make(sizeof(struct _cl_context), code);
}

static cl_int release_context(cl_context context)
{
    free(context);
    return CL_SUCCESS;
}

static cl_command_queue create_queue(cl_context context, cl_device_id device,
                                     cl_command_queue_properties properties, cl_int *code)
{
    (void)context, (void)device, (void)properties;
    return make(sizeof(struct _cl_command_queue), code);
}

static cl_int pass_queue(cl_command_queue queue)
{
    (void)queue;
    return CL_SUCCESS;
}

static cl_int release_queue(cl_command_queue queue)
{
    free(queue);
    return CL_SUCCESS;
}

static cl_mem create_buffer(cl_context context, cl_mem_flags flags, size_t size,
                            void *host, cl_int *code)
{
    cl_mem memory = make(sizeof(*memory), code);

    (void)context;
    if (!memory)
        return NULL;
    if (!(memory->data = calloc(1, size))) {
        free(memory);
        if (code)
            *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        return NULL;
    }
    if (flags & CL_MEM_COPY_HOST_PTR)
        memcpy(memory->data, host, size);
    return memory;
}

static cl_mem create_part(cl_mem whole, cl_mem_flags flags, cl_buffer_create_type type,
                          const void *where, cl_int *code)
{
    const cl_buffer_region *region = where;
    cl_mem memory = make(sizeof(*memory), code);

    (void)flags, (void)type;
    if (memory) {
        memory->data = whole->data + region->origin;
        memory->is_part = true;
    }
    return memory;
}

static cl_int release_memory(cl_mem memory)
{
    if (!memory->is_part)
        free(memory->data);
    free(memory);
    return CL_SUCCESS;
}

static cl_program create_program(cl_context context, cl_uint n, const char **sources,
                                 const size_t *lengths, cl_int *code)
{
    (void)context, (void)n, (void)sources, (void)lengths;
    return make(sizeof(struct _cl_program), code);
}

static cl_int build_program(cl_program program, cl_uint n, const cl_device_id *devices,
                            const char *options,
                            void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    (void)program, (void)n, (void)devices, (void)options, (void)notify, (void)data;
    return CL_SUCCESS;
}

static cl_int get_build_info(cl_program program, cl_device_id device,
                             cl_program_build_info what, size_t size, void *value,
                             size_t *size_ret)
{
    (void)program, (void)device, (void)what;
    return answer_text("", size, value, size_ret);
}

static cl_int release_program(cl_program program)
{
    free(program);
    return CL_SUCCESS;
}

static cl_kernel create_kernel(cl_program program, const char *name, cl_int *code)
{
    cl_kernel kernel = make(sizeof(*kernel), code);

    (void)program;
    if (kernel)
        strncpy(kernel->name, name, sizeof(kernel->name) - 1);
    return kernel;
}

static cl_int set_kernel_arg(cl_kernel kernel, cl_uint at, size_t size, const void *value)
{
    if (value && size == sizeof(cl_mem) && at == 0)
        memcpy(&kernel->buffer, value, size);
    else if (value && size == sizeof(kernel->m))
        memcpy(&kernel->m, value, size);
    return CL_SUCCESS;
}

static cl_int get_work_group_info(cl_kernel kernel, cl_device_id device,
                                  cl_kernel_work_group_info what, size_t size,
                                  void *value, size_t *size_ret)
{
    size_t number = what == CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE ? 32
                    : what == CL_KERNEL_WORK_GROUP_SIZE                  ? 1024
                                                                         : 0;

    (void)kernel, (void)device;
    return answer(&number, sizeof(number), size, value, size_ret);
}

static cl_int release_kernel(cl_kernel kernel)
{
    free(kernel);
    return CL_SUCCESS;
}

/* ---- noise ---- */

/* In (0, 1). */
static double draw_uniform(void)
{
    static uint64_t state;
    const char *seed = getenv("SIMULATED_SEED");

    if (!state)
        state = seed ? strtoull(seed, NULL, 10) : 1;
    return gcal_random_share(&state) + 0x1p-54;
}

static double draw_normal(void)
{
    return sqrt(-2 * log(draw_uniform())) * cos(2 * M_PI * draw_uniform());
}

/* What the time of a launch is multiplied by. */
static double next_noise(void)
{
    static double state = NAN; /* of the device */
    const char *text = getenv("SIMULATED_NOISE");
    double a = 0, b = 0;

    if (text && sscanf(text, "own %lf", &a) == 1)
        return exp(a * draw_normal());
    if (text && sscanf(text, "lasts %lf %lf", &a, &b) == 2) {
        state =
            isnan(state) ? draw_normal() : b * state + sqrt(1 - b * b) * draw_normal();
        return exp(a * state);
    }
    if (text && sscanf(text, "speeds %lf %lf", &a, &b) == 2) {
        if (isnan(state) || draw_uniform() < 1 / b)
            state = isnan(state) ? draw_uniform() < 0.5 : 1 - state;
        return state > 0 ? a : 1;
    }
    return 1;
}

/* ---- commands ---- */

/* The next command of a queue, for as long as it takes. */
static cl_int advance(double time_ns, cl_event *event)
{
    cl_ulong took_ns = (cl_ulong)time_ns;
    struct timespec pause = { (time_t)(took_ns / 1000000000),
                              (long)(took_ns % 1000000000) };

    nanosleep(&pause, NULL);
    if (event) {
        cl_int code;

        if (!(*event = make(sizeof(**event), &code)))
            return code;
        (*event)->start_ns = clock_ns;
        (*event)->end_ns = clock_ns + took_ns;
    }
    clock_ns += took_ns;
    return CL_SUCCESS;
}

/* What flops_add and flops_mul leave of their 32 variables. */
static float result_of(unsigned l, cl_int m, bool multiplies)
{
    float v[32], sum = 0;

    for (unsigned i = 0; i < 16; i++) {
        v[i] = (float)(((l * 2654435 + i * 1013904 + 69069) & 0xffffff) |
                       (unsigned)multiplies);
        v[i + 16] = (float)(((l * 1664525 + i * 2891336 + 12345) & 0xffffff) |
                            (unsigned)multiplies);
    }
    for (cl_int half = 0; half < 2 * m; half++)
        for (unsigned i = 0; i < 16; i++)
            if (multiplies) {
                v[i] *= half % 2 ? 0.8f : 1.25f;
                v[i + 16] *= half % 2 ? 0.8f : 1.25f;
            } else {
                v[i] += v[i + 16];
                v[i + 16] -= v[i];
            }
    for (unsigned i = 0; i < 16; i++)
        sum = sum + v[i] + v[i + 16];
    return sum;
}

static void compute(cl_kernel kernel, size_t n)
{
    bool multiplies = strcmp(kernel->name, "flops_mul") == 0;
    float *result = kernel->buffer ? (float *)(void *)kernel->buffer->data : NULL;

    if (!result || n > RUN_ITEMS ||
        (!multiplies && strcmp(kernel->name, "flops_add") != 0))
        return;
    for (size_t i = 0; i < n; i++)
        result[i] = result_of((unsigned)(i % LANES), kernel->m, multiplies);
}

static cl_int enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint n_dims,
                             const size_t *offset, const size_t *global,
                             const size_t *local, cl_uint n_waits, const cl_event *waits,
                             cl_event *event)
{
    const char *ns = getenv("SIMULATED_NS");
    double time_ns = (ns ? strtod(ns, NULL) : 0.001) * kernel->m;

    (void)queue, (void)offset, (void)local, (void)n_waits, (void)waits;
    for (cl_uint i = 0; i < n_dims; i++)
        time_ns *= (double)global[i];
    compute(kernel, *global);
    return advance((2000 + time_ns) * (1 + 0.001 * draw_uniform()) * next_noise(), event);
}

static cl_int enqueue_marker(cl_command_queue queue, cl_uint n_waits,
                             const cl_event *waits, cl_event *event)
{
    (void)queue, (void)n_waits, (void)waits;
    return advance(0, event);
}

static cl_int enqueue_read(cl_command_queue queue, cl_mem memory, cl_bool blocking,
                           size_t at, size_t size, void *to, cl_uint n_waits,
                           const cl_event *waits, cl_event *event)
{
    (void)blocking;
    memcpy(to, memory->data + at, size);
    return enqueue_marker(queue, n_waits, waits, event);
}

static cl_int enqueue_write(cl_command_queue queue, cl_mem memory, cl_bool blocking,
                            size_t at, size_t size, const void *from, cl_uint n_waits,
                            const cl_event *waits, cl_event *event)
{
    (void)blocking;
    memcpy(memory->data + at, from, size);
    return enqueue_marker(queue, n_waits, waits, event);
}

static cl_int enqueue_copy(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_at,
                           size_t to_at, size_t size, cl_uint n_waits,
                           const cl_event *waits, cl_event *event)
{
    memmove(to->data + to_at, from->data + from_at, size);
    return enqueue_marker(queue, n_waits, waits, event);
}

static cl_int wait_for_events(cl_uint n, const cl_event *events)
{
    (void)n, (void)events;
    return CL_SUCCESS;
}

static cl_int get_event_info(cl_event event, cl_event_info what, size_t size, void *value,
                             size_t *size_ret)
{
    cl_int state = CL_COMPLETE;

    (void)event, (void)what;
    return answer(&state, sizeof(state), size, value, size_ret);
}

static cl_int get_profiling_info(cl_event event, cl_profiling_info what, size_t size,
                                 void *value, size_t *size_ret)
{
    cl_ulong ns = what == CL_PROFILING_COMMAND_END ? event->end_ns : event->start_ns;

    return answer(&ns, sizeof(ns), size, value, size_ret);
}

static cl_int release_event(cl_event event)
{
    free(event);
    return CL_SUCCESS;
}

/* What gpucal calls for kernels; a transfer would end the worker, and be reported. */
const cl_icd_dispatch dispatch = {
    .clGetPlatformIDs = get_platform_ids,
    .clGetPlatformInfo = get_platform_info,
    .clGetDeviceIDs = get_device_ids,
    .clGetDeviceInfo = get_device_info,
    .clCreateContext = create_context,
    .clReleaseContext = release_context,
    .clCreateCommandQueue = create_queue,
    .clReleaseCommandQueue = release_queue,
    .clFlush = pass_queue,
    .clFinish = pass_queue,
    .clCreateBuffer = create_buffer,
    .clCreateSubBuffer = create_part,
    .clReleaseMemObject = release_memory,
    .clCreateProgramWithSource = create_program,
    .clBuildProgram = build_program,
    .clGetProgramBuildInfo = get_build_info,
    .clReleaseProgram = release_program,
    .clCreateKernel = create_kernel,
    .clSetKernelArg = set_kernel_arg,
    .clGetKernelWorkGroupInfo = get_work_group_info,
    .clReleaseKernel = release_kernel,
    .clEnqueueNDRangeKernel = enqueue_kernel,
    .clEnqueueMarkerWithWaitList = enqueue_marker,
    .clEnqueueReadBuffer = enqueue_read,
    .clEnqueueWriteBuffer = enqueue_write,
    .clEnqueueCopyBuffer = enqueue_copy,
    .clWaitForEvents = wait_for_events,
    .clGetEventInfo = get_event_info,
    .clGetEventProfilingInfo = get_profiling_info,
    .clReleaseEvent = release_event,
};

void *clGetExtensionFunctionAddress(const char *name)
{
    return strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? (void *)get_platform_ids
           : strcmp(name, "clGetPlatformInfo") == 0    ? (void *)get_platform_info
                                                       : NULL;
}
