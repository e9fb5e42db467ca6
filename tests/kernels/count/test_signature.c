/* test_signature.c - the arguments of kernels, and the extents of their buffers
 *
 * An extent is tried by the interpreter, which refuses accesses outside of a buffer: all
 * kernels run with buffers of their extents, and those with exact ones fail with one item
 * less.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "kernels/model/expr.h"
#include "kernels/count/signature.h"
#include "kernels/interpret/interpret.h"

#define KERNEL "__kernel void f("

enum { MOST_ARGS = 6, MOST_SIZES = 3 };

struct extent_case {
    const char *source;
    size_t local[2];
    const char *global[2], *assume;
    const char *expected[MOST_ARGS]; /* of each argument; NULL: a scalar */
    bool exact;
    int sizes[4][MOST_SIZES]; /* of the scalars, in order; until a row of 0 */
};

static const struct extent_case extent_cases[] = {
    { KERNEL
      "__global float *x, int n) { int i = get_global_id(0); if (i < n) x[i] = 1; }",
      { 16 },
      { "((n+15)/16)*16" },
      NULL,
      { "n" },
      true,
      { { 1 }, { 16 }, { 50 } } },
    /* the whole NDRange, without a guard */
    { KERNEL "__global float *x, int n) { x[get_global_id(0)] = n; }",
      { 16 },
      { "((n+15)/16)*16" },
      NULL,
      { "16*floor((n+15)/16)" },
      true,
      { { 1 }, { 16 }, { 50 } } },
    /* grid stride */
    { KERNEL
      "__global const float *x, __global float *y, int n) {\n"
      "  float s = 0;\n"
      "  for (int i = get_global_id(0); i < n; i += get_global_size(0)) s += x[i];\n"
      "  y[get_global_id(0)] = s; }",
      { 8 },
      { "32" },
      NULL,
      { "n", "32" },
      true,
      { { 1 }, { 32 }, { 77 } } },
    /* rows, and a halo */
    { KERNEL
      "__global const float *u, __global float *v, int w, int h) {\n"
      "  int x = get_global_id(0), y = get_global_id(1);\n"
      "  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;\n"
      "  v[y * w + x] = u[(y - 1) * w + x] + u[(y + 1) * w + x] + u[y * w + x - 1]\n"
      "               + u[y * w + x + 1]; }",
      { 4, 4 },
      { "w", "h" },
      NULL,
      { "w*h", "w*h-w-1" },
      false,
      { { 4, 8 }, { 16, 4 }, { 8, 8 } } },
    { KERNEL "__global const float *in, __global float *out, int w) {\n"
             "  int i = get_global_id(0);\n"
             "  out[i] = in[i] + in[i + 1] + in[i + 2]; }",
      { 4 },
      { "w" },
      NULL,
      { "w+2", "w" },
      true,
      { { 4 }, { 12 } } },
    /* clamped */
    { KERNEL "__global const float *in, __global float *out, int n) {\n"
             "  int i = get_global_id(0);\n"
             "  out[i] = in[max(i - 3, 0)] + in[min(i + 3, n - 1)]; }",
      { 4 },
      { "n" },
      NULL,
      { "n", "n" },
      true,
      { { 4 }, { 12 } } },
    /* triangular */
    { KERNEL "__global const float *a, __global float *b, int n) {\n"
             "  int i = get_global_id(0); float s = 0;\n"
             "  for (int j = 0; j <= i; j++) s += a[i * n + j];\n"
             "  b[i] = s; }",
      { 4 },
      { "n" },
      NULL,
      { "n^2", "n" },
      true,
      { { 4 }, { 12 } } },
    { KERNEL "__global const float *a, __global float *b, int n) {\n"
             "  int i = get_global_id(0); float s = 0;\n"
             "  for (int j = 0; j <= i; j++) s += a[i - j];\n"
             "  b[i] = s; }",
      { 4 },
      { "n" },
      NULL,
      { "n", "n" },
      true,
      { { 4 }, { 12 } } },
    /* vectors */
    { KERNEL "__global const float4 *a, __global float *b, int n) {\n"
             "  int i = get_global_id(0); b[i] = a[i].x + a[i].z + n; }",
      { 4 },
      { "n" },
      NULL,
      { "4*n", "n" },
      false,
      { { 4 }, { 12 } } },
    { KERNEL "__global const float *a, __global float *b, int n) {\n"
             "  int i = get_global_id(0); vstore4(vload4(i, a), i, b + n); }",
      { 4 },
      { "n" },
      NULL,
      { "4*n", "5*n" },
      true,
      { { 4 }, { 12 } } },
    { KERNEL "__global const float3 *a, __global float *b, int n) {\n"
             "  int i = get_global_id(0); b[i] = a[i].y + n; }",
      { 4 },
      { "n" },
      NULL,
      { "4*n", "n" },
      false,
      { { 4 }, { 12 } } },
    /* moving pointers */
    { KERNEL "__global float *p, int n, int k) {\n"
             "  p += k; p += get_group_id(0) * 4; p[get_local_id(0)] = n; }",
      { 4 },
      { "n" },
      NULL,
      { "n+k" },
      true,
      { { 4, 1 }, { 12, 5 } } },
    { KERNEL "__global const float *p, __global float *q, int n, int m) {\n"
             "  __global const float *row = p + get_global_id(0) * m; float s = 0;\n"
             "  for (int k = 0; k < m; k++) s += *row++;\n"
             "  q[get_global_id(0)] = s; }",
      { 4 },
      { "n" },
      NULL,
      { "n*m", "n" },
      true,
      { { 4, 3 }, { 12, 1 } } },
    /* two dimensions from one id */
    { KERNEL "__global float *a, int n, int cols) {\n"
             "  int i = get_global_id(0); a[(i / cols) * cols + i % cols] = n; }",
      { 4 },
      { "n*cols" },
      NULL,
      { "4*floor((n*cols+3)/4)" },
      true,
      { { 4, 3 }, { 12, 1 } } },
    /* planes, where neither stride is known to be the larger */
    { KERNEL "__global float *a, int n, int m, int k) {\n"
             "  for (int j = 0; j < k; j++) a[get_global_id(0) * m + j * n] = 1; }",
      { 4 },
      { "n" },
      NULL,
      { NULL },
      true,
      { { 4, 3, 2 }, { 8, 20, 7 }, { 12, 1, 1 } } },
    /* not affine: bounds of each dimension alone */
    { KERNEL "__global float *a, int n) { int i = get_global_id(0); a[i * i] = n; }",
      { 4 },
      { "n" },
      NULL,
      { "n^2-2*n+2" },
      true,
      { { 4 }, { 12 } } },
    /* local arguments */
    { KERNEL "__global float *a, __local float *t, int n) {\n"
             "  int l = get_local_id(0), i = get_global_id(0);\n"
             "  t[l + 1] = a[i]; if (l == 0) t[0] = n; if (l == 7) t[9] = n;\n"
             "  barrier(CLK_LOCAL_MEM_FENCE); a[i] = t[l] + t[l + 2]; }",
      { 8 },
      { "n" },
      NULL,
      { "n", "10" },
      true,
      { { 8 }, { 24 } } },
    /* a helper function, an early return, a condition on data */
    { "float at(__global const float *p, int i) { return p[2 * i + 1]; }\n" KERNEL
      "__global const float *p, __global float *q, int n) {\n"
      "  int i = get_global_id(0);\n"
      "  if (i >= n / 2) return;\n"
      "  if (at(p, i) > 0) q[i] = 1; }",
      { 4 },
      { "n" },
      NULL,
      { "n", "1/2*n" },
      true,
      { { 4 }, { 12 } } },
};

