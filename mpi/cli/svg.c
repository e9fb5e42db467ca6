/* svg.c - drawings as SVG files */
#include "mpi/cli/svg.h"

#include <stdlib.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "mpi/cli/command.h"
#include "mpi/cli/escape.h"
#include "mpi/cli/terms.h"

void gcal_svg_text(struct gcal_buf *svg, double x, double y, const char *class,
                   const char *text)
{
    gcal_buf_printf(svg, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
    gcal_escape_html(svg, text);
    gcal_buf_puts(svg, "</text>\n");
}

void gcal_svg_line(struct gcal_buf *svg, double x1, double y1, double x2, double y2,
                   const char *class)
{
    gcal_buf_printf(
        svg, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", x1,
        y1, x2, y2, class);
}

void gcal_svg_box(struct gcal_buf *svg, double x, double y, double width, double height,
                  const char *colour, double opacity, const char *title)
{
    gcal_buf_printf(svg,
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                    "fill=\"%s\" fill-opacity=\"%.2g\"><title>",
                    x, y, width, height, colour, opacity);
    gcal_escape_html(svg, title);
    gcal_buf_puts(svg, "</title></rect>\n");
}

void gcal_svg_dot(struct gcal_buf *svg, double x, double y, double radius,
                  const char *colour)
{
    gcal_buf_printf(svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%g\" fill=\"%s\"/>\n", x, y,
                    radius, colour);
}

int gcal_svg_write(const char *path, int width, double height, const char *style,
                   struct gcal_buf *elements, struct gcal_error *err)
{
    char *body = gcal_buf_take(elements, err), *text = NULL;
    int rc = -1;

    if (body && !(text = gcal_buf_format(
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
                      "height=\"%.0f\" viewBox=\"0 0 %d %.0f\">\n"
                      "<style>text{font:12px sans-serif;fill:#222}"
                      ".middle{text-anchor:middle}.end{text-anchor:end}%s</style>\n"
                      "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
                      "%s</svg>\n",
                      width, height, width, height, style, body)))
        gcal_error_memory(err);
    if ((text = gcal_terms_take(text)))
        rc = gcal_command_write(path, text, err);
    free(body);
    free(text);
    return rc;
}
