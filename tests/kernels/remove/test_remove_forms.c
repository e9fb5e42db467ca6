/* test_remove_forms.c - several accumulators, on-chip work alone, and all global accesses
 * in place: results, and refusals with their positions
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

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/interpret/interpret.h"
#include "kernels/remove/remove.h"

enum { N = 32 };

static struct gcal_error err;

static char *reduce(const char *source, const char *kernel,
                    const struct gcal_remove_options *removal)
{
    struct gcal_count_request request = {
        .source = source, .file = "k.cl", .kernel = kernel, .n_dims = 1
    };
    char *text = gcal_remove_work(&request, removal, NULL, &err);

    if (!text)
        fail_msg("%s", err.text);
    return text;
}

static void run(const char *source, const char *kernel, size_t n_args,
                struct gcal_interp_arg *args)
{
    struct gcal_count_request request = { .source = source,
                                          .file = "removed.cl",
                                          .kernel = kernel,
                                          .n_dims = 1,
                                          .local_size = { 16 } };
    size_t global[] = { N };

    if (gcal_interp_run_kernel(&request, global, n_args, args, &err) < 0)
        fail_msg("%s\n%s", err.text, source);
}

/* ---- loads ---- */

/* The sums that 'kernel' of forms.cl stores with 'n_accumulators'.  Buffers hold
 * integers, so that the order of additions does not matter.
 */
static void sums_of(const char *source, const char *kernel, size_t n_accumulators,
                    float *sums)
{
    struct gcal_remove_options removal = { .n_accumulators = n_accumulators };
    float a[8 * N], b[8 * N], c[8 * N];
    int n = 19;
    struct gcal_interp_arg args[] = { { "float32", a, 8 * N },
                                      { "float32", b, 8 * N },
                                      { "float32", c, 8 * N },
                                      { "int32", &n, 0 },
                                      { "float32", sums, N } };
    char *text = reduce(source, kernel, &removal);

    for (int i = 0; i < 8 * N; i++) {
        a[i] = (float)((7 * i) % 23);
        b[i] = (float)((5 * i) % 29);
        c[i] = (float)((3 * i) % 31);
    }
    for (int i = 0; i < N; i++)
        sums[i] = -1;
    run(text, kernel, 5, args);
    free(text);
}

static void accumulators_share_one_sum(void **state)
{
    static const char *const kernels[] = { "steps", "helped", "vectors" };
    char *source = gcal_file_read(SOURCE_DIR "/tests/kernels/remove/kernels/forms.cl",
                                  100000, NULL, &err);

    (void)state;
    assert_non_null(source);
    for (size_t k = 0; k < 3; k++) {
        float one[N], some[N];

        sums_of(source, kernels[k], 1, one);
        assert_true(one[5] > 0 && one[5] != one[6]);
        for (size_t n = 2; n <= 8; n += 3) {
            sums_of(source, kernels[k], n, some);
            assert_memory_equal(one, some, sizeof(one));
        }
    }
    free(source);
}

/* Against the loads written by hand: early returns, loops with breaks, ?:. */
static void all_steps_are_added_up(void **state)
{
    char *source = gcal_file_read(SOURCE_DIR "/tests/kernels/remove/kernels/forms.cl",
                                  100000, NULL, &err);
    float sums[N], a[8 * N], b[8 * N], c[8 * N];

    (void)state;
    assert_non_null(source);
    for (int i = 0; i < 8 * N; i++) {
        a[i] = (float)((7 * i) % 23);
        b[i] = (float)((5 * i) % 29);
        c[i] = (float)((3 * i) % 31);
    }
    sums_of(source, "steps", 4, sums);
    for (int i = 0; i < N; i++) {
        float sum = i % 3 ? a[i + 1] : a[i];
        int k = 0;

        for (; k < 19; k += 3)
            sum += b[k];
        for (; k > 0 && k != 4; k--)
            sum += i < 5 ? a[k] : b[k];
        sum += i > 4 ? a[3 * i] : 0;
        sum += i % 2 ? 0 : c[i] + b[i] + b[19];
        if (sums[i] != (i < 19 ? sum : -1))
            fail_msg("%d: %g instead of %g", i, sums[i], sum);
    }
    free(source);
}

