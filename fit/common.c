/* common.c - the times of kernels on devices of one type, of which some have measured other kernels
 *
 * log(time) is the sum of what the kernel takes and of the device's speed.  Where all devices have
 * measured all kernels, a kernel's is the mean over devices.  Where some lack kernels, means of
 * different devices cannot be compared, so speeds are estimated and taken off, in turns.  A device
 * that shares one kernel with the others, or none, so moves nothing.
 */
#include <math.h>

#include "kernels/base/arena.h"
#include "kernels/base/median.h"
#include "fit/fit.h"

/* Turns end when no speed moves by more than this (log), which is rounding. */
#define CONVERGED  1e-12
#define MOST_TURNS 200

struct common {
    size_t n_kernels, n_devices;
    const double *time_s;
    bool *joined;   /* n_devices: comparable with each other through common kernels */
    double *kernel; /* n_kernels: log(s); NaN: fewer than two joined devices have it */
    double *speed;  /* n_devices: log; 'before': a turn ago */
    double *before;
    double *sorted; /* n_kernels */
};

static bool has(const struct common *c, size_t k, size_t i)
{
    return !isnan(c->time_s[k * c->n_devices + i]);
}

/* ---- which devices ---- */

/* The devices that have kernel k; 'joined' counts those that are joined. */
static size_t count(const struct common *c, size_t k, size_t *joined)
{
    size_t n = 0;

    *joined = 0;
    for (size_t i = 0; i < c->n_devices; i++) {
        n += has(c, k, i);
        *joined += has(c, k, i) && c->joined[i];
    }
    return n;
}

static void join(struct common *c, size_t k)
{
    for (size_t i = 0; i < c->n_devices; i++)
        c->joined[i] = c->joined[i] || has(c, k, i);
}

/* ---- turns ---- */

/* Returns whether all devices have all kernels. */
static bool find_kernels(struct common *c)
{
    bool complete = true;

    for (size_t k = 0; k < c->n_kernels; k++) {
        double logs = 0;
        size_t n = 0;

        for (size_t i = 0; i < c->n_devices; i++)
            if (c->joined[i] && has(c, k, i)) {
                logs += log(c->time_s[k * c->n_devices + i]) - c->speed[i];
                n++;
            }
        c->kernel[k] = n > 1 ? logs / (double)n : NAN;
        complete = complete && n == c->n_devices;
    }
    return complete;
}

/* By its kernels, as they are now; '*n_kernels' of them. */
static double speed_of(const struct common *c, size_t i, size_t *n_kernels)
{
    size_t n = 0;

    for (size_t k = 0; k < c->n_kernels; k++)
        if (has(c, k, i) && !isnan(c->kernel[k]))
            c->sorted[n++] = log(c->time_s[k * c->n_devices + i]) - c->kernel[k];
    *n_kernels = n;
    return gcal_median(c->sorted, n);
}

/* Their mean is 0, without those that a single kernel gives: they have no say.  Returns the largest
 * change.
 */
static double find_speeds(struct common *c)
{
    double mean = 0, change = 0;
    size_t n = 0, n_kernels;

    for (size_t i = 0; i < c->n_devices; i++)
        if (c->joined[i]) {
            c->before[i] = c->speed[i];
            c->speed[i] = speed_of(c, i, &n_kernels);
            mean += n_kernels > 1 ? c->speed[i] : 0;
            n += n_kernels > 1;
        }
    mean /= n ? (double)n : 1;
    for (size_t i = 0; i < c->n_devices; i++)
        if (c->joined[i]) {
            c->speed[i] -= mean;
            change = fmax(change, fabs(c->speed[i] - c->before[i]));
        }
    return change;
}

void gcal_fit_common_times(const double *time_s, size_t n_kernels, size_t n_devices,
                           double *common_s)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct common c = { .n_kernels = n_kernels,
                        .n_devices = n_devices,
                        .time_s = time_s,
                        .joined = gcal_arena_alloc(arena, n_devices, sizeof(bool)),
                        .kernel = gcal_arena_alloc(arena, n_kernels, sizeof(double)),
                        .speed = gcal_arena_alloc(arena, n_devices, sizeof(double)),
                        .before = gcal_arena_alloc(arena, n_devices, sizeof(double)),
                        .sorted = gcal_arena_alloc(arena, n_kernels, sizeof(double)) };
    size_t most = 0, first = 0, n, joined;
    bool grows = true;

    /* From the kernel that most devices have. */
    for (size_t k = 0; k < c.n_kernels; k++)
        if ((n = count(&c, k, &joined)) > most) {
            most = n;
            first = k;
        }
    if (most)
        join(&c, first);
    while (grows) {
        grows = false;
        for (size_t k = 0; k < c.n_kernels; k++)
            if ((n = count(&c, k, &joined)) > joined && joined) {
                join(&c, k);
                grows = true;
            }
    }
    for (int turn = 0; !find_kernels(&c) && turn < MOST_TURNS; turn++)
        if (find_speeds(&c) < CONVERGED)
            break;
    for (size_t k = 0; k < n_kernels; k++)
        common_s[k] = exp(c.kernel[k]);
    gcal_arena_destroy(arena);
}
