#include "calib/model/measurement.h"

#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/wire.h"

/* Texts that are always there, so that readers need not ask: NULL goes as "". */
static void put_needed(struct gcal_buf *buf, const char *text)
{
    gcal_wire_put_text(buf, text ? text : "");
}

static char *get_needed(struct gcal_wire *wire)
{
    char *text = gcal_wire_get_text(wire);

    if (!text)
        wire->bad = true;
    return text;
}

static bool get_bool(struct gcal_wire *wire)
{
    uint32_t value = gcal_wire_get_u32(wire);

    if (value > 1)
        wire->bad = true;
    return value == 1;
}

/* A count of items of at least 'item_bytes' each, which must be there to be read. */
static size_t get_count(struct gcal_wire *wire, size_t item_bytes)
{
    uint64_t count = gcal_wire_get_u64(wire);

    if (count > wire->left / item_bytes)
        wire->bad = true;
    return wire->bad ? 0 : (size_t)count;
}

static void *get_array(struct gcal_wire *wire, size_t count, size_t item_bytes)
{
    void *items = calloc(count ? count : 1, item_bytes);

    if (!items)
        wire->bad = true;
    return items;
}

static int damaged(const char *what, struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EINPUT, "%s: damaged data", what);
}

void gcal_device_info_clear(struct gcal_device_info *info)
{
    free(info->uid);
    free(info->type);
    free(info->platform);
    free(info->vendor);
    free(info->name);
    free(info->driver);
    free(info->version);
    free(info->device_type);
    free(info->pci);
    *info = (struct gcal_device_info){ 0 };
}

void gcal_device_info_put(struct gcal_buf *buf, const struct gcal_device_info *info)
{
    put_needed(buf, info->uid);
    put_needed(buf, info->type);
    put_needed(buf, info->platform);
    put_needed(buf, info->vendor);
    put_needed(buf, info->name);
    put_needed(buf, info->driver);
    put_needed(buf, info->version);
    put_needed(buf, info->device_type);
    put_needed(buf, info->pci);
    gcal_wire_put_u64(buf, info->compute_units);
    gcal_wire_put_u64(buf, info->max_work_group_size);
    gcal_wire_put_u64(buf, info->sub_group_size);
    gcal_wire_put_f64(buf, info->max_clock_hz);
    gcal_wire_put_f64(buf, info->global_memory_bytes);
    gcal_wire_put_f64(buf, info->max_alloc_bytes);
    gcal_wire_put_f64(buf, info->local_memory_bytes);
    gcal_wire_put_f64(buf, info->cache_bytes);
    gcal_wire_put_f64(buf, info->timer_resolution_s);
    gcal_wire_put_u32(buf, info->fp16);
    gcal_wire_put_u32(buf, info->fp64);
}

int gcal_device_info_get(struct gcal_wire *wire, struct gcal_device_info *info,
                         struct gcal_error *err)
{
    *info = (struct gcal_device_info){ 0 };
    info->uid = get_needed(wire);
    info->type = get_needed(wire);
    info->platform = get_needed(wire);
    info->vendor = get_needed(wire);
    info->name = get_needed(wire);
    info->driver = get_needed(wire);
    info->version = get_needed(wire);
    info->device_type = get_needed(wire);
    info->pci = get_needed(wire);
    info->compute_units = gcal_wire_get_u64(wire);
    info->max_work_group_size = gcal_wire_get_u64(wire);
    info->sub_group_size = gcal_wire_get_u64(wire);
    info->max_clock_hz = gcal_wire_get_f64(wire);
    info->global_memory_bytes = gcal_wire_get_f64(wire);
    info->max_alloc_bytes = gcal_wire_get_f64(wire);
    info->local_memory_bytes = gcal_wire_get_f64(wire);
    info->cache_bytes = gcal_wire_get_f64(wire);
    info->timer_resolution_s = gcal_wire_get_f64(wire);
    info->fp16 = get_bool(wire);
    info->fp64 = get_bool(wire);
    if (!wire->bad)
        return 0;
    gcal_device_info_clear(info);
    return damaged("device", err);
}

