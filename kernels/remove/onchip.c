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
#include <stdlib.h>
#include <string.h>

#include "kernels/remove/onchip.h"
#include "kernels/base/array.h"
#include "kernels/base/error.h"

/* ---- accesses to global memory, replaced by private values and sums ---- */

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

/* Replaces the load 'c' from 'place'. */
static int replace_load(struct gcal_remove_onchip *o, CXCursor c, CXCursor place)
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

/* Replaces an assignment to global memory, ++ or --. */
static int replace_change(struct gcal_remove_onchip *o, CXCursor c)
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

static int rewrite_call(struct gcal_remove_onchip *o, CXCursor c)
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
        return replace_load(o, c, c);
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
        return replace_change(o, c);
    if (!clang_Cursor_isNull(place))
        return replace_load(o, c, place);
    switch (clang_getCursorKind(c)) {
    case CXCursor_CallExpr:
        return rewrite_call(o, c);
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
