/* buffers.c - the buffers that all kernels of a device share */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "calib/device/private.h"

/* Random numbers from the host; the rest of a buffer is copied from them.  A size sweep
 * fills its buffers at each size, and random numbers take 10 ms for 8 MiB of floats, 40
 * ms for as many bytes.
 */
#define FILL_CHUNK_BYTES (1u << 20)
/* Where the values have a range, they may be positions: few distinct ones would come from
 * caches.
 */
#define FILL_RANGE_BYTES (1u << 26)
#define FILL_SEED        20261121u

/* Share of the device's memory for all buffers. */
#define DEVICE_SHARE 0.8
/* Share of the host's free memory: a process that exceeds it is killed, not refused. */
#define HOST_SHARE 0.5

size_t gcal_device_arg_bytes(const struct gcal_device_job_arg *arg)
{
    size_t bytes = (size_t)arg->value * gcal_dtype_size(arg->dtype);

    return bytes ? bytes : gcal_dtype_size(arg->dtype);
}

/* ---- limits ---- */

/* Memory that Linux could give to a process now; infinite if unknown. */
static double host_free_bytes(void)
{
    FILE *file = fopen("/proc/meminfo", "re");
    double kib = INFINITY;
    char line[128];

    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "MemAvailable: %lf", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return 1024 * kib;
}

/* A buffer of the pool that a job needs. */
struct need {
    size_t index, size_bytes;
    const char *dtype;
    struct gcal_dtype_range range;
    bool output;
};

/* Index of the buffer for transfers. */
#define TRANSFERS SIZE_MAX

/* The need of argument 'i', or of the transfer after the last argument; false: none. */
static bool get_need(const struct gcal_device_job *job, size_t i, struct need *need)
{
    const struct gcal_device_job_arg *arg = i < job->n_args ? &job->args[i] : NULL;

    if (!arg) {
        *need = (struct need){ TRANSFERS,
                               gcal_device_layout(&job->transfer).size_bytes,
                               "uint8",
                               { NAN, NAN, false, NULL },
                               false };
        return job->transfer.pieces > 0;
    }
    if (arg->kind != GCAL_ARG_BUFFER)
        return false;
    *need = (struct need){ i, gcal_device_arg_bytes(arg), arg->dtype, arg->range,
                           arg->output };
    return true;
}

/* Host memory for transfers. */
static double host_bytes(const struct gcal_device *cl)
{
    return (double)cl->pageable.size_bytes + (double)cl->pinned.size_bytes;
}

/* Bytes that can be released for others. */
static double pool_bytes(const struct gcal_device *cl)
{
    double sum = cl->shares_host_memory ? host_bytes(cl) : 0;

    for (const struct gcal_device_buffer *b = cl->buffers; b; b = b->next)
        sum += (double)b->size_bytes;
    return sum;
}

/* For all buffers, those of the pool included. */
static double limit_bytes(const struct gcal_device *cl)
{
    double limit = DEVICE_SHARE * cl->info.global_memory_bytes;

    if (cl->shares_host_memory)
        limit = fmin(limit, HOST_SHARE * (host_free_bytes() + pool_bytes(cl)));
    return limit;
}

int gcal_device_check_memory(const struct gcal_device *cl,
                             const struct gcal_device_job *job,
                             enum gcal_measurement_status *status, struct gcal_error *err)
{
    double copied = (double)job->transfer.size_bytes;
    double total = cl->shares_host_memory ? 2 * copied : copied, largest = copied;
    double local = 0, limit = limit_bytes(cl);

