/* threads.c - independent jobs, shared by some threads */
#include "kernels/base/threads.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "kernels/base/error.h"

#define MAX_THREADS 64
#define STACK_BYTES                                                                      \
    (16 << 20) /* whatever the limit is: counting recurses over a source */

struct gcal_thread {
    pthread_t thread;
};

struct crew {
    int (*job)(void *context, size_t i, struct gcal_error *err);
    void *context;
    size_t n_jobs;
    atomic_size_t *processors; /* NULL: not counted */
    atomic_size_t next;
    pthread_mutex_t lock; /* of the members below */
    size_t failed;        /* the lowest job that failed; n_jobs: none */
    struct gcal_error error;
};

void gcal_thread_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

bool gcal_thread_condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock,
                                double seconds)
{
    struct timespec until;
    long ns;

    clock_gettime(CLOCK_MONOTONIC, &until);
    ns = until.tv_nsec + (long)(1e9 * (seconds - floor(seconds)));
    until.tv_sec += (time_t)floor(seconds) + ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    return pthread_cond_timedwait(condition, lock, &until) != ETIMEDOUT;
}

size_t gcal_threads_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    cpu_set_t own; /* too small for hosts with more than 1024 */

    if (sched_getaffinity(0, sizeof(own), &own) == 0)
        n = CPU_COUNT(&own);

    return n > 1 ? (size_t)n : 1;
}

static void run_jobs(struct crew *crew)
{
    size_t i;

    while ((i = atomic_fetch_add(&crew->next, 1)) < crew->n_jobs) {
        struct gcal_error err = { 0 };

        if (crew->job(crew->context, i, &err) == 0)
            continue;
        pthread_mutex_lock(&crew->lock);
        if (i < crew->failed) {
            crew->failed = i;
            crew->error = err;
        }
        pthread_mutex_unlock(&crew->lock);
    }
}

static void *help(void *context)
{
    struct crew *crew = context;

    run_jobs(crew);
    if (crew->processors)
        atomic_fetch_sub(crew->processors, 1);
    return NULL;
}

/* 'processors' counts those of helping threads, if not NULL: each is given back when there is
 * nothing more to begin.
 */
static int run(size_t n_jobs, size_t max_threads, atomic_size_t *processors,
               int (*job)(void *context, size_t i, struct gcal_error *err), void *context,
               struct gcal_error *err)
{
    struct crew crew = { .job = job,
                         .context = context,
                         .n_jobs = n_jobs,
                         .processors = processors,
                         .lock = PTHREAD_MUTEX_INITIALIZER,
                         .failed = n_jobs };
    pthread_t threads[MAX_THREADS];
    pthread_attr_t large;
    size_t n_threads = 0; /* besides this one */

    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, STACK_BYTES);
    while (n_threads < MAX_THREADS && n_threads + 1 < max_threads &&
           n_threads + 1 < n_jobs &&
           pthread_create(&threads[n_threads], &large, help, &crew) == 0)
        n_threads++;
    pthread_attr_destroy(&large);
    if (processors) /* of threads that could not be started */
        atomic_fetch_sub(processors, max_threads - 1 - n_threads);
    run_jobs(&crew);
    while (n_threads > 0)
        pthread_join(threads[--n_threads], NULL);
    if (crew.failed == n_jobs)
        return 0;
    if (err)
        *err = crew.error;
    return -1;
}

int gcal_threads_run(size_t n_jobs, size_t max_threads,
                     int (*job)(void *context, size_t i, struct gcal_error *err),
                     void *context, struct gcal_error *err)
{
    return run(n_jobs, max_threads, NULL, job, context, err);
}

struct gcal_thread *gcal_thread_start(void *(*function)(void *context), void *context,
                                      struct gcal_error *err)
{
    struct gcal_thread *thread = calloc(1, sizeof(*thread));
    pthread_attr_t large;
    int code = -1;

    if (thread) {
        pthread_attr_init(&large);
        pthread_attr_setstacksize(&large, STACK_BYTES);
        code = pthread_create(&thread->thread, &large, function, context);
        pthread_attr_destroy(&large);
    }
    if (code == 0)
        return thread;
    free(thread);
    gcal_error_set(err, GCAL_EINPUT, "cannot start a thread");
    return NULL;
}

void gcal_thread_join(struct gcal_thread *thread)
{
    if (thread)
        pthread_join(thread->thread, NULL);
    free(thread);
}

/* Threads of gcal_threads_share() beside those that call it from outside. */
static atomic_size_t n_shared;

/* Takes up to 'wanted' of the processors that are left. */
static size_t take_processors(size_t wanted)
{
    size_t all = gcal_threads_processors() - 1, taken = atomic_load(&n_shared), n;

    do {
        n = taken < all ? all - taken : 0;
        n = n < wanted ? n : wanted;
    } while (!atomic_compare_exchange_weak(&n_shared, &taken, taken + n));
    return n;
}

int gcal_threads_share(size_t n_jobs,
                       int (*job)(void *context, size_t i, struct gcal_error *err),
                       void *context, struct gcal_error *err)
{
    size_t n = n_jobs > 1 ? take_processors(n_jobs - 1) : 0;

    return run(n_jobs, n + 1, &n_shared, job, context, err);
}
