/* settings.c - all keys of a configuration but its models */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "calib/config/private.h"

#define MAX_SWEEP   1000
#define MAX_SAMPLES 100000

/* Fewer samples give no usable spread. */
#define LEAST_SAMPLES 3

static int read_store(const struct gcal_yaml *node, char **store, struct gcal_error *err)
{
    const char *text = gcal_yaml_text(node, "store", err);

    if (!text)
        return -1;
    if (!*text)
        return gcal_yaml_error(node, err,
                               "store is empty: name a folder or leave it out");
    return (*store = strdup(text)) ? 0 : gcal_error_memory(err);
}

/* 'folder' from the folder of the configuration 'file'; takes it. */
static char *beside(const char *file, char *folder)
{
    const char *slash = strrchr(file, '/');
    char *path;

    if (*folder == '/' || !slash)
        return folder;
    path = gcal_buf_format("%.*s/%s", (int)(slash - file), file, folder);
    free(folder);
    return path;
}

static int read_catalogues(const struct gcal_yaml *node, struct gcal_config *config,
                           struct gcal_error *err)
{
    int rc = gcal_config_read_strings(node, "folders of kernels", &config->catalogues,
                                      &config->n_catalogues, err);

    for (size_t i = 0; i < config->n_catalogues; i++)
        if (!(config->catalogues[i] = beside(config->file, config->catalogues[i])))
            rc = gcal_error_memory(err);
    return rc;
}

/* ---- devices ---- */

static const struct gcal_yaml *find_key(const struct gcal_yaml *map, const char *key)
{
    for (size_t i = 0; map->kind == GCAL_YAML_MAP && i < map->n_items; i++)
        if (strcmp(map->keys[i]->text, key) == 0)
            return map->keys[i];
    return NULL;
}

/* 'kinds' was 'types' in early versions, and still is in their records. */
static int read_devices(const struct gcal_yaml *node, bool recorded,
                        struct gcal_config_device_filter *filter, struct gcal_error *err)
{
    const struct gcal_yaml *old_key = find_key(node, "types"), *item;
    const char *const keys[] = { old_key ? "types" : "kinds", "vendors", "names", NULL };

    if (old_key && !recorded)
        return gcal_yaml_error(old_key, err, "'types' is now 'kinds'");
    if (gcal_yaml_check_keys(node, keys, err) < 0)
        return -1;
    if ((item = gcal_config_find(node, keys[0])) &&
        gcal_config_read_kinds(item, &filter->kinds, &filter->n_kinds, err) < 0)
        return -1;
    if ((item = gcal_config_find(node, "vendors")) &&
        gcal_config_read_strings(item, "vendors", &filter->vendors, &filter->n_vendors,
                                 err) < 0)
        return -1;
    if ((item = gcal_config_find(node, "names")) &&
        gcal_config_read_strings(item, "names", &filter->names, &filter->n_names, err) <
            0)
        return -1;
    return 0;
}

/* ---- measure and audit ---- */

/* A number above 'above'; 'value' does not change if the key is absent. */
static int read_above(const struct gcal_yaml *map, const char *key, double above,
                      double *value, struct gcal_error *err)
{
    const struct gcal_yaml *node = gcal_config_find(map, key);
    double read;

    if (!node)
        return 0;
    if (gcal_yaml_double(node, key, &read, err) < 0)
        return -1;
    if (!isfinite(read) || !(read > above))
        return gcal_yaml_error(node, err, "%s is %s, expected a number above %g", key,
                               node->text, above);
    *value = read;
    return 0;
}

static int read_count(const struct gcal_yaml *map, const char *key, long long min,
                      long long max, uint64_t *value, struct gcal_error *err)
{
    const struct gcal_yaml *node = gcal_config_find(map, key);
    long long read;

    if (!node)
        return 0;
    if (gcal_yaml_integer(node, key, min, max, &read, err) < 0)
        return -1;
    *value = (uint64_t)read;
    return 0;
}

static int read_measure(const struct gcal_yaml *node,
                        struct gcal_config_measure_options *m, struct gcal_error *err)
{
    static const char *const keys[] = { "budget_s",       "min_time_s",  "max_time_s",
                                        "min_samples",    "max_samples", "noise",
                                        "kernel_limit_s", "rungs",       "short_rungs",
                                        "seed",           NULL };
    uint64_t min_samples = m->min_samples, max_samples = m->max_samples, sizes = m->sizes;
    uint64_t short_sizes = m->short_sizes;

