/* speed.h - speeds of nodes, relative to the fastest
 *
 * The rate of a device is 1 over the geometric mean of the costs (costs.h) that all
 * compared devices have.  The rate of a node is the sum of the rates of its devices, and
 * its speed the rate over that of the fastest node.
 *
 * What is said of a node by classes (features, weights, perf_class) follows its class speed:
 * the speed that two of its calibrations have confirmed (settled.c), the same for nodes that
 * differ by no more than their errors (classes.c).
 */
#ifndef GCAL_MPI_EXPORT_SPEED_H
#define GCAL_MPI_EXPORT_SPEED_H

#include <stddef.h>

#include "calib/base/strings.h"
#include "mpi/export/costs.h"

struct gcal_error;
struct gcal_export;
struct gcal_track;

struct gcal_export_speed_device {
    char *uid, *type, *utc, *run_id; /* utc and run_id: of its calibration */
    struct gcal_export_costs costs;
    double error;   /* relative standard error of its factor */
    double settled; /* its confirmed speed over that of its newest calibration */
    double speed;   /* over that of the fastest node; NaN if not known */
};

struct gcal_export_speed_node {
    char *name;
    size_t n_devices, capacity;
    struct gcal_export_speed_device *devices; /* those that match the export */
    double speed;                             /* 1 for the fastest; NaN if not known */
    double settled;     /* confirmed, over the same rate; NaN if not known */
    double error;       /* relative standard error */
    double class_speed; /* 1 for the fastest; NaN if not known */
};

struct gcal_export_speeds {
    size_t n_nodes;
    struct gcal_export_speed_node *nodes; /* sorted by name */
    struct gcal_strings costs;
};

/* Nodes without a matching device are left out.  Devices without a known cost have no
 * speed and add nothing to their node.  GCAL_EINPUT if no device has a known cost, or if
 * the devices have no cost in common.  Clear 'speeds' in any case.
 */
int gcal_export_speeds_find(const struct gcal_export *e,
                            struct gcal_export_speeds *speeds, struct gcal_error *err);
void gcal_export_speeds_clear(struct gcal_export_speeds *speeds);

/* ---- settled.c ---- */

/* The speed of a device that its calibrations have confirmed, over that of the newest one. */
double gcal_export_settled_ratio(const struct gcal_track *track, const char *uid);

/* ---- classes.c ---- */

/* Sets the class speeds. */
int gcal_export_classes_find(struct gcal_export_speeds *s, struct gcal_error *err);

/* The device with the oldest calibration. */
const struct gcal_export_speed_device *
gcal_export_speed_oldest(const struct gcal_export_speed_node *node);

#endif
