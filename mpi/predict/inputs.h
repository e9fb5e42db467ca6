/* inputs.h - what 'predict', 'rank' and 'evaluate' share: whose parameters predict,
 * and which kernel at which sizes
 */
#ifndef GCAL_MPI_PREDICT_INPUTS_H
#define GCAL_MPI_PREDICT_INPUTS_H

#include <argp.h>

#include "mpi/cli/option_list.h"
#include "store/params/params.h"

struct gcal_count_options;
struct gcal_error;
struct gcal_kernel;
struct gcal_profile;

/* ---- whose parameters ---- */

struct gcal_predict_device_options {
    const char *store, *node, *device, *params, *model;
};

/* For argp's 'children'; input: struct gcal_predict_device_options. */
extern const struct argp gcal_predict_device_argp;

/* A device whose parameters are published. */
struct gcal_predict_device {
    struct gcal_params params;
    const struct gcal_params_device *device; /* in 'params' */
};

/* Clear it in any case. */
int gcal_predict_device_open(const struct gcal_predict_device_options *options,
                             struct gcal_predict_device *published,
                             struct gcal_error *err);
/* 'model' if there is such a model, NULL: the only one, or the one that is named as one
 * of the tags.  NULL with 'err' listing what there is.
 */
const char *gcal_predict_device_model(const struct gcal_predict_device *published,
                                      const char *model,
                                      const struct gcal_option_list *tags,
                                      struct gcal_error *err);
void gcal_predict_device_clear(struct gcal_predict_device *published);

/* ---- which kernel ---- */

/* A kernel's counts, and the sizes that its time is wanted for. */
struct gcal_predict_target {
    const struct gcal_profile *profile;
    double *sizes;                    /* in the profile's order */
    struct gcal_profile *own_profile; /* NULL: 'profile' is another's */
};

/* A counted kernel in a file, or a kernel's source counted for sub-groups of this size;
 * 'at' gives the sizes.  What was estimated is said on standard error.  Clear the subject
 * in any case.
 */
int gcal_predict_target_read(struct gcal_predict_target *target, const char *profile_file,
                             const char *at, struct gcal_error *err);
int gcal_predict_target_count(struct gcal_predict_target *target,
                              const struct gcal_count_options *options,
                              size_t sub_group_size, struct gcal_error *err);
/* A kernel of the catalogue, which must outlive the subject. */
int gcal_predict_target_from_catalogue(struct gcal_predict_target *target,
                                       const struct gcal_kernel *kernel,
                                       struct gcal_error *err);
void gcal_predict_target_clear(struct gcal_predict_target *target);

#endif
