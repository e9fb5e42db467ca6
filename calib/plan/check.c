/* check.c - checking a kernel's output against the host's
 *
 * A kernel that is wrong on a device gives a meaningless calibration, and usually a fast
 * kernel: so the output of every family is compared at small sizes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/memo.h"
#include "kernels/base/random.h"
#include "kernels/model/dtype.h"
#include "calib/plan/private.h"

/* Elements of an output, or one member of its structures. */
struct column {
    const char *rest; /* of the members */
    char dtype[GCAL_DTYPE_NAME_SIZE];
    size_t size, more; /* bytes of one; how many of this member there are after it */
    size_t offset, stride, n;
};

static struct column before_columns(const struct gcal_arg *arg, double n_elements)
{
    const char *members = arg->members ? arg->members : arg->dtype;
    size_t stride = gcal_dtype_members_size(members);
    size_t bytes = (size_t)n_elements * gcal_dtype_size(arg->dtype);

    return (struct column){ .rest = members, .stride = stride, .n = bytes / stride };
}

static bool next_column(struct column *c)
{
    do {
        c->offset += c->size;
        if (c->more) {
            c->more--;
            continue;
        }
        if (!*c->rest)
            return false;
        c->size = gcal_dtype_read_member(&c->rest, c->dtype, &c->more);
        c->more--;
    } while (strcmp(c->dtype, "pad") == 0);
    return true;
}

static double load_element(const struct column *c, const void *data, size_t i)
{
    const unsigned char *at = (const unsigned char *)data + i * c->stride + c->offset;
    uint16_t bits;

#define LOAD(name, type)                                                                 \
    if (strcmp(c->dtype, name) == 0) {                                                   \
        type value;                                                                      \
                                                                                         \
        memcpy(&value, at, sizeof(value));                                               \
        return (double)value;                                                            \
    }
    GCAL_PLAN_DTYPES(LOAD)
#undef LOAD
    memcpy(&bits, at, sizeof(bits));
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = exponent == 31 ? (mantissa ? NAN : INFINITY)
                   : exponent     ? ldexp(1024 + mantissa, exponent - 25)
                                  : ldexp(mantissa, -24);
    return bits >> 15 ? -value : value;
}

static double relative_difference(double a, double b, double scale)
{
    double size = fmax(fmax(fabs(a), fabs(b)), scale);

    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    return isfinite(a) && isfinite(b) ? fabs(a - b) / size : INFINITY;
}

static int compare_column(const struct gcal_kernel *kernel, const struct gcal_arg *arg,
                          const struct column *c, const void *expected,
                          const void *output, double *worst, struct gcal_error *why)
{
    /* The mean magnitude: elements near 0 are sums that cancel, with the errors of the
     * summands.
     */
    double sum = 0;
    for (size_t i = 0; i < c->n; i++)
        sum += fabs(load_element(c, expected, i));
    double scale = c->n && isfinite(sum) ? sum / (double)c->n : 0;
    char member[60];
    int rc = 0;

    for (size_t i = 0; i < c->n; i++) {
        double got = load_element(c, output, i);
        double want = load_element(c, expected, i);
        double difference = relative_difference(got, want, scale);

        *worst = fmax(*worst, difference);
        if (!(difference <= kernel->tolerance) && rc == 0) {
            snprintf(member, sizeof(member), ", %s at byte %zu,", c->dtype, c->offset);
            gcal_error_set(why, GCAL_EDEVICE, "%s: %s[%zu]%s is %.9g, expected %.9g",
                           kernel->generator, arg->name, i, arg->members ? member : "",
                           got, want);
            rc = 1;
        }
    }
    return rc;
}

static int compare_output(const struct gcal_kernel *kernel, const struct gcal_arg *arg,
                          double n_elements, const void *expected, const void *output,
                          double *worst, struct gcal_error *why)
{
    struct column c = before_columns(arg, n_elements);
    int rc = 0;

    while (rc == 0 && next_column(&c))
        rc = compare_column(kernel, arg, &c, expected, output, worst, why);
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
        if (result->outputs[i] && outputs[i])
            rc = compare_output(kernel, &kernel->args[i], geometry->arg_values[i],
                                result->outputs[i], outputs[i], worst, why);
    }
    if (rc == 0 && outputs[n])
        rc = compare_transfer(kernel, seed + n, geometry->transfer_bytes, outputs[n],
                              worst, why);
    return rc;
}

int gcal_plan_compare_outputs(struct gcal_memo *references,
                              const struct gcal_kernel *kernel, uint64_t seed,
                              void *const *outputs, double *worst, struct gcal_error *why)
{
    struct gcal_geometry geometry = { 0 };
    struct gcal_plan_result own = { 0 };
    struct gcal_plan_result *known = NULL;
    int rc;

    *worst = 0;
    if (gcal_kernel_geometry(kernel, kernel->n_check_sizes, kernel->check_sizes,
                             &geometry, why) < 0) {
        rc = gcal_error_prefix(why, "%s could not be checked", kernel->generator);
        goto out;
    }
    if (references)
        known = gcal_plan_references_get(references, kernel, seed, &geometry);
    if (!known)
        gcal_plan_run_on_host(kernel, seed, &geometry, &own);
    rc = compare_all(kernel, seed, &geometry, known ? known : &own, outputs, worst, why);
    if (known)
        gcal_memo_release(references, known);
out:
    gcal_arena_destroy(own.arena);
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
        if (kernel->args[i].output && outputs[i] && others[i])
            rc = compare_output(kernel, &kernel->args[i], geometry.arg_values[i],
                                others[i], outputs[i], worst, why);
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
        struct column c;

        if (!outputs[i])
            continue;
        c = before_columns(arg, geometry.arg_values[i]);
        while (rc == 0 && next_column(&c))
            for (size_t k = 0; *c.dtype == 'f' && k < c.n && rc == 0; k++)
                if (isnan(load_element(&c, outputs[i], k)))
                    rc = gcal_error_set(err, GCAL_EDEVICE,
                                        "kernel '%s' gives NaN in %s[%zu]: give scalars "
                                        "(--set NAME=VALUE) and inputs (--range "
                                        "NAME=FIRST:LAST) with which it gives numbers",
                                        kernel->entry, arg->name, k);
    }
    gcal_kernel_geometry_clear(&geometry);
    return rc;
}
