/* corrections.h - the model of one kernel: the general model with corrections, from times
 *
 * The general model errs by nearly the same factor in all launches of a kernel that one limit
 * binds, on all devices: counts miss the same work.  So each limit (roof) of the general model gets
 * a factor of the kernel, p_kernel_LIMIT, which is about 1, as far as the errors of other kernels
 * that it binds are (the model's spread), and which measured times move
 * (fit/posterior.h).  The costs are those of the general model.
 */
#ifndef GCAL_CALIB_LEARN_CORRECTIONS_H
#define GCAL_CALIB_LEARN_CORRECTIONS_H

#include <stddef.h>

struct gcal_arena;
struct gcal_error;
struct gcal_params_device;
struct gcal_params_model;
struct gcal_profile;

/* Of the parameters: "p_kernel_dram". */
#define GCAL_CORRECTION_PREFIX "p_kernel_"

/* A measured time, s, and its relative standard error; the kernel's counts, and its sizes in their
 * order.
 */
struct gcal_kernel_time {
    const struct gcal_profile *profile;
    const double *sizes;
    double time_s, spread;
};

/* The model 'name' of the kernel on the device, from n times or none: it predicts the kernels with
 * the fingerprints of 'profile' alone.  Borrows from 'device', 'name' and 'profile'; the rest lives
 * in the arena.  GCAL_EINPUT if the device has no general model, or one whose limits have no names.
 */
int gcal_learn_correct(struct gcal_arena *arena, const struct gcal_params_device *device,
                       const char *name, const struct gcal_profile *profile, size_t n,
                       const struct gcal_kernel_time *times,
                       struct gcal_params_model *model, struct gcal_error *err);

#endif
