/* display.h - progress of measuring, on stderr */
#ifndef GCAL_MPI_CLI_DISPLAY_H
#define GCAL_MPI_CLI_DISPLAY_H

#include <stdbool.h>

#include "calib/plan/plan.h"

struct gcal_display;

/* Bars that are redrawn on a terminal, a line now and then otherwise, nothing when
 * 'quiet'.
 */
struct gcal_display *gcal_display_create(bool quiet);
void gcal_display_update(struct gcal_display *display, const char *node,
                         const struct gcal_plan_progress *progress);
/* Removes the bars, so that lines can be printed. */
void gcal_display_clear(struct gcal_display *display);
void gcal_display_destroy(struct gcal_display *display);

#endif
