/* includes.c - included files put into the text of a source */
#include "kernels/includes/includes.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/base/strings.h"

enum { DEEPEST = 64, MOST_OPEN = 3 /* of the same file */ };
#define MAX_BYTES (16u << 20) /* of an included file, and of the result */

struct inlining {
    size_t n_folders;
    const char *const *folders;
    struct gcal_strings once;    /* identities of files with #pragma once */
    struct gcal_strings read;    /* of those that no condition has left out */
    long n_conditions;           /* around the line, without guards of whole files */
    struct opened {              /* the files that include each other */
        const char *path, *name; /* where it is, and how it is written */
        const char *identity;    /* one of the paths that lead to it */
    } open[DEEPEST];
    size_t depth;
    struct gcal_buf out;
    struct gcal_error *err;
};

/* ---- the text ---- */

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t\f\v");
}

/* After 'word' and blanks; NULL if the text begins with another word. */
static const char *after_word(const char *p, const char *word)
{
    size_t n = strlen(word);

    if (strncmp(p, word, n) != 0 || isalnum((unsigned char)p[n]) || p[n] == '_')
        return NULL;
    return skip_blanks(p + n);
}

/* After the '#' and blanks of a directive; NULL for any other line. */
static const char *directive(const char *line)
{
    static const char *const signs[] = { "#", "\x25:", "?\?=" };

    line = skip_blanks(line);
    for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
        if (strncmp(line, signs[i], strlen(signs[i])) == 0)
            return skip_blanks(line + strlen(signs[i]));
    return NULL;
}

/* The name of an #include and its quote (" or <); NULL for any other line, and for a
 * macro.  The caller's to free.
 */
static char *included_name(const char *line, char *quote)
{
    const char *p = directive(line), *end;

    if (!p || !(p = after_word(p, "include")) || (*p != '"' && *p != '<'))
        return NULL;
    *quote = *p;
    end = p + 1 + strcspn(p + 1, *p == '"' ? "\"\n" : ">\n");
    return *end == '\n' || !*end ? NULL : strndup(p + 1, (size_t)(end - p - 1));
}

/* Returns whether the line leaves a comment open, 'inside' being so at its start. */
static bool ends_in_comment(const char *line, bool inside)
{
    for (const char *p = line; *p && *p != '\n'; p++) {
        if (inside && p[0] == '*' && p[1] == '/') {
            inside = false;
            p++;
        } else if (!inside && p[0] == '/' && p[1] == '/') {
            return false;
        } else if (!inside && p[0] == '/' && p[1] == '*') {
            inside = true;
            p++;
        } else if (!inside && (*p == '"' || *p == '\'')) {
            char quote = *p;

            while (p[1] && p[1] != '\n' && p[1] != quote)
                p += p[1] == '\\' && p[2] ? 2 : 1;
            p += p[1] == quote;
        }
    }
    return inside;
}

