/* rows.c - rows of a fit from a record: times and feature values */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/median.h"
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

/* 'visits' gets the visits of all good measurements but those of copies; NULL: not wanted. */
static int read_all(const struct gcal_record *record,
                    const struct gcal_result_speeds *speeds,
                    struct gcal_result_visits *visits, struct gcal_result_rows *rows,
                    struct gcal_error *err)
{
    rows->n = 0;
    for (size_t i = 0; i < record->n_measurements; i++) {
        struct gcal_result_row row = { 0 };
        struct gcal_measurement m = { 0 };
        const struct gcal_result_speed *speed;
        int rc = gcal_record_measurement(record, i, &m, &row.device, &row.kernel, err);

        if (rc == 0 && (speed = gcal_result_speed_of(speeds, row.device)))
            gcal_result_drop_early(&m, speed->since);
        if (rc == 0)
            rc = read_row(record, &m, &row, err);
        /* The speed of a copy, without a kernel, is largely the host's. */
        if (rc == 0 && visits && *record->kernels[row.kernel].entry)
            rc = gcal_result_visits_add(visits, row.device, row.kernel, &m, err);
        if (rc == 0)
            rows->rows[rows->n++] = row;
        gcal_measurement_clear(&m);
        if (rc < 0)
            return -1;
    }
    return 0;
}

int gcal_result_rows_read(struct gcal_arena *arena, const struct gcal_record *record,
                          struct gcal_result_rows *rows,
                          struct gcal_result_speeds *speeds, struct gcal_error *err)
{
    struct gcal_arena *scratch = gcal_arena_create();
    struct gcal_result_visits visits = {
        .arena = scratch,
        .devices = gcal_arena_alloc(scratch, record->n_devices, sizeof(*visits.devices))
    };
    bool drops = false;
    int rc;

    *speeds = (struct gcal_result_speeds){ 0 };
    rows->rows = gcal_arena_alloc(arena, record->n_measurements, sizeof(*rows->rows));
    rc = read_all(record, speeds, &visits, rows, err);
    if (rc == 0)
        gcal_result_find_speeds(arena, record, &visits, speeds);
    for (size_t i = 0; i < speeds->n; i++)
        drops = drops || speeds->items[i].drops;
    if (rc == 0 && drops) /* again, without what was before */
        rc = read_all(record, speeds, NULL, rows, err);
    gcal_arena_destroy(scratch);
    if (rc < 0)
        return -1;
    qsort(rows->rows, rows->n, sizeof(*rows->rows), by_kernel_and_device);
    return 0;
}

/* Returns whether the model is fitted to the kernel. */
static bool is_fitted(const struct gcal_run_kernel *kernel,
                      const struct gcal_config_model *model)
{
    bool fitted = gcal_kernel_uses_have(&kernel->uses, model->name, GCAL_KERNEL_FITTED);

    for (size_t i = 0; i < model->n_recorded; i++)
        fitted = fitted || strcmp(model->recorded[i], kernel->id) == 0;
    return fitted;
}

struct gcal_result_rows gcal_result_rows_pick(struct gcal_arena *arena,
                                              const struct gcal_record *record,
                                              const struct gcal_result_rows *all,
                                              const char *type,
                                              const struct gcal_config_model *model)
{
    struct gcal_result_rows picked = { .rows = gcal_arena_alloc(arena, all->n,
                                                                sizeof(*all->rows)) };

    for (size_t i = 0; i < all->n; i++) {
        const struct gcal_result_row *row = &all->rows[i];
        const struct gcal_run_device *device = &record->devices[row->device];

        if (strcmp(device->info.type, type) == 0 &&
            gcal_config_model_applies(model, &device->info) &&
            !gcal_run_device_keeps(device, model->name) &&
            is_fitted(&record->kernels[row->kernel], model))
            picked.rows[picked.n++] = *row;
    }
    return picked;
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

/* Returns whether two rows of a kernel have the same features. */
static bool have_same_features(const struct gcal_record *record,
                               const struct gcal_result_row *a,
                               const struct gcal_result_row *b)
{
    const struct gcal_binding_device of_a = device_of(record, a);
    const struct gcal_binding_device of_b = device_of(record, b);

    return same_facts(&of_a, &of_b) && same_built(&a->built, &b->built);
}

double *gcal_result_features(struct gcal_arena *arena, const struct gcal_record *record,
                             const struct gcal_model *model,
                             const struct gcal_result_rows *rows, struct gcal_error *err)
{
    size_t n = model->n_features;
    double *values = gcal_arena_alloc(arena, rows->n * n, sizeof(*values));
    struct gcal_binding_device device = { 0 }, before;

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
                            &values[i * n], err) < 0)
            return NULL;
    }
    return values;
}

