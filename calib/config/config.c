/* config.c - reading and clearing a configuration, and the devices that it is for */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/base/yaml.h"
#include "calib/config/private.h"
#include "kernels/model/feature.h"
#include "kernels/model/named_expr.h"
#include "kernels/model/roofs/names.h"

#define MAX_CONFIG_BYTES (4u << 20)

void gcal_config_clear(struct gcal_config *config)
{
    gcal_arena_destroy(config->arena);
    *config = (struct gcal_config){ 0 };
}

GCAL_ARENA_DESTROYER(destroy_names, gcal_expr_names_destroy)

GCAL_ARENA_DESTROYER(destroy_tree, gcal_yaml_destroy)

/* ---- models ---- */

static int read_models(const struct gcal_yaml *root, struct gcal_config *config,
                       struct gcal_error *err)
{
    const struct gcal_yaml *models = gcal_config_find(root, "models");

    if (!models)
        return gcal_yaml_error(root, err, "no 'models': there is nothing to calibrate");
    if (!gcal_config_need_list(models, "models", err))
        return -1;
    if (!models->n_items)
        return gcal_yaml_error(models, err, "the list of models is empty");
    config->models =
        gcal_arena_alloc(config->arena, models->n_items, sizeof(*config->models));
    /* An empty value is none, as for all keys. */
    if (!gcal_config_find(root, "expressions"))
        config->names = gcal_expr_names_create(err);
    else if (gcal_roofs_names_read(root, &config->names, err) < 0)
        return -1;
    if (!gcal_arena_own(config->arena, config->names, destroy_names))
        return -1;
    for (size_t i = 0; i < models->n_items; i++)
        if (gcal_config_read_model(config, models->items[i], err) < 0)
            return -1;
    return 0;
}

/* ---- files and texts ---- */

struct request {
    bool models;
    bool recorded; /* the text is a record's */
};

static int parse(const char *text, size_t size, const char *file, struct request request,
                 struct gcal_config *config, struct gcal_error *err)
{
    struct gcal_config made = { .tree = gcal_yaml_parse(text, size, file, err) };
    int rc;

    if (!made.tree)
        return -1;
    made.arena = gcal_arena_create();
    gcal_arena_own(made.arena, made.tree, destroy_tree);
    made.file = gcal_arena_strdup(made.arena, file);
    made.text = gcal_arena_alloc(made.arena, size + 1, 1);
    memcpy(made.text, text, size);
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

/* ---- the devices of a configuration and of its models ---- */

static bool matches_any(size_t count, char **globs, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (fnmatch(globs[i], text, FNM_CASEFOLD) == 0)
            return true;
    return count == 0;
}

bool gcal_config_device_filter_matches(const struct gcal_config_device_filter *filter,
                                       const struct gcal_device_info *info)
{
    return matches_any(filter->n_kinds, filter->kinds, info->device_type) &&
           matches_any(filter->n_vendors, filter->vendors, info->vendor) &&
           matches_any(filter->n_names, filter->names, info->name);
}

/* Letters and digits of 'text' in lower case, at most size - 1 of them. */
static void squeeze(const char *text, char *out, size_t size)
{
    for (; *text && size > 1; text++)
        if (isalnum((unsigned char)*text)) {
            *out++ = (char)tolower((unsigned char)*text);
            size--;
        }
    *out = '\0';
}

static bool contains_word(const char *text, const char *word)
{
    char squeezed_text[256], squeezed_word[256];

    squeeze(text, squeezed_text, sizeof(squeezed_text));
    squeeze(word, squeezed_word, sizeof(squeezed_word));
    return strstr(squeezed_text, squeezed_word) != NULL;
}

bool gcal_config_names_kind(size_t n, char *const *kinds,
                            const struct gcal_device_info *info)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(kinds[i], info->device_type) == 0)
            return true;
    return false;
}

bool gcal_config_model_applies(const struct gcal_config_model *m,
                               const struct gcal_device_info *info)
{
    struct gcal_feature output = { 0 };
    bool is_for = gcal_feature_parse(m->model->output, &output, NULL) == 0;

    if (m->n_kinds ? !gcal_config_names_kind(m->n_kinds, m->kinds, info)
                   : gcal_config_names_kind(m->n_others, m->others, info))
        is_for = false;
    if (is_for && output.platform)
        is_for = contains_word(info->platform, output.platform) &&
                 contains_word(info->name, output.device);
    gcal_feature_clear(&output);
    return is_for;
}
