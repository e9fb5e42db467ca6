/* test_fit.c - known costs are recovered, and undetermined ones named */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/model.h"
#include "fit/fit.h"
#include "tests/fit/bench.h"
#include "tests/unit.h"

/* ---- recovery of known costs ---- */

static void recovers_a_sum(void **state)
{
    static const double truth[] = { 7.21e-6, 1.13e-12, 2.385e-12 };
    struct bench b;

    (void)state;
    bench_init(&b, LAUNCH " + " LOAD " + " MADD, 60);
    measure(&b, truth, 0.01);
    solve(&b, GCAL_FIT_GOOD);
    assert_recovered(&b, truth);
    assert_string_equal(b.fit.reason, "");
    assert_near(b.fit.residual, 0.01, 0.3);
    assert_true(b.fit.mean_error < b.fit.residual);
    assert_true(b.fit.worst_error > b.fit.residual && b.fit.worst_error < 0.04);
    for (size_t i = 0; i < b.n_rows; i++)
        assert_true(b.fit.feature_min[LOAD_AT] <= *feature(&b, i, LOAD_AT) &&
                    *feature(&b, i, LOAD_AT) <= b.fit.feature_max[LOAD_AT]);
    assert_true(b.fit.feature_min[LOAD_AT] >= 1e3 && b.fit.feature_max[LOAD_AT] <= 1e10);
    bench_clear(&b);
}

static void standard_errors_are_those_of_repeated_runs(void **state)
{
    static const double truth[] = { 7.21e-6, 1.13e-12, 2.385e-12 };
    double sum = 0, squares = 0, claimed = 0;
    struct bench b;

    (void)state;
    bench_init(&b, LAUNCH " + " LOAD " + " MADD, 24);
    for (int run = 0; run < 800; run++) {
        measure(&b, truth, 0.02);
        solve(&b, GCAL_FIT_GOOD);
        sum += b.fit.value[MADD_AT] / 800;
        squares += pow(b.fit.value[MADD_AT], 2) / 800;
        claimed += b.fit.standard_error[MADD_AT] / 800;
    }
    assert_near(sqrt(squares - sum * sum), claimed, 0.07);
    bench_clear(&b);
}

/* Short rows have 0.9 of the cost and long ones 1.1 of it: relative errors take the middle,
 * absolute ones follow the long rows.  Standard errors are in the cost's unit.
 */
static void absolute_errors_are_those_of_long_rows(void **state)
{
    struct bench b;
    struct gcal_error err = { 0 };

    (void)state;
    bench_init(&b, MADD, 40);
    for (size_t i = 0; i < 40; i++) {
        double *count = feature(&b, i, 0);

        *count = (i % 2 ? 1e10 : 1e7) * (1 + 0.01 * (double)i);
        b.time_s[i] = madd_s * *count * (i % 2 ? 1.1 : 0.9) * (1 + 0.002 * normal(&b));
    }
    for (int absolute = 0; absolute < 2; absolute++) {
        struct gcal_fit_rows rows = bench_rows(&b, NULL);

        rows.absolute = absolute;
        gcal_fit_clear(&b.fit);
        assert_int_equal(gcal_fit_solve(b.model, &rows, &b.fit, &err), 0);
        assert_int_equal(b.fit.status, GCAL_FIT_GOOD);
        assert_near(b.fit.value[0], absolute ? 1.1 * madd_s : 0.98 * madd_s,
                    absolute ? 0.002 : 0.03);
        assert_true(b.fit.standard_error[0] < (absolute ? 0.01 : 0.05) * madd_s);
        assert_near(b.fit.worst_error, absolute ? 0.22 : 0.11, 0.2);
    }
    bench_clear(&b);
}

static void standard_errors_hold_for_absolute_errors(void **state)
{
    double sum = 0, squares = 0, claimed = 0;
    struct gcal_error err = { 0 };
    struct bench b;

    (void)state;
    bench_init(&b, LAUNCH " + " MADD, 24);
    for (int run = 0; run < 400; run++) {
        struct gcal_fit_rows rows = bench_rows(&b, NULL);

        rows.absolute = true;
        for (size_t i = 0; i < 24; i++)
            b.time_s[i] = 1e-4 + madd_s * *feature(&b, i, 1) + 2e-6 * normal(&b);
        gcal_fit_clear(&b.fit);
        assert_int_equal(gcal_fit_solve(b.model, &rows, &b.fit, &err), 0);
        sum += b.fit.value[1] / 400;
        squares += pow(b.fit.value[1], 2) / 400;
        claimed += b.fit.standard_error[1] / 400;
    }
    assert_near(sum, madd_s, 0.01);
    assert_near(sqrt(squares - sum * sum), claimed, 0.12);
    bench_clear(&b);
}

