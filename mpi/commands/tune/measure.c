/* measure.c - gpucal tune --measure, --times: a search on a device, or on known times */
#include "mpi/commands/tune/measure.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "mpi/cli/local_device.h"
#include "mpi/cli/option_list.h"
#include "mpi/cli/options.h"
#include "mpi/commands/tune/device.h"

/* ---- options ---- */

enum { TIMES = 512, RESULTS, T4 };

static const struct argp_option options[] = {
    { "measure", 'M', "COUNT", 0,
      "Time COUNT configurations on this machine's device, the most promising first, and "
      "learn from each; until: as many as are worth it; all: all, in the order of their "
      "predictions (default: 0)",
      1 },
    { "results", RESULTS, "FILE.csv", 0,
      "Keep the times in a file; those that it has are not taken again", 1 },
    { "t4", T4, "FILE.json", 0,
      "Keep the times in the format that autotuners share; those that it has are not "
      "taken "
      "again",
      1 },
    { "times", TIMES, "FILE", 0,
      "Search on the times of a file instead of a device, and print how near to the best "
      "it comes",
      1 },
    { 0 },
};

static void parse_measure(struct gcal_tune_measure_options *o, const char *text,
                          struct argp_state *state)
{
    char *end;
    unsigned long value;

    o->all = strcmp(text, "all") == 0;
    o->most = SIZE_MAX;
    o->measures = true;
    if (o->all || strcmp(text, "until") == 0)
        return;
    errno = 0;
    value = strtoul(text, &end, 10);
    if (errno || !*text || *end || *text == '-')
        argp_error(state, "--measure: '%s' is not a number, 'until' or 'all'", text);
    o->measures = value > 0;
    o->most = value;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct gcal_tune_measure_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &o->budget_s);
        break;
    case 'M':
        parse_measure(o, arg, state);
        break;
    case TIMES:
        o->times = arg;
        break;
    case RESULTS:
        o->results = arg;
        break;
    case T4:
        o->t4 = arg;
        break;
    case ARGP_KEY_END:
        if (o->times && o->measures)
            argp_error(state, "--times excludes --measure");
        if ((o->budget_s > 0 || o->results) && !o->measures)
            argp_error(state, "--budget and --results require --measure");
        if (o->t4 && !o->measures && !o->times)
            argp_error(state, "--t4 requires --measure or --times");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = { GCAL_OPTION(budget), { 0 } };
const struct argp gcal_tune_measure_argp = { .options = options,
                                             .parser = parse_option,
                                             .children = children };

/* ---- the file of results ---- */

/* Reads what the file has, and opens it to go on; '*file' is NULL without the option. */
static int open_results(const char *path, const struct gcal_tune_space *space,
                        struct gcal_tune_times *times, FILE **file,
                        struct gcal_error *err)
{
    bool exists = path && access(path, F_OK) == 0;
    size_t n_others;

    *file = NULL;
    if (!path)
        return 0;
    if (exists && gcal_tune_times_read(times, space, path, &n_others, err) < 0)
        return -1;
    if (!(*file = fopen(path, "ae")))
        return gcal_error_set(err, GCAL_EINPUT, "%s: %s", path, strerror(errno));
    if (!exists)
        gcal_tune_times_write_header(*file);
    return 0;
}

/* ---- on a device ---- */

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

struct run {
    const struct gcal_tune_space *space;
    FILE *results;
    struct gcal_tune_progress_line line;
};

static void on_timed(void *context, size_t config, const struct gcal_tune_time *time,
                     const struct gcal_tune_progress *progress)
{
    struct run *run = context;

    if (run->results) {
        gcal_tune_times_write(run->results, run->space->configs[config].name, time);
        fflush(run->results);
    }
    gcal_tune_progress_show(&run->line, run->space, progress);
}

static void close_device(void *device)
{
    gcal_tune_device_close(device);
}

/* The first interrupt ends the search, a second one the program. */
static int search_device(struct gcal_arena *arena,
                         const struct gcal_tune_measure_options *o, struct run *run,
                         const struct gcal_local_devices *devices,
                         const struct gcal_device_info *wanted,
                         struct gcal_tune_measured *m, struct gcal_error *err)
{
    const struct sigaction action = { .sa_handler = interrupt,
                                      .sa_flags = (int)SA_RESETHAND };
    const struct gcal_device_info *info = gcal_local_device_find(devices, wanted, err);
    struct gcal_tune_search_options limits = gcal_tune_search_defaults;
    const struct gcal_tune_search_hooks hooks = { on_timed, run };
    struct gcal_tune_device *device;
    struct gcal_tune_source source;
    struct sigaction before;
    int rc;

    if (!info || !(device = gcal_tune_device_open(run->space, devices->spawner, info,
                                                  &gcal_tune_device_defaults, err)))
        return -1;
    gcal_arena_own(arena, device, close_device);
    source = gcal_tune_device_source(device);
    limits.most = o->most;
    limits.in_order = o->all;
    limits.interrupted = &interrupted;
    if (o->budget_s > 0)
        limits.budget_s = o->budget_s;
    sigaction(SIGINT, &action, &before);
    gcal_tune_progress_begin(&run->line);
    rc = gcal_tune_search(run->space, &source, &limits, &hooks, &m->times, &m->progress,
                          err);
    gcal_tune_progress_end(&run->line);
    sigaction(SIGINT, &before, NULL);
    return rc;
}

static void close_devices(void *devices)
{
    gcal_local_devices_close(devices);
}

/* Texts of the times stay in the device, which is open as long as the arena. */
static int measure_space(struct gcal_arena *arena,
                         const struct gcal_tune_measure_options *o,
                         const struct gcal_tune_space *space,
                         const struct gcal_device_info *wanted,
                         struct gcal_tune_measured *m, struct gcal_error *err)
{
    struct gcal_local_devices *devices = gcal_arena_alloc(arena, 1, sizeof(*devices));
    struct run run = { .space = space };
    size_t n_others;
    int rc;

    /* What an earlier measurement left in the file. */
    if (o->t4 && access(o->t4, F_OK) == 0 &&
        gcal_tune_t4_read(&m->times, space, o->t4, &n_others, err) < 0)
        return -1;
    if (open_results(o->results, space, &m->times, &run.results, err) < 0)
        return -1;
    gcal_arena_own(arena, devices, close_devices);
    rc = gcal_local_devices_open(devices, err);
    if (rc == 0)
        rc = search_device(arena, o, &run, devices, wanted, m, err);
    m->is_measured = rc == 0;
    if (run.results && (ferror(run.results) | (fclose(run.results) == EOF)) && rc == 0)
        return gcal_error_set(err, GCAL_EINPUT, "%s: %s", o->results, strerror(errno));
    return rc;
}

int gcal_tune_measure(struct gcal_arena *arena, const struct gcal_tune_measure_options *o,
                      const struct gcal_tune_space *space,
                      const struct gcal_device_info *info, struct gcal_tune_measured *m,
                      struct gcal_error *err)
{
    size_t n_others;

    *m = (struct gcal_tune_measured){ 0 };
    if (!o->measures && !o->times)
        return 0;
    m->times = gcal_tune_times_create(arena, space);
    if (o->times) {
        if (gcal_tune_times_read(&m->times, space, o->times, &n_others, err) < 0 ||
            gcal_tune_replay(space, &m->times, &m->replay, err) < 0)
            return -1;
        m->is_replayed = true;
    } else if (measure_space(arena, o, space, info, m, err) < 0)
        return -1;
    return o->t4 ? gcal_tune_t4_write(o->t4, space, &m->times, err) : 0;
}
