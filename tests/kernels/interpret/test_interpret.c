/* test_interpret.c - kernels and C functions on the host, against the same compiled as C
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/interpret/interpret.h"

enum { N = 32 };

static const char tiled[] =
    "__kernel void matmul(__global const float *a, __global const float *b,\n"
    "                     __global float *c, int n) {\n"
    "    __local float a_fetch[T*T], b_fetch[T][T];\n"
    "    int l0 = get_local_id(0), l1 = get_local_id(1);\n"
    "    float acc = 0.0f;\n"
    "    for (int k_out = 0; k_out <= (n - T) / T; ++k_out) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        a_fetch[T*l1 + l0] = GPUCAL_TAG(aLD, a[n*(T*get_group_id(1) + l1) + T*k_out "
    "+ l0]);\n"
    "        b_fetch[l1][l0] = b[n*(T*k_out + l1) + T*get_group_id(0) + l0];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (int k_in = 0; k_in < T; ++k_in)\n"
    "            acc = acc + a_fetch[T*l1 + k_in] * b_fetch[k_in][l0];\n"
    "    }\n"
    "    c[n*get_global_id(1) + get_global_id(0)] = acc;\n"
    "}\n";

static const char reference[] =
    "void reference(const float *a, const float *b, float *c, int n) {\n"
    "    for (int i = 0; i < n; i++)\n"
    "        for (int j = 0; j < n; j++) {\n"
    "            float sum = 0;\n"
    "            for (int k = 0; k < n; k++) sum += a[n*i + k] * b[n*k + j];\n"
    "            c[n*i + j] = sum;\n"
    "        }\n"
    "}\n";

static void fill(float *values, size_t n, float step)
{
    for (size_t i = 0; i < n; i++)
        values[i] = fmodf((float)i * step, 3.7f) - 1.3f;
}

/* Runs a kernel of one work-group row; 0 or -1 with 'err'. */
static int run(const char *source, size_t global, size_t local, size_t n_args,
               struct gcal_interp_arg *args, struct gcal_error *err)
{
    struct gcal_count_request request = {
        .source = source, .file = "test.cl", .n_dims = 1, .local_size = { local }
    };

    return gcal_interp_run_kernel(&request, &global, n_args, args, err);
}

static void tiled_matmul_equals_c(void **state)
{
    static float a[N * N], b[N * N], c[N * N], d[N * N];
    struct gcal_error err = { 0 };
    int n = N;
    size_t global[] = { N, N };
    struct gcal_count_request request = { .source = tiled,
                                          .file = "matmul.cl",
                                          .build_options = "-DT=16",
                                          .n_dims = 2,
                                          .local_size = { 16, 16 } };
    struct gcal_interp_arg args[] = { { "float32", a, N * N },
                                      { "float32", b, N * N },
                                      { "float32", c, N * N },
                                      { "int32", &n, 0 } };
    double start, kernel_s, function_s;

    (void)state;
    fill(a, N * N, 0.731f);
    fill(b, N * N, 1.137f);
    start = gcal_clock_now_s();
    if (gcal_interp_run_kernel(&request, global, 4, args, &err) < 0)
        fail_msg("%s", err.text);
    kernel_s = gcal_clock_now_s() - start;
    args[2].data = d;
    start = gcal_clock_now_s();
    if (gcal_interp_run_function(reference, "ref.c", "reference", 4, args, &err) < 0)
        fail_msg("%s", err.text);
    function_s = gcal_clock_now_s() - start;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0.0f;

            for (int k = 0; k < N; k++) {
                volatile float product = a[N * i + k] * b[N * k + j];
                sum += product;
            }
            assert_true(c[N * i + j] == sum);
            assert_true(d[N * i + j] == sum);
        }
    print_message("matmul n=%d with parsing: kernel %.1f, C %.1f million madds/s\n", N,
                  N * N * N / kernel_s * 1e-6, N * N * N / function_s * 1e-6);
}

static void speed_of_a_loop(void **state)
{
    static const char source[] =
        "void f(double *out, int n) { double s = 0; for (int i = 0; i < n; i++)"
        " s += 0.5 * s + i; out[0] = s; }";
    double out = 0, start = gcal_clock_now_s();
    int n = 400000;
    struct gcal_interp_arg args[] = { { "float64", &out, 1 }, { "int32", &n, 0 } };
    struct gcal_error err = { 0 };

    (void)state;
    assert_int_equal(gcal_interp_run_function(source, "f.c", "f", 2, args, &err), 0);
    print_message("about %.0f million nodes/s\n",
                  12.0 * n / (gcal_clock_now_s() - start) * 1e-6);
}

