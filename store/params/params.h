/* params.h - the parameter file of a node: what a scheduler needs to predict
 *
 * Format: docs/gpucal-params.5.  A file is a sequence of YAML documents: the first lists
 * the devices, and each model has its own, so that one model of a node can be decoded
 * without the others.
 */
#ifndef GCAL_STORE_PARAMS_H
#define GCAL_STORE_PARAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/model/binding.h"
#include "kernels/model/roofs/roofs.h"
#include "kernels/model/roofs/spread.h"
#include "kernels/model/run/device_info.h"

struct gcal_error;
struct gcal_expr_names;
struct gcal_params_derived;

#define GCAL_PARAMS_VERSION 7

/* Half the width of the 90 % interval of a normal distribution, in standard deviations.
 */
#define GCAL_PARAMS_NORMAL_90 1.6448536269514722

/* Where a model comes from: the run that it was fitted to, and the conditions there. */
struct gcal_params_origin {
    char *run_id, *calibrated_utc, *gpucal_version;
    char *configuration; /* fingerprint of the model's own part of the configuration */
    char *catalogue;     /* fingerprint of the measurement kernels */
    char *driver, *type; /* of the device */
    size_t n_fitted;     /* devices of the type in the pooled fit; 0: unknown */
};

/* All members. */
extern const struct gcal_field gcal_params_origin_fields[];
/* Of a device, its latest run; of a model, how well it fits. */
extern const struct gcal_field gcal_params_run_fields[], gcal_params_fit_fields[];

/* A kernel that a model has all costs of. */
struct gcal_params_kernel {
    char *name;        /* "matmul_tiled" */
    char *component;   /* tag of the features that count its components:
                          "matmulTiledLsize032"; NULL: fitted as a whole, without them */
    char *fingerprint; /* of the complete kernel (profile.h) */
    bool target;       /* the model is made to predict it */
};

/* Forms of the general model with corrections for one kernel, and of these corrections alone,
 * whose expression is the general model's name (store/learned/learned.h).
 */
#define GCAL_PARAMS_CORRECTED   "corrected"
#define GCAL_PARAMS_CORRECTIONS "corrections"

/* A time that corrections follow from. */
struct gcal_params_time {
    char *sizes;           /* "n=1024,m=64", in the profile's order; "" for none */
    double time_s, spread; /* over the device's factor; relative standard error */
    char *measured_utc;
    char *device; /* "NODE/UID"; NULL: unknown */
};

/* What a kernel takes on a device to what it takes on its type, over the device's factor. */
struct gcal_params_member {
    char *device;
    double factor, error; /* relative */
};

/* One calibrated model on one device.  Arrays: by parameter or by feature. */
struct gcal_params_model {
    struct gcal_params_origin origin; /* a NULL text or 0: that of the device */
    char *name, *output;
    char *expression;              /* in parameters, features and 'names' */
    struct gcal_expr_names *names; /* named_expr.h: of expression and roofs; NULL: none */
    char *form;                    /* how the costs are combined: "pnorm" */
    struct gcal_roofs roofs;
    struct gcal_spreads spreads; /* of kernels that it was not fitted to */
    size_t n_parameters;
    char **parameter; /* "p_f32madd" */
    char **unit;      /* "s" */
    double *value, *standard_error;
    double *own, *own_error; /* per-device estimate and its standard error; NaN where the
                                device's rows do not determine it: for audits */
    bool *at_bound;
    double *root; /* R, lower triangular, row by row: i + 1 numbers in row i.  The
                     covariance is R R', so that rounding cannot make the variance of a
                     prediction negative */
    size_t n_features;
    char **feature;
    double *feature_min, *feature_max; /* range of the calibration */
    size_t n_known;
    struct gcal_params_kernel *known;
    size_t n_times;
    struct gcal_params_time *times;
    size_t n_members;
    struct gcal_params_member *members;
    struct gcal_proportions stands_for;
    size_t n_kernels, n_samples;
    double residual;   /* root mean square of relative residuals */
    double mean_error; /* geometric mean of |relative residual| */
    double worst_error;
    double condition;
    size_t n_held_out;   /* measurements predicted by a fit without their kernel */
    double held_out_rms; /* root mean square of log(predicted / measured) of those, each
                            limited to 0.5; the residual when there are none */
    double error_90; /* 90 % bound of their relative errors; 1.645 residuals when there
                            are none */
    double
        absolute_error_90_s; /* the bound of a fit of absolute errors, which holds instead:
                                    of |predicted - measured|; 0: of relative ones */
    double factor, factor_error; /* device factor, relative to the fit of its type */
    /* Of a kernel's corrections (store/learned/learned.h); 0: unknown. */
    double spread_types, spread_devices;
    struct gcal_params_derived *derived; /* derived.h; NULL: nothing is kept */
};

/* A device, as the latest run found it that calibrated it; models that other runs fitted
 * have an origin of their own.
 */
struct gcal_params_device {
    struct gcal_device_info info;
    char *run_id, *calibrated_utc, *gpucal_version;
    /* Fingerprints (SHA-256, hexadecimal) of the configuration and of the catalogue of
     * measurement kernels.
     */
    char *configuration, *catalogue;
    size_t n_fitted; /* devices of the type in the pooled fit */
    size_t n_models;
    struct gcal_params_model *models;
    size_t n_shared; /* the first so many belong to an index */
};

