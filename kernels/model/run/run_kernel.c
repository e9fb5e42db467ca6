/* run_kernel.c - fields and encoding of a recorded kernel */
#include "kernels/model/run/run_kernel.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/wire.h"
#include "kernels/base/yaml.h"
#include "kernels/model/profile.h"

#define KERNEL(...) GCAL_FIELD(struct gcal_run_kernel, __VA_ARGS__)

const struct gcal_field gcal_run_kernel_fields[] = {
    KERNEL(TEXT, "id", id, NULL, "SHA-256 of what builds and runs the kernel"),
    KERNEL(TEXT, "name", name, NULL, "generator and arguments"),
    KERNEL(TEXT, "generator", generator, NULL, "entry of the catalogue"),
    KERNEL(TEXT, "family", family, NULL,
           "name without the size of the size sweep: kernels of a family build once"),
    KERNEL(TEXT, "variant", variant, NULL,
           "name without sizes: kernels of a variant have the same counts"),
    KERNEL(TEXT, "entry", entry, NULL, "name of the kernel function"),
    KERNEL(TEXT, "launch", launch, NULL, "NDRange, launches, transfer and clock"),
    KERNEL(TEXT, "build_options", build_options, NULL, "options of the OpenCL compiler"),
    KERNEL(TEXT, "source", source, NULL, "OpenCL C"),
    KERNEL(TEXT, "profile", profile, NULL, "counts, YAML"),
    KERNEL(U64, "sub_group_size", sub_group_size, NULL,
           "work-items of a sub-group for which they hold; 0: any"),
    { 0 },
};

/* Of a size: the length of its name, and its value. */
#define LEAST_SIZE_BYTES 12

void gcal_run_kernel_clear(struct gcal_run_kernel *kernel)
{
    gcal_fields_clear(gcal_run_kernel_fields, kernel);
    gcal_fields_clear(gcal_kernel_origin_fields, &kernel->origin);
    gcal_kernel_uses_clear(&kernel->uses);
    for (size_t i = 0; i < kernel->n_sizes; i++)
        free(kernel->size_names[i]);
    free(kernel->size_names);
    free(kernel->size_values);
    *kernel = (struct gcal_run_kernel){ 0 };
}

static int copy_sizes(struct gcal_run_kernel *to, const struct gcal_run_kernel *from,
                      struct gcal_error *err)
{
    to->size_names = calloc(from->n_sizes + 1, sizeof(*to->size_names));
    to->size_values = calloc(from->n_sizes + 1, sizeof(*to->size_values));
    if (!to->size_names || !to->size_values)
        return gcal_error_memory(err);
    for (size_t i = 0; i < from->n_sizes; i++, to->n_sizes++) {
        to->size_values[i] = from->size_values[i];
        if (!(to->size_names[i] = strdup(from->size_names[i])))
            return gcal_error_memory(err);
    }
    return 0;
}

int gcal_run_kernel_copy(struct gcal_run_kernel *to, const struct gcal_run_kernel *from,
                         struct gcal_error *err)
{
    *to = (struct gcal_run_kernel){ 0 };
    if (gcal_fields_copy(gcal_run_kernel_fields, to, from, err) == 0 &&
        gcal_fields_copy(gcal_kernel_origin_fields, &to->origin, &from->origin, err) ==
            0 &&
        gcal_kernel_uses_copy(&to->uses, &from->uses, err) == 0 &&
        copy_sizes(to, from, err) == 0)
        return 0;
    gcal_run_kernel_clear(to);
    return -1;
}

void gcal_run_kernel_put(struct gcal_buf *buf, const struct gcal_run_kernel *kernel)
{
    gcal_fields_put(buf, gcal_run_kernel_fields, kernel);
    gcal_fields_put(buf, gcal_kernel_origin_fields, &kernel->origin);
    gcal_kernel_uses_put(buf, &kernel->uses);
    gcal_wire_put_u64(buf, kernel->n_sizes);
    for (size_t i = 0; i < kernel->n_sizes; i++) {
        gcal_wire_put_text(buf, kernel->size_names[i] ? kernel->size_names[i] : "");
        gcal_wire_put_f64(buf, kernel->size_values[i]);
    }
}

static void get_sizes(struct gcal_wire *wire, struct gcal_run_kernel *kernel)
{
    size_t count = gcal_fields_get_count(wire, LEAST_SIZE_BYTES);

    kernel->size_names = gcal_fields_get_array(wire, count, sizeof(*kernel->size_names));
    kernel->size_values =
        gcal_fields_get_array(wire, count, sizeof(*kernel->size_values));
    if (wire->bad)
        return;
    kernel->n_sizes = count;
    for (size_t i = 0; i < count; i++) {
        if (!(kernel->size_names[i] = gcal_wire_get_text(wire)))
            wire->bad = true;
        kernel->size_values[i] = gcal_wire_get_f64(wire);
    }
}

int gcal_run_kernel_get(struct gcal_wire *wire, struct gcal_run_kernel *kernel,
                        struct gcal_error *err)
{
    *kernel = (struct gcal_run_kernel){ 0 };
    gcal_fields_get(wire, gcal_run_kernel_fields, kernel);
    gcal_fields_get(wire, gcal_kernel_origin_fields, &kernel->origin);
    gcal_kernel_uses_get(wire, &kernel->uses);
    get_sizes(wire, kernel);
    if (!wire->bad)
        return 0;
    gcal_run_kernel_clear(kernel);
    return gcal_error_set(err, GCAL_EINPUT, "kernel: damaged data");
}

struct gcal_profile *gcal_run_kernel_profile(const struct gcal_run_kernel *kernel,
                                             struct gcal_error *err)
{
    struct gcal_yaml *root =
        gcal_yaml_parse(kernel->profile, strlen(kernel->profile), kernel->name, err);
    struct gcal_profile *profile = root ? gcal_profile_decode(root, err) : NULL;

    gcal_yaml_destroy(root);
    if (profile && profile->n_parameters != kernel->n_sizes) {
        gcal_error_set(err, GCAL_EINPUT,
                       "%s: %zu sizes recorded, but its counts need %zu", kernel->name,
                       kernel->n_sizes, profile->n_parameters);
        gcal_profile_destroy(profile);
        profile = NULL;
    }
    return profile;
}
