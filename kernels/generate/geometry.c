/* geometry.c - NDRange, argument values and bytes of a kernel for some sizes */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "kernels/generate/private.h"

void gcal_kernel_geometry_clear(struct gcal_geometry *geometry)
{
    free(geometry->arg_values);
    free(geometry->arg_ranges);
    free(geometry->arg_extents);
    memset(geometry, 0, sizeof(*geometry));
}

static int fill_ndrange(const struct gcal_kernel *kernel, size_t n_sizes,
                        const struct gcal_size *sizes, struct gcal_geometry *geometry,
                        struct gcal_error *err)
{
    for (size_t i = 0; i < kernel->n_dims; i++) {
        const char *text = kernel->global_size[i];
        double value;

        if (gcal_kernel_eval_sizes(text, n_sizes, sizes, &value, err) < 0)
            return -1;
        if (!(value >= 1) || value > 0x1p53 || value != floor(value) ||
            fmod(value, (double)kernel->local_size[i]) != 0)
            return gcal_error_set(err, GCAL_EINPUT,
                                  "%s: global size %zu, '%s', is %g: expected a positive "
                                  "multiple of the work-group size, %zu",
                                  kernel->name, i, text, value, kernel->local_size[i]);
        geometry->global_size[i] = (size_t)value;
    }
    return 0;
}

static int fill_range(const struct gcal_kernel *kernel, const struct gcal_arg *arg,
                      size_t n_sizes, const struct gcal_size *sizes,
                      struct gcal_dtype_range *range, struct gcal_error *err)
{
    *range = (struct gcal_dtype_range){ NAN, NAN, arg->sorted, arg->members };
    if (!arg->first)
        return 0;
    if (gcal_kernel_eval_sizes(arg->first, n_sizes, sizes, &range->first, err) < 0 ||
        gcal_kernel_eval_sizes(arg->last, n_sizes, sizes, &range->last, err) < 0)
        return -1;
    if (gcal_dtype_has_range(arg->dtype, range))
        return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "%s: the range of '%s', %g to %g, is not one of %s",
                          kernel->name, arg->name, range->first, range->last, arg->dtype);
}

/* The extents of an image, 1 where it has no such dimension. */
static int fill_extents(const struct gcal_kernel *kernel, const struct gcal_arg *arg,
                        size_t n_sizes, const struct gcal_size *sizes,
                        size_t extents[GCAL_MAX_DIMS], struct gcal_error *err)
{
    double value;

    for (size_t d = 0; d < GCAL_MAX_DIMS && arg->channels; d++) {
        extents[d] = 1;
        if (!arg->extents[d])
            continue;
        if (gcal_kernel_eval_sizes(arg->extents[d], n_sizes, sizes, &value, err) < 0)
            return -1;
        if (!(value >= 1) || value > 0x1p30 || value != floor(value))
            return gcal_error_set(err, GCAL_EINPUT,
                                  "%s: image '%s' has an extent of %g ('%s'): expected a "
                                  "positive integer",
                                  kernel->name, arg->name, value, arg->extents[d]);
        extents[d] = (size_t)value;
    }
    return 0;
}

static int fill_args(const struct gcal_kernel *kernel, size_t n_sizes,
                     const struct gcal_size *sizes, struct gcal_geometry *geometry,
                     struct gcal_error *err)
{
    geometry->arg_values = calloc(kernel->n_args + 1, sizeof(double));
    geometry->arg_ranges = calloc(kernel->n_args + 1, sizeof(*geometry->arg_ranges));
    geometry->arg_extents = calloc(kernel->n_args + 1, sizeof(*geometry->arg_extents));
    if (!geometry->arg_values || !geometry->arg_ranges || !geometry->arg_extents)
        return gcal_error_memory(err);
    for (size_t i = 0; i < kernel->n_args; i++) {
        const struct gcal_arg *arg = &kernel->args[i];
        double value;

        if (gcal_kernel_eval_sizes(arg->value, n_sizes, sizes, &value, err) < 0)
            return -1;
        if (arg->kind != GCAL_ARG_SCALAR && arg->kind != GCAL_ARG_SAMPLER &&
            (!(value >= 1) || value > 0x1p53 || value != floor(value)))
            return gcal_error_set(err, GCAL_EINPUT,
                                  "%s: argument '%s' has %g elements ('%s'): expected a "
                                  "positive integer",
                                  kernel->name, arg->name, value, arg->value);
        geometry->arg_values[i] = value;
        if (fill_range(kernel, arg, n_sizes, sizes, &geometry->arg_ranges[i], err) < 0 ||
            fill_extents(kernel, arg, n_sizes, sizes, geometry->arg_extents[i], err) < 0)
            return -1;
        /* what an image is made from remains */
        if (arg->kind == GCAL_ARG_BUFFER)
            geometry->total_bytes +=
                (arg->channels ? 2 : 1) * value * (double)gcal_dtype_size(arg->dtype);
    }
    return 0;
}

int gcal_kernel_geometry(const struct gcal_kernel *kernel, size_t n_sizes,
                         const struct gcal_size *sizes, struct gcal_geometry *geometry,
                         struct gcal_error *err)
{
    struct gcal_geometry made = { 0 };

    if (fill_ndrange(kernel, n_sizes, sizes, &made, err) < 0 ||
        fill_args(kernel, n_sizes, sizes, &made, err) < 0 ||
        gcal_kernel_run_geometry(kernel, n_sizes, sizes, &made, err) < 0) {
        gcal_kernel_geometry_clear(&made);
        return -1;
    }
    *geometry = made;
    return 0;
}
