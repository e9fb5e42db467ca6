/* test_clock.c - clocks, and times as text */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "kernels/base/clock.h"

/* The clocks of clock.c, which finds this function first. */
static double steady_s, wall_s;

int clock_gettime(clockid_t clock, struct timespec *now)
{
    double s = clock == CLOCK_REALTIME ? wall_s : steady_s;

    now->tv_sec = (time_t)s;
    now->tv_nsec = (long)(1e9 * (s - floor(s)));
    return 0;
}

/* Time limits end where the steady clock stands still; a step of the wall clock is none. */
static void a_clock_that_stands_still_goes_on(void **state)
{
    double now;

    (void)state;
    steady_s = 1000;
    wall_s = 5000;
    assert_true(gcal_clock_now_s() == 1000);
    wall_s = 8600; /* a step between two moves */
    steady_s = 1001;
    assert_true(gcal_clock_now_s() == 1001);
    assert_true(gcal_clock_now_s() == 1001);
    wall_s += 4;
    assert_true(gcal_clock_now_s() == 1001);
    wall_s += 4;
    assert_true(gcal_clock_now_s() == 1009);
    wall_s -= 3600;
    assert_true(gcal_clock_now_s() == 1009);
    wall_s += 3601;
    assert_true(gcal_clock_now_s() == 1010);
    steady_s = 1001.5; /* it moves again */
    now = gcal_clock_now_s();
    assert_true(now == 1010.5);
    assert_true(gcal_clock_now_s() == now);
}

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
        cmocka_unit_test(a_clock_that_stands_still_goes_on),
        cmocka_unit_test(reads_what_it_writes),
        cmocka_unit_test(refuses_other_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
