/* device.c - an open device and its programs */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "calib/device/cuda/cuda.h"
#include "calib/device/private.h"

/* ---- opening ---- */

static bool find_on_platform(struct gcal_device *cl, const char *uid, size_t platform,
                             size_t *n_platforms, struct gcal_error *err)
{
    struct gcal_device_entry *devices;
    size_t count;
    bool found = false;

    if (gcal_device_list(platform, false, &devices, &count, n_platforms, err) < 0)
        return false;
    for (size_t i = 0; i < count && !found; i++) {
        if (strcmp(devices[i].info.uid, uid) != 0)
            continue;
        cl->id = devices[i].id;
        cl->info = devices[i].info;
        devices[i].info = (struct gcal_device_info){ 0 };
        found = true;
    }
    gcal_device_list_free(devices, count);
    return found;
}

static int find_device(struct gcal_device *cl, const char *uid, size_t platform,
                       struct gcal_error *err)
{
    size_t first = platform == GCAL_DEVICE_ANY_PLATFORM ? 0 : platform;
    size_t n_platforms = 0;

    gcal_error_set(err, GCAL_EDEVICE, "device %s is no longer present", uid);
    do
        if (find_on_platform(cl, uid, first, &n_platforms, err))
            return 0;
    while (platform == GCAL_DEVICE_ANY_PLATFORM && ++first < n_platforms);
    return -1;
}

/* A device whose 'id' and 'info' are known. */
static int open_queue(struct gcal_device *cl, struct gcal_error *err)
{
    cl_bool unified = CL_FALSE;
    cl_int code;

    cl->context = clCreateContext(NULL, 1, &cl->id, NULL, NULL, &code);
    if (cl->context)
        cl->queue =
            clCreateCommandQueue(cl->context, cl->id, CL_QUEUE_PROFILING_ENABLE, &code);
    if (cl->queue)
        cl->probe = clCreateBuffer(cl->context, CL_MEM_READ_WRITE, 4, NULL, &code);
    if (cl->probe && !gcal_device_is_alive(cl)) /* the probe's memory is allocated now */
        code = CL_DEVICE_NOT_AVAILABLE;
    if (code != CL_SUCCESS)
        return gcal_error_set(err, GCAL_EDEVICE, "open %s: %s", cl->info.name,
                              gcal_device_error_name(code));
    clGetDeviceInfo(cl->id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof(unified), &unified,
                    NULL);
    cl->shares_host_memory = unified;
    cl->is_nvidia = gcal_device_has_extension(cl->id, "cl_nv_compiler_options");
    cl->nvml = gcal_device_nvml_open(cl->info.pci);
    return 0;
}

struct gcal_device *gcal_device_open(const char *uid, size_t platform,
                                     struct gcal_error *err)
{
    struct gcal_device *cl = calloc(1, sizeof(*cl));

    if (!cl)
        gcal_error_memory(err);
    else if (find_device(cl, uid, platform, err) == 0 && open_queue(cl, err) == 0)
        return cl;
    gcal_device_close(cl);
    return NULL;
}

struct gcal_device *gcal_device_by_language(struct gcal_device *cl,
                                            enum gcal_source_language language,
                                            struct gcal_error *err)
{
    struct gcal_device *other;

    if (language == GCAL_SOURCE_OPENCL_C || cl->cuda_kernels)
        return language == GCAL_SOURCE_OPENCL_C ? cl : cl->cuda_kernels;
    if (!(other = calloc(1, sizeof(*other)))) {
        gcal_error_memory(err);
        return NULL;
    }
    if (gcal_device_info_copy(&other->info, &cl->info, err) == 0 &&
        (other->id = gcal_cuda_device(language, cl->info.pci, err)) &&
        open_queue(other, err) == 0)
        return cl->cuda_kernels = other;
    gcal_device_close(other);
    return NULL;
}

double gcal_device_busy(const struct gcal_device *cl)
{
    return gcal_device_nvml_busy(cl->nvml);
}

bool gcal_device_is_alive(const struct gcal_device *cl)
{
    uint32_t value = 0;

    return (!cl->cuda_kernels || gcal_device_is_alive(cl->cuda_kernels)) &&
           clEnqueueWriteBuffer(cl->queue, cl->probe, CL_TRUE, 0, sizeof(value), &value,
                                0, NULL, NULL) == CL_SUCCESS &&
           clFinish(cl->queue) == CL_SUCCESS;
}

void gcal_device_forget_programs(struct gcal_device *cl)
{
    gcal_device_load_end(cl);
    if (cl->cuda_kernels)
        gcal_device_forget_programs(cl->cuda_kernels);
    for (struct gcal_device_program *p; (p = cl->programs);) {
        cl->programs = p->next;
        gcal_device_program_free(p);
    }
}

void gcal_device_close(struct gcal_device *cl)
{
    if (!cl)
        return;
    gcal_device_close(cl->cuda_kernels);
    gcal_device_buffers_free(cl);
    if (cl->probe)
        clReleaseMemObject(cl->probe);
    gcal_device_forget_programs(cl);
    if (cl->copies)
        clReleaseCommandQueue(cl->copies);
    if (cl->queue)
        clReleaseCommandQueue(cl->queue);
    if (cl->context)
        clReleaseContext(cl->context);
    gcal_device_cuda_close(cl->cuda);
    gcal_device_nvml_close(cl->nvml);
    gcal_device_info_clear(&cl->info);
    free(cl);
}

/* ---- programs ---- */

static struct gcal_device_program *get_program(struct gcal_device *cl,
                                               const struct gcal_device_job *job,
                                               struct gcal_error *err)
{
    struct gcal_device_program *p = gcal_device_find_program(cl, job);

    if (p)
        return p;
    gcal_device_load_end(cl);
    if ((p = gcal_device_find_program(cl, job)) ||
        !(p = gcal_device_program_build(cl, job, err)))
        return p;
    p->next = cl->programs;
    return cl->programs = p;
}

cl_kernel gcal_device_kernel(struct gcal_device *cl, const struct gcal_device_job *job,
                             struct gcal_device_program **program, struct gcal_error *err)
{
    cl_kernel kernel;
    cl_int code;

    if (!(*program = get_program(cl, job, err)))
        return NULL;
    if (!(kernel = clCreateKernel((*program)->program, job->entry, &code)))
        gcal_error_set(err, GCAL_EDEVICE, "%s: %s", job->entry,
                       gcal_device_error_name(code));
    return kernel;
}
