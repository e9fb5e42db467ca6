/* worker.h - the process that calls OpenCL, and the rank's end of its socket
 *
 * OpenCL drivers crash and hang, so a rank never calls them.  Before MPI starts, the rank
 * starts a *spawner*: the same program ('gpucal spawner'), which forks and execs a worker
 * ('gpucal worker') on request and passes the worker's socket back.  A worker that dies
 * or exceeds its time limit loses its current request and is replaced.  Spawner and
 * workers end with the rank, however it ends.
 *
 * Messages: frames of kernels/base/wire.h.
 */
#ifndef GCAL_CALIB_WORKER_H
#define GCAL_CALIB_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/error.h"
#include "kernels/model/built.h"
#include "kernels/model/launches.h"
#include "kernels/model/run/device_info.h"
#include "kernels/model/dtype.h"
#include "kernels/model/run/measurement.h"
#include "kernels/generate/generate.h"

/* ---- spawner ---- */

struct gcal_worker_spawner;

/* Call before MPI_Init: forks and execs.  Every fd but 0-2 and its own socket is closed
 * in it.  Several threads may use it.
 */
struct gcal_worker_spawner *gcal_worker_spawner_start(struct gcal_error *err);
void gcal_worker_spawner_stop(struct gcal_worker_spawner *spawner);

/* Returns whether its workers' drivers keep built kernels in a folder of this node
 * (calib/worker/cache.h), so that one worker finds what another has built. /
 */
bool gcal_worker_spawner_keeps_builds(const struct gcal_worker_spawner *spawner);

/* How long all threads of this process and of the workers that are there ran so far, and how long
 * they were ready to run without a processor; zeros where the kernel does not tell.  It becomes
 * less when threads end.
 */
struct gcal_worker_use {
    double ran_s, waited_s;
};
struct gcal_worker_use gcal_worker_spawner_use(const struct gcal_worker_spawner *spawner);
struct gcal_worker_use gcal_worker_process_use(long pid);

/* How much of 'past_s' seconds was lost by waiting for processors, at most three quarters. */
double gcal_worker_waited_s(const struct gcal_worker_use *before,
                            const struct gcal_worker_use *after, double past_s);

/* Runs the internal sub-command if argv is "gpucal spawner FD [FOLDER]" or "gpucal worker FD", and
 * returns its exit status; else -1.  main() must call it first: spawner and workers are
 * this program.
 */
int gcal_worker_dispatch(int argc, char **argv);

/* ---- a worker, from the rank ---- */

struct gcal_worker;

/* Called about ten times a second while the rank waits for a worker, for its messages.
 * May be NULL.
 */
struct gcal_worker_tick {
    void (*call)(void *context);
    void *context;
};

struct gcal_worker *gcal_worker_start(struct gcal_worker_spawner *spawner,
                                      const struct gcal_worker_tick *tick,
                                      struct gcal_error *err);
/* Ends the process if it has not ended. */
void gcal_worker_stop(struct gcal_worker *worker);

/* Outcome of a request. */
enum gcal_worker_outcome {
    GCAL_WORKER_DONE,
    GCAL_WORKER_REFUSED,   /* the worker answered with 'err' and is alive */
    GCAL_WORKER_TIMED_OUT, /* killed at the limit */
    GCAL_WORKER_DIED, /* 'err' names the signal or status, or how it lost its device */
};

/* All devices of all platforms, probed in the worker, each physical one once; an array of
 * 'count', the caller's to clear and free.  Platforms are queried one by one, for at most
 * 'limit_s' each: if a driver crashes or hangs, only its devices are left out, with a
 * warning, and the worker continues as a new process.  Without any device, the outcome is
 * not DONE and 'err' has the reason.
 */
enum gcal_worker_outcome gcal_worker_list_devices(struct gcal_worker *worker,
                                                  double limit_s,
                                                  struct gcal_device_info **devices,
                                                  size_t *count, struct gcal_error *err);

/* Opens the device 'uid' in this worker, as the calls below require. */
enum gcal_worker_outcome gcal_worker_open(struct gcal_worker *worker, const char *uid,
                                          double limit_s, struct gcal_error *err);

/* An opening that takes longer hangs.  It is not the limit of a kernel, which may be short: drivers
 * start in seconds, and in many times that beside others.
 */
#define GCAL_WORKER_OPEN_S 60.0

/* Both: a worker that has opened the device.  NULL with 'err' (GCAL_EDEVICE). */
struct gcal_worker *gcal_worker_start_on(struct gcal_worker_spawner *spawner,
                                         const char *uid,
                                         const struct gcal_worker_tick *tick,
                                         struct gcal_error *err);

