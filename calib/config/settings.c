/* settings.c - all keys of a configuration but its models */
#include <math.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/similar.h"
#include "kernels/base/yaml.h"
#include "calib/config/private.h"

const struct gcal_yaml *gcal_config_find(const struct gcal_yaml *map, const char *key)
{
    const struct gcal_yaml *node = gcal_yaml_find(map, key);

    if (node && node->kind == GCAL_YAML_SCALAR && !node->quoted &&
        (!*node->text || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0))
        return NULL;
    return node;
}

const struct gcal_yaml *gcal_config_need_list(const struct gcal_yaml *node,
                                              const char *what, struct gcal_error *err)
{
    if (node->kind == GCAL_YAML_LIST)
        return node;
    gcal_yaml_error(node, err, "expected a list of %s, e.g. [a, b]", what);
    return NULL;
}

int gcal_config_read_strings(struct gcal_arena *arena, const struct gcal_yaml *node,
                             const char *what, char ***strings, size_t *count,
                             struct gcal_error *err)
{
    if (!gcal_config_need_list(node, what, err))
        return -1;
    *strings = gcal_arena_alloc(arena, node->n_items, sizeof(**strings));
    *count = node->n_items;
    for (size_t i = 0; i < node->n_items; i++) {
        const char *text = gcal_yaml_text(node->items[i], what, err);

        if (!text)
            return -1;
        if (!*text)
            return gcal_yaml_error(node->items[i], err, "an empty text among the %s",
                                   what);
        (*strings)[i] = gcal_arena_strdup(arena, text);
    }
    return 0;
}

int gcal_config_read_kinds(struct gcal_arena *arena, const struct gcal_yaml *map,
                           const char *key, char ***kinds, size_t *count,
                           struct gcal_error *err)
{
    static const char *const known[] = { "gpu", "accelerator", "cpu", NULL };
    const struct gcal_yaml *node = gcal_config_find(map, key);

    if (!node)
        return 0;
    if (gcal_config_read_strings(arena, node, "kinds", kinds, count, err) < 0)
        return -1;
    for (size_t i = 0; i < *count; i++) {
        const char *near = gcal_similar((*kinds)[i], known);

        if (!near || strcmp(near, (*kinds)[i]) != 0)
            return gcal_yaml_error(node->items[i], err,
                                   "device kind '%s' is none of gpu, accelerator, cpu",
                                   (*kinds)[i]);
    }
    return 0;
}

static int read_devices(const struct gcal_yaml *node, struct gcal_config *config,
                        struct gcal_error *err)
{
    struct gcal_config_device_filter *filter = &config->devices;
    static const char *const keys[] = { "kinds", "vendors", "names", NULL };
    const struct gcal_yaml *item;

    if (gcal_yaml_check_keys(node, keys, err) < 0 ||
        gcal_config_read_kinds(config->arena, node, "kinds", &filter->kinds,
                               &filter->n_kinds, err) < 0)
        return -1;
    if ((item = gcal_config_find(node, "vendors")) &&
        gcal_config_read_strings(config->arena, item, "vendors", &filter->vendors,
                                 &filter->n_vendors, err) < 0)
        return -1;
    if ((item = gcal_config_find(node, "names")) &&
        gcal_config_read_strings(config->arena, item, "names", &filter->names,
                                 &filter->n_names, err) < 0)
        return -1;
    return 0;
}

/* ---- measure and audit ---- */

#define MAX_SWEEP   1000
#define MAX_SAMPLES 100000

/* Fewer samples give no usable spread. */
#define LEAST_SAMPLES 3

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "counts are read as uint64_t");

#define NUMBER(key, member)                                                              \
    {                                                                                    \
        key, offsetof(struct gcal_config, member), false, 0, 0                           \
    }
#define COUNT(key, member, min, max)                                                     \
    {                                                                                    \
        key, offsetof(struct gcal_config, member), true, min, max                        \
    }

const struct gcal_config_key gcal_config_measure_section[] = {
    { "measure", 0, false, 0, 0 },
    NUMBER("budget_s", measure.budget_s),
    NUMBER("min_time_s", measure.min_time_s),
    NUMBER("max_time_s", measure.max_time_s),
    COUNT("min_samples", measure.min_samples, LEAST_SAMPLES, MAX_SAMPLES),
    COUNT("max_samples", measure.max_samples, LEAST_SAMPLES, MAX_SAMPLES),
    NUMBER("noise", measure.noise),
    NUMBER("kernel_limit_s", measure.kernel_limit_s),
    COUNT("rungs", measure.sizes, 1, MAX_SWEEP),
    COUNT("seed", measure.seed, 0, INT64_MAX),
    { NULL, 0, false, 0, 0 }
};

const struct gcal_config_key gcal_config_audit_section[] = {
    { "audit", 0, false, 0, 0 },
    NUMBER("warn", audit_warn),
    NUMBER("fail", audit_fail),
    NUMBER("false_alarms", audit_false_alarms),
    COUNT("confirm", audit_confirm, 1, GCAL_CONFIG_MAX_AUDIT_RUNS),
    COUNT("of", audit_of, 1, GCAL_CONFIG_MAX_AUDIT_RUNS),
    { NULL, 0, false, 0, 0 }
};

#define DAY_S 86400

