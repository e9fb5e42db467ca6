/* where.c - conditions between a generator's arguments: the keys 'where', 'cases' and 'when'
 *
 * Values replace their names before a condition is parsed, so that the number after '%'
 * may be an argument, too.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/assume.h"
#include "kernels/generate/private.h"

/* ---- when: {argument: [values]} ---- */

int gcal_generator_when_check(const struct gcal_generator *g,
                              const struct gcal_yaml *when, struct gcal_error *err)
{
    if (when->kind != GCAL_YAML_MAP)
        return gcal_yaml_error(when, err, "when: expected {argument: [values]}");
    for (size_t i = 0; i < when->n_items; i++) {
        const struct gcal_yaml *list = when->items[i];
        const struct gcal_generator_arg *a =
            gcal_generator_find_arg(g, when->keys[i]->text);

        if (!a || list->kind != GCAL_YAML_LIST)
            return gcal_yaml_error(when->keys[i], err,
                                   "when: expected {argument: [values]}");
        for (size_t j = 0; j < list->n_items; j++) {
            if (!gcal_yaml_text(list->items[j], "when", err))
                return -1;
            if (!gcal_generator_arg_allows(a, list->items[j]->text))
                return gcal_yaml_error(list->items[j], err,
                                       "when: '%s' never has the value '%s'", a->name,
                                       list->items[j]->text);
        }
    }
    return 0;
}

static bool is_among(const struct gcal_yaml *list, const char *value)
{
    for (size_t i = 0; i < list->n_items; i++)
        if (strcmp(list->items[i]->text, value) == 0)
            return true;
    return false;
}

bool gcal_generator_when_holds(const struct gcal_generator_setting *s,
                               const struct gcal_yaml *when)
{
    for (size_t i = 0; when && i < when->n_items; i++)
        if (!is_among(when->items[i],
                      gcal_generator_setting_value(s, when->keys[i]->text)))
            return false;
    return true;
}

const struct gcal_yaml *
gcal_generator_setting_node(const struct gcal_generator_setting *s, const char *key)
{
    const struct gcal_yaml *cases = gcal_yaml_find(s->generator->root, "cases");

    for (size_t i = 0; cases && i < cases->n_items; i++) {
        const struct gcal_yaml *found = gcal_yaml_find(cases->items[i], key);

        if (found &&
            gcal_generator_when_holds(s, gcal_yaml_find(cases->items[i], "when")))
            return found;
    }
    return gcal_yaml_find(s->generator->root, key);
}

/* ---- where ---- */

