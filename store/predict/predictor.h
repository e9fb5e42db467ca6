/* predictor.h - predicted times of a kernel on a device, from its published parameters
 *
 * A predictor is a model's parameters bound to one kernel's profile; after that it needs
 * neither the parameter file nor the profile.  Evaluation allocates nothing and may run
 * in several threads at once.
 */
#ifndef GCAL_STORE_PREDICT_PREDICTOR_H
#define GCAL_STORE_PREDICT_PREDICTOR_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;
struct gcal_params_device;
struct gcal_params_model;
struct gcal_predictor;
struct gcal_profile;

struct gcal_prediction {
    double time_s;
    double standard_error_s; /* the larger of the parameters' error and the model's
                                misfit, combined with the error of the device factor */
    double low_s, high_s;    /* 90 % interval */
    bool extrapolates;       /* some feature lies outside the calibrated range */
    const char *outside;     /* the feature farthest outside, owned by the predictor;
                                NULL: none */
    double outside_by;       /* its ratio to the largest calibrated value (infinite when
                                that is 0), or below 1 to the smallest; 1: none outside */
};

/* 'name' NULL: the device's only model.  NULL with 'err' listing the models. */
const struct gcal_params_model *
gcal_predictor_find_model(const struct gcal_params_device *device, const char *name,
                          struct gcal_error *err);

/* NULL with 'err' also when the profile lacks a feature that the model needs. */
struct gcal_predictor *gcal_predictor_create(const struct gcal_params_device *device,
                                             const char *model,
                                             const struct gcal_profile *profile,
                                             struct gcal_error *err);
void gcal_predictor_destroy(struct gcal_predictor *predictor);

/* 'sizes': one per profile parameter, in order.  'log_gradient', if not NULL: the
 * derivative of log(time) by each parameter.
 */
int gcal_predictor_eval(const struct gcal_predictor *predictor, const double *sizes,
                        struct gcal_prediction *prediction, double *log_gradient,
                        struct gcal_error *err);

/* The same time, to the last bit, without interval and faster. */
int gcal_predictor_time(const struct gcal_predictor *predictor, const double *sizes,
                        double *time_s, struct gcal_error *err);

/* The number n of parameters, for the gradient, and their covariance (n x n).  Both are
 * the same for all kernels of one model on one device, so that the correlated errors of
 * two predictions can be compared.
 */
size_t gcal_predictor_parameter_count(const struct gcal_predictor *predictor);
void gcal_predictor_covariance(const struct gcal_predictor *predictor,
                               double *covariance);

/* The standard deviation of log(time / prediction) of held-out kernels, their parameters'
 * errors included; independent between kernels.
 */
double gcal_predictor_misfit(const struct gcal_predictor *predictor);

#endif
