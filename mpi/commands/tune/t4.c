/* t4.c - times of configurations in the format that autotuners share, read and written */
#include "mpi/commands/tune/t4.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "mpi/cli/command.h"
#include "mpi/commands/tune/private.h"

enum { MOST_BYTES = 1 << 28 };

bool gcal_tune_t4_is(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot && strcasecmp(dot, ".json") == 0;
}

/* ---- reading ---- */

struct file {
    const char *path;
    json_t *root, *results;
};

static int open_file(const char *path, struct file *file, struct gcal_error *err)
{
    json_error_t why;
    size_t size;
    char *text = gcal_file_read(path, MOST_BYTES, &size, err);

    *file = (struct file){ .path = path };
    if (!text)
        return -1;
    file->root = json_loadb(text, size, 0, &why);
    free(text);
    if (!file->root)
        return gcal_error_set(err, GCAL_EINPUT, "%s:%d:%d: %s", path, why.line,
                              why.column, why.text);
    file->results = json_object_get(file->root, "results");
    if (json_is_array(file->results))
        return 0;
    json_decref(file->root);
    return gcal_error_set(err, GCAL_EINPUT,
                          "%s: expected an object with a list 'results' (T4, as Kernel "
                          "Tuner writes it)",
                          path);
}

/* "N:128 F:32" of {"N": 128, "F": 32}; the caller's to free, NULL: no such object. */
static char *configuration_name(const json_t *configuration)
{
    struct gcal_buf name = { 0 };
    const char *key;
    json_t *value;

    if (!json_is_object(configuration))
        return NULL;
    gcal_buf_puts(&name, "");
    json_object_foreach((json_t *)configuration, key, value)
    {
        if (json_is_null(value)) /* a parameter that its kernel does not have */
            continue;
        gcal_buf_printf(&name, "%s%s:", name.size ? " " : "", key);
        if (json_is_string(value))
            gcal_buf_puts(&name, json_string_value(value));
        else if (json_is_boolean(value))
            gcal_buf_puts(&name, json_is_true(value) ? "True" : "False");
        else
            gcal_buf_printf(&name, "%.15g", json_number_value(value));
    }
    return gcal_buf_take(&name, NULL);
}

/* Seconds of a unit of time; 0: it is none. */
static double seconds_of(const char *unit)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = { { "s", 1 },     { "seconds", 1 },         { "ms", 1e-3 },
                  { "us", 1e-6 }, { "microseconds", 1e-6 }, { "milliseconds", 1e-3 },
                  { "ns", 1e-9 }, { "nanoseconds", 1e-9 } };

    for (size_t i = 0; unit && i < sizeof(units) / sizeof(*units); i++)
        if (strcasecmp(unit, units[i].name) == 0)
            return units[i].seconds;
    return 0;
}

/* The measurement called 'name', or whose name begins with "time" if that is NULL, in
 * seconds; NaN.
 */
static double find_measurement(const json_t *measurements, const char *name)
{
    size_t i;
    json_t *m;

    json_array_foreach(measurements, i, m)
    {
        const char *own = json_string_value(json_object_get(m, "name"));
        const json_t *value = json_object_get(m, "value");
        double unit = seconds_of(json_string_value(json_object_get(m, "unit")));

        if (own && unit > 0 && json_is_number(value) &&
            (name ? strcasecmp(own, name) == 0 : strncasecmp(own, "time", 4) == 0))
            return unit * json_number_value(value);
    }
    return NAN;
}

static double measured_s(const json_t *result)
{
    const json_t *measurements = json_object_get(result, "measurements");
    const char *objective =
        json_string_value(json_array_get(json_object_get(result, "objectives"), 0));
    double seconds = objective ? find_measurement(measurements, objective) : NAN;

    return isnan(seconds) ? find_measurement(measurements, NULL) : seconds;
}

static int read_time(const struct file *file, size_t i, const json_t *result,
                     struct gcal_tune_time *time, struct gcal_error *err)
{
    const char *invalidity = json_string_value(json_object_get(result, "invalidity"));
    const json_t *times = json_object_get(result, "times");
    const json_t *build = json_object_get(times, "compilation_time");
    bool correct = !invalidity || strcmp(invalidity, "correct") == 0;

    if (!build)
        build = json_object_get(times, "compilation");
    *time = (struct gcal_tune_time){
        .outcome = correct                                  ? GCAL_TUNE_TIMED
                   : strcmp(invalidity, "correctness") == 0 ? GCAL_TUNE_WRONG
                                                            : GCAL_TUNE_FAILED,
        .seconds = correct ? measured_s(result) : NAN,
        .launches = json_array_size(json_object_get(times, "runtimes")),
        .build_s = fmax(0, json_number_value(build) / 1000),
    };
    if (!correct && !(time->why = strdup(invalidity)))
        return gcal_error_memory(err);
    if (!correct || time->seconds > 0)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "%s: result %zu is correct and has no measurement with a unit "
                          "of time above 0",
                          file->path, i + 1);
}

