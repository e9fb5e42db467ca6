/* test_named_expr.c - named expressions */
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
#include "kernels/model/expr.h"
#include "kernels/model/model.h"
#include "kernels/model/named_expr.h"

struct pair {
    const char *name, *text;
};

static const struct pair rates[] = {
    { "rate", "p_a * f_op_float32_add" },
    { "memory", "rate + p_b*f_mem_access_tag:rate" }, /* the tag does not use 'rate' */
    { "difference", "p_a - p_b" },
    { "f_user_flops", "2*f_op_float32_madd + f_op_float32_{add,mul}" },
    { "alias", " memory " },
};

static struct gcal_expr_names *create(const struct pair *pairs, size_t n)
{
    struct gcal_error err = { 0 };
    struct gcal_expr_names *names = gcal_expr_names_create(&err);

    for (size_t i = 0; i < n; i++)
        if (gcal_expr_names_add(names, pairs[i].name, pairs[i].text, &err) < 0)
            fail_msg("%s", err.text);
    return names;
}

static void writes_names_out(void **state)
{
    static const struct pair cases[] = {
        { "rate", "p_a * f_op_float32_add" },
        { "2*rate", "2*(p_a * f_op_float32_add)" },
        { "max(memory, 1e-9)",
          "max(p_a * f_op_float32_add + p_b*f_mem_access_tag:rate, 1e-9)" },
        { "1.5e+3 + difference - 1", "1.5e+3 + p_a - p_b - 1" },
        { "1 - difference", "1 - (p_a - p_b)" },
        { "2*+difference", "2*+(p_a - p_b)" },
        { "difference^2", "(p_a - p_b)^2" },
        { "-difference", "-(p_a - p_b)" },
        { "alias", " p_a * f_op_float32_add + p_b*f_mem_access_tag:rate " },
        { "f_op_float32_{mul, !add}* difference",
          "f_op_float32_{mul, !add}* (p_a - p_b)" },
        { "p_c*f_mem_access_lstrides:{0: 1}/ difference",
          "p_c*f_mem_access_lstrides:{0: 1}/ (p_a - p_b)" },
        { "alias/p_c", "( p_a * f_op_float32_add + p_b*f_mem_access_tag:rate )/p_c" },
        { "p_c", "p_c" },
        { "p_c*f_user_flops", "p_c*(2*f_op_float32_madd + f_op_float32_{add,mul})" },
    };
    struct gcal_expr_names *names = create(rates, sizeof(rates) / sizeof(*rates));

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct gcal_error err = { 0 };
        char *text = gcal_expr_names_resolve(names, cases[i].name, &err);

        if (!text)
            fail_msg("%s: %s", cases[i].name, err.text);
        assert_string_equal(text, cases[i].text);
        free(text);
    }
    assert_true(gcal_expr_names_has(names, "alias"));
    assert_false(gcal_expr_names_has(names, "ali"));
    gcal_expr_names_destroy(names);
}

static void complains_where_it_is_used(void **state)
{
    static const struct pair cases[] = {
        { "p_a +", "column 6: expected a number" },
        { "p_a + reite", "column 7: 'reite' is neither a parameter (p_...), a feature "
                         "(f_...) nor a named expression (rate, memory" },
        { "p_a*f_no_such_thing", "column 5: unknown feature 'f_no_such_thing'" },
    };
    struct gcal_expr_names *names = create(rates, sizeof(rates) / sizeof(*rates));
    struct gcal_error err = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        assert_null(gcal_expr_names_resolve(names, cases[i].name, &err));
        if (strncmp(err.text, cases[i].text, strlen(cases[i].text)) != 0)
            fail_msg("%s: %s", cases[i].name, err.text);
    }
    gcal_expr_names_destroy(names);
    assert_null(gcal_expr_names_resolve(NULL, "rate", &err));
    assert_string_equal(err.text, "column 1: 'rate' is neither a parameter (p_...), a "
                                  "feature (f_...) nor a named expression "
                                  "(none is defined)");
}

static void refuses_names_and_texts(void **state)
{
    static const struct {
        const char *name, *text, *complaint;
    } cases[] = {
        { "p_x", "1", "expression 'p_x': names that start with p_ are parameters" },
        { "f_x", "1",
          "expression 'f_x': names that start with f_ are features (f_user_" },
        { "f_x", "1", "expression 'f_x': names that start with f_ are features" },
        { "max", "1", "expression 'max': is the name of a function" },
        { "2x", "1", "expression '2x': expected a name" },
        { "a b", "1", "expression 'a b': expected a name" },
        { "", "1", "expression '': expected a name" },
        { "rate", "1", "expression 'rate': is in use" },
        { "x", "p_a * * 2", "expression 'x': column 7: expected" },
    };
    struct gcal_expr_names *names = create(rates, sizeof(rates) / sizeof(*rates));

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct gcal_error err = { 0 };

        assert_int_equal(gcal_expr_names_add(names, cases[i].name, cases[i].text, &err),
                         -1);
        if (strncmp(err.text, cases[i].complaint, strlen(cases[i].complaint)) != 0)
            fail_msg("%s: %s", cases[i].name, err.text);
    }
    gcal_expr_names_destroy(names);
}

