/* remove_onchip.c - a kernel reduced to its work on the chip
 *
 * The printed source is copied, with accesses to global memory replaced on the way.  A
 * load becomes "as_float(onchip_in3++)": an integer counter of its own, started from
 * the work-item's id, seen as a number of the type that was loaded.  So no compiler
 * knows the value, each turn of a loop has another one, and all it costs is an integer
 * addition in the place of those that the address took.  A float starts at 0.5, where
 * the counter's lowest bits are those of the mantissa.  A store becomes an addition to a
 * private sum, which is stored at the end.
 *
 * Counters and sums are variables of the kernel; helpers get pointers to those that they
 * use.
 */
#include "kernels/remove_private.h"

#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"

/* A counter or a sum that a helper uses. */
struct use {
    bool is_sum;
    size_t number;
};

struct function {
    CXCursor definition;
    struct use *uses;
    size_t n_uses, use_capacity;
};

struct onchip {
    struct remover *r;
    struct gcal_buf *out;
    unsigned position; /* what stands before it in the source is copied or replaced */
    struct sum *counters;
    size_t n_counters, counter_capacity;
    struct sums sums, all_sums; /* found by now; found in the turn before */
    struct function *functions;
    size_t n_functions, function_capacity;
    struct function *helper; /* being written; NULL: the kernel */
    int loop_depth;
    size_t n_stores; /* in what is written of the kernel */
};

static int rewrite(struct onchip *o, CXCursor c);

/* ---- copying ---- */

static void copy_until(struct onchip *o, unsigned to)
{
    gcal_remove_put_range(o->r, o->position, to, o->out);
    if (to > o->position)
        o->position = to;
}

/* The text of 'c' with its own accesses replaced, to 'out'. */
static int put_rewritten(struct onchip *o, CXCursor c, struct gcal_buf *out)
{
    struct gcal_buf *outer = o->out;
    unsigned position = o->position, from, to;
    int rc;

    gcal_remove_extent(o->r, c, &from, &to);
    o->out = out;
    o->position = from;
    rc = rewrite(o, c);
    copy_until(o, to);
    o->out = outer;
    o->position = position;
    return rc;
}

static int rewrite_children(struct onchip *o, CXCursor c)
{
    struct gcal_children children;
    int rc = 0;

    if (gcal_children_get(o->r->unit, c, &children, o->r->err) < 0)
        return -1;
    for (size_t i = 0; i < children.n && rc == 0; i++)
        rc = rewrite(o, children.cursors[i]);
    free(children.cursors);
    return rc;
}

/* ---- counters and sums ---- */

static int add_use(struct onchip *o, bool is_sum, size_t number)
{
    struct function *f = o->helper;
    struct use *moved;

    if (!f)
        return 0;
    for (size_t i = 0; i < f->n_uses; i++)
        if (f->uses[i].is_sum == is_sum && f->uses[i].number == number)
            return 0;
    if (!(moved = gcal_array_grow(f->uses, f->n_uses, &f->use_capacity, sizeof(*moved),
                                  o->r->err)))
        return -1;
    f->uses = moved;
    f->uses[f->n_uses++] = (struct use){ is_sum, number };
    return 0;
}

static void put_use_name(struct use use, struct gcal_buf *out)
{
    if (use.is_sum)
        gcal_sum_put_name(use.number, out);
    else
        gcal_buf_printf(out, "onchip_in%zu", use.number);
}

/* How a type is made from a counter: the counter's own type, the value that it starts
 * from, and what keeps small types from running out of it.
 */
