/* kernels.h - measurement kernels: the catalogue, counting, work removal (libclang)
 *
 * Counting takes OpenCL C before compilation and gives a profile (calib/model/profile.h).
 * Measurement kernels and a site's own kernels go through the same front end.
 */
#ifndef GCAL_KERNELS_H
#define GCAL_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#include "calib/model/feature.h"

struct gcal_error;
struct gcal_profile;

/* ---- counting ---- */

/* Stands before every source that goes to an OpenCL compiler: a memory access may be
 * written GPUCAL_TAG(name, a[i]) to give it a name for features and work removal.
 */
extern const char gcal_tag_prelude[];

/* How often the loop that begins in or after 'line' runs on average, as a parameter. */
struct gcal_trips {
    int line;
    const char *parameter;
};

/* Which kernel of which source, and the NDRange that OpenCL C does not contain. */
struct gcal_count_request {
    const char *source;        /* OpenCL C */
    const char *file;          /* its name, for messages */
    const char *kernel;        /* NULL: the only kernel in the source */
    const char *build_options; /* "-DT=16 -cl-mad-enable", or NULL */
    size_t n_dims;             /* 1 to 3 */
    size_t local_size[GCAL_MAX_DIMS];
    const char *global_size[GCAL_MAX_DIMS]; /* expressions in size parameters */
    const char *assume;                     /* "n % 16 = 0 and n >= 16", or NULL */
    size_t sub_group_size; /* 0: counts keep it as the name sub_group_size */
    size_t n_banks;        /* of local memory; 0: no bank conflicts are counted */
    bool index_arithmetic; /* count that in subscripts and loop control too */
    bool allow_estimates;  /* mark what cannot be counted exactly, and do not refuse it */
    size_t n_trips;
    const struct gcal_trips *trips; /* for loops whose trip count depends on data */
};

/* NULL with 'err' (GCAL_EINPUT, "file:line:column: reason") for what does not parse or
 * cannot be counted exactly.
 */
struct gcal_profile *gcal_count(const struct gcal_count_request *request,
                                struct gcal_error *err);

/* ---- work removal (seed 004 algorithm 3) ---- */

enum gcal_removal_form {
    /* Global loads alone, summed up: loops, conditions and what the loads' places
     * depend on stay; arithmetic, local memory, barriers and stores go.
     */
    GCAL_REMOVAL_LOADS,
    /* The opposite: all work on the chip stays.  A global load becomes a private value
     * that no compiler knows: the bits of a counter that starts from the work-item's id
     * and goes up at each load; a global store adds to a private sum instead.
     */
    GCAL_REMOVAL_ONCHIP,
    /* All global accesses in place and nothing else: as the first, but stores stay where
     * they are and store the sum of what was loaded so far, and barriers stay.
     */
    GCAL_REMOVAL_MEMORY,
};

struct gcal_removal {
    enum gcal_removal_form form;
    /* GCAL_REMOVAL_LOADS: arrays or tags whose loads stay (n_keep 0: all). */
    size_t n_keep;
    const char *const *keep;
    /* Not of GCAL_REMOVAL_ONCHIP: in how many accumulators loads are summed up (0 and 1:
     * one, in which each addition waits for the one before).
     */
    size_t n_accumulators;
    bool drop_barriers; /* GCAL_REMOVAL_MEMORY: they go, too */
};

/* The kernel of 'request' with the same loops and NDRange that does only the work which
 * 'removal' asks for, and stores the sum in 'read_tgt_dest', a buffer argument added at
 * the end: one element per work-item, linear in the global id, tagged "sum".  It has the
 * type of what is summed up, or the widest of the types as a scalar.  GCAL_REMOVAL_MEMORY
 * needs no such buffer where the kernel stores something itself.  Arguments that are not
 * used any more stay, so the call's arguments are those of the original and this one.
 * Returns OpenCL C, the caller's to free; NULL with 'err' (GCAL_EINPUT,
 * "file:line:column: reason") where what should stay depends on what should go.
 */
char *gcal_work_remove(const struct gcal_count_request *request,
                       const struct gcal_removal *removal, struct gcal_error *err);

