/* corrections.h - the model of one kernel: the general model with factors at its limits, from times
 *
 * What is expected of the factors (store/learned/learned.h) is moved by measured times
 * (fit/posterior.h).  The costs are those of the general model.
 */
#ifndef GCAL_CALIB_LEARN_CORRECTIONS_H
#define GCAL_CALIB_LEARN_CORRECTIONS_H

#include <stddef.h>

struct gcal_arena;
struct gcal_error;
struct gcal_params;
struct gcal_params_device;
struct gcal_params_model;
struct gcal_profile;

/* A measured time, s, and its relative standard error; the kernel's counts, and its sizes in their
 * order.
 */
struct gcal_kernel_time {
    const struct gcal_profile *profile;
    const double *sizes;
    double time_s, spread;
};

/* The device's general model, if it is one that predicts without being asked for by name; NULL: none. */
const struct gcal_params_model *
gcal_learn_general(const struct gcal_params_device *device);

/* The model 'name' of the kernel on the device, from n times or none: it predicts the kernels with
 * the fingerprints of 'profile' alone.  'known': what a store has of the kernel, of which other
 * types count; NULL: nothing.  'types': how far types lie apart; 0: as 'known' has it.  The model lives in the arena.
 * GCAL_EINPUT if the device has no general model, or one whose limits have no names.
 */
int gcal_learn_correct(struct gcal_arena *arena, const struct gcal_params_device *device,
                       const char *name, const struct gcal_profile *profile,
                       const struct gcal_params *known, double types, size_t n,
                       const struct gcal_kernel_time *times,
                       struct gcal_params_model *model, struct gcal_error *err);

/* The factors of such a model alone, as a kernel's file has them.  Borrows from the model. */
struct gcal_params_model gcal_learn_factors(struct gcal_arena *arena,
                                            const struct gcal_params_model *general,
                                            const struct gcal_params_model *model);

#endif
