/* speed.h - speeds of nodes, relative to the fastest
 *
 * The rate of a device is 1 over the geometric mean of the costs (costs.h) that all
 * compared devices have.  The rate of a node is the sum of the rates of its devices, and
 * its speed the rate over that of the fastest node.
 *
 * What is said of a node by classes (features, weights, perf_class) follows its class speed:
 * the speed that two of its calibrations have confirmed (speed.c), the same for nodes that
 * differ by no more than their errors (classes.c).
 */
#ifndef GCAL_MPI_COMMANDS_EXPORT_SPEED_H
#define GCAL_MPI_COMMANDS_EXPORT_SPEED_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/strings.h"
#include "mpi/commands/export/costs.h"

struct gcal_arena;
struct gcal_error;
struct gcal_export;
struct gcal_track;

struct gcal_export_speed_device {
    char *uid, *name, *type, *utc, *run_id; /* utc and run_id: of its calibration */
    bool is_gpu;
    /* Measured by the general model, NaN if not known. */
    double memory_bytes_per_s, fp32_flop_per_s;
    struct gcal_export_costs costs;
    bool is_alone;  /* fitted to its own times only */
    double error;   /* relative standard error of its speed */
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
 * the devices have no cost in common.
 */
int gcal_export_speeds_find(const struct gcal_export *e,
                            struct gcal_export_speeds *speeds, struct gcal_error *err);

/* ---- classes.c ---- */

/* Sets the class speeds. */
void gcal_export_classes_find(struct gcal_arena *arena, struct gcal_export_speeds *s);

/* "fast", "medium" or "slow"; NULL if the class speed is not known. */
const char *gcal_export_class_name(const struct gcal_export_speed_node *node);

/* ---- of a node ---- */

/* Rates of the node's slowest GPU, or of its slowest device if it has no GPU, so that a job can
 * rely on them wherever on the node it runs; NaN if one of them is not known.
 */
struct gcal_export_rates {
    double memory_bytes_per_s, fp32_flop_per_s;
};

struct gcal_export_rates
gcal_export_speed_rates(const struct gcal_export_speed_node *node);

/* The device with the oldest calibration. */
const struct gcal_export_speed_device *
gcal_export_speed_oldest(const struct gcal_export_speed_node *node);

#endif
