/* dispatch.c - the internal sub-commands spawner and worker */
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "calib/device/device.h"
#include "calib/worker/private.h"

/* ---- the worker: answers requests until its socket closes ---- */

#define MAX_LAUNCHES 100000
#define LOST_STATUS  3 /* exit status: the device is lost to this process */

/* The answer to a request, or an error with the measurement's status. */
struct reply {
    struct gcal_buf payload;
    enum gcal_measurement_status status;
    struct gcal_error err;
};

struct state {
    struct gcal_device *cl; /* NULL before GCAL_WORKER_REQUEST_OPEN */
};

static void put_built(struct gcal_buf *buf, const struct gcal_built *built)
{
    gcal_wire_put_u64(buf, built->registers);
    gcal_wire_put_u64(buf, built->private_bytes);
    gcal_wire_put_u64(buf, built->work_group_size);
    gcal_wire_put_u64(buf, built->multiple);
}

static int get_program(struct gcal_wire *wire, struct gcal_device_job *job,
                       struct gcal_error *err)
{
    *job = (struct gcal_device_job){ .language = gcal_wire_get_u32(wire) };
    job->source = gcal_wire_get_text(wire);
    job->entry = gcal_wire_get_text(wire);
    job->build_options = gcal_wire_get_text(wire);
    if (!wire->bad && job->source && job->entry && job->build_options)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT, "damaged request to a worker");
}

/* The open device, by the driver of the job's language; NULL with 'r' filled. */
static struct gcal_device *device_of(struct state *state,
                                     const struct gcal_device_job *job, struct reply *r)
{
    r->status = GCAL_MEASUREMENT_BUILD_FAILED;
    return gcal_device_by_language(state->cl, job->language, &r->err);
}

static int answer_prepare(struct state *state, struct gcal_wire *wire, struct reply *r)
{
    struct gcal_device_job job, next = { 0 };
    struct gcal_device_prepared prepared = { 0 };
    struct gcal_device *cl;
    bool asks, has_next;
    int rc;

    if (gcal_device_job_get(wire, &job, &r->err) < 0)
        return -1;
    asks = gcal_wire_get_u32(wire);
    has_next = gcal_wire_get_u32(wire);
    rc = has_next ? get_program(wire, &next, &r->err) : 0;
    if (rc == 0 && !(cl = device_of(state, &job, r)))
        rc = -1;
    if (rc == 0)
        rc = gcal_device_prepare(cl, &job, has_next ? &next : NULL, asks, &prepared,
                                 &r->status, &r->err);
    gcal_wire_put_f64(&r->payload, prepared.time_s);
    gcal_wire_put_f64(&r->payload, prepared.build_s);
    put_built(&r->payload, &prepared.built);
    gcal_device_job_clear(&job);
    gcal_device_job_clear(&next);
    return rc;
}

static int answer_measure(struct state *state, struct gcal_wire *wire, struct reply *r)
{
    struct gcal_measurement_sample *samples = NULL;
    struct gcal_device_job job;
    struct gcal_device *cl;
    size_t n;
    int rc = -1;

    if (gcal_device_job_get(wire, &job, &r->err) < 0)
        return -1;
    n = gcal_wire_get_u32(wire);
    if (n > MAX_LAUNCHES || !(samples = calloc(n + 1, sizeof(*samples))))
        gcal_error_memory(&r->err);
    else if ((cl = device_of(state, &job, r)))
        rc = gcal_device_measure(cl, &job, n, samples, &r->status, &r->err);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        gcal_wire_put_f64(&r->payload, samples[i].time_s);
        gcal_wire_put_f64(&r->payload, samples[i].host_s);
        gcal_wire_put_f64(&r->payload, samples[i].clock_hz);
        gcal_wire_put_f64(&r->payload, samples[i].temperature_c);
        gcal_wire_put_u64(&r->payload, samples[i].throttle);
    }
    free(samples);
    gcal_device_job_clear(&job);
    return rc;
}

