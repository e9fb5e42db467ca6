/* predictor.h - a kernel's time from what is published of a device: what libgpucal and
 * gpucal's commands predict with
 *
 * A predictor is a model's parameters bound to one kernel's profile.  It needs neither
 * the parameter file nor the profile any more.  Evaluating allocates nothing and may be
 * done from several threads at once.
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
    double standard_error_s; /* of the parameters' covariance and the model's misfit
                                the larger, together with the device's deviation */
    double low_s, high_s;    /* nine of ten kernels' times lie between */
    bool extrapolates;       /* some feature lies outside the calibrated range */
    const char *outside;     /* the farthest outside, the predictor's; NULL: none is */
    double outside_by;       /* it is so many times the largest that was calibrated,
                                infinitely many where all were 0; below 1, so many times
                                the smallest; 1 where none is outside */
};

/* 'name' NULL: the device's only one.  NULL with 'err' listing what models there are. */
const struct gcal_params_model *
gcal_predictor_find_model(const struct gcal_params_device *device, const char *name,
                          struct gcal_error *err);

/* NULL with 'err' also when the profile cannot tell what the model needs. */
struct gcal_predictor *gcal_predictor_create(const struct gcal_params_device *device,
                                             const char *model,
                                             const struct gcal_profile *profile,
                                             struct gcal_error *err);
void gcal_predictor_destroy(struct gcal_predictor *predictor);

/* 'sizes': one per profile parameter, in order.  'log_gradient' (NULL: not wanted) gets
 * the derivative of log(time) by each parameter.
 */
int gcal_predictor_eval(const struct gcal_predictor *predictor, const double *sizes,
                        struct gcal_prediction *prediction, double *log_gradient,
                        struct gcal_error *err);

/* The time alone, the same to the last bit, in a part of the work. */
int gcal_predictor_time(const struct gcal_predictor *predictor, const double *sizes,
                        double *time_s, struct gcal_error *err);

/* Of the gradient, and of the parameters' covariance (n x n); the same for all kernels of
 * one model on one device, so that two predictions can be compared: what both owe to a
 * parameter's error they owe alike.
 */
size_t gcal_predictor_parameter_count(const struct gcal_predictor *predictor);
void gcal_predictor_covariance(const struct gcal_predictor *predictor,
                               double *covariance);

/* The standard deviation of log(time / prediction) that predictions of unseen kernels
 * showed, what their parameters' errors did to it included; each kernel has its own.
 */
double gcal_predictor_misfit(const struct gcal_predictor *predictor);

#endif