static const struct {
    const char *dtype, *counter, *start, *guard;
} recipes[] = {
    { "float32", "uint", "0x3f000000u", NULL },
    { "float64", "ulong", "0x3fe0000000000000ul", NULL },
    { "float16", "ushort", "0x3800", "& (ushort)0x3ff | (ushort)0x3800" },
    { "int32", "uint", "1u", NULL },
    { "uint32", "uint", "1u", NULL },
    { "int64", "ulong", "1ul", NULL },
    { "uint64", "ulong", "1ul", NULL },
    { "int16", "ushort", "1", "| (ushort)1" }, /* never zero */
    { "uint16", "ushort", "1", "| (ushort)1" },
    { "int8", "uchar", "1", "| (uchar)1" },
    { "uint8", "uchar", "1", "| (uchar)1" },
};

static size_t recipe_of(struct sum type)
{
    size_t i = 0;

    while (strcmp(recipes[i].dtype, type.dtype) != 0)
        i++;
    return i;
}

static void put_counter_type(struct sum type, struct gcal_buf *out)
{
    gcal_buf_puts(out, recipes[recipe_of(type)].counter);
    if (type.n_lanes)
        gcal_buf_printf(out, "%lld", type.n_lanes);
}

/* A value of 'type', another one each time that it is asked for. */
static int put_value(struct onchip *o, CXCursor at, CXType type, struct gcal_buf *out)
{
    struct sum sum = gcal_sum_of(o->r, type), *moved;
    const char *guard;

    if (!sum.dtype)
        return gcal_remove_error(o->r, at,
                                 "no private value can stand for a load of this type: "
                                 "load the members of a struct one by one");
    if (!(moved = gcal_array_grow(o->counters, o->n_counters, &o->counter_capacity,
                                  sizeof(*moved), o->r->err)) ||
        add_use(o, false, o->n_counters) < 0)
        return -1;
    o->counters = moved;
    moved[o->n_counters] = sum;
    guard = recipes[recipe_of(sum)].guard;
    gcal_buf_puts(out, "as_");
    gcal_sum_put_type(sum, out);
    gcal_buf_puts(out, "(");
    if (guard) { /* which makes an int of a scalar */
        gcal_buf_puts(out, "(");
        put_counter_type(sum, out);
        gcal_buf_puts(out, ")(");
    }
    gcal_buf_printf(out, o->helper ? "(*onchip_in%zu)++" : "onchip_in%zu++",
                    o->n_counters++);
    if (guard)
        gcal_buf_printf(out, " %s)", guard);
    gcal_buf_puts(out, ")");
    return 0;
}

/* Adds 'value' to the sum of 'type': two steps, so that a product is not fused with the
 * addition, which the kernel does not have.
 */
static int put_addition(struct onchip *o, CXCursor at, CXType type, const char *value,
                        struct gcal_buf *out)
{
    int sum = gcal_sums_find(o->r, &o->sums, at, gcal_sum_of(o->r, type), false);
    struct gcal_buf name = { 0 };
    const char *star = o->helper ? "*" : "";

    if (sum < 0 || add_use(o, true, (size_t)sum) < 0)
        return -1;
    gcal_sum_put_name((size_t)sum, &name);
    gcal_buf_printf(out, "%s_next = %s, %s%s = %s%s + %s_next", name.data, value, star,
                    name.data, star, name.data, name.data);
    gcal_buf_free(&name);
    o->n_stores++;
    return 0;
}

/* ---- accesses ---- */

/* "i++, " for what a place changes besides; all else of it goes. */
static int put_changes(struct onchip *o, CXCursor place, struct gcal_buf *out)
{
    struct gcal_children children;
    int rc = 0;

    if (gcal_remove_is_change(o->r, place) &&
        gcal_remove_space(o->r, gcal_remove_child(o->r, place, 0)) != GCAL_SPACE_GLOBAL) {
        rc = put_rewritten(o, place, out);
        gcal_buf_puts(out, ", ");
        return rc;
    }
    if (gcal_children_get(o->r->unit, place, &children, o->r->err) < 0)
        return -1;
    for (size_t i = 0; i < children.n && rc == 0; i++)
        rc = put_changes(o, children.cursors[i], out);
    free(children.cursors);
    return rc;
}

