/* walk_arith.c - symbolic arithmetic on integers and pointers */
#include "kernels/walk.h"

static struct gcal_value divide(struct gcal_walk *w, struct gcal_value a,
                                struct gcal_value b, bool rest)
{
    const struct gcal_poly *quotient;
    int64_t k;

    if (!gcal_poly_is_constant(b.p, &k) || k <= 0) {
        quotient = gcal_poly_divide(w->c, a.p, b.p);
        if (!quotient || !gcal_poly_is_integral(quotient))
            return gcal_unknown("it divides by something that is not a positive number");
    } else {
        quotient = gcal_poly_scale(w->c, a.p, 1, k);
        if (!gcal_poly_is_integral(quotient)) {
            /* C rounds towards zero, floor downwards */
            if (!gcal_poly_is_nonnegative(w->c, a.p))
                return gcal_unknown(gcal_polys_format(
                    w->c,
                    "'%s' may be negative, and C's division then rounds upwards: assume "
                    "enough about the sizes (\"n %% 16 = 0 and n >= 16\") to rule that "
                    "out",
                    gcal_poly_text(w->c, a.p)));
            quotient = gcal_poly_floor(w->c, a.p, k);
        }
    }
    if (rest)
        quotient = gcal_poly_sub(w->c, a.p, gcal_poly_mul(w->c, quotient, b.p));
    return gcal_integer(quotient);
}

/* x & (2^k-1) is x modulo 2^k, below zero too. */
static struct gcal_value mask(struct gcal_walk *w, struct gcal_value a,
                              struct gcal_value b)
{
    int64_t k;

    if (gcal_poly_is_constant(a.p, &k)) {
        struct gcal_value swapped = a;

        a = b;
        b = swapped;
    }
    if (!gcal_poly_is_constant(b.p, &k) || k < 0 || k >= INT64_MAX || (k & (k + 1)))
        return gcal_unknown("it holds a '&' with something other than 2^k-1");
    return gcal_integer(gcal_poly_sub(
        w->c, a.p, gcal_poly_scale(w->c, gcal_poly_floor(w->c, a.p, k + 1), k + 1, 1)));
}

struct gcal_value gcal_combine(struct gcal_walk *w, enum CXBinaryOperatorKind kind,
                               struct gcal_value a, struct gcal_value b)
{
    int64_t k;

    if (a.kind != VALUE_INTEGER || b.kind != VALUE_INTEGER)
        return gcal_unknown(a.kind != VALUE_INTEGER ? a.why : b.why);
    switch (kind) {
    case CXBinaryOperator_Add:
        return gcal_integer(gcal_poly_add(w->c, a.p, b.p));
    case CXBinaryOperator_Sub:
        return gcal_integer(gcal_poly_sub(w->c, a.p, b.p));
    case CXBinaryOperator_Mul:
        return gcal_integer(gcal_poly_mul(w->c, a.p, b.p));
    case CXBinaryOperator_Div:
    case CXBinaryOperator_Rem:
        return divide(w, a, b, kind == CXBinaryOperator_Rem);
    case CXBinaryOperator_And:
        return mask(w, a, b);
    case CXBinaryOperator_Shl:
    case CXBinaryOperator_Shr:
        if (!gcal_poly_is_constant(b.p, &k) || k < 0 || k > 40)
            return gcal_unknown("it shifts by something that is not a small number");
        return gcal_integer(kind == CXBinaryOperator_Shl
                                ? gcal_poly_scale(w->c, a.p, (int64_t)1 << k, 1)
                                : gcal_poly_floor(w->c, a.p, (int64_t)1 << k));
    default:
        return gcal_unknown("it holds an operator that is not affine");
    }
}

struct gcal_value gcal_move_pointer(struct gcal_walk *w, struct gcal_value pointer,
                                    struct gcal_value by, CXType pointer_type, int sign)
{
    long long size = w->clang->Type_getSizeOf(
        w->clang->getCanonicalType(w->clang->getPointeeType(pointer_type)));

    if (pointer.kind != VALUE_POINTER)
        return pointer;
    if (by.kind != VALUE_INTEGER || !pointer.p || size <= 0)
        pointer.p = NULL;
    else
        pointer.p =
            gcal_poly_add(w->c, pointer.p, gcal_poly_scale(w->c, by.p, sign * size, 1));
    return pointer;
}

const char *gcal_op_name(enum CXBinaryOperatorKind kind)
{
    switch (kind) {
    case CXBinaryOperator_Add:
    case CXBinaryOperator_Sub:
        return "add";
    case CXBinaryOperator_Mul:
        return "mul";
    case CXBinaryOperator_Div:
        return "div";
    case CXBinaryOperator_Rem:
        return "rem";
    case CXBinaryOperator_Shl:
        return "shl";
    case CXBinaryOperator_Shr:
        return "shr";
    case CXBinaryOperator_And:
        return "and";
    case CXBinaryOperator_Or:
        return "or";
    case CXBinaryOperator_Xor:
        return "xor";
    default:
        return NULL;
    }
}

enum CXBinaryOperatorKind gcal_compound_kind(enum CXBinaryOperatorKind kind)
{
    return (enum CXBinaryOperatorKind)(kind - CXBinaryOperator_MulAssign +
                                       CXBinaryOperator_Mul);
}
