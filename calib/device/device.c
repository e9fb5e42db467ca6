/* device.c - an open device and its programs */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/clock.h"
#include "calib/base/error.h"
#include "calib/device/private.h"
#include "calib/model/tag.h"

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
    if (cl->probe && !gcal_device_is_alive(cl)) /* the probe's memory is allocated now */
        code = CL_DEVICE_NOT_AVAILABLE;
    if (code != CL_SUCCESS) {
        gcal_error_set(err, GCAL_EDEVICE, "open %s: %s", cl->info.name,
                       gcal_device_error_name(code));
        goto fail;
    }
    clGetDeviceInfo(cl->id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof(unified), &unified,
                    NULL);
    cl->shares_host_memory = unified;
    cl->is_nvidia = gcal_device_has_extension(cl->id, "cl_nv_compiler_options");
    cl->nvml = gcal_device_nvml_open(cl->info.pci);
    return cl;
fail:
    gcal_device_close(cl);
    return NULL;
}

double gcal_device_busy(const struct gcal_device *cl)
{
    return gcal_device_nvml_busy(cl->nvml);
}

bool gcal_device_is_alive(const struct gcal_device *cl)
{
    uint32_t value = 0;

    return clEnqueueWriteBuffer(cl->queue, cl->probe, CL_TRUE, 0, sizeof(value), &value,
                                0, NULL, NULL) == CL_SUCCESS &&
           clFinish(cl->queue) == CL_SUCCESS;
}

void gcal_device_forget_programs(struct gcal_device *cl)
{
    for (struct gcal_device_program *p; (p = cl->programs);) {
        cl->programs = p->next;
        clReleaseProgram(p->program);
        free(p->source);
        free(p->build_options);
        free(p->asked);
        free(p);
    }
}

void gcal_device_close(struct gcal_device *cl)
{
    if (!cl)
        return;
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

char *gcal_device_build_log(const struct gcal_device *cl, cl_program program)
{
    size_t size = 0;
    char *log;

    clGetProgramBuildInfo(program, cl->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    if (!size || !(log = calloc(1, size + 1)))
        return NULL;
    clGetProgramBuildInfo(program, cl->id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    return log;
}

static void report_failure(const struct gcal_device *cl, cl_program program,
                           struct gcal_error *err)
{
    char *log = gcal_device_build_log(cl, program);

    const char *text = log ? log + strspn(log, " \t\r\n") : "";

    gcal_error_set(err, GCAL_EDEVICE, "build: %.700s", *text ? text : "no build log");
    free(log);
}

/* The compiler of NVIDIA's driver reports registers in its log; the code is the same. */
static cl_int build_program(const struct gcal_device *cl, cl_program program,
                            const char *options)
{
    char *all = cl->is_nvidia ? gcal_buf_format("%s -cl-nv-verbose", options) : NULL;
    cl_int code = clBuildProgram(program, 1, &cl->id, all ? all : options, NULL, NULL);

    free(all);
    return code;
}

static struct gcal_device_program *
build(struct gcal_device *cl, const struct gcal_device_job *job, struct gcal_error *err)
{
    const char *sources[] = { gcal_source_tag_prelude, job->source };
    struct gcal_device_program *p = calloc(1, sizeof(*p));
    double began_s = gcal_clock_now_s();
    cl_int code;

    if (!p || !(p->source = strdup(job->source)) ||
        !(p->build_options = strdup(job->build_options))) {
        gcal_error_memory(err);
        goto fail;
    }
    p->program = clCreateProgramWithSource(cl->context, 2, sources, NULL, &code);
    if (!p->program) {
        gcal_error_set(err, GCAL_EDEVICE, "build: %s", gcal_device_error_name(code));
        goto fail;
    }
    if (build_program(cl, p->program, p->build_options) != CL_SUCCESS) {
        report_failure(cl, p->program, err);
        goto fail;
    }
    p->build_s = gcal_clock_now_s() - began_s;
    p->next = cl->programs;
    cl->programs = p;
    return p;
fail:
    if (p && p->program)
        clReleaseProgram(p->program);
    if (p) {
        free(p->source);
        free(p->build_options);
    }
    free(p);
    return NULL;
}

static struct gcal_device_program *find_program(struct gcal_device *cl,
                                                const struct gcal_device_job *job,
                                                struct gcal_error *err)
{
    struct gcal_device_program *p = cl->programs;

    while (p && (strcmp(p->source, job->source) != 0 ||
                 strcmp(p->build_options, job->build_options) != 0))
        p = p->next;
    return p ? p : build(cl, job, err);
}

cl_kernel gcal_device_kernel(struct gcal_device *cl, const struct gcal_device_job *job,
                             struct gcal_device_program **program, struct gcal_error *err)
{
    cl_kernel kernel;
    cl_int code;

    if (!(*program = find_program(cl, job, err)))
        return NULL;
    if (!(kernel = clCreateKernel((*program)->program, job->entry, &code)))
        gcal_error_set(err, GCAL_EDEVICE, "%s: %s", job->entry,
                       gcal_device_error_name(code));
    return kernel;
}
