/* print.c - the source printed without macros, from which work removal copies */
#include "kernels/remove/private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"

/* ---- #pragma gpucal ---- */

/* Compilers ignore it, so it is not in the tree: it is taken from the line before a given
 * loop and put before the printed one.
 */
static const char gpucal_pragma[] = "#pragma gpucal";

struct loops {
    const struct gcal_source_unit *unit;
    size_t n, capacity;
    unsigned *places; /* offsets of a function's loops, in the order of the text */
    struct gcal_error *err;
    bool failed;
};

static enum CXChildVisitResult add_loop(CXCursor c, CXCursor parent, CXClientData data)
{
    struct loops *l = data;
    enum CXCursorKind kind = clang_getCursorKind(c);
    unsigned *moved;

    (void)parent;
    if (kind != CXCursor_ForStmt && kind != CXCursor_WhileStmt && kind != CXCursor_DoStmt)
        return CXChildVisit_Recurse;
    moved = gcal_array_grow(l->places, l->n, &l->capacity, sizeof(*moved), l->err);
    l->failed = !moved;
    if (!moved)
        return CXChildVisit_Break;
    l->places = moved;
    clang_getExpansionLocation(clang_getRangeStart(clang_getCursorExtent(c)), NULL, NULL,
                               NULL, &moved[l->n++]);
    return CXChildVisit_Recurse;
}

/* The pragma in the line before the one that 'place' is in, or NULL. */
static const char *find_pragma(const char *source, unsigned place)
{
    const char *at = source + place;

    for (int line = 0; line < 2 && at > source; line++) {
        at -= line; /* over the line's end */
        while (at > source && at[-1] != '\n')
            at--;
    }
    at += strspn(at, " \t");
    return strncmp(at, gpucal_pragma, strlen(gpucal_pragma)) == 0 ? at : NULL;
}

struct insertion {
    unsigned place;
    const char *text; /* to the end of its line */
};

struct insertions {
    size_t n, capacity;
    struct insertion *all;
};

static int match_loops(struct loops *given, struct loops *printed,
                       struct insertions *insertions)
{
    struct insertion *moved;
    const char *text;

    if (given->failed || printed->failed)
        return -1;
    for (size_t i = 0; i < given->n && i < printed->n; i++) {
        if (!(text = find_pragma(given->unit->source, given->places[i])))
            continue;
        if (!(moved = gcal_array_grow(insertions->all, insertions->n,
                                      &insertions->capacity, sizeof(*moved), given->err)))
            return -1;
        insertions->all = moved;
        moved[insertions->n++] = (struct insertion){ printed->places[i], text };
    }
    return 0;
}

/* The pragmas of one function, which has the same name in the given source. */
static int find_insertions(const struct gcal_source_unit *given,
                           const struct gcal_source_unit *printed, CXCursor function,
                           struct insertions *insertions, struct gcal_error *err)
{
    struct loops a = { .unit = given, .err = err }, b = { .unit = printed, .err = err };
    char *name = gcal_source_cursor_name(function, err);
    CXCursor same;
    int rc = name ? 0 : -1;

    if (name && gcal_source_find_function(given, name, &same, NULL) == 0) {
        clang_visitChildren(same, add_loop, &a);
        clang_visitChildren(function, add_loop, &b);
        rc = match_loops(&a, &b, insertions);
    }
    free(a.places);
    free(b.places);
    free(name);
    return rc;
}

/* Takes 'text', the printed source, and returns it with the pragmas. */
static char *carry_pragmas(const struct gcal_source_unit *given, char *text,
                           const char *standard, struct gcal_error *err)
{
    CXCursor kernel;
    const struct gcal_count_request request = { .source = text,
                                                .file = given->file,
                                                .build_options = standard };
    struct gcal_source_unit *printed = gcal_source_parse_kernel(&request, &kernel, err);
    struct gcal_source_children all = { 0 };
    struct insertions insertions = { 0 };
    struct gcal_buf out = { 0 };
    int rc = -1;

    if (printed)
        rc = gcal_source_get_children(clang_getTranslationUnitCursor(printed->tu), &all,
                                      err);
    for (size_t i = 0; i < all.n && rc == 0; i++)
        if (clang_getCursorKind(all.cursors[i]) == CXCursor_FunctionDecl)
            rc = find_insertions(given, printed, all.cursors[i], &insertions, err);
    if (rc == 0) {
        unsigned position = 0;

        for (size_t i = 0; i < insertions.n; i++) {
            const struct insertion *one = &insertions.all[i];

            gcal_buf_put(&out, text + position, one->place - position);
            gcal_buf_puts(&out, "\n");
            gcal_buf_put(&out, one->text, strcspn(one->text, "\n"));
            gcal_buf_puts(&out, "\n");
            position = one->place;
        }
        gcal_buf_puts(&out, text + position);
    }
    free(text);
    text = rc == 0 ? gcal_buf_take(&out, err) : NULL;
    free(insertions.all);
    free(all.cursors);
    gcal_source_close(printed);
    return text;
}

