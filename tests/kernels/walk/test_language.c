/* test_language.c - the OpenCL C that can be counted: equivalent kernels have equal
 * counts, and constructs that cannot be counted are refused with their location
 *
 * Kernels are counted with sub-groups of one work-item and compared by numbers: all
 * operations of a kind, all accesses of a space, direction, type and tag.
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

#define HEAD                                                                             \
    "struct pair { float x; int tag; };\n"                                               \
    "__kernel void k(__global float *a, __global const int *ix,\n"                       \
    "                __global struct pair *s, __local float *t, int n, int m)\n"         \
    "{ int g = get_global_id(0), l = get_local_id(0); float f = a[g];\n"
#define FOOT "\na[g] = f; }\n"

enum { N_SIZES = 3 };
static const double sizes[N_SIZES][2] = { { 64, 7 }, { 192, 1 }, { 128, 40 } };

/* ---- counts as text ---- */

struct total {
    char *key;
    double value;
};

struct feature_totals {
    size_t n;
    struct total all[64];
};

static double value_of(const char *text, const double *n_and_m)
{
    struct gcal_error err = { 0 };
    struct gcal_expr *expr = gcal_expr_parse(text, &err);
    double values[8] = { 0 }, value;

    if (!expr)
        fail_msg("%s: %s", text, err.text);
    assert_true(gcal_expr_symbol_count(expr) <= 8);
    for (size_t i = 0; i < gcal_expr_symbol_count(expr); i++) {
        const char *name = gcal_expr_symbol(expr, i);

        values[i] = strcmp(name, "n") == 0    ? n_and_m[0]
                    : strcmp(name, "m") == 0  ? n_and_m[1]
                    : strcmp(name, "av") == 0 ? 2.5
                                              : 1;
    }
    value = gcal_expr_eval(expr, values);
    gcal_expr_destroy(expr);
    return value;
}

static char *key_of(const struct gcal_profile_entry *e)
{
    static const char *const spaces[] = { "any", "global", "local", "constant" };

    if (e->op)
        return gcal_buf_format("%s %s", e->dtype, e->op);
    if (e->kind != GCAL_FEATURE_MEM_ACCESS)
        return gcal_buf_format("%s", e->feature);
    return gcal_buf_format("%s %s %s x%zu%s%s", e->dtype,
                           e->space == GCAL_FEATURE_SPACE_GLOBAL  ? spaces[1]
                           : e->space == GCAL_FEATURE_SPACE_LOCAL ? spaces[2]
                                                                  : spaces[3],
                           e->direction == GCAL_FEATURE_LOAD ? "load" : "store",
                           e->vector_width, e->tag ? " " : "", e->tag ? e->tag : "");
}

/* Of what forms have to share: not how they find their places. */
static bool is_compared(const struct gcal_profile_entry *e)
{
    return e->kind != GCAL_FEATURE_ONCHIP &&
           (e->kind != GCAL_FEATURE_OP || strncmp(e->dtype, "float", 5) == 0);
}

static void add_total(struct feature_totals *totals, char *key, double value)
{
    for (size_t i = 0; i < totals->n; i++)
        if (strcmp(totals->all[i].key, key) == 0) {
            totals->all[i].value += value;
            free(key);
            return;
        }
    assert_true(totals->n < 64);
    totals->all[totals->n++] = (struct total){ key, value };
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct total *)a)->key, ((const struct total *)b)->key);
}

static char *totals_text(const struct gcal_profile *p)
{
    struct gcal_buf buf = { 0 };

    for (size_t s = 0; s < N_SIZES; s++) {
        struct feature_totals totals = { 0 };

        for (size_t i = 0; i < p->n_entries; i++)
            if (is_compared(&p->entries[i]))
                add_total(&totals, key_of(&p->entries[i]),
                          value_of(p->entries[i].count, sizes[s]));
        qsort(totals.all, totals.n, sizeof(totals.all[0]), by_key);
        for (size_t i = 0; i < totals.n; i++) {
            if (totals.all[i].value)
                gcal_buf_printf(&buf, "%s %g\n", totals.all[i].key, totals.all[i].value);
            free(totals.all[i].key);
        }
    }
    return gcal_buf_take(&buf, NULL);
}

static struct gcal_count_request request_for(const char *source)
{
    return (struct gcal_count_request){ .source = source,
                                        .file = "x.cl",
                                        .n_dims = 1,
                                        .local_size = { 64 },
                                        .global_size = { "n" },
                                        .sub_group_size = 1,
                                        .assume = "m >= 1" };
}

static struct gcal_profile *count(const char *source, bool exact)
{
    struct gcal_count_request r = request_for(source);
    struct gcal_error err = { 0 };
    struct gcal_profile *p = gcal_count(&r, &err);

    if (!p)
        fail_msg("%s\n%s", source, err.text);
    if (exact && p->estimated)
        fail_msg("%s\nestimated: %s", source, p->n_notes ? p->notes[0] : "");
    return p;
}

