/* number.c - built-in functions of one to three numbers, lane by lane */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/interpret/private.h"

#define PI 3.14159265358979323846

/* ---- floating point ---- */

#define MATH1(name, expression)                                                          \
    static double name(double x, double y, double z)                                     \
    {                                                                                    \
        (void)y;                                                                         \
        (void)z;                                                                         \
        return expression;                                                               \
    }
#define MATH2(name, expression)                                                          \
    static double name(double x, double y, double z)                                     \
    {                                                                                    \
        (void)z;                                                                         \
        return expression;                                                               \
    }
#define MATH3(name, expression)                                                          \
    static double name(double x, double y, double z)                                     \
    {                                                                                    \
        return expression;                                                               \
    }
MATH1(m_sqrt, sqrt(x))
MATH1(m_rsqrt, 1.0 / sqrt(x))
MATH1(m_cbrt, cbrt(x))
MATH1(m_exp, exp(x))
MATH1(m_exp2, exp2(x))
MATH1(m_exp10, pow(10.0, x))
MATH1(m_expm1, expm1(x))
MATH1(m_log, log(x))
MATH1(m_log2, log2(x))
MATH1(m_log10, log10(x))
MATH1(m_log1p, log1p(x))
MATH1(m_sin, sin(x))
MATH1(m_cos, cos(x))
MATH1(m_tan, tan(x))
MATH1(m_asin, asin(x))
MATH1(m_acos, acos(x))
MATH1(m_atan, atan(x))
MATH1(m_sinh, sinh(x))
MATH1(m_cosh, cosh(x))
MATH1(m_tanh, tanh(x))
MATH1(m_erf, erf(x))
MATH1(m_erfc, erfc(x))
MATH1(m_fabs, fabs(x))
MATH1(m_floor, floor(x))
MATH1(m_ceil, ceil(x))
MATH1(m_round, round(x))
MATH1(m_rint, rint(x))
MATH1(m_trunc, trunc(x))
MATH1(m_recip, 1.0 / x)
MATH1(m_acosh, acosh(x))
MATH1(m_asinh, asinh(x))
MATH1(m_atanh, atanh(x))
MATH1(m_acospi, acos(x) / PI)
MATH1(m_asinpi, asin(x) / PI)
MATH1(m_atanpi, atan(x) / PI)
MATH1(m_cospi, cos(PI *x))
MATH1(m_sinpi, sin(PI *x))
MATH1(m_tanpi, tan(PI *x))
MATH1(m_lgamma, lgamma(x))
MATH1(m_tgamma, tgamma(x))
MATH1(m_logb, logb(x))
MATH1(m_degrees, x *(180 / PI))
MATH1(m_radians, x *(PI / 180))
MATH1(m_sign, isnan(x) ? 0 : x > 0 ? 1 : x < 0 ? -1 : x)
MATH1(m_fraction, fmin(x - floor(x), 0x1.fffffep-1))
MATH1(m_above, x - trunc(x))
MATH1(m_mantissa, frexp(x, &(int){ 0 }))
MATH1(m_exponent, x == 0 || !isfinite(x) ? 0 : logb(x) + 1)
MATH1(m_isnormal, isnormal(x) != 0)
MATH1(m_signbit, signbit(x) != 0)
MATH2(m_isequal, x == y)
MATH2(m_isnotequal, x != y)
MATH2(m_isgreater, isgreater(x, y) != 0)
MATH2(m_isgreaterequal, isgreaterequal(x, y) != 0)
MATH2(m_isless, isless(x, y) != 0)
MATH2(m_islessequal, islessequal(x, y) != 0)
MATH2(m_islessgreater, islessgreater(x, y) != 0)
MATH2(m_isordered, !isunordered(x, y))
MATH2(m_isunordered, isunordered(x, y) != 0)
MATH2(m_atan2pi, atan2(x, y) / PI)
MATH2(m_fdim, fdim(x, y))
MATH2(m_remainder, remainder(x, y))
MATH2(m_maxmag, fabs(x) > fabs(y) ? x : fabs(x) < fabs(y) ? y : fmax(x, y))
MATH2(m_minmag, fabs(x) < fabs(y) ? x : fabs(x) > fabs(y) ? y : fmin(x, y))
MATH2(m_ldexp, ldexp(x, (int)y))
MATH2(m_rootn, x < 0 && fmod(y, 2) != 0 ? -pow(-x, 1 / y) : pow(x, 1 / y))
MATH2(m_nextafter, nextafter(x, y))
MATH2(m_nextafter_single, (double)nextafterf((float)x, (float)y))
MATH3(m_smoothstep, fmin(fmax((z - x) / (y - x), 0), 1) *
                        fmin(fmax((z - x) / (y - x), 0), 1) *
                        (3 - 2 * fmin(fmax((z - x) / (y - x), 0), 1)))
