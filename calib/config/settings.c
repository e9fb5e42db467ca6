/* The settings of a configuration, and lists of tags. */
#include "calib/config/config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/yaml.h"
#include "calib/config/private.h"

#define MAX_SWEEP   1000
#define MAX_SAMPLES 100000

/* Samples fewer than this have no spread to judge by. */
#define LEAST_SAMPLES 3

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

int gcal_config_read_strings(const struct gcal_yaml *node, const char *what,
                             char ***strings, size_t *count, struct gcal_error *err)
{
    if (!gcal_config_need_list(node, what, err))
        return -1;
    if (!(*strings = calloc(node->n_items + 1, sizeof(**strings))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < node->n_items; i++) {
        const char *text = gcal_yaml_text(node->items[i], what, err);

        if (!text)
            return -1;
        if (!*text)
            return gcal_yaml_error(node->items[i], err, "an empty text among the %s",
                                   what);
        if (!((*strings)[i] = strdup(text)))
            return gcal_error_memory(err);
        ++*count;
    }
    return 0;
}

int gcal_config_read_kinds(const struct gcal_yaml *node, char ***kinds, size_t *count,
                           struct gcal_error *err)
{
    static const char *const known[] = { "gpu", "accelerator", "cpu", NULL };

    if (gcal_config_read_strings(node, "types", kinds, count, err) < 0)
        return -1;
    for (size_t i = 0; i < *count; i++)
        if (strcmp(gcal_yaml_nearest((*kinds)[i], known), (*kinds)[i]) != 0)
            return gcal_yaml_error(node->items[i], err,
                                   "device type '%s' is none of gpu, accelerator, cpu",
                                   (*kinds)[i]);
    return 0;
}

int gcal_config_read_devices(const struct gcal_yaml *node,
                             struct gcal_config_device_filter *filter,
                             struct gcal_error *err)
{
    static const char *const keys[] = { "types", "vendors", "names", NULL };
    const struct gcal_yaml *item;

    if (gcal_yaml_check_keys(node, keys, err) < 0)
        return -1;
    if ((item = gcal_config_find(node, "types")) &&
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

/* A number above 'above' under 'key'; 'value' stays as it is where the key is absent. */
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

int gcal_config_read_measure(const struct gcal_yaml *node,
                             struct gcal_config_measure_options *m,
                             struct gcal_error *err)
{
    static const char *const keys[] = {
        "budget_s",    "min_time_s", "max_time_s", "min_samples",
        "max_samples", "noise",      "precision",  "kernel_limit_s",
        "rungs",       "seed",       NULL
    };
    uint64_t min_samples = m->min_samples, max_samples = m->max_samples, sizes = m->sizes;

    if (gcal_yaml_check_keys(node, keys, err) < 0 ||
        read_above(node, "budget_s", 0, &m->budget_s, err) < 0 ||
        read_above(node, "min_time_s", 0, &m->min_time_s, err) < 0 ||
        read_above(node, "max_time_s", 0, &m->max_time_s, err) < 0 ||
        read_above(node, "noise", 0, &m->noise, err) < 0 ||
        read_above(node, "precision", 0, &m->precision, err) < 0 ||
        read_above(node, "kernel_limit_s", 0, &m->kernel_limit_s, err) < 0 ||
        read_count(node, "min_samples", LEAST_SAMPLES, MAX_SAMPLES, &min_samples, err) <
            0 ||
        read_count(node, "max_samples", LEAST_SAMPLES, MAX_SAMPLES, &max_samples, err) <
            0 ||
        read_count(node, "rungs", 1, MAX_SWEEP, &sizes, err) < 0 ||
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
    return 0;
}

int gcal_config_read_audit(const struct gcal_yaml *node, struct gcal_config *config,
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
            node, err,
            "false_alarms is %g, expected a share of all calibrations, "
            "as 0.001",
            config->audit_false_alarms);
    if (confirm > of)
        return gcal_yaml_error(node, err, "confirm (%llu) is above of (%llu)",
                               (unsigned long long)confirm, (unsigned long long)of);
    config->audit_confirm = confirm;
    config->audit_of = of;
    return 0;
}

static int read_match(const struct gcal_yaml *node, enum gcal_match *match,
                      struct gcal_error *err)
{
    static const struct {
        const char *name;
        enum gcal_match match;
    } known[] = {
        { "superset", GCAL_MATCH_SUPERSET },
        { "identical", GCAL_MATCH_IDENTICAL },
        { "subset", GCAL_MATCH_SUBSET },
        { "intersect", GCAL_MATCH_INTERSECT },
    };
    const char *text = gcal_yaml_text(node, "match", err);

    if (!text)
        return -1;
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(text, known[i].name) == 0) {
            *match = known[i].match;
            return 0;
        }
    return gcal_yaml_error(
        node, err, "match '%s' is none of superset, identical, subset, intersect", text);
}

static int read_tag_set(const struct gcal_yaml *node,
                        const struct gcal_catalogue *catalogue,
                        struct gcal_config_tag_set *set, struct gcal_error *err)
{
    static const char *const keys[] = { "tags", "match", NULL };
    const struct gcal_yaml *tags, *match;
    struct gcal_error why = { 0 };

    set->line = node->line;
    set->column = node->column;
    if (gcal_yaml_check_keys(node, keys, err) < 0)
        return -1;
    if (!(tags = gcal_config_find(node, "tags")))
        return gcal_yaml_error(node, err, "tags are missing, e.g. {tags: [matmul_sq]}");
    if (gcal_config_read_strings(tags, "tags", &set->tags, &set->n_tags, err) < 0)
        return -1;
    if (!set->n_tags)
        return gcal_yaml_error(tags, err, "the list of tags is empty");
    if ((match = gcal_config_find(node, "match")) &&
        read_match(match, &set->match, err) < 0)
        return -1;
    if (catalogue &&
        gcal_catalogue_check(catalogue, set->n_tags, (const char *const *)set->tags,
                             set->match, &why) < 0)
        return gcal_yaml_error(tags, err, "%s", why.text);
    return 0;
}

int gcal_config_read_tag_sets(const struct gcal_yaml *list, const char *what,
                              const struct gcal_catalogue *catalogue,
                              struct gcal_config_tag_set **sets, size_t *count,
                              struct gcal_error *err)
{
    if (!gcal_config_need_list(list, "tag sets", err))
        return -1;
    if (!list->n_items)
        return gcal_yaml_error(list, err, "the list of %s is empty", what);
    if (!(*sets = calloc(list->n_items, sizeof(**sets))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < list->n_items; i++) {
        ++*count;
        if (read_tag_set(list->items[i], catalogue, &(*sets)[i], err) < 0)
            return -1;
    }
    return 0;
}
