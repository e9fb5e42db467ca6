/* stress.c - a store with many users, with killed publishers, and on a full disk
 *
 *   stress use SECONDS   64 readers, 4 publishers, and one that verifies and prunes
 *   stress kill TIMES    kills publishers at random moments
 *   stress full          on a file system of 1 MiB
 *
 * Publishes a real parameter file; each publication changes the run and the first cost of
 * every device together, so that a mixed file would show.  Exit status: 0 good, 1 not, 77
 * cannot be tried here.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/base/random.h"
#include "store/ledger/ledger.h"
#include "store/files/store.h"
#include "store/ledger/track.h"
#include "store/publish/publish.h"

enum { N_NODES = 3, N_PUBLISHERS = 4, N_PROCESSES = 8, N_THREADS = 8, MAX_KEPT = 5 };

static const char *const nodes[N_NODES] = { "n1", "n2", "n3" };
static char folder[] = "/tmp/gpucal-stress-XXXXXX";

/* Ends the process; keeps the store for inspection. */
static void fail(const char *what, const char *why)
{
    fprintf(stderr, "stress: %s: %s (%s)\n", what, why, folder);
    exit(1);
}

static void must(int rc, const char *what, const struct gcal_error *err)
{
    if (rc < 0)
        fail(what, err->text);
}

/* ---- publications ---- */

/* Cost 0 of every model identifies the publication. */
static void number_params(struct gcal_params *params, const char *run_id, double number)
{
    for (size_t d = 0; d < params->n_devices; d++) {
        struct gcal_params_device *device = &params->devices[d];

        free(device->run_id);
        device->run_id = strdup(run_id);
        for (size_t m = 0; m < device->n_models; m++)
            device->models[m].value[0] = 1e-12 * number;
    }
}

static struct gcal_params read_params(void)
{
    struct gcal_error err;
    struct gcal_params params = { 0 };
    size_t size;
    char *text = gcal_file_read(TEST_DATA "/h200/vm.yaml", 1 << 24, &size, &err);

    if (!text || gcal_params_decode(text, size, "params", &params, &err) < 0)
        fail("params", err.text);
    free(text);
    return params;
}

static int publish(struct gcal_store *store, struct gcal_params *params, const char *node,
                   long number, struct gcal_error *err)
{
    char run_id[60];

    snprintf(run_id, sizeof(run_id), "r%09ld-%d", number, (int)getpid());
    number_params(params, run_id, (double)number + 1);
    free(params->node);
    params->node = strdup(node);
    if (gcal_store_publish(store, params, run_id, err) < 0)
        return -1;
    return gcal_store_publish_type(store, params, "a-type", run_id, err) < 0 ? -1 : 0;
}

/* Checks that the file is complete and of one publication; returns its number. */
static long check_params(const struct gcal_params *params)
{
    const struct gcal_params_device *first = params->devices;

    for (size_t d = 0; d < params->n_devices; d++) {
        const struct gcal_params_device *device = &params->devices[d];

        if (strcmp(device->run_id, first->run_id) != 0)
            fail("mixed runs", device->run_id);
        for (size_t m = 0; m < device->n_models; m++)
            if (device->models[m].value[0] != first->models[0].value[0])
                fail("mixed costs", device->run_id);
    }
    return lround(1e12 * first->models[0].value[0]) - 1;
}

static long load(const struct gcal_store *store, const char *node)
{
    struct gcal_error err;
    struct gcal_params params;
    long number;

    must(gcal_store_load(store, node, NULL, &params, &err), "missing or torn", &err);
    number = check_params(&params);
    gcal_params_clear(&params);
    return number;
}

static struct gcal_store *open_store(bool writable)
{
    struct gcal_error err = { 0 };
    struct gcal_store *store =
        writable ? gcal_store_open_writable(folder, &err) : gcal_store_open(folder, &err);

    if (!store)
        fail("open", err.text);
    return store;
}

/* The number of publications that were interrupted. */
static size_t verify(const struct gcal_store *store, const char *when)
{
    struct gcal_error err;
    struct gcal_verify_result v;
    size_t interrupted;

    must(gcal_store_verify(store, &v, &err), "verify", &err);
    if (v.n_damaged)
        fail(when, v.text);
    interrupted = v.n_interrupted;
    gcal_verify_result_clear(&v);
    return interrupted;
}

/* ---- use ---- */

/* Shared by all processes. */
static struct totals {
    double until_s;
    size_t reads, tracks, publications, checks;
} * totals;

static void publish_until_the_end(int which)
{
    uint64_t random = 7 + (uint64_t)which;
    struct gcal_store *store = open_store(true);
    struct gcal_params params = read_params();
    struct gcal_error err = { 0 };

    for (long i = 0; gcal_clock_now_s() < totals->until_s; i++) {
        const char *node = nodes[gcal_random_next(&random) % N_NODES];

        must(publish(store, &params, node, i, &err), "publish", &err);
        __atomic_add_fetch(&totals->publications, 1, __ATOMIC_RELAXED);
    }
    gcal_params_clear(&params);
    gcal_store_close(store);
}

