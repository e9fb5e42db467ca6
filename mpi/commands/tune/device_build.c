/* device_build.c - which configurations are built ahead, by whom, and what became of them */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/threads.h"
#include "kernels/generate/generate.h"
#include "mpi/commands/tune/device_private.h"

#define MAX_BUILDERS 16

/* Builds that one batch has for each worker, where building disturbs the times. */
#define BATCH_PER_BUILDER 2

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

int gcal_tune_build_open(struct gcal_arena *arena, struct gcal_tune_build *build,
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

void gcal_tune_build_announce(struct gcal_tune_build *build, const size_t *configs,
                              size_t n)
{
    if (!build->builders)
        return;
    for (; build->at < build->n_queue; build->at++) {
        struct gcal_tune_program *program = &build->programs[build->queue[build->at]];

        if (program->ahead == GCAL_TUNE_QUEUED)
            program->ahead = GCAL_TUNE_NOT_BUILT;
    }
    build->at = build->n_queue = 0;
    for (size_t i = 0; i < n; i++) {
        size_t first = build->first[configs[i]];

        if (build->programs[first].ahead != GCAL_TUNE_NOT_BUILT)
            continue;
        build->programs[first].ahead = GCAL_TUNE_QUEUED;
        build->queue[build->n_queue++] = first;
    }
    if (!build->batch)
        gcal_tune_build_pump(build);
}

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

void gcal_tune_build_pump(struct gcal_tune_build *build)
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

const struct gcal_tune_program *gcal_tune_build_wait(struct gcal_tune_build *build,
                                                     size_t config)
{
    size_t first = build->first[config];
    struct gcal_tune_program *program = &build->programs[first];
    struct gcal_worker_build done;

    gcal_tune_build_pump(build);
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
        gcal_tune_build_pump(build);
    }
    return program;
}
