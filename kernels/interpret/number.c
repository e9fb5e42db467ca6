/* number.c - built-in functions of one to three numbers, lane by lane */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/interpret/private.h"

#define PI 3.14159265358979323846

/* ---- floating point ---- */

/* Every name, its number of arguments x, y and z, and its value. */
#define FLOAT_FUNCTIONS(F)                                                               \
    F(sqrt, 1, sqrt(x))                                                                  \
    F(rsqrt, 1, 1.0 / sqrt(x))                                                           \
    F(cbrt, 1, cbrt(x))                                                                  \
    F(exp, 1, exp(x))                                                                    \
    F(exp2, 1, exp2(x))                                                                  \
    F(exp10, 1, pow(10.0, x))                                                            \
    F(expm1, 1, expm1(x))                                                                \
    F(log, 1, log(x))                                                                    \
    F(log2, 1, log2(x))                                                                  \
    F(log10, 1, log10(x))                                                                \
    F(log1p, 1, log1p(x))                                                                \
    F(sin, 1, sin(x))                                                                    \
    F(cos, 1, cos(x))                                                                    \
    F(tan, 1, tan(x))                                                                    \
    F(asin, 1, asin(x))                                                                  \
    F(acos, 1, acos(x))                                                                  \
    F(atan, 1, atan(x))                                                                  \
    F(sinh, 1, sinh(x))                                                                  \
    F(cosh, 1, cosh(x))                                                                  \
    F(tanh, 1, tanh(x))                                                                  \
    F(erf, 1, erf(x))                                                                    \
    F(erfc, 1, erfc(x))                                                                  \
    F(fabs, 1, fabs(x))                                                                  \
    F(floor, 1, floor(x))                                                                \
    F(ceil, 1, ceil(x))                                                                  \
    F(round, 1, round(x))                                                                \
    F(rint, 1, rint(x))                                                                  \
    F(trunc, 1, trunc(x))                                                                \
    F(recip, 1, 1.0 / x)                                                                 \
    F(isnan, 1, isnan(x) != 0)                                                           \
    F(isinf, 1, isinf(x) != 0)                                                           \
    F(isfinite, 1, isfinite(x) != 0)                                                     \
    F(divide, 2, x / y)                                                                  \
    F(pow, 2, pow(x, y))                                                                 \
    F(powr, 2, pow(x, y))                                                                \
    F(pown, 2, pow(x, y))                                                                \
    F(atan2, 2, atan2(x, y))                                                             \
    F(fmin, 2, fmin(x, y))                                                               \
    F(fmax, 2, fmax(x, y))                                                               \
    F(min, 2, fmin(x, y))                                                                \
    F(max, 2, fmax(x, y))                                                                \
    F(fmod, 2, fmod(x, y))                                                               \
    F(hypot, 2, hypot(x, y))                                                             \
    F(step, 2, y < x ? 0.0 : 1.0)                                                        \
    F(copysign, 2, copysign(x, y))                                                       \
    F(fma, 3, fma(x, y, z))                                                              \
    F(mad, 3, fma(x, y, z))                                                              \
    F(clamp, 3, fmin(fmax(x, y), z))                                                     \
    F(mix, 3, x + (y - x) * z)                                                           \
    F(acosh, 1, acosh(x))                                                                \
    F(asinh, 1, asinh(x))                                                                \
    F(atanh, 1, atanh(x))                                                                \
    F(acospi, 1, acos(x) / PI)                                                           \
    F(asinpi, 1, asin(x) / PI)                                                           \
    F(atanpi, 1, atan(x) / PI)                                                           \
    F(cospi, 1, cos(PI *x))                                                              \
    F(sinpi, 1, sin(PI *x))                                                              \
    F(tanpi, 1, tan(PI *x))                                                              \
    F(lgamma, 1, lgamma(x))                                                              \
    F(tgamma, 1, tgamma(x))                                                              \
    F(logb, 1, logb(x))                                                                  \
    F(ilogb, 1, logb(x))                                                                 \
    F(degrees, 1, x *(180 / PI))                                                         \
    F(radians, 1, x *(PI / 180))                                                         \
    F(sign, 1, isnan(x) ? 0 : x > 0 ? 1 : x < 0 ? -1 : x)                                \
    F(isnormal, 1, isnormal(x) != 0)                                                     \
    F(signbit, 1, signbit(x) != 0)                                                       \
    F(isequal, 2, x == y)                                                                \
    F(isnotequal, 2, x != y)                                                             \
    F(isgreater, 2, isgreater(x, y) != 0)                                                \
    F(isgreaterequal, 2, isgreaterequal(x, y) != 0)                                      \
    F(isless, 2, isless(x, y) != 0)                                                      \
    F(islessequal, 2, islessequal(x, y) != 0)                                            \
    F(islessgreater, 2, islessgreater(x, y) != 0)                                        \
    F(isordered, 2, !isunordered(x, y))                                                  \
    F(isunordered, 2, isunordered(x, y) != 0)                                            \
    F(atan2pi, 2, atan2(x, y) / PI)                                                      \
    F(fdim, 2, fdim(x, y))                                                               \
    F(remainder, 2, remainder(x, y))                                                     \
    F(maxmag, 2, fabs(x) > fabs(y) ? x : fabs(x) < fabs(y) ? y : fmax(x, y))             \
    F(minmag, 2, fabs(x) < fabs(y) ? x : fabs(x) > fabs(y) ? y : fmin(x, y))             \
    F(ldexp, 2, ldexp(x, (int)y))                                                        \
    F(rootn, 2, x < 0 && fmod(y, 2) != 0 ? -pow(-x, 1 / y) : pow(x, 1 / y))              \
    F(nextafter, 2, nextafter(x, y))                                                     \
    F(smoothstep, 3,                                                                     \
      fmin(fmax((z - x) / (y - x), 0), 1) * fmin(fmax((z - x) / (y - x), 0), 1) *        \
          (3 - 2 * fmin(fmax((z - x) / (y - x), 0), 1)))

