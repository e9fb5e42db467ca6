/* own.h - kernels of the user's own, as catalogue entries made from their source
 *
 * What a catalogue entry says beside the source follows from the counts (the extents of
 * buffers, the sizes), from options (values of scalars, ranges of integers), or from
 * stated defaults.
 */
#ifndef GCAL_MPI_COMMANDS_OWN_H
#define GCAL_MPI_COMMANDS_OWN_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/arena.h"
#include "kernels/base/strings.h"
#include "kernels/count/signature.h"
#include "kernels/generate/generate.h"
#include "mpi/cli/local_device.h"
#include "mpi/cli/option_list.h"

struct gcal_count_options;
struct gcal_error;
struct gcal_expr;
struct gcal_assume;
struct gcal_profile;

/* ---- kernel.c ---- */

/* NAME=TEXT each. */
struct gcal_own_options {
    struct gcal_option_list set;
};

/* --set; for argp's 'children', input: struct gcal_own_options. */
extern const struct argp gcal_own_options_argp;
/* A size of the kernel. */
struct gcal_own_size {
    const char *name;
    double fixed;    /* its value by --set; NaN: free */
    bool in_extents; /* in the NDRange, or in the extent of a buffer */
};

/* An argument, as the entry has it; texts are expressions in sizes. */
struct gcal_own_arg {
    /* Elements of a buffer or local array, a scalar, or the words of a sampler. */
    const char *value;
    /* Of an image, of whose channels 'value' is the number. */
    const char *extents[GCAL_MAX_DIMS];
    const char *first, *last; /* range of a buffer's values, or NULL */
    bool sorted;
};

struct gcal_own_kernel {
    struct gcal_arena *arena; /* of all texts that are not the options' */
    const char *model;        /* named as the kernel, or as asked for */
    const char *name;         /* of the entry: the same, unless a built-in one has it */
    struct gcal_count_request request; /* without size of a sub-group; borrows texts from
                                          the options */
    char *source;
    struct gcal_count_signature signature;
    struct gcal_profile *profile;
    struct gcal_own_arg *args; /* by the signature's */
    size_t n_sizes, capacity;
    struct gcal_own_size *sizes;
    struct gcal_strings defaults; /* "a = 0.5 (--set a=VALUE)" */
    double *check;                /* small sizes, for checks */
    /* parsed, in the sizes' order */
    struct gcal_assume *assume;
    struct gcal_expr *global[GCAL_MAX_DIMS];
    struct gcal_expr **extents; /* by arguments; NULL: a scalar */
};

/* Reads the kernel that the options select; 'name' NULL: named as the kernel.  -1 with
 * 'err' if an argument cannot be made up without further options.  Clear 'own' in any
 * case.
 */
int gcal_own_kernel_read(const struct gcal_count_options *count,
                         const struct gcal_own_options *options, const char *name,
                         struct gcal_own_kernel *own, struct gcal_error *err);
void gcal_own_kernel_clear(struct gcal_own_kernel *own);

/* Adds to 'count' which integers its kernel is timed with: those that buffers are filled with of which
 * nothing is said, but not of outputs.  Says so on stderr.
 */
int gcal_own_values_add(struct gcal_count_options *count,
                        const struct gcal_own_options *options, struct gcal_error *err);

/* ---- sizes.c: values of the sizes, in their order ---- */

/* Returns whether the kernel can be launched with these sizes: -1 with the reason. */
int gcal_own_sizes_check(const struct gcal_own_kernel *own, const double *sizes,
                         struct gcal_error *err);
/* Bytes of all buffers. */
double gcal_own_sizes_bytes(const struct gcal_own_kernel *own, const double *sizes);
/* Fills own->check; -1 if no small sizes can be launched. */
int gcal_own_sizes_find_check(struct gcal_own_kernel *own, struct gcal_error *err);
/* The size of that name; n_sizes: there is none. */
size_t gcal_own_sizes_find(const struct gcal_own_kernel *own, const char *name,
                           size_t length);

/* ---- describe.c ---- */

/* What an entry says beside the kernel. */
struct gcal_own_description {
    size_t n_points;
    const double *points; /* of n_sizes values each; the entry's default sizes */
    bool unchecked;       /* its results are not compared */
    bool derived[GCAL_KERNEL_N_FORMS]; /* forms of derived kernels */
};

/* Appends NAME.yaml and NAME.cl. */
int gcal_own_kernel_describe(const struct gcal_own_kernel *own,
                             const struct gcal_own_description *description,
                             struct gcal_catalogue_files *files, struct gcal_error *err);

/* Appends the entry's kernel with these sizes to 'list'; 'form': a derived one.  -1 also
 * if it cannot be made.
 */
int gcal_own_kernel_generate(const struct gcal_own_kernel *own,
                             const struct gcal_catalogue *catalogue,
                             enum gcal_kernel_form form, const double *sizes,
                             const struct gcal_kernel_limits *limits,
                             struct gcal_kernel_list *list, struct gcal_error *err);

/* ---- arguments.c ---- */

/* Gives a counted kernel arguments if it has none but its source does: buffers as large as its
 * accesses reach, scalars that are sizes, others 1 or 0.5.  -1 with 'err' if one cannot be made
 * up.
 */
int gcal_own_arguments_make_up(struct gcal_kernel *kernel, struct gcal_error *err);

/* ---- trial.c ---- */

/* With what the result of a kernel was compared. */
struct gcal_own_trial {
    bool checked;
    bool interpreted; /* by the host's interpreter, as measuring checks again */
    const char
        *how; /* "the host's interpreter", "device NAME"; or why it was not compared */
};

/* Runs 'kernel' at its check sizes on the device 'uid', in worker processes, twice or
 * more, between guard zones, and compares its results.  -1 with 'err' (GCAL_EDEVICE) if
 * it faults, hangs, writes or reads outside of its buffers, gives NaN, results that
 * differ from run to run, or results other than the interpreter's or another device's.
 */
int gcal_own_try(struct gcal_arena *arena, struct gcal_local_devices *devices,
                 const char *uid, const struct gcal_kernel *kernel, double limit_s,
                 struct gcal_own_trial *trial, struct gcal_error *err);
/* The same without the comparison, for larger sizes. */
int gcal_own_repeat(struct gcal_local_devices *devices, const char *uid,
                    const struct gcal_kernel *kernel, double limit_s,
                    struct gcal_error *err);

/* ---- at.c ---- */

/* Times the kernel, or one derived from it, with the given sizes on the device 'uid'.  It is run
 * twice before, as by gcal_own_repeat().
 */
int gcal_own_measure(const struct gcal_own_kernel *own, enum gcal_kernel_form form,
                     size_t n, const char *const *names, const double *values,
                     struct gcal_local_devices *devices, const char *uid,
                     struct gcal_timed *timed, struct gcal_error *err);

#endif
