/* progress.c - how far a search is, on standard error */
#include "mpi/commands/tune/progress.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/clock.h"
#include "kernels/base/log.h"
#include "kernels/base/units.h"
#include "mpi/cli/display.h"

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
    *line = (struct gcal_tune_progress_line){ .terminal =
                                                  gcal_display_is_terminal(STDERR_FILENO),
                                              .shown_s = gcal_clock_now_s() };
    gcal_log_set_hook(clear, line);
}

void gcal_tune_progress_end(struct gcal_tune_progress_line *line)
{
    clear(line);
    gcal_log_set_hook(NULL, NULL);
}

static void describe(struct gcal_buf *text, const struct gcal_tune_space *space,
                     const struct gcal_tune_progress *p)
{
    size_t n_bad = p->n_failed + p->n_wrong;
    char best[GCAL_UNITS_SIZE];

    gcal_buf_printf(text, "%zu of %zu timed", p->n_timed + p->n_abandoned,
                    space->n_configs);
    if (n_bad)
        gcal_buf_printf(text, ", %zu failed or wrong", n_bad);
    if (p->best < space->n_configs)
        gcal_buf_printf(text, "; best: %s, %s", gcal_units(p->best_s, "s", best),
                        space->configs[p->best].name);
    if (!isnan(p->chance))
        gcal_buf_printf(text, "; chance of a better one: %.0f %%", 100 * p->chance);
}

void gcal_tune_progress_show(struct gcal_tune_progress_line *line,
                             const struct gcal_tune_space *space,
                             const struct gcal_tune_progress *p)
{
    double now_s = gcal_clock_now_s();
    struct gcal_buf text = { 0 };

    if (now_s - line->shown_s < (line->terminal ? REDRAW_EVERY_S : LINE_EVERY_S))
        return;
    line->shown_s = now_s;
    clear(line);
    describe(&text, space, p);
    if (line->terminal) /* what is wrapped could not be cleared */
        fprintf(stderr, "%.*s", (int)gcal_display_size(STDERR_FILENO).columns - 1,
                text.data ? text.data : "");
    else
        fprintf(stderr, "%s\n", text.data ? text.data : "");
    line->drawn = line->terminal;
    gcal_buf_free(&text);
}
