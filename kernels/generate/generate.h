/* generate.h - the catalogue: measurement kernels, with their counts, from tags
 *
 * A catalogue is a folder of generators.  Tags such as "matmul_sq n:1024,2048" pick
 * generators and values of their arguments; each combination of values is a kernel.
 * Sizes and counts are in elements, bytes and operations, as their names say.
 */
#ifndef GCAL_KERNELS_GENERATE_H
#define GCAL_KERNELS_GENERATE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/strings.h"
#include "kernels/model/dtype.h"
#include "kernels/model/feature.h"
#include "kernels/model/limits.h"
#include "kernels/model/run/catalogue_files.h"
#include "kernels/model/run/kernel_origin.h"
#include "kernels/model/run/kernel_use.h"
#include "kernels/request.h"

struct gcal_arena;
struct gcal_error;
struct gcal_profile;
struct gcal_yaml;

enum gcal_arg_kind {
    GCAL_ARG_BUFFER,
    GCAL_ARG_LOCAL,
    GCAL_ARG_SCALAR,
    GCAL_ARG_STRUCT, /* by value: its elements are bytes, and its numbers the members after it */
    GCAL_ARG_SAMPLER, /* its value has bits of enum gcal_sampler */
};

/* 0: the nearest texel, coordinates in texels, and outside of the image its edge. */
enum gcal_sampler {
    GCAL_SAMPLER_LINEAR = 1,
    GCAL_SAMPLER_NORMALIZED = 2,
    GCAL_SAMPLER_BORDER = 4, /* outside is the border's colour */
    GCAL_SAMPLER_REPEAT = 8, /* outside is the image again; of normalized coordinates */
};

/* Of "linear,normalized,repeat": words with blanks or commas between them; -1: they are none. */
int gcal_sampler_parse(const char *text, unsigned *bits);

struct gcal_arg {
    char *name;
    enum gcal_arg_kind kind;
    char *dtype;
    char *value; /* expression in sizes: elements of a buffer, or the scalar's value */
    bool output; /* written by the kernel, and compared by the numeric check */
    char *first, *last; /* expressions in sizes: the range of a buffer's values; NULL:
                           those of gcal_dtype_fill() */
    bool sorted;        /* the values of the range, rising */
    char *members; /* of a buffer's structures, as in struct gcal_dtype_range, or NULL */
    unsigned
        channels; /* of a texel: the buffer's elements are those of an image; else 0 */
    char *extents[GCAL_MAX_DIMS]; /* width, height, depth of the image, expressions in
                                     sizes; NULL: it has fewer dimensions */
    bool layered;  /* its last extent is the number of images in an array */
    bool member;   /* a scalar in the structure before it, and no argument of its own */
    size_t offset; /* of a member, in bytes */
};

struct gcal_size {
    char *name;
    double value;
};

/* A count of a kernel whose sizes may be known. */
struct gcal_count_known {
    /* Counts it under conditions on sizes; NULL with 'err'. */
    struct gcal_profile *(*count)(void *context, const char *assume,
                                  struct gcal_error *err);
    size_t (*sizes)(void *context,
                    const struct gcal_size **sizes); /* how many are known */
    void *context;
    const char *assume; /* besides the sizes; or NULL */
    bool estimates;     /* sizes are for counts that are estimates, too */
    bool contents;      /* of buffers are given, which are those of these sizes */
};

/* Counts in symbols serve all sizes.  Where there are none, or they are estimates which the
 * sizes may make exact, the sizes are facts of another count, which takes as long for each
 * size; of two estimates it is the one with fewer sectors.  The caller's to destroy; NULL
 * with 'err'.
 */
struct gcal_profile *gcal_count_known(const struct gcal_count_known *known,
                                      struct gcal_error *err);

/* Whether counts in symbols are estimates which sizes may make exact. */
bool gcal_count_lacks_sizes(const struct gcal_profile *symbolic);

/* How a run is timed: by events, from the start of its first command to the end of its
 * last; or by the host's clock, from before the first is enqueued until the wait for the
 * last ends.
 */
enum gcal_timing { GCAL_TIMING_EVENT, GCAL_TIMING_HOST };

/* 'pieces' copies of bytes / pieces bytes each between host and device, alone or on a
 * second queue beside the kernel; or of both directions at once, as many bytes and pieces of
 * each, on two queues.
 */
