/* evaluation_summary.c - figures of the errors of several predictions */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/median.h"
#include "fit/error_summary.h"
#include "mpi/predict/evaluation.h"

const double gcal_evaluation_factors[GCAL_EVALUATION_N_FACTORS] = { 1.25, 1.5, 2 };

/* Errors that are being added up: those of all rows, and of short ones. */
struct errors {
    double *all, *of_short;
    struct gcal_fit_mean_error mean, short_mean;
    double sum, sum_log, worst_log;
};

static bool matches(const char *wanted, const char *name)
{
    return !wanted || strcmp(wanted, name) == 0;
}

static bool is_wanted(const struct gcal_evaluation_filter *filter,
                      const struct gcal_evaluation_row *row)
{
    return (filter->model ? strcmp(filter->model, row->model) == 0 : !row->baseline) &&
           matches(filter->variant, row->variant) &&
           matches(filter->application, row->application);
}

static void add_short(struct errors *errors, const struct gcal_evaluation_row *row,
                      struct gcal_evaluation_summary *f)
{
    gcal_fit_mean_error_add(&errors->short_mean, row->predicted_s, row->measured_s);
    errors->of_short[f->n_short++] = fabs(gcal_evaluation_row_error(row));
    f->n_short_inside += gcal_evaluation_row_inside(row);
}

static void add(struct errors *errors, const struct gcal_evaluation_row *row,
                struct gcal_evaluation_summary *f)
{
    double error = fabs(gcal_evaluation_row_error(row));
    double by = fabs(log(row->predicted_s / row->measured_s));

    gcal_fit_mean_error_add(&errors->mean, row->predicted_s, row->measured_s);
    errors->all[f->n++] = error;
    errors->sum += error;
    errors->sum_log += by;
    if (!f->worst || by > errors->worst_log) {
        f->worst = row;
        errors->worst_log = by;
    }
    f->n_inside += gcal_evaluation_row_inside(row);
    for (int i = 0; i < GCAL_EVALUATION_N_FACTORS; i++)
        f->n_within[i] += by <= log(gcal_evaluation_factors[i]);
    if (row->measured_s < GCAL_EVALUATION_SHORT_S)
        add_short(errors, row, f);
}

static void finish(struct errors *errors, struct gcal_evaluation_summary *f)
{
    f->mean_error = gcal_fit_mean_error(&errors->mean);
    f->worst_error = gcal_fit_worst_error(&errors->mean);
    f->median_error = gcal_median(errors->all, f->n);
    f->average_error = f->n ? errors->sum / (double)f->n : NAN;
    f->factor = f->n ? exp(errors->sum_log / (double)f->n) : NAN;
    f->short_mean_error = gcal_fit_mean_error(&errors->short_mean);
    f->short_median_error = gcal_median(errors->of_short, f->n_short);
}

int gcal_evaluation_summarize(const struct gcal_evaluation *e,
                              const struct gcal_evaluation_filter *filter,
                              struct gcal_evaluation_summary *f, struct gcal_error *err)
{
    struct errors errors = { .all = calloc(2 * e->n + 1, sizeof(double)) };

    *f = (struct gcal_evaluation_summary){ 0 };
    if (!errors.all)
        return gcal_error_memory(err);
    errors.of_short = errors.all + e->n;
    for (size_t i = 0; i < e->n; i++) {
        const struct gcal_evaluation_row *row = &e->rows[i];

        if (!is_wanted(filter, row))
            continue;
        f->n_missing += row->measured_s > 0 && !gcal_evaluation_row_is_complete(row);
        if (gcal_evaluation_row_is_complete(row))
            add(&errors, row, f);
    }
    finish(&errors, f);
    free(errors.all);
    return 0;
}
