/* transfer.c - copies between host and device */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/random.h"
#include "calib/device/private.h"

#define PAGE_BYTES 4096
#define FILL_SEED  20261122u

/* ---- host memory ---- */

struct gcal_device_host *gcal_device_host(struct gcal_device *cl,
                                          const struct gcal_device_job_transfer *transfer)
{
    return transfer->host == GCAL_FEATURE_PINNED ? &cl->pinned : &cl->pageable;
}

void gcal_device_host_free(struct gcal_device *cl, struct gcal_device_host *host)
{
    if (host->memory) {
        if (host->data)
            clEnqueueUnmapMemObject(cl->queue, host->memory, host->data, 0, NULL, NULL);
        clFinish(cl->queue);
        clReleaseMemObject(host->memory);
    } else
        free(host->data);
    *host = (struct gcal_device_host){ 0 };
}

cl_int gcal_device_host_enlarge(struct gcal_device *cl,
                                const struct gcal_device_job_transfer *transfer)
{
    struct gcal_device_host *host = gcal_device_host(cl, transfer);
    size_t size_bytes = (transfer->size_bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    cl_int code = CL_SUCCESS;

    if (host->size_bytes >= transfer->size_bytes)
        return CL_SUCCESS;
    gcal_device_host_free(cl, host);
    if (host == &cl->pinned) {
        /* Drivers pin host memory that they allocate themselves; it stays mapped. */
        cl->pinned.memory =
            clCreateBuffer(cl->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                           size_bytes, NULL, &code);
        if (cl->pinned.memory)
            cl->pinned.data = clEnqueueMapBuffer(cl->queue, cl->pinned.memory, CL_TRUE,
                                                 CL_MAP_READ | CL_MAP_WRITE, 0,
                                                 size_bytes, 0, NULL, NULL, &code);
    } else if (!(host->data = aligned_alloc(PAGE_BYTES, size_bytes)))
        code = CL_OUT_OF_HOST_MEMORY;
    if (code != CL_SUCCESS) {
        gcal_device_host_free(cl, host);
        return code;
    }
    gcal_random_bytes(FILL_SEED, size_bytes, host->data);
    host->size_bytes = size_bytes;
    return CL_SUCCESS;
}

/* ---- copies ---- */

struct gcal_device_layout gcal_device_layout(const struct gcal_device_job_transfer *t)
{
    size_t half = t->size_bytes / 2,
           back = t->both ? (half + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES : 0;

    return (struct gcal_device_layout){ t->both ? back + half : t->size_bytes, back };
}

/* Copies one piece: the device's buffer is mapped, copied by the host, and unmapped. */
static cl_int copy_mapped(cl_command_queue queue, enum gcal_feature_copy_direction way,
                          cl_mem device, size_t offset, size_t size_bytes,
                          unsigned char *host, cl_event *mapped, cl_event *unmapped)
{
    bool write = way == GCAL_FEATURE_TO_DEVICE;
    cl_int code;
    void *data = clEnqueueMapBuffer(queue, device, CL_TRUE,
                                    write ? CL_MAP_WRITE_INVALIDATE_REGION : CL_MAP_READ,
                                    offset, size_bytes, 0, NULL, mapped, &code);

    if (!data)
        return code;
    memcpy(write ? data : host + offset, write ? host + offset : data, size_bytes);
    return clEnqueueUnmapMemObject(queue, device, data, 0, NULL, unmapped);
}

cl_int gcal_device_copy(cl_command_queue queue,
                        const struct gcal_device_job_transfer *transfer, cl_mem device,
                        unsigned char *host, cl_event *first, cl_event *last)
{
    size_t size_bytes = transfer->size_bytes / transfer->pieces;
    cl_int code = CL_SUCCESS;

    for (size_t i = 0; code == CL_SUCCESS && i < transfer->pieces; i++) {
        size_t offset = i * size_bytes;
        bool is_last = i + 1 == transfer->pieces;
        cl_event *event = is_last ? last : i == 0 ? first : NULL;

        if (transfer->host == GCAL_FEATURE_MAPPED)
            code = copy_mapped(queue, transfer->way, device, offset, size_bytes, host,
                               i == 0 ? first : NULL, is_last ? last : NULL);
        else if (transfer->way == GCAL_FEATURE_TO_DEVICE)
            code = clEnqueueWriteBuffer(queue, device, CL_FALSE, offset, size_bytes,
                                        host + offset, 0, NULL, event);
        else
            code = clEnqueueReadBuffer(queue, device, CL_FALSE, offset, size_bytes,
                                       host + offset, 0, NULL, event);
    }
    return code;
}
