/* device.c - the times of configurations, from a device in worker processes */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/commands/tune/device.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/generate/generate.h"
#include "mpi/commands/own/own.h"
#include "kernels/base/clock.h"
#include "kernels/base/hash.h"
#include "kernels/base/memo.h"
#include "kernels/model/dtype.h"
#include "calib/plan/plan.h"
#include "calib/plan/references.h"
#include "kernels/interpret/interpret.h"
#include "kernels/base/threads.h"

/* ---- which configurations are built ahead, by whom, and what became of them ---- */

#define MAX_BUILDERS 16

/* Builds that one batch has for each worker, where building disturbs the times. */
#define BATCH_PER_BUILDER 2

/* What became of a program, which configurations share that differ in launch only. */
enum gcal_tune_ahead {
    GCAL_TUNE_NOT_BUILT,
    GCAL_TUNE_QUEUED,
    GCAL_TUNE_BEING_BUILT,
    GCAL_TUNE_BUILT,
    GCAL_TUNE_BUILD_FAILED,
};

struct gcal_tune_program {
    enum gcal_tune_ahead ahead;
    double took_s;
    struct gcal_built built;
    const char *why; /* of a failure */
};

struct gcal_tune_build {
    struct gcal_arena *arena;
    const struct gcal_tune_space *space;
    struct gcal_worker_builders *builders;
    size_t batch;  /* above 0: builds only while somebody waits, so many at a time */
    size_t *first; /* by configuration: the first one with the same program */
    struct gcal_tune_program *programs; /* by such a first one */
    size_t *queue, n_queue, at;
};

/* Results at small sizes. */
#define CHECK_SEED  20261123u
#define CHECK_GUARD 0xff /* NaN as a floating-point number */

struct gcal_tune_known;

struct gcal_tune_check {
    const struct gcal_tune_space *space;
    struct gcal_tune_known *known; /* right results of the device, by inputs */
    struct gcal_memo *references;  /* those of the host; NULL: not yet */
    bool unable;                   /* the host could not compute some */
    bool slow;                     /* the host took long, which was said */
};

/* ---- configurations with the same program ---- */

static int compare_programs(const struct gcal_kernel *a, const struct gcal_kernel *b)
{
    int order = strcmp(a->build_options ? a->build_options : "",
                       b->build_options ? b->build_options : "");

    if (order == 0)
        order = strcmp(a->entry, b->entry);
    return order == 0 && a->source != b->source ? strcmp(a->source, b->source) : order;
}

static int compare_configs(const void *a, const void *b, void *configs)
{
    const struct gcal_tune_config *all = configs;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    int order = compare_programs(all[x].kernel, all[y].kernel);

    return order ? order : (x > y) - (x < y);
}

/* ---- opening ---- */

static void stop_builders(void *builders)
{
    gcal_worker_builders_stop(builders);
}

static int open_builds(struct gcal_arena *arena, struct gcal_tune_build *build,
                       const struct gcal_tune_space *space,
                       struct gcal_worker_spawner *spawner,
                       const struct gcal_device_info *info,
                       const struct gcal_tune_device_options *options,
                       struct gcal_error *err)
{
    size_t n = space->n_configs, n_builders = options->n_builders
                                                  ? options->n_builders
                                                  : gcal_threads_processors();

    n_builders = n_builders < MAX_BUILDERS ? n_builders : MAX_BUILDERS;
    *build = (struct gcal_tune_build){
        .arena = arena,
        .space = space,
        .batch =
            strcmp(info->device_type, "cpu") == 0 ? BATCH_PER_BUILDER * n_builders : 0,
        .first = gcal_arena_alloc(arena, n, sizeof(*build->first)),
        .programs = gcal_arena_alloc(arena, n, sizeof(*build->programs)),
        .queue = gcal_arena_alloc(arena, n, sizeof(*build->queue)),
    };
    size_t *sorted = gcal_arena_alloc(arena, n, sizeof(*sorted));
    for (size_t i = 0; i < n; i++)
        sorted[i] = i;
    qsort_r(sorted, n, sizeof(*sorted), compare_configs, space->configs);
    for (size_t i = 0; i < n; i++)
        build->first[sorted[i]] =
            i && compare_programs(space->configs[sorted[i - 1]].kernel,
                                  space->configs[sorted[i]].kernel) == 0
                ? build->first[sorted[i - 1]]
                : sorted[i];
    /* Without a folder of built kernels, the worker that measures would not find them. */
    if (!gcal_worker_spawner_keeps_builds(spawner))
        return 0;
    build->builders = gcal_arena_own(
        arena,
        gcal_worker_builders_start(spawner, info->uid, n_builders, options->limit_s, err),
        stop_builders);
    return build->builders ? 0 : -1;
}