static bool is_name_part(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* What keeps a file from being read twice. */
enum guard { GUARD_NONE, GUARD_MACRO, GUARD_ONCE };

/* Returns whether the directive's word 'name' is that of 'word' as well. */
static bool is_same_name(const char *name, const char *word)
{
    size_t n = strcspn(name, " \t\f\v\r\n)/");

    return strncmp(name, word, n) == 0 && !is_name_part(word[n]);
}

/* What the directive adds to the depth of conditions. */
static int nesting_of(const char *p)
{
    if (!p)
        return 0;
    if (after_word(p, "if") || after_word(p, "ifdef") || after_word(p, "ifndef"))
        return 1;
    return after_word(p, "endif") ? -1 : 0;
}

/* A macro guards a file unless it is undefined there or the file has something for when it is defined:
 * then the file includes itself to be read again.
 */
static enum guard guard_of(const char *text)
{
    bool inside = false, first = true;
    const char *macro = NULL;
    long depth = 0;

    for (const char *line = text; *line; line += *line == '\n') {
        const char *p = inside ? NULL : directive(line);
        const char *word;

        if (p && (word = after_word(p, "pragma")) && after_word(word, "once"))
            return GUARD_ONCE;
        if (p && first) {
            /* The macro of #ifndef NAME or #if !defined NAME; else NULL. */
            const char *name = after_word(p, "ifndef"), *condition = after_word(p, "if");

            if (!name && condition && *condition == '!')
                name = after_word(skip_blanks(condition + 1), "defined");
            macro = name && *name == '(' ? skip_blanks(name + 1) : name;
        }
        depth += nesting_of(p);
        if (p && depth == 1 && (after_word(p, "else") || after_word(p, "elif")))
            macro = NULL;
        else if (p && macro && (word = after_word(p, "undef")) &&
                 is_same_name(macro, word))
            macro = NULL;
        first = first && !p;
        inside = ends_in_comment(line, inside);
        line += strcspn(line, "\n");
    }
    return macro ? GUARD_MACRO : GUARD_NONE;
}

/* ---- files ---- */

static char *join(const char *folder, size_t n, const char *name)
{
    char *path = n ? gcal_buf_format("%.*s%s%s", (int)n, folder,
                                     folder[n - 1] == '/' ? "" : "/", name)
                   : strdup(name);

    if (path && access(path, R_OK) == 0)
        return path;
    free(path);
    return NULL;
}

static bool is_below(const char *identity, const char *folder)
{
    char *real = realpath(*folder ? folder : ".", NULL);
    size_t n = real ? strlen(real) : 0;
    bool below = real && strncmp(identity, real, n) == 0 &&
                 (identity[n] == '/' || (n && real[n - 1] == '/'));

    free(real);
    return below;
}

/* Returns whether a file is where a source may have it: below its own folder, or one of those
 * given.  Symbolic links count as what they lead to.
 */
static bool is_allowed(const struct inlining *s, const char *identity)
{
    const char *top = s->open[0].path, *slash = strrchr(top, '/');
    char *own = slash ? strndup(top, (size_t)(slash + 1 - top)) : strdup("");
    bool allowed = own && is_below(identity, own);

    free(own);
    for (size_t i = 0; i < s->n_folders && !allowed; i++)
        allowed = is_below(identity, s->folders[i]);
    return allowed;
}

/* Headers of CUDA and HIP, for which gpucal has declarations of its own (kernels/source/cuda.cuh): a
 * toolkit's are left out, wherever its folder is given for the sake of others.
 */
static bool is_brought(const char *name)
{
    static const char names[] =
        "cuda.h cuda_runtime.h cuda_runtime_api.h cuda_fp16.h cuda_fp16.hpp "
        "cuda_bf16.h cuda_bf16.hpp cuda_fp8.h cuComplex.h vector_types.h "
        "vector_functions.h device_launch_parameters.h math_constants.h "
        "math_functions.h device_functions.h host_defines.h cooperative_groups.h "
        "texture_types.h surface_types.h texture_fetch_functions.h "
        "cuda_texture_types.h builtin_types.h driver_types.h cuda_profiler_api.h "
        "device_atomic_functions.h";
    static const char *const folders[] = { "hip/", "cooperative_groups/", "crt/" };
    bool is = gcal_strings_have_word(names, name);

    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
        is = is || strncmp(name, folders[i], strlen(folders[i])) == 0;
    return is;
}

/* The path of the file, the caller's to free; NULL: there is none. */
static char *find_file(const struct inlining *s, const char *name, char quote)
{
    const char *from = s->open[s->depth - 1].path, *slash = strrchr(from, '/');
    char *path = NULL;

    if (name[0] == '/')
        return join("", 0, name);
    if (quote == '"')
        path = join(from, slash ? (size_t)(slash + 1 - from) : 0, name);
    for (size_t i = 0; i < s->n_folders && !path && !is_brought(name); i++)
        path = join(s->folders[i], strlen(s->folders[i]), name);
    return path;
}

static size_t count_open(const struct inlining *s, const char *identity)
{
    size_t n = 0;

    for (size_t i = 0; i < s->depth; i++)
        n += strcmp(s->open[i].identity, identity) == 0;
    return n;
}

/* ---- inlining ---- */

static int put_text(struct inlining *s, const char *text, struct opened file);

static void put_line_directive(struct inlining *s, size_t line, const char *name)
{
    gcal_buf_printf(&s->out, "#line %zu \"", line);
    for (; *name; name++)
        gcal_buf_printf(&s->out, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
    gcal_buf_puts(&s->out, "\"\n");
}

/* A macro stands for #pragma once, which means nothing within a text, and which files, of
 * those that conditions may leave out, are read is clang's to know.
 */
static int begin_once(struct inlining *s, const char *identity)
{
    size_t number;

    if (gcal_strings_include(&s->once, identity, s->err) < 0 ||
        (s->n_conditions <= 0 && gcal_strings_add(&s->read, identity, s->err) < 0))
        return -1;
    number = gcal_strings_find(&s->once, identity);
    gcal_buf_printf(&s->out, "#ifndef GPUCAL_ONCE_%zu\n#define GPUCAL_ONCE_%zu\n", number,
                    number);
    return 0;
}

/* 'line': of the #include in the including file. */
static int put_file(struct inlining *s, struct opened file, size_t line)
{
    const char *from = s->open[s->depth - 1].path;
    enum guard guard;
    char *text = NULL;
    int rc = 0;

    if (gcal_strings_contain(&s->read, file.identity)) {
        gcal_buf_puts(&s->out, "\n");
        return 0;
    }
    if (s->depth == DEEPEST)
        return gcal_error_set(s->err, GCAL_EINPUT, "%s:%zu: more than %d nested #include",
                              from, line, DEEPEST - 1);
    if (!(text = gcal_file_read(file.path, MAX_BYTES, NULL, s->err)))
        return gcal_error_prefix(s->err, "%s:%zu", from, line);
    guard = guard_of(text);
    if (guard != GUARD_NONE && count_open(s, file.identity)) {
        gcal_buf_puts(&s->out, "\n"); /* its guard leaves it out */
    } else if (count_open(s, file.identity) == MOST_OPEN) {
        /* An error only where conditions do not leave it out, which clang knows. */
        gcal_buf_printf(&s->out, "#error \"%s includes itself more than %d times\"\n",
                        strrchr(file.path, '/') ? strrchr(file.path, '/') + 1 : file.path,
                        MOST_OPEN - 1);
    } else {
        if (guard == GUARD_ONCE)
            rc = begin_once(s, file.identity);
        put_line_directive(s, 1, file.name);
        s->n_conditions -= guard == GUARD_MACRO;
        rc = rc == 0 ? put_text(s, text, file) : rc;
        s->n_conditions += guard == GUARD_MACRO;
        if (guard == GUARD_ONCE)
            gcal_buf_puts(&s->out, "#endif\n");
        put_line_directive(s, line + 1, s->open[s->depth - 1].name);
    }
    free(text);
    return rc;
}

/* A header of clang's, which it finds among its own only by <>. */
static bool is_clangs(const char *name)
{
    char *path = gcal_buf_format("%s/%s", gcal_includes_clang_folder(), name);
    bool is = path && !strchr(name, '/') && access(path, R_OK) == 0;

    free(path);
    return is;
}

/* A line that is not an #include of a file that exists, and may be read, is copied: clang can
 * open none.
 */
static int put_line(struct inlining *s, const char *text, size_t length, size_t number)
{
    char quote, *name = included_name(text, &quote);
    char *path = name ? find_file(s, name, quote) : NULL;
    char *identity = path ? realpath(path, NULL) : NULL;
    int rc = 0;

    if (identity && is_allowed(s, identity))
        rc = put_file(s, (struct opened){ path, name, identity }, number);
    else if (name && quote == '"' && is_clangs(name))
        gcal_buf_printf(&s->out, "#include <%s>\n", name);
    else
        gcal_buf_put(&s->out, text, length);
    free(identity);
    free(path);
    free(name);
    return rc;
}

static int put_text(struct inlining *s, const char *text, struct opened file)
{
    bool inside = false;
    size_t number = 1;
    int rc = 0;

    s->open[s->depth++] = file;
    for (const char *line = text; *line && rc == 0; number++) {
        size_t length = strcspn(line, "\n");

        length += line[length] == '\n';
        s->n_conditions += inside ? 0 : nesting_of(directive(line));
        if (inside)
            gcal_buf_put(&s->out, line, length);
        else
            rc = put_line(s, line, length, number);
        inside = ends_in_comment(line, inside);
        line += length;
        if (!*line && line[-1] != '\n')
            gcal_buf_puts(&s->out, s->depth > 1 ? "\n" : "");
        if (rc == 0 && s->out.size > MAX_BYTES)
            rc = gcal_error_set(s->err, GCAL_EINPUT,
                                "%s:%zu: more than %u bytes with all included files",
                                file.path, number, MAX_BYTES);
    }
    s->depth--;
    return rc;
}

char *gcal_includes_inline(const char *source, const char *file, size_t n,
                           const char *const *folders, struct gcal_error *err)
{
    struct inlining s = { .n_folders = n, .folders = folders, .err = err };
    const char *slash = strrchr(file, '/');
    char *identity = realpath(file, NULL), *text = NULL;
    const struct opened top = { file, slash ? slash + 1 : file,
                                identity ? identity : file };

    if (put_text(&s, source, top) == 0)
        text = s.out.data || s.out.failed ? gcal_buf_take(&s.out, err) : strdup("");
    free(identity);
    gcal_buf_free(&s.out);
    gcal_strings_clear(&s.once);
    gcal_strings_clear(&s.read);
    return text;
}

char *gcal_includes_read(const char *file, size_t max_bytes, size_t n,
                         const char *const *folders, struct gcal_error *err)
{
    char *source = gcal_file_read(file, max_bytes, NULL, err);
    char *text = source ? gcal_includes_inline(source, file, n, folders, err) : NULL;

    free(source);
    return text;
}

/* ---- what is left ---- */

const char *gcal_includes_clang_folder(void)
{
    const char *given = getenv("GPUCAL_CLANG_INCLUDE");

    return given && *given ? given : GPUCAL_CLANG_INCLUDE;
}

static bool names_files(const char *text)
{
    static const char *const words[] = {
        "include", "include_next",  "__include_macros",   "import",
        "embed",   "__has_include", "__has_include_next", "__has_embed",
    };

    while (*(text += strcspn(text, "_abcdefghijklmnopqrstuvwxyz"
                                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))) {
        size_t n = 1;

        while (is_name_part(text[n]))
            n++;
        for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
            if (strlen(words[i]) == n && strncmp(text, words[i], n) == 0)
                return true;
        text += n;
    }
    return false;
}

/* The text with its continued lines joined as compilers do: after a backslash or its
 * trigraph, and blanks.
 */
static char *join_lines(const char *text)
{
    char *joined = malloc(strlen(text) + 1), *to = joined;

    while (joined && *text) {
        size_t n = *text == '\\' ? 1 : strncmp(text, "?\?/", 3) == 0 ? 3 : 0;
        const char *end = n ? text + n + strspn(text + n, " \t\f\v") : text;

        if (n && (*end == '\n' || *end == '\r'))
            text = end + 1 + (end[1] != *end && (end[1] == '\n' || end[1] == '\r'));
        else
            *to++ = *text++;
    }
    if (joined)
        *to = '\0';
    return joined;
}

bool gcal_includes_may_remain(const char *text)
{
    char *joined = text ? join_lines(text) : NULL;
    /* compilers differ in what they join */
    bool remain = text && (!joined || names_files(text) || names_files(joined));

    free(joined);
    return remain;
}

enum gcal_source_language gcal_includes_language(const char *file)
{
    const char *dot = file ? strrchr(file, '.') : NULL;

    if (dot && strcmp(dot, ".hip") == 0)
        return GCAL_SOURCE_HIP;
    return dot && (strcmp(dot, ".cu") == 0 || strcmp(dot, ".cuh") == 0)
               ? GCAL_SOURCE_CUDA
               : GCAL_SOURCE_OPENCL_C;
}
