/* objects.c - what is behind OpenCL's objects: making them, and events of a queue */
#include <stdlib.h>
#include <string.h>

#include "calib/device/cuda/private.h"

void *gcal_cuda_make(cl_device_id device, size_t size, cl_int *code)
{
    const cl_icd_dispatch **object = calloc(1, size);

    if (object)
        *object = device->dispatch;
    if (code)
        *code = object ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    return object;
}

const struct gcal_cuda_api *gcal_cuda_enter(cl_device_id device)
{
    device->api->CtxSetCurrent(device->context);
    return device->api;
}

bool gcal_cuda_is_memory(cl_device_id device, const void *value)
{
    cl_mem memory = device->memories;

    while (memory && memcmp(value, &memory, sizeof(memory)) != 0)
        memory = memory->next;
    return memory;
}

cl_int gcal_cuda_release_event(cl_event event)
{
    const struct gcal_cuda_api *api = gcal_cuda_enter(event->queue->device);

    if (event->begin)
        api->EventDestroy(event->begin);
    if (event->end)
        api->EventDestroy(event->end);
    free(event);
    return CL_SUCCESS;
}

cl_event gcal_cuda_event_begin(cl_command_queue queue, cl_int *code)
{
    const struct gcal_cuda_api *api = queue->device->api;
    cl_event event = gcal_cuda_make(queue->device, sizeof(*event), code);
    int error = 0;

    if (!event)
        return NULL;
    event->queue = queue;
    if (!queue->is_timed)
        error = api->EventRecord(queue->epoch, queue->stream);
    queue->is_timed = true;
    if (error || (error = api->EventCreate(&event->begin, 0)) != 0 ||
        (error = api->EventCreate(&event->end, 0)) != 0 ||
        (error = api->EventRecord(event->begin, queue->stream)) != 0) {
        gcal_cuda_release_event(event);
        *code = gcal_cuda_code(error);
        return NULL;
    }
    return event;
}

cl_int gcal_cuda_event_end(cl_event event)
{
    cl_command_queue queue = event->queue;

    return gcal_cuda_code(queue->device->api->EventRecord(event->end, queue->stream));
}
