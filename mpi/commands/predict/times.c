/* times.c - kernels with measured times from a file of 'gpucal kernels --run --csv' */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/units.h"
#include "calib/plan/plan.h"
#include "calib/select/select.h"
#include "mpi/cli/catalogue.h"
#include "mpi/cli/csv_table.h"
#include "mpi/commands/predict/catalogue_kernel.h"
#include "mpi/commands/predict/evaluate.h"

struct columns {
    size_t generator, arguments, time, spread, samples, status, detail, device, registers,
        private_bytes;
};

struct reading {
    const struct gcal_evaluation_targets *targets;
    struct gcal_csv_table table;
    struct columns columns;
    struct gcal_catalogue *catalogue;
    struct gcal_kernel_limits limits;
    struct gcal_measured_kernels *measured;
};

static int find_columns(struct reading *r, struct gcal_error *err)
{
    const struct gcal_csv_table *t = &r->table;

    r->columns =
        (struct columns){ .generator = gcal_csv_table_find(t, "generator"),
                          .arguments = gcal_csv_table_find(t, "arguments"),
                          .time = gcal_csv_table_find(t, "time_s"),
                          .spread = gcal_csv_table_find(t, "spread"),
                          .samples = gcal_csv_table_find(t, "samples"),
                          .status = gcal_csv_table_find(t, "status"),
                          .detail = gcal_csv_table_find(t, "detail"),
                          .device = gcal_csv_table_find(t, "device"),
                          .registers = gcal_csv_table_find(t, "registers"),
                          .private_bytes = gcal_csv_table_find(t, "private_bytes") };
    if (r->columns.generator < t->n_columns && r->columns.arguments < t->n_columns &&
        r->columns.time < t->n_columns)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "%s:1: expected the columns generator, arguments and time_s, "
                          "as 'gpucal kernels --run --csv' writes them",
                          t->name);
}

static const char *cell(const struct reading *r, size_t row, size_t column)
{
    return gcal_csv_table_cell(&r->table, row, column);
}

/* ---- the time of a row ---- */

static int bad_cell(const struct reading *r, size_t row, size_t column,
                    const char *expected, struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EINPUT, "%s:%zu: %s '%s': expected %s", r->table.name,
                          r->table.lines[row], r->table.cells[column],
                          cell(r, row, column), expected);
}

/* A number that is not negative; NaN for an empty cell. */
static int read_number(const struct reading *r, size_t row, size_t column, double *value,
                       struct gcal_error *err)
{
    const char *text = cell(r, row, column);
    char *end;

    *value = NAN;
    if (!*text)
        return 0;
    *value = gcal_units_parse_number(text, &end);
    if (*end || !(*value >= 0) || isinf(*value))
        return bad_cell(r, row, column, "a number", err);
    return 0;
}

static int read_status(const struct reading *r, size_t row,
                       enum gcal_measurement_status *status, struct gcal_error *err)
{
    const char *text = cell(r, row, r->columns.status);

    for (int s = GCAL_MEASUREMENT_GOOD; s <= GCAL_MEASUREMENT_BAD_EVENTS; s++) {
        *status = (enum gcal_measurement_status)s;
        if (!*text || strcmp(text, gcal_measurement_status_name(*status)) == 0)
            return 0;
    }
    return bad_cell(r, row, r->columns.status, "good, or the reason for no time", err);
}

static int read_time(const struct reading *r, size_t row, struct gcal_measured_kernel *k,
                     struct gcal_error *err)
{
    const char *detail = cell(r, row, r->columns.detail);
    double samples, registers, bytes;

    if (read_number(r, row, r->columns.time, &k->time_s, err) < 0 ||
        read_number(r, row, r->columns.spread, &k->spread, err) < 0 ||
        read_number(r, row, r->columns.samples, &samples, err) < 0 ||
        read_status(r, row, &k->status, err) < 0)
        return -1;
    if (k->status == GCAL_MEASUREMENT_GOOD && !(k->time_s > 0))
        return bad_cell(r, row, r->columns.time, "a time in seconds, above 0", err);
    k->measured = true;
    k->n_samples = samples < 1e9 ? (size_t)samples : 1; /* NaN: not known */
    k->detail = *detail ? gcal_arena_strdup(r->targets->arena, detail) : NULL;
    /* What the driver said of the built kernel; an empty cell: nothing. */
    if (read_number(r, row, r->columns.registers, &registers, err) < 0 ||
        read_number(r, row, r->columns.private_bytes, &bytes, err) < 0)
        return -1;
    k->built.registers = registers < 1e6 ? (uint64_t)registers : 0;
    k->built.private_bytes = bytes < 1e12 ? (uint64_t)bytes : 0;
    return 0;
}

