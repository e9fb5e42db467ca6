/* client.c - the rank's end of a worker's socket */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/array.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/model/dtype.h"
#include "calib/worker/private.h"

#define MAX_LOST  3    /* platforms; after that, the loader must be what crashes */
#define ANSWER_S  10.0 /* for the rest of an answer that has begun */
#define GLANCE_S  1.0  /* before it is asked whether a worker waits for processors */
#define LEAST_S   0.05 /* by which a limit is worth being extended */
#define REQUEST_S 60.0 /* for a request, which a worker that is starting reads late */

struct gcal_worker {
    struct gcal_worker_spawner *spawner;
    struct gcal_worker_tick tick;
    int fd;
    pid_t pid;
    struct gcal_built built; /* the kernel prepared last */
    double build_s;          /* of its program */
};

struct gcal_worker *gcal_worker_start(struct gcal_worker_spawner *spawner,
                                      const struct gcal_worker_tick *tick,
                                      struct gcal_error *err)
{
    struct gcal_worker *worker = calloc(1, sizeof(*worker));

    if (!worker) {
        gcal_error_memory(err);
        return NULL;
    }
    worker->spawner = spawner;
    if (tick)
        worker->tick = *tick;
    if (gcal_worker_spawner_ask(spawner, &worker->tick, &worker->fd, &worker->pid, err) <
        0) {
        free(worker);
        return NULL;
    }
    return worker;
}

void gcal_worker_stop(struct gcal_worker *worker)
{
    if (!worker)
        return;
    if (worker->fd >= 0) {
        /* A driver may hang in its clean-up: do not wait for it. */
        kill(worker->pid, SIGKILL);
        close(worker->fd);
        gcal_worker_spawner_wait_status(worker->spawner, &worker->tick, worker->pid);
    }
    free(worker);
}

pid_t gcal_worker_pid(const struct gcal_worker *worker)
{
    return worker->pid;
}

/* Ends the process unless it has ended, and returns its wait status. */
static int end(struct gcal_worker *worker)
{
    close(worker->fd);
    worker->fd = -1;
    return gcal_worker_spawner_wait_status(worker->spawner, &worker->tick, worker->pid);
}

static void set_status(enum gcal_measurement_status *status,
                       enum gcal_measurement_status value)
{
    if (status)
        *status = value;
}

static enum gcal_worker_outcome died(struct gcal_worker *worker,
                                     enum gcal_measurement_status *status,
                                     struct gcal_error *err)
{
    int how = end(worker);

    set_status(status, GCAL_MEASUREMENT_CRASHED);
    if (how < 0)
        gcal_error_set(err, GCAL_EDEVICE,
                       "worker lost or stuck in its driver (process %d)",
                       (int)worker->pid);
    else if (WIFSIGNALED(how))
        gcal_error_set(err, GCAL_EDEVICE, "worker ended by signal %d (%s)", WTERMSIG(how),
                       strsignal(WTERMSIG(how)));
    else
        gcal_error_set(err, GCAL_EDEVICE, "worker ended with status %d",
                       WEXITSTATUS(how));
    return GCAL_WORKER_DIED;
}

static enum gcal_worker_outcome timed_out(struct gcal_worker *worker, double limit_s,
                                          enum gcal_measurement_status *status,
                                          struct gcal_error *err)
{
    int how;

    kill(worker->pid, SIGKILL);
    how = end(worker);
    set_status(status, GCAL_MEASUREMENT_TIMED_OUT);
    gcal_error_set(err, GCAL_EDEVICE, "no answer within %g s: worker %s", limit_s,
                   how < 0 ? "stuck in its driver" : "killed");
    return GCAL_WORKER_TIMED_OUT;
}

/* An answer that makes no sense: the worker cannot be trusted any more. */
static enum gcal_worker_outcome damaged(struct gcal_worker *worker,
                                        enum gcal_measurement_status *status,
                                        struct gcal_error *err)
{
    kill(worker->pid, SIGKILL);
    end(worker);
    set_status(status, GCAL_MEASUREMENT_CRASHED);
    gcal_error_set(err, GCAL_EDEVICE, "damaged answer of the worker: killed");
    return GCAL_WORKER_DIED;
}

