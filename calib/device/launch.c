/* launch.c - setting arguments, preparing and measuring kernels */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "calib/device/private.h"

/* ---- arguments ---- */

/* The bytes of a scalar argument, little-endian. */
static int scalar_bytes(const struct gcal_device_job_arg *arg, size_t index,
                        unsigned char bytes[8], struct gcal_error *err)
{
    size_t size = gcal_dtype_size(arg->dtype);
    bool is_signed = *arg->dtype == 'i';
    double end = ldexp(1, (int)(8 * size) - is_signed), start = is_signed ? -end : 0;
    float narrow;
    uint64_t whole;

    if (strcmp(arg->dtype, "float16") == 0)
        return gcal_error_set(err, GCAL_EDEVICE,
                              "argument %zu: scalars of float16 are not supported, use "
                              "float32",
                              index);
    if (strcmp(arg->dtype, "float64") == 0)
        memcpy(bytes, &arg->value, size);
    else if (strcmp(arg->dtype, "float32") == 0) {
        narrow = (float)arg->value;
        memcpy(bytes, &narrow, size);
    } else if (arg->value >= start && arg->value < end &&
               floor(arg->value) == arg->value) {
        whole = arg->value < 0 ? (uint64_t)(int64_t)arg->value : (uint64_t)arg->value;
        memcpy(bytes, &whole, size);
    } else
        return gcal_error_set(err, GCAL_EDEVICE,
                              "argument %zu: %.17g is not a value of %s", index,
                              arg->value, arg->dtype);
    return 0;
}

/* The bytes of a structure, from the members that follow it; the caller's to free. */
static void *struct_bytes(const struct gcal_device_job *job, size_t at,
                          struct gcal_error *err)
{
    size_t size = (size_t)job->args[at].value;
    unsigned char *bytes = calloc(size, 1), number[8];

