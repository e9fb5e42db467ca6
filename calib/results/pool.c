/* pool.c - which devices of a type are fitted together, and at which scale
 *
 * A device that deviates from most others of its type would move the fit of them all, so it
 * is fitted by itself.  The others' times are divided by their device factors before the fit:
 * fit and factors have the same centre then, and differences between devices neither widen
 * the errors nor choose the form.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/results/private.h"

static void table_clear(struct gcal_result_table *t)
{
    free(t->device);
    free(t->kernel);
    free(t->place);
    free(t->group);
    free(t->time_s);
    free(t->spread);
}

/* ---- the table ---- */

static size_t place_of(const size_t *list, size_t n, size_t value)
{
    size_t i = 0;

    while (i < n && list[i] != value)
        i++;
    return i;
}

/* Short launches vary more. */
static bool counts(const struct gcal_result_row *row)
{
    return !row->brief;
}

static int find_groups(struct gcal_result_table *t, const struct gcal_record *record,
                       struct gcal_error *err)
{
    size_t *generator = gcal_result_generators(record, err);

    if (!generator)
        return -1;
    for (size_t k = 0; k < t->n_kernels; k++)
        t->group[k] = generator[t->kernel[k]];
    for (size_t k = t->n_kernels; k-- > 0;) /* earlier ones are still the record's */
        t->group[k] = place_of(t->group, k, t->group[k]);
    free(generator);
    return 0;
}

static int table_init(struct gcal_result_table *t, const struct gcal_record *record,
                      const struct gcal_result_rows *rows, struct gcal_error *err)
{
    *t = (struct gcal_result_table){ .device = calloc(rows->n + 1, sizeof(*t->device)),
                                     .kernel = calloc(rows->n + 1, sizeof(*t->kernel)),
                                     .group = calloc(rows->n + 1, sizeof(*t->group)),
                                     .place = calloc(gcal_record_device_count(record) + 1,
                                                     sizeof(*t->place)) };
    if (!t->device || !t->kernel || !t->group || !t->place)
        return gcal_error_memory(err);
    for (size_t i = 0; i < rows->n; i++) {
        const struct gcal_result_row *row = &rows->rows[i];

        if (!counts(row))
            continue;
        if (!t->place[row->device]) {
            t->device[t->n_devices++] = row->device;
            t->place[row->device] = t->n_devices;
        }
        if (!t->n_kernels || t->kernel[t->n_kernels - 1] != row->kernel)
            t->kernel[t->n_kernels++] = row->kernel; /* rows are sorted by kernel */
    }
    t->time_s = malloc((t->n_kernels * t->n_devices + 1) * sizeof(*t->time_s));
    t->spread = calloc(t->n_kernels * t->n_devices + 1, sizeof(*t->spread));
    if (!t->time_s || !t->spread)
        return gcal_error_memory(err);
    return find_groups(t, record, err);
}

static int read_table(struct gcal_result_table *t, const struct gcal_record *record,
                      const struct gcal_result_rows *rows, struct gcal_error *err)
{
    size_t k = 0;

    if (table_init(t, record, rows, err) < 0)
        return -1;
    for (size_t i = 0; i < t->n_kernels * t->n_devices; i++)
        t->time_s[i] = NAN;
    for (size_t i = 0; i < rows->n; i++) {
        const struct gcal_result_row *row = &rows->rows[i];
        size_t at;

        if (!counts(row))
            continue;
        while (t->kernel[k] != row->kernel)
            k++;
        at = k * t->n_devices + t->place[row->device] - 1;
        t->time_s[at] = row->time_s;
        t->spread[at] = row->spread;
    }
    return 0;
}

/* ---- outliers ---- */

static int add_outlier(const struct gcal_record *record,
                       const struct gcal_result_table *t, size_t i,
                       const struct gcal_fit_outlier *found, struct gcal_results *results,
                       size_t model, struct gcal_error *err)
{
    const struct gcal_run_device *device = gcal_record_device(record, t->device[i]);
    const char *generator =
        gcal_record_kernel(record, t->kernel[found->worst])->generator;
    struct gcal_result_outlier *o,
        *grown = realloc(results->outliers, (results->n_outliers + 1) * sizeof(*grown));

    if (!grown)
        return gcal_error_memory(err);
    results->outliers = grown;
    o = &grown[results->n_outliers++];
    *o = (struct gcal_result_outlier){
        .model = model,
        .device = t->device[i],
        .ratio = found->ratio,
        .in_store = gcal_record_device_header(record, t->device[i])->in_store,
        .node = strdup(device->node),
        .uid = strdup(device->info.uid)
    };
    o->text = gcal_buf_format(
        "%s %s is an outlier among the devices of its type: it takes %.3g times as long "
        "as they do (median; %.3g times in kernels of %s); it is fitted by itself, and "
        "not used for them",
        device->node, device->info.uid, found->ratio, found->worst_ratio, generator);
    return o->node && o->uid && o->text ? 0 : gcal_error_memory(err);
}

