/* times.c - files of configurations' times */
#include "mpi/commands/tune/times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kernels/base/error.h"
#include "kernels/generate/generate.h"
#include "mpi/cli/csv_table.h"

static const char *const outcome_names[] = { "timed", "abandoned", "failed", "wrong" };

const char *gcal_tune_outcome_name(enum gcal_tune_outcome outcome)
{
    return outcome_names[outcome];
}

struct gcal_tune_times gcal_tune_times_create(struct gcal_arena *arena,
                                              const struct gcal_tune_space *space)
{
    size_t n = space->n_configs;

    return (struct gcal_tune_times){ .arena = arena,
                                     .n = n,
                                     .asked = gcal_arena_alloc(arena, n, sizeof(bool)),
                                     .times = gcal_arena_alloc(
                                         arena, n, sizeof(struct gcal_tune_time)) };
}

/* ---- reading ---- */

/* Columns of both kinds of files. */
struct columns {
    size_t name, generator, outcome, seconds, launches, build_s, why;
};

static size_t find_column(const struct gcal_csv_table *table, const char *name,
                          const char *other)
{
    size_t column = gcal_csv_table_find(table, name);

    return column < table->n_columns ? column : gcal_csv_table_find(table, other);
}

static int find_columns(const struct gcal_csv_table *table, struct columns *columns,
                        struct gcal_error *err)
{
    *columns = (struct columns){
        .name = find_column(table, "configuration", "arguments"),
        .generator = gcal_csv_table_find(table, "generator"),
        .outcome = find_column(table, "outcome", "status"),
        .seconds = find_column(table, "seconds", "time_s"),
        .launches = find_column(table, "launches", "samples"),
        .build_s = gcal_csv_table_find(table, "build_s"),
        .why = find_column(table, "why", "detail"),
    };
    if (columns->name < table->n_columns && columns->seconds < table->n_columns)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "%s: the columns configuration and seconds are missing (or "
                          "arguments and time_s)",
                          table->name);
}

/* A number above 0; NaN for an empty cell.  -1 for others. */
static int read_number(const struct gcal_csv_table *table, size_t row, size_t column,
                       double *value, struct gcal_error *err)
{
    const char *cell = gcal_csv_table_cell(table, row, column);
    char *end;

    *value = NAN;
    if (!*cell)
        return 0;
    *value = strtod(cell, &end);
    if (!*end && *value >= 0 && isfinite(*value))
        return 0;
    return gcal_error_set(err, GCAL_EINPUT, "%s:%zu: '%s' is not a time or number",
                          table->name, table->lines[row], cell);
}

/* By the names of 'gpucal kernels', every status but "good" is a failure. */
static int read_time(struct gcal_arena *arena, const struct gcal_csv_table *table,
                     size_t row, const struct columns *columns,
                     struct gcal_tune_time *time, struct gcal_error *err)
{
    const char *cell = gcal_csv_table_cell(table, row, columns->outcome);
    const char *why = gcal_csv_table_cell(table, row, columns->why);
    double launches, build_s;

    *time = (struct gcal_tune_time){ 0 };
    if (read_number(table, row, columns->seconds, &time->seconds, err) < 0 ||
        read_number(table, row, columns->launches, &launches, err) < 0 ||
        read_number(table, row, columns->build_s, &build_s, err) < 0)
        return -1;
    time->outcome = isnan(time->seconds) ? GCAL_TUNE_FAILED : GCAL_TUNE_TIMED;
    for (size_t i = 0; i < sizeof(outcome_names) / sizeof(*outcome_names); i++)
        if (strcmp(cell, outcome_names[i]) == 0)
            time->outcome = (enum gcal_tune_outcome)i;
    if (strstr(cell, "wrong"))
        time->outcome = GCAL_TUNE_WRONG;
    if (time->outcome <= GCAL_TUNE_ABANDONED && !(time->seconds > 0))
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s:%zu: a configuration that was %s has a time",
                              table->name, table->lines[row], cell);
    time->launches = launches > 0 ? (size_t)launches : 0;
    time->build_s = build_s > 0 ? build_s : 0;
    time->why = *why ? gcal_arena_strdup(arena, why) : NULL;
    return 0;
}

/* The configuration of a row; n_configs: another kernel's. */
static size_t find_config(struct gcal_arena *arena, const struct gcal_csv_table *table,
                          size_t row, const struct columns *columns,
                          const struct gcal_tune_space *space)
{
    const char *generator = gcal_csv_table_cell(table, row, columns->generator);
    struct gcal_tune_arguments arguments =
        gcal_tune_arguments_read(arena, gcal_csv_table_cell(table, row, columns->name));
    size_t n = strlen(generator), config;

    /* Where several entries are in a space, they are values of a parameter; the first word of
     * the space names the only one.
     */
    if (n)
        gcal_tune_arguments_add(arena, &arguments, "kernel", generator);
    config = gcal_tune_find(arena, space, &arguments);
    if (!n || config == space->n_configs)
        return config;
    if (space->configs[config].kernel
            ? strcmp(space->configs[config].kernel->generator, generator) == 0
            : strncmp(space->kernel, generator, n) == 0 &&
                  (!space->kernel[n] || space->kernel[n] == ' '))
        return config;
    return space->n_configs;
}

static int read_rows(struct gcal_tune_times *times, const struct gcal_tune_space *space,
                     const struct gcal_csv_table *table, struct gcal_error *err)
{
    struct columns columns;
    size_t n_others = 0;

    if (find_columns(table, &columns, err) < 0)
        return -1;
    for (size_t row = 0; row < table->n_rows; row++) {
        size_t config = find_config(times->arena, table, row, &columns, space);
        struct gcal_tune_time time;

        if (config == space->n_configs) {
            n_others++;
            continue;
        }
        if (read_time(times->arena, table, row, &columns, &time, err) < 0)
            return -1;
        gcal_tune_times_set(times, config, &time);
    }
    if (n_others < table->n_rows || !table->n_rows)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "%s: none of its %zu lines is about a configuration of %s",
                          table->name, table->n_rows, space->kernel);
}

int gcal_tune_times_read(struct gcal_tune_times *times,
                         const struct gcal_tune_space *space, const char *path,
                         struct gcal_error *err)
{
    const char *dot = strrchr(path, '.');
    struct gcal_csv_table table = { 0 };
    int rc;

    if (dot && strcasecmp(dot, ".json") == 0)
        return gcal_tune_t4_read(times, space, path, err);
    rc = gcal_csv_table_read(path, &table, err);
    if (rc == 0)
        rc = read_rows(times, space, &table, err);
    gcal_csv_table_clear(&table);
    return rc;
}
