/* svg.h - drawings as SVG files
 *
 * Elements are appended to a buffer, in the order in which they cover each other; then the file is
 * written around them.  Coordinates are in pixels, from the top left.  Classes are of the
 * drawing's own style; "start", "middle" and "end" are there: where a text is anchored.
 */
#ifndef GCAL_MPI_CLI_SVG_H
#define GCAL_MPI_CLI_SVG_H

struct gcal_buf;
struct gcal_error;

void gcal_svg_text(struct gcal_buf *svg, double x, double y, const char *class,
                   const char *text);
void gcal_svg_line(struct gcal_buf *svg, double x1, double y1, double x2, double y2,
                   const char *class);
/* 'title': shown under the pointer. */
void gcal_svg_box(struct gcal_buf *svg, double x, double y, double width, double height,
                  const char *colour, double opacity, const char *title);
void gcal_svg_dot(struct gcal_buf *svg, double x, double y, double radius,
                  const char *colour);

/* Writes the file, on white, and frees the elements.  'style': CSS. */
int gcal_svg_write(const char *path, int width, double height, const char *style,
                   struct gcal_buf *elements, struct gcal_error *err);

#endif
