/* test_remove.c - work removal: the result compiles, runs, and has exactly the loads that
 * are kept
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"
#include "kernels/interpret/interpret.h"
#include "kernels/remove/remove.h"

enum { N = 32 };

static const char tiled[] =
    "#define LID(d) ((int)get_local_id(d))\n"
    "typedef float real;\n"
    "__kernel __attribute__((reqd_work_group_size(T, T, 1)))\n"
    "void matmul(__global const real *a, __global const real *b,\n"
    "            __global real *c, int n) {\n"
    "    __local real a_fetch[T*T], b_fetch[T*T];\n"
    "    int row = T*get_group_id(1) + LID(1);\n"
    "    real acc = 0.0f;\n"
    "    for (int k_out = 0; k_out <= (n - T) / T; ++k_out) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        a_fetch[T*LID(1) + LID(0)] = GPUCAL_TAG(aLD, a[n*row + T*k_out + LID(0)]);\n"
    "        b_fetch[T*LID(1) + LID(0)] = b[n*(T*k_out + LID(1)) + T*get_group_id(0) + "
    "LID(0)];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (int k_in = 0; k_in < T; ++k_in)\n"
    "            acc = acc + a_fetch[T*LID(1) + k_in] * b_fetch[T*k_in + LID(0)];\n"
    "    }\n"
    "    c[n*row + T*get_group_id(0) + LID(0)] = acc;\n"
    "}\n";

static float a[N * N], b[N * N], c[N * N], dest[N * N];

static char *reduce(const char *source, size_t n_dims, const char *keep)
{
    struct gcal_count_request request = {
        .source = source, .file = "k.cl", .build_options = "-DT=16", .n_dims = n_dims
    };
    struct gcal_error err = { 0 };
    struct gcal_remove_options removal = { .n_keep = keep ? 1 : 0, .keep = &keep };
    char *text = gcal_remove_work(&request, &removal, NULL, &err);

    if (!text)
        fail_msg("%s", err.text);
    return text;
}

static void run(const char *source, size_t n_dims, size_t local, size_t n_args,
                struct gcal_interp_arg *args)
{
    struct gcal_count_request request = { .source = source,
                                          .file = "removed.cl",
                                          .n_dims = n_dims,
                                          .local_size = { local, local } };
    size_t global[] = { N, N };
    struct gcal_error err = { 0 };

    if (gcal_interp_run_kernel(&request, global, n_args, args, &err) < 0)
        fail_msg("%s\n%s", err.text, source);
}

static void run_matmul(const char *source)
{
    int n = N;
    struct gcal_interp_arg args[] = { { "float32", a, N * N },
                                      { "float32", b, N * N },
                                      { "float32", c, N * N },
                                      { "int32", &n, 0 },
                                      { "float32", dest, N * N } };

    for (int i = 0; i < N * N; i++) {
        a[i] = fmodf((float)i * 0.731f, 3.7f);
        b[i] = fmodf((float)i * 1.137f, 2.9f);
        c[i] = -1.5f;
    }
    run(source, 2, 16, 5, args);
}

/* The result of the example in Stevens and Kloeckner 2020: a tile's element per step of
 * k_out.
 */
static void check_tiles(bool with_a, bool with_b)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0.0f;

            for (int k = 0; k < N / 16; k++) {
                if (with_a)
                    sum += a[N * i + 16 * k + j % 16];
                if (with_b)
                    sum += b[N * (16 * k + i % 16) + j];
            }
            assert_true(dest[N * i + j] == sum);
            assert_true(c[N * i + j] == -1.5f);
        }
}

static void keeps_one_array(void **state)
{
    char *text = reduce(tiled, 2, "b");

    (void)state;
    run_matmul(text);
    check_tiles(false, true);
    assert_null(strstr(text, "barrier"));
    assert_null(strstr(text, "fetch"));
    assert_null(strstr(text, "k_in"));
    assert_null(strstr(text, "row"));
    assert_null(strstr(text, "a["));
    assert_int_equal(strncmp(text, "/* matmul of k.cl ", 18), 0);
    assert_non_null(strstr(text, "reqd_work_group_size(16, 16, 1)"));
    print_message("%s", text);
    free(text);
}

static void keeps_a_tag(void **state)
{
    char *text = reduce(tiled, 2, "aLD");

    (void)state;
    run_matmul(text);
    check_tiles(true, false);
    assert_non_null(strstr(text, "GPUCAL_TAG(aLD, a["));
    free(text);
}

static struct gcal_profile *count(const char *source)
{
    struct gcal_count_request request = { .source = source,
                                          .file = "k.cl",
                                          .build_options = "-DT=16",
                                          .n_dims = 2,
                                          .local_size = { 16, 16 },
                                          .global_size = { "n", "n" },
                                          .assume = "n % 16 = 0 and n >= 16" };
    struct gcal_error err = { 0 };
    struct gcal_profile *profile = gcal_count(&request, &err);

    if (!profile)
        fail_msg("%s", err.text);
    return profile;
}