static char *counted(const char *body, bool exact)
{
    char *source = gcal_buf_format("%s%s%s", HEAD, body, FOOT), *text;
    struct gcal_profile *p = count(source, exact);

    text = totals_text(p);
    gcal_profile_destroy(p);
    free(source);
    return text;
}

/* Both count the same, and something. */
static void assert_same(const char *a, const char *b)
{
    char *nothing = counted("", true), *of_a = counted(a, true), *of_b = counted(b, true);

    if (strcmp(of_a, of_b) != 0)
        fail_msg("%s\n%s\n%s\n%s", a, of_a, b, of_b);
    if (strcmp(of_a, nothing) == 0)
        fail_msg("%s\ncounts nothing", a);
    free(nothing);
    free(of_a);
    free(of_b);
}

static void assert_refused(const char *body, const char *where, const char *why)
{
    char *source = gcal_buf_format("%s%s%s", HEAD, body, FOOT);
    struct gcal_count_request r = request_for(source);
    struct gcal_error err = { 0 };
    struct gcal_profile *p = gcal_count(&r, &err);

    if (p)
        fail_msg("%s\ncounted", body);
    if (strncmp(err.text, where, strlen(where)) != 0 || !strstr(err.text, why))
        fail_msg("%s\ngot: %s", body, err.text);
    free(source);
}

/* ---- loops ---- */

