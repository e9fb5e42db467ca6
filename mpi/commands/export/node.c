/* node.c - what an export says of a node as a whole */
#include <math.h>
#include <string.h>

#include "mpi/commands/export/speed.h"

const struct gcal_export_speed_device *
gcal_export_speed_oldest(const struct gcal_export_speed_node *node)
{
    const struct gcal_export_speed_device *oldest = &node->devices[0];

    for (size_t i = 1; i < node->n_devices; i++)
        if (strcmp(node->devices[i].utc, oldest->utc) < 0)
            oldest = &node->devices[i];
    return oldest;
}

static bool has_gpu(const struct gcal_export_speed_node *node)
{
    for (size_t i = 0; i < node->n_devices; i++)
        if (node->devices[i].is_gpu)
            return true;
    return false;
}

/* The smaller; NaN if one is not known. */
static double smaller(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmin(a, b);
}

struct gcal_export_rates
gcal_export_speed_rates(const struct gcal_export_speed_node *node)
{
    struct gcal_export_rates rates = { INFINITY, INFINITY };
    bool gpus = has_gpu(node);

    for (size_t i = 0; i < node->n_devices; i++) {
        const struct gcal_export_speed_device *d = &node->devices[i];

        if (gpus && !d->is_gpu)
            continue;
        rates.memory_bytes_per_s =
            smaller(rates.memory_bytes_per_s, d->memory_bytes_per_s);
        rates.fp32_flop_per_s = smaller(rates.fp32_flop_per_s, d->fp32_flop_per_s);
    }
    return rates;
}