struct gcal_transfer {
    enum gcal_feature_copy_direction way; /* GCAL_FEATURE_COPY_ANY: no transfer */
    bool both;                            /* to the device, and from it */
    enum gcal_feature_host_memory host;
    char *bytes, *pieces; /* expressions in sizes; both 0: no copy */
};

/* What kernels are counted for, besides what every profile has (members as in struct
 * gcal_count_request).  All 0: counts contain the name sub_group_size.
 */
struct gcal_kernel_counting {
    size_t sub_group_size;
    size_t n_banks, sector_bytes; /* above 0 only with a sub_group_size */
    bool index_arithmetic;
    bool at_sizes; /* again for each kernel whose counts in symbols are estimates */
};

/* A generator with all its arguments fixed: everything to build, launch and model it. */
struct gcal_kernel {
    struct gcal_arena *arena; /* of it and all that it points to but profile and uses */
    char *id;                 /* SHA-256 of all that builds and runs it */
    char *name;               /* "matmul_sq dtype:float32 prefetch:True ... n:2048" */
    char *generator;          /* the catalogue entry's name */
    char *family;  /* name without the size of a size sweep: a family builds once */
    char *variant; /* name without sizes: a variant is counted once */
    char *dtype;   /* value of the argument dtype, "float32"; NULL: no such argument */
    struct gcal_kernel_origin origin; /* of a derived kernel */
    enum gcal_source_language language;
    char *source, *entry, *build_options;
    size_t n_dims;
    size_t local_size[GCAL_MAX_DIMS];
    char *global_size[GCAL_MAX_DIMS]; /* expressions in sizes */
    char *assume;                     /* conditions on sizes, "n % 16 = 0", or NULL */
    bool allow_estimates;             /* in counting, see struct gcal_count_request */
    size_t n_trips;
    struct gcal_count_trips *trips;
    size_t n_sizes;
    struct gcal_size *sizes; /* with the integer scalars that follow from sizes */
    size_t n_check_sizes;    /* small sizes for the numeric check */
    struct gcal_size *check_sizes;
    size_t n_args;
    struct gcal_arg *args;
    char *
        reference; /* C function 'reference' over 'args', or NULL: interpret the source */
    double tolerance; /* relative, of an output element */
    char *launches;   /* expression in sizes: launches in one run, one after the other;
                         NULL: one */
    enum gcal_timing timing;
    struct gcal_transfer transfer; /* a transfer without a kernel has source and entry "",
                                      no dimension and no argument */
    bool sweep; /* a size of a size sweep, not fixed by tags: the plan may leave it out
                   when it runs too short or too long on a device */
    bool unchecked; /* its results are not compared */
    bool short_run; /* times below the plan's minimum are valid (launch overhead) */
    struct gcal_profile *profile;
    struct gcal_kernel_counting counting; /* of 'profile'; not part of 'id', as the kernel
                                             is the same */
    struct gcal_kernel_uses uses; /* by models; empty from the catalogue, and not part of
                                     'id' */
};

/* NDRange, scalar values and buffer sizes of a kernel for some sizes. */
struct gcal_geometry {
    size_t global_size[GCAL_MAX_DIMS];
    double *arg_values; /* n_args: elements of a buffer or local array, or a scalar */
    struct gcal_dtype_range *arg_ranges;  /* n_args */
    size_t (*arg_extents)[GCAL_MAX_DIMS]; /* n_args: of images; else 0 */
    double total_bytes; /* of all buffers, that of the transfer included */
    size_t launches;
    size_t transfer_bytes, transfer_pieces; /* bytes of both directions; pieces of each */
};

/* Whether it is a transfer without a kernel. */
bool gcal_kernel_is_transfer(const struct gcal_kernel *kernel);
/* 'values' gets its sizes, one for each parameter of its profile, in that order.  -1 with
 * GCAL_EINPUT where it has no such size.
 */
int gcal_kernel_size_values(const struct gcal_kernel *kernel, double *values,
                            struct gcal_error *err);
/* The request that counts or runs one launch of it; points into the kernel. */
struct gcal_count_request gcal_kernel_request(const struct gcal_kernel *kernel);
/* Fills 'buffers', room for n_args, with what is known of its own, for such a request; returns
 * how many there are.  They point into the kernel.
 */
size_t gcal_kernel_buffers(const struct gcal_kernel *kernel,
                           struct gcal_count_buffer *buffers);
