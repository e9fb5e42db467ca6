/* local_device.h - the devices of this machine, for commands without MPI */
#ifndef GCAL_MPI_CLI_LOCAL_DEVICE_H
#define GCAL_MPI_CLI_LOCAL_DEVICE_H

#include "calib/worker/worker.h"

struct gcal_local_devices {
    struct gcal_worker_spawner *spawner; /* starts the workers that measure */
    struct gcal_device_info *info;
    size_t count;
};

/* Lists the devices, in a worker process.  -1 with 'err' (GCAL_EDEVICE). */
int gcal_local_devices_open(struct gcal_local_devices *devices, struct gcal_error *err);
void gcal_local_devices_close(struct gcal_local_devices *devices);

/* Returns whether a pattern (with * and ?, ignoring case) matches the device's name, uid, type or
 * kind ("gpu"); true without patterns. /
 */
bool gcal_local_device_matches(const struct gcal_device_info *info, size_t n_patterns,
                               const char *const *patterns);

/* The device 'wanted', or another of its type; NULL with 'err' (GCAL_EDEVICE). */
const struct gcal_device_info *
gcal_local_device_find(const struct gcal_local_devices *devices,
                       const struct gcal_device_info *wanted, struct gcal_error *err);

/* Median event time of 'kernel' on the device 'uid', in seconds, and the number of
 * launches.
 */
int gcal_local_device_measure(struct gcal_local_devices *devices, const char *uid,
                              const struct gcal_kernel *kernel, double *time_s,
                              size_t *launches, struct gcal_error *err);

/* Builds a kernel, of which language, source, entry and options are needed, on the device 'uid', and
 * fills 'built' with what its driver says.
 */
int gcal_local_device_build(struct gcal_local_devices *devices, const char *uid,
                            const struct gcal_kernel *kernel, struct gcal_built *built,
                            struct gcal_error *err);

#endif
