/* plan.h - measuring one device: what, in what order, when to stop
 *
 * 1. Size sweeps: the sizes of a family are tried from the smallest up; those that take
 * min_time_s to max_time_s stay, the longest options->sizes of them; if none does, the
 * nearest.  Sizes that are left out are not recorded, except the smallest if it does not
 * fit on the device.
 *
 * Families from which all parameters of the models follow come first, and transfers, then the
 * first family of each generator, the second, and so on: what a short budget leaves out is the
 * least needed.
 *
 * 2. Each family is checked once: its output at small sizes against the reference.  A
 * family that is wrong is recorded so and not measured.  But on CPUs, the host computes what
 * is right while the device goes on; a family's rows are recorded once that is known.
 *
 * 3. Warm-up: the device is kept busy until its times agree.
 *
 * 4. Rounds: each visits all unfinished kernels in a new random order (seeded), a few
 * launches each; in the first, every kernel gets at least half of min_samples, or its
 * share if the budget does not suffice.  A kernel is finished when its median is precise
 * enough, when its standard error no longer shrinks, at max_samples, when it has had its
 * share of the budget, or when the device's budget is used up.
 *
 * Where a run is resumed, some of the kernels that were measured before are measured again
 * first: a device whose speed is another is given up.
 *
 * A worker that dies or hangs marks its kernel and is replaced, and the rest goes on;
 * after three consecutive worker failures without a measurement the device is given up.
 */
#ifndef GCAL_CALIB_PLAN_H
#define GCAL_CALIB_PLAN_H

#include "calib/config/config.h"
#include "kernels/model/run/device_info.h"
#include "kernels/model/run/measurement.h"
#include "kernels/model/run/run_kernel.h"
#include "kernels/model/run/run_sink.h"
#include "calib/worker/worker.h"

struct gcal_arena;
struct gcal_error;
struct gcal_memo;
struct gcal_plan_turns;

/* State of a device's measuring, for progress displays. */
struct gcal_plan_progress {
    const char *device_name;
    const char *phase; /* "warming up", "measuring", ... */
    size_t kernels_done, kernels_total;
    double elapsed_s, left_s; /* left_s: an estimate */
};

/* How well the device was used. */
struct gcal_plan_use {
    double span_s; /* from its first launch to the end of the last; 0: there was none */
    double
        busy_s; /* times of launches and copies; without those of checks.  The first one of
                      a kernel is taken to be as long as the second. */
    bool others; /* it was given up because others use it */
};

/* A kernel of this device that was measured before the run was resumed. */
struct gcal_plan_done {
    char *kernel_id;
    double time_s;           /* median */
    uint64_t last_order;     /* of its samples */
    struct gcal_built built; /* what features need of it: registers, private memory */
};

struct gcal_plan_hooks {
    /* Gets kernels (its function may be NULL) and measurements, each when finished. */
    struct gcal_run_sink sink;
    struct gcal_worker_tick tick;
    void (*progress)(void *context, const struct gcal_plan_progress *progress);
    /* Called once, at the end of measuring, also of a device that was given up. May be NULL. */
    void (*used)(void *context, const struct gcal_plan_use *use);
    void *progress_context; /* of both */
    size_t n_done;
    const struct gcal_plan_done *done;
    /* Of all devices of a run; NULL: those of this device alone. */
    struct gcal_memo *references;
    /* Turns of the devices of the host that are measured at once; NULL: this one alone. */
    struct gcal_plan_turns *turns;
    /* Families are prepared in the opposite order, within each pass over generators: of two
     * devices of a host, each finds in the drivers' folder what the other has built.
     */
    bool backwards;
    /* The models: what their parameters follow from comes first.  NULL: none. */
    const struct gcal_config *config;
};

/* Several devices of a host, measured at once by a thread each, take turns with what others
 * would disturb: copies, what the host's clock times, and kernels of less than 100 us, for the
 * times of a visit.  NULL without memory: none waits for another.
 */
struct gcal_plan_turns *gcal_plan_turns_create(void);
void gcal_plan_turns_destroy(struct gcal_plan_turns *turns);

