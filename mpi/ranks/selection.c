/* selection.c - the kernels chosen for a device: message and summary line */
#include "mpi/ranks/selection.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"

void gcal_selection_put(struct gcal_buf *buf, const char *device,
                        const struct gcal_plan_selection *selection)
{
    gcal_wire_put_text(buf, device);
    gcal_wire_put_u64(buf, selection->n_measured);
    gcal_wire_put_u64(buf, selection->n_kernels);
    gcal_wire_put_f64(buf, selection->took_s);
    gcal_wire_put_f64(buf, selection->full_s);
    gcal_wire_put_f64(buf, selection->worst_error);
    gcal_wire_put_text(buf, selection->worst_parameter);
    gcal_wire_put_u64(buf, selection->n_not_identifiable);
    gcal_wire_put_f64(buf, selection->wanted_error);
    gcal_wire_put_u32(buf, selection->reached);
    gcal_wire_put_u32(buf, selection->all_anyway);
}

int gcal_selection_get(struct gcal_wire *wire, const char *node,
                       struct gcal_selection *made, struct gcal_error *err)
{
    struct gcal_plan_selection *selection = &made->selection;
    char *parameter;

    *made = (struct gcal_selection){ .node = strdup(node),
                                     .device = gcal_wire_get_text(wire) };
    selection->n_measured = gcal_wire_get_u64(wire);
    selection->n_kernels = gcal_wire_get_u64(wire);
    selection->took_s = gcal_wire_get_f64(wire);
    selection->full_s = gcal_wire_get_f64(wire);
    selection->worst_error = gcal_wire_get_f64(wire);
    if ((parameter = gcal_wire_get_text(wire)))
        snprintf(selection->worst_parameter, sizeof(selection->worst_parameter), "%s",
                 parameter);
    free(parameter);
    selection->n_not_identifiable = gcal_wire_get_u64(wire);
    selection->wanted_error = gcal_wire_get_f64(wire);
    selection->reached = gcal_wire_get_u32(wire) != 0;
    selection->all_anyway = gcal_wire_get_u32(wire) != 0;
    if (!made->node)
        return gcal_error_memory(err);
    return made->device && !wire->bad
               ? 0
               : gcal_error_set(err, GCAL_EINPUT, "%s: damaged message", node);
}

void gcal_selection_clear(struct gcal_selection *selection)
{
    free(selection->node);
    free(selection->device);
    *selection = (struct gcal_selection){ 0 };
}

char *gcal_selection_format(const struct gcal_plan_selection *c)
{
    struct gcal_buf buf = { 0 };

    if (c->all_anyway)
        gcal_buf_printf(&buf,
                        "measured all %zu kernels in %.1f s: to choose would not "
                        "have saved time",
                        c->n_measured, c->took_s);
    else
        gcal_buf_printf(&buf, "chose %zu of %zu kernels: %.1f s", c->n_measured,
                        c->n_kernels, c->took_s);
    if (!c->all_anyway && isfinite(c->full_s))
        gcal_buf_printf(&buf, " instead of about %.*f s", c->full_s < 10 ? 1 : 0,
                        c->full_s);
    if (isfinite(c->worst_error))
        gcal_buf_printf(&buf, "; worst standard error %.2g%% (of %s; wanted %.2g%%)",
                        100 * c->worst_error, c->worst_parameter, 100 * c->wanted_error);
    else
        gcal_buf_printf(&buf, "; %s is not determined", c->worst_parameter);
    if (c->n_not_identifiable)
        gcal_buf_printf(&buf, "; %zu parameters not identifiable", c->n_not_identifiable);
    return gcal_buf_take(&buf, NULL);
}
