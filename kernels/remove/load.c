/* load.c - the loads of a kernel that is reduced to them */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/remove/private.h"

/* ---- stores and barriers of a kernel that is reduced to its global accesses
 *
 * A store stays in place, under its conditions, and stores the sum of all loads so far.
 * The sum continues after it: each store needs all loads before it, and no compiler
 * removes one.  Compilers cannot exclude that a stored value is loaded again, nor that
 * other work-items store before a barrier, so they load again where the original kernel
 * does.
 */

static bool is_memory(const struct gcal_remove_pass *r)
{
    return r->removal->form == GCAL_REMOVE_KEEP_MEMORY;
}

static enum gcal_remove_content refuse(const struct gcal_remove_pass *r, CXCursor c,
                                       const char *why)
{
    gcal_remove_error(r, c, why);
    return GCAL_REMOVE_FAILED;
}

/* What is known of the names of stores, too, where they may be listed. */
static int keeps_store(struct gcal_remove_pass *r, CXCursor place)
{
    char tag[GCAL_REMOVE_MAX_NAME];
    CXCursor lvalue;

    return !r->removal->n_keep || gcal_remove_keeps(r, place, &lvalue, tag);
}

/* 1 if 'c' is an assignment to global memory, or ++ or -- there, that stays; 0; -1 with 'err'. */
static int is_store(struct gcal_remove_pass *r, CXCursor c)
{
    int kept;

    if ((!is_memory(r) && !r->removal->drop) || !gcal_remove_is_change(c) ||
        gcal_remove_space(gcal_remove_child(c, 0)) != GCAL_FEATURE_SPACE_GLOBAL)
        return 0;
    kept = keeps_store(r, gcal_remove_child(c, 0));
    return kept > 0 ? is_memory(r) : kept;
}

/* "(type)(total)" for a place of 'type'; 'at' is for messages. */
static int put_total_as(struct gcal_remove_pass *r, CXCursor at, CXType type,
                        struct gcal_buf *out)
{
    struct gcal_remove_sum wanted = gcal_remove_sum_of(type);

    if (!wanted.dtype)
        return gcal_remove_error(
            r, at,
            "a value of this type cannot be stored: store the members "
            "of a struct one by one");
    gcal_remove_sums_put_as(r, &r->frame->stored, wanted, out);
    return 0;
}

static bool has_change(CXCursor c)
{
    struct gcal_source_children children;
    bool found = gcal_remove_is_change(c);

    if (gcal_source_get_children(c, &children, NULL) < 0)
        return found;
    for (size_t i = 0; i < children.n && !found; i++)
        found = has_change(children.cursors[i]);
    free(children.cursors);
    return found;
}

/* Such a store, of the sums so far; its loads are written already. */
static enum gcal_remove_content write_store(struct gcal_remove_pass *r, CXCursor c,
                                            int indent, struct gcal_buf *out)
{
    CXCursor place = gcal_remove_child(c, 0), lvalue;
    char tag[GCAL_REMOVE_MAX_NAME], array[GCAL_REMOVE_MAX_NAME];
    struct gcal_buf value = { 0 };
    enum gcal_remove_content found = GCAL_REMOVE_FAILED;

    if (r->frame->outer)
        return refuse(r, c,
                      "a store in a function cannot be kept: write it in the kernel");
    if (!clang_Cursor_isNull(gcal_remove_loaded(c)) && has_change(place))
        return refuse(r, c,
                      "the address of this update changes a variable: change it "
                      "in a statement of its own");
    if (gcal_remove_names(r, place, &lvalue, tag, array) < 0 ||
        gcal_remove_need(r, lvalue) < 0)
        return GCAL_REMOVE_FAILED;
    if (put_total_as(r, c, gcal_source_type(lvalue), &value) == 0) {
        gcal_remove_indent(indent, out);
        gcal_remove_put_text(r, place, out);
        gcal_buf_printf(out, " = %s;\n", value.data);
        r->stores = true;
        found = GCAL_REMOVE_WORK;
    }
    gcal_buf_free(&value);
    return found;
}

/* ---- calls ---- */

static CXCursor argument_of(CXCursor call, int i)
{
    return clang_Cursor_getArgument(call, (unsigned)i);
}

