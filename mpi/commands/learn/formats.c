/* formats.c - the times of a file: of a table with sizes, of nvbench, or of a profiler's launches
 *
 * A profiler (ncu, rocprof, rocprofv3) writes a line for each launch, with the kernel's name and the
 * work-groups, but no sizes: the caller looks these up by the work-groups.  Formats differ by their
 * columns; units are those that the file names, or that its columns have by definition.
 */
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/base/units.h"
#include "mpi/cli/csv_table.h"
#include "mpi/commands/learn/private.h"

#define MOST_BYTES (256u << 20)

GCAL_ARENA_DESTROYER(clear_table, gcal_csv_table_clear)
GCAL_ARENA_DESTROYER(release_json, json_decref)

static struct gcal_learn_taken *add_taken(struct gcal_arena *arena,
                                          struct gcal_learn_file *f)
{
    f->times = gcal_arena_grow(arena, f->times, f->n, &f->capacity, sizeof(*f->times));
    f->times[f->n] = (struct gcal_learn_taken){ .n_groups = NAN, .group_size = NAN };
    return &f->times[f->n++];
}

/* ---- numbers and units ---- */

/* Seconds of a unit's name; 0: it is none of time. */
static double seconds_of(const char *unit, size_t length)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = { { "s", 1 },         { "sec", 1 },        { "second", 1 },
                  { "seconds", 1 },   { "ms", 1e-3 },      { "msecond", 1e-3 },
                  { "us", 1e-6 },     { "usecond", 1e-6 }, { "ns", 1e-9 },
                  { "nsecond", 1e-9 } };

    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        if (strlen(units[i].unit) == length && strncmp(unit, units[i].unit, length) == 0)
            return units[i].seconds;
    return 0;
}

/* The unit of a column of times, from its name: "time_us", "gpu time (ms)", but not "rate (GB/s)"; 0: it
 * is none.
 */
static double unit_of(const char *column)
{
    size_t end = strlen(column), from;

    while (end && !isalnum((unsigned char)column[end - 1]))
        end--;
    for (from = end; from && isalpha((unsigned char)column[from - 1]);)
        from--;
    if (!from)
        return strcmp(column, "seconds") == 0;
    return column[from - 1] == '/' ? 0 : seconds_of(column + from, end - from);
}

/* A number above 0, with commas between thousands if 'grouped'. */
static int read_number(struct gcal_arena *arena, const struct gcal_csv_table *t,
                       size_t row, size_t column, bool grouped, double *value,
                       struct gcal_error *err)
{
    const char *cell = gcal_csv_table_cell(t, row, column);
    char *text = gcal_arena_strdup(arena, cell), *to = text, *end;

    for (const char *at = cell; *at; at++) {
        bool groups = grouped && *at == ',' && isdigit((unsigned char)at[1]) &&
                      isdigit((unsigned char)at[2]) && isdigit((unsigned char)at[3]) &&
                      !isdigit((unsigned char)at[4]);

        if (!groups)
            *to++ = *at;
    }
    *to = '\0';
    *value = gcal_units_parse_number(text, &end);
    if (*text && !*end && *value > 0 && isfinite(*value))
        return 0;
    return gcal_error_set(err, GCAL_EINPUT, "%s:%zu: %s '%s': expected a number above 0",
                          t->name, t->lines[row], t->cells[column], cell);
}

/* The product of "(64, 2, 1)" or "64"; NaN: none. */
static double read_product(const char *text)
{
    double product = NAN;

    for (const char *at = text; *at;) {
        char *end;

        if (!isdigit((unsigned char)*at)) {
            at++;
            continue;
        }
        product = (isnan(product) ? 1 : product) * strtod(at, &end);
        at = end;
    }
    return product;
}

/* ---- a table with sizes ---- */

