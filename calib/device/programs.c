/* programs.c - programs of kernels, each built once */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "calib/device/cuda/cuda.h"
#include "calib/device/private.h"
#include "kernels/model/feature.h"

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

void gcal_device_program_free(struct gcal_device_program *p)
{
    if (!p)
        return;
    if (p->program)
        clReleaseProgram(p->program);
    free(p->source);
    free(p->build_options);
    free(p->entry);
    free(p->asked);
    free(p);
}

static int build(const struct gcal_device *cl, struct gcal_device_program *p,
                 struct gcal_error *err)
{
    const char *sources[] = { gcal_source_tag_prelude, p->source };
    char *all = NULL;
    cl_int code;

    p->program = clCreateProgramWithSource(cl->context, 2, sources, NULL, &code);
    if (!p->program)
        return gcal_error_set(err, GCAL_EDEVICE, "build: %s",
                              gcal_device_error_name(code));
    /* The compiler of NVIDIA's driver reports registers in its log; the code is the same. */
    if (p->entry)
        all = gcal_buf_format("%s '" GCAL_CUDA_ENTRY "%s'", p->build_options, p->entry);
    else if (cl->is_nvidia)
        all = gcal_buf_format("%s -cl-nv-verbose", p->build_options);
    code =
        clBuildProgram(p->program, 1, &cl->id, all ? all : p->build_options, NULL, NULL);
    free(all);
    if (code == CL_SUCCESS)
        return 0;
    char *log = gcal_device_build_log(cl, p->program);
    const char *text = log ? log + strspn(log, " \t\r\n") : "";
    gcal_error_set(err, GCAL_EDEVICE, "build: %.700s", *text ? text : "no build log");
    free(log);
    return -1;
}

struct gcal_device_program *gcal_device_program_build(const struct gcal_device *cl,
                                                      const struct gcal_device_job *job,
                                                      struct gcal_error *err)
{
    struct gcal_device_program *p = calloc(1, sizeof(*p));
    double began_s = gcal_clock_now_s();
    int rc = -1;

    if (p && (p->source = strdup(job->source)) &&
        (p->build_options = strdup(job->build_options)) &&
        (job->language == GCAL_SOURCE_OPENCL_C || (p->entry = strdup(job->entry))))
        rc = build(cl, p, err);
    else
        gcal_error_memory(err);
    if (rc == 0) {
        p->build_s = gcal_clock_now_s() - began_s;
        return p;
    }
    gcal_device_program_free(p);
    return NULL;
}

struct gcal_device_program *gcal_device_find_program(const struct gcal_device *cl,
                                                     const struct gcal_device_job *job)
{
    struct gcal_device_program *p = cl->programs;

    while (p && (strcmp(p->source, job->source) != 0 ||
                 strcmp(p->build_options, job->build_options) != 0 ||
                 (p->entry && strcmp(p->entry, job->entry) != 0)))
        p = p->next;
    return p;
}
