/* rows.c - rows of a fit from a record: times and feature values */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/binding.h"
#include "kernels/model/profile.h"
#include "calib/results/private.h"

int gcal_result_median_time(const struct gcal_measurement *m, double *time_s,
                            double *spread, struct gcal_error *err)
{
    if (m->samples)
        return gcal_fit_median_time(m->samples, m->n_samples, time_s, spread, err);
    *time_s = m->median_s;
    *spread = m->spread;
    return 0;
}

/* 0 with 'row' filled; 1 if the measurement is not fitted; -1. */
static int read_row(const struct gcal_record *record, const struct gcal_measurement *m,
                    struct gcal_result_row *row, struct gcal_error *err)
{
    int rc;

    if (m->status != GCAL_MEASUREMENT_GOOD || !m->n_samples ||
        record->devices[row->device].failure)
        return 1;
    row->n_samples = m->n_samples;
    row->built = m->built;
    row->scale = 1;
    rc = gcal_result_median_time(m, &row->time_s, &row->spread, err);
    if (rc == 0 && !(row->time_s > 0 && isfinite(row->time_s)))
        rc = 1;
    return rc;
}

static int by_kernel_and_device(const void *a, const void *b)
{
    const struct gcal_result_row *x = a, *y = b;

    if (x->kernel != y->kernel)
        return x->kernel < y->kernel ? -1 : 1;
    return (x->device > y->device) - (x->device < y->device);
}

static int add_row(struct gcal_result_rows *rows, const struct gcal_result_row *row,
                   struct gcal_error *err)
{
    struct gcal_result_row *grown =
        gcal_array_grow(rows->rows, rows->n, &rows->capacity, sizeof(*grown), err);

    if (!grown)
        return -1;
    rows->rows = grown;
    grown[rows->n++] = *row;
    return 0;
}

/* Launches are short only if they take less than this share of the longest of their family.
 */
#define SHORT_SHARE 0.25

static bool is_checked(const struct gcal_run_kernel *kernel)
{
    for (size_t i = 0; i < kernel->uses.n; i++)
        if (kernel->uses.items[i].role != GCAL_KERNEL_CHECK)
            return false;
    return true;
}

/* ---- short launches ---- */

static int by_family(const void *a, const void *b)
{
    const struct gcal_run_kernel *const *x = a, *const *y = b;

    return strcmp((*x)->family ? (*x)->family : "", (*y)->family ? (*y)->family : "");
}

/* Numbers the families of the kernels: the caller's to free. */
static size_t *number_families(const struct gcal_record *record, size_t *n_families,
                               struct gcal_error *err)
{
    size_t n = record->n_kernels;
    const struct gcal_run_kernel **sorted = calloc(n + 1, sizeof(*sorted));
    size_t *family = calloc(n + 1, sizeof(*family));

    if (!sorted || !family) {
        free(sorted);
        free(family);
        gcal_error_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        sorted[i] = &record->kernels[i];
    if (n)
        qsort(sorted, n, sizeof(*sorted), by_family);
    *n_families = 0;
    for (size_t i = 0; i < n; i++) {
        *n_families += i && by_family(&sorted[i - 1], &sorted[i]) != 0;
        family[sorted[i] - record->kernels] = *n_families;
    }
    ++*n_families;
    free(sorted);
    return family;
}

/* Of derived kernels and of target kernels that are checked: microbenchmarks are short on
 * purpose.
 */
static bool may_be_brief(const struct gcal_run_kernel *kernel,
                         const struct gcal_result_row *row)
{
    return kernel->family && row->time_s < GCAL_RESULT_SHORT_S &&
           (kernel->origin.form != GCAL_KERNEL_COMPLETE || is_checked(kernel));
}

/* By the longest launch of the family on the device. */
static int find_brief(const struct gcal_record *record, struct gcal_result_rows *rows,
                      struct gcal_error *err)
{
    size_t n_devices = record->n_devices, n_families = 0;
    size_t *family = number_families(record, &n_families, err);
    double *longest_s = calloc(n_families * n_devices + 1, sizeof(*longest_s));
    int rc = longest_s ? 0 : gcal_error_memory(err);

