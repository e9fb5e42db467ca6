/* test_limits.c - values of unknown origin, and kernels beyond the budgets of counting: a
 * right count, or a refusal with a reason, soon
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/binding.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"

static struct gcal_profile *count(struct gcal_count_request r)
{
    struct gcal_error err = { 0 };
    struct gcal_profile *p;

    r.file = "x.cl";
    if (!(p = gcal_count(&r, &err)))
        fail_msg("%s\n%s", r.source, err.text);
    return p;
}

/* The executions of all stores to global memory where all sizes have the value 'size'. */
static double stores(const struct gcal_profile *p, size_t lanes, double size)
{
    const char **features = calloc(p->n_entries + 1, sizeof(*features));
    double *sizes = calloc(p->n_parameters + 1, sizeof(*sizes));
    double *values = calloc(p->n_entries + 1, sizeof(*values)), total = 0;
    struct gcal_error err = { 0 };
    struct gcal_binding *binding;
    size_t n = 0;

    for (size_t i = 0; i < p->n_parameters; i++)
        sizes[i] = size;
    for (size_t i = 0; i < p->n_entries; i++)
        if (p->entries[i].kind == GCAL_FEATURE_MEM_ACCESS &&
            p->entries[i].direction == GCAL_FEATURE_STORE)
            features[n++] = p->entries[i].feature;
    binding = gcal_binding_create(p, n, features, lanes, &err);
    if (!binding || gcal_binding_eval(binding, sizes, values, &err) < 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < n; i++)
        total += values[i];
    gcal_binding_destroy(binding);
    free(features);
    free(sizes);
    free(values);
    return total;
}

static void assert_stores(const char *source, double size, double expected)
{
    struct gcal_profile *p = count((struct gcal_count_request){ .source = source,
                                                                .n_dims = 1,
                                                                .local_size = { 1 },
                                                                .global_size = { "1" },
                                                                .sub_group_size = 1 });

    assert_false(p->estimated);
    assert_true(stores(p, 1, size) == expected);
    gcal_profile_destroy(p);
}

/* ---- values without a reason: what a loop declares has none before its first pass ---- */

static void extrema_of_variables_of_a_loop_are_counted(void **state)
{
    const int n = 50;
    double triple = 0, clamped = 0;

    (void)state;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            for (int o = j > 2 ? j : 2; o < n; o++)
                triple++;
    for (int i = 0; i < n; i++)
        for (int o = 0; o < (i - 5 < 3 ? 3 : i - 5 > 30 ? 30 : i - 5); o++)
            clamped++;
    assert_stores("kernel void k(global float *a, int n)\n"
                  "{ for (int j = 0; j < n; j++) { int p = j + 1; int q = min(p, 7);\n"
                  "a[q] += 1; } }",
                  n, n);
    assert_stores("kernel void k(global float *a, int n)\n"
                  "{ for (int i = 0; i < n; i++) for (int j = i; j < n; j++)\n"
                  "for (int o = max(j, 2); o < n; o++) a[o] += 1; }",
                  n, triple);
    assert_stores("kernel void k(global float *a, int n)\n"
                  "{ int q; for (int i = 0; i < n; i++) { q = i - 5;\n"
                  "q = clamp(q, 3, 30); for (int o = 0; o < q; o++) a[o] += 1; } }",
                  n, clamped);
    assert_stores(
        "kernel void k(global float *a, int n)\n"
        "{ for (int i = 0; i < n; i++) { int q = mul24(i, 2), r = mad24(q, 2, i);\n"
        "for (int o = 0; o < r; o++) a[o] += 1; } }",
        n, 5.0 * n * (n - 1) / 2);
}

static void the_clamped_filter_is_counted(void **state)
{
    struct gcal_profile *p = count((struct gcal_count_request){
        .source = "kernel void k(global float *in, global float *out, int h, int w)\n"
                  "{ int x = get_global_id(0), y = get_global_id(1); float s = 0;\n"
                  "for (int dy = -1; dy <= 1; dy++) {\n"
                  "  int yy = clamp(y + dy, 0, h - 1);\n"
                  "  for (int dx = -1; dx <= 1; dx++) { int xx = x + dx;\n"
                  "    xx = clamp(xx, 0, w - 1); out[yy * w + xx] = 1; } } }",
        .n_dims = 2,
        .local_size = { 16, 16 },
        .global_size = { "w", "h" },
        .sub_group_size = 1 });

    (void)state;
    assert_false(p->estimated);
    assert_true(stores(p, 1, 160) == 9 * 160 * 160);
    gcal_profile_destroy(p);
}

