/* times.c - kernels with measured times from a file of 'gpucal kernels --run --csv' */
#include "mpi/commands/predict/times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/units.h"
#include "calib/config/config.h"
#include "calib/plan/plan.h"
#include "calib/select/select.h"
#include "mpi/cli/catalogue.h"
#include "mpi/cli/csv_table.h"
#include "mpi/commands/predict/catalogue_kernel.h"
#include "mpi/commands/predict/tag_filter.h"

struct columns {
    size_t generator, arguments, time, spread, samples, status, detail, device, registers,
        private_bytes;
};

struct reading {
    const struct gcal_evaluation_targets *targets;
    const struct gcal_device_info *info;
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
    double samples;

    if (read_number(r, row, r->columns.time, &k->time_s, err) < 0 ||
        read_number(r, row, r->columns.spread, &k->spread, err) < 0 ||
        read_number(r, row, r->columns.samples, &samples, err) < 0 ||
        read_status(r, row, &k->status, err) < 0)
        return -1;
    if (k->status == GCAL_MEASUREMENT_GOOD && !(k->time_s > 0))
        return bad_cell(r, row, r->columns.time, "a time in seconds, above 0", err);
    k->measured = true;
    k->n_samples = samples < 1e9 ? (size_t)samples : 1; /* NaN: not known */
    if (*detail && !(k->detail = strdup(detail)))
        return gcal_error_memory(err);
    return 0;
}

/* What the driver said of the built kernel; an empty cell: nothing. */
static int read_built(const struct reading *r, size_t row, struct gcal_built *built,
                      struct gcal_error *err)
{
    double registers, bytes;

    if (read_number(r, row, r->columns.registers, &registers, err) < 0 ||
        read_number(r, row, r->columns.private_bytes, &bytes, err) < 0)
        return -1;
    built->registers = registers < 1e6 ? (uint64_t)registers : 0;
    built->private_bytes = bytes < 1e12 ? (uint64_t)bytes : 0;
    return 0;
}

/* ---- the kernel of a row ---- */

static char *name_kernel(const struct reading *r, size_t row)
{
    const char *arguments = cell(r, row, r->columns.arguments);

    return gcal_buf_format("%s%s%s", cell(r, row, r->columns.generator),
                           *arguments ? " " : "", arguments);
}

/* A kernel without counts has names only: all of it is the variant. */
static int name_uncounted(struct gcal_measured_kernel *k, const char *name,
                          const char *generator, const char *why, struct gcal_error *err)
{
    k->kernel.name = strdup(name);
    k->kernel.generator = strdup(generator);
    k->kernel.variant = strdup(name);
    k->uncounted = strdup(why);
    return k->kernel.name && k->kernel.generator && k->kernel.variant && k->uncounted
               ? 0
               : gcal_error_memory(err);
}

static int count(const struct reading *r, const char *name, const char *generator,
                 struct gcal_measured_kernel *k, struct gcal_error *err)
{
    struct gcal_kernel_list list = { 0 };
    struct gcal_kernel *kernel;
    struct gcal_error why = { 0 };
    int rc;

    if (gcal_catalogue_kernel_find(r->catalogue, name, &r->limits, &list, &kernel, &why) <
        0)
        rc = name_uncounted(k, name, generator, why.text, err);
    else
        rc = gcal_plan_record_kernel(kernel, &k->kernel, err);
    gcal_kernel_list_clear(&list);
    return rc < 0 ? -1 : gcal_evaluation_add_use(r->targets, k, err);
}

/* Whether the tags select the kernel; -1 if there is no such generator. */
static int is_wanted(const struct reading *r, size_t row, const char *name,
                     struct gcal_error *err)
{
    const char *generator = cell(r, row, r->columns.generator);
    const struct gcal_evaluation_targets *t = r->targets;
    struct gcal_generator_view view;

    if (!gcal_catalogue_kernel_generator(r->catalogue, generator, &view))
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s:%zu: no kernel of the catalogue is called '%s'; "
                              "--catalogue names the folder of others",
                              r->table.name, r->table.lines[row], generator);
    return gcal_tag_filter_selects(t->n_tags, t->tags, name, view.n_tags, view.tags);
}

static int take_row(const struct reading *r, size_t row, struct gcal_error *err)
{
    const char *device = cell(r, row, r->columns.device);
    struct gcal_measured_kernel *k;
    char *name;
    int rc;

    if (*device && strcmp(device, r->info->name) != 0)
        return 0;
    if (!(name = name_kernel(r, row)))
        return gcal_error_memory(err);
    if ((rc = is_wanted(r, row, name, err)) > 0) {
        rc = -1;
        if ((k = gcal_measured_kernels_add(r->measured, err)) &&
            read_time(r, row, k, err) == 0 && read_built(r, row, &k->built, err) == 0)
            rc = count(r, name, cell(r, row, r->columns.generator), k, err);
    }
    free(name);
    return rc;
}

/* ---- all rows ---- */

static int open_catalogue(struct reading *r, struct gcal_error *err)
{
    const struct gcal_evaluation_targets *t = r->targets;

    r->limits = gcal_select_device_limits(r->info);
    r->limits.counting = gcal_evaluation_counting(t, r->info);
    r->catalogue = gcal_command_catalogue_open_for(t->catalogue, t->config, err);
    return r->catalogue ? 0 : -1;
}

static int take_rows(struct reading *r, struct gcal_error *err)
{
    size_t before = r->measured->n;

    for (size_t i = 0; i < r->table.n_rows; i++)
        if (take_row(r, i, err) < 0)
            return -1;
    if (r->measured->n > before)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT, "%s: no kernel that %s%s%s", r->table.name,
                          r->targets->n_tags ? "the tags select and that " : "",
                          r->info->name, " ran");
}

int gcal_evaluation_read_times(const struct gcal_evaluation_targets *targets,
                               const char *file, const struct gcal_device_info *info,
                               struct gcal_measured_kernels *measured,
                               struct gcal_error *err)
{
    struct reading r = { .targets = targets, .info = info, .measured = measured };
    int rc = gcal_csv_table_read(file, &r.table, err);

    if (rc == 0)
        rc = find_columns(&r, err);
    if (rc == 0)
        rc = open_catalogue(&r, err);
    if (rc == 0)
        rc = take_rows(&r, err);
    gcal_catalogue_close(r.catalogue);
    gcal_csv_table_clear(&r.table);
    return rc;
}