static void loops_of_all_forms_count_alike(void **state)
{
    static const char plain[] = "for (int i = 0; i < m; i++) f += a[i];";
    static const char *const others[] = {
        "int i = 0; while (i < m) { f += a[i]; i++; }",
        "int i = 0; while (i < m) f += a[i++];",
        "int i = -1; while (++i < m) f += a[i];",
        "int i = m; while (i--) f += a[i];",
        "int i = m; while (i-- > 0) f += a[i];",
        "int i = 0; do { f += a[i]; i += 1; } while (i < m);",
        "int i = 0; do f += a[i]; while (++i != m);",
        "int i = 0; for (; i < m;) { f += a[i]; ++i; }",
        "for (int i = 0; i != m; i = i + 1) f += a[i];",
        "for (int i = m - 1; i >= 0; i--) f += a[i];",
        "for (uint i = m; i > 0; i--) f += a[i - 1];",
        "for (size_t i = 0; i < m; i = 1 + i) f += a[i];",
        "for (int i = 0, j = m; i < j; i++) f += a[i];",
        "for (int i = 0, j = 2 * m; i < j; i++, j--) f += a[i];",
        "for (int i = 0; ; i++) { if (i >= m) break; f += a[i]; }",
        "int i = 0; while (1) { if (i == m) break; f += a[i]; i++; }",
        "int i = 0; while (true) { f += a[i]; if (++i >= m) break; }",
        "for (int i = 0; i < 2 * m; i += 2) f += a[i];",
        "for (int i = 0; i < 2 * m; i++) { f += a[i]; i++; }",
        "for (int i = 5; i <= m + 4; i++) f += a[i];",
        "for (int i = 0; m > i; i++) f += a[i];",
        "for (int i = 0; i < m; i++) { if (i < 0) continue; f += a[i]; }",
        "for (__global float *p = a; p < a + m; p++) f += *p;",
        "__global float *p = a, *e = a + m; while (p != e) f += *p++;",
        "for (int i = 0; i < m && i < 1000; i++) f += a[i];",
        "#pragma unroll 4\nfor (int i = 0; i < m; i++) f += a[i];",
        "__attribute__((opencl_unroll_hint(2))) for (int i = 0; i < m; i++) f += a[i];",
        ("for (int i = 0; i < m / 2; i++) f += a[i];\n"
         "for (int i = m / 2; i < m; i++) f += a[i];"),
        "for (int i = 0; i < m; i++) { switch (i) { default: f += a[i]; } }",
        "for (int i = 0; i < m; i++) do { f += a[i]; } while (0);",
        "for (int i = 0; i < 3 * m; i++) if (i % 3 == 1) f += a[i];",
        "for (int i = 0; i < 9 * m; i++) { if (i == m) break; f += a[i]; }",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_same(plain, others[i]);
}

static void loops_of_fixed_trips_count_as_if_written_out(void **state)
{
    (void)state;
    assert_same("for (int i = 0; i < 5; i++) f += a[i];",
                "f += a[0]; f += a[1]; f += a[2]; f += a[3]; f += a[4];");
    assert_same("for (int i = 1; i < 32; i *= 2) f += a[i];",
                "f += a[1]; f += a[2]; f += a[4]; f += a[8]; f += a[16];");
    assert_same("for (int i = 8; i > 0; i >>= 1) if (l < i) f += t[l + i];",
                "if (l < 8) f += t[l + 8]; if (l < 4) f += t[l + 4];\n"
                "if (l < 2) f += t[l + 2]; if (l < 1) f += t[l + 1];");
    assert_same("int i = 16; while (i > 1) { i /= 2; if (l >= i) continue; f += t[i]; }",
                "if (l < 8) f += t[8]; if (l < 4) f += t[4]; if (l < 2) f += t[2];\n"
                "if (l < 1) f += t[1];");
    assert_same("for (int k = 0; k < 4; k++) { int w = 1 << k; if (l % (2 * w) == 0) "
                "f += t[l + w]; }",
                "if (l % 2 == 0) f += t[l + 1]; if (l % 4 == 0) f += t[l + 2];\n"
                "if (l % 8 == 0) f += t[l + 4]; if (l % 16 == 0) f += t[l + 8];");
    assert_same("for (int i = 1, j = 1; i < 30; ) { int k = i + j; j = i; i = k; "
                "f += a[i]; }",
                "for (int i = 0; i < 7; i++) f += a[i];");
    assert_same("for (int i = 1; i < 64; i <<= 1) { if (i == 16) break; f += a[i]; }",
                "for (int i = 0; i < 4; i++) f += a[i];");
    assert_same("for (int i = l; i < 256; i += get_local_size(0)) f += a[i];",
                "for (int i = 0; i < 4; i++) f += a[i];");
    assert_same("for (int i = g; i < 9 * n; i += get_global_size(0)) f += a[i];",
                "for (int i = 0; i < 9; i++) f += a[i];");
    assert_same("for (int i = n * m; i > l; i -= n) f += a[i];",
                "for (int i = 0; i < m; i++) f += a[i];");
}

static const char *additions(const struct gcal_profile *p)
{
    for (size_t i = 0; i < p->n_entries; i++)
        if (p->entries[i].op && strcmp(p->entries[i].dtype, "float32") == 0)
            return p->entries[i].count;
    fail_msg("no operation");
    return NULL;
}

/* Eight terms instead of one would count the same, but at length. */
static void what_never_has_a_value_unrolls_no_loop(void **state)
{
    struct gcal_profile *plain = count(
        HEAD "for (int i = 0; i < 8; i++) if (g + 100 * i < m) f += 2.5f;" FOOT, true);
    struct gcal_profile *counter =
        count(HEAD "uint c = as_uint(0.5f); for (int i = 0; i < 8; i++)\n"
                   "if (g + 100 * i < m) f += as_float(c++);" FOOT,
              true);

    (void)state;
    assert_string_equal(additions(counter), additions(plain));
    gcal_profile_destroy(plain);
    gcal_profile_destroy(counter);
}

static void what_leaves_a_loop_ends_it(void **state)
{
    (void)state;
    assert_same(
        "for (int i = 0; i < m; i++) { f += a[i]; if (i == l) break; f *= 2.0f; }",
        "for (int i = 0; i < min(m, l + 1); i++) f += a[i];\n"
        "for (int i = 0; i < min(m, l); i++) f *= 2.0f;");
    assert_same(
        "for (int i = 0; i < m; i++) { if (i > l) return; f += a[i]; } f *= 2.0f;",
        "for (int i = 0; i < min(m, l + 1); i++) f += a[i];\n"
        "if (m > l + 1) return; f *= 2.0f;");
    assert_same("for (int i = 0; i < m; i++) for (int j = 0; j < m; j++) {\n"
                "  if (j > i) break; f += a[j]; }",
                "for (int i = 0; i < m; i++) for (int j = 0; j <= i; j++) f += a[j];");
    assert_same("for (int i = 0; i < m; i++) { if (i == l) continue; f += a[i]; }",
                "for (int i = 0; i < m; i++) if (i != l) f += a[i];");
    assert_same("for (int i = 0; i < m; i++) { for (int j = 0; j < 5; j++) {\n"
                "  if (i + j > 7) return; f += a[j]; } }",
                "for (int i = 0; i < m; i++) for (int j = 0; j < 5; j++)\n"
                "  if (i * 5 + j < 24) f += a[j]; if (m > 4) return;");
    assert_same("for (int i = 0; i < m; i++) { f += a[i]; break; }", "f += a[0];");
}

static void loops_on_data_take_an_average(void **state)
{
    static const char pragma[] =
        HEAD "#pragma gpucal trips av\n"
             "for (int i = ix[g]; i < ix[g + 1]; i++) f += a[i];" FOOT;
    static const char plain[] = HEAD
        "while (f < 3.0f) f += 0.5f; for (int i = 0; i < ix[g]; i++) f *= a[i];" FOOT;
    struct gcal_count_trips given[] = { { 5, "av" }, { 5, "other" } };
    struct gcal_count_request r = request_for(plain);
    struct gcal_error err = { 0 };
    struct gcal_profile *p = count(pragma, false);
    char *text = totals_text(p);

    (void)state;
    /* 2.5 trips: 3.5 tests, each of which loads its bound */
    assert_non_null(strstr(text, "float32 global load x1 224\n")); /* 64 * 3.5 */
    assert_non_null(strstr(text, "int32 global load x1 288\n"));   /* 64 * 4.5 */
    assert_non_null(strstr(text, "float32 add 160\n"));
    free(text);
    gcal_profile_destroy(p);

    assert_null(gcal_count(&r, &err));
    assert_non_null(strstr(err.text, "x.cl:5:8: "));
    assert_non_null(strstr(err.text, "--trips"));
    r.trips = given;
    r.n_trips = 1;
    assert_null(gcal_count(&r, &err));
    assert_non_null(strstr(err.text, "x.cl:5:45: "));
    /* no number comes from nowhere, even as an estimate */
    r.allow_estimates = true;
    assert_null(gcal_count(&r, &err));
    given[0].line = 9;
    assert_null(gcal_count(&r, &err));
    assert_non_null(strstr(err.text, "no loop begins in or after line 9"));
    assert_refused("#pragma gpucal trips av\nf = 1;", "x.cl:5:1: ", "no loop");
    assert_refused("#pragma gpucal trip av\nfor (int i = 0; i < ix[g]; i++) f += 1;",
                   "x.cl:5:1: ", "unknown pragma");
}

/* ---- conditions ---- */

static void conditions_are_exact(void **state)
{
    (void)state;
    assert_same("if (l < 5 || l > 60) f += a[l];",
                "if (!(l >= 5 && l <= 60)) f += a[l];");
    assert_same("if (l < 5 || l > 60) f += a[l];",
                "if (l < 5) f += a[l]; else if (l > 60) f += a[l];");
    assert_same("int in = l >= 3 && l < 9; if (in) f += a[l];",
                "if (l >= 3) if (l < 9) f += a[l];");
    assert_same("bool in = l == 3; in = in || l == 9; if (in) f += a[l];",
                "if (l == 3 || l == 9) f += a[l];");
    assert_same("f = l < 9 ? a[l] : f;", "if (l < 9) f = a[l];");
    assert_same("if (l & 1) f += a[l];", "if (l % 2 != 0) f += a[l];");
    assert_same("if (get_local_id(0) - 1 < 9) f += a[l];",
                "if (l > 0 && l < 10) f += a[l];");
    assert_same("if ((int)get_local_id(0) - 1 < 9) f += a[l];", "if (l < 10) f += a[l];");
    assert_same("if (9 > get_local_id(0) - 1) f += a[l];",
                "if (l > 0 && l < 10) f += a[l];");
    assert_same("uint u = l; if (u - 2 >= 61) f += a[l];",
                "if (l < 2 || l == 63) f += a[l];");
    assert_same("if (g >= m) return; f += a[g];", "if (g < m) f += a[g]; else return;");
    assert_same("int i = l - 4; if (i < 0) i = 0; for (int j = 0; j < i; j++) f += a[j];",
                "for (int j = 0; j < max(l - 4, 0); j++) f += a[j];");
    assert_same(
        "int i = l; if (i >= m) i = m - 1; for (int j = 0; j < i; j++) f += a[j];",
        "for (int j = 0; j < min(l, m - 1); j++) f += a[j];");
    assert_same("int i = l < 8 ? 3 : 7; for (int j = 0; j < i; j++) f += a[j];",
                "if (l < 8) for (int j = 0; j < 3; j++) f += a[j];\n"
                "else for (int j = 0; j < 7; j++) f += a[j];");
    assert_same("int c = 2 + (l < 8); for (int j = 0; j < c; j++) f += a[j];",
                "f += a[0]; f += a[1]; if (l < 8) f += a[2];");
}

static void switches_count_as_conditions(void **state)
{
    (void)state;
    assert_same(
        "switch (l) { case 1: case 2: f += a[l]; break; case 7: f *= 2.0f; break; "
        "default: f /= 3.0f; }",
        "if (l == 1 || l == 2) f += a[l]; else if (l == 7) f *= 2.0f; "
        "else f /= 3.0f;");
    assert_same("switch (l % 4) { case 0: f += a[l]; case 1: f *= 2.0f; }",
                "if (l % 4 == 0) f += a[l]; if (l % 4 <= 1) f *= 2.0f;");
    assert_same("switch (l) { default: f /= 3.0f; case 5: f += a[l]; break; case 6: "
                "break; }",
                "if (l != 5 && l != 6) f /= 3.0f; if (l != 6) f += a[l];");
    assert_same("switch (2) { case 1: f /= 3.0f; break; case 2: f += a[l]; }",
                "f += a[l];");
    assert_same("for (int i = 0; i < m; i++) { switch (i) { case 2: continue; case 3: "
                "break; } f += a[i]; }",
                "for (int i = 0; i < m; i++) if (i != 2) f += a[i];");
    assert_same("switch (l) { case 0: { if (m > 3) break; f += a[l]; } }",
                "if (l == 0 && m <= 3) f += a[l];");
}

static void both_sides_of_data_are_counted_and_said(void **state)
{
    struct gcal_profile *p;

    (void)state;
    p = count(HEAD "if (l < 9 && ix[g] > 0) f += 1; else f *= 2;" FOOT, false);
    assert_true(p->estimated);
    assert_true(p->n_notes > 0);
    assert_non_null(strstr(p->notes[0], "data"));
    for (size_t i = 0; i < p->n_entries; i++)
        if (p->entries[i].op && strcmp(p->entries[i].op, "add") == 0)
            assert_int_equal(value_of(p->entries[i].count, sizes[0]), 9);
    gcal_profile_destroy(p);
}

/* A condition that no polynomial expresses is like one on data, but its note has the reason
 * that could be mended.
 */
static void both_sides_of_unknown_conditions_are_counted_and_said(void **state)
{
    static const struct {
        const char *body, *note;
        int executions;
    } rows[] = {
        { "if (g * g % 7 == 3 ^ l * n) f += 1; else f *= 2;", "5:5: both sides", 64 },
        { "if (l < 9 && (g & n) != 0) f += 1;", "'&' with 'n', which is not a number",
          9 },
        { "if (n & (n - 1)) f += 1;", "'&' with 'n-1', which is not a number", 64 },
        { "if ((g >> m) % 2) return; f += 1;", "as if control never left here", 64 },
    };

    (void)state;
    for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
        char *source = gcal_buf_format("%s%s%s", HEAD, rows[row].body, FOOT);
        struct gcal_profile *p = count(source, false);
        bool found = false;

        assert_true(p->n_notes > 0);
        if (!strstr(p->notes[0], rows[row].note))
            fail_msg("%s\n%s", rows[row].body, p->notes[0]);
        for (size_t i = 0; i < p->n_entries; i++)
            if (p->entries[i].op && strcmp(p->entries[i].op, "add") == 0) {
                assert_true(p->entries[i].estimated);
                assert_int_equal(value_of(p->entries[i].count, sizes[0]),
                                 rows[row].executions);
                found = true;
            }
        assert_true(found);
        gcal_profile_destroy(p);
        free(source);
    }
}

