/* measure.c - timing one kernel of each resource */
#include <math.h>
#include <string.h>

#include "calib/health/health.h"
#include "calib/plan/plan.h"
#include "calib/select/select.h"
#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/median.h"

/* Each kernel until its median is known to 0.05 %, or for so long: nothing here needs to be
 * better than noise from check to check.
 */
static const struct gcal_config_measure_options options = {
    .budget_s = GCAL_HEALTH_BUDGET_S, /* of the wall clock: builds may take some of it */
    .max_time_s = 1,
    .noise = 0.0005,
    .kernel_limit_s = 20,
    .enough_s = 0.15,
    .min_samples = 12,
    .max_samples = 200,
    .sizes = 1,
    .seed = 1,
};

/* Launches are this long, roughly: on an H200, events count up to 15 us besides the kernel, other
 * ones in each process.
 */
#define GPU_LAUNCH_S 32e-3
#define CPU_LAUNCH_S 2e-3

/* What a compute unit does at best in a cycle, roughly: float operations, bytes of the last-level
 * cache.
 */
#define GPU_OPERATIONS 256.0
#define CPU_OPERATIONS 8.0
#define BYTES          32.0

/* Largest power of two up to 'x' within [1, most]. */
static double power_of_two(double x, double most)
{
    return exp2(floor(log2(fmax(1, fmin(x, most)))));
}

/* The tags of the kernel that shows a resource.  Sizes follow from the description of the device
 * alone: what is measured is the same in each check.
 */
static size_t tags_of(struct gcal_arena *arena, size_t resource,
                      const struct gcal_device_info *info, const char *tags[6])
{
    bool is_cpu = strcmp(info->device_type, "cpu") == 0;
    double cycles = (is_cpu ? CPU_LAUNCH_S : GPU_LAUNCH_S) *
                    fmax(1, (double)info->compute_units) *
                    (info->max_clock_hz > 0 ? info->max_clock_hz : 1e9);
    double cache = info->cache_bytes > 0 ? info->cache_bytes : 4 << 20;
    double elements = 131072, size;
    size_t n = 0;

    switch (resource) {
    case GCAL_HEALTH_ARITHMETIC: /* 128 operations an element and turn */
        size = cycles * (is_cpu ? CPU_OPERATIONS : GPU_OPERATIONS) / (128 * elements);
        tags[n++] = "flops_madd_pattern";
        tags[n++] = "dtype:float32";
        tags[n++] = "width:1";
        tags[n++] = "nelements:131072";
        tags[n++] = gcal_arena_format(arena, "m:%.0f", power_of_two(size, 131072));
        break;
    case GCAL_HEALTH_CACHE: /* in passes over a quarter of it */
        tags[n++] = "gmem_footprint_pattern";
        tags[n++] = "dtype:float32";
        tags[n++] = gcal_arena_format(arena, "passes:%.0f",
                                      power_of_two(4 * cycles * BYTES / cache, 32768));
        break;
    case GCAL_HEALTH_LATENCY:
        tags[n++] = "gmem_chase_pattern";
        tags[n++] = "lsize_0:1";
        tags[n++] = "ngroups:4";
        break;
    case GCAL_HEALTH_LAUNCH: /* of a filled queue */
        tags[n++] = "launch_queue";
        tags[n++] = "lsize_0:256";
        tags[n++] = "nlaunches:256";
        break;
    case GCAL_HEALTH_MEMORY: /* GPUs: 8 GiB read and written, more than any cache */
        size = fmin(is_cpu ? 1 << 24 : 1 << 30, info->global_memory_bytes / 32);
        tags[n++] = "gmem_copy_pattern";
        tags[n++] = "dtype:float32";
        tags[n++] = "width:1";
        tags[n++] = gcal_arena_format(arena, "nelements:%.0f",
                                      fmax(65536, power_of_two(size, 1 << 30)));
        break;
    case GCAL_HEALTH_TO_DEVICE:
    case GCAL_HEALTH_FROM_DEVICE:
        tags[n++] = resource == GCAL_HEALTH_TO_DEVICE ? "transfer_to_device"
                                                      : "transfer_from_device";
        tags[n++] = "memory:pinned";
        tags[n++] = "bytes:134217728";
        break;
    default: /* the clock has no kernel of its own */
        break;
    }
    return n;
}

void gcal_health_begin(struct gcal_health_measured *m)
{
    *m = (struct gcal_health_measured){ 0 };
    for (size_t r = 0; r < GCAL_HEALTH_N; r++)
        m->time_s[r] = NAN;
}

/* Context of the plan's hooks. */
struct measuring {
    struct gcal_arena *arena;
    struct gcal_kernel *kernel[GCAL_HEALTH_N]; /* NULL: none */
    struct gcal_health_measured *m;
};

static void take_time(struct gcal_health_measured *m, size_t resource, double time_s)
{
    m->time_s[resource] = fmin(m->time_s[resource], time_s); /* NaN gives way */
}

