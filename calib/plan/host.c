/* host.c - what the host computes for a kernel at its small sizes
 *
 * By the reference, or by interpreting the kernel itself.
 */
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/model/dtype.h"
#include "calib/plan/private.h"
#include "kernels/interpret/interpret.h"

bool gcal_plan_needs_host(const struct gcal_plan *plan)
{
    const char *type = plan->info->device_type;

    return !type || strcmp(type, "cpu") == 0;
}

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

/* As the worker's argument, with the same contents. */
static int make_arg(struct gcal_arena *arena, const struct gcal_arg *arg, double value,
                    const struct gcal_dtype_range *range, uint64_t seed,
                    struct gcal_interp_arg *host, struct gcal_error *err)
{
    size_t element_bytes = gcal_dtype_size(arg->dtype);

    host->dtype = arg->dtype;
    host->count = arg->kind == GCAL_ARG_SCALAR ? 0 : (size_t)value;
    if (arg->kind == GCAL_ARG_LOCAL)
        return 0;
    host->data = gcal_arena_alloc(arena, host->count ? host->count : 1,
                                  element_bytes ? element_bytes : 8);
    if (arg->kind == GCAL_ARG_SCALAR)
        return store_scalar(arg, value, host->data, err);
    if (gcal_dtype_fill_range(seed, arg->dtype, range, host->count, host->data) < 0)
        return gcal_error_set(err, GCAL_EINPUT, "buffer '%s' is of unknown type %s",
                              arg->name, arg->dtype);
    return 0;
}

/* The reference, or the kernel itself, in the host's interpreter. */
static int run(struct gcal_arena *arena, const struct gcal_kernel *kernel,
               const struct gcal_geometry *geometry, struct gcal_interp_arg *args,
               struct gcal_error *err)
{
    const struct gcal_count_request request = gcal_kernel_request(kernel);
    struct gcal_interp_arg *passed;
    size_t n = 0;

    if (gcal_kernel_is_transfer(kernel))
        return 0;
    if (!kernel->reference)
        return gcal_interp_run_kernel(&request, geometry->global_size, kernel->n_args,
                                      args, err);
    /* A reference has the kernel's arguments without the local ones. */
    passed = gcal_arena_alloc(arena, kernel->n_args, sizeof(*passed));
    for (size_t i = 0; i < kernel->n_args; i++)
        if (kernel->args[i].kind != GCAL_ARG_LOCAL)
            passed[n++] = args[i];
    return gcal_interp_run_function(kernel->reference, kernel->generator, "reference", n,
                                    passed, err);
}

static int compute(struct gcal_arena *arena, const struct gcal_kernel *kernel,
                   uint64_t seed, const struct gcal_geometry *geometry,
                   struct gcal_plan_result *result, struct gcal_error *err)
{
    size_t n = kernel->n_args;
    struct gcal_interp_arg *args = gcal_arena_alloc(arena, n, sizeof(*args));

    for (size_t i = 0; i < n; i++)
        if (kernel->args[i].kind >= GCAL_ARG_STRUCT)
            return gcal_error_set(err, GCAL_EINPUT,
                                  "argument '%s': the host's interpreter takes no "
                                  "structures by value and no samplers",
                                  kernel->args[i].name);
    for (size_t i = 0; i < n; i++)
        if (make_arg(kernel->args[i].output ? result->arena : arena, &kernel->args[i],
                     geometry->arg_values[i], &geometry->arg_ranges[i], seed + i,
                     &args[i], err) < 0)
            return -1;
    if (run(arena, kernel, geometry, args, err) < 0)
        return -1;
    result->n = n;
    result->outputs = gcal_arena_alloc(result->arena, n, sizeof(*result->outputs));
    for (size_t i = 0; i < n; i++)
        if (kernel->args[i].output && args[i].data) {
            result->outputs[i] = args[i].data;
            result->bytes += args[i].count * gcal_dtype_size(kernel->args[i].dtype);
        }
    return 0;
}

void gcal_plan_run_on_host(const struct gcal_kernel *kernel, uint64_t seed,
                           const struct gcal_geometry *geometry,
                           struct gcal_plan_result *result)
{
    struct gcal_arena *arena = gcal_arena_create();

    *result = (struct gcal_plan_result){ .arena = gcal_arena_create(),
                                         .bytes = sizeof(*result) };
    result->failed = compute(arena, kernel, seed, geometry, result, &result->failure) < 0;
    gcal_arena_destroy(arena);
}
