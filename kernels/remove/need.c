/* need.c - dependences of the kept loads: variables, and other loads
 *
 * The address of a kept load and the loops and conditions around it may depend on
 * variables, which stay with all their changes, and on integers from memory (row
 * pointers, lists of neighbours), if these loads are kept too: they stay in place.
 */
#include "kernels/remove/private.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

static int add_doubt(struct gcal_remove_pass *r, CXCursor at, const char *why)
{
    struct gcal_remove_doubt *moved = gcal_array_grow(
        r->doubts, r->n_doubts, &r->doubt_capacity, sizeof(*moved), r->err);

    if (!moved)
        return -1;
    r->doubts = moved;
    moved[r->n_doubts++] = (struct gcal_remove_doubt){ at, why };
    return 0;
}

/* ---- names ---- */

static int remember(struct gcal_remove_pass *r, const char *name, bool is_own)
{
    struct gcal_remove_name *moved;

    for (size_t i = 0; i < r->n_loaded; i++)
        if (strcmp(r->loaded[i].text, name) == 0) {
            r->loaded[i].is_own = r->loaded[i].is_own || is_own;
            return 0;
        }
    if (!*name) /* the place does not start from a variable */
        return 0;
    if (!(moved = gcal_array_grow(r->loaded, r->n_loaded, &r->loaded_capacity,
                                  sizeof(*moved), r->err)))
        return -1;
    r->loaded = moved;
    moved[r->n_loaded].is_own = is_own;
    strncpy(moved[r->n_loaded].text, name, GCAL_REMOVE_MAX_NAME - 1);
    moved[r->n_loaded++].text[GCAL_REMOVE_MAX_NAME - 1] = 0;
    return 0;
}

static bool is_listed(const struct gcal_remove_pass *r, const char *name)
{
    for (size_t i = 0; i < r->removal->n_keep; i++)
        if (strcmp(r->removal->keep[i], name) == 0)
            return true;
    return false;
}

/* The kernel's variable that a place starts from, also for a place in a helper. */
static CXCursor kernel_root(const struct gcal_remove_pass *r, CXCursor place)
{
    CXCursor root = gcal_remove_root(place, true);

    for (const struct gcal_remove_frame *f = r->frame; f && f->outer; f = f->outer) {
        int n = clang_Cursor_getNumArguments(f->definition), i;

        for (i = 0; i < n; i++)
            if (clang_equalCursors(root,
                                   clang_Cursor_getArgument(f->definition, (unsigned)i)))
                break;
        if (i == n)
            return root;
        root = gcal_remove_root(clang_Cursor_getArgument(f->call, (unsigned)i), true);
    }
    return root;
}

int gcal_remove_names(struct gcal_remove_pass *r, CXCursor place, CXCursor *lvalue,
                      char *tag, char *array)
{
    CXCursor root;
    char *name;

    while (clang_getCursorKind(place) == CXCursor_ParenExpr)
        place = gcal_remove_child(place, 0);
    *tag = *array = 0;
    *lvalue = place;
    if (!gcal_source_find_tag(place, lvalue, tag, GCAL_REMOVE_MAX_NAME))
        gcal_remove_tag_inside(place, tag);
    while (clang_getCursorKind(*lvalue) == CXCursor_ParenExpr)
        *lvalue = gcal_remove_child(*lvalue, 0);
    root = kernel_root(r, *lvalue);
    if (clang_Cursor_isNull(root))
        return 0;
    if (!(name = gcal_source_cursor_name(root, r->err)))
        return -1;
    strncpy(array, name, GCAL_REMOVE_MAX_NAME - 1);
    array[GCAL_REMOVE_MAX_NAME - 1] = 0;
    free(name);
    return 0;
}

int gcal_remove_keeps(struct gcal_remove_pass *r, CXCursor place, CXCursor *lvalue,
                      char *tag)
{
    char array[GCAL_REMOVE_MAX_NAME];

    if (gcal_remove_names(r, place, lvalue, tag, array) < 0 ||
        remember(r, array, !*tag) < 0 || (*tag && remember(r, tag, true) < 0))
        return -1;
    return !r->removal->n_keep ||
           (is_listed(r, array) || (*tag && is_listed(r, tag))) != r->removal->drop;
}

/* ---- variables ---- */