static int answer_time(struct state *state, struct gcal_wire *wire, struct reply *r)
{
    struct gcal_launches_time found = { 0 };
    struct gcal_launches_rule rule;
    struct gcal_device_job job;
    struct gcal_device *cl;
    int rc = -1;

    if (gcal_device_job_get(wire, &job, &r->err) < 0)
        return -1;
    rule.warm_s = gcal_wire_get_f64(wire);
    rule.fewest = gcal_wire_get_u64(wire);
    rule.most = gcal_wire_get_u64(wire);
    rule.error = gcal_wire_get_f64(wire);
    rule.spend_s = gcal_wire_get_f64(wire);
    rule.enough_s = gcal_wire_get_f64(wire);
    if (!rule.fewest || rule.most < rule.fewest || rule.most > MAX_LAUNCHES)
        wire->bad = true;
    if (wire->bad)
        gcal_error_set(&r->err, GCAL_EINPUT, "damaged request to a worker");
    else if ((cl = device_of(state, &job, r)))
        rc = gcal_device_time(cl, &job, &rule, &found, &r->status, &r->err);
    gcal_device_forget_programs(state->cl);
    gcal_wire_put_f64(&r->payload, found.build_s);
    gcal_wire_put_u64(&r->payload, found.launches);
    gcal_wire_put_f64(&r->payload, found.median_s);
    gcal_wire_put_f64(&r->payload, found.error);
    gcal_wire_put_u32(&r->payload, found.abandoned);
    gcal_device_job_clear(&job);
    return rc;
}

static int answer_check(struct state *state, struct gcal_wire *wire, struct reply *r)
{
    struct gcal_device_job job;
    struct gcal_device *cl;
    void **outputs;
    uint64_t seed;
    int guard, rc = -1;

    if (gcal_device_job_get(wire, &job, &r->err) < 0)
        return -1;
    seed = gcal_wire_get_u64(wire);
    guard = (int)(gcal_wire_get_u32(wire) & 0xff);
    /* One for each argument, one for the transfer. */
    if (!(outputs = calloc(job.n_args + 1, sizeof(*outputs))))
        gcal_error_memory(&r->err);
    else if ((cl = device_of(state, &job, r)))
        rc = gcal_device_check(cl, &job, seed, guard, outputs, &r->status, &r->err);
    for (size_t i = 0; outputs && i <= job.n_args; i++) {
        size_t size = i < job.n_args
                          ? (size_t)job.args[i].value * gcal_dtype_size(job.args[i].dtype)
                          : job.transfer.size_bytes;

        if (rc == 0)
            gcal_wire_put_bytes(&r->payload, outputs[i], outputs[i] ? size : 0);
        free(outputs[i]);
    }
    free(outputs);
    gcal_device_job_clear(&job);
    return rc;
}

static int answer(struct state *state, uint32_t request, struct gcal_wire *wire,
                  struct reply *r)
{
    struct gcal_built built = { 0 };
    struct gcal_device_entry *devices;
    struct gcal_device_job job;
    struct gcal_device *cl;
    size_t count, n_platforms;
    int rc;

    if (request == GCAL_WORKER_REQUEST_LIST) {
        if (gcal_device_list(gcal_wire_get_u32(wire), true, &devices, &count,
                             &n_platforms, &r->err) < 0)
            return -1;
        gcal_wire_put_u32(&r->payload, (uint32_t)n_platforms);
        gcal_wire_put_u32(&r->payload, (uint32_t)count);
        for (size_t i = 0; i < count; i++)
            gcal_device_info_put(&r->payload, &devices[i].info);
        gcal_device_list_free(devices, count);
        return 0;
    }
    if (request == GCAL_WORKER_REQUEST_OPEN) {
        char *uid = gcal_wire_get_text(wire);
        uint32_t platform = gcal_wire_get_u32(wire);

        gcal_device_close(state->cl);
        state->cl = uid ? gcal_device_open(uid, platform, &r->err) : NULL;
        free(uid);
        return state->cl ? 0 : -1;
    }
    if (!state->cl)
        return gcal_error_set(&r->err, GCAL_EDEVICE, "no device is open");
    switch (request) {
    case GCAL_WORKER_REQUEST_BUILD:
        rc = get_program(wire, &job, &r->err);
        r->status = GCAL_MEASUREMENT_BUILD_FAILED;
        if (rc == 0 && !(cl = device_of(state, &job, r)))
            rc = -1;
        if (rc == 0)
            rc = gcal_device_build(cl, &job, &built, &r->err);
        gcal_device_forget_programs(state->cl);
        put_built(&r->payload, &built);
        gcal_device_job_clear(&job);
        return rc;
    case GCAL_WORKER_REQUEST_PREPARE:
        return answer_prepare(state, wire, r);
    case GCAL_WORKER_REQUEST_MEASURE:
        return answer_measure(state, wire, r);
    case GCAL_WORKER_REQUEST_TIME:
        return answer_time(state, wire, r);
    case GCAL_WORKER_REQUEST_CHECK:
        return answer_check(state, wire, r);
    case GCAL_WORKER_REQUEST_BUSY:
        gcal_wire_put_f64(&r->payload, gcal_device_busy(state->cl));
        return 0;
    }
    return gcal_error_set(&r->err, GCAL_EINPUT, "unknown request %u", request);
}

