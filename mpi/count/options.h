/* options.h - what says which kernel is meant ('count', 'predict', 'remove') and
 * how it is counted ('count', 'predict'), and sizes (n=2048,m=4)
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
    char *global[GCAL_MAX_DIMS]; /* parts of --global */
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

/* For argp's 'children'; input: struct gcal_count_options, cleared by the caller.  The
 * first takes the file and what says which kernel of it is meant, for which NDRange; the
 * second takes that and how to count it.
 */
extern const struct argp gcal_count_options_kernel_argp;
extern const struct argp gcal_count_options_argp;
void gcal_count_options_clear(struct gcal_count_options *options);

/* Counts the kernel that the options name; 'sub_group_size' 0 keeps it as a name. */
struct gcal_profile *gcal_count_options_profile(const struct gcal_count_options *options,
                                                size_t sub_group_size,
                                                struct gcal_error *err);

/* The same kernel with work removed, the caller's to free. */
char *gcal_count_options_remove(const struct gcal_count_options *options,
                                const struct gcal_remove_options *removal,
                                struct gcal_error *err);

/* The values of 'names' (n of them) from "n=2048,m=64" in 'values'.  -1 when one is
 * missing, unknown or no number; 'at' NULL is an empty list.
 */
int gcal_count_sizes_parse(const char *at, size_t n, const char *const *names,
                           double *values, struct gcal_error *err);

/* The same from a catalogue kernel, which may have sizes that its counts do not use. */
int gcal_count_sizes_of_kernel(const struct gcal_kernel *kernel, size_t n,
                               const char *const *names, double *values,
                               struct gcal_error *err);

#endif