/* Fills 'geometry', to be cleared; -1 with GCAL_EINPUT for sizes that do not fit the
 * work-group or make a buffer of no elements.
 */
int gcal_kernel_geometry(const struct gcal_kernel *kernel, size_t n_sizes,
                         const struct gcal_size *sizes, struct gcal_geometry *geometry,
                         struct gcal_error *err);
void gcal_kernel_geometry_clear(struct gcal_geometry *geometry);

/* Limits of a device, and what kernels are counted for on it. */
struct gcal_kernel_limits {
    size_t max_work_group_size;  /* 0: any */
    double max_work_group_depth; /* in the third dimension; 0: any */
    double local_memory_bytes;   /* of a work-group; 0: any */
    double cache_bytes, memory_bytes, max_alloc_bytes; /* of a buffer; 0: any */
    bool fp16, fp64, ptx;
    struct gcal_kernel_counting counting;
};

/* A cache of 4 MiB and a memory of 1 GiB, for footprints where no device is known, and
 * counts for any sub-group size.
 */
extern const struct gcal_kernel_limits gcal_kernel_nominal_limits;

/* Reasons to leave out, on a device, kernels that tags pick. */
enum gcal_kernel_exclusion {
    GCAL_KERNEL_EXCLUDED_WORK_GROUP = GCAL_LIMIT_WORK_GROUP,
    GCAL_KERNEL_EXCLUDED_LOCAL_MEMORY = GCAL_LIMIT_LOCAL_MEMORY,
    GCAL_KERNEL_EXCLUDED_FP16 = GCAL_LIMIT_FP16,
    GCAL_KERNEL_EXCLUDED_FP64 = GCAL_LIMIT_FP64,
    GCAL_KERNEL_EXCLUDED_PTX = GCAL_LIMIT_PTX,
    GCAL_KERNEL_EXCLUDED_FOOTPRINT = GCAL_N_LIMITS,
    GCAL_KERNEL_N_EXCLUSIONS,
};

/* "larger work-groups than the device allows": what the kernels left out need. */
const char *gcal_kernel_exclusion_name(enum gcal_kernel_exclusion reason);

struct gcal_kernel_list {
    size_t n_kernels, capacity;
    struct gcal_kernel **kernels;
    size_t left_out[GCAL_KERNEL_N_EXCLUSIONS]; /* by reason; a size sweep counts once */
    bool nominal; /* sizes are for gcal_kernel_nominal_limits */
    /* Kernels that cannot be counted, or have no work at their sizes, each with its reason:
     * "triad dtype:float32: triad.cl:7:3: ...".
     */
    struct gcal_strings failed;
};

/* Relation of a generator's tags to the tags asked for (Stevens and Kloeckner 2020,
 * section 7.1).
 */
enum gcal_match {
    GCAL_MATCH_SUPERSET, /* it has all of them (default) */
    GCAL_MATCH_IDENTICAL,
    GCAL_MATCH_SUBSET,
    GCAL_MATCH_INTERSECT,
};

struct gcal_catalogue;

/* Appends every .yaml of a folder and the .cl files that they name.  -1 with
 * "file:line:column: ..." for a file that is missing or no YAML.
 */
int gcal_catalogue_read_folder(const char *folder, struct gcal_catalogue_files *files,
                               struct gcal_error *err);

/* The built-in catalogue and the generators of 'files' (NULL: none), which were read from
 * folders, come with a record or a message, or were made in memory by
 * gcal_catalogue_files_add(); they are copied.  NULL with "file:line:column: ..." at the
 * first error, such as a name that two generators have.
 */
struct gcal_catalogue *gcal_catalogue_open_with(const struct gcal_catalogue_files *files,
                                                struct gcal_error *err);
/* A folder alone, without the built-in catalogue; NULL: the built-in one alone. */
struct gcal_catalogue *gcal_catalogue_open(const char *folder, struct gcal_error *err);
/* A single entry: 'root', which it takes, is the tree of its description (destroyed on
 * failure, too), and 'source' its OpenCL C, copied.
 */
struct gcal_catalogue *gcal_catalogue_open_entry(struct gcal_yaml *root,
                                                 const char *source,
                                                 struct gcal_error *err);
void gcal_catalogue_close(struct gcal_catalogue *catalogue);

/* What gives the same profiles as gcal_count(), sooner; several threads call it. */
typedef struct gcal_profile *
gcal_catalogue_counter(void *context, const struct gcal_count_request *request,
                       struct gcal_error *err);

