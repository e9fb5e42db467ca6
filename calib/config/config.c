#include "calib/config/config.h"

#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/base/yaml.h"
#include "calib/config/private.h"
#include "calib/model/expr_names.h"

#define MAX_CONFIG_BYTES (4u << 20)

void gcal_config_strings_clear(char **strings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(strings[i]);
    free(strings);
}

static void clear_tag_sets(struct gcal_config_tag_set *sets, size_t count)
{
    for (size_t i = 0; i < count; i++)
        gcal_config_strings_clear(sets[i].tags, sets[i].n_tags);
    free(sets);
}

void gcal_config_clear(struct gcal_config *config)
{
    for (size_t i = 0; i < config->n_models; i++) {
        struct gcal_config_model *m = &config->models[i];

        for (size_t k = 0; k < m->n_forms; k++) {
            free(m->forms[k].name);
            gcal_model_destroy(m->forms[k].model);
        }
        free(m->forms);
        clear_tag_sets(m->tag_sets, m->n_tag_sets);
        clear_tag_sets(m->targets, m->n_targets);
        gcal_config_strings_clear(m->tailored, m->n_tailored);
        gcal_config_strings_clear(m->checked, m->n_checked);
    }
    free(config->models);
    gcal_config_strings_clear(config->devices.kinds, config->devices.n_kinds);
    gcal_config_strings_clear(config->devices.vendors, config->devices.n_vendors);
    gcal_config_strings_clear(config->devices.names, config->devices.n_names);
    free(config->file);
    free(config->text);
    free(config->store);
    *config = (struct gcal_config){ 0 };
}

