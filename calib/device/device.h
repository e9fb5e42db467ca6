/* device.h - OpenCL as the worker uses it (within calib/ only; needs CL/cl.h's loader) */
#ifndef GCAL_CALIB_DEVICE_H
#define GCAL_CALIB_DEVICE_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "calib/device/job.h"
#include "calib/model/measurement.h"

struct gcal_error;

/* "CL_OUT_OF_RESOURCES", or "OpenCL error -9999". */
const char *gcal_device_error_name(cl_int code);

struct gcal_device_entry {
    cl_platform_id platform;
    cl_device_id id;
    struct gcal_device_info info;
};

/* The devices of one platform; the caller's to free.  None when 'platform' is not less
 * than 'n_platforms'.  A device that does not answer is left out with a warning.
 * 'probe': a kernel is built to learn sub_group_size (0 otherwise).  -1 with 'err'
 * (GCAL_EDEVICE) when there is no platform.
 */
int gcal_device_list(size_t platform, bool probe, struct gcal_device_entry **devices,
                     size_t *count, size_t *n_platforms, struct gcal_error *err);
void gcal_device_list_free(struct gcal_device_entry *devices, size_t count);

/* A device with its context, queue, built programs and buffers. */
struct gcal_device;

/* 'platform' may be GCAL_DEVICE_ANY_PLATFORM; the others are not touched. */
struct gcal_device *gcal_device_open(const char *uid, size_t platform,
                                     struct gcal_error *err);
void gcal_device_close(struct gcal_device *cl);

/* False once nothing works any more, as after a kernel's fault on many a GPU: only
 * another process can use the device then.
 */
bool gcal_device_is_alive(const struct gcal_device *cl);

/* The functions below return 0, or -1 with 'err' and what a row of it would be called in
 * 'status'.
 */

/* Builds, sets the arguments, runs twice; 'time_s' is the second run's. */
int gcal_device_prepare(struct gcal_device *cl, const struct gcal_device_job *job,
                        double *time_s, enum gcal_measurement_status *status,
                        struct gcal_error *err);
int gcal_device_measure(struct gcal_device *cl, const struct gcal_device_job *job,
                        size_t n, struct gcal_measurement_sample *samples,
                        enum gcal_measurement_status *status, struct gcal_error *err);
/* See gcal_worker_check(). */
int gcal_device_check(struct gcal_device *cl, const struct gcal_device_job *job,
                      uint64_t seed, void **outputs, enum gcal_measurement_status *status,
                      struct gcal_error *err);

/* ---- CUDA's driver, where there is one ---- */

/* The L2 cache of the GPU at a PCI address "0000:01:00.0"; 0 when that is not known. */
double gcal_device_cuda_cache_bytes(const char *pci);

/* ---- NVML, where there is one ---- */

struct gcal_device_nvml;

/* The GPU at a PCI address "0000:01:00.0"; NULL when NVML or the GPU is not there. */
struct gcal_device_nvml *gcal_device_nvml_open(const char *pci);
void gcal_device_nvml_close(struct gcal_device_nvml *nvml);
/* Fills clock, temperature and throttle reasons; NaN, NaN, 0 where 'nvml' is NULL. */
void gcal_device_nvml_read(const struct gcal_device_nvml *nvml,
                           struct gcal_measurement_sample *sample);

#endif
