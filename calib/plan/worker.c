/* worker.c - a device reached through a worker process */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "calib/plan/plan.h"

/* NaN as a floating-point number. */
#define GUARD 0xff

/* From so many on, another worker pays: before it builds, it opens the device, which takes as long
 * as the first five or so take to build.
 */
#define LEAST_PROGRAMS 8

/* A driver loads a program that it has kept in less. */
#define LOADING_S 0.05

/* Share of a CPU's budget in which kernels are built before any is launched. */
#define BUILDING_SHARE 0.5

struct worker_device {
    struct gcal_worker_spawner *spawner;
    struct gcal_worker *worker; /* NULL until the first restart */
    char *uid;
    double limit_s;
    struct gcal_worker_tick tick;
    struct gcal_worker_ahead *ahead; /* NULL: nothing is built ahead */
    bool owns_ahead;
    enum gcal_worker_ahead_stage stage; /* in it */
    double first_s;   /* to wait until all is built, at most, from now on */
    bool loads_ahead; /* programs, while kernels are launched */
};

static int restart(void *context, struct gcal_error *err)
{
    struct worker_device *d = context;

    gcal_worker_stop(d->worker);
    d->worker =
        gcal_worker_start_on(d->spawner, d->uid, d->tick.call ? &d->tick : NULL, err);
    return d->worker ? 0 : -1;
}

static enum gcal_worker_outcome prepare(void *context, const struct gcal_kernel *kernel,
                                        double limit_s, double *first_s,
                                        enum gcal_measurement_status *status,
                                        struct gcal_error *err)
{
    struct worker_device *d = context;
    const struct gcal_kernel *next = NULL;
    enum gcal_worker_outcome outcome;
    struct gcal_built built;
    bool is_built;

    /* Other builds would disturb the times that decide on the sizes of a sweep. */
    if (d->first_s > 0 && kernel->sweep)
        d->first_s -= gcal_worker_ahead_finish(d->ahead, &d->tick, d->first_s);
    is_built = d->ahead && gcal_worker_ahead_wait(d->ahead, kernel, &d->tick, &built);
    if (d->loads_ahead)
        next = gcal_worker_ahead_next(d->ahead, kernel);
    outcome = gcal_worker_prepare_built(d->worker, kernel, is_built ? &built : NULL, next,
                                        limit_s, first_s, status, err);
    if (is_built && outcome == GCAL_WORKER_DONE &&
        gcal_worker_build_s(d->worker) > LOADING_S)
        gcal_worker_ahead_doubt(d->ahead);
    return outcome;
}

static void announce(void *context, const struct gcal_kernel *kernel)
{
    struct worker_device *d = context;

    gcal_worker_ahead_advance(d->ahead, &d->stage, GCAL_WORKER_AHEAD_ENTERED);
    gcal_worker_ahead_add(d->ahead, kernel);
}

static void announced_all(void *context)
{
    struct worker_device *d = context;

    gcal_worker_ahead_advance(d->ahead, &d->stage, GCAL_WORKER_AHEAD_CLOSED);
}

static void prepared_all(void *context)
{
    struct worker_device *d = context;

    gcal_worker_ahead_advance(d->ahead, &d->stage, GCAL_WORKER_AHEAD_LEFT);
}

static struct gcal_built built(void *context)
{
    struct worker_device *d = context;

    return gcal_worker_built(d->worker);
}

static enum gcal_worker_outcome measure(void *context, const struct gcal_kernel *kernel,
                                        size_t n, double limit_s,
                                        struct gcal_measurement_sample *samples,
                                        enum gcal_measurement_status *status,
                                        struct gcal_error *err)
{
    struct worker_device *d = context;

    return gcal_worker_measure(d->worker, kernel, n, limit_s, samples, status, err);
}

static double busy(void *context)
{
    struct worker_device *d = context;

    return gcal_worker_busy(d->worker, d->limit_s);
}

static struct gcal_worker_use use(void *context)
{
    struct worker_device *d = context;

    return gcal_worker_spawner_use(d->spawner);
}

static enum gcal_worker_outcome check(void *context, const struct gcal_kernel *kernel,
                                      uint64_t seed, double limit_s, void **outputs,
                                      enum gcal_measurement_status *status,
                                      struct gcal_error *err)
{
    struct worker_device *d = context;