/* The plan's access to a device: worker functions, or a test's. */
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
    /* The share of the last second in which kernels ran on the device, of any process; NULL or
     * NaN: unknown.
     */
    double (*busy)(void *context);
    /* Processor time of the rank and the device's workers so far; NULL: unknown. */
    struct gcal_worker_use (*use)(void *context);
    /* What the driver says of the kernel prepared last; NULL: nothing. */
    struct gcal_built (*built)(void *context);
    /* A kernel that will be prepared, after those announced before it; NULL: nothing is built
     * ahead.
     */
    void (*announce)(void *context, const struct gcal_kernel *kernel);
    /* No further kernel will be announced; and no further one prepared for the first time.  NULL
     * as above.
     */
    void (*announced_all)(void *context);
    void (*prepared_all)(void *context);
};

/* Ops that start workers from 'spawner' and open 'uid' in them; 'context' is freed by
 * gcal_plan_worker_ops_destroy().
 */
struct gcal_plan_device_ops
gcal_plan_worker_ops_create(struct gcal_worker_spawner *spawner, const char *uid,
                            double limit_s, const struct gcal_worker_tick *tick,
                            struct gcal_error *err);
/* Has the kernels that are announced built by 'ahead', which the device enters with the first one,
 * and leaves when all are prepared, or at the end.  'first_s' above 0: for so long at most, nothing
 * is launched while something is built.
 */
void gcal_plan_worker_ops_build_ahead(struct gcal_plan_device_ops *ops,
                                      struct gcal_worker_ahead *ahead, double first_s);
/* How long nothing is launched on such a device, at most, while something is built. */
double gcal_plan_building_s(const struct gcal_device_info *info,
                            const struct gcal_config_measure_options *options);
void gcal_plan_worker_ops_destroy(struct gcal_plan_device_ops *ops);

/* Measures 'kernels' on a device.  Returns 0 at the end, also if rows failed; -1
 * (GCAL_EDEVICE) if the device was given up, or if the sink failed (the sink's code).
 * Rows finished before are in the sink in any case.
 */
int gcal_plan_measure(const struct gcal_plan_device_ops *ops, const char *node,
                      const struct gcal_device_info *info,
                      const struct gcal_kernel_list *kernels,
                      const struct gcal_config_measure_options *options,
                      const struct gcal_plan_hooks *hooks, struct gcal_error *err);

/* The same by workers of 'spawner', on the only device that is measured: many programs are built
 * ahead.
 */
int gcal_plan_measure_alone(struct gcal_worker_spawner *spawner, const char *node,
                            const struct gcal_device_info *info,
                            const struct gcal_kernel_list *kernels,
                            const struct gcal_config_measure_options *options,
                            const struct gcal_plan_hooks *hooks, struct gcal_error *err);

/* The kernel as sinks get it, with its counts as a text: of the kernel's texts and in 'arena'. */
int gcal_plan_record_kernel(struct gcal_arena *arena, const struct gcal_kernel *kernel,
                            struct gcal_run_kernel *made, struct gcal_error *err);

/* ---- results of checks: 'outputs' as from gcal_worker_check() ---- */

/* Compares them with the reference run on the host: 0 if they agree; 1 if not, with 'why'
 * naming the first element; -1 with 'why' if the host could not run it.  'worst' gets the
 * largest relative difference.  'references' keeps what the host computes (NULL: it is not
 * kept).
 */
int gcal_plan_compare_outputs(struct gcal_memo *references,
                              const struct gcal_kernel *kernel, uint64_t seed,
                              void *const *outputs, double *worst,
                              struct gcal_error *why);
/* The same with the outputs of another device. */
int gcal_plan_compare_devices(const struct gcal_kernel *kernel, void *const *outputs,
                              void *const *others, double *worst, struct gcal_error *why);
/* -1 with 'err' if an element is NaN. */
int gcal_plan_check_numbers(const struct gcal_kernel *kernel, void *const *outputs,
                            struct gcal_error *err);

#endif
