/* data.c - integers that depend on data: how many values they may have, and what is known of
 * them for the traffic of subscripts
 *
 * "bin[value & 15]" has 16 places, which work-items share: apart + unit*k with k of
 * 'values' numbers from 0 on.  Estimates are made of these, so that a value that is
 * limited on one side is taken not to be negative.  Of "table[i + (value & 3)]" a lane's place
 * is known but for a little: 'apart' has its ids.
 *
 * token[group]*width + lane is unknown, but neighbours in lanes and iterations access
 * neighbours in memory.  So what is loaded is some number: a dimension without a range,
 * which depends on the ids and loops that the load's address depends on.  Values follow
 * from it by the same arithmetic as from others, though signs and ranges are not known.
 *
 * Of what comes from floating-point numbers or is a hash, nothing is known; but table[hash] and
 * table[hash + 1] are neighbours.  So a variable of such a value gets a free number, which is
 * another one for each work-item and iteration.
 */
#include <string.h>

#include "kernels/walk/private.h"

enum { MOST_NUMBERS = 256 };
#define MOST_VALUES ((int64_t)1 << 40) /* of known numbers of them */

static const struct gcal_sets_range *make(struct gcal_walk *w,
                                          const struct gcal_poly *values,
                                          const struct gcal_poly *unit,
                                          const struct gcal_poly *apart)
{
    struct gcal_sets_range *range = gcal_poly_alloc(w->c, sizeof(*range));

    if (range)
        *range = (struct gcal_sets_range){ values, unit, apart, NULL, NULL };
    return range;
}

/* 0 .. values-1 */
static const struct gcal_sets_range *make_plain(struct gcal_walk *w,
                                                const struct gcal_poly *values)
{
    return make(w, values, gcal_poly_integer(w->c, 1), gcal_poly_integer(w->c, 0));
}

static bool is_plain(const struct gcal_sets_range *range)
{
    int64_t unit;

    return gcal_poly_is_constant(range->unit, &unit) && unit == 1 &&
           !range->apart->n_terms;
}

const struct gcal_sets_range *gcal_walk_range_of_values(struct gcal_walk *w, int64_t n)
{
    return make_plain(w, gcal_poly_integer(w->c, n));
}

const struct gcal_sets_range *gcal_walk_range_of_type(struct gcal_walk *w, CXType type)
{
    long long bytes = gcal_source_size(type);

    if (!gcal_walk_type_is_integer(type) || bytes < 1 || bytes > 2)
        return NULL;
    return gcal_walk_range_of_values(
        w, type.kind == CXType_Bool ? 2 : (int64_t)1 << (8 * bytes));
}

const struct gcal_sets_range *gcal_walk_range_loaded(struct gcal_walk *w, CXType type,
                                                     struct gcal_walk_value pointer)
{
    const struct gcal_sets_array *array = &w->nest->arrays[pointer.array];
    const struct gcal_poly *first, *last, *one = gcal_poly_integer(w->c, 1);

    if (pointer.kind == GCAL_WALK_VALUE_POINTER && gcal_walk_type_is_integer(type) &&
        array->space != GCAL_FEATURE_SPACE_LOCAL)
        for (size_t i = 0; i < w->request->n_buffers; i++) {
            const struct gcal_count_buffer *b = &w->request->buffers[i];

            if (b->first && strcmp(b->argument, array->name) == 0 &&
                (first = gcal_poly_parse(w->c, b->first, NULL)) &&
                (last = gcal_poly_parse(w->c, b->last, NULL)))
                return make(w, gcal_poly_add(w->c, gcal_poly_sub(w->c, last, first), one),
                            one, first);
        }
    return gcal_walk_range_of_type(w, type);
}

/* Below 'end', or in a plain range that is smaller. */
static const struct gcal_sets_range *below(struct gcal_walk *w,
                                           const struct gcal_sets_range *range,
                                           const struct gcal_poly *end)
{
    if (range && is_plain(range))
        return make_plain(w, gcal_poly_min(w->c, range->values, end));
    return make_plain(w, end);
}

