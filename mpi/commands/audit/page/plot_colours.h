/* plot_colours.h - colours in gnuplot scripts, placeholders for those of the page's style
 *
 * plot_draw.c replaces them, so that plots follow the light and dark style.
 */
#ifndef GCAL_MPI_COMMANDS_AUDIT_PAGE_PLOT_COLOURS_H
#define GCAL_MPI_COMMANDS_AUDIT_PAGE_PLOT_COLOURS_H

#define COLOUR_TEXT   "#010101" /* var(--muted) */
#define COLOUR_AXIS   "#020202" /* var(--axis) */
#define COLOUR_LINE   "#030303" /* var(--blue) */
#define COLOUR_SPREAD "#040404" /* var(--grey) */
#define COLOUR_EPOCH  "#050505" /* var(--violet) */
#define COLOUR_WARN   "#060606" /* var(--warn) */
#define COLOUR_FAIL   "#070707" /* var(--fail) */
#define COLOUR_TYPE   "#080808" /* var(--pass) */

#endif
