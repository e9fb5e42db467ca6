/* private.h - what the files of 'gpucal learn' share
 *
 *     own kernel (mpi/commands/own)  ->  trial at small sizes  ->  sizes to measure (points.c)
 *     ->  entry in memory (entry.c)  ->  measuring, record (measure.c)  ->  the general model, corrected
 *     by the times, and its publication (correct.c)
 */
#ifndef GCAL_MPI_COMMANDS_LEARN_PRIVATE_H
#define GCAL_MPI_COMMANDS_LEARN_PRIVATE_H

#include "kernels/base/arena.h"
#include "calib/config/config.h"
#include "calib/learn/kernel.h"
#include "mpi/commands/count/options.h"
#include "mpi/commands/own/own.h"
#include "store/params/params.h"
#include "store/files/store.h"
#include "store/record/record.h"

struct gcal_error;

/* The sizes at which a kernel is measured: 'n' points of own->n_sizes values each. */
struct gcal_learn_points {
    size_t n, n_sizes;
    double *values;
};

struct gcal_learn_command {
    struct gcal_count_options count;
    struct gcal_own_options own;
    const char *store, *device, *name, *sizes, *record, *keep, *times, *node;
    struct gcal_option_list catalogue, ats;
    double budget_s;
    bool quiet, json;
};

/* The state of a run of the command; what it has is released with the arena. */
struct gcal_learning {
    struct gcal_arena *arena;
    const struct gcal_learn_command *c;
    const char *path; /* of the store */
    struct gcal_store *store;
    struct gcal_local_devices devices;
    const struct gcal_device_info *info; /* the device to learn on */
    struct gcal_own_kernel own;
    struct gcal_own_description description;
    struct gcal_catalogue_files files; /* the entry */
    struct gcal_catalogue *catalogue;
    struct gcal_own_trial trial;
    struct gcal_learn_points points;
    const char *node;
    struct gcal_params published; /* of the node */
    struct gcal_config config;    /* the built-in one, for the options of measuring */
    char *record;                 /* file */
    struct gcal_learned learned;
};

/* ---- entry.c ---- */

/* Opens the catalogue with the entry as described so far, beside the built-in kernels. */
int gcal_learn_open_catalogue(struct gcal_learning *l, struct gcal_error *err);
/* Writes the entry's files to the folder of --keep, if that is given. */
int gcal_learn_keep_entry(const struct gcal_learning *l, struct gcal_error *err);

/* ---- report.c: on standard output ---- */

void gcal_learn_print_plan(const struct gcal_learning *l);
void gcal_learn_print_end(const struct gcal_learning *l, double took_s);

/* Kernels that were learned. */
void gcal_learn_print_kernels(const struct gcal_learn_command *command,
                              const struct gcal_learned *kernels, size_t n,
                              double took_s);

/* ---- points.c ---- */

/* Fills the points that --sizes ("n=1024:16384,m=64") asks for, if it has a range, which has both
 * ends and sizes between them, of which some are odd.  -1 with 'err' for names that are not sizes,
 * and for sizes that cannot be launched.
 */
int gcal_learn_points_parse(struct gcal_learning *l, struct gcal_error *err);
/* Appends a point, unless it is there. */
void gcal_learn_points_append(struct gcal_learning *l, const double *sizes);

/* Positions of points in a range, as exponents: uneven, as equal steps may all be powers
 * of two.
 */
enum { GCAL_LEARN_N_PARTS = 7 };
extern const double gcal_learn_parts[GCAL_LEARN_N_PARTS];

/* What --sizes says of a size; first NaN: nothing. */
struct gcal_learn_span {
    double first, last;
};

/* A span for each size; NULL with 'err'. */
struct gcal_learn_span *gcal_learn_spans_parse(const struct gcal_learning *l,
                                               struct gcal_error *err);
/* The point at 'part' of all ranges: sizes without a span are 'value', but for those that
 * only loops depend on.
 */
void gcal_learn_set_sizes(const struct gcal_own_kernel *own,
                          const struct gcal_learn_span *spans, double value, double part,
                          double *sizes);
/* Moves the free sizes, all alike, to the nearest values that can be launched; with 'odd'
 * preferably not to multiples of powers of two.
 */
bool gcal_learn_move_sizes(const struct gcal_learning *l,
                           const struct gcal_learn_span *spans, bool odd, double *sizes);

/* ---- search.c ---- */

/* Fills the points from short to long runs on the device, found by trying; sizes that --sizes
 * fixes have that value.
 */
int gcal_learn_points_find(struct gcal_learning *l, struct gcal_error *err);

/* ---- measure.c ---- */

/* The device to learn on: the first that matches, GPUs before others; further devices of
 * its type are measured, too.
 */
const struct gcal_device_info *gcal_learn_device(const struct gcal_local_devices *devices,
                                                 const char *pattern,
                                                 struct gcal_error *err);
/* Measures, and writes the record.  -1 if the kernel itself could not be measured. */
int gcal_learn_measure(struct gcal_learning *l, struct gcal_error *err);

/* ---- correct.c ---- */

/* Loads what is published of the node; -1 if the device has no good general model there. */
int gcal_learn_find_general(struct gcal_learning *l, struct gcal_error *err);
/* The counts of a launch of the source at sizes "n=1024,m=64", as 'gpucal predict' has them: the model
 * corrects these.
 */
int gcal_learn_count(struct gcal_arena *arena, const struct gcal_count_options *source,
                     const struct gcal_params_device *device,
                     const struct gcal_params_model *general, const char *sizes,
                     struct gcal_kernel_time *time, struct gcal_error *err);
/* Fits what the record has, and publishes it. */
int gcal_learn_fit(struct gcal_learning *l, struct gcal_error *err);

/* ---- formats.c: the file of --times ---- */

/* A time, at sizes or, of a profiler, of a launch in that line. */
struct gcal_learn_taken {
    const char *sizes;            /* "n=1024,m=64"; NULL: unknown */
    const char *kernel;           /* as the profiler names it; NULL: that of the file */
    const char *profile, *device; /* columns of these names; NULL: there are none */
    double n_groups, group_size;  /* work-groups, work-items of one; NaN: unknown */
    double time_s;
    size_t line;
};

struct gcal_learn_file {
    size_t n, capacity;
    struct gcal_learn_taken *times;
};

/* Reads a table with sizes, nvbench's JSON, or the launches of ncu, rocprof or rocprofv3.  'several': a table may
 * be of several kernels and devices, in columns of these names.  -1 with "file:line: ..", also without any time.
 */
int gcal_learn_read_file(struct gcal_arena *arena, const char *path, bool several,
                         struct gcal_learn_file *file, struct gcal_error *err);

/* ---- times.c: --times ---- */

/* Learns the kernels of a file of times, that of the options' source or all of the catalogue's. */
int gcal_learn_from_times(const struct gcal_learn_command *command,
                          struct gcal_error *err);

#endif
