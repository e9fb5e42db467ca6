/* accumulator.c - accumulators: sums that keep compilers from deleting the remaining work
 *
 * With several accumulators, each addition goes to the one that has waited longest, and
 * the values move on by one: "next = r0 + load; r0 = r1; r1 = r2; r2 = next".  Two loads
 * in a row then never wait for each other, whether they follow in the text or in the
 * iterations of a loop with a single load, without an index and without knowing the
 * number of loads in a body.  In straight-line code the moves are mere renaming; in a
 * loop they are once it is unrolled by the number of accumulators.
 */
#include "kernels/remove/private.h"

#include <string.h>

/* In ascending order of width: a wider type holds sums of those before it. */
static const struct {
    const char *dtype, *name;
} types[] = {
    { "uint8", "uchar" },   { "int8", "char" },      { "uint16", "ushort" },
    { "int16", "short" },   { "uint32", "uint" },    { "int32", "int" },
    { "uint64", "ulong" },  { "int64", "long" },     { "float16", "half" },
    { "float32", "float" }, { "float64", "double" },
};

static int width_of(const char *dtype)
{
    for (int i = 0; i < (int)(sizeof(types) / sizeof(types[0])); i++)
        if (dtype && strcmp(types[i].dtype, dtype) == 0)
            return i;
    return -1;
}

struct gcal_remove_sum gcal_remove_sum_of(CXType type)
{
    bool is_vector = type.kind == CXType_ExtVector || type.kind == CXType_Vector;

    return (struct gcal_remove_sum){ gcal_source_dtype(type),
                                     is_vector ? clang_getNumElements(type) : 0 };
}

int gcal_remove_sums_find(struct gcal_remove_pass *r, struct gcal_remove_sums *sums,
                          CXCursor at, struct gcal_remove_sum type, bool pooled)
{
    if (width_of(type.dtype) < 0)
        return gcal_remove_error(r, at,
                                 "a value of this type cannot be added up: access the "
                                 "members of a struct one by one");
    for (size_t i = 0; i < sums->n; i++) {
        struct gcal_remove_sum *s = &sums->sums[i];

        if (s->n_lanes != type.n_lanes)
            continue;
        if (strcmp(s->dtype, type.dtype) == 0)
            return (int)i;
        if (pooled && !type.n_lanes) {
            if (width_of(type.dtype) > width_of(s->dtype))
                s->dtype = type.dtype;
            return (int)i;
        }
    }
    if (sums->n == GCAL_REMOVE_MAX_SUMS)
        return gcal_remove_error(r, at,
                                 "too many types to add up: load fewer in this kernel");
    sums->sums[sums->n] = type;
    return (int)sums->n++;
}

void gcal_remove_sum_put_name(size_t sum, struct gcal_buf *out)
{
    gcal_buf_puts(out, "read_tgt");
    if (sum)
        gcal_buf_printf(out, "%zu", sum);
}

void gcal_remove_sum_put_type(struct gcal_remove_sum sum, struct gcal_buf *out)
{
    gcal_buf_puts(out, types[width_of(sum.dtype)].name);
    if (sum.n_lanes)
        gcal_buf_printf(out, "%lld", sum.n_lanes);
}

struct gcal_remove_sum gcal_remove_sums_total(const struct gcal_remove_sums *sums)
{
    struct gcal_remove_sum total = sums->sums[0];

    if (sums->n == 1)
        return total;
    total.n_lanes = 0;
    for (size_t i = 1; i < sums->n; i++)
        if (width_of(sums->sums[i].dtype) > width_of(total.dtype))
            total.dtype = sums->sums[i].dtype;
    return total;
}

void gcal_remove_sums_declare(const struct gcal_remove_pass *r,
                              const struct gcal_remove_sums *sums, struct gcal_buf *out)
{
    size_t n = r->removal->n_accumulators;

    for (size_t i = 0; i < sums->n; i++) {
        gcal_buf_puts(out, "    ");
        gcal_remove_sum_put_type(sums->sums[i], out);
        gcal_buf_puts(out, " ");
        for (size_t k = 0; k < n; k++) {
            gcal_remove_sum_put_name(i, out);
            if (n > 1)
                gcal_buf_printf(out, "_%zu", k);
            gcal_buf_puts(out, k + 1 < n ? " = 0, " : " = 0");
        }
        if (n > 1 || r->removal->form == GCAL_REMOVE_KEEP_ONCHIP) {
            gcal_buf_puts(out, ", ");
            gcal_remove_sum_put_name(i, out);
            gcal_buf_puts(out, "_next");
        }
        gcal_buf_puts(out, ";\n");
    }
}

int gcal_remove_write_sum(struct gcal_remove_pass *r, CXCursor at,
                          struct gcal_remove_sum type, const char *value, int indent,
                          struct gcal_buf *out)
{
    size_t n = r->removal->n_accumulators;
    int sum = gcal_remove_sums_find(r, &r->frame->sums, at, type, true);
    struct gcal_buf name = { 0 };