/* In the calls below, 'status' is GCAL_MEASUREMENT_TIMED_OUT or GCAL_MEASUREMENT_CRASHED
 * if the worker was lost.
 */

/* Builds the kernel's program (once per source and options) and launches it once, untimed, with the
 * sizes of the kernel.  'first_s' gets the time of a second launch, for size sweeps.
 * REFUSED with the build log or the OpenCL error in 'err' and, in 'status',
 * GCAL_MEASUREMENT_BUILD_FAILED, GCAL_MEASUREMENT_LAUNCH_FAILED, or
 * GCAL_MEASUREMENT_SKIPPED if it needs more than the device has.
 */
enum gcal_worker_outcome gcal_worker_prepare(struct gcal_worker *worker,
                                             const struct gcal_kernel *kernel,
                                             double limit_s, double *first_s,
                                             enum gcal_measurement_status *status,
                                             struct gcal_error *err);

/* The same; 'built' is what the driver says of the kernel, which is not asked again: that may
 * take another compilation.  The program of 'next' is built while the kernel is launched.  Either
 * may be NULL.
 */
enum gcal_worker_outcome
gcal_worker_prepare_built(struct gcal_worker *worker, const struct gcal_kernel *kernel,
                          const struct gcal_built *built, const struct gcal_kernel *next,
                          double limit_s, double *first_s,
                          enum gcal_measurement_status *status, struct gcal_error *err);

/* The share of about the last second in which kernels of any process ran on the device; NaN:
 * the vendor's library does not report it, or the worker was lost.
 */
double gcal_worker_busy(struct gcal_worker *worker, double limit_s);

/* What the driver says of the kernel that was prepared last. */
struct gcal_built gcal_worker_built(const struct gcal_worker *worker);
/* How long its program took to build, or to load, in seconds; 0: it has none. */
double gcal_worker_build_s(const struct gcal_worker *worker);

/* Builds a kernel, of which language, source, entry and options are needed, and fills 'built'.
 * REFUSED with the build log in 'err'.
 */
enum gcal_worker_outcome gcal_worker_build(struct gcal_worker *worker,
                                           const struct gcal_kernel *kernel,
                                           double limit_s, struct gcal_built *built,
                                           struct gcal_error *err);

/* Runs a prepared kernel 'n' times in sequence: its launches and copies, timed as its
 * description says, and also by the host's clock.  'samples' has room for n; the caller
 * sets their 'order'.  REFUSED with GCAL_MEASUREMENT_BAD_EVENTS in 'status' if events are
 * reversed, longer than the host's interval, or zero although the host's interval is much
 * longer than a tick of the device's clock.
 */
enum gcal_worker_outcome
gcal_worker_measure(struct gcal_worker *worker, const struct gcal_kernel *kernel,
                    size_t n, double limit_s, struct gcal_measurement_sample *samples,
                    enum gcal_measurement_status *status, struct gcal_error *err);

/* Builds the kernel's program, whatever was prepared before, and takes its time from as few
 * launches as 'rule' allows; the program is released.  REFUSED as by preparing and
 * measuring.
 */
enum gcal_worker_outcome
gcal_worker_time(struct gcal_worker *worker, const struct gcal_kernel *kernel,
                 const struct gcal_launches_rule *rule, double limit_s,
                 struct gcal_launches_time *found, enum gcal_measurement_status *status,
                 struct gcal_error *err);

/* Launches the kernel once at its check sizes on inputs from gcal_dtype_fill_range() with
 * 'seed' (one stream per argument: seed + index).  'outputs' gets one pointer per
 * argument (NULL unless it is an output), and one to the data received in a transfer of
 * gcal_random_bytes() with seed + the number of arguments (NULL without a transfer); the
 * caller's to free.  4 KiB of the byte 'guard' are before and after each buffer: REFUSED
 * with GCAL_MEASUREMENT_WRONG_RESULT if the kernel writes there.
 */
enum gcal_worker_outcome
gcal_worker_check(struct gcal_worker *worker, const struct gcal_kernel *kernel,
                  uint64_t seed, int guard, double limit_s, void **outputs,
                  enum gcal_measurement_status *status, struct gcal_error *err);

/* ---- building ahead ---- */

/* Workers that build kernels side by side and launch none: the driver's cache of binaries
 * then has them for the worker that measures.  They start when they are needed.
 */
struct gcal_worker_builders;

struct gcal_worker_build {
    size_t id; /* the caller's */
    enum gcal_worker_outcome outcome;
    double took_s;
    bool is_first;           /* of its worker, which takes longer */
    struct gcal_built built; /* DONE */
    struct gcal_error why;   /* otherwise */
};

