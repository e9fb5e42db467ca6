/* test_count.c - counts of kernels from files, as expressions */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"

#define FOLDER SOURCE_DIR "/tests/kernels/count/kernels/"

/* Operations, accesses, barriers and groups, one line each: "feature = count". */
static void assert_counts(const struct gcal_count_request *request, const char *expected)
{
    struct gcal_error err = { 0 };
    struct gcal_buf buf = { 0 };
    struct gcal_profile *p = gcal_count(request, &err);

    assert_string_equal(err.text, "");
    assert_non_null(p);
    for (size_t i = 0; i < p->n_entries; i++) {
        const struct gcal_profile_entry *e = &p->entries[i];
        struct gcal_feature feature = { 0 };

        assert_int_equal(gcal_feature_parse(e->feature, &feature, &err), 0);
        gcal_feature_clear(&feature);
        if (e->kind <= GCAL_FEATURE_THREAD_GROUPS &&
            e->kind != GCAL_FEATURE_KERNEL_LAUNCH)
            gcal_buf_printf(&buf, "%s = %s\n", e->feature, e->count);
    }
    assert_string_equal(buf.data, expected);
    gcal_buf_free(&buf);
    gcal_profile_destroy(p);
}

static void assert_refused(const char *source, const char *where, const char *why)
{
    struct gcal_error err = { 0 };
    struct gcal_count_request r = { .source = source,
                                    .file = "x.cl",
                                    .n_dims = 1,
                                    .local_size = { 64 },
                                    .global_size = { "n" } };

    assert_null(gcal_count(&r, &err));
    assert_int_equal(err.code, GCAL_EINPUT);
    if (strncmp(err.text, where, strlen(where)) != 0 || !strstr(err.text, why))
        fail_msg("got: %s", err.text);
}

static void assert_file_counts(const char *file, const char *kernel, const char *options,
                               const char *assume, const char *global, size_t n_dims,
                               const char *expected)
{
    struct gcal_count_request r = { .file = file,
                                    .kernel = kernel,
                                    .n_dims = n_dims,
                                    .build_options = options,
                                    .assume = assume };
    char *source = gcal_file_read(file, 100000, NULL, NULL);

    assert_non_null(source);
    r.source = source;
    for (size_t d = 0; d < n_dims; d++) {
        r.local_size[d] = 16;
        r.global_size[d] = global;
    }
    assert_counts(&r, expected);
    free(source);
}

#define SUB_GROUPS "*ceil(256/sub_group_size)\n"

/* Stevens and Kloeckner 2020, table 1: madd n^3/32 with sub-groups of 32, local loads 2
 * n^3 and stores n^3/8 by work-item, AFR n/16, and the same strides.
 */
static const char prefetching[] =
    "f_op_float32_madd = 1/256*n^3" SUB_GROUPS
    "f_mem_access_global_float32_store_lstrides:{0:1;1:n}_gstrides:{0:16;1:16*n}_afr:1 = "
    "n^2\n"
    "f_mem_access_local_float32_load_lstrides:{0:0;1:16}_gstrides:{0:0;1:0} = "
    "1/256*n^3" SUB_GROUPS
    "f_mem_access_local_float32_load_lstrides:{0:1;1:0}_gstrides:{0:0;1:0} = "
    "1/256*n^3" SUB_GROUPS
    "f_mem_access_local_float32_store_lstrides:{0:1;1:16}_gstrides:{0:0;1:0} = "
    "1/4096*n^3" SUB_GROUPS
    "f_mem_access_local_float32_store_lstrides:{0:1;1:16}_gstrides:{0:0;1:0} = "
    "1/4096*n^3" SUB_GROUPS
    "f_mem_access_tag:aLD_global_float32_load_lstrides:{0:1;1:n}_gstrides:{0:0;1:16*n}"
    "_afr:1/16*n = 1/16*n^3\n"
    "f_mem_access_tag:bLD_global_float32_load_lstrides:{0:1;1:n}_gstrides:{0:16;1:0}"
    "_afr:1/16*n = 1/16*n^3\n"
    "f_sync_barrier_local = 1/8*n\n"
    "f_thread_groups = 1/256*n^2\n";

static void counts_the_prefetching_product(void **state)
{
    (void)state;
    assert_file_counts(FOLDER "matmul.cl", "prefetching", NULL, "n % 16 = 0 and n >= 16",
                       "n", 2, prefetching);
    /* OpenCL itself wants that 16 divides n */
    assert_file_counts(FOLDER "matmul.cl", "prefetching", NULL, NULL, "n", 2,
                       prefetching);
}

