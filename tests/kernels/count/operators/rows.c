/* rows.c - the rows: operators, built-in functions, statements */
#include "tests/kernels/count/operators/operators.h"

const struct operators_type operators_types[] = {
    { OPERATORS_NARROW, "char", "char", 1 },
    { OPERATORS_NARROW, "ushort", "ushort", 1 },
    { OPERATORS_INTEGER | OPERATORS_INT, "int", "int", 1 },
    { OPERATORS_INTEGER, "uint", "uint", 1 },
    { OPERATORS_INTEGER, "long", "long", 1 },
    { OPERATORS_FLOAT | OPERATORS_FLOAT32, "float", "float", 1 },
    { OPERATORS_FLOAT, "double", "double", 1 },
    { OPERATORS_FLOAT, "half", "float", 1 },
    { OPERATORS_INT_LANES, "int4", "int4", 4 },
    { OPERATORS_INT_LANES, "uint2", "uint2", 2 },
    { OPERATORS_FLOAT_LANES | OPERATORS_FLOAT4, "float4", "float4", 4 },
    { OPERATORS_FLOAT_LANES, "double2", "double2", 2 },
    { OPERATORS_FLOAT_LANES, "half4", "float4", 4 },
    { .name = NULL },
};

const char operators_frame[] = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                               "kernel void k(global T *a, global T *b, global T *r,\n"
                               "              global int *h, constant T *t)\n"
                               "{\n"
                               "    local T s[16];\n"
                               "    size_t i = get_global_id(0);\n"
                               "    T x = a[i], y = b[i];\n"
                               "    %s\n"
                               "}\n";

#define NARROW      OPERATORS_NARROW
#define INTEGER     OPERATORS_INTEGER
#define INTEGERS    OPERATORS_INTEGERS
#define FLOAT       OPERATORS_FLOAT
#define SCALARS     OPERATORS_SCALARS
#define INT_LANES   OPERATORS_INT_LANES
#define FLOAT_LANES OPERATORS_FLOAT_LANES
#define LANES       OPERATORS_LANES
#define ALL         OPERATORS_ALL
#define INT         OPERATORS_INT
#define FLOAT32     OPERATORS_FLOAT32
#define FLOAT4      OPERATORS_FLOAT4
#define FLOATS      (OPERATORS_FLOAT | OPERATORS_FLOAT_LANES)
#define REALS       (OPERATORS_FLOAT32 | OPERATORS_FLOAT4)
#define WHOLE       (INTEGERS | INT_LANES)

