/* make_store.c - a store of any size from one real parameter file
 *
 *   make_store STORE FILE NODES RUNS SIGMA DRIFTED
 *
 * STORE is an empty folder.  FILE is a node's file with per-device estimates.  Each of
 * NODES nodes has the file's first device with another uid, each cost different by 1 %
 * (standard deviation) from the other nodes, calibrated RUNS times; each value varies by
 * SIGMA, relative, from run to run.  Every DRIFTED-th node (0: none) is 10 % slower in
 * its last 5 runs.  The store is as after 'gpucal store prune --keep 1', and 'gpucal
 * store verify' finds no damage.
 *
 * Files are written by the encoders of publishing, but without waiting for the disk.  The
 * SHA-256 of pruned files are made up, as those files were never written.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/base/hash.h"
#include "kernels/base/random.h"
#include "store/ledger/ledger.h"
#include "store/files/store.h"
#include "store/ledger/track.h"
#include "store/publish/publish.h"

#define BETWEEN_DEVICES 0.01
#define DRIFT           1.10
#define DRIFTED_RUNS    5
#define FIRST_RUN_S     1767225600 /* 2026-01-01, then one a day */
#define DAY_S           86400

/* Replaces the system's: these stores need not survive a crash. */
int fsync(int fd)
{
    (void)fd;
    return 0;
}

struct maker {
    const char *path;
    struct gcal_store *store;
    struct gcal_params params; /* one device, changed from run to run */
    size_t n_values;
    double *own;    /* n_values, in FILE */
    double *device; /* the same of the present node */
    size_t n_runs;
    double sigma;
    uint64_t random;
};

struct run {
    char id[40], utc[GCAL_CLOCK_UTC_SIZE];
    char sha256[GCAL_HASH_TEXT_SIZE], track[GCAL_HASH_TEXT_SIZE], *kept;
};

static void die(const struct gcal_error *err)
{
    fprintf(stderr, "make_store: %s\n", err->text);
    exit(1);
}

static void *need(void *memory)
{
    struct gcal_error err;

    if (!memory) {
        gcal_error_memory(&err);
        die(&err);
    }
    return memory;
}

/* ---- random values ---- */

static double uniform(uint64_t *random)
{
    return ((double)(gcal_random_next(random) >> 11) + 0.5) / 9007199254740992.0;
}

/* Box and Muller. */
static double normal(uint64_t *random)
{
    double radius = sqrt(-2 * log(uniform(random)));

    return radius * cos(2 * M_PI * uniform(random));
}

/* ---- the device ---- */

/* Per-device estimate number i of all models; NULL after the last. */
static double *estimate(struct gcal_params *params, size_t i, const char **unit)
{
    struct gcal_params_device *d = params->devices;

    for (size_t k = 0; k < d->n_models; k++) {
        struct gcal_params_model *m = &d->models[k];

        if (i < m->n_parameters) {
            *unit = m->unit[i];
            return &m->own[i];
        }
        i -= m->n_parameters;
    }
    return NULL;
}

/* A file without per-device estimates gets the fit of its type instead.
 */
static void take_fit(struct gcal_params_device *d)
{
    for (size_t k = 0; k < d->n_models; k++)
        for (size_t i = 0; i < d->models[k].n_parameters; i++) {
            struct gcal_params_model *m = &d->models[k];

            if (!m->at_bound[i] && m->standard_error[i] > 0) {
                m->own[i] = m->value[i];
                m->own_error[i] = m->standard_error[i];
            }
        }
}

static void set_text(char **text, const char *value)
{
    free(*text);
    *text = need(strdup(value));
}

static void read_device(struct maker *m, const char *file)
{
    struct gcal_error err = { 0 };
    size_t size, known = 0;
    char *text = gcal_file_read(file, 16 << 20, &size, &err);
    const char *unit;

    if (!text || gcal_params_decode(text, size, file, &m->params, &err) < 0)
        die(&err);
    free(text);
    m->params.n_devices = 1; /* the others stay unused */
    while (estimate(&m->params, m->n_values, &unit))
        m->n_values++;
    m->own = need(calloc(m->n_values + 1, sizeof(double)));
    m->device = need(calloc(m->n_values + 1, sizeof(double)));
    for (size_t i = 0; i < m->n_values; i++)
        known += isfinite(*estimate(&m->params, i, &unit));
    if (!known)
        take_fit(m->params.devices);
    for (size_t i = 0; i < m->n_values; i++)
        m->own[i] = *estimate(&m->params, i, &unit);
}