/* ---- building ---- */

static void note_build(struct gcal_tune_build *build,
                       const struct gcal_worker_build *done)
{
    struct gcal_tune_program *program = &build->programs[done->id];
    bool built = done->outcome == GCAL_WORKER_DONE;

    program->ahead = built ? GCAL_TUNE_BUILT : GCAL_TUNE_BUILD_FAILED;
    program->took_s = done->took_s;
    program->built = done->built;
    if (!built)
        program->why = gcal_arena_strdup(build->arena, done->why.text);
}

/* Hands out the queue, up to 'most' programs; returns how many. */
static size_t hand_out(struct gcal_tune_build *build, size_t most)
{
    size_t n = 0;

    while (n < most && build->at < build->n_queue &&
           gcal_worker_builders_free(build->builders)) {
        size_t first = build->queue[build->at];

        if (build->programs[first].ahead == GCAL_TUNE_QUEUED) {
            if (!gcal_worker_builders_give(build->builders, first,
                                           build->space->configs[first].kernel))
                break;
            build->programs[first].ahead = GCAL_TUNE_BEING_BUILT;
            n++;
        }
        build->at++;
    }
    return n;
}

/* Takes what is finished, and hands out what is queued. */
static void pump_builds(struct gcal_tune_build *build)
{
    struct gcal_worker_build done;

    if (!build->builders)
        return;
    while (gcal_worker_builders_next(build->builders, 0, &done))
        note_build(build, &done);
    if (!build->batch)
        hand_out(build, build->n_queue);
}

/* Puts a queued program before all others. */
static void put_first(struct gcal_tune_build *build, size_t first)
{
    for (size_t i = build->at; i < build->n_queue; i++)
        if (build->queue[i] == first) {
            memmove(&build->queue[build->at + 1], &build->queue[build->at],
                    (i - build->at) * sizeof(*build->queue));
            build->queue[build->at] = first;
            return;
        }
}

/* Waits until the configuration is built, if it was announced; returns its program. */
static const struct gcal_tune_program *wait_for_build(struct gcal_tune_build *build,
                                                      size_t config)
{
    size_t first = build->first[config];
    struct gcal_tune_program *program = &build->programs[first];
    struct gcal_worker_build done;

    pump_builds(build);
    if (program->ahead == GCAL_TUNE_QUEUED)
        put_first(build, first);
    if (program->ahead == GCAL_TUNE_QUEUED && build->batch) {
        /* To the end, where nothing may be built while times are taken. */
        size_t left = build->batch;

        do {
            left -= hand_out(build, left);
            if (gcal_worker_builders_next(build->builders, 1, &done))
                note_build(build, &done);
        } while (gcal_worker_builders_busy(build->builders));
    }
    while (
        (program->ahead == GCAL_TUNE_QUEUED || program->ahead == GCAL_TUNE_BEING_BUILT) &&
        gcal_worker_builders_busy(build->builders)) {
        if (gcal_worker_builders_next(build->builders, 1, &done))
            note_build(build, &done);
        pump_builds(build);
    }
    return program;
}

/* ---- whether configurations compute the same as their reference
 *
 * Many configurations have the same inputs and the same reference: the host computes it for
 * the first of them (calib/plan/references.h).  Without a reference, the host interprets the
 * first configuration, and the others are compared with what the device gave for that one.
 */