/* ---- extents ---- */

static void read(const struct extent_case *t, struct gcal_count_request *request,
                 struct gcal_count_signature *signature)
{
    struct gcal_error err = { 0 };

    *request = (struct gcal_count_request){ .source = t->source,
                                            .file = "x.cl",
                                            .assume = t->assume,
                                            .n_dims = t->global[1] ? 2 : 1 };
    for (size_t d = 0; d < request->n_dims; d++) {
        request->local_size[d] = t->local[d];
        request->global_size[d] = t->global[d];
    }
    if (gcal_count_signature_read(request, signature, &err) < 0)
        fail_msg("%s\n%s", err.text, t->source);
}

static double value_of(const struct gcal_count_signature *s, const char *text,
                       const int *sizes)
{
    struct gcal_error err = { 0 };
    struct gcal_expr *expr = gcal_expr_parse(text, &err);
    double values[MOST_SIZES], value;

    if (!expr)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < gcal_expr_symbol_count(expr); i++)
        for (size_t k = 0, n = 0; k < s->n_args; k++) {
            if (s->args[k].kind == GCAL_COUNT_SIGNATURE_SCALAR &&
                strcmp(s->args[k].name, gcal_expr_symbol(expr, i)) == 0)
                values[i] = sizes[n];
            n += s->args[k].kind == GCAL_COUNT_SIGNATURE_SCALAR;
        }
    value = gcal_expr_eval(expr, values);
    gcal_expr_destroy(expr);
    return value;
}

