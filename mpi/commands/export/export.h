/* export.h - published speeds in the formats of schedulers: 'gpucal export --to TARGET'
 *
 * A target is a descriptor, listed in export.c.
 */
#ifndef GCAL_MPI_COMMANDS_EXPORT_H
#define GCAL_MPI_COMMANDS_EXPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/model/profile.h"
#include "kernels/base/strings.h"

struct argp;
struct gcal_arena;
struct gcal_buf;
struct gcal_error;
struct gcal_export_speeds;
struct gcal_params_device;
struct gcal_params_index;
struct gcal_store;

/* A counted kernel of --profile, with the sizes of the --at options that follow it. */
struct gcal_export_kernel {
    const char *file;
    struct gcal_profile_set counted;    /* with the same sizes each */
    const struct gcal_profile *profile; /* the first */
    size_t n_sizes;
    double *sizes; /* n_sizes x profile->n_parameters, a row per --at */
};

/* The options that all targets have in common. */
struct gcal_export {
    struct gcal_arena *arena; /* of everything that an export makes */
    const struct gcal_store *store;
    const char *nodes;  /* pattern (fnmatch); NULL: all */
    const char *device; /* pattern, see gcal_local_device_matches(); NULL: all */
    const char *model;  /* NULL: chosen */
    const char *output; /* file, or folder for targets that write several files; NULL:
                           standard output */
    const char *layout; /* --format, one of the target's layouts */
    size_t n_kernels;
    struct gcal_export_kernel *kernels;
};

struct gcal_export_target {
    const char *name;       /* of --to */
    const char *layouts[4]; /* of --format, the default first; all NULL: no --format */
    /* A description of the target (an OPTION_DOC) and the options that it alone has; the
     * input of its parser is a struct of 'options_size' bytes that starts as zeros.
     */
    const struct argp *argp;
    size_t options_size;
    /* What is written to e->output, from the speeds of the nodes that are exported; NULL with
     * 'err'.
     */
    char *(*text)(const struct gcal_export *e, const struct gcal_export_speeds *speeds,
                  struct gcal_error *err);
    /* Instead, for a target that reads other things, or writes several files: 0, or -1 with 'err'
     * and nothing written.
     */
    int (*run)(const struct gcal_export *e, const void *options, struct gcal_error *err);
};

/* ---- for targets: common.c ---- */

/* The names of the nodes that e->nodes matches, sorted; GCAL_EINPUT when none matches. */
int gcal_export_nodes(const struct gcal_export *e, char ***names, size_t *count,
                      struct gcal_error *err);

/* The device with the models that predict on it: e->model; else, for kernels, all, and
 * without kernels the general model.  None if the device lacks them.  To be cleared by
 * gcal_params_index_models_clear() in any case.
 */
int gcal_export_models(const struct gcal_export *e, struct gcal_params_index *index,
                       size_t device, struct gcal_params_device *out,
                       struct gcal_error *err);

/* Adds to the device of that node what the store has learned of the kernel, unless a model is named. */
int gcal_export_add_learned(const struct gcal_export *e, const char *node,
                            const struct gcal_profile *profile,
                            struct gcal_params_device *device, struct gcal_error *err);

/* Does e->device match? */
bool gcal_export_matches(const struct gcal_export *e,
                         const struct gcal_params_device *device);

/* Appends 'text' as one word of a shell command. */
void gcal_export_quote(struct gcal_buf *buf, const char *text);

#endif
