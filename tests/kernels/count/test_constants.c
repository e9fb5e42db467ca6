/* test_constants.c - arithmetic that front ends fold is not counted; auxiliary operations
 * are counted on request, and change nothing else
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

static const char before[] = "#define R 2\n"
                             "#define TILE 16\n"
                             "enum { ROWS = 4 };\n"
                             "constant float scale = 2.5f;\n"
                             "constant int shift = 3;\n"
                             "constant float table[4] = { 1, 2, 3, 4 };\n"
                             "float twice(const float v) { return v * 2.0f; }\n"
                             "kernel void k(global float *a, global int *h,\n"
                             "              global float4 *v, int n)\n"
                             "{\n"
                             "    size_t i = get_global_id(0);\n"
                             "    float x = a[i], y;\n"
                             "    int q = h[i], p;\n"
                             "    float4 u = v[i];\n"
                             "    const float half_pi = M_PI_F / 2, tau = half_pi * 4;\n"
                             "    const int five = 2 * R + 1;\n"
                             "    const float known_late = x;\n";

static struct gcal_profile *count(const char *statement, bool index_arithmetic,
                                  size_t sub_group_size)
{
    char source[3000];
    struct gcal_count_request r = { .source = source,
                                    .file = "k.cl",
                                    .n_dims = 1,
                                    .local_size = { ITEMS },
                                    .global_size = { "32" },
                                    .allow_estimates = true,
                                    .sub_group_size = sub_group_size,
                                    .index_arithmetic = index_arithmetic };

    snprintf(source, sizeof(source), "%s%s\n}\n", before, statement);
    return by_hand_count(&r, statement);
}

/* "float32 mul 2, int32 and 1": the entries of the kind, per work-item. */
static void describe(const struct gcal_profile *p, enum gcal_feature_kind kind,
                     char text[400])
{
    text[0] = '\0';
    for (size_t i = 0; i < p->n_entries; i++) {
        const struct gcal_profile_entry *e = &p->entries[i];
        size_t used = strlen(text);

        if (e->kind == kind)
            snprintf(text + used, 400 - used, "%s%s %s %g", used ? ", " : "", e->dtype,
                     e->op, strtod(e->count, NULL) / ITEMS);
    }
}

struct constant_case {
    const char *statement, *counted;
};

static void check(const struct constant_case *cases, size_t n,
                  enum gcal_feature_kind kind, bool index_arithmetic)
{
    for (size_t i = 0; i < n; i++) {
        struct gcal_profile *p = count(cases[i].statement, index_arithmetic, 1);
        char text[400];

        describe(p, kind, text);
        if (strcmp(text, cases[i].counted) != 0)
            fail_msg("%s: '%s', not '%s'", cases[i].statement, text, cases[i].counted);
        gcal_profile_destroy(p);
    }
}

static void folds_constants(void **state)
{
    static const struct constant_case cases[] = {
        { "y = 2 * 3.0f * x;", "float32 mul 1" },
        { "y = x * 2 * 3;", "float32 mul 2" },
        { "y = x * (2 * 3);", "float32 mul 1" },
        { "y = -2 * M_PI_F / ROWS * x;", "float32 mul 1" },
        { "y = x + 1.0f / (2 * R + 1);", "float32 add 1" },
        { "y = x + 1.0f / 36.0f;", "float32 add 1" },
        { "y = (float)R - 1.0f + x;", "float32 add 1" },
        { "y = x * (float)sizeof(float4);", "float32 mul 1" },
        { "y = 2.0f * 3.0f + x;", "float32 add 1" }, /* nothing to fuse */
        { "y = x + 2.0f * 3.0f;", "float32 add 1" },
        { "y = 2.0f * 3.0f + 4.0f;", "" },
        { "y = 1.0f + 2.0f * x;", "float32 madd 1" },
        { "y += 2.0f * 3.0f;", "float32 add 1" },
        { "y = tau * 2 * x;", "float32 mul 1" },
        { "y = scale * 2 * x;", "float32 mul 1" },
        { "y = x * (1 << shift);", "float32 mul 1" },
        { "y = table[2] * 2;", "float32 mul 1" }, /* a load */
        { "y = x * (R > 1 ? 2.0f * 3.0f : 4.0f);", "float32 mul 1" },
        { "y = (R > 1 ? 2.0f : x) * 3.0f;", "" },
        { "y = (n > 1 ? 2.0f : 2.0f) * 3.0f;", "float32 mul 1" },
        { "y = x * -INFINITY;", "float32 mul 1" },
        { "y = known_late * 2;", "float32 mul 1" }, /* const, but no constant */
        { "y = 2; y = y * 3;", "float32 mul 1" },   /* a variable */
        { "y = (y = 2.0f) * 3;", "float32 mul 1" },
        { "p = 1; y = p++ * 2;", "int32 add 1, int32 mul 1" },
        { "y = twice(2.0f) * 3.0f;", "float32 mul 2" }, /* calls are not folded */
        { "y = sqrt(2.0f) * 3.0f;", "float32 mul 1, float32 sqrt 1" },
        { "p = q < TILE / ROWS;", "" },
        { "p = (16 - 1) ^ q;", "int32 xor 1" },
        { "p = q * (five - 1);", "int32 mul 1" },
        { "p = ~0 & q;", "int32 and 1" },
        { "u = u * ((float4)(1, 2, 3, 4) + (float4)(R));", "float32 mul 4" },
        { "u = (float4)(2.0f) * 2;", "" },
        { "u = (float4)(x) * 2;", "float32 mul 4" },
    };

    (void)state;
    check(cases, sizeof(cases) / sizeof(*cases), GCAL_FEATURE_OP, false);
}