/* 'text' takes the place of 'c'. */
static void replace(struct onchip *o, CXCursor c, const struct gcal_buf *text)
{
    unsigned from, to;

    gcal_remove_extent(o->r, c, &from, &to);
    copy_until(o, from);
    gcal_buf_puts(o->out, text->data ? text->data : "");
    o->position = to;
}

static int replace_load(struct onchip *o, CXCursor c, CXCursor place)
{
    struct gcal_buf text = { 0 };
    size_t before;
    int rc;

    gcal_buf_puts(&text, "(");
    before = text.size;
    if ((rc = put_changes(o, place, &text)) == 0) {
        if (text.size == before)
            text.data[text.size = 0] = 0;
        rc = put_value(o, c, gcal_remove_type(o->r, c), &text);
        gcal_buf_puts(&text, *text.data == '(' ? ")" : "");
    }
    replace(o, c, &text);
    gcal_buf_free(&text);
    return rc;
}

/* What stands between the sides of "a[i] <<= b", without the "=". */
static void put_operator(struct onchip *o, CXCursor left, CXCursor right,
                         struct gcal_buf *out)
{
    unsigned from, to, next, end;
    const char *text, *equals;

    gcal_remove_extent(o->r, left, &from, &to);
    gcal_remove_extent(o->r, right, &next, &end);
    text = o->r->unit->source + to;
    equals = memchr(text, '=', next - to);
    if (equals)
        gcal_buf_put(out, text, (size_t)(equals - text));
}

/* The value that 'c', a change of global memory, would store. */
static int put_stored(struct onchip *o, CXCursor c, struct gcal_buf *out)
{
    enum CXUnaryOperatorKind step = o->r->clang->getCursorUnaryOperatorKind(c);
    CXCursor place = gcal_remove_child(o->r, c, 0), value = gcal_remove_child(o->r, c, 1);

    if (kind_of(o->r, c) == CXCursor_BinaryOperator)
        return put_rewritten(o, value, out);
    if (put_value(o, c, gcal_remove_type(o->r, place), out) < 0)
        return -1;
    if (kind_of(o->r, c) == CXCursor_UnaryOperator) {
        gcal_buf_puts(out,
                      step == CXUnaryOperator_PostDec || step == CXUnaryOperator_PreDec
                          ? " - 1"
                          : " + 1");
        return 0;
    }
    put_operator(o, place, value, out);
    gcal_buf_puts(out, " (");
    if (put_rewritten(o, value, out) < 0)
        return -1;
    gcal_buf_puts(out, ")");
    return 0;
}

static int replace_change(struct onchip *o, CXCursor c)
{
    CXCursor place = gcal_remove_child(o->r, c, 0);
    struct gcal_buf text = { 0 }, value = { 0 };
    int rc = -1;

    gcal_buf_puts(&text, "(");
    if (put_changes(o, place, &text) < 0 || put_stored(o, c, &value) < 0)
        goto out;
    if (value.failed)
        gcal_error_memory(o->r->err);
    else
        rc = put_addition(o, c, gcal_remove_type(o->r, place), value.data, &text);
    gcal_buf_puts(&text, ")");
out:
    replace(o, c, &text);
    gcal_buf_free(&value);
    gcal_buf_free(&text);
    return rc;
}

/* ---- calls ---- */

static CXCursor argument_of(const struct onchip *o, CXCursor call, int i)
{
    return o->r->clang->Cursor_getArgument(call, (unsigned)i);
}

/* vstoreN and atomics: their values are added up; an atomic's result is a private one.
 */
