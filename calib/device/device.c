/* device.c - one device: opening it, and its programs */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/device/private.h"
#include "calib/model/tag.h"

const char *gcal_device_error_name(cl_int code)
{
    static const struct {
        cl_int code;
        const char *name;
    } names[] = {
        { CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND" },
        { CL_INVALID_PLATFORM, "CL_INVALID_PLATFORM" },
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
        { CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE" },
        { CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE" },
        { CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE" },
    };
    static char other[40];

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (names[i].code == code)
            return names[i].name;
    snprintf(other, sizeof(other), "OpenCL error %d", code);
    return other;
}

bool gcal_device_is_shortage(cl_int code)
{
    return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES ||
           code == CL_OUT_OF_HOST_MEMORY || code == CL_INVALID_BUFFER_SIZE ||
           code == CL_INVALID_WORK_GROUP_SIZE || code == CL_INVALID_WORK_ITEM_SIZE;
}

int gcal_device_fail(enum gcal_measurement_status *status, struct gcal_error *err,
                     const char *what, cl_int code)
{
    *status = gcal_device_is_shortage(code) ? GCAL_MEASUREMENT_SKIPPED
                                            : GCAL_MEASUREMENT_LAUNCH_FAILED;
    return gcal_error_set(err, GCAL_EDEVICE, "%s: %s", what,
                          gcal_device_error_name(code));
}

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

    gcal_error_set(err, GCAL_EDEVICE, "device %s is not there any more", uid);
    do
        if (find_on_platform(cl, uid, first, &n_platforms, err))
            return 0;
    while (platform == GCAL_DEVICE_ANY_PLATFORM && ++first < n_platforms);
    return -1;
}

struct gcal_device *gcal_device_open(const char *uid, size_t platform,
                                     struct gcal_error *err)
{
    struct gcal_device *cl = calloc(1, sizeof(*cl));
    cl_bool unified = CL_FALSE;
    cl_int code;

    if (!cl) {
        gcal_error_memory(err);
        return NULL;
    }
    if (find_device(cl, uid, platform, err) < 0)
        goto fail;
    cl->context = clCreateContext(NULL, 1, &cl->id, NULL, NULL, &code);
    if (cl->context)
        cl->queue =
            clCreateCommandQueue(cl->context, cl->id, CL_QUEUE_PROFILING_ENABLE, &code);
    if (cl->queue)
        cl->probe = clCreateBuffer(cl->context, CL_MEM_READ_WRITE, 4, NULL, &code);
    if (cl->probe && !gcal_device_is_alive(cl)) /* it has its memory from now on */
        code = CL_DEVICE_NOT_AVAILABLE;
    if (code != CL_SUCCESS) {
        gcal_error_set(err, GCAL_EDEVICE, "open %s: %s", cl->info.name,
                       gcal_device_error_name(code));
        goto fail;
    }
    clGetDeviceInfo(cl->id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof(unified), &unified,
                    NULL);
    cl->shares_host_memory = unified;
    cl->nvml = gcal_device_nvml_open(cl->info.pci);
    return cl;
fail:
    gcal_device_close(cl);
    return NULL;
}

bool gcal_device_is_alive(const struct gcal_device *cl)
{
    uint32_t value = 0;

    return clEnqueueWriteBuffer(cl->queue, cl->probe, CL_TRUE, 0, sizeof(value), &value,
                                0, NULL, NULL) == CL_SUCCESS &&
           clFinish(cl->queue) == CL_SUCCESS;
}

void gcal_device_close(struct gcal_device *cl)
{
    if (!cl)
        return;
    gcal_device_buffers_free(cl);
    if (cl->probe)
        clReleaseMemObject(cl->probe);
    for (struct gcal_device_program *p; (p = cl->programs);) {
        cl->programs = p->next;
        clReleaseProgram(p->program);
        free(p->family);
        free(p->source);
        free(p->build_options);
        free(p);
    }
    if (cl->copies)
        clReleaseCommandQueue(cl->copies);
    if (cl->queue)
        clReleaseCommandQueue(cl->queue);
    if (cl->context)
        clReleaseContext(cl->context);
    gcal_device_nvml_close(cl->nvml);
    gcal_device_info_clear(&cl->info);
    free(cl);
}

/* ---- programs ---- */

static void build_log(const struct gcal_device *cl, cl_program program,
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

static struct gcal_device_program *
build(struct gcal_device *cl, const struct gcal_device_job *job, struct gcal_error *err)
{
    const char *sources[] = { gcal_source_tag_prelude, job->source };
    struct gcal_device_program *p = calloc(1, sizeof(*p));
    cl_int code;

    if (!p || !(p->family = strdup(job->family)) || !(p->source = strdup(job->source)) ||
        !(p->build_options = strdup(job->build_options))) {
        gcal_error_memory(err);
        goto fail;
    }
    p->program = clCreateProgramWithSource(cl->context, 2, sources, NULL, &code);
    if (!p->program) {
        gcal_error_set(err, GCAL_EDEVICE, "build: %s", gcal_device_error_name(code));
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

cl_program gcal_device_program(struct gcal_device *cl, const struct gcal_device_job *job,
                               struct gcal_error *err)
{
    struct gcal_device_program *p = cl->programs;

    while (p &&
           (strcmp(p->family, job->family) != 0 || strcmp(p->source, job->source) != 0 ||
            strcmp(p->build_options, job->build_options) != 0))
        p = p->next;
    if (!p)
        p = build(cl, job, err);
    return p ? p->program : NULL;
}
