/* format.c - results as a table for people */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/units.h"
#include "calib/results/private.h"

#define MAX_FAILURES 20 /* listed; the record has them all */

/* Device factors, if there are several devices. */
static void put_devices(struct gcal_buf *buf, const struct gcal_record *record,
                        const struct gcal_result_type_fit *t)
{
    char text[GCAL_UNITS_SIZE];
    size_t n_in_store = 0;

    if (t->n_devices < 2)
        return;
    for (size_t i = 0; i < t->n_devices; i++) {
        const struct gcal_run_device *device = &record->devices[t->device[i]];

        if (record->device_run[t->device[i]]->in_store) {
            n_in_store++;
            continue;
        }
        gcal_buf_printf(buf, "  %-16s %-44s device factor %.4f +- %.4f\n", device->node,
                        device->info.uid, t->factor[i], t->factor_error[i]);
    }
    if (n_in_store)
        gcal_buf_printf(buf, "  and %zu device%s of earlier runs in the store\n",
                        n_in_store, n_in_store == 1 ? "" : "s");
    if (isfinite(t->between))
        gcal_buf_printf(buf, "  between devices: %s (standard deviation)\n",
                        gcal_units_percent(t->between, text));
}

static void put_counts(struct gcal_buf *buf, const struct gcal_result_type_fit *t,
                       const struct gcal_result_form_fit *f)
{
    gcal_buf_printf(buf, "  %zu kernel%s, %zu sample%s, %zu device%s\n", f->n_kernels,
                    f->n_kernels == 1 ? "" : "s", f->n_samples,
                    f->n_samples == 1 ? "" : "s", t->n_devices,
                    t->n_devices == 1 ? "" : "s");
}

static bool is_of_type(const struct gcal_record *record,
                       const struct gcal_result_outlier *outlier, const char *type)
{
    return strcmp(record->devices[outlier->device].info.type, type) == 0;
}

/* Beside the scatter of rows and devices. */
static void put_shared_error(struct gcal_buf *buf, const struct gcal_result_type_fit *t)
{
    char text[GCAL_UNITS_SIZE];

    if (t->good && t->shared_error > 0)
        gcal_buf_printf(buf,
                        "  all times may be off alike by %s (standard error), as the "
                        "device was not steady\n",
                        gcal_units_percent(t->shared_error, text));
}

/* A rejected model is shown with the first form: its parameters help to find the cause.
 */
static void put_fit(struct gcal_buf *buf, const struct gcal_record *record,
                    const struct gcal_config *config, const struct gcal_results *results,
                    const struct gcal_result_type_fit *t)
{
    const struct gcal_config_model *m = &config->models[t->model];
    char why[GCAL_PARAMS_WHY_SIZE + 60];
    enum gcal_result_verdict verdict;

    gcal_buf_printf(buf, "%s, model %s", t->type, m->model->name);
    if (t->is_outlier)
        gcal_buf_printf(buf, ", %s %s alone", record->devices[t->outlier].node,
                        record->devices[t->outlier].info.uid);
    verdict = gcal_result_judge(t, config, why);
    gcal_buf_printf(buf, ": %s\n", gcal_result_verdict_name(verdict));
    if (verdict == GCAL_RESULT_POOR)
        gcal_result_put_wrapped(
            buf, "poor: ", strcat(why, "; it predicts only where it is named"));
    gcal_result_put_wrapped(buf, t->good ? "" : "reason: ", t->reason);
    if (t->n_forms > 1)
        gcal_result_put_forms(buf, m, t);
    put_counts(buf, t, &t->forms[t->best]);
    gcal_result_put_form(buf, record, m->forms[t->best].model, t, &t->forms[t->best]);
    put_shared_error(buf, t);
    for (size_t i = 0; i < t->n_warnings; i++)
        gcal_result_put_wrapped(buf, "", t->warnings[i]);
    if (t->good)
        put_devices(buf, record, t);
    for (size_t i = 0; i < results->n_outliers && !t->is_outlier; i++)
        if (results->outliers[i].model == t->model && !results->outliers[i].in_store &&
            is_of_type(record, &results->outliers[i], t->type))
            gcal_result_put_wrapped(buf, "warning: ", results->outliers[i].text);
}

static void put_failure(struct gcal_buf *buf, const struct gcal_result_failure *f)
{
    if (f->n_devices > 1)
        gcal_buf_printf(buf, "  all %zu devices", f->n_devices);
    else
        gcal_buf_printf(buf, "  %s", f->node);
    gcal_buf_printf(buf, ", %s: %s%s%s\n", f->kernel,
                    gcal_measurement_status_name(f->status), *f->reason ? ": " : "",
                    f->reason);
}

static int put_failures(struct gcal_buf *buf, const struct gcal_record *record,
                        struct gcal_error *err)
{
    struct gcal_result_failures failures;

    if (gcal_results_failures(record, &failures, err) < 0)
        return -1;
    if (failures.n)
        gcal_buf_puts(buf, "\nnot measured:\n");
    for (size_t i = 0; i < failures.n && i < MAX_FAILURES; i++)
        put_failure(buf, &failures.items[i]);
    if (failures.n > MAX_FAILURES)
        gcal_buf_printf(buf, "  and %zu more\n", failures.n - MAX_FAILURES);
    gcal_result_failures_clear(&failures);
    return 0;
}

static void put_speeds(struct gcal_buf *buf, const struct gcal_results *results)
{
    for (size_t i = 0; i < results->speeds.n; i++) {
        gcal_buf_puts(buf, "\n");
        gcal_result_put_wrapped(buf, "warning: ", results->speeds.items[i].text);
    }
}

/* Devices that nothing, or not all, is known of. */
static int put_unmeasured(struct gcal_buf *buf, const struct gcal_results *results,
                          const struct gcal_record *record,
                          const struct gcal_config *config, struct gcal_error *err)
{
    struct gcal_result_unmeasured *unmeasured;
    size_t n;

    if (gcal_results_unmeasured(results, record, config, &unmeasured, &n, err) < 0)
        return -1;
    if (n)
        gcal_buf_puts(buf, "\ndevices that could not be measured:\n");
    for (size_t i = 0; i < n; i++) {
        const struct gcal_run_device *d = &record->devices[unmeasured[i].device];

        gcal_buf_printf(buf, "  %s, %s (%s): %s\n", d->node, d->info.name, d->info.uid,
                        unmeasured[i].reason);
    }
    gcal_results_unmeasured_free(unmeasured, n);
    return 0;
}

char *gcal_results_format(const struct gcal_results *results,
                          const struct gcal_record *record,
                          const struct gcal_config *config, struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };
    int rc;

    for (size_t i = 0; i < results->n_fits; i++) {
        if (i)
            gcal_buf_puts(&buf, "\n");
        put_fit(&buf, record, config, results, &results->fits[i]);
    }
    if (!results->n_fits)
        gcal_buf_puts(&buf,
                      "no device was measured completely: there is nothing to fit\n");
    put_speeds(&buf, results);
    rc = put_failures(&buf, record, err);
    if (rc == 0)
        rc = put_unmeasured(&buf, results, record, config, err);
    if (rc < 0) {
        gcal_buf_free(&buf);
        return NULL;
    }
    return gcal_buf_take(&buf, err);
}
