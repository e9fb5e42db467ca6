/* test_index.c - integer operations are index arithmetic where they end in a subscript and are
 * affine in ids and loop counters; all others are operations, wherever they end
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/model/profile.h"
#include "kernels/count/count.h"
#include "tests/kernels/count/by_hand/by_hand.h"

enum { ITEMS = 32 };

/* ROUNDS: a hundred rounds of a random number, in 's'. */
static const char before[] =
    "#define ROUND(s) s ^= s << 13; s ^= s >> 17; s ^= s << 5;\n"
    "#define ROUNDS for (int r = 0; r < 100; r++) { ROUND(s) }\n"
    "uint next(uint s) { ROUND(s) return s; }\n"
    "uint all(uint s) { ROUNDS return s; }\n"
    "float at(global const float *t, uint k) { return t[k]; }\n"
    "struct state { uint s; float x; };\n"
    "kernel void k(global float *a, global int *h, global const float *t, global float4 "
    "*v,\n"
    "              read_only image2d_t image, uint seed, int n, int m)\n"
    "{\n"
    "    local float near[256];\n"
    "    local int bin[16];\n"
    "    int l = get_local_id(0);\n"
    "    float p[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };\n"
    "    uint s = seed;\n";

static struct gcal_profile *count(const char *statement)
{
    char source[4000];
    struct gcal_count_request r = { .source = source,
                                    .file = "k.cl",
                                    .n_dims = 1,
                                    .local_size = { ITEMS },
                                    .global_size = { "32" },
                                    .allow_estimates = true,
                                    .sub_group_size = 1,
                                    .index_arithmetic = true };

    snprintf(source, sizeof(source), "%s%s\n}\n", before, statement);
    return by_hand_count(&r, statement);
}

/* "uint32 shl 6400, uint32 shr 3200": entries of the kind, of all work-items, but of operations
 * that need no cost in any case.
 */
static void describe(const struct gcal_profile *p, enum gcal_feature_kind kind,
                     char text[400])
{
    text[0] = '\0';
    for (size_t i = 0; i < p->n_entries; i++) {
        const struct gcal_profile_entry *e = &p->entries[i];
        size_t used = strlen(text);

        if (e->kind == kind && strcmp(e->op, "cmp") != 0 && strcmp(e->op, "convert") != 0)
            snprintf(text + used, 400 - used, "%s%s %s %s", used ? ", " : "", e->dtype,
                     e->op, e->count);
    }
}

static void check(const char *statement, enum gcal_feature_kind kind, const char *counted)
{
    struct gcal_profile *p = count(statement);
    char text[400];

    describe(p, kind, text);
    if (strcmp(text, counted) != 0)
        fail_msg("%s: counted '%s' instead of '%s'", statement, text, counted);
    gcal_profile_destroy(p);
}

