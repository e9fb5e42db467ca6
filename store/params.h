/* params.h - the parameter file of a node: what a scheduler needs to predict
 *
 * Format: docs/gpucal-params.5, one table, version first.
 */
#ifndef GCAL_STORE_PARAMS_H
#define GCAL_STORE_PARAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "calib/model/measurement.h"

struct gcal_error;
struct gcal_yaml;

#define GCAL_PARAMS_VERSION 1

/* One calibrated model on one device.  Arrays: by parameter or by feature. */
struct gcal_params_model {
    char *name, *output, *expression;
    size_t n_parameters;
    char **parameter; /* "p_f32madd" */
    char **unit;      /* "s" */
    double *value, *standard_error;
    bool *at_bound;
    double *covariance; /* n_parameters x n_parameters */
    size_t n_features;
    char **feature;
    double *feature_min, *feature_max; /* range of the calibration */
    size_t n_kernels, n_samples;
    double residual;   /* root mean square of relative residuals */
    double mean_error; /* geometric mean of |relative residual| */
    double worst_error;
    double condition;
    double factor, factor_error; /* this device against its type's fit, 1 = alike */
};

struct gcal_params_device {
    struct gcal_device_info info;
    char *run_id, *calibrated_utc, *gpucal_version;
    size_t n_models;
    struct gcal_params_model *models;
};

struct gcal_params {
    char *node;
    size_t n_devices;
    struct gcal_params_device *devices;
};

/* Room for one more, zeroed; NULL with 'err'. */
struct gcal_params_device *gcal_params_add_device(struct gcal_params *params,
                                                  struct gcal_error *err);
struct gcal_params_model *gcal_params_add_model(struct gcal_params_device *device,
                                                struct gcal_error *err);
void gcal_params_clear(struct gcal_params *params);

/* YAML, the caller's to free. */
char *gcal_params_encode(const struct gcal_params *params, size_t *size,
                         struct gcal_error *err);
int gcal_params_decode(const struct gcal_yaml *root, struct gcal_params *params,
                       struct gcal_error *err);

/* The device whose uid, type or name matches 'pattern' (fnmatch, case ignored; NULL:
 * any).  NULL with 'err' listing what there is, also when several match.
 */
const struct gcal_params_device *gcal_params_find(const struct gcal_params *params,
                                                  const char *pattern,
                                                  struct gcal_error *err);

#endif
