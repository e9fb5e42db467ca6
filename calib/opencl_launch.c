/* opencl_launch.c - kernels with their arguments, launches and their times */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/clock.h"
#include "calib/base/error.h"
#include "calib/base/random.h"
#include "calib/opencl_private.h"

/* ---- arguments ---- */

/* A scalar's bytes as the device takes them, little-endian. */
static int scalar_bytes(const struct gcal_job_arg *arg, size_t index,
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
        return gcal_error_set(err, GCAL_EDEVICE, "argument %zu: %.17g is no %s", index,
                              arg->value, arg->dtype);
    return 0;
}

static int set_args(cl_kernel kernel, const struct gcal_job *job, const cl_mem *memory,
                    enum gcal_row_status *status, struct gcal_error *err)
{
    for (size_t i = 0; i < job->n_args; i++) {
        const struct gcal_job_arg *arg = &job->args[i];
        unsigned char bytes[8] = { 0 };
        const void *value = bytes;
        size_t size = gcal_dtype_size(arg->dtype);
        char what[32];
        cl_int code;

        if (arg->kind == GCAL_ARG_BUFFER) {
            value = &memory[i];
            size = sizeof(memory[i]);
        } else if (arg->kind == GCAL_ARG_LOCAL) {
            value = NULL;
            size = gcal_opencl_arg_bytes(arg);
        } else if (scalar_bytes(arg, i, bytes, err) < 0) {
            *status = GCAL_ROW_LAUNCH_FAILED;
            return -1;
        }
        code = clSetKernelArg(kernel, (cl_uint)i, size, value);
        snprintf(what, sizeof(what), "argument %zu", i);
        if (code != CL_SUCCESS)
            return gcal_opencl_fail(status, err, what, code);
    }
    return 0;
}

/* Does the work-group fit?  Asked once the arguments are set.  Not asked for
 * CL_KERNEL_WORK_GROUP_SIZE: NVIDIA's driver says 256 there and runs 1024; a launch that
 * takes too many registers is refused as one.
 */
static int check_group(const struct gcal_opencl *cl, cl_kernel kernel,
                       const struct gcal_job *job, enum gcal_row_status *status,
                       struct gcal_error *err)
{
    double items = 1, most = (double)cl->info.max_work_group_size;
    cl_ulong local_bytes = 0;

    for (size_t i = 0; i < job->n_dims; i++)
        items *= (double)job->local_size[i];
    clGetKernelWorkGroupInfo(kernel, cl->id, CL_KERNEL_LOCAL_MEM_SIZE,
                             sizeof(local_bytes), &local_bytes, NULL);
    *status = GCAL_ROW_SKIPPED;
    if (items > most)
        return gcal_error_set(err, GCAL_EDEVICE,
                              "work-groups of %.0f items, the device takes %.0f", items,
                              most);
    if ((double)local_bytes > cl->info.local_memory_bytes)
        return gcal_error_set(
            err, GCAL_EDEVICE, "needs %llu bytes of local memory, the device has %.0f",
            (unsigned long long)local_bytes, cl->info.local_memory_bytes);
    return 0;
}

static int bind_args(struct gcal_opencl *cl, cl_kernel kernel, const struct gcal_job *job,
                     const cl_mem *inputs, enum gcal_row_status *status,
                     struct gcal_error *err)
{
    cl_mem *memory = NULL;
    int rc = -1;

    if (inputs)
        return set_args(kernel, job, inputs, status, err);
    if (!(memory = calloc(job->n_args + 1, sizeof(*memory)))) {
        *status = GCAL_ROW_LAUNCH_FAILED;
        return gcal_error_memory(err);
    }
    if (gcal_opencl_buffers(cl, job, memory, status, err) == 0)
        rc = set_args(kernel, job, memory, status, err);
    free(memory);
    return rc;
}

/* A kernel object with its arguments set.  'inputs': buffers of the caller's for a check,
 * or NULL for those of the pool.
 */
static cl_kernel bind(struct gcal_opencl *cl, const struct gcal_job *job,
                      const cl_mem *inputs, enum gcal_row_status *status,
                      struct gcal_error *err)
{
    cl_program program;
    cl_kernel kernel;
    cl_int code;

    if (gcal_opencl_check_memory(cl, job, status, err) < 0)
        return NULL;
    *status = GCAL_ROW_BUILD_FAILED;
    if (!(program = gcal_opencl_program(cl, job, err)))
        return NULL;
    if (!(kernel = clCreateKernel(program, job->entry, &code))) {
        gcal_error_set(err, GCAL_EDEVICE, "%s: %s", job->entry, gcal_opencl_error(code));
        return NULL;
    }
    if (bind_args(cl, kernel, job, inputs, status, err) == 0 &&
        check_group(cl, kernel, job, status, err) == 0)
        return kernel;
    clReleaseKernel(kernel);
    return NULL;
}

/* ---- launching ---- */

struct times {
    cl_ulong start_ns, end_ns; /* the event's */
    double host_s;             /* from before the enqueuing to the end of the wait */
};

/* What is behind "an event that was waited for has failed". */
static cl_int event_code(cl_event event, cl_int code)
{
    cl_int state = CL_COMPLETE;

    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state, NULL);
    return state < 0 ? state : code;
}

