/* test_rows.c - a model at many rows: against single rows, and against naive evaluation */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/model/expr.h"
#include "kernels/model/model.h"
#include "kernels/model/rows.h"
#include "tests/unit.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

/* Two whole blocks and a part of one. */
enum { N_ROWS = 2 * GCAL_MODEL_BLOCK + 5, MAX_NAMES = 16 };

/* Every operation, of parameters alone, of features alone and of both; results that depend on
 * one of them, and on none.
 */
static const char *const expressions[] = {
    "pnorm(p_overlap, p_a*f_thread_groups + p_b*f_work_items, p_c*f_op_float32_add, "
    "p_d*f_op_float32_mul*f_thread_groups) + p_e",
    "overlap(p_a*f_op_float32_add, p_b*f_op_float32_mul, p_edge)"
    " - min(p_a*f_thread_groups, p_b)^2/f_work_items + (p_a*f_op_float32_add)^p_edge",
    "smoothmax(p_sharp, p_a*f_op_float32_add, p_b*f_op_float32_mul, p_c)"
    " + max(p_a*f_thread_groups, p_b*f_work_items, p_a*p_b, f_work_items)",
    "p_a*exp(-p_b*f_thread_groups/1000) + log(1 + p_a*f_work_items) + log2(f_work_items "
    "+ p_b)"
    " + sqrt(p_a + f_thread_groups) + tanh(p_c*f_op_float32_add/1e6)",
    "p_a*ceil(f_work_items/(p_b + 37)) + floor(f_thread_groups/7)*step(f_work_items - "
    "p_c*1000)"
    " + smoothstep(f_work_items - 900*p_d, 1e-3) + ceil(p_a*5)",
    "p_a^3*f_thread_groups^4 + (p_a + f_thread_groups)^5 + -(p_b*f_work_items) - -0*p_a",
    "p_a*p_b",
    "f_thread_groups/f_work_items",
    "p_a",
    "f_thread_groups",
    "2.385",
};

#define N_EXPRESSIONS (sizeof(expressions) / sizeof(*expressions))

struct setup {
    struct gcal_model *model;
    struct gcal_model_rows *rows;
    double features[N_ROWS * MAX_NAMES], parameters[MAX_NAMES];
    double values[N_ROWS], gradients[N_ROWS * MAX_NAMES];
};

static double uniform(uint64_t *state, double low, double high)
{
    return low + (high - low) * ((double)(gcal_random_next(state) >> 11) / 0x1p53);
}

/* Every fifth feature is 0. */
static void create(struct setup *s, const char *expression, size_t n_rows)
{
    struct gcal_error err = { 0 };
    uint64_t state = 2385;
    double *features;

    if (!(s->model = gcal_model_create("m", "f_cl_wall_time", expression, &err)))
        fail_msg("%s: %s", expression, err.text);
    for (size_t j = 0; j < s->model->n_parameters; j++)
        s->parameters[j] = uniform(&state, 1.1, 4.3);
    for (size_t i = 0; i < N_ROWS * s->model->n_features; i++)
        s->features[i] = i % 5 == 3 ? 0 : uniform(&state, 100, 5000);
    /* It needs the features no longer than it takes. */
    features = malloc(sizeof(s->features));
    memcpy(features, s->features, sizeof(s->features));
    s->rows = gcal_model_rows_create(s->model, n_rows, features, &err);
    memset(features, 0xff, sizeof(s->features));
    free(features);
    assert_non_null(s->rows);
}

static void destroy(struct setup *s)
{
    gcal_model_rows_destroy(s->rows);
    gcal_model_destroy(s->model);
}

static const double *features_of(const struct setup *s, size_t i)
{
    return s->features + i * s->model->n_features;
}

/* The same bits, and not a number where the other is none. */
static void assert_same(double a, double b)
{
    if (!(isnan(a) && isnan(b)))
        assert_memory_equal(&a, &b, sizeof(a));
}

static void assert_rows_are_single_rows(struct setup *s, size_t first, size_t n)
{
    size_t n_parameters = s->model->n_parameters;
    double gradient[MAX_NAMES], alone[N_ROWS];

    gcal_model_rows_eval(s->rows, first, n, s->parameters, s->values, s->gradients);
    gcal_model_rows_eval(s->rows, first, n, s->parameters, alone, NULL);
    for (size_t i = 0; i < n; i++) {
        double value =
            gcal_model_eval(s->model, s->parameters, features_of(s, first + i), gradient);

        assert_same(s->values[i], value);
        assert_same(alone[i], value);
        for (size_t j = 0; j < n_parameters; j++)
            assert_same(s->gradients[i * n_parameters + j], gradient[j]);
    }
}

