/* table.c - all parameters of a device, in a table */
#include <math.h>

#include "kernels/base/units.h"
#include "mpi/commands/audit/page/private.h"

/* The standard error of a value, relative; 0 where it has none. */
static double relative_error(double value, double error)
{
    return isfinite(value) && value != 0 && error > 0 ? fabs(error / value) : 0;
}

static void put_row(struct gcal_buf *html, const struct gcal_audit_series *s, size_t run)
{
    bool has_value = isfinite(s->value[run]), has_category;
    char value[GCAL_UNITS_SIZE];

    has_category = s->category != GCAL_AUDIT_OTHER;
    gcal_units(s->value[run], s->column.unit, value);
    gcal_page_fill(
        html, "parameter.html",
        (const struct gcal_page_value[]){
            TEXT("model", s->column.model),
            TEXT("parameter", s->column.parameter),
            TEXT("category", has_category ? gcal_audit_category_name(s->category) : ""),
            TEXT("value", has_value ? value : ""),
            NUMBER("error", relative_error(s->value[run], s->error[run])),
            NUMBER("change", s->change),
            NUMBER("repeatability", s->repeatability),
            NUMBER("against_type", s->against_type),
            NUMBER("driver_change", s->driver_change),
            NUMBER("verdict", s->verdict),
            { 0 } });
}

void gcal_page_parameters(struct gcal_buf *html, const struct gcal_audit_device *device)
{
    size_t n = device->n_series,
           n_put = n < GCAL_PAGE_PARAMETERS ? n : GCAL_PAGE_PARAMETERS;
    struct gcal_buf rows = { 0 };

    for (size_t i = 0; i < n_put; i++)
        put_row(&rows, &device->series[i], device->series[i].newest);
    gcal_page_fill(html, "parameters.html",
                   (const struct gcal_page_value[]){ NUMBER("n", n),
                                                     NUMBER("n_left_out", (n - n_put)),
                                                     TEXT("rows", rows.data),
                                                     { 0 } });
    html->failed |= rows.failed;
    gcal_buf_free(&rows);
}
