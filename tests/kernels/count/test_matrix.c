/* test_matrix.c - counts of operations on matrices and of asynchronous copies, in inline assembly and by
 * nvcuda::wmma, known by hand
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
#include "kernels/model/binding.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"

/* One work-group of 'items', n = 10. */
static struct gcal_profile *count(enum gcal_source_language language, const char *source,
                                  size_t items, struct gcal_error *err)
{
    const struct gcal_count_request r = { .source = source,
                                          .file = "x.cl",
                                          .language = language,
                                          .n_dims = 1,
                                          .local_size = { items },
                                          .global_size = { items == 32 ? "32" : "64" },
                                          .sub_group_size = 32,
                                          .n_banks = 32,
                                          .sector_bytes = 32,
                                          .allow_estimates = true };

    return gcal_count(&r, err);
}

static double value_of(const struct gcal_profile *p, const char *feature)
{
    static const double sizes[] = { 10 };
    struct gcal_error err = { 0 };
    struct gcal_binding *binding = gcal_binding_create(p, 1, &feature, 32, &err);
    double value = NAN;

    assert_true(p->n_parameters <= 1);
    if (!binding || gcal_binding_eval(binding, sizes, &value, &err) < 0)
        fail_msg("%s: %s", feature, err.text);
    gcal_binding_destroy(binding);
    return value;
}

struct fact {
    const char *feature;
    double count;
};

static void check(enum gcal_source_language language, const char *source, size_t items,
                  const struct fact *facts)
{
    struct gcal_error err = { 0 };
    struct gcal_profile *p = count(language, source, items, &err);

    if (!p)
        fail_msg("%s\n%s", err.text, source);
    for (; facts->feature; facts++)
        if (value_of(p, facts->feature) != facts->count)
            fail_msg("%s: %.17g, not %.17g\n%s", facts->feature,
                     value_of(p, facts->feature), facts->count, source);
    gcal_profile_destroy(p);
}

#define CHECK(language, source, items, ...)                                              \
    check(language, source, items, (const struct fact[]){ __VA_ARGS__, { NULL, 0 } })

#define MMA(name)                                                                        \
    "    __asm__ volatile(\"" name                                                       \
    " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, "                           \
    "%2, %3};\"\n"                                                                       \
    "        : \"+f\"(c0), \"+f\"(c1), \"+f\"(c2), \"+f\"(c3)\n"                         \
    "        : \"r\"(a), \"r\"(a), \"r\"(a), \"r\"(a), \"r\"(a), \"r\"(a));\n"
#define PRODUCTS(name)                                                                   \
    "__kernel void k(__global float *y, uint a, int n)\n"                                \
    "{\n"                                                                                \
    "    float c0 = 0, c1 = 0, c2 = 0, c3 = 0;\n"                                        \
    "    for (int i = 0; i < n; i++)\n" MMA(                                             \
        name) "    y[get_global_id(0)] = c0 + c1 + c2 + c3;\n"                           \
              "}\n"

