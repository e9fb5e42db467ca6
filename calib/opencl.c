/* opencl.c - one device: programs, buffers, launches and their times */
#include "calib/opencl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/clock.h"
#include "calib/base/error.h"
#include "calib/base/random.h"

#define FILL_CHUNK_BYTES (8u << 20)
#define MEMORY_SHARE     0.8 /* of the device's memory, for all buffers together */
#define FILL_SEED        20261121u

/* What was built: kernels of one family share it. */
struct program {
    char *family, *source, *build_options;
    cl_program program;
    struct program *next;
};

/* Buffers are shared by all kernels: one for each argument position, dtype and direction.
 * What kernels write is never another's input: its values (denormals, infinities) would
 * change the times of what reads them.
 */
struct pool_buffer {
    size_t index, size_bytes;
    bool output;
    char dtype[16];
    cl_mem memory;
    struct pool_buffer *next;
};

struct gcal_opencl {
    struct gcal_device_info info;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    struct program *programs;
    struct pool_buffer *buffers;
    struct gcal_nvml *nvml;
};

const char *gcal_opencl_error(cl_int code)
{
    static const struct {
        cl_int code;
        const char *name;
    } names[] = {
        { CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE" },
        { CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE" },
        { CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES" },
        { CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY" },
        { CL_PROFILING_INFO_NOT_AVAILABLE, "CL_PROFILING_INFO_NOT_AVAILABLE" },
        { CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE" },
        { CL_INVALID_VALUE, "CL_INVALID_VALUE" },
        { CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE" },
        { CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME" },
        { CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX" },
        { CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE" },
        { CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS" },
        { CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE" },
        { CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE" },
    };
    static char other[40];

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (names[i].code == code)
            return names[i].name;
    snprintf(other, sizeof(other), "OpenCL error %d", code);
    return other;
}

static int fail(enum gcal_row_status *status, enum gcal_row_status value,
                struct gcal_error *err, const char *what, cl_int code)
{
    *status = value;
    return gcal_error_set(err, GCAL_EDEVICE, "%s: %s", what, gcal_opencl_error(code));
}

/* ---- opening ---- */

static int find_device(struct gcal_opencl *cl, const char *uid, struct gcal_error *err)
{
    struct gcal_opencl_device *devices;
    size_t count;
    int rc = -1;

    if (gcal_opencl_list(&devices, &count, err) < 0)
        return -1;
    for (size_t i = 0; i < count && rc < 0; i++) {
        if (strcmp(devices[i].info.uid, uid) != 0)
            continue;
        cl->id = devices[i].id;
        cl->info = devices[i].info;
        devices[i].info = (struct gcal_device_info){ 0 };
        rc = 0;
    }
    if (rc < 0)
        gcal_error_set(err, GCAL_EDEVICE, "device %s is not there any more", uid);
    gcal_opencl_list_free(devices, count);
    return rc;
}

struct gcal_opencl *gcal_opencl_open(const char *uid, struct gcal_error *err)
{
    struct gcal_opencl *cl = calloc(1, sizeof(*cl));
    cl_int code;

    if (!cl) {
        gcal_error_memory(err);
        return NULL;
    }
    if (find_device(cl, uid, err) < 0)
        goto fail;
    cl->context = clCreateContext(NULL, 1, &cl->id, NULL, NULL, &code);
    if (cl->context)
        cl->queue =
            clCreateCommandQueue(cl->context, cl->id, CL_QUEUE_PROFILING_ENABLE, &code);
    if (!cl->queue) {
        gcal_error_set(err, GCAL_EDEVICE, "open %s: %s", cl->info.name,
                       gcal_opencl_error(code));
        goto fail;
    }
    cl->nvml = gcal_nvml_open(cl->info.pci);
    return cl;
fail:
    gcal_opencl_close(cl);
    return NULL;
}

static void free_buffers(struct gcal_opencl *cl)
{
    for (struct pool_buffer *b; (b = cl->buffers);) {
        cl->buffers = b->next;
        clReleaseMemObject(b->memory);
        free(b);
    }
}

void gcal_opencl_close(struct gcal_opencl *cl)
{
    if (!cl)
        return;
    free_buffers(cl);
    for (struct program *p; (p = cl->programs);) {
        cl->programs = p->next;
        clReleaseProgram(p->program);
        free(p->family);
        free(p->source);
        free(p->build_options);
        free(p);
    }
    if (cl->queue)
        clReleaseCommandQueue(cl->queue);
    if (cl->context)
        clReleaseContext(cl->context);
    gcal_nvml_close(cl->nvml);
    gcal_device_info_clear(&cl->info);
    free(cl);
}

/* ---- programs ---- */

static void build_log(const struct gcal_opencl *cl, cl_program program,
                      struct gcal_error *err)
{
    char log[700] = "";
    size_t size = 0;
    char *whole;

    clGetProgramBuildInfo(program, cl->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    if (size && (whole = calloc(1, size + 1))) {
        clGetProgramBuildInfo(program, cl->id, CL_PROGRAM_BUILD_LOG, size, whole, NULL);
        snprintf(log, sizeof(log), "%s", whole);
        free(whole);
    }
    gcal_error_set(err, GCAL_EDEVICE, "build: %s", *log ? log : "no build log");
}

static struct program *build(struct gcal_opencl *cl, const struct gcal_job *job,
                             struct gcal_error *err)
{
    const char *sources[] = { gcal_tag_prelude, job->source };
    struct program *p = calloc(1, sizeof(*p));
    cl_int code;

    if (!p || !(p->family = strdup(job->family)) || !(p->source = strdup(job->source)) ||
        !(p->build_options = strdup(job->build_options))) {
        gcal_error_memory(err);
        goto fail;
    }
    p->program = clCreateProgramWithSource(cl->context, 2, sources, NULL, &code);
    if (!p->program) {
        gcal_error_set(err, GCAL_EDEVICE, "build: %s", gcal_opencl_error(code));
        goto fail;
    }
    if (clBuildProgram(p->program, 1, &cl->id, p->build_options, NULL, NULL) !=
        CL_SUCCESS) {
        build_log(cl, p->program, err);
        goto fail;
    }
    p->next = cl->programs;
    cl->programs = p;
    return p;
fail:
    if (p && p->program)
        clReleaseProgram(p->program);
    if (p) {
        free(p->family);
        free(p->source);
        free(p->build_options);
    }
    free(p);
    return NULL;
}

static struct program *find_program(struct gcal_opencl *cl, const struct gcal_job *job,
                                    struct gcal_error *err)
{
    for (struct program *p = cl->programs; p; p = p->next)
        if (strcmp(p->family, job->family) == 0 && strcmp(p->source, job->source) == 0 &&
            strcmp(p->build_options, job->build_options) == 0)
            return p;
    return build(cl, job, err);
}

/* ---- buffers ---- */

/* The first chunk comes from the host, the rest is copied from it on the device. */
static cl_int fill_buffer(struct gcal_opencl *cl, cl_mem memory, const char *dtype,
                          size_t size_bytes)
{
    size_t done = size_bytes < FILL_CHUNK_BYTES ? size_bytes : FILL_CHUNK_BYTES;
    void *chunk = malloc(done);
    cl_int code;

    if (!chunk)
        return CL_OUT_OF_HOST_MEMORY;
    gcal_random_fill(FILL_SEED, dtype, done / gcal_dtype_size(dtype), chunk);
    code =
        clEnqueueWriteBuffer(cl->queue, memory, CL_TRUE, 0, done, chunk, 0, NULL, NULL);
    free(chunk);
    while (code == CL_SUCCESS && done < size_bytes) {
        size_t more = done < size_bytes - done ? done : size_bytes - done;

        code =
            clEnqueueCopyBuffer(cl->queue, memory, memory, 0, done, more, 0, NULL, NULL);
        done += more;
    }
    return code == CL_SUCCESS ? clFinish(cl->queue) : code;
}

static size_t arg_bytes(const struct gcal_job_arg *arg)
{
    size_t bytes = (size_t)arg->value * gcal_dtype_size(arg->dtype);

    return bytes ? bytes : gcal_dtype_size(arg->dtype);
}

static cl_int pool_get(struct gcal_opencl *cl, size_t index,
                       const struct gcal_job_arg *arg, cl_mem *memory)
{
    struct pool_buffer **at = &cl->buffers, *b;
    size_t size_bytes = arg_bytes(arg);
    cl_int code;

    for (; (b = *at); at = &b->next)
        if (b->index == index && b->output == arg->output &&
            strcmp(b->dtype, arg->dtype) == 0)
            break;
    if (b && b->size_bytes >= size_bytes) {
        *memory = b->memory;
        return CL_SUCCESS;
    }
    if (b) { /* too small: another one takes its place */
        *at = b->next;
        clReleaseMemObject(b->memory);
    } else if (!(b = calloc(1, sizeof(*b))))
        return CL_OUT_OF_HOST_MEMORY;
    b->index = index;
    b->output = arg->output;
    b->size_bytes = size_bytes;
    snprintf(b->dtype, sizeof(b->dtype), "%s", arg->dtype);
    b->memory = clCreateBuffer(cl->context, CL_MEM_READ_WRITE, size_bytes, NULL, &code);
    if (!b->memory ||
        (code = fill_buffer(cl, b->memory, arg->dtype, size_bytes)) != CL_SUCCESS) {
        if (b->memory)
            clReleaseMemObject(b->memory);
        free(b);
        return code;
    }
    b->next = cl->buffers;
    cl->buffers = b;
    *memory = b->memory;
    return CL_SUCCESS;
}

/* Does the job fit this device? */
static int check_limits(const struct gcal_opencl *cl, const struct gcal_job *job,
                        enum gcal_row_status *status, struct gcal_error *err)
{
    double total = 0, largest = 0, items = 1;

    for (size_t i = 0; i < job->n_args; i++)
        if (job->args[i].kind == GCAL_ARG_BUFFER) {
            total += (double)arg_bytes(&job->args[i]);
            largest = fmax(largest, (double)arg_bytes(&job->args[i]));
        }
    for (size_t i = 0; i < job->n_dims; i++)
        items *= (double)job->local_size[i];
    *status = GCAL_ROW_SKIPPED;
    if (largest > cl->info.max_alloc_bytes ||
        total > MEMORY_SHARE * cl->info.global_memory_bytes)
        return gcal_error_set(err, GCAL_EDEVICE, "needs %.3g GB of device memory",
                              total / 1e9);
    if (items > (double)cl->info.max_work_group_size)
        return gcal_error_set(err, GCAL_EDEVICE,
                              "work-groups of %.0f items, the device takes %llu", items,
                              (unsigned long long)cl->info.max_work_group_size);
    return 0;
}

/* ---- arguments ---- */

static cl_int set_scalar(cl_kernel kernel, cl_uint index, const struct gcal_job_arg *arg)
{
    union {
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
    } value = { 0 };
    size_t size = gcal_dtype_size(arg->dtype);

    if (strcmp(arg->dtype, "float32") == 0)
        value.f32 = (float)arg->value;
    else if (strcmp(arg->dtype, "float64") == 0)
        value.f64 = arg->value;
    else if (*arg->dtype == 'u')
        value.u64 = (uint64_t)arg->value;
    else
        value.i64 = (int64_t)arg->value; /* little-endian: narrower ones are its start */
    return clSetKernelArg(kernel, index, size, &value);
}

/* 'inputs': buffers of the caller's for a check, or NULL for those of the pool. */
static cl_int set_args(struct gcal_opencl *cl, cl_kernel kernel,
                       const struct gcal_job *job, const cl_mem *inputs)
{
    cl_int code = CL_SUCCESS;

    for (size_t i = 0; code == CL_SUCCESS && i < job->n_args; i++) {
        const struct gcal_job_arg *arg = &job->args[i];
        cl_mem memory = inputs ? inputs[i] : NULL;

        if (arg->kind == GCAL_ARG_SCALAR) {
            code = set_scalar(kernel, (cl_uint)i, arg);
            continue;
        }
        if (arg->kind == GCAL_ARG_LOCAL) {
            code = clSetKernelArg(kernel, (cl_uint)i, arg_bytes(arg), NULL);
            continue;
        }
        if (!memory)
            code = pool_get(cl, i, arg, &memory);
        if (code == CL_SUCCESS)
            code = clSetKernelArg(kernel, (cl_uint)i, sizeof(memory), &memory);
    }
    return code;
}

/* A kernel object with its arguments set. */
static cl_kernel bind(struct gcal_opencl *cl, const struct gcal_job *job,
                      const cl_mem *inputs, enum gcal_row_status *status,
                      struct gcal_error *err)
{
    struct program *program;
    cl_kernel kernel;
    cl_int code;

    if (check_limits(cl, job, status, err) < 0)
        return NULL;
    if (!(program = find_program(cl, job, err))) {
        *status = GCAL_ROW_BUILD_FAILED;
        return NULL;
    }
    if (!(kernel = clCreateKernel(program->program, job->entry, &code))) {
        fail(status, GCAL_ROW_BUILD_FAILED, err, job->entry, code);
        return NULL;
    }
    code = set_args(cl, kernel, job, inputs);
    if (code != CL_SUCCESS && !inputs) { /* perhaps the pool's buffers are in the way */
        free_buffers(cl);
        code = set_args(cl, kernel, job, NULL);
    }
    if (code == CL_SUCCESS)
        return kernel;
    clReleaseKernel(kernel);
    fail(status, GCAL_ROW_LAUNCH_FAILED, err, "arguments", code);
    return NULL;
}

/* ---- launching ---- */

/* One launch, waited for; its times. */
static cl_int launch(struct gcal_opencl *cl, cl_kernel kernel, const struct gcal_job *job,
                     cl_ulong *start_ns, cl_ulong *end_ns, double *host_s)
{
    double began_s = gcal_clock_now_s();
    cl_event event;
    cl_int code =
        clEnqueueNDRangeKernel(cl->queue, kernel, (cl_uint)job->n_dims, NULL,
                               job->global_size, job->local_size, 0, NULL, &event);

    if (code != CL_SUCCESS)
        return code;
    code = clWaitForEvents(1, &event);
    *host_s = gcal_clock_now_s() - began_s;
    if (code == CL_SUCCESS)
        code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START,
                                       sizeof(*start_ns), start_ns, NULL);
    if (code == CL_SUCCESS)
        code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(*end_ns),
                                       end_ns, NULL);
    clReleaseEvent(event);
    return code;
}

/* The event's interval lies inside the host's, or its clock is not to be trusted.  Some
 * slack: the two clocks tick at slightly different rates.
 */
static int check_event(cl_ulong start_ns, cl_ulong end_ns, double host_s,
                       struct gcal_error *err)
{
    double event_s = 1e-9 * (double)(end_ns - start_ns);

    if (end_ns < start_ns)
        return gcal_error_set(err, GCAL_EDEVICE, "event ends %.3g s before it starts",
                              1e-9 * (double)(start_ns - end_ns));
    if (end_ns == start_ns)
        return gcal_error_set(err, GCAL_EDEVICE, "event lasts 0 s, the host saw %.3g s",
                              host_s);
    if (event_s > 1.02 * host_s + 20e-6)
        return gcal_error_set(err, GCAL_EDEVICE,
                              "event lasts %.3g s, the host saw %.3g s", event_s, host_s);
    return 0;
}

static int time_launch(struct gcal_opencl *cl, cl_kernel kernel,
                       const struct gcal_job *job, struct gcal_sample *sample,
                       enum gcal_row_status *status, struct gcal_error *err)
{
    cl_ulong start_ns = 0, end_ns = 0;
    cl_int code = launch(cl, kernel, job, &start_ns, &end_ns, &sample->host_s);

    if (code != CL_SUCCESS)
        return fail(status, GCAL_ROW_LAUNCH_FAILED, err, "launch", code);
    if (check_event(start_ns, end_ns, sample->host_s, err) < 0) {
        *status = GCAL_ROW_BAD_EVENTS;
        return -1;
    }
    sample->time_s = 1e-9 * (double)(end_ns - start_ns);
    return 0;
}

int gcal_opencl_prepare(struct gcal_opencl *cl, const struct gcal_job *job,
                        double *time_s, enum gcal_row_status *status,
                        struct gcal_error *err)
{
    cl_kernel kernel = bind(cl, job, NULL, status, err);
    struct gcal_sample sample;
    int rc;

    if (!kernel)
        return -1;
    /* The first launch may compile, touch memory for the first time, wake the clocks. */
    rc = time_launch(cl, kernel, job, &sample, status, err);
    if (rc == 0)
        rc = time_launch(cl, kernel, job, &sample, status, err);
    *time_s = sample.time_s;
    clReleaseKernel(kernel);
    return rc;
}

/* Events that are always a small part of what the host waits tick in another unit. */
static int check_unit(const struct gcal_sample *samples, size_t n, struct gcal_error *err)
{
    double ratio = 0, shortest_s = INFINITY;

    for (size_t i = 0; i < n; i++) {
        ratio = fmax(ratio, samples[i].time_s / samples[i].host_s);
        shortest_s = fmin(shortest_s, samples[i].host_s);
    }
    if (n < 3 || shortest_s < 0.02 || ratio > 0.05)
        return 0;
    return gcal_error_set(err, GCAL_EDEVICE,
                          "events last at most %.2g of the %.3g s that the host waits",
                          ratio, shortest_s);
}

int gcal_opencl_measure(struct gcal_opencl *cl, const struct gcal_job *job, size_t n,
                        struct gcal_sample *samples, enum gcal_row_status *status,
                        struct gcal_error *err)
{
    cl_kernel kernel = bind(cl, job, NULL, status, err);
    struct gcal_sample state;
    int rc = 0;

    if (!kernel)
        return -1;
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = time_launch(cl, kernel, job, &samples[i], status, err);
    /* Read once, after the launches: asking takes longer than many a kernel. */
    gcal_nvml_read(cl->nvml, &state);
    for (size_t i = 0; i < n; i++) {
        samples[i].clock_hz = state.clock_hz;
        samples[i].temperature_c = state.temperature_c;
        samples[i].throttle = state.throttle;
    }
    clReleaseKernel(kernel);
    if (rc == 0 && check_unit(samples, n, err) < 0) {
        *status = GCAL_ROW_BAD_EVENTS;
        rc = -1;
    }
    return rc;
}

/* ---- checking results ---- */

static cl_int make_inputs(struct gcal_opencl *cl, const struct gcal_job *job,
                          uint64_t seed, cl_mem *inputs)
{
    cl_int code = CL_SUCCESS;

    for (size_t i = 0; code == CL_SUCCESS && i < job->n_args; i++) {
        const struct gcal_job_arg *arg = &job->args[i];
        size_t size = arg_bytes(arg);
        void *data;

        if (arg->kind != GCAL_ARG_BUFFER)
            continue;
        if (!(data = malloc(size)))
            return CL_OUT_OF_HOST_MEMORY;
        gcal_random_fill(seed + i, arg->dtype, size / gcal_dtype_size(arg->dtype), data);
        inputs[i] = clCreateBuffer(cl->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   size, data, &code);
        free(data);
    }
    return code;
}

static cl_int read_outputs(struct gcal_opencl *cl, const struct gcal_job *job,
                           const cl_mem *inputs, void **outputs)
{
    cl_int code = CL_SUCCESS;

    for (size_t i = 0; code == CL_SUCCESS && i < job->n_args; i++) {
        size_t size = arg_bytes(&job->args[i]);

        if (job->args[i].kind != GCAL_ARG_BUFFER || !job->args[i].output)
            continue;
        if (!(outputs[i] = malloc(size)))
            return CL_OUT_OF_HOST_MEMORY;
        code = clEnqueueReadBuffer(cl->queue, inputs[i], CL_TRUE, 0, size, outputs[i], 0,
                                   NULL, NULL);
    }
    return code;
}

int gcal_opencl_check(struct gcal_opencl *cl, const struct gcal_job *job, uint64_t seed,
                      void **outputs, enum gcal_row_status *status,
                      struct gcal_error *err)
{
    cl_mem *inputs = calloc(job->n_args + 1, sizeof(*inputs));
    cl_ulong start_ns, end_ns;
    cl_kernel kernel = NULL;
    double host_s;
    cl_int code;
    int rc = -1;

    if (!inputs)
        return gcal_error_memory(err);
    code = make_inputs(cl, job, seed, inputs);
    if (code == CL_SUCCESS && !(kernel = bind(cl, job, inputs, status, err)))
        goto out;
    if (code == CL_SUCCESS)
        code = launch(cl, kernel, job, &start_ns, &end_ns, &host_s);
    if (code == CL_SUCCESS)
        code = read_outputs(cl, job, inputs, outputs);
    rc =
        code == CL_SUCCESS ? 0 : fail(status, GCAL_ROW_LAUNCH_FAILED, err, "check", code);
out:
    if (kernel)
        clReleaseKernel(kernel);
    for (size_t i = 0; i < job->n_args; i++)
        if (inputs[i])
            clReleaseMemObject(inputs[i]);
    free(inputs);
    return rc;
}
