/* pool.c - which devices of a type are fitted together, and at which scale
 *
 * A device that deviates from most others of its type would move the fit of them all, so it
 * is fitted by itself.  The others' times are divided by their device factors before the fit:
 * fit and factors have the same centre then, and differences between devices neither widen
 * the errors nor choose the form.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "calib/results/private.h"

/* ---- the table ---- */

/* Times of devices by kernel. */
struct table {
    size_t n_devices, n_kernels;
    size_t *device, *kernel; /* indices in the record */
    size_t *place;           /* by device of the record, from 1; 0: it is not there */
    size_t *group;
    double *time_s, *spread; /* n_kernels x n_devices, NaN: not measured */
};

static struct table read_table(struct gcal_arena *arena, const struct gcal_record *record,
                               const struct gcal_result_rows *rows)
{
    struct table t = { .device = gcal_arena_alloc(arena, rows->n, sizeof(*t.device)),
                       .kernel = gcal_arena_alloc(arena, rows->n, sizeof(*t.kernel)),
                       .group = gcal_arena_alloc(arena, rows->n, sizeof(*t.group)),
                       .place =
                           gcal_arena_alloc(arena, record->n_devices, sizeof(*t.place)) };
    size_t *generator = gcal_result_generators(arena, record), k = 0;

    for (size_t i = 0; i < rows->n; i++) {
        const struct gcal_result_row *row = &rows->rows[i];

        if (!t.place[row->device]) {
            t.device[t.n_devices++] = row->device;
            t.place[row->device] = t.n_devices;
        }
        if (!t.n_kernels || t.kernel[t.n_kernels - 1] != row->kernel)
            t.kernel[t.n_kernels++] = row->kernel; /* rows are sorted by kernel */
    }
    t.time_s = gcal_arena_alloc(arena, t.n_kernels * t.n_devices, sizeof(*t.time_s));
    t.spread = gcal_arena_alloc(arena, t.n_kernels * t.n_devices, sizeof(*t.spread));
    for (size_t i = 0; i < t.n_kernels * t.n_devices; i++)
        t.time_s[i] = NAN;
    for (size_t i = 0; i < rows->n; i++) {
        const struct gcal_result_row *row = &rows->rows[i];
        size_t at;

        while (t.kernel[k] != row->kernel)
            k++;
        at = k * t.n_devices + t.place[row->device] - 1;
        t.time_s[at] = row->time_s;
        t.spread[at] = row->spread;
    }
    for (k = 0; k < t.n_kernels; k++)
        t.group[k] = generator[t.kernel[k]];
    for (k = t.n_kernels; k-- > 0;) { /* earlier ones are still the record's */
        size_t i = 0;

        while (i < k && t.group[i] != t.group[k])
            i++;
        t.group[k] = i;
    }
    return t;
}

/* ---- times of a device at sizes that only other devices have measured
 *
 * Each device measures the sizes of a family that take long enough there, so a device that is
 * much slower than the others of its type has few kernels in common with them, or none.  The
 * time of a family is close to a power of its size between its own sizes and not far beyond.
 */

/* A device of which fewer kernels can be compared. */
#define FEW 0.5

/* Not further beyond the sizes that were measured. */
#define MOST_BEYOND 4.0 /* log(55) */
#define MOST_SLOPE  4.0

/* One size of a family on one device. */
struct point {
    double size, time, spread; /* logarithms but for 'spread' */
};

/* Sizes of a family grow together. */
static double log_size(const struct gcal_run_kernel *kernel)
{
    double sum = 0;

    for (size_t i = 0; i < kernel->n_sizes; i++)
        sum += log(kernel->size_values[i]);
    return sum;
}

/* From the two sizes of the device's own that are nearest. */
static bool interpolate(const struct point p[2], double at, double *time_s,
                        double *spread)
{
    double gap = p[0].size - p[1].size, slope, share;

    if (!isfinite(p[1].size) || !(fabs(gap) > 0) || fabs(p[0].size - at) > MOST_BEYOND)
        return false;
    slope = (p[0].time - p[1].time) / gap;
    if (slope < 0 || slope > MOST_SLOPE)
        return false;
    share = (at - p[0].size) / gap;
    *time_s = exp(p[0].time + slope * (at - p[0].size));
    *spread = hypot((1 + fabs(share)) * p[0].spread, share * p[1].spread);
    return true;
}