static const struct gcal_sets_range *placed(struct gcal_walk *w,
                                            const struct gcal_sets_range *range,
                                            const struct gcal_poly *apart)
{
    struct gcal_sets_range *to = gcal_poly_alloc(w->c, sizeof(*to));

    if (to) {
        *to = *range;
        to->apart = apart;
    }
    return to;
}

static const struct gcal_sets_range *moved(struct gcal_walk *w,
                                           const struct gcal_sets_range *range,
                                           const struct gcal_poly *by)
{
    return placed(w, range, gcal_poly_add(w->c, range->apart, by));
}

static const struct gcal_sets_range *scaled(struct gcal_walk *w,
                                            const struct gcal_sets_range *range,
                                            const struct gcal_poly *by)
{
    struct gcal_sets_range *to = gcal_poly_alloc(w->c, sizeof(*to));

    if (to)
        *to =
            (struct gcal_sets_range){ range->values, gcal_poly_mul(w->c, range->unit, by),
                                      gcal_poly_mul(w->c, range->apart, by),
                                      range->a ? scaled(w, range->a, by) : NULL,
                                      range->b ? scaled(w, range->b, by) : NULL };
    return to;
}

/* Whether work-items are at places of their own, which data move a little. */
static bool has_known_part(const struct gcal_walk *w, const struct gcal_sets_range *range)
{
    return range && gcal_poly_has_dimension(w->c, range->apart);
}

const struct gcal_sets_range *
gcal_walk_range_converted(struct gcal_walk *w, const struct gcal_sets_range *range,
                          CXType to)
{
    const struct gcal_sets_range *all = gcal_walk_range_of_type(w, to);

    return all && (!range || is_plain(range)) ? below(w, range, all->values) : range;
}

/* The digits of a number: 16*a + b; or the sum of two. */
static const struct gcal_sets_range *joined(struct gcal_walk *w,
                                            const struct gcal_sets_range *a,
                                            const struct gcal_sets_range *b)
{
    const struct gcal_poly *apart = gcal_poly_add(w->c, a->apart, b->apart);
    struct gcal_sets_range *sum;
    int64_t x, y, n, m;
    bool known = gcal_poly_is_constant(a->unit, &x),
         both = known && gcal_poly_is_constant(b->unit, &y),
         numbers =
             gcal_poly_is_constant(a->values, &n) && gcal_poly_is_constant(b->values, &m);

    if (both && x == y)
        return make(w,
                    gcal_poly_sub(w->c, gcal_poly_add(w->c, a->values, b->values),
                                  gcal_poly_integer(w->c, 1)),
                    a->unit, apart);
    if ((numbers ? n > MOST_VALUES / (m > 0 ? m : 1) : !both) ||
        !(sum = gcal_poly_alloc(w->c, sizeof(*sum))))
        return NULL;
    *sum = (struct gcal_sets_range){ gcal_poly_mul(w->c, a->values, b->values),
                                     !known || (both && x < y) ? a->unit : b->unit, apart,
                                     a, b };
    return sum;
}

/* What is known of x mod 'by', where data move x a little; NULL: nothing. */
static const struct gcal_sets_range *wrapped(struct gcal_walk *w,
                                             const struct gcal_sets_range *range,
                                             const struct gcal_poly *by)
{
    const struct gcal_poly *quotient;
    int64_t values, number;

    if (!has_known_part(w, range) || !gcal_poly_is_constant(range->values, &values) ||
        (gcal_poly_is_constant(by, &number) ? number <= values
                                            : !gcal_poly_is_size(w->c, by)))
        return NULL;
    quotient = gcal_poly_floor_quotient(w->c, range->apart, by);
    return placed(w, range,
                  gcal_poly_sub(w->c, range->apart, gcal_poly_mul(w->c, quotient, by)));
}

/* The bits of a mask that are beside each other are a digit each: the sum of these; NULL: there are
 * too many values.
 */
static const struct gcal_sets_range *digits_of(struct gcal_walk *w, uint64_t mask)
{
    const struct gcal_sets_range *sum = NULL;

    for (uint64_t unit, values; mask; mask &= ~((values - 1) * unit)) {
        const struct gcal_sets_range *digit;

        unit = mask & -mask;
        for (values = 2; mask / unit & values;)
            values *= 2;
        digit = make(w, gcal_poly_integer(w->c, (int64_t)values),
                     gcal_poly_integer(w->c, (int64_t)unit), gcal_poly_integer(w->c, 0));
        sum = sum && digit ? joined(w, sum, digit) : digit;
        if (!sum)
            return NULL;
    }
    return sum;
}

