/* test_constructs.c - the constructs of OpenCL C that are counted: work removal and the host
 * interpreter know them too, and all three agree on the global accesses; or each refusal has
 * its place and a reason
 */
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
#include "kernels/model/expr.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"
#include "kernels/interpret/interpret.h"
#include "kernels/remove/remove.h"

enum { N = 5, LOCAL = 8, GLOBAL = 16, ELEMENTS = 512 };

#define HEAD                                                                             \
    "__kernel void k(__global float *a, __global const float *b, __global int *x,\n"     \
    "                __local float *t, int n)\n"                                         \
    "{ int g = get_global_id(0), l = get_local_id(0); float f = b[g];\n"
#define FOOT "\na[g] = f; }\n"

static const struct {
    const char *body, *before; /* the kernel's, and what is before it or NULL */
    /* words of the reasons: why it is not counted, removed, interpreted; or NULL */
    const char *counted, *removed, *interpreted;
} rows[] = {
    { .body = "f += b[g + n];" },
    /* loops and jumps */
    { .body = "for (int i = 0; i < n; i++) f += b[i];" },
    { .body = "int i = n; while (i--) f += b[i];" },
    { .body = "int i = 0; do f += b[i]; while (++i < n);" },
    { .body = "for (int i = 0; ; i++) { if (i == n) break; if (i == 2) continue; f += "
              "b[i]; }" },
    { .body = "int i = 0; while (true) { f += b[i]; if (++i >= n) break; }" },
    { .body = "for (int i = 1; i < 32; i *= 2) f += b[i];" },
    { .body = "if (g > 9) { a[g] = f; return; } f += b[1];" },
    { .body =
          "switch (l) { case 1: case 2: f += b[1]; break; case 5: f += b[2]; default: f "
          "+= b[3]; }" },
    { .body = "f += l < 3 ? b[1] : 2.0f;" },
    { .body = "bool in = l > 2 && l < n; if (in || l == 7) f += b[l];" },
    { .body = "read: for (int i = 0; i < n; i++) { next: f += b[i]; } end: ;" },
    { .body = "goto out; out: f += b[1];",
      .counted = "goto",
      .removed = "goto",
      .interpreted = "GotoStmt" },
    /* integers, pointers, arrays */
    { .body = "uchar u = g; ulong w = u; f += b[w];" },
    { .body = "__global const float *p = b + g, *e = p + n; while (p != e) f += *p++;" },
    { .body = "int m[3] = { 1, 2 }; m[2] = m[1] + n; for (int i = 0; i < m[2]; i++) f += "
              "b[m[0] + i];" },
    { .body = "int m[2][2]; for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) "
              "m[i][j] = "
              "i + j; f += b[m[1][1]];" },
    { .body = "float w[3] = { 1, 2, 3 }; for (int i = 0; i < 3; i++) w[i] *= b[i]; f += "
              "w[2];" },
    { .body =
          "__global const float *p[2] = { b, b + 8 }; for (int i = 0; i < 2; i++) f += "
          "p[i][l];" },
    { .body = "t[l] = b[g]; barrier(CLK_LOCAL_MEM_FENCE); f += t[7 - l];" },
    { .body = "__local float s[8]; s[l] = b[g + 1]; barrier(CLK_LOCAL_MEM_FENCE); f += "
              "s[0];" },
    { .body = "f += c[l & 3];", .before = "__constant float c[4] = { 1, 2, 3, 4 };\n" },
    { .body = "f += b[x[g]];" },
    { .body = "atomic_inc(&x[l]);" },
    /* vectors */
    { .body = "int2 c = (int2)(g, 1); f += b[c.y * n + c.x];" },
    { .body =
          "int2 c = (int2)(g, n), d; for (d.x = -1; d.x <= 1; d.x++) for (d.y = 0; d.y < "
          "2; d.y++) { int2 q = c + d; if (q.x >= 0) f += b[q.y * 16 + q.x]; }" },
    { .body =
          "int4 c; c.xy = (int2)(g, 2); c.zw = c.yx; c.hi += c.lo; c.even = c.odd; f += "
          "b[c.x + c.w];" },
    { .body =
          "int4 c = (int4)((int2)(1, 2), 3, n); c.xy++; c = c.wzyx; for (int i = 0; i < "
          "c.x + c.s3; i++) f += b[i];" },
    { .body = "int2 c = min((int2)(g, 3), (int2)(n)); f += b[c.x] + b[c.y];" },
    { .body =
          "int2 c = (int2)(g, l); if (all(c < (int2)(12, n))) f += b[c.x]; if (any(c == "
          "3)) f += b[0];" },
    { .body =
          "int2 c = select((int2)(1, 2), (int2)(3, 4), (int2)(g, l) > 2); f += b[c.x];" },
    { .body = "uint2 c = convert_uint2((int2)(g, l)); long2 w = convert_long2(c); f += "
              "b[w.x];" },
    { .body = "float4 v = vload4(g, b); v.xz *= 2.0f; f += v.x + v.w;" },
    { .body = "vstore2((float2)(f, 1.0f), g, a);" },
    { .body = "__global const float4 *v = (__global const float4 *)b; f += v[l].y + "
              "v[l].w;" },
    { .body = "float2 z = (float2)(f, 1), w = z * z.yx; f = dot(z, w);" },
    { .body = "f += b[AT((int2)(l, 1))];",
      .before = "#define AT(p) ((p).y * n + (p).x)\n" },
    { .body = "int2 c = g > 3 ? (int2)(1, 2) : (int2)(3, 4); f += b[c.x];" },
    { .body = "enum { W = 3 }; int3 c; c.x = W; c.y = sizeof(int); c.z = (c.x++, c.x); f "
              "+= b[c.z "
              "+ c.y];" },
    { .body = "int4 c = 0; while (c.w < n) { c += 1; c.z = -c.y; f += b[c.w - c.z]; }" },
    { .body = "int2 c = ~(int2)(g, l) & 7; c <<= 1; f += b[c.x | c.y];" },
    /* structures and unions */
    { .body = "struct { int x, y; } p = { g, 2 }; p.x += p.y; f += b[p.x];" },
    { .body = "spot p = { .n = n, .at = (int2)(g, 0) }, q; q = p; q.at.x++; for (int i = "
              "0; i < "
              "q.n; i++) f += b[q.at.x + i];",
      .before = "typedef struct { int2 at; int n; } spot;\n" },
    { .body =
          "struct { int p[3]; } s = { { 1, 2, 3 } }; for (int i = 0; i < 3; i++) f += "
          "b[s.p[i]];" },
    { .body = "struct { __global const float *p; int n; } v = { b + g, n }; for (int i = "
              "0; i < "
              "v.n; i++) f += *v.p++;" },
    { .body = "union { uint u; float f; } w; w.f = f; w.u ^= 1u; f = w.f;" },
    /* functions */
    { .body = "f += twice(b[g]);", .before = "float twice(float x) { return 2 * x; }\n" },
    { .body = "f += get(b, (int2)(l, 1), n);",
      .before =
          "float get(__global const float *p, int2 c, int w) { return p[c.y * w + c.x]; "
          "}\n" },
    { .body = "f += b[flip((int2)(l, n)).y];",
      .before = "int2 flip(int2 p) { return p.yx; }\n" },
    { .body = "range r = part(l); for (; r.lo < r.hi; r.lo++) f += b[r.lo];",
      .before = "typedef struct { int lo, hi; } range;\n"
                "range part(int i) { range r; r.lo = i; r.hi = i + 3; return r; }\n" },
    { .body = "float w[3] = { 1, b[g], 2 }; f += sum(w, 3);",
      .before = "float sum(const float v[3], int n) { float s = 0; for (int i = 0; i < "
                "n; i++) s "
                "+= v[i]; return s; }\n" },
    { .body = "float v = b[1]; add(&v, 2); f += v;",
      .before = "void add(float *p, float x) { *p += x; }\n" },
};

