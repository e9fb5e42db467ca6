/* check.c - a job on known data, and its outputs */
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/random.h"
#include "calib/model/dtype.h"
#include "calib/device/private.h"

static cl_mem make_buffer(struct gcal_device *cl, size_t size_bytes, void *data,
                          cl_int *code)
{
    return clCreateBuffer(cl->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                          size_bytes, data, code);
}

static cl_int make_inputs(struct gcal_device *cl, const struct gcal_device_job *job,
                          uint64_t seed, cl_mem *inputs)
{
    cl_int code = CL_SUCCESS;

    for (size_t i = 0; code == CL_SUCCESS && i < job->n_args; i++) {
        const struct gcal_device_job_arg *arg = &job->args[i];
        size_t size = gcal_device_arg_bytes(arg);
        void *data;

        if (arg->kind != GCAL_ARG_BUFFER)
            continue;
        if (!(data = malloc(size)))
            return CL_OUT_OF_HOST_MEMORY;
        gcal_dtype_fill(seed + i, arg->dtype, size / gcal_dtype_size(arg->dtype), data);
        inputs[i] = make_buffer(cl, size, data, &code);
        free(data);
    }
    return code;
}

/* Random bytes at the source of the transfer, their complements at its destination. */
static cl_int make_transfer(struct gcal_device *cl, const struct gcal_device_job *job,
                            uint64_t seed, cl_mem *device)
{
    const struct gcal_device_job_transfer *t = &job->transfer;
    unsigned char *sent, *host;
    cl_int code;

    if (!t->pieces)
        return CL_SUCCESS;
    if ((code = gcal_device_host_enlarge(cl, t)) != CL_SUCCESS)
        return code;
    if (!(sent = malloc(t->size_bytes)))
        return CL_OUT_OF_HOST_MEMORY;
    gcal_random_bytes(seed, t->size_bytes, sent);
    host = gcal_device_host(cl, t)->data;
    for (size_t i = 0; i < t->size_bytes; i++)
        host[i] = t->way == GCAL_FEATURE_TO_DEVICE ? sent[i] : (unsigned char)~sent[i];
    for (size_t i = 0; t->way == GCAL_FEATURE_TO_DEVICE && i < t->size_bytes; i++)
        sent[i] = (unsigned char)~sent[i];
    *device = make_buffer(cl, t->size_bytes, sent, &code);
    free(sent);
    return code;
}

static cl_int read_buffer(struct gcal_device *cl, cl_mem memory, size_t size_bytes,
                          void **output)
{
    if (!(*output = malloc(size_bytes)))
        return CL_OUT_OF_HOST_MEMORY;
    return clEnqueueReadBuffer(cl->queue, memory, CL_TRUE, 0, size_bytes, *output, 0,
                               NULL, NULL);
}

static cl_int read_outputs(struct gcal_device *cl, const struct gcal_device_job *job,
                           const cl_mem *inputs, void **outputs)
{
    cl_int code = CL_SUCCESS;

    for (size_t i = 0; code == CL_SUCCESS && i < job->n_args; i++)
        if (job->args[i].kind == GCAL_ARG_BUFFER && job->args[i].output)
            code = read_buffer(cl, inputs[i], gcal_device_arg_bytes(&job->args[i]),
                               &outputs[i]);
    return code;
}

static cl_int read_transfer(struct gcal_device *cl, const struct gcal_device_job *job,
                            cl_mem device, void **output)
{
    const struct gcal_device_job_transfer *t = &job->transfer;

    if (!t->pieces)
        return CL_SUCCESS;
    if (t->way == GCAL_FEATURE_TO_DEVICE)
        return read_buffer(cl, device, t->size_bytes, output);
    if (!(*output = malloc(t->size_bytes)))
        return CL_OUT_OF_HOST_MEMORY;
    memcpy(*output, gcal_device_host(cl, t)->data, t->size_bytes);
    return CL_SUCCESS;
}

/* 'memory': one buffer per argument, one for the transfer. */
static int check(struct gcal_device *cl, const struct gcal_device_job *job, uint64_t seed,
                 cl_mem *memory, void **outputs, enum gcal_measurement_status *status,
                 struct gcal_error *err)
{
    size_t n = job->n_args;
    struct gcal_device_bound_job bound;
    cl_int code = make_inputs(cl, job, seed, memory);
    int rc;

    if (code == CL_SUCCESS)
        code = make_transfer(cl, job, seed + n, &memory[n]);
    if (code != CL_SUCCESS)
        return gcal_device_fail(status, err, "inputs of the check", code);
    if (gcal_device_bind(cl, job, memory, &bound, status, err) < 0)
        return -1;
    rc = gcal_device_run(cl, job, &bound, NULL, status, err);
    gcal_device_unbind(&bound);
    if (rc < 0)
        return -1;
    code = read_outputs(cl, job, memory, outputs);
    if (code == CL_SUCCESS)
        code = read_transfer(cl, job, memory[n], &outputs[n]);
    return code == CL_SUCCESS
               ? 0
               : gcal_device_fail(status, err, "outputs of the check", code);
}

int gcal_device_check(struct gcal_device *cl, const struct gcal_device_job *job,
                      uint64_t seed, void **outputs, enum gcal_measurement_status *status,
                      struct gcal_error *err)
{
    struct gcal_device_job once = *job;
    cl_mem *memory;
    int rc;

    if (gcal_device_check_memory(cl, job, status, err) < 0)
        return -1;
    *status = GCAL_MEASUREMENT_LAUNCH_FAILED;
    if (!(memory = calloc(job->n_args + 1, sizeof(*memory))))
        return gcal_error_memory(err);
    once.launches = *job->entry ? 1 : 0;
    rc = check(cl, &once, seed, memory, outputs, status, err);
    for (size_t i = 0; i <= job->n_args; i++)
        if (memory[i])
            clReleaseMemObject(memory[i]);
    free(memory);
    return rc;
}
