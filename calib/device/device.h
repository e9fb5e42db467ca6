/* device.h - OpenCL devices, for the worker process only: drivers crash and hang */
#ifndef GCAL_CALIB_DEVICE_H
#define GCAL_CALIB_DEVICE_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "calib/device/job.h"
#include "kernels/model/launches.h"
#include "kernels/model/run/device_info.h"
#include "kernels/model/run/measurement.h"

struct gcal_error;

struct gcal_device_entry {
    cl_platform_id platform;
    cl_device_id id;
    struct gcal_device_info info;
};

/* The devices of one platform, the caller's to free; none unless 'platform' is below
 * 'n_platforms'.  A device that is not available or cannot compile is left out with a
 * warning.  'probe': builds a kernel to find sub_group_size (0 otherwise, and if it cannot be
 * built).  -1 with 'err' (GCAL_EDEVICE) if there is no platform.
 */
int gcal_device_list(size_t platform, bool probe, struct gcal_device_entry **devices,
                     size_t *count, size_t *n_platforms, struct gcal_error *err);
void gcal_device_list_free(struct gcal_device_entry *devices, size_t count);

/* A device with its context, queue, built programs and buffers. */
struct gcal_device;

/* Calls the driver of one platform only, unless 'platform' is GCAL_DEVICE_ANY_PLATFORM.
 */
struct gcal_device *gcal_device_open(const char *uid, size_t platform,
                                     struct gcal_error *err);
void gcal_device_close(struct gcal_device *cl);
/* The same device by the driver of a language: 'cl' itself for OpenCL C; for CUDA and HIP with a
 * context of its own, opened when it is first asked for.  NULL with 'err' (GCAL_EDEVICE).
 */
struct gcal_device *gcal_device_by_language(struct gcal_device *cl,
                                            enum gcal_source_language language,
                                            struct gcal_error *err);
/* Releases all built programs: where thousands are built, none twice. */
void gcal_device_forget_programs(struct gcal_device *cl);

/* False if no command works any more, as after a kernel's fault on many GPUs: only
 * another process can use the device then.
 */
bool gcal_device_is_alive(const struct gcal_device *cl);

/* The share of about the last second in which kernels ran on the device, of any process; NaN
 * if the vendor's library does not report it.
 */
double gcal_device_busy(const struct gcal_device *cl);

/* The functions below return 0, or -1 with 'err' and the measurement's 'status'. */

struct gcal_device_prepared {
    double time_s;           /* of the second run */
    double build_s;          /* of the program, whenever that was; 0: a transfer alone */
    struct gcal_built built; /* zeros: a transfer alone, or not asked for */
};

/* Builds, sets the arguments, runs twice.  Of 'next', if not NULL, source, entry and options: it is
 * built at the same time.
 */
int gcal_device_prepare(struct gcal_device *cl, const struct gcal_device_job *job,
                        const struct gcal_device_job *next, bool asks_built,
                        struct gcal_device_prepared *prepared,
                        enum gcal_measurement_status *status, struct gcal_error *err);
int gcal_device_measure(struct gcal_device *cl, const struct gcal_device_job *job,
                        size_t n, struct gcal_measurement_sample *samples,
                        enum gcal_measurement_status *status, struct gcal_error *err);
/* Its time from few launches, once built. */
int gcal_device_time(struct gcal_device *cl, const struct gcal_device_job *job,
                     const struct gcal_launches_rule *rule,
                     struct gcal_launches_time *found,
                     enum gcal_measurement_status *status, struct gcal_error *err);
/* Builds the job's kernel, and asks for no more. */
int gcal_device_build(struct gcal_device *cl, const struct gcal_device_job *job,
                      struct gcal_built *built, struct gcal_error *err);
/* See gcal_worker_check(). */
int gcal_device_check(struct gcal_device *cl, const struct gcal_device_job *job,
                      uint64_t seed, int guard, void **outputs,
                      enum gcal_measurement_status *status, struct gcal_error *err);

#endif
