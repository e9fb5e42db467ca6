/* speed.h - how fast nodes are, beside the fastest of them
 *
 * A device's rate is one over the geometric mean of those of its costs (costs.h)
 * that all compared devices have; a node's is the sum of its devices' rates, and its
 * speed that over the fastest node's.
 */
#ifndef GCAL_MPI_EXPORT_SPEED_H
#define GCAL_MPI_EXPORT_SPEED_H

#include <stddef.h>

#include "mpi/export/costs.h"

struct gcal_error;
struct gcal_export;

struct gcal_export_speed_device {
    char *uid, *type, *utc, *run_id; /* utc and run_id: of its calibration */
    struct gcal_export_costs costs;
    double speed; /* 1: as the fastest node; NaN where not known */
};

struct gcal_export_speed_node {
    char *name;
    size_t n_devices, capacity;
    struct gcal_export_speed_device *devices; /* those that the export wants */
    double speed;                             /* 1 for the fastest; NaN where not known */
};

struct gcal_export_speeds {
    size_t n_nodes;
    struct gcal_export_speed_node *nodes; /* sorted by name */
    struct gcal_export_cost_names costs;
};

/* Nodes without a device that the export wants are left out.  Devices of which no cost is
 * known have no speed, and add nothing to their node's.  GCAL_EINPUT when no device's is
 * known, or when the devices have no cost in common.  Clear in any case.
 */
int gcal_export_speeds_find(const struct gcal_export *e,
                            struct gcal_export_speeds *speeds, struct gcal_error *err);
void gcal_export_speeds_clear(struct gcal_export_speeds *speeds);

/* The device whose calibration is the oldest. */
const struct gcal_export_speed_device *
gcal_export_speed_oldest(const struct gcal_export_speed_node *node);

#endif