void gcal_run_device_clear(struct gcal_run_device *device)
{
    free(device->node);
    free(device->failure);
    gcal_device_info_clear(&device->info);
    *device = (struct gcal_run_device){ 0 };
}

void gcal_run_device_put(struct gcal_buf *buf, const struct gcal_run_device *device)
{
    put_needed(buf, device->node);
    gcal_wire_put_u32(buf, (uint32_t)device->rank);
    gcal_wire_put_text(buf, device->failure);
    gcal_device_info_put(buf, &device->info);
}

int gcal_run_device_get(struct gcal_wire *wire, struct gcal_run_device *device,
                        struct gcal_error *err)
{
    *device = (struct gcal_run_device){ 0 };
    device->node = get_needed(wire);
    device->rank = (int)gcal_wire_get_u32(wire);
    device->failure = gcal_wire_get_text(wire);
    if (gcal_device_info_get(wire, &device->info, err) == 0)
        return 0;
    gcal_run_device_clear(device);
    return -1;
}

void gcal_run_kernel_clear(struct gcal_run_kernel *kernel)
{
    for (size_t i = 0; i < kernel->n_sizes; i++)
        free(kernel->size_names[i]);
    free(kernel->size_names);
    free(kernel->size_values);
    free(kernel->id);
    free(kernel->name);
    free(kernel->generator);
    free(kernel->family);
    free(kernel->source);
    free(kernel->entry);
    free(kernel->build_options);
    free(kernel->launch);
    free(kernel->profile);
    free(kernel->models);
    *kernel = (struct gcal_run_kernel){ 0 };
}

void gcal_run_kernel_put(struct gcal_buf *buf, const struct gcal_run_kernel *kernel)
{
    put_needed(buf, kernel->id);
    put_needed(buf, kernel->name);
    put_needed(buf, kernel->generator);
    put_needed(buf, kernel->family);
    put_needed(buf, kernel->source);
    put_needed(buf, kernel->entry);
    put_needed(buf, kernel->build_options);
    put_needed(buf, kernel->launch);
    put_needed(buf, kernel->profile);
    put_needed(buf, kernel->models);
    gcal_wire_put_u64(buf, kernel->n_sizes);
    for (size_t i = 0; i < kernel->n_sizes; i++) {
        put_needed(buf, kernel->size_names[i]);
        gcal_wire_put_f64(buf, kernel->size_values[i]);
    }
}

static void get_sizes(struct gcal_wire *wire, struct gcal_run_kernel *kernel)
{
    size_t count = get_count(wire, 12); /* the length of a name, and a value */

    kernel->size_names = get_array(wire, count, sizeof(*kernel->size_names));
    kernel->size_values = get_array(wire, count, sizeof(*kernel->size_values));
    if (wire->bad)
        return;
    kernel->n_sizes = count;
    for (size_t i = 0; i < count; i++) {
        kernel->size_names[i] = get_needed(wire);
        kernel->size_values[i] = gcal_wire_get_f64(wire);
    }
}

int gcal_run_kernel_get(struct gcal_wire *wire, struct gcal_run_kernel *kernel,
                        struct gcal_error *err)
{
    *kernel = (struct gcal_run_kernel){ 0 };
    kernel->id = get_needed(wire);
    kernel->name = get_needed(wire);
    kernel->generator = get_needed(wire);
    kernel->family = get_needed(wire);
    kernel->source = get_needed(wire);
    kernel->entry = get_needed(wire);
    kernel->build_options = get_needed(wire);
    kernel->launch = get_needed(wire);
    kernel->profile = get_needed(wire);
    kernel->models = get_needed(wire);
    get_sizes(wire, kernel);
    if (!wire->bad)
        return 0;
    gcal_run_kernel_clear(kernel);
    return damaged("kernel", err);
}

