/* format_fit.c - the tables of parameters and of forms */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/units.h"
#include "calib/results/private.h"

#define N_PAIRS          3
#define STRONGLY_RELATED 0.9

/* ---- parameters ---- */

static void put_note(struct gcal_buf *buf, const struct gcal_model *model,
                     const struct gcal_fit *fit, size_t i)
{
    if (fit->undetermined[i])
        gcal_buf_puts(buf, "  undetermined");
    else if (fit->merged_with[i] != i)
        gcal_buf_printf(buf, "  merged with %s",
                        model->parameters[fit->merged_with[i]].name);
    else if (fit->poorly_determined[i])
        gcal_buf_puts(buf, "  poorly determined: fixed");
    else if (fit->at_bound[i])
        gcal_buf_puts(buf, "  at its bound");
}

static double relative_error(const struct gcal_fit *fit, size_t i)
{
    if (fit->undetermined[i])
        return NAN;
    if (fit->value[i] == 0)
        return fit->standard_error[i] == 0 ? 0 : NAN;
    return fabs(fit->standard_error[i] / fit->value[i]);
}

static void format_inflation(const struct gcal_fit *fit, size_t i, char text[32])
{
    if (isnan(fit->variance_inflation[i]))
        strcpy(text, "-");
    else
        snprintf(text, 32, "%.3g", fit->variance_inflation[i]);
}

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
        char value[GCAL_UNITS_SIZE], error[GCAL_UNITS_SIZE], inflation[32];

        gcal_units_percent(relative_error(fit, i), error);
        format_inflation(fit, i, inflation);
        gcal_units(fit->value[i], model->parameters[i].unit, value);
        gcal_buf_printf(buf, "  %-*s %14s %12s %8s", width, model->parameters[i].name,
                        fit->undetermined[i] ? "-" : value, error, inflation);
        put_note(buf, model, fit, i);
        gcal_buf_puts(buf, "\n");
    }
}

/* ---- correlations and errors ---- */

static void put_pairs(struct gcal_buf *buf, const struct gcal_model *model,
                      const struct gcal_fit *fit)
{
    struct gcal_fit_pair pairs[N_PAIRS];
    size_t n = gcal_fit_correlated_pairs(fit, STRONGLY_RELATED, pairs, N_PAIRS);
    struct gcal_buf text = { 0 };

    for (size_t i = 0; i < n; i++)
        gcal_buf_printf(&text, "%s%s and %s %.3f", i ? ", " : "",
                        model->parameters[pairs[i].a].name,
                        model->parameters[pairs[i].b].name, pairs[i].correlation);
    if (n)
        gcal_result_put_wrapped(buf, "correlated: ", text.data ? text.data : "");
    gcal_buf_free(&text);
}

static void put_quality(struct gcal_buf *buf, const struct gcal_record *record,
                        const struct gcal_result_type_fit *t,
                        const struct gcal_result_form_fit *f)
{
    char rms[GCAL_UNITS_SIZE], mean[GCAL_UNITS_SIZE];
    const struct gcal_fit *fit = &f->fit;
    double worst = 0;
    size_t at = 0;

    for (size_t i = 0; i < f->n_rows; i++) {
        double error = fit->predicted_s[i] / t->row_time_s[f->row[i]] - 1;

        if (fabs(error) > fabs(worst)) {
            worst = error;
            at = i;
        }
    }
    gcal_buf_printf(buf, "  residuals: %s rms, %s geometric mean\n",
                    gcal_units_percent(fit->residual, rms),
                    gcal_units_percent(fit->mean_error, mean));
    if (f->n_rows)
        gcal_buf_printf(buf, "  worst: %s%s, %s\n", worst > 0 ? "+" : "",
                        gcal_units_percent(worst, rms),
                        record->kernels[t->row_kernel[f->row[at]]].name);
}

static void put_error_summary(struct gcal_buf *buf, const char *what,
                              const struct gcal_fit_error_summary *j)
{
    char rms[GCAL_UNITS_SIZE], mean[GCAL_UNITS_SIZE], most[GCAL_UNITS_SIZE];

    if (j->n)
        gcal_buf_printf(buf, "  %s: %s rms, %s geometric mean, 90 %% within %s\n", what,
                        gcal_units_percent(j->rms, rms),
                        gcal_units_percent(j->mean_error, mean),
                        gcal_units_percent(j->error_90, most));
}

void gcal_result_put_form(struct gcal_buf *buf, const struct gcal_record *record,
                          const struct gcal_model *model,
                          const struct gcal_result_type_fit *t,
                          const struct gcal_result_form_fit *f)
{
    const struct gcal_fit *fit = &f->fit;

    if (fit->status == GCAL_FIT_TOO_FEW_ROWS)
        return;
    put_parameters(buf, model, fit);
    put_pairs(buf, model, fit);
    gcal_buf_printf(buf, "  rank %zu of %zu, condition %.3g\n", fit->rank,
                    fit->n_parameters, fit->condition);
    if (*fit->note)
        gcal_result_put_wrapped(buf, "note: ", fit->note);
    put_quality(buf, record, t, f);
    put_error_summary(buf, t->by_targets ? "target kernels" : "held out", &f->held_out);
    put_error_summary(buf, "target kernels, measured once", &t->checked);
}

/* ---- all forms ---- */

static void put_figures(struct gcal_buf *buf, const struct gcal_result_form_fit *f)
{
    const struct gcal_fit_error_summary *j = &f->held_out;
    char text[4][GCAL_UNITS_SIZE];

    gcal_buf_printf(buf, " %10s  %8zu %9s %9s %11s\n",
                    gcal_units_percent(f->fit.residual, text[0]), j->n,
                    gcal_units_percent(j->rms, text[1]),
                    gcal_units_percent(j->mean_error, text[2]),
                    gcal_units_percent(j->error_90, text[3]));
}

static void put_rejection(struct gcal_buf *buf, const char *name, const char *reason)
{
    char *before = gcal_buf_format("%s rejected: ", name);

    gcal_result_put_wrapped(buf, before ? before : "", reason);
    free(before);
}

void gcal_result_put_forms(struct gcal_buf *buf, const struct gcal_config_model *config,
                           const struct gcal_result_type_fit *t)
{
    gcal_buf_printf(buf, "    %-12s %10s %7s %10s  %8s %9s %9s %11s\n", "form",
                    "parameters", "kernels", "residual",
                    t->by_targets ? "targets" : "held out", "rms", "mean", "90 %");
    for (size_t k = 0; k < t->n_forms; k++) {
        const struct gcal_result_form_fit *f = &t->forms[k];

        gcal_buf_printf(buf, "  %c %-12s %10zu %7zu", t->good && k == t->best ? '*' : ' ',
                        config->forms[k].name, f->fit.n_parameters, f->n_kernels);
        if (f->fit.status == GCAL_FIT_GOOD)
            put_figures(buf, f);
        else
            gcal_buf_puts(buf, gcal_result_is_form_offered(t, config, k)
                                   ? "   rejected\n"
                                   : "   needs the target kernels\n");
    }
    for (size_t k = 0; k < t->n_forms && t->good; k++)
        if (t->forms[k].fit.status != GCAL_FIT_GOOD &&
            gcal_result_is_form_offered(t, config, k))
            put_rejection(buf, config->forms[k].name, t->forms[k].fit.reason);
}
