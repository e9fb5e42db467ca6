/* stores.c - stores and barriers of a kernel that is reduced to its global accesses
 *
 * A store stays in place, under its conditions, and stores the sum of all loads so far.
 * The sum continues after it: each store needs all loads before it, and no compiler
 * removes one.  Compilers cannot exclude that a stored value is loaded again, nor that
 * other work-items store before a barrier, so they load again where the original kernel
 * does.
 */
#include "kernels/remove/private.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"

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

int gcal_remove_is_store(struct gcal_remove_pass *r, CXCursor c)
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

enum gcal_remove_content gcal_remove_write_store(struct gcal_remove_pass *r, CXCursor c,
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

enum gcal_remove_content gcal_remove_write_effect(struct gcal_remove_pass *r,
                                                  CXCursor call, int indent,
                                                  struct gcal_buf *out)
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
