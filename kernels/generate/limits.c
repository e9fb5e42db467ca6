/* limits.c - kernels that a device cannot run, and why */
#include <stdlib.h>
#include <string.h>

#include "kernels/generate/private.h"

const struct gcal_kernel_limits gcal_kernel_nominal_limits = {
    .cache_bytes = 4 << 20,
    .memory_bytes = 1 << 30,
    .fp16 = true,
    .fp64 = true,
    .ptx = true,
};

const char *gcal_kernel_exclusion_name(enum gcal_kernel_exclusion reason)
{
    return reason == GCAL_KERNEL_EXCLUDED_FOOTPRINT
               ? "a footprint too small for any size"
               : gcal_limit_name((enum gcal_limit)reason);
}

/* Half is a storage type that every device has: vload_half() and vstore_half() need no
 * arithmetic, which begins with this extension.
 */
static bool is_storage(const struct gcal_kernel *kernel, const char *dtype)
{
    return strcmp(dtype, "float16") == 0 && !strstr(kernel->source, "cl_khr_fp16");
}

/* Whether an argument of the kernel or of the generator has this dtype. */
static bool has_dtype(const struct gcal_generator_setting *s,
                      const struct gcal_kernel *kernel, const char *dtype)
{
    for (size_t i = 0; i < kernel->n_args; i++)
        if (strcmp(kernel->args[i].dtype, dtype) == 0 && !is_storage(kernel, dtype))
            return true;
    for (size_t i = 0; i < s->generator->n_arguments; i++)
        if (strcmp(s->values[i], dtype) == 0)
            return true;
    return false;
}

struct gcal_limits gcal_kernel_device_limits(const struct gcal_kernel_limits *limits)
{
    return (struct gcal_limits){ .work_group_size = (double)limits->max_work_group_size,
                                 .work_group_depth = limits->max_work_group_depth,
                                 .local_memory_bytes = limits->local_memory_bytes,
                                 .fp16 = limits->fp16,
                                 .fp64 = limits->fp64,
                                 .ptx = limits->ptx };
}

bool gcal_kernel_limits_allow(const struct gcal_kernel_limits *limits,
                              const struct gcal_generator_setting *s,
                              const struct gcal_kernel *kernel,
                              enum gcal_kernel_exclusion *reason)
{
    const struct gcal_limits device = gcal_kernel_device_limits(limits);
    struct gcal_needs needs = { .work_group_size = 1,
                                .work_group_depth = kernel->n_dims > 2
                                                        ? (double)kernel->local_size[2]
                                                        : 0,
                                .fp16 = has_dtype(s, kernel, "float16"),
                                .fp64 = has_dtype(s, kernel, "float64"),
                                .ptx = strstr(kernel->source, "__asm__") != NULL };
    enum gcal_limit found;

    for (size_t i = 0; i < kernel->n_dims; i++)
        needs.work_group_size *= (double)kernel->local_size[i];
    found = gcal_limits_find(&device, &needs);
    *reason = (enum gcal_kernel_exclusion)found;
    return found == GCAL_N_LIMITS;
}
