/* test_latency.c - loads that wait for each other, in kernels counted by hand */
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
    "kernel void f(global int *next, global float *a, global float *b, int n)\n"         \
    "{ local float t[64]; int i = get_global_id(0), x = i; float s = 0;\n"
#define END "b[i] = s + x; }"

enum { N = 64 }; /* of n */

static const struct latency {
    const char *body;
    double chain, rounds, in_flight;
} kernels[] = {
    /* independent loads are one round */
    { "s = a[i] + a[i + 1] + b[i];", 1, 1, 3 },
    /* an address from a load, from two */
    { "s = a[next[i]];", 2, 2, 1 },
    { "s = a[next[next[i] + 1]] + b[i];", 3, 3, 4.0 / 3 },
    { "x = next[i]; x = 2 * x + 1; s = a[x];", 2, 2, 1 },
    /* iterations overlap if they do not wait for each other */
    { "for (int k = 0; k < n; k++) s += a[n * i + k] * b[k];", 1, N, 2 },
    { "for (int k = 0; k < n; k++) s += a[next[k]];", 2, 2 * N, 1 },
    { "for (int k = 0; k < n; k++) x = next[x];", N, N, 1 },
    { "for (int k = 0; k < n; k++) { int y = next[x]; x = y & 255; s += a[y]; }", 2 * N,
      2 * N, 1 },
    /* nor if compilers do not unroll: a store, an atomic, a step known at run time only */
    { "for (int k = 0; k < n; k++) b[k] = a[n * i + k];", N, N, 1 },
    { "for (int k = 0; k < n; k++) { s += a[n * i + k]; atomic_inc(next + i); }", N, N,
      1 },
    { "for (int k = 0; k < n; k++) { s += a[n * i + k]; t[get_local_id(0)] = s; }", 1, N,
      1 },
    { "for (int k = i; k < n * n; k += get_global_size(0)) s += a[k];", N, N, 1 },
    { "int step = get_num_groups(0); for (int k = 0; k < n; k += step) s += a[k];", N, N,
      1 },
    { "for (int k = 0; k < 2 * n; k += 2) s += a[k];", 1, N, 1 },
    /* a branch on data around a store to a private array; not a store alone */
    { "float p[32]; for (int k = 0; k < n; k++) { int y = next[n * i + k];\n"
      "if (y > 3) p[y & 31] = y; } s = p[i & 31];",
      N, N, 1 },
    { "float p[32]; for (int k = 0; k < n; k++) { int y = next[n * i + k];\n"
      "p[y & 31] = y; } s = p[i & 31];",
      1, N, 1 },
    /* as do those with a barrier */
    { "for (int k = 0; k < n; k++) { t[get_local_id(0)] = a[64 * k + i];\n"
      "barrier(CLK_LOCAL_MEM_FENCE); s += t[63 - get_local_id(0)];\n"
      "barrier(CLK_LOCAL_MEM_FENCE); }",
      N, N, 1 },
    /* barriers separate, loops in a loop that waits do not */
    { "t[get_local_id(0)] = a[i]; barrier(CLK_LOCAL_MEM_FENCE);\n"
      "s = t[63 - get_local_id(0)] + b[i];",
      2, 2, 1 },
    { "for (int k = 0; k < n; k++) { for (int l = 0; l < 8; l++) s += a[8 * k + l];\n"
      "barrier(CLK_LOCAL_MEM_FENCE); }",
      N, N, 8 },
    /* loops of few iterations and instructions, independent and known, are unrolled entirely */
    { "for (int k = 0; k < n; k++)\n"
      "for (int l = 0; l < 2; l++) for (int o = 0; o < 16; o++) s += a[16 * k + l + o];",
      1, N, 32 },
    { "for (int l = 0; l < 17; l++) s += a[i + l];", 1, 17, 1 },
    { "for (int l = 0; l < 16; l++) s += sin(cos(exp(a[i + l] * 2 + 1) * 3) * 4) / 5 - 6 "
      "* s;",
      1, 16, 1 },
    { "\n#pragma unroll 1\nfor (int l = 0; l < 8; l++) s += a[i + l];", 1, 8, 1 },
    { "for (int l = 0; l < 8; l++) b[n * i + l] = a[n * i + l];", 8, 8, 1 },
    { "for (int l = 0; l < 8; l++) x = next[x];", 8, 8, 1 },
    /* the work-item that does most */
    { "for (int k = 0; k <= get_local_id(0); k++) s += a[k];", 1, 64, 1 },
    { "if (i < n - 3) s = a[i];", 1, 1, 1 },
    /* registers limit what is in flight: wide loads fill more, narrow ones no less */
    { "s = (float)((__global const double *)a)[i] + b[i];", 1, 1, 3 },
    { "for (int k = 0; k < n; k++) s += vload4(n * i + k, a).x;", 1, N, 4 },
    { "s = (float)((__global const uchar *)a)[i] + b[i];", 1, 1, 2 },
    /* a table in local memory does not wait for global memory */
    { "t[get_local_id(0)] = 1; x = (int)t[i & 63]; s = a[x];", 1, 1, 1 },
};

