/* stress_observe.c - programs that observe times, beside a publisher that learns from them
 *
 *   stress_observe use SECONDS    16 threads of this process, and one that merges
 *   stress_observe kill SECONDS   processes of 16 threads, killed at random moments
 *   stress_observe both SECONDS   the same, and so is the one that merges
 *
 * Each written time has to be merged once (or again, where a merging process was killed), no line
 * may be torn but the last one of a killed process, and the store has to verify.  Prints what was
 * seen; exit status 0 good, 1 not.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/arena.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/model/profile.h"
#include "calib/learn/kernel.h"
#include "calib/learn/observed.h"
#include "store/lib/gpucal.h"
#include "store/publish/publish.h"
#include "tests/calib/learn/kernel.h"
#include "tests/store/sample.h"

enum { N_THREADS = 16, N_KERNELS = 3, N_SIZES = 40, N_PROCESSES = 2 };

static char *folder;
static const char *const fingerprints[N_KERNELS] = { "00000000000000000000000000000001",
                                                     "00000000000000000000000000000002",
                                                     "00000000000000000000000000000003" };

/* Shared with child processes. */
static struct shared {
    atomic_size_t written, called;
    atomic_bool stop;
} * shared;

static size_t n_merged, n_merges, n_published, n_damaged;

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "stress_observe: %s: %s (%s)\n", what, why, folder);
    _exit(1);
}

/* ---- a program ---- */

struct program {
    struct gpucal_store *store;
    struct gpucal_device *device;
    struct gpucal_profile *profiles[N_KERNELS];
    struct gpucal_model *models[N_KERNELS];
};

static void open_program(struct program *p)
{
    struct gpucal_error err;

    p->store = gpucal_store_open(folder, &err);
    if (!p->store || !(p->device = gpucal_device_open(p->store, "n1", NULL, &err)))
        fail("open", err.text);
    for (size_t i = 0; i < N_KERNELS; i++) {
        char line[80], *text;
        struct gcal_profile *counted;

        snprintf(line, sizeof(line), "fingerprint: '%s'\n", fingerprints[i]);
        counted = learn_kernel(line);
        text = gcal_profile_encode(counted, NULL);
        if (!(p->profiles[i] = gpucal_profile_parse(text, strlen(text), "work", &err)) ||
            !(p->models[i] = gpucal_model_bind(p->device, NULL, p->profiles[i], &err)))
            fail("kernel", err.text);
        gcal_profile_destroy(counted);
        free(text);
    }
}

static void close_program(struct program *p)
{
    for (size_t i = 0; i < N_KERNELS; i++) {
        gpucal_model_close(p->models[i]);
        gpucal_profile_close(p->profiles[i]);
    }
    gpucal_device_close(p->device);
    gpucal_store_close(p->store);
}

/* Launches, and predictions between them. */
static void *observe(void *context)
{
    const struct program *p = context;
    uint64_t random = (uint64_t)(uintptr_t)&random ^ (uint64_t)getpid();

    while (!atomic_load(&shared->stop)) {
        size_t kernel = gcal_random_next(&random) % N_KERNELS;
        double sizes[] = { 4096.0 * (double)(1 + gcal_random_next(&random) % N_SIZES),
                           512 };
        struct gpucal_prediction prediction;
        struct gpucal_error err;
        int rc;

        if (gpucal_predict(p->models[kernel], sizes, &prediction, &err) < 0)
            fail("predict", err.text);
        rc = gpucal_observe(p->device, p->profiles[kernel], sizes,
                            prediction.time_s * (1 + 0.02 * gcal_random_share(&random)),
                            &err);
        if (rc < 0)
            fail("observe", err.text);
        atomic_fetch_add(&shared->written, (size_t)rc);
        atomic_fetch_add(&shared->called, 1);
    }
    return NULL;
}

