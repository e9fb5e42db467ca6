/* t4.c - times of configurations in the format that autotuners share, read and written */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "mpi/cli/command.h"
#include "mpi/cli/json.h"
#include "mpi/commands/tune/private.h"
#include "mpi/commands/tune/times.h"

enum { MOST_BYTES = 1 << 28 };

/* ---- reading ---- */

/* The list of results and the document that owns it, the caller's to release. */
static json_t *open_results(const char *path, json_t **root, struct gcal_error *err)
{
    json_error_t why;
    json_t *results;
    size_t size;
    char *text = gcal_file_read(path, MOST_BYTES, &size, err);

    *root = text ? json_loadb(text, size, 0, &why) : NULL;
    if (text && !*root)
        gcal_error_set(err, GCAL_EINPUT, "%s:%d:%d: %s", path, why.line, why.column,
                       why.text);
    free(text);
    if (!*root)
        return NULL;
    results = json_object_get(*root, "results");
    if (json_is_array(results))
        return results;
    gcal_error_set(err, GCAL_EINPUT,
                   "%s: expected an object with a list 'results' (T4, as Kernel "
                   "Tuner writes it)",
                   path);
    return NULL;
}

/* Seconds of a unit of time; 0: it is none. */
static double find_unit(const char *unit)
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
        double unit = find_unit(json_string_value(json_object_get(m, "unit")));

        if (own && unit > 0 && json_is_number(value) &&
            (name ? strcasecmp(own, name) == 0 : strncasecmp(own, "time", 4) == 0))
            return unit * json_number_value(value);
    }
    return NAN;
}

static double find_time(const json_t *result)
{
    const json_t *measurements = json_object_get(result, "measurements");
    const char *objective =
        json_string_value(json_array_get(json_object_get(result, "objectives"), 0));
    double seconds = objective ? find_measurement(measurements, objective) : NAN;

    return isnan(seconds) ? find_measurement(measurements, NULL) : seconds;
}

static int read_time(struct gcal_arena *arena, const char *path, size_t i,
                     const json_t *result, struct gcal_tune_time *time,
                     struct gcal_error *err)
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
        .seconds = correct ? find_time(result) : NAN,
        .launches = json_array_size(json_object_get(times, "runtimes")),
        .build_s = fmax(0, json_number_value(build) / 1000),
    };
    time->why = correct ? NULL : gcal_arena_strdup(arena, invalidity);
    if (!correct || time->seconds > 0)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "%s: result %zu is correct and has no measurement with a unit "
                          "of time above 0",
                          path, i + 1);
}

int gcal_tune_t4_read(struct gcal_tune_times *times, const struct gcal_tune_space *space,
                      const char *path, struct gcal_error *err)
{
    json_t *root, *results = open_results(path, &root, err), *result;
    size_t i, n = json_array_size(results), n_others = 0;
    int rc = results ? 0 : -1;

    json_array_foreach(results, i, result)
    {
        /* {"N": 128, "F": 32}; no arguments of anything else. */
        json_t *configuration = json_object_get(result, "configuration");
        struct gcal_tune_arguments arguments = { 0 };
        const char *key;
        json_t *value;

        json_object_foreach(configuration, key, value)
        {
            if (json_is_null(value)) /* a parameter that its kernel does not have */
                continue;
            gcal_tune_arguments_add(
                times->arena, &arguments, key,
                json_is_string(value) ? json_string_value(value)
                : json_is_boolean(value)
                    ? (json_is_true(value) ? "True" : "False")
                    : gcal_arena_format(times->arena, "%.15g", json_number_value(value)));
        }
        size_t config = arguments.n ? gcal_tune_find(times->arena, space, &arguments)
                                    : space->n_configs;
        struct gcal_tune_time time;

        if (config == space->n_configs) {
            n_others++;
            continue;
        }
        if ((rc = read_time(times->arena, path, i, result, &time, err)) < 0)
            break;
        gcal_tune_times_set(times, config, &time);
    }
    json_decref(root);
    if (rc == 0 && n && n_others == n)
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s: none of its %zu results is of a configuration of %s",
                              path, n, space->kernel);
    return rc;
}

/* ---- writing ---- */

static const char *name_invalidity(const struct gcal_tune_time *time)
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
                     "runtimes", runtimes, "invalidity", name_invalidity(t),
                     "correctness", t->outcome != GCAL_TUNE_WRONG, "measurements",
                     measurements);
}

int gcal_tune_t4_write(const char *path, const struct gcal_tune_space *space,
                       const struct gcal_tune_times *times, struct gcal_error *err)
{
    json_t *results = json_array();
    char timestamp[64] = "", *text;
    time_t now = time(NULL);
    struct tm utc;
    int rc;

    if (gmtime_r(&now, &utc))
        strftime(timestamp, sizeof(timestamp), "%Y-%m-%d %H:%M:%S+00:00", &utc);
    for (size_t i = 0; i < times->n; i++)
        if (times->asked[i])
            json_array_append_new(results,
                                  result_json(space, i, &times->times[i], timestamp));
    text = gcal_json_text(
        json_pack("{s:s, s:o}", "schema_version", "1.0.0", "results", results),
        JSON_INDENT(1), err);
    rc = text ? gcal_command_write(path, text, err) : -1;
    free(text);
    return rc;
}
