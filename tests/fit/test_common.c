/* test_common.c - times of kernels on devices that have measured other kernels */
#include <math.h>

#include "fit/fit.h"
#include "tests/unit.h"

#define N_KERNELS 12
#define N_DEVICES 7

static double time_s[N_KERNELS * N_DEVICES], common_s[N_KERNELS];

static double kernel_s(size_t k)
{
    return 2.385e-6 * pow(1.7, (double)k);
}

static double speed(size_t i)
{
    return 1 + 0.06 * ((double)i - 3) - 0.01 * (double)(i * i % 3);
}

static void make(bool (*has)(size_t k, size_t i))
{
    for (size_t k = 0; k < N_KERNELS; k++)
        for (size_t i = 0; i < N_DEVICES; i++)
            time_s[k * N_DEVICES + i] = has(k, i) ? kernel_s(k) * speed(i) : NAN;
    gcal_fit_common_times(time_s, N_KERNELS, N_DEVICES, common_s);
}

/* All that have a value, by the same factor. */
static void check_ratios(size_t n)
{
    double first = NAN;
    size_t found = 0;

    for (size_t k = 0; k < N_KERNELS; k++) {
        if (isnan(common_s[k]))
            continue;
        found++;
        if (isnan(first))
            first = common_s[k] / kernel_s(k);
        assert_true(fabs(common_s[k] / kernel_s(k) - first) < 1e-9);
    }
    assert_int_equal(found, n);
}

static bool all(size_t k, size_t i)
{
    (void)k;
    (void)i;
    return true;
}

static void means_where_all_have_all(void **state)
{
    double logs = 0;

    (void)state;
    make(all);
    check_ratios(N_KERNELS);
    for (size_t i = 0; i < N_DEVICES; i++)
        logs += log(speed(i));
    assert_true(fabs(common_s[5] / kernel_s(5) - exp(logs / N_DEVICES)) < 1e-12);
}

static bool some(size_t k, size_t i)
{
    return (k + 2 * i) % 5 != 0;
}

/* No kernel that all devices have. */
static void gaps_do_not_matter(void **state)
{
    (void)state;
    make(some);
    check_ratios(N_KERNELS);
}

static bool one_of_last(size_t k, size_t i)
{
    return i + 1 < N_DEVICES || k == 4;
}

static void one_kernel_has_no_say(void **state)
{
    double before;

    (void)state;
    make(one_of_last);
    before = common_s[4];
    time_s[4 * N_DEVICES + N_DEVICES - 1] *= 17;
    gcal_fit_common_times(time_s, N_KERNELS, N_DEVICES, common_s);
    assert_true(fabs(common_s[4] / before - 1) < 1e-9);
    check_ratios(N_KERNELS);
}

static bool apart(size_t k, size_t i)
{
    return (k < 4) == (i < 2);
}

/* Two groups without a kernel in common: the larger one. */
static void those_apart_are_left_out(void **state)
{
    (void)state;
    make(apart);
    check_ratios(8);
    assert_true(isnan(common_s[0]) && isfinite(common_s[4]));
}

static bool none(size_t k, size_t i)
{
    return k == i;
}

static void nothing_in_common(void **state)
{
    (void)state;
    make(none);
    check_ratios(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_where_all_have_all),
        cmocka_unit_test(gaps_do_not_matter),
        cmocka_unit_test(one_kernel_has_no_say),
        cmocka_unit_test(those_apart_are_left_out),
        cmocka_unit_test(nothing_in_common),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
