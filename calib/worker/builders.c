/* builders.c - workers that build kernels side by side, ahead of the one that measures */
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/wire.h"
#include "calib/worker/private.h"

/* Consecutive workers that may fail to open the device. */
#define MAX_FAILURES 3

enum state { ABSENT, OPENING, IDLE, BUILDING };

struct builder {
    enum state state;
    struct gcal_worker *worker;
    double began_s;
    bool has_job; /* also while OPENING: built next */
    bool has_built;
    size_t id;
    const struct gcal_kernel *kernel;
};

struct gcal_worker_builders {
    struct gcal_worker_spawner *spawner;
    char *uid;
    double limit_s;
    size_t n, failures;
    struct builder *builders;
    struct pollfd *polled;
};

struct gcal_worker_builders *
gcal_worker_builders_start(struct gcal_worker_spawner *spawner, const char *uid, size_t n,
                           double limit_s, struct gcal_error *err)
{
    struct gcal_worker_builders *b = calloc(1, sizeof(*b));

    if (b) {
        b->spawner = spawner;
        b->limit_s = limit_s;
        b->n = n;
        b->uid = strdup(uid);
        b->builders = calloc(n + 1, sizeof(*b->builders));
        b->polled = calloc(n + 1, sizeof(*b->polled));
        if (b->uid && b->builders && b->polled)
            return b;
    }
    gcal_worker_builders_stop(b);
    gcal_error_memory(err);
    return NULL;
}

static void lose(struct builder *builder)
{
    gcal_worker_stop(builder->worker);
    *builder = (struct builder){ 0 };
}

void gcal_worker_builders_stop(struct gcal_worker_builders *b)
{
    if (!b)
        return;
    /* All at once: the end of a process that has a device open takes its time. */
    for (size_t i = 0; b->builders && i < b->n; i++)
        if (b->builders[i].worker && gcal_worker_fd(b->builders[i].worker) >= 0)
            kill(gcal_worker_pid(b->builders[i].worker), SIGKILL);
    for (size_t i = 0; b->builders && i < b->n; i++)
        lose(&b->builders[i]);
    free(b->builders);
    free(b->polled);
    free(b->uid);
    free(b);
}

static bool is_given_up(const struct gcal_worker_builders *b)
{
    return b->failures >= MAX_FAILURES;
}

size_t gcal_worker_builders_busy(const struct gcal_worker_builders *b)
{
    size_t busy = 0;

    for (size_t i = 0; i < b->n; i++)
        busy += b->builders[i].has_job;
    return busy;
}

static size_t count(const struct gcal_worker_builders *b, enum state state)
{
    size_t n = 0;

    for (size_t i = 0; i < b->n; i++)
        n += b->builders[i].state == state;
    return n;
}

size_t gcal_worker_builders_idle(const struct gcal_worker_builders *b)
{
    return is_given_up(b) ? 0 : count(b, IDLE);
}

size_t gcal_worker_builders_started(const struct gcal_worker_builders *b)
{
    return b->n - count(b, ABSENT);
}

/* Drivers open one device at a time, or take as long as that for several. */
size_t gcal_worker_builders_free(const struct gcal_worker_builders *b)
{
    bool may_start = !is_given_up(b) && count(b, ABSENT) && !count(b, OPENING);

    return gcal_worker_builders_idle(b) + may_start;
}

/* ---- giving ---- */

static bool start(struct gcal_worker_builders *b, struct builder *builder)
{
    struct gcal_buf question = { 0 };

    if (!(builder->worker = gcal_worker_start(b->spawner, NULL, NULL)))
        return false;
    gcal_worker_put_open(&question, builder->worker, b->uid);
    builder->state = OPENING;
    builder->began_s = gcal_clock_now_s();
    return gcal_worker_send(builder->worker, GCAL_WORKER_REQUEST_OPEN, &question, NULL,
                            NULL) == GCAL_WORKER_DONE;
}

static enum gcal_worker_outcome begin(struct builder *builder, struct gcal_error *err)
{
    struct gcal_buf question = { 0 };

    gcal_worker_put_program(&question, builder->kernel);
    builder->state = BUILDING;
    builder->began_s = gcal_clock_now_s();
    return gcal_worker_send(builder->worker, GCAL_WORKER_REQUEST_BUILD, &question, NULL,
                            err);
}

/* An open one rather than one that is still to start. */
static struct builder *find_free(struct gcal_worker_builders *b)
{
    enum state wanted = gcal_worker_builders_idle(b) ? IDLE : ABSENT;

