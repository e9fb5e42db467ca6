/* threads.h - independent jobs, shared by some threads */
#ifndef GCAL_KERNELS_BASE_THREADS_H
#define GCAL_KERNELS_BASE_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct gcal_error;
struct gcal_thread;

/* A thread with a stack for deep recursion, to be joined; NULL with 'err'. */
struct gcal_thread *gcal_thread_start(void *(*function)(void *context), void *context,
                                      struct gcal_error *err);
/* Waits for its end; NULL is allowed. */
void gcal_thread_join(struct gcal_thread *thread);

/* A condition with limited waits, by a clock without steps. */
void gcal_thread_condition_init(pthread_cond_t *condition);
/* False if 'seconds' passed without a signal. */
bool gcal_thread_condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock,
                                double seconds);

/* Processors that this process may use (a launcher may bind it to some), at least 1. */
size_t gcal_threads_processors(void);

/* Runs job(context, i, err) once for each i of 0 to n_jobs - 1, on up to 'max_threads'
 * threads; the calling thread is one of them, and suffices if no other can be started.
 * All jobs run, even if one fails.  0, or -1 with the error of the failed job with the
 * lowest i, which does not depend on the number of threads.
 */
int gcal_threads_run(size_t n_jobs, size_t max_threads,
                     int (*job)(void *context, size_t i, struct gcal_error *err),
                     void *context, struct gcal_error *err);

/* The same on as many threads as processors are left by other calls of this function that run
 * now: jobs may call it, too.
 */
int gcal_threads_share(size_t n_jobs,
                       int (*job)(void *context, size_t i, struct gcal_error *err),
                       void *context, struct gcal_error *err);

#endif
