/* results_format.c - results as a table for people */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/units.h"
#include "calib/results_private.h"

#define MAX_FAILURES 20 /* listed; the record has them all */

static const char *parameter_note(const struct gcal_fit *fit, size_t i)
{
    return fit->undetermined[i] ? "undetermined" : fit->at_bound[i] ? "at its bound" : "";
}

/* "0.42 %", or what stands for it where there is none. */
static void format_error(const struct gcal_fit *fit, size_t i, char text[32])
{
    if (isnan(fit->standard_error[i]) || fit->undetermined[i])
        strcpy(text, "-");
    else if (fit->value[i] == 0)
        strcpy(text, fit->standard_error[i] == 0 ? "0 %" : "-");
    else
        snprintf(text, 32, "%.2g %%", 100 * fabs(fit->standard_error[i] / fit->value[i]));
}

static void put_parameters(struct gcal_buf *buf, const struct gcal_model *model,
                           const struct gcal_fit *fit)
{
    int width = 9;

    for (size_t i = 0; i < model->n_parameters; i++)
        if ((int)strlen(model->parameters[i].name) > width)
            width = (int)strlen(model->parameters[i].name);
    gcal_buf_printf(buf, "  %-*s %14s %12s\n", width, "parameter", "value", "std. error");
    for (size_t i = 0; i < model->n_parameters; i++) {
        const char *note = parameter_note(fit, i);
        char value[GCAL_UNITS_SIZE], error[32];

        format_error(fit, i, error);
        gcal_units(fit->value[i], model->parameters[i].unit, value);
        gcal_buf_printf(buf, "  %-*s %14s %12s%s%s\n", width, model->parameters[i].name,
                        fit->undetermined[i] ? "-" : value, error, *note ? "  " : "",
                        note);
    }
}

static void put_quality(struct gcal_buf *buf, const struct gcal_record *record,
                        const struct gcal_type_fit *t)
{
    const struct gcal_fit *fit = &t->fit;
    size_t worst = 0;

    for (size_t i = 0; i < t->n_rows; i++)
        if (fabs(fit->predicted_s[i] / t->row_time_s[i] - 1) >
            fabs(fit->predicted_s[worst] / t->row_time_s[worst] - 1))
            worst = i;
    gcal_buf_printf(buf,
                    "  residuals: %.3g %% rms, %.3g %% geometric mean; condition %.3g\n",
                    100 * fit->residual, 100 * fit->mean_error, fit->condition);
    if (t->n_rows)
        gcal_buf_printf(buf, "  worst: %+.3g %%, %s\n",
                        100 * (fit->predicted_s[worst] / t->row_time_s[worst] - 1),
                        gcal_record_kernel(record, t->row_kernel[worst])->name);
}

/* One device is its type: nothing to tell. */
static void put_devices(struct gcal_buf *buf, const struct gcal_record *record,
                        const struct gcal_type_fit *t)
{
    for (size_t i = 0; i < t->n_devices && t->n_devices > 1; i++) {
        const struct gcal_run_device *device = gcal_record_device(record, t->device[i]);

        gcal_buf_printf(buf, "  %-16s %-44s %.4f +- %.4f of the type's times\n",
                        device->node, device->info.uid, t->factor[i], t->factor_error[i]);
    }
}

static void put_fit(struct gcal_buf *buf, const struct gcal_record *record,
                    const struct gcal_config *config, const struct gcal_type_fit *t)
{
    const struct gcal_model *model = config->models[t->model].model;
    bool good = t->fit.status == GCAL_FIT_GOOD;

    gcal_buf_printf(buf, "%s, model %s: %s\n  %zu kernel%s, %zu sample%s, %zu device%s\n",
                    t->type, model->name, good ? "good" : "rejected", t->n_kernels,
                    t->n_kernels == 1 ? "" : "s", t->n_samples,
                    t->n_samples == 1 ? "" : "s", t->n_devices,
                    t->n_devices == 1 ? "" : "s");
    if (!good)
        gcal_buf_printf(buf, "  reason: %s\n", t->fit.reason);
    if (t->fit.status == GCAL_FIT_TOO_FEW_ROWS)
        return;
    put_parameters(buf, model, &t->fit);
    if (t->fit.predicted_s)
        put_quality(buf, record, t);
    if (good)
        put_devices(buf, record, t);
}

/* The first line of a row's detail: of a build log, say. */
static void put_failure(struct gcal_buf *buf, const struct gcal_measurement *m,
                        const char *kernel)
{
    const char *detail = m->detail ? m->detail : "";

    gcal_buf_printf(buf, "  %s, %s: %s%s%.*s\n", m->node, kernel,
                    gcal_row_status_name(m->status), *detail ? ": " : "",
                    (int)strcspn(detail, "\n"), detail);
}

/* What was to be measured and was not, and why. */
static int put_failures(struct gcal_buf *buf, const struct gcal_record *record,
                        struct gcal_error *err)
{
    size_t count = 0, kernel;

    for (size_t i = 0; i < gcal_record_measurement_count(record); i++) {
        struct gcal_measurement m;

        if (gcal_record_measurement(record, i, &m, NULL, &kernel, err) < 0)
            return -1;
        if (m.status != GCAL_ROW_GOOD && count++ == 0)
            gcal_buf_puts(buf, "\nnot measured:\n");
        if (m.status != GCAL_ROW_GOOD && count <= MAX_FAILURES)
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
                      "no device was measured to its end: there is nothing to fit\n");
    if (put_failures(&buf, record, err) < 0) {
        gcal_buf_free(&buf);
        return NULL;
    }
    return gcal_buf_take(&buf, err);
}
