/* export.h - what is published, in the words of schedulers: 'gpucal export --to FORMAT'
 *
 * A format is a function that takes what the command line says, reads the store, and
 * writes to e->output.
 */
#ifndef GCAL_MPI_EXPORT_H
#define GCAL_MPI_EXPORT_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_buf;
struct gcal_error;
struct gcal_params_device;
struct gcal_profile;
struct gcal_store;

/* A counted kernel of --profile, with the sizes of the --at behind it. */
struct gcal_export_kernel {
    const char *file;
    struct gcal_profile *profile;
    size_t n_sizes;
    double *sizes; /* n_sizes x profile->n_parameters, a row per --at */
};

struct gcal_export {
    const struct gcal_store *store;
    const char *nodes;  /* pattern (fnmatch); NULL: all */
    const char *device; /* pattern of name, type or uid; NULL: all */
    const char *model;  /* NULL: see gcal_export_model() */
    const char *output; /* FILE, or folder where the format writes several; NULL: standard
                           output */
    const char *layout; /* --format, one of the format's */
    size_t n_kernels;
    struct gcal_export_kernel *kernels;
    /* starpu: a codelet's performance model, and what StarPU finds its times by */
    const char *symbol;
    size_t n_data;
    const char *const *data; /* of each handle, "BYTES[:NX[,NY[,NZ]]]" */
    const char *size_base;   /* or what the model's size_base returns; NULL: none */
};

/* Each returns 0 or -1 with 'err', and writes nothing when it fails. */
int gcal_export_slurm(const struct gcal_export *e, struct gcal_error *err);
int gcal_export_flux(const struct gcal_export *e, struct gcal_error *err);
int gcal_export_starpu(const struct gcal_export *e, struct gcal_error *err);

/* ---- for the formats ---- */

/* The names of the nodes that e->nodes matches, sorted; GCAL_EINPUT when there are none.
 * Free with gcal_store_names_free().
 */
int gcal_export_nodes(const struct gcal_export *e, char ***names, size_t *count,
                      struct gcal_error *err);

/* The model to predict with on this device: e->model; else its only one, else "rates". */
const char *gcal_export_model(const struct gcal_export *e,
                              const struct gcal_params_device *device);

/* Does e->device match? */
bool gcal_export_matches(const struct gcal_export *e,
                         const struct gcal_params_device *device);

/* Adds 'text' as one word of a shell command. */
void gcal_export_quote(struct gcal_buf *buf, const char *text);

#endif
