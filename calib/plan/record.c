/* record.c - a kernel in the form of the record */
#include <stdlib.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/model/profile.h"
#include "calib/plan/private.h"

int gcal_plan_record_kernel(struct gcal_arena *arena, const struct gcal_kernel *kernel,
                            struct gcal_run_kernel *made, struct gcal_error *err)
{
    const struct gcal_profile *profile = kernel->profile;

    *made = (struct gcal_run_kernel){
        .id = kernel->id,
        .name = kernel->name,
        .generator = kernel->generator,
        .family = kernel->family,
        .variant = kernel->variant,
        .origin = kernel->origin,
        .source = kernel->source,
        .entry = kernel->entry,
        .build_options =
            kernel->build_options ? kernel->build_options : gcal_arena_strdup(arena, ""),
        .profile = gcal_arena_own(arena, gcal_profile_encode(profile, err), free),
        .sub_group_size = kernel->counting.sub_group_size,
        .uses = kernel->uses,
        .n_sizes = profile->n_parameters,
        .size_names = profile->parameters,
        .size_values =
            gcal_arena_alloc(arena, profile->n_parameters, sizeof(*made->size_values)),
    };
    /* "global n/16*16,n local 16,16 launches n/4 to_device pinned 4*n bytes in 1 copies timed
     * by the host"
     */
    struct gcal_buf buf = { 0 };
    gcal_buf_puts(&buf, "");
    for (size_t i = 0; i < kernel->n_dims; i++)
        gcal_buf_printf(&buf, "%s%s", i ? "," : "global ", kernel->global_size[i]);
    for (size_t i = 0; i < kernel->n_dims; i++)
        gcal_buf_printf(&buf, "%s%zu", i ? "," : " local ", kernel->local_size[i]);
    if (kernel->launches)
        gcal_buf_printf(&buf, " launches %s", kernel->launches);
    if (kernel->transfer.way != GCAL_FEATURE_COPY_ANY)
        gcal_buf_printf(&buf, "%s%s %s %s bytes in %s copies", buf.size ? " " : "",
                        kernel->transfer.both
                            ? "both"
                            : gcal_feature_copy_direction_names[kernel->transfer.way],
                        gcal_feature_host_memory_names[kernel->transfer.host],
                        kernel->transfer.bytes, kernel->transfer.pieces);
    if (kernel->timing == GCAL_TIMING_HOST)
        gcal_buf_puts(&buf, " timed by the host");
    made->launch = gcal_arena_take(arena, &buf);
    return made->profile ? gcal_kernel_size_values(kernel, made->size_values, err) : -1;
}
