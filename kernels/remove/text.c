/* text.c - copies of the printed source, and places in the source as given */
#include "kernels/remove/private.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"

void gcal_remove_extent(CXCursor c, unsigned *from, unsigned *to)
{
    CXSourceRange range = clang_getCursorExtent(c);

    clang_getExpansionLocation(clang_getRangeStart(range), NULL, NULL, NULL, from);
    clang_getExpansionLocation(clang_getRangeEnd(range), NULL, NULL, NULL, to);
}

void gcal_remove_put_range(const struct gcal_remove_pass *r, unsigned from, unsigned to,
                           struct gcal_buf *out)
{
    if (to > from)
        gcal_buf_put(out, r->unit->source + from, to - from);
}

void gcal_remove_put_text(const struct gcal_remove_pass *r, CXCursor c,
                          struct gcal_buf *out)
{
    unsigned from, to;

    gcal_remove_extent(c, &from, &to);
    gcal_remove_put_range(r, from, to, out);
}

void gcal_remove_print(CXCursor c, struct gcal_buf *out)
{
    CXPrintingPolicy policy = clang_getCursorPrintingPolicy(c);
    CXString text = clang_getCursorPrettyPrinted(c, policy);

    gcal_buf_puts(out, clang_getCString(text));
    clang_disposeString(text);
    clang_PrintingPolicy_dispose(policy);
}

void gcal_remove_indent(int indent, struct gcal_buf *out)
{
    gcal_buf_printf(out, "%*s", 4 * indent, "");
}

/* ---- places in the source as it was given ---- */

/* The path from a function down to a cursor, as indices of children.  The printed source
 * has the same tree as the given one.
 */
enum { DEEPEST_PATH = 200 };

struct path {
    size_t n, steps[DEEPEST_PATH];
};

static bool find_path(const struct gcal_remove_pass *r, CXCursor top, CXCursor wanted,
                      struct path *path)
{
    struct gcal_source_children children;
    bool found = clang_equalCursors(top, wanted);

    if (found || path->n == DEEPEST_PATH ||
        gcal_source_get_children(top, &children, NULL) < 0)
        return found;
    for (size_t i = 0; i < children.n && !found; i++) {
        path->steps[path->n++] = i;
        found = find_path(r, children.cursors[i], wanted, path);
        path->n -= !found;
    }
    free(children.cursors);
    return found;
}

static CXCursor follow_path(CXCursor top, const struct path *path)
{
    struct gcal_source_children children;

    for (size_t i = 0; i < path->n; i++) {
        if (gcal_source_get_children(top, &children, NULL) < 0)
            return top;
        if (path->steps[i] >= children.n) {
            free(children.cursors);
            return top;
        }
        top = children.cursors[path->steps[i]];
        free(children.cursors);
    }
    return top;
}

int gcal_remove_error(const struct gcal_remove_pass *r, CXCursor c, const char *why)
{
    CXCursor top = clang_getTranslationUnitCursor(r->unit->tu), function;
    struct gcal_source_children all;
    struct path path;
    bool found = false;
    int rc = -1;

    if (gcal_source_get_children(top, &all, r->err) < 0)
        return -1;
    for (size_t i = 0; i < all.n && !found; i++) {
        char *name;

        path.n = 0;
        if (clang_getCursorKind(all.cursors[i]) != CXCursor_FunctionDecl ||
            !find_path(r, all.cursors[i], c, &path))
            continue;
        found = true;
        name = gcal_source_cursor_name(all.cursors[i], r->err);
        if (name && gcal_source_find_function(r->original, name, &function, r->err) == 0)
            rc = gcal_source_error(follow_path(function, &path), r->err, "%s", why);
        free(name);
    }
    free(all.cursors);
    return found ? rc : gcal_error_set(r->err, GCAL_EINPUT, "%s: %s", r->unit->file, why);
}
