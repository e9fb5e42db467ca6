/* work.c - bytes and operations of a profile */
#include "kernels/model/run/work.h"

#include <math.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "kernels/model/expr.h"
#include "kernels/model/profile.h"

/* Bytes per access. */
static double access_bytes(const struct gcal_profile_entry *e)
{
    bool twice = gcal_feature_is_op(e->kind) && strcmp(e->op, "load") != 0 &&
                 strcmp(e->op, "store") != 0;

    return (double)((twice ? 2 : 1) * gcal_dtype_size(e->dtype) * e->vector_width);
}

/* The sum that an entry's count is added to, and the weight of each; NULL: none. */
static double *find_sum(const struct gcal_profile_entry *e, struct gcal_work *work,
                        double *weight)
{
    *weight = 1;
    switch (gcal_feature_info(e->kind)->work) {
    case GCAL_FEATURE_WORK_NONE:
        break;
    case GCAL_FEATURE_WORK_OPERATIONS:
        *weight = strcmp(e->op, "madd") == 0 ? 2 : 1;
        return strncmp(e->dtype, "float", 5) == 0 ? &work->float_ops : &work->integer_ops;
    case GCAL_FEATURE_WORK_MATRICES:
        *weight = 2;
        return strncmp(e->op, "int", 3) == 0 ? &work->integer_ops : &work->float_ops;
    case GCAL_FEATURE_WORK_ACCESSES:
        *weight = access_bytes(e);
        return e->space == GCAL_FEATURE_SPACE_GLOBAL  ? &work->global_bytes
               : e->space == GCAL_FEATURE_SPACE_LOCAL ? &work->local_bytes
                                                      : NULL;
    case GCAL_FEATURE_WORK_COPIED_BYTES:
        return &work->copied_bytes;
    }
    return NULL;
}

static int count(const struct gcal_profile *profile, const struct gcal_profile_entry *e,
                 const double *sizes, double sub_group_size, double *value,
                 struct gcal_error *err)
{
    const char *names[GCAL_PROFILE_MAX_PARAMETERS + 1];
    double values[GCAL_PROFILE_MAX_PARAMETERS + 1];
    size_t n = profile->n_parameters;
    struct gcal_expr *expr;

    for (size_t i = 0; i < n; i++) {
        names[i] = profile->parameters[i];
        values[i] = sizes[i];
    }
    names[n] = GCAL_SUB_GROUP_SIZE;
    values[n] = sub_group_size;
    if (!(expr = gcal_expr_parse_in(e->count, n + 1, names, err)))
        return -1;
    *value = gcal_expr_eval(expr, values);
    gcal_expr_destroy(expr);
    if (isfinite(*value) && *value >= 0)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT, "%.200s: invalid count %g", e->feature,
                          *value);
}

/* Either the entries of global memory, or all others. */
static int add(const struct gcal_profile *profile, bool global, const double *sizes,
               double sub_group_size, struct gcal_work *work, struct gcal_error *err)
{
    if (profile->n_parameters > GCAL_PROFILE_MAX_PARAMETERS)
        return gcal_error_set(err, GCAL_EINPUT, "kernel %.60s has more than %d sizes",
                              profile->kernel, GCAL_PROFILE_MAX_PARAMETERS);
    for (size_t i = 0; i < profile->n_entries; i++) {
        const struct gcal_profile_entry *e = &profile->entries[i];
        double value, weight, *sum = find_sum(e, work, &weight);

        if (!sum || (sum == &work->global_bytes) != global)
            continue;
        if (count(profile, e, sizes, sub_group_size, &value, err) < 0)
            return -1;
        *sum += weight * value;
        work->estimated = work->estimated || e->estimated;
    }
    return 0;
}

int gcal_work_count(const struct gcal_profile *by_item,
                    const struct gcal_profile *by_sub_group, const double *sizes,
                    double sub_group_size, struct gcal_work *work, struct gcal_error *err)
{
    *work = (struct gcal_work){ 0 };
    if (add(by_sub_group, true, sizes, sub_group_size, work, err) < 0 ||
        add(by_item, false, sizes, 1, work, err) < 0)
        return -1;
    return 0;
}
