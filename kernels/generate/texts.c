/* texts.c - lists of words, and which texts are names, integers and sizes */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "kernels/generate/private.h"

/* Names, values and tags occur in kernels' names and in tags on a command line, where
 * ',' ':' and spaces have a meaning.
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
                              struct gcal_strings *texts, struct gcal_error *err)
{
    if (list->kind != GCAL_YAML_LIST || !list->n_items)
        return gcal_yaml_error(list, err, "%s: expected a list such as [a, b]", what);
    for (size_t i = 0; i < list->n_items; i++) {
        const struct gcal_yaml *item = list->items[i];

        if (!gcal_yaml_text(item, what, err))
            return -1;
        if (!is_word(item->text))
            return gcal_yaml_error(item, err,
                                   "%s: '%s' has a character other than letters, "
                                   "digits and _ . + -",
                                   what, item->text);
        if (gcal_strings_contain(texts, item->text))
            return gcal_yaml_error(item, err, "%s: duplicate '%s'", what, item->text);
        if (gcal_strings_add(texts, item->text, err) < 0)
            return -1;
    }
    return 0;
}
