/* onchip_access.c - accesses to global memory, replaced by private values and sums */
#include "kernels/remove/onchip.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"

/* ---- loads and stores ---- */

/* "i++, " for the variables that the expression 'place' changes; the rest is deleted. */
static int put_changes(struct gcal_remove_onchip *o, CXCursor place, struct gcal_buf *out)
{
    struct gcal_source_children children;
    int rc = 0;

    if (gcal_remove_is_change(place) &&
        gcal_remove_space(gcal_remove_child(place, 0)) != GCAL_FEATURE_SPACE_GLOBAL) {
        rc = gcal_remove_onchip_put_rewritten(o, place, out);
        gcal_buf_puts(out, ", ");
        return rc;
    }
    if (gcal_source_get_children(place, &children, o->r->err) < 0)
        return -1;
    for (size_t i = 0; i < children.n && rc == 0; i++)
        rc = put_changes(o, children.cursors[i], out);
    free(children.cursors);
    return rc;
}

/* Puts 'text' instead of 'c'. */
static void replace(struct gcal_remove_onchip *o, CXCursor c, const struct gcal_buf *text)
{
    unsigned from, to;

    gcal_remove_extent(c, &from, &to);
    gcal_remove_onchip_copy_until(o, from);
    gcal_buf_puts(o->out, text->data ? text->data : "");
    o->position = to;
}

int gcal_remove_onchip_replace_load(struct gcal_remove_onchip *o, CXCursor c,
                                    CXCursor place)
{
    struct gcal_buf text = { 0 };
    size_t before;
    int rc;

    gcal_buf_puts(&text, "(");
    before = text.size;
    if ((rc = put_changes(o, place, &text)) == 0) {
        if (text.size == before)
            text.data[text.size = 0] = 0;
        rc = gcal_remove_onchip_put_value(o, c, gcal_source_type(c), &text);
        gcal_buf_puts(&text, *text.data == '(' ? ")" : "");
    }
    replace(o, c, &text);
    gcal_buf_free(&text);
    return rc;
}

/* The value that 'c', a change of global memory, would store. */
static int put_stored(struct gcal_remove_onchip *o, CXCursor c, struct gcal_buf *out)
{
    enum CXUnaryOperatorKind step = clang_getCursorUnaryOperatorKind(c);
    CXCursor place = gcal_remove_child(c, 0), value = gcal_remove_child(c, 1);

    if (clang_getCursorKind(c) == CXCursor_BinaryOperator)
        return gcal_remove_onchip_put_rewritten(o, value, out);
    if (gcal_remove_onchip_put_value(o, c, gcal_source_type(place), out) < 0)
        return -1;
    if (clang_getCursorKind(c) == CXCursor_UnaryOperator) {
        gcal_buf_puts(out,
                      step == CXUnaryOperator_PostDec || step == CXUnaryOperator_PreDec
                          ? " - 1"
                          : " + 1");
        return 0;
    }
    /* The operator of "a[i] <<= b" without the "=". */
    unsigned from, to, next, end;
    const char *text, *equals;

    gcal_remove_extent(place, &from, &to);
    gcal_remove_extent(value, &next, &end);
    text = o->r->unit->source + to;
    equals = memchr(text, '=', next - to);
    if (equals)
        gcal_buf_put(out, text, (size_t)(equals - text));
    gcal_buf_puts(out, " (");
    if (gcal_remove_onchip_put_rewritten(o, value, out) < 0)
        return -1;
    gcal_buf_puts(out, ")");
    return 0;
}

int gcal_remove_onchip_replace_change(struct gcal_remove_onchip *o, CXCursor c)
{
    CXCursor place = gcal_remove_child(c, 0);
    struct gcal_buf text = { 0 }, value = { 0 };
    int rc = -1;

    gcal_buf_puts(&text, "(");
    if (put_changes(o, place, &text) < 0 || put_stored(o, c, &value) < 0)
        goto out;
    if (value.failed)
        gcal_error_memory(o->r->err);
    else
        rc = gcal_remove_onchip_put_addition(o, c, gcal_source_type(place), value.data,
                                             &text);
    gcal_buf_puts(&text, ")");
out:
    replace(o, c, &text);
    gcal_buf_free(&value);
    gcal_buf_free(&text);
    return rc;
}