/* A load does not wait for the three loads before it. */
static void accumulators_take_turns(void **state)
{
    static const char source[] = "__kernel void k(__global float *x, int n) {\n"
                                 "float s = 0; for (int i = 0; i < n; i++) s += x[i];\n"
                                 "x[0] = s; }";
    struct gcal_remove_options removal = { .n_accumulators = 4 };
    char *text = reduce(source, "k", &removal);

    (void)state;
    assert_non_null(strstr(text, "#pragma unroll 4\n"));
    assert_non_null(strstr(text, "read_tgt_next = read_tgt_0 + x[i]; "
                                 "read_tgt_0 = read_tgt_1; read_tgt_1 = read_tgt_2; "
                                 "read_tgt_2 = read_tgt_3; read_tgt_3 = read_tgt_next;"));
    free(text);
}

static void pragmas_of_gpucal_stay(void **state)
{
    static const char source[] =
        "#define EACH for (int j = from[i]; j < from[i + 1]; j++)\n"
        "__kernel void k(__global int *from, __global float *x) {\n"
        "int i = get_global_id(0); float s = 0;\n"
        "#pragma gpucal trips average\n"
        "EACH s += x[j];\n"
        "x[0] = s; }";
    char *text = reduce(source, "k", &(struct gcal_remove_options){ 0 });

    (void)state;
    assert_non_null(strstr(text, "#pragma gpucal trips average\n    for (int j"));
    free(text);
}

/* The result compiles on devices without the extension, as the original does. */
static void extensions_are_used_only_where_supported(void **state)
{
    static const char source[] = "#ifdef cl_khr_fp16\n"
                                 "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                                 "#endif\n"
                                 "#pragma OPENCL FP_CONTRACT OFF\n"
                                 "__kernel void k(__global float *x) { x[0] = x[1]; }";
    char *text = reduce(source, "k", &(struct gcal_remove_options){ 0 });

    (void)state;
    assert_non_null(strstr(text, "#ifdef cl_khr_fp16\n"
                                 "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                                 "#endif\n"
                                 "#pragma OPENCL FP_CONTRACT OFF\n"));
    free(text);
}

/* ---- on the chip ---- */

static void all_types_have_private_values(void **state)
{
    static const char *const types[] = {
        "char",  "uchar",  "short", "ushort", "int",   "uint",   "long",    "ulong",
        "float", "double", "int2",  "float4", "char3", "short8", "double16"
    };
    static const char *const dtypes[] = { "int8",    "uint8",   "int16",  "uint16",
                                          "int32",   "uint32",  "int64",  "uint64",
                                          "float32", "float64", "int32",  "float32",
                                          "int8",    "int16",   "float64" };
    static const int lanes[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 3, 8, 16 };

    (void)state;
    for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
        size_t count = (size_t)(lanes[t] == 3 ? 4 : lanes[t]) * N;
        double x[16 * N] = { 0 }, sums[16 * N] = { 0 };
        struct gcal_interp_arg args[] = { { dtypes[t], x, count },
                                          { dtypes[t], sums, count } };
        char source[300], *text;

        snprintf(source, sizeof(source),
                 "__kernel void k(__global %s *x) { int i = get_global_id(0);\n"
                 "%s a = x[i]; a = a + x[i]; x[i] = a + a; }",
                 types[t], types[t]);
        text = reduce(source, "k",
                      &(struct gcal_remove_options){ .form = GCAL_REMOVE_KEEP_ONCHIP });
        run(text, "k", 2, args);
        assert_memory_not_equal(sums, x, sizeof(sums));
        for (size_t i = 0; i < 16 * N; i++)
            assert_true(x[i] == 0); /* not stored */
        if (strcmp(types[t], "double") == 0)
            for (int i = 0; i < N; i++)
                assert_true(sums[i] >= 2.0 && sums[i] < 2.1);
        free(text);
    }
}