/* Name (with strides and tag) and count of every global load equal the original's. */
static void loads_are_counted_as_before(void **state)
{
    char *text = reduce(tiled, 2, NULL);
    struct gcal_profile *before = count(tiled), *after = count(text);
    size_t n_before = 0, n_after = 0;

    (void)state;
    for (size_t i = 0; i < before->n_entries; i++) {
        const struct gcal_profile_entry *x = &before->entries[i];

        if (!x->array || x->space != GCAL_FEATURE_SPACE_GLOBAL ||
            x->direction != GCAL_FEATURE_LOAD)
            continue;
        n_before++;
        for (size_t j = 0; j < after->n_entries; j++)
            n_after += strcmp(x->feature, after->entries[j].feature) == 0 &&
                       strcmp(x->count, after->entries[j].count) == 0;
    }
    assert_int_equal(n_before, 2);
    assert_int_equal(n_after, 2);
    gcal_profile_destroy(before);
    gcal_profile_destroy(after);
    free(text);
}

static void keeps_all(void **state)
{
    char *text = reduce(tiled, 2, NULL);

    (void)state;
    run_matmul(text);
    check_tiles(true, true);
    free(text);
}

static void plain_matmul(void **state)
{
    static const char source[] =
        "__kernel void mm(__global float *a, __global float *b, __global float *c, int "
        "n) {\n"
        "    const int i = get_global_id(1), j = get_global_id(0);\n"
        "    float sum = 0;\n"
        "    #pragma unroll 4\n"
        "    for (int k = 0; k < n; k++) sum += a[n*i + k] * b[n*k + j];\n"
        "    c[n*i + j] = sum;\n"
        "}\n";
    char *text = reduce(source, 2, NULL);

    (void)state;
    run_matmul(text);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0.0f;

            for (int k = 0; k < N; k++) {
                sum += a[N * i + k];
                sum += b[N * k + j];
            }
            assert_true(dest[N * i + j] == sum);
        }
    assert_non_null(strstr(text, "#pragma unroll"));
    free(text);
}

/* Guards, moving pointers, += on global memory, integers next to floats, while. */
static void guards_pointers_and_updates(void **state)
{
    static const char source[] =
        "__constant int offset[2] = { 1, 2 };\n"
        "__kernel void unrelated(__global float *z) { z[0] = 1; }\n"
        "__kernel void k(__global const int *x, __global float *y, int n) {\n"
        "    int i = get_global_id(0), steps = 3; float s;\n"
        "    if (i >= n) return;\n"
        "    __global const int *p = x + 2*i;\n"
        "    while (steps > 0) { s += *p; p += offset[1]; steps--; }\n"
        "    for (int j = 0; j < 100; j++) { s = s * 0.5f; if (s < 1) break; }\n"
        "    if (i > 4) y[i] += s; else y[i] = i < 2 ? y[i + 1] : s;\n"
        "}\n";
    int x[2 * N + 8], n = 30;
    float y[N + 1], out[N];
    struct gcal_interp_arg args[] = { { "int32", x, 2 * N + 8 },
                                      { "float32", y, N + 1 },
                                      { "int32", &n, 0 },
                                      { "float32", out, N } };
    struct gcal_count_request request = { .source = source, .kernel = "k", .n_dims = 1 };
    struct gcal_error err = { 0 };
    struct gcal_remove_options removal = { 0 };
    char *text = gcal_remove_work(&request, &removal, NULL, &err);

    (void)state;
    if (!text)
        fail_msg("%s", err.text);
    for (int i = 0; i < 2 * N + 8; i++)
        x[i] = 3 * i - 7;
    for (int i = 0; i <= N; i++)
        y[i] = 0.25f * (float)i + 0.5f;
    for (int i = 0; i < N; i++)
        out[i] = -9.5f;
    run(text, 1, 8, 4, args);
    for (int i = 0; i < N; i++) {
        float sum = (float)(x[2 * i] + x[2 * i + 2] + x[2 * i + 4]);

        sum += i > 4 ? y[i] : i < 2 ? y[i + 1] : 0.0f;
        assert_float_equal(out[i], i < n ? sum : -9.5f, 0);
    }
    assert_null(strstr(text, "unrelated"));
    assert_null(strstr(text, "100"));
    free(text);
}

static void expect_error(const char *source, const char *keep, const char *expected)
{
    struct gcal_count_request request = {
        .source = source, .file = "k.cl", .n_dims = 1, .build_options = "-DT=16"
    };
    struct gcal_error err = { 0 };

    assert_null(gcal_remove_work(
        &request, &(struct gcal_remove_options){ .n_keep = 1, .keep = &keep }, NULL,
        &err));
    if (!strstr(err.text, expected))
        fail_msg("\"%s\" instead of \"%s\"", err.text, expected);
}

static void refuses_loads_it_cannot_keep(void **state)
{
    (void)state;
    expect_error(tiled, "bb", "named 'bb'; the loads are: a, aLD, b");
    expect_error(tiled, "c",
                 "named 'c'; the loads are: a, aLD, b (--memory keeps stores, too)");
    expect_error(
        "__kernel void k(__global float *x, __global int *ix) { __local int t[8];\n"
        "t[get_local_id(0)] = ix[get_local_id(0)]; x[0] = x[t[1]]; }",
        "x", "depends on local memory");
    expect_error("__kernel void k(__global float *x, int n) {\n"
                 "again: x[0] = x[n];\n if (--n) goto again; }",
                 "x", "k.cl:3:11: work removal does not support goto");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_one_array),
        cmocka_unit_test(keeps_a_tag),
        cmocka_unit_test(keeps_all),
        cmocka_unit_test(loads_are_counted_as_before),
        cmocka_unit_test(plain_matmul),
        cmocka_unit_test(guards_pointers_and_updates),
        cmocka_unit_test(refuses_loads_it_cannot_keep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
