/* devices.c - device factors, estimates for single devices, and errors that they cause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/model/model.h"
#include "calib/results/private.h"
#include "fit/error_summary.h"

/* The rows of one device with their expected times. */
struct deviation {
    size_t n;
    double *predicted_s, *time_s;
};

static int by_index(const void *a, const void *b)
{
    const size_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static size_t place_of(const struct gcal_result_type_fit *t, size_t device)
{
    const size_t *found =
        bsearch(&device, t->device, t->n_devices, sizeof(*t->device), by_index);

    return (size_t)(found - t->device);
}

/* The devices of a type share the errors of the model.  So what a kernel is expected to take is
 * what it takes on them (gcal_fit_common_times()); NaN where that does not compare them.
 */
static void find_common(struct gcal_arena *scratch, const struct gcal_result_type_fit *t,
                        double *common_s)
{
    size_t *number = gcal_arena_alloc(scratch, t->n_rows, sizeof(*number));
    size_t n_kernels = 0, n = t->n_devices;
    double *time_s = gcal_arena_alloc(scratch, t->n_kernels * n, sizeof(*time_s));
    double *of_kernel_s = gcal_arena_alloc(scratch, t->n_kernels, sizeof(*of_kernel_s));

    for (size_t i = 0; i < t->n_kernels * n; i++)
        time_s[i] = NAN;
    for (size_t i = 0; i < t->n_rows; i++) { /* rows are sorted by kernel */
        n_kernels += !i || t->row_kernel[i] != t->row_kernel[i - 1];
        number[i] = n_kernels - 1;
        time_s[n * number[i] + place_of(t, t->row_device[i])] = t->row_time_s[i];
    }
    gcal_fit_common_times(time_s, n_kernels, n, of_kernel_s);
    for (size_t i = 0; i < t->n_rows; i++)
        common_s[i] = of_kernel_s[number[i]];
}

/* Those of 'row' with an expected time.  A factor has what the rows were divided by. */
static void take_rows(struct deviation *d, const struct gcal_result_type_fit *t,
                      const size_t *row, size_t n, const double *expected_s)
{
    d->n = 0;
    for (size_t k = 0; k < n; k++) {
        if (!isfinite(expected_s[row[k]]))
            continue;
        d->predicted_s[d->n] = expected_s[row[k]];
        d->time_s[d->n++] = t->row_time_s[row[k]] * t->row_scale[row[k]];
    }
}

/* The factors of single devices and their errors, 'raw': 2 x n_devices. */
static void find_raw(struct gcal_arena *scratch, struct gcal_result_type_fit *t,
                     double *raw)
{
    const struct gcal_result_form_fit *f = &t->forms[t->best];
    size_t n = t->n_rows;
    struct deviation d = { .predicted_s = gcal_arena_alloc(scratch, n, sizeof(double)),
                           .time_s = gcal_arena_alloc(scratch, n, sizeof(double)) };
    double *common_s = gcal_arena_alloc(scratch, n, sizeof(*common_s));
    /* The fitted rows of device k: row[first[k]] to row[first[k + 1]]. */
    size_t *place = gcal_arena_alloc(scratch, n, sizeof(*place));
    size_t *row = gcal_arena_alloc(scratch, n, sizeof(*row));
    size_t *first = gcal_arena_alloc(scratch, t->n_devices + 2, sizeof(*first));

    for (size_t i = 0; i < n; i++) {
        place[i] = place_of(t, t->row_device[i]);
        first[place[i] + 2]++;
    }
    for (size_t k = 0; k < t->n_devices; k++)
        first[k + 2] += first[k + 1];
    for (size_t i = 0; i < n; i++)
        row[first[place[i] + 1]++] = i;
    find_common(scratch, t, common_s);
    for (size_t k = 0; k < t->n_devices; k++) {
        const size_t *own = &row[first[k]];
        size_t n_own = first[k + 1] - first[k];

        take_rows(&d, t, own, n_own, common_s);
        if (d.n < 2) /* a single row has no standard error */
            take_rows(&d, t, own, n_own, f->predicted_s);
        gcal_fit_deviation(d.predicted_s, d.time_s, d.n, &raw[k], &raw[t->n_devices + k]);
    }
}

/* Two devices that differ by as much: which one is wrong nobody can tell. */
#define LEAST_DIFFERENCE 1.15

void gcal_result_find_deviations(struct gcal_arena *scratch,
                                 struct gcal_result_type_fit *t)
{
    double *raw, *raw_error, ratio;

    /* In the order of the record. */
    t->device = gcal_arena_alloc(t->arena, t->n_rows, sizeof(*t->device));
    memcpy(t->device, t->row_device, t->n_rows * sizeof(*t->device));
    qsort(t->device, t->n_rows, sizeof(*t->device), by_index);
    for (size_t i = 0; i < t->n_rows; i++)
        if (!i || t->device[i] != t->device[t->n_devices - 1])
            t->device[t->n_devices++] = t->device[i];
    t->factor = gcal_arena_alloc(t->arena, t->n_devices, sizeof(*t->factor));
    t->factor_error = gcal_arena_alloc(t->arena, t->n_devices, sizeof(*t->factor_error));
    for (size_t k = 0; k < t->n_devices; k++)
        t->factor[k] = t->factor_error[k] = NAN;
    t->between = NAN;
    if (!t->good)
        return;
    if (t->n_devices == 1) { /* the fit is its own */
        t->factor[0] = 1;
        t->factor_error[0] = 0;
        return;
    }
    raw = gcal_arena_alloc(scratch, t->n_devices, 2 * sizeof(*raw));
    raw_error = raw + t->n_devices;
    find_raw(scratch, t, raw);
    gcal_fit_shrink(t->n_devices, raw, raw_error, t->factor, t->factor_error,
                    &t->between);
    for (size_t k = 0; k < t->n_devices; k++)
        if (!isfinite(raw_error[k]))
            /* A device with a row or none is not known by its type: it may be any of them. */
            t->factor[k] = t->factor_error[k] = NAN;
    if (t->n_devices != 2)
        return;
    ratio = fmax(t->factor[1] / t->factor[0], t->factor[0] / t->factor[1]);
    if (ratio >= LEAST_DIFFERENCE)
        gcal_result_warn(
            t, gcal_arena_format(
                   t->arena,
                   "warning: of the two devices one takes %.3g times as long as "
                   "the other; which of them is wrong, if one is, two cannot "
                   "tell: each has its factor",
                   ratio));
}

void gcal_result_widen(struct gcal_arena *scratch, const struct gcal_record *record,
                       struct gcal_result_type_fit *t,
                       const struct gcal_config_model *config,
                       const struct gcal_result_speeds *speeds)
{
    const struct gcal_model *model = config->forms[t->best].model;
    struct gcal_fit *fit = &t->forms[t->best].fit;
    size_t n = model->n_parameters;
    double squares = 0;

    for (size_t k = 0; k < t->n_devices && t->good; k++) {
        double error = gcal_result_shared_error(speeds, t->device[k]), all;

        for (size_t j = 0; j < n; j++)
            if (strcmp(model->parameters[j].unit, "s") == 0) /* no exponent or capacity */
                t->estimate_error[k * n + j] =
                    hypot(t->estimate_error[k * n + j], error * t->estimate[k * n + j]);
        /* It is not in the errors of the estimates, with which later calibrations compare theirs. */
        all =
            hypot(error, gcal_result_between_runs(scratch, record, t, config, speeds, k));
        /* It is no reason to shrink the factor, that of the speed that was measured. */
        t->factor_error[k] = hypot(t->factor_error[k], t->factor[k] * all);
        squares += pow(all, 2);
    }
    /* The error of the mean over the devices, as theirs are independent. */
    t->shared_error = t->n_devices ? sqrt(squares) / (double)t->n_devices : 0;
    for (size_t j = 0; j < n && t->good; j++)
        if (strcmp(model->parameters[j].unit, "s") == 0)
            fit->standard_error[j] =
                hypot(fit->standard_error[j], t->shared_error * fit->value[j]);
}

/* ---- estimates of parameters for single devices ---- */

int gcal_result_fit_devices(struct gcal_arena *scratch, struct gcal_result_type_fit *t,
                            const struct gcal_record *record,
                            const struct gcal_config_model *config,
                            const struct gcal_result_rows *rows, struct gcal_error *err)
{
    const struct gcal_model *model = config->forms[t->best].model;
    const struct gcal_result_form_fit *f = &t->forms[t->best];
    size_t n_features = model->n_features, n_parameters = model->n_parameters, most = 0;
    struct gcal_result_cells cells = gcal_result_cells_find(scratch, record, rows);
    struct gcal_result_by_device sorted =
        gcal_result_sort_by_device(scratch, record, rows);
    size_t *generator = gcal_result_generators(scratch, record), *group;
    double *features, *time_s, *spread;

    if (!t->good)
        return 0;
    t->estimate =
        gcal_arena_alloc(t->arena, t->n_devices * n_parameters, sizeof(*t->estimate));
    t->estimate_error = gcal_arena_alloc(t->arena, t->n_devices * n_parameters,
                                         sizeof(*t->estimate_error));
    for (size_t k = 0; k < t->n_devices; k++) {
        const size_t *first = &sorted.first[t->device[k]];

        most = first[1] - first[0] > most ? first[1] - first[0] : most;
    }
    features = gcal_arena_alloc(scratch, most * n_features, sizeof(*features));
    time_s = gcal_arena_alloc(scratch, most, sizeof(*time_s));
    spread = gcal_arena_alloc(scratch, most, sizeof(*spread));
    group = gcal_arena_alloc(scratch, most, sizeof(*group));
    for (size_t k = 0; k < t->n_devices; k++) {
        const size_t *first = &sorted.first[t->device[k]];
        double *value = &t->estimate[k * n_parameters],
               *error = &t->estimate_error[k * n_parameters];
        struct gcal_fit_rows own = { .n_features = n_features,
                                     .features = features,
                                     .time_s = time_s,
                                     .spread = spread,
                                     .group = group,
                                     .absolute = config->absolute };

        for (size_t at = first[0]; at < first[1]; at++) {
            size_t i = sorted.row[at], n = own.n_rows;

            memcpy(&features[n * n_features], &f->features[cells.of_row[i] * n_features],
                   n_features * sizeof(*features));
            time_s[n] = rows->rows[i].time_s * rows->rows[i].scale;
            spread[n] = rows->rows[i].spread;
            group[n] = generator[rows->rows[i].kernel];
            own.n_rows++;
        }
        if (gcal_fit_device(model, &own, &f->fit, value, error, err) < 0)
            return -1;
        /* The only device of a type has the estimates of the fit, without rounding errors. */
        for (size_t j = 0; j < n_parameters && t->n_devices == 1; j++)
            if (isfinite(value[j])) {
                value[j] = f->fit.value[j];
                error[j] = f->fit.standard_error[j];
            }
    }
    return 0;
}

/* ---- errors of costs that rest on few kernels because others were lost
 *
 * Residuals say little of a cost that few kernels have, and nothing if it is one: the fit goes
 * through it.  Where as many kernels of a cost or more failed as are left, its standard error gets
 * the factor of a small sample of those that are left.
 */

/* A kernel has a cost that takes this share of its time. */
#define HAS_SHARE 0.01

static void count_kernel(const struct gcal_model *model, const struct gcal_fit *fit,
                         const double *features, double *gradient, size_t *count)
{
    double time_s = gcal_model_eval(model, fit->value, features, gradient);

    for (size_t j = 0; j < model->n_parameters; j++)
        count[j] += fabs(gradient[j] * fit->value[j]) > HAS_SHARE * time_s;
}

int gcal_result_find_lost(struct gcal_arena *arena, const struct gcal_record *record,
                          struct gcal_result_rows *lost, struct gcal_error *err)
{
    lost->rows = gcal_arena_alloc(arena, record->n_measurements, sizeof(*lost->rows));
    lost->n = 0;
    for (size_t i = 0; i < record->n_measurements; i++) {
        struct gcal_result_row row = { .scale = 1 };
        struct gcal_measurement m;

        if (gcal_record_measurement(record, i, &m, &row.device, &row.kernel, err) < 0)
            return -1;
        if (m.status != GCAL_MEASUREMENT_GOOD && m.status != GCAL_MEASUREMENT_SKIPPED &&
            !record->devices[row.device].failure)
            lost->rows[lost->n++] = row;
        gcal_measurement_clear(&m);
    }
    return 0;
}

static bool has_kernel(const struct gcal_result_rows *rows, size_t n, size_t kernel)
{
    for (size_t i = 0; i < n; i++)
        if (rows->rows[i].kernel == kernel)
            return true;
    return false;
}

int gcal_result_widen_lost(struct gcal_arena *scratch, struct gcal_result_type_fit *t,
                           const struct gcal_record *record,
                           const struct gcal_config_model *config,
                           const struct gcal_result_rows *rows,
                           const struct gcal_result_rows *all_lost,
                           struct gcal_error *err)
{
    const struct gcal_model *model = config->forms[t->best].model;
    struct gcal_fit *fit = &t->forms[t->best].fit;
    size_t n = model->n_parameters, before = SIZE_MAX;
    size_t *n_left = gcal_arena_alloc(scratch, n, sizeof(*n_left)); /* by parameter */
    size_t *n_lost = gcal_arena_alloc(scratch, n, sizeof(*n_lost));
    double *gradient = gcal_arena_alloc(scratch, n, sizeof(*gradient)), *features;
    struct gcal_result_rows lost;

    if (!t->good || !all_lost->n)
        return 0;
    lost = gcal_result_rows_pick(scratch, record, all_lost, t->type, config);
    if (!(features = gcal_result_features(scratch, record, model, rows, err)))
        return -1;
    for (size_t i = 0; i < rows->n; i++) {
        /* They are sorted by kernel. */
        if (rows->rows[i].kernel != before)
            count_kernel(model, fit, &features[i * model->n_features], gradient, n_left);
        before = rows->rows[i].kernel;
    }
    /* Kernels that no device has measured. */
    for (size_t i = 0; i < lost.n; i++) {
        struct gcal_result_rows one = { .rows = &lost.rows[i], .n = 1 };

        /* What it has may depend on how it is built, which is not known if it was not. */
        if (!has_kernel(rows, rows->n, one.rows->kernel) &&
            !has_kernel(&lost, i, one.rows->kernel) &&
            (features = gcal_result_features(scratch, record, model, &one, NULL)))
            count_kernel(model, fit, features, gradient, n_lost);
    }
    for (size_t j = 0; j < n; j++) {
        double factor = gcal_fit_small_sample_factor(n_left[j]);

        if (!n_left[j] || n_lost[j] < n_left[j] || factor <= 1 ||
            !(fit->standard_error[j] > 0))
            continue;
        fit->standard_error[j] *= factor;
        for (size_t k = 0; k < n; k++) {
            fit->covariance[j * n + k] *= factor;
            fit->covariance[k * n + j] *= factor;
        }
        gcal_result_warn(
            t,
            gcal_arena_format(t->arena,
                              "%s rests on %zu kernel%s, as %zu that have it failed: its "
                              "standard error is taken %.3g times as large",
                              model->parameters[j].name, n_left[j],
                              n_left[j] == 1 ? "" : "s", n_lost[j], factor));
    }
    return 0;
}