/* Parts of functions with two results, by names that no source has. */
#define FLOAT_PARTS(F)                                                                   \
    F(fraction, 1, fmin(x - floor(x), 0x1.fffffep-1))                                    \
    F(above, 1, x - trunc(x))                                                            \
    F(mantissa, 1, frexp(x, &(int){ 0 }))                                                \
    F(exponent, 1, x == 0 || !isfinite(x) ? 0 : logb(x) + 1)

#define DEFINE_FLOAT(name, n, value)                                                     \
    static double m_##name(double x, double y, double z)                                 \
    {                                                                                    \
        (void)y;                                                                         \
        (void)z;                                                                         \
        return value;                                                                    \
    }
#define FLOAT_ROW(name, n, value) { #name, n, m_##name },
#define PART_ROW(name, n, value)  { " " #name, n, m_##name },

FLOAT_FUNCTIONS(DEFINE_FLOAT)
FLOAT_PARTS(DEFINE_FLOAT)
/* In single precision; through double they would round twice. */
DEFINE_FLOAT(nextafter_single, 3, (double)nextafterf((float)x, (float)y))
DEFINE_FLOAT(fma_single, 3, fmaf((float)x, (float)y, (float)z))

static const struct {
    const char *name;
    int n;
    double (*run)(double, double, double);
} float_functions[] = { FLOAT_FUNCTIONS(FLOAT_ROW) FLOAT_PARTS(PART_ROW) };

/* ---- integers; 'repr' is that of the operands ---- */

#define INTEGERS(name, expression)                                                       \
    static int64_t name(enum gcal_interp_repr repr, int64_t a, int64_t b, int64_t c)     \
    {                                                                                    \
        __int128 x = widen(repr, a), y = widen(repr, b), z = widen(repr, c);             \
        (void)y;                                                                         \
        (void)z;                                                                         \
        return (int64_t)(expression);                                                    \
    }

