/* accounts.c - devices of a record without parameters of their own, with the reason */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "calib/results/private.h"

void gcal_result_tally_clear(struct gcal_result_tally *t)
{
    for (size_t i = 0; i < t->n_devices; i++)
        free(t->devices[i].first);
    free(t->devices);
    free(t->kernels);
}

/* "p_add: build failed: error: .." */
static char *first_failure(const struct gcal_record *record, size_t kernel,
                           const struct gcal_measurement *m)
{
    size_t length;
    const char *detail = gcal_result_first_line(m->detail, &length);

    return gcal_buf_format("%s: %s%s%.*s", record->kernels[kernel].name,
                           gcal_measurement_status_name(m->status), length ? ": " : "",
                           (int)length, detail);
}

static int count(struct gcal_result_tally *t, const struct gcal_record *record,
                 size_t device, size_t kernel, const struct gcal_measurement *m,
                 struct gcal_error *err)
{
    struct gcal_result_tally_row *d = &t->devices[device];
    bool good = m->status == GCAL_MEASUREMENT_GOOD && m->n_samples;
    bool says_more = m->status > GCAL_MEASUREMENT_SKIPPED && d->skipped_first;

    *(good ? &t->kernels[kernel].n_good : &t->kernels[kernel].n_bad) += 1;
    *(good ? &d->n_good : &d->n_bad) += 1;
    if (good || (d->first && !says_more))
        return 0;
    free(d->first);
    d->skipped_first = m->status == GCAL_MEASUREMENT_SKIPPED;
    return (d->first = first_failure(record, kernel, m)) ? 0 : gcal_error_memory(err);
}

int gcal_result_tally_read(struct gcal_result_tally *t, const struct gcal_record *record,
                           struct gcal_error *err)
{
    size_t n = record->n_measurements;
    int rc = 0;

    t->n_devices = record->n_devices;
    t->n_kernels = record->n_kernels;
    t->devices = calloc(t->n_devices + 1, sizeof(*t->devices));
    t->kernels = calloc(t->n_kernels + 1, sizeof(*t->kernels));
    if (!t->devices || !t->kernels)
        return gcal_error_memory(err);
    for (size_t i = 0; i < n && rc == 0; i++) {
        struct gcal_measurement m = { 0 };
        size_t device, kernel;

        rc = gcal_record_measurement(record, i, &m, &device, &kernel, err);
        if (rc == 0)
            rc = count(t, record, device, kernel, &m, err);
        gcal_measurement_clear(&m);
    }
    return rc;
}

/* Whether the fit has a factor of the device. */
static bool has_factor(const struct gcal_result_type_fit *t, size_t device)
{
    for (size_t k = 0; k < t->n_devices; k++)
        if (t->device[k] == device)
            return isfinite(t->factor[k]) && isfinite(t->factor_error[k]);
    return false;
}

/* The models that have parameters, but not of this device: ", "-separated.  'n_has' counts
 * those that have, 'n_wanted' all that were to be measured.
 */
static void put_missing_models(const struct gcal_results *results,
                               const struct gcal_record *record,
                               const struct gcal_config *config, size_t device,
                               struct gcal_buf *missing, size_t *n_wanted, size_t *n_has)
{
    const struct gcal_run_device *d = &record->devices[device];

    *n_wanted = *n_has = 0;
    for (size_t i = 0; i < results->n_fits; i++) {
        const struct gcal_result_type_fit *t = &results->fits[i];
        const char *name = config->models[t->model].name;

        if (!gcal_result_is_fit_of(record, results, t, device) ||
            gcal_run_device_keeps(d, name))
            continue;
        ++*n_wanted;
        if (has_factor(t, device))
            ++*n_has;
        else if (t->good)
            gcal_buf_printf(missing, "%s%s", missing->size ? ", " : "", name);
    }
}

/* "": nothing is missing. */
static char *reason_for(const struct gcal_results *results,
                        const struct gcal_record *record,
                        const struct gcal_config *config,
                        const struct gcal_result_tally *tally, size_t device,
                        struct gcal_error *err)
{
    const struct gcal_result_tally_row *t = &tally->devices[device];
    struct gcal_buf models = { 0 }, buf = { 0 };
    size_t n_wanted, n_has;

    put_missing_models(results, record, config, device, &models, &n_wanted, &n_has);
    if (n_wanted && !t->n_good && !t->n_bad)
        gcal_buf_puts(&buf, "no kernel was measured");
    else if (n_wanted && !t->n_good)
        gcal_buf_printf(&buf, "none of %zu kernels could be measured; ", t->n_bad);
    else if (models.size && gcal_result_speed_of(&results->speeds, device))
        gcal_buf_printf(&buf,
                        "too few kernels were measured for model %.*s after the device's "
                        "speed had changed%s",
                        (int)models.size, models.data, t->first ? "; " : "");
    else if (models.size)
        gcal_buf_printf(&buf,
                        "too few kernels were measured for model %.*s: %zu of %zu%s",
                        (int)models.size, models.data, t->n_good, t->n_good + t->n_bad,
                        t->first ? "; " : "");
    if (buf.size && t->first)
        gcal_buf_puts(&buf, t->first);
    gcal_buf_free(&models);
    return gcal_buf_take(&buf, err);
}

int gcal_results_unmeasured(const struct gcal_results *results,
                            const struct gcal_record *record,
                            const struct gcal_config *config,
                            struct gcal_result_unmeasured **unmeasured, size_t *n,
                            struct gcal_error *err)
{
    struct gcal_result_tally tally = { 0 };
    struct gcal_result_unmeasured *made = calloc(record->n_devices + 1, sizeof(*made));
    int rc = made ? gcal_result_tally_read(&tally, record, err) : gcal_error_memory(err);

    *n = 0;
    for (size_t i = 0; rc == 0 && i < tally.n_devices; i++) {
        char *reason;

        if (record->devices[i].failure)
            continue; /* reported when it was given up */
        if (!(reason = reason_for(results, record, config, &tally, i, err)))
            rc = -1;
        else if (*reason)
            made[(*n)++] =
                (struct gcal_result_unmeasured){ .device = i, .reason = reason };
        else
            free(reason);
    }
    gcal_result_tally_clear(&tally);
    if (rc < 0)
        gcal_results_unmeasured_free(made, *n);
    *unmeasured = rc < 0 ? NULL : made;
    return rc;
}

void gcal_results_unmeasured_free(struct gcal_result_unmeasured *unmeasured, size_t n)
{
    for (size_t i = 0; i < n && unmeasured; i++)
        free(unmeasured[i].reason);
    free(unmeasured);
}
