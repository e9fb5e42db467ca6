/* predicting.h - what 'predict', 'rank' and 'evaluate' share: whose parameters predict,
 * and which kernel at which sizes
 */
#ifndef GCAL_MPI_PREDICT_PREDICTING_H
#define GCAL_MPI_PREDICT_PREDICTING_H

#include <argp.h>

#include "mpi/cli/words.h"
#include "store/params/params.h"

struct gcal_count_options;
struct gcal_error;
struct gcal_kernel;
struct gcal_profile;

/* ---- whose parameters ---- */

struct gcal_published_options {
    const char *store, *node, *device, *params;
};

/* For argp's 'children'; input: struct gcal_published_options. */
extern const struct argp gcal_published_argp;

/* A device whose parameters are published. */
struct gcal_published {
    struct gcal_params params;
    const struct gcal_params_device *device; /* in 'params' */
};

/* Clear it in any case. */
int gcal_published_open(const struct gcal_published_options *options,
                        struct gcal_published *published, struct gcal_error *err);
/* 'model' if there is such a model, NULL: the only one, or the one that is named as one
 * of the tags.  NULL with 'err' listing what there is.
 */
const char *gcal_published_model(const struct gcal_published *published,
                                 const char *model, const struct gcal_words *tags,
                                 struct gcal_error *err);
void gcal_published_clear(struct gcal_published *published);

/* ---- which kernel ---- */

/* A kernel's counts, and the sizes that its time is wanted for. */
struct gcal_subject {
    const struct gcal_profile *profile;
    double *sizes;                    /* in the profile's order */
    struct gcal_profile *own_profile; /* NULL: 'profile' is another's */
};

/* A counted kernel in a file, or a kernel's source counted for sub-groups of this size;
 * 'at' gives the sizes.  What was estimated is said on standard error.  Clear the subject
 * in any case.
 */
int gcal_subject_read(struct gcal_subject *subject, const char *profile_file,
                      const char *at, struct gcal_error *err);
int gcal_subject_count(struct gcal_subject *subject,
                       const struct gcal_count_options *options, size_t sub_group_size,
                       struct gcal_error *err);
/* A kernel of the catalogue, which must outlive the subject. */
int gcal_subject_of_kernel(struct gcal_subject *subject, const struct gcal_kernel *kernel,
                           struct gcal_error *err);
void gcal_subject_clear(struct gcal_subject *subject);

#endif