/* Loops that are walked iteration by iteration, as their sizes are given: as above, if compilers do not
 * know when they end.
 */
static const struct latency walked[] = {
    { "int at = 0; for (int k = 0; k < n; k++)\n"
      "{ b[k] = a[64 * at + i]; at = at + 1 < 10 ? at + 1 : 0; }",
      N, N, 1 },
    { "int at = 0; for (int k = 0; k < n; k++)\n"
      "{ s += a[64 * at + i]; at = at + 1 < 10 ? at + 1 : 0; }",
      1, N, 1 },
    { "float last[32]; int at = 0; for (int k = 0; k < n; k++) { s += a[64 * k + i] - "
      "last[at];\n"
      "last[at] = s; b[k] = s; at = at + 1 < 10 ? at + 1 : 0; }",
      N, N, 1 },
    { "for (int k = 1; k < n; k *= 3) b[k] = a[k + i];", 4, 4, 1 },
    { "for (int k = 1; k < 64; k *= 3) b[k] = a[k + i];", 1, 1, 4 },
    { "for (int k = 1; k < n; k *= 3) { float q = 0;\n"
      "for (int l = 1; l < n; l *= 3) q += a[k + l + i]; b[k] = q; }",
      4, 16, 1 },
};

static double value_of(const struct gcal_profile *p, const char *feature)
{
    const double sizes[2] = { N, N };

    return by_hand_value(p, feature, sizes);
}

static struct gcal_profile *count(const char *body, const char *assume)
{
    char source[1000];
    struct gcal_count_request r = { .source = source,
                                    .file = "x.cl",
                                    .n_dims = 1,
                                    .local_size = { 64 },
                                    .global_size = { "n" },
                                    .sub_group_size = 32,
                                    .assume = assume,
                                    .sector_bytes = 32 };

    snprintf(source, sizeof(source), "%s%s%s", START, body, END);
    return by_hand_count(&r, body);
}

static void check(const struct latency *k, const char *assume)
{
    struct gcal_profile *p = count(k->body, assume);

    if (value_of(p, "f_load_chain") != k->chain ||
        value_of(p, "f_load_round") != k->rounds ||
        value_of(p, "f_loads_in_flight") < k->in_flight - 1e-9 ||
        value_of(p, "f_loads_in_flight") > k->in_flight + 1e-9)
        fail_msg("%s: %g, %g, %g, not %g, %g, %g", k->body, value_of(p, "f_load_chain"),
                 value_of(p, "f_load_round"), value_of(p, "f_loads_in_flight"), k->chain,
                 k->rounds, k->in_flight);
    gcal_profile_destroy(p);
}

/* Distinct sectors of a loop: of rows along which items walk, columns, one element for
 * all, and neighbours.
 */
static const struct looped {
    const char *body;
    double sectors;
} looped[] = {
    { "for (int k = 0; k < n; k++) s += a[n * i + k];", N *N / 8 },
    { "for (int k = 0; k < n; k++) s += a[n * k + i];", N *N / 8 },
    { "for (int k = 0; k < n; k++) s += a[k];", 2 * N / 8 },
    { "for (int k = 0; k < n; k++) s += a[i];", N / 8 },
    { "for (int l = 0; l < 4; l++) for (int k = 0; k < n; k++) s += a[i];", 4 * N / 8 },
    /* Volatile: each time. */
    { "volatile __global const float *z = a; for (int k = 0; k < n; k++) s += z[i];",
      N *N / 8 },
    { "volatile __global const float *z = a; s = z[i] + z[i] + a[i];", 3 * N / 8 },
};

static void counts_sectors_of_loops(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(looped) / sizeof(*looped); i++) {
        struct gcal_profile *p = count(looped[i].body, "n % 64 = 0");

        assert_float_equal(value_of(p, "f_loop_sector_global_float32_load"),
                           looped[i].sectors, 1e-9);
        gcal_profile_destroy(p);
    }
}

/* Blocks of 64 bytes that columns and rows of a matrix of n x n touch. */
static const struct looped apart[] = {
    { "for (int k = 0; k < n; k++) s += a[n * i + k];", N *N / 16 },
    { "s = a[8 * i];", N / 2 },
    { "s = a[16 * i];", N },
    { "s = a[n * i];", N },
};

static void counts_blocks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(apart) / sizeof(*apart); i++) {
        struct gcal_profile *p = count(apart[i].body, "n % 64 = 0");

        assert_float_equal(value_of(p, "f_footprint_block_global_float32_load"),
                           apart[i].sectors, 1e-9);
        gcal_profile_destroy(p);
    }
}

static void counts_chains(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
        check(&kernels[i], NULL);
    for (size_t i = 0; i < sizeof(walked) / sizeof(*walked); i++)
        check(&walked[i], "n = 64");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(counts_chains),
                                        cmocka_unit_test(counts_sectors_of_loops),
                                        cmocka_unit_test(counts_blocks) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