/* ---- calls ---- */

static CXCursor argument_of(CXCursor call, int i)
{
    return clang_Cursor_getArgument(call, (unsigned)i);
}

/* vstoreN and atomics: their values are added up; an atomic returns a private value. */
static int replace_update(struct gcal_remove_onchip *o, CXCursor c, int n_values,
                          int first, bool has_result)
{
    int n = clang_Cursor_getNumArguments(c), rc = 0;
    struct gcal_buf text = { 0 };

    gcal_buf_puts(&text, "(");
    for (int i = 0; i < n && rc == 0; i++) {
        CXCursor argument = argument_of(c, i);
        struct gcal_buf value = { 0 };

        if (i < first || i >= first + n_values) {
            rc = put_changes(o, argument, &text);
            continue;
        }
        if ((rc = gcal_remove_onchip_put_rewritten(o, argument, &value)) == 0)
            rc = value.failed
                     ? gcal_error_memory(o->r->err)
                     : gcal_remove_onchip_put_addition(
                           o, argument, gcal_source_type(argument), value.data, &text);
        gcal_buf_puts(&text, has_result || i + 1 < first + n_values ? ", " : "");
        gcal_buf_free(&value);
    }
    if (rc == 0 && has_result)
        rc = gcal_remove_onchip_put_value(o, c, gcal_source_type(c), &text);
    gcal_buf_puts(&text, ")");
    replace(o, c, &text);
    gcal_buf_free(&text);
    return rc;
}

static struct gcal_remove_function *find_function(const struct gcal_remove_onchip *o,
                                                  CXCursor definition)
{
    for (size_t i = 0; i < o->n_functions; i++)
        if (clang_equalCursors(o->functions[i].definition, definition))
            return &o->functions[i];
    return NULL;
}

static bool passes_global(CXCursor call)
{
    int n = clang_Cursor_getNumArguments(call);

    for (int i = 0; i < n; i++)
        if (gcal_remove_target(argument_of(call, i)) == GCAL_FEATURE_SPACE_GLOBAL)
            return true;
    return false;
}

int gcal_remove_onchip_rewrite_call(struct gcal_remove_onchip *o, CXCursor c)
{
    CXCursor callee = gcal_remove_callee(c);
    int n = clang_Cursor_getNumArguments(c);

    if (!clang_Cursor_isNull(callee) && gcal_remove_takes_global(callee)) {
        /* Adds the helper's counters and sums to its arguments. */
        struct gcal_remove_function *f = find_function(o, callee);
        unsigned from, to;

        if (!f)
            return gcal_remove_error(o->r, c, "define this function before its caller");
        if (gcal_remove_onchip_rewrite_children(o, c) < 0)
            return -1;
        gcal_remove_extent(c, &from, &to);
        gcal_remove_onchip_copy_until(o, to - 1);
        for (size_t i = 0; i < f->n_uses; i++) {
            if (gcal_remove_onchip_add_use(o, f->uses[i].is_sum, f->uses[i].number) < 0)
                return -1;
            gcal_buf_puts(o->out, o->helper ? ", " : ", &");
            gcal_remove_onchip_put_use_name(f->uses[i], o->out);
            o->n_stores += f->uses[i].is_sum;
        }
        return 0;
    }
    if (!clang_Cursor_isNull(callee) || !passes_global(c))
        return gcal_remove_onchip_rewrite_children(o, c);
    if (gcal_remove_calls(c, "vload"))
        return gcal_remove_onchip_replace_load(o, c, c);
    if (gcal_remove_calls(c, "vstore"))
        return replace_update(o, c, 1, 0, false);
    if (gcal_remove_calls(c, "atomic_") || gcal_remove_calls(c, "atom_"))
        return replace_update(o, c, n - 1, 1, true);
    if (gcal_remove_calls(c, "prefetch")) {
        struct gcal_buf nothing = { 0 };

        gcal_buf_puts(&nothing, "(void)0");
        replace(o, c, &nothing);
        gcal_buf_free(&nothing);
        return 0;
    }
    return gcal_remove_error(o->r, c,
                             "this function's accesses to global memory cannot be "
                             "replaced: write it as a loop");
}