static void begin_node(struct maker *m, size_t node)
{
    char text[80];

    m->random = 2385 + node; /* reproducible */
    snprintf(text, sizeof(text), "node%05zu", node);
    set_text(&m->params.node, text);
    snprintf(text, sizeof(text), "uuid:%016llx",
             (unsigned long long)gcal_random_next(&m->random));
    set_text(&m->params.devices->info.uid, text);
    for (size_t i = 0; i < m->n_values; i++)
        m->device[i] = m->own[i] * exp(BETWEEN_DEVICES * normal(&m->random));
}

/* Only costs, in s, are slower; other parameters are not times. */
static void measure(struct maker *m, const struct run *run, bool drifted)
{
    struct gcal_params_device *d = m->params.devices;
    const char *unit = "";

    set_text(&d->run_id, run->id);
    set_text(&d->calibrated_utc, run->utc);
    for (size_t i = 0; i < m->n_values; i++) {
        double *own = estimate(&m->params, i, &unit);

        *own = m->device[i] * exp(m->sigma * normal(&m->random));
        if (drifted && strcmp(unit, "s") == 0)
            *own *= DRIFT;
    }
}

/* ---- its files ---- */

static void write_file(const struct maker *m, const char *name, const char *data,
                       size_t size)
{
    char *path = need(gcal_buf_format("%s/%s", m->path, name));
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

    if (fd < 0 || fchmod(fd, 0644) < 0 || write(fd, data, size) != (ssize_t)size) {
        perror(path);
        exit(1);
    }
    close(fd);
    free(path);
}

static void name_run(struct maker *m, size_t node, size_t i, struct run *run)
{
    time_t when = FIRST_RUN_S + DAY_S * (time_t)i + (time_t)(node % 3600);
    char day[24];
    struct tm tm;

    gmtime_r(&when, &tm);
    strftime(day, sizeof(day), "%Y%m%dT%H%M%SZ", &tm);
    strftime(run->utc, sizeof(run->utc), "%Y-%m-%dT%H:%M:%SZ", &tm);
    snprintf(run->id, sizeof(run->id), "%s-%08x", day,
             (unsigned)(gcal_random_next(&m->random) >> 32));
    run->kept = need(gcal_buf_format("history/%s/%s.yaml", m->params.node, run->id));
    gcal_hash(run->kept, strlen(run->kept), run->sha256);
}

/* Only the lines of the first run define the columns. */
static char *add_to_track(struct maker *m, struct run *run, struct gcal_buf *track,
                          struct gcal_track *before, char *first)
{
    struct gcal_error err = { 0 };
    size_t size;
    char *lines =
        gcal_track_encode(&m->params, run->id, first ? before : NULL, &size, &err);

    if (!lines)
        die(&err);
    gcal_hash(lines, size, run->track);
    gcal_buf_put(track, lines, size);
    if (!first) {
        if (gcal_track_decode(lines, size, "track", before, &err) < 0)
            die(&err);
        return lines;
    }
    free(lines);
    return first;
}

static void write_track(struct maker *m, size_t node, struct run *runs, bool drifts)
{
    char *name = need(gcal_buf_format("tracks/%s.tsv", m->params.node)), *first = NULL;
    struct gcal_track before = { 0 };
    struct gcal_buf track = { 0 };

    for (size_t i = 0; i < m->n_runs; i++) {
        name_run(m, node, i, &runs[i]);
        measure(m, &runs[i], drifts && i + DRIFTED_RUNS >= m->n_runs);
        first = add_to_track(m, &runs[i], &track, &before, first);
    }
    need(track.data);
    write_file(m, name, track.data, track.size);
    gcal_track_clear(&before);
    gcal_buf_free(&track);
    free(first);
    free(name);
}

