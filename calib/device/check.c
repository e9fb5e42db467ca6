/* check.c - a job on known data, and its outputs */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/model/dtype.h"
#include "calib/device/private.h"

static cl_mem make_buffer(struct gcal_device *cl, size_t size_bytes, void *data,
                          cl_int *code)
{
    return clCreateBuffer(cl->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                          size_bytes, data, code);
}

/* ---- inputs between guard zones ---- */

/* A buffer of a check is the middle of a larger one, whose ends the kernel must not
 * write.  The size is a multiple of every device's alignment of sub-buffers.
 */
#define GUARD_BYTES 4096u

struct guarded {
    cl_mem whole, middle;
    size_t size_bytes; /* of the middle */
};

static cl_int make_guarded(struct gcal_device *cl, const struct gcal_device_job_arg *arg,
                           uint64_t seed, int guard, struct guarded *made)
{
    cl_buffer_region region = { GUARD_BYTES, gcal_device_arg_bytes(arg) };
    size_t whole = region.size + 2 * GUARD_BYTES;
    unsigned char *data = malloc(whole);
    cl_int code;

    if (!data)
        return CL_OUT_OF_HOST_MEMORY;
    memset(data, guard, whole);
    gcal_dtype_fill_range(seed, arg->dtype, &arg->range,
                          region.size / gcal_dtype_size(arg->dtype), data + GUARD_BYTES);
    made->size_bytes = region.size;
    if (arg->channels) /* nothing is written outside an image */
        made->middle = make_buffer(cl, region.size, data + GUARD_BYTES, &code);
    else
        made->whole = make_buffer(cl, whole, data, &code);
    free(data);
    if (made->whole)
        made->middle = clCreateSubBuffer(made->whole, CL_MEM_READ_WRITE,
                                         CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    return code;
}

/* Reads one zone, and gives the number of bytes that changed. */
static cl_int count_changed(struct gcal_device *cl, const struct guarded *guarded,
                            size_t from, int guard, size_t *changed)
{
    unsigned char zone[GUARD_BYTES];
    cl_int code = clEnqueueReadBuffer(cl->queue, guarded->whole, CL_TRUE, from,
                                      sizeof(zone), zone, 0, NULL, NULL);

    *changed = 0;
    for (size_t i = 0; code == CL_SUCCESS && i < sizeof(zone); i++)
        *changed += zone[i] != (unsigned char)guard;
    return code;
}

static int check_guards(struct gcal_device *cl, const struct gcal_device_job *job,
                        const struct guarded *guarded, int guard,
                        enum gcal_measurement_status *status, struct gcal_error *err)
{
    for (size_t i = 0; i < 2 * job->n_args; i++) {
        const struct gcal_device_job_arg *arg = &job->args[i / 2];
        const struct guarded *g = &guarded[i / 2];
        size_t changed = 0;
        cl_int code = g->whole
                          ? count_changed(cl, g, i % 2 ? GUARD_BYTES + g->size_bytes : 0,
                                          guard, &changed)
                          : CL_SUCCESS;

        if (code != CL_SUCCESS)
            return gcal_device_fail(status, err, "guard zones of the check", code);
        if (!changed)
            continue;
        *status = GCAL_MEASUREMENT_WRONG_RESULT;
        return gcal_error_set(err, GCAL_EDEVICE,
                              "it writes %s the %.0f elements of its buffer '%s'",
                              i % 2 ? "after" : "before", arg->value, arg->name);
    }
    return 0;
}

/* ---- transfers, outputs ---- */

/* Returns whether byte i goes to the device. */
static bool is_sent(const struct gcal_device_job_transfer *t, size_t i)
{
    return t->both ? i < t->size_bytes / 2 : t->way == GCAL_FEATURE_TO_DEVICE;
}

/* Random bytes at the source of the transfer, their complements at its destination. */
static cl_int make_transfer(struct gcal_device *cl, const struct gcal_device_job *job,
                            uint64_t seed, cl_mem *device)
{
    const struct gcal_device_job_transfer *t = &job->transfer;
    size_t whole = gcal_device_layout(t).size_bytes;
    unsigned char *bytes, *there, *host;
    cl_int code;

    if (!t->pieces)
        return CL_SUCCESS;
    if ((code = gcal_device_host_enlarge(cl, t)) != CL_SUCCESS)
        return code;
    bytes = malloc(t->size_bytes);
    there = calloc(whole, 1);
    code = CL_OUT_OF_HOST_MEMORY;
    if (bytes && there) {
        gcal_random_bytes(seed, t->size_bytes, bytes);
        host = gcal_device_host(cl, t)->data;
        for (size_t i = 0; i < t->size_bytes; i++) {
            unsigned char other = (unsigned char)~bytes[i];

            host[i] = is_sent(t, i) ? bytes[i] : other;
            /* The place of byte i in the device's buffer. */
            there[t->both && !is_sent(t, i)
                      ? gcal_device_layout(t).back + i - t->size_bytes / 2
                      : i] = is_sent(t, i) ? other : bytes[i];
        }
        *device = make_buffer(cl, whole, there, &code);
    }
    free(bytes);
    free(there);
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

static cl_int read_transfer(struct gcal_device *cl, const struct gcal_device_job *job,
                            cl_mem device, void **output)
{
    const struct gcal_device_job_transfer *t = &job->transfer;

    if (!t->pieces)
        return CL_SUCCESS;
    if (t->way == GCAL_FEATURE_TO_DEVICE && !t->both)
        return read_buffer(cl, device, t->size_bytes, output);
    if (!(*output = malloc(t->size_bytes)))
        return CL_OUT_OF_HOST_MEMORY;
    memcpy(*output, gcal_device_host(cl, t)->data, t->size_bytes);
    return t->both ? clEnqueueReadBuffer(cl->queue, device, CL_TRUE, 0, t->size_bytes / 2,
                                         *output, 0, NULL, NULL)
                   : CL_SUCCESS;
}

/* 'memory': one buffer per argument, borrowed, and one for the transfer. */
static int check(struct gcal_device *cl, const struct gcal_device_job *job, uint64_t seed,
                 int guard, struct guarded *guarded, cl_mem *memory, void **outputs,
                 enum gcal_measurement_status *status, struct gcal_error *err)
{
    size_t n = job->n_args;
    struct gcal_device_bound_job bound;
    cl_int code = CL_SUCCESS;
    int rc;

    for (size_t i = 0; code == CL_SUCCESS && i < job->n_args; i++) {
        if (job->args[i].kind != GCAL_ARG_BUFFER)
            continue;
        code = make_guarded(cl, &job->args[i], seed + i, guard, &guarded[i]);
        memory[i] = guarded[i].middle;
    }
    if (code == CL_SUCCESS)
        code = make_transfer(cl, job, seed + n, &memory[n]);
    if (code != CL_SUCCESS)
        return gcal_device_fail(status, err, "inputs of the check", code);
    if (gcal_device_bind(cl, job, memory, &bound, status, err) < 0)
        return -1;
    rc = gcal_device_run(cl, job, &bound, NULL, status, err);
    for (size_t i = 0; i < n && rc == 0 && code == CL_SUCCESS; i++)
        if (job->args[i].channels && job->args[i].output)
            code = gcal_device_image_store(cl, &job->args[i], bound.images[i], memory[i]);
    gcal_device_unbind(&bound);
    if (code != CL_SUCCESS)
        return gcal_device_fail(status, err, "images of the check", code);
    if (rc < 0 || check_guards(cl, job, guarded, guard, status, err) < 0)
        return -1;
    for (size_t i = 0; code == CL_SUCCESS && i < job->n_args; i++)
        if (job->args[i].kind == GCAL_ARG_BUFFER && job->args[i].output)
            code = read_buffer(cl, memory[i], gcal_device_arg_bytes(&job->args[i]),
                               &outputs[i]);
    if (code == CL_SUCCESS)
        code = read_transfer(cl, job, memory[n], &outputs[n]);
    return code == CL_SUCCESS
               ? 0
               : gcal_device_fail(status, err, "outputs of the check", code);
}

int gcal_device_check(struct gcal_device *cl, const struct gcal_device_job *job,
                      uint64_t seed, int guard, void **outputs,
                      enum gcal_measurement_status *status, struct gcal_error *err)
{
    struct gcal_device_job once = *job;
    struct guarded *guarded;
    cl_mem *memory;
    int rc;

    if (gcal_device_check_memory(cl, job, status, err) < 0)
        return -1;
    *status = GCAL_MEASUREMENT_LAUNCH_FAILED;
    memory = calloc(job->n_args + 1, sizeof(*memory));
    guarded = calloc(job->n_args + 1, sizeof(*guarded));
    once.launches = *job->entry ? 1 : 0;
    rc = memory && guarded
             ? check(cl, &once, seed, guard, guarded, memory, outputs, status, err)
             : gcal_error_memory(err);
    for (size_t i = 0; guarded && i < job->n_args; i++) {
        if (guarded[i].middle)
            clReleaseMemObject(guarded[i].middle);
        if (guarded[i].whole)
            clReleaseMemObject(guarded[i].whole);
    }
    if (memory && memory[job->n_args])
        clReleaseMemObject(memory[job->n_args]);
    free(guarded);
    free(memory);
    return rc;
}
