/* built.h - what the driver of a device says of a kernel that it has built
 *
 * Registers and spills are the compiler's choice: no source has them.  They decide how many
 * work-groups a compute unit holds.  A profile has a list of them, one for each type of
 * device on which the kernel was built.
 */
#ifndef GCAL_KERNELS_MODEL_BUILT_H
#define GCAL_KERNELS_MODEL_BUILT_H

#include <stdbool.h>
#include <stdint.h>

struct gcal_error;
struct gcal_profile;
struct gcal_profile_decoder;
struct gcal_yaml;
struct gcal_yaml_writer;

struct gcal_built {
    uint64_t registers;     /* of a work-item; 0: the driver does not say */
    uint64_t private_bytes; /* memory of a work-item: spilled registers, private arrays */
    uint64_t work_group_size; /* most work-items of a work-group; 0: nothing is known */
    uint64_t multiple;        /* of work-items, preferred for work-groups; 0: unknown */
};

bool gcal_built_is_known(const struct gcal_built *built);

/* In a profile; 'type': of the device (kernels/model/run/device_info.h), NULL: none. */
const struct gcal_built *gcal_built_find(const struct gcal_profile *profile,
                                         const char *type);
/* Replaces what the profile had of this type; does nothing if nothing is known. */
int gcal_built_set(struct gcal_profile *profile, const char *type,
                   const struct gcal_built *built, struct gcal_error *err);

/* ---- for profile*.c ---- */

void gcal_built_clear(struct gcal_profile *profile);
/* The key "built", if there are any. */
void gcal_built_write(struct gcal_yaml_writer *w, const struct gcal_profile *profile);
int gcal_built_decode(struct gcal_profile_decoder *d, const struct gcal_yaml *root);

#endif
