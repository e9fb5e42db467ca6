/* load.c - a program is built beside the use of the device for others
 *
 * To load what the driver has kept takes a few milliseconds for each program, as long as a
 * kernel's first launches.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/threads.h"
#include "calib/device/private.h"

struct gcal_device_load {
    const struct gcal_device *cl;
    struct gcal_device_job job; /* source, entry and options alone */
    struct gcal_thread *thread;
    struct gcal_device_program *program; /* NULL: not built */
};

/* A driver loads a program when its first kernel is made, or before. */
static void *load(void *context)
{
    struct gcal_device_load *o = context;
    cl_kernel kernel = NULL;

    if ((o->program = gcal_device_program_build(o->cl, &o->job, NULL)))
        kernel = clCreateKernel(o->program->program, o->job.entry, NULL);
    if (kernel)
        clReleaseKernel(kernel);
    return NULL;
}

static void load_free(struct gcal_device_load *o)
{
    gcal_device_job_clear(&o->job);
    free(o);
}

void gcal_device_load(struct gcal_device *cl, const struct gcal_device_job *job)
{
    struct gcal_device_load *o;

    gcal_device_load_end(cl);
    if (gcal_device_find_program(cl, job) || !(o = calloc(1, sizeof(*o))))
        return;
    o->cl = cl;
    o->job.language = job->language;
    o->job.source = strdup(job->source);
    o->job.entry = strdup(job->entry);
    o->job.build_options = strdup(job->build_options);
    if (o->job.source && o->job.entry && o->job.build_options &&
        (o->thread = gcal_thread_start(load, o, NULL)))
        cl->load = o;
    else
        load_free(o);
}

void gcal_device_load_end(struct gcal_device *cl)
{
    struct gcal_device_load *o = cl->load;

    if (!o)
        return;
    cl->load = NULL;
    gcal_thread_join(o->thread);
    if (o->program) {
        o->program->next = cl->programs;
        cl->programs = o->program;
    }
    load_free(o);
}
