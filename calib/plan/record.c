/* record.c - a kernel in the form of the record */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "calib/plan/private.h"

/* Sizes in the order in which the profile is evaluated. */
static int fill_sizes(const struct gcal_kernel *kernel, struct gcal_run_kernel *made,
                      struct gcal_error *err)
{
    const struct gcal_profile *profile = kernel->profile;

    made->size_names = calloc(profile->n_parameters + 1, sizeof(*made->size_names));
    made->size_values = calloc(profile->n_parameters + 1, sizeof(*made->size_values));
    if (!made->size_names || !made->size_values)
        return gcal_error_memory(err);
    if (gcal_kernel_size_values(kernel, made->size_values, err) < 0)
        return -1;
    for (size_t i = 0; i < profile->n_parameters; i++) {
        if (!(made->size_names[i] = strdup(profile->parameters[i])))
            return gcal_error_memory(err);
        made->n_sizes++;
    }
    return 0;
}

int gcal_plan_record_kernel(const struct gcal_kernel *kernel,
                            struct gcal_run_kernel *made, struct gcal_error *err)
{
    struct gcal_run_kernel k = {
        .id = strdup(kernel->id),
        .name = strdup(kernel->name),
        .generator = strdup(kernel->generator),
        .family = strdup(kernel->family),
        .variant = strdup(kernel->variant),
        .source = strdup(kernel->source),
        .entry = strdup(kernel->entry),
        .build_options = strdup(kernel->build_options ? kernel->build_options : ""),
        .sub_group_size = kernel->counting.sub_group_size,
    };

    if (!k.id || !k.name || !k.generator || !k.family || !k.variant || !k.source ||
        !k.entry || !k.build_options) {
        gcal_error_memory(err);
        goto fail;
    }
    if (gcal_fields_copy(gcal_kernel_origin_fields, &k.origin, &kernel->origin, err) <
            0 ||
        gcal_kernel_uses_copy(&k.uses, &kernel->uses, err) < 0)
        goto fail;
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
    if (!(k.launch = gcal_buf_take(&buf, err)) ||
        !(k.profile = gcal_profile_encode(kernel->profile, err)) ||
        fill_sizes(kernel, &k, err) < 0)
        goto fail;
    *made = k;
    return 0;
fail:
    gcal_run_kernel_clear(&k);
    return -1;
}
