/* kernel_names.c - words and arguments of kernel names */
#include "mpi/commands/predict/kernel_names.h"

#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"

bool gcal_kernel_name_has_word(const char *name, const char *word, size_t length)
{
    size_t other_length;

    for (const char *other; (other = gcal_strings_next_word(&name, &other_length));)
        if (other_length == length && strncmp(other, word, length) == 0)
            return true;
    return false;
}

static bool all_have(size_t n, const char *const *names, const char *word, size_t length)
{
    for (size_t i = 0; i < n; i++)
        if (!gcal_kernel_name_has_word(names[i], word, length))
            return false;
    return true;
}

char *gcal_kernel_names_shared(size_t n, const char *const *names, struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };
    const char *at = n ? names[0] : "";
    size_t length;

    gcal_buf_puts(&buf, "");
    for (const char *word; (word = gcal_strings_next_word(&at, &length));)
        if (all_have(n, names, word, length)) {
            gcal_buf_printf(&buf, "%s%.*s", buf.size ? " " : "", (int)length, word);
        }
    return gcal_buf_take(&buf, err);
}

/* Of "dtype:float32" the part before the colon; 0 for a word without one. */
static size_t argument_length(const char *word, size_t length)
{
    const char *colon = memchr(word, ':', length);

    return colon ? (size_t)(colon - word) : 0;
}

const char *gcal_kernel_name_argument(const char *name, const char *argument,
                                      size_t *length)
{
    size_t wanted = strlen(argument), word_length;

    for (const char *word; (word = gcal_strings_next_word(&name, &word_length));)
        if (argument_length(word, word_length) == wanted &&
            strncmp(word, argument, wanted) == 0) {
            *length = word_length - wanted - 1;
            return word + wanted + 1;
        }
    return NULL;
}
