/* onchip.c - a kernel reduced to its work on the chip
 *
 * The printed source is copied, and accesses to global memory are replaced.  A load
 * becomes "as_float(onchip_in3++)": an integer counter per load, which starts from the
 * work-item's id, reinterpreted as the loaded type.  No compiler knows the value, it
 * changes with each iteration of a loop, and it costs one integer addition instead of
 * those for the address.  A float starts at 0.5, where the counter's lowest bits are
 * those of the mantissa.  A store becomes an addition to a private sum, which is stored
 * at the end.
 *
 * Counters and sums are variables of the kernel; helpers get pointers to those that they
 * use.
 */
#include "kernels/remove/onchip.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"

/* ---- copying ---- */

static int rewrite(struct gcal_remove_onchip *o, CXCursor c);

int gcal_remove_onchip_put_rewritten(struct gcal_remove_onchip *o, CXCursor c,
                                     struct gcal_buf *out)
{
    struct gcal_buf *outer = o->out;
    unsigned position = o->position, from, to;
    int rc;

    gcal_remove_extent(c, &from, &to);
    o->out = out;
    o->position = from;
    rc = rewrite(o, c);
    gcal_remove_onchip_copy_until(o, to);
    o->out = outer;
    o->position = position;
    return rc;
}

int gcal_remove_onchip_rewrite_children(struct gcal_remove_onchip *o, CXCursor c)
{
    struct gcal_source_children children;
    int rc = 0;

    if (gcal_source_get_children(c, &children, o->r->err) < 0)
        return -1;
    for (size_t i = 0; i < children.n && rc == 0; i++)
        rc = rewrite(o, children.cursors[i]);
    free(children.cursors);
    return rc;
}

/* ---- statements ---- */

static int rewrite(struct gcal_remove_onchip *o, CXCursor c)
{
    CXCursor place = gcal_remove_loaded(c);

    if (gcal_remove_is_change(c) &&
        gcal_remove_space(gcal_remove_child(c, 0)) == GCAL_FEATURE_SPACE_GLOBAL)
        return gcal_remove_onchip_replace_change(o, c);
    if (!clang_Cursor_isNull(place))
        return gcal_remove_onchip_replace_load(o, c, place);
    switch (clang_getCursorKind(c)) {
    case CXCursor_CallExpr:
        return gcal_remove_onchip_rewrite_call(o, c);
    case CXCursor_ReturnStmt: {
        /* A return of the kernel stores the sums so far, if there may be any. */
        unsigned from, to;

        if (o->helper || !(o->n_stores || o->loop_depth))
            return gcal_remove_onchip_rewrite_children(o, c);
        gcal_remove_extent(c, &from, &to);
        gcal_remove_onchip_copy_until(o, from);
        gcal_buf_puts(o->out, "{ ");
        if (o->all_sums.n)
            gcal_remove_sums_put_store(o->r, &o->all_sums, o->out);
        gcal_buf_puts(o->out, "; return; }");
        o->position = to + (o->r->unit->source[to] == ';');
        return 0;
    }
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt: {
        int rc;

        o->loop_depth++;
        rc = gcal_remove_onchip_rewrite_children(o, c);
        o->loop_depth--;
        return rc;
    }
    case CXCursor_GotoStmt:
        return gcal_remove_error(o->r, c, GCAL_REMOVE_NO_GOTO);
    default:
        return gcal_remove_onchip_rewrite_children(o, c);
    }
}

/* ---- functions ---- */

/* The offset after the last parameter. */
static unsigned parameters_end(CXCursor function)
{
    int n = clang_Cursor_getNumArguments(function);
    unsigned from, to;

    gcal_remove_extent(clang_Cursor_getArgument(function, (unsigned)n - 1), &from, &to);
    return to;
}

static int write_helper(struct gcal_remove_onchip *o, CXCursor definition)
{
    CXCursor body = gcal_remove_body(definition);
    struct gcal_remove_function *moved = gcal_array_grow(
        o->functions, o->n_functions, &o->function_capacity, sizeof(*moved), o->r->err);
    unsigned end = parameters_end(definition), from, to;
    struct gcal_buf text = { 0 };
    int rc;

    if (!moved)
        return -1;
    o->functions = moved;
    o->helper = &moved[o->n_functions];
    *o->helper = (struct gcal_remove_function){ .definition = definition };
    rc = gcal_remove_onchip_put_rewritten(o, body, &text);
    gcal_remove_onchip_copy_until(o, end);
    /* ", uint *onchip_in0, float *read_tgt" */
    const struct gcal_remove_function *f = o->helper;
    struct gcal_buf *out = o->out;
    for (size_t i = 0; i < f->n_uses; i++) {
        struct gcal_remove_use use = f->uses[i];

        gcal_buf_puts(out, ", ");
        if (use.is_sum)
            gcal_remove_sum_put_type(o->sums.sums[use.number], out);
        else
            gcal_remove_onchip_put_counter_type(o->counters[use.number], out);
        gcal_buf_puts(out, " *");
        gcal_remove_onchip_put_use_name(use, out);
    }
    gcal_remove_extent(body, &from, &to);
    gcal_remove_onchip_copy_until(o, from);
    gcal_buf_puts(o->out, "{\n");
    for (size_t i = 0; i < o->helper->n_uses; i++) {
        if (!o->helper->uses[i].is_sum)
            continue;
        gcal_buf_puts(o->out, "    ");
        gcal_remove_sum_put_type(o->sums.sums[o->helper->uses[i].number], o->out);
        gcal_buf_puts(o->out, " ");
        gcal_remove_onchip_put_use_name(o->helper->uses[i], o->out);
        gcal_buf_puts(o->out, "_next;\n");
    }
    gcal_buf_puts(o->out, text.data ? text.data + strspn(text.data, "{\n") : "");
    o->position = to;
    gcal_buf_free(&text);
    o->helper = NULL;
    o->n_functions++;
    return rc;
}

