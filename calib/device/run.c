/* run.c - running a job once and timing it */
#include <math.h>

#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "calib/device/private.h"

/* Events of the commands in one queue: 'first' is none if there is one command only; both
 * are none if only the host's clock is used.
 */
struct span {
    const char *what;
    cl_event first, last;
};

struct times {
    cl_ulong start_ns, end_ns; /* the events' */
    double host_s;             /* from before enqueuing to the end of the wait */
};

/* ---- enqueuing and waiting ---- */

/* Copies concurrent with a kernel, or with others, have a queue of their own. */
static cl_command_queue queue_of_copies(struct gcal_device *cl,
                                        const struct gcal_device_job *job)
{
    return job->transfer.pieces && (job->launches || job->transfer.both) ? cl->copies
                                                                         : cl->queue;
}

/* Half of the bytes to the device, and half of them from it, each in a queue of its own. */
static cl_int copy_both(struct gcal_device *cl, const struct gcal_device_job *job,
                        const struct gcal_device_bound_job *bound, struct span *spans)
{
    bool timed = job->timing == GCAL_TIMING_EVENT;
    struct gcal_device_job_transfer one = job->transfer;
    unsigned char *host = gcal_device_host(cl, &job->transfer)->data;
    cl_command_queue queues[] = { cl->queue, cl->copies };
    cl_int code = CL_SUCCESS;

    one.size_bytes /= 2;
    for (size_t i = 0; i < 2 && code == CL_SUCCESS; i++) {
        one.way = i ? GCAL_FEATURE_FROM_DEVICE : GCAL_FEATURE_TO_DEVICE;
        code = gcal_device_copy(queues[i], &one, bound->parts[i],
                                host + i * one.size_bytes, timed ? &spans[i].first : NULL,
                                timed ? &spans[i].last : NULL);
        if (code == CL_SUCCESS)
            code = clFlush(queues[i]);
    }
    return code;
}

static cl_int copy(struct gcal_device *cl, const struct gcal_device_job *job,
                   const struct gcal_device_bound_job *bound, struct span *spans)
{
    bool timed = job->timing == GCAL_TIMING_EVENT;
    cl_command_queue queue = queue_of_copies(cl, job);
    cl_int code = CL_SUCCESS;

    if (!job->transfer.pieces)
        return CL_SUCCESS;
    if (job->transfer.both)
        return copy_both(cl, job, bound, spans);
    if (queue != cl->queue) /* the kernel must have started */
        code = clFlush(cl->queue);
    if (code != CL_SUCCESS)
        return code;
    return gcal_device_copy(
        queue, &job->transfer, bound->device, gcal_device_host(cl, &job->transfer)->data,
        timed ? &spans[1].first : NULL, timed ? &spans[1].last : NULL);
}

/* As clFinish(), which in rusticl of Mesa 22.3 does not wait for what clFlush() has sent. */
static cl_int wait_for_queue(cl_command_queue queue)
{
    cl_event end;
    cl_int code = clEnqueueMarkerWithWaitList(queue, 0, NULL, &end);

    if (code != CL_SUCCESS)
        return code;
    code = clWaitForEvents(1, &end);
    clReleaseEvent(end);
    return code;
}

static cl_int finish(struct gcal_device *cl, const struct gcal_device_job *job)
{
    cl_command_queue other = queue_of_copies(cl, job);
    cl_int code;

    if (other == cl->queue)
        return clFinish(cl->queue);
    code = clFlush(other);
    if (code == CL_SUCCESS)
        code = wait_for_queue(cl->queue);
    return code == CL_SUCCESS ? wait_for_queue(other) : code;
}

static int fail_running(const struct span *span, cl_int code,
                        enum gcal_measurement_status *status, struct gcal_error *err)
{
    gcal_device_fail(status, err, span->what, code);
    if (code == CL_OUT_OF_RESOURCES) /* after the launch: an access out of bounds */
        *status = GCAL_MEASUREMENT_LAUNCH_FAILED;
    return -1;
}

/* ---- times ---- */

/* The event's interval must be within the host's, or its clock cannot be trusted; with
 * some tolerance, as the two clocks tick at slightly different rates.
 */
static int event_time(const struct times *t, double tick_s, double *time_s,
                      struct gcal_error *err)
{
    double event_s = 1e-9 * (double)(t->end_ns - t->start_ns);

    if (t->end_ns < t->start_ns)
        return gcal_error_set(err, GCAL_EDEVICE, "event ends %.3g s before it starts",
                              1e-9 * (double)(t->start_ns - t->end_ns));
    /* A kernel shorter than a tick of the device's clock may last 0 s.  The host's interval
     * is longer than the kernel by the unknown cost of a launch: 100 ticks are allowed for
     * it, and at most 100 us.
     */
    if (t->end_ns == t->start_ns && !(t->host_s < tick_s + fmin(100 * tick_s, 100e-6)))
        return gcal_error_set(err, GCAL_EDEVICE, "event lasts 0 s, the host saw %.3g s",
                              t->host_s);
    if (event_s > 1.02 * t->host_s + 20e-6 + tick_s)
        return gcal_error_set(err, GCAL_EDEVICE,
                              "event lasts %.3g s, the host saw %.3g s", event_s,
                              t->host_s);
    *time_s = event_s > 0 ? event_s : tick_s / 2; /* somewhere between 0 and a tick */
    return 0;
}

