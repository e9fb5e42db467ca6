/* inputs.h - inputs of 'predict', 'tune' and 'evaluate': the calibrated device, and the
 * target kernel with its sizes
 */
#ifndef GCAL_MPI_COMMANDS_PREDICT_INPUTS_H
#define GCAL_MPI_COMMANDS_PREDICT_INPUTS_H

#include <argp.h>

#include "kernels/model/profile.h"
#include "kernels/generate/generate.h"
#include "mpi/cli/option_list.h"
#include "mpi/commands/count/sizes.h"
#include "store/params/params.h"

struct gcal_arena;
struct gcal_count_options;
struct gcal_error;
struct gcal_kernel;
struct gcal_profile;
struct gcal_store;

/* ---- the device ---- */

struct gcal_predict_device_options {
    const char *store, *node, *device, *params, *model;
};

/* For argp's 'children'; input: struct gcal_predict_device_options. */
extern const struct argp gcal_predict_device_argp;

/* A device whose parameters are published. */
struct gcal_predict_device {
    struct gcal_arena *arena;
    struct gcal_store *store; /* NULL: a file */
    struct gcal_params params;
    const struct gcal_params_device *device; /* in 'params' */
};

/* Reads a parameter file; clear 'params' in any case. */
int gcal_predict_params_read(const char *file, struct gcal_params *params,
                             struct gcal_error *err);
/* Loads the device that the options select, which must have the model that they name.  Clear 'published' in any case. */
int gcal_predict_device_open(const struct gcal_predict_device_options *options,
                             struct gcal_predict_device *published,
                             struct gcal_error *err);
/* Adds what the store has learned of the kernel, unless the options name a model. */
int gcal_predict_device_add_learned(const struct gcal_predict_device_options *options,
                                    struct gcal_predict_device *published,
                                    const struct gcal_profile *profile,
                                    struct gcal_error *err);
void gcal_predict_device_clear(struct gcal_predict_device *published);

/* What a kernel is counted for so that 'model' can predict it (NULL: any of the device's);
 * 'device' NULL: for any.
 */
struct gcal_kernel_counting gcal_predict_counting(const struct gcal_params_device *device,
                                                  const char *model);

/* ---- the target kernel ---- */

/* A kernel's counts, and the sizes at which it is predicted. */
struct gcal_predict_target {
    const struct gcal_profile *profile;
    struct gcal_count_points points;  /* at least one */
    const double *sizes;              /* of the first point, in the profile's order */
    struct gcal_profile_set to_clear; /* has 'profile', unless that is borrowed */
    /* Each point by itself, where counts in symbols are none or estimates; the profile is that
     * of the first.  NULL: it is one for all points.
     */
    struct gcal_predict_target *each;
    size_t n_each;
};

/* The kernel at a point, with the sizes in the order of its own profile. */
struct gcal_predict_point {
    const struct gcal_profile *profile;
    const double *sizes;
};
struct gcal_predict_point gcal_predict_point(const struct gcal_predict_target *target,
                                             size_t point);

/* The profile of a kernel's source, counted for 'counting' and what the options ask for; the
 * caller's to destroy.
 */
struct gcal_profile *gcal_predict_profile(const struct gcal_count_options *options,
                                          const struct gcal_kernel_counting *counting,
                                          struct gcal_error *err);

/* A counted kernel from a file, or a kernel's source counted for 'counting' and what the
 * options ask for; 'ats' or the options have the sizes.  Clear the target in any case.
 */
int gcal_predict_target_read(struct gcal_predict_target *target, const char *profile_file,
                             const struct gcal_params_device *device,
                             const struct gcal_option_list *ats, struct gcal_error *err);
int gcal_predict_target_count(struct gcal_predict_target *target,
                              const struct gcal_count_options *options,
                              const struct gcal_kernel_counting *counting,
                              struct gcal_error *err);
/* Reports the estimates of a kernel's source on standard error, before what follows from them. */
void gcal_predict_target_print_notes(const struct gcal_predict_target *target,
                                     const struct gcal_count_options *options);
/* The kernel of 'whole', which must outlive the target, at one of its points. */
int gcal_predict_target_at(struct gcal_predict_target *target,
                           const struct gcal_predict_target *whole, size_t point,
                           struct gcal_error *err);
/* A kernel of the catalogue, which must outlive the target. */
int gcal_predict_target_from_catalogue(struct gcal_predict_target *target,
                                       const struct gcal_kernel *kernel,
                                       struct gcal_error *err);
void gcal_predict_target_clear(struct gcal_predict_target *target);

#endif
