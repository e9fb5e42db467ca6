/* facts.h - what the calibration found of a device: latencies, capacities, rates
 *
 * Each fact is a quantity in a unit that people use, from the parameters of the published
 * models: a rate instead of the time of a sector, the latency of a memory as a sum of steps.
 */
#ifndef GCAL_STORE_FACTS_H
#define GCAL_STORE_FACTS_H

#include <stddef.h>

struct gcal_params_device;

#define GCAL_FACTS_MAX 64

struct gcal_fact {
    const char *key;  /* "rate_dram" */
    const char *text; /* a phrase: "memory" */
    const char *unit; /* "s", "B", "B/s", "FLOP/s", "op/s", "1" */
    double value;     /* above 0 */
    double error;     /* its standard error; NaN: none */
};

/* Those that the device's decoded models have; how many. */
size_t gcal_facts_find(const struct gcal_params_device *device,
                       struct gcal_fact facts[GCAL_FACTS_MAX]);
/* The value of the one with this key; NaN: the device's models do not have it. */
double gcal_facts_value(const struct gcal_params_device *device, const char *key);

#endif
