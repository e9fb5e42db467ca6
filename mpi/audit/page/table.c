/* table.c - all parameters of a device, in a table */
#include <math.h>

#include "calib/base/units.h"
#include "mpi/audit/page/page.h"
#include "mpi/cli/escape.h"

static void put_value(struct gcal_buf *html, const struct gcal_audit_series *s,
                      size_t run)
{
    char value[GCAL_UNITS_SIZE];

    if (!isfinite(s->value[run])) {
        gcal_buf_puts(html, "<td class=\"n\">&ndash;</td>");
        return;
    }
    gcal_buf_puts(html, "<td class=\"n\">");
    gcal_escape_html(html, gcal_units(s->value[run], s->column.unit, value));
    if (s->error[run] > 0 && s->value[run] != 0)
        gcal_buf_printf(html, " <span class=\"quiet\">&plusmn;%.2g&nbsp;%%</span>",
                        100 * fabs(s->error[run] / s->value[run]));
    gcal_buf_puts(html, "</td>");
}

static void put_cell(struct gcal_buf *html, double value)
{
    gcal_buf_puts(html, "<td class=\"n\">");
    gcal_page_percent(html, value);
    gcal_buf_puts(html, "</td>");
}

static void put_row(struct gcal_buf *html, const struct gcal_audit_device *device,
                    const struct gcal_audit_series *s)
{
    gcal_buf_puts(html, "<tr><td>");
    gcal_escape_html(html, s->column.model);
    gcal_buf_puts(html, "</td><td>");
    gcal_escape_html(html, s->column.parameter);
    gcal_buf_printf(html, "</td><td>%s</td>",
                    s->category == GCAL_AUDIT_OTHER
                        ? "&ndash;"
                        : gcal_audit_category_name(s->category));
    put_value(html, s, device->n_runs - 1);
    put_cell(html, s->change);
    if (isfinite(s->repeatability))
        gcal_buf_printf(html, "<td class=\"n\">%.2g&nbsp;%%</td>",
                        100 * s->repeatability);
    else
        gcal_buf_puts(html, "<td class=\"n\">&ndash;</td>");
    put_cell(html, s->against_type);
    put_cell(html, s->driver_change);
    gcal_buf_puts(html, "<td>");
    gcal_page_verdict(html, s->verdict);
    gcal_buf_puts(html, "</td></tr>\n");
}

void gcal_page_parameters(struct gcal_buf *html, const struct gcal_audit_device *device)
{
    gcal_buf_puts(html, "<details class=\"table\"><summary>All parameters: ");
    gcal_page_count(html, device->n_series, "row");
    gcal_buf_puts(
        html, "</summary><div "
              "class=\"scroll\"><table><thead><tr><th>model</th><th>parameter</th>"
              "<th>of</th><th class=\"n\">newest value</th><th class=\"n\">change</th>"
              "<th class=\"n\">repeatability</th><th class=\"n\">against type</th>"
              "<th class=\"n\">with the driver or "
              "configuration</th><th>verdict</th></tr></thead>"
              "<tbody>\n");
    for (size_t i = 0; i < device->n_series && i < GCAL_PAGE_PARAMETERS; i++)
        put_row(html, device, &device->series[i]);
    gcal_buf_puts(html, "</tbody></table></div>");
    if (device->n_series > GCAL_PAGE_PARAMETERS)
        gcal_buf_printf(html, "<p class=\"quiet\">%zu more are left out.</p>",
                        device->n_series - GCAL_PAGE_PARAMETERS);
    gcal_buf_puts(html, "</details>\n");
}
