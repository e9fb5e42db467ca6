/* private.h - shared by predictor.c, bind.c, model.c and ratio.c */
#ifndef GCAL_STORE_PREDICT_PRIVATE_H
#define GCAL_STORE_PREDICT_PRIVATE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "kernels/model/feature.h"
#include "kernels/model/limits.h"
#include "kernels/model/roofs/spread.h"
#include "store/predict/predictor.h"

struct gcal_binding;
struct gcal_binding_program;
struct gcal_model;
struct gcal_roofs_program;

/* A prediction keeps its arrays on the stack. */
#define GCAL_PREDICTOR_MAX_FEATURES   512
#define GCAL_PREDICTOR_MAX_PARAMETERS 256

/* What follows from a model alone: constant, and shared by all of its predictors. */
struct gcal_predictor_model {
    atomic_size_t references;
    struct gcal_model *model;
    struct gcal_roofs_program *roofs;
    double *value, *feature_min, *feature_max;
    double *root;     /* of the covariance: a row of n_columns for each parameter */
    size_t *n_row;    /* by parameter: length of the row without trailing zeros */
    size_t n_columns; /* parameters in the file */
    size_t n_features;
    struct gcal_feature *features; /* the model's, parsed */
    bool *has_cost;                /* by feature */
};

struct gcal_predictor {
    struct gcal_predictor_model *shared;
    struct gcal_binding *binding;
    struct gcal_binding_program *program; /* of the model at the kernel's counts */
    struct gcal_limits limits;            /* of the device */
    double *refreshed;                    /* the parameters; NULL: the model's values */
    double factor;
    double misfit; /* relative */
    double
        absolute_s; /* the 90 % bound of a fit of absolute errors; 0: of relative ones */
    bool disregards_gaps;
    double factor_error;         /* relative */
    struct gcal_spreads spreads; /* none for a kernel that the model was fitted to */
    double spread_scale;
    /* If the model may lack costs: for the message. */
    char *kernel, *hint;
};

/* ---- model.c ---- */

/* For gcal_predictor_model_release(); NULL with 'err'. */
struct gcal_predictor_model *
gcal_predictor_model_share(const struct gcal_params_model *from, struct gcal_error *err);
/* Returns whether both have the same fit, whatever file they are from. */
bool gcal_predictor_model_is_same(const struct gcal_predictor_model *a,
                                  const struct gcal_predictor_model *b);
/* For one more release. */
void gcal_predictor_model_hold(struct gcal_predictor_model *model);
/* NULL is allowed. */
void gcal_predictor_model_release(struct gcal_predictor_model *model);

#endif