/* The worker's error: it refused the request, or lost its device and ends. */
static enum gcal_worker_outcome refused(struct gcal_worker *worker,
                                        const struct gcal_wire_frame *frame,
                                        enum gcal_measurement_status *status,
                                        struct gcal_error *err)
{
    struct gcal_wire wire = gcal_wire_open(frame->payload.data, frame->payload.size);
    uint32_t its_status = gcal_wire_get_u32(&wire), code = gcal_wire_get_u32(&wire);
    char *text = gcal_wire_get_text(&wire);
    enum gcal_worker_outcome outcome = GCAL_WORKER_REFUSED;

    if (gcal_wire_done(&wire, "refusal", NULL) < 0 || !text ||
        its_status > GCAL_MEASUREMENT_BAD_EVENTS ||
        (frame->type != GCAL_WORKER_ANSWER_REFUSED &&
         frame->type != GCAL_WORKER_ANSWER_LOST))
        outcome = damaged(worker, status, err);
    else if (frame->type == GCAL_WORKER_ANSWER_LOST) {
        outcome = died(worker, status, NULL);
        gcal_error_set(err, GCAL_EDEVICE,
                       "%s; nothing works on the device after that: worker ended", text);
    } else {
        set_status(status, (enum gcal_measurement_status)its_status);
        gcal_error_set(err, (enum gcal_error_code)code, "%s", text);
    }
    free(text);
    return outcome;
}

enum gcal_worker_outcome gcal_worker_send(struct gcal_worker *worker, uint32_t request,
                                          struct gcal_buf *question,
                                          enum gcal_measurement_status *status,
                                          struct gcal_error *err)
{
    bool is_late;
    int rc;

    if (worker->fd < 0) {
        gcal_buf_free(question);
        set_status(status, GCAL_MEASUREMENT_CRASHED);
        gcal_error_set(err, GCAL_EDEVICE, "the worker has ended");
        return GCAL_WORKER_DIED;
    }
    rc = gcal_wire_frame_write(worker->fd, gcal_clock_now_s() + REQUEST_S, request,
                               question, NULL);
    is_late = rc < 0 && errno == ETIMEDOUT;
    gcal_buf_free(question);
    if (is_late)
        return timed_out(worker, REQUEST_S, status, err);
    return rc < 0 ? died(worker, status, err) : GCAL_WORKER_DONE;
}

/* Whether the worker answers within its limit, which does not count what its threads waited for
 * processors: builds take long on a busy machine.
 */
static bool await_answer(const struct gcal_worker *worker, double limit_s)
{
    double began_s, left_s = limit_s - GLANCE_S;
    struct gcal_worker_use before, after;

    if (gcal_worker_tick_wait(worker->fd, &worker->tick,
                              gcal_clock_now_s() + fmin(limit_s, GLANCE_S)))
        return true;
    before = gcal_worker_process_use(worker->pid);
    began_s = gcal_clock_now_s();
    while (left_s > LEAST_S) {
        double past_s;

        if (gcal_worker_tick_wait(worker->fd, &worker->tick, gcal_clock_now_s() + left_s))
            return true;
        past_s = gcal_clock_now_s() - began_s;
        after = gcal_worker_process_use(worker->pid);
        left_s =
            limit_s - GLANCE_S - past_s + gcal_worker_waited_s(&before, &after, past_s);
    }
    return false;
}

enum gcal_worker_outcome gcal_worker_receive(struct gcal_worker *worker, double limit_s,
                                             struct gcal_buf *answer,
                                             enum gcal_measurement_status *status,
                                             struct gcal_error *err)
{
    enum gcal_worker_outcome outcome = GCAL_WORKER_DONE;
    struct gcal_wire_frame frame;
    int rc;

    *answer = (struct gcal_buf){ 0 };
    if (!await_answer(worker, limit_s))
        return timed_out(worker, limit_s, status, err);
    rc = gcal_wire_frame_read(worker->fd, gcal_clock_now_s() + ANSWER_S, &frame, err);
    if (rc < 0 && errno == ETIMEDOUT)
        return timed_out(worker, ANSWER_S, status, err);
    if (rc < 0)
        return damaged(worker, status, err);
    if (rc == 0)
        return died(worker, status, err);
    if (frame.type == GCAL_WORKER_ANSWER_DONE)
        *answer = frame.payload;
    else {
        outcome = refused(worker, &frame, status, err);
        gcal_buf_free(&frame.payload);
    }
    return outcome;
}