    if (!family)
        rc = -1;
    for (size_t i = 0; i < rows->n && rc == 0; i++) {
        const struct gcal_result_row *row = &rows->rows[i];
        double *longest = &longest_s[family[row->kernel] * n_devices + row->device];

        *longest = fmax(*longest, row->time_s);
    }
    for (size_t i = 0; i < rows->n && rc == 0; i++) {
        struct gcal_result_row *row = &rows->rows[i];

        row->brief =
            may_be_brief(&record->kernels[row->kernel], row) &&
            row->time_s <
                SHORT_SHARE * longest_s[family[row->kernel] * n_devices + row->device];
    }
    free(family);
    free(longest_s);
    return rc;
}

/* Without a kernel: its speed is largely the host's. */
static bool is_copy(const struct gcal_run_kernel *kernel)
{
    return !*kernel->entry;
}

/* 'visits' gets the visits of all good measurements but those of copies; NULL: not wanted. */
static int read_all(const struct gcal_record *record,
                    const struct gcal_result_speeds *speeds,
                    struct gcal_result_visits *visits, struct gcal_result_rows *rows,
                    struct gcal_error *err)
{
    size_t count = record->n_measurements;
    int rc = 0;

    for (size_t i = 0; i < count && rc >= 0; i++) {
        struct gcal_result_row row = { 0 };
        struct gcal_measurement m = { 0 };
        const struct gcal_result_speed *speed;

        rc = gcal_record_measurement(record, i, &m, &row.device, &row.kernel, err);
        if (rc == 0 && (speed = gcal_result_speed_of(speeds, row.device)))
            gcal_result_drop_early(&m, speed->since);
        if (rc == 0)
            rc = read_row(record, &m, &row, err);
        if (rc == 0 && visits && !is_copy(&record->kernels[row.kernel]))
            rc = gcal_result_visits_add(visits, row.device, row.kernel, &m, err);
        if (rc == 0)
            rc = add_row(rows, &row, err);
        gcal_measurement_clear(&m);
    }
    return rc < 0 ? -1 : 0;
}

static bool drops_any(const struct gcal_result_speeds *speeds)
{
    for (size_t i = 0; i < speeds->n; i++)
        if (speeds->items[i].drops)
            return true;
    return false;
}

/* All of them, and again without the early ones of devices whose speed changed. */
static int read_counting(const struct gcal_record *record,
                         struct gcal_result_speeds *speeds, struct gcal_result_rows *rows,
                         struct gcal_error *err)
{
    struct gcal_result_visits visits = { 0 };
    int rc = gcal_result_visits_init(&visits, record->n_devices, err);

    if (rc == 0)
        rc = read_all(record, speeds, &visits, rows, err);
    if (rc == 0)
        rc = gcal_result_find_speeds(record, &visits, speeds, err);
    if (rc == 0 && drops_any(speeds)) {
        rows->n = 0;
        rc = read_all(record, speeds, NULL, rows, err);
    }
    gcal_result_visits_clear(&visits);
    return rc;
}

int gcal_result_rows_read(const struct gcal_record *record, struct gcal_result_rows *rows,
                          struct gcal_result_speeds *speeds, struct gcal_error *err)
{
    struct gcal_result_speeds found = { 0 };
    int rc = read_counting(record, &found, rows, err);

    if (rc == 0 && rows->n)
        qsort(rows->rows, rows->n, sizeof(*rows->rows), by_kernel_and_device);
    if (rc == 0)
        rc = find_brief(record, rows, err);
    if (rc == 0 && speeds)
        *speeds = found;
    else
        gcal_result_speeds_clear(&found);
    if (rc < 0) {
        free(rows->rows);
        *rows = (struct gcal_result_rows){ 0 };
    }
    return rc;
}

/* Sets 'target' and 'fallback'; false if the model does not use the kernel. */
static bool is_wanted(const struct gcal_run_kernel *kernel,
                      const struct gcal_config_model *model, struct gcal_result_row *row)
{
    const struct gcal_kernel_uses *uses = &kernel->uses;
    bool fitted = gcal_kernel_uses_have(uses, model->name, GCAL_KERNEL_FITTED) ||
                  gcal_strings_contain(&model->recorded, kernel->id);

    row->target = !fitted && gcal_kernel_uses_have(uses, model->name, GCAL_KERNEL_TARGET);
    row->fallback = !fitted && !row->target &&
                    gcal_kernel_uses_have(uses, model->name, GCAL_KERNEL_CHECK) &&
                    kernel->origin.form == GCAL_KERNEL_MEMORY;
    return fitted || row->target || row->fallback;
}

int gcal_result_rows_pick(const struct gcal_record *record,
                          const struct gcal_result_rows *all, const char *type,
                          const struct gcal_config_model *model,
                          struct gcal_result_rows *picked, struct gcal_error *err)
{
    *picked = (struct gcal_result_rows){ .rows = calloc(all->n + 1, sizeof(*all->rows)) };
    if (!picked->rows)
        return gcal_error_memory(err);
    for (size_t i = 0; i < all->n; i++) {
        struct gcal_result_row row = all->rows[i];
        const struct gcal_run_device *device = &record->devices[row.device];
        const struct gcal_device_info *info = &device->info;

        if (strcmp(info->type, type) == 0 && gcal_config_model_applies(model, info) &&
            !gcal_run_device_keeps(device, model->name) &&
            is_wanted(&record->kernels[row.kernel], model, &row))
            picked->rows[picked->n++] = row;
    }
    return 0;
}

/* The features of one kernel, built so, on such devices. */
static int kernel_features(const struct gcal_run_kernel *kernel,
                           const struct gcal_built *built, const struct gcal_model *model,
                           const struct gcal_binding_device *device, double *values,
                           struct gcal_error *err)
{
    struct gcal_profile *profile = gcal_run_kernel_profile(kernel, err);
    struct gcal_binding *binding = NULL;
    int rc = -1;

