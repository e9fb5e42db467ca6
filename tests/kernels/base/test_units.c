/* test_units.c - numbers with units, read and written */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/units.h"

static void assert_units(double value, const char *unit, const char *expected)
{
    char text[GCAL_UNITS_SIZE];

    assert_string_equal(gcal_units(value, unit, text), expected);
}

static void prefixes(void **state)
{
    (void)state;
    assert_units(1.234e-3, "s", "1.234 ms");
    assert_units(2.3854e-12, "s", "2.385 ps");
    assert_units(41, "s", "41 s");
    assert_units(139.8e9, "B", "139.8 GB");
    assert_units(4.383e12, "B/s", "4.383 TB/s");
    assert_units(1.755e9, "Hz", "1.755 GHz");
    assert_units(7.13e-16, "s", "713 as");
}

static void rounding_does_not_leave_a_thousand(void **state)
{
    (void)state;
    assert_units(999.94, "s", "999.9 s");
    assert_units(999.96, "s", "1 ks");
    assert_units(999.96e-6, "s", "1 ms");
    assert_units(-999.96e-9, "s", "-1 us");
}

static void zero_and_signs(void **state)
{
    (void)state;
    assert_units(0, "s", "0 s");
    assert_units(0, "1", "0");
    assert_units(-7.21e-6, "s", "-7.21 us");
}

static void numbers_without_prefix(void **state)
{
    (void)state;
    assert_units(1371.3, "1", "1371");
    assert_units(2.385e-6, "1", "2.385e-06");
    assert_units(71300, "flop", "7.13e+04 flop");
    assert_units(43.5, "C", "43.5 C");
}

static void beyond_all_prefixes(void **state)
{
    (void)state;
    assert_units(7.13e22, "B", "7.13e+07 PB");
    assert_units(7.13e-22, "s", "0.000713 as");
    assert_units(INFINITY, "s", "inf s");
    assert_units(NAN, "s", "nan s");
}

static void no_order_is_certain(void **state)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = { { 0.97, "97 %" }, { 0.5, "50 %" },   { 1, ">99 %" }, { 0.9949, "99 %" },
                 { 0, "<1 %" },    { 0.0051, "1 %" }, { NAN, "-" } };
    char text[GCAL_UNITS_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        assert_string_equal(gcal_units_probability(rows[i].value, text), rows[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefixes),
        cmocka_unit_test(rounding_does_not_leave_a_thousand),
        cmocka_unit_test(zero_and_signs),
        cmocka_unit_test(numbers_without_prefix),
        cmocka_unit_test(beyond_all_prefixes),
        cmocka_unit_test(no_order_is_certain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