/* Stores, updates, atomics and changes inside of places. */
static void stores_are_added_up(void **state)
{
    static const char source[] = "__kernel void k(__global int *x, __global int *y) {\n"
                                 "    int i = get_global_id(0), j = 0;\n"
                                 "    if (i > 29) return;\n"
                                 "    x[j++] = 3; prefetch(y, 2);\n"
                                 "    x[j++] = 4 * j;\n"
                                 "    y[i] -= 5; y[i]++;\n"
                                 "    atomic_add(&y[j++], 100);\n"
                                 "    if (i == 7) { x[j] = j; return; }\n"
                                 "    *x++ = 1000;\n"
                                 "}";
    int x[4 * N] = { 0 }, y[4 * N] = { 0 }, sums[N];
    struct gcal_interp_arg args[] = { { "int32", x, 4 * N },
                                      { "int32", y, 4 * N },
                                      { "int32", sums, N } };
    struct gcal_remove_options removal = { .form = GCAL_REMOVE_KEEP_ONCHIP };
    char *text = reduce(source, "k", &removal);

    (void)state;
    for (int i = 0; i < N; i++)
        sums[i] = -1;
    run(text, "k", 3, args);
    for (int i = 0; i < N; i++) {
        /* the counters of y[i] -= 5 and of y[i]++ start with the work-item's id */
        int loaded = (1 + i) - 5 + (1 + i + 257) + 1;
        int sum = 3 + 8 + loaded + 100 + (i == 7 ? 3 : 1000);

        if (sums[i] != (i > 29 ? -1 : sum))
            fail_msg("%d: %d instead of %d\n%s", i, sums[i], sum, text);
        assert_int_equal(x[i], 0);
        assert_int_equal(y[i], 0);
    }
    free(text);
}

/* ---- all global accesses ---- */

/* Each store stays in place and stores the sum of all loads before it, of any type. */
static void stores_stay_in_place(void **state)
{
    static const char source[] =
        "__kernel void k(__global float *x, __global int2 *v, __global int *ix,\n"
        "                __global uchar *u, __global float4 *w, __local float *t) {\n"
        "    int i = get_global_id(0), j = 2 * i;\n"
        "    t[i % 16] = 3 * x[2 * i];\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    if (i > 29) return;\n"
        "    x[j++] = t[3] * 5;\n"
        "    x[j] += 7;\n"
        "    v[i].y = ix[i] ? x[ix[i]] : 9;\n"
        "    u[i] = 200; u[i]++;\n"
        "    atomic_max(&ix[i], 3);\n"
        "    if (ix[3] > 0) { w[i] = (float4)(x[0]); vstore2(v[i], i, ix + 32); }\n"
        "}";

    (void)state;
    for (size_t n = 1; n <= 3; n += 2) {
        struct gcal_remove_options removal = { .form = GCAL_REMOVE_KEEP_MEMORY,
                                               .n_accumulators = n };
        float x[64], w[4 * N] = { 0 };
        int v[64] = { 0 }, ix[96] = { 0 };
        unsigned char u[N] = { 0 };
        struct gcal_interp_arg args[] = {
            { "float32", x, 64 }, { "int32", v, 64 },      { "int32", ix, 96 },
            { "uint8", u, N },    { "float32", w, 4 * N }, { "float32", NULL, 16 }
        };
        char *text = reduce(source, "k", &removal);

        for (int i = 0; i < 64; i++)
            x[i] = (float)(100 + i);
        for (int i = 0; i < N; i++)
            ix[i] = 1;
        run(text, "k", 6, args);
        for (int i = 0; i < N; i++) {
            float first = (float)(100 + 2 * i), second = first + (float)(101 + 2 * i);

            if (i > 29) {
                assert_true(x[2 * i] == (float)(100 + 2 * i) && v[2 * i + 1] == 0);
                continue;
            }
            if (x[2 * i] != first || x[2 * i + 1] != second)
                fail_msg("%d: %g %g\n%s", i, x[2 * i], x[2 * i + 1], text);
            assert_true(v[2 * i + 1] > second && w[4 * i] == w[4 * i + 3]);
            assert_int_equal(u[i], 255); /* saturated, not truncated */
        }
        free(text);
    }
}

