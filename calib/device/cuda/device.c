/* device.c - OpenCL's contexts, queues, buffers and events, as CUDA's */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "calib/device/cuda/private.h"

enum { STREAM_NON_BLOCKING = 1 };

static const cl_icd_dispatch dispatch;

/* ---- the device ---- */

static const char *name(enum gcal_source_language language)
{
    return language == GCAL_SOURCE_HIP ? "HIP" : "CUDA";
}

cl_device_id gcal_cuda_device(enum gcal_source_language language, const char *pci,
                              struct gcal_error *err)
{
    const struct gcal_cuda_api *api = gcal_cuda_api(language, err);
    cl_device_id device;
    int error;

    if (!api)
        return NULL;
    if (!*pci) {
        gcal_error_set(
            err, GCAL_EDEVICE,
            "its OpenCL driver gives no PCI address, by which %s would find it",
            name(language));
        return NULL;
    }
    if (!(device = calloc(1, sizeof(*device)))) {
        gcal_error_memory(err);
        return NULL;
    }
    device->dispatch = &dispatch;
    device->api = api;
    device->language = language;
    if ((error = api->DeviceGetByPCIBusId(&device->device, pci)) == 0 &&
        (error = api->DevicePrimaryCtxRetain(&device->context, device->device)) == 0)
        return device;
    gcal_error_set(err, GCAL_EDEVICE, "%s has no GPU at %s (error %d)", name(language),
                   pci, error);
    free(device);
    return NULL;
}

static cl_int get_device_info(cl_device_id device, cl_device_info what, size_t size,
                              void *value, size_t *needed)
{
    (void)device;
    if (what != CL_DEVICE_EXTENSIONS && what != CL_DEVICE_HOST_UNIFIED_MEMORY)
        return CL_INVALID_VALUE;
    if (value)
        memset(value, 0, size); /* none; no */
    if (needed)
        *needed = what == CL_DEVICE_EXTENSIONS ? 1 : sizeof(cl_bool);
    return CL_SUCCESS;
}

static cl_context create_context(const cl_context_properties *properties, cl_uint n,
                                 const cl_device_id *devices,
                                 void(CL_CALLBACK *notify)(const char *, const void *,
                                                           size_t, void *),
                                 void *data, cl_int *code)
{
    cl_context context = gcal_cuda_make(devices[0], sizeof(*context), code);

    (void)properties, (void)n, (void)notify, (void)data;
    if (context)
        context->device = devices[0];
    return context;
}

static cl_int release_context(cl_context context)
{
    free(context);
    return CL_SUCCESS;
}

/* ---- queues and events ---- */

static cl_command_queue create_queue(cl_context context, cl_device_id device,
                                     cl_command_queue_properties properties, cl_int *code)
{
    const struct gcal_cuda_api *api = gcal_cuda_enter(device);
    cl_command_queue queue = gcal_cuda_make(device, sizeof(*queue), code);
    int error;

    (void)context, (void)properties;
    if (!queue)
        return NULL;
    queue->device = device;
    if ((error = api->StreamCreate(&queue->stream, STREAM_NON_BLOCKING)) == 0 &&
        (error = api->EventCreate(&queue->epoch, 0)) == 0)
        return queue;
    if (queue->stream)
        api->StreamDestroy(queue->stream);
    free(queue);
    *code = gcal_cuda_code(error);
    return NULL;
}

static cl_int release_queue(cl_command_queue queue)
{
    const struct gcal_cuda_api *api = gcal_cuda_enter(queue->device);

    api->EventDestroy(queue->epoch);
    api->StreamDestroy(queue->stream);
    free(queue);
    return CL_SUCCESS;
}

static cl_int flush(cl_command_queue queue)
{
    (void)queue; /* a stream starts what it gets */
    return CL_SUCCESS;
}

static cl_int finish(cl_command_queue queue)
{
    queue->is_timed = false;
    return gcal_cuda_code(
        gcal_cuda_enter(queue->device)->StreamSynchronize(queue->stream));
}

static cl_int enqueue_marker(cl_command_queue queue, cl_uint n, const cl_event *list,
                             cl_event *event)
{
    cl_int code;

    (void)n, (void)list;
    gcal_cuda_enter(queue->device);
    if (!(*event = gcal_cuda_event_begin(queue, &code)))
        return code;
    return gcal_cuda_event_end(*event);
}

static cl_int wait_for_events(cl_uint n, const cl_event *events)
{
    cl_int code = CL_SUCCESS;

    for (cl_uint i = 0; i < n && code == CL_SUCCESS; i++) {
        code = gcal_cuda_code(
            gcal_cuda_enter(events[i]->queue->device)->EventSynchronize(events[i]->end));
        events[i]->queue->is_timed = false;
    }
    return code;
}

static cl_int get_event_info(cl_event event, cl_event_info what, size_t size, void *value,
                             size_t *needed)
{
    const cl_int complete = CL_COMPLETE;

    (void)event, (void)needed;
    if (what != CL_EVENT_COMMAND_EXECUTION_STATUS || size != sizeof(complete))
        return CL_INVALID_VALUE;
    memcpy(value, &complete, size);
    return CL_SUCCESS;
}