    *status = GCAL_MEASUREMENT_LAUNCH_FAILED;
    for (size_t i = 0; i < job->n_args; i++) {
        const struct gcal_device_job_arg *arg = &job->args[i];
        double bytes = arg->value * (double)gcal_dtype_size(arg->dtype);

        if (arg->kind == GCAL_ARG_SCALAR || arg->kind >= GCAL_ARG_STRUCT)
            continue;
        if (!(bytes >= 0 && bytes < 0x1p62))
            return gcal_error_set(err, GCAL_EDEVICE, "argument %zu: %g elements", i,
                                  arg->value);
        if (arg->kind == GCAL_ARG_LOCAL) {
            local += bytes;
            continue;
        }
        total +=
            arg->channels ? 2 * bytes : bytes; /* an image, and what it is made from */
        largest = fmax(largest, bytes);
    }
    *status = GCAL_MEASUREMENT_SKIPPED;
    if (largest > cl->info.max_alloc_bytes)
        return gcal_error_set(err, GCAL_EDEVICE,
                              "a buffer of %.3g GB exceeds the device's limit of %.3g GB",
                              largest / 1e9, cl->info.max_alloc_bytes / 1e9);
    if (total > limit)
        return gcal_error_set(err, GCAL_EDEVICE,
                              "needs %.3g GB of device memory, the limit is %.3g GB",
                              total / 1e9, limit / 1e9);
    if (copied > HOST_SHARE * (host_free_bytes() + host_bytes(cl)))
        return gcal_error_set(err, GCAL_EDEVICE,
                              "needs %.3g GB of host memory, %.3g GB are available",
                              copied / 1e9, (host_free_bytes() + host_bytes(cl)) / 1e9);
    if (local > cl->info.local_memory_bytes)
        return gcal_error_set(err, GCAL_EDEVICE,
                              "needs %.0f bytes of local memory, the device has %.0f",
                              local, cl->info.local_memory_bytes);
    return 0;
}

/* ---- the pool ---- */

