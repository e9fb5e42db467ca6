/* test_error_summary.c - errors of predictions in figures */
#include <math.h>

#include "fit/error_summary.h"
#include "tests/unit.h"

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.17g is not %.17g", value, expected);
}

static struct gcal_fit_error_summary summarize(size_t n, const double *predicted_s,
                                               const double *time_s)
{
    struct gcal_fit_error_summary s;

    s = gcal_fit_summarize_errors(n, time_s, predicted_s);
    return s;
}

static void figures_are_those_of_the_errors(void **state)
{
    static const double time_s[] = { 2e-6, 2e-6, 3.0, 5e-3 };
    static const double predicted_s[] = { 2.2e-6, 1.4e-6, NAN, 5.1e-3 };
    struct gcal_fit_error_summary s = summarize(4, predicted_s, time_s);

    (void)state;
    assert_int_equal(s.n, 3);
    near(s.mean_error, cbrt(0.1 * 0.3 * 0.02));
    near(s.mean_log, (log(1.1) - log(0.7) + log(1.02)) / 3);
    near(s.rms, sqrt((pow(log(1.1), 2) + pow(log(0.7), 2) + pow(log(1.02), 2)) / 3));
    near(s.error_90, 0.3);
}

/* One prediction that is wrong by far, or right, must not decide. */
static void outliers_are_limited(void **state)
{
    static const double ones[] = { 1, 1, 1 };
    static const double far[] = { 0, INFINITY, 1.1 }, exact[] = { 1, 1.1, 0.9 };
    struct gcal_fit_error_summary s = summarize(3, far, ones);

    (void)state;
    near(s.mean_log, (0.5 + 0.5 + log(1.1)) / 3);
    near(s.rms, sqrt((0.25 + 0.25 + pow(log(1.1), 2)) / 3));
    near(summarize(3, exact, ones).mean_error, cbrt(1e-16 * (1.1 - 1) * 0.1));
}

/* The k-th smallest of n, k = ceil(0.9 (n + 1)). */
static void bound_has_a_position_more_than_errors(void **state)
{
    static const struct {
        size_t n, k;
    } bounds[] = { { 1, 1 },   { 8, 8 },   { 9, 9 },  { 10, 10 },
                   { 19, 18 }, { 20, 19 }, { 99, 90 } };
    double predicted_s[99], time_s[99];

    (void)state;
    for (size_t i = 0; i < 99; i++)
        time_s[i] = 1;
    for (size_t i = 0; i < sizeof(bounds) / sizeof(*bounds); i++) {
        size_t n = bounds[i].n;

        for (size_t k = 0; k < n; k++) /* 7 divides no n: each once */
            predicted_s[k] = 1 + 0.001 * (double)(k * 7 % n + 1);
        assert_true(fabs(summarize(n, predicted_s, time_s).error_90 -
                         0.001 * (double)bounds[i].k) < 1e-12);
    }
}

static void nothing_is_known_without_predictions(void **state)
{
    static const double time_s[] = { 1 }, predicted_s[] = { NAN };
    const struct gcal_fit_mean_error none = { 0 };
    struct gcal_fit_error_summary s = summarize(1, predicted_s, time_s);

    (void)state;
    assert_int_equal(s.n, 0);
    assert_true(isnan(s.rms) && isnan(s.mean_log) && isnan(s.mean_error) &&
                isnan(s.error_90));
    assert_true(isnan(gcal_fit_mean_error(&none)) && isnan(gcal_fit_worst_error(&none)));
}

static void means_grow_one_by_one(void **state)
{
    struct gcal_fit_mean_error mean = { 0 };

    (void)state;
    gcal_fit_mean_error_add(&mean, 1.25, 1);
    gcal_fit_mean_error_add(&mean, 1, 2);
    near(gcal_fit_mean_error(&mean), sqrt(0.25 * 0.5));
    near(gcal_fit_worst_error(&mean), 0.5);
}

static void few_errors_bound_less(void **state)
{
    (void)state;
    assert_true(gcal_fit_small_sample_factor(1) > 6);
    for (size_t n = 1; n < 9; n++)
        assert_true(gcal_fit_small_sample_factor(n) >
                    gcal_fit_small_sample_factor(n + 1));
    assert_true(gcal_fit_small_sample_factor(9) == 1 &&
                gcal_fit_small_sample_factor(1000) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_the_errors),
        cmocka_unit_test(outliers_are_limited),
        cmocka_unit_test(bound_has_a_position_more_than_errors),
        cmocka_unit_test(few_errors_bound_less),
        cmocka_unit_test(nothing_is_known_without_predictions),
        cmocka_unit_test(means_grow_one_by_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