static void recovers_the_overlap(void **state)
{
    static const double edges[] = { 0.71, 1.9, 3.17 };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        double truth[] = { launch_s, load_s, madd_s, edges[i] };
        struct bench b;

        bench_init(&b, LAUNCH " + overlap(" LOAD ", " MADD ", p_edge)", 60);
        measure(&b, truth, 0.01);
        solve(&b, GCAL_FIT_GOOD);
        assert_recovered(&b, truth);
        bench_clear(&b);
    }
}

static void recovers_the_exponent(void **state)
{
    static const double exponents[] = { 1.19, 1.37, 3.71 };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        double truth[] = { launch_s, exponents[i], load_s, madd_s };
        struct bench b;

        bench_init(&b, LAUNCH " + pnorm(p_x, " LOAD ", " MADD ")", 60);
        gcal_model_parameter_find(b.model, "p_x")->min = 1;
        gcal_model_parameter_find(b.model, "p_x")->max = 20;
        measure(&b, truth, 0.01);
        solve(&b, GCAL_FIT_GOOD);
        assert_recovered(&b, truth);
        bench_clear(&b);
    }
}

static void exact_times_give_exact_costs(void **state)
{
    static const double truth[] = { 7.21e-6, 1.37, 1.13e-12, 2.385e-15 };
    struct bench b;

    (void)state;
    bench_init(&b, LAUNCH " + pnorm(p_x, " LOAD ", " MADD ")", 30);
    for (size_t i = 0; i < b.n_rows; i++) /* costs of very different size */
        *feature(&b, i, MADD_AT) *= 1e3;
    measure(&b, truth, 0);
    solve(&b, GCAL_FIT_GOOD);
    for (size_t j = 0; j < 4; j++)
        assert_near(b.fit.value[j], truth[j], 1e-6);
    assert_true(b.fit.residual < 1e-8);
    bench_clear(&b);
}

static void the_same_rows_give_the_same_bits(void **state)
{
    static const double truth[] = { 7.21e-6, 1.37, 1.13e-12, 2.385e-12 };
    double value[4], error[4], covariance[16];
    struct bench b;

    (void)state;
    bench_init(&b, LAUNCH " + pnorm(p_x, " LOAD ", " MADD ")", 40);
    measure(&b, truth, 0.03);
    solve(&b, GCAL_FIT_GOOD);
    memcpy(value, b.fit.value, sizeof(value));
    memcpy(error, b.fit.standard_error, sizeof(error));
    memcpy(covariance, b.fit.covariance, sizeof(covariance));
    solve(&b, GCAL_FIT_GOOD);
    assert_memory_equal(b.fit.value, value, sizeof(value));
    assert_memory_equal(b.fit.standard_error, error, sizeof(error));
    assert_memory_equal(b.fit.covariance, covariance, sizeof(covariance));
    bench_clear(&b);
}

/* ---- undetermined parameters ---- */

/* The parameters with their bit set in 'which' are named and undetermined; all standard
 * errors are NaN.
 */
static void assert_undetermined(const struct bench *b, unsigned which)
{
    size_t n = b->fit.n_parameters;

    for (size_t j = 0; j < n; j++) {
        const char *name = b->model->parameters[j].name;
        bool wanted = which >> j & 1;

        if (b->fit.undetermined[j] != wanted || !strstr(b->fit.reason, name) == wanted)
            fail_msg("%s: %s", name, b->fit.reason);
        assert_true(isnan(b->fit.standard_error[j]));
    }
    for (size_t i = 0; i < n * n; i++)
        assert_true(isnan(b->fit.covariance[i]));
    assert_true(isinf(b->fit.condition));
}

