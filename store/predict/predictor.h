/* predictor.h - predicted times of a kernel on a device, from its published parameters
 *
 * Work for which the model has no cost is never free.  Let u be its share of the kernel's
 * work (kernels/model/binding.h).  The predicted time is that of the other work; the upper
 * end of its interval is multiplied by 1 + GCAL_PREDICTOR_COST_RATIO u / (1 - u), as if an
 * execution without a cost took up to so many times as long as the mean of the others.
 * Above GCAL_PREDICTOR_MAX_NOT_COVERED there is no prediction; nor is there one of 0 s, with
 * an interval wider than GCAL_PREDICTOR_MAX_SPREAD times either way, or of a launch that the
 * device cannot run (kernels/model/limits.h).
 *
 * A model may be fitted to kernels all of which have work without a cost, as a product's
 * multiply-adds have loads: then its costs stand for that work as well, in the proportions of
 * these kernels.  Only what a kernel has beyond them is without a cost.  What it lacks, as a
 * share of all work with it, divides the lower end of the interval in the same way, and is
 * refused above the same share.
 *
 * The interval of a kernel that the model was fitted to follows from the held-out errors of
 * such kernels.  That of any other kernel follows from the model's spread for its class,
 * if it has one (kernels/model/roofs/spread.h): a kernel is small, or its time follows from
 * estimates, or else it has the class of the roof that binds it.  Where the held-out errors
 * of the microbenchmarks are larger than on the devices of the spread, it is wider by their
 * ratio.
 *
 * A predictor is a model's parameters bound to one kernel's profile; after that it needs
 * neither the parameter file nor the profile.  Evaluation allocates nothing and may run
 * in several threads at once.
 */
#ifndef GCAL_STORE_PREDICT_PREDICTOR_H
#define GCAL_STORE_PREDICT_PREDICTOR_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_binding_gap;
struct gcal_error;
struct gcal_model;
struct gcal_params_device;
struct gcal_params_model;
struct gcal_predictor;
struct gcal_profile;

/* Single operations of one device differ by up to about this factor: an atomic on one
 * address for all work-items, or a load of a memory line for each, against an addition.
 */
#define GCAL_PREDICTOR_COST_RATIO      1000
#define GCAL_PREDICTOR_MAX_NOT_COVERED 0.5
/* Up to this share of work without a cost, which widens the interval by 1 %, a kernel
 * counts as covered.
 */
#define GCAL_PREDICTOR_COVERED    1e-5
#define GCAL_PREDICTOR_MAX_SPREAD 1000

/* The class GCAL_SPREAD_SMALL: times below this, and kernels bound by the roof of this name.
 */
#define GCAL_PREDICTOR_SMALL_S     50e-6
#define GCAL_PREDICTOR_LAUNCH_ROOF "launch"
/* The class GCAL_SPREAD_ESTIMATED: times that change by a quarter where estimates double.
 */
#define GCAL_PREDICTOR_ESTIMATED 0.32

struct gcal_prediction {
    double time_s;
    double standard_error_s; /* the larger of the parameters' error and the model's
                                misfit, combined with the error of the device factor */
    double low_s, high_s;    /* 90 % interval, wider if some work is not covered */
    double not_covered;      /* share of the kernel's work that the model has no cost for:
                                above 0, 'time_s' lacks it; or 'lack', if that is larger */
    double lack;             /* share of work that the costs stand for and the kernel does
                                not have: above 0, 'time_s' has it all the same */
    const char *gap;         /* the feature with the largest part of either, owned by the
                                predictor; NULL: none */
    bool extrapolates;       /* some feature lies outside the calibrated range */
    const char *outside;     /* the feature farthest outside, owned by the predictor;
                                NULL: none */
    double outside_by;       /* its ratio to the largest calibrated value (infinite when
                                that is 0), or below 1 to the smallest; 1: none outside */
    const char *roof;  /* the roof with the longest time, owned by the predictor; NULL:
                                the model has none, or all are 0 */
    double estimated;  /* how much of the time follows from counts that are estimates:
                                log2 of its change, up or down, where they double */
    double roof_s;     /* that time, which may be longer than time_s; 0: no roof */
    const char *class; /* the roof's name, or one of GCAL_SPREAD_... (spread.h) */
    double misfit;     /* the standard deviation of log(time / prediction) of kernels
                                like it that the model was not fitted to, their
                                parameters' errors included; independent between kernels */
};

/* The model 'name'.  NULL: the one made for most of the kernels; if there is none, one that
 * was fitted to them; else the general model, which is made for no kernel (the first, if
 * there are several).  NULL with 'err' listing the models.
 */