/* ---- budgets ---- */

/* Of the kind of sums of absolute differences: 61 work-items that are no power of two, and
 * clamped coordinates of quotients and remainders.
 */
static const char differences[] =
    "kernel void k(global int *f, int w, int h)\n"
    "{ int gx = get_group_id(0), gy = get_group_id(1), b = get_local_id(0) * 18;\n"
    "  int mx = gx >> 2, my = gy >> 2, bx = gx & 3, by = gy & 3;\n"
    "  if (mx < w && my < h) {\n"
    "    int fx = ((mx << 2) + bx) << 2, fy = ((my << 2) + by) << 2;\n"
    "    for (int p = b; p < b + 18; p++) for (int y = 0; y < 4; y++) {\n"
    "      int q = fx - 16 + p % 33 + y; q = q < 0 ? 0 : q;\n"
    "      q = q >= w * 16 ? w * 16 - 1 : q;\n"
    "      int s = fy - 16 + p / 33 + y; s = s < 0 ? 0 : s;\n"
    "      s = s >= h * 16 ? h * 16 - 1 : s;\n"
    "      f[s + q] += 1; } } }";

static struct gcal_count_request differences_with(size_t sub_group_size)
{
    return (struct gcal_count_request){ .source = differences,
                                        .file = "x.cl",
                                        .n_dims = 2,
                                        .local_size = { 61, 1 },
                                        .global_size = { "61*gx", "gy" },
                                        .sub_group_size = sub_group_size };
}

/* Divergence is beyond the budget; it takes nothing from the other counts. */
static void only_divergence_is_estimated(void **state)
{
    static const size_t sub_groups[] = { 1, 2, 3, 32, 64 };

    (void)state;
    for (size_t i = 0; i < sizeof(sub_groups) / sizeof(*sub_groups); i++) {
        struct gcal_profile *p = count(differences_with(sub_groups[i]));
        size_t n_branches = 0;

        for (size_t j = 0; j < p->n_entries; j++) {
            bool is_branch = p->entries[j].kind == GCAL_FEATURE_DIVERGENT_BRANCH;

            assert_true(is_branch || !p->entries[j].estimated);
            n_branches += is_branch;
        }
        assert_int_equal(n_branches, sub_groups[i] == 1 ? 0 : 4); /* of the source */
        assert_true((p->n_notes > 0) == (sub_groups[i] > 1));
        assert_true(stores(p, sub_groups[i], 16) == 61.0 * 16 * 16 * 18 * 4);
        gcal_profile_destroy(p);
    }
}

/* A loop to a long chain of minima and maxima of an id is not affine: its sum is exact, or
 * refused, and never a text with the id.
 */
static void chains_of_extrema_leave_no_id(void **state)
{
    static const char chain[] =
        "kernel void k(global float *a, int n, int m)\n"
        "{ int q = get_global_id(0);\n"
        "#define STEP(k) q = min(max(q + k, m), n - k);\n"
        "STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7) STEP(8) STEP(9)\n"
        "for (int o = 0; o < q; o++) a[o] = 2; }";
    struct gcal_count_request r = { .source = chain,
                                    .file = "x.cl",
                                    .n_dims = 1,
                                    .local_size = { 64 },
                                    .global_size = { "n" },
                                    .sub_group_size = 1 };
    struct gcal_error err = { 0 };
    struct gcal_profile *p = gcal_count(&r, &err);

    (void)state;
    if (p) /* with n = m = 640, q is n - 9 for all work-items */
        assert_true(stores(p, 1, 640) == 640.0 * (640 - 9));
    else
        assert_non_null(strstr(err.text, "x.cl:5:1: "));
    gcal_profile_destroy(p);
}

/* Repeated squares have more terms than a polynomial may have, which matters to no count where
 * they are only stored.
 */
