/* costs.h - what a device's operations or kernels cost (within mpi/export* only)
 *
 * The predicted times of the export's kernels; without any, the parameters of the model
 * in seconds, times the device's factor, those that are known to 20 %.  What is counted
 * per sub-group is divided by the sub-group's size: the same work on each device.
 */
#ifndef GCAL_MPI_EXPORT_COSTS_H
#define GCAL_MPI_EXPORT_COSTS_H

#include <stddef.h>

struct gcal_error;
struct gcal_export;
struct gcal_params_device;
struct gcal_params_model;

struct gcal_export_cost_names {
    size_t n, capacity;
    char **names;
};

/* By cost; what lies behind the end is not known either. */
struct gcal_export_costs {
    size_t n;
    double *seconds; /* NaN where not known */
};

/* Adds to 'names' what is not there yet.  'model' is the device's. */
int gcal_export_costs_find(const struct gcal_export *e,
                           const struct gcal_params_device *device,
                           const struct gcal_params_model *model,
                           struct gcal_export_cost_names *names,
                           struct gcal_export_costs *costs, struct gcal_error *err);
/* Makes room for 'n', not known yet. */
int gcal_export_costs_reserve(struct gcal_export_costs *costs, size_t n,
                              struct gcal_error *err);
void gcal_export_cost_names_clear(struct gcal_export_cost_names *names);

#endif
