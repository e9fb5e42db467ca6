/* format.c - results as a table for people */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/units.h"
#include "calib/results/private.h"

#define MAX_FAILURES     20 /* listed; the record has them all */
#define N_PAIRS          3
#define STRONGLY_RELATED 0.9
#define WIDTH            96 /* columns */

/* A line that starts with 'before', broken at spaces. */
static void put_wrapped(struct gcal_buf *buf, const char *before, const char *text)
{
    size_t column = 2 + strlen(before);

    gcal_buf_printf(buf, "  %s", before);
    for (bool first = true; *text; first = false) {
        size_t n = strcspn(text, " ");

        while (text[n] && text[n + 1] == '%') /* stays with its number */
            n += 1 + strcspn(text + n + 1, " ");
        if (!first && column + 1 + n > WIDTH) {
            gcal_buf_puts(buf, "\n     ");
            column = 5;
        }
        gcal_buf_printf(buf, "%s%.*s", first ? "" : " ", (int)n, text);
        column += n + !first;
        text += n;
        text += strspn(text, " ");
    }
    gcal_buf_puts(buf, "\n");
}

/* ---- parameters ---- */

static void put_parameters(struct gcal_buf *buf, const struct gcal_model *model,
                           const struct gcal_fit *fit)
{
    int width = 9;

    for (size_t i = 0; i < model->n_parameters; i++)
        if ((int)strlen(model->parameters[i].name) > width)
            width = (int)strlen(model->parameters[i].name);
    gcal_buf_printf(buf, "  %-*s %14s %12s %8s\n", width, "parameter", "value",
                    "std. error", "VIF");
    for (size_t i = 0; i < model->n_parameters; i++) {
        char value[GCAL_UNITS_SIZE], error[GCAL_UNITS_SIZE], inflation[32] = "-";
        double relative = fit->undetermined[i] ? NAN
                          : fit->value[i] != 0
                              ? fabs(fit->standard_error[i] / fit->value[i])
                          : fit->standard_error[i] == 0 ? 0
                                                        : NAN;

        if (!isnan(fit->variance_inflation[i]))
            snprintf(inflation, sizeof(inflation), "%.3g", fit->variance_inflation[i]);
        gcal_units(fit->value[i], model->parameters[i].unit, value);
        gcal_buf_printf(buf, "  %-*s %14s %12s %8s", width, model->parameters[i].name,
                        fit->undetermined[i] ? "-" : value,
                        gcal_units_percent(relative, error), inflation);
        if (fit->undetermined[i])
            gcal_buf_puts(buf, "  undetermined");
        else if (fit->merged_with[i] != i)
            gcal_buf_printf(buf, "  merged with %s",
                            model->parameters[fit->merged_with[i]].name);
        else if (fit->poorly_determined[i])
            gcal_buf_puts(buf, "  poorly determined: fixed");
        else if (fit->at_bound[i])
            gcal_buf_puts(buf, "  at its bound");
        gcal_buf_puts(buf, "\n");
    }
}

/* ---- correlations and errors ---- */

static void put_quality(struct gcal_buf *buf, const struct gcal_record *record,
                        const struct gcal_result_type_fit *t,
                        const struct gcal_result_form_fit *f)
{
    char rms[GCAL_UNITS_SIZE], mean[GCAL_UNITS_SIZE];
    const struct gcal_fit *fit = &f->fit;
    double worst = 0;
    size_t at = 0;

    for (size_t i = 0; i < t->n_rows; i++) {
        double error = f->predicted_s[i] / t->row_time_s[i] - 1;

        if (fabs(error) > fabs(worst)) {
            worst = error;
            at = i;
        }
    }
    gcal_buf_printf(buf, "  residuals: %s rms, %s geometric mean\n",
                    gcal_units_percent(fit->residual, rms),
                    gcal_units_percent(fit->mean_error, mean));
    gcal_buf_printf(buf, "  worst: %s%s, %s\n", worst > 0 ? "+" : "",
                    gcal_units_percent(worst, rms),
                    record->kernels[t->row_kernel[at]].name);
}