/* The statements between the kernel's braces, up to a return that always happens. */
static int rewrite_statements(struct gcal_remove_onchip *o, CXCursor body,
                              struct gcal_buf *out)
{
    struct gcal_source_children children;
    struct gcal_buf *outer = o->out;
    unsigned from, to;
    int rc = 0;

    if (gcal_source_get_children(body, &children, o->r->err) < 0)
        return -1;
    gcal_remove_extent(body, &from, &to);
    to--; /* the brace */
    o->out = out;
    o->position = from + 1;
    for (size_t i = 0; i < children.n && rc == 0; i++) {
        if (clang_getCursorKind(children.cursors[i]) == CXCursor_ReturnStmt) {
            gcal_remove_extent(children.cursors[i], &to, &from);
            break;
        }
        rc = rewrite(o, children.cursors[i]);
    }
    gcal_remove_onchip_copy_until(o, to);
    o->out = outer;
    free(children.cursors);
    return rc;
}

static int write_kernel(struct gcal_remove_onchip *o, CXCursor kernel)
{
    struct gcal_buf text = { 0 };
    unsigned from, to;
    int rc = -1;

    gcal_remove_extent(kernel, &from, &to);
    gcal_remove_onchip_copy_until(o, from);
    o->n_stores = 0;
    if (rewrite_statements(o, gcal_remove_body(kernel), &text) < 0)
        goto out;
    if (!o->sums.n) {
        gcal_remove_error(o->r, kernel,
                          "this kernel stores nothing in global memory: its work has "
                          "no result");
        goto out;
    }
    gcal_remove_put_signature(o->r, kernel, &o->sums, o->out);
    gcal_buf_puts(o->out, "{\n");
    for (size_t i = 0; i < o->n_counters; i++)
        gcal_remove_onchip_declare_counter(o, i, o->out);
    gcal_remove_sums_declare(o->r, &o->sums, o->out);
    gcal_buf_puts(o->out, text.data ? text.data + strspn(text.data, "\n") : "");
    gcal_buf_puts(o->out, "    ");
    gcal_remove_sums_put_store(o->r, &o->sums, o->out);
    gcal_buf_puts(o->out, ";\n}\n");
    rc = 0;
out:
    gcal_buf_free(&text);
    return rc;
}

static int write_declaration(struct gcal_remove_onchip *o, CXCursor c, CXCursor kernel)
{
    unsigned from, to;

    if (clang_equalCursors(c, kernel))
        return write_kernel(o, kernel);
    if (clang_getCursorKind(c) != CXCursor_FunctionDecl || !gcal_remove_takes_global(c))
        return 0;
    gcal_remove_extent(c, &from, &to);
    gcal_remove_onchip_copy_until(o, from);
    if (clang_equalCursors(clang_getCursorDefinition(c), c))
        return write_helper(o, c);
    o->position = to + (o->r->unit->source[to] == ';'); /* it has more parameters now */
    return 0;
}

static int write_all(struct gcal_remove_onchip *o, CXCursor kernel)
{
    struct gcal_source_children all;
    int rc = 0;

    if (gcal_source_get_children(clang_getTranslationUnitCursor(o->r->unit->tu), &all,
                                 o->r->err) < 0)
        return -1;
    for (size_t i = 0; i < all.n && rc == 0; i++)
        rc = write_declaration(o, all.cursors[i], kernel);
    free(all.cursors);
    return rc;
}

static void clear(struct gcal_remove_onchip *o)
{
    for (size_t i = 0; i < o->n_functions; i++)
        free(o->functions[i].uses);
    free(o->functions);
    free(o->counters);
    *o = (struct gcal_remove_onchip){ .r = o->r };
}

int gcal_remove_write_onchip(struct gcal_remove_pass *r, CXCursor kernel,
                             struct gcal_buf *out)
{
    struct gcal_buf unused = { 0 };
    struct gcal_remove_onchip o = { .r = r, .out = &unused };
    struct gcal_remove_sums sums;
    int rc;

    if (gcal_remove_check_data(r) < 0)
        return -1;
    /* The first time only to find the sums: early returns store all of them. */
    rc = write_all(&o, kernel);
    sums = o.sums;
    clear(&o);
    gcal_buf_free(&unused);
    if (rc == 0) {
        o.all_sums = sums;
        o.out = out;
        rc = write_all(&o, kernel);
        clear(&o);
    }
    return rc;
}