static int bits_of(enum gcal_interp_repr repr)
{
    return repr <= GCAL_INTERP_U8    ? 8
           : repr <= GCAL_INTERP_U16 ? 16
           : repr <= GCAL_INTERP_U32 ? 32
                                     : 64;
}

static bool is_unsigned(enum gcal_interp_repr repr)
{
    return repr == GCAL_INTERP_U8 || repr == GCAL_INTERP_U16 || repr == GCAL_INTERP_U32 ||
           repr == GCAL_INTERP_U64;
}

static __int128 widen(enum gcal_interp_repr repr, int64_t value)
{
    return repr == GCAL_INTERP_U64 ? (__int128)(uint64_t)value : value;
}

static __int128 smallest(__int128 a, __int128 b)
{
    return a < b ? a : b;
}

static __int128 largest(__int128 a, __int128 b)
{
    return a > b ? a : b;
}

/* The nearest value of the type. */
static __int128 saturated(enum gcal_interp_repr repr, __int128 value)
{
    int bits = bits_of(repr) - !is_unsigned(repr);
    __int128 most = ((__int128)1 << bits) - 1;

    return smallest(largest(value, is_unsigned(repr) ? 0 : -most - 1), most);
}

static unsigned __int128 raw(enum gcal_interp_repr repr, __int128 value)
{
    return (unsigned __int128)value & (((unsigned __int128)1 << bits_of(repr)) - 1);
}

/* The upper half of a product; of unsigned numbers of 64 bits it needs all 128. */
static __int128 high_half(enum gcal_interp_repr repr, __int128 x, __int128 y)
{
    return is_unsigned(repr)
               ? (__int128)((unsigned __int128)x * (unsigned __int128)y >> bits_of(repr))
               : (x * y) >> bits_of(repr);
}

/* x*y + z, which of unsigned numbers of 64 bits may need more than 127 bits. */
static __int128 saturated_mad(enum gcal_interp_repr repr, __int128 x, __int128 y,
                              __int128 z)
{
    if (is_unsigned(repr) && high_half(repr, x, y) > 0)
        return saturated(repr, ((__int128)1 << 64) - 1);
    return saturated(repr, x * y + z);
}

static int leading_zeroes(enum gcal_interp_repr repr, __int128 value)
{
    uint64_t bits = (uint64_t)raw(repr, value);

    return bits ? __builtin_clzll(bits) - (64 - bits_of(repr)) : bits_of(repr);
}

static unsigned __int128 rotated(enum gcal_interp_repr repr, __int128 x, __int128 by)
{
    int bits = bits_of(repr), left = (int)(by & (bits - 1));

    return raw(repr, x) << left | raw(repr, x) >> (bits - left);
}

/* The upper half of two words turned to the left by 'by', or the lower one of them turned to the right by
 * ~'by' (cuda.cuh).
 */
static unsigned __int128 funnelled(enum gcal_interp_repr repr, __int128 low,
                                   __int128 high, __int128 by)
{
    unsigned __int128 words = raw(repr, high) << bits_of(repr) | raw(repr, low);

    return by < 0 ? words >> (int)(~by & (bits_of(repr) - 1))
                  : words << (int)(by & (bits_of(repr) - 1)) >> bits_of(repr);
}