static void counts_each_operator(void **state)
{
    static const struct constant_case cases[] = {
        { "p = ~q;", "int32 not 1" },
        { "p ^= q;", "int32 xor 1" },
        { "p &= q;", "int32 and 1" },
        { "p |= q;", "int32 or 1" },
        { "p <<= q;", "int32 shl 1" },
        { "p >>= q;", "int32 shr 1" },
        { "p %= q;", "int32 rem 1" },
        { "p = q / TILE;", "int32 div_constant 1" },
        { "p %= five;", "int32 rem_constant 1" },
        { "p = (uint)q / (uint)(2 * R);", "uint32 div_constant 1" },
        { "p = 100 % q;", "int32 rem 1" },
        { "p = 100 % TILE / R;", "" },
        { "p = q / n;", "int32 div 1" },
        { "p = q / (int)get_local_size(0);", "int32 div 1" },
        { "y *= x;", "float32 mul 1" },
        { "y /= x;", "float32 div 1" },
        { "q += x;", "float32 add 1" }, /* computed in float */
        { "y += q;", "float32 add 1" },
        { "char c = q; c += 1;", "int32 add 1" },
        { "long l = q; p += l;", "int64 add 1" },
        { "long l = q; p <<= l;", "int32 shl 1" },
        { "uint l = q; p += l;", "uint32 add 1" },
    };

    (void)state;
    check(cases, sizeof(cases) / sizeof(*cases), GCAL_FEATURE_OP, false);
}

static void counts_auxiliary_operations_on_request(void **state)
{
    static const struct constant_case cases[] = {
        { "y = -x;", "float32 neg 1" },
        { "p = -q;", "int32 neg 1" },
        { "p = x > y;", "float32 cmp 1" },
        { "p = x > 1;", "float32 cmp 1" },
        { "p = !(x > 1) || y < 2;", "float32 cmp 2" },
        { "y = x > 1 ? y : 2;", "float32 cmp 1, float32 select 1" },
        { "y = q;", "float32 convert 1" },
        { "p = (int)x;", "int32 convert 1" },
        { "p = (uint)q;", "" }, /* the same bits */
        { "p = (char)q;", "int32 convert 1, int8 convert 1" },
        { "y = as_float(q);", "" },
        { "y = convert_float(q);", "float32 convert 1" },
        { "u = convert_float4(convert_int4(u));", "float32 convert 4, int32 convert 4" },
        { "y = 3;", "" },
        { "y = -1.0f;", "" },
        { "y *= 2.0;", "float32 convert 1, float64 convert 1" },
        { "v[i + (x > 1)] = u;", "float32 cmp 1, uint64 convert 1" },
    };

    (void)state;
    check(cases, sizeof(cases) / sizeof(*cases), GCAL_FEATURE_AUXILIARY_OP, true);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct gcal_profile *p = count(cases[i].statement, false, 1);

        for (size_t k = 0; k < p->n_entries; k++)
            assert_int_not_equal(p->entries[k].kind, GCAL_FEATURE_AUXILIARY_OP);
        gcal_profile_destroy(p);
    }
}

static size_t count_branches(const struct gcal_profile *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_entries; i++)
        n += p->entries[i].kind == GCAL_FEATURE_DIVERGENT_BRANCH;
    return n;
}

static void index_arithmetic_makes_no_branches(void **state)
{
    static const char *const statements[] = {
        "int l = get_local_id(0); if (l > 3 && l < 21 - 1) a[i] += 1;",
        "int l = get_local_id(0); if (l > 3 && l * 2 < n) a[i] += 1;",
        "int l = get_local_id(0); if (l > 3 && (l + n) * 3 > 5 && -l < n) a[i] = 1;",
        "int l = get_local_id(0); if (l > 3 || x * 2 > n) a[i] += 1;",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(statements) / sizeof(*statements); i++) {
        struct gcal_profile *without = count(statements[i], false, 8);
        struct gcal_profile *with = count(statements[i], true, 8);

        assert_int_equal(count_branches(without), count_branches(with));
        assert_true(count_branches(with) >= 1);
        gcal_profile_destroy(without);
        gcal_profile_destroy(with);
    }
}

static size_t count_loads(const char *statement)
{
    struct gcal_profile *p = count(statement, false, 1);
    double n = 0;

    for (size_t i = 0; i < p->n_entries; i++)
        if (p->entries[i].kind == GCAL_FEATURE_MEM_ACCESS &&
            p->entries[i].direction == GCAL_FEATURE_LOAD)
            n += strtod(p->entries[i].count, NULL) / ITEMS;
    gcal_profile_destroy(p);
    return (size_t)n;
}

static void arguments_of_free_functions_are_evaluated(void **state)
{
    size_t n = count_loads("");

    (void)state;
    assert_int_equal(count_loads("printf(\"%f %d\", a[n - i], h[n - i]);"), n + 2);
    assert_int_equal(count_loads("prefetch(&a[h[n - i]], 4);"), n + 1);
    assert_int_equal(count_loads("y = scale;"), n); /* a compiler folds it */
    assert_int_equal(count_loads("y = table[1];"), n + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_constants),
        cmocka_unit_test(counts_each_operator),
        cmocka_unit_test(counts_auxiliary_operations_on_request),
        cmocka_unit_test(index_arithmetic_makes_no_branches),
        cmocka_unit_test(arguments_of_free_functions_are_evaluated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
