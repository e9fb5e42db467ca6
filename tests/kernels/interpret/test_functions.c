/* test_functions.c - built-in functions, vectors' ?: and switch of the host interpreter,
 * against values worked out by hand or by C's math library
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/interpret/interpret.h"

/* The value that the statements store in r[0]. */
static double value_of(const char *statements)
{
    static const char frame[] = "kernel void k(global double *r, global half *h) {\n"
                                "    float4 u = (float4)(1, 2, 3, 4);\n"
                                "    int4 v = (int4)(1, -2, 3, -4);\n"
                                "    double d; int n;\n"
                                "    %s\n"
                                "}\n";
    char source[2000];
    struct gcal_count_request request = {
        .source = source, .file = "k.cl", .n_dims = 1, .local_size = { 1 }
    };
    double r[4] = { NAN, NAN, NAN, NAN };
    uint16_t h[16] = { 0 };
    struct gcal_interp_arg args[] = { { "float64", r, 4 }, { "float16", h, 16 } };
    struct gcal_error err = { 0 };
    size_t one = 1;

    snprintf(source, sizeof(source), frame, statements);
    if (gcal_interp_run_kernel(&request, &one, 2, args, &err) < 0)
        fail_msg("%s: %s", statements, err.text);
    return r[0];
}

struct value_case {
    const char *expression;
    double value;
};

static void check(const struct value_case *cases, size_t n, const char *frame)
{
    for (size_t i = 0; i < n; i++) {
        char statements[1000];
        double value;

        snprintf(statements, sizeof(statements), frame, cases[i].expression);
        value = value_of(statements);
        if (!(fabs(value - cases[i].value) <= 1e-12 * fmax(1, fabs(cases[i].value))))
            fail_msg("%s is %.17g, not %.17g", cases[i].expression, value,
                     cases[i].value);
    }
}

#define CHECK(frame, ...)                                                                \
    do {                                                                                 \
        static const struct value_case cases_[] = { __VA_ARGS__ };                       \
        check(cases_, sizeof(cases_) / sizeof(*cases_), frame);                          \
    } while (0)

static void integers(void **state)
{
    (void)state;
    CHECK("r[0] = %s;", { "abs(-5)", 5 }, { "abs((char)-128)", 128 },
          { "abs_diff(-3, 4)", 7 }, { "abs_diff(3u, 5u)", 2 },
          { "add_sat(2147483647, 1)", 2147483647 },
          { "add_sat((uchar)200, (uchar)100)", 255 },
          { "add_sat((char)-100, (char)-100)", -128 }, { "sub_sat(3u, 5u)", 0 },
          { "sub_sat((short)-30000, (short)30000)", -32768 },
          { "sub_sat((long)1, (long)2)", -1 }, { "mad_sat(65536, 65536, 1)", 2147483647 },
          { "mad_sat((ulong)1 << 40, (ulong)1 << 40, 1ul)", 18446744073709551615.0 },
          { "hadd(3, 6)", 4 }, { "rhadd(3, 6)", 5 }, { "hadd(-3, -4)", -4 },
          { "hadd(4294967295u, 4294967295u)", 4294967295.0 },
          { "mul_hi(65536, 65536)", 1 }, { "mul_hi(-1, 1)", -1 },
          { "mul_hi((ulong)1 << 63, 4ul)", 2 }, { "mad_hi(65536, 65536, 5)", 6 },
          { "rotate(1, 33)", 2 }, { "rotate((uchar)129, (uchar)1)", 3 },
          { "rotate(5u, 0u)", 5 }, { "clz(1)", 31 }, { "clz((uchar)1)", 7 },
          { "clz(0l)", 64 }, { "popcount(-1)", 32 }, { "popcount((char)-1)", 8 },
          { "upsample((short)1, (ushort)2)", 65538 },
          { "upsample((short)-1, (ushort)2)", -65534 },
          { "upsample((uchar)255, (uchar)1)", 65281 }, { "bitselect(12, 10, 6)", 10 },
          { "clamp(7u, 1u, 5u)", 5 }, { "min(-1l, 1l)", -1 },
          { "max((ulong)1 << 63, 1ul)", 9223372036854775808.0 });
}

