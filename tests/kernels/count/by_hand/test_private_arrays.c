/* test_private_arrays.c - accesses to private arrays that compilers cannot keep in registers
 *
 * One work-group of one sub-group, so that counts are those of a work-item.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/kernels/count/by_hand/by_hand.h"

#define START                                                                            \
    "struct pair { float v[4]; int n; };\n"                                              \
    "float pick(const float *v, int i) { return v[i]; }\n"                               \
    "void twice(float *v, int n) { for (int i = 0; i < n; i++) v[i] *= 2.0f; }\n"        \
    "kernel void f(global float *x, global const int *where, int n)\n"                   \
    "{ int l = get_local_id(0); float s = 0; float a[8];\n"
#define FILL "for (int i = 0; i < 8; i++) a[i] = x[i];\n"
#define END  "x[l] = s; }"

/* Every element by those before it; and a small matrix into its factors. */
#define TRIANGLE(n)                                                                      \
    "for (int i = 1; i < " n "; i++) for (int j = 0; j < i; j++)\n"                      \
    "b[j] = b[j] * b[i] + 0.5f;\n"
#define FACTORS(n)                                                                       \
    "for (int i = 0; i < " n "; i++) for (int j = 0; j < " n                             \
    "; j++) b[i][j] = x[i + j];\n"                                                       \
    "for (int k = 0; k < " n "; k++) for (int i = k + 1; i < " n "; i++) {\n"            \
    "float f = b[i][k] / b[k][k]; b[i][k] = f;\n"                                        \
    "for (int j = k + 1; j < " n "; j++) b[i][j] -= f * b[k][j]; }\n"

/* Sorts by comparisons at distances that halve, in blocks that double. */
#define NETWORK(n)                                                                       \
    "for (int i = 0; i < " n "; i++) b[i] = x[i];\n"                                     \
    "for (int k = 2; k <= " n "; k *= 2) for (int j = k / 2; j > 0; j /= 2)\n"           \
    "for (int i = 0; i < " n "; i++) { int m = i ^ j; if (m > i) {\n"                    \
    "float p = b[i], q = b[m]; bool up = (i & k) == 0;\n"                                \
    "b[i] = up ? fmin(p, q) : fmax(p, q); b[m] = up ? fmax(p, q) : fmin(p, q); } }\n"

enum { N = 10 }; /* of n */

static const struct kernel {
    const char *body;
    double loads, stores;
} kernels[] = {
    /* registers: subscripts are constants, once loops are unrolled */
    { "a[3] = x[l]; a[4] = 2.0f; s = a[3] + a[4];", 0, 0 },
    { FILL "for (int i = 0; i < 8; i++) s += a[7 - i];", 0, 0 },
    { "float m[4][4]; for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++)\n"
      "m[i][j] = x[4 * i + j]; s = m[1][2];",
      0, 0 },
    { "float m[8][8]; for (int i = 0; i < 8; i++) for (int j = 0; j <= i; j++)\n"
      "m[i][j] = x[i + j]; s = m[7][2];",
      0, 0 },
    { FILL "for (int k = 0; k < n; k++) for (int i = 0; i < 8; i++) s += a[i];", 0, 0 },
    { FILL "float *p = a; for (int i = 0; i < 8; i++) s += *p++;", 0, 0 },
    { FILL "twice(a, 8); s = pick(a, 3) + pick(a, 4);", 0, 0 },
    { "float b[16]; " TRIANGLE("16") "s = b[1];", 0, 0 },
    { "float b[6][6]; " FACTORS("6"), 0, 0 },
    { "float b[64]; for (int i = 0; i < 64; i++) b[i] = x[i]; s = b[63];", 0, 0 },
    { "float b[16]; " NETWORK("16") "s = b[3];", 0, 0 },
    { "float b[65];\n#pragma unroll\nfor (int i = 0; i < 65; i++) b[i] = x[i]; s = b[1];",
      0, 0 },
    /* memory: all accesses of the array, those at constant subscripts, too */
    { FILL "s = a[l & 7] + a[1];", 2, 8 },
    { FILL "s = a[where[l] & 7];", 1, 8 },
    { FILL "a[where[l] & 7] += 1.0f; s = a[2];", 2, 9 },
    { FILL "for (int k = 0; k < n; k++) s += a[k & 7];", N, 8 },
    { FILL "s = a[n & 7];", 1, 8 },
    { "float b[300]; for (int i = 0; i < 300; i++) b[i] = x[i]; s = b[63];", 1, 300 },
    { "float b[40][8]; for (int i = 0; i < 40; i++) for (int j = 0; j < 8; j++)\n"
      "b[i][j] = x[8 * i + j]; s = b[1][2];",
      1, 320 },
    /* loops that end where an outer one is are as long as they can get */
    { "float b[32]; for (int i = 0; i < 32; i++) b[i] = x[i];\n" TRIANGLE(
          "32") "s = b[1];",
      2 * 31 * 32 / 2 + 1, 31 * 32 / 2 + 32 },
    { "float b[7][7]; " FACTORS("7"), 2 * 91 + 2 * 21, 91 + 21 + 49 },
    /* loads of what a loop does not change are moved out of it */
    { FILL "for (int k = 0; k < n; k++) s += a[l & 7];", 1, 8 },
    { FILL "for (int k = 0; k < n; k++) s += a[k & 7] + a[3];", N + 1, 8 },
    { FILL
      "for (int k = 0; k < n; k++) for (int i = 0; i < 8; i++) s += a[k & 7] * a[i];",
      N + 8, 8 },
    { FILL "for (int k = 0; k < n; k++) { a[k & 7] = s; s += a[3]; }", N, N + 8 },
    { "for (int i = 0; i < get_local_size(0) / 4; i++) a[i] = x[i]; s = a[1];", 1, 8 },
    { "\n#pragma unroll 1\nfor (int i = 0; i < 8; i++) a[i] = x[i]; s = a[1];", 1, 8 },
    { FILL "s = pick(a, where[l]);", 1, 8 },
    { FILL "float *p = a; for (int k = 0; k < n; k++) p += where[k]; s = *p;", 1, 8 },
    { FILL "float b[4]; b[0] = s; s += a[l & 7];", 1, 8 },
    { "struct pair p; p.v[1] = 1.0f; p.n = 3; p.v[l & 3] = 2.0f; s = p.v[1] + p.n;", 1,
      2 },
    { "float4 b[2]; b[0] = vload4(0, x); b[1] = b[0]; s = b[l & 1].y;", 2, 2 },
    { "if (l < 16) a[l & 7] = 1.0f; s = a[2];", 1, 1 },
    /* a table of constants is in memory from the start, initialised variables are not */
    { "const float t[4] = { 1, 2, 3, 4 }; s = t[l & 3];", 1, 0 },
    { "float t[4] = { 1, 2, 3, 4 }; s = t[l & 3];", 1, 0 },
    { "float t[4] = { s, 2, 3, 4 }; s = t[l & 3];", 1, 4 },
    { "float t[4] = { 0 }; t[l & 3] = 1; s = t[2];", 1, 5 },
    { "float b[32]; " NETWORK("32") "s = b[3];", 481, 512 },
};

