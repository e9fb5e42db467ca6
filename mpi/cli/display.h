/* display.h - progress of measurements, on stderr */
#ifndef GCAL_MPI_CLI_DISPLAY_H
#define GCAL_MPI_CLI_DISPLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "calib/plan/plan.h"

/* Returns whether 'fd' is a terminal that has colours and moves its cursor. */
bool gcal_display_is_terminal(int fd);
/* The size of the terminal 'fd', in characters; 80 and 24 where it is unknown. */
struct gcal_display_size {
    size_t columns, rows;
};
struct gcal_display_size gcal_display_size(int fd);

struct gcal_display;

/* Bars on a terminal, a line per device every 10 s otherwise; nothing if 'quiet'. */
struct gcal_display *gcal_display_create(bool quiet);
void gcal_display_update(struct gcal_display *display, const char *node,
                         const struct gcal_plan_progress *progress);
/* After the measurements: 'n_done' of 'n_fits' models are fitted.  A line every 10 s, from the
 * 10th on; the signature is that of struct gcal_result_progress.
 */
void gcal_display_fitted(void *display, size_t n_done, size_t n_fits);
/* Removes the bars before lines are printed. */
void gcal_display_clear(struct gcal_display *display);
void gcal_display_destroy(struct gcal_display *display);

#endif