/* The rounds are the same work wherever they end; 'more': other operations. */
static void a_hash_is_data_wherever_it_ends(void **state)
{
    static const char *const rounds = "uint32 shl 6400, uint32 shr 3200, uint32 xor 9600";
    static const struct {
        const char *statement, *more;
    } cases[] = {
        { "ROUNDS h[l] = s;", "" },
        { "ROUNDS a[l] = t[s];", "" },
        { "ROUNDS a[l] = t[s & 255];", "uint32 and 32" },
        { "ROUNDS h[l] = s; a[l] = t[s & 255];", "uint32 and 32" },
        { "ROUNDS a[l] = near[s & 255];", "uint32 and 32" },
        { "ROUNDS a[l] = at(t, s & 255);", "uint32 and 32" },
        { "s = all(s); a[l] = t[s & 255];", "uint32 and 32" },
        { "for (int r = 0; r < 100; r++) s = next(s); a[l] = t[s & 255];",
          "uint32 and 32" },
        { "a[l] = at(t, all(l));", "" },
        { "ROUNDS a[l] = p[s & 7];", "uint32 and 32" },
        { "ROUNDS a[l] = t[l > 3 ? s & 7 : s & 3];", "uint32 and 32" },
        { "ROUNDS if (s & 1) a[l] = 1;", "uint32 and 32" },
        { "ROUNDS a[l] = s & 1 ? 1 : 2;", "uint32 and 32" },
        { "ROUNDS global float *q = a; q += s & 7; *q = 1;", "uint32 and 32" },
        { "ROUNDS *(a + (s & 7)) = 1;", "uint32 and 32" },
        { "ROUNDS a[l] = read_imagef(image, (int2)(s & 7, l)).x;", "uint32 and 32" },
        { "ROUNDS atomic_inc(&h[s & 15]);", "uint32 and 32" },
        { "ROUNDS atomic_inc(&bin[s & 15]);", "uint32 and 32" },
        { "ROUNDS a[l] = vload4(s & 7, t).x;", "uint32 and 32" },
        { "ROUNDS int place = s & 255; a[l] = t[place];", "uint32 and 32" },
        { "struct state o = { 1, 2 }; for (int r = 0; r < 100; r++) { "
          "ROUND(o.s) } a[l] = t[o.s];",
          "" },
        { "uint2 o = (uint2)(1, 2); for (int r = 0; r < 100; r++) { ROUND(o.x) "
          "} a[l] = t[o.x];",
          "" },
        { "uint w[2] = { 1, 2 }; for (int r = 0; r < 100; r++) { ROUND(w[0]) } "
          "a[l] = t[w[0]];",
          "" },
        { "int r = 0; while (r < 100) { ROUND(s) r++; } a[l] = t[s];", "" },
        { "int r = 0; do { ROUND(s) r++; } while (r < 100); a[l] = t[s];", "" },
        { "for (int r = 0; r < 100; r++) { ROUND(s) a[l] += t[s & 255]; }",
          "float32 add 3200, uint32 and 3200" },
        { "for (int r = 0; r < 100; r++) { ROUND(s) a[l] += t[s + r]; }",
          "float32 add 3200, uint32 add 3200" },
        { "ROUNDS h[l] = t[s & 7] > 1 ? s : 0;", "uint32 and 32" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[400];

        snprintf(text, sizeof(text), "%s%s%s", cases[i].more, *cases[i].more ? ", " : "",
                 rounds);
        check(cases[i].statement, GCAL_FEATURE_OP, text);
    }
}

static void what_is_affine_is_index_arithmetic(void **state)
{
    static const struct {
        const char *statement, *operations, *index;
    } cases[] = {
        { "for (int r = 0; r < 100; r++) s = s * 1664525u + 1013904223u; a[l] = t[s >> "
          "24];",
          "uint32 add 3200, uint32 mul 3200, uint32 shr 32", "int32 add 3200" },
        { "for (int r = 0; r < 100; r++) s = (s + 1) % n; a[l] = t[s];",
          "uint32 add 3200, uint32 rem 3200", "int32 add 3200" },
        { "for (int r = 0; r < 100; r++) { s = s * s; s = s / 3; } a[l] = t[s];",
          "uint32 div_constant 3200, uint32 mul 3200", "int32 add 3200" },
        { "for (int r = 0; r < 100; r++) { s += 3; a[l] += t[s]; }", "float32 add 3200",
          "int32 add 3200, uint32 add 3200" },
        { "for (int r = 0; r < 100; r++) { s += h[r]; a[l] += t[s]; }",
          "float32 add 3200, uint32 add 3200", "int32 add 3200" },
        { "for (int r = 0; r < 100; r++) { l = h[l]; } a[l] = 1;", "", "int32 add 3200" },
        { "a[l] = t[h[l]];", "", "" },
        { "a[l] = t[h[l] >> 3];", "int32 shr 32", "" },
        { "a[l] = t[h[l] & 1023];", "int32 and 32", "" },
        { "a[l] = t[(h[l] >> 3) & 1023];", "int32 and 32, int32 shr 32", "" },
        { "a[l] = t[h[l] + 1];", "int32 add 32", "" },
        { "a[l] = t[3 * h[l] + l];", "int32 add 32, int32 mul 32", "" },
        { "a[l] = t[clamp(l - 1, 0, n - 1)];", "int32 clamp 32", "int32 add 64" },
        { "a[l] = t[min(max(l + 1, 0), n - 1)];", "int32 min 32",
          "int32 add 64, int32 max 32" },
        { "a[l] = t[max(l, 0)];", "", "int32 max 32" },
        { "a[l] = t[l < 1 ? 0 : l - 1];", "", "int32 add 31" },
        { "a[l] = t[l % n];", "int32 rem 32", "" },
        { "a[l] = t[l / n];", "int32 div 32", "" },
        { "a[l] = t[l / n * (n + 1) + l % n];",
          "int32 add 32, int32 div 32, int32 mul 64", "int32 add 32" },
        { "a[l] = t[l % n]; a[l + 1] = t[l / n];", "int32 rem 32", "int32 add 32" },
        { "for (int k = 0; k < m; k++) a[l] += t[l / n + k * (l % n)];",
          "float32 add 32*m, int32 div 32*step(m-1), int32 mul 32*step(m-1)",
          "int32 add 64*m, int32 mul 32*m" },
        { "if (l > n) a[l] = t[l / n]; else a[l] = t[l % n];",
          "int32 div max(-n,-31)+31, int32 rem min(n,31)+1", "" },
        { "a[l] = t[h[l] / n + h[l] % n];", "int32 add 32, int32 div 32, int32 rem 32",
          "" },
        { "a[l] = t[l / 7];", "int32 div_constant 32", "" },
        { "a[l] = t[l & 6];", "int32 and 32", "" },
        { "a[l] = t[l ^ 1];", "int32 xor 32", "" },
        { "a[l] = t[l * l];", "int32 mul 32", "" },
        { "a[l] = t[3 * l + n];", "", "int32 add 32, int32 mul 32" },
        { "a[l] = t[n / 2 * l + m * n];", "",
          "int32 add 32, int32 div_constant 32, int32 mul 64" },
        { "a[l] = t[n * (l + 1) - m];", "", "int32 add 64, int32 mul 32" },
        { "a[l] = t[mad24(l, n, 4)];", "", "int32 mad24 32" },
        { "for (int k = 0; k < m; k++) a[l] += t[k * n + l];", "float32 add 32*m",
          "int32 add 64*m, int32 mul 32*m" },
        { "for (int k = 0; k < m; k++) a[l] += t[k % n + l];",
          "float32 add 32*m, int32 add 32*m, int32 rem 32*m", "int32 add 32*m" },
        { "for (int k = 0; k < m; k++) a[l] += t[min(l, n) * m + k];",
          "float32 add 32*m, int32 min 32*step(m-1), int32 mul 32*step(m-1)",
          "int32 add 64*m" },
        { "for (int k = 0; k < m; k++) a[l] += t[min(l + k, n)];",
          "float32 add 32*m, int32 min 32*m", "int32 add 64*m" },
        { "for (int k = 0; k < m; k++) for (int i = 0; i < n; i++) a[l] += t[min(k, m - "
          "3) * n + i];",
          "float32 add 32*n*m, int32 min 32*m*step(n-1), int32 mul 32*m*step(n-1)",
          "int32 add 64*n*m+32*step(n-1)*step(m-1)+32*m" },
        { "for (int k = 0; k < 4; k++) a[l] += t[(k + 1) % 4 * n + l];",
          "float32 add 128", "int32 add 384, int32 mul 128, int32 rem_constant 128" },
        { "for (int k = 0; k < 4; k++) a[l] += t[min(l, n) + k];",
          "float32 add 128, int32 min 32", "int32 add 256" },
        { "for (int k = 0; k < 100; k++) a[l] += t[(k + 1) % 4 * n + l];",
          "float32 add 3200, int32 add 3200, int32 mul 3200, int32 rem_constant 3200",
          "int32 add 6400" },
        { "for (int k = 0; k < m; k++) a[l] += t[h[l] * n + k];",
          "float32 add 32*m, int32 mul 32*m", "int32 add 64*m" },
        { "for (int k = 0; k < m; k++) a[l] += t[h[k] * n + k];",
          "float32 add 32*m, int32 add 32*m, int32 mul 32*m", "int32 add 32*m" },
        { "for (int k = 0; k < m; k++) a[l] += t[h[k] + 3];",
          "float32 add 32*m, int32 add 32*m", "int32 add 32*m" },
        { "for (int k = 0; k < m; k++) h[l] += 3 * k;", "int32 add 32*m, int32 mul 32*m",
          "int32 add 32*m" },
        { "if (l < n - 1) a[l] = 1;", "", "int32 add 32" },
        { "if (l % 4 == 0) a[l] = 1;", "int32 rem_constant 32", "" },
        { "if (h[l] < 3 && h[l + 1] * 2 > n) a[l] = 1;", "int32 mul 32", "int32 add 32" },
        { "int2 c = (int2)(l, l) + (int2)(1, n); a[l] = read_imagef(image, c).x;", "",
          "int32 add 64" },
        { "int2 c = clamp((int2)(l, l), (int2)(0, 0), (int2)(n, n)); a[l] = "
          "read_imagef(image, c).x;",
          "int32 clamp 64", "" },
        { "uchar c = l; a[l] = t[c];", "", "" },
        { "uint c = l - 1; a[l] = t[c];", "", "int32 add 32" },
        { "switch (s & 3) { case 0: a[l] = 1; break; default: a[l] = 2; }", "",
          "uint32 and 32" },
        { "uint c = 1; for (int r = 0; r < 500; r++) { c = (c * 5 + 1) & 63; a[l] += "
          "t[c]; }",
          "float32 add 16000, uint32 add 16000, uint32 and 16000, uint32 mul 16000",
          "int32 add 16000" },
        { "uint c = 1; for (int r = 0; r < m; r++) { c = (c * 5 + 1) & 63; a[l] += t[c]; "
          "}",
          "float32 add 32*m, uint32 add 32*m, uint32 and 32*m, uint32 mul 32*m",
          "int32 add 32*m" },
        { "uint c = l; for (int r = 0; r < 500; r++) { c = (c * 5 + 1) & 63; a[l] += "
          "t[c]; }",
          "float32 add 16000, uint32 add 16000, uint32 and 16000, uint32 mul 16000",
          "int32 add 16000" },
        { "uint c = 1; for (int r = 0; r < 20; r++) { c = (c * 5 + 1) & 63; a[l] += "
          "t[c]; }",
          "float32 add 640",
          "int32 add 640, uint32 add 640, uint32 and 640, uint32 mul 640" },
        { "for (int c = 1; c < 500; c = c * 3 + 1) { a[l] += t[c]; }", "float32 add 192",
          "int32 add 192, int32 mul 192" },
        { "for (int c = 128; c > 0; c >>= 1) { a[l] += t[c + l]; }", "float32 add 256",
          "int32 add 256, int32 shr 256" },
        { "for (int c = m; c > 0; c >>= 1) { a[l] += t[c + l]; }",
          "float32 add 32*floor(log2(max(2*m,1))), int32 add 32*floor(log2(max(2*m,1))), "
          "int32 shr 32*floor(log2(max(2*m,1)))",
          "" },
        { "for (int c = m; c > 0; c /= 2) { if (l < c) a[l] += t[c + l]; }",
          "float32 add 32*floor(log2(max(2*m,1))), int32 add 32*floor(log2(max(2*m,1))), "
          "int32 div_constant 32*floor(log2(max(2*m,1)))",
          "" },
        { "int c = 0; for (int r = 0; r < m; r++) { c = 1 - c; a[l] += near[c * 128 + "
          "l]; }",
          "float32 add 32*m, int32 add 64*m, int32 mul 32*m", "int32 add 32*m" },
        { "int c = 0; for (int r = 0; r < m; r++) { c ^= 1; a[l] += near[c * 128 + l]; }",
          "float32 add 32*m, int32 add 32*m, int32 mul 32*m, int32 xor 32*m",
          "int32 add 32*m" }
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        check(cases[i].statement, GCAL_FEATURE_OP, cases[i].operations);
        check(cases[i].statement, GCAL_FEATURE_INDEX_OP, cases[i].index);
    }
}

/* x, y: numbers that are the same in all iterations; 32 work-items. */
static void what_is_the_same_in_each_iteration_is_counted_before_the_loop(void **state)
{
    static const struct {
        const char *statement, *operations;
    } cases[] = {
        { "for (int k = 0; k < m; k++) f += x / y;",
          "float32 add 32*m, float32 div 32*step(m-1)" },
        { "for (int k = 0; k < 100; k++) f = f * x + sqrt(y);",
          "float32 madd 3200, float32 sqrt 32" },
        { "do { f += x / y; } while (++n < 50);", "float32 add 1600, float32 div 32" },
        { "for (int k = 0; k < 0; k++) f += x / y;", "" },
        /* all loops around; those in between run again for each iteration of the outer one */
        { "for (int j = 0; j < 50; j++) for (int k = 0; k < 100; k++) f += x / y;",
          "float32 add 160000, float32 div 32" },
        { "for (int j = 0; j < 50; j++) for (int k = 0; k < 100; k++) f += x / (y + j);",
          "float32 add 161600, float32 div 1600" },
        /* variables: declared with such a value, but not assigned */
        { "for (int k = 0; k < 100; k++) { float z = x / y; f += z; }",
          "float32 add 3200, float32 div 32" },
        { "for (int k = 0; k < 100; k++) { f += x / y; x = f; }",
          "float32 add 3200, float32 div 3200" },
        { "for (int k = 0; k < 100; k++) { float z = x / y; z += k; f += z / y; }",
          "float32 add 6400, float32 div 3232" },
        /* conditions move along, unless iterations decide */
        { "for (int k = 0; k < 100; k++) if (l < 8) f += x / y;",
          "float32 add 800, float32 div 8" },
        { "for (int k = 0; k < 100; k++) if (k > 90) f += x / y;",
          "float32 add 288, float32 div 288" },
        { "for (int k = 0; k < 100; k++) if (t[k] > 1.0f) f += x / y;",
          "float32 add 3200, float32 div 3200" },
        { "for (int j = 0; j < 10; j++) for (int k = 0; k < j; k++) f += x / y;",
          "float32 add 1440, float32 div 288" },
        { "for (int k = 0; k < 100; k++) { f += x / y; if (k == m) break; }", NULL },
        /* loads: of what is constant, or if the loop does not write */
        { "for (int k = 0; k < 100; k++) f += 1.0f / t[l];",
          "float32 add 3200, float32 div 32" },
        { "for (int k = 0; k < 100; k++) a[l] += 1.0f / t[l];",
          "float32 add 3200, float32 div 3200" },
        { "for (int k = 0; k < 100; k++) a[l] += 1.0f / r[l];",
          "float32 add 3200, float32 div 32" },
        { "for (int k = 0; k < 100; k++) a[l] += 1.0f / c[l];",
          "float32 add 3200, float32 div 32" },
        { "for (int k = 0; k < 100; k++) { barrier(1); f += 1.0f / t[l]; }",
          "float32 add 3200, float32 div 3200" },
        { "for (int k = 0; k < 100; k++) { atomic_inc(&h[k]); f += 1.0f / t[l]; }",
          "float32 add 3200, float32 div 3200" },
        { "for (int k = 0; k < 100; k++) { atomic_inc(&h[k]); f += x / y; }",
          "float32 add 3200, float32 div 32" },
        /* in functions as in place: 100 additions, and what is x / y once */
        { "f = sum(x, y);", "float32 add 3200, float32 div 32" },
        { "for (int k = 0; k < 100; k++) f += quotient(x, y);",
          "float32 add 3200, float32 div 32" },
        { "for (int k = 0; k < 100; k++) f += quotient(x, k);",
          "float32 add 3200, float32 div 3200" },
        { "for (int k = 0; k < 100; k++) f += quotient(x, y) + quotient(y, f);",
          "float32 add 6400, float32 div 3232" },
        { "for (int k = 0; k < 100; k++) f += quotient(quotient(x, y), y);",
          "float32 add 3200, float32 div 64" },
        { "for (int k = 0; k < 100; k++) f += 3.0f / quotient(x, y);",
          "float32 add 3200, float32 div 64" },
        { "for (int k = 0; k < 100; k++) f += late(x, y);",
          "float32 add 3200, float32 div 64" },
        { "for (int k = 0; k < 100; k++) f += late(f, y);",
          "float32 add 3200, float32 div 6400" },
        { "for (int j = 0; j < 10; j++) for (int k = 0; k < 10; k++) f += late(x, j);",
          "float32 add 3200, float32 div 640" },
        { "for (int k = 0; k < 10; k++) f += sum(x, y);",
          "float32 add 32320, float32 div 32" },
        { "for (int k = 0; k < 10; k++) f += 1.0f / sum(x, y);",
          "float32 add 32320, float32 div 352" },
        { "for (int k = 0; k < 100; k++) f += either(x, l < 8);",
          "float32 add 3200, float32 div 32" },
        { "for (int k = 0; k < 100; k++) f += either(x, k < 8);",
          "float32 add 3200, float32 div 3200" },
        { "for (int k = 0; k < 100; k++) f += 2.0f / either(x, m);",
          "float32 add 3200, float32 div 64" },
        { "for (int k = 0; k < 100; k++) f += table(x, 1);",
          "float32 add 3200, float32 div 32" },
        { "for (int k = 0; k < 100; k++) f += table(x, k & 3);",
          "float32 add 3200, float32 div 3200, int32 and 3200" },
        { "for (int k = 0; k < 100; k++) f += item(x);",
          "float32 add 3200, float32 div 32, uint64 add 32" },
        { "for (int k = 0; k < 100; k++) f += at(t, l);",
          "float32 add 3200, float32 div 32" },
        { "for (int k = 0; k < 100; k++) a[l] += at(t, l);",
          "float32 add 3200, float32 div 3200" },
        { "for (int k = 0; k < 100; k++) a[l] += at(r + 2, l);",
          "float32 add 3200, float32 div 32" },
        { "for (int k = 0; k < 100; k++) { put(a, l); f += at(t, l); }",
          "float32 add 3200, float32 div 3200" },
        { "for (int k = 0; k < 100; k++) { put(a, l); f += quotient(x, y); }",
          "float32 add 3200, float32 div 32" },
        { "volatile global float *z = a; for (int k = 0; k < 100; k++) f += 1.0f / z[l];",
          "float32 add 3200, float32 div 3200" },
        /* variables by their addresses */
        { "for (int k = 0; k < 100; k++) f += of(&x);",
          "float32 add 3200, float32 div 32" },
        { "for (int k = 0; k < 100; k++) f += of(v);",
          "float32 add 3200, float32 div 32" },
        { "for (int k = 0; k < 100; k++) { set(&x, k); f += 1.0f / x; }",
          "float32 add 3200, float32 div 3200" },
        { "for (int k = 0; k < 100; k++) { set(v, k); f += 1.0f / v[0]; }",
          "float32 add 3200, float32 div 3200" },
        { "float *q = v; for (int k = 0; k < 100; k++) { q[0] = k; f += 1.0f / v[0]; }",
          "float32 add 3200, float32 div 3200" },
        { "float *q = &x; for (int k = 0; k < 100; k++) { *q = k; f += 1.0f / x; }",
          "float32 add 3200, float32 div 3200" },
        /* variables of one value */
        { "for (int k = 0; k < 100; k++) { float z; z = x / y; f += 1.0f / z; }",
          "float32 add 3200, float32 div 64" },
        { "float z; for (int k = 0; k < 100; k++) { z = x / y; f += 1.0f / z; }",
          "float32 add 3200, float32 div 64" },
        { "float z = 1; for (int k = 0; k < 100; k++) { f += 1.0f / z; z = x / y; }",
          "float32 add 3200, float32 div 3232" },
        { "float z; z = 1; for (int k = 0; k < 100; k++) { f += 1.0f / z; z = x / y; }",
          "float32 add 3200, float32 div 3232" },
        { "for (int k = 0; k < 100; k++) { float z; z = x / z; f += 1.0f / z; }",
          "float32 add 3200, float32 div 6400" },
        /* loops that are walked iteration by iteration */
        { "for (int k = 1; k < 32; k *= 2) f += x / y;",
          "float32 add 160, float32 div 32" },
        { "for (int k = 1; k < 32; k *= 2) if (k > 4) f += x / y;",
          "float32 add 64, float32 div 32" },
        { "for (int k = 16; k > 0; k /= 2) if (l < k) f += x / y;",
          "float32 add 31, float32 div 16" },
        { "for (int k = 1; k < 32; k *= 2) if (l < k) f += x / y;",
          "float32 add 31, float32 div 31" },
    };
    char source[4000], text[400];
    const struct gcal_count_request r = { .source = source,
                                          .file = "k.cl",
                                          .n_dims = 1,
                                          .local_size = { ITEMS },
                                          .global_size = { "32" },
                                          .allow_estimates = true,
                                          .sub_group_size = 1 };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct gcal_profile *p;

        snprintf(
            source, sizeof(source),
            "constant float c[64] = { 2 };\n"
            "float sum(float x, float y)\n"
            "{ float f = 0; for (int k = 0; k < 100; k++) f += x / y; return f; }\n"
            "float quotient(float x, float y) { return x / y; }\n"
            "float late(float x, float y)\n"
            "{ float z, q; z = quotient(x, y); q = 1.0f / z; return q; }\n"
            "float either(float x, int m)\n"
            "{ if (m) return x / 3.0f; return 2.0f / x; }\n"
            "float table(float x, int i)\n"
            "{ const float w[] = { 1, 2, 3, 4 }; return x / w[i]; }\n"
            "float item(float x) { return x / (get_global_id(0) + get_local_size(0)); }\n"
            "float at(global const float *t, int i) { return 1.0f / t[i]; }\n"
            "void put(global float *t, int i) { t[i] = 0; }\n"
            "float of(const float *p) { return 1.0f / p[0]; }\n"
            "void set(float *p, float x) { p[0] = x; }\n"
            "kernel void k(global float *a, global int *h, global const float *t,\n"
            "              global const float *restrict r, float x, float y, int m)\n"
            "{ int l = get_local_id(0), n = 0; float f = 0, v[2] = { x, y };\n%s "
            "a[l] = f; }\n",
            cases[i].statement);
        p = by_hand_count(&r, cases[i].statement);
        describe(p, GCAL_FEATURE_OP, text);
        if (cases[i].operations && strcmp(text, cases[i].operations) != 0)
            fail_msg("%s: counted '%s' instead of '%s'", cases[i].statement, text,
                     cases[i].operations);
        gcal_profile_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_the_same_in_each_iteration_is_counted_before_the_loop),
        cmocka_unit_test(a_hash_is_data_wherever_it_ends),
        cmocka_unit_test(what_is_affine_is_index_arithmetic),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
