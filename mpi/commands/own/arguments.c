/* arguments.c - arguments of a kernel whose description has none */
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "mpi/commands/own/own.h"

static bool is_size(const struct gcal_kernel *kernel, const char *name)
{
    for (size_t i = 0; i < kernel->n_sizes; i++)
        if (strcmp(kernel->sizes[i].name, name) == 0)
            return true;
    return false;
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
    struct gcal_arena *arena = kernel->arena;

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
    made->members = arg->members ? gcal_arena_strdup(arena, arg->members) : NULL;
    made->name = gcal_arena_strdup(arena, arg->name);
    made->dtype = gcal_arena_strdup(arena, arg->dtype ? arg->dtype : "uint32");
    if (made->kind == GCAL_ARG_SAMPLER)
        made->value = gcal_arena_strdup(arena, "0");
    else if (arg->kind == GCAL_COUNT_SIGNATURE_SCALAR)
        made->value = gcal_arena_strdup(arena, is_size(kernel, arg->name) ? arg->name
                                               : *arg->dtype == 'f'       ? "0.5"
                                                                          : "1");
    else
        made->value = arg->elements ? gcal_arena_strdup(arena, arg->elements)
                                    : gcal_arena_format(arena, "%zu", arg->per_item);
    if (!is_image)
        return 0;
    /* The extents of an image are those that its accesses reach. */
    made->channels = 4;
    made->layered = arg->is_layered;
    for (size_t d = 0; d < arg->n_extents; d++)
        made->extents[d] = gcal_arena_strdup(arena, arg->extents[d]);
    return 0;
}

int gcal_own_arguments_make_up(struct gcal_kernel *kernel, struct gcal_error *err)
{
    const struct gcal_count_request request = gcal_kernel_request(kernel);
    struct gcal_count_signature signature = { 0 };
    int rc = 0;

    if (kernel->n_args || gcal_kernel_is_transfer(kernel))
        return 0;
    rc = gcal_count_signature_read(&request, &signature, err);
    if (rc == 0)
        kernel->args =
            gcal_arena_alloc(kernel->arena, signature.n_args, sizeof(*kernel->args));
    while (rc == 0 && kernel->n_args < signature.n_args) {
        size_t i = kernel->n_args++;

        rc = make_up(kernel, &signature.args[i], &kernel->args[i], err);
    }
    gcal_count_signature_clear(&signature);
    return rc;
}
