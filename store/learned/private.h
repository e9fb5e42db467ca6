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

#endif