/* All columns but the time are sizes of the kernel; of 'several', without empty cells. */
static int read_sizes(struct gcal_arena *arena, const struct gcal_csv_table *t,
                      bool several, struct gcal_learn_file *f, struct gcal_error *err)
{
    size_t time = t->n_columns;
    size_t profile = several ? gcal_csv_table_find(t, "profile") : time;
    size_t device = several ? gcal_csv_table_find(t, "device") : time;

    for (size_t i = 0; i < t->n_columns; i++) {
        if (!(unit_of(t->cells[i]) > 0))
            continue;
        if (time < t->n_columns)
            return gcal_error_set(
                err, GCAL_EINPUT,
                "%s:1: '%s' and '%s' are times: keep one of these columns", t->name,
                t->cells[time], t->cells[i]);
        time = i;
    }
    if (time == t->n_columns)
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s:1: no column is a time: name the column of times with "
                              "its unit, as time_s, "
                              "time_ms, time_us or time_ns",
                              t->name);
    for (size_t i = 0; i < t->n_rows; i++) {
        struct gcal_learn_taken *taken = add_taken(arena, f);
        double value;

        taken->sizes = "";
        taken->line = t->lines[i];
        for (size_t k = 0; k < t->n_columns; k++) {
            const char *cell = gcal_csv_table_cell(t, i, k);

            if (k == profile)
                taken->profile = gcal_arena_strdup(arena, cell);
            if (k == device)
                taken->device = gcal_arena_strdup(arena, cell);
            if (k == time || k == profile || k == device || (several && !*cell))
                continue;
            if (read_number(arena, t, i, k, false, &value, err) < 0)
                return -1;
            taken->sizes =
                gcal_arena_format(arena, "%s%s%s=%.0f", taken->sizes,
                                  *taken->sizes ? "," : "", t->cells[k], value);
        }
        if (read_number(arena, t, i, time, false, &value, err) < 0)
            return -1;
        taken->time_s = value * unit_of(t->cells[time]);
    }
    return 0;
}

/* ---- profilers ---- */

#define NCU_TIME "gpu__time_duration.sum"

/* Drops what ncu prints beside its table: lines before the header, and those of ==PROF==.  Line ends
 * stay, for the numbers of lines in messages.
 */
static void drop_others(char *text)
{
    const char *header = strstr(text, "\"Kernel Name\",");
    char *to = text;

    while (header && header > text && header[-1] != '\n')
        header--;
    if (!header)
        return;
    for (char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        bool has_end = line[length] != '\0';

        if (line >= header && strncmp(line, "==", 2) != 0) {
            memmove(to, line, length);
            to += length;
        }
        if (has_end)
            *to++ = '\n';
        line += length + has_end;
    }
    *to = '\0';
}

/* A line for each launch and metric, with its unit; or one for each launch, with units below the
 * header (--page raw).
 */
static int read_ncu(struct gcal_arena *arena, const struct gcal_csv_table *t,
                    struct gcal_learn_file *f, struct gcal_error *err)
{
    size_t metric = gcal_csv_table_find(t, "Metric Name");
    size_t unit = gcal_csv_table_find(t, "Metric Unit");
    size_t value = gcal_csv_table_find(t, "Metric Value");
    size_t raw = gcal_csv_table_find(t, NCU_TIME);
    size_t kernel = gcal_csv_table_find(t, "Kernel Name");

    for (size_t i = raw < t->n_columns; i < t->n_rows; i++) {
        const char *name = gcal_csv_table_cell(t, i, metric);
        const char *of_time = raw < t->n_columns ? gcal_csv_table_cell(t, 0, raw)
                                                 : gcal_csv_table_cell(t, i, unit);
        double seconds = seconds_of(of_time, strlen(of_time));
        struct gcal_learn_taken *taken;

        if (raw == t->n_columns && strcmp(name, NCU_TIME) != 0 &&
            strcmp(name, "Duration") != 0)
            continue;
        if (!(seconds > 0))
            return gcal_error_set(err, GCAL_EINPUT, "%s:%zu: '%s' is not a unit of time",
                                  t->name, t->lines[i], of_time);
        taken = add_taken(arena, f);
        taken->kernel = gcal_arena_strdup(arena, gcal_csv_table_cell(t, i, kernel));
        taken->line = t->lines[i];
        taken->n_groups =
            read_product(gcal_csv_table_cell(t, i, gcal_csv_table_find(t, "Grid Size")));
        taken->group_size =
            read_product(gcal_csv_table_cell(t, i, gcal_csv_table_find(t, "Block Size")));
        if (read_number(arena, t, i, raw < t->n_columns ? raw : value, true,
                        &taken->time_s, err) < 0)
            return -1;
        taken->time_s *= seconds;
    }
    return f->n ? 0
                : gcal_error_set(err, GCAL_EINPUT,
                                 "%s: no metric " NCU_TIME
                                 ": profile with --metrics " NCU_TIME,
                                 t->name);
}

