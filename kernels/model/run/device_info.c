/* device_info.c - fields and encodings of a device */
#include "kernels/model/run/device_info.h"

#include <math.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/wire.h"

#define INFO(...)   GCAL_FIELD(struct gcal_device_info, __VA_ARGS__)
#define DEVICE(...) GCAL_FIELD(struct gcal_run_device, __VA_ARGS__)

const struct gcal_field gcal_device_info_fields[] = {
    INFO(TEXT, "uid", uid, NULL, "identifies the device on its node"),
    INFO(TEXT, "type", type, NULL, "devices of a type share a fit"),
    INFO(TEXT, "name", name, NULL, "as OpenCL reports it"),
    INFO(TEXT, "vendor", vendor, NULL, "as OpenCL reports it"),
    INFO(TEXT, "platform", platform, NULL, "name of the OpenCL platform"),
    INFO(TEXT, "driver", driver, NULL, "version of the driver"),
    INFO(TEXT, "version", version, NULL, "version of OpenCL"),
    INFO(TEXT, "device_type", device_type, NULL, "gpu, cpu, accelerator or custom"),
    INFO(TEXT, "pci", pci, NULL, "PCI address, or empty"),
    INFO(U64, "compute_units", compute_units, NULL, "multiprocessors or cores"),
    INFO(U64, "max_work_group_size", max_work_group_size, NULL,
         "most work-items of a work-group"),
    INFO(U64, "sub_group_size", sub_group_size, NULL, "work-items that run in lockstep"),
    INFO(F64, "max_clock", max_clock_hz, "Hz", "highest clock rate",
         .key = "max_clock_hz"),
    INFO(F64, "global_memory", global_memory_bytes, "byte", "size of the memory",
         .key = "global_memory_bytes"),
    INFO(F64, "max_alloc", max_alloc_bytes, "byte", "largest buffer",
         .key = "max_alloc_bytes"),
    INFO(F64, "local_memory", local_memory_bytes, "byte", "local memory of a work-group",
         .key = "local_memory_bytes"),
    INFO(F64, "cache", cache_bytes, "byte", "last-level cache", .key = "cache_bytes"),
    INFO(F64, "timer_resolution", timer_resolution_s, "s", "step of the clock of events",
         .key = "timer_resolution_s"),
    INFO(BOOL, "fp16", fp16, NULL, "has float16"),
    INFO(BOOL, "fp64", fp64, NULL, "has float64"),
    INFO(U64, "resident_work_items", resident_work_items, NULL,
         "most work-items of a compute unit at a time; 0: unknown", .optional = true),
    INFO(U64, "resident_work_groups", resident_work_groups, NULL,
         "most work-groups of a compute unit at a time; 0: unknown", .optional = true),
    INFO(F64, "unit_local_memory", unit_local_memory_bytes, "byte",
         "local memory of a compute unit; 0: unknown", .key = "unit_local_memory_bytes",
         .optional = true),
    INFO(U64, "unit_registers", unit_registers, NULL,
         "registers of a compute unit; 0: unknown", .optional = true),
    { 0 },
};

const struct gcal_field gcal_run_device_fields[] = {
    DEVICE(TEXT, "node", node, NULL, "name of the node"),
    DEVICE(INT, "rank", rank, NULL, "rank that measured the device"),
    DEVICE(OPTIONAL_TEXT, "failure", failure, NULL,
           "reason for giving up the device, or empty"),
    DEVICE(OPTIONAL_TEXT, "kept", kept, NULL,
           "models that were not measured, one per line, or empty"),
    DEVICE(F64, "span", span_s, "s",
           "from the first launch to the end of the last; 0: unknown"),
    DEVICE(F64, "busy", busy_s, "s", "of it, the time of launches and copies"),
    { 0 },
};

void gcal_device_info_clear(struct gcal_device_info *info)
{
    gcal_fields_clear(gcal_device_info_fields, info);
    *info = (struct gcal_device_info){ 0 };
}

