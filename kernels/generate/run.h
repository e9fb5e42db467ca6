/* run.h - 'run' and 'transfer' of a catalogue entry; internal to kernels/ */
#ifndef GCAL_KERNELS_GENERATE_RUN_H
#define GCAL_KERNELS_GENERATE_RUN_H

#include "kernels/generate/private.h"

struct gcal_buf;
struct gcal_profile;

/* Whether the entry describes a transfer without a kernel: it has 'transfer' and neither
 * 'source' nor 'kernel'.
 */
bool gcal_generator_is_transfer(const struct gcal_yaml *root);
/* Complains about keys that go with a kernel where there is none. */
int gcal_generator_check_transfer(const struct gcal_yaml *root, struct gcal_error *err);

/* Fills launches, timing and transfer of a kernel that has nothing else yet, or 'source'
 * and 'entry'.
 */
int gcal_kernel_run_read(const struct gcal_generator_setting *setting,
                         struct gcal_kernel *kernel, struct gcal_error *err);
void gcal_kernel_run_clear(struct gcal_kernel *kernel);
/* The part of them in the kernel's id. */
void gcal_kernel_run_put(struct gcal_buf *buf, const struct gcal_kernel *kernel);

/* Launches, bytes and pieces for some sizes. */
int gcal_kernel_run_geometry(const struct gcal_kernel *kernel, size_t n_sizes,
                             const struct gcal_size *sizes,
                             struct gcal_geometry *geometry, struct gcal_error *err);

/* Makes the profile of one launch that of a run: counts are multiplied by the launches,
 * and the transfer's are added.  A kernel that is a transfer has no profile before.
 */
int gcal_kernel_run_count(struct gcal_kernel *kernel, struct gcal_error *err);

/* Makes the sizes that 'count' speaks of parameters of the profile. */
int gcal_kernel_run_add_parameters(struct gcal_profile *profile, const char *count,
                                   struct gcal_error *err);

/* ---- part.c ---- */

/* Gives the parts of a kernel that has just been counted the setting's tag; a kernel with
 * work removed gets the part that it keeps of its origin, which is counted for that
 * unless 'tree' has it (see gcal_kernel_finish()).
 */
int gcal_kernel_set_components(const struct gcal_generator_setting *setting,
                               struct gcal_kernel *kernel, void **tree,
                               struct gcal_error *err);

#endif
