/* logic.c - operations of integers that are one instruction together, or a part of one
 *
 * GPUs have instructions for bitwise functions of three values, for bits that two shifts put
 * together, as turning a word does, and for products of 64 bits that have factors of 32.  Which
 * operations these take is seen in the syntax tree, where a result has one use: of an operation, its
 * operands from the leaves on, as many as follow from three values together.
 */
#include "kernels/walk/private.h"

enum { MOST_VALUES = 3, DEEPEST = 100 };

struct values {
    size_t n; /* may be one more, of too many */
    CXCursor all[MOST_VALUES + 1];
};

static enum CXBinaryOperatorKind operator_of(CXCursor c)
{
    enum CXCursorKind kind = gcal_source_kind(c);

    if (kind == CXCursor_CompoundAssignOperator)
        return gcal_walk_compound_operator(clang_getCursorBinaryOperatorKind(c));
    return kind == CXCursor_BinaryOperator ? clang_getCursorBinaryOperatorKind(c)
                                           : CXBinaryOperator_Invalid;
}

static bool is_bitwise(CXCursor c)
{
    enum CXBinaryOperatorKind kind = operator_of(c);

    return kind == CXBinaryOperator_And || kind == CXBinaryOperator_Or ||
           kind == CXBinaryOperator_Xor ||
           (gcal_source_kind(c) == CXCursor_UnaryOperator &&
            clang_getCursorUnaryOperatorKind(c) == CXUnaryOperator_Not);
}

static bool read_number(struct gcal_walk *w, CXCursor c, int64_t *number)
{
    struct gcal_walk_value value;

    if (gcal_source_kind(c) != CXCursor_IntegerLiteral)
        return false;
    value = gcal_walk_constant(w, c);
    return value.kind == GCAL_WALK_VALUE_INTEGER &&
           gcal_poly_is_constant(value.p, number);
}

/* Returns whether both are the same number, variable, element or member. */
static bool is_same(struct gcal_walk *w, CXCursor a, CXCursor b)
{
    struct gcal_walk_children as, bs;
    enum CXCursorKind kind;
    int64_t x, y;

    a = gcal_walk_strip_casts(w, a);
    b = gcal_walk_strip_casts(w, b);
    kind = gcal_source_kind(a);
    if (kind != gcal_source_kind(b))
        return false;
    if (kind == CXCursor_IntegerLiteral)
        return read_number(w, a, &x) && read_number(w, b, &y) && x == y;
    if (kind != CXCursor_ArraySubscriptExpr &&
        !clang_equalCursors(clang_getCursorReferenced(a), clang_getCursorReferenced(b)))
        return false;
    if (kind == CXCursor_DeclRefExpr)
        return true;
    as = gcal_walk_get_children(w, a);
    bs = gcal_walk_get_children(w, b);
    if ((kind != CXCursor_ArraySubscriptExpr && kind != CXCursor_MemberRefExpr) ||
        as.n != bs.n)
        return false;
    for (size_t i = 0; i < as.n; i++)
        if (!is_same(w, as.c[i], bs.c[i]))
            return false;
    return true;
}

/* Returns whether one shift is by as many of 'bits' as the other leaves. */
static bool adds_up(struct gcal_walk *w, CXCursor by, CXCursor other, long long bits)
{
    struct gcal_walk_children rest;
    int64_t a, b;

    by = gcal_walk_strip_casts(w, by);
    other = gcal_walk_strip_casts(w, other);
    if (read_number(w, by, &a) && read_number(w, other, &b))
        return a + b == bits;
    rest = gcal_walk_get_children(w, by);
    return operator_of(by) == CXBinaryOperator_Sub && rest.n == 2 &&
           read_number(w, gcal_walk_strip_casts(w, rest.c[0]), &a) && a == bits &&
           is_same(w, rest.c[1], other);
}

static long long bits_of(CXType type)
{
    return 8 * gcal_source_size(type) / gcal_walk_type_width(type);
}

/* Returns whether two shifts, which it gives, put the bits of 'c' together:
 * x << k | y >> (bits - k).
 */
