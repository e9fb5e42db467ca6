/* devices.c - device factors: deviations from the fit of the type */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
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

/* The devices of a type share the errors of the model.  So the expected time of a kernel
 * that all of them measured is the geometric mean of their times.  Rows are sorted by
 * kernel, then by device; NaN for a kernel that some device lacks.
 */
static void find_means(const struct gcal_result_type_fit *t,
                       const struct gcal_result_form_fit *f, double *mean_s)
{
    for (size_t first = 0, end; first < f->n_rows; first = end) {
        size_t kernel = t->row_kernel[f->row[first]];
        double logs = 0, mean;

        for (end = first; end < f->n_rows && t->row_kernel[f->row[end]] == kernel; end++)
            logs += log(t->row_time_s[f->row[end]]);
        mean = end - first == t->n_devices ? exp(logs / (double)(end - first)) : NAN;
        for (size_t i = first; i < end; i++)
            mean_s[i] = mean;
    }
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

/* 'common_s': by kernels that all devices measured; 'raw': 2 x n_devices. */
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

    if (rc == 0) {
        find_means(t, f, common_s);
        rc = find_raw(t, f, row, first, common_s, raw, err);
    }
    free(row);
    free(first);
    free(common_s);
    return rc;
}

int gcal_result_find_deviations(struct gcal_result_type_fit *t, struct gcal_error *err)
{
    double *raw;
    int rc;

    if (list_devices(t, err) < 0)
        return -1;
    if (!t->good)
        return 0;
    if (t->n_devices == 1) { /* the fit is its own */
        t->factor[0] = 1;
        t->factor_error[0] = 0;
        return 0;
    }
    if (!(raw = calloc(2 * t->n_devices + 1, sizeof(*raw))))
        return gcal_error_memory(err);
    if ((rc = deviate(t, &t->forms[t->best], raw, err)) == 0)
        gcal_fit_shrink(t->n_devices, raw, raw + t->n_devices, t->factor, t->factor_error,
                        &t->between);
    free(raw);
    return rc;
}
