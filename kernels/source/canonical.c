/* canonical.c - the text of a kernel as the compiler has read it
 *
 * libclang prints declarations from its tree: macros are expanded, comments and layout are
 * gone.  The kernel's own name is left out, so that a renamed kernel has the same text.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/source/private.h"

/* OpenCL's own types and functions have no definition here. */
static bool is_of_user(CXCursor declaration)
{
    return !clang_Location_isInSystemHeader(clang_getCursorLocation(declaration));
}

/* Adds what a reference at 'cursor' refers to, if it is defined outside of functions. */
static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct gcal_source_set *declarations = data;
    CXCursor to = clang_getCursorReferenced(cursor), definition;

    (void)parent;
    if (!clang_Cursor_isNull(to)) {
        definition = clang_getCursorDefinition(to);
        if (!clang_Cursor_isNull(definition) && is_of_user(definition) &&
            clang_getCursorKind(clang_getCursorSemanticParent(definition)) ==
                CXCursor_TranslationUnit)
            gcal_source_set_add(declarations, definition);
    }
    return declarations->failed ? CXChildVisit_Break : CXChildVisit_Recurse;
}

/* Layout differs between versions of clang: words and signs are kept, one space between
 * two words.
 */
static void put_words(struct gcal_buf *buf, const char *text)
{
    bool space = false;

    for (; *text; text++) {
        bool is_word = isalnum((unsigned char)*text) || *text == '_';

        if (isspace((unsigned char)*text)) {
            space = true;
            continue;
        }
        if (space && is_word && buf->size &&
            (isalnum((unsigned char)buf->data[buf->size - 1]) ||
             buf->data[buf->size - 1] == '_'))
            gcal_buf_puts(buf, " ");
        gcal_buf_printf(buf, "%c", *text);
        space = false;
    }
    gcal_buf_puts(buf, "\n");
}

/* Where the name of the function begins in its printed declaration; NULL: nowhere. */
static char *find_name(char *text, const char *name)
{
    size_t length = strlen(name);
    char *at = text;

    while ((at = strstr(at, name))) {
        bool begins = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');

        if (begins && at[length] == '(')
            return at;
        at += length;
    }
    return NULL;
}

static int put_declaration(struct gcal_buf *buf, CXCursor declaration,
                           const char *without_name, struct gcal_error *err)
{
    CXString printed = clang_getCursorPrettyPrinted(declaration, NULL);
    char *text = strdup(clang_getCString(printed)), *at;

    clang_disposeString(printed);
    if (!text)
        return gcal_error_memory(err);
    if (without_name && (at = find_name(text, without_name)))
        memset(at, ' ', strlen(without_name));
    put_words(buf, text);
    free(text);
    return 0;
}

char *gcal_source_canonical_text(CXCursor kernel, struct gcal_error *err)
{
    /* The kernel, then what it uses, in the order of use. */
    struct gcal_source_set all = { 0 };
    struct gcal_buf buf = { 0 };
    char *name = gcal_source_cursor_name(kernel, err), *text = NULL;
    int rc = name ? 0 : -1;

    gcal_source_set_add(&all, kernel);
    for (size_t i = 0; rc == 0 && i < all.n; i++) {
        clang_visitChildren(all.cursors[i], visit, &all);
        rc = all.failed ? gcal_error_memory(err)
                        : put_declaration(&buf, all.cursors[i], i ? NULL : name, err);
    }
    if (rc == 0 && all.failed)
        rc = gcal_error_memory(err);
    if (rc == 0)
        text = gcal_buf_take(&buf, err);
    gcal_buf_free(&buf);
    free(all.cursors);
    free(name);
    return text;
}