    if (gcal_yaml_check_keys(node, keys, err) < 0 ||
        read_above(node, "budget_s", 0, &m->budget_s, err) < 0 ||
        read_above(node, "min_time_s", 0, &m->min_time_s, err) < 0 ||
        read_above(node, "max_time_s", 0, &m->max_time_s, err) < 0 ||
        read_above(node, "noise", 0, &m->noise, err) < 0 ||
        read_above(node, "kernel_limit_s", 0, &m->kernel_limit_s, err) < 0 ||
        read_count(node, "min_samples", LEAST_SAMPLES, MAX_SAMPLES, &min_samples, err) <
            0 ||
        read_count(node, "max_samples", LEAST_SAMPLES, MAX_SAMPLES, &max_samples, err) <
            0 ||
        read_count(node, "rungs", 1, MAX_SWEEP, &sizes, err) < 0 ||
        read_count(node, "short_rungs", 0, MAX_SWEEP, &short_sizes, err) < 0 ||
        read_count(node, "seed", 0, INT64_MAX, &m->seed, err) < 0)
        return -1;
    if (m->min_time_s >= m->max_time_s)
        return gcal_yaml_error(node, err,
                               "min_time_s (%g s) is not below max_time_s (%g s)",
                               m->min_time_s, m->max_time_s);
    if (m->max_time_s > m->kernel_limit_s)
        return gcal_yaml_error(node, err,
                               "max_time_s (%g s) is above kernel_limit_s (%g s), at "
                               "which a launch is killed",
                               m->max_time_s, m->kernel_limit_s);
    if (min_samples > max_samples)
        return gcal_yaml_error(
            node, err, "min_samples (%llu) is above max_samples (%llu)",
            (unsigned long long)min_samples, (unsigned long long)max_samples);
    m->min_samples = min_samples;
    m->max_samples = max_samples;
    m->sizes = sizes;
    m->short_sizes = short_sizes;
    return 0;
}

static int read_audit(const struct gcal_yaml *node, struct gcal_config *config,
                      struct gcal_error *err)
{
    static const char *const keys[] = { "warn",    "fail", "false_alarms",
                                        "confirm", "of",   NULL };
    uint64_t confirm = config->audit_confirm, of = config->audit_of;

    if (gcal_yaml_check_keys(node, keys, err) < 0 ||
        read_above(node, "warn", 0, &config->audit_warn, err) < 0 ||
        read_above(node, "fail", 0, &config->audit_fail, err) < 0 ||
        read_above(node, "false_alarms", 0, &config->audit_false_alarms, err) < 0 ||
        read_count(node, "confirm", 1, GCAL_CONFIG_MAX_AUDIT_RUNS, &confirm, err) < 0 ||
        read_count(node, "of", 1, GCAL_CONFIG_MAX_AUDIT_RUNS, &of, err) < 0)
        return -1;
    if (config->audit_warn > config->audit_fail)
        return gcal_yaml_error(node, err, "warn (%g) is above fail (%g)",
                               config->audit_warn, config->audit_fail);
    if (config->audit_false_alarms >= 1)
        return gcal_yaml_error(
            node, err, "false_alarms is %g, expected a probability below 1, e.g. 0.001",
            config->audit_false_alarms);
    if (confirm > of)
        return gcal_yaml_error(node, err, "confirm (%llu) is above of (%llu)",
                               (unsigned long long)confirm, (unsigned long long)of);
    config->audit_confirm = confirm;
    config->audit_of = of;
    return 0;
}

/* ---- all of them ---- */

/* The first check: the keys of another version are unknown. */
static int check_version(const struct gcal_yaml *root, struct gcal_error *err)
{
    const struct gcal_yaml *version;
    long long value;

    if (root->kind != GCAL_YAML_MAP)
        return gcal_yaml_error(root, err, "expected a map that starts with 'version: %d'",
                               GCAL_CONFIG_VERSION);
    if (!(version = gcal_config_find(root, "version")))
        return gcal_yaml_error(root, err, "no 'version': add 'version: %d'",
                               GCAL_CONFIG_VERSION);
    if (gcal_yaml_integer(version, "version", 0, INT32_MAX, &value, err) < 0)
        return -1;
    if (value != GCAL_CONFIG_VERSION)
        return gcal_yaml_error(version, err,
                               "version %lld cannot be read; gpucal " GPUCAL_VERSION
                               " reads version %d",
                               value, GCAL_CONFIG_VERSION);
    return 0;
}

static void set_defaults(struct gcal_config *config)
{
    config->measure = (struct gcal_config_measure_options){
        .budget_s = 60,
        .min_time_s = 1e-3,
        .max_time_s = 0.2,
        .noise = 0.005,
        .kernel_limit_s = 20,
        .min_samples = 8,
        .max_samples = 60,
        .sizes = 3,
        .seed = 1,
    };
    config->audit_warn = 0.02;
    config->audit_fail = 0.1;
    config->audit_false_alarms = 0.001;
    config->audit_confirm = 2;
    config->audit_of = 3;
}

int gcal_config_read_all_settings(const struct gcal_yaml *root, bool recorded,
                                  struct gcal_config *config, struct gcal_error *err)
{
    static const char *const keys[] = { "version",     "store",   "catalogue",
                                        "devices",     "measure", "audit",
                                        "expressions", "models",  NULL };
    const struct gcal_yaml *node;

    set_defaults(config);
    if (check_version(root, err) < 0 || gcal_yaml_check_keys(root, keys, err) < 0)
        return -1;
    if ((node = gcal_config_find(root, "store")) &&
        read_store(node, &config->store, err) < 0)
        return -1;
    if (!recorded && (node = gcal_config_find(root, "catalogue")) &&
        read_catalogues(node, config, err) < 0)
        return -1;
    if ((node = gcal_config_find(root, "devices")) &&
        read_devices(node, recorded, &config->devices, err) < 0)
        return -1;
    if ((node = gcal_config_find(root, "measure")) &&
        read_measure(node, &config->measure, err) < 0)
        return -1;
    if ((node = gcal_config_find(root, "audit")) && read_audit(node, config, err) < 0)
        return -1;
    return 0;
}
