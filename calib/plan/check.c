/* check.c - checking a kernel's output against the host's
 *
 * A kernel that is wrong on a device gives a meaningless calibration, and usually a fast
 * kernel: so the output of every family is compared at small sizes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/random.h"
#include "calib/model/dtype.h"
#include "calib/plan/private.h"
#include "kernels/interpret/interpret.h"

/* Arguments for the host: buffers with the same contents as the worker's. */
struct host_args {
    const struct gcal_geometry *geometry;
    size_t n;
    struct gcal_interp_arg *args; /* by the kernel's arguments */
};

static void host_args_clear(struct host_args *h)
{
    for (size_t i = 0; i < h->n; i++)
        free(h->args[i].data);
    free(h->args);
}

static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = exponent == 31 ? (mantissa ? NAN : INFINITY)
                   : exponent     ? ldexp(1024 + mantissa, exponent - 25)
                                  : ldexp(mantissa, -24);

    return bits >> 15 ? -value : value;
}

#define DTYPES(X)                                                                        \
    X("int8", int8_t)                                                                    \
    X("uint8", uint8_t)                                                                  \
    X("int16", int16_t)                                                                  \
    X("uint16", uint16_t)                                                                \
    X("int32", int32_t)                                                                  \
    X("uint32", uint32_t)                                                                \
    X("int64", int64_t)                                                                  \
    X("uint64", uint64_t)                                                                \
    X("float32", float)                                                                  \
    X("float64", double)

static double load_element(const char *dtype, const void *data, size_t i)
{
#define LOAD(name, type)                                                                 \
    if (strcmp(dtype, name) == 0)                                                        \
        return (double)((const type *)data)[i];
    DTYPES(LOAD)
#undef LOAD
    return half_value(((const uint16_t *)data)[i]);
}

static int store_scalar(const struct gcal_arg *arg, double value, void *data,
                        struct gcal_error *err)
{
#define STORE(name, type)                                                                \
    if (strcmp(arg->dtype, name) == 0) {                                                 \
        *(type *)data = (type)value;                                                     \
        return 0;                                                                        \
    }
    DTYPES(STORE)
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

/* Runs the reference, or the kernel itself, in the host's interpreter. */
static int interpret(const struct gcal_kernel *kernel, struct host_args *h,
                     struct gcal_error *err)
{
    if (gcal_kernel_is_transfer(kernel))
        return 0;
    return kernel->reference ? run_reference(kernel, h, err) : run_source(kernel, h, err);
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
    if (host_args_make(kernel, seed, &h, &result->failure) < 0 ||
        interpret(kernel, &h, &result->failure) < 0 ||
        take_outputs(kernel, &h, result) < 0)
        result->failed = true;
    host_args_clear(&h);
}

/* The mean magnitude: elements near 0 are sums that cancel, with the errors of the
 * summands.
 */
static double scale_of(const struct gcal_interp_arg *expected)
{
    double sum = 0;

    for (size_t i = 0; i < expected->count; i++)
        sum += fabs(load_element(expected->dtype, expected->data, i));
    return expected->count && isfinite(sum) ? sum / (double)expected->count : 0;
}

static double relative_difference(double a, double b, double scale)
{
    double size = fmax(fmax(fabs(a), fabs(b)), scale);

    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    return isfinite(a) && isfinite(b) ? fabs(a - b) / size : INFINITY;
}

static int compare_output(const struct gcal_kernel *kernel, const struct gcal_arg *arg,
                          const struct gcal_interp_arg *expected, const void *output,
                          double *worst, struct gcal_error *why)
{
    double scale = scale_of(expected);
    int rc = 0;

    for (size_t i = 0; i < expected->count; i++) {
        double got = load_element(arg->dtype, output, i);
        double want = load_element(arg->dtype, expected->data, i);
        double difference = relative_difference(got, want, scale);

        *worst = fmax(*worst, difference);
        if (!(difference <= kernel->tolerance) && rc == 0) {
            gcal_error_set(why, GCAL_EDEVICE, "%s: %s[%zu] is %.9g, expected %.9g",
                           kernel->generator, arg->name, i, got, want);
            rc = 1;
        }
    }
    return rc;
}

/* Copies must be exact. */
static int compare_transfer(const struct gcal_kernel *kernel, uint64_t seed,
                            size_t size_bytes, const void *output, double *worst,
                            struct gcal_error *why)
{
    const unsigned char *got = output;
    unsigned char *sent = malloc(size_bytes);
    size_t i = 0;