static void long_powers_are_counted(void **state)
{
    (void)state;
    assert_stores("kernel void f(global int *a, int n, int m) {"
                  "  int x = n;"
                  "  for (int i = 0; i < 8; i++) { x = x * x + m; x = x * x + m; }"
                  "  a[0] = x; }",
                  64, 1);
    assert_stores(
        "#define SQUARE x = x * x + c;\n"
        "kernel void f(global int *a, int n, int m) {"
        "  int4 c = (int4)(m), x = (int4)(n, n + 1, n + 2, n + 3);"
        "  SQUARE SQUARE SQUARE SQUARE SQUARE SQUARE SQUARE SQUARE SQUARE SQUARE"
        "  a[0] = x.x + x.y + x.z + x.w; }",
        64, 1);
}

static void budgets_end_in_a_count_or_a_reason(void **state)
{
    static const char *const sources[] = {
        differences,
        "kernel void k(global float *a, int n, int m)\n"
        "{ int i = get_global_id(0), j = get_global_id(1), l = get_local_id(0);\n"
        "  local float t[64]; for (int s = 1; s < 64; s *= 2) { t[l * s % 64] = a[i];\n"
        "  barrier(CLK_LOCAL_MEM_FENCE); if (l % (2 * s) == 0) t[l] += t[l + s]; }\n"
        "  if (i > 0 && i < n - 1 && j > 1)\n"
        "    for (int o = 0; o < min(m, n); o++)\n"
        "      a[i * m + clamp(o, 0, m - 1)] = t[l]; }",
    };
    size_t n_counted = 0, n_refused = 0;

    (void)state;
    for (size_t i = 0; i < 2; i++)
        for (size_t divisor = 1; divisor <= 100000; divisor *= 10) {
            struct gcal_count_request r = differences_with(divisor == 10 ? 2 : 0);
            struct gcal_error err = { 0 };
            struct gcal_profile *p;

            r.source = sources[i];
            r.budget_divisor = divisor;
            p = gcal_count(&r, &err);
            n_counted += p != NULL;
            n_refused += !p;
            if (!p)
                assert_string_not_equal(err.text, "");
            gcal_profile_destroy(p);
        }
    assert_true(n_counted > 1 && n_refused > 1);
}

/* Whether some store is marked. */
static bool has_marked_stores(const struct gcal_profile *p)
{
    for (size_t i = 0; i < p->n_entries; i++)
        if (p->entries[i].kind == GCAL_FEATURE_MEM_ACCESS && p->entries[i].estimated)
            return true;
    return false;
}

/* Conditions beyond a budget are taken to hold: the counts are marked, and no smaller. */
static void conditions_beyond_budgets_are_marked(void **state)
{
    static const char source[] =
        "kernel void k(global float *a, int n, int m, int w)\n"
        "{ int i = get_global_id(0), j = get_global_id(1);\n"
        "  int row = i / w, col = i % w, at = row * 2 + col - m;\n"
        "  if (i < n && j < m) { if (at >= 0 && at < w) a[i] = 1;\n"
        "    if ((i + j) % 3 == 1 && i * 2 + j < n) a[j] = 2;\n"
        "    if (i % 7 != 2 && (j & 5) == 4 && min(i, j) < max(w - i, 3)) a[i + j] = 3; "
        "} }";
    enum { SIZE = 16 };
    double exact = 0;
    size_t n_marked = 0, n_counted = 0;

    (void)state;
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            int least = i < j ? i : j, most = SIZE - i > 3 ? SIZE - i : 3;
            int at = i / SIZE * 2 + i % SIZE - SIZE;

            exact += (at >= 0 && at < SIZE) + ((i + j) % 3 == 1 && i * 2 + j < SIZE) +
                     (i % 7 != 2 && (j & 5) == 4 && least < most);
        }
    for (size_t divisor = 1; divisor <= 64; divisor *= 2) {
        struct gcal_count_request r = { .source = source,
                                        .file = "x.cl",
                                        .n_dims = 2,
                                        .local_size = { 16, 4 },
                                        .global_size = { "16*g", "4*h" },
                                        .sub_group_size = 1,
                                        .budget_divisor = divisor };
        struct gcal_error err = { 0 };
        struct gcal_profile *p = gcal_count(&r, &err);

        if (!p)
            continue;
        n_counted++;
        if (has_marked_stores(p))
            n_marked++;
        else
            assert_true(stores(p, 1, SIZE) == exact);
        assert_true(stores(p, 1, SIZE) >= exact);
        gcal_profile_destroy(p);
    }
    assert_true(n_counted > 3 && n_marked > 1);
}