/* Events of a loop are overcounted before an unknown exit as well as after it. */
static void all_of_a_loop_left_somewhen_is_marked(void **state)
{
    static const char *const bodies[] = {
        "for (int i = 0; i < m; i++) { f *= t[i]; if (ix[i]) break; s[i].tag = 1; }",
        "for (int i = 0; i < m; i++) { f *= t[i]; if (ix[i]) return; s[i].tag = 1; }",
        ("for (int i = 0; i < m; i++) { f *= t[i];\n"
         "  for (int j = 0; j < m; j++) if (ix[j]) return; s[i].tag = 1; }"),
        ("for (int i = 0; i < m; i++) { f *= t[i]; if (ix[i] > 3) continue;\n"
         "  if (ix[i]) break; s[i].tag = 1; }"),
    };

    (void)state;
    for (size_t b = 0; b < sizeof(bodies) / sizeof(bodies[0]); b++) {
        char *source = gcal_buf_format("%s%s%s", HEAD, bodies[b], FOOT);
        struct gcal_count_request r = request_for(source);
        struct gcal_error err = { 0 };
        struct gcal_profile *p;
        size_t n_inside = 0;

        r.allow_estimates = true;
        if (!(p = gcal_count(&r, &err)))
            fail_msg("%s\n%s", bodies[b], err.text);
        for (size_t i = 0; i < p->n_entries; i++) {
            const struct gcal_profile_entry *e = &p->entries[i];
            bool inside = (e->op && strcmp(e->op, "mul") == 0) ||
                          (e->array && strchr("sit", e->array[0]));
            bool before =
                e->array && e->direction == GCAL_FEATURE_LOAD && e->array[0] == 'a';

            if ((inside && !e->estimated) || (before && e->estimated))
                fail_msg("%s\n%s is %s", bodies[b], e->feature,
                         e->estimated ? "marked" : "not marked");
            n_inside += inside;
        }
        assert_int_equal(n_inside, 4);
        gcal_profile_destroy(p);
        free(source);
    }
}