    if (profile && gcal_built_set(profile, device->type, built, err) == 0)
        binding =
            gcal_binding_create_on(profile, model->n_features,
                                   (const char *const *)model->features, device, err);
    if (binding)
        rc = gcal_binding_eval(binding, kernel->size_values, values, err);
    if (rc < 0)
        gcal_error_prefix(err, "%s", kernel->name);
    gcal_binding_destroy(binding);
    gcal_profile_destroy(profile);
    return rc;
}

static struct gcal_binding_device device_of(const struct gcal_record *record,
                                            const struct gcal_result_row *row)
{
    return gcal_device_info_facts(&record->devices[row->device].info);
}

static bool same_facts(const struct gcal_binding_device *a,
                       const struct gcal_binding_device *b)
{
    return a->sub_group_size == b->sub_group_size &&
           a->compute_units == b->compute_units && a->work_items == b->work_items &&
           a->work_groups == b->work_groups &&
           a->local_memory_bytes == b->local_memory_bytes &&
           a->cache_bytes == b->cache_bytes && a->registers == b->registers;
}

static bool same_built(const struct gcal_built *a, const struct gcal_built *b)
{
    return a->registers == b->registers && a->private_bytes == b->private_bytes;
}

bool gcal_result_have_same_features(const struct gcal_record *record,
                                    const struct gcal_result_row *a,
                                    const struct gcal_result_row *b)
{
    const struct gcal_binding_device of_a = device_of(record, a);
    const struct gcal_binding_device of_b = device_of(record, b);

    return same_facts(&of_a, &of_b) && same_built(&a->built, &b->built) &&
           a->brief == b->brief && a->target == b->target && a->fallback == b->fallback;
}

double *gcal_result_features(const struct gcal_record *record,
                             const struct gcal_model *model,
                             const struct gcal_result_rows *rows, struct gcal_error *err)
{
    size_t n = model->n_features;
    double *values = calloc(rows->n * n + 1, sizeof(*values));
    struct gcal_binding_device device = { 0 }, before;

    if (!values) {
        gcal_error_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < rows->n; i++) {
        const struct gcal_result_row *row = &rows->rows[i];

        /* Rows are sorted by kernel, and most devices of a type are alike. */
        before = device;
        device = device_of(record, row);
        if (i && row->kernel == row[-1].kernel && same_facts(&device, &before) &&
            same_built(&row->built, &row[-1].built)) {
            memcpy(&values[i * n], &values[(i - 1) * n], n * sizeof(*values));
            continue;
        }
        if (kernel_features(&record->kernels[row->kernel], &row->built, model, &device,
                            &values[i * n], err) < 0) {
            free(values);
            return NULL;
        }
    }
    return values;
}

/* ---- by device ---- */

void gcal_result_by_device_clear(struct gcal_result_by_device *sorted)
{
    free(sorted->row);
    free(sorted->first);
}

int gcal_result_sort_by_device(const struct gcal_record *record,
                               const struct gcal_result_rows *rows,
                               struct gcal_result_by_device *sorted,
                               struct gcal_error *err)
{
    size_t n = record->n_devices;

    sorted->row = calloc(rows->n + 1, sizeof(*sorted->row));
    sorted->first = calloc(n + 2, sizeof(*sorted->first));
    if (!sorted->row || !sorted->first)
        return gcal_error_memory(err);
    for (size_t i = 0; i < rows->n; i++)
        sorted->first[rows->rows[i].device + 2]++;
    for (size_t d = 0; d < n; d++)
        sorted->first[d + 2] += sorted->first[d + 1];
    for (size_t i = 0; i < rows->n; i++)
        sorted->row[sorted->first[rows->rows[i].device + 1]++] = i;
    return 0;
}
