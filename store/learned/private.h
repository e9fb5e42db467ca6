/* private.h - what the files of store/learned share */
#ifndef GCAL_STORE_LEARNED_PRIVATE_H
#define GCAL_STORE_LEARNED_PRIVATE_H

#include "store/learned/learned.h"
#include "store/params/params.h"

/* Whether the corrections of 'other' are of the model that is the device's general one, as the
 * fingerprint of its configuration says.
 */
bool gcal_learned_is_of(const struct gcal_params_device *other,
                        const struct gcal_params_device *device,
                        const struct gcal_params_model *general);

/* The place of a limit's factor among the corrections; n_parameters: it is not there. */
size_t gcal_learned_find_factor(const struct gcal_params_model *corrections,
                                const char *limit);

/* Launches cost the same for nearly all kernels, but on a device not the same on all hosts and days. */
#define GCAL_LEARNED_LAUNCH_WITHIN 0.052

/* What the factors of one kernel differ by between types of devices: H100 and H200, tests/scope. */
#define GCAL_LEARNED_TYPES 0.06

/* What one type's corrections say of a kernel's factor, beside what is expected of all kernels. */
struct gcal_learned_evidence {
    double precision, mean; /* 1 / variance; 0: nothing */
};

struct gcal_learned_evidence gcal_learned_find_evidence(const struct gcal_params_model *m,
                                                        const char *limit,
                                                        double deviation);

/* Of the kernels' factors of a limit, as the general model's spread has it. */
double gcal_learned_deviation(const struct gcal_params_model *general, const char *limit);

#endif