static int replace_update(struct onchip *o, CXCursor c, int n_values, int first,
                          bool has_result)
{
    int n = o->r->clang->Cursor_getNumArguments(c), rc = 0;
    struct gcal_buf text = { 0 };

    gcal_buf_puts(&text, "(");
    for (int i = 0; i < n && rc == 0; i++) {
        CXCursor argument = argument_of(o, c, i);
        struct gcal_buf value = { 0 };

        if (i < first || i >= first + n_values) {
            rc = put_changes(o, argument, &text);
            continue;
        }
        if ((rc = put_rewritten(o, argument, &value)) == 0)
            rc = value.failed
                     ? gcal_error_memory(o->r->err)
                     : put_addition(o, argument, gcal_remove_type(o->r, argument),
                                    value.data, &text);
        gcal_buf_puts(&text, has_result || i + 1 < first + n_values ? ", " : "");
        gcal_buf_free(&value);
    }
    if (rc == 0 && has_result)
        rc = put_value(o, c, gcal_remove_type(o->r, c), &text);
    gcal_buf_puts(&text, ")");
    replace(o, c, &text);
    gcal_buf_free(&text);
    return rc;
}

static struct function *find_function(const struct onchip *o, CXCursor definition)
{
    for (size_t i = 0; i < o->n_functions; i++)
        if (o->r->clang->equalCursors(o->functions[i].definition, definition))
            return &o->functions[i];
    return NULL;
}

/* The helper's counters and sums behind its arguments. */
static int rewrite_helper_call(struct onchip *o, CXCursor c, CXCursor callee)
{
    struct function *f = find_function(o, callee);
    unsigned from, to;

    if (!f)
        return gcal_remove_error(o->r, c, "this function must stand before its caller");
    if (rewrite_children(o, c) < 0)
        return -1;
    gcal_remove_extent(o->r, c, &from, &to);
    copy_until(o, to - 1);
    for (size_t i = 0; i < f->n_uses; i++) {
        if (add_use(o, f->uses[i].is_sum, f->uses[i].number) < 0)
            return -1;
        gcal_buf_puts(o->out, o->helper ? ", " : ", &");
        put_use_name(f->uses[i], o->out);
        o->n_stores += f->uses[i].is_sum;
    }
    return 0;
}

static bool passes_global(const struct onchip *o, CXCursor call)
{
    int n = o->r->clang->Cursor_getNumArguments(call);

    for (int i = 0; i < n; i++)
        if (gcal_remove_target(o->r, argument_of(o, call, i)) == GCAL_SPACE_GLOBAL)
            return true;
    return false;
}

static int rewrite_call(struct onchip *o, CXCursor c)
{
    CXCursor callee = gcal_remove_callee(o->r, c);
    int n = o->r->clang->Cursor_getNumArguments(c);

    if (!is_null(o->r, callee) && gcal_remove_takes_global(o->r, callee))
        return rewrite_helper_call(o, c, callee);
    if (!is_null(o->r, callee) || !passes_global(o, c))
        return rewrite_children(o, c);
    if (gcal_remove_calls(o->r, c, "vload"))
        return replace_load(o, c, c);
    if (gcal_remove_calls(o->r, c, "vstore"))
        return replace_update(o, c, 1, 0, false);
    if (gcal_remove_calls(o->r, c, "atomic_") || gcal_remove_calls(o->r, c, "atom_"))
        return replace_update(o, c, n - 1, 1, true);
    return gcal_remove_error(o->r, c,
                             "what this function does in global memory cannot be "
                             "replaced: write it as a loop");
}

/* ---- statements ---- */

/* What the kernel added up by now is stored where it ends. */
static int rewrite_return(struct onchip *o, CXCursor c)
{
    unsigned from, to;

    if (o->helper || !(o->n_stores || o->loop_depth))
        return rewrite_children(o, c);
    gcal_remove_extent(o->r, c, &from, &to);
    copy_until(o, from);
    gcal_buf_puts(o->out, "{ ");
    if (o->all_sums.n)
        gcal_sums_put_store(o->r, &o->all_sums, o->out);
    gcal_buf_puts(o->out, "; return; }");
    o->position = to + (o->r->unit->source[to] == ';');
    return 0;
}