    if (!bytes)
        gcal_error_memory(err);
    for (size_t i = at + 1; bytes && i < job->n_args && job->args[i].member; i++) {
        const struct gcal_device_job_arg *arg = &job->args[i];
        size_t width = gcal_dtype_size(arg->dtype);

        if (arg->offset <= size && width <= size - arg->offset &&
            scalar_bytes(arg, i, number, err) == 0) {
            memcpy(bytes + arg->offset, number, width);
            continue;
        }
        if (arg->offset > size || width > size - arg->offset)
            gcal_error_set(err, GCAL_EDEVICE, "'%s' is not within the structure '%s'",
                           arg->name, job->args[at].name);
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

/* Members have no place of their own among the kernel's arguments. */
static int set_args(cl_kernel kernel, const struct gcal_device_job *job,
                    const cl_mem *memory, const struct gcal_device_bound_job *bound,
                    enum gcal_measurement_status *status, struct gcal_error *err)
{
    cl_uint place = 0;

    for (size_t i = 0; i < job->n_args; i++) {
        const struct gcal_device_job_arg *arg = &job->args[i];
        unsigned char bytes[8] = { 0 };
        const void *value = bytes;
        void *structure = NULL;
        size_t size = gcal_dtype_size(arg->dtype);
        char what[32];
        cl_int code;

        if (arg->member)
            continue;
        if (arg->kind == GCAL_ARG_BUFFER) {
            value = bound->images[i] ? &bound->images[i] : &memory[i];
            size = sizeof(memory[i]);
        } else if (arg->kind == GCAL_ARG_LOCAL) {
            value = NULL;
            size = gcal_device_arg_bytes(arg);
        } else if (arg->kind == GCAL_ARG_SAMPLER) {
            value = &bound->samplers[i];
            size = sizeof(bound->samplers[i]);
        } else if (arg->kind == GCAL_ARG_STRUCT
                       ? !(value = structure = struct_bytes(job, i, err))
                       : scalar_bytes(arg, i, bytes, err) < 0) {
            *status = GCAL_MEASUREMENT_LAUNCH_FAILED;
            return -1;
        }
        if (structure)
            size = (size_t)arg->value;
        code = clSetKernelArg(kernel, place++, size, value);
        free(structure);
        snprintf(what, sizeof(what), "argument %zu", i);
        if (code != CL_SUCCESS)
            return gcal_device_fail(status, err, what, code);
    }
    return 0;
}

/* Returns whether the work-group fits; call it after the arguments are set.
 * CL_KERNEL_WORK_GROUP_SIZE is not queried: NVIDIA's driver returns 256 but runs 1024, and refuses
 * launches that need too many registers.  Nor is CL_KERNEL_LOCAL_MEM_SIZE: the same driver returns
 * 4 bytes more than the kernel has, which may exceed the limit. /
 */
static int check_group(const struct gcal_device *cl, const struct gcal_device_job *job,
                       enum gcal_measurement_status *status, struct gcal_error *err)
{
    double items = 1, most = (double)cl->info.max_work_group_size;

    for (size_t i = 0; i < job->n_dims; i++)
        items *= (double)job->local_size[i];
    *status = GCAL_MEASUREMENT_SKIPPED;
    if (items > most)
        return gcal_error_set(err, GCAL_EDEVICE,
                              "work-groups of %.0f items, the device takes %.0f", items,
                              most);
    return 0;
}

/* The kernel object with its arguments set. */
static cl_kernel bind_kernel(struct gcal_device *cl, const struct gcal_device_job *job,
                             const cl_mem *memory, struct gcal_device_bound_job *bound,
                             enum gcal_measurement_status *status, struct gcal_error *err)
{
    cl_kernel kernel = gcal_device_kernel(cl, job, &bound->program, err);

    *status = GCAL_MEASUREMENT_BUILD_FAILED;
    if (!kernel)
        return NULL;
    if (set_args(kernel, job, memory, bound, status, err) == 0 &&
        check_group(cl, job, status, err) == 0)
        return kernel;
    clReleaseKernel(kernel);
    return NULL;
}

/* Two queues may use parts of a buffer at once that do not overlap, but not the buffer. */
static cl_int divide(const struct gcal_device_job *job,
                     struct gcal_device_bound_job *bound)
{
    size_t half = job->transfer.size_bytes / 2;
    const cl_buffer_region regions[] = {
        { 0, half }, { gcal_device_layout(&job->transfer).back, half }
    };
    cl_int code = CL_SUCCESS;

    for (int i = 0; i < 2 && code == CL_SUCCESS; i++)
        bound->parts[i] =
            clCreateSubBuffer(bound->device, CL_MEM_READ_WRITE,
                              CL_BUFFER_CREATE_TYPE_REGION, &regions[i], &code);
    return code;
}

static int make_images(struct gcal_device *cl, const struct gcal_device_job *job,
                       const cl_mem *memory, struct gcal_device_bound_job *bound,
                       enum gcal_measurement_status *status, struct gcal_error *err)
{
    bound->images = calloc(job->n_args + 1, sizeof(*bound->images));
    bound->samplers = calloc(job->n_args + 1, sizeof(*bound->samplers));
    if (!bound->images || !bound->samplers)
        return gcal_device_fail(status, err, "images", CL_OUT_OF_HOST_MEMORY);
    bound->n_images = job->n_args;
    for (size_t i = 0; i < job->n_args; i++) {
        const struct gcal_device_job_arg *arg = &job->args[i];
        cl_int code = CL_SUCCESS;

        if (arg->channels)
            bound->images[i] = gcal_device_image_create(cl, arg, memory[i], &code);
        else if (arg->kind == GCAL_ARG_SAMPLER)
            bound->samplers[i] = gcal_device_sampler_create(cl, arg, &code);
        if (code != CL_SUCCESS)
            return gcal_device_image_fail(cl, arg, code, status, err);
    }
    return 0;
}

int gcal_device_bind(struct gcal_device *cl, const struct gcal_device_job *job,
                     const cl_mem *memory, struct gcal_device_bound_job *bound,
                     enum gcal_measurement_status *status, struct gcal_error *err)
{
    bool two = job->transfer.pieces && (*job->entry || job->transfer.both);
    cl_int code = CL_SUCCESS;

    *bound = (struct gcal_device_bound_job){ .device = memory[job->n_args] };
    if (two && !cl->copies)
        cl->copies =
            clCreateCommandQueue(cl->context, cl->id, CL_QUEUE_PROFILING_ENABLE, &code);
    if (code != CL_SUCCESS)
        return gcal_device_fail(status, err, "second queue", code);
    if (job->transfer.pieces && job->transfer.both &&
        (code = divide(job, bound)) != CL_SUCCESS) {
        gcal_device_unbind(bound);
        return gcal_device_fail(status, err, "parts of the buffer for copies", code);
    }
    if (!*job->entry)
        return 0;
    if (make_images(cl, job, memory, bound, status, err) == 0 &&
        (bound->kernel = bind_kernel(cl, job, memory, bound, status, err)))
        return 0;
    gcal_device_unbind(bound);
    return -1;
}

void gcal_device_unbind(struct gcal_device_bound_job *bound)
{
    for (int i = 0; i < 2; i++)
        if (bound->parts[i])
            clReleaseMemObject(bound->parts[i]);
    for (size_t i = 0; i < bound->n_images; i++)
        if (bound->images[i])
            clReleaseMemObject(bound->images[i]);
    for (size_t i = 0; i < bound->n_images; i++)
        if (bound->samplers[i])
            clReleaseSampler(bound->samplers[i]);
    free(bound->images);
    free(bound->samplers);
    if (bound->kernel)
        clReleaseKernel(bound->kernel);
    *bound = (struct gcal_device_bound_job){ 0 };
}

int gcal_device_bind_pool(struct gcal_device *cl, const struct gcal_device_job *job,
                          struct gcal_device_bound_job *bound,
                          enum gcal_measurement_status *status, struct gcal_error *err)
{
    cl_mem *memory;
    int rc = -1;

    if (gcal_device_check_memory(cl, job, status, err) < 0)
        return -1;
    if (!(memory = calloc(job->n_args + 1, sizeof(*memory)))) {
        *status = GCAL_MEASUREMENT_LAUNCH_FAILED;
        return gcal_error_memory(err);
    }
    if (gcal_device_buffers(cl, job, memory, status, err) == 0)
        rc = gcal_device_bind(cl, job, memory, bound, status, err);
    free(memory);
    return rc;
}

/* ---- running ---- */

int gcal_device_prepare(struct gcal_device *cl, const struct gcal_device_job *job,
                        const struct gcal_device_job *next, bool asks_built,
                        struct gcal_device_prepared *prepared,
                        enum gcal_measurement_status *status, struct gcal_error *err)
{
    struct gcal_device_bound_job bound;
    struct gcal_measurement_sample sample = { 0 };
    int rc;

    if (gcal_device_bind_pool(cl, job, &bound, status, err) < 0)
        return -1;
    if (next)
        gcal_device_load(cl, next);
    /* The first run may compile, touch memory for the first time, raise the clocks: it is
     * not timed.
     */
    rc = gcal_device_run(cl, job, &bound, NULL, status, err);
    if (rc == 0)
        rc = gcal_device_run(cl, job, &bound, &sample, status, err);
    *prepared = (struct gcal_device_prepared){
        .time_s = sample.time_s, .build_s = bound.program ? bound.program->build_s : 0
    };
    if (rc == 0 && bound.kernel && asks_built)
        prepared->built =
            gcal_device_ask_built(cl, bound.program, bound.kernel, job->entry);
    gcal_device_unbind(&bound);
    return rc;
}

/* Events that always last a small share of the host's interval are in a wrong unit. */
static int check_unit(const struct gcal_measurement_sample *samples, size_t n,
                      struct gcal_error *err)
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

int gcal_device_measure(struct gcal_device *cl, const struct gcal_device_job *job,
                        size_t n, struct gcal_measurement_sample *samples,
                        enum gcal_measurement_status *status, struct gcal_error *err)
{
    struct gcal_device_bound_job bound;
    struct gcal_measurement_sample state;
    int rc = 0;

    gcal_device_load_end(cl);
    if (gcal_device_bind_pool(cl, job, &bound, status, err) < 0)
        return -1;
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = gcal_device_run(cl, job, &bound, &samples[i], status, err);
    /* Read once, after the runs: a query takes longer than many kernels. */
    gcal_device_nvml_read(cl->nvml, &state);
    for (size_t i = 0; i < n; i++) {
        samples[i].clock_hz = state.clock_hz;
        samples[i].temperature_c = state.temperature_c;
        samples[i].throttle = state.throttle;
    }
    gcal_device_unbind(&bound);
    if (rc == 0 && check_unit(samples, n, err) < 0) {
        *status = GCAL_MEASUREMENT_BAD_EVENTS;
        rc = -1;
    }
    return rc;
}