bool gcal_remove_is_needed(const struct gcal_remove_pass *r, CXCursor variable)
{
    for (size_t i = 0; i < r->n_needed; i++)
        if (clang_equalCursors(r->needed[i], variable))
            return true;
    return false;
}

/* ---- loads that stay in place ---- */

/* 'place': of the load that the expression 'c' is. */
static int need_load(struct gcal_remove_pass *r, CXCursor c, CXCursor place)
{
    char tag[GCAL_REMOVE_MAX_NAME], array[GCAL_REMOVE_MAX_NAME];
    CXCursor lvalue;
    int kept;

    const char *dtype = gcal_source_dtype(gcal_source_type(c));
    if (!(dtype && strncmp(dtype, "float", 5) != 0))
        return add_doubt(r, c,
                         "the address or the number of kept loads depends on "
                         "this load, which is not of an integer");
    if ((kept = gcal_remove_keeps(r, place, &lvalue, tag)) < 0)
        return -1;
    r->frame->n_kept += (size_t)kept;
    if (kept)
        return 0;
    if (gcal_remove_names(r, place, &lvalue, tag, array) < 0)
        return -1;
    memcpy(r->report->missing, *tag ? tag : array, GCAL_REMOVE_MAX_NAME);
    return add_doubt(r, c,
                     "the address or the number of kept loads depends on this "
                     "load: keep it too");
}

static int need_call(struct gcal_remove_pass *r, CXCursor c)
{
    CXCursor callee = gcal_remove_callee(c);

    if (gcal_remove_calls(c, "vload") &&
        gcal_remove_target(gcal_remove_child(c, 2)) == GCAL_FEATURE_SPACE_GLOBAL)
        return need_load(r, c, gcal_remove_child(c, 2));
    if (gcal_remove_calls(c, "atom") ||
        (!clang_Cursor_isNull(callee) && gcal_remove_takes_global(callee)))
        return add_doubt(r, c,
                         "the address or the number of kept loads depends on "
                         "this function's accesses to memory");
    return 0;
}

int gcal_remove_need_children(struct gcal_remove_pass *r, CXCursor c, size_t first)
{
    struct gcal_source_children children;
    int rc = 0;

    if (gcal_source_get_children(c, &children, r->err) < 0)
        return -1;
    for (size_t i = first; i < children.n && rc == 0; i++)
        rc = gcal_remove_need(r, children.cursors[i]);
    free(children.cursors);
    return rc;
}

int gcal_remove_need(struct gcal_remove_pass *r, CXCursor c)
{
    CXCursor place;

    if (clang_getCursorKind(c) == CXCursor_DeclRefExpr) {
        CXCursor declared = clang_getCursorReferenced(c);
        enum CXCursorKind kind = clang_getCursorKind(declared);

        if (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl) {
            CXCursor *moved;

            if ((gcal_remove_space(declared) == GCAL_FEATURE_SPACE_LOCAL ||
                 gcal_remove_target(declared) == GCAL_FEATURE_SPACE_LOCAL) &&
                add_doubt(r, c,
                          "the address or the number of kept loads depends on local "
                          "memory, which work removal deletes") < 0)
                return -1;
            if (gcal_remove_is_needed(r, declared))
                return 0;
            if (!(moved = gcal_array_grow(r->needed, r->n_needed, &r->needed_capacity,
                                          sizeof(*moved), r->err)))
                return -1;
            r->needed = moved;
            r->needed[r->n_needed++] = declared;
            return 0;
        }
        return 0;
    }
    place = gcal_remove_loaded(c);
    if (!clang_Cursor_isNull(place) && need_load(r, c, place) < 0)
        return -1;
    if (clang_getCursorKind(c) == CXCursor_CallExpr && need_call(r, c) < 0)
        return -1;
    return gcal_remove_need_children(r, c, 0);
}

/* ---- code that stays as it is ---- */

enum gcal_remove_content gcal_remove_write_same(struct gcal_remove_pass *r, CXCursor c,
                                                int indent, struct gcal_buf *out)
{
    if (gcal_remove_need(r, c) < 0)
        return GCAL_REMOVE_FAILED;
    gcal_remove_indent(indent, out);
    if (clang_getCursorKind(c) == CXCursor_VarDecl)
        gcal_remove_print(c, out);
    else
        gcal_remove_put_text(r, c, out);
    gcal_buf_puts(out, ";\n");
    return GCAL_REMOVE_WORK;
}
