/* measurement.h - the samples of one kernel on one device
 *
 * Texts and arrays are owned by the struct.
 */
#ifndef GCAL_KERNELS_MODEL_RUN_MEASUREMENT_H
#define GCAL_KERNELS_MODEL_RUN_MEASUREMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/model/built.h"
#include "kernels/model/run/field.h"

struct gcal_buf;
struct gcal_wire;
struct gcal_error;

enum gcal_measurement_status {
    GCAL_MEASUREMENT_GOOD,
    GCAL_MEASUREMENT_SKIPPED, /* a size of a sweep outside the time or memory limits */
    GCAL_MEASUREMENT_BUILD_FAILED,
    GCAL_MEASUREMENT_LAUNCH_FAILED,
    GCAL_MEASUREMENT_TIMED_OUT, /* the worker was killed */
    GCAL_MEASUREMENT_CRASHED,   /* the worker died */
    GCAL_MEASUREMENT_WRONG_RESULT,
    GCAL_MEASUREMENT_BAD_EVENTS, /* event times contradict the host's clock */
};

/* Why no further sample was taken. */
enum gcal_measurement_stop {
    GCAL_MEASUREMENT_STOP_NONE,
    GCAL_MEASUREMENT_STOP_NOISE,   /* the median's relative error is small enough */
    GCAL_MEASUREMENT_STOP_STABLE,  /* the error does not shrink any more */
    GCAL_MEASUREMENT_STOP_SAMPLES, /* the largest number of samples */
    GCAL_MEASUREMENT_STOP_BUDGET,  /* the device's time was up */
};

/* "good", "build failed", ... and "noise", "stable", ...; "unknown". */
const char *gcal_measurement_status_name(enum gcal_measurement_status status);
const char *gcal_measurement_stop_name(enum gcal_measurement_stop stop);

struct gcal_measurement_sample {
    double time_s;        /* by events, or host_s if the kernel is timed by the host */
    double host_s;        /* host clock from enqueue to finish */
    uint64_t order;       /* position among all samples of the device */
    double clock_hz;      /* NaN if the vendor's library does not report it */
    double temperature_c; /* likewise */
    uint64_t throttle;    /* NVML's reason bits, 0: none or unknown */
};

struct gcal_measurement {
    char *node, *device_uid, *kernel_id;
    enum gcal_measurement_status status;
    enum gcal_measurement_stop stop;
    char *detail; /* a build log, an OpenCL error, ...; NULL: none */
    size_t n_warmup;
    size_t n_samples;
    struct gcal_measurement_sample *samples; /* NULL: not kept, but what follows */
    double median_s,
        spread;   /* of samples that are not kept: the median of their times, and
                                its relative standard error */
    bool checked; /* its result was compared on this device */
    double worst_difference; /* largest relative difference found */
    struct gcal_built built;
};

/* Which kernel on which device; the other members but the samples; a sample. */
extern const struct gcal_field gcal_measurement_key_fields[], gcal_measurement_fields[],
    gcal_measurement_sample_fields[];

void gcal_measurement_clear(struct gcal_measurement *m);
void gcal_measurement_put(struct gcal_buf *buf, const struct gcal_measurement *m);
int gcal_measurement_get(struct gcal_wire *wire, struct gcal_measurement *m,
                         struct gcal_error *err);

#endif