/* Before anything else: the keys of another version are not ours to judge. */
static int check_version(const struct gcal_yaml *root, struct gcal_error *err)
{
    const struct gcal_yaml *version = gcal_config_find(root, "version");
    long long value;

    if (root->kind != GCAL_YAML_MAP)
        return gcal_yaml_error(root, err, "expected a map that starts 'version: %d'",
                               GCAL_CONFIG_VERSION);
    if (!version)
        return gcal_yaml_error(root, err, "no 'version': say 'version: %d'",
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

/* Complains of the named expression that 'why' begins with. */
static int complain_name(const struct gcal_yaml *map, const struct gcal_error *why,
                         struct gcal_error *err)
{
    static const char begin[] = "expression '";

    for (size_t i = 0; i < map->n_items; i++) {
        const char *name = map->keys[i]->text;
        const char *at = why->text + sizeof(begin) - 1;

        if (strncmp(why->text, begin, sizeof(begin) - 1) == 0 &&
            strncmp(at, name, strlen(name)) == 0 && at[strlen(name)] == '\'')
            return gcal_yaml_error(map->items[i], err, "%s", why->text);
    }
    return gcal_yaml_error(map, err, "%s", why->text);
}

/* 'expressions', which may be NULL. */
static struct gcal_expr_names *read_names(const struct gcal_yaml *map,
                                          struct gcal_error *err)
{
    struct gcal_expr_names *names = gcal_expr_names_create(err);
    struct gcal_error why = { 0 };
    int rc = 0;

    if (!names || !map)
        return names;
    if (map->kind != GCAL_YAML_MAP)
        rc = gcal_yaml_error(map, err, "expressions: expected a map of name: expression");
    for (size_t i = 0; rc == 0 && i < map->n_items; i++) {
        const char *text = gcal_yaml_text(map->items[i], map->keys[i]->text, err);

        rc = text ? gcal_expr_names_add(names, map->keys[i]->text, text, &why) : -1;
        if (text && rc < 0)
            rc = complain_name(map, &why, err);
    }
    if (rc == 0 && gcal_expr_names_check(names, &why) < 0)
        rc = complain_name(map, &why, err);
    if (rc == 0)
        return names;
    gcal_expr_names_destroy(names);
    return NULL;
}

static int read_models(const struct gcal_yaml *root, struct gcal_config_reader *r,
                       struct gcal_error *err)
{
    const struct gcal_yaml *models = gcal_config_find(root, "models");
    struct gcal_expr_names *names;
    int rc = 0;

    if (!models)
        return gcal_yaml_error(root, err, "no 'models': there is nothing to calibrate");
    if (!gcal_config_need_list(models, "models", err))
        return -1;
    if (!models->n_items)
        return gcal_yaml_error(models, err, "the list of models is empty");
    if (!(r->config->models = calloc(models->n_items, sizeof(*r->config->models))))
        return gcal_error_memory(err);
    if (!(names = read_names(gcal_config_find(root, "expressions"), err)))
        return -1;
    r->names = names;
    for (size_t i = 0; i < models->n_items && rc == 0; i++)
        rc = gcal_config_read_model(r, models->items[i], err);
    gcal_expr_names_destroy(names);
    return rc;
}

static int read_settings(const struct gcal_yaml *root, struct gcal_config *config,
                         struct gcal_error *err)
{
    static const char *const keys[] = { "version", "store",       "devices", "measure",
                                        "audit",   "expressions", "models",  NULL };
    const struct gcal_yaml *node;

    if (check_version(root, err) < 0 || gcal_yaml_check_keys(root, keys, err) < 0)
        return -1;
    if ((node = gcal_config_find(root, "store")) &&
        read_store(node, &config->store, err) < 0)
        return -1;
    if ((node = gcal_config_find(root, "devices")) &&
        gcal_config_read_devices(node, &config->devices, err) < 0)
        return -1;
    if ((node = gcal_config_find(root, "measure")) &&
        gcal_config_read_measure(node, &config->measure, err) < 0)
        return -1;
    if ((node = gcal_config_find(root, "audit")) &&
        gcal_config_read_audit(node, config, err) < 0)
        return -1;
    return 0;
}

/* The record's text is the one that needs no catalogue. */
static int write_out(struct gcal_config *config, struct gcal_error *err)
{
    char *text = gcal_config_encode(config, err);

    if (!text)
        return -1;
    free(config->text);
    config->text = text;
    return 0;
}

static int read_root(const struct gcal_yaml *root, const struct gcal_catalogue *catalogue,
                     bool models, struct gcal_config *config, struct gcal_error *err)
{
    struct gcal_config_reader r = { .catalogue = catalogue, .config = config };

    if (read_settings(root, config, err) < 0)
        return -1;
    if (models && read_models(root, &r, err) < 0)
        return -1;
    if (r.expanded && write_out(config, err) < 0)
        return -1;
    return models ? gcal_config_set_fingerprint(config, err) : 0;
}

static int parse(const char *text, size_t size, const char *file,
                 const struct gcal_catalogue *catalogue, bool models,
                 struct gcal_config *config, struct gcal_error *err)
{
    struct gcal_config made = {
        .measure = { .budget_s = 60,
                     .min_time_s = 1e-3,
                     .max_time_s = 0.2,
                     .noise = 0.005,
                     .kernel_limit_s = 20,
                     .min_samples = 8,
                     .max_samples = 60,
                     .sizes = 3,
                     .seed = 1 },
        .audit_warn = 0.02,
        .audit_fail = 0.1,
        .audit_false_alarms = 0.001,
        .audit_confirm = 2,
        .audit_of = 3,
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
        rc = read_root(root, catalogue, models, &made, err);
    gcal_yaml_destroy(root);
    if (rc < 0)
        gcal_config_clear(&made);
    else
        *config = made;
    return rc;
}

int gcal_config_parse(const char *text, size_t size, const char *file,
                      const struct gcal_catalogue *catalogue, struct gcal_config *config,
                      struct gcal_error *err)
{
    return parse(text, size, file, catalogue, true, config, err);
}

static int read_file(const char *file, const struct gcal_catalogue *catalogue,
                     bool models, struct gcal_config *config, struct gcal_error *err)
{
    size_t size;
    char *text;
    int rc;

    if (!file)
        return parse(gcal_config_builtin->text, gcal_config_builtin->size,
                     "built-in models.yaml", catalogue, models, config, err);
    if (!(text = gcal_file_read(file, MAX_CONFIG_BYTES, &size, err)))
        return -1;
    rc = parse(text, size, file, catalogue, models, config, err);
    free(text);
    return rc;
}

int gcal_config_read(const char *file, const struct gcal_catalogue *catalogue,
                     struct gcal_config *config, struct gcal_error *err)
{
    return read_file(file, catalogue, true, config, err);
}

int gcal_config_read_settings(const char *file, struct gcal_config *config,
                              struct gcal_error *err)
{
    return read_file(file, NULL, false, config, err);
}
