/* test_links.c - curves and deviations of links whose times are known */
#include <math.h>

#include "kernels/base/arena.h"
#include "fit/links/links.h"
#include "tests/unit.h"

enum { SIZES = 21, PAIRS = 6 };

/* 1 byte to 64 MiB. */
static void set_sizes(double *bytes)
{
    const double small[] = { 1, 8, 64 };

    for (size_t i = 0; i < SIZES; i++)
        bytes[i] = i < 3 ? small[i] : 512.0 * exp2((double)(i - 3));
}

/* 2.385 us and 11.7 GB/s; from 8 KiB on 7.31 us and 4.19 GB/s; from 1 MiB on 31.7 us and 9.23 GB/s. */
static double true_time_s(double bytes)
{
    return bytes < 8192      ? 2.385e-6 + bytes / 11.7e9
           : bytes < 1048576 ? 7.31e-6 + bytes / 4.19e9
                             : 31.7e-6 + bytes / 9.23e9;
}

static void assert_near(double value, double wanted, double relative)
{
    if (!(fabs(value / wanted - 1) <= relative))
        fail_msg("%.17g is not within %g of %.17g", value, relative, wanted);
}

static void three_lines_are_found(void **state)
{
    double bytes[SIZES], time_s[SIZES];
    struct gcal_link_curve curve;

    (void)state;
    set_sizes(bytes);
    for (size_t i = 0; i < SIZES; i++)
        time_s[i] = true_time_s(bytes[i]);
    assert_int_equal(gcal_link_fit_curve(SIZES, bytes, time_s, &curve), 0);
    assert_int_equal(curve.n, 3);
    assert_near(curve.regimes[0].from_s, 2.385e-6, 1e-9);
    assert_near(curve.regimes[0].byte_s, 1 / 11.7e9, 1e-6);
    assert_near(curve.regimes[2].from_s, 31.7e-6 + 1048576 / 9.23e9, 1e-9);
    assert_near(curve.regimes[2].byte_s, 1 / 9.23e9, 1e-9);
    assert_true(curve.regimes[1].from_bytes == 8192);
    for (double b = 1; b < 3e8; b *= 2)
        assert_near(gcal_link_time_s(&curve, b), true_time_s(b), 1e-6);
}

/* One line stays one, in spite of noise; what was not measured does not count. */
static void no_range_without_a_reason(void **state)
{
    double bytes[SIZES], time_s[SIZES];
    struct gcal_link_curve curve;

    (void)state;
    set_sizes(bytes);
    for (size_t i = 0; i < SIZES; i++)
        time_s[i] = (1.713e-6 + bytes[i] / 5.9e9) * (i % 3 == 0   ? 1.007
                                                     : i % 3 == 1 ? 0.991
                                                                  : 1);
    time_s[SIZES - 1] = NAN;
    assert_int_equal(gcal_link_fit_curve(SIZES, bytes, time_s, &curve), 0);
    assert_int_equal(curve.n, 2);
    assert_true(curve.regimes[0].byte_s == curve.regimes[1].byte_s);
    assert_near(curve.regimes[1].from_bytes, 1.713e-6 * 5.9e9, 0.01);
    assert_near(curve.regimes[0].byte_s, 1 / 5.9e9, 0.01);
    assert_true(curve.regimes[0].error > 0.003 && curve.regimes[0].error < 0.01);
    for (size_t i = 1; i < SIZES; i++)
        time_s[i] = NAN;
    assert_int_equal(gcal_link_fit_curve(SIZES, bytes, time_s, &curve), -1);
}

/* Small messages of a busy node, by which a message without bytes would take less than no time. */
static void no_time_is_negative(void **state)
{
    const double bytes[] = { 512, 1024, 2048, 4096 };
    const double time_s[] = { 1e-6, 2.9e-6, 6.8e-6, 14.9e-6 };
    struct gcal_link_curve curve;

    (void)state;
    assert_int_equal(gcal_link_fit_curve(4, bytes, time_s, &curve), 0);
    for (size_t i = 0; i < curve.n; i++)
        assert_true(curve.regimes[i].from_s >= 0 && curve.regimes[i].byte_s > 0);
}