static void names_collinear_costs(void **state)
{
    static const double truth[] = { 7.21e-6, 1.13e-12, 2.385e-12 };
    struct bench b;

    (void)state;
    bench_init(&b, LAUNCH " + " LOAD " + " MADD, 20);
    for (size_t i = 0; i < b.n_rows; i++)
        *feature(&b, i, MADD_AT) = 3 * *feature(&b, i, LOAD_AT);
    measure(&b, truth, 0.01);
    solve(&b, GCAL_FIT_UNDETERMINED);
    assert_undetermined(&b, 1 << LOAD_AT | 1 << MADD_AT);
    assert_non_null(strstr(b.fit.reason, "only p_load + 3*p_madd is known"));
    bench_clear(&b);
}

static void names_all_of_a_mixture(void **state)
{
    static const double truth[] = { 7.21e-6, 1.13e-12, 2.385e-12, 3.17e-12 };
    struct bench b;

    (void)state;
    bench_init(&b, LAUNCH " + " LOAD " + " MADD " + p_groups*f_thread_groups", 20);
    for (size_t i = 0; i < b.n_rows; i++)
        *feature(&b, i, 3) = 2 * *feature(&b, i, LOAD_AT) + *feature(&b, i, MADD_AT);
    measure(&b, truth, 0.01);
    solve(&b, GCAL_FIT_UNDETERMINED);
    assert_undetermined(&b, 0xe);
    bench_clear(&b);
}

static void names_a_parameter_without_kernels(void **state)
{
    static const double truth[] = { 7.21e-6, 1.13e-12, 2.385e-12 };
    struct bench b;

    (void)state;
    bench_init(&b, LAUNCH " + " LOAD " + " MADD, 20);
    for (size_t i = 0; i < b.n_rows; i++)
        *feature(&b, i, MADD_AT) = 0;
    measure(&b, truth, 0.01);
    solve(&b, GCAL_FIT_UNDETERMINED);
    assert_undetermined(&b, 1 << MADD_AT);
    assert_non_null(strstr(b.fit.reason, "no measured kernel depends on p_madd"));
    assert_null(strstr(b.fit.reason, "collinear"));
    bench_clear(&b);
}

/* Only kernels with both components depend on the exponent. */
static void names_an_exponent_without_kernels(void **state)
{
    static const double truth[] = { 7.21e-6, 1.37, 1.13e-12, 2.385e-12 };
    struct bench b;

    (void)state;
    bench_init(&b, LAUNCH " + pnorm(p_x, " LOAD ", " MADD ")", 20);
    for (size_t i = 0; i < b.n_rows; i++)
        *feature(&b, i, i % 2 ? LOAD_AT : MADD_AT) = 0;
    measure(&b, truth, 0.01);
    solve(&b, GCAL_FIT_UNDETERMINED);
    assert_undetermined(&b, 1 << 1);
    bench_clear(&b);
}

static void too_few_rows_are_reported(void **state)
{
    static const double truth[] = { 7.21e-6, 1.13e-12, 2.385e-12 };
    struct bench b;

    (void)state;
    bench_init(&b, LAUNCH " + " LOAD " + " MADD, 2);
    measure(&b, truth, 0.01);
    solve(&b, GCAL_FIT_TOO_FEW_ROWS);
    assert_non_null(strstr(b.fit.reason, "3 parameters"));
    assert_non_null(strstr(b.fit.reason, "2 kernels"));
    for (size_t j = 0; j < 3; j++) {
        assert_true(isnan(b.fit.value[j]) && isnan(b.fit.standard_error[j]));
        assert_true(b.fit.undetermined[j]);
    }
    b.n_rows = 0;
    solve(&b, GCAL_FIT_TOO_FEW_ROWS);
    bench_clear(&b);
}

/* As many rows as parameters: the exact fit says nothing about the errors. */
static void exactly_enough_rows_leave_errors_unknown(void **state)
{
    static const double truth[] = { 7.21e-6, 1.13e-12, 2.385e-12 };
    struct bench b;

    (void)state;
    bench_init(&b, LAUNCH " + " LOAD " + " MADD, 3);
    *feature(&b, 0, LOAD_AT) = *feature(&b, 0, MADD_AT) = 713;
    *feature(&b, 1, MADD_AT) = 713;
    *feature(&b, 2, LOAD_AT) = 713;
    measure(&b, truth, 0);
    solve(&b, GCAL_FIT_GOOD);
    for (size_t j = 0; j < 3; j++) {
        assert_near(b.fit.value[j], truth[j], 1e-6);
        assert_true(b.fit.standard_error[j] > 0.005 * truth[j]);
    }
    bench_clear(&b);
}