static void barriers_stay_or_are_dropped(void **state)
{
    static const char source[] =
        "void wait(void) { }\n"
        "__kernel void k(__global float *x, __local float *t, int n) {\n"
        "    for (int i = 0; i < n; i++) {\n"
        "        barrier(CLK_LOCAL_MEM_FENCE); wait(); t[0] = 1;\n"
        "    }\n"
        "    x[get_global_id(0)] = t[0];\n"
        "}";
    struct gcal_remove_options removal = { .form = GCAL_REMOVE_KEEP_MEMORY };
    char *text = reduce(source, "k", &removal);

    (void)state;
    assert_non_null(strstr(text, "for (int i = 0; i < n; i++) {\n        barrier("));
    assert_null(strstr(text, "t[0]"));
    assert_null(strstr(text, "read_tgt_dest"));
    free(text);
    removal.drop_barriers = true;
    text = reduce(source, "k", &removal);
    assert_null(strstr(text, "for"));
    assert_null(strstr(text, "barrier("));
    free(text);
}

/* A kernel without stores is reduced as for loads alone. */
static void a_kernel_without_stores_gets_a_buffer(void **state)
{
    static const char source[] = "__kernel void k(__global float *x) {\n"
                                 "    float s = x[get_global_id(0)] * 3; }";
    float x[N], sums[N] = { 0 };
    struct gcal_interp_arg args[] = { { "float32", x, N }, { "float32", sums, N } };
    char *text = reduce(source, "k",
                        &(struct gcal_remove_options){ .form = GCAL_REMOVE_KEEP_MEMORY });

    (void)state;
    for (int i = 0; i < N; i++)
        x[i] = (float)i;
    run(text, "k", 2, args);
    assert_memory_equal(x, sums, sizeof(x));
    free(text);
}

/* ---- refusals ---- */

static void expect_refusal(const char *body, const struct gcal_remove_options *removal,
                           const char *expected)
{
    char *source =
        gcal_buf_format("#define X(i) x[i]\n"
                        "__kernel void k(__global float *x, __global int *ix,\n"
                        "                __local float *t, int n) {\n"
                        "int i = get_global_id(0); float p[4]; float s = 0;\n"
                        "%s\nx[i] = s; }",
                        body);
    struct gcal_count_request request = { .source = source, .file = "k.cl", .n_dims = 1 };
    char *text = gcal_remove_work(&request, removal, NULL, &err);

    if (text)
        fail_msg("\"%s\" was not refused\n%s", expected, text);
    if (!strstr(err.text, expected))
        fail_msg("\"%s\" instead of \"%s\"", err.text, expected);
    free(source);
}

