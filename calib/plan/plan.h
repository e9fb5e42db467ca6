/* plan.h - measuring one device: what, in what order, when to stop
 *
 * 1. Ladders: the rungs of a family are tried from the smallest on; those that take
 *    min_time_s to max_time_s stay, at most 'sizes' of them, the longest; where none
 *    does, the nearest.  Of kernels that only check the parts of others ("m:check" in
 *    their models) one rung stays.  Rungs that are left out are not recorded, unless the
 * smallest does not fit on the device: then it says so.
 * 2. Every family is checked once: its output at small sizes against the reference.  A
 *    family that is wrong is recorded as that and not measured.
 * 3. Warm-up: the device is kept busy until its times settle.
 * 4. Rounds: in each, all kernels that go on are visited in a new random order (seeded),
 *    a few launches each; in the first, every kernel gets half of min_samples at least,
 *    or its share where the budget does not suffice.  A kernel stops when its median is
 *    known well enough, when its noise does not shrink any more, at max_samples, or when
 *    the device's budget is up.
 * With options->precision, kernels that only give parameters of models are not measured
 * all: first one of each generator and what gives every parameter some value, then those
 * that shrink the parameters' covariance most for their time (D-optimal), a few at a
 * time, until every parameter is known so well.  Ladders are climbed no further than to
 * what is chosen.  What was not needed is recorded as skipped, one row for each kernel
 * with a fixed size and one for each ladder that was not touched.
 * A worker that dies or hangs marks its kernel, is replaced, and the rest goes on; three
 * deaths in a row without a measurement between them give the device up.
 */
#ifndef GCAL_CALIB_PLAN_H
#define GCAL_CALIB_PLAN_H

#include "calib/config/config.h"
#include "calib/model/measurement.h"
#include "calib/worker/worker.h"

struct gcal_error;

/* What is known of a device's measuring so far, for progress displays. */
struct gcal_plan_progress {
    const char *device_name;
    const char *phase; /* "warming up", "measuring", ... */
    size_t kernels_done, kernels_total;
    double elapsed_s, left_s; /* left_s: an estimate */
};

/* What choosing kernels came to, where options->precision is above 0. */
struct gcal_plan_selection {
    size_t n_measured, n_kernels; /* the latter: that measuring all of them takes */
    double took_s, full_s; /* full_s: an estimate of measuring all, from the mean cost of
opening a family, the mean number of launches, and times by
the models */
    double worst_error;    /* the largest relative standard error of a parameter; infinite
                              where one is not determined */
    char worst_parameter[64];
    size_t n_not_identifiable; /* parameters besides that no kernel tells apart from
                        others, or at all */
    double wanted_error;       /* options->precision */
    bool reached; /* not: the budget was up, or no kernel that is left helps */
};

/* A kernel that a resumed run has measured already on this device. */
struct gcal_plan_done {
    char *kernel_id;
    double time_s; /* median */
};

struct gcal_plan_hooks {
    struct gcal_run_sink sink; /* gets kernels and measurements, each when finished */
    struct gcal_worker_tick tick;
    void (*progress)(void *context, const struct gcal_plan_progress *progress);
    /* Called once, before the end, where kernels were chosen.  May be NULL. */
    void (*chosen)(void *context, const struct gcal_plan_selection *choice);
    void *progress_context; /* of both */
    size_t n_done;
    const struct gcal_plan_done *done;
    /* Whose models' parameters are wanted to options->precision; NULL: all kernels are
     * measured.
     */
    const struct gcal_config *config;
};

/* How the plan reaches a device: the worker's functions above, or a test's. */
struct gcal_plan_device_ops {
    void *context;
    int (*restart)(void *context, struct gcal_error *err);
    enum gcal_worker_outcome (*prepare)(void *context, const struct gcal_kernel *kernel,
                                        double limit_s, double *first_s,
                                        enum gcal_measurement_status *status,
                                        struct gcal_error *err);
    enum gcal_worker_outcome (*measure)(void *context, const struct gcal_kernel *kernel,
                                        size_t n, double limit_s,
                                        struct gcal_measurement_sample *samples,
                                        enum gcal_measurement_status *status,
                                        struct gcal_error *err);
    enum gcal_worker_outcome (*check)(void *context, const struct gcal_kernel *kernel,
                                      uint64_t seed, double limit_s, void **outputs,
                                      enum gcal_measurement_status *status,
                                      struct gcal_error *err);
};

/* Ops that start workers from 'spawner' and open 'uid' in them; 'context' is freed by
 * gcal_plan_worker_ops_destroy().
 */
struct gcal_plan_device_ops
gcal_plan_worker_ops_create(struct gcal_worker_spawner *spawner, const char *uid,
                            double limit_s, const struct gcal_worker_tick *tick,
                            struct gcal_error *err);
void gcal_plan_worker_ops_destroy(struct gcal_plan_device_ops *ops);

/* Measures 'kernels' on a device.  Returns 0 when it came to its end, also with rows that
 * failed; -1 (GCAL_EDEVICE) when the device was given up, or when the sink failed (the
 * sink's code).  Rows that finished before are in the sink in any case.
 */
int gcal_plan_measure(const struct gcal_plan_device_ops *ops, const char *node,
                      const struct gcal_device_info *info,
                      const struct gcal_kernel_list *kernels,
                      const struct gcal_config_measure_options *options,
                      const struct gcal_plan_hooks *hooks, struct gcal_error *err);

#endif
