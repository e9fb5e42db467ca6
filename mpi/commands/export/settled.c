/* settled.c - the speed of a device that its calibrations have confirmed
 *
 * One calibration is as noisy as it is: what is said of a node follows the calibrations of its
 * devices that agree.  x is the mean of the logarithms of a device's costs.  A calibration
 * whose x is within the margin of the settled value is averaged into it; another one replaces
 * it if the next calibration confirms it, and has no effect else.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "mpi/commands/export/speed.h"
#include "store/ledger/track.h"

/* Changes below the margin are noise: two standard errors, and at least this. */
#define LEAST_MARGIN 0.02

/* A calibration of the device. */
struct calibration {
    double x, margin;
};

static size_t find_column(const struct gcal_track_columns *columns,
                          const struct gcal_track_column *wanted)
{
    size_t i = 0;

    while (i < columns->n &&
           !(strcmp(columns->column[i].model, wanted->model) == 0 &&
             strcmp(columns->column[i].form, wanted->form) == 0 &&
             strcmp(columns->column[i].parameter, wanted->parameter) == 0 &&
             strcmp(columns->column[i].configuration, wanted->configuration) == 0))
        i++;
    return i;
}

/* Returns whether the newest run knows the cost well, and 'run' has it, too: at '*at'. */
static bool have_both(const struct gcal_track_run *newest, size_t i,
                      const struct gcal_track_run *run, size_t *at)
{
    if (strcmp(newest->columns->column[i].unit, "s") != 0 || !(newest->value[i] > 0) ||
        !(newest->error[i] < 0.2 * newest->value[i]))
        return false;
    *at = find_column(run->columns, &newest->columns->column[i]);
    return *at < run->columns->n && run->value[*at] > 0 && isfinite(run->error[*at]);
}

/* Over the costs that it shares with the newest run, relative to that; false if these are too
 * few to compare them.
 */
static bool summarize(const struct gcal_track_run *newest,
                      const struct gcal_track_run *run, struct calibration *c)
{
    double sum = 0, squares = 0;
    size_t n = 0, n_newest = 0, at = 0;

    for (size_t i = 0; i < newest->columns->n; i++) {
        n_newest += have_both(newest, i, newest, &at);
        if (!have_both(newest, i, run, &at))
            continue;
        sum += log(run->value[at] / newest->value[i]);
        squares += pow(run->error[at] / run->value[at], 2);
        n++;
    }
    if (!n || 2 * n < n_newest)
        return false;
    /* Errors are mostly the model's misfit, the same in each run. */
    c->x = sum / (double)n;
    c->margin = fmax(LEAST_MARGIN, 2 * sqrt(squares) / (double)n);
    return true;
}

static bool is_comparable(const struct gcal_track_run *newest,
                          const struct gcal_track_run *run)
{
    return strcmp(newest->uid, run->uid) == 0 &&
           strcmp(newest->driver, run->driver) == 0 &&
           strcmp(newest->catalogue, run->catalogue) == 0;
}

static const struct gcal_track_run *find_newest(const struct gcal_track *track,
                                                const char *uid)
{
    for (size_t i = track->n_runs; i-- > 0;)
        if (strcmp(track->runs[i].uid, uid) == 0)
            return &track->runs[i];
    return NULL;
}

/* The settled x; that of the newest run is 0. */
static double settle(const struct gcal_track *track, const struct gcal_track_run *newest)
{
    struct calibration c, waiting = { NAN, 0 };
    double settled = NAN, n = 0;

    for (size_t i = 0; i < track->n_runs; i++) {
        if (!is_comparable(newest, &track->runs[i]) ||
            !summarize(newest, &track->runs[i], &c))
            continue;
        if (isnan(settled) || fabs(c.x - settled) <= c.margin) {
            settled = n ? (n * settled + c.x) / (n + 1) : c.x;
            n++;
            waiting.x = NAN;
        } else if (fabs(c.x - waiting.x) <= c.margin) { /* false for NaN */
            settled = (c.x + waiting.x) / 2;
            n = 2;
            waiting.x = NAN;
        } else {
            waiting = c;
        }
    }
    return settled;
}

double gcal_export_settled_ratio(const struct gcal_track *track, const char *uid)
{
    const struct gcal_track_run *newest = find_newest(track, uid);
    double x = newest ? settle(track, newest) : 0;

    return isfinite(x) ? exp(-x) : 1;
}
