/* kernel_origin.c - fields of what a kernel is derived from */
#include "kernels/model/run/kernel_origin.h"

#define ORIGIN(...) GCAL_FIELD(struct gcal_kernel_origin, __VA_ARGS__)

static const char *const forms[] = { [GCAL_KERNEL_COMPLETE] = "complete",
                                     [GCAL_KERNEL_LOADS] = "loads",
                                     [GCAL_KERNEL_ONCHIP] = "onchip",
                                     [GCAL_KERNEL_MEMORY] = "memory",
                                     NULL };

const struct gcal_field gcal_kernel_origin_fields[] = {
    ORIGIN(ENUM, "form", form, NULL, "what is left of the work of the origin",
           .values = forms),
    ORIGIN(TEXT, "origin_generator", generator, NULL,
           "generator of the kernel that it is derived from, or empty"),
    ORIGIN(TEXT, "origin_family", family, NULL, "family of that kernel, or empty"),
    ORIGIN(TEXT, "origin_name", name, NULL, "name of that kernel, or empty"),
    ORIGIN(U64, "accumulators", n_accumulators, NULL,
           "accumulators that sum up its loads, or 0"),
    ORIGIN(BOOL, "barriers", barriers, NULL, "form memory: barriers are kept"),
    { 0 },
};

const char *gcal_kernel_form_name(enum gcal_kernel_form form)
{
    return gcal_field_value_name(forms, form);
}
