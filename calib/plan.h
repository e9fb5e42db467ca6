/* plan.h - measuring one device: what, in what order, when to stop
 *
 * 1. Ladders: the rungs of a family are tried from the smallest on; those that take
 *    min_time_s to max_time_s stay, at most 'rungs' of them, the longest; where none
 *    does, the nearest.  Rungs that are left out are not recorded, unless the smallest
 *    does not fit on the device: then it says so.
 * 2. Every family is checked once: its output at small sizes against the reference.  A
 *    family that is wrong is recorded as that and not measured.
 * 3. Warm-up: the device is kept busy until its times settle.
 * 4. Rounds: in each, all kernels that go on are visited in a new random order (seeded),
 *    a few launches each; in the first, every kernel gets half of min_samples at least,
 *    or its share where the budget does not suffice.  A kernel stops when its median is
 *    known well enough, when its noise does not shrink any more, at max_samples, or when
 *    the device's budget is up.
 * A worker that dies or hangs marks its kernel, is replaced, and the rest goes on; three
 * deaths in a row without a measurement between them give the device up.
 */
#ifndef GCAL_CALIB_PLAN_H
#define GCAL_CALIB_PLAN_H

#include "calib/config.h"
#include "calib/model/measurement.h"
#include "calib/worker.h"

struct gcal_error;

/* What is known of a device's measuring so far, for progress displays. */
struct gcal_progress {
    const char *device_name;
    const char *phase; /* "warming up", "measuring", ... */
    size_t kernels_done, kernels_total;
    double elapsed_s, left_s; /* left_s: an estimate */
};

struct gcal_plan_hooks {
    struct gcal_run_sink sink; /* gets kernels and measurements, each when finished */
    struct gcal_tick tick;
    void (*progress)(void *context, const struct gcal_progress *progress);
    void *progress_context;
    /* Ids of kernels that a resumed run has measured already on this device. */
    size_t n_done;
    const char *const *done;
};

/* How the plan reaches a device: the worker's functions above, or a test's. */
struct gcal_device_ops {
    void *context;
    int (*restart)(void *context, struct gcal_error *err);
    enum gcal_worker_outcome (*prepare)(void *context, const struct gcal_kernel *kernel,
                                        double limit_s, double *first_s,
                                        enum gcal_row_status *status,
                                        struct gcal_error *err);
    enum gcal_worker_outcome (*measure)(void *context, const struct gcal_kernel *kernel,
                                        size_t n, double limit_s,
                                        struct gcal_sample *samples,
                                        enum gcal_row_status *status,
                                        struct gcal_error *err);
    enum gcal_worker_outcome (*check)(void *context, const struct gcal_kernel *kernel,
                                      uint64_t seed, double limit_s, void **outputs,
                                      enum gcal_row_status *status,
                                      struct gcal_error *err);
};

/* Ops that start workers from 'spawner' and open 'uid' in them; 'context' is freed by
 * gcal_worker_ops_destroy().
 */
struct gcal_device_ops gcal_worker_ops_create(struct gcal_spawner *spawner,
                                              const char *uid, double limit_s,
                                              const struct gcal_tick *tick,
                                              struct gcal_error *err);
void gcal_worker_ops_destroy(struct gcal_device_ops *ops);

/* Measures 'kernels' on a device.  Returns 0 when it came to its end, also with rows that
 * failed; -1 (GCAL_EDEVICE) when the device was given up, or when the sink failed (the
 * sink's code).  Rows that finished before are in the sink in any case.
 */
int gcal_plan_measure(const struct gcal_device_ops *ops, const char *node,
                      const struct gcal_device_info *info,
                      const struct gcal_kernel_list *kernels,
                      const struct gcal_measure_options *options,
                      const struct gcal_plan_hooks *hooks, struct gcal_error *err);

#endif
