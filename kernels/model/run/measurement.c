/* measurement.c - fields and encoding of a measurement */
#include "kernels/model/run/measurement.h"

#include <stdlib.h>

#include "kernels/base/error.h"
#include "kernels/base/wire.h"

#define M(...)      GCAL_FIELD(struct gcal_measurement, __VA_ARGS__)
#define SAMPLE(...) GCAL_FIELD(struct gcal_measurement_sample, __VA_ARGS__)

static const char *const statuses[] = { [GCAL_MEASUREMENT_GOOD] = "good",
                                        [GCAL_MEASUREMENT_SKIPPED] = "skipped",
                                        [GCAL_MEASUREMENT_BUILD_FAILED] = "build failed",
                                        [GCAL_MEASUREMENT_LAUNCH_FAILED] =
                                            "launch failed",
                                        [GCAL_MEASUREMENT_TIMED_OUT] = "timed out",
                                        [GCAL_MEASUREMENT_CRASHED] = "crashed",
                                        [GCAL_MEASUREMENT_WRONG_RESULT] = "wrong result",
                                        [GCAL_MEASUREMENT_BAD_EVENTS] = "bad events",
                                        NULL };

static const char *const stops[] = { [GCAL_MEASUREMENT_STOP_NONE] = "none",
                                     [GCAL_MEASUREMENT_STOP_NOISE] = "noise",
                                     [GCAL_MEASUREMENT_STOP_STABLE] = "stable",
                                     [GCAL_MEASUREMENT_STOP_SAMPLES] = "samples",
                                     [GCAL_MEASUREMENT_STOP_BUDGET] = "budget",
                                     NULL };

const struct gcal_field gcal_measurement_key_fields[] = {
    M(TEXT, "node", node, NULL, "node of the device"),
    M(TEXT, "device_uid", device_uid, NULL, "device on the node"),
    M(TEXT, "kernel_id", kernel_id, NULL, "kernel of the run"),
    { 0 },
};

const struct gcal_field gcal_measurement_fields[] = {
    M(ENUM, "status", status, NULL, "outcome", .values = statuses),
    M(ENUM, "stop", stop, NULL, "reason for taking no further sample", .values = stops),
    M(OPTIONAL_TEXT, "detail", detail, NULL, "a build log, an error, or empty"),
    M(U64, "n_warmup", n_warmup, NULL, "runs before the first sample"),
    M(BOOL, "checked", checked, NULL, "the result was compared"),
    M(F64, "worst_difference", worst_difference, "1",
      "largest relative difference of the result"),
    M(U64, "registers", built.registers, NULL, "registers of a work-item; 0: unknown"),
    M(U64, "private_bytes", built.private_bytes, "byte",
      "private memory of a work-item, spilled registers included"),
    M(U64, "work_group_size", built.work_group_size, NULL,
      "most work-items of a work-group of this kernel; 0: unknown"),
    M(U64, "work_group_multiple", built.multiple, NULL,
      "work-items that work-groups should be multiples of; 0: unknown"),
    { 0 },
};

const struct gcal_field gcal_measurement_sample_fields[] = {
    SAMPLE(F64, "time", time_s, "s", "by events, or by the host's clock"),
    SAMPLE(F64, "host_time", host_s, "s", "from enqueue to finish"),
    SAMPLE(U64, "order", order, NULL, "position among all samples of the device"),
    SAMPLE(F64, "clock", clock_hz, "Hz", "clock rate, or NaN"),
    SAMPLE(F64, "temperature", temperature_c, "degC", "temperature, or NaN"),
    SAMPLE(U64, "throttle", throttle, NULL, "reason bits of NVML"),
    { 0 },
};

#define SAMPLE_BYTES 48

const char *gcal_measurement_status_name(enum gcal_measurement_status status)
{
    return gcal_field_value_name(statuses, status);
}

const char *gcal_measurement_stop_name(enum gcal_measurement_stop stop)
{
    return gcal_field_value_name(stops, stop);
}

void gcal_measurement_clear(struct gcal_measurement *m)
{
    gcal_fields_clear(gcal_measurement_key_fields, m);
    gcal_fields_clear(gcal_measurement_fields, m);
    free(m->samples);
    *m = (struct gcal_measurement){ 0 };
}

void gcal_measurement_put(struct gcal_buf *buf, const struct gcal_measurement *m)
{
    gcal_fields_put(buf, gcal_measurement_key_fields, m);
    gcal_fields_put(buf, gcal_measurement_fields, m);
    gcal_wire_put_u64(buf, m->n_samples);
    for (size_t i = 0; i < m->n_samples; i++)
        gcal_fields_put(buf, gcal_measurement_sample_fields, &m->samples[i]);
}

static void get_samples(struct gcal_wire *wire, struct gcal_measurement *m)
{
    size_t count = gcal_fields_get_count(wire, SAMPLE_BYTES);

    m->samples = gcal_fields_get_array(wire, count, sizeof(*m->samples));
    if (wire->bad)
        return;
    m->n_samples = count;
    for (size_t i = 0; i < count; i++)
        gcal_fields_get(wire, gcal_measurement_sample_fields, &m->samples[i]);
}

int gcal_measurement_get(struct gcal_wire *wire, struct gcal_measurement *m,
                         struct gcal_error *err)
{
    *m = (struct gcal_measurement){ 0 };
    gcal_fields_get(wire, gcal_measurement_key_fields, m);
    gcal_fields_get(wire, gcal_measurement_fields, m);
    get_samples(wire, m);
    if (!wire->bad)
        return 0;
    gcal_measurement_clear(m);
    return gcal_error_set(err, GCAL_EINPUT, "measurement: damaged data");
}