static double quartile(struct gcal_arena *arena, const struct gcal_measurement *m)
{
    double *times = gcal_arena_alloc(arena, m->n_samples, sizeof(*times));

    for (size_t i = 0; i < m->n_samples; i++)
        times[i] = m->samples[i].time_s;
    return gcal_lower_quartile(times, m->n_samples);
}

static int take_measurement(void *context, const struct gcal_measurement *measured,
                            struct gcal_error *err)
{
    struct measuring *c = context;
    double *clock;
    size_t r = 0, n = 0;

    (void)err;
    while (!c->kernel[r] || strcmp(c->kernel[r]->id, measured->kernel_id) != 0)
        r++;
    if (measured->status != GCAL_MEASUREMENT_GOOD) {
        /* Missing memory or time, and a driver that cannot build or time a kernel, are no faults of
         * the device.
         */
        bool is_fault = measured->status == GCAL_MEASUREMENT_WRONG_RESULT ||
                        measured->status == GCAL_MEASUREMENT_LAUNCH_FAILED ||
                        measured->status == GCAL_MEASUREMENT_TIMED_OUT ||
                        measured->status == GCAL_MEASUREMENT_CRASHED;

        if (is_fault && !c->m->wrong)
            c->m->wrong = gcal_arena_format(
                c->arena, "%s: %s%s%s", gcal_health_resource_name(r),
                gcal_measurement_status_name(measured->status),
                measured->detail ? ": " : "", measured->detail ? measured->detail : "");
        return 0;
    }
    take_time(c->m, r, quartile(c->arena, measured));
    c->m->kernel[r] = gcal_arena_format(c->arena, "%.12s", measured->kernel_id);
    if (r != GCAL_HEALTH_ARITHMETIC)
        return 0;
    clock = gcal_arena_alloc(c->arena, measured->n_samples, sizeof(*clock));
    for (size_t i = 0; i < measured->n_samples; i++)
        if (measured->samples[i].clock_hz > 0)
            clock[n++] = measured->samples[i].clock_hz;
    if (n)
        take_time(c->m, GCAL_HEALTH_CLOCK, 1 / gcal_median(clock, n));
    return 0;
}

static void take_use(void *context, const struct gcal_plan_use *use)
{
    struct measuring *c = context;

    c->m->busy_s += use->busy_s;
    c->m->in_use = c->m->in_use || use->others;
}

/* The kernel of a resource: of those that the tags pick, which differ in how much of the cache
 * they need, the least for its latency, which else depends on where the data lie, and a quarter
 * for its bandwidth, on CPUs a sixteenth.  'list' keeps it.
 */
static int pick(struct measuring *c, struct gcal_catalogue *catalogue, size_t resource,
                const struct gcal_device_info *info, struct gcal_kernel_list *list,
                struct gcal_error *err)
{
    const struct gcal_kernel_limits limits = gcal_select_device_limits(info);
    const char *tags[6];
    size_t n = tags_of(c->arena, resource, info, tags), at;

    if (!n)
        return 0;
    if (gcal_catalogue_generate(catalogue, n, tags, GCAL_MATCH_SUPERSET, &limits, list,
                                err) < 0 ||
        gcal_kernel_list_check(list, err) < 0)
        return -1;
    at = resource == GCAL_HEALTH_CACHE && list->n_kernels > 1 &&
         strcmp(info->device_type, "cpu") != 0;
    if (list->n_kernels) {
        c->kernel[resource] = list->kernels[at];
        list->kernels[at]->sweep = false; /* this size and no other */
        list->kernels[at]->short_run = true;
    }
    return 0;
}

int gcal_health_measure(struct gcal_arena *arena, struct gcal_worker_spawner *spawner,
                        const char *node, const struct gcal_device_info *info,
                        struct gcal_catalogue *catalogue, const bool *which,
                        struct gcal_health_measured *m, struct gcal_error *err)
{
    struct measuring c = { .arena = arena, .m = m };
    struct gcal_plan_hooks hooks = {
        .sink = { .context = &c, .measurement = take_measurement },
        .used = take_use,
        .progress_context = &c,
    };
    struct gcal_kernel_list lists[GCAL_HEALTH_N] = { 0 };
    struct gcal_kernel *kernels[GCAL_HEALTH_N];
    struct gcal_kernel_list all = { .kernels = kernels };
    int rc = 0;

    for (size_t r = 0; r < GCAL_HEALTH_N && rc == 0; r++)
        if (which[r])
            rc = pick(&c, catalogue, r, info, &lists[r], err);
    for (size_t r = 0; r < GCAL_HEALTH_N; r++)
        if (c.kernel[r])
            kernels[all.n_kernels++] = c.kernel[r];
    if (rc == 0)
        rc = gcal_plan_measure_alone(spawner, node, info, &all, &options, &hooks, err);
    for (size_t r = 0; r < GCAL_HEALTH_N; r++)
        gcal_kernel_list_clear(&lists[r]);
    return rc;
}
