/* plot.h - plots of an audit, drawn by gnuplot as SVG for a page
 *
 * Plots are collected as one script, drawn in one go when the page is written, and taken
 * in the order in which they were added.  No text from a store reaches gnuplot: names
 * stand in the page beside the plots.
 */
#ifndef GCAL_MPI_AUDIT_PAGE_PLOT_H
#define GCAL_MPI_AUDIT_PAGE_PLOT_H

#include <stdio.h>

#include "calib/audit/audit.h"

struct gcal_buf;
struct gcal_error;

/* -1 with 'err' saying which package has gnuplot, when it cannot be run. */
int gcal_plot_check(struct gcal_error *err);

/* ---- scripts ---- */

/* A parameter's way from calibration to calibration in its unit, with error band, the
 * reference with its repeatability and limits, and marks where something else changed.
 */
void gcal_plot_history(struct gcal_buf *script, const struct gcal_audit_device *device,
                       size_t series, const struct gcal_audit_policy *policy);
/* The same, small, relative to the reference. */
void gcal_plot_small(struct gcal_buf *script, const struct gcal_audit_device *device,
                     size_t series, const struct gcal_audit_policy *policy);
/* How far the axis of gcal_plot_spread() goes to both sides: to all of n deviations, but
 * no farther than a failure and a little more.
 */
double gcal_plot_spread_limit(size_t n, const double *deviation,
                              const struct gcal_audit_policy *policy);
/* How many devices deviate how far from their type: n relative deviations, those of
 * devices that need attention marked; what is beyond the limit is in the last bars.
 */
void gcal_plot_spread(struct gcal_buf *script, size_t n, const double *deviation,
                      const bool *marked, double limit);

/* Can the series be drawn: has it a value? */
bool gcal_plot_has(const struct gcal_audit_device *device, size_t series);

/* "A", "B", ..: how an epoch is marked, from 1. */
const char *gcal_plot_mark(size_t epoch, char text[24]);

/* ---- drawing ---- */

/* Runs gnuplot over the script; its plots are in '*drawn', the caller's to close. */
int gcal_plot_draw(FILE *script, FILE **drawn, struct gcal_error *err);
/* Writes the next plot to 'page', without what a page has no use for, and with colours
 * from the page's style.
 */
int gcal_plot_take(FILE *drawn, FILE *page, struct gcal_error *err);

#endif
