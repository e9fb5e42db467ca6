/* roofs.c - reading, writing and copying roofs */
#include "kernels/model/roofs/roofs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/named_expr.h"

#define KEY "roofs"

void gcal_roofs_clear(struct gcal_roofs *roofs)
{
    for (size_t i = 0; i < roofs->n; i++) {
        free(roofs->roofs[i].name);
        free(roofs->roofs[i].expression);
    }
    free(roofs->roofs);
    *roofs = (struct gcal_roofs){ 0 };
}

static int allocate(struct gcal_roofs *roofs, size_t n, struct gcal_error *err)
{
    *roofs = (struct gcal_roofs){ .roofs = calloc(n + 1, sizeof(*roofs->roofs)) };
    return roofs->roofs ? 0 : gcal_error_memory(err);
}

void gcal_roofs_write(struct gcal_yaml_writer *w, const struct gcal_roofs *roofs)
{
    if (!roofs->n)
        return;
    gcal_yaml_write_text(w, KEY);
    gcal_yaml_write_map(w);
    for (size_t i = 0; i < roofs->n; i++)
        gcal_yaml_put_text(w, roofs->roofs[i].name, roofs->roofs[i].expression);
    gcal_yaml_write_end_map(w);
}

/* ---- reading ---- */

/* Names are printed, and written as keys. */
static int check_name(const struct gcal_yaml *node, const char *name,
                      struct gcal_error *err)
{
    size_t length = 0;

    while (isalnum((unsigned char)name[length]) || name[length] == '_')
        length++;
    if (length && !name[length])
        return 0;
    return gcal_yaml_error(node, err,
                           "roof '%.60s': only letters, digits and '_' are "
                           "allowed in its name",
                           name);
}

static int check_unique(const struct gcal_yaml *node, const struct gcal_roofs *roofs,
                        const char *name, struct gcal_error *err)
{
    for (size_t i = 0; i < roofs->n; i++)
        if (strcmp(roofs->roofs[i].name, name) == 0)
            return gcal_yaml_error(node, err, "the roof '%.60s' is listed twice", name);
    return 0;
}

static int add(const struct gcal_yaml *node, const char *name, const char *text,
               const struct gcal_expr_names *names, struct gcal_roofs *roofs,
               struct gcal_error *err)
{
    struct gcal_roof *roof = &roofs->roofs[roofs->n];
    struct gcal_error why = { 0 };

    if (check_name(node, name, err) < 0 || check_unique(node, roofs, name, err) < 0)
        return -1;
    roofs->n++;
    if (!(roof->name = strdup(name)))
        return gcal_error_memory(err);
    if (names && gcal_expr_names_check_text(names, text, &why) < 0)
        return gcal_yaml_error(node, err, "roof '%.60s': %s", name, why.text);
    return (roof->expression = strdup(text)) ? 0 : gcal_error_memory(err);
}

int gcal_roofs_read(const struct gcal_yaml *map, const struct gcal_expr_names *names,
                    struct gcal_roofs *roofs, struct gcal_error *err)
{
    const struct gcal_yaml *node = gcal_yaml_find(map, KEY);

    *roofs = (struct gcal_roofs){ 0 };
    if (!node)
        return 0;
    if (node->kind == GCAL_YAML_SCALAR || (node->kind == GCAL_YAML_LIST && !names))
        return gcal_yaml_error(node, err, KEY ": expected a map of name: expression%s",
                               names ? ", or a list of names in 'expressions'" : "");
    if (node->n_items > GCAL_ROOFS_MAX)
        return gcal_yaml_error(node, err, "%zu roofs: at most %d are supported",
                               node->n_items, GCAL_ROOFS_MAX);
    if (allocate(roofs, node->n_items, err) < 0)
        return -1;
    /* A list's items are names and expressions at once. */
    for (size_t i = 0; i < node->n_items; i++) {
        const struct gcal_yaml *item = node->items[i];
        const char *text = gcal_yaml_text(item, "a roof", err);
        const char *name = node->keys ? node->keys[i]->text : text;

        if (!text)
            return -1;
        if (!node->keys && names && !gcal_expr_names_has(names, text))
            return gcal_yaml_error(item, err,
                                   "roof '%.60s' is not a name in 'expressions'; a roof "
                                   "of its own: {%.60s: EXPRESSION}",
                                   text, text);
        if (add(item, name, text, names, roofs, err) < 0)
            return -1;
    }
    return 0;
}
