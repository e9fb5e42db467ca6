/* facts.h - what the calibration found of a device: latencies, capacities, rates
 *
 * Each fact is a quantity in a unit that people use, from the parameters of the published
 * models: a rate instead of the time of a sector, the latency of a memory as a sum of steps.
 */
#ifndef GCAL_MPI_SHOW_FACTS_H
#define GCAL_MPI_SHOW_FACTS_H

#include <jansson.h>

struct gcal_params_device;

/* Lines on standard output: of each fact value, standard error and what it is. */
void gcal_facts_print(const struct gcal_params_device *device);

/* The value of a fact by its key; NaN if the calibration does not have it. */
double gcal_facts_value(const struct gcal_params_device *device, const char *key);

/* An object with value, standard_error and unit of each fact by its key. */
json_t *gcal_facts_json(const struct gcal_params_device *device);

#endif