static void counts_the_plain_product(void **state)
{
    (void)state;
    assert_file_counts(
        FOLDER "matmul.cl", "plain", "-Dreal=double", NULL, "n", 2,
        "f_op_float64_madd = 1/256*n^3" SUB_GROUPS
        "f_mem_access_global_float64_load_lstrides:{0:0;1:n}_gstrides:{0:0;1:16*n}_afr:n"
        " = 1/256*n^3" SUB_GROUPS
        "f_mem_access_global_float64_load_lstrides:{0:1;1:0}_gstrides:{0:16;1:0}_afr:n"
        " = n^3\n"
        "f_mem_access_global_float64_store_lstrides:{0:1;1:n}_gstrides:{0:16;1:16*n}"
        "_afr:1 = n^2\n"
        "f_thread_groups = 1/256*n^2\n");
}

static void counts_a_stencil_with_idle_lanes(void **state)
{
    (void)state;
    assert_file_counts(
        FOLDER "stencil.cl", NULL, NULL, "n % 14 = 0", "n/14*16", 2,
        "f_op_float32_add = 3/196*n^2" SUB_GROUPS
        "f_op_float32_madd = 1/196*n^2" SUB_GROUPS
        "f_mem_access_global_float32_load_lstrides:{0:1;1:n+2}_gstrides:{0:14;1:14*n+28}"
        "_afr:(64/49*n^2)/(n^2+4*n+4) = 64/49*n^2\n"
        "f_mem_access_global_float32_store_lstrides:{0:1;1:n}_gstrides:{0:14;1:14*n}_afr:"
        "1"
        " = n^2\n"
        "f_mem_access_local_float32_load_lstrides:{0:1;1:16}_gstrides:{0:0;1:0} = "
        "5/196*n^2" SUB_GROUPS
        "f_mem_access_local_float32_store_lstrides:{0:1;1:16}_gstrides:{0:0;1:0} = "
        "1/196*n^2" SUB_GROUPS "f_sync_barrier_local = 1\n"
        "f_thread_groups = 1/196*n^2\n");
}

/* (n^2 - 2np + p^2 + n - p)/2 (Stevens and Kloeckner 2020, section 5); n iterations of
 * the strided loop over all work-items.
 */
static void counts_triangular_and_strided_loops(void **state)
{
    (void)state;
    assert_file_counts(
        FOLDER "loops.cl", "triangular", NULL, "n > p", "48", 1,
        "f_op_float32_add = (3/2*n^2-3*n*p+3/2*p^2+3/2*n-3/2*p+3*floor((n+15)/16))"
        "*ceil(16/sub_group_size)\n"
        "f_op_float32_div = 3*floor((n+15)/16)*ceil(16/sub_group_size)\n"
        "f_mem_access_global_float32_load_lstrides:{0:0}_gstrides:{0:0}_afr:48 = "
        "(3/2*n^2-3*n*p+3/2*p^2+3/2*n-3/2*p)*ceil(16/sub_group_size)\n"
        "f_mem_access_global_float32_load_lstrides:{0:1}_gstrides:{0:0}_afr:3 = 3*n\n"
        "f_mem_access_global_float32_store_lstrides:{0:1}_gstrides:{0:16}_afr:1 = 48\n"
        "f_thread_groups = 3\n");
}

static void counts_vectors_and_functions(void **state)
{
    struct gcal_count_request r = {
        .source = "float half_of(float x) { return x * 0.5f; }\n"
                  "__kernel void k(__global const float4 *a, __global float4 *b,\n"
                  "                __global const int *ix, __global float *s, int n)\n"
                  "{\n"
                  "    int g = get_global_id(0);\n"
                  "    float4 x = a[g];\n"
                  "    int seed = ix[g];\n"
                  "    b[g] = x * 2.0f + (float4)(1.0f) * x;\n"
                  "    s[g] = x.y + a[2 * g].z + s[ix[g]];\n"
                  "    float2 q = vload2(g, s);\n"
                  "    s[3 * g] += native_sin(q.x) / exp(q.y) + fma(q.x, q.y, x.z);\n"
                  "    for (int i = 0; i < n; i++) seed = seed * 3 + 1;\n"
                  "    if (seed > 0) s[g] = half_of(x.x); else s[g] = half_of(x.y);\n"
                  "}\n",
        .n_dims = 1,
        .local_size = { 64 },
        .global_size = { "n" }
    };

    (void)state;
#define PER "*ceil(64/sub_group_size)\n"
    assert_counts(
        &r,
        "f_op_float32_add = 1/16*n" PER "f_op_float32_div = 1/64*n" PER
        "f_op_float32_exp = 1/64*n" PER "f_op_float32_madd = 5/64*n" PER
        "f_op_float32_mul = 3/32*n" PER "f_op_float32_native_sin = 1/64*n" PER
        "f_op_int32_add = 1/64*n^2" PER "f_op_int32_mul = 1/64*n^2" PER
        "f_mem_access_global_float32_load = n\n"
        "f_mem_access_global_float32_load_lstrides:{0:3}_gstrides:{0:192}_afr:1 = n\n"
        "f_mem_access_global_float32_load_lstrides:{0:8}_gstrides:{0:512}_afr:1 = n\n"
        "f_mem_access_global_float32_load_width:2_lstrides:{0:2}_gstrides:{0:128}_afr:1 "
        "= n\n"
        "f_mem_access_global_float32_load_width:4_lstrides:{0:4}_gstrides:{0:256}_afr:1 "
        "= n\n"
        "f_mem_access_global_float32_store_lstrides:{0:1}_gstrides:{0:64}_afr:3 = 3*n\n"
        "f_mem_access_global_float32_store_lstrides:{0:3}_gstrides:{0:192}_afr:1 = n\n"
        "f_mem_access_global_float32_store_width:4_lstrides:{0:4}_gstrides:{0:256}_afr:1 "
        "= n\n"
        "f_mem_access_global_int32_load_lstrides:{0:1}_gstrides:{0:64}_afr:2 = 2*n\n"
        "f_thread_groups = 1/64*n\n");
}

