/* params.h - the parameter file of a node: what a scheduler needs to predict
 *
 * Format: docs/gpucal-params.5, one table, version first.  A file is a row of YAML
 * documents: the first lists the devices, and each model has one of its own, so that who
 * wants one model of a node does not wait for the others to be decoded.
 */
#ifndef GCAL_STORE_PARAMS_H
#define GCAL_STORE_PARAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "calib/model/measurement.h"

struct gcal_error;

#define GCAL_PARAMS_VERSION 3

/* Nine of ten errors that are normally distributed lie within so many standard
 * deviations.
 */
#define GCAL_PARAMS_NORMAL_90 1.6448536269514722

/* One calibrated model on one device.  Arrays: by parameter or by feature. */
struct gcal_params_model {
    char *name, *output, *expression;
    char *form; /* how its costs are put together: "pnorm" */
    size_t n_parameters;
    char **parameter; /* "p_f32madd" */
    char **unit;      /* "s" */
    double *value, *standard_error;
    double *own, *own_error; /* the same of this device alone, from its rows; NaN where
                                these do not tell, or nothing is known: for audits */
    bool *at_bound;
    double *root; /* R, lower triangular, row after row: i + 1 numbers in row i.  The
                     covariance is R R', so that no rounding makes a prediction's
                     variance negative */
    size_t n_features;
    char **feature;
    double *feature_min, *feature_max; /* range of the calibration */
    size_t n_kernels, n_samples;
    double residual;   /* root mean square of relative residuals */
    double mean_error; /* geometric mean of |relative residual| */
    double worst_error;
    double condition;
    size_t n_held_out;   /* measurements predicted by fits that had not seen the kernel */
    double held_out_rms; /* root mean square of log(predicted / measured) of those, none
                            counted as more than 0.5; the residual where there are none */
    double error_90;     /* nine of ten of those lie nearer, relative; 1.645 residuals
                            where there are none; of checked kernels if these miss by
                            more */
    double factor, factor_error; /* this device against its type's fit, 1 = alike */
};

struct gcal_params_device {
    struct gcal_device_info info;
    char *run_id, *calibrated_utc, *gpucal_version;
    /* Fingerprints (SHA-256, hexadecimal) of the configuration's text and of the
     * catalogue of measurement kernels; "" where a file does not tell.
     */
    char *configuration, *catalogue;
    size_t n_fitted; /* devices of the type that the fit pooled; 0 where a file does not
                        tell */
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

/* Number k of row i of the root; n rows take GCAL_PARAMS_ROOT(n, 0) numbers. */
#define GCAL_PARAMS_ROOT(i, k) ((i) * ((i) + 1) / 2 + (k))

/* Sets the root of a covariance (n_parameters x n_parameters), which may be singular; -1
 * (GCAL_EFIT) when it is no covariance.
 */
int gcal_params_set_covariance(struct gcal_params_model *model, const double *covariance,
                               struct gcal_error *err);
/* Of two parameters. */
double gcal_params_covariance(const struct gcal_params_model *model, size_t a, size_t b);

/* YAML, the caller's to free. */
char *gcal_params_encode(const struct gcal_params *params, size_t *size,
                         struct gcal_error *err);
/* The whole of a file; 'name' stands in messages. */
int gcal_params_decode(const char *text, size_t size, const char *name,
                       struct gcal_params *params, struct gcal_error *err);

/* A file of which the devices are decoded, and models one by one when they are wanted. */
struct gcal_params_index;

/* Takes 'text' (malloc), also when it fails. */
struct gcal_params_index *gcal_params_index_create(char *text, size_t size,
                                                   const char *name,
                                                   struct gcal_error *err);
void gcal_params_index_destroy(struct gcal_params_index *index);
/* Node and devices; their models have names and nothing else. */
const struct gcal_params *
gcal_params_index_devices(const struct gcal_params_index *index);
/* Model 'model' of device 'device', the caller's to clear; may be called from several
 * threads at once.
 */
int gcal_params_index_model(const struct gcal_params_index *index, size_t device,
                            size_t model, struct gcal_params_model *out,
                            struct gcal_error *err);
void gcal_params_model_clear(struct gcal_params_model *model);

/* The device whose uid, type, kind or name matches 'pattern' (fnmatch, case ignored;
 * NULL: any).  NULL with 'err' listing what there is, also when several match.
 */
const struct gcal_params_device *gcal_params_find(const struct gcal_params *params,
                                                  const char *pattern,
                                                  struct gcal_error *err);
/* The one with that very uid; NULL: none has it. */
const struct gcal_params_device *gcal_params_find_uid(const struct gcal_params *params,
                                                      const char *uid);
const struct gcal_params_model *
gcal_params_find_model(const struct gcal_params_device *device, const char *name);

#endif