MATH1(m_isnan, isnan(x) != 0)
MATH1(m_isinf, isinf(x) != 0)
MATH1(m_isfinite, isfinite(x) != 0)
MATH2(m_divide, x / y)
MATH2(m_pow, pow(x, y))
MATH2(m_atan2, atan2(x, y))
MATH2(m_fmin, fmin(x, y))
MATH2(m_fmax, fmax(x, y))
MATH2(m_fmod, fmod(x, y))
MATH2(m_hypot, hypot(x, y))
MATH2(m_copysign, copysign(x, y))
MATH2(m_step, y < x ? 0.0 : 1.0)
MATH3(m_fma, fma(x, y, z))
MATH3(m_fma_single, fmaf((float)x, (float)y, (float)z))
MATH3(m_clamp, fmin(fmax(x, y), z))
MATH3(m_mix, x + (y - x) * z)

static const struct {
    const char *name;
    int n;
    double (*run)(double, double, double);
} float_functions[] = {
    { "sqrt", 1, m_sqrt },
    { "rsqrt", 1, m_rsqrt },
    { "cbrt", 1, m_cbrt },
    { "exp", 1, m_exp },
    { "exp2", 1, m_exp2 },
    { "exp10", 1, m_exp10 },
    { "expm1", 1, m_expm1 },
    { "log", 1, m_log },
    { "log2", 1, m_log2 },
    { "log10", 1, m_log10 },
    { "log1p", 1, m_log1p },
    { "sin", 1, m_sin },
    { "cos", 1, m_cos },
    { "tan", 1, m_tan },
    { "asin", 1, m_asin },
    { "acos", 1, m_acos },
    { "atan", 1, m_atan },
    { "sinh", 1, m_sinh },
    { "cosh", 1, m_cosh },
    { "tanh", 1, m_tanh },
    { "erf", 1, m_erf },
    { "erfc", 1, m_erfc },
    { "fabs", 1, m_fabs },
    { "floor", 1, m_floor },
    { "ceil", 1, m_ceil },
    { "round", 1, m_round },
    { "rint", 1, m_rint },
    { "trunc", 1, m_trunc },
    { "recip", 1, m_recip },
    { "isnan", 1, m_isnan },
    { "isinf", 1, m_isinf },
    { "isfinite", 1, m_isfinite },
    { "divide", 2, m_divide },
    { "pow", 2, m_pow },
    { "powr", 2, m_pow },
    { "pown", 2, m_pow },
    { "atan2", 2, m_atan2 },
    { "fmin", 2, m_fmin },
    { "fmax", 2, m_fmax },
    { "min", 2, m_fmin },
    { "max", 2, m_fmax },
    { "fmod", 2, m_fmod },
    { "hypot", 2, m_hypot },
    { "step", 2, m_step },
    { "copysign", 2, m_copysign },
    { "fma", 3, m_fma },
    { "mad", 3, m_fma },
    { "clamp", 3, m_clamp },
    { "mix", 3, m_mix },
    { "acosh", 1, m_acosh },
    { "asinh", 1, m_asinh },
    { "atanh", 1, m_atanh },
    { "acospi", 1, m_acospi },
    { "asinpi", 1, m_asinpi },
    { "atanpi", 1, m_atanpi },
    { "cospi", 1, m_cospi },
    { "sinpi", 1, m_sinpi },
    { "tanpi", 1, m_tanpi },
    { "lgamma", 1, m_lgamma },
    { "tgamma", 1, m_tgamma },
    { "logb", 1, m_logb },
    { "ilogb", 1, m_logb },
    { "degrees", 1, m_degrees },
    { "radians", 1, m_radians },
    { "sign", 1, m_sign },
    { "isnormal", 1, m_isnormal },
    { "signbit", 1, m_signbit },
    { "isequal", 2, m_isequal },
    { "isnotequal", 2, m_isnotequal },
    { "isgreater", 2, m_isgreater },
    { "isgreaterequal", 2, m_isgreaterequal },
    { "isless", 2, m_isless },
    { "islessequal", 2, m_islessequal },
    { "islessgreater", 2, m_islessgreater },
    { "isordered", 2, m_isordered },
    { "isunordered", 2, m_isunordered },
    { "atan2pi", 2, m_atan2pi },
    { "fdim", 2, m_fdim },
    { "remainder", 2, m_remainder },
    { "maxmag", 2, m_maxmag },
    { "minmag", 2, m_minmag },
    { "ldexp", 2, m_ldexp },
    { "rootn", 2, m_rootn },
    { "nextafter", 2, m_nextafter },
    { "smoothstep", 3, m_smoothstep },
    /* parts of functions with two results */
    { " fraction", 1, m_fraction },
    { " above", 1, m_above },
    { " mantissa", 1, m_mantissa },
    { " exponent", 1, m_exponent },
};

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
        if (repr == GCAL_INTERP_F32 && n->k.call.floats == m_fma)
            n->k.call.floats = m_fma_single; /* through double would round twice */
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
