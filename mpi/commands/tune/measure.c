/* measure.c - gpucal tune --measure, --times: a search on a device, or on known times */
#include "mpi/commands/tune/measure.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "mpi/cli/local_device.h"
#include "mpi/cli/options.h"
#include "mpi/commands/tune/device.h"

/* ---- options ---- */

enum { TIMES = 512, T4 };

static const struct argp_option options[] = {
    { "measure", 'M', "COUNT", 0,
      "Time COUNT configurations on this machine's device, in the order of their "
      "predictions; until: as many as are worth it; all: all (default: 0)",
      1 },
    { "t4", T4, "FILE.json", 0,
      "Keep the times in the format that autotuners share; those that it has are not "
      "taken "
      "again",
      1 },
    { "times", TIMES, "FILE", 0,
      "Take times from a file instead of a device, and print how near to the best the "
      "search comes",
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
    case T4:
        o->t4 = arg;
        break;
    case ARGP_KEY_END:
        if (o->times && o->measures)
            argp_error(state, "--times excludes --measure");
        if (o->budget_s > 0 && !o->measures)
            argp_error(state, "--budget requires --measure");
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

/* ---- on a device ---- */

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

static void show_progress(void *line, const struct gcal_tune_progress *progress)
{
    gcal_tune_progress_show(line, progress);
}

static void close_device(void *device)
{
    gcal_tune_device_close(device);
}

/* The first interrupt ends the search, a second one the program. */
static int search_device(struct gcal_arena *arena,
                         const struct gcal_tune_measure_options *o,
                         const struct gcal_tune_space *space,
                         const struct gcal_local_devices *devices,
                         const struct gcal_device_info *wanted,
                         struct gcal_tune_measured *m, struct gcal_error *err)
{
    const struct sigaction action = { .sa_handler = interrupt,
                                      .sa_flags = (int)SA_RESETHAND };
    const struct gcal_device_info *info = gcal_local_device_find(devices, wanted, err);
    const struct gcal_tune_search_options limits = {
        .most = o->most,
        .budget_s = o->budget_s > 0 ? o->budget_s : INFINITY,
        .patient = o->all,
        .to_the_end = o->all,
        .interrupted = &interrupted,
    };
    struct gcal_tune_progress_line line;
    const struct gcal_tune_search_hook hook = { show_progress, &line };
    struct gcal_tune_device *device;
    struct gcal_tune_source source;
    struct sigaction before;
    int rc;

    if (!info || !(device = gcal_tune_device_open(space, devices->spawner, info,
                                                  &gcal_tune_device_defaults, err)))
        return -1;
    gcal_arena_own(arena, device, close_device);
    source = gcal_tune_device_source(device);
    sigaction(SIGINT, &action, &before);
    gcal_tune_progress_begin(&line, space);
    rc = gcal_tune_search(space, &source, &limits, &hook, &m->times, &m->progress, err);
    gcal_tune_progress_end(&line);
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

    /* What an earlier measurement left in the file. */
    if (o->t4 && access(o->t4, F_OK) == 0 &&
        gcal_tune_t4_read(&m->times, space, o->t4, err) < 0)
        return -1;
    gcal_arena_own(arena, devices, close_devices);
    if (gcal_local_devices_open(devices, err) < 0 ||
        search_device(arena, o, space, devices, wanted, m, err) < 0)
        return -1;
    m->is_measured = true;
    return 0;
}

int gcal_tune_measure(struct gcal_arena *arena, const struct gcal_tune_measure_options *o,
                      const struct gcal_tune_space *space,
                      const struct gcal_device_info *info, struct gcal_tune_measured *m,
                      struct gcal_error *err)
{
    *m = (struct gcal_tune_measured){ 0 };
    if (!o->measures && !o->times)
        return 0;
    m->times = gcal_tune_times_create(arena, space);
    if (o->times) {
        if (gcal_tune_times_read(&m->times, space, o->times, err) < 0 ||
            gcal_tune_replay(space, &m->times, &m->replay, err) < 0)
            return -1;
        m->is_replayed = true;
    } else if (measure_space(arena, o, space, info, m, err) < 0)
        return -1;
    return o->t4 ? gcal_tune_t4_write(o->t4, space, &m->times, err) : 0;
}
