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

#endif
