/* terms.c - the words of CUDA and HIP in what a command prints for people */
#include "mpi/cli/terms.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kernels/base/buf.h"
#include "mpi/cli/quiet.h"

/* ---- words ---- */

static const struct {
    const char *word, *is; /* NULL: what sub-groups are called */
} words[] = { { "work-item", "thread" },
              { "work-group", "block" },
              { "sub-group", NULL },
              { "local memory", "shared memory" } };

static bool is_name_part(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* The number of the word at 'text', which no name has before it; -1: another one. */
static int find_word(const char *from, const char *text)
{
    if (text > from && is_name_part(text[-1]))
        return -1;
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strncasecmp(text, words[i].word, strlen(words[i].word)) == 0 &&
            text[strlen(words[i].word)] != '_')
            return (int)i;
    return -1;
}

/* The text in these terms, the caller's to free.  A word in a column, which two spaces follow, keeps
 * its width.
 */
static char *translate_terms(const char *text, const char *warp)
{
    struct gcal_buf out = { 0 };
    const char *c = text;

    while (*c) {
        int no = find_word(text, c);
        const char *is = no < 0 ? NULL : words[no].is ? words[no].is : warp;
        size_t old = no < 0 ? 0 : strlen(words[no].word), plural, column = out.size;

        if (!is) {
            gcal_buf_put(&out, c++, 1);
            continue;
        }
        gcal_buf_puts(&out, is);
        if (isupper((unsigned char)*c))
            out.data[column] = (char)toupper((unsigned char)*is);
        plural = strspn(c + old, "s");
        gcal_buf_put(&out, c + old, plural);
        c += old + plural;
        if (strncmp(c, "  ", 2) != 0)
            continue;
        for (size_t n = strlen(is); n < old; n++)
            gcal_buf_puts(&out, " ");
        for (size_t n = old; n < strlen(is) && strncmp(c, "  ", 2) == 0; n++)
            c++;
    }
    return gcal_buf_take(&out, NULL);
}

/* ---- streams ---- */

static const char *warp_is;

/* Passes what the stream has collected, whole lines unless they are long, on to the one behind it. */
static ssize_t write_translated(void *stream, const char *bytes, size_t n)
{
    char *text = gcal_quiet_is_for_program() ? NULL : strndup(bytes, n);
    char *translated = text ? translate_terms(text, warp_is) : NULL;
    size_t length = translated ? strlen(translated) : n;
    bool is_written =
        fwrite(translated ? translated : bytes, 1, length, stream) == length &&
        fflush(stream) == 0;

    free(translated);
    free(text);
    return is_written ? (ssize_t)n : 0;
}

static void translate_stream(FILE **stream)
{
    FILE *translating =
        fopencookie(*stream, "w", (cookie_io_functions_t){ .write = write_translated });

    if (!translating)
        return; /* then it is not translated */
    setvbuf(translating, NULL, _IOLBF, BUFSIZ);
    *stream = translating;
}

char *gcal_terms_take(char *text)
{
    char *translated = warp_is && text ? translate_terms(text, warp_is) : NULL;

    if (!translated)
        return text;
    free(text);
    return translated;
}

void gcal_terms_start(const char *warp)
{
    if (warp_is)
        return;
    warp_is = warp;
    translate_stream(&stdout);
    translate_stream(&stderr);
}