/* Counts the catalogue's kernels by another function than gcal_count(). */
void gcal_catalogue_count_by(struct gcal_catalogue *catalogue,
                             gcal_catalogue_counter *counter, void *context);

/* The files beside the built-in ones, for records and messages; live as long as the
 * catalogue.
 */
const struct gcal_catalogue_files *
gcal_catalogue_added_files(const struct gcal_catalogue *catalogue);

/* Appends a line with a hash for each generator that the tags pick beside the built-in ones. */
int gcal_catalogue_put_added(const struct gcal_catalogue *catalogue, size_t n_tags,
                             const char *const *tags, enum gcal_match match,
                             struct gcal_buf *hashes, struct gcal_error *err);

/* SHA-256 of all built-in sources and descriptions, hexadecimal (of all, if there are no built-in
 * ones): calibrations with another fingerprint used another catalogue.  What a model uses of added
 * files is part of its own fingerprint (calib/config/config.h).  Lives as long as the catalogue.
 */
const char *gcal_catalogue_fingerprint(const struct gcal_catalogue *catalogue);

/* Checks tags ("matmul_sq", "n:1024,2048") without generating: 0, or -1 with 'err' naming
 * the tag that no generator has, or the argument or value that none allows.
 */
int gcal_catalogue_check(const struct gcal_catalogue *catalogue, size_t n_tags,
                         const char *const *tags, enum gcal_match match,
                         struct gcal_error *err);

/* Appends to 'more' the tags that make of 'tags' a space of configurations of one kernel:
 * "N:64,128" with all values of each argument that is tuned (key 'tune' of an entry;
 * default: all but sizes and dtype) and that 'tags' give no value.  None if 'tags' give
 * such an argument several values, which are then the space.
 */
int gcal_catalogue_space_tags(const struct gcal_catalogue *catalogue, size_t n_tags,
                              const char *const *tags, enum gcal_match match,
                              struct gcal_strings *more, struct gcal_error *err);

/* Whether the tags pick the kernel "GENERATOR ARGUMENT:VALUE ...", as a record names it:
 * they pick its generator, and it has one of the values of each argument.  1, 0, or -1
 * with 'err' for tags that cannot be read.
 */
int gcal_catalogue_picks(const struct gcal_catalogue *catalogue, size_t n_tags,
                         const char *const *tags, enum gcal_match match,
                         const char *kernel, struct gcal_error *err);

/* Appends to 'list' the kernels that the tags pick, counted, without duplicates (same
 * id).  Kernels that cannot be counted are no error: list->failed names them.  'limits'
 * are those of a device: footprints follow from them, kernels are counted for its
 * sub-groups, and kernels that it cannot run are left out and numbered in list->left_out.
 * NULL: gcal_kernel_nominal_limits, which leave no kernel out.  Caches counts in the
 * catalogue: one thread at a time.
 */
int gcal_catalogue_generate(const struct gcal_catalogue *catalogue, size_t n_tags,
                            const char *const *tags, enum gcal_match match,
                            const struct gcal_kernel_limits *limits,
                            struct gcal_kernel_list *list, struct gcal_error *err);
/* -1 with the first of list->failed if the list has no kernel for that reason alone. */
int gcal_kernel_list_check(const struct gcal_kernel_list *list, struct gcal_error *err);
void gcal_kernel_list_clear(struct gcal_kernel_list *list);
void gcal_kernel_destroy(struct gcal_kernel *kernel);

/* A generator, for choosing among them; texts are borrowed. */
struct gcal_generator_view {
    const char *name;   /* "matmul_tiled_loads" */
    const char *origin; /* of a derived generator: "matmul_tiled"; else NULL */
    enum gcal_kernel_form form;
    size_t n_tags;
    char *const *tags;
    bool automatic; /* may be chosen where a model gives forms and groups of costs: its
                       times show the costs of its features and little else */
};

size_t gcal_catalogue_size(const struct gcal_catalogue *catalogue);
struct gcal_generator_view gcal_catalogue_view(const struct gcal_catalogue *catalogue,
                                               size_t i);
bool gcal_generator_has_tag(const struct gcal_generator_view *view, const char *tag);

/* Text for a terminal: the generators by subject, each with tags, description and
 * arguments with their values, and a legend.  The caller's to free.
 */
char *gcal_catalogue_describe(const struct gcal_catalogue *catalogue,
                              struct gcal_error *err);

#endif