/* x & mask */
static const struct gcal_sets_range *masked(struct gcal_walk *w,
                                            const struct gcal_sets_range *range,
                                            const struct gcal_poly *mask)
{
    const struct gcal_poly *end = gcal_poly_add(w->c, mask, gcal_poly_integer(w->c, 1));
    const struct gcal_sets_range *inside = wrapped(w, range, end);
    int64_t bits;

    if (!gcal_poly_is_constant(mask, &bits))
        return inside ? inside : make_plain(w, end);
    if (bits < 0)
        return range;
    if (!(bits & (bits + 1)))
        return inside ? inside : below(w, range, end);
    inside = digits_of(w, (uint64_t)bits);
    return inside ? inside : below(w, range, end);
}

/* Of numbers of 'bits', or in a plain range, divided by 'by'. */
static const struct gcal_sets_range *divided(struct gcal_walk *w,
                                             const struct gcal_sets_range *range,
                                             long long bits, int64_t by)
{
    const struct gcal_poly *values;

    for (; !range && bits > 40 && by >= 2; by = (by + 1) / 2)
        bits--;
    if (by < 1 || (range ? !is_plain(range) : bits > 40))
        return NULL;
    values = range ? range->values : gcal_poly_integer(w->c, (int64_t)1 << bits);
    values = gcal_poly_add(w->c, values, gcal_poly_integer(w->c, by - 1));
    return make_plain(w, gcal_poly_floor(w->c, values, by));
}

/* 'number' with other bits at the end: below the next power of two above a plain range. */
static const struct gcal_sets_range *with_bits(struct gcal_walk *w,
                                               const struct gcal_sets_range *range,
                                               const struct gcal_poly *number)
{
    int64_t values, all = 1;

    if (!is_plain(range) || !gcal_poly_is_constant(range->values, &values) ||
        values > MOST_VALUES)
        return moved(w, range, number);
    while (all < values)
        all *= 2;
    return make(w, gcal_poly_integer(w->c, all), range->unit,
                gcal_poly_scale(w->c, gcal_poly_floor(w->c, number, all), all, 1));
}

static const struct gcal_sets_range *shifted(struct gcal_walk *w,
                                             enum CXBinaryOperatorKind kind, CXType type,
                                             const struct gcal_sets_range *range,
                                             const struct gcal_poly *by)
{
    long long bits = 8 * gcal_source_size(type);
    int64_t number;

    if (!gcal_poly_is_constant(by, &number) || number < 0 || number > 62)
        return NULL;
    number = (int64_t)1 << number;
    if (kind == CXBinaryOperator_Shr)
        return divided(w, range, bits, number);
    return range ? scaled(w, range, gcal_poly_integer(w->c, number)) : NULL;
}

/* Of either; NULL: any number. */
static const struct gcal_sets_range *united(struct gcal_walk *w,
                                            const struct gcal_sets_range *a,
                                            const struct gcal_sets_range *b)
{
    int64_t x, y;

    if (!a || !b || !gcal_poly_is_constant(a->unit, &x) ||
        !gcal_poly_is_constant(b->unit, &y))
        return NULL;
    if (x == y && gcal_poly_equal(a->apart, b->apart))
        return make(w, gcal_poly_max(w->c, a->values, b->values), a->unit, a->apart);
    return make(w, gcal_poly_add(w->c, a->values, b->values), x < y ? a->unit : b->unit,
                a->apart);
}