/* ---- functions, structures, tags ---- */

static void assert_same_sources(const char *a, const char *b)
{
    struct gcal_profile *p = count(a, true), *q = count(b, true);
    char *of_a = totals_text(p), *of_b = totals_text(q);

    if (strcmp(of_a, of_b) != 0)
        fail_msg("%s\n%s\n%s\n%s", a, of_a, b, of_b);
    free(of_a);
    free(of_b);
    gcal_profile_destroy(p);
    gcal_profile_destroy(q);
}

static void helpers_count_as_if_written_in_place(void **state)
{
    (void)state;
    assert_same_sources(
        "int clip(int x, int lo, int hi) { if (x < lo) return lo; if (x > hi) return hi; "
        "return x; }\n"
        "int twice(int x) { return 2 * x; }\n"
        "void touch(__global float *p, int n, int *done) { if (n > 9) return; *p += "
        "1.5f; "
        "*done = 1; }\n" HEAD "int d; for (int i = 0; i < clip(l - 3, 2, 20); i++) f += "
        "a[twice(twice(i))]; touch(a + g, l, &d);" FOOT,
        HEAD
        "for (int i = 0; i < min(max(l - 3, 2), 20); i++) f += a[4 * i]; if (l <= 9) "
        "a[g] += 1.5f;" FOOT);
}