/* The file of the last run: the current one and its copy in the history. */
static void write_params(struct maker *m, struct run *last)
{
    char *name = need(gcal_buf_format("nodes/%s.yaml", m->params.node));
    char *folder = need(gcal_buf_format("%s/history/%s", m->path, m->params.node));
    struct gcal_error err = { 0 };
    size_t size;
    char *text = gcal_params_encode(&m->params, &size, &err);

    if (!text)
        die(&err);
    if (mkdir(folder, 0755) < 0 || chmod(folder, 0755) < 0) {
        perror(folder);
        exit(1);
    }
    gcal_hash(text, size, last->sha256);
    write_file(m, last->kept, text, size);
    write_file(m, name, text, size);
    free(text);
    free(folder);
    free(name);
}

/* All runs are published, and all but the last pruned. */
static void write_ledger(struct maker *m, const struct run *runs)
{
    const struct gcal_params_device *d = m->params.devices;
    size_t n = m->n_runs, count = 2 * n - 1;
    struct gcal_ledger_entry *entries = need(calloc(count, sizeof(*entries)));
    char *file = need(gcal_buf_format("nodes/%s.yaml", m->params.node));
    char drivers[GCAL_HASH_TEXT_SIZE];
    struct gcal_error err = { 0 };

    gcal_hash(d->info.driver, strlen(d->info.driver), drivers);
    for (size_t i = 0; i < n; i++)
        entries[i] = (struct gcal_ledger_entry){
            .action = "publish",
            .run_id = runs[i].id,
            .configuration = d->configuration,
            .catalogue = d->catalogue,
            .drivers = drivers,
            .file = file,
            .sha256 = runs[i].sha256,
            .replaces = i ? runs[i - 1].sha256 : NULL,
            .track = runs[i].track,
        };
    for (size_t i = 0; i + 1 < n; i++)
        entries[n + i] = (struct gcal_ledger_entry){
            .action = "prune",
            .run_id = runs[i].id,
            .file = runs[i].kept,
            .sha256 = runs[i].sha256,
        };
    if (gcal_ledger_append(m->store, entries, count, &err) < 0)
        die(&err);
    free(entries);
    free(file);
}

static void make_node(struct maker *m, size_t node, bool drifts)
{
    struct run *runs = need(calloc(m->n_runs, sizeof(*runs)));

    begin_node(m, node);
    write_track(m, node, runs, drifts);
    write_params(m, &runs[m->n_runs - 1]);
    write_ledger(m, runs);
    for (size_t i = 0; i < m->n_runs; i++)
        free(runs[i].kept);
    free(runs);
}

/* Every n-th node from the k-th on. */
static void make_nodes(struct maker *m, size_t n_nodes, size_t every, size_t k, size_t n)
{
    struct gcal_error err = { 0 };

    if (!(m->store = gcal_store_open_writable(m->path, &err)))
        die(&err);
    for (size_t i = k; i < n_nodes; i += n)
        make_node(m, i, every && i % every == every - 1);
    gcal_store_close(m->store);
}

int main(int argc, char **argv)
{
    struct maker m = { 0 };
    size_t n_nodes, every, n = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
    int status, failed = 0;

    if (argc != 7 || !(n_nodes = strtoul(argv[3], NULL, 10)) ||
        !(m.n_runs = strtoul(argv[4], NULL, 10))) {
        fprintf(stderr, "usage: make_store STORE FILE NODES RUNS SIGMA DRIFTED\n");
        return 1;
    }
    m.path = argv[1];
    m.sigma = strtod(argv[5], NULL);
    every = strtoul(argv[6], NULL, 10);
    read_device(&m, argv[2]);
    for (size_t k = 0; k < n; k++) {
        pid_t child = fork();

        if (child < 0)
            failed = 1;
        if (child == 0) {
            make_nodes(&m, n_nodes, every, k, n);
            return 0;
        }
    }
    while (wait(&status) > 0)
        failed |= status;
    printf("%zu nodes, %zu drifted\n", n_nodes, every ? n_nodes / every : 0);
    gcal_params_clear(&m.params);
    free(m.own);
    free(m.device);
    return failed ? 1 : 0;
}
