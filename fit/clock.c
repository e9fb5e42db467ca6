/* clock.c - a device's clock against the host's */
#include "fit/clock.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/arena.h"
#include "kernels/base/median.h"

/* Long launches take so many times as long as the short ones, by which launching is known. */
#define TIMES 2.0
/* The short ones: the shortest of all. */
#define SHORT_SHARE 0.25

/* Slopes of real GPUs are 0.999 to 1.003. */
#define OFF   0.02
#define WRONG 0.1
/* By how much a CPU's limits are larger. */
#define SLACK 2.5

static int by_time(const void *a, const void *b)
{
    const struct gcal_fit_launch *p = a, *q = b;

    return (p->device_s > q->device_s) - (p->device_s < q->device_s);
}

static double gap(const struct gcal_fit_launch *launch)
{
    return launch->host_s - launch->device_s;
}

struct gcal_fit_clock gcal_fit_compare_clocks(struct gcal_fit_launch *launches, size_t n)
{
    struct gcal_fit_clock clock = { .slope = 1 };
    struct gcal_arena *arena;
    double *slopes, short_s, launching_s;
    size_t n_short = (size_t)ceil(SHORT_SHARE * (double)n);

    if (!n)
        return clock;
    arena = gcal_arena_create();
    slopes = gcal_arena_alloc(arena, n, sizeof(*slopes));
    qsort(launches, n, sizeof(*launches), by_time);
    for (size_t i = 0; i < n_short; i++)
        slopes[i] = gap(&launches[i]);
    launching_s = gcal_median(slopes, n_short);
    short_s = launches[(n_short - 1) / 2].device_s;
    for (size_t i = 0; i < n; i++)
        if (launches[i].host_s >= GCAL_FIT_CLOCK_LONG_S &&
            launches[i].host_s >= TIMES * (short_s + launching_s) &&
            launches[i].device_s > short_s)
            slopes[clock.n++] =
                1 + (gap(&launches[i]) - launching_s) / (launches[i].device_s - short_s);
    if (clock.n >= GCAL_FIT_CLOCK_LEAST) {
        clock.slope = gcal_median(slopes, clock.n);
        for (size_t i = 0; i < clock.n; i++)
            slopes[i] = fabs(slopes[i] - clock.slope);
        clock.error =
            1.2533 * 1.4826 * gcal_median(slopes, clock.n) / sqrt((double)clock.n);
    }
    gcal_arena_destroy(arena);
    return clock;
}

enum gcal_fit_clock_verdict gcal_fit_judge_clock(const struct gcal_fit_clock *clock,
                                                 bool shares_host)
{
    double off = fabs(clock->slope - 1) - 2 * clock->error;

    if (shares_host)
        off /= SLACK;
    return off > WRONG ? GCAL_FIT_CLOCK_WRONG
           : off > OFF ? GCAL_FIT_CLOCK_OFF
                       : GCAL_FIT_CLOCK_RIGHT;
}