/* Returns whether 'call' stores in global memory; its arguments [first, end) are values. */
static bool is_update(CXCursor call, int *first, int *end, CXCursor *place)
{
    int n = clang_Cursor_getNumArguments(call), pointer = 0;

    if (gcal_remove_calls(call, "vstore")) {
        *first = 0;
        *end = 1;
        pointer = n - 1;
        while (pointer > 0 &&
               gcal_source_type(argument_of(call, pointer)).kind != CXType_Pointer)
            pointer--;
    } else if (gcal_remove_calls(call, "atomic_") || gcal_remove_calls(call, "atom_")) {
        *first = 1;
        *end = n;
    } else {
        return false;
    }
    *place = argument_of(call, pointer);
    return n > 0 && gcal_remove_target(*place) == GCAL_FEATURE_SPACE_GLOBAL;
}

static enum gcal_remove_content write_update(struct gcal_remove_pass *r, CXCursor call,
                                             int first, int end, int indent,
                                             struct gcal_buf *out)
{
    enum gcal_remove_content found = GCAL_REMOVE_WORK;
    char *name;

    if (r->frame->outer)
        return refuse(r, call,
                      "a store in a function cannot be kept: write it in the kernel");
    for (int i = first; i < end && found != GCAL_REMOVE_FAILED; i++)
        found = worse(GCAL_REMOVE_WORK,
                      gcal_remove_write_loads(r, argument_of(call, i), indent, out));
    if (found == GCAL_REMOVE_FAILED || !(name = gcal_source_cursor_name(call, r->err)))
        return GCAL_REMOVE_FAILED;
    gcal_remove_indent(indent, out);
    gcal_buf_puts(out, name);
    free(name);
    r->stores = true;
    /* Its arguments, with sums instead of values. */
    int n = clang_Cursor_getNumArguments(call), rc = 0;

    for (int i = 0; i < n && rc == 0; i++) {
        CXCursor argument = argument_of(call, i);

        gcal_buf_puts(out, i ? ", " : "(");
        if (i >= first && i < end)
            rc = put_total_as(r, argument, gcal_source_type(argument), out);
        else if ((rc = gcal_remove_need(r, argument)) == 0)
            gcal_remove_put_text(r, argument, out);
    }
    gcal_buf_puts(out, ");\n");
    return rc < 0 ? GCAL_REMOVE_FAILED : GCAL_REMOVE_WORK;
}

/* A call that stores in global memory, or a barrier; NOTHING for others. */
static enum gcal_remove_content write_effect(struct gcal_remove_pass *r, CXCursor call,
                                             int indent, struct gcal_buf *out)
{
    CXCursor callee = gcal_remove_callee(call);
    CXCursor place;
    int first, end, kept;

    if (!is_memory(r) && !r->removal->drop)
        return GCAL_REMOVE_NOTHING;
    if (is_update(call, &first, &end, &place)) {
        if ((kept = keeps_store(r, place)) < 0)
            return GCAL_REMOVE_FAILED;
        return kept && is_memory(r) ? write_update(r, call, first, end, indent, out)
                                    : GCAL_REMOVE_NOTHING;
    }
    if (!is_memory(r))
        return GCAL_REMOVE_NOTHING;
    if (r->removal->drop_barriers)
        return GCAL_REMOVE_NOTHING;
    if (gcal_remove_is_barrier(call) && !r->frame->outer)
        return gcal_remove_write_same(r, call, indent, out);
    if (gcal_remove_is_barrier(call) ||
        (!clang_Cursor_isNull(callee) &&
         gcal_remove_has_barrier(gcal_remove_body(callee))))
        return refuse(r, call,
                      "a barrier in a function cannot be kept: write it in the kernel");
    return GCAL_REMOVE_NOTHING;
}

/* ---- the loads of a kernel that is reduced to them ---- */

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
    if ((found = write_effect(r, c, indent, out)) != GCAL_REMOVE_NOTHING)
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
    int stores = is_store(r, c), written = 0;
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
        found = write_store(r, c, indent, out);
    return written ? worse(GCAL_REMOVE_WORK, found) : found;
}