static void triangular_loop_and_integers(void **state)
{
    static const char source[] =
        "int twice(int x) { return x + x; }\n"
        "__constant int bias[2] = { 3, -7 };\n"
        "enum { STEP = 3 };\n"
        "__kernel void k(__global int *out, __global uchar *bytes, int n) {\n"
        "    int i = get_global_id(0), s = 0, t[2][3] = { { 1, 2 }, { 5 } };\n"
        "    for (int j = 0; j < n; ++j) for (int k = j; k < n; k += STEP) s += k * i;\n"
        "    out[4*i] = twice(s) + bias[i & 1] + t[1][0] + t[0][2];\n"
        "    int big = 2147483647; big += 2; out[4*i + 1] = big;\n"
        "    bytes[i] = 250 + 10 * i; uint u = 5u - 7u; out[4*i + 2] = u >> 28;\n"
        "    out[4*i + 3] = -7 / 2 * 10 + -7 % 3;\n"
        "    do { if (i == 1) continue; out[4*i + 3]--; } while (0);\n"
        "    __global int *p = out + 4*i; int old = (*p)++; p[1] ^= old - *p;\n"
        "}\n";
    int32_t out[8] = { 0 };
    uint8_t bytes[2] = { 0 };
    int n = 11;
    struct gcal_interp_arg args[] = { { "int32", out, 8 },
                                      { "uint8", bytes, 2 },
                                      { "int32", &n, 0 } };
    struct gcal_error err = { 0 };

    (void)state;
    if (run(source, 2, 1, 3, args, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < 2; i++) {
        int s = 0;

        for (int j = 0; j < n; j++)
            for (int k = j; k < n; k += 3)
                s += k * i;
        assert_int_equal(out[4 * i], 2 * s + (i ? -7 : 3) + 5 + 1);
        assert_int_equal(out[4 * i + 1], (-2147483647) ^ -1);
        assert_int_equal(out[4 * i + 2], 15);
        assert_int_equal(out[4 * i + 3], -31 - (i == 0));
        assert_int_equal(bytes[i], (250 + 10 * i) & 255);
    }
}

static void vectors_and_builtins(void **state)
{
    static const char source[] =
        "__kernel void k(__global float *x, __global float4 *v, __local int *scratch) {\n"
        "    float4 a = v[0], b = (float4)(1.0f, a.yz, 2);\n"
        "    a.w = 3.5f; b.lo = a.wz; a += b * 2.0f;\n"
        "    vstore4(a, 1, x); x[8] = dot(a, b); x[9] = as_float(0x40490fdb);\n"
        "    x[10] = native_sqrt(a.x) + fma(a.x, a.y, 1e-3f) + fmax(rsqrt(2.0f), mad(2, "
        "3, .5f));\n"
        "    int4 c = convert_int4(a) < (int4)(4); x[11] = c.x + 2 * c.s1;\n"
        "    scratch[get_local_id(0)] = 5; barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    atomic_add((volatile __local int *)scratch, 2); x[12] = scratch[0];\n"
        "    float odd = a.odd.y; x[13] = odd; x[14] = vload2(2, x).y; x[15] = "
        "sizeof(float4);\n"
        "    v[0].z = convert_uchar_sat(300.5f) + convert_char_sat(-1e9f);\n"
        "    v[0].w = convert_ushort4_sat(a * -20000.0f).y + convert_int_sat(-7.9f);\n"
        "    x[0] = HUGE_VALF; x[1] = min(INFINITY, a.x); x[2] = -(float)HUGE_VAL;\n"
        "}\n";
    float x[16] = { 0 }, v[4] = { 1.25f, -2.5f, 0.75f, 9.0f };
    struct gcal_interp_arg args[] = { { "float32", x, 16 },
                                      { "float32", v, 4 },
                                      { "int32", NULL, 1 } };
    /* a = (1.25, -2.5, .75, 3.5); b = (3.5, .75, .75, 2) */
    const float a[] = { 8.25f, -1.0f, 2.25f, 7.5f };
    struct gcal_error err = { 0 };

    (void)state;
    if (run(source, 1, 1, 3, args, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < 4; i++)
        assert_float_equal(x[4 + i], a[i], 0);
    assert_float_equal(x[8], 8.25 * 3.5 - .75 + 2.25 * .75 + 15, 1e-5);
    assert_float_equal(x[9], 3.14159274f, 0);
    assert_float_equal(x[10], sqrtf(8.25f) + fmaf(8.25f, -1.0f, 1e-3f) + 6.5f, 1e-6);
    assert_float_equal(x[11], -2.0f, 0);
    assert_float_equal(x[12], 7.0f, 0);
    assert_float_equal(x[13], 7.5f, 0);
    assert_float_equal(x[14], -1.0f, 0);
    assert_float_equal(x[15], 16.0f, 0);
    assert_float_equal(v[2], 255 - 128, 0);
    assert_float_equal(v[3], 20000 - 7, 0);
    assert_true(x[0] == INFINITY && x[2] == -INFINITY);
    assert_float_equal(x[1], 8.25f, 0);
}

/* x[k] gets the value of a construct of OpenCL C. */
static void language_of_vectors_and_structures(void **state)
{
    static const char source[] =
        "typedef struct { float2 at; int n; } spot;\n"
        "struct cursor { __global float *p; int2 step; };\n"
        "union word { uint u; float f; uchar b[4]; };\n"
        "#define NORM(v) ((v).x * (v).x + (v).y * (v).y)\n"
        "spot moved(spot s, float by) { s.at.y += by; s.n++; return s; }\n"
        "float sum(const float a[3], int n) { float s = 0; for (int i = 0; i < n; i++)"
        " s += a[i]; return s; }\n"
        "void swap(spot *a, spot *b) { spot t = *a; *a = *b; *b = t; }\n"
        "int pick(int i) { switch (i) { case 1: case 2: i += 10; break; default: i = -1;"
        " case 7: i += 20; } return i; }\n"
        "__kernel void k(__global float *x, int n) {\n"
        "  spot a = { (float2)(1, 2), 3 }, b = { .n = 5 }, c[2];\n"
        "  x[0] = moved(a, 0.5f).at.y + moved(b, 2).n;\n"
        "  swap(&a, &b); x[1] = a.n * 10 + b.n;\n"
        "  c[1] = b; c[1].at.x = 7; c[0] = c[1]; x[2] = c[0].at.x + b.at.x;\n"
        "  float t[3] = { 1, [2] = 4 }; x[3] = sum(t, 3);\n"
        "  int4 v = (int4)(1, 2, 3, 4); v.xy += (int2)(10, 20); v.zw = v.wz; v.even++;\n"
        "  x[4] = v.x * 1000 + v.y * 100 + v.z * 10 + v.w;\n"
        "  union word u; u.f = 1.0f; x[5] = u.u >> 23; x[6] = u.b[3];\n"
        "  x[7] = pick(1) + pick(7) * 100 + pick(5) * 10000;\n"
        "  struct cursor q = { x + 1, (int2)(2, 3) }; q.p += q.step.y; x[8] = *q.p;\n"
        "  bool yes = true; x[9] = yes && !false;\n"
        "  x[10] = all(v > 0) + 2 * any(v < 0) + 4 * any(v.xy == (int2)(12, 0));\n"
        "  int2 w = select((int2)(1, 2), (int2)(3, 4), (int2)(0, -1)), z = w > 2 ? w : "
        "-w;\n"
        "  x[11] = w.x * 10 + w.y; x[12] = z.x * 10 + z.y;\n"
        "  spot *p = &c[0]; p->at = p->at.yx; p->at.x += 1; x[13] = c[0].at.x * 10 + "
        "c[0].at.y;\n"
        "  x[14] = NORM(b.at); x[15] = abs(-3) + abs_diff(2, 9);\n"
        "}\n";
    static const float expected[] = { 8.5f,  53, 8, 5,  14253, 127, 63, 192711,
                                      14253, 1,  5, 14, -6,    37,  5,  10 };
    float x[16] = { 0 };
    int n = 0;
    struct gcal_interp_arg args[] = { { "float32", x, 16 }, { "int32", &n, 0 } };
    struct gcal_error err = { 0 };

    (void)state;
    if (run(source, 1, 1, 2, args, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < 16; i++)
        if (x[i] != expected[i])
            fail_msg("x[%d] is %g, not %g", i, x[i], expected[i]);
}

static void half_rounds(void **state)
{
    static const char source[] =
        "void f(half *h, float *f) { h[1] = h[0] * h[0] + (half)1; f[0] = h[1]; }";
    uint16_t h[2] = { 0x3555, 0 }; /* 0.333251953125 */
    float f = 0;
    struct gcal_interp_arg args[] = { { "float16", h, 2 }, { "float32", &f, 1 } };
    struct gcal_error err = { 0 };

    (void)state;
    if (gcal_interp_run_function(source, "h.c", "f", 2, args, &err) < 0)
        fail_msg("%s", err.text);
    assert_float_equal(f, 1.111328125f,
                       0); /* the nearest multiple of 2^-10, half's step here */
    assert_int_equal(h[1], 0x3c72);
}

static void expect_error(const char *source, const char *text)
{
    float x[4] = { 0 };
    int n = 0;
    struct gcal_interp_arg args[] = { { "float32", x, 4 }, { "int32", &n, 0 } };
    struct gcal_error err = { 0 };

    assert_int_equal(run(source, 4, 4, 2, args, &err), -1);
    if (!strstr(err.text, text))
        fail_msg("\"%s\" instead of \"%s\"", err.text, text);
}

static void failures_name_the_line(void **state)
{
    (void)state;
#define KERNEL(body) "__kernel void k(__global float *x, int n) {\n" body "}\n"
    expect_error(KERNEL("x[get_global_id(0) + 1] = 2;"),
                 "test.cl:2:1: element 4 of 'x' is outside its 4 elements (work-item 3)");
    expect_error(KERNEL("x[-1] += 2;"), "2:1: element -1 of 'x'");
    expect_error(KERNEL("float t[2][3]; int i = 6; x[0] = t[1][i];"),
                 "element 9 of 't' is outside its 6");
    expect_error(KERNEL("x[0] = 7 / n;"), "test.cl:2:8: division of an integer by zero");
    expect_error(KERNEL("__global float *p; p[0] = 1;"),
                 "p: use of a pointer that is null");
    expect_error(KERNEL("for (;;) n++;"), "test.cl:2:1: still running");
    expect_error(KERNEL("if (get_local_id(0) < 2) barrier(CLK_LOCAL_MEM_FENCE);"),
                 "not every work-item");
    expect_error(KERNEL("goto out; out: x[0] = 1;"), "2:1: 'GotoStmt' is not");
    expect_error(KERNEL("struct { int a[2], b; } s = { 1, 2, 3 }; x[0] = s.b;"),
                 "2:31: an initialiser that leaves out inner braces is not");
    expect_error(KERNEL("x[0] = lgamma_r(x[1], &n);"),
                 "2:8: 'lgamma_r' is not supported");
    expect_error(KERNEL("x[0] = y;"), "test.cl:2:8: use of undeclared");
    expect_error("float f(int i) { return i ? f(i - 1) : 0; }\n" KERNEL("x[0] = f(n);"),
                 "recursion");
}

static void wrong_arguments_are_refused(void **state)
{
    double x[4];
    struct gcal_interp_arg args[] = { { "float64", x, 4 }, { "int32", NULL, 0 } };
    struct gcal_error err = { 0 };

    (void)state;
    assert_int_equal(run(KERNEL(""), 4, 4, 2, args, &err), -1);
    assert_non_null(strstr(err.text, "argument 1 ('x') takes float32 elements"));
    assert_int_equal(run(KERNEL(""), 4, 4, 1, args, &err), -1);
    assert_int_equal(run(KERNEL(""), 6, 4, 2, args, &err), -1);
    assert_non_null(strstr(err.text, "do not divide"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiled_matmul_equals_c),
        cmocka_unit_test(speed_of_a_loop),
        cmocka_unit_test(triangular_loop_and_integers),
        cmocka_unit_test(vectors_and_builtins),
        cmocka_unit_test(language_of_vectors_and_structures),
        cmocka_unit_test(half_rounds),
        cmocka_unit_test(failures_name_the_line),
        cmocka_unit_test(wrong_arguments_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
