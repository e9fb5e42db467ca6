/* arguments.c - the arguments of a generator, read from its description */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "kernels/generate/private.h"

enum {
    MOST_DEFAULTS = 64, /* arguments with more values need a 'default' */
    MOST_FACTORS = 16,
};

/* ---- the forms ---- */

static int read_list(const struct gcal_yaml *list, struct gcal_generator_arg *a,
                     struct gcal_error *err)
{
    a->form = GCAL_GENERATOR_VALUES_LISTED;
    return gcal_catalogue_texts_read(list, a->name, &a->listed, err);
}

/* The default sizes. */
static int read_sizes(const struct gcal_yaml *list, struct gcal_generator_arg *a,
                      struct gcal_error *err)
{
    a->form = GCAL_GENERATOR_VALUES_SIZE;
    if (gcal_catalogue_texts_read(list, a->name, &a->defaults, err) < 0)
        return -1;
    for (size_t i = 0; i < list->n_items; i++) {
        const struct gcal_yaml *item = list->items[i];

        if (!gcal_catalogue_is_size(item->text))
            return gcal_yaml_error(item, err, "%s: expected a positive integer", a->name);
        if (a->sweep && i && atoll(item->text) <= atoll(list->items[i - 1]->text))
            return gcal_yaml_error(item, err, "%s: the sizes of a ladder must ascend",
                                   a->name);
    }
    return 0;
}

/* Two integers, or three where 'most' is 3. */
static int read_ends(const struct gcal_yaml *list, const char *what, size_t most,
                     long long *ends, struct gcal_error *err)
{
    if (list->kind != GCAL_YAML_LIST || list->n_items < 2 || list->n_items > most)
        return gcal_yaml_error(list, err, "%s: expected [first, last%s]", what,
                               most == 3 ? "] or [first, last, step" : "");
    for (size_t i = 0; i < list->n_items; i++) {
        const struct gcal_yaml *item = list->items[i];

        if (item->kind != GCAL_YAML_SCALAR || !gcal_catalogue_is_integer(item->text))
            return gcal_yaml_error(item, err, "%s: expected an integer from 0", what);
        ends[i] = atoll(item->text);
    }
    if (ends[1] < ends[0])
        return gcal_yaml_error(list->items[1], err,
                               "%s: the last value is below the first", what);
    return 0;
}

static int read_range(const struct gcal_yaml *list, struct gcal_generator_arg *a,
                      struct gcal_error *err)
{
    long long ends[3] = { 0, 0, 1 };

    a->form = GCAL_GENERATOR_VALUES_RANGE;
    if (read_ends(list, a->name, 3, ends, err) < 0)
        return -1;
    if (!ends[2])
        return gcal_yaml_error(list->items[2], err, "%s: the step is 0", a->name);
    if ((ends[1] - ends[0]) % ends[2])
        return gcal_yaml_error(list->items[1], err,
                               "%s: steps of %lld from %lld miss the last value", a->name,
                               ends[2], ends[0]);
    a->first = ends[0];
    a->last = ends[1];
    a->step = ends[2];
    return 0;
}

static int read_powers(const struct gcal_yaml *list, struct gcal_generator_arg *a,
                       struct gcal_error *err)
{
    long long ends[2];

    a->form = GCAL_GENERATOR_VALUES_POWERS;
    if (read_ends(list, a->name, 2, ends, err) < 0)
        return -1;
    for (size_t i = 0; i < 2; i++)
        if (!gcal_generator_is_power_of_two(ends[i]))
            return gcal_yaml_error(list->items[i], err, "%s: %lld is not a power of two",
                                   a->name, ends[i]);
    a->first = ends[0];
    a->last = ends[1];
    return 0;
}

/* ---- footprints ---- */

static int read_factors(const struct gcal_yaml *list, const char *what,
                        struct gcal_error *err)
{
    if (!list)
        return 0;
    if (list->kind != GCAL_YAML_LIST || list->n_items > MOST_FACTORS)
        return gcal_yaml_error(list, err, "%s: expected a list of factors", what);
    for (size_t i = 0; i < list->n_items; i++) {
        double factor;

        if (gcal_yaml_double(list->items[i], what, &factor, err) < 0)
            return -1;
        if (!(factor > 0) || factor > 1e6)
            return gcal_yaml_error(list->items[i], err, "%s: expected a factor above 0",
                                   what);
    }
    return 0;
}

