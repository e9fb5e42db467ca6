/* test_samples.c - medians and device factors of samples */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "fit/fit.h"
#include "tests/unit.h"

static uint64_t random_state = 713;

static double uniform(void)
{
    return ((double)(gcal_random_next(&random_state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    double radius = sqrt(-2 * log(uniform()));

    return radius * cos(6.283185307179586 * uniform());
}

static void assert_near(double value, double wanted, double relative)
{
    if (!(fabs(value / wanted - 1) <= relative))
        fail_msg("%.17g is not within %g of %.17g", value, relative, wanted);
}

static void median_of_odd_and_even_counts(void **state)
{
    const double samples[] = { 9.17e-6, 2.385e-6, 7.21e-6, 2.391e-6 };
    double median, spread;
    struct gcal_error err = { 0 };

    (void)state;
    assert_int_equal(gcal_fit_median(samples, 3, &median, &spread, &err), 0);
    assert_true(median == 7.21e-6);
    /* Deviations 1.96, 4.825 and 0 us: their median is 1.96. */
    assert_near(spread, 1.2533 * 1.4826 * 1.96 / 7.21 / sqrt(3), 1e-5);
    assert_int_equal(gcal_fit_median(samples, 4, &median, &spread, &err), 0);
    assert_near(median, (2.391e-6 + 7.21e-6) / 2, 1e-12);
    assert_true(samples[0] == 9.17e-6 && samples[3] == 2.391e-6); /* unchanged */
    assert_int_equal(gcal_fit_median(samples, 1, &median, &spread, &err), 0);
    assert_true(median == 9.17e-6 && spread == 0);
}

static void no_samples_have_no_median(void **state)
{
    double median = 1, spread = 1;
    struct gcal_error err = { 0 };

    (void)state;
    assert_int_equal(gcal_fit_median(NULL, 0, &median, &spread, &err), -1);
    assert_int_equal(err.code, GCAL_EINPUT);
}

/* Mean over 200 sets of 101 samples, so that the test is of the formula. */
static void spread_is_the_error_of_the_median(void **state)
{
    const double sigma = 0.02385;
    double claimed = 0, squares = 0, samples[101], median, spread;

    (void)state;
    for (int set = 0; set < 200; set++) {
        for (size_t i = 0; i < 101; i++)
            samples[i] = 7.21e-6 * (1 + sigma * normal());
        assert_int_equal(gcal_fit_median(samples, 101, &median, &spread, NULL), 0);
        claimed += spread / 200;
        squares += pow(median / 7.21e-6 - 1, 2) / 200;
    }
    assert_near(claimed / (1.2533 * sigma / sqrt(101)), 1, 0.03);
    assert_near(sqrt(squares) / claimed, 1, 0.12); /* the actual scatter of medians */
}

static void stragglers_do_not_move_the_median(void **state)
{
    double samples[200], median, spread, moved, moved_spread;

    (void)state;
    for (size_t i = 0; i < 200; i++)
        samples[i] = 7.21e-6 * (1 + 0.02 * normal());
    assert_int_equal(gcal_fit_median(samples, 200, &median, &spread, NULL), 0);
    samples[41] *= 400;
    samples[97] *= 400;
    assert_int_equal(gcal_fit_median(samples, 200, &moved, &moved_spread, NULL), 0);
    assert_near(moved / median, 1, 0.01);
    assert_near(moved_spread / spread, 1, 0.05);
}

static void deviate(const double *predicted_s, const double *time_s, size_t n_rows,
                    double *factor, double *error)
{
    gcal_fit_deviation(predicted_s, time_s, n_rows, factor, error);
}

static void deviation_is_a_median(void **state)
{
    const double predicted_s[] = { 2e-6, 3e-3, 7.21e-5, 4.1 };
    const double ratios[] = { 1.1, 1.21, 1.1, 1.21 };
    double time_s[4], factor, error;

    (void)state;
    for (size_t i = 0; i < 4; i++)
        time_s[i] = ratios[i] * predicted_s[i];
    deviate(predicted_s, time_s, 4, &factor, &error);
    assert_near(factor, pow(1.1, 1.5), 1e-12);
    /* The logarithms are +-log(1.1)/2; 1.363 for four rows. */
    assert_near(error,
                factor * sqrt(3.14159265358979 / 2) * 1.4826 * 1.363 * log(1.1) / 2 / 2,
                1e-9);
}

/* The rows that a device takes four times as long for are not its speed. */
static void deviation_of_some_rows_moves_nothing(void **state)
{
    double predicted_s[100], time_s[100], factor, error;

    (void)state;
    for (size_t i = 0; i < 100; i++) {
        predicted_s[i] = 1e-3;
        time_s[i] = (i < 30 ? 4 : 1) * 1.02e-3 * exp(0.001 * normal());
    }
    deviate(predicted_s, time_s, 100, &factor, &error);
    assert_near(factor, 1.02, 0.001);
    assert_true(error < 0.0005);
}

static void deviation_of_a_noisy_device(void **state)
{
    double predicted_s[400], time_s[400], factor, error;

    (void)state;
    for (size_t i = 0; i < 400; i++) {
        predicted_s[i] = pow(10, -6 * uniform());
        time_s[i] = predicted_s[i] * 1.0713 * exp(0.05 * normal());
    }
    deviate(predicted_s, time_s, 400, &factor, &error);
    assert_near(error / (1.0713 * 0.05 * 1.2533 / 20), 1, 0.15);
    assert_near(factor, 1.0713, 3 * error);
}

static void one_row_gives_no_error(void **state)
{
    const double predicted_s = 2.385e-6, time_s = 2.6235e-6;
    double factor, error;

    (void)state;
    deviate(&predicted_s, &time_s, 1, &factor, &error);
    assert_near(factor, 1.1, 1e-12);
    assert_true(isinf(error));
    deviate(NULL, NULL, 0, &factor, &error);
    assert_true(factor == 1 && isinf(error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(median_of_odd_and_even_counts),
        cmocka_unit_test(no_samples_have_no_median),
        cmocka_unit_test(spread_is_the_error_of_the_median),
        cmocka_unit_test(stragglers_do_not_move_the_median),
        cmocka_unit_test(deviation_is_a_median),
        cmocka_unit_test(deviation_of_some_rows_moves_nothing),
        cmocka_unit_test(deviation_of_a_noisy_device),
        cmocka_unit_test(one_row_gives_no_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