static void refuses_invalid_rows(void **state)
{
    static const double truth[] = { 7.21e-6, 1.13e-12, 2.385e-12 };
    struct gcal_error err = { 0 };
    struct bench b;

    (void)state;
    bench_init(&b, LAUNCH " + " LOAD " + " MADD, 20);
    measure(&b, truth, 0.01);
    b.time_s[6] = 0;
    assert_int_equal(solve_rows(&b, NULL, &err), -1);
    assert_non_null(strstr(err.text, "row 7"));
    b.time_s[6] = 2.385e-6;
    *feature(&b, 12, MADD_AT) = NAN;
    assert_int_equal(solve_rows(&b, NULL, &err), -1);
    assert_non_null(strstr(err.text, "row 13"));
    *feature(&b, 12, MADD_AT) = 713;
    b.spread[3] = -0.1;
    assert_int_equal(solve_rows(&b, b.spread, &err), -1);
    assert_non_null(strstr(err.text, "row 4"));
    bench_clear(&b);
}

/* ---- bounds ---- */

static void a_negative_cost_ends_at_zero(void **state)
{
    double truth[] = { launch_s, load_s, -0.07 * madd_s };
    struct bench b, without;

    (void)state;
    bench_init(&b, LAUNCH " + " LOAD " + " MADD, 40);
    bench_init(&without, LAUNCH " + " LOAD, 40);
    for (size_t i = 0; i < b.n_rows; i++)
        *feature(&b, i, MADD_AT) =
            fmin(*feature(&b, i, MADD_AT), *feature(&b, i, LOAD_AT));
    for (size_t i = 0; i < b.n_rows; i++)
        for (size_t k = 0; k < 2; k++)
            *feature(&without, i, k) = *feature(&b, i, k);
    measure(&b, truth, 0.01);
    memcpy(without.time_s, b.time_s, sizeof(b.time_s));
    b.model->parameters[LAUNCH_AT].max = 1; /* finite, and never reached */
    solve(&b, GCAL_FIT_GOOD);
    solve(&without, GCAL_FIT_GOOD);
    assert_true(b.fit.at_bound[MADD_AT]);
    assert_true(b.fit.value[MADD_AT] == 0 && b.fit.standard_error[MADD_AT] == 0);
    for (size_t j = 0; j < 2; j++) { /* as without this parameter in the model */
        assert_false(b.fit.at_bound[j]);
        assert_near(b.fit.value[j], without.fit.value[j], 1e-6);
        assert_near(b.fit.standard_error[j], without.fit.standard_error[j], 1e-6);
        assert_true(b.fit.covariance[3 * j + MADD_AT] == 0);
    }
    bench_clear(&b);
    bench_clear(&without);
}

static void an_exponent_stays_in_its_range(void **state)
{
    static const double truth[] = { 7.21e-6, 1.37, 1.13e-12, 2.385e-12 };
    struct bench b;
    struct gcal_model_parameter *p;

    (void)state;
    bench_init(&b, LAUNCH " + pnorm(p_x, " LOAD ", " MADD ")", 40);
    measure(&b, truth, 0.01);
    p = gcal_model_parameter_find(b.model, "p_x");
    p->min = 2.1;
    p->max = 8;
    solve(&b, GCAL_FIT_GOOD);
    assert_true(b.fit.value[1] == 2.1 && b.fit.at_bound[1]);
    assert_true(b.fit.standard_error[1] == 0);
    assert_true(b.fit.residual > 0.02); /* the optimum is outside */
    p->min = 1;
    p->max = 1.21;
    solve(&b, GCAL_FIT_GOOD);
    assert_true(b.fit.value[1] == 1.21 && b.fit.at_bound[1]);
    p->max = 8;
    solve(&b, GCAL_FIT_GOOD);
    assert_recovered(&b, truth);
    bench_clear(&b);
}

/* ---- weights of rows ---- */

