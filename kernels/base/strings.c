/* strings.c - a growing list of owned strings, and the words of one */
#include "kernels/base/strings.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"

int gcal_strings_take(struct gcal_strings *strings, char *text, struct gcal_error *err)
{
    char **items;

    if (!text)
        return gcal_error_memory(err);
    items = gcal_array_grow(strings->items, strings->n, &strings->capacity,
                            sizeof(*items), err);
    if (!items) {
        free(text);
        return -1;
    }
    strings->items = items;
    items[strings->n++] = text;
    return 0;
}

int gcal_strings_add(struct gcal_strings *strings, const char *text,
                     struct gcal_error *err)
{
    return gcal_strings_take(strings, strdup(text), err);
}

int gcal_strings_include(struct gcal_strings *strings, const char *text,
                         struct gcal_error *err)
{
    return gcal_strings_contain(strings, text) ? 0 : gcal_strings_add(strings, text, err);
}

size_t gcal_strings_find(const struct gcal_strings *strings, const char *text)
{
    size_t i = 0;

    while (i < strings->n && strcmp(strings->items[i], text) != 0)
        i++;
    return i;
}

bool gcal_strings_contain(const struct gcal_strings *strings, const char *text)
{
    return gcal_strings_find(strings, text) < strings->n;
}

void gcal_strings_clear(struct gcal_strings *strings)
{
    gcal_strings_free(strings->items, strings->n);
    *strings = (struct gcal_strings){ 0 };
}

void gcal_strings_free(char **items, size_t n)
{
    for (size_t i = 0; items && i < n; i++)
        free(items[i]);
    free(items);
}

const char *gcal_strings_next_word(const char **at, size_t *length)
{
    const char *word = *at + strspn(*at, " ");

    *length = strcspn(word, " ");
    *at = word + *length;
    return *length ? word : NULL;
}
