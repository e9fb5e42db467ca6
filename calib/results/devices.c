/* devices.c - device factors: deviations from the fit of the type */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/model.h"
#include "calib/results/private.h"

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

/* In the order of the record. */
static int list_devices(struct gcal_result_type_fit *t, struct gcal_error *err)
{
    size_t n = t->n_rows + 1;

    t->device = calloc(n, sizeof(*t->device));
    if (!t->device)
        return gcal_error_memory(err);
    for (size_t i = 0; i < t->n_rows; i++)
        t->device[i] = t->row_device[i];
    if (t->n_rows)
        qsort(t->device, t->n_rows, sizeof(*t->device), by_index);
    for (size_t i = 0; i < t->n_rows; i++)
        if (!i || t->device[i] != t->device[t->n_devices - 1])
            t->device[t->n_devices++] = t->device[i];
    t->factor = calloc(t->n_devices + 1, sizeof(*t->factor));
    t->factor_error = calloc(t->n_devices + 1, sizeof(*t->factor_error));
    if (!t->factor || !t->factor_error)
        return gcal_error_memory(err);
    for (size_t k = 0; k < t->n_devices; k++)
        t->factor[k] = t->factor_error[k] = NAN;
    t->between = NAN;
    return 0;
}

/* The number of the kernel of each fitted row, by row; rows are sorted by kernel. */
static size_t number_kernels(const struct gcal_result_type_fit *t,
                             const struct gcal_result_form_fit *f, size_t *number)
{
    size_t n = 0;

    for (size_t i = 0; i < f->n_rows; i++) {
        n += !i || t->row_kernel[f->row[i]] != t->row_kernel[f->row[i - 1]];
        number[i] = n - 1;
    }
    return n;
}

/* The devices of a type share the errors of the model.  So what a kernel is expected to take is what
 * it takes on them (gcal_fit_common_times()); NaN where that does not compare them.
 */
static int find_common(const struct gcal_result_type_fit *t,
                       const struct gcal_result_form_fit *f, double *common_s,
                       struct gcal_error *err)
{
    size_t *number = calloc(f->n_rows + 1, sizeof(*number));
    size_t n_kernels = number ? number_kernels(t, f, number) : 0, n = t->n_devices;
    double *time_s = malloc((n_kernels * n + 1) * sizeof(*time_s));
    double *of_kernel_s = calloc(n_kernels + 1, sizeof(*of_kernel_s));
    int rc = number && time_s && of_kernel_s ? 0 : gcal_error_memory(err);

    for (size_t i = 0; i < n_kernels * n && rc == 0; i++)
        time_s[i] = NAN;
    for (size_t i = 0; i < f->n_rows && rc == 0; i++)
        time_s[n * number[i] + place_of(t, t->row_device[f->row[i]])] =
            t->row_time_s[f->row[i]];
    if (rc == 0)
        rc = gcal_fit_common_times(time_s, n_kernels, n, of_kernel_s, err);
    for (size_t i = 0; i < f->n_rows && rc == 0; i++)
        common_s[i] = of_kernel_s[number[i]];
    free(number);
    free(time_s);
    free(of_kernel_s);
    return rc;
}

/* The fitted rows of each device: 'row' by device, from first[k] to first[k + 1]. */
static int sort_rows(const struct gcal_result_type_fit *t,
                     const struct gcal_result_form_fit *f, size_t *row, size_t *first,
                     struct gcal_error *err)
{
    size_t *place = calloc(f->n_rows + 1, sizeof(*place));

    if (!place)
        return gcal_error_memory(err);
    for (size_t i = 0; i < f->n_rows; i++) {
        place[i] = place_of(t, t->row_device[f->row[i]]);
        first[place[i] + 2]++;
    }
    for (size_t k = 0; k < t->n_devices; k++)
        first[k + 2] += first[k + 1];
    for (size_t i = 0; i < f->n_rows; i++)
        row[first[place[i] + 1]++] = i;
    free(place);
    return 0;
}

/* Those of 'row' with an expected time.  A factor has what the rows were divided by. */
static void take_rows(struct deviation *d, const struct gcal_result_type_fit *t,
                      const struct gcal_result_form_fit *f, const size_t *row, size_t n,
                      const double *expected_s)
{
    d->n = 0;
    for (size_t k = 0; k < n; k++) {
        size_t at = f->row[row[k]];

        if (!isfinite(expected_s[row[k]]))
            continue;
        d->predicted_s[d->n] = expected_s[row[k]];
        d->time_s[d->n++] = t->row_time_s[at] * t->row_scale[at];
    }
}

/* 'common_s': of each row, from find_common(); 'raw': 2 x n_devices. */
static int find_raw(struct gcal_result_type_fit *t, const struct gcal_result_form_fit *f,
                    const size_t *row, const size_t *first, const double *common_s,
                    double *raw, struct gcal_error *err)
{
    struct deviation d = { .predicted_s = calloc(f->n_rows + 1, sizeof(double)),
                           .time_s = calloc(f->n_rows + 1, sizeof(double)) };
    int rc = d.predicted_s && d.time_s ? 0 : gcal_error_memory(err);

    for (size_t k = 0; k < t->n_devices && rc == 0; k++) {
        const size_t *own = &row[first[k]];
        size_t n = first[k + 1] - first[k];

        take_rows(&d, t, f, own, n, common_s);
        if (d.n < 2) /* a single row has no standard error */
            take_rows(&d, t, f, own, n, f->fit.predicted_s);
        rc = gcal_fit_deviation(d.predicted_s, d.time_s, d.n, &raw[k],
                                &raw[t->n_devices + k], err);
    }
    free(d.predicted_s);
    free(d.time_s);
    return rc;
}

