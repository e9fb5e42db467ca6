/* onchip_value.c - private values and sums instead of global memory */
#include "kernels/remove/onchip.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

void gcal_remove_onchip_copy_until(struct gcal_remove_onchip *o, unsigned to)
{
    gcal_remove_put_range(o->r, o->position, to, o->out);
    if (to > o->position)
        o->position = to;
}

int gcal_remove_onchip_add_use(struct gcal_remove_onchip *o, bool is_sum, size_t number)
{
    struct gcal_remove_function *f = o->helper;
    struct gcal_remove_use *moved;

    if (!f)
        return 0;
    for (size_t i = 0; i < f->n_uses; i++)
        if (f->uses[i].is_sum == is_sum && f->uses[i].number == number)
            return 0;
    if (!(moved = gcal_array_grow(f->uses, f->n_uses, &f->use_capacity, sizeof(*moved),
                                  o->r->err)))
        return -1;
    f->uses = moved;
    f->uses[f->n_uses++] = (struct gcal_remove_use){ is_sum, number };
    return 0;
}

void gcal_remove_onchip_put_use_name(struct gcal_remove_use use, struct gcal_buf *out)
{
    if (use.is_sum)
        gcal_remove_sum_put_name(use.number, out);
    else
        gcal_buf_printf(out, "onchip_in%zu", use.number);
}

/* Values of a type from a counter: the counter's type, its first value, and an operation
 * that keeps small types in range.  First values are written as floats, whose bits the
 * walk does not follow: with a known counter, it would run short loops iteration by
 * iteration, as the value might be an address.
 */
static const struct {
    const char *dtype, *counter, *start, *guard;
} recipes[] = {
    { "float32", "uint", "as_uint(0.5f)", NULL },
    { "float64", "ulong", "as_ulong(0.5)", NULL },
    { "float16", "ushort", "as_ushort((half)0.5f)", "& (ushort)0x3ff | (ushort)0x3800" },
    { "int32", "uint", "(uint)1.0f", NULL },
    { "uint32", "uint", "(uint)1.0f", NULL },
    { "int64", "ulong", "(ulong)1.0f", NULL },
    { "uint64", "ulong", "(ulong)1.0f", NULL },
    { "int16", "ushort", "(ushort)1.0f", "| (ushort)1" }, /* never zero */
    { "uint16", "ushort", "(ushort)1.0f", "| (ushort)1" },
    { "int8", "uchar", "(uchar)1.0f", "| (uchar)1" },
    { "uint8", "uchar", "(uchar)1.0f", "| (uchar)1" },
};

static size_t recipe_of(struct gcal_remove_sum type)
{
    size_t i = 0;

    while (strcmp(recipes[i].dtype, type.dtype) != 0)
        i++;
    return i;
}

void gcal_remove_onchip_put_counter_type(struct gcal_remove_sum type,
                                         struct gcal_buf *out)
{
    gcal_buf_puts(out, recipes[recipe_of(type)].counter);
    if (type.n_lanes)
        gcal_buf_printf(out, "%lld", type.n_lanes);
}

int gcal_remove_onchip_put_value(struct gcal_remove_onchip *o, CXCursor at, CXType type,
                                 struct gcal_buf *out)
{
    struct gcal_remove_sum sum = gcal_remove_sum_of(type), *moved;
    const char *guard;

    if (!sum.dtype)
        return gcal_remove_error(o->r, at,
                                 "a load of this type cannot be replaced by a private "
                                 "value: load the members of a struct one by one");
    if (!(moved = gcal_array_grow(o->counters, o->n_counters, &o->counter_capacity,
                                  sizeof(*moved), o->r->err)) ||
        gcal_remove_onchip_add_use(o, false, o->n_counters) < 0)
        return -1;
    o->counters = moved;
    moved[o->n_counters] = sum;
    guard = recipes[recipe_of(sum)].guard;
    gcal_buf_puts(out, "as_");
    gcal_remove_sum_put_type(sum, out);
    gcal_buf_puts(out, "(");
    if (guard) { /* which makes an int of a scalar */
        gcal_buf_puts(out, "(");
        gcal_remove_onchip_put_counter_type(sum, out);
        gcal_buf_puts(out, ")(");
    }
    gcal_buf_printf(out, o->helper ? "(*onchip_in%zu)++" : "onchip_in%zu++",
                    o->n_counters++);
    if (guard)
        gcal_buf_printf(out, " %s)", guard);
    gcal_buf_puts(out, ")");
    return 0;
}

int gcal_remove_onchip_put_addition(struct gcal_remove_onchip *o, CXCursor at,
                                    CXType type, const char *value, struct gcal_buf *out)
{
    int sum = gcal_remove_sums_find(o->r, &o->sums, at, gcal_remove_sum_of(type), false);
    struct gcal_buf name = { 0 };
    const char *star = o->helper ? "*" : "";

    if (sum < 0 || gcal_remove_onchip_add_use(o, true, (size_t)sum) < 0)
        return -1;
    gcal_remove_sum_put_name((size_t)sum, &name);
    gcal_buf_printf(out, "%s_next = %s, %s%s = %s%s + %s_next", name.data, value, star,
                    name.data, star, name.data, name.data);
    gcal_buf_free(&name);
    o->n_stores++;
    return 0;
}

void gcal_remove_onchip_declare_counter(struct gcal_remove_onchip *o, size_t number,
                                        struct gcal_buf *out)
{
    struct gcal_remove_sum type = o->counters[number], scalar = { type.dtype, 0 };

    gcal_buf_puts(out, "    ");
    gcal_remove_onchip_put_counter_type(type, out);
    gcal_buf_printf(out, " onchip_in%zu = (", number);
    gcal_remove_onchip_put_counter_type(scalar, out);
    gcal_buf_printf(out, ")(%s + (get_global_id(0) & 0xffff) + %zu)",
                    recipes[recipe_of(type)].start, 257 * number);
    if (type.n_lanes) {
        gcal_buf_puts(out, " + (");
        gcal_remove_onchip_put_counter_type(type, out);
        for (long long lane = 0; lane < type.n_lanes; lane++)
            gcal_buf_printf(out, "%s%lld", lane ? ", " : ")(", lane);
        gcal_buf_puts(out, ")");
    }
    gcal_buf_puts(out, ";\n");
}