int gcal_worker_fd(const struct gcal_worker *worker)
{
    return worker->fd;
}

/* Sends a request and waits for its answer.  DONE fills 'answer', the caller's to free;
 * any other outcome fills 'status' (may be NULL) and 'err'.
 */
static enum gcal_worker_outcome ask(struct gcal_worker *worker, uint32_t request,
                                    struct gcal_buf *question, double limit_s,
                                    struct gcal_buf *answer,
                                    enum gcal_measurement_status *status,
                                    struct gcal_error *err)
{
    enum gcal_worker_outcome outcome =
        gcal_worker_send(worker, request, question, status, err);

    *answer = (struct gcal_buf){ 0 };
    return outcome == GCAL_WORKER_DONE
               ? gcal_worker_receive(worker, limit_s, answer, status, err)
               : outcome;
}

/* Checks that the answer was read to its end. */
static enum gcal_worker_outcome
finish(struct gcal_worker *worker, const struct gcal_wire *wire, struct gcal_buf *answer,
       enum gcal_measurement_status *status, struct gcal_error *err)
{
    int rc = gcal_wire_done(wire, "answer", NULL);

    gcal_buf_free(answer);
    return rc < 0 ? damaged(worker, status, err) : GCAL_WORKER_DONE;
}

/* ---- devices ---- */

struct list {
    size_t count, capacity, n_platforms;
    struct gcal_device_info *devices;
};

/* Returns whether it is one of the first 'n' devices. */
static bool is_listed(const struct list *list, size_t n,
                      const struct gcal_device_info *info)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list->devices[i].uid, info->uid) == 0 ||
            (*info->pci && strcmp(list->devices[i].pci, info->pci) == 0))
            return true;
    return false;
}

/* Reads a platform's devices.  Devices that an earlier platform also has are the same
 * physical ones; within a platform all are distinct.
 */
static void get_devices(struct gcal_wire *wire, struct gcal_worker_spawner *spawner,
                        uint32_t platform, struct list *list)
{
    size_t n_before = list->count, n;

    n = gcal_wire_get_u32(wire);
    list->n_platforms = n < GCAL_DEVICE_MAX_PLATFORMS ? n : GCAL_DEVICE_MAX_PLATFORMS;
    n = gcal_wire_get_u32(wire);
    for (size_t i = 0; i < n && !wire->bad; i++) {
        struct gcal_device_info info = { 0 }, *grown;

        grown = gcal_array_grow(list->devices, list->count, &list->capacity,
                                sizeof(*grown), NULL);
        if (grown)
            list->devices = grown;
        if (!grown || gcal_device_info_get(wire, &info, NULL) < 0) {
            wire->bad = true;
            return;
        }
        if (is_listed(list, n_before, &info))
            gcal_device_info_clear(&info);
        else {
            gcal_worker_spawner_note_platform(spawner, info.uid, platform);
            list->devices[list->count++] = info;
        }
    }
}

static enum gcal_worker_outcome list_platform(struct gcal_worker *worker,
                                              uint32_t platform, double limit_s,
                                              struct list *list, struct gcal_error *err)
{
    struct gcal_buf question = { 0 }, answer;
    enum gcal_worker_outcome outcome;
    struct gcal_wire wire;

    gcal_wire_put_u32(&question, platform);
    outcome =
        ask(worker, GCAL_WORKER_REQUEST_LIST, &question, limit_s, &answer, NULL, err);
    if (outcome != GCAL_WORKER_DONE)
        return outcome;
    wire = gcal_wire_open(answer.data, answer.size);
    get_devices(&wire, worker->spawner, platform, list);
    return finish(worker, &wire, &answer, NULL, err);
}

static enum gcal_worker_outcome list_all(struct gcal_worker *worker, double limit_s,
                                         struct list *list, struct gcal_error *err)
{
    enum gcal_worker_outcome outcome, lost = GCAL_WORKER_DONE;
    struct gcal_error why = { 0 };

