/* arguments.c - arguments of a kernel whose description has none */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "mpi/commands/own/own.h"

static bool is_size(const struct gcal_kernel *kernel, const char *name)
{
    for (size_t i = 0; i < kernel->n_sizes; i++)
        if (strcmp(kernel->sizes[i].name, name) == 0)
            return true;
    return false;
}

/* The extents of an image are those that its accesses reach. */
static int make_up_image(const struct gcal_count_signature_arg *arg,
                         struct gcal_arg *made, struct gcal_error *err)
{
    made->channels = 4;
    made->layered = arg->is_layered;
    for (size_t d = 0; d < arg->n_extents; d++)
        if (!(made->extents[d] = strdup(arg->extents[d])))
            return gcal_error_memory(err);
    return 0;
}

static int make_up(const struct gcal_kernel *kernel,
                   const struct gcal_count_signature_arg *arg, struct gcal_arg *made,
                   struct gcal_error *err)
{
    static const enum gcal_arg_kind kinds[] = {
        [GCAL_COUNT_SIGNATURE_BUFFER] = GCAL_ARG_BUFFER,
        [GCAL_COUNT_SIGNATURE_LOCAL] = GCAL_ARG_LOCAL,
        [GCAL_COUNT_SIGNATURE_SCALAR] = GCAL_ARG_SCALAR,
        [GCAL_COUNT_SIGNATURE_IMAGE] = GCAL_ARG_BUFFER,
        [GCAL_COUNT_SIGNATURE_SAMPLER] = GCAL_ARG_SAMPLER,
        [GCAL_COUNT_SIGNATURE_STRUCT] = GCAL_ARG_STRUCT,
    };
    bool is_image = arg->kind == GCAL_COUNT_SIGNATURE_IMAGE;

    if (arg->kind == GCAL_COUNT_SIGNATURE_OTHER || arg->unknown ||
        (is_image && !arg->elements)) {
        bool is_other = arg->kind == GCAL_COUNT_SIGNATURE_OTHER;

        return gcal_error_set(
            err, GCAL_EINPUT,
            "%s has no 'args', and '%s' cannot be made up: %s%s; add 'args' "
            "with the elements of each buffer and the value of each scalar",
            kernel->generator, arg->name, is_other ? "it is of type " : "",
            is_other       ? arg->type
            : arg->unknown ? arg->unknown
                           : "the size of the image is unknown");
    }
    made->kind = kinds[arg->kind];
    made->output = made->kind == GCAL_ARG_BUFFER && arg->written;
    made->member = arg->is_member;
    made->offset = arg->offset;
    made->members = arg->members ? strdup(arg->members) : NULL;
    made->name = strdup(arg->name);
    made->dtype = strdup(arg->dtype ? arg->dtype : "uint32");
    /* The caller's to free. */
    made->value = made->kind == GCAL_ARG_SAMPLER
                      ? strdup("0")
                      : (arg->kind != GCAL_COUNT_SIGNATURE_SCALAR
                             ? arg->elements ? strdup(arg->elements)
                                             : gcal_buf_format("%zu", arg->per_item)
                             : strdup(is_size(kernel, arg->name) ? arg->name
                                      : *arg->dtype == 'f'       ? "0.5"
                                                                 : "1"));
    if (!made->name || !made->dtype || !made->value || !arg->members != !made->members)
        return gcal_error_memory(err);
    return is_image ? make_up_image(arg, made, err) : 0;
}

int gcal_own_arguments_make_up(struct gcal_kernel *kernel, struct gcal_error *err)
{
    const struct gcal_count_request request = gcal_kernel_request(kernel);
    struct gcal_count_signature signature = { 0 };
    int rc = 0;

    if (kernel->n_args || gcal_kernel_is_transfer(kernel))
        return 0;
    rc = gcal_count_signature_read(&request, &signature, err);
    if (rc == 0 && signature.n_args) {
        free(kernel->args);
        if (!(kernel->args = calloc(signature.n_args, sizeof(*kernel->args))))
            rc = gcal_error_memory(err);
    }
    while (rc == 0 && kernel->n_args < signature.n_args) {
        size_t i = kernel->n_args++;

        rc = make_up(kernel, &signature.args[i], &kernel->args[i], err);
    }
    gcal_count_signature_clear(&signature);
    return rc;
}