struct gcal_params {
    char *node;
    size_t n_devices;
    struct gcal_params_device *devices;
};

/* Appends a zeroed element; NULL with 'err' when memory ran out. */
struct gcal_params_device *gcal_params_add_device(struct gcal_params *params,
                                                  struct gcal_error *err);
struct gcal_params_model *gcal_params_add_model(struct gcal_params_device *device,
                                                struct gcal_error *err);
void gcal_params_clear(struct gcal_params *params);

/* Number k of row i of the root; n rows take GCAL_PARAMS_ROOT(n, 0) numbers. */
#define GCAL_PARAMS_ROOT(i, k) ((i) * ((i) + 1) / 2 + (k))

/* Sets the root of a covariance (n_parameters x n_parameters), which may be singular; -1
 * (GCAL_EFIT) when it is not finite or not positive semidefinite.
 */
int gcal_params_set_covariance(struct gcal_params_model *model, const double *covariance,
                               struct gcal_error *err);
/* The covariance of parameters i and k. */
double gcal_params_covariance(const struct gcal_params_model *model, size_t i, size_t k);
/* YAML, for the caller to free; NULL (GCAL_EFIT) when some number is not finite. */
char *gcal_params_encode(const struct gcal_params *params, size_t *size,
                         struct gcal_error *err);
/* Decodes a file with all its models; 'name': the file in messages. */
int gcal_params_decode(const char *text, size_t size, const char *name,
                       struct gcal_params *params, struct gcal_error *err);

/* A file whose devices are decoded at once, and models one by one when needed. */
struct gcal_params_index;

/* Takes ownership of 'text' (malloc), also on failure. */
struct gcal_params_index *gcal_params_index_create(char *text, size_t size,
                                                   const char *name,
                                                   struct gcal_error *err);
void gcal_params_index_destroy(struct gcal_params_index *index);
/* Node and devices; of their models only names and origins are set. */
const struct gcal_params *
gcal_params_index_devices(const struct gcal_params_index *index);
/* Model 'model' of device 'device' without its origin, for the caller to clear; may be
 * called from several threads at once.
 */
int gcal_params_index_model(const struct gcal_params_index *index, size_t device,
                            size_t model, struct gcal_params_model *out,
                            struct gcal_error *err);
void gcal_params_model_clear(struct gcal_params_model *model);
/* Device 'device' with its model 'name' decoded (NULL: all models), to be cleared in any
 * case before the index is destroyed: its members belong to the index, which decodes each
 * model once, but for models that are added.  May be called from several threads at once.
 */
int gcal_params_index_models(struct gcal_params_index *index, size_t device,
                             const char *name, struct gcal_params_device *out,
                             struct gcal_error *err);
void gcal_params_index_models_clear(struct gcal_params_device *device);

/* The device whose uid, type, kind or name matches 'pattern' (fnmatch, case ignored;
 * NULL: any).  NULL with 'err' listing the devices when none or several match.
 */
const struct gcal_params_device *gcal_params_find(const struct gcal_params *params,
                                                  const char *pattern,
                                                  struct gcal_error *err);
/* The device with exactly that uid, or NULL. */
const struct gcal_params_device *gcal_params_find_uid(const struct gcal_params *params,
                                                      const char *uid);
/* The place of a name, of a model's parameters or features; n: it is not there. */
size_t gcal_params_find_name(char *const *names, size_t n, const char *name);
const struct gcal_params_model *
gcal_params_find_model(const struct gcal_params_device *device, const char *name);

/* The origin of a model with what it inherits from its device; borrows from both. */
struct gcal_params_origin
gcal_params_model_origin(const struct gcal_params_device *device,
                         const struct gcal_params_model *model);
/* Returns whether the device had the driver and type that it has now when the model was fitted. /
 */
bool gcal_params_model_is_current(const struct gcal_params_device *device,
                                  const struct gcal_params_model *model);
/* The kernel with that fingerprint, whose costs the model has; NULL: none. */
const struct gcal_params_kernel *
gcal_params_find_kernel(const struct gcal_params_model *model, const char *fingerprint);
/* Whether the model is poor: its typical error, that of its intervals or of most of its parameters is so
 * large that it predicts only where it is named, or there is no other.  'why': a clause.
 */
#define GCAL_PARAMS_WHY_SIZE 160
bool gcal_params_model_is_poor(const struct gcal_params_model *model,
                               char why[GCAL_PARAMS_WHY_SIZE]);
/* Returns whether the model is of copies between host and device: it counts them, and no access of
 * kernels to global memory. /
 */
bool gcal_params_model_is_of_transfers(const struct gcal_params_model *model);
/* Returns whether the model finds facts of the device by sweeps: it has a parameter p_banks or
 * p_block_bytes, and counts no arithmetic. /
 */
bool gcal_params_model_is_of_sweeps(const struct gcal_params_model *model);
/* Returns whether the model is made for kernels, and for none in particular, nor for those alone
 * that are like the ones it was fitted to. /
 */
bool gcal_params_model_is_general(const struct gcal_params_model *model);
/* The kernels that the model is made to predict, "matmul_plain, matmul_tiled"; NULL if
 * there are none or memory ran out.  The caller's to free.
 */
char *gcal_params_model_targets(const struct gcal_params_model *model);

#endif
