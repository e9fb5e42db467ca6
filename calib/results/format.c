/* format.c - results as a table for people */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/units.h"
#include "calib/results/private.h"

#define MAX_FAILURES 20 /* listed; the record has them all */

/* Device factors, if there are several devices. */
static void put_devices(struct gcal_buf *buf, const struct gcal_record *record,
                        const struct gcal_result_type_fit *t)
{
    char text[GCAL_UNITS_SIZE];

    if (t->n_devices < 2)
        return;
    for (size_t i = 0; i < t->n_devices; i++) {
        const struct gcal_run_device *device = gcal_record_device(record, t->device[i]);

        gcal_buf_printf(buf, "  %-16s %-44s device factor %.4f +- %.4f\n", device->node,
                        device->info.uid, t->factor[i], t->factor_error[i]);
    }
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

/* A rejected model is shown with the first form: its parameters help to find the cause.
 */
static void put_fit(struct gcal_buf *buf, const struct gcal_record *record,
                    const struct gcal_config *config,
                    const struct gcal_result_type_fit *t)
{
    const struct gcal_config_model *m = &config->models[t->model];

    gcal_buf_printf(buf, "%s, model %s: %s\n", t->type, m->model->name,
                    t->good ? "good" : "rejected");
    gcal_result_put_wrapped(buf, t->good ? "" : "reason: ", t->reason);
    if (t->n_forms > 1)
        gcal_result_put_forms(buf, m, t);
    put_counts(buf, t, &t->forms[t->best]);
    gcal_result_put_form(buf, record, m->forms[t->best].model, t, &t->forms[t->best]);
    for (size_t i = 0; i < t->n_warnings; i++)
        gcal_result_put_wrapped(buf, "", t->warnings[i]);
    if (t->good)
        put_devices(buf, record, t);
}

/* With the first line of the detail, which may be a build log. */
static void put_failure(struct gcal_buf *buf, const struct gcal_measurement *m,
                        const char *kernel)
{
    const char *detail = m->detail ? m->detail : "";

    gcal_buf_printf(buf, "  %s, %s: %s%s%.*s\n", m->node, kernel,
                    gcal_measurement_status_name(m->status), *detail ? ": " : "",
                    (int)strcspn(detail, "\n"), detail);
}

/* Measurements that failed, with reasons. */
static int put_failures(struct gcal_buf *buf, const struct gcal_record *record,
                        struct gcal_error *err)
{
    size_t count = 0, kernel;

    for (size_t i = 0; i < gcal_record_measurement_count(record); i++) {
        struct gcal_measurement m;

        if (gcal_record_measurement(record, i, &m, NULL, &kernel, err) < 0)
            return -1;
        if (m.status != GCAL_MEASUREMENT_GOOD && count++ == 0)
            gcal_buf_puts(buf, "\nnot measured:\n");
        if (m.status != GCAL_MEASUREMENT_GOOD && count <= MAX_FAILURES)
            put_failure(buf, &m, gcal_record_kernel(record, kernel)->name);
        gcal_measurement_clear(&m);
    }
    if (count > MAX_FAILURES)
        gcal_buf_printf(buf, "  and %zu more\n", count - MAX_FAILURES);
    return 0;
}

char *gcal_results_format(const struct gcal_results *results,
                          const struct gcal_record *record,
                          const struct gcal_config *config, struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };

    for (size_t i = 0; i < results->n_fits; i++) {
        if (i)
            gcal_buf_puts(&buf, "\n");
        put_fit(&buf, record, config, &results->fits[i]);
    }
    if (!results->n_fits)
        gcal_buf_puts(&buf,
                      "no device was measured completely: there is nothing to fit\n");
    if (put_failures(&buf, record, err) < 0) {
        gcal_buf_free(&buf);
        return NULL;
    }
    return gcal_buf_take(&buf, err);
}