static void read_model(const struct gcal_store *store, const char *node)
{
    struct gcal_error err;
    struct gcal_params_model model;
    struct gcal_params_index *index = gcal_store_load_index(store, node, NULL, &err);

    if (!index)
        fail("missing or torn", err.text);
    must(gcal_params_index_model(index, 0, 0, &model, &err), "model", &err);
    gcal_params_model_clear(&model);
    gcal_params_index_destroy(index);
}

static void read_track(const struct gcal_store *store, const char *node)
{
    struct gcal_error err;
    struct gcal_track track;

    must(gcal_track_load(store, node, &track, &err), "track", &err);
    if (track.n_runs == 0)
        fail("track", "it has no runs");
    gcal_track_clear(&track);
    __atomic_add_fetch(&totals->tracks, 1, __ATOMIC_RELAXED);
}

static void *read_until_the_end(void *shared)
{
    const struct gcal_store *store = shared;

    for (size_t i = 0; gcal_clock_now_s() < totals->until_s; i++) {
        const char *node = nodes[i % N_NODES];

        load(store, node);
        read_model(store, node);
        if (i % 50 == 0)
            read_track(store, node);
        __atomic_add_fetch(&totals->reads, 2, __ATOMIC_RELAXED);
        gcal_clock_sleep_s(0.1); /* the publishers need a turn, too */
    }
    return NULL;
}

static void read_in_threads(void)
{
    struct gcal_store *store = open_store(false);
    pthread_t threads[N_THREADS];

    for (int i = 0; i < N_THREADS; i++)
        if (pthread_create(&threads[i], NULL, read_until_the_end, store))
            fail("thread", "cannot be made");
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    gcal_store_close(store);
}

/* Verification takes no lock, but must not report a running publication as damage. */
static void look_after_until_the_end(void)
{
    struct gcal_store *store = open_store(true);
    struct gcal_error err;
    size_t removed;

    while (gcal_clock_now_s() < totals->until_s) {
        verify(store, "in use");
        must(gcal_store_prune(store, 20 * MAX_KEPT, NAN, false, &removed, NULL, &err),
             "prune", &err);
        __atomic_add_fetch(&totals->checks, 1, __ATOMIC_RELAXED);
    }
    gcal_store_close(store);
}

/* Waits for 'n' children, all of which must end well. */
static void wait_for(int n)
{
    int status;

    for (int i = 0; i < n; i++)
        if (wait(&status) < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
            fail("child", "failed");
}

static void publish_all_once(void)
{
    struct gcal_store *store = open_store(true);
    struct gcal_params params = read_params();
    struct gcal_error err = { 0 };

    for (int i = 0; i < N_NODES; i++)
        must(publish(store, &params, nodes[i], 0, &err), "publish", &err);
    gcal_params_clear(&params);
    gcal_store_close(store);
}

static void use(double seconds)
{
    struct gcal_store *store;

    publish_all_once();
    totals->until_s = gcal_clock_now_s() + seconds;
    for (int i = 0; i <= N_PUBLISHERS + N_PROCESSES; i++)
        if (fork() == 0) {
            if (i < N_PUBLISHERS)
                publish_until_the_end(i);
            else if (i < N_PUBLISHERS + N_PROCESSES)
                read_in_threads();
            else
                look_after_until_the_end();
            exit(0);
        }
    wait_for(N_PUBLISHERS + N_PROCESSES + 1);
    store = open_store(false);
    if (verify(store, "after use"))
        fail("after use", "a publication was interrupted");
    gcal_store_close(store);
    printf("%zu reads, %zu of tracks, %zu publications and %zu checks in %g s\n",
           totals->reads, totals->tracks, totals->publications, totals->checks, seconds);
    if (totals->reads < 100 || totals->publications < 10)
        fail("use", "too few operations");
}

/* ---- kill ---- */

static void publish_for_ever(long first)
{
    struct gcal_store *store = open_store(true);
    struct gcal_params params = read_params();
    struct gcal_error err = { 0 };

    for (long i = first;; i++) {
        must(publish(store, &params, nodes[0], i, &err), "publish", &err);
        __atomic_store_n(&totals->publications, (size_t)i, __ATOMIC_RELAXED);
    }
}

/* From 0 to this many seconds, the time of two or three publications. */
static void kill_one(uint64_t *random, double most_s)
{
    pid_t child = fork();
    int status;

    if (child == 0)
        publish_for_ever((long)totals->publications + 1);
    gcal_clock_sleep_s(most_s * (double)(gcal_random_next(random) % 1000) / 1000);
    kill(child, SIGKILL);
    if (waitpid(child, &status, 0) < 0 || !WIFSIGNALED(status))
        fail("publisher", "ended before it was killed");
}

static void kill_publishers(int times)
{
    struct gcal_store *store;
    struct gcal_error err;
    uint64_t random = 4711;
    size_t interrupted = 0, removed;
    long before, after;

    publish_all_once();
    store = open_store(true);
    before = load(store, nodes[0]);
    for (int i = 0; i < times; i++) {
        kill_one(&random, 0.3);
        interrupted += verify(store, "after a kill") > 0;
        after = load(store, nodes[0]);
        if (after < before)
            fail("after a kill", "the current file is older than before");
        before = after;
        if (i % 10 == 9)
            must(gcal_store_prune(store, MAX_KEPT, NAN, false, &removed, NULL, &err),
                 "prune", &err);
    }
    gcal_store_close(store);
    publish_all_once();
    store = open_store(false);
    if (verify(store, "at the end"))
        fail("at the end", "publishing again did not repair the interruption");
    gcal_store_close(store);
    printf("%d kills, %zu publications, of which %zu were interrupted\n", times,
           totals->publications, interrupted);
    if (!interrupted)
        fail("kill", "no publication was ever interrupted");
}

/* ---- full ---- */

/* A private file system that ends with this process. */
static void mount_small(void)
{
    if (unshare(CLONE_NEWNS) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0) {
        printf("skipped: a mount namespace is not permitted: %s\n", strerror(errno));
        exit(77);
    }
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount("gpucal", folder, "tmpfs", 0, "size=1m,mode=755") < 0) {
        printf("skipped: mounting is not permitted: %s\n", strerror(errno));
        exit(77);
    }
}

