/* lost.c - errors of costs that rest on few kernels because others were lost
 *
 * Residuals say little of a cost that few kernels have, and nothing if it is one: the fit goes
 * through it.  Where as many kernels of a cost or more failed as are left, its standard error gets
 * the factor of a small sample of those that are left.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "calib/results/private.h"
#include "fit/error_summary.h"

/* A kernel has a cost that takes this share of its time. */
#define HAS_SHARE 0.01

/* Of each parameter. */
struct tally {
    size_t *left, *lost;
    double *gradient;
};

static void count_kernel(const struct gcal_model *model, const struct gcal_fit *fit,
                         const double *features, double *gradient, size_t *count)
{
    double time_s = gcal_model_eval(model, fit->value, features, gradient);

    for (size_t j = 0; j < model->n_parameters; j++)
        count[j] += fabs(gradient[j] * fit->value[j]) > HAS_SHARE * time_s;
}

static int count_left(const struct gcal_record *record,
                      const struct gcal_config_form *form, const struct gcal_fit *fit,
                      const struct gcal_result_rows *rows, struct tally *tally,
                      struct gcal_error *err)
{
    double *features = gcal_result_features(record, form->model, rows, err);
    size_t before = SIZE_MAX;

    for (size_t i = 0; features && i < rows->n; i++) {
        const struct gcal_result_row *row = &rows->rows[i];

        /* They are sorted by kernel. */
        if (row->target == form->tailored && !row->brief && row->kernel != before) {
            count_kernel(form->model, fit, &features[i * form->model->n_features],
                         tally->gradient, tally->left);
            before = row->kernel;
        }
    }
    free(features);
    return features ? 0 : -1;
}

static bool has_kernel(const struct gcal_result_rows *rows, size_t n, size_t kernel)
{
    for (size_t i = 0; i < n; i++)
        if (rows->rows[i].kernel == kernel)
            return true;
    return false;
}

/* Kernels that no device has measured. */
static void count_lost(const struct gcal_record *record,
                       const struct gcal_config_form *form, const struct gcal_fit *fit,
                       const struct gcal_result_rows *rows,
                       const struct gcal_result_rows *lost, struct tally *tally)
{
    for (size_t i = 0; i < lost->n; i++) {
        struct gcal_result_rows one = { .rows = &lost->rows[i], .n = 1 };
        double *features;

        if (one.rows->target != form->tailored ||
            has_kernel(rows, rows->n, one.rows->kernel) ||
            has_kernel(lost, i, one.rows->kernel))
            continue;
        /* What it has may depend on how it is built, which is not known if it was not. */
        if ((features = gcal_result_features(record, form->model, &one, NULL)))
            count_kernel(form->model, fit, features, tally->gradient, tally->lost);
        free(features);
    }
}

static int widen(struct gcal_result_type_fit *t, const struct gcal_model *model,
                 const struct tally *tally, struct gcal_error *err)
{
    struct gcal_fit *fit = &t->forms[t->best].fit;
    size_t n = model->n_parameters;
    char **grown = realloc(t->warnings, (t->n_warnings + n + 1) * sizeof(*grown));

    if (!grown)
        return gcal_error_memory(err);
    t->warnings = grown;
    for (size_t j = 0; j < n; j++) {
        double factor = gcal_fit_small_sample_factor(tally->left[j]);

        if (!tally->left[j] || tally->lost[j] < tally->left[j] || factor <= 1 ||
            !(fit->standard_error[j] > 0))
            continue;
        fit->standard_error[j] *= factor;
        for (size_t k = 0; k < n; k++) {
            fit->covariance[j * n + k] *= factor;
            fit->covariance[k * n + j] *= factor;
        }
        grown[t->n_warnings] = gcal_buf_format(
            "%s rests on %zu kernel%s, as %zu that have it failed: its standard error is "
            "taken %.3g times as large",
            model->parameters[j].name, tally->left[j], tally->left[j] == 1 ? "" : "s",
            tally->lost[j], factor);
        if (!grown[t->n_warnings])
            return gcal_error_memory(err);
        t->n_warnings++;
    }
    return 0;
}

int gcal_result_find_lost(const struct gcal_record *record, struct gcal_result_rows *lost,
                          struct gcal_error *err)
{
    size_t count = record->n_measurements;
    int rc = 0;

    if (!(lost->rows = calloc(count + 1, sizeof(*lost->rows))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < count && rc == 0; i++) {
        struct gcal_result_row row = { .scale = 1 };
        struct gcal_measurement m = { 0 };

        rc = gcal_record_measurement(record, i, &m, &row.device, &row.kernel, err);
        if (rc == 0 && m.status != GCAL_MEASUREMENT_GOOD &&
            m.status != GCAL_MEASUREMENT_SKIPPED && !record->devices[row.device].failure)
            lost->rows[lost->n++] = row;
        gcal_measurement_clear(&m);
    }
    return rc;
}

int gcal_result_widen_lost(struct gcal_result_type_fit *t,
                           const struct gcal_record *record,
                           const struct gcal_config_model *config,
                           const struct gcal_result_rows *rows,
                           const struct gcal_result_rows *all_lost,
                           struct gcal_error *err)
{
    const struct gcal_config_form *form = &config->forms[t->best];
    size_t n = form->model->n_parameters;
    struct tally tally = { 0 };
    struct gcal_result_rows lost = { 0 };
    int rc = -1;

    if (!t->good || !all_lost->n)
        return 0;
    tally.left = calloc(n + 1, sizeof(*tally.left));
    tally.lost = calloc(n + 1, sizeof(*tally.lost));
    tally.gradient = calloc(n + 1, sizeof(*tally.gradient));
    if (!tally.left || !tally.lost || !tally.gradient)
        gcal_error_memory(err);
    else if (gcal_result_rows_pick(record, all_lost, t->type, config, &lost, err) == 0 &&
             count_left(record, form, &t->forms[t->best].fit, rows, &tally, err) == 0) {
        count_lost(record, form, &t->forms[t->best].fit, rows, &lost, &tally);
        rc = widen(t, form->model, &tally, err);
    }
    free(tally.left);
    free(tally.lost);
    free(tally.gradient);
    free(lost.rows);
    return rc;
}
