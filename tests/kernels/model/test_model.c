/* test_model.c - models: features, parameters, evaluation */
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
#include "kernels/base/yaml.h"
#include "kernels/model/expr.h"
#include "kernels/model/model.h"
#include "expr_text.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static const char three_groups[] =
    "pnorm(p_overlap, p_stream*f_mem_access_tag:aLD + p_store*f_mem_access_global_store,"
    "      p_madd*f_op_float32_madd + p_barrier*f_sync_barrier_local*f_thread_groups,"
    "      p_group*f_thread_groups)"
    " + p_launch*f_sync_kernel_launch";

/* By the order of first use. */
static const double parameters[] = { 1.713,   2.385e-12, 7.1e-12, 1.07e-12,
                                     3.3e-11, 5.9e-10,   4.7e-6 };
static const double features[] = { 1.3e6, 4.1e5, 2.9e7, 17, 4099, 1 };

static struct gcal_model *create(const char *expression)
{
    struct gcal_error err = { 0 };
    struct gcal_model *model = gcal_model_create("m", "f_cl_wall_time", expression, &err);

    if (!model)
        fail_msg("%s", err.text);
    return model;
}

static double by_hand(void)
{
    const double *p = parameters, *f = features;
    double global = p[1] * f[0] + p[2] * f[1], chip = p[3] * f[2] + p[4] * f[3] * f[4];

    return pow(pow(global, p[0]) + pow(chip, p[0]) + pow(p[5] * f[4], p[0]), 1 / p[0]) +
           p[6];
}

static void sorts_names_and_evaluates(void **state)
{
    struct gcal_model *model = create(three_groups);
    double gradient[7];

    (void)state;
    assert_int_equal(model->n_parameters, 7);
    assert_int_equal(model->n_features, 6);
    assert_string_equal(model->parameters[6].name, "p_launch");
    assert_string_equal(model->features[0], "f_mem_access_tag:aLD");
    assert_near(gcal_model_eval(model, parameters, features, NULL), by_hand(), 1e-18);
    assert_true(gcal_model_eval(model, parameters, features, gradient) ==
                gcal_model_eval(model, parameters, features, NULL));
    gcal_model_destroy(model);
}

static void gradient_equals_differences(void **state)
{
    struct gcal_model *model = create(three_groups);
    double gradient[7];

    (void)state;
    gcal_model_eval(model, parameters, features, gradient);
    for (size_t i = 0; i < 7; i++) {
        double at[7], step = 1e-5 * parameters[i], above, below;

        memcpy(at, parameters, sizeof(at));
        at[i] = parameters[i] + step;
        above = gcal_model_eval(model, at, features, NULL);
        at[i] = parameters[i] - step;
        below = gcal_model_eval(model, at, features, NULL);
        assert_near(gradient[i] * step, (above - below) / 2, 1e-15);
        assert_true(gradient[i] != 0);
    }
    gcal_model_destroy(model);
}

/* What is shared must not become something else on the way: to the bit. */
static void gradient_is_that_of_the_expressions(void **state)
{
    static const char *const expressions[] = {
        three_groups,
        "overlap(p_a*f_op_float32_add, p_b*f_op_float32_mul, p_edge)"
        " + min(p_a, p_b)^2*f_thread_groups + (p_a*f_op_float32_add)^p_edge",
        "p_a*p_a - -0*p_b + 0*p_a + max(p_a*f_thread_groups, p_b, p_a*f_thread_groups)",
        "p_a",
        "f_thread_groups",
        "2.385"
    };

    (void)state;
    for (size_t i = 0; i < sizeof(expressions) / sizeof(*expressions); i++) {
        struct gcal_model *model = create(expressions[i]);
        struct gcal_error err = { 0 };
        double values[16], gradient[16];

        for (size_t k = 0; k < model->n_parameters; k++)
            values[model->parameter_slots[k]] = parameters[k];
        for (size_t k = 0; k < model->n_features; k++)
            values[model->feature_slots[k]] = features[k];
        assert_true(gcal_model_eval(model, parameters, features, gradient) ==
                    gcal_expr_eval(model->expr, values));
        for (size_t k = 0; k < model->n_parameters; k++) {
            struct gcal_expr *derivative =
                expr_derivative(model->expr, model->parameters[k].name, &err);

            assert_true(gradient[k] == gcal_expr_eval(derivative, values));
            gcal_expr_destroy(derivative);
        }
        gcal_model_destroy(model);
    }
}

static void gradient_is_finite_at_zeros(void **state)
{
    struct gcal_model *model = create(three_groups);
    double at[7] = { 1.713 }, gradient[7];

    (void)state;
    assert_true(gcal_model_eval(model, at, features, gradient) == 0);
    for (size_t i = 0; i < 7; i++)
        assert_true(isfinite(gradient[i]));
    assert_true(gradient[6] == 1);
    gcal_model_destroy(model);
}