    /* Their number is unknown until one platform answers. */
    for (uint32_t i = 0; i < (list->n_platforms ? list->n_platforms : MAX_LOST); i++) {
        outcome = list_platform(worker, i, limit_s, list, &why);
        if (outcome == GCAL_WORKER_DONE)
            continue;
        gcal_error_set(err, why.code, "%s", why.text);
        if (outcome == GCAL_WORKER_REFUSED)
            return outcome;
        gcal_log(GCAL_LOG_WARN, "OpenCL platform %u: its devices are left out: %s", i,
                 why.text);
        gcal_error_prefix(err, "OpenCL platform %u", i);
        lost = outcome;
        /* Replaces a process that a platform's driver crashed. */
        if (gcal_worker_spawner_ask(worker->spawner, &worker->tick, &worker->fd,
                                    &worker->pid, &why) < 0)
            break;
    }
    if (list->count)
        return GCAL_WORKER_DONE;
    if (lost != GCAL_WORKER_DONE)
        return lost;
    gcal_error_set(err, GCAL_EDEVICE,
                   "no device on any of %zu OpenCL platforms: check that a GPU is "
                   "present, that this "
                   "user may open its device files, and that one is allocated to the job",
                   list->n_platforms);
    return GCAL_WORKER_REFUSED;
}

enum gcal_worker_outcome gcal_worker_list_devices(struct gcal_worker *worker,
                                                  double limit_s,
                                                  struct gcal_device_info **devices,
                                                  size_t *count, struct gcal_error *err)
{
    struct list list = { 0 };
    enum gcal_worker_outcome outcome = list_all(worker, limit_s, &list, err);

    if (outcome != GCAL_WORKER_DONE) {
        for (size_t i = 0; i < list.count; i++)
            gcal_device_info_clear(&list.devices[i]);
        free(list.devices);
        list = (struct list){ 0 };
    }
    *devices = list.devices;
    *count = list.count;
    return outcome;
}

void gcal_worker_put_open(struct gcal_buf *question, const struct gcal_worker *worker,
                          const char *uid)
{
    gcal_wire_put_text(question, uid);
    gcal_wire_put_u32(question, gcal_worker_spawner_platform(worker->spawner, uid));
}

enum gcal_worker_outcome gcal_worker_open(struct gcal_worker *worker, const char *uid,
                                          double limit_s, struct gcal_error *err)
{
    struct gcal_buf question = { 0 }, answer;
    enum gcal_worker_outcome outcome;

    gcal_worker_put_open(&question, worker, uid);
    outcome =
        ask(worker, GCAL_WORKER_REQUEST_OPEN, &question, limit_s, &answer, NULL, err);
    gcal_buf_free(&answer);
    if (outcome == GCAL_WORKER_TIMED_OUT)
        gcal_error_set(err, GCAL_EDEVICE, "opening the device took longer than %g s",
                       limit_s);
    return outcome;
}

struct gcal_worker *gcal_worker_start_on(struct gcal_worker_spawner *spawner,
                                         const char *uid,
                                         const struct gcal_worker_tick *tick,
                                         struct gcal_error *err)
{
    struct gcal_worker *worker = gcal_worker_start(spawner, tick, err);
    enum gcal_worker_outcome outcome =
        worker ? gcal_worker_open(worker, uid, GCAL_WORKER_OPEN_S, err)
               : GCAL_WORKER_DIED;

    if (outcome == GCAL_WORKER_DONE)
        return worker;
    gcal_worker_stop(worker);
    if (err)
        err->code = GCAL_EDEVICE;
    return NULL;
}

/* ---- kernels ---- */

static enum gcal_worker_outcome refuse(enum gcal_measurement_status *status,
                                       struct gcal_buf *buf)
{
    *status = GCAL_MEASUREMENT_LAUNCH_FAILED;
    gcal_buf_free(buf);
    return GCAL_WORKER_REFUSED;
}

struct gcal_built gcal_worker_get_built(struct gcal_wire *wire)
{
    struct gcal_built built = { .registers = gcal_wire_get_u64(wire) };

    built.private_bytes = gcal_wire_get_u64(wire);
    built.work_group_size = gcal_wire_get_u64(wire);
    built.multiple = gcal_wire_get_u64(wire);
    return built;
}

