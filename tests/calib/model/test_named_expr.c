/* test_named_expr.c - named expressions */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calib/base/error.h"
#include "calib/model/named_expr.h"

struct pair {
    const char *name, *text;
};

static const struct pair rates[] = {
    { "rate", "p_a * f_op_float32_add" },
    { "memory", "rate + p_b*f_mem_access_tag:rate" }, /* the tag does not use 'rate' */
    { "difference", "p_a - p_b" },
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
        { "p_c", "p_c" },
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

/* Each uses the one before twice. */
static void stays_finite(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_expr_names *names = gcal_expr_names_create(&err);
    char name[20], text[60];

    (void)state;
    assert_int_equal(gcal_expr_names_add(names, "x0", "p_a", &err), 0);
    for (int i = 1; i < 200; i++) {
        snprintf(name, sizeof(name), "x%d", i);
        snprintf(text, sizeof(text), "x%d*x%d", i - 1, i - 1);
        assert_int_equal(gcal_expr_names_add(names, name, text, &err), 0);
    }
    assert_int_equal(gcal_expr_names_check(names, &err), -1);
    assert_non_null(strstr(err.text, "longer than"));
    assert_null(gcal_expr_names_resolve(names, "x199", &err));
    assert_non_null(strstr(err.text, "in each other"));
    gcal_expr_names_destroy(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_names_out),
        cmocka_unit_test(complains_where_it_is_used),
        cmocka_unit_test(refuses_names_and_texts),
        cmocka_unit_test(checks_those_that_nobody_uses),
        cmocka_unit_test(stays_finite),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
