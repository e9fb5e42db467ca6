/* profile.h - the work of a kernel: every feature as an expression in its sizes
 *
 * kernels/count makes profiles from OpenCL C, libgpucal reads them from YAML.
 * docs/gpucal-profile.5 documents the format.
 *
 * Counts are expressions (expr.h) in the kernel's size parameters and two reserved names,
 * which a device supplies: 'sub_group_size', and in f_footprint_wave and f_overlap_wave
 * 'wave_groups', the work-groups that are resident at a time:
 *   work-item   executions summed over all work-items of the NDRange
 *   sub-group   executions summed over all sub-groups, partial ones rounded up
 *               (e.g. "1/256*n^3*ceil(256/sub_group_size)")
 *   work-group  executions summed over all work-groups
 *   kernel      number per launch; for barriers, the number met by one work-item; bytes of
 *               one work-item or work-group; bytes and number of copies of a transfer
 */
#ifndef GCAL_KERNELS_MODEL_PROFILE_H
#define GCAL_KERNELS_MODEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/model/built.h"
#include "kernels/model/feature.h"

struct gcal_buf;
struct gcal_error;
struct gcal_wire;
struct gcal_yaml;
struct gcal_yaml_writer;

#define GCAL_SUB_GROUP_SIZE "sub_group_size"
#define GCAL_WAVE_GROUPS    "wave_groups"

/* The names of the device in expressions, after the parameters. */
enum { GCAL_PROFILE_DEVICE_NAMES = 2 };

/* Hexadecimal digits of a fingerprint. */
#define GCAL_PROFILE_FINGERPRINT_LENGTH 32

/* Limit for profiles from outside, and for the values that a binding keeps on the stack. */
#define GCAL_PROFILE_MAX_PARAMETERS 32

struct gcal_profile_loop_stride {
    char *loop;   /* the loop variable's name */
    char *stride; /* expression, elements per iteration */
};

/* One operation or one access pattern.  Texts are owned; unused ones NULL. */
struct gcal_profile_entry {
    char *feature; /* the full canonical name, f_... */
    enum gcal_feature_kind kind;
    enum gcal_feature_granularity granularity;
    char *count; /* expression, see above */
    char *dtype, *op;
    bool estimated; /* the count is not exact: see the profile's notes */
    char *tag;      /* of an access; of f_memory and f_onchip, the component's kernel */
    /* transfers only */
    enum gcal_feature_copy_direction way;
    enum gcal_feature_host_memory host;
    /* accesses only, atomics included */
    char *array;
    enum gcal_feature_space space;
    enum gcal_feature_direction direction; /* any, for atomics */
    size_t vector_width;                   /* elements, 1 for a scalar */
    char *lid_stride[GCAL_MAX_DIMS];       /* expressions, elements; NULL: not affine */
    char *gid_stride[GCAL_MAX_DIMS];
    size_t n_loop_strides;
    struct gcal_profile_loop_stride *loop_strides;
    char *afr; /* accesses over distinct elements; NULL: unknown */
    /* "lda >= n": the AFR is valid at sizes that meet it, and unknown at others; NULL: at
     * all sizes
     */
    char *afr_premise;
    /* Local memory: the largest number of distinct 32-bit words in one bank that the
     * first sub-group touches; 0: unknown or not counted.
     */
    size_t bank_ways;
    int line, column; /* in the source; 0: none */
};

/* An argument that points to memory, of which the kernel accesses the first 'bytes'. */
struct gcal_profile_argument {
    char *name;
    enum gcal_feature_space space; /* global, constant or local */
    char *bytes;                   /* expression in sizes; at least as many */
};

/* The kernel as a type of device builds it; see built.h. */
struct gcal_profile_built {
    char *device; /* its type */
    struct gcal_built built;
};