static void check(const struct pair *pairs, size_t n, const char *complaint)
{
    struct gcal_expr_names *names = create(pairs, n);
    struct gcal_error err = { 0 };

    assert_int_equal(gcal_expr_names_check(names, &err), -1);
    assert_string_equal(err.text, complaint);
    gcal_expr_names_destroy(names);
}

static void checks_those_that_nobody_uses(void **state)
{
    static const struct pair cycle[] = { { "a", "p_x + b" },
                                         { "b", "2*c" },
                                         { "c", "p_y*p_y + a" } };
    static const struct pair self[] = { { "a", "1 + a" } };
    static const struct pair inner[] = { { "a", "p_x + b" }, { "b", "2*f_nothing" } };
    struct gcal_expr_names *names = create(rates, sizeof(rates) / sizeof(*rates));
    struct gcal_error err = { 0 };

    (void)state;
    assert_int_equal(gcal_expr_names_check(names, &err), 0);
    gcal_expr_names_destroy(names);
    check(cycle, 3,
          "expression 'c': column 11: 'a' is used by c through b through a: an "
          "expression cannot contain itself");
    check(self, 1,
          "expression 'a': column 5: 'a' is used by a: an expression cannot contain "
          "itself");
    names = create(inner, 2);
    assert_int_equal(gcal_expr_names_check(names, &err), -1);
    assert_non_null(strstr(err.text, "expression 'b': column 3: "));
    gcal_expr_names_destroy(names);
}

/* ---- evaluation ---- */

/* x0 = p_a; each of the others uses the one before twice: x(i) = x(i-1) for p_b = 1/2. */
static struct gcal_expr_names *doubling(int n)
{
    struct gcal_expr_names *names = gcal_expr_names_create(NULL);
    char name[20], text[60];

    assert_int_equal(gcal_expr_names_add(names, "x0", "p_a", NULL), 0);
    for (int i = 1; i < n; i++) {
        snprintf(name, sizeof(name), "x%d", i);
        snprintf(text, sizeof(text), "x%d/2 + x%d*p_b", i - 1, i - 1);
        assert_int_equal(gcal_expr_names_add(names, name, text, NULL), 0);
    }
    return names;
}

/* 2^89 terms, if names were replaced. */
static void takes_linear_time(void **state)
{
    static const char *const parts[] = { "x89", "x10 + x89", "2*x3" };
    const double p[] = { 3, 0.5 };
    struct gcal_expr_names *names = doubling(90);
    struct gcal_error err = { 0 };
    struct gcal_expr *expr = gcal_expr_parse_with("x89", names, &err);
    struct gcal_model *model =
        gcal_model_create_with("m", "f_cl_wall_time", "x89", names, &err);
    struct gcal_model_parts *named;
    double gradient[2], values[3];
    size_t failed;

    (void)state;
    assert_null(gcal_expr_names_resolve(names, "x89", &err));
    assert_non_null(strstr(err.text, "longer than"));
    assert_non_null(expr);
    assert_string_equal(gcal_expr_symbol(expr, 1), "p_b");
    assert_true(gcal_expr_uses(expr, 0) && gcal_expr_eval(expr, p) == 3);
    assert_non_null(model);
    assert_true(gcal_model_eval(model, p, NULL, gradient) == 3);
    assert_true(gradient[0] == 1 && gradient[1] == 89 * 3);
    named = gcal_model_parts_create(model, names, 3, parts, &failed, &err);
    gcal_expr_names_destroy(names);
    gcal_model_parts_eval(named, p, (double[]){ 0 }, values);
    assert_true(values[0] == 3 && values[1] == 6 && values[2] == 6);
    gcal_model_parts_destroy(named);
    gcal_model_destroy(model);
    gcal_expr_destroy(expr);
}