static void members_of_structures_are_accesses(void **state)
{
    struct gcal_profile *p = count(HEAD "s[2 * l].tag = 3;" FOOT, true);
    char *text = counted("struct pair q = s[g]; f += q.x; s[g + m] = q;", true);

    (void)state;
    assert_same("f += s[g].x; s[g].tag = 3;",
                "__global struct pair *q = s + g; f += q->x; (*q).tag = 3;");
    assert_non_null(strstr(text, "int32 global load x1 64\n"));
    assert_non_null(strstr(text, "int32 global store x1 64\n"));
    assert_non_null(strstr(text, "float32 global load x1 128\n"));
    free(text);
    for (size_t i = 0; i < p->n_entries; i++)
        if (p->entries[i].array && strcmp(p->entries[i].array, "s") == 0)
            assert_string_equal(p->entries[i].lid_stride[0], "4");
    gcal_profile_destroy(p);
}

static void comments_tag_accesses(void **state)
{
    char *text =
        counted("f += a/*$first*/[l] + *(a + m)/*$second*/; a /*$out*/ [l] = f;", true);

    (void)state;
    assert_non_null(strstr(text, "float32 global load x1 first 64\n"));
    assert_non_null(strstr(text, "float32 global store x1 out 64\n"));
    free(text);
    /* after the first of several subscripts; after a pointer argument */
    assert_same("__local float (*u)[4] = (__local float (*)[4])t; f += u/*$t*/[l][2];",
                "__local float (*u)[4] = (__local float (*)[4])t;\n"
                "f += GPUCAL_TAG(t, u[l][2]);");
    assert_same("vstore2(vload2(l, a/*$from*/), m, a/*$to*/);",
                "vstore2(vload2(l, &GPUCAL_TAG(from, *a)), m, &GPUCAL_TAG(to, *a));");
    assert_refused("f += a[l/*$t*/];", "x.cl:5:9: ", "belongs to no access");
    assert_refused("f += 1;\n#define LOAD a/*$t*/[l]\nf += LOAD;",
                   "x.cl:6:15: ", "GPUCAL_TAG");
}

/* ---- refused constructs ---- */

/* A variable that a pointer may change is unknown, even if it was set in between. */
static void refuses_what_pointers_change(void **state)
{
    (void)state;
    assert_refused("int x = 0; int *p = &x; x = 3; *p = 5;\n"
                   "for (int i = 0; i < x; i++) f += 1;",
                   "x.cl:6:17: ", "address");
}

/* The negation of a condition with a minimum is two conditions. */
static void refuses_loops_that_go_on_from_a_minimum(void **state)
{
    (void)state;
    assert_refused("int i; for (i = 0; i < m - n; i++) f += a[i];\n"
                   "for (int q = 0; q < 8; q++)\n"
                   "    for (; i < n; i++) { if (i >= 9) continue; f += a[l]; }",
                   "x.cl: ", "exactly");
}

/* clang goes on after it has said that OpenCL C has no such calls. */
static void refuses_calls_through_pointers(void **state)
{
    (void)state;
    assert_refused("float4 v = (&vload4)(g, a);\nf = v.x;", "x.cl:5:12: ", "pointer");
}

static void refuses_recursion(void **state)
{
    struct gcal_count_request r =
        request_for("int r(int x) { return x ? r(x - 1) : 0; }\n"
                    "__kernel void k(__global int *a, int n) {\n"
                    "a[0] = r(n); }");
    struct gcal_error err = { 0 };

    (void)state;
    assert_null(gcal_count(&r, &err));
    assert_non_null(strstr(err.text, "recursive functions"));
}

/* 2^22 calls, of which none is of itself. */
static void refuses_calls_that_nest_deeply(void **state)
{
    char text[2000] = "float f0(float x) { return x + 1; }\n";
    struct gcal_count_request r;
    struct gcal_error err = { 0 };
    size_t at = strlen(text);

    (void)state;
    for (int i = 1; i <= 22; i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at,
                               "float f%d(float x) { return f%d(x) + f%d(x); }\n", i,
                               i - 1, i - 1);
    snprintf(text + at, sizeof(text) - at,
             "__kernel void k(__global float *a, int n) { a[n] = f22(a[n]); }");
    r = request_for(text);
    assert_null(gcal_count(&r, &err));
    assert_non_null(strstr(err.text, "calls within more than 20 others"));
}

