/* device.c - the times of configurations, from a device in worker processes */
#include "mpi/commands/tune/device.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/generate/generate.h"
#include "mpi/commands/own/own.h"
#include "mpi/commands/tune/device_private.h"

/* Consecutive workers that may be lost. */
#define MAX_LOST 3

/* The first kernel of a worker keeps the device busy until its clocks are up. */
#define WARM_S 0.3

const struct gcal_tune_device_options gcal_tune_device_defaults = { .limit_s = 60 };

/* Few launches: at most some dozen milliseconds, unless three take longer. */
static const struct gcal_launches_rule few = {
    .fewest = 3, .most = 25, .error = 0.004, .spend_s = 0.02
};

struct gcal_tune_device {
    struct gcal_arena *arena;
    const struct gcal_tune_space *space;
    struct gcal_worker_spawner *spawner;
    const char *uid;
    struct gcal_tune_device_options options;
    struct gcal_tune_build build;
    struct gcal_tune_check check;
    bool *checked; /* by configuration */
    struct gcal_worker *worker;
    bool is_warm, says_arguments;
    size_t lost; /* consecutive workers */
};

struct gcal_tune_device *gcal_tune_device_open(
    const struct gcal_tune_space *space, struct gcal_worker_spawner *spawner,
    const struct gcal_device_info *info, const struct gcal_tune_device_options *options,
    struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_tune_device *d = gcal_arena_alloc(arena, 1, sizeof(*d));

    d->arena = arena;
    d->space = d->check.space = space;
    d->spawner = spawner;
    d->options = *options;
    d->uid = gcal_arena_strdup(arena, info->uid);
    d->checked = gcal_arena_alloc(arena, space->n_configs, sizeof(*d->checked));
    if (gcal_tune_build_open(arena, &d->build, space, spawner, info, options, err) == 0)
        return d;
    gcal_tune_device_close(d);
    return NULL;
}

void gcal_tune_device_close(struct gcal_tune_device *d)
{
    if (!d)
        return;
    gcal_worker_stop(d->worker);
    gcal_tune_check_clear(&d->check);
    gcal_arena_destroy(d->arena);
}

/* ---- the worker that measures ---- */

static int need_worker(struct gcal_tune_device *d, struct gcal_error *err)
{
    while (!d->worker) {
        if (d->lost >= MAX_LOST)
            return gcal_error_set(err, GCAL_EDEVICE,
                                  "the device was given up: %d workers in a row were "
                                  "lost; see the last reasons above",
                                  MAX_LOST);
        d->is_warm = false;
        if ((d->worker = gcal_worker_start_on(d->spawner, d->uid, NULL, err)))
            return 0;
        gcal_log(GCAL_LOG_WARN, "%s", err ? err->text : "a worker could not start");
        d->lost++;
    }
    return 0;
}

/* ---- one configuration ---- */

static int set_failed(struct gcal_tune_device *d, struct gcal_tune_time *time,
                      enum gcal_tune_outcome outcome, const char *why)
{
    time->outcome = outcome;
    time->why = gcal_arena_strdup(d->arena, why ? why : "");
    return 1;
}

/* What an answer of the worker means: 0: done; 1: the configuration has failed. */
static int handle_answer(struct gcal_tune_device *d, size_t config,
                         enum gcal_worker_outcome outcome,
                         enum gcal_measurement_status status,
                         const struct gcal_error *why, struct gcal_tune_time *time)
{
    if (outcome == GCAL_WORKER_DONE) {
        d->lost = 0;
        return 0;
    }
    if (outcome == GCAL_WORKER_REFUSED) {
        d->lost = 0;
        return set_failed(d, time,
                          status == GCAL_MEASUREMENT_WRONG_RESULT ? GCAL_TUNE_WRONG
                                                                  : GCAL_TUNE_FAILED,
                          why->text);
    }
    gcal_log(GCAL_LOG_WARN, "%s: %s", d->space->configs[config].name, why->text);
    gcal_worker_stop(d->worker);
    d->worker = NULL;
    d->lost++;
    return set_failed(d, time, GCAL_TUNE_FAILED, why->text);
}

static int check_result(struct gcal_tune_device *d, size_t config,
                        struct gcal_tune_time *time, struct gcal_error *err)
{
    const struct gcal_kernel *kernel = d->space->configs[config].kernel;
    enum gcal_measurement_status status = GCAL_MEASUREMENT_LAUNCH_FAILED;
    enum gcal_worker_outcome outcome;
    struct gcal_error why = { 0 };
    void **outputs;
    int rc;

