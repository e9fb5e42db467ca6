/* config.c - reading and clearing a configuration */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/base/strings.h"
#include "kernels/base/yaml.h"
#include "calib/config/private.h"
#include "kernels/model/named_expr.h"
#include "kernels/model/roofs/names.h"

#define MAX_CONFIG_BYTES (4u << 20)

void gcal_config_clear(struct gcal_config *config)
{
    for (size_t i = 0; i < config->n_models; i++)
        gcal_config_model_clear(&config->models[i]);
    free(config->models);
    gcal_expr_names_destroy(config->names);
    gcal_strings_free(config->devices.kinds, config->devices.n_kinds);
    gcal_strings_free(config->devices.vendors, config->devices.n_vendors);
    gcal_strings_free(config->devices.names, config->devices.n_names);
    gcal_strings_free(config->catalogues, config->n_catalogues);
    free(config->file);
    free(config->text);
    free(config->store);
    gcal_yaml_destroy(config->tree);
    *config = (struct gcal_config){ 0 };
}

/* ---- models ---- */

/* An empty value is none, as for all keys. */
static int read_names(const struct gcal_yaml *root, struct gcal_config *config,
                      struct gcal_error *err)
{
    if (gcal_config_find(root, "expressions"))
        return gcal_roofs_names_read(root, &config->names, err);
    config->names = gcal_expr_names_create(err);
    return config->names ? 0 : -1;
}

static int read_models(const struct gcal_yaml *root, struct gcal_config *config,
                       struct gcal_error *err)
{
    const struct gcal_yaml *models = gcal_config_find(root, "models");
    int rc = 0;

    if (!models)
        return gcal_yaml_error(root, err, "no 'models': there is nothing to calibrate");
    if (!gcal_config_need_list(models, "models", err))
        return -1;
    if (!models->n_items)
        return gcal_yaml_error(models, err, "the list of models is empty");
    if (!(config->models = calloc(models->n_items, sizeof(*config->models))))
        return gcal_error_memory(err);
    if (read_names(root, config, err) < 0)
        return -1;
    for (size_t i = 0; i < models->n_items && rc == 0; i++)
        rc = gcal_config_read_model(config, models->items[i], err);
    return rc;
}

/* ---- files and texts ---- */

struct request {
    bool models;
    bool recorded; /* the text is a record's, perhaps an old one */
};

static int parse(const char *text, size_t size, const char *file, struct request request,
                 struct gcal_config *config, struct gcal_error *err)
{
    struct gcal_config made = { .tree = gcal_yaml_parse(text, size, file, err) };
    int rc = -1;

    if (!made.tree)
        return -1;
    made.file = strdup(file);
    made.text = strndup(text, size);
    if (!made.file || !made.text)
        gcal_error_memory(err);
    else
        rc = gcal_config_read_all_settings(made.tree, request.recorded, &made, err);
    if (rc == 0 && request.models) {
        made.state = GCAL_CONFIG_READ;
        rc = read_models(made.tree, &made, err);
    }
    if (rc < 0)
        gcal_config_clear(&made);
    else
        *config = made;
    return rc;
}

int gcal_config_parse(const char *text, size_t size, const char *file,
                      struct gcal_config *config, struct gcal_error *err)
{
    const struct request request = { .models = true, .recorded = true };

    return parse(text, size, file, request, config, err);
}

const char *gcal_config_builtin_text(void)
{
    return gcal_config_builtin->text;
}

static int read_file(const char *file, struct request request, struct gcal_config *config,
                     struct gcal_error *err)
{
    size_t size;
    char *text;
    int rc;

    if (!file)
        return parse(gcal_config_builtin->text, gcal_config_builtin->size,
                     "built-in models.yaml", request, config, err);
    if (!(text = gcal_file_read(file, MAX_CONFIG_BYTES, &size, err)))
        return -1;
    rc = parse(text, size, file, request, config, err);
    free(text);
    return rc;
}

int gcal_config_read(const char *file, struct gcal_config *config, struct gcal_error *err)
{
    return read_file(file, (struct request){ .models = true }, config, err);
}

int gcal_config_read_settings(const char *file, struct gcal_config *config,
                              struct gcal_error *err)
{
    return read_file(file, (struct request){ 0 }, config, err);
}
