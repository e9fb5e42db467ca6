/* test_clock.c - clocks, and times as text */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "calib/base/clock.h"

static void reads_what_it_writes(void **state)
{
    char text[GCAL_CLOCK_UTC_SIZE];
    double before = (double)time(NULL), seen;

    (void)state;
    gcal_clock_utc(text);
    seen = gcal_clock_parse_utc(text);
    assert_true(seen >= before && seen <= (double)time(NULL));
    assert_true(gcal_clock_parse_utc("2026-11-21T04:17:05Z") == 1795234625);
    assert_true(gcal_clock_parse_utc("1970-01-01T00:00:00Z") == 0);
}

static void refuses_other_texts(void **state)
{
    (void)state;
    assert_true(isnan(gcal_clock_parse_utc("")));
    assert_true(isnan(gcal_clock_parse_utc("2026-11-21")));
    assert_true(isnan(gcal_clock_parse_utc("2026-11-21T04:17:05Z and more")));
    assert_true(isnan(gcal_clock_parse_utc("yesterday")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_it_writes),
        cmocka_unit_test(refuses_other_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
