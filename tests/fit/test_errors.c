/* test_errors.c - intervals: their coverage, groups and correlations */
#include <math.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/model.h"
#include "fit/fit.h"
#include "tests/fit/bench.h"
#include "tests/unit.h"

#define SUM LAUNCH " + " LOAD " + " MADD

static const double truth[] = { 7.21e-6, 1.13e-12, 2.385e-12 };

/* Coverage of the 90 % intervals of the costs, in percent. */
static double coverage(struct bench *b, const double *costs, double group_error,
                       double row_error, int runs)
{
    size_t n = b->model->n_parameters;
    double inside = 0;

    for (int run = 0; run < runs; run++) {
        double shift = 0, factor;

        measure(b, costs, row_error);
        for (size_t i = 0; i < b->n_rows; i++) {
            if (i == 0 || b->group[i] != b->group[i - 1])
                shift = group_error * normal(b);
            b->time_s[i] *= exp(shift);
        }
        solve(b, GCAL_FIT_GOOD);
        factor = gcal_fit_interval_factor(0.9, b->fit.freedom);
        for (size_t j = 0; j < n; j++)
            inside +=
                fabs(b->fit.value[j] - costs[j]) < factor * b->fit.standard_error[j];
    }
    return 100 * inside / (double)n / runs;
}

static void assert_covers(double percent)
{
    if (!(percent >= 85 && percent <= 95))
        fail_msg("coverage of the 90 %% intervals: %.1f %%", percent);
}

static void intervals_of_single_rows(void **state)
{
    struct bench b;

    (void)state;
    bench_init(&b, SUM, 24);
    assert_covers(coverage(&b, truth, 0, 0.03, 600));
    bench_clear(&b);
}

static void intervals_of_an_exponent(void **state)
{
    static const double costs[] = { 7.21e-6, 1.713, 1.13e-12, 2.385e-12 };
    struct gcal_model_parameter *p;
    struct bench b;

    (void)state;
    bench_init(&b, LAUNCH " + pnorm(p_x, " LOAD ", " MADD ")", 40);
    p = gcal_model_parameter_find(b.model, "p_x");
    p->min = 1;
    p->max = 20;
    assert_covers(coverage(&b, costs, 0, 0.03, 200));
    bench_clear(&b);
}

/* Sweeps of five sizes whose errors are the same. */
static void intervals_of_sweeps(void **state)
{
    double apart;
    struct bench b;

    (void)state;
    bench_init(&b, SUM, 60);
    for (size_t i = 0; i < 60; i++) {
        b.group[i] = 7 + i / 5;
        if (i % 5)
            for (size_t k = 1; k < 3; k++)
                *feature(&b, i, k) = 1.5 * *feature(&b, i - 1, k);
    }
    apart = coverage(&b, truth, 0.04, 0.01, 300);
    assert_true(apart < 75); /* each size counted as a kernel */
    b.has_groups = true;
    assert_covers(coverage(&b, truth, 0.04, 0.01, 600));
    assert_true(b.fit.freedom < 20 && b.fit.freedom >= 4);
    bench_clear(&b);
}

/* Groups with independent errors change nothing. */
static void groups_that_do_not_matter(void **state)
{
    struct bench b;

    (void)state;
    bench_init(&b, SUM, 60);
    b.has_groups = true;
    for (size_t i = 0; i < 60; i++)
        b.group[i] = i * 7 % 12;
    assert_covers(coverage(&b, truth, 0, 0.03, 600));
    bench_clear(&b);
}

/* The common error of a single sweep cannot be estimated. */
static void one_group_is_not_exact(void **state)
{
    struct bench b;

    (void)state;
    bench_init(&b, MADD, 6);
    b.has_groups = true; /* all rows in one */
    for (size_t i = 0; i < 6; i++)
        *feature(&b, i, 0) = 713e6 * pow(2, (double)i);
    measure(&b, (const double[]){ 2.385e-12 }, 1e-4);
    solve(&b, GCAL_FIT_GOOD);
    assert_near(b.fit.value[0], madd_s, 1e-3);
    assert_near(b.fit.standard_error[0], 0.01 * madd_s, 0.02);
    bench_clear(&b);
}

static void factors_are_students(void **state)
{
    (void)state;
    assert_near(gcal_fit_interval_factor(0.9, 0), 1.644854, 1e-6);
    assert_near(gcal_fit_interval_factor(0.9, 1), 6.313752, 1e-6);
    assert_near(gcal_fit_interval_factor(0.95, 7), 2.364624, 1e-6);
    assert_near(gcal_fit_interval_factor(0.9, 100000), 1.644854, 1e-4);
}

static void correlations_and_inflation(void **state)
{
    struct gcal_fit_pair pairs[3];
    double c;
    struct bench b;

    (void)state;
    bench_init(&b, SUM, 40);
    for (size_t i = 0; i < 40; i++) /* nearly collinear */
        *feature(&b, i, MADD_AT) = *feature(&b, i, LOAD_AT) * (1 + 0.1 * normal(&b));
    measure(&b, truth, 0.01);
    solve(&b, GCAL_FIT_GOOD);
    assert_int_equal(b.fit.rank, 3);
    c = b.fit.correlation[3 * LOAD_AT + MADD_AT];
    assert_true(c < -0.95 && c >= -1);
    for (size_t j = 0; j < 3; j++) {
        assert_near(b.fit.correlation[4 * j], 1, 1e-12);
        assert_true(b.fit.variance_inflation[j] >= 1 - 1e-12);
    }
    assert_true(b.fit.variance_inflation[LOAD_AT] > 20);
    assert_true(b.fit.variance_inflation[LAUNCH_AT] < 3);
    assert_int_equal(gcal_fit_correlated_pairs(&b.fit, 0.9, pairs, 3), 1);
    assert_true(pairs[0].a == LOAD_AT && pairs[0].b == MADD_AT);
    assert_true(pairs[0].correlation == c);
    assert_int_equal(gcal_fit_correlated_pairs(&b.fit, 0, pairs, 3), 3);
    assert_true(fabs(pairs[1].correlation) >= fabs(pairs[2].correlation));
    assert_int_equal(gcal_fit_correlated_pairs(&b.fit, 0, pairs, 1), 1);
    assert_true(pairs[0].correlation == c);
    assert_int_equal(gcal_fit_correlated_pairs(&b.fit, 0, pairs, 0), 0);
    bench_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_of_single_rows),
        cmocka_unit_test(intervals_of_an_exponent),
        cmocka_unit_test(intervals_of_sweeps),
        cmocka_unit_test(groups_that_do_not_matter),
        cmocka_unit_test(one_group_is_not_exact),
        cmocka_unit_test(factors_are_students),
        cmocka_unit_test(correlations_and_inflation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