const char *gcal_measurement_status_name(enum gcal_measurement_status status)
{
    switch (status) {
    case GCAL_MEASUREMENT_GOOD:
        return "good";
    case GCAL_MEASUREMENT_SKIPPED:
        return "skipped";
    case GCAL_MEASUREMENT_BUILD_FAILED:
        return "build failed";
    case GCAL_MEASUREMENT_LAUNCH_FAILED:
        return "launch failed";
    case GCAL_MEASUREMENT_TIMED_OUT:
        return "timed out";
    case GCAL_MEASUREMENT_CRASHED:
        return "crashed";
    case GCAL_MEASUREMENT_WRONG_RESULT:
        return "wrong result";
    case GCAL_MEASUREMENT_BAD_EVENTS:
        return "bad events";
    }
    return "unknown";
}

const char *gcal_measurement_stop_name(enum gcal_measurement_stop stop)
{
    switch (stop) {
    case GCAL_MEASUREMENT_STOP_NONE:
        return "none";
    case GCAL_MEASUREMENT_STOP_NOISE:
        return "noise";
    case GCAL_MEASUREMENT_STOP_STABLE:
        return "stable";
    case GCAL_MEASUREMENT_STOP_SAMPLES:
        return "samples";
    case GCAL_MEASUREMENT_STOP_BUDGET:
        return "budget";
    }
    return "unknown";
}

void gcal_measurement_clear(struct gcal_measurement *m)
{
    free(m->node);
    free(m->device_uid);
    free(m->kernel_id);
    free(m->detail);
    free(m->samples);
    *m = (struct gcal_measurement){ 0 };
}

void gcal_measurement_put(struct gcal_buf *buf, const struct gcal_measurement *m)
{
    put_needed(buf, m->node);
    put_needed(buf, m->device_uid);
    put_needed(buf, m->kernel_id);
    gcal_wire_put_u32(buf, m->status);
    gcal_wire_put_u32(buf, m->stop);
    gcal_wire_put_text(buf, m->detail);
    gcal_wire_put_u64(buf, m->n_warmup);
    gcal_wire_put_u32(buf, m->checked);
    gcal_wire_put_f64(buf, m->worst_difference);
    gcal_wire_put_u64(buf, m->n_samples);
    for (size_t i = 0; i < m->n_samples; i++) {
        const struct gcal_measurement_sample *s = &m->samples[i];

        gcal_wire_put_f64(buf, s->time_s);
        gcal_wire_put_f64(buf, s->host_s);
        gcal_wire_put_u64(buf, s->order);
        gcal_wire_put_f64(buf, s->clock_hz);
        gcal_wire_put_f64(buf, s->temperature_c);
        gcal_wire_put_u64(buf, s->throttle);
    }
}

static void get_samples(struct gcal_wire *wire, struct gcal_measurement *m)
{
    size_t count = get_count(wire, 48);

    m->samples = get_array(wire, count, sizeof(*m->samples));
    if (wire->bad)
        return;
    m->n_samples = count;
    for (size_t i = 0; i < count; i++) {
        struct gcal_measurement_sample *s = &m->samples[i];

        s->time_s = gcal_wire_get_f64(wire);
        s->host_s = gcal_wire_get_f64(wire);
        s->order = gcal_wire_get_u64(wire);
        s->clock_hz = gcal_wire_get_f64(wire);
        s->temperature_c = gcal_wire_get_f64(wire);
        s->throttle = gcal_wire_get_u64(wire);
    }
}

int gcal_measurement_get(struct gcal_wire *wire, struct gcal_measurement *m,
                         struct gcal_error *err)
{
    uint32_t status, stop;

    *m = (struct gcal_measurement){ 0 };
    m->node = get_needed(wire);
    m->device_uid = get_needed(wire);
    m->kernel_id = get_needed(wire);
    status = gcal_wire_get_u32(wire);
    stop = gcal_wire_get_u32(wire);
    if (status > GCAL_MEASUREMENT_BAD_EVENTS || stop > GCAL_MEASUREMENT_STOP_BUDGET)
        wire->bad = true;
    m->status = status;
    m->stop = stop;
    m->detail = gcal_wire_get_text(wire);
    m->n_warmup = gcal_wire_get_u64(wire);
    m->checked = get_bool(wire);
    m->worst_difference = gcal_wire_get_f64(wire);
    get_samples(wire, m);
    if (!wire->bad)
        return 0;
    gcal_measurement_clear(m);
    return damaged("measurement", err);
}
