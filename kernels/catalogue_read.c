#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/random.h"
#include "calib/model/expr.h"
#include "kernels/catalogue_private.h"

/* Names, values and tags become parts of kernels' names and of tags on a command line,
 * where ',' ':' and spaces have a meaning.
 */
static bool is_word(const char *text)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_.+-";

    return *text && text[strspn(text, allowed)] == '\0';
}

static bool is_name(const char *text)
{
    return is_word(text) && !strpbrk(text, ".+-") && !(*text >= '0' && *text <= '9');
}

bool gcal_is_size(const char *text)
{
    size_t n = strspn(text, "0123456789");

    return n > 0 && n <= 15 && !text[n] && *text != '0';
}

static const struct gcal_yaml *require(const struct gcal_yaml *map, const char *key,
                                       struct gcal_error *err)
{
    const struct gcal_yaml *node = gcal_yaml_find(map, key);

    if (!node)
        gcal_yaml_error(map, err, "key '%s' is missing", key);
    return node;
}

static const char *require_name(const struct gcal_yaml *map, const char *key,
                                struct gcal_error *err)
{
    const struct gcal_yaml *node = require(map, key, err);
    const char *text = node ? gcal_yaml_text(node, key, err) : NULL;

    if (text && !is_name(text)) {
        gcal_yaml_error(node, err, "%s: expected a name of letters, digits and '_'", key);
        return NULL;
    }
    return text;
}

/* A list, not empty, of words that differ. */
static int check_words(const struct gcal_yaml *list, const char *what,
                       struct gcal_error *err)
{
    if (list->kind != GCAL_YAML_LIST || !list->n_items)
        return gcal_yaml_error(list, err, "%s: expected a list such as [a, b]", what);
    for (size_t i = 0; i < list->n_items; i++) {
        const struct gcal_yaml *item = list->items[i];

        if (!gcal_yaml_text(item, what, err))
            return -1;
        if (!is_word(item->text))
            return gcal_yaml_error(item, err,
                                   "%s: '%s' holds a character other than "
                                   "letters, digits and _ . + -",
                                   what, item->text);
        for (size_t j = 0; j < i; j++)
            if (strcmp(item->text, list->items[j]->text) == 0)
                return gcal_yaml_error(item, err, "%s: '%s' stands here twice", what,
                                       item->text);
    }
    return 0;
}

static int check_sizes(const struct gcal_yaml *list, const char *name, bool ascending,
                       struct gcal_error *err)
{
    for (size_t i = 0; i < list->n_items; i++) {
        const struct gcal_yaml *item = list->items[i];

        if (!gcal_is_size(item->text))
            return gcal_yaml_error(item, err, "%s: expected a positive integer", name);
        if (ascending && i && atoll(item->text) <= atoll(list->items[i - 1]->text))
            return gcal_yaml_error(item, err, "%s: a ladder must ascend", name);
    }
    return 0;
}

static int check_defaults(const struct gcal_generator_arg *a, struct gcal_error *err)
{
    if (check_words(a->defaults, a->name, err) < 0)
        return -1;
    for (size_t i = 0; i < a->defaults->n_items; i++)
        if (!gcal_argument_allows(a, a->defaults->items[i]->text))
            return gcal_yaml_error(a->defaults->items[i], err,
                                   "%s: the default '%s' is not among its values",
                                   a->name, a->defaults->items[i]->text);
    return 0;
}

/* [values] | {values: [], default: []} | {size: []} | {ladder: []} */
static int read_argument(const struct gcal_yaml *node, struct gcal_generator_arg *a,
                         struct gcal_error *err)
{
    static const char *const keys[] = { "values", "default", "size", "ladder", NULL };
    const struct gcal_yaml *size, *ladder, *values;

    if (node->kind == GCAL_YAML_LIST) {
        a->allowed = a->defaults = node;
        return check_words(node, a->name, err);
    }
    if (gcal_yaml_check_keys(node, keys, err) < 0)
        return -1;
    size = gcal_yaml_find(node, "size");
    ladder = gcal_yaml_find(node, "ladder");
    values = gcal_yaml_find(node, "values");
    if (!!size + !!ladder + !!values != 1)
        return gcal_yaml_error(node, err,
                               "%s: expected one of 'values', 'size', 'ladder'", a->name);
    a->size = size || ladder;
    a->ladder = ladder != NULL;
    a->allowed = a->defaults = size ? size : ladder ? ladder : values;
    if (check_words(a->allowed, a->name, err) < 0)
        return -1;
    if (a->size && check_sizes(a->allowed, a->name, a->ladder, err) < 0)
        return -1;
    if (!gcal_yaml_find(node, "default"))
        return 0;
    if (a->size)
        return gcal_yaml_error(node, err, "%s: 'default' goes with 'values'", a->name);
    a->defaults = gcal_yaml_find(node, "default");
    return check_defaults(a, err);
}

