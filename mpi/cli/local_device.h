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

/* Event times of a kernel's launches, in seconds. */
struct gcal_timed {
    double median_s; /* NaN: not measured */
    double least_s;
    double spread; /* relative standard error of the median */
    size_t launches;
};

int gcal_local_device_measure(struct gcal_local_devices *devices, const char *uid,
                              const struct gcal_kernel *kernel, struct gcal_timed *timed,
                              struct gcal_error *err);

/* Prints "measured 12.3 us (median of 60 launches, +- 0.4 %, least 12.1 us): prediction error +2.0 %",
 * and below it whether the device was busy.  'predicted_s' NaN: without the error.
 */
void gcal_timed_print(const struct gcal_timed *timed, double predicted_s);

/* Builds a kernel, of which language, source, entry and options are needed, on the device 'uid', and
 * fills 'built' with what its driver says.
 */
int gcal_local_device_build(struct gcal_local_devices *devices, const char *uid,
                            const struct gcal_kernel *kernel, struct gcal_built *built,
                            struct gcal_error *err);

#endif