/* Nanoseconds since some event, which doubles do not hold. */
static int read_ns(const struct gcal_csv_table *t, size_t row, const char *column,
                   unsigned long long *ns, struct gcal_error *err)
{
    const char *text = gcal_csv_table_cell(t, row, gcal_csv_table_find(t, column));
    char *end;

    *ns = strtoull(text, &end, 10);
    if (isdigit((unsigned char)*text) && !*end)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT, "%s:%zu: %s '%s': expected nanoseconds",
                          t->name, t->lines[row], column, text);
}

/* The product of the columns of those names that there are. */
static double read_dims(const struct gcal_csv_table *t, size_t row,
                        const char *const names[5])
{
    double product = NAN;

    for (size_t i = 0; i < 5; i++) {
        double n =
            read_product(gcal_csv_table_cell(t, row, gcal_csv_table_find(t, names[i])));

        if (!isnan(n))
            product = (isnan(product) ? 1 : product) * n;
    }
    return product;
}

/* Work-items, of rocprof ("grd", "wgr") and rocprofv3 (an axis a column). */
static int read_rocprof(struct gcal_arena *arena, const struct gcal_csv_table *t,
                        const char *name, const char *from, const char *to,
                        struct gcal_learn_file *f, struct gcal_error *err)
{
    static const char *const grid[5] = { "grd", "Grid_Size", "Grid_Size_X", "Grid_Size_Y",
                                         "Grid_Size_Z" };
    static const char *const group[5] = { "wgr", "Workgroup_Size", "Workgroup_Size_X",
                                          "Workgroup_Size_Y", "Workgroup_Size_Z" };

    for (size_t i = 0; i < t->n_rows; i++) {
        struct gcal_learn_taken *taken = add_taken(arena, f);
        unsigned long long begin, end;

        taken->kernel = gcal_arena_strdup(
            arena, gcal_csv_table_cell(t, i, gcal_csv_table_find(t, name)));
        taken->line = t->lines[i];
        taken->group_size = read_dims(t, i, group);
        taken->n_groups = read_dims(t, i, grid) / taken->group_size;
        if (read_ns(t, i, from, &begin, err) < 0 || read_ns(t, i, to, &end, err) < 0)
            return -1;
        if (end <= begin)
            return gcal_error_set(err, GCAL_EINPUT, "%s:%zu: ends before it begins",
                                  t->name, t->lines[i]);
        taken->time_s = 1e-9 * (double)(end - begin);
    }
    return 0;
}

static bool has(const struct gcal_csv_table *t, const char *column)
{
    return gcal_csv_table_find(t, column) < t->n_columns;
}

static int read_table(struct gcal_arena *arena, const char *path, char *text,
                      bool several, struct gcal_learn_file *f, struct gcal_error *err)
{
    struct gcal_csv_table *t = gcal_arena_alloc(arena, 1, sizeof(*t));
    int rc;

    drop_others(text);
    rc = gcal_csv_table_parse(path, text, strlen(text), t, err);
    gcal_arena_own(arena, t, clear_table);
    if (rc < 0)
        return -1;
    if (has(t, "AverageNs") || has(t, "Invocations"))
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s: means over launches of all sizes: give the file with "
                              "a line for each launch "
                              "(rocprof: results.csv; rocprofv3 --kernel-trace; ncu "
                              "without --print-summary)",
                              path);
    if (has(t, "Metric Name") || has(t, NCU_TIME))
        return read_ncu(arena, t, f, err);
    if (has(t, "KernelName") && has(t, "BeginNs"))
        return read_rocprof(arena, t, "KernelName", "BeginNs", "EndNs", f, err);
    if (has(t, "Kernel_Name") && has(t, "Start_Timestamp"))
        return read_rocprof(arena, t, "Kernel_Name", "Start_Timestamp", "End_Timestamp",
                            f, err);
    if (has(t, "KernelName") || has(t, "Kernel_Name"))
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s: launches without times: profile with '--timestamp on' "
                              "(rocprof) or --kernel-trace (rocprofv3)",
                              path);
    return read_sizes(arena, t, several, f, err);
}

/* ---- nvbench ---- */