INTEGERS(int_min, smallest(x, y))
INTEGERS(int_max, largest(x, y))
INTEGERS(int_clamp, smallest(largest(x, y), z))
INTEGERS(int_abs, x < 0 ? -x : x)
INTEGERS(int_abs_diff, x < y ? y - x : x - y)
INTEGERS(int_mad, (unsigned __int128)x *(unsigned __int128)y + (unsigned __int128)z)
INTEGERS(int_popcount, __builtin_popcountll((unsigned long long)raw(repr, x)))
INTEGERS(int_clz, leading_zeroes(repr, x))
INTEGERS(int_add_sat, saturated(repr, x + y))
INTEGERS(int_sub_sat, saturated(repr, x - y))
INTEGERS(int_mad_sat, saturated_mad(repr, x, y, z))
INTEGERS(int_hadd, (x + y) >> 1)
INTEGERS(int_rhadd, (x + y + 1) >> 1)
INTEGERS(int_mul_hi, high_half(repr, x, y))
INTEGERS(int_mad_hi, high_half(repr, x, y) + z)
INTEGERS(int_rotate, rotated(repr, x, y))
INTEGERS(int_funnel, funnelled(repr, x, y, z))
INTEGERS(int_upsample, (unsigned __int128)x << bits_of(repr) | raw(repr, y))
INTEGERS(int_bitselect, (x & ~z) | (y & z))

static const struct {
    const char *name;
    int n;
    gcal_interp_integers *run;
} int_functions[] = {
    { "min", 2, int_min },           { "max", 2, int_max },
    { "clamp", 3, int_clamp },       { "abs", 1, int_abs },
    { "labs", 1, int_abs },          { "mul24", 2, int_mad },
    { "mad24", 3, int_mad },         { "popcount", 1, int_popcount },
    { "abs_diff", 2, int_abs_diff }, { "clz", 1, int_clz },
    { "add_sat", 2, int_add_sat },   { "sub_sat", 2, int_sub_sat },
    { "mad_sat", 3, int_mad_sat },   { "hadd", 2, int_hadd },
    { "rhadd", 2, int_rhadd },       { "mul_hi", 2, int_mul_hi },
    { "mad_hi", 3, int_mad_hi },     { "rotate", 2, int_rotate },
    { "rotate", 3, int_funnel },     { "bitselect", 3, int_bitselect },
    { "upsample", 2, int_upsample },
};

/* ---- nodes ---- */

static double call_float(struct gcal_interp_work_item *item,
                         const struct gcal_interp_node *n)
{
    double x[3] = { 0 };

    for (size_t i = 0; i < n->n_list; i++)
        x[i] = n->list[i]->eval.f(item, n->list[i]);
    if (item->run->observe)
        gcal_interp_observe_operation(item, n);
    return gcal_interp_float_round(n->type->repr, n->k.call.floats(x[0], x[1], x[2]));
}

static int64_t call_int(struct gcal_interp_work_item *item,
                        const struct gcal_interp_node *n)
{
    int64_t x[3] = { 0 };

    for (size_t i = 0; i < n->n_list; i++)
        x[i] = n->list[i]->eval.i(item, n->list[i]);
    return gcal_interp_int_wrap(n->type->repr,
                                n->k.call.ints(n->k.call.repr, x[0], x[1], x[2]));
}

/* Integers from floating-point numbers: a test, or ilogb. */
static int64_t call_test(struct gcal_interp_work_item *item,
                         const struct gcal_interp_node *n)
{
    double x[3] = { 0 };

    for (size_t i = 0; i < n->n_list; i++)
        x[i] = n->list[i]->eval.f(item, n->list[i]);
    return (int64_t)n->k.call.floats(x[0], x[1], x[2]);
}

/* A lane where a test holds is -1. */
static void test_lanes(struct gcal_interp_work_item *item,
                       const struct gcal_interp_node *n, struct gcal_interp_lanes *lanes)
{
    struct gcal_interp_lanes x[3];

    memset(x, 0, sizeof(x));
    for (size_t i = 0; i < n->n_list; i++)
        n->list[i]->eval.v(item, n->list[i], &x[i]);
    for (size_t i = 0; i < n->type->count; i++)
        lanes->i[i] = -(int64_t)n->k.call.floats(x[0].f[i], x[1].f[i], x[2].f[i]);
}