static bool extrapolate(const struct gcal_record *record, const struct table *t,
                        const double *measured_s, size_t device, size_t kernel,
                        double *time_s, double *spread)
{
    const struct gcal_run_kernel *wanted = &record->kernels[t->kernel[kernel]];
    struct point nearest[2] = { { .size = INFINITY }, { .size = INFINITY } };
    double at = log_size(wanted);

    for (size_t k = 0; k < t->n_kernels; k++) {
        const struct gcal_run_kernel *own = &record->kernels[t->kernel[k]];
        size_t i = k * t->n_devices + device;
        struct point p = { .time = log(measured_s[i]), .spread = t->spread[i] };

        if (isnan(measured_s[i]) || !own->family || !wanted->family ||
            strcmp(own->family, wanted->family) != 0)
            continue;
        p.size = log_size(own);
        if (fabs(p.size - at) < fabs(nearest[0].size - at)) {
            nearest[1] = nearest[0];
            nearest[0] = p;
        } else if (fabs(p.size - at) < fabs(nearest[1].size - at)) {
            nearest[1] = p;
        }
    }
    return isfinite(at) && interpolate(nearest, at, time_s, spread);
}

/* ---- outliers ---- */

static void add_outlier(const struct gcal_record *record, size_t of_record, double ratio,
                        char *text, struct gcal_results *results, size_t model)
{
    const struct gcal_run_device *device = &record->devices[of_record];

    results->outliers =
        gcal_arena_grow(results->arena, results->outliers, results->n_outliers,
                        &results->outliers_capacity, sizeof(*results->outliers));
    results->outliers[results->n_outliers++] = (struct gcal_result_outlier){
        .model = model,
        .device = of_record,
        .ratio = ratio,
        .in_store = record->device_run[of_record]->in_store,
        .node = gcal_arena_strdup(results->arena, device->node),
        .uid = gcal_arena_strdup(results->arena, device->info.uid),
        .text = text
    };
}

static uint64_t sub_group_of(const struct gcal_record *record, const struct table *t,
                             size_t i)
{
    return record->devices[t->device[i]].info.sub_group_size;
}

/* A device that counts its work in other units than those of its type, by sub-groups of another
 * size, has no cost in common with them.
 */
static void add_outliers(const struct gcal_record *record, const struct table *t,
                         const struct gcal_fit_outlier *found,
                         struct gcal_results *results, size_t model)
{
    /* The size of most devices; of sizes that as many have, the largest: a driver may say 1 for
     * want of a better answer.
     */
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

    for (size_t i = 0; i < t->n_devices; i++) {
        const struct gcal_run_device *device = &record->devices[t->device[i]];

        if (device->info.sub_group_size != usual)
            add_outlier(record, t->device[i], 1,
                        gcal_arena_format(
                            results->arena,
                            "%s %s is an outlier among the devices of its type: its "
                            "sub-groups are of %llu work-items, theirs of %llu; it is "
                            "fitted by itself, and not used for them",
                            device->node, device->info.uid,
                            (unsigned long long)device->info.sub_group_size,
                            (unsigned long long)usual),
                        results, model);
        else if (found[i].is_outlier) {
            const char *generator = record->kernels[t->kernel[found[i].worst]].generator;
            bool alone = fabs(log(found[i].far_ratio)) > fabs(log(found[i].worst_ratio));
            char far[60] = "";

            if (alone)
                snprintf(far, sizeof(far), "; %.3g times in %zu kernels",
                         found[i].far_ratio, found[i].n_far);
            add_outlier(record, t->device[i], found[i].ratio,
                        gcal_arena_format(
                            results->arena,
                            "%s %s is an outlier among the devices of its type: it takes "
                            "%.3g times as long as %s (median; %.3g times in kernels of "
                            "%s%s); it is fitted by itself, and not used for them",
                            device->node, device->info.uid, found[i].ratio,
                            t->n_devices == 2
                                ? "the only other one, which is taken for the right one"
                                : "they do",
                            found[i].worst_ratio, generator, far),
                        results, model);
        }
    }
}