/* 'range' (NULL: any number) op 'number' */
static const struct gcal_sets_range *
with_number(struct gcal_walk *w, enum CXBinaryOperatorKind kind, CXType type,
            const struct gcal_sets_range *range, const struct gcal_poly *number)
{
    const struct gcal_sets_range *inside;
    int64_t by;

    switch (kind) {
    case CXBinaryOperator_And:
        return masked(w, range, number);
    case CXBinaryOperator_Rem:
        inside = wrapped(w, range, number);
        return inside ? inside : below(w, range, number);
    case CXBinaryOperator_Shl:
    case CXBinaryOperator_Shr:
        return shifted(w, kind, type, range, number);
    case CXBinaryOperator_Div:
        return gcal_poly_is_constant(number, &by)
                   ? divided(w, range, 8 * gcal_source_size(type), by)
                   : NULL;
    case CXBinaryOperator_Mul:
        return range ? scaled(w, range, number) : NULL;
    case CXBinaryOperator_Sub:
        number = gcal_poly_scale(w->c, number, -1, 1);
        return range ? moved(w, range, number) : NULL;
    case CXBinaryOperator_Add:
        return range ? moved(w, range, number) : NULL;
    case CXBinaryOperator_Or:
    case CXBinaryOperator_Xor:
        return range ? with_bits(w, range, number) : NULL;
    default:
        return NULL;
    }
}

static bool commutes(enum CXBinaryOperatorKind kind)
{
    return kind == CXBinaryOperator_Add || kind == CXBinaryOperator_Mul ||
           kind == CXBinaryOperator_And || kind == CXBinaryOperator_Or ||
           kind == CXBinaryOperator_Xor || kind == CXBinaryOperator_Sub;
}

const struct gcal_sets_range *
gcal_walk_range_binary(struct gcal_walk *w, enum CXBinaryOperatorKind kind, CXType type,
                       const struct gcal_walk_value *a, const struct gcal_walk_value *b)
{
    if (b->kind == GCAL_WALK_VALUE_INTEGER)
        return with_number(w, kind, type, a->range, b->p);
    if (a->kind == GCAL_WALK_VALUE_INTEGER && commutes(kind))
        return with_number(w, kind == CXBinaryOperator_Sub ? CXBinaryOperator_Add : kind,
                           type, b->range, a->p);
    switch (kind) {
    case CXBinaryOperator_Add:
    case CXBinaryOperator_Sub:
    case CXBinaryOperator_Or:
    case CXBinaryOperator_Xor:
        return a->range && b->range ? joined(w, a->range, b->range) : NULL;
    case CXBinaryOperator_And:
    case CXBinaryOperator_Rem:
        if (b->range && is_plain(b->range))
            return below(w, a->range, b->range->values);
        return kind == CXBinaryOperator_Rem || (a->range && is_plain(a->range)) ? a->range
                                                                                : NULL;
    case CXBinaryOperator_Div:
    case CXBinaryOperator_Shr:
        return a->range && is_plain(a->range) ? a->range : NULL;
    default:
        return NULL;
    }
}

/* Of a value that is the one or the other. */
static const struct gcal_sets_range *range_of(struct gcal_walk *w,
                                              const struct gcal_walk_value *value)
{
    int64_t number;

    if (value->kind != GCAL_WALK_VALUE_INTEGER || gcal_poly_has_dimension(w->c, value->p))
        return value->kind == GCAL_WALK_VALUE_UNKNOWN ? value->range : NULL;
    if (gcal_poly_is_constant(value->p, &number) && number >= 0 && number < MOST_VALUES)
        return gcal_walk_range_of_values(w, number + 1);
    return make(w, gcal_poly_integer(w->c, 1), gcal_poly_integer(w->c, 1), value->p);
}

const struct gcal_sets_range *gcal_walk_range_either(struct gcal_walk *w,
                                                     const struct gcal_walk_value *a,
                                                     const struct gcal_walk_value *b)
{
    if (a->kind == GCAL_WALK_VALUE_POINTER && b->kind == GCAL_WALK_VALUE_POINTER)
        return united(w, a->range, b->range);
    return united(w, range_of(w, a), range_of(w, b));
}

static bool is_integer(const struct gcal_walk_value *value)
{
    return value->kind == GCAL_WALK_VALUE_INTEGER;
}