int gcal_device_info_copy(struct gcal_device_info *to,
                          const struct gcal_device_info *from, struct gcal_error *err)
{
    *to = (struct gcal_device_info){ 0 };
    if (gcal_fields_copy(gcal_device_info_fields, to, from, err) == 0)
        return 0;
    gcal_device_info_clear(to);
    return -1;
}

void gcal_device_info_put(struct gcal_buf *buf, const struct gcal_device_info *info)
{
    gcal_fields_put(buf, gcal_device_info_fields, info);
}

int gcal_device_info_get(struct gcal_wire *wire, struct gcal_device_info *info,
                         struct gcal_error *err)
{
    *info = (struct gcal_device_info){ 0 };
    gcal_fields_get(wire, gcal_device_info_fields, info);
    if (!wire->bad)
        return 0;
    gcal_device_info_clear(info);
    return gcal_error_set(err, GCAL_EINPUT, "device: damaged data");
}

bool gcal_device_info_is_simulated(const struct gcal_device_info *info)
{
    return info->platform && strcmp(info->platform, GCAL_DEVICE_SIMULATED_PLATFORM) == 0;
}

/* OpenCL has a limit of each dimension, which is that of the work-group on most devices. */
static double most_in_depth(const struct gcal_device_info *info)
{
    return info->vendor && strcmp(info->vendor, "NVIDIA Corporation") == 0 ? 64 : 0;
}

struct gcal_limits gcal_device_info_limits(const struct gcal_device_info *info)
{
    return (struct gcal_limits){ .work_group_size = (double)info->max_work_group_size,
                                 .work_group_depth = most_in_depth(info),
                                 .local_memory_bytes = info->local_memory_bytes,
                                 .buffer_bytes = info->max_alloc_bytes,
                                 .memory_bytes = info->global_memory_bytes,
                                 .fp16 = info->fp16,
                                 .fp64 = info->fp64 };
}

static double known_or(double value, double otherwise)
{
    return value > 0 ? value : otherwise;
}

struct gcal_binding_device gcal_device_info_facts(const struct gcal_device_info *info)
{
    bool is_cpu = info->device_type && strcmp(info->device_type, "cpu") == 0;
    double most =
        is_cpu ? (double)info->sub_group_size : (double)info->max_work_group_size;
    double items = known_or((double)info->resident_work_items, fmax(1, most));

    return (struct gcal_binding_device){
        .sub_group_size = (double)info->sub_group_size,
        .compute_units = fmax(1, (double)info->compute_units),
        .work_items = items,
        .work_groups = known_or((double)info->resident_work_groups, is_cpu ? 1 : items),
        .local_memory_bytes =
            known_or(info->unit_local_memory_bytes, info->local_memory_bytes),
        .cache_bytes = info->cache_bytes,
        .registers = (double)info->unit_registers,
        .type = info->type,
    };
}

bool gcal_run_device_keeps(const struct gcal_run_device *device, const char *model)
{
    size_t n = strlen(model);

    for (const char *at = device->kept; at && *at; at += strcspn(at, "\n")) {
        at += *at == '\n';
        if (strcspn(at, "\n") == n && memcmp(at, model, n) == 0)
            return true;
    }
    return false;
}

void gcal_run_device_clear(struct gcal_run_device *device)
{
    gcal_fields_clear(gcal_run_device_fields, device);
    gcal_device_info_clear(&device->info);
    *device = (struct gcal_run_device){ 0 };
}

void gcal_run_device_put(struct gcal_buf *buf, const struct gcal_run_device *device)
{
    gcal_fields_put(buf, gcal_run_device_fields, device);
    gcal_device_info_put(buf, &device->info);
}

int gcal_run_device_get(struct gcal_wire *wire, struct gcal_run_device *device,
                        struct gcal_error *err)
{
    *device = (struct gcal_run_device){ 0 };
    gcal_fields_get(wire, gcal_run_device_fields, device);
    if (gcal_device_info_get(wire, &device->info, err) == 0)
        return 0;
    gcal_run_device_clear(device);
    return -1;
}