/* The text of a condition: the item itself, or 'that' in the same map as 'when'. */
static const struct gcal_yaml *condition_of(const struct gcal_yaml *item)
{
    return item->kind == GCAL_YAML_MAP ? gcal_yaml_find(item, "that") : item;
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The next argument that is named from '*at' on, which moves past it; or NULL. */
static const struct gcal_generator_arg *next_argument(const struct gcal_generator *g,
                                                      const char **at)
{
    char name[64];

    while (**at) {
        const struct gcal_generator_arg *a;
        size_t n = 0;

        while (is_name_char((*at)[n]))
            n++;
        if (n && n < sizeof(name)) {
            memcpy(name, *at, n);
            name[n] = '\0';
            a = gcal_generator_find_arg(g, name);
            if (a) {
                *at += n;
                return a;
            }
        }
        *at += n ? n : 1;
    }
    return NULL;
}

static int evaluate(const struct gcal_generator_setting *s, const struct gcal_yaml *node,
                    bool *holds, struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_error reason = { 0 };
    const char *text = gcal_generator_expand(arena, s, node, "where", err);
    struct gcal_assume *condition =
        text ? gcal_assume_parse(text, 0, NULL, &reason) : NULL;
    int rc = condition ? 0 : -1;

    if (condition)
        *holds = gcal_assume_check(condition, NULL, NULL) == 0;
    else if (text)
        gcal_yaml_error(node, err, "where: %s", reason.text);
    gcal_assume_destroy(condition);
    gcal_arena_destroy(arena);
    return rc;
}

static int check_condition(const struct gcal_generator *g, const struct gcal_yaml *node,
                           struct gcal_error *err)
{
    const char *at = gcal_yaml_text(node, "where", err);
    const struct gcal_generator_arg *a;
    size_t n_arguments = 0;

    if (!at)
        return -1;
    for (; (a = next_argument(g, &at)); n_arguments++)
        if (a->size || !gcal_generator_arg_is_integer(a))
            return gcal_yaml_error(
                node, err,
                a->size ? "where: '%s' is a size: write conditions on sizes "
                          "as 'assume'"
                        : "where: not all values of '%s' are integers",
                a->name);
    return n_arguments ? 0
                       : gcal_yaml_error(node, err, "where: '%s' has no argument in it",
                                         node->text);
}

int gcal_generator_where_check(const struct gcal_generator *g, struct gcal_error *err)
{
    static const char *const keys[] = { "when", "that", NULL };
    const struct gcal_yaml *list = gcal_yaml_find(g->root, "where");

    if (list && list->kind != GCAL_YAML_LIST)
        return gcal_yaml_error(list, err, "where: expected a list of conditions");
    for (size_t i = 0; list && i < list->n_items; i++) {
        const struct gcal_yaml *item = list->items[i];

        if (item->kind == GCAL_YAML_MAP) {
            if (gcal_yaml_check_keys(item, keys, err) < 0)
                return -1;
            if (item->n_items < 2)
                return gcal_yaml_error(item, err,
                                       "where: expected {when: {argument: [values]}, "
                                       "that: condition}");
            if (gcal_generator_when_check(g, gcal_yaml_find(item, "when"), err) < 0)
                return -1;
        }
        if (check_condition(g, condition_of(item), err) < 0)
            return -1;
    }
    return 0;
}

int gcal_generator_cases_check(const struct gcal_generator *g, struct gcal_error *err)
{
    static const char *const keys[] = { "when", "global_size", "assume", "check", NULL };
    const struct gcal_yaml *list = gcal_yaml_find(g->root, "cases");

    if (list && list->kind != GCAL_YAML_LIST)
        return gcal_yaml_error(list, err, "cases: expected a list of maps");
    for (size_t i = 0; list && i < list->n_items; i++) {
        const struct gcal_yaml *item = list->items[i], *when;

        if (gcal_yaml_check_keys(item, keys, err) < 0)
            return -1;
        if (!(when = gcal_yaml_find(item, "when")))
            return gcal_yaml_error(item, err, "cases: key 'when' is missing");
        if (gcal_generator_when_check(g, when, err) < 0)
            return -1;
    }
    return 0;
}

int gcal_generator_where_broken(const struct gcal_generator_setting *s,
                                const struct gcal_yaml **broken, struct gcal_error *err)
{
    const struct gcal_yaml *list = gcal_yaml_find(s->generator->root, "where");

    *broken = NULL;
    for (size_t i = 0; list && i < list->n_items; i++) {
        const struct gcal_yaml *item = list->items[i];
        bool holds = true;

        if (item->kind == GCAL_YAML_MAP &&
            !gcal_generator_when_holds(s, gcal_yaml_find(item, "when")))
            continue;
        if (evaluate(s, condition_of(item), &holds, err) < 0)
            return -1;
        if (!holds) {
            *broken = item;
            return 0;
        }
    }
    return 0;
}

static bool names(const struct gcal_generator *g, const char *text,
                  const struct gcal_generator_arg *a)
{
    const struct gcal_generator_arg *found;

    while ((found = next_argument(g, &text)))
        if (found == a)
            return true;
    return false;
}

void gcal_generator_where_put_broken(const struct gcal_generator_setting *s,
                                     const struct gcal_yaml *broken, struct gcal_buf *out)
{
    const struct gcal_generator *g = s->generator;
    const struct gcal_yaml *node = condition_of(broken);
    const struct gcal_yaml *when = gcal_yaml_find(broken, "when");

    gcal_buf_printf(out, "%s: '%s' (%s:%d:%d) does not hold for", g->name, node->text,
                    node->file, node->line, node->column);
    for (size_t i = 0; i < g->n_arguments; i++) {
        const struct gcal_generator_arg *a = &g->arguments[i];

        if ((when && gcal_yaml_find(when, a->name)) || names(g, node->text, a))
            gcal_buf_printf(out, " %s:%s", a->name, s->values[i]);
    }
}