static size_t n_factors(const struct gcal_yaml *map, const char *key)
{
    const struct gcal_yaml *list = gcal_yaml_find(map, key);

    return list ? list->n_items : 0;
}

static int read_footprint(const struct gcal_yaml *map, struct gcal_generator_arg *a,
                          struct gcal_error *err)
{
    static const char *const keys[] = { "bytes", "cache", "memory", "multiple", NULL };
    const struct gcal_yaml *multiple;
    char text[32];
    size_t n;

    if (gcal_yaml_check_keys(map, keys, err) < 0 ||
        read_factors(gcal_yaml_find(map, "cache"), "cache", err) < 0 ||
        read_factors(gcal_yaml_find(map, "memory"), "memory", err) < 0)
        return -1;
    if (!(n = n_factors(map, "cache") + n_factors(map, "memory")))
        return gcal_yaml_error(
            map, err, "%s: expected factors of the cache or of the memory", a->name);
    a->form = GCAL_GENERATOR_VALUES_SIZE;
    a->footprint = map;
    a->multiple = 1;
    if ((multiple = gcal_yaml_find(map, "multiple")) &&
        gcal_yaml_integer(multiple, "multiple", 1, 1LL << 40, &a->multiple, err) < 0)
        return -1;
    /* One for each factor: a placeholder for the size that suits the device. */
    snprintf(text, sizeof(text), "%lld", a->multiple);
    while (n-- > 0)
        if (gcal_strings_add(&a->defaults, text, err) < 0)
            return -1;
    return 0;
}

/* ---- defaults ---- */

/* None: kernels are generated only where a tag has a value. */
static int read_defaults(const struct gcal_yaml *list, struct gcal_generator_arg *a,
                         struct gcal_error *err)
{
    if (list->kind == GCAL_YAML_LIST && !list->n_items)
        return a->form == GCAL_GENERATOR_VALUES_LISTED
                   ? 0
                   : gcal_yaml_error(list, err, "%s: only 'values' may have no default",
                                     a->name);
    if (gcal_catalogue_texts_read(list, a->name, &a->defaults, err) < 0)
        return -1;
    for (size_t i = 0; i < list->n_items; i++)
        if (!gcal_generator_arg_allows(a, list->items[i]->text))
            return gcal_yaml_error(list->items[i], err,
                                   "%s: the default '%s' is not among its values",
                                   a->name, list->items[i]->text);
    return 0;
}

/* All allowed values. */
static int default_to_all(const struct gcal_yaml *node, struct gcal_generator_arg *a,
                          struct gcal_error *err)
{
    if (a->form == GCAL_GENERATOR_VALUES_RANGE && !a->many &&
        (a->last - a->first) / a->step >= MOST_DEFAULTS)
        return gcal_yaml_error(node, err,
                               "%s: more than %d values: add 'default' with those to "
                               "use without a tag",
                               a->name, MOST_DEFAULTS);
    return gcal_generator_arg_list_values(a, &a->defaults, err);
}

static int read_argument(const struct gcal_yaml *node, struct gcal_generator_arg *a,
                         struct gcal_error *err)
{
    static const struct {
        const char *key;
        bool size, ladder;
        int (*read)(const struct gcal_yaml *, struct gcal_generator_arg *,
                    struct gcal_error *);
    } forms[] = {
        { "values", false, false, read_list },
        { "range", false, false, read_range },
        { "powers_of_two", false, false, read_powers },
        { "size", true, false, read_sizes },
        { "ladder", true, true, read_sizes },
        { "footprint", true, false, read_footprint },
    };
    static const char *const keys[] = { "values", "range",     "powers_of_two", "size",
                                        "ladder", "footprint", "default",       NULL };
    const struct gcal_yaml *defaults, *values = NULL;
    size_t form = 0, n_forms = 0;