/* ---- counts ---- */

static struct gcal_count_request request_for(const char *source)
{
    return (struct gcal_count_request){ .source = source,
                                        .file = "x.cl",
                                        .kernel = "k",
                                        .n_dims = 1,
                                        .local_size = { LOCAL },
                                        .global_size = { "16" },
                                        .sub_group_size = 1,
                                        .assume = "n >= 1" };
}

struct accesses {
    double loads, stores;
    bool estimated;
};

static double value_of(const char *text)
{
    struct gcal_error err = { 0 };
    struct gcal_expr *expr = gcal_expr_parse(text, &err);
    double values[8] = { 0 }, value;

    if (!expr)
        fail_msg("%s: %s", text, err.text);
    assert_true(gcal_expr_symbol_count(expr) <= 8);
    for (size_t i = 0; i < gcal_expr_symbol_count(expr); i++) {
        assert_string_equal(gcal_expr_symbol(expr, i), "n");
        values[i] = N;
    }
    value = gcal_expr_eval(expr, values);
    gcal_expr_destroy(expr);
    return value;
}

/* Global loads and stores; -1: refused. */
static int count(const char *source, struct accesses *counted, struct gcal_error *err)
{
    struct gcal_count_request r = request_for(source);
    struct gcal_profile *p;

    p = gcal_count(&r, err);
    *counted = (struct accesses){ 0 };
    if (!p)
        return -1;
    counted->estimated = p->estimated;
    for (size_t i = 0; i < p->n_entries; i++) {
        const struct gcal_profile_entry *e = &p->entries[i];

        if (e->kind == GCAL_FEATURE_MEM_ACCESS && e->space == GCAL_FEATURE_SPACE_GLOBAL)
            *(e->direction == GCAL_FEATURE_LOAD ? &counted->loads : &counted->stores) +=
                value_of(e->count);
    }
    gcal_profile_destroy(p);
    return 0;
}

/* ---- runs ---- */

static void observe(void *context, const struct gcal_interp_execution *e)
{
    struct accesses *seen = context;

    if (e->space != GCAL_FEATURE_SPACE_GLOBAL)
        return;
    seen->loads += e->kind == GCAL_INTERP_EXECUTION_LOAD;
    seen->stores += e->kind == GCAL_INTERP_EXECUTION_STORE;
}