int gcal_result_find_outliers(const struct gcal_record *record,
                              const struct gcal_result_rows *rows, size_t model,
                              struct gcal_results *results, struct gcal_error *err)
{
    struct gcal_result_table t = { 0 };
    struct gcal_fit_outlier *found = NULL;
    int rc = read_table(&t, record, rows, err);

    if (rc == 0)
        rc = gcal_result_table_fill(&t, record, err);
    if (rc == 0 && !(found = calloc(t.n_devices + 1, sizeof(*found))))
        rc = gcal_error_memory(err);
    if (rc == 0) {
        const struct gcal_fit_devices d = { t.n_devices, t.n_kernels, t.time_s, t.spread,
                                            t.group };

        rc = gcal_fit_find_outliers(&d, found, err);
    }
    for (size_t i = 0; i < t.n_devices && rc == 0; i++)
        if (found[i].is_outlier)
            rc = add_outlier(record, &t, i, &found[i], results, model, err);
    free(found);
    table_clear(&t);
    return rc;
}

bool gcal_result_is_fit_of(const struct gcal_record *record,
                           const struct gcal_results *results,
                           const struct gcal_result_type_fit *t, size_t device)
{
    if (t->is_outlier)
        return t->outlier == device;
    for (size_t i = 0; i < results->n_outliers; i++)
        if (results->outliers[i].model == t->model &&
            results->outliers[i].device == device)
            return false;
    return strcmp(gcal_record_device(record, device)->info.type, t->type) == 0;
}

/* ---- scales ---- */

/* The geometric mean over devices; NaN for a kernel that some device lacks. */
static double mean_of_all(const struct gcal_result_table *t, size_t k)
{
    double logs = 0;

    for (size_t i = 0; i < t->n_devices; i++)
        logs += log(t->time_s[k * t->n_devices + i]);
    return exp(logs / (double)t->n_devices);
}

/* 'raw': 4 x n_devices. */
static int find_factors(const struct gcal_result_table *t, double *raw,
                        struct gcal_error *err)
{
    double *mean_s = calloc(3 * t->n_kernels + 1, sizeof(*mean_s)), between;
    double *expected_s = mean_s + t->n_kernels, *time_s = expected_s + t->n_kernels;
    size_t n = t->n_devices;
    int rc = mean_s ? 0 : gcal_error_memory(err);

    for (size_t k = 0; k < t->n_kernels && rc == 0; k++)
        mean_s[k] = mean_of_all(t, k);

    for (size_t i = 0; i < n && rc == 0; i++) {
        size_t taken = 0;

        for (size_t k = 0; k < t->n_kernels; k++) {
            expected_s[taken] = mean_s[k];
            time_s[taken] = t->time_s[k * n + i];
            taken += isfinite(expected_s[taken]);
        }
        rc = gcal_fit_deviation(expected_s, time_s, taken, &raw[i], &raw[n + i], err);
    }
    if (rc == 0)
        gcal_fit_shrink(n, raw, raw + n, raw + 2 * n, raw + 3 * n, &between);
    free(mean_s);
    return rc;
}

static void divide(struct gcal_result_rows *rows, const struct gcal_result_table *t,
                   const double *factor)
{
    for (size_t i = 0; i < rows->n; i++) {
        struct gcal_result_row *row = &rows->rows[i];
        size_t place = t->place[row->device];

        if (!place)
            continue;
        row->scale = factor[place - 1];
        row->time_s /= factor[place - 1];
    }
}

int gcal_result_scale_rows(const struct gcal_record *record, struct gcal_result_rows *all,
                           struct gcal_result_rows *rows, struct gcal_error *err)
{
    struct gcal_result_table t = { 0 };
    double *raw = NULL;
    int rc = read_table(&t, record, rows, err);

    if (rc == 0 && t.n_devices > 1) {
        if (!(raw = calloc(4 * t.n_devices, sizeof(*raw))))
            rc = gcal_error_memory(err);
        if (rc == 0)
            rc = find_factors(&t, raw, err);
        if (rc == 0) {
            divide(all, &t, raw + 2 * t.n_devices);
            divide(rows, &t, raw + 2 * t.n_devices);
        }
    }
    free(raw);
    table_clear(&t);
    return rc;
}