/* Numbers are texts there. */
static double number_of(const json_t *value)
{
    const char *text = json_string_value(value);
    char *end = NULL;
    double number = text ? gcal_units_parse_number(text, &end) : json_number_value(value);

    return (text && (!*text || *end)) || (!text && !json_is_number(value)) ? NAN : number;
}

static int read_state(struct gcal_arena *arena, const char *path, const json_t *state,
                      struct gcal_learn_file *f, struct gcal_error *err)
{
    const char *name = json_string_value(json_object_get(state, "name")), *sizes = "";
    const json_t *item;
    double time_s = NAN;
    size_t i;

    if (json_is_true(json_object_get(state, "is_skipped")))
        return 0;
    json_array_foreach(json_object_get(state, "axis_values"), i, item)
    {
        const char *axis = json_string_value(json_object_get(item, "name"));
        double value = number_of(json_object_get(item, "value"));

        if (!axis || !(value >= 0) || value != floor(value))
            return gcal_error_set(
                err, GCAL_EINPUT,
                "%s: state '%s': axis '%s' is not an integer, and so no size of the "
                "kernel: keep one of its values, and remove it",
                path, name ? name : "?", axis ? axis : "?");
        /* "Elements{io}" */
        sizes = gcal_arena_format(arena, "%s%s%.*s=%.0f", sizes, *sizes ? "," : "",
                                  (int)strcspn(axis, "{"), axis, value);
    }
    json_array_foreach(json_object_get(state, "summaries"), i, item)
    {
        const char *tag = json_string_value(json_object_get(item, "tag"));
        const char *hint = json_string_value(json_object_get(item, "hint"));
        const json_t *datum;
        size_t k;

        /* "duration": seconds */
        if (tag && strcmp(tag, "nv/cold/time/gpu/mean") == 0 && hint &&
            strcmp(hint, "duration") == 0)
            json_array_foreach(json_object_get(item, "data"), k, datum)
            {
                const char *key = json_string_value(json_object_get(datum, "name"));

                if (key && strcmp(key, "value") == 0)
                    time_s = number_of(json_object_get(datum, "value"));
            }
    }
    if (!(time_s > 0) || !isfinite(time_s))
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s: state '%s' has no duration nv/cold/time/gpu/mean",
                              path, name ? name : "?");
    *add_taken(arena, f) = (struct gcal_learn_taken){ .sizes = sizes, .time_s = time_s };
    return 0;
}

static int read_nvbench(struct gcal_arena *arena, const char *path, const char *text,
                        struct gcal_learn_file *f, struct gcal_error *err)
{
    json_error_t why;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &why), *all, *state;
    const json_t *first = NULL;
    size_t i;

    if (!root)
        return gcal_error_set(err, GCAL_EINPUT, "%s:%d:%d: %s", path, why.line,
                              why.column, why.text);
    gcal_arena_own(arena, root, release_json);
    all = json_object_get(root, "benchmarks");
    if (json_array_size(all) != 1)
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s: %zu benchmarks: expected the JSON of nvbench with one "
                              "(--benchmark)",
                              path, json_array_size(all));
    json_array_foreach(json_object_get(json_array_get(all, 0), "states"), i, state)
    {
        const json_t *device = json_object_get(state, "device");

        if (device && first && !json_equal(device, first))
            return gcal_error_set(
                err, GCAL_EINPUT,
                "%s: states of device %lld and of device %lld: keep one "
                "(nvbench's --devices)",
                path, json_integer_value(first), json_integer_value(device));
        first = device;
        if (read_state(arena, path, state, f, err) < 0)
            return -1;
    }
    return 0;
}

int gcal_learn_read_file(struct gcal_arena *arena, const char *path, bool several,
                         struct gcal_learn_file *f, struct gcal_error *err)
{
    char *text = gcal_file_read(path, MOST_BYTES, NULL, err);
    int rc;

    *f = (struct gcal_learn_file){ 0 };
    if (!gcal_arena_own(arena, text, free))
        return -1;
    rc = text[strspn(text, " \t\r\n")] == '{'
             ? read_nvbench(arena, path, text, f, err)
             : read_table(arena, path, text, several, f, err);
    if (rc == 0 && !f->n)
        return gcal_error_set(err, GCAL_EINPUT, "%s: no times", path);
    return rc;
}