void gcal_result_find_outliers(struct gcal_arena *scratch,
                               const struct gcal_record *record,
                               const struct gcal_result_rows *rows, size_t model,
                               struct gcal_results *results)
{
    struct table t = read_table(scratch, record, rows);
    struct gcal_fit_outlier *found =
        gcal_arena_alloc(scratch, t.n_devices, sizeof(*found));
    double *error = gcal_arena_alloc(scratch, t.n_devices, sizeof(*error));
    const struct gcal_fit_devices d = { t.n_devices, t.n_kernels, t.time_s,
                                        t.spread,    t.group,     error };

    /* Fills in times of devices that have few kernels in common with the others, from their own
     * times of other sizes.
     */
    size_t n = t.n_kernels * t.n_devices;
    double *measured_s = gcal_arena_alloc(scratch, n, sizeof(*measured_s));
    bool *apart = gcal_arena_alloc(scratch, t.n_devices, sizeof(*apart));
    memcpy(measured_s, t.time_s, n * sizeof(*measured_s));
    for (size_t i = 0; i < t.n_devices; i++) {
        /* Few of the device's kernels may have been measured on enough others. */
        size_t n_own = 0, n_common = 0, least = t.n_devices > 2 ? 3 : 2;

        for (size_t k = 0; k < t.n_kernels; k++) {
            size_t n_measured = 0;

            if (isnan(t.time_s[k * t.n_devices + i]))
                continue;
            for (size_t j = 0; j < t.n_devices; j++)
                n_measured += !isnan(t.time_s[k * t.n_devices + j]);
            n_own++;
            n_common += n_measured >= least;
        }
        apart[i] = (double)n_common < FEW * (double)n_own;
    }
    for (size_t i = 0; i < n; i++)
        if (isnan(measured_s[i]) && apart[i % t.n_devices])
            extrapolate(record, &t, measured_s, i % t.n_devices, i / t.n_devices,
                        &t.time_s[i], &t.spread[i]);
    for (size_t i = 0; i < t.n_devices; i++)
        /* A device that became slower is off, as its samples are of one speed. */
        error[i] = gcal_result_speed_of(&results->speeds, t.device[i])
                       ? 0
                       : gcal_result_shared_error(&results->speeds, t.device[i]);
    gcal_fit_find_outliers(&d, found);
    add_outliers(record, &t, found, results, model);
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

static void divide(struct gcal_result_rows *rows, const struct table *t,
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

void gcal_result_scale_rows(struct gcal_arena *scratch, const struct gcal_record *record,
                            struct gcal_result_rows *all, struct gcal_result_rows *rows)
{
    struct table t = read_table(scratch, record, rows);
    size_t n = t.n_devices;
    double *common_s = gcal_arena_alloc(scratch, t.n_kernels, sizeof(double));
    double *expected_s = gcal_arena_alloc(scratch, t.n_kernels, sizeof(double));
    double *time_s = gcal_arena_alloc(scratch, t.n_kernels, sizeof(double));
    double *raw = gcal_arena_alloc(scratch, n, 4 * sizeof(*raw)), between;

    if (n < 2)
        return;
    gcal_fit_common_times(t.time_s, t.n_kernels, n, common_s);
    for (size_t i = 0; i < n; i++) {
        size_t taken = 0;

        for (size_t k = 0; k < t.n_kernels; k++) {
            expected_s[taken] = common_s[k];
            time_s[taken] = t.time_s[k * n + i];
            taken += isfinite(expected_s[taken]) && isfinite(time_s[taken]);
        }
        gcal_fit_deviation(expected_s, time_s, taken, &raw[i], &raw[n + i]);
    }
    gcal_fit_shrink(n, raw, raw + n, raw + 2 * n, raw + 3 * n, &between);
    divide(all, &t, raw + 2 * n);
    divide(rows, &t, raw + 2 * n);
}
