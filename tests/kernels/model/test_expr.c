/* test_expr.c - expressions: parsing, values, derivatives */
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
#include "kernels/base/random.h"
#include "kernels/model/expr.h"
#include "expr_text.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static struct gcal_expr *parse(const char *text)
{
    struct gcal_error err = { 0 };
    struct gcal_expr *expr = gcal_expr_parse(text, &err);

    if (!expr)
        fail_msg("%s: %s", text, err.text);
    return expr;
}

/* In x = 2.385, y = 0.713. */
static double value(const char *text)
{
    static const char *const names[] = { "x", "y" };
    static const double values[] = { 2.385, 0.713 };
    struct gcal_error err = { 0 };
    struct gcal_expr *expr = gcal_expr_parse_in(text, 2, names, &err);
    double result;

    if (!expr)
        fail_msg("%s: %s", text, err.text);
    result = gcal_expr_eval(expr, values);
    gcal_expr_destroy(expr);
    return result;
}

static void binds_as_on_paper(void **state)
{
    const double x = 2.385, y = 0.713;

    (void)state;
    assert_near(value("-x^2"), -x * x, 1e-14);
    assert_near(value("2^3^2"), 512, 0);
    assert_near(value("(2^3)^2"), 64, 0);
    assert_near(value("2^-y"), pow(2, -y), 1e-15);
    assert_near(value("x - y - 1"), x - y - 1, 1e-15);
    assert_near(value("x/y/3"), x / y / 3, 1e-15);
    assert_near(value("x/(y*3)"), x / (y * 3), 1e-15);
    assert_near(value("1.5e-1*x"), 0.15 * x, 1e-15);
    assert_near(value("x - -y"), x + y, 1e-15);
    assert_near(value("x*-y^2"), -x * y * y, 1e-15);
}

static void knows_its_functions(void **state)
{
    const double x = 2.385, y = 0.713, step = (tanh(7 * (x - y) / (x + y)) + 1) / 2;

    (void)state;
    assert_near(value("min(x, y, 1) + 10*max(x, y, 1)"), y + 10 * x, 1e-14);
    assert_near(value("ceil(x) + floor(y) + sqrt(x)"), 3 + sqrt(x), 1e-15);
    assert_near(value("log2(x) + floor(log2(32768))"), log2(x) + 15, 1e-15);
    assert_near(value("smoothstep(x - 2, 1.3)"), (tanh(1.3 * (x - 2)) + 1) / 2, 1e-15);
    assert_near(value("overlap(x, y, 7)"), x * step + y * (1 - step), 1e-14);
    assert_near(value("overlap(1e-9*x, 1e-9*y, 7)"), 1e-9 * (x * step + y * (1 - step)),
                1e-23);
    assert_near(value("pnorm(1.7, x, y)"), pow(pow(x, 1.7) + pow(y, 1.7), 1 / 1.7),
                1e-14);
    assert_near(value("pnorm(1, x, y, 3)"), x + y + 3, 1e-14);
    assert_near(value("pnorm(1/0, x, y)"), x, 0);
    assert_near(value("pnorm(5, 1e200*x, 1e200*y)") / 1e200,
                pow(pow(x, 5) + pow(y, 5), 0.2), 1e-13);
    assert_near(value("smoothmax(9, x, y)"),
                (x + y) / 9 * log(exp(9 * x / (x + y)) + exp(9 * y / (x + y))), 1e-14);
    assert_near(value("smoothmax(9, 1e-200*x, 1e-200*y)") / 1e-200,
                value("smoothmax(9, x, y)"), 1e-14);
    assert_near(value("smoothmax(1e6, x, y, 3)"), 3, 0);
    assert_near(value("smoothmax(1/0, x, y)"), x, 0);
    assert_near(value("smoothmax(9, 0, 0)"), 0, 0);
    assert_true(isinf(value("x / (y - floor(y) - y)")));
}

/* Stevens and Kloeckner 2020, sections 2 and 6: every way to write a feature is one name. */
static const char *const names[] = {
    "f_op_float32_madd",
    "f_mem_access",
    "f_mem_access_tag:aPF",
    "f_mem_access_global_float32",
    "f_mem_access_global_float32_store",
    "f_mem_access_local_float32",
    "f_mem_access_global_float32_load_lstrides:{0:1;1:>15}_gstrides:{0:0}_afr:>1",
    "f_mem_access_tag:aLD_load_lstrides:{0:<n;1:(n+1)*2}_gstrides:{0:16}_afr:1",
    "f_mem_access_lstrides:{0:<=n/2}",
    "f_op_{float*,!float64}_{native_*,!native_exp}",
    "f_atomic_tag:bin_{int32}_{add}_afr:>1",
    "f_mem_access_afr:>=n",
    "f_memory_tag:matmulPlain",
    "f_onchip_tag:dgUPF",
    "f_sync_barrier_local",
};