static int read_results(const struct file *file, const struct gcal_tune_space *space,
                        const struct gcal_tune_names *names,
                        struct gcal_tune_times *times, size_t *n_others,
                        struct gcal_error *err)
{
    size_t i, n = json_array_size(file->results);
    json_t *result;

    json_array_foreach(file->results, i, result)
    {
        char *name = configuration_name(json_object_get(result, "configuration"));
        size_t config = name ? gcal_tune_names_find(names, name) : space->n_configs;
        struct gcal_tune_time time;

        free(name);
        if (config == space->n_configs) {
            ++*n_others;
            continue;
        }
        if (read_time(file, i, result, &time, err) < 0)
            return -1;
        gcal_tune_times_set(times, config, &time);
    }
    if (*n_others < n || !n)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "%s: none of its %zu results is of a configuration of %s",
                          file->path, n, space->kernel);
}

int gcal_tune_t4_read(struct gcal_tune_times *times, const struct gcal_tune_space *space,
                      const char *path, size_t *n_others, struct gcal_error *err)
{
    struct gcal_tune_names *names;
    struct file file;
    int rc = -1;

    *n_others = 0;
    if (open_file(path, &file, err) < 0)
        return -1;
    if ((names = gcal_tune_names_create(space, err)))
        rc = read_results(&file, space, names, times, n_others, err);
    gcal_tune_names_destroy(names);
    json_decref(file.root);
    return rc;
}

int gcal_tune_t4_load(struct gcal_tune_times *times, const struct gcal_tune_space *space,
                      const char *path, size_t *n_others, struct gcal_error *err)
{
    return (gcal_tune_t4_is(path) ? gcal_tune_t4_read : gcal_tune_times_read)(
        times, space, path, n_others, err);
}

/* ---- writing ---- */

static const char *invalidity_of(const struct gcal_tune_time *time)
{
    switch (time->outcome) {
    case GCAL_TUNE_TIMED:
        return "correct";
    case GCAL_TUNE_ABANDONED:
        return "timeout";
    case GCAL_TUNE_WRONG:
        return "correctness";
    case GCAL_TUNE_FAILED:
        break;
    }
    return time->why && strcmp(time->why, "compile") == 0 ? "compile" : "runtime";
}

static json_t *result_json(const struct gcal_tune_space *space, size_t config,
                           const struct gcal_tune_time *t, const char *timestamp)
{
    bool has_time = t->outcome == GCAL_TUNE_TIMED;
    json_t *measurements = json_array(), *runtimes = json_array();
    const double ms = 1000 * t->seconds;

    if (has_time)
        json_array_append_new(measurements, json_pack("{s:s, s:f, s:s}", "name", "time",
                                                      "value", ms, "unit", "ms"));
    for (size_t i = 0; has_time && i < t->launches; i++)
        json_array_append_new(runtimes, json_real(ms)); /* only their median is kept */
    return json_pack("{s:s, s:o, s:[s], s:{s:f, s:o}, s:s, s:i, s:o}", "timestamp",
                     timestamp, "configuration", gcal_tune_config_json(space, config),
                     "objectives", "time", "times", "compilation_time", 1000 * t->build_s,
                     "runtimes", runtimes, "invalidity", invalidity_of(t), "correctness",
                     t->outcome != GCAL_TUNE_WRONG, "measurements", measurements);
}

static char *document_text(const struct gcal_tune_space *space,
                           const struct gcal_tune_times *times)
{
    json_t *results = json_array(), *document;
    char timestamp[64] = "", *text;
    time_t now = time(NULL);
    struct tm utc;

    if (gmtime_r(&now, &utc))
        strftime(timestamp, sizeof(timestamp), "%Y-%m-%d %H:%M:%S+00:00", &utc);
    for (size_t i = 0; i < times->n; i++)
        if (times->asked[i])
            json_array_append_new(results,
                                  result_json(space, i, &times->times[i], timestamp));
    document = json_pack("{s:s, s:o}", "schema_version", "1.0.0", "results", results);
    text = document ? json_dumps(document, JSON_INDENT(1)) : NULL;
    json_decref(document);
    return text;
}

int gcal_tune_t4_write(const char *path, const struct gcal_tune_space *space,
                       const struct gcal_tune_times *times, struct gcal_error *err)
{
    char *text = document_text(space, times);
    int rc = text ? gcal_command_write(path, text, err) : gcal_error_memory(err);

    free(text);
    return rc;
}
