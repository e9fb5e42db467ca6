/* test_op_chain.c - operations that wait for the one before, in kernels counted by hand */
#include <math.h>
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
    "float half_of(float v) { return 0.5f * v; }\n"                                      \
    "kernel void f(global float *a, global float *b, global const int *next, int n)\n"   \
    "{ local float t[64]; int i = get_global_id(0), l = get_local_id(0);\n"              \
    "float s = 0, x = a[i], y = b[i], z = a[i + 1]; int k = next[i];\n"
#define END "b[i] = s; }"

enum { N = 64 };   /* of n */
#define WITHIN 0.6 /* cycles of several iterations are counted on average */

static const struct chain {
    const char *body;
    double all, one; /* all operations; of the feature */
    const char *feature;
} kernels[] = {
    { "s = x;", 0, 0, "f_op_chain_float32_add" },
    /* expressions: the deeper operand; products are fused with sums */
    { "s = x + y;", 1, 1, "f_op_chain_float32_add" },
    { "s = x * y + z;", 1, 1, "f_op_chain_float32_madd" },
    { "s = (x + y) + (z + x);", 2, 2, "f_op_chain_float32_add" },
    { "s = ((x + y) + z) + x;", 3, 3, "f_op_chain_float32_add" },
    { "s = x / y + z;", 2, 1, "f_op_chain_float32_div" },
    { "s = native_exp(x) * (y + z + x + y);", 2, 1, "f_op_chain_float32_native_exp" },
    { "s = native_exp(x) * (y + z + x + y + z + x);", 6, 5, "f_op_chain_float32_add" },
    /* variables, functions, conditions */
    { "x = x + 1; x = x * 2; y = y + 3; s = x + y;", 3, 2, "f_op_chain_float32_add" },
    { "s = half_of(half_of(x));", 2, 2, "f_op_chain_float32_mul" },
    { "if (l < 3) s = x + y; else s = x * y * z;", 2, 2, "f_op_chain_float32_mul" },
    { "s = x > y ? x : y;", 2, 1, "f_op_chain_float32_select" },
    { "float4 v = vload4(0, a); v = v * 2 + v; s = v.x + v.y;", 2, 1,
      "f_op_chain_float32_add" },
    /* subscripts: of loads from loaded values, but not of ids */
    { "s = a[2 * i + 1];", 0, 0, "f_op_chain" },
    { "s = a[2 * k + 1] + y;", 3, 1, "f_op_chain_int32_mul" },
    /* loops: a variable's recurrence at each iteration */
    { "for (int j = 0; j < n; j++) s = s + a[j];", N, N, "f_op_chain_float32_add" },
    { "for (int j = 0; j < n; j++) s += a[j] * b[j];", N, N, "f_op_chain_float32_madd" },
    { "for (int j = 0; j < n; j++) x = y * x * (1 - x); s = x;", 2 * N, 2 * N,
      "f_op_chain_float32_mul" },
    { "for (int j = 0; j < n; j++) s += native_exp(a[j]) + y;", N + 2, 1,
      "f_op_chain_float32_native_exp" },
    { "for (int j = 0; j < 5; j++) s = (s + a[j]) * y;", 10, 5,
      "f_op_chain_float32_mul" },
    /* independent ones, a value of the iteration before last, two that take turns */
    { "for (int j = 0; j < n; j++) { s += a[j]; x += b[j]; } s = s + x;", N + 1, N + 1,
      "f_op_chain_float32_add" },
    { "for (int j = 0; j < n; j++) b[j] = a[j] * x + y;", 1, 1,
      "f_op_chain_float32_madd" },
    { "for (int j = 0; j < n; j++) { s = y + 1; y = x; x = s; }", N / 2, N / 2,
      "f_op_chain_float32_add" },
    { "for (int j = 0; j < n; j++) { float w = z - x * y; x = y; y = w; } s = y;", N, N,
      "f_op_chain_float32_madd" },
    /* nests: all iterations, of a sum for each outer one, of triangles on average */
    { "for (int j = 0; j < n; j++) for (int m = 0; m < 4; m++) s += a[m];", 4 * N, 4 * N,
      "f_op_chain_float32_add" },
    { "for (int j = 0; j < n; j++) { x = 0; for (int m = 0; m < 4; m++) x += a[m];\n"
      "b[j] = x * y; }",
      5, 4, "f_op_chain_float32_add" },
    { "for (int j = 0; j < n; j++) for (int m = 0; m <= j; m++) s += a[m];",
      N *(N + 1) / 2, N *(N + 1) / 2, "f_op_chain_float32_add" },
    /* private arrays: an element for each iteration, or the same */
    { "float v[4]; for (int m = 0; m < 4; m++) v[m] = a[m];\n"
      "for (int j = 0; j < n; j++) for (int m = 0; m < 4; m++) v[m] += b[j];\n"
      "s = v[0] + v[1];",
      N + 1, N + 1, "f_op_chain_float32_add" },
    { "float v[4]; v[0] = x; v[1] = y; for (int j = 0; j < n; j++) v[1] += b[j];\n"
      "s = v[0] * 2; s = s + v[1];",
      N + 1, N + 1, "f_op_chain_float32_add" },
    /* local memory: what was stored there */
    { "t[l] = x + y; barrier(CLK_LOCAL_MEM_FENCE); s = t[63 - l] * z;", 3, 1,
      "f_op_chain_float32_local_load" },
    { "t[l] = x; for (int j = 0; j < 6; j++) { barrier(CLK_LOCAL_MEM_FENCE);\n"
      "if (l < 32) t[l] += t[l + j]; } s = t[0];",
      13, 7, "f_op_chain_float32_local_load" },
};

static struct gcal_profile *count(const char *body)
{
    char source[1500];
    struct gcal_count_request r = { .source = source,
                                    .file = "x.cl",
                                    .n_dims = 1,
                                    .local_size = { 64 },
                                    .global_size = { "6400" },
                                    .sub_group_size = 32,
                                    .assume = "n >= 1",
                                    .sector_bytes = 32 };

    snprintf(source, sizeof(source), "%s%s%s", START, body, END);
    return by_hand_count(&r, body);
}

static double value_of(const struct gcal_profile *p, const char *feature)
{
    const double sizes[2] = { N, N };

    return by_hand_value(p, feature, sizes);
}

static void counts_chains(void **state)
{
    bool failed = false;

    (void)state;
    for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
        const struct chain *k = &kernels[i];
        struct gcal_profile *p = count(k->body);
        double all = value_of(p, "f_op_chain"), one = value_of(p, k->feature);

        if (fabs(all - k->all) > WITHIN || fabs(one - k->one) > WITHIN) {
            print_error("%s: %g, %s %g, not %g, %g\n", k->body, all, k->feature, one,
                        k->all, k->one);
            failed = true;
        }
        gcal_profile_destroy(p);
    }
    assert_false(failed);
}

/* Unrolled code is followed as well, up to a limit, with a note beyond it. */
static void gives_up_with_a_note(void **state)
{
    struct gcal_profile *p =
        count("int u[32]; for (int q = 0; q < 1000; q++) { u[q * q % 32] = q;\n"
              "for (int p = 0; p < 1000; p++) { u[p * p % 32] = p; s = s * x + y; } }");

    (void)state;
    assert_true(p->n_notes || value_of(p, "f_op_chain") == 1000 * 1000);
    gcal_profile_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(counts_chains),
                                        cmocka_unit_test(gives_up_with_a_note) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
