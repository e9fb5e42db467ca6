/* test_rank_correlation.c - whether two series are in the same order */
#include "tests/unit.h"

#include <math.h>

#include "fit/rank_correlation.h"

static double correlation(size_t n, const double *a, const double *b)
{
    double r = NAN;

    r = gcal_fit_rank_correlation(n, a, b);
    return r;
}

static void orders_are_compared(void **state)
{
    static const double rising[] = { 1, 2, 3, 10 }, bent[] = { 0.1, 5, 7, 7.1 };
    static const double falling[] = { 4, 3, 2, 1 }, swapped[] = { 2, 1, 3, 4 };
    static const double equal[] = { 3, 3, 3, 3 }, two_equal[] = { 1, 2, 2, 3 };

    (void)state;
    assert_true(fabs(correlation(4, rising, bent) - 1) < 1e-12);
    assert_true(fabs(correlation(4, rising, falling) + 1) < 1e-12);
    /* 1 - 6 (1 + 1) / (4 (16 - 1)) */
    assert_true(fabs(correlation(4, rising, swapped) - 0.8) < 1e-12);
    /* The ranks 1, 2.5, 2.5, 4 against 1 to 4. */
    assert_true(fabs(correlation(4, rising, two_equal) - 4.5 / sqrt(5 * 4.5)) < 1e-12);
    assert_true(correlation(4, rising, equal) == 0);
    assert_true(correlation(1, rising, bent) == 0);
    assert_true(correlation(0, rising, bent) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(orders_are_compared) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