const struct gcal_config_key gcal_config_links_section[] = {
    { "links", 0, false, 0, 0 },
    COUNT("budget_s", links_budget_s, 0, DAY_S),
    { NULL, 0, false, 0, 0 }
};

static int check_section(const struct gcal_config *config, const struct gcal_yaml *node,
                         bool measure, struct gcal_error *err)
{
    const struct gcal_config_measure_options *m = &config->measure;

    if (measure && m->min_time_s >= m->max_time_s)
        return gcal_yaml_error(node, err,
                               "min_time_s (%g s) is not below max_time_s (%g s)",
                               m->min_time_s, m->max_time_s);
    if (measure && m->max_time_s > m->kernel_limit_s)
        return gcal_yaml_error(node, err,
                               "max_time_s (%g s) is above kernel_limit_s (%g s), at "
                               "which a launch is killed",
                               m->max_time_s, m->kernel_limit_s);
    if (measure && m->min_samples > m->max_samples)
        return gcal_yaml_error(node, err, "min_samples (%zu) is above max_samples (%zu)",
                               m->min_samples, m->max_samples);
    if (measure)
        return 0;
    if (config->audit_warn > config->audit_fail)
        return gcal_yaml_error(node, err, "warn (%g) is above fail (%g)",
                               config->audit_warn, config->audit_fail);
    if (config->audit_false_alarms >= 1)
        return gcal_yaml_error(
            node, err, "false_alarms is %g, expected a probability below 1, e.g. 0.001",
            config->audit_false_alarms);
    if (config->audit_confirm > config->audit_of)
        return gcal_yaml_error(node, err, "confirm (%zu) is above of (%zu)",
                               config->audit_confirm, config->audit_of);
    return 0;
}

/* Members do not change if their key is absent. */
static int read_section(const struct gcal_yaml *root, bool recorded,
                        const struct gcal_config_key *section, struct gcal_config *config,
                        struct gcal_error *err)
{
    const struct gcal_yaml *map = gcal_config_find(root, section->name);
    const char *names[16] = { NULL };
    size_t n = 0;

    if (!map)
        return 0;
    while (section[n + 1].name) {
        names[n] = section[n + 1].name;
        n++;
    }
    if (recorded) /* in records from before; no fit depends on it */
        names[n] = "short_rungs";
    if (gcal_yaml_check_keys(map, names, err) < 0)
        return -1;
    for (const struct gcal_config_key *k = section + 1; k->name; k++) {
        const struct gcal_yaml *node = gcal_config_find(map, k->name);
        void *member = (char *)config + k->offset;
        long long count;
        double number;

        if (!node)
            continue;
        if (k->is_count) {
            if (gcal_yaml_integer(node, k->name, k->min, k->max, &count, err) < 0)
                return -1;
            *(uint64_t *)member = (uint64_t)count;
            continue;
        }
        if (gcal_yaml_double(node, k->name, &number, err) < 0)
            return -1;
        if (!isfinite(number) || !(number > 0))
            return gcal_yaml_error(node, err, "%s is %s, expected a number above 0",
                                   k->name, node->text);
        *(double *)member = number;
    }
    return section == gcal_config_links_section
               ? 0
               : check_section(config, map, section == gcal_config_measure_section, err);
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

int gcal_config_read_all_settings(const struct gcal_yaml *root, bool recorded,
                                  struct gcal_config *config, struct gcal_error *err)
{
    static const char *const keys[] = { "version", "store", "catalogue", "devices",
                                        "measure", "links", "audit",     "expressions",
                                        "models",  NULL };
    const struct gcal_yaml *store, *catalogues, *devices;
    const char *slash = strrchr(config->file, '/');

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
    config->links_budget_s = 10;
    config->audit_warn = 0.02;
    config->audit_fail = 0.1;
    config->audit_false_alarms = 0.001;
    config->audit_confirm = 2;
    config->audit_of = 3;
    if (check_version(root, err) < 0 || gcal_yaml_check_keys(root, keys, err) < 0)
        return -1;
    if ((store = gcal_config_find(root, "store"))) {
        const char *text = gcal_yaml_text(store, "store", err);

        if (!text)
            return -1;
        if (!*text)
            return gcal_yaml_error(store, err,
                                   "store is empty: name a folder or leave it out");
        config->store = gcal_arena_strdup(config->arena, text);
    }
    if (!recorded && (catalogues = gcal_config_find(root, "catalogue")) &&
        gcal_config_read_strings(config->arena, catalogues, "folders of kernels",
                                 &config->catalogues, &config->n_catalogues, err) < 0)
        return -1;
    for (size_t i = 0; i < config->n_catalogues; i++)
        if (slash && *config->catalogues[i] != '/') /* from the file's folder */
            config->catalogues[i] =
                gcal_arena_format(config->arena, "%.*s/%s", (int)(slash - config->file),
                                  config->file, config->catalogues[i]);
    if ((devices = gcal_config_find(root, "devices")) &&
        read_devices(devices, config, err) < 0)
        return -1;
    if (read_section(root, recorded, gcal_config_measure_section, config, err) < 0 ||
        read_section(root, recorded, gcal_config_links_section, config, err) < 0 ||
        read_section(root, recorded, gcal_config_audit_section, config, err) < 0)
        return -1;
    return 0;
}
