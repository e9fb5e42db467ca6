#include "calib/config.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/base/yaml.h"
#include "calib/config_private.h"

#define CONFIG_VERSION   1
#define MAX_CONFIG_BYTES (4u << 20)
#define MAX_LADDER       1000
#define MAX_SAMPLES      100000

/* Samples fewer than this have no spread to judge by. */
#define LEAST_SAMPLES 3

static void strings_clear(char **strings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(strings[i]);
    free(strings);
}

void gcal_config_clear(struct gcal_config *config)
{
    for (size_t i = 0; i < config->n_models; i++) {
        struct gcal_model_config *m = &config->models[i];

        for (size_t k = 0; k < m->n_forms; k++) {
            free(m->forms[k].name);
            gcal_model_destroy(m->forms[k].model);
        }
        free(m->forms);
        for (size_t k = 0; k < m->n_tag_sets; k++)
            strings_clear(m->tag_sets[k].tags, m->tag_sets[k].n_tags);
        free(m->tag_sets);
    }
    free(config->models);
    strings_clear(config->devices.types, config->devices.n_types);
    strings_clear(config->devices.vendors, config->devices.n_vendors);
    strings_clear(config->devices.names, config->devices.n_names);
    free(config->file);
    free(config->text);
    free(config->store);
    *config = (struct gcal_config){ 0 };
}

/* The value of a key that may be left out, or stand there with nothing behind it. */
static const struct gcal_yaml *find(const struct gcal_yaml *map, const char *key)
{
    const struct gcal_yaml *node = gcal_yaml_find(map, key);

    if (node && node->kind == GCAL_YAML_SCALAR && !node->quoted &&
        (!*node->text || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0))
        return NULL;
    return node;
}

static const struct gcal_yaml *list_of(const struct gcal_yaml *node, const char *what,
                                       struct gcal_error *err)
{
    if (node->kind == GCAL_YAML_LIST)
        return node;
    gcal_yaml_error(node, err, "expected a list of %s, e.g. [a, b]", what);
    return NULL;
}

