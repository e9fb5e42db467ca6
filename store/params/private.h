/* private.h - shared by what reads and writes parameter files */
#ifndef GCAL_STORE_PARAMS_PRIVATE_H
#define GCAL_STORE_PARAMS_PRIVATE_H

#include <stddef.h>

struct gcal_error;
struct gcal_params;
struct gcal_params_model;
struct gcal_yaml;

/* ---- the covariance's root as text (covariance.c) ---- */

/* A row per line, "1e-18 236413 -11": the row's unit, and its numbers in it; numbers
 * that are 0 to the end of the row are left out.  The caller's to free.
 */
char *gcal_params_covariance_encode(const struct gcal_params_model *model,
                                    struct gcal_error *err);
/* Into 'root', which is zeroed and has room for n rows; complains about 'node'. */
int gcal_params_covariance_decode(const struct gcal_yaml *node, size_t n, double *root,
                                  struct gcal_error *err);

/* ---- what a document holds (read.c, read_model.c) ---- */

/* Of a file's first document; models get names and nothing else. */
int gcal_params_read_devices(const struct gcal_yaml *root, struct gcal_params *params,
                             long long *version, struct gcal_error *err);
/* Model 'm' of device 'd', from the first document of a file of version 1 or 2 */
int gcal_params_read_old_model(const struct gcal_yaml *root, long long version, size_t d,
                               size_t m, struct gcal_params_model *model,
                               struct gcal_error *err);
/* or from its own.  'device' and 'name' are those that the first document has there. */
int gcal_params_read_model(const struct gcal_yaml *map, const char *device,
                           const char *name, struct gcal_params_model *model,
                           struct gcal_error *err);

#endif
