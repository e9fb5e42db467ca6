/* comparing.c - outputs compared with the host's by threads, while the device goes on */
#include <pthread.h>
#include <stdlib.h>

#include "kernels/base/arena.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/base/threads.h"
#include "calib/plan/private.h"
#include "kernels/interpret/interpret.h"

/* More would only wait for each other's references, or disturb the device's host. */
#define MOST_THREADS 2
#define TICK_S       0.1

struct gcal_plan_comparison {
    const struct gcal_kernel *kernel;
    struct gcal_arena *arena; /* of the outputs; NULL once they are compared */
    void *const *outputs;
    struct gcal_plan_verdict found;
    bool is_done;
    struct gcal_plan_comparison *next;
};

struct gcal_plan_comparing {
    struct gcal_memo *references;
    const char *device_name;
    uint64_t seed;
    size_t n_threads;
    struct gcal_thread *threads[MOST_THREADS];
    pthread_mutex_t lock; /* of the members below, and of what is done */
    pthread_cond_t changed;
    struct gcal_plan_comparison *first, **end;
    bool stop;
};

/* Sets found->checked: a kernel that the host's interpreter cannot run is measured
 * nevertheless.
 */
void gcal_plan_compare(struct gcal_memo *references, const char *device_name,
                       const struct gcal_kernel *kernel, uint64_t seed,
                       void *const *outputs, struct gcal_plan_verdict *found)
{
    int rc;

    *found = (struct gcal_plan_verdict){ .status = GCAL_MEASUREMENT_WRONG_RESULT };
    if (kernel->unchecked)
        return;
    rc = gcal_plan_compare_outputs(references, kernel, seed, outputs, &found->worst,
                                   &found->why);
    if (rc < 0 && !kernel->reference && gcal_interp_is_unable(&found->why)) {
        gcal_log(GCAL_LOG_WARN, "%s: measured unchecked: %s", device_name,
                 found->why.text);
        found->why = (struct gcal_error){ 0 };
        return;
    }
    found->checked = rc >= 0;
    found->wrong = rc != 0;
    if (found->wrong)
        gcal_log(GCAL_LOG_WARN, "%s: %s", device_name, found->why.text);
}

/* ---- the threads ---- */

/* The next comparison, waited for; NULL at the end. */
static struct gcal_plan_comparison *take(struct gcal_plan_comparing *c)
{
    struct gcal_plan_comparison *next = NULL;

    pthread_mutex_lock(&c->lock);
    while (!c->stop && !c->first)
        pthread_cond_wait(&c->changed, &c->lock);
    if (!c->stop) {
        next = c->first;
        if (!(c->first = next->next))
            c->end = &c->first;
    }
    pthread_mutex_unlock(&c->lock);
    return next;
}

static void *compare_all(void *context)
{
    struct gcal_plan_comparing *c = context;
    struct gcal_plan_comparison *one;

    while ((one = take(c))) {
        struct gcal_plan_verdict found;

        gcal_plan_compare(c->references, c->device_name, one->kernel, c->seed,
                          one->outputs, &found);
        gcal_arena_destroy(one->arena);
        pthread_mutex_lock(&c->lock);
        one->arena = NULL;
        one->found = found;
        one->is_done = true;
        pthread_cond_broadcast(&c->changed);
        pthread_mutex_unlock(&c->lock);
    }
    return NULL;
}

/* ---- for the plan ---- */

struct gcal_plan_comparing *gcal_plan_comparing_start(const struct gcal_plan *plan)
{
    size_t n = gcal_threads_processors() - 1;
    struct gcal_plan_comparing *c;

    if (gcal_plan_needs_host(plan) || !n || !(c = calloc(1, sizeof(*c))))
        return NULL;
    c->references = plan->references;
    c->device_name = plan->info->name;
    c->seed = plan->options->seed;
    c->end = &c->first;
    pthread_mutex_init(&c->lock, NULL);
    gcal_thread_condition_init(&c->changed);
    while (c->n_threads < MOST_THREADS && c->n_threads < n &&
           (c->threads[c->n_threads] = gcal_thread_start(compare_all, c, NULL)))
        c->n_threads++;
    if (c->n_threads)
        return c;
    gcal_plan_comparing_stop(c);
    return NULL;
}

void gcal_plan_comparing_stop(struct gcal_plan_comparing *c)
{
    struct gcal_plan_comparison *one;

    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    c->stop = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    for (size_t i = 0; i < c->n_threads; i++)
        gcal_thread_join(c->threads[i]);
    while ((one = c->first)) { /* its family's verdict has it, too, and frees it */
        c->first = one->next;
        gcal_arena_destroy(one->arena);
    }
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

void gcal_plan_comparing_add(struct gcal_plan_comparing *c, struct gcal_arena *arena,
                             const struct gcal_kernel *kernel, void *const *outputs,
                             struct gcal_plan_verdict *verdict)
{
    struct gcal_plan_comparison *one = calloc(1, sizeof(*one));

    if (!one)
        gcal_arena_out_of_memory();
    one->arena = arena;
    one->kernel = kernel;
    one->outputs = outputs;
    *verdict = (struct gcal_plan_verdict){ .pending = one };
    pthread_mutex_lock(&c->lock);
    *c->end = one;
    c->end = &one->next;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

bool gcal_plan_verdict_is_known(struct gcal_plan *plan, struct gcal_plan_verdict *verdict,
                                bool waits)
{
    struct gcal_plan_comparison *one = verdict->pending;
    double start_s = gcal_clock_now_s();
    bool is_done;

    if (!one)
        return true;
    pthread_mutex_lock(&plan->comparing->lock);
    while (waits && !one->is_done) {
        struct gcal_plan_comparing *c = plan->comparing;
        const struct gcal_worker_tick *tick = &plan->hooks->tick;
        if (!gcal_thread_condition_wait(&c->changed, &c->lock, TICK_S) && tick->call) {
            pthread_mutex_unlock(&c->lock);
            tick->call(tick->context);
            pthread_mutex_lock(&c->lock);
        }
    }
    is_done = one->is_done;
    pthread_mutex_unlock(&plan->comparing->lock);
    plan->spent_s[GCAL_PLAN_SPENT_COMPARING] += gcal_clock_now_s() - start_s;
    if (!is_done)
        return false;
    *verdict = one->found;
    free(one);
    return true;
}

void gcal_plan_note_verdict(struct gcal_plan_row *row,
                            const struct gcal_plan_verdict *verdict)
{
    row->m.checked = verdict->checked;
    row->m.worst_difference = verdict->worst;
    if (!verdict->wrong)
        return;
    row->m.n_samples = 0;
    row->m.stop = GCAL_MEASUREMENT_STOP_NONE;
}

void gcal_plan_verdict_clear(struct gcal_plan_verdict *verdict)
{
    free(verdict->pending);
    verdict->pending = NULL;
}
