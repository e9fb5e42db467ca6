/* limits.c - kernels that a device cannot run, and why */
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "kernels/generate/private.h"

const struct gcal_kernel_limits gcal_kernel_nominal_limits = {
    .cache_bytes = 4 << 20,
    .memory_bytes = 1 << 30,
    .fp16 = true,
    .fp64 = true,
};

const char *gcal_kernel_exclusion_name(enum gcal_kernel_exclusion reason)
{
    static const char *const names[] = {
        [GCAL_KERNEL_EXCLUDED_WORK_GROUP] = "larger work-groups than the device allows",
        [GCAL_KERNEL_EXCLUDED_LOCAL_MEMORY] = "more local memory than the device has",
        [GCAL_KERNEL_EXCLUDED_FP16] = "float16, which the device does not support",
        [GCAL_KERNEL_EXCLUDED_FP64] = "float64, which the device does not support",
        [GCAL_KERNEL_EXCLUDED_FOOTPRINT] = "a footprint too small for any size",
    };

    return names[reason];
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

bool gcal_kernel_limits_allow(const struct gcal_kernel_limits *limits,
                              const struct gcal_generator_setting *s,
                              const struct gcal_kernel *kernel,
                              enum gcal_kernel_exclusion *reason)
{
    size_t work_group = 1;

    for (size_t i = 0; i < kernel->n_dims; i++)
        work_group *= kernel->local_size[i];
    if (limits->max_work_group_size && work_group > limits->max_work_group_size)
        *reason = GCAL_KERNEL_EXCLUDED_WORK_GROUP;
    else if (!limits->fp16 && has_dtype(s, kernel, "float16"))
        *reason = GCAL_KERNEL_EXCLUDED_FP16;
    else if (!limits->fp64 && has_dtype(s, kernel, "float64"))
        *reason = GCAL_KERNEL_EXCLUDED_FP64;
    else
        return true;
    return false;
}