static int rewrite_loop(struct onchip *o, CXCursor c)
{
    int rc;

    o->loop_depth++;
    rc = rewrite_children(o, c);
    o->loop_depth--;
    return rc;
}

static int rewrite(struct onchip *o, CXCursor c)
{
    CXCursor place = gcal_remove_loaded(o->r, c);

    if (gcal_remove_is_change(o->r, c) &&
        gcal_remove_space(o->r, gcal_remove_child(o->r, c, 0)) == GCAL_SPACE_GLOBAL)
        return replace_change(o, c);
    if (!is_null(o->r, place))
        return replace_load(o, c, place);
    switch (kind_of(o->r, c)) {
    case CXCursor_CallExpr:
        return rewrite_call(o, c);
    case CXCursor_ReturnStmt:
        return rewrite_return(o, c);
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
        return rewrite_loop(o, c);
    default:
        return rewrite_children(o, c);
    }
}

/* ---- functions ---- */

static void put_counter(struct onchip *o, size_t number, struct gcal_buf *out)
{
    struct sum type = o->counters[number], scalar = { type.dtype, 0 };

    gcal_buf_puts(out, "    ");
    put_counter_type(type, out);
    gcal_buf_printf(out, " onchip_in%zu = (", number);
    put_counter_type(scalar, out);
    gcal_buf_printf(out, ")(%s + (get_global_id(0) & 0xffff) + %zu)",
                    recipes[recipe_of(type)].start, 257 * number);
    if (type.n_lanes) {
        gcal_buf_puts(out, " + (");
        put_counter_type(type, out);
        for (long long lane = 0; lane < type.n_lanes; lane++)
            gcal_buf_printf(out, "%s%lld", lane ? ", " : ")(", lane);
        gcal_buf_puts(out, ")");
    }
    gcal_buf_puts(out, ";\n");
}

/* ", uint *onchip_in0, float *read_tgt" */
static void put_parameters(struct onchip *o, const struct function *f,
                           struct gcal_buf *out)
{
    for (size_t i = 0; i < f->n_uses; i++) {
        struct use use = f->uses[i];

        gcal_buf_puts(out, ", ");
        if (use.is_sum)
            gcal_sum_put_type(o->sums.sums[use.number], out);
        else
            put_counter_type(o->counters[use.number], out);
        gcal_buf_puts(out, " *");
        put_use_name(use, out);
    }
}

/* Where the last parameter ends. */
static unsigned parameters_end(const struct onchip *o, CXCursor function)
{
    int n = o->r->clang->Cursor_getNumArguments(function);
    unsigned from, to;

    gcal_remove_extent(o->r, argument_of(o, function, n - 1), &from, &to);
    return to;
}

