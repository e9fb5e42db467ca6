/* private.h - the steps of reading and writing a parameter file */
#ifndef GCAL_STORE_PARAMS_PRIVATE_H
#define GCAL_STORE_PARAMS_PRIVATE_H

#include <stddef.h>

struct gcal_error;
struct gcal_params;
struct gcal_params_model;
struct gcal_yaml;

/* ---- the covariance's root as text (covariance.c) ---- */

/* A row per line, "1e-18 236413 -11": the unit of the row, then its numbers in that unit;
 * trailing zeros are omitted.  For the caller to free.
 */
char *gcal_params_covariance_encode(const struct gcal_params_model *model,
                                    struct gcal_error *err);
/* Into 'root', zeroed and with room for n rows; errors are located at 'node'. */
int gcal_params_covariance_decode(const struct gcal_yaml *node, size_t n, double *root,
                                  struct gcal_error *err);

/* ---- the kernels that a model knows, times, and their devices (known.c) ---- */

enum { GCAL_PARAMS_N_LINES = 3 };

const char *gcal_params_lines_key(size_t kind);
/* For the caller to free; "": there are none. */
char *gcal_params_lines_encode(size_t kind, const struct gcal_params_model *model,
                               struct gcal_error *err);
/* If the map has the key; after -1, too, the model is the caller's to clear. */
int gcal_params_lines_decode(size_t kind, const struct gcal_yaml *map,
                             struct gcal_params_model *model, struct gcal_error *err);

/* ---- the documents (index.c, read_model.c) ---- */

/* A model from its document.  'device' and 'name': expected by the first document. */
int gcal_params_read_model(const struct gcal_yaml *map, const char *device,
                           const char *name, struct gcal_params_model *model,
                           struct gcal_error *err);

#endif