    for (size_t i = 0; i < b->n; i++)
        if (b->builders[i].state == wanted)
            return &b->builders[i];
    return NULL;
}

bool gcal_worker_builders_give(struct gcal_worker_builders *b, size_t id,
                               const struct gcal_kernel *kernel)
{
    struct builder *builder;

    if (!gcal_worker_builders_free(b) || !(builder = find_free(b)))
        return false;
    if (builder->state == ABSENT && !start(b, builder)) {
        b->failures++;
        lose(builder);
        return false;
    }
    builder->has_job = true;
    builder->id = id;
    builder->kernel = kernel;
    /* A worker that died since is found when its answer is read. */
    if (builder->state == IDLE)
        begin(builder, NULL);
    return true;
}

/* ---- taking ---- */

/* What became of the builder's kernel, which it gives up. */
static void report(struct builder *builder, enum gcal_worker_outcome outcome,
                   struct gcal_worker_build *done)
{
    done->id = builder->id;
    done->outcome = outcome;
    done->took_s = gcal_clock_now_s() - builder->began_s;
    done->is_first = !builder->has_built;
    builder->has_built = true;
    builder->has_job = false;
    builder->kernel = NULL;
}

/* The device is open, and the first kernel can be built.  True with 'done' if not. */
static bool take_open(struct gcal_worker_builders *b, struct builder *builder,
                      enum gcal_worker_outcome outcome, struct gcal_worker_build *done)
{
    if (outcome == GCAL_WORKER_DONE) {
        builder->state = IDLE;
        if (builder->has_job)
            begin(builder, NULL);
        return false;
    }
    b->failures++;
    report(builder, GCAL_WORKER_DONE, done); /* the kernel is not to blame */
    lose(builder);
    return true;
}

/* Reads an answer that has come, or whose time is up. */
static bool take(struct gcal_worker_builders *b, struct builder *builder,
                 struct gcal_worker_build *done)
{
    enum gcal_worker_outcome outcome;
    bool opening = builder->state == OPENING;
    struct gcal_buf answer = { 0 };
    bool is_done = true;

    *done = (struct gcal_worker_build){ 0 };
    if (gcal_worker_fd(builder->worker) < 0) {
        outcome = GCAL_WORKER_DIED;
        gcal_error_set(&done->why, GCAL_EDEVICE, "the worker that built it died");
    } else
        outcome = gcal_worker_receive(builder->worker, 0, &answer, NULL, &done->why);
    if (outcome == GCAL_WORKER_TIMED_OUT)
        gcal_error_set(&done->why, GCAL_EDEVICE, "its build took longer than %g s",
                       b->limit_s);
    if (opening)
        is_done = take_open(b, builder, outcome, done);
    else {
        struct gcal_wire wire = gcal_wire_open(answer.data, answer.size);

        if (outcome == GCAL_WORKER_DONE)
            done->built = gcal_worker_get_built(&wire);
        report(builder, outcome, done);
        builder->state = IDLE;
        if (outcome == GCAL_WORKER_TIMED_OUT || outcome == GCAL_WORKER_DIED)
            lose(builder);
        else
            b->failures = 0;
    }
    gcal_buf_free(&answer);
    return is_done;
}

/* Returns whether the builder has something to read, or will never have. */
static bool is_due(const struct gcal_worker_builders *b, size_t i)
{
    const struct builder *builder = &b->builders[i];

    return builder->has_job &&
           (b->polled[i].revents || gcal_worker_fd(builder->worker) < 0 ||
            gcal_clock_now_s() >
                builder->began_s +
                    (builder->state == OPENING ? GCAL_WORKER_OPEN_S : b->limit_s));
}

bool gcal_worker_builders_next(struct gcal_worker_builders *b, double wait_s,
                               struct gcal_worker_build *done)
{
    double until_s = gcal_clock_now_s() + wait_s, left_s = wait_s;

    do {
        /* Deadlines are looked at ten times a second. */
        for (size_t i = 0; i < b->n; i++)
            b->polled[i] = (struct pollfd){
                .fd = b->builders[i].has_job ? gcal_worker_fd(b->builders[i].worker) : -1,
                .events = POLLIN
            };
        poll(b->polled, b->n, left_s > 0 ? (int)(1e3 * fmin(left_s, 0.1)) + 1 : 0);
        for (size_t i = 0; i < b->n; i++)
            if (is_due(b, i) && take(b, &b->builders[i], done))
                return true;
        left_s = until_s - gcal_clock_now_s();
    } while (left_s > 0 && gcal_worker_builders_busy(b));
    return false;
}
