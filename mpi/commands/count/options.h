/* options.h - options that select a kernel ('count', 'predict', 'learn') and control its
 * counting ('count', 'predict')
 */
#ifndef GCAL_MPI_COMMANDS_COUNT_OPTIONS_H
#define GCAL_MPI_COMMANDS_COUNT_OPTIONS_H

#include <argp.h>

#include "kernels/count/count.h"
#include "kernels/generate/generate.h"
#include "kernels/remove/remove.h"
#include "mpi/cli/option_list.h"

struct gcal_error;
struct gcal_profile;

struct gcal_count_options {
    const char *file, *kernel, *assume;
    const char *language; /* "opencl", "cuda"; NULL: by the file's name */
    char *global
        [GCAL_MAX_DIMS]; /* expressions of --global, or those that --grid stands for */
    char *grid[GCAL_MAX_DIMS]; /* of --grid */
    size_t n_dims;             /* of --local; 0: not given */
    size_t local[GCAL_MAX_DIMS];
    size_t n_banks, sector_bytes;
    bool index_arithmetic, allow_estimates, no_cache;
    bool build;           /* on this machine's devices: built.h */
    const char *build_on; /* those that match this pattern; NULL: all */
    bool estimate_passes; /* of bank conflicts, rather than refuse a kernel for them */
    size_t n_trips, trips_capacity;
    struct gcal_count_trips *trips;
    size_t n_buffers, buffers_capacity;
    struct gcal_count_buffer *buffers; /* of --buffer and --range, one of a name */
    const char *build_options; /* for OpenCL compilers as well: macros, standard */
    struct gcal_option_list include_folders;
    const char
        *source_options; /* -D, -I, --std, --trips and --assume as given, each after
                                       a space, for another command line */
    struct gcal_option_list ats; /* --at, see sizes.h */
    bool at_sizes;               /* they are facts where counts are estimates, too */
    bool requires_sizes;         /* set by the command: a message asks for them, too */
    int argc;                    /* of the command, for messages */
    char **argv;
};

/* argp children; the input is a struct gcal_count_options.  The first has the file, the kernel and its NDRange; the second also has the options of
 * counting.
 */
extern const struct argp gcal_count_options_kernel_argp;
extern const struct argp gcal_count_options_argp;

/* Counts the selected kernel; with 'sub_group_size' 0 it stays a symbol. */
struct gcal_profile *gcal_count_options_profile(const struct gcal_count_options *options,
                                                size_t sub_group_size,
                                                struct gcal_error *err);

/* Returns whether the global size, or what is said of a buffer, has that name. */
bool gcal_count_options_mention(const struct gcal_count_options *options,
                                const char *name);

enum gcal_source_language
gcal_count_options_language(const struct gcal_count_options *options);

/* The request for the selected kernel, whose texts are the options'; 'request->source' is
 * the caller's to free.
 */
int gcal_count_options_request(const struct gcal_count_options *options,
                               struct gcal_count_request *request,
                               struct gcal_error *err);

/* Source of the selected kernel with work removed; the caller's to free. */
char *gcal_count_options_remove(const struct gcal_count_options *options,
                                const struct gcal_remove_options *removal,
                                struct gcal_error *err);

/* --remove: the kernel with part of its work instead of its counts.  For argp's 'children'. */
struct gcal_count_removal {
    bool asked;
    size_t n_keep, keep_capacity;
    const char **keep;     /* names of --keep or --drop */
    size_t n_accumulators; /* 0: not given */
    bool drop, on_chip, memory, drop_barriers;
};
extern const struct argp gcal_count_removal_argp;

/* The source's kernels, and the arguments of the selected one; without --global.  Clear
 * 'description' after 0.
 */
int gcal_count_options_describe(const struct gcal_count_options *options,
                                struct gcal_count_description *description,
                                struct gcal_error *err);

/* The text of the file with all that it includes, the caller's to free: what is counted,
 * and what a device is to build, with 'options->build_options'.
 */
char *gcal_count_options_source(const struct gcal_count_options *options,
                                struct gcal_error *err);

#endif
