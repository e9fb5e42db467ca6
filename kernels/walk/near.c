/* near.c - what is known of values that come from data, for the traffic of subscripts
 *
 * token[group]*width + lane is unknown, but neighbours in lanes and iterations access
 * neighbours in memory.  So what is loaded is some number: a dimension without a range,
 * which depends on the ids and loops that the load's address depends on.  Values follow
 * from it by the same arithmetic as from others, though signs and ranges are not known.
 */
#include "kernels/walk/private.h"

enum { MOST_NUMBERS = 256 };

const struct gcal_poly *gcal_walk_near_of(struct gcal_walk_value value)
{
    if (value.choice)
        return gcal_walk_near_of(value.choice->yes);
    return value.kind != GCAL_WALK_VALUE_UNKNOWN && value.p ? value.p : value.near;
}

const struct gcal_poly *gcal_walk_near_loaded(struct gcal_walk *w, CXType type,
                                              struct gcal_walk_value pointer)
{
    struct gcal_sets_number *number;
    const struct gcal_poly *of = gcal_walk_near_of(pointer);
    size_t n = w->nest->numbers ? w->nest->numbers->n : 0;

    if (pointer.kind != GCAL_WALK_VALUE_POINTER || !of || n == MOST_NUMBERS ||
        !gcal_walk_type_is_integer(clang_getCanonicalType(type)) ||
        !(number = gcal_poly_alloc(w->c, sizeof(*number))))
        return NULL;
    *number = (struct gcal_sets_number){
        .n = n + 1,
        .value = gcal_poly_dimension(w->c, "data", NULL),
        .of = of,
        .next = w->nest->numbers,
    };
    w->nest->numbers = number;
    return number->value;
}

static const struct gcal_poly *operate(struct gcal_walk *w,
                                       enum CXBinaryOperatorKind kind,
                                       const struct gcal_poly *a,
                                       const struct gcal_poly *b)
{
    const struct gcal_poly *quotient;
    int64_t k;

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
        quotient = gcal_poly_floor_quotient(w->c, a, b);
        return kind == CXBinaryOperator_Div
                   ? quotient
                   : gcal_poly_sub(w->c, a, gcal_poly_mul(w->c, quotient, b));
    case CXBinaryOperator_Shl:
        return gcal_poly_is_constant(b, &k) && k >= 0 && k <= 30
                   ? gcal_poly_scale(w->c, a, INT64_C(1) << k, 1)
                   : NULL;
    case CXBinaryOperator_Shr:
        return gcal_poly_is_constant(b, &k) && k >= 0 && k <= 30
                   ? gcal_poly_floor(w->c, a, INT64_C(1) << k)
                   : NULL;
    default:
        return NULL;
    }
}

const struct gcal_poly *gcal_walk_near_binary(struct gcal_walk *w,
                                              enum CXBinaryOperatorKind kind,
                                              struct gcal_walk_value a,
                                              struct gcal_walk_value b)
{
    const struct gcal_poly *x = gcal_walk_near_of(a), *y = gcal_walk_near_of(b), *near;

    if (!x || !y || gcal_poly_context_has_failed(w->c))
        return NULL;
    near = operate(w, kind, x, y);
    return gcal_poly_forgive_size(w->c) ? NULL : near;
}