static void refuses_what_it_cannot_count(void **state)
{
    (void)state;
    assert_refused("__kernel void k(__global int *a) {\n"
                   "  GPUCAL_TAG(x + y, a[get_global_id(0)]) = 0; }",
                   "x.cl:2:3: ", "the tag 'x + y'");
    assert_refused("__kernel void k(__global int *a) {\n"
                   "  for (int i = 0; i < a[0]; i++) a[i] = 0; }",
                   "x.cl:2:19: ", "it comes from memory");
    assert_refused("__kernel void k(__global int *a, int n) {\n"
                   "  for (int i = 1; i < n; i *= 3) a[i] = 0; }",
                   "x.cl:2:19: ", "is not affine in sizes");
    /* from the first element of a grid of step d that is not below 0: counted at given sizes */
    assert_refused(
        "__kernel void k(__global int *a, int m, int d) {\n"
        "  int h = (int)get_global_id(0) - m;\n"
        "  for (int i = h < 0 ? h + (d - 1 - h) / d * d : h; i < m; i += d) a[i] = 0; }",
        "x.cl:3:", "give numbers for its sizes (--at)");
    assert_refused(
        "__kernel void k(__global int *a, int n, int d) {\n"
        "  int h = (int)get_global_id(0) - n;\n"
        "  for (int i = h < 0 ? h + (d - 1 - h) / d * d : h; i < n; i += d) a[i] = 0; }",
        "x.cl:3:3: ", "guard it, or give numbers for its sizes (--at)");
    assert_refused("__kernel void k(__global int *a, int n) {\n"
                   "  for (int i = 0; i < n; i++) { a[i] = 0; if (a[i] > 3) break; } }",
                   "x.cl:2:57: ", "#pragma gpucal trips");
    assert_refused("__kernel void k(__global int *a, int n, uint m) {\n"
                   "  for (int i = 0; i < (m - 16) / 16; i++) a[i] = 0; }",
                   "x.cl:2:19: ", "may be below zero and wrap");
    assert_refused("__kernel void k(__global int *a, int n, int m) {\n"
                   "  for (int i = 0; i < 16 / (m - n); i++) a[i] = 0; }",
                   "x.cl:2:19: ", "its divisor '-n+m' may be below 1");
    assert_refused("__kernel __attribute__((reqd_work_group_size(32, 1, 1)))\n"
                   "void k(__global int *a, int n) { a[0] = 1; }",
                   "x.cl:2:6: ", "work-groups of 32x1x1");
    assert_refused("__kernel void k(__global int *a, int n) { a[0] = b; }",
                   "x.cl:1:50: ", "undeclared");
    assert_refused("void k(__global int *a, int n) { a[0] = 1; }",
                   "x.cl: ", "no kernel in this file");
}

static void refuses_bad_requests(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_count_request r = { .source = "__kernel void k(__global int *a) {}",
                                    .n_dims = 1,
                                    .local_size = { 64 },
                                    .global_size = { "n+" } };

    (void)state;
    assert_null(gcal_count(&r, &err));
    assert_non_null(strstr(err.text, "\"n+\" column 3"));
    r.global_size[0] = "n";
    r.assume = "n % 64 = 1";
    assert_null(gcal_count(&r, &err));
    assert_non_null(strstr(err.text, "contradicts"));
    r.local_size[0] = 0;
    assert_null(gcal_count(&r, &err));
    r.n_dims = 4;
    assert_null(gcal_count(&r, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_the_prefetching_product),
        cmocka_unit_test(counts_the_plain_product),
        cmocka_unit_test(counts_a_stencil_with_idle_lanes),
        cmocka_unit_test(counts_triangular_and_strided_loops),
        cmocka_unit_test(counts_vectors_and_functions),
        cmocka_unit_test(refuses_what_it_cannot_count),
        cmocka_unit_test(refuses_bad_requests),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