static int write_helper(struct onchip *o, CXCursor definition)
{
    CXCursor body = gcal_remove_body(o->r, definition);
    struct function *moved = gcal_array_grow(
        o->functions, o->n_functions, &o->function_capacity, sizeof(*moved), o->r->err);
    unsigned end = parameters_end(o, definition), from, to;
    struct gcal_buf text = { 0 };
    int rc;

    if (!moved)
        return -1;
    o->functions = moved;
    o->helper = &moved[o->n_functions];
    *o->helper = (struct function){ .definition = definition };
    rc = put_rewritten(o, body, &text);
    copy_until(o, end);
    put_parameters(o, o->helper, o->out);
    gcal_remove_extent(o->r, body, &from, &to);
    copy_until(o, from);
    gcal_buf_puts(o->out, "{\n");
    for (size_t i = 0; i < o->helper->n_uses; i++) {
        if (!o->helper->uses[i].is_sum)
            continue;
        gcal_buf_puts(o->out, "    ");
        gcal_sum_put_type(o->sums.sums[o->helper->uses[i].number], o->out);
        gcal_buf_puts(o->out, " ");
        put_use_name(o->helper->uses[i], o->out);
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
static int rewrite_statements(struct onchip *o, CXCursor body, struct gcal_buf *out)
{
    struct gcal_children children;
    struct gcal_buf *outer = o->out;
    unsigned from, to;
    int rc = 0;

    if (gcal_children_get(o->r->unit, body, &children, o->r->err) < 0)
        return -1;
    gcal_remove_extent(o->r, body, &from, &to);
    to--; /* the brace */
    o->out = out;
    o->position = from + 1;
    for (size_t i = 0; i < children.n && rc == 0; i++) {
        if (kind_of(o->r, children.cursors[i]) == CXCursor_ReturnStmt) {
            gcal_remove_extent(o->r, children.cursors[i], &to, &from);
            break;
        }
        rc = rewrite(o, children.cursors[i]);
    }
    copy_until(o, to);
    o->out = outer;
    free(children.cursors);
    return rc;
}

static int write_kernel(struct onchip *o, CXCursor kernel)
{
    struct gcal_buf text = { 0 };
    unsigned from, to;
    int rc = -1;

    gcal_remove_extent(o->r, kernel, &from, &to);
    copy_until(o, from);
    o->n_stores = 0;
    if (rewrite_statements(o, gcal_remove_body(o->r, kernel), &text) < 0)
        goto out;
    if (!o->sums.n) {
        gcal_remove_error(o->r, kernel,
                          "this kernel stores nothing in global memory, so its work "
                          "has no result");
        goto out;
    }
    gcal_remove_put_signature(o->r, kernel, &o->sums, o->out);
    gcal_buf_puts(o->out, "{\n");
    for (size_t i = 0; i < o->n_counters; i++)
        put_counter(o, i, o->out);
    gcal_sums_declare(o->r, &o->sums, o->out);
    gcal_buf_puts(o->out, text.data ? text.data + strspn(text.data, "\n") : "");
    gcal_buf_puts(o->out, "    ");
    gcal_sums_put_store(o->r, &o->sums, o->out);
    gcal_buf_puts(o->out, ";\n}\n");
    rc = 0;
out:
    gcal_buf_free(&text);
    return rc;
}

static int write_declaration(struct onchip *o, CXCursor c, CXCursor kernel)
{
    unsigned from, to;

    if (o->r->clang->equalCursors(c, kernel))
        return write_kernel(o, kernel);
    if (kind_of(o->r, c) != CXCursor_FunctionDecl || !gcal_remove_takes_global(o->r, c))
        return 0;
    gcal_remove_extent(o->r, c, &from, &to);
    copy_until(o, from);
    if (o->r->clang->equalCursors(o->r->clang->getCursorDefinition(c), c))
        return write_helper(o, c);
    o->position = to + (o->r->unit->source[to] == ';'); /* it has more parameters now */
    return 0;
}

static int write_all(struct onchip *o, CXCursor kernel)
{
    struct gcal_children all;
    int rc = 0;

    if (gcal_children_get(o->r->unit,
                          o->r->clang->getTranslationUnitCursor(o->r->unit->tu), &all,
                          o->r->err) < 0)
        return -1;
    for (size_t i = 0; i < all.n && rc == 0; i++)
        rc = write_declaration(o, all.cursors[i], kernel);
    free(all.cursors);
    return rc;
}

static void clear(struct onchip *o)
{
    for (size_t i = 0; i < o->n_functions; i++)
        free(o->functions[i].uses);
    free(o->functions);
    free(o->counters);
    *o = (struct onchip){ .r = o->r };
}

int gcal_remove_write_onchip(struct remover *r, CXCursor kernel, struct gcal_buf *out)
{
    struct gcal_buf unused = { 0 };
    struct onchip o = { .r = r, .out = &unused };
    struct sums sums;
    int rc;

    if (gcal_remove_check_data(r) < 0)
        return -1;
    /* Once for the sums, which are stored where the kernel ends early too. */
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