    return gcal_worker_check(d->worker, kernel, seed, GUARD, limit_s, outputs, status,
                             err);
}

struct gcal_plan_device_ops
gcal_plan_worker_ops_create(struct gcal_worker_spawner *spawner, const char *uid,
                            double limit_s, const struct gcal_worker_tick *tick,
                            struct gcal_error *err)
{
    struct gcal_plan_device_ops ops = { .restart = restart,
                                        .prepare = prepare,
                                        .measure = measure,
                                        .check = check,
                                        .busy = busy,
                                        .use = use,
                                        .built = built };
    struct worker_device *d = calloc(1, sizeof(*d));

    if (!d || !(d->uid = strdup(uid))) {
        free(d);
        gcal_error_memory(err);
        return ops;
    }
    d->spawner = spawner;
    d->limit_s = limit_s;
    if (tick)
        d->tick = *tick;
    ops.context = d;
    return ops;
}

void gcal_plan_worker_ops_build_ahead(struct gcal_plan_device_ops *ops,
                                      struct gcal_worker_ahead *ahead, double first_s)
{
    struct worker_device *d = ops->context;

    d->ahead = ahead;
    d->first_s = first_s;
    d->loads_ahead = first_s == 0; /* a CPU's times would suffer */
    ops->announce = announce;
    ops->announced_all = announced_all;
    ops->prepared_all = prepared_all;
}

double gcal_plan_building_s(const struct gcal_device_info *info,
                            const struct gcal_config_measure_options *options)
{
    return strcmp(info->device_type, "cpu") == 0 ? BUILDING_SHARE * options->budget_s : 0;
}

void gcal_plan_worker_ops_destroy(struct gcal_plan_device_ops *ops)
{
    struct worker_device *d = ops->context;

    if (d) {
        if (d->ahead)
            prepared_all(d);
        if (d->owns_ahead)
            gcal_worker_ahead_stop(d->ahead);
        if (d->worker)
            gcal_worker_stop(d->worker);
        free(d->uid);
        free(d);
    }
    *ops = (struct gcal_plan_device_ops){ 0 };
}

/* ---- a device that is measured alone ---- */

static bool same_program(const struct gcal_kernel *a, const struct gcal_kernel *b)
{
    const char *x = a->build_options, *y = b->build_options;

    return strcmp(a->source, b->source) == 0 && strcmp(a->entry, b->entry) == 0 &&
           strcmp(x ? x : "", y ? y : "") == 0;
}

int gcal_plan_measure_alone(struct gcal_worker_spawner *spawner, const char *node,
                            const struct gcal_device_info *info,
                            const struct gcal_kernel_list *kernels,
                            const struct gcal_config_measure_options *options,
                            const struct gcal_plan_hooks *hooks, struct gcal_error *err)
{
    struct gcal_plan_device_ops ops = gcal_plan_worker_ops_create(
        spawner, info->uid, options->kernel_limit_s, NULL, err);
    int rc;

    if (!ops.context)
        return -1;
    /* Kernels of a program follow each other. */
    const struct gcal_kernel *before = NULL;
    size_t n_programs = 0;
    for (size_t i = 0; i < kernels->n_kernels; i++) {
        const struct gcal_kernel *k = kernels->kernels[i];

        if (gcal_kernel_is_transfer(k) || (before && same_program(before, k)))
            continue;
        before = k;
        n_programs++;
    }
    if (n_programs >= LEAST_PROGRAMS) {
        /* By workers of its own; if there can be none, nothing is built ahead. */
        struct worker_device *d = ops.context;
        size_t n = gcal_worker_ahead_workers(d->spawner, info, 1);
        struct gcal_worker_ahead *ahead =
            n ? gcal_worker_ahead_start(d->spawner, info, n, 1, d->limit_s, NULL) : NULL;

        if (ahead) {
            gcal_plan_worker_ops_build_ahead(&ops, ahead,
                                             gcal_plan_building_s(info, options));
            d->owns_ahead = true;
        }
    }
    rc = gcal_plan_measure(&ops, node, info, kernels, options, hooks, err);
    gcal_plan_worker_ops_destroy(&ops);
    return rc;
}