const struct gcal_sets_range *gcal_walk_range_function(struct gcal_walk *w,
                                                       const char *name, CXType type,
                                                       size_t n,
                                                       const struct gcal_walk_value *args)
{
    const struct gcal_poly *one = gcal_poly_integer(w->c, 1);
    const struct gcal_walk_value *x = &args[0], *y = &args[1];
    const struct gcal_sets_range *sum;
    int64_t values, bits;
    struct gcal_walk_value product = gcal_walk_unknown(NULL);

    if (strcmp(name, "popcount") == 0 || strcmp(name, "clz") == 0 ||
        strcmp(name, "ctz") == 0) {
        bits = 8 * gcal_source_size(type);
        if (*name == 'p' && x->range && is_plain(x->range) &&
            gcal_poly_is_constant(x->range->values, &values))
            while (bits > 1 && values <= (int64_t)1 << (bits - 1))
                bits--;
        return gcal_walk_range_of_values(w, bits + 1);
    }
    if (gcal_walk_starts_with(name, "is") || strcmp(name, "signbit") == 0)
        return gcal_walk_range_of_values(w, 2);
    if (n == 1)
        return x->range ? x->range : gcal_walk_range_of_type(w, type);
    if (n == 3 && strcmp(name, "clamp") == 0 && has_known_part(w, x->range))
        return x->range;
    if (n == 3 && strcmp(name, "clamp") == 0 && is_integer(y) && is_integer(&args[2])) {
        sum =
            make_plain(w, gcal_poly_add(w->c, gcal_poly_sub(w->c, args[2].p, y->p), one));
        return sum ? moved(w, sum, y->p) : NULL;
    }
    if (n == 2 && is_integer(x)) {
        x = &args[1];
        y = &args[0];
    }
    if (n == 2 && strcmp(name, "min") == 0 && is_integer(y))
        return has_known_part(w, x->range)
                   ? x->range
                   : below(w, x->range, gcal_poly_add(w->c, y->p, one));
    if (n == 2 && strcmp(name, "max") == 0)
        return x->range;
    if (n == 2 && strcmp(name, "mul_hi") == 0 && is_integer(y))
        return below(w, NULL, y->p);
    if (n >= 2 && (strcmp(name, "mul24") == 0 || strcmp(name, "mad24") == 0)) {
        product.range = gcal_walk_range_binary(w, CXBinaryOperator_Mul, type, x, y);
        return n == 2 ? product.range
                      : gcal_walk_range_binary(w, CXBinaryOperator_Add, type, &product,
                                               &args[2]);
    }
    return NULL;
}

const struct gcal_sets_range *gcal_walk_range_move(struct gcal_walk *w,
                                                   const struct gcal_walk_value *pointer,
                                                   const struct gcal_walk_value *by,
                                                   int64_t size)
{
    const struct gcal_poly *bytes = gcal_poly_integer(w->c, size);
    const struct gcal_sets_range *range = by->range ? scaled(w, by->range, bytes) : NULL;

    if (pointer->p && range)
        return moved(w, range, pointer->p);
    if (pointer->range && by->kind == GCAL_WALK_VALUE_INTEGER)
        return moved(w, pointer->range, gcal_poly_mul(w->c, by->p, bytes));
    return pointer->range && range ? joined(w, pointer->range, range) : NULL;
}

static bool has_integers(const struct gcal_sets_range *range)
{
    return gcal_poly_is_integral(range->unit) && gcal_poly_is_integral(range->apart) &&
           (!range->a || (has_integers(range->a) && has_integers(range->b)));
}

const struct gcal_sets_range *
gcal_walk_range_in_elements(struct gcal_walk *w, const struct gcal_sets_range *range,
                            int64_t bytes)
{
    if (!range || bytes <= 0)
        return NULL;
    range = scaled(w, range, gcal_poly_rational(w->c, 1, bytes));
    return range && has_integers(range) ? range : NULL;
}

/* ---- numbers that are data ---- */

const struct gcal_poly *gcal_walk_base_of(struct gcal_walk_value value)
{
    if (value.choice)
        return gcal_walk_base_of(value.choice->mostly ? value.choice->yes
                                                      : value.choice->no);
    return value.kind != GCAL_WALK_VALUE_UNKNOWN && value.p ? value.p : value.near;
}