/* ---- by device ---- */

struct gcal_result_by_device
gcal_result_sort_by_device(struct gcal_arena *arena, const struct gcal_record *record,
                           const struct gcal_result_rows *rows)
{
    size_t n = record->n_devices;
    struct gcal_result_by_device sorted = {
        .row = gcal_arena_alloc(arena, rows->n, sizeof(*sorted.row)),
        .first = gcal_arena_alloc(arena, n + 2, sizeof(*sorted.first))
    };

    for (size_t i = 0; i < rows->n; i++)
        sorted.first[rows->rows[i].device + 2]++;
    for (size_t d = 0; d < n; d++)
        sorted.first[d + 2] += sorted.first[d + 1];
    for (size_t i = 0; i < rows->n; i++)
        sorted.row[sorted.first[rows->rows[i].device + 1]++] = i;
    return sorted;
}

/* ---- the rows of a kernel on devices that are alike, as one row of a fit
 *
 * The devices of a type share the errors of the model: a thousand of them show no more of it
 * than one does, but less noise.  Times are over the device factors, so what differs between
 * the rows of a kernel is noise, and what single devices do; the median over devices bounds
 * both.
 */

/* The error of a median, in standard errors of a mean of as many (normal deviates). */
#define OF_MEDIAN 1.2533

struct gcal_result_cells gcal_result_cells_find(struct gcal_arena *arena,
                                                const struct gcal_record *record,
                                                const struct gcal_result_rows *rows)
{
    struct gcal_result_cells cells = {
        .rows.rows = gcal_arena_alloc(arena, rows->n, sizeof(*rows->rows)),
        .of_row = gcal_arena_alloc(arena, rows->n, sizeof(*cells.of_row))
    };
    size_t first = 0; /* cell of the row's kernel */

    for (size_t i = 0; i < rows->n; i++) {
        const struct gcal_result_row *row = &rows->rows[i];
        size_t k;

        if (i && row->kernel != row[-1].kernel)
            first = cells.rows.n;
        for (k = first; k < cells.rows.n; k++)
            if (have_same_features(record, &cells.rows.rows[k], row))
                break;
        if (k == cells.rows.n) {
            cells.rows.rows[k] = *row;
            cells.rows.rows[k].n_samples = 0;
            cells.rows.n++;
        }
        cells.rows.rows[k].n_samples += row->n_samples;
        cells.of_row[i] = k;
    }
    /* By the times of the rows of each cell, which are among those of its kernel. */
    double *time_s = gcal_arena_alloc(arena, rows->n, sizeof(double));
    size_t begin = 0, end;
    for (size_t k = 0; k < cells.rows.n; k++) {
        struct gcal_result_row *cell = &cells.rows.rows[k];
        double squares = 0;
        size_t n = 0;

        while (rows->rows[begin].kernel != cell->kernel)
            begin++;
        for (end = begin; end < rows->n && rows->rows[end].kernel == cell->kernel;
             end++) {
            if (cells.of_row[end] != k)
                continue;
            time_s[n++] = rows->rows[end].time_s;
            squares += rows->rows[end].spread * rows->rows[end].spread;
        }
        if (n < 2)
            continue;
        cell->time_s = gcal_median(time_s, n);
        cell->spread = (n > 2 ? OF_MEDIAN : 1) * sqrt(squares) / (double)n;
    }
    return cells;
}