double gcal_worker_busy(struct gcal_worker *worker, double limit_s)
{
    struct gcal_buf question = { 0 }, answer;
    struct gcal_error why = { 0 };
    struct gcal_wire wire;
    double share;

    if (ask(worker, GCAL_WORKER_REQUEST_BUSY, &question, limit_s, &answer, NULL, &why) !=
        GCAL_WORKER_DONE)
        return NAN;
    wire = gcal_wire_open(answer.data, answer.size);
    share = gcal_wire_get_f64(&wire);
    return finish(worker, &wire, &answer, NULL, &why) == GCAL_WORKER_DONE ? share : NAN;
}

struct gcal_built gcal_worker_built(const struct gcal_worker *worker)
{
    return worker->built;
}

double gcal_worker_build_s(const struct gcal_worker *worker)
{
    return worker->build_s;
}

void gcal_worker_put_program(struct gcal_buf *question, const struct gcal_kernel *kernel)
{
    gcal_wire_put_u32(question, kernel->language);
    gcal_wire_put_text(question, kernel->source);
    gcal_wire_put_text(question, kernel->entry);
    gcal_wire_put_text(question, kernel->build_options ? kernel->build_options : "");
}

enum gcal_worker_outcome gcal_worker_build(struct gcal_worker *worker,
                                           const struct gcal_kernel *kernel,
                                           double limit_s, struct gcal_built *built,
                                           struct gcal_error *err)
{
    struct gcal_buf question = { 0 }, answer;
    enum gcal_worker_outcome outcome;
    struct gcal_wire wire;

    gcal_worker_put_program(&question, kernel);
    outcome =
        ask(worker, GCAL_WORKER_REQUEST_BUILD, &question, limit_s, &answer, NULL, err);
    if (outcome != GCAL_WORKER_DONE)
        return outcome;
    wire = gcal_wire_open(answer.data, answer.size);
    *built = gcal_worker_get_built(&wire);
    return finish(worker, &wire, &answer, NULL, err);
}

enum gcal_worker_outcome
gcal_worker_prepare_built(struct gcal_worker *worker, const struct gcal_kernel *kernel,
                          const struct gcal_built *built, const struct gcal_kernel *next,
                          double limit_s, double *first_s,
                          enum gcal_measurement_status *status, struct gcal_error *err)
{
    struct gcal_buf question = { 0 }, answer;
    enum gcal_worker_outcome outcome;
    struct gcal_wire wire;

    if (gcal_device_job_put(&question, kernel, kernel->n_sizes, kernel->sizes, err) < 0)
        return refuse(status, &question);
    gcal_wire_put_u32(&question, !built);
    gcal_wire_put_u32(&question, next != NULL);
    if (next)
        gcal_worker_put_program(&question, next);
    outcome = ask(worker, GCAL_WORKER_REQUEST_PREPARE, &question, limit_s, &answer,
                  status, err);
    if (outcome != GCAL_WORKER_DONE)
        return outcome;
    wire = gcal_wire_open(answer.data, answer.size);
    *first_s = gcal_wire_get_f64(&wire);
    worker->build_s = gcal_wire_get_f64(&wire);
    worker->built = gcal_worker_get_built(&wire);
    if (built)
        worker->built = *built;
    return finish(worker, &wire, &answer, status, err);
}

enum gcal_worker_outcome gcal_worker_prepare(struct gcal_worker *worker,
                                             const struct gcal_kernel *kernel,
                                             double limit_s, double *first_s,
                                             enum gcal_measurement_status *status,
                                             struct gcal_error *err)
{
    return gcal_worker_prepare_built(worker, kernel, NULL, NULL, limit_s, first_s, status,
                                     err);
}

enum gcal_worker_outcome
gcal_worker_measure(struct gcal_worker *worker, const struct gcal_kernel *kernel,
                    size_t n, double limit_s, struct gcal_measurement_sample *samples,
                    enum gcal_measurement_status *status, struct gcal_error *err)
{
    struct gcal_buf question = { 0 }, answer;
    enum gcal_worker_outcome outcome;
    struct gcal_wire wire;