/* Multiply-adds over the 32 lanes, by two sub-groups in ten iterations. */
static void products_are_counted_by_type_and_shape(void **state)
{
    static const struct {
        const char *source, *feature;
        double shape;
    } cases[] = {
        { PRODUCTS("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"), "f_mma_bf16",
          16 * 8 * 16 },
        { PRODUCTS("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"), "f_mma_f16",
          16 * 8 * 8 },
        { PRODUCTS("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32"), "f_mma_f16",
          4 * 8 * 8 * 4 },
        { PRODUCTS("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"), "f_mma_tf32",
          16 * 8 * 8 },
        { PRODUCTS("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32"),
          "f_mma_int8", 16 * 8 * 32 },
        { PRODUCTS("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32"), "f_mma_fp8",
          16 * 8 * 32 },
        { PRODUCTS("mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32"), "f_mma_int4",
          16 * 8 * 64 },
        { PRODUCTS("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64"), "f_mma_f64",
          8 * 8 * 4 },
        { PRODUCTS("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32"), "f_mma_f16",
          16 * 16 * 16 },
        { PRODUCTS("wmma.mma.sync.aligned.row.col.m32n8k16.f32.bf16.bf16.f32"),
          "f_mma_bf16", 32 * 8 * 16 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        CHECK(GCAL_SOURCE_OPENCL_C, cases[i].source, 64,
              { cases[i].feature, 2 * 10 * cases[i].shape / 32 },
              { "f_mma", 2 * 10 * cases[i].shape / 32 }, { "f_op_float32_mma", 0 });
}

static void shapes_that_do_not_exist_are_refused(void **state)
{
    static const char *const names[] = {
        "mma.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32",
        "mma.sync.aligned.m16n16k16.row.col.f32.f16.f16.f32",
        "wmma.mma.sync.aligned.row.col.m16n8k16.f32.f32",
        "mma.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32",
    };
    struct gcal_error err = { 0 };
    char source[2000];

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const char *at = strstr(PRODUCTS("@"), "@");

        snprintf(source, sizeof(source), "%.*s%s%s", (int)(at - PRODUCTS("@")),
                 PRODUCTS("@"), names[i], at + 1);
        assert_null(count(GCAL_SOURCE_OPENCL_C, source, 64, &err));
        if (!strstr(err.text, "x.cl:5:5: ") || !strstr(err.text, names[i]) ||
            !strstr(err.text, "has a shape that its types do not have"))
            fail_msg("%s", err.text);
    }
}

static bool has_note(const struct gcal_profile *p, const char *text)
{
    for (size_t i = 0; i < p->n_notes; i++)
        if (strstr(p->notes[i], text))
            return true;
    return false;
}

static void other_assembly_is_marked(void **state)
{
    static const char *const known[] = { PRODUCTS(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32") };
    static const char *const others[] = {
        PRODUCTS("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc"),
        PRODUCTS("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32"),
        PRODUCTS("lop3.b32 %0, %1"),
    };
    struct gcal_error err = { 0 };
    struct gcal_profile *p;

    (void)state;
    assert_non_null(p = count(GCAL_SOURCE_OPENCL_C, known[0], 64, &err));
    assert_false(has_note(p, "inline assembly"));
    gcal_profile_destroy(p);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        if (!(p = count(GCAL_SOURCE_OPENCL_C, others[i], 64, &err)))
            fail_msg("%s", err.text);
        assert_true(has_note(p, "inline assembly is not counted"));
        assert_true(value_of(p, "f_mma") == 0);
        gcal_profile_destroy(p);
    }
}

/* ldmatrix: rows of 16 bytes, 'stride' elements of 2 bytes apart. */
#define ROWS(stride, which)                                                              \
    "__global__ void k(float *y, const float *x, int n)\n"                               \
    "{\n"                                                                                \
    "    __shared__ unsigned short tile[10 * 32];\n"                                     \
    "    unsigned a[4] = {};\n"                                                          \
    "    unsigned from = (unsigned)__cvta_generic_to_shared(tile);\n"                    \
    "    for (int i = 0; i < n; i++)\n"                                                  \
    "        asm volatile(\"ldmatrix.sync.aligned.m8n8." which ".shared.b16 \"\n"        \
    "                     \"{%0,%1,%2,%3}, [%4];\\n\" : \"=r\"(a[0]), \"=r\"(a[1]),\n"   \
    "                     \"=r\"(a[2]), \"=r\"(a[3])\n"                                  \
    "                     : \"r\"(from + 64 * i + threadIdx.x % 32 * " stride            \
    " * 2));\n"                                                                          \
    "    y[threadIdx.x] = a[0] + a[1] + a[2] + a[3];\n"                                  \
    "}\n"

/* A pass for each eight rows that are in different banks. */
static void rows_of_matrices_meet_in_banks(void **state)
{
    (void)state;
    CHECK(GCAL_SOURCE_CUDA, ROWS("40", "x4"), 32,
          { "f_mem_access_local_uint32_load", 10 }, { "f_local_pass_uint32_load", 40 });
    CHECK(GCAL_SOURCE_CUDA, ROWS("32", "x4"), 32,
          { "f_mem_access_local_uint32_load", 10 }, { "f_local_pass_uint32_load", 160 });
    CHECK(GCAL_SOURCE_CUDA, ROWS("40", "x1"), 32, { "f_local_pass_uint32_load", 10 });
}

#define COPIES(cache, before, after)                                                     \
    "__global__ void k(float *y, const float4 *x, int n)\n"                              \
    "{\n"                                                                                \
    "    __shared__ float4 tile[64];\n"                                                  \
    "    unsigned to = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);\n"        \
    "    float sum = 0;\n"                                                               \
    "    for (int i = 0; i < n; i++) {\n" before                                         \
    "        asm volatile(\"cp.async." cache ".shared.global [%0], [%1], 16;\\n\"\n"     \
    "                     :: \"r\"(to), \"l\"(x + 32 * i + threadIdx.x));\n"             \
    "        asm volatile(\"cp.async.commit_group;\");\n" after                          \
    "        __syncthreads();\n"                                                         \
    "        sum += tile[31 - threadIdx.x].x;\n"                                         \
    "        __syncthreads();\n"                                                         \
    "    }\n"                                                                            \
    "    y[threadIdx.x] = sum;\n"                                                        \
    "}\n"
#define WAIT(n) "        asm volatile(\"cp.async.wait_group %0;\" :: \"n\"(" n "));\n"

static void copies_wait_where_the_source_does(void **state)
{
    (void)state;
    CHECK(GCAL_SOURCE_CUDA, COPIES("cg", "", WAIT("0")), 32,
          { "f_mem_access_tag:uncached_global_uint32_load_width:4", 320 },
          { "f_mem_access_local_uint32_store_width:4", 10 },
          { "f_local_pass_uint32_store", 40 },
          { "f_sector_tag:uncached_global_uint32_load", 160 }, { "f_load_chain", 10 });
    CHECK(GCAL_SOURCE_CUDA, COPIES("cg", "", WAIT("1")), 32, { "f_load_chain", 0 },
          { "f_sector_tag:uncached_global_uint32_load", 160 });
    CHECK(GCAL_SOURCE_CUDA, COPIES("cg", WAIT("0"), ""), 32, { "f_load_chain", 0 });
}

static const char cached[] =
    "__global__ void k(float *y, const float *x, const float4 *v, int n)\n"
    "{\n"
    "    float sum = 0;\n"
    "    for (int i = 0; i < n; i++)\n"
    "        sum += __ldcg(x + i + threadIdx.x) + __ldcv(v + i + threadIdx.x).x +\n"
    "               __ldca(x + threadIdx.x) + __ldcs(x + n + i + threadIdx.x);\n"
    "    y[threadIdx.x] = sum;\n"
    "}\n";

/* Of loads that say so, and of copies, the first-level cache serves .ca and .cs, not .cg and .cv. */
static void what_passes_the_first_level_has_a_tag(void **state)
{
    (void)state;
    CHECK(GCAL_SOURCE_CUDA, COPIES("ca", "", WAIT("0")), 32,
          { "f_sector_tag:uncached_global_uint32_load", 0 },
          { "f_sector_global_uint32_load", 160 });
    CHECK(GCAL_SOURCE_CUDA, cached, 32,
          { "f_mem_access_tag:uncached_global_float32_load_width:4", 320 },
          { "f_mem_access_tag:uncached_global_float32_load_lstrides:{0:1}", 320 });
}

static const char fragments[] =
    "#include <mma.h>\n"
    "using namespace nvcuda;\n"
    "__global__ void k(const half *x, float *y, int n)\n"
    "{\n"
    "    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;\n"
    "    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;\n"
    "    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;\n"
    "    wmma::fill_fragment(c, 0.0f);\n"
    "    for (int i = 0; i < n; i++) {\n"
    "        wmma::load_matrix_sync(a, x + 256 * i, 16);\n"
    "        wmma::load_matrix_sync(b, x + 256 * i, 16);\n"
    "        wmma::mma_sync(c, a, b, c);\n"
    "    }\n"
    "    for (int i = 0; i < c.num_elements; i++)\n"
    "        c.x[i] *= 2.0f;\n"
    "    wmma::store_matrix_sync(y, c, 16, wmma::mem_row_major);\n"
    "}\n";

/* gpucal declares the functions that access: what is shown is the line that calls them. */
static void accesses_are_where_the_source_calls(void **state)
{
    static const struct {
        const char *feature;
        int line;
    } places[] = { { "f_mem_access_global_uint32_load", 10 },
                   { "f_mem_access_global_float32_store", 16 } };
    struct gcal_error err = { 0 };
    struct gcal_profile *p = count(GCAL_SOURCE_CUDA, fragments, 32, &err);
    size_t n = 0;

    (void)state;
    if (!p)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < p->n_entries; i++)
        for (size_t k = 0; k < sizeof(places) / sizeof(*places); k++)
            if (strstr(p->entries[i].feature, places[k].feature)) {
                n++;
                if (p->entries[i].line != places[k].line &&
                    (k > 0 || p->entries[i].line != places[k].line + 1))
                    fail_msg("%s: line %d", p->entries[i].feature, p->entries[i].line);
            }
    assert_true(n >= 2);
    gcal_profile_destroy(p);
}

static void fragments_are_counted_at_their_addresses(void **state)
{
    (void)state;
    /* Of a fragment of 512 bytes, a lane has four words; sums are stored in pairs. */
    CHECK(GCAL_SOURCE_CUDA, fragments, 32, { "f_mma_f16", 10 * 16 * 16 * 16 / 32 },
          { "f_mem_access_global_uint32_load", 10 * 2 * 4 * 32 },
          { "f_footprint_launch_global_uint32_load", 10 * 512 / 32 },
          { "f_mem_access_global_float32_store_width:2", 4 * 32 },
          { "f_op_float32_mul", 8 }, { "f_mem_access_private", 0 });
}

static const char eights[] =
    "#include <cuda_fp8.h>\n"
    "__global__ void k(const __nv_fp8x4_e4m3 *x, __nv_fp8x4_e5m2 *y)\n"
    "{\n"
    "    float4 v = (float4)x[threadIdx.x];\n"
    "    y[threadIdx.x] = __nv_fp8x4_e5m2(v);\n"
    "}\n";

static void numbers_of_8_bits_are_converted_in_words(void **state)
{
    (void)state;
    CHECK(GCAL_SOURCE_CUDA, eights, 32, { "f_mem_access_global_uint32_load", 32 },
          { "f_mem_access_global_uint32_store", 32 },
          { "f_op_float32___nv_cvt_to_float", 4 },
          { "f_op_uint16___nv_cvt2_to_e5m2", 2 });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_counted_by_type_and_shape),
        cmocka_unit_test(shapes_that_do_not_exist_are_refused),
        cmocka_unit_test(other_assembly_is_marked),
        cmocka_unit_test(rows_of_matrices_meet_in_banks),
        cmocka_unit_test(copies_wait_where_the_source_does),
        cmocka_unit_test(what_passes_the_first_level_has_a_tag),
        cmocka_unit_test(fragments_are_counted_at_their_addresses),
        cmocka_unit_test(accesses_are_where_the_source_calls),
        cmocka_unit_test(numbers_of_8_bits_are_converted_in_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