static bool has_free(const struct gcal_walk *w, const struct gcal_poly *p)
{
    for (const struct gcal_sets_number *n = w->nest->numbers; n; n = n->next)
        if (n->is_free && gcal_poly_contains(w->c, p, gcal_poly_atom_index(n->value)))
            return true;
    return false;
}

const struct gcal_poly *gcal_walk_near_of(const struct gcal_walk *w,
                                          struct gcal_walk_value value)
{
    const struct gcal_poly *base = gcal_walk_base_of(value);

    return base && has_free(w, base) ? NULL : base;
}

/* A new number; NULL: there are many. */
static const struct gcal_poly *add_number(struct gcal_walk *w,
                                          struct gcal_sets_number number)
{
    struct gcal_sets_number *added;
    size_t count = 0;

    for (const struct gcal_sets_number *n = w->nest->numbers; n; n = n->next)
        count += n->is_free == number.is_free;
    if (count == MOST_NUMBERS || !(added = gcal_poly_alloc(w->c, sizeof(*added))))
        return NULL;
    *added = number;
    added->value = gcal_poly_dimension(w->c, "data", NULL);
    added->next = w->nest->numbers;
    w->nest->numbers = added;
    return added->value;
}

/* The number that is data of this array (GCAL_SETS_NO_ARRAY: a quotient) there; NULL: there are
 * many.
 */
static const struct gcal_poly *number_of(struct gcal_walk *w, unsigned array,
                                         const struct gcal_poly *of)
{
    for (const struct gcal_sets_number *n = w->nest->numbers; n; n = n->next)
        if (!n->is_free && n->array == array && gcal_poly_equal(n->of, of))
            return n->value;
    return add_number(w, (struct gcal_sets_number){ .array = array, .of = of });
}

const struct gcal_poly *gcal_walk_near_loaded(struct gcal_walk *w, CXType type,
                                              struct gcal_walk_value pointer)
{
    const struct gcal_poly *of = gcal_walk_near_of(w, pointer);

    if (pointer.kind != GCAL_WALK_VALUE_POINTER || !of ||
        !gcal_walk_type_is_integer(clang_getCanonicalType(type)))
        return NULL;
    return number_of(w, pointer.array, of);
}

const struct gcal_poly *gcal_walk_free_number(struct gcal_walk *w)
{
    const struct gcal_poly *of = gcal_poly_integer(w->c, 0);

    for (size_t d = 0; d < w->nest->n_dims; d++)
        of = gcal_poly_add(w->c, of,
                           gcal_poly_add(w->c, w->nest->lid[d], w->nest->gid[d]));
    for (const struct gcal_sets_scope *s = w->scope; s; s = s->parent)
        if (s->kind == GCAL_SETS_SCOPE_LOOP)
            of = gcal_poly_add(w->c, of, gcal_poly_from_atom(w->c, s->loop));
    return add_number(w, (struct gcal_sets_number){ .is_free = true, .of = of });
}

struct gcal_walk_value gcal_walk_named(struct gcal_walk *w, CXCursor decl, CXType type,
                                       struct gcal_walk_value value)
{
    bool is_pointer = value.kind == GCAL_WALK_VALUE_POINTER;
    int64_t size = is_pointer
                       ? gcal_source_size(gcal_walk_pointee(type))
                       : value.kind == GCAL_WALK_VALUE_UNKNOWN &&
                             gcal_walk_type_is_integer(clang_getCanonicalType(type));

    if (size > 0 && !gcal_walk_base_of(value) && !value.choice && !value.parts &&
        !value.condition && !value.in_array && gcal_walk_is_index(w, decl) &&
        (value.near = gcal_walk_free_number(w)))
        value.near = gcal_poly_scale(w->c, value.near, size, 1);
    return value;
}

/* floor(a/b).  The quotient of a number that is data is some number, too: as far from its
 * neighbours as data are, which a quotient of what lies in a row is not.
 */
