/* run_kernel.h - a measurement kernel as a run records it: enough to count and fit again
 *
 * Texts and arrays are owned by the struct.
 */
#ifndef GCAL_KERNELS_MODEL_RUN_RUN_KERNEL_H
#define GCAL_KERNELS_MODEL_RUN_RUN_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/model/run/field.h"
#include "kernels/model/run/kernel_origin.h"
#include "kernels/model/run/kernel_use.h"

struct gcal_buf;
struct gcal_wire;
struct gcal_error;
struct gcal_profile;

struct gcal_run_kernel {
    char *id, *name, *generator;
    char *family;  /* name without the size of the size sweep */
    char *variant; /* name without all sizes */
    struct gcal_kernel_origin origin;
    char *source, *entry, *build_options;
    char *launch; /* "global n/16*16,n local 16,16", launches and transfers; for people */
    char *profile; /* YAML (profile.h) */
    /* For which 'profile' was counted; 0: for all.  Devices of several sizes have a kernel
     * with the same id, counted for each.
     */
    uint64_t sub_group_size;
    struct gcal_kernel_uses uses;
    size_t n_sizes;
    char **size_names; /* in the order of the profile's parameters */
    double *size_values;
};

/* Texts and sub-group size: origin, uses and sizes have tables of their own. */
extern const struct gcal_field gcal_run_kernel_fields[];

int gcal_run_kernel_copy(struct gcal_run_kernel *to, const struct gcal_run_kernel *from,
                         struct gcal_error *err);
void gcal_run_kernel_clear(struct gcal_run_kernel *kernel);
void gcal_run_kernel_put(struct gcal_buf *buf, const struct gcal_run_kernel *kernel);
int gcal_run_kernel_get(struct gcal_wire *wire, struct gcal_run_kernel *kernel,
                        struct gcal_error *err);

/* Its counts, the caller's to destroy; NULL with 'err' if its sizes are not theirs, too. */
struct gcal_profile *gcal_run_kernel_profile(const struct gcal_run_kernel *kernel,
                                             struct gcal_error *err);

#endif
