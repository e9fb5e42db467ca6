/* Cost groups of ready forms: sums of expressions and of what feature classes stand for
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/base/yaml.h"
#include "calib/config/private.h"
#include "calib/model/expr.h"
#include "calib/model/form.h"
#include "calib/model/expr_names.h"

void gcal_config_costs_clear(struct gcal_config_costs *costs)
{
    for (size_t i = 0; i < costs->n_groups; i++) {
        free((char *)costs->groups[i].name);
        free((char *)costs->groups[i].expression);
    }
    free(costs->groups);
    free(costs->overhead);
    *costs = (struct gcal_config_costs){ 0 };
}

/* ---- items ---- */

/* A word is a class or a named expression; anything else is an expression. */
static bool is_word(const char *text)
{
    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return strncmp(text, "p_", 2) != 0 && strncmp(text, "f_", 2) != 0;
}

/* GCAL_CONFIG_N_CLASSES: it is none. */
static enum gcal_config_class class_of(const char *text,
                                       const struct gcal_expr_names *names)
{
    size_t i = 0;

    if (gcal_expr_names_has(names, text))
        return GCAL_CONFIG_N_CLASSES;
    while (i < GCAL_CONFIG_N_CLASSES && strcmp(gcal_config_class_names[i], text) != 0)
        i++;
    return i;
}

static int check_item(const struct gcal_yaml *item, const struct gcal_expr_names *names,
                      struct gcal_error *err)
{
    if (!gcal_yaml_text(item, "an item of a cost group", err))
        return -1;
    if (!is_word(item->text) || gcal_expr_names_has(names, item->text) ||
        class_of(item->text, names) != GCAL_CONFIG_N_CLASSES)
        return 0;
    return gcal_yaml_error(item, err,
                           "'%.60s' is neither a feature class (did you mean '%s'?) nor "
                           "in 'expressions'",
                           item->text,
                           gcal_yaml_nearest(item->text, gcal_config_class_names));
}

/* What stands in groups and overhead, one after the other. */
struct items {
    size_t n;
    const struct gcal_yaml **list;
};

static int list_items(const struct gcal_yaml *model, struct items *items,
                      struct gcal_error *err)
{
    const struct gcal_yaml *groups = gcal_config_find(model, "groups");
    const struct gcal_yaml *overhead = gcal_config_find(model, "overhead");
    size_t n = 1;

    for (size_t i = 0; groups && i < groups->n_items; i++)
        n += groups->items[i]->n_items;
    if (!(items->list = calloc(n, sizeof(*items->list))))
        return gcal_error_memory(err);
    for (size_t i = 0; groups && i < groups->n_items; i++)
        for (size_t k = 0; k < groups->items[i]->n_items; k++)
            items->list[items->n++] = groups->items[i]->items[k];
    if (overhead)
        items->list[items->n++] = overhead;
    return 0;
}

static int check_groups(const struct gcal_yaml *model, struct gcal_error *err)
{
    const struct gcal_yaml *groups = gcal_config_find(model, "groups");
    const struct gcal_yaml *forms = gcal_config_find(model, "forms");

    if (!groups) {
        for (size_t i = 0; i < forms->n_items; i++)
            if (strcmp(forms->items[i]->text, GCAL_CONFIG_FORM_TAILORED) != 0)
                return gcal_yaml_error(forms->items[i], err,
                                       "the form '%s' needs 'groups' of costs",
                                       forms->items[i]->text);
        return 0;
    }
    if (groups->kind != GCAL_YAML_MAP)
        return gcal_yaml_error(groups, err,
                               "groups: expected a map of name: [costs], e.g. {memory: "
                               "[memory_parts], onchip: [onchip_parts]}");
    for (size_t i = 0; i < groups->n_items; i++) {
        if (!gcal_config_need_list(groups->items[i], "costs", err))
            return -1;
        if (!groups->items[i]->n_items)
            return gcal_yaml_error(groups->items[i], err, "the group '%.60s' is empty",
                                   groups->keys[i]->text);
    }
    return 0;
}

bool gcal_config_costs_use_classes(const struct gcal_yaml *model,
                                   const struct gcal_expr_names *names)
{
    struct items items = { 0 };
    bool use = false;

    if (list_items(model, &items, NULL) < 0)
        return false; /* the next allocation will tell */
    for (size_t i = 0; i < items.n && !use; i++)
        use = items.list[i]->kind == GCAL_YAML_SCALAR &&
              class_of(items.list[i]->text, names) != GCAL_CONFIG_N_CLASSES;
    free(items.list);
    return use;
}

/* ---- what is written by hand ---- */

static char *resolve(const struct gcal_yaml *item, const struct gcal_expr_names *names,
                     struct gcal_error *err)
{
    struct gcal_error why = { 0 };
    char *text = gcal_expr_names_resolve(names, item->text, &why);

    if (!text)
        gcal_yaml_error(item, err, "%s", why.text);
    return text;
}

/* All expressions among the items as one, for the names in it. */
static struct gcal_expr *parse_written(const struct items *items,
                                       const struct gcal_expr_names *names,
                                       struct gcal_error *err)
{
    struct gcal_expr *expr = NULL;
    struct gcal_buf sum = { 0 };
    char *text;