static const struct gcal_poly *divide(struct gcal_walk *w, const struct gcal_poly *a,
                                      const struct gcal_poly *b)
{
    const struct gcal_poly *quotient = gcal_poly_floor_quotient(w->c, a, b), *rest = a,
                           *number;
    bool is_inside = false;

    for (const struct gcal_sets_number *n = w->nest->numbers; n; n = n->next) {
        unsigned atom = gcal_poly_atom_index(n->value);

        is_inside = is_inside || gcal_poly_contains_nested(w->c, quotient, atom);
        rest = gcal_poly_substitute(w->c, rest, atom, gcal_poly_integer(w->c, 0));
    }
    if (!is_inside)
        return quotient;
    number = number_of(w, GCAL_SETS_NO_ARRAY,
                       gcal_poly_floor_quotient(w->c, gcal_poly_sub(w->c, a, rest), b));
    return number ? gcal_poly_add(w->c, number, gcal_poly_floor_quotient(w->c, rest, b))
                  : NULL;
}

static const struct gcal_poly *operate(struct gcal_walk *w,
                                       enum CXBinaryOperatorKind kind,
                                       const struct gcal_poly *a,
                                       const struct gcal_poly *b)
{
    const struct gcal_poly *quotient;
    int64_t k;

    if (kind == CXBinaryOperator_And && gcal_poly_is_constant(b, &k) && !(k & (k + 1))) {
        kind = CXBinaryOperator_Rem;
        b = gcal_poly_integer(w->c, k + 1);
    }
    switch (kind) {
    case CXBinaryOperator_Add:
        return gcal_poly_add(w->c, a, b);
    case CXBinaryOperator_Sub:
        return gcal_poly_sub(w->c, a, b);
    case CXBinaryOperator_Mul:
        return gcal_poly_mul(w->c, a, b);
    case CXBinaryOperator_Div:
    case CXBinaryOperator_Rem:
        if (gcal_poly_is_constant(b, &k) ? k <= 0 : !gcal_poly_is_size(w->c, b))
            return NULL;
        quotient = divide(w, a, b);
        return kind == CXBinaryOperator_Div || !quotient
                   ? quotient
                   : gcal_poly_sub(w->c, a, gcal_poly_mul(w->c, quotient, b));
    case CXBinaryOperator_Shl:
        return gcal_poly_is_constant(b, &k) && k >= 0 && k <= 30
                   ? gcal_poly_scale(w->c, a, INT64_C(1) << k, 1)
                   : NULL;
    case CXBinaryOperator_Shr:
        return gcal_poly_is_constant(b, &k) && k >= 0 && k <= 30
                   ? divide(w, a, gcal_poly_integer(w->c, INT64_C(1) << k))
                   : NULL;
    default:
        return NULL;
    }
}

/* Of which at least one has free numbers: what is moved, or a multiple, and mostly what is wrapped. */
static const struct gcal_poly *operate_on_free(struct gcal_walk *w,
                                               enum CXBinaryOperatorKind kind,
                                               const struct gcal_poly *a,
                                               const struct gcal_poly *b)
{
    switch (kind) {
    case CXBinaryOperator_Mul:
        return gcal_poly_has_dimension(w->c, a) && gcal_poly_has_dimension(w->c, b)
                   ? NULL
                   : gcal_poly_mul(w->c, a, b);
    case CXBinaryOperator_And:
        if (!gcal_poly_has_dimension(w->c, a))
            return b;
        return gcal_poly_has_dimension(w->c, b) ? NULL : a;
    case CXBinaryOperator_Rem:
        return gcal_poly_has_dimension(w->c, b) ? NULL : a;
    case CXBinaryOperator_Add:
    case CXBinaryOperator_Sub:
    case CXBinaryOperator_Shl:
        return operate(w, kind, a, b);
    default:
        return NULL;
    }
}

const struct gcal_poly *gcal_walk_near_binary(struct gcal_walk *w,
                                              enum CXBinaryOperatorKind kind,
                                              struct gcal_walk_value a,
                                              struct gcal_walk_value b)
{
    const struct gcal_poly *x = gcal_walk_base_of(a), *y = gcal_walk_base_of(b), *near;

    if (!x || !y || gcal_poly_context_has_failed(w->c))
        return NULL;
    near = has_free(w, x) || has_free(w, y) ? operate_on_free(w, kind, x, y)
                                            : operate(w, kind, x, y);
    return gcal_poly_forgive_size(w->c) ? NULL : near;
}