/* As with all names replaced: the same symbols in the same order, values and derivatives. */
static void has_the_value_of_its_text(void **state)
{
    static const char *const texts[] = {
        "max(memory, difference) + alias/p_c + pnorm(p_norm, memory, rate)",
        "-difference^2*rate + 2^rate", "min(alias, 2*memory, rate)"
    };
    struct gcal_expr_names *names = create(rates, sizeof(rates) / sizeof(*rates));

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        char *whole = gcal_expr_names_resolve(names, texts[i], NULL);
        struct gcal_model *a =
            gcal_model_create_with("m", "f_cl_wall_time", texts[i], names, NULL);
        struct gcal_model *b = gcal_model_create("m", "f_cl_wall_time", whole, NULL);
        const double p[] = { 1.25, 0.7, 1.75, 3 }, f[] = { 5, 7 };
        double by_a[4], by_b[4];

        assert_int_equal(a->n_parameters, b->n_parameters);
        assert_int_equal(a->n_features, b->n_features);
        assert_true(fabs(gcal_model_eval(a, p, f, by_a) / gcal_model_eval(b, p, f, by_b) -
                         1) < 1e-14);
        for (size_t k = 0; k < a->n_parameters; k++) {
            assert_string_equal(a->parameters[k].name, b->parameters[k].name);
            assert_true(fabs(by_a[k] - by_b[k]) <= 1e-14 * fabs(by_b[k]));
        }
        for (size_t k = 0; k < a->n_features; k++)
            assert_string_equal(a->features[k], b->features[k]);
        gcal_model_destroy(a);
        gcal_model_destroy(b);
        free(whole);
    }
    gcal_expr_names_destroy(names);
}

static void refuses_endless_sets(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_expr_names *names = doubling(1000);

    (void)state;
    assert_int_equal(gcal_expr_names_add(names, "x1000", "x999", &err), -1);
    assert_non_null(strstr(err.text, "more than 1000 named expressions"));
    assert_null(gcal_expr_parse_with("x999", names, &err));
    assert_non_null(strstr(err.text, "in each other"));
    gcal_expr_names_destroy(names);
}

/* What the model has not, and which text has it. */
static void parts_are_of_the_model(void **state)
{
    static const char *const texts[] = { "rate", "memory + p_new", "p_a + size" };
    struct gcal_expr_names *names = create(rates, sizeof(rates) / sizeof(*rates));
    struct gcal_model *model =
        gcal_model_create_with("m", "f_cl_wall_time", "memory + p_c", names, NULL);
    struct gcal_error err = { 0 };
    size_t failed;

    (void)state;
    assert_null(gcal_model_parts_create(model, names, 3, texts, &failed, &err));
    assert_int_equal(failed, 1);
    assert_non_null(strstr(err.text, "column 10: expected a known name, found 'p_new'"));
    assert_null(gcal_model_parts_create(model, names, 1, texts + 2, &failed, &err));
    assert_int_equal(failed, 0);
    assert_non_null(strstr(err.text, "column 7: 'size' is neither"));
    gcal_model_destroy(model);
    assert_null(gcal_model_create_with("m", "f_cl_wall_time", "memory + ", names, &err));
    assert_string_equal(err.text,
                        "expression: column 9: expected a number, a name or '(', but the "
                        "text ends");
    gcal_expr_names_destroy(names);
}

/* A scaled part changes all texts that have the same subexpression. */
static void scales_what_is_shared(void **state)
{
    static const char *const texts[] = { "a*f_op + max(b, a*f_op)", "a*f_op", "b",
                                         "f_op" };
    struct gcal_expr_names *names = gcal_expr_names_create(NULL);
    struct gcal_model *model;
    struct gcal_model_parts *parts;
    const double p[] = { 2, 5 }, f[] = { 3 };
    double values[4], factors[] = { 1, 1, 1, 1 };
    size_t failed;

    (void)state;
    gcal_expr_names_add(names, "a", "2*p_a", NULL);
    gcal_expr_names_add(names, "b", "p_b", NULL);
    model = gcal_model_create_with("m", "f_cl_wall_time", texts[0], names, NULL);
    parts = gcal_model_parts_create(model, names, 4, texts, &failed, NULL);
    gcal_expr_names_destroy(names);
    gcal_model_parts_eval_scaled(parts, p, f, factors, values);
    assert_true(values[0] == 24 && values[1] == 12 && values[2] == 5);
    factors[1] = 0.25;
    gcal_model_parts_eval_scaled(parts, p, f, factors, values);
    assert_true(values[0] == 8 && values[1] == 3 && values[2] == 5);
    /* The name b is the parameter itself. */
    factors[2] = 4;
    gcal_model_parts_eval_scaled(parts, p, f, factors, values);
    assert_true(values[0] == 23 && values[1] == 3 && values[2] == 20);
    factors[3] = 2;
    gcal_model_parts_eval_scaled(parts, p, f, factors, values);
    assert_true(values[0] == 26 && values[1] == 6 && values[3] == 6);
    gcal_model_parts_destroy(parts);
    gcal_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_names_out),
        cmocka_unit_test(complains_where_it_is_used),
        cmocka_unit_test(refuses_names_and_texts),
        cmocka_unit_test(checks_those_that_nobody_uses),
        cmocka_unit_test(takes_linear_time),
        cmocka_unit_test(has_the_value_of_its_text),
        cmocka_unit_test(refuses_endless_sets),
        cmocka_unit_test(parts_are_of_the_model),
        cmocka_unit_test(scales_what_is_shared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