/* ---- nests: each level doubles something ---- */

/* 'before' and 'after' around it, 'depth' times around 'within'; %d is the level. */
static char *nest(size_t depth, const char *before, const char *within, const char *after)
{
    struct gcal_buf text = { 0 };

    gcal_buf_puts(&text, "kernel void k(global float *x, global float *y, int n, int m)\n"
                         "{ int i = get_global_id(0), a = 0; float s = 0;\n");
    for (size_t k = 0; k < depth; k++)
        gcal_buf_puts(&text, before);
    gcal_buf_puts(&text, within);
    for (size_t k = 0; k < depth; k++)
        gcal_buf_puts(&text, after);
    gcal_buf_puts(&text, "; y[i] = s; }");
    return gcal_buf_take(&text, NULL);
}

/* Processor time that a count or a refusal takes, the least of three. */
static double seconds_of(const char *source)
{
    double least = HUGE_VAL;

    for (int k = 0; k < 3; k++) {
        struct gcal_count_request r = { .source = source,
                                        .file = "x.cl",
                                        .n_dims = 1,
                                        .local_size = { 64 },
                                        .global_size = { "n" },
                                        .sub_group_size = 32,
                                        .n_banks = 32,
                                        .index_arithmetic = true };
        struct gcal_error err = { 0 };
        clock_t began = clock();

        gcal_profile_destroy(gcal_count(&r, &err));
        least = fmin(least, (double)(clock() - began) / CLOCKS_PER_SEC);
    }
    return least;
}

static double seconds_of_nest(size_t depth, const char *before, const char *within,
                              const char *after)
{
    char *text = nest(depth, before, within, after);
    double seconds = seconds_of(text);

    free(text);
    return seconds;
}

/* Polynomials that contain themselves twice end at all; four times as many sides with loads on
 * each take some four times as long.
 */
static void nests_end_soon(void **state)
{
    static const char macros[] =
        "#define A(c, d) ((i + d < n) ? c : c)\n"
        "#define B(c, d) A(A(A(A(c, d), d + 1), d + 2), d + 3)\n";
    const double few = seconds_of_nest(1, macros, "s = B(B(x[i], 5), 1)", "");
    const double many =
        seconds_of_nest(1, macros, "s = B(B(A(A(x[i], 9), 7), 5), 1)", "");

    (void)state;
    if (many > 9 * few)
        fail_msg("%g s after %g s", many, few);
    seconds_of_nest(40, "s += x[abs(m - ", "i", ")]");
    seconds_of_nest(40, "{ int b = max(i, m - a); a = max(b, n - b); ", "s += x[a]",
                    " }");
}

/* A loop that halves a size is unrolled until that is too often: each of its subscripts contains
 * all those before it.
 */
static void halved_sizes_end_soon(void **state)
{
    const double sides = seconds_of_nest(16, "", "s = i < n ? x[i] : y[i]", "");
    const double halved = seconds_of_nest(
        1, "", "a = n / 2; do { s += x[a]; if (a == 1) break; a >>= 1; } while (true)",
        "");

    (void)state;
    if (halved > 1000 * sides)
        fail_msg("%g s after %g s", halved, sides);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extrema_of_variables_of_a_loop_are_counted),
        cmocka_unit_test(the_clamped_filter_is_counted),
        cmocka_unit_test(only_divergence_is_estimated),
        cmocka_unit_test(chains_of_extrema_leave_no_id),
        cmocka_unit_test(long_powers_are_counted),
        cmocka_unit_test(budgets_end_in_a_count_or_a_reason),
        cmocka_unit_test(conditions_beyond_budgets_are_marked),
        cmocka_unit_test(nests_end_soon),
        cmocka_unit_test(halved_sizes_end_soon),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
