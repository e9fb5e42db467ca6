/* clock.c - time */
#include "calib/base/clock.h"

#include <math.h>
#include <time.h>

double gcal_clock_now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
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
