/* limits.c - whether a device can run a launch */
#include "kernels/model/limits.h"

#include "kernels/base/error.h"
#include "kernels/base/units.h"

static bool exceeds(double need, double limit)
{
    return limit > 0 && need > limit;
}

enum gcal_limit gcal_limits_find(const struct gcal_limits *l, const struct gcal_needs *n)
{
    if (exceeds(n->work_group_size, l->work_group_size))
        return GCAL_LIMIT_WORK_GROUP;
    if (exceeds(n->work_group_depth, l->work_group_depth))
        return GCAL_LIMIT_WORK_GROUP_DEPTH;
    if (exceeds(n->local_memory_bytes, l->local_memory_bytes))
        return GCAL_LIMIT_LOCAL_MEMORY;
    if (n->fp16 && !l->fp16)
        return GCAL_LIMIT_FP16;
    if (n->fp64 && !l->fp64)
        return GCAL_LIMIT_FP64;
    if (n->ptx && !l->ptx)
        return GCAL_LIMIT_PTX;
    if (exceeds(n->buffer_bytes, l->buffer_bytes))
        return GCAL_LIMIT_BUFFER;
    if (exceeds(n->memory_bytes, l->memory_bytes))
        return GCAL_LIMIT_MEMORY;
    return GCAL_N_LIMITS;
}

const char *gcal_limit_name(enum gcal_limit limit)
{
    static const char *const names[GCAL_N_LIMITS] = {
        [GCAL_LIMIT_WORK_GROUP] = "larger work-groups than the device allows",
        [GCAL_LIMIT_WORK_GROUP_DEPTH] = "deeper work-groups than the device allows",
        [GCAL_LIMIT_LOCAL_MEMORY] = "more local memory than the device has",
        [GCAL_LIMIT_FP16] = "float16, which the device does not support",
        [GCAL_LIMIT_FP64] = "float64, which the device does not support",
        [GCAL_LIMIT_PTX] = "inline assembly of NVIDIA, which the device does not have",
        [GCAL_LIMIT_BUFFER] = "a larger buffer than the device allows",
        [GCAL_LIMIT_MEMORY] = "more memory than the device has",
    };

    return names[limit];
}

int gcal_limits_check(const struct gcal_limits *l, const struct gcal_needs *n,
                      struct gcal_error *err)
{
    const struct {
        double need, limit;
        const char *unit;
    } figures[GCAL_N_LIMITS] = {
        [GCAL_LIMIT_WORK_GROUP] = { n->work_group_size, l->work_group_size,
                                    "work-items" },
        [GCAL_LIMIT_WORK_GROUP_DEPTH] = { n->work_group_depth, l->work_group_depth,
                                          "work-items" },
        [GCAL_LIMIT_LOCAL_MEMORY] = { n->local_memory_bytes, l->local_memory_bytes, "B" },
        [GCAL_LIMIT_BUFFER] = { n->buffer_bytes, l->buffer_bytes, "B" },
        [GCAL_LIMIT_MEMORY] = { n->memory_bytes, l->memory_bytes, "B" },
    };
    enum gcal_limit found = gcal_limits_find(l, n);
    char need[GCAL_UNITS_SIZE], limit[GCAL_UNITS_SIZE];

    if (found == GCAL_N_LIMITS)
        return 0;
    if (!figures[found].unit)
        gcal_error_set(err, GCAL_EINPUT, "the launch needs %s", gcal_limit_name(found));
    else
        gcal_error_set(err, GCAL_EINPUT, "the launch needs %s: %s, of at most %s",
                       gcal_limit_name(found),
                       gcal_units(figures[found].need, figures[found].unit, need),
                       gcal_units(figures[found].limit, figures[found].unit, limit));
    return gcal_error_because(err, GCAL_REASON_CANNOT_RUN);
}
