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

static int list_devices(struct gcal_result_type_fit *t, struct gcal_error *err)
{
    size_t n = t->n_rows + 1;

    t->device = calloc(n, sizeof(*t->device));
    t->factor = calloc(n, sizeof(*t->factor));
    t->factor_error = calloc(n, sizeof(*t->factor_error));
    if (!t->device || !t->factor || !t->factor_error)
        return gcal_error_memory(err);
    for (size_t i = 0; i < t->n_rows; i++) {
        size_t k = 0;

        while (k < t->n_devices && t->device[k] != t->row_device[i])
            k++;
        if (k == t->n_devices)
            t->device[t->n_devices++] = t->row_device[i];
    }
    for (size_t k = 0; k < t->n_devices; k++)
        t->factor[k] = t->factor_error[k] = NAN;
    t->between = NAN;
    return 0;
}

/* The devices of a type share the errors of the model.  So the expected time of a kernel
 * that all of them measured is the geometric mean of their times.  Rows are sorted by
 * kernel, then by device; NaN for a kernel that some device lacks.
 */
static double mean_of_all(const struct gcal_result_type_fit *t,
                          const struct gcal_result_form_fit *f, size_t i)
{
    size_t kernel = t->row_kernel[f->row[i]], n = 0;
    double logs = 0;

    while (i && t->row_kernel[f->row[i - 1]] == kernel)
        i--;
    for (; i < f->n_rows && t->row_kernel[f->row[i]] == kernel; i++, n++)
        logs += log(t->row_time_s[f->row[i]]);
    return n == t->n_devices ? exp(logs / (double)n) : NAN;
}

/* 'common': kernels that all devices measured; else all, with predicted times.  A factor has
 * what the rows were divided by.
 */
static void take_rows(struct deviation *d, const struct gcal_result_type_fit *t,
                      const struct gcal_result_form_fit *f, size_t device, bool common)
{
    d->n = 0;
    for (size_t i = 0; i < f->n_rows; i++) {
        double expected_s = common ? mean_of_all(t, f, i) : f->fit.predicted_s[i];

        if (t->row_device[f->row[i]] != device || !isfinite(expected_s))
            continue;
        d->predicted_s[d->n] = expected_s;
        d->time_s[d->n++] = t->row_time_s[f->row[i]] * t->row_scale[f->row[i]];
    }
}

/* 'raw': 2 x n_devices. */
static int deviate(struct gcal_result_type_fit *t, const struct gcal_result_form_fit *f,
                   double *raw, struct gcal_error *err)
{
    struct deviation d = { .predicted_s = calloc(f->n_rows + 1, sizeof(double)),
                           .time_s = calloc(f->n_rows + 1, sizeof(double)) };
    int rc = d.predicted_s && d.time_s ? 0 : gcal_error_memory(err);

    for (size_t k = 0; k < t->n_devices && rc == 0; k++) {
        take_rows(&d, t, f, t->device[k], true);
        if (d.n < 2) /* a single row has no standard error */
            take_rows(&d, t, f, t->device[k], false);
        rc = gcal_fit_deviation(d.predicted_s, d.time_s, d.n, &raw[k],
                                &raw[t->n_devices + k], err);
    }
    free(d.predicted_s);
    free(d.time_s);
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