/* Five pairs, of which one has 7 % less bandwidth, and a sixth with a tenth of it. */
static void slow_links_are_outliers(void **state)
{
    struct gcal_arena *arena = gcal_arena_create();
    double bytes[SIZES], time_s[SIZES * PAIRS];
    struct gcal_link_fit_pair pairs[PAIRS];
    struct gcal_link_curve curve;

    (void)state;
    set_sizes(bytes);
    for (size_t k = 0; k < SIZES; k++)
        for (size_t i = 0; i < PAIRS; i++)
            time_s[k * PAIRS + i] = (2.1e-6 + bytes[k] / 10.3e9 *
                                                  (i == 5   ? 10
                                                   : i == 4 ? 1.07
                                                            : 1 + 0.002 * (double)i)) *
                                    (1 + 0.004 * ((double)((k + i) % 3) - 1));
    /* The slow pair has no time for the longest messages. */
    time_s[(SIZES - 1) * PAIRS + 5] = NAN;
    assert_int_equal(
        gcal_link_fit_class(arena, SIZES, PAIRS, bytes, time_s, &curve, pairs), 0);
    for (size_t i = 0; i < PAIRS; i++)
        assert_int_equal(pairs[i].is_outlier, i == 5);
    assert_true(pairs[5].ratio > 8 && pairs[5].ratio < 10);
    assert_near(gcal_link_time_s(&pairs[5].curve, 1 << 20), 2.1e-6 + 1048576 / 1.03e9,
                0.02);
    /* Against the mean of the five, which is 1.6 % above the first. */
    assert_near(pairs[4].factor[curve.n - 1], 1.053, 0.01);
    assert_near(pairs[0].factor[curve.n - 1], 0.984, 0.01);
    for (double b = 1; b < 1e8; b *= 4)
        assert_near(gcal_link_time_s(&curve, b), 2.1e-6 + b / 10.3e9, 0.03);
    assert_true(curve.regimes[curve.n - 1].between > 0.01 &&
                curve.regimes[curve.n - 1].between < 0.06);
    gcal_arena_destroy(arena);
}

/* Two pairs of five are ten times faster, and alone have times of the longest messages. */
static void fast_links_do_not_stand_for_others(void **state)
{
    struct gcal_arena *arena = gcal_arena_create();
    double bytes[SIZES], time_s[SIZES * 5];
    struct gcal_link_fit_pair pairs[5];
    struct gcal_link_curve curve;

    (void)state;
    set_sizes(bytes);
    for (size_t k = 0; k < SIZES; k++)
        for (size_t i = 0; i < 5; i++)
            time_s[k * 5 + i] =
                i < 2 || k < 16 ? (2.1e-6 + bytes[k] / 1.03e9) / (i < 2 ? 10 : 1) : NAN;
    assert_int_equal(gcal_link_fit_class(arena, SIZES, 5, bytes, time_s, &curve, pairs),
                     0);
    assert_near(gcal_link_time_s(&curve, 1 << 26), 67108864 / 1.03e9, 0.01);
    assert_true(pairs[0].is_outlier && pairs[1].is_outlier && !pairs[2].is_outlier);
    gcal_arena_destroy(arena);
}

/* Of two pairs, one alone has times of long messages, to which its own factor is exactly 1. */
static void chance_is_no_certainty(void **state)
{
    struct gcal_arena *arena = gcal_arena_create();
    double bytes[SIZES], time_s[SIZES * 2];
    struct gcal_link_fit_pair pairs[2];
    struct gcal_link_curve curve;

    (void)state;
    set_sizes(bytes);
    for (size_t k = 0; k < SIZES; k++) {
        time_s[k * 2] = 2.1e-6 + bytes[k] / 1.03e9;
        time_s[k * 2 + 1] = k > 8 ? NAN : time_s[k * 2] * (1.02 + 0.01 * (double)(k % 3));
    }
    assert_int_equal(gcal_link_fit_class(arena, SIZES, 2, bytes, time_s, &curve, pairs),
                     0);
    for (size_t r = 0; r < curve.n; r++) {
        assert_true(isfinite(curve.regimes[r].between) && curve.regimes[r].between < 1);
        for (size_t i = 0; i < 2; i++)
            assert_true(isfinite(pairs[i].factor[r]) && pairs[i].error[r] < 1);
    }
    gcal_arena_destroy(arena);
}

/* One pair is its class. */
static void one_pair_has_no_factor(void **state)
{
    struct gcal_arena *arena = gcal_arena_create();
    double bytes[SIZES], time_s[SIZES];
    struct gcal_link_fit_pair pair;
    struct gcal_link_curve curve;

    (void)state;
    set_sizes(bytes);
    for (size_t i = 0; i < SIZES; i++)
        time_s[i] = true_time_s(bytes[i]);
    assert_int_equal(gcal_link_fit_class(arena, SIZES, 1, bytes, time_s, &curve, &pair),
                     0);
    for (size_t r = 0; r < curve.n; r++)
        assert_true(pair.factor[r] == 1 && pair.error[r] < 0.01 && !pair.is_outlier);
    gcal_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_lines_are_found),
        cmocka_unit_test(no_range_without_a_reason),
        cmocka_unit_test(no_time_is_negative),
        cmocka_unit_test(slow_links_are_outliers),
        cmocka_unit_test(fast_links_do_not_stand_for_others),
        cmocka_unit_test(chance_is_no_certainty),
        cmocka_unit_test(one_pair_has_no_factor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