    if (node->kind == GCAL_YAML_LIST)
        return read_list(node, a, err) < 0 ? -1 : default_to_all(node, a, err);
    if (gcal_yaml_check_keys(node, keys, err) < 0)
        return -1;
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
        if (gcal_yaml_find(node, forms[i].key)) {
            values = gcal_yaml_find(node, forms[i].key);
            form = i;
            n_forms++;
        }
    if (n_forms != 1)
        return gcal_yaml_error(node, err,
                               "%s: expected one of 'values', 'range', 'powers_of_two', "
                               "'size', 'ladder', 'footprint'",
                               a->name);
    a->size = forms[form].size;
    a->sweep = forms[form].ladder;
    if (forms[form].read(values, a, err) < 0)
        return -1;
    defaults = gcal_yaml_find(node, "default");
    if (a->size)
        return defaults
                   ? gcal_yaml_error(node, err, "%s: a size has no 'default'", a->name)
                   : 0;
    return defaults ? read_defaults(defaults, a, err) : default_to_all(node, a, err);
}

/* ---- all arguments ---- */

/* Arguments are tuned unless they are sizes, the type of the data, or whether work-groups fit;
 * 'tune' lists those that are, where others change the work.
 */
static int read_tuned(struct gcal_generator *g, struct gcal_error *err)
{
    const struct gcal_yaml *list = gcal_yaml_find(g->root, "tune");

    if (list && list->kind != GCAL_YAML_LIST)
        return gcal_yaml_error(list, err, "tune: expected a list of arguments");
    for (size_t i = 0; i < g->n_arguments; i++)
        g->arguments[i].tuned = !list && !g->arguments[i].size &&
                                strcmp(g->arguments[i].name, "dtype") != 0 &&
                                strcmp(g->arguments[i].name, "groups_fit") != 0;
    for (size_t i = 0; list && i < list->n_items; i++) {
        const char *name = gcal_yaml_text(list->items[i], "tune", err);
        size_t k = 0;

        if (!name)
            return -1;
        while (k < g->n_arguments && strcmp(g->arguments[k].name, name) != 0)
            k++;
        if (k == g->n_arguments || g->arguments[k].size)
            return gcal_yaml_error(list->items[i], err,
                                   "tune: '%s' is not an argument, or is a size", name);
        g->arguments[k].tuned = true;
    }
    return 0;
}

static void clear_arguments(void *object)
{
    struct gcal_generator *g = object;

    for (size_t i = 0; i < g->n_arguments; i++) {
        gcal_strings_clear(&g->arguments[i].listed);
        gcal_strings_clear(&g->arguments[i].defaults);
    }
}

int gcal_generator_read_args(struct gcal_generator *g, struct gcal_error *err)
{
    const struct gcal_yaml *map = gcal_generator_require(g->root, "arguments", err);
    int footprint = 0;

    if (!map)
        return -1;
    if (map->kind != GCAL_YAML_MAP || !map->n_items)
        return gcal_yaml_error(map, err, "arguments: expected a map of name: values");
    /* with room for those that a derived generator adds */
    g->arguments = gcal_arena_alloc(g->arena, map->n_items + 2, sizeof(*g->arguments));
    gcal_arena_own(g->arena, g, clear_arguments);
    for (size_t i = 0; i < map->n_items; i++) {
        struct gcal_generator_arg *a = &g->arguments[g->n_arguments++];

        a->name = map->keys[i]->text;
        a->many = gcal_yaml_find(g->root, "tune");
        if (!gcal_catalogue_is_name(a->name))
            return gcal_yaml_error(map->keys[i], err, "'%s' is not a name", a->name);
        if (read_argument(map->items[i], a, err) < 0)
            return -1;
        if (a->footprint && footprint++)
            return gcal_yaml_error(map->keys[i], err,
                                   "%s: only one size can have a footprint", a->name);
        /* Kernels of a family are generated in ascending order. */
        if (a->sweep && i + 1 < map->n_items)
            return gcal_yaml_error(map->keys[i], err,
                                   "%s: the argument with a ladder must be the last one",
                                   a->name);
    }
    return read_tuned(g, err);
}