const struct gcal_params_model *
gcal_predictor_choose(const struct gcal_params_device *device, const char *name,
                      size_t n_profiles, const struct gcal_profile *const *profiles,
                      struct gcal_error *err);

/* The general model, the first if there are several; NULL: none. */
const struct gcal_params_model *
gcal_predictor_find_general(const struct gcal_params_device *device);

/* The name of a model that is made for a kernel of this name which is not this kernel: the
 * source, the defines or the launch has changed.  NULL: none, or some model knows this one.
 */
const char *gcal_predictor_find_changed(const struct gcal_params_device *device,
                                        const struct gcal_profile *profile);

/* 'model' NULL: chosen as above.  NULL with 'err' also when the profile lacks a feature
 * that the model needs.
 */
struct gcal_predictor *gcal_predictor_create(const struct gcal_params_device *device,
                                             const char *model,
                                             const struct gcal_profile *profile,
                                             struct gcal_error *err);
void gcal_predictor_destroy(struct gcal_predictor *predictor);

/* Predicts from now on whatever the share of work without a cost and however wide the
 * interval, which does not allow for that share: for models that others are compared with.
 */
void gcal_predictor_disregard_gaps(struct gcal_predictor *predictor);

/* What a launch would have to cost, in place of the parameter GCAL_PREDICTOR_LAUNCH, for the time at
 * these sizes to be the measured one.  -1 with 'err' if the model has no such parameter, if less
 * than half of the time is the launch's, or if its cost would change by more than
 * GCAL_PREDICTOR_MAX_REFRESH times: then the device is busy, or another one.
 */
#define GCAL_PREDICTOR_LAUNCH      "p_launch"
#define GCAL_PREDICTOR_MAX_REFRESH 2
int gcal_predictor_find_launch(const struct gcal_predictor *predictor,
                               const double *sizes, double measured_s, double *launch_s,
                               struct gcal_error *err);
/* Predicts with it from now on; not while other threads use the predictor. */
int gcal_predictor_set_launch(struct gcal_predictor *predictor, double launch_s,
                              struct gcal_error *err);

/* 'sizes': one per profile parameter, in order.  'log_gradient', if not NULL: the
 * derivative of log(time) by each parameter.
 */
int gcal_predictor_eval(const struct gcal_predictor *predictor, const double *sizes,
                        struct gcal_prediction *prediction, double *log_gradient,
                        struct gcal_error *err);

/* The model's name. */
const char *gcal_predictor_model(const struct gcal_predictor *predictor);

/* Returns whether both models have the same fit, also where the device was opened twice, or is
 * another one of the type: then the parameters' errors are the same.
 */
bool gcal_predictor_share_fit(const struct gcal_predictor *a,
                              const struct gcal_predictor *b);

/* What a predicted time is computed from: the factor times the model's value. */
struct gcal_predictor_inside {
    const struct gcal_model *model; /* owned by the predictor, as the parameters are */
    const double *parameters;       /* in the model's order */
    double factor;                  /* of the device */
};
struct gcal_predictor_inside
gcal_predictor_inside(const struct gcal_predictor *predictor);

/* Work without a cost in the model, largest share first; see gcal_binding_gaps().  'gaps',
 * if not NULL, has room for gcal_predictor_gap_count() of them; returns how many have work
 * at these sizes.
 */
size_t gcal_predictor_gap_count(const struct gcal_predictor *predictor);
size_t gcal_predictor_gaps(const struct gcal_predictor *predictor, const double *sizes,
                           struct gcal_binding_gap *gaps);
/* Work that the costs stand for and the kernel lacks; see gcal_binding_lack(). */
double gcal_predictor_lack(const struct gcal_predictor *predictor, const double *sizes,
                           const char **largest);

/* The model's roofs, and their times: 'seconds' has room for gcal_predictor_roof_count() of
 * them.  -1 where there is no prediction.
 */
size_t gcal_predictor_roof_count(const struct gcal_predictor *predictor);
const char *gcal_predictor_roof(const struct gcal_predictor *predictor, size_t i);
int gcal_predictor_roofs(const struct gcal_predictor *predictor, const double *sizes,
                         double *seconds, struct gcal_error *err);

/* The counts of the model's features at these sizes: 'values' has room for all of them. */
int gcal_predictor_features(const struct gcal_predictor *predictor, const double *sizes,
                            double *values, struct gcal_error *err);

/* The same time, to the last bit, without interval and faster; -1 where there is no
 * prediction, but for the width of its interval.
 */
int gcal_predictor_time(const struct gcal_predictor *predictor, const double *sizes,
                        double *time_s, struct gcal_error *err);

#endif