/* A list of texts that are not empty. */
static int read_strings(const struct gcal_yaml *node, const char *what, char ***strings,
                        size_t *count, struct gcal_error *err)
{
    if (!list_of(node, what, err))
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

static int read_types(const struct gcal_yaml *node, struct gcal_device_filter *filter,
                      struct gcal_error *err)
{
    static const char *const known[] = { "gpu", "accelerator", "cpu", NULL };

    if (read_strings(node, "types", &filter->types, &filter->n_types, err) < 0)
        return -1;
    for (size_t i = 0; i < filter->n_types; i++)
        if (strcmp(gcal_yaml_nearest(filter->types[i], known), filter->types[i]) != 0)
            return gcal_yaml_error(node->items[i], err,
                                   "device type '%s' is none of gpu, accelerator, cpu",
                                   filter->types[i]);
    return 0;
}

static int read_devices(const struct gcal_yaml *node, struct gcal_device_filter *filter,
                        struct gcal_error *err)
{
    static const char *const keys[] = { "types", "vendors", "names", NULL };
    const struct gcal_yaml *item;

    if (gcal_yaml_check_keys(node, keys, err) < 0)
        return -1;
    if ((item = find(node, "types")) && read_types(item, filter, err) < 0)
        return -1;
    if ((item = find(node, "vendors")) &&
        read_strings(item, "vendors", &filter->vendors, &filter->n_vendors, err) < 0)
        return -1;
    if ((item = find(node, "names")) &&
        read_strings(item, "names", &filter->names, &filter->n_names, err) < 0)
        return -1;
    return 0;
}

/* A number above 'above' under 'key'; 'value' stays as it is where the key is absent. */
static int read_above(const struct gcal_yaml *map, const char *key, double above,
                      double *value, struct gcal_error *err)
{
    const struct gcal_yaml *node = find(map, key);
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
    const struct gcal_yaml *node = find(map, key);
    long long read;

    if (!node)
        return 0;
    if (gcal_yaml_integer(node, key, min, max, &read, err) < 0)
        return -1;
    *value = (uint64_t)read;
    return 0;
}

static int read_measure(const struct gcal_yaml *node, struct gcal_measure_options *m,
                        struct gcal_error *err)
{
    static const char *const keys[] = {
        "budget_s", "min_time_s",     "max_time_s", "min_samples", "max_samples",
        "noise",    "kernel_limit_s", "rungs",      "seed",        NULL
    };
    uint64_t min_samples = m->min_samples, max_samples = m->max_samples, rungs = m->rungs;

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
        read_count(node, "rungs", 1, MAX_LADDER, &rungs, err) < 0 ||
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
    m->rungs = rungs;
    return 0;
}

static int read_audit(const struct gcal_yaml *node, struct gcal_config *config,
                      struct gcal_error *err)
{
    static const char *const keys[] = { "warn", "fail", NULL };

    if (gcal_yaml_check_keys(node, keys, err) < 0 ||
        read_above(node, "warn", 0, &config->audit_warn, err) < 0 ||
        read_above(node, "fail", 0, &config->audit_fail, err) < 0)
        return -1;
    if (config->audit_warn > config->audit_fail)
        return gcal_yaml_error(node, err, "warn (%g) is above fail (%g)",
                               config->audit_warn, config->audit_fail);
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
                        const struct gcal_catalogue *catalogue, struct gcal_tag_set *set,
                        struct gcal_error *err)
{
    static const char *const keys[] = { "tags", "match", NULL };
    const struct gcal_yaml *tags, *match;
    struct gcal_error why = { 0 };

    set->line = node->line;
    set->column = node->column;
    if (gcal_yaml_check_keys(node, keys, err) < 0)
        return -1;
    if (!(tags = find(node, "tags")))
        return gcal_yaml_error(node, err, "tags are missing, e.g. {tags: [matmul_sq]}");
    if (read_strings(tags, "tags", &set->tags, &set->n_tags, err) < 0)
        return -1;
    if (!set->n_tags)
        return gcal_yaml_error(tags, err, "the list of tags is empty");
    if ((match = find(node, "match")) && read_match(match, &set->match, err) < 0)
        return -1;
    if (catalogue &&
        gcal_catalogue_check(catalogue, set->n_tags, (const char *const *)set->tags,
                             set->match, &why) < 0)
        return gcal_yaml_error(tags, err, "%s", why.text);
    return 0;
}

/* Names stand in comma-separated lists and on command lines. */
static int check_model_name(const struct gcal_yaml *node,
                            const struct gcal_config *config, const char *name,
                            struct gcal_error *err)
{
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_-.", *c))
            return gcal_yaml_error(node, err,
                                   "model name '%s': only letters, digits, '_', '-' and "
                                   "'.' are allowed",
                                   name);
    if (!*name)
        return gcal_yaml_error(node, err, "a model's name is empty");
    for (size_t i = 0; i < config->n_models; i++)
        if (strcmp(config->models[i].model->name, name) == 0)
            return gcal_yaml_error(node, err, "two models are called '%s'", name);
    return 0;
}

static int read_model(const struct gcal_yaml *node,
                      const struct gcal_catalogue *catalogue, struct gcal_config *config,
                      struct gcal_error *err)
{
    static const char *const more[] = { "kernels", NULL };
    struct gcal_model *model = gcal_model_decode(node, more, err);
    struct gcal_model_config *m = &config->models[config->n_models];
    const struct gcal_yaml *kernels;

    if (!model)
        return -1;
    if (check_model_name(gcal_yaml_find(node, "name"), config, model->name, err) < 0) {
        gcal_model_destroy(model);
        return -1;
    }
    if (!(m->forms = calloc(1, sizeof(*m->forms)))) {
        gcal_model_destroy(model);
        return gcal_error_memory(err);
    }
    m->model = m->forms[0].model = model;
    m->n_forms = 1;
    config->n_models++; /* owned from here on */
    if (!(m->forms[0].name = strdup("expression")))
        return gcal_error_memory(err);
    if (!(kernels = find(node, "kernels")))
        return gcal_yaml_error(node, err, "model '%s' has no kernels to be fitted to",
                               model->name);
    if (!list_of(kernels, "tag sets", err))
        return -1;
    if (!kernels->n_items)
        return gcal_yaml_error(kernels, err, "model '%s': the list of kernels is empty",
                               model->name);
    if (!(m->tag_sets = calloc(kernels->n_items, sizeof(*m->tag_sets))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < kernels->n_items; i++) {
        m->n_tag_sets++;
        if (read_tag_set(kernels->items[i], catalogue, &m->tag_sets[i], err) < 0)
            return -1;
    }
    return 0;
}

static int read_models(const struct gcal_yaml *root,
                       const struct gcal_catalogue *catalogue, struct gcal_config *config,
                       struct gcal_error *err)
{
    const struct gcal_yaml *models = find(root, "models");

    if (!models)
        return gcal_yaml_error(root, err, "no 'models': there is nothing to calibrate");
    if (!list_of(models, "models", err))
        return -1;
    if (!models->n_items)
        return gcal_yaml_error(models, err, "the list of models is empty");
    if (!(config->models = calloc(models->n_items, sizeof(*config->models))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < models->n_items; i++)
        if (read_model(models->items[i], catalogue, config, err) < 0)
            return -1;
    return 0;
}

/* Before anything else: the keys of another version are not ours to judge. */
static int check_version(const struct gcal_yaml *root, struct gcal_error *err)
{
    const struct gcal_yaml *version = find(root, "version");
    long long value;

    if (root->kind != GCAL_YAML_MAP)
        return gcal_yaml_error(root, err, "expected a map that starts 'version: %d'",
                               CONFIG_VERSION);
    if (!version)
        return gcal_yaml_error(root, err, "no 'version': say 'version: %d'",
                               CONFIG_VERSION);
    if (gcal_yaml_integer(version, "version", 0, INT32_MAX, &value, err) < 0)
        return -1;
    if (value != CONFIG_VERSION)
        return gcal_yaml_error(version, err,
                               "version %lld cannot be read; gpucal " GPUCAL_VERSION
                               " reads version %d",
                               value, CONFIG_VERSION);
    return 0;
}

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

static int read_root(const struct gcal_yaml *root, const struct gcal_catalogue *catalogue,
                     struct gcal_config *config, struct gcal_error *err)
{
    static const char *const keys[] = { "version", "store",  "devices", "measure",
                                        "audit",   "models", NULL };
    const struct gcal_yaml *node;

    if (check_version(root, err) < 0 || gcal_yaml_check_keys(root, keys, err) < 0)
        return -1;
    if ((node = find(root, "store")) && read_store(node, &config->store, err) < 0)
        return -1;
    if ((node = find(root, "devices")) && read_devices(node, &config->devices, err) < 0)
        return -1;
    if ((node = find(root, "measure")) && read_measure(node, &config->measure, err) < 0)
        return -1;
    if ((node = find(root, "audit")) && read_audit(node, config, err) < 0)
        return -1;
    return read_models(root, catalogue, config, err);
}

int gcal_config_parse(const char *text, size_t size, const char *file,
                      const struct gcal_catalogue *catalogue, struct gcal_config *config,
                      struct gcal_error *err)
{
    struct gcal_config made = {
        .measure = { .budget_s = 60,
                     .min_time_s = 1e-3,
                     .max_time_s = 0.2,
                     .noise = 0.005,
                     .kernel_limit_s = 20,
                     .min_samples = 8,
                     .max_samples = 60,
                     .rungs = 3,
                     .seed = 1 },
        .audit_warn = 0.05,
        .audit_fail = 0.15,
    };
    struct gcal_yaml *root = gcal_yaml_parse(text, size, file, err);
    int rc = -1;

    if (!root)
        return -1;
    made.file = strdup(file);
    made.text = strndup(text, size);
    if (!made.file || !made.text)
        gcal_error_memory(err);
    else
        rc = read_root(root, catalogue, &made, err);
    gcal_yaml_destroy(root);
    if (rc < 0)
        gcal_config_clear(&made);
    else
        *config = made;
    return rc;
}

int gcal_config_read(const char *file, const struct gcal_catalogue *catalogue,
                     struct gcal_config *config, struct gcal_error *err)
{
    size_t size;
    char *text;
    int rc;

    if (!file)
        return gcal_config_parse(gcal_builtin_config, gcal_builtin_config_size,
                                 "built-in models.yaml", catalogue, config, err);
    if (!(text = gcal_file_read(file, MAX_CONFIG_BYTES, &size, err)))
        return -1;
    rc = gcal_config_parse(text, size, file, catalogue, config, err);
    free(text);
    return rc;
}
