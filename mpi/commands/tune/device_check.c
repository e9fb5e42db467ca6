/* device_check.c - whether configurations compute the same as their reference
 *
 * Many configurations have the same inputs and the same reference: the host computes it for
 * the first of them (calib/plan/references.h).  Without a reference, the host interprets the
 * first configuration, and the others are compared with what the device gave for that one.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/hash.h"
#include "kernels/base/log.h"
#include "kernels/base/memo.h"
#include "kernels/model/dtype.h"
#include "calib/plan/plan.h"
#include "calib/plan/references.h"
#include "kernels/generate/generate.h"
#include "kernels/interpret/interpret.h"
#include "mpi/commands/tune/device_private.h"

/* Of the host, for one configuration, beyond which a search is held up. */
#define SLOW_S 2.0

struct gcal_tune_known {
    char key[GCAL_HASH_TEXT_SIZE];
    size_t n, bytes;
    void **outputs;
    struct gcal_tune_known *next;
};

static void outputs_free(void **outputs, size_t n)
{
    for (size_t i = 0; outputs && i < n; i++)
        free(outputs[i]);
    free(outputs);
}

static void known_free(struct gcal_tune_known *k)
{
    outputs_free(k->outputs, k->n);
    free(k);
}

void gcal_tune_check_clear(struct gcal_tune_check *check)
{
    for (struct gcal_tune_known *k; (k = check->known);) {
        check->known = k->next;
        known_free(k);
    }
    gcal_memo_destroy(check->references);
}

static size_t outputs_bytes(const struct gcal_kernel *kernel, void *const *outputs)
{
    struct gcal_geometry geometry = { 0 };
    size_t bytes = 0;

    if (gcal_kernel_geometry(kernel, kernel->n_check_sizes, kernel->check_sizes,
                             &geometry, NULL) == 0)
        for (size_t i = 0; i < kernel->n_args; i++)
            if (outputs[i])
                bytes += (size_t)geometry.arg_values[i] *
                         gcal_dtype_size(kernel->args[i].dtype);
    gcal_kernel_geometry_clear(&geometry);
    return bytes;
}

/* Takes 'outputs' in any case. */
static int keep(struct gcal_tune_check *check, const struct gcal_kernel *kernel,
                const char *key, void **outputs, struct gcal_error *err)
{
    struct gcal_tune_known *k = calloc(1, sizeof(*k));

    if (!k) {
        outputs_free(outputs, kernel->n_args + 1);
        return gcal_error_memory(err);
    }
    *k = (struct gcal_tune_known){ .n = kernel->n_args + 1,
                                   .bytes = outputs_bytes(kernel, outputs),
                                   .outputs = outputs,
                                   .next = check->known };
    memcpy(k->key, key, sizeof(k->key));
    check->known = k;
    /* The oldest ones go where they take too much memory; the first one stays. */
    size_t bytes = 0;
    struct gcal_tune_known *last = NULL;
    for (struct gcal_tune_known **at = &check->known; *at;) {
        struct gcal_tune_known *old = *at;

        bytes += old->bytes;
        if (last && bytes > GCAL_PLAN_REFERENCES_BYTES) {
            *at = old->next;
            known_free(old);
        } else {
            last = old;
            at = &old->next;
        }
    }
    return 0;
}

enum verdict { RIGHT, WRONG, UNABLE };

/* UNABLE: the host cannot compute them.  It is said once. */
static enum verdict compare_with_host(struct gcal_tune_check *check,
                                      const struct gcal_kernel *kernel,
                                      void *const *outputs, struct gcal_error *why)
{
    double worst, began_s = gcal_clock_now_s();
    int rc = gcal_plan_compare_outputs(check->references, kernel, GCAL_TUNE_CHECK_SEED,
                                       outputs, &worst, why);

    double host_s = gcal_clock_now_s() - began_s;
    if (host_s >= SLOW_S && !check->slow) {
        gcal_log(
            GCAL_LOG_WARN,
            "the host took %.1f s to check one configuration: give the space smaller "
            "sizes for 'check', a larger 'tolerance' or a quicker 'reference'",
            host_s);
        check->slow = true;
    }
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

/* Without a reference, outputs like those of another configuration are right.  If they differ,
 * they may still be as near to the host's as the tolerance asks.
 */
static bool is_wrong(struct gcal_tune_check *check, const struct gcal_tune_known *known,
                     const struct gcal_kernel *kernel, void *const *outputs,
                     struct gcal_error *why)
{
    struct gcal_error differs = { 0 };
    enum verdict verdict = UNABLE;
    double worst;

    if (kernel->reference)
        verdict = compare_with_host(check, kernel, outputs, why);
    if (verdict == UNABLE && known &&
        gcal_plan_compare_devices(kernel, outputs, known->outputs, &worst, &differs) == 0)
        return false;
    if (!kernel->reference)
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
    char key[GCAL_HASH_TEXT_SIZE];

    if ((!check->references && !(check->references = gcal_plan_references_create(
                                     GCAL_PLAN_REFERENCES_BYTES, err))) ||
        gcal_plan_reference_key(kernel, GCAL_TUNE_CHECK_SEED, key, err) < 0) {
        outputs_free(outputs, kernel->n_args + 1);
        return -1;
    }
    /* Takes 'outputs' in any case. */
    const struct gcal_tune_known *known = check->known;
    while (known && strcmp(known->key, key) != 0)
        known = known->next;
    bool wrong = is_wrong(check, known, kernel, outputs, why);
    if (!wrong && !known)
        return keep(check, kernel, key, outputs, err);
    outputs_free(outputs, kernel->n_args + 1);
    return wrong;
}
