/* device_check.c - whether configurations compute the same as their reference
 *
 * Many configurations have the same inputs and the same reference: its interpretation on
 * the host, which takes longer than the device, is done for the first of them, and the
 * others are compared with what that one gave.
 */
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/base/log.h"
#include "calib/plan/plan.h"
#include "kernels/generate/generate.h"
#include "kernels/interpret/interpret.h"
#include "mpi/tune/device_private.h"

struct gcal_tune_known {
    char *key;
    size_t n;
    void **outputs;
    struct gcal_tune_known *next;
};

static void outputs_free(void **outputs, size_t n)
{
    for (size_t i = 0; outputs && i < n; i++)
        free(outputs[i]);
    free(outputs);
}

void gcal_tune_check_clear(struct gcal_tune_check *check)
{
    for (struct gcal_tune_known *k; (k = check->known);) {
        check->known = k->next;
        outputs_free(k->outputs, k->n);
        free(k->key);
        free(k);
    }
}

/* All that the right outputs follow from, the kernel's own source apart. */
static char *key_of(const struct gcal_kernel *kernel, struct gcal_error *err)
{
    struct gcal_geometry geometry = { 0 };
    struct gcal_buf buf = { 0 };
    int rc = gcal_kernel_geometry(kernel, kernel->n_check_sizes, kernel->check_sizes,
                                  &geometry, err);

    for (size_t i = 0; rc == 0 && i < kernel->n_args; i++) {
        const struct gcal_arg *arg = &kernel->args[i];
        const struct gcal_dtype_range *range = &geometry.arg_ranges[i];

        if (arg->kind != GCAL_ARG_LOCAL)
            gcal_buf_printf(&buf, "%d %s %d %.17g %.17g %.17g %d\n", arg->kind,
                            arg->dtype, arg->output, geometry.arg_values[i], range->first,
                            range->last, range->sorted);
    }
    gcal_buf_puts(&buf, kernel->reference ? kernel->reference : "");
    gcal_kernel_geometry_clear(&geometry);
    if (rc == 0)
        return gcal_buf_take(&buf, err);
    gcal_buf_free(&buf);
    return NULL;
}

static const struct gcal_tune_known *find(const struct gcal_tune_check *check,
                                          const char *key)
{
    const struct gcal_tune_known *k = check->known;

    while (k && strcmp(k->key, key) != 0)
        k = k->next;
    return k;
}

/* Takes both in any case. */
static int keep(struct gcal_tune_check *check, char *key, void **outputs, size_t n,
                struct gcal_error *err)
{
    struct gcal_tune_known *k = calloc(1, sizeof(*k));

    if (!k) {
        outputs_free(outputs, n);
        free(key);
        return gcal_error_memory(err);
    }
    *k = (struct gcal_tune_known){ key, n, outputs, check->known };
    check->known = k;
    return 0;
}

enum verdict { RIGHT, WRONG, UNABLE };

/* UNABLE: the host cannot compute them.  It is said once. */
static enum verdict compare_with_host(struct gcal_tune_check *check,
                                      const struct gcal_kernel *kernel,
                                      void *const *outputs, struct gcal_error *why)
{
    double worst;
    int rc =
        gcal_plan_compare_outputs(kernel, GCAL_TUNE_CHECK_SEED, outputs, &worst, why);

    if (rc >= 0)
        return rc == 0 ? RIGHT : WRONG;
    if (gcal_interp_is_outside(why))
        return WRONG;
    if (!check->unable)
        gcal_log(GCAL_LOG_WARN, "results are compared with each other only: %s",
                 why->text);
    check->unable = true;
    return UNABLE;
}

/* Outputs that differ from those of another configuration may still be as near to the
 * host's as the tolerance asks.
 */
static bool is_wrong(struct gcal_tune_check *check, const struct gcal_tune_known *known,
                     const struct gcal_kernel *kernel, void *const *outputs,
                     struct gcal_error *why)
{
    struct gcal_error differs = { 0 };
    enum verdict verdict;
    double worst;

    if (known &&
        gcal_plan_compare_devices(kernel, outputs, known->outputs, &worst, &differs) == 0)
        return false;
    verdict = compare_with_host(check, kernel, outputs, why);
    if (verdict != UNABLE || !known)
        return verdict == WRONG;
    *why = differs;
    gcal_error_prefix(why, "compared with another configuration");
    return true;
}

int gcal_tune_check_outputs(struct gcal_tune_check *check, size_t config, void **outputs,
                            struct gcal_error *why, struct gcal_error *err)
{
    const struct gcal_kernel *kernel = check->space->configs[config].kernel;
    size_t n = kernel->n_args + 1;
    char *key = key_of(kernel, err);
    const struct gcal_tune_known *known = key ? find(check, key) : NULL;
    int rc = !key ? -1 : is_wrong(check, known, kernel, outputs, why);

    if (rc == 0 && !known)
        return keep(check, key, outputs, n, err);
    outputs_free(outputs, n);
    free(key);
    return rc;
}
