/* worker.h - the process that talks to OpenCL, and the rank's end of its pipe
 *
 * OpenCL drivers crash and hang, so a rank never calls them.  Before MPI starts, the
 * rank starts a *spawner*: the same program ('gpucal spawner'), which forks and execs a
 * worker ('gpucal worker') whenever it is asked and hands the worker's socket back.  A
 * worker that dies or overruns its limit costs what it was doing and is replaced.
 * When the rank ends, however it ends, spawner and workers end too.
 *
 * Messages: frames of calib/base/wire.h.
 */
#ifndef GCAL_CALIB_WORKER_H
#define GCAL_CALIB_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "calib/model/measurement.h"
#include "kernels/generate/generate.h"

struct gcal_error;

/* ---- spawner ---- */

struct gcal_worker_spawner;

/* Call before MPI_Init: forks and execs.  Every fd but 0-2 and its own socket is closed
 * in it.
 */
struct gcal_worker_spawner *gcal_worker_spawner_start(struct gcal_error *err);
void gcal_worker_spawner_stop(struct gcal_worker_spawner *spawner);

/* The main functions of the two internal sub-commands; 'fd' is their socket. */
int gcal_worker_spawner_main(int fd);
int gcal_worker_main(int fd);

/* Runs the sub-command when argv is "gpucal spawner FD" or "gpucal worker FD" and returns
 * its exit status; -1 for anything else.  The first thing that main() does: workers are
 * this same program.
 */
int gcal_worker_dispatch(int argc, char **argv);

/* ---- a worker, from the rank ---- */

struct gcal_worker;

/* Called about ten times a second while the rank waits for a worker, so that it can
 * answer messages.  May be NULL.
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
pid_t gcal_worker_pid(const struct gcal_worker *worker);

/* What became of a request. */
enum gcal_worker_outcome {
    GCAL_WORKER_DONE,
    GCAL_WORKER_REFUSED,   /* the worker answered with an error: 'err' has it, it lives */
    GCAL_WORKER_TIMED_OUT, /* killed at the limit */
    GCAL_WORKER_DIED, /* 'err' names the signal or status, or how it lost its device */
};

/* All devices of all platforms, probed in the worker (also those that are not selected),
 * each physical one once; array of 'count', the caller's to clear and free.  Platforms
 * are asked one by one, for at most 'limit_s' each: a driver that crashes or hangs costs
 * its own devices, with a warning, and the worker goes on as a new process.  No device at
 * all: not DONE, with 'err' saying why.
 */
enum gcal_worker_outcome gcal_worker_list_devices(struct gcal_worker *worker,
                                                  double limit_s,
                                                  struct gcal_device_info **devices,
                                                  size_t *count, struct gcal_error *err);

/* Opens the device 'uid' in this worker; needed before the calls below. */
enum gcal_worker_outcome gcal_worker_open(struct gcal_worker *worker, const char *uid,
                                          double limit_s, struct gcal_error *err);

/* In the calls below, 'status' is GCAL_MEASUREMENT_TIMED_OUT or GCAL_MEASUREMENT_CRASHED
 * for a worker that was lost.
 */

/* Builds the kernel's program (once per family) and launches it once, untimed, with the
 * sizes of the kernel.  REFUSED with the build log or the OpenCL error; 'status' tells
 * which (GCAL_MEASUREMENT_BUILD_FAILED, GCAL_MEASUREMENT_LAUNCH_FAILED,
 * GCAL_MEASUREMENT_SKIPPED when it needs more than the device has).  'first_s' gets the
 * time of a second launch, for ladders.
 */
enum gcal_worker_outcome gcal_worker_prepare(struct gcal_worker *worker,
                                             const struct gcal_kernel *kernel,
                                             double limit_s, double *first_s,
                                             enum gcal_measurement_status *status,
                                             struct gcal_error *err);

/* Runs a prepared kernel 'n' times, one after the other: its launches and copies, timed
 * as it says, and by the host's clock besides.  'samples' has room for n; their 'order'
 * is set by the caller. Events that are reversed, zero where the host saw much more than
 * a tick of the device's clock pass, or longer than the host's interval: REFUSED with
 * GCAL_MEASUREMENT_BAD_EVENTS in 'status'.
 */
enum gcal_worker_outcome
gcal_worker_measure(struct gcal_worker *worker, const struct gcal_kernel *kernel,
                    size_t n, double limit_s, struct gcal_measurement_sample *samples,
                    enum gcal_measurement_status *status, struct gcal_error *err);

/* Launches the kernel once at its check sizes on inputs from gcal_random_fill() with
 * 'seed' (one stream per argument: seed + index), and gives back every output buffer:
 * 'outputs' is one pointer per argument (NULL for what is not an output), the caller's to
 * free.  Behind them stands what arrived of a transfer of gcal_random_bytes(), seed + the
 * number of arguments, or NULL.
 */
enum gcal_worker_outcome gcal_worker_check(struct gcal_worker *worker,
                                           const struct gcal_kernel *kernel,
                                           uint64_t seed, double limit_s, void **outputs,
                                           enum gcal_measurement_status *status,
                                           struct gcal_error *err);

#endif
