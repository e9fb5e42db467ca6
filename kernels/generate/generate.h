/* generate.h - the catalogue: tags in, measurement kernels with their counts out
 */
#ifndef GCAL_KERNELS_GENERATE_H
#define GCAL_KERNELS_GENERATE_H

#include <stdbool.h>
#include <stddef.h>

#include "calib/model/feature.h"
#include "kernels/request.h"

struct gcal_error;
struct gcal_profile;

enum gcal_arg_kind { GCAL_ARG_BUFFER, GCAL_ARG_LOCAL, GCAL_ARG_SCALAR };

struct gcal_arg {
    char *name;
    enum gcal_arg_kind kind;
    char *dtype;
    char *value; /* expression in sizes: elements of a buffer, or the scalar's value */
    bool output; /* written by the kernel, and compared when it is checked */
};

struct gcal_size {
    char *name;
    double value;
};

/* How a run is timed: from the start of its first command to the end of its last, as
 * their events tell; or by the host's clock, from before the first is enqueued to the end
 * of the wait for the last.
 */
enum gcal_timing { GCAL_TIMING_EVENT, GCAL_TIMING_HOST };

/* 'pieces' copies of bytes / pieces each between host and device, alone or on a second
 * queue beside the kernel.
 */
struct gcal_transfer {
    enum gcal_feature_copy_direction way; /* GCAL_FEATURE_COPY_ANY: there is none */
    enum gcal_feature_host_memory host;
    char *bytes, *pieces; /* expressions in sizes; both 0: nothing is copied */
};

/* A generator with all its arguments fixed: everything to build, launch and model it. */
struct gcal_kernel {
    char *id;   /* SHA-256 of what builds and runs it: the same kernel has the same id */
    char *name; /* "matmul_sq dtype:float32 prefetch:True ... n:2048" */
    char *generator; /* the catalogue entry's name */
    char *family;  /* name without the ladder's size: kernels of one family build once */
    char *variant; /* name without sizes: kernels of one variant count alike */
    char *source, *entry, *build_options;
    size_t n_dims;
    size_t local_size[GCAL_MAX_DIMS];
    char *global_size[GCAL_MAX_DIMS]; /* expressions in sizes */
    char *assume;                     /* of the sizes, "n % 16 = 0", or NULL */
    size_t n_sizes;
    struct gcal_size *sizes;
    size_t n_check_sizes; /* small sizes for the numeric check */
    struct gcal_size *check_sizes;
    size_t n_args;
    struct gcal_arg *args;
    char *
        reference; /* C function 'reference' over 'args', or NULL: interpret the source */
    double tolerance; /* relative, of an output element */
    char *launches;   /* expression in sizes: how often it is enqueued in one run, one
                         launch after the other; NULL: once */
    enum gcal_timing timing;
    struct gcal_transfer transfer; /* a transfer without a kernel has source and entry "",
                                      no dimension and no argument */
    bool sweep;     /* its size was not fixed by tags: the plan may leave it out when it
                        runs too short or too long on a device */
    bool short_run; /* times below the plan's minimum count too (launch overhead) */
    struct gcal_profile *profile;
    char *models; /* who asked for it, "a,b"; the catalogue leaves it NULL, and it is not
                     part of 'id' */
};

/* NDRange, scalar values and buffer sizes of a kernel for some sizes. */
struct gcal_geometry {
    size_t global_size[GCAL_MAX_DIMS];
    double *arg_values; /* n_args: elements of a buffer or local array, or a scalar */
    double total_bytes; /* of all buffers, that of the transfer included */
    size_t launches, transfer_bytes, transfer_pieces;
};

bool gcal_kernel_is_transfer(const struct gcal_kernel *kernel); /* without a kernel */
/* Its sizes in the order of its profile's parameters, one each. */
int gcal_kernel_size_values(const struct gcal_kernel *kernel, double *values,
                            struct gcal_error *err);
/* To count or to run one launch of it; points into the kernel. */
struct gcal_count_request gcal_kernel_request(const struct gcal_kernel *kernel);
int gcal_kernel_geometry(const struct gcal_kernel *kernel, size_t n_sizes,
                         const struct gcal_size *sizes, struct gcal_geometry *geometry,
                         struct gcal_error *err);
void gcal_kernel_geometry_clear(struct gcal_geometry *geometry);

