/* pool.c - which devices of a type are fitted together, and at which scale
 *
 * A device that deviates from most others of its type would move the fit of them all, so it
 * is fitted by itself.  The others' times are divided by their device factors before the fit:
 * fit and factors have the same centre then, and differences between devices neither widen
 * the errors nor choose the form.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
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
                                     .place = calloc(record->n_devices + 1,
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

/* The caller's to free. */
static char *outlier_text(const struct gcal_record *record,
                          const struct gcal_result_table *t,
                          const struct gcal_run_device *device,
                          const struct gcal_fit_outlier *found)
{
    const char *generator = record->kernels[t->kernel[found->worst]].generator;
    bool alone = fabs(log(found->far_ratio)) > fabs(log(found->worst_ratio));
    char far[60] = "";

    if (alone)
        snprintf(far, sizeof(far), "; %.3g times in %zu kernels", found->far_ratio,
                 found->n_far);
    return gcal_buf_format(
        "%s %s is an outlier among the devices of its type: it takes %.3g times as long "
        "as %s (median; %.3g times in kernels of %s%s); it is fitted by itself, and "
        "not used for them",
        device->node, device->info.uid, found->ratio,
        t->n_devices == 2 ? "the only other one, which is taken for the right one"
                          : "they do",
        found->worst_ratio, generator, far);
}

/* Takes 'text', which may be NULL: memory ran out. */
static int add_outlier(const struct gcal_record *record, size_t of_record, double ratio,
                       char *text, struct gcal_results *results, size_t model,
                       struct gcal_error *err)
{
    const struct gcal_run_device *device = &record->devices[of_record];
    struct gcal_result_outlier *o,
        *grown = realloc(results->outliers, (results->n_outliers + 1) * sizeof(*grown));

    if (!grown) {
        free(text);
        return gcal_error_memory(err);
    }
    results->outliers = grown;
    o = &grown[results->n_outliers++];
    *o =
        (struct gcal_result_outlier){ .model = model,
                                      .device = of_record,
                                      .ratio = ratio,
                                      .in_store = record->device_run[of_record]->in_store,
                                      .node = strdup(device->node),
                                      .uid = strdup(device->info.uid),
                                      .text = text };
    return o->node && o->uid && o->text ? 0 : gcal_error_memory(err);
}

static uint64_t sub_group_of(const struct gcal_record *record,
                             const struct gcal_result_table *t, size_t i)
{
    return record->devices[t->device[i]].info.sub_group_size;
}

/* That of most devices; of sizes that as many have, the largest: a driver may say 1 for want of
 * a better answer.
 */
static uint64_t usual_sub_group(const struct gcal_record *record,
                                const struct gcal_result_table *t)
{
    uint64_t usual = 0;
    size_t most = 0;

    for (size_t i = 0; i < t->n_devices; i++) {
        uint64_t size = sub_group_of(record, t, i);
        size_t n = 0;

        for (size_t k = 0; k < t->n_devices; k++)
            n += sub_group_of(record, t, k) == size;
        if (n > most || (n == most && size > usual)) {
            most = n;
            usual = size;
        }
    }
    return usual;
}

/* A device that counts its work in other units than those of its type, by sub-groups of another
 * size, has no cost in common with them.
 */
static int add_odd_sub_group(const struct gcal_record *record,
                             const struct gcal_result_table *t, size_t i, uint64_t usual,
                             struct gcal_results *results, size_t model,
                             struct gcal_error *err)
{
    const struct gcal_run_device *device = &record->devices[t->device[i]];
    char *text = gcal_buf_format(
        "%s %s is an outlier among the devices of its type: its sub-groups are of %llu "
        "work-items, theirs of %llu; it is fitted by itself, and not used for them",
        device->node, device->info.uid, (unsigned long long)device->info.sub_group_size,
        (unsigned long long)usual);

    return add_outlier(record, t->device[i], 1, text, results, model, err);
}

static int add_outliers(const struct gcal_record *record,
                        const struct gcal_result_table *t,
                        const struct gcal_fit_outlier *found,
                        struct gcal_results *results, size_t model,
                        struct gcal_error *err)
{
    uint64_t usual = usual_sub_group(record, t);
    int rc = 0;

    for (size_t i = 0; i < t->n_devices && rc == 0; i++)
        if (sub_group_of(record, t, i) != usual)
            rc = add_odd_sub_group(record, t, i, usual, results, model, err);
        else if (found[i].is_outlier)
            rc = add_outlier(
                record, t->device[i], found[i].ratio,
                outlier_text(record, t, &record->devices[t->device[i]], &found[i]),
                results, model, err);
    return rc;
}

int gcal_result_find_outliers(const struct gcal_record *record,
                              const struct gcal_result_rows *rows, size_t model,
                              struct gcal_results *results, struct gcal_error *err)
{
    struct gcal_result_table t = { 0 };
    struct gcal_fit_outlier *found = NULL;
    double *error = NULL;
    int rc = read_table(&t, record, rows, err);

    if (rc == 0)
        rc = gcal_result_table_fill(&t, record, err);
    if (rc == 0 && (!(found = calloc(t.n_devices + 1, sizeof(*found))) ||
                    !(error = calloc(t.n_devices + 1, sizeof(*error)))))
        rc = gcal_error_memory(err);
    if (rc == 0) {
        const struct gcal_fit_devices d = { t.n_devices, t.n_kernels, t.time_s,
                                            t.spread,    t.group,     error };

        for (size_t i = 0; i < t.n_devices; i++)
            /* A device that became slower is off, as its samples are of one speed. */
            error[i] = gcal_result_speed_of(&results->speeds, t.device[i])
                           ? 0
                           : gcal_result_shared_error(&results->speeds, t.device[i]);
        rc = gcal_fit_find_outliers(&d, found, err);
    }
    if (rc == 0)
        rc = add_outliers(record, &t, found, results, model, err);
    free(found);
    free(error);
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
    return strcmp(record->devices[device].info.type, t->type) == 0;
}

/* ---- scales ---- */

/* 'raw': 4 x n_devices. */
static int find_factors(const struct gcal_result_table *t, double *raw,
                        struct gcal_error *err)
{
    double *common_s = calloc(3 * t->n_kernels + 1, sizeof(*common_s)), between;
    double *expected_s = common_s + t->n_kernels, *time_s = expected_s + t->n_kernels;
    size_t n = t->n_devices;
    int rc = common_s ? gcal_fit_common_times(t->time_s, t->n_kernels, n, common_s, err)
                      : gcal_error_memory(err);

    for (size_t i = 0; i < n && rc == 0; i++) {
        size_t taken = 0;

        for (size_t k = 0; k < t->n_kernels; k++) {
            expected_s[taken] = common_s[k];
            time_s[taken] = t->time_s[k * n + i];
            taken += isfinite(expected_s[taken]) && isfinite(time_s[taken]);
        }
        rc = gcal_fit_deviation(expected_s, time_s, taken, &raw[i], &raw[n + i], err);
    }
    if (rc == 0)
        gcal_fit_shrink(n, raw, raw + n, raw + 2 * n, raw + 3 * n, &between);
    free(common_s);
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
