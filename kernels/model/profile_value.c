/* profile_value.c - decoding of the values of a profile's keys */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/assume.h"
#include "kernels/model/expr.h"
#include "kernels/model/expr_private.h"
#include "kernels/model/profile_private.h"

int gcal_profile_copy_text(char **to, const char *text, struct gcal_error *err)
{
    if (!text)
        return -1;
    return (*to = strdup(text)) ? 0 : gcal_error_memory(err);
}

const struct gcal_yaml *gcal_profile_need(const struct gcal_yaml *map, const char *key,
                                          struct gcal_error *err)
{
    const struct gcal_yaml *node = gcal_yaml_find(map, key);

    if (!node)
        gcal_yaml_error(map, err, "'%s' is missing", key);
    return node;
}

int gcal_profile_take_text(struct gcal_profile_decoder *d, const struct gcal_yaml *map,
                           const char *key, char **to)
{
    const struct gcal_yaml *node = gcal_yaml_find(map, key);

    return node ? gcal_profile_copy_text(to, gcal_yaml_text(node, key, d->err), d->err)
                : 0;
}

static int take_expanded(struct gcal_profile_decoder *d, const struct gcal_yaml *node,
                         const char *what, const char *text, char **to)
{
    struct gcal_error inner;
    struct gcal_expr *expr;

    if (!(expr = gcal_expr_parse_in(text, d->n_symbols, d->symbols, &inner)))
        return gcal_yaml_error(node, d->err, "%s: %s", what, inner.text);
    gcal_expr_destroy(expr);
    return gcal_profile_copy_text(to, text, d->err);
}

int gcal_profile_take_expr(struct gcal_profile_decoder *d, const struct gcal_yaml *node,
                           const char *what, char **to)
{
    const char *text = gcal_yaml_text(node, what, d->err);
    struct gcal_error inner;
    char *whole;
    int rc;

    if (!text)
        return -1;
    if (!d->definitions.n_definitions)
        return take_expanded(d, node, what, text, to);
    if (!(whole =
              gcal_shared_expand(&d->definitions, text, GCAL_EXPR_MAX_LENGTH, &inner)))
        return gcal_yaml_error(node, d->err, "%s: %s", what, inner.text);
    d->n_expanded += strlen(whole);
    rc = d->n_expanded > GCAL_PROFILE_MAX_EXPANDED
             ? gcal_yaml_error(node, d->err,
                               "with their definitions, the expressions up to here have "
                               "more than %u characters",
                               GCAL_PROFILE_MAX_EXPANDED)
             : take_expanded(d, node, what, whole, to);
    free(whole);
    return rc;
}

int gcal_profile_take_assumptions(struct gcal_profile_decoder *d,
                                  const struct gcal_yaml *node, const char *what,
                                  char **to)
{
    const char *text = gcal_yaml_text(node, what, d->err);
    struct gcal_assume *assume;
    struct gcal_error inner;

    if (!text)
        return -1;
    if (!(assume = gcal_assume_parse(text, d->n_symbols, d->symbols, &inner)))
        return gcal_yaml_error(node, d->err, "%s", inner.text);
    gcal_assume_destroy(assume);
    return gcal_profile_copy_text(to, text, d->err);
}

int gcal_profile_take_choice(struct gcal_profile_decoder *d, const struct gcal_yaml *node,
                             const char *what, const char *const *names, size_t n,
                             size_t *choice)
{
    const char *text = gcal_yaml_text(node, what, d->err);

    if (!text)
        return -1;
    for (*choice = 0; *choice < n; ++*choice)
        if (strcmp(text, names[*choice]) == 0)
            return 0;
    return gcal_yaml_error(node, d->err, "%s: unknown '%.60s' (expected %s, ..., %s)",
                           what, text, names[0], names[n - 1]);
}

const struct gcal_yaml *gcal_profile_need_list(const struct gcal_yaml *map,
                                               const char *key, size_t min, size_t max,
                                               struct gcal_error *err)
{
    const struct gcal_yaml *list = gcal_profile_need(map, key, err);

    if (!list)
        return NULL;
    if (list->kind == GCAL_YAML_LIST && list->n_items >= min && list->n_items <= max)
        return list;
    gcal_yaml_error(list, err, "%s: expected a list of %zu to %zu items", key, min, max);
    return NULL;
}

int gcal_profile_take_count(struct gcal_profile_decoder *d, const struct gcal_yaml *map,
                            const char *key, size_t *count)
{
    const struct gcal_yaml *node = gcal_yaml_find(map, key);
    long long value;

    if (!node)
        return 0;
    if (gcal_yaml_integer(node, key, 1, 1 << 30, &value, d->err) < 0)
        return -1;
    *count = (size_t)value;
    return 0;
}

int gcal_profile_take_flag(struct gcal_profile_decoder *d, const struct gcal_yaml *map,
                           const char *key, bool *flag)
{
    const struct gcal_yaml *node = gcal_yaml_find(map, key);

    return node ? gcal_yaml_bool(node, key, flag, d->err) : 0;
}