static void numbers(void **state)
{
    (void)state;
    CHECK("d = 0.5; r[0] = %s;", { "acosh(d + 1)", 0.96242365011920694 },
          { "asinpi(d)", 1.0 / 6 }, { "cospi(d + 0.5)", -1 },
          { "atan2pi(1.0, 1.0)", 0.25 }, { "degrees(d)", 28.64788975654116 },
          { "radians(180.0)", 3.14159265358979312 }, { "sign(-d)", -1 },
          { "smoothstep(0.0, 1.0, d)", 0.5 }, { "smoothstep(0.0, 1.0, 0.25)", 0.15625 },
          { "fdim(3.0, 1.0)", 2 }, { "fdim(1.0, 3.0)", 0 }, { "maxmag(-3.0, 2.0)", -3 },
          { "minmag(-3.0, 2.0)", 2 }, { "ldexp(d, 3)", 4 }, { "rootn(8.0, 3)", 2 },
          { "rootn(-8.0, 3)", -2 }, { "remainder(5.0, 3.0)", -1 },
          { "nextafter(1.0f, 2.0f)", 1.00000011920928955 }, { "logb(10.0)", 3 },
          { "ilogb(0.25)", -2 }, { "tgamma(5.0)", 24 }, { "fract(2.75, &d) + d", 2.75 },
          { "modf(-2.75, &d)", -0.75 }, { "frexp(6.0, &n)", 0.75 },
          { "sincos(0.0, &d) + d", 1 }, { "isgreater(d, 0.25)", 1 },
          { "isless(d, 0.25)", 0 }, { "islessgreater(d, d)", 0 },
          { "isunordered(d, (double)NAN)", 1 }, { "isordered(d, (double)NAN)", 0 },
          { "isnormal(d)", 1 }, { "signbit(-d)", 1 }, { "isnotequal(d, 0.5)", 0 });
}

static void vectors(void **state)
{
    (void)state;
    CHECK("r[0] = %s;", { "length((float2)(3, 4))", 5 },
          { "distance((float2)(1, 1), (float2)(4, 5))", 5 },
          { "fast_distance(3.0f, 5.0f)", 2 }, { "normalize((float2)(3, 4)).y", 0.8f },
          { "normalize(-3.0f)", -1 }, { "dot(u, u)", 30 },
          { "cross((float3)(1, 0, 0), (float3)(0, 1, 0)).z", 1 },
          { "cross(u, u.wzyx).x", 2 * 2 - 3 * 3 }, { "any(v)", 1 }, { "all(v)", 0 },
          { "all(v < (int4)(5))", 1 }, { "any(v == (int4)(9))", 0 },
          { "isgreater(u, (float4)(2)).z", -1 }, { "isgreater(u, (float4)(2)).x", 0 },
          { "(v < 0 ? u : u * 10).x", 10 }, { "(v < 0 ? u : u * 10).y", 2 },
          { "(u > 2.0f ? v : -v).w", -4 }, { "(u > 2.0f ? v : -v).x", -1 },
          { "select(v, v * 10, (int4)(0, -1, 0, -1)).y", -20 },
          { "select(v, v * 10, (int4)(1, -1, 0, -1)).x", 1 }, { "select(1, 2, 1)", 2 },
          { "select(1.5, 2.5, 0l)", 1.5 }, { "shuffle(u, (uint4)(3, 2, 1, 0)).x", 4 },
          { "shuffle(u, (uint2)(2, 0)).y", 1 },
          { "shuffle2(u, u * 10, (uint4)(7, 0, 4, 1)).x", 40 },
          { "shuffle2(u, u * 10, (uint4)(7, 0, 4, 1)).w", 2 });
}

static void memory(void **state)
{
    (void)state;
    assert_true(value_of("vstore_half(1.5f, 2, h); r[0] = vload_half(2, h);") == 1.5);
    assert_true(value_of("vstore_half4(u, 1, h); r[0] = vload_half(6, h);") == 3);
    assert_true(value_of("vstorea_half3(u.xyz, 1, h); r[0] = vload_half(5, h);") == 2);
    assert_true(value_of("vstore3(v.xyz, 0, (global int *)r + 4);"
                         "r[0] = vload3(0, (global int *)r + 4).y;") == -2);
    assert_true(value_of("n = 3; printf(\"%%d %%d\\n\", n++, 2); r[0] = n;") == 4);
    assert_true(value_of("prefetch(h, 4); r[0] = 1;") == 1);
}

static void switches(void **state)
{
    static const char body[] =
        "for (n = %d, d = 0; n < %d; n++)"
        "    switch (n) { case 0: d += 1; break; case 1: d += 10; case 2: case 3:"
        "    d += 100; break; default: { d += 1000; } case 7: d += 10000; if (n == 5) "
        "    continue; d += 100000; }"
        "r[0] = d;";
    static const struct {
        int from;
        double value;
    } cases[] = { { 0, 1 },      { 1, 110 },   { 2, 100 },   { 3, 100 },
                  { 4, 111000 }, { 5, 11000 }, { 7, 110000 } };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[1000];

        snprintf(text, sizeof(text), body, cases[i].from, cases[i].from + 1);
        assert_true(value_of(text) == cases[i].value);
    }
    assert_true(value_of("r[0] = 5; switch (3) { case 1: r[0] = 2; }") == 5);
    assert_true(value_of("char c = -1; switch (c) { case -1: r[0] = 2; }") == 2);
    assert_true(value_of("switch ((uchar)255) { case 255: r[0] = 3; }") == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers), cmocka_unit_test(numbers),  cmocka_unit_test(vectors),
        cmocka_unit_test(memory),   cmocka_unit_test(switches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