static void call_lanes(struct gcal_interp_work_item *item,
                       const struct gcal_interp_node *n, struct gcal_interp_lanes *lanes)
{
    const struct gcal_interp_type *lane = n->type->element;
    struct gcal_interp_lanes x[3];

    memset(x, 0, sizeof(x));
    for (size_t i = 0; i < n->n_list; i++)
        n->list[i]->eval.v(item, n->list[i], &x[i]);
    if (item->run->observe)
        gcal_interp_observe_operation(item, n);
    for (size_t i = 0; i < n->type->count; i++) {
        if (gcal_interp_is_int(lane))
            lanes->i[i] =
                gcal_interp_int_wrap(lane->repr, n->k.call.ints(n->k.call.repr, x[0].i[i],
                                                                x[1].i[i], x[2].i[i]));
        else
            lanes->f[i] = gcal_interp_float_round(
                lane->repr, n->k.call.floats(x[0].f[i], x[1].f[i], x[2].f[i]));
    }
}

static bool pick_float(struct gcal_interp_node *n, const char *name, size_t length,
                       enum gcal_interp_repr repr)
{
    for (size_t i = 0; i < sizeof(float_functions) / sizeof(float_functions[0]); i++) {
        if (strlen(float_functions[i].name) != length ||
            memcmp(float_functions[i].name, name, length) != 0 ||
            (size_t)float_functions[i].n != n->n_list)
            continue;
        n->k.call.floats = float_functions[i].run;
        if (repr == GCAL_INTERP_F32 &&
            (n->k.call.floats == m_fma || n->k.call.floats == m_mad))
            n->k.call.floats = m_fma_single;
        if (repr == GCAL_INTERP_F32 && n->k.call.floats == m_nextafter)
            n->k.call.floats = m_nextafter_single;
        return true;
    }
    return false;
}

/* In C, functions of float end in f. */
static bool pick(struct gcal_interp_node *n, const char *name,
                 const struct gcal_interp_type *lane)
{
    size_t length = strlen(name);

    if (gcal_interp_is_int(lane)) {
        for (size_t i = 0; i < sizeof(int_functions) / sizeof(int_functions[0]); i++)
            if (strcmp(int_functions[i].name, name) == 0 &&
                (size_t)int_functions[i].n == n->n_list) {
                n->k.call.ints = int_functions[i].run;
                return true;
            }
        return false;
    }
    return pick_float(n, name, length, lane->repr) ||
           (length > 1 && name[length - 1] == 'f' &&
            pick_float(n, name, length - 1, lane->repr));
}

struct gcal_interp_node *
gcal_interp_node_number_function(struct gcal_interp_translator *t, CXCursor at,
                                 const char *name, struct gcal_interp_node **arguments,
                                 size_t n_arguments, const struct gcal_interp_type *type)
{
    const struct gcal_interp_type *operand = gcal_interp_type_lane(arguments[0]->type);
    const struct gcal_interp_type *lane = gcal_interp_type_lane(type);
    struct gcal_interp_node *n = gcal_interp_node_create(t, at, type);
    bool test = gcal_interp_is_int(lane) && gcal_interp_is_float(operand);
    /* operands of another type than the result */
    bool is_own = test || strncmp(name, "abs", 3) == 0 || strcmp(name, "upsample") == 0;

    if (!n)
        return NULL;
    n->list = arguments;
    n->n_list = n_arguments;
    n->k.call.repr = (is_own ? operand : lane)->repr;
    if (!pick(n, name, test ? operand : lane))
        return gcal_interp_is_int(lane) && !test
                   ? gcal_interp_unsupported(t, at, "'%s' of integers", name)
                   : gcal_interp_unsupported(t, at, "'%s'", name);
    for (size_t i = 0; i < n_arguments && !is_own; i++)
        if (!(arguments[i] = gcal_interp_node_convert(t, at, arguments[i], type)))
            return NULL;
    if (n->type->repr == GCAL_INTERP_VECTOR)
        n->eval.v = test ? test_lanes : call_lanes;
    else if (test)
        n->eval.i = call_test;
    else if (gcal_interp_is_int(n->type))
        n->eval.i = call_int;
    else
        n->eval.f = call_float;
    return n;
}
