/* clock.c - whether the device's events count the time as the host's clock does
 *
 * An event that lasts longer than the host waited is refused at once.  One that lasts less may be
 * right: launching takes time, too.  But of two launches the longer one takes longer by both clocks,
 * by the same time.
 */
#include <math.h>
#include <stdlib.h>

#include "calib/base/error.h"
#include "calib/base/median.h"
#include "calib/plan/private.h"

/* Launches that take so long by the host's clock, and twice as long as the shortest, so that what
 * disturbs the host is small.
 */
#define LONG_S 5e-3
#define TIMES  2.0

/* The kernels that long, at least; the most that the host's time may grow by the device's. */
#define LEAST_KERNELS 3
#define MOST          1.8

static bool is_timed(const struct gcal_plan_row *row)
{
    return row->measured && row->host_s > 0 && row->kernel->timing != GCAL_TIMING_HOST;
}

static const struct gcal_plan_row *find_shortest(const struct gcal_plan *plan)
{
    const struct gcal_plan_row *shortest = NULL;

    for (size_t i = 0; i < plan->n_rows; i++)
        if (is_timed(&plan->rows[i]) &&
            (!shortest || plan->rows[i].host_s < shortest->host_s))
            shortest = &plan->rows[i];
    return shortest;
}

/* What the host's time grows by the device's, from the shortest kernel to each long one. */
static size_t find_slopes(const struct gcal_plan *plan, double *slopes)
{
    const struct gcal_plan_row *shortest = find_shortest(plan);
    size_t n = 0;

    for (size_t i = 0; i < plan->n_rows && shortest; i++) {
        const struct gcal_plan_row *row = &plan->rows[i];
        double grown_s = row->first_s - shortest->first_s;

        if (is_timed(row) && row->host_s >= LONG_S &&
            row->host_s >= TIMES * shortest->host_s && grown_s > 0)
            slopes[n++] = (row->host_s - shortest->host_s) / grown_s;
    }
    return n;
}

int gcal_plan_check_clock(struct gcal_plan *plan)
{
    double *slopes = calloc(plan->n_rows + 1, sizeof(*slopes)), slope = 1;
    size_t n;

    if (!slopes)
        return gcal_error_memory(plan->err);
    if ((n = find_slopes(plan, slopes)) >= LEAST_KERNELS)
        slope = gcal_median(slopes, n);
    free(slopes);
    if (slope <= MOST)
        return 0;
    return gcal_error_set(
        plan->err, GCAL_EDEVICE,
        "its clock is wrong: where its events last 1 ms longer, the host waits %.3g ms "
        "longer, as %zu long kernels show",
        slope, n);
}