    if (!sent)
        return gcal_error_memory(why);
    gcal_random_bytes(seed, size_bytes, sent);
    while (i < size_bytes && got[i] == sent[i])
        i++;
    if (i < size_bytes) {
        *worst = 1;
        gcal_error_set(why, GCAL_EDEVICE, "%s: byte %zu of %zu is %u, expected %u",
                       kernel->generator, i, size_bytes, got[i], sent[i]);
    }
    free(sent);
    return i < size_bytes;
}

/* With what the host computed; 'geometry': at the small sizes. */
static int compare_all(const struct gcal_kernel *kernel, uint64_t seed,
                       const struct gcal_geometry *geometry,
                       const struct gcal_plan_result *result, void *const *outputs,
                       double *worst, struct gcal_error *why)
{
    size_t n = kernel->n_args;
    int rc = 0;

    if (result->failed) {
        *why = result->failure;
        return gcal_error_prefix(why, "%s could not be checked", kernel->generator);
    }
    for (size_t i = 0; i < n && rc == 0; i++) {
        const struct gcal_interp_arg expected = { .dtype = kernel->args[i].dtype,
                                                  .data = result->outputs[i],
                                                  .count =
                                                      (size_t)geometry->arg_values[i] };

        if (expected.data && outputs[i])
            rc = compare_output(kernel, &kernel->args[i], &expected, outputs[i], worst,
                                why);
    }
    if (rc == 0 && outputs[n])
        rc = compare_transfer(kernel, seed + n, geometry->transfer_bytes, outputs[n],
                              worst, why);
    return rc;
}

int gcal_plan_compare_outputs(struct gcal_plan_references *references,
                              const struct gcal_kernel *kernel, uint64_t seed,
                              void *const *outputs, double *worst, struct gcal_error *why)
{
    struct gcal_geometry geometry = { 0 };
    struct gcal_plan_result own = { 0 };
    const struct gcal_plan_result *result = NULL;
    int rc;

    *worst = 0;
    if (gcal_kernel_geometry(kernel, kernel->n_check_sizes, kernel->check_sizes,
                             &geometry, why) < 0) {
        rc = gcal_error_prefix(why, "%s could not be checked", kernel->generator);
        goto out;
    }
    if (references)
        result = gcal_plan_references_get(references, kernel, seed, &geometry);
    if (!result) {
        gcal_plan_run_on_host(kernel, seed, &geometry, &own);
        result = &own;
    }
    rc = compare_all(kernel, seed, &geometry, result, outputs, worst, why);
out:
    gcal_plan_result_clear(&own);
    gcal_kernel_geometry_clear(&geometry);
    return rc;
}

int gcal_plan_compare_devices(const struct gcal_kernel *kernel, void *const *outputs,
                              void *const *others, double *worst, struct gcal_error *why)
{
    struct gcal_geometry geometry = { 0 };
    int rc = gcal_kernel_geometry(kernel, kernel->n_check_sizes, kernel->check_sizes,
                                  &geometry, why);

    *worst = 0;
    for (size_t i = 0; i < kernel->n_args && rc == 0; i++) {
        const struct gcal_interp_arg expected = { .dtype = kernel->args[i].dtype,
                                                  .data = others[i],
                                                  .count =
                                                      (size_t)geometry.arg_values[i] };

        if (kernel->args[i].output && outputs[i] && others[i])
            rc = compare_output(kernel, &kernel->args[i], &expected, outputs[i], worst,
                                why);
    }
    gcal_kernel_geometry_clear(&geometry);
    return rc;
}

int gcal_plan_check_numbers(const struct gcal_kernel *kernel, void *const *outputs,
                            struct gcal_error *err)
{
    struct gcal_geometry geometry = { 0 };
    int rc = gcal_kernel_geometry(kernel, kernel->n_check_sizes, kernel->check_sizes,
                                  &geometry, err);

    for (size_t i = 0; i < kernel->n_args && rc == 0; i++) {
        const struct gcal_arg *arg = &kernel->args[i];
        size_t n = outputs[i] && *arg->dtype == 'f' ? (size_t)geometry.arg_values[i] : 0;

        for (size_t k = 0; k < n && rc == 0; k++)
            if (isnan(load_element(arg->dtype, outputs[i], k)))
                rc = gcal_error_set(err, GCAL_EDEVICE,
                                    "kernel '%s' gives NaN in %s[%zu]: give scalars "
                                    "(--set NAME=VALUE) and inputs (--range "
                                    "NAME=FIRST:LAST) with which it gives numbers",
                                    kernel->entry, arg->name, k);
    }
    gcal_kernel_geometry_clear(&geometry);
    return rc;
}