static void refuses_too_many_variables(void **state)
{
    enum { N = 9000, MOST_EACH = 20 };
    char *text = malloc(N * MOST_EACH + 100);
    struct gcal_count_request r;
    struct gcal_error err = { 0 };
    size_t at;

    (void)state;
    assert_non_null(text);
    at = (size_t)sprintf(text, "__kernel void k(__global int *a, int n) {\n");
    for (int i = 0; i < N; i++)
        at += (size_t)sprintf(text + at, "int v%d = n;\n", i);
    sprintf(text + at, "a[n] = v7; }");
    r = request_for(text);
    assert_null(gcal_count(&r, &err));
    assert_non_null(strstr(err.text, "more than 8192 variables"));
    free(text);
}

static void refuses_with_place_and_reason(void **state)
{
    (void)state;
    assert_refused("goto out; out: f = 1;", "x.cl:5:1: ", "goto");
    assert_refused("for (int i = 1; i < n; i *= 3) f += a[i];", "x.cl:5:17: ", "affine");
    assert_refused("for (int i = 0; i < m; i--) f += a[i];", "x.cl:5:17: ", "never ends");
    assert_refused("while (ix[g]) f += 1;", "x.cl:5:8: ", "#pragma gpucal trips");
    assert_refused("for (int i = 0; i < m; i++) { if (ix[i]) break; f += 1; }",
                   "x.cl:5:42: ", "#pragma gpucal trips");
    assert_refused("for (int i = 0; i < m; i += ix[g]) f += 1;", "x.cl:5:17: ", "data");
    assert_refused("for (int i = 0; i < n * n; i += m - 3) f += a[i] ;",
                   "x.cl:5:17: ", "steps by 'm-3'");
}

/* The remedy that a message names is one. */
static void steps_by_a_difference_need_an_assumption(void **state)
{
    static const char body[] = "for (int i = 0; i < n; i += %s) f += a[i];";
    static const char *const steps[][2] = { { "q - 2", "m >= 1 and q >= 3" },
                                            { "n - q", "m >= 1 and n > q" } };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char *loop = gcal_buf_format(body, steps[i][0]);
        char *source =
            gcal_buf_format("__kernel void k(__global float *a, int n, int q)\n"
                            "{ float f = 0; %s a[0] = f; }",
                            loop);
        char *remedy = gcal_buf_format("--assume \"%s\"", steps[i][1]);
        struct gcal_count_request r = request_for(source);
        struct gcal_error err = { 0 };
        struct gcal_profile *p;

        assert_null(gcal_count(&r, &err));
        if (!strstr(err.text, remedy))
            fail_msg("%s\n%s", source, err.text);
        r.assume = steps[i][1];
        if (!(p = gcal_count(&r, &err)))
            fail_msg("%s\n%s", source, err.text);
        gcal_profile_destroy(p);
        free(remedy);
        free(source);
        free(loop);
    }
}

/* Whatever the global size, all work-items together visit each element once. */
static void strides_by_the_global_size_need_no_number(void **state)
{
    struct gcal_count_request r =
        request_for("__kernel void k(__global float *a, int n)\n"
                    "{ float f = 0; for (int i = get_global_id(0); i < n;\n"
                    "  i += get_global_size(0)) f += a[i]; a[get_global_id(0)] = f; }");
    struct gcal_error err = { 0 };
    struct gcal_profile *p;
    bool found = false;

    (void)state;
    r.global_size[0] = "many";
    if (!(p = gcal_count(&r, &err)))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < p->n_entries; i++)
        if (strncmp(p->entries[i].feature, "f_mem_access_global_float32_load", 32) == 0) {
            assert_string_equal(p->entries[i].count, "n");
            found = true;
        }
    assert_true(found);
    gcal_profile_destroy(p);
}

static void counting_is_deterministic(void **state)
{
    static const char source[] = HEAD
        "for (int i = l; i < m; i += 3) { if (i % 2) continue; if (i > 40) break; "
        "f += a[i] * a[2 * i]; } for (int i = 32; i; i /= 2) if (l < i) f += t[i];" FOOT;
    struct gcal_profile *p = count(source, true), *q = count(source, true);

    (void)state;
    assert_int_equal(p->n_entries, q->n_entries);
    for (size_t i = 0; i < p->n_entries; i++) {
        assert_string_equal(p->entries[i].feature, q->entries[i].feature);
        assert_string_equal(p->entries[i].count, q->entries[i].count);
    }
    gcal_profile_destroy(p);
    gcal_profile_destroy(q);
}

/* The count of the loads of 'space'. */
static const char *loads_of(const struct gcal_profile *p, enum gcal_feature_space space)
{
    for (size_t i = 0; i < p->n_entries; i++)
        if (p->entries[i].kind == GCAL_FEATURE_MEM_ACCESS &&
            p->entries[i].space == space && p->entries[i].direction == GCAL_FEATURE_LOAD)
            return p->entries[i].count;
    fail_msg("no load");
    return NULL;
}