static int read_arguments(struct gcal_generator *g, struct gcal_error *err)
{
    const struct gcal_yaml *map = require(g->root, "arguments", err);

    if (!map)
        return -1;
    if (map->kind != GCAL_YAML_MAP || !map->n_items)
        return gcal_yaml_error(map, err, "arguments: expected a map of name: values");
    if (!(g->arguments = calloc(map->n_items, sizeof(*g->arguments))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < map->n_items; i++) {
        struct gcal_generator_arg *a = &g->arguments[g->n_arguments++];

        a->name = map->keys[i]->text;
        if (!is_name(a->name))
            return gcal_yaml_error(map->keys[i], err, "'%s' is not a name", a->name);
        if (read_argument(map->items[i], a, err) < 0)
            return -1;
        /* So that the kernels of a family come out in ascending order. */
        if (a->ladder && i + 1 < map->n_items)
            return gcal_yaml_error(map->keys[i], err,
                                   "%s: the argument with a ladder must be the last one",
                                   a->name);
    }
    return 0;
}

static int check_version(const struct gcal_yaml *root, struct gcal_error *err)
{
    const struct gcal_yaml *node = require(root, "gpucal_kernel", err);
    long long version;

    return node ? gcal_yaml_integer(node, "gpucal_kernel", 1, 1, &version, err) : -1;
}

/* 'check' fixes every size and nothing else. */
static int check_check(const struct gcal_generator *g, struct gcal_error *err)
{
    const struct gcal_yaml *map = require(g->root, "check", err);
    size_t n_sizes = 0;

    if (!map)
        return -1;
    for (size_t i = 0; i < g->n_arguments; i++) {
        const struct gcal_yaml *value;

        if (!g->arguments[i].size)
            continue;
        n_sizes++;
        if (!(value = gcal_yaml_find(map, g->arguments[i].name)))
            return gcal_yaml_error(map, err, "check: size '%s' is missing",
                                   g->arguments[i].name);
        if (value->kind != GCAL_YAML_SCALAR || !gcal_is_size(value->text))
            return gcal_yaml_error(value, err, "check: expected a positive integer");
    }
    if (map->kind != GCAL_YAML_MAP || map->n_items != n_sizes)
        return gcal_yaml_error(map, err, "check: expected a map of the sizes only");
    return 0;
}

static int read_options(struct gcal_generator *g, struct gcal_error *err)
{
    const struct gcal_yaml *tolerance = gcal_yaml_find(g->root, "tolerance");
    const struct gcal_yaml *short_run = gcal_yaml_find(g->root, "short");

    g->tolerance = 1e-5;
    if (tolerance && gcal_yaml_double(tolerance, "tolerance", &g->tolerance, err) < 0)
        return -1;
    if (!(g->tolerance >= 0 && g->tolerance < 1))
        return gcal_yaml_error(tolerance, err, "tolerance: expected 0 to 1");
    return short_run ? gcal_yaml_bool(short_run, "short", &g->short_run, err) : 0;
}

static int check_sizes_at(const struct gcal_generator *g, struct gcal_error *err)
{
    const char **values = calloc(g->n_arguments, sizeof(*values));
    struct gcal_setting setting = { .generator = g, .values = values };
    struct gcal_geometry geometry = { 0 };
    struct gcal_kernel *kernel = NULL;
    int rc = -1;

    if (!values)
        return gcal_error_memory(err);
    for (size_t i = 0; i < g->n_arguments; i++)
        values[i] = g->arguments[i].defaults->items[0]->text;
    if (!(kernel = gcal_kernel_create(&setting, err)))
        goto out;
    if (gcal_check_assume(g, kernel->n_check_sizes, kernel->check_sizes, err) < 0 ||
        gcal_kernel_geometry(kernel, kernel->n_check_sizes, kernel->check_sizes,
                             &geometry, err) < 0) {
        gcal_error_prefix(err, "%s: check", g->root->file);
        goto out;
    }
    rc = 0;
out:
    gcal_geometry_clear(&geometry);
    gcal_kernel_destroy(kernel);
    free(values);
    return rc;
}

/* An argument that says what is kept. */
static int check_keep(const struct gcal_generator *g, const struct gcal_yaml *keep,
                      struct gcal_error *err)
{
    if (!gcal_yaml_text(keep, "keep", err))
        return -1;
    for (size_t i = 0; i < g->n_arguments; i++)
        if (strcmp(g->arguments[i].name, keep->text) == 0 && !g->arguments[i].size)
            return 0;
    return gcal_yaml_error(keep, err, "keep: '%s' is not an argument that is no size",
                           keep->text);
}

/* Loads alone, and of which arrays; or on-chip work alone. */
static int check_remove_work(const struct gcal_generator *g, struct gcal_error *err)
{
    static const char *const loads_keys[] = { "form", "keep", "accumulators", "dtype",
                                              NULL };
    static const char *const onchip_keys[] = { "form", "dtype", NULL };
    const struct gcal_yaml *map = gcal_yaml_find(g->root, "remove_work"), *form, *keep;
    const char *name = "loads";

    if (!map)
        return 0;
    if ((form = gcal_yaml_find(map, "form")) &&
        !(name = gcal_yaml_text(form, "form", err)))
        return -1;
    if (strcmp(name, "onchip") == 0)
        return gcal_yaml_check_keys(map, onchip_keys, err) < 0 ||
                       !require(map, "dtype", err)
                   ? -1
                   : 0;
    if (strcmp(name, "loads") != 0)
        return gcal_yaml_error(form, err, "form: '%s' is neither loads nor onchip", name);
    if (gcal_yaml_check_keys(map, loads_keys, err) < 0 ||
        !(keep = require(map, "keep", err)) || !require(map, "dtype", err))
        return -1;
    return check_keep(g, keep, err);
}

const char *gcal_generator_source_name(const struct gcal_yaml *root,
                                       struct gcal_error *err)
{
    const struct gcal_yaml *node = require(root, "source", err);
    const char *name = node ? gcal_yaml_text(node, "source", err) : NULL;

    if (name && (strchr(name, '/') || *name == '.' || !*name)) {
        gcal_yaml_error(node, err, "source: expected the name of a file in this folder");
        return NULL;
    }
    return name;
}

static int read_generator(struct gcal_generator *g, struct gcal_error *err)
{
    static const char *const keys[] = {
        "gpucal_kernel", "name",      "description", "tags",        "source", "kernel",
        "arguments",     "defines",   "local_size",  "global_size", "args",   "assume",
        "check",         "tolerance", "reference",   "remove_work", "short",  NULL
    };

    if (gcal_yaml_check_keys(g->root, keys, err) < 0 || check_version(g->root, err) < 0)
        return -1;
    if (!(g->name = require_name(g->root, "name", err)) ||
        !require_name(g->root, "kernel", err) ||
        !(g->source_name = gcal_generator_source_name(g->root, err)) ||
        !(g->tags = require(g->root, "tags", err)) ||
        check_words(g->tags, "tags", err) < 0)
        return -1;
    if (read_arguments(g, err) < 0 || check_check(g, err) < 0 ||
        read_options(g, err) < 0 || check_remove_work(g, err) < 0)
        return -1;
    /* The rest is what a kernel is made from: making one finds what is not right. */
    return check_sizes_at(g, err);
}

struct gcal_generator *gcal_generator_create(struct gcal_yaml *root, const char *source,
                                             struct gcal_error *err)
{
    struct gcal_generator *g = calloc(1, sizeof(*g));

    if (!g) {
        gcal_error_memory(err);
        gcal_yaml_destroy(root);
        return NULL;
    }
    g->root = root;
    if (!(g->source = strdup(source)))
        gcal_error_memory(err);
    else if (read_generator(g, err) == 0)
        return g;
    gcal_generator_destroy(g);
    return NULL;
}

void gcal_generator_destroy(struct gcal_generator *generator)
{
    if (!generator)
        return;
    gcal_yaml_destroy(generator->root);
    free(generator->source);
    free(generator->arguments);
    free(generator);
}
