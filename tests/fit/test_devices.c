/* test_devices.c - device factors and their shrinkage */
#include <math.h>
#include <string.h>

#include "kernels/base/random.h"
#include "fit/fit.h"
#include "tests/unit.h"

static void assert_near(double value, double wanted, double relative)
{
    if (!(fabs(value / wanted - 1) <= relative))
        fail_msg("%.17g is not within %g of %.17g", value, relative, wanted);
}

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

static void one_device_is_its_type(void **state)
{
    const double factor[] = { 1.037 }, error[] = { 0.0021 };
    double shrunk, shrunk_error, between;

    (void)state;
    gcal_fit_shrink(1, factor, error, &shrunk, &shrunk_error, &between);
    assert_true(shrunk == 1 && shrunk_error == 0.0021 && isnan(between));
}

/* Errors far below the differences between devices: factors stay. */
static void exact_factors_stay(void **state)
{
    const double factor[] = { 0.953, 1.041, 1.013 }, error[] = { 1e-5, 2e-5, 1e-5 };
    double shrunk[3], shrunk_error[3], between;

    (void)state;
    gcal_fit_shrink(3, factor, error, shrunk, shrunk_error, &between);
    for (size_t i = 0; i < 3; i++) {
        assert_near(shrunk[i], factor[i], 1e-5);
        assert_near(shrunk_error[i], error[i], 0.01);
    }
    assert_true(between > 0.03 && between < 0.06);
}

/* Factors that differ by less than their errors: devices are alike. */
static void noise_is_shrunk_away(void **state)
{
    const double factor[] = { 0.993, 1.004, 1.002 }, error[] = { 0.02, 0.03, 0.02 };
    double shrunk[3], shrunk_error[3], between;

    (void)state;
    gcal_fit_shrink(3, factor, error, shrunk, shrunk_error, &between);
    assert_true(between == 0);
    for (size_t i = 0; i < 3; i++) {
        assert_true(shrunk[i] == 1);
        assert_true(shrunk_error[i] < error[i]);
        assert_near(shrunk_error[i], fabs(log(factor[i])), 1e-9);
    }
}

/* Both variances 0.0004: half of each deviation is left. */
static void halves_when_both_are_alike(void **state)
{
    double d = log(1.05), v = d * d, shrunk[2], shrunk_error[2], between;
    const double factor[] = { exp(d), exp(-d) };
    const double error[] = { factor[0] * d, factor[1] * d };

    (void)state;
    /* Q = 2, E[Q] = 1 + tau^2 / v: tau^2 = v. */
    gcal_fit_shrink(2, factor, error, shrunk, shrunk_error, &between);
    assert_near(between, d, 1e-9);
    assert_near(log(shrunk[0]), d / 2, 1e-9);
    assert_near(log(shrunk[1]), -d / 2, 1e-9);
    assert_near(shrunk_error[0] / shrunk[0], sqrt(v / 2 + 2 * v / 4), 1e-9);
}

static void a_device_without_an_error_is_one_of_them(void **state)
{
    const double factor[] = { 0.953, 1.3, 1.041 }, error[] = { 1e-3, INFINITY, 1e-3 };
    double shrunk[3], shrunk_error[3], between;

    (void)state;
    gcal_fit_shrink(3, factor, error, shrunk, shrunk_error, &between);
    assert_true(shrunk[1] == 1 && shrunk_error[1] == between && between > 0.05);
    gcal_fit_shrink(2, factor, error, shrunk, shrunk_error, &between);
    assert_true(isnan(between) && shrunk[0] == 1 && isinf(shrunk_error[1]));
}

/* Shrunk factors are closer to the truth, and their errors are right. */
static void is_nearer_than_the_raw_factors(void **state)
{
    double raw = 0, better = 0, claimed = 0;

    (void)state;
    for (int run = 0; run < 400; run++) {
        double truth[8], factor[8], error[8], shrunk[8], shrunk_error[8], between;

        for (size_t i = 0; i < 8; i++) {
            truth[i] = 0.01 * normal();
            error[i] = 0.005 + 0.02 * uniform();
            factor[i] = exp(truth[i] + error[i] * normal());
            error[i] *= factor[i];
        }
        gcal_fit_shrink(8, factor, error, shrunk, shrunk_error, &between);
        for (size_t i = 0; i < 8; i++) {
            raw += pow(log(factor[i]) - truth[i], 2);
            better += pow(log(shrunk[i]) - truth[i], 2);
            claimed += pow(shrunk_error[i] / shrunk[i], 2);
        }
    }
    assert_true(better < 0.5 * raw);
    assert_true(claimed > 0.8 * better && claimed < 1.5 * better);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_device_is_its_type),
        cmocka_unit_test(exact_factors_stay),
        cmocka_unit_test(noise_is_shrunk_away),
        cmocka_unit_test(halves_when_both_are_alike),
        cmocka_unit_test(a_device_without_an_error_is_one_of_them),
        cmocka_unit_test(is_nearer_than_the_raw_factors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