static bool is_put_together(struct gcal_walk *w, CXCursor c, CXCursor shifts[2])
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c), by[2];
    enum CXBinaryOperatorKind kind = operator_of(c);
    long long bits = bits_of(gcal_source_type(c));
    CXType type;
    int right = -1;

    if (kind != CXBinaryOperator_Or && kind != CXBinaryOperator_Xor &&
        kind != CXBinaryOperator_Add)
        return false;
    for (int i = 0; i < 2; i++) {
        shifts[i] = gcal_walk_strip_casts(w, kids.c[i]);
        by[i] = gcal_walk_get_children(w, shifts[i]);
        if (operator_of(shifts[i]) == CXBinaryOperator_Shr)
            right = i;
    }
    if (right < 0 || operator_of(shifts[!right]) != CXBinaryOperator_Shl)
        return false;
    type = gcal_source_type(shifts[right]);
    return gcal_walk_type_is_unsigned(type) && bits_of(type) == bits &&
           (adds_up(w, by[0].c[1], by[1].c[1], bits) ||
            adds_up(w, by[1].c[1], by[0].c[1], bits));
}

static void add_value(struct gcal_walk *w, struct values *values, CXCursor c)
{
    for (size_t i = 0; i < values->n; i++)
        if (is_same(w, values->all[i], c))
            return;
    if (values->n <= MOST_VALUES)
        values->all[values->n++] = c;
}

/* Returns whether 'c' may be one instruction with 'user', of which it is an operand. */
static bool is_joinable(struct gcal_walk *w, CXCursor c, CXCursor user)
{
    CXCursor shifts[2];

    return is_bitwise(c) && gcal_source_kind(c) != CXCursor_CompoundAssignOperator &&
           gcal_source_size(gcal_source_type(c)) ==
               gcal_source_size(gcal_source_type(user)) &&
           !is_put_together(w, c, shifts);
}

static void note_joined(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_family *family = gcal_walk_get_family(w, c);

    if (family)
        family->is_joined = true;
}

/* Notes which operations are joined in 'c', a bitwise one, and below; returns the values that its
 * instruction has.
 */
static struct values cover(struct gcal_walk *w, CXCursor c, int depth)
{
    static const bool choices[][2] = { { 1, 1 }, { 1, 0 }, { 0, 1 }, { 0, 0 } };
    struct gcal_walk_family *family = gcal_walk_get_family(w, c);
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    struct values of[2] = { 0 }, all;
    CXCursor operands[2];

    if (family)
        family->is_covered = true;
    for (size_t i = 0; i < kids.n; i++) {
        operands[i] = gcal_walk_strip_casts(w, kids.c[i]);
        if (depth < DEEPEST && is_joinable(w, operands[i], c))
            of[i] = cover(w, operands[i], depth + 1);
    }
    for (const bool *with = choices[0];; with += 2) {
        all.n = 0;
        for (size_t i = 0; i < kids.n; i++) {
            if (!with[i] || !of[i].n)
                add_value(w, &all, operands[i]);
            for (size_t k = 0; with[i] && k < of[i].n; k++)
                add_value(w, &all, of[i].all[k]);
        }
        if (all.n > MOST_VALUES)
            continue;
        for (size_t i = 0; i < kids.n; i++)
            if (with[i] && of[i].n)
                note_joined(w, operands[i]);
        return all;
    }
}

/* Returns whether 'c' multiplies two numbers of 32 bits, of which one instruction makes 64, or takes one
 * half of 64 bits to the other, which is another register.
 */
static bool is_of_halves(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    enum CXBinaryOperatorKind kind = operator_of(c);
    int64_t number;

    if (kids.n != 2 || bits_of(gcal_source_type(c)) != 64)
        return false;
    if (kind == CXBinaryOperator_Shr || kind == CXBinaryOperator_Shl)
        return read_number(w, gcal_walk_strip_casts(w, kids.c[1]), &number) &&
               number == 32;
    for (size_t i = 0; i < kids.n; i++) {
        CXCursor factor = kids.c[i];

        while (bits_of(gcal_source_type(factor)) > 32 &&
               gcal_walk_unwrap(w, factor, &factor))
            ;
        if (!gcal_walk_type_is_integer(gcal_source_type(factor)) ||
            (bits_of(gcal_source_type(factor)) > 32 &&
             !(read_number(w, factor, &number) && number >> 32 == 0)))
            return false;
    }
    return kind == CXBinaryOperator_Mul;
}

bool gcal_walk_is_joined(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_family *family = gcal_walk_get_family(w, c);
    const bool is_covered = family && family->is_covered;
    CXCursor shifts[2];

    if (!family || !w->request->sector_bytes)
        return false;
    if (is_of_halves(w, c)) {
        note_joined(w, c);
    } else if (is_put_together(w, c, shifts)) {
        note_joined(w, shifts[0]);
        note_joined(w, shifts[1]);
    } else if (!is_covered && is_bitwise(c)) {
        cover(w, c, 0);
    }
    family = gcal_walk_get_family(w, c); /* which has moved */
    return family && family->is_joined;
}
