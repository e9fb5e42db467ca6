/* ahead.c - a thread that has programs built before they are asked for */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/hash.h"
#include "kernels/base/log.h"
#include "kernels/base/threads.h"
#include "calib/worker/cache.h"
#include "calib/worker/private.h"

/* How long the thread waits for a build before it looks at the queue again. */
#define POLL_S 0.02
#define TICK_S 0.1

#define MOST_WORKERS  16
#define CONTEXT_BYTES 500e6 /* of an open device, about */
#define HOST_BYTES    250e6 /* of a process that compiles, likewise */
#define MEMORY_SHARE  0.125

/* To open the device once more takes about so long. */
#define OPENING_S 0.5

/* KNOWN: of an earlier run, of which the driver is expected to have kept the program. */
enum state { KNOWN, QUEUED, BUILDING, BUILT, NOT_BUILT };

struct program {
    char key[GCAL_HASH_TEXT_SIZE];
    struct gcal_kernel kernel; /* source, entry and options alone */
    enum state state;
    bool is_known; /* 'built', of an earlier run */
    struct gcal_built built;
    struct program *next;
};

struct gcal_worker_ahead {
    struct gcal_arena *arena;              /* with the lock, once the thread runs */
    struct gcal_worker_builders *builders; /* of the thread alone */
    const char *cache;                     /* of the spawner */
    const char *device;                    /* and its driver, for keys */
    pthread_t thread;
    pthread_mutex_t lock; /* of the members below */
    pthread_cond_t changed;
    struct program *first, **end; /* in the order of the queue */
    struct program *at;           /* the next that may be queued; NULL: none */
    size_t n_users;
    size_t n_workers;           /* that were started */
    size_t n_outside, n_adding; /* users that have not entered, have not closed */
    size_t n_timed;             /* builds after each worker's first, which takes longer */
    double least_s;             /* of these; others waited for the driver, too */
    bool stop;
    bool is_joined; /* of the last user, and then of whoever stops it */
};

/* ---- programs ---- */

static const char *text_of(const char *text)
{
    return text ? text : "";
}

static void make_key(const struct gcal_worker_ahead *a, const struct gcal_kernel *kernel,
                     char key[GCAL_HASH_TEXT_SIZE])
{
    struct gcal_buf buf = { 0 };

    gcal_buf_printf(&buf, "%s\n%d\n%s\n%s\n%s", a->device, kernel->language,
                    text_of(kernel->build_options), kernel->entry, kernel->source);
    if (buf.failed)
        gcal_arena_out_of_memory();
    gcal_hash_fast(buf.data, buf.size, key);
    gcal_buf_free(&buf);
}

static struct program *find(const struct gcal_worker_ahead *a, const char *key)
{
    struct program *p = a->first;

    while (p && strcmp(p->key, key) != 0)
        p = p->next;
    return p;
}

/* ---- the thread ---- */

/* The next program of the queue; NULL: none. */
static struct program *next_queued(struct gcal_worker_ahead *a)
{
    while (a->at && a->at->state != QUEUED)
        a->at = a->at->next;
    return a->at;
}

static size_t count_queued(const struct gcal_worker_ahead *a)
{
    size_t n = 0;

    for (const struct program *p = a->at; p; p = p->next)
        n += p->state == QUEUED;
    return n;
}

/* Returns whether another worker would open the device before the others have built all. */
static bool pays_to_start(const struct gcal_worker_ahead *a)
{
    size_t n = gcal_worker_builders_started(a->builders);

    if (!n)
        return true;
    return a->n_timed > 1 && a->least_s * (double)count_queued(a) > OPENING_S * (double)n;
}

/* For a worker that is free now, and being built from now on; NULL: none. */
static struct program *take_next(struct gcal_worker_ahead *a)
{
    struct program *p = NULL;

    if (gcal_worker_builders_idle(a->builders))
        p = next_queued(a);
    else if (pays_to_start(a)) {
        /* The one needed last, for a worker that has yet to open the device. */
        p = next_queued(a);
        for (struct program *next = p; next; next = next->next)
            if (next->state == QUEUED)
                p = next;
    }
    if (p)
        p->state = BUILDING;
    return p;
}

