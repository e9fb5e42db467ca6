/* display.h - progress of measurements, on stderr */
#ifndef GCAL_MPI_CLI_DISPLAY_H
#define GCAL_MPI_CLI_DISPLAY_H

#include <stdbool.h>

#include "calib/plan/plan.h"

struct gcal_display;

/* Bars on a terminal, a line per device every 10 s otherwise; nothing if 'quiet'. */
struct gcal_display *gcal_display_create(bool quiet);
void gcal_display_update(struct gcal_display *display, const char *node,
                         const struct gcal_plan_progress *progress);
/* Removes the bars before lines are printed. */
void gcal_display_clear(struct gcal_display *display);
void gcal_display_destroy(struct gcal_display *display);

#endif
