/* strings.h - a growing list of owned strings, and the words of one */
#ifndef GCAL_KERNELS_BASE_STRINGS_H
#define GCAL_KERNELS_BASE_STRINGS_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;

/* Starts as { 0 }. */
struct gcal_strings {
    size_t n, capacity;
    char **items;
};

/* Functions that add return 0, or -1 with 'err' if memory runs out. */

/* Adds a copy. */
int gcal_strings_add(struct gcal_strings *strings, const char *text,
                     struct gcal_error *err);
/* Adds a copy unless the list contains 'text'. */
int gcal_strings_include(struct gcal_strings *strings, const char *text,
                         struct gcal_error *err);
/* Takes 'text', which is freed on failure.  NULL: out of memory, too. */
int gcal_strings_take(struct gcal_strings *strings, char *text, struct gcal_error *err);

/* The first index of 'text', or 'n' if the list does not contain it. */
size_t gcal_strings_find(const struct gcal_strings *strings, const char *text);
bool gcal_strings_contain(const struct gcal_strings *strings, const char *text);

void gcal_strings_clear(struct gcal_strings *strings);
/* The same for a plain array, which may be NULL. */
void gcal_strings_free(char **items, size_t n);

/* The next word after '*at', which moves to its end, in a text of words with blanks
 * between them; NULL at the end of the text.
 */
const char *gcal_strings_next_word(const char **at, size_t *length);
/* Returns whether one of the words is 'word'. */
bool gcal_strings_have_word(const char *words, const char *word);

/* Adds the words of a compiler's options: without their quotes and backslashes, which are as in a
 * shell, and "-D X", "-U X" and "-I X" as one.  -1 also if the last of these has no value.
 */
int gcal_strings_add_options(struct gcal_strings *strings, const char *options,
                             struct gcal_error *err);

#endif
