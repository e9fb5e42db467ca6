/* options.h - options that select a kernel ('count', 'predict', 'remove') and control its
 * counting ('count', 'predict'), and sizes (n=2048,m=4)
 */
#ifndef GCAL_MPI_COUNT_OPTIONS_H
#define GCAL_MPI_COUNT_OPTIONS_H

#include <argp.h>

#include "calib/base/buf.h"
#include "kernels/generate/generate.h"
#include "kernels/remove/remove.h"

struct gcal_error;
struct gcal_profile;

struct gcal_count_options {
    const char *file, *kernel, *assume;
    char *global[GCAL_MAX_DIMS]; /* expressions of --global, in 'global_text' */
    char *global_text;
    size_t n_dims;
    size_t local[GCAL_MAX_DIMS];
    size_t n_banks;
    bool index_arithmetic, allow_estimates;
    size_t n_trips, trips_capacity;
    struct gcal_count_trips *trips;
    struct gcal_buf build_options;
    const char *at;
};

/* argp children; the input is a struct gcal_count_options, for the caller to clear.  The
 * first has the file, the kernel and its NDRange; the second also has the options of
 * counting.
 */
extern const struct argp gcal_count_options_kernel_argp;
extern const struct argp gcal_count_options_argp;
void gcal_count_options_clear(struct gcal_count_options *options);

/* Counts the selected kernel; with 'sub_group_size' 0 it stays a symbol. */
struct gcal_profile *gcal_count_options_profile(const struct gcal_count_options *options,
                                                size_t sub_group_size,
                                                struct gcal_error *err);

/* Source of the selected kernel with work removed; the caller's to free. */
char *gcal_count_options_remove(const struct gcal_count_options *options,
                                const struct gcal_remove_options *removal,
                                struct gcal_error *err);

/* Parses "n=2048,m=64" ('at'; NULL: empty) into the values of n 'names'.  -1 if a name is
 * missing or unknown, or a value is not a number.
 */
int gcal_count_sizes_parse(const char *at, size_t n, const char *const *names,
                           double *values, struct gcal_error *err);

/* The same from the sizes of a catalogue kernel; it may have more. */
int gcal_count_sizes_of_kernel(const struct gcal_kernel *kernel, size_t n,
                               const char *const *names, double *values,
                               struct gcal_error *err);

#endif