static void reads_feature_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        char *text = gcal_buf_format("p_a*%s*3 + %s/p_b", names[i], names[i]);
        struct gcal_expr *expr = parse(text);

        assert_int_equal(gcal_expr_symbol_count(expr), 3);
        assert_string_equal(gcal_expr_symbol(expr, 1), names[i]);
        gcal_expr_destroy(expr);
        free(text);
    }
}

static void complains_with_columns(void **state)
{
    static const struct {
        const char *text, *complaint;
    } bad[] = {
        { "", "column 1: expected a number, a name or '(', but the text ends" },
        { "p_a * ", "column 7: " },
        { "p_a + * 2", "column 7: expected a number, a name or '(', found '* 2'" },
        { "(p_a + 2", "column 9: expected an operator or ')'" },
        { "p_a p_b", "column 5: expected an operator, found 'p_b'" },
        { "2x", "column 2: " },
        { "1e999", "column 1: expected a number in range" },
        { "1 + foo(2)", "column 5: unknown function 'foo' (did you mean 'floor'?); "
                        "functions are min, " },
        { "pmax(1, 2)", "column 1: unknown function 'pmax' (did you mean 'max'?); " },
        { "2*smothmax(1)",
          "column 3: unknown function 'smothmax' (did you mean 'smoothmax'?)" },
        { "2*sqrt(1, 2)", "column 3: too many arguments" },
        { "pnorm(2)", "column 1: too few arguments" },
        { "p_a*f_mem_access_tag:", "column 22: " },
        { "f_mem_access_lstrides:{0:1", "column 23: " },
        { "2*f_op_float32_{add", "column 16: expected a set with its end" },
        { "2*f_op_float32{add}", "column 15: expected an operator" },
        { "p_a_{add}", "column 5: expected an operator" },
        { "p_a + \xc3\xa9",
          "column 7: expected a number, a name or '(', found byte 195" },
        { "overlap_d(3, 1, 2, 3, 0)", "column 1: the first argument" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct gcal_error err = { 0 };

        assert_null(gcal_expr_parse(bad[i].text, &err));
        assert_int_equal(err.code, GCAL_EINPUT);
        if (strncmp(err.text, bad[i].complaint, strlen(bad[i].complaint)) != 0)
            fail_msg("'%s': %s", bad[i].text, err.text);
    }
}

static char *repeated(const char *start, const char *part, int n, const char *end)
{
    struct gcal_error err = { 0 };
    struct gcal_buf buf = { 0 };

    gcal_buf_puts(&buf, start);
    while (n-- > 0)
        gcal_buf_puts(&buf, part);
    gcal_buf_puts(&buf, end);
    return gcal_buf_take(&buf, &err);
}

static void refuses_hostile_nesting(void **state)
{
    static const struct {
        const char *start, *part;
        int n;
        const char *end;
    } bad[] = {
        { "", "(", 60000, "1" },      { "", "-", 60000, "x" },
        { "", "2^", 30000, "x" },     { "", "exp(", 15000, "x" },
        { "", "min(x,", 10000, "x" }, { "x", "+x", 20000, "" },
        { "x", "+x", 40000, "" },     { "f_mem_access_lstrides:", "{", 60000, "" },
        { "max(x", ",x", 64, ")" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        char *text = repeated(bad[i].start, bad[i].part, bad[i].n, bad[i].end);
        struct gcal_error err = { 0 };

        assert_null(gcal_expr_parse(text, &err));
        assert_int_equal(err.code, GCAL_EINPUT);
        free(text);
    }
}

static void takes_long_sums(void **state)
{
    char *text = repeated("x", " + 2*x", 5000, "");
    struct gcal_expr *expr = parse(text);
    double x = 0.713;

    (void)state;
    assert_near(gcal_expr_eval(expr, &x), 10001 * x, 1e-8);
    gcal_expr_destroy(expr);
    free(text);
}

/* ---- random expressions ---- */

static uint64_t seed;

/* Smooth forms for the most part, in x, y, z, whatever their parts are. */
static void write_random(struct gcal_buf *text, int depth)
{
    static const char *const forms[] = { "(@ + @)",
                                         "(@ - @)",
                                         "@*@",
                                         "@/(1.3 + @^2)",
                                         "-@",
                                         "@^2",
                                         "(1.1 + @^2)^@",
                                         "tanh(@)",
                                         "exp(tanh(@))",
                                         "log(1.2+@^2)",
                                         "log2(1.3+@^2)",
                                         "sqrt(1 + @^4)",
                                         "min(@, @)",
                                         "max(@, @, @)",
                                         "smoothstep(@, @)",
                                         "overlap(0.1 + @^2, 0.2 + @^2, @)",
                                         "pnorm(1 + @^2, 0.1 + @^2, @^2)",
                                         "pnorm(1.7, 0.3 + @^2, @^2, 0.2 + @^2)",
                                         "smoothmax(1 + @^2, 0.1 + @^2, @^2)",
                                         "smoothmax(5, 0.3 + @^2, @^2, 0.2 + @^2)",
                                         "select(@, @, @, @)" };
    size_t n = sizeof(forms) / sizeof(*forms);
    const char *form = forms[gcal_random_next(&seed) % n];

    if (depth == 0) {
        gcal_buf_printf(text, "%c", "xyz"[gcal_random_next(&seed) % 3]);
        return;
    }
    gcal_buf_puts(text, "(");
    for (; *form; form++)
        if (*form == '@')
            write_random(text, depth - 1);
        else
            gcal_buf_put(text, form, 1);
    gcal_buf_puts(text, ")");
}

static const char *const xyz[] = { "x", "y", "z" };

static struct gcal_expr *random_expr(double *values)
{
    struct gcal_error err = { 0 };
    struct gcal_buf buf = { 0 };
    struct gcal_expr *expr;
    char *text;

    write_random(&buf, 3);
    text = gcal_buf_take(&buf, &err);
    if (!(expr = gcal_expr_parse_in(text, 3, xyz, &err)))
        fail_msg("%s: %s", text, err.text);
    free(text);
    for (int i = 0; i < 3; i++)
        values[i] = 0.25 + (double)(gcal_random_next(&seed) >> 12) * 0x1p-52;
    return expr;
}

static double central(const struct gcal_expr *expr, const double *values, int by,
                      double step)
{
    double at[3] = { values[0], values[1], values[2] }, above;

    at[by] = values[by] + step;
    above = gcal_expr_eval(expr, at);
    at[by] = values[by] - step;
    return (above - gcal_expr_eval(expr, at)) / (2 * step);
}

/* 1 when it was compared; 0 where differences are no judge: near kinks, far up. */
static int check_derivative(const struct gcal_expr *expr, const double *values, int by)
{
    struct gcal_error err = { 0 };
    struct gcal_expr *derivative = expr_derivative(expr, xyz[by], &err);
    double wide = central(expr, values, by, 4e-5);
    double narrow = central(expr, values, by, 2e-5);
    double scale = 1 + fabs(narrow) + fabs(gcal_expr_eval(expr, values)), actual;

    assert_non_null(derivative);
    actual = gcal_expr_eval(derivative, values);
    if (!isfinite(narrow) || scale > 1e6 || fabs(wide - narrow) > 1e-5 * scale) {
        gcal_expr_destroy(derivative);
        return 0;
    }
    if (!(fabs(actual - narrow) <= 3e-5 * scale)) {
        char *text = expr_format(expr, &err);

        fail_msg("%s by %s at %.17g %.17g %.17g: %g, differences %g", text, xyz[by],
                 values[0], values[1], values[2], actual, narrow);
    }
    gcal_expr_destroy(derivative);
    return 1;
}

static void derivatives_equal_differences(void **state)
{
    int compared = 0;

    (void)state;
    seed = 2385;
    for (int i = 0; i < 1000; i++) {
        double values[3];
        struct gcal_expr *expr = random_expr(values);

        for (int by = 0; by < 3; by++)
            compared += check_derivative(expr, values, by);
        gcal_expr_destroy(expr);
    }
    assert_in_range(compared, 2600, 3000);
}

/* Of expressions and of what derivatives are made of. */
static void formats_what_parses_back(void **state)
{
    (void)state;
    seed = 713;
    for (int i = 0; i < 200; i++) {
        struct gcal_error err = { 0 };
        double values[3];
        struct gcal_expr *expr = random_expr(values), *again;
        struct gcal_expr *both[] = { expr_derivative(expr, "y", &err), expr };

        for (int k = 0; k < 2; k++) {
            char *text = expr_format(both[k], &err), *text_again;
            double first = gcal_expr_eval(both[k], values), second;

            if (!(again = gcal_expr_parse_in(text, 3, xyz, &err)))
                fail_msg("%s: %s", text, err.text);
            text_again = expr_format(again, &err);
            assert_string_equal(text, text_again);
            second = gcal_expr_eval(again, values);
            assert_true(first == second || (isnan(first) && isnan(second)));
            free(text);
            free(text_again);
            gcal_expr_destroy(again);
            gcal_expr_destroy(both[k]);
        }
    }
}

/* Costs at 0 are where every fit starts. */
static void pnorm_is_smooth_enough_at_zeros(void **state)
{
    static const double cases[][4] = { { 2.385, 0, 0, 0 },    { 1, 0, 0, 0 },
                                       { 0.7, 0, 0, 0 },      { 1.3, 0, 0, 2e-9 },
                                       { 0.7, 0, 0, 2e-9 },   { 2.385, 0, 3, 0 },
                                       { INFINITY, 0, 3, 1 }, { INFINITY, 0, 0, 0 } };
    static const char *const symbols[] = { "p", "a", "b", "c" };
    struct gcal_error err = { 0 };
    struct gcal_expr *expr = gcal_expr_parse_in("pnorm(p, a, b, c)", 4, symbols, &err);

    (void)state;
    for (size_t by = 0; by < 4; by++) {
        struct gcal_expr *derivative = expr_derivative(expr, symbols[by], &err);

        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
            assert_true(isfinite(gcal_expr_eval(expr, cases[i])));
            assert_true(isfinite(gcal_expr_eval(derivative, cases[i])));
        }
        if (by > 0) /* where all grow alike: d/da of 3^(1/p) a, shared by three */
            assert_near(gcal_expr_eval(derivative, cases[0]), pow(3, 1 / 2.385 - 1),
                        1e-14);
        gcal_expr_destroy(derivative);
    }
    gcal_expr_destroy(expr);
}

static void smoothmax_is_smooth_at_zeros(void **state)
{
    static const double cases[][4] = { { 9.5, 0, 0, 0 },      { 1, 0, 0, 0 },
                                       { 9.5, 0, 0, 2e-9 },   { 64, 0, 3e200, 0 },
                                       { INFINITY, 0, 3, 1 }, { INFINITY, 0, 0, 0 } };
    static const char *const symbols[] = { "k", "a", "b", "c" };
    struct gcal_error err = { 0 };
    struct gcal_expr *expr =
        gcal_expr_parse_in("smoothmax(k, a, b, c)", 4, symbols, &err);

    (void)state;
    for (size_t by = 0; by < 4; by++) {
        struct gcal_expr *derivative = expr_derivative(expr, symbols[by], &err);

        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
            assert_true(isfinite(gcal_expr_eval(expr, cases[i])));
            assert_true(isfinite(gcal_expr_eval(derivative, cases[i])));
        }
        if (by > 0) /* where all grow alike: a + 3 a log(3) / k, shared by three */
            assert_near(gcal_expr_eval(derivative, cases[0]), 1. / 3 + log(3) / 9.5,
                        1e-14);
        gcal_expr_destroy(derivative);
    }
    gcal_expr_destroy(expr);
}