struct gcal_profile {
    char *kernel;
    char *source_hash; /* SHA-256 of the source counted; may be NULL */
    /* The kernel's identity: the same for the same code in the same launch, whatever its
     * name, file and sizes; NULL: unknown.
     */
    char *fingerprint;
    char *origin; /* fingerprint of the kernel that it is derived from; NULL: none */
    size_t n_parameters;
    char **parameters; /* size parameters, in order */
    size_t n_dims;     /* 0: a transfer without a kernel */
    size_t local_size[GCAL_MAX_DIMS];
    char *groups[GCAL_MAX_DIMS]; /* work-groups per dimension, expressions */
    char *assumptions;           /* "n % 16 = 0 and n >= 16", or NULL */
    /* Optional counts; binding a feature that was not counted is an error. */
    size_t n_banks;        /* banks for which f_local_pass was counted; 0: not counted */
    size_t sector_bytes;   /* for which traffic was counted; 0: it was not */
    bool divergence;       /* f_divergent_branch */
    bool index_arithmetic; /* f_index_..., f_aux_... */
    bool estimated;        /* some count is not exact */
    size_t n_notes;
    char **notes; /* "LINE:COLUMN: estimate and reason" */
    size_t n_entries;
    struct gcal_profile_entry *entries;
    size_t n_arguments; /* those whose extent is known */
    struct gcal_profile_argument *arguments;
    size_t n_built;
    struct gcal_profile_built *built;
};

void gcal_profile_destroy(struct gcal_profile *profile);
/* All of it, the caller's to destroy. */
struct gcal_profile *gcal_profile_copy(const struct gcal_profile *profile,
                                       struct gcal_error *err);

/* The binary encoding (kernels/base/wire.h), for files of the same program. */
void gcal_profile_put(struct gcal_buf *buf, const struct gcal_profile *profile);
/* NULL, and wire->bad, for invalid data. */
struct gcal_profile *gcal_profile_get(struct gcal_wire *wire);

/* Frees what an entry holds. */
void gcal_profile_entry_clear(struct gcal_profile_entry *entry);
/* A zeroed entry at the end of 'profile', to be filled; NULL with 'err'. */
struct gcal_profile_entry *gcal_profile_add(struct gcal_profile *profile,
                                            struct gcal_error *err);

/* The fingerprint of the kernel whose components the profile has: its own, or that of the
 * kernel that it is derived from; NULL: none is known.
 */
const char *gcal_profile_identity(const struct gcal_profile *profile);

/* The tag of the kernel's components, or NULL. */
const char *gcal_profile_component(const struct gcal_profile *profile);

/* Local memory that a work-group declares. */
double gcal_profile_local_bytes(const struct gcal_profile *profile);

/* The only size of sub-groups for which it was counted; 0: counts contain the name. */
size_t gcal_profile_sub_group_size(const struct gcal_profile *profile);
/* Puts the entries into the order in which counting gives them. */
void gcal_profile_sort(struct gcal_profile *profile);

/* As a document of its own, the caller's to free. */
char *gcal_profile_encode(const struct gcal_profile *profile, struct gcal_error *err);

/* From a YAML node, possibly a hostile one: NULL with "file:line:column: ...". */
struct gcal_profile *gcal_profile_decode(const struct gcal_yaml *node,
                                         struct gcal_error *err);

/* ---- a kernel that is counted for several sizes of sub-groups ----
 *
 * Bank conflicts and memory traffic are counted for one size.  A document for any device has a
 * profile for each of the usual sizes: what is the same in all is written once.
 */

/* For which models are fitted, and kernels counted in full. */
enum { GCAL_PROFILE_BANKS = 32, GCAL_PROFILE_SECTOR_BYTES = 32 };

enum { GCAL_PROFILE_USUAL_SIZES = 4, GCAL_PROFILE_MOST_SIZES = 8 };
/* 8, 16, 32, 64 */
extern const size_t gcal_profile_usual_sizes[GCAL_PROFILE_USUAL_SIZES];

struct gcal_profile_set {
    size_t n; /* 1: of one size, or of any */
    struct gcal_profile *profiles[GCAL_PROFILE_MOST_SIZES];
};

void gcal_profile_set_clear(struct gcal_profile_set *set);
/* The one for a device with such sub-groups, of which binding a feature may still be an error;
 * NULL with 'err'.
 */
struct gcal_profile *gcal_profile_set_find(const struct gcal_profile_set *set,
                                           double sub_group_size, struct gcal_error *err);
char *gcal_profile_set_encode(const struct gcal_profile_set *set, struct gcal_error *err);
/* Clear 'set' in any case. */
int gcal_profile_set_decode(const struct gcal_yaml *node, struct gcal_profile_set *set,
                            struct gcal_error *err);

#endif