/* Leaves 'room' bytes free. */
static void fill_up(const char *ballast, size_t room)
{
    static char block[4096] = "ballast";
    int fd = open(ballast, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    off_t size = 0;
    ssize_t got;

    while ((got = write(fd, block, sizeof(block))) > 0)
        size += got;
    if (fd < 0 || errno != ENOSPC || ftruncate(fd, size - (off_t)room) < 0)
        fail("ballast", strerror(errno));
    close(fd);
}

/* Publishes with that much room: whether it failed, in the right way. */
static bool fails_well(struct gcal_params *params, size_t room, long number)
{
    char *ballast = gcal_buf_format("%s/ballast", folder);
    struct gcal_store *store = open_store(true);
    long before = load(store, nodes[0]);
    struct gcal_error err = { 0 };
    bool failed;

    fill_up(ballast, room);
    failed = publish(store, params, nodes[0], number, &err) < 0;
    if (failed && (err.code != GCAL_ESTORE || !strstr(err.text, "No space left")))
        fail("full disk", err.text);
    verify(store, "on a full disk");
    /* The publication of a type comes after that of the node. */
    if (load(store, nodes[0]) != before && load(store, nodes[0]) != number)
        fail("full disk", "neither the old file nor the new one is current");
    if (unlink(ballast) < 0)
        fail("ballast", strerror(errno));
    must(publish(store, params, nodes[0], number + 1, &err), "publish again", &err);
    if (verify(store, "after there was room again"))
        fail("after there was room again", "a publication is still interrupted");
    gcal_store_close(store);
    free(ballast);
    return failed;
}

static void fill_disk(void)
{
    struct gcal_params params = read_params();
    size_t failures = 0, n = 0, removed;
    struct gcal_store *store;
    struct gcal_error err;

    mount_small();
    publish_all_once();
    for (size_t room = 0; room <= 64 << 10; room += 4096, n++) {
        failures += fails_well(&params, room, 10 * (long)(room + 1));
        store = open_store(true);
        must(gcal_store_prune(store, MAX_KEPT, NAN, false, &removed, NULL, &err), "prune",
             &err);
        gcal_store_close(store);
    }
    gcal_params_clear(&params);
    printf("%zu of %zu publications had too little room\n", failures, n);
    if (failures < 3 || failures == n)
        fail("full disk", "it was never full, or always");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    double number = argc > 2 ? strtod(argv[2], NULL) : 0;
    char *clean;
    int status = 0;

    totals = mmap(NULL, sizeof(*totals), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (totals == MAP_FAILED || !mkdtemp(folder))
        fail("set-up", strerror(errno));
    if (strcmp(what, "use") == 0 && number > 0)
        use(number);
    else if (strcmp(what, "kill") == 0 && number > 0)
        kill_publishers((int)number);
    else if (strcmp(what, "full") == 0)
        fill_disk();
    else
        status = 1;
    if (status)
        fprintf(stderr, "usage: stress use SECONDS | kill TIMES | full\n");
    fflush(stdout);
    clean = gcal_buf_format("rm -rf %s 2>/dev/null; true", folder);
    if (!clean || system(clean) != 0)
        status = 1;
    free(clean);
    return status;
}
