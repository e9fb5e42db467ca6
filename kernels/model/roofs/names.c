/* names.c - reading and writing the named expressions of models */
#include "kernels/model/roofs/names.h"

#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/named_expr.h"

#define KEY "expressions"

/* An error at the named expression that 'why' begins with. */
static int name_error(const struct gcal_yaml *map, const struct gcal_error *why,
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

static int add_names(const struct gcal_yaml *node, struct gcal_expr_names *names,
                     struct gcal_error *err)
{
    struct gcal_error why = { 0 };

    if (node->kind != GCAL_YAML_MAP)
        return gcal_yaml_error(node, err, KEY ": expected a map of name: expression");
    for (size_t i = 0; i < node->n_items; i++) {
        const char *text = gcal_yaml_text(node->items[i], node->keys[i]->text, err);

        if (!text)
            return -1;
        if (gcal_expr_names_add(names, node->keys[i]->text, text, &why) < 0)
            return name_error(node, &why, err);
    }
    return gcal_expr_names_check(names, &why) < 0 ? name_error(node, &why, err) : 0;
}

int gcal_roofs_names_read(const struct gcal_yaml *map, struct gcal_expr_names **names,
                          struct gcal_error *err)
{
    const struct gcal_yaml *node = gcal_yaml_find(map, KEY);

    if (!(*names = gcal_expr_names_create(err)))
        return -1;
    if (!node || add_names(node, *names, err) == 0)
        return 0;
    gcal_expr_names_destroy(*names);
    *names = NULL;
    return -1;
}

void gcal_roofs_names_write(struct gcal_yaml_writer *w,
                            const struct gcal_expr_names *names)
{
    if (!gcal_expr_names_count(names))
        return;
    gcal_yaml_write_text(w, KEY);
    gcal_yaml_write_map(w);
    for (size_t i = 0; i < gcal_expr_names_count(names); i++)
        gcal_yaml_put_text(w, gcal_expr_names_name(names, i),
                           gcal_expr_names_text(names, i));
    gcal_yaml_write_end_map(w);
}
