/* values.c - the values that an argument of a generator allows */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "kernels/generate/private.h"

/* A set larger than this must say which of its values are made without being asked. */
enum { MOST_DEFAULTS = 64 };

int gcal_catalogue_texts_add(struct gcal_catalogue_texts *texts, const char *text,
                             struct gcal_error *err)
{
    char **moved =
        gcal_array_grow(texts->items, texts->n, &texts->capacity, sizeof(*moved), err);

    if (!moved)
        return -1;
    texts->items = moved;
    if (!(moved[texts->n] = strdup(text)))
        return gcal_error_memory(err);
    texts->n++;
    return 0;
}

bool gcal_catalogue_texts_contain(const struct gcal_catalogue_texts *texts,
                                  const char *text)
{
    for (size_t i = 0; i < texts->n; i++)
        if (strcmp(texts->items[i], text) == 0)
            return true;
    return false;
}

void gcal_catalogue_texts_clear(struct gcal_catalogue_texts *texts)
{
    for (size_t i = 0; i < texts->n; i++)
        free(texts->items[i]);
    free(texts->items);
    memset(texts, 0, sizeof(*texts));
}

/* Names, values and tags become parts of kernels' names and of tags on a command line,
 * where ',' ':' and spaces have a meaning.
 */
static bool is_word(const char *text)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_.+-";

    return *text && text[strspn(text, allowed)] == '\0';
}

bool gcal_catalogue_is_name(const char *text)
{
    return is_word(text) && !strpbrk(text, ".+-") && !(*text >= '0' && *text <= '9');
}

bool gcal_catalogue_is_integer(const char *text)
{
    size_t n = strspn(text, "0123456789");

    return n > 0 && n <= 15 && !text[n] && (*text != '0' || n == 1);
}

bool gcal_catalogue_is_size(const char *text)
{
    return gcal_catalogue_is_integer(text) && *text != '0';
}

int gcal_catalogue_texts_read(const struct gcal_yaml *list, const char *what,
                              struct gcal_catalogue_texts *texts, struct gcal_error *err)
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
        if (gcal_catalogue_texts_contain(texts, item->text))
            return gcal_yaml_error(item, err, "%s: '%s' stands here twice", what,
                                   item->text);
        if (gcal_catalogue_texts_add(texts, item->text, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- the forms ---- */

static int read_list(const struct gcal_yaml *list, struct gcal_generator_arg *a,
                     struct gcal_error *err)
{
    a->form = GCAL_GENERATOR_VALUES_LISTED;
    return gcal_catalogue_texts_read(list, a->name, &a->listed, err);
}

/* The sizes made without a tag. */
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
            return gcal_yaml_error(item, err, "%s: a ladder must ascend", a->name);
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
                               "%s: the last value is below the "
                               "first",
                               what);
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
                               "%s: steps of %lld from %lld do not meet the last value",
                               a->name, ends[2], ends[0]);
    a->first = ends[0];
    a->last = ends[1];
    a->step = ends[2];
    return 0;
}

static bool is_power(long long value)
{
    return value > 0 && (value & (value - 1)) == 0;
}

static int read_powers(const struct gcal_yaml *list, struct gcal_generator_arg *a,
                       struct gcal_error *err)
{
    long long ends[2];

    a->form = GCAL_GENERATOR_VALUES_POWERS;
    if (read_ends(list, a->name, 2, ends, err) < 0)
        return -1;
    for (size_t i = 0; i < 2; i++)
        if (!is_power(ends[i]))
            return gcal_yaml_error(list->items[i], err, "%s: %lld is no power of two",
                                   a->name, ends[i]);
    a->first = ends[0];
    a->last = ends[1];
    return 0;
}

/* ---- defaults ---- */

static int read_defaults(const struct gcal_yaml *list, struct gcal_generator_arg *a,
                         struct gcal_error *err)
{
    if (gcal_catalogue_texts_read(list, a->name, &a->defaults, err) < 0)
        return -1;
    for (size_t i = 0; i < list->n_items; i++)
        if (!gcal_generator_arg_allows(a, list->items[i]->text))
            return gcal_yaml_error(list->items[i], err,
                                   "%s: the default '%s' is not among its values",
                                   a->name, list->items[i]->text);
    return 0;
}

