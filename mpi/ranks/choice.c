#include "mpi/ranks/choice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"

void gcal_choice_put(struct gcal_buf *buf, const char *device,
                     const struct gcal_plan_choice *choice)
{
    gcal_wire_put_text(buf, device);
    gcal_wire_put_u64(buf, choice->n_measured);
    gcal_wire_put_u64(buf, choice->n_kernels);
    gcal_wire_put_f64(buf, choice->took_s);
    gcal_wire_put_f64(buf, choice->full_s);
    gcal_wire_put_f64(buf, choice->worst_error);
    gcal_wire_put_text(buf, choice->worst_parameter);
    gcal_wire_put_u64(buf, choice->n_untold);
    gcal_wire_put_f64(buf, choice->wanted_error);
    gcal_wire_put_u32(buf, choice->reached);
}

int gcal_choice_get(struct gcal_wire *wire, const char *node, struct gcal_choice *made,
                    struct gcal_error *err)
{
    struct gcal_plan_choice *choice = &made->choice;
    char *parameter;

    *made =
        (struct gcal_choice){ .node = strdup(node), .device = gcal_wire_get_text(wire) };
    choice->n_measured = gcal_wire_get_u64(wire);
    choice->n_kernels = gcal_wire_get_u64(wire);
    choice->took_s = gcal_wire_get_f64(wire);
    choice->full_s = gcal_wire_get_f64(wire);
    choice->worst_error = gcal_wire_get_f64(wire);
    if ((parameter = gcal_wire_get_text(wire)))
        snprintf(choice->worst_parameter, sizeof(choice->worst_parameter), "%s",
                 parameter);
    free(parameter);
    choice->n_untold = gcal_wire_get_u64(wire);
    choice->wanted_error = gcal_wire_get_f64(wire);
    choice->reached = gcal_wire_get_u32(wire) != 0;
    if (!made->node)
        return gcal_error_memory(err);
    return made->device && !wire->bad
               ? 0
               : gcal_error_set(err, GCAL_EINPUT, "%s: damaged message", node);
}

void gcal_choice_clear(struct gcal_choice *choice)
{
    free(choice->node);
    free(choice->device);
    *choice = (struct gcal_choice){ 0 };
}

char *gcal_choice_format(const struct gcal_plan_choice *c)
{
    struct gcal_buf buf = { 0 };

    gcal_buf_printf(&buf, "chose %zu of %zu kernels: %.1f s", c->n_measured, c->n_kernels,
                    c->took_s);
    if (isfinite(c->full_s))
        gcal_buf_printf(&buf, " instead of about %.*f s", c->full_s < 10 ? 1 : 0,
                        c->full_s);
    if (isfinite(c->worst_error))
        gcal_buf_printf(&buf, "; worst standard error %.2g%% (of %s; wanted %.2g%%)",
                        100 * c->worst_error, c->worst_parameter, 100 * c->wanted_error);
    else
        gcal_buf_printf(&buf, "; %s is not determined", c->worst_parameter);
    if (c->n_untold)
        gcal_buf_printf(&buf, "; %zu parameters that no kernel tells", c->n_untold);
    return gcal_buf_take(&buf, NULL);
}