static cl_int get_event_time(cl_event event, cl_profiling_info what, size_t size,
                             void *value, size_t *needed)
{
    const struct gcal_cuda_api *api = gcal_cuda_enter(event->queue->device);
    float ms = 0;
    int error = api->EventElapsedTime(&ms, event->queue->epoch,
                                      what == CL_PROFILING_COMMAND_START ? event->begin
                                                                         : event->end);
    cl_ulong ns = (cl_ulong)llround(1e6 * (double)ms);

    (void)needed;
    if (size != sizeof(ns))
        return CL_INVALID_VALUE;
    memcpy(value, &ns, size);
    return gcal_cuda_code(error);
}

/* ---- memory ---- */

static void add_memory(cl_device_id device, cl_mem memory)
{
    memory->device = device;
    memory->next = device->memories;
    device->memories = memory;
}

static cl_int release_memory(cl_mem memory)
{
    int error = 0;

    for (cl_mem *at = &memory->device->memories; *at; at = &(*at)->next)
        if (*at == memory) {
            *at = memory->next;
            break;
        }
    if (memory->address && !memory->is_part)
        error = gcal_cuda_enter(memory->device)->MemFree(memory->address);
    free(memory);
    return gcal_cuda_code(error);
}

static cl_mem create_buffer(cl_context context, cl_mem_flags flags, size_t size,
                            void *host, cl_int *code)
{
    const struct gcal_cuda_api *api = gcal_cuda_enter(context->device);
    cl_mem memory = gcal_cuda_make(context->device, sizeof(*memory), code);
    int error;

    if (!memory)
        return NULL;
    add_memory(context->device, memory);
    error = api->MemAlloc(&memory->address, size);
    if (error == 0 && flags & CL_MEM_COPY_HOST_PTR) {
        error = api->MemcpyHtoDAsync(memory->address, host, size, NULL);
        if (error == 0)
            error = api->StreamSynchronize(NULL);
    }
    if (error == 0)
        return memory;
    release_memory(memory);
    *code = gcal_cuda_code(error);
    return NULL;
}

static cl_mem create_part(cl_mem whole, cl_mem_flags flags, cl_buffer_create_type type,
                          const void *region, cl_int *code)
{
    cl_mem part = gcal_cuda_make(whole->device, sizeof(*part), code);

    (void)flags, (void)type;
    if (part) {
        add_memory(whole->device, part);
        part->address = whole->address + ((const cl_buffer_region *)region)->origin;
        part->is_part = true;
    }
    return part;
}

/* All wait: nothing here copies beside kernels. */
static cl_int write_buffer(cl_command_queue queue, cl_mem memory, cl_bool blocking,
                           size_t offset, size_t size, const void *from, cl_uint n,
                           const cl_event *list, cl_event *event)
{
    int error =
        gcal_cuda_enter(queue->device)
            ->MemcpyHtoDAsync(memory->address + offset, from, size, queue->stream);

    (void)blocking, (void)n, (void)list, (void)event;
    return error ? gcal_cuda_code(error) : finish(queue);
}

static cl_int read_buffer(cl_command_queue queue, cl_mem memory, cl_bool blocking,
                          size_t offset, size_t size, void *to, cl_uint n,
                          const cl_event *list, cl_event *event)
{
    int error = gcal_cuda_enter(queue->device)
                    ->MemcpyDtoHAsync(to, memory->address + offset, size, queue->stream);

    (void)blocking, (void)n, (void)list, (void)event;
    return error ? gcal_cuda_code(error) : finish(queue);
}

static cl_int copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to,
                          size_t from_offset, size_t to_offset, size_t size, cl_uint n,
                          const cl_event *list, cl_event *event)
{
    (void)n, (void)list, (void)event;
    return gcal_cuda_code(gcal_cuda_enter(queue->device)
                              ->MemcpyDtoDAsync(to->address + to_offset,
                                                from->address + from_offset, size,
                                                queue->stream));
}

static cl_mem create_image(cl_context context, cl_mem_flags flags,
                           const cl_image_format *format, const cl_image_desc *shape,
                           void *host, cl_int *code)
{
    (void)context, (void)flags, (void)format, (void)shape, (void)host;
    *code = CL_INVALID_OPERATION;
    return NULL;
}

/* ---- the table ---- */

static const cl_icd_dispatch dispatch = {
    .clGetDeviceInfo = get_device_info,
    .clCreateContext = create_context,
    .clReleaseContext = release_context,
    .clCreateCommandQueue = create_queue,
    .clReleaseCommandQueue = release_queue,
    .clFlush = flush,
    .clFinish = finish,
    .clReleaseEvent = gcal_cuda_release_event,
    .clEnqueueMarkerWithWaitList = enqueue_marker,
    .clWaitForEvents = wait_for_events,
    .clGetEventInfo = get_event_info,
    .clGetEventProfilingInfo = get_event_time,
    .clCreateBuffer = create_buffer,
    .clCreateSubBuffer = create_part,
    .clReleaseMemObject = release_memory,
    .clEnqueueWriteBuffer = write_buffer,
    .clEnqueueReadBuffer = read_buffer,
    .clEnqueueCopyBuffer = copy_buffer,
    .clCreateImage = create_image,
    .clCreateProgramWithSource = gcal_cuda_create_program,
    .clBuildProgram = gcal_cuda_build_program,
    .clReleaseProgram = gcal_cuda_release_program,
    .clGetProgramBuildInfo = gcal_cuda_get_build_info,
    .clCreateKernel = gcal_cuda_create_kernel,
    .clReleaseKernel = gcal_cuda_release_kernel,
    .clSetKernelArg = gcal_cuda_set_argument,
    .clGetKernelWorkGroupInfo = gcal_cuda_get_kernel_info,
    .clEnqueueNDRangeKernel = gcal_cuda_launch,
};