const struct operators_row operators_rows[] = {
    /* operators; a row has at most one for each quantity */
    { ALL, "r[i] = x + y; r[i] = x * y; r[i] = x / y;", NULL },
    { ALL, "r[i] = x - y;", NULL },
    { WHOLE, "r[i] = x % y; r[i] = x & y; r[i] = x | y; r[i] = x ^ y;", NULL },
    { WHOLE, "r[i] = x << y; r[i] = x >> y;", "and 2" },
    { WHOLE, "r[i] = x << 2; r[i] = x >> 3;", NULL },
    { ALL, "(void)(x < y); (void)(x >= y);", "convert 2" },
    { ALL, "(void)(x > y); (void)(x <= y);", "convert 2" },
    { ALL, "(void)(x == y); (void)(x != y);", "convert 2" },
    /* operands are tested against 0, y is not evaluated in x || y */
    { INTEGER | FLOAT, "(void)(x && y); (void)(x || y);", "cmp 3, convert 2" },
    { INTEGER | FLOAT, "(void)!x;", "cmp 1, xor 1, convert 1" },
    { ALL, "r[i] = (x, y);", NULL },
    { ALL, "r[i] += x; r[i] *= x; r[i] /= x;", NULL },
    { ALL, "r[i] -= x;", NULL },
    { WHOLE, "r[i] %= x; r[i] &= x; r[i] |= x; r[i] ^= x;", NULL },
    { WHOLE, "x <<= y; x >>= y; r[i] = x;", "and 2" },
    { ALL, "r[i] = -x;", NULL },
    { ALL, "r[i] = +x;", NULL },
    { WHOLE, "r[i] = ~x;", NULL },
    { SCALARS, "x++; ++x; r[i]++;", NULL },
    { SCALARS, "x--; --x; --r[i];", NULL },
    { ALL, "r[i] = *(a + i); r[i] = *&b[i];", NULL },
    /* fused */
    { FLOATS, "r[i] = x * y + x;", NULL },
    { FLOATS, "r[i] = x - x * y;", "neg 1" },
    { FLOATS, "r[i] = x * y - x * x;", "neg 1" },
    { FLOATS, "r[i] += x * y;", NULL },
    { FLOATS, "r[i] -= (x * y);", "neg 1" },
    { FLOATS, "T p = x * y; r[i] = p + x;", NULL },
    { FLOATS, "r[i] = fma(x, y, x) + mad(x, x, y);", NULL },
    /* conversions and constants; the half of a 64-bit integer is a register, which takes no instruction */
    { INT, "float f = x; double d = f; h[i] = d; r[i] = (char)x; h[i] = (ulong)x;",
      "convert 1" },
    { INT, "float f = 1.5f; f += x; f *= 2.0; x += f; r[i] = x;", NULL },
    { INT, "char c = x; c += 1; c *= x; r[i] = c;", NULL },
    { INT, "long l = x; x += l; x <<= 2 * l / l; r[i] = x;", "and 1, convert 2" },
    { INT, "uint u = x; float f = u; u = f; r[i] = u;", NULL },
    { FLOAT32, "r[i] = as_float(as_int(x) + 1);", NULL },
    { FLOAT32, "r[i] = 2 * 3.0f * x; r[i] = x * 2 * 3; r[i] = 1.0f / 36.0f + x;", NULL },
    { FLOAT32,
      "const float c = 2.5f, d = c * 2; r[i] = x * (d * c); r[i] = x + M_PI_F * 2;",
      NULL },
    { FLOAT32, "enum { E = 3 }; r[i] = x * (E + 1) / (float)sizeof(int4);", NULL },
    { INT, "r[i] = (16 - 1) ^ x; r[i] = x * (1 << 3); r[i] = ~5 & x;", NULL },
    { INT, "r[i] = (int)(7 * 2.5f) | x;", NULL },
    { REALS, "T c = x; r[i] = convert_float4(convert_int4((float4)(x))) .x;", NULL },
    /* built-in functions */
    { FLOATS & ~FLOAT, "r[i] = clamp(x, y, x); r[i] = max(x, y); r[i] = min(x, y);",
      NULL },
    { FLOAT32 | FLOAT4,
      "r[i] = degrees(x) ; r[i] = mix(x, y, x); r[i] = radians(x);"
      "r[i] = sign(x); r[i] = smoothstep(x, y, x); r[i] = step(x, y);",
      NULL },
    { REALS,
      "r[i] = acos(x); r[i] = acosh(x); r[i] = acospi(x); r[i] = asin(x);"
      "r[i] = asinh(x); r[i] = asinpi(x); r[i] = atan(x); r[i] = atanh(x);"
      "r[i] = atanpi(x); r[i] = cbrt(x); r[i] = ceil(x); r[i] = cos(x);"
      "r[i] = cosh(x); r[i] = cospi(x); r[i] = erf(x); r[i] = erfc(x);"
      "r[i] = exp(x); r[i] = exp10(x); r[i] = exp2(x); r[i] = expm1(x);"
      "r[i] = fabs(x); r[i] = floor(x); r[i] = lgamma(x); r[i] = log(x);"
      "r[i] = log10(x); r[i] = log1p(x); r[i] = log2(x); r[i] = logb(x);"
      "r[i] = rint(x); r[i] = round(x); r[i] = rsqrt(x); r[i] = sin(x);"
      "r[i] = sinh(x); r[i] = sinpi(x); r[i] = sqrt(x); r[i] = tan(x);"
      "r[i] = tanh(x); r[i] = tanpi(x); r[i] = tgamma(x); r[i] = trunc(x);",
      NULL },
    { REALS,
      "r[i] = atan2(x, y); r[i] = atan2pi(x, y); r[i] = copysign(x, y);"
      "r[i] = fdim(x, y); r[i] = fmax(x, y); r[i] = fmin(x, y); r[i] = fmod(x, y);"
      "r[i] = hypot(x, y); r[i] = maxmag(x, y); r[i] = minmag(x, y);"
      "r[i] = nextafter(x, y); r[i] = pow(x, y); r[i] = powr(x, y);"
      "r[i] = remainder(x, y);",
      NULL },
    { FLOAT32,
      "int n = 2; r[i] = ldexp(x, n); r[i] = pown(x, n); r[i] = rootn(x, n);"
      "h[i] = ilogb(x); r[i] = fract(x, &y); r[i] = frexp(x, &n);"
      "r[i] = lgamma_r(x, &n); r[i] = modf(x, &y); r[i] = remquo(x, y, &n);"
      "r[i] = sincos(x, &y); r[i] = nan(3u);",
      NULL },
    { REALS,
      "r[i] = native_cos(x); r[i] = native_divide(x, y); r[i] = native_exp(x);"
      "r[i] = native_exp10(x); r[i] = native_exp2(x); r[i] = native_log(x);"
      "r[i] = native_log10(x); r[i] = native_log2(x); r[i] = native_powr(x, y);"
      "r[i] = native_recip(x); r[i] = native_rsqrt(x); r[i] = native_sin(x);"
      "r[i] = native_sqrt(x); r[i] = native_tan(x);",
      NULL },
    { REALS,
      "r[i] = half_cos(x); r[i] = half_divide(x, y); r[i] = half_exp(x);"
      "r[i] = half_exp10(x); r[i] = half_exp2(x); r[i] = half_log(x);"
      "r[i] = half_log10(x); r[i] = half_log2(x); r[i] = half_powr(x, y);"
      "r[i] = half_recip(x); r[i] = half_rsqrt(x); r[i] = half_sin(x);"
      "r[i] = half_sqrt(x); r[i] = half_tan(x);",
      NULL },
    { REALS,
      "r[i] = dot(x, y); r[i] = distance(x, y); r[i] = length(x);"
      "r[i] = normalize(x); r[i] = fast_distance(x, y); r[i] = fast_length(x);"
      "r[i] = fast_normalize(x);",
      NULL },
    { FLOAT4, "r[i] = cross(x, y);", NULL },
    { WHOLE,
      "r[i] = add_sat(x, y); r[i] = hadd(x, y); r[i] = rhadd(x, y);"
      "r[i] = clamp(x, y, x); r[i] = clz(x); r[i] = mad_hi(x, y, x);"
      "r[i] = mad_sat(x, y, x); r[i] = max(x, y); r[i] = min(x, y);"
      "r[i] = mul_hi(x, y); r[i] = rotate(x, y); r[i] = sub_sat(x, y);"
      "r[i] = popcount(x); (void)abs(x); (void)abs_diff(x, y);",
      NULL },
    { INT,
      "r[i] = mul24(x, y); r[i] = mad24(x, y, x); h[i] = upsample((short)1, (ushort)2);",
      NULL },
    { REALS,
      "(void)isequal(x, y); (void)isnotequal(x, y); (void)isgreater(x, y);"
      "(void)isgreaterequal(x, y); (void)isless(x, y); (void)islessequal(x, y);"
      "(void)islessgreater(x, y); (void)isfinite(x); (void)isinf(x); (void)isnan(x);"
      "(void)isnormal(x); (void)isordered(x, y); (void)isunordered(x, y);"
      "(void)signbit(x);",
      NULL },
    { INT | INT_LANES,
      "(void)any(x < y); (void)all(x < y); r[i] = select(x, y, x < y);"
      "r[i] = bitselect(x, y, x);",
      "convert 3" },
    { FLOAT4,
      "uint4 m = (uint4)(1, 0, 3, 2); r[i] = shuffle(x, m);"
      "r[i] = shuffle2(x, y, m);",
      NULL },
    { INT,
      "int4 v = vload4(i, a); vstore4(v, i, r); int2 u = vload2(i, (constant int *)t);"
      "vstore2(u, 1, s); barrier(CLK_LOCAL_MEM_FENCE); r[i] = s[i];",
      NULL },
    { FLOAT32,
      "float3 v = vload3(i, a); vstore3(v, i, r);"
      "float4 w = vload_half4(i, (global half *)a); vstore_half4(w, i, (global half "
      "*)r);",
      NULL },
    { INT,
      "r[i] = atomic_add(h + i, x); r[i] = atomic_sub(h, 1); r[i] = atomic_xchg(h, 1);"
      "r[i] = atomic_inc(h); r[i] = atomic_dec(h); r[i] = atomic_cmpxchg(h, 1, x);"
      "r[i] = atomic_min(h, 1); r[i] = atomic_max(h, 1); r[i] = atomic_and(h, 1);"
      "r[i] = atomic_or(h, 1); r[i] = atomic_xor(h, 1);",
      NULL },
    { INT,
      "local int c; c = 0; barrier(CLK_LOCAL_MEM_FENCE); atomic_inc(&c);"
      "atomic_add(&c, x); barrier(CLK_LOCAL_MEM_FENCE); r[i] = c;",
      NULL },
    { INT,
      "prefetch(a + 2, 4); mem_fence(CLK_GLOBAL_MEM_FENCE);"
      "printf(\"%d\\n\", a[i + 1] * 2); r[i] = x;",
      NULL },
    /* statements */
    { INT, "if (i % 2 == 0) r[i] = x * y;", NULL },
    { INT, "if (i > 2) r[i] = x * y; else r[i] = x / y;", NULL },
    { INT, "if (i > 2 && i < 6) r[i] = x * y; else if (i == 7) r[i] = x & y;", NULL },
    { INT, "int q = 0; for (int k = 0; k < 5; k++) q += x; r[i] = q;", NULL },
    { INT, "int q = 0; for (int k = 5; k > 0; k -= 2) q ^= x; r[i] = q;", NULL },
    { INT, "int q = 0, k = 0; while (k < 4) { q |= x; ++k; } r[i] = q;", NULL },
    { INT,
      "int q = 0; sum: for (int k = 0; k < 3; k++) { q += x; last: q ^= y; } r[i] = q;",
      NULL },
    { INT, "int q = 0, k = 0; do { q |= x; k += 3; } while (k < 10); r[i] = q;", NULL },
    { INT,
      "int q = 0; for (int k = 0; k < 9; k++) { if (k == 6) break; q += x; } r[i] = q;",
      NULL },
    { INT,
      "int q = 0; for (int k = 0; k < 9; k++) { if (k % 3 == 1) continue; q ^= x; }"
      "r[i] = q;",
      NULL },
    { INT, "int q = 0; for (int k = 0, j = 9; k < j; k++, j--) q ^= x; r[i] = q;", NULL },
    { INT, "for (int k = 1; k < 32; k *= 2) r[i] = x ^ y;", "xor 4" },
    { INT,
      "switch (i) { case 0: r[i] = x * y; case 1: case 2: r[i] = x & y; break;"
      "default: r[i] = x ^ y; case 5: r[i] = x | y; }",
      NULL },
    { INT, "if (i > 4) return; r[i] = x * y;", NULL },
    { INT, "{ int x = 3; r[i] = x * y; } { int y = 2; r[i] = x * y; }", NULL },
    { INT, "r[i] = i > 3 ? x * y : x / y;", NULL },
    { INT, "r[i] = i < 4 ? a[i] : b[i + 1] + 2;", NULL },
    { INT, "s[i] = x; barrier(CLK_LOCAL_MEM_FENCE); r[i] = s[7 - i] + t[i];", NULL },
    { INT, "int p[4]; for (int k = 0; k < 4; k++) p[k] = x ^ k; r[i] = p[2];",
      "convert 4" },
    { INT, "int q; q = x = y * 2; r[i] = q;", NULL },
    { INT, "global int *p = a + i; p++; p += 2; r[i] = *p++; r[i] = p[-1]; r[i] = p - a;",
      "add 1, div 1, convert 1" },
    { INT, "for (global int *p = a; p < a + 6; p += 2) r[i] += *p;", "cmp 4" },
    { FLOAT32,
      "float4 v = (float4)(x), w = v; v.y = w.y * v.z; v.s3 -= w.s1; r[i] = v.w;", NULL },
    { FLOAT4, "x.xyzw += y.wzyx; r[i] = x; r[i] = (float4)(x.lo, y.hi);", NULL },
    /* of vectors: no branch, and unoptimised a | b of masked values */
    { LANES, "r[i] = x < y ? x * y : x / y;", "cmp 1, convert 2, and 2, or 1, xor 1" },
    { .text = NULL },
};