/* Runs the kernel with buffers of their extents, the one of argument 'less' smaller by an
 * item; false for an access outside.
 */
static bool runs(const struct gcal_count_request *request,
                 const struct gcal_count_signature *s, const int *sizes, size_t less)
{
    struct gcal_interp_arg args[MOST_ARGS] = { 0 };
    size_t global[2] = { 1, 1 }, n = 0;
    struct gcal_error err = { 0 };
    int rc;

    for (size_t d = 0; d < s->n_dims; d++)
        global[d] = (size_t)value_of(s, s->global_size[d], sizes);
    for (size_t i = 0; i < s->n_args; i++) {
        const struct gcal_count_signature_arg *a = &s->args[i];

        args[i].dtype = a->dtype;
        if (a->kind != GCAL_COUNT_SIGNATURE_SCALAR) {
            args[i].count = (size_t)value_of(s, a->elements, sizes);
            args[i].count -= i == less ? a->per_item : 0;
        }
        args[i].data = calloc(args[i].count + 1, 8);
        if (a->kind == GCAL_COUNT_SIGNATURE_SCALAR)
            memcpy(args[i].data, &sizes[n++], sizeof(int));
        else
            gcal_dtype_fill(i, a->dtype, args[i].count, args[i].data);
    }
    rc = gcal_interp_run_kernel(request, global, s->n_args, args, &err);
    if (rc < 0 && !gcal_interp_is_outside(&err))
        fail_msg("%s\n%s", err.text, request->source);
    for (size_t i = 0; i < s->n_args; i++)
        free(args[i].data);
    return rc == 0;
}

static void check_runs(const struct extent_case *t,
                       const struct gcal_count_request *request,
                       const struct gcal_count_signature *s)
{
    for (size_t k = 0; k < 4 && t->sizes[k][0]; k++) {
        if (!runs(request, s, t->sizes[k], SIZE_MAX))
            fail_msg("an extent is too small at %d:\n%s", t->sizes[k][0], t->source);
        for (size_t i = 0; t->exact && i < s->n_args; i++)
            if (s->args[i].kind == GCAL_COUNT_SIGNATURE_BUFFER &&
                value_of(s, s->args[i].elements, t->sizes[k]) > 1 &&
                runs(request, s, t->sizes[k], i))
                fail_msg("the extent of '%s' is too large at %d:\n%s", s->args[i].name,
                         t->sizes[k][0], t->source);
    }
}

static void extents_hold_all_accesses(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof(extent_cases) / sizeof(*extent_cases); c++) {
        const struct extent_case *t = &extent_cases[c];
        struct gcal_count_signature s = { 0 };
        struct gcal_count_request request;

        read(t, &request, &s);
        for (size_t i = 0; i < s.n_args; i++) {
            if (s.args[i].unknown)
                fail_msg("%s\n%s", s.args[i].unknown, t->source);
            if (t->expected[i])
                assert_string_equal(s.args[i].elements, t->expected[i]);
        }
        check_runs(t, &request, &s);
        gcal_count_signature_clear(&s);
    }
}

/* ---- unknown extents ---- */

