/* profile.h - what a kernel does: every feature as an expression in its sizes
 *
 * Made by kernels/ from OpenCL C, written to YAML, read by libgpucal.  The format is
 * documented in docs/gpucal-profile.5.
 *
 * Counts are expressions (expr.h) in the kernel's size parameters and the reserved
 * name 'sub_group_size', which a device supplies:
 *   work-item   executions summed over all work-items of the NDRange
 *   sub-group   executions summed over all sub-groups, partial ones rounded up
 *               (e.g. "1/256*n^3*ceil(256/sub_group_size)")
 *   work-group  executions summed over all work-groups
 *   kernel      executions per launch, or met by one work-item (barriers); bytes of one
 *               work-item or work-group; bytes and number of copies of a transfer
 */
#ifndef GCAL_CALIB_MODEL_PROFILE_H
#define GCAL_CALIB_MODEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "calib/model/feature.h"

struct gcal_error;
struct gcal_yaml;
struct gcal_yaml_writer;

#define GCAL_SUB_GROUP_SIZE "sub_group_size"

/* Of a profile from outside, and of the values that a binding keeps on the stack. */
#define GCAL_PROFILE_MAX_PARAMETERS 32

enum gcal_profile_granularity {
    GCAL_PROFILE_PER_WORK_ITEM,
    GCAL_PROFILE_PER_SUB_GROUP,
    GCAL_PROFILE_PER_WORK_GROUP,
    GCAL_PROFILE_PER_KERNEL,
};

/* "work-item", ... */
const char *gcal_profile_granularity_name(enum gcal_profile_granularity granularity);

struct gcal_profile_loop_stride {
    char *loop;   /* the loop variable's name */
    char *stride; /* expression, elements per iteration */
};

/* One operation or one access pattern.  Texts are owned; unused ones NULL. */
struct gcal_profile_entry {
    char *feature; /* its full canonical name, f_... */
    enum gcal_feature_kind kind;
    enum gcal_profile_granularity granularity;
    char *count; /* expression, see above */
    char *dtype, *op;
    bool estimated; /* the count is not exact: the profile's notes say why */
    enum gcal_feature_copy_direction way; /* transfers only */
    enum gcal_feature_host_memory host;   /* transfers only */
    char
        *tag; /* of an access, or of the kernel whose part this is (f_memory, f_onchip) */
    /* accesses only, atomics included */
    char *array;
    enum gcal_feature_space space;
    enum gcal_feature_direction direction; /* any, for atomics */
    size_t vector_width;                   /* elements, 1 for a scalar */
    char *lid_stride[GCAL_MAX_DIMS];       /* expressions, elements; NULL: not affine */
    char *gid_stride[GCAL_MAX_DIMS];
    size_t n_loop_strides;
    struct gcal_profile_loop_stride *loop_strides;
    char *afr; /* accesses over distinct elements; NULL where it is not known */
    /* Local memory: the most distinct 32-bit words that the lanes of the first sub-group
     * touch in one bank; 0 where that was not asked for.
     */
    size_t bank_ways;
    int line, column; /* in the source; 0 where it has none */
};

struct gcal_profile {
    char *kernel;
    char *source_hash; /* SHA-256 of the source counted; may be NULL */
    size_t n_parameters;
    char **parameters; /* size parameters, in order */
    size_t n_dims;     /* 0: a transfer alone, without a kernel */
    size_t local_size[GCAL_MAX_DIMS];
    char *groups[GCAL_MAX_DIMS]; /* work-groups per dimension, expressions */
    char *assumptions;           /* "n % 16 = 0 and n >= 16", or NULL */
    /* What was counted besides; binding a feature that was not is an error. */
    size_t n_banks;        /* f_local_pass, for that many banks; 0: not */
    bool divergence;       /* f_divergent_branch */
    bool index_arithmetic; /* f_index_... */
    bool estimated;        /* some count is not exact */
    size_t n_notes;
    char **notes; /* "LINE:COLUMN: what was estimated" */
    size_t n_entries;
    struct gcal_profile_entry *entries;
};

void gcal_profile_destroy(struct gcal_profile *profile);

/* Frees what an entry holds. */
void gcal_profile_entry_clear(struct gcal_profile_entry *entry);
/* A zeroed entry at the end of 'profile', to be filled; NULL with 'err'. */
struct gcal_profile_entry *gcal_profile_add(struct gcal_profile *profile,
                                            struct gcal_error *err);

/* As one YAML node, in a document that is being written. */
void gcal_profile_write(const struct gcal_profile *profile, struct gcal_yaml_writer *w);
/* As a document of its own, the caller's to free. */
char *gcal_profile_encode(const struct gcal_profile *profile, struct gcal_error *err);

/* From a YAML node; hostile input gives NULL and "file:line:column: ...". */
struct gcal_profile *gcal_profile_decode(const struct gcal_yaml *node,
                                         struct gcal_error *err);

/* A profile and a list of model features, bound: evaluates all of them for sizes. */
struct gcal_binding;

/* 'sub_group_size' is the device's.  NULL with 'err' when a name does not parse, or the
 * profile was counted for another sub-group size or without such features.  A feature
 * that matches no entry counts 0.
 */
struct gcal_binding *gcal_binding_create(const struct gcal_profile *profile,
                                         size_t n_features, const char *const *features,
                                         double sub_group_size, struct gcal_error *err);
void gcal_binding_destroy(struct gcal_binding *binding);

/* 'sizes': one per profile parameter, in order.  'values': one per feature.  Returns 0,
 * or -1 with 'err' when the sizes break the profile's assumptions or a count is not a
 * finite number of at least 0.  Thread-safe, allocates nothing.
 */
int gcal_binding_eval(const struct gcal_binding *binding, const double *sizes,
                      double *values, struct gcal_error *err);

#endif