/* What a device can do. */
struct gcal_kernel_limits {
    size_t max_work_group_size;                        /* 0: any */
    double local_memory_bytes;                         /* of a work-group; 0: any */
    double cache_bytes, memory_bytes, max_alloc_bytes; /* of a buffer; 0: any */
    bool fp16, fp64;
};

/* Whose cache (4 MiB) and memory (1 GiB) footprints follow where no device is known. */
extern const struct gcal_kernel_limits gcal_kernel_nominal_limits;

/* Why kernels that tags pick are left out on a device. */
enum gcal_kernel_exclusion {
    GCAL_KERNEL_EXCLUDED_WORK_GROUP,
    GCAL_KERNEL_EXCLUDED_LOCAL_MEMORY,
    GCAL_KERNEL_EXCLUDED_FP16,
    GCAL_KERNEL_EXCLUDED_FP64,
    GCAL_KERNEL_EXCLUDED_FOOTPRINT,
    GCAL_KERNEL_N_EXCLUSIONS,
};

/* "larger work-groups than the device takes": what kernels need that are left out. */
const char *gcal_kernel_exclusion_name(enum gcal_kernel_exclusion reason);

struct gcal_kernel_list {
    size_t n_kernels, capacity;
    struct gcal_kernel **kernels;
    size_t left_out[GCAL_KERNEL_N_EXCLUSIONS]; /* kernels by reason, a ladder as one */
    bool nominal; /* sizes are for gcal_kernel_nominal_limits */
};

/* How a generator's tags must relate to the tags asked for (seed 004 section 7.1). */
enum gcal_match {
    GCAL_MATCH_SUPERSET, /* of those asked for (default) */
    GCAL_MATCH_IDENTICAL,
    GCAL_MATCH_SUBSET,
    GCAL_MATCH_INTERSECT,
};

struct gcal_catalogue;

/* Reads every .yaml in 'folder' (NULL: the installed or built-in one); each names the
 * .cl beside it.  NULL with "file:line:column: ..." for one that is not right.
 */
struct gcal_catalogue *gcal_catalogue_open(const char *folder, struct gcal_error *err);
void gcal_catalogue_close(struct gcal_catalogue *catalogue);

/* SHA-256 of all sources and descriptions, hexadecimal: calibrations with another one ran
 * other kernels.  Lives as long as the catalogue.
 */
const char *gcal_catalogue_fingerprint(const struct gcal_catalogue *catalogue);

/* Checks tags without generating: 0, or -1 with 'err' naming the tag that no generator
 * has, the argument or the value that none allows.  Tags: "matmul_sq", "n:1024,2048".
 */
int gcal_catalogue_check(const struct gcal_catalogue *catalogue, size_t n_tags,
                         const char *const *tags, enum gcal_match match,
                         struct gcal_error *err);

/* Appends to 'list' the kernels that the tags pick, counted; a kernel that is there
 * already (same id) is not added again.  Footprints are those of the device with
 * 'limits', and kernels that it cannot run are left out, and counted in list->left_out.
 * NULL: no kernel is left out, and footprints are those of gcal_kernel_nominal_limits.
 * Remembers counts in the catalogue: one thread at a time.
 */
int gcal_catalogue_generate(const struct gcal_catalogue *catalogue, size_t n_tags,
                            const char *const *tags, enum gcal_match match,
                            const struct gcal_kernel_limits *limits,
                            struct gcal_kernel_list *list, struct gcal_error *err);
void gcal_kernel_list_clear(struct gcal_kernel_list *list);
void gcal_kernel_destroy(struct gcal_kernel *kernel);

/* A generator, for those who choose among them; texts are borrowed. */
struct gcal_generator_view {
    const char *name;   /* "matmul_tiled_loads" */
    const char *origin; /* of one whose work was removed: "matmul_tiled"; else NULL */
    const char *form;   /* of such: "loads"; else NULL */
    size_t n_tags;
    char *const *tags;
};

size_t gcal_catalogue_size(const struct gcal_catalogue *catalogue);
struct gcal_generator_view gcal_catalogue_view(const struct gcal_catalogue *catalogue,
                                               size_t i);

/* For people: a paragraph per generator by class of subject, with tags, description and
 * arguments with their values, and how to read it.
 */
char *gcal_catalogue_describe(const struct gcal_catalogue *catalogue,
                              struct gcal_error *err);

#endif
