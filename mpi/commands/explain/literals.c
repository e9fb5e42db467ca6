/* literals.c - constants without the suffix f, which make operations on floats double
 *
 * In a source without a double, its constants alone can be: what is computed with them is converted to
 * double and back.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kernels/base/buf.h"
#include "kernels/base/file.h"
#include "kernels/model/profile.h"
#include "mpi/commands/explain/private.h"

enum { MOST_LINES = 6 };

/* The end of a comment or of a text in quotes that begins at 'at'; 'at' if none does. */
static const char *skip_passive(const char *at)
{
    const char *end;

    if (strncmp(at, "//", 2) == 0)
        return at + strcspn(at, "\n");
    if (strncmp(at, "/*", 2) == 0)
        return (end = strstr(at + 2, "*/")) ? end + 2 : at + strlen(at);
    if (*at != '"')
        return at;
    for (end = at + 1; *end && *end != '"'; end++)
        end += *end == '\\' && end[1];
    return *end ? end + 1 : end;
}

/* Returns whether the number or name of 'length' characters is a constant of type double. */
static bool is_double(const char *word, size_t length)
{
    char last = word[length - 1];

    return isdigit((unsigned char)word[*word == '.']) &&
           strncasecmp(word, "0x", 2) != 0 && !strchr("fFhH", last) &&
           (memchr(word, '.', length) || memchr(word, 'e', length) ||
            memchr(word, 'E', length));
}

static bool is_word(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(at, word, length) == 0;
}

/* The length of the name or number at 'at'. */
static size_t measure_word(const char *at)
{
    bool is_number = isdigit((unsigned char)at[*at == '.']);
    size_t n = 0;

    while (isalnum((unsigned char)at[n]) || at[n] == '_' || (is_number && at[n] == '.') ||
           (is_number && n && (at[n] == '+' || at[n] == '-') && strchr("eE", at[n - 1])))
        n++;
    return n;
}

/* "5, 12": the lines of constants of type double, but for other kernels; empty if the text names the
 * type, or includes what may.
 */
static void list_lines(const char *text, const char *kernel, struct gcal_buf *lines)
{
    int line = 1, last = 0, n = 0, depth = 0;
    bool is_kernel = false, is_own = false;

    while (*text) {
        const char *end = skip_passive(text);
        size_t length = end > text ? 0 : measure_word(text);

        if (is_word(text, length, "include") ||
            (length >= 6 && strncmp(text, "double", 6) == 0)) {
            gcal_buf_free(lines);
            return;
        }
        if (!depth &&
            (is_word(text, length, "kernel") || is_word(text, length, "__kernel"))) {
            is_kernel = true;
            is_own = false;
        }
        is_own = is_own || (!depth && is_word(text, length, kernel));
        if (length && is_double(text, length) && line != last && n < MOST_LINES &&
            (!is_kernel || is_own)) {
            gcal_buf_printf(lines, "%s%d%s", n ? ", " : "", line,
                            n + 1 == MOST_LINES ? ", .." : "");
            n++;
            last = line;
        }
        depth += (*text == '{') - (*text == '}');
        is_kernel = is_kernel && (depth || *text != '}');
        end = end > text ? end : text + (length ? length : 1);
        for (; text < end; text++)
            line += *text == '\n';
    }
}

const char *gcal_explain_literals(const struct gcal_explain_case *c,
                                  struct gcal_profile *p)
{
    enum { MOST_BYTES = 16 << 20 };
    const char *file = c->options->count.file, *what = NULL;
    const char *macros = c->options->count.build_options;
    struct gcal_buf lines = { 0 };
    bool has_double = false;
    size_t size;
    char *text;

    for (size_t i = 0; i < p->n_entries; i++) {
        const struct gcal_profile_entry *e = &p->entries[i];

        if (!e->dtype || strcmp(e->dtype, "float64") != 0)
            continue;
        if (!gcal_feature_is_op(e->kind))
            return NULL;
        has_double = true;
    }
    if (!file || !has_double || (macros && strstr(macros, "double")) ||
        !(text = gcal_file_read(file, MOST_BYTES, &size, NULL)))
        return NULL;
    list_lines(text, p->kernel, &lines);
    free(text);
    for (size_t i = 0; lines.size && i < p->n_entries; i++) {
        struct gcal_profile_entry *e = &p->entries[i];

        if (!e->dtype || strcmp(e->dtype, "float64") != 0)
            continue;
        memcpy(e->dtype, "float32", sizeof("float32"));
        if (strcmp(e->op, "convert") == 0)
            memcpy(e->count, "0", sizeof("0"));
    }
    if (lines.size)
        what = gcal_arena_format(c->arena,
                                 "constants of type float (1.5f): those of type double "
                                 "(line %s) make operations on floats double",
                                 lines.data);
    gcal_buf_free(&lines);
    return what;
}
