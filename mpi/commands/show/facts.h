/* facts.h - what the calibration found of a device (store/facts), beside the vendor's peaks */
#ifndef GCAL_MPI_COMMANDS_SHOW_FACTS_H
#define GCAL_MPI_COMMANDS_SHOW_FACTS_H

#include <jansson.h>

struct gcal_params_device;

/* Lines on standard output: of each fact value, standard error, what it is, and its share of the
 * vendor's peak.
 */
void gcal_facts_print(const struct gcal_params_device *device);

/* An object with value, standard_error, unit and the vendor's peak of each fact by its key. */
json_t *gcal_facts_json(const struct gcal_params_device *device);

#endif