/* One launch, waited for. */
static int launch(struct gcal_opencl *cl, cl_kernel kernel, const struct gcal_job *job,
                  struct times *times, enum gcal_row_status *status,
                  struct gcal_error *err)
{
    double began_s = gcal_clock_now_s();
    cl_event event;
    cl_int code =
        clEnqueueNDRangeKernel(cl->queue, kernel, (cl_uint)job->n_dims, NULL,
                               job->global_size, job->local_size, 0, NULL, &event);

    if (code != CL_SUCCESS)
        return gcal_opencl_fail(status, err, "launch", code);
    code = clWaitForEvents(1, &event);
    times->host_s = gcal_clock_now_s() - began_s;
    code = event_code(event, code);
    if (code == CL_SUCCESS)
        code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START,
                                       sizeof(times->start_ns), &times->start_ns, NULL);
    if (code == CL_SUCCESS)
        code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END,
                                       sizeof(times->end_ns), &times->end_ns, NULL);
    clReleaseEvent(event);
    if (code == CL_SUCCESS)
        return 0;
    gcal_opencl_fail(status, err, "kernel", code);
    if (code == CL_OUT_OF_RESOURCES) /* once it runs: an access out of bounds */
        *status = GCAL_ROW_LAUNCH_FAILED;
    return -1;
}

/* A kernel shorter than a tick of the device's clock may honestly last 0 s.  The host's
 * interval is longer than the kernel by what a launch costs, which is not known: 100
 * ticks are granted for it, and never more than 100 us.
 */
static bool may_be_zero(double host_s, double tick_s)
{
    return host_s < tick_s + fmin(100 * tick_s, 100e-6);
}

/* The event's interval lies inside the host's, or its clock is not to be trusted.  Some
 * slack: the two clocks tick at slightly different rates.
 */
static int event_time(const struct times *t, double tick_s, double *time_s,
                      struct gcal_error *err)
{
    double event_s = 1e-9 * (double)(t->end_ns - t->start_ns);

    if (t->end_ns < t->start_ns)
        return gcal_error_set(err, GCAL_EDEVICE, "event ends %.3g s before it starts",
                              1e-9 * (double)(t->start_ns - t->end_ns));
    if (t->end_ns == t->start_ns && !may_be_zero(t->host_s, tick_s))
        return gcal_error_set(err, GCAL_EDEVICE, "event lasts 0 s, the host saw %.3g s",
                              t->host_s);
    if (event_s > 1.02 * t->host_s + 20e-6 + tick_s)
        return gcal_error_set(err, GCAL_EDEVICE,
                              "event lasts %.3g s, the host saw %.3g s", event_s,
                              t->host_s);
    *time_s = event_s > 0 ? event_s : tick_s / 2; /* somewhere between 0 and a tick */
    return 0;
}

static int time_launch(struct gcal_opencl *cl, cl_kernel kernel,
                       const struct gcal_job *job, struct gcal_sample *sample,
                       enum gcal_row_status *status, struct gcal_error *err)
{
    struct times times = { 0 };

    if (launch(cl, kernel, job, &times, status, err) < 0)
        return -1;
    sample->host_s = times.host_s;
    if (event_time(&times, cl->info.timer_resolution_s, &sample->time_s, err) == 0)
        return 0;
    *status = GCAL_ROW_BAD_EVENTS;
    return -1;
}

int gcal_opencl_prepare(struct gcal_opencl *cl, const struct gcal_job *job,
                        double *time_s, enum gcal_row_status *status,
                        struct gcal_error *err)
{
    cl_kernel kernel = bind(cl, job, NULL, status, err);
    struct gcal_sample sample = { 0 };
    struct times times;
    int rc;

    if (!kernel)
        return -1;
    /* The first launch may compile, touch memory for the first time, wake the clocks: its
     * times are not looked at.
     */
    rc = launch(cl, kernel, job, &times, status, err);
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
        size_t size = gcal_opencl_arg_bytes(arg);
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
        size_t size = gcal_opencl_arg_bytes(&job->args[i]);

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
    cl_kernel kernel = NULL;
    struct times times;
    cl_mem *inputs;
    cl_int code;
    int rc = -1;

    if (gcal_opencl_check_memory(cl, job, status, err) < 0)
        return -1;
    *status = GCAL_ROW_LAUNCH_FAILED;
    if (!(inputs = calloc(job->n_args + 1, sizeof(*inputs))))
        return gcal_error_memory(err);
    if ((code = make_inputs(cl, job, seed, inputs)) != CL_SUCCESS)
        gcal_opencl_fail(status, err, "inputs of the check", code);
    else if ((kernel = bind(cl, job, inputs, status, err)) &&
             launch(cl, kernel, job, &times, status, err) == 0) {
        code = read_outputs(cl, job, inputs, outputs);
        if (code == CL_SUCCESS)
            rc = 0;
        else
            gcal_opencl_fail(status, err, "outputs of the check", code);
    }
    if (kernel)
        clReleaseKernel(kernel);
    for (size_t i = 0; i < job->n_args; i++)
        if (inputs[i])
            clReleaseMemObject(inputs[i]);
    free(inputs);
    return rc;
}