static void run_program(void)
{
    pthread_t threads[N_THREADS];
    struct program p;

    open_program(&p);
    for (size_t i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, observe, &p);
    for (size_t i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    close_program(&p);
}

static void *run_thread(void *unused)
{
    (void)unused;
    run_program();
    return NULL;
}

/* ---- the publisher ---- */

static void merge(void)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_error err;
    struct gcal_store *store = gcal_store_open_writable(folder, &err);
    const struct gcal_learn_run run = { gcal_arena_format(arena, "m%d-%zu", (int)getpid(),
                                                          n_merges),
                                        "2026-11-27T12:00:00Z" };
    struct gcal_observed observed;

    if (!store || gcal_learn_observed(arena, store, &run, false, &observed, &err) < 0)
        fail("merge", err.text);
    for (size_t i = 0; i < observed.n; i++) {
        if (observed.kernels[i].why)
            fail("a kernel is not learned", observed.kernels[i].why);
        n_merged += observed.kernels[i].n_times;
    }
    n_merges++;
    n_published += observed.n_learned;
    n_damaged += observed.n_damaged;
    gcal_store_close(store);
    gcal_arena_destroy(arena);
}

/* ---- modes ---- */

static void use(double seconds)
{
    double end_s = gcal_clock_now_s() + seconds;
    pthread_t thread;

    pthread_create(&thread, NULL, run_thread, NULL);
    while (gcal_clock_now_s() < end_s) {
        merge();
        gcal_clock_sleep_s(0.05);
    }
    atomic_store(&shared->stop, true);
    pthread_join(thread, NULL);
}

static pid_t start(void (*body)(void))
{
    pid_t child;

    fflush(NULL);
    if ((child = fork()) == 0) {
        body();
        _exit(0);
    }
    return child;
}

static void merge_for_ever(void)
{
    for (;;)
        merge();
}

static size_t kill_all(double seconds, bool kills_merger)
{
    double end_s = gcal_clock_now_s() + seconds;
    pid_t children[N_PROCESSES] = { 0 }, merger = 0;
    uint64_t random = (uint64_t)getpid();
    size_t n_killed = 0;

    while (gcal_clock_now_s() < end_s) {
        size_t i = gcal_random_next(&random) % N_PROCESSES;

        if (!children[i])
            children[i] = start(run_program);
        if (kills_merger && !merger)
            merger = start(merge_for_ever);
        else if (!kills_merger)
            merge();
        gcal_clock_sleep_s(0.15 * gcal_random_share(&random));
        if (gcal_random_next(&random) % 2) {
            kill(children[i], SIGKILL);
            waitpid(children[i], NULL, 0);
            children[i] = 0;
            n_killed++;
        } else if (merger) {
            kill(merger, SIGKILL);
            waitpid(merger, NULL, 0);
            merger = 0;
        }
    }
    for (size_t i = 0; i < N_PROCESSES; i++)
        if (children[i]) {
            kill(children[i], SIGKILL);
            waitpid(children[i], NULL, 0);
            n_killed++;
        }
    if (merger) {
        kill(merger, SIGKILL);
        waitpid(merger, NULL, 0);
    }
    return n_killed;
}

int main(int argc, char **argv)
{
    double seconds = argc == 3 ? strtod(argv[2], NULL) : 0;
    struct gcal_params params = learn_device(TEST_DATA "/general/h100.yaml");
    size_t n_killed = 0, written;
    bool is_both;
    struct gcal_store *store;
    struct gcal_error err;

    if (argc != 3)
        return 2;
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    folder = sample_folder();
    free(params.node);
    params.node = strdup("n1");
    store = gcal_store_open_writable(folder, &err);
    if (gcal_store_publish(store, &params, "r0", &err) < 0)
        fail("publish", err.text);
    gcal_store_close(store);
    gcal_params_clear(&params);

    is_both = strcmp(argv[1], "both") == 0;
    if (strcmp(argv[1], "use") == 0)
        use(seconds);
    else
        n_killed = kill_all(seconds, is_both);
    merge();
    written = atomic_load(&shared->written);
    printf("%zu launches, %zu written, %zu merged by %zu merges with %zu publications, "
           "%zu killed, %zu lines cut\n",
           atomic_load(&shared->called), written, n_merged, n_merges, n_published,
           n_killed, n_damaged);
    /* A process may be killed between writing a time and counting it; cut lines also by merging twice. */
    if (!is_both && (n_merged < written || n_merged > written + N_THREADS * n_killed))
        fail("times were lost, or came twice", "");
    if (n_damaged > n_killed)
        fail("lines were torn", "");
    sample_expect_verified(folder, 0, 0, NULL);
    sample_folder_remove(folder);
    return 0;
}
