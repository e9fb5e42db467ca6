/* clock.c - time */
#include "kernels/base/clock.h"

#include <math.h>
#include <stdatomic.h>
#include <time.h>

#include "kernels/base/log.h"

/* The steady clock has not moved while the wall clock went on for so long: it stands. */
#define STANDS_S 5.0

static double read_s(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Where the steady clock stands, as on some broken virtual machines, the wall clock goes on
 * for it, as no time limit would end otherwise.
 */
double gcal_clock_now_s(void)
{
    static _Thread_local struct {
        double steady_s; /* at the last call */
        double wall_s;   /* when it was first seen to be the same; 0: it has moved */
        double ahead_s;  /* of the steady clock, since then, and before */
        double before_s;
    } seen;
    static atomic_flag is_told = ATOMIC_FLAG_INIT;
    double steady_s = read_s(CLOCK_MONOTONIC), more_s;

    if (steady_s != seen.steady_s) {
        seen.steady_s = steady_s;
        seen.before_s += seen.ahead_s;
        seen.wall_s = seen.ahead_s = 0;
    } else if (seen.wall_s == 0) {
        seen.wall_s = read_s(CLOCK_REALTIME);
    } else if ((more_s = read_s(CLOCK_REALTIME) - seen.wall_s) > STANDS_S) {
        if (!atomic_flag_test_and_set(&is_told))
            gcal_log(GCAL_LOG_WARN, "this machine's steady clock (CLOCK_MONOTONIC) "
                                    "stands still: the wall clock is used");
        seen.ahead_s = fmax(seen.ahead_s, more_s);
    }
    return steady_s + seen.before_s + seen.ahead_s;
}

void gcal_clock_sleep_s(double seconds)
{
    struct timespec wait = { .tv_sec = (time_t)floor(seconds) };

    wait.tv_nsec = (long)(1e9 * (seconds - floor(seconds)));
    nanosleep(&wait, NULL);
}

void gcal_clock_utc(char text[GCAL_CLOCK_UTC_SIZE])
{
    time_t now = time(NULL);
    struct tm utc;

    gmtime_r(&now, &utc);
    strftime(text, GCAL_CLOCK_UTC_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

double gcal_clock_parse_utc(const char *text)
{
    struct tm utc = { 0 };
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &utc);

    return end && !*end ? (double)timegm(&utc) : NAN;
}