static void set_state(struct gcal_worker_ahead *a, struct program *p, enum state state)
{
    pthread_mutex_lock(&a->lock);
    p->state = state;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

/* Gives programs to free builders: false if none can build any more. */
static bool hand_out(struct gcal_worker_ahead *a)
{
    while (gcal_worker_builders_free(a->builders)) {
        struct program *p;

        pthread_mutex_lock(&a->lock);
        p = a->stop ? NULL : take_next(a);
        pthread_mutex_unlock(&a->lock);
        if (!p)
            return true;
        if (!gcal_worker_builders_give(a->builders, (size_t)(uintptr_t)p, &p->kernel))
            set_state(a, p, NOT_BUILT);
        size_t n = gcal_worker_builders_started(a->builders);
        pthread_mutex_lock(&a->lock);
        a->n_workers = n > a->n_workers ? n : a->n_workers;
        pthread_mutex_unlock(&a->lock);
    }
    return gcal_worker_builders_busy(a->builders);
}

static bool is_any(const struct gcal_worker_ahead *a, enum state state)
{
    const struct program *p = a->first;

    while (p && p->state != state)
        p = p->next;
    return p;
}

/* Waits for something to build.  False at the end: nobody needs, or will add, any more. */
static bool await_work(struct gcal_worker_ahead *a)
{
    bool goes_on;

    pthread_mutex_lock(&a->lock);
    while (!a->stop && a->n_users &&
           (a->n_outside || (!next_queued(a) && (a->n_adding || is_any(a, KNOWN)))))
        pthread_cond_wait(&a->changed, &a->lock);
    goes_on = !a->stop && a->n_users && next_queued(a);
    pthread_mutex_unlock(&a->lock);
    return goes_on;
}

/* What is queued is not built any more. */
static void give_up(struct gcal_worker_ahead *a)
{
    size_t n = 0, n_built = 0, n_known = 0;

    pthread_mutex_lock(&a->lock);
    for (struct program *p = a->first; p; p = p->next, n++) {
        if (p->state != BUILT && p->state != KNOWN)
            p->state = NOT_BUILT;
        n_built += p->state == BUILT;
        n_known += p->is_known;
    }
    if (!a->stop)
        gcal_log(GCAL_LOG_INFO,
                 "%zu of %zu programs were built ahead, by %zu worker%s; %zu were known",
                 n_built, n, a->n_workers, a->n_workers == 1 ? "" : "s", n_known);
    a->stop = true;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

static bool is_stopped(struct gcal_worker_ahead *a)
{
    bool stopped;

    pthread_mutex_lock(&a->lock);
    stopped = a->stop || !a->n_users;
    pthread_mutex_unlock(&a->lock);
    return stopped;
}

static void *build_all(void *context)
{
    struct gcal_worker_ahead *a = context;

    while (!is_stopped(a)) {
        if (gcal_worker_builders_busy(a->builders)) {
            struct gcal_worker_build done;
            double wait_s = POLL_S;

            for (; gcal_worker_builders_next(a->builders, wait_s, &done); wait_s = 0) {
                struct program *p = (struct program *)(uintptr_t)done.id;
                bool built =
                    done.outcome == GCAL_WORKER_DONE && done.built.work_group_size;

                if (built && !p->is_known) {
                    p->built = done.built;
                    gcal_worker_cache_put_built(a->cache, p->key, &p->built);
                }
                if (built && !done.is_first) {
                    a->least_s = a->n_timed ? fmin(a->least_s, done.took_s) : done.took_s;
                    a->n_timed++;
                }
                set_state(a, p, built ? BUILT : NOT_BUILT);
            }
        } else if (!await_work(a))
            break;
        if (!hand_out(a))
            break;
    }
    give_up(a);
    gcal_worker_builders_stop(a->builders);
    return NULL;
}

/* ---- how many workers ---- */

/* Of a rank that mpirun bound to some, too: workers undo that. */
static size_t processors(void)
{
    const char *ranks = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    long all = sysconf(_SC_NPROCESSORS_ONLN);
    long n = ranks ? strtol(ranks, NULL, 10) : 0;

    if (n < 1 || all < 1 || getenv("SLURM_STEP_ID"))
        return gcal_threads_processors();
    return all > n ? (size_t)(all / n) : 1;
}

size_t gcal_worker_ahead_workers(const struct gcal_worker_spawner *spawner,
                                 const struct gcal_device_info *info, size_t n_devices)
{
    bool is_cpu = strcmp(info->device_type, "cpu") == 0;
    size_t all = processors(), busy = is_cpu ? 0 : n_devices + 1;
    double bytes = is_cpu ? HOST_BYTES : CONTEXT_BYTES;
    double fit = MEMORY_SHARE * info->global_memory_bytes / bytes;
    size_t n = all > busy ? all - busy : 1;

    if (all < 2 || !gcal_worker_spawner_keeps_builds(spawner))
        return 0;
    n = n < MOST_WORKERS ? n : MOST_WORKERS;
    n = fit < 1 ? 1 : fit < (double)n ? (size_t)fit : n;
    return is_cpu && n < 2 ? 0 : n; /* one alone builds no faster than who measures */
}

/* ---- its users ---- */

static void destroy(struct gcal_worker_ahead *a)
{
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    gcal_arena_destroy(a->arena);
}

struct gcal_worker_ahead *gcal_worker_ahead_start(struct gcal_worker_spawner *spawner,
                                                  const struct gcal_device_info *info,
                                                  size_t n_workers, size_t n_users,
                                                  double limit_s, struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_worker_ahead *a = gcal_arena_alloc(arena, 1, sizeof(*a));

    a->arena = arena;
    a->end = &a->first;
    a->n_users = a->n_outside = a->n_adding = n_users;
    pthread_mutex_init(&a->lock, NULL);
    gcal_thread_condition_init(&a->changed);
    a->cache = gcal_worker_spawner_cache(spawner);
    a->device =
        gcal_arena_format(arena, "%s\n%s\n%s", info->name, info->driver, info->version);
    if ((a->builders =
             gcal_worker_builders_start(spawner, info->uid, n_workers, limit_s, err))) {
        if (pthread_create(&a->thread, NULL, build_all, a) == 0)
            return a;
        gcal_worker_builders_stop(a->builders);
        gcal_error_set(err, GCAL_EINPUT, "cannot start a thread");
    }
    destroy(a);
    return NULL;
}

void gcal_worker_ahead_stop(struct gcal_worker_ahead *a)
{
    if (!a)
        return;
    give_up(a);
    if (!a->is_joined)
        pthread_join(a->thread, NULL);
    destroy(a);
}

void gcal_worker_ahead_advance(struct gcal_worker_ahead *a,
                               enum gcal_worker_ahead_stage *at,
                               enum gcal_worker_ahead_stage to)
{
    size_t *counts[] = { &a->n_outside, &a->n_adding, &a->n_users };
    bool is_last = false;

    pthread_mutex_lock(&a->lock);
    for (; *at < to; ++*at)
        is_last = --*counts[*at] == 0;
    is_last = is_last && !a->n_users;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    if (is_last) {
        pthread_join(a->thread, NULL);
        a->is_joined = true;
    }
}

void gcal_worker_ahead_add(struct gcal_worker_ahead *a, const struct gcal_kernel *kernel)
{
    char key[GCAL_HASH_TEXT_SIZE];
    struct program *p;

    if (gcal_kernel_is_transfer(kernel))
        return;
    make_key(a, kernel, key);
    pthread_mutex_lock(&a->lock);
    if (!a->stop && !find(a, key)) {
        p = gcal_arena_alloc(a->arena, 1, sizeof(*p));
        memcpy(p->key, key, sizeof(p->key));
        p->kernel.language = kernel->language;
        p->kernel.source = gcal_arena_strdup(a->arena, kernel->source);
        p->kernel.entry = gcal_arena_strdup(a->arena, kernel->entry);
        p->kernel.build_options =
            gcal_arena_strdup(a->arena, text_of(kernel->build_options));
        p->is_known = gcal_worker_cache_get_built(a->cache, key, &p->built);
        p->state = p->is_known ? KNOWN : QUEUED;
        *a->end = p;
        a->end = &p->next;
        if (!a->at)
            a->at = p;
        pthread_cond_broadcast(&a->changed);
    }
    pthread_mutex_unlock(&a->lock);
}

/* For a change, or a tick. */
static void await_change(struct gcal_worker_ahead *a, const struct gcal_worker_tick *tick)
{
    if (gcal_thread_condition_wait(&a->changed, &a->lock, TICK_S) || !tick || !tick->call)
        return;
    pthread_mutex_unlock(&a->lock);
    tick->call(tick->context);
    pthread_mutex_lock(&a->lock);
}

double gcal_worker_ahead_finish(struct gcal_worker_ahead *a,
                                const struct gcal_worker_tick *tick, double limit_s)
{
    double began_s = gcal_clock_now_s();

    pthread_mutex_lock(&a->lock);
    while ((is_any(a, QUEUED) || is_any(a, BUILDING)) &&
           gcal_clock_now_s() < began_s + limit_s)
        await_change(a, tick);
    for (struct program *p = a->first; p; p = p->next)
        if (p->state == QUEUED)
            p->state = NOT_BUILT;
    pthread_mutex_unlock(&a->lock);
    return gcal_clock_now_s() - began_s;
}

bool gcal_worker_ahead_wait(struct gcal_worker_ahead *a, const struct gcal_kernel *kernel,
                            const struct gcal_worker_tick *tick, struct gcal_built *built)
{
    char key[GCAL_HASH_TEXT_SIZE];
    struct program *p;
    bool is_built;

    if (gcal_kernel_is_transfer(kernel))
        return false;
    make_key(a, kernel, key);
    pthread_mutex_lock(&a->lock);
    p = find(a, key);
    if (p && p->state == QUEUED)
        p->state = NOT_BUILT;
    while (p && p->state == BUILDING && !p->is_known)
        await_change(a, tick);
    is_built = p && (p->state == BUILT || p->is_known);
    if (is_built)
        *built = p->built;
    pthread_mutex_unlock(&a->lock);
    return is_built;
}

const struct gcal_kernel *gcal_worker_ahead_next(struct gcal_worker_ahead *a,
                                                 const struct gcal_kernel *kernel)
{
    char key[GCAL_HASH_TEXT_SIZE];
    const struct program *p;

    if (gcal_kernel_is_transfer(kernel))
        return NULL;
    make_key(a, kernel, key);
    pthread_mutex_lock(&a->lock);
    p = find(a, key);
    p = p && p->next && (p->next->state == BUILT || p->next->state == KNOWN) ? p->next
                                                                             : NULL;
    pthread_mutex_unlock(&a->lock);
    return p ? &p->kernel : NULL;
}

void gcal_worker_ahead_doubt(struct gcal_worker_ahead *a)
{
    pthread_mutex_lock(&a->lock);
    for (struct program *p = a->first; p && !a->stop; p = p->next)
        if (p->state == KNOWN)
            p->state = QUEUED;
    a->at = a->first;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
}