/* 'sum': a derived kernel has a buffer for its sums. */
static int interpret(const char *source, bool sum, struct accesses *seen,
                     struct gcal_error *err)
{
    static float a[ELEMENTS], b[ELEMENTS], sums[ELEMENTS];
    static int32_t x[ELEMENTS], n = N;
    const size_t global = GLOBAL;
    struct gcal_count_request r = request_for(source);
    struct gcal_interp_arg args[] = {
        { "float32", a, ELEMENTS }, { "float32", b, ELEMENTS },
        { "int32", x, ELEMENTS },   { "float32", NULL, LOCAL },
        { "int32", &n, 0 },         { "float32", sums, ELEMENTS }
    };

    for (int i = 0; i < ELEMENTS; i++) {
        a[i] = b[i] = 0.5f;
        x[i] = i % 7;
    }
    *seen = (struct accesses){ 0 };
    return gcal_interp_observe_kernel(&r, &global, sum ? 6 : 5, args, observe, seen, err);
}

/* ---- rows ---- */

static size_t n_refused, n_refused_forms;

/* Whether the outcome is as expected: 0, or refused for 'why', at a place. */
static bool expect(const char *what, const char *source, int rc, const char *why,
                   const struct gcal_error *err)
{
    n_refused += rc != 0;
    if ((rc == 0) != !why)
        fail_msg("%s\n%s: %s", source, what, rc ? err->text : "not refused");
    if (why && (strncmp(err->text, "x.cl:", 5) != 0 || !strstr(err->text, why)))
        fail_msg("%s\n%s: refused without its place or '%s': %s", source, what, why,
                 err->text);
    return rc == 0;
}

static void assert_same(const char *what, const char *source, const struct accesses *a,
                        const struct accesses *b)
{
    if (a->estimated || b->estimated)
        return;
    if (a->loads != b->loads || a->stores != b->stores)
        fail_msg("%s\n%s: %g loads, %g stores instead of %g, %g", source, what, b->loads,
                 b->stores, a->loads, a->stores);
}

static void check_removal(const char *source, const char *why,
                          const struct accesses *counted)
{
    const struct gcal_remove_options memory = { .form = GCAL_REMOVE_KEEP_MEMORY };
    struct gcal_count_request r = request_for(source);
    struct gcal_remove_element element = { 0 };
    struct gcal_error err = { 0 };
    struct accesses derived, seen;
    char *text = gcal_remove_work(&r, &memory, &element, &err);

    if (!expect("removed", source, text ? 0 : -1, why, &err))
        return;
    if (count(text, &derived, &err) < 0)
        fail_msg("%s\nremoved: %s", text, err.text);
    assert_same("removed", text, counted, &derived);
    if (interpret(text, element.dtype != NULL, &seen, &err) < 0)
        fail_msg("%s\nremoved and interpreted: %s", text, err.text);
    assert_same("removed and interpreted", text, &derived, &seen);
    free(text);
}

/* The other forms: a kernel that is counted and runs, or a refusal with its place. */
static void check_other_forms(const char *source)
{
    static const enum gcal_remove_form others[] = { GCAL_REMOVE_KEEP_LOADS,
                                                    GCAL_REMOVE_KEEP_ONCHIP };

    for (size_t i = 0; i < 2; i++) {
        const struct gcal_remove_options form = { .form = others[i] };
        struct gcal_count_request r = request_for(source);
        struct gcal_remove_element element = { 0 };
        struct gcal_error err = { 0 };
        struct accesses derived, seen;
        char *text = gcal_remove_work(&r, &form, &element, &err);

        n_refused_forms += !text;
        if (!text && strncmp(err.text, "x.cl:", 5) != 0)
            fail_msg("%s\nform %zu refused without a place: %s", source, i, err.text);
        if (!text)
            continue;
        if (count(text, &derived, &err) < 0 ||
            interpret(text, element.dtype != NULL, &seen, &err) < 0)
            fail_msg("%s\nform %zu: %s", text, i, err.text);
        assert_same("form, interpreted", text, &derived, &seen);
        free(text);
    }
}

static void all_three_know_the_language(void **state)
{
    struct accesses counted, seen;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *source = gcal_buf_format("%s%s%s%s", rows[i].before ? rows[i].before : "",
                                       HEAD, rows[i].body, FOOT);
        struct gcal_error err = { 0 };
        int rc = count(source, &counted, &err);
        bool is_counted = expect("counted", source, rc, rows[i].counted, &err);

        rc = interpret(source, false, &seen, &err);
        if (expect("interpreted", source, rc, rows[i].interpreted, &err) && is_counted)
            assert_same("interpreted", source, &counted, &seen);
        check_removal(source, rows[i].removed, &counted);
        check_other_forms(source);
        free(source);
    }
    printf("%zu constructs, %zu refusals, %zu of other forms\n",
           sizeof(rows) / sizeof(rows[0]), n_refused, n_refused_forms);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(all_three_know_the_language) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