static void unknown_extents_have_a_place_and_a_reason(void **state)
{
    static const struct {
        const char *source, *unknown;
    } cases[] = {
        { KERNEL "__global float *x, int n) { x[get_global_id(0) - 1] = n; }",
          "x.cl:1:45: the subscript of 'x' may be negative here" },
        { KERNEL "__global float *x, __global const int *at, int n) {\n"
                 "  x[at[get_global_id(0)]] = n; }",
          "x.cl:2:3: which elements of 'x' are accessed here depends on data" },
        { KERNEL "__global float *x, __global const int *at, int n) {\n"
                 "  for (int i = 0; i < n; i++) x[i * n - at[0]] = 1; }",
          "x.cl:2:31: which elements of 'x' are accessed here depends on data" },
    };

    (void)state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        const struct extent_case t = { cases[c].source, { 4 }, { "n" },  NULL,
                                       { NULL },        false, { { 0 } } };
        struct gcal_count_signature s = { 0 };
        struct gcal_count_request request;

        read(&t, &request, &s);
        assert_null(s.args[0].elements);
        assert_non_null(s.args[0].unknown);
        assert_true(
            strncmp(s.args[0].unknown, cases[c].unknown, strlen(cases[c].unknown)) == 0);
        gcal_count_signature_clear(&s);
    }
}

/* ---- kinds of arguments ---- */

static void types_of_arguments_are_read(void **state)
{
    const struct extent_case t = {
        "typedef struct { float4 at; int id; } item;\n"
        "struct pair { float a, b; };\n"
        "typedef struct { double d; float f[3]; char c; } mixed;\n" KERNEL
        "__global const item *p, __global uchar4 *q, __constant mixed *r,\n"
        "  struct pair by, float4 v, __read_only image2d_t image, sampler_t s, "
        "union { int i; float f; } either, __local short *l, float a,\n"
        "  ulong n) { q[get_global_id(0)].x = p[get_global_id(0)].id + n; }",
        { 4 },
        { "n" },
        NULL,
        { NULL },
        false,
        { { 0 } }
    };
    static const struct {
        enum gcal_count_signature_kind kind;
        const char *dtype;
        size_t per_item;
        bool read, written;
        const char *elements;
    } expected[] = {
        { GCAL_COUNT_SIGNATURE_BUFFER, "float32", 8, true, false, "8*n" },
        { GCAL_COUNT_SIGNATURE_BUFFER, "uint8", 4, false, true, "4*n" },
        { GCAL_COUNT_SIGNATURE_BUFFER, "float64", 3, false, false, NULL },
        { GCAL_COUNT_SIGNATURE_STRUCT, "uint8", 8, false, false, NULL },
        { GCAL_COUNT_SIGNATURE_SCALAR, "float32", 1, false, false, NULL },
        { GCAL_COUNT_SIGNATURE_SCALAR, "float32", 1, false, false, NULL },
        { GCAL_COUNT_SIGNATURE_STRUCT, "uint8", 16, false, false, NULL },
        { GCAL_COUNT_SIGNATURE_SCALAR, "float32", 1, false, false, NULL },
        { GCAL_COUNT_SIGNATURE_SCALAR, "float32", 1, false, false, NULL },
        { GCAL_COUNT_SIGNATURE_SCALAR, "float32", 1, false, false, NULL },
        { GCAL_COUNT_SIGNATURE_SCALAR, "float32", 1, false, false, NULL },
        { GCAL_COUNT_SIGNATURE_IMAGE, "float32", 0, false, false, NULL },
        { GCAL_COUNT_SIGNATURE_SAMPLER, NULL, 0, false, false, NULL },
        { GCAL_COUNT_SIGNATURE_OTHER, NULL, 0, false, false, NULL },
        { GCAL_COUNT_SIGNATURE_LOCAL, "int16", 1, false, false, NULL },
        { GCAL_COUNT_SIGNATURE_SCALAR, "float32", 1, false, false, NULL },
        { GCAL_COUNT_SIGNATURE_SCALAR, "uint64", 1, false, false, NULL },
    };
    struct gcal_count_signature s = { 0 };
    struct gcal_count_request request;

    (void)state;
    read(&t, &request, &s);
    assert_string_equal(s.kernel, "f");
    assert_int_equal(s.n_args, sizeof(expected) / sizeof(*expected));
    assert_string_equal(s.args[3].type, "struct pair");
    for (size_t i = 0; i < s.n_args; i++) {
        const struct gcal_count_signature_arg *a = &s.args[i];

        assert_int_equal(a->kind, expected[i].kind);
        assert_int_equal(a->read, expected[i].read);
        assert_int_equal(a->written, expected[i].written);
        if (expected[i].dtype) {
            assert_string_equal(a->dtype, expected[i].dtype);
            assert_int_equal(a->per_item, expected[i].per_item);
        }
        if (expected[i].elements)
            assert_string_equal(a->elements, expected[i].elements);
        else
            assert_null(a->elements);
    }
    gcal_count_signature_clear(&s);
}