/* Of the host, for one configuration, beyond which a search is held up. */
#define SLOW_S 2.0

struct gcal_tune_known {
    char key[GCAL_HASH_TEXT_SIZE];
    size_t n, bytes;
    void **outputs;
    struct gcal_tune_known *next;
};

static void outputs_free(void **outputs, size_t n)
{
    for (size_t i = 0; outputs && i < n; i++)
        free(outputs[i]);
    free(outputs);
}

static void known_free(struct gcal_tune_known *k)
{
    outputs_free(k->outputs, k->n);
    free(k);
}

static size_t outputs_bytes(const struct gcal_kernel *kernel, void *const *outputs)
{
    struct gcal_geometry geometry = { 0 };
    size_t bytes = 0;

    if (gcal_kernel_geometry(kernel, kernel->n_check_sizes, kernel->check_sizes,
                             &geometry, NULL) == 0)
        for (size_t i = 0; i < kernel->n_args; i++)
            if (outputs[i])
                bytes += (size_t)geometry.arg_values[i] *
                         gcal_dtype_size(kernel->args[i].dtype);
    gcal_kernel_geometry_clear(&geometry);
    return bytes;
}

/* Takes 'outputs' in any case. */
static int keep(struct gcal_tune_check *check, const struct gcal_kernel *kernel,
                const char *key, void **outputs, struct gcal_error *err)
{
    struct gcal_tune_known *k = calloc(1, sizeof(*k));

    if (!k) {
        outputs_free(outputs, kernel->n_args + 1);
        return gcal_error_memory(err);
    }
    *k = (struct gcal_tune_known){ .n = kernel->n_args + 1,
                                   .bytes = outputs_bytes(kernel, outputs),
                                   .outputs = outputs,
                                   .next = check->known };
    memcpy(k->key, key, sizeof(k->key));
    check->known = k;
    /* The oldest ones go where they take too much memory; the first one stays. */
    size_t bytes = 0;
    struct gcal_tune_known *last = NULL;
    for (struct gcal_tune_known **at = &check->known; *at;) {
        struct gcal_tune_known *old = *at;

        bytes += old->bytes;
        if (last && bytes > GCAL_PLAN_REFERENCES_BYTES) {
            *at = old->next;
            known_free(old);
        } else {
            last = old;
            at = &old->next;
        }
    }
    return 0;
}

enum verdict { RIGHT, WRONG, UNABLE };

/* UNABLE: the host cannot compute them.  It is said once. */
static enum verdict compare_with_host(struct gcal_tune_check *check,
                                      const struct gcal_kernel *kernel,
                                      void *const *outputs, struct gcal_error *why)
{
    double worst, began_s = gcal_clock_now_s();
    int rc = gcal_plan_compare_outputs(check->references, kernel, CHECK_SEED, outputs,
                                       &worst, why);

    double host_s = gcal_clock_now_s() - began_s;

    if (host_s >= SLOW_S && !check->slow) {
        gcal_log(
            GCAL_LOG_WARN,
            "the host took %.1f s to check one configuration: give the space smaller "
            "sizes for 'check', a larger 'tolerance' or a quicker 'reference'",
            host_s);
        check->slow = true;
    }
    if (rc >= 0)
        return rc == 0 ? RIGHT : WRONG;
    if (gcal_interp_is_outside(why))
        return WRONG;
    if (!check->unable)
        gcal_log(GCAL_LOG_WARN, "results are compared with each other only: %s",
                 why->text);
    check->unable = true;
    return UNABLE;
}

/* Without a reference, outputs like those of another configuration are right.  If they differ,
 * they may still be as near to the host's as the tolerance asks.
 */
static bool is_wrong(struct gcal_tune_check *check, const struct gcal_tune_known *known,
                     const struct gcal_kernel *kernel, void *const *outputs,
                     struct gcal_error *why)
{
    struct gcal_error differs = { 0 };
    enum verdict verdict = UNABLE;
    double worst;