static int send_refusal(int fd, enum gcal_worker_answer type, const struct reply *r)
{
    struct gcal_buf buf = { 0 };
    int rc;

    gcal_wire_put_u32(&buf, r->status);
    gcal_wire_put_u32(&buf, r->err.code);
    gcal_wire_put_text(&buf, r->err.text);
    rc = gcal_wire_frame_write(fd, -1, type, &buf, NULL);
    gcal_buf_free(&buf);
    return rc;
}

static int run_worker(int fd)
{
    struct state state = { 0 };
    struct gcal_wire_frame frame;
    int rc = 0;

    /* By default, mpirun binds a rank to one or two cores, and the threads of a CPU device
     * would inherit that.  All bits: the kernel keeps those that the job's cpuset allows.
     * Slurm's binding is the user's choice and stays.
     */
    cpu_set_t all;
    if (getenv("OMPI_COMM_WORLD_RANK") && !getenv("SLURM_STEP_ID")) {
        memset(&all, 0xff, sizeof(all));
        sched_setaffinity(0, sizeof(all), &all);
    }
    while (rc == 0 && gcal_wire_frame_read(fd, -1, &frame, NULL) > 0) {
        struct gcal_wire wire = gcal_wire_open(frame.payload.data, frame.payload.size);
        struct reply r = { .status = GCAL_MEASUREMENT_LAUNCH_FAILED };
        if (answer(&state, frame.type, &wire, &r) == 0)
            rc = gcal_wire_frame_write(fd, -1, GCAL_WORKER_ANSWER_DONE, &r.payload, NULL);
        else if (!state.cl || gcal_device_is_alive(state.cl))
            rc = send_refusal(fd, GCAL_WORKER_ANSWER_REFUSED, &r);
        else {
            send_refusal(fd, GCAL_WORKER_ANSWER_LOST, &r);
            _exit(LOST_STATUS); /* clean-up might hang */
        }
        gcal_buf_free(&r.payload);
        gcal_buf_free(&frame.payload);
    }
    gcal_device_close(state.cl);
    return 0;
}

/* ---- the internal sub-commands spawner and worker ---- */

/* The socket that the process was started with; -1: another one started it. */
static int socket_of(const char *text)
{
    struct stat info;
    char *end;
    long fd = strtol(text, &end, 10);

    if (end == text || *end || fd < 0 || fd > INT_MAX || fstat((int)fd, &info) < 0 ||
        !S_ISSOCK(info.st_mode))
        return -1;
    return (int)fd;
}

int gcal_worker_dispatch(int argc, char **argv)
{
    bool spawns = argc >= 2 && strcmp(argv[1], "spawner") == 0;
    int fd;

    if (!(spawns && argc == 4) && argc != 3)
        return -1;
    if (!spawns && strcmp(argv[1], "worker") != 0)
        return -1;
    if ((fd = socket_of(argv[2])) < 0)
        return -1;
    return spawns ? gcal_worker_spawner_main(fd, argc == 4 ? argv[3] : NULL)
                  : run_worker(fd);
}
