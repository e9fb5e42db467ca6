/* progress.c - how far a search is, on standard error */
#include "mpi/tune/progress.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "calib/base/clock.h"
#include "calib/base/log.h"
#include "calib/base/units.h"

#define REDRAW_EVERY_S 0.1
#define LINE_EVERY_S   10.0

static void clear(void *context)
{
    struct gcal_tune_progress_line *line = context;

    if (line->drawn)
        fputs("\r\033[2K", stderr);
    line->drawn = false;
}

void gcal_tune_progress_begin(struct gcal_tune_progress_line *line)
{
    *line = (struct gcal_tune_progress_line){ .terminal = isatty(STDERR_FILENO),
                                              .shown_s = gcal_clock_now_s() };
    gcal_log_set_hook(clear, line);
}

void gcal_tune_progress_end(struct gcal_tune_progress_line *line)
{
    clear(line);
    gcal_log_set_hook(NULL, NULL);
}

static void print(const struct gcal_tune_space *space, const struct gcal_tune_progress *p)
{
    size_t n_bad = p->n_failed + p->n_wrong;
    char best[GCAL_UNITS_SIZE];

    fprintf(stderr, "%zu of %zu timed", p->n_timed + p->n_abandoned, space->n_configs);
    if (n_bad)
        fprintf(stderr, ", %zu failed or wrong", n_bad);
    if (p->best < space->n_configs)
        fprintf(stderr, "; best: %s, %s", gcal_units(p->best_s, "s", best),
                space->configs[p->best].name);
    if (!isnan(p->chance))
        fprintf(stderr, "; chance of a better one: %.0f %%", 100 * p->chance);
}

void gcal_tune_progress_show(struct gcal_tune_progress_line *line,
                             const struct gcal_tune_space *space,
                             const struct gcal_tune_progress *p)
{
    double now_s = gcal_clock_now_s();

    if (now_s - line->shown_s < (line->terminal ? REDRAW_EVERY_S : LINE_EVERY_S))
        return;
    line->shown_s = now_s;
    clear(line);
    print(space, p);
    if (!line->terminal)
        fputc('\n', stderr);
    line->drawn = line->terminal;
}
