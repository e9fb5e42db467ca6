/* model_yaml.c - parameters and named expressions of models as YAML */
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/yaml.h"
#include "calib/model/model.h"
#include "calib/model/named_expr.h"

/* ---- parameters ---- */

static int decode_number(const struct gcal_yaml *node, const char *key, double *value,
                         struct gcal_error *err)
{
    const struct gcal_yaml *item = gcal_yaml_find(node, key);

    return item ? gcal_yaml_double(item, key, value, err) : 0;
}

static int decode_unit(const struct gcal_yaml *node, struct gcal_model_parameter *p,
                       struct gcal_error *err)
{
    const struct gcal_yaml *item = gcal_yaml_find(node, "unit");
    const char *text = item ? gcal_yaml_text(item, "unit", err) : p->unit;
    char *unit;

    if (!text)
        return -1;
    if (!(unit = strdup(text)))
        return gcal_error_memory(err);
    free(p->unit);
    p->unit = unit;
    return 0;
}

int gcal_model_parameter_decode(const struct gcal_yaml *node,
                                struct gcal_model_parameter *p, struct gcal_error *err)
{
    static const char *const known[] = { "unit", "initial", "min", "max", NULL };

    if (gcal_yaml_check_keys(node, known, err) < 0 || decode_unit(node, p, err) < 0 ||
        decode_number(node, "initial", &p->initial, err) < 0 ||
        decode_number(node, "min", &p->min, err) < 0 ||
        decode_number(node, "max", &p->max, err) < 0)
        return -1;
    if (!(p->min < p->max))
        return gcal_yaml_error(node, err, "%s: min %g is not below max %g", p->name,
                               p->min, p->max);
    if (p->initial < p->min || p->initial > p->max)
        return gcal_yaml_error(node, err, "%s: initial %g is outside %g to %g", p->name,
                               p->initial, p->min, p->max);
    return 0;
}

/* ---- named expressions ---- */

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

int gcal_expr_names_read(const struct gcal_yaml *map, struct gcal_expr_names **names,
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

void gcal_expr_names_write(struct gcal_yaml_writer *w,
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
