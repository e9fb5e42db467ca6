/* clock.h - time, in seconds */
#ifndef GCAL_KERNELS_BASE_CLOCK_H
#define GCAL_KERNELS_BASE_CLOCK_H

/* Seconds on a clock without steps: CLOCK_MONOTONIC, or the wall clock if that stands still. */
double gcal_clock_now_s(void);

/* Sleeps for 'seconds', or less when a signal arrives. */
void gcal_clock_sleep_s(double seconds);

#define GCAL_CLOCK_UTC_SIZE 24

/* The wall clock as "2026-11-21T04:17:05Z". */
void gcal_clock_utc(char text[GCAL_CLOCK_UTC_SIZE]);
/* Seconds since 1970 of such a text; NaN for other texts. */
double gcal_clock_parse_utc(const char *text);

#endif