static void integers_of_arguments_by_value_are_sizes(void **state)
{
    struct gcal_profile *p =
        count("typedef struct { float scale; int first, last; } part;\n"
              "__kernel void k(__global float *a, int2 size, part p, int other_x, int2 "
              "other) {\n"
              "  float f = 0; for (int i = p.first; i < p.last; i++)\n"
              "    for (int j = 0; j < size.y; j++) f += a[i * size.x + j];\n"
              "  if (other.y > 0) f += 1; a[0] = f; }",
              true);
    struct gcal_count_request r;
    struct gcal_error err = { 0 };

    (void)state;
    assert_string_equal(loads_of(p, GCAL_FEATURE_SPACE_GLOBAL),
                        "n*size_y*max(-p_first+p_last,0)");
    gcal_profile_destroy(p);
    /* Arrays in them as well, also in helpers; what is changed somewhere is known no more. */
    p = count("typedef struct { int dims[4], pitch[4]; float scale; } grid;\n"
              "float row(grid q, __global const float *x, int j) {\n"
              "  float f = 0; for (int i = 0; i < q.dims[0]; i++)\n"
              "    f += x[j * q.pitch[1] + i]; return f; }\n"
              "__kernel void k(__global float *a, const grid g) {\n"
              "  float f = 0; for (int j = 0; j < g.dims[1]; j++) f += row(g, a, j);\n"
              "  a[0] = f; }",
              true);
    assert_string_equal(loads_of(p, GCAL_FEATURE_SPACE_GLOBAL), "n*g_dims_0*g_dims_1");
    gcal_profile_destroy(p);
    r = request_for("typedef struct { int dims[4]; } grid;\n"
                    "__kernel void k(__global float *a, grid g, int m) {\n"
                    "  g.dims[m] = 7; for (int j = 0; j < g.dims[1]; j++) a[j] += 1; }");
    assert_null(gcal_count(&r, &err));
    assert_non_null(strstr(err.text, "it comes from a private array or structure"));
}

static void generic_pointers_access_what_they_point_to(void **state)
{
    struct gcal_count_request r =
        request_for("float sum(const float *p, int n) {\n"
                    "  float s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }\n"
                    "void bump(int *k, float2 *v) { *k += 1; v->x = 2.0f; }\n"
                    "__kernel void k(__global float *a, __local float *t, int m) {\n"
                    "  float w[4] = { 1 }; float2 v = 0; int k = 0; float *q = w;\n"
                    "  bump(&k, &v); for (int i = 0; i < 4; i++) *q++ = v.y;\n"
                    "  a[0] = sum(w, 4) + sum(t, 3) + sum(a, m); }");
    struct gcal_error err = { 0 };
    struct gcal_profile *p;

    (void)state;
    r.build_options = "-cl-std=CL2.0";
    if (!(p = gcal_count(&r, &err)))
        fail_msg("%s", err.text);
    assert_string_equal(loads_of(p, GCAL_FEATURE_SPACE_GLOBAL), "n*m");
    assert_string_equal(loads_of(p, GCAL_FEATURE_SPACE_LOCAL), "3*n");
    gcal_profile_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_of_all_forms_count_alike),
        cmocka_unit_test(loops_of_fixed_trips_count_as_if_written_out),
        cmocka_unit_test(what_never_has_a_value_unrolls_no_loop),
        cmocka_unit_test(what_leaves_a_loop_ends_it),
        cmocka_unit_test(loops_on_data_take_an_average),
        cmocka_unit_test(conditions_are_exact),
        cmocka_unit_test(switches_count_as_conditions),
        cmocka_unit_test(both_sides_of_data_are_counted_and_said),
        cmocka_unit_test(both_sides_of_unknown_conditions_are_counted_and_said),
        cmocka_unit_test(all_of_a_loop_left_somewhen_is_marked),
        cmocka_unit_test(helpers_count_as_if_written_in_place),
        cmocka_unit_test(members_of_structures_are_accesses),
        cmocka_unit_test(comments_tag_accesses),
        cmocka_unit_test(refuses_what_pointers_change),
        cmocka_unit_test(refuses_loops_that_go_on_from_a_minimum),
        cmocka_unit_test(refuses_calls_through_pointers),
        cmocka_unit_test(refuses_recursion),
        cmocka_unit_test(refuses_calls_that_nest_deeply),
        cmocka_unit_test(refuses_too_many_variables),
        cmocka_unit_test(refuses_with_place_and_reason),
        cmocka_unit_test(steps_by_a_difference_need_an_assumption),
        cmocka_unit_test(strides_by_the_global_size_need_no_number),
        cmocka_unit_test(counting_is_deterministic),
        cmocka_unit_test(integers_of_arguments_by_value_are_sizes),
        cmocka_unit_test(generic_pointers_access_what_they_point_to),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
