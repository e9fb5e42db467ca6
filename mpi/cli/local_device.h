/* local_device.h - this machine's devices, for commands that run without MPI */
#ifndef GCAL_MPI_CLI_LOCAL_DEVICE_H
#define GCAL_MPI_CLI_LOCAL_DEVICE_H

#include "calib/worker/worker.h"

struct gcal_local_devices {
    struct gcal_worker_spawner *spawner; /* of the workers that measure */
    struct gcal_device_info *info;
    size_t count;
};

/* Lists them, in a worker that has ended then.  -1 with 'err' (GCAL_EDEVICE). */
int gcal_local_devices_open(struct gcal_local_devices *devices, struct gcal_error *err);
void gcal_local_devices_close(struct gcal_local_devices *devices);

/* Whether one of the patterns, with * and ?, is the device's name, uid, type or kind
 * ("gpu"); case is ignored.  True without patterns.
 */
bool gcal_local_device_matches(const struct gcal_device_info *info, size_t n_patterns,
                               const char *const *patterns);

/* Median event time of 'kernel' on the device 'uid', with the number of launches. */
int gcal_local_device_measure(struct gcal_local_devices *devices, const char *uid,
                              const struct gcal_kernel *kernel, double *time_s,
                              size_t *launches, struct gcal_error *err);

#endif