    if (gcal_device_job_put(&question, kernel, kernel->n_sizes, kernel->sizes, err) < 0)
        return refuse(status, &question);
    gcal_wire_put_u32(&question, (uint32_t)n);
    outcome = ask(worker, GCAL_WORKER_REQUEST_MEASURE, &question, limit_s, &answer,
                  status, err);
    if (outcome != GCAL_WORKER_DONE)
        return outcome;
    wire = gcal_wire_open(answer.data, answer.size);
    for (size_t i = 0; i < n; i++) {
        samples[i].time_s = gcal_wire_get_f64(&wire);
        samples[i].host_s = gcal_wire_get_f64(&wire);
        samples[i].clock_hz = gcal_wire_get_f64(&wire);
        samples[i].temperature_c = gcal_wire_get_f64(&wire);
        samples[i].throttle = gcal_wire_get_u64(&wire);
    }
    return finish(worker, &wire, &answer, status, err);
}

enum gcal_worker_outcome
gcal_worker_time(struct gcal_worker *worker, const struct gcal_kernel *kernel,
                 const struct gcal_launches_rule *rule, double limit_s,
                 struct gcal_launches_time *found, enum gcal_measurement_status *status,
                 struct gcal_error *err)
{
    struct gcal_buf question = { 0 }, answer;
    enum gcal_worker_outcome outcome;
    struct gcal_wire wire;

    if (gcal_device_job_put(&question, kernel, kernel->n_sizes, kernel->sizes, err) < 0)
        return refuse(status, &question);
    gcal_wire_put_f64(&question, rule->warm_s);
    gcal_wire_put_u64(&question, rule->fewest);
    gcal_wire_put_u64(&question, rule->most);
    gcal_wire_put_f64(&question, rule->error);
    gcal_wire_put_f64(&question, rule->spend_s);
    gcal_wire_put_f64(&question, rule->enough_s);
    outcome =
        ask(worker, GCAL_WORKER_REQUEST_TIME, &question, limit_s, &answer, status, err);
    if (outcome != GCAL_WORKER_DONE)
        return outcome;
    wire = gcal_wire_open(answer.data, answer.size);
    found->build_s = gcal_wire_get_f64(&wire);
    found->launches = gcal_wire_get_u64(&wire);
    found->median_s = gcal_wire_get_f64(&wire);
    found->error = gcal_wire_get_f64(&wire);
    found->abandoned = gcal_wire_get_u32(&wire) != 0;
    return finish(worker, &wire, &answer, status, err);
}

enum gcal_worker_outcome
gcal_worker_check(struct gcal_worker *worker, const struct gcal_kernel *kernel,
                  uint64_t seed, int guard, double limit_s, void **outputs,
                  enum gcal_measurement_status *status, struct gcal_error *err)
{
    struct gcal_geometry geometry = { 0 };
    struct gcal_buf question = { 0 }, answer;
    enum gcal_worker_outcome outcome;
    struct gcal_wire wire;

    memset(outputs, 0, (kernel->n_args + 1) * sizeof(*outputs));
    if (gcal_device_job_put(&question, kernel, kernel->n_check_sizes, kernel->check_sizes,
                            err) < 0 ||
        gcal_kernel_geometry(kernel, kernel->n_check_sizes, kernel->check_sizes,
                             &geometry, err) < 0)
        return refuse(status, &question);
    gcal_wire_put_u64(&question, seed);
    gcal_wire_put_u32(&question, (uint32_t)guard);
    outcome =
        ask(worker, GCAL_WORKER_REQUEST_CHECK, &question, limit_s, &answer, status, err);
    if (outcome == GCAL_WORKER_DONE) {
        wire = gcal_wire_open(answer.data, answer.size);
        /* Outputs must have the sizes that the rank expects. */
        for (size_t i = 0; i <= kernel->n_args; i++) {
            size_t expected =
                       i == kernel->n_args ? geometry.transfer_bytes
                       : kernel->args[i].kind == GCAL_ARG_BUFFER && kernel->args[i].output
                           ? (size_t)geometry.arg_values[i] *
                                 gcal_dtype_size(kernel->args[i].dtype)
                           : 0,
                   size;
            void *data = gcal_wire_get_bytes(&wire, &size);

            if (size != expected)
                wire.bad = true;
            if (expected && !wire.bad)
                outputs[i] = data;
            else
                free(data);
        }
        outcome = finish(worker, &wire, &answer, status, err);
        for (size_t i = 0; outcome != GCAL_WORKER_DONE && i <= kernel->n_args; i++) {
            free(outputs[i]);
            outputs[i] = NULL;
        }
    }
    gcal_kernel_geometry_clear(&geometry);
    return outcome;
}