/* To the last bit, with other parameters on the same rows, from any block on. */
static void are_single_rows(void **state)
{
    (void)state;
    for (size_t e = 0; e < N_EXPRESSIONS; e++) {
        static struct setup s;

        create(&s, expressions[e], N_ROWS);
        assert_rows_are_single_rows(&s, 0, N_ROWS);
        for (size_t j = 0; j < s.model->n_parameters; j++)
            s.parameters[j] *= 1.713;
        assert_rows_are_single_rows(&s, GCAL_MODEL_BLOCK, N_ROWS - GCAL_MODEL_BLOCK);
        assert_rows_are_single_rows(&s, GCAL_MODEL_BLOCK, 3);
        destroy(&s);
    }
}

/* As single rows, they are what they are where parameters are 0 or not finite. */
static void are_single_rows_at_limits(void **state)
{
    static const double limits[] = { 0, -0.0, INFINITY, NAN, 1e300, -1 };

    (void)state;
    for (size_t e = 0; e < N_EXPRESSIONS; e++)
        for (size_t l = 0; l < sizeof(limits) / sizeof(*limits); l++) {
            static struct setup s;

            create(&s, expressions[e], N_ROWS);
            for (size_t j = 0; j < s.model->n_parameters; j++) {
                double kept = s.parameters[j];

                s.parameters[j] = limits[l];
                assert_rows_are_single_rows(&s, 0, N_ROWS);
                s.parameters[j] = kept;
            }
            destroy(&s);
        }
}

static void any_number_of_rows(void **state)
{
    static const size_t counts[] = { 0, 1, GCAL_MODEL_BLOCK - 1, GCAL_MODEL_BLOCK,
                                     GCAL_MODEL_BLOCK + 1 };

    (void)state;
    for (size_t k = 0; k < sizeof(counts) / sizeof(*counts); k++) {
        static struct setup s;

        create(&s, expressions[0], counts[k]);
        s.values[counts[k]] = s.gradients[counts[k] * s.model->n_parameters] = 713;
        assert_rows_are_single_rows(&s, 0, counts[k]);
        /* Nothing is written beyond them. */
        assert_true(s.values[counts[k]] == 713);
        assert_true(s.gradients[counts[k] * s.model->n_parameters] == 713);
        destroy(&s);
    }
}

/* The expression as text, at row i with these parameters. */
static double naive(const struct setup *s, const char *expression,
                    const double *parameters, size_t i)
{
    const struct gcal_model *model = s->model;
    const char *names[2 * MAX_NAMES];
    double values[2 * MAX_NAMES], result;
    struct gcal_error err = { 0 };
    struct gcal_expr *expr;
    size_t n = 0;

    for (size_t j = 0; j < model->n_parameters; j++, n++) {
        names[n] = model->parameters[j].name;
        values[n] = parameters[j];
    }
    for (size_t k = 0; k < model->n_features; k++, n++) {
        names[n] = model->features[k];
        values[n] = features_of(s, i)[k];
    }
    expr = gcal_expr_parse_in(expression, n, names, &err);
    assert_non_null(expr);
    result = gcal_expr_eval(expr, values);
    gcal_expr_destroy(expr);
    return result;
}

/* Derivatives by differences, where the expression is smooth. */
static void are_what_the_expression_says(void **state)
{
    (void)state;
    for (size_t e = 0; e < 4; e++) {
        static struct setup s;
        size_t n;

        create(&s, expressions[e], N_ROWS);
        n = s.model->n_parameters;
        gcal_model_rows_eval(s.rows, 0, N_ROWS, s.parameters, s.values, s.gradients);
        for (size_t i = 0; i < N_ROWS; i++) {
            double value = naive(&s, expressions[e], s.parameters, i);

            if (!isfinite(value))
                continue;
            assert_near(s.values[i] / value, 1, 1e-12);
            for (size_t j = 0; j < n; j++) {
                double at[MAX_NAMES], step = 1e-5 * s.parameters[j], above, below;

                memcpy(at, s.parameters, sizeof(at));
                at[j] = s.parameters[j] + step;
                above = naive(&s, expressions[e], at, i);
                at[j] = s.parameters[j] - step;
                below = naive(&s, expressions[e], at, i);
                assert_near(s.gradients[i * n + j] * step / value,
                            (above - below) / 2 / value, 1e-9);
            }
        }
        destroy(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_single_rows),
        cmocka_unit_test(are_single_rows_at_limits),
        cmocka_unit_test(any_number_of_rows),
        cmocka_unit_test(are_what_the_expression_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