static void members_of_structures_are_laid_out(void **state)
{
    static const struct {
        const char *type, *members;
    } cases[] = {
        { "struct { int cell; float x; float4 v; uchar kind; }",
          "int32 float32 pad*8 float32*4 uint8 pad*15" },
        { "struct { struct { char c; short s[2]; } a[2]; ulong n; }",
          "int8 pad int16*2 int8 pad int16*2 pad*4 uint64" },
        { "struct { float3 v; half h; }", "float32*3 pad*4 float16 pad*14" },
        { "struct { float3 v; }", "float32*3 pad*4" },
        { "struct { union { int i; double d; } u; float f; struct { int k; }; }",
          "int32 pad*4 float32 int32" },
        { "struct __attribute__((packed)) { char c; int i; }", "int8 int32" },
        { "struct { __global float *p; int i; }", "pad*8 int32 pad*4" },
        { "struct { float x, y[3]; struct { float a; } t; }", NULL },
        { "struct { float x[20000]; }", NULL },
        { "struct { int i; float x[20000]; }", NULL },
        { "float3", NULL },
        { "int", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct gcal_count_signature s = { 0 };
        struct gcal_count_request request;
        char source[300];
        struct extent_case t = {
            source, { 1 }, { "n" }, NULL, { NULL }, false, { { 0 } }
        };

        snprintf(source, sizeof(source),
                 "typedef %s item;\n" KERNEL "__global item *p) {}", cases[i].type);
        read(&t, &request, &s);
        if (!cases[i].members != !s.args[0].members ||
            (cases[i].members && strcmp(cases[i].members, s.args[0].members) != 0))
            fail_msg("%s: %s", cases[i].type, s.args[0].members);
        gcal_count_signature_clear(&s);
    }
}

/* The text is read again as a global size, where '/' rounds down. */
static void global_sizes_are_read_back(void **state)
{
    static const struct {
        const char *global, *assume, *expected;
    } cases[] = { { "n", NULL, "n" },
                  { "n/2", "n % 8 = 0", "floor(n/2)" },
                  { "((n+3)/4)*4", NULL, "4*floor((n+3)/4)" },
                  { "3*n/2", NULL, "n+floor(n/2)" },
                  { "n*(n+1)/2", NULL, "floor((n^2+n)/2)" } };

    (void)state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        const struct extent_case t = { KERNEL "__global float *x, int n) { x[0] = n; }",
                                       { 4 },
                                       { cases[c].global },
                                       cases[c].assume,
                                       { NULL },
                                       false,
                                       { { 0 } } };
        struct gcal_count_signature s = { 0 };
        struct gcal_count_request request;

        read(&t, &request, &s);
        assert_string_equal(s.global_size[0], cases[c].expected);
        gcal_count_signature_clear(&s);
    }
}

static void a_source_with_errors_is_refused(void **state)
{
    const struct gcal_count_request request = { .source = KERNEL "int n) { oops }",
                                                .file = "x.cl",
                                                .n_dims = 1,
                                                .local_size = { 4 },
                                                .global_size = { "n" } };
    struct gcal_count_signature s = { 0 };
    struct gcal_error err = { 0 };

    (void)state;
    assert_int_equal(gcal_count_signature_read(&request, &s, &err), -1);
    assert_non_null(strstr(err.text, "x.cl:1:"));
    gcal_count_signature_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extents_hold_all_accesses),
        cmocka_unit_test(unknown_extents_have_a_place_and_a_reason),
        cmocka_unit_test(types_of_arguments_are_read),
        cmocka_unit_test(members_of_structures_are_laid_out),
        cmocka_unit_test(global_sizes_are_read_back),
        cmocka_unit_test(a_source_with_errors_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
