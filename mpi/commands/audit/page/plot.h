/* plot.h - plots of an audit, drawn by gnuplot as SVG for a page
 *
 * Plots are collected as one script, drawn in one go when the page is written, and taken
 * in the order in which they were added.  No text from a store reaches gnuplot: names
 * are in captions of the page.
 */
#ifndef GCAL_MPI_COMMANDS_AUDIT_PAGE_PLOT_H
#define GCAL_MPI_COMMANDS_AUDIT_PAGE_PLOT_H

#include <stdio.h>

#include "calib/audit/audit.h"

struct gcal_buf;
struct gcal_error;

/* -1 with 'err', which names the package, if gnuplot cannot be run. */
int gcal_plot_check(struct gcal_error *err);

/* ---- scripts ---- */

/* The history of a parameter in its unit, with error band, the reference with its
 * repeatability and limits, and marks where driver, configuration or kernels changed.
 */
void gcal_plot_history(struct gcal_buf *script, const struct gcal_audit_device *device,
                       size_t series, const struct gcal_audit_policy *policy);
/* The same, small, relative to the reference. */
void gcal_plot_small(struct gcal_buf *script, const struct gcal_audit_device *device,
                     size_t series, const struct gcal_audit_policy *policy);
/* The limit of the axis of gcal_plot_spread() to both sides: includes all n deviations,
 * up to a little more than a failure.
 */
double gcal_plot_spread_limit(size_t n, const double *deviation,
                              const struct gcal_audit_policy *policy);
/* A histogram of n relative deviations of devices from their type; 'marked': devices that
 * need attention.  Deviations beyond the limit are in the outermost bars.
 */
void gcal_plot_spread(struct gcal_buf *script, size_t n, const double *deviation,
                      const bool *marked, double limit);

/* Whether the series has a value to draw. */
bool gcal_plot_has(const struct gcal_audit_device *device, size_t series);

/* "A", "B", ..: the mark of an epoch, from 1. */
const char *gcal_plot_mark(size_t epoch, char text[24]);

/* ---- drawing ---- */

/* Runs gnuplot over the script; its plots are in '*drawn', the caller's to close. */
int gcal_plot_draw(FILE *script, FILE **drawn, struct gcal_error *err);
/* Writes the next plot to 'page', reduced to what a page needs, with the colours of the
 * page's style.  Its name is the element with the id "cCAPTION".
 */
int gcal_plot_take(FILE *drawn, FILE *page, size_t caption, struct gcal_error *err);

#endif
