/* times_names.c - configurations by their names, with the words in any order */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "mpi/commands/tune/times.h"

struct entry {
    char *key;
    size_t config;
};

struct gcal_tune_names {
    const struct gcal_tune_space *space;
    struct gcal_strings fixed; /* words of what all configurations share, "M:1048576" */
    size_t n;
    struct entry *entries; /* by key */
};

static size_t argument_length(const char *word)
{
    const char *colon = strchr(word, ':');

    return colon ? (size_t)(colon - word) : 0;
}

static bool is_same_argument(const char *a, const char *b)
{
    size_t n = argument_length(a);

    return n && n == argument_length(b) && strncmp(a, b, n) == 0;
}

/* A parameter with one value is not in the names of configurations. */
static bool is_parameter(const struct gcal_tune_space *space, const char *word)
{
    size_t n = argument_length(word);

    for (size_t i = 0; n && i < space->n_parameters; i++)
        if (space->parameters[i].n_values != 1 &&
            strlen(space->parameters[i].name) == n &&
            strncmp(space->parameters[i].name, word, n) == 0)
            return true;
    return false;
}

/* Whether it contradicts what all configurations share. */
static bool is_other(const struct gcal_tune_names *names, const char *word)
{
    for (size_t i = 0; i < names->fixed.n; i++)
        if (is_same_argument(names->fixed.items[i], word))
            return strcmp(names->fixed.items[i], word) != 0;
    return false;
}

static int split(const char *text, struct gcal_strings *words, struct gcal_error *err)
{
    const char *at = text, *word;
    size_t length;

    while ((word = gcal_strings_next_word(&at, &length)))
        if (gcal_strings_take(words, strndup(word, length), err) < 0)
            return -1;
    return 0;
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The words that name values of parameters, sorted; NULL if other words show that it is a
 * configuration of something else, or without memory.
 */
static char *make_key(const struct gcal_tune_names *names, const char *name,
                      struct gcal_error *err)
{
    struct gcal_strings words = { 0 };
    struct gcal_buf buf = { 0 };
    bool other = split(name, &words, err) < 0;

    if (words.n)
        qsort(words.items, words.n, sizeof(*words.items), compare_words);
    for (size_t i = 0; i < words.n; i++)
        if (is_parameter(names->space, words.items[i]))
            gcal_buf_printf(&buf, "%s ", words.items[i]);
        else
            other = other || is_other(names, words.items[i]);
    gcal_strings_clear(&words);
    if (!other)
        return buf.size ? gcal_buf_take(&buf, err) : strdup("");
    gcal_buf_free(&buf);
    return NULL;
}

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->key, ((const struct entry *)b)->key);
}

struct gcal_tune_names *gcal_tune_names_create(const struct gcal_tune_space *space,
                                               struct gcal_error *err)
{
    struct gcal_tune_names *names = calloc(1, sizeof(*names));

    if (!names ||
        !(names->entries = calloc(space->n_configs + 1, sizeof(struct entry)))) {
        gcal_error_memory(err);
        free(names);
        return NULL;
    }
    names->space = space;
    if (space->kernel && split(space->kernel, &names->fixed, err) < 0)
        goto fail;
    for (; names->n < space->n_configs; names->n++) {
        struct entry *entry = &names->entries[names->n];

        entry->config = names->n;
        if (!(entry->key = make_key(names, space->configs[names->n].name, err))) {
            gcal_error_memory(err);
            goto fail;
        }
    }
    qsort(names->entries, names->n, sizeof(struct entry), compare_entries);
    return names;
fail:
    gcal_tune_names_destroy(names);
    return NULL;
}

void gcal_tune_names_destroy(struct gcal_tune_names *names)
{
    if (!names)
        return;
    for (size_t i = 0; i < names->n; i++)
        free(names->entries[i].key);
    free(names->entries);
    gcal_strings_clear(&names->fixed);
    free(names);
}

size_t gcal_tune_names_find(const struct gcal_tune_names *names, const char *name)
{
    struct entry wanted = { .key = make_key(names, name, NULL) }, *found = NULL;

    if (wanted.key)
        found =
            bsearch(&wanted, names->entries, names->n, sizeof(wanted), compare_entries);
    free(wanted.key);
    return found ? found->config : names->space->n_configs;
}
