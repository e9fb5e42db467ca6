/* measurement.h - what a run produces: devices, kernels, samples
 *
 * Plain data that a worker makes, ranks send, the journal and the record keep, and the
 * fit reads.  Texts and arrays are owned by the struct that holds them.
 */
#ifndef GCAL_CALIB_MODEL_MEASUREMENT_H
#define GCAL_CALIB_MODEL_MEASUREMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gcal_buf;
struct gcal_wire;
struct gcal_error;

/* A device's fingerprint. */
struct gcal_device_info {
    char *uid;  /* "uuid:...", "pci:0000:01:00.0", else "cl:..." made of platform, name
                   and index: what is the same on one node is one physical device */
    char *type; /* "nvidia-cuda-nvidia-h200-132cu": devices that share a pooled fit */
    char *platform, *vendor, *name, *driver, *version;
    char *device_type; /* "gpu", "cpu", "accelerator" or "custom" */
    char *pci;         /* "" when unknown */
    uint64_t compute_units, max_work_group_size, sub_group_size;
    double max_clock_hz, global_memory_bytes, max_alloc_bytes, local_memory_bytes,
        cache_bytes, timer_resolution_s;
    bool fp16, fp64;
};

void gcal_device_info_clear(struct gcal_device_info *info);
void gcal_device_info_put(struct gcal_buf *buf, const struct gcal_device_info *info);
int gcal_device_info_get(struct gcal_wire *wire, struct gcal_device_info *info,
                         struct gcal_error *err);

/* A device on a node, as a run met it. */
struct gcal_run_device {
    char *node;
    int rank; /* that measured it */
    struct gcal_device_info info;
    char *failure; /* why it was given up, NULL when it was not: its rows are kept, but
                      take no part in fits */
};

void gcal_run_device_clear(struct gcal_run_device *device);
void gcal_run_device_put(struct gcal_buf *buf, const struct gcal_run_device *device);
int gcal_run_device_get(struct gcal_wire *wire, struct gcal_run_device *device,
                        struct gcal_error *err);

/* A measurement kernel as it is recorded: enough to count and to fit again. */
struct gcal_run_kernel {
    char *id, *name, *generator, *family;
    char *source, *entry, *build_options;
    char *launch;  /* "global n/16*16,n local 16,16", launches and transfers besides, for
                      people */
    char *profile; /* YAML (profile.h) */
    char *models;  /* "a,b": the models that asked for it, which are fitted to it */
    size_t n_sizes;
    char **size_names; /* in the order of the profile's parameters */
    double *size_values;
};

void gcal_run_kernel_clear(struct gcal_run_kernel *kernel);
void gcal_run_kernel_put(struct gcal_buf *buf, const struct gcal_run_kernel *kernel);
int gcal_run_kernel_get(struct gcal_wire *wire, struct gcal_run_kernel *kernel,
                        struct gcal_error *err);

enum gcal_measurement_status {
    GCAL_MEASUREMENT_GOOD,
    GCAL_MEASUREMENT_SKIPPED, /* a ladder's rung outside the time or memory limits */
    GCAL_MEASUREMENT_BUILD_FAILED,
    GCAL_MEASUREMENT_LAUNCH_FAILED,
    GCAL_MEASUREMENT_TIMED_OUT, /* the worker was killed */
    GCAL_MEASUREMENT_CRASHED,   /* the worker died */
    GCAL_MEASUREMENT_WRONG_RESULT,
    GCAL_MEASUREMENT_BAD_EVENTS, /* event times contradict the host's clock */
};

enum gcal_measurement_stop {
    GCAL_MEASUREMENT_STOP_NONE,
    GCAL_MEASUREMENT_STOP_NOISE,   /* the median's relative error is small enough */
    GCAL_MEASUREMENT_STOP_STABLE,  /* the noise does not shrink any more */
    GCAL_MEASUREMENT_STOP_SAMPLES, /* the most samples allowed */
    GCAL_MEASUREMENT_STOP_BUDGET,  /* the device's time was up */
};

/* "good", "build failed", ... and "noise", "stable", ... */
const char *gcal_measurement_status_name(enum gcal_measurement_status status);
const char *gcal_measurement_stop_name(enum gcal_measurement_stop stop);

struct gcal_measurement_sample {
    double time_s;        /* by events, or host_s where the kernel asks for that */
    double host_s;        /* host clock from enqueue to finish */
    uint64_t order;       /* position among all samples of the device */
    double clock_hz;      /* NaN where the vendor library does not tell */
    double temperature_c; /* NaN likewise */
    uint64_t throttle;    /* NVML's reason bits, 0 when none or unknown */
};

/* All samples of one kernel on one device. */
struct gcal_measurement {
    char *node, *device_uid, *kernel_id;
    enum gcal_measurement_status status;
    enum gcal_measurement_stop stop;
    char *detail; /* a build log, an OpenCL error, ...; NULL when there is nothing */
    size_t n_warmup;
    size_t n_samples;
    struct gcal_measurement_sample *samples;
    bool checked;            /* its result was compared on this device */
    double worst_difference; /* largest relative difference found */
};

void gcal_measurement_clear(struct gcal_measurement *m);
void gcal_measurement_put(struct gcal_buf *buf, const struct gcal_measurement *m);
int gcal_measurement_get(struct gcal_wire *wire, struct gcal_measurement *m,
                         struct gcal_error *err);

/* Where the parts of a run go: a journal, an HDF5 record, messages to rank 0.  Each
 * function returns 0 or -1 with 'err' and copies what it keeps.
 */
struct gcal_run_sink {
    void *context;
    int (*device)(void *context, const struct gcal_run_device *device,
                  struct gcal_error *err);
    int (*kernel)(void *context, const struct gcal_run_kernel *kernel,
                  struct gcal_error *err);
    int (*measurement)(void *context, const struct gcal_measurement *m,
                       struct gcal_error *err);
    int (*lost)(void *context, const char *node, int rank, const char *reason,
                struct gcal_error *err);
};

#endif
