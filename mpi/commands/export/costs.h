/* costs.h - costs of a device, from which its speed is found
 *
 * Costs are the predicted times of the export's kernels, each with the name of its file and its
 * sizes ("mm n=4096"); without kernels, the parameters
 * of the model in seconds, times the device factor, if they are known to 20 %.  A cost
 * that is counted per sub-group is divided by the size of the sub-group, so that it is
 * for the same work on each device.
 */
#ifndef GCAL_MPI_COMMANDS_EXPORT_COSTS_H
#define GCAL_MPI_COMMANDS_EXPORT_COSTS_H

#include <stddef.h>

#include "kernels/base/strings.h"

struct gcal_error;
struct gcal_export;
struct gcal_params_device;

/* Indexed as the names of costs; costs from n on are not known. */
struct gcal_export_costs {
    size_t n;
    double *seconds; /* NaN where not known */
    double *errors;  /* relative standard errors */
};

/* Finds the costs of 'device' by the models of gcal_export_models(), and appends new names
 * to 'names'.
 */
int gcal_export_costs_find(const struct gcal_export *e,
                           const struct gcal_params_device *device,
                           struct gcal_strings *names, struct gcal_export_costs *costs,
                           struct gcal_error *err);

#endif