/* All that are allowed, which must be few. */
static int default_to_all(const struct gcal_yaml *node, struct gcal_generator_arg *a,
                          struct gcal_error *err)
{
    const bool is_range = a->form == GCAL_GENERATOR_VALUES_RANGE;

    for (size_t i = 0; i < a->listed.n; i++)
        if (gcal_catalogue_texts_add(&a->defaults, a->listed.items[i], err) < 0)
            return -1;
    if (is_range && (a->last - a->first) / a->step >= MOST_DEFAULTS)
        return gcal_yaml_error(node, err,
                               "%s: more than %d values need a 'default', those that are "
                               "made unless a tag says otherwise",
                               a->name, MOST_DEFAULTS);
    for (long long v = a->first; a->form != GCAL_GENERATOR_VALUES_LISTED && v <= a->last;
         v = is_range ? v + a->step : 2 * v) {
        char text[32];

        snprintf(text, sizeof(text), "%lld", v);
        if (gcal_catalogue_texts_add(&a->defaults, text, err) < 0)
            return -1;
    }
    return 0;
}

int gcal_generator_arg_read(const struct gcal_yaml *node, struct gcal_generator_arg *a,
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
        { "footprint", true, false, gcal_generator_footprint_read },
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

void gcal_generator_arg_clear(struct gcal_generator_arg *a)
{
    gcal_catalogue_texts_clear(&a->listed);
    gcal_catalogue_texts_clear(&a->defaults);
}

/* ---- questions ---- */

bool gcal_generator_arg_allows(const struct gcal_generator_arg *a, const char *value)
{
    long long number = gcal_catalogue_is_integer(value) ? atoll(value) : -1;

    switch (a->form) {
    case GCAL_GENERATOR_VALUES_LISTED:
        return gcal_catalogue_texts_contain(&a->listed, value);
    case GCAL_GENERATOR_VALUES_SIZE:
        return gcal_catalogue_is_size(value);
    case GCAL_GENERATOR_VALUES_RANGE:
        return number >= a->first && number <= a->last &&
               (number - a->first) % a->step == 0;
    case GCAL_GENERATOR_VALUES_POWERS:
        return number >= a->first && number <= a->last && is_power(number);
    case GCAL_GENERATOR_VALUES_LOADS:
        return gcal_generator_keep_is_valid(value);
    }
    return false;
}

bool gcal_generator_arg_is_integer(const struct gcal_generator_arg *a)
{
    if (a->form == GCAL_GENERATOR_VALUES_LOADS)
        return false;
    for (size_t i = 0; i < a->listed.n; i++)
        if (!gcal_catalogue_is_integer(a->listed.items[i]))
            return false;
    return true;
}

void gcal_generator_arg_put_values(const struct gcal_generator_arg *a,
                                   struct gcal_buf *out)
{
    switch (a->form) {
    case GCAL_GENERATOR_VALUES_LISTED:
        for (size_t i = 0; i < a->listed.n; i++)
            gcal_buf_printf(out, "%s%s", i ? ", " : "", a->listed.items[i]);
        break;
    case GCAL_GENERATOR_VALUES_SIZE:
        gcal_buf_puts(out, "positive integers");
        break;
    case GCAL_GENERATOR_VALUES_RANGE:
        gcal_buf_printf(out, "%lld to %lld", a->first, a->last);
        if (a->step > 1)
            gcal_buf_printf(out, " in steps of %lld", a->step);
        break;
    case GCAL_GENERATOR_VALUES_POWERS:
        gcal_buf_printf(out, "powers of two from %lld to %lld", a->first, a->last);
        break;
    case GCAL_GENERATOR_VALUES_LOADS:
        gcal_buf_puts(out, "all, each, or names of global loads joined by '+'");
        break;
    }
}