    gcal_buf_puts(&sum, "0");
    for (size_t i = 0; i < items->n; i++) {
        if (class_of(items->list[i]->text, names) != GCAL_CONFIG_N_CLASSES)
            continue;
        if (!(text = resolve(items->list[i], names, err))) {
            gcal_buf_free(&sum);
            return NULL;
        }
        gcal_buf_printf(&sum, "+(%s)", text);
        free(text);
    }
    if ((text = gcal_buf_take(&sum, err)))
        expr = gcal_expr_parse(text, err);
    free(text);
    return expr;
}

static int name_terms(const struct items *items, const struct gcal_expr_names *names,
                      const struct gcal_config_class_kernels *kernels,
                      struct gcal_config_terms *terms, struct gcal_error *err)
{
    struct gcal_expr *written = parse_written(items, names, err);
    int rc = written ? 0 : -1;

    for (size_t i = 0; i < items->n && rc == 0; i++) {
        enum gcal_config_class class = class_of(items->list[i]->text, names);

        if (class != GCAL_CONFIG_N_CLASSES)
            rc = gcal_config_terms_add(terms, class, kernels, written, err);
    }
    if (rc == 0)
        rc = gcal_config_terms_name(terms, written, err);
    gcal_expr_destroy(written);
    return rc;
}

/* ---- sums ---- */

struct writing {
    const struct gcal_expr_names *names;
    const struct gcal_config_terms *terms;
    struct gcal_buf sum;
};

static int put_item(struct writing *w, const struct gcal_yaml *item,
                    struct gcal_error *err)
{
    enum gcal_config_class class = class_of(item->text, w->names);
    char *text;

    for (size_t i = 0; class != GCAL_CONFIG_N_CLASSES && i < w->terms->n; i++)
        if (w->terms->items[i].class == class)
            gcal_buf_printf(&w->sum, "%s%s * %s", w->sum.size ? " + " : "",
                            w->terms->items[i].parameter, w->terms->items[i].feature);
    if (class != GCAL_CONFIG_N_CLASSES)
        return 0;
    if (!(text = resolve(item, w->names, err)))
        return -1;
    gcal_buf_printf(&w->sum, "%s%s", w->sum.size ? " + " : "", text);
    free(text);
    return 0;
}

static char *write_group(struct writing *w, const struct gcal_yaml *key,
                         const struct gcal_yaml *list, struct gcal_error *err)
{
    for (size_t i = 0; i < list->n_items; i++)
        if (put_item(w, list->items[i], err) < 0) {
            gcal_buf_free(&w->sum);
            return NULL;
        }
    if (!w->sum.size) {
        gcal_yaml_error(list, err,
                        "the group '%.60s' is empty: none of the kernels in 'predicts' "
                        "has such features",
                        key->text);
        return NULL;
    }
    return gcal_buf_take(&w->sum, err);
}

static int write_overhead(struct writing *w, const struct gcal_yaml *overhead,
                          char **text, struct gcal_error *err)
{
    if (!overhead)
        return 0;
    if (put_item(w, overhead, err) < 0)
        return -1;
    if (!w->sum.size)
        return gcal_yaml_error(overhead, err, "none of the kernels in 'predicts' has it");
    return (*text = gcal_buf_take(&w->sum, err)) ? 0 : -1;
}

static int write_costs(const struct gcal_yaml *model, struct writing *w,
                       struct gcal_config_costs *costs, struct gcal_error *err)
{
    const struct gcal_yaml *groups = gcal_config_find(model, "groups");
    size_t n = groups ? groups->n_items : 0;

    if (!(costs->groups = calloc(n + 1, sizeof(*costs->groups))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < n; i++) {
        struct gcal_form_cost_group *group = &costs->groups[costs->n_groups++];

        group->expression = write_group(w, groups->keys[i], groups->items[i], err);
        if (!group->expression)
            return -1;
        if (!(group->name = strdup(groups->keys[i]->text)))
            return gcal_error_memory(err);
    }
    return write_overhead(w, gcal_config_find(model, "overhead"), &costs->overhead, err);
}

int gcal_config_costs_read(const struct gcal_yaml *model,
                           const struct gcal_expr_names *names,
                           const struct gcal_config_class_kernels *kernels,
                           struct gcal_config_costs *costs, struct gcal_error *err)
{
    struct writing w = { .names = names };
    struct gcal_config_terms terms = { 0 };
    struct items items = { 0 };
    int rc = -1;

    if (check_groups(model, err) < 0 || list_items(model, &items, err) < 0)
        goto out;
    for (size_t i = 0; i < items.n; i++) {
        if (check_item(items.list[i], names, err) < 0)
            goto out;
        costs->loads = costs->loads || class_of(items.list[i]->text, names) ==
                                           GCAL_CONFIG_CLASS_GLOBAL_ACCESSES;
    }
    if (name_terms(&items, names, kernels, &terms, err) < 0)
        goto out;
    w.terms = &terms;
    rc = write_costs(model, &w, costs, err);
out:
    gcal_buf_free(&w.sum);
    gcal_config_terms_clear(&terms);
    free(items.list);
    return rc;
}

char *gcal_config_costs_sum(const struct gcal_config_costs *costs, struct gcal_error *err)
{
    struct gcal_buf sum = { 0 };

    for (size_t i = 0; i < costs->n_groups; i++)
        gcal_buf_printf(&sum, "%s%s", i ? " + " : "", costs->groups[i].expression);
    if (costs->overhead)
        gcal_buf_printf(&sum, " + %s", costs->overhead);
    return gcal_buf_take(&sum, err);
}