/* ---- the kernel of a row ---- */

/* A kernel that cannot be counted has names only: all of it is the variant. */
static int count_kernel(const struct reading *r, const char *name, const char *generator,
                        struct gcal_measured_kernel *k, struct gcal_error *err)
{
    struct gcal_kernel_list list = { 0 };
    struct gcal_kernel *kernel;
    struct gcal_run_kernel counted;
    struct gcal_error why = { 0 };
    int rc = 0;

    if (gcal_catalogue_kernel_find(r->catalogue, name, &r->limits, &list, &kernel, &why) <
        0) {
        k->kernel.name = strdup(name);
        k->kernel.generator = strdup(generator);
        k->kernel.variant = strdup(name);
        k->uncounted = gcal_arena_strdup(r->targets->arena, why.text);
        if (!k->kernel.name || !k->kernel.generator || !k->kernel.variant)
            rc = gcal_error_memory(err);
    } else if ((rc = gcal_plan_record_kernel(r->targets->arena, kernel, &counted, err)) ==
               0)
        rc = gcal_run_kernel_copy(&k->kernel, &counted, err);
    gcal_kernel_list_clear(&list);
    return rc < 0 ? -1 : gcal_evaluation_add_use(r->targets, k, err);
}

static int take_row(const struct reading *r, size_t row, struct gcal_error *err)
{
    const char *device = cell(r, row, r->columns.device);
    const char *generator = cell(r, row, r->columns.generator);
    const char *arguments = cell(r, row, r->columns.arguments);
    const char *name = gcal_arena_format(r->targets->arena, "%s%s%s", generator,
                                         *arguments ? " " : "", arguments);
    struct gcal_measured_kernel *k;
    struct gcal_generator_view view;

    if (*device && strcmp(device, r->targets->published->info.name) != 0)
        return 0;
    if (!gcal_catalogue_kernel_generator(r->catalogue, generator, &view))
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s:%zu: no kernel of the catalogue is called '%s'; "
                              "--catalogue names the folder of others",
                              r->table.name, r->table.lines[row], generator);
    if (!gcal_evaluation_has_tags(r->targets, name, view.n_tags, view.tags))
        return 0;
    k = gcal_measured_kernels_add(r->measured);
    return read_time(r, row, k, err) < 0 ? -1 : count_kernel(r, name, generator, k, err);
}

/* ---- all rows ---- */

static int take_rows(struct reading *r, struct gcal_error *err)
{
    const struct gcal_evaluation_targets *t = r->targets;
    const struct gcal_device_info *info = &t->published->info;
    size_t before = r->measured->n;

    if (find_columns(r, err) < 0)
        return -1;
    r->limits = gcal_select_device_limits(info);
    r->limits.counting = gcal_evaluation_counting(t, t->model, info);
    r->limits.counting.at_sizes = true;
    if (!(r->catalogue = gcal_command_catalogue_open_for(t->catalogue, t->config, err)))
        return -1;
    for (size_t i = 0; i < r->table.n_rows; i++)
        if (take_row(r, i, err) < 0)
            return -1;
    if (r->measured->n > before)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT, "%s: no kernel that %s%s%s", r->table.name,
                          t->n_tags ? "the tags select and that " : "", info->name,
                          " ran");
}

int gcal_evaluation_read_times(const struct gcal_evaluation_targets *targets,
                               const char *file, struct gcal_measured_kernels *measured,
                               struct gcal_error *err)
{
    struct reading r = { .targets = targets, .measured = measured };
    int rc = gcal_csv_table_read(file, &r.table, err);

    if (rc == 0)
        rc = take_rows(&r, err);
    gcal_catalogue_close(r.catalogue);
    gcal_csv_table_clear(&r.table);
    return rc;
}
