/* rows.c - rows of the overview: devices, types and their costs */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/base/median.h"
#include "mpi/commands/audit/page/private.h"

static void row_clear(struct gcal_page_row *row)
{
    free(row->node);
    free(row->uid);
    free(row->name);
    free(row->since);
    free(row->what);
    free(row->newest);
    free(row->against);
}

static void type_clear(struct gcal_page_type *type)
{
    for (size_t i = 0; i < type->n_columns; i++) {
        free(type->columns[i].model);
        free(type->columns[i].parameter);
    }
    free(type->columns);
    free(type->name);
}

void gcal_page_overview_clear(struct gcal_page_overview *overview)
{
    for (size_t i = 0; i < overview->n_rows; i++)
        row_clear(&overview->rows[i]);
    for (size_t i = 0; i < overview->n_types; i++)
        type_clear(&overview->types[i]);
    free(overview->rows);
    free(overview->types);
    *overview = (struct gcal_page_overview){ 0 };
}

/* ---- types and their costs ---- */

/* Searches backwards: devices of a type mostly follow each other. */
static int find_type(struct gcal_page_overview *o, const char *name, size_t *found,
                     struct gcal_error *err)
{
    struct gcal_page_type *types;

    for (*found = o->n_types; (*found)-- > 0;)
        if (strcmp(o->types[*found].name, name) == 0)
            return 0;
    if (!(types = gcal_array_grow(o->types, o->n_types, &o->types_capacity,
                                  sizeof(*types), err)))
        return -1;
    o->types = types;
    types[o->n_types] = (struct gcal_page_type){ .name = strdup(name) };
    if (!types[o->n_types].name)
        return gcal_error_memory(err);
    *found = o->n_types++;
    return 0;
}

static bool is_column(const struct gcal_page_column *c,
                      const struct gcal_audit_series *series)
{
    return strcmp(c->parameter, series->column.parameter) == 0 &&
           strcmp(c->model, series->column.model) == 0;
}

/* 'guess': the column after the last one, as devices have their series in one order. */
static int find_column(struct gcal_page_type *type, size_t guess,
                       const struct gcal_audit_series *series, size_t *found,
                       struct gcal_error *err)
{
    struct gcal_page_column *columns;

    *found = guess;
    if (guess < type->n_columns && is_column(&type->columns[guess], series))
        return 0;
    for (*found = 0; *found < type->n_columns; (*found)++)
        if (is_column(&type->columns[*found], series))
            return 0;
    if (!(columns = gcal_array_grow(type->columns, type->n_columns, &type->capacity,
                                    sizeof(*columns), err)))
        return -1;
    type->columns = columns;
    columns[type->n_columns++] =
        (struct gcal_page_column){ .model = strdup(series->column.model),
                                   .parameter = strdup(series->column.parameter),
                                   .category = GCAL_AUDIT_OTHER };
    return columns[*found].model && columns[*found].parameter ? 0
                                                              : gcal_error_memory(err);
}

static int take_series(struct gcal_page_row *row, struct gcal_page_type *type,
                       const struct gcal_audit_series *series, size_t guess, size_t *at,
                       struct gcal_error *err)
{
    float *against;

    if (find_column(type, guess, series, at, err) < 0)
        return -1;
    if (series->category != GCAL_AUDIT_OTHER)
        type->columns[*at].category = series->category;
    if (*at >= row->n_against) {
        if (!(against = realloc(row->against, type->n_columns * sizeof(*against))))
            return gcal_error_memory(err);
        row->against = against;
        while (row->n_against < type->n_columns)
            against[row->n_against++] = NAN;
    }
    row->against[*at] = (float)series->against_type;
    return 0;
}

/* Sorts the values in 'room', which has room for all of them. */
static double speed_of(const struct gcal_page_row *row, double *room)
{
    size_t n = 0;

    for (size_t i = 0; i < row->n_against; i++)
        if (isfinite(row->against[i]))
            room[n++] = (double)row->against[i];
    return 1 / (1 + gcal_median(room, n));
}

static int set_speed(struct gcal_page_row *row, struct gcal_error *err)
{
    double *room = calloc(row->n_against + 1, sizeof(*room));

    if (!room)
        return gcal_error_memory(err);
    row->speed = speed_of(row, room);
    free(room);
    return 0;
}

static int take_costs(struct gcal_page_row *row, struct gcal_page_type *type,
                      const struct gcal_audit_device *device, struct gcal_error *err)
{
    size_t at = SIZE_MAX;

    for (size_t i = 0; i < device->n_series; i++) {
        const struct gcal_audit_series *series = &device->series[i];

        if (strcmp(series->column.unit, "s") == 0 && isfinite(series->against_type) &&
            take_series(row, type, series, at + 1, &at, err) < 0)
            return -1;
    }
    return set_speed(row, err);
}

/* ---- rows ---- */

/* The start of the worst finding, which is NULL for a device without findings. */
static const char *since_when(const struct gcal_audit_device *device,
                              const struct gcal_audit_finding *worst)
{
    size_t since = worst ? worst->since : device->n_runs;

    if (since >= device->n_runs)
        return "";
    return since ? device->run[since]->utc : "the first";
}

static int fill_row(struct gcal_page_row *row, const struct gcal_audit_device *device,
                    struct gcal_error *err)
{
    const struct gcal_audit_finding *worst =
        device->n_findings ? &device->findings[0] : NULL;

    row->node = strdup(device->node);
    row->uid = strdup(device->uid);
    row->name = strdup(device->name);
    row->newest = strdup(device->run[device->n_runs - 1]->utc);
    row->what = strdup(worst ? worst->what : "");
    row->since = strdup(since_when(device, worst));
    row->n_runs = device->n_runs;
    row->n_findings = device->n_findings;
    row->verdict = device->verdict;
    row->change = worst ? worst->change : NAN;
    row->false_alarm = worst ? worst->false_alarm : NAN;
    return row->node && row->uid && row->name && row->newest && row->what && row->since
               ? 0
               : gcal_error_memory(err);
}

int gcal_page_overview_add(struct gcal_page_overview *o,
                           const struct gcal_audit_device *device, struct gcal_error *err)
{
    struct gcal_page_row row = { 0 };
    struct gcal_page_row *rows =
        gcal_array_grow(o->rows, o->n_rows, &o->capacity, sizeof(*rows), err);

    if (!rows)
        return -1;
    o->rows = rows;
    if (find_type(o, device->type, &row.type, err) < 0 ||
        take_costs(&row, &o->types[row.type], device, err) < 0 ||
        fill_row(&row, device, err) < 0) {
        row_clear(&row);
        return -1;
    }
    rows[o->n_rows++] = row;
    return 0;
}