static void put_held_out(struct gcal_buf *buf, const struct gcal_fit_error_summary *j)
{
    char rms[GCAL_UNITS_SIZE], mean[GCAL_UNITS_SIZE], most[GCAL_UNITS_SIZE];

    if (j->n)
        gcal_buf_printf(buf, "  held out: %s rms, %s geometric mean, 90 %% within %s\n",
                        gcal_units_percent(j->rms, rms),
                        gcal_units_percent(j->mean_error, mean),
                        gcal_units_percent(j->error_90, most));
}

/* ---- all forms ---- */

/* All forms of the model in a table, the chosen one marked. */
static void put_forms(struct gcal_buf *buf, const struct gcal_config_model *config,
                      const struct gcal_result_type_fit *t)
{
    gcal_buf_printf(buf, "    %-12s %10s %7s %10s  %8s %9s %9s %11s\n", "form",
                    "parameters", "kernels", "residual", "held out", "rms", "mean",
                    "90 %");
    for (size_t k = 0; k < t->n_forms; k++) {
        const struct gcal_result_form_fit *f = &t->forms[k];
        const struct gcal_fit_error_summary *j = &f->held_out;
        char text[4][GCAL_UNITS_SIZE];

        gcal_buf_printf(buf, "  %c %-12s %10zu %7zu", t->good && k == t->best ? '*' : ' ',
                        config->forms[k].name, f->fit.n_parameters, t->n_kernels);
        if (f->fit.status == GCAL_FIT_GOOD)
            gcal_buf_printf(buf, " %10s  %8zu %9s %9s %11s\n",
                            gcal_units_percent(f->fit.residual, text[0]), j->n,
                            gcal_units_percent(j->rms, text[1]),
                            gcal_units_percent(j->mean_error, text[2]),
                            gcal_units_percent(j->error_90, text[3]));
        else
            gcal_buf_puts(buf, "   rejected\n");
    }
    for (size_t k = 0; k < t->n_forms && t->good; k++)
        if (t->forms[k].fit.status != GCAL_FIT_GOOD) {
            struct gcal_buf before = { 0 };

            gcal_buf_printf(&before, "%s rejected: ", config->forms[k].name);
            put_wrapped(buf, before.data ? before.data : "", t->forms[k].fit.reason);
            gcal_buf_free(&before);
        }
}

/* ---- all of it ---- */

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

/* A rejected model is shown with the first form: its parameters help to find the cause.
 */
static void put_fit(struct gcal_buf *buf, const struct gcal_record *record,
                    const struct gcal_config *config, const struct gcal_results *results,
                    const struct gcal_result_type_fit *t)
{
    const struct gcal_config_model *m = &config->models[t->model];
    const struct gcal_result_form_fit *f = &t->forms[t->best];
    char why[GCAL_PARAMS_WHY_SIZE + 60], percent[GCAL_UNITS_SIZE];
    enum gcal_result_verdict verdict;

    gcal_buf_printf(buf, "%s, model %s", t->type, m->model->name);
    if (t->is_outlier)
        gcal_buf_printf(buf, ", %s %s alone", record->devices[t->outlier].node,
                        record->devices[t->outlier].info.uid);
    verdict = gcal_result_judge(t, config, why);
    gcal_buf_printf(buf, ": %s\n", gcal_result_verdict_name(verdict));
    if (verdict == GCAL_RESULT_POOR)
        put_wrapped(buf, "poor: ", strcat(why, "; it predicts only where it is named"));
    put_wrapped(buf, t->good ? "" : "reason: ", t->reason);
    if (t->n_forms > 1)
        put_forms(buf, m, t);
    gcal_buf_printf(buf, "  %zu kernel%s, %zu sample%s, %zu device%s\n", t->n_kernels,
                    t->n_kernels == 1 ? "" : "s", t->n_samples,
                    t->n_samples == 1 ? "" : "s", t->n_devices,
                    t->n_devices == 1 ? "" : "s");
    /* Parameters of one form, their correlations, and errors. */
    const struct gcal_fit *fit = &f->fit;
    if (fit->status != GCAL_FIT_TOO_FEW_ROWS) {
        put_parameters(buf, m->forms[t->best].model, fit);
        struct gcal_fit_pair pairs[N_PAIRS];
        size_t n = gcal_fit_correlated_pairs(fit, STRONGLY_RELATED, pairs, N_PAIRS);
        struct gcal_buf text = { 0 };
        for (size_t i = 0; i < n; i++)
            gcal_buf_printf(&text, "%s%s and %s %.3f", i ? ", " : "",
                            m->forms[t->best].model->parameters[pairs[i].a].name,
                            m->forms[t->best].model->parameters[pairs[i].b].name,
                            pairs[i].correlation);
        if (n)
            put_wrapped(buf, "correlated: ", text.data ? text.data : "");
        gcal_buf_free(&text);
        gcal_buf_printf(buf, "  rank %zu of %zu, condition %.3g\n", fit->rank,
                        fit->n_parameters, fit->condition);
        if (*fit->note)
            put_wrapped(buf, "note: ", fit->note);
        put_quality(buf, record, t, f);
        put_held_out(buf, &f->held_out);
    }
    if (t->good && t->shared_error > 0) { /* beside the scatter of rows and devices */
        char text[240];

        snprintf(
            text, sizeof(text),
            "all times may be off alike by %s (standard error), as the device was not "
            "steady; what outlasts a calibration shows between calibrations alone",
            gcal_units_percent(t->shared_error, percent));
        put_wrapped(buf, "", text);
    }
    for (size_t i = 0; i < t->n_warnings; i++)
        put_wrapped(buf, "", t->warnings[i]);
    if (t->good)
        put_devices(buf, record, t);
    for (size_t i = 0; i < results->n_outliers && !t->is_outlier; i++) {
        const struct gcal_result_outlier *o = &results->outliers[i];

        if (o->model == t->model && !o->in_store &&
            strcmp(record->devices[o->device].info.type, t->type) == 0)
            put_wrapped(buf, "warning: ", o->text);
    }
}