/* What an element of 'read_tgt_dest' is. */
struct gcal_element {
    const char *dtype; /* NULL: there is no such buffer */
    size_t n_lanes;    /* of a vector, or 1 */
};

/* The same, which also tells the element's type. */
char *gcal_work_remove_typed(const struct gcal_count_request *request,
                             const struct gcal_removal *removal,
                             struct gcal_element *element, struct gcal_error *err);

/* A name that 'keep' may have: a tag, or an array. */
struct gcal_load {
    char *name;
    bool is_own; /* loads have it as their tag, or as their array and no tag */
    char *with;  /* "x+index": 'name' and what has to be kept with it */
};

struct gcal_loads {
    size_t n, capacity;
    struct gcal_load *items;
};

/* The names of all global loads, 'with' not filled. */
int gcal_work_loads(const struct gcal_count_request *request, struct gcal_loads *loads,
                    struct gcal_error *err);
/* Fills 'with' where 'is_own'. */
int gcal_work_loads_apart(const struct gcal_count_request *request,
                          struct gcal_loads *loads, struct gcal_error *err);
void gcal_loads_clear(struct gcal_loads *loads);

/* ---- running on the host, for numeric checks ---- */

/* An argument of a kernel or of a reference function: a buffer of 'count' elements, or
 * a scalar.  Buffers are read and written in place.  Elements of vectors count singly:
 * a float4 buffer is "float32" with four times as many.  A __local argument's 'data' is
 * not used, only its count.
 */
struct gcal_host_arg {
    const char *dtype; /* of an element */
    void *data;        /* buffer; or points to the scalar */
    size_t count;      /* elements; 0 for a scalar */
};

/* Interprets the OpenCL C kernel of 'request' on the host for every work-item of the
 * NDRange 'global_size', barriers included: slow, exact to rounding, independent of any
 * OpenCL platform.  Every access outside its buffer is an error.
 */
int gcal_host_run_kernel(const struct gcal_count_request *request,
                         const size_t *global_size, size_t n_args,
                         struct gcal_host_arg *args, struct gcal_error *err);

/* Interprets the C function 'function' in 'source' (parameters: pointers and scalars in
 * the order of 'args') on the host.
 */
int gcal_host_run_function(const char *source, const char *file, const char *function,
                           size_t n_args, struct gcal_host_arg *args,
                           struct gcal_error *err);

/* ---- catalogue ---- */

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
    enum gcal_copy_way way; /* GCAL_COPY_ANY: there is none */
    enum gcal_host_memory host;
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
    bool ladder;    /* its size was not fixed by tags: the plan may leave it out when it
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
void gcal_geometry_clear(struct gcal_geometry *geometry);

/* What a device can do. */
struct gcal_kernel_limits {
    size_t max_work_group_size;                        /* 0: any */
    double local_memory_bytes;                         /* of a work-group; 0: any */
    double cache_bytes, memory_bytes, max_alloc_bytes; /* of a buffer; 0: any */
    bool fp16, fp64;
};

/* Whose cache (4 MiB) and memory (1 GiB) footprints follow where no device is known. */
extern const struct gcal_kernel_limits gcal_nominal_limits;

/* Why kernels that tags pick are left out on a device. */
enum gcal_left_out {
    GCAL_LEFT_OUT_WORK_GROUP,
    GCAL_LEFT_OUT_LOCAL_MEMORY,
    GCAL_LEFT_OUT_FP16,
    GCAL_LEFT_OUT_FP64,
    GCAL_LEFT_OUT_FOOTPRINT,
    GCAL_N_LEFT_OUT,
};

/* "larger work-groups than the device takes": what kernels need that are left out. */
const char *gcal_left_out_name(enum gcal_left_out reason);

struct gcal_kernel_list {
    size_t n_kernels, capacity;
    struct gcal_kernel **kernels;
    size_t left_out[GCAL_N_LEFT_OUT]; /* kernels by reason, a ladder as one */
    bool nominal;                     /* sizes are for gcal_nominal_limits */
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
 * NULL: no kernel is left out, and footprints are those of gcal_nominal_limits. Remembers
 * counts in the catalogue: one thread at a time.
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
