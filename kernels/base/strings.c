/* strings.c - a growing list of owned strings, and the words of one */
#include "kernels/base/strings.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
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

bool gcal_strings_have_word(const char *words, const char *word)
{
    size_t length;

    for (const char *w; (w = gcal_strings_next_word(&words, &length));)
        if (length == strlen(word) && strncmp(w, word, length) == 0)
            return true;
    return false;
}

static const char blanks[] = " \t\r\n";

/* Puts the next word; returns where it ends. */
static const char *put_word(struct gcal_buf *word, const char *p)
{
    char quote = 0;

    for (p += strspn(p, blanks); *p && (quote || !strchr(blanks, *p)); p++) {
        if (*p == '\\' && p[1])
            gcal_buf_put(word, ++p, 1);
        else if (!quote && (*p == '"' || *p == '\''))
            quote = *p;
        else if (quote && *p == quote)
            quote = 0;
        else
            gcal_buf_put(word, p, 1);
    }
    return p;
}

int gcal_strings_add_options(struct gcal_strings *strings, const char *options,
                             struct gcal_error *err)
{
    while (*(options += strspn(options, blanks))) {
        struct gcal_buf word = { 0 };

        gcal_buf_puts(&word, "");
        options = put_word(&word, options);
        if (word.size == 2 && word.data[0] == '-' && strchr("DUI", word.data[1])) {
            options = put_word(&word, options);
            if (word.size == 2) {
                gcal_buf_free(&word);
                return gcal_error_set(err, GCAL_EINPUT,
                                      "build options: the last one has no value");
            }
        }
        if (gcal_strings_take(strings, gcal_buf_take(&word, err), err) < 0)
            return -1;
    }
    return 0;
}
