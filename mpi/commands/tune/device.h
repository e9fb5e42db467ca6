/* device.h - the times of configurations, from a device
 *
 * Two kinds of worker processes: some build the announced configurations side by side,
 * without launching anything, so that the driver's cache of binaries has them; one checks
 * each configuration's result at its small sizes, once, and times it with few launches.
 * A crash, a hang or a failed build costs its configuration only.
 */
#ifndef GCAL_MPI_COMMANDS_TUNE_DEVICE_H
#define GCAL_MPI_COMMANDS_TUNE_DEVICE_H

#include "kernels/model/run/device_info.h"
#include "calib/worker/worker.h"
#include "mpi/commands/tune/tune.h"

struct gcal_tune_device;

struct gcal_tune_device_options {
    size_t n_builders; /* 0: one per processor, 16 at most */
    double limit_s;    /* for a build, a check, or all launches of a configuration */
};

extern const struct gcal_tune_device_options gcal_tune_device_defaults;

/* 'space' and 'spawner' are borrowed.  Nothing is started before the first use. */
struct gcal_tune_device *gcal_tune_device_open(
    const struct gcal_tune_space *space, struct gcal_worker_spawner *spawner,
    const struct gcal_device_info *info, const struct gcal_tune_device_options *options,
    struct gcal_error *err);
void gcal_tune_device_close(struct gcal_tune_device *device);

/* Its function 'time' gives each configuration that cannot run, or gives wrong results, as
 * such; it fails (GCAL_EDEVICE) once three workers in a row were lost.
 */
struct gcal_tune_source gcal_tune_device_source(struct gcal_tune_device *device);

#endif
