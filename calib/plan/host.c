/* host.c - what the host computes for a kernel at its small sizes
 *
 * By the reference, or by interpreting the kernel itself.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/model/dtype.h"
#include "calib/plan/private.h"
#include "kernels/interpret/interpret.h"

bool gcal_plan_needs_host(const struct gcal_plan *plan)
{
    const char *type = plan->info->device_type;

    return !type || strcmp(type, "cpu") == 0;
}

/* Arguments for the host: buffers with the same contents as the worker's. */
struct host_args {
    const struct gcal_geometry *geometry;
    size_t n;
    struct gcal_interp_arg *args; /* by the kernel's arguments */
};

static int store_scalar(const struct gcal_arg *arg, double value, void *data,
                        struct gcal_error *err)
{
#define STORE(name, type)                                                                \
    if (strcmp(arg->dtype, name) == 0) {                                                 \
        *(type *)data = (type)value;                                                     \
        return 0;                                                                        \
    }
    GCAL_PLAN_DTYPES(STORE)
#undef STORE
    return gcal_error_set(err, GCAL_EINPUT, "scalar '%s' of type %s cannot be checked",
                          arg->name, arg->dtype);
}

static int make_arg(const struct gcal_arg *arg, double value,
                    const struct gcal_dtype_range *range, uint64_t seed,
                    struct gcal_interp_arg *host, struct gcal_error *err)
{
    size_t count = arg->kind == GCAL_ARG_SCALAR ? 0 : (size_t)value;
    size_t element_bytes = gcal_dtype_size(arg->dtype);

    host->dtype = arg->dtype;
    host->count = count;
    if (arg->kind == GCAL_ARG_LOCAL)
        return 0;
    if (!(host->data = calloc(count ? count : 1, element_bytes ? element_bytes : 8)))
        return gcal_error_memory(err);
    if (arg->kind == GCAL_ARG_SCALAR)
        return store_scalar(arg, value, host->data, err);
    if (gcal_dtype_fill_range(seed, arg->dtype, range, count, host->data) < 0)
        return gcal_error_set(err, GCAL_EINPUT, "buffer '%s' is of unknown type %s",
                              arg->name, arg->dtype);
    return 0;
}

static int host_args_make(const struct gcal_kernel *kernel, uint64_t seed,
                          struct host_args *h, struct gcal_error *err)
{
    if (!(h->args = calloc(kernel->n_args + 1, sizeof(*h->args))))
        return gcal_error_memory(err);
    h->n = kernel->n_args;
    for (size_t i = 0; i < h->n; i++)
        if (kernel->args[i].kind >= GCAL_ARG_STRUCT)
            return gcal_error_set(err, GCAL_EINPUT,
                                  "argument '%s': the host's interpreter takes no "
                                  "structures by value and no samplers",
                                  kernel->args[i].name);
    for (size_t i = 0; i < h->n; i++)
        if (make_arg(&kernel->args[i], h->geometry->arg_values[i],
                     &h->geometry->arg_ranges[i], seed + i, &h->args[i], err) < 0)
            return -1;
    return 0;
}

/* A reference has the kernel's arguments without the local ones. */
static int run_reference(const struct gcal_kernel *kernel, const struct host_args *h,
                         struct gcal_error *err)
{
    struct gcal_interp_arg *args = calloc(h->n + 1, sizeof(*args));
    size_t n = 0;
    int rc;

    if (!args)
        return gcal_error_memory(err);
    for (size_t i = 0; i < h->n; i++)
        if (kernel->args[i].kind != GCAL_ARG_LOCAL)
            args[n++] = h->args[i];
    rc = gcal_interp_run_function(kernel->reference, kernel->generator, "reference", n,
                                  args, err);
    free(args);
    return rc;
}

static int run_source(const struct gcal_kernel *kernel, struct host_args *h,
                      struct gcal_error *err)
{
    const struct gcal_count_request request = gcal_kernel_request(kernel);

    return gcal_interp_run_kernel(&request, h->geometry->global_size, h->n, h->args, err);
}

/* Outputs move from 'h' to 'result'. */
static int take_outputs(const struct gcal_kernel *kernel, struct host_args *h,
                        struct gcal_plan_result *result)
{
    if (!(result->outputs = calloc(h->n + 1, sizeof(*result->outputs))))
        return gcal_error_memory(&result->failure);
    result->n = h->n;
    for (size_t i = 0; i < h->n; i++)
        if (kernel->args[i].output && h->args[i].data) {
            result->outputs[i] = h->args[i].data;
            result->bytes += h->args[i].count * gcal_dtype_size(kernel->args[i].dtype);
            h->args[i].data = NULL;
        }
    return 0;
}

void gcal_plan_run_on_host(const struct gcal_kernel *kernel, uint64_t seed,
                           const struct gcal_geometry *geometry,
                           struct gcal_plan_result *result)
{
    struct host_args h = { .geometry = geometry };

    *result = (struct gcal_plan_result){ .bytes = sizeof(*result) };
    /* Runs the reference, or the kernel itself, in the host's interpreter. */
    if (host_args_make(kernel, seed, &h, &result->failure) < 0 ||
        (gcal_kernel_is_transfer(kernel) ? 0
         : kernel->reference             ? run_reference(kernel, &h, &result->failure)
                             : run_source(kernel, &h, &result->failure)) < 0 ||
        take_outputs(kernel, &h, result) < 0)
        result->failed = true;
    for (size_t i = 0; i < h.n; i++)
        free(h.args[i].data);
    free(h.args);
}

void gcal_plan_result_clear(struct gcal_plan_result *result)
{
    for (size_t i = 0; result->outputs && i < result->n; i++)
        free(result->outputs[i]);
    free(result->outputs);
    *result = (struct gcal_plan_result){ 0 };
}