static void derivatives_have_few_derivatives(void **state)
{
    static const char *const xs[] = { "x", "y" };
    struct gcal_error err = { 0 };
    struct gcal_expr *expr = gcal_expr_parse_in("pnorm_d(2, y) + x", 2, xs, &err), *by_x;

    (void)state;
    by_x = expr_derivative(expr, "x", &err);
    assert_near(gcal_expr_eval(by_x, (double[]){ 3, 4 }), 1, 0);
    assert_null(expr_derivative(expr, "y", &err));
    assert_string_equal(err.text, "no second derivative of 'pnorm_d'");
    gcal_expr_destroy(by_x);
    gcal_expr_destroy(expr);
}

/* ---- simplification ---- */

static void simplifies(void **state)
{
    static const struct {
        const char *text, *simple;
    } cases[] = {
        { "2 + 3*4 - sqrt(9)", "11" },
        { "0 + x + 0", "x" },
        { "1*x*1 - 0*y", "x" },
        { "x^1*y^0", "x" },
        { "1^x", "1" },
        { "-(-x)", "x" },
        { "x + -y", "x - y" },
        { "-x + y", "y - x" },
        { "x - -y", "x + y" },
        { "-(x - y)", "y - x" },
        { "-x*-y", "x*y" },
        { "x*-y", "-(x*y)" },
        { "-x/y", "-(x/y)" },
        { "x + x", "2*x" },
        { "x + 2*x", "3*x" },
        { "y*x*4 - y*x", "3*(y*x)" },
        { "x*y - x*y", "0" },
        { "x*0.1 + x*0.2", "x*0.1 + x*0.2" }, /* would round differently */
        { "x*x", "x^2" },
        { "x*x^2*x", "x^4" },
        { "2*(x*3)", "6*x" },
        { "-1*x", "-x" },
        { "3*-x", "-3*x" },
        { "max(x, max(y, 2), x, 3)", "max(x, y, 3)" },
        { "min(x, max(y, x))", "min(x, max(y, x))" },
        { "min(x + y, min(x + y))", "x + y" },
        { "pnorm(y, x)", "x" },
        { "pnorm(y, 0, x)", "x" },
        { "pnorm(y, x, 0, 3)", "pnorm(y, x, 3)" },
        { "smoothmax(y, x)", "x" },
        { "select(x, y, y^2, y*y)", "y^2" },
        { "x/1 + 0/3", "x" },
        { "x/0", "x/0" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct gcal_error err = { 0 };
        struct gcal_expr *expr = parse(cases[i].text);
        char *text = expr_format(expr, &err);

        if (strcmp(text, cases[i].simple) != 0)
            fail_msg("%s: %s instead of %s", cases[i].text, text, cases[i].simple);
        free(text);
        gcal_expr_destroy(expr);
    }
}

/* What a random expression is without any simplification, or NaN where infinities are
 * met on the way.
 */
static double write_exact(struct gcal_buf *text, const double *xs, int depth);

static double write_leaf(struct gcal_buf *text, const double *xs)
{
    static const double numbers[] = { 0, 1, 2, 4, 0.5, 3, 0.1 };
    size_t pick = gcal_random_next(&seed) % 16;

    if (pick < 7) {
        gcal_buf_printf(text, "%g", numbers[pick]);
        return numbers[pick];
    }
    gcal_buf_printf(text, "%c", "xyz"[pick % 3]);
    return xs[pick % 3];
}

/* Twice the same part: like terms and factors. */
static double write_alike(struct gcal_buf *text, const double *xs, int depth)
{
    struct gcal_error err = { 0 };
    struct gcal_buf part = { 0 };
    double a = write_exact(&part, xs, depth - 1), result = NAN;
    char *x = gcal_buf_take(&part, &err);

    switch (gcal_random_next(&seed) % 6) {
    case 0:
        gcal_buf_printf(text, "(2*%s + %s)", x, x);
        result = 2 * a + a;
        break;
    case 1:
        gcal_buf_printf(text, "(%s*0.25 - %s)", x, x);
        result = a * 0.25 - a;
        break;
    case 2:
        gcal_buf_printf(text, "(%s*%s^3)", x, x);
        result = a * (a * a * a);
        break;
    case 3:
        gcal_buf_printf(text, "(%s*%s)", x, x);
        result = a * a;
        break;
    case 4:
        gcal_buf_printf(text, "(%s*0.3 + 3*%s)", x, x);
        result = a * 0.3 + 3 * a;
        break;
    default:
        gcal_buf_printf(text, "max(%s, 1, max(%s, 2))", x, x);
        result = fmax(a, 2) + 0 * a;
    }
    free(x);
    return result;
}

static double write_exact(struct gcal_buf *text, const double *xs, int depth)
{
    static const char *const signs[] = { " + ", " - ", "*", "/" };
    size_t pick = gcal_random_next(&seed) % 6;
    double a, b, result;

    if (depth == 0)
        return write_leaf(text, xs);
    if (pick == 4)
        return write_alike(text, xs, depth);
    gcal_buf_puts(text, pick == 5 ? "(-" : "(");
    a = write_exact(text, xs, depth - 1);
    if (pick < 4) {
        gcal_buf_puts(text, signs[pick]);
        b = write_exact(text, xs, depth - 1);
        result = pick == 0 ? a + b : pick == 1 ? a - b : pick == 2 ? a * b : a / b;
    } else
        result = -a;
    gcal_buf_puts(text, ")");
    return isfinite(result) ? result : NAN;
}

static void simplifying_keeps_every_bit(void **state)
{
    int compared = 0;

    (void)state;
    seed = 4099;
    for (int i = 0; i < 20000; i++) {
        struct gcal_error err = { 0 };
        double xs[3];
        struct gcal_buf buf = { 0 };
        struct gcal_expr *expr;
        double expected;
        char *text;

        for (int k = 0; k < 3; k++)
            xs[k] = (double)(gcal_random_next(&seed) >> 12) * 0x1p-50 - 2;
        expected = write_exact(&buf, xs, 5);
        text = gcal_buf_take(&buf, &err);
        if (!(expr = gcal_expr_parse_in(text, 3, xyz, &err)))
            fail_msg("%s: %s", text, err.text);
        if (isfinite(expected) && gcal_expr_eval(expr, xs) != expected)
            fail_msg("%s: %.17g instead of %.17g", text, gcal_expr_eval(expr, xs),
                     expected);
        compared += isfinite(expected) != 0;
        gcal_expr_destroy(expr);
        free(text);
    }
    assert_in_range(compared, 10000, 20000);
}

static void finds_factors(void **state)
{
    static const struct {
        const char *text, *name;
        size_t n;
        const char *factor;
    } cases[] = {
        { "p_a*f_x", "p_a", 1, "f_x" },
        { "p_ab*f_x + 2 * p_a * f_y", "p_a", 1, "f_y" },
        { "p_a *( f_x + (f_y) ) - 1", "p_a", 1, "f_x + (f_y)" },
        { "p_a*(f_x + 1)^2", "p_a", 1, "(f_x + 1)^2" },
        { "p_a*max(f_x, 2)/3", "p_a", 1, "max(f_x, 2)" },
        { "p_a*f_op_{*int8,int16}_add", "p_a", 1, "f_op_{*int8,int16}_add" },
        { "exp(p_a*-f_x)", "p_a", 1, "-f_x" },
        { "f_x*p_a", "p_a", 1, "" },
        { "p_a + f_x*p_b", "p_a", 1, "" },
        { "p_a/f_x", "p_a", 1, "" },
        { "p_a*f_x + p_a*f_y", "p_a", 2, "f_x" },
        { "f_x*p_b", "p_a", 0, "" },
        { "f_x + * 2", "p_a", 0, "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct gcal_expr_use use = gcal_expr_find_use(cases[i].text, cases[i].name);
        char factor[40] = "";

        memcpy(factor, cases[i].text + use.factor.start, use.factor.length);
        if (use.n != cases[i].n || strcmp(factor, cases[i].factor) != 0)
            fail_msg("%s: %zu times, '%s'", cases[i].text, use.n, factor);
    }
}

static void finds_arguments(void **state)
{
    static const char text[] = "max(1, min( f_a, floor(f_b/(1 + f_c)) ,min(2,3)), 9)";
    static const char *const expected[] = { "f_a", "floor(f_b/(1 + f_c))", "min(2,3)" };
    struct gcal_expr_span found[4];

    (void)state;
    assert_int_equal(gcal_expr_find_arguments(text, "min", 4, found), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(found[i].length, strlen(expected[i]));
        assert_memory_equal(text + found[i].start, expected[i], found[i].length);
    }
    assert_int_equal(gcal_expr_find_arguments(text, "min", 2, found), 2);
    assert_int_equal(gcal_expr_find_arguments(text, "exp", 4, found), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binds_as_on_paper),
        cmocka_unit_test(knows_its_functions),
        cmocka_unit_test(reads_feature_names),
        cmocka_unit_test(complains_with_columns),
        cmocka_unit_test(refuses_hostile_nesting),
        cmocka_unit_test(takes_long_sums),
        cmocka_unit_test(derivatives_equal_differences),
        cmocka_unit_test(formats_what_parses_back),
        cmocka_unit_test(pnorm_is_smooth_enough_at_zeros),
        cmocka_unit_test(smoothmax_is_smooth_at_zeros),
        cmocka_unit_test(derivatives_have_few_derivatives),
        cmocka_unit_test(simplifies),
        cmocka_unit_test(finds_factors),
        cmocka_unit_test(finds_arguments),
        cmocka_unit_test(simplifying_keeps_every_bit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