static struct gcal_profile *count(const char *body, const char *assume)
{
    char source[1500];
    struct gcal_count_request r = { .source = source,
                                    .file = "x.cl",
                                    .n_dims = 1,
                                    .local_size = { 32 },
                                    .global_size = { "32" },
                                    .assume = assume,
                                    .sub_group_size = 32 };

    snprintf(source, sizeof(source), "%s%s%s", START, body, END);
    return by_hand_count(&r, body);
}

static double value_of(const struct gcal_profile *p, const char *feature)
{
    const double sizes[1] = { N };

    return by_hand_value(p, feature, sizes);
}

static void counts_accesses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
        const struct kernel *k = &kernels[i];
        struct gcal_profile *p = count(k->body, NULL);
        double loads = value_of(p, "f_mem_access_private_float32_load");
        double stores = value_of(p, "f_mem_access_private_float32_store");

        if (loads != k->loads || stores != k->stores)
            fail_msg("%s: %g loads, %g stores, not %g, %g", k->body, loads, stores,
                     k->loads, k->stores);
        gcal_profile_destroy(p);
    }
}

/* They are of no component, but the mask is; and of no name without the space. */
static void counts_them_apart(void **state)
{
    struct gcal_profile *p = count(FILL "s = a[l & 7];", NULL);

    (void)state;
    assert_float_equal(value_of(p, "f_mem_access_private"), 9, 0);
    assert_float_equal(value_of(p, "f_mem_access_float32_load"), 8, 0);
    assert_float_equal(value_of(p, "f_mem_access_local"), 0, 0);
    assert_float_equal(value_of(p, "f_mem_access_private_lstrides:{0:0}"), 8, 0);
    assert_float_equal(value_of(p, "f_onchip"), 1, 0);
    gcal_profile_destroy(p);
}

/* Compilers do not know n, though it is assumed to be a number. */
static void assumes_no_constant(void **state)
{
    static const char *const subscripts[] = { FILL "s = a[n & 7];",
                                              FILL "int k = n - 4; s = a[k];" };
    struct gcal_profile *p = count(
        "int m = n - 2; for (int i = 0; i < m; i++) a[i] = x[i]; s = a[1];", "n = 10");

    (void)state;
    assert_float_equal(value_of(p, "f_mem_access_private_float32_load"), 1, 0);
    assert_float_equal(value_of(p, "f_mem_access_private_float32_store"), 8, 0);
    gcal_profile_destroy(p);
    for (size_t i = 0; i < sizeof(subscripts) / sizeof(*subscripts); i++) {
        p = count(subscripts[i], "n = 10");
        if (value_of(p, "f_mem_access_private_float32_load") != 1)
            fail_msg("%s: it is in registers", subscripts[i]);
        gcal_profile_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(counts_accesses),
                                        cmocka_unit_test(counts_them_apart),
                                        cmocka_unit_test(assumes_no_constant) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
