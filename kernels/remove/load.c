/* load.c - the loads of a kernel that is reduced to them */
#include "kernels/remove/private.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"

/* Writes the load from 'place' (an lvalue, or with 'call' a vload's pointer) if it is
 * kept: 1, 0 when not, -1.
 */
static int write_load(struct gcal_remove_pass *r, CXCursor place, const CXCursor *call,
                      int indent, struct gcal_buf *out)
{
    struct gcal_buf value = { 0 };
    char tag[GCAL_REMOVE_MAX_NAME] = "";
    CXCursor lvalue;
    struct gcal_remove_sum type;
    int kept = gcal_remove_keeps(r, place, &lvalue, tag), rc;

    if (kept <= 0)
        return kept;
    if ((call ? gcal_remove_need_children(r, *call, 1) : gcal_remove_need(r, lvalue)) < 0)
        return -1;
    gcal_remove_put_text(r, call ? *call : place, &value);
    type = gcal_remove_sum_of(gcal_source_type(call ? *call : lvalue));
    rc = value.failed ? gcal_error_memory(r->err)
                      : gcal_remove_write_sum(r, place, type, value.data, indent, out);
    gcal_buf_free(&value);
    return rc < 0 ? -1 : 1;
}

/* ---- conditions ---- */

enum gcal_remove_content
gcal_remove_write_if(struct gcal_remove_pass *r, CXCursor condition, bool not,
                     enum gcal_remove_content found, const struct gcal_buf *yes,
                     const struct gcal_buf *no, int indent, struct gcal_buf *out)
{
    if (found == GCAL_REMOVE_NOTHING)
        return gcal_remove_write_loads(r, condition, indent, out);
    if (found == GCAL_REMOVE_FAILED || gcal_remove_need(r, condition) < 0)
        return GCAL_REMOVE_FAILED;
    gcal_remove_indent(indent, out);
    gcal_buf_puts(out, not ? "if (!(" : "if (");
    gcal_remove_put_text(r, condition, out);
    gcal_buf_printf(out, not ? ")) {\n%s" : ") {\n%s", yes->data ? yes->data : "");
    gcal_remove_indent(indent, out);
    if (no->size) {
        gcal_buf_printf(out, "} else {\n%s", no->data);
        gcal_remove_indent(indent, out);
    }
    gcal_buf_puts(out, "}\n");
    return found;
}

/* A load under a condition stays under it: in ?:, and after && or ||. */
static enum gcal_remove_content write_choice(struct gcal_remove_pass *r, CXCursor c,
                                             int indent, struct gcal_buf *out)
{
    bool is_or = clang_getCursorKind(c) == CXCursor_BinaryOperator &&
                 clang_getCursorBinaryOperatorKind(c) == CXBinaryOperator_LOr;
    CXCursor otherwise = gcal_remove_child(c, 2);
    struct gcal_buf yes = { 0 }, no = { 0 };
    enum gcal_remove_content found =
        gcal_remove_write_loads(r, gcal_remove_child(c, 1), indent + 1, &yes);

    if (!clang_Cursor_isNull(otherwise))
        found = worse(found, gcal_remove_write_loads(r, otherwise, indent + 1, &no));
    found = gcal_remove_write_if(r, gcal_remove_child(c, 0), is_or, found, &yes, &no,
                                 indent, out);
    gcal_buf_free(&yes);
    gcal_buf_free(&no);
    return found;
}

/* ---- calls ---- */

/* Returns whether a function may change a variable that a kept load depends on. */
static bool may_change_needed(const struct gcal_remove_pass *r, CXCursor call)
{
    int n = clang_Cursor_getNumArguments(call);

    for (int i = 0; i < n; i++) {
        CXCursor argument = clang_Cursor_getArgument(call, (unsigned)i), root;

        if (gcal_source_type(argument).kind != CXType_Pointer ||
            gcal_remove_target(argument) == GCAL_FEATURE_SPACE_GLOBAL)
            continue;
        root = gcal_remove_root(argument, true);
        if (!clang_Cursor_isNull(root) && gcal_remove_is_needed(r, root))
            return true;
    }
    return false;
}

