/* search.c - sizes to measure, found by trying */
#include <math.h>
#include <string.h>

#include "kernels/base/error.h"
#include "calib/worker/worker.h"
#include "mpi/commands/learn/private.h"

/* Larger extents overflow subscripts of 32 bits. */
#define MOST_BYTES_PER_INT 0x1p32

/* Times between which sizes are useful: much shorter ones are all launch, and longer ones
 * take long to measure.
 */
#define LEAST_GPU_S 10e-6
#define LEAST_CPU_S 100e-6
#define MOST_GPU_S  0.01
#define MOST_CPU_S  0.03
#define LIMIT_S     20.0
#define SHARE       0.25 /* of the device's memory */
#define LEAST_RATIO 8    /* of the largest size to the smallest */

struct search {
    struct gcal_learning *l;
    const struct gcal_learn_span *spans;
    struct gcal_worker *worker;
};

/* Time of a launch with these sizes; infinite if the device cannot run it. */
static int try_sizes(const struct search *s, const double *sizes, double *time_s,
                     struct gcal_error *err)
{
    struct gcal_kernel_list list = { 0 };
    struct gcal_error why = { 0 };
    enum gcal_measurement_status status = GCAL_MEASUREMENT_GOOD;
    enum gcal_worker_outcome outcome;
    int rc = gcal_own_kernel_generate(&s->l->own, s->l->catalogue, GCAL_KERNEL_COMPLETE,
                                      sizes, NULL, &list, err);

    if (rc == 0) {
        outcome = gcal_worker_prepare(s->worker, list.kernels[0], LIMIT_S, time_s,
                                      &status, &why);
        if (outcome == GCAL_WORKER_REFUSED && status == GCAL_MEASUREMENT_BAD_EVENTS)
            *time_s = 0; /* too short for the device's clock */
        else if (outcome == GCAL_WORKER_TIMED_OUT || status == GCAL_MEASUREMENT_SKIPPED)
            *time_s = INFINITY;
        else if (outcome != GCAL_WORKER_DONE)
            rc = gcal_error_set(err, GCAL_EDEVICE, "%s: %s", list.kernels[0]->name,
                                why.text);
    }
    gcal_kernel_list_clear(&list);
    return rc;
}

/* Sizes that were tried, each twice the one before. */
struct tries {
    size_t n;
    double value[40], time_s[40];
};

static double multiply_sizes(const struct gcal_own_kernel *own, const double *sizes)
{
    double product = 1;

    for (size_t i = 0; i < own->n_sizes; i++)
        product *= sizes[i];
    return product;
}

/* From where the kernel's work takes longer than its launch. */
static int find_range(const struct search *s, double *sizes, double *first, double *last,
                      struct gcal_error *err)
{
    bool is_cpu = strcmp(s->l->info->device_type, "cpu") == 0;
    struct tries tries = { 0 };
    double least_s;
    size_t i = 0;

    /* Doubles from small sizes until the kernel runs long. */
    double most_s = is_cpu ? MOST_CPU_S : MOST_GPU_S;
    const struct gcal_own_kernel *own = &s->l->own;
    double most_bytes = fmin(SHARE * s->l->info->global_memory_bytes, MOST_BYTES_PER_INT);
    double time_s = 0, before = 0;
    for (double value = 16; value < 0x1p31 && time_s < most_s; value *= 2) {
        gcal_learn_set_sizes(own, s->spans, value, 0, sizes);
        if (!gcal_learn_move_sizes(s->l, s->spans, false, sizes) ||
            multiply_sizes(own, sizes) == before)
            continue;
        before = multiply_sizes(own, sizes);
        if (!(gcal_own_sizes_bytes(own, sizes) <= most_bytes))
            break;
        if (try_sizes(s, sizes, &time_s, err) < 0)
            return -1;
        if (!isfinite(time_s) || (time_s > 4 * most_s && tries.n > 1))
            break;
        tries.value[tries.n] = value;
        tries.time_s[tries.n++] = time_s;
    }
    if (tries.n < 3)
        return gcal_error_set(err, GCAL_EDEVICE,
                              "no range of sizes found that the device runs in a useful "
                              "time: give one (--sizes NAME=FIRST:LAST)");
    *last = tries.value[tries.n - 1];
    least_s = fmax(is_cpu ? LEAST_CPU_S : LEAST_GPU_S, 2 * tries.time_s[0]);
    while (i + 1 < tries.n && tries.time_s[i] < least_s &&
           tries.value[i + 1] <= *last / LEAST_RATIO)
        i++;
    *first = tries.value[i];
    return 0;
}

static int find_points(const struct search *s, struct gcal_error *err)
{
    const struct gcal_own_kernel *own = &s->l->own;
    double *sizes = gcal_arena_alloc(s->l->arena, own->n_sizes, sizeof(*sizes));
    double first, last;

    if (find_range(s, sizes, &first, &last, err) < 0)
        return -1;
    for (int i = 0; i < GCAL_LEARN_N_PARTS; i++) {
        bool is_end = i == 0 || i == GCAL_LEARN_N_PARTS - 1;

        gcal_learn_set_sizes(own, s->spans,
                             rint(first * pow(last / first, gcal_learn_parts[i])), 0,
                             sizes);
        if (gcal_learn_move_sizes(s->l, s->spans, !is_end, sizes))
            gcal_learn_points_append(s->l, sizes);
    }
    if (s->l->points.n >= 3)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "only %zu sizes found that can be launched: give a range "
                          "(--sizes NAME=FIRST:LAST)",
                          s->l->points.n);
}

int gcal_learn_points_find(struct gcal_learning *l, struct gcal_error *err)
{
    struct search s = { .l = l, .spans = gcal_learn_spans_parse(l, err) };
    int rc = -1;

    if (s.spans &&
        (s.worker = gcal_worker_start_on(l->devices.spawner, l->info->uid, NULL, err)))
        rc = find_points(&s, err);
    gcal_worker_stop(s.worker);
    return rc;
}