    if (kernel->unchecked || d->checked[config])
        return 0;
    if (!(outputs = calloc(kernel->n_args + 1, sizeof(*outputs))))
        return gcal_error_memory(err);
    outcome =
        gcal_worker_check(d->worker, kernel, GCAL_TUNE_CHECK_SEED, GCAL_TUNE_CHECK_GUARD,
                          d->options.limit_s, outputs, &status, &why);
    if ((rc = handle_answer(d, config, outcome, status, &why, time)) != 0) {
        free(outputs);
        return rc;
    }
    rc = gcal_tune_check_outputs(&d->check, config, outputs, &why, err);
    d->checked[config] = rc == 0;
    return rc > 0 ? set_failed(d, time, GCAL_TUNE_WRONG, why.text) : rc;
}

/* Events that the host's clock contradicts are asked for once more. */
static int time_launches(struct gcal_tune_device *d, size_t config, double enough_s,
                         struct gcal_tune_time *time)
{
    const struct gcal_kernel *kernel = d->space->configs[config].kernel;
    struct gcal_launches_rule rule = few;
    struct gcal_launches_time found = { 0 };
    enum gcal_measurement_status status;
    enum gcal_worker_outcome outcome;
    struct gcal_error why;
    bool again = true;
    int rc;

    rule.enough_s = enough_s;
    rule.warm_s = d->is_warm ? 0 : WARM_S;
    do {
        why = (struct gcal_error){ 0 };
        status = GCAL_MEASUREMENT_LAUNCH_FAILED;
        outcome = gcal_worker_time(d->worker, kernel, &rule, d->options.limit_s, &found,
                                   &status, &why);
    } while (outcome == GCAL_WORKER_REFUSED && status == GCAL_MEASUREMENT_BAD_EVENTS &&
             again && !(again = false));
    if ((rc = handle_answer(d, config, outcome, status, &why, time)) != 0)
        return rc;
    d->is_warm = true;
    time->outcome = found.abandoned ? GCAL_TUNE_ABANDONED : GCAL_TUNE_TIMED;
    time->seconds = found.median_s;
    time->launches = found.launches;
    time->build_s = fmax(time->build_s, found.build_s);
    return 0;
}

/* A space without arguments: they are made up for the configurations that are timed, and said of
 * the first one: "y: n, x: n, a = 0.5".
 */
static int make_up_arguments(struct gcal_tune_device *d, size_t config,
                             struct gcal_error *err)
{
    struct gcal_kernel *kernel = d->space->configs[config].kernel;
    const char *all = "";

    if (kernel->n_args)
        return 0;
    if (gcal_own_arguments_make_up(kernel, err) < 0)
        return -1;
    if (d->says_arguments)
        return 0;
    d->says_arguments = true;
    for (size_t i = 0; i < kernel->n_args; i++)
        all = gcal_arena_format(d->arena, "%s%s%s%s%s", all, i ? ", " : "",
                                kernel->args[i].name,
                                kernel->args[i].kind == GCAL_ARG_SCALAR ? " = " : ": ",
                                kernel->args[i].value);
    if (kernel->n_args)
        gcal_log(GCAL_LOG_INFO, "%s has no 'args', made up: %s", kernel->generator, all);
    return 0;
}

static int time_config(void *context, size_t config, double enough_s,
                       struct gcal_tune_time *time, struct gcal_error *err)
{
    struct gcal_tune_device *d = context;
    const struct gcal_tune_program *program;
    int rc;

    *time = (struct gcal_tune_time){ .outcome = GCAL_TUNE_FAILED };
    program = gcal_tune_build_wait(&d->build, config);
    time->build_s = program->took_s;
    if (program->ahead == GCAL_TUNE_BUILD_FAILED) {
        set_failed(d, time, GCAL_TUNE_FAILED, program->why);
        return 0;
    }
    if (make_up_arguments(d, config, err) < 0 || need_worker(d, err) < 0)
        return -1;
    rc = check_result(d, config, time, err);
    gcal_tune_build_pump(&d->build);
    if (rc == 0)
        rc = time_launches(d, config, enough_s, time);
    gcal_tune_build_pump(&d->build);
    return rc < 0 ? -1 : 0;
}

static void announce(void *context, const size_t *configs, size_t n)
{
    struct gcal_tune_device *d = context;

    gcal_tune_build_announce(&d->build, configs, n);
}

struct gcal_tune_source gcal_tune_device_source(struct gcal_tune_device *device)
{
    return (struct gcal_tune_source){ announce, time_config, device };
}