static enum gcal_remove_content write_call(struct gcal_remove_pass *r, CXCursor c,
                                           int indent, struct gcal_buf *out)
{
    CXCursor definition = gcal_remove_callee(c), pointer = gcal_remove_child(c, 2);
    enum gcal_remove_content found;
    int written;

    if (gcal_remove_calls(c, "async_work_group")) {
        gcal_remove_error(r, c,
                          "an asynchronous copy cannot be kept: write it as a loop");
        return GCAL_REMOVE_FAILED;
    }
    if ((found = gcal_remove_write_effect(r, c, indent, out)) != GCAL_REMOVE_NOTHING)
        return found;
    if (gcal_remove_calls(c, "vload")) {
        if (gcal_remove_target(pointer) == GCAL_FEATURE_SPACE_GLOBAL &&
            (written = write_load(r, pointer, &c, indent, out)))
            return written < 0 ? GCAL_REMOVE_FAILED : GCAL_REMOVE_WORK;
    } else if (may_change_needed(r, c)) {
        return gcal_remove_write_same(r, c, indent, out);
    }
    if (!clang_Cursor_isNull(definition) && gcal_remove_takes_global(definition))
        return gcal_remove_write_call(r, c, definition, indent, out);
    return gcal_remove_write_children(r, c, 1, indent, out);
}

/* ---- expressions ---- */

enum gcal_remove_content gcal_remove_write_children(struct gcal_remove_pass *r,
                                                    CXCursor c, size_t first, int indent,
                                                    struct gcal_buf *out)
{
    struct gcal_source_children children;
    enum gcal_remove_content found = GCAL_REMOVE_NOTHING;

    if (gcal_source_get_children(c, &children, r->err) < 0)
        return GCAL_REMOVE_FAILED;
    for (size_t i = first; i < children.n && found != GCAL_REMOVE_FAILED; i++)
        found =
            worse(found, gcal_remove_write_loads(r, children.cursors[i], indent, out));
    free(children.cursors);
    return found;
}

/* A change of a variable that a kept load depends on. */
static bool is_needed_change(const struct gcal_remove_pass *r, CXCursor c)
{
    CXCursor place, variable;

    if (!gcal_remove_is_change(c))
        return false;
    place = gcal_remove_child(c, 0);
    variable = gcal_remove_root(place, false);
    return !clang_Cursor_isNull(variable) &&
           gcal_remove_space(place) != GCAL_FEATURE_SPACE_GLOBAL &&
           gcal_remove_is_needed(r, variable);
}

enum gcal_remove_content gcal_remove_write_loads(struct gcal_remove_pass *r, CXCursor c,
                                                 int indent, struct gcal_buf *out)
{
    int stores = gcal_remove_is_store(r, c), written = 0;
    enum gcal_remove_content found;
    CXCursor place;

    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(c);
    if (clang_getCursorKind(c) == CXCursor_ConditionalOperator ||
        (clang_getCursorKind(c) == CXCursor_BinaryOperator &&
         (kind == CXBinaryOperator_LAnd || kind == CXBinaryOperator_LOr)))
        return write_choice(r, c, indent, out);
    if (clang_getCursorKind(c) == CXCursor_CallExpr)
        return write_call(r, c, indent, out);
    if (is_needed_change(r, c))
        return gcal_remove_write_same(r, c, indent, out);
    place = gcal_remove_loaded(c);
    if (!clang_Cursor_isNull(place))
        written = write_load(r, place, NULL, indent, out);
    if (written < 0 || stores < 0)
        return GCAL_REMOVE_FAILED;
    found = gcal_remove_write_children(r, c, written || stores, indent, out);
    if (stores && found != GCAL_REMOVE_FAILED)
        found = gcal_remove_write_store(r, c, indent, out);
    return written ? worse(GCAL_REMOVE_WORK, found) : found;
}
