/* test_identifiability.c - merged, fixed and hidden parameters */
#include <math.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/model.h"
#include "fit/fit.h"
#include "tests/fit/bench.h"
#include "tests/unit.h"

#define SUM   LAUNCH " + " LOAD " + " MADD
#define PNORM LAUNCH " + pnorm(p_x, " LOAD ", " MADD ")"

static const double truth[] = { 7.21e-6, 1.13e-12, 2.385e-12 };

/* ---- merged costs ---- */

static void make_twins(struct bench *b)
{
    for (size_t i = 0; i < b->n_rows; i++)
        *feature(b, i, MADD_AT) = 3 * *feature(b, i, LOAD_AT);
    measure(b, truth, 0.01);
}

static double predicted_error(const struct bench *b, double loads, double madds)
{
    const double features[] = { 1, loads, madds };
    double gradient[8], variance = 0, time_s;
    size_t n = b->fit.n_parameters;

    time_s = gcal_model_eval(b->model, b->fit.value, features, gradient);
    for (size_t a = 0; a < n; a++)
        for (size_t c = 0; c < n; c++)
            variance += gradient[a] * b->fit.covariance[a * n + c] * gradient[c];
    return sqrt(variance) / time_s;
}

static void collinear_costs_share_their_time(void **state)
{
    struct bench b;

    (void)state;
    bench_init(&b, SUM, 40);
    make_twins(&b);
    b.merge_collinear = true;
    solve(&b, GCAL_FIT_GOOD);
    assert_int_equal(b.fit.rank, 2);
    assert_int_equal(b.fit.merged_with[MADD_AT], LOAD_AT);
    assert_int_equal(b.fit.merged_with[LOAD_AT], LOAD_AT);
    assert_int_equal(b.fit.merged_with[LAUNCH_AT], LAUNCH_AT);
    assert_non_null(strstr(b.fit.note, "p_load and p_madd are collinear"));
    assert_near(b.fit.value[LOAD_AT], 3 * b.fit.value[MADD_AT], 1e-9);
    assert_near(b.fit.value[LOAD_AT] + 3 * b.fit.value[MADD_AT], load_s + 3 * madd_s,
                0.01);
    assert_string_equal(b.fit.reason, "");
    /* Determined in the rows' proportion, and in no other. */
    assert_true(predicted_error(&b, 1e11, 3e11) < 0.01);
    assert_near(predicted_error(&b, 1e11, 0), 1 / sqrt(3), 0.01);
    assert_true(predicted_error(&b, 1e11, 1e11) > 0.2);
    bench_clear(&b);
}

/* The third column is a mixture of the first two, which are not collinear. */
static void mixtures_are_not_merged(void **state)
{
    static const double costs[] = { 7.21e-6, 1.13e-12, 2.385e-12, 3.17e-12 };
    struct bench b;

    (void)state;
    bench_init(&b, SUM " + p_groups*f_thread_groups", 40);
    for (size_t i = 0; i < b.n_rows; i++)
        *feature(&b, i, 3) = 2 * *feature(&b, i, LOAD_AT) + *feature(&b, i, MADD_AT);
    measure(&b, costs, 0.01);
    b.merge_collinear = true;
    solve(&b, GCAL_FIT_UNDETERMINED);
    assert_non_null(strstr(b.fit.reason, "p_load, p_madd and p_groups"));
    bench_clear(&b);
}

static void nothing_is_merged_by_default(void **state)
{
    struct bench b;

    (void)state;
    bench_init(&b, SUM, 40);
    make_twins(&b);
    solve(&b, GCAL_FIT_UNDETERMINED);
    for (size_t j = 0; j < 3; j++)
        assert_int_equal(b.fit.merged_with[j], j);
    bench_clear(&b);
}

/* ---- poorly determined shapes ---- */

/* Kernels with one negligible component hardly depend on the exponent. */
static void bench_weak(struct bench *b)
{
    static const double costs[] = { 7.21e-6, 1.713, 1.13e-12, 2.385e-12 };
    struct gcal_model_parameter *p;

    bench_init(b, PNORM, 60);
    for (size_t i = 0; i < b->n_rows; i++)
        *feature(b, i, i % 2 ? LOAD_AT : MADD_AT) *= 1e-4;
    p = gcal_model_parameter_find(b->model, "p_x");
    p->initial = 2.5;
    p->min = 1;
    p->max = 20;
    measure(b, costs, 0.02);
}

static void a_poorly_determined_exponent_is_fixed(void **state)
{
    struct bench b;

    (void)state;
    bench_weak(&b);
    solve(&b, GCAL_FIT_GOOD);
    assert_true(b.fit.poorly_determined[1]);
    assert_true(b.fit.value[1] == 2.5);
    assert_true(b.fit.standard_error[1] > 1); /* unknown */
    assert_non_null(strstr(b.fit.note, "p_x is poorly determined"));
    for (size_t j = 2; j < 4; j++) {
        assert_false(b.fit.poorly_determined[j]);
        assert_near(b.fit.value[j], j == 2 ? load_s : madd_s, 0.02);
    }
    bench_clear(&b);
}

/* A few kernels with both components determine it. */
static void a_well_determined_exponent_is_free(void **state)
{
    static const double costs[] = { 7.21e-6, 1.713, 1.13e-12, 2.385e-12 };
    struct bench b;

    (void)state;
    bench_weak(&b);
    for (size_t i = 0; i < b.n_rows; i += 5)
        *feature(&b, i, LOAD_AT) = *feature(&b, i, MADD_AT) = 1e10;
    measure(&b, costs, 0.02);
    solve(&b, GCAL_FIT_GOOD);
    assert_false(b.fit.poorly_determined[1]);
    assert_true(fabs(b.fit.value[1] - 1.713) < 3 * b.fit.standard_error[1]);
    assert_string_equal(b.fit.note, "");
    bench_clear(&b);
}