    if (sum < 0)
        return -1;
    gcal_remove_sum_put_name((size_t)sum, &name);
    gcal_remove_indent(indent, out);
    if (n == 1) {
        gcal_buf_printf(out, "%s = %s + %s;\n", name.data, name.data, value);
    } else { /* in braces: it may be the body of an if */
        gcal_buf_printf(out, "{ %s_next = %s_0 + %s;", name.data, name.data, value);
        for (size_t k = 0; k + 1 < n; k++)
            gcal_buf_printf(out, " %s_%zu = %s_%zu;", name.data, k, name.data, k + 1);
        gcal_buf_printf(out, " %s_%zu = %s_next; }\n", name.data, n - 1, name.data);
    }
    gcal_buf_free(&name);
    r->frame->n_kept++;
    return 0;
}

/* The sum of all accumulators of one type. */
static void put_sum(const struct gcal_remove_pass *r, size_t sum, struct gcal_buf *out)
{
    size_t n = r->removal->n_accumulators;

    for (size_t k = 0; k < n; k++) {
        gcal_buf_puts(out, k ? " + " : "");
        gcal_remove_sum_put_name(sum, out);
        if (n > 1)
            gcal_buf_printf(out, "_%zu", k);
    }
}

/* "(read_tgt).s0 + (read_tgt).s1", where 'first' is the text before the first sum. */
static void put_lanes(const struct gcal_remove_pass *r, size_t sum, long long n_lanes,
                      const char *first, struct gcal_buf *out)
{
    for (long long lane = 0; lane < n_lanes; lane++) {
        gcal_buf_puts(out, lane ? " + (" : first);
        put_sum(r, sum, out);
        gcal_buf_printf(out, ").s%llx", lane);
    }
}

void gcal_remove_sums_put_total(const struct gcal_remove_pass *r,
                                const struct gcal_remove_sums *sums, struct gcal_buf *out)
{
    if (sums->n == 1)
        put_sum(r, 0, out);
    for (size_t i = 0; i < sums->n && sums->n > 1; i++) {
        gcal_buf_puts(out, i ? " + " : "");
        if (!sums->sums[i].n_lanes)
            put_sum(r, i, out);
        put_lanes(r, i, sums->sums[i].n_lanes, "(", out);
    }
}

static bool is_float(struct gcal_remove_sum sum)
{
    return strncmp(sum.dtype, "float", 5) == 0;
}

void gcal_remove_sums_put_as(const struct gcal_remove_pass *r,
                             const struct gcal_remove_sums *sums,
                             struct gcal_remove_sum type, struct gcal_buf *out)
{
    struct gcal_remove_sum total =
        sums->n ? gcal_remove_sums_total(sums) : (struct gcal_remove_sum){ "int32", 0 };
    bool spread = type.n_lanes && total.n_lanes != type.n_lanes; /* to all lanes */
    struct gcal_remove_sum one = { type.dtype, spread ? 0 : type.n_lanes };

    if (spread) {
        gcal_buf_puts(out, "(");
        gcal_remove_sum_put_type(type, out);
        gcal_buf_puts(out, ")(");
    }
    /* "(float)(", or "convert_int_sat(" where a float may be too large for the integer. */
    bool saturates = is_float(total) && !is_float(one), vector = one.n_lanes > 0;

    gcal_buf_puts(out, saturates || vector ? "convert_" : "(");
    gcal_remove_sum_put_type(one, out);
    gcal_buf_puts(out, saturates ? "_sat(" : vector ? "(" : ")(");
    if (!sums->n)
        gcal_buf_puts(out, "0");
    else if (total.n_lanes && !one.n_lanes)
        put_lanes(r, 0, total.n_lanes, "(", out);
    else
        gcal_remove_sums_put_total(r, sums, out);
    gcal_buf_puts(out, spread ? "))" : ")");
}

void gcal_remove_sums_put_store(const struct gcal_remove_pass *r,
                                const struct gcal_remove_sums *sums, struct gcal_buf *out)
{
    static const char *const linear[] = {
        "get_global_id(0)",
        "get_global_size(0) * get_global_id(1) + get_global_id(0)",
        ("get_global_size(0) * (get_global_size(1) * get_global_id(2) + "
         "get_global_id(1)) + get_global_id(0)"),
    };

    gcal_buf_printf(out, "GPUCAL_TAG(sum, read_tgt_dest[%s]) = ", linear[r->n_dims - 1]);
    gcal_remove_sums_put_total(r, sums, out);
}

void gcal_remove_put_signature(const struct gcal_remove_pass *r, CXCursor kernel,
                               const struct gcal_remove_sums *sums, struct gcal_buf *out)
{
    CXCursor body = gcal_remove_body(kernel);
    int n = clang_Cursor_getNumArguments(kernel);
    unsigned from, to, body_from, param_from, param_to;

    gcal_remove_extent(kernel, &from, &to);
    gcal_remove_extent(body, &body_from, &to);
    gcal_remove_extent(clang_Cursor_getArgument(kernel, (unsigned)n - 1), &param_from,
                       &param_to);
    if (r->stores) {
        gcal_remove_put_range(r, from, body_from, out);
        return;
    }
    gcal_remove_put_range(r, from, param_to, out);
    gcal_buf_puts(out, ", __global ");
    r->report->total = gcal_remove_sums_total(sums);
    gcal_remove_sum_put_type(r->report->total, out);
    gcal_buf_puts(out, " *read_tgt_dest");
    gcal_remove_put_range(r, param_to, body_from, out);
}