/* The first chunk comes from the host; the rest is copied from it on the device. */
static cl_int fill_buffer(struct gcal_device *cl, cl_mem memory,
                          const struct gcal_device_buffer *b, size_t size_bytes)
{
    size_t most = isnan(b->range.first) ? FILL_CHUNK_BYTES
                  : b->range.sorted     ? size_bytes
                                        : FILL_RANGE_BYTES;
    size_t whole = gcal_dtype_size(b->dtype) *
                   (b->members ? gcal_dtype_members_size(b->members) : 1);
    size_t done = size_bytes < most ? size_bytes : most / whole * whole;
    void *chunk = malloc(done);
    cl_int code;

    if (!chunk)
        return CL_OUT_OF_HOST_MEMORY;
    gcal_dtype_fill_range(FILL_SEED, b->dtype, &b->range,
                          done / gcal_dtype_size(b->dtype), chunk);
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

static void release(struct gcal_device_buffer *b)
{
    if (b->memory)
        clReleaseMemObject(b->memory);
    b->memory = NULL;
    b->size_bytes = 0;
}

void gcal_device_buffers_free(struct gcal_device *cl)
{
    gcal_device_host_free(cl, &cl->pageable);
    gcal_device_host_free(cl, &cl->pinned);
    for (struct gcal_device_buffer *b; (b = cl->buffers);) {
        cl->buffers = b->next;
        release(b);
        free(b->members);
        free(b);
    }
}

static bool are_same(const struct gcal_dtype_range *a, const struct gcal_dtype_range *b)
{
    if (!a->members != !b->members || (a->members && strcmp(a->members, b->members) != 0))
        return false;
    return isnan(a->first)
               ? isnan(b->first)
               : a->first == b->first && a->last == b->last && a->sorted == b->sorted;
}

/* A matching buffer, perhaps without memory; NULL if the host is out of memory. */
static struct gcal_device_buffer *find(struct gcal_device *cl, const struct need *need)
{
    struct gcal_device_buffer *b = cl->buffers;

    while (b &&
           (b->index != need->index || b->output != need->output ||
            strcmp(b->dtype, need->dtype) != 0 || !are_same(&b->range, &need->range)))
        b = b->next;
    if (b || !(b = calloc(1, sizeof(*b))))
        return b;
    b->index = need->index;
    b->output = need->output;
    b->range = need->range;
    if (need->range.members && !(b->members = strdup(need->range.members))) {
        free(b);
        return NULL;
    }
    b->range.members = b->members;
    snprintf(b->dtype, sizeof(b->dtype), "%s", need->dtype);
    b->next = cl->buffers;
    cl->buffers = b;
    return b;
}

/* What is released to make room for a job. */
enum give_up { NOTHING, BUFFERS_OF_OTHERS, ALL };

static void make_room(struct gcal_device *cl, const struct gcal_device_job *job,
                      enum give_up give_up)
{
    struct gcal_device_host *mine = gcal_device_host(cl, &job->transfer);
    struct gcal_device_host *other = mine == &cl->pinned ? &cl->pageable : &cl->pinned;

    if (give_up)
        gcal_device_host_free(cl, other);
    if (give_up == ALL || (give_up && !job->transfer.pieces))
        gcal_device_host_free(cl, mine);
    for (struct gcal_device_buffer *b = cl->buffers; b && give_up; b = b->next)
        if (give_up == ALL || b->job != cl->n_jobs)
            release(b);
}

static cl_int enlarge(struct gcal_device *cl, struct gcal_device_buffer *b,
                      size_t size_bytes)
{
    cl_int code;

    release(b);
    b->memory = clCreateBuffer(cl->context, CL_MEM_READ_WRITE, size_bytes, NULL, &code);
    if (!b->memory)
        return code;
    /* Drivers that allocate late fail here. */
    code = fill_buffer(cl, b->memory, b, size_bytes);
    if (code == CL_SUCCESS)
        b->size_bytes = size_bytes;
    else
        release(b);
    return code;
}

static cl_int get_all(struct gcal_device *cl, const struct gcal_device_job *job,
                      cl_mem *memory)
{
    cl_int code = CL_SUCCESS;

    for (size_t i = 0; code == CL_SUCCESS && i <= job->n_args; i++) {
        struct gcal_device_buffer *b;
        struct need need;

        if (!get_need(job, i, &need))
            continue;
        if (!(b = find(cl, &need)))
            return CL_OUT_OF_HOST_MEMORY;
        if (b->size_bytes < need.size_bytes)
            code = enlarge(cl, b, need.size_bytes);
        memory[i] = b->memory;
    }
    if (code == CL_SUCCESS && job->transfer.pieces)
        code = gcal_device_host_enlarge(cl, &job->transfer);
    return code;
}

/* Marks the job's buffers.  Returns the size of the pool including the job's needs, or a
 * negative number if the host is out of memory.
 */
static double mark(struct gcal_device *cl, const struct gcal_device_job *job)
{
    double more = 0;

    cl->n_jobs++;
    for (size_t i = 0; i <= job->n_args; i++) {
        struct gcal_device_buffer *b;
        struct need need;

        if (!get_need(job, i, &need))
            continue;
        if (!(b = find(cl, &need)))
            return -1;
        b->job = cl->n_jobs;
        more += fmax(0, (double)need.size_bytes - (double)b->size_bytes);
    }
    if (job->transfer.pieces && cl->shares_host_memory)
        more += fmax(0, (double)job->transfer.size_bytes -
                            (double)gcal_device_host(cl, &job->transfer)->size_bytes);
    return pool_bytes(cl) + more;
}

int gcal_device_buffers(struct gcal_device *cl, const struct gcal_device_job *job,
                        cl_mem *memory, enum gcal_measurement_status *status,
                        struct gcal_error *err)
{
    double limit = limit_bytes(cl), needed;
    cl_int code = CL_OUT_OF_HOST_MEMORY;

    for (int give_up = NOTHING; give_up <= ALL; give_up++) {
        make_room(cl, job, (enum give_up)give_up);
        if ((needed = mark(cl, job)) < 0)
            break;
        if (needed > limit && give_up < ALL)
            continue;
        code = get_all(cl, job, memory);
        if (!gcal_device_is_shortage(code))
            break;
    }
    return code == CL_SUCCESS ? 0 : gcal_device_fail(status, err, "buffers", code);
}