static void refuses_work_that_depends_on_loads(void **state)
{
    static const struct gcal_remove_options onchip = { .form = GCAL_REMOVE_KEEP_ONCHIP };
    static const char *const cases[][2] = {
        { "for (int j = 0; j < ix[i]; j++) s += 1;", "k.cl:5:1: the trip count" },
        { "int e = ix[0]; while (i < e) i++;", "k.cl:5:16: the trip count" },
        { "t[i] = X(i); do { s += t[0]; } while (s < 9);", "k.cl:5:14: the trip count" },
        { "while (i < n) { if (X(i) > 1) continue; i++; }", "k.cl:5:1: the trip count" },
        { "for (;;) { s += 1; if (X(0) < s) break; }", "k.cl:5:1: the trip count" },
        { "s = p[ix[i]];", "k.cl:5:5: this address" },
        { "int j = ix[i] & 3; t[j + 1] = 2;", "k.cl:5:20: this address" },
        { "__local float *q = t + ix[1]; s = *q;", "k.cl:5:20: this address" },
        { "vstore2((float2)(1), ix[i], t);", "k.cl:5:1: this address" },
        { "int j = 0; if (X(i) > 2) j = 3; s = p[j];", "k.cl:5:37: this address" },
        { "s = i / ix[i];", "k.cl:5:5: this divisor" },
        { "if (X(i) > 1) barrier(CLK_LOCAL_MEM_FENCE);", "k.cl:5:15: which work-items" },
        { "if (X(i) > 1) return; barrier(CLK_LOCAL_MEM_FENCE);",
          "k.cl:5:15: which work-items" },
        { "async_work_group_copy(t, x, 4, 0);", "k.cl:5:1: this function's accesses" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_refusal(cases[i][0], &onchip, cases[i][1]);
}

static void refuses_loads_that_depend_on_removed_work(void **state)
{
    static const char *const keep[] = { "x" };
    static const struct gcal_remove_options all = { 0 },
                                            only_x = { .n_keep = 1, .keep = keep };

    (void)state;
    expect_refusal("s = x[ix[i]];", &only_x,
                   "k.cl:5:7: the address or the number of kept");
    expect_refusal("for (int j = 0; j < ix[i]; j++) s += X(j);", &only_x,
                   "k.cl:5:21: the address or the number of kept");
    expect_refusal("if (X(i) > 1) s = X(i + 1);", &all,
                   "k.cl:5:5: the address or the number");
    expect_refusal("while (X(i) > 1) i++;", &all,
                   "k.cl:5:8: the address or the number of kept");
    expect_refusal("i = t[0]; s = X(i);", &all, "depends on local memory");
    expect_refusal("i = atomic_inc(ix); s = X(i);", &all,
                   "k.cl:5:5: the address or the number");
    expect_refusal("s = X(i);", &(struct gcal_remove_options){ .n_accumulators = 65 },
                   "expected 1 to 64 accumulators, not 65");
    expect_refusal("s = X(i);",
                   &(struct gcal_remove_options){
                       .form = GCAL_REMOVE_KEEP_ONCHIP, .n_keep = 1, .keep = keep },
                   "has no global loads to keep");
}

static void refuses_accesses_that_cannot_stay(void **state)
{
    static const struct gcal_remove_options memory = { .form = GCAL_REMOVE_KEEP_MEMORY };
    static const char *const keep[] = { "unknown" };
    static const char *const cases[][2] = {
        { "if (X(i) > 1) x[i] = 2;", "k.cl:5:5: the address or the number of kept" },
        { "x[(int)X(i)] = 2;", "depends on this load, which is not of an integer" },
        { "t[i] = X(i); x[(int)t[0]] = 2;", "depends on local memory" },
        { "x[i++] += 3;", "k.cl:5:1: the address of this update changes a variable" },
        { "if (X(i) > 1) barrier(CLK_LOCAL_MEM_FENCE);",
          "k.cl:5:5: the address or the number" },
        { "i = atomic_inc(ix); x[i] = 1;",
          "k.cl:5:5: the address or the number of kept" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_refusal(cases[i][0], &memory, cases[i][1]);
    expect_refusal("s = X(i);",
                   &(struct gcal_remove_options){
                       .form = GCAL_REMOVE_KEEP_MEMORY, .n_keep = 1, .keep = keep },
                   "no global access of an array or with a tag named 'unknown'");
}

/* Arrays and tags, of loads and stores, that stay or go. */
static void accesses_are_named(void **state)
{
    static const char source[] =
        "__kernel void k(__global float *a, __global float *b, __global float *c,\n"
        "                __global int *d) {\n"
        "    int i = get_global_id(0);\n"
        "    c[i] = a[i] + b[2 * i];\n"
        "    GPUCAL_TAG(again, c[i + 1]) += a[i + 3];\n"
        "    vstore2((float2)(b[5]), i, c);\n"
        "    atomic_add(&d[i], 1);\n"
        "}";
    static const char *const a_c[] = { "a", "c" }, *const b_c[] = { "b", "c" },
                             *const d_again[] = { "d", "again" };
    static const struct {
        struct gcal_remove_options removal;
        const char *has[4], *lacks[5];
    } cases[] = {
        { { .n_keep = 2, .keep = a_c, .drop = true },
          { "b[2 * i]", "b[5]", "read_tgt_dest[" },
          { "+ a[", "c[i]", "vstore2", "atomic_add" } },
        { { .form = GCAL_REMOVE_KEEP_MEMORY, .n_keep = 2, .keep = b_c },
          { "b[2 * i]", "c[i] = ", "c[i + 1]", "vstore2(" },
          { "+ a[", "atomic_add", "read_tgt_dest" } },
        { { .form = GCAL_REMOVE_KEEP_MEMORY, .n_keep = 2, .keep = a_c, .drop = true },
          { "b[2 * i]", "b[5]", "atomic_add(&d[i], " },
          { "+ a[", "c[i]", "vstore2", "read_tgt_dest" } },
        { { .form = GCAL_REMOVE_KEEP_MEMORY, .n_keep = 2, .keep = d_again, .drop = true },
          { "c[i] = ", "a[i + 3]", "vstore2(" },
          { "c[i + 1]", "atomic_add", "read_tgt_dest" } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char *text = reduce(source, "k", &cases[i].removal);
        const char *body = strchr(text, '{');

        for (size_t k = 0; k < 4 && cases[i].has[k]; k++)
            if (!strstr(body, cases[i].has[k]))
                fail_msg("%zu: no %s in %s", i, cases[i].has[k], text);
        for (size_t k = 0; k < 5 && cases[i].lacks[k]; k++)
            if (strstr(body, cases[i].lacks[k]))
                fail_msg("%zu: %s in %s", i, cases[i].lacks[k], text);
        free(text);
    }
}

/* A store in a function would not get the sum of its caller's loads. */
static void refuses_stores_and_barriers_in_functions(void **state)
{
    static const char *const functions[] = {
        "void f(__global float *x) { x[3] = 4; }",
        "void f(__global float *x) { vstore2((float2)(1), 2, x); }",
        "void f(__global float *x) { barrier(CLK_LOCAL_MEM_FENCE); }",
        ("void g(void) { barrier(CLK_LOCAL_MEM_FENCE); }\n"
         "void f(__global float *x) { g(); }"),
    };

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        char *source = gcal_buf_format("%s\n__kernel void k(__global float *x) {\n"
                                       "f(x); x[0] = x[1]; }",
                                       functions[i]);
        struct gcal_count_request request = { .source = source,
                                              .file = "k.cl",
                                              .n_dims = 1 };
        struct gcal_remove_options memory = { .form = GCAL_REMOVE_KEEP_MEMORY };

        assert_null(gcal_remove_work(&request, &memory, NULL, &err));
        if (!strstr(err.text, "in a function cannot be kept: write it in the kernel"))
            fail_msg("%s", err.text);
        free(source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accumulators_share_one_sum),
        cmocka_unit_test(all_steps_are_added_up),
        cmocka_unit_test(accumulators_take_turns),
        cmocka_unit_test(pragmas_of_gpucal_stay),
        cmocka_unit_test(extensions_are_used_only_where_supported),
        cmocka_unit_test(all_types_have_private_values),
        cmocka_unit_test(stores_are_added_up),
        cmocka_unit_test(refuses_work_that_depends_on_loads),
        cmocka_unit_test(refuses_loads_that_depend_on_removed_work),
        cmocka_unit_test(stores_stay_in_place),
        cmocka_unit_test(accesses_are_named),
        cmocka_unit_test(barriers_stay_or_are_dropped),
        cmocka_unit_test(a_kernel_without_stores_gets_a_buffer),
        cmocka_unit_test(refuses_accesses_that_cannot_stay),
        cmocka_unit_test(refuses_stores_and_barriers_in_functions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
