/* arguments.c - arguments of a kernel whose description has none */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "mpi/commands/own/own.h"

static int unknown_arg(const struct gcal_kernel *kernel,
                       const struct gcal_count_signature_arg *arg, struct gcal_error *err)
{
    bool is_other = arg->kind == GCAL_COUNT_SIGNATURE_OTHER;

    return gcal_error_set(
        err, GCAL_EINPUT,
        "%s has no 'args', and '%s' cannot be made up: %s%s; add 'args' "
        "with the elements of each buffer and the value of each scalar",
        kernel->generator, arg->name, is_other ? "it is of type " : "",
        is_other ? arg->type : arg->unknown);
}

static bool is_size(const struct gcal_kernel *kernel, const char *name)
{
    for (size_t i = 0; i < kernel->n_sizes; i++)
        if (strcmp(kernel->sizes[i].name, name) == 0)
            return true;
    return false;
}

/* The caller's to free. */
static char *value_of(const struct gcal_kernel *kernel,
                      const struct gcal_count_signature_arg *arg)
{
    if (arg->kind != GCAL_COUNT_SIGNATURE_SCALAR)
        return arg->elements ? strdup(arg->elements)
                             : gcal_buf_format("%zu", arg->per_item);
    return strdup(is_size(kernel, arg->name) ? arg->name
                  : *arg->dtype == 'f'       ? "0.5"
                                             : "1");
}

static int make_up(const struct gcal_kernel *kernel,
                   const struct gcal_count_signature_arg *arg, struct gcal_arg *made,
                   struct gcal_error *err)
{
    static const enum gcal_arg_kind kinds[] = {
        [GCAL_COUNT_SIGNATURE_BUFFER] = GCAL_ARG_BUFFER,
        [GCAL_COUNT_SIGNATURE_LOCAL] = GCAL_ARG_LOCAL,
        [GCAL_COUNT_SIGNATURE_SCALAR] = GCAL_ARG_SCALAR,
    };

    if (arg->kind == GCAL_COUNT_SIGNATURE_OTHER ||
        (arg->kind != GCAL_COUNT_SIGNATURE_SCALAR && arg->unknown))
        return unknown_arg(kernel, arg, err);
    made->kind = kinds[arg->kind];
    made->output = arg->kind == GCAL_COUNT_SIGNATURE_BUFFER && arg->written;
    made->name = strdup(arg->name);
    made->dtype = strdup(arg->dtype);
    made->value = value_of(kernel, arg);
    return made->name && made->dtype && made->value ? 0 : gcal_error_memory(err);
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
