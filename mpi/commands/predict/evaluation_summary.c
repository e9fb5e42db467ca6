/* evaluation_summary.c - figures of the errors of several predictions */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/median.h"
#include "fit/error_summary.h"
#include "mpi/commands/predict/evaluation.h"

const double gcal_evaluation_factors[GCAL_EVALUATION_N_FACTORS] = { 1.25, 1.5, 2 };

static const struct {
    double from_s;
    const char *name;
} bands[GCAL_EVALUATION_N_BANDS] = {
    [GCAL_EVALUATION_ALL_TIMES] = { 0, "" },
    [GCAL_EVALUATION_BELOW_50_US] = { 0, "below_50_us" },
    [GCAL_EVALUATION_50_US_TO_1_MS] = { 50e-6, "50_us_to_1_ms" },
    [GCAL_EVALUATION_ABOVE_1_MS] = { 1e-3, "above_1_ms" },
};

enum gcal_evaluation_band gcal_evaluation_band_of(double measured_s)
{
    enum gcal_evaluation_band band = GCAL_EVALUATION_N_BANDS - 1;

    if (isnan(measured_s))
        return GCAL_EVALUATION_ALL_TIMES;
    while (band > GCAL_EVALUATION_BELOW_50_US && measured_s < bands[band].from_s)
        band--;
    return band;
}

const char *gcal_evaluation_band_name(enum gcal_evaluation_band band)
{
    return bands[band].name;
}

static bool matches(const char *wanted, const char *name)
{
    return !wanted || strcmp(wanted, name) == 0;
}

static bool is_wanted(const struct gcal_evaluation_filter *filter,
                      const struct gcal_evaluation_row *row)
{
    return (filter->model ? strcmp(filter->model, row->model) == 0 : !row->baseline) &&
           matches(filter->variant, row->variant) &&
           matches(filter->application, row->application) &&
           (filter->band == GCAL_EVALUATION_ALL_TIMES ||
            filter->band == gcal_evaluation_band_of(row->measured_s));
}

/* Figures of the rows that count, of which medians and sums are still to be taken. */
struct errors {
    double *errors, *logs, *widths; /* of each row */
    struct gcal_fit_mean_error mean;
    double sum, sum_log, sum_off_s, sum_measured_s;
};

static void add(struct errors *all, const struct gcal_evaluation_row *row,
                struct gcal_evaluation_summary *f)
{
    double error = fabs(gcal_evaluation_row_error(row));
    double by = fabs(log(row->predicted_s / row->measured_s));

    gcal_fit_mean_error_add(&all->mean, row->predicted_s, row->measured_s);
    all->errors[f->n] = error;
    all->logs[f->n] = by;
    all->widths[f->n++] = row->high_s / row->low_s;
    all->sum += error;
    all->sum_log += by;
    all->sum_off_s += fabs(row->predicted_s - row->measured_s);
    all->sum_measured_s += row->measured_s;
    if (!f->worst || by > fabs(log(f->worst->predicted_s / f->worst->measured_s)))
        f->worst = row;
    f->n_inside += gcal_evaluation_row_inside(row);
    for (int i = 0; i < GCAL_EVALUATION_N_FACTORS; i++)
        f->n_within[i] += by <= log(gcal_evaluation_factors[i]);
}

static void finish(struct errors *all, struct gcal_evaluation_summary *f)
{
    double n = (double)f->n;

    f->mean_error = gcal_fit_mean_error(&all->mean);
    f->worst_error = gcal_fit_worst_error(&all->mean);
    f->median_error = gcal_median(all->errors, f->n);
    f->width = gcal_median(all->widths, f->n);
    gcal_median(all->logs, f->n); /* which sorts them */
    f->average_error = f->n ? all->sum / n : NAN;
    f->time_error = f->n ? all->sum_off_s / all->sum_measured_s : NAN;
    f->factor = f->n ? exp(all->sum_log / n) : NAN;
    f->factor_90 = f->n ? exp(all->logs[(size_t)ceil(0.9 * n) - 1]) : NAN;
}

int gcal_evaluation_summarize(const struct gcal_evaluation *e,
                              const struct gcal_evaluation_filter *filter,
                              struct gcal_evaluation_summary *f, struct gcal_error *err)
{
    struct errors all = { .errors = calloc(3 * e->n + 1, sizeof(double)) };

    *f = (struct gcal_evaluation_summary){ 0 };
    if (!all.errors)
        return gcal_error_memory(err);
    all.logs = all.errors + e->n;
    all.widths = all.logs + e->n;
    for (size_t i = 0; i < e->n; i++) {
        const struct gcal_evaluation_row *row = &e->rows[i];

        if (!is_wanted(filter, row))
            continue;
        f->n_missing += row->measured_s > 0 && !gcal_evaluation_row_is_complete(row);
        if (gcal_evaluation_row_is_complete(row))
            add(&all, row, f);
    }
    finish(&all, f);
    free(all.errors);
    return 0;
}