static int deviate(struct gcal_result_type_fit *t, const struct gcal_result_form_fit *f,
                   double *raw, struct gcal_error *err)
{
    size_t *row = calloc(f->n_rows + 1, sizeof(*row));
    size_t *first = calloc(t->n_devices + 2, sizeof(*first));
    double *common_s = calloc(f->n_rows + 1, sizeof(*common_s));
    int rc = row && first && common_s ? sort_rows(t, f, row, first, err)
                                      : gcal_error_memory(err);

    if (rc == 0)
        rc = find_common(t, f, common_s, err);
    if (rc == 0)
        rc = find_raw(t, f, row, first, common_s, raw, err);
    free(row);
    free(first);
    free(common_s);
    return rc;
}

/* A device with a row or none is not known by its type: it may be any of them. */
static void forget_unknown(struct gcal_result_type_fit *t, const double *raw_error)
{
    for (size_t k = 0; k < t->n_devices; k++)
        if (!isfinite(raw_error[k]))
            t->factor[k] = t->factor_error[k] = NAN;
}

/* Of the mean over the devices, as their errors are independent. */
static double mean_shared_error(const struct gcal_result_type_fit *t,
                                const struct gcal_result_speeds *speeds)
{
    double squares = 0;

    for (size_t k = 0; k < t->n_devices; k++)
        squares += pow(gcal_result_shared_error(speeds, t->device[k]), 2);
    return t->n_devices ? sqrt(squares) / (double)t->n_devices : 0;
}

/* Two devices that differ by as much: which one is wrong nobody can tell. */
#define LEAST_DIFFERENCE 1.15

static int warn_of_two(struct gcal_result_type_fit *t, struct gcal_error *err)
{
    double ratio = t->factor[1] / t->factor[0];
    char **grown;

    if (t->n_devices != 2 || !(fmax(ratio, 1 / ratio) >= LEAST_DIFFERENCE))
        return 0;
    if (!(grown = realloc(t->warnings, (t->n_warnings + 1) * sizeof(*grown))))
        return gcal_error_memory(err);
    t->warnings = grown;
    grown[t->n_warnings] = gcal_buf_format(
        "warning: of the two devices one takes %.3g times as long as the other; which of "
        "them is wrong, if one is, two cannot tell: each has its factor",
        fmax(ratio, 1 / ratio));
    return grown[t->n_warnings++] ? 0 : gcal_error_memory(err);
}

int gcal_result_find_deviations(struct gcal_result_type_fit *t,
                                const struct gcal_result_speeds *speeds,
                                struct gcal_error *err)
{
    double *raw, *raw_error;
    int rc;

    if (list_devices(t, err) < 0)
        return -1;
    if (!t->good)
        return 0;
    if (t->n_devices == 1) { /* the fit is its own */
        t->factor[0] = 1;
        t->factor_error[0] = t->shared_error =
            gcal_result_shared_error(speeds, t->device[0]);
        return 0;
    }
    if (!(raw = calloc(2 * t->n_devices + 1, sizeof(*raw))))
        return gcal_error_memory(err);
    raw_error = raw + t->n_devices;
    t->shared_error = mean_shared_error(t, speeds);
    if ((rc = deviate(t, &t->forms[t->best], raw, err)) == 0) {
        gcal_fit_shrink(t->n_devices, raw, raw_error, t->factor, t->factor_error,
                        &t->between);
        /* It is no reason to shrink the factor, which is that of the speed that was measured. */
        for (size_t k = 0; k < t->n_devices; k++)
            t->factor_error[k] =
                hypot(t->factor_error[k],
                      t->factor[k] * gcal_result_shared_error(speeds, t->device[k]));
        forget_unknown(t, raw_error);
        rc = warn_of_two(t, err);
    }
    free(raw);
    return rc;
}

/* A cost, and not an exponent or a capacity. */
static bool is_cost(const struct gcal_model_parameter *parameter)
{
    return strcmp(parameter->unit, "s") == 0;
}

void gcal_result_widen(struct gcal_result_type_fit *t,
                       const struct gcal_config_model *config,
                       const struct gcal_result_speeds *speeds)
{
    const struct gcal_model *model = config->forms[t->best].model;
    struct gcal_fit *fit = &t->forms[t->best].fit;
    size_t n = model->n_parameters;

    for (size_t j = 0; j < n && t->good; j++) {
        if (!is_cost(&model->parameters[j]))
            continue;
        fit->standard_error[j] =
            hypot(fit->standard_error[j], t->shared_error * fit->value[j]);
        for (size_t k = 0; k < t->n_devices; k++)
            t->estimate_error[k * n + j] = hypot(
                t->estimate_error[k * n + j],
                gcal_result_shared_error(speeds, t->device[k]) * t->estimate[k * n + j]);
    }
}