/* Of 'n' workers at most, on the device 'uid'; 'limit_s' for each build. */
struct gcal_worker_builders *
gcal_worker_builders_start(struct gcal_worker_spawner *spawner, const char *uid, size_t n,
                           double limit_s, struct gcal_error *err);
void gcal_worker_builders_stop(struct gcal_worker_builders *builders);

/* How many kernels can be given now; 0 for good if workers fail one after the other.  One
 * worker starts at a time, with the kernel given then.
 */
size_t gcal_worker_builders_free(const struct gcal_worker_builders *builders);
/* Those of them that need no worker started; the workers that were. */
size_t gcal_worker_builders_idle(const struct gcal_worker_builders *builders);
size_t gcal_worker_builders_started(const struct gcal_worker_builders *builders);
/* Kernels that are being built. */
size_t gcal_worker_builders_busy(const struct gcal_worker_builders *builders);
/* Gives a kernel to a free worker; false if none can be had. */
bool gcal_worker_builders_give(struct gcal_worker_builders *builders, size_t id,
                               const struct gcal_kernel *kernel);
/* The next finished build, within 'wait_s'; false: none. */
bool gcal_worker_builders_next(struct gcal_worker_builders *builders, double wait_s,
                               struct gcal_worker_build *done);

/* A thread with such workers: the programs of kernels are built in the order in which they
 * are added, each once, for several threads that measure devices of one type.
 */
struct gcal_worker_ahead;

/* How many workers may build beside those that measure 'n_devices' such devices at once: as
 * many as processors, without one or two for measuring and for the rank, and as their contexts
 * fit in an eighth of the device's memory.  On CPUs, where building would disturb the times:
 * before them, as many as processors.  0: none, with one processor, or if drivers keep no built
 * kernels.
 */
size_t gcal_worker_ahead_workers(const struct gcal_worker_spawner *spawner,
                                 const struct gcal_device_info *info, size_t n_devices);

/* Its workers open the device of 'info', one of these, once each of the 'n_users' has entered; the
 * second and further ones only if building takes long: drivers that have kept the programs need
 * one.  They end when all is built and each user has closed, or left.
 */
struct gcal_worker_ahead *gcal_worker_ahead_start(struct gcal_worker_spawner *spawner,
                                                  const struct gcal_device_info *info,
                                                  size_t n_workers, size_t n_users,
                                                  double limit_s, struct gcal_error *err);
/* Frees it, when nobody uses it any more; NULL is allowed. */
void gcal_worker_ahead_stop(struct gcal_worker_ahead *ahead);
/* The stages of a user, in this order. */
enum gcal_worker_ahead_stage {
    GCAL_WORKER_AHEAD_OUTSIDE,
    GCAL_WORKER_AHEAD_ENTERED, /* it has found its device idle, and may add kernels */
    GCAL_WORKER_AHEAD_CLOSED,  /* it adds no kernel any more */
    GCAL_WORKER_AHEAD_LEFT,    /* it needs nothing built any more */
};
/* Takes a user from stage '*at' to 'to', if that is later.  The last one to leave waits until
 * the workers have ended.
 */
void gcal_worker_ahead_advance(struct gcal_worker_ahead *ahead,
                               enum gcal_worker_ahead_stage *at,
                               enum gcal_worker_ahead_stage to);
void gcal_worker_ahead_add(struct gcal_worker_ahead *ahead,
                           const struct gcal_kernel *kernel);
/* Waits until all that was added is built, but not longer than 'limit_s'; what has not begun
 * then is left to the callers.  Returns how long it took.
 */
double gcal_worker_ahead_finish(struct gcal_worker_ahead *ahead,
                                const struct gcal_worker_tick *tick, double limit_s);
/* Waits while the kernel's program is being built: true if it was, with what the driver says
 * of it; or at once, if that is known from an earlier run.  A program whose turn has not come is left to the caller, and so is one that could not
 * be built.
 */
bool gcal_worker_ahead_wait(struct gcal_worker_ahead *ahead,
                            const struct gcal_kernel *kernel,
                            const struct gcal_worker_tick *tick,
                            struct gcal_built *built);
/* The kernel that was added after this one, of another program, if that is built or known: its source, entry
 * and options alone, valid until the end; NULL: none.
 */
const struct gcal_kernel *gcal_worker_ahead_next(struct gcal_worker_ahead *ahead,
                                                 const struct gcal_kernel *kernel);
/* The driver has not kept what an earlier run built: it is built again, ahead. */
void gcal_worker_ahead_doubt(struct gcal_worker_ahead *ahead);

#endif