/* ---- declarations ---- */

static void print_declaration(CXCursor c, struct gcal_buf *out)
{
    bool function = clang_getCursorKind(c) == CXCursor_FunctionDecl;

    gcal_remove_print(c, out);
    if (!function || !clang_equalCursors(clang_getCursorDefinition(c), c))
        gcal_buf_puts(out, ";");
    gcal_buf_puts(out, "\n");
}

static bool is_kernel(const struct gcal_source_unit *unit, CXCursor c)
{
    CXCursor found;
    char *name;
    bool kernel;

    if (clang_getCursorKind(c) != CXCursor_FunctionDecl)
        return false;
    name = gcal_source_cursor_name(c, NULL);
    kernel = name && gcal_source_find_kernel(unit, name, &found, NULL) == 0;
    free(name);
    return kernel;
}

/* "typedef struct { ... } name;" is printed as two unrelated declarations: puts the first
 * one into the second.
 */
static bool print_nameless(CXCursor c, CXCursor next, struct gcal_buf *out)
{
    struct gcal_buf text = { 0 };
    bool nameless;

    gcal_remove_print(c, &text);
    nameless =
        text.data &&
        (strncmp(text.data, "struct {", 8) == 0 ||
         strncmp(text.data, "union {", 7) == 0 || strncmp(text.data, "enum {", 6) == 0) &&
        clang_getCursorKind(next) == CXCursor_TypedefDecl;
    if (nameless) {
        char *name = gcal_source_cursor_name(next, NULL);

        gcal_buf_printf(out, "typedef %s %s;\n", text.data, name ? name : "");
        free(name);
    }
    gcal_buf_free(&text);
    return nameless;
}

/* Blanks the end of each 'wrong', which libclang prints but does not parse. */
static void mend(char *text, const char *wrong, size_t n_right)
{
    while (text && (text = strstr(text, wrong)))
        memset(text + n_right, ' ', strlen(wrong) - n_right);
}

char *gcal_remove_print_source(const struct gcal_source_unit *unit, CXCursor kernel,
                               const char *standard, struct gcal_error *err)
{
    struct gcal_source_children all;
    struct gcal_buf out = { 0 };
    char *text;

    if (gcal_source_get_children(clang_getTranslationUnitCursor(unit->tu), &all, err) < 0)
        return NULL;
    /* Printing omits these pragmas, and half needs one.  An #ifdef around it is lost: it is
     * written again, for devices without the extension.
     */
    const char *source = unit->source;
    for (const char *line = source; *line; line += *line == '\n') {
        const char *start = line + strspn(line, " \t");
        char name[64] = "";

        line += strcspn(line, "\n");
        if (strncmp(start, "#pragma OPENCL", 14) != 0)
            continue;
        sscanf(start, "#pragma OPENCL EXTENSION %63[a-z0-9_]", name);
        if (strncmp(name, "cl_", 3) == 0)
            gcal_buf_printf(&out, "#ifdef %s\n%.*s\n#endif\n", name, (int)(line - start),
                            start);
        else
            gcal_buf_printf(&out, "%.*s\n", (int)(line - start), start);
    }
    for (size_t i = 0; i < all.n; i++) {
        /* Included files are part of the text. */
        CXCursor c = all.cursors[i];
        CXFile file;
        CXString name;
        bool same;

        clang_getExpansionLocation(clang_getCursorLocation(c), &file, NULL, NULL, NULL);
        name = clang_getFileName(file);
        same = clang_getCString(name) && strcmp(clang_getCString(name), unit->file) == 0;
        clang_disposeString(name);
        if (!same || is_kernel(unit, all.cursors[i]))
            continue;
        if (i + 1 < all.n && print_nameless(all.cursors[i], all.cursors[i + 1], &out))
            i++;
        else
            print_declaration(all.cursors[i], &out);
    }
    print_declaration(kernel, &out);
    free(all.cursors);
    mend(out.data, "#pragma unroll (enable)", strlen("#pragma unroll"));
    mend(out.data, "opencl_unroll_hint(0)", strlen("opencl_unroll_hint"));
    text = gcal_buf_take(&out, err);
    if (text && strstr(unit->source, gpucal_pragma))
        text = carry_pragmas(unit, text, standard, err);
    return text;
}
