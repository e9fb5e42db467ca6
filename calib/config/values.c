/* values.c - values that several keys have: lists of texts, device kinds */
#include <stdlib.h>
#include <string.h>

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

int gcal_config_read_strings(const struct gcal_yaml *node, const char *what,
                             char ***strings, size_t *count, struct gcal_error *err)
{
    if (!gcal_config_need_list(node, what, err))
        return -1;
    *count = 0;
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
        *count = i + 1;
    }
    return 0;
}

int gcal_config_read_kinds(const struct gcal_yaml *node, char ***kinds, size_t *count,
                           struct gcal_error *err)
{
    static const char *const known[] = { "gpu", "accelerator", "cpu", NULL };

    if (gcal_config_read_strings(node, "kinds", kinds, count, err) < 0)
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