/* What could not be measured. */
static int put_lacks(struct gcal_arena *scratch, struct gcal_buf *buf,
                     const struct gcal_results *results, const struct gcal_record *record,
                     const struct gcal_config *config, struct gcal_error *err)
{
    struct gcal_result_failures failures;
    struct gcal_result_unmeasured *unmeasured;
    size_t n;

    if (gcal_results_failures(scratch, record, &failures, err) < 0 ||
        gcal_results_unmeasured(results, record, config, &unmeasured, &n, err) < 0)
        return -1;
    if (failures.n)
        gcal_buf_puts(buf, "\nnot measured:\n");
    for (size_t i = 0; i < failures.n && i < MAX_FAILURES; i++) {
        const struct gcal_result_failure *f = &failures.items[i];

        if (f->n_devices > 1)
            gcal_buf_printf(buf, "  all %zu devices", f->n_devices);
        else
            gcal_buf_printf(buf, "  %s", f->node);
        gcal_buf_printf(buf, ", %s: %s%s%s\n", f->kernel,
                        gcal_measurement_status_name(f->status), *f->reason ? ": " : "",
                        f->reason);
    }
    if (failures.n > MAX_FAILURES)
        gcal_buf_printf(buf, "  and %zu more\n", failures.n - MAX_FAILURES);
    if (n)
        gcal_buf_puts(buf, "\ndevices that could not be measured:\n");
    for (size_t i = 0; i < n; i++) {
        const struct gcal_run_device *d = &record->devices[unmeasured[i].device];

        gcal_buf_printf(buf, "  %s, %s (%s): %s\n", d->node, d->info.name, d->info.uid,
                        unmeasured[i].reason);
    }
    return 0;
}

char *gcal_results_format(const struct gcal_results *results,
                          const struct gcal_record *record,
                          const struct gcal_config *config, struct gcal_error *err)
{
    struct gcal_arena *scratch = gcal_arena_create();
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
    for (size_t i = 0; i < results->speeds.n; i++) {
        gcal_buf_puts(&buf, "\n");
        put_wrapped(&buf, "warning: ", results->speeds.items[i].text);
    }
    rc = put_lacks(scratch, &buf, results, record, config, err);
    gcal_arena_destroy(scratch);
    if (rc == 0)
        return gcal_buf_take(&buf, err);
    gcal_buf_free(&buf);
    return NULL;
}