    if (kernel->reference)
        verdict = compare_with_host(check, kernel, outputs, why);
    if (verdict == UNABLE && known &&
        gcal_plan_compare_devices(kernel, outputs, known->outputs, &worst, &differs) == 0)
        return false;
    if (!kernel->reference)
        verdict = compare_with_host(check, kernel, outputs, why);
    if (verdict != UNABLE || !known)
        return verdict == WRONG;
    *why = differs;
    gcal_error_prefix(why, "compared with another configuration");
    return true;
}

static int check_outputs(struct gcal_tune_check *check, size_t config, void **outputs,
                         struct gcal_error *why, struct gcal_error *err)
{
    const struct gcal_kernel *kernel = check->space->configs[config].kernel;
    char key[GCAL_HASH_TEXT_SIZE];

    if ((!check->references && !(check->references = gcal_plan_references_create(
                                     GCAL_PLAN_REFERENCES_BYTES, err))) ||
        gcal_plan_reference_key(kernel, CHECK_SEED, key, err) < 0) {
        outputs_free(outputs, kernel->n_args + 1);
        return -1;
    }
    /* Takes 'outputs' in any case. */
    const struct gcal_tune_known *known = check->known;
    while (known && strcmp(known->key, key) != 0)
        known = known->next;
    bool wrong = is_wrong(check, known, kernel, outputs, why);
    if (!wrong && !known)
        return keep(check, kernel, key, outputs, err);
    outputs_free(outputs, kernel->n_args + 1);
    return wrong;
}

/* ---- the times of configurations, from a device in worker processes ---- */

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
    if (open_builds(arena, &d->build, space, spawner, info, options, err) == 0)
        return d;
    gcal_tune_device_close(d);
    return NULL;
}

void gcal_tune_device_close(struct gcal_tune_device *d)
{
    if (!d)
        return;
    gcal_worker_stop(d->worker);
    for (struct gcal_tune_known *k; (k = d->check.known);) {
        d->check.known = k->next;
        known_free(k);
    }
    gcal_memo_destroy(d->check.references);
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
    outcome = gcal_worker_check(d->worker, kernel, CHECK_SEED, CHECK_GUARD,
                                d->options.limit_s, outputs, &status, &why);
    if ((rc = handle_answer(d, config, outcome, status, &why, time)) != 0) {
        free(outputs);
        return rc;
    }
    rc = check_outputs(&d->check, config, outputs, &why, err);
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
    program = wait_for_build(&d->build, config);
    time->build_s = program->took_s;
    if (program->ahead == GCAL_TUNE_BUILD_FAILED) {
        set_failed(d, time, GCAL_TUNE_FAILED, program->why);
        return 0;
    }
    if (make_up_arguments(d, config, err) < 0 || need_worker(d, err) < 0)
        return -1;
    rc = check_result(d, config, time, err);
    pump_builds(&d->build);
    if (rc == 0)
        rc = time_launches(d, config, enough_s, time);
    pump_builds(&d->build);
    return rc < 0 ? -1 : 0;
}

static void announce(void *context, const size_t *configs, size_t n)
{
    struct gcal_tune_device *d = context;

    /* Replaces the queue. */
    if (!d->build.builders)
        return;
    for (; d->build.at < d->build.n_queue; d->build.at++) {
        struct gcal_tune_program *program =
            &d->build.programs[d->build.queue[d->build.at]];

        if (program->ahead == GCAL_TUNE_QUEUED)
            program->ahead = GCAL_TUNE_NOT_BUILT;
    }
    d->build.at = d->build.n_queue = 0;
    for (size_t i = 0; i < n; i++) {
        size_t first = d->build.first[configs[i]];

        if (d->build.programs[first].ahead != GCAL_TUNE_NOT_BUILT)
            continue;
        d->build.programs[first].ahead = GCAL_TUNE_QUEUED;
        d->build.queue[d->build.n_queue++] = first;
    }
    if (!d->build.batch)
        pump_builds(&d->build);
}

struct gcal_tune_source gcal_tune_device_source(struct gcal_tune_device *device)
{
    return (struct gcal_tune_source){ announce, time_config, device };
}