/* ---- hidden costs ---- */

/* Work-groups start in parallel to the loads, ten times as fast in every row. */
static void bench_hidden(struct bench *b)
{
    static const double costs[] = { 7.21e-6, 1.13e-12, 1.13e-10 };

    bench_init(b, LAUNCH " + max(" LOAD ", p_group*f_thread_groups)", 40);
    for (size_t i = 0; i < b->n_rows; i++)
        *feature(b, i, 2) = 1e-3 * *feature(b, i, LOAD_AT);
    measure(b, costs, 0.01);
}

static void a_hidden_cost_is_fixed(void **state)
{
    struct bench b;

    (void)state;
    bench_hidden(&b);
    solve(&b, GCAL_FIT_UNDETERMINED);
    assert_non_null(strstr(b.fit.reason, "p_group"));
    b.merge_collinear = true;
    solve(&b, GCAL_FIT_GOOD);
    assert_true(b.fit.poorly_determined[2]);
    assert_near(b.fit.value[2], 0.5 * 1.13e-9, 0.05);
    assert_near(b.fit.standard_error[2], b.fit.value[2] / sqrt(3), 1e-6);
    assert_non_null(strstr(b.fit.note, "p_group is poorly determined"));
    assert_near(b.fit.value[LOAD_AT], load_s, 0.02);
    bench_clear(&b);
}

static void a_cost_without_rows_is_never_fixed(void **state)
{
    struct bench b;

    (void)state;
    bench_hidden(&b);
    for (size_t i = 0; i < b.n_rows; i++)
        *feature(&b, i, 2) = 0;
    b.merge_collinear = true;
    solve(&b, GCAL_FIT_UNDETERMINED);
    assert_non_null(strstr(b.fit.reason, "no measured kernel depends on p_group"));
    bench_clear(&b);
}

/* No row depends on the exponent: with 'merge_collinear' it is fixed. */
static void an_exponent_without_rows_is_fixed_if_asked(void **state)
{
    struct bench b;

    (void)state;
    bench_weak(&b);
    for (size_t i = 0; i < b.n_rows; i++)
        *feature(&b, i, i % 2 ? LOAD_AT : MADD_AT) = 0;
    measure(&b, (const double[]){ 7.21e-6, 1.713, 1.13e-12, 2.385e-12 }, 0.02);
    solve(&b, GCAL_FIT_UNDETERMINED);
    b.merge_collinear = true;
    solve(&b, GCAL_FIT_GOOD);
    assert_true(b.fit.poorly_determined[1] && b.fit.value[1] == 2.5);
    bench_clear(&b);
}

/* ---- sharp edges ---- */

/* Most rows are where max(a, b) has its edge. */
static void bench_sharp(struct bench *b, uint64_t seed)
{
    struct gcal_model_parameter *edge;

    bench_init(b, LAUNCH " + overlap(" LOAD ", " MADD ", p_edge)", 40);
    b->random = seed;
    edge = gcal_model_parameter_find(b->model, "p_edge");
    edge->initial = 8;
    edge->min = 1;
    edge->max = 64;
    for (size_t i = 0; i < b->n_rows; i++) {
        double load = i % 8 ? 1e9 * (1 + uniform(b)) : 0;
        double madd = load * load_s / madd_s * (0.9 + 0.2 * uniform(b));

        *feature(b, i, LOAD_AT) = load;
        *feature(b, i, MADD_AT) = madd;
        b->time_s[i] =
            (launch_s + fmax(load_s * load, madd_s * madd)) * (1 + 0.2 * normal(b));
    }
}

/* Along the valley of an edge the sum of squares hardly changes. */
static void searches_converge_at_sharp_edges(void **state)
{
    static const uint64_t seeds[] = { 2, 5, 50, 54, 74, 82, 99, 107, 108, 124 };
    struct gcal_error err = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
        struct bench b;

        bench_sharp(&b, seeds[i]);
        assert_int_equal(solve_rows(&b, NULL, &err), 0);
        if (b.fit.status == GCAL_FIT_NOT_CONVERGED)
            fail_msg("seed %d: %s", (int)seeds[i], b.fit.reason);
        assert_true(b.fit.residual < 0.3);
        bench_clear(&b);
    }
}

/* A parameter that the rows drive to its bound is not poorly determined. */
static void a_bound_with_reason_stays(void **state)
{
    static const double costs[] = { 7.21e-6, 6.13, 1.13e-12, 2.385e-12 };
    struct bench b;
    struct gcal_model_parameter *p;

    (void)state;
    bench_init(&b, PNORM, 60);
    measure(&b, costs, 0.01);
    p = gcal_model_parameter_find(b.model, "p_x");
    p->initial = 2;
    p->min = 1;
    p->max = 3;
    solve(&b, GCAL_FIT_GOOD);
    assert_true(b.fit.at_bound[1] && !b.fit.poorly_determined[1] && b.fit.value[1] == 3);
    bench_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collinear_costs_share_their_time),
        cmocka_unit_test(mixtures_are_not_merged),
        cmocka_unit_test(nothing_is_merged_by_default),
        cmocka_unit_test(a_poorly_determined_exponent_is_fixed),
        cmocka_unit_test(a_well_determined_exponent_is_free),
        cmocka_unit_test(a_hidden_cost_is_fixed),
        cmocka_unit_test(a_cost_without_rows_is_never_fixed),
        cmocka_unit_test(an_exponent_without_rows_is_fixed_if_asked),
        cmocka_unit_test(searches_converge_at_sharp_edges),
        cmocka_unit_test(a_bound_with_reason_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