static void a_noisy_row_pulls_less(void **state)
{
    static const double truth[] = { 7.21e-6, 1.13e-12, 2.385e-12 };
    struct gcal_error err = { 0 };
    double alike, weighted;
    struct bench b;

    (void)state;
    bench_init(&b, LAUNCH " + " LOAD " + " MADD,
               7); /* too few to recognise it by the others */
    measure(&b, truth, 0.001);
    for (size_t i = 0; i < b.n_rows; i++)
        b.spread[i] = 0.001;
    *feature(&b, 5, LOAD_AT) = 3; /* madds alone, and much too slow */
    b.time_s[5] = 1.5 * (launch_s + *feature(&b, 5, MADD_AT) * madd_s);
    b.spread[5] = 0.5;
    solve(&b, GCAL_FIT_GOOD);
    alike = fabs(b.fit.value[MADD_AT] / madd_s - 1);
    assert_int_equal(solve_rows(&b, b.spread, &err), 0);
    weighted = fabs(b.fit.value[MADD_AT] / madd_s - 1);
    assert_true(alike > 0.02);
    assert_true(weighted < 0.1 * alike);
    bench_clear(&b);
}

/* Times that happen to match the model do not make noisy samples exact. */
static void errors_are_no_less_than_the_spread(void **state)
{
    static const double truth[] = { 7.21e-6, 1.13e-12, 2.385e-12 };
    struct gcal_error err = { 0 };
    double small, large;
    struct bench b;

    (void)state;
    bench_init(&b, LAUNCH " + " LOAD " + " MADD, 24);
    measure(&b, truth, 0);
    for (size_t i = 0; i < b.n_rows; i++)
        b.spread[i] = 1e-4;
    assert_int_equal(solve_rows(&b, b.spread, &err), 0);
    small = b.fit.standard_error[MADD_AT];
    assert_true(small > 1e-5 * truth[MADD_AT]);
    for (size_t i = 0; i < b.n_rows; i++)
        b.spread[i] = 3e-4;
    assert_int_equal(solve_rows(&b, b.spread, &err), 0);
    large = b.fit.standard_error[MADD_AT];
    assert_near(large / small, 3, 1e-2);
    bench_clear(&b);
}

static void the_condition_follows_the_rows(void **state)
{
    static const double truth[] = { 1.13e-12, 2.385e-9 };
    struct bench b;

    (void)state;
    /* One cost per kernel: orthogonal columns, whatever their units. */
    bench_init(&b, "p_groups*f_thread_groups + " MADD, 12);
    for (size_t i = 0; i < b.n_rows; i++) {
        *feature(&b, i, 0) = i % 2 ? 0 : 713.0 + (double)i;
        *feature(&b, i, 1) = i % 2 ? 41.0 * (double)i : 0;
    }
    measure(&b, truth, 0.01);
    solve(&b, GCAL_FIT_GOOD);
    assert_near(b.fit.condition, 1, 1e-9);
    /* Nearly collinear: a distance of 1e-4 is a condition of 2e4, still acceptable. */
    for (size_t i = 0; i < b.n_rows; i++) {
        *feature(&b, i, 0) = 713.0 + (double)i;
        *feature(&b, i, 1) = *feature(&b, i, 0) * (i % 2 ? 1.0001 : 0.9999);
    }
    measure(&b, truth, 0);
    solve(&b, GCAL_FIT_GOOD);
    assert_near(b.fit.condition, 2e4, 1e-3);
    bench_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovers_a_sum),
        cmocka_unit_test(standard_errors_are_those_of_repeated_runs),
        cmocka_unit_test(absolute_errors_are_those_of_long_rows),
        cmocka_unit_test(standard_errors_hold_for_absolute_errors),
        cmocka_unit_test(recovers_the_overlap),
        cmocka_unit_test(recovers_the_exponent),
        cmocka_unit_test(exact_times_give_exact_costs),
        cmocka_unit_test(the_same_rows_give_the_same_bits),
        cmocka_unit_test(names_collinear_costs),
        cmocka_unit_test(names_all_of_a_mixture),
        cmocka_unit_test(names_a_parameter_without_kernels),
        cmocka_unit_test(names_an_exponent_without_kernels),
        cmocka_unit_test(too_few_rows_are_reported),
        cmocka_unit_test(exactly_enough_rows_leave_errors_unknown),
        cmocka_unit_test(refuses_invalid_rows),
        cmocka_unit_test(a_negative_cost_ends_at_zero),
        cmocka_unit_test(an_exponent_stays_in_its_range),
        cmocka_unit_test(a_noisy_row_pulls_less),
        cmocka_unit_test(errors_are_no_less_than_the_spread),
        cmocka_unit_test(the_condition_follows_the_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