/* From the start of the first command in any queue to the end of the last in any; the
 * events of each queue must agree with the host's clock, too.
 */
static int span_time(const struct span *spans, double host_s, double tick_s,
                     double *time_s, enum gcal_measurement_status *status,
                     struct gcal_error *err)
{
    struct times all = { .start_ns = ~(cl_ulong)0, .host_s = host_s }, one = all;
    cl_int code;

    for (int i = 0; i < 2; i++) {
        if (!spans[i].last)
            continue;
        code = clGetEventProfilingInfo(spans[i].first ? spans[i].first : spans[i].last,
                                       CL_PROFILING_COMMAND_START, sizeof(one.start_ns),
                                       &one.start_ns, NULL);
        if (code == CL_SUCCESS)
            code = clGetEventProfilingInfo(spans[i].last, CL_PROFILING_COMMAND_END,
                                           sizeof(one.end_ns), &one.end_ns, NULL);
        if (code != CL_SUCCESS)
            return gcal_device_fail(status, err, spans[i].what, code);
        *status = GCAL_MEASUREMENT_BAD_EVENTS;
        if (event_time(&one, tick_s, time_s, err) < 0)
            return -1;
        all.start_ns = one.start_ns < all.start_ns ? one.start_ns : all.start_ns;
        all.end_ns = one.end_ns > all.end_ns ? one.end_ns : all.end_ns;
    }
    return event_time(&all, tick_s, time_s, err);
}

static void release(struct span *span)
{
    if (span->first)
        clReleaseEvent(span->first);
    if (span->last)
        clReleaseEvent(span->last);
}

static int run(struct gcal_device *cl, const struct gcal_device_job *job,
               const struct gcal_device_bound_job *bound, struct span *spans,
               double *host_s, enum gcal_measurement_status *status,
               struct gcal_error *err)
{
    const char *step = "launch";
    double began_s = gcal_clock_now_s();
    bool timed = job->timing == GCAL_TIMING_EVENT;
    cl_int code = CL_SUCCESS;

    for (size_t i = 0; code == CL_SUCCESS && i < job->launches; i++) {
        cl_event *event = !timed                   ? NULL
                          : i + 1 == job->launches ? &spans[0].last
                          : i == 0                 ? &spans[0].first
                                                   : NULL;

        code =
            clEnqueueNDRangeKernel(cl->queue, bound->kernel, (cl_uint)job->n_dims, NULL,
                                   job->global_size, job->local_size, 0, NULL, event);
    }
    if (code == CL_SUCCESS) {
        step = "copy";
        code = copy(cl, job, bound, spans);
    }
    if (code != CL_SUCCESS) {
        finish(cl, job); /* commands enqueued before use the buffers */
        return gcal_device_fail(status, err, step, code);
    }
    cl_event events[2];
    cl_uint n = 0;
    for (int i = 0; i < 2; i++)
        if (spans[i].last)
            events[n++] = spans[i].last;
    code = n ? clWaitForEvents(n, events) : finish(cl, job);
    *host_s = gcal_clock_now_s() - began_s;
    for (int i = 0; i < 2; i++) {
        /* The cause of CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST. */
        cl_int state = CL_COMPLETE;
        if (spans[i].last)
            clGetEventInfo(spans[i].last, CL_EVENT_COMMAND_EXECUTION_STATUS,
                           sizeof(state), &state, NULL);
        cl_int its = state < 0 ? state : CL_SUCCESS;

        if (its != CL_SUCCESS)
            return fail_running(&spans[i], its, status, err);
    }
    return code == CL_SUCCESS ? 0
                              : fail_running(&spans[!bound->kernel], code, status, err);
}

int gcal_device_run(struct gcal_device *cl, const struct gcal_device_job *job,
                    const struct gcal_device_bound_job *bound,
                    struct gcal_measurement_sample *sample,
                    enum gcal_measurement_status *status, struct gcal_error *err)
{
    struct span spans[2] = { { .what = job->transfer.both ? "copy" : "kernel" },
                             { .what = "copy" } };
    double host_s = 0;
    int rc = run(cl, job, bound, spans, &host_s, status, err);

    if (rc == 0 && sample) {
        sample->time_s = sample->host_s = host_s;
        if (job->timing == GCAL_TIMING_EVENT)
            rc = span_time(spans, host_s, cl->info.timer_resolution_s, &sample->time_s,
                           status, err);
    }
    release(&spans[0]);
    release(&spans[1]);
    return rc;
}