static void refuses_what_has_too_many_parts(void **state)
{
    char *text = malloc(60000), *at = text;
    struct gcal_error err = { 0 };

    (void)state;
    at += sprintf(at, "p_a");
    for (int i = 2; i < 4500; i++)
        at += sprintf(at, "+%d*p_a", i);
    assert_null(gcal_model_create("m", "f_cl_wall_time", text, &err));
    assert_int_equal(err.code, GCAL_EINPUT);
    assert_non_null(strstr(err.text, "different subexpressions"));
    free(text);
}

static void refuses_what_is_no_model(void **state)
{
    static const struct {
        const char *output, *expression, *says;
    } bad[] = {
        { "f_cl_wall_time", "p_a + * 2", "expression: column 7" },
        { "f_cl_wall_time", "p_a * n", "'n' is neither" },
        { "f_cl_wall_time", "p_a * f_op_float33_add", "f_op[_<dtype>[_<operation>]]" },
        { "f_cl_wall_time", "p_a * f_cl_wall_time", "is measured" },
        { "f_wrong", "p_a", "output: " },
        { "f_work_items", "p_a", "output: 'f_work_items' is counted, not measured" },
        { "f_user_a", "p_a", "output: 'f_user_a' is counted, not measured" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct gcal_error err = { 0 };

        assert_null(gcal_model_create("m", bad[i].output, bad[i].expression, &err));
        assert_int_equal(err.code, GCAL_EINPUT);
        if (!strstr(err.text, bad[i].says))
            fail_msg("%s gave: %s", bad[i].expression, err.text);
    }
}

static void parameters_that_cannot_be_0_are_numbers(void **state)
{
    struct gcal_model *model =
        create("pnorm(p_e, p_a*f_thread_groups/p_units, p_b*f_work_items^p_c) + p_l");
    static const struct {
        const char *name, *unit;
    } wanted[] = { { "p_e", "1" }, { "p_a", "s" }, { "p_units", "1" },
                   { "p_b", "s" }, { "p_c", "s" }, { "p_l", "s" } };

    (void)state;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
        assert_string_equal(gcal_model_parameter_find(model, wanted[i].name)->unit,
                            wanted[i].unit);
    gcal_model_destroy(model);
    model = create("f_thread_groups/(p_a - p_b)"); /* nothing is known */
    assert_string_equal(model->parameters[0].unit, "s");
    gcal_model_destroy(model);
}

static int decode(struct gcal_model *model, const char *text, struct gcal_error *err)
{
    struct gcal_yaml *root = gcal_yaml_parse(text, strlen(text), "m.yaml", err);
    int rc = root ? gcal_model_parameter_decode(root, &model->parameters[0], err) : -1;

    gcal_yaml_destroy(root);
    return rc;
}

static void decodes_parameters(void **state)
{
    struct gcal_model *model = create("p_e *\n  f_thread_groups + p_b");
    struct gcal_error err = { 0 };
    const struct gcal_model_parameter *p;

    (void)state;
    assert_string_equal(model->expression, "p_e * f_thread_groups + p_b");
    assert_int_equal(decode(model, "{unit: \"1\", initial: 1.3, min: 1, max: 16}", &err),
                     0);
    p = gcal_model_parameter_find(model, "p_e");
    assert_string_equal(p->unit, "1");
    assert_true(p->initial == 1.3 && p->min == 1 && p->max == 16);
    p = gcal_model_parameter_find(model, "p_b");
    assert_string_equal(p->unit, "s");
    assert_true(isnan(p->initial) && p->min == 0 && isinf(p->max));
    assert_null(gcal_model_parameter_find(model, "p_c"));
    gcal_model_destroy(model);
}

static void complains_with_line_and_column(void **state)
{
    static const struct {
        const char *text, *at, *says;
    } bad[] = {
        { "{min: 2, max: 1}", "m.yaml:1:1: ", "min 2 is not below max 1" },
        { "{initial: -1}", "m.yaml:1:1: ", "initial -1 is outside" },
        { "initial: 1\nmin: x", "m.yaml:2:6: ", "min" },
        { "{minimum: 1}", "m.yaml:1:2: ", "min" },
        { "- min: 1", "m.yaml:1:1: ", "map" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct gcal_model *model = create("p_a");
        struct gcal_error err = { 0 };

        assert_int_equal(decode(model, bad[i].text, &err), -1);
        assert_int_equal(err.code, GCAL_EINPUT);
        if (strncmp(err.text, bad[i].at, strlen(bad[i].at)) != 0 ||
            !strstr(err.text, bad[i].says))
            fail_msg("%s gave: %s", bad[i].text, err.text);
        gcal_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_names_and_evaluates),
        cmocka_unit_test(gradient_equals_differences),
        cmocka_unit_test(gradient_is_that_of_the_expressions),
        cmocka_unit_test(gradient_is_finite_at_zeros),
        cmocka_unit_test(refuses_what_has_too_many_parts),
        cmocka_unit_test(refuses_what_is_no_model),
        cmocka_unit_test(parameters_that_cannot_be_0_are_numbers),
        cmocka_unit_test(decodes_parameters),
        cmocka_unit_test(complains_with_line_and_column),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
